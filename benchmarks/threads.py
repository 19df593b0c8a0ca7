"""Two threads against one: wall time of the analysis of a match and of a batch of 2-ply evaluations.

This needs an idle machine, so the share of a core that the single thread got is printed; below 95 % the
speed-up says little. "At most" is then a better guide: the CPU time of one thread, divided by that of the
busiest thread and of what only the calling thread does. Waiting for each other is not in it. (Linux only.)
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import _main
import _measure


class Run(NamedTuple):
    """Seconds of one run: on the clock, of all threads together, of the longest chain of work."""

    wall: float
    cpu: float
    chain: float


def main() -> None:
    parser = _measure.options(__doc__, pairs=5, positions=256, gnubg=False)
    parser.add_argument("file", nargs="?", help="a .mat file; by default the sample match of the package")
    parser.add_argument("--threads", type=int, default=2, help="to compare with one (%(default)s)")
    arguments = parser.parse_args()

    import sixprime

    single, several = sixprime.Engine(threads=1), sixprime.Engine(threads=arguments.threads)
    match = sixprime.read(Path(arguments.file or sixprime.sample_match()))
    positions, _ = _measure.decisions(single, arguments.positions, arguments.seed)
    jobs: dict[str, Callable[[sixprime.Engine], object]] = {
        "evaluate_many": lambda engine: engine.evaluate_many(positions, plies=2),
        "analyse": lambda engine: sixprime.analyse(match, engine, plies=2),
    }
    results: dict[str, Any] = {"threads": arguments.threads}
    rows = [["wall seconds", "1 thread", f"{arguments.threads} threads", "ratio", "of the pairs", "share", "at most"]]
    for name, job in jobs.items():
        job(several)
        one, two = _measure.alternate(lambda: _run(job, single), lambda: _run(job, several), arguments.pairs)  # noqa: B023
        walls = [run.wall for run in one], [run.wall for run in two]
        speedup = _measure.ratio(*walls)
        limit = median(run.cpu for run in one) / median(run.chain for run in two)
        share = median(run.cpu / run.wall for run in one)
        results[name] = {
            "seconds": median(walls[0]),
            "threaded_seconds": median(walls[1]),
            "speedup": speedup,
            "speedup_at_most": limit,
            "core_share": share,
        }
        seconds = f"{median(walls[0]):.2f}", f"{median(walls[1]):.2f}"
        rows.append([name, *seconds, f"{speedup:.2f}", _measure.spread(*walls), f"{share:.0%}", f"{limit:.2f}"])
    title = f"{len(positions)} positions; a match of {len(match.games)} games. Sixprime {sixprime.__version__}"
    _measure.show(results, arguments.json, title, rows)


def _run(job: Callable[[Any], object], engine: Any) -> Run:
    engine.forget()
    before, wall, cpu = _thread_seconds(), time.perf_counter(), time.process_time()
    job(engine)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    spent = {thread: seconds - before.get(thread, 0.0) for thread, seconds in _thread_seconds().items()}
    caller = spent.pop(os.getpid(), cpu)
    return Run(wall, cpu, caller + max(spent.values(), default=0.0))


def _thread_seconds() -> dict[int, float]:
    """CPU seconds of each thread of this process so far, by thread number; the first has that of the process."""
    return {
        int(folder.name): int((folder / "schedstat").read_text().split()[0]) / 1e9
        for folder in Path("/proc/self/task").glob("*")
    }


if __name__ == "__main__":
    _main.run(main)
