"""Where built databases are kept: the user's data folder, and once opened, this process."""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from sixprime import paths
from sixprime.checks import refuse, shown
from sixprime.errors import DataFileError, InvalidPositionError, SettingsError
from sixprime.kernels._block import Block, check_arrays
from sixprime.kernels.bearoff_build import position_count, rank_table
from sixprime.kernels.plays import WIDTH
from sixprime.progress import NOBODY, Watch
from sixprime.reading import read_text

MAX_POINTS = 18
MAX_CHEQUERS = 15
LISTS = -1
"""In a shape: one for each list of chequers; see `check_sized`."""
_LOOKED_AT = 1 << 22
_ASSUMED_MEMORY = 1 << 32
"""Where the system does not tell what is free."""
_AGAIN = "it is built again"
_NAME = re.compile(r"([a-z-]+)-(\d+)x(\d+)")


@dataclass(frozen=True, slots=True)
class Needs:
    """What a build takes, in bytes: memory, and disk for the database and while it is made."""

    memory: int
    disk: int

    def __str__(self) -> str:
        return f"{size_text(self.memory)} of memory and {size_text(self.disk)} of disk"


class Database(Protocol):
    """What `fetch` needs of a database."""

    @classmethod
    def build(cls, points: int, chequers: int, *, threads: int | None = None, watch: Watch = NOBODY) -> Self: ...
    @classmethod
    def open(cls, path: Path, points: int, chequers: int) -> Self: ...
    def save(self, path: Path) -> None: ...


D = TypeVar("D", bound=Database)
Sound = Callable[[NDArray[Any]], NDArray[np.bool_]]

_opened: dict[tuple[str, int, int], Database] = {}
_damaged: dict[tuple[str, int, int], str] = {}
_lock = threading.Lock()
_log = logging.getLogger("sixprime")


def check(points: int, chequers: int) -> None:
    """Raises SettingsError for a size no database can have."""
    for what, given, most in (("points", points, MAX_POINTS), ("chequers", chequers, MAX_CHEQUERS)):
        whole = isinstance(given, int | np.integer) and not isinstance(given, bool)
        if not whole or not 1 <= given <= most:
            raise SettingsError(f"a bear-off database has 1 to {most} {what}, not {shown(given)}")


def check_sized(database: Any, kind: type[Block], **shapes: tuple[int | None, ...]) -> None:
    """Raises SettingsError unless the `arrays` of a database are those of its size, in numbers of Python.

    shapes: of these arrays but the ranks; `LISTS` stands for how many lists of chequers there are, None for any length.
    """
    check(database.points, database.chequers)
    for name in ("points", "chequers"):
        object.__setattr__(database, name, int(getattr(database, name)))
    points, chequers, arrays = database.points, database.chequers, database.arrays
    count, ranks = position_count(points, chequers), rank_table(points, chequers)
    sized = {name: tuple(count if length == LISTS else length for length in shape) for name, shape in shapes.items()}
    check_arrays(arrays, kind, ranks=ranks.shape, **sized)
    if not np.array_equal(arrays.ranks, ranks):
        refuse("arrays.ranks", f"those of {chequers}x{points}", arrays.ranks)


def check_values(name: str, values: NDArray[Any], sound: Sound, words: str) -> None:
    """Raises SettingsError unless all values are sound. Larger arrays lie in files, whose checksums speak for them."""
    if values.size <= _LOOKED_AT and not (found := sound(values)).all():
        refuse(name, words, values[~found][:3])


def packed(boards: NDArray[np.int8]) -> NDArray[np.int8]:
    """Packed boards as kernels take them. Raises SettingsError for anything but `int8[N, 32]`."""
    found = np.asarray(boards)
    if found.ndim != 2 or found.shape[1] != WIDTH or found.dtype != np.int8:
        refuse("boards", f"int8[N, {WIDTH}], as `kernels.pack` makes them", found)
    return np.ascontiguousarray(found)


def free_memory() -> int:
    """Bytes of memory that are free, to this process where a container limits it."""
    try:
        fields = dict(line.split(":") for line in read_text("/proc/meminfo").splitlines())
        free = int(fields["MemAvailable"].split()[0]) << 10
    except (OSError, ValueError, KeyError):
        return _ASSUMED_MEMORY
    with suppress(OSError, ValueError):
        limit, used = (int(read_text(f"/sys/fs/cgroup/memory.{name}")) for name in ("max", "current"))
        free = min(free, max(limit - used, 0))
    return free


def free_disk(folder: Path) -> int:
    """Bytes that are free where `folder` is or would be."""
    while not folder.exists():
        folder = folder.parent
    import shutil

    return shutil.disk_usage(folder).free


def check_memory(needed: int) -> None:
    """Raises SettingsError when building would take more than the memory that is free."""
    _check_free("memory", needed, free_memory())


def check_disk(needed: int, folder: Path) -> None:
    """Raises SettingsError when building would take more than the disk has free."""
    _check_free("disk", needed, free_disk(folder), f" at {folder}")


