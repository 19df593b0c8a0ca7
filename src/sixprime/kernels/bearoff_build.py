"""Builders of the bear-off databases: one pass over the lists, each from those its plays lead to.

Values are integers, rounded as GNU Backgammon rounds them, so that both programs hold the same bits. A side
can always play both dice here, until it has nothing left, so that a play is any sequence of its dice.
"""

from __future__ import annotations

from math import comb

import numpy as np
from numpy.typing import NDArray

from sixprime.kernels._jit import njit
from sixprime.kernels.bearoff import ONE, ROLLS, OneSidedArrays, TwoSidedArrays

HOME = 6
_WIN = 32767
_DICE = np.array([(a, b) for a in range(1, 7) for b in range(1, a + 1)], dtype=np.int64)


def rank_table(points: int, chequers: int) -> NDArray[np.int64]:
    """`ranks[i, t]` = binomial(t + points - 1 - i, points - i), see `kernels.bearoff`."""
    return np.array(
        [[comb(t + points - 1 - i, points - i) for t in range(chequers + 1)] for i in range(points)], dtype=np.int64
    )


def position_count(points: int, chequers: int) -> int:
    """How many lists of at most `chequers` chequers on `points` points there are."""
    return comb(points + chequers, points)


def one_sided_memory(points: int, chequers: int) -> int:
    """Bytes that `build_one_sided` takes: 2 distributions, 2 means and 48 best lists for each list."""
    return position_count(points, chequers) * (2 * 2 * ROLLS + 2 * 8 + 48 * 4)


def two_sided_memory(points: int, chequers: int) -> int:
    """Bytes that `build_two_sided` takes: 8 equities for each pair, and the plays of each list."""
    size = position_count(points, chequers)
    return size * size * 16 + size * 8 * 256


@njit
def _open_list(index, ranks, behind):  # type: ignore[no-untyped-def]
    """Writes how many chequers list `index` has behind point p into `behind[p]`; [0] is all of them."""
    total = ranks.shape[1] - 1
    for i in range(ranks.shape[0]):
        while ranks[i, total] > index:
            total -= 1
        index -= ranks[i, total]
        behind[i] = total


@njit
def _pip_counts(ranks, size):  # type: ignore[no-untyped-def]
    pips = np.zeros(size, dtype=np.int64)
    behind = np.zeros(ranks.shape[0], dtype=np.int64)
    for index in range(size):
        _open_list(index, ranks, behind)
        pips[index] = behind.sum()
    return pips


@njit
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


@njit
def _average(sums, out):  # type: ignore[no-untyped-def]
    """Divides sums over the 36 rolls into `out`, the likeliest number taking up what rounding lost.

    Returns the sum of k * out[k], a measure of the mean.
    """
    total = 0
    top = 0
    mean = 0
    for k in range(ROLLS):
        value = (sums[k] + 18) // 36
        total += value
        mean += k * value
        out[k] = value
        if value > out[top]:
            top = k
    out[top] += ONE - total
    return mean + top * (ONE - total)


@njit
def _add(sums, weight, distribution):  # type: ignore[no-untyped-def]
    """Adds a distribution that begins one roll later."""
    for k in range(ROLLS - 1):
        sums[k + 1] += weight * np.int32(distribution[k])


@njit
def _best(best, steps, found, played, times, die, means):  # type: ignore[no-untyped-def]
    """List with the least mean: `best` (-1 for none) or what `steps[:found]` and then `times` dice lead to.

    At a tie the earlier counts.
    """
    for j in range(found):
        result = played[steps[j], times, die]
        if best < 0 or means[result] < means[best]:
            best = result
    return best


