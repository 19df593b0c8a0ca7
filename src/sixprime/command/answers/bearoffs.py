"""What `eval` says of a bear-off besides its worth: how many rolls each side takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixprime.bearoff.databases import FULL, Databases
from sixprime.bearoff.lookup import look_up
from sixprime.bearoff.side import PIPS_PER_ROLL, Side, number_of
from sixprime.errors import DataFileError, InvalidPositionError
from sixprime.game.position import Position

_HOME = 6
_LEAST = 5e-6
"""Chances below are not shown."""


def rolls_text(position: Position) -> str | None:
    """Chances in per cent to be off, and to have one chequer off, in so many rolls; means; None for no bear-off."""
    if any(position.player[_HOME:]) or any(position.opponent[_HOME:]):
        return None
    try:
        race = look_up(position, Databases.standard()).race
    except (InvalidPositionError, DataFileError):
        return None
    if race is None:
        return None
    sides = race.on_roll, race.opponent
    firsts = [
        _first(side, sum(counts)) for side, counts in zip(sides, (position.player, position.opponent), strict=True)
    ]
    numbers = [number_of(side, _HOME) for side in (position.player, position.opponent)]
    last = max(int((side.distribution > _LEAST).nonzero()[0][-1]) for side in sides)
    lines = [
        f"             {'Player':<15}Opponent",
        f"Position     {numbers[0]:8}      {numbers[1]:8}",
        "",
        "Bearing off \t\t\t\tBearing at least one chequer off",
        "Rolls\tPlayer\tOpponent\tPlayer\tOpponent",
    ]
    for roll in range(last + 1):
        off = "\t".join(f"{100 * side.distribution[roll]:7.3f}" for side in sides)
        first = "\t".join(f"{100 * chances[roll]:7.3f}" for chances in firsts)
        lines.append(f"{roll:5}\t{off}\t\t{first if roll < last else ''}")
    lines += ["", "Average rolls", "", "Bearing off\t\t\t\tSaving gammon", "\tPlayer\tOpponent\tPlayer\tOpponent"]
    saved = [_moments(chances) for chances in firsts]
    means = [side.mean for side in sides] + [mean for mean, _ in saved]
    spreads = [side.sd for side in sides] + [sd for _, sd in saved]
    for name, values in (("Mean", means), ("Std dev", spreads)):
        lines.append("{}\t{:7.3f}\t{:7.3f}\t\t{:7.3f}\t{:7.3f}".format(name, *values))
    lines += ["", "Effective pip count:", "", "\tPlayer\tOpponent"]
    lines += ["{}\t{:7.3f}\t{:7.3f}".format("EPC", *(side.epc for side in sides))]
    lines += ["{}\t{:7.3f}\t{:7.3f}".format("Wastage", *(side.wastage for side in sides))]
    return "\n".join([*lines, "", f"EPC = {PIPS_PER_ROLL:.3f} * Average rolls", "Wastage = EPC - pips", ""])


def _first(side: Side, chequers: int) -> NDArray[np.float64]:
    """Chances to have one chequer off in exactly k rolls; a side with fewer than all has done that."""
    if chequers == FULL:
        return side.gammon_distribution
    chances = np.zeros_like(side.distribution)
    chances[0] = 1.0
    return chances


def _moments(chances: NDArray[np.float64]) -> tuple[float, float]:
    """Mean and standard deviation of a number of rolls."""
    rolls = np.arange(len(chances))
    mean = float(rolls @ chances)
    return mean, max(0.0, float(rolls**2 @ chances) - mean**2) ** 0.5
