"""Legal plays of packed boards.

Packed board: `int8[32]`, seen by the mover: [0] the opponent's chequers on the bar, [1..24] the points in
the mover's numbering, his chequers positive and the opponent's negative, [25] his bar, [26] his chequers
off, [27] the opponent's off, the rest 0. A row is also read as four `uint64`, to copy and compare it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime.checks import Whole, array, refuse
from sixprime.kernels._bits import leading_zeros
from sixprime.kernels._block import Block, Int8s, Int8s2, Int8s3, Int16s2, Int64s, Int64s2, scratch_of
from sixprime.kernels._jit import SEARCH, entry, njit
from sixprime.kernels._vectors import above

WIDTH = 32
MOST = 15
"""Chequers of a side at most."""
MAX_PLAYS = 3072
"""Room for the plays of one roll: more than the 3,060 ways to choose them that counting allows."""

# A chequer as an input of the networks: 4 * (own point, 25 for the bar) + how many are below it (3: or more),
# `OPPONENT_CODE` more for the opponent's, and those the mover has borne off, counted, from `OFF_CODE`.
OPPONENT_CODE = 104
OFF_CODE = 208
HIT = 32
"""Added to the end of a step that hits, in `routes`."""


@dataclass(frozen=True, eq=False, slots=True)
class Plays(Block):
    """Room for M plays. words: the same memory as boards."""

    boards: Int8s2  # [M, 32] after the play, seen by the mover
    words: Int64s2  # [M, 4]
    left: Int16s2  # [M, 8] codes of the chequers that left
    came: Int16s2  # [M, 8] codes of the chequers that came, in the same order
    changes: Int64s  # [M] how many of them
    keys: Int64s  # [M] scratch
    trail: Int64s2  # [4, 4] scratch: of the steps so far, the codes that left and came, then of a hit
    steps: Int64s2  # [6, 5] scratch of `_doubles`


_CHEQUERS = Whole(0, 127)

# The 21 rolls, the larger die first, and how many of the 36 throws each stands for.
ROLLS = np.array([(a, b) for a in range(1, 7) for b in range(1, a + 1)], dtype=np.int8)
ROLL_WEIGHTS = np.array([1 if a == b else 2 for a, b in ROLLS], dtype=np.int64)

# Random keys of the points and of hits: their sum over the steps of a play identifies its result, because
# a point that is left and reached in the same play cancels out.
# (NumPy's generators would have to be imported.)
_POINT_KEYS, _HIT_KEYS = np.frombuffer(hashlib.shake_128(b"keys").digest(512), dtype=np.int64).copy().reshape(2, 32)


def make_plays(room: int = MAX_PLAYS) -> Plays:
    """Fresh room for so many plays, not cleared."""
    boards = np.empty((room, WIDTH), dtype=np.int8)
    return Plays(
        boards,
        boards.view(np.int64),
        np.empty((room, 8), dtype=np.int16),
        np.empty((room, 8), dtype=np.int16),
        np.empty(room, dtype=np.int64),
        np.empty(room, dtype=np.int64),
        np.empty((4, 4), dtype=np.int64),
        np.empty((6, 5), dtype=np.int64),
    )


@njit(allocates=False)
def is_board(board):  # type: ignore[no-untyped-def]
    """Whether a packed board has 1 to `MOST` chequers of each side: others would lead kernels out of their arrays."""
    mine, theirs = np.int64(board[25]) + board[26], np.int64(board[0]) + board[27]
    for p in range(1, 25):
        count = np.int64(board[p])
        mine += max(count, 0)
        theirs -= min(count, 0)
    least = min(min(board[0], board[25]), min(board[26], board[27]))
    return least >= 0 and 0 < mine <= MOST and 0 < theirs <= MOST


def check_boards(boards: NDArray[np.int8], right: int) -> None:
    """Raises SettingsError unless as many of the boards `int8[N, 32]` as there are were found right, one by one."""
    if right < len(boards):
        refuse(f"boards[{right}]", f"a packed board with 1 to {MOST} chequers of each side", boards[right])


def check_shapes(boards: NDArray[np.int8], *others: tuple[str, NDArray[Any], tuple[int, ...]]) -> None:
    """Raises SettingsError unless boards are `int8[N, 32]` and the others, by their names, of these shapes."""
    for name, found, shape in (("boards", boards, (len(boards), WIDTH)), *others):
        if found.shape != shape:
            refuse(f"shape of {name}", f"{shape}", found.shape)


@njit(inline="always")
def _own_bits(board):  # type: ignore[no-untyped-def]
    """A bit for every point the mover is on, 1..24 and 25 the bar."""
    return above(board, 0) & np.int64(0x3FFFFFE)


@njit(inline="always")
def _open_bits(board):  # type: ignore[no-untyped-def]
    """A bit for every point the mover may land on."""
    return above(board, -2) & np.int64(0x1FFFFFE)


@njit(inline="always")
def _highest(bits):  # type: ignore[no-untyped-def]
    return np.int64(63) - np.int64(leading_zeros(bits))


@njit(inline="always")
def _sources(own, free, die):  # type: ignore[no-untyped-def]
    """Points from which one chequer may go with `die`."""
    bits = own & (free << die)
    if own >> 25:
        return bits & (np.int64(1) << 25)
    if own and own >> 7 == 0:
        bits |= own & (np.int64(1) << die)
        if own >> die == 0:
            bits |= np.int64(1) << _highest(own)
    return bits


@njit(inline="always")
def _add(words, point, count):  # type: ignore[no-untyped-def]
    """Adds to a point that stays between 0 and 127.

    Whole words are written, for a word that is read soon after only some of its bytes were written makes the processor
    wait.
    """
    words[point >> 3] += np.uint64(count) << np.uint64(8 * (point & 7))


@njit(inline="always")
def _turn_over(words, point):  # type: ignore[no-untyped-def]
    """A blot of one side becomes one of the other: -1 becomes 1 and the other way round."""
    words[point >> 3] ^= np.uint64(0xFE) << np.uint64(8 * (point & 7))


@njit(inline="always")
def _step(board, words, start, die, trail, depth):  # type: ignore[no-untyped-def]
    """Moves one chequer; returns where it ended (0 off) and whether it hit.

    Notes in `trail[depth]` the codes of the chequer that leaves and arrives, then of the one that is hit.
    """
    end = start - die
    trail[depth, 0] = 4 * start + min(np.int64(board[start]) - 1, 3)
    _add(words, start, -1)
    if end <= 0:
        trail[depth, 1] = OFF_CODE + board[26]
        _add(words, 26, 1)
        return np.int64(0), False
    if board[end] == -1:
        trail[depth, 1] = 4 * end
        trail[depth, 2] = OPPONENT_CODE + 4 * (25 - end)
        trail[depth, 3] = OPPONENT_CODE + 100 + min(np.int64(board[0]), 3)
        _turn_over(words, end)
        _add(words, 0, 1)
        return end, True
    trail[depth, 1] = 4 * end + min(np.int64(board[end]), 3)
    _add(words, end, 1)
    return end, False


@njit(inline="always")
def _unstep(words, start, end, hit):  # type: ignore[no-untyped-def]
    _add(words, start, 1)
    if end == 0:
        _add(words, 26, -1)
    elif hit:
        _turn_over(words, end)
        _add(words, 0, -1)
    else:
        _add(words, end, -1)


@njit(inline="always")
def _after_step(board, own, start, end):  # type: ignore[no-untyped-def]
    """Own bits after a step that `board` already shows."""
    own &= ~(np.int64(board[start] == 0) << start)
    return own | (np.int64(end > 0) << end)


@njit(inline="always")
def _emit(plays, target, words, trail, hits, depth):  # type: ignore[no-untyped-def]
    """Keeps the board as play `target`, with the codes that came and went on the way."""
    boards = plays.words
    boards[target, 0] = words[0]
    boards[target, 1] = words[1]
    boards[target, 2] = words[2]
    boards[target, 3] = words[3]
    count = 0
    for d in range(depth):
        plays.left[target, count] = trail[d, 0]
        plays.came[target, count] = trail[d, 1]
        count += 1
        if hits[d]:
            plays.left[target, count] = trail[d, 2]
            plays.came[target, count] = trail[d, 3]
            count += 1
    plays.changes[target] = count


@njit(allocates=False)
def _doubles(board, words, die, plays):  # type: ignore[no-untyped-def]
    """Plays of a double: up to four sources, none further back than the one before, so each play comes once."""
    free = _open_bits(board)
    own = _own_bits(board)
    trail, steps = plays.trail, plays.steps
    starts, ends, hits, owns, pending, leaf = steps[0], steps[1], steps[2], steps[3], steps[4], steps[5]
    count = 0
    best = 0
    depth = 0
    pending[0] = _sources(own, free, die)
    leaf[0] = True
    while True:
        if depth < 4 and pending[depth]:
            # Step 1. One chequer more.
            start = _highest(pending[depth])
            pending[depth] ^= np.int64(1) << start
            leaf[depth] = False
            end, hit = _step(board, words, start, die, trail, depth)
            starts[depth], ends[depth], hits[depth], owns[depth] = start, end, hit, own
            own = _after_step(board, own, start, end)
            depth += 1
            pending[depth] = _sources(own, free, die) & ((np.int64(2) << start) - 1)
            leaf[depth] = True
            continue
        # Step 2. Nothing more can be moved: keep the play when none uses more dice.
        if leaf[depth] and depth >= best and depth > 0:
            if depth > best:
                best = depth
                count = 0
            _emit(plays, count, words, trail, hits, depth)
            count += 1
        if depth == 0:
            return count
        depth -= 1
        _unstep(words, starts[depth], ends[depth], hits[depth])
        own = owns[depth]


@njit(allocates=False)
def _two_dice(board, words, high, low, plays):  # type: ignore[no-untyped-def]
    """Plays of two different dice, both orders; equal results are dropped by their key."""
    free = _open_bits(board)
    own = _own_bits(board)
    trail, hits, keys = plays.trail, plays.steps[2], plays.keys
    count = 0
    for order in range(2):
        first = high if order == 0 else low
        second = low if order == 0 else high
        pending = _sources(own, free, first)
        while pending:
            start = _highest(pending)
            pending ^= np.int64(1) << start
            end, hit = _step(board, words, start, first, trail, 0)
            hits[0] = hit
            key1 = _POINT_KEYS[end] - _POINT_KEYS[start]
            if hit:
                key1 += _HIT_KEYS[end]
            pending2 = _sources(_after_step(board, own, start, end), free, second)
            while pending2:
                start2 = _highest(pending2)
                pending2 ^= np.int64(1) << start2
                end2, hit2 = _step(board, words, start2, second, trail, 1)
                hits[1] = hit2
                key = key1 + _POINT_KEYS[end2] - _POINT_KEYS[start2]
                if hit2:
                    key += _HIT_KEYS[end2]
                new = True
                for k in range(count):
                    new &= keys[k] != key
                if new:
                    keys[count] = key
                    _emit(plays, count, words, trail, hits, 2)
                    count += 1
                _unstep(words, start2, end2, hit2)
            _unstep(words, start, end, hit)
    if count > 0:
        return count
    # Only one die can be played: the larger if possible.
    die = high
    pending = _sources(own, free, high)
    if not pending:
        die = low
        pending = _sources(own, free, low)
    while pending:
        start = _highest(pending)
        pending ^= np.int64(1) << start
        end, hit = _step(board, words, start, die, trail, 0)
        hits[0] = hit
        _emit(plays, count, words, trail, hits, 1)
        count += 1
        _unstep(words, start, end, hit)
    return count


@njit(allocates=False)
def generate(board, die1, die2, plays):  # type: ignore[no-untyped-def]
    """Writes every legal play into `plays` and returns how many there are.

    board: `int8[32]` packed, used as scratch and left as it was. Without a legal play the one row is the board.
    """
    words = board.view(np.uint64)
    high, low = np.int64(max(die1, die2)), np.int64(min(die1, die2))
    count = _doubles(board, words, high, plays) if high == low else _two_dice(board, words, high, low, plays)
    if count == 0:
        for k in range(4):
            plays.words[0, k] = words[k]
        plays.changes[0] = 0
        count = 1
    return count


@njit(inline="always")
def copy_board(source, target):  # type: ignore[no-untyped-def]
    """Numba takes seconds to compile what a slice would say."""
    for p in range(WIDTH):
        target[p] = source[p]


@entry(SEARCH)
def _legal_plays(plays: Plays, board: Int8s, boards: Int8s2, dice: Int8s2, out: Int8s2, offsets: Int64s) -> int:
    """Fills `out` from the front; returns the number of positions that found room, or what is below 0 by one more than
    the number of the first that is no board or has no dice. board: scratch."""
    offsets[0] = 0
    for i in range(boards.shape[0]):
        high, low = max(dice[i, 0], dice[i, 1]), min(dice[i, 0], dice[i, 1])
        if low < 1 or high > 6 or not is_board(boards[i]):
            return -1 - i
        copy_board(boards[i], board)
        count = generate(board, dice[i, 0], dice[i, 1], plays)
        if offsets[i] + count > out.shape[0]:
            return i
        for k in range(count):
            copy_board(plays.boards[k], out[offsets[i] + k])
        offsets[i + 1] = offsets[i] + count
    return len(boards)


def legal_plays(boards: NDArray[np.int8], dice: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """The board after every legal play of every position, each result once.

    boards: `int8[N, 32]` packed. dice: `int8[N, 2]`.
    Returns `int8[M, 32]`, still seen by the mover, and `int64[N + 1]` offsets; a position without a legal
    play has one unchanged row. Raises SettingsError for other arrays, and for what are no boards or dice.
    """
    boards = array("boards", boards, np.int8, None, WIDTH)
    dice = array("dice", dice, np.int8, len(boards), 2)
    count = len(boards)
    room = max(MAX_PLAYS, 32 * count)
    plays, board = scratch_of(make_plays), np.zeros(WIDTH, dtype=np.int8)
    while True:
        out = np.empty((room, WIDTH), dtype=np.int8)
        offsets = np.zeros(count + 1, dtype=np.int64)
        found = _legal_plays(plays, board, boards, dice, out, offsets)
        if found == count:
            return out[: offsets[-1]].copy(), offsets
        if found < 0:
            _check_dice(dice)
            check_boards(boards, -1 - found)
        room *= 2


def _check_dice(dice: NDArray[np.int8]) -> None:
    wrong = ((dice < 1) | (dice > 6)).any(axis=1)
    if wrong.any():
        first = int(wrong.argmax())
        refuse(f"dice[{first}]", "two numbers from 1 to 6", dice[first].tolist())


@njit(allocates=False)
def _follow(board, target, first, second, most, trail, steps):  # type: ignore[no-untyped-def]
    """The steps of `most` or fewer with two dice in turn that lead from `board`, which is changed, to `target`, and how
    many they are; -1 when there are none.

    At the highest point that differs there must be a chequer too many, which moves next. steps: as `routes` has them.
    """
    words = board.view(np.uint64)
    count = 0
    while count < most:
        start = 25
        while start and max(board[start], 0) == max(target[start], 0):
            start -= 1
        die = second if count & 1 else first
        if not start or not _sources(_own_bits(board), _open_bits(board), die) >> start & 1:
            break
        end, hit = _step(board, words, start, die, trail, 0)
        steps[2 * count], steps[2 * count + 1] = start, end + HIT * hit
        count += 1
    for p in range(28):
        if board[p] != target[p]:
            return -1
    return count


@entry(SEARCH)
def _routes(plays: Plays, boards: Int8s2, dice: Int8s2, parents: Int64s, after: Int8s2, out: Int8s2) -> None:
    board, target, other = plays.boards[0], plays.boards[1], plays.boards[2]
    for p in range(WIDTH):
        target[p] = 0
    for m in range(after.shape[0]):
        high, low = max(dice[parents[m], 0], dice[parents[m], 1]), min(dice[parents[m], 0], dice[parents[m], 1])
        most = 4 if high == low else 2
        swap_into(after[m], target)
        copy_board(boards[parents[m]], board)
        count = _follow(board, target, np.int64(high), np.int64(low), most, plays.trail, out[m])
        if count < most and high != low:
            # The other die first, where that uses more dice.
            copy_board(boards[parents[m]], board)
            others = _follow(board, target, np.int64(low), np.int64(high), most, plays.trail, other)
            if others > count:
                count = others
                for k in range(2 * count):
                    out[m, k] = other[k]
        for k in range(2 * max(count, 0), 8):
            out[m, k] = 0


def routes(
    boards: NDArray[np.int8], dice: NDArray[np.int8], parents: NDArray[np.int64], after: NDArray[np.int8]
) -> NDArray[np.int8]:
    """The steps of plays, from the highest point down.

    boards: `int8[N, 32]` before them and dice: `int8[N, 2]`; parents: `int64[M]`, the row of each play, and after:
    `int8[M, 32]`, the board it leads to as the other side sees it. Returns `int8[M, 8]`: start and end of each step, in
    the mover's numbering, `HIT` more for one that hits, and zeros behind. Raises SettingsError for other arrays, for
    rows that there are not, and for dice that are none.
    """
    boards = array("boards", boards, np.int8, None, WIDTH)
    dice = array("dice", dice, np.int8, len(boards), 2)
    after = array("after", after, np.int8, None, WIDTH)
    parents = array("parents", parents, np.int64, len(after))
    _check_dice(dice)
    if len(parents) and not 0 <= parents.min() <= parents.max() < len(boards):
        refuse("parents", f"rows of boards, 0 to {len(boards) - 1}", parents)
    out = np.empty((len(after), 8), dtype=np.int8)
    _routes(scratch_of(make_plays), boards, dice, parents, after, out)
    return out


@entry(SEARCH)
def _pack(boards: Int8s3, chequers: int, out: Int8s2) -> None:
    for i in range(boards.shape[0]):
        mine = np.int64(0)
        theirs = np.int64(0)
        for p in range(25):
            mine += boards[i, 1, p]
            theirs += boards[i, 0, p]
        for p in range(24):
            out[i, p + 1] = boards[i, 1, p] - boards[i, 0, 23 - p]
        out[i, 0] = boards[i, 0, 24]
        out[i, 25] = boards[i, 1, 24]
        out[i, 26] = chequers - mine
        out[i, 27] = chequers - theirs


def pack(boards: NDArray[np.int8], chequers: int = 15) -> NDArray[np.int8]:
    """Public boards `int8[N, 2, 25]` (no point held by both sides) as packed boards `int8[N, 32]`.

    chequers: how many each side has in this game; those missing are off. Raises SettingsError for another shape, and
    for a number that no board holds.
    """
    _CHEQUERS("chequers", chequers)
    boards = array("boards", boards, np.int8, None, 2, 25)
    out = np.zeros((len(boards), WIDTH), dtype=np.int8)
    _pack(boards, chequers, out)
    return out


def unpack(packed: NDArray[np.int8]) -> NDArray[np.int8]:
    """Packed boards `int8[N, 32]` as public boards `int8[N, 2, 25]`. Raises SettingsError for another shape."""
    packed = array("packed", packed, np.int8, None, WIDTH)
    out = np.zeros((len(packed), 2, 25), dtype=np.int8)
    points = packed[:, 1:25]
    out[:, 1, :24] = np.maximum(points, 0)
    out[:, 0, :24] = np.maximum(-points, 0)[:, ::-1]
    out[:, 1, 24] = packed[:, 25]
    out[:, 0, 24] = packed[:, 0]
    return out


@njit(allocates=False)
def pips_of(board):  # type: ignore[no-untyped-def]
    """Pip counts of the side on roll and of the other."""
    mine, theirs = np.int32(0), np.int32(25) * np.int32(board[0])
    for p in range(1, 26):
        count = np.int32(board[p])
        mine += np.int32(p) * max(count, np.int32(0))
        theirs -= np.int32(25 - p) * min(count, np.int32(0))
    return np.int64(mine), np.int64(theirs)


@entry(SEARCH)
def _pips(boards: Int8s2, out: Int64s2) -> None:
    for i in range(boards.shape[0]):
        out[i, 0], out[i, 1] = pips_of(boards[i])


def pips(packed: NDArray[np.int8]) -> NDArray[np.int64]:
    """Pip counts `int64[N, 2]` of the side on roll and of the other of boards `int8[N, 32]`. Raises SettingsError for
    another shape."""
    packed = array("packed", packed, np.int8, None, WIDTH)
    out = np.empty((len(packed), 2), dtype=np.int64)
    _pips(packed, out)
    return out


@njit(allocates=False)
def swap_into(board, out):  # type: ignore[no-untyped-def]
    """Writes `board` as the other side sees it into `out`."""
    out[0] = board[25]
    out[25] = board[0]
    out[26] = board[27]
    out[27] = board[26]
    for p in range(1, 25):
        out[p] = -board[25 - p]


def swap(packed: NDArray[np.int8]) -> NDArray[np.int8]:
    """Packed boards `int8[N, 32]` as the other side sees them. Raises SettingsError for another shape."""
    packed = array("packed", packed, np.int8, None, WIDTH)
    out = np.zeros_like(packed)
    out[:, 1:25] = -packed[:, 24:0:-1]
    out[:, 0], out[:, 25] = packed[:, 25], packed[:, 0]
    out[:, 26], out[:, 27] = packed[:, 27], packed[:, 26]
    return out
