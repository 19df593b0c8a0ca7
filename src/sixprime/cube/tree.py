"""Cube states met on the way down an n-ply evaluation, and the way values come back up.

At every level the player on roll either leaves the cube or doubles; the values of both, and of a pass, decide
which. So a level asks the positions below for some states and each of these needs up to two values there.
A level's values are of its own player on roll.

    levels = expand_states([state], plies=2)
    values = levels[2].evaluate(leaf_probabilities, leaf_efficiencies)    # [leaves, K2]
    values = levels[2].choose(values)                                     # [leaves, Q2]
    ... mean over the rolls of each parent: [parents, Q2 = K1] ...
    values = levels[1].from_children(values)                              # other side, then choose: [parents, Q1]
    ... mean over the rolls: [1, Q1 = K0] ...
    values = levels[0].from_children(values)                              # [1, len(roots)]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixprime.checks import Whole, array, listed
from sixprime.cube import kernel
from sixprime.cube.fitted import DEFAULT
from sixprime.cube.janowski import CLASSIC
from sixprime.cube.met import MatchEquityTable, load
from sixprime.cube.model import MODEL, CubeModel, StateTable, cubeful_columns, groups_of, prepare
from sixprime.cube.state import CubeState
from sixprime.frozen import frozen

Values = NDArray[np.float64]
_PLIES = Whole(0, 99)
_KEPT, _FEW = 256, 8
"""Levels that are kept, and how many groups they have at most: those of single decisions come again."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Level:
    """One level of the tree for G groups of roots (decisions with different cubes or scores).

    table: the distinct states of all groups, seen by the player on roll here.
    columns: int32[G, K], the K states whose values are needed, as rows of `table`, -1 unused.
    keep, double: int32[G, Q], for each of the Q states asked for by the level above the column of its value
    without and after a double; -1 no such state, or no double possible.
    pass_value, stake: float64[G, Q], the doubler's value of a pass, and what a value after a double is
    multiplied by (2 for money, normalised to the cube before, else 1).
    total: float64[G], the sum of both sides' values of a state: 1 in match play, 0 for money.
    """

    table: StateTable
    columns: NDArray[np.int32]
    keep: NDArray[np.int32]
    double: NDArray[np.int32]
    pass_value: NDArray[np.float64]
    stake: NDArray[np.float64]
    total: NDArray[np.float64]

    @property
    def states(self) -> tuple[CubeState, ...]:
        """States of the columns of group 0."""
        return tuple(self.table.states[row] for row in self.columns[0] if row >= 0)

    def first(self) -> Level:
        """The level for the first of the states asked for alone."""
        return _first(self)

    def evaluate(
        self,
        probabilities: ArrayLike,
        efficiencies: ArrayLike,
        groups: NDArray[np.int32] | None = None,
        *,
        exact: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Static values float64[N, K] of N positions (NaN in unused columns).

        probabilities [N, 5], efficiencies [N] or [N, 2], exact [N, 4]: as in `model.cubeful`.
        groups: int32[N], the group of each position; None: all in group 0.
        """
        return cubeful_columns(probabilities, efficiencies, self.table, self.columns, groups, exact=exact)

    def choose(self, values: NDArray[np.float64], groups: NDArray[np.int32] | None = None) -> NDArray[np.float64]:
        """Values [N, K] to values [N, Q] of the states asked for, the player on roll doubling where that is right.

        He doubles when neither the take nor the pass leaves him worse; the opponent then picks the lesser. Raises
        SettingsError for other arrays.
        """
        values = array("values", values, np.float64, None, self.columns.shape[1])
        groups = groups_of(groups, len(values), len(self.keep))
        chosen = np.empty((len(values), self.keep.shape[1]))
        kernel.choose(values, groups, self.keep, self.double, self.pass_value, self.stake, chosen)
        return chosen

    def effective_efficiency(
        self, values: NDArray[np.float64], probabilities: ArrayLike, groups: NDArray[np.int32] | None = None
    ) -> NDArray[np.float64]:
        """Cube efficiency float64[N] for which Janowski's model on `probabilities` gives `values`.

        values: [N], of the first state asked for. NaN where a live and a dead cube are worth the same, and where the
        player on roll, if he may, would double.
        """
        first = replace(self.first(), table=prepare(self.table.states, self.table.met, CLASSIC))
        count = len(values)
        dead, live = (first.evaluate(probabilities, np.full(count, x), groups)[:, 0] for x in (0.0, 1.0))
        gain = live - dead
        known = np.abs(gain) > kernel.LEAST_GAIN
        x = np.divide(values - dead, gain, out=np.full(count, np.nan), where=known)
        usual = first.evaluate(probabilities, np.full(count, CLASSIC.efficiencies.contact), groups)
        turned = first.choose(usual, groups)[:, 0] != usual[:, 0]
        return np.where(turned, np.nan, x)

    def from_children(
        self, values: NDArray[np.float64], groups: NDArray[np.int32] | None = None
    ) -> NDArray[np.float64]:
        """Values of the level below [N, K], of its player on roll (mean over rolls), to values [N, Q] here."""
        total = self.total[0] if groups is None else self.total[groups, None]
        return self.choose(total - values, groups)


@lru_cache(maxsize=_KEPT)
def _first(level: Level) -> Level:
    # Its value and the one after a double are the first columns.
    columns, keep, double = level.columns[:, :2], level.keep[:, :1], level.double[:, :1]
    return replace(level, columns=columns.copy(), keep=keep.copy(), double=double.copy())


def doubles(keep: Values, take: Values, drop: Values) -> NDArray[np.bool_]:
    """Whether doubling is right by values float64[N] of the doubler without it, taken and passed, as `Level.choose` has
    it: neither answer leaves him worse."""
    return np.asarray((take >= keep) & (drop >= keep))


def expand_states(
    roots: Sequence[CubeState],
    plies: int,
    met: MatchEquityTable | None = None,
    *,
    model: CubeModel = DEFAULT,
    root_double: bool = False,
) -> list[Level]:
    """Levels 0..plies of one decision; see `expand_groups`."""
    return expand_groups([roots], plies, met, model=model, root_double=root_double)


def expand_groups(
    groups: Sequence[Sequence[CubeState]],
    plies: int,
    met: MatchEquityTable | None = None,
    *,
    model: CubeModel = DEFAULT,
    root_double: bool = False,
) -> list[Level]:
    """Levels 0..plies for groups of root states, seen by the player on roll at the root.

    root_double: whether the player on roll at the root may double, as when a play is judged by the position it
    leaves to the opponent. The two states of a cube decision (no double; double, take) have no such option.
    met: None is the default table. model: as that player sees it.
    """
    asked = tuple(map(tuple, groups))
    expand = _expand if len(asked) <= _FEW else _expand.__wrapped__
    return list(expand(asked, plies, met or load(), model, root_double))


@lru_cache(maxsize=_KEPT)
def _expand(
    groups: tuple[tuple[CubeState, ...], ...], plies: int, met: MatchEquityTable, model: CubeModel, root_double: bool
) -> tuple[Level, ...]:
    asked = [listed("states", states, CubeState) for states in groups]
    _PLIES("plies", plies)
    MODEL("model", model)
    model = model.leaves(plies)
    levels = []
    for depth in range(plies + 1):
        level, asked = _level(asked, met, model, may_double=root_double or depth > 0)
        levels.append(level)
        model = model.swapped()
        MODEL("model", model)
    return tuple(levels)


def _level(
    asked: list[list[CubeState]], met: MatchEquityTable, model: CubeModel, may_double: bool
) -> tuple[Level, list[list[CubeState]]]:
    """One level, and the states it asks for of the level below."""
    size = max((len(states) for states in asked), default=0)
    keep = np.full((len(asked), size), -1, dtype=np.int32)
    double = np.full((len(asked), size), -1, dtype=np.int32)
    pass_value = np.ones((len(asked), size))
    stake = np.full((len(asked), size), 2.0)
    total = np.zeros(len(asked))
    needed: list[list[CubeState]] = []
    for g, states in enumerate(asked):
        column: dict[CubeState, int] = {}
        for q, state in enumerate(states):
            keep[g, q] = column.setdefault(state, len(column))
            if may_double and state.can_double:
                double[g, q] = column.setdefault(state.doubled(), len(column))
            if not state.money:
                pass_value[g, q] = state.outcomes(met)[0][0]
                stake[g, q] = 1.0
                total[g] = 1.0
        needed.append(list(column))

    rows: dict[CubeState, int] = {}
    columns = np.full((len(asked), max((len(states) for states in needed), default=0)), -1, dtype=np.int32)
    for g, states in enumerate(needed):
        for k, state in enumerate(states):
            columns[g, k] = rows.setdefault(state, len(rows))
    table = prepare(list(rows), met, model)
    for each in (columns, keep, double, pass_value, stake, total):
        frozen(each)
    below = [[state.swapped() for state in states] for states in needed]
    return Level(table, columns, keep, double, pass_value, stake, total), below
