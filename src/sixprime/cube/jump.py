"""The jump model: between two cube decisions of a player his winning chance jumps, it does not diffuse.

Its one parameter is the *jump volatility*: the mean absolute change of the winning chance from one turn of the player
on roll to his next. The *local* one is that of the position on the board, the *remote* one that to expect once the
game has turned round. No volatility gives the live cube, a large one the dead cube.
Source: M. Higgins, "Cube Handling In Backgammon Money Games Under a Jump Model" (2012); docs/jump.md derives what is
used here, corrects the misprints of the paper and says how match play is added.

`cubeful` values batches of positions; `JumpModel` is the paper's model of one kind of game, with its decision points.
`jump_exact` solves the model's equations without approximation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixprime.checks import FLAG, Fields, Instance, Maybe, OneOf, Real, Whole, array, refuse
from sixprime.cube import jump_kernel as kernel
from sixprime.cube.janowski import check_volatility
from sixprime.cube.kernel import DEAD, KIND, UNKNOWN
from sixprime.cube.met import MET, MatchEquityTable, load
from sixprime.cube.model import RACE, CubeModel, StateTable, prepare, register
from sixprime.cube.rows import prepared
from sixprime.cube.state import CUBE_STATE, CubeState
from sixprime.cube.values import chances, mean_of

Kind = Literal["linear", "nonlinear"]
Density = Literal["double-exponential", "gaussian"]

_NOTHING = 1e-9
"""Points that make no difference."""
_NEARLY = 1e-6
"""So much chances may be off as single precision has them."""
_MOST_VOLATILITY = 1e6
_STAKE, _POINTS, VOLATILITY, OWNER = Real(1, 1e6), Real(1, 3), Real(0, _MOST_VOLATILITY), Whole(-1, 1)
KINDS: dict[str, int] = {"linear": kernel.LINEAR, "nonlinear": kernel.NONLINEAR}
DENSITIES: dict[str, int] = {"double-exponential": kernel.DOUBLE_EXPONENTIAL, "gaussian": kernel.GAUSSIAN}
_KIND_NAME, DENSITY, _NEAR = OneOf(*KINDS), OneOf(*DENSITIES), OneOf("cash", "take", "neither")
_MODEL = Fields(
    win=_POINTS,
    loss=_POINTS,
    remote=VOLATILITY,
    local=Maybe(VOLATILITY),
    kind=_KIND_NAME,
    density=DENSITY,
    state=Maybe(CUBE_STATE),
    met=MET,
)


@dataclass(frozen=True, slots=True)
class Volatilities:
    """Remote jump volatilities by position class, as self-play of the packaged net has them.

    local: whether a 0-ply evaluation finds the local volatility of each position (some milliseconds each). Deeper
    ones see the jumps themselves. known: the local volatility of the position to be judged, where that is known; it
    then holds throughout.
    """

    contact: float = 0.1
    race: float = 0.12
    local: bool = False
    known: float | None = None

    def __post_init__(self) -> None:
        check_volatility(self.contact)
        check_volatility(self.race)
        FLAG("local", self.local)
        if self.known is not None:
            check_volatility(self.known)

    def of(self, codes: ArrayLike, local: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Local and remote volatilities float64[N, 2] of positions of class codes int[N]; local: where known."""
        remote = np.where(np.asarray(codes) > RACE, self.contact, self.race)
        if local is None:
            local = remote if self.known is None else np.full(len(remote), self.known)
        return np.stack([local, remote], axis=1)


_JUMPS = Instance(Volatilities)


