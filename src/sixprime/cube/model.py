"""Cube models: how much of the cube's full value a position realises.

    CubeModel.named("gnubg-1.07")        # the default
    CubeModel.named("refined:0.7,0.6")   # see `names()`
    CubeModel.named("jump")
    Engine(cube_model="newer")

The seam: an `Engine` hands its model to `tree.expand_groups`, which gives every level of the tree the model as
seen by the side on roll there; `Searcher.static` asks `parameters` for float64[N, 2], whatever the model has to
know of each position; `janowski.cubeful_columns` picks the kernel by `kind` and passes these parameters to it.
A new kind of model adds its name to `KINDS`, its parameters and its kernel, and nothing else.

Kinds: "dead" (the cube is never turned again), "live" (always turned at exactly the right moment), "janowski"
(between the two by one cube efficiency), "refined" (one efficiency for each side), "jump" and "jump-linear" (the
jump model of `jump`, whose parameters are the local and the remote jump volatility).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixprime.checks import TEXT
from sixprime.errors import SettingsError

KINDS = ("dead", "live", "janowski", "refined", "jump", "jump-linear")
RACE, CONTACT = 3, 5
"""Class codes of races, whose efficiency goes with the pip count, and of contact positions."""


@dataclass(frozen=True, slots=True)
class Efficiencies:
    """Cube efficiencies by position class, 0 to 1.

    two_sided: the most that is backed out of exact money equities, and what stands in for them where these do
    not tell. race: start and slope by pips of the side on roll, least and most.
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

    @classmethod
    def constant(cls, x: float) -> Efficiencies:
        """The same for every class."""
        return cls(x, x, x, x, (x, 0.0, x, x))


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

    def of(self, codes: ArrayLike, local: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Local and remote volatilities float64[N, 2] of positions of class codes int[N]; local: where known."""
        remote = np.where(np.asarray(codes) > RACE, self.contact, self.race)
        if local is None:
            local = remote if self.known is None else np.full(len(remote), self.known)
        return np.stack([local, remote], axis=1)


_GNUBG = Efficiencies()
_SHALLOW = Efficiencies(crashed=0.76, contact=0.76, race=(0.6, 0.0025, 0.6, 0.8))


@dataclass(frozen=True, slots=True)
class CubeModel:
    """A way to value the cube; hashable.

    mine, theirs: efficiencies of the side that decides (on roll at the root of an evaluation) and of the other.
    shallow: efficiencies instead of these in 0- and 1-ply evaluations, None for no such difference.
    volatility: of a refined model, the jump volatility whose implied efficiencies are used instead; else None.
    jumps: volatilities of a jump model. Raises SettingsError for an unknown kind or a number out of range.
    """

    kind: str = "janowski"
    mine: Efficiencies = _GNUBG
    theirs: Efficiencies = _GNUBG
    shallow: Efficiencies | None = None
    volatility: float | None = None
    jumps: Volatilities = Volatilities()

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SettingsError(f"cube model must be one of {', '.join(KINDS)}. Got {self.kind!r} instead.")
        for side in (self.mine, self.theirs, self.shallow):
            if side is not None:
                values = (side.two_sided, side.one_sided, side.crashed, side.contact, *side.race[2:])
                if not all(0 <= x <= 1 for x in values):
                    raise SettingsError(f"cube efficiencies must be from 0 to 1. Got {side} instead.")
        for number in (self.jumps.contact, self.jumps.race):
            if not 0 <= number <= 1:
                raise SettingsError(f"a jump volatility must be from 0 to 1. Got {number} instead.")
        if self.volatility is not None and not 0 <= self.volatility <= 1:
            raise SettingsError(f"a jump volatility must be from 0 to 1. Got {self.volatility} instead.")

    @classmethod
    def constant(cls, kind: str, x: float, theirs: float | None = None) -> CubeModel:
        """A model with the same efficiency in every class; `theirs` for the other side, None for `x`."""
        return cls(kind, Efficiencies.constant(x), Efficiencies.constant(x if theirs is None else theirs))

    @classmethod
    def named(cls, name: str) -> CubeModel:
        """The model of a name: "gnubg-1.07", "newer", "dead", "live", "jump", "jump-linear", "jump-local",
        "janowski:X", "refined:X1,X2", "implied:A", "jump:A" or "jump-linear:A".

        X: one efficiency for all classes; X1 of the side that decides, X2 of the other; A: one jump volatility for all
        classes, with "implied" for the efficiencies it stands for. Raises SettingsError for another name or a number
        out of range.
        """
        TEXT("cube_model", name)
        if name in _PRESETS:
            return _PRESETS[name]
        kind, _, rest = name.partition(":")
        try:
            numbers = [float(number) for number in rest.split(",")]
        except ValueError:
            numbers = []
        if kind == "janowski" and len(numbers) == 1:
            return cls.constant("janowski", numbers[0])
        if kind == "refined" and len(numbers) == 2:
            return cls.constant("refined", *numbers)
        if kind == "implied" and len(numbers) == 1:
            return cls("refined", volatility=numbers[0])
        if kind in ("jump", "jump-linear") and len(numbers) == 1:
            return cls(kind, jumps=Volatilities(numbers[0], numbers[0]))
        raise SettingsError(f"unknown cube model {name!r}: choose one of {', '.join(names())}")

    @property
    def name(self) -> str:
        """A name that `named` understands, or the kind where there is none."""
        for name, model in _PRESETS.items():
            if model == self:
                return name
        if self.volatility is not None:
            name = f"implied:{self.volatility:g}"
        elif self.kind in ("jump", "jump-linear"):
            name = f"{self.kind}:{self.jumps.contact:g}"
        elif self.kind == "refined":
            name = f"refined:{self.mine.contact:g},{self.theirs.contact:g}"
        else:
            name = f"{self.kind}:{self.mine.contact:g}"
        return name if CubeModel.named(name) == self else self.kind

    def at(self, plies: int) -> CubeModel:
        """The model as an evaluation of that many plies uses it."""
        if self.jumps.local and plies > 0:
            return replace(self, jumps=replace(self.jumps, local=False))
        if self.shallow is None:
            return self
        if plies > 1:
            return replace(self, shallow=None)
        return replace(self, mine=self.shallow, theirs=self.shallow, shallow=None)

    def swapped(self) -> CubeModel:
        """The model seen by the other side."""
        if self.mine == self.theirs:
            return self
        return replace(self, mine=self.theirs, theirs=self.mine)

    def parameters(
        self,
        probabilities: ArrayLike,
        codes: ArrayLike,
        pips: ArrayLike,
        local: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """What the kernel needs of each position: float64[N, 2].

        Efficiencies of the side on roll and of the other; of a jump model the local and the remote volatility.
        probabilities: [N, 5], cumulative, of the side on roll; codes and pips as for `Efficiencies.of`.
        local: float64[N], local jump volatilities where `jumps.local` asks for them.
        """
        if self.kind in ("jump", "jump-linear"):
            return self.jumps.of(codes, local)
        if self.volatility is not None:
            return implied_efficiencies(probabilities, self.volatility)
        mine = self.mine.of(codes, pips)
        theirs = mine if self.theirs is self.mine else self.theirs.of(codes, pips)
        return np.stack([mine, theirs], axis=1)


def implied_efficiencies(probabilities: ArrayLike, volatility: float) -> NDArray[np.float64]:
    """Cube efficiencies float64[N, 2] of both sides that a constant jump volatility stands for, 0 to 1.

    Source: M. Higgins, "Cube Handling In Backgammon Money Games Under a Jump Model" (2012), section 3:
    x1 = 1 - a (W + L + 1/2)^2 / (2 (L + 1) (W - 1/2)), x2 the same with W and L exchanged.
    """
    p = np.asarray(probabilities, dtype=np.float64)
    win, loss = mean_points(p)
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


_PRESETS = {
    "gnubg-1.07": CubeModel(),
    "newer": CubeModel(shallow=_SHALLOW),
    "dead": CubeModel.constant("dead", 0.0),
    "live": CubeModel.constant("live", 1.0),
    "jump": CubeModel("jump"),
    "jump-linear": CubeModel("jump-linear"),
    "jump-local": CubeModel("jump", jumps=Volatilities(local=True)),
}
DEFAULT = _PRESETS["gnubg-1.07"]
"""What an engine uses unless told otherwise."""


def names() -> tuple[str, ...]:
    """The names `CubeModel.named` knows, the default first; X stands for a number."""
    return (*_PRESETS, "janowski:X", "refined:X1,X2", "implied:A", "jump:A", "jump-linear:A")
