"""What the benchmarks share: options, positions, alternating pairs, tables."""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import _gnubg

if TYPE_CHECKING:
    from sixprime import Engine, Position

# One thread means one thread; NumPy reads this when it is imported, which happens later.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

LONGEST = 60
"""Turns of self-play after which at the latest a position is taken."""


def options(
    text: str | None, *, pairs: int, positions: int | None = None, gnubg: bool = True
) -> argparse.ArgumentParser:
    """A parser with the options of all benchmarks; `text` is the docstring of the script."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    if gnubg:
        parser.add_argument("--gnubg", metavar="PATH", help="GNU Backgammon; by default it is looked for")
    parser.add_argument("--pairs", type=int, default=pairs, help="measurements of each side (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    if positions:
        parser.add_argument("--positions", type=int, default=positions, help="how many (%(default)s)")
        parser.add_argument("--seed", type=int, default=1, help="of the self-play (%(default)s)")
    return parser


def decisions(engine: Engine, count: int, seed: int) -> tuple[list[Position], list[tuple[int, int]]]:
    """Positions and rolls with at least two legal plays, one from each of `count` games of 0-ply self-play.

    Each comes from a random turn of its game, so that all phases occur. A game that ends before that turn
    begins again.
    """
    from sixprime import Position
    from sixprime.engine import PlayRequest

    source = random.Random(seed)
    left = [source.randint(0, LONGEST) for _ in range(count)]
    now = [Position.start()] * count
    playing = list(range(count))
    rolls = [(1, 1)] * count
    while playing:
        for game in playing:
            rolls[game] = (source.randint(1, 6), source.randint(1, 6))
        playing = [g for g in playing if left[g] > 0 or len(now[g].plays(rolls[g])) < 2]
        requests = [PlayRequest(now[game], rolls[game]) for game in playing]
        for game, plays in zip(playing, engine.rank_plays_many(requests, plies=0, count=1), strict=True):
            after = plays[0].play.result
            now[game] = Position.start() if after.winner is not None else after
            left[game] -= 1
    return now, rolls


def cpu_seconds(work: Callable[[], object], least: float = 0.0) -> float:
    """CPU seconds of this process that one call takes: the mean of as many calls as fill `least` seconds."""
    calls = 0
    start = time.process_time()
    while True:
        work()
        calls += 1
        elapsed = time.process_time() - start
        if elapsed >= least:
            return elapsed / calls


def alternate(first: Callable[[], Any], second: Callable[[], Any], pairs: int) -> tuple[list[Any], list[Any]]:
    """Results of both sides, measured in pairs; each pair begins with the side that ended the last one."""
    results: tuple[list[Any], list[Any]] = ([], [])
    for pair in range(pairs):
        for side in (0, 1) if pair % 2 == 0 else (1, 0):
            results[side].append((first, second)[side]())
    return results


def ratio(large: Sequence[float], small: Sequence[float]) -> float:
    """Median of the ratios of the pairs."""
    return statistics.median(a / b for a, b in zip(large, small, strict=True))


def spread(large: Sequence[float], small: Sequence[float]) -> str:
    """Smallest and largest ratio of the pairs."""
    ratios = sorted(a / b for a, b in zip(large, small, strict=True))
    return f"{ratios[0]:.2f} to {ratios[-1]:.2f}"


def load() -> str:
    """How busy the machine is."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def show(results: dict[str, Any], as_json: bool, title: str, rows: Sequence[Sequence[str]]) -> None:
    """Prints the results as JSON, or the title and an aligned table whose first row is its head."""
    if as_json:
        print(json.dumps(results))
        return
    print(f"{title} ({load()})\n")
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        print("  ".join(cells).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))


def beside(program: str) -> str:
    """Which versions are compared."""
    import sixprime

    return f"Sixprime {sixprime.__version__} beside {_gnubg.version(program)}, one thread each"
