"""Work on a real Dask scheduler with worker processes, all on the loopback address."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from same_results import same

from sixprime import Engine, EngineError, MatchState, Position, SettingsError, read, sample_match
from sixprime.analysis.analyse import analyse_many
from sixprime.engine import PlayRequest, Preset, RolloutSettings, jobs
from sixprime.engine import cluster as dask_cluster
from sixprime.engine import rollout as running
from sixprime.engine.executors import Address, Threads, open_executor, parse
from sixprime.progress import Progress, Watch

SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
WORKER = "from distributed.cli.dask_worker import main; main()"
OTHER_WORKER = "import sixprime._version as own; own.__version__ = '0.0.1'; " + WORKER
RECIPE = """
name = "tiny"
seed = 1
[nets.contact]
hidden = 8
rear = false
pairs = false
[nets.race]
hidden = 8
rear = false
pairs = false
[nets.pruner]
hidden = 8
rear = false
pairs = false
[[stage]]
kind = "harvest"
positions = 1500
games = 8
"""
STATE = MatchState(length=7, score=(3, 5))


class Cluster:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder, self.options = folder, options
        self.workers: list[subprocess.Popen[bytes]] = []
        self.file = folder / "scheduler.json"
        self.scheduler = self._start(SCHEDULER, "--scheduler-file", str(self.file), "--port", "0", "--no-dashboard")
        self.wait(self.file.exists)
        import json

        self.address = json.loads(self.file.read_text())["address"].partition("://")[2]

    def _start(self, code: str, *arguments: str) -> subprocess.Popen[bytes]:
        number = len(list(self.folder.glob("*.log")))
        with (self.folder / f"{number}.log").open("wb") as log:
            command = [sys.executable, "-c", code, "--host", "127.0.0.1", *self.options, *arguments]
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, env=os.environ)

    def join(self, code: str = WORKER) -> subprocess.Popen[bytes]:
        options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--memory-limit", "0")
        worker = self._start(code, "--scheduler-file", str(self.file), *options)
        self.workers.append(worker)
        return worker

    def wait(self, condition) -> None:
        end = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < end, "\n".join(log.read_text() for log in self.folder.glob("*.log"))
            time.sleep(0.05)

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pytest.importorskip("distributed")
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        cluster.join()
        cluster.join()
        yield cluster
    finally:
        cluster.close()


@pytest.fixture(scope="module")
def executor(cluster: Cluster):
    executor = open_executor(f"dask://{cluster.address}")
    cluster.wait(lambda: len(executor._client.nthreads()) == 2)
    yield executor
    executor.close()


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1)


def test_over_tls(engine: Engine, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl to make a certificate with")
    cert, key = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    made = ("-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", key, "-out", cert, "-days", "2")
    subprocess.run([openssl, "req", "-x509", *made], check=True, capture_output=True)
    files = ("--tls-ca-file", cert, "--tls-cert", cert, "--tls-key", key)
    cluster = Cluster(tmp_path, "--protocol", "tls", *files)
    try:
        cluster.join()
        executor = open_executor(f"dask+tls://{cluster.address}?ca={cert}&cert={cert}&key={key}")
        far = engine.rollout(Position.start(), trials=36, truncation=2, executor=executor)
        executor.close()
        assert same(far, engine.rollout(Position.start(), trials=36, truncation=2))
        for options, problem in ((f"?ca={tmp_path / 'none'}", "no such file"), (f"?ca={cert}", "ca, cert and key")):
            with pytest.raises(EngineError, match=problem):
                open_executor(f"dask+tls://{cluster.address}{options}")
        # Who speaks plainly is not heard.
        with pytest.raises(EngineError, match="cannot reach"):
            open_executor(f"dask://{cluster.address}")
    finally:
        cluster.close()


def test_matches_and_cubes_have_the_same_bits(engine: Engine, executor, monkeypatch) -> None:
    monkeypatch.setattr(jobs, "PLAYS", (1, 20, 2, 1, 1))
    monkeypatch.setattr(jobs, "CUBES", (1, 20, 2, 1, 1))
    match = read(sample_match())
    match = replace(match, games=match.games[:1])
    seen: list[Progress] = []
    far = analyse_many([match, match], engine.on(executor), plies=1, progress=seen.append)
    near = analyse_many([match], engine, plies=1)[0]
    assert [one.games for one in far] == [near.games] * 2
    assert len(seen) > 4
    assert [step.done for step in seen] == sorted(step.done for step in seen)
    assert seen[-1][0] == seen[-1][1]


def test_levels_have_the_same_bits(executor) -> None:
    """Noise and its seed, a filter, search without pruning and rollouts after the search go to the workers, too."""
    quick = RolloutSettings(trials=36, truncation=2, branches=1)
    level = Preset("noisy", 1, "tiny", noise=0.05, deterministic=False, prune=False, rollout=quick)
    requests = [PlayRequest(Position.start(), dice, STATE) for dice in ((3, 1), (4, 3))]
    cubes = [(Position.start(), STATE), (Position.from_id("mGfwATDgc/ABMA"), STATE)]
    near = Engine(threads=1, level=level, noise_seed=7)
    far = near.on(executor)
    searched = far.cube_many(cubes, plies=1)
    assert searched == near.cube_many(cubes, plies=1)
    assert searched != Engine(threads=1, level=level, noise_seed=8).cube_many(cubes, plies=1)
    assert far.rank_plays_many(requests, plies=1) == near.rank_plays_many(requests, plies=1)
    assert far.rank_plays_many(requests) == near.rank_plays_many(requests)
    rolled = far.cube_many(cubes)
    assert rolled == near.cube_many(cubes)
    assert [cube.trials for cube in rolled] == [36, 36]


def test_harvests_have_the_same_bits(executor, tmp_path: Path) -> None:
    from sixprime.train.pipeline import Run
    from sixprime.train.recipe import parse_recipe

    recipe = parse_recipe(RECIPE)
    runs = [Run.start(tmp_path / name, recipe, threads=1) for name in ("near", "far")]
    runs[1].executor = executor
    for run in runs:
        while run.advance(lambda progress: None):
            pass
    files = [sorted((run.folder / "lessons" / "stage1").iterdir()) for run in runs]
    assert [path.name for path in files[0]] == [path.name for path in files[1]]
    assert len(files[0]) > 1
    for near, far in zip(*files, strict=True):
        with np.load(near) as a, np.load(far) as b:
            assert all(np.array_equal(a[name], b[name]) for name in ("boards", "targets"))


def test_a_rollout_survives_workers_that_die_and_join(
    cluster: Cluster, engine: Engine, executor, monkeypatch: pytest.MonkeyPatch, every_report
) -> None:
    # Many small tasks, and a report after the first ones: the worker dies with most of the work undone.
    monkeypatch.setattr(running, "TASK", (36,) * 5)
    changes = {"trials": 216 * 6, "truncation": 5}
    killed: list[int] = []
    first = cluster.workers[0]

    def watch(step: Progress) -> None:
        if not killed:
            killed.append(step.so_far.trials)
            first.kill()
            first.wait()
            cluster.join()

    far = engine.rollout_plays(Position.start(), (3, 1), 2, progress=watch, executor=executor, **changes)
    near = engine.rollout_plays(Position.start(), (3, 1), 2, **changes)
    assert killed[0] < far.trials
    assert far.finished
    assert same(far, near)
    cluster.wait(lambda: len(executor._client.nthreads()) == 2)


def test_a_saved_rollout_goes_on_elsewhere(engine: Engine, executor) -> None:
    begun = engine.rollout_cube(Position.start(), match=STATE, trials=36, truncation=4)
    far = engine.extend_rollout(begun, trials=300, executor=executor)
    assert same(far, engine.rollout_cube(Position.start(), match=STATE, trials=300, truncation=4))


def test_another_version_is_refused(cluster: Cluster, engine: Engine, executor, caplog) -> None:
    stranger = cluster.join(OTHER_WORKER)
    cluster.wait(lambda: len(executor._client.nthreads()) == 3)
    far = engine.rollout(Position.start(), trials=216 * 4, truncation=4, executor=executor)
    assert same(far, engine.rollout(Position.start(), trials=216 * 4, truncation=4))
    assert len(executor.refused) == 1
    assert "0.0.1" in next(iter(executor.refused.values()))
    assert len([record for record in caplog.records if "is refused" in record.message]) == 1

    # Nobody else left: an error at once instead of results of another kind.
    for worker in cluster.workers:
        if worker is not stranger:
            worker.kill()
            worker.wait()
    cluster.wait(lambda: len(executor._client.nthreads()) == 1)
    with pytest.raises(EngineError, match=r"every worker is refused; .* runs Sixprime 0\.0\.1"):
        engine.rollout(Position.start(), trials=72, truncation=2, executor=executor)
    stranger.kill()


def test_command_line(cluster: Cluster, executor, run_with_input) -> None:
    cluster.join()
    words = ["rollout", "4HPwATDgc/ABMA", "--trials", "72", "--truncate", "2", "--json"]
    near = run_with_input(words)
    far = run_with_input([*words, "--executor", f"dask://{cluster.address}"])
    assert (far.returncode, far.stdout) == (0, near.stdout)


def test_our_client_is_nobodys_default(executor) -> None:
    """A program with a Dask of its own keeps it."""
    from distributed import default_client

    assert not executor.closed
    with pytest.raises(ValueError, match="No clients found"):
        default_client()


def test_a_scheduler_that_dies(engine: Engine, tmp_path: Path, monkeypatch, every_report, caplog) -> None:
    """What is there stays, and goes on here to the same bits; who begins then is told at once."""
    pytest.importorskip("distributed")
    monkeypatch.setattr(running, "TASK", (36,) * 5)
    cluster = Cluster(tmp_path)
    try:
        cluster.join()
        far = open_executor(f"dask://{cluster.address}")
        cluster.wait(lambda: far._client.nthreads())

        def kill(step: Progress) -> None:
            cluster.scheduler.kill()
            cluster.scheduler.wait()

        found = engine.rollout(Position.start(), trials=36 * 60, truncation=2, progress=kill, executor=far)
        assert not found.finished
        assert 36 <= found.trials < 36 * 60
        assert f"lost the Dask scheduler {cluster.address}" in caplog.text
        assert same(
            engine.extend_rollout(found, trials=found.trials + 36),
            engine.rollout(Position.start(), trials=found.trials + 36, truncation=2),
        )
        with pytest.raises(EngineError, match=cluster.address):
            engine.rollout(Position.start(), trials=36, truncation=2, executor=far)
        assert far.closed
        far.close()
    finally:
        cluster.close()


def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(dask_cluster, "CONNECT", 0.5)
    with pytest.raises(EngineError, match=r"cannot reach the Dask scheduler 127\.0\.0\.1:9"):
        Engine(executor="dask://127.0.0.1:9")


def test_texts() -> None:
    assert parse("dask://host:8786") == Address("host:8786")
    for workers in (1, 3, 1024):
        assert parse(f"dask://local?workers={workers}") == Address("local", workers)
    for workers in (0, 1025):
        with pytest.raises(SettingsError, match="workers must be from 1 to 1024"):
            parse(f"dask://local?workers={workers}")
    secure = parse("dask+tls://[::1]:8786?ca=ca.pem&cert=my%20cert.pem&key=key.pem")
    assert secure == Address("[::1]:8786", None, True, "ca.pem", "my cert.pem", "key.pem")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("host:8786", "executor must be"),
        ("dask://host", "executor must be"),
        ("dask://host:99999", "executor must be"),
        ("dask://host:8786/path", "executor must be"),
        ("dask+tls://local", "executor must be"),
        ("dask://local?workers=0", "workers must be from 1 to 1024"),
        ("dask://local?workers=two", "executor must be"),
        ("dask://host:8786?key=k.pem", r"TLS files go with dask\+tls://"),
        ("dask+tls://host:8786?secret=1", "unknown option 'secret'"),
    ],
)
def test_wrong_texts(text: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        parse(text)


def test_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sixprime.engine.executors.find_spec", lambda name: None)
    with pytest.raises(SettingsError, match=r"pip install 'sixprime\[cluster\]'"):
        Engine(executor="dask://127.0.0.1:8786")


def test_threads_give_every_result_once() -> None:
    from concurrent.futures import ThreadPoolExecutor

    seen: list[Progress] = []
    with ThreadPoolExecutor(2) as pool:
        results = Threads(2, pool).map(lambda task, stop: task * task, range(9), Watch(seen.append))
        assert dict(results) == {i: i * i for i in range(9)}
    assert seen == [Progress(i, 9, "tasks") for i in range(1, 10)]


def local_rollout(trials: int) -> subprocess.Popen[str]:
    """A rollout by a cluster of its own, in a group of processes as a terminal makes one."""
    pytest.importorskip("distributed")
    words = ("rollout", "4HPwATDgc/ABMA", "--trials", str(trials), "--executor", "dask://local?workers=1")
    return subprocess.Popen(
        [sys.executable, "-m", "sixprime", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_a_cluster_on_this_machine_says_nothing_of_itself() -> None:
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        with suppress(OSError):  # then somebody else has it, which is as good
            taken.bind(("127.0.0.1", 8787))
            taken.listen()
        process = local_rollout(36)
        _, err = process.communicate()
    assert process.returncode == 0
    assert "Dask" not in err
    assert "distributed" not in err
    assert "8787" not in err


@pytest.mark.skipif(not Path("/proc").exists(), reason="needs /proc")
@pytest.mark.parametrize("seconds", [0.1, 1.0])
def test_ctrl_c_ends_a_cluster_on_this_machine_with_a_word(seconds: float) -> None:
    process = local_rollout(46656)
    own = Path(f"/proc/{process.pid}/task")

    def started() -> bool:
        children = " ".join(file.read_text() for file in own.glob("*/children")).split()
        return any(b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes() for child in children)

    while not started():
        assert process.poll() is None
        time.sleep(0.02)
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate()
    assert process.returncode == 1
    assert err.splitlines()[-1] == "sixprime: interrupted"
    assert "Traceback" not in err
