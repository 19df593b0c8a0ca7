"""Jump volatility of real positions: how far the winning chance moves from one turn of a player to his next.

Both sides roll once, 441 pairs of rolls, and play best by the net.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.checks import array
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.state import CubeState
from sixprime.cube.values import swapped, utility_weights
from sixprime.kernels import search
from sixprime.kernels.replies import best_replies
from sixprime.progress import NOBODY, Watch

_MONEY = CubeState()
_CHUNK = 16
"""Positions of one piece of work, some 50 ms of it: between two, it can be stopped."""
_SHARES = (kernels.ROLL_WEIGHTS / 36.0)[:, None] * (kernels.ROLL_WEIGHTS / 36.0)


def pair_outcomes(
    brain: search.Brain,
    boards: NDArray[np.int8],
    state: CubeState = _MONEY,
    met: MatchEquityTable | None = None,
    *,
    keep: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.int8], NDArray[np.int8]]:
    """Positions after every pair of rolls, for the player on roll at the start, who is on roll again.

    boards: int8[N, 32] packed; state, met: score by which both play. keep: candidates that the pruning net leaves, 0
    for no pruning. Returns outcomes float64[N, 21, 21, 5], boards int8[N, 21, 21, 32] and class codes
    int8[N, 21, 21]; where the first roll ended the game all second rolls are alike. Raises SettingsError for what are
    no boards.
    """
    boards = array("boards", boards, np.int8, None, kernels.WIDTH)
    mine, theirs = utility_weights(state, met)[0], utility_weights(state.swapped(), met)[0]
    middle, outcomes, codes = _best(brain, boards, theirs, keep)
    over = codes == search.OVER
    after = np.empty((len(middle), 21, 32), dtype=np.int8)
    results = np.empty((len(middle), 21, 5))
    ends = np.full((len(middle), 21), search.OVER, dtype=np.int8)
    chosen, found, classes = _best(brain, middle[~over], mine, keep)
    after[~over], results[~over] = chosen.reshape(-1, 21, 32), found.reshape(-1, 21, 5)
    ends[~over] = classes.reshape(-1, 21)
    results[over] = swapped(outcomes[over])[:, None, :]
    after[over] = kernels.swap(middle[over])[:, None, :]
    shape = (len(boards), 21, 21)
    return results.reshape(*shape, 5), after.reshape(*shape, 32), ends.reshape(shape)


def jump_volatilities(
    brain: search.Brain,
    boards: NDArray[np.int8],
    state: CubeState = _MONEY,
    met: MatchEquityTable | None = None,
    *,
    keep: int = 0,
    watch: Watch = NOBODY,
) -> NDArray[np.float64]:
    """Local jump volatility and standard deviation float64[N, 2] of positions.

    The mean absolute and the root mean square difference of the winning chances after the 441 pairs of rolls from
    their mean, which need not be the net's own estimate of the position. watch: is told how far it is and may stop it.
    The other arguments as for `pair_outcomes`.
    """
    boards = array("boards", boards, np.int8, None, kernels.WIDTH)
    out = np.empty((len(boards), 2))
    for start in range(0, len(boards), _CHUNK):
        done = start + _CHUNK
        outcomes, _, _ = pair_outcomes(brain, boards[start:done], state, met, keep=keep)
        chances = outcomes[..., 0]
        away = chances - (chances * _SHARES).sum(axis=(1, 2), keepdims=True)
        mean, square = (np.abs(away) * _SHARES).sum(axis=(1, 2)), (away**2 * _SHARES).sum(axis=(1, 2))
        out[start:done, 0], out[start:done, 1] = mean, np.sqrt(square)
        watch.tell(min(len(boards), done), len(boards), "positions")
        watch.check(done, len(boards), "positions")
    return out


def _best(
    brain: search.Brain, boards: NDArray[np.int8], weights: NDArray[np.float64], keep: int
) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.int8]]:
    """Boards [N * 21, 32] after the best play of every roll, outcomes and classes, for the side then on roll."""
    w = np.asarray(weights, dtype=np.float32)[None]
    chosen, outcomes, codes = best_replies(brain, boards, kernels.ROLLS[None], w, keep)
    return chosen.reshape(-1, 32), outcomes.reshape(-1, 5).astype(np.float64), codes.ravel()
