"""How well levels judge, on the reference rows.

plies: 0 to 2 plies and the means of neighbours. reduced: 2 plies with 21, 11 and 7 rolls beyond the first. rollers: two
levels with rollouts beside 0 and 2 plies, on every eighth decision, its candidates one by one. rolls: which few rolls
stand for all 21 (`engine/rolls.py`), by least squares over the 1-ply values of self-play; needs no rows. rollouts: our
own rollouts of every sixth of the player's back games, 648 games each, beside the rows and static and 2-ply values.
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import fmean
from typing import Any

import _main
import _measure


def main() -> None:
    parser = _measure.options(__doc__, pairs=1, positions=3000, gnubg=False)
    parser.add_argument("what", choices=["plies", "reduced", "rollers", "rolls", "rollouts"])
    parser.add_argument("--data", type=Path, help="folder of the reference rows; by default SIXPRIME_REFDATA")
    arguments = parser.parse_args()
    rows = rolls(arguments) if arguments.what == "rolls" else globals()[arguments.what](arguments.data)
    _measure.show({"rows": rows[1:]}, arguments.json, f"{arguments.what}. ", rows)


def plies(data: Path | None) -> list[list[str]]:
    from sixprime import Engine
    from sixprime.train import strength

    known = strength.read_rows(strength.folder_of_rows(data))
    found = [strength.measure(Engine(threads=1), known, ply).predicted for ply in range(3)]
    named = {f"{ply}-ply": one for ply, one in enumerate(found)}
    for ply in range(2):
        pairs = ((name, zip(p, found[ply + 1][name], strict=True)) for name, p in found[ply].items())
        named[f"mean of {ply} and {ply + 1}"] = {name: [(a + b) / 2 for a, b in both] for name, both in pairs}
    table = [["", "bias", "rmse", "lost, mEMG"]]
    for name, predicted in named.items():
        general = strength.errors(known.rollouts, predicted)["general"]
        table.append([name, f"{general['bias']:+.4f}", f"{general['rmse']:.4f}", _lost(known.decisions, predicted)])
    return table


def reduced(data: Path | None) -> list[list[str]]:
    from sixprime import Engine
    from sixprime.engine import Preset
    from sixprime.train import strength

    known = strength.read_rows(strength.folder_of_rows(data))
    table = [["plies", "rolls", "rmse", "lost, mEMG", "CPU seconds"]]
    for ply, count in ((1, 21), (2, 21), (2, 11), (2, 7)):
        score = strength.measure(Engine(threads=1, level=Preset("reduced", ply, rolls=count)), known, ply)
        rmse = f"{score.sets['general']['rmse']:.4f}"
        table.append([str(ply), str(count), rmse, _lost(known.decisions, score.predicted), f"{score.seconds:.1f}"])
    return table


def rollers(data: Path | None) -> list[list[str]]:
    from sixprime import Engine, MatchState, Position
    from sixprime.train import strength

    known = strength.read_rows(strength.folder_of_rows(data))
    decisions = known.decisions[::8]
    wanted = {candidate["pos"] for row in decisions for candidate in row["cands"]}
    positions = {row["id"]: Position.from_id(row["posid"]) for row in known.rollouts if row["id"] in wanted}
    table = [["level", "lost, mEMG", "CPU seconds"]]
    for level in ("expert", "world class", "roller", "roller+"):
        engine, start = Engine(threads=1, level=level), time.process_time()
        judged = engine.evaluate_many(list(positions.values()), match=MatchState(jacoby=False))
        predicted = {name: one.probabilities for name, one in zip(positions, judged, strict=True)}
        table.append([level, _lost(decisions, predicted), f"{time.process_time() - start:.1f}"])
    return table


def rollouts(data: Path | None) -> list[list[str]]:
    from sixprime import Engine, MatchState, Position
    from sixprime.train import strength

    engine, money = Engine(), MatchState(jacoby=False)
    rows = [row for row in strength.read_rows(strength.folder_of_rows(data)).rollouts if row["set"] == "bg_player"][::6]
    positions = [Position.from_id(row["posid"]) for row in rows]
    own = [engine.rollout(position, match=money, cubeful=False, trials=648).estimates[0] for position in positions]
    # Of each judge: equities and the squares of their standard errors.
    known = [(row["equity"], (row["se"] or 0.0) ** 2) for row in rows]
    rolled = [(one.cubeless_equity, one.cubeless_error**2) for one in own]
    judges = {"our rollouts": rolled}
    for plies in (0, 2):
        judged = engine.evaluate_many(positions, match=money, plies=plies)
        judges[f"{plies}-ply"] = [(one.cubeless_equity, 0.0) for one in judged]
    table = [[f"rmse, {len(rows)} positions", "from the rows", "from our rollouts"]]
    for name, judge in judges.items():
        apart = [_apart(judge, known), "" if judge is rolled else _apart(judge, rolled)]
        table.append([name, *apart])
    return table


def _apart(one: list[tuple[float, float]], other: list[tuple[float, float]]) -> str:
    """Root mean square of the differences, less what the noise of both explains."""
    squares = [(a - b) ** 2 - noise - other_noise for (a, noise), (b, other_noise) in zip(one, other, strict=True)]
    return f"{max(0.0, fmean(squares)) ** 0.5:.4f}"


def rolls(arguments: Any) -> list[list[str]]:
    import numpy as np

    from sixprime import Engine, kernels
    from sixprime.engine.plies import classes_of
    from sixprime.kernels.replies import best_replies
    from sixprime.kernels.search import CONTACT
    from sixprime.train import selfplay

    engine = Engine(threads=1)
    positions, _ = _measure.decisions(engine, arguments.positions, arguments.seed)
    boards = kernels.pack(np.stack([position.board for position in positions]))
    boards = boards[classes_of(boards) == CONTACT]
    values = best_replies(engine.brain, boards, kernels.ROLLS[None], selfplay.MONEY, 6)[1] @ selfplay.MONEY[0]
    off = (values - (values @ kernels.ROLL_WEIGHTS / 36)[:, None]).astype(np.float64)
    fitted, held = off[::2], off[1::2]

    def weights(chosen: list[int]) -> Any:
        # Least squares of what is left, the weights adding up to one.
        system = fitted[:, chosen].T @ fitted[:, chosen]
        found = np.linalg.solve(system, np.ones(len(chosen)))
        return found / found.sum()

    def miss(chosen: list[int]) -> float:
        return float(np.sqrt(np.square(held[:, chosen] @ weights(chosen)).mean()))

    table = [["rolls", "rms", "which, and their weights"]]
    chosen: list[int] = []
    while len(chosen) < 11:
        chosen.append(min(set(range(21)) - set(chosen), key=lambda roll: miss([*chosen, roll])))
        better = True
        while better:
            others = [
                [*chosen[:i], roll, *chosen[i + 1 :]]
                for i in range(len(chosen))
                for roll in set(range(21)) - set(chosen)
            ]
            best = min(others, key=miss)
            better = miss(best) < miss(chosen) - 1e-6
            chosen = best if better else chosen
        if len(chosen) in (7, 11):
            named = sorted(zip(chosen, weights(chosen), strict=True))
            texts = [f"{kernels.ROLLS[roll][0]}{kernels.ROLLS[roll][1]} {share:.3f}" for roll, share in named]
            table.append([str(len(chosen)), f"{miss(chosen):.4f}", ", ".join(texts)])
    return table


def _lost(decisions: Any, predicted: Any) -> str:
    from sixprime.train import strength

    found = strength.losses(decisions, predicted)
    return f"{found['lost']:.2f} ± {found['lost_se']:.2f}"


if __name__ == "__main__":
    _main.run(main)
