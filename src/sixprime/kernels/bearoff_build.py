"""Kernels that build the bear-off databases, each list from those its plays lead to.

Values are integers, rounded as GNU Backgammon rounds them, so that both programs hold the same bits. A side
can always play both dice here, until it has nothing left, so that a play is any sequence of its dice.
`bearoff.builder` calls these in order and shares the work out to threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import NDArray

from sixprime.kernels._block import (
    Block,
    Float32s2,
    Int16s,
    Int16s2,
    Int32s,
    Int32s2,
    Int64s,
    Int64s2,
    UInt16s,
    UInt16s3,
    UInt32s2,
    UInt32s4,
)
from sixprime.kernels._jit import entry, njit
from sixprime.kernels.bearoff import ONE, ROLLS, os_span, os_word

HOME = 6
LONGEST = 2 * (ROLLS - 1)
"""Values a list may need in `OneSidedArrays`."""
_WIN = 32767
ENDS = np.array([[_WIN] * 4, [-_WIN - 1] * 4], dtype=np.int32)
"""Equities of who has won and who has lost, with each cube."""
_PART = np.float32(1) / np.float32(36)
DICE = np.array([(a, b) for a in range(1, 7) for b in range(1, a + 1)], dtype=np.int64)


def rank_table(points: int, chequers: int) -> NDArray[np.int64]:
    """`ranks[i, t]` = binomial(t + points - 1 - i, points - i), see `kernels.bearoff`."""
    return np.array(
        [[comb(t + points - 1 - i, points - i) for t in range(chequers + 1)] for i in range(points)], dtype=np.int64
    )


def position_count(points: int, chequers: int) -> int:
    """How many lists of at most `chequers` chequers on `points` points there are."""
    return comb(points + chequers, points)


@dataclass(frozen=True, eq=False, slots=True)
class Bench(Block):
    """Scratch of one thread, for lists on P points; see `make_bench`."""

    behind: Int64s  # [max(P, 6) + 1] chequers behind each point
    steps: Int64s2  # [6, P] lists that one die leads to
    found: Int64s  # [6] how many of them
    lower: Int64s  # [P + 1] of `_all_steps`
    after: Int64s2  # [6, 10] of `_choose`
    sums: Int64s  # [64] chances of so many rolls


def make_bench(points: int) -> Bench:
    """Fresh scratch for one thread."""
    return Bench(
        np.zeros(max(points, HOME) + 1, dtype=np.int64),
        np.zeros((6, points), dtype=np.int64),
        np.zeros(6, dtype=np.int64),
        np.zeros(points + 1, dtype=np.int64),
        np.zeros((6, 10), dtype=np.int64),
        np.zeros(ROLLS, dtype=np.int64),
    )


@njit(allocates=False)
def _open_list(index, ranks, behind):  # type: ignore[no-untyped-def]
    """Writes how many chequers list `index` has behind point p into `behind[p]`; [0] is all of them."""
    total = ranks.shape[1] - 1
    for i in range(ranks.shape[0]):
        while ranks[i, total] > index:
            total -= 1
        index -= ranks[i, total]
        behind[i] = total


@entry()
def _pip_counts(ranks: Int64s2, bench: Bench, pips: Int64s) -> None:
    for index in range(len(pips)):
        _open_list(index, ranks, bench.behind)
        for point in range(ranks.shape[0]):
            pips[index] += bench.behind[point]


def pip_counts(ranks: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Pip counts `int64[size]` of all lists."""
    pips = np.zeros(size, dtype=np.int64)
    _pip_counts(ranks, make_bench(len(ranks)), pips)
    return pips


@entry()
def prefixes(length: int, behind: Int64s, ranks: Int64s2, starts: Int64s, sums: Int64s) -> None:
    """Every way to choose how many chequers are behind point 0, 1, ... `length` - 1.

    behind: zeros, `int64[length]`, scratch.

    Lists alike in these numbers are neighbours; the first of them goes into `starts`, and the sum of the numbers
    into `sums`, both `int64[binomial(chequers + length, length)]`.
    A play leaves a list within its group or takes it to a group with a smaller sum.
    """
    for group in range(len(starts)):
        for i in range(length):
            starts[group] += ranks[i, behind[i]]
            sums[group] += behind[i]
        place = length - 1
        while place > 0 and behind[place] == behind[place - 1]:
            place -= 1
        behind[place] += 1
        for i in range(place + 1, length):
            behind[i] = 0


