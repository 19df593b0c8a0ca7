"""Network evaluation: sparse inputs, a wide hidden layer, perhaps a small second one, outputs for the player on roll.

Boards come as after a play; `features` says which rows of one weight table they switch on, which are added up. Because
candidates of a decision differ in few rows, each is evaluated from the parent's sum.

The hidden layer, or the products of its first half with its second, feeds the five outputs straight, and the units of
the second layer, whose own share is added to the outputs. So a net without a second layer is the case of no units.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime.kernels._block import Block, Bools, Float32s, Float32s2, Int16s, Int16s2, Int64s, Int64s2
from sixprime.kernels._jit import njit
from sixprime.kernels.features import (
    BEHINDS,
    MAX_ROWS,
    OFF_A_SIDE,
    OFF_ROWS,
    SLOTS,
    STEPS,
    behinds,
    point_row,
    relation_changes,
    relation_rows,
    row_of,
    rows_reference,
)

LANES = 4
"""Candidates whose heads are worked out together."""


# Numerator and denominator of `_sigmoid`, fitted to its greatest error.
_ABOVE = tuple(
    map(
        np.float32,
        (
            1.4708727790384225e-11,
            8.505153670775582e-8,
            5.5689889408831375e-5,
            0.008398867770401313,
            0.24999999249515512,
        ),
    )
)
_BELOW = tuple(
    map(np.float32, (3.302200057352333e-9, 5.311209635577703e-6, 0.0016335002170415076, 0.11692877301833973, 1.0))
)


@dataclass(frozen=True, eq=False, slots=True)
class Net(Block):
    """Weights as the kernels want them; `nets.file` builds it.

    rows: `int16[R, H]`, the last row all zero; bias: `int16[H]`, both times `unit`, which is such that no position's
    sum leaves sixteen bits; head: `float32[J, F]` and head_bias: `float32[J]`, from the hidden layer (F = H) or its
    products (F = H / 2) to the outputs, the M units of the second layer and so many zeros that four divide J; top:
    `float32[5, M]`, from the second layer to the outputs; rear: `BEHINDS` when point rows depend on what is behind,
    else 1; pairs: 1 when the net has shots and pairs, else 0.
    """

    rows: Int16s2
    bias: Int16s
    head: Float32s2
    head_bias: Float32s
    top: Float32s2
    rear: int
    pairs: int
    unit: float


NO_NET = Net(
    np.zeros((0, 0), dtype=np.int16),
    np.zeros(0, dtype=np.int16),
    np.zeros((0, 0), dtype=np.float32),
    np.zeros(0, dtype=np.float32),
    np.zeros((0, 0), dtype=np.float32),
    1,
    0,
    1.0,
)
"""Stands in where a brain has no such net."""


@dataclass(frozen=True, eq=False, slots=True)
class Work(Block):
    """Scratch of one thread for one net; see `make_work`."""

    still: Int16s2  # [BEHINDS, H] sum of the still side's rows for all that the other side may have behind
    moving: Int16s2  # [BEHINDS, H] the same for the side on roll
    common: Int16s  # [H] bias and the parent's shots and pairs
    start: Int16s2  # [4, H] full sums for the last (behind, behind) met
    sums: Int16s  # [H]
    hidden: Float32s2  # [4, F]
    heads: Float32s2  # [4, J]
    known: Int64s2  # [2, BEHINDS] whether still/moving hold the parent's sums
    keys: Int64s  # [4] which (behind, behind) `start` holds, -1 none
    rows: Int64s2  # [2, MAX_ROWS] rows to add, rows to take away
    ready: Bools  # [1] whether the sums are of the present parent


def make_work(net: Net) -> Work:
    """Fresh scratch for `net`."""
    width = net.rows.shape[1]
    return Work(
        np.zeros((BEHINDS, width), dtype=np.int16),
        np.zeros((BEHINDS, width), dtype=np.int16),
        np.zeros(width, dtype=np.int16),
        np.zeros((4, width), dtype=np.int16),
        np.zeros(width, dtype=np.int16),
        np.zeros((LANES, net.head.shape[1]), dtype=np.float32),
        np.zeros((LANES, net.head.shape[0]), dtype=np.float32),
        np.zeros((2, BEHINDS), dtype=np.int64),
        np.zeros(4, dtype=np.int64),
        np.zeros((2, MAX_ROWS), dtype=np.int64),
        np.zeros(1, dtype=np.bool_),
    )


@njit(inline="always")
def make_consistent(boards, outputs, i):  # type: ignore[no-untyped-def]
    """Mends row `i` of `outputs`: no gammon once the loser has a chequer off, no more backgammons than gammons ..."""
    win, wg, wbg, lg, lbg = outputs[i, 0], outputs[i, 1], outputs[i, 2], outputs[i, 3], outputs[i, 4]
    may_win = np.float32(boards[i, 26] == 0)
    may_lose = np.float32(boards[i, 27] == 0)
    wg = min(wg * may_win, win)
    lg = min(lg * may_lose, np.float32(1) - win)
    outputs[i, 1] = wg
    outputs[i, 2] = min(wbg, wg)
    outputs[i, 3] = lg
    outputs[i, 4] = min(lbg, lg)


@njit(allocates=False)
def forget_parent(work):  # type: ignore[no-untyped-def]
    """Must be called whenever the parent changes: all its rolls share what is computed once."""
    work.ready[0] = False


@njit(allocates=False)
def _set_parent(rows, bias, rear, pairs, parent_masks, common, known, keys, scratch):  # type: ignore[no-untyped-def]
    """Forgets the last parent; its sums are filled in as they are asked for."""
    for k in range(BEHINDS):
        known[0, k] = known[1, k] = 0
    for k in range(keys.shape[0]):
        keys[k] = -1
    width = common.shape[0]
    for k in range(width):
        common[k] = bias[k]
    if pairs:
        base = 2 * rear * SLOTS * STEPS + OFF_ROWS
        count = relation_rows(base, parent_masks[0], parent_masks[1], parent_masks[2], parent_masks[3], scratch, 0)
        for i in range(count):
            row = scratch[i]
            for k in range(width):
                common[k] += rows[row, k]


@njit(allocates=False)
def _side_sum(rows, rear, parent, side, facing, total):  # type: ignore[no-untyped-def]
    """Sum of one side's point and off rows when the other side has `facing` behind."""
    width = total.shape[0]
    for k in range(width):
        total[k] = 0
    for slot in range(1, 26):
        count = np.int64(parent[slot])
        if side == 1:
            count = np.int64(parent[0]) if slot == 25 else -np.int64(parent[25 - slot])
        for step in range(count):
            row = point_row(rear, side, facing, slot, step)
            for k in range(width):
                total[k] += rows[row, k]
    first = 2 * rear * SLOTS * STEPS + OFF_A_SIDE * side
    for n in range(parent[26 + side]):
        for k in range(width):
            total[k] += rows[first + n, k]


