"""Network evaluation: sparse inputs, a wide hidden layer, perhaps a small second one, outputs for the player on roll.

Boards come as after a play: positive chequers belong to the side that has just moved (side 0, "still"),
negative ones to the side on roll (side 1). Inputs are rows of one weight table that are added up:

* points: one row per chequer: (side, behind, own point 1..24 or 25 bar, min(chequers below it, 3)); the
  fourth row stands for every further chequer. `behind` is what the other side has behind: its rearmost chequer, and
  if that holds a point in this side's home, the next point held there. So the first layer sees each point relative to
  what still has to pass it, and tells back games apart.
* off: one row per chequer borne off.
* shots: (side, own point of a blot, distance 1..12 of an opposing chequer that could hit it).
* pairs: (side, made point, distance 1..6 to the next made points).

Because candidates of a decision differ in few rows, each is evaluated from the parent's sum.

The hidden layer, or the products of its first half with its second, feeds the five outputs straight, and the units of
the second layer, whose own share is added to the outputs. So a net without a second layer is the case of no units.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sixprime.kernels._bits import trailing_zeros
from sixprime.kernels._block import Block, Bools, Float32s, Float32s2, Int16s, Int16s2, Int64s, Int64s2
from sixprime.kernels._jit import njit
from sixprime.kernels.plays import OFF_CODE, OPPONENT_CODE

SLOTS = 26
STEPS = 4
BEHINDS = 26 + 6 + 15
"""Rearmost chequer, 0 (none) to 25 (bar) in its side's numbering; 24 to 19 if held; two of these that are held."""
OFF_ROWS = 2 * 16
SHOT_ROWS = 2 * 24 * 12
PAIR_ROWS = 2 * 24 * 6
MAX_ROWS = 256
"""More rows than any position switches on or off."""
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


def point_rows(rear: int) -> int:
    """Number of point rows of a net."""
    return 2 * rear * SLOTS * STEPS


def row_count(rear: int, pairs: int) -> int:
    """Number of rows of a net's table, with the zero row at its end."""
    return point_rows(rear) + OFF_ROWS + (SHOT_ROWS + PAIR_ROWS if pairs else 0) + 1


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
def _point_row(rear, side, facing, slot, step):  # type: ignore[no-untyped-def]
    if rear == 1:
        facing = 0
    return ((side * rear + facing) * SLOTS + slot) * STEPS + min(step, 3)


@njit(inline="always")
def masks(board):  # type: ignore[no-untyped-def]
    """Bits of the points held: still side at least one (1..25) and two (1..24), side on roll one (0..24), two."""
    own1 = np.int64(0)
    own2 = np.int64(0)
    opp1 = np.int64(0)
    opp2 = np.int64(0)
    for p in range(1, 25):
        n = np.int64(board[p])
        bit = np.int64(1) << p
        own1 |= bit * np.int64(n > 0)
        own2 |= bit * np.int64(n > 1)
        opp1 |= bit * np.int64(n < 0)
        opp2 |= bit * np.int64(n < -1)
    if board[25] > 0:
        own1 |= np.int64(1) << 25
    if board[0] > 0:
        opp1 |= 1
    return own1, own2, opp1, opp2


@njit(inline="always")
def highest(mask):  # type: ignore[no-untyped-def]
    """Index of the highest bit of a mask below 2**32, 0 for none."""
    top = np.int64(0)
    for shift in (16, 8, 4, 2, 1):
        if mask >> (top + shift):
            top += shift
    return top


_TWO_HELD = list(combinations(range(24, 18, -1), 2))


def _held_codes(points: tuple[int, ...]) -> NDArray[np.int64]:
    """Codes of the points held in the other side's home, by the bits of the mask; bit k stands for `points[k]`."""
    codes = np.zeros(64, dtype=np.int64)
    for mask in range(1, 64):
        held = sorted((point for k, point in enumerate(points) if mask >> k & 1), reverse=True)
        codes[mask] = 50 - held[0] if len(held) == 1 else 32 + _TWO_HELD.index((held[0], held[1]))
    return codes


_HELD_BY_STILL = _held_codes((19, 20, 21, 22, 23, 24))
_HELD_BY_MOVING = _held_codes((24, 23, 22, 21, 20, 19))


