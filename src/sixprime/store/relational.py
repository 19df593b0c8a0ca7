"""Matches and statistics in SQLite, in the tables of GNU Backgammon, whose names are an interface to query scripts.

`session` has a row for every match or money session, `game` for every game; `matchstat` and `gamestat` have one for
each of the two players in them. Errors in columns that end in `_normalised` are equities, the others match-winning
chances (points, in money play); all are losses >= 0. `control` has the highest number given out in every table. Beside
them stand tables of our own (`decisions.py`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from math import isfinite
from pathlib import Path
from typing import Any

from sixprime.analysis.model import AnalysedMatch, PlayerStatistics
from sixprime.analysis.ratings import absolute_fibs, luck_based_fibs, luck_rating
from sixprime.analysis.statistics import points_per_game, snowie_error_rate
from sixprime.errors import DataFileError, SettingsError
from sixprime.game.record import ActionKind, Game, Match
from sixprime.paths import data_dir, lasting, sealed_data_dir
from sixprime.store import decisions
from sixprime.store.identity import ENOUGH, SEATS, begins, checksum, former_checksums

VERSION = 2
"""Of the database (`user_version`): from 2 on, checksums are those of today."""
_PATIENCE = 60.0
"""Seconds to wait for another process that writes."""
_NAME = "gnubg.db"
_NOBODY = ""
"""Who plays positions that belong to no match."""
_RATES = (0.035, 0.026, 0.018, 0.012, 0.008, 0.005, 0.002)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_COUNTS = _words(
    """total_moves unforced_moves unmarked_moves good_moves doubtful_moves bad_moves very_bad_moves chequer_rating
very_lucky_rolls lucky_rolls unmarked_rolls unlucky_rolls very_unlucky_rolls luck_rating total_cube_decisions
close_cube_decisions doubles takes passes missed_doubles_below_cp missed_doubles_above_cp wrong_doubles_below_dp
wrong_doubles_above_tg wrong_takes wrong_passes cube_rating overall_rating snowie_moves time_penalties"""
)
_VALUES = _words(
    """chequer_error_total_normalised chequer_error_total chequer_error_per_move_normalised chequer_error_per_move
luck_total_normalised luck_total luck_per_move_normalised luck_per_move error_missed_doubles_below_cp_normalised
error_missed_doubles_above_cp_normalised error_wrong_doubles_below_dp_normalised error_wrong_doubles_above_tg_normalised
error_wrong_takes_normalised error_wrong_passes_normalised error_missed_doubles_below_cp error_missed_doubles_above_cp
error_wrong_doubles_below_dp error_wrong_doubles_above_tg error_wrong_takes error_wrong_passes
cube_error_total_normalised cube_error_total cube_error_per_move_normalised cube_error_per_move
overall_error_total_normalised overall_error_total overall_error_per_move_normalised overall_error_per_move
actual_result luck_adjusted_result snowie_error_rate_per_move time_penalty_loss_normalised time_penalty_loss"""
)
_MAYBE = _words(
    """luck_based_fibs_rating_diff error_based_fibs_rating chequer_rating_loss cube_rating_loss actual_advantage
