"""Cube points: the winning chances at which doubling, taking, cashing and playing on become right.

Everything is for the player on roll, who wins with chance p; gammon and backgammon shares come from
probabilities [5] (cumulative) and are taken as the same at every p. Dead: the cube is not turned again
(except an automatic redouble); live: it is turned exactly at the opponent's take point.
`decision_points` finds the points of any cube model at any cube, for money and in matches, on its own values; the
others are closed forms. All raise SettingsError for what are no chances from 0 to 1, no cube state or no table.
Sources: R. Janowski (1993) for money; match play as in `janowski`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sixprime.checks import FLAG, Instance, Pair, Real, Whole, refuse
from sixprime.cube import kernel
from sixprime.cube.kernel import DEAD, KIND
from sixprime.cube.met import MET, MatchEquityTable, load
from sixprime.cube.model import CONTACT, CubeModel, cubeful, prepare
from sixprime.cube.state import CUBE_STATE, CubeState
from sixprime.cube.values import FIVE_CHANCES, chances, mean_of, to_equity, utility_weights
from sixprime.errors import SettingsError
from sixprime.game.outcomes import Outcomes

_EFFICIENCY = Real(0, 1)
_MODEL, _CLASS, _PIPS = Instance(CubeModel, "a CubeModel"), Whole(0, CONTACT), Pair(Whole(0, 1 << 30))
_ROUNDING = 1e-12
"""Equities closer than this are equal."""
_LEAST_GAIN = 1e-9
"""The same for values of a model, which come out of several sums."""


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
class DecisionPoints:
    """Winning chances of the player on roll at which decisions change in a cube model.

    take: from this on he takes a double of the opponent; None where that one cannot double. double: from this on
    he doubles, cash: the opponent passes, too_good: he plays on; None where he cannot double or no chance is
    enough, and 1 for too_good where he wins no more by playing on.
    """

    take: float | None
    double: float | None
    cash: float | None
    too_good: float | None


@dataclass(frozen=True, slots=True)
class MarketWindow:
    """Doubling window in match play: opens at the dead double point, closes at the opponent's pass.

    kind: "dead", "dead, redoubled" (the opponent redoubles at once, which costs him nothing) or "live".
    """

    kind: str
    opens: float
    closes: float


def _chances(probabilities: Sequence[float]) -> Outcomes:
    """Five chances. Raises SettingsError for anything else."""
    try:
        return Outcomes(*chances(probabilities).tolist())
    except SettingsError:
        refuse("probabilities", FIVE_CHANCES, probabilities)


def _shares(probabilities: Sequence[float]) -> tuple[float, float, float, float]:
    """Gammons and backgammons per win and per loss (cumulative)."""
    outcomes = _chances(probabilities)
    return *outcomes.won_shares, *outcomes.lost_shares


def janowski_points(probabilities: Sequence[float], x: float, theirs: float | None = None) -> CubePoints:
    """Janowski's points for money without the Jacoby rule: his general model, or refined with two efficiencies.

    x: cube efficiency of the player on roll, theirs: of the opponent (None: the same). The equity with a centred
    cube is taken as a straight line between the points where either side is too good to redouble; with one
    efficiency that is his 4 / (4 - x) (p (W + L + x/2) - L - x/4).
    """
    theirs = x if theirs is None else theirs
    _EFFICIENCY("x", x)
    _EFFICIENCY("theirs", theirs)
    x, theirs = float(x), float(theirs)
    win, loss = _chances(probabilities).mean_points
    mine, other = win + loss + 0.5 * x, win + loss + 0.5 * theirs
    too_good = (loss + 1) / mine
    # The centred cube: the line through (too_good, 1) and the same point of the opponent; it meets twice the
    # equity of a taken double.
    bottom = (loss - 1 + 0.5 * theirs) / other
    slope = 2 / (too_good - bottom)
    initial = (1 - slope * too_good + 2 * loss + theirs) / (2 * other - slope)
    return CubePoints(
        take=(loss - 0.5) / mine,
        beaver=loss / mine,
        raccoon=(loss + 0.5 * theirs) / other,
        initial_double=initial,
        redouble=(loss + theirs) / (2 * other - mine),
        cash=_cash(win, loss, theirs),
        too_good=too_good,
    )


def _cash(win: float, loss: float, theirs: float) -> float:
    """The `cash` of `janowski_points`."""
    return (loss + 0.5 + 0.5 * theirs) / (win + loss + 0.5 * theirs)


def money_points(
    probabilities: Sequence[float], *, jacoby: bool = False, beavers: bool = False
) -> tuple[CubePoints, CubePoints]:
    """Dead-cube and live-cube points for money. jacoby, beavers: the rules, which move the first double.

    With both rules the first double is GNU Backgammon's, for an opponent who beavers. Where losses cost more than wins
    bring he does not at that chance: the right one is then that without beavers, (L - 1/2) / (W + L - 1).
    """
    FLAG("jacoby", jacoby)
    FLAG("beavers", beavers)
    win, loss = _chances(probabilities).mean_points
    dead = janowski_points(probabilities, 0.0)
    if jacoby and win + loss > 2:
        # The double turns the gammons on.
        first = (loss - 0.25) / (win + loss - 0.5) if beavers else (loss - 0.5) / (win + loss - 1)
        dead = replace(dead, initial_double=first)
    return dead, janowski_points(probabilities, 1.0)


def decision_points(
    probabilities: Sequence[float],
    state: CubeState,
    model: CubeModel,
    met: MatchEquityTable | None = None,
    *,
    position_class: int = CONTACT,
    pips: tuple[int, int] = (100, 100),
) -> DecisionPoints:
    """Points of a cube model at a state, money or match, any cube, on the static values of the model itself.

    model: as the player on roll sees it, for the plies wanted (`CubeModel.at`). met: None is the default table.
    position_class, pips: what efficiencies depend on; pips of the player on roll and of the other.
    """
    CUBE_STATE("state", state)
    _MODEL("model", model)
    _CLASS("position_class", position_class)
    _PIPS("pips", pips)
    mine = _Curves(probabilities, state, model, met, position_class, pips)
    theirs = _Curves(
        _chances(probabilities).swapped(), state.swapped(), model.swapped(), met, position_class, pips[::-1]
    )
    take = theirs.cash() if theirs.state.can_double else None
    if not state.can_double:
        return DecisionPoints(None if take is None else 1 - take, None, None, None)
    return DecisionPoints(None if take is None else 1 - take, mine.double(), mine.cash(), mine.too_good())


class _Curves:
    """Equities by the winning chance, gammon shares held, of a player who may double."""

    def __init__(
        self,
        probabilities: Sequence[float],
        state: CubeState,
        model: CubeModel,
        met: MatchEquityTable | None,
        position_class: int,
        pips: tuple[int, int],
    ) -> None:
        self.state, self.met = state, met
        self._shares = _shares(probabilities)
        self._table = prepare([state, state.doubled()], met, model)
        self._class, self._pips = position_class, pips

    def equities(self, p: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """No double, and double with a take or a beaver, at winning chances [N], normalised to the cube before."""
        wg, wb, lg, lb = self._shares
        rows = np.stack([p, p * wg, p * wb, (1 - p) * lg, (1 - p) * lb], axis=1)
        codes, pips = np.full(len(p), self._class), np.tile(self._pips, (len(p), 1))
        parameters = self._table.model.parameters(rows, codes, pips)
        values = cubeful(rows, parameters, self._table)
        no_double = np.asarray(to_equity(values[:, 0], self.state, self.met))
        taken = 2 * values[:, 1] if self.state.money else np.asarray(to_equity(values[:, 1], self.state, self.met))
        return no_double, np.minimum(taken, 2 * taken) if self.state.beavers else taken

    def cash(self) -> float | None:
        return self._first(lambda keep, take: take - 1)

    def double(self) -> float | None:
        return self._first(lambda keep, take: np.minimum(take, 1) - keep)

    def too_good(self) -> float | None:
        # Where gammons do not pay nothing is worth more than a pass: the live curve only touches it.
        if float(self.equities(np.ones(1))[0][0]) <= 1 + _LEAST_GAIN:
            return 1.0
        return self._first(lambda keep, take: keep - 1)

    def _first(self, gain: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]) -> float | None:
        """The lowest chance at which the gain is not negative, None where there is none."""
        low, high = 0.0, 1.0
        for _ in range(6):
            p = np.linspace(low, high, 257)
            gains = gain(*self.equities(p))
            good = np.flatnonzero(gains >= -_ROUNDING)
            # A peak may just touch zero between the chances looked at, as the live cube's does.
            k = int(good[0]) if len(good) else int(np.argmax(gains))
            if len(good) and k == 0:
                return low
            low, high = float(p[max(k - 1, 0)]), float(p[k] if len(good) else p[min(k + 1, 256)])
        return high if gains[k] >= -_LEAST_GAIN else None


def take_points(
    probabilities: Sequence[float], state: CubeState, met: MatchEquityTable | None = None
) -> tuple[float, float]:
    """Winning chances from which the opponent takes a double of the player on roll: with a dead and a live cube.

    NaN where the cube means nothing. met: None is the default table.
    """
    CUBE_STATE("state", state)
    live = live_cash_point(probabilities, state, met)
    if state.money:
        dead = math.nan if state.at_limit else _cash(*_chances(probabilities).mean_points, 0.0)
    else:
        windows = market_window(probabilities, state, met)
        if not windows:
            return math.nan, math.nan
        dead = [window.closes for window in windows if window.kind != "live"][-1]
    return 1 - dead, 1 - dead if math.isnan(live) else 1 - live


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

    One minus it is the opponent's take point. NaN where the cube cannot be alive: in the Crawford game, at its limit,
    when it decides the match for both, and at 2-away 2-away. met: None is the default table.
    """
    CUBE_STATE("state", state)
    row = prepare([state], met).rows[0]
    if row[KIND] == DEAD or state.at_limit:
        return math.nan
    point = np.empty(1)
    kernel.live_cash_point(row, np.array(_shares(probabilities)), point)
    return float(point[0])


