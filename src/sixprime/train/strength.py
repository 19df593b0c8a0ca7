"""Strength against rolled-out positions: the rows of strength_rollouts.jsonl and strength_decisions.jsonl.

A row has the probabilities of the player on roll, its equity and the standard error. Per set of positions: bias
and root mean square error of the cubeless money equity, less what the noise of the rollouts explains. Over the
decisions whose candidates are all there: the equity that is lost, in thousandths, when the play is made that the
engine likes best. The rows are for measuring only and are no part of the package.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from sixprime import checks
from sixprime.engine import Engine
from sixprime.errors import DataFileError, InvalidFileError, SettingsError
from sixprime.game.outcomes import Outcomes
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.progress import Hook, Progress
from sixprime.reading import ROWS, opened, parse_json

VARIABLE = "SIXPRIME_REFDATA"
_FILES = ("strength_rollouts.jsonl", "strength_decisions.jsonl")

Row = dict[str, Any]
Probabilities = Sequence[float]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rolled-out positions, and decisions between some of them."""

    rollouts: Sequence[Row]
    decisions: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Score:
    """How an engine does.

    sets: for each set of positions n, bias and rmse of the equity. decisions: n, lost (thousandths of a point per
    decision), lost_se and best (share of best plays); NaN where there are too few. seconds: of processor time.
    predicted: the probabilities by the ids of the rows.
    """

    plies: int
    sets: dict[str, dict[str, float]]
    decisions: dict[str, float]
    seconds: float
    predicted: dict[str, Probabilities]


def folder_of_rows(data: Path | str | None = None) -> Path:
    """The folder with the rows: `data`, else what SIXPRIME_REFDATA names.

    Raises `SettingsError` when neither is given, `DataFileError` when a file is not there.
    """
    chosen = data or os.environ.get(VARIABLE)
    if not chosen:
        raise SettingsError(
            f"the reference rows are no part of the package; name the folder of {' and '.join(_FILES)} "
            f"with --data DIR or in {VARIABLE}."
        )
    source = "--data" if data else VARIABLE
    for name in _FILES:
        if not os.path.isfile(Path(chosen) / name):
            raise DataFileError(f"No reference rows: {name} is not in {chosen}, the folder named by {source}.")
    return Path(chosen)


def read_rows(folder: Path, every: int = 1) -> Rows:
    """The rows of a folder; every: only every Nth decision and position, and the candidates of those decisions.

    Raises `InvalidFileError` for a line that is no row.
    """
    decisions = [row for row in _lines(folder / _FILES[1], _DECISION) if len(row["cands"]) > 1][::every]
    wanted = {candidate["pos"] for row in decisions for candidate in row["cands"]}
    rollouts = [
        row
        for number, row in enumerate(_lines(folder / _FILES[0], _ROLLOUT))
        if number % every == 0 or row["id"] in wanted
    ]
    return Rows(rollouts, decisions)


def measure(engine: Engine, rows: Rows, plies: int, progress: Hook | None = None) -> Score:
    """The engine's score on the rows at a number of plies."""
    positions = [Position.from_id(row["posid"]) for row in rows.rollouts]
    # Without Jacoby the best replies are those of the cubeless equity that the rows hold.
    money = MatchState(jacoby=False)
    start = time.process_time()
    evaluations = []
    step = len(positions) if progress is None else 256
    for first in range(0, len(positions), max(step, 1)):
        evaluations += engine.evaluate_many(positions[first : first + step], match=money, plies=plies)
        if progress:
            progress(Progress(len(evaluations), len(positions), "positions"))
    seconds = time.process_time() - start
    predicted = {row["id"]: e.probabilities for row, e in zip(rows.rollouts, evaluations, strict=True)}
    return Score(plies, errors(rows.rollouts, predicted), losses(rows.decisions, predicted), seconds, {**predicted})


