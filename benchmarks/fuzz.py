"""Feeds damaged inputs to everything that reads: only our errors, no hang, no flood of memory.

    python benchmarks/fuzz.py                         a million inputs: files of every format, what writers make of
                                                      them, nets, recipes, rollouts, tables, databases, IDs, plays
    python benchmarks/fuzz.py --kinds sgf net --inputs 5000 --seeds ../samples
    python benchmarks/fuzz.py --inputs 0 --large 6               files of about 1 MB only

`tests/damaged.py` lists the kinds of inputs. Input i of a kind depends only on its number and the seeds, so that a
failure can be repeated with --kinds K --first i --inputs 1. Seeds are made by our own writers, and the files of
tests/data and of the folders named. A file of a match may take 1 s for each MB (and 20 ms for the start), and 50 times
its size in memory (and 4 MB for the start); one that is packed as much as one of 200 kB. Any other input may take as
long, and its size and 64 MB of memory. Shown are the largest share of that and what the files of 1 MB took.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
import tracemalloc
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import _main

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from damaged import KINDS, LARGE, Kind, enlarged  # noqa: E402

from sixprime.formats import FORMATS  # noqa: E402

MEASURED = 200  # of every so many inputs the memory is measured
CHUNK = 1000  # inputs that a process works on at a time
MOST_MEMORY = 6 << 30  # bytes of addresses, most of which the libraries ask for and never use
HANGS = 60  # seconds of processor time after which an input is given up
MOST_FAILURES = 20


@dataclass(slots=True)
class Cost:
    """The most that inputs took, as a share of what they may, and the most for each byte; and what went wrong."""

    seconds: float = 0.0
    memory: float = 0.0
    seconds_per_byte: float = 0.0
    memory_per_byte: float = 0.0
    spent: float = 0.0
    inputs: int = 0
    failures: list[str] = field(default_factory=list)

    def time(self, seconds: float, data: bytes, allowed: float) -> bool:
        """Whether that is not too long."""
        self.seconds = max(self.seconds, seconds / allowed)
        self.seconds_per_byte = max(self.seconds_per_byte, seconds / len(data)) if data else 0.0
        return seconds <= allowed

    def space(self, peak: int, data: bytes, allowed: float) -> bool:
        """Whether that is not too much."""
        self.memory = max(self.memory, peak / allowed)
        self.memory_per_byte = max(self.memory_per_byte, peak / len(data)) if data else 0.0
        return peak <= allowed

    def add(self, other: Cost) -> None:
        """Counts what another process found."""
        for name in ("seconds", "memory", "seconds_per_byte", "memory_per_byte"):
            setattr(self, name, max(getattr(self, name), getattr(other, name)))
        self.spent += other.spent
        self.inputs += other.inputs
        self.failures += other.failures


class Hung(BaseException):
    """An input that takes far too long."""


def _give_up(*_: object) -> None:
    raise Hung


def complaint(kind: Kind, number: int, data: bytes, cost: Cost, measured: int = MEASURED) -> str | None:
    """What went wrong with an input; None for nothing. Of every `measured` inputs the memory is looked at."""
    size = max(len(data), kind.packed)
    start, each = kind.memory
    if number % measured == 0:
        tracemalloc.start()
        with contextlib.suppress(Exception):
            kind.feed(data)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        if not cost.space(peak, data, start + each * size):
            return f"{peak} bytes of memory for {len(data)} bytes"
    times = []
    allowed = kind.seconds[0] + kind.seconds[1] * size
    for _ in range(3):
        gc.disable()  # as in formats.read_all
        started = time.process_time()
        try:
            kind.feed(data)
        except kind.errors:
            pass
        except Hung:
            return f"no end after {HANGS} s"
        except Exception as error:
            return f"{type(error).__name__}: {error}"[:500]
        finally:
            times.append(time.process_time() - started)
            gc.enable()
        if times[-1] <= allowed / 2:
            break  # else perhaps the machine was busy; what is really slow is so again
    if not cost.time(min(times), data, allowed):
        return f"{min(times):.3f} s for {len(data)} bytes"
    return None


@cache
def _seeds(name: str, folders: tuple[Path, ...]) -> list[bytes]:
    return KINDS[name].seeds(folders)


def run(name: str, folders: tuple[Path, ...], first: int, last: int, large: bool) -> Cost:
    """Feeds the inputs `first` to `last` - 1 of a kind; large: those of about 1 MB."""
    kind, seeds, cost = KINDS[name], _seeds(name, folders), Cost()
    warnings.simplefilter("error")
    started = time.process_time()
    if resource is not None:
        # What would take all memory fails in here instead.
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    if hasattr(signal, "SIGVTALRM"):
        signal.signal(signal.SIGVTALRM, _give_up)
    for number in range(first, last):
        data = enlarged(random.Random(f"{name} large {number}"), seeds, name) if large else kind.input(number, seeds)
        if hasattr(signal, "SIGVTALRM"):
            signal.setitimer(signal.ITIMER_VIRTUAL, HANGS)
        said = complaint(kind, number, data, cost, 1 if large else MEASURED)
        if said is not None:
            cost.failures.append(f"{name}: {'large ' if large else ''}input {number}: {said}")
        if len(cost.failures) >= MOST_FAILURES:
            break
    if hasattr(signal, "SIGVTALRM"):
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    cost.spent, cost.inputs = time.process_time() - started, last - first
    return cost


def _follow() -> None:
    """In a process that works: ends it with the one that started it, which alone answers Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


