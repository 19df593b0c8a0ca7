"""The rule of the cube: one place says what a double is worth, and everything that reads it agrees."""

from __future__ import annotations

import math

import pytest

from sixprime.analysis import judge
from sixprime.bearoff.lookup import Cube
from sixprime.cube.decision import CubeAction, decide
from sixprime.cube.state import CubeState
from sixprime.engine.results import CubeAnalysis
from sixprime.formats.xg_text import _cube_lines
from sixprime.game import MatchState, Position, doubling
from sixprime.game.record import ActionKind, ForeignCube, Method, Value
from sixprime.report import words

BEAVERS = MatchState(jacoby=False, beavers=3)


def analysis(no_double: float, double_take: float, state: MatchState = BEAVERS) -> CubeAnalysis:
    verdict = decide(no_double, double_take, CubeState.from_match(state))
    return CubeAnalysis(
        Position.start(), state, (0.5, 0.1, 0.01, 0.1, 0.01), 0.0, no_double, double_take, 1.0, None, None, None,
        verdict.available, verdict.should_double, verdict.should_take, verdict.should_beaver, verdict.too_good,
        verdict.text, 2,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("no_double", "take", "beavers", "after", "best"),
    [
        # A beaver doubles the stakes of a take that loses.
        (-0.25, -0.10, 3, -0.20, -0.20),
        (-0.25, -0.10, 0, -0.10, -0.10),
        (-0.15, -0.10, 3, -0.20, -0.15),
        (-0.30, -0.40, 3, -0.80, -0.30),
        (-0.10, 0.0, 3, 0.0, 0.0),
        (0.20, 0.40, 3, 0.40, 0.40),
        # The opponent picks the lesser of take and pass.
        (0.80, 1.20, 3, 1.0, 1.0),
        (1.10, 1.30, 3, 1.0, 1.10),
        (1.10, 0.90, 3, 0.90, 1.10),
    ],
)
def test_everybody_says_what_a_cube_decision_is_worth(
    no_double: float, take: float, beavers: int, after: float, best: float
) -> None:
    cube = analysis(no_double, take, MatchState(jacoby=False, beavers=beavers))
    verdict = decide(no_double, take, CubeState(beavers=beavers))
    assert (cube.after_double, cube.optimal, verdict.optimal) == pytest.approx((after, best, best))
    assert judge.double_error(cube, True) == pytest.approx(best - after)
    assert judge.double_error(cube, False) == pytest.approx(best - no_double)
    beaver = beavers > 0 and take <= 0
    assert cube.should_beaver is beaver
    assert doubling.doubles(no_double, take, beaver=beaver) is verdict.should_double is (after >= no_double)
    assert doubling.best(no_double, take, beaver=beaver) == pytest.approx(best)
    answers = {ActionKind.TAKE: take, ActionKind.DROP: 1.0} | ({ActionKind.BEAVER: 2 * take} if beaver else {})
    assert min(answers.values()) == pytest.approx(after)
    for answer, value in answers.items():
        assert judge.Answer(cube).error(answer) == pytest.approx(value - after)

    rows = words.cube_rows(cube)
    assert rows[words.best_cube_row(cube)][1] == pytest.approx(best)
    assert [name for name, _, _ in rows][3:] == (["Double, beaver"] if beaver else [])
    assert all(value == pytest.approx(2 * take) for name, value, _ in rows if "beaver" in name)

    if not beaver:
        exact = Cube(no_double, take, 1.0)
        assert (exact.best, exact.double, exact.take) == pytest.approx((best, after >= no_double, take <= 1))


def test_an_answer_never_gains() -> None:
    """Below -2 a take is said to be right; the beaver, which is worth still more, loses nothing."""
    answer = judge.Answer(analysis(-1.9, -3.9, MatchState(jacoby=False, beavers=3)))
    assert answer.best is ActionKind.TAKE
    assert [answer.error(each) for each in answer.all] == pytest.approx([0.0, 4.9, 0.0])


def test_equal_equities_are_taken_and_doubled() -> None:
    """Who loses nothing by a take takes; who loses nothing by a double doubles."""
    verdict = decide(0.7, 1.0, CubeState())
    assert (verdict.action, verdict.should_take) == (CubeAction.DOUBLE_TAKE, True)
    assert decide(0.7, math.nextafter(1.0, 2.0), CubeState()).action is CubeAction.DOUBLE_PASS
    assert decide(1.2, 1.0, CubeState()).action is CubeAction.TOO_GOOD_TAKE
    assert (Cube(0.7, 1.0, 1.0).take, Cube(1.0, 1.2, 1.0).double) == (True, True)
    assert doubling.takes(math.nan)
    assert doubling.best(0.3, math.nan) == Cube(0.3).best == 0.3

    method = Method("XG Roller")
    for no_double, take, action in ((0.5, 0.5, "Take"), (0.7, 1.0, "Take"), (1.0, 1.2, "Pass")):
        lines = _cube_lines(ForeignCube(Value(equity=no_double), Value(equity=take), method), False, "2-ply")
        assert lines[-1] == f"Best Cube action: Double / {action}"


@pytest.mark.parametrize(
    ("no_double", "take", "close"), [(-0.05, -0.15, True), (-0.05, -0.22, False), (0.5, 0.35, True), (0.5, 0.3, False)]
)
def test_close_decisions_are_those_that_gnu_backgammon_counts(no_double: float, take: float, close: bool) -> None:
    """A plain take within .16 of the best is close, though the beaver makes the double lose more than that."""
    cube = analysis(no_double, take)
    assert judge.is_close(cube, 0.16) is close
    if take < 0:
        assert judge.double_error(cube, True) == pytest.approx(no_double - 2 * take)


def test_action_codes_and_texts_are_all_different() -> None:
    assert sorted(CubeAction.__members__.values()) == list(range(22))
    assert len({code.text for code in CubeAction}) == 22
