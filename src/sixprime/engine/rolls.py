"""Which rolls a search looks at: all 21, or a few that stand for them."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

REDUCED = {
    7: {21: 0.144, 33: 0.114, 42: 0.187, 53: 0.145, 54: 0.129, 61: 0.167, 65: 0.112},
    11: {21: 0.119, 31: 0.093, 33: 0.072, 42: 0.101, 44: 0.042, 52: 0.099}
    | {53: 0.113, 54: 0.064, 61: 0.103, 64: 0.095, 65: 0.098},
}
"""Rolls, the larger die first, and their weights: those that come nearest to the mean over all 21 in positions of
self-play from contact. They miss it by .029 and .019 (rms of the equity; `benchmarks/levels.py rolls`)."""
COUNTS = (*REDUCED, 21)
"""How many rolls there may be."""


@cache
def rolls_of(count: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows of `kernels.ROLLS`, `int64[count]`, and their weights, which add up to 1. count: one of `COUNTS`."""
    every = {10 * high + low: (1 if high == low else 2) / 36 for high in range(1, 7) for low in range(1, high + 1)}
    rows = {roll: row for row, roll in enumerate(every)}
    if count == 21:
        return np.arange(21), np.array(list(every.values()))
    weights = np.array(list(REDUCED[count].values()))
    return np.array([rows[roll] for roll in REDUCED[count]]), weights / weights.sum()
