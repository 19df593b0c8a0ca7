"""Cube models: how much of the cube's full value a position realises.

    CubeModel.named("fitted")            # the default
    CubeModel.named("refined:0.7,0.6")   # see `names()`
    CubeModel.named("jump")
    Engine(cube_model="newer")

The seam is the class `CubeModel`: an `Engine` hands its model to `tree.expand_groups`, which gives every level of the
tree the model as seen by the side on roll there, and prepares its states (`row`); `Searcher.static` asks `parameters`
for what the model has to know of each position; `fill` makes values of both. A new kind of model is a module with such
a class, its presets and makers (`register`), named in `_HOMES`, and nothing else.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixprime.checks import TEXT, Instance, Maybe, array, listed, refuse
from sixprime.cube import kernel
from sixprime.cube.met import MET, MatchEquityTable, load
from sixprime.cube.state import CubeState
from sixprime.cube.values import chances
from sixprime.errors import SettingsError

RACE, CONTACT = 3, 5
"""Class codes of races, whose efficiency goes with the pip count, and of contact positions."""
DEFAULT = "fitted"
"""The name of what is used unless another model is asked for."""
_HOMES = ("sixprime.cube.fitted", "sixprime.cube.janowski", "sixprime.cube.jump")
"""Modules of the kinds of models."""

Maker = Callable[..., "CubeModel"]


class CubeModel(ABC):
    """A way to value the cube, seen by the side on roll; a frozen, hashable value whose `repr` tells it from others."""

    _presets: ClassVar[dict[str, CubeModel]] = {}
    _makers: ClassVar[dict[str, tuple[str, int, Maker]]] = {}

    @classmethod
    def named(cls, name: str) -> CubeModel:
        """The model of a name that `names()` tells, with a number for every X or A.

        X: one efficiency for all classes; X1 of the side that decides, X2 of the other; A: one jump volatility for all
        classes, with "implied" for the efficiencies it stands for. Raises SettingsError for another name or a number
        out of range.
        """
        TEXT("cube_model", name)
        _load_kinds()
        if name in cls._presets:
            return cls._presets[name]
        kind, _, rest = name.partition(":")
        try:
            numbers = [float(number) for number in rest.split(",")]
        except ValueError:
            numbers = []
        _, count, maker = cls._makers.get(kind, ("", -1, None))
        if maker is None or len(numbers) != count:
            raise SettingsError(f"unknown cube model {name!r}: choose one of {', '.join(names())}")
        return maker(*numbers)

    @property
    def name(self) -> str:
        """A name that `named` understands, or that of the kind where there is none."""
        preset = next((name for name, model in self._presets.items() if model == self), None)
        if preset:
            return preset
        name = f"{self._kind}:{','.join(f'{number:g}' for number in self._numbers())}"
        return name if self._is(name) else self._kind

    @property
    def identity(self) -> str:
        """What tells the model from every other: its name, where several have that one with a checksum behind it."""
        name = self.name
        return name if self._is(name) else f"{name} {hashlib.sha256(repr(self).encode()).hexdigest()[:12]}"

    def _is(self, name: str) -> bool:
        """Whether `named` makes this model of a name."""
        try:
            return CubeModel.named(name) == self
        except SettingsError:
            return False

    @property
    @abstractmethod
    def _kind(self) -> str:
        """The word before the colon of a name."""

    @abstractmethod
    def _numbers(self) -> tuple[float, ...]:
        """Those of a name, if one can tell the model."""

    # What a search and the kernels ask.

    def at(self, plies: int) -> CubeModel:
        """The model as it values the chances that an evaluation of that many plies found."""
        return self

    def leaves(self, plies: int) -> CubeModel:
        """The model as a search of that many plies values its leaves."""
        return self.at(plies)

    def swapped(self) -> CubeModel:
        """The model seen by the other side."""
        return self

    @abstractmethod
    def parameters(
        self, outcomes: ArrayLike, codes: ArrayLike, pips: ArrayLike, local: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """What `fill` needs of each position: float64[N, 2].

        outcomes: [N, 5], cumulative, of the side on roll; codes: int[N], 0 game over, 1 two-sided and 2 one-sided
        bear-off, 3 race, 4 crashed, 5 contact; pips: int[N, 2] of the side on roll and of the other. local: float64[N],
        local jump volatilities where the model `asks_for_volatility`.
        """

    @abstractmethod
    def row(self, state: CubeState, met: MatchEquityTable) -> NDArray[np.float64]:
        """A state made ready for `fill`: float64[kernel.WIDTH], read-only."""

    @abstractmethod
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
        """Writes values float64[N, K]. columns: int32[G, K], rows of `rows`; groups: int32[N], or empty for group 0.
        exact: float64[N, 4], or one row of NaN; see `cubeful`."""

    @property
    def plain(self) -> NDArray[np.float64] | None:
        """Tables of efficiencies of the side on roll and of the other float64[2, 6 * TERMS], as in `cube.kernel`, if
        these and prepared states are all there is to the model: the kernels of single positions know no others."""
        return None

    @property
    def asks_for_volatility(self) -> bool:
        """Whether `parameters` wants the local jump volatility of every position."""
        return False

    def knowing(self, volatility: float) -> CubeModel:
        """The model for one position whose local jump volatility is known."""
        return self


MODEL = Instance(CubeModel)
_MODEL = Maybe(MODEL)


def register(presets: Mapping[str, CubeModel], makers: Mapping[str, tuple[str, int, Maker]]) -> None:
    """Adds names of models, and makers: by kind the name as `names()` shows it, how many numbers it has, and the call
    that takes them."""
    CubeModel._presets.update(presets)
    CubeModel._makers.update(makers)


@cache
def _load_kinds() -> None:
    for home in _HOMES:
        import_module(home)


@cache
def _given() -> CubeModel:
    """Janowski's formula, for efficiencies that are given."""
    return CubeModel.named("gnubg-1.07")


