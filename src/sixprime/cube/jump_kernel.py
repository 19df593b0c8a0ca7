# mypy: allow-untyped-defs, allow-untyped-calls
"""The compiled part of the jump model: values of positions at prepared states (`kernel` says how those look).

`jump` and docs/jump.md derive the formulas. Everything is seen by the player on roll, as a function of his winning
chance p, with gammon shares held fixed; values are normalised money equity or match-winning chance.

A *window* is what the model needs to know of a state: (low, take, loss, cash, win, high, opponent, opponent_slope,
mine, mine_slope). low and high are the values at p = 0 and 1, loss and win those of a pass by the player and by the
opponent, take and cash the live points. A double by the opponent that is taken is worth opponent + opponent_slope p,
one by the player mine - mine_slope (1 - p).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sixprime.cube.kernel import (
    CHAIN,
    DEAD,
    GAMMONS,
    KIND,
    LAST,
    LEVELS,
    LOSS,
    MONEY,
    OWNER,
    STEP,
    WIN,
    corners,
    gammon_shares,
    mean,
    money_points,
)
from sixprime.cube.kernel import state_value as janowski_value
from sixprime.kernels._block import Float64s, Float64s2, Int32s, Int32s2
from sixprime.kernels._jit import entry, njit

LINEAR, NONLINEAR = 0, 1
DOUBLE_EXPONENTIAL, GAUSSIAN = 0, 1

_MOST_NODES = 8
_ROOT_HALF_PI = math.sqrt(math.pi / 2)
_ROOT_HALF = math.sqrt(0.5)
_INVERSE_ROOT_TWO_PI = 1 / math.sqrt(2 * math.pi)


@njit(inline="always")
def overshoot(distance, volatility, density):
    """Mean of how far a jump goes beyond `distance`: what a kink there adds to the mean, per unit of slope."""
    x = abs(distance)
    if volatility <= 0.0:
        return 0.0
    if density == DOUBLE_EXPONENTIAL:
        return 0.5 * volatility * math.exp(-x / volatility)
    deviation = volatility * _ROOT_HALF_PI
    z = x / deviation
    return deviation * _INVERSE_ROOT_TWO_PI * math.exp(-0.5 * z * z) - 0.5 * x * math.erfc(z * _ROOT_HALF)


@njit(inline="always")
def _kink(value, before, after, volatility, limit):
    """Value at a kink of the live cube after one jump: half the change of slope nearer to the dead value `limit`."""
    gap = limit - value
    shift = 0.5 * volatility * abs(after - before)
    return limit if shift >= abs(gap) else value + math.copysign(shift, gap)


@njit(inline="always")
def _money_window(row, wg, wb, lg, lb, remote):
    win, loss = 1.0 + wg + wb, 1.0 + lg + lb
    levels = int(row[LEVELS])
    take, cash = money_points(win, loss, levels)
    dead = win + loss
    mine_slope = opponent_slope = 2.0 * dead
    if levels > 0:
        # The doubled cube with the opponent, and with the player, at the opponent's and at his own live cash point.
        low, high = money_points(win, loss, levels - 1)
        low_kink = _kink(-1.0, (loss - 1.0) / low, (win + 1.0) / (1.0 - low), remote, dead * low - loss)
        high_kink = _kink(1.0, (loss + 1.0) / high, (win - 1.0) / (1.0 - high), remote, dead * high - loss)
        mine_slope = 2.0 * (win - low_kink) / (1.0 - low)
        opponent_slope = 2.0 * (high_kink + loss) / high
    if row[GAMMONS] == 0.0:
        return -1.0, take, -1.0, cash, 1.0, 1.0, -2.0 * loss, opponent_slope, 2.0 * win, mine_slope
    return -loss, take, -1.0, cash, 1.0, win, -2.0 * loss, opponent_slope, 2.0 * win, mine_slope


@njit(allocates=False)
def _doubled(row, side, wg, wb, lg, lb, remote):
    """Live cash point of a side, in its own winning chance, and the line of its double when taken.

    The line is the value for the player on roll where the doubler is sure to win, and its slope.
    """
    levels = int(row[LEVELS])
    if levels == 0:
        single = row[WIN] if side == 0 else row[LOSS]
        at = LAST + 6 * side
        won, lost = mean(row, at, wg, wb), mean(row, at + 3, lg, lb)
        best, worst = (won, lost) if side == 0 else (lost, won)
        return (single - worst) / (best - worst), best, won - lost

    # Live cash points from the last level down to this double, each of the side that owns the cube there.
    doubler = (side + levels) & 1
    at = LAST + 6 * doubler
    won, lost = mean(row, at, wg, wb), mean(row, at + 3, lg, lb)
    before = CHAIN + STEP * (levels - 1)
    point = (row[before + 2] - lost) / (won - lost) if doubler == 0 else (row[before + 5] - won) / (lost - won)
    best = live = slope = 0.0
    for level in range(levels - 1, -1, -1):
        doubler ^= 1
        at = CHAIN + STEP * level
        won, lost = mean(row, at + 2, wg, wb), mean(row, at + 5, lg, lb)
        best, worst, cashed = (won, lost, row[at + 5]) if doubler == 0 else (lost, won, row[at + 2])
        # In the doubler's winning chance his taker cashes at 1 - point, where that beats playing on with a dead cube.
        limit = worst + (best - worst) * (1.0 - point)
        live = slope = best - worst
        if (limit - cashed) * live > 0.0:
            live = (best - cashed) / point
            far = (cashed - worst) / (1.0 - point) if point < 1.0 else live
            slope = (best - _kink(cashed, far, live, remote, limit)) / point
        passed = row[at] if doubler == 0 else row[at + 1]
        point = 1.0 - (best - passed) / live
    return point, best, slope if side == 0 else -slope


@njit(allocates=False)
def _match_window(row, wg, wb, lg, lb, remote):
    low, high = mean(row, LOSS, lg, lb), mean(row, WIN, wg, wb)
    cash, mine, mine_slope = _doubled(row, 0, wg, wb, lg, lb, remote)
    theirs, opponent, opponent_slope = _doubled(row, 1, wg, wb, lg, lb, remote)
    take = 1.0 - theirs
    return low, take, row[LOSS], cash, row[WIN], high, opponent, opponent_slope, mine, mine_slope


@njit(inline="always")
def _hat(p, owner, value, window):
    """Value when the turn comes round: whoever has the cube doubles if that is right."""
    loss, win = window[2], window[4]
    if owner >= 0:
        value = max(value, min(window[8] - window[9] * (1.0 - p), win))
    if owner <= 0:
        value = min(value, max(window[6] + window[7] * p, loss))
    return value


@njit(allocates=False)
def window_value(p, owner, window, at_take, at_cash, kind, density, nodes, values):
    """Value at p of one window. at_take, at_cash: volatility there, of this cube level.

    nodes, values: scratch float64[8].
    """
    low, take, loss, cash, win, high, opponent, opponent_slope, mine, mine_slope = window
    dead = high - low
    has_take, has_cash = corners(owner, low, take, loss, cash, win, high)
    if not (has_take or has_cash):
        return low + dead * p

    # Step 1. Values at the live points after one jump, and the line through them.
    # A double that can cost the doubler nothing is made at once: no jump comes in between.
    left, left_value = (take, loss) if has_take else (0.0, low)
    right, right_value = (cash, win) if has_cash else (1.0, high)
    slope = (right_value - left_value) / (right - left)
    if has_take and (low < 0.0 or high < 1.0):
        left_value = _kink(loss, (loss - low) / take, slope, at_take, low + dead * take)
    if has_cash and low != 0.0:
        right_value = _kink(win, slope, (high - win) / (1.0 - cash), at_cash, low + dead * cash)
    slope = (right_value - left_value) / (right - left)

    # Step 2. The line holds between the model's own points, where a pass becomes right after a double.
    first, last = 0.0, 1.0
    if has_take:
        first = min(1.0, max(0.0, (loss - opponent) / opponent_slope))
    if has_cash:
        last = min(1.0, max(first, 1.0 - (mine - win) / mine_slope))
    first_value = left_value + slope * (first - left)
    last_value = left_value + slope * (last - left)
    if kind == LINEAR:
        if has_take and p < first:
            return low + (first_value - low) * p / first
        if has_cash and p > last:
            return last_value + (high - last_value) * (p - last) / (1.0 - last)
        return left_value + slope * (p - left)

    # Step 3. What comes after a jump is straight between these points.
    count = 0
    nodes[0], values[0] = 0.0, low
    if has_take:
        if low < loss < first_value:
            count += 1
            nodes[count], values[count] = first * (loss - low) / (first_value - low), loss
        double = (left_value - slope * left - opponent) / (opponent_slope - slope) if opponent_slope != slope else first
        for node in (first, min(last, max(first, double))):
            if node > nodes[count] + 1e-9:
                count += 1
                nodes[count] = node
                values[count] = _hat(node, owner, left_value + slope * (node - left), window)
    if has_cash:
        double = (left_value - slope * left - mine + mine_slope) / (mine_slope - slope) if mine_slope != slope else last
        for node in (min(last, max(first, double)), last):
            if node > nodes[count] + 1e-9:
                count += 1
                nodes[count] = node
                values[count] = _hat(node, owner, left_value + slope * (node - left), window)
        if last_value < win < high:
            node = last + (1.0 - last) * (win - last_value) / (high - last_value)
            if nodes[count] + 1e-9 < node < 1.0 - 1e-9:
                count += 1
                nodes[count], values[count] = node, win
    if nodes[count] < 1.0 - 1e-9:
        count += 1
        nodes[count], values[count] = 1.0, high
    values[0] = low
    values[count] = high

    # Step 4. Mean over the jump: the value itself and what every kink adds. Kinks at 0 and 1 keep the ends in place.
    split = 0.5 * (first + last)
    result, at_zero, at_one = 0.0, 0.0, 0.0
    before = (values[1] - values[0]) / nodes[1]
    if p <= nodes[1]:
        result = values[0] + before * p
    for k in range(1, count):
        after = (values[k + 1] - values[k]) / (nodes[k + 1] - nodes[k])
        if nodes[k] < p <= nodes[k + 1]:
            result += values[k] + after * (p - nodes[k])
        turn = after - before
        volatility = at_cash if has_cash and (not has_take or nodes[k] > split) else at_take
        result += turn * overshoot(p - nodes[k], volatility, density)
        at_zero += turn * overshoot(nodes[k], volatility, density)
        at_one += turn * overshoot(1.0 - nodes[k], volatility, density)
        before = after
    zero = at_take if has_take else at_cash
    one = at_cash if has_cash else at_take
    a, b = overshoot(0.0, zero, density), overshoot(1.0, one, density)
    c, d = overshoot(1.0, zero, density), overshoot(0.0, one, density)
    determinant = a * d - b * c
    if determinant <= 0.0:
        return result
    left_turn = (b * at_one - d * at_zero) / determinant
    right_turn = (c * at_zero - a * at_one) / determinant
    return result + left_turn * overshoot(p, zero, density) + right_turn * overshoot(1.0 - p, one, density)


@njit(allocates=False)
def state_value(row, p, wg, wb, lg, lb, local, remote, kind, density, exact, nodes, values):
    """Value of one position at one prepared state.

    wg, wb, lg, lb, exact: as in `kernel.state_value`. local, remote: jump volatility here, and after the game turned.
    The local one holds for the side that is near its doubling point: wholly in the outer thirds of the window between
    the live points, in between the two are mixed.
    """
    owner = row[OWNER]
    known = exact[0] == exact[0]
    if row[KIND] == DEAD or known or row[LEVELS] < 0.0:
        x = 0.6 if known else 0.0
        return janowski_value(row, p, wg, wb, lg, lb, x, x, exact)
    if row[KIND] == MONEY:
        window = _money_window(row, wg, wb, lg, lb, remote)
    else:
        window = _match_window(row, wg, wb, lg, lb, remote)
    take, cash = window[1], window[3]
    share = (p - take) / (cash - take) if cash > take else 0.5
    share = min(1.0, max(0.0, 3.0 * share - 1.0))
    at_cash = remote + share * (local - remote)
    at_take = local + share * (remote - local)
    return window_value(p, owner, window, at_take, at_cash, kind, density, nodes, values)


@entry()
def _curve(
    points: Float64s,
    row: Float64s,
    shares: Float64s,
    at_take: float,
    at_cash: float,
    remote: float,
    kind: int,
    density: int,
    nodes: Float64s,
    heights: Float64s,
    values: Float64s,
) -> None:
    wg, wb, lg, lb = shares[0], shares[1], shares[2], shares[3]
    if row[KIND] == MONEY:
        window = _money_window(row, wg, wb, lg, lb, remote)
    else:
        window = _match_window(row, wg, wb, lg, lb, remote)
    for i in range(len(points)):
        values[i] = window_value(points[i], row[OWNER], window, at_take, at_cash, kind, density, nodes, heights)


def curve(
    points: NDArray[np.float64],
    row: NDArray[np.float64],
    shares: Sequence[float],
    volatilities: tuple[float, float, float],
    model: tuple[int, int],
) -> NDArray[np.float64]:
    """Values float64[N] at winning chances float64[N] of one state, with both volatilities of its level given.

    shares: wg, wb, lg, lb as in `state_value`; volatilities: at the take point, at the cash point, remote; model: kind
    and density.
    """
    values = np.empty(len(points))
    _curve(points, row, np.array(shares, dtype=np.float64), *volatilities, *model, *scratch(), values)
    return values


def scratch() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Room for the nodes of a window and their values."""
    return np.empty(_MOST_NODES), np.empty(_MOST_NODES)


@entry()
def fill(
    probabilities: Float64s2,
    volatilities: Float64s2,
    rows: Float64s2,
    columns: Int32s2,
    groups: Int32s,
    exact: Float64s2,
    kind: int,
    density: int,
    nodes: Float64s,
    heights: Float64s,
    values: Float64s2,
) -> None:
    """Kernel of `jump.cubeful`; writes `values`."""
    for i in range(len(probabilities)):
        p, wg, wb, lg, lb = gammon_shares(probabilities[i])
        group = groups[i] if len(groups) else 0
        known = exact[min(i, len(exact) - 1)]
        local, remote = volatilities[i, 0], volatilities[i, 1]
        for k in range(columns.shape[1]):
            column = columns[group, k]
            if column < 0:
                values[i, k] = np.nan
            else:
                values[i, k] = state_value(
                    rows[column], p, wg, wb, lg, lb, local, remote, kind, density, known, nodes, heights
                )
