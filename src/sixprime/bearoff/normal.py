"""The normal approximation of one-sided databases: of each distribution only its mean and variance.

It takes 16 bytes for each list where the distributions take 40 to 60 on many points.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sixprime.bearoff import builder, file, shelf
from sixprime.bearoff.builder import Scratch
from sixprime.bearoff.names import NORMAL
from sixprime.bearoff.side import Side, pip_count
from sixprime.frozen import frozen
from sixprime.kernels import bearoff_build as build
from sixprime.kernels.bearoff import ROLLS
from sixprime.kernels.bearoff_normal import NormalArrays, normal_probabilities_many, normal_survival
from sixprime.progress import NOBODY, Watch


@dataclass(frozen=True, slots=True, eq=False)
class Normal:
    """Means and variances of all lists of at most `chequers` chequers on points 1 to `points`. Raises SettingsError for
    arrays of another size, and for moments that are negative or no numbers."""

    points: int
    chequers: int
    arrays: NormalArrays

    def __post_init__(self) -> None:
        shelf.check_sized(self, NormalArrays, moments=(4, shelf.LISTS))
        shelf.check_values("arrays.moments", self.arrays.moments, _sound, "numbers of rolls")

    @classmethod
    def build(
        cls,
        points: int,
        chequers: int,
        *,
        threads: int | None = None,
        watch: Watch = NOBODY,
        scratch: Scratch | None = None,
    ) -> Normal:
        """As `OneSided.build`."""
        shelf.check(points, chequers)
        if scratch is None:
            shelf.check_memory(sum(builder.normal_bytes(points, chequers)))
        arrays = builder.normal(points, chequers, scratch or Scratch(), threads or os.cpu_count() or 1, watch)
        return cls(points, chequers, arrays)

    @classmethod
    def open(cls, path: Path, points: int, chequers: int, *, verify: bool = False) -> Normal:
        """As `OneSided.open`."""
        shelf.check(points, chequers)
        found = file.read(path, _content(points, chequers), verify=verify)
        with file.sound(path):
            return cls(points, chequers, NormalArrays(build.rank_table(points, chequers), **found))

    def save(self, path: Path) -> None:
        """Writes the database, whole or not at all. Raises OSError."""
        file.write(path, _content(self.points, self.chequers), {"moments": self.arrays.moments})

    def index(self, counts: Sequence[int]) -> int:
        """Row of a list of counts, ace point first. Raises InvalidPositionError outside the database."""
        return shelf.index(counts, self.arrays.ranks)

    def side(self, counts: Sequence[int]) -> Side:
        """What is known about a side. Raises InvalidPositionError outside the database."""
        row = self.index(counts)
        mean, sd = (float(value) for value in self.arrays.moments[:2, row])
        survival = np.empty((2, ROLLS))
        for gammon in range(2):
            normal_survival(self.arrays, row, gammon, survival[gammon])
        off, first = -np.diff(survival, prepend=1.0) + 0.0
        return Side(pip_count(counts), mean, sd * sd, frozen(off), frozen(first))

    def probabilities(self, boards: NDArray[np.int8]) -> NDArray[np.float32]:
        """Outcomes of races for the player on roll.

        boards: `int8[N, 32]` packed. Returns `float32[N, 5]` as everywhere; NaN outside the database.
        Raises SettingsError for another shape.
        """
        boards = shelf.packed(boards)
        out = np.empty((len(boards), 5), dtype=np.float32)
        normal_probabilities_many(boards, self.arrays, out)
        return out


def _sound(moments: NDArray[np.float32]) -> NDArray[np.bool_]:
    return np.isfinite(moments) & (moments >= 0)


def _content(points: int, chequers: int) -> file.Content:
    size = build.position_count(points, chequers)
    return file.Content(NORMAL, points, chequers, {"moments": ("<f4", (4, size))})
