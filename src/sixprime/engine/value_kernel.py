# mypy: allow-untyped-defs, allow-untyped-calls
"""Static values of positions with their cube, and the plays of one decision ranked by them.

Everything is seen by the side on roll, whose values count a double where that is right; after a play that is the
opponent of its mover.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sixprime.cube.kernel import LEAST_GAIN, TERMS, efficiency, gammon_shares, state_value
from sixprime.kernels._block import Block, Float32s2, Float64s, Float64s2, Int8s, Int8s2, Int32s, Int32s2, Int64s
from sixprime.kernels._jit import entry, njit
from sixprime.kernels.bearoff import TwoSidedArrays, ts_equities
from sixprime.kernels.plays import MAX_PLAYS, Plays, pips_of, swap_into
from sixprime.kernels.search import BEAROFF, BEAROFF_TWO_SIDED, RACE


@dataclass(frozen=True, eq=False, slots=True)
class Cubes(Block):
    """Cube states of a rollout as one side sees them when on roll; group g stands for how the cube lies.

    rows: `float64[S, W]` prepared states. keep, double: `int64[G]`, the row of a group, and of its cube after a double,
    -1 where none is possible. pass_value, stake: `float64[G]`, as in `cube.tree.Level`. weights: `float32[G, 5]`,
    utility of outcomes, by which lookahead picks replies. efficiencies: `float64[2, 6 * TERMS]`, tables of the side
    on roll and of the other, as in `cube.kernel`.
    """

    rows: Float64s2
    keep: Int64s
    double: Int64s
    pass_value: Float64s
    stake: Float64s
    weights: Float32s2
    efficiencies: Float64s2


@dataclass(frozen=True, eq=False, slots=True)
class Tree(Block):
    """A `cube.tree.Level`: `rows` of its table, and its own arrays. efficiencies: as in `Cubes`, of a plain model."""

    rows: Float64s2
    columns: Int32s2
    keep: Int32s2
    double: Int32s2
    pass_value: Float64s2
    stake: Float64s2
    total: Float64s
    efficiencies: Float64s2


@dataclass(frozen=True, eq=False, slots=True)
class Scale(Block):
    """How values at one state become the mover's equities, as `cube.values.to_equity` and `cubeless` have them.

    money: 1 in money play, where a value is an equity. won, lost: match-winning chances of the side on roll after
    winning and losing the cube. weights: `float64[6]`, of the outcomes in its cubeless equity, and what is added.
    """

    money: int
    won: float
    lost: float
    weights: Float64s


@dataclass(frozen=True, eq=False, slots=True)
class Bench(Block):
    """Scratch of one thread; see `make_bench`."""

    exact: Float64s  # [4]
    child: Int8s  # [32]
    outcomes: Float64s2  # [M, 5] of each play
    numbers: Float64s2  # [M, 4] rounded equity, cubeless equity, equity, value
    codes: Int8s  # [M]
    order: Int64s  # [M]


def make_bench() -> Bench:
    """Fresh scratch for one thread."""
    return Bench(
        np.zeros(4),
        np.zeros(32, dtype=np.int8),
        np.zeros((MAX_PLAYS, 5)),
        np.zeros((MAX_PLAYS, 4)),
        np.zeros(MAX_PLAYS, dtype=np.int8),
        np.zeros(MAX_PLAYS, dtype=np.int64),
    )


@njit(allocates=False)
def efficiencies(tables, code, board, shares):
    """Cube efficiencies of the side on roll and of the other, of a position before the roll, see `Cubes`.

    shares: `gammon_shares` of its outcomes.
    """
    if code < RACE:
        return tables[0, TERMS * code], tables[1, TERMS * code]
    p, wg, _, lg, _ = shares
    mine, theirs = pips_of(board)
    return efficiency(tables[0], code, p, wg, lg, mine, theirs), efficiency(tables[1], code, p, wg, lg, mine, theirs)


@njit(allocates=False)
def settle(two_sided, board, code, outcome, exact):
    """Puts in what the two-sided database knows of a bear-off; returns the class. exact: `float64[4]`, written."""
    exact[0] = np.nan
    if code in (BEAROFF, RACE) and ts_equities(board, two_sided, exact):
        for k in range(1, 5):
            outcome[k] = 0.0
        outcome[0] = (exact[0] + 1.0) / 2.0
        return BEAROFF_TWO_SIDED
    return np.int64(code)


@njit(allocates=False)
def value_at(row, shares, x, theirs, exact):
    """Value at one prepared state of outcomes with such `gammon_shares`."""
    p, wg, wb, lg, lb = shares
    return state_value(row, p, wg, wb, lg, lb, x, theirs, exact)


@njit(allocates=False)
def with_double(cubes, group, kept, shares, x, theirs, exact):
    """Value for the side on roll, who doubles where that is right; kept: the value if he does not."""
    if cubes.double[group] >= 0:
        drop = cubes.pass_value[group]
        if drop >= kept:
            take = cubes.stake[group] * value_at(cubes.rows[cubes.double[group]], shares, x, theirs, exact)
            if take >= kept:
                return min(take, drop)
    return kept


@njit(allocates=False)
def static_value(cubes, group, code, board, outcome, exact):
    """`with_double` of a position by its class."""
    shares = gammon_shares(outcome)
    x, theirs = efficiencies(cubes.efficiencies, code, board, shares)
    kept = value_at(cubes.rows[cubes.keep[group]], shares, x, theirs, exact)
    return with_double(cubes, group, kept, shares, x, theirs, exact)


@njit(allocates=False)
def _choose(tree, group, row, values):
    """As `cube.tree.Level.choose`, of the values `row` of one position; written to `values`."""
    for q in range(tree.keep.shape[1]):
        if tree.keep[group, q] < 0:
            values[q] = np.nan
            continue
        value = row[tree.keep[group, q]]
        if tree.double[group, q] >= 0:
            take, drop = tree.stake[group, q] * row[tree.double[group, q]], tree.pass_value[group, q]
            if take >= value and drop >= value:
                value = min(take, drop)
        values[q] = value


@njit(allocates=False)
def _static(tree, group, code, board, outcome, exact, row, values):
    """`Level.choose` of `Level.evaluate` by a plain model, of one position; written to `values`. row: scratch."""
    p, wg, wb, lg, lb = gammon_shares(outcome)
    x, theirs = efficiencies(tree.efficiencies, code, board, (p, wg, wb, lg, lb))
    for k in range(tree.columns.shape[1]):
        if tree.columns[group, k] >= 0:
            row[k] = state_value(tree.rows[tree.columns[group, k]], p, wg, wb, lg, lb, x, theirs, exact)
    _choose(tree, group, row, values)


@entry()
def chosen(
    two_sided: TwoSidedArrays,
    tree: Tree,
    scratch: Float64s,
    boards: Int8s2,
    codes: Int8s,
    outcomes: Float64s2,
    groups: Int32s,
    values: Float64s2,
) -> None:
    """`Level.choose` of `Level.evaluate` by a plain model: static values `float64[N, Q]`, written.

    boards `int8[N, 32]`, codes, outcomes and groups of the positions. scratch: 4, and one for each column.
    """
    exact, row = scratch[:4], scratch[4:]
    for i in range(boards.shape[0]):
        group, code = groups[i], np.int64(codes[i])
        exact[0] = np.nan
        if code == BEAROFF_TWO_SIDED:
            ts_equities(boards[i], two_sided, exact)
        _static(tree, group, code, boards[i], outcomes[i], exact, row, values[i])


@entry()
def leaves(
    two_sided: TwoSidedArrays,
    below: Tree,
    tree: Tree,
    scratch: Float64s2,
    boards: Int8s2,
    codes: Int8s,
    outputs: Float32s2,
    shares: Float64s,
    groups: Int32s,
    outcomes: Float64s2,
    values: Float64s2,
) -> None:
    """Outcomes `float64[N, 5]` and values `float64[N, Q]` of positions, written, by their best replies alone.

    boards `int8[N * K, 32]`, codes, outputs: the replies of each of K rolls, for the side then on roll, whose level is
    `below`; what the two-sided database knows of them is put in. shares: `float64[K]`; groups: of the N positions.
    The bits are those of `chosen` and `raised`. scratch: `float64[4, W]`, W at least 5 and as many as columns.
    """
    exact, row, reply, sums = scratch[0], scratch[1], scratch[2], scratch[3]
    rolls, width = len(shares), below.keep.shape[1]
    for i in range(values.shape[0]):
        group, mean = groups[i], outcomes[i]
        for r in range(rolls):
            at, share = i * rolls + r, shares[r]
            code = np.int64(codes[at])
            for k in range(5):
                reply[k] = outputs[at, k]
            exact[0] = np.nan
            if code == BEAROFF:
                code = settle(two_sided, boards[at], code, reply, exact)
            for k in range(5):
                mean[k] = reply[k] * share if r == 0 else mean[k] + reply[k] * share
            _static(below, group, code, boards[at], reply, exact, row, reply)
            for k in range(width):
                sums[k] = reply[k] * share if r == 0 else sums[k] + reply[k] * share
        for k in range(width):
            sums[k] = tree.total[group] - sums[k]
        _choose(tree, group, sums, values[i])
        mean[0] = 1.0 - mean[0]
        for k in range(1, 3):
            mean[k], mean[k + 2] = mean[k + 2], mean[k]


@entry()
def raised(
    tree: Tree,
    scratch: Float64s,
    deep: Float64s2,
    below: Float64s2,
    which: Int64s,
    shares: Float64s,
    groups: Int32s,
    outcomes: Float64s2,
    values: Float64s2,
) -> None:
    """Means over K rolls, as the other side has them: outcomes `float64[N, 5]` and values `float64[N, Q]`, written.

    The values are `Level.from_children` of the means. deep: `float64[C, 5]`, below: `float64[C, W]`, of the level
    below; which: `int64[N * K]`, their row for each roll; shares: `float64[K]`. scratch: `float64[W + 5]`.
    """
    rolls, width = len(shares), below.shape[1]
    for i in range(values.shape[0]):
        for r in range(rolls):
            at, share = which[i * rolls + r], shares[r]
            for k in range(width):
                scratch[k] = below[at, k] * share if r == 0 else scratch[k] + below[at, k] * share
            for k in range(5):
                mean = deep[at, k] * share
                scratch[width + k] = mean if r == 0 else scratch[width + k] + mean
        for k in range(width):
            scratch[k] = tree.total[groups[i]] - scratch[k]
        _choose(tree, groups[i], scratch, values[i])
        outcomes[i, 0] = 1.0 - scratch[width]
        for k in range(1, 3):
            outcomes[i, k], outcomes[i, k + 2] = scratch[width + k + 2], scratch[width + k]


@entry()
def fewest(boards: Int8s2) -> int:
    """How many chequers the side on roll has where it has fewest, those borne off among them."""
    least = np.int64(127)
    for i in range(boards.shape[0]):
        count = np.int64(boards[i, 26])
        for point in range(1, 26):
            count += max(np.int64(boards[i, point]), np.int64(0))
        least = min(least, count)
    return int(least)


@entry()
def rank(
    two_sided: TwoSidedArrays,
    cubes: Cubes,
    scale: Scale,
    bench: Bench,
    plays: Plays,
    codes: Int8s,
    outputs: Float32s2,
    boards: Int8s2,
    outcomes: Float64s2,
    numbers: Float64s2,
) -> None:
    """The first plays, as many as `boards` has room for, best first as `plies.Ranked.best` has them.

    cubes: of one group. codes, outputs: classes and outcomes of the plays. Written: boards `int8[N, 32]` and outcomes
    `float64[N, 5]` after the plays, for the side then on roll; numbers `float64[N, 3]`: the mover's equity and cubeless
    equity, and the value.
    """
    count = boards.shape[0]
    exact, child, order = bench.exact, bench.child, bench.order
    for i in range(count):
        outcome, number = bench.outcomes[i], bench.numbers[i]
        for k in range(5):
            outcome[k] = outputs[i, k]
        swap_into(plays.boards[i], child)
        code = settle(two_sided, child, codes[i], outcome, exact)
        worth = static_value(cubes, 0, code, child, outcome, exact)
        equity = -worth
        if not scale.money:
            equity = -((2 * worth - scale.won - scale.lost) / (scale.won - scale.lost))
        cubeless = 0.0
        for k in range(5):
            cubeless += outcome[k] * scale.weights[k]
        number[0], number[1] = np.rint(equity * 1e6), -(cubeless + scale.weights[5])
        number[2], number[3] = equity, worth
        # Those before stay where they are when they are as good.
        place = i
        while place > 0:
            other = bench.numbers[order[place - 1]]
            if other[0] > number[0] or (other[0] == number[0] and other[1] >= number[1]):
                break
            order[place] = order[place - 1]
            place -= 1
        order[place] = i
    for i in range(count):
        j = order[i]
        swap_into(plays.boards[j], boards[i])
        for k in range(5):
            outcomes[i, k] = bench.outcomes[j, k]
        numbers[i, 0], numbers[i, 1], numbers[i, 2] = bench.numbers[j, 2], bench.numbers[j, 1], bench.numbers[j, 3]


@entry()
def effective(
    cubes: Cubes,
    contact: float,
    unknown: Float64s,
    outcomes: Float64s2,
    values: Float64s,
    groups: Int32s,
    found: Float64s,
) -> None:
    """Cube efficiencies `float64[N]`, written, as `cube.tree.Level.effective_efficiency` has them.

    cubes: of the default model, whose efficiency at contact is `contact`. unknown: NaNs `float64[4]`. outcomes, values
    and groups of the positions.
    """
    for i in range(len(found)):
        shares, group = gammon_shares(outcomes[i]), groups[i]
        row = cubes.rows[cubes.keep[group]]
        dead = value_at(row, shares, 0.0, 0.0, unknown)
        gain = value_at(row, shares, 1.0, 1.0, unknown) - dead
        found[i] = np.nan
        if abs(gain) > LEAST_GAIN:
            usual = value_at(row, shares, contact, contact, unknown)
            if with_double(cubes, group, usual, shares, contact, contact, unknown) == usual:
                found[i] = (values[i] - dead) / gain
