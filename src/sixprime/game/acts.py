"""Acts: what can be done at a `Table`. Players are 0 and 1.

Each is a small value to be made anywhere, by a seat, a page or a program far away; whether the rules allow it is for
the table to say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.state import MatchState

Dice = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Opening:
    """Both throw one die, `dice[p]` player p's. The higher begins and plays both; a tie is thrown again.

    Without dice it is only the wish for them; whoever throws them fills them in.
    """

    dice: Dice | None = None


@dataclass(frozen=True, slots=True)
class Roll:
    """The player rolls. Without dice it is only the wish to roll, as in `Opening`."""

    player: int
    dice: Dice | None = None


@dataclass(frozen=True, slots=True)
class Move:
    """The player plays the dice; where no chequer can move, with the one legal play, which has no steps."""

    player: int
    play: Play


@dataclass(frozen=True, slots=True)
class Double:
    """The player on roll doubles or redoubles."""

    player: int


@dataclass(frozen=True, slots=True)
class Beaver:
    """The player turns a double back, at twice its value. A beaver turned back is a raccoon, and so on."""

    player: int


@dataclass(frozen=True, slots=True)
class Take:
    """The player takes the cube at the value offered. The opponent of the one who doubled then owns it, even if it
    was turned back."""

    player: int


@dataclass(frozen=True, slots=True)
class Drop:
    """The player refuses the cube and loses the game at half the value offered."""

    player: int


@dataclass(frozen=True, slots=True)
class Resign:
    """The player, on roll or not, offers to lose `value` times the cube: 1, 2 (a gammon) or 3 (a backgammon).

    A gammon that is agreed on counts even where one played out would not, by Jacoby's rule.
    """

    player: int
    value: int


@dataclass(frozen=True, slots=True)
class Accept:
    """The player accepts an offer to resign and wins."""

    player: int


@dataclass(frozen=True, slots=True)
class Decline:
    """The player declines an offer to resign. Until something else is done, the next must be higher."""

    player: int


@dataclass(frozen=True, slots=True)
class NextGame:
    """The next game of the match or session begins."""


@dataclass(frozen=True, slots=True)
class Set:
    """Position, turn, dice, cube, score or Crawford game are set by hand; whatever was offered is forgotten.

    position: seen by `state.on_roll`. state: the table's own with what is to be changed.
    """

    position: Position
    state: MatchState


Act: TypeAlias = Opening | Roll | Move | Double | Beaver | Take | Drop | Resign | Accept | Decline | NextGame | Set
