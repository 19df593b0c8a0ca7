"""Random numbers that depend only on what they are for: the same on every machine and in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def hash64(*parts: NDArray[np.int64] | int) -> NDArray[np.uint64]:
    """A mixed 64-bit number for each tuple of integers (SplitMix64 steps)."""
    with np.errstate(over="ignore"):
        state: Any = np.uint64(0x9E3779B97F4A7C15)
        for part in parts:
            z = np.asarray(part, dtype=np.int64).astype(np.uint64) + state
            z = z + np.uint64(0x9E3779B97F4A7C15)
            z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            state = z ^ (z >> np.uint64(31))
    return np.asarray(state)
