"""Sixprime: what a backgammon position is worth, the best play or cube action, and where equity was lost.

Names are imported when first used, so `import sixprime` is fast and loads neither NumPy nor Numba.
"""

from __future__ import annotations

from sixprime._version import __version__ as __version__
from sixprime.lazy import names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch, Decision
    from sixprime.api import MatchReport, analyse, analyse_position, load_analysis, write
    from sixprime.cube.state import CubeState
    from sixprime.engine import Engine
    from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis
    from sixprime.engine.rollout_result import RolloutEstimate, RolloutResult
    from sixprime.engine.rollout_settings import PlayerSettings, RolloutSettings
    from sixprime.errors import (
        DataFileError,
        EngineError,
        IllegalPlayError,
        InvalidFileError,
        InvalidIdError,
        InvalidPlayError,
        InvalidPositionError,
        ParseError,
        RulesError,
        SettingsError,
        SixprimeError,
        StoppedError,
        UnreadableFileError,
    )
    from sixprime.formats import read, read_all
    from sixprime.game import MatchState, ParsedPosition, Play, Position, PositionStatus, parse, parse_play
    from sixprime.game.match_rules import Rules
    from sixprime.game.record import Action, ActionKind, Game, Match, Player, Problem
    from sixprime.game.table import Actions, Phase, Table
    from sixprime.paths import sample_match
    from sixprime.report.export.options import ExportOptions

_HOMES = {
    "analysis.model": ("AnalysedMatch", "Decision"),
    "api": ("MatchReport", "analyse", "analyse_position", "load_analysis", "write"),
    "cube.state": ("CubeState",),
    "engine": ("Engine",),
    "engine.results": ("CubeAnalysis", "Evaluation", "PlayAnalysis"),
    "engine.rollout_result": ("RolloutEstimate", "RolloutResult"),
    "engine.rollout_settings": ("PlayerSettings", "RolloutSettings"),
    "errors": (
        "DataFileError",
        "EngineError",
        "IllegalPlayError",
        "InvalidFileError",
        "InvalidIdError",
        "InvalidPlayError",
        "InvalidPositionError",
        "ParseError",
        "RulesError",
        "SettingsError",
        "SixprimeError",
        "StoppedError",
        "UnreadableFileError",
    ),
    "formats": ("read", "read_all"),
    "game": ("MatchState", "ParsedPosition", "Play", "Position", "PositionStatus", "parse", "parse_play"),
    "game.match_rules": ("Rules",),
    "game.record": ("Action", "ActionKind", "Game", "Match", "Player", "Problem"),
    "game.table": ("Actions", "Phase", "Table"),
    "paths": ("sample_match",),
    "report.export.options": ("ExportOptions",),
}

__all__ = [
    "Action",
    "ActionKind",
    "Actions",
    "AnalysedMatch",
    "CubeAnalysis",
    "CubeState",
    "DataFileError",
    "Decision",
    "Engine",
    "EngineError",
    "Evaluation",
    "ExportOptions",
    "Game",
    "IllegalPlayError",
    "InvalidFileError",
    "InvalidIdError",
    "InvalidPlayError",
    "InvalidPositionError",
    "Match",
    "MatchReport",
    "MatchState",
    "ParseError",
    "ParsedPosition",
    "Phase",
    "Play",
    "PlayAnalysis",
    "Player",
    "PlayerSettings",
    "Position",
    "PositionStatus",
    "Problem",
    "RolloutEstimate",
    "RolloutResult",
    "RolloutSettings",
    "Rules",
    "RulesError",
    "SettingsError",
    "SixprimeError",
    "StoppedError",
    "Table",
    "UnreadableFileError",
    "analyse",
    "analyse_position",
    "load_analysis",
    "parse",
    "parse_play",
    "read",
    "read_all",
    "sample_match",
    "write",
]

__getattr__ = names_of(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
