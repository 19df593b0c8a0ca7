"""The jump model: the paper's numbers, its equations, its limits for money and in matches."""

from __future__ import annotations

import itertools
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.cube import jump, jump_exact
from sixprime.cube import model as cube_model
from sixprime.cube import values as worth
from sixprime.cube.jump import JumpModel, Volatilities, cash_point, crossing, implied_efficiencies, take_point
from sixprime.cube.jump_exact import solve, solve_match
from sixprime.cube.market import decision_points, janowski_points
from sixprime.cube.model import CubeModel
from sixprime.cube.state import CubeState
from sixprime.errors import SettingsError
from sixprime.game.outcomes import Outcomes

OWNERS = (1, 0, -1)
MONEY = [CubeState(owner=owner) for owner in OWNERS]
PAPER_STEPS = (1.0, 1.25, 1.5, 1.75, 2.0)
PAPER_BY_SHARES = """
0.69/0.69 0.75/0.66 0.78/0.64 0.79/0.62 0.80/0.59
0.66/0.75 0.73/0.73 0.77/0.72 0.78/0.70 0.79/0.69
0.64/0.78 0.72/0.77 0.76/0.76 0.78/0.74 0.79/0.73
0.62/0.79 0.70/0.78 0.74/0.78 0.77/0.77 0.78/0.76
0.59/0.80 0.69/0.79 0.73/0.79 0.76/0.78 0.78/0.78
"""
PAPER_BY_VOLATILITY = {
    0.0: "1.00 1.00 1.00 1.00 1.00",
    0.05: "0.84 0.87 0.88 0.88 0.89",
    0.1: "0.69 0.73 0.76 0.77 0.78",
    0.15: "0.53 0.60 0.63 0.65 0.66",
    0.2: "0.38 0.47 0.51 0.53 0.55",
}
points_range = st.floats(1.0, 2.0)
small_volatility = st.floats(0.005, 0.12)


def rows(p: np.ndarray, win: float, loss: float) -> np.ndarray:
    """Probabilities with W and L points per win and per loss."""
    return np.stack([p, p * (win - 1), 0 * p, (1 - p) * (loss - 1), 0 * p], axis=1)


# -- the paper's closed forms --------------------------------------------------------------------


@pytest.mark.parametrize(("loss", "line"), [*zip(PAPER_STEPS, PAPER_BY_SHARES.split("\n")[1:6], strict=True)])
def test_implied_efficiencies_as_printed(loss: float, line: str) -> None:
    ours = ["{:.2f}/{:.2f}".format(*implied_efficiencies(win, loss, 0.1)) for win in PAPER_STEPS]
    assert ours == line.split()


@pytest.mark.parametrize("volatility", [*PAPER_BY_VOLATILITY])
def test_implied_efficiencies_by_volatility_as_printed(volatility: float) -> None:
    ours = [f"{implied_efficiencies(step, step, volatility)[0]:.2f}" for step in PAPER_STEPS]
    assert ours == PAPER_BY_VOLATILITY[volatility].split()


def test_implied_efficiency_at_the_start_of_a_game() -> None:
    assert implied_efficiencies(1.27, 1.27, 0.113)[0] == pytest.approx(0.70, abs=0.005)


def test_points_per_game() -> None:
    assert Outcomes(*(0.4, 0.1, 0.02, 0.12, 0.03)).mean_points == pytest.approx((1.3, 1.25))
    assert Outcomes(*(1, 0.5, 0, 0, 0)).mean_points == (1.5, 1)
    assert Outcomes(*(0, 0, 0, 0.5, 0)).mean_points == (1, 1.5)


@given(points_range, points_range, small_volatility)
@settings(max_examples=15)
def test_linear_points_are_the_closed_forms(win: float, loss: float, volatility: float) -> None:
    points = JumpModel(win, loss, volatility, kind="linear").points()
    assert points.take == pytest.approx(take_point(win, loss, volatility), abs=1e-9)
    assert points.cash == pytest.approx(cash_point(win, loss, volatility), abs=1e-9)


