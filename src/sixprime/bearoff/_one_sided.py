"""One-sided databases: the distribution of the number of rolls one side needs to bear off."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime.bearoff import builder, file, shelf
from sixprime.bearoff.builder import Scratch
from sixprime.bearoff.names import ONE_SIDED
from sixprime.bearoff.side import Side, pip_count
from sixprime.checks import array, refuse
from sixprime.frozen import frozen
from sixprime.kernels import bearoff_build as build
from sixprime.kernels.bearoff import ONE, PADDING, ROLLS, OneSidedArrays, os_probabilities_many, os_span, os_survival
from sixprime.progress import NOBODY, Watch

_ROUNDING = 1e-4
"""That chances of single precision, or of few digits, may add up to more than 1."""


@dataclass(frozen=True, slots=True, eq=False)
class OneSided:
    """A database of all lists of at most `chequers` chequers on points 1 to `points`.

    `arrays` go into the functions of `kernels.bearoff`. Distributions end at 63 rolls; to the stored
    precision 15 chequers need at most 18 of them on 6 points and 25 on 9. Raises SettingsError for arrays of another
    size, and for spans that lead outside the values.
    """

    points: int
    chequers: int
    arrays: OneSidedArrays

    def __post_init__(self) -> None:
        shelf.check_sized(self, OneSidedArrays, spans=(shelf.LISTS,), values=(None,))
        size = len(self.arrays.values)

        def inside(spans: NDArray[np.int64]) -> NDArray[np.bool_]:
            return np.asarray(os_span.py_func(spans, False)[0] <= size - PADDING)

        shelf.check_values("arrays.spans", self.arrays.spans, inside, f"places within {size} values")

    @classmethod
    def build(
        cls,
        points: int,
        chequers: int,
        *,
        threads: int | None = None,
        watch: Watch = NOBODY,
        scratch: Scratch | None = None,
    ) -> OneSided:
        """Computes the database, in memory unless a scratch is given, on all cores unless told otherwise.

        Raises SettingsError, also when memory does not suffice.
        """
        shelf.check(points, chequers)
        if scratch is None:
            shelf.check_memory(sum(builder.one_sided_bytes(points, chequers)))
        arrays = builder.one_sided(points, chequers, scratch or Scratch(), threads or os.cpu_count() or 1, watch)
        return cls(points, chequers, arrays)

    @classmethod
    def open(cls, path: Path, points: int, chequers: int, *, verify: bool = False) -> OneSided:
        """Maps a file into memory; `verify` checks even a large one in full.

        Raises FileNotFoundError, SettingsError, and DataFileError when the file cannot be used.
        """
        shelf.check(points, chequers)
        _, shape = file.header(path).arrays.get("values", ("", (0,)))
        found = file.read(path, _content(points, chequers, shape[0]), verify=verify)
        with file.sound(path):
            return cls(points, chequers, OneSidedArrays(build.rank_table(points, chequers), **found))

    def save(self, path: Path) -> None:
        """Writes the database, whole or not at all. Raises OSError."""
        content = _content(self.points, self.chequers, len(self.arrays.values))
        file.write(path, content, {"spans": self.arrays.spans, "values": self.arrays.values})

    def index(self, counts: Sequence[int]) -> int:
        """Row of a list of counts, ace point first. Raises InvalidPositionError outside the database."""
        return shelf.index(counts, self.arrays.ranks)

    def side(self, counts: Sequence[int]) -> Side:
        """Everything known about a side, such as `position.player`. Raises InvalidPositionError outside."""
        row = np.array([self.index(counts)])
        off, first = (exactly(self.survival(row, gammon=gammon))[0] / ONE for gammon in (False, True))
        rolls = np.arange(ROLLS)
        mean = float(off @ rolls)
        return Side(pip_count(counts), mean, float(off @ (rolls - mean) ** 2), frozen(off), frozen(first))

    def survival(self, rows: NDArray[np.int64], *, gammon: bool = False) -> NDArray[np.uint16]:
        """Chances, in 65535ths, that after k rolls not all chequers of a list are off, or none with `gammon`.

        rows: `int64[N]`, numbers of lists. Returns `uint16[N, 64]`. Raises SettingsError for what is no such number.
        """
        rows = array("rows", rows, np.int64, None)
        if len(rows) and not 0 <= rows.min() <= rows.max() < len(self.arrays.spans):
            refuse("rows", f"numbers of lists, 0 to {len(self.arrays.spans) - 1}", rows)
        out = np.empty((len(rows), ROLLS), dtype=np.uint16)
        os_survival(self.arrays, rows, gammon, out)
        return out

    def probabilities(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """Outcomes of races for the player on roll.

        boards: `int8[N, 32]` packed. Returns `float32[N, 5]` as everywhere; NaN outside the database.
        Raises SettingsError for another shape.
        """
        boards = shelf.packed(boards)
        out = np.empty((len(boards), 5), dtype=np.float32)
        os_probabilities_many(boards, self.arrays, out)
        return out


def _content(points: int, chequers: int, values: int) -> file.Content:
    size = build.position_count(points, chequers)
    return file.Content(ONE_SIDED, points, chequers, {"spans": ("<i8", (size,)), "values": ("<u2", (values,))})


def exactly(survival: NDArray[np.uint16]) -> NDArray[np.int64]:
    """Chances of exactly k rolls from those of more than k, in 65535ths."""
    before = np.insert(survival[..., :-1], 0, ONE, axis=-1)
    return before.astype(np.int64) - survival


def race(
    player: NDArray[np.float64],
    opponent: NDArray[np.float64],
    player_first: NDArray[np.float64] | None = None,
    opponent_first: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Outcomes of races from distributions of any origin, for the player on roll.

    player, opponent: `float64[..., K]`, chance to be off in exactly k rolls. player_first, opponent_first:
    the same for the first chequer, None for a side that has one off. They broadcast.
    Returns `float64[..., 5]`; nobody is backgammoned. Formula: `kernels.bearoff.os_probabilities`. Raises SettingsError
    for what are no chances that add up to 1 at most, and for other lengths.
    """
    player, opponent = _chances("player", player), _chances("opponent", opponent)
    given = [player, opponent]
    if player_first is not None:
        given.append(player_first := _chances("player_first", player_first))
    if opponent_first is not None:
        given.append(opponent_first := _chances("opponent_first", opponent_first))
    shapes = [each.shape for each in given]
    try:
        shape = np.broadcast_shapes(*(each[:-1] for each in shapes))
    except ValueError:
        shape = None
    if shape is None or len({each[-1] for each in shapes}) > 1:
        refuse("distributions", "of equally many rolls, and of shapes that broadcast", shapes)

    def later(distribution: NDArray[np.float64]) -> NDArray[np.float64]:
        """Chance of at least k rolls."""
        return np.cumsum(distribution[..., ::-1], axis=-1)[..., ::-1]

    out = np.zeros((*shape, 5))
    out[..., 0] = (player * later(opponent)).sum(-1)
    if opponent_first is not None:
        out[..., 1] = (player * later(opponent_first)).sum(-1)
    if player_first is not None:
        out[..., 3] = (opponent[..., :-1] * later(player_first)[..., 1:]).sum(-1)
    return out


def _chances(name: str, given: Any) -> NDArray[np.float64]:
    """Distributions `float64[..., K]`. Raises SettingsError."""
    try:
        found = np.asarray(given)
    except ValueError:
        found = np.array(None)
    sound = found.dtype.kind in "fiu" and found.ndim > 0 and found.shape[-1] > 0 and bool((found >= 0).all())
    if not sound or (found.sum(-1, dtype=np.float64) > 1 + _ROUNDING).any():
        refuse(name, "float64[..., K], chances that add up to 1 at most", given)
    return found.astype(np.float64)


def one_sided(points: int = 6, chequers: int = 15) -> OneSided:
    """The database of that size, built on first use and shared within the process.

    Raises SettingsError for sizes out of range.
    """
    return shelf.fetch(OneSided, ONE_SIDED, points, chequers)
