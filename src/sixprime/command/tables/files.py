"""Matches read and written, and files of commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sixprime import reading
from sixprime.command import run_of_play as run
from sixprime.command.answers.standing import ended
from sixprime.command.call import NO_GAME, Call
from sixprime.command.options import Options, changed
from sixprime.command.tree import command, group
from sixprime.command.words import Path, Refused
from sixprime.errors import SixprimeError
from sixprime.game.replay import cube_turned, gammon_counted_once
from sixprime.paths import expanded

if TYPE_CHECKING:
    from sixprime.game.record import Match
    from sixprime.game.table import Table

_DEEPEST = 16
"""Files of commands that call one another."""


def put(
    call: Call, path: str | None, what: str, write: Callable[[FilePath], Sequence[FilePath]], *, text: bool = True
) -> None:
    """Has files written that a user names, `-` for the answer itself; asks before one is replaced.

    what: is named where no file is; write: returns the files it has written; text: whether they are. Raises `Refused`.
    """
    if not path:
        raise Refused(f"You must specify {what} (see `help {call.name}').")
    if path == "-":
        if not text:
            raise Refused("That is no text, which only a file can hold.")
        with TemporaryDirectory(prefix="sixprime-") as folder:
            for file in write(FilePath(folder) / "answer"):
                if not file.suffix:  # Pictures of a page have one.
                    call.say(reading.read_text(file, errors=reading.WESTERN).removesuffix("\n"))
        return
    target = expanded(path)
    if call.options.confirm.save and target.exists() and not call.sure(f"File {path} exists, overwrite?"):
        return
    write(target)


def data_file(call: Call, name: str, *within: str) -> str:
    """A file as it is named, or that in a folder of data, or of those in it, where there is none so."""
    folders = (folder / each for folder in call.shell.data for each in ("", *within))
    found = (folder / name for folder in folders if not expanded(name).is_file())
    return next((str(path) for path in found if path.is_file()), name)


def take_up(call: Call, match: Match) -> None:
    """Makes a match that was read the one in hand, its players known by their names; who has none keeps his."""
    names = [seat.name for seat in call.options.players]
    first, second = (
        replace(who, name=who.name or next(name for name in (own, *names) if name != other.name))
        for who, other, own in zip(match.players, match.players[::-1], names, strict=True)
    )
    state = call.state.with_match(replace(match, players=(first, second)))
    options = state.options
    for player, who in enumerate(match.players):
        if who.name:
            options = changed(options, f"players.{player}.name", who.name)
    state = replace(state, options=options)
    if options.gotofirstgame:
        state = state.gone(0, 0)
    call.state = state


def _as_set(match: Match, options: Options) -> Match:
    """A match by the rules that are set, where its file is silent on them and what was played allows it."""
    if match.format not in _SILENT:
        return match
    said = {key.lower() for key, _ in match.tags}
    own: dict[str, Any] = {}
    if not match.length and not options.jacoby and "jacoby" not in said and not gammon_counted_once(match):
        own["jacoby"] = False
    if not options.cube_use and "cubelimit" not in said and not cube_turned(match):
        own["cube_limit"] = 1
    return replace(match, games=tuple(game.ruled(**own) for game in match.games), **own) if own else match


def _read(call: Call, path: str | None, what: str) -> None:
    if not path:
        raise Refused(f"You must specify {what} (see `help {call.name}').")
    from sixprime import formats

    if not expanded(path).exists():
        missing = (
            f"The file `{path}' doesn't exist" if call.name == "import auto" else f"{path}: No such file or directory"
        )
        raise Refused(missing, wrong=True)
    try:
        match = formats.read(expanded(path))
    except SixprimeError as error:
        raise Refused(str(error), wrong=True) from None
    if call.name.startswith("import"):
        kind = formats.detect(reading.read_bytes(expanded(path), reading.DOCUMENT))
        aliases = [name.strip() for name in call.options.aliases.split(";")]
        if kind in _SEATED or (kind == "mat" and match.players[0].name in aliases):
            match = match.reseated()
        match = _as_set(match, call.options)
    if call.options.usekeynames:
        names = [name.strip() for name in re.split(r"[;\t]", call.options.keynames) if name.strip()]
        if [player.name in names for player in match.players] == [True, False]:
            match = match.reseated()
    if call.name in ("load game", "load position"):
        match = replace(match, games=match.games[:1])
    for problem in match.problems[:_SHOWN_PROBLEMS]:
        call.complain(f"Warning: {problem}")
    if len(match.problems) > _SHOWN_PROBLEMS:
        call.complain(f"Warning: {path}: {len(match.problems) - _SHOWN_PROBLEMS} more problems")
    take_up(call, match)
    run.show_board(call)


_SHOWN_PROBLEMS = 10
_SEATED = ("sgg", "tmg")
"""Formats whose first player GNU Backgammon seats as player 1."""
_SILENT = ("mat", "gam", "gammonempire", "oldmoves", "partygammon", "bgroom", "bgammon", "bkg")
"""Formats that say nothing of Jacoby's rule and of the use of the cube, or say it in tags."""
_KINDS = {
    "auto": "a file of any known kind",
    "mat": "a Jellyfish match",
    "gam": "a Jellyfish game",
    "oldmoves": "a FIBS oldmoves file",
    "empire": "a GammonEmpire game",
    "party": "a PartyGammon game",
    "bgroom": "a BGRoom game",
    "pos": "a Jellyfish position",
    "sgg": "a GamesGrid match",
    "snowietxt": "a Snowie text match",
    "tmg": "a TrueMoneyGames match",
}