@njit(inline="always")
def behinds(own1, own2, opp1, opp2):  # type: ignore[no-untyped-def]
    """What the still side and the side on roll have behind, codes below `BEHINDS`; from `masks`."""
    behind_still = highest(own1)
    if behind_still >= 19 and own2 >> behind_still & 1:
        behind_still = _HELD_BY_STILL[own2 >> 19 & 63]
    behind_moving = np.int64(0)
    if opp1:
        nearest = trailing_zeros(opp1)
        behind_moving = np.int64(25) - nearest
        if nearest <= 6 and opp2 >> nearest & 1:
            behind_moving = _HELD_BY_MOVING[opp2 >> 1 & 63]
    return behind_still, behind_moving


@njit(allocates=False)
def _shot_rows(base, mask, shooters, side, rows, count):  # type: ignore[no-untyped-def]
    """Rows of blots and the chequers that could hit them; `side` 0: blots of the still side."""
    while mask:
        p = trailing_zeros(mask)
        mask &= mask - 1
        window = ((shooters << 12) >> p) & 0xFFF if side == 0 else (shooters >> (p + 1)) & 0xFFF
        while window:
            k = trailing_zeros(window)
            window &= window - 1
            rows[count] = base + (p - 1) * 12 + 11 - k if side == 0 else base + 288 + (24 - p) * 12 + k
            count += 1
    return count


@njit(allocates=False)
def _pair_rows(base, mask, side, rows, count):  # type: ignore[no-untyped-def]
    """Rows of made points at a distance of one to six."""
    rest = mask
    while rest:
        p = trailing_zeros(rest)
        rest &= rest - 1
        window = (mask >> (p + 1)) & 0x3F if side == 0 else ((mask << 6) >> p) & 0x3F
        while window:
            k = trailing_zeros(window)
            window &= window - 1
            rows[count] = base + (p - 1) * 6 + k if side == 0 else base + 144 + (24 - p) * 6 + 5 - k
            count += 1
    return count


@njit(allocates=False)
def relation_rows(base, own1, own2, opp1, opp2, rows, count):  # type: ignore[no-untyped-def]
    """Appends all shot and pair rows of a position; `base` is the first shot row."""
    points = np.int64(0x1FFFFFE)
    count = _shot_rows(base, own1 & ~own2 & points, opp1, 0, rows, count)
    count = _shot_rows(base, opp1 & ~opp2 & points, own1, 1, rows, count)
    count = _pair_rows(base + SHOT_ROWS, own2, 0, rows, count)
    return _pair_rows(base + SHOT_ROWS, opp2, 1, rows, count)


@njit(inline="always")
def _note_changes(before, after, first, step, changes, added, removed):  # type: ignore[no-untyped-def]
    """Notes rows `first + step * k` of the bits k in which two windows differ; returns the counts of both lists."""
    differ = before ^ after
    while differ:
        k = trailing_zeros(differ)
        differ &= differ - 1
        # Written to both lists, counted in one: cheaper than a branch that nobody can foresee.
        new = (after >> k) & 1
        changes[0, added] = changes[1, removed] = first + step * k
        added += new
        removed += 1 - new
    return added, removed


