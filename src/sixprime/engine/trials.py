"""What comes of the games of a rollout: a row for each trial."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime.frozen import ByBits

FINISHED, PASSED, CUT, KNOWN = range(4)
"""How a trial ended: game over, double passed, truncated, found in a bear-off database."""

COUNTS = (
    "ending",
    "turns",
    "points",
    "doublings",
    "doubles",
    "their_doubles",
    "hits",
    "their_hits",
    "first_hit",
    "their_first_hit",
    "closeouts",
    "their_closeouts",
    "first_closeout",
    "their_first_closeout",
    "first_double",
    "bearoff_turns",
    "their_bearoff_turns",
    "pips_lost",
    "their_pips_lost",
)
"""Columns of `Trials.counts`. points: 1..3 won or -1..-3 lost by the player on roll at the root, in cubes, 0 when
nobody won; doublings: how often the cube was taken; first_hit, first_closeout, first_double (of either player): turn,
counted from 1, 0 for none; closeouts: turns that ended with six points made before a chequer on the bar;
bearoff_turns: turns begun with all chequers at home; pips_lost: pips thrown in these that were not moved; their_...: of
the other player. New ones go to the end."""
INDEX = {name: i for i, name in enumerate(COUNTS)}
UNKNOWN = -1
"""In columns that there were not yet when a rollout was kept."""
_FEWER = 12
"""Columns of earlier rollouts."""
_LARGEST_VALUE = 1e9


@dataclass(frozen=True, slots=True, eq=False)
class Trials(ByBits):
    """Results of trials in order, seen by the player on roll at the root.

    outcomes: `float64[N, 5]`; values: `float64[N]`, money equity in units of the root's cube or match-winning chance,
    cubeful if the rollout is: both with the luck taken out if the settings say so. counts: `int16[N, len(COUNTS)]`.
    """

    outcomes: NDArray[np.float64]
    values: NDArray[np.float64]
    counts: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.values)

    @classmethod
    def empty(cls, count: int = 0) -> Trials:
        """Room for `count` trials."""
        return cls(np.zeros((count, 5)), np.full(count, np.nan), np.zeros((count, len(COUNTS)), dtype=np.int16))

    @classmethod
    def join(cls, parts: list[Trials]) -> Trials:
        """Trials of several parts one after the other."""
        return cls(
            np.concatenate([part.outcomes for part in parts]),
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.counts for part in parts]),
        )

    @classmethod
    def kept(cls, outcomes: NDArray[np.float64], values: NDArray[np.float64], counts: NDArray[np.int16]) -> Trials:
        """Trials that were kept, perhaps with the fewer counts of earlier versions. Raises ValueError as `check`."""
        if counts.ndim == 2 and counts.shape[1] == _FEWER and counts.dtype == np.int16:
            missing = np.full((len(counts), len(COUNTS) - _FEWER), UNKNOWN, dtype=np.int16)
            counts = np.concatenate((counts, missing), axis=1)
        trials = cls(outcomes, values, counts)
        trials.check()
        return trials

    def check(self) -> None:
        """Raises ValueError when shapes or types are not those of results."""
        count = len(self.values)
        sound = self.values.shape == (count,) and self.outcomes.shape == (count, 5)
        sound &= self.counts.shape == (count, len(COUNTS)) and self.counts.dtype == np.int16
        if not sound or self.values.dtype != np.float64 or self.outcomes.dtype != np.float64:
            raise ValueError("arrays of trials with wrong shapes")
        # Luck taken out may leave what is no chance, but nothing beyond all stakes.
        if not all((np.abs(part) < _LARGEST_VALUE).all() for part in (self.values, self.outcomes)):
            raise ValueError("trials without a result")

    def __getitem__(self, part: slice) -> Trials:
        return Trials(self.outcomes[part], self.values[part], self.counts[part])

    def column(self, name: str) -> NDArray[np.int16]:
        """One of the `COUNTS`."""
        return self.counts[:, INDEX[name]]