@given(points_range, points_range, small_volatility)
@settings(max_examples=15)
def test_linear_values_at_the_live_points(win: float, loss: float, volatility: float) -> None:
    slope = win + loss + 0.5
    take, cash = (loss - 0.5) / slope, (loss + 1) / slope
    model = JumpModel(win, loss, volatility / 2, local=volatility, kind="linear")
    near_cash = volatility * slope / (win - 0.5)
    near_take = volatility / 2 * slope / (loss - 0.5)
    # Above the model's own cash point the line goes on to W, so values are read below it and extrapolated.
    assert model.value(cash / 2, 1) == pytest.approx((1 - near_cash / 4 - loss) / 2, abs=1e-9)
    centre = (take + cash) / 2
    middle = (near_take * (loss + 1) - near_cash * (win + 1)) / 12
    assert model.value(centre, 0) == pytest.approx(middle, abs=1e-9)
    assert model.value((1 + take) / 2, -1) == pytest.approx((win - 1 + near_take / 4) / 2, abs=1e-9)


@given(points_range, points_range, small_volatility)
@settings(max_examples=15)
def test_implied_efficiencies_give_the_same_points(win: float, loss: float, volatility: float) -> None:
    mine, theirs = implied_efficiencies(win, loss, volatility)
    points = JumpModel(win, loss, volatility, kind="linear").points()
    other = janowski_points((0.5, (win - 1) / 2, 0, (loss - 1) / 2, 0), mine, theirs)
    assert (points.take, points.cash, points.redouble) == pytest.approx(
        (other.take, other.cash, other.redouble), abs=1e-9
    )


def test_the_initial_double_agrees_with_janowski_only_without_gammons() -> None:
    def gap(win: float, volatility: float) -> float:
        mine, theirs = implied_efficiencies(win, win, volatility)
        other = janowski_points((0.5, (win - 1) / 2, 0, (win - 1) / 2, 0), mine, theirs)
        return JumpModel(win, win, volatility, kind="linear").points().initial_double - other.initial_double

    assert abs(gap(1.0, 0.01)) < 1e-4 < 5e-4 < abs(gap(1.5, 0.01))


def test_the_remote_volatility_alone_sets_take_and_cash() -> None:
    for kind in ("linear", "nonlinear"):
        calm, wild = (JumpModel(1.3, 1.2, 0.1, local=local, kind=kind).points() for local in (0.02, 0.2))
        assert (calm.take, calm.cash) == (wild.take, wild.cash)
        assert calm.initial_double > wild.initial_double + 0.05
        assert calm.redouble > wild.redouble + 0.02


# -- the nonlinear approximation -----------------------------------------------------------------


@pytest.mark.parametrize("density", ["double-exponential", "gaussian"])
def test_moments_of_the_jump(density: str) -> None:
    volatility = 0.1
    x = np.linspace(-3, 3, 600001)
    chance, first = jump_exact._moments(x, volatility, density)
    density_values = np.gradient(chance, x)
    assert np.trapezoid(np.abs(x) * density_values, x) == pytest.approx(volatility, rel=1e-5)
    running = np.concatenate(([0], np.cumsum((x * density_values)[:-1] * np.diff(x))))
    assert np.abs(running - first).max() < 1e-5


@pytest.mark.parametrize("density", ["double-exponential", "gaussian"])
@pytest.mark.parametrize("owner", OWNERS)
def test_nonlinear_is_the_mean_over_the_jump(density: str, owner: int) -> None:
    win, loss, volatility = 1.4, 1.1, 0.1
    linear = JumpModel(win, loss, volatility, kind="linear")
    x = np.linspace(0, 1, 4001)
    keep = linear.value(x, owner, near="neither")
    after = keep
    if owner >= 0:
        after = np.maximum(after, np.minimum(linear.value(x, -1, near="neither", doubled=True), 1))
    if owner <= 0:
        after = np.minimum(after, np.maximum(linear.value(x, 1, near="neither", doubled=True), -1))
    # Slopes beyond 0 and 1 are such that the ends keep their values.
    p = np.array([0.1, 0.3, 0.5, 0.65, 0.75, 0.9])
    far = np.linspace(-3, 4, 7001)

    def mean(at: np.ndarray, below: float, above: float) -> np.ndarray:
        values = np.interp(far, x, after)
        values += below * np.minimum(far, 0) + above * np.maximum(far - 1, 0)
        chance, _ = jump_exact._moments(far[None, :] - at[:, None], volatility, density)
        weights = np.gradient(chance, far, axis=1)
        return np.asarray(np.trapezoid(weights * values, far, axis=1))

    ends = np.array([0.0, 1.0])
    base = mean(ends, 0, 0)
    system = np.stack([mean(ends, 1, 0) - base, mean(ends, 0, 1) - base], axis=1)
    below, above = np.linalg.solve(system, np.array([-loss, win]) - base)
    ours = JumpModel(win, loss, volatility, density=density).value(p, owner, near="neither")
    assert ours == pytest.approx(mean(p, below, above), abs=2e-5)


