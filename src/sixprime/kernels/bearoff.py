"""Look-ups in the bear-off databases.

One side of a bear-off is a list of counts on its own points 1..P. Such lists with at most C chequers are
numbered densely from 0 (everything off), fewer chequers first, by a sum over the points: `ranks[i, t]` is
binomial(t + P - 1 - i, P - i) and t the number of chequers on point i + 1 and behind it.

One-sided (`OneSidedArrays`), for n = binomial(P + C, P) lists, unit 1/65535:

* ranks: `int64[P, C + 1]`
* survival: `uint16[n, 32]`; [k] is the chance that not everything is off after k rolls
* gammon: `uint16[n, 32]`; [k] is the chance that no chequer is off after k rolls, played to save the gammon

Two-sided (`TwoSidedArrays`), money equities of the player on roll before he doubles:

* ranks: `int64[P, C + 1]`
* equities: `uint16[n, n, 4]`, [player on roll, opponent]; value / 32767.5 - 1 is the equity in units of the
  cube: cubeless, cube owned, centred, owned by the opponent

The arrays come from `sixprime.bearoff`, as `one_sided().arrays` and `two_sided().arrays`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.kernels._jit import njit

ROLLS = 32
"""Numbers of rolls a distribution covers: 0 to 31."""
ONE = 65535
"""Certainty in the units of the one-sided database."""


class OneSidedArrays(NamedTuple):
    """A one-sided database; the module docstring says what the arrays hold."""

    ranks: NDArray[np.int64]
    survival: NDArray[np.uint16]
    gammon: NDArray[np.uint16]


class TwoSidedArrays(NamedTuple):
    """A two-sided database; the module docstring says what the arrays hold."""

    ranks: NDArray[np.int64]
    equities: NDArray[np.uint16]


@njit
def os_index(board, sign, ranks):  # type: ignore[no-untyped-def]
    """Number of one side's list of counts, -1 if the database does not hold it.

    board: `int8[32]` packed. sign: 1 for the mover's chequers, -1 for his opponent's.
    """
    points = ranks.shape[0]
    total = 0
    index = 0
    if sign > 0:
        for point in range(points + 1, 26):
            if board[point] > 0:
                return -1
        for i in range(points - 1, -1, -1):
            total += max(board[i + 1], 0)
            if total >= ranks.shape[1]:
                return -1
            index += ranks[i, total]
    else:
        if board[0] > 0:
            return -1
        for point in range(1, 25 - points):
            if board[point] < 0:
                return -1
        for i in range(points - 1, -1, -1):
            total += max(-board[24 - i], 0)
            if total >= ranks.shape[1]:
                return -1
            index += ranks[i, total]
    return index


@njit
def os_probabilities(board, arrays, out):  # type: ignore[no-untyped-def]
    """Outcomes of a race for the mover, who is on roll; returns False, `out` untouched, outside the database.

    board: `int8[32]` packed. arrays: `OneSidedArrays`. out: `float32[5]`: win, win gammon, win backgammon,
    lose gammon, lose backgammon. A gammon needs a loser with nothing off; nobody is backgammoned.
    The sums of gnubg_reference 3, exact in integers: with p(k) = S(k-1) - S(k) of the side that finishes,
    the player wins with sum p(k) * S_opponent(k-1); a gammon is the same with `gammon` for `survival`.
    """
    us = os_index(board, 1, arrays.ranks)
    them = os_index(board, -1, arrays.ranks)
    if us < 0 or them < 0:
        return False
    mine, theirs = arrays.survival[us], arrays.survival[them]
    unit = np.float32(1.0 / (ONE * ONE))
    # The first terms are games that are already over.
    win = np.uint64(ONE - mine[0]) * np.uint64(ONE)
    for k in range(ROLLS - 1):
        win += np.uint64(mine[k] - mine[k + 1]) * np.uint64(theirs[k])
    out[0] = np.float32(win) * unit
    out[1:5] = np.float32(0.0)
    if board[27] == 0:
        first = arrays.gammon[them]
        total = np.uint64(ONE - mine[0]) * np.uint64(first[0])
        for k in range(ROLLS - 1):
            total += np.uint64(mine[k] - mine[k + 1]) * np.uint64(first[k])
        out[1] = np.float32(total) * unit
    if board[26] == 0:
        first = arrays.gammon[us]
        total = np.uint64(ONE - theirs[0]) * np.uint64(first[0])
        for k in range(ROLLS - 1):
            total += np.uint64(theirs[k] - theirs[k + 1]) * np.uint64(first[k + 1])
        out[3] = np.float32(total) * unit
    return True


@njit
def os_probabilities_many(boards, arrays, out):  # type: ignore[no-untyped-def]
    """`os_probabilities` of boards `int8[N, 32]` into `float32[N, 5]`; rows outside the database become NaN."""
    for i in range(boards.shape[0]):
        if not os_probabilities(boards[i], arrays, out[i]):
            out[i] = np.nan


@njit
def ts_equities(board, arrays, out):  # type: ignore[no-untyped-def]
    """Money equities of the mover, who is on roll; returns False, `out` untouched, outside the database.

    board: `int8[32]` packed. arrays: `TwoSidedArrays`. out: `float64[4]`: cubeless, cube owned, centred,
    owned by the opponent; before the mover doubles. Positions in which a gammon is possible are outside.
    """
    if board[26] == 0 or board[27] == 0:
        return False
    us = os_index(board, 1, arrays.ranks)
    them = os_index(board, -1, arrays.ranks)
    if us < 0 or them < 0:
        return False
    for k in range(4):
        out[k] = arrays.equities[us, them, k] / 32767.5 - 1.0
    return True


@njit
def ts_equities_many(boards, arrays, out):  # type: ignore[no-untyped-def]
    """`ts_equities` of boards `int8[N, 32]` into `float64[N, 4]`; rows outside the database become NaN."""
    for i in range(boards.shape[0]):
        if not ts_equities(boards[i], arrays, out[i]):
            out[i] = np.nan
