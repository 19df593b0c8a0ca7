"""Cube points: the winning chances at which doubling, taking, cashing and playing on become right.

Everything is for the player on roll, who wins with chance p; gammon and backgammon shares come from
probabilities [5] (cumulative) and are taken as the same at every p. Dead: the cube is not turned again
(except an automatic redouble); live: it is turned exactly at the opponent's take point.
Sources: R. Janowski (1993) for money; match play as in `janowski`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sixprime.cube.janowski import prepare, utility_weights
from sixprime.cube.kernel import DEAD, KIND, cash_point
from sixprime.cube.met import MatchEquityTable, load
from sixprime.cube.state import CubeState


@dataclass(frozen=True, slots=True)
class CubePoints:
    """Winning chances of the player on roll for money.

    take, beaver, raccoon: from these on he takes, beavers, raccoons. initial_double, redouble: from these on
    he doubles. cash: from this on the opponent passes; too_good: from this on he plays on for a gammon.
    """

    take: float
    beaver: float
    raccoon: float
    initial_double: float
    redouble: float
    cash: float
    too_good: float


@dataclass(frozen=True, slots=True)
class MarketWindow:
    """Doubling window in match play: opens at the dead double point, closes at the opponent's pass.

    kind: "dead", "dead, redoubled" (the opponent redoubles at once, which costs him nothing) or "live".
    """

    kind: str
    opens: float
    closes: float


def _shares(probabilities: Sequence[float]) -> tuple[float, float, float, float]:
    """Gammons and backgammons per win and per loss (cumulative)."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = (float(p) for p in probabilities)
    won = (win_gammon / win, win_backgammon / win) if win > 0 else (0.0, 0.0)
    lost = (lose_gammon / (1 - win), lose_backgammon / (1 - win)) if win < 1 else (0.0, 0.0)
    return *won, *lost


def money_points(
    probabilities: Sequence[float], *, jacoby: bool = False, beavers: bool = False
) -> tuple[CubePoints, CubePoints]:
    """Dead-cube and live-cube points for money. jacoby, beavers: the rules, which move the first double."""
    win_gammon, win_backgammon, lose_gammon, lose_backgammon = _shares(probabilities)
    win = 1 + win_gammon + win_backgammon
    loss = 1 + lose_gammon + lose_backgammon
    dead, live = win + loss, win + loss + 0.5
    even = loss / dead
    first = even
    if jacoby and dead > 2:
        first = (loss - 0.25) / (dead - 0.5) if beavers else (loss - 0.5) / (dead - 1)
    cash = (loss + 1) / live
    return (
        CubePoints((loss - 0.5) / dead, even, even, first, even, (loss + 0.5) / dead, (loss + 1) / dead),
        CubePoints((loss - 0.5) / live, loss / live, (loss + 0.5) / live, cash, cash, cash, cash),
    )


def gammon_prices(state: CubeState, met: MatchEquityTable | None = None) -> tuple[float, float]:
    """What a gammon is worth beyond a win, and a backgammon beyond a gammon, to the player on roll.

    In units of the normalised equity, where a win is worth 2 more than a loss: 1 and 1 for money, 0 where
    gammons do not count. met: None is the default table.
    """
    weights, _ = utility_weights(state, met)
    return max(0.0, float(weights[1])), max(0.0, float(weights[2]))


def gammon_values(state: CubeState, met: MatchEquityTable | None = None) -> tuple[float, float]:
    """Value of a gammon and of a backgammon beyond a win in the usual measure: .5 and 1 for money."""
    gammon, backgammon = gammon_prices(state, met)
    return gammon / 2, (gammon + backgammon) / 2


def live_cash_point(probabilities: Sequence[float], state: CubeState, met: MatchEquityTable | None = None) -> float:
    """Winning chance from which the opponent passes a double, with a live cube; ownership does not matter.

    One minus it is the opponent's take point. NaN where the cube cannot be alive: in the Crawford game, when it
    decides the match for both, and at 2-away 2-away. met: None is the default table.
    """
    if state.money:
        return money_points(probabilities)[1].cash
    row = prepare([state], met).rows[0]
    return math.nan if row[KIND] == DEAD else float(cash_point(row, 0, *_shares(probabilities)))


def market_window(
    probabilities: Sequence[float], state: CubeState, met: MatchEquityTable | None = None
) -> tuple[MarketWindow, ...]:
    """Windows of the player on roll at a match score, whoever owns the cube; none where the cube means nothing.

    met: None is the default table. For money use `money_points`.
    """
    met = met or load()
    mine, theirs = state.away
    cube = state.cube
    if state.money or 2 * cube > state.limit or (cube >= mine and cube >= theirs):
        return ()
    shares = _shares(probabilities)
    dead = _dead_window("dead", shares, state, met, 2 * cube)
    if 2 * cube >= mine and 2 * cube < theirs:
        return dead, _dead_window("dead, redoubled", shares, state, met, 4 * cube)
    if mine > 2 * cube and theirs > 2 * cube:
        return dead, MarketWindow("live", dead.opens, live_cash_point(probabilities, state, met))
    return (dead,)


def _dead_window(
    kind: str, shares: tuple[float, float, float, float], state: CubeState, met: MatchEquityTable, double: int
) -> MarketWindow:
    """Window when the game is played out for the cube, against for `double`."""

    def mean(chances: tuple[float, ...], gammon: float, backgammon: float) -> float:
        single, twice, thrice = chances
        return single + gammon * (twice - single) + backgammon * (thrice - twice)

    def line(cube: int) -> tuple[float, float]:
        won, lost = state.outcomes(met, cube)
        return mean(won, *shares[:2]), mean(lost, *shares[2:])

    won, lost = line(state.cube)
    won_double, lost_double = line(double)
    risk, gain = lost - lost_double, won_double - won
    single = state.outcomes(met)[0][0]
    opens = risk / (risk + gain) if risk + gain else 0.0
    return MarketWindow(kind, opens, (single - lost_double) / (won_double - lost_double))
