"""Search: from positions and cube states to judgements, in batches, at any ply.

In go positions, dice and match states; out come `Evaluation`, `PlayAnalysis` and `CubeAnalysis`. The rule
kept here: no files, no reports, and the same answer for any number of threads and any chunking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime.lazy import names_of

if TYPE_CHECKING:
    from sixprime.engine.engine import Engine
    from sixprime.engine.filters import FILTERS, MoveFilter
    from sixprime.engine.judge import Judge, PlayRequest
    from sixprime.engine.presets import PRESETS, Preset
    from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis
    from sixprime.engine.rollout_result import RolloutEstimate, RolloutResult
    from sixprime.engine.rollout_settings import PlayerSettings, RolloutSettings

# Loaded when asked for, so that settings can be checked without Numba.
_HOMES = {
    "engine": ("Engine",),
    "filters": ("FILTERS", "MoveFilter"),
    "judge": ("Judge", "PlayRequest"),
    "presets": ("PRESETS", "Preset"),
    "results": ("CubeAnalysis", "Evaluation", "PlayAnalysis"),
    "rollout_result": ("RolloutEstimate", "RolloutResult"),
    "rollout_settings": ("PlayerSettings", "RolloutSettings"),
}

__all__ = [
    "FILTERS",
    "PRESETS",
    "CubeAnalysis",
    "Engine",
    "Evaluation",
    "Judge",
    "MoveFilter",
    "PlayAnalysis",
    "PlayRequest",
    "PlayerSettings",
    "Preset",
    "RolloutEstimate",
    "RolloutResult",
    "RolloutSettings",
]

__getattr__ = names_of(__name__, _HOMES)
