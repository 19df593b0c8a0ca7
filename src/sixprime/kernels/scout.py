"""A quick look at many plays: which few are worth the full net.

The pruning net's hidden layer is worked out for every play, but its outputs only along the direction in which the
utility grows fastest at the parent: one product instead of five and no exponentials. The order of plays hardly suffers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sixprime.kernels._bits import trailing_zeros
from sixprime.kernels._block import Block, Float32s, Int16s
from sixprime.kernels._jit import njit
from sixprime.kernels.features import highest
from sixprime.kernels.network import Net
from sixprime.kernels.plays import MAX_PLAYS, OFF_CODE, OPPONENT_CODE


@dataclass(frozen=True, eq=False, slots=True)
class Scout(Block):
    """Scratch of one thread; see `make_scout`."""

    parent: Int16s  # [H] sums of the parent
    sums: Int16s  # [H]
    slope: Float32s  # [H] gradient of the utility at the parent by hidden unit
    scores: Float32s  # [MAX_PLAYS]


@njit(allocates=False)
def can_read(net):  # type: ignore[no-untyped-def]
    """Whether the look works with this net: chequers of each point are its inputs, and one plain layer is hidden."""
    return net.rear == 1 and not net.pairs and not net.top.size and net.head.shape[1] == net.rows.shape[1]


def make_scout(net: Net) -> Scout:
    """Fresh scratch for a net."""
    width = net.rows.shape[1]
    return Scout(
        np.zeros(width, dtype=np.int16),
        np.zeros(width, dtype=np.int16),
        np.zeros(width, dtype=np.float32),
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
    rows, parent, slope = net.rows, scout.parent, scout.slope
    width = parent.shape[0]
    for k in range(width):
        parent[k] = net.bias[k]
    for slot in range(1, 26):
        mine = np.int64(board[slot])
        theirs = np.int64(board[0]) if slot == 25 else -np.int64(board[25 - slot])
        for step in range(mine):
            row = 4 * slot + min(step, 3)
            for k in range(width):
                parent[k] += rows[row, k]
        for step in range(theirs):
            row = OPPONENT_CODE + 4 * slot + min(step, 3)
            for k in range(width):
                parent[k] += rows[row, k]
    for side in range(2):
        for n in range(board[26 + side]):
            row = OFF_CODE + 16 * side + n
            for k in range(width):
                parent[k] += rows[row, k]
    three, nine, full, unit = np.float32(3), np.float32(9), np.float32(27), np.float32(net.unit)
    for k in range(width):
        slope[k] = 0.0
    for j in range(5):
        z = net.head_bias[j]
        for k in range(width):
            x = min(max(np.float32(parent[k]) * unit, -three), three)
            square = x * x
            z += net.head[j, k] * (x * (full + square) / (full + nine * square))
        chance = np.float32(1) / (np.float32(1) + math.exp(-z))
        steep = weights[j] * chance * (np.float32(1) - chance)
        for k in range(width):
            slope[k] += steep * net.head[j, k]


@njit(fastmath=True, allocates=False)
def pick_best(net, scout, plays, count, keep, picks):  # type: ignore[no-untyped-def]
    """Writes the `keep` plays of the first `count` that look best to `picks`, in no order; each changes something."""
    rows, sums, parent, slope, scores = net.rows, scout.sums, scout.parent, scout.slope, scout.scores
    left, came, sizes = plays.left, plays.came, plays.changes
    width = sums.shape[0]
    three, nine, full, unit = np.float32(3), np.float32(9), np.float32(27), np.float32(net.unit)
    for i in range(count):
        a, b = came[i, 0], left[i, 0]
        for k in range(width):
            sums[k] = parent[k] + rows[a, k] - rows[b, k]
        for q in range(1, sizes[i]):
            a, b = came[i, q], left[i, q]
            for k in range(width):
                sums[k] += rows[a, k] - rows[b, k]
        score = np.float32(0)
        for k in range(width):
            x = min(max(np.float32(sums[k]) * unit, -three), three)
            square = x * x
            score += slope[k] * (x * (full + square) / (full + nine * square))
        scores[i] = score
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