def double_hurts(probabilities: Sequence[float], state: CubeState, met: MatchEquityTable | None = None) -> bool:
    """Whether the player on roll may double, but loses by it even at his live cash point, where the opponent passes.

    There his live corner lies below the line of a dead cube: owning the cube costs in Janowski's models, which keep
    the corner as GNU Backgammon does. met: None is the default table.
    """
    cash = live_cash_point(probabilities, state, met)
    if state.money or not state.can_double or math.isnan(cash):
        return False
    high, low = _ends(_shares(probabilities), state, met)
    return low + (high - low) * cash > state.outcomes(met)[0][0] + _LEAST_GAIN


def market_window(
    probabilities: Sequence[float], state: CubeState, met: MatchEquityTable | None = None
) -> tuple[MarketWindow, ...]:
    """Windows of the player on roll at a match score, whoever owns the cube; none where the cube means nothing.

    met: None is the default table. For money use `money_points`.
    """
    CUBE_STATE("state", state)
    MET("met", met)
    met = met or load()
    mine, theirs = state.away
    cube = state.cube
    if state.money or 2 * cube > state.limit or (cube >= mine and cube >= theirs):
        return ()
    shares = _shares(probabilities)
    dead = _dead_window("dead", shares, state, met, 2 * cube)
    if 4 * cube > state.limit:
        return (dead,)
    if 2 * cube >= mine and 2 * cube < theirs:
        return dead, _dead_window("dead, redoubled", shares, state, met, 4 * cube)
    if mine > 2 * cube and theirs > 2 * cube:
        return dead, MarketWindow("live", dead.opens, live_cash_point(probabilities, state, met))
    return (dead,)


def _dead_window(
    kind: str, shares: tuple[float, float, float, float], state: CubeState, met: MatchEquityTable, double: int
) -> MarketWindow:
    """Window when the game is played out for the cube, against for `double`."""
    won, lost = _ends(shares, state, met)
    won_double, lost_double = _ends(shares, state, met, double)
    risk, gain = lost - lost_double, won_double - won
    single = state.outcomes(met)[0][0]
    opens = risk / (risk + gain) if risk + gain else 0.0
    return MarketWindow(kind, opens, (single - lost_double) / (won_double - lost_double))


def _ends(
    shares: tuple[float, float, float, float], state: CubeState, met: MatchEquityTable | None, cube: int | None = None
) -> tuple[float, float]:
    """Mean match-winning chances after winning and after losing a game for the cube, by default that of the state."""
    won, lost = state.outcomes(met, cube)
    return mean_of(won, *shares[:2]), mean_of(lost, *shares[2:])
