# mypy: allow-untyped-defs, allow-untyped-calls
"""The compiled part of rollouts: one turn of many games.

Everything about the position before a roll is seen by its mover, everything after the play by the side then on roll,
whose values count a double where that is right.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime.cube.kernel import state_value
from sixprime.kernels._jit import njit
from sixprime.kernels.bearoff import ts_equities
from sixprime.kernels.network import evaluate_candidates, forget_parent, masks
from sixprime.kernels.plays import ROLLS, generate, swap_into
from sixprime.kernels.scout import make_scout, pick_best, set_parent, stays_contact
from sixprime.kernels.search import BEAROFF, BEAROFF_TWO_SIDED, CONTACT, RACE, class_of, judge_candidates, make_works

_SAME = 5e-7
"""Values closer than this are equal; then the cubeless utility decides."""


class Cubes(NamedTuple):
    """Cube states of a rollout as one side sees them when on roll; group g stands for how the cube lies.

    rows: `float64[S, W]` prepared states. keep, double: `int64[G]`, the row of a group, and of its cube after a double,
    -1 where none is possible. pass_value, stake: `float64[G]`, as in `cube.tree.Level`. weights: `float32[G, 5]`,
    utility of outcomes, by which lookahead picks replies. efficiencies: `float64[2, 10]`, of the side on roll and
    of the other: by class, then the four numbers of races.
    """

    rows: NDArray[np.float64]
    keep: NDArray[np.int64]
    double: NDArray[np.int64]
    pass_value: NDArray[np.float64]
    stake: NDArray[np.float64]
    weights: NDArray[np.float32]
    efficiencies: NDArray[np.float64]


@njit
def _efficiency(table, code, board):
    """As `cube.model.Efficiencies.of`, of a position before the roll. table: `float64[10]`, see `Cubes`."""
    if code != RACE:
        return table[code]
    pips = 0
    for point in range(1, 26):
        pips += max(np.int64(board[point]), 0) * point
    return min(table[9], max(table[8], table[6] + table[7] * pips))


@njit
def _settle(two_sided, board, code, outcome, exact):
    """Puts in what the two-sided database knows of a bear-off; returns the class. exact: `float64[4]`, written."""
    exact[0] = np.nan
    if code in (BEAROFF, RACE) and ts_equities(board, two_sided, exact):
        outcome[:] = 0.0
        outcome[0] = (exact[0] + 1.0) / 2.0
        return BEAROFF_TWO_SIDED
    return np.int64(code)


@njit
def _value_at(row, outcome, x, theirs, exact):
    """Value of outcomes `float64[5]` at one prepared state."""
    p = outcome[0]
    q = 1.0 - p
    wg, wb, lg, lb = 0.0, 0.0, 0.0, 0.0
    if p > 0.0:
        wg, wb = outcome[1] / p, outcome[2] / p
    if q > 0.0:
        lg, lb = outcome[3] / q, outcome[4] / q
    return state_value(row, p, wg, wb, lg, lb, x, theirs, exact)


@njit
def _value(cubes, group, code, board, outcome, exact):
    """Value for the side on roll, who doubles where that is right."""
    x = _efficiency(cubes.efficiencies[0], code, board)
    theirs = _efficiency(cubes.efficiencies[1], code, board)
    value = _value_at(cubes.rows[cubes.keep[group]], outcome, x, theirs, exact)
    if cubes.double[group] >= 0:
        drop = cubes.pass_value[group]
        if drop >= value:
            take = cubes.stake[group] * _value_at(cubes.rows[cubes.double[group]], outcome, x, theirs, exact)
            if take >= value:
                value = min(take, drop)
    return value


@njit
def settle_all(two_sided, boards, codes, outcomes):
    """Puts exact winning chances and classes of the two-sided database into `outcomes` and `codes`."""
    exact = np.zeros(4)
    for i in range(boards.shape[0]):
        codes[i] = _settle(two_sided, boards[i], codes[i], outcomes[i], exact)


@njit
def cube_values(two_sided, cubes, boards, codes, outcomes, groups, values):
    """Static values without and after a double, `float64[N, 2]`, written; NaN where no double is possible.

    boards: `int8[N, 32]`, codes: `int8[N]`, outcomes: `float64[N, 5]`, groups: `int32[N]`, of the side on roll.
    """
    exact = np.zeros(4)
    outcome = np.zeros(5)
    for i in range(boards.shape[0]):
        outcome[:] = outcomes[i]
        code = codes[i]
        if code == BEAROFF_TWO_SIDED:
            code = BEAROFF
        code = _settle(two_sided, boards[i], code, outcome, exact)
        x = _efficiency(cubes.efficiencies[0], code, boards[i])
        theirs = _efficiency(cubes.efficiencies[1], code, boards[i])
        group = groups[i]
        values[i, 0] = _value_at(cubes.rows[cubes.keep[group]], outcome, x, theirs, exact)
        values[i, 1] = np.nan
        if cubes.double[group] >= 0:
            values[i, 1] = cubes.stake[group] * _value_at(cubes.rows[cubes.double[group]], outcome, x, theirs, exact)


@njit
def _judge_few(brain, works, scout, board, parent_masks, count, weights, keep):
    """As `judge_candidates` of the `keep` plays that look best, all of them contact positions."""
    picks = works.picks[0]
    pick_best(brain.pruner, scout, works.plays, count, keep, picks)
    for k in range(keep):
        i = picks[k]
        m = masks(works.plays.boards[i])
        works.masks[i, 0], works.masks[i, 1], works.masks[i, 2], works.masks[i, 3] = m
        works.codes[i] = CONTACT
    evaluate_candidates(
        brain.contact, works.contact, board, parent_masks, works.plays, works.masks, picks, keep, works.outputs
    )
    for k in range(keep):
        out = works.outputs[picks[k]]
        utility = np.float32(0)
        for j in range(5):
            utility += weights[j] * out[j]
        works.utilities[picks[k]] = utility
    return keep


@njit
def turns(brain, two_sided, cubes, boards, groups, rolls, shares, keep, play_too, luck, after, codes, outcomes):
    """One turn of N games: the luck of the rolls, and the best plays.

    cubes: as the side on roll after the play sees them. boards: `int8[N, 32]`; groups: `int32[N]`; rolls: `int64[N]`,
    rows of `ROLLS`.
    shares: `float64[21]`, chances of the rolls, or empty: no luck. luck: `float64[N, 6]`, written: outcomes and value
    after the best reply to the roll, less their means over all rolls. Replies are picked by linear utility among `keep`
    candidates that look best (0: among all).
    play_too: writes the position after the best play of all by value: after `int8[N, 32]`, codes `int8[N]`, outcomes
    `float64[N, 5]`.
    """
    works = make_works(brain)
    scout = make_scout(brain.pruner)
    # The scout reads a pruning net without relations only.
    quick = keep > 0 and brain.pruner.rear == 1 and not brain.pruner.pairs
    board, child = works.board, np.zeros(32, dtype=np.int8)
    exact = np.zeros(4)
    outcome = np.zeros(5)
    mean = np.zeros(6)
    for i in range(boards.shape[0]):
        board[:] = boards[i]
        forget_parent(works.contact)
        forget_parent(works.race)
        forget_parent(works.pruner)
        parent_masks = masks(board)
        group = groups[i]
        weights = cubes.weights[group]
        if len(shares):
            contact = class_of(parent_masks, brain.bearoff.ranks.shape[0]) == CONTACT
            if contact and quick:
                set_parent(brain.pruner, scout, board, weights)
            mean[:] = 0.0
            for r in range(21):
                if shares[r] == 0.0:
                    continue
                count = generate(board, ROLLS[r, 0], ROLLS[r, 1], works.plays)
                pips = np.int64(ROLLS[r, 0]) + ROLLS[r, 1]
                if ROLLS[r, 0] == ROLLS[r, 1]:
                    pips *= 2
                if quick and contact and keep < count and stays_contact(board, parent_masks, pips):
                    judged = _judge_few(brain, works, scout, board, parent_masks, count, weights, keep)
                else:
                    judged = judge_candidates(brain, works, board, parent_masks, count, weights, 0 if quick else keep)
                best = works.picks[0, 0]
                for k in range(1, judged):
                    j = works.picks[0, k]
                    if works.utilities[j] < works.utilities[best] or (
                        works.utilities[j] == works.utilities[best] and j < best
                    ):
                        best = j
                for k in range(5):
                    outcome[k] = works.outputs[best, k]
                swap_into(works.plays.boards[best], child)
                code = _settle(two_sided, child, works.codes[best], outcome, exact)
                value = _value(cubes, group, code, child, outcome, exact)
                for k in range(5):
                    mean[k] += shares[r] * outcome[k]
                mean[5] += shares[r] * value
                if r == rolls[i]:
                    luck[i, :5] = outcome
                    luck[i, 5] = value
            for k in range(6):
                luck[i, k] -= mean[k]
        if play_too:
            r = rolls[i]
            count = generate(board, ROLLS[r, 0], ROLLS[r, 1], works.plays)
            judge_candidates(brain, works, board, parent_masks, count, weights, 0)
            best, best_value, best_utility = -1, np.inf, np.inf
            for j in range(count):
                for k in range(5):
                    outcome[k] = works.outputs[j, k]
                swap_into(works.plays.boards[j], child)
                code = _settle(two_sided, child, works.codes[j], outcome, exact)
                utility = 0.0
                for k in range(5):
                    utility += weights[k] * outcome[k]
                value = _value(cubes, group, code, child, outcome, exact)
                if value < best_value - _SAME or (value < best_value + _SAME and utility < best_utility):
                    best, best_value, best_utility = j, value, utility
                    after[i] = child
                    codes[i] = code
                    outcomes[i] = outcome
