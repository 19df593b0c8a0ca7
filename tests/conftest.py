"""Fixtures of the whole suite."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence

import pytest

from sixprime.engine import rollout

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
