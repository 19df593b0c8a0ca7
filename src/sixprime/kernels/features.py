"""Inputs of the nets: which rows of a weight table a board switches on, and which change by a play.

Boards come as after a play: positive chequers belong to the side that has just moved (side 0, "still"),
negative ones to the side on roll (side 1). Inputs are rows of one weight table that are added up:

* points: one row per chequer: (side, behind, own point 1..24 or 25 bar, min(chequers below it, 3)); the
  fourth row stands for every further chequer. `behind` is what the other side has behind: its rearmost chequer, and
  if that holds a point in this side's home, the next point held there. So the first layer sees each point relative to
  what still has to pass it, and tells back games apart.
* off: one row per chequer borne off.
* shots: (side, own point of a blot, distance 1..12 of an opposing chequer that could hit it).
* pairs: (side, made point, distance 1..6 to the next made points).
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sixprime.kernels._bits import leading_zeros, trailing_zeros
from sixprime.kernels._jit import njit
from sixprime.kernels._vectors import above
from sixprime.kernels.plays import OFF_CODE, OPPONENT_CODE

SLOTS = 26
STEPS = 4
BEHINDS = 26 + 6 + 15
"""Rearmost chequer, 0 (none) to 25 (bar) in its side's numbering; 24 to 19 if held; two of these that are held."""
OFF_A_SIDE = 16
OFF_ROWS = 2 * OFF_A_SIDE
SHOT_REACH, PAIR_REACH = 12, 6
"""Pips between a blot and a chequer that could hit it, and between two made points, at most."""
SHOT_WINDOW, PAIR_WINDOW = (1 << SHOT_REACH) - 1, (1 << PAIR_REACH) - 1
SHOTS_A_SIDE, PAIRS_A_SIDE = 24 * SHOT_REACH, 24 * PAIR_REACH
SHOT_ROWS, PAIR_ROWS = 2 * SHOTS_A_SIDE, 2 * PAIRS_A_SIDE
POINTS = np.int64(0x1FFFFFE)
"""Bits of the 24 points in the masks of a board."""
ALL_POINTS = np.int64(0x3FFFFFE)
"""These and the bar."""
MAX_ROWS = 256
"""More rows than any position switches on or off: twelve blots of each side face each other in 156 ways."""


def point_rows(rear: int) -> int:
    """Number of point rows of a net."""
    return 2 * rear * SLOTS * STEPS


def row_count(rear: int, pairs: int) -> int:
    """Number of rows of a net's table, with the zero row at its end."""
    return point_rows(rear) + OFF_ROWS + (SHOT_ROWS + PAIR_ROWS if pairs else 0) + 1


@njit(inline="always")
def point_row(rear, side, facing, slot, step):  # type: ignore[no-untyped-def]
    """Row of chequer number `step`, from 0, of a side on its own point `slot`, when the other has `facing` behind."""
    if rear == 1:
        facing = 0
    return ((side * rear + facing) * SLOTS + slot) * STEPS + min(step, 3)


@njit(inline="always")
def chequers_on(board, side, slot):  # type: ignore[no-untyped-def]
    """Chequers of a side on its own point 1..24 or its bar, 25; 0 or less where the other side is."""
    if side == 0:
        return np.int64(board[slot])
    return np.int64(board[0]) if slot == 25 else -np.int64(board[25 - slot])


@njit(inline="always")
def masks(board):  # type: ignore[no-untyped-def]
    """Bits of the points held: still side at least one (1..25) and two (1..24), side on roll one (0..24), two."""
    own1, own2 = above(board, 0) & ALL_POINTS, above(board, 1) & POINTS
    opp1, opp2 = ~above(board, -1) & POINTS, ~above(board, -2) & POINTS
    if board[0] > 0:
        opp1 |= 1
    return own1, own2, opp1, opp2


@njit(inline="always")
def highest(mask):  # type: ignore[no-untyped-def]
    """Index of the highest bit of a mask, 0 for none."""
    return 63 - leading_zeros(mask | 1)


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
        window = ((shooters << SHOT_REACH) >> p) & SHOT_WINDOW if side == 0 else (shooters >> (p + 1)) & SHOT_WINDOW
        while window:
            k = trailing_zeros(window)
            window &= window - 1
            rows[count] = (
                base + (p - 1) * SHOT_REACH + SHOT_REACH - 1 - k
                if side == 0
                else base + SHOTS_A_SIDE + (24 - p) * SHOT_REACH + k
            )
            count += 1
    return count


@njit(allocates=False)
def _pair_rows(base, mask, side, rows, count):  # type: ignore[no-untyped-def]
    """Rows of made points at a distance of one to six."""
    rest = mask
    while rest:
        p = trailing_zeros(rest)
        rest &= rest - 1
        window = (mask >> (p + 1)) & PAIR_WINDOW if side == 0 else ((mask << PAIR_REACH) >> p) & PAIR_WINDOW
        while window:
            k = trailing_zeros(window)
            window &= window - 1
            rows[count] = (
                base + (p - 1) * PAIR_REACH + k
                if side == 0
                else base + PAIRS_A_SIDE + (24 - p) * PAIR_REACH + PAIR_REACH - 1 - k
            )
            count += 1
    return count


