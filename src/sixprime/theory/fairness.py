"""Whether dice are fair: chi-square tests of faces, of the two dice of a throw, of doubles and of runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime.checks import FLAG, sequence
from sixprime.errors import SettingsError
from sixprime.game.acts import Dice
from sixprime.game.rules import check_dice

LEAST = 180
"""Throws: with fewer, the tests say nothing. Each of the 36 kinds is then expected five times."""
_RUNS = 6
"""Runs of this length and longer are counted together."""


@dataclass(frozen=True, slots=True)
class Counts:
    """One test. names, found, expected: of each kind; statistic: chi-square with so many degrees of `freedom`.

    chance: that fair dice give as much as this or more.
    """

    title: str
    names: tuple[str, ...]
    found: tuple[int, ...]
    expected: tuple[float, ...]
    statistic: float
    freedom: int
    chance: float


def fairness(dice: Sequence[Dice], *, ordered: bool = True) -> tuple[Counts, ...]:
    """The tests of throws, in order. Raises `SettingsError` for fewer than `LEAST`, and for what are no dice.

    faces: of all dice. throws: the 36 of a first and a second die, or, where nobody knows which was the first
    (`ordered`), the 21 rolls. doubles: throws from one double to the next. Only of ordered ones: following, the first
    die of a throw and of the next; runs, how long dice stay high (4 to 6) or low.
    """
    FLAG("ordered", ordered)
    dice = sequence("dice", dice, "a throw")
    for throw in dice:
        check_dice(throw)
    if len(dice) < LEAST:
        raise SettingsError(f"dice are judged from {LEAST} throws on. Got {len(dice)} instead.")
    thrown = np.array(dice, dtype=np.int64) - 1
    faces = thrown.ravel()
    gaps = np.diff(np.flatnonzero(thrown[:, 0] == thrown[:, 1]))
    singles = _counted("faces", [str(face) for face in range(1, 7)], np.bincount(faces, minlength=6), [1 / 6] * 6)
    doubles = _lengths("throws from double to double", gaps, 1 / 6, 2 * _RUNS)
    every = [(first, second) for first in range(6) for second in range(6)]
    if not ordered:
        rolls = [(high, low) for high, low in every if high >= low]
        kinds = np.sort(thrown, axis=1) @ np.array([1, 6])
        found = np.array([(kinds == 6 * high + low).sum() for high, low in rolls])
        shares = [(1 if high == low else 2) / 36 for high, low in rolls]
        return singles, _counted("rolls", _named(rolls), found, shares), doubles
    following = thrown[:-1:2, 0] * 6 + thrown[1::2, 0]
    high_dice = faces > 2
    runs = np.diff(np.flatnonzero(np.concatenate(([True], high_dice[1:] != high_dice[:-1]))))
    return (
        singles,
        _counted("throws", _named(every), np.bincount(thrown @ np.array([6, 1]), minlength=36), [1 / 36] * 36),
        _counted("following throws", _named(every), np.bincount(following, minlength=36), [1 / 36] * 36),
        doubles,
        _lengths("runs of high or low dice", runs, 1 / 2, _RUNS),
    )


def _named(rolls: Sequence[tuple[int, int]]) -> list[str]:
    return [f"{first + 1}{second + 1}" for first, second in rolls]


def chance_of(statistic: float, freedom: int) -> float:
    """The chance of a chi-square as large as this or larger, by the recurrence over degrees of freedom."""
    half = statistic / 2
    if half <= 0:
        return 1.0
    power, chance = (1, math.exp(-half)) if freedom % 2 == 0 else (0.5, math.erfc(math.sqrt(half)))
    while power < freedom / 2:
        chance += math.exp(power * math.log(half) - half - math.lgamma(power + 1))
        power += 1
    return min(1.0, chance)


def _lengths(title: str, lengths: NDArray[np.int64], end: float, most: int) -> Counts:
    """A test of lengths from 1, each of which is the last with the chance `end`."""
    names = [str(length) for length in range(1, most)] + [f"{most}+"]
    shares = [end * (1 - end) ** (length - 1) for length in range(1, most)]
    found = np.bincount(np.minimum(lengths, most), minlength=most + 1)[1:]
    return _counted(title, names, found, [*shares, 1 - sum(shares)])


def _counted(title: str, names: Sequence[str], found: NDArray[np.int64], shares: Sequence[float]) -> Counts:
    total = int(found.sum())
    expected = tuple(total * share for share in shares)
    pairs = zip(found.tolist(), expected, strict=True)
    statistic = sum((have - want) ** 2 / want for have, want in pairs) if total else 0.0
    freedom = len(names) - 1
    return Counts(
        title, tuple(names), tuple(found.tolist()), expected, statistic, freedom, chance_of(statistic, freedom)
    )
