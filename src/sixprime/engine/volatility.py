"""Jump volatility of real positions: how far the winning chance moves from one turn of a player to his next.

Both sides roll once, 441 pairs of rolls, and play best by the net.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.janowski import utility_weights
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.state import CubeState
from sixprime.kernels import search

_MONEY = CubeState()
_CHUNK = 32
_SHARES = (kernels.ROLL_WEIGHTS / 36.0)[:, None] * (kernels.ROLL_WEIGHTS / 36.0)
_SWAP = [0, 3, 4, 1, 2]


@dataclass(frozen=True, slots=True)
class JumpVolatility:
    """Moments of the winning chance after the 441 pairs of rolls.

    mean: the chance itself; volatility: mean absolute difference from it; deviation: root mean square one.
    """

    mean: float
    volatility: float
    deviation: float


def pair_outcomes(
    brain: search.Brain, boards: NDArray[np.int8], weights: NDArray[np.float64] | None = None, keep: int = 0
) -> tuple[NDArray[np.float32], NDArray[np.int8], NDArray[np.int8]]:
    """Positions after every pair of rolls, for the player on roll at the start, who is on roll again.

    boards: int8[N, 32] packed. weights: float64[5], utility of outcomes by which both play; None is money. keep: as in
    `search.best_replies`. Returns outcomes float32[N, 21, 21, 5], boards int8[N, 21, 21, 32] and class codes
    int8[N, 21, 21]; where the first roll ended the game all second rolls are alike.
    """
    count = len(boards)
    money, _ = utility_weights(_MONEY)
    w = np.asarray(money if weights is None else weights, dtype=np.float32)
    # Seen by the side on roll after the play, the same utility.
    other = w[_SWAP] if weights is not None else w
    first, outputs = np.zeros((count, 21, 32), dtype=np.int8), np.empty((count, 21, 5), dtype=np.float32)
    search.best_replies(brain, boards, kernels.ROLLS[None], _against(other), keep, first, outputs)
    middle = first.reshape(-1, 32)
    codes = np.empty(len(middle), dtype=np.int8)
    search.classify(middle, codes)
    over = codes == search.OVER
    after = np.zeros((len(middle), 21, 32), dtype=np.int8)
    results = np.empty((len(middle), 21, 5), dtype=np.float32)
    chosen, found = np.zeros((int((~over).sum()), 21, 32), dtype=np.int8), None
    found = np.empty((len(chosen), 21, 5), dtype=np.float32)
    search.best_replies(brain, middle[~over], kernels.ROLLS[None], _against(w), keep, chosen, found)
    after[~over], results[~over] = chosen, found
    if over.any():
        ended = outputs.reshape(-1, 5)[over][:, _SWAP]
        ended[:, 0] = 1 - ended[:, 0]
        results[over] = ended[:, None, :]
        after[over] = kernels.swap(middle[over])[:, None, :]
    ends = np.empty(len(middle) * 21, dtype=np.int8)
    search.classify(after.reshape(-1, 32), ends)
    shape = (count, 21, 21)
    return results.reshape(*shape, 5), after.reshape(*shape, 32), ends.reshape(shape)