@njit
def _solve_list(index, steps, found, dice, played, means, distributions, sums):  # type: ignore[no-untyped-def]
    """Fills row `index` of `played`, `means` and `distributions` from the rows that `steps` lead to."""
    for die in range(6):
        played[index, 0, die] = index
        for times in range(1, 4):
            played[index, times, die] = _best(-1, steps[die], found[die], played, times - 1, die, means)
    for k in range(ROLLS):
        sums[k] = 0
    for r in range(dice.shape[0]):
        a, b = dice[r, 0] - 1, dice[r, 1] - 1
        if a == b:
            best = _best(-1, steps[a], found[a], played, 3, a, means)
        else:
            best = _best(-1, steps[a], found[a], played, 1, b, means)
            best = _best(best, steps[b], found[b], played, 1, a, means)
        weight = np.int32(1 if a == b else 2)
        for k in range(ROLLS - 1):
            sums[k + 1] += weight * np.int32(distributions[best, k])
    means[index] = _average(sums, distributions[index])


@njit
def _build_one_sided(ranks, dice, exact, first):  # type: ignore[no-untyped-def]
    """Fills the distributions `uint16[n, 32]` of rolls until all are off, and until the first one is."""
    size = exact.shape[0]
    behind = np.zeros(max(ranks.shape[0], HOME) + 1, dtype=np.int64)
    steps = np.zeros((6, ranks.shape[0]), dtype=np.int64)
    found = np.zeros(6, dtype=np.int64)
    sums = np.zeros(ROLLS, dtype=np.int32)
    means = np.zeros(size, dtype=np.int64)
    first_means = np.zeros(size, dtype=np.int64)
    # Best list after 0 to 3 plays of a die, [list, times, die].
    played = np.zeros((size, 4, 6), dtype=np.int32)
    first_played = np.zeros((size, 4, 6), dtype=np.int32)
    exact[0, 0] = ONE
    first[0, 0] = ONE
    for index in range(1, size):
        _open_list(index, ranks, behind)
        for die in range(6):
            found[die] = _steps(index, behind, die + 1, ranks, steps[die])
        _solve_list(index, steps, found, dice, played, means, exact, sums)
        # To save the gammon any chequer off will do: the list of none stands for that.
        fewer = ranks[0, behind[0]]
        for die in range(6):
            for j in range(found[die]):
                if steps[die, j] < fewer:
                    steps[die, j] = 0
        _solve_list(index, steps, found, dice, first_played, first_means, first, sums)


@njit
def _survive(distribution):  # type: ignore[no-untyped-def]
    """Turns chances of exactly k rolls into chances of more than k, in place."""
    for i in range(distribution.shape[0]):
        left = ONE
        for k in range(ROLLS):
            left -= distribution[i, k]
            distribution[i, k] = left


def build_one_sided(points: int, chequers: int) -> OneSidedArrays:
    """Plays every roll so that the mean number of rolls left is least."""
    ranks = rank_table(points, chequers)
    size = position_count(points, chequers)
    survival = np.zeros((size, ROLLS), dtype=np.uint16)
    gammon = np.zeros((size, ROLLS), dtype=np.uint16)
    _build_one_sided(ranks, _DICE, survival, gammon)
    _survive(survival)
    _survive(gammon)
    return OneSidedArrays(ranks, survival, gammon)


@njit
def _spread(lists, count, die, ranks, stamps, stamp, out):  # type: ignore[no-untyped-def]
    """Writes what one die leads to from `lists[:count]` into `out`, unless it bears `stamp`; returns how many."""
    behind = np.zeros(max(ranks.shape[0], HOME) + 1, dtype=np.int64)
    steps = np.zeros(ranks.shape[0], dtype=np.int64)
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


@njit
def _all_results(ranks, dice, size):  # type: ignore[no-untyped-def]
    """Distinct results of every list but 0 and every roll: flat array and `int64[size * 21 + 1]` offsets."""
    rolls = dice.shape[0]
    stamped = np.zeros((2, size), dtype=np.int64)
    here = np.zeros(size, dtype=np.int64)
    there = np.zeros(size, dtype=np.int64)
    offsets = np.zeros(size * rolls + 1, dtype=np.int64)
    flat = np.zeros(64 * size, dtype=np.int64)
    for roll in range(rolls, size * rolls):
        a, b = dice[roll % rolls, 0], dice[roll % rolls, 1]
        end = offsets[roll]
        if end + size > len(flat):
            longer = np.zeros(2 * len(flat), dtype=np.int64)
            for i in range(end):
                longer[i] = flat[i]
            flat = longer
        orders, length = (1, 4) if a == b else (2, 2)
        for order in range(orders):
            here[0] = roll // rolls
            count = 1
            for step in range(length):
                # The results of both orders share a stamp, every stage on the way has its own.
                last = step == length - 1
                die = a if (step + order) % 2 == 0 else b
                stamps = stamped[0] if last else stamped[1]
                count = _spread(here, count, die, ranks, stamps, 8 * roll + (0 if last else 4 * order + step), there)
                here, there = there, here
            for i in range(count):
                flat[end + i] = here[i]
            end += count
        offsets[roll + 1] = end
    return flat[: offsets[-1]], offsets


