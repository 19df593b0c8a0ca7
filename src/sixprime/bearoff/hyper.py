"""Hypergammon databases: every position of a game with 1, 2 or 3 chequers a side, solved."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime import interrupts, kernels
from sixprime.bearoff import file, shelf
from sixprime.bearoff.names import HYPER, HYPER_GNUBG, HYPER_POINTS, check_hyper
from sixprime.checks import FLAG, refuse
from sixprime.errors import DataFileError, InvalidPositionError, SettingsError
from sixprime.frozen import frozen
from sixprime.game.outcomes import Outcomes
from sixprime.game.position import POSITION, Position
from sixprime.kernels import hyper as kernel
from sixprime.paths import replacing
from sixprime.progress import NOBODY, Watch
from sixprime.reading import opened

TOLERANCE = 2e-6
"""Greatest change of a number in the last sweep; the numbers themselves are single precision."""

_ROWS = 16
"""Lists of a task; the tasks do not depend on the number of threads, nor does the order of their sums."""
_SAVED_EVERY = 60.0
"""Seconds between two checkpoints."""
_STEADY = 0.02
"""Changes of sweeps shrink steadily when the factors of two sweeps are no further apart; they are extrapolated only
when the factor is below 1 by as much."""
_SHRINKS = 0.45
"""About what a sweep leaves of the greatest change; for the estimate of how many there will be."""
_EXACT_BAND, _BAND = 18, 3
"""Pip counts, from 1 on, that are a band each (18: three chequers on the 6 point), and how many later bands have."""
_HEADER = 40
"""Bytes before the records of GNU Backgammon's files."""
_UNIT = float((1 << 24) - 1)
"""1 in the three bytes of their numbers."""
_RANKS = kernel.rank_table()


def _kind(gnubg: bool) -> str:
    return HYPER_GNUBG if gnubg else HYPER


@dataclass(frozen=True, slots=True)
class HyperValue:
    """What is known of a position, for the player on roll before he doubles or rolls.

    Equities are money, for a cube of 1: cube owned, centred, centred under the Jacoby rule, owned by the opponent.
    """

    probabilities: Outcomes
    owned: float
    centred: float
    centred_jacoby: float
    opponent: float

    @property
    def cubeless(self) -> float:
        """Cubeless equity, gammons counted."""
        return self.probabilities.cubeless


