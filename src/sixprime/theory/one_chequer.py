"""The one-chequer model: each side of a race is a single chequer that needs as many rolls on average.

Its cube action is solved exactly, as Zadeh and Kobliska did (On Optimal Doubling in Backgammon, 1977).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sixprime.checks import Real
from sixprime.cube.decision import decide
from sixprime.cube.state import CubeState
from sixprime.frozen import frozen
from sixprime.theory.race_counts import RaceCount, Verdict

_MOST_PIPS = 360
"""Pips of 15 chequers on the 24 point."""
_ROLLS = Real(0, 1e9)


def one_chequer(player: float, opponent: float) -> RaceCount:
    """The one-chequer model of a race, in money play without gammons.

    player, opponent: mean rolls that each side needs, the player on roll. The counts are the distances in pips of the
    two single chequers, at most 360; between whole pips the values are interpolated. Raises SettingsError.
    """
    _ROLLS("player", player)
    _ROLLS("opponent", opponent)
    model = _one_chequer_model()
    distances = [float(np.interp(mean, model.means, np.arange(_MOST_PIPS + 1))) for mean in (player, opponent)]
    win, centred, owned, taken = (_between(table, *distances) for table in model.tables)
    # Where a double is passed for sure, what is played on for is +1 but for rounding.
    first, again = (
        decide(value, taken, CubeState(owner=owner), gammons=False) for value, owner in ((centred, 0), (owned, 1))
    )
    verdict = Verdict.NO_DOUBLE
    if first.should_double:
        verdict = Verdict.REDOUBLE if again.should_double else Verdict.DOUBLE
        if not first.should_take:
            verdict = Verdict.PASS
    rule = "money play solved for one chequer a side that needs as many rolls"
    return RaceCount("One chequer", distances[0], distances[1], None, win, verdict, rule)


@dataclass(frozen=True, slots=True, eq=False)
class _OneChequer:
    """means: `float64[P]` rolls of a chequer with so many pips to go. tables: `float64[4, P, P]` by the pips of the
    player on roll and of the opponent: his winning chance, and equities before he may double: centred cube not turned,
    his own cube not turned, doubled and taken."""

    means: NDArray[np.float64]
    tables: NDArray[np.float64]


def _between(table: NDArray[np.float64], x: float, y: float) -> float:
    i, j = min(int(x), _MOST_PIPS - 1), min(int(y), _MOST_PIPS - 1)
    near, far = table[i, j : j + 2], table[i + 1, j : j + 2]
    row = near + (x - i) * (far - near)
    return float(row[0] + (y - j) * (row[1] - row[0]))


@cache
def _one_chequer_model() -> _OneChequer:
    """Solves the model: a chequer moves all pips of a roll, four times the die with a double, and may overshoot."""
    chance = np.zeros(25)
    for a in range(1, 7):
        for b in range(1, 7):
            chance[(a + b) * (2 if a == b else 1)] += 1 / 36
    rolls = [(pip, weight) for pip, weight in enumerate(chance) if weight]
    size = _MOST_PIPS + 1
    means = np.zeros(size)
    for start in range(1, size):
        means[start] = 1 + sum(weight * means[max(start - pip, 0)] for pip, weight in rolls)
    # What a position is worth to the side on roll, who may double first: win, centred, his cube, the opponent's cube.
    worth = np.zeros((4, size, size))
    still = np.zeros((4, size, size))
    worth[0, 0], worth[1:, 0] = 1.0, 1.0
    worth[0, 1:, 0], worth[1:, 1:, 0] = 0.0, -1.0
    own = np.arange(size)
    for total in range(2, 2 * _MOST_PIPS + 1):
        mine = own[max(1, total - _MOST_PIPS) : min(total - 1, _MOST_PIPS) + 1]
        theirs = total - mine
        value = np.zeros((4, len(mine)))
        for pip, weight in rolls:
            left = np.maximum(mine - pip, 0)
            after = worth[:, theirs, left]
            done = left == 0
            value[0] += weight * np.where(done, 1.0, 1.0 - after[0])
            value[1] += weight * np.where(done, 1.0, -after[1])
            # The cube I own, my opponent does not on his turn, and the other way round.
            value[2] += weight * np.where(done, 1.0, -after[3])
            value[3] += weight * np.where(done, 1.0, -after[2])
        taken = np.minimum(2 * value[3], 1.0)
        still[0, mine, theirs], still[1, mine, theirs] = value[0], value[1]
        still[2, mine, theirs], still[3, mine, theirs] = value[2], 2 * value[3]
        worth[0, mine, theirs] = value[0]
        worth[1, mine, theirs] = np.maximum(value[1], taken)
        worth[2, mine, theirs] = np.maximum(value[2], taken)
        worth[3, mine, theirs] = value[3]
    return _OneChequer(frozen(means), frozen(still))
