"""Positions to outcomes: the kernels the engine and the training call.

A position is judged by its class: over and bear-off, both sides within the points of the database, exactly,
races by `kernels.race`, or by the race net if the brain has no nets for that, back games by a net of their own if the
brain has that, the rest by the contact net. Outputs are win, win gammon, win backgammon, lose gammon, lose backgammon,
cumulative, for the side on roll.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime.kernels._bits import trailing_zeros
from sixprime.kernels._block import Block, Float32s, Float32s2, Int8s, Int8s2, Int64s, Int64s2, scratch_of
from sixprime.kernels._jit import SEARCH, entry, njit
from sixprime.kernels.bearoff import OneSidedArrays, os_probabilities
from sixprime.kernels.features import highest, masks
from sixprime.kernels.network import NO_NET, Net, Work, evaluate_candidates, forget_parent, make_work
from sixprime.kernels.plays import (
    MAX_PLAYS,
    WIDTH,
    Plays,
    check_boards,
    check_shapes,
    copy_board,
    generate,
    is_board,
    make_plays,
    swap_into,
)
from sixprime.kernels.race import NO_RACE_NETS, RaceNets, RaceWork, make_race_work, race_probabilities

OVER, BEAROFF_TWO_SIDED, BEAROFF, RACE, CRASHED, CONTACT = range(6)
_NOTHING = np.zeros(5, dtype=np.float32)
"""The utility where nobody asks for it."""


@dataclass(frozen=True, eq=False, slots=True)
class Brain(Block):
    """Everything a kernel needs to judge a position."""

    contact: Net
    race: Net
    pruner: Net
    bearoff: OneSidedArrays
    races: RaceNets = NO_RACE_NETS
    back: Net = NO_NET


@dataclass(frozen=True, eq=False, slots=True)
class Works(Block):
    """Scratch of one thread, with room for M plays."""

    contact: Work
    race: Work
    pruner: Work
    back: Work
    races: RaceWork
    plays: Plays
    masks: Int64s2  # [M, 4]
    codes: Int8s  # [M]
    outputs: Float32s2  # [M, 5]
    utilities: Float32s  # [M]
    picks: Int64s2  # [2, M] plays to judge; those of one class
    board: Int8s  # [32]
    swapped: Int8s  # [32]


def make_works(brain: Brain, room: int = MAX_PLAYS) -> Works:
    """Fresh scratch for one thread, with room for so many plays."""
    return Works(
        make_work(brain.contact),
        make_work(brain.race),
        make_work(brain.pruner),
        make_work(brain.back),
        make_race_work(brain.races),
        make_plays(room),
        np.empty((room, 4), dtype=np.int64),
        np.empty(room, dtype=np.int8),
        np.empty((room, 5), dtype=np.float32),
        np.empty(room, dtype=np.float32),
        np.empty((2, room), dtype=np.int64),
        np.zeros(WIDTH, dtype=np.int8),
        np.zeros(WIDTH, dtype=np.int8),
    )


@njit(inline="always")
def class_of(board_masks, points):  # type: ignore[no-untyped-def]
    """Class code of a board as after a play, from its masks; a bear-off is within `points` points of each side."""
    own, opp = board_masks[0], board_masks[2]
    if own == 0 or opp == 0:
        return OVER
    rear = highest(own)
    nearest = trailing_zeros(opp)
    if rear > nearest:
        return CONTACT
    if rear <= points and nearest >= 25 - points:
        return BEAROFF
    return RACE


@njit(allocates=False)
def _finished(board, out):  # type: ignore[no-untyped-def]
    """Outcome when a side has no chequers left, for the side on roll."""
    for k in range(5):
        out[k] = 0
    won = True
    loser_off = board[27]
    deep = board[0] > 0
    for p in range(1, 26):
        if board[p] > 0:
            won = False
    if won:
        # The side that has just played has borne off.
        for p in range(1, 7):
            if board[p] < 0:
                deep = True
        if loser_off == 0:
            out[3] = 1
            if deep:
                out[4] = 1
        return
    out[0] = 1
    deep = board[25] > 0
    for p in range(19, 25):
        if board[p] > 0:
            deep = True
    if board[26] == 0:
        out[1] = 1
        if deep:
            out[2] = 1


@njit(allocates=False)
def forget_parents(works):  # type: ignore[no-untyped-def]
    """Must be called whenever the parent changes; see `network.forget_parent`."""
    forget_parent(works.contact)
    forget_parent(works.race)
    forget_parent(works.pruner)
    forget_parent(works.back)


@njit(allocates=False)
def _classify(works, count, points):  # type: ignore[no-untyped-def]
    """Masks and classes of the first plays; returns a bit for every class met."""
    boards, kept, codes = works.plays.boards, works.masks, works.codes
    seen = np.int64(0)
    for i in range(count):
        m = masks(boards[i])
        kept[i, 0], kept[i, 1], kept[i, 2], kept[i, 3] = m
        code = class_of(m, points)
        codes[i] = code
        seen |= np.int64(1) << code
    return seen


@njit(inline="always")
def is_back_game(board_masks):  # type: ignore[no-untyped-def]
    """Whether a side holds two points or more in the other's home, by the masks of a board as after a play."""
    own, opp = board_masks[1] >> 19 & 63, board_masks[3] >> 1 & 63
    return (own & (own - 1)) | (opp & (opp - 1)) != 0


