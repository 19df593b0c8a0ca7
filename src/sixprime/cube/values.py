"""What chances and cubes are worth, with whose it is and in which unit.

`Equity` is one value; the functions are its array forms, over outcomes `[N, 5]` (see `game.outcomes`) and values
`[N]`. Nobody else turns a sign or adds up chances. SettingsError is raised for what is no cube state or table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixprime.checks import FINITE, Fields, Instance, Whole, array, refuse
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.state import CUBE_STATE, CubeState
from sixprime.errors import SettingsError
from sixprime.frozen import frozen
from sixprime.game.state import STATE, MatchState

F = TypeVar("F", np.float32, np.float64)

MONEY_WEIGHTS = frozen(np.array([2.0, 1.0, 1.0, -1.0, -1.0]))
"""Of the outcomes in cubeless money equity, to which -1 is added."""


class Unit(StrEnum):
    """What a value is counted in."""

    EQUITY = "equity"  # normalised to the cube: -1 loses its value, +1 wins it (EMG in match play)
    MWC = "mwc"  # chance of winning the match, 0 to 1
    POINTS = "points"  # money, the cube counted


_SIDE = Whole(0, 1)
_EQUITY = Fields(value=FINITE, side=_SIDE, unit=Instance(Unit, "a Unit"))
_NEARLY = 1e-6
"""So much chances may be off as single precision has them."""
FIVE_CHANCES = "five chances from 0 to 1, of gammons no more than of the wins or losses, of backgammons than of gammons"


@dataclass(frozen=True, slots=True)
class Equity:
    """A value of a player. side: which, 0 or 1. Raises SettingsError for what is no number, side or unit."""

    value: float
    side: int
    unit: Unit = Unit.EQUITY

    def __post_init__(self) -> None:
        _EQUITY(self)

    def for_side(self, side: int) -> Equity:
        """The same for that player."""
        _SIDE("side", side)
        return self if side == self.side else Equity(opposite(self.value, self.unit), side, self.unit)

    def as_mwc(self, state: MatchState, met: MatchEquityTable | None = None) -> Equity:
        """As match-winning chance at the cube and score of `state`; a double not yet answered does not count.

        met: player 0's table, None for the default one. Raises SettingsError in money play.
        """
        STATE("state", state)
        if self.unit is Unit.MWC:
            return self
        chance = to_mwc(self.for_side(0).value, _of_player_0(state), met)
        return Equity(float(chance), 0, Unit.MWC).for_side(self.side)

    def as_points(self, state: MatchState) -> Equity:
        """As money, at the cube of `state`. Raises SettingsError for a match-winning chance."""
        STATE("state", state)
        if self.unit is Unit.MWC:
            raise SettingsError("a match-winning chance is worth no points.")
        return self if self.unit is Unit.POINTS else Equity(self.value * state.cube, self.side, Unit.POINTS)

    def as_equity(self, state: MatchState, met: MatchEquityTable | None = None) -> Equity:
        """Normalised to the cube of `state`. Raises SettingsError for a match-winning chance in money play."""
        STATE("state", state)
        if self.unit is Unit.EQUITY:
            return self
        if self.unit is Unit.POINTS:
            return Equity(self.value / state.cube, self.side)
        equity = to_equity(self.for_side(0).value, _of_player_0(state), met)
        return Equity(float(equity), 0).for_side(self.side)

    def at_stake(self, state: MatchState, met: MatchEquityTable | None = None) -> Equity:
        """What the players play for: match-winning chance in a match, points for money. Raises SettingsError."""
        STATE("state", state)
        return self.as_points(state) if state.money else self.as_mwc(state, met)


def _of_player_0(state: MatchState) -> CubeState:
    """The cube of a match as player 0 sees it: whose chances are asked for, they add up to 1."""
    if state.money:
        raise SettingsError("a match-winning chance needs a match; this is money play.")
    cube = CubeState.from_match(state)
    return cube if state.on_roll == 0 else cube.swapped()


def worth(state: MatchState, met: MatchEquityTable | None = None) -> float:
    """What 1 of equity is in what the players play for: a match-winning chance, or points for money. The same for both.

    met: player 0's table, None for the default one. Raises SettingsError for what is no match state.
    """
    STATE("state", state)
    return float(state.cube if state.money else mwc_error(1.0, _of_player_0(state), met))


def opposite(values: Any, unit: Unit = Unit.EQUITY) -> Any:
    """Values, a number or an array, as the other player has them."""
    return 1.0 - values if unit is Unit.MWC else -values


def swapped(outcomes: NDArray[F]) -> NDArray[F]:
    """Outcomes `[..., 5]` as the other player has them."""
    found = outcomes[..., [0, 3, 4, 1, 2]]
    found[..., 0] = 1.0 - found[..., 0]
    return found


def swapped_change(change: NDArray[F]) -> NDArray[F]:
    """A difference of outcomes `[..., 5]` as the other player has it."""
    found = change[..., [0, 3, 4, 1, 2]]
    found[..., 0] = -found[..., 0]
    return found


def money_equity(outcomes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cubeless money equities `[...]` of outcomes `[..., 5]`, gammons counted."""
    return np.asarray(outcomes @ MONEY_WEIGHTS - 1.0)