@njit(allocates=False)
def _start(rows, rear, parent, behind_still, behind_moving, work):  # type: ignore[no-untyped-def]
    """Fills and returns the slot of `work.start` with the parent's full sum for what is behind."""
    slot = (behind_still + behind_moving) % 4
    if not work.known[0, behind_moving]:
        work.known[0, behind_moving] = 1
        _side_sum(rows, rear, parent, 0, behind_moving, work.still[behind_moving])
    if not work.known[1, behind_still]:
        work.known[1, behind_still] = 1
        _side_sum(rows, rear, parent, 1, behind_still, work.moving[behind_still])
    work.keys[slot] = behind_still * 64 + behind_moving
    for k in range(work.common.shape[0]):
        work.start[slot, k] = work.common[k] + work.still[behind_moving, k] + work.moving[behind_still, k]
    return slot


@njit(inline="always")
def _sigmoid(z):  # type: ignore[no-untyped-def]
    """The logistic function within 2e-7, without an exponential, so that several are done at once."""
    z = min(max(z, np.float32(-16)), np.float32(16))
    square = z * z
    a, b = _ABOVE, _BELOW
    above = (((a[0] * square + a[1]) * square + a[2]) * square + a[3]) * square + a[4]
    below = (((b[0] * square + b[1]) * square + b[2]) * square + b[3]) * square + b[4]
    return np.float32(0.5) + z * above / below


