"""Two-sided databases: exact money equities, cubeless and with the cube."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sixprime.bearoff import builder, file, shelf
from sixprime.bearoff.builder import Scratch
from sixprime.bearoff.names import TWO_SIDED
from sixprime.kernels import bearoff_build as build
from sixprime.kernels.bearoff import TwoSidedArrays, ts_equities_many
from sixprime.progress import NOBODY, Watch


@dataclass(frozen=True, slots=True, eq=False)
class TwoSided:
    """A database of all positions with at most `chequers` chequers of each side on points 1 to `points`.

    `arrays` go into the functions of `kernels.bearoff`. Raises SettingsError for arrays of another size.
    """

    points: int
    chequers: int
    arrays: TwoSidedArrays

    def __post_init__(self) -> None:
        shelf.check_sized(self, TwoSidedArrays, equities=(shelf.LISTS, shelf.LISTS, 4))

    @classmethod
    def build(cls, points: int, chequers: int, *, threads: int | None = None, watch: Watch = NOBODY) -> TwoSided:
        """Computes the database in memory, on all cores unless told otherwise.

        Raises SettingsError, also when memory does not suffice.
        """
        shelf.check(points, chequers)
        shelf.check_memory(sum(builder.two_sided_bytes(points, chequers)))
        built = builder.two_sided(points, chequers, Scratch(), threads or os.cpu_count() or 1, watch)
        # In the order of a file: kernels are compiled for one layout.
        equities = np.ascontiguousarray(np.concatenate(list(builder.sorted_pairs(*built))))
        return cls(points, chequers, TwoSidedArrays(build.rank_table(points, chequers), equities))

    @classmethod
    def write(
        cls,
        path: Path,
        points: int,
        chequers: int,
        scratch: Scratch,
        *,
        threads: int | None = None,
        watch: Watch = NOBODY,
    ) -> None:
        """Computes a database into a file, without holding it in memory. Raises SettingsError and OSError."""
        shelf.check(points, chequers)
        built = builder.two_sided(points, chequers, scratch, threads or os.cpu_count() or 1, watch)
        file.write(path, _content(points, chequers), {"equities": builder.sorted_pairs(*built)})

    @classmethod
    def open(cls, path: Path, points: int, chequers: int, *, verify: bool = False) -> TwoSided:
        """Maps a file into memory; `verify` checks even a large one in full.

        Raises FileNotFoundError, SettingsError, and DataFileError when the file cannot be used.
        """
        shelf.check(points, chequers)
        found = file.read(path, _content(points, chequers), verify=verify)
        return cls(points, chequers, TwoSidedArrays(build.rank_table(points, chequers), **found))

    def save(self, path: Path) -> None:
        """Writes the database, whole or not at all. Raises OSError."""
        file.write(path, _content(self.points, self.chequers), {"equities": self.arrays.equities})

    def index(self, counts: Sequence[int]) -> int:
        """Row of one side's counts, ace point first. Raises InvalidPositionError outside the database."""
        return shelf.index(counts, self.arrays.ranks)

    def equities(self, boards: NDArray[np.int8]) -> NDArray[np.float64]:
        """Money equities of the player on roll, in units of the cube, before he doubles.

        boards: `int8[N, 32]` packed. Returns `float64[N, 4]`: cubeless, cube owned, centred, owned by the
        opponent; NaN outside the database and where a gammon is possible. Raises SettingsError for another shape.
        """
        boards = shelf.packed(boards)
        out = np.empty((len(boards), 4), dtype=np.float64)
        ts_equities_many(boards, self.arrays, out)
        return out


def _content(points: int, chequers: int) -> file.Content:
    size = build.position_count(points, chequers)
    return file.Content(TWO_SIDED, points, chequers, {"equities": ("<u2", (size, size, 4))})


def two_sided(points: int = 6, chequers: int = 6) -> TwoSided:
    """The database of that size, built on first use and shared within the process.

    Raises SettingsError for sizes out of range.
    """
    return shelf.fetch(TwoSided, TWO_SIDED, points, chequers)