@dataclass(frozen=True, slots=True, eq=False)
class Hyper:
    """A database of all positions of a game with `chequers` chequers a side.

    Attributes:
        chequers: 1, 2 or 3.
        values: `float32[n, n, 9]`, list of the player on roll, list of the opponent: 5 probabilities and the equities
            cube owned, centred, centred under the Jacoby rule, owned by the opponent. NaN where both hold a point.
            Read-only from then on.
        gnubg: whether equities are those of GNU Backgammon's databases, which are slightly wrong where a side may be
            unable to move; see `sixprime.kernels.hyper_build.make_after`.

    Raises SettingsError for values of another size.
    """

    chequers: int
    values: NDArray[np.float32]
    gnubg: bool = False

    def __post_init__(self) -> None:
        check_hyper(self.chequers)
        FLAG("gnubg", self.gnubg)
        size = kernel.count_lists(self.chequers)
        shape, values = (size, size, kernel.COLUMNS), self.values
        if not isinstance(values, np.ndarray) or values.dtype != np.float32 or values.shape != shape:
            refuse("values", f"float32{[*shape]}", values)
        if not values.flags.c_contiguous:
            raise SettingsError("values of a database must lie in C order.")
        frozen(values)

    @classmethod
    def build(
        cls,
        chequers: int,
        *,
        gnubg: bool = False,
        threads: int | None = None,
        watch: Watch = NOBODY,
        checkpoint: Path | None = None,
    ) -> Hyper:
        """Solves the game. Raises SettingsError, also when memory does not suffice.

        threads: None for all cores; the result does not depend on it. watch: is told an estimate of the total.
        checkpoint: file in which the work is kept now and then, and when it is interrupted or stopped; with it the same
        call goes on where it was, and ends with the same bits.
        """
        check_hyper(chequers)
        shelf.check_memory(memory_needed(chequers))
        with _Solver(chequers, gnubg, threads or os.cpu_count() or 1, watch, checkpoint) as solver:
            solver.run()
            return cls(chequers, solver.values(), gnubg)

    @classmethod
    def open(cls, path: Path, chequers: int, *, gnubg: bool = False, verify: bool = False) -> Hyper:
        """Maps a file into memory; `verify` checks even a large one in full.

        Raises FileNotFoundError, SettingsError, and DataFileError when the file cannot be used.
        """
        check_hyper(chequers)
        return cls(chequers, file.read(path, _content(chequers, gnubg), verify=verify)["values"], gnubg)

    def save(self, path: Path) -> None:
        """Writes the database, whole or not at all. Raises OSError."""
        file.write(path, _content(self.chequers, self.gnubg), {"values": self.values})

    @classmethod
    def read_gnubg(cls, path: Path) -> Hyper:
        """Reads a file of GNU Backgammon's `makehyper`. Raises FileNotFoundError and DataFileError."""
        try:
            with opened(path) as stream:
                header = stream.read(_HEADER)
                chequers = header[7] - ord("0") if len(header) == _HEADER and header[:7] == b"gnubg-H" else 0
                if not 1 <= chequers <= 3:
                    raise DataFileError(f"{path} is not a hypergammon database of GNU Backgammon")
                size = kernel.count_lists(chequers)
                found, wanted = stream.seek(0, os.SEEK_END), _HEADER + 28 * size * size
                if found != wanted:
                    raise DataFileError(f"{path} has {found} bytes instead of {wanted}: it is damaged")
                records = np.memmap(stream, dtype=np.uint8, mode="r", offset=_HEADER, shape=(size, size, 28))
        except FileNotFoundError:
            raise
        except OSError as error:
            raise DataFileError(f"{path} cannot be read: {error.strerror or error}") from error
        values = np.empty((size, size, kernel.COLUMNS), dtype=np.float32)
        possible = _possible(chequers)
        for us in range(size):
            words = np.zeros((size, kernel.COLUMNS, 4), dtype=np.uint8)
            words[..., :3] = records[us, :, :27].reshape(size, kernel.COLUMNS, 3)
            numbers = words.view("<u4")[..., 0] / _UNIT
            numbers[:, 5:] = 6.0 * numbers[:, 5:] - 3.0
            values[us] = np.where(possible[us][:, None], numbers, np.nan)
        return cls(chequers, values, True)

    def write_gnubg(self, path: Path) -> None:
        """Writes a file that GNU Backgammon reads as its own. Raises OSError."""
        with replacing(path) as partial, partial.open("wb") as stream:
            stream.write(f"gnubg-H{self.chequers}".encode().ljust(_HEADER - 1, b"x") + b"\n")
            for row in self.values:
                numbers = row.astype(np.float64)
                numbers[:, 5:] = numbers[:, 5:] / 6.0 + 0.5
                # Where nothing is known they have zero, which for an equity is the middle of the scale.
                empty = np.where(np.arange(kernel.COLUMNS) < 5, 0.0, 0.5)
                numbers = np.where(np.isnan(numbers), empty, np.clip(numbers, 0.0, 1.0))
                words = np.ascontiguousarray(np.floor(numbers * _UNIT), dtype="<u4").view(np.uint8)
                record = np.zeros((len(row), 28), dtype=np.uint8)
                record[:, :27] = words.reshape(len(row), kernel.COLUMNS, 4)[..., :3].reshape(len(row), 27)
                stream.write(record.data)

    def look_up(self, boards: NDArray[np.int8]) -> NDArray[np.float64]:
        """Values of positions for the player on roll.

        boards: `int8[N, 32]` packed. Returns `float64[N, 9]` as in `values`; NaN for other games. Raises
        SettingsError for another shape.
        """
        boards = shelf.packed(boards)
        out = np.empty((len(boards), kernel.COLUMNS), dtype=np.float64)
        kernel.look_up(boards, self.chequers, _RANKS, self.values, out)
        return out

    def value(self, position: Position) -> HyperValue:
        """Everything known of a position. Raises InvalidPositionError for one that is not of this game."""
        self._check(position)
        row = self.look_up(kernels.pack(position.board[None], self.chequers))[0]
        return HyperValue(Outcomes(*row[:5].tolist()), *row[5:].tolist())

    def _check(self, position: Position) -> None:
        """Raises InvalidPositionError for a position that is not of this game, SettingsError for what is none."""
        POSITION("position", position)
        fault = position.fault
        if fault or position.chequers != self.chequers:
            why = fault or f"{position.chequers} a side"
            raise InvalidPositionError(f"no position of hypergammon with {self.chequers} chequers: {why}")

    def index(self, position: Position) -> int:
        """Number of a position in the files, as GNU Backgammon numbers them. Raises InvalidPositionError as `value`."""
        self._check(position)
        numbers = [
            sum(int(_RANKS[point, sum(side[point - 1 :])]) for point in range(1, HYPER_POINTS + 1))
            for side in (position.player, position.opponent)
        ]
        return numbers[0] * len(self.values) + numbers[1]


