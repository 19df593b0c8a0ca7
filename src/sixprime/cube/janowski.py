"""Cubeful values of positions from outcome probabilities, in batches (Janowski's interpolation).

Value = (1 - x) dead + x live, x being the cube efficiency. Dead is the cubeless value. Live is piecewise
linear in the winning chance p: at p = 0 the average loss, at the opponent's cash point a single loss, at
one's own cash point a single win, at p = 1 the average win; who cannot double has no cash point.
Sources: R. Janowski, "Take-Points in Money Games" (1993); for matches GNU Backgammon's chapter on cubeful
equities: the same in match-winning chances, with cash points by recursion over the cube's levels.

Values are of the player on roll: money equity normalised to the state's cube, or match-winning chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixprime.cube.met import MatchEquityTable, load
from sixprime.cube.state import CubeState
from sixprime.kernels._jit import njit

# Layout of a prepared state: float64[_WIDTH]. A triple (a, b, c) makes a mean a + b g + c k of the results
# with a share g of gammons and k of backgammons among the wins.
_KIND = 0  # one of the three below
_OWNER = 1
_GAMMONS = 2  # money: whether gammons count
_LEVELS = 3  # match: doublings after which the cube is still alive; money: -1 when it cannot be turned
_WIN = 4  # match: mean chance after winning, losing with the cube
_LOSS = 7
_LAST = 10  # match, last level: mean after winning, losing a doubled cube; mine, then the opponent's double
_CHAIN = 22  # match, below: per level single win and loss, then mean after winning, losing twice the cube
_STEP = 8
_WIDTH = _CHAIN + _STEP * 8

_MONEY, _DEAD, _MATCH = 0.0, 1.0, 2.0

_EFFICIENCY = np.array([0.0, 0.6, 0.6, np.nan, 0.68, 0.68])
_RACE = 3


@dataclass(frozen=True, slots=True, eq=False)
class StateTable:
    """Cube states made ready for the kernels: `rows` float64[S, width] belongs to `states`."""

    states: tuple[CubeState, ...]
    met: MatchEquityTable
    rows: NDArray[np.float64]


def efficiency(classes: ArrayLike, pips: ArrayLike) -> NDArray[np.float64]:
    """Cube efficiencies of positions.

    classes: int[N], 0 game over, 1 two-sided and 2 one-sided bear-off, 3 race, 4 crashed, 5 contact.
    pips: int[N], pip count of the player on roll (used for races). Returns float64[N].
    """
    codes = np.asarray(classes)
    race = np.clip(0.55 + 0.00125 * np.asarray(pips), 0.6, 0.7)
    return np.where(codes == _RACE, race, _EFFICIENCY[codes])


def prepare(states: Sequence[CubeState], met: MatchEquityTable | None = None) -> StateTable:
    """Makes states ready. met: with the player on roll as player 0; None is the default table."""
    met = met or load()
    rows = np.array([_row(state, met) for state in states]) if states else np.empty((0, _WIDTH))
    return StateTable(tuple(states), met, rows)


def cubeful(
    probabilities: ArrayLike,
    efficiencies: ArrayLike,
    states: StateTable | Sequence[CubeState],
    met: MatchEquityTable | None = None,
    *,
    exact: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Values of N positions, each at S cube states: float64[N, S].

    probabilities: [N, 5], cumulative; efficiencies: [N]. exact: float64[N, 4] exact money equities
    (cubeless; cube owned, centred, with the opponent) where known, NaN rows elsewhere: they replace the money
    values and set the efficiency in match play.
    """
    table = states if isinstance(states, StateTable) else prepare(states, met)
    columns = np.arange(len(table.states), dtype=np.int32)[None, :]
    return cubeful_columns(probabilities, efficiencies, table, columns, None, exact=exact)


