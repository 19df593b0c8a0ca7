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
from sixprime.kernels._vectors import (
    FLOATS,
    SHORTS,
    cut,
    floats,
    fused,
    lower,
    products,
    put,
    repeat,
    shorts,
    squares,
    upper,
    within,
)
from sixprime.kernels.features import (
    BEHINDS,
    MAX_ROWS,
    OFF_A_SIDE,
    OFF_ROWS,
    SLOTS,
    STEPS,
    behinds,
    chequers_on,
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

    rows: `int16[R, H]`, the last row all zero; bias: `int16[H]`, both times `unit`, a power of two of at most 1 such
    that no position's sum leaves sixteen bits; two units whose product counts are neighbours. head: `float32[F, J]` and
    head_bias: `float32[J]`, from the hidden layer (F = H) or its products (F = H / 2) to the outputs and the units of
    the second layer; top: `float32[M, 16]`, from these units to the outputs. All are filled up with zeros: F to whole
    vectors of 32, J of 16, M to an even number. rear: `BEHINDS` when point rows depend on what is behind, else 1;
    pairs: 1 when the net has shots and pairs, else 0.
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
    hidden: Float32s2  # [4, F]
    heads: Float32s2  # [4, J + 16], the last 16 zero
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
        np.zeros((LANES, net.head.shape[0]), dtype=np.float32),
        np.zeros((LANES, net.head.shape[1] + FLOATS), dtype=np.float32),
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
    count = 0
    if pairs:
        base = 2 * rear * SLOTS * STEPS + OFF_ROWS
        count = relation_rows(base, parent_masks[0], parent_masks[1], parent_masks[2], parent_masks[3], scratch, 0)
    for k in range(0, common.shape[0], SHORTS):
        sums = shorts(bias, k)
        for i in range(count):
            sums = sums + shorts(rows, scratch[i], k)
        put(sums, common, k)


@njit(allocates=False)
def _side_sum(rows, rear, parent, side, facing, scratch, sums):  # type: ignore[no-untyped-def]
    """Writes the sums of one side's point and off rows, when the other side has `facing` behind, to `sums[facing]`."""
    found = 0
    for slot in range(1, 26):
        for step in range(chequers_on(parent, side, slot)):
            scratch[found] = point_row(rear, side, facing, slot, step)
            found += 1
    for n in range(parent[26 + side]):
        scratch[found] = 2 * rear * SLOTS * STEPS + OFF_A_SIDE * side + n
        found += 1
    # The zero row makes their number even.
    scratch[found] = rows.shape[0] - 1
    for k in range(0, sums.shape[1], SHORTS):
        one, two = shorts(rows, scratch[0], k), shorts(rows, scratch[1], k)
        for i in range(2, found, 2):
            one, two = one + shorts(rows, scratch[i], k), two + shorts(rows, scratch[i + 1], k)
        put(one + two, sums, facing, k)


@njit(allocates=False)
def _start(rows, rear, parent, behind_still, behind_moving, work):  # type: ignore[no-untyped-def]
    """Fills and returns the slot of `work.start` with the parent's full sum for what is behind."""
    slot = (behind_still + behind_moving) % 4
    if not work.known[0, behind_moving]:
        work.known[0, behind_moving] = 1
        _side_sum(rows, rear, parent, 0, behind_moving, work.rows[0], work.still)
    if not work.known[1, behind_still]:
        work.known[1, behind_still] = 1
        _side_sum(rows, rear, parent, 1, behind_still, work.rows[0], work.moving)
    work.keys[slot] = behind_still * 64 + behind_moving
    for k in range(0, work.common.shape[0], SHORTS):
        both = shorts(work.still, behind_moving, k) + shorts(work.moving, behind_still, k)
        put(shorts(work.common, k) + both, work.start, slot, k)
    return slot


@njit(inline="always")
def _polynomial(factors, x):  # type: ignore[no-untyped-def]
    """A polynomial of the fourth degree, the factor of the highest power first."""
    sums = fused(fused(repeat(factors[0]), x, repeat(factors[1])), x, repeat(factors[2]))
    return fused(fused(sums, x, repeat(factors[3])), x, repeat(factors[4]))


@njit(inline="always")
def _sigmoid(z):  # type: ignore[no-untyped-def]
    """The logistic function of a vector within 2e-7, without an exponential."""
    z = within(z, 16)
    square = z * z
    return repeat(0.5) + z * _polynomial(_ABOVE, square) / _polynomial(_BELOW, square)


@njit(inline="always")
def squash(x):  # type: ignore[no-untyped-def]
    """The activation of hidden units, a vector: close to tanh, without an exponential."""
    x = within(x, 3)
    square = x * x
    return x * (repeat(27) + square) / fused(square, repeat(9), repeat(27))


@njit(inline="always")
def _factors(unit):  # type: ignore[no-untyped-def]
    """What `_activated` multiplies, for whole numbers in units."""
    square = unit * unit
    above = repeat(729 * square), repeat(27 * square * square), repeat(square * square * square)
    return above, (repeat(729), repeat(243 * square), repeat(81 * square * square))


@njit(inline="always")
def _activated(pairs, factors):  # type: ignore[no-untyped-def]
    """`squash(x) * squash(y)` of pairs of whole numbers within the bounds, with one division.

    The product of the two fractions has nothing but x * y and x * x + y * y in it.
    """
    (a, b, c), (d, e, f) = factors
    both, product = squares(pairs), products(pairs)
    square = product * product
    return product * fused(square, c, fused(both, b, a)) / fused(square, f, fused(both, e, d))


@njit(inline="always")
def _heads_of_all(head, head_bias, hidden, heads):  # type: ignore[no-untyped-def]
    """Sums of the head of all four candidates, which share what is read of it."""
    for j in range(0, head.shape[1], FLOATS):
        a = b = c = d = floats(head_bias, j)
        e = f = g = h = repeat(0)
        # Even and odd features apart: no sum waits for the one before.
        for k in range(0, head.shape[0], 2):
            one, two = floats(head, k, j), floats(head, k + 1, j)
            a, e = fused(repeat(hidden[0, k]), one, a), fused(repeat(hidden[0, k + 1]), two, e)
            b, f = fused(repeat(hidden[1, k]), one, b), fused(repeat(hidden[1, k + 1]), two, f)
            c, g = fused(repeat(hidden[2, k]), one, c), fused(repeat(hidden[2, k + 1]), two, g)
            d, h = fused(repeat(hidden[3, k]), one, d), fused(repeat(hidden[3, k + 1]), two, h)
        put(a + e, heads, 0, j)
        put(b + f, heads, 1, j)
        put(c + g, heads, 2, j)
        put(d + h, heads, 3, j)


@njit(inline="always")
def _heads_of(head, head_bias, hidden, heads, lane):  # type: ignore[no-untyped-def]
    """As `_heads_of_all`, of one candidate; the sums may be added up in another order."""
    for j in range(0, head.shape[1], FLOATS):
        a, b, c, d = floats(head_bias, j), repeat(0), repeat(0), repeat(0)
        for k in range(0, head.shape[0], 4):
            a = fused(repeat(hidden[lane, k]), floats(head, k, j), a)
            b = fused(repeat(hidden[lane, k + 1]), floats(head, k + 1, j), b)
            c = fused(repeat(hidden[lane, k + 2]), floats(head, k + 2, j), c)
            d = fused(repeat(hidden[lane, k + 3]), floats(head, k + 3, j), d)
        put((a + b) + (c + d), heads, lane, j)


@njit(inline="always")
def _chances(top, heads, lane):  # type: ignore[no-untyped-def]
    """Makes the first five of the sums of a candidate chances: with the second layer, which stands behind them."""
    logits, more = floats(heads, lane, 0), repeat(0)
    if top.shape[0]:
        for j in range(0, heads.shape[1] - FLOATS, FLOATS):
            put(squash(floats(heads, lane, j)), heads, lane, j)
        for m in range(0, top.shape[0], 2):
            logits = fused(repeat(heads[lane, 5 + m]), floats(top, m, 0), logits)
            more = fused(repeat(heads[lane, 6 + m]), floats(top, m + 1, 0), more)
    put(_sigmoid(logits + more), heads, lane, 0)


@njit(fastmath=True, allocates=False)
def evaluate_candidates(net, work, parent, parent_masks, plays, board_masks, picks, count, outputs):  # type: ignore[no-untyped-def]
    """Outputs of the plays `picks[:count]`, each by its difference from `parent`; see `forget_parent`.

    parent: `int8[32]` with the side to move positive; plays: from `plays.generate`; board_masks:
    `int64[M, 4]` (see `masks`); outputs: `float32[M, 5]`, written. Heads are worked out four at a time, so equal boards
    in other company agree within 1e-6 only.
    """
    rows, rear, pairs = net.rows, net.rear, net.pairs
    head, head_bias, top = net.head, net.head_bias, net.top
    start, changes, keys = work.start, work.rows, work.keys
    hidden, heads = work.hidden, work.heads
    boards, left, came, sizes = plays.boards, plays.left, plays.came, plays.changes
    width, half = start.shape[1], head.shape[0]
    zero = rows.shape[0] - 1
    relations = 2 * rear * SLOTS * STEPS + OFF_ROWS
    unit, factors, bound = repeat(net.unit), _factors(net.unit), np.int64(3 / net.unit)
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
            # Step 3. Add and take them away; the hidden layer, or its products.
            most = max(added, removed)
            for k in range(added, most):
                changes[0, k] = zero
            for k in range(removed, most):
                changes[1, k] = zero
            if half == width:
                for k in range(0, width, SHORTS):
                    x = shorts(start, slot, k)
                    for q in range(most):
                        x = x + (shorts(rows, changes[0, q], k) - shorts(rows, changes[1, q], k))
                    put(squash(lower(x) * unit), hidden, lane, k)
                    put(squash(upper(x) * unit), hidden, lane, k + FLOATS)
            else:
                for k in range(0, width, 2 * SHORTS):
                    x, y = shorts(start, slot, k), shorts(start, slot, k + SHORTS)
                    for q in range(most):
                        a, b = changes[0, q], changes[1, q]
                        x = x + (shorts(rows, a, k) - shorts(rows, b, k))
                        y = y + (shorts(rows, a, k + SHORTS) - shorts(rows, b, k + SHORTS))
                    put(_activated(cut(x, bound), factors), hidden, lane, k // 2)
                    put(_activated(cut(y, bound), factors), hidden, lane, k // 2 + FLOATS)
        # Step 4. The head: memory is what it costs, so it is read once for four candidates.
        if lanes == LANES:
            _heads_of_all(head, head_bias, hidden, heads)
        else:
            for lane in range(lanes):
                _heads_of(head, head_bias, hidden, heads, lane)
        for lane in range(lanes):
            i = picks[begin + lane]
            _chances(top, heads, lane)
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
    if len(net.head) < len(hidden):
        hidden = np.prod(hidden.reshape(-1, 2), axis=1)
    heads = hidden @ net.head.astype(np.float64) + net.head_bias
    second = activated(heads[5 : 5 + len(net.top)])
    return np.asarray(1 / (1 + np.exp(-(heads[:5] + second @ net.top[: len(second), :5]))))
