"""Exact numerical solution of the jump model's equations (Appendix 2 of the paper), for money and for matches.

The winning chance is cut into n buckets; what comes after a jump is taken as straight inside each. With the cube
decisions at the points known the equations are linear. They are solved, the decisions taken anew from the solution,
and so on until no decision changes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime.checks import Instance, Pair, Real, Whole
from sixprime.cube.jump import DENSITY, OWNER, VOLATILITY, Density, JumpModel, JumpPoints, crossing
from sixprime.cube.met import MET, MatchEquityTable, load
from sixprime.cube.state import CubeState
from sixprime.errors import SettingsError
from sixprime.frozen import ByBits, frozen

_MOST_ROUNDS = 200
_BUCKETS = Whole(4, 10_000)
_SETTLED = 1e-11
_KEEP, _TAKE, _PASS = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class ExactSolution(ByBits):
    """Values at p, float64[n + 1] winning chances of the player on roll, for him, while nobody turns the cube now.

    owned, centred, unavailable: by who owns the cube; money equities normalised to the cube or match-winning chances.
    iterations: linear systems solved, for the owned cubes and for the centred one.
    """

    p: NDArray[np.float64]
    owned: NDArray[np.float64]
    centred: NDArray[np.float64]
    unavailable: NDArray[np.float64]
    points: JumpPoints
    iterations: tuple[int, int]

    def value(self, p: float | NDArray[np.float64], owner: int) -> NDArray[np.float64]:
        """Values at any winning chances, straight between the points; owner: +1, 0 or -1. Raises SettingsError."""
        OWNER("owner", owner)
        return np.asarray(np.interp(p, self.p, (self.centred, self.owned, self.unavailable)[owner]))


def solve(
    win: float, loss: float, volatility: float, *, n: int = 400, density: Density = "double-exponential"
) -> ExactSolution:
    """Solution for money. win, loss: W and L; volatility: the mean absolute jump, at least 1 / n; n: number of buckets.

    Raises SettingsError for bad arguments or if the decisions do not settle.
    """
    jump = _jump(n, volatility, density)
    p = np.linspace(0, 1, n + 1)

    # Step 1. The owned cubes, which depend on each other: one system of 2 (n - 1) equations.
    start = JumpModel(win, loss, volatility, kind="linear")
    dead = win * p - loss * (1 - p)
    owned, unavailable, rounds, change = start.value(p, 1), start.value(p, -1), 0, math.inf
    while change > _SETTLED:
        if rounds == _MOST_ROUNDS:
            raise SettingsError(f"the decisions did not settle in {_MOST_ROUNDS} rounds with {n} buckets")
        mine, theirs = _doubler(owned, 2 * unavailable, 1.0), _doubler(-unavailable, -2 * owned, 1.0)
        before = owned, unavailable
        owned, unavailable = _solve_pair(jump, mine, theirs, -loss, win)
        change = max(float(np.abs(owned - before[0]).max()), float(np.abs(unavailable - before[1]).max()))
        rounds += 1

    # Step 2. The centred cube.
    centred, more = _settle(jump, dead, (2 * unavailable, 1.0), (2 * owned, -1.0))
    points = _points(p, owned, centred, unavailable, 2 * owned, 2 * unavailable, 1.0, -1.0)
    return ExactSolution(frozen(p), frozen(owned), frozen(centred), frozen(unavailable), points, (rounds, more))


def solve_match(
    win_shares: tuple[float, float],
    loss_shares: tuple[float, float],
    volatility: float,
    state: CubeState,
    met: MatchEquityTable | None = None,
    *,
    n: int = 400,
    density: Density = "double-exponential",
) -> ExactSolution:
    """Solution at a match score and cube value (whoever owns the cube), from the last cube that matters downwards.

    win_shares, loss_shares: gammons and backgammons (cumulative) per game won and per game lost.
    met: None is the default table. A dead cube gives straight lines.
    Raises SettingsError.
    """
    Instance(CubeState)("state", state)
    MET("met", met)
    for name, shares in (("win_shares", win_shares), ("loss_shares", loss_shares)):
        Pair(Real(0, 1))(name, shares)
    if state.money:
        raise SettingsError("solve_match needs a match score; use solve for money")
    met = met or load()
    jump = _jump(n, volatility, density)
    p = np.linspace(0, 1, n + 1)
    mine, theirs = state.away

    def ends(cube: int) -> tuple[float, float]:
        won, lost = state.outcomes(met, cube)
        high = won[0] + win_shares[0] * (won[1] - won[0]) + win_shares[1] * (won[2] - won[1])
        low = lost[0] + loss_shares[0] * (lost[1] - lost[0]) + loss_shares[1] * (lost[2] - lost[1])
        return low, high

    cubes = [state.cube]
    while not state.crawford and 2 * cubes[-1] <= state.limit and cubes[-1] < max(mine, theirs):
        cubes.append(2 * cubes[-1])
    low, high = ends(cubes[-1])
    owned = centred = unavailable = low + (high - low) * p
    owned_above = unavailable_above = owned
    rounds = more = 0
    for cube in reversed(cubes[:-1]):
        low, high = ends(cube)
        dead = low + (high - low) * p
        won, lost = state.outcomes(met, cube)
        owned_above, unavailable_above = owned, unavailable
        my_double = (unavailable_above, won[0]) if cube < mine else None
        their_double = (owned_above, lost[0]) if cube < theirs else None
        owned, one = _settle(jump, dead, my_double, None)
        unavailable, two = _settle(jump, dead, None, their_double)
        rounds += one + two
        centred = dead
        if cube == state.cube:
            centred, more = _settle(jump, dead, my_double, their_double)
    won, lost = state.outcomes(met)
    points = _points(p, owned, centred, unavailable, owned_above, unavailable_above, won[0], lost[0])
    return ExactSolution(frozen(p), frozen(owned), frozen(centred), frozen(unavailable), points, (rounds, more))


@dataclass(frozen=True, slots=True, eq=False)
class _Jump:
    """Weights float64[n - 1, n + 1] of the values at all points in the mean after a jump from the inner points.

    inside: of what a value becomes by the cube decision there. outside: of the values themselves, for jumps beyond 0
    and 1, where the first and the last bucket are continued straight.
    """

    inside: NDArray[np.float64]
    outside: NDArray[np.float64]


def _jump(n: int, volatility: float, density: str) -> _Jump:
    _BUCKETS("n", n)
    DENSITY("density", density)
    VOLATILITY("volatility", volatility)
    if volatility < 1 / n:
        raise SettingsError(f"volatility must be at least a bucket, {1 / n:g} here. Got {volatility} instead.")
    p = np.linspace(0, 1, n + 1)
    h, inner = 1 / n, p[1:-1, None]
    chance, moment = _moments(p - inner, volatility, density)
    mass, first = np.diff(chance, axis=1), np.diff(moment, axis=1)
    inside = np.zeros((n - 1, n + 1))
    inside[:, 1:] += ((inner - p[:-1]) * mass + first) / h
    inside[:, :-1] += ((p[1:] - inner) * mass - first) / h

    below, above, x = chance[:, 0], 1 - chance[:, -1], inner[:, 0]
    outside = np.zeros_like(inside)
    outside[:, 0] += ((h - x) * below - moment[:, 0]) / h
    outside[:, 1] += (x * below + moment[:, 0]) / h
    outside[:, -2] += ((1 - x) * above + moment[:, -1]) / h
    outside[:, -1] += ((x - 1 + h) * above - moment[:, -1]) / h
    return _Jump(inside, outside)


def _moments(
    x: NDArray[np.float64], volatility: float, density: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """F and G of the paper: chance of a jump up to x, and mean of the jump over these."""
    if density == "double-exponential":
        tail = 0.5 * np.exp(-np.abs(x) / volatility)
        return np.where(x > 0, 1 - tail, tail), -(volatility + np.abs(x)) * tail
    deviation = volatility * math.sqrt(math.pi / 2)
    z = x / deviation
    normal = 0.5 * np.vectorize(math.erfc, otypes=[np.float64])(-z / math.sqrt(2))
    return normal, -deviation / math.sqrt(2 * math.pi) * np.exp(-(z**2) / 2)


def _doubler(keep: NDArray[np.float64], take: NDArray[np.float64], drop: float) -> NDArray[np.int8]:
    """What the doubler gets at every point: _KEEP, or after his double _TAKE or _PASS."""
    best = np.minimum(take, drop)
    return np.where(best <= keep, _KEEP, np.where(take <= drop, _TAKE, _PASS)).astype(np.int8)


def _solve_pair(
    jump: _Jump, mine: NDArray[np.int8], theirs: NDArray[np.int8], low: float, high: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Money values of the cube owned by the player and by the opponent, their decisions given."""
    size = len(mine) - 2
    matrix = np.eye(2 * size)
    right = np.zeros(2 * size)
    for own, choice, drop in ((0, mine, 1.0), (1, theirs, -1.0)):
        rows = slice(own * size, (own + 1) * size)
        other = slice((1 - own) * size, (2 - own) * size)
        inner, inside = choice[1:-1], jump.inside[:, 1:-1]
        matrix[rows, rows] -= jump.outside[:, 1:-1] + inside * (inner == _KEEP)
        matrix[rows, other] -= 2 * inside * (inner == _TAKE)
        right[rows] = drop * (inside @ (inner == _PASS)) + _end_weights(jump) @ (low, high)
    solution = np.linalg.solve(matrix, right)
    return _with_ends(solution[:size], low, high), _with_ends(solution[size:], low, high)


