"""How numbers are written: what `set output` chooses, and match-winning chances in place of equities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sixprime.game.outcomes import Outcomes
from sixprime.report.words import six_chances

_NEAR = 1e-6
"""Equities so near to each other do not say what lies between them."""


@dataclass(frozen=True, slots=True)
class Stakes:
    """What one cube is worth in a match, to the player whose equities are shown.

    lose, win: his match-winning chance after losing and winning the value of the cube; equities -1 and +1.
    """

    lose: float
    win: float

    def mwc(self, equity: float) -> float:
        """Match-winning chance of a normalised equity."""
        return self.lose + (equity + 1) / 2 * (self.win - self.lose)

    def change(self, equity: float) -> float:
        """What a difference of normalised equities is in match-winning chances."""
        return equity * (self.win - self.lose) / 2

    def equity(self, mwc: float) -> float:
        """Normalised equity of a match-winning chance; 0 where nothing is at stake."""
        return 2 * (mwc - self.lose) / (self.win - self.lose) - 1 if self.win != self.lose else 0.0

    @classmethod
    def through(cls, values: Iterable[tuple[float, float | None]]) -> Stakes | None:
        """From equities and what they are in match-winning chances; None for money and where all are the same."""
        known = sorted((equity, mwc) for equity, mwc in values if mwc is not None)
        if not known or known[-1][0] - known[0][0] < _NEAR:
            return None
        (low, first), (high, last) = known[0], known[-1]
        slope = (last - first) / (high - low)
        return cls(first - (low + 1) * slope, first + (1 - low) * slope)

    @property
    def opposite(self) -> Stakes:
        """The same for the other player."""
        return Stakes(1 - self.win, 1 - self.lose)


@dataclass(frozen=True, slots=True)
class Figures:
    """digits: after the point. mwc: match-winning chances in place of equities, in matches; matchpc: as percentages;
    winpc: chances of the game as percentages.
    """

    digits: int = 3
    mwc: bool = False
    matchpc: bool = True
    winpc: bool = False

    def chance(self, value: float) -> str:
        """A chance of the game."""
        if self.winpc:
            return f"{100 * max(value, 0.0):{self.digits + 2}.{max(0, self.digits - 2)}f}"
        return f"{max(value, 0.0):{self.digits + 2}.{self.digits}f}"

    def chances(self, probabilities: Outcomes) -> str:
        """Win, gammon, backgammon; then the same of the opponent."""
        six = [self.chance(value) for value in six_chances(probabilities)]
        return f"{' '.join(six[:3])} - {' '.join(six[3:])}"

    def in_mwc(self, stakes: Stakes | None) -> bool:
        """Whether values are shown as match-winning chances. stakes: None in money play."""
        return self.mwc and stakes is not None

    def match_chance(self, value: float, *, sign: str = "") -> str:
        """A match-winning chance, or with the sign "+" a difference of two."""
        if self.matchpc:
            return f"{100 * value:{sign}{self.digits + 3}.{self.digits - 1 if self.digits else 0}f}%"
        return f"{value:{sign}.{self.digits + 1}f}"

    def value(self, equity: float, stakes: Stakes | None) -> str:
        """A normalised equity, or the match-winning chance that it is."""
        return self.either(equity, None if stakes is None else stakes.mwc(equity))

    def difference(self, equity: float, stakes: Stakes | None) -> str:
        """A difference of two equities, or of what they are in match-winning chances."""
        return self.change(equity, None if stakes is None else stakes.change(equity))

    def either(self, equity: float, mwc: float | None) -> str:
        """A normalised equity, or what it is as a match-winning chance, None for money."""
        return self.equity(equity) if mwc is None or not self.mwc else self.match_chance(mwc)

    def change(self, equity: float, mwc: float | None) -> str:
        """The same of differences."""
        return self.equity(equity) if mwc is None or not self.mwc else self.match_chance(mwc, sign="+")

    def equity(self, value: float) -> str:
        """An equity, or a difference of two."""
        return f"{value:+{self.digits + 3}.{self.digits}f}"

    def error(self, error: float, stakes: Stakes | None) -> str:
        """A standard error of an equity, or of the match-winning chance that it is."""
        if self.mwc and stakes is not None:
            return self.match_chance(abs(stakes.change(error)))
        return f"{error:{self.digits + 3}.{self.digits}f}"
