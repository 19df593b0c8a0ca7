"""Matches per minute of one command over a folder of matches, beside GNU Backgammon's command line doing the same.

Both read every match, judge all plays, cube decisions and rolls, and print the totals. Wall seconds of the whole
process, start and end included; GNU Backgammon with as many threads as it is given (`--their-threads`), which by itself
takes one. The larger share of the machine others take, the less wall seconds say: CPU seconds are printed beside them.
"""

from __future__ import annotations

import os
import resource
import shutil
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

_SCRIPT = """set threads {threads}
set confirm new off
set automatic game off
set automatic roll off
set display off
set analysis chequerplay evaluation plies {plies}
set analysis cubedecision evaluation plies {plies}
set analysis luckanalysis plies 0
"""


def main() -> None:
    parser = _measure.options(__doc__, pairs=1)
    parser.add_argument("folder", help="of matches that both programs read, such as .mat files")
    parser.add_argument("--plies", type=int, nargs="+", default=[0, 2], help="depths (%(default)s)")
    parser.add_argument("--most", type=int, default=100, help="matches of the folder (%(default)s)")
    parser.add_argument("--their-threads", type=int, default=1, help="of GNU Backgammon (%(default)s)")
    arguments = parser.parse_args()
    program = _gnubg.find(arguments.gnubg)
    given = Path(arguments.folder)
    files = sorted(path for path in given.iterdir() if path.is_file())[: arguments.most] if given.is_dir() else []
    if not files:
        sys.exit(f"{given} is no folder of matches")
    results: dict[str, Any] = {"threads": os.cpu_count(), "their_threads": arguments.their_threads}
    rows = [["", "GNU Backgammon", "Sixprime", "times as many", "CPU seconds"]]
    with tempfile.TemporaryDirectory() as name:
        # Names that GNU Backgammon's command line takes.
        folder = Path(name) / "matches"
        folder.mkdir()
        for number, path in enumerate(files):
            shutil.copyfile(path, folder / f"m{number:04}.mat")
        copies = sorted(folder.iterdir())
        home = Path(name) / "home"
        home.mkdir()
        results["matches"] = len(copies)
        for plies in arguments.plies:
            script = _SCRIPT.format(threads=arguments.their_threads, plies=plies)
            script += "".join(f'import mat "{path}"\nanalyse match\nshow statistics match\n' for path in copies)

            def theirs(script: str = script) -> tuple[float, float]:
                environment = {**os.environ, "HOME": str(home)}
                environment.pop("PYTHONPATH", None)
                done, *seconds = _timed([program, "-t", "-q", "-r"], script, environment)
                found = done.count("Chequerplay statistics")
                if found < len(copies):
                    print(f"GNU Backgammon printed the totals of {found} of {len(copies)} matches", file=sys.stderr)
                return seconds[0], seconds[1]

            def ours(plies: int = plies) -> tuple[float, float]:
                command = [sys.executable, "-m", "sixprime", "analyse", str(folder), "--plies", str(plies)]
                done, *seconds = _timed(command, None, dict(os.environ))
                if (found := done.count(".mat: ")) < len(copies):
                    print(f"Sixprime printed {found} of {len(copies)} matches", file=sys.stderr)
                return seconds[0], seconds[1]

            pairs: tuple[Callable[[], Any], Callable[[], Any]] = theirs, ours
            their_seconds, own_seconds = _measure.alternate(*pairs, arguments.pairs)
            wall = [median(run[0] for run in side) for side in (their_seconds, own_seconds)]
            cpu = [median(run[1] for run in side) for side in (their_seconds, own_seconds)]
            rates = [60 * len(copies) / seconds for seconds in wall]
            results |= {
                f"gnubg_per_minute_{plies}_ply": rates[0],
                f"per_minute_{plies}_ply": rates[1],
                f"ratio_{plies}_ply": rates[1] / rates[0],
                f"cpu_ratio_{plies}_ply": cpu[0] / cpu[1],
            }
            rows.append([
                f"{plies}-ply, matches a minute", f"{rates[0]:.0f}", f"{rates[1]:.0f}", f"{rates[1] / rates[0]:.2f}",
                f"{cpu[0]:.1f} and {cpu[1]:.1f}",
            ])  # fmt: skip
    title = f"{len(copies)} matches, {os.cpu_count()} cores. " + _measure.beside(program)
    _measure.show(results, arguments.json, title, rows)


def _timed(command: list[str], text: str | None, environment: dict[str, str]) -> tuple[str, float, float]:
    """What a process prints, and the wall and CPU seconds that it and its children take."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, input=text, env=environment, capture_output=True, text=True, errors="replace")
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    _main.run(main)
