"""Lessons from self-play: positions, and values better than the net's own.

A block of games is played greedily by the present net. Every position met, and some of the plays not chosen, gets the
mean over 21 rolls of the best reply's value (1-ply). What the games show beyond that is added: the sum of later
differences between the 1-ply and the static value, which is the outcome of the rest of the game with the luck of the
dice taken out, as in a rollout with variance reduction. A factor `trace` per turn lets far differences fade. So a
judgement that is wrong about a whole plan is seen after one generation, and not only one turn earlier each time.

Block `b` depends only on (seed, b, nets): blocks may be made in any order, anywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.kernels import search
from sixprime.train import selfplay

Boards = NDArray[np.int8]
Outcomes = NDArray[np.float32]
Lookahead = Callable[[Boards], tuple[Outcomes, Boards]]

_ROLL_INDEX = np.zeros((7, 7), dtype=np.int64)
for _number, (_one, _other) in enumerate(kernels.ROLLS):
    _ROLL_INDEX[_one, _other] = _ROLL_INDEX[_other, _one] = _number


@dataclass(frozen=True, slots=True)
class Lessons:
    """boards: `int8[N, 32]` seen by the side on roll; targets: `float32[N, 5]`, outcomes for that side."""

    boards: Boards
    targets: Outcomes


@dataclass(frozen=True, slots=True)
class _Turn:
    """One turn of the games still in progress, and the plays not chosen in it, seen by the side then on roll."""

    games: NDArray[np.int64]
    learn: NDArray[np.bool_]
    boards: Boards
    ahead: Outcomes
    gain: Outcomes
    siblings: Boards
    siblings_ahead: Outcomes
    siblings_games: NDArray[np.int64]


def play_block(
    brain: search.Brain, games: selfplay.Games, look: Lookahead, *, trace: float, siblings: int, strays: int
) -> Lessons:
    """Plays all of `games` to their ends and returns what is to be learnt from them.

    look: `selfplay.look_ahead` with its brain, perhaps on several threads. siblings: how many of the best
    plays not chosen are looked at in each decision; strays: how many others, at random.
    """
    turns: list[_Turn] = []
    alive = np.flatnonzero(selfplay.codes(games.boards) > search.BEAROFF)
    while len(alive) and len(turns) < selfplay.LONGEST:
        turn, after = _play_turn(brain, games, alive, look, siblings, strays)
        turns.append(turn)
        games.boards[alive] = after
        games.turns[alive] += 1
        games.random[alive] -= 1
        alive = alive[selfplay.codes(after) > search.BEAROFF]
    return _with_hindsight(turns, len(games.boards), np.float32(trace))


def _play_turn(
    brain: search.Brain,
    games: selfplay.Games,
    alive: NDArray[np.int64],
    look: Lookahead,
    siblings: int,
    strays: int,
) -> tuple[_Turn, Boards]:
    boards = games.boards[alive]
    dice = selfplay.roll_dice(games.seed, games.games[alive], games.turns[alive])
    learn = games.random[alive] <= 0
    draws = selfplay.hash64(games.seed, games.games[alive], games.turns[alive] + 1_000_000)
    ahead, replies = look(boards)
    static, _ = selfplay.judge(brain, boards)
    after = replies[np.arange(len(boards)), _ROLL_INDEX[dice[:, 0], dice[:, 1]]]
    results, offsets = kernels.legal_plays(boards, dice)
    if not learn.all():
        pick = offsets[:-1] + (draws % np.diff(offsets).astype(np.uint64)).astype(np.int64)
        after[~learn] = kernels.swap(results[pick[~learn]])
    picks = _picks(brain, boards, dice, offsets, draws, siblings, strays)
    others = kernels.swap(results[picks])
    owner = np.searchsorted(offsets, picks, side="right") - 1
    useful = learn[owner] & (others != after[owner]).any(1) & (selfplay.codes(others) > search.BEAROFF)
    others, owner = others[useful], owner[useful]
    others_ahead = look(others)[0] if len(others) else np.zeros((0, 5), dtype=np.float32)
    gain = np.where(learn[:, None], ahead - static, np.float32(0))
    return _Turn(alive, learn, boards, ahead, gain, others, others_ahead, alive[owner]), after


def _picks(
    brain: search.Brain,
    boards: Boards,
    dice: NDArray[np.int8],
    offsets: NDArray[np.int64],
    draws: NDArray[np.uint64],
    siblings: int,
    strays: int,
) -> NDArray[np.int64]:
    """Indices of the `1 + siblings` best plays of every decision and of `strays` random ones, ascending."""
    counts = np.diff(offsets)
    outputs = np.empty((offsets[-1], 5), dtype=np.float32)
    codes = np.empty(offsets[-1], dtype=np.int8)
    search.judge_plays(brain, boards, dice, offsets, outputs, codes)
    utility = outputs @ selfplay.MONEY[0]
    owner = np.repeat(np.arange(len(boards)), counts)
    order = np.lexsort((utility, owner))
    rank = np.arange(offsets[-1]) - offsets[owner]
    picks = [order[rank <= siblings]]
    for k in range(strays):
        spread = selfplay.hash64(draws.astype(np.int64), k)
        picks.append(offsets[:-1] + (spread % counts.astype(np.uint64)).astype(np.int64))
    return np.unique(np.concatenate(picks))


def _with_hindsight(turns: list[_Turn], count: int, trace: np.float32) -> Lessons:
    """The lessons of all turns; from the last turn back, what happened later is added to the 1-ply values."""
    # Per game and of the turn after the one at hand: its gain, and what all turns after it add to its value.
    gain = np.zeros((count, 5), dtype=np.float32)
    hindsight = np.zeros((count, 5), dtype=np.float32)
    boards, targets = [], []
    for turn in reversed(turns):
        boards.append(turn.siblings)
        targets.append(turn.siblings_ahead + hindsight[turn.siblings_games])
        change = trace * _flipped_change(gain[turn.games] + hindsight[turn.games])
        # A play made at random says nothing about the value of the position before it.
        change[~turn.learn] = 0
        boards.append(turn.boards[turn.learn])
        targets.append((turn.ahead + change)[turn.learn])
        gain[turn.games], hindsight[turn.games] = turn.gain, change
    merged = np.concatenate(boards)
    return Lessons(merged, _consistent(merged, np.concatenate(targets)))


def _flipped_change(change: Outcomes) -> Outcomes:
    """A difference of outcomes as the other side sees it."""
    out = change[:, [0, 3, 4, 1, 2]]
    out[:, 0] *= -1
    return out


def _consistent(boards: Boards, targets: Outcomes) -> Outcomes:
    """Targets within the rules: no gammon once the loser has a chequer off, no more gammons than wins ..."""
    out = np.clip(targets, 0, 1)
    out[boards[:, 27] > 0, 1:3] = 0
    out[boards[:, 26] > 0, 3:5] = 0
    out[:, 1] = np.minimum(out[:, 1], out[:, 0])
    out[:, 3] = np.minimum(out[:, 3], 1 - out[:, 0])
    out[:, 2] = np.minimum(out[:, 2], out[:, 1])
    out[:, 4] = np.minimum(out[:, 4], out[:, 3])
    return out
