"""Answers to `eq2mwc` and `mwc2eq`."""

from __future__ import annotations

from sixprime.report.figures import Stakes


def _chance(mwc: float) -> str:
    """In per cent, with two digits, whatever `set output` says, as there."""
    return f"{100 * mwc:6.2f}%"


def eq_to_mwc(equity: float, stakes: Stakes) -> str:
    """The answer to `eq2mwc`. equity: normalised, of the player on roll."""
    ends = [f"MWC for equity = {end:+.3f}: {_chance(stakes.mwc(end))}" for end in (-1, 1)]
    asked = f"MWC for equity = {equity:+.3f}: {_chance(stakes.mwc(equity))}"
    return "\n".join([*ends, "By linear interpolation:", asked])


def mwc_to_eq(mwc: float, stakes: Stakes) -> str:
    """The answer to `mwc2eq`. mwc: from 0 to 1, of the player on roll."""
    ends = [f"Equity for MWC = {_chance(stakes.mwc(end))}: {end:+.3f}" for end in (-1, 1)]
    asked = f"Equity for MWC = {_chance(mwc)}: {stakes.equity(mwc):+.3f}"
    return "\n".join([*ends, "By linear interpolation:", asked])
