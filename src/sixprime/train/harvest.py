"""Lessons from self-play: positions, and values better than the net's own.

Every position met, and the best plays not chosen, gets the mean over 21 rolls of the best reply's value (1-ply); of
these plays the one with the best 1-ply value is made. What the games show beyond that is added: the sum of the later
differences between 1-ply and static values, which is the outcome of the rest of the game with the luck of the dice
taken out, as in a rollout with variance reduction. A factor `trace` per turn lets far differences fade: they add more
noise than knowledge. Plans of back games last longer; there the factor is `far`. So a judgement that is wrong about a
whole plan is seen after one generation, and not only one turn earlier each time. A harvest of back games alone may
`cut` games that many turns after they have become something else; what comes then hardly counts any more.

What is added to a play is added to the plays it was chosen from, too, so that lessons of one decision differ by their
1-ply values alone: differences have no noise, however far lessons look. Or each play is followed on its own for some
turns, all plays of a decision with the same dice, and its own later differences are added, which do not fade: in the
mean, the plays are then judged that many plies deeper.

A search by an odd number of plies compares positions in which whoever made the play is on roll again. That the
differences of those are right is taught by no two plays of one decision. So the positions after the opponent's reply to
the first roll may be lessons as well (`replies`): those of one decision belong together as its plays do.

Block `b` depends only on (seed, b, nets): blocks may be made in any order, anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.values import swapped_change
from sixprime.engine.plies import classes_of
from sixprime.engine.random import hash64
from sixprime.kernels import search
from sixprime.train import selfplay

Boards = NDArray[np.int8]
Outcomes = NDArray[np.float32]
UNIT = 16384
"""Targets are kept as whole numbers, in units of 1 / UNIT."""
Look = Callable[[Boards], Outcomes]
"""1-ply outcomes `float32[N, 5]` of boards `int8[N, 32]`, both for the side on roll."""


@dataclass(frozen=True, slots=True)
class Lessons:
    """boards: `int8[N, 32]` seen by the side on roll; targets: `float32[N, 5]`, outcomes for that side.

    Targets are right in the mean only. One of them may be below 0 or above 1: to clip it would shift the mean.
    decisions: `int32[N]`, the same number for all plays of one decision, and another one for what came of them by one
    roll of the opponent's. behind: `float32[N]`, points of equity by which the play is behind the best of its decision.
    """

    boards: Boards
    targets: Outcomes
    decisions: NDArray[np.int32]
    behind: NDArray[np.float32]


class Kept(NamedTuple):
    """Lessons as files keep them. targets: `int16[N, 5]`, in units of 1 / UNIT; decisions: `int64[N]`; the others are
    those of `Lessons`."""

    boards: Boards
    targets: NDArray[np.int16]
    decisions: NDArray[np.int64]
    behind: NDArray[np.float32]

    def of(self, which: NDArray[np.bool_]) -> Kept:
        """Those of `which`, `bool[N]`."""
        return Kept(self.boards[which], self.targets[which], self.decisions[which], self.behind[which])


def packed(targets: Outcomes) -> NDArray[np.int16]:
    """Targets in whole units, as files of lessons keep them."""
    return np.asarray(np.rint(targets.clip(-1.99, 1.99) * UNIT), dtype=np.int16)


def unpacked(targets: NDArray[np.int16]) -> Outcomes:
    """What `packed` was given, `float32[N, 5]`."""
    return targets.astype(np.float32) / np.float32(UNIT)


@dataclass(frozen=True, slots=True)
class _Turn:
    """One turn of the games in progress. boards, ahead and gain (1-ply less static) are of the side on roll; the plays
    not chosen and `detour`, the static value of the play made less that of the reply the 1-ply value counted on, of the
    side that is on roll next."""

    games: NDArray[np.int64]
    learn: NDArray[np.bool_]
    boards: Boards
    ahead: Outcomes
    gain: Outcomes
    detour: Outcomes
    siblings: Boards
    siblings_ahead: Outcomes
    siblings_games: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Plays looked at, all decisions one after the other, seen by the side then on roll; and, for every decision, the
    index of its favourite by static value, of the best by 1-ply value, and of one at random where that was wanted."""

    boards: Boards
    codes: NDArray[np.int8]
    static: Outcomes
    ahead: Outcomes
    owner: NDArray[np.int64]
    favourite: NDArray[np.int64]
    best: NDArray[np.int64]
    random: NDArray[np.int64]


