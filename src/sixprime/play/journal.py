"""The journal of a session: a file of JSON lines, the first of which says how it began, each other what was done.

A line is written, whole and before anybody hears of it, by appending. So what a crash leaves is a journal whose last
line may be torn: what it was to say had not happened yet.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from sixprime.checks import shown
from sixprime.errors import InvalidFileError, SettingsError
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
from sixprime.game.position import Position
from sixprime.game.record import Player
from sixprime.game.state import GameState, MatchState
from sixprime.game.table import Table
from sixprime.paths import writing
from sixprime.play.dice import DiceSource, ListedDice, ManualDice, SeededDice
from sixprime.reading import ROWS, parse_json, read_bytes

_FORMAT = "sixprime-session-1"
_KINDS: dict[str, type[Any]] = {
    kind.__name__.lower(): kind
    for kind in (Accept, Beaver, Decline, Double, Drop, Move, NextGame, Opening, Resign, Roll, Set, Take)
}
_SOURCES: dict[str, type[Any]] = {kind.__name__: kind for kind in (ListedDice, ManualDice, SeededDice)}

Entry = dict[str, Any]


class Journal:
    """A journal that is being written, by one session at a time."""

    def __init__(self, path: Path, size: int) -> None:
        self._path, self._size = path, size

    @classmethod
    def begin(cls, path: Path, table: Table, dice: DiceSource) -> Journal:
        """A new journal. Raises OSError if there is such a file, `SettingsError` for a table that it cannot hold."""
        first = _beginning(table, dice)
        with writing(path), path.open("xb"):
            pass
        journal = cls(path, 0)
        journal.append(first)
        return journal

    @classmethod
    def go_on(cls, path: Path, size: int) -> Journal:
        """A journal that goes on after its first `size` bytes. Raises OSError."""
        with writing(path):
            os.truncate(path, size)
        return cls(path, size)

    def append(self, entry: Entry) -> None:
        """One line more. Raises OSError, which names the file, and leaves no half a line."""
        line = json.dumps(entry, separators=(",", ":")).encode() + b"\n"
        with writing(self._path), self._path.open("ab", buffering=0) as stream:
            if os.fstat(stream.fileno()).st_size != self._size:
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

    entries: of the whole lines after the first, with their numbers; size: bytes of all whole lines.
    """

    path: Path
    begun: Table
    dice: DiceSource | None
    entries: tuple[tuple[int, Entry], ...]
    size: int

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
            return cls(path, _begun(first), source_of(first["dice"]), entries[1:], size)


@contextmanager
def refusing(path: Path, line: int) -> Iterator[None]:
    """Within the block whatever is wrong with a line of a journal becomes an `InvalidFileError` that names it."""
    try:
        yield
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        said = f"the journal is damaged ({type(error).__name__}: {error})"
        raise InvalidFileError(said, path=path, line=line) from error


def _parsed(path: Path, data: bytes) -> Iterator[tuple[int, Entry]]:
    for number, line in enumerate(data.splitlines(), 1):
        with refusing(path, number):
            entry = parse_json(line)
            if not isinstance(entry, dict):
                raise ValueError("not an object")
            yield number, entry


# The beginning


def _beginning(table: Table, dice: DiceSource) -> Entry:
    """The first line. Raises `SettingsError` for a table with a history, which it does not hold."""
    source = entry_of_source(dice)
    entry: Entry = {"format": _FORMAT, "dice": source, "players": [asdict(player) for player in table.match.players]}
    if table.game.actions:
        entry |= {"position": _position(table.position), "state": _state(table.state)}
    else:
        entry |= {"rules": asdict(table.rules), "score": table.score, "crawford": table.state.crawford}
    if _begun(json.loads(json.dumps(entry))) != table:
        raise SettingsError("a journal begins with a new table or a position. Got a table of which more is known.")
    return entry


def _begun(first: Entry) -> Table:
    one, other = map(_player, first["players"])
    if "position" in first:
        state = _read_state(first["state"])
        return Table.from_position(_read_position(first["position"]), state, (one, other))
    score, crawford = tuple(first["score"]), first["crawford"]
    return Table.new(Rules(**first["rules"]), (one, other), score, crawford)


def _player(entry: Entry) -> Player:
    player = Player(**entry)
    known = (("name", (str,)), ("rating", (float, int, type(None))), ("experience", (int, type(None))))
    for name, kinds in known:
        if type(getattr(player, name)) not in kinds:
            raise TypeError(f"no {name} of a player: {shown(getattr(player, name))}")
    return player


def entry_of_source(dice: DiceSource) -> Entry | None:
    """What a line says of a source of dice; None where it is none of ours."""
    if type(dice) not in _SOURCES.values():
        return None
    return {"kind": type(dice).__name__, **asdict(dice)}  # type: ignore[call-overload]


def source_of(entry: Entry | None) -> DiceSource | None:
    """The source of dice that a line tells of. Raises as `act_of` does."""
    if entry is None:
        return None
    source: DiceSource = _SOURCES[entry["kind"]](**{name: value for name, value in entry.items() if name != "kind"})
    return source


# Acts


def entry_of(act: Act) -> Entry:
    """What a line says of an act."""
    entry: Entry = {"do": type(act).__name__.lower()}
    match act:
        case Move(player, play):
            return entry | {"player": player, "play": str(play)}
        case Set(position, state):
            return entry | {"position": _position(position), "state": _state(state)}
    return entry | {field.name: getattr(act, field.name) for field in fields(act)}


def act_of(entry: Entry, table: Table) -> Act:
    """The act that a line tells of, at the table before it. Raises ValueError, LookupError or TypeError for none."""
    kind = _KINDS[entry["do"]]
    parts = {name: value for name, value in entry.items() if name not in ("do", "alone")}
    if kind is Move:
        return Move(parts["player"], table.move(parts["play"]).play)
    if kind is Set:
        return Set(_read_position(parts["position"]), _read_state(parts["state"]))
    if "dice" in parts:
        first, second = parts["dice"]
        parts["dice"] = first, second
    for number in (*parts.get("dice", ()), *(parts[name] for name in ("player", "value") if name in parts)):
        if type(number) is not int:
            raise TypeError(f"{shown(number)} is no number")
    act: Act = kind(**parts)
    return act


def _position(position: Position) -> list[Any]:
    return [list(position.opponent), list(position.player), position.chequers]


def _read_position(entry: Any) -> Position:
    opponent, player, chequers = entry
    return Position(tuple(opponent), tuple(player), chequers)


def _state(state: MatchState) -> Entry:
    return asdict(state)


def _read_state(entry: Entry) -> MatchState:
    parts: Entry = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    return MatchState(**{**parts, "game_state": GameState(entry["game_state"])})
