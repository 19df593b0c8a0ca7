"""Where work is done: on the threads of this machine, or on a Dask cluster.

Work is cut into tasks whose results depend on nothing but the task, so they may be done anywhere, in any order, and
again. Callers put results into order themselves: totals have the same bits wherever they were made.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Sized
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Protocol, TypeVar
from urllib.parse import parse_qs, urlsplit

from sixprime import checks
from sixprime.errors import SettingsError
from sixprime.progress import NOBODY, Left, Stop, Watch

T = TypeVar("T")
R = TypeVar("R")
Work = Callable[[T, Stop], R]
"""Does a task, until its stop is set, as nobody wants its result any more. For a cluster it must be an object that can
be pickled."""


class Executor(Protocol):
    """Does tasks somewhere."""

    def map(
        self, function: Work[T, R], tasks: Iterable[T], watch: Watch = NOBODY
    ) -> Generator[tuple[int, R], None, None]:
        """Gives (index of the task, result) as they come; tasks are drawn as they are needed.

        watch: is told how many tasks are done. Closing the iterator gives up what is under way. Raises what a task
        raised, StoppedError when the watch ends it, and EngineError when the workers fail.
        """

    def close(self) -> None:
        """Gives up the connection; the executor is of no use afterwards."""


class Threads:
    """The threads of this process. pool: None to work in the calling thread."""

    def __init__(self, threads: int, pool: ThreadPoolExecutor | None) -> None:
        self._threads, self._pool = threads, pool

    def map(
        self, function: Work[T, R], tasks: Iterable[T], watch: Watch = NOBODY
    ) -> Generator[tuple[int, R], None, None]:
        """As `Executor.map`."""
        total = len(tasks) if isinstance(tasks, Sized) else None
        here = self._pool is None or total == 1
        for done, result in enumerate((self._here if here else self._there)(function, tasks, watch), 1):
            watch.tell(done, total, "tasks")
            yield result

    def close(self) -> None:
        """Nothing to give up: the pool belongs to the caller."""

    def _here(
        self, function: Work[T, R], tasks: Iterable[T], watch: Watch
    ) -> Generator[tuple[int, R], None, None]:  # fmt: skip
        for index, task in enumerate(tasks):
            watch.check(index, what="tasks")
            yield index, function(task, watch)

    def _there(
        self, function: Work[T, R], tasks: Iterable[T], watch: Watch
    ) -> Generator[tuple[int, R], None, None]:  # fmt: skip
        assert self._pool is not None
        left = Left(watch)
        rest = enumerate(tasks)
        running: dict[Future[R], int] = {}

        def start() -> None:
            if (following := next(rest, None)) is not None:
                index, task = following
                running[self._pool.submit(function, task, left)] = index  # type: ignore[union-attr]

        try:
            for _ in range(self._threads):
                start()
            while running:
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    index = running.pop(future)
                    start()
                    yield index, future.result()
        finally:
            # Left early: what is under way ends at its next turn, so that the threads are free again.
            left.early = True
            wait(running)


@dataclass(frozen=True, slots=True)
class Address:
    """What an executor's text says.

    place: "host:port" of a scheduler, or "local" for workers on this machine. workers: how many of these, None for all
    cores. tls: an encrypted connection; ca, cert, key: files for it, None for what Dask's own configuration names.
    """

    place: str
    workers: int | None = None
    tls: bool = False
    ca: str | None = None
    cert: str | None = None
    key: str | None = None


def parse(text: str) -> Address:
    """Reads "dask://host:port", "dask+tls://host:port?ca=FILE&cert=FILE&key=FILE" or "dask://local?workers=2".

    Raises SettingsError.
    """
    problem = f"executor must be dask://HOST:PORT, dask+tls://HOST:PORT or dask://local. Got {text!r} instead."
    try:
        parts = urlsplit(text)
        options = {name: values[-1] for name, values in parse_qs(parts.query, strict_parsing=bool(parts.query)).items()}
        local = parts.netloc == "local"
        if not local and (not parts.hostname or parts.port is None):
            raise SettingsError(problem)
        workers = int(options.pop("workers")) if local and "workers" in options else None
    except ValueError:
        raise SettingsError(problem) from None
    tls = parts.scheme == "dask+tls"
    if parts.scheme not in ("dask", "dask+tls") or parts.path not in ("", "/") or parts.fragment or (local and tls):
        raise SettingsError(problem)
    if workers is not None and not 1 <= workers <= 1024:
        raise SettingsError(f"workers must be from 1 to 1024. Got {workers} instead.")
    unknown = sorted(options.keys() - ({"ca", "cert", "key"} if tls else set()))
    if unknown:
        hint = "; TLS files go with dask+tls://" if unknown[0] in ("ca", "cert", "key") else ""
        raise SettingsError(f"unknown option {unknown[0]!r} of the executor {text!r}{hint}.")
    return Address(parts.netloc, workers, tls, options.get("ca"), options.get("cert"), options.get("key"))


_open: dict[str, Executor] = {}
_lock = threading.Lock()


def open_executor(executor: str | Executor) -> Executor:
    """The executor of a text (see `parse`); an executor is returned as it is. A connection is kept for later calls.

    Raises SettingsError for a text that says nothing or when the extra is missing, EngineError when nobody answers.
    """
    if not isinstance(executor, str):
        if not callable(getattr(executor, "map", None)):
            checks.refuse("executor", "a text such as dask://HOST:PORT, or an Executor", executor)
        return executor
    address = parse(executor)
    if find_spec("distributed") is None:
        raise SettingsError(f"the executor {executor} needs the extra: pip install 'sixprime[cluster]'")
    from sixprime.engine.cluster import Dask

    with _lock:
        known = _open.get(executor)
        if not isinstance(known, Dask) or known.closed:
            known = _open[executor] = Dask(address)
        return known
