"""Rolls out positions at money with every cube: what `cube_choices.py fit` finds efficiencies by. Resumable.

Positions with contact of cubeless self-play at 0-ply, half of the games from the start and half from positions of the
rare kinds (`sixprime.train.starts`): those near a cube decision ("near"), and those one turn after one ("next"), which
are the leaves of searches of an odd number of plies; at most two a game. Each is rolled out with the cube in the
middle, owned by the other side and owned by the player on roll, who does not double before his first roll: 144 games,
without the Jacoby rule, cubes by the fitted model as it is. A line of the file has the kind, "start" or "rare", the
position ID, and for the three cubes equity and standard error, normalised to the cube.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import _main
import numpy as np
from _cubeplay import Matchup, Seen, by_model, opening_dice, play_out, start_boards
from cube_choices import CLASSIC, ROLLOUTS, equities
from numpy.typing import NDArray

from sixprime import Engine, MatchState, Position, RolloutSettings, kernels
from sixprime.cube.state import CubeState
from sixprime.kernels import search
from sixprime.train.starts import starts

TRIALS, GAMES, A_GAME = 144, 600, 2
SHARE = 0.3
"""Of the positions of a kind that are kept."""
NEAR_DOUBLE, NEAR_TAKE = 0.3, 0.35
CUBES = (None, 0, 1)
"""Owners: nobody, the other side, the player on roll."""


def positions(engine: Engine, kind: str, seed: int, count: int) -> list[tuple[str, NDArray[np.int8]]]:
    """ "start" or "rare" and packed boards, in an order that is random."""
    usual = _gathered(engine, kind, start_boards(engine, GAMES), seed * 1000 + 1)
    rare = _gathered(engine, kind, starts(seed, np.arange(2 * GAMES)), seed * 1000 + 2)
    random, half = np.random.default_rng(seed), count // 2
    found = [("start", usual[i]) for i in random.permutation(len(usual))[:half]]
    found += [("rare", rare[i]) for i in random.permutation(len(rare))[: count - half]]
    return [found[i] for i in random.permutation(len(found))]


def _gathered(engine: Engine, kind: str, boards: NDArray[np.int8], seed: int) -> list[NDArray[np.int8]]:
    random, games, states = np.random.default_rng(seed), len(boards), [CubeState(), CubeState(2, 1)]
    found: list[tuple[int, NDArray[np.int8]]] = []
    before = np.zeros(games, dtype=np.bool_)

    def watch(turn: int, numbers: NDArray[np.int64], seen: Seen, values: list) -> None:
        nonlocal before
        contact = np.isin(seen.codes, (search.CONTACT, search.CRASHED))
        if kind == "next":
            rows = np.flatnonzero(before[numbers] & contact & (random.random(len(numbers)) < SHARE))
            found.extend((int(numbers[k]), seen.boards[k].copy()) for k in rows)
            before, rows = np.zeros(games, dtype=np.bool_), np.flatnonzero(contact)
        else:
            rows = np.flatnonzero(contact & (random.random(len(numbers)) < SHARE))
        if turn == 0 or not len(rows):
            return
        groups = random.integers(len(states), size=len(rows)).astype(np.int32)
        hold, take = equities(engine, "fitted", seen.boards[rows], states, groups, 0)[1].T
        near = (np.abs(hold - np.minimum(take, 1)) < NEAR_DOUBLE) & (hold > 0) | (np.abs(take - 1) < NEAR_TAKE)
        before[numbers[rows[near]]] = True
        if kind == "near":
            found.extend((int(numbers[rows[k]]), seen.boards[rows[k]].copy()) for k in np.flatnonzero(near))

    base = by_model(CLASSIC)
    never = lambda seen: base(seen) * [0, 0, 0] + [[0.0, 0.0, -1.0]]  # noqa: E731
    matchup = Matchup(never, never, np.ones(games, dtype=np.int64), np.full(games, -1, dtype=np.int8))
    play_out(engine, boards, opening_dice(seed, games), [matchup], watch=watch)
    random.shuffle(found)
    seen_of: Counter[int] = Counter()
    kept = []
    for number, board in found:
        seen_of[number] += 1
        if seen_of[number] <= A_GAME:
            kept.append(board)
    return kept


def rolled(engine: Engine, position: Position) -> Iterator[float]:
    """Equity and standard error by cube."""
    on_roll = MatchState().on_roll
    for owner in CUBES:
        state = MatchState(jacoby=False)
        if owner is not None:
            state = MatchState(jacoby=False, cube=2, cube_owner=on_roll if owner else 1 - on_roll)
        estimate = engine.rollout(position, match=state, settings=RolloutSettings(trials=TRIALS)).estimates[0]
        yield from (estimate.equity, estimate.equity_error)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["near", "next"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000, help="positions of this kind and seed (%(default)s)")
    parser.add_argument("--to", type=Path, default=ROLLOUTS, help="the file, which grows (the repository's own)")
    arguments = parser.parse_args()
    engine, to = Engine(threads=1), arguments.to
    there = {json.loads(line)[2] for line in to.read_text("utf-8").splitlines()} if to.exists() else set()
    chosen = positions(engine, arguments.kind, arguments.seed, arguments.count)
    for number, (start, board) in enumerate(chosen, 1):
        position = Position.from_board(kernels.unpack(board[None])[0])
        if position.id in there:
            continue
        row = [arguments.kind, start, position.id, *(round(each, 4) for each in rolled(engine, position))]
        with to.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{number}/{len(chosen)} {position.id}", flush=True)


if __name__ == "__main__":
    _main.run(main)
