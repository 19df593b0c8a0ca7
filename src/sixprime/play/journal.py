"""The journal of a session: a file of JSON lines, the first of which says how it began, each other what was done.

A line is written, whole and before anybody hears of it, by appending. So what a crash leaves is a journal whose last
line may be torn: what it was to say had not happened yet.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from operator import index
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from sixprime.errors import InvalidFileError, RulesError, SettingsError
from sixprime.game.acts import (
    Accept,
    Act,
    Beaver,
    Decline,
    Double,
    Drop,
    Move,
    NextGame,
    Opening,
    Resign,
    Roll,
    Set,
    Take,
)
from sixprime.game.match_rules import Rules
from sixprime.game.record import Match, Player
from sixprime.game.table import Table
from sixprime.paths import Locked, locked, writing
from sixprime.play.dice import DiceSource, GeneratedDice, ListedDice, ManualDice, SeededDice
from sixprime.reading import ROWS, parse_json, read_bytes

_FORMAT = "sixprime-session-1"
_KINDS: dict[str, type[Any]] = {
    kind.__name__.lower(): kind
    for kind in (Accept, Beaver, Decline, Double, Drop, Move, NextGame, Opening, Resign, Roll, Set, Take)
}
_SOURCES: dict[str, type[Any]] = {kind.__name__: kind for kind in (GeneratedDice, ListedDice, ManualDice, SeededDice)}

_OF_SESSION = ("seats", "automation", "clock", "info")
_BESIDE = ("do", "alone", "seconds", "loaded")
"""What a line says of an act beside the act itself."""

Entry = dict[str, Any]
T = TypeVar("T")


class Journal:
    """A journal that is being written, by one session at a time and never by two processes."""

    def __init__(self, path: Path, size: int) -> None:
        self._path, self._size = path, size
        self._mine: Locked | None = locked(path)

    @classmethod
    def begin(cls, path: Path, first: Entry) -> Journal:
        """A new journal with its first line. Raises OSError, also if there is such a file."""
        with writing(path), path.open("xb"):
            pass
        journal = cls(path, 0)
        try:
            journal.append(first)
        except BaseException:
            path.unlink()  # an empty file is no journal, and would be in the way of the next one
            raise
        return journal

    @classmethod
    def go_on(cls, path: Path, size: int) -> Journal:
        """A journal that goes on after its first `size` bytes. Raises OSError, also while another process has it."""
        journal = cls(path, size)
        with writing(path):
            os.truncate(path, size)
        return journal

    @property
    def path(self) -> Path:
        """Where it is."""
        return self._path

    def close(self) -> None:
        """Lets others have it."""
        self._mine = None

    def append(self, entry: Entry) -> None:
        """One line more. Raises OSError, which names the file, and leaves no half a line."""
        line = msgspec.json.encode(entry) + b"\n"
        with writing(self._path), self._path.open("r+b", buffering=0) as stream:
            if stream.seek(0, os.SEEK_END) != self._size:
                raise OSError(errno.ESTALE, "has been changed by somebody else", str(self._path))
            try:
                rest = line
                while rest:
                    rest = rest[stream.write(rest) :]
            except BaseException:
                os.ftruncate(stream.fileno(), self._size)
                raise
        self._size += len(line)


@dataclass(frozen=True, slots=True)
class Kept:
    """What a journal holds. begun: the table at first; dice: None for a source of the caller's own.

    entries: of the whole lines after the first, with their numbers; size: bytes of all whole lines. beside: what
    the first line says beside the table and its dice.
    """

    path: Path
    begun: Table
    dice: DiceSource | None
    entries: tuple[tuple[int, Entry], ...]
    size: int
    beside: Entry = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> Kept:
        """The journal in a file; a last line without an end is none. Raises `InvalidFileError`, OSError."""
        data = read_bytes(path, ROWS)
        size = data.rfind(b"\n") + 1
        if not size:
            raise InvalidFileError("no journal of a session: its first line has no end", path=path)
        entries = tuple(_parsed(path, data[:size]))
        with refusing(path, 1):
            first = entries[0][1]
            if first.get("format") != _FORMAT:
                raise ValueError(f"format {first.get('format')!r}, expected {_FORMAT!r}")
            beside = {name: first.pop(name) for name in _OF_SESSION if name in first}
            return cls(path, _begun(first), source_of(first["dice"]), entries[1:], size, beside)


@contextmanager
def refusing(path: Path, line: int) -> Iterator[None]:
    """Within the block whatever is wrong with a line of a journal becomes an `InvalidFileError` that names it."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        # What is wrong from the beginning is more likely another file.
        said = f"the journal is damaged{' or none at all' if line == 1 else ''}"
        raise InvalidFileError(f"{said} ({_in_words(error)})", path=path, line=line) from error


