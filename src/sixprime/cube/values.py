"""What chances and cubes are worth, with whose it is and in which unit.

`Equity` is one value; the functions are its array forms, over outcomes `[N, 5]` (see `game.outcomes`) and values
`[N]`. Nobody else turns a sign or adds up chances.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime.cube.janowski import to_equity, to_mwc
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.state import CubeState
from sixprime.errors import SettingsError
from sixprime.game.state import MatchState

MONEY_WEIGHTS = np.array([2.0, 1.0, 1.0, -1.0, -1.0])
"""Of the outcomes in cubeless money equity, to which -1 is added."""
MONEY_WEIGHTS.flags.writeable = False


class Unit(StrEnum):
    """What a value is counted in."""

    EQUITY = "equity"  # normalised to the cube: -1 loses its value, +1 wins it (EMG in match play)
    MWC = "mwc"  # chance of winning the match, 0 to 1
    POINTS = "points"  # money, the cube counted


@dataclass(frozen=True, slots=True)
class Equity:
    """A value of a player. side: which, 0 or 1."""

    value: float
    side: int
    unit: Unit = Unit.EQUITY

    def for_side(self, side: int) -> Equity:
        """The same for that player."""
        return self if side == self.side else Equity(opposite(self.value, self.unit), side, self.unit)

    def as_mwc(self, state: MatchState, met: MatchEquityTable | None = None) -> Equity:
        """As match-winning chance at the cube and score of `state`; a double not yet answered does not count.

        met: player 0's table, None for the default one. Raises SettingsError in money play.
        """
        if self.unit is Unit.MWC:
            return self
        if state.money:
            raise SettingsError("a match-winning chance needs a match; this is money play.")
        return Equity(float(to_mwc(self.value, self._cube(state), met)), self.side, Unit.MWC)

    def as_points(self, state: MatchState) -> Equity:
        """As money, at the cube of `state`. Raises SettingsError for a match-winning chance."""
        if self.unit is Unit.MWC:
            raise SettingsError("a match-winning chance is worth no points.")
        return self if self.unit is Unit.POINTS else Equity(self.value * state.cube, self.side, Unit.POINTS)

    def as_equity(self, state: MatchState, met: MatchEquityTable | None = None) -> Equity:
        """Normalised to the cube of `state`."""
        if self.unit is Unit.EQUITY:
            return self
        value = self.value / state.cube
        if self.unit is Unit.MWC:
            value = float(to_equity(self.value, self._cube(state), met))
        return Equity(value, self.side)

    def at_stake(self, state: MatchState, met: MatchEquityTable | None = None) -> Equity:
        """What the players play for: match-winning chance in a match, points for money."""
        return self.as_points(state) if state.money else self.as_mwc(state, met)

    def _cube(self, state: MatchState) -> CubeState:
        cube = CubeState.from_match(state)
        return cube if state.on_roll == self.side else cube.swapped()


def opposite(values: Any, unit: Unit = Unit.EQUITY) -> Any:
    """Values, a number or an array, as the other player has them."""
    return 1.0 - values if unit is Unit.MWC else -values


def swapped(outcomes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Outcomes `[..., 5]` as the other player has them."""
    found = outcomes[..., [0, 3, 4, 1, 2]]
    found[..., 0] = 1.0 - found[..., 0]
    return found


def money_equity(outcomes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cubeless money equities `[...]` of outcomes `[..., 5]`, gammons counted."""
    return np.asarray(outcomes @ MONEY_WEIGHTS - 1.0)
