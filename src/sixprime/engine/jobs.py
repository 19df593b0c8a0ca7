"""The works that an engine gives to a cluster, as objects that can be sent there, with the `spec` of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sixprime.cube.met import MatchEquityTable
from sixprime.cube.model import CubeModel
from sixprime.engine.filters import MoveFilter
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.engine.rollout_cubes import Root
from sixprime.engine.rollout_play import RolloutPlayer
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.engine.trials import Trials
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.progress import Stop

if TYPE_CHECKING:
    from sixprime.engine.judge import PlayRequest
    from sixprime.engine.rollout import Task
    from sixprime.engine.spec import EngineSpec

PLAYS = (1, 200, 24, 2, 1)
"""Chequer plays per task by plies: about a second of work with the normal filter."""
CUBES = (1, 400, 24, 2, 1)
"""Cube decisions per task by plies, likewise."""


class RolloutJob:
    """Trials of a rollout. spec: of an engine without noise; roots: of the alternatives."""

    def __init__(
        self,
        spec: EngineSpec,
        met: MatchEquityTable,
        roots: Sequence[Root],
        settings: RolloutSettings,
        model: CubeModel,
    ) -> None:
        self._known = spec, met, tuple(roots), settings, model
        self._players: list[RolloutPlayer] = []

    def __call__(self, task: Task, stop: Stop) -> Trials:
        """The trials of a task."""
        spec, met, roots, settings, model = self._known
        if not self._players:
            searcher = spec.engine().searcher
            self._players = [RolloutPlayer(searcher, met, root, settings, model) for root in roots]
        return self._players[task.alternative].play(task.first, task.last, stop)


@dataclass(frozen=True, slots=True)
class PlaysJob:
    """`Engine.rank_plays_many` of some decisions."""

    spec: EngineSpec
    plies: int
    filter: MoveFilter
    count: int | None
    search_forced: bool

    def __call__(self, task: Sequence[PlayRequest], stop: Stop) -> list[list[PlayAnalysis]]:
        """The answers to a task's requests."""
        how: dict[str, Any] = {"filter": self.filter, "count": self.count, "search_forced": self.search_forced}
        return self.spec.engine().rank_plays_many(task, plies=self.plies, **how, stop=stop)


@dataclass(frozen=True, slots=True)
class CubesJob:
    """`Engine.cube_many` of some decisions."""

    spec: EngineSpec
    plies: int

    def __call__(self, task: Sequence[tuple[Position, MatchState]], stop: Stop) -> list[CubeAnalysis]:
        """The answers to a task's requests."""
        return self.spec.engine().cube_many(task, plies=self.plies, stop=stop)
