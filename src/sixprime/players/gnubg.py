"""GNU Backgammon as a bot, through its embedded Python (see `inside_gnubg`).

A decision takes it some 0.2 ms at 0-ply, but every call waits for a clock of 10 ms. So several processes, asleep
most of the time, share the decisions of a batch.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.state import CubeState
from sixprime.errors import EngineError, SettingsError
from sixprime.players.bot import Asked
from sixprime.players.child import TIMEOUT, Child, clean_environment
from sixprime.players.foreign import checked_plays

PLACES = ("/usr/games", "/usr/local/games", "/usr/local/bin", "/opt/homebrew/bin")
"""Where it is looked for besides PATH; Debian's folder of games is often not on it."""
PROCESSES = 8
_INSIDE = Path(__file__).with_name("inside_gnubg.py")
_MARK = "sixprime:"
_DOUBLES = frozenset((0, 1, 5, 7, 8, 16, 17, 18, 19, 20, 21))
"""Its numbers of the cube actions that begin with a double; see `cube.decision.CubeAction`."""


def find(path: str | None = None) -> str:
    """The program at `path`, else on PATH or in the usual places. Raises `EngineError` when there is none."""
    found = shutil.which(path or "gnubg") or (None if path else shutil.which("gnubg", path=os.pathsep.join(PLACES)))
    if found is None:
        raise EngineError(f"No GNU Backgammon found as {path or 'gnubg'}; give its place with --gnubg PATH.")
    return found


def version(program: str) -> str:
    """Such as "GNU Backgammon 1.07.001 20230103"."""
    text = subprocess.run([program, "--version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return text.stdout.split("\n")[0].strip()


class GnubgBot:
    """GNU Backgammon at a number of plies: no noise, deterministic, pruning nets and Normal filter when it searches.

    Raises `EngineError` when it is missing or does not start, `SettingsError` for plies it does not know.
    """

    waits = True

    def __init__(
        self, plies: int, *, program: str | None = None, timeout: float = TIMEOUT, processes: int = PROCESSES
    ) -> None:
        if plies > 4:
            raise SettingsError(f"gnubg@{plies}: 0 to 4 plies are played.")
        path = find(program)
        self.name = f"gnubg@{plies}ply"
        self.identity = f"{version(path)} {plies}-ply normal"
        self.room = 32 * processes if plies < 2 else 8 * processes
        self._plies = plies
        self._home = tempfile.TemporaryDirectory(prefix="sixprime-")
        (Path(self._home.name) / ".gnubg").mkdir()
        self._children: list[Child] = []
        try:
            for _ in range(processes):
                self._children.append(self._start(path, timeout))
            for child in self._children:
                self._answer(child)
        except EngineError:
            self.close()
            raise
        self._pool = ThreadPoolExecutor(processes)

    def _start(self, path: str, timeout: float) -> Child:
        return Child(
            self.name,
            [path, "-t", "-q", "-r", "-p", str(_INSIDE)],
            timeout=timeout,
            environment={**clean_environment(), "HOME": self._home.name},
            folder=Path(self._home.name),
        )

    def check(self, state: CubeState) -> None:
        """Plays everything that it can be told of. Raises `SettingsError` for matches longer than its own."""
        if state.length > 64:
            raise SettingsError(f"{self.name} plays matches of up to 64 points. Got {state.length} instead.")

    def plays(self, asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        """Boards `int8[N, 32]` after its plays, seen by the side then on roll."""
        return checked_plays(self.name, asked, dice, lambda which: self._ask("plays", asked.of(which), dice[which]))

    def doubles(self, asked: Asked) -> NDArray[np.bool_]:
        """Whether it doubles."""
        return np.array([answer[3] in _DOUBLES for answer in self._cubes(asked)], dtype=np.bool_)

    def takes(self, asked: Asked) -> NDArray[np.bool_]:
        """Whether it takes."""
        return np.array([answer[1] <= answer[2] for answer in self._cubes(asked)], dtype=np.bool_)

    def _cubes(self, asked: Asked) -> list[Any]:
        return self._ask("cubes", asked, np.zeros((len(asked.boards), 2), dtype=np.int8))

    def _ask(self, task: str, asked: Asked, dice: NDArray[np.int8]) -> list[Any]:
        """The answers, in order, shared out over the processes."""
        cubeful = int(any(state.limit > 1 for state in asked.states))
        request = {
            "task": task,
            "context": {"cubeful": cubeful, "plies": self._plies, "deterministic": 1, "noise": 0.0, "prune": 1},
            "states": [_state(state) for state in asked.states],
        }
        rows = [
            [group, high, low, board]
            for group, (high, low), board in zip(
                asked.groups.tolist(), dice.tolist(), kernels.unpack(asked.boards).tolist(), strict=True
            )
        ]
        shares = [rows[i :: len(self._children)] for i in range(len(self._children))]

        def work(number: int) -> list[Any]:
            child, share = self._children[number], shares[number]
            answers: list[Any] = [None] * len(share)
            if share:
                child.send(json.dumps(request | {"rows": share}))
                for _ in share:
                    i, answers[i] = self._answer(child)
            return answers

        answers: list[Any] = [None] * len(rows)
        for number, found in enumerate(self._pool.map(work, range(len(self._children)))):
            answers[number :: len(self._children)] = found
        return answers

    def _answer(self, child: Child) -> Any:
        """The next line that is meant for us."""
        return next(json.loads(line.removeprefix(_MARK)) for line in _lines(child) if line.startswith(_MARK))

    def close(self) -> None:
        """Ends the processes."""
        for child in self._children:
            child.close()
        self._home.cleanup()


def _lines(child: Child) -> Iterator[str]:
    while True:
        yield child.line()


def _state(state: CubeState) -> list[int]:
    """Cube, owner (-1 centred, 0 the side on roll, 1 the other), length, both scores, Crawford and Jacoby."""
    owner = {0: -1, 1: 0, -1: 1}[state.owner]
    scores = [state.length - points for points in state.away]
    return [state.cube, owner, state.length, *scores, int(state.crawford), int(state.jacoby)]
