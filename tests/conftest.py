"""Fixtures of the whole suite."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from typing import NamedTuple

import pytest

from sixprime.cli import main
from sixprime.engine import rollout

COMPILING = "Compiling the kernels; this happens once and takes up to a minute.\n"


def pytest_configure(config: pytest.Config) -> None:
    """An empty data folder: the databases a user has built change what an engine knows."""
    folder = tempfile.TemporaryDirectory(prefix="sixprime-tests-", ignore_cleanup_errors=True)
    os.environ["SIXPRIME_DATA"] = folder.name
    config.add_cleanup(folder.cleanup)


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