def errors(rollouts: Sequence[Row], predicted: Mapping[str, Probabilities]) -> dict[str, dict[str, float]]:
    """Per set of positions: n, bias, rmse of the equity. Rows without standard error are taken as exact."""
    sets: dict[str, list[Row]] = {}
    for row in rollouts:
        sets.setdefault(row["set"], []).append(row)
    found = {}
    for name, rows in sorted(sets.items()):
        off = [Outcomes(*predicted[row["id"]]).cubeless - row["equity"] for row in rows]
        known = [row["se"] ** 2 for row in rows if row["se"] is not None]
        square = fmean(x * x for x in off) - (fmean(known) if known else 0.0)
        found[name] = {"n": len(rows), "bias": fmean(off), "rmse": math.sqrt(max(0.0, square))}
    return found


def losses(decisions: Sequence[Row], predicted: Mapping[str, Probabilities]) -> dict[str, float]:
    """Mean loss of the favourite plays in thousandths, its standard error, and the share of best plays.

    Candidates have the opponent on roll: the best is the one that is worth least to him. Their own "eq" is the
    mover's.
    """
    lost = []
    for row in decisions:
        candidates = row["cands"]
        if all(candidate["pos"] in predicted for candidate in candidates):
            chosen = min(candidates, key=lambda candidate: Outcomes(*predicted[candidate["pos"]]).cubeless)
            lost.append(1000 * (max(candidate["eq"] for candidate in candidates) - chosen["eq"]))
    if len(lost) < 2:
        return {"n": len(lost), "lost": math.nan, "lost_se": math.nan, "best": math.nan}
    best = fmean(loss < 1e-6 for loss in lost)
    return {"n": len(lost), "lost": fmean(lost), "lost_se": stdev(lost) / math.sqrt(len(lost)), "best": best}


def to_dict(score: Score) -> dict[str, Any]:
    """For JSON, which knows no NaN: null instead."""
    decisions = {name: None if math.isnan(value) else value for name, value in score.decisions.items()}
    return {"sets": score.sets, "decisions": decisions, "seconds": round(score.seconds, 3)}


def table(scores: Sequence[Score]) -> list[list[str]]:
    """Rows of text for people, the head first."""
    rows = [["plies", "set", "n", "bias", "rmse", "lost, mEMG", "best play", "CPU seconds"]]
    for score in scores:
        for name, found in score.sets.items():
            numbers = str(found["n"]), f"{found['bias']:+.4f}", f"{found['rmse']:.4f}"
            rows.append([str(score.plies), name, *numbers, "", "", ""])
        lost = score.decisions
        loss, best = f"{lost['lost']:.2f} ± {lost['lost_se']:.2f}", f"{lost['best']:.1%}"
        rows.append([str(score.plies), "decisions", str(lost["n"]), "", "", loss, best, f"{score.seconds:.1f}"])
    return rows


_NUMBER = (int, float)
_ROLLOUT = {"id": str, "set": str, "posid": str, "equity": _NUMBER, "se": (*_NUMBER, type(None))}
_DECISION = {"cands": list}
_CANDIDATE = {"pos": str, "eq": _NUMBER}


def _lines(path: Path, kinds: Mapping[str, Any]) -> list[Row]:
    rows: list[Row] = []
    try:
        with opened(path, ROWS) as file:
            rows += (_row(line, kinds) for line in file)
    except ValueError as error:
        raise InvalidFileError(f"no row of reference data ({error})", path=path, line=len(rows) + 1) from error
    except OSError as error:
        raise InvalidFileError(f"cannot be read: {error.strerror or error}", path=path) from error
    return rows


def _row(line: bytes, kinds: Mapping[str, Any]) -> Row:
    """A row with these keys. Raises ValueError."""
    row: Row = parse_json(line)
    _check(row, kinds)
    for candidate in row.get("cands", ()):
        _check(candidate, _CANDIDATE)
    if "posid" in row:
        Position.from_id(row["posid"])
    return row


def _check(row: object, kinds: Mapping[str, Any]) -> None:
    if not isinstance(row, dict):
        raise ValueError("not an object")
    for key, kind in kinds.items():
        if key not in row:
            raise ValueError(f"without {key!r}")
        value = row[key]
        large = isinstance(value, _NUMBER) and not abs(value) < 1e9
        if not isinstance(value, kind) or isinstance(value, bool) or large:
            raise ValueError(f"{key!r} cannot be {checks.shown(value)}")
