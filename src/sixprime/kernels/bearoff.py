"""Look-ups in the bear-off databases.

One side of a bear-off is a list of counts on its own points 1..P. Such lists with at most C chequers are
numbered densely from 0 (everything off), fewer chequers first, by a sum over the points: `ranks[i, t]` is
binomial(t + P - 1 - i, P - i) and t the number of chequers on point i + 1 and behind it.

One-sided (`OneSidedArrays`), for n = binomial(P + C, P) lists, unit 1/65535. S(k) is the chance that not
everything is off after k rolls, G(k) that no chequer is off after k rolls, played to save the gammon. Stored are
the values strictly between certain and impossible:

* ranks: `int64[P, C + 1]`
* spans: `int64[n]`; from the lowest bit: 40 bits, where the values of the list begin; 6 bits, the first k with
  S(k) < 1; 6 bits, how many values of S follow; the same two for G
* values: `uint16[m]`; of each list the values of S, then those of G; 126 zeros at the end

Two-sided (`TwoSidedArrays`), money equities of the player on roll before he doubles:

* ranks: `int64[P, C + 1]`
* equities: `uint16[n, n, 4]`, [player on roll, opponent]; value / 32767.5 - 1 is the equity in units of the
  cube: cubeless, cube owned, centred, owned by the opponent

The arrays come from `sixprime.bearoff`, as `one_sided().arrays` and `two_sided().arrays`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sixprime.kernels._block import Block, Float32s2, Float64s2, Int8s2, Int64s, Int64s2, UInt16s, UInt16s2, UInt16s3
from sixprime.kernels._jit import SEARCH, entry, njit

ROLLS = 64
"""Numbers of rolls a distribution may cover: 0 to 63."""
ONE = 65535
"""Certainty in the units of the one-sided database."""
PADDING = 126
"""Zeros at the end of `values`, as many as the longest pair of rows has."""
_AT = (1 << 40) - 1


@dataclass(frozen=True, eq=False, slots=True)
class OneSidedArrays(Block):
    """A one-sided database; the module docstring says what the arrays hold."""

    ranks: Int64s2
    spans: Int64s
    values: UInt16s


@dataclass(frozen=True, eq=False, slots=True)
class TwoSidedArrays(Block):
    """A two-sided database; the module docstring says what the arrays hold."""

    ranks: Int64s2
    equities: UInt16s3


@njit(allocates=False)
def os_index(board, sign, ranks):  # type: ignore[no-untyped-def]
    """Number of one side's list of counts, -1 if the database does not hold it.

    board: `int8[32]` packed. sign: 1 for the mover's chequers, -1 for his opponent's.
    """
    points = ranks.shape[0]
    # Where the side's point 0 would be, and its bar.
    first, bar = (0, 25) if sign > 0 else (25, 0)
    if board[bar] > 0:
        return -1
    for point in range(points + 1, 25):
        if sign * board[first + sign * point] > 0:
            return -1
    total = 0
    index = 0
    for point in range(points, 0, -1):
        total += max(sign * board[first + sign * point], 0)
        if total >= ranks.shape[1]:
            return -1
        index += ranks[point - 1, total]
    return index


@njit(inline="always")
def os_word(at, first, count, gammon_first, gammon_count):  # type: ignore[no-untyped-def]
    """What `spans` holds for a list; the module docstring says where each number is."""
    return at | first << 40 | count << 46 | gammon_first << 52 | gammon_count << 58


@njit(inline="always")
def os_span(word, gammon):  # type: ignore[no-untyped-def]
    """Of S, or of G if `gammon`: where its values are, the first k with a value below 1, how many there are."""
    at, first, count = word & _AT, word >> 40 & 63, word >> 46 & 63
    if gammon:
        return at + count, word >> 52 & 63, word >> 58 & 63
    return at, first, count


@njit(inline="always")
def inner_span(arrays, row, gammon):  # type: ignore[no-untyped-def]
    """`os_span` of a list; without values where a damaged file would lead outside."""
    at, first, count = os_span(arrays.spans[row], gammon)
    if at + count > arrays.values.size:
        count = 0
    return at, first, count


@njit(allocates=False)
def _before(values, finish, wait, lag):  # type: ignore[no-untyped-def]
    """Sum of p(k) * S(k - lag) in units of 1 / ONE^2, p(k) from the span `finish`, S from `wait`."""
    p_at, p_first, p_count = finish
    s_at, s_first, s_count = wait
    # While S is still 1 the sum of p is all that is needed.
    sure = min(max(s_first + lag - p_first, 0), p_count + 1)
    left = np.int64(ONE)
    if sure > 0:
        left = np.int64(values[p_at + sure - 1]) if sure <= p_count else np.int64(0)
    total = (ONE - left) * ONE
    shift = s_at + p_first - lag - s_first
    for j in range(sure, min(p_count, s_first + s_count + lag - p_first)):
        now = np.int64(values[p_at + j])
        total += (left - now) * np.int64(values[shift + j])
        left = now
    # The last chance to finish, after which nothing is left.
    if sure <= p_count < s_first + s_count + lag - p_first:
        total += left * np.int64(values[shift + p_count])
    return total


@njit(allocates=False)
def os_probabilities(board, arrays, out):  # type: ignore[no-untyped-def]
    """Outcomes of a race for the mover, who is on roll; returns False, `out` untouched, outside the database.

    board: `int8[32]` packed. arrays: `OneSidedArrays`. out: `float32[5]`: win, win gammon, win backgammon,
    lose gammon, lose backgammon. A gammon needs a loser with nothing off; nobody is backgammoned.
    The sums of gnubg_reference 3, exact in integers: with p(k) = S(k-1) - S(k) of the side that finishes,
    the player wins with sum p(k) * S_opponent(k-1); a gammon is the same with G for S.
    """
    us = os_index(board, 1, arrays.ranks)
    them = os_index(board, -1, arrays.ranks)
    if us < 0 or them < 0:
        return False
    values = arrays.values
    mine, theirs = arrays.spans[us], arrays.spans[them]
    unit = np.float32(1.0 / (ONE * ONE))
    # A damaged file must not lead outside.
    if max(mine & _AT, theirs & _AT) + PADDING > values.size:
        return False
    out[0] = np.float32(_before(values, os_span(mine, False), os_span(theirs, False), 1)) * unit
    for k in range(1, 5):
        out[k] = np.float32(0.0)
    if board[27] == 0:
        out[1] = np.float32(_before(values, os_span(mine, False), os_span(theirs, True), 1)) * unit
    if board[26] == 0:
        out[3] = np.float32(_before(values, os_span(theirs, False), os_span(mine, True), 0)) * unit
    return True


@entry(SEARCH)
def os_survival(arrays: OneSidedArrays, rows: Int64s, gammon: int, out: UInt16s2) -> None:
    """S, or G if `gammon`, of the lists `rows`, `int64[N]`, for every number of rolls into `out`, `uint16[N, 64]`."""
    for i in range(len(rows)):
        at, first, count = inner_span(arrays, rows[i], gammon)
        for k in range(ROLLS):
            value = np.int64(ONE) if k < first else np.int64(0)
            if first <= k < first + count:
                value = np.int64(arrays.values[at + k - first])
            out[i, k] = value


@entry(SEARCH)
def os_probabilities_many(boards: Int8s2, arrays: OneSidedArrays, out: Float32s2) -> None:
    """`os_probabilities` of boards `int8[N, 32]` into `float32[N, 5]`; rows outside the database become NaN."""
    for i in range(boards.shape[0]):
        if not os_probabilities(boards[i], arrays, out[i]):
            for k in range(5):
                out[i, k] = np.nan


@njit(allocates=False)
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


@entry(SEARCH)
def ts_equities_many(boards: Int8s2, arrays: TwoSidedArrays, out: Float64s2) -> None:
    """`ts_equities` of boards `int8[N, 32]` into `float64[N, 4]`; rows outside the database become NaN."""
    for i in range(boards.shape[0]):
        if not ts_equities(boards[i], arrays, out[i]):
            for k in range(4):
                out[i, k] = np.nan
