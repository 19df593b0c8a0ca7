"""The databases an engine looks into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from sixprime.bearoff import shelf
from sixprime.bearoff._one_sided import OneSided, one_sided
from sixprime.bearoff._two_sided import TwoSided, two_sided
from sixprime.bearoff.names import ONE_SIDED, TWO_SIDED
from sixprime.checks import Instance, listed, refuse
from sixprime.errors import SettingsError

if TYPE_CHECKING:
    from sixprime.bearoff.hyper import Hyper

F = TypeVar("F", np.float32, np.float64)

FULL = 15
"""Chequers of a side."""
RACE_SIZES = ((12, 8), (18, 6))
"""Points and chequers of the one-sided databases that the kernels of races ask by themselves."""


def _find_hyper(chequers: int) -> Hyper | None:
    """That of the user's data folder, opened when a game of so few chequers is met."""
    from sixprime.bearoff import hyper

    return hyper.find(chequers)


@dataclass(frozen=True, slots=True, eq=False)
class Databases:
    """One-sided and two-sided databases, the largest that fits a position asked first.

    Attributes:
        one_sided: of 15 chequers, the one with the most points; it tells what is a bear-off and what a race.
        wider: one-sided databases of fewer chequers on more points.
        two_sided: the largest first.
        hyper: gives the database of hypergammon with 1 to 3 chequers, None where there is none.

    Raises SettingsError for what are no databases, for a first one of fewer chequers and for none that is two-sided.
    """

    one_sided: OneSided
    wider: tuple[OneSided, ...]
    two_sided: tuple[TwoSided, ...]
    hyper: Callable[[int], Hyper | None] = _find_hyper

    def __post_init__(self) -> None:
        Instance(OneSided)("one_sided", self.one_sided)
        if self.one_sided.chequers != FULL:
            found = f"{self.one_sided.chequers}x{self.one_sided.points}"
            raise SettingsError(f"one_sided must be a database of {FULL} chequers. Got {found} instead.")
        for name, kind in (("wider", OneSided), ("two_sided", TwoSided)):
            object.__setattr__(self, name, tuple(listed(name, getattr(self, name), kind)))
        if not self.two_sided:
            refuse("two_sided", "one database or more", self.two_sided)
        Instance(Callable, "a function")("hyper", self.hyper)  # type: ignore[arg-type]

    @classmethod
    def standard(cls) -> Databases:
        """15 chequers one-sided and 6 two-sided, both on 6 points; built on first use."""
        return cls(one_sided(6, FULL), (), (two_sided(6, 6),))

    @classmethod
    def found(cls) -> Databases:
        """The standard ones and all that lie whole in the user's data folder; damaged ones are logged."""
        shelf.look_anew()
        standard = cls.standard()
        sides = sorted(shelf.find(OneSided, ONE_SIDED, RACE_SIZES), key=lambda side: -side.points)
        widest = max([standard.one_sided, *(side for side in sides if side.chequers == FULL)], key=lambda s: s.points)
        pairs = sorted(
            {standard.two_sided[0], *shelf.find(TwoSided, TWO_SIDED)},
            key=lambda pair: (-len(pair.arrays.equities), -pair.points),
        )
        return cls(
            widest,
            tuple(side for side in sides if side.points > widest.points),
            tuple(
                pair
                for i, pair in enumerate(pairs)
                if not any(pair.points <= other.points and pair.chequers <= other.chequers for other in pairs[:i])
            ),
        )

    @property
    def beyond(self) -> bool:
        """Whether a database knows positions outside the points of `one_sided`, those within `RACE_SIZES` apart."""
        return _beyond(self)

    def hold(self, boards: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Whether a database knows each of the boards `int8[N, 32]`."""
        known = ~np.isnan(self.probabilities(boards)[:, 0])
        return np.asarray(known | ~np.isnan(self.equities(boards)[:, 0]))

    def equities(self, boards: NDArray[np.int8]) -> NDArray[np.float64]:
        """As `TwoSided.equities`."""
        return _first_known([pair.equities for pair in self.two_sided], boards)

    def probabilities(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """As `OneSided.probabilities`."""
        return _first_known([side.probabilities for side in (self.one_sided, *self.wider)], boards)


@lru_cache(maxsize=4)
def _beyond(databases: Databases) -> bool:
    wider = any(
        all(side.points > points or side.chequers > chequers for points, chequers in RACE_SIZES)
        for side in databases.wider
    )
    return wider or any(pair.points > databases.one_sided.points for pair in databases.two_sided)


def _first_known(look_ups: Sequence[Callable[[NDArray[np.int8]], NDArray[F]]], boards: NDArray[np.int8]) -> NDArray[F]:
    """Rows of the first look-up that knows each board; NaN where none does."""
    out = look_ups[0](boards)
    for look_up in look_ups[1:]:
        unknown = np.flatnonzero(np.isnan(out[:, 0]))
        if not len(unknown):
            break
        out[unknown] = look_up(boards[unknown])
    return out