actual_advantage_ci luck_adjusted_advantage luck_adjusted_advantage_ci"""
)


def _statistics_table(name: str, owner: str) -> str:
    columns = [
        *(f"{column} INTEGER NOT NULL" for column in _COUNTS),
        *(f"{column} FLOAT NOT NULL" for column in _VALUES),
        *(f"{column} FLOAT" for column in _MAYBE),
    ]
    return (
        f"CREATE TABLE IF NOT EXISTS {name} ({name}_id INTEGER PRIMARY KEY NOT NULL, "
        f"{owner}_id INTEGER NOT NULL REFERENCES {owner} ON DELETE CASCADE, "
        f"player_id INTEGER NOT NULL REFERENCES player ON DELETE RESTRICT, {', '.join(columns)});"
    )


_SCHEMA = f"""
CREATE TABLE IF NOT EXISTS control (tablename CHAR(80) PRIMARY KEY NOT NULL, next_id INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS player (
    player_id INTEGER PRIMARY KEY NOT NULL, name CHAR(80) NOT NULL, notes VARCHAR(1000) NOT NULL);
CREATE TABLE IF NOT EXISTS session (
    session_id INTEGER PRIMARY KEY NOT NULL, checksum CHAR(33) NOT NULL,
    player_id0 INTEGER NOT NULL REFERENCES player ON DELETE RESTRICT,
    player_id1 INTEGER NOT NULL REFERENCES player ON DELETE RESTRICT,
    result INTEGER NOT NULL, length INTEGER NOT NULL, added TIMESTAMP NOT NULL,
    rating0 CHAR(80) NOT NULL, rating1 CHAR(80) NOT NULL, event CHAR(80) NOT NULL, round CHAR(80) NOT NULL,
    place CHAR(80) NOT NULL, annotator CHAR(80) NOT NULL, comment CHAR(80) NOT NULL, date DATE);
{_statistics_table("matchstat", "session")}
CREATE TABLE IF NOT EXISTS game (
    game_id INTEGER PRIMARY KEY NOT NULL, session_id INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
    player_id0 INTEGER NOT NULL REFERENCES player ON DELETE RESTRICT,
    player_id1 INTEGER NOT NULL REFERENCES player ON DELETE RESTRICT,
    score_0 INTEGER NOT NULL, score_1 INTEGER NOT NULL, result INTEGER NOT NULL, added TIMESTAMP NOT NULL,
    game_number INTEGER NOT NULL, crawford INTEGER NOT NULL);
{_statistics_table("gamestat", "game")}
{decisions.SCHEMA}
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query found: names of its columns, and rows of texts, numbers and None."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True, slots=True)
class Begun:
    """A match of the database that is the beginning of another one, or that goes on from it.

    number, checksum: its own. longer: whether it is the one that goes on. crossed: whether its players have the seats
    of the other one.
    """

    number: int
    checksum: str
    longer: bool
    crossed: bool


Load = Callable[[str], Match | None]
"""The record of a match by its checksum, None where there is none."""


def sealed_folder() -> Path | None:
    """The folder of the user's database where it is there and can be read alone, else None."""
    return sealed_data_dir(_NAME)


def standard_path(*, reading: bool = False) -> Path:
    """The user's database. reading: it is only read. Raises SettingsError for one that cannot be written to else."""
    sealed = sealed_folder()
    if sealed is not None and not reading:
        raise SettingsError(f"the library can only be read: its folder {sealed} cannot be written to")
    return (sealed or (data_dir() if reading else lasting(data_dir()))) / _NAME


@dataclass(frozen=True, slots=True)
class Matches:
    """A database of matches, made when it is first used.

    path: of the file. Every call opens and closes it, and either does all of its work or nothing. Raises DataFileError
    for a file that is no such database or cannot be opened.
    """

    path: Path

    def test(self) -> None:
        """Opens the database and makes what it lacks."""
        with self.opened():
            pass

    def add(
        self,
        match: Match,
        analysed: AnalysedMatch | None = None,
        *,
        now: datetime,
        former: str = "",
        load: Load | None = None,
        save: Callable[[], None] | None = None,
    ) -> list[str]:
        """Adds a match, with the statistics and decisions of its analysis if there is one; or a position alone.

        The same match is replaced, and the beginning of one that goes on now; it keeps its number, its tags and the
        time when it was added. now: local time, kept with a new one. former: a checksum by which the match is known,
        too. load: by which beginnings are known; without it none is. save: done last; what it raises undoes all.
        Returns the checksums of what was replaced. Raises SettingsError for a match without games, and for one that is
        the beginning of one that is there.
        """
        if not match.games:
            raise SettingsError("the match has no game that could be added")
        digest = checksum(match)
        with self.opened() as db:
            # Nobody else adds the match after it was looked for.
            db.execute("BEGIN IMMEDIATE")
            known = (digest, former, *former_checksums(match))
            same = db.execute(
                f"SELECT session_id, checksum FROM session WHERE checksum IN ({', '.join('?' * len(known))})", known
            ).fetchall()
            others = [] if load is None else _begun(db, match, digest, load)
            for each in others:
                if each.longer and not same:
                    raise SettingsError(f"match {each.number} of the library begins like this one and goes on")
            replaced = sorted({*same, *((each.number, each.checksum) for each in others if not each.longer)})
            number, added = None, now.strftime("%Y-%m-%d %H:%M:%S")
            if replaced:
                number = replaced[0][0]
                (added,) = db.execute("SELECT added FROM session WHERE session_id = ?", (number,)).fetchone()
            for one, former_digest in replaced:
                across = (one, match) if _crossed(db, one, match) else None
                decisions.move_tags(db, former_digest, digest, across)
                db.execute("DELETE FROM session WHERE session_id = ?", (one,))
            alone = match.only_position is not None and analysed is not None
            one, two = (_NOBODY, _NOBODY) if alone else _names(match)
            players = self._player(db, one), self._player(db, two)
            if players[0] == players[1] and not alone:
                # Nobody plays against himself, whatever else he is called.
                players = players[0], _insert(db, "player", name=two, notes="")
            info = match.info
            session = _insert(
                db,
                "session",
                number,
                checksum=digest,
                player_id0=players[0],
                player_id1=players[1],
                result=_result(match),
                length=match.length,
                added=added,
                rating0=match.players[0].standing,
                rating1=match.players[1].standing,
                **{name: info.get(name, "") for name in ("event", "round", "place", "annotator", "comment")},
                date=info.get("date") or None,
            )
            if not alone:
                _insert_games(db, match, analysed, session, players, added)
            if analysed is not None:
                decisions.insert(db, session, players, analysed)
            if save is not None:
                save()
        return [each for _, each in replaced]

    def begun(self, match: Match, load: Load) -> Begun | None:
        """The match that is the beginning of this one, or goes on from it; None where there is none, and where this
        one is there itself. Raises DataFileError."""
        digest = checksum(match)
        with self.opened(reading=True) as db:
            if db.execute("SELECT 1 FROM session WHERE checksum = ?", (digest,)).fetchone():
                return None
            found = _begun(db, match, digest, load)
        return max(found, key=lambda each: (each.longer, -each.number), default=None)

    def players(self) -> list[str]:
        """The names of all players, in the order in which they were added."""
        rows = self.select(f"name FROM player WHERE name != '{_NOBODY}' ORDER BY player_id").rows
        return [str(row[0]) for row in rows]

    def details(self, name: str) -> tuple[dict[str, float], dict[str, float]] | None:
        """Totals of a player and of his opponents over the matches that are analysed; None where there are none.

        Counts and totals by their columns in `matchstat`; rates and ratings follow from those.
        """
        summed = [name for name in (*_COUNTS, *_VALUES) if not name.endswith("_rating") and "per_move" not in name]
        sums = ", ".join(f"SUM({column})" for column in summed)
        with self.opened(reading=True) as db:
            own = "matchstat.player_id = player.player_id"
            rows = [
                db.execute(
                    f"SELECT {sums} FROM matchstat JOIN player ON name = ? WHERE {who} AND session_id IN "
                    f"(SELECT session_id FROM matchstat WHERE {own})",
                    (name,),
                ).fetchone()
                for who in (own, f"NOT {own}")
            ]
        if rows[0][0] is None:
            return None
        mine, theirs = (dict(zip(summed, (value or 0 for value in row), strict=True)) for row in rows)
        return _with_rates(mine), _with_rates(theirs)

    def erase(self, name: str) -> bool:
        """Removes a player and all his matches. Returns whether he was there."""
        with self.opened() as db:
            found = db.execute("SELECT player_id FROM player WHERE name = ?", (name,)).fetchone()
            if found is None:
                return False
            db.execute("DELETE FROM session WHERE player_id0 = ? OR player_id1 = ?", (found[0], found[0]))
            db.execute("DELETE FROM player WHERE player_id = ?", found)
            db.execute("DELETE FROM tag WHERE checksum NOT IN (SELECT checksum FROM session)")
        return True

    def remove(self, checksum: str) -> bool:
        """Removes the match of a checksum; its players stay. Returns whether it was there."""
        with self.opened() as db:
            db.execute("DELETE FROM tag WHERE checksum = ?", (checksum,))
            return bool(db.execute("DELETE FROM session WHERE checksum = ?", (checksum,)).rowcount)

    def erase_all(self) -> None:
        """Removes all players and matches."""
        with self.opened() as db:
            for table in ("session", "player", "tag"):
                db.execute(f"DELETE FROM {table}")

    def select(self, query: str) -> Answer:
        """What `SELECT query` finds; the database cannot be changed by it. Raises SettingsError for wrong SQL."""
        with self.opened(reading=True) as db:
            db.execute("PRAGMA query_only = ON")
            try:
                found = db.execute(f"SELECT {query}")
                rows = tuple(found.fetchall())
            except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
                raise SettingsError(f"SQL error: {error} in 'select {query}'") from None
            return Answer(tuple(str(column[0]) for column in found.description or ()), rows)

    @property
    def sealed(self) -> bool:
        """Whether it is there and can be read alone."""
        return self.path.is_file() and not (os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK))

    @contextmanager
    def opened(self, *, reading: bool = False) -> Iterator[sqlite3.Connection]:
        """The database with its tables, in one transaction. reading: nothing is changed, so it may be sealed."""
        try:
            if reading and self.sealed:
                with closing(self._sealed()) as db:
                    self._check(db)
                    yield db
                return
            with closing(sqlite3.connect(self.path, timeout=_PATIENCE)) as db:
                self._check(db)
                db.executescript("PRAGMA foreign_keys = ON;" + _SCHEMA)
                with db:
                    yield db
        except (sqlite3.IntegrityError, UnicodeDecodeError) as error:
            # Nothing that we put in breaks a rule of its tables. The other is that of SQLite that quotes what is
            # damaged, which is no text.
            raise self.damaged(error) from None
        except sqlite3.Error as error:
            remedy = self._remedy() if type(error) is sqlite3.DatabaseError else ""
            raise DataFileError(f"{self.path}: {error}{remedy}") from None

    def damaged(self, why: object) -> DataFileError:
        """The error that says so, with what makes the database anew."""
        return DataFileError(f"{self.path}: is damaged ({why}){self._remedy()}")

    def _check(self, db: sqlite3.Connection) -> None:
        (version,) = db.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise DataFileError(f"{self.path}: of a later Sixprime (version {version}); update this one")

    def _remedy(self) -> str:
        """What makes a damaged database anew; those of other programs have no analyses beside them."""
        beside = self.path.with_name("library")
        if not beside.is_dir():
            return ""
        return f"; move it away, and sixprime library add --theirs {beside} makes it anew, without tags and renamings"

    def _sealed(self) -> sqlite3.Connection:
        """The database to be read alone, where no file can be made beside it."""
        place = f"{self.path.absolute().as_uri()}?mode=ro"
        with suppress(sqlite3.OperationalError), ExitStack() as stack:
            db = stack.enter_context(closing(sqlite3.connect(place, timeout=_PATIENCE, uri=True)))
            db.execute("SELECT 1 FROM sqlite_master").fetchone()
            stack.pop_all()
            return db
        # What is in a journal beside it would be missed.
        for ending in ("-journal", "-wal"):
            beside = self.path.with_name(self.path.name + ending)
            if beside.exists() and beside.stat().st_size:
                raise DataFileError(f"{self.path}: cannot be read without changing {beside.name} beside it")
        return sqlite3.connect(f"{place}&immutable=1", timeout=_PATIENCE, uri=True)

    def _player(self, db: sqlite3.Connection, name: str) -> int:
        found = decisions.known_as(db, name)
        return found if found is not None else _insert(db, "player", name=name, notes="")


