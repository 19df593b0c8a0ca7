"""Phase and plan of positions that are written down as points and chequers."""

from __future__ import annotations

import numpy as np
import pytest

from sixprime.analysis.foreign import foreign
from sixprime.analysis.model import AnalysedMatch, DecisionKind, Phase, Plan, PlayerStatistics
from sixprime.analysis.situations import phase_of, plan_of
from sixprime.game.position import Position


def side(text: str) -> list[int]:
    """`13:5 8:3` as counts; 25 is the bar."""
    counts = [0] * 25
    for part in text.split():
        point, number = part.split(":")
        counts[int(point) - 1] = int(number)
    return counts


def position(own: str, other: str) -> Position:
    return Position.from_board([side(other), side(own)])


START = "24:2 13:5 8:3 6:5"


@pytest.mark.parametrize(
    ("own", "other", "phase", "plan"),
    [
        (START, START, Phase.OPENING, Plan.MIXED),
        # The last chequers have passed: 12 and 12, 13 and 11.
        ("12:5 6:5 5:5", "12:5 6:5 5:5", Phase.RACE, Plan.RACE),
        ("14:2 6:13", "12:2 5:13", Phase.OPENING, Plan.MIXED),
        ("6:5 5:5 4:5", "9:5 6:5 5:5", Phase.BEAR_OFF, Plan.RACE),
        # A shot while bearing off is still the bear-off of this side, but no race.
        ("6:5 5:5 4:3", "24:2 6:5 5:5", Phase.BEAR_OFF, Plan.MIXED),
        ("24:2 22:2 13:5 6:6", "8:3 6:4 5:4 4:4", Phase.BACK_GAME, Plan.BACK_GAME),
        # The other side of it: three points in a row only, and nothing on the bar.
        ("13:3 8:3 7:3 6:3 1:3", "24:2 22:2 12:5 6:6", Phase.BACK_GAME, Plan.MIXED),
        # Two points held, but ahead in the race.
        ("24:2 23:2 6:5 5:6", "14:15", Phase.BACK_GAME, Plan.MIXED),
        ("24:1 8:3 6:4 5:3 4:2 3:2", "25:1 22:1 13:5 8:3 6:5", Phase.OPENING, Plan.ATTACK),
        ("24:2 8:2 7:2 6:2 5:2 13:5", "24:2 13:5 8:3 6:5", Phase.OPENING, Plan.PRIME),
        # A prime without anything behind it.
        ("24:2 8:2 7:2 6:2 5:2 13:5", "13:7 8:3 6:5", Phase.OPENING, Plan.MIXED),
        ("20:2 13:5 8:3 6:5", "13:5 8:5 6:5", Phase.OPENING, Plan.HOLDING),
    ],
)
def test_kinds_of_positions(own: str, other: str, phase: Phase, plan: Plan) -> None:
    seen = position(own, other)
    assert (phase_of(seen, 1, from_start=True), plan_of(seen)) == (phase, plan)


def test_an_opening_ends_when_both_have_played_three_times_and_begins_at_the_start() -> None:
    start = Position.start()
    assert [phase_of(start, before, from_start=True) for before in (5, 6)] == [Phase.OPENING, Phase.CONTACT]
    assert phase_of(start, 0, from_start=False) is Phase.CONTACT


def test_phases_do_not_depend_on_seats(analysed_by_gnubg: AnalysedMatch) -> None:
    turned = foreign(analysed_by_gnubg.match.reseated(), analysed_by_gnubg.settings)
    assert [each.phase for each in turned.decisions] == [each.phase for each in analysed_by_gnubg.decisions]
    for game in turned.games:
        opening = [each for each in game.decisions if each.kind is DecisionKind.PLAY][:6]
        begun = [sum(each.player == player for each in opening) for player in (0, 1)]
        assert begun == [3, 3] or len(opening) < 6


def test_every_counted_decision_is_in_one_phase_and_one_plan(analysed_by_gnubg: AnalysedMatch) -> None:
    def check(own: PlayerStatistics) -> None:
        for tallies in (own.phases, own.plans):
            assert sum(tally.count for tally in tallies) == own.decisions
            assert sum(tally.error for tally in tallies) == pytest.approx(own.error_total, abs=1e-6)
            assert sum(tally.error_mwc for tally in tallies) == pytest.approx(own.error_mwc, abs=1e-6)

    for own in analysed_by_gnubg.statistics:
        check(own)
        assert own.phases[list(Phase).index(Phase.OPENING)].count > 0
    for game in analysed_by_gnubg.games:
        for own in game.statistics:
            check(own)


def test_the_standard_error_is_that_of_the_decisions(analysed_by_gnubg: AnalysedMatch) -> None:
    for player, own in enumerate(analysed_by_gnubg.statistics):
        errors = [d.error for d in analysed_by_gnubg.decisions if d.player == player and d.counted]
        expected = 500 * np.std(errors, ddof=1) / np.sqrt(len(errors))
        assert own.pr_error == pytest.approx(expected, rel=1e-6)


@pytest.fixture(scope="module")
def analysed_by_gnubg() -> AnalysedMatch:
    from pathlib import Path

    from sixprime import formats
    from sixprime.analysis.foreign import foreign

    return foreign(formats.read(Path(__file__).parent / "data" / "sgf" / "analysed.sgf"))
