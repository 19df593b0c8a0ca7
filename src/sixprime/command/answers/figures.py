"""How answers write numbers: what `set output` chooses, and match-winning chances in place of equities."""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.game.outcomes import Outcomes
from sixprime.report.words import six_chances


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

    def equity(self, mwc: float) -> float:
        """Normalised equity of a match-winning chance; 0 where nothing is at stake."""
        return 2 * (mwc - self.lose) / (self.win - self.lose) - 1 if self.win != self.lose else 0.0

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
            return f"{100 * value:{self.digits + 2}.{max(0, self.digits - 2)}f}"
        return f"{value:{self.digits + 2}.{self.digits}f}"

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
        if self.mwc and stakes is not None:
            return self.match_chance(stakes.mwc(equity))
        return f"{equity:+{self.digits + 3}.{self.digits}f}"

    def difference(self, equity: float, stakes: Stakes | None) -> str:
        """A difference of two equities, or of what they are in match-winning chances."""
        if self.mwc and stakes is not None:
            return self.match_chance(equity * (stakes.win - stakes.lose) / 2, sign="+")
        return f"{equity:+{self.digits + 3}.{self.digits}f}"


def eq_to_mwc(equity: float, stakes: Stakes, figures: Figures) -> str:
    """The answer to `eq2mwc`. equity: normalised, of the player on roll."""
    ends = [f"MWC for equity = {end:+.3f}: {figures.match_chance(stakes.mwc(end))}" for end in (-1, 1)]
    asked = f"MWC for equity = {equity:+.3f}: {figures.match_chance(stakes.mwc(equity))}"
    return "\n".join([*ends, "By linear interpolation:", asked])


def mwc_to_eq(mwc: float, stakes: Stakes, figures: Figures) -> str:
    """The answer to `mwc2eq`. mwc: from 0 to 1, of the player on roll."""
    ends = [f"Equity for MWC = {figures.match_chance(stakes.mwc(end))}: {end:+.3f}" for end in (-1, 1)]
    asked = f"Equity for MWC = {figures.match_chance(mwc)}: {stakes.equity(mwc):+.3f}"
    return "\n".join([*ends, "By linear interpolation:", asked])
