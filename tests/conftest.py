"""Fixtures of the whole suite."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence

import pytest

from sixprime.engine import rollout


def pytest_configure(config: pytest.Config) -> None:
    """An empty data folder: the databases a user has built change what an engine knows."""
    folder = tempfile.TemporaryDirectory(prefix="sixprime-tests-", ignore_cleanup_errors=True)
    os.environ["SIXPRIME_DATA"] = folder.name
    config.add_cleanup(folder.cleanup)


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run_with_input() -> Run:
    """Runs `sixprime` with arguments and standard input in a process of its own."""

    def run(arguments: Sequence[str], stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "sixprime", *arguments]
        result = subprocess.run(command, input=stdin, capture_output=True, timeout=300)
        return subprocess.CompletedProcess(command, result.returncode, result.stdout.decode(), result.stderr.decode())

    return run


@pytest.fixture
def every_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rollouts report after every task, however fast the machine is."""
    monkeypatch.setattr(rollout, "SHOWN_EVERY", 0.0)
    monkeypatch.setattr(rollout, "SHOWN_REST", 0.0)
