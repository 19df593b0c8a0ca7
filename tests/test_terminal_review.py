"""An analysed match is gone through."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sixprime as sp
from sixprime.analysis.model import DecisionKind
from sixprime.engine import Engine
from sixprime.game.record import ActionKind
from sixprime.report import words
from sixprime.terminal.review import Review
from sixprime.terminal.scene import Leave, Look


@pytest.fixture(scope="module")
def analysed() -> sp.AnalysedMatch:
    return sp.analyse(sp.read(sp.sample_match()), Engine(plies=0, threads=1))


@pytest.mark.parametrize("look", [Look(), Look(bottom=1, light=False, left=True)])
def test_every_decision_can_be_looked_at(analysed: sp.AnalysedMatch, look: Look) -> None:
    review = Review(analysed, look)
    review.go(0)
    for number, decision in enumerate(analysed.decisions):
        assert review.decision is decision
        shown = review.shown()
        assert shown.offered == (decision.kind is DecisionKind.TAKE)
        top = words.mover(decision) != look.bottom
        assert shown.position == (decision.position.swapped() if top else decision.position)
        assert len(shown.starts) <= 4
        (current,) = [row for row in review.rows if row.current]
        if decision.skill:
            assert current.skill >= decision.skill
        action = analysed.match.games[decision.game].actions[decision.action]
        unplayed = decision.kind is DecisionKind.PLAY and action.kind is ActionKind.ROLL
        assert (" not played: " if unplayed else words.play_text(decision.chosen)) in review.lines[0]
        if decision.plays and decision.played is not None:
            assert sum(line.startswith("*") for line in review.lines[1:]) == 1
        assert review.turn == decision.player
        assert f"decision {number + 1} of {len(analysed.decisions)}" in review.headline
        review.say("")
    assert len(review.graph) == len(analysed.decisions)
    assert all(0 <= value <= 1 for value in review.graph)


def test_a_match_to_one_point_has_no_cube() -> None:
    match = sp.read(sp.sample_match())
    analysed = sp.analyse(replace(match, length=1, games=match.games[:1]), Engine(plies=0, threads=1))
    assert Review(analysed, Look()).shown().cube == 0


def test_ways_through(analysed: sp.AnalysedMatch) -> None:
    review = Review(analysed, Look())
    marked = [number for number, each in enumerate(analysed.decisions) if each.skill]
    assert review.at == marked[0]
    review.say("error")
    assert review.at == marked[1]
    review.say("before")
    review.say("before")
    assert review.at == marked[0]
    assert review.prompt == "no more errors that way"
    review.say("game")
    second = next(number for number, each in enumerate(analysed.decisions) if each.game == 1)
    assert review.at == second
    assert review.prompt != "no more errors that way"
    review.say("next")
    review.say("last")
    assert review.at == second
    review.say("last")
    assert review.at == 0
    review.say("previous")
    assert review.at == 0
    review.say("end")
    assert review.at == len(analysed.decisions) - 1
    review.say("7")
    assert review.at == 6
    review.say("sing")
    assert "'sing' says nothing here" in review.prompt
    with pytest.raises(Leave):
        review.say("quit")


def test_a_match_without_decisions(analysed: sp.AnalysedMatch) -> None:
    empty = sp.analyse(sp.Table.new(sp.Rules(3), ("Ann", "Bob")).record(), Engine(plies=0, threads=1))
    review = Review(empty, Look())
    assert review.decision is None
    assert review.headline == "Review: 3-point match, nothing was decided"
    assert (review.lines, review.rows, review.graph, review.pips) == ([], [], [], (0, 0))
    assert review.shown().position == sp.Position.start()
    review.say("next")
    review.say("error")
    assert review.prompt == "nothing was decided"
