"""Sides of positions, for the tests: how many chequers stand on which points."""

from __future__ import annotations


def side(**points: int) -> tuple[int, ...]:
    """Its 25 counts: `side(p6=5, bar=1)` has five chequers on its 6 point and one on the bar."""
    counts = [0] * 25
    for name, count in points.items():
        counts[24 if name == "bar" else int(name[1:]) - 1] = count
    return tuple(counts)
