# mypy: allow-untyped-defs, allow-untyped-calls
"""The compiled part of rollouts: one turn of many games.

Everything about the position before a roll is seen by its mover, everything after the play by the side then on roll,
whose values count a double where that is right.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sixprime.cube.kernel import gammon_shares
from sixprime.engine.value_kernel import Cubes, efficiencies, settle, static_value, value_at
from sixprime.kernels._block import Block, Float64s, Float64s2, Int8s, Int8s2, Int32s, Int64s
from sixprime.kernels._jit import entry, njit
from sixprime.kernels.bearoff import TwoSidedArrays
from sixprime.kernels.features import masks
from sixprime.kernels.network import make_work
from sixprime.kernels.plays import ROLLS, copy_board, generate, swap_into
from sixprime.kernels.race import make_race_work
from sixprime.kernels.replies import Crew, best_of_rolls, make_crew
from sixprime.kernels.search import (
    BEAROFF,
    BEAROFF_TWO_SIDED,
    CONTACT,
    Brain,
    Works,
    best_to_front,
    class_of,
    forget_parents,
    judge_candidates,
    judge_picks,
    utility,
)

_SAME = 5e-7
"""Values closer than this are equal; then the cubeless utility decides."""


@dataclass(frozen=True, eq=False, slots=True)
class Desk(Block):
    """Scratch of one thread; see `make_desk`."""

    crew: Crew  # of the quick brain
    full: Works  # of the brain, with the plays of `crew`
    children: Int8s2  # [21, 32] after the best reply of each roll
    codes: Int8s  # [21]
    values: Float64s2  # [21, 6]
    means: Float64s  # [6]
    exact: Float64s  # [4]
    outcome: Float64s2  # [1, 5]
    child: Int8s  # [32]
    played: Int64s  # [21]


def make_desk(brain: Brain, quick: Brain) -> Desk:
    """Fresh scratch for one thread."""
    crew = make_crew(quick, quick.contact)
    full = replace(
        crew.works,
        contact=make_work(brain.contact),
        race=make_work(brain.race),
        back=make_work(brain.back),
        races=make_race_work(brain.races),
    )
    return Desk(
        crew,
        full,
        np.zeros((21, 32), dtype=np.int8),
        np.zeros(21, dtype=np.int8),
        np.zeros((21, 6)),
        np.zeros(6),
        np.zeros(4),
        np.zeros((1, 5)),
        np.zeros(32, dtype=np.int8),
        np.zeros(21, dtype=np.int64),
    )


@entry()
def settle_all(two_sided: TwoSidedArrays, exact: Float64s, boards: Int8s2, codes: Int8s, outcomes: Float64s2) -> None:
    """Puts what the two-sided database knows into `outcomes` and `codes`. exact: scratch of 4."""
    for i in range(boards.shape[0]):
        codes[i] = settle(two_sided, boards[i], codes[i], outcomes[i], exact)


@entry()
def cube_values(
    two_sided: TwoSidedArrays,
    cubes: Cubes,
    exact: Float64s,
    outcome: Float64s,
    boards: Int8s2,
    codes: Int8s,
    outcomes: Float64s2,
    groups: Int32s,
    values: Float64s2,
) -> None:
    """Static values without and after a double, `float64[N, 2]`, written; NaN where no double is possible.

    boards: `int8[N, 32]`, codes: `int8[N]`, outcomes: `float64[N, 5]`, groups: `int32[N]`, of the side on roll.
    exact, outcome: scratch of 4 and 5.
    """
    for i in range(boards.shape[0]):
        for k in range(5):
            outcome[k] = outcomes[i, k]
        code = np.int64(codes[i])
        if code == BEAROFF_TWO_SIDED:
            code = np.int64(BEAROFF)
        code = settle(two_sided, boards[i], code, outcome, exact)
        shares = gammon_shares(outcome)
        x, theirs = efficiencies(cubes.efficiencies, code, boards[i], shares)
        group = groups[i]
        values[i, 0] = value_at(cubes.rows[cubes.keep[group]], shares, x, theirs, exact)
        values[i, 1] = np.nan
        if cubes.double[group] >= 0:
            values[i, 1] = cubes.stake[group] * value_at(cubes.rows[cubes.double[group]], shares, x, theirs, exact)


@njit(allocates=False)
def _lucks(quick, desk, two_sided, board, cubes, group, shares, keep):
    """Outcomes and value after the best reply of each roll to `board`, and their means.

    shares, keep: as in `turns`. Written: `desk.values` and `desk.means`.
    """
    children, codes, exact, values, means = desk.children, desk.codes, desk.exact, desk.values, desk.means
    best_of_rolls(quick, quick.contact, desk.crew, board, ROLLS, cubes.weights[group], keep, 0, children, values, codes)
    for k in range(6):
        means[k] = 0.0
    for r in range(21):
        code = settle(two_sided, children[r], codes[r], values[r, :5], exact)
        values[r, 5] = static_value(cubes, group, code, children[r], values[r, :5], exact)
        for k in range(6):
            means[k] += shares[r] * values[r, k]


@njit(allocates=False)
def _same_position(boards, groups, i, j):
    for k in range(28):
        if boards[i, k] != boards[j, k]:
            return False
    return groups[i] == groups[j]


@entry()
def turns(
    brain: Brain,
    quick: Brain,
    two_sided: TwoSidedArrays,
    cubes: Cubes,
    desk: Desk,
    boards: Int8s2,
    groups: Int32s,
    order: Int64s,
    rolls: Int64s,
    shares: Float64s,
    keep: int,
    keep_plays: int,
    play_too: int,
    luck: Float64s2,
    after: Int8s2,
    codes: Int8s,
    outcomes: Float64s2,
) -> None:
    """One turn of N games: the luck of the rolls, and the best plays.

    brain: judges plays. quick: judges luck, and which plays from contact are worth the brain's nets.
    cubes: as the side on roll after the play sees them. boards: `int8[N, 32]`; groups: `int32[N]`; order: `int64[N]`,
    in which equal positions are side by side; rolls: `int64[N]`, rows of `ROLLS`.
    shares: `float64[21]`, chances of the rolls, or empty: no luck. luck: `float64[N, 6]`, written: outcomes and value
    after the best reply to the roll, less their means over all rolls. Replies are picked by linear utility among the
    `keep` candidates that look best.
    play_too: writes the position after the best play by value, from contact of the `keep_plays` that quick likes best:
    after `int8[N, 32]`, codes `int8[N]`, outcomes `float64[N, 5]`.
    """
    works, full, played = desk.crew.works, desk.full, desk.played
    board, child, exact, outcome = works.board, desk.child, desk.exact, desk.outcome
    values, means = desk.values, desk.means
    contact = False
    parent_masks = masks(board)
    for place in range(boards.shape[0]):
        i = order[place]
        group, r = groups[i], rolls[i]
        if place == 0 or not _same_position(boards, groups, i, order[place - 1]):
            copy_board(boards[i], board)
            parent_masks = masks(board)
            contact = class_of(parent_masks, brain.bearoff.ranks.shape[0]) == CONTACT
            forget_parents(works)
            forget_parents(full)
            for k in range(21):
                played[k] = -1
            if len(shares):
                _lucks(quick, desk, two_sided, board, cubes, group, shares, keep)
        if len(shares):
            for k in range(6):
                luck[i, k] = values[r, k] - means[k]
        if not play_too:
            continue
        if played[r] >= 0:
            j = played[r]
            copy_board(after[j], after[i])
            codes[i] = codes[j]
            for k in range(5):
                outcomes[i, k] = outcomes[j, k]
            continue
        played[r] = i
        weights = cubes.weights[group]
        count = generate(board, ROLLS[r, 0], ROLLS[r, 1], works.plays)
        if contact:
            judge_candidates(quick, works, board, parent_masks, count, weights)
            best_to_front(works.utilities, works.picks[0], 0, count, keep_plays)
            count = min(keep_plays, count)
            seen = np.int64(0)
            for pick in range(count):
                seen |= np.int64(1) << works.codes[works.picks[0, pick]]
            judge_picks(brain, full, board, parent_masks, count, seen)
        else:
            judge_candidates(brain, full, board, parent_masks, count, weights)
        best_value, best_utility = np.inf, np.inf
        for pick in range(count):
            j = works.picks[0, pick]
            for k in range(5):
                outcome[0, k] = works.outputs[j, k]
            swap_into(works.plays.boards[j], child)
            code = settle(two_sided, child, works.codes[j], outcome[0], exact)
            worth = utility(weights, outcome, 0)
            value = static_value(cubes, group, code, child, outcome[0], exact)
            if value < best_value - _SAME or (value < best_value + _SAME and worth < best_utility):
                best_value, best_utility = value, worth
                copy_board(child, after[i])
                codes[i] = code
                for k in range(5):
                    outcomes[i, k] = outcome[0, k]