@njit(inline="always")
def squash(x):  # type: ignore[no-untyped-def]
    """The activation of hidden units, `float32`: close to tanh, without an exponential."""
    x = min(max(x, np.float32(-3)), np.float32(3))
    square = x * x
    return x * (np.float32(27) + square) / (np.float32(27) + np.float32(9) * square)


@njit(fastmath=True, inline="always")
def _heads_of(head, head_bias, hidden, heads, lane):  # type: ignore[no-untyped-def]
    """Sums of the head of one candidate, four rows at a time, so that each feature is loaded once for all of them."""
    for j in range(0, head.shape[0], 4):
        z0, z1, z2, z3 = head_bias[j], head_bias[j + 1], head_bias[j + 2], head_bias[j + 3]
        for k in range(head.shape[1]):
            h = hidden[lane, k]
            z0 += h * head[j, k]
            z1 += h * head[j + 1, k]
            z2 += h * head[j + 2, k]
            z3 += h * head[j + 3, k]
        heads[lane, j], heads[lane, j + 1], heads[lane, j + 2], heads[lane, j + 3] = z0, z1, z2, z3


@njit(fastmath=True, inline="always")
def _heads_of_all(head, head_bias, hidden, heads):  # type: ignore[no-untyped-def]
    """As `_heads_of`, of all four candidates; the sums may be added up in another order."""
    for j in range(0, head.shape[0], 4):
        p, q, r, t = head_bias[j], head_bias[j + 1], head_bias[j + 2], head_bias[j + 3]
        a0, a1, a2, a3 = p, q, r, t
        b0, b1, b2, b3 = p, q, r, t
        c0, c1, c2, c3 = p, q, r, t
        d0, d1, d2, d3 = p, q, r, t
        for k in range(head.shape[1]):
            p, q, r, t = head[j, k], head[j + 1, k], head[j + 2, k], head[j + 3, k]
            h = hidden[0, k]
            a0 += h * p
            a1 += h * q
            a2 += h * r
            a3 += h * t
            h = hidden[1, k]
            b0 += h * p
            b1 += h * q
            b2 += h * r
            b3 += h * t
            h = hidden[2, k]
            c0 += h * p
            c1 += h * q
            c2 += h * r
            c3 += h * t
            h = hidden[3, k]
            d0 += h * p
            d1 += h * q
            d2 += h * r
            d3 += h * t
        heads[0, j], heads[0, j + 1], heads[0, j + 2], heads[0, j + 3] = a0, a1, a2, a3
        heads[1, j], heads[1, j + 1], heads[1, j + 2], heads[1, j + 3] = b0, b1, b2, b3
        heads[2, j], heads[2, j + 1], heads[2, j + 2], heads[2, j + 3] = c0, c1, c2, c3
        heads[3, j], heads[3, j + 1], heads[3, j + 2], heads[3, j + 3] = d0, d1, d2, d3


