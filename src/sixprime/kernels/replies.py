"""The best reply of many rolls: the inner loop of searches, of rollouts' luck and of training.

All rolls of a position are played first and judged together, for their plays share what is known of the parent, and a
call of a kernel with its many arrays costs more than a play. From contact three nets narrow the plays down: the
scout's look at all of them, the quick net, the brain's own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime.kernels._block import Block, Float32s2, Float32s3, Int8s, Int8s2, Int8s3, Int64s, scratch_of
from sixprime.kernels._jit import SEARCH, entry, njit
from sixprime.kernels.features import masks
from sixprime.kernels.network import Net, Work, evaluate_candidates, forget_parent, make_work
from sixprime.kernels.plays import (
    MAX_PLAYS,
    ROLLS,
    Plays,
    check_boards,
    check_shapes,
    copy_board,
    generate,
    is_board,
    make_plays,
    swap_into,
)
from sixprime.kernels.scout import Scout, can_read, make_scout, pick_best, set_parent, stays_contact
from sixprime.kernels.search import (
    CONTACT,
    RACE,
    Brain,
    Works,
    best_to_front,
    class_of,
    forget_parents,
    judge_candidates,
    judge_picks,
    make_works,
    utility,
)


@dataclass(frozen=True, eq=False, slots=True)
class Crew(Block):
    """Scratch of one thread; see `make_crew`."""

    works: Works  # of the brain; its plays are those kept of several rolls
    fresh: Plays  # of one roll
    scout: Scout
    quick: Work
    first: Int64s  # [MAX_ROLLS + 1] first play of each roll


MAX_ROLLS = 36
"""Rolls of one position at most."""
RACE_KEEP = 4
"""Plays to races that the race net leaves for those that judge them, where there is pruning."""


def make_crew(brain: Brain, quick: Net) -> Crew:
    """Fresh scratch for one thread."""
    return Crew(
        make_works(brain, 2 * MAX_PLAYS),
        make_plays(MAX_PLAYS),
        make_scout(brain.pruner),
        make_work(quick),
        np.zeros(MAX_ROLLS + 1, dtype=np.int64),
    )


@njit(allocates=False)
def _narrow(net, work, board, parent_masks, works, weights, first, rolls, code, limit):  # type: ignore[no-untyped-def]
    """Leaves of the plays `works.picks[0]` of each roll, of those of class `code`, the `limit` that a net likes best.

    first: `int64[rolls + 1]`, where each roll's picks begin, rewritten.
    """
    picks, asked, outputs, utilities = works.picks[0], works.picks[1], works.outputs, works.utilities
    # Step 1. Those of the class to the front of their rolls; who has too many is asked about.
    count = 0
    for r in range(rolls):
        begin, end = first[r], first[r + 1]
        own = begin
        for k in range(begin, end):
            if works.codes[picks[k]] == code:
                picks[own], picks[k] = picks[k], picks[own]
                own += 1
        if own - begin > limit:
            for k in range(begin, own):
                asked[count] = picks[k]
                count += 1
    if not count:
        return
    evaluate_candidates(net, work, board, parent_masks, works.plays, works.masks, asked, count, outputs)
    for k in range(count):
        utilities[asked[k]] = utility(weights, outputs, asked[k])
    # Step 2. The best of them, and the others.
    total, begin = 0, 0
    for r in range(rolls):
        end = first[r + 1]
        own = begin
        while own < end and works.codes[picks[own]] == code:
            own += 1
        kept = own
        if own - begin > limit:
            kept = begin + limit
            best_to_front(utilities, picks, begin, own, limit)
        for k in range(begin, end):
            if k < kept or k >= own:
                picks[total] = picks[k]
                total += 1
        begin = end
        first[r + 1] = total


@njit(allocates=False)
def _judge_rolls(brain, quick, crew, board, parent_masks, weights, keep, fine, rolls, chosen, outputs, codes):  # type: ignore[no-untyped-def]
    """The best of the plays kept of each of some rolls."""
    works, first = crew.works, crew.first
    picks, kinds, utilities = works.picks[0], works.codes, works.utilities
    for k in range(first[rolls]):
        picks[k] = k
    if keep:
        if not can_read(brain.pruner):
            _narrow(brain.pruner, works.pruner, board, parent_masks, works, weights, first, rolls, CONTACT, keep)
        if brain.races.finish.rows.shape[0] > 0:
            # The race net is ten times as fast as those that judge races.
            _narrow(brain.race, works.race, board, parent_masks, works, weights, first, rolls, RACE, RACE_KEEP)
    if fine:
        _narrow(quick, crew.quick, board, parent_masks, works, weights, first, rolls, CONTACT, fine)
    seen = np.int64(0)
    for k in range(first[rolls]):
        seen |= np.int64(1) << kinds[picks[k]]
    judge_picks(brain, works, board, parent_masks, first[rolls], seen)
    for r in range(rolls):
        best = picks[first[r]]
        for k in range(first[r], first[r + 1]):
            i = picks[k]
            utilities[i] = utility(weights, works.outputs, i)
            if utilities[i] < utilities[best] or (utilities[i] == utilities[best] and i < best):
                best = i
        swap_into(works.plays.boards[best], chosen[r])
        codes[r] = kinds[best]
        for k in range(5):
            outputs[r, k] = works.outputs[best, k]


@njit(allocates=False)
def best_of_rolls(brain, quick, crew, board, dice, weights, keep, fine, chosen, outputs, codes):  # type: ignore[no-untyped-def]
    """The best play of every roll of one position; see `best_replies`.

    board: `int8[32]`, seen by the mover; dice: `int8[K, 2]`, K up to `MAX_ROLLS`; weights: `float32[5]`. chosen:
    `int8[K, 32]`, outputs: `float[K, 5]`, codes: `int8[K]`, all written.
    """
    works, fresh, scout, first = crew.works, crew.fresh, crew.scout, crew.first
    plays, board_masks, kinds, picks = works.plays, works.masks, works.codes, works.picks[0]
    points, room = brain.bearoff.ranks.shape[0], plays.changes.shape[0]
    forget_parents(works)
    forget_parent(crew.quick)
    parent_masks = masks(board)
    contact = keep > 0 and class_of(parent_masks, points) == CONTACT
    scouted = contact and can_read(brain.pruner)
    if scouted:
        set_parent(brain.pruner, scout, board, weights)
    done, total = 0, 0
    for r in range(dice.shape[0]):
        # Step 1. The plays that look best. The scout is not sure of those that end the contact.
        high, low = np.int64(max(dice[r, 0], dice[r, 1])), np.int64(min(dice[r, 0], dice[r, 1]))
        count = generate(board, high, low, fresh)
        stays = contact and stays_contact(board, parent_masks, 4 * high if high == low else high + low)
        kept = keep if stays else 2 * keep
        if scouted and kept < count:
            pick_best(brain.pruner, scout, fresh, count, kept, picks)
            count = kept
        else:
            for k in range(count):
                picks[k] = k
        # Step 2. Kept beside those of the other rolls.
        for k in range(count):
            i = picks[k]
            for word in range(4):
                plays.words[total, word] = fresh.words[i, word]
            plays.changes[total] = fresh.changes[i]
            for change in range(fresh.changes[i]):
                plays.left[total, change] = fresh.left[i, change]
                plays.came[total, change] = fresh.came[i, change]
            m = masks(plays.boards[total])
            board_masks[total, 0], board_masks[total, 1], board_masks[total, 2], board_masks[total, 3] = m
            kinds[total] = CONTACT if stays else class_of(m, points)
            total += 1
        first[r - done + 1] = total
        # Step 3. Judged together, as many rolls as there is room for.
        if r == dice.shape[0] - 1 or total + MAX_PLAYS > room:
            _judge_rolls(
                brain,
                quick,
                crew,
                board,
                parent_masks,
                weights,
                keep,
                fine,
                r + 1 - done,
                chosen[done : r + 1],
                outputs[done : r + 1],
                codes[done : r + 1],
            )
            done, total = r + 1, 0


@entry(SEARCH)
def _end_replies(
    brain: Brain,
    works: Works,
    boards: Int8s2,
    weights: Float32s2,
    keep: int,
    after: Int8s2,
    counts: Int64s,
    outputs: Float32s2,
    codes: Int8s,
) -> int:
    # See `end_replies`.
    plays, picks, board = works.plays, works.picks[0], works.board
    total = 0
    for i in range(boards.shape[0]):
        copy_board(boards[i], board)
        parent_masks = masks(board)
        forget_parents(works)
        for r in range(21):
            count = generate(board, ROLLS[r, 0], ROLLS[r, 1], plays)
            judge_candidates(brain, works, board, parent_masks, count, weights[i])
            best_to_front(works.utilities, picks, 0, count, keep)
            counts[i * 21 + r] = min(count, keep)
            for k in range(counts[i * 21 + r]):
                swap_into(plays.boards[picks[k]], after[total])
                codes[total] = works.codes[picks[k]]
                for j in range(5):
                    outputs[total, j] = works.outputs[picks[k], j]
                total += 1
    return total


def end_replies(
    brain: Brain,
    boards: NDArray[np.int8],
    weights: NDArray[np.float32],
    keep: int,
    after: NDArray[np.int8],
    counts: NDArray[np.int64],
    outputs: NDArray[np.float32],
    codes: NDArray[np.int8],
) -> int:
    """The `keep` best plays of every roll by linear utility, of bear-offs.

    boards: `int8[N, 32]`, both sides within `brain.bearoff`; weights: `float32[N, 5]`, as for `best_replies`. Written,
    plays of one roll after those of another and the best first: after: `int8[N * 21 * keep, 32]`, outputs:
    `float32[..., 5]`, codes: `int8[...]`, of the side on roll after the play; counts: `int64[N * 21]`, plays of each
    roll. Returns how many there are.
    """
    return _end_replies(brain, scratch_of(make_works, brain), boards, weights, keep, after, counts, outputs, codes)


@entry(SEARCH)
def _best_replies(
    brain: Brain,
    quick: Net,
    crew: Crew,
    boards: Int8s2,
    dice: Int8s3,
    weights: Float32s2,
    keep: int,
    fine: int,
    chosen: Int8s3,
    outputs: Float32s3,
    codes: Int8s2,
) -> int:
    """`best_replies` into arrays; returns how many have them, up to the first that is no board."""
    board = crew.works.board
    for i in range(boards.shape[0]):
        if not is_board(boards[i]):
            return i
        copy_board(boards[i], board)
        best_of_rolls(
            brain,
            quick,
            crew,
            board,
            dice[min(i, dice.shape[0] - 1)],
            weights[min(i, weights.shape[0] - 1)],
            keep,
            fine,
            chosen[i],
            outputs[i],
            codes[i],
        )
    return len(boards)


def best_replies(
    brain: Brain,
    boards: NDArray[np.int8],
    dice: NDArray[np.int8],
    weights: NDArray[np.float32],
    keep: int,
    quick: Net | None = None,
    fine: int = 0,
) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.int8]]:
    """The best play of every roll of every position, by linear utility.

    boards: `int8[N, 32]`, seen by the mover. dice: `int8[N, K, 2]`, or `int8[1, K, 2]` for all alike; K up to 36.
    weights: `float32[N, 5]`, utility to the side on roll after the play, or `float32[1, 5]`.
    keep: how many plays from contact the pruning net leaves, 0 all; fine: how many of them the net `quick`, another
    brain's contact net, leaves for the brain's own, 0 all.
    Returns `int8[N, K, 32]`, the boards after the best plays seen by the side then on roll, `float32[N, K, 5]`, their
    outcomes for that side, and `int8[N, K]`, their classes. Without pruning, ties go to the first play generated.
    Raises ValueError for more rolls, SettingsError for other shapes and for what are no boards.
    """
    shape = len(boards), dice.shape[1]
    if shape[1] > MAX_ROLLS:
        raise ValueError(f"expected at most {MAX_ROLLS} rolls of each position, found {shape[1]}")
    dealt, weighed = (1 if len(each) == 1 else shape[0] for each in (dice, weights))
    check_shapes(boards, ("dice", dice, (dealt, shape[1], 2)), ("weights", weights, (weighed, 5)))
    chosen = np.zeros((*shape, 32), dtype=np.int8)
    outputs, codes = np.empty((*shape, 5), dtype=np.float32), np.empty(shape, dtype=np.int8)
    net = brain.contact if quick is None else quick
    crew, last = scratch_of(make_crew, brain, net), fine if quick is not None else 0
    found = _best_replies(brain, net, crew, boards, dice, weights, keep, last, chosen, outputs, codes)
    check_boards(boards, found)
    return chosen, outputs, codes