def hyper(chequers: int, *, gnubg: bool = False) -> Hyper:
    """The database of that game, shared within the process; of 1 and 2 chequers built on first use.

    Raises SettingsError for other numbers of chequers, DataFileError when that of 3 chequers is not there or damaged.
    """
    check_hyper(chequers)
    FLAG("gnubg", gnubg)
    command = f"sixprime bearoff build {_kind(gnubg)} {chequers}"
    try:
        found = _find(chequers, gnubg)
    except DataFileError as error:
        raise DataFileError(f"{error}; build it again: {command}") from error
    if found is None:
        raise DataFileError(f"the database of hypergammon with {chequers} chequers is not built: run {command}")
    return found


def find(chequers: int, *, gnubg: bool = False) -> Hyper | None:
    """As `hyper`, but None when that of 3 chequers is not there or damaged, which is logged."""
    check_hyper(chequers)
    FLAG("gnubg", gnubg)
    try:
        return _find(chequers, gnubg)
    except DataFileError as error:
        shelf.warn(_kind(gnubg), HYPER_POINTS, chequers, error)
        return None


_opened: dict[tuple[int, bool], Hyper] = {}
_damaged: dict[tuple[Path, tuple[int, int]], str] = {}
"""What is wrong with a file as it was when it was read: to read it whole takes a while, and it is asked for often."""
_lock = threading.Lock()


def _find(chequers: int, gnubg: bool) -> Hyper | None:
    """The database; None when that of 3 chequers is not there. Raises DataFileError when it is damaged."""
    with _lock:
        known = _opened.get((chequers, gnubg))
        if known is None:
            path = path_of(chequers, gnubg=gnubg)
            try:
                known = _open(path, chequers, gnubg)
            except FileNotFoundError:
                if chequers == 3:
                    return None
            except DataFileError as error:
                if chequers == 3:
                    raise
                shelf.warn(_kind(gnubg), HYPER_POINTS, chequers, error, "it is built again")
            if known is None:
                known = Hyper.build(chequers, gnubg=gnubg)
                with suppress(OSError):
                    known.save(path)
            _opened[chequers, gnubg] = known
        return known


