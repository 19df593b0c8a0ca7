"""Ratings: names for error and luck rates, and FIBS ratings.

Error rates go in as equity (EMG) lost per counted decision, luck as equity per roll; both are small
numbers such as 0.012, not thousandths.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sixprime.analysis.model import PlayerStatistics
from sixprime.checks import FLAG, Real, Whole
from sixprime.errors import SettingsError


class RatingTable(StrEnum):
    """Which table of names: of GNU Backgammon since 1.08, or before."""

    NEW = "new"
    OLD = "old"


_Bands = Sequence[tuple[float, str]]

_NAMES: dict[RatingTable, _Bands] = {
    RatingTable.NEW: (
        (0.005, "Super Grandmaster"),
        (0.008, "Grandmaster"),
        (0.013, "Master"),
        (0.020, "Advanced"),
        (0.032, "Intermediate"),
        (math.inf, "Beginner"),
    ),
    RatingTable.OLD: (
        (0.002, "Supernatural"),
        (0.005, "World class"),
        (0.008, "Expert"),
        (0.012, "Advanced"),
        (0.018, "Intermediate"),
        (0.026, "Casual player"),
        (0.035, "Beginner"),
        (math.inf, "Awful!"),
    ),
}
_PR_BANDS: _Bands = (
    (2.5, "World champion"),
    (5.0, "World class"),
    (7.5, "Expert"),
    (12.5, "Advanced"),
    (17.5, "Intermediate"),
    (22.5, "Casual player"),
    (30.0, "Beginner"),
    (math.inf, "Distracted"),
)
_LUCK_NAMES = ("Go to bed", "Bad dice", "None", "Good dice", "Go to Las Vegas")
_BAD_LUCK, _GOOD_LUCK = (-0.06, -0.03), (0.03, 0.06)

_FIBS_FLOOR = -2100.0
FIBS_SETTLED = 400
"""Points of experience from which a rating moves slowest."""
FIBS_HIGHEST = 10_000.0
"""No rating is higher."""
FIBS_LONGEST = 1000
"""Points of the longest match."""
_RATING, _LENGTH, _EXPERIENCE = Real(0.0, FIBS_HIGHEST), Whole(1, FIBS_LONGEST), Whole(0, 2**31 - 1)


def _band(bands: _Bands, value: float) -> str:
    return next((name for limit, name in bands if value < limit), bands[-1][1])


def rating_name(error_per_decision: float, table: RatingTable | str = RatingTable.NEW) -> str:
    """Name of a playing strength: "Super Grandmaster" to "Beginner", by the old table to "Awful!".

    Raises SettingsError for an unknown table.
    """
    try:
        bands = _NAMES[RatingTable(table)]
    except ValueError:
        raise SettingsError(f"rating table must be 'new' or 'old'. Got {table!r} instead.") from None
    return _band(bands, error_per_decision)


def pr_name(pr: float) -> str:
    """Name of a performance rating (500 x equity lost per decision)."""
    return _band(_PR_BANDS, pr)


def luck_rating(luck_per_roll: float) -> int:
    """Number of a luck rate, 0 very unlucky to 4 very lucky; 2 within 0.03 of nothing."""
    return sum(luck_per_roll >= limit for limit in _BAD_LUCK) + sum(luck_per_roll > limit for limit in _GOOD_LUCK)


def luck_name(luck_per_roll: float) -> str:
    """Name of a luck rate; "None" within 0.03 of nothing."""
    return _LUCK_NAMES[luck_rating(luck_per_roll)]


def luck_in_words(luck_per_roll: float) -> str:
    """Name of a luck rate as GNU Backgammon writes it."""
    name = luck_name(luck_per_roll)
    return f"{name}, man!" if name in ("Bad dice", "Good dice") else name


def luck_based_fibs(luck_adjusted_result: float, length: int) -> float | None:
    """FIBS rating difference to the opponent that the luck-adjusted result of a match stands for.

    luck_adjusted_result: match-winning chance gained, -0.5 to 0.5. With r = 0.5 + result the difference is
    -2000 / sqrt(length) x log10(1 / r - 1), at least -2100. None for money and where r is not between 0 and 1.
    """
    r = 0.5 + luck_adjusted_result
    if length < 1 or not 0 < r < 1:
        return None
    return max(_FIBS_FLOOR, -2000 / math.sqrt(length) * math.log10(1 / r - 1))


@dataclass(frozen=True, slots=True)
class FibsEstimate:
    """A FIBS rating estimated from errors: `base` minus what plays and cubes lost."""

    base: float
    chequer_loss: float
    cube_loss: float

    @property
    def rating(self) -> float:
        """The estimated rating."""
        return self.base - self.chequer_loss - self.cube_loss


def absolute_fibs(statistics: PlayerStatistics, length: int, base: float = 2050.0) -> FibsEstimate:
    """FIBS rating by error rates (K. van den Doel): base - Ep (8798 + 25526 / N) - Ec (863 - 519 / N).

    Ep: equity lost per unforced play; Ec: per close or actual cube decision; N: match length, without
    limit for money (`length` 0).
    """
    share = 1 / length if length else 0.0
    play, cube = statistics.chequer_error_rate, statistics.cube_error_rate
    return FibsEstimate(base, play * (8798 + 25526 * share), cube * (863 - 519 * share))


def fibs_chance(rating: float, opponent: float, length: int) -> float:
    """Chance of a player to win a match against an opponent, by their FIBS ratings.

    1 / (10^(D sqrt(N) / 2000) + 1), D: how much higher the opponent's rating is; N: match length. Raises SettingsError
    for ratings outside 0 to 10,000 and lengths outside 1 to 1000.
    """
    _RATING("rating", rating)
    _RATING("opponent", opponent)
    _LENGTH("length", length)
    return float(1 / (10 ** ((opponent - rating) * math.sqrt(length) / 2000) + 1))


def fibs_change(rating: float, opponent: float, length: int, *, won: bool, experience: int = FIBS_SETTLED) -> float:
    """What a match adds to the FIBS rating of a player, or takes from it.

    4 K sqrt(N) P, P: the chance of what did not happen; K = max(1, 5 - experience / 100). experience: points of all
    matches that the player has finished. Raises SettingsError as `fibs_chance`, and for experience below 0.
    """
    chance = fibs_chance(rating, opponent, length)
    FLAG("won", won)
    _EXPERIENCE("experience", experience)
    ramp = max(1.0, 5 - experience / 100)
    return 4 * ramp * math.sqrt(length) * (1 - chance if won else -chance)