@njit(allocates=False)
def _judge_class(net, work, works, parent, parent_masks, code, count, backs, others):  # type: ignore[no-untyped-def]
    """Outcomes of those of the plays `works.picks[0, :count]` that are of a class with a net; backs, others: whether
    these include back games, and what is none."""
    wanted, picks, codes = works.picks[0], works.picks[1], works.codes
    chosen = 0
    for k in range(count):
        i = wanted[k]
        picks[chosen] = i
        chosen += codes[i] == code and (backs if is_back_game(works.masks[i]) else others)
    if chosen:
        evaluate_candidates(net, work, parent, parent_masks, works.plays, works.masks, picks, chosen, works.outputs)


@njit(allocates=False)
def judge_picks(brain, works, parent, parent_masks, count, seen):  # type: ignore[no-untyped-def]
    """Outcomes of the plays `works.picks[0, :count]` by their classes, written to `works.outputs`."""
    if seen >> CONTACT & 1:
        apart = brain.back.rows.shape[0] > 0
        # One call for both nets: each takes seconds to compile.
        for back in range(1 + apart):
            net, work = (brain.back, works.back) if back else (brain.contact, works.contact)
            _judge_class(net, work, works, parent, parent_masks, CONTACT, count, back or not apart, not back)
    if seen >> RACE & 1:
        if brain.races.finish.rows.shape[0] > 0:
            for k in range(count):
                i = works.picks[0, k]
                if works.codes[i] == RACE:
                    swap_into(works.plays.boards[i], works.swapped)
                    race_probabilities(works.swapped, brain.races, brain.bearoff, works.races, works.outputs[i])
        else:
            _judge_class(brain.race, works.race, works, parent, parent_masks, RACE, count, True, True)
    if seen & (1 << OVER | 1 << BEAROFF):
        for k in range(count):
            i = works.picks[0, k]
            board = works.plays.boards[i]
            if works.codes[i] == OVER:
                _finished(board, works.outputs[i])
            elif works.codes[i] == BEAROFF:
                swap_into(board, works.swapped)
                os_probabilities(works.swapped, brain.bearoff, works.outputs[i])


@entry(SEARCH)
def _judge(brain: Brain, works: Works, boards: Int8s2, outputs: Float32s2, codes: Int8s) -> int:
    """Returns how many are judged, up to the first that is no board."""
    works.picks[0, 0] = 0
    works.plays.changes[0] = 0
    for i in range(boards.shape[0]):
        if not is_board(boards[i]):
            return i
        swap_into(boards[i], works.board)
        copy_board(works.board, works.plays.boards[0])
        forget_parents(works)
        seen = _classify(works, 1, brain.bearoff.ranks.shape[0])
        judge_picks(brain, works, works.board, masks(works.board), 1, seen)
        codes[i] = works.codes[0]
        for k in range(5):
            outputs[i, k] = works.outputs[0, k]
    return len(boards)


def judge(brain: Brain, boards: NDArray[np.int8], outputs: NDArray[np.float32], codes: NDArray[np.int8]) -> None:
    """Outcomes and classes of positions before the roll.

    boards: `int8[N, 32]`, seen by the side on roll. outputs: `float32[N, 5]`, codes: `int8[N]`, both written. Raises
    SettingsError for other shapes, and for what are no boards.
    """
    check_shapes(boards, ("outputs", outputs, (len(boards), 5)), ("codes", codes, (len(boards),)))
    check_boards(boards, _judge(brain, scratch_of(make_works, brain), boards, outputs, codes))


