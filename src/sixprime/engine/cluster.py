"""A Dask cluster as an executor.

The work of a map goes to the scheduler once and from there to every worker that gets a task, also to those that join
later; what a dead worker had is done again elsewhere. Every task first compares the worker's program with ours: a
worker with another one refuses it, gets no more, and the task goes to the others.
"""

from __future__ import annotations

import errno
import hashlib
import io
import logging
import pickle
import signal
import threading
import time
import uuid
import warnings
from asyncio import CancelledError
from collections import deque
from collections.abc import Collection, Generator, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from multiprocessing import resource_tracker
from pathlib import Path
from textwrap import shorten
from typing import Any, TypeVar

import numpy as np

from sixprime import reading
from sixprime._version import __version__
from sixprime.engine.executors import Address, Work
from sixprime.errors import EngineError, SixprimeError
from sixprime.interrupts import deferred
from sixprime.progress import NOBODY, Watch

T = TypeVar("T")
R = TypeVar("R")

AHEAD = 2
"""Tasks given out for each thread of the workers: so many that none waits."""
CONNECT = 10.0
"""Seconds in which a scheduler must answer."""
PATIENCE = 60.0
"""Seconds that we wait for a worker when there is none."""
DEATHS = 3
"""How often a task that seems to kill workers is given out again; Dask tries several times each."""
_ROOMS = ("kernels", "game", "bearoff", "nets", "cube", "engine", "train")
_PAUSE = 0.08
"""Seconds without news after which it is looked whether the work was stopped."""
_KEPT = 4
"""Unpacked works that a worker keeps."""
_log = logging.getLogger("sixprime")


class WrongWorkerError(EngineError):
    """Raised by work when this worker must not do it: its results could differ from ours."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Base of large things that works have in common; each goes to the cluster once. key: names the content."""

    key: str


@dataclass(frozen=True, slots=True)
class _Refusal:
    worker: str
    reason: str


@dataclass(slots=True)
class _Item:
    """A task on its way. allowed: addresses of the workers that may do it, empty for all."""

    index: int
    task: Any
    deaths: int = 0
    allowed: frozenset[str] = frozenset()


@cache
def program() -> str:
    """What the results of work depend on beside the work: version, sources and data, NumPy and Numba."""
    digest = hashlib.sha256()
    folder = Path(__file__).parent.parent
    for room in _ROOMS:
        for path in sorted((folder / room).rglob("*")):
            if path.is_file() and path.suffix != ".pyc":
                content = reading.read_bytes(path, reading.NET)
                digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + content)
    versions = f"NumPy {np.__version__}, Numba {version('numba')}"
    return f"Sixprime {__version__} ({digest.hexdigest()[:12]}), {versions}"


# -- on the workers ------------------------------------------------------------------------------

_unpacked: dict[str, Any] = {}
_unpacking = threading.Lock()


class _Packer(pickle.Pickler):
    """Leaves out what is `Shared` and notes it."""

    def __init__(self, stream: io.BytesIO) -> None:
        super().__init__(stream, protocol=5)
        self.shared: dict[str, Shared] = {}

    def persistent_id(self, thing: Any) -> str | None:
        if not isinstance(thing, Shared):
            return None
        self.shared[thing.key] = thing
        return thing.key


class _Unpacker(pickle.Unpickler):
    def __init__(self, data: bytes, shared: dict[str, bytes]) -> None:
        super().__init__(io.BytesIO(data))
        self._shared = shared

    def persistent_load(self, key: str) -> Any:
        return pickle.loads(self._shared[key])


def _hold(data: bytes) -> bytes:
    """Kept by Dask wherever tasks need it, and made again where it is lost."""
    return data


def _do(ours: str, name: str, packed: bytes, keys: Sequence[str], shared: Sequence[bytes], task: Any) -> Any:
    """A task, on a worker; the work is unpacked once."""
    from distributed import get_worker

    if program() != ours:
        return _Refusal(get_worker().address, program())
    with _unpacking:
        work = _unpacked.get(name)
        if work is None:
            work = _unpacked[name] = _Unpacker(packed, dict(zip(keys, shared, strict=True))).load()
            for old in list(_unpacked)[:-_KEPT]:
                del _unpacked[old]
    try:
        return work(task, NOBODY)
    except WrongWorkerError as error:
        return _Refusal(get_worker().address, str(error))


