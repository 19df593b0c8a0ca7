"""Which rolls a search looks at: all 21, or a few that stand for them."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

REDUCED = {
    7: {21: 0.170, 22: 0.127, 43: 0.135, 51: 0.168, 53: 0.172, 64: 0.162, 66: 0.066},
    11: {21: 0.095, 22: 0.102, 31: 0.089, 41: 0.092, 43: 0.089, 52: 0.097}
    | {53: 0.131, 61: 0.055, 64: 0.108, 65: 0.097, 66: 0.046},
}
"""Rolls, the larger die first, and their weights: those that come nearest to the mean over all 21 in positions of
self-play from contact. They miss it by .031 and .019 (rms of the equity; `benchmarks/levels.py rolls`)."""
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
