"""Building: the arrays of a database, made level by level on all threads.

The arrays lie in memory, or in files of a folder (`Scratch`). Files are mapped, so that a build needs no more
memory than there is, and a stopped or killed one goes on where its state was last saved. What a level
writes depends only on earlier levels; doing one again changes nothing, nor does the number of threads.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from math import comb, prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime.errors import DataFileError
from sixprime.kernels import bearoff_build as kernel
from sixprime.kernels.bearoff import PADDING, OneSidedArrays, os_word
from sixprime.kernels.bearoff_normal import NormalArrays
from sixprime.paths import replacing, writing
from sixprime.progress import NOBODY, Watch
from sixprime.reading import read_json

_BATCH = 1 << 16
"""Lists of a task, which has 252 bytes of scratch for each."""
_SMALLEST_BATCH = 512
_SAVED_EVERY = 5.0
"""Seconds between two savings of the state."""
_STATE = "state.json"
_VERSION = 1


class Scratch:
    """The arrays of a build, and how far it has come.

    folder: where their files are, None for memory. identity: what is built; the files of anything else, or of
    another version, are thrown away. Raises OSError, and DataFileError when another process builds there.
    """

    def __init__(self, folder: Path | None = None, identity: str = "") -> None:
        self._folder = folder
        self._identity = _versioned(identity)
        self._saved = time.monotonic()
        self._files: dict[str, NDArray[Any]] = {}
        self._lock: int | None = None
        self.state: dict[str, int] = {}
        if folder is None:
            return
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = _lock(folder / "lock")
        self.state = begun(folder, identity)

    def array(self, name: str, dtype: str, shape: tuple[int, ...]) -> NDArray[Any]:
        """An array of zeros, or the one with that name of the build that goes on.

        Asked for again with a longer shape it keeps what it holds; earlier references are then stale.
        """
        if self._folder is None:
            array = np.zeros(shape, dtype=dtype)
            known = self._files.get(name)
            if known is not None:
                array[: len(known)] = known
        else:
            path = self._folder / name
            size = np.dtype(dtype).itemsize * prod(shape)
            with writing(path), path.open("r+b" if path.exists() else "w+b") as stream:
                if not self.state and name not in self._files:
                    stream.truncate(0)
                if stream.seek(0, os.SEEK_END) < size:
                    _reserve(stream.fileno(), size)
                array = np.asarray(np.memmap(stream, dtype=dtype, mode="r+", shape=shape))
        self._files[name] = array
        return array

    def save(self, state: dict[str, int], *, now: bool = False) -> None:
        """Notes that everything before `state` is done; writes that down now and then, or `now`."""
        self.state = state
        if self._folder is None or not (now or time.monotonic() - self._saved > _SAVED_EVERY):
            return
        sizes = {}
        for name in self._files:
            path = self._folder / name
            with writing(path), path.open("r+b") as stream:
                os.fsync(stream.fileno())
                sizes[name] = stream.seek(0, os.SEEK_END)
        with replacing(self._folder / _STATE) as partial:
            partial.write_text(json.dumps({"identity": self._identity, "files": sizes, "state": state}))
        self._saved = time.monotonic()

    def stop(self) -> None:
        """Writes the last state down and lets another process build here."""
        if self.state:
            self.save(self.state, now=True)
        self.close()

    def close(self) -> None:
        """Lets another process build here."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def discard(self) -> None:
        """Deletes the files."""
        self.close()
        self._files.clear()
        if self._folder is not None:
            import shutil

            shutil.rmtree(self._folder, ignore_errors=True)


def begun(folder: Path, identity: str) -> dict[str, int]:
    """How far a build has come that a `Scratch` would go on with, empty where it would begin."""
    try:
        found = read_json(folder / _STATE)
        # An array may have grown since.
        whole = all((folder / name).stat().st_size >= size for name, size in found["files"].items())
        if whole and found["identity"] == _versioned(identity):
            return {str(key): int(value) for key, value in found["state"].items()}
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        pass
    return {}


def _versioned(identity: str) -> str:
    return f"{identity}, version {_VERSION}"


def _reserve(descriptor: int, size: int) -> None:
    """Makes a file longer, on disk too where the system can: a mapped file must not find the disk full."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(descriptor, 0, size)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP, errno.ENOSYS):
                raise
        else:
            return
    os.truncate(descriptor, size)


def _lock(path: Path) -> int:
    """Descriptor of a file that one process at a time may hold; the system frees it when that process ends."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        pass  # Windows: two builds at once would write the same bytes
    except OSError as error:
        os.close(descriptor)
        raise DataFileError(f"another process is building in {path.parent}") from error
    return descriptor