def _insert_games(
    db: sqlite3.Connection,
    match: Match,
    analysed: AnalysedMatch | None,
    session: int,
    players: tuple[int, int],
    added: str,
) -> None:
    """Adds a row for each game, and what is known of the statistics of games and match. session, players: numbers."""
    judged = analysed.games if analysed is not None else ()
    for game, statistics in zip_longest(match.games, judged):
        row = _insert(
            db,
            "game",
            session_id=session,
            player_id0=players[0],
            player_id1=players[1],
            score_0=game.score[0],
            score_1=game.score[1],
            result=_points(game),
            added=added,
            game_number=game.number,
            crawford=int(game.crawford),
        )
        if statistics is not None:
            for player, own, other in _sides(players, statistics.statistics):
                _insert(db, "gamestat", game_id=row, player_id=player, **statistics_row(own, other))
    if analysed is not None:
        for side, (player, own, other) in enumerate(_sides(players, analysed.statistics)):
            values = {**statistics_row(own, other), **_of_match(analysed, side)}
            _insert(db, "matchstat", session_id=session, player_id=player, **values)


def _sides(
    players: tuple[int, int], both: tuple[PlayerStatistics, PlayerStatistics]
) -> Iterator[tuple[int, PlayerStatistics, PlayerStatistics]]:
    """Number of each player, his totals and the opponent's."""
    return zip(players, both, both[::-1], strict=True)


