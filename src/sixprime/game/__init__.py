"""The rules of backgammon as frozen values: positions, plays, match states, IDs, the played record.

Nothing here evaluates anything or needs a kernel. A position is seen by the player on roll. A game in progress is
`table.Table`, with `acts` and `match_rules`.

>>> position, state, dice = parse("4HPwATDgc/ABMA:cIkMAAAAAAAA")
>>> play = parse_play("8/5 6/5", position, (3, 1))
>>> print(play, play.result.id)
8/5 6/5 sGfwATDgc/ABMA
"""

from __future__ import annotations

from sixprime.game.ids import ParsedPosition, encode_xgid, gnubg_id, parse
from sixprime.game.play import Play, WrittenStep, apply_steps, legal_plays_reference, parse_play, parse_steps
from sixprime.game.position import Position, PositionStatus
from sixprime.game.record import (
    Action,
    ActionKind,
    ForeignAnalysis,
    ForeignCube,
    ForeignPlay,
    Game,
    Match,
    Method,
    Player,
    Problem,
    Value,
)
from sixprime.game.rules import Step
from sixprime.game.state import MONEY, GameState, MatchState
from sixprime.game.variants import VARIANTS, Variant, get_variant

__all__ = [
    "MONEY",
    "VARIANTS",
    "Action",
    "ActionKind",
    "ForeignAnalysis",
    "ForeignCube",
    "ForeignPlay",
    "Game",
    "GameState",
    "Match",
    "MatchState",
    "Method",
    "ParsedPosition",
    "Play",
    "Player",
    "Position",
    "PositionStatus",
    "Problem",
    "Step",
    "Value",
    "Variant",
    "WrittenStep",
    "apply_steps",
    "encode_xgid",
    "get_variant",
    "gnubg_id",
    "legal_plays_reference",
    "parse",
    "parse_play",
    "parse_steps",
]
