"""What holds for a whole match or money session, and how its games make a score.

`Rules` is chosen before the first game; the functions judge one situation, a `MatchState`. A function called
`against_...` yields what the rules say against an act, one called `why_no_...` gives the first of it in words, None
where the rules allow it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from sixprime.checks import FLAG, Fields, Instance, Whole
from sixprime.game.position import Position
from sixprime.game.record import MATCH, Match, Player
from sixprime.game.state import GameState, MatchState, at_match_point
from sixprime.game.variants import get_variant

LONGEST_MATCH, MOST_BEAVERS = 999, 15
LARGEST_PLAYED_CUBE = 1 << 15
"""The largest value that a match ID can hold, far more than any game needs."""


def is_cube(value: int, largest: int = LARGEST_PLAYED_CUBE) -> bool:
    """Whether a cube can show this: a power of two up to the largest."""
    return 1 <= value <= largest and value & (value - 1) == 0


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a match (`length` > 0) or money session (`length` 0).

    variant: a name of `variants.VARIANTS`. cube_limit: the largest value the cube may take, 1 for play without cube.
    crawford_rule: match play only. Money play only, and always off in a match: jacoby (gammons count after a double
    only), beavers (how many times a double may be turned back: 1 allows a beaver, 2 a raccoon too, ...),
    automatic_doubles (how many ties on the opening roll double the cube).
    Raises SettingsError for values out of range.
    """

    length: int = 0
    variant: str = "standard"
    crawford_rule: bool = True
    jacoby: bool = True
    beavers: int = 3
    automatic_doubles: int = 0
    cube_limit: int = 1024

    def __post_init__(self) -> None:
        get_variant(self.variant)
        _RULES(self)
        if self.length:
            # One value for one set of rules, as in `MatchState`.
            for name, off in (("jacoby", False), ("beavers", 0), ("automatic_doubles", 0)):
                object.__setattr__(self, name, off)

    @classmethod
    def of(cls, match: Match) -> Rules:
        """The rules of a recorded match; as many automatic doubles as its games had. Raises SettingsError."""
        MATCH("match", match)
        ties = max((game.cube.bit_length() - 1 for game in match.games), default=0)
        return cls(
            match.length, match.variant, match.crawford_rule, match.jacoby, match.beavers, ties, match.cube_limit
        )

    def match(self, players: tuple[Player, Player]) -> Match:
        """A match by these rules in which nothing has happened."""
        return Match(
            players, self.length, (), self.variant, self.crawford_rule, self.jacoby, self.beavers, self.cube_limit
        )

    @property
    def stated(self) -> dict[str, Any]:
        """What the states and the record of a match have of its rules."""
        return {name: getattr(self, name) for name in ("length", "jacoby", "beavers", "cube_limit")}

    def new_game(self, score: tuple[int, int], crawford: bool) -> MatchState:
        """The state before the opening roll of a game; `on_roll` means nothing yet."""
        return MatchState(score=score, on_roll=0, crawford=crawford, game_state=GameState.NONE, **self.stated)

    def over(self, score: tuple[int, int]) -> bool:
        """Whether somebody has won the match."""
        return match_over(self.length, score)

    def at_match_point(self, score: tuple[int, int]) -> bool:
        """Whether exactly one player needs a single point."""
        return at_match_point(self.length, score)

    def crawford_game(self, score: tuple[int, int], before: tuple[int, int] | None = None) -> bool:
        """Whether a game that starts at `score` is the Crawford game; before: the score of the game before it."""
        return self.crawford_rule and self.at_match_point(score) and (before is None or self.length - 1 not in before)


RULES = Instance(Rules)
_RULES = Fields(
    length=Whole(0, LONGEST_MATCH),
    crawford_rule=FLAG,
    jacoby=FLAG,
    beavers=Whole(0, MOST_BEAVERS),
    automatic_doubles=Whole(0, 15),
    cube_limit=Whole(1, LARGEST_PLAYED_CUBE),
)