@njit
def _towards_zero(value, divisor):  # type: ignore[no-untyped-def]
    return value // divisor if value >= 0 else -(-value // divisor)


@njit
def _double_if_right(no_double, take):  # type: ignore[no-untyped-def]
    """Equity with access to the cube; `take` is half of what doubling is worth when it is taken."""
    if take < _towards_zero(no_double, 2):
        return no_double
    return _WIN if take >= _WIN // 2 else 2 * take


@njit
def _store(u, t, values, after, order, table):  # type: ignore[no-untyped-def]
    """Notes the four equities of `order[u]` on roll against `order[t]`, in `after` as the other side sees them."""
    for k in range(4):
        table[order[u], order[t], k] = values[k] + 32768
    # The opponent owns the cube when `u` may not double; -x - 1 swaps the ends -32768 and 32767 of the scale.
    row = after[order[t], 4 * u : 4 * u + 4]
    row[0] = -values[0] - 1
    row[1] = -values[3] - 1
    row[2] = -_double_if_right(values[2], values[3]) - 1
    row[3] = -_double_if_right(values[1], values[3]) - 1


@njit
def _solve_pairs(u, low, high, plays, offsets, dice, after, order, table):  # type: ignore[no-untyped-def]
    """Equities of `order[u]` on roll against `order[low:high]`."""
    width = 4 * (high - low)
    sums = np.zeros(width, dtype=np.int32)
    best = np.zeros(width, dtype=np.int16)
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


@njit
def _build_two_sided(plays, offsets, dice, levels, order, table):  # type: ignore[no-untyped-def]
    """Fills `uint16[n, n, 4]`.

    plays, offsets: all results, from `_all_results`. order: the lists by pip count; levels: `int64[L + 1]`,
    where each pip count begins in it. A play lowers the pip count, so the pairs whose lower count is that
    of a level need only earlier levels.
    after: `int16[n, 4 n]`, what it is worth to have left a list, [list], against [place of the opponent's
    list in `order`, four cubes], with the opponent on roll and doubling when it is right.
    """
    size = len(order)
    after = np.zeros((size, 4 * size), dtype=np.int16)
    won = np.full(4, _WIN, dtype=np.int32)
    lost = np.full(4, -_WIN - 1, dtype=np.int32)
    for other in range(size):
        _store(0, other, won, after, order, table)
    for other in range(1, size):
        _store(other, 0, lost, after, order, table)
    for level in range(1, len(levels) - 1):
        low, high = levels[level], levels[level + 1]
        for u in range(low, size):
            _solve_pairs(u, low, size if u < high else high, plays, offsets, dice, after, order, table)


def build_two_sided(points: int, chequers: int) -> TwoSidedArrays:
    """Plays every roll, and doubles, takes and passes, for the greatest equity with each kind of cube."""
    ranks = rank_table(points, chequers)
    size = position_count(points, chequers)
    plays, offsets = _all_results(ranks, _DICE, size)
    pips = _pip_counts(ranks, size)
    order = np.argsort(pips, kind="stable")
    levels = np.searchsorted(pips[order], np.arange(pips.max() + 2))
    table = np.zeros((size, size, 4), dtype=np.uint16)
    _build_two_sided(plays, offsets, _DICE, levels, order, table)
    return TwoSidedArrays(ranks, table)
