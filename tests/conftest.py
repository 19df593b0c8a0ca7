"""Fixtures of the whole suite."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from places import COMPILING

from sixprime import Engine, MatchReport, analyse, read
from sixprime.cli import main
from sixprime.engine import rollout
from sixprime.paths import sample_match

# How long an example takes says how busy the machine is.
settings.register_profile("any speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any speed")


def pytest_configure(config: pytest.Config) -> None:
    """Empty folders: databases a user has built change what an engine knows, and settings what commands do."""
    folder = tempfile.TemporaryDirectory(prefix="sixprime-tests-", ignore_cleanup_errors=True)
    os.environ["SIXPRIME_DATA"] = folder.name
    os.environ["LOGNAME"] = "you"  # what `sixprime gnubg` calls the person at the keyboard
    os.environ["SIXPRIME_CONFIG"] = os.path.join(folder.name, "settings")
    config.add_cleanup(folder.cleanup)
    # What the tests start would compile the whole package each time.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    # A shell lets what it starts in the background ignore interrupts, and so would all that the tests start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # `nohup` does the same with a terminal that goes away.
    if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """What is loaded and collected by now stays to the end: no search for garbage need look at it."""
    gc.freeze()


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """Tests that are named run in this process: starting others takes longer than most files."""
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        return None
    config.option.dist = "no"
    return 0


_compile: Callable[[Dispatcher, Any], object] = Dispatcher.compile
_compiled_here: set[Path] = set()


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """One process at a time. Kernels call no kernel that calls them, so nobody waits for one who waits for him."""
    try:
        import fcntl
    except ImportError:  # Windows: several processes may compile the same
        yield
        return
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        _compiled_here.add(lock)
        try:
            yield
        finally:
            _compiled_here.remove(lock)


@contextmanager
def _stopped_clock() -> Iterator[None]:
    """The time that pytest-timeout leaves the test is the same afterwards."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left)


def _compile_once(self: Dispatcher, signature: Any) -> object:
    """Compiles a kernel, or waits for another process that does; the clock of the test stands still meanwhile."""
    folder = self._cache.cache_path
    lock = folder and Path(folder) / f"{self.py_func.__qualname__}.lock"
    with global_compiler_lock:
        if lock is None or lock in _compiled_here or tuple(getattr(signature, "args", signature)) in self.overloads:
            return _compile(self, signature)
        with _stopped_clock(), _alone(lock):
            return _compile(self, signature)


Dispatcher.compile = _compile_once


class Result(NamedTuple):
    """What a command said, less the note that kernels are compiled."""

    status: int
    out: str
    err: str


@pytest.fixture
def sixprime(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Result]:
    """Runs the command line in this process, on a terminal of 80 columns, with `stdin` as its standard input."""
    monkeypatch.setenv("COLUMNS", "80")
    # How fast this machine is, nobody asks here.
    monkeypatch.setattr("sixprime.cli.bench.GAMES", 64)

    def run(*arguments: str, stdin: bytes = b"") -> Result:
        source = tmp_path_factory.mktemp("stdin") / "stdin"
        source.write_bytes(stdin)
        with source.open(encoding="utf-8") as file, monkeypatch.context() as patch:
            patch.setattr("sys.stdin", file)
            with pytest.raises(SystemExit) as ended:
                main(arguments)
        out, err = capfd.readouterr()
        return Result(int(ended.value.code or 0), out, err.replace(COMPILING, ""))

    return run


@pytest.fixture(scope="session")
def judged() -> MatchReport:
    """The sample match, analysed at 0 plies."""
    with Engine(plies=0) as engine:
        return analyse(read(sample_match()), engine)


@pytest.fixture
def run_with_input(sixprime: Callable[..., Result]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`sixprime` with arguments and standard input, with what `subprocess.run` would give."""

    def run(arguments: Sequence[str], stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(arguments, *sixprime(*arguments, stdin=stdin))

    return run


@pytest.fixture
def every_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rollouts report after every task, however fast the machine is."""
    monkeypatch.setattr(rollout, "SHOWN_EVERY", 0.0)
    monkeypatch.setattr(rollout, "SHOWN_REST", 0.0)
