"""Matches kept in the database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path as File
from typing import TYPE_CHECKING

from sixprime.analysis.ratings import RatingTable, luck_in_words, rating_name
from sixprime.command.call import Call
from sixprime.command.tables.analysing import judged
from sixprime.command.tree import command, group
from sixprime.command.words import Path, Refused, Rest, Word
from sixprime.paths import make_folder

if TYPE_CHECKING:
    from sixprime.store.relational import Matches

group("relational", "Keep matches in a database")
group("relational add", "Add to the database")
group("relational erase", "Take out of the database")
group("relational show", "Show what the database holds")

_KEPT = "relational database"


def _matches(call: Call) -> Matches:
    from sixprime.store.relational import Matches, standard_path

    found = call.shell.kept.get(_KEPT)
    if isinstance(found, File):
        return Matches(found)
    if call.shell.database is None:
        return Matches(standard_path())
    make_folder(call.shell.database)
    return Matches(call.shell.database)


@command("relational add match", "Add the match, with its statistics where it is analysed", "[quiet]")
def relational_add_match(call: Call, quiet: Word = None) -> None:
    from sixprime.analysis.foreign import sources

    match = call.state.match
    if match is None:
        raise Refused("No match is being played.")
    analysed = judged(call) if sources(match) else None
    replaced = _matches(call).add(match, analysed, now=datetime.now())
    if not (quiet and "quiet".startswith(quiet.lower())):
        call.say(
            "The match in the database has been replaced." if replaced else "The match has been added to the database."
        )


@command("relational erase player", "Take a player and all his matches out", "<name>")
def relational_erase_player(call: Call, name: Path = None) -> None:
    if not name:
        raise Refused("You must specify a player name (see `help relational erase player').")
    if not call.sure(f"Are you sure you want to erase all matches of {name}?"):
        return
    if not _matches(call).erase(name):
        raise Refused("Player not found or player stats empty")
    call.say(f"{name} and all matches of {name} have been erased.")


@command("relational erase allplayers", "Take everybody and all matches out")
def relational_erase_allplayers(call: Call) -> None:
    if call.sure("Are you sure you want to erase all matches?"):
        _matches(call).erase_all()
        call.say("All players and matches have been erased.")


@command("relational select", "Ask the database in SQL; what stands after `select'", "<query>")
def relational_select(call: Call, query: Rest) -> None:
    from sixprime.store.relational import table_text

    if not query:
        raise Refused("You must specify a query (see `help relational select').")
    found = _matches(call).select(query)
    if not found.rows:
        call.say("No rows.")
        return
    for line in table_text(found):
        call.say(line)


@command("relational setup", "Choose the database; only SQLite, dbname is a file", "[dbtype=SQLite] [dbname=<file>]")
def relational_setup(call: Call, words: Rest) -> None:
    for word in words.split():
        key, _, value = word.partition("=")
        if key == "dbtype" and value.lower() != "sqlite":
            raise Refused(f"Databases of type `{value}' are not supported: only SQLite is.")
        if key == "dbname" and value:
            call.shell.kept[_KEPT] = File(value)
        if key not in _KEYS:
            raise Refused(f"Unknown key `{key}': {', '.join(_KEYS)}.")
    _matches(call).test()


_KEYS = ("dbtype", "dbname", "user", "password", "host")


@command("relational test", "See whether the database can be used")
def relational_test(call: Call) -> None:
    _matches(call).test()
    call.say("Database test is successful!")


@command("relational show players", "List all players")
def relational_show_players(call: Call) -> None:
    from sixprime.store.relational import Answer, table_text

    players = _matches(call).players()
    if not players:
        call.say("No players in the database.")
        return
    for line in table_text(Answer(("Player",), tuple((name,) for name in players))):
        call.say(line)


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of details. column: its count or value; error: the equity beside it; scale: a value is shown times it.

    named: a rating's name is shown instead, of the rate in the column. of: the counts without which there is no rate.
    """

    label: str
    column: str = ""
    error: str = ""
    scale: float = 0.0
    named: Callable[[float], str] | None = None
    of: tuple[str, ...] = ()


def _strength(rate: float) -> str:
    return rating_name(rate, RatingTable.OLD)


_MOVES, _CUBES = "unforced_moves", "close_cube_decisions"
_ROLLS = tuple(f"{kind}_rolls" for kind in ("very_lucky", "lucky", "unmarked", "unlucky", "very_unlucky"))

