"""Bots from what a user writes."""

from __future__ import annotations

import re
from pathlib import Path

from sixprime.engine import Engine
from sixprime.engine.filters import MAX_PLIES
from sixprime.engine.presets import get_preset
from sixprime.errors import SettingsError
from sixprime.players.bot import Bot
from sixprime.players.child import TIMEOUT
from sixprime.players.engine import EngineBot
from sixprime.players.levels import LEVELS, LevelBot
from sixprime.players.luck import Evaluator

_PLIES = re.compile(r"(.+)@([0-9]+)(?:-?ply)?")


class Lobby:
    """Makes bots from what a user writes; nets that are named twice are loaded once.

    threads: of our own nets, None for all cores. timeout: seconds without an answer after which another program is
    given up. gnubg: the program, None to look for it.
    """

    def __init__(
        self,
        *,
        threads: int | None = None,
        timeout: float = TIMEOUT,
        gnubg: str | None = None,
        filter: str | None = None,
    ) -> None:
        self._threads, self._timeout, self._gnubg, self._filter = threads, timeout, gnubg, filter
        self._engines: dict[str, Engine] = {}

    def bot(self, text: str) -> Bot:
        """The bot of a specification: a shipped net by its name ("standard"), a network file, "gnubg", with
        "@N" or "@Nply" behind it for N plies (0 without), a level that errs as people do ("beginner"), or
        "ubgi:COMMAND".

        Raises `SettingsError` for one that cannot be read, `DataFileError` for a bad net, `EngineError` for a program
        that cannot be started.
        """
        if text.startswith("ubgi:"):
            from sixprime.players.ubgi import UbgiBot

            return UbgiBot(text.removeprefix("ubgi:"), timeout=self._timeout)
        if text in LEVELS:
            return LevelBot(LEVELS[text], LEVELS[text].engine(threads=self._threads))
        name, plies = _split(text)
        if name == "gnubg":
            from sixprime.players.gnubg import GnubgBot

            return GnubgBot(plies, program=self._gnubg, timeout=self._timeout)
        base, _, preset = text.rpartition("@")
        if base and name == text and not Path(text).exists():
            return self._at_level(base, preset)
        _check_plies(text, plies)
        return EngineBot(f"{name}@{plies}ply", self._engine(name), plies)

    def _at_level(self, name: str, level: str) -> Bot:
        """A net of ours at a level. Raises `SettingsError` for an unknown one and one with rollouts."""
        preset = get_preset(level)
        if name == "gnubg" or preset.rollout:
            raise SettingsError(
                f"{name}@{level}: only our nets have levels, and those with rollouts do not play duels."
            )
        engine = Engine(name, threads=self._threads, level=preset, filter=self._filter)
        return EngineBot(f"{name}@{preset.name}", engine, preset.plies)

    def evaluator(self, name: str) -> Evaluator:
        """The judge of luck that uses this net, with "@N" behind it at N plies.

        Raises `DataFileError` for a bad net, `SettingsError` for too many plies."""
        if not name.strip():
            raise SettingsError("an evaluator is a net, with @N behind it for N plies. Got nothing instead.")
        base, plies = _split(name)
        _check_plies(name, plies)
        return Evaluator(self._engine(base), plies)

    def _engine(self, name: str) -> Engine:
        if name not in self._engines:
            self._engines[name] = Engine(name, threads=self._threads, filter=self._filter)
        return self._engines[name]


def _split(text: str) -> tuple[str, int]:
    """A name and its plies, 0 without "@N" behind it; a file may be called so, too."""
    level = None if Path(text).exists() else _PLIES.fullmatch(text)
    return (level[1], int(level[2])) if level else (text, 0)


def _check_plies(text: str, plies: int) -> None:
    if plies > MAX_PLIES:
        raise SettingsError(f"{text}: our nets look 0 to {MAX_PLIES} plies ahead.")