def _begun(db: sqlite3.Connection, match: Match, digest: str, load: Load) -> list[Begun]:
    """Matches that begin a match or go on from it, by their numbers."""
    if not match.games or match.only_position is not None:
        return []
    every = [decisions.called(db, name) for name in _names(match)]
    found = []
    for seats in SEATS:
        one, two = (every[seat] for seat in seats)
        rows = db.execute(
            "SELECT session_id, checksum FROM session WHERE length = ? AND checksum != ? "
            f"AND player_id0 IN ({', '.join('?' * len(one))}) AND player_id1 IN ({', '.join('?' * len(two))})",
            (match.length, digest, *one, *two),
        )
        for number, other in rows.fetchall():
            # What is in the database tells most of them apart.
            record = load(other) if _opens_alike(db, number, match) else None
            if record is None:
                continue
            if begins(record, match, seats):
                found.append(Begun(number, other, longer=False, crossed=seats != SEATS[0]))
            elif begins(match, record, seats):
                found.append(Begun(number, other, longer=True, crossed=seats != SEATS[0]))
    return sorted(found, key=lambda each: each.number)


def _opens_alike(db: sqlite3.Connection, number: int, match: Match) -> bool:
    """Whether the first plays that were judged are those of a match, as far as it goes."""
    rows = db.execute(
        "SELECT action, dice, board FROM decision WHERE session_id = ? AND game = 0 AND kind = 'play' "
        "ORDER BY action LIMIT ?",
        (number, ENOUGH),
    )
    actions = match.games[0].actions
    for index, dice, board in rows:
        if index >= len(actions):
            return True
        action = actions[index]
        if action.kind not in (ActionKind.MOVE, ActionKind.ROLL) or action.dice is None:
            return False
        if (dice, board) != (decisions.number_of(action.dice), decisions.board_of(action.position)):
            return False
    return True