# -- the exact solution --------------------------------------------------------------------------


def test_exact_solution_converges() -> None:
    points = [np.array(astuple(solve(1.4, 1.0, 0.2, n=n).points)) for n in (50, 100, 200)]
    assert np.abs(points[1] - points[2]).max() < 5e-5
    assert np.abs(points[0] - points[2]).max() < 5e-4


def test_exact_solution_solves_the_equations() -> None:
    exact, volatility = solve(1.3, 1.1, 0.1, n=200), 0.1
    fine = np.linspace(-1, 2, 30001)
    slopes = {owner: exact.value(np.array([0, 0.005, 0.995, 1]), owner) for owner in OWNERS}

    def extended(owner: int) -> np.ndarray:
        a, b, c, d = slopes[owner]
        values = exact.value(fine, owner)
        return values + (b - a) / 0.005 * np.minimum(fine, 0) + (d - c) / 0.005 * np.maximum(fine - 1, 0)

    owned, unavailable, centred = extended(1), extended(-1), extended(0)
    inside = (fine >= 0) & (fine <= 1)
    mine = np.where(inside, np.minimum(2 * unavailable, 1), -9)
    theirs = np.where(inside, np.maximum(2 * owned, -1), 9)
    after = {1: np.maximum(owned, mine), -1: np.minimum(unavailable, theirs)}
    after[0] = np.minimum(np.maximum(centred, mine), theirs)
    for p in (0.2, 0.45, 0.7, 0.85):
        weight = np.exp(-np.abs(fine - p) / volatility) / (2 * volatility)
        for owner in OWNERS:
            assert np.trapezoid(weight * after[owner], fine) == pytest.approx(float(exact.value(p, owner)), abs=2e-4)


def test_exact_solution_is_the_same_for_both_sides() -> None:
    exact = solve(1.2, 1.2, 0.12, n=100)
    assert exact.owned == pytest.approx(-exact.unavailable[::-1], abs=1e-9)
    assert exact.centred == pytest.approx(-exact.centred[::-1], abs=1e-9)
    other = solve(1.4, 1.1, 0.12, n=100), solve(1.1, 1.4, 0.12, n=100)
    assert other[0].owned == pytest.approx(-other[1].unavailable[::-1], abs=1e-9)


def test_approximations_against_the_exact_solution() -> None:
    exact = solve(1.4, 1.0, 0.2, n=100)
    for owner, linear_error, nonlinear_error in ((0, 0.08, 0.01), (1, 0.01, 0.006), (-1, 0.03, 0.012)):
        errors = [
            np.abs(JumpModel(1.4, 1.0, 0.2, kind=kind).value(exact.p, owner) - exact.value(exact.p, owner)).max()
            for kind in ("linear", "nonlinear")
        ]
        assert errors[1] < nonlinear_error < linear_error
        assert errors[1] < errors[0] < linear_error


def test_only_the_volatility_of_the_jumps_matters() -> None:
    exact = [solve(1.2, 1.1, 0.08, n=100, density=density) for density in ("gaussian", "double-exponential")]
    assert np.abs(exact[0].centred - exact[1].centred).max() < 0.02


# -- limits --------------------------------------------------------------------------------------

SCORES = [(0, (0, 0)), (3, (3, 2)), (5, (5, 5)), (7, (2, 6)), (7, (4, 4)), (11, (9, 3)), (15, (15, 14)), (25, (20, 21))]
EVERYWHERE = [
    CubeState(cube, owner, length, away)
    for length, away in SCORES
    for cube in (1, 2, 4)
    for owner in OWNERS
    if not length or cube < max(away)
]


