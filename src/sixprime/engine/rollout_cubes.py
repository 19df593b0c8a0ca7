"""The cubes that the games of a rollout can have."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sixprime.cube.fitted import DEFAULT
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.model import CubeModel
from sixprime.cube.state import CubeState
from sixprime.cube.tree import Level, expand_groups
from sixprime.engine.plies import cubes_of


@dataclass(frozen=True, slots=True)
class Root:
    """Where the games of one alternative begin.

    board: packed, seen by the player on roll. cube: as he sees it. played: whether a play leads here, whose outcome is
    asked for by the other one; the one on roll may then double before his first roll.
    """

    board: NDArray[np.int8]
    cube: CubeState
    played: bool


class CubeTable:
    """The cube states that games from a root can reach, as each side sees them when it is on roll.

    Group 0 is the cube as it lies at the root; 2k - 1 is the cube doubled k times and owned by side 0, 2k by side 1.
    The kernels know cube efficiencies only: by a model without them the cube is turned and cut games are judged, luck
    and plays without search are the default model's.
    """

    def __init__(self, root: CubeState, met: MatchEquityTable, model: CubeModel = DEFAULT) -> None:
        self.plain = model.plain is not None
        groups = [(root, 0)]
        cube, doublings = root.cube, 0
        while 2 * cube <= root.limit and (root.money or cube < max(root.away)):
            cube, doublings = 2 * cube, doublings + 1
            groups += [(replace(root, cube=cube, owner=owner), doublings) for owner in (1, -1)]
        self.met = met
        self.models = (model, model.swapped())
        self.money = root.money
        self.ratios = np.array([2.0**k for _, k in groups]) if root.money else np.ones(len(groups))
        self.states = ([state for state, _ in groups], [state.swapped() for state, _ in groups])
        swift = self.models if self.plain else (DEFAULT, DEFAULT.swapped())
        self.cubes = tuple(cubes_of(self._level(side, swift[side])) for side in (0, 1))
        self._decisions: dict[tuple[int, int], list[Level]] = {}
        self._values: dict[tuple[int, int], list[Level]] = {}

    def _level(self, side: int, model: CubeModel) -> Level:
        return expand_groups([[state] for state in self.states[side]], 0, self.met, model=model, root_double=True)[0]

    def decisions(self, side: int, plies: int) -> list[Level]:
        """Levels that judge both branches of `side`'s cube decisions."""
        if (side, plies) not in self._decisions:
            roots = [[state, state.doubled()] if state.can_double else [state] for state in self.states[side]]
            self._decisions[side, plies] = expand_groups(roots, plies, self.met, model=self.models[side])
        return self._decisions[side, plies]

    def values(self, side: int, plies: int) -> list[Level]:
        """Levels that judge positions with `side` on roll, who may double."""
        if (side, plies) not in self._values:
            roots = [[state] for state in self.states[side]]
            self._values[side, plies] = expand_groups(roots, plies, self.met, model=self.models[side], root_double=True)
        return self._values[side, plies]

    def turned(self, groups: NDArray[np.int32], side: int) -> NDArray[np.int32]:
        """The groups after a double by `side` that is taken."""
        return 2 * (self.takes(groups) + 1) - side

    @staticmethod
    def takes(groups: NDArray[np.int32]) -> NDArray[np.int32]:
        """How often the cube has been taken since the root."""
        return (groups + 1) // 2
