"""Move filters: which candidate plays are searched deeper.

A filter of an n-ply search says for every ply below n how many of the best plays go on: `accept` of them in
any case and up to `extra` more whose equity is within `threshold` of the best. Where a single play is left, which
`accept` did not ask for, nothing is left to decide and the search of that decision ends.
Numbers: GNU Backgammon's five sets (to 1.08), which skip every other ply, its two of 2025, which skip none, and our
own "selective" and "large-selective", which search on only where that can change the choice
(`benchmarks/frontier.py`).

How far a play's distance to the best moves from one ply to the next is roughly as far as it moved the last time. So a
level may widen its threshold for each play by `moved` times that distance.

As text a set is its name, or its levels: "0+8@.16/-/0+2@.04" keeps up to 8 plays within .16 after judging at 0 plies,
skips 1 ply, keeps up to 2 within .04 after judging at 2 plies; "0+5@.02~1" widens .02 by what has moved. A search uses
as many levels as it has plies; semicolons part levels for searches of 1, 2, ... plies that have little in common.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime.checks import TEXT, Fields, Real, Whole, listed, shown
from sixprime.errors import SettingsError

MAX_PLIES = 4
"""How far a search looks ahead at most."""
_MOST = 9999
"""More plays than any roll has."""


_LEVEL_FIELDS = Fields(accept=Whole(-1, _MOST), extra=Whole(0, _MOST), threshold=Real(0, 1000), moved=Real(0, 1000))


@dataclass(frozen=True, slots=True)
class Level:
    """One ply of a filter; `accept` -1 skips this ply. Raises `SettingsError` for a value out of range."""

    accept: int
    extra: int
    threshold: float
    moved: float = 0.0

    def __post_init__(self) -> None:
        _LEVEL_FIELDS(self)
        # Equal levels are written alike.
        object.__setattr__(self, "threshold", abs(float(self.threshold)))
        object.__setattr__(self, "moved", abs(float(self.moved)))

    def __str__(self) -> str:
        if self.skipped:
            return "-"
        moved = f"~{_plain_number(self.moved)}" if self.moved else ""
        return f"{self.accept}+{self.extra}@{_plain_number(self.threshold)}{moved}"

    @property
    def skipped(self) -> bool:
        """Whether nothing is judged and dropped at this ply."""
        return self.accept < 0

    def survivors(self, equities: NDArray[np.float64]) -> int:
        """How many of `equities`, float64[N] in falling order, go on."""
        if self.skipped:
            return len(equities)
        near = int(np.count_nonzero(equities >= equities[0] - self.threshold))
        return min(len(equities), max(self.accept, 1, min(near, self.accept + self.extra)))

    def kept(self, equities: NDArray[np.float64], before: NDArray[np.float64]) -> NDArray[np.int64]:
        """Indices of the `equities` that go on, the best first. before: what they were when they were judged last."""
        if self.skipped or not self.moved:
            return np.arange(self.survivors(equities))
        shifts = equities - before
        reach = equities + self.moved * np.abs(shifts - shifts[0])
        order = np.concatenate(([0], 1 + np.argsort(-reach[1:], kind="stable")))
        return order[: self.survivors(reach[order])]


SKIP = Level(-1, 0, 0.0)


@dataclass(frozen=True, slots=True)
class MoveFilter:
    """A named filter. depths: for searches of 1, 2, ... plies the levels after judging at 0, 1, ... plies.

    Raises `SettingsError` when the search of n plies has more than n levels, or there are more than `MAX_PLIES` of
    them. Levels that are missing are skipped.
    """

    name: str
    depths: tuple[tuple[Level, ...], ...]

    def __post_init__(self) -> None:
        TEXT("name", self.name)
        depths = [listed("depths", levels, Level, "a level") for levels in listed("depths", self.depths, tuple)]
        if len(depths) > MAX_PLIES:
            raise SettingsError(f"filter {self.name}: a search looks {MAX_PLIES} plies ahead at most.")
        for plies, levels in enumerate(self.depths, 1):
            if len(levels) > plies:
                raise SettingsError(f"filter {self.name}: {len(levels)} levels for searches of {plies}-ply.")

    @property
    def text(self) -> str:
        """What `get_filter` makes such a filter of: a name that is known, or the levels. The same for equal filters."""
        own = self._plain()
        for name, known in FILTERS.items():
            if known._plain() == own:
                return name
        parts = ["/".join(map(str, levels)) or "-" for levels in own]
        if own == _for_all_plies(own[-1]):
            return parts[-1]
        while len(parts) > 2 and parts[-1] == "-":
            del parts[-1]
        return ";".join(parts)

    def _plain(self) -> tuple[tuple[Level, ...], ...]:
        """The levels for searches of 1 to `MAX_PLIES` plies without what is skipped at their ends."""
        found = (self.depths[n] if n < len(self.depths) else () for n in range(MAX_PLIES))
        return tuple(_stripped(levels) for levels in found)

    @classmethod
    def alternating(cls, name: str, first: Level, second: Level) -> MoveFilter:
        """Filters at 0 and at 2 plies, so that odd plies, which see things otherwise, are never compared."""
        return cls(name, ((first,), (first,), (first, SKIP, second), (first, SKIP, second)))

    def level(self, ply: int, plies: int) -> Level | None:
        """What is kept after judging at `ply` in a search of `plies`; None when this ply is skipped."""
        if not 1 <= plies <= len(self.depths) or ply >= len(self.depths[plies - 1]):
            return None
        level = self.depths[plies - 1][ply]
        return None if level.skipped else level


def _every(name: str, *depths: tuple[tuple[int, float], ...]) -> MoveFilter:
    return MoveFilter(name, tuple(tuple(Level(0, extra, near) for extra, near in levels) for levels in depths))


def _stripped(levels: tuple[Level, ...]) -> tuple[Level, ...]:
    while levels and levels[-1].skipped:
        levels = levels[:-1]
    return levels


def _for_all_plies(levels: tuple[Level, ...]) -> tuple[tuple[Level, ...], ...]:
    """For searches of 1 to `MAX_PLIES` plies as many of the levels as they have plies."""
    return tuple(_stripped(levels[:plies]) for plies in range(1, MAX_PLIES + 1))


def _selective(name: str, *levels: Level) -> MoveFilter:
    """Ours: what is kept after judging at 0, 1 and 2 plies."""
    return MoveFilter(name, _for_all_plies((*levels, Level(0, 2, 0.002, 0.5))))


_SETS = {
    "tiny": (5, 0.08, 2, 0.02),
    "narrow": (8, 0.12, 2, 0.03),
    "normal": (8, 0.16, 2, 0.04),
    "large": (16, 0.32, 4, 0.08),
    "huge": (20, 0.44, 6, 0.11),
}
FILTERS = {
    name: MoveFilter.alternating(name, Level(0, a, b), Level(0, c, d)) for name, (a, b, c, d) in _SETS.items()
} | {
    "normal-2025": _every(
        "normal-2025",
        ((12, 0.24),),
        ((12, 0.24), (6, 0.12)),
        ((16, 0.32), (8, 0.16), (4, 0.06)),
        ((16, 0.32), (12, 0.16), (6, 0.08), (4, 0.06)),
    ),
    "large-2025": _every(
        "large-2025",
        ((16, 0.32),),
        ((16, 0.32), (8, 0.16)),
        ((24, 0.40), (12, 0.20), (6, 0.08)),
        ((32, 0.40), (16, 0.20), (8, 0.10), (6, 0.08)),
    ),
    "selective": _selective("selective", Level(0, 8, 0.12), Level(0, 5, 0.02, 1), Level(0, 4, 0.005, 0.5)),
    "large-selective": _selective("large-selective", Level(0, 10, 0.16), Level(0, 6, 0.04, 1), Level(0, 3, 0.005, 0.5)),
}
"""Tiny, Narrow, Normal, Large and Huge by their lower-case names, the two newer sets, and our own."""


def _plain_number(number: float) -> str:
    return str(number).removesuffix(".0")


def get_filter(name: str | MoveFilter) -> MoveFilter:
    """The filter of that name or with those levels (see above). Raises `SettingsError` for another text."""
    if isinstance(name, MoveFilter):
        return name
    text = name.strip().lower() if isinstance(name, str) else ""
    return FILTERS.get(text) or _parse(text, name)


_LEVEL = re.compile(r"(\d+)\+(\d+)@([\d.]+(?:e-\d+)?)(?:~([\d.]+(?:e-\d+)?))?", re.ASCII)


def _parse(text: str, given: object) -> MoveFilter:
    sets = [tuple(_level(word.strip(), given) for word in part.split("/")) for part in text.split(";")]
    if len(sets) > 1:
        return MoveFilter(text, tuple(sets))
    if len(sets[0]) > MAX_PLIES:
        raise SettingsError(f"filter {text}: a search looks {MAX_PLIES} plies ahead at most.")
    return MoveFilter(text, _for_all_plies(sets[0]))


def _level(word: str, given: object) -> Level:
    if word == "-":
        return SKIP
    match = _LEVEL.fullmatch(word)
    try:
        if match is not None:
            return Level(int(match[1]), int(match[2]), float(match[3]), float(match[4] or 0))
    except ValueError:
        pass
    raise SettingsError(
        f"filter must be one of {', '.join(FILTERS)}, or levels such as 0+8@.16/-/0+2@.04~1. "
        f"Got {shown(given)} instead."
    )