@njit(fastmath=True, allocates=False)
def evaluate_candidates(net, work, parent, parent_masks, plays, board_masks, picks, count, outputs):  # type: ignore[no-untyped-def]
    """Outputs of the plays `picks[:count]`, each by its difference from `parent`; see `forget_parent`.

    parent: `int8[32]` with the side to move positive; plays: from `plays.generate`; board_masks:
    `int64[M, 4]` (see `masks`); outputs: `float32[M, 5]`, written. Heads are worked out four at a time, so equal boards
    in other company agree within 1e-6 only.
    """
    rows, rear, pairs = net.rows, net.rear, net.pairs
    head, head_bias, top, second = net.head, net.head_bias, net.top, net.top.shape[1]
    start, sums, changes, keys = work.start, work.sums, work.rows, work.keys
    hidden, heads = work.hidden, work.heads
    boards, left, came, sizes = plays.boards, plays.left, plays.came, plays.changes
    width, half = sums.shape[0], head.shape[1]
    zero = rows.shape[0] - 1
    relations = 2 * rear * SLOTS * STEPS + OFF_ROWS
    unit = np.float32(net.unit)
    three, nine, full = np.float32(3), np.float32(9), np.float32(27)
    if not work.ready[0]:
        _set_parent(rows, net.bias, rear, pairs, parent_masks, work.common, work.known, keys, changes[0])
        work.ready[0] = True
    for begin in range(0, count, LANES):
        lanes = min(LANES, count - begin)
        for lane in range(lanes):
            i = picks[begin + lane]
            # Step 1. The parent's sum for what this candidate has behind.
            own1, own2, opp1, opp2 = board_masks[i, 0], board_masks[i, 1], board_masks[i, 2], board_masks[i, 3]
            behind_still, behind_moving = np.int64(0), np.int64(0)
            if rear > 1:
                behind_still, behind_moving = behinds(own1, own2, opp1, opp2)
            slot = (behind_still + behind_moving) % 4
            if keys[slot] != behind_still * 64 + behind_moving:
                _start(rows, rear, parent, behind_still, behind_moving, work)
            # Step 2. Which rows differ.
            added, removed = 0, 0
            if pairs:
                added, removed = relation_changes(relations, parent_masks, own1, own2, opp1, opp2, changes)
            for k in range(sizes[i]):
                changes[0, added + k] = row_of(came[i, k], rear, behind_still, behind_moving)
                changes[1, removed + k] = row_of(left[i, k], rear, behind_still, behind_moving)
            added += sizes[i]
            removed += sizes[i]
            # Step 3. Add and take them away, two of each at a time.
            most = max(added, removed)
            for k in range(added, most + 1):
                changes[0, k] = zero
            for k in range(removed, most + 1):
                changes[1, k] = zero
            a, b = changes[0, 0], changes[1, 0]
            for k in range(width):
                sums[k] = start[slot, k] + (rows[a, k] - rows[b, k])
            for q in range(1, most, 2):
                a, b, c, d = changes[0, q], changes[1, q], changes[0, q + 1], changes[1, q + 1]
                for k in range(width):
                    sums[k] += (rows[a, k] - rows[b, k]) + (rows[c, k] - rows[d, k])
            # Step 4. The hidden layer, or its products.
            if half == width:
                for k in range(width):
                    hidden[lane, k] = squash(np.float32(sums[k]) * unit)
            else:
                for k in range(half):
                    # Two squashes with one division.
                    x = min(max(np.float32(sums[k]) * unit, -three), three)
                    y = min(max(np.float32(sums[half + k]) * unit, -three), three)
                    xx, yy = x * x, y * y
                    hidden[lane, k] = x * y * ((full + xx) * (full + yy)) / ((full + nine * xx) * (full + nine * yy))
        # Step 5. The head: memory is what it costs, so its rows are read once for four candidates.
        if lanes == LANES:
            _heads_of_all(head, head_bias, hidden, heads)
        else:
            for lane in range(lanes):
                _heads_of(head, head_bias, hidden, heads, lane)
        for lane in range(lanes):
            i = picks[begin + lane]
            for m in range(second):
                heads[lane, 5 + m] = squash(heads[lane, 5 + m])
            for j in range(5):
                for m in range(second):
                    heads[lane, j] += top[j, m] * heads[lane, 5 + m]
            for j in range(8):
                heads[lane, j] = _sigmoid(heads[lane, j])
            for j in range(5):
                outputs[i, j] = heads[lane, j]
            make_consistent(boards, outputs, i)


def dense_reference(net: Net, board: NDArray[np.int8]) -> NDArray[np.float64]:
    """The outputs of one board, slowly and obviously, in double precision, before `make_consistent`.

    board: `int8[32]`, as after a play. Tests compare the kernels with it.
    """
    rows = rows_reference(board, net.rear, net.pairs)
    total = net.bias * net.unit + (net.rows[rows].astype(np.float64) * net.unit).sum(axis=0)

    def activated(x: NDArray[np.floating]) -> NDArray[np.float64]:
        x = np.clip(x.astype(np.float64), -3, 3)
        return np.asarray(x * (27 + x * x) / (27 + 9 * x * x))

    hidden = activated(total)
    if net.head.shape[1] < len(hidden):
        hidden = np.prod(hidden.reshape(2, -1), axis=0)
    heads = net.head.astype(np.float64) @ hidden + net.head_bias
    second = activated(heads[5 : 5 + net.top.shape[1]])
    return np.asarray(1 / (1 + np.exp(-(heads[:5] + net.top @ second))))
