"""Cube efficiencies fitted to rollouts: by the chances and the length of the game, and by what a double costs.

Values are those of Janowski's formula, with an efficiency for the side on roll and one for the other. Two things decide
how much of a live cube is realised:

- How far a roll moves the game, and to what. Long games go in small steps, who wins many gammons goes past his cash
  point, and who stands well is soon there: so each efficiency is linear in the winning chance, in the shares of gammons
  among the wins and among the losses and in both pip counts (`Line`).
- What a double costs, which only match scores change: `cost_share` is what the doubler's losses are raised by, over
  what his wins and losses are raised by; 1/2 for money. Who has less to lose doubles earlier, so that fewer markets are
  lost. Who has nothing to lose doubles as soon as he is on roll: his opponent sees a live cube.

A double that would hurt the doubler, as gammons win the match already, is not made (`kernel.corners`).
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixprime.checks import Fields, Instance, Real
from sixprime.cube import kernel
from sixprime.cube.janowski import ByEfficiency
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.model import CONTACT, RACE, register
from sixprime.cube.rows import prepared
from sixprime.cube.state import CubeState
from sixprime.frozen import frozen

CRASHED, ONE_SIDED, TWO_SIDED = 4, 2, 1
"""Class codes."""
_USUAL = 0.7
"""The efficiency that costs least if it is the same everywhere."""


_TERM, _X = Real(-1e3, 1e3), Real(0, 1)
_LINE = Fields(
    constant=_TERM, chance=_TERM, gammons=_TERM, lost_gammons=_TERM, pips=_TERM, their_pips=_TERM, least=_X, most=_X
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """A cube efficiency linear in what is known of a position, from `least` to `most`.

    chance: times the winning chance of the side on roll; gammons, lost_gammons: times the share of gammons, backgammons
    included, among its wins and its losses; pips, their_pips: times its pip count and the other side's. Raises
    SettingsError.
    """

    constant: float
    chance: float = 0.0
    gammons: float = 0.0
    lost_gammons: float = 0.0
    pips: float = 0.0
    their_pips: float = 0.0
    least: float = 0.2
    most: float = 1.0

    def __post_init__(self) -> None:
        _LINE(self)

    def nearer(self, x: float, share: float) -> Line:
        """This efficiency with so great a share of its distance from x taken off."""
        constant, *slopes, least, most = ((1 - share) * term for term in self.terms)
        return Line(*(constant + share * x, *slopes, least + share * x, most + share * x))

    @property
    def terms(self) -> tuple[float, ...]:
        """As `kernel.TERMS` has them."""
        return astuple(self)


_EFFICIENCY = Fields(
    contact=Instance(Line), race=Instance(Line), one_sided=_X, lift=_TERM, free=_X, reach=Real(0, 1e3)
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Efficiency:
    """Efficiencies of one side by class of position. lift: what a cost share that is lower by 1 adds; free, reach:
    instead of that where a double costs nothing, see `kernel.eager`; a reach of 0 stands for nothing. Raises
    SettingsError."""

    contact: Line
    race: Line
    one_sided: float
    lift: float
    free: float
    reach: float

    def __post_init__(self) -> None:
        _EFFICIENCY(self)

    @property
    def table(self) -> NDArray[np.float64]:
        """float64[6 * TERMS], see `kernel.TERMS`."""
        table = np.zeros((6, kernel.TERMS))
        for code, x in ((TWO_SIDED, 0.6), (ONE_SIDED, self.one_sided)):
            table[code] = Line(x, least=x, most=x).terms
        table[RACE], table[CRASHED], table[CONTACT] = self.race.terms, self.contact.terms, self.contact.terms
        return table.ravel()

    def calmer(self) -> Efficiency:
        """Contact and races nearer to `_USUAL`; bear-offs and what a score adds stay."""
        return replace(self, contact=self.contact.nearer(_USUAL, 0.25), race=self.race.nearer(_USUAL, 0.5))

    def at(self, share: float | None) -> tuple[float, float, float]:
        """What is added to the efficiency, free and reach, at a state with that `cost_share`."""
        if share is None:
            return 0.0, 0.0, 0.0
        return (0.0, self.free, self.reach) if share < kernel.LEAST_GAIN else (self.lift * (0.5 - share), 0.0, 0.0)


_SIDES = Fields(mine=Instance(Efficiency), theirs=Instance(Efficiency))


@dataclass(frozen=True, slots=True)
class Fitted(ByEfficiency):
    """Efficiencies of the side on roll, who has just not doubled, and of the other, who may next."""

    mine: Efficiency
    theirs: Efficiency

    def __post_init__(self) -> None:
        _SIDES(self)

    _kind = "fitted"

    def _numbers(self) -> tuple[float, ...]:
        return ()

    def leaves(self, plies: int) -> Fitted:
        return self if plies < 2 else _calmer(self)

    def parameters(
        self, outcomes: ArrayLike, codes: ArrayLike, pips: ArrayLike, local: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        chances, counts = np.asarray(outcomes, dtype=np.float64), np.asarray(pips)
        won, lost = chances[:, 0], 1 - chances[:, 0]
        known = np.ones((len(chances), kernel.TERMS - 2))
        known[:, 1] = won
        known[:, 2] = np.divide(chances[:, 1], won, out=np.zeros_like(won), where=won > 0)
        known[:, 3] = np.divide(chances[:, 3], lost, out=np.zeros_like(won), where=lost > 0)
        known[:, 4:] = counts
        terms = self.plain.reshape(2, 6, kernel.TERMS)[:, np.asarray(codes)]
        x = np.clip((terms[:, :, :-2] * known).sum(axis=2), terms[:, :, -2], terms[:, :, -1])
        return np.asarray(x.T)

    def row(self, state: CubeState, met: MatchEquityTable) -> NDArray[np.float64]:
        return _row(self, state, met)

    @property
    def plain(self) -> NDArray[np.float64]:
        return _tables(self)


@lru_cache(maxsize=64)
def _calmer(model: Fitted) -> Fitted:
    return Fitted(model.mine.calmer(), model.theirs.calmer())


@lru_cache(maxsize=64)
def _tables(model: Fitted) -> NDArray[np.float64]:
    return frozen(np.stack([model.mine.table, model.theirs.table]))


@lru_cache(maxsize=65536)
def _row(model: Fitted, state: CubeState, met: MatchEquityTable) -> NDArray[np.float64]:
    row = prepared(state, met).copy()
    if not state.money:
        for side, (own, seen) in enumerate(((model.mine, state), (model.theirs, state.swapped()))):
            lift, *free = own.at(cost_share(seen, met))
            row[kernel.LIFT + side], row[kernel.FREE + 2 * side : kernel.FREE + 2 * side + 2] = lift, free
        row[kernel.IDLE] = 1
    return frozen(row)


def cost_share(state: CubeState, met: MatchEquityTable) -> float | None:
    """How much of what a double of the side on roll changes is at his cost, in match-winning chance and for single
    games: 0 to 1, 1/2 for money; None where he may not double."""
    if not state.can_double:
        return None
    if state.money:
        return 0.5
    (won, *_), (lost, *_) = state.outcomes(met)
    (won_twice, *_), (lost_twice, *_) = state.outcomes(met, 2 * state.cube)
    cost, gain = lost - lost_twice, won_twice - won
    return cost / (cost + gain) if cost + gain > 0 else None


DEFAULT = Fitted(
    Efficiency(
        Line(0.231, 0.271, -0.824, 0.259, 0.00253, 0.00149),
        Line(0.600, 0, 0, 0, -0.0054, 0.0068),
        one_sided=0.6, lift=0.3, free=0.4, reach=1.6,
    ),
    Efficiency(
        Line(0.645, -0.438, 0.072, -0.709, 0.00056, 0.00311),
        Line(0.635, 0, 0, 0, 0.0084, -0.0077),
        one_sided=0.6, lift=0.3, free=0.5, reach=0.7,
    ),
)  # fmt: skip
"""What is used unless another model is asked for."""

register({"fitted": DEFAULT}, {})
