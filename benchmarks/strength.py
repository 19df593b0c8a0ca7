"""Strength of a net against rolled-out positions: rows of strength_rollouts.jsonl and strength_decisions.jsonl.

A row has the probabilities of the player on roll, its equity and the standard error. Per set of positions:
bias and root mean square error of the cubeless money equity, less what the noise of the rollouts explains.
Over the decisions whose candidates are all there: the equity that is lost, in thousandths, when the play is made
that the net likes best. The data are for measuring only and are no part of this repository.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import _measure

Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    folder = os.environ.get("SIXPRIME_REFDATA")
    parser.add_argument("--data", type=Path, default=folder, required=not folder, help="folder of the two files")
    parser.add_argument("--plies", type=int, nargs="+", default=[0], help="how deep; several may be named")
    parser.add_argument("--net", type=Path, help="a network file; by default the one of the package")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth decision and position")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--csv", type=Path, help="folder for the predictions, lines id,win,wg,wbg,lg,lbg")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()

    from sixprime import Engine, MatchState, Position

    decisions = [row for row in _rows(arguments.data / "strength_decisions.jsonl") if len(row["cands"]) > 1]
    decisions = decisions[:: arguments.every]
    wanted = {candidate["pos"] for row in decisions for candidate in row["cands"]}
    rollouts = [
        row
        for number, row in enumerate(_rows(arguments.data / "strength_rollouts.jsonl"))
        if number % arguments.every == 0 or row["id"] in wanted
    ]
    engine = Engine(arguments.net, threads=arguments.threads)
    positions = [Position.from_id(row["posid"]) for row in rollouts]
    # Without Jacoby the best replies are those of the cubeless equity that the rows hold.
    money = MatchState(jacoby=False)
    results: dict[str, Any] = {}
    rows = [["plies", "set", "n", "bias", "rmse", "lost, mEMG", "best play", "CPU seconds"]]
    for plies in arguments.plies:
        start = time.process_time()
        evaluations = engine.evaluate_many(positions, match=money, plies=plies)
        seconds = time.process_time() - start
        predicted = {row["id"]: e.probabilities for row, e in zip(rollouts, evaluations, strict=True)}
        if arguments.csv:
            _write(arguments.csv / f"{plies}ply.csv", predicted)
        sets, lost = errors(rollouts, predicted), losses(decisions, predicted)
        results[str(plies)] = {"sets": sets, "decisions": lost, "seconds": seconds}
        for name, found in sets.items():
            numbers = str(found["n"]), f"{found['bias']:+.4f}", f"{found['rmse']:.4f}"
            rows.append([str(plies), name, *numbers, "", "", ""])
        loss, best = f"{lost['lost']:.2f} +- {lost['lost_se']:.2f}", f"{lost['best']:.1%}"
        rows.append([str(plies), "decisions", str(lost["n"]), "", "", loss, best, f"{seconds:.1f}"])
    _measure.show(results, arguments.json, f"{arguments.net or 'The net of the package'}", rows)


def equity(p: Sequence[float]) -> float:
    """Cubeless money equity of win, win gammon, win backgammon, lose gammon, lose backgammon."""
    return 2 * p[0] - 1 + p[1] + p[2] - p[3] - p[4]


def errors(rollouts: Sequence[Row], predicted: Mapping[str, Sequence[float]]) -> dict[str, dict[str, float]]:
    """Per set of positions: n, bias, rmse of the equity. Rows without standard error are taken as exact."""
    sets: dict[str, list[Row]] = {}
    for row in rollouts:
        sets.setdefault(row["set"], []).append(row)
    found = {}
    for name, rows in sorted(sets.items()):
        off = [equity(predicted[row["id"]]) - row["equity"] for row in rows]
        known = [row["se"] ** 2 for row in rows if row["se"] is not None]
        square = fmean(x * x for x in off) - (fmean(known) if known else 0.0)
        found[name] = {"n": len(rows), "bias": fmean(off), "rmse": math.sqrt(max(0.0, square))}
    return found


def losses(decisions: Sequence[Row], predicted: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Mean loss of the favourite plays in thousandths, its standard error, and the share of best plays.

    Candidates have the opponent on roll: the best is the one that is worth least to him. Their own "eq" is the
    mover's.
    """
    lost = []
    for row in decisions:
        candidates = row["cands"]
        if all(candidate["pos"] in predicted for candidate in candidates):
            chosen = min(candidates, key=lambda candidate: equity(predicted[candidate["pos"]]))
            lost.append(1000 * (max(candidate["eq"] for candidate in candidates) - chosen["eq"]))
    if len(lost) < 2:
        return {"n": len(lost), "lost": math.nan, "lost_se": math.nan, "best": math.nan}
    best = fmean(loss < 1e-6 for loss in lost)
    return {"n": len(lost), "lost": fmean(lost), "lost_se": stdev(lost) / math.sqrt(len(lost)), "best": best}


def _rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _write(path: Path, predicted: Mapping[str, Sequence[float]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (f"{name},{','.join(f'{x:.6f}' for x in p)}\n" for name, p in predicted.items())
    path.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