@pytest.mark.parametrize("kind", ["linear", "nonlinear"])
def test_no_volatility_is_the_live_cube(kind: jump.Kind) -> None:
    chances = rows(np.linspace(0.01, 0.99, 99), 1.25, 1.35)
    live = cube_model.cubeful(chances, np.ones(99), EVERYWHERE)
    ours = jump.cubeful(chances, np.zeros((99, 2)), EVERYWHERE, kind=kind)
    helpful = [k for k, state in enumerate(EVERYWHERE) if not hurts_somewhere(state)]
    assert len(helpful) > 50
    assert ours[:, helpful] == pytest.approx(live[:, helpful], abs=1e-9)


def hurts_somewhere(state: CubeState) -> bool:
    """Whether a live corner, of this or of a higher cube, leaves its owner worse than a dead cube."""
    chances = rows(np.linspace(0.01, 0.99, 99), 1.25, 1.35)
    cubes = [state.cube << k for k in range(5) if not state.money and state.cube << k < max(state.away)]
    worst = 0.0
    for cube in cubes:
        states = [replace(state, cube=cube, owner=owner) for owner in OWNERS]
        owned, _, unavailable = cube_model.cubeful(chances, np.ones(99), states).T
        dead = cube_model.cubeful(chances, np.zeros(99), states[:1])[:, 0]
        worst = min(worst, (owned - dead).min(), (dead - unavailable).min())
    return worst < -1e-9


@pytest.mark.parametrize("kind", ["linear", "nonlinear"])
def test_large_volatility_is_the_dead_cube(kind: jump.Kind) -> None:
    chances = rows(np.linspace(0.01, 0.99, 99), 1.25, 1.35)
    dead = cube_model.cubeful(chances, np.zeros(99), EVERYWHERE)
    ours = jump.cubeful(chances, np.full((99, 2), 1e5), EVERYWHERE, kind=kind)
    for k, state in enumerate(EVERYWHERE):
        # A double that costs the doubler nothing is made at once: linear values keep it, however far jumps go.
        mine, theirs = state.away
        free = state.length and (
            (state.owner >= 0 and state.cube >= theirs) or (state.owner <= 0 and state.cube >= mine)
        )
        if kind == "nonlinear" or not free:
            assert ours[:, k] == pytest.approx(dead[:, k], abs=1e-4), state


def test_limits_of_the_exact_solution() -> None:
    states = [CubeState(owner=owner) for owner in OWNERS]
    errors = []
    for volatility in (0.02, 0.04):
        exact = solve(1.25, 1.35, volatility, n=100)
        live = cube_model.cubeful(rows(exact.p, 1.25, 1.35), np.ones(101), states)
        errors.append(max(np.abs(exact.value(exact.p, owner) - live[:, k]).max() for k, owner in enumerate(OWNERS)))
    assert errors[0] < 0.6 * errors[1] < 0.06
    wild = solve(1.25, 1.35, 1e4, n=100)
    dead = 1.25 * wild.p - 1.35 * (1 - wild.p)
    for owner in OWNERS:
        assert wild.value(wild.p, owner) == pytest.approx(dead, abs=1e-3)


def test_values_fall_from_live_to_dead_for_the_owner() -> None:
    chances = rows(np.array([0.5]), 1.2, 1.2)
    values = [
        float(jump.cubeful(chances, np.full((1, 2), a), MONEY, kind="nonlinear")[0, 0]) for a in np.linspace(0, 0.6, 13)
    ]
    assert all(a > b for a, b in itertools.pairwise(values))


# -- matches -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["linear", "nonlinear"])
def test_both_sides_see_the_same_match(kind: jump.Kind) -> None:
    p = np.linspace(0.05, 0.95, 19)
    volatility = np.full((19, 2), 0.1)
    for state in EVERYWHERE:
        ours = jump.cubeful(rows(p, 1.25, 1.35), volatility, [state], kind=kind)[:, 0]
        theirs = jump.cubeful(rows(1 - p, 1.35, 1.25), volatility, [state.swapped()], kind=kind)[:, 0]
        # Tables are kept in single precision.
        assert ours + theirs == pytest.approx(np.full(19, 0.0 if state.money else 1.0), abs=1e-6), state


def test_a_long_match_is_like_money() -> None:
    p = np.linspace(0.05, 0.95, 19)
    volatility = np.full((19, 2), 0.1)
    for owner in OWNERS:
        state = CubeState(1, owner, 60, (60, 60))
        ours = worth.to_equity(jump.cubeful(rows(p, 1.2, 1.2), volatility, [state])[:, 0], state)
        money = jump.cubeful(rows(p, 1.2, 1.2), volatility, [CubeState(owner=owner)])[:, 0]
        assert np.abs(ours - money).max() < 0.04


