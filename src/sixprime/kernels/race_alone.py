"""One side of a race played alone: what it needs, exactly within a one-sided database, and beyond it by play.

A list with chequers behind the points of the database is played on until it is within, each roll as the database would
have it, a chequer behind counted as one on the last point and 6/49 of a roll for each pip more. What a list is thought
to need and what the mean over its 21 rolls makes of it differ; these differences, added up along the way, correct the
first thought without bias, and the luck of the dice is left out.

A value is `float64[WIDTH]`: four cumulants of the number of rolls, then the chances of more than 0 to `EARLY` rolls; to
bear all off or, `first`, to bear one off. Lists are counts on points 1 to 24, [0] unused.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixprime.kernels._jit import njit
from sixprime.kernels.bearoff import ONE, os_span
from sixprime.kernels.plays import ROLL_WEIGHTS, ROLLS
from sixprime.kernels.race import CUMULANTS, EARLY, HOME, LONGEST, POINTS

WIDTH = CUMULANTS + EARLY + 1
CHANCES = np.array(ROLL_WEIGHTS, dtype=np.float64) / 36
_DICE = np.array(ROLLS, dtype=np.int64)


def _per_pip() -> NDArray[np.float64]:
    """What a pip far from home adds to the first three cumulants, by the theory of renewals; the fourth is left."""
    pips = np.array([(a + b) * (2 if a == b else 1) for a, b in _DICE])
    mean = pips @ CHANCES
    variance, third = (((pips - mean) ** k) @ CHANCES for k in (2, 3))
    return np.array([1 / mean, variance / mean**3, 3 * variance**2 / mean**5 - third / mean**4, 0.0])


_PER_PIP = _per_pip()


@njit
def means_of(arrays):  # type: ignore[no-untyped-def]
    """Mean rolls `float32[2, n]` of all lists of a database, to bear all off and to bear one off."""
    means = np.zeros((2, len(arrays.spans)), dtype=np.float32)
    for row in range(len(arrays.spans)):
        for first in range(2):
            at, begin, count = os_span(arrays.spans[row], first == 1)
            total = 0
            for k in range(count):
                total += arrays.values[at + k]
            means[first, row] = begin + total / ONE
    return means


@njit
def _place(counts, ranks):  # type: ignore[no-untyped-def]
    """Row of a list, chequers behind the database counted on its last point, and the pips that this leaves out."""
    points = ranks.shape[0]
    total = 0
    over = 0
    for p in range(POINTS, points, -1):
        total += counts[p]
        over += counts[p] * (p - points)
    row = 0
    for p in range(points, 0, -1):
        total += counts[p]
        row += ranks[p - 1, total]
    return row, over


@njit
def _value(counts, first, arrays, out):  # type: ignore[no-untyped-def]
    """What a list is thought to need; exact within the database."""
    row, over = _place(counts, arrays.ranks)
    at, begin, count = os_span(arrays.spans[row], first)
    a = b = c = d = 0.0
    for k in range(begin + count):
        chance = 1.0 if k < begin else arrays.values[at + k - begin] / ONE
        a += chance
        b += (2 * k + 1) * chance
        c += (3 * k * k + 3 * k + 1) * chance
        d += (4 * k * k * k + 6 * k * k + 4 * k + 1) * chance
    variance = b - a * a
    out[0] = a
    out[1] = variance
    out[2] = c - 3 * a * b + 2 * a**3
    out[3] = d - 4 * a * c + 6 * a * a * b - 3 * a**4 - 3 * variance * variance
    for j in range(CUMULANTS):
        out[j] += over * _PER_PIP[j]
    later = over * _PER_PIP[0]
    whole = int(later)
    for k in range(EARLY + 1):
        chances = (1.0, 1.0)
        sooner = k - whole
        for _ in range(2):
            chance = 1.0
            if sooner >= begin + count:
                chance = 0.0
            elif sooner >= begin:
                chance = arrays.values[at + sooner - begin] / ONE
            chances = (chances[1], chance)
            sooner -= 1
        out[CUMULANTS + k] = chances[0] + (later - whole) * (chances[1] - chances[0])


@njit
def judge_lists(lists, first, arrays, out):  # type: ignore[no-untyped-def]
    """Values of lists `int64[N, 25]` into `float64[N, WIDTH]`."""
    for i in range(len(lists)):
        _value(lists[i], first, arrays, out[i])


@njit
def _try(counts, dice, total, ranks, means, least, best):  # type: ignore[no-untyped-def]
    """Plays the dice in their order in every way, rear chequers first; notes the list with the least mean in `best`.

    total: chequers from which one borne off ends it, 0 when all are wanted. least: `float64[1]`, the mean of `best`.
    """
    points = np.zeros(len(dice), dtype=np.int64)
    points[0] = POINTS + 1
    depth = 0
    while depth >= 0:
        behind = POINTS
        while behind > 0 and counts[behind] == 0:
            behind -= 1
        left = 0
        for p in range(1, behind + 1):
            left += counts[p]
        found = 0
        if depth == len(dice) or behind == 0 or left < total:
            mean = 0.0
            if left >= max(total, 1):
                row, over = _place(counts, ranks)
                mean = means[row] + over * _PER_PIP[0]
            if mean < least[0]:
                least[0] = mean
                best[:] = counts
        else:
            # points[depth]: the point of the last try, or one behind the first.
            for p in range(min(points[depth] - 1, behind), 0, -1):
                die = dice[depth]
                if counts[p] > 0 and (p > die or (behind <= HOME and p in (die, behind))):
                    found = p
                    break
        if found:
            counts[found] -= 1
            if found > dice[depth]:
                counts[found - dice[depth]] += 1
            points[depth] = found
            depth += 1
            if depth < len(dice):
                # The same die again is played from the same point or a nearer one.
                points[depth] = found + 1 if len(dice) > 2 else POINTS + 1
            continue
        depth -= 1
        if depth >= 0:
            counts[points[depth]] += 1
            if points[depth] > dice[depth]:
                counts[points[depth] - dice[depth]] -= 1


@njit
def _play(counts, a, b, total, ranks, means, best):  # type: ignore[no-untyped-def]
    """Writes the best list after a roll into `best`."""
    least = np.full(1, np.inf)
    if a == b:
        _try(counts, np.full(4, a), total, ranks, means, least, best)
        return
    dice = np.array([a, b])
    _try(counts, dice, total, ranks, means, least, best)
    dice[0], dice[1] = b, a
    _try(counts, dice, total, ranks, means, least, best)


@njit
def _look_ahead(counts, first, arrays, means, best, after, out):  # type: ignore[no-untyped-def]
    """The mean over all rolls of what is thought of the lists after them, which are written to `best` (21 rows)."""
    total = 0
    for p in range(1, POINTS + 1):
        total += counts[p]
    for r in range(len(_DICE)):
        _play(counts, _DICE[r, 0], _DICE[r, 1], total if first else 0, arrays.ranks, means, best[r])
        after[r] = 0
        left = 0
        for p in range(1, POINTS + 1):
            left += best[r, p]
        if left == total or (left > 0 and not first):
            _value(best[r], first, arrays, after[r])
    out[:] = 0
    out[CUMULANTS] = 1
    for r in range(len(_DICE)):
        out[0] += CHANCES[r] * after[r, 0]
        for k in range(1, EARLY + 1):
            out[CUMULANTS + k] += CHANCES[r] * after[r, CUMULANTS + k - 1]
    third = fourth = 0.0
    for r in range(len(_DICE)):
        # The law of total cumulance, by central moments.
        weight, d, v = CHANCES[r], after[r, 0] - out[0], after[r, 1]
        out[1] += weight * (v + d * d)
        third += weight * (after[r, 2] + 3 * d * v + d**3)
        fourth += weight * (after[r, 3] + 3 * v * v + 4 * d * after[r, 2] + 6 * d * d * v + d**4)
    out[0] += 1
    out[2] = third
    out[3] = fourth - 3 * out[1] * out[1]


@njit
def play_alone(starts, rolls, first, arrays, means, lists, values):  # type: ignore[no-untyped-def]
    """Plays sides alone until they are home or done; returns how many rows it has written.

    starts: `int64[N, 25]`. rolls: `int64[N, LONGEST]`, numbers of rolls. lists, values: as in `Lessons`, written; of
    lists within the database the values are not.
    """
    best = np.zeros((len(_DICE), POINTS + 1), dtype=np.int64)
    after = np.zeros((len(_DICE), WIDTH))
    thought = np.zeros((LONGEST, WIDTH))
    ahead = np.zeros((LONGEST, WIDTH))
    written = 0
    for i in range(len(starts)):
        counts = starts[i]
        begin = written
        total = counts.sum()
        steps = 0
        for t in range(LONGEST):
            left = counts.sum()
            if counts[HOME + 1 :].sum() == 0 or (first and left < total):
                break
            lists[written] = counts
            written += 1
            roll = rolls[i, t]
            if counts[arrays.ranks.shape[0] + 1 :].sum() > 0:
                _value(counts, first, arrays, thought[t])
                _look_ahead(counts, first, arrays, means[int(first)], best, after, ahead[t])
                steps = t + 1
            else:
                wanted = total if first else 0
                _play(counts, _DICE[roll, 0], _DICE[roll, 1], wanted, arrays.ranks, means[int(first)], best[roll])
            counts[:] = best[roll]
        for s in range(steps):
            out = values[begin + s]
            out[:] = thought[s]
            for t in range(s, steps):
                for j in range(CUMULANTS):
                    out[j] += ahead[t, j] - thought[t, j]
                for k in range(t - s + 1, EARLY + 1):
                    out[CUMULANTS + k] += ahead[t, CUMULANTS + k - t + s] - thought[t, CUMULANTS + k - t + s]
    return written
