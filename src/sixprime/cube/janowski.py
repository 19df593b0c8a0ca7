"""Cubeful values of positions from outcome probabilities, in batches (Janowski's interpolation).

Value = (1 - x) dead + x live, x being the cube efficiency. Dead is the cubeless value. Live is piecewise
linear in the winning chance p: at p = 0 the average loss, at the opponent's cash point a single loss, at
one's own cash point a single win, at p = 1 the average win; who cannot double has no cash point.
Sources: R. Janowski, "Take-Points in Money Games" (1993); for matches GNU Backgammon's chapter on cubeful
equities: the same in match-winning chances, with cash points by recursion over the cube's levels.

Values are of the player on roll: money equity normalised to the state's cube, or match-winning chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixprime.checks import Fields, Instance, Maybe, Real, Several, refuse
from sixprime.cube import kernel
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.model import RACE, CubeModel, register
from sixprime.cube.rows import prepared
from sixprime.cube.state import CubeState
from sixprime.cube.values import chances
from sixprime.frozen import frozen

_X = Real(0, 1)
_FIELDS = Fields(two_sided=_X, one_sided=_X, crashed=_X, contact=_X, race=Several(Real(-1e3, 1e3), 4))


@dataclass(frozen=True, slots=True)
class Efficiencies:
    """Cube efficiencies by position class, 0 to 1.

    two_sided: the most that is backed out of exact money equities, and what stands in for them where these do
    not tell. race: start and slope by pips of the side on roll, least and most. Raises SettingsError.
    """

    two_sided: float = 0.6
    one_sided: float = 0.6
    crashed: float = 0.68
    contact: float = 0.68
    race: tuple[float, float, float, float] = (0.55, 0.00125, 0.6, 0.7)

    def of(self, codes: ArrayLike, pips: ArrayLike) -> NDArray[np.float64]:
        """Efficiencies float64[N] of positions.

        codes: int[N], 0 game over, 1 two-sided and 2 one-sided bear-off, 3 race, 4 crashed, 5 contact.
        pips: int[N], pip count of the player on roll (used for races).
        """
        classes = np.asarray(codes)
        table = np.array([0.0, self.two_sided, self.one_sided, np.nan, self.crashed, self.contact])
        start, slope, least, most = self.race
        return np.where(classes == RACE, np.clip(start + slope * np.asarray(pips), least, most), table[classes])

    @property
    def table(self) -> NDArray[np.float64]:
        """As kernels take them: float64[6 * TERMS], see `cube.kernel`."""
        table = np.zeros((6, kernel.TERMS))
        start, slope, table[RACE, 6], table[RACE, 7] = self.race
        table[:, 0] = 0.0, self.two_sided, self.one_sided, start, self.crashed, self.contact
        table[RACE, 4] = slope
        others = np.arange(6) != RACE
        table[others, 6:] = table[others, :1]
        return table.ravel()

    def __post_init__(self) -> None:
        _FIELDS(self)
        if len(self.race) != 4:
            refuse("race", "four numbers: start, slope, least and most", self.race)
        for place in (2, 3):
            _X(f"race[{place}]", self.race[place])

    @classmethod
    def constant(cls, x: float) -> Efficiencies:
        """The same for every class. Raises SettingsError."""
        _X("a cube efficiency", x)
        return cls(x, x, x, x, (x, 0.0, x, x))


_EFFICIENCIES = Instance(Efficiencies)
_JANOWSKI = Fields(efficiencies=_EFFICIENCIES, shallow=Maybe(_EFFICIENCIES))
_REFINED = Fields(mine=_EFFICIENCIES, theirs=_EFFICIENCIES)
_GNUBG = Efficiencies()
_SHALLOW = Efficiencies(crashed=0.76, contact=0.76, race=(0.6, 0.0025, 0.6, 0.8))


@lru_cache(maxsize=64)
def tables(*sides: Efficiencies) -> NDArray[np.float64]:
    """Of the side on roll and of the other float64[2, 6 * TERMS], read-only."""
    return frozen(np.stack([side.table for side in sides]))


class ByEfficiency(CubeModel):
    """What values by cube efficiencies have in common. At 2-away 2-away, where either side doubles at once, they follow
    GNU Backgammon and leave the cube at 1."""

    def row(self, state: CubeState, met: MatchEquityTable) -> NDArray[np.float64]:
        return prepared(state, met, never_turned(state))

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
        kernel.fill(outcomes, parameters, rows, columns, groups, exact, values)


@dataclass(frozen=True, slots=True)
class Janowski(ByEfficiency):
    """One efficiency for both sides, by class: 0 is the dead cube, never turned again, 1 the live cube, always turned
    at exactly the right moment.

    shallow: efficiencies instead in 0- and 1-ply evaluations, None for no such difference. Raises SettingsError.
    """

    efficiencies: Efficiencies = _GNUBG
    shallow: Efficiencies | None = None

    def __post_init__(self) -> None:
        _JANOWSKI(self)

    _kind = "janowski"

    def _numbers(self) -> tuple[float, ...]:
        return (self.efficiencies.contact,)

    def at(self, plies: int) -> CubeModel:
        return self if self.shallow is None else Janowski(self.shallow if plies <= 1 else self.efficiencies)

    def parameters(
        self, outcomes: ArrayLike, codes: ArrayLike, pips: ArrayLike, local: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        x = self.efficiencies.of(codes, np.asarray(pips)[:, 0])
        return np.stack([x, x], axis=1)

    @property
    def plain(self) -> NDArray[np.float64]:
        return tables(self.efficiencies, self.efficiencies)


@dataclass(frozen=True, slots=True)
class Refined(ByEfficiency):
    """Efficiencies of the side that decides (on roll at the root of an evaluation), and others of the other side.

    Raises SettingsError.
    """

    mine: Efficiencies
    theirs: Efficiencies

    def __post_init__(self) -> None:
        _REFINED(self)

    _kind = "refined"

    def _numbers(self) -> tuple[float, ...]:
        return self.mine.contact, self.theirs.contact

    def swapped(self) -> CubeModel:
        return Refined(self.theirs, self.mine)

    def parameters(
        self, outcomes: ArrayLike, codes: ArrayLike, pips: ArrayLike, local: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        own = np.asarray(pips)[:, 0]
        return np.stack([self.mine.of(codes, own), self.theirs.of(codes, own)], axis=1)

    @property
    def plain(self) -> NDArray[np.float64]:
        return tables(self.mine, self.theirs)


@dataclass(frozen=True, slots=True)
class Implied(ByEfficiency):
    """The efficiencies that a jump volatility stands for, by the chances of each position. Raises SettingsError for a
    volatility out of range."""

    volatility: float

    _kind = "implied"

    def __post_init__(self) -> None:
        check_volatility(self.volatility)

    def _numbers(self) -> tuple[float, ...]:
        return (self.volatility,)

    def parameters(
        self, outcomes: ArrayLike, codes: ArrayLike, pips: ArrayLike, local: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        return implied_efficiencies(outcomes, self.volatility)


def check_volatility(volatility: float) -> None:
    """Raises SettingsError for one out of range."""
    _X("a jump volatility", volatility)


def implied_efficiencies(probabilities: ArrayLike, volatility: float) -> NDArray[np.float64]:
    """Cube efficiencies float64[N, 2] of both sides that a constant jump volatility stands for, 0 to 1.

    Source: M. Higgins, "Cube Handling In Backgammon Money Games Under a Jump Model" (2012), section 3:
    x1 = 1 - a (W + L + 1/2)^2 / (2 (L + 1) (W - 1/2)), x2 the same with W and L exchanged. Raises SettingsError.
    """
    check_volatility(volatility)
    win, loss = mean_points(chances(probabilities, None))
    scale = volatility * (win + loss + 0.5) ** 2 / 2
    mine = 1 - scale / ((loss + 1) * (win - 0.5))
    theirs = 1 - scale / ((win + 1) * (loss - 0.5))
    return np.clip(np.stack([mine, theirs], axis=1), 0.0, 1.0)


def mean_points(probabilities: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """W and L: mean points of won and of lost games, float64[N] each (1 where there are none)."""
    p = probabilities[:, 0]
    q = 1.0 - p
    win = np.divide(probabilities[:, 1] + probabilities[:, 2], p, out=np.zeros_like(p), where=p > 0)
    loss = np.divide(probabilities[:, 3] + probabilities[:, 4], q, out=np.zeros_like(p), where=q > 0)
    return 1 + win, 1 + loss


def never_turned(state: CubeState) -> bool:
    """Whether Janowski's models take the cube as never turned though it will be at once: at 2-away 2-away."""
    return state.away == (2, 2) and state.cube == 1 and not state.at_limit


_PRESETS = {
    "gnubg-1.07": Janowski(),
    "newer": Janowski(shallow=_SHALLOW),
    "dead": Janowski(Efficiencies.constant(0.0)),
    "live": Janowski(Efficiencies.constant(1.0)),
}
CLASSIC = _PRESETS["gnubg-1.07"]
"""GNU Backgammon's, in whose terms efficiencies are told."""

register(
    _PRESETS,
    {
        "janowski": ("janowski:X", 1, lambda x: Janowski(Efficiencies.constant(x))),
        "refined": ("refined:X1,X2", 2, lambda x, y: Refined(Efficiencies.constant(x), Efficiencies.constant(y))),
        "implied": ("implied:A", 1, Implied),
    },
)
