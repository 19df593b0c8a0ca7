"""What lies behind a decision: cube models side by side, market windows, gammon values, race counts.

In go an `Engine` and a position with its match state; out come frozen values that reports show. The rule kept here:
nothing is drawn or printed.
"""

from __future__ import annotations

from sixprime.theory.cube import CubeCurves, CubeTheory, ModelView, cube_theory
from sixprime.theory.race import RaceSide, RaceTheory, race_counts, race_theory
from sixprime.theory.race_counts import RaceCount, Verdict

__all__ = [
    "CubeCurves",
    "CubeTheory",
    "ModelView",
    "RaceCount",
    "RaceSide",
    "RaceTheory",
    "Verdict",
    "cube_theory",
    "race_counts",
    "race_theory",
]
