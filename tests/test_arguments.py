"""What other programs hand over: NumPy's numbers become Python's, shapes that do not fit are refused."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sixprime as sp
from sixprime import Engine, MatchState, Position, RolloutSettings, Rules, SettingsError, Table, codec, kernels
from sixprime.bearoff import one_sided
from sixprime.bearoff._one_sided import OneSided
from sixprime.bearoff.lookup import look_up_number, position_of
from sixprime.cube import jump, met
from sixprime.cube.decision import beavers, decide
from sixprime.cube.janowski import implied_efficiencies
from sixprime.cube.market import janowski_points, take_points
from sixprime.cube.model import cubeful, prepare
from sixprime.cube.state import CubeState
from sixprime.cube.values import Equity, cubeless, to_equity, to_mwc
from sixprime.game.acts import Move, Opening, Roll
from sixprime.game.numbering import action_at, game_at
from sixprime.learn.deck import Deck, Quiz
from sixprime.learn.drills import DrillKind, exercise
from sixprime.learn.openings import opening_book
from sixprime.learn.questions import answer, errors_of, of_book

CHANCES = (0.6, 0.2, 0.01, 0.1, 0.005)
CUBE = CubeState(length=7, away=(4, 6))
START = Position.start()
ONE, TWO, SEVEN = np.int64(1), np.int64(2), np.int64(7)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(plies=0, threads=1)


def test_numpy_numbers_in_values_become_python_numbers(engine: Engine, tmp_path: Path) -> None:
    state = MatchState(length=SEVEN, score=(np.int64(6), np.int64(0)), cube=TWO, dice=(np.int64(3), ONE))
    plain = MatchState(length=7, score=(6, 0), cube=2, dice=(3, 1))
    assert (state, hash(state), state.match_id) == (plain, hash(plain), plain.match_id)
    assert state.post_crawford is plain.post_crawford
    assert [type(each) for each in (state.length, *state.score, state.cube, *(state.dice or ()))] == [int] * 6
    assert Table.new(Rules(length=np.int64(3))) == Table.new(Rules(length=3))
    assert Rules(length=np.int64(3)).crawford_game((0, 0)) is False
    settings = RolloutSettings(trials=np.array(36), stop_error=np.float32(0.5))
    assert json.loads(json.dumps(settings.to_dict()))["trials"] == 36
    rolled = engine.rollout(START, settings=RolloutSettings(trials=np.int64(36)))
    rolled.save(tmp_path / "rollout")
    found = sp.analyse_position(START, engine=engine, dice=tuple(np.array([3, 1])))
    for suffix in ("html", "json"):
        found.save(tmp_path / f"a.{suffix}")


def test_dice_as_an_array_are_thrown_at_a_table(engine: Engine, tmp_path: Path) -> None:
    table = Table.new(Rules(length=3)).apply(Opening(np.array([5, 6])))
    assert table == Table.new(Rules(length=3)).apply(Opening((5, 6)))
    table = table.apply(Move(1, table.legal().plays[0])).apply(Roll(0, np.array([3, 1])))
    assert table.state.dice == (3, 1)
    sp.write(table.record(), tmp_path / "a.ogxm")
    sp.analyse(table.record(), engine).save(tmp_path / "a.json")
    for steps in (None, "31", [], (1,)):
        with pytest.raises(sp.IllegalPlayError, match="the steps of a Play are a tuple of Step, not"):
            table.apply(Move(0, sp.Play(steps, table.position, table.position)))
    with pytest.raises(sp.IllegalPlayError, match="play must be a Play"):
        table.apply(Move(0, "8/5"))


def test_cubeful_values_have_the_shape_of_what_is_asked() -> None:
    assert cubeful([], [], [CUBE]).shape == (0, 1)
    values = cubeful([CHANCES] * 3, [[0.6, 0.6]] * 3, [CUBE, CUBE.swapped()])
    assert (values == values[0]).all()
    assert values.shape == (3, 2)
    assert cubeful([CHANCES], [0.6], [CubeState()], exact=np.array([[1, 1, 1, 1]])).tolist() == [[1.0]]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: cubeful([CHANCES] * 4, [0.6], [CUBE]), "parameters must be float64"),
        (lambda: cubeful([CHANCES[:1]] * 3, [0.6] * 3, [CUBE]), "probabilities must be float64"),
        (lambda: cubeful(CHANCES, [0.6], [CUBE]), "probabilities must be float64"),
        (lambda: cubeful("x", [0.6], [CUBE]), "probabilities must be float64"),
        (lambda: cubeful([CHANCES], [[0.6, [0.1]]], [CUBE]), "parameters must be float64"),
        (lambda: cubeful([CHANCES], [float("nan")], [CUBE]), "parameters must be numbers from 0 to 1"),
        (lambda: cubeful([CHANCES], [2], [CUBE]), "parameters must be numbers from 0 to 1"),
        (lambda: cubeful([[float("nan")] * 5], [0.6], [CUBE]), "probabilities must be five chances from 0 to 1"),
        (lambda: jump.cubeful([[2] * 5], [[0.1, 0.1]], [CUBE]), "probabilities must be five chances"),
        (lambda: implied_efficiencies([[-1, 0, 0, 0, 0]], 0.3), "probabilities must be five chances"),
        (
            lambda: janowski_points([0.5, 0.6, 0, 0, 0], 0.6),
            "probabilities must be five chances from 0 to 1, of gammons",
        ),
        (lambda: cubeful([[0.5, 0.1, 0.2, 0, 0]], [0.6], [CUBE]), "probabilities must be five chances"),
        (lambda: jump.cubeful([[0.5, 0, 0, 0.6, 0]], [[0.1, 0.1]], [CUBE]), "probabilities must be five chances"),
        (lambda: take_points([0.5, 0, 0, 0.1, 0.2], CUBE), "probabilities must be five chances"),
        (lambda: cubeful([[True] * 5], [0.6], [CUBE]), "probabilities must be float64"),
        (lambda: cubeless([0.5, None, 0, 0, 0], CUBE), "probabilities must be float64"),
        (lambda: cubeless([True] * 5, CUBE), "probabilities must be float64"),
        (lambda: janowski_points([True] * 5, 0.6), "probabilities must be five chances"),
        (lambda: cubeful([CHANCES] * 2, [0.6] * 2, [CUBE], exact=np.zeros((2, 3))), "exact must be float64"),
        (lambda: cubeful([CHANCES], [0.6], [1]), r"states\[0\] must be a CubeState"),
        (lambda: prepare([CUBE], model=1), "model must be a CubeModel"),
        (lambda: kernels.pack(np.zeros((2, 2, 20), np.int8)), r"boards must be int8\[N, 2, 25\]"),
        (lambda: kernels.pack(START.board), r"boards must be int8\[N, 2, 25\]"),
        (lambda: kernels.unpack(np.zeros((1, 31), np.int8)), r"packed must be int8\[N, 32\]"),
        (lambda: one_sided().survival(np.array([-1])), "rows must be numbers of lists, 0 to 54263"),
        (lambda: one_sided().survival(np.array([60000])), "rows must be numbers of lists"),
        (lambda: one_sided().survival("x"), r"rows must be int64\[N\]"),
        (lambda: decide(None, 0.5, CUBE), "no_double must be a number"),
        (lambda: decide(0.1, 0.5, MatchState()), "state must be a CubeState"),
        (lambda: decide(0.1, 0.5, CUBE, gammons=None), "gammons must be True or False"),
        (lambda: beavers(None), "double_take must be a number"),
        (lambda: beavers(float("nan")), "double_take must be a number"),
        (lambda: Equity(float("nan"), 0), "value must be a number"),
        (lambda: Equity(None, 0), "value must be a number"),
        (lambda: RolloutSettings(stop_error=np.True_), "stop_error must be a number"),
        (lambda: RolloutSettings(stop_error=np.array([0.5])), "stop_error must be a number"),
        (lambda: RolloutSettings.from_dict([]), "values must be a dictionary"),
        (lambda: Engine(plies=0).evaluate_many({START: 1}), "positions must be a sequence"),
        (lambda: Equity(0.1, 2), "side must be a whole number from 0 to 1"),
        (lambda: Equity(0.1, 0, "points"), "unit must be a Unit"),
        (lambda: met.load().mwc(True, 3), "away must be a whole number"),
        (lambda: met.load().mwc(1, 3, "x"), "post_crawford must be True or False"),
        (lambda: Equity(0.1, 0).as_mwc(None), "state must be a MatchState"),
        (lambda: Equity(0.1, 0).at_stake(3), "state must be a MatchState"),
        (lambda: Equity(0.1, 0).for_side("x"), "side must be a whole number from 0 to 1"),
        *(
            (partial(to, value, CUBE), "value must be a number or an array of numbers")
            for to in (to_mwc, to_equity)
            for value in ("x", True, np.True_, [True], None, [None], b"3", np.array(["3"]))
        ),
        (lambda: look_up_number(1000, "two_sided", 6, 6), "kind must be one-sided, two-sided or normal"),
        (lambda: position_of(None, 6, 6), "number must be a whole number"),
        (lambda: position_of(5, -1, 6), "points must be a whole number from 1 to 25"),
        (lambda: position_of(5, 10**9, 6), "points must be a whole number from 1 to 25"),
        (lambda: answer(None, "x"), "question must be a Question"),
        (lambda: of_book(None, "x"), "book must be a"),
        (lambda: errors_of(None), "analysed must be a"),
        (lambda: opening_book([]), "score must be"),
        (lambda: exercise(None, DrillKind.PIPS, 1, 1), "engine must be a"),
        (lambda: Engine(plies=0).evaluate_many(np.array(3)), "positions must be a sequence"),
    ],
)
def test_what_does_not_fit_is_refused(call: Any, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        call()


def test_lists_of_numbers_are_converted_as_arrays_are() -> None:
    assert to_mwc(np.float32(0.5), CubeState()) == 0.5
    assert to_equity([], CUBE).tolist() == []
    assert np.isnan(to_equity([0.5, np.nan], CUBE)).tolist() == [False, True]
    assert type(decide(np.float32(0.1), np.float32(0.5), CUBE).should_double) is bool
    assert cubeless(CHANCES, CUBE) == cubeless([CHANCES], CUBE)[0]
    values = to_mwc([0.1, 0.2], CUBE)
    assert np.allclose(to_equity(list(values), CUBE), [0.1, 0.2])
    assert to_mwc([0.1], CubeState()).tolist() == [0.1]


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), None, "x", -1])
def test_an_attempt_is_only_made_of_what_is_read_again(engine: Engine, seconds: Any) -> None:
    asked = exercise(engine, DrillKind.PIPS, seed=1, number=2)
    text = "{:.0f} {:.0f}".format(*asked.numbers)
    with pytest.raises(SettingsError, match="seconds must be a number from 0"):
        asked.mark(text, datetime.now(UTC), seconds)
    with pytest.raises(SettingsError, match="must have a time zone"):
        asked.mark(text, datetime.now(), 1.0)
    question = of_book(opening_book(), "opening")[0]  # type: ignore[arg-type]
    deck = Deck().added([question])
    quiz = Quiz(deck)
    with pytest.raises(SettingsError, match="seconds must be a number from 0"):
        quiz.answered(deck.cards[0], answer(question, str(question.plays[0].play)), datetime.now(UTC), seconds)


def test_reports_refuse_what_is_no_file_or_option(engine: Engine, tmp_path: Path) -> None:
    found = sp.analyse_position(START, engine=engine, dice=(3, 1))
    rolled = engine.rollout(START, settings=RolloutSettings(trials=36))
    file = tmp_path / "a.html"
    calls: list[Any] = [
        lambda: found.save(None),
        lambda: rolled.save(None),
        lambda: found.export(None),
        lambda: found.export(file, {"moves": 1}),
        lambda: found.export(file, form=["x"]),
        lambda: found.export(file, templates=3),
        lambda: found.export(file, game=np.array([1, 2])),
        lambda: sp.ExportOptions(player=np.array([1, 2])),
    ]
    for call in calls:
        with pytest.raises(SettingsError):
            call()
    assert list(tmp_path.iterdir()) == []


def test_a_table_of_match_equities_stays_the_same_by_pickle_and_copy() -> None:
    known = met.load()
    for again in (pickle.loads(pickle.dumps(known)), copy.deepcopy(known), copy.copy(known)):
        assert again is known
    other = replace(known, pre=np.full((64, 64), 0.5))
    again = pickle.loads(pickle.dumps(other))
    assert again.checksum == other.checksum != known.checksum
    assert not again.pre.flags.writeable
    assert not other.pre.flags.writeable


def test_long_values_are_shown_in_a_few_words(engine: Engine) -> None:
    match = sp.read(sp.sample_match())
    for value in (match, match.games[0], opening_book(), engine.judge()):
        assert len(repr(value)) < 200
    assert repr(match) == "<Match Kévin Unger - Maxence Job, to 7, 7 games>"
    assert repr(match.games[0]) == "<Game 1 at 0-0: 32 actions, player 1 wins 1>"
    assert codec.from_json(codec.to_json(match), sp.Match) == match


def test_fractions_are_no_whole_numbers_and_nothing_is_an_array_too() -> None:
    with pytest.raises(SettingsError, match=r"rows must be int64\[N\]"):
        one_sided().survival(np.array([1.7]))
    assert one_sided().survival([]).shape == (0, 64)  # type: ignore[arg-type]
    boards = START.board[None].astype(np.int64)
    assert (kernels.pack(boards) == kernels.pack(START.board[None])).all()


def test_databases_have_sizes_of_numpy(tmp_path: Path) -> None:
    built = OneSided.build(np.int64(2), np.int64(3))
    built.save(tmp_path / "a.bearoff")
    assert [type(each) for each in (built.points, built.chequers)] == [int, int]
    assert OneSided.open(tmp_path / "a.bearoff", 2, 3).points == 2


def test_places_are_found_by_numbers_of_numpy() -> None:
    match = sp.read(sp.sample_match())
    assert game_at(match, np.int64(2)) == game_at(match, 2) == 1  # type: ignore[arg-type]
    assert action_at(match, np.int64(2), np.int64(3)) == action_at(match, 2, 3)  # type: ignore[arg-type]
