"""Efficiencies fitted to deeper searches: the kernels say what the class says, free doubles, and fewer errors."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime import Engine, MatchState, Position
from sixprime.cube import kernel
from sixprime.cube import model as cube_model
from sixprime.cube.fitted import DEFAULT, Efficiency, Fitted, Line, cost_share
from sixprime.cube.janowski import CLASSIC
from sixprime.cube.jump_exact import solve_match
from sixprime.cube.met import load
from sixprime.cube.model import CubeModel
from sixprime.cube.state import CubeState
from sixprime.cube.tree import expand_states
from sixprime.errors import SettingsError
from sixprime.train.truth import of_cube, read_rows

TRUTH = Path(__file__).parent / "data/truth.jsonl"


def test_parameters_are_those_of_the_kernel() -> None:
    random = np.random.default_rng(1)
    p = random.random((60, 1))
    shares = [np.sort(random.random((60, 2)) * 0.4, axis=1)[:, ::-1] for _ in range(2)]
    outcomes = np.hstack([p, p * shares[0], (1 - p) * shares[1]])
    outcomes[0], outcomes[1] = [1, 0.2, 0, 0, 0], [0, 0, 0, 0.1, 0]
    codes, pips = np.arange(60) % 6, random.integers(80, 200, (60, 2))
    found = DEFAULT.parameters(outcomes, codes, pips)
    for i in range(60):
        chance, wg, _, lg, _ = kernel.gammon_shares(outcomes[i])
        for side in (0, 1):
            x = kernel.efficiency(DEFAULT.plain[side], codes[i], chance, wg, lg, *pips[i])
            assert found[i, side] == pytest.approx(x, abs=1e-12)
    assert (found[codes == 0] == 0).all()
    assert len(np.unique(found[codes == 5])) > 15


def test_longer_games_have_the_livelier_cube_and_own_gammons_the_deader() -> None:
    outcomes = np.array([[0.6, 0.1, 0, 0.1, 0], [0.6, 0.1, 0, 0.1, 0], [0.6, 0.3, 0, 0.1, 0], [0.6, 0.1, 0, 0.2, 0]])
    x = DEFAULT.parameters(outcomes, [5] * 4, [[120, 130], [80, 130], [120, 130], [120, 130]])
    assert (x[0] > x[1]).all()
    assert x[0, 0] > x[2, 0]
    assert x[0, 1] > x[3, 1]


def test_who_stands_better_has_the_livelier_cube() -> None:
    outcomes = np.array([[0.4, 0.1, 0, 0.1, 0], [0.8, 0.2, 0, 0.1 / 3, 0]])
    worse, better = DEFAULT.parameters(outcomes, [5] * 2, [[120, 130]] * 2)
    assert better[0] > worse[0]
    assert better[1] < worse[1]


def test_leaves_of_searches_stay_nearer_to_the_middle() -> None:
    outcomes = np.array([[0.6, 0.1, 0, 0.1, 0], [0.6, 0.3, 0, 0.2, 0], [0.5, 0.45, 0, 0.4, 0], [0.5, 0, 0, 0, 0]])
    position = outcomes, [5, 5, 5, 3], [[120, 130], [80, 130], [60, 60], [90, 80]]
    leaves = DEFAULT.leaves(2)
    own, shares = DEFAULT.parameters(*position), np.array([[0.25], [0.25], [0.25], [0.5]])
    assert leaves.parameters(*position) == pytest.approx(own + shares * (0.7 - own))
    bear_offs = outcomes[:2], [1, 2], [[20, 30], [40, 40]]
    assert (leaves.parameters(*bear_offs) == DEFAULT.parameters(*bear_offs)).all()
    state = CubeState(2, 1, 9, (5, 3))
    assert (leaves.row(state, load()) == DEFAULT.row(state, load())).all()
    for plies, used in enumerate((DEFAULT, DEFAULT, leaves, leaves)):
        assert {level.table.model for level in expand_states([state], plies)} == {used}
    assert leaves.name == "fitted"


def test_cost_shares() -> None:
    met = load()
    assert cost_share(CubeState(), met) == 0.5
    assert cost_share(CubeState(owner=-1), met) is None
    # Who loses the match anyway doubles for nothing: after the Crawford game, and with a cube of 2 at 2-away.
    assert cost_share(CubeState(length=7, away=(4, 1)), met) == pytest.approx(0, abs=1e-12)
    assert cost_share(CubeState(2, 1, 7, (3, 2)), met) == pytest.approx(0, abs=1e-12)
    assert cost_share(CubeState(length=7, away=(7, 7)), met) == pytest.approx(0.5, abs=0.05)
    ahead, behind = (cost_share(CubeState(2, 1, 9, away), met) for away in ((3, 5), (5, 3)))
    assert ahead is not None
    assert behind is not None
    assert ahead > 0.6 > 0.4 > behind


def test_a_free_double_comes_at_once() -> None:
    """2-away against 3-away, doubled and taken: the redouble costs nothing, so that the match goes to the chances."""
    doubled = CubeState(length=7, away=(2, 3)).doubled()
    outcomes = np.array([[p, 0, 0, 0, 0] for p in (0.4, 0.55, 0.7, 0.85)])
    table = cube_model.prepare([doubled], model=DEFAULT)
    values = cube_model.cubeful(outcomes, DEFAULT.parameters(outcomes, [5] * 4, [[100, 100]] * 4), table)[:, 0]
    assert values == pytest.approx(outcomes[:, 0], abs=1e-9)
    classic = cube_model.cubeful(outcomes, np.full(4, 0.68), cube_model.prepare([doubled], model=CLASSIC))[:, 0]
    assert classic[1] - outcomes[1, 0] > 0.03


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_after_crawford_nobody_is_too_good_before_he_has_moved(plies: int) -> None:
    """Rolled out over 1,296 games the opening is worth .956 ± .007 without a double."""
    state = MatchState(length=3, score=(1, 2), on_roll=0, turn=0)
    answer = Engine(threads=1).cube_action(Position.start(), match=state, plies=plies)
    assert (answer.should_double, answer.should_take) == (True, False)
    assert answer.no_double == pytest.approx(0.956, abs=0.03 if plies == 0 else 0.02)


@given(
    st.integers(2, 12),
    st.booleans(),
    st.floats(0, 0.9),
    st.floats(0, 0.9),
    st.integers(20, 160),
)
@settings(max_examples=80)
def test_free_doubles_are_worth_more_with_every_chance(
    away: int, mine: bool, gammons: float, lost_gammons: float, pips: int
) -> None:
    """Between a dead and a live cube, and better for who may double the better he stands."""
    p = np.linspace(0, 1, 101)
    outcomes = np.column_stack([p, p * gammons, p * 0, (1 - p) * lost_gammons, p * 0])
    x = DEFAULT.parameters(outcomes, [5] * 101, [[pips, pips]] * 101)
    state = CubeState(1, 0, max(away, 3), (away, 1) if mine else (1, away))
    values = cube_model.cubeful(outcomes, x, cube_model.prepare([state], model=DEFAULT))[:, 0]
    assert np.diff(values).min() > -1e-9
    live, dead = (
        cube_model.cubeful(outcomes, np.full(101, x), cube_model.prepare([state], model=CLASSIC))[:, 0]
        for x in (1.0, 0.0)
    )
    low, high = np.minimum(live, dead), np.maximum(live, dead)
    assert (values - low).min() > -1e-9
    assert (high - values).min() > -1e-9


def test_names() -> None:
    assert cube_model.names()[0] == cube_model.DEFAULT == DEFAULT.name
    assert CubeModel.named("fitted") is DEFAULT
    assert Engine(threads=1).cube_model == DEFAULT
    with pytest.raises(SettingsError, match="unknown cube model"):
        CubeModel.named("fitted:0.7")


def test_an_own_model_is_used() -> None:
    """Lines without slopes and lifts are efficiencies of both sides."""
    line, other = Line(0.8), Line(0.5)
    own = Fitted(Efficiency(line, line, 0.8, 0, 0, 0), Efficiency(other, other, 0.5, 0, 0, 0))
    refined = CubeModel.named("refined:0.8,0.5")
    outcomes = np.array([[0.6, 0.2, 0.01, 0.1, 0]])
    for state in (CubeState(), CubeState(2, 1), CubeState(2, -1), CubeState(length=9, away=(6, 9))):
        found = [
            cube_model.cubeful(
                outcomes, model.parameters(outcomes, [5], [[90, 110]]), cube_model.prepare([state], model=model)
            )[0, 0]
            for model in (own, refined)
        ]
        assert found[0] == pytest.approx(found[1], abs=1e-12)


def test_it_loses_less_on_rolled_out_decisions() -> None:
    rows = [row for row in read_rows(TRUTH) if row.dice is None]
    lost = {}
    for name in ("fitted", "gnubg-1.07"):
        answers = Engine(threads=1, cube_model=name).cube_many([(row.position, row.state) for row in rows], plies=0)
        lost[name] = sum(
            charge.loss
            for row, answer in zip(rows, answers, strict=True)
            for charge in of_cube(row, doubles=bool(answer.should_double), takes=bool(answer.should_take))
        )
    assert lost["fitted"] < 0.9 * lost["gnubg-1.07"]


@given(
    st.tuples(st.integers(2, 25), st.integers(2, 25)),
    st.sampled_from([1, 2, 4]),
    st.floats(0, 0.9),
    st.floats(0, 0.9),
    st.integers(20, 160),
)
@settings(max_examples=80)
def test_owning_a_cube_never_costs(
    away: tuple[int, int], cube: int, gammons: float, lost_gammons: float, pips: int
) -> None:
    """A double that hurts is not made: neither now nor by who takes."""
    p = np.linspace(0.02, 0.98, 13)
    outcomes = np.column_stack([p, p * gammons, p * 0, (1 - p) * lost_gammons, p * 0])
    x = DEFAULT.parameters(outcomes, [5] * 13, [[pips, pips]] * 13)
    state = CubeState(cube, 0, max(away), away)
    states = [replace(state, owner=owner) for owner in (1, -1)] + [replace(state, limit=cube)]
    mine, theirs, dead = cube_model.cubeful(outcomes, x, cube_model.prepare(states, model=DEFAULT)).T
    assert (mine - dead).min() > -1e-9
    assert (dead - theirs).min() > -1e-9


@pytest.mark.parametrize("away", [(8, 2), (2, 8), (5, 2), (2, 4)])
def test_who_is_hurt_by_a_double_leaves_the_cube_alone(away: tuple[int, int]) -> None:
    """Nearer to the exact solution of the jump model than with the corners that GNU Backgammon keeps."""
    won, lost = ((0.25, 0.0), (0.5, 0.0)) if away[1] == 2 else ((0.5, 0.0), (0.25, 0.0))
    state = CubeState(1, 0, max(away), away)
    exact = solve_match(won, lost, 0.06, state, n=80)
    p = exact.p[1:-1]
    outcomes = np.column_stack([p, p * won[0], p * won[1], (1 - p) * lost[0], (1 - p) * lost[1]])
    wrong = []
    for model in (DEFAULT, CubeModel.named("refined:0.7,0.7")):
        x = np.full((len(p), 2), 0.7)
        for owner in (1, 0, -1):
            table = cube_model.prepare([replace(state, owner=owner)], model=model)
            wrong.append(float(np.abs(cube_model.cubeful(outcomes, x, table)[:, 0] - exact.value(p, owner)).max()))
    ours, kept = max(wrong[:3]), max(wrong[3:])
    assert ours < 0.9 * kept
