"""What lies behind a decision: cube models side by side, market windows, gammon values, maps, race counts.

In go an `Engine` and a position with its match state; out come frozen values that reports show. The rule kept here:
nothing is drawn or printed.
"""

from __future__ import annotations

from sixprime.theory.cube import CubeCurves, CubeTheory, ModelView, cube_theory
from sixprime.theory.explain import Explanation, explain
from sixprime.theory.levels import CubeLevel, CubeLevels, cube_levels
from sixprime.theory.losers import MarketLosers, market_losers
from sixprime.theory.race import RaceSide, RaceTheory, race_counts, race_theory
from sixprime.theory.race_counts import RaceCount, Verdict
from sixprime.theory.scores import ScoreCell, ScoreMap, score_map
from sixprime.theory.temperature import RollValue, TemperatureMap, reply_maps, temperature_map

__all__ = [
    "CubeCurves",
    "CubeLevel",
    "CubeLevels",
    "CubeTheory",
    "Explanation",
    "MarketLosers",
    "ModelView",
    "RaceCount",
    "RaceSide",
    "RaceTheory",
    "RollValue",
    "ScoreCell",
    "ScoreMap",
    "TemperatureMap",
    "Verdict",
    "cube_levels",
    "cube_theory",
    "explain",
    "market_losers",
    "race_counts",
    "race_theory",
    "reply_maps",
    "score_map",
    "temperature_map",
]