@njit(allocates=False)
def _steps(index, behind, die, ranks, out):  # type: ignore[no-untyped-def]
    """Indices after each way to play one die, rearmost chequer first, into `out`; returns how many.

    Nothing can be borne off while a chequer is outside home, nor with too large a die while one is behind.
    """
    found = 0
    for point in range(ranks.shape[0], 0, -1):
        if behind[point - 1] == behind[point]:
            continue
        if point <= die and behind[HOME if point == die else point] > 0:
            continue
        after = index
        for i in range(max(point - die, 0), point):
            after += ranks[i, behind[i] - 1] - ranks[i, behind[i]]
        out[found] = after
        found += 1
    return found


@njit(allocates=False)
def _all_steps(index, behind, ranks, steps, found, lower):  # type: ignore[no-untyped-def]
    """`_steps` of every die. lower: int64[P + 1], scratch."""
    points = ranks.shape[0]
    # What a play from a point takes off the index is a difference of these sums.
    for i in range(points):
        if behind[i] == 0:
            points = i
            break
        lower[i + 1] = lower[i] + ranks[i, behind[i]] - ranks[i, behind[i] - 1]
    for die in range(6):
        found[die] = 0
    for point in range(points, 0, -1):
        if behind[point - 1] == behind[point]:
            continue
        for die in range(1, 7):
            if point <= die and behind[HOME if point == die else point] > 0:
                continue
            steps[die - 1, found[die - 1]] = index - lower[point] + lower[max(point - die, 0)]
            found[die - 1] += 1


@njit(allocates=False)
def _choose(index, steps, found, played, means, after, least):  # type: ignore[no-untyped-def]
    """Lists with the least mean that the steps and further plays lead to; fills row `index` of `played`.

    after: int64[6, 10], written: [die, left] after `left` more plays of the same die, 0 to 3, and
    [die, 4 + other] after one of another die. least: the means of these. At a tie the earlier step counts.
    """
    for die in range(6):
        for j in range(found[die]):
            step = steps[die, j]
            mean = means[step]
            if j == 0 or mean < least[die, 0]:
                after[die, 0] = step
                least[die, 0] = mean
            for left in range(3):
                result = np.int64(played[step, die, left])
                mean = means[result]
                if j == 0 or mean < least[die, left + 1]:
                    after[die, left + 1] = result
                    least[die, left + 1] = mean
            for other in range(6):
                result = np.int64(played[step, other, 0])
                mean = means[result]
                if j == 0 or mean < least[die, 4 + other]:
                    after[die, 4 + other] = result
                    least[die, 4 + other] = mean
        for left in range(3):
            played[index, die, left] = after[die, left]


@njit(inline="always")
def _best_of_roll(a, b, after, least):  # type: ignore[no-untyped-def]
    """List with the least mean that a roll of the dice `a` + 1 and `b` + 1 leads to."""
    if a == b:
        return after[a, 3]
    return after[b, 4 + a] if least[b, 4 + a] < least[a, 4 + b] else after[a, 4 + b]


@njit(allocates=False)
def _add(sums, weight, values, span):  # type: ignore[no-untyped-def]
    """Adds a distribution that begins one roll later; returns the span of rolls it can end in."""
    at, first, count = span
    left = np.int64(ONE)
    for k in range(count):
        now = np.int64(values[at + k])
        sums[first + k + 1] += weight * (left - now)
        left = now
    sums[min(first + count + 1, ROLLS - 1)] += weight * left
    return first + 1, min(first + count + 1, ROLLS - 1)


@njit(allocates=False)
def _average(sums, low, high):  # type: ignore[no-untyped-def]
    """Divides sums over the 36 rolls in place, the likeliest number taking up what rounding lost.

    Returns the sum of k * sums[k], a measure of the mean.
    """
    total = 0
    top = low
    mean = 0
    for k in range(low, high + 1):
        value = (sums[k] + 18) // 36
        total += value
        mean += k * value
        sums[k] = value
        if value > sums[top]:
            top = k
    sums[top] += ONE - total
    return mean + top * (ONE - total)


