"""The one judge of luck in duels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.tree import expand_groups
from sixprime.cube.values import MONEY_WEIGHTS
from sixprime.engine import Engine
from sixprime.engine.engine import SEARCH
from sixprime.engine.plies import classes_of
from sixprime.players.bot import Asked, distinct
from sixprime.players.engine import ROOM, Workers, best_replies, by_table
from sixprime.progress import Watch


class Evaluator:
    """The one judge of luck: the value of every roll, its best reply chosen by a static net and judged at `plies`.

    The pruning net leaves few replies to the main net: cheaper, and what is taken away still has the mean zero, for it
    is the same function of position and roll whoever plays.
    """

    def __init__(self, engine: Engine, plies: int = 0, keep: int = 4) -> None:
        self.engine, self.plies, self.keep = engine, plies, keep
        self.identity = f"sixprime {engine.net.checksum} scout {keep} {plies}-ply search {SEARCH}"
        self.identity += by_table(engine.met)
        self.room = ROOM[plies]
        self._workers = Workers(engine.threads)

    def rolls(self, asked: Asked) -> NDArray[np.float64]:
        """Values `float64[N, 21]` of the 21 rolls to the side that rolls.

        Money: equity in units of the cube. Match: its match-winning chance.
        """
        asked = asked.by(self.engine.met)
        first, inverse = distinct(asked)
        asked = asked.of(first)
        states = [state.swapped() for state in asked.states]
        chosen, outputs = best_replies(self.engine.brain, self._workers, asked, kernels.ROLLS[None], self.keep)
        if not self.plies and not any(state.limit > 1 for state in states):
            equity = (outputs.astype(np.float64) * MONEY_WEIGHTS).sum(axis=2)
            return np.asarray((1.0 - equity)[inverse])
        levels = expand_groups([[state] for state in states], self.plies, self.engine.met, root_double=True)
        boards = chosen.reshape(-1, 32)
        groups = np.repeat(asked.groups, 21).astype(np.int32)
        searcher = replace(self.engine.searcher, watch=Watch(stop=asked.stop))
        if self.plies:
            _, values = searcher.values(boards, groups, levels)
        else:
            static = outputs.reshape(-1, 5).astype(np.float64)
            values = searcher.static(boards, static, classes_of(boards), groups, levels[0])
        total = np.array([0.0 if state.money else 1.0 for state in states])
        return np.asarray((total[groups] - values[:, 0]).reshape(-1, 21)[inverse])