@njit(allocates=False)
def relation_rows(base, own1, own2, opp1, opp2, rows, count):  # type: ignore[no-untyped-def]
    """Appends all shot and pair rows of a position; `base` is the first shot row."""
    count = _shot_rows(base, own1 & ~own2 & POINTS, opp1, 0, rows, count)
    count = _shot_rows(base, opp1 & ~opp2 & POINTS, own1, 1, rows, count)
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
def relation_changes(base, was, own1, own2, opp1, opp2, changes):  # type: ignore[no-untyped-def]
    """Shot and pair rows that differ between the parent, given by its masks `was`, and a position after a play.

    changes: `int64[2, MAX_ROWS]` rows to add and to take away, from index 0; returns both counts.
    """
    added, removed = 0, 0
    # Step 1. Shots at the still side's blots: those that came or went; after a hit the shooters differ, too.
    was_blots = was[0] & ~was[1] & POINTS
    now_blots = own1 & ~own2 & POINTS
    mask = was_blots ^ now_blots if was[2] == opp1 else was_blots | now_blots
    while mask:
        p = trailing_zeros(mask)
        mask &= mask - 1
        before = ((was[2] << SHOT_REACH) >> p) & SHOT_WINDOW & -((was_blots >> p) & 1)
        after = ((opp1 << SHOT_REACH) >> p) & SHOT_WINDOW & -((now_blots >> p) & 1)
        first = base + (p - 1) * SHOT_REACH + SHOT_REACH - 1
        added, removed = _note_changes(before, after, first, -1, changes, added, removed)
    # Step 2. Shots at the blots of the side on roll, from points that were left or reached.
    was_blots = was[2] & ~was[3] & POINTS
    now_blots = opp1 & ~opp2 & POINTS
    mask = was_blots | now_blots if was[0] != own1 else was_blots ^ now_blots
    while mask:
        p = trailing_zeros(mask)
        mask &= mask - 1
        before = (was[0] >> (p + 1)) & SHOT_WINDOW & -((was_blots >> p) & 1)
        after = (own1 >> (p + 1)) & SHOT_WINDOW & -((now_blots >> p) & 1)
        first = base + SHOTS_A_SIDE + (24 - p) * SHOT_REACH
        added, removed = _note_changes(before, after, first, 1, changes, added, removed)
    # Step 3. Made points of the still side; those of the side on roll stay.
    mask = was[1] | own2 if was[1] != own2 else np.int64(0)
    base += SHOT_ROWS
    while mask:
        p = trailing_zeros(mask)
        mask &= mask - 1
        before = (was[1] >> (p + 1)) & PAIR_WINDOW & -((was[1] >> p) & 1)
        after = (own2 >> (p + 1)) & PAIR_WINDOW & -((own2 >> p) & 1)
        first = base + (p - 1) * PAIR_REACH
        added, removed = _note_changes(before, after, first, 1, changes, added, removed)
    return added, removed


@njit(inline="always")
def row_of(code, rear, behind_still, behind_moving):  # type: ignore[no-untyped-def]
    """Row of a chequer code (see `plays`)."""
    if rear == 1:
        return np.int64(code)
    if code < OPPONENT_CODE:
        return np.int64(code) + behind_moving * OPPONENT_CODE
    if code < OFF_CODE:
        return np.int64(code) + (BEHINDS - 1 + behind_still) * OPPONENT_CODE
    return np.int64(code) + (BEHINDS - 1) * OFF_CODE


# The same, slowly and obviously.


def _behind_reference(counts: list[int]) -> int:
    """The code of what a side with these chequers on its points 1 to 25 has behind."""
    held = [point for point in range(24, 18, -1) if counts[point - 1] > 1]
    rearmost = max((point for point in range(1, 26) if counts[point - 1]), default=0)
    if rearmost not in held:
        return rearmost
    if len(held) == 1:
        return 26 + 24 - rearmost
    return 32 + _TWO_HELD.index((held[0], held[1]))


def rows_reference(board: NDArray[np.int8], rear: int, pairs: int) -> list[int]:
    """The rows that a board `int8[32]` switches on, one as often as it counts. rear, pairs: as in `network.Net`."""
    points = [max(int(board[p]), 0) for p in range(1, 25)] + [int(board[25])]
    others = [max(-int(board[25 - p]), 0) for p in range(1, 25)] + [int(board[0])]
    sides = (points, others)
    behind = [_behind_reference(side) for side in sides]
    rows = []
    for side in (0, 1):
        facing = behind[1 - side] if rear > 1 else 0
        for p in range(25):
            for step in range(sides[side][p]):
                rows.append(((side * rear + facing) * SLOTS + p + 1) * STEPS + min(step, 3))
        rows += [point_rows(rear) + OFF_A_SIDE * side + n for n in range(int(board[26 + side]))]
    if not pairs:
        return rows
    shots = point_rows(rear) + OFF_ROWS
    for side in (0, 1):
        mine, theirs = sides[side], sides[1 - side]
        for p in range(1, 25):
            if mine[p - 1] == 1:
                for distance in range(1, min(SHOT_REACH, p) + 1):
                    if theirs[25 - (p - distance) - 1]:
                        rows.append(shots + side * SHOTS_A_SIDE + (p - 1) * SHOT_REACH + distance - 1)
            if mine[p - 1] >= 2:
                for distance in range(1, PAIR_REACH + 1):
                    if p + distance <= 24 and mine[p + distance - 1] >= 2:
                        rows.append(shots + SHOT_ROWS + side * PAIRS_A_SIDE + (p - 1) * PAIR_REACH + distance - 1)
    return rows