def play_block(
    brain: search.Brain,
    games: selfplay.SelfPlayGames,
    look: Look,
    *,
    trace: float,
    far: float,
    siblings: int,
    strays: int,
    margin: float = math.inf,
    keep: int = 0,
    cut: int = 0,
    follow: int = 0,
    replies: bool = False,
) -> Lessons:
    """Plays all of `games` to their ends and returns what is to be learnt from them.

    look: 1-ply values by `brain`. trace, far, cut (0: never): see above. keep: candidates the pruning net leaves there,
    0 all. siblings: how many of the best plays not chosen are looked at in each decision, where their static values are
    at most `margin` points of equity behind the best; strays: how many others, at random. follow: how many turns each
    play is followed on its own, where there was more than one; 0: the game's own later turns count, by trace and far.
    replies: whether, where plays are followed, the positions after the first reply are lessons, too.
    """
    turns: list[_Turn] = []
    alive, boards = np.arange(len(games.boards)), games.boards
    # Turns since a back game, far below zero before there was one; and the gain where a game is given up.
    outside = np.full(len(boards), -(10**9))
    last_gain = np.zeros((len(boards), 5), dtype=np.float32)
    static, codes = selfplay.judge(brain, boards)
    ahead = look(boards)
    for number in range(selfplay.LONGEST):
        going = codes > search.BEAROFF
        if cut:
            outside[alive] = np.where(is_back_game(boards), 0, outside[alive] + 1)
            given_up = going & (outside[alive] > cut)
            last_gain[alive[given_up]] = (ahead - static)[given_up]
            going &= ~given_up
        alive, boards, static, ahead = alive[going], boards[going], static[going], ahead[going]
        if not len(alive):
            break
        at = games.turns[alive] + number
        learn = games.random[alive] <= number
        dice = selfplay.roll_dice(games.seed, games.games[alive], at)
        draws = hash64(games.seed, games.games[alive], at + 1_000_000)
        found = _candidates(brain, boards, dice, draws, learn, look, siblings=siblings, strays=strays, margin=margin)
        made = np.where(learn, found.best, found.random)
        others = learn[found.owner] & (found.codes > search.BEAROFF)
        others[made] = False
        gain = np.where(learn[:, None], ahead - static, np.float32(0))
        counted = found.static[found.favourite]
        if keep:
            # What pruning misses would look like luck, roll after roll.
            counted = selfplay.best_plays(brain, boards, dice, keep)[1]
        detour = found.static[made] - counted
        siblings_of = found.boards[others], found.ahead[others], alive[found.owner[others]]
        turns.append(_Turn(alive, learn, boards, ahead, gain, detour, *siblings_of))
        boards, codes = found.boards[made], found.codes[made]
        static, ahead = found.static[made], found.ahead[made]
    if not follow:
        return _with_hindsight(turns, last_gain, trace, far)
    bare = _with_hindsight(turns, np.zeros_like(last_gain), trace=0, far=0)
    return _followed(brain, _with_rivals(bare), games, look, follow, keep, replies=replies)


def _candidates(
    brain: search.Brain,
    boards: Boards,
    dice: NDArray[np.int8],
    draws: NDArray[np.uint64],
    learn: NDArray[np.bool_],
    look: Look,
    *,
    siblings: int,
    strays: int,
    margin: float,
) -> _Candidates:
    """The `1 + siblings` best plays of every decision by static value, as far as they are within `margin` of the best,
    and `strays` at random; of decisions that are not to be learnt from, one at random."""
    results, offsets = kernels.legal_plays(boards, dice)
    counts = np.diff(offsets)
    static = np.empty((offsets[-1], 5), dtype=np.float32)
    codes = np.empty(offsets[-1], dtype=np.int8)
    search.judge_plays(brain, boards, dice, offsets, static, codes)
    owner = np.repeat(np.arange(len(boards)), counts)
    worth = _worth(static)
    order = np.lexsort((worth, owner))
    favourite = order[offsets[:-1]]
    near = np.zeros(offsets[-1], dtype=np.bool_)
    near[order] = (np.arange(offsets[-1]) - offsets[owner] <= siblings) & learn[owner]
    near &= worth <= worth[favourite][owner] + np.float32(margin)

    def at_random(salt: int) -> NDArray[np.int64]:
        spread = hash64(draws.astype(np.int64), salt)
        return offsets[:-1] + (spread % counts.astype(np.uint64)).astype(np.int64)

    random = np.where(learn, favourite, at_random(0))
    taken = near.copy()
    taken[favourite] = taken[random] = True
    for k in range(strays):
        taken[at_random(k + 1)[learn]] = True
    picks = np.flatnonzero(taken)
    after = kernels.swap(results[picks])
    static, codes, owner = static[picks], codes[picks], owner[picks]
    ahead = static.copy()
    unknown = codes > search.BEAROFF
    if unknown.any():
        ahead[unknown] = look(after[unknown])
    looked_at = np.where(near[picks], _worth(ahead), np.inf)
    best = np.lexsort((looked_at, owner))[np.searchsorted(owner, np.arange(len(boards)))]
    return _Candidates(
        after, codes, static, ahead, owner, np.searchsorted(picks, favourite), best, np.searchsorted(picks, random)
    )


def _worth(outcomes: NDArray[np.float32]) -> NDArray[np.float32]:
    """Money equities `float32[N]` of outcomes."""
    # Not `@`: OpenBLAS reads five columns of float32 past their end and may raise a floating point flag there.
    return np.asarray(np.einsum("nj,j->n", outcomes, selfplay.MONEY[0]))


