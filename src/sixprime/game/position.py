"""`Position`: the chequers of both sides, seen by the player on roll."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntFlag, auto
from numbers import Integral
from operator import index, mul
from typing import TYPE_CHECKING

from sixprime.checks import Instance, Whole, shown
from sixprime.errors import InvalidPositionError
from sixprime.game import codes
from sixprime.game.diagram import draw
from sixprime.game.variants import BAR as BAR
from sixprime.game.variants import get_variant
from sixprime.lazy import drawn_by

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sixprime.game.play import Play


_CHEQUERS = Whole(0, 1 << 30)


def _plain_side(side: object) -> tuple[int, ...]:
    """The counts in Python's own numbers. Raises InvalidPositionError."""
    if not isinstance(side, tuple) or len(side) != 25:
        raise InvalidPositionError(
            "a position needs a tuple of 25 counts for each side (24 points and the bar). "
            f"Got {shown(side) if not isinstance(side, tuple) else len(side)} instead."
        )
    for count in side:
        if not isinstance(count, Integral):
            raise InvalidPositionError(f"a count of chequers is a whole number. Got {shown(count)} instead.")
    return tuple(map(index, side))


class PositionStatus(IntFlag):
    """Every reason why a position is impossible; `VALID` when there is none."""

    VALID = 0
    NEGATIVE_COUNT = auto()
    TOO_MANY_CHEQUERS = auto()  # more than the game has
    SHARED_POINT = auto()  # both sides on one point
    BOTH_CLOSED_OUT = auto()  # both on the bar against closed boards: nobody can ever move
    BOTH_OFF = auto()  # both sides have borne off everything

    @property
    def text(self) -> str:
        """What is wrong, in words; empty when nothing is."""
        return ", ".join(text for reason, text in _REASONS.items() if reason in self)


