"""The works that an engine gives to a cluster, as objects that can be sent there.

On a worker, an engine is built from its description once, and used by all tasks.
"""

from __future__ import annotations

import hashlib
import pickle
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sixprime.bearoff import Databases
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.model import CubeModel
from sixprime.engine.cluster import Shared, WrongWorkerError
from sixprime.engine.filters import MoveFilter
from sixprime.engine.noise import Noise
from sixprime.engine.presets import Preset
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.engine.rollout_play import RolloutPlayer, Root, Trials
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.nets.file import NetFile
from sixprime.progress import Stop

if TYPE_CHECKING:
    from sixprime.engine.engine import Engine
    from sixprime.engine.judge import PlayRequest
    from sixprime.engine.rollout import Task

PLAYS = (1, 200, 24, 2, 1)
"""Chequer plays per task by plies: about a second of work with the normal filter."""
CUBES = (1, 400, 24, 2, 1)
"""Cube decisions per task by plies, likewise."""

_engines: dict[str, Engine] = {}
_building = threading.Lock()


@dataclass(frozen=True, slots=True)
class EngineSpec(Shared):
    """All that an engine's judgement depends on but what each call says: plies, filter, rollout settings.

    databases: points and chequers of the bear-off databases. noise: with its seed, None for none.
    """

    net: NetFile
    prune: bool
    met: MatchEquityTable
    cube_model: CubeModel
    fingerprint: str
    databases: str
    noise: Noise | None

    @classmethod
    def of(cls, engine: Engine, *, clear: bool = False) -> EngineSpec:
        """That of an engine; clear: without its noise."""
        rest = (
            engine.net,
            engine.searcher.keep > 0,
            engine.met,
            engine.cube_model,
            engine.fingerprint,
            _names(engine.databases),
            None if clear else engine.searcher.noise,
        )
        return cls(hashlib.sha256(pickle.dumps(rest, protocol=5)).hexdigest()[:24], *rest)

    def engine(self) -> Engine:
        """An engine with one thread, built on the first call. Raises WrongWorkerError when it would judge otherwise."""
        from sixprime.engine.engine import Engine

        with _building:
            if self.key not in _engines:
                noise = self.noise or Noise(0.0)
                engine = Engine(
                    self.net,
                    threads=1,
                    met=self.met,
                    level=Preset("worker", 0, noise=noise.deviation, deterministic=False),
                    prune=self.prune,
                    noise_seed=noise.seed,
                    cube_model=self.cube_model,
                )
                if engine.fingerprint != self.fingerprint:
                    raise WrongWorkerError(engine.fingerprint)
                if _names(engine.databases) != self.databases:
                    raise WrongWorkerError(f"the bear-off databases {_names(engine.databases)}, not {self.databases}")
                _engines.clear()
                _engines[self.key] = engine
            return _engines[self.key]


def _names(databases: Databases) -> str:
    # Those of the race nets are built on first use; alone they change nothing.
    sides = [databases.one_sided, *(databases.wider if databases.beyond else ())]
    named = [f"one-sided {side.points}x{side.chequers}" for side in sides]
    return ", ".join([*named, *(f"two-sided {pair.points}x{pair.chequers}" for pair in databases.two_sided)])


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
        return self.spec.engine().rank_plays_many(
            task, plies=self.plies, filter=self.filter, count=self.count, search_forced=self.search_forced
        )


@dataclass(frozen=True, slots=True)
class CubesJob:
    """`Engine.cube_many` of some decisions."""

    spec: EngineSpec
    plies: int

    def __call__(self, task: Sequence[tuple[Position, MatchState]], stop: Stop) -> list[CubeAnalysis]:
        """The answers to a task's requests."""
        return self.spec.engine().cube_many(task, plies=self.plies)
