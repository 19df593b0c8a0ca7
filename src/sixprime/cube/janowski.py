"""Cubeful values of positions from outcome probabilities, in batches (Janowski's interpolation).

Value = (1 - x) dead + x live, x being the cube efficiency. Dead is the cubeless value. Live is piecewise
linear in the winning chance p: at p = 0 the average loss, at the opponent's cash point a single loss, at
one's own cash point a single win, at p = 1 the average win; who cannot double has no cash point.
Sources: R. Janowski, "Take-Points in Money Games" (1993); for matches GNU Backgammon's chapter on cubeful
equities: the same in match-winning chances, with cash points by recursion over the cube's levels.

Values are of the player on roll: money equity normalised to the state's cube, or match-winning chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sixprime.cube import jump_kernel, kernel
from sixprime.cube.met import MatchEquityTable, frozen, load
from sixprime.cube.model import DEFAULT, CubeModel
from sixprime.cube.state import CubeState

_JUMPS = {"jump": jump_kernel.NONLINEAR, "jump-linear": jump_kernel.LINEAR}


@dataclass(frozen=True, slots=True, eq=False)
class StateTable:
    """Cube states made ready for the kernels: `rows` float64[S, width] belongs to `states`.

    model: of the side on roll in these states.
    """

    states: tuple[CubeState, ...]
    met: MatchEquityTable
    rows: NDArray[np.float64]
    model: CubeModel


def efficiency(classes: ArrayLike, pips: ArrayLike) -> NDArray[np.float64]:
    """Cube efficiencies float64[N] of positions in the default model; arguments as for `Efficiencies.of`."""
    return DEFAULT.mine.of(classes, pips)


def prepare(states: Sequence[CubeState], met: MatchEquityTable | None = None, model: CubeModel = DEFAULT) -> StateTable:
    """Makes states ready. met: None is the default table. model: as the side on roll sees it."""
    met = met or load()
    jumps = model.kind in _JUMPS
    rows = np.array([_row(state, met, jumps) for state in states]) if states else np.empty((0, kernel.WIDTH))
    return StateTable(tuple(states), met, rows, model)


def cubeful(
    probabilities: ArrayLike,
    efficiencies: ArrayLike,
    states: StateTable | Sequence[CubeState],
    met: MatchEquityTable | None = None,
    *,
    exact: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Values of N positions, each at S cube states: float64[N, S].

    probabilities: [N, 5], cumulative; efficiencies: [N], or [N, 2] of the side on roll and of the other (whatever
    `CubeModel.parameters` gives for the table's model). exact: float64[N, 4] exact money equities
    (cubeless; cube owned, centred, with the opponent) where known, NaN rows elsewhere: they replace the money
    values and set the efficiency in match play.
    """
    table = states if isinstance(states, StateTable) else prepare(states, met)
    columns = np.arange(len(table.states), dtype=np.int32)[None, :]
    return cubeful_columns(probabilities, efficiencies, table, columns, None, exact=exact)


def cubeful_columns(
    probabilities: ArrayLike,
    efficiencies: ArrayLike,
    table: StateTable,
    columns: NDArray[np.int32],
    groups: NDArray[np.int32] | None,
    *,
    exact: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Values of N positions, each at the K states that its group asks for: float64[N, K].

    columns: int32[G, K], rows of `table`, -1 leaves a hole (NaN). groups: int32[N], None is group 0 for all.
    The rest as for `cubeful`.
    """
    p = np.ascontiguousarray(probabilities, dtype=np.float64)
    x = np.asarray(efficiencies, dtype=np.float64)
    x = np.stack([x, x], axis=1) if x.ndim == 1 else np.ascontiguousarray(x)
    exact = kernel.UNKNOWN if exact is None else np.ascontiguousarray(exact)
    if groups is None:
        groups = np.empty(0, dtype=np.int32)
    columns = np.ascontiguousarray(columns)
    values = np.empty((len(p), columns.shape[1]))
    if table.model.kind in _JUMPS:
        kind, density, scratch = _JUMPS[table.model.kind], jump_kernel.DOUBLE_EXPONENTIAL, jump_kernel.scratch()
        jump_kernel.fill(p, x, table.rows, columns, groups, exact, kind, density, *scratch, values)
    else:
        kernel.fill(p, x, table.rows, columns, groups, exact, values)
    return values


@lru_cache(maxsize=65536)
def _row(state: CubeState, met: MatchEquityTable, jumps: bool) -> NDArray[np.float64]:
    """One prepared state, read-only; `kernel` says how it is laid out. jumps: for a jump model."""
    row = np.zeros(kernel.WIDTH)
    _fill(row, state, met, jumps)
    return frozen(row)


def _fill(row: NDArray[np.float64], state: CubeState, met: MatchEquityTable, jumps: bool) -> None:
    row[kernel.OWNER] = state.owner
    if state.money:
        row[kernel.KIND] = kernel.MONEY
        row[kernel.GAMMONS] = state.gammons_count
        row[kernel.LEVELS] = -1 if state.at_limit else 0
        return

    # Step 1. The dead cube; all that counts when the cube decides the match for both or may not be turned. At 2-away
    # 2-away, where either side doubles at once, Janowski's models follow GNU Backgammon and leave the cube at 1.
    mine, theirs = state.away
    cube = state.cube
    row[kernel.KIND] = kernel.MATCH
    row[kernel.WIN : kernel.WIN + 3], row[kernel.LOSS : kernel.LOSS + 3] = _means(state, met, cube)
    if (cube >= mine and cube >= theirs) or state.at_limit or (never_turned(state) and not jumps):
        row[kernel.KIND] = kernel.DEAD
        return

    # Step 2. Levels at which a doubled cube still leaves both needing more.
    levels, last = 0, cube
    while mine > 2 * last and theirs > 2 * last:
        last *= 2
        levels += 1
    row[kernel.LEVELS] = levels

    # Step 3. The last level. The opponent redoubles at once when the doubled cube wins the match only for the
    # doubler.
    for offset, doubler, taker in ((0, mine, theirs), (6, theirs, mine)):
        double = 4 * last if taker > 2 * last >= doubler else 2 * last
        won, lost = _means(state, met, double)
        row[kernel.LAST + offset : kernel.LAST + offset + 6] = *won, *lost

    # Step 4. The levels below.
    for level in range(levels):
        value = cube << level
        single_win, single_loss = (chances[0] for chances in state.outcomes(met, value))
        won, lost = _means(state, met, 2 * value)
        start = kernel.CHAIN + kernel.STEP * level
        row[start : start + kernel.STEP] = single_win, single_loss, *won, *lost


def never_turned(state: CubeState) -> bool:
    """Whether Janowski's models take the cube as never turned though it will be at once: at 2-away 2-away."""
    return state.away == (2, 2) and state.cube == 1 and not state.at_limit


def _means(state: CubeState, met: MatchEquityTable, cube: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Triples for the mean match-winning chance after winning and after losing with `cube`."""
    won, lost = state.outcomes(met, cube)
    return np.diff(won, prepend=0.0), np.diff(lost, prepend=0.0)