def _open(path: Path, chequers: int, gnubg: bool) -> Hyper:
    """As `Hyper.open`; a file that was damaged is not read again before it has changed."""
    try:
        status = path.stat()
    except OSError:
        return Hyper.open(path, chequers, gnubg=gnubg)
    file_as_it_is = path, (status.st_size, status.st_mtime_ns)
    if problem := _damaged.get(file_as_it_is):
        raise DataFileError(problem)
    try:
        return Hyper.open(path, chequers, gnubg=gnubg)
    except DataFileError as error:
        _damaged[file_as_it_is] = str(error)
        raise


def path_of(chequers: int, *, gnubg: bool = False) -> Path:
    """The file in the user's data folder."""
    return shelf.path_of(_kind(gnubg), HYPER_POINTS, chequers)


def is_gnubg(path: Path) -> bool:
    """Whether a file is one of GNU Backgammon's, by its beginning. Raises FileNotFoundError and DataFileError."""
    try:
        with opened(path) as stream:
            return stream.read(7) == b"gnubg-H"
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DataFileError(f"{path} cannot be read: {error.strerror or error}") from error


def memory_needed(chequers: int) -> int:
    """Bytes of memory that `Hyper.build` takes."""
    pairs = kernel.count_lists(chequers) ** 2
    # Values after plays (44 or 60 bytes) and twice their copies, the result, and 160 MB of plays and buffers.
    return 140 * pairs + (160 << 20)


def disk_needed(chequers: int) -> int:
    """Bytes of disk for the database and the checkpoint."""
    pairs = kernel.count_lists(chequers) ** 2
    return (36 + 100) * pairs


def position_counts(chequers: int) -> tuple[int, int, int, int]:
    """How many positions are finished games, races, contact and impossible, as GNU Backgammon's manual counts them."""
    from sixprime.kernels import hyper_build

    check_hyper(chequers)
    over, race, contact, impossible = hyper_build.count_positions(hyper_build.make_lists(chequers))
    return over, race, contact, impossible


def _content(chequers: int, gnubg: bool) -> file.Content:
    size = kernel.count_lists(chequers)
    shape = (size, size, kernel.COLUMNS)
    return file.Content(_kind(gnubg), HYPER_POINTS, chequers, {"values": ("<f4", shape)})


def _possible(chequers: int) -> NDArray[np.bool_]:
    """`bool[n, n]` by file numbers: whether a pair of lists is a position."""
    from sixprime.kernels import hyper_build

    lists = hyper_build.make_lists(chequers)
    pairs = (lists.bits[:, None] & lists.mirrored[None, :]) == 0
    pairs[0, 0] = False
    order = np.argsort(lists.number)
    return np.asarray(pairs[np.ix_(order, order)])


