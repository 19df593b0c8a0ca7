"""How far nets are from the lessons of a training run, at several plies; and from their own deepest ply.

    python benchmarks/lessons.py RUN standard other.safetensors [--harvests 1] [--positions 8000] [--plies 0 1 2]

RUN is the folder of `sixprime train`. Root mean squares of cubeless equity, over whole decisions of the last harvests:
of the values, and of what the plays of one decision differ by from their mean. Values of 2 plies have little noise, so
what lessons and 2 plies differ by is mostly that of the lessons, and what 0 and 2 plies differ by is what the net has
not learnt. A net that has seen the lessons is nearer to them than to others of their kind.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import _main
import _measure
import numpy as np
from numpy.typing import NDArray


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="RUN", help="folder of a training run")
    parser.add_argument("nets", nargs="+", metavar="NET", help="a file or the name of a net that ships")
    parser.add_argument("--harvests", type=int, default=1, help="how many of the last ones count, 0 for all (1)")
    parser.add_argument("--plies", type=int, nargs="+", choices=range(4), default=[0, 1, 2], help="how deep (0 1 2)")
    parser.add_argument("--positions", type=int, default=8000, help="how many lessons, about (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the draw of decisions (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()

    from sixprime import Engine, Position, SixprimeError, kernels

    plies = sorted(set(arguments.plies))
    try:
        boards, taught, decisions = drawn(arguments)
        positions = [Position.from_board(board) for board in kernels.unpack(boards)]
        engines = {name: Engine(name, threads=1) for name in dict.fromkeys(arguments.nets)}
    except SixprimeError as error:
        parser.exit(1, f"{error}\n")
    table = [["net", "plies", "bias", "from lessons", "within", f"from {plies[-1]} plies", "within"]]
    for name, engine in engines.items():
        found = {}
        for depth in plies:
            judged = engine.evaluate_many(positions, plies=depth)
            found[depth] = np.array([each.cubeless_equity for each in judged])
        for depth in plies:
            off = found[depth] - taught
            own = _spread(found[depth] - found[plies[-1]], decisions) if depth < plies[-1] else ["", ""]
            table.append([name, str(depth), f"{off.mean():+.4f}", *_spread(off, decisions), *own])
    title = f"{len(boards):,} lessons of {decisions[-1] + 1:,} decisions. "
    _measure.show({"lessons": len(boards), "rows": table[1:]}, arguments.json, title, table)


def drawn(arguments: argparse.Namespace) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.int64]]:
    """About so many lessons, by whole decisions drawn at random: boards `int8[N, 32]`, cubeless equities `float64[N]`
    of the side on roll, and the decisions' numbers `int64[N]`, from 0 on."""
    from sixprime.cube.values import MONEY_WEIGHTS
    from sixprime.train.harvest import UNIT
    from sixprime.train.pipeline import read_lessons

    boards, targets, decisions, _ = read_lessons([arguments.run], arguments.harvests)
    names, sizes = np.unique(decisions, return_counts=True)
    order = np.random.default_rng(arguments.seed).permutation(len(names))
    enough = int(np.searchsorted(sizes[order].cumsum(), arguments.positions)) + 1
    which = np.flatnonzero(np.isin(decisions, names[order[:enough]]))
    which = which[np.argsort(decisions[which], kind="stable")]
    _, numbers = np.unique(decisions[which], return_inverse=True)
    # A lost single game is worth -1, which the weights leave out.
    return boards[which], targets[which] / UNIT @ MONEY_WEIGHTS - 1, numbers


def _spread(off: NDArray[np.float64], decisions: NDArray[np.int64]) -> list[str]:
    """Root mean squares of differences, and of what they differ by from their mean in a decision of several plays."""
    sizes = np.bincount(decisions)
    apart = off - (np.bincount(decisions, off) / sizes)[decisions]
    rivals = sizes[decisions] > 1
    return [f"{np.sqrt((each**2).mean()):.4f}" for each in (off, apart[rivals])]


if __name__ == "__main__":
    _main.run(main)