@pytest.mark.parametrize(
    ("away", "limit"), [((7, 7), 1024), ((5, 9), 1024), ((3, 4), 1024), ((9, 3), 1024), ((9, 7), 2), ((5, 9), 2)]
)
def test_match_values_against_the_exact_solution(away: tuple[int, int], limit: int) -> None:
    state = CubeState(1, 0, 11, away, limit=limit)
    exact = solve_match((0.25, 0.0), (0.25, 0.0), 0.1, state, n=100)
    stake = np.diff([state.outcomes()[1][0], state.outcomes()[0][0]])[0] / 2
    for owner in OWNERS:
        errors = [
            np.abs(
                JumpModel(1.25, 1.25, 0.1, kind=kind, state=state).value(exact.p, owner) - exact.value(exact.p, owner)
            )
            for kind in ("linear", "nonlinear")
        ]
        assert errors[1].max() < 0.02 * max(stake, 0.1)
        assert errors[1].max() < errors[0].max()
    ours = JumpModel(1.25, 1.25, 0.1, state=state).points()
    assert (ours.take, ours.cash) == pytest.approx((exact.points.take, exact.points.cash), abs=0.01)


# Scores at which a double hurts somebody: gammons and backgammons per win and per loss.
HURTING = [
    ((8, 2), 1, (0.25, 0.0), (0.5, 0.0)),
    ((2, 8), 1, (0.5, 0.0), (0.25, 0.0)),
    ((2, 4), 1, (0.5, 0.0), (0.1, 0.0)),
    ((5, 2), 1, (0.25, 0.0), (0.5, 0.0)),
    ((15, 4), 2, (0.1, 0.0), (0.5, 0.0)),
]


def shared(p: np.ndarray, won: tuple[float, float], lost: tuple[float, float]) -> np.ndarray:
    return np.column_stack([p, p * won[0], p * won[1], (1 - p) * lost[0], (1 - p) * lost[1]])


@pytest.mark.parametrize(("away", "cube", "won", "lost"), HURTING)
@pytest.mark.parametrize("volatility", [0.02, 0.1])
def test_who_is_hurt_by_a_double_leaves_the_cube_alone(
    away: tuple[int, int], cube: int, won: tuple[float, float], lost: tuple[float, float], volatility: float
) -> None:
    state = CubeState(cube, 0, max(away), away)
    exact = solve_match(won, lost, volatility, state, n=80)
    p = exact.p[1:-1]
    states = [replace(state, owner=owner) for owner in OWNERS]
    wanted = np.column_stack([exact.value(p, owner) for owner in OWNERS])
    for kind, tolerance in (("linear", 0.06), ("nonlinear", 0.02)):
        ours = jump.cubeful(shared(p, won, lost), np.full((len(p), 2), volatility), states, kind=kind)
        assert worth.equity_error(np.abs(ours - wanted).max(), state) < tolerance
        owned, centred, unavailable = ours.T
        assert (owned - centred).min() > -1e-12
        assert (centred - unavailable).min() > -1e-12


@given(
    st.tuples(st.integers(2, 25), st.integers(2, 25)),
    st.sampled_from([1, 2, 4]),
    st.floats(0, 0.6),
    st.floats(0, 0.6),
    st.floats(0, 0.3),
)
@settings(max_examples=60)
def test_owning_a_cube_never_costs(
    away: tuple[int, int], cube: int, gammons: float, lost_gammons: float, volatility: float
) -> None:
    state = CubeState(cube, 0, max(away), away)
    p = np.linspace(0.02, 0.98, 13)
    chances = shared(p, (gammons, 0.0), (lost_gammons, 0.0))
    states = [replace(state, owner=owner) for owner in OWNERS]
    dead = cube_model.cubeful(chances, np.zeros(13), [replace(state, limit=cube)])[:, 0]
    owned, _, unavailable = jump.cubeful(chances, np.full((13, 2), volatility), states).T
    assert (owned - dead).min() > -1e-6
    assert (dead - unavailable).min() > -1e-6