# -- here ----------------------------------------------------------------------------------------


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes and threads that begin within the block do not hear Ctrl-C, which reaches the whole group of processes:
    this one says what to do."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The first process of all starts this one, which then lets signals through.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Dask:
    """The workers of a Dask scheduler, or of a cluster on this machine that can be reached from here only.

    refused: workers that get no tasks, by address, and the program they run. Raises EngineError when the scheduler
    does not answer.
    """

    def __init__(self, address: Address) -> None:
        from distributed import Client, LocalCluster
        from distributed.security import Security

        self.refused: dict[str, str] = {}
        self._place, self._lost = address.place, False
        self._cluster: Any = None
        self._shared: dict[str, Any] = {}
        self._checked: set[str] = set()
        try:
            if address.place == "local":
                # Half a cluster cannot be closed.
                with deferred(), _deaf():
                    self._cluster = LocalCluster(
                        n_workers=address.workers,
                        threads_per_worker=1,
                        host="127.0.0.1",
                        dashboard_address=None,
                        worker_dashboard_address=None,
                        # Without a port Dask takes one of its own, and warns where that is taken.
                        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                        # Its end is told as a loss. What matters is raised as an error.
                        silence_logs=logging.CRITICAL,
                    )
                self._client: Any = Client(self._cluster, set_as_default=False)
                return
            files = {"tls_ca_file": address.ca, "tls_client_cert": address.cert, "tls_client_key": address.key}
            given = {name: file for name, file in files.items() if file is not None}
            for file in given.values():
                if not Path(file).is_file():
                    raise FileNotFoundError(errno.ENOENT, "no such file", file)
            security = Security(require_encryption=True, **given) if address.tls else None
            if security and security.get_connection_args("client").get("ssl_context") is None:
                raise ValueError("TLS needs the files ca, cert and key")
            where = f"{'tls' if address.tls else 'tcp'}://{address.place}"
            self._client = Client(where, timeout=CONNECT, set_as_default=False, security=security)
        except (Exception, CancelledError) as error:
            self._close_cluster()
            raise EngineError(f"cannot reach the Dask scheduler {address.place}: {_words(error)}") from error

    @property
    def closed(self) -> bool:
        """Whether the connection is gone."""
        return self._lost or self._client.status in ("closed", "closing")

    def close(self) -> None:
        """Ends the connection, and a cluster on this machine with it."""
        self._shared.clear()
        self._client.close()
        self._close_cluster()

    def _close_cluster(self) -> None:
        if self._cluster is not None:
            self._cluster.close()

    def map(
        self, function: Work[T, R], tasks: Iterable[T], watch: Watch = NOBODY
    ) -> Generator[tuple[int, R], None, None]:
        """As `Executor.map`. Raises EngineError when there is no worker for `PATIENCE` seconds, none of our program,
        or the scheduler is lost."""
        with self._reaching():
            send = self._sender(function)
        rest = enumerate(tasks)
        total = len(tasks) if isinstance(tasks, Sized) else None
        again: deque[_Item] = deque()
        running: dict[Any, _Item] = {}
        done, seen, looked = 0, time.monotonic(), -1.0
        threads: dict[str, int] = {}
        try:
            while True:
                watch.check(done, total, "tasks")
                # Step 1. Who is there now; tasks that only dead workers may do are given out anew.
                if time.monotonic() - looked > 0.5:
                    with self._reaching():
                        threads, looked = self._workers(), time.monotonic()
                    if threads:
                        seen = looked
                    elif looked - seen > PATIENCE:
                        raise EngineError(f"the Dask scheduler {self._place} has had no worker for {PATIENCE:.0f} s")
                    for future in [
                        f for f, item in running.items() if item.allowed and not item.allowed & set(threads)
                    ]:
                        again.append(running.pop(future))
                        with self._reaching():
                            future.cancel()

                # Step 2. Give out tasks.
                while len(running) < AHEAD * sum(threads.values()):
                    if again:
                        item = again.popleft()
                    elif (following := next(rest, None)) is not None:
                        item = _Item(*following)
                    else:
                        break
                    item.allowed = frozenset(threads) if self.refused else frozenset()
                    with self._reaching():
                        running[send(item)] = item
                if not running:
                    if threads:
                        return
                    time.sleep(_PAUSE)
                    continue

                # Step 3. Take in results.
                for future in self._ended(list(running)):
                    item = running.pop(future)
                    with self._reaching():
                        result = self._result(future, item)
                    if isinstance(result, _Refusal):
                        self._refuse(result.worker, result.reason)
                        threads.pop(result.worker, None)
                        again.append(item)
                    elif result is _AGAIN:
                        again.append(item)
                    else:
                        done += 1
                        watch.tell(done, total, "tasks")
                        yield item.index, result
        finally:
            if not self._lost:
                with suppress(Exception):
                    self._client.cancel(list(running))

    @contextmanager
    def _reaching(self) -> Iterator[None]:
        """Within the block Dask is asked: whatever it raises means that it is lost, and becomes EngineError."""
        try:
            yield
        except SixprimeError:
            raise
        except (Exception, CancelledError) as error:
            self._lost = True
            raise EngineError(f"lost the Dask scheduler {self._place}: {_words(error)}") from error

    def _ended(self, futures: list[Any]) -> Collection[Any]:
        """Those that are done or have failed, none when it takes too long."""
        from distributed import wait

        with self._reaching():
            try:
                with self._client.as_current():
                    ended: Collection[Any] = wait(futures, timeout=_PAUSE, return_when="FIRST_COMPLETED").done
            except TimeoutError:
                return ()
            return ended

    def _sender(self, function: Any) -> Any:
        """What gives a task to the scheduler, after the work itself."""
        stream = io.BytesIO()
        packer = _Packer(stream)
        packer.dump(function)
        for key, thing in packer.shared.items():
            if key not in self._shared:
                self._shared[key] = self._put(pickle.dumps(thing, protocol=5), key)
        packed = stream.getvalue()
        name = hashlib.sha256(packed).hexdigest()[:24]
        keys = list(packer.shared)
        held, shared = self._put(packed, name), [self._shared[key] for key in keys]
        job, count = uuid.uuid4().hex[:12], iter(range(1 << 62))

        def send(item: _Item) -> Any:
            return self._client.submit(
                _do,
                program(),
                name,
                held,
                keys,
                shared,
                item.task,
                key=f"sixprime-{job}-{next(count)}",
                workers=sorted(item.allowed) or None,
            )

        return send

    def _put(self, data: bytes, name: str) -> Any:
        with warnings.catch_warnings():
            # Dask advises against large arguments; this one is sent once, and must outlive the workers that have it.
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            return self._client.submit(_hold, data, key=f"sixprime-{name}-{uuid.uuid4().hex[:12]}")

    def _result(self, future: Any, item: _Item) -> Any:
        """The result of a task, or `_AGAIN` when it is to be given out again."""
        from distributed import KilledWorker

        if future.status == "finished":
            return future.result()
        if future.status != "error":
            raise CancelledError(f"a task is {future.status}")
        error = future.exception()
        if isinstance(error, KilledWorker) and item.deaths < DEATHS:
            item.deaths += 1
            return _AGAIN
        if isinstance(error, SixprimeError):
            raise error
        raise EngineError(f"a task failed on the Dask cluster {self._place}: {_words(error)}") from error

    def _workers(self) -> dict[str, int]:
        """Threads of each worker that may work; raises EngineError when there are workers but all are refused."""
        if self._client.status != "running":
            # It would try to connect again for a while, but a scheduler that has gone took its tasks with it.
            raise CancelledError(f"the connection is {self._client.status}")
        threads: dict[str, int] = dict(self._client.nthreads())
        new = threads.keys() - self._checked
        if new:
            self._checked |= new
            answers = self._client.run(program, workers=sorted(new), on_error="return")
            for worker, answer in answers.items():
                if isinstance(answer, ImportError | AttributeError):
                    self._refuse(worker, f"no Sixprime of this kind ({answer})")
                elif isinstance(answer, str) and answer != program():
                    self._refuse(worker, answer)
        good = {worker: count for worker, count in threads.items() if worker not in self.refused}
        if threads and not good:
            worker = sorted(threads)[0]
            raise EngineError(f"every worker is refused; {worker} runs {self.refused[worker]}, we run {program()}")
        return good

    def _refuse(self, worker: str, found: str) -> None:
        if worker not in self.refused:
            self.refused[worker] = found
            _log.warning("worker %s is refused: it has %s, we have %s", worker, found, program())


def _words(error: BaseException) -> str:
    """What an exception of Dask says in short: some say nothing but their name, others list all tasks."""
    text = shorten(str(error), 120, placeholder=" ...")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


_AGAIN = object()
