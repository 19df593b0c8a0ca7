"""Where built databases are kept: the user's data folder, and once opened, this process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from sixprime import paths
from sixprime.errors import DataFileError, InvalidPositionError, SettingsError

MAX_POINTS = 18
MAX_CHEQUERS = 15
_ASSUMED_MEMORY = 1 << 32
"""Where the system does not tell what is free."""


class Database(Protocol):
    """What `fetch` needs of a database."""

    @classmethod
    def build(cls, points: int, chequers: int) -> Self: ...
    @classmethod
    def open(cls, path: Path, points: int, chequers: int) -> Self: ...
    def save(self, path: Path) -> None: ...


D = TypeVar("D", bound=Database)

_opened: dict[tuple[str, int, int], Database] = {}
_lock = threading.Lock()


def check(points: int, chequers: int) -> None:
    """Raises SettingsError for a size no database can have."""
    if not 1 <= points <= MAX_POINTS:
        raise SettingsError(f"a bear-off database has 1 to {MAX_POINTS} points, not {points}")
    if not 1 <= chequers <= MAX_CHEQUERS:
        raise SettingsError(f"a bear-off database has 1 to {MAX_CHEQUERS} chequers, not {chequers}")


def check_memory(needed: int) -> None:
    """Raises SettingsError when building would take more than the memory that is free."""
    try:
        fields = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        free = int(fields["MemAvailable"].split()[0]) << 10
    except (OSError, ValueError, KeyError):
        free = _ASSUMED_MEMORY
    if needed > free:
        raise SettingsError(
            f"building a bear-off database of this size needs {needed / 1e9:.1f} GB of memory; "
            f"{free / 1e9:.1f} GB are free"
        )


def index(counts: Sequence[int], ranks: NDArray[np.int64]) -> int:
    """Number of a list of counts, ace point first; see `kernels.bearoff`. Raises InvalidPositionError."""
    points, chequers = len(ranks), ranks.shape[1] - 1
    if min(counts, default=0) < 0 or sum(counts) > chequers or any(counts[points:]):
        raise InvalidPositionError(
            f"{list(counts)} is outside this database of up to {chequers} chequers on {points} points"
        )
    total = number = 0
    for i in reversed(range(min(points, len(counts)))):
        total += counts[i]
        number += int(ranks[i, total])
    return number


def path_of(kind: str, points: int, chequers: int) -> Path:
    """The file in the user's data folder."""
    return paths.data_dir() / "bearoff" / f"{kind}-{chequers}x{points}.bearoff"


def fetch(database: type[D], kind: str, points: int, chequers: int) -> D:
    """The database of that size: from this process, else from its file, else built and saved.

    A file that is damaged or of another version is replaced. Where nothing can be saved the database lives
    in memory. Raises SettingsError.
    """
    check(points, chequers)
    with _lock:
        known = _opened.get((kind, points, chequers))
        if isinstance(known, database):
            return known
        path = path_of(kind, points, chequers)
        try:
            result = database.open(path, points, chequers)
        except (FileNotFoundError, DataFileError):
            result = database.build(points, chequers)
            with suppress(OSError):
                result.save(path)
        _opened[kind, points, chequers] = result
        return result