@njit(allocates=False)
def _solve_list(index, own, steps, found, dice, played, means, after, least, spans, values, buffer, gammon, sums):  # type: ignore[no-untyped-def]
    """Fills row `index` of `played` and `means`; returns the rolls between which `sums` has its distribution.

    own: the first list whose values are in `buffer`, not in `values`; spans: the index of the database.
    """
    _choose(index, steps, found, played, means, after, least)
    low, high = ROLLS - 1, 0
    for r in range(len(dice)):
        a, b = dice[r, 0] - 1, dice[r, 1] - 1
        best = _best_of_roll(a, b, after, least)
        begin, end = _add(sums, 1 if a == b else 2, buffer if best >= own else values, os_span(spans[best], gammon))
        low, high = min(low, begin), max(high, end)
    means[index] = _average(sums, low, high)
    while low < high and sums[low] == 0:
        low += 1
    while high > low and sums[high] == 0:
        high -= 1
    return low, high


@njit(allocates=False)
def _save_gammon(steps, found, fewer):  # type: ignore[no-untyped-def]
    """Any chequer off will do: the list of none stands for all lists before `fewer`, which have less chequers."""
    for die in range(6):
        for j in range(found[die]):
            if steps[die, j] < fewer:
                steps[die, j] = 0


@njit(allocates=False)
def _survive(sums, low, high, out, at):  # type: ignore[no-untyped-def]
    """Writes the chances of more than `low` to `high` - 1 rolls, from those of exactly k, which are cleared."""
    left = np.int64(ONE)
    for k in range(low, high):
        left -= sums[k]
        sums[k] = 0
        out[at + k - low] = left
    sums[high] = 0


@entry()
def _build_groups(
    starts: Int64s,
    ends: Int64s,
    ranks: Int64s2,
    dice: Int64s2,
    spans: Int64s,
    values: UInt16s,
    means: UInt32s2,
    played: UInt32s4,
    buffer: UInt16s,
    bench: Bench,
    least: UInt32s2,
) -> int:
    behind, steps, found, after, sums = bench.behind, bench.steps, bench.found, bench.after, bench.sums
    end = 0
    for group in range(len(starts)):
        own = starts[group]
        for index in range(own, ends[group]):
            _open_list(index, ranks, behind)
            _all_steps(index, behind, ranks, steps, found, bench.lower)
            low, high = _solve_list(
                index, own, steps, found, dice, played[0], means[0], after, least, spans, values, buffer, False, sums
            )
            _survive(sums, low, high, buffer, end)
            _save_gammon(steps, found, ranks[0, behind[0]])
            first, last = _solve_list(
                index, own, steps, found, dice, played[1], means[1], after, least, spans, values, buffer, True, sums
            )
            _survive(sums, first, last, buffer, end + high - low)
            spans[index] = os_word(end, low, high - low, first, last - first)
            end += high - low + last - first
    return end


def build_groups(
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    ranks: NDArray[np.int64],
    spans: NDArray[np.int64],
    values: NDArray[np.uint16],
    means: NDArray[np.uint32],
    played: NDArray[np.uint32],
    buffer: NDArray[np.uint16],
) -> int:
    """Solves the lists of some groups of the same sum, see `prefixes`; returns how many values that took.

    starts, ends: `int64[G]`, the lists of each group. spans, values: as in `OneSidedArrays`, of earlier groups.
    means: `uint32[2, n]` and played: `uint32[2, n, 6, 3]`, the best list after 1 to 3 plays of a die, for bearing
    all off and for bearing one off. Written: `spans`, with places in `buffer`, `uint16[LONGEST * lists]`.
    """
    bench, least = make_bench(len(ranks)), np.zeros((6, 10), dtype=np.uint32)
    return _build_groups(starts, ends, ranks, DICE, spans, values, means, played, buffer, bench, least)


