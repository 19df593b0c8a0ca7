"""What a user waits for and what memory it takes: `--help`, a warm `hint`, the analysis of a match.

Each command runs in a process of its own, after a first run that fills the cache of compiled kernels.
Memory is the peak resident set. GNU Backgammon stands beside with the same hint and the same analysis.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import _gnubg
import _main
import _measure

ID, DICE = "4HPwATDgc/ABMA", (3, 1)


class Run(NamedTuple):
    """What one process took: seconds on the clock, CPU seconds, MB at its peak."""

    wall: float
    cpu: float
    memory: float


def main() -> None:
    parser = _measure.options(__doc__, pairs=5)
    parser.add_argument("file", nargs="?", help="a .mat file; by default the sample match of the package")
    arguments = parser.parse_args()
    program = _gnubg.find(arguments.gnubg)

    # Nothing heavy is imported here: a new process starts with the peak memory of the one that made it.
    import sixprime

    path = Path(arguments.file or sixprime.sample_match())
    own = [sys.executable, "-m", "sixprime"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copy = folder / "match.mat"
        shutil.copyfile(path, copy)
        hint_folder, match_folder = folder / "hint", folder / "match"
        commands: dict[str, tuple[list[str], dict[str, str] | None]] = {
            "sixprime --help": ([*own, "--help"], None),
            "sixprime hint": ([*own, "hint", ID, "--dice", "".join(map(str, DICE))], None),
            "gnubg hint": _gnubg.command(program, hint_folder, "hint", id=ID, dice=DICE),
            "sixprime analyse": ([*own, "analyse", str(copy), "--html", str(folder / "report.html")], None),
            "sixprime analyse, 1 thread": ([*own, "analyse", str(copy), "--threads", "1"], None),
            "gnubg analyse": _gnubg.command(program, match_folder, "match", path=str(copy)),
        }
        results: dict[str, Any] = {}
        rows = [["command", "wall, best", "wall, median", "CPU, median", "peak memory"]]
        for label, (line, environment) in commands.items():
            if environment is None:
                _run(line, environment)  # compiles the kernels where that is still to be done
            runs = [_run(line, environment) for _ in range(1 if "analyse" in label else arguments.pairs)]
            walls, cpu = [run.wall for run in runs], median(run.cpu for run in runs)
            memory = max(run.memory for run in runs)
            results[label] = {
                "wall_best_seconds": min(walls),
                "wall_seconds": median(walls),
                "cpu_seconds": cpu,
                "peak_megabytes": memory,
            }
            rows.append([label, f"{min(walls):.2f} s", f"{median(walls):.2f} s", f"{cpu:.2f} s", f"{memory:,.0f} MB"])
    _measure.show(results, arguments.json, f"{path.name}. {_measure.beside(program)}", rows)


def _run(line: list[str], environment: dict[str, str] | None) -> Run:
    start = time.perf_counter()
    process = subprocess.Popen(
        line, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(line)} ended with {process.returncode}")
    # Kilobytes on Linux, bytes on macOS.
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3))


if __name__ == "__main__":
    _main.run(main)
