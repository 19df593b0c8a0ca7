"""Hypergammon solved: seconds on the clock and of the processor, and the greatest change of a number in each sweep.

With --gnubg GNU Backgammon's makehyper of the same number of chequers stands beside it; for 3 it takes over an hour.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import _main


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("chequers", type=int, choices=(1, 2, 3), nargs="?", default=3)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--gnubg", metavar="MAKEHYPER", help="run this program, too")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()

    from sixprime.bearoff.hyper import Hyper, residuals

    Hyper.build(1)  # compiles the kernels where that is still to be done
    wall, cpu = time.perf_counter(), time.process_time()
    changes = list(residuals(arguments.chequers, arguments.threads))
    result: dict[str, Any] = {
        "chequers": arguments.chequers,
        "threads": arguments.threads,
        "wall_seconds": time.perf_counter() - wall,
        "cpu_seconds": time.process_time() - cpu,
        "changes": changes,
    }
    if arguments.gnubg:
        with tempfile.TemporaryDirectory() as folder:
            command = [arguments.gnubg, "-n", "-c", str(arguments.chequers), "-f", str(Path(folder) / "hyper.bd")]
            before = os.times()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            after = os.times()
            result["makehyper_cpu_seconds"] = after.children_user - before.children_user
    if arguments.json:
        print(json.dumps(result))
        return
    for sweep, change in enumerate(changes, 1):
        print(f"sweep {sweep:3}  {change:.1e}")
    print(f"{result['wall_seconds']:.1f} s on {arguments.threads} threads, {result['cpu_seconds']:.1f} s of processor")
    if arguments.gnubg:
        print(f"makehyper: {result['makehyper_cpu_seconds']:.1f} s of processor")


if __name__ == "__main__":
    _main.run(main)