def _reckoned(value: Any) -> Any:
    """A number or an array as it is, an array of a list of numbers; NaN stands for what is not known, and stays. Raises
    SettingsError."""
    if isinstance(value, float):
        return value
    try:
        if type(value) is int:
            float(value)
            return value
        found = np.asarray(value)
        if found.dtype.kind == "O" and all(isinstance(one, Real) and not isinstance(one, bool) for one in found.flat):
            return found.astype(np.float64)
        # An empty list has no numbers of another kind either.
        if found.dtype.kind in "fiu" or not found.size:
            return value if isinstance(value, (np.ndarray, np.generic)) else found.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    refuse("value", "a number or an array of numbers", value)


def _unlike(state: CubeState, met: MatchEquityTable | None) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """`CubeState.outcomes` where these tell a won game from a lost one: equities are shares of that difference. Some
    tables do not at lopsided scores. Raises SettingsError."""
    won, lost = state.outcomes(met)
    if not won[0] > lost[0]:
        name, score = met.name if met else "the default table", " ".join(f"{away}-away" for away in state.away)
        raise SettingsError(
            f"by {name} a game at {score} with the cube at {state.cube} is worth nothing: "
            f"its winner has a match-winning chance of {won[0]:.7g}, its loser of {lost[0]:.7g}. Use another table."
        )
    return won, lost


def to_equity(value: Any, state: CubeState, met: MatchEquityTable | None = None) -> Any:
    """Equity normalised to the cube (EMG) of a match-winning chance, scalar or array; money unchanged.

    Linear, -1 being the loss and +1 the win of the cube's value. met: None is the default table. Raises SettingsError
    where a game is worth nothing by the table.
    """
    CUBE_STATE("state", state)
    value = _reckoned(value)
    if state.money:
        return value
    won, lost = _unlike(state, met)
    return (2 * value - won[0] - lost[0]) / (won[0] - lost[0])


def to_mwc(equity: Any, state: CubeState, met: MatchEquityTable | None = None) -> Any:
    """Match-winning chance of a normalised equity, scalar or array; money unchanged. Inverse of `to_equity`."""
    CUBE_STATE("state", state)
    equity = _reckoned(equity)
    if state.money:
        return equity
    won, lost = state.outcomes(met)
    return (equity * (won[0] - lost[0]) + won[0] + lost[0]) / 2


def to_equities(
    values: NDArray[np.float64], groups: NDArray[np.int32], cubes: Sequence[CubeState], met: MatchEquityTable
) -> NDArray[np.float64]:
    """`to_equity` of values `[N]`, each at the state of its group."""
    if all(cube.money for cube in cubes):
        return values
    won, lost = _ends([None if cube.money else _unlike(cube, met) for cube in cubes])[:, groups]
    return np.where(np.isnan(won), values, (2 * values - won - lost) / (won - lost))


