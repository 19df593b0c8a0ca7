"""What a duel has shown so far, and when that is enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime.errors import SettingsError


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over pairs and its standard error; NaN for fewer than one or two pairs."""

    mean: float
    error: float

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> Estimate:
        """That of `[pairs]` values."""
        count = len(values)
        mean = float(values.mean()) if count else math.nan
        return cls(mean, float(values.std(ddof=1)) / math.sqrt(count) if count > 1 else math.nan)

    @property
    def z(self) -> float:
        """How many standard errors the mean is from zero; 0 when it is exactly zero, NaN when the error is unknown."""
        if self.mean == 0:
            return 0.0
        return self.mean / self.error if self.error else math.copysign(math.inf, self.mean)


@dataclass(frozen=True, slots=True)
class Standing:
    """The result so far, of player A against player B.

    Money: points a game. Match: share of the matches won, less a half. wins: games (or matches) won by A and by B.
    raw: as played. adjusted: without luck.
    """

    pairs: int
    wins: tuple[int, int]
    raw: Estimate
    adjusted: Estimate


@dataclass(frozen=True, slots=True)
class StopRule:
    """When to stop: after `pairs` pairs, or earlier when from `least` pairs on the luck-adjusted result is `clear`
    standard errors from zero, or its standard error has come down to `error` (0: no such rule).

    Raises `SettingsError` for values out of range.
    """

    pairs: int = 2000
    least: int = 200
    clear: float = 3.0
    error: float = 0.0

    def __post_init__(self) -> None:
        for name, low in (("pairs", 1), ("least", 2), ("clear", 0), ("error", 0)):
            value = getattr(self, name)
            if not low <= value < math.inf:
                raise SettingsError(f"{name} must be at least {low}. Got {value!r} instead.")

    def reached(self, standing: Standing) -> bool:
        """Whether this is enough."""
        if standing.pairs >= self.pairs:
            return True
        if standing.pairs < self.least:
            return False
        found = standing.adjusted
        return (self.clear > 0 and abs(found.z) >= self.clear) or 0 < found.error <= self.error


def ratings(
    count: int, duels: Mapping[tuple[int, int], tuple[float, float]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ratings of players from duels between some of them, by weighted least squares: `float64[count]` that sum to 0, in
    the unit of the duels, and their covariance `float64[count, count]`.

    duels: by the numbers of two players, by how much the first is better and the standard error of that. Every player
    must be linked to every other by duels; raises `SettingsError` otherwise.
    """
    # Players that play alike are equal in every game, without an error. That counts for much, not for everything.
    least = min((error for _, error in duels.values() if error > 0), default=1.0) / 1000
    weights = [1.0 / max(error, least) ** 2 for _, error in duels.values()]
    # Beside far heavier duels a sum of 0 would be lost in their rounding.
    of_sum = max(weights, default=1.0)
    normal, right = np.full((count, count), of_sum / count), np.zeros(count)
    for ((first, second), (mean, _)), weight in zip(duels.items(), weights, strict=True):
        for mine, theirs, sign in ((first, second, 1.0), (second, first, -1.0)):
            normal[mine, mine] += weight
            normal[mine, theirs] -= weight
            right[mine] += sign * weight * mean
    if np.linalg.matrix_rank(normal, hermitian=True) < count:
        raise SettingsError("ratings need duels that link every player to every other.")
    inverse = np.linalg.inv(normal)
    return inverse @ right, inverse - 1.0 / (of_sum * count)
