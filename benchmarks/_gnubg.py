"""Drives GNU Backgammon through its embedded Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

INSIDE = Path(__file__).with_name("_inside_gnubg.py")


def find(path: str | None = None) -> str:
    """The program at `path`, else on PATH or in the usual places; ends the script when there is none."""
    from sixprime import EngineError
    from sixprime.players import gnubg

    try:
        return gnubg.find(path)
    except EngineError as error:
        sys.exit(str(error))


def version(program: str) -> str:
    """Such as "GNU Backgammon 1.07.001 20230103"."""
    from sixprime.players import gnubg

    return gnubg.version(program)


def command(program: str, folder: Path, task: str, **job: Any) -> tuple[list[str], dict[str, str]]:
    """The command line and environment that do a job; it answers in `folder`/answer.json."""
    home = folder / "home"
    (home / ".gnubg").mkdir(parents=True, exist_ok=True)
    paper = folder / "job.json"
    paper.write_text(json.dumps({"task": task, "answer": str(folder / "answer.json"), **job}), encoding="utf-8")
    environment = {**os.environ, "HOME": str(home), "SIXPRIME_BENCHMARK_JOB": str(paper)}
    # A PYTHONPATH meant for us could lead the embedded Python astray.
    environment.pop("PYTHONPATH", None)
    return [program, "-t", "-q", "-r", "-p", str(INSIDE)], environment


def run(program: str, task: str, **job: Any) -> dict[str, Any]:
    """Does one job of `_inside_gnubg.py` in a fresh process, with nothing in its cache."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        line, environment = command(program, folder, task, **job)
        done = subprocess.run(line, env=environment, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)
        answer = folder / "answer.json"
        if not answer.exists():
            sys.exit(
                f"{program} gave no answer to {task!r}:\n{(done.stdout + done.stderr).decode(errors='replace')[-3000:]}"
            )
        result: dict[str, Any] = json.loads(answer.read_text(encoding="utf-8"))
        return result
