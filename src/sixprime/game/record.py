"""The played record: `Match` > `Game` > `Action`, all frozen values.

Players are numbered 0 and 1 (in `.mat` files the left column is player 0). Every action carries the
position and the state as they were just before it, seen by the player who acts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.state import MatchState


class ActionKind(StrEnum):
    """What a player did."""

    MOVE = "move"  # dice and a play; a play without steps is a dance
    ROLL = "roll"  # dice only: the game ended (resignation) before a play was made
    DOUBLE = "double"  # `value` is the offered cube
    BEAVER = "beaver"  # immediate redouble keeping the cube; also raccoons
    TAKE = "take"
    DROP = "drop"
    RESIGN = "resign"  # `value` is 1, 2 or 3: single, gammon, backgammon
    SET = "set"  # the position or cube was set by hand; `position` and `state` hold what was set


@dataclass(frozen=True, slots=True)
class Player:
    """Who played: `rating` and `experience` as the file gives them."""

    name: str
    rating: float | None = None
    experience: int | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """Something a reader found wrong in a file but could pass over. Lines and columns count from 1."""

    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        where = ":".join(str(part) for part in (self.path, self.line, self.column) if part is not None)
        return f"{where}: {self.message}" if where else self.message


@dataclass(frozen=True, slots=True)
class Action:
    """One thing a player did.

    position: before the action, `position.player` being `player`'s chequers.
    state: before the action (for a MOVE: with the dice), `state.on_roll` being `player`
           (for TAKE, DROP and BEAVER the player who answers: `state.doubled` is set and `state.cube`
           is still the old value).
    """

    kind: ActionKind
    player: int
    position: Position
    state: MatchState
    dice: tuple[int, int] | None = None
    play: Play | None = None
    value: int = 0
    illegal: bool = False
    comment: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Game:
    """One game: `score` is the match score at its start, `winner` None when it breaks off."""

    number: int
    score: tuple[int, int]
    crawford: bool
    actions: tuple[Action, ...]
    winner: int | None = None
    points: int = 0
    resigned: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """A match (`length` > 0) or a money session (`length` 0).

    tags: every tag of the file in its order, unknown ones too; `info` holds those with a common
    meaning under the keys event, round, place, date (yyyy-mm-dd), time, annotator, comment.
    problems: what the reader had to pass over; empty for a sound file.
    """

    players: tuple[Player, Player]
    length: int
    games: tuple[Game, ...]
    variant: str = "standard"
    crawford_rule: bool = True
    jacoby: bool = False
    beavers: int = 0
    cube_limit: int = 1024
    info: dict[str, str] = field(default_factory=dict)
    tags: tuple[tuple[str, str], ...] = ()
    problems: tuple[Problem, ...] = ()
    source: str = ""
    format: str = ""
