"""All decisions of a match as a table: the rows of `report.rows` that options show, as CSV or Parquet."""

from __future__ import annotations

import csv
from io import StringIO
from typing import Any

from sixprime.analysis.model import Decision, DecisionKind
from sixprime.game.record import ActionKind
from sixprime.report import words
from sixprime.report.export.forms import Files, Job
from sixprime.report.export.options import ExportOptions
from sixprime.report.rows import CHANCES, COLUMNS, to_rows

_PEOPLES = ("file", "date", "event", "player", "opponent", "comment")
"""Columns with texts that people wrote."""
_WHOLE = ("length", "game", "move", "action", "side", "score", "opponent_score", "cube", "plies", "trials")
_TRUTHS = ("crawford", "counted", "forced", "illegal")
_NUMBERS = (
    *("error", "error_mwc", "luck", "luck_mwc", "mwc", "equity", *CHANCES, "no_double", "double_take", "double_pass"),
    *("seconds", "their_error", "their_best_loss", "our_best_loss"),
)
_MARKS = {"none": "unmarked", "doubtful": "doubtful", "bad": "bad", "very_bad": "verybad"}
"""What options call the marks of rows."""
TYPES: dict[str, type] = {
    name: int if name in _WHOLE else float if name in _NUMBERS else bool if name in _TRUTHS else str
    for name in (*COLUMNS, "plays")
}
"""What each column holds, besides None: those of `report.rows`, and `plays`, the candidates."""


def columns_for(options: ExportOptions) -> list[str]:
    """The columns that options leave."""
    dropped: set[str] = set()
    if not options.annotations:
        dropped.add("comment")
    if not options.matchinfo:
        dropped |= {"file", "date", "event"}
    if not options.moves_number:
        dropped.add("plays")
    if not (options.moves_probabilities or options.cube_probabilities):
        dropped |= set(CHANCES)
    if not (options.moves_evaluation or options.moves_rollout or options.cube_evaluation or options.cube_rollout):
        dropped |= {"plies", "trials"}
    return [name for name in TYPES if name not in dropped]


def rows(job: Job) -> list[dict[str, Any]]:
    """A row for each decision that the options show, with the columns that they leave."""
    options = job.options
    names = columns_for(options)
    pages = [page for _, page in job.pages()]
    shown: dict[tuple[int, int, str], Decision] = {}
    for page in pages:
        for turn in page.turns:
            for decision in turn.decisions:
                if (turn.plays if decision.kind is DecisionKind.PLAY else turn.cube) is not None:
                    shown[page.number, decision.action, decision.kind.value] = decision
    whole = {page.number for page in pages if not page.single} & {game for game, _, _ in shown}
    found = []
    for row in to_rows(job.analysed):
        seen = shown.get((row["game"], row["action"], row["kind"]))
        if seen is not None:
            row["plays"] = _candidates(seen, options.moves_number)
        elif row["game"] not in whole or not options.shows(row["side"]) or not _off_page(job, row):
            continue
        if not (options.moves_probabilities if row["kind"] == "play" else options.cube_probabilities):
            row |= dict.fromkeys(CHANCES)
        found.append({name: row.get(name) for name in names})
    return found


def _off_page(job: Job, row: dict[str, Any]) -> bool:
    """Whether a row that is no turn of a page belongs to the table: of a resignation, or of a roll with which nothing
    was played, as it was resigned after it or the game broke off."""
    if row["kind"] in ("resign", "accept"):
        return True
    games = {game.number: game for game in job.analysed.match.games}
    mark = _MARKS[row["mark"]]
    listed: bool = getattr(job.options, f"{'moves' if row['kind'] == 'play' else 'cube'}_{mark}")
    return listed and games[row["game"]].actions[row["action"]].kind is ActionKind.ROLL


def _candidates(decision: Decision, number: int) -> str | None:
    """The best plays, each with what it is worth; None for a cube decision."""
    best = [f"{words.play_text(str(each.play))} {each.cubeful_equity:+.4f}" for each in decision.plays[:number]]
    return "; ".join(best) or None


def _short(value: Any) -> Any:
    """Numbers with six decimals: more than any of them is known to."""
    return round(value, 6) + 0.0 if isinstance(value, float) else value


def _cell(name: str, value: Any) -> Any:
    """A value as CSV has it: what spreadsheets would take for a formula of people's has an apostrophe before it."""
    formula = name in _PEOPLES and isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if formula else _short(value)


def render(job: Job) -> Files:
    """CSV: a header, then a line for each decision."""
    out = StringIO()
    writer = csv.DictWriter(out, columns_for(job.options), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(name, value) for name, value in row.items()} for row in rows(job))
    return [(job.name, out.getvalue())]
