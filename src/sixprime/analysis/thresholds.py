"""Where marks begin: skill, luck, and which cube decisions count."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from sixprime.checks import TEXT, Fields, Maybe, Real
from sixprime.errors import SettingsError


class Skill(IntEnum):
    """Mark of a decision by the equity it lost."""

    NONE = 0
    DOUBTFUL = 1
    BAD = 2
    VERY_BAD = 3


class Luck(IntEnum):
    """Mark of a roll by its luck."""

    VERY_UNLUCKY = -2
    UNLUCKY = -1
    NONE = 0
    LUCKY = 1
    VERY_LUCKY = 2


_LOSS = Real(0, 1e6)
_THRESHOLDS = Fields(
    **dict.fromkeys(("doubtful", "bad", "very_bad", "lucky", "very_lucky", "close_cube"), _LOSS),
    **dict.fromkeys(("unlucky", "very_unlucky"), Maybe(_LOSS)),
)


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Marks by equity (EMG). Errors and bad luck are given as positive sizes.

    doubtful, bad, very_bad: equity lost from which a decision gets the mark. lucky, very_lucky: luck of a
    roll from which it gets the mark; unlucky, very_unlucky: bad luck, None for the same as good. close_cube: a decision
    not to double counts when doubling loses less than this. Raises SettingsError for what is no size or out of order.
    """

    doubtful: float = 0.03
    bad: float = 0.06
    very_bad: float = 0.12
    lucky: float = 0.3
    very_lucky: float = 0.6
    close_cube: float = 0.16
    unlucky: float | None = None
    very_unlucky: float | None = None

    def __post_init__(self) -> None:
        _THRESHOLDS(self)
        for names, sizes in (
            ("doubtful, bad and very_bad", (self.doubtful, self.bad, self.very_bad)),
            ("lucky and very_lucky", (self.lucky, self.very_lucky)),
            ("unlucky and very_unlucky", self.bad_luck),
        ):
            if sizes[0] <= 0 or sorted(sizes) != [*sizes]:
                got = ", ".join(map(str, sizes))
                raise SettingsError(f"{names} must be positive and rising. Got {got} instead.")

    def skill(self, error: float) -> Skill:
        """Mark of a decision that lost `error` >= 0."""
        if error >= self.very_bad:
            return Skill.VERY_BAD
        if error >= self.bad:
            return Skill.BAD
        return Skill.DOUBTFUL if error >= self.doubtful else Skill.NONE

    def luck(self, luck: float) -> Luck:
        """Mark of a roll that changed its player's equity by `luck`."""
        if luck > 0:
            return Luck.VERY_LUCKY if luck >= self.very_lucky else Luck.LUCKY if luck >= self.lucky else Luck.NONE
        first, second = self.bad_luck
        return Luck.VERY_UNLUCKY if -luck >= second else Luck.UNLUCKY if -luck >= first else Luck.NONE

    @property
    def bad_luck(self) -> tuple[float, float]:
        """Sizes of bad luck from which a roll is unlucky and very unlucky."""
        return (
            self.lucky if self.unlucky is None else self.unlucky,
            self.very_lucky if self.very_unlucky is None else self.very_unlucky,
        )


DEFAULT_THRESHOLDS = Thresholds()
OLD_THRESHOLDS = Thresholds(doubtful=0.04, bad=0.08, very_bad=0.16)
"""Marks of GNU Backgammon up to 1.06."""
GALAXY_THRESHOLDS = Thresholds(doubtful=0.02, bad=0.02, very_bad=0.08)
"""Marks of Backgammon Galaxy and eXtreme Gammon: errors from .020, blunders from .080, nothing is only doubtful."""

THRESHOLDS: dict[str, Thresholds] = {
    "gnubg": DEFAULT_THRESHOLDS,
    "gnubg-1.06": OLD_THRESHOLDS,
    "galaxy": GALAXY_THRESHOLDS,
    "xg": GALAXY_THRESHOLDS,
}
"""Sets of marks by name."""


def get_thresholds(text: str) -> Thresholds:
    """The set of that name, or marks of one's own: three rising losses such as "0.02,0.05,0.1".

    Raises SettingsError.
    """
    TEXT("text", text)
    if text in THRESHOLDS:
        return THRESHOLDS[text]
    try:
        doubtful, bad, very_bad = map(float, text.split(","))
    except ValueError:
        known = ", ".join(THRESHOLDS)
        raise SettingsError(
            f"thresholds must be {known} or three losses such as 0.02,0.05,0.1. Got {text!r} instead."
        ) from None
    return Thresholds(doubtful, bad, very_bad)