@entry(SEARCH)
def _classify_all(board: Int8s, boards: Int8s2, codes: Int8s, points: int) -> int:
    for i in range(boards.shape[0]):
        if not is_board(boards[i]):
            return i
        swap_into(boards[i], board)
        codes[i] = class_of(masks(board), points)
    return len(boards)


def classify(boards: NDArray[np.int8], codes: NDArray[np.int8], points: int = 6) -> None:
    """Class codes `int8[N]`, written, of boards `int8[N, 32]` seen by the side on roll.

    points: of the one-sided database, `Brain.bearoff`. Raises SettingsError as `judge`.
    """
    check_shapes(boards, ("codes", codes, (len(boards),)))
    check_boards(boards, _classify_all(np.zeros(WIDTH, dtype=np.int8), boards, codes, points))


@njit(inline="always")
def utility(w, out, i):  # type: ignore[no-untyped-def]
    """Utility of row `i` of outcomes. w: `float32[5]`."""
    return w[0] * out[i, 0] + w[1] * out[i, 1] + w[2] * out[i, 2] + w[3] * out[i, 3] + w[4] * out[i, 4]


@njit(allocates=False)
def best_to_front(utilities, picks, begin, end, limit):  # type: ignore[no-untyped-def]
    """Moves those of `picks[begin:end]` with the least utility to its front, as many as `limit` and there are."""
    for k in range(begin, min(begin + limit, end)):
        best = k
        for j in range(k + 1, end):
            if utilities[picks[j]] < utilities[picks[best]]:
                best = j
        picks[k], picks[best] = picks[best], picks[k]


@njit(allocates=False)
def judge_candidates(brain, works, parent, parent_masks, count, weights):  # type: ignore[no-untyped-def]
    """Judges the first `count` of `works.plays`, plays of `parent`, and makes them `works.picks[0]`.

    Written for each: `works.outputs` and `works.utilities`. weights: `float32[5]`, utility of the outcomes to the side
    on roll after the play, which the mover wants small.
    """
    picks = works.picks[0]
    for i in range(count):
        picks[i] = i
    seen = _classify(works, count, brain.bearoff.ranks.shape[0])
    judge_picks(brain, works, parent, parent_masks, count, seen)
    for i in range(count):
        works.utilities[i] = utility(weights, works.outputs, i)


@entry(SEARCH)
def _judge_plays(
    brain: Brain,
    works: Works,
    nothing: Float32s,
    boards: Int8s2,
    dice: Int8s2,
    offsets: Int64s,
    outputs: Float32s2,
    codes: Int8s,
) -> None:
    board = works.board
    for i in range(boards.shape[0]):
        copy_board(boards[i], board)
        forget_parents(works)
        count = generate(board, dice[i, 0], dice[i, 1], works.plays)
        judge_candidates(brain, works, board, masks(board), count, nothing)
        for j in range(count):
            codes[offsets[i] + j] = works.codes[j]
            for k in range(5):
                outputs[offsets[i] + j, k] = works.outputs[j, k]


def judge_plays(
    brain: Brain,
    boards: NDArray[np.int8],
    dice: NDArray[np.int8],
    offsets: NDArray[np.int64],
    outputs: NDArray[np.float32],
    codes: NDArray[np.int8],
) -> None:
    """Outcomes after every legal play, in the order of `legal_plays`.

    boards: `int8[N, 32]`; dice: `int8[N, 2]`; offsets: `int64[N + 1]` from `legal_plays`;
    outputs: `float32[M, 5]` for the side on roll after the play, codes: `int8[M]`, both written.
    """
    count = int(offsets[-1])
    check_shapes(boards, ("outputs", outputs, (count, 5)), ("codes", codes, (count,)))
    _judge_plays(brain, scratch_of(make_works, brain), _NOTHING, boards, dice, offsets, outputs, codes)


@entry(SEARCH)
def _judge_one(brain: Brain, works: Works, nothing: Float32s, board: Int8s, high: int, low: int) -> int:
    copy_board(board, works.board)
    forget_parents(works)
    count: int = generate(works.board, high, low, works.plays)
    judge_candidates(brain, works, works.board, masks(works.board), count, nothing)
    return count


def judge_one(brain: Brain, board: NDArray[np.int8], dice: tuple[int, int]) -> tuple[Works, int]:
    """The plays of one roll, the larger die first, in the scratch of this thread, and how many there are.

    board: `int8[32]`. Until the next call, the first of `plays`, `codes` and `outputs` are as `judge_plays` has them.
    """
    works = scratch_of(make_works, brain)
    return works, _judge_one(brain, works, _NOTHING, board, *dice)
