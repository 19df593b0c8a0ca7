"""Races beyond the databases: what each side needs, estimated alone, then the two compared.

A side is summed up by cumulants of a number of rolls: mean, variance, third and fourth cumulant. A small net gives
them from the side's list of counts (`RaceNet`); a list that the one-sided database holds has its exact distribution.
Two nets: rolls until everything is off, and until the first chequer is, which decides gammons; the second also gives
the chances of more than 1 to 7 rolls, for which a series is too rough.

Who is first: if both sides are estimated, the difference of their rolls has the sums of their cumulants, and an
Edgeworth series gives the chance that it is not negative; if one is exact, its distribution is added up over the series
of the other. Numbers of rolls are whole: the series is read in the middle between them, with variance less 1/12.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime.kernels._block import Block, Float32s, Float32s2, Float64s2, Float64s3, Int8s2, Int64s2, Int64s3
from sixprime.kernels._jit import SEARCH, entry, njit
from sixprime.kernels.bearoff import ONE, OneSidedArrays, inner_span

POINTS = 24
STEPS = 16
"""Rows of a point: one for each number of chequers on it."""
TOTALS = POINTS * STEPS
REARS = TOTALS + STEPS
OUTSIDE = REARS + POINTS + 1
ROWS = OUTSIDE + STEPS
CUMULANTS = 4
EARLY = 7
"""Numbers of rolls, from 1 on, for which the net of the first chequer gives the chance of more."""
LONGEST = 64
HOME = 6


@dataclass(frozen=True, eq=False, slots=True)
class RaceNet(Block):
    """Weights of one net with M outputs, H and then J hidden units; `nets.race` builds it.

    rows: `float32[ROWS, W]`, added up for the number of chequers on each point, in all and outside home, and for the
    rearmost point; the first H columns are hidden units, the next M straight contributions to the outputs, the rest
    is 0. H is a multiple of 8, J and W of 32, for the sake of the processor's vectors.
    mix: `float32[H, J]` and bias: `float32[J]`, from the positive parts of the units to the next.
    head: `float32[M, J]`, from their positive parts to the outputs: four cumulants, and of the first chequer `EARLY`
    log odds.
    """

    rows: Float32s2
    mix: Float32s2
    bias: Float32s
    head: Float32s2


@dataclass(frozen=True, eq=False, slots=True)
class RaceNets(Block):
    """What races are judged with, beside the one-sided database of the engine.

    finish: rolls until all is off; first: until one chequer is, for sides with all on. fewer, fewest: one-sided
    databases of fewer chequers on more points, because a series cannot stand for two or three rolls.
    """

    finish: RaceNet
    first: RaceNet
    fewer: OneSidedArrays
    fewest: OneSidedArrays


_NOTHING = np.zeros((0, 0), dtype=np.float32)
_NO_NET = RaceNet(_NOTHING, _NOTHING, np.zeros(0, dtype=np.float32), _NOTHING)
_NO_LISTS = OneSidedArrays(np.zeros((0, 0), dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.uint16))
NO_RACE_NETS = RaceNets(_NO_NET, _NO_NET, _NO_LISTS, _NO_LISTS)
"""Leaves races to the race net of a brain."""


@dataclass(frozen=True, eq=False, slots=True)
class RaceWork(Block):
    """Scratch of one thread."""

    counts: Int64s2  # [2, 25] chequers on each own point, of the mover and his opponent
    sums: Float32s  # [W]
    mixed: Float32s  # [J]
    cumulants: Float64s2  # [2, 4] of the one that finishes, of the other
    survival: Float64s2  # [2, 64] the same, chances of more than k rolls
    last: Int64s3  # [2, 2, 25] lists whose outputs are kept, [side, whether of the first chequer]
    kept: Float64s3  # [2, 2, 4 + EARLY] these; the plays of one decision share one side


def make_race_work(nets: RaceNets) -> RaceWork:
    """Fresh scratch for `nets`."""
    return RaceWork(
        np.zeros((2, POINTS + 1), dtype=np.int64),
        np.zeros(max(nets.finish.rows.shape[1], nets.first.rows.shape[1]), dtype=np.float32),
        np.zeros(max(nets.finish.mix.shape[1], nets.first.mix.shape[1]), dtype=np.float32),
        np.zeros((2, CUMULANTS), dtype=np.float64),
        np.zeros((2, LONGEST), dtype=np.float64),
        np.full((2, 2, POINTS + 1), -1, dtype=np.int64),
        np.zeros((2, 2, CUMULANTS + EARLY), dtype=np.float64),
    )


@njit(fastmath=True, allocates=False)
def outputs_of(counts, net, sums, mixed, out):  # type: ignore[no-untyped-def]
    """Outputs `float64[M]`, written, of a list `int64[25]` of counts on points 1..24; sums, mixed: scratch.

    The log odds become chances.
    """
    rows, mix, head = net.rows, net.mix, net.head
    width, (hidden, units), outputs = rows.shape[1], mix.shape, head.shape[0]
    total = 0
    outside = 0
    rear = 0
    for k in range(width):
        sums[k] = 0
    for p in range(1, POINTS + 1):
        n = counts[p]
        if n > 0:
            total += n
            rear = p
            if p > HOME:
                outside += n
            row = (p - 1) * STEPS + n
            for k in range(width):
                sums[k] += rows[row, k]
    for k in range(width):
        sums[k] += rows[TOTALS + total, k] + rows[REARS + rear, k] + rows[OUTSIDE + outside, k]
    for k in range(hidden):
        sums[k] = max(sums[k], np.float32(0))
    for j in range(units):
        mixed[j] = net.bias[j]
    # Eight units at a time: fewer trips of the sums to memory and back.
    for k in range(0, hidden, 8):
        a, b, c, d = sums[k], sums[k + 1], sums[k + 2], sums[k + 3]
        e, f, g, h = sums[k + 4], sums[k + 5], sums[k + 6], sums[k + 7]
        for j in range(units):
            mixed[j] += (
                (a * mix[k, j] + b * mix[k + 1, j] + c * mix[k + 2, j] + d * mix[k + 3, j])
                + (e * mix[k + 4, j] + f * mix[k + 5, j] + g * mix[k + 6, j] + h * mix[k + 7, j])
            )  # fmt: skip
    for j in range(units):
        mixed[j] = max(mixed[j], np.float32(0))
    for i in range(outputs):
        value = sums[hidden + i]
        for j in range(units):
            value += mixed[j] * head[i, j]
        out[i] = value if i < CUMULANTS else 1 / (1 + math.exp(-value))


@entry(SEARCH)
def _outputs_of_many(lists: Int64s2, net: RaceNet, sums: Float32s, mixed: Float32s, out: Float64s2) -> None:
    for i in range(lists.shape[0]):
        outputs_of(lists[i], net, sums, mixed, out[i])


def outputs_of_many(lists: NDArray[np.int64], net: RaceNet, out: NDArray[np.float64]) -> None:
    """`outputs_of` lists `int64[N, 25]` into `float64[N, M]`."""
    sums, mixed = np.zeros(net.rows.shape[1], dtype=np.float32), np.zeros(net.mix.shape[1], dtype=np.float32)
    _outputs_of_many(lists, net, sums, mixed, out)


@njit(allocates=False)
def below(x, mean, variance, third, fourth):  # type: ignore[no-untyped-def]
    """Chance that a number with these cumulants is below x, which lies in the middle between two whole numbers.

    Edgeworth's series to the fourth cumulant, cut off at 0 and 1. The normal distribution is that of Hastings
    (Abramowitz and Stegun 26.2.17), right to 7.5e-8; it shares the exponential with the series.
    """
    variance = max(variance - 1 / 12, 0.02)
    sd = math.sqrt(variance)
    z = (x - mean) / sd
    if z < -8:
        return 0.0
    if z > 8:
        return 1.0
    skew = third / (variance * sd)
    excess = (fourth + 1 / 120) / (variance * variance)
    square = z * z
    series = skew / 6 * (square - 1) + excess / 24 * z * (square - 3)
    series += skew * skew / 72 * z * (square * square - 10 * square + 15)
    density = math.exp(-0.5 * square) * 0.3989422804014327
    t = 1 / (1 + 0.2316419 * abs(z))
    tail = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    chance = density * tail if z < 0 else 1 - density * tail
    return min(max(chance - density * series, 0.0), 1.0)


@njit(allocates=False)
def _exact(arrays, row, gammon, survival):  # type: ignore[no-untyped-def]
    """Writes the chances of more than k rolls of a list of the database."""
    at, first, count = inner_span(arrays, row, gammon)
    for k in range(LONGEST):
        if k < first:
            survival[k] = 1.0
        elif k < first + count:
            survival[k] = arrays.values[at + k - first] * (1.0 / ONE)
        else:
            survival[k] = 0.0


@njit(allocates=False)
def _first(work, finish_known, wait_known, early, lag):  # type: ignore[no-untyped-def]
    """Chance that the finishing side needs at most (lag 1) as many rolls as the waiting one, or (0) fewer.

    Of each side `work.survival` is used if it is known, else `work.cumulants`; [0] is the finishing side. early: how
    many chances of the waiting side `work.survival` has, though it is not known; 0 for none.
    """
    a, b = work.cumulants[0], work.cumulants[1]
    finish, wait = work.survival[0], work.survival[1]
    total = 0.0
    left = 1.0
    if finish_known:
        for k in range(LONGEST):
            chance = left - finish[k]
            left = finish[k]
            if chance > 0 and k >= lag:
                if wait_known or k - lag < early:
                    total += chance * wait[k - lag]
                else:
                    total += chance * (1.0 - below(k - lag + 0.5, b[0], b[1], b[2], b[3]))
            if left == 0:
                break
        return total
    if wait_known:
        for k in range(LONGEST):
            chance = left - wait[k]
            left = wait[k]
            if chance > 0:
                total += chance * below(k + lag - 0.5, a[0], a[1], a[2], a[3])
            if left == 0:
                break
        return total
    return below(lag - 0.5, a[0] - b[0], a[1] + b[1], a[2] - b[2], a[3] + b[3])


@njit(allocates=False)
def _row(counts, ranks):  # type: ignore[no-untyped-def]
    """Row of a list `int64[25]` in a database, -1 if it is not there."""
    points = ranks.shape[0]
    for p in range(points + 1, POINTS + 1):
        if counts[p] > 0:
            return -1
    total = 0
    index = 0
    for i in range(points - 1, -1, -1):
        total += counts[i + 1]
        if total >= ranks.shape[1]:
            return -1
        index += ranks[i, total]
    return index


@njit(inline="always")
def _side(work, nets, arrays, side, gammon, place):  # type: ignore[no-untyped-def]
    """Notes what a side needs in place 0 or 1 of `work`; returns whether it is known exactly."""
    counts = work.counts[side]
    for known in (arrays, nets.fewer, nets.fewest):
        row = _row(counts, known.ranks)
        if row >= 0:
            _exact(known, row, gammon, work.survival[place])
            return True
        if gammon:
            break  # the others have too few chequers for it
    # Loops, not slices: Numba's assignments of slices cost more than the few numbers.
    last, kept = work.last[side, int(gammon)], work.kept[side, int(gammon)]
    same = True
    for p in range(1, POINTS + 1):
        same &= counts[p] == last[p]
    if not same:
        if gammon:
            outputs_of(counts, nets.first, work.sums, work.mixed, kept)
        else:
            outputs_of(counts, nets.finish, work.sums, work.mixed, kept)
        for p in range(1, POINTS + 1):
            last[p] = counts[p]
    for j in range(CUMULANTS):
        work.cumulants[place, j] = kept[j]
    if gammon:
        work.survival[place, 0] = 1.0
        for k in range(EARLY):
            work.survival[place, k + 1] = kept[CUMULANTS + k]
    return False


@njit(allocates=False)
def _fleeing(counts, ranks):  # type: ignore[no-untyped-def]
    """Row of the chequers in the other side's home, as a list of their own; -1 when there are none or too many.

    They leave as chequers are borne off, but for rolls that have to take a rearmost one.
    """
    index = 0
    total = 0
    for i in range(ranks.shape[0] - 1, -1, -1):
        if i < HOME:
            total += counts[POINTS - HOME + 1 + i]
        if total >= ranks.shape[1]:
            return -1
        index += ranks[i, total]
    return index if total > 0 else -1


@njit(allocates=False)
def race_probabilities(board, nets, arrays, work, out):  # type: ignore[no-untyped-def]
    """Outcomes of any race for the mover, who is on roll.

    board: `int8[32]` packed, no contact, both sides with chequers on the points. out: `float32[5]`, written: win,
    win gammon, win backgammon, lose gammon, lose backgammon. arrays: the one-sided database.
    """
    counts = work.counts
    for p in range(1, POINTS + 1):
        counts[0, p] = max(np.int64(board[p]), 0)
        counts[1, p] = max(-np.int64(board[25 - p]), 0)
    for k in range(1, 5):
        out[k] = np.float32(0.0)
    mine = _side(work, nets, arrays, 0, False, 0)
    theirs = _side(work, nets, arrays, 1, False, 1)
    out[0] = np.float32(_first(work, mine, theirs, 0, 1))
    if board[27] == 0:
        known = _side(work, nets, arrays, 1, True, 1)
        out[1] = min(np.float32(_first(work, mine, known, EARLY + 1, 1)), out[0])
        flight = _fleeing(counts[1], arrays.ranks)
        if flight >= 0:
            _exact(arrays, flight, False, work.survival[1])
            out[2] = min(np.float32(_first(work, mine, True, 0, 1)), out[1])
    if board[26] == 0:
        theirs = _side(work, nets, arrays, 1, False, 0)
        known = _side(work, nets, arrays, 0, True, 1)
        out[3] = min(np.float32(_first(work, theirs, known, EARLY + 1, 0)), np.float32(1.0) - out[0])
        flight = _fleeing(counts[0], arrays.ranks)
        if flight >= 0:
            _exact(arrays, flight, False, work.survival[1])
            out[4] = min(np.float32(_first(work, theirs, True, 0, 0)), out[3])


@entry(SEARCH)
def race_probabilities_many(
    boards: Int8s2, nets: RaceNets, arrays: OneSidedArrays, work: RaceWork, out: Float32s2
) -> None:
    """`race_probabilities` of boards `int8[N, 32]` into `float32[N, 5]`."""
    for i in range(boards.shape[0]):
        race_probabilities(boards[i], nets, arrays, work, out[i])


def judge_races(boards: NDArray[np.int8], nets: RaceNets, arrays: OneSidedArrays) -> NDArray[np.float32]:
    """Outcomes `float32[N, 5]` of races `int8[N, 32]` packed, for the side on roll."""
    out = np.empty((len(boards), 5), dtype=np.float32)
    race_probabilities_many(np.ascontiguousarray(boards, dtype=np.int8), nets, arrays, make_race_work(nets), out)
    return out
