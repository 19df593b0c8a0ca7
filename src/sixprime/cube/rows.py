"""Cube states made ready for the kernels of cube models: match-winning chances after every way the cube may be turned.

`kernel` says how a row is laid out.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sixprime.cube import kernel
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.state import CubeState
from sixprime.frozen import frozen


@lru_cache(maxsize=65536)
def prepared(state: CubeState, met: MatchEquityTable, dead: bool = False) -> NDArray[np.float64]:
    """A state as a row float64[kernel.WIDTH], read-only. dead: in a match the cube is not turned at all."""
    row = np.zeros(kernel.WIDTH)
    _fill(row, state, met, dead)
    return frozen(row)


def _fill(row: NDArray[np.float64], state: CubeState, met: MatchEquityTable, dead: bool) -> None:
    row[kernel.OWNER] = state.owner
    if state.money:
        row[kernel.KIND] = kernel.MONEY
        row[kernel.GAMMONS] = state.gammons_count
        row[kernel.LEVELS] = (state.limit // (2 * state.cube)).bit_length() - 1
        return

    # Step 1. The dead cube; all that counts when the cube decides the match for both or may not be turned.
    mine, theirs = state.away
    cube = state.cube
    row[kernel.KIND] = kernel.MATCH
    row[kernel.WIN : kernel.WIN + 3], row[kernel.LOSS : kernel.LOSS + 3] = _means(state, met, cube)
    if (cube >= mine and cube >= theirs) or state.at_limit or dead:
        row[kernel.KIND] = kernel.DEAD
        return

    # Step 2. Levels at which a doubled cube still leaves both needing more and may be turned again.
    levels, last = 0, cube
    while mine > 2 * last and theirs > 2 * last and 4 * last <= state.limit:
        last *= 2
        levels += 1
    row[kernel.LEVELS] = levels

    # Step 3. The last level. The opponent redoubles at once when the doubled cube wins the match only for the
    # doubler.
    for offset, doubler, taker in ((0, mine, theirs), (6, theirs, mine)):
        double = 4 * last if taker > 2 * last >= doubler and 4 * last <= state.limit else 2 * last
        won, lost = _means(state, met, double)
        row[kernel.LAST + offset : kernel.LAST + offset + 6] = *won, *lost

    # Step 4. The levels below.
    for level in range(levels):
        value = cube << level
        single_win, single_loss = (chances[0] for chances in state.outcomes(met, value))
        won, lost = _means(state, met, 2 * value)
        start = kernel.CHAIN + kernel.STEP * level
        row[start : start + kernel.STEP] = single_win, single_loss, *won, *lost


def _means(state: CubeState, met: MatchEquityTable, cube: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Triples for the mean match-winning chance after winning and after losing with `cube`."""
    won, lost = state.outcomes(met, cube)
    return np.diff(won, prepend=0.0), np.diff(lost, prepend=0.0)