def _crossed(db: sqlite3.Connection, number: int, match: Match) -> bool:
    """Whether the players have other seats in a match of the database."""
    row = db.execute("SELECT player_id0, player_id1 FROM session WHERE session_id = ?", (number,)).fetchone()
    one, two = (decisions.called(db, name) for name in _names(match))
    return row[0] in two and row[1] in one and not (row[0] in one and row[1] in two)


def _names(match: Match) -> tuple[str, str]:
    """The players, never empty, kept apart where they are called alike."""
    one, two = decisions.named(match.players[0].name, match.players[1].name)
    return (one, two) if one != two else (f"{one} (1)", f"{one} (2)")


def error_rating(rate: float) -> int:
    """Number of the playing strength of an error per decision, in equity: 0 awful to 7 supernatural."""
    return sum(rate < limit for limit in _RATES)


def statistics_row(own: PlayerStatistics, other: PlayerStatistics) -> dict[str, float]:
    """The columns of a player's totals, but for those of whole matches."""
    none, doubtful, bad, very_bad = own.play_marks
    very_unlucky, unlucky, ordinary, lucky, very_lucky = own.luck_marks
    row: dict[str, float] = {
        "total_moves": own.moves,
        "unforced_moves": own.unforced_moves,
        "unmarked_moves": none,
        "good_moves": 0,
        "doubtful_moves": doubtful,
        "bad_moves": bad,
        "very_bad_moves": very_bad,
        "chequer_error_total_normalised": own.chequer_error_total,
        "chequer_error_total": own.chequer_error_mwc,
        "very_lucky_rolls": very_lucky,
        "lucky_rolls": lucky,
        "unmarked_rolls": ordinary,
        "unlucky_rolls": unlucky,
        "very_unlucky_rolls": very_unlucky,
        "luck_total_normalised": own.luck_total,
        "luck_total": own.luck_mwc,
        "total_cube_decisions": own.cube_total,
        "close_cube_decisions": own.cube_decisions,
        "doubles": own.doubles,
        "takes": own.takes,
        "passes": own.passes,
        "cube_error_total_normalised": own.cube_error_total,
        "cube_error_total": own.cube_error_mwc,
        "overall_error_total_normalised": own.error_total,
        "overall_error_total": own.error_mwc,
        "actual_result": own.actual_result,
        "luck_adjusted_result": own.luck_adjusted_result,
        "snowie_moves": own.moves + other.moves,
        "time_penalties": 0,
        "time_penalty_loss_normalised": 0.0,
        "time_penalty_loss": 0.0,
    }
    for name, tally in (
        ("missed_doubles_below_cp", own.faults.missed_below_cash),
        ("missed_doubles_above_cp", own.faults.missed_above_cash),
        ("wrong_doubles_below_dp", own.faults.doubled_too_weak),
        ("wrong_doubles_above_tg", own.faults.doubled_too_good),
        ("wrong_takes", own.faults.wrong_takes),
        ("wrong_passes", own.faults.wrong_passes),
    ):
        row |= {name: tally.count, f"error_{name}_normalised": tally.error, f"error_{name}": tally.error_mwc}
    return _with_rates(row) | {"snowie_error_rate_per_move": snowie_error_rate(own, other)}


