"""CPU seconds of the analysis of a whole match: plays and cubes of both sides at 2-ply, Normal filter, and luck.

"Analysis" is reading and analysing without the start of the program; "whole command" is everything from the
start to the end of the process.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

import _gnubg
import _main
import _measure

T = TypeVar("T")


def main() -> None:
    parser = _measure.options(__doc__, pairs=3)
    parser.add_argument("file", nargs="?", help="a .mat file; by default the sample match of the package")
    arguments = parser.parse_args()
    program = _gnubg.find(arguments.gnubg)

    import sixprime

    path = Path(arguments.file or sixprime.sample_match())
    engine = sixprime.Engine(threads=1)

    def analyse() -> sixprime.MatchReport:
        engine.forget()
        return sixprime.analyse(sixprime.read(path), engine, plies=2, filter="normal")

    report = analyse()
    moves = sum(bool(decision.plays) for decision in report.decisions)
    with tempfile.TemporaryDirectory() as name:
        # GNU Backgammon's command line cannot quote every name a file may have.
        copy = Path(name) / "match.mat"
        shutil.copyfile(path, copy)
        command = [sys.executable, "-m", "sixprime", "analyse", str(copy), "--threads", "1"]

        # Where Python may not keep its bytecode, it would compile everything each time.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

        def theirs() -> tuple[dict[str, Any], float]:
            return _with_children(lambda: _gnubg.run(program, "match", path=str(copy)))

        def ours() -> tuple[float, float]:
            _, whole = _with_children(lambda: subprocess.run(command, env=environment, check=True, capture_output=True))
            return _measure.cpu_seconds(analyse), whole

        ours()
        gnubg, own = _measure.alternate(theirs, ours, arguments.pairs)

    answer = gnubg[0][0]
    results: dict[str, Any] = {"file": path.name, "length": report.match.length, "moves": moves}
    rows = [["CPU seconds", "GNU Backgammon", "Sixprime", "share", "of the pairs"]]
    for name, key, their_seconds, own_seconds in (
        ("analysis", "analysis", [run["seconds"] for run, _ in gnubg], [seconds for seconds, _ in own]),
        ("whole command", "command", [whole for _, whole in gnubg], [whole for _, whole in own]),
    ):
        share = _measure.ratio(own_seconds, their_seconds)
        results |= {
            f"gnubg_{key}_seconds": median(their_seconds),
            f"{key}_seconds": median(own_seconds),
            f"{key}_share": share,
        }
        seconds = f"{median(their_seconds):.2f}", f"{median(own_seconds):.2f}"
        rows.append([name, *seconds, f"{share:.2f}", _measure.spread(own_seconds, their_seconds)])
    title = f"{path.name}, {report.match.length} points, {moves} moves (GNU Backgammon counts {answer['moves']}). "
    _measure.show(results, arguments.json, title + _measure.beside(program), rows)


def _with_children(work: Callable[[], T]) -> tuple[T, float]:
    """The result of `work`, and the CPU seconds of the processes it started and waited for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    _main.run(main)
