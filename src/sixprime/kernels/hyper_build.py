"""Hypergammon, solved: every position with at most three chequers a side.

A side is a list: the points of its chequers, rearmost first, 25 the bar and 0 off. Here lists are numbered by pip
count ("places"), so that a play leads to a lower place and a hit lifts the opponent to a higher one.

Two facts make the solver fast. Whether a play is legal depends on the opponent only through the points where a
chequer touches down, so the plays of a list are made once, with the set of points that each touches. And what such a
set does to the opponent's lists, hit or blocked, is a table. So all opponents of a list are judged together: every
play is a row of values, read through that table, and the greatest are kept.

A value "after" is that of having left a list, with the opponent on roll, who doubles where that is right. Pairs are
solved from the lowest pips up, so that in a sweep only hits by the side behind and dances look at values of the sweep
before; without contact the first sweep is exact.

Equities are for a cube of 1: owned, centred, centred under the Jacoby rule, owned by the opponent. Probabilities are
those of the plays with the greatest cubeless equity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import types
from numba.core.cgutils import ir
from numba.extending import intrinsic
from numpy.typing import NDArray

from sixprime.kernels._jit import njit
from sixprime.kernels.hyper import BAR, rank_table

ROLLS = 21
LAYERS = 4
"""Sets of dice that a roll may be played with, from all of them down; see `Moves`."""
_DICE = np.array([(a, b) for a in range(1, 7) for b in range(1, a + 1)], dtype=np.int64)
_NONE = np.float32(-1e9)
"""An equity worse than any."""
_TILE = 128
"""Lists of the opponent that are judged together."""
_MASK = (1 << 24) - 1
"""Bits of a key that say whose it is; see `After`."""
_ROOM = 128
"""Room for the ways to play a roll with one set of dice, which are 15 at most."""
_EQUAL = 4e-7
"""Cubeless equities no further apart are equal but for rounding. Then the play that is found last is chosen, as by
GNU Backgammon: plays are found from the rearmost chequer down, the larger die first."""


class Lists(NamedTuple):
    """The n lists of at most `chequers` chequers, by place."""

    points: NDArray[np.int64]  # [n, 3], rearmost first
    place: NDArray[np.int64]  # [26 ** 3] of the list whose points are the digits
    number: NDArray[np.int64]  # [n] in files: fewer chequers first, see `kernels.bearoff`
    levels: NDArray[np.int64]  # [L + 1] where each pip count begins
    bits: NDArray[np.int64]  # [n] a bit for every point held, in the list's own numbering
    mirrored: NDArray[np.int64]  # [n] the same in the other side's numbering, without the bar
    outcome: NDArray[np.int64]  # [n] points lost when the opponent is off: 1, 2 or 3


class Moves(NamedTuple):
    """The plays of every list and roll.

    Play j leads to list `result[j]` and touches set `touched[j]`. Those of list u, roll r and layer k go from
    `offsets[(u * 21 + r) * 4 + k]` to the next; a layer counts when all plays of those before are blocked.
    gates[s, t]: place of the opponent's list t after a play that touches set s, n when he blocks it.
    """

    result: NDArray[np.int64]
    touched: NDArray[np.int64]
    offsets: NDArray[np.int64]
    gates: NDArray[np.uint16]


class After(NamedTuple):
    """What it is worth to have left list u against t, the opponent on roll; column n is worse than anything.

    keys: the cubeless equity, whose last 24 bits are the place `u * (n + 1) + t`: the greatest key says whose it is.
    bits: the same memory as keys. stuck: equities where it was left because no chequer could move.
    """

    equities: NDArray[np.float32]  # [n, 4 * (n + 1)]
    keys: NDArray[np.float64]  # [n, n + 1]
    bits: NDArray[np.int64]  # [n, n + 1]
    chances: NDArray[np.float32]  # [n * (n + 1) * 5]
    stuck: NDArray[np.float32]  # [n, 4 * (n + 1)]; the same as equities, unless as in GNU Backgammon


def make_lists(chequers: int) -> Lists:
    """All lists of at most `chequers` (1 to 3) chequers."""
    triples = [(a, b, c) for a in range(26) for b in range(a + 1) for c in range(b + 1)]
    points = np.array([t for t in triples if np.count_nonzero(t) <= chequers], dtype=np.int64)
    points = points[np.argsort(points.sum(axis=1), kind="stable")]
    pips = points.sum(axis=1)
    ranks = rank_table()
    number = sum(ranks[point, (points >= point).sum(axis=1)] for point in range(1, BAR + 1))
    place = np.full(26**3, -1, dtype=np.int64)
    place[points @ np.array([676, 26, 1])] = np.arange(len(points))
    bits = np.bitwise_or.reduce(np.where(points > 0, 1 << points, 0), axis=1)
    mirrored = np.bitwise_or.reduce(np.where((points > 0) & (points < BAR), 1 << (BAR - points), 0), axis=1)
    whole = points[:, chequers - 1] > 0
    outcome = 1 + whole + (whole & (points[:, 0] >= 19))
    levels = np.searchsorted(pips, np.arange(pips.max() + 2))
    return Lists(points, place, number, levels, bits, mirrored, outcome)


@njit
def _key(a, b, c):  # type: ignore[no-untyped-def]
    """The three points as digits, rearmost first."""
    if a < b:
        a, b = b, a
    if b < c:
        b, c = c, b
    if a < b:
        a, b = b, a
    return (a * 26 + b) * 26 + c


@njit
def _collect(start, dice, steps, room, found):  # type: ignore[no-untyped-def]
    """Adds the ways to move `steps` chequers, one die of `dice` after the other, to the `found` rows of `room`.

    start: the three points. With equal dice no chequer is taken from behind the one before, so that no way comes
    twice. room: (result as digits, points touched as bits). Returns the new number of rows.
    """
    ordered = dice[0] == dice[1]
    points = np.zeros((5, 3), dtype=np.int64)
    sets = np.zeros(5, dtype=np.int64)
    behind = np.full(5, BAR, dtype=np.int64)
    choice = np.zeros(5, dtype=np.int64)
    points[0] = start
    depth = 0
    while depth >= 0:
        if depth == steps:
            key = (points[depth, 0] * 26 + points[depth, 1]) * 26 + points[depth, 2]
            new = True
            for i in range(found):
                if room[i, 0] == key and room[i, 1] == sets[depth]:
                    new = False
            if new:
                room[found, 0], room[found, 1] = key, sets[depth]
                found += 1
            depth -= 1
            continue
        k = choice[depth]
        choice[depth] += 1
        if k == 3:
            depth -= 1
            continue
        here, there = points[depth], points[depth + 1]
        source, rear = here[k], here[0]
        if source == 0 or source > behind[depth] or (k > 0 and source == here[k - 1]) or (rear == BAR and source < BAR):
            continue
        end = source - dice[depth]
        if end <= 0:
            if rear > 6 or (end < 0 and source < rear):
                continue
            end = 0
        there[:] = here
        there[k] = end
        while k < 2 and there[k] < there[k + 1]:
            there[k], there[k + 1] = there[k + 1], there[k]
            k += 1
        sets[depth + 1] = sets[depth] | ((1 << end) if end > 0 else 0)
        behind[depth + 1] = source if ordered else BAR
        depth += 1
        choice[depth] = 0
    return found


@njit
def _all_plays(points, place, dice):  # type: ignore[no-untyped-def]
    """Results, sets of points as bits, and offsets, as in `Moves`, for an opponent who is nowhere."""
    offsets = np.zeros(len(points) * ROLLS * LAYERS + 1, dtype=np.int64)
    plays = np.zeros((1 << 16, 2), dtype=np.int64)
    room = np.zeros((_ROOM, 2), dtype=np.int64)
    taken = np.zeros(_ROOM, dtype=np.bool_)
    order = np.zeros(LAYERS, dtype=np.int64)
    end = 0
    for slot in range(len(offsets) - 1):
        start = points[slot // (ROLLS * LAYERS)]
        a, b = dice[slot // LAYERS % ROLLS]
        layer = slot % LAYERS
        found = 0
        if a == b:
            order[:] = a
            found = _collect(start, order, LAYERS - layer, room, 0)
        elif layer < 3:
            # Both dice, or the larger or the smaller alone.
            order[0], order[1] = (b, a) if layer == 2 else (a, b)
            found = _collect(start, order, 2 if layer == 0 else 1, room, 0)
            if layer == 0:
                order[0], order[1] = b, a
                found = _collect(start, order, 2, room, found)
        if end + found > len(plays):
            longer = np.zeros((2 * len(plays), 2), dtype=np.int64)
            longer[:end] = plays[:end]
            plays = longer
        # Ways to the same result one after the other, in the order of the first.
        taken[:found] = False
        for i in range(found):
            for j in range(i, found):
                if not taken[j] and room[j, 0] == room[i, 0]:
                    taken[j] = True
                    plays[end, 0], plays[end, 1] = place[room[j, 0]], room[j, 1]
                    end += 1
        offsets[slot + 1] = end
    return plays[:end, 0].copy(), plays[:end, 1].copy(), offsets


@njit
def _all_gates(sets, points, place):  # type: ignore[no-untyped-def]
    """`Moves.gates` of sets of points given as bits."""
    size = len(points)
    gates = np.empty((len(sets), size), dtype=np.uint16)
    for s in range(len(sets)):
        for t in range(size):
            a, b, c = points[t]
            hit_a = 0 < a < 25 and sets[s] >> (25 - a) & 1
            hit_b = 0 < b < 25 and sets[s] >> (25 - b) & 1
            hit_c = 0 < c < 25 and sets[s] >> (25 - c) & 1
            if (hit_a and a == b) or (hit_b and b == c):
                gates[s, t] = size
            else:
                gates[s, t] = place[_key(25 if hit_a else a, 25 if hit_b else b, 25 if hit_c else c)]
    return gates


def make_moves(lists: Lists) -> Moves:
    """The plays of every list and roll."""
    result, touched, offsets = _all_plays(lists.points, lists.place, _DICE)
    sets, inverse = np.unique(touched, return_inverse=True)
    return Moves(result, inverse.astype(np.int64), offsets, _all_gates(sets, lists.points, lists.place))


def make_after(lists: Lists, *, gnubg: bool = False) -> After:
    """Finished games, and nothing of what is to be solved.

    gnubg: as in GNU Backgammon's databases, a side that cannot move gets what its opponent has with the same cube
    and without doubling, negated: as if the cube had changed hands.
    """
    size = len(lists.points)
    width = size + 1
    equities = np.zeros((size, width, 4), dtype=np.float32)
    keys = np.zeros((size, width), dtype=np.float64)
    chances = np.zeros((size, width, 5), dtype=np.float32)
    equities[0, :size] = lists.outcome[:, None]
    equities[0, :size, 2] = 1.0
    keys[0, :size] = lists.outcome
    chances[0, :size, 0] = 1.0
    chances[0, :size, 1] = lists.outcome >= 2
    chances[0, :size, 2] = lists.outcome >= 3
    bits = keys.view(np.int64)
    bits |= np.arange(size * width).reshape(size, width)
    equities[:, size] = _NONE
    keys[:, size] = _NONE
    flat = equities.reshape(size, -1)
    return After(flat, keys, bits, chances.reshape(-1), flat.copy() if gnubg else flat)


@intrinsic
def _keep_greater(context, best, i, row, k):  # type: ignore[no-untyped-def]
    """Of four numbers each in records i of `best` and k of `row`, writes the greater ones to `best`."""
    vector = ir.VectorType(ir.FloatType(), 4)

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        mine = _record(context, builder, signature.args[0], args[0], args[1], 4, vector)
        other = _record(context, builder, signature.args[2], args[2], args[3], 4, vector)
        old, new = builder.load(mine, align=4), builder.load(other, align=4)
        builder.store(builder.select(builder.fcmp_ordered(">", new, old), new, old), mine, align=4)
        return context.get_dummy_value()

    return types.void(best, types.intp, row, types.intp), generate


@intrinsic
def _add_record(context, sums, i, table, k, weight):  # type: ignore[no-untyped-def]
    """Adds `weight` times record k, of five numbers, of `table` to record i, of eight, of `sums`.

    The last three sums are of no use: they make the record as wide as a register.
    """
    single, double = ir.VectorType(ir.FloatType(), 8), ir.VectorType(ir.DoubleType(), 8)

    def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
        total = _record(context, builder, signature.args[0], args[0], args[1], 8, double)
        part = _record(context, builder, signature.args[2], args[2], args[3], 5, single)
        wide = builder.fpext(builder.load(part, align=4), double)
        one = builder.insert_element(ir.Constant(double, ir.Undefined), args[4], ir.Constant(ir.IntType(32), 0))
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), 8), [0] * 8)
        factor = builder.shuffle_vector(one, ir.Constant(double, ir.Undefined), zeros)
        old = builder.load(total, align=8)
        builder.store(builder.fadd(old, builder.fmul(wide, factor)), total, align=8)
        return context.get_dummy_value()

    return types.void(sums, types.intp, table, types.intp, types.float64), generate


def _record(context, builder, kind, array, index, length, vector):  # type: ignore[no-untyped-def]
    """Pointer to record `index`, of `length` numbers, of a flat array, as a vector."""
    start = context.make_array(kind)(context, builder, array).data
    offset = builder.mul(index, ir.Constant(ir.IntType(64), length))
    return builder.bitcast(builder.gep(start, [offset]), vector.as_pointer())


@njit
def _best_of(equities, keys, gates, count, best, greatest):  # type: ignore[no-untyped-def]
    """Takes one play into account for each lane, an opponent's list.

    equities, keys: the rows of its result. gates: [lanes]. best: [4 * lanes], greatest: [lanes], the greatest of each;
    of keys that are equal the last.
    """
    for i in range(count):
        _keep_greater(best, i, equities, np.int64(gates[i]))
    for i in range(count):
        key, old = keys[np.int64(gates[i])], greatest[i]
        greatest[i] = key if key > old - _EQUAL else old


@njit
def _few_dice(u, start, slot, count, moves, after, best, greatest):  # type: ignore[no-untyped-def]
    """`_best_of` for the lanes where no play was possible: with fewer dice, and in the end none."""
    for i in range(count):
        if greatest[i] > _NONE:
            continue
        for layer in range(1, LAYERS):
            for j in range(moves.offsets[slot + layer], moves.offsets[slot + layer + 1]):
                gates = moves.gates[moves.touched[j], start + i : start + i + 1]
                row = moves.result[j]
                _best_of(after.equities[row], after.keys[row], gates, 1, best[4 * i :], greatest[i:])
            if greatest[i] > _NONE:
                break
        else:
            _keep_greater(best, i, after.stuck[u], start + i)
            greatest[i] = after.keys[u, start + i]


@njit
def solve(first, last, low, high, moves, after, out):  # type: ignore[no-untyped-def]
    """Positions of lists `first:last` on roll against `low:high`, from the values after their plays.

    out: `float32[last - first, high - low, 9]`, written. Lists that share a point get numbers without meaning.
    """
    best = np.empty(4 * _TILE, dtype=np.float32)
    greatest = np.empty(_TILE, dtype=np.float64)
    places = greatest.view(np.int64)
    sums = np.empty(4 * _TILE, dtype=np.float64)
    chances = np.empty(8 * _TILE, dtype=np.float64)
    for start in range(low, high, _TILE):
        count = min(_TILE, high - start)
        for u in range(first, last):
            sums[:] = 0.0
            chances[:] = 0.0
            for r in range(ROLLS):
                slot = (u * ROLLS + r) * LAYERS
                best[:] = _NONE
                greatest[:] = _NONE
                for j in range(moves.offsets[slot], moves.offsets[slot + 1]):
                    row = moves.result[j]
                    gates = moves.gates[moves.touched[j], start : start + count]
                    _best_of(after.equities[row], after.keys[row], gates, count, best, greatest)
                if greatest[:count].min() <= _NONE:
                    _few_dice(u, start, slot, count, moves, after, best, greatest)
                weight = 1.0 / 36.0 if _DICE[r, 0] == _DICE[r, 1] else 2.0 / 36.0
                for i in range(4 * count):
                    sums[i] += weight * best[i]
                for i in range(count):
                    _add_record(chances, i, after.chances, places[i] & np.int64(_MASK), weight)
            for i in range(count):
                for k in range(5):
                    out[u - first, start - low + i, k] = chances[8 * i + k]
                for k in range(4):
                    out[u - first, start - low + i, 5 + k] = sums[4 * i + k]


@njit
def _doubled(no_double, take):  # type: ignore[no-untyped-def]
    """Equity of who may double; take: half of what a double is worth to him that is taken."""
    return max(no_double, min(np.float32(2.0) * take, np.float32(1.0)))


@njit
def update(out, first, low, from_t, to_t, from_u, to_u, lists, after, gnubg, frozen):  # type: ignore[no-untyped-def]
    """Values after leaving lists `from_t:to_t` against `from_u:to_u` on roll, from what `solve` wrote to `out`.

    first, low: of that call. frozen: keys stay as they are, and with them the plays that the chances belong to.
    Returns the greatest change of a number, that of an equity and the sum of all changes.
    """
    greatest = np.float32(0.0)
    equity = 0.0
    total = 0.0
    new = np.empty(9, dtype=np.float32)
    width = after.keys.shape[1]
    for t in range(from_t, to_t):
        for u in range(from_u, to_u):
            if lists.bits[u] & lists.mirrored[t]:
                continue
            p = out[u - first, t - low]
            new[0] = np.float32(1.0) - p[0]
            new[1], new[2], new[3], new[4] = p[3], p[4], p[1], p[2]
            new[5] = -p[8]
            new[6] = -_doubled(p[6], p[8])
            new[7] = -_doubled(p[7], p[8])
            new[8] = -_doubled(p[5], p[8])
            at = 5 * (t * width + u)
            for k in range(5):
                change = abs(new[k] - after.chances[at + k])
                greatest = max(greatest, change)
                total += change
                after.chances[at + k] = new[k]
            for k in range(4):
                change = abs(new[5 + k] - after.equities[t, 4 * u + k])
                equity = max(equity, np.float64(change))
                total += change
                after.equities[t, 4 * u + k] = new[5 + k]
                if gnubg:
                    after.stuck[t, 4 * u + k] = -p[5 + k]
            if not frozen:
                old = after.keys[t, u]
                _set_key(after, t, u)
                equity = max(equity, abs(after.keys[t, u] - old))
    return max(np.float64(greatest), equity), equity, total


@njit
def _set_key(after, t, u):  # type: ignore[no-untyped-def]
    """The key that belongs to the chances."""
    at = t * after.keys.shape[1] + u
    p = after.chances[5 * at : 5 * at + 5]
    after.keys[t, u] = np.float32(2.0 * p[0] - 1.0 + p[1] + p[2] - np.float64(p[3]) - p[4])
    after.bits[t, u] = after.bits[t, u] & ~np.int64(_MASK) | at


@njit
def extrapolate(equities, chances, factor, from_t, to_t, lists, after, frozen):  # type: ignore[no-untyped-def]
    """Goes on in the direction of the last sweep, `factor` times as far, in lists `from_t:to_t`.

    equities, chances: those of `after` before that sweep. frozen: as for `update`.
    """
    size = after.bits.shape[0]
    for t in range(max(from_t, 1), to_t):
        for u in range(1, size):
            if lists.bits[u] & lists.mirrored[t]:
                continue
            at = 5 * (t * (size + 1) + u)
            for k in range(at, at + 5):
                after.chances[k] += factor * (after.chances[k] - chances[k])
            for k in range(4 * u, 4 * u + 4):
                after.equities[t, k] += factor * (after.equities[t, k] - equities[t, k])
            if not frozen:
                _set_key(after, t, u)


@njit
def count_positions(lists):  # type: ignore[no-untyped-def]
    """How many pairs of lists are finished games, races, contact and impossible."""
    over, race, contact, impossible = 0, 0, 0, 0
    for u in range(len(lists.bits)):
        for t in range(len(lists.bits)):
            if u == 0 or t == 0:
                over += 1
            elif lists.bits[u] & lists.mirrored[t]:
                impossible += 1
            elif lists.points[u, 0] + lists.points[t, 0] > BAR:
                contact += 1
            else:
                race += 1
    return over, race, contact, impossible
