"""Search: n-ply values of many positions at once, breadth first.

A level holds all positions of a batch at the same depth. One kernel call finds the best reply of all 21
rolls of all of them; values come back level by level as means over the rolls, with the cube turned where
that is right (`cube.tree`). Replies inside the tree are chosen by cubeless equity at the score.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.bearoff import TwoSided
from sixprime.cube.janowski import efficiency, utility_weights
from sixprime.cube.tree import Level
from sixprime.kernels import search

_WEIGHTS = kernels.ROLL_WEIGHTS / 36.0
_POINTS = np.arange(1, 26, dtype=np.int64)
CHUNK = {0: 16384, 1: 1024, 2: 64, 3: 8, 4: 1}
"""Positions per task by plies: some ten thousand leaves, about 10 MB."""
JACOBY_GAMMONS = 0.7
"""Weight of gammons in replies while the cube is centred under the Jacoby rule: it may yet be turned."""


@dataclass(frozen=True, slots=True)
class Searcher:
    """What a search needs. keep: candidates the pruning net leaves at inner nodes, 0 for no pruning."""

    brain: search.Brain
    two_sided: TwoSided
    keep: int
    threads: int
    pool: ThreadPoolExecutor | None

    def judge(self, boards: NDArray[np.int8]) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
        """Static outcomes `float64[N, 5]` and classes `int8[N]` of boards `int8[N, 32]`."""
        outputs = np.empty((len(boards), 5), dtype=np.float32)
        codes = np.empty(len(boards), dtype=np.int8)
        search.judge(self.brain, boards, outputs, codes)
        return outputs.astype(np.float64), codes

    def values(
        self,
        boards: NDArray[np.int8],
        groups: NDArray[np.int32],
        levels: list[Level],
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Outcomes `[N, 5]` and values `[N, Q]` of positions, `len(levels) - 1` plies deep.

        boards: `int8[N, 32]`, seen by the side on roll; groups: `int32[N]`, whose states `levels` hold.
        """
        size = CHUNK[len(levels) - 1]
        parts = [slice(i, i + size) for i in range(0, len(boards), size)]

        def work(part: slice) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            outputs, codes = self.judge(boards[part])
            return self._descend(boards[part], outputs, codes, groups[part], levels, 0)

        results = []
        for result in self.pool.map(work, parts) if self.pool and len(parts) > 1 else map(work, parts):
            results.append(result)
            if progress:
                progress(min(len(results) * size, len(boards)), len(boards))
        if not results:
            return np.empty((0, 5)), np.empty((0, levels[0].keep.shape[1]))
        return np.concatenate([r[0] for r in results]), np.concatenate([r[1] for r in results])

    def static(
        self,
        boards: NDArray[np.int8],
        outputs: NDArray[np.float64],
        codes: NDArray[np.int8],
        groups: NDArray[np.int32],
        level: Level,
    ) -> NDArray[np.float64]:
        """Values `[N, Q]` without search."""
        inside = codes == search.BEAROFF
        exact = None
        if inside.any():
            found = self.two_sided.equities(boards[inside])
            if not np.isnan(found[:, 0]).all():
                exact = np.full((len(boards), 4), np.nan)
                exact[inside] = found
        x = efficiency(codes, pips(boards))
        return level.choose(level.evaluate(outputs, x, groups, exact=exact), groups)

    def roll_values(
        self, boards: NDArray[np.int8], groups: NDArray[np.int32], levels: list[Level]
    ) -> NDArray[np.float64]:
        """Static values `[N, 21]` of the best play of every roll, for the side on roll; `levels`: two of one state."""
        chosen, replies = self._replies(boards, _reply_weights(levels[1])[groups], 0)
        codes = np.empty(len(chosen), dtype=np.int8)
        search.classify(chosen, codes)
        family = np.repeat(groups, 21).astype(np.int32)
        values = self.static(chosen, replies, codes, family, levels[1])
        return levels[0].from_children(values, family)[:, 0].reshape(-1, 21)

    def _replies(
        self, boards: NDArray[np.int8], weights: NDArray[np.float32], keep: int
    ) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
        """Boards `[N * 21, 32]` after the best play of every roll, and their outcomes, for the side then on roll."""
        chosen = np.zeros((len(boards), 21, 32), dtype=np.int8)
        replies = np.empty((len(boards), 21, 5), dtype=np.float32)
        search.best_replies(self.brain, boards, kernels.ROLLS[None], weights, keep, chosen, replies)
        return chosen.reshape(-1, 32), replies.reshape(-1, 5).astype(np.float64)

    def _descend(
        self,
        boards: NDArray[np.int8],
        outputs: NDArray[np.float64],
        codes: NDArray[np.int8],
        groups: NDArray[np.int32],
        levels: list[Level],
        depth: int,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Outcomes and values at `depth`; outputs and codes are the positions' static ones."""
        level = levels[depth]
        go_on = np.zeros(len(boards), dtype=bool)
        if depth < len(levels) - 1:
            # Step 1. What is known exactly is not searched: finished games, and two-sided ends for money.
            go_on = codes != search.OVER
            ends = np.flatnonzero(codes == search.BEAROFF)
            if len(ends):
                money = level.total[groups[ends]] == 0
                known = ~np.isnan(self.two_sided.equities(boards[ends])[:, 0])
                go_on[ends[money & known]] = False
        stop = ~go_on
        outputs = outputs.copy()
        values = np.empty((len(boards), level.keep.shape[1]))
        if stop.any():
            values[stop] = self.static(boards[stop], outputs[stop], codes[stop], groups[stop], level)
        if not go_on.any():
            return outputs, values

        # Step 2. The best reply of every roll.
        parents, family = boards[go_on], groups[go_on]
        children, child_outputs = self._replies(parents, _reply_weights(levels[depth + 1])[family], self.keep)
        child_groups = np.repeat(family, 21).astype(np.int32)
        inverse = None
        if depth + 1 < len(levels) - 1:
            # Step 3. Several rolls lead to the same position: search it once.
            first, inverse = _distinct(children, child_groups)
            children, child_groups, child_outputs = children[first], child_groups[first], child_outputs[first]
        child_codes = np.empty(len(children), dtype=np.int8)
        search.classify(children, child_codes)
        deep, child_values = self._descend(children, child_outputs, child_codes, child_groups, levels, depth + 1)
        if inverse is not None:
            deep, child_values = deep[inverse], child_values[inverse]

        # Step 4. Means over the rolls, seen by the other side.
        outputs[go_on] = swap_outcomes(_means(deep))
        values[go_on] = level.from_children(_means(child_values), family)
        return outputs, values


def _means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means `[N, K]` over the rolls of `[N * 21, K]`, added in the same order for any N and K."""
    rolls = values.reshape(-1, 21, values.shape[1])
    total: NDArray[np.float64] = rolls[:, 0] * _WEIGHTS[0]
    for roll in range(1, 21):
        total += rolls[:, roll] * _WEIGHTS[roll]
    return total


def swap_outcomes(outputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Outcomes `[N, 5]` as the other side sees them."""
    swapped = outputs[:, [0, 3, 4, 1, 2]]
    swapped[:, 0] = 1.0 - swapped[:, 0]
    return swapped


def pips(boards: NDArray[np.int8]) -> NDArray[np.int64]:
    """Pip counts `int64[N]` of the side on roll."""
    return np.asarray(np.maximum(boards[:, 1:26], 0) @ _POINTS)


def _distinct(
    boards: NDArray[np.int8], groups: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # fmt: skip
    """Indices of the distinct (board, group) pairs, and for each pair its index among them."""
    keyed = boards.copy()
    keyed[:, 28:32] = groups.astype(np.int32).view(np.int8).reshape(-1, 4)
    rows = keyed.view(np.dtype((np.void, 32))).ravel()
    _, first, inverse = np.unique(rows, return_index=True, return_inverse=True)
    return first, inverse


def _reply_weights(below: Level) -> NDArray[np.float32]:
    """Utility `float32[G, 5]` of outcomes to the side on roll at the level below, by its first state."""
    rows = []
    for columns in below.columns:
        state = below.table.states[columns[0]]
        weights, _ = utility_weights(state, below.table.met)
        if state.money and not state.gammons_count:
            weights = np.array([2.0, 1.0, 1.0, -1.0, -1.0]) * [1.0, *4 * [JACOBY_GAMMONS]]
        rows.append(weights)
    return np.array(rows, dtype=np.float32)
