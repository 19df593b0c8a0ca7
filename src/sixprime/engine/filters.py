"""Move filters: which candidate plays are searched deeper.

A filter of an n-ply search says for every ply below n how many of the best plays go on: `accept` of them in
any case and up to `extra` more whose equity is within `threshold` of the best.
Numbers: GNU Backgammon's five sets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Level:
    """One ply of a filter; `accept` -1 skips this ply."""

    accept: int
    extra: int
    threshold: float

    def survivors(self, equities: NDArray[np.float64]) -> int:
        """How many of `equities`, float64[N] in falling order, go on."""
        if self.accept < 0:
            return len(equities)
        near = int(np.count_nonzero(equities >= equities[0] - self.threshold))
        return min(len(equities), max(self.accept, 1, min(near, self.accept + self.extra)))


@dataclass(frozen=True, slots=True)
class MoveFilter:
    """A named filter: the level at 0 plies and the level at 2 plies of deeper searches."""

    name: str
    first: Level
    second: Level

    def level(self, ply: int, plies: int) -> Level | None:
        """What is kept after judging at `ply` in a search of `plies`; None when this ply is skipped."""
        if ply == 0 and plies > 0:
            return self.first
        if ply == 2 and plies > 2:
            return self.second
        return None


_SETS = {
    "tiny": (5, 0.08, 2, 0.02),
    "narrow": (8, 0.12, 2, 0.03),
    "normal": (8, 0.16, 2, 0.04),
    "large": (16, 0.32, 4, 0.08),
    "huge": (20, 0.44, 6, 0.11),
}
FILTERS = {name: MoveFilter(name, Level(0, a, b), Level(0, c, d)) for name, (a, b, c, d) in _SETS.items()}
"""Tiny, Narrow, Normal, Large and Huge by their lower-case names."""


def get_filter(name: str | MoveFilter) -> MoveFilter:
    """The filter of that name. Raises `SettingsError` for an unknown one."""
    if isinstance(name, MoveFilter):
        return name
    if name.lower() not in FILTERS:
        raise SettingsError(f"filter must be one of {', '.join(FILTERS)}. Got {name!r} instead.")
    return FILTERS[name.lower()]
