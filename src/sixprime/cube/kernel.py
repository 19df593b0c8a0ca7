# mypy: allow-untyped-defs, allow-untyped-calls
"""The compiled part of the cube: values of positions at prepared states, and the choice to double.

A prepared state is a row float64[WIDTH], laid out as below. A triple (a, b, c) in it makes the mean
a + b g + c k of the results with a share g of gammons and k of backgammons among the wins (both cumulative).
Values are of the player on roll: normalised money equity or match-winning chance.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sixprime.kernels._block import Float64s, Float64s2, Int32s, Int32s2
from sixprime.kernels._jit import entry, njit

KIND = 0  # one of the three below
OWNER = 1
GAMMONS = 2  # money: whether gammons count
LEVELS = 3  # match: doublings after which the cube is still alive; money: turns it has beyond the next, -1 for none
WIN = 4  # match: mean chance after winning, losing with the cube
LOSS = 7
LAST = 10  # match, last level: mean after winning, losing a doubled cube; mine, then the opponent's double
CHAIN = 22  # match, below: per level single win and loss, then mean after winning, losing twice the cube
STEP = 8
LIFT = CHAIN + STEP * 8  # match: what is added to the efficiency of the side on roll, of the other
IDLE = LIFT + 2  # match: whether a cube that only hurts is not turned
FREE = IDLE + 1  # match: free and reach of `eager`, of the side on roll, of the other; 0 where a double costs
WIDTH = FREE + 4

TERMS = 8
"""Of each class in a table of efficiencies `float64[6 * TERMS]`: the constant; what is added for the winning chance,
for the gammons in a won game and in a lost one, for a pip of the side on roll and of the other; the least and the
most."""

MONEY, DEAD, MATCH = 0.0, 1.0, 2.0


LEAST_GAIN = 5e-4
"""Less than this between a dead and a live cube, in equity or match-winning chance, says nothing of efficiency."""
ENDLESS = 3
"""Turns of the cube beyond the next that count as any number: more move the live points for money by some .002."""
UNKNOWN = np.full((1, 4), np.nan)
"""Stands for exact equities where there are none."""


@njit(allocates=False)
def gammon_shares(outcome):
    """Winning chance p of outcomes [5], and gammons and backgammons per win and per loss, 0 where there is none."""
    p = np.float64(outcome[0])
    q = 1.0 - p
    wg = wb = lg = lb = 0.0
    if p > 0.0:
        wg, wb = outcome[1] / p, outcome[2] / p
    if q > 0.0:
        lg, lb = outcome[3] / q, outcome[4] / q
    return p, wg, wb, lg, lb


@njit(allocates=False)
def efficiency(table, code, p, wg, lg, mine, theirs):
    """Efficiency by a table, see `TERMS`. p: winning chance; wg, lg: gammons per win and per loss; mine, theirs: pip
    counts."""
    at = TERMS * code
    x = table[at] + table[at + 1] * p + table[at + 2] * wg + table[at + 3] * lg
    x += table[at + 4] * mine + table[at + 5] * theirs
    return min(table[at + 7], max(table[at + 6], x))


@njit(inline="always")
def mean(row, at, gammons, backgammons):
    return row[at] + row[at + 1] * gammons + row[at + 2] * backgammons


@njit(allocates=False)
def cash_point(row: Any, side: int, wg: float, wb: float, lg: float, lb: float) -> Any:
    """Live cash point of side 0 (on roll) or 1 at the lowest level, as that side's winning chance.

    wg, wb: shares of gammons and backgammons among the wins of the player on roll; lg, lb: his losses.
    """
    levels = int(row[LEVELS])
    # The side to double alternates from level to level.
    doubler = (side + levels) & 1
    at = LAST + 6 * doubler
    won = mean(row, at, wg, wb)
    lost = mean(row, at + 3, lg, lb)
    if levels == 0:
        single = row[WIN] if doubler == 0 else row[LOSS]
    else:
        # At the last level a single win is worth the cube of the level below, doubled.
        before = CHAIN + STEP * (levels - 1)
        single = row[before + 2] if doubler == 0 else row[before + 5]
    point = (single - lost) / (won - lost)
    if doubler == 1:
        point = 1.0 - point
    for level in range(levels - 1, -1, -1):
        doubler ^= 1
        at = CHAIN + STEP * level
        won, lost = mean(row, at + 2, wg, wb), mean(row, at + 5, lg, lb)
        if doubler == 0:
            point = 1.0 - point * (row[at] - won) / (row[at + 5] - won)
            dead = (row[at] - lost) / (won - lost)
        else:
            point = 1.0 - point * (row[at + 1] - lost) / (row[at + 2] - lost)
            dead = (won - row[at + 1]) / (won - lost)
        if row[IDLE] != 0.0:
            # Who takes makes the best of his cube: to redouble, or to leave it alone.
            point = max(point, dead)
    return point


@njit(inline="always")
def corners(owner, low, take, loss, cash, win, high):
    """Which corners of the live curve (0, low), (take, loss), (cash, win), (1, high) are there: that of the opponent's
    double, that of one's own. Chances and match-winning chances of the player on roll; owner: +1 he, -1 the other, 0
    centred. A corner beyond the line without it stands for a double that hurts the doubler: he leaves the cube alone.
    """
    has_take = owner <= 0 and 1e-9 < take < 1.0 - 1e-9
    has_cash = owner >= 0 and 1e-9 < cash < 1.0 - 1e-9
    if has_take and has_cash and cash - take < 1e-9:
        has_take = has_cash = False
    dead = high - low
    beyond_cash = has_cash and win <= (
        high - (high - loss) * (1.0 - cash) / (1.0 - take) if has_take else low + dead * cash
    )
    beyond_take = has_take and loss >= (low + (win - low) * take / cash if has_cash else low + dead * take)
    has_cash = has_cash and not beyond_cash and (not beyond_take or win > low + dead * cash)
    has_take = has_take and not beyond_take and (not beyond_cash or loss < low + dead * take)
    return has_take, has_cash


@njit(inline="always")
def interpolate(p, owner, low, take, take_value, cash, cash_value, high):
    """Live value at p between the nodes (0, low), (take, ...), (cash, ...), (1, high)."""
    if owner <= 0 and p < take:
        return low + (take_value - low) * p / take
    if owner >= 0 and p > cash:
        return cash_value + (high - cash_value) * (p - cash) / (1.0 - cash)
    left, left_value = (take, take_value) if owner <= 0 else (0.0, low)
    right, right_value = (cash, cash_value) if owner >= 0 else (1.0, high)
    if right <= left:
        return right_value
    return left_value + (right_value - left_value) * (p - left) / (right - left)


@njit(inline="always")
def apart(p, owner, low, take, take_value, cash, cash_value, high, mine, theirs):
    """Value between dead and live cube for different efficiencies of the side on roll and of the other.

    Each corner of the live curve belongs to the side that doubles there, and keeps that side's share of its
    distance from the dead line. The rest as for `interpolate`.
    """
    at_take, at_cash = low + (high - low) * take, low + (high - low) * cash
    take_value = at_take + theirs * (take_value - at_take)
    cash_value = at_cash + mine * (cash_value - at_cash)
    return interpolate(p, owner, low, take, take_value, cash, cash_value, high)


@njit(inline="always")
def money_points(win, loss, levels):
    """Live take and cash point for money. win, loss: mean points of a won and of a lost game; levels: turns that the
    cube has beyond the next."""
    if levels >= ENDLESS:
        scale = 1.0 / (win + loss + 0.5)
        return (loss - 0.5) * scale, (loss + 1.0) * scale
    # The last turn leaves a dead cube; who takes one before it has a line from his loss to his own cash point.
    take, cash = (loss - 0.5) / (win + loss), (loss + 0.5) / (win + loss)
    for _ in range(levels):
        take, cash = (loss - 0.5) / (loss + 1.0) * cash, 1.0 - (win - 0.5) / (win + 1.0) * (1.0 - take)
    return take, cash


@njit(inline="always")
def money_nodes(gammons, win, loss, levels):
    """Nodes of the live money equity: value at p = 0, take point, cash point, value at p = 1.

    win, loss, levels: as for `money_points`; gammons: whether they count.
    """
    take, cash = money_points(win, loss, levels)
    if gammons == 0.0:
        win = loss = 1.0
    return -loss, take, cash, win


@njit(inline="always")
def eager(x, short, free, reach):
    """Efficiency of who doubles for nothing as soon as he is on roll: x + free (1 - x) + short / reach, at most 1.

    x: as if it cost something. short: what he lacks to his cash point, in winning chance; beyond it nothing counts.
    What is not realised is lost by rolls that jump the cash point; there are the fewer the farther off it is. Fitted by
    `benchmarks/cube_choices.py free`.
    """
    if reach == 0.0:
        return x
    return min(1.0, x + free * (1.0 - x) + max(0.0, short) / reach)


@njit(allocates=False)
def state_value(row, p, wg, wb, lg, lb, x, theirs, exact):
    """Value of one position at one prepared state.

    p: winning chance; wg, wb: gammons and backgammons per win, lg, lb: per loss (0 where there is none).
    x, theirs: cube efficiencies of the side on roll and of the other, before the lift.
    exact: float64[4], as in `model.cubeful`.
    """
    owner = row[OWNER]
    kind = row[KIND]
    known = exact[0] == exact[0]
    if kind == MONEY:
        levels = int(row[LEVELS])
        efficient = x != 0.0 or theirs != 0.0
        if known:
            return exact[2 - int(owner)] if levels >= 0 and efficient else exact[0]
        gammons = row[GAMMONS]
        win, loss = 1.0 + wg + wb, 1.0 + lg + lb
        dead = p * (1.0 + gammons * (wg + wb)) - (1.0 - p) * (1.0 + gammons * (lg + lb))
        if not efficient or levels < 0:
            return dead
        low, take, cash, high = money_nodes(gammons, win, loss, levels)
        if x != theirs:
            return apart(p, owner, low, take, -1.0, cash, 1.0, high, x, theirs)
        return dead + x * (interpolate(p, owner, low, take, -1.0, cash, 1.0, high) - dead)

    x = min(1.0, max(0.0, x + row[LIFT]))
    theirs = min(1.0, max(0.0, theirs + row[LIFT + 1]))
    efficient = x != 0.0 or theirs != 0.0
    high = mean(row, WIN, wg, wb)
    low = mean(row, LOSS, lg, lb)
    dead = low + (high - low) * p
    if kind == DEAD or not efficient:
        return dead
    if known:
        # The efficiency that reproduces the exact money equity.
        bottom, take, cash, top = money_nodes(1.0, 1.0 + wg + wb, 1.0 + lg + lb, ENDLESS)
        gain = interpolate(p, owner, bottom, take, -1.0, cash, 1.0, top) - exact[0]
        most = max(x, theirs)
        x = most if abs(gain) < 1e-4 else min(most, max(0.0, (exact[2 - int(owner)] - exact[0]) / gain))
        theirs = x
    take = 1.0 - cash_point(row, 1, wg, wb, lg, lb) if owner <= 0 else 0.0
    cash = cash_point(row, 0, wg, wb, lg, lb) if owner >= 0 else 1.0
    if row[IDLE] != 0.0:
        has_take, has_cash = corners(owner, low, take, row[LOSS], cash, row[WIN], high)
        if not (has_take or has_cash):
            return dead
        owner = np.float64(has_cash) - np.float64(has_take)
    x = eager(x, cash - p, row[FREE], row[FREE + 1])
    theirs = eager(theirs, p - take, row[FREE + 2], row[FREE + 3])
    if x != theirs:
        return apart(p, owner, low, take, row[LOSS], cash, row[WIN], high, x, theirs)
    return dead + x * (interpolate(p, owner, low, take, row[LOSS], cash, row[WIN], high) - dead)


@entry()
def live_cash_point(row: Float64s, shares: Float64s, point: Float64s) -> None:
    """Live cash point of the player on roll into `point[0]`. shares: its wg, wb, lg, lb."""
    wg, wb, lg, lb = shares[0], shares[1], shares[2], shares[3]
    if row[KIND] == MONEY:
        point[0] = money_points(1.0 + wg + wb, 1.0 + lg + lb, int(row[LEVELS]))[1]
    else:
        point[0] = cash_point(row, 0, wg, wb, lg, lb)


@entry()
def fill(
    probabilities: Float64s2,
    efficiencies: Float64s2,
    rows: Float64s2,
    columns: Int32s2,
    groups: Int32s,
    exact: Float64s2,
    values: Float64s2,
) -> None:
    """Kernel of `model.cubeful_columns`; writes `values`. exact: `[N, 4]`, or one row of NaN."""
    for i in range(len(probabilities)):
        p, wg, wb, lg, lb = gammon_shares(probabilities[i])
        group = groups[i] if len(groups) else 0
        known = exact[min(i, len(exact) - 1)]
        for k in range(columns.shape[1]):
            column = columns[group, k]
            if column < 0:
                values[i, k] = np.nan
            else:
                values[i, k] = state_value(
                    rows[column], p, wg, wb, lg, lb, efficiencies[i, 0], efficiencies[i, 1], known
                )


@entry()
def choose(
    values: Float64s2,
    groups: Int32s,
    keep: Int32s2,
    double: Int32s2,
    pass_value: Float64s2,
    stake: Float64s2,
    chosen: Float64s2,
) -> None:
    """Kernel of `tree.Level.choose`; writes `chosen`."""
    for i in range(len(values)):
        g = groups[i] if len(groups) else 0
        for q in range(keep.shape[1]):
            if keep[g, q] < 0:
                chosen[i, q] = np.nan
                continue
            value = values[i, keep[g, q]]
            if double[g, q] >= 0:
                take = stake[g, q] * values[i, double[g, q]]
                drop = pass_value[g, q]
                if take >= value and drop >= value:
                    value = min(take, drop)
            chosen[i, q] = value
