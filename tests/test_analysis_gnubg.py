"""Real matches beside what GNU Backgammon printed of them, analysed at 2-ply."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sixprime as sp
from sixprime.analysis.model import AnalysedMatch
from sixprime.analysis.ratings import rating_name

DATA = Path(__file__).parent / "data" / "gnubg_text"
GAMES: list[dict[str, Any]] = json.loads((DATA / "marks.json").read_text())
CLASSES = [
    *("Supernatural", "World class", "Expert", "Advanced", "Intermediate", "Casual player", "Beginner", "Awful!"),
]


@pytest.fixture(scope="module")
def judged() -> list[AnalysedMatch]:
    found = []
    with sp.Engine() as engine:
        for row in GAMES:
            match = sp.read(DATA / row["file"])
            match = replace(match, games=(match.games[row["game"] - 1],))
            found.append(sp.analyse(match, engine, plies=2))
    return found


def test_what_gnu_backgammon_calls_bad_is_an_error(judged: list[AnalysedMatch]) -> None:
    """Nine of ten at least lose .02 or more here, too."""
    errors = []
    for row, analysed in zip(GAMES, judged, strict=True):
        for identity, roll, _, loss in row["marked"]:
            dice = {(int(roll[0]), int(roll[1])), (int(roll[1]), int(roll[0]))}
            play = next(d for d in analysed.decisions if d.dice in dice and d.position.id == identity)
            errors.append((play.error, -loss))
    assert len(errors) == 12
    assert sum(ours >= 0.02 for ours, _ in errors) >= 0.9 * len(errors)
    assert sum(ours for ours, _ in errors) == pytest.approx(sum(theirs for _, theirs in errors), rel=0.15)


def test_ratings_are_within_a_class(judged: list[AnalysedMatch]) -> None:
    for row, analysed in zip(GAMES, judged, strict=True):
        for player, own in zip(analysed.match.players, analysed.statistics, strict=True):
            ours = CLASSES.index(rating_name(own.error_per_decision, "old"))
            assert abs(ours - CLASSES.index(row["ratings"][player.name])) <= 1, (row["file"], player.name)
