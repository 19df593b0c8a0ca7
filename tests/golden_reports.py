"""Golden reports: `python tests/golden_reports.py` writes them anew; review what changes before it is committed.

The analysis is made up, so that no number depends on the machine.
"""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from made_match import chances, judge_cube, judge_play, make_match
from rich.console import Console

from sixprime.analysis.model import AnalysedMatch
from sixprime.engine.results import Evaluation
from sixprime.game import MatchState, Position
from sixprime.report import render_cube, render_evaluation, render_hint, render_html, render_terminal, to_dict

_SEED = 43  # with hits, marks of both shapes and lucky rolls
FOLDER = Path(__file__).parent / "data" / "golden_reports"


def documents() -> dict[str, str]:
    """Every golden file by name: a match and a money session as HTML, text and JSON, and single positions."""
    found = {"positions.txt": _printed(_positions)}
    match, money = _match(5, games=2), _match(0, games=1)
    found["match.json"] = json.dumps(_rounded(to_dict(match)), ensure_ascii=False, indent=1) + "\n"
    for name, analysed in (("match", match), ("money", money)):
        found[f"{name}.html"] = _words_of(render_html(analysed))
        found[f"{name}.txt"] = _printed(lambda console, shown=analysed: render_terminal(shown, console, worst=10))
    return found


def _match(length: int, games: int) -> AnalysedMatch:
    """Short games; one play was judged by the net alone and looks better than those above it."""
    analysed = make_match(seed=_SEED, length=length, games=games, turns=5)
    first = analysed.games[0]
    decisions = list(first.decisions)
    index = next(i for i, decision in enumerate(decisions) if len(decision.plays) > 3)
    plays = list(decisions[index].plays)
    plays[2] = replace(plays[2], plies=0, cubeful_equity=plays[0].equity + 0.05, equity_loss=0.0)
    decisions[index] = replace(decisions[index], plays=tuple(plays))
    return replace(analysed, games=(replace(first, decisions=tuple(decisions)), *analysed.games[1:]))


def _positions(console: Console) -> None:
    rng = random.Random(5)
    start = Position.start()
    for state in (MatchState(), MatchState(length=7, score=(2, 1), on_roll=0)):
        cube, plays = judge_cube(rng, start, state), judge_play(rng, start, (3, 1), state.length > 0)
        mwc = 0.6 if state.length else None
        evaluation = Evaluation(start, chances(rng), 0.1, 0.123456, mwc, 2, "contact")
        render_evaluation(evaluation, state=state, cube=cube, console=console)
        render_hint(start, (3, 1), plays, state=state, console=console)
        render_cube(cube, console=console)


def _printed(show: Callable[[Console], None]) -> str:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    show(Console(file=out, width=80, force_terminal=False, color_system=None, highlight=False))
    out.seek(0)
    return "".join(line.rstrip() + "\n" for line in out.read().splitlines())


def _words_of(page: str) -> str:
    """A page without its styles, script, policy and drawings, which have tests of their own."""
    page = re.sub(r'(Policy" content|data-board|rel="icon" href)=".*?"', r'\1=""', page)
    page = re.sub(r"<(style|script)>.*?</\1>", r"<\1/>", page, flags=re.DOTALL)
    return re.sub(r"<svg (?=[^>]*(?:sp-board|sp-chart|aria-hidden)).*?</svg>", "<svg/>", page, flags=re.DOTALL)


def _rounded(value: Any) -> Any:
    match value:
        case float():
            return round(value, 6)
        case dict():
            return {key: _rounded(item) for key, item in value.items()}
        case list() | tuple():
            return [_rounded(item) for item in value]
    return value


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, text in documents().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