_REASONS = {
    PositionStatus.NEGATIVE_COUNT: "a point holds fewer than no chequers",
    PositionStatus.TOO_MANY_CHEQUERS: "a side has more chequers than the game",
    PositionStatus.SHARED_POINT: "both sides have chequers on one point",
    PositionStatus.BOTH_CLOSED_OUT: "both sides are on the bar against closed boards",
    PositionStatus.BOTH_OFF: "both sides have borne off everything",
}


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """Chequers of both sides, seen by the player on roll. Impossible positions can be held; `status` judges.

    opponent, player: 25 counts each; index 0..23 is that side's own ace point to 24 point, 24 the bar.
    chequers: how many each side has in this game (15; hypergammon 1 to 3); those missing are borne off.
    Raises InvalidPositionError unless each side is a tuple of 25 whole numbers, SettingsError for a number of chequers
    that is none.
    """

    opponent: tuple[int, ...]
    player: tuple[int, ...]
    chequers: int = 15

    def __post_init__(self) -> None:
        for name in ("opponent", "player"):
            side = getattr(self, name)
            # Bytes below 128 are all that a possible position has, and quickly looked at. A sum with a number of NumPy
            # is one.
            try:
                sound = type(side) is tuple and len(side) == 25 and type(sum(side)) is int and bytes(side).isascii()
            except (TypeError, ValueError):
                sound = False
            if not sound:
                object.__setattr__(self, name, _plain_side(side))
        _CHEQUERS("chequers", self.chequers)

    @classmethod
    def start(cls, variant: str = "standard") -> Position:
        """The starting position of "standard", "nackgammon" or "hypergammon1" to "hypergammon3"."""
        game = get_variant(variant)
        return cls(game.start, game.start, game.chequers)

    @classmethod
    def from_id(cls, text: str, chequers: int = 15) -> Position:
        """The position of a 14-character position ID such as "4HPwATDgc/ABMA". Raises InvalidIdError."""
        return cls(*codes.decode_position_id(text), chequers)

    @classmethod
    def from_board(cls, board: NDArray[np.int8] | Sequence[Sequence[int]], chequers: int = 15) -> Position:
        """The position of a board `int8[2, 25]`: row 0 the opponent, row 1 the player on roll.

        Raises InvalidPositionError for another shape, SettingsError for the number of chequers.
        """
        try:
            opponent, player = board
            sides = tuple(map(index, opponent)), tuple(map(index, player))
        except (TypeError, ValueError):
            raise InvalidPositionError(f"a board is 2 rows of 25 whole numbers. Got {shown(board)} instead.") from None
        return cls(*sides, chequers)

    @property
    def id(self) -> str:
        """The position ID. Raises InvalidPositionError when the chequers do not fit into one."""
        return codes.encode_position_id(self.opponent, self.player)

    @property
    def board(self) -> NDArray[np.int8]:
        """A new array `int8[2, 25]`: row 0 the opponent, row 1 the player on roll.

        Raises InvalidPositionError for counts that are no possible ones.
        """
        import numpy as np

        try:
            return np.array((self.opponent, self.player), dtype=np.int8)
        except OverflowError:
            raise InvalidPositionError(f"{self!r} has more chequers on a point than a board holds") from None

    def swapped(self) -> Position:
        """The same chequers with the other side on roll."""
        return Position(self.player, self.opponent, self.chequers)

    @property
    def pips(self) -> tuple[int, int]:
        """Pip counts of the player on roll and of the opponent."""
        return (
            sum(point * count for point, count in enumerate(self.player, 1)),
            sum(point * count for point, count in enumerate(self.opponent, 1)),
        )

    @property
    def off(self) -> tuple[int, int]:
        """Chequers borne off by the player on roll and by the opponent."""
        return self.chequers - sum(self.player), self.chequers - sum(self.opponent)

    def status(self) -> PositionStatus:
        """Everything that is impossible about the position."""
        status = PositionStatus.VALID
        if min(self.player) < 0 or min(self.opponent) < 0:
            status |= PositionStatus.NEGATIVE_COUNT
        if min(self.off) < 0:
            status |= PositionStatus.TOO_MANY_CHEQUERS
        if any(map(mul, self.player[:BAR], self.opponent[BAR - 1 :: -1])):
            status |= PositionStatus.SHARED_POINT
        if all(side[BAR] > 0 and min(side[:6]) > 1 for side in (self.player, self.opponent)):
            status |= PositionStatus.BOTH_CLOSED_OUT
        if not any(self.player) and not any(self.opponent):
            status |= PositionStatus.BOTH_OFF
        return status

    @property
    def fault(self) -> str:
        """What is impossible about the position, in words; empty when nothing is."""
        status = self.status()
        most = max(sum(self.player), sum(self.opponent))
        counted = f"a side has {most} chequers, more than the {self.chequers} of the game"
        return status.text.replace(_REASONS[PositionStatus.TOO_MANY_CHEQUERS], counted)

    def check(self) -> None:
        """Raises InvalidPositionError, which says in words what is impossible about the position."""
        if fault := self.fault:
            raise InvalidPositionError(f"impossible position: {fault}")

    @property
    def is_valid(self) -> bool:
        """Whether the position is possible."""
        return not self.status()

    @property
    def winner(self) -> int | None:
        """Who has borne off everything: 1 the player on roll, 0 the opponent, None nobody."""
        if not any(self.opponent):
            return 0
        return None if any(self.player) else 1

    def check_unfinished(self, so: str) -> None:
        """Raises InvalidPositionError when the game is over; so: what that means for who asks."""
        if self.winner is not None:
            self.check()
            raise InvalidPositionError(f"the game is over in {self.id}; {so}")

    @property
    def result(self) -> int:
        """Points on a centred cube of 1 that `winner` has won: 1, 2 (gammon), 3 (backgammon); 0 while playing."""
        winner = self.winner
        if winner is None:
            return 0
        loser = self.opponent if winner else self.player
        if sum(loser) < self.chequers:
            return 1
        return 3 if any(loser[18:]) else 2

    def plays(self, dice: tuple[int, int]) -> list[Play]:
        """Every legal play once; empty when no chequer can move. The order of the dice does not matter.

        Raises SettingsError for dice outside 1..6.
        """
        from sixprime.game.play import legal_plays_reference

        return legal_plays_reference(self, dice)

    _repr_svg_ = drawn_by("board")

    def diagram(self) -> str:
        """The board drawn with letters: X is the player on roll, moving from 24 to 1, O the opponent."""
        return draw(self)

    def __str__(self) -> str:
        return self.diagram()

    def __repr__(self) -> str:
        extra = "" if self.chequers == 15 else f", chequers={self.chequers}"
        try:
            return f"Position.from_id({self.id!r}{extra})"
        except InvalidPositionError:
            return f"Position({self.opponent!r}, {self.player!r}{extra})"


POSITION = Instance(Position)
