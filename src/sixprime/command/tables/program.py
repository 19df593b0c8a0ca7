"""The program itself: its version, licence, nets and speed, the clipboard, and other programs that it answers."""

from __future__ import annotations

import time
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, files, version
from importlib.util import find_spec
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from sixprime import reading
from sixprime._version import __version__
from sixprime.command import engines
from sixprime.command.answers import standing
from sixprime.command.call import Call
from sixprime.command.run_of_play import Decider, board_text
from sixprime.command.tables.answering import seen
from sixprime.command.tables.files import data_file
from sixprime.command.tree import ROOT, Node, command
from sixprime.command.words import Path, Refused, Word, whole
from sixprime.paths import expanded

if TYPE_CHECKING:
    from collections.abc import Iterator

_EXTRAS = (
    ("Shell with completion", "prompt_toolkit"),
    ("PNG pictures", "resvg_py"),
    ("PDF exports", "typst"),
    ("Board in the browser", "starlette"),
    ("Rollouts on a cluster", "distributed"),
    ("Training", "torch"),
)
_ROUND = 0.25
"""Seconds of a round of `calibrate`."""
_BATCH = 1024
_MOST_ROUNDS = 1000


@command("show version", "Say which program this is")
def show_version(call: Call) -> None:
    call.say(f"Sixprime {__version__}, in the language of GNU Backgammon 1.07")
    call.say("\nCopyright (c) the Sixprime authors; `show credits' names what it is made of.")


@command("show credits", "Say whose work this program is made of")
def show_credits(call: Call) -> None:
    call.say("Sixprime is written by the Sixprime authors. It is made with:")
    for name in ("numpy", "numba", "rich", "cyclopts", "jinja2", "safetensors", "msgspec", "platformdirs"):
        call.say(f"  {name} {_version(name)}")
    call.say("Its language and many of its measures follow GNU Backgammon, by Gary Wong and others.")


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


@command("show copying", "Show the terms on which this program may be passed on")
def show_copying(call: Call) -> None:
    call.say(_licence())


@command("show warranty", "Say that there is no warranty")
def show_warranty(call: Call) -> None:
    licence = _licence()
    call.say(licence.partition("\n\n")[0] + "\n")
    call.say(licence.rpartition("\n\n")[2].strip())


def _licence() -> str:
    """The text of the licence, or where it is."""
    with suppress(PackageNotFoundError, OSError):
        for each in files("sixprime") or ():
            if each.name == "LICENSE":
                return reading.read_text(FilePath(str(each.locate())))
    return "MIT License\n\nThe terms are in the file LICENSE.\n\nThere is no warranty of any kind."


@command("show buildinfo", "Say what this installation can do")
def show_buildinfo(call: Call) -> None:
    for what, package in _EXTRAS:
        call.say(f"{what} {'supported' if find_spec(package) else f'not installed ({package})'}.")
    for always in ("Python scripts", "SQLite database", "External players", "Multiple threads"):
        call.say(f"{always} supported.")


@command("show commands", "List every command")
def show_commands(call: Call) -> None:
    call.say("\n".join(_leaves(ROOT)))


def _leaves(node: Node) -> Iterator[str]:
    for child in node.order:
        if child.hidden:
            continue
        if child.run is not None and not child.children:
            yield child.name
        yield from _leaves(child)


@command("show engine", "Say which nets and databases judge")
def show_engine(call: Call) -> None:
    judge = engines.engine(call, call.options.in_use.chequer.evaluation, call.options.in_use.filter)
    header = judge.net.header
    call.say(f" * Neural nets `{header.get('name', 'without a name')}', checksum {judge.net.checksum}")
    for name, params in (("contact", judge.net.contact), ("race", judge.net.race), ("pruning", judge.net.pruner)):
        call.say(f"   - {name}: {params.rows.shape[0]} inputs, {params.rows.shape[1]} hidden units")
    found = judge.databases
    call.say("\n * Bear-off databases")
    for side in (found.one_sided, *found.wider):
        call.say(f"   - one-sided: up to {side.chequers} chequers on {side.points} points")
    for pair in found.two_sided:
        call.say(f"   - two-sided: up to {pair.chequers} chequers on {pair.points} points")
    call.say(f"\n * Match equity table: {judge.met.name}\n * Cube: {judge.cube_model.name}")


@command("load weights", "Take other neural nets: a file of Sixprime's; without one, those that ship", "[filename]")
def load_weights(call: Call, path: Path = None) -> None:
    if path:
        from sixprime.nets.file import load

        found = expanded(data_file(call, path))
        header = load(found).header
        call.shell.kept["weights"] = found
        call.say(f"Neural nets `{header.get('name', path)}' are used from now on.")
    else:
        call.shell.kept.pop("weights", None)
        call.say("The neural nets that ship are used from now on.")
    call.shell.kept.pop("external", None)


@command("calibrate", "Measure how many static evaluations a second there are", "[rounds]")
def calibrate(call: Call, word: Word = None) -> None:
    from sixprime.game.position import Position

    rounds = 1 if word is None else whole(word)
    if rounds is None:
        raise Refused("If you specify a parameter to `calibrate', it must be a number of iterations to run.")
    if not 1 <= rounds <= _MOST_ROUNDS:
        raise Refused(f"The number of rounds must be from 1 to {_MOST_ROUNDS}; got {rounds}.")
    how = call.options.in_use.chequer.evaluation
    judge = engines.engine(call, how, call.options.in_use.filter)
    start, asked = Position.start(), 0
    batch = [play.play.result for play in judge.best_plays(start, (2, 1), plies=0, count=None)]
    many = (batch * (_BATCH // len(batch) + 1))[:_BATCH]
    judge.evaluate_many(many, plies=0)
    began = time.perf_counter()
    while (past := time.perf_counter() - began) < rounds * _ROUND:
        judge.forget()
        judge.evaluate_many(many, plies=0)
        asked += len(many)
    speed = asked / past
    call.put("calibration", float(round(speed)))
    call.say(f"Calibration result: {speed:.0f} static evaluations/second.")


@command("copy", "Copy the board to the clipboard")
def copy(call: Call) -> None:
    table = seen(call)
    to_clipboard(call, board_text(call, table.position, standing.ended(table, live=call.state.live)), "The board")


def to_clipboard(call: Call, text: str, what: str) -> None:
    """Copies a text. Raises `Refused` where there is no clipboard."""
    if call.shell.clipboard is None:
        raise Refused("There is no clipboard here: only a terminal that `sixprime shell' runs in has one.", wrong=True)
    call.shell.clipboard(text)
    call.say(f"{what} is in the clipboard, if this terminal allows it.")


@command("external", "Answer programs that ask for decisions, until interrupted", "<host>:<port>")
def external(call: Call, address: Path = None) -> None:
    from sixprime.players.external import parse_address
    from sixprime.protocols.external import serve

    if not address:
        raise Refused("You must specify the name of the socket to the external controller.")
    host, port = parse_address(address)
    kept = call.options.in_use
    seat = Decider(call, kept.chequer, kept.cube, kept.filter)
    try:
        serve(seat, host, port, ready=lambda host, port: call.say(f"Waiting for a connection from {address}..."))
    except KeyboardInterrupt:
        call.say("(Interrupted)")
