"""What chances and cubes are worth: whose it is, in which unit, and its array forms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime import Engine, MatchState, Position
from sixprime.cube.met import MatchEquityTable, load
from sixprime.cube.state import CubeState
from sixprime.cube.values import (
    Equity,
    Unit,
    cubeless,
    equity_error,
    money_equity,
    mwc_error,
    opposite,
    swapped,
    swapped_change,
    to_chances,
    to_equities,
    to_equity,
    to_mwc,
    utility_weights,
    worth,
)
from sixprime.errors import SettingsError
from sixprime.game.outcomes import Outcomes


@st.composite
def chances(draw: st.DrawFn) -> Outcomes:
    win = draw(st.sampled_from([0.0, 1.0]) | st.floats(0.001, 0.999))
    shares = [draw(st.floats(0, 1)) for _ in range(4)]
    won, lost = win * shares[0], (1 - win) * shares[1]
    return Outcomes(win, won, won * shares[2], lost, lost * shares[3])


@st.composite
def states(draw: st.DrawFn) -> MatchState:
    on_roll, cube = draw(st.integers(0, 1)), 1 << draw(st.integers(0, 3))
    owner = draw(st.sampled_from([None, 0, 1]))
    if draw(st.booleans()):
        return MatchState(cube=cube, cube_owner=owner, on_roll=on_roll)
    score = draw(st.integers(0, 8)), draw(st.integers(0, 8))
    return MatchState(length=9, score=score, cube=cube, cube_owner=owner, on_roll=on_roll)


@given(chances())
def test_both_players_have_what_belongs_together(mine: Outcomes) -> None:
    theirs = mine.swapped()
    assert theirs.swapped() == pytest.approx(mine)
    assert theirs.cubeless == pytest.approx(-mine.cubeless, abs=1e-12)
    assert theirs.mean_points == pytest.approx(mine.mean_points[::-1])
    won, lost = mine.mean_points
    assert mine.cubeless == pytest.approx(mine.win * won - (1 - mine.win) * lost, abs=1e-12)


@given(st.lists(chances(), min_size=1, max_size=5))
def test_arrays_are_many_of_one(rows: list[Outcomes]) -> None:
    array = np.array(rows)
    assert swapped(array) == pytest.approx(np.array([row.swapped() for row in rows]))
    assert money_equity(array) == pytest.approx([row.cubeless for row in rows], abs=1e-12)
    assert swapped(array.reshape(1, -1, 5)).shape == (1, len(rows), 5)
    assert swapped_change(array - array[::-1]) == pytest.approx(swapped(array) - swapped(array[::-1]), abs=1e-12)
    assert swapped(array.astype(np.float32)).dtype == np.float32
    weights, constant = utility_weights(CubeState(), None)
    assert cubeless(array, CubeState()) == pytest.approx(array @ weights + constant)


@given(states(), st.floats(-3, 3), st.integers(0, 1))
def test_an_equity_goes_round(state: MatchState, value: float, side: int) -> None:
    """Through units and sides and back, whoever is on roll."""
    mine = Equity(value, side)
    assert mine.for_side(side) is mine
    assert mine.for_side(1 - side).for_side(side).value == value
    there = mine.at_stake(state)
    assert there.unit is (Unit.POINTS if state.money else Unit.MWC)
    assert there.at_stake(state) == there
    back = there.for_side(1 - side).as_equity(state).for_side(side)
    assert back.value == pytest.approx(value, abs=1e-9)
    step = Equity(value + 1, side).at_stake(state).value - there.value
    assert step == pytest.approx(worth(state), abs=1e-9)
    other = MatchState(
        **{**{name: getattr(state, name) for name in MatchState.__slots__}, "on_roll": 1 - state.on_roll}
    )
    assert Equity(value, side).at_stake(other).value == pytest.approx(there.value)


@given(states(), st.floats(0, 1))
def test_sides_of_values(state: MatchState, value: float) -> None:
    unit = Unit.POINTS if state.money else Unit.MWC
    array = np.array([value, 0.25])
    assert opposite(opposite(array, unit), unit) == pytest.approx(array)
    assert opposite(array, unit)[0] == Equity(value, 0, unit).for_side(1).value


def test_what_has_no_meaning_is_refused() -> None:
    money, match = MatchState(), MatchState(length=5)
    with pytest.raises(SettingsError, match="needs a match"):
        Equity(0.1, 0).as_mwc(money)
    with pytest.raises(SettingsError, match="needs a match"):
        Equity(0.1, 0, Unit.MWC).as_equity(money)
    with pytest.raises(SettingsError, match="no points"):
        Equity(0.1, 0, Unit.MWC).as_points(match)


@pytest.mark.parametrize("use", [to_equity, to_mwc, equity_error, mwc_error])
def test_numbers_of_all_kinds_are_reckoned_with_and_nothing_else(use: Callable[..., Any]) -> None:
    state, plain = CubeState(length=7, away=(3, 5)), np.array([0.25, 0.5, 0.75])
    wanted = [use(value, state) for value in plain.tolist()]
    for kind in ("f4", ">f8", "O"):
        assert use(plain.astype(kind), state).tolist() == pytest.approx(wanted, abs=1e-6)
    assert use(np.repeat(plain, 2)[::2], state).tolist() == wanted
    for wrong in (np.array(["a"]), np.array([1j]), np.datetime64("2020"), 10**400, [[1], [1, 2]]):
        for cube in (state, CubeState()):
            with pytest.raises(SettingsError, match="value must be a number or an array of numbers"):
                use(wrong, cube)


def test_outcomes_at_a_cube_of_few_bits() -> None:
    state = CubeState(length=64, away=(40, 60))
    for cube in (np.uint8(128), np.int8(64), np.array(16)):
        assert state.outcomes(cube=cube) == state.outcomes(cube=int(cube))


@pytest.mark.parametrize(("name", "away"), [("jac100", (2, 25)), ("cubeless", (31, 2)), ("flat", (5, 5))])
def test_where_a_game_is_worth_nothing_no_equity_is_told(name: str, away: tuple[int, int]) -> None:
    """By some tables, at lopsided scores, a win is no better than a loss."""
    flat = MatchEquityTable("flat", "", "", 25, np.full((64, 64), 0.5), np.full((2, 64), 0.5))
    met = flat if name == "flat" else load(name)
    state = CubeState(length=40, away=away)
    for use in (
        lambda: utility_weights(state, met),
        lambda: to_equity(0.5, state, met),
        lambda: equity_error(0.5, state, met),
        lambda: to_equities(np.array([0.5]), np.zeros(1, np.int32), [state], met),
    ):
        with pytest.raises(SettingsError, match=f"by .* a game at {away[0]}-away {away[1]}-away .* is worth nothing"):
            use()
    assert 0 <= to_mwc(0.5, state, met) <= 1
    several = to_chances(np.array([0.5, 0.5]), np.array([0, 1], np.int32), [state, CubeState()], met)
    assert several.tolist() == pytest.approx([to_mwc(0.5, state, met), np.nan], nan_ok=True)
    with Engine(threads=1, met=met) as engine, pytest.raises(SettingsError, match="is worth nothing"):
        engine.best_plays(Position.start(), (3, 1), match=MatchState(length=40, score=(40 - away[0], 40 - away[1])))