def to_chances(
    equities: NDArray[np.float64], groups: NDArray[np.int32], cubes: Sequence[CubeState], met: MatchEquityTable
) -> NDArray[np.float64]:
    """`to_mwc` of normalised equities `[N]`, each at the state of its group; NaN in money play."""
    won, lost = _ends([None if cube.money else cube.outcomes(met) for cube in cubes])[:, groups]
    return np.asarray((equities * (won - lost) + won + lost) / 2)


def _ends(outcomes: Sequence[tuple[tuple[float, ...], tuple[float, ...]] | None]) -> NDArray[np.float64]:
    """Match-winning chances `[2, G]` after winning and after losing the cube's value, NaN in money play."""
    return np.array([(np.nan, np.nan) if each is None else (each[0][0], each[1][0]) for each in outcomes]).T


def equity_error(error: Any, state: CubeState, met: MatchEquityTable | None = None) -> Any:
    """Standard error (or any difference) in normalised equity of one in match-winning chance."""
    CUBE_STATE("state", state)
    error = _reckoned(error)
    if state.money:
        return error
    won, lost = _unlike(state, met)
    return error * 2 / (won[0] - lost[0])


def mwc_error(error: Any, state: CubeState, met: MatchEquityTable | None = None) -> Any:
    """Standard error (or any difference) in match-winning chance of one in normalised equity."""
    CUBE_STATE("state", state)
    error = _reckoned(error)
    if state.money:
        return error
    won, lost = state.outcomes(met)
    return error * (won[0] - lost[0]) / 2


def utility_weights(state: CubeState, met: MatchEquityTable | None = None) -> tuple[NDArray[np.float64], float]:
    """Weights float64[5] and constant of the cubeless equity: weights . probabilities + constant.

    Money: 2, 1, 1, -1, -1 and -1, without gammons under the Jacoby rule while the cube is centred. Match: the
    cubeless match-winning chance, normalised (EMG); the gammon weights are the gammon prices. Raises SettingsError
    where a game is worth nothing by the table.
    """
    CUBE_STATE("state", state)
    if state.money:
        gammons = 1.0 if state.gammons_count else 0.0
        return np.array([2.0, gammons, gammons, -gammons, -gammons]), -1.0
    won, lost = _unlike(state, met)
    steps = [won[0] - lost[0], won[1] - won[0], won[2] - won[1], lost[1] - lost[0], lost[2] - lost[1]]
    return np.array(steps) * 2 / (won[0] - lost[0]), -1.0


def mean_of(results: Sequence[float], gammon: float, backgammon: float) -> float:
    """The mean of what a single game, a gammon and a backgammon bring, by the shares of the latter two; cumulative."""
    single, twice, thrice = results
    return single + gammon * (twice - single) + backgammon * (thrice - twice)


def cubeless(probabilities: ArrayLike, state: CubeState, met: MatchEquityTable | None = None) -> NDArray[np.float64]:
    """Cubeless equities [N] of probabilities [N, 5] at a state, normalised (EMG in match play)."""
    weights, constant = utility_weights(state, met)
    # Those of rollouts may be a little out of range.
    return array("probabilities", probabilities, np.float64, ..., 5) @ weights + constant


def chances(probabilities: ArrayLike, *shape: int | None) -> NDArray[np.float64]:
    """Chances float64[*shape, 5], as `checks.array` has shapes. Raises SettingsError for what are none."""
    found = array("probabilities", probabilities, np.float64, *shape, 5)
    win, gammon, _, lost_gammon, _ = np.moveaxis(found, -1, 0)
    most = np.stack([np.ones_like(win), win, gammon, 1 - win, lost_gammon], axis=-1)
    if not ((found >= -_NEARLY) & (found <= most + _NEARLY)).all():
        refuse("probabilities", FIVE_CHANCES, probabilities)
    return found
