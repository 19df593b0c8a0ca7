"""A scheduler that is lost: one error that names it, and nothing is lost that was there. A fake stands for Dask."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from same_results import same

from sixprime import Engine, EngineError, Position
from sixprime.engine import executors, jobs
from sixprime.engine import rollout as running
from sixprime.engine.executors import open_executor
from sixprime.engine.rollout_result import load
from sixprime.paths import sample_match
from sixprime.progress import Progress, Stop, Watch

URL = "dask://lost.example:8786"


class KilledWorker(Exception):
    """As Dask's."""


class CommClosedError(OSError):
    """As Dask's."""


class FutureCancelledError(concurrent.futures.CancelledError):
    """As Dask's."""


DEATHS = [
    CommClosedError("in <TCP (closed)>: Stream is closed"),
    TimeoutError(),
    asyncio.CancelledError(),
    FutureCancelledError("key", "scheduler-connection-lost"),
    KilledWorker("task", "worker"),
    RuntimeError("IOLoop is closed"),
    ValueError("Client not running"),
    AttributeError("'NoneType' object has no attribute 'send'"),
]


class Future:
    """A task done at once."""

    def __init__(self, value: Any, status: str = "finished") -> None:
        self.value, self.status = value, status

    def result(self) -> Any:
        return self.value

    def exception(self) -> Any:
        return self.value

    def cancel(self) -> None:
        pass


class Cluster:
    """A cluster with one worker, which does `life` tasks. place: where it fails then, with `error`."""

    def __init__(self) -> None:
        self.life, self.place, self.error = 10**9, "", Exception()
        self.opened: list[dict[str, Any]] = []

    def ask(self, place: str) -> None:
        # A wait that takes too long says no more than that; whoever asks on then meets the same.
        late = isinstance(self.error, TimeoutError) and self.place == "wait"
        if self.life <= 0 and (place == self.place or (late and place == "workers")):
            raise self.error


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Cluster:
    cluster = Cluster()

    class Client:
        def __init__(self, where: object = None, **options: Any) -> None:
            self.status = "running"
            cluster.opened.append(options)
            cluster.ask("connect")

        def nthreads(self) -> dict[str, int]:
            cluster.ask("workers")
            return {"worker": 1}

        def run(self, function: Callable[[], Any], **_: Any) -> dict[str, Any]:
            return {"worker": function()}

        def submit(self, function: Callable[..., Any], *values: Any, key: str, workers: object = None) -> Future:
            cluster.ask("submit")
            if len(values) == 1:
                return Future(values[0])
            *rest, held, keys, shared, task = values
            cluster.life -= 1
            if cluster.life < 0 and cluster.place in ("error", "lost"):
                return Future(cluster.error, cluster.place)
            return Future(function(*rest, held.value, keys, [each.value for each in shared], task))

        def as_current(self) -> Any:
            return nullcontext()

        def cancel(self, futures: object) -> None:
            cluster.ask("cancel")

        def close(self) -> None:
            self.status = "closed"

    def wait(futures: list[Future], **_: Any) -> Any:
        cluster.ask("wait")
        return SimpleNamespace(done=futures)

    for name in ("distributed", "distributed.security"):
        module = ModuleType(name)
        module.__spec__ = ModuleSpec(name, None)
        monkeypatch.setitem(sys.modules, name, module)
    fake: Any = sys.modules["distributed"]
    fake.Client, fake.wait, fake.KilledWorker, fake.LocalCluster = Client, wait, KilledWorker, Client
    fake.get_worker = lambda: SimpleNamespace(address="worker")
    security: Any = sys.modules["distributed.security"]
    security.Security = object
    monkeypatch.setattr(executors, "_open", {})
    monkeypatch.setattr(running, "TASK", (12,) * 5)
    return cluster


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine("small", threads=1)


PLACES = ["workers", "submit", "wait", "error", "lost"]


