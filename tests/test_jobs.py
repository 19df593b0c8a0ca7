"""Work for elsewhere has the same bits, here on workers that know nothing but what is sent to them."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Generator, Iterable
from dataclasses import replace
from typing import Any

import pytest
from same_results import same

from sixprime import Engine, MatchState, Position
from sixprime.engine import PlayRequest, Preset, RolloutSettings, jobs
from sixprime.engine.spec import EngineSpec
from sixprime.errors import EngineError, StoppedError
from sixprime.progress import NOBODY, Watch

STATE = MatchState(length=7, score=(3, 5))
CUBES = [(Position.start(), STATE), (Position.from_id("mGfwATDgc/ABMA"), STATE)]


class Far:
    """Does tasks from the last to the first, each by a job that has travelled."""

    def __init__(self) -> None:
        self.tasks = 0

    def map(self, function: Any, tasks: Iterable[Any], watch: Watch = NOBODY) -> Generator[tuple[int, Any], None, None]:
        for index, task in reversed(list(enumerate(tasks))):
            self.tasks += 1
            job, sent = pickle.loads(pickle.dumps((function, task)))
            yield index, job(sent, watch)

    def close(self) -> None: ...


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch) -> Far:
    for name in ("PLAYS", "CUBES"):
        monkeypatch.setattr(jobs, name, (1,) * 5)
    monkeypatch.setattr("sixprime.engine.spec._engines", {})
    return Far()


def test_searches_have_the_same_bits(far: Far) -> None:
    """Noise and its seed, filters, fewer rolls, search without pruning and rollouts after the search are sent, too."""
    quick = RolloutSettings(trials=36, truncation=2, branches=1)
    own = {"noise": 0.05, "deterministic": False, "prune": False, "rollout": quick, "rolls": 7, "cube_near": (1.4,)}
    level = Preset("noisy", 2, "tiny", **own)  # type: ignore[arg-type]
    near = Engine(threads=1, level=level, noise_seed=7)
    away = near.on(far)
    seen: list[tuple[int, int]] = []
    searched = away.cube_many(CUBES, plies=2, progress=lambda step: seen.append(step[:2]))
    assert searched == near.cube_many(CUBES, plies=2)
    assert searched != Engine(threads=1, level=level, noise_seed=8).cube_many(CUBES, plies=2)
    assert {cube.plies for cube in searched} == {0, 2}
    assert (far.tasks, seen) == (2, [(1, 2), (2, 2)])
    requests = [PlayRequest(Position.start(), dice, STATE) for dice in ((3, 1), (4, 3))]
    assert away.rank_plays_many(requests, plies=2) == near.rank_plays_many(requests, plies=2)
    assert away.rank_plays_many(requests) == near.rank_plays_many(requests)
    assert far.tasks == 6
    assert away.cube_many(CUBES, plies=0) == near.cube_many(CUBES, plies=0)
    assert far.tasks == 6  # made faster than sent


def test_what_is_sent_of_an_engine() -> None:
    """With its noise for searches, without it for rollouts, whose players have their own; the keys differ."""
    noisy = Engine(threads=1, level=Preset("noisy", 0, noise=0.05, deterministic=False), noise_seed=7)
    whole, clear = EngineSpec.of(noisy), EngineSpec.of(noisy, clear=True)
    assert whole.noise == noisy.searcher.noise
    assert clear.noise is None
    assert whole.key != clear.key
    assert (whole.fingerprint, whole.prune) == (clear.fingerprint, clear.prune) == (noisy.fingerprint, True)


def test_rollouts_have_the_same_bits(far: Far, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sixprime.engine.rollout.TASK", (36,) * 5)
    engine = Engine(threads=1)
    settings = RolloutSettings(trials=90, truncation=3)
    near = engine.rollout_plays(Position.start(), (3, 1), 2, match=STATE, settings=settings)
    assert same(near, engine.rollout_plays(Position.start(), (3, 1), 2, match=STATE, settings=settings, executor=far))
    assert far.tasks == 6


@pytest.mark.parametrize("known", ["fingerprint", "databases"])
def test_a_worker_that_would_judge_otherwise_is_refused(far: Far, known: str) -> None:
    spec = EngineSpec.of(Engine(threads=1))
    assert spec.engine().fingerprint == spec.fingerprint
    with pytest.raises(EngineError):
        replace(spec, key="another", **{known: "of an older worker"}).engine()


def test_tasks_heed_their_stop() -> None:
    engine, stop = Engine(threads=1), threading.Event()
    spec = EngineSpec.of(engine)
    stop.set()
    with pytest.raises(StoppedError):
        jobs.CubesJob(spec, 1)(CUBES, stop)
    with pytest.raises(StoppedError):
        jobs.PlaysJob(spec, 1, engine.filter, 1, True)([PlayRequest(Position.start(), (3, 1), STATE)], stop)
