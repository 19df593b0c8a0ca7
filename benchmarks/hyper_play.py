"""What is lost in hypergammon, by the exact databases: by the engine, which looks positions up, and by nets alone.

Money games without the Jacoby rule, every other play at random, so that strange positions are met, too. A play is
charged what its exact equity, cube in the middle, is behind the best one's; doubling, and taking, where the two answers
are no further apart than .25. In thousandths of a point.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import dataclass, replace
from statistics import fmean, stdev
from typing import Any

import _main


@dataclass(frozen=True)
class Decision:
    """A position before the roll, and a roll with the exact equity after every play of it."""

    position: Any
    dice: tuple[int, int]
    after: dict[Any, float]


def decisions(chequers: int, count: int, seed: int) -> list[Decision]:
    """Decisions between several plays."""
    from sixprime import Position

    dice, found = random.Random(seed), []
    while len(found) < count:
        here = Position.start(f"hypergammon{chequers}")
        while here.winner is None:
            roll = (dice.randint(1, 6), dice.randint(1, 6))
            plays = here.plays(roll)
            after = {play.result: -exact(play.result)[0] for play in plays} or {here.swapped(): 0.0}
            if len(after) > 1:
                found.append(Decision(here, roll, after))
            here = dice.choice([*after]) if dice.random() < 0.5 else max(after, key=lambda end: after[end])
    return found[:count]


def exact(position: Any) -> tuple[float, float, float]:
    """For who is on roll with the cube in the middle: the equity, and those of no double and of double, take."""
    from sixprime.bearoff.hyper import hyper

    value = hyper(position.chequers).value(position)
    keep, take = value.centred, 2 * value.opponent
    if position.winner is not None:
        return keep, keep, keep
    return max(keep, min(take, 1.0)), keep, take


def lost(engine: Any, some: list[Decision], plies: int) -> dict[str, list[float]]:
    """The losses of an engine, by kind of decision."""
    from sixprime import MatchState
    from sixprime.engine import PlayRequest
    from sixprime.train.truth import NEAR

    state = MatchState(jacoby=False, beavers=0)
    ranked = engine.rank_plays_many([PlayRequest(d.position, d.dice, state) for d in some], plies=plies, count=1)
    found: dict[str, list[float]] = {"play": [], "double": [], "take": []}
    for decision, plays in zip(some, ranked, strict=True):
        found["play"].append(max(decision.after.values()) - decision.after[plays[0].play.result])
    cubes = engine.cube_many([(decision.position, state) for decision in some], plies=plies)
    for decision, cube in zip(some, cubes, strict=True):
        _, keep, take = exact(decision.position)
        doubled = min(take, 1.0)
        if abs(keep - doubled) < NEAR:
            found["double"].append(max(keep, doubled) - (doubled if cube.should_double else keep))
        if abs(take - 1.0) < NEAR:
            found["take"].append(0.0 if cube.should_take == (take <= 1.0) else abs(take - 1.0))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chequers", type=int, nargs="+", choices=(1, 2, 3), default=[1, 2, 3])
    parser.add_argument("--count", type=int, default=2000, help="plays of each game (%(default)s)")
    parser.add_argument("--plies", type=int, nargs="+", default=[0, 2])
    parser.add_argument("--seed", type=int, default=1, help="of the games (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()

    from sixprime import Engine
    from sixprime.bearoff import Databases
    from sixprime.bearoff.hyper import hyper

    blind = replace(Databases.found(), hyper=lambda _: None)
    engines = {"looked up": Engine(threads=1), "net alone": Engine(threads=1, databases=blind)}
    results: dict[str, Any] = {}
    for chequers in arguments.chequers:
        hyper(chequers)
        some = decisions(chequers, arguments.count, arguments.seed)
        for name, engine in engines.items():
            for plies in arguments.plies:
                found = lost(engine, some, plies)
                results[f"{chequers}, {name}, {plies}-ply"] = {
                    kind: [len(losses), 1000 * fmean(losses), 1000 * stdev(losses) / len(losses) ** 0.5, max(losses)]
                    for kind, losses in found.items()
                    if len(losses) > 1
                }
    if arguments.json:
        print(json.dumps(results))
        return
    print(f"{'':24}" + "".join(f"{kind:>26}" for kind in ("play", "double", "take")))
    for name, kinds in results.items():
        cells = (
            f"{kinds[kind][0]:8} {kinds[kind][1]:8.2f} ± {kinds[kind][2]:5.2f}" if kind in kinds else ""
            for kind in ("play", "double", "take")
        )
        print(f"{name:24}" + "".join(f"{cell:>26}" for cell in cells))


if __name__ == "__main__":
    _main.run(main)