@pytest.mark.parametrize(
    ("won", "lost"), [((0.0, 0.0), (0.0, 0.0)), ((0.25, 0.01), (0.25, 0.01)), ((0.5, 0.0), (0.1, 0.0))]
)
@pytest.mark.parametrize("volatility", [0.02, 0.1])
def test_the_cube_is_turned_at_2_away_2_away(
    won: tuple[float, float], lost: tuple[float, float], volatility: float
) -> None:
    state = CubeState(1, 0, 2, (2, 2))
    exact = solve_match(won, lost, volatility, state, n=80)
    p = exact.p[1:-1]
    states = [replace(state, owner=owner) for owner in OWNERS]
    wanted = np.column_stack([exact.value(p, owner) for owner in OWNERS])
    for kind, tolerance in (("linear", 0.1), ("nonlinear", 0.036)):
        ours = jump.cubeful(shared(p, won, lost), np.full((len(p), 2), volatility), states, kind=kind)
        assert worth.equity_error(np.abs(ours - wanted).max(), state) < tolerance


def test_models_that_leave_the_cube_at_2_away_2_away_as_the_page_says() -> None:
    page = (Path(__file__).parent.parent / "docs" / "cube.md").read_text(encoding="utf-8")
    chances, state = rows(np.array([0.7]), 1.0, 1.0), CubeState(1, 0, 2, (2, 2))
    for name in ("gnubg-1.07", "dead", "live"):
        model = CubeModel.named(name)
        parameters = model.parameters(chances, np.array([5]), np.array([[100, 100]]))
        value = cube_model.cubeful(chances, parameters, cube_model.prepare([state], model=model))[0, 0]
        assert f"At p = .7 without gammons that says {value:.3f} MWC".replace(" 0.", " .") in page


@pytest.mark.parametrize("volatility", [0.01, 0.05, 0.1])
def test_2_away_2_away_in_closed_form(volatility: float) -> None:
    """Without gammons both sides turn the cube after the next jump: the match goes to p, or to a pass beyond `cash`."""
    state = CubeState(1, 0, 2, (2, 2))
    cash, p = state.outcomes()[0][0], np.array([0.4, 0.5, 0.6, 0.7])
    wanted = np.clip(p, 1 - cash, cash) + volatility / 2 * (
        np.exp(-np.abs(p - 1 + cash) / volatility) - np.exp(-np.abs(p - cash) / volatility)
    )
    ours = jump.cubeful(rows(p, 1.0, 1.0), np.full((4, 2), volatility), [state])[:, 0]
    assert ours == pytest.approx(wanted, abs=1e-3)
    model = CubeModel.named(f"jump:{volatility}")
    parameters = model.parameters(rows(p, 1.0, 1.0), np.full(4, 5), np.full((4, 2), 100))
    assert cube_model.cubeful(
        rows(p, 1.0, 1.0), parameters, cube_model.prepare([state], model=model)
    )[:, 0] == pytest.approx(ours)  # fmt: skip
    assert JumpModel(1.0, 1.0, volatility, state=state).value(p, 0) == pytest.approx(ours)
    assert jump.cubeful(rows(p, 1.0, 1.0), np.full((4, 2), volatility), cube_model.prepare([state]))[:, 0] == (
        pytest.approx(ours)
    )
    # Janowski's models leave the cube where it is, as GNU Backgammon does.
    single = state.outcomes()[0][0] * p + state.outcomes()[1][0] * (1 - p)
    assert cube_model.cubeful(rows(p, 1.0, 1.0), np.ones(4), [state])[:, 0] == pytest.approx(single)


def test_cubes_that_cannot_be_turned_are_dead() -> None:
    p = np.linspace(0, 1, 11)
    volatility = np.full((11, 2), 0.1)
    crawford = CubeState(1, 0, 5, (1, 3), crawford=True)
    limited = CubeState(limit=1)
    last = CubeState(4, 1, 5, (3, 4))
    for state in (crawford, limited, last):
        ours = jump.cubeful(rows(p, 1.2, 1.3), volatility, [state])
        assert ours == pytest.approx(cube_model.cubeful(rows(p, 1.2, 1.3), np.zeros(11), [state]), abs=1e-12)
    exact = solve_match((0.2, 0), (0.3, 0), 0.1, crawford, n=50)
    assert exact.centred == pytest.approx(np.linspace(exact.centred[0], exact.centred[-1], 51), abs=1e-12)
    assert JumpModel(1.2, 1.2, 0.1, state=crawford).value(0.5, 0) == pytest.approx(float(exact.value(0.5, 0)), abs=0.05)