@njit(allocates=False)
def _solve_moments(index, steps, found, dice, played, means, after, least, deviations):  # type: ignore[no-untyped-def]
    """Fills row `index` of `played`, `means` and `deviations`."""
    _choose(index, steps, found, played, means, after, least)
    mean = np.float32(0)
    square = np.float32(0)
    for r in range(len(dice)):
        best = _best_of_roll(dice[r, 0] - 1, dice[r, 1] - 1, after, least)
        weight = np.float32(1 if dice[r, 0] == dice[r, 1] else 2)
        rolls = np.float32(1) + means[best]
        mean += weight * rolls
        square += weight * (deviations[best] * deviations[best] + rolls * rolls)
    # As GNU Backgammon rounds.
    mean *= _PART
    square *= _PART
    means[index] = mean
    deviations[index] = np.sqrt(square - mean * mean)


@entry()
def _moments_groups(
    starts: Int64s,
    ends: Int64s,
    ranks: Int64s2,
    dice: Int64s2,
    moments: Float32s2,
    played: UInt32s4,
    bench: Bench,
    least: Float32s2,
) -> None:
    behind, steps, found, after = bench.behind, bench.steps, bench.found, bench.after
    for group in range(len(starts)):
        for index in range(starts[group], ends[group]):
            _open_list(index, ranks, behind)
            _all_steps(index, behind, ranks, steps, found, bench.lower)
            _solve_moments(index, steps, found, dice, played[0], moments[0], after, least, moments[1])
            _save_gammon(steps, found, ranks[0, behind[0]])
            _solve_moments(index, steps, found, dice, played[1], moments[2], after, least, moments[3])


def moments_groups(
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    ranks: NDArray[np.int64],
    moments: NDArray[np.float32],
    played: NDArray[np.uint32],
) -> None:
    """`build_groups` for the normal approximation.

    moments: `float32[4, n]`, mean and standard deviation of the rolls to bear all off, and one; written.
    """
    bench, least = make_bench(len(ranks)), np.zeros((6, 10), dtype=np.float32)
    _moments_groups(starts, ends, ranks, DICE, moments, played, bench, least)


@entry()
def move_spans(starts: Int64s, ends: Int64s, by: int, spans: Int64s) -> None:
    """Tells the lists of some groups that their values have moved."""
    for group in range(len(starts)):
        for index in range(starts[group], ends[group]):
            spans[index] += by


@njit(allocates=False)
def _spread(lists, count, die, ranks, stamps, stamp, bench, out):  # type: ignore[no-untyped-def]
    """Writes what one die leads to from `lists[:count]` into `out`, unless it bears `stamp`; returns how many."""
    behind, steps = bench.behind, bench.steps[0]
    made = 0
    for i in range(count):
        found = 1  # with everything off nothing is left to play
        steps[0] = 0
        if lists[i] > 0:
            _open_list(lists[i], ranks, behind)
            found = _steps(lists[i], behind, die, ranks, steps)
        for j in range(found):
            if stamps[steps[j]] != stamp:
                stamps[steps[j]] = stamp
                out[made] = steps[j]
                made += 1
    return made


@entry()
def _all_results(
    roll: int,
    ranks: Int64s2,
    dice: Int64s2,
    stamped: Int64s2,
    lists: Int64s2,
    bench: Bench,
    flat: Int64s,
    offsets: Int64s,
) -> int:
    """Goes on with `all_results` at `roll` of all rolls of all lists; returns the one for which there is no room."""
    rolls, size = dice.shape[0], lists.shape[1]
    while roll < size * rolls and offsets[roll] + size <= len(flat):
        a, b = dice[roll % rolls, 0], dice[roll % rolls, 1]
        end = offsets[roll]
        orders, length = (1, 4) if a == b else (2, 2)
        for order in range(orders):
            lists[0, 0] = roll // rolls
            count = 1
            for step in range(length):
                # The results of both orders share a stamp, every stage on the way has its own.
                last = step == length - 1
                die = a if (step + order) % 2 == 0 else b
                stamps = stamped[0] if last else stamped[1]
                stamp = 8 * roll + (0 if last else 4 * order + step)
                count = _spread(lists[step % 2], count, die, ranks, stamps, stamp, bench, lists[1 - step % 2])
            # An even number of steps ends where it began.
            for i in range(count):
                flat[end + i] = lists[0, i]
            end += count
        roll += 1
        offsets[roll] = end
    return roll


