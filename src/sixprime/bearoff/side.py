"""What one side needs to bear off, whatever tells it: a database, its normal approximation or a net."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from math import comb, sqrt

import numpy as np
from numpy.typing import NDArray

from sixprime.frozen import ByBits

PIPS_PER_ROLL = 49 / 6
"""Mean of the pips of a roll, doubles counted four times."""


def pip_count(counts: Sequence[int]) -> int:
    """Pips of a list of counts, ace point first."""
    return sum(point * int(count) for point, count in enumerate(counts, 1))


def number_of(counts: Sequence[int], points: int) -> int:
    """The number of a side among all ways to have chequers on the first `points` points, all others off."""
    # Stars and bars: those not on the board come first, then a bar before the chequers of every point, from the ace up.
    number, left = 0, points
    place = points + sum(counts[:points])
    for count in counts[:points]:
        place -= 1
        number += comb(place, left)
        left -= 1
        place -= count
    return number


def _ways(place: int, left: int) -> int:
    return comb(place, left)


def counts_of(number: int, points: int) -> tuple[int, ...]:
    """The side of a number, as `number_of` counts them."""
    places = []
    for left in range(points, 0, -1):
        above = left
        while comb(above, left) <= number:
            above *= 2
        place = bisect_right(range(above), number, key=partial(_ways, left=left)) - 1
        number -= comb(place, left)
        places.append(place)
    return tuple(place - below - 1 for place, below in zip(places, [*places[1:], -1], strict=True))


@dataclass(frozen=True, slots=True)
class Effort:
    """How far one side is from having everything off when it wastes as few rolls as it can.

    pips: the pip count. mean, variance: of the number of rolls to bear all off.
    """

    pips: int
    mean: float
    variance: float

    @property
    def sd(self) -> float:
        """Standard deviation of the number of rolls."""
        return sqrt(self.variance)

    @property
    def epc(self) -> float:
        """Effective pip count: the pips that the mean number of rolls would bring, 49/6 each."""
        return PIPS_PER_ROLL * self.mean

    @property
    def wastage(self) -> float:
        """Effective minus plain pip count."""
        return self.epc - self.pips


@dataclass(frozen=True, slots=True, eq=False)
class Side(ByBits, Effort):
    """How one side bears off, as a database has it.

    distribution: `float64[64]`, chance to be off in exactly k rolls. gammon_distribution: `float64[64]`, chance
    that the first chequer goes off in exactly k rolls, played to save the gammon.
    """

    distribution: NDArray[np.float64]
    gammon_distribution: NDArray[np.float64]
