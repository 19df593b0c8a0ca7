"""How far estimated winning chances of races are from the truth, beside those of the race net.

Races at random: no contact, 15 chequers or fewer of each side on any points. Those within the points of the one-sided
database are compared with it. The others are rolled out until they are: each trial plays the better plays by winning
chance, with the luck of every roll taken out. What the noise of the rollouts adds to the mean square is taken off; a
play that costs winning chances lowers the truth, so it is true for the player that is measured.
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

import _measure  # noqa: F401  # one thread, before NumPy is imported
import numpy as np

LONGEST = 60


def random_sides(rng: np.random.Generator, count: int, rears: np.ndarray, full: np.ndarray) -> np.ndarray:
    """Counts `int8[count, 25]` on points 1 to `rears`, 15 chequers where `full`, else 1 to 15."""
    chequers = np.where(full, 15, rng.integers(1, 16, count))
    weights = rng.standard_gamma(rng.choice([0.3, 1.0, 3.0], count)[:, None], (count, 24)) + 1e-9
    weights *= np.arange(24) < rears[:, None]
    edges = np.cumsum(weights, axis=1)
    edges /= edges[:, -1:]
    sides = np.zeros((count, 25), dtype=np.int8)
    for k in range(15):
        points = np.minimum((rng.random(count)[:, None] > edges).sum(1), rears - 1)
        sides[np.arange(count), points] += k < chequers
    return sides


def random_races(rng: np.random.Generator, count: int, deepest: int) -> np.ndarray:
    """Boards `int8[count, 2, 25]` without contact, no chequer behind `deepest`, one or more outside the homes."""
    found: list[np.ndarray] = []
    while sum(map(len, found)) < count:
        border = rng.integers(1, 24, count)
        rears = np.minimum(np.stack((border, 24 - border)), deepest)
        full = rng.random(count) < 0.5
        boards = np.stack([random_sides(rng, count, side, full) for side in rears], axis=1)
        found.append(boards[boards[:, :, 6:].any((1, 2))])
    return np.concatenate(found)[:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=8, help="of the one-sided database (%(default)s)")
    parser.add_argument("--positions", type=int, default=20000, help="compared with the database (%(default)s)")
    parser.add_argument("--rollouts", type=int, default=200, help="races rolled out (%(default)s)")
    parser.add_argument("--trials", type=int, default=36, help="of each rollout (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()

    from sixprime import kernels
    from sixprime.bearoff import one_sided
    from sixprime.engine import Engine
    from sixprime.kernels import search
    from sixprime.kernels.race import NO_RACE_NETS

    engine = Engine(threads=1)
    brain = engine.brain._replace(bearoff=one_sided(6, 15).arrays)
    database = one_sided(arguments.points, 15)
    rng = np.random.default_rng(arguments.seed)

    def judge(brain: search.Brain, boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        outputs, codes = np.empty((len(boards), 5), dtype=np.float32), np.empty(len(boards), dtype=np.int8)
        search.judge(brain, boards, outputs, codes)
        return outputs.astype(float), codes

    def truth_of(boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Winning chances and squared standard errors by rollout."""
        start = np.repeat(boards, arguments.trials, axis=0)
        alive, now = np.arange(len(start)), start
        value, sign = np.zeros(len(start)), 1.0
        wins = np.zeros((1, 5), dtype=np.float32)
        wins[0, 0] = 1
        for _ in range(LONGEST):
            outputs, codes = judge(brain, now)
            exact = database.probabilities(now)[:, 0].astype(float)
            done = ~np.isnan(exact) | (codes == search.OVER)
            final = np.where(np.isnan(exact), outputs[:, 0], exact)
            value[alive[done]] += final[done] if sign > 0 else 1.0 - final[done]
            alive, now = alive[~done], now[~done]
            if not len(alive):
                break
            chosen = np.empty((len(now), 21, 32), dtype=np.int8)
            replies = np.empty((len(now), 21, 5), dtype=np.float32)
            search.best_replies(brain, now, kernels.ROLLS[None], wins, 0, chosen, replies)
            after = 1.0 - replies[:, :, 0].astype(float)
            weights = kernels.ROLL_WEIGHTS / 36
            rolls = rng.choice(21, size=len(now), p=weights)
            made = np.arange(len(now)), rolls
            # The luck of the roll, for the player who was on roll at first.
            value[alive] += sign * (after @ weights - after[made])
            sign = -sign
            now = chosen[made]
        trials = value.reshape(len(boards), -1)
        return trials.mean(1), trials.var(1, ddof=1) / trials.shape[1]

    inside = kernels.pack(random_races(rng, arguments.positions, arguments.points))
    known = database.probabilities(inside)[:, 0].astype(float)
    far = random_races(rng, 4 * arguments.rollouts, 23)
    far = kernels.pack(far[far[:, :, arguments.points :].any((1, 2))][: arguments.rollouts])
    rolled, noise = truth_of(far)
    results: dict[str, Any] = {
        "points": arguments.points,
        "trials": arguments.trials,
        "rollout_error": float(np.sqrt(noise.mean())),
    }
    close, close_far = (known > 0.1) & (known < 0.9), (rolled > 0.1) & (rolled < 0.9)
    for name, judged_by in (("race_nets", brain), ("race_net", brain._replace(races=NO_RACE_NETS))):
        errors, errors_far = judge(judged_by, inside)[0][:, 0] - known, judge(judged_by, far)[0][:, 0] - rolled
        results[name] = {
            "database": rms(errors),
            "database_close": rms(errors[close]),
            "rollout": rms(errors_far, noise),
            "rollout_close": rms(errors_far[close_far], noise[close_far]),
        }
    started = time.process_time()
    judge(brain, inside)
    results["per_second"] = len(inside) / (time.process_time() - started)
    if arguments.json:
        print(json.dumps(results))
        return
    sizes = f"{len(inside)} ({close.sum()} close)", f"{len(far)} ({close_far.sum()} close)"
    print(f"rms error of the winning chance; close: between 10 and 90 %. {results['per_second']:,.0f} a second")
    print(f"{'':30}{'all':>10}{'close':>10}{'race net':>10}{'close':>10}")
    for row, size in (("database", sizes[0]), ("rollout", sizes[1])):
        shown = (results[name][key] for name in ("race_nets", "race_net") for key in (row, f"{row}_close"))
        print(f"{row + ' ' + size:30}" + "".join(f"{value:10.5f}" for value in shown))
    print(f"standard error of a rollout {results['rollout_error']:.5f}, {arguments.trials} trials, taken off")


def rms(errors: np.ndarray, noise: np.ndarray | float = 0.0) -> float:
    """Root of the mean square, less the mean of `noise`; 0 when that leaves nothing."""
    return float(np.sqrt(max(0.0, np.mean(errors**2 - noise)))) if len(errors) else 0.0


if __name__ == "__main__":
    main()