def all_results(ranks: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct results of every list but 0 and every roll: flat array and `int64[size * 21 + 1]` offsets."""
    stamped, lists = np.zeros((2, size), dtype=np.int64), np.zeros((2, size), dtype=np.int64)
    offsets = np.zeros(size * len(DICE) + 1, dtype=np.int64)
    flat = np.zeros(64 * size, dtype=np.int64)
    bench, roll = make_bench(len(ranks)), len(DICE)
    while (roll := _all_results(roll, ranks, DICE, stamped, lists, bench, flat, offsets)) < size * len(DICE):
        flat = np.concatenate((flat, np.zeros_like(flat)))
    return flat[: offsets[-1]], offsets


@njit(allocates=False)
def _towards_zero(value, divisor):  # type: ignore[no-untyped-def]
    return value // divisor if value >= 0 else -(-value // divisor)


@njit(allocates=False)
def _double_if_right(no_double, take):  # type: ignore[no-untyped-def]
    """Equity with access to the cube; `take` is half of what doubling is worth when it is taken."""
    if take < _towards_zero(no_double, 2):
        return no_double
    return _WIN if take >= _WIN // 2 else 2 * take


@njit(allocates=False)
def _store(u, t, values, after, order, table):  # type: ignore[no-untyped-def]
    """Notes the four equities of `order[u]` on roll against `order[t]`, in `after` as the other side sees them."""
    for k in range(4):
        table[u, t, k] = values[k] + 32768
    # The opponent owns the cube when `u` may not double; -x - 1 swaps the ends -32768 and 32767 of the scale.
    row = after[order[t], 4 * u : 4 * u + 4]
    row[0] = -values[0] - 1
    row[1] = -values[3] - 1
    row[2] = -_double_if_right(values[2], values[3]) - 1
    row[3] = -_double_if_right(values[1], values[3]) - 1


@entry()
def begin_pairs(ends: Int32s2, after: Int16s2, order: Int64s, table: UInt16s3) -> None:
    """Pairs in which one side has nothing left; arrays as in `solve_pairs`. ends: `ENDS`."""
    for other in range(len(order)):
        _store(0, other, ends[0], after, order, table)
    for other in range(1, len(order)):
        _store(other, 0, ends[1], after, order, table)


@entry()
def _solve_pairs(
    begin: int,
    end: int,
    low: int,
    high: int,
    plays: Int64s,
    offsets: Int64s,
    dice: Int64s2,
    after: Int16s2,
    order: Int64s,
    table: UInt16s3,
    sums: Int32s,
    best: Int16s,
) -> None:
    # See `solve_pairs`.
    width = 4 * (high - low)
    for u in range(begin, end):
        for x in range(width):
            sums[x] = 0
        for r in range(len(dice)):
            roll = order[u] * len(dice) + r
            for x in range(width):
                best[x] = -_WIN - 1
            for j in range(offsets[roll], offsets[roll + 1]):
                row = after[plays[j], 4 * low : 4 * high]
                for x in range(width):
                    best[x] = max(best[x], row[x])
            weight = np.int32(1 if dice[r, 0] == dice[r, 1] else 2)
            for x in range(width):
                sums[x] += weight * np.int32(best[x])
        for x in range(width):
            sums[x] = _towards_zero(sums[x], 36)
        for t in range(low, high):
            _store(u, t, sums[4 * (t - low) : 4 * (t - low) + 4], after, order, table)


def solve_pairs(
    begin: int,
    end: int,
    low: int,
    high: int,
    plays: NDArray[np.int64],
    offsets: NDArray[np.int64],
    after: NDArray[np.int16],
    order: NDArray[np.int64],
    table: NDArray[np.uint16],
) -> None:
    """Equities of `order[begin:end]` on roll against `order[low:high]`.

    plays, offsets: all results, from `all_results`. order: the lists by pip count.
    after: `int16[n, 4 n]`, what it is worth to have left a list, [list], against [place of the opponent's
    list in `order`, four cubes], with the opponent on roll and doubling when it is right.
    table: `uint16[n, n, 4]`, written, [place in `order` on roll, place of the opponent].
    """
    width = 4 * (high - low)
    sums, best = np.zeros(width, dtype=np.int32), np.zeros(width, dtype=np.int16)
    _solve_pairs(begin, end, low, high, plays, offsets, DICE, after, order, table, sums, best)