@contextmanager
def _workers(threads: int) -> Iterator[Callable[[Callable[..., Any], list[tuple[Any, ...]]], list[Any]]]:
    """A function that calls another with each of some lists of arguments, on all threads."""
    if threads == 1:
        yield lambda work, tasks: [work(*task) for task in tasks]
        return
    pool = ThreadPoolExecutor(threads)
    try:
        yield lambda work, tasks: list(pool.map(lambda task: work(*task), tasks))
    finally:
        # Kernels that still run write to the arrays.
        pool.shutdown(wait=True, cancel_futures=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Groups of lists in the order in which they can be solved, see `kernels.bearoff_build.prefixes`.

    starts, ends: `int64[G]`, the lists of each. sums: `int64[G]`, groups with the same need not wait for each other.
    through: `int64[G + 1]`, how many lists the groups before each have.
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    sums: NDArray[np.int64]
    through: NDArray[np.int64]

    @classmethod
    def of(cls, points: int, chequers: int) -> _Groups:
        length = min(points, max(3, points - 6))
        starts, sums = (np.zeros(comb(chequers + length, length), dtype=np.int64) for _ in range(2))
        behind = np.zeros(length, dtype=np.int64)
        kernel.prefixes(length, behind, kernel.rank_table(points, chequers), starts, sums)
        ends = np.append(starts[1:], kernel.position_count(points, chequers))
        order = np.argsort(sums, kind="stable")
        return cls(starts[order], ends[order], sums[order], np.append(0, np.cumsum((ends - starts)[order])))

    def parts(self, done: int, threads: int) -> list[slice]:
        """The next groups, in at most `threads` parts that can be solved at once."""
        level = int(np.searchsorted(self.sums, self.sums[done], side="right"))
        lists = int(self.through[level] - self.through[done])
        batch = min(max(-(-lists // threads), _SMALLEST_BATCH), _BATCH)
        bounds = [done]
        while len(bounds) <= threads and bounds[-1] < level:
            reached = int(np.searchsorted(self.through, self.through[bounds[-1]] + batch, side="right")) - 1
            bounds.append(min(max(reached, bounds[-1] + 1), level))
        return [slice(a, b) for a, b in pairwise(bounds)]

    def lists(self, part: slice) -> int:
        """How many lists the groups of a part have."""
        return int(self.through[part.stop] - self.through[part.start])


def one_sided_bytes(points: int, chequers: int) -> tuple[int, int]:
    """Bytes of a database, about, and of the scratch while it is built."""
    size = kernel.position_count(points, chequers)
    # Measured with 15 chequers: 7.9 values for each list on 6 points, 12.2 on 9.
    values = int(2 * size * max(3.0, 1.45 * points - 0.7) * (chequers + 3) / 18)
    return 8 * size + values, size * (8 + 2 * 4 + 2 * 18 * 4) + values


def one_sided(points: int, chequers: int, scratch: Scratch, threads: int, watch: Watch = NOBODY) -> OneSidedArrays:
    """Plays every roll so that the mean number of rolls left is least."""
    ranks = kernel.rank_table(points, chequers)
    size = kernel.position_count(points, chequers)
    spans = scratch.array("spans", "<i8", (size,))
    means = scratch.array("means", "<u4", (2, size))
    played = scratch.array("played", "<u4", (2, size, 6, 3))
    groups = _Groups.of(points, chequers)
    # The first group holds the list of none alone, which is solved.
    done, end = scratch.state.get("groups", 1), scratch.state.get("values", 0)
    spans[0] = os_word.py_func(0, 0, 0, 0, 0)
    values = scratch.array("values", "<u2", (end + PADDING,))
    with _workers(threads) as work:
        while done < len(groups.starts):
            parts = groups.parts(done, threads)
            buffers = [np.empty(kernel.LONGEST * groups.lists(part), dtype=np.uint16) for part in parts]
            tables = (ranks, spans, values, means, played)
            tasks = [
                (groups.starts[part], groups.ends[part], *tables, buffer)
                for part, buffer in zip(parts, buffers, strict=True)
            ]
            used = work(kernel.build_groups, tasks)
            if end + sum(used) + PADDING > len(values):
                longer = end + sum(used) + PADDING
                values = scratch.array("values", "<u2", (longer + longer // 4,))
            for part, buffer, count in zip(parts, buffers, used, strict=True):
                values[end : end + count] = buffer[:count]
                kernel.move_spans(groups.starts[part], groups.ends[part], end, spans)
                end += count
            done = parts[-1].stop
            scratch.save({"groups": done, "values": end})
            watch.tell(int(groups.through[done]), size, "lists")
            watch.check(int(groups.through[done]), size, "lists")
    values[end : end + PADDING] = 0
    return OneSidedArrays(ranks, spans, values[: end + PADDING])


def normal_bytes(points: int, chequers: int) -> tuple[int, int]:
    """Bytes of a normal approximation, and of the scratch while it is built."""
    size = kernel.position_count(points, chequers)
    return 16 * size, (16 + 2 * 18 * 4) * size


def normal(points: int, chequers: int, scratch: Scratch, threads: int, watch: Watch = NOBODY) -> NormalArrays:
    """Plays as `one_sided`, and keeps means and standard deviations only."""
    ranks = kernel.rank_table(points, chequers)
    size = kernel.position_count(points, chequers)
    moments = scratch.array("moments", "<f4", (4, size))
    played = scratch.array("played", "<u4", (2, size, 6, 3))
    groups = _Groups.of(points, chequers)
    done = scratch.state.get("groups", 1)
    with _workers(threads) as work:
        while done < len(groups.starts):
            parts = groups.parts(done, threads)
            tables = (ranks, moments, played)
            work(kernel.moments_groups, [(groups.starts[part], groups.ends[part], *tables) for part in parts])
            done = parts[-1].stop
            scratch.save({"groups": done})
            watch.tell(int(groups.through[done]), size, "lists")
            watch.check(int(groups.through[done]), size, "lists")
    return NormalArrays(ranks, moments)


def two_sided_bytes(points: int, chequers: int) -> tuple[int, int]:
    """Bytes of a database, and of the scratch while it is built, the plays of each list included."""
    size = kernel.position_count(points, chequers)
    return 8 * size * size, 16 * size * size + 2048 * size


def two_sided(
    points: int, chequers: int, scratch: Scratch, threads: int, watch: Watch = NOBODY
) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Plays every roll, and doubles, takes and passes, for the greatest equity with each kind of cube.

    A play lowers the pip count, so the pairs whose lower count is that of a level need only earlier levels,
    and of the same level those whose side on roll has that count.
    Returns `uint16[n, n, 4]` by pip count, and the place of each list in that order; see `sorted_pairs`.
    """
    ranks = kernel.rank_table(points, chequers)
    size = kernel.position_count(points, chequers)
    plays, offsets = kernel.all_results(ranks, size)
    pips = kernel.pip_counts(ranks, size)
    order = np.argsort(pips, kind="stable")
    levels = np.searchsorted(pips[order], np.arange(pips.max() + 2))
    after = scratch.array("after", "<i2", (size, 4 * size))
    table = scratch.array("table", "<u2", (size, size, 4))
    done = scratch.state.get("level", 0)
    if not done:
        kernel.begin_pairs(kernel.ENDS, after, order, table)
    with _workers(threads) as work:

        def solve(begin: int, end: int, low: int, high: int) -> None:
            pieces = 4 * threads if threads > 1 and (end - begin) * (high - low) > 1 << 14 else 1
            bounds = np.linspace(begin, end, pieces + 1).astype(np.int64)
            rest = (low, high, plays, offsets, after, order, table)
            work(kernel.solve_pairs, [(a, b, *rest) for a, b in pairwise(bounds) if a < b])

        for level in range(done + 1, len(levels) - 1):
            low, high = int(levels[level]), int(levels[level + 1])
            solve(low, high, low, size)
            solve(high, size, low, high)
            scratch.save({"level": level})
            watch.tell(size * size - (size - high) ** 2, size * size, "pairs")
            watch.check(size * size - (size - high) ** 2, size * size, "pairs")
    place = np.empty(size, dtype=np.int64)
    place[order] = np.arange(size)
    return table, place


def sorted_pairs(table: NDArray[np.uint16], place: NDArray[np.int64]) -> Iterator[NDArray[np.uint16]]:
    """The rows of `TwoSidedArrays.equities`, some at a time, from what `two_sided` returns."""
    step = max((1 << 24) // table[0].nbytes, 1)
    for start in range(0, len(place), step):
        rows = table[place[start : start + step]]
        yield rows[:, place]
