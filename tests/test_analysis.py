"""Analysis of matches: which decisions exist, what they cost, what they add up to.

An engine that answers from a table stands in for the real one, so that every number is known.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_engine import (
    CubeRow,
    FakeEngine,
    PlayRow,
    Recorder,
    always,
    beavered_game,
    doubling_game,
    kinds,
    match_of,
    only,
)

from sixprime.analysis.analyse import analyse, analyse_many
from sixprime.analysis.model import AnalysedMatch, DecisionKind
from sixprime.analysis.ratings import absolute_fibs, luck_based_fibs, luck_name, rating_name
from sixprime.analysis.statistics import points_per_game, snowie_error_rate, total
from sixprime.analysis.thresholds import OLD_THRESHOLDS, Luck, Skill
from sixprime.cube import met
from sixprime.cube.model import CubeModel
from sixprime.cube.state import CubeState
from sixprime.cube.values import Equity, worth
from sixprime.engine import Engine
from sixprime.game.play import parse_play
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, Match
from sixprime.game.state import MatchState
from sixprime.report import match_text, render_html, words
from sixprime.report.json import decision_to_dict

DATA = Path(__file__).parent / "data"


def test_decisions_of_a_game() -> None:
    analysed = analyse(match_of(doubling_game().game()), FakeEngine())
    assert kinds(analysed) == [
        ("play", 0, 1),  # nobody may double before the first move
        ("double", 1, 1),
        ("play", 1, 1),
        ("double", 0, 2),
        ("take", 1, 2),
        ("play", 0, 3),  # the cube is Bob's now
        ("double", 1, 3),
        ("play", 1, 3),
    ]
    assert [d.chosen for d in only(analysed, DecisionKind.DOUBLE)] == ["No double", "Double", "No redouble"]
    assert [d.action for d in analysed.decisions] == [0, 1, 1, 2, 3, 4, 5, 5]
    assert [d.state.cube for d in analysed.decisions] == [1, 1, 1, 1, 1, 2, 2, 2]
    plays = only(analysed, DecisionKind.PLAY)
    assert plays[0].chosen == "8/5 6/5"
    assert plays[0].dice == plays[0].state.dice == (3, 1)
    assert all(d.dice is None and d.state.dice is None for d in analysed.decisions if d.cube)


def test_a_take_is_seen_by_the_doubler() -> None:
    analysed = analyse(match_of(doubling_game().game()), FakeEngine())
    double, take = only(analysed, DecisionKind.DOUBLE)[1], only(analysed, DecisionKind.TAKE)[0]
    assert take.position == double.position
    assert take.cube is double.cube
    assert take.player == 1
    assert (take.state.on_roll, take.state.doubled, take.state.decider) == (0, True, 1)


def test_rows_begin_with_the_right_player() -> None:
    game = Recorder(first=1)
    game.move(1, (3, 1))
    game.move(0, (3, 1))
    game.move(1, (3, 1))
    game.double(0)
    game.answer(1, ActionKind.TAKE)
    game.move(0, (3, 1))
    analysed = analyse(match_of(game.game()), FakeEngine())
    assert [(d.player, d.move_number) for d in only(analysed, DecisionKind.PLAY)] == [(1, 1), (0, 2), (1, 2), (0, 4)]


@pytest.mark.parametrize(
    ("score", "crawford", "doubts"),
    [
        ((0, 0), False, 3),
        ((6, 0), True, 0),  # the Crawford game
        ((6, 0), False, 2),  # after it only the trailer doubles
        ((6, 6), False, 0),  # the cube is dead
    ],
)
def test_no_decision_where_the_cube_cannot_be_turned(score: tuple[int, int], crawford: bool, doubts: int) -> None:
    game = Recorder(score=score, crawford=crawford)
    for player in (0, 1, 0, 1):
        game.move(player, (3, 1))
    analysed = analyse(match_of(game.game()), FakeEngine())
    assert len(only(analysed, DecisionKind.DOUBLE)) == doubts


def test_no_cube_above_its_limit() -> None:
    game = Recorder(length=0)
    game.state = replace(game.state, cube_limit=1)
    for player in (0, 1, 0):
        game.move(player, (3, 1))
    assert not only(analyse(match_of(game.game(), length=0), FakeEngine()), DecisionKind.DOUBLE)


def test_a_set_position_may_be_doubled_at_once() -> None:
    game = Recorder()
    game.position = Position.from_id("4HPwATDgc/ABMA").plays((3, 1))[0].result.swapped()
    game.actions.append(Action(ActionKind.SET, 0, game.position, game.state))
    game.move(0, (3, 1))
    assert [d.kind for d in analyse(match_of(game.game()), FakeEngine()).decisions] == ["double", "play"]
    game = Recorder()
    game.actions.append(Action(ActionKind.SET, 0, game.position, game.state))
    game.move(0, (3, 1))
    (play,) = analyse(match_of(game.game()), FakeEngine()).decisions
    assert play.kind is DecisionKind.PLAY
    assert play.mwc_before is None


@pytest.mark.parametrize(
    ("nd", "dt", "missed", "wrong", "take", "passed", "close"),
    [
        # no double / double take -> lost by not doubling, by doubling, by taking, by passing; close?
        (0.40, 0.30, 0.0, 0.10, 0.0, 0.70, True),
        (0.50, 0.30, 0.0, 0.20, 0.0, 0.70, False),
        (0.60, 0.75, 0.15, 0.0, 0.0, 0.25, True),
        (0.80, 1.30, 0.20, 0.0, 0.30, 0.0, True),
        (1.10, 1.30, 0.0, 0.10, 0.30, 0.0, True),  # too good
        (1.40, 1.30, 0.0, 0.40, 0.30, 0.0, False),
    ],
)
def test_cost_of_cube_actions(
    nd: float, dt: float, missed: float, wrong: float, take: float, passed: float, close: bool
) -> None:
    engine = FakeEngine(cube=always(nd, dt))
    scale = worth(MatchState(length=7, on_roll=0))
    for answer, lost in ((ActionKind.TAKE, take), (ActionKind.DROP, passed)):
        analysed = analyse(match_of(doubling_game(answer=answer).game()), engine)
        waited, double = only(analysed, DecisionKind.DOUBLE)[:2]
        (answered,) = only(analysed, DecisionKind.TAKE)
        assert (waited.error, double.error, answered.error) == pytest.approx((missed, wrong, lost))
        assert (waited.counted, double.counted, answered.counted) == (close, True, True)
        assert double.error_mwc == pytest.approx(wrong * scale)
        # The answer too is measured by the cube before doubling.
        assert answered.error_mwc == pytest.approx(lost * scale)
        assert answered.best == ("Take" if dt <= 1 else "Pass")
        bob = analysed.statistics[1]
        assert (bob.takes, bob.passes) == ((1, 0) if answer is ActionKind.TAKE else (0, 1))
        assert bob.faults.wrong_takes.error + bob.faults.wrong_passes.error == pytest.approx(lost)


def test_kinds_of_cube_faults() -> None:
    for nd, dt, name, count in (
        (0.6, 0.75, "missed_below_cash", 1),
        (0.8, 1.30, "missed_above_cash", 1),
        (0.4, 0.30, "doubled_too_weak", 1),
        (1.1, 1.30, "doubled_too_good", 1),
    ):
        analysed = analyse(match_of(doubling_game().game()), FakeEngine(cube=always(nd, dt)))
        faults = [statistics.faults for statistics in analysed.statistics]
        assert sum(getattr(fault, name).count for fault in faults) == count + (name[:6] == "missed")
        assert faults == [statistics.faults for statistics in analysed.games[0].statistics]


def test_a_beaver_doubles_the_stakes() -> None:
    # Doubling at -0.1 is worth -0.2 when beavered.
    engine = FakeEngine(cube=always(0.1, -0.1))
    for answer, lost, best in ((ActionKind.BEAVER, 0.0, "Beaver"), (ActionKind.TAKE, 0.1, "Beaver")):
        game = doubling_game(length=0, answer=answer)
        analysed = analyse(match_of(game.game(), length=0), engine)
        double = only(analysed, DecisionKind.DOUBLE)[1]
        (answered,) = only(analysed, DecisionKind.TAKE)
        assert double.error == pytest.approx(0.3)
        assert answered.error == pytest.approx(lost)
        assert answered.best == best
        assert analysed.statistics[1].takes == 1
    # Beavering a sound double loses what it adds to the stakes.
    analysed = analyse(
        match_of(doubling_game(length=0, answer=ActionKind.BEAVER).game(), length=0),
        FakeEngine(cube=always(0.3, 0.4)),
    )
    (answered,) = only(analysed, DecisionKind.TAKE)
    assert (answered.chosen, answered.best) == ("Beaver", "Take")
    assert answered.error == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("double_take", "answers", "errors", "best"),
    [
        # Who takes a beaver plays for twice the stakes, who passes it loses two; errors are told in what was turned.
        (0.3, "take", [0.3], ["Raccoon"]),
        (0.3, "drop", [1.6], ["Raccoon"]),
        (-0.2, "take", [0.0], ["Take"]),
        (-0.2, "beaver take", [0.2, 0.2], ["Take", "Raccoon"]),
        (-1.2, "take", [0.2], ["Pass"]),
        (-1.2, "drop", [0.0], ["Pass"]),
        (0.3, "beaver drop", [0.0, 0.7], ["Raccoon", "Take"]),
    ],
)
def test_answers_to_a_beaver(double_take: float, answers: str, errors: list[float], best: list[str]) -> None:
    game = beavered_game(*map(ActionKind, answers.split()))
    analysed = analyse(match_of(game.game(), length=0), FakeEngine(cube=always(0.1, double_take)))
    judged = only(analysed, DecisionKind.TAKE)[1:]
    assert [d.player for d in judged] == [1, 0][: len(errors)]
    assert [d.error for d in judged] == pytest.approx(errors)
    points = [2 ** (number + 1) * error for number, error in enumerate(errors)]
    assert [d.error_mwc for d in judged] == pytest.approx(points)
    assert [d.best if d.error else d.chosen for d in judged] == best
    assert all(d.counted for d in judged)
    ids = {decision_to_dict(d)["position_id"] for d in (*judged, only(analysed, DecisionKind.DOUBLE)[0])}
    assert len(ids) == 1


def test_a_double_that_was_not_allowed_is_not_judged() -> None:
    analysed = analyse(match_of(doubling_game(score=(6, 0), crawford=True).game()), FakeEngine())
    double, take = [d for d in analysed.decisions if d.cube]
    assert (double.error, take.error) == (0.0, 0.0)
    assert (double.counted, take.counted) == (False, False)
    assert analysed.statistics[0].doubles == 1


def test_an_answer_without_a_double_is_passed_over() -> None:
    game = Recorder()
    game.move(0, (3, 1))
    game.answer(1, ActionKind.TAKE)
    assert [d.kind for d in analyse(match_of(game.game()), FakeEngine()).decisions] == ["play"]


def test_plays_are_judged_by_the_position_they_reach() -> None:
    game = Recorder()
    game.move(0, (3, 1), "6/5 8/5")
    game.move(1, (2, 1), "24/21")
    analysed = analyse(match_of(game.game()), FakeEngine())
    first, second = only(analysed, DecisionKind.PLAY)
    for decision in (first, second):
        assert decision.played is not None
        place = decision.played
        assert decision.error == pytest.approx(0.05 * place)
        assert (decision.counted, decision.forced) == (True, False)
        assert decision.best == str(decision.plays[0].play)
    assert analysed.statistics[0].chequer_error_total == pytest.approx(first.error)


def test_marks() -> None:
    engine = FakeEngine(luck=lambda position, dice, state: -0.3 if dice == (3, 1) else 0.7)
    game = Recorder()
    plays = Position.start().plays((6, 2))
    for place in (0, 1, 2, 3):
        game.move(0, (6, 2), str(plays[place]))
        game.position, game.state = Position.start(), game.state.swapped()
    game.move(0, (3, 1))
    analysed = analyse(match_of(game.game()), engine)
    marks = [d.skill for d in only(analysed, DecisionKind.PLAY)][:4]
    assert marks == [Skill.NONE, Skill.DOUBTFUL, Skill.BAD, Skill.VERY_BAD]
    ann = analysed.statistics[0]
    assert ann.play_marks == (2, 1, 1, 1)
    assert ann.luck_marks == (0, 1, 0, 0, 4)
    assert only(analysed, DecisionKind.PLAY)[4].luck_mark is Luck.UNLUCKY
    older = analyse(match_of(game.game()), engine, thresholds=OLD_THRESHOLDS)
    assert older.statistics[0].play_marks == (2, 1, 2, 0)


DANCE = Position.from_board([[2] * 6 + [0] * 18 + [0], [0] * 12 + [14] + [0] * 11 + [1]])


def test_forced_plays_do_not_count() -> None:
    game = Recorder()
    game.position = DANCE
    game.move(0, (3, 1))
    analysed = analyse(match_of(game.game()), FakeEngine(luck=lambda position, dice, state: -0.2))
    (play,) = only(analysed, DecisionKind.PLAY)
    assert (play.forced, play.counted, play.played, play.chosen) == (True, False, 0, "")
    ann = analysed.statistics[0]
    assert (ann.moves, ann.unforced_moves, ann.decisions, ann.pr) == (1, 0, 0, 0.0)
    assert ann.luck_total == -0.2


def test_illegal_plays_have_luck_but_no_error() -> None:
    game = Recorder()
    game.move(0, (3, 1), illegal=True)
    game.move(1, (3, 1))
    analysed = analyse(match_of(game.game()), FakeEngine(luck=lambda position, dice, state: 0.1))
    illegal, waited = analysed.decisions[0], analysed.decisions[1]
    assert illegal.plays
    assert (illegal.played, illegal.error, illegal.counted) == (None, 0, False)
    assert illegal.luck == 0.1
    assert [decision_to_dict(decision)["illegal"] for decision in analysed.decisions[:2]] == [True, False]
    assert waited.kind is DecisionKind.DOUBLE
    assert (analysed.statistics[0].moves, analysed.statistics[0].unforced_moves) == (1, 0)


@pytest.mark.parametrize(("resigns", "counts"), [(1, True), (0, False), (None, False)])
def test_reports_say_that_a_roll_before_a_resignation_counts(resigns: int | None, counts: bool) -> None:
    game = Recorder()
    game.move(0, (3, 1), "8/5 6/5")
    game.roll(1, (6, 6))
    if resigns is not None:
        game.resign(resigns, 1)
    analysed = analyse(match_of(game.game(winner=0, points=1)), FakeEngine())
    note = "Luck counts a roll after which the player resigned; GNU Backgammon leaves it out."
    assert words.luck_note(analysed) == (note if counts else "")
    assert (note in match_text(analysed)) == (note in render_html(analysed)) == counts


def test_a_roll_before_a_resignation_has_luck_only() -> None:
    game = Recorder()
    game.move(0, (3, 1))
    game.roll(1, (6, 4))
    game.resign(1, 1)
    engine = FakeEngine(luck=lambda position, dice, state: -0.7 if dice == (6, 4) else 0.0)
    analysed = analyse(match_of(game.game(winner=0, points=1, resigned=True)), engine)
    assert kinds(analysed) == [("play", 0, 1), ("double", 1, 1), ("play", 1, 1)]
    assert analysed.decisions[-1].luck_mark is Luck.VERY_UNLUCKY
    bob = analysed.statistics[1]
    assert (bob.moves, bob.luck_total) == (0, -0.7)
    assert bob.actual_result == pytest.approx(-(met.load().mwc(6, 7) - 0.5))


def test_impossible_positions_are_passed_over() -> None:
    game = Recorder()
    game.move(0, (3, 1))
    game.position = Position.from_board([[8] * 25, [0] * 25])
    game.double(1)
    game.answer(0, ActionKind.TAKE)
    game.actions.append(Action(ActionKind.MOVE, 1, game.position, game.state, dice=(3, 1)))
    assert len(analyse(match_of(game.game()), FakeEngine()).decisions) == 1


def test_match_winning_chance_is_followed() -> None:
    engine = FakeEngine(cube=always(0.4, 0.6))
    analysed = analyse(match_of(doubling_game().game()), engine)

    def chance(equity: float) -> float:
        return Equity(equity, 0).as_mwc(MatchState(length=7, on_roll=0)).value

    first, *_ = analysed.decisions
    waited = analysed.decisions[1]
    double, take = analysed.decisions[3:5]
    after = analysed.decisions[5]
    assert first.mwc_before == 0.5
    assert waited.mwc_before == pytest.approx(1 - chance(0.6))
    assert analysed.decisions[2].mwc_before == pytest.approx(1 - chance(0.4))
    assert double.mwc_before == take.mwc_before == after.mwc_before == pytest.approx(chance(0.6))


def test_unfinished_games_count_for_what_they_were_worth() -> None:
    engine = FakeEngine(luck=lambda position, dice, state: 0.1)
    game = Recorder()
    game.move(0, (3, 1), "8/5 6/5")
    analysed = analyse(match_of(game.game()), engine)
    ann, bob = analysed.statistics
    equity = analysed.decisions[0].plays[analysed.decisions[0].played or 0].equity
    state = MatchState(length=7, on_roll=0)
    assert ann.actual_result == pytest.approx(Equity(equity, 0).as_mwc(state).value - 0.5)
    assert ann.luck_adjusted_result == pytest.approx(ann.actual_result - 0.1 * worth(state))
    assert bob.luck_adjusted_result == pytest.approx(-ann.luck_adjusted_result)


def test_money_sessions_count_points() -> None:
    engine = FakeEngine(luck=lambda position, dice, state: 0.25, cube=always(0.5, 0.7))
    game = doubling_game(length=0).game(winner=0, points=4)
    analysed = analyse(match_of(game, game, length=0), engine)
    ann, bob = analysed.statistics
    assert (ann.actual_result, bob.actual_result) == (8, -8)
    # Each rolled once with a cube of 1 and once with 2.
    assert ann.luck_mwc == bob.luck_mwc == pytest.approx(2 * (0.25 + 2 * 0.25))
    assert ann.luck_adjusted_result == pytest.approx(8)
    redouble = only(analysed, DecisionKind.DOUBLE)[2]
    assert redouble.chosen == "No redouble"
    assert redouble.error_mwc == pytest.approx(2 * redouble.error)
    assert redouble.mwc_before is None
    assert redouble.before is not None
    assert redouble.before.value == pytest.approx(-2 * 0.7)
    assert points_per_game([g.statistics[0].actual_result for g in analysed.games]) == (4.0, 0.0)


def test_points_per_game() -> None:
    mean, half = points_per_game([2, -1, 4, -1])
    assert mean == 1
    assert half == pytest.approx(1.96 * math.sqrt(6 / 4))
    assert points_per_game([3])[1] == points_per_game([])[1] == math.inf


def test_result_of_the_game_before_and_after_crawford() -> None:
    table = met.load()
    games = []
    for score, crawford in (((4, 4), False), ((6, 4), True), ((6, 5), False)):
        game = Recorder(score=score, crawford=crawford)
        game.move(0, (3, 1))
        games.append(game)
    match = match_of(
        games[0].game(0, 2), games[1].game(1, 1, number=2), games[2].game(1, 2, number=3)
    )  # fmt: skip
    analysed = analyse(match, FakeEngine())
    results = [game.statistics[0].actual_result for game in analysed.games]
    before = 1 - table.post[1, 1]
    assert results == pytest.approx([table.pre[0, 2] - table.pre[2, 2], before - table.pre[0, 2], -before])
    assert analysed.statistics[0].actual_result == pytest.approx(-table.pre[2, 2])


def test_games_after_the_match_was_decided_are_not_judged() -> None:
    game = Recorder(score=(7, 0))
    game.move(0, (3, 1))
    analysed = analyse(match_of(game.game(winner=0, points=1)), FakeEngine())
    assert analysed.decisions == ()
    assert analysed.statistics[0].actual_result == 0


def test_nothing_to_analyse() -> None:
    analysed = analyse(match_of(), FakeEngine())
    assert (analysed.decisions, analysed.games) == ((), ())
    assert analysed.statistics[0] == total(())
    assert analysed.statistics[0].luck_marks == (0, 0, 0, 0, 0)


def test_settings_name_what_is_not_usual() -> None:
    engine = FakeEngine()
    engine.met, engine.cube_model = met.load("woolsey"), CubeModel.named("jump")
    assert analyse(match_of(), engine).settings == "2-ply, Normal, match equities Kit Woolsey, cube model jump"


def test_many_matches_are_one_batch() -> None:
    engine = FakeEngine()
    matches = [match_of(doubling_game().game()), match_of(), match_of(doubling_game(answer=ActionKind.DROP).game())]
    together = analyse_many(matches, engine, plies=1, filter="large")
    assert sorted(engine.calls) == ["cubes", "luck", "plays"]
    assert engine.plies == {(1, "large")}
    assert {analysed.settings for analysed in together} == {"1-ply, Large"}
    for match, analysed in zip(matches, together, strict=True):
        alone = analyse(match, FakeEngine(), plies=1, filter="large")
        assert replace(analysed, seconds=0.0) == replace(alone, seconds=0.0)


def test_progress_rises_to_the_end() -> None:
    seen: list[tuple[int, int]] = []
    analyse(match_of(doubling_game().game()), FakeEngine(), progress=lambda step: seen.append(step[:2]))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] > 0
    assert len({whole for _, whole in seen}) == 1


def test_the_real_engine_fits() -> None:
    seen: list[tuple[int, int]] = []
    game = doubling_game()
    # Worst of all plays: outside the candidates that are returned without being asked for.
    game.move(0, (6, 2), "13/7 6/4")
    analysed = analyse(match_of(game.game()), Engine(threads=1), plies=0, progress=lambda step: seen.append(step[:2]))
    assert len(kinds(analysed)) == 9
    assert seen[-1][0] == seen[-1][1]
    for decision in analysed.decisions:
        assert decision.error >= 0
        assert decision.mwc_before is not None
        assert 0 < decision.mwc_before < 1
    for decision in only(analysed, DecisionKind.PLAY):
        assert decision.played is not None
        assert str(decision.plays[decision.played].play) == decision.chosen
        assert decision.luck is not None
    double = only(analysed, DecisionKind.DOUBLE)[1]
    assert double.cube is not None
    assert double.cube.available
    assert double.error > 0.03


# A whole match of another program: its judgements in, its statistics out.

SAMPLE = json.loads((DATA / "analysed_match.json").read_text())


def sample() -> tuple[Match, FakeEngine]:
    """The sample match, and an engine that gives the recorded judgements."""
    # Openings repeat: the score is part of the key.
    plays: dict[tuple[Position, tuple[int, int], tuple[int, int]], PlayRow] = {}
    cubes: dict[tuple[Position, tuple[int, int]], CubeRow] = {}
    luck: dict[tuple[Position, tuple[int, int], tuple[int, int]], float] = {}
    games = []
    length: int = SAMPLE["length"]
    table = met.load()
    for number, data in enumerate(SAMPLE["games"], 1):
        game = Recorder(length, tuple(data["score"]), data["actions"][0][1])
        for kind, player, *rest in data["actions"]:
            game._turn(player)
            position, score = game.position, game.state.score
            if rest and isinstance(rest[-1], list):
                chances = rest[-1]
                won, lost = CubeState.from_match(game.state).outcomes(table)
                nd, dt = ((2 * chance - won[0] - lost[0]) / (won[0] - lost[0]) for chance in chances)
                cubes[position, score] = (nd, dt)
            if kind == "move":
                dice = (int(rest[0][0]), int(rest[0][1]))
                game.move(player, dice, rest[1])
                made = game.actions[-1].play
                assert made is not None
                row = [(parse_play(text, position, dice), equity) for text, equity in rest[2]]
                plays[position, dice, score] = row or [(made, 0.0)]
                luck[position, dice, score] = rest[3]
            elif kind == "double":
                game.double(player)
            elif kind == "resign":
                game.resign(player, rest[0])
            else:
                game.answer(player, ActionKind(kind))
        games.append(game.game(data["winner"], data["points"], number, resigned=data["resigned"]))
    engine = FakeEngine(
        plays=lambda request: plays[request.position, request.dice, request.state.score],
        # Of what a resignation gave up nothing is recorded.
        cube=lambda position, state: cubes.get((position, state.score), (0.0, 0.0)),
        luck=lambda position, dice, state: luck[position, dice, state.score],
    )
    return match_of(*games, length=length), engine


@pytest.fixture(scope="module")
def analysed_sample() -> AnalysedMatch:
    match, engine = sample()
    return analyse(match, engine)


def near(value: Any) -> Any:
    """Recorded numbers have six digits; sums of them a little less."""
    return pytest.approx(value, abs=5e-6)


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("player", [0, 1])
def test_statistics_of_each_sample_game(analysed_sample: AnalysedMatch, number: int, player: int) -> None:
    data = SAMPLE["games"][number]
    own = analysed_sample.games[number].statistics[player]
    moves, luck = data["moves"], data["luck"]
    assert (own.unforced_moves, own.moves) == (moves[player], moves[2 + player])
    assert own.play_marks[::-1] == tuple(moves[4 + player : 12 : 2])
    assert (own.chequer_error_total, own.chequer_error_mwc) == near(tuple(moves[12 + 2 * player :][:2]))
    assert own.luck_marks == tuple(luck[player:10:2])
    assert (own.luck_total, own.luck_mwc) == near(tuple(luck[10 + 2 * player :][:2]))

    faults = own.faults
    counts = data["cube"][player:20:2]
    errors = data["cube"][20 + 12 * player :][:12]
    kinds_of_fault = (
        faults.missed_below_cash,
        faults.missed_above_cash,
        faults.doubled_too_weak,
        faults.doubled_too_good,
        faults.wrong_takes,
        faults.wrong_passes,
    )
    assert [own.cube_total, own.doubles, own.takes, own.passes] == counts[:4]
    assert [fault.count for fault in kinds_of_fault] == counts[4:]
    for place, fault in enumerate(kinds_of_fault):
        assert (fault.error, fault.error_mwc) == near(tuple(errors[2 * place :][:2]))
    assert own.cube_decisions == data["close"][player]
    assert own.cube_error_total == near(sum(errors[::2]))
    assert own.cube_error_mwc == near(sum(errors[1::2]))

    sign = 1 - 2 * player
    assert own.actual_result == near(sign * data["actual"])
    assert own.luck_adjusted_result == near(sign * data["luck_adjusted"])


def test_statistics_of_the_sample_match(analysed_sample: AnalysedMatch) -> None:
    alice, bob = analysed_sample.statistics
    assert (alice.moves, bob.moves) == (150, 153)
    assert (alice.unforced_moves, bob.unforced_moves) == (130, 117)
    assert alice.play_marks == (103, 13, 17, 17)
    assert bob.play_marks == (135, 6, 10, 2)
    assert [round(s.chequer_error_total, 3) for s in (alice, bob)] == [6.045, 1.606]
    assert [round(100 * s.chequer_error_mwc, 3) for s in (alice, bob)] == [64.608, 18.243]
    assert alice.luck_marks == (2, 11, 125, 8, 4)
    assert bob.luck_marks == (2, 10, 127, 7, 7)
    assert [round(s.luck_total, 3) for s in (alice, bob)] == [0.689, -1.628]
    assert [round(100 * s.luck_mwc, 3) for s in (alice, bob)] == [16.493, -8.586]
    assert (alice.cube_decisions, bob.cube_decisions) == (37, 26)
    assert (alice.cube_total, bob.cube_total) == (154, 95)
    assert (alice.doubles, alice.takes, alice.passes) == (3, 4, 0)
    assert (bob.doubles, bob.takes, bob.passes) == (4, 0, 3)
    faults = alice.faults
    assert [each.count for each in (faults.missed, faults.doubled, faults.wrong_takes, faults.wrong_passes)] == [
        7,
        3,
        4,
        0,
    ]
    assert [round(s.cube_error_total, 3) for s in (alice, bob)] == [4.625, 1.554]
    assert [round(100 * s.cube_error_mwc, 3) for s in (alice, bob)] == [43.602, 11.837]
    assert [round(s.error_total, 3) for s in (alice, bob)] == [10.670, 3.160]
    assert [round(1000 * s.error_per_decision, 1) for s in (alice, bob)] == [63.9, 22.1]
    assert [round(1000 * rate, 1) for rate in (snowie_error_rate(alice, bob), snowie_error_rate(bob, alice))] == [
        35.2,
        10.4,
    ]
    assert [round(100 * s.actual_result, 2) for s in (alice, bob)] == [-50.0, 50.0]
    assert [round(100 * s.luck_adjusted_result, 2) for s in (alice, bob)] == [-75.08, 75.08]
    assert [rating_name(s.error_per_decision, "old") for s in (alice, bob)] == ["Awful!", "Casual player"]
    assert {luck_name(s.luck_total / s.moves) for s in (alice, bob)} == {"None"}


def test_fibs_ratings_of_the_sample_match(analysed_sample: AnalysedMatch) -> None:
    estimates = [absolute_fibs(statistics, 7) for statistics in analysed_sample.statistics]
    assert [round(estimate.rating, 1) for estimate in estimates] == [1372.7, 1832.0]
    assert [round(estimate.chequer_loss, 1) for estimate in estimates] == [578.7, 170.9]
    assert [round(estimate.cube_loss, 1) for estimate in estimates] == [98.6, 47.1]
    assert luck_based_fibs(analysed_sample.statistics[0].luck_adjusted_result, 7) is None
    per_game = [luck_based_fibs(g.statistics[0].luck_adjusted_result, 7) for g in analysed_sample.games]
    # The printed numbers come from single precision.
    assert per_game[1:] == pytest.approx([-21.89, -113.04, 7.24, -77.54, -448.07], abs=0.011)
    assert [round(100 * (0.5 + g.statistics[0].luck_adjusted_result), 2) for g in analysed_sample.games] == [
        20.09, 48.33, 41.48, 50.55, 44.12, 20.35,
    ]  # fmt: skip