def _with_rates(row: dict[str, float]) -> dict[str, float]:
    """Totals with the rates and ratings that follow from them."""
    rolls = sum(row[f"{kind}_rolls"] for kind in ("very_lucky", "lucky", "unmarked", "unlucky", "very_unlucky"))
    numbers = {
        "chequer": row["unforced_moves"],
        "cube": row["close_cube_decisions"],
        "overall": row["unforced_moves"] + row["close_cube_decisions"],
    }
    found = dict(row)
    for name, number in numbers.items():
        for ending in ("_normalised", ""):
            found[f"{name}_error_per_move{ending}"] = row[f"{name}_error_total{ending}"] / number if number else 0.0
        found[f"{name}_rating"] = error_rating(found[f"{name}_error_per_move_normalised"])
    for ending in ("_normalised", ""):
        found[f"luck_per_move{ending}"] = row[f"luck_total{ending}"] / rolls if rolls else 0.0
    found["luck_rating"] = luck_rating(found["luck_per_move_normalised"])
    found["snowie_error_rate_per_move"] = (
        row["overall_error_total_normalised"] / row["snowie_moves"] if row["snowie_moves"] else 0.0
    )
    return found


def _of_match(analysed: AnalysedMatch, side: int) -> dict[str, float | None]:
    """The columns that matches alone have, and those that money sessions alone have."""
    own, length = analysed.statistics[side], analysed.match.length
    if length:
        by_luck = {"luck_based_fibs_rating_diff": luck_based_fibs(own.luck_adjusted_result, length)}
        if not own.decisions:
            return by_luck
        rating = absolute_fibs(own, length)
        return by_luck | {
            "error_based_fibs_rating": rating.rating,
            "chequer_rating_loss": rating.chequer_loss,
            "cube_rating_loss": rating.cube_loss,
        }
    games = [game.statistics[side] for game in analysed.games]
    actual, width = points_per_game([game.actual_result for game in games])
    adjusted, adjusted_width = points_per_game([game.luck_adjusted_result for game in games])
    return {
        "actual_advantage": actual,
        "actual_advantage_ci": width if isfinite(width) else None,
        "luck_adjusted_advantage": adjusted,
        "luck_adjusted_advantage_ci": adjusted_width if isfinite(adjusted_width) else None,
    }


def _insert(db: sqlite3.Connection, table: str, number: int | None = None, /, **values: Any) -> int:
    """A new row under its number, by default the next one of its table; which is returned."""
    if number is None:
        db.execute("INSERT INTO control VALUES (?, 1) ON CONFLICT DO UPDATE SET next_id = next_id + 1", (table,))
        number = int(db.execute("SELECT next_id FROM control WHERE tablename = ?", (table,)).fetchone()[0])
    row = {f"{table}_id": number} | values
    places = ", ".join("?" * len(row))
    db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({places})", tuple(row.values()))
    return number


def _points(game: Game) -> int:
    """Points that player 0 won in a game, negative for player 1, 0 while it goes on."""
    return 0 if game.winner is None else game.points if game.winner == 0 else -game.points


def _result(match: Match) -> int:
    """1 or -1 for a match that player 0 or 1 won, 0 for one that goes on; the points of player 0 for money."""
    if not match.length:
        return sum(map(_points, match.games))
    if match.late is not None:
        return 1 if match.late else -1
    last = match.games[-1]
    if last.winner is None or last.score[last.winner] + last.points < match.length:
        return 0
    return 1 if last.winner == 0 else -1


def table_text(answer: Answer) -> list[str]:
    """Lines of an answer: names of the columns, a rule, and the rows, aligned to the right."""
    rows = [["NULL" if value is None else str(value) for value in row] for row in (answer.columns, *answer.rows)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [" | ".join(text.rjust(width) for text, width in zip(row, widths, strict=True)) for row in rows]
    return [lines[0], "-|-".join("-" * width for width in widths), *lines[1:]]