def _settle(
    jump: _Jump,
    dead: NDArray[np.float64],
    mine: tuple[NDArray[np.float64], float] | None,
    theirs: tuple[NDArray[np.float64], float] | None,
) -> tuple[NDArray[np.float64], int]:
    """Values of one state whose doubled cubes are known, and how many systems that took.

    mine, theirs: values after a double by the player, by the opponent, when taken and when passed; None: not possible.
    """
    low, high = float(dead[0]), float(dead[-1])
    values = dead
    if mine is None and theirs is None:
        return values, 0
    for rounds in range(1, _MOST_ROUNDS + 1):
        after, keep = values, np.ones(len(values), dtype=bool)
        if mine is not None:
            doubled = np.minimum(*np.broadcast_arrays(*mine))
            keep &= doubled <= after
            after = np.maximum(after, doubled)
        if theirs is not None:
            doubled = np.maximum(*np.broadcast_arrays(*theirs))
            keep &= doubled >= after
            after = np.minimum(after, doubled)
        inside, inner = jump.inside[:, 1:-1], keep[1:-1]
        matrix = np.eye(len(inner)) - jump.outside[:, 1:-1] - inside * inner
        right = inside @ np.where(inner, 0.0, after[1:-1]) + _end_weights(jump) @ (low, high)
        before, values = values, _with_ends(np.linalg.solve(matrix, right), low, high)
        if np.abs(values - before).max() < _SETTLED:
            return values, rounds
    raise SettingsError(f"the decisions did not settle in {_MOST_ROUNDS} rounds with {len(values) - 1} buckets")