def _in_words(error: Exception) -> str:
    """What is wrong with a line."""
    if isinstance(error, KeyError):
        return f"{error} is missing, or no word of journals"
    return str(error) if isinstance(error, ValueError) else "its values are of another kind than those of a journal"


def _parsed(path: Path, data: bytes) -> Iterator[tuple[int, Entry]]:
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        with refusing(path, number):
            entry = parse_json(line)
            if not isinstance(entry, dict):
                raise ValueError("not an object")
            yield number, entry


# The beginning


def beginning(table: Table, dice: DiceSource) -> Entry:
    """The first line. Raises `SettingsError` for a table that was not reached by the rules."""
    entry: Entry = {"format": _FORMAT, "dice": entry_of_source(dice), "rules": table.rules}
    try:
        new = Table.new(table.rules, table.match.players, table.game.score, table.game.crawford)
        if table == new:
            entry |= {"players": table.match.players, "score": table.score, "crawford": table.game.crawford}
        else:
            dealt = table.record() == table.match
            from sixprime.codec import to_json

            entry |= {"record": msgspec.Raw(to_json(table.record())), "declined": table.declined, "dealt": dealt}
        sound = _begun(parse_json(msgspec.json.encode(entry))) == table
    except (RulesError, SettingsError):
        sound = False
    if not sound:
        raise SettingsError("a journal begins with a table that was reached by the rules.")
    return entry


def _begun(first: Entry) -> Table:
    rules = _read(first["rules"], Rules)
    if "record" not in first:
        new = _read(first, _New, "format", "dice", "rules")
        return Table.new(rules, new.players, new.score, new.crawford)
    from sixprime.codec import from_json

    declined = msgspec.convert(first["declined"], tuple[int, int])
    table = Table.from_record(from_json(msgspec.json.encode(first["record"]), Match))
    return replace(table.apply(NextGame()) if first["dealt"] else table, rules=rules, declined=declined)


@dataclass(frozen=True, slots=True)
class _New:
    players: tuple[Player, Player]
    score: tuple[int, int]
    crawford: bool


def entry_of_source(dice: DiceSource) -> Entry | None:
    """What a line says of a source of dice; None where it is none of ours."""
    kind = type(dice).__name__
    return {"kind": kind, **msgspec.to_builtins(dice)} if _SOURCES.get(kind) is type(dice) else None


def source_of(entry: Entry | None) -> DiceSource | None:
    """The source of dice that a line tells of. Raises as `act_of` does."""
    source: DiceSource | None = None if entry is None else _read(entry, _SOURCES[entry["kind"]], "kind")
    return source


# Acts


def entry_of(act: Act) -> Entry:
    """What a line says of an act."""
    kind = type(act).__name__.lower()
    if isinstance(act, Move):
        return {"do": kind, "player": act.player, "play": str(act.play)}
    return {"do": kind, **msgspec.to_builtins(act, enc_hook=index)}  # numbers may be NumPy's


def act_of(entry: Entry, table: Table) -> Act:
    """The act that a line tells of, at the table before it. Raises ValueError, LookupError or TypeError for none."""
    kind = _KINDS[entry["do"]]
    if kind is Move:
        written = _read(entry, _Written, *_BESIDE)
        return Move(written.player, table.move(written.play).play)
    act: Act = _read(entry, kind, *_BESIDE)
    return act


def _read(entry: Entry, kind: type[T], *others: str) -> T:
    """The value of a class, whose fields a line has, and others beside. Raises ValueError."""
    own = {name: value for name, value in entry.items() if name not in others}
    if unknown := own.keys() - {each.name for each in fields(kind)}:  # type: ignore[arg-type]
        raise ValueError(f"unknown key {min(unknown)!r}")
    return msgspec.convert(own, kind)


@dataclass(frozen=True, slots=True)
class _Written:
    player: int
    play: str
