"""Which model makes fewer cube errors: equity lost against rollouts near the double and take points, and duels.

    python benchmarks/cube_models.py make          # positions of self-play and their rollouts, about 10 CPU minutes
    python benchmarks/cube_models.py report        # equity lost by every model at 0- and 2-ply, about 1 CPU minute
    python benchmarks/cube_models.py duel          # mirrored money games at 0-ply, about 10 CPU minutes

The rollouts are cubeful to the end: plays by the net at 0-ply, cubes by two different models whose results are
averaged, luck taken off. `report` reads what `make` wrote to benchmarks/cube_positions.json.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import _main
import numpy as np
from _cubeplay import (
    KEEP,
    Handler,
    Matchup,
    Seen,
    by_class,
    by_jump,
    by_model,
    constant,
    decide,
    opening_dice,
    play_out,
    start_boards,
)
from numpy.typing import NDArray

from sixprime import Engine, Position, kernels, paths
from sixprime.engine.volatility import jump_volatilities, pair_outcomes
from sixprime.kernels import search

FILE = Path(__file__).with_name("cube_positions.json")
NEAR = 0.12
BASE = "Janowski, x by class (gnubg 1.07)"
_WEIGHTS = kernels.ROLL_WEIGHTS / 36


def models(race: float, contact: float) -> dict[str, tuple[Handler, bool]]:
    """Ways to handle the cube, and whether each wants the local volatility."""
    remote, mean = by_class(race, contact), constant(contact)
    return {
        BASE: (by_model("gnubg-1.07"), False),
        "fitted to deeper searches": (by_model("fitted"), False),
        "Janowski, one x = 0.7": (by_model("janowski:0.7"), False),
        "Janowski, x by class (newer)": (by_model("newer"), False),
        "refined, x of jumps of 11.3 %": (by_model("implied:0.113"), False),
        "jump linear, one volatility": (by_jump("linear", mean), False),
        "jump linear, by class": (by_jump("linear", remote), False),
        "jump linear, local": (by_jump("linear", remote), True),
        "jump nonlinear, one volatility": (by_jump("nonlinear", mean), False),
        "jump nonlinear, by class": (by_jump("nonlinear", remote), False),
        "jump nonlinear, local": (by_jump("nonlinear", remote), True),
    }


# -- positions and their rollouts ----------------------------------------------------------------


def make(engine: Engine, count: int, games: int, seed: int) -> None:
    boards, owners, kinds = harvest(engine, count, seed)
    handlers = [by_model("gnubg-1.07"), by_jump("nonlinear", constant(0.1))]
    rows, start = [], time.process_time()
    for i, (board, owned, kind) in enumerate(zip(boards, owners, kinds, strict=True)):
        results = roll_out(engine, board, owned, games, (seed, i), handlers)
        mean, error = results.mean(axis=1), results.std(axis=1) / np.sqrt(games)
        rows.append(
            {
                "id": Position.from_board(kernels.unpack(board[None])[0]).id,
                "cube": "owned" if owned else "centred",
                "near": kind,
                "no_double": mean[0::2].round(5).tolist(),
                "double_take": mean[1::2].round(5).tolist(),
                "errors": error.round(5).tolist(),
                "difference_error": round(float((results[1] - results[0]).std() / np.sqrt(games)), 5),
            }
        )
        if i % 20 == 19:
            print(f"{i + 1} of {len(boards)} positions, {time.process_time() - start:.0f} CPU seconds", flush=True)
    header = {"games": games, "seed": seed}
    lines = ",\n".join(json.dumps(row) for row in rows)
    with paths.replacing(FILE) as temporary:
        temporary.write_text(f'{{"settings": {json.dumps(header)}, "positions": [\n{lines}\n]}}\n', encoding="utf-8")


def harvest(engine: Engine, count: int, seed: int) -> tuple[list[NDArray[np.int8]], list[bool], list[str]]:
    """Positions of cubeless self-play, one per game and about as many near a double as near a take."""
    base, every = by_model("gnubg-1.07"), 6 * count
    found: dict[int, list[tuple[NDArray[np.int8], bool, str]]] = {}

    def watch(turn: int, games: NDArray[np.int64], seen: Seen, values: list[NDArray[np.float64]]) -> None:
        take = 2 * values[0][:, 2]
        known = np.isin(seen.codes, (search.OVER, search.BEAROFF))
        for owned in (False, True):
            keep = values[0][:, int(owned)]
            for kind, near in (("double", np.abs(take - keep) < NEAR), ("take", np.abs(take - 1) < NEAR)):
                if kind == "double":
                    near &= take < 1
                for i in np.flatnonzero(near & ~known & (turn > 0)):
                    found.setdefault(int(games[i]), []).append((seen.boards[i].copy(), owned, kind))

    # A cube that nobody may turn keeps every game going to its end.
    never: Handler = lambda seen: base(seen) * [0, 0, 0] + [[0.0, 0.0, -1.0]]  # noqa: E731
    ones, nobody = np.ones(every, dtype=np.int64), np.full(every, -1, dtype=np.int8)
    matchup = Matchup(never, never, ones, nobody)
    play_out(engine, start_boards(engine, every), opening_dice(seed, every), [matchup], watch=_first(base, watch))
    rng = np.random.default_rng(seed)
    wanted = [(owned, kind) for owned in (False, False, True) for kind in ("double", "take")]
    boards, owners, kinds = [], [], []
    for game in sorted(found):
        owned, kind = wanted[len(boards) % len(wanted)]
        fitting = [item for item in found[game] if item[1:] == (owned, kind)]
        if fitting:
            boards.append(fitting[rng.integers(len(fitting))][0])
            owners.append(owned)
            kinds.append(kind)
        if len(boards) == count:
            return boards, owners, kinds
    raise SystemExit(f"only {len(boards)} positions found in {every} games")


def _first(base: Handler, watch):
    return lambda turn, games, seen, values: watch(turn, games, seen, [base(seen)])


def roll_out(
    engine: Engine,
    board: NDArray[np.int8],
    owned: bool,
    games: int,
    seed: tuple[int, int],
    handlers: list[Handler],
) -> NDArray[np.float64]:
    """Results [2 H, games] of no double and of double and take, for each handler, in units of the cube before."""
    ones = np.ones(games, dtype=np.int64)
    matchups = []
    for handler in handlers:
        matchups.append(Matchup(handler, handler, ones, np.full(games, 0 if owned else -1, dtype=np.int8)))
        matchups.append(Matchup(handler, handler, 2 * ones, np.full(games, 1, dtype=np.int8)))

    def roll(turn: int) -> NDArray[np.int8]:
        dice = np.random.default_rng((*seed, turn)).integers(1, 7, size=(games, 2), dtype=np.int8)
        if turn == 0:
            first = np.arange(games) % 36
            dice[:, 0], dice[:, 1] = first // 6 + 1, first % 6 + 1
        return np.sort(dice, axis=1)[:, ::-1].copy()

    boards = np.repeat(board[None], games, axis=0)
    return play_out(engine, boards, roll, matchups, luck=handlers[0])


# -- the models against the rollouts -------------------------------------------------------------


def report(engine: Engine, race: float, contact: float) -> dict:
    data = json.loads(FILE.read_text("utf-8"))
    rows = data["positions"]
    boards = kernels.pack(np.stack([Position.from_id(row["id"]).board for row in rows]), 15)
    centred = np.array([row["cube"] == "centred" for row in rows])
    truth = np.array([[np.mean(row["no_double"]), np.mean(row["double_take"])] for row in rows])
    outcomes, codes = np.empty((len(boards), 5), np.float32), np.empty(len(boards), np.int8)
    search.judge(engine.brain, boards, outcomes, codes)
    local = jump_volatilities(engine.brain, boards, keep=KEEP)[:, 0]
    pairs = pair_outcomes(engine.brain, boards, keep=KEEP)
    lost: dict[str, dict[int, NDArray[np.float64]]] = {}
    for name, (handler, wants) in models(race, contact).items():
        static = handler(Seen(boards, outcomes, codes, local if wants else None))
        deep = two_plies(handler, pairs, local if wants else None)
        lost[name] = {0: losses(static, centred, truth), 2: losses(deep, centred, truth)}
    result = {
        "positions": len(rows),
        "games": data["settings"]["games"],
        "rollout_error": float(np.mean([row["difference_error"] for row in rows])),
        "local_volatility": {"mean": float(local.mean()), "deviation": float(local.std())},
        "models": {},
    }
    print(f"{len(rows)} positions, {data['settings']['games']} games each, mean error of DT - ND", end=" ")
    print(f"{result['rollout_error']:.4f}; mean local volatility {local.mean():.3f} +- {local.std():.3f}")
    print(f"{'model':36s}{'0-ply mEq lost':>18s}{'less than base':>20s}{'2-ply mEq lost':>18s}{'less than base':>20s}")
    for name, by_ply in lost.items():
        cells, entry = "", {}
        for plies, values in by_ply.items():
            less = lost[BASE][plies] - values
            numbers = [1000 * values.mean(), 1000 * _error(values), 1000 * less.mean(), 1000 * _error(less)]
            cells += f"{numbers[0]:10.2f} +- {numbers[1]:4.2f}{numbers[2]:12.2f} +- {numbers[3]:4.2f}"
            entry[str(plies)] = [round(number, 3) for number in numbers]
        result["models"][name] = entry
        print(f"{name:36s}{cells}")
    return result


def two_plies(handler: Handler, pairs: tuple, local: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Values [N, 3] by full recursion over the 441 pairs of rolls, cube turned where that is right."""
    outcomes, boards, codes = pairs
    shape = codes.shape
    leaf = None if local is None else np.repeat(local, 441)
    seen = Seen(boards.reshape(-1, 32), outcomes.reshape(-1, 5).astype(np.float32), codes.ravel(), leaf)
    values = handler(seen)
    over = seen.codes == search.OVER
    values[over] = (seen.outcomes[over] @ np.array([2, 1, 1, -1, -1]) - 1)[:, None]
    values[:, :2] = _choose(values[:, :2], 2 * values[:, 2:])
    middle = np.einsum("nrsk,s->nrk", values.reshape(*shape, 3), _WEIGHTS)
    # The opponent's turn: centred or his own cube he may double, after which the player owns it.
    theirs = middle.copy()
    theirs[..., [0, 2]] = -_choose(-middle[..., [0, 2]], -2 * middle[..., [1]])
    return np.einsum("nrk,r->nk", theirs, _WEIGHTS)


