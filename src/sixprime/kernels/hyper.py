"""Look-ups in the databases of hypergammon, positions with at most three chequers a side, that `hyper_build` makes."""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from sixprime.kernels._block import Float32s3, Float64s2, Int8s2, Int64s2
from sixprime.kernels._jit import entry, njit

BAR = 25
COLUMNS = 9
"""Numbers kept of a position: five probabilities, four equities."""


def count_lists(chequers: int) -> int:
    """How many lists of at most `chequers` chequers there are."""
    return comb(BAR + chequers, chequers)


def rank_table() -> NDArray[np.int64]:
    """`ranks[p, t]` = binomial(t + 25 - p, 26 - p), which t chequers on point p and behind add to a list's number."""
    rows = [[comb(t + BAR - p, BAR + 1 - p) if t else 0 for t in range(4)] for p in range(BAR + 1)]
    return np.array(rows, dtype=np.int64)


@njit(allocates=False)
def _number(board, sign, ranks):  # type: ignore[no-untyped-def]
    """Number in files of the list of the side on roll (sign 1) or of the other (-1) of a packed board."""
    behind = 0
    number = 0
    for point in range(BAR, 0, -1):
        if sign > 0:
            behind += max(0, board[point])
        elif point == BAR:
            behind += max(0, board[0])
        else:
            behind += max(0, -board[BAR - point])
        number += ranks[point, min(behind, 3)]
    return number, behind


@entry()
def look_up(boards: Int8s2, chequers: int, ranks: Int64s2, values: Float32s3, out: Float64s2) -> None:
    """Values `float64[N, 9]`, written, of boards `int8[N, 32]`; NaN for games of another number of chequers.

    ranks: from `rank_table`. values: `float32[n, n, 9]` by file numbers.
    """
    for i in range(boards.shape[0]):
        us, mine = _number(boards[i], 1, ranks)
        them, theirs = _number(boards[i], -1, ranks)
        known = mine + boards[i, 26] == chequers and theirs + boards[i, 27] == chequers
        # A board that is none must not lead outside.
        if known and max(us, them) < values.shape[0]:
            for k in range(COLUMNS):
                out[i, k] = values[us, them, k]
        else:
            for k in range(COLUMNS):
                out[i, k] = np.nan
