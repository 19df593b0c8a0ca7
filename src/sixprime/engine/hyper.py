"""Hypergammon in the engine: games of 1 to 3 chequers are looked up, never searched, never given to a net.

Money is exact. In match play the chances and the exact money equities go through the cube model, which takes from
them how much the cube is worth (`sixprime.cube.kernel.state_value`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixprime.bearoff import Databases
from sixprime.checks import Instance
from sixprime.cube.tree import Level
from sixprime.cube.values import money_equity
from sixprime.engine.value_kernel import fewest
from sixprime.kernels import search

HYPERGAMMON = 6
"""The class of such positions, beside those of `kernels.search`."""
MAX_CHEQUERS = 3


def may_concern(boards: NDArray[np.int8]) -> bool:
    """Whether one of boards `int8[N, 32]` has so few chequers that it may be of this game."""
    return fewest(np.ascontiguousarray(boards)) <= MAX_CHEQUERS


def look_up(databases: Databases, boards: NDArray[np.int8]) -> NDArray[np.float64] | None:
    """Values `float64[N, 9]` as in `bearoff.hyper.Hyper.values` of boards `int8[N, 32]`; None if none is known.

    Rows of other games, and of 3 chequers without their database, are NaN.
    """
    # Nearly every batch comes here in vain.
    if not may_concern(boards):
        return None
    chequers = boards[:, 26] + np.maximum(boards[:, 1:26], 0).sum(axis=1)
    found = None
    for count in range(1, MAX_CHEQUERS + 1):
        which = np.flatnonzero(chequers == count)
        if len(which):
            database = databases.hyper(count)
            if database is not None:
                from sixprime.bearoff.hyper import Hyper

                Instance(Hyper)(f"what the 'hyper' of databases gives for {count}", database)
                found = np.full((len(boards), 9), np.nan) if found is None else found
                found[which] = database.look_up(boards[which])
    return found


def judge(databases: Databases, boards: NDArray[np.int8]) -> tuple[NDArray[np.float64], NDArray[np.int8]] | None:
    """Outcomes `[N, 5]` and classes `[N]` where all of the boards are known, else None."""
    if not may_concern(boards[:1]):
        return None
    found = look_up(databases, boards)
    if found is None or np.isnan(found[:, 0]).any():
        return None
    return found[:, :5].copy(), _classes(boards)


def make_exact(
    databases: Databases, boards: NDArray[np.int8], outputs: NDArray[np.float64], codes: NDArray[np.int8]
) -> None:
    """Puts what is known into `outputs` and `codes`."""
    found = look_up(databases, boards)
    if found is not None:
        known = ~np.isnan(found[:, 0])
        outputs[known] = found[known, :5]
        codes[known] = _classes(boards[known])


def equities(
    databases: Databases, boards: NDArray[np.int8], groups: NDArray[np.int32], level: Level
) -> NDArray[np.float64]:
    """Exact money equities `[N, 4]` of known boards: cubeless; cube owned, centred, with the opponent.

    They follow the rules of the states of each board's group: under the Jacoby rule a centred cube counts no gammons.
    """
    found = look_up(databases, boards)
    assert found is not None
    exact = np.empty((len(boards), 4))
    exact[:, 0] = money_equity(found[:, :5])
    exact[:, 1:] = found[:, [5, 6, 8]]
    states = [[level.table.states[row] for row in rows if row >= 0] for rows in level.columns]
    jacoby = np.array([any(state.money and state.jacoby for state in group) for group in states])[groups]
    flat = np.array([any(not state.gammons_count and state.at_limit for state in group) for group in states])[groups]
    exact[jacoby, 2] = found[jacoby, 7]
    exact[flat, 0] = 2.0 * found[flat, 0] - 1.0
    return exact


def _classes(boards: NDArray[np.int8]) -> NDArray[np.int8]:
    over = ~(boards[:, 1:26] > 0).any(axis=1) | ~((boards[:, 1:25] < 0).any(axis=1) | (boards[:, 0] > 0))
    return np.where(over, search.OVER, HYPERGAMMON).astype(np.int8)
