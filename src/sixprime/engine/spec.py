"""What a worker needs to build an engine that judges as ours does."""

from __future__ import annotations

import hashlib
import pickle
import threading
from dataclasses import dataclass

from sixprime.bearoff import Databases
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.model import CubeModel
from sixprime.engine.cluster import Shared, WrongWorkerError
from sixprime.engine.engine import Engine
from sixprime.engine.noise import Noise
from sixprime.engine.presets import Preset
from sixprime.engine.rolls import COUNTS
from sixprime.nets.file import NetFile

_engines: dict[str, Engine] = {}
_building = threading.Lock()


@dataclass(frozen=True, slots=True)
class EngineSpec(Shared):
    """All that an engine's judgement depends on but what each call says: plies, filter, rollout settings.

    databases: points and chequers of the bear-off databases. rolls, cube_near: of the level. noise: with its seed, None
    for none.
    """

    net: NetFile
    prune: bool
    met: MatchEquityTable
    cube_model: CubeModel
    fingerprint: str
    databases: str
    rolls: int
    cube_near: tuple[float, ...]
    noise: Noise | None

    @classmethod
    def of(cls, engine: Engine, *, clear: bool = False) -> EngineSpec:
        """That of an engine; clear: without what its level changes of a search, as rollouts want it."""
        rest = (
            engine.net,
            engine.searcher.keep > 0,
            engine.met,
            engine.cube_model,
            engine.fingerprint,
            _names(engine.databases),
            COUNTS[-1] if clear else engine.level.rolls,
            () if clear else engine.level.cube_near,
            None if clear else engine.searcher.noise,
        )
        return cls(hashlib.sha256(pickle.dumps(rest, protocol=5)).hexdigest()[:24], *rest)

    def engine(self) -> Engine:
        """An engine with one thread, built on the first call. Raises WrongWorkerError when it would judge otherwise."""
        with _building:
            if self.key not in _engines:
                noise = self.noise or Noise(0.0)
                engine = Engine(
                    self.net,
                    threads=1,
                    met=self.met,
                    level=Preset(
                        "worker",
                        0,
                        noise=noise.deviation,
                        deterministic=False,
                        rolls=self.rolls,
                        cube_near=self.cube_near,
                    ),
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