@njit(allocates=False)
def _relation_changes(base, was, own1, own2, opp1, opp2, changes):  # type: ignore[no-untyped-def]
    """Shot and pair rows that differ between the parent, given by its masks `was`, and a position after a play.

    changes: `int64[2, MAX_ROWS]` rows to add and to take away, from index 0; returns both counts.
    """
    points = np.int64(0x1FFFFFE)
    added, removed = 0, 0
    # Step 1. Shots at the still side's blots: those that came or went; after a hit the shooters differ, too.
    was_blots = was[0] & ~was[1] & points
    now_blots = own1 & ~own2 & points
    mask = was_blots ^ now_blots if was[2] == opp1 else was_blots | now_blots
    while mask:
        p = trailing_zeros(mask)
        mask &= mask - 1
        before = ((was[2] << 12) >> p) & 0xFFF & -((was_blots >> p) & 1)
        after = ((opp1 << 12) >> p) & 0xFFF & -((now_blots >> p) & 1)
        first = base + (p - 1) * 12 + 11
        added, removed = _note_changes(before, after, first, -1, changes, added, removed)
    # Step 2. Shots at the blots of the side on roll, from points that were left or reached.
    was_blots = was[2] & ~was[3] & points
    now_blots = opp1 & ~opp2 & points
    mask = was_blots | now_blots if was[0] != own1 else was_blots ^ now_blots
    while mask:
        p = trailing_zeros(mask)
        mask &= mask - 1
        before = (was[0] >> (p + 1)) & 0xFFF & -((was_blots >> p) & 1)
        after = (own1 >> (p + 1)) & 0xFFF & -((now_blots >> p) & 1)
        first = base + 288 + (24 - p) * 12
        added, removed = _note_changes(before, after, first, 1, changes, added, removed)
    # Step 3. Made points of the still side; those of the side on roll stay.
    mask = was[1] | own2 if was[1] != own2 else np.int64(0)
    base += SHOT_ROWS
    while mask:
        p = trailing_zeros(mask)
        mask &= mask - 1
        before = (was[1] >> (p + 1)) & 0x3F & -((was[1] >> p) & 1)
        after = (own2 >> (p + 1)) & 0x3F & -((own2 >> p) & 1)
        first = base + (p - 1) * 6
        added, removed = _note_changes(before, after, first, 1, changes, added, removed)
    return added, removed


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
            row = _point_row(rear, side, facing, slot, step)
            for k in range(width):
                total[k] += rows[row, k]
    first = 2 * rear * SLOTS * STEPS + 16 * side
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
def _row_of(code, rear, behind_still, behind_moving):  # type: ignore[no-untyped-def]
    """Row of a chequer code (see `plays`)."""
    if rear == 1:
        return np.int64(code)
    if code < OPPONENT_CODE:
        return np.int64(code) + behind_moving * OPPONENT_CODE
    if code < OFF_CODE:
        return np.int64(code) + (BEHINDS - 1 + behind_still) * OPPONENT_CODE
    return np.int64(code) + (BEHINDS - 1) * OFF_CODE


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
                added, removed = _relation_changes(relations, parent_masks, own1, own2, opp1, opp2, changes)
            for k in range(sizes[i]):
                changes[0, added + k] = _row_of(came[i, k], rear, behind_still, behind_moving)
                changes[1, removed + k] = _row_of(left[i, k], rear, behind_still, behind_moving)
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


def _behind_reference(counts: list[int]) -> int:
    """The code of what a side with these chequers on its points 1 to 25 has behind."""
    held = [point for point in range(24, 18, -1) if counts[point - 1] > 1]
    rearmost = max((point for point in range(1, 26) if counts[point - 1]), default=0)
    if rearmost not in held:
        return rearmost
    if len(held) == 1:
        return 26 + 24 - rearmost
    return 32 + _TWO_HELD.index((held[0], held[1]))


def dense_reference(net: Net, board: NDArray[np.int8]) -> NDArray[np.float64]:
    """The outputs of one board, slowly and obviously, in double precision, before `make_consistent`.

    board: `int8[32]`, as after a play. Tests compare the kernels with it.
    """
    points = [max(int(board[p]), 0) for p in range(1, 25)] + [int(board[25])]
    others = [max(-int(board[25 - p]), 0) for p in range(1, 25)] + [int(board[0])]
    sides = (points, others)
    behind = [_behind_reference(side) for side in sides]
    total = net.bias * net.unit
    rows = net.rows * net.unit
    for side in (0, 1):
        facing = behind[1 - side] if net.rear > 1 else 0
        for p in range(25):
            for step in range(sides[side][p]):
                total = total + rows[((side * net.rear + facing) * SLOTS + p + 1) * STEPS + min(step, 3)]
        for n in range(int(board[26 + side])):
            total = total + rows[point_rows(net.rear) + 16 * side + n]
    if net.pairs:
        first = point_rows(net.rear) + OFF_ROWS
        for side in (0, 1):
            mine, theirs = sides[side], sides[1 - side]
            for p in range(1, 25):
                if mine[p - 1] == 1:
                    for distance in range(1, min(12, p) + 1):
                        if theirs[25 - (p - distance) - 1]:
                            total = total + rows[first + side * 288 + (p - 1) * 12 + distance - 1]
                if mine[p - 1] >= 2:
                    for distance in range(1, 7):
                        if p + distance <= 24 and mine[p + distance - 1] >= 2:
                            total = total + rows[first + SHOT_ROWS + side * 144 + (p - 1) * 6 + distance - 1]

    def activated(x: NDArray[np.floating]) -> NDArray[np.float64]:
        x = np.clip(x.astype(np.float64), -3, 3)
        return np.asarray(x * (27 + x * x) / (27 + 9 * x * x))

    hidden = activated(total)
    if net.head.shape[1] < len(hidden):
        hidden = np.prod(hidden.reshape(2, -1), axis=0)
    heads = net.head.astype(np.float64) @ hidden + net.head_bias
    second = activated(heads[5 : 5 + net.top.shape[1]])
    return np.asarray(1 / (1 + np.exp(-(heads[:5] + net.top @ second))))