@pytest.mark.parametrize("error", DEATHS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("place", PLACES[1:])
def test_a_rollout_keeps_its_trials(cluster: Cluster, engine: Engine, place: str, error: Any, caplog) -> None:
    cluster.life, cluster.place, cluster.error = 3, place, error
    result = engine.rollout(Position.start(), trials=72, truncation=1, executor=URL)
    assert not result.finished
    assert 0 < result.trials <= 36
    [told] = caplog.records
    assert "lost.example:8786" in told.getMessage()
    if isinstance(error, CommClosedError):
        whole = engine.rollout(Position.start(), trials=72, truncation=1)
        assert same(engine.extend_rollout(result), whole)


@pytest.mark.parametrize("error", DEATHS, ids=lambda error: type(error).__name__)
def test_without_a_trial_it_is_an_error(cluster: Cluster, engine: Engine, error: Any) -> None:
    for place in ("connect", *PLACES):
        executors._open.clear()
        cluster.life, cluster.place, cluster.error = 0, place, error
        with pytest.raises(EngineError, match=r"lost\.example:8786"):
            engine.rollout(Position.start(), trials=36, truncation=1, executor=URL)


def test_a_lost_connection_is_not_kept(cluster: Cluster, engine: Engine) -> None:
    cluster.life, cluster.place, cluster.error = 3, "wait", CommClosedError()
    assert not engine.rollout(Position.start(), trials=72, truncation=2, executor=URL).finished
    cluster.life = 10**9
    assert engine.rollout(Position.start(), trials=36, truncation=2, executor=URL).finished


def test_our_client_is_nobodys_default(cluster: Cluster) -> None:
    for text in (URL, "dask://local?workers=1"):
        open_executor(text)
    ours = [options for options in cluster.opened if "n_workers" not in options]
    assert [options["set_as_default"] for options in ours] == [False, False]


def test_errors_of_the_caller_stay_his(cluster: Cluster) -> None:
    executor = open_executor(URL)

    def tasks() -> Iterator[int]:
        raise KeyError("mine")
        yield 0

    with pytest.raises(KeyError, match="mine"):
        list(executor.map(_nothing, tasks()))

    def report(step: Progress) -> None:
        raise OSError("mine")

    with pytest.raises(OSError, match="mine"):
        list(executor.map(_nothing, [1, 2], Watch(report)))


def _nothing(task: int, stop: Stop) -> int:
    return task


# -- the command line ------------------------------------------------------------------------------


def test_rollout_command(cluster: Cluster, sixprime, tmp_path: Path) -> None:
    cluster.life, cluster.place, cluster.error = 3, "wait", CommClosedError("closed")
    path = tmp_path / "rollout.npz"
    words = "--trials", "144", "--truncate", "2", "--json", "--save", str(path), "--executor", URL
    status, out, err = sixprime("rollout", "4HPwATDgc/ABMA", *words)
    found = load(path)
    assert (status, found.finished, json.loads(out)["trials"]) == (1, False, found.trials)
    assert err.splitlines() == [
        "sixprime: warning: lost the Dask scheduler lost.example:8786: CommClosedError: closed",
        f"sixprime: interrupted after {found.trials} trials; go on with: sixprime rollout {path}",
    ]


def test_analyse_command(cluster: Cluster, sixprime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The matches done are reported, the others counted."""
    monkeypatch.setattr("sixprime.cli.analyse._TOGETHER", 1)
    monkeypatch.setattr(jobs, "PLAYS", (1, 20, 2, 1, 1))
    match = sample_match().read_text(encoding="utf-8").split(" Game 2")[0]
    names = [str(tmp_path / f"{name}.mat") for name in "abc"]
    for name in names:
        Path(name).write_text(match, encoding="utf-8")
    words = "--plies", "1", "--executor", URL, "--json"
    assert sixprime("analyse", names[0], *words)[0] == 0
    cluster.life = int(1.5 * (10**9 - cluster.life))
    cluster.place, cluster.error = "wait", FutureCancelledError("key")
    executors._open.clear()
    status, out, err = sixprime("analyse", *names, *words, "--html", str(tmp_path / "out"))
    assert (status, out.count("\n")) == (1, 1)
    assert "sixprime: b.mat: lost the Dask scheduler lost.example:8786: FutureCancelledError: key" in err.splitlines()
    assert err.splitlines()[-1] == "sixprime: ended early; 2 of the matches not analysed"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["a.html", "a.sixprime", "index.html"]
