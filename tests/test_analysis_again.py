"""One decision of a match judged again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sixprime import Engine, formats
from sixprime.analysis.again import judged_again
from sixprime.analysis.analyse import analyse
from sixprime.analysis.marked import Mark, roll_out_marked
from sixprime.analysis.model import AnalysedMatch, DecisionKind
from sixprime.analysis.statistics import total
from sixprime.engine import RolloutSettings
from sixprime.errors import SettingsError

MATCH = """ 3 point match

 Game 1
 Ann : 0                          Bob : 0
  1) 31: 8/5 6/5                  64: 24/18 13/9
  2) 65: 13/2                     52: 13/8 13/11
  3)  Doubles => 2                 Takes
  4) 21: 6/4 24/23                 42: 8/4 6/4
  5)  Resigns
"""


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1)


@pytest.fixture(scope="module")
def analysed(engine: Engine) -> AnalysedMatch:
    return analyse(formats.read_text(MATCH), engine, plies=0)


@pytest.mark.parametrize("kind", list(DecisionKind))
def test_the_same_answer_changes_nothing(analysed: AnalysedMatch, engine: Engine, kind: DecisionKind) -> None:
    for decision in (each for each in analysed.decisions if each.kind is kind):
        answer = decision.plays if decision.cube is None else decision.cube
        place = decision.game, decision.action, decision.kind
        assert judged_again(analysed, place, answer, engine.met) == analysed


def test_another_answer_changes_its_decision_and_what_follows(analysed: AnalysedMatch, engine: Engine) -> None:
    was = next(each for each in analysed.decisions if each.chosen == "13/2")
    assert was.played
    # What was played comes first now, and loses nothing.
    best = replace(was.plays[was.played], equity_loss=0.0)
    rest = [replace(each, equity_loss=0.1) for i, each in enumerate(was.plays) if i != was.played]
    after = judged_again(analysed, (was.game, was.action, was.kind), [best, *rest], engine.met)
    now = next(each for each in after.decisions if each.chosen == "13/2")
    assert (was.error > 0, now.error, now.played, now.best) == (True, 0.0, 0, "13/2")
    others = [each for each in after.decisions if each is not now and each.player != was.player]
    assert [each.error for each in others] == [each.error for each in analysed.decisions if each.player != was.player]
    lost = analysed.statistics[0].error_total - after.statistics[0].error_total
    assert lost == pytest.approx(was.error)
    for side in (0, 1):
        assert after.statistics[side] == total(game.statistics[side] for game in after.games)


def test_a_double_and_its_answer_are_one(analysed: AnalysedMatch, engine: Engine) -> None:
    double = next(each for each in analysed.decisions if each.chosen == "Double")
    assert double.cube is not None
    cube = replace(double.cube, double_take=-2.0)
    after = judged_again(analysed, (double.game, double.action, DecisionKind.DOUBLE), cube, engine.met)
    assert [each.cube for each in after.decisions if each.chosen in ("Double", "Take")] == [cube, cube]


def test_what_is_no_place_or_no_answer_is_refused(analysed: AnalysedMatch, engine: Engine) -> None:
    play = next(each for each in analysed.decisions if each.kind is DecisionKind.PLAY)
    cube = next(each.cube for each in analysed.decisions if each.cube is not None)
    for place in ((0, 99, DecisionKind.PLAY), (1, 0, DecisionKind.PLAY), (-1, 0, DecisionKind.PLAY)):
        with pytest.raises(SettingsError, match="nothing was judged"):
            judged_again(analysed, place, play.plays, engine.met)
    for answer in (cube, ()):
        with pytest.raises(SettingsError, match="another kind"):
            judged_again(analysed, (play.game, play.action, play.kind), answer, engine.met)


def test_a_resignation_stays_judged(analysed: AnalysedMatch, engine: Engine) -> None:
    play = next(each for each in analysed.decisions if each.chosen == "13/2")
    after = roll_out_marked(analysed, [Mark(play.game, play.action, play.kind)], engine, RolloutSettings(trials=36))
    assert after.games[0].decisions != analysed.games[0].decisions
    assert after.games[0].resignation == analysed.games[0].resignation is not None
    assert after.statistics[0].too_early == analysed.statistics[0].too_early