def cubeful_columns(
    probabilities: ArrayLike,
    efficiencies: ArrayLike,
    table: StateTable,
    columns: NDArray[np.int32],
    groups: NDArray[np.int32] | None,
    *,
    exact: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Values of N positions, each at the K states that its group asks for: float64[N, K].

    columns: int32[G, K], rows of `table`, -1 leaves a hole (NaN). groups: int32[N], None is group 0 for all.
    The rest as for `cubeful`.
    """
    p = np.ascontiguousarray(probabilities)
    x = np.ascontiguousarray(efficiencies, dtype=np.float64)
    if exact is None:
        exact = np.empty((0, 4))
    if groups is None:
        groups = np.empty(0, dtype=np.int32)
    values = np.empty((len(p), columns.shape[1]))
    _fill(p, x, table.rows, columns, groups, exact, values)
    return values


@lru_cache(maxsize=65536)
def _row(state: CubeState, met: MatchEquityTable) -> NDArray[np.float64]:
    """One prepared state; see the layout above."""
    row = np.zeros(_WIDTH)
    row[_OWNER] = state.owner
    if state.money:
        row[_KIND] = _MONEY
        row[_GAMMONS] = state.gammons_count
        row[_LEVELS] = -1 if state.at_limit else 0
        return row

    # Step 1. The dead cube; all that counts when the cube decides the match for both or may not be turned, and
    # at 2-away 2-away, where either side doubles at once.
    mine, theirs = state.away
    cube = state.cube
    row[_KIND] = _MATCH
    row[_WIN : _WIN + 3], row[_LOSS : _LOSS + 3] = _means(state, met, cube)
    if (cube >= mine and cube >= theirs) or state.at_limit or (state.away == (2, 2) and cube == 1):
        row[_KIND] = _DEAD
        return row

    # Step 2. Levels at which a doubled cube still leaves both needing more.
    levels, last = 0, cube
    while mine > 2 * last and theirs > 2 * last:
        last *= 2
        levels += 1
    row[_LEVELS] = levels

    # Step 3. The last level. The opponent redoubles at once when the doubled cube wins the match only for the
    # doubler.
    for offset, doubler, taker in ((0, mine, theirs), (6, theirs, mine)):
        double = 4 * last if taker > 2 * last >= doubler else 2 * last
        won, lost = _means(state, met, double)
        row[_LAST + offset : _LAST + offset + 6] = *won, *lost

    # Step 4. The levels below.
    for level in range(levels):
        value = cube << level
        single_win, single_loss = (chances[0] for chances in state.outcomes(met, value))
        won, lost = _means(state, met, 2 * value)
        start = _CHAIN + _STEP * level
        row[start : start + _STEP] = single_win, single_loss, *won, *lost
    return row


def _means(state: CubeState, met: MatchEquityTable, cube: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Triples for the mean match-winning chance after winning and after losing with `cube`."""
    won, lost = state.outcomes(met, cube)
    return np.diff(won, prepend=0.0), np.diff(lost, prepend=0.0)


@njit(inline="always")
def _mean(row, at, gammons, backgammons):  # type: ignore[no-untyped-def]
    return row[at] + row[at + 1] * gammons + row[at + 2] * backgammons


@njit
def _cash_point(row, side, wg, wb, lg, lb):  # type: ignore[no-untyped-def]
    """Live cash point of side 0 (on roll) or 1 at the lowest level, as that side's winning chance.

    wg, wb: shares of gammons and backgammons among the wins of the player on roll; lg, lb: his losses.
    """
    levels = int(row[_LEVELS])
    # The side to double alternates from level to level.
    doubler = (side + levels) & 1
    at = _LAST + 6 * doubler
    won = _mean(row, at, wg, wb)
    lost = _mean(row, at + 3, lg, lb)
    if levels == 0:
        single = row[_WIN] if doubler == 0 else row[_LOSS]
    else:
        # At the last level a single win is worth the cube of the level below, doubled.
        before = _CHAIN + _STEP * (levels - 1)
        single = row[before + 2] if doubler == 0 else row[before + 5]
    point = (single - lost) / (won - lost)
    if doubler == 1:
        point = 1.0 - point
    for level in range(levels - 1, -1, -1):
        doubler ^= 1
        at = _CHAIN + _STEP * level
        if doubler == 0:
            won = _mean(row, at + 2, wg, wb)
            point = 1.0 - point * (row[at] - won) / (row[at + 5] - won)
        else:
            lost = _mean(row, at + 5, lg, lb)
            point = 1.0 - point * (row[at + 1] - lost) / (row[at + 2] - lost)
    return point


@njit(inline="always")
def _interpolate(p, owner, low, take, take_value, cash, cash_value, high):  # type: ignore[no-untyped-def]
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
def _money_live(p, owner, gammons, win, loss):  # type: ignore[no-untyped-def]
    """Live money equity; win, loss: mean points of a won and of a lost game; gammons: whether they count."""
    scale = 1.0 / (win + loss + 0.5)
    take, cash = (loss - 0.5) * scale, (loss + 1.0) * scale
    if gammons == 0.0:
        win = loss = 1.0
    return _interpolate(p, owner, -loss, take, -1.0, cash, 1.0, win)


@njit
def state_value(row, p, wg, wb, lg, lb, x, exact):  # type: ignore[no-untyped-def]
    """Value of one position at one prepared state.

    p: winning chance; wg, wb: gammons and backgammons per win, lg, lb: per loss (0 where there is none).
    exact: float64[4] or empty, as in `cubeful`.
    """
    owner = row[_OWNER]
    kind = row[_KIND]
    known = len(exact) == 4 and exact[0] == exact[0]
    if kind == _MONEY:
        if known:
            return exact[2 - int(owner)] if row[_LEVELS] >= 0.0 else exact[0]
        gammons = row[_GAMMONS]
        win, loss = 1.0 + wg + wb, 1.0 + lg + lb
        dead = p * (1.0 + gammons * (wg + wb)) - (1.0 - p) * (1.0 + gammons * (lg + lb))
        if x == 0.0 or row[_LEVELS] < 0.0:
            return dead
        return dead + x * (_money_live(p, owner, gammons, win, loss) - dead)

    high = _mean(row, _WIN, wg, wb)
    low = _mean(row, _LOSS, lg, lb)
    dead = low + (high - low) * p
    if kind == _DEAD or x == 0.0:
        return dead
    if known:
        # The efficiency that reproduces the exact money equity.
        live = _money_live(p, owner, 1.0, 1.0 + wg + wb, 1.0 + lg + lb)
        gain = live - exact[0]
        x = 0.6 if abs(gain) < 1e-4 else min(0.6, max(0.0, (exact[2 - int(owner)] - exact[0]) / gain))
    take = 1.0 - _cash_point(row, 1, wg, wb, lg, lb) if owner <= 0 else 0.0
    cash = _cash_point(row, 0, wg, wb, lg, lb) if owner >= 0 else 1.0
    return dead + x * (_interpolate(p, owner, low, take, row[_LOSS], cash, row[_WIN], high) - dead)


@njit
def _fill(probabilities, efficiencies, rows, columns, groups, exact, values):  # type: ignore[no-untyped-def]
    """Kernel of `cubeful_columns`; writes `values`."""
    none = np.empty(0)
    for i in range(len(probabilities)):
        p = np.float64(probabilities[i, 0])
        q = 1.0 - p
        wg = wb = lg = lb = 0.0
        if p > 0.0:
            wg, wb = probabilities[i, 1] / p, probabilities[i, 2] / p
        if q > 0.0:
            lg, lb = probabilities[i, 3] / q, probabilities[i, 4] / q
        group = groups[i] if len(groups) else 0
        known = exact[i] if len(exact) else none
        for k in range(columns.shape[1]):
            column = columns[group, k]
            if column < 0:
                values[i, k] = np.nan
            else:
                values[i, k] = state_value(rows[column], p, wg, wb, lg, lb, efficiencies[i], known)


def to_equity(value: Any, state: CubeState, met: MatchEquityTable | None = None) -> Any:
    """Equity normalised to the cube (EMG) of a match-winning chance, scalar or array; money unchanged.

    Linear, -1 being the loss and +1 the win of the cube's value. met: with the player on roll as player 0.
    """
    if state.money:
        return value
    won, lost = state.outcomes(met or load())
    return (2 * value - won[0] - lost[0]) / (won[0] - lost[0])


def to_mwc(equity: Any, state: CubeState, met: MatchEquityTable | None = None) -> Any:
    """Match-winning chance of a normalised equity, scalar or array; money unchanged. Inverse of `to_equity`."""
    if state.money:
        return equity
    won, lost = state.outcomes(met or load())
    return (equity * (won[0] - lost[0]) + won[0] + lost[0]) / 2


def equity_error(error: Any, state: CubeState, met: MatchEquityTable | None = None) -> Any:
    """Standard error (or any difference) in normalised equity of one in match-winning chance."""
    if state.money:
        return error
    won, lost = state.outcomes(met or load())
    return error * 2 / (won[0] - lost[0])


def mwc_error(error: Any, state: CubeState, met: MatchEquityTable | None = None) -> Any:
    """Standard error (or any difference) in match-winning chance of one in normalised equity."""
    if state.money:
        return error
    won, lost = state.outcomes(met or load())
    return error * (won[0] - lost[0]) / 2


def utility_weights(state: CubeState, met: MatchEquityTable | None = None) -> tuple[NDArray[np.float64], float]:
    """Weights float64[5] and constant of the cubeless equity: weights . probabilities + constant.

    Money: 2, 1, 1, -1, -1 and -1, without gammons under the Jacoby rule while the cube is centred. Match: the
    cubeless match-winning chance, normalised (EMG); the gammon weights are the gammon prices.
    """
    if state.money:
        gammons = 1.0 if state.gammons_count else 0.0
        return np.array([2.0, gammons, gammons, -gammons, -gammons]), -1.0
    won, lost = state.outcomes(met or load())
    steps = [won[0] - lost[0], won[1] - won[0], won[2] - won[1], lost[1] - lost[0], lost[2] - lost[1]]
    return np.array(steps) * 2 / (won[0] - lost[0]), -1.0


def cubeless(probabilities: ArrayLike, state: CubeState, met: MatchEquityTable | None = None) -> NDArray[np.float64]:
    """Cubeless equities [N] of probabilities [N, 5] at a state, normalised (EMG in match play)."""
    weights, constant = utility_weights(state, met)
    return np.asarray(probabilities) @ weights + constant
