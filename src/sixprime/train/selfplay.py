"""Self-play in lockstep: many games advance together, one batch of decisions at a time.

Dice and start positions of game `g` depend only on (seed, g), so a run that is stopped and resumed makes
the same games. Games end where the rules or the bear-off database decide them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.values import MONEY_WEIGHTS, swapped
from sixprime.engine.plies import classes_of
from sixprime.engine.random import hash64
from sixprime.game.position import Position
from sixprime.kernels import search
from sixprime.kernels.replies import best_replies
from sixprime.train import starts

MONEY = MONEY_WEIGHTS[None].astype(np.float32)
"""Utility of cubeless money play."""
LONGEST = 500
"""Turns after which a game is given up; self-play of untrained nets can go round in circles."""
RANDOM = 16
"""As many turns at the start of a game may be played at random."""


def roll_dice(seed: int, games: NDArray[np.int64], turns: NDArray[np.int64]) -> NDArray[np.int8]:
    """Dice `int8[G, 2]` of each game's turn."""
    faces = (hash64(seed, games, turns) >> np.uint64(11)) % np.uint64(36)
    return np.stack((faces // np.uint64(6) + np.uint64(1), faces % np.uint64(6) + np.uint64(1)), axis=1).astype(np.int8)


@dataclass
class SelfPlayGames:
    """Games in progress. boards: `int8[G, 32]` seen by the side on roll; random: turns still played at random."""

    seed: int
    boards: NDArray[np.int8]
    games: NDArray[np.int64]
    turns: NDArray[np.int64]
    random: NDArray[np.int64]
    started: int
    variety: float
    rare: float
    mix: str = "all"

    @classmethod
    def new(
        cls, seed: int, count: int, variety: float, rare: float = 0.0, first: int = 0, mix: str = "all"
    ) -> SelfPlayGames:
        """`count` fresh games, numbered from `first`.

        variety: share that starts from Nackgammon's position or with random plays; rare: share that starts from a
        position of `starts`, of the kinds of `mix`.
        """
        zeros = np.zeros(count, dtype=np.int64)
        boards = np.zeros((count, 32), dtype=np.int8)
        fresh = cls(seed, boards, zeros, zeros.copy(), zeros.copy(), first, variety, rare=rare, mix=mix)
        fresh._start(np.arange(count))
        return fresh

    def _start(self, which: NDArray[np.int64]) -> None:
        count = len(which)
        numbers = np.arange(self.started, self.started + count)
        self.started += count
        draw = hash64(self.seed, numbers, -1)
        other = (draw % np.uint64(1000)) < np.uint64(round(1000 * self.variety))
        nack = other & ((draw >> np.uint64(20)) % np.uint64(4) == 0)
        usual = kernels.pack(np.stack([Position.start(v).board for v in ("standard", "nackgammon")]))
        self.boards[which] = usual[nack.astype(np.int64)]
        self.games[which] = numbers
        self.turns[which] = 0
        length = (draw >> np.uint64(30)) % np.uint64(RANDOM) + np.uint64(1)
        self.random[which] = np.where(other, length.astype(np.int64), 0)
        rare = (draw >> np.uint64(40)) % np.uint64(1000) < np.uint64(round(1000 * self.rare))
        if rare.any():
            self.boards[which[rare]] = starts.starts(self.seed, numbers[rare], self.mix)
            self.random[which[rare]] = 0

    def dice(self) -> NDArray[np.int8]:
        """The roll of every game's turn, `int8[G, 2]`."""
        return roll_dice(self.seed, self.games, self.turns)

    def random_plays(self, dice: NDArray[np.int8]) -> tuple[NDArray[np.int64], NDArray[np.int8]]:
        """Indices of the games that play at random this turn, and their boards after it."""
        which = np.flatnonzero(self.random > 0)
        results, offsets = kernels.legal_plays(self.boards[which], dice[which])
        draw = hash64(self.seed, self.games[which], self.turns[which] + 1_000_000)
        pick = offsets[:-1] + (draw % np.diff(offsets).astype(np.uint64)).astype(np.int64)
        return which, kernels.swap(results[pick])

    def advance(self, boards: NDArray[np.int8]) -> None:
        """Takes the boards after this turn, `int8[G, 32]`, and starts new games for those that are decided."""
        self.boards[:] = boards
        self.turns += 1
        self.random = np.maximum(self.random - 1, 0)
        code = classes_of(self.boards)
        self._start(np.flatnonzero((code <= search.BEAROFF) | (self.turns > LONGEST)))


def best_plays(
    brain: search.Brain, boards: NDArray[np.int8], dice: NDArray[np.int8], keep: int = 0
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """The best play of one roll each. Returns boards `int8[N, 32]` and outcomes `float32[N, 5]`, both for the
    side then on roll."""
    chosen, outputs, _ = best_replies(brain, boards, dice[:, None, :], MONEY, keep)
    return chosen[:, 0], outputs[:, 0]


def judge(brain: search.Brain, boards: NDArray[np.int8]) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Static outcomes `float32[N, 5]` and class codes `int8[N]` for the side on roll."""
    outputs = np.empty((len(boards), 5), dtype=np.float32)
    found = np.empty(len(boards), dtype=np.int8)
    search.judge(brain, boards, outputs, found)
    return outputs, found


def lookahead(brain: search.Brain, boards: NDArray[np.int8], keep: int = 0) -> NDArray[np.float32]:
    """1-ply outcomes `float32[N, 5]` for the side on roll: the mean over 21 rolls of the best play's value."""
    weights = (kernels.ROLL_WEIGHTS / 36).astype(np.float32)
    _, outputs, _ = best_replies(brain, boards, kernels.ROLLS[None], MONEY, keep)
    return np.asarray(np.einsum("r,nrj->nj", weights, swapped(outputs)), dtype=np.float32)