def _end_weights(jump: _Jump) -> NDArray[np.float64]:
    """Weights float64[n - 1, 2] of the values at 0 and 1."""
    return np.asarray((jump.inside + jump.outside)[:, [0, -1]])


def _with_ends(inner: NDArray[np.floating], low: float, high: float) -> NDArray[np.float64]:
    return np.concatenate(([low], inner, [high]), dtype=np.float64)


def _points(
    p: NDArray[np.float64],
    owned: NDArray[np.float64],
    centred: NDArray[np.float64],
    unavailable: NDArray[np.float64],
    received: NDArray[np.float64],
    given: NDArray[np.float64],
    won: float,
    lost: float,
) -> JumpPoints:
    """Decision points of values at p; received, given: after a double by the opponent, by the player."""

    def where(values: NDArray[np.float64], low: float, high: float) -> float:
        return crossing(lambda x: float(np.interp(x, p, values)), low, high)

    cash, take = where(given - won, 0, 1), where(received - lost, 0, 1)
    return JumpPoints(
        opponent_too_good=where(unavailable - lost, 0, take),
        opponent_initial_too_good=where(centred - lost, 0, take),
        take=take,
        opponent_redouble=where(received - unavailable, take, 1),
        opponent_initial_double=where(received - centred, take, 1),
        initial_double=where(given - centred, 0, cash),
        redouble=where(given - owned, 0, cash),
        cash=cash,
        initial_too_good=where(centred - won, cash, 1),
        too_good=where(owned - won, cash, 1),
    )