def test_the_trailer_doubles_at_once_after_the_crawford_game() -> None:
    state = CubeState(1, 0, 5, (4, 1))
    assert JumpModel(1.2, 1.2, 0.1, state=state).points().initial_double < 1e-6
    assert solve_match((0.2, 0), (0.2, 0), 0.1, state, n=100).points.initial_double < 1e-6


# -- the seam ------------------------------------------------------------------------------------


def test_models_by_name() -> None:
    p = np.linspace(0.05, 0.95, 19)
    chances, codes, pips = rows(p, 1.2, 1.3), np.full(19, 5), np.full(19, 100)
    for name, kind in (("jump:0.12", "nonlinear"), ("jump-linear:0.12", "linear")):
        model = CubeModel.named(name)
        assert model.name == name
        ours = cube_model.cubeful(
            chances, model.parameters(chances, codes, pips), cube_model.prepare(MONEY, model=model)
        )
        assert ours == pytest.approx(jump.cubeful(chances, np.full((19, 2), 0.12), MONEY, kind=kind), abs=1e-15)
    assert [CubeModel.named(name).name for name in ("jump", "jump-linear", "jump-local")] == [
        "jump", "jump-linear", "jump-local",
    ]  # fmt: skip
    assert CubeModel.named("jump-local").at(2).jumps.local is False
    with pytest.raises(SettingsError, match=r"jump volatility.*1\.5"):
        CubeModel.named("jump:1.5")


def test_classes_and_known_volatilities() -> None:
    volatilities = Volatilities(contact=0.1, race=0.2)
    assert volatilities.of([3, 5]).tolist() == [[0.2, 0.2], [0.1, 0.1]]
    assert replace(volatilities, known=0.05).of([3, 5]).tolist() == [[0.05, 0.2], [0.05, 0.1]]
    assert volatilities.of([3, 5], np.array([0.3, 0.4])).tolist() == [[0.3, 0.2], [0.4, 0.1]]


def test_decision_points_of_the_seam_are_those_of_the_model() -> None:
    chances = (0.5, 0.15, 0, 0.1, 0)
    ours = decision_points(chances, CubeState(), CubeModel.named("jump:0.1"))
    model = JumpModel(1.3, 1.2, 0.1).points()
    assert (ours.take, ours.double, ours.cash, ours.too_good) == pytest.approx(
        (model.take, model.initial_double, model.cash, model.initial_too_good), abs=1e-6
    )


def test_the_local_volatility_holds_where_a_double_is_near() -> None:
    p = np.array([0.72, 0.24])
    calm, wild = (
        jump.cubeful(rows(p, 1.2, 1.2), np.stack([np.full(2, local), np.full(2, 0.1)], axis=1), MONEY, kind="linear")
        for local in (0.02, 0.2)
    )
    assert calm[0, 0] > wild[0, 0]
    assert calm[1, 2] < wild[1, 2]
    assert calm[0, 2] == wild[0, 2]
    assert calm[1, 0] == wild[1, 0]


# -- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda: JumpModel(0.9, 1.0, 0.1),
        lambda: JumpModel(1.0, 3.1, 0.1),
        lambda: JumpModel(1.0, 1.0, -0.1),
        lambda: JumpModel(1.0, 1.0, float("nan")),
        lambda: JumpModel(1.0, 1.0, 0.1, kind="cubic"),
        lambda: solve(1.0, 1.0, 0.001, n=100),
        lambda: solve(1.0, 1.0, 0.1, n=2),
        lambda: solve(1.0, 1.0, 0.1, density="uniform"),
        lambda: solve_match((0, 0), (0, 0), 0.1, CubeState()),
        lambda: jump.cubeful(np.full((1, 5), 0.5), [[0.1, -0.1]], MONEY),
        lambda: jump.cubeful(np.full((1, 5), 0.5), [0.1], MONEY),
    ],
)
def test_bad_input(call) -> None:
    with pytest.raises(SettingsError):
        call()