def match_over(length: int, score: tuple[int, int]) -> bool:
    """Whether somebody has won a match to `length` points; a money session goes on for ever."""
    return 0 < length <= max(score)


def scored(score: tuple[int, int], winner: int, won: int) -> tuple[int, int]:
    """The score after a game."""
    return (score[0], score[1] + won) if winner else (score[0] + won, score[1])


def points(state: MatchState, result: int) -> int:
    """What a game borne off to the end counts; result: 1 single, 2 gammon, 3 backgammon.

    By Jacoby's rule gammons count only once the cube was turned. A match may be won with points to spare.
    """
    return state.cube if state.jacoby and state.cube_owner is None else state.cube * result


def quiet(state: MatchState) -> MatchState:
    """The same with the game going on and nothing offered; the board stays as it is seen."""
    playing = GameState.PLAYING
    return replace(state, turn=None, doubled=False, beavered=0, resigned=0, game_state=playing)


class Against(Enum):
    """What speaks against turning the cube; the value says it in words, once the fields of the state are filled in."""

    NO_CUBE = "the game is played without cube"
    CRAWFORD = "this is the Crawford game"
    OWNED = "the opponent owns the cube"
    LIMIT = "the cube cannot go above {0.cube_limit}"
    DEAD = "the cube is dead, at {0.cube} it wins the match"
    MATCH = "there are no beavers in a match"
    BEAVERS = "beavers allowed after a double: {0.beavers}"

    def said(self, state: MatchState) -> str:
        """The reason in words."""
        return self.value.format(state)


def against_double(state: MatchState) -> Iterator[Against]:
    """What the player on roll may not double for. As in GNU Backgammon, a cube that is dead for him is not turned."""
    if state.cube_limit == 1:
        yield Against.NO_CUBE
    if state.crawford:
        yield Against.CRAWFORD
    if state.cube_owner == 1 - state.on_roll:
        yield Against.OWNED
    if 2 * state.cube > state.cube_limit:
        yield Against.LIMIT
    if state.length and state.cube >= state.away(state.on_roll):
        yield Against.DEAD


def against_beaver(state: MatchState, offered: int) -> Iterator[Against]:
    """What a double that offers the cube at `offered` may not be turned back for."""
    if state.length:
        yield Against.MATCH
    if offered // state.cube >= 2 << state.beavers:
        yield Against.BEAVERS
    if 2 * offered > state.cube_limit:
        yield Against.LIMIT


def why_no_double(state: MatchState) -> str | None:
    """Why the player on roll may not double."""
    return next((reason.said(state) for reason in against_double(state)), None)


def why_no_beaver(state: MatchState, offered: int) -> str | None:
    """Why a double that offers the cube at `offered` may not be turned back."""
    return next((reason.said(state) for reason in against_beaver(state, offered)), None)


def why_not_set(rules: Rules, position: Position, state: MatchState, names: tuple[str, str]) -> str | None:
    """Why a position and state cannot be set by hand in a game played by `rules`. names: of the players."""
    if position.chequers != get_variant(rules.variant).chequers:
        return f"{rules.variant} has {get_variant(rules.variant).chequers} chequers a side, not {position.chequers}"
    if not position.is_valid:
        return position.fault
    if position.winner is not None:
        return "one side has borne off all its chequers"
    for name, own in rules.stated.items():
        if getattr(state, name) != own:
            return f"{name} is {own} by the rules of the match, not {getattr(state, name)}"
    if state.cube > rules.cube_limit:
        return f"the cube cannot go above {rules.cube_limit}"
    for name, own in zip(names, state.score, strict=True):
        if own < 0 or rules.over((own, own)):
            match = f"a match to {rules.length} that goes on" if rules.length else "a session"
            return f"{name} cannot have {own} points in {match}"
    if state.crawford and not (rules.crawford_rule and rules.at_match_point(state.score) and state.cube == 1):
        return "the Crawford game needs the Crawford rule, one player at match point and a cube of 1"
    return None
