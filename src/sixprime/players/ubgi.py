"""Any engine that speaks UBGI 0.2 (Universal Backgammon Interface) as a bot of cubeless money games.

The protocol says neither how a double is answered nor, in a form all engines know, what the score is; so games
with a cube and matches are left out.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.state import CubeState
from sixprime.errors import EngineError, InvalidPlayError, SettingsError
from sixprime.game.play import find_play
from sixprime.game.position import Position
from sixprime.players.bot import Asked
from sixprime.players.child import TIMEOUT, Child
from sixprime.players.foreign import checked_plays


class UbgiBot:
    """An engine started by a command line; behind semicolons follow its settings, "COMMAND;engine.ply=2".

    Raises `EngineError` when it does not start or does not speak UBGI, `SettingsError` for a bad specification.
    """

    waits = True
    room = 32

    def __init__(self, text: str, *, timeout: float = TIMEOUT) -> None:
        command, *settings = (part.strip() for part in text.split(";"))
        try:
            words = shlex.split(command)
        except ValueError as error:
            raise SettingsError(f"ubgi:{command}: {error}") from None
        if not words:
            raise SettingsError("ubgi: needs the command that starts the engine, such as ubgi:./engine.")
        self.name = f"ubgi:{text}"
        self._child = Child(self.name, words, timeout=timeout)
        try:
            self._child.send("ubgi")
            title = words[0]
            while (line := self._line("ubgiok")) != "ubgiok":
                title = line.removeprefix("id name ") if line.startswith("id name ") else title
            for setting in settings:
                key, found, value = setting.partition("=")
                if not found:
                    raise SettingsError(f"{self.name}: settings are KEY=VALUE, such as engine.ply=2; got {setting!r}.")
                self._child.send(f"set {key} {value}")
            self._child.send("isready")
            while self._line("readyok") != "readyok":
                pass
            self._child.send("newgame")
        except (EngineError, SettingsError):
            self.close()
            raise
        self.identity = f"{title} {text}"

    def check(self, state: CubeState) -> None:
        """Raises `SettingsError` unless the game is cubeless money."""
        if state.limit > 1:
            raise SettingsError(f"{self.name}: UBGI engines play cubeless money games only (length 0, cube limit 1).")

    def plays(self, asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        """Boards `int8[N, 32]` after its plays, seen by the side then on roll."""

        def ask(which: NDArray[np.int64]) -> Sequence[object]:
            boards = kernels.unpack(asked.boards[which])
            return [self._ask(board, roll) for board, roll in zip(boards, dice[which].tolist(), strict=True)]

        return checked_plays(self.name, asked, dice, ask)

    def _ask(self, board: NDArray[np.int8], roll: list[int]) -> list[int] | str:
        """Single steps of its play, start and end in turn; the text as it came when it is no legal play."""
        position = Position.from_board(board)
        for line in (f"position gnubgid {position.id}", f"dice {roll[0]} {roll[1]}", "go chequer"):
            self._child.send(line)
        while not (line := self._line("bestmove")).startswith("bestmove"):
            pass
        text = line.removeprefix("bestmove").strip()
        try:
            play = find_play("" if text == "pass" else text, position, (roll[0], roll[1]))
        except InvalidPlayError:
            return text
        return text if play is None else [point for step in play.steps for point in (step.start, step.end)]

    def _line(self, wanted: str) -> str:
        """The next line. Raises `EngineError` for a complaint of the engine."""
        line = self._child.line()
        if line.startswith("error"):
            raise EngineError(f"{self.name} answered {line[:200]!r} where {wanted!r} was expected.")
        return line

    def doubles(self, asked: Asked) -> NDArray[np.bool_]:
        """Never: there is no cube."""
        return np.zeros(len(asked.boards), dtype=np.bool_)

    def takes(self, asked: Asked) -> NDArray[np.bool_]:
        """Always: there is no cube."""
        return np.ones(len(asked.boards), dtype=np.bool_)

    def close(self) -> None:
        """Ends the engine."""
        self._child.close()