_ASKED = {
    "auto": "a file",
    "oldmoves": "an oldmoves file",
    "empire": "a GammonEmpire file",
    "party": "a PartyGammon file",
    "bgroom": "a BGRoom file",
    "pos": "a position file",
    "sgg": "an SGG file",
    "snowietxt": "a Snowie Text file",
    "tmg": "an TMG file",
}


def _importer(word: str, text: str) -> None:
    @command(f"import {word}", f"Read {text}", "<filename>")
    def read(call: Call, path: Path = None) -> None:
        _read(call, path, f"{_ASKED.get(word, 'a match file')} to import")


group("import", "Read matches, games and positions of other programs")
for _word, _text in _KINDS.items():
    _importer(_word, _text)
group("load", "Read a file")
group("save", "Write a file")


@command("load match|load game|load position", "Read a match, game or position that was saved", "<filename>")
def load_match(call: Call, path: Path = None) -> None:
    _read(call, path, "a file to load from")


@command("load commands", "Do the commands of a file", "<filename>")
def load_commands(call: Call, path: Path = None) -> None:
    if not path:
        raise Refused("You must specify a file to load from.")
    if call.shell.depth >= _DEEPEST:
        raise Refused(f"{path}: files of commands call one another more than {_DEEPEST} deep")
    text = reading.read_text(expanded(path), errors=reading.WESTERN)
    call.shell.depth += 1
    try:
        call.shell.run_lines(text.splitlines())
    finally:
        call.shell.depth -= 1
    if call.shell.waiting is call.state.table and not call.shell.depth:
        run.go_on(call)


@command("load python", "Run a Python script", "<filename>")
def load_python(call: Call, path: Path = None) -> None:
    if not path:
        raise Refused("You must specify a file to load from (see `help load python').")
    if call.shell.python is None:
        raise Refused("This shell runs no Python.", wrong=True)
    call.shell.python.script(call.shell, path)


def alone(table: Table) -> Match:
    """A match that is the position of a table; of a game that was resigned, with the dice that were thrown."""
    from sixprime.analysis.single import position_match

    state = table.state.with_dice(ended(table, live=False).dice)
    return replace(position_match(table.position, state), players=table.match.players)


def _save(call: Call, match: Match, path: str | None) -> None:
    from sixprime import formats

    put(call, path, "a file to save to", lambda target: formats.write(match, target, "sgf"))


@command("save match", "Save the match", "<filename>")
def save_match(call: Call, path: Path = None) -> None:
    _save(call, call.match(), path)


@command("save game", "Save the game", "<filename>")
def save_game(call: Call, path: Path = None) -> None:
    match = call.match()
    _save(call, replace(match, games=match.games[call.state.game : call.state.game + 1]), path)


@command("save position", "Save the position", "<filename>")
def save_position(call: Call, path: Path = None) -> None:
    from sixprime.game.table import Table

    table = call.state.table
    if table is None:
        raise Refused(NO_GAME)
    if not call.state.playing:
        _save(call, alone(table), path)
        return
    only = Table.from_position(table.position, table.state, table.match.players, table.rules.variant)
    _save(call, only.record(), path)


@command("save settings", "Save the settings", "[filename]")
def save_settings(call: Call, path: Path = None) -> None:
    from sixprime import paths
    from sixprime.command.saving import settings_lines

    lines = "\n".join((*settings_lines(call.options), ""))
    if path == "-":
        call.shell.write(lines)
        return
    target = expanded(path or call.shell.settings)
    paths.write(target, lines)
    call.say(f"Settings saved to {target}.")
