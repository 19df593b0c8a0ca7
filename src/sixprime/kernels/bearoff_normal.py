"""Look-ups in normal approximations of the one-sided databases, `NormalArrays`.

* ranks: `int64[P, C + 1]`, as in `kernels.bearoff`
* moments: `float32[4, n]`; mean and standard deviation of the number of rolls to bear all off, and of that to bear
  one off, played to save the gammon
"""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, sqrt

import numpy as np

from sixprime.kernels._block import Block, Float32s2, Float64s, Int8s2, Int64s2
from sixprime.kernels._jit import entry, njit
from sixprime.kernels.bearoff import ROLLS, os_index


@dataclass(frozen=True, eq=False, slots=True)
class NormalArrays(Block):
    """A normal approximation; the module docstring says what the arrays hold."""

    ranks: Int64s2
    moments: Float32s2


@njit(allocates=False)
def _later(k, mean, deviation):  # type: ignore[no-untyped-def]
    """Chance of more than k rolls, those between k - 1/2 and k + 1/2 being k."""
    if k < 0 or mean == 0:
        return 1.0 if k < mean else 0.0
    if k < 1:
        return 1.0  # some roll is needed
    if deviation == 0:
        return 1.0 if k < round(mean) else 0.0
    return 0.5 * erfc((k + 0.5 - mean) / (deviation * sqrt(2.0)))


@njit(allocates=False)
def _before(mean, deviation, other_mean, other_deviation, lag):  # type: ignore[no-untyped-def]
    """Chance that one takes k rolls and the other more than k - `lag`, for any k."""
    total = 0.0
    left = 1.0
    for k in range(ROLLS):
        now = _later(k, mean, deviation)
        total += (left - now) * _later(k - lag, other_mean, other_deviation)
        left = now
        if left < 1e-12:
            break
    return total


@entry()
def normal_survival(arrays: NormalArrays, row: int, gammon: int, out: Float64s) -> None:
    """Chances of more than k rolls of list `row` into `out`, `float64[K]`."""
    mean, deviation = arrays.moments[2 * gammon, row], arrays.moments[2 * gammon + 1, row]
    for k in range(len(out)):
        out[k] = _later(k, mean, deviation)


@entry()
def normal_probabilities_many(boards: Int8s2, arrays: NormalArrays, out: Float32s2) -> None:
    """As `kernels.bearoff.os_probabilities_many`."""
    moments = arrays.moments
    for i in range(boards.shape[0]):
        board = boards[i]
        us = os_index(board, 1, arrays.ranks)
        them = os_index(board, -1, arrays.ranks)
        if us < 0 or them < 0:
            for k in range(5):
                out[i, k] = np.nan
            continue
        for k in range(5):
            out[i, k] = 0.0
        mean, deviation = moments[0, us], moments[1, us]
        other_mean, other_deviation = moments[0, them], moments[1, them]
        out[i, 0] = _before(mean, deviation, other_mean, other_deviation, 1)
        if board[27] == 0:
            out[i, 1] = _before(mean, deviation, moments[2, them], moments[3, them], 1)
        if board[26] == 0:
            out[i, 3] = _before(other_mean, other_deviation, moments[2, us], moments[3, us], 0)
