"""How far estimated winning chances of races are from the truth, beside those of the race net.

Races at random: no contact, 15 chequers or fewer of each side on any points. Those within the points of a one-sided
database are compared with it: all of them; with 15 chequers on both sides; with sides of about the same length, both
with chequers outside home; gammon chances where they are neither 0 nor the winning chance. The others are rolled out
until they are within: each trial plays the better plays by winning chance, with the luck of every roll taken out. What
the noise of the rollouts adds to the mean square is taken off; a play that costs winning chances lowers the truth, so
it is true for the player that is measured.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from typing import Any

import _main
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


def even_races(rng: np.random.Generator, boards: np.ndarray) -> np.ndarray:
    """Sides of the boards that have chequers outside home, paired anew with others about as long."""
    sides = boards.reshape(-1, 25)
    sides = sides[sides[:, 6:].any(1)]
    sides = sides[np.argsort(sides @ np.arange(1, 26) + rng.normal(0, 6, len(sides)))]
    return np.stack((sides[: len(sides) // 2 * 2 : 2], sides[1::2]), axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=9, help="of the one-sided database (%(default)s)")
    parser.add_argument("--positions", type=int, default=20000, help="compared with the database (%(default)s)")
    parser.add_argument("--rollouts", type=int, default=200, help="races rolled out (%(default)s)")
    parser.add_argument("--trials", type=int, default=36, help="of each rollout (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()

    from sixprime import kernels
    from sixprime.bearoff import OneSided, one_sided
    from sixprime.engine import Engine
    from sixprime.kernels import search
    from sixprime.kernels.race import NO_RACE_NETS
    from sixprime.kernels.replies import best_replies

    engine = Engine(threads=1)
    brain = replace(engine.brain, bearoff=one_sided(6, 15).arrays)
    database = OneSided.build(arguments.points, 15, threads=1)
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
            chosen, replies, _ = best_replies(brain, now, kernels.ROLLS[None], wins, 0)
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

    inside = random_races(rng, arguments.positions, arguments.points)
    full = random_races(rng, 4 * arguments.positions, arguments.points)
    kinds = {
        "random": inside,
        "15 against 15": full[(full.sum(2) == 15).all(1)],
        "even": even_races(rng, inside),
    }
    far = random_races(rng, 4 * arguments.rollouts, 23)
    far = kernels.pack(far[far[:, :, arguments.points :].any((1, 2))][: arguments.rollouts])
    rolled, noise = truth_of(far)
    results: dict[str, Any] = {
        "points": arguments.points,
        "trials": arguments.trials,
        "rollout_error": float(np.sqrt(noise.mean())),
        "kinds": {},
    }
    old = replace(brain, races=NO_RACE_NETS)
    for name, some in kinds.items():
        boards = kernels.pack(some)
        known = database.probabilities(boards).astype(float)
        errors = judge(brain, boards)[0] - known
        close = (known[:, 0] > 0.1) & (known[:, 0] < 0.9)
        open_gammon = (known[:, 1] > 1e-3) & (known[:, 1] < known[:, 0] - 1e-3)
        results["kinds"][name] = {
            "positions": len(boards),
            "win": rms(errors[:, 0]),
            "close": rms(errors[close, 0]),
            "largest": float(np.abs(errors[:, 0]).max()),
            "gammon": rms(errors[open_gammon, 1]),
            "race_net": rms(judge(old, boards)[0][:, 0] - known[:, 0]),
        }
    errors_far, close_far = judge(brain, far)[0][:, 0] - rolled, (rolled > 0.1) & (rolled < 0.9)
    results["kinds"]["anywhere"] = {
        "positions": len(far),
        "win": rms(errors_far, noise),
        "close": rms(errors_far[close_far], noise[close_far]),
        "largest": float(np.abs(errors_far).max()),
        "race_net": rms(judge(old, far)[0][:, 0] - rolled, noise),
    }
    inside = kernels.pack(inside)
    judge(brain, inside)
    started = time.process_time()
    judge(brain, inside)
    results["per_second"] = len(inside) / (time.process_time() - started)
    if arguments.json:
        print(json.dumps(results))
        return
    print(f"rms error of the winning chance; close: between 10 and 90 %. {results['per_second']:,.0f} a second")
    print(
        f"{'':16}" + "".join(f"{name:>11}" for name in ("positions", "all", "close", "largest", "gammon", "race net"))
    )
    for name, row in results["kinds"].items():
        shown = (f"{row[key]:.5f}" if key in row else "" for key in ("win", "close", "largest", "gammon", "race_net"))
        print(f"{name:16}{row['positions']:11,}" + "".join(f"{value:>11}" for value in shown))
    error = f"standard error {results['rollout_error']:.5f}, taken off"
    print(f"anywhere: rollouts of {arguments.trials} trials, {error}")


def rms(errors: np.ndarray, noise: np.ndarray | float = 0.0) -> float:
    """Root of the mean square, less the mean of `noise`; 0 when that leaves nothing."""
    return float(np.sqrt(max(0.0, np.mean(errors**2 - noise)))) if len(errors) else 0.0


if __name__ == "__main__":
    _main.run(main)