@contextlib.contextmanager
def _ended() -> Iterator[None]:
    """Ends all that work where the block is left early: nobody waits for what they are at."""
    try:
        yield
    except BaseException:
        for process in multiprocessing.active_children():
            process.terminate()
        raise


def chunks(first: int, count: int, size: int) -> Iterator[tuple[int, int]]:
    """Spans of at most `size` numbers."""
    for start in range(first, first + count, size):
        yield start, min(start + size, first + count)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="*", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--inputs", type=int, help="for each kind; by default what the kind names, a million in all")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--large", type=int, default=2, help="inputs of about 1 MB, for each format of matches")
    parser.add_argument("--seeds", type=Path, nargs="*", default=[], help="folders with more files")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    folders = (TESTS / "data", *options.seeds)
    failures = total = 0
    spent = 0.0
    with ProcessPoolExecutor(options.processes, initializer=_follow) as pool, _ended():
        for name in options.kinds:
            count = KINDS[name].inputs if options.inputs is None else options.inputs
            small, large = Cost(), Cost()
            works = [pool.submit(run, name, folders, *span, False) for span in chunks(options.first, count, CHUNK)]
            if name in FORMATS:
                works += [pool.submit(run, name, folders, *span, True) for span in chunks(0, options.large, 1)]
            for index, work in enumerate(works):
                (small if index < -(-count // CHUNK) else large).add(work.result())
            for said in (small.failures + large.failures)[:MOST_FAILURES]:
                print(said, flush=True)
            failures += len(small.failures) + len(large.failures)
            total += small.inputs + large.inputs
            spent += small.spent + large.spent
            print(
                f"{name}: {small.inputs} inputs from {len(_seeds(name, folders))} seeds, "
                f"{len(small.failures) + len(large.failures)} failures, {small.spent + large.spent:.0f} s of one core; "
                f"at most {small.seconds:.0%} of the time and {small.memory:.0%} of the memory allowed"
                + (
                    f"; of {LARGE / 1e6:g} MB: {large.seconds_per_byte * 1e6:.2f} s, "
                    f"{large.memory_per_byte:.1f} times the size"
                    if large.inputs
                    else ""
                ),
                flush=True,
            )
    print(f"{total} inputs, {failures} failures, {spent:.0f} s of one core")
    return 1 if failures else 0


if __name__ == "__main__":
    _main.run(main)