def _choose(keep: NDArray[np.float64], take: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where((take >= keep) & (keep <= 1), np.minimum(take, 1), keep)


def losses(values: NDArray[np.float64], centred: NDArray[np.bool_], truth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Equity [N] lost by deciding on values [N, 3]: the double and, had there been one, the answer."""
    doubles, takes = decide(values, centred)
    hold, take = truth[:, 0], truth[:, 1]
    doubled = np.minimum(take, 1)
    double_loss = np.maximum(hold, doubled) - np.where(doubles, doubled, hold)
    take_loss = np.where(takes, take, 1) - doubled
    return double_loss + take_loss


def _error(values: NDArray[np.float64]) -> float:
    return float(values.std() / np.sqrt(len(values)))


# -- duels ---------------------------------------------------------------------------------------


def duel(engine: Engine, games: int, seed: int, local_games: int, race: float, contact: float) -> dict:
    result: dict = {}
    print(f"{'model':36s}{'games':>8s}{'mppg against ' + BASE:>50s}")
    for local in (False, True):
        chosen = {name: h for name, (h, wants) in models(race, contact).items() if wants == local and name != BASE}
        base, size = by_model("gnubg-1.07"), local_games if local else games
        totals = {name: [] for name in chosen}
        for part in range(0, size, 4000):
            count = min(4000, size - part)
            ones, nobody = np.ones(count, dtype=np.int64), np.full(count, -1, dtype=np.int8)
            matchups = []
            for handler in chosen.values():
                matchups += [Matchup(handler, base, ones, nobody), Matchup(base, handler, ones, nobody)]
            results = play_out(
                engine,
                start_boards(engine, count),
                opening_dice(seed * 1000 + part // 4000, count),
                matchups,
                local_within=0.25 if local else 0.0,
            )
            for k, name in enumerate(chosen):
                totals[name].append((results[2 * k] - results[2 * k + 1]) / 2)
        for name, parts in totals.items():
            points = 1000 * np.concatenate(parts)
            result[name] = [len(points), round(float(points.mean()), 3), round(_error(points), 3)]
            print(f"{name:36s}{len(points):8d}{points.mean():42.2f} +- {_error(points):.2f}")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("make", "report", "duel"))
    parser.add_argument("--positions", type=int, default=360)
    parser.add_argument("--games", type=int, default=None, help="per position (make), or in all (duel)")
    parser.add_argument("--local-games", type=int, default=4000, help="duels with local volatilities, which are slow")
    parser.add_argument("--race", type=float, default=0.1, help="remote volatility of races")
    parser.add_argument("--contact", type=float, default=0.1, help="remote volatility of other positions")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    engine = Engine(threads=1)
    result = None
    if arguments.what == "make":
        make(engine, arguments.positions, arguments.games or 432, arguments.seed)
    elif arguments.what == "report":
        result = report(engine, arguments.race, arguments.contact)
    else:
        games = arguments.games or 20000
        result = duel(engine, games, arguments.seed, arguments.local_games, arguments.race, arguments.contact)
    if result is not None and arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _main.run(main)