class _Solver:
    """The sweeps over all positions, on several threads, and their checkpoints.

    When the changes shrink by a steady factor from sweep to sweep, they are extrapolated to the end.
    """

    def __init__(self, chequers: int, gnubg: bool, threads: int, watch: Watch, checkpoint: Path | None) -> None:
        # It imports Numba, which look-ups need not.
        from sixprime.kernels import hyper_build

        self.kernel = hyper_build
        self.chequers, self.gnubg, self.watch, self.checkpoint = chequers, gnubg, watch, checkpoint
        self.lists = self.kernel.make_lists(chequers)
        self.moves = self.kernel.make_moves(self.lists)
        self.after = self.kernel.make_after(self.lists, gnubg=gnubg)
        self.size = len(self.lists.points)
        pips = [int(start) for start in self.lists.levels]
        # Home lists pip by pip; behind, no roll that is played in full takes less than three pips.
        self.bands = [*pips[1 : _EXACT_BAND + 1], *pips[_EXACT_BAND + 1 : -1 : _BAND], pips[-1]]
        self.stages = 2 * (len(self.bands) - 1)
        self.sweep = self.stage = 0
        # Of each sweep: greatest change, sum of changes, whether it was extrapolated, greatest change of an equity.
        self.log = np.zeros((256, 4))
        self.before: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
        self.asked = interrupts.Request()
        self.saved = time.monotonic()
        self.pool = ThreadPoolExecutor(threads)

    def __enter__(self) -> _Solver:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown()

    def run(self) -> None:
        """Sweeps until nothing changes any more. An interruption waits for the end of a stage."""
        self._load()
        # Tables may be half written when a signal comes.
        with interrupts.deferred() as self.asked:
            self._sweep_all()
        if self.checkpoint is not None:
            self.checkpoint.unlink(missing_ok=True)

    def _sweep_all(self) -> None:
        while not self._done():
            if self.stage == 0 and self._is_steady():
                self.before = self.after.equities.copy(), self.after.chances.copy()
            while self.stage < self.stages:
                self._do_stage()
                self.stage += 1
                self._pause()
            if self.before is not None:
                ratio = self.log[self.sweep, 1] / self.log[self.sweep - 1, 1]
                if ratio < 1.0 - _STEADY:
                    tasks = [
                        (*self.before, ratio / (1 - ratio), start, stop) for start, stop in self._parts(0, self.size)
                    ]
                    self._all(self.kernel.extrapolate, tasks, self.lists, self.after, self._is_frozen())
                    self.log[self.sweep, 2] = 1.0
                self.before = None
            self.sweep, self.stage = self.sweep + 1, 0
            self._pause()

    def values(self) -> NDArray[np.float32]:
        """The solved positions by file numbers."""
        values = np.full((self.size, self.size, kernel.COLUMNS), np.nan, dtype=np.float32)
        number = self.lists.number

        def work(first: int, last: int) -> None:
            out = np.empty((last - first, self.size, kernel.COLUMNS), dtype=np.float32)
            self.kernel.solve(first, last, 0, self.size, self.moves, self.after, out)
            possible = (self.lists.bits[first:last, None] & self.lists.mirrored[None, :]) == 0
            for row, u in enumerate(range(first, last)):
                values[number[u], number[possible[row]]] = out[row, possible[row]]

        self._all(work, self._parts(1, self.size))
        lost = self.lists.outcome[1:]
        points = np.stack([lost, lost, np.ones_like(lost), lost], axis=1)
        levels = np.stack([lost >= 2, lost >= 3], axis=1)
        zeros = np.zeros((self.size - 1, 3))
        values[0, number[1:]] = np.concatenate([np.ones_like(zeros[:, :1]), levels, zeros[:, :2], points], axis=1)
        values[number[1:], 0] = np.concatenate([zeros, levels, -points], axis=1)
        return values

    def _do_stage(self) -> None:
        """One half of a band: its lists on roll against those not below, or those above it against its own."""
        low, high = self.bands[self.stage // 2], self.bands[self.stage // 2 + 1]
        own = self.stage % 2 == 0
        u, t = ((low, high), (low, self.size)) if own else ((high, self.size), (low, high))
        if u[0] < u[1]:
            out = np.empty((u[1] - u[0], t[1] - t[0], kernel.COLUMNS), dtype=np.float32)
            tasks = [(a, b, *t, self.moves, self.after, out[a - u[0] : b - u[0]]) for a, b in self._parts(*u)]
            self._all(self.kernel.solve, tasks)
            parts = [(*part, *u) for part in self._parts(*t)] if own else [(*t, *part) for part in self._parts(*u)]
            found = [(out, u[0], t[0], *part) for part in parts]
            frozen = self._is_frozen()
            for greatest, equity, total in self._all(
                self.kernel.update, found, self.lists, self.after, self.gnubg, frozen
            ):
                log = self.log[self.sweep]
                log[:] = max(log[0], greatest), log[1] + total, log[2], max(log[3], equity)

    def _all(self, function: Callable[..., Any], tasks: list[Any], *more: Any) -> list[Any]:
        """Results of all tasks, in their order."""
        futures: list[Future[Any]] = [self.pool.submit(function, *task, *more) for task in tasks]
        return [future.result() for future in futures]

    def _parts(self, start: int, stop: int) -> list[tuple[int, int]]:
        return [(first, min(first + _ROWS, stop)) for first in range(start, stop, _ROWS)]

    def _done(self) -> bool:
        return bool(self.sweep and self.log[self.sweep - 1, 0] <= TOLERANCE) or self.sweep == len(self.log)

    def _is_frozen(self) -> bool:
        """Whether the equities are known, so that the plays need not be chosen anew.

        Plays that are equal but for rounding would else change places for ever, and with them the chances.
        """
        return bool((self.log[: self.sweep, 3] <= TOLERANCE / 2).any())

    def _is_steady(self) -> bool:
        """Whether the last sweeps, all plain, shrank the changes by the same factor."""
        last = self.log[max(self.sweep - 3, 0) : self.sweep]
        if len(last) < 3 or last[:, 2].any() or not last[:2, 1].all():
            return False
        older, newer = last[1:, 1] / last[:-1, 1]
        return bool(abs(older - newer) < _STEADY)

    # Progress and checkpoints.

    def _pause(self) -> None:
        """Between stages: tells how far the work is and saves it when that is due."""
        done, total = self.sweep * self.stages + self.stage, self._sweeps() * self.stages
        self.watch.tell(done, total, "stages")
        interrupted = self.asked.number is not None
        late = time.monotonic() - self.saved > _SAVED_EVERY
        if self.checkpoint is not None and (interrupted or late or self.watch.is_set()):
            self._save(self.checkpoint)
            self.saved = time.monotonic()
        if interrupted:
            raise KeyboardInterrupt
        self.watch.check(done, total, "stages")

    def _sweeps(self) -> int:
        """How many sweeps there will be."""
        if self._done():
            return self.sweep
        if self.sweep < 4:
            return 20
        change = float(self.log[self.sweep - 1, 0])
        return max(self.sweep + 1 + math.ceil(math.log(TOLERANCE / change) / math.log(_SHRINKS)), self.sweep + 1)

    def _state(self, recording: bool) -> tuple[file.Content, dict[str, NDArray[Any]]]:
        """What a checkpoint holds; recording: with the values from before the sweep."""
        state = np.array([self.sweep, self.stage], dtype=np.int64)
        arrays: dict[str, NDArray[Any]] = {
            "state": state,
            "log": self.log,
            "equities": self.after.equities,
            "bits": self.after.bits,
            "chances": self.after.chances,
        }
        if self.gnubg:
            arrays["stuck"] = self.after.stuck
        if recording:
            old = self.before or (self.after.equities, self.after.chances)
            arrays |= {"old_equities": old[0], "old_chances": old[1]}
        kind = f"unfinished {_kind(self.gnubg)}" + (", recording" if recording else "")
        shapes = {name: (array.dtype.str, array.shape) for name, array in arrays.items()}
        return file.Content(kind, HYPER_POINTS, self.chequers, shapes), arrays

    def _save(self, path: Path) -> None:
        file.write(path, *self._state(self.before is not None))

    def _load(self) -> None:
        """Goes on from the checkpoint where there is one that fits; a damaged one is left aside."""
        if self.checkpoint is None:
            return
        for recording in (False, True):
            content, arrays = self._state(recording)
            try:
                found = file.read(self.checkpoint, content, verify=True)
            except FileNotFoundError:
                return
            except DataFileError:
                continue
            for name in arrays.keys() - {"state", "old_equities", "old_chances"}:
                arrays[name][...] = found[name]
            self.sweep, self.stage = (int(number) for number in found["state"])
            if recording:
                self.before = found["old_equities"].copy(), found["old_chances"].copy()
            return


def residuals(chequers: int, threads: int | None = None) -> list[float]:
    """Solves the game and returns the greatest change of a number in each sweep."""
    check_hyper(chequers)
    with _Solver(chequers, False, threads or os.cpu_count() or 1, NOBODY, None) as solver:
        solver.run()
        return [float(change) for change in solver.log[: solver.sweep, 0]]
