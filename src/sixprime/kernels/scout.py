"""A quick look at many plays: which few are worth the full net.

The pruning net's hidden layer is worked out for every play, but its outputs only along the direction in which the
utility grows fastest at the parent: one product instead of five and no exponentials. The order of plays hardly suffers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sixprime.kernels._bits import trailing_zeros
from sixprime.kernels._block import Block, Float32s, Int16s, Int64s
from sixprime.kernels._jit import njit
from sixprime.kernels._vectors import FLOATS, SHORTS, floats, fused, lower, put, repeat, shorts, total, upper
from sixprime.kernels.features import chequers_on, highest
from sixprime.kernels.network import Net, squash
from sixprime.kernels.plays import MAX_PLAYS, OFF_CODE, OPPONENT_CODE


@dataclass(frozen=True, eq=False, slots=True)
class Scout(Block):
    """Scratch of one thread; see `make_scout`."""

    parent: Int16s  # [H] sums of the parent
    slope: Float32s  # [H] gradient of the utility at the parent by hidden unit
    hidden: Float32s  # [H]
    chosen: Int64s  # [64] rows that the parent switches on
    scores: Float32s  # [MAX_PLAYS]


@njit(allocates=False)
def can_read(net):  # type: ignore[no-untyped-def]
    """Whether the look works with this net: chequers of each point are its inputs, and one plain layer is hidden."""
    return net.rear == 1 and not net.pairs and not net.top.size and net.head.shape[0] == net.rows.shape[1]


def make_scout(net: Net) -> Scout:
    """Fresh scratch for a net."""
    width = net.rows.shape[1]
    return Scout(
        np.zeros(width, dtype=np.int16),
        np.zeros(width, dtype=np.float32),
        np.zeros(width, dtype=np.float32),
        np.zeros(64, dtype=np.int64),
        np.zeros(MAX_PLAYS, dtype=np.float32),
    )


@njit(inline="always")
def stays_contact(board, board_masks, pips):  # type: ignore[no-untyped-def]
    """Whether after every play of so many pips there is contact: not all chequers can get past the other side's last.

    board: before the roll, seen by the mover; board_masks: its `features.masks`.
    """
    nearest = trailing_zeros(board_masks[2])
    needed = np.int64(0)
    for p in range(nearest + 1, highest(board_masks[0]) + 1):
        needed += max(np.int64(board[p]), 0) * (p - nearest)
        if needed > pips:
            return True
    return False


@njit(fastmath=True, allocates=False)
def set_parent(net, scout, board, weights):  # type: ignore[no-untyped-def]
    """Prepares the plays of a board `int8[32]`, seen by the mover. weights: `float32[5]`, utility to the other side."""
    rows, parent, slope, hidden = net.rows, scout.parent, scout.slope, scout.hidden
    found = 0
    for slot in range(1, 26):
        for side in range(2):
            for step in range(chequers_on(board, side, slot)):
                scout.chosen[found] = OPPONENT_CODE * side + 4 * slot + min(step, 3)
                found += 1
    for side in range(2):
        for n in range(board[26 + side]):
            scout.chosen[found] = OFF_CODE + 16 * side + n
            found += 1
    unit, logits = repeat(net.unit), floats(net.head_bias, 0)
    for k in range(0, parent.shape[0], SHORTS):
        sums = shorts(net.bias, k)
        for i in range(found):
            sums = sums + shorts(rows, scout.chosen[i], k)
        put(sums, parent, k)
        put(squash(lower(sums) * unit), hidden, k)
        put(squash(upper(sums) * unit), hidden, k + FLOATS)
    for k in range(parent.shape[0]):
        logits = fused(repeat(hidden[k]), floats(net.head, k, 0), logits)
    put(logits, hidden, 0)
    for j in range(5):
        chance = np.float32(1) / (np.float32(1) + math.exp(-hidden[j]))
        hidden[j] = weights[j] * chance * (np.float32(1) - chance)
    for j in range(5, FLOATS):
        hidden[j] = 0.0
    steep = floats(hidden, 0)
    for k in range(parent.shape[0]):
        slope[k] = total(steep * floats(net.head, k, 0))


@njit(fastmath=True, allocates=False)
def pick_best(net, scout, plays, count, keep, picks):  # type: ignore[no-untyped-def]
    """Writes the `keep` plays of the first `count` that look best to `picks`, in no order; each changes something."""
    rows, parent, slope, scores = net.rows, scout.parent, scout.slope, scout.scores
    left, came, sizes = plays.left, plays.came, plays.changes
    unit = repeat(net.unit)
    for i in range(count):
        score = repeat(0)
        for k in range(0, parent.shape[0], SHORTS):
            sums = shorts(parent, k)
            for q in range(sizes[i]):
                sums = sums + (shorts(rows, came[i, q], k) - shorts(rows, left[i, q], k))
            score = fused(squash(lower(sums) * unit), floats(slope, k), score)
            score = fused(squash(upper(sums) * unit), floats(slope, k + FLOATS), score)
        scores[i] = total(score)
    # The worst of those kept stands first.
    for i in range(keep):
        picks[i] = i
    worst = 0
    for k in range(1, keep):
        if scores[picks[k]] > scores[picks[worst]]:
            worst = k
    for i in range(keep, count):
        if scores[i] < scores[picks[worst]]:
            picks[worst] = i
            worst = 0
            for k in range(1, keep):
                if scores[picks[k]] > scores[picks[worst]]:
                    worst = k
