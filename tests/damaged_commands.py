"""Lines in GNU Backgammon's language, sound, mutated and thrown together, for `damaged.KINDS`.

An input is a script of `LINES` lines. It is run in an interpreter of its own, in a folder of its own, and may not
raise; after every line the game in progress must be legal.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from sixprime.command.options import Decision, Options
from sixprime.command.tables import ROOT
from sixprime.gnubg.desk import interpreter

DATA = Path(__file__).parent / "data"
LINES = 10
_AVOIDED = ("set priority", "set browser", "show manual", "external", "copy", "calibrate", "set threads", "?", "help")
"""Commands that reach out of the process, or wait for somebody."""
_SCRAPS = (
    *("0", "1", "2", "3", "both", "on", "off", "yes", "-1", "31", "6", "7", "64", "8/5", "8/5 6/5", "bar/20", "24/23"),
    *("4HPwATDgc/ABMA", "cAkAAAAAAAAA", "cIkFAAAAAAAA", "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"),
    *("foo", "=", "=1", '"', "'", "x/y", "99999999999", "1e400", "-0.5", "0,5", "60%", "gammon", "m.sgf", "m.mat", "#"),
    *("", ">", "\\", "é", "\x00", "\u202e", "ſ", "simple", "match", "game", "evaluation", "rollout", "plies", "set"),
)
_PLAYERS = ("0", "1", "both", "gnubg", "2")


@cache
def _leaves() -> list[str]:
    return [node.name for node in ROOT.leaves() if not node.name.startswith(_AVOIDED)]


def command_seeds(_: Sequence[Path]) -> list[bytes]:
    """The corpus of scripts, without what reaches out."""
    return [
        "\n".join(line for line in path.read_text().splitlines() if not line.startswith(("#", ">", *_AVOIDED))).encode()
        for path in sorted((DATA / "scripts").glob("*.txt"))
    ]


def _thrown(chance: random.Random) -> str:
    """A command with anything behind it."""
    words = chance.choice(_leaves())
    if words.startswith(("set player", "set analysis player", "set cheat player")) or " player " in words:
        words = words.replace("player", f"player {chance.choice(_PLAYERS)}")
    return " ".join([words, *(chance.choice(_SCRAPS) for _ in range(chance.randrange(5)))])


def damage_commands(chance: random.Random, seeds: list[bytes]) -> bytes:
    """A script of lines that were thrown together, taken as they are, or mutated."""
    lines = []
    for _ in range(LINES):
        line = _thrown(chance)
        if chance.random() < 0.5:
            line = chance.choice(chance.choice(seeds).decode().splitlines() or [""])
        if chance.random() < 0.3:
            at = chance.randrange(len(line) + 1)
            line = line[:at] + chance.choice((chr(chance.randrange(1, 400)), chance.choice(_SCRAPS))) + line[at + 1 :]
        lines.append(line)
    return "\n".join(lines).encode("utf-8", "replace")


def feed_commands(folder: Path, data: bytes) -> None:
    """Runs a script. Raises AssertionError where a traceback is shown or the game is not legal."""
    folder.mkdir(exist_ok=True)
    for name, source in (("m.sgf", "sgf/edited.sgf"), ("m.mat", "mat/gnubg.mat")):
        shutil.copy(DATA / source, folder / name)
    said: list[str] = []
    shell = interpreter(said.append, said.append)
    shell.settings, shell.database = str(folder / "settings"), folder / "gnubg.db"
    before = os.getcwd()
    os.chdir(folder)
    try:
        for number, line in enumerate(
            ["set rng mersenne 5", "new match 3", *data.decode("utf-8", "replace").split("\n")]
        ):
            if line.strip().startswith((*_AVOIDED, ">")):  # a line of Python may raise what it likes
                continue
            shell.state = replace(shell.state, options=_light(shell.state.options))
            with _told(number, line):
                shell.run(line)
            state = shell.state
            with _told(number, line):
                assert (state.table is None) == (state.match is None), "a table without a match"
                assert state.table is None or state.table.legal().kinds is not None
                assert "Traceback" not in "".join(said), "".join(said)[-2000:]
                shell.run("show board")
            said.clear()
            shell.ended = False
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _told(number: int, line: str) -> Iterator[None]:
    """Names the line in what goes wrong."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"line {number}: {line!r}: {type(error).__name__}: {error}") from error


def _light(options: Options) -> Options:
    """Options with which nothing takes long, whatever was set; people at both sides, so that no game runs on."""

    def decision(found: Decision) -> Decision:
        return replace(found, type="evaluation", evaluation=replace(found.evaluation, plies=0))

    seats = tuple(
        replace(seat, type="human", chequer=decision(seat.chequer), cube=decision(seat.cube))
        for seat in options.players
    )
    parts = {
        name: replace(
            getattr(options, name),
            chequer=decision(getattr(options, name).chequer),
            cube=decision(getattr(options, name).cube),
        )
        for name in ("evaluation", "analysis")
    }
    parts["analysis"] = replace(parts["analysis"], luckanalysis=replace(parts["analysis"].luckanalysis, plies=0))
    rollout = replace(options.rollout, trials=1, truncation=True, truncation_plies=1)
    return replace(options, players=seats, rollout=rollout, threads=1, **parts)