@dataclass(frozen=True, slots=True)
class Jump(CubeModel):
    """The jump model as a search uses it. linear: the paper's linear approximation."""

    jumps: Volatilities = Volatilities()
    linear: bool = False

    def __post_init__(self) -> None:
        _JUMPS("jumps", self.jumps)
        FLAG("linear", self.linear)

    @property
    def _kind(self) -> str:
        return "jump-linear" if self.linear else "jump"

    def _numbers(self) -> tuple[float, ...]:
        return (self.jumps.contact,)

    def at(self, plies: int) -> CubeModel:
        return replace(self, jumps=replace(self.jumps, local=False)) if self.jumps.local and plies > 0 else self

    def parameters(
        self, outcomes: ArrayLike, codes: ArrayLike, pips: ArrayLike, local: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        return self.jumps.of(codes, local)

    def row(self, state: CubeState, met: MatchEquityTable) -> NDArray[np.float64]:
        return prepared(state, met)

    def fill(
        self,
        outcomes: NDArray[np.float64],
        parameters: NDArray[np.float64],
        rows: NDArray[np.float64],
        columns: NDArray[np.int32],
        groups: NDArray[np.int32],
        exact: NDArray[np.float64],
        values: NDArray[np.float64],
    ) -> None:
        model = kernel.LINEAR if self.linear else kernel.NONLINEAR, kernel.DOUBLE_EXPONENTIAL
        kernel.fill(outcomes, parameters, rows, columns, groups, exact, *model, *kernel.scratch(), values)

    @property
    def asks_for_volatility(self) -> bool:
        return self.jumps.local

    def knowing(self, volatility: float) -> CubeModel:
        return replace(self, jumps=replace(self.jumps, local=False, known=volatility)) if self.jumps.local else self


register(
    {"jump": Jump(), "jump-linear": Jump(linear=True), "jump-local": Jump(Volatilities(local=True))},
    {
        "jump": ("jump:A", 1, lambda a: Jump(Volatilities(a, a))),
        "jump-linear": ("jump-linear:A", 1, lambda a: Jump(Volatilities(a, a), linear=True)),
    },
)


# -- batches -------------------------------------------------------------------------------------


def cubeful(
    probabilities: ArrayLike,
    volatilities: ArrayLike,
    states: StateTable | Sequence[CubeState],
    met: MatchEquityTable | None = None,
    *,
    kind: Kind = "nonlinear",
    density: Density = "double-exponential",
    exact: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Values of N positions, each at S cube states: float64[N, S].

    Money equity normalised to the cube or match-winning chance of the player on roll, before he may double.
    probabilities: [N, 5], cumulative; volatilities: [N, 2], local and remote. exact, met: as in `model.cubeful`.
    Raises SettingsError for other shapes, and for numbers out of range.
    """
    _KIND_NAME("kind", kind)
    DENSITY("density", density)
    if np.size(probabilities) == 0:
        probabilities, volatilities, exact = np.empty((0, 5)), np.empty((0, 2)), None
    outcomes = chances(probabilities, None)
    volatility = array("volatilities", volatilities, np.float64, len(outcomes), 2)
    if not ((volatility >= 0) & (volatility <= _MOST_VOLATILITY)).all():
        refuse("volatilities", f"numbers from 0 to {_MOST_VOLATILITY:g}", volatilities)
    known = UNKNOWN if exact is None else array("exact", exact, np.float64, len(outcomes), 4)
    table = states if isinstance(states, StateTable) else prepare(states, met, Jump())
    if not isinstance(table.model, Jump):
        table = prepare(table.states, table.met, Jump())
    columns = np.arange(len(table.states), dtype=np.int32)[None, :]
    values = np.empty((len(outcomes), len(table.states)))
    model = KINDS[kind], DENSITIES[density]
    groups = np.empty(0, dtype=np.int32)
    kernel.fill(outcomes, volatility, table.rows, columns, groups, known, *model, *kernel.scratch(), values)
    return values


# -- the paper's closed forms --------------------------------------------------------------------


def take_point(win: float, loss: float, remote: float) -> float:
    """Take point of the linear approximation for money; that of a dead cube where the line would pass it.

    win, loss: mean points of won and lost games, from 1. Raises SettingsError for others, or a negative volatility.
    """
    _check(win, loss, remote)
    slope = win + loss + 0.5
    line, dead = loss + 1 - remote / 4 * slope / (win - 0.5), (loss - 0.5) / (win + loss)
    return min(dead, (loss - 0.5) * (loss + 1) / (slope * line)) if line > 0 else dead


def cash_point(win: float, loss: float, remote: float) -> float:
    """Cash point of the linear approximation for money; that of a dead cube where the line would pass it.

    As `take_point`.
    """
    _check(win, loss, remote)
    return 1.0 - take_point(loss, win, remote)


def _check(win: float, loss: float, volatility: float) -> None:
    _STAKE("win", win)
    _STAKE("loss", loss)
    VOLATILITY("volatility", volatility)


def implied_efficiencies(win: float, loss: float, volatility: float) -> tuple[float, float]:
    """Janowski's two cube life indices x1, x2 that give the take and cash point of the linear approximation.

    They are negative where the line would pass a dead cube's. Raises as `take_point`.
    """
    _check(win, loss, volatility)
    square = (win + loss + 0.5) ** 2
    return (
        1 - volatility * square / (2 * (loss + 1) * (win - 0.5)),
        1 - volatility * square / (2 * (win + 1) * (loss - 0.5)),
    )


# -- one kind of game ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class JumpPoints:
    """Winning chances of the player on roll where decisions change.

    take, cash: where a double by the opponent, by the player, is just taken. redouble, too_good: from where the
    player doubles, plays on, when he owns the cube; initial_double, initial_too_good: when it is centred.
    The opponent's, as chances of the player: up to opponent_redouble she redoubles, up to opponent_too_good she plays
    on, and so on. Ends of the range (0 and 1) stand for "nowhere".
    """

    opponent_too_good: float
    opponent_initial_too_good: float
    take: float
    opponent_redouble: float
    opponent_initial_double: float
    initial_double: float
    redouble: float
    cash: float
    initial_too_good: float
    too_good: float


@dataclass(frozen=True, slots=True)
class JumpModel:
    """The jump model of a game whose wins and losses are worth W and L points on average, for money or at a score.

    win, loss: W and L, at least 1. remote, local: jump volatilities; local None is as remote. The local one holds
    for the side that is near its doubling point. state: score and cube value, whoever owns it; None is money.
    Values are money equities normalised to the cube, or match-winning chances.
    Raises SettingsError for W or L outside 1 to 3 or a bad volatility.
    """

    win: float
    loss: float
    remote: float
    local: float | None = None
    kind: Kind = "nonlinear"
    density: Density = "double-exponential"
    state: CubeState | None = None
    met: MatchEquityTable | None = None

    def __post_init__(self) -> None:
        _MODEL(self)

    @property
    def _local(self) -> float:
        return self.remote if self.local is None else self.local

    def value(
        self, p: ArrayLike, owner: int, *, near: Literal["cash", "take", "neither"] = "cash", doubled: bool = False
    ) -> NDArray[np.float64]:
        """Values at winning chances p while nobody turns the cube now; same shape as p.

        owner: +1 the player on roll, 0 centred, -1 the opponent. near: whose doubling point is near, so that the
        local volatility holds there: the player's cash point, his take point, or neither. doubled: after one more
        turn of the cube (for money in units of the cube before it). Raises SettingsError for what are no chances.
        """
        OWNER("owner", owner)
        _NEAR("near", near)
        base = self.state or CubeState()
        state = replace(base, cube=base.cube * (2 if doubled else 1), owner=owner)
        row = prepared(state, self.met or load())
        chances = _chances(p)
        shares = (min(self.win - 1, 1.0), max(self.win - 2, 0.0), min(self.loss - 1, 1.0), max(self.loss - 2, 0.0))
        if row[KIND] == DEAD or state.at_limit:
            won, lost = state.outcomes(self.met) if not state.money else ((1.0, 2.0, 3.0), (-1.0, -2.0, -3.0))
            high, low = mean_of(won, *shares[:2]), mean_of(lost, *shares[2:])
            values = low + (high - low) * chances
        else:
            at_cash = self._local if near == "cash" else self.remote
            at_take = self._local if near == "take" else self.remote
            model = (KINDS[self.kind], DENSITIES[self.density])
            flat = kernel.curve(np.atleast_1d(chances).ravel(), row, shares, (at_take, at_cash, self.remote), model)
            values = flat.reshape(chances.shape)
        return 2 * values if doubled and state.money else np.asarray(values)

    def points(self) -> JumpPoints:
        """Decision points, to about 1e-12."""
        state = self.state or CubeState()
        win, loss = (1.0, -1.0)
        if not state.money:
            won, lost = state.outcomes(self.met)
            win, loss = won[0], lost[0]

        def mine(owner: int) -> Callable[[float], float]:
            return lambda p: float(self.value(p, owner, near="cash"))

        def theirs(owner: int) -> Callable[[float], float]:
            return lambda p: float(self.value(p, owner, near="take"))

        def given(p: float) -> float:
            return float(self.value(p, -1, near="neither", doubled=True))

        def received(p: float) -> float:
            return float(self.value(p, 1, near="neither", doubled=True))

        cash = crossing(lambda p: given(p) - win, 0, 1)
        take = crossing(lambda p: received(p) - loss, 0, 1)
        return JumpPoints(
            opponent_too_good=crossing(lambda p: theirs(-1)(p) - loss, 0, take),
            opponent_initial_too_good=crossing(lambda p: theirs(0)(p) - loss, 0, take),
            take=take,
            opponent_redouble=crossing(lambda p: received(p) - theirs(-1)(p), take, 1),
            opponent_initial_double=crossing(lambda p: received(p) - theirs(0)(p), take, 1),
            initial_double=crossing(lambda p: given(p) - mine(0)(p), 0, cash),
            redouble=crossing(lambda p: given(p) - mine(1)(p), 0, cash),
            cash=cash,
            # Without gammons a live cube is worth a win from the cash point on, and no more.
            initial_too_good=crossing(lambda p: mine(0)(p) - win - _NOTHING, cash, 1),
            too_good=crossing(lambda p: mine(1)(p) - win - _NOTHING, cash, 1),
        )


def _chances(p: ArrayLike) -> NDArray[np.float64]:
    """Winning chances of any shape; NaN stays. Raises SettingsError for what are none."""
    try:
        found = np.asarray(p, dtype=np.float64)
        sound = not ((found < -_NEARLY) | (found > 1 + _NEARLY)).any()
    except (TypeError, ValueError):
        sound = False
    if not sound:
        refuse("p", "chances from 0 to 1", p)
    return np.clip(found, 0.0, 1.0)


def crossing(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function passes from below to above 0 between low and high; the end nearer to that if it does not."""
    if function(low) >= 0:
        return low
    if function(high) <= 0:
        return high
    for _ in range(60):
        middle = (low + high) / 2
        if function(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