def test_crossing() -> None:
    assert crossing(lambda x: x - 0.3, 0, 1) == pytest.approx(0.3)
    assert crossing(lambda x: x + 1, 0, 1) == 0
    assert crossing(lambda x: x - 2, 0, 1) == 1


@pytest.mark.parametrize(
    "state", [None, CubeState(length=7, away=(3, 5)), CubeState(limit=1), CubeState(2, 1, 3, (1, 2))]
)
def test_whole_numbers_are_chances(state: CubeState | None) -> None:
    model = JumpModel(1.2, 1.1, 0.1, state=state)
    for owner in (-1, 0, 1):
        values = model.value([0, 1], owner)
        assert values.dtype == np.float64
        assert values.tolist() == model.value([0.0, 1.0], owner).tolist()
        assert model.value(1, owner) == model.value(1.0, owner)


def test_the_line_stops_at_the_dead_cube() -> None:
    for volatility in (0.1, 0.3, 0.4, 0.6, 1.0, 5.0):
        points = JumpModel(1.2, 1.1, volatility, kind="linear").points()
        assert take_point(1.2, 1.1, volatility) == pytest.approx(points.take, abs=1e-9)
        assert cash_point(1.2, 1.1, volatility) == pytest.approx(points.cash, abs=1e-9)
    for wrong in ((0.5, 1, 0.1), (1, float("nan"), 0.1), (1, 1, -0.1), (1, 1, float("inf"))):
        for function in (take_point, cash_point, implied_efficiencies):
            with pytest.raises(SettingsError):
                function(*wrong)


ONE = np.array([[0.5, 0.1, 0.01, 0.1, 0.01]])
CALM = np.array([[0.1, 0.1]])


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"probabilities": ONE[:, :4]}, r"probabilities must be float64\[N, 5\]"),
        ({"probabilities": ONE[0]}, r"probabilities must be float64\[N, 5\]"),
        ({"probabilities": "x"}, r"probabilities must be float64\[N, 5\]"),
        ({"volatilities": [[0.1]]}, r"volatilities must be float64\[1, 2\]"),
        ({"volatilities": CALM * np.inf}, r"volatilities must be numbers from 0 to 1e\+06"),
        ({"volatilities": -CALM}, r"volatilities must be numbers from 0 to 1e\+06"),
        ({"exact": np.zeros((1, 3))}, r"exact must be float64\[1, 4\]"),
        ({"kind": "x"}, "kind must be linear or nonlinear"),
        ({"density": []}, "density must be double-exponential or gaussian"),
    ],
)
def test_what_is_no_batch_is_refused(given: dict[str, object], wanted: str) -> None:
    """The kernel does not look at shapes: it read whatever lies behind rows that are too short."""
    with pytest.raises(SettingsError, match=wanted):
        jump.cubeful(**{"probabilities": ONE, "volatilities": CALM, "states": MONEY, **given})  # type: ignore[arg-type]


def test_batches_of_other_kinds_of_numbers_and_of_none() -> None:
    wanted = jump.cubeful(ONE, CALM, MONEY)
    assert jump.cubeful(ONE.tolist(), CALM.tolist(), MONEY) == pytest.approx(wanted)
    assert jump.cubeful(ONE.astype(np.float32), CALM, MONEY) == pytest.approx(wanted, abs=1e-6)
    assert jump.cubeful([], [], MONEY).shape == (0, 3)
    assert jump.cubeful(ONE, CALM, MONEY, exact=np.zeros((1, 4), dtype=int)).tolist() == [[0, 0, 0]]


@pytest.mark.parametrize("wrong", [2, -0.1, np.inf, [0.5, 1.5], "a"])
def test_what_is_no_winning_chance_is_refused(wrong: object) -> None:
    model = JumpModel(1.4, 1.0, 0.2)
    with pytest.raises(SettingsError, match="p must be chances from 0 to 1"):
        model.value(wrong, 0)  # type: ignore[arg-type]
    assert float(model.value(1 + 1e-9, 0)) == float(model.value(1, 0))


@pytest.mark.parametrize("wrong", [{"known": -1}, {"known": np.nan}, {"local": "x"}])
def test_jumps_that_are_none_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        Volatilities(**wrong)  # type: ignore[arg-type]
    with pytest.raises(SettingsError):
        jump.Jump(linear="x")  # type: ignore[arg-type]