def names() -> tuple[str, ...]:
    """The names `CubeModel.named` knows, the default first; X stands for a number."""
    _load_kinds()
    presets = sorted(CubeModel._presets, key=lambda name: name != DEFAULT)
    return (*presets, *(form for form, _, _ in CubeModel._makers.values()))


# -- values --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class StateTable:
    """Cube states made ready for the kernels: `rows` float64[S, width] belongs to `states`.

    model: of the side on roll in these states. Raises SettingsError for rows of another shape.
    """

    states: tuple[CubeState, ...]
    met: MatchEquityTable
    rows: NDArray[np.float64]
    model: CubeModel

    def __post_init__(self) -> None:
        rows = self.rows if self.states else np.empty((0, kernel.WIDTH))
        object.__setattr__(self, "rows", array("rows", rows, np.float64, len(self.states), kernel.WIDTH))


def prepare(
    states: Sequence[CubeState], met: MatchEquityTable | None = None, model: CubeModel | None = None
) -> StateTable:
    """Makes states ready. met: None is the default; model: as the side on roll sees it, None for Janowski's formula
    with efficiencies that are given. Raises SettingsError for what is no state, table or model."""
    states = listed("states", states, CubeState)
    MET("met", met)
    _MODEL("model", model)
    met, model = met or load(), model or _given()
    rows: Any = [model.row(state, met) for state in states]
    return StateTable(tuple(states), met, rows, model)


def cubeful(
    probabilities: ArrayLike,
    parameters: ArrayLike,
    states: StateTable | Sequence[CubeState],
    met: MatchEquityTable | None = None,
    *,
    exact: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Values of N positions, each at S cube states: float64[N, S].

    probabilities: [N, 5], cumulative; parameters: [N, 2] as `CubeModel.parameters` gives them for the table's model, or
    [N] where both are the same. exact: float64[N, 4] exact money equities
    (cubeless; cube owned, centred, with the opponent) where known, NaN rows elsewhere: they replace the money
    values and set the efficiency in match play. Raises SettingsError for other shapes, and for numbers out of range.
    """
    if np.size(probabilities) == 0:
        probabilities, parameters, exact = np.empty((0, 5)), np.empty(0), None
    probabilities = chances(probabilities, None)
    found = _pairs(parameters, len(probabilities))
    table = states if isinstance(states, StateTable) else prepare(states, met)
    # Efficiencies are chances, too; other models have other parameters.
    most = np.inf if table.model.plain is None else 1.0
    if not ((found >= 0) & (found <= most) & np.isfinite(found)).all():
        refuse("parameters", f"numbers from 0 to {most:g}", parameters)
    columns = np.arange(len(table.states), dtype=np.int32)[None, :]
    return cubeful_columns(probabilities, parameters, table, columns, None, exact=exact)


def _pairs(parameters: ArrayLike, count: int) -> NDArray[np.float64]:
    """Parameters [N, 2] of N positions, or [N] where both are the same. Raises SettingsError."""
    x = array("parameters", parameters, np.float64, ...)
    if x.shape not in ((count,), (count, 2)):
        refuse("parameters", f"float64[{count}] or float64[{count}, 2]", parameters)
    return np.stack([x, x], axis=1) if x.ndim == 1 else x


def cubeful_columns(
    probabilities: ArrayLike,
    parameters: ArrayLike,
    table: StateTable,
    columns: NDArray[np.int32],
    groups: NDArray[np.int32] | None,
    *,
    exact: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Values of N positions, each at the K states that its group asks for: float64[N, K].

    columns: int32[G, K], rows of `table`, -1 leaves a hole (NaN). groups: int32[N], None is group 0 for all.
    The rest as for `cubeful`. Raises SettingsError for other arrays.
    """
    p = array("probabilities", probabilities, np.float64, None, 5)
    x = _pairs(parameters, len(p))
    exact = kernel.UNKNOWN if exact is None else array("exact", exact, np.float64, len(p), 4)
    columns = array("columns", columns, np.int32, None, None)
    if columns.max(initial=-1) >= len(table.states):
        refuse("columns", f"rows of {len(table.states)} states", columns)
    groups = groups_of(groups, len(p), len(columns))
    values = np.full((len(p), columns.shape[1]), np.nan)
    table.model.fill(p, x, table.rows, columns, groups, exact, values)
    return values


def groups_of(groups: NDArray[np.int32] | None, count: int, there: int) -> NDArray[np.int32]:
    """The groups of `count` positions as kernels take them, int32[N], or empty for group 0. Raises SettingsError for
    another number of them, and for one that is not among those that are `there`."""
    if groups is None:
        groups, wrong = np.empty(0, dtype=np.int32), count > 0 and there < 1
    else:
        groups = array("groups", groups, np.int32, count)
        # For one position an array takes too long; numbers below 0 are large ones without a sign.
        wrong = count > 0 and not (
            0 <= int(groups[0]) < there if count == 1 else int(groups.view(np.uint32).max()) < there
        )
    if wrong:
        refuse("groups", f"numbers of {there} groups", groups)
    return groups
