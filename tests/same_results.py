"""Comparing rollouts."""

from __future__ import annotations

import numpy as np

from sixprime import RolloutResult


def same(first: RolloutResult, second: RolloutResult) -> bool:
    """Whether two results agree to the bit."""
    raw = zip(first.raw, second.raw, strict=True)
    return first.estimates == second.estimates and all(
        np.array_equal(a.outcomes, b.outcomes)
        and np.array_equal(a.values, b.values, equal_nan=True)
        and np.array_equal(a.counts, b.counts)
        for a, b in raw
    )
