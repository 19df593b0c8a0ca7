"""`SearchJudge`: judges by a search of some plies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.checks import Instance, Maybe
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.model import CubeModel
from sixprime.cube.state import CubeState
from sixprime.cube.tree import expand_groups
from sixprime.cube.values import cubeless, money_equity, swapped, to_chances, to_equity
from sixprime.engine.filters import MoveFilter
from sixprime.engine.judge import (
    CLASS_NAMES,
    CubeRequest,
    Equities,
    PlayRequest,
    cube_analysis,
    is_near,
    packed,
)
from sixprime.engine.plies import Searcher, effective, usual_cubes
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis
from sixprime.engine.told import Told, or_none
from sixprime.game.outcomes import Outcomes
from sixprime.game.play import Play
from sixprime.game.rules import check_dice
from sixprime.game.state import MatchState
from sixprime.lazy import brief
from sixprime.progress import NOBODY, Watch

_PLAY = Maybe(Instance(Play))


@dataclass(frozen=True, slots=True)
class SearchJudge:
    """A `Judge` by search.

    searcher: over arrays of boards. model: as the side on roll at the root sees it. alike: both players are alike to
    the table, so that equal situations are judged once. plies, moves: depth, and which plays are looked at closely.
    forced: whether the only legal play is searched, too; without, it is judged statically. cube_near: as in
    `Preset`.
    """

    searcher: Searcher
    met: MatchEquityTable
    model: CubeModel
    alike: bool
    plies: int
    moves: MoveFilter
    forced: bool = True
    cube_near: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return brief(self, f"{self.plies}-ply, {self.moves.text}")

    def positions(self, requests: Sequence[CubeRequest], watch: Watch = NOBODY) -> list[Evaluation]:
        """As `Judge`."""
        boards = packed([position for position, _ in requests], watch)
        cubes, groups = self._grouped((state for _, state in requests), watch)
        levels = expand_groups([[cube] for cube in cubes], self.plies, self.met, model=self.model)
        outcomes, values = self.searcher.watched(watch).values(boards, groups, levels)
        outcomes, values = _chances(outcomes), _values(values, groups, cubes)
        efficiencies = or_none(self._effective(values[:, 0], outcomes, groups, cubes))
        codes = self.searcher.classes(boards)
        found = []
        for i, (position, _) in enumerate(watch.each(requests)):
            cube = cubes[groups[i]]
            found.append(
                Evaluation(
                    position,
                    Outcomes(*outcomes[i].tolist()),
                    float(money_equity(outcomes[i])),
                    float(to_equity(values[i, 0], cube, self.met)),
                    None if cube.money else float(values[i, 0]),
                    self.plies,
                    CLASS_NAMES[codes[i]],
                    efficiencies[i],
                )
            )
        return found

    def plays(
        self, requests: Sequence[PlayRequest], count: int | None = None, watch: Watch = NOBODY
    ) -> list[list[PlayAnalysis]]:
        """As `Judge`; a play that must be included is searched as deep as the best."""
        return self.told(requests, count, watch).analyses(watch)

    def told(self, requests: Sequence[PlayRequest], count: int | None = None, watch: Watch = NOBODY) -> Told:
        """`plays` as arrays."""
        boards = packed([request.position for request in requests], watch)
        dice = np.array([check_dice(request.dice) for request in watch.each(requests)], dtype=np.int8)
        cubes, groups = self._grouped((request.state for request in requests), watch)
        cubes = [cube.swapped() for cube in cubes]
        ranked = self.searcher.watched(watch).rank(
            boards,
            dice,
            cubes,
            groups,
            self.met,
            self.model.swapped(),
            self.moves,
            self.plies,
            search_forced=self.forced,
            wanted=lambda after, offsets: _wanted(requests, after, offsets),
        )
        which, shares = ranked.best(count)
        first, owner = np.cumsum(shares) - shares, np.repeat(np.arange(len(requests)), shares)
        equities, family = ranked.equities[which], ranked.groups[which]
        return Told(
            requests=requests,
            before=boards,
            shares=shares,
            boards=ranked.boards[which],
            routes=kernels.routes(boards, dice, owner, ranked.boards[which]),
            outcomes=_chances(swapped(ranked.probabilities[which])),
            equities=equities,
            losses=np.maximum(0.0, equities[first[owner]] - equities),
            cubeless=ranked.cubeless[which],
            chances=_chances(to_chances(equities, family, [cube.swapped() for cube in cubes], self.met)),
            efficiencies=self._effective(
                ranked.values[which], ranked.probabilities[which], family, cubes, replies=True
            ),
            plies=ranked.judged[which],
        )

    def cubes(self, requests: Sequence[CubeRequest], watch: Watch = NOBODY) -> list[CubeAnalysis]:
        """As `Judge`."""
        boards = packed([position for position, _ in requests], watch)
        cubes, groups = self._grouped((state for _, state in requests), watch)
        roots = [[cube, cube.doubled()] if cube.can_double else [cube] for cube in cubes]
        answers: dict[int, CubeAnalysis] = {}
        which = np.arange(len(requests))
        for ply, reach in (*enumerate(self.cube_near[: self.plies]), (self.plies, 0.0)):
            levels = expand_groups(roots, ply, self.met, model=self.model)
            searcher = self.searcher.watched(watch if ply == self.plies else watch.silent)
            outcomes, values = searcher.values(boards[which], groups[which], levels)
            outcomes, values = _chances(outcomes), _values(values, groups[which], cubes)
            efficiencies = or_none(self._effective(values[:, 0], outcomes, groups[which], cubes))
            near = []
            for row, i in enumerate(watch.each(which.tolist())):
                cube = cubes[groups[i]]
                held = float(to_equity(values[row, 0], cube, self.met))
                taken = None
                if cube.can_double:
                    deep = values[row, 1]
                    taken = 2 * float(deep) if cube.money else float(to_equity(deep, cube, self.met))
                if ply < self.plies and (taken is None or is_near(held, taken, reach)):
                    near.append(i)
                    continue
                worth = float(cubeless(outcomes[row], cube, self.met))
                known = Equities(Outcomes(*outcomes[row].tolist()), worth, held, taken, effective_x=efficiencies[row])
                answers[i] = cube_analysis(*requests[i], known, self.met, ply)
            which = np.array(near, dtype=np.int64)
            if not near:
                break
        return [answers[i] for i in range(len(requests))]

    def cube(self, state: MatchState) -> CubeState:
        """The cube and score of `state` seen by its player on roll."""
        return CubeState.from_match(state, alike=self.alike)

    def _grouped(self, states: Iterable[MatchState], watch: Watch) -> tuple[list[CubeState], NDArray[np.int32]]:
        """The distinct cubes of states that somebody keeps, and for each state the index of its own."""
        index: dict[CubeState, int] = {}
        # Requests share their states, often by the thousand.
        seen: dict[int, int] = {}
        groups = []
        for state in watch.each(states):
            number = seen.get(id(state))
            if number is None:
                number = seen[id(state)] = index.setdefault(self.cube(state), len(index))
            groups.append(number)
        return list(index), np.array(groups, dtype=np.int32)

    def _effective(
        self,
        values: NDArray[np.float64],
        outcomes: NDArray[np.float64],
        groups: NDArray[np.int32],
        cubes: Sequence[CubeState],
        *,
        replies: bool = False,
    ) -> NDArray[np.float64]:
        """Effective cube efficiencies of values, NaN for none; replies: where the side on roll may double."""
        return effective(usual_cubes(tuple(cubes), self.met, replies), outcomes, np.ascontiguousarray(values), groups)


def _chances(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means over rolls as chances: of what is sure they may be one bit beyond 0 or 1."""
    return means.clip(0.0, 1.0)


def _values(
    means: NDArray[np.float64], groups: NDArray[np.int32], cubes: Sequence[CubeState]
) -> NDArray[np.float64]:  # fmt: skip
    """The same of values `[N, Q]`, which are chances in matches alone."""
    money = np.array([cube.money for cube in cubes], dtype=np.bool_)[groups]
    return np.where(money[:, None], means, _chances(means))


def _wanted(
    requests: Sequence[PlayRequest], after: NDArray[np.int8], offsets: NDArray[np.int64]
) -> NDArray[np.int64]:  # fmt: skip
    """Row of the play that must be included for each request, -1 for none or an illegal one."""
    wanted = np.full(len(requests), -1, dtype=np.int64)
    for i, request in enumerate(requests):
        _PLAY("must_include", request.must_include)
        if request.must_include is not None:
            board = kernels.pack(request.must_include.result.board[None], request.position.chequers)[0]
            same = np.flatnonzero((after[offsets[i] : offsets[i + 1]] == board).all(axis=1))
            if len(same):
                wanted[i] = offsets[i] + same[0]
    return wanted