def _with_hindsight(turns: list[_Turn], last_gain: Outcomes, trace: float, far: float) -> Lessons:
    """The lessons of all turns; from the last turn back, what happened later is added to the 1-ply values.

    last_gain: `float32[games, 5]`, 1-ply less static value where a game ended, zero where that is known.
    """
    # Of every game's turn after the one at hand: its gain, and what all turns after that add to its value.
    gain = last_gain.copy()
    hindsight = np.zeros_like(gain)
    boards, targets, decisions = [], [], []
    for number, turn in reversed([*enumerate(turns)]):
        # A position at the beginning of a turn is a play of the turn before; those of all games are told apart.
        first = len(gain) * number
        boards.append(turn.siblings)
        decisions.append(first + len(gain) + turn.siblings_games)
        targets.append(turn.siblings_ahead + hindsight[turn.siblings_games])
        factor = np.where(is_back_game(turn.boards), np.float32(far), np.float32(trace))
        change = factor[:, None] * swapped_change(turn.detour + gain[turn.games] + hindsight[turn.games])
        # A play made at random says nothing about the value of the position before it.
        change[~turn.learn] = 0
        boards.append(turn.boards[turn.learn])
        decisions.append(first + turn.games[turn.learn])
        targets.append((turn.ahead + change)[turn.learn])
        gain[turn.games], hindsight[turn.games] = turn.gain, change
    return plays(np.concatenate(boards), np.concatenate(targets), np.concatenate(decisions).astype(np.int32))


def plays(boards: Boards, targets: Outcomes, decisions: NDArray[np.int32]) -> Lessons:
    """Lessons of positions after plays."""
    return Lessons(boards, targets, decisions, behind(targets, decisions))


def behind(targets: Outcomes, decisions: NDArray[np.integer]) -> NDArray[np.float32]:
    """By how much plays are behind the best of their decisions, as in `Lessons`."""
    # What is worth least to the opponent, who is on roll, is best.
    equity = _worth(targets)
    best = np.full(int(decisions.max(initial=-1)) + 1, np.inf, dtype=np.float32)
    np.minimum.at(best, decisions, equity)
    return np.asarray(equity - best[decisions])


def _with_rivals(lessons: Lessons) -> Lessons:
    """The lessons of decisions of which there are more than one."""
    which = np.bincount(lessons.decisions)[lessons.decisions] > 1
    return plays(lessons.boards[which], lessons.targets[which], lessons.decisions[which])


def _followed(
    brain: search.Brain,
    lessons: Lessons,
    games: selfplay.SelfPlayGames,
    look: Look,
    turns: int,
    keep: int,
    *,
    replies: bool,
) -> Lessons:
    """Lessons with their own differences of 1-ply and static values of the next `turns` turns; with `replies`, the
    positions after the first of these turns, too, with those of as many turns after it.

    lessons: with 1-ply values. Plays of one decision have the same dice: its game's, at a turn of its own.
    """
    targets = lessons.targets.copy()
    alive, boards = np.arange(len(targets)), lessons.boards
    count = len(games.boards)
    decisions = lessons.decisions.astype(np.int64)
    stride = turns + replies
    game, first = games.games[decisions % count], 2_000_000 + decisions // count * stride
    answered, after, later = np.zeros(0, dtype=np.int64), boards[:0], np.zeros_like(targets)
    for turn in range(stride):
        dice = selfplay.roll_dice(games.seed, game[alive], first[alive] + turn)
        boards, static = selfplay.best_plays(brain, boards, dice, keep)
        going = classes_of(boards) > search.BEAROFF
        alive, boards, static = alive[going], boards[going], static[going]
        if not len(alive):
            break
        ahead = look(boards)
        gain = ahead - static
        swapped = swapped_change(gain)
        if turn < turns:
            targets[alive] += gain if turn % 2 else swapped
        if not turn:
            answered, after = alive, boards
            later[alive] = ahead
        else:
            later[alive] += swapped if turn % 2 else gain
    own = plays(lessons.boards, targets, lessons.decisions)
    if not replies:
        return own
    # No decision's number is as high as the first of these.
    others = own.decisions[answered] + own.decisions.max(initial=0) + 1
    return Lessons(
        np.concatenate((own.boards, after)),
        np.concatenate((targets, later[answered])),
        np.concatenate((own.decisions, others)),
        np.concatenate((own.behind, own.behind[answered])),
    )


def is_back_game(boards: Boards) -> NDArray[np.bool_]:
    """Whether a side holds two points or more in the other's home, `bool[N]`, of boards `int8[N, 32]` before the roll.

    The same as `search.is_back_game` of one board's masks, in which the nets are told apart.
    """
    mine, theirs = (boards[:, 19:25] > 1).sum(1), (boards[:, 1:7] < -1).sum(1)
    return np.asarray((mine > 1) | (theirs > 1))
