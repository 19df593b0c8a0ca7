"""The contract of everything that decides by itself: many decisions at a time, as the side on roll sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sixprime.cube.met import MatchEquityTable
from sixprime.cube.state import CubeState
from sixprime.progress import NOBODY, Stop


@dataclass(frozen=True, slots=True)
class Asked:
    """Decisions: boards `int8[N, 32]`, packed, and for each the index `int32[N]` of its state, both seen by the
    side on roll. stop: is set when nobody wants the answers any more; a bot that looks at it raises StoppedError.
    players: who is on roll, `int64[N]` of 0 and 1, where the states do not tell them apart."""

    boards: NDArray[np.int8]
    states: Sequence[CubeState]
    groups: NDArray[np.int32]
    stop: Stop = NOBODY
    players: NDArray[np.int64] | None = None

    def of(self, which: NDArray[np.int64]) -> Asked:
        """Some of the decisions."""
        players = None if self.players is None else self.players[which]
        return Asked(self.boards[which], self.states, self.groups[which], self.stop, players)

    def by(self, met: MatchEquityTable) -> Asked:
        """The same, with states that tell the players apart where they are not alike to this table."""
        if self.players is None or met.is_symmetric:
            return self
        states = [replace(state, player=0 if state.money else player) for state in self.states for player in (0, 1)]
        return replace(self, states=states, groups=(2 * self.groups + self.players).astype(np.int32), players=None)


class Bot(Protocol):
    """A program that decides."""

    @property
    def name(self) -> str:
        """How it is called in results."""

    @property
    def identity(self) -> str:
        """All that its decisions depend on."""

    @property
    def room(self) -> int:
        """How many games at a time suit it."""

    @property
    def waits(self) -> bool:
        """Whether it computes elsewhere, so that others may work meanwhile."""

    def check(self, state: CubeState) -> None:
        """Raises `SettingsError` when it cannot play games that start like this."""

    def plays(self, asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        """Boards `int8[N, 32]` after the chosen plays of `dice`, `int8[N, 2]`, seen by the side then on roll."""

    def doubles(self, asked: Asked) -> NDArray[np.bool_]:
        """Whether the side on roll doubles, who may."""

    def takes(self, asked: Asked) -> NDArray[np.bool_]:
        """Whether the opponent of the side on roll takes its double; the cube is as before it."""

    def close(self) -> None:
        """Ends what was started."""


def distinct(asked: Asked, dice: NDArray[np.int8] | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices of the distinct decisions, and for each decision its index among them; twins in a pair are common."""
    keyed = asked.boards.copy()
    keyed[:, 28:30] = asked.groups.astype(np.int16).view(np.int8).reshape(-1, 2)
    if dice is not None:
        keyed[:, 30:32] = dice
    _, first, inverse = np.unique(keyed.view(np.dtype((np.void, 32))).ravel(), return_index=True, return_inverse=True)
    return first, inverse