def _check_free(what: str, needed: int, free: int, where: str = "") -> None:
    if needed > free:
        raise SettingsError(
            f"building a bear-off database of this size needs {size_text(needed)} of {what}; "
            f"{size_text(free)} are free{where}"
        )


def size_text(size: float) -> str:
    """Bytes as a person reads them."""
    for unit, length in (("GB", 1e9), ("MB", 1e6)):
        if size >= length:
            return f"{size / length:,.1f} {unit}" if size < 100 * length else f"{size / length:,.0f} {unit}"
    return f"{size / 1e3:,.1f} kB"


def counts_of(counts: Sequence[int], points: int, chequers: int, where: str = "this database") -> list[int]:
    """Counts of chequers, ace point first, none behind `points`. Raises InvalidPositionError."""
    known = isinstance(counts, Sequence) or (isinstance(counts, np.ndarray) and counts.ndim == 1)
    if not known or not all(isinstance(n, (int, np.integer)) for n in counts):
        raise InvalidPositionError(f"counts of chequers must be a list of whole numbers. Got {counts!r} instead.")
    # Numbers of few bits would go round in sums.
    found = [int(n) for n in counts]
    if min(found, default=0) < 0 or sum(found) > chequers or any(found[points:]):
        raise InvalidPositionError(f"{found} is outside {where} of up to {chequers} chequers on {points} points")
    return found


def index(counts: Sequence[int], ranks: NDArray[np.int64]) -> int:
    """Number of a list of counts, ace point first; see `kernels.bearoff`. Raises InvalidPositionError."""
    points = len(ranks)
    counts = counts_of(counts, points, ranks.shape[1] - 1)
    total = number = 0
    for i in reversed(range(min(points, len(counts)))):
        total += counts[i]
        number += int(ranks[i, total])
    return number


def folder() -> Path:
    """Where the databases are."""
    return paths.data_dir() / "bearoff"


def path_of(kind: str, points: int, chequers: int) -> Path:
    """The file in the user's data folder."""
    return folder() / f"{kind}-{chequers}x{points}.bearoff"


def name_of(path: Path) -> tuple[str, int, int] | None:
    """Kind, points and chequers that the name of a file tells, None for other names."""
    match = _NAME.fullmatch(path.stem)
    return (match[1], int(match[3]), int(match[2])) if match else None


def kept(kind: str) -> Iterator[tuple[Path, int, int]]:
    """Files of a kind in the data folder, with their points and chequers, in no order."""
    for path in folder().glob(f"{kind}-*.bearoff"):
        name = name_of(path)
        if name is not None and name[0] == kind:
            yield path, name[1], name[2]


def fetch(database: type[D], kind: str, points: int, chequers: int) -> D:
    """The database this process has open, or its file, or else a new build, saved where that is possible.

    A file that is damaged is logged.
    """
    check(points, chequers)
    with _lock:
        known = _known(database, kind, points, chequers, _AGAIN)
        if known is None:
            known = database.build(points, chequers)
            with suppress(OSError):
                known.save(path_of(kind, points, chequers))
            _opened[kind, points, chequers] = known
        return known


def find(database: type[D], kind: str, needed: Sequence[tuple[int, int]] = ()) -> list[D]:
    """All databases of a kind that lie whole in the data folder; the damaged ones are logged.

    needed: points and chequers of those that somebody will `fetch`.
    """
    with _lock:
        sizes = [(points, chequers) for _, points, chequers in kept(kind)]
        found = [_known(database, kind, *size, _AGAIN if size in needed else "") for size in sizes]
        return [known for known in found if known is not None]


def warn(kind: str, points: int, chequers: int, error: DataFileError, then: str = "") -> None:
    """Logs that a database is damaged, once until `look_anew`. then: what is done about it, by default nothing."""
    if _damaged.get((kind, points, chequers)) != str(error):
        _damaged[kind, points, chequers] = str(error)
        size = f"{chequers}x{points}" if not kind.startswith("hyper") else f"{chequers}"
        remedy = f"the work goes on without it; build it again: sixprime bearoff build {kind} {size}"
        _log.warning("%s; %s", error, then or remedy)


def damaged() -> list[tuple[str, int, int]]:
    """Kind, points and chequers of the databases that were found damaged since `look_anew`."""
    return list(_damaged)


def look_anew() -> None:
    """From now on damaged databases are logged again: another engine goes without them."""
    _damaged.clear()


def _known(database: type[D], kind: str, points: int, chequers: int, then: str) -> D | None:
    """The database this process has open, or opens from its file; None when there is none that can be used."""
    known = _opened.get((kind, points, chequers))
    if not isinstance(known, database):
        try:
            known = database.open(path_of(kind, points, chequers), points, chequers)
        except DataFileError as error:
            warn(kind, points, chequers, error, then)
            return None
        except (FileNotFoundError, SettingsError):
            return None
        _opened[kind, points, chequers] = known
    return known
