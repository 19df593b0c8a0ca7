"""In which units reports say what decisions are worth: equities, or match-winning chances in their place."""

from __future__ import annotations

from dataclasses import dataclass, replace


def signed(value: float, digits: int = 3) -> str:
    """`+0.123`, with a hyphen-minus (plain text stays ASCII)."""
    text = f"{value:+.{digits}f}"
    return text.replace("-", "+") if float(text) == 0.0 else text


def percent(value: float, digits: int = 1) -> str:
    """A probability 0..1 as `52.3` (no sign, no unit)."""
    return f"{100.0 * value:.{digits}f}"


@dataclass(frozen=True, slots=True)
class Units:
    """How equities and what they are in match-winning chances (MWC) are written.

    mwc: MWC in place of equities, in matches. matchpc: MWC in percent. digits: of equities, after the point; of MWC one
    less in percent, else one more. Methods take both values; the MWC is None for money, and where it is not known.
    """

    mwc: bool = False
    matchpc: bool = True
    digits: int = 3

    @property
    def unit(self) -> str:
        """Of MWC: ` %`, or nothing."""
        return " %" if self.matchpc else ""

    @property
    def coarse(self) -> Units:
        """The same with one digit less, for narrow columns."""
        return replace(self, digits=max(self.digits - 1, 0))

    def chance(self, mwc: float) -> str:
        """A MWC without its unit."""
        return percent(mwc, max(self.digits - 1, 0)) if self.matchpc else f"{mwc:.{self.digits + 1}f}"

    def change_of_chance(self, mwc: float) -> str:
        """A difference of two, with sign and unit."""
        if self.matchpc:
            return signed(100 * mwc, max(self.digits - 1, 0)) + self.unit
        return signed(mwc, self.digits + 1)

    def size(self, equity: float, mwc: float | None) -> float:
        """By what errors are put in order."""
        return equity if mwc is None or not self.mwc else mwc

    def value(self, equity: float, mwc: float | None) -> str:
        """What a play or cube action is worth."""
        return signed(equity, self.digits) if mwc is None or not self.mwc else self.chance(mwc) + self.unit

    def change(self, equity: float, mwc: float | None) -> str:
        """What was gained, or with a minus lost."""
        return signed(equity, self.digits) if mwc is None or not self.mwc else self.change_of_chance(mwc)

    def lost(self, equity: float, mwc: float | None) -> str:
        """A sum of losses as a negative number; without a sign for none."""
        return self.change(-equity, None if mwc is None else -mwc).replace("+", "")

    def loss(self, equity: float, mwc: float | None) -> str:
        """What one decision or candidate lost as a negative number; empty for none."""
        text = self.change(-equity, None if mwc is None else -mwc)
        return "" if float(text.removesuffix(self.unit)) == 0.0 else text

    def verdict(self, equity: float, mwc: float | None) -> str:
        """What a decision lost without a sign, in both units where it is an equity: `0.364 = 12.32 % MWC`."""
        chance = "" if mwc is None else f"{self.chance(mwc)}{self.unit} MWC"
        if chance and self.mwc:
            return chance
        return f"{equity:.{self.digits}f}" + (f" = {chance}" if chance else "")


EMG = Units()
"""Equities with three digits."""
