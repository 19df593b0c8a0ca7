"""The games of a duel in lockstep: arrays with a row for each, all of them one turn further at a time.

The same rules as those of `Table`, turn by turn (`tests/test_game_table.py`), for thousands of games at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.state import CubeState
from sixprime.engine.random import hash64
from sixprime.game.position import Position
from sixprime.players.bot import Asked


@dataclass(slots=True)
class DuelGames:
    """Games in progress, one row each; seats are 0 and 1, and `seat` is that of player A.

    start: cube and score at the beginning. seed: of the dice, which depend on pair, number and turn as well. first:
    the position before the opening roll.
    """

    start: CubeState
    seed: int
    first: Position
    pair: NDArray[np.int64]
    seat: NDArray[np.int64]
    boards: NDArray[np.int8]  # seen by the side on roll
    on_roll: NDArray[np.int64]
    turn: NDArray[np.int64]
    number: NDArray[np.int64]  # of the game within its match
    cube: NDArray[np.int64]
    owner: NDArray[np.int64]  # seat, -1 centred
    away: NDArray[np.int64]  # [N, 2] points that each seat needs, 0 for money
    crawford: NDArray[np.bool_]
    luck: NDArray[np.float64]  # of seat 0 so far
    result: NDArray[np.float64]  # of seat 0, NaN while it goes on

    @classmethod
    def new(
        cls, start: CubeState, seed: int, which: Sequence[tuple[int, int]], first: Position | None = None
    ) -> DuelGames:
        """Fresh games of these pairs and seats of A."""
        count = len(which)
        pair, seat = np.array(which, dtype=np.int64).reshape(count, 2).T.copy()
        zeros = np.zeros(count, dtype=np.int64)
        games = cls(
            start,
            seed,
            first or Position.start(),
            pair,
            seat,
            np.empty((count, 32), dtype=np.int8),
            on_roll=zeros,
            turn=zeros.copy(),
            number=zeros.copy(),
            cube=zeros.copy(),
            owner=zeros.copy(),
            away=np.full((count, 2), start.away, dtype=np.int64),
            crawford=np.zeros(count, dtype=np.bool_),
            luck=np.zeros(count),
            result=np.full(count, np.nan),
        )
        games._set_up(np.arange(count))
        return games

    def __len__(self) -> int:
        return len(self.pair)

    def take(self, which: NDArray[Any]) -> DuelGames:
        """The games of an index or mask."""
        return DuelGames(self.start, self.seed, self.first, *(array[which] for array in self._arrays()))

    def joined(self, more: DuelGames) -> DuelGames:
        """These games and others of the same duel."""
        both = zip(self._arrays(), more._arrays(), strict=True)
        return DuelGames(self.start, self.seed, self.first, *(np.concatenate(pair) for pair in both))

    def _arrays(self) -> list[NDArray[Any]]:
        return [getattr(self, field.name) for field in fields(self)[3:]]

    def _set_up(self, which: NDArray[np.int64]) -> None:
        """The position before the opening roll, which says who begins."""
        self.boards[which] = kernels.pack(self.first.board[None])
        self.turn[which], self.cube[which], self.owner[which] = 0, 1, -1
        dice = self.opening(which)
        self.on_roll[which] = (dice[:, 0] < dice[:, 1]).astype(np.int64)

    def opening(self, which: NDArray[np.int64]) -> NDArray[np.int8]:
        """The die of each seat, `int8[N, 2]`, never equal."""
        faces = (hash64(self.seed, self.pair[which], self.number[which], -1) >> np.uint64(11)) % np.uint64(30)
        first, second = faces // np.uint64(5), faces % np.uint64(5)
        return np.stack((first + 1, second + 1 + (second >= first)), axis=1).astype(np.int8)

    def dice(self) -> NDArray[np.int8]:
        """The roll of every game's turn, `int8[N, 2]`."""
        faces = (hash64(self.seed, self.pair, self.number, self.turn) >> np.uint64(11)) % np.uint64(36)
        dice = np.stack((faces // np.uint64(6), faces % np.uint64(6)), axis=1).astype(np.int8) + np.int8(1)
        first = np.flatnonzero(self.turn == 0)
        dice[first] = self.opening(first)
        return dice

    def asked(self, which: NDArray[np.int64], *, other: bool = False) -> Asked:
        """Boards and states of some games as the side on roll sees them; other: as if the other side were.

        To match equity tables A is player 0, in whichever seat.
        """
        mine = self.on_roll[which] ^ int(other)
        owner = self.owner[which]
        keys = np.stack(
            (
                self.cube[which],
                np.where(owner < 0, 0, np.where(owner == mine, 1, -1)),
                self.away[which, mine],
                self.away[which, 1 - mine],
                self.crawford[which],
            ),
            axis=1,
        )
        distinct, groups = np.unique(keys, axis=0, return_inverse=True)
        states = [
            replace(self.start, cube=cube, owner=owner, away=(mine, theirs), crawford=bool(crawford))
            for cube, owner, mine, theirs, crawford in distinct.tolist()
        ]
        players = mine ^ self.seat[which]
        return Asked(self.boards[which], states, groups.reshape(-1).astype(np.int32), players=players)

    def turn_cube(self, which: NDArray[np.int64]) -> None:
        """The double of the side on roll is taken."""
        self.cube[which] *= 2
        self.owner[which] = 1 - self.on_roll[which]

    def finish(self, which: NDArray[np.int64], winner: NDArray[np.int64], points: NDArray[np.int64]) -> None:
        """Games that end with so many times the cube; a match goes on with its next game."""
        sign = np.where(winner == 0, 1.0, -1.0)
        if self.start.money:
            if self.start.jacoby:
                points = np.where(self.owner[which] < 0, 1, points)
            self.result[which] = sign * points * self.cube[which]
            return
        before = self.away[which]
        rows = np.arange(len(which))
        after = before.copy()
        after[rows, winner] = np.maximum(after[rows, winner] - points * self.cube[which], 0)
        self.away[which] = after
        self.crawford[which] = (after[rows, winner] == 1) & (before.min(axis=1) > 1)
        won = after[rows, winner] == 0
        self.result[which[won]] = sign[won] / 2
        on = which[~won]
        self.number[on] += 1
        self._set_up(on)


def points_of(boards: NDArray[np.int8]) -> NDArray[np.int64]:
    """What games are worth in which the side that has just moved has borne off everything; seen by the other."""
    gammon = boards[:, 26] == 0
    deep = (boards[:, 19:26] > 0).any(axis=1)
    return np.asarray(1 + gammon + (gammon & deep), dtype=np.int64)
