"""One decision without search: plays ranked by kernels, and no object made of a play before somebody looks at it.

`plies.Searcher.rank` says the same of many decisions, at any depth; this is for who waits for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import overload

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.model import CubeModel
from sixprime.cube.state import CubeState
from sixprime.cube.tree import expand_groups
from sixprime.cube.values import to_mwc, utility_weights
from sixprime.engine import value_kernel
from sixprime.engine.judge import steps_of
from sixprime.engine.plies import Searcher, cubes_of, effective, usual_cubes
from sixprime.engine.results import PlayAnalysis, brief_ranking, new_analysis
from sixprime.engine.value_kernel import Bench, Cubes, Scale
from sixprime.frozen import frozen
from sixprime.game.outcomes import Outcomes
from sixprime.game.play import new_play, new_position
from sixprime.game.position import Position
from sixprime.kernels._block import scratch_of
from sixprime.kernels.search import judge_one
from sixprime.lazy import drawn_by


class Ranking(Sequence[PlayAnalysis]):
    """The plays of one decision, best first; each is made when it is asked for, and then kept.

    about: position, dice, cube and table seen by the mover. boards, outcomes, numbers: from `value_kernel.rank`, which
    says whose they are.
    """

    __slots__ = ("_about", "_boards", "_efficiencies", "_found", "_numbers", "_outcomes", "_routes")

    def __init__(
        self,
        about: tuple[Position, tuple[int, int], CubeState, MatchEquityTable],
        boards: NDArray[np.int8],
        outcomes: NDArray[np.float64],
        numbers: NDArray[np.float64],
    ) -> None:
        self._about, self._boards, self._outcomes, self._numbers = about, boards, outcomes, numbers
        self._efficiencies: NDArray[np.float64] | None = None
        self._found: dict[int, PlayAnalysis] = {}

    def __len__(self) -> int:
        return len(self._boards)

    @overload
    def __getitem__(self, index: int) -> PlayAnalysis: ...
    @overload
    def __getitem__(self, index: slice) -> list[PlayAnalysis]: ...
    def __getitem__(self, index: int | slice) -> PlayAnalysis | list[PlayAnalysis]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        index = range(len(self))[index]
        if index not in self._found:
            self._found[index] = self._make(index)
        return self._found[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    __repr__ = brief_ranking
    _repr_html_ = drawn_by("ranking")

    def _make(self, index: int) -> PlayAnalysis:
        position, dice, cube, met = self._about
        if self._efficiencies is None:
            groups = np.zeros(len(self), dtype=np.int32)
            usual = usual_cubes((cube.swapped(),), met, True)
            self._efficiencies = effective(usual, self._outcomes, self._numbers[:, 2].copy(), groups)
            roll, parents = np.array([dice], dtype=np.int8), np.zeros(len(self), dtype=np.int64)
            self._routes = kernels.routes(packed(position)[None], roll, parents, self._boards).tobytes()
        row = self._boards[index].tolist()
        opponent = *(max(-count, 0) for count in row[24:0:-1]), row[0]
        player = *(max(count, 0) for count in row[1:25]), row[25]
        equity, cubeless, _ = self._numbers[index].tolist()
        x = float(self._efficiencies[index])
        return new_analysis(
            new_play(
                steps_of(self._routes[8 * index :][:8]), position, new_position(opponent, player, position.chequers)
            ),
            Outcomes(*self._outcomes[index].tolist()).swapped(),
            equity,
            max(0.0, float(self._numbers[0, 0]) - equity),
            cubeless,
            None if cube.money else float(to_mwc(equity, cube, met)),
            0,
            None if np.isnan(x) else x,
        )


def can_rank(searcher: Searcher, model: CubeModel) -> bool:
    """Whether `rank` says what the searcher would: with the standard databases, without noise."""
    databases = searcher.databases
    return not searcher.noise and model.plain is not None and not databases.beyond and len(databases.two_sided) == 1


def rank(
    searcher: Searcher,
    position: Position,
    dice: tuple[int, int],
    cube: CubeState,
    met: MatchEquityTable,
    model: CubeModel,
    count: int | None = None,
) -> Ranking:
    """The plays of a possible position with more than three chequers a side, best first.

    dice: the larger first; cube, model: as the mover sees them; count: how many plays are told, None for all. All
    equities are the mover's, as in `PlayAnalysis`. Raises `InvalidPositionError` for an impossible position.
    """
    works, found = judge_one(searcher.brain, packed(position), dice)
    boards, outcomes = np.empty((found, 32), dtype=np.int8), np.empty((found, 5))
    numbers = np.empty((found, 3))
    cubes, scale = _prepared(cube, met, model)
    bench: Bench = scratch_of(value_kernel.make_bench)
    pairs = searcher.databases.two_sided[0].arrays
    value_kernel.rank(pairs, cubes, scale, bench, works.plays, works.codes, works.outputs, boards, outcomes, numbers)
    about = position, dice, cube, met
    if count is not None:
        boards, outcomes, numbers = boards[:count], outcomes[:count], numbers[:count]
    return Ranking(about, boards, outcomes, numbers)


@lru_cache(maxsize=4096)
def packed(position: Position) -> NDArray[np.int8]:
    """The packed board `int8[32]` of a position, read-only. Raises `InvalidPositionError` for an impossible one."""
    position.check()
    board: NDArray[np.int8] = kernels.pack(position.board[None], position.chequers)[0]
    return frozen(board)


@lru_cache(maxsize=4096)
def _prepared(cube: CubeState, met: MatchEquityTable, model: CubeModel) -> tuple[Cubes, Scale]:
    """What the kernels need of the cube and score of a mover, seen by the side on roll after his play."""
    state = cube.swapped()
    [level] = expand_groups([[state]], 0, met, model=model.swapped(), root_double=True)
    won, lost = (0.0, 0.0) if state.money else (chances[0] for chances in state.outcomes(met))
    weights, constant = utility_weights(state, met)
    return cubes_of(level), Scale(int(state.money), won, lost, np.append(weights, constant))
