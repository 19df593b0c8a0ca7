"""Dice of rollouts. Those of a trial's turn depend only on (seed, trial, turn).

Quasi-random dice, as GNU Backgammon's manual describes them: permutations perm[g][t] of the 36 throws for
generation g = 0..5 and turn t = g..127. For trial n and turn t, start with j = 0 and for g = 0..min(5, t) set
j = perm[g][t][(n // 36^g + j) mod 36]; the throw is (j // 6 + 1, j mod 6 + 1). So every 36 trials have every first
throw once, every 1,296 every pair of first two, every 46,656 every three; and every 36 trials have every throw
once at each later turn. Later turns than 127 are random.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from sixprime.engine.random import hash64
from sixprime.frozen import frozen

GENERATIONS = 6
TURNS = 128
_TABLE, _THROW, _BRANCH = 1, 2, 3  # kinds of hashes


class Dice:
    """Throws of all trials of a rollout.

    rotate: quasi-random. initial: the first turn is the first roll of a game, which is never a double.
    """

    def __init__(self, seed: int, *, rotate: bool = True, initial: bool = False) -> None:
        self.seed, self.rotate, self.initial = seed, rotate, initial

    def throws(self, trials: NDArray[np.int64], turn: int) -> NDArray[np.int64]:
        """Throws `int64[N]` 0..35 of a turn of each trial; a throw is 6 * (first die - 1) + second die - 1."""
        if not self.rotate:
            if self.initial and turn == 0:
                singles = np.flatnonzero(np.arange(36) % 7)
                return np.asarray(singles[(hash64(self.seed, _THROW, trials, turn) >> np.uint64(11)) % np.uint64(30)])
            return self._random(trials, turn)
        if turn >= TURNS:
            return self._random(trials, turn)
        tables = _tables(self.seed)
        numbers = np.asarray(trials, dtype=np.int64)
        if self.initial:
            # Of every 36 numbers the 30 are used whose first throw is no double.
            singles = np.flatnonzero(tables[0, 0] % 7)
            numbers = numbers // 30 * 36 + singles[numbers % 30]
        j = np.zeros_like(numbers)
        for g in range(min(GENERATIONS, turn + 1)):
            j = tables[g, turn][(numbers // 36**g + j) % 36]
        return j

    def branch_throws(self, trials: NDArray[np.int64], turn: int, branches: NDArray[np.int64]) -> NDArray[np.int64]:
        """Random throws `int64[N]` of branches of trials, by the branches' numbers."""
        draws = hash64(self.seed, _BRANCH, trials, turn, branches)
        return np.asarray((draws >> np.uint64(11)) % np.uint64(36), dtype=np.int64)

    def _random(self, trials: NDArray[np.int64], turn: int) -> NDArray[np.int64]:
        return np.asarray((hash64(self.seed, _THROW, trials, turn) >> np.uint64(11)) % np.uint64(36), dtype=np.int64)


@lru_cache(maxsize=16)
def _tables(seed: int) -> NDArray[np.int64]:
    """The permutations `int64[6, 128, 36]` of a seed."""
    grid = np.indices((GENERATIONS, TURNS, 36))
    return frozen(np.argsort(hash64(seed, _TABLE, *grid), axis=2, kind="stable").astype(np.int64))
