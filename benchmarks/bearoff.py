"""Bear-off databases beside GNU Backgammon's makebearoff, and look-ups per second.

Both build one-sided 15x6 and two-sided 6x6 with all values, in memory here, into a file there. CPU seconds of one
thread; makebearoff has no more. "Command" is our whole command, with Python's start, on all cores, on the clock.
Look-ups are outcomes of random bear-offs within the points of the database, in batches, on one core.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import _gnubg
import _main
import _measure
import numpy as np

BOARDS = 200_000


def main() -> None:
    parser = _measure.options(__doc__, pairs=3)
    arguments = parser.parse_args()
    program = Path(_gnubg.find(arguments.gnubg)).with_name("makebearoff")

    from sixprime.bearoff import OneSided, TwoSided

    databases: dict[str, tuple[Callable[[], object], list[str], list[str]]] = {
        "one-sided 15x6": (lambda: OneSided.build(6, 15, threads=1), ["-o", "6"], ["15x6"]),
        "two-sided 6x6": (lambda: TwoSided.build(6, 6, threads=1), ["-t", "6x6"], ["two-sided", "6x6"]),
    }
    results: dict[str, Any] = {}
    rows = [["CPU seconds", "Sixprime", "makebearoff", "ratio", "of the pairs", "command, wall"]]
    for name, (own, theirs, words) in databases.items():
        own()
        _command(words)
        ours, others = _measure.alternate(
            lambda: _measure.cpu_seconds(own),  # noqa: B023
            lambda: _makebearoff(program, theirs),  # noqa: B023
            arguments.pairs,
        )
        walls = [_command(words) for _ in range(arguments.pairs)]
        results[name] = {
            "seconds": median(ours),
            "makebearoff_seconds": median(others),
            "ratio": _measure.ratio(others, ours),
            "command_wall_seconds": median(walls),
        }
        rows.append(
            [
                name,
                f"{median(ours):.3f}",
                f"{median(others):.2f}",
                f"{_measure.ratio(others, ours):.1f}",
                _measure.spread(others, ours),
                f"{median(walls):.2f} s",
            ]
        )
    title = f"{_measure.beside(_gnubg.find(arguments.gnubg))}; aim: ratio at least 5"
    results["lookups_per_second"] = _lookups(arguments.pairs)
    _measure.show(results, arguments.json, title, rows)
    if not arguments.json:
        print(f"\nLook-ups per second: {results['lookups_per_second'] / 1e6:.1f} million outcomes (aim: at least 5)")


def _makebearoff(program: Path, options: list[str]) -> float:
    """CPU seconds of makebearoff."""
    with tempfile.TemporaryDirectory() as folder:
        line = [str(program), *options, "-f", str(Path(folder) / "out.bd")]
        process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{' '.join(line)} ended with {process.returncode}")
        return usage.ru_utime + usage.ru_stime


def _command(words: list[str]) -> float:
    """Seconds on the clock of `sixprime bearoff build` in an empty data folder."""
    with tempfile.TemporaryDirectory() as folder:
        line = [sys.executable, "-m", "sixprime", "bearoff", "build", *words]
        environment = {**os.environ, "SIXPRIME_DATA": folder}
        start = time.perf_counter()
        subprocess.run(line, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True)
        return time.perf_counter() - start


def _lookups(repeats: int) -> float:
    """One-sided outcomes per second of one core: the best of some batches."""
    from sixprime.bearoff import one_sided

    random = np.random.default_rng(1)
    boards = np.zeros((BOARDS, 32), dtype=np.int8)
    for sign, first in ((1, 1), (-1, 19)):
        counts = random.integers(1, 16, BOARDS)
        for number in range(15):
            rows = np.flatnonzero(number < counts)
            boards[rows, random.integers(first, first + 6, len(rows))] += sign
        boards[:, 26 if sign > 0 else 27] = 15 - counts
    database = one_sided()
    return max(BOARDS / _measure.cpu_seconds(lambda: database.probabilities(boards), 0.1) for _ in range(repeats + 1))


if __name__ == "__main__":
    _main.run(main)