_SECTIONS: Sequence[tuple[str, Sequence[_Row]]] = (
    (
        "Chequerplay statistics",
        (
            _Row("Total moves", "total_moves"),
            _Row("Unforced moves", "unforced_moves"),
            _Row("Unmarked moves", "unmarked_moves"),
            _Row("Moves marked doubtful", "doubtful_moves"),
            _Row("Moves marked bad", "bad_moves"),
            _Row("Moves marked very bad", "very_bad_moves"),
            _Row("Error total EMG", "chequer_error_total_normalised", scale=-1),
            _Row("Error rate mEMG", "chequer_error_per_move_normalised", scale=-1000, of=(_MOVES,)),
            _Row("Chequerplay rating", "chequer_error_per_move_normalised", named=_strength, of=(_MOVES,)),
        ),
    ),
    (
        "Luck statistics",
        (
            _Row("Rolls marked very lucky", "very_lucky_rolls"),
            _Row("Rolls marked lucky", "lucky_rolls"),
            _Row("Rolls unmarked", "unmarked_rolls"),
            _Row("Rolls marked unlucky", "unlucky_rolls"),
            _Row("Rolls marked very unlucky", "very_unlucky_rolls"),
            _Row("Luck total EMG", "luck_total_normalised", scale=1),
            _Row("Luck rate mEMG", "luck_per_move_normalised", scale=1000, of=_ROLLS),
            _Row("Luck rating", "luck_per_move_normalised", named=luck_in_words, of=_ROLLS),
        ),
    ),
    (
        "Cube statistics",
        (
            _Row("Total cube decisions", "total_cube_decisions"),
            _Row("Close or actual cube decisions", "close_cube_decisions"),
            _Row("Doubles", "doubles"),
            _Row("Takes", "takes"),
            _Row("Passes", "passes"),
            _Row("Missed doubles below CP (EMG)", "missed_doubles_below_cp", "error_missed_doubles_below_cp"),
            _Row("Missed doubles above CP (EMG)", "missed_doubles_above_cp", "error_missed_doubles_above_cp"),
            _Row("Wrong doubles below DP (EMG)", "wrong_doubles_below_dp", "error_wrong_doubles_below_dp"),
            _Row("Wrong doubles above TG (EMG)", "wrong_doubles_above_tg", "error_wrong_doubles_above_tg"),
            _Row("Wrong takes (EMG)", "wrong_takes", "error_wrong_takes"),
            _Row("Wrong passes (EMG)", "wrong_passes", "error_wrong_passes"),
            _Row("Error total EMG", "cube_error_total_normalised", scale=-1),
            _Row("Error rate mEMG", "cube_error_per_move_normalised", scale=-1000, of=(_CUBES,)),
            _Row("Cube decision rating", "cube_error_per_move_normalised", named=_strength, of=(_CUBES,)),
        ),
    ),
    (
        "Overall statistics",
        (
            _Row("Error total EMG", "overall_error_total_normalised", scale=-1),
            _Row("Error rate mEMG", "overall_error_per_move_normalised", scale=-1000, of=(_MOVES, _CUBES)),
            _Row("Snowie error rate", "snowie_error_rate_per_move", scale=-1000, of=("total_moves",)),
            _Row("Overall rating", "overall_error_per_move_normalised", named=_strength, of=(_MOVES, _CUBES)),
        ),
    ),
)


@command("relational show details", "Show the totals of a player beside those of his opponents", "<name>")
def relational_show_details(call: Call, name: Path = None) -> None:
    if not name:
        raise Refused("You must specify a player name (see `help relational show details').")
    found = _matches(call).details(name)
    if found is None:
        raise Refused("Empty player stats or player(s) not found", wrong=True)
    call.say(f"Player statistics\n\n{'Player':<40} {name[:23]:<23} Opponents")
    for title, rows in _SECTIONS:
        call.say(f"\n{title}\n")
        for row in rows:
            call.say(f"{row.label:<40} {_cell(row, found[0]):<23} {_cell(row, found[1])}".rstrip())


def _cell(row: _Row, values: dict[str, float]) -> str:
    value = values[row.column]
    if row.of and not any(values[column] for column in row.of):
        return "n/a"
    if row.named is not None:
        return row.named(value)
    if row.scale:
        return f"{row.scale * value:+9.{3 if abs(row.scale) == 1 else 1}f}"
    error = f" ({-values[row.error + '_normalised']:+.3f})" if row.error and value else ""
    return f"{value:3.0f}{error}"
