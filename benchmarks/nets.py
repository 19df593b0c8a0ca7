"""Nets on the same decisions: what each loses, and how much more than the first, with the standard error of that.

    python benchmarks/nets.py NET... [--matches FOLDER] [--data FOLDER] [--plies 0 1 2]

A net is a file or the name of one that ships; with "+unpruned" its search judges all replies. Decisions are those of
`frontier.py`: plays and cubes of the truth set, of real matches by eXtreme Gammon's verdict (--matches: a folder of
`.xg` files), and plays of the reference rows (--data or SIXPRIME_REFDATA). Losses are mEMG per decision.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _main
import _measure
import numpy as np
from _asked import Asked, lost_by_cube, lost_by_play, real_decisions, rolled_out_plays, truth_decisions

if TYPE_CHECKING:
    from sixprime import Engine

UNPRUNED = "+unpruned"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nets", nargs="+", metavar="NET", help="the first is what the others are compared with")
    parser.add_argument("--matches", type=_main.folder, help="folder of .xg files with analyses")
    parser.add_argument("--data", type=Path, help="folder of the reference rows; by default SIXPRIME_REFDATA")
    parser.add_argument("--plies", type=int, nargs="+", choices=range(5), default=[0, 1, 2], help="how deep (0 1 2)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()

    from sixprime import Engine, SixprimeError
    from sixprime.train.strength import VARIABLE

    if len(set(arguments.nets)) < len(arguments.nets):
        parser.error("a net is named twice")
    asked = list(truth_decisions())
    try:
        if arguments.data or os.environ.get(VARIABLE):
            asked += rolled_out_plays(arguments.data)
        if arguments.matches:
            real = list(real_decisions(arguments.matches))
            if not real:
                parser.exit(1, f"{arguments.matches}: no file holds an analysis by eXtreme Gammon\n")
            asked += real
        engines = {
            name: Engine(name.removesuffix(UNPRUNED), threads=1, prune=not name.endswith(UNPRUNED))
            for name in arguments.nets
        }
    except SixprimeError as error:
        parser.exit(1, f"{error}\n")
    sets = list(dict.fromkeys(each.sets[0] for each in asked))
    places = {name: [i for i, each in enumerate(asked) if each.sets[0] == name] for name in sets}
    found: dict[str, Any] = {}
    table = [["net", "plies", *(f"{name} {len(places[name])}" for name in sets), "CPU seconds"]]
    for plies in arguments.plies:
        base = None
        for name, engine in engines.items():
            start = time.process_time()
            lost = _lost(engine, asked, plies)
            seconds = time.process_time() - start
            base = lost if base is None else base
            cells = [_cell(lost[places[each]], base[places[each]]) for each in sets]
            found[f"{name} {plies}"] = dict(zip(sets, cells, strict=True)) | {"seconds": seconds}
            texts = [f"{cell[0]:.2f}" if lost is base else _text(cell) for cell in cells]
            table.append([name, str(plies), *texts, f"{seconds:.1f}"])
    _measure.show(found, arguments.json, "Lost, mEMG per decision. ", table)


def _lost(engine: Engine, asked: Sequence[Asked], plies: int) -> np.ndarray:
    """Thousandths lost by every decision: float64[N]."""
    from sixprime.engine import PlayRequest

    engine.forget()
    plays, cubes = ([each for each in asked if bool(each.dice) == kind] for kind in (True, False))
    requests = [PlayRequest(each.position, each.dice, each.state) for each in plays]
    ranked = iter(engine.rank_plays_many(requests, plies=plies, count=None))
    doubled = iter(engine.cube_many([(each.position, each.state) for each in cubes], plies=plies))
    lost = [lost_by_play(each, next(ranked)) if each.dice else lost_by_cube(each, next(doubled)) for each in asked]
    return 1000 * np.array(lost)


def _cell(lost: np.ndarray, base: np.ndarray) -> list[float]:
    """The mean, how much more than the base, and the standard error of that."""
    more = lost - base
    return [lost.mean(), more.mean(), more.std(ddof=1) / np.sqrt(len(more))]


def _text(cell: list[float]) -> str:
    mean, more, error = cell
    return f"{mean:.2f}, {more:+.2f} ± {error:.2f}"


if __name__ == "__main__":
    _main.run(main)
