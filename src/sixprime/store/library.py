"""The user's matches: statistics and decisions in the database, analyses whole as files beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sixprime.analysis.records import HALF_LIFE, LIFE, faded
from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS
from sixprime.checks import Instance, Whole, listed, refuse, shown
from sixprime.checks import path as path_of
from sixprime.errors import InvalidFileError, SettingsError, SixprimeError
from sixprime.game.record import MATCH
from sixprime.paths import data_dir
from sixprime.store import decisions
from sixprime.store.decisions import Found, Group, Order, Query, Sum, Turn
from sixprime.store.identity import checksum, plain
from sixprime.store.positions import note_of, noted_position, with_note
from sixprime.store.relational import VERSION, Begun, Matches, sealed_folder, standard_path

if TYPE_CHECKING:
    import sqlite3

    from sixprime.analysis.model import AnalysedMatch, DecisionKind
    from sixprime.analysis.single import PositionEngine
    from sixprime.game.position import Position
    from sixprime.game.record import Match
    from sixprime.game.state import MatchState
    from sixprime.learn.questions import Question

SUFFIX = ".sixprime"
_FORMER_SUFFIX = ".index"
"""Of files beside the analyses that earlier versions searched."""
_ALIKE = 1e-6
_CHECKSUM = re.compile("[0-9a-f]{32}")
_SIDES = " ".join(
    f"p{side}.name, m{side}.overall_error_total_normalised, m{side}.unforced_moves + m{side}.close_cube_decisions, "
    f"m{side}.luck_total_normalised, "
    for side in (0, 1)
)
_MATCHES = (
    f"SELECT {_SIDES} s.session_id, s.checksum, s.result, s.length, {decisions.DAY}, s.event "
    "FROM session s "
    + " ".join(
        f"JOIN player p{side} ON p{side}.player_id = s.player_id{side} "
        f"LEFT JOIN matchstat m{side} ON m{side}.session_id = s.session_id AND m{side}.player_id = s.player_id{side}"
        for side in (0, 1)
    )
    + " WHERE EXISTS (SELECT 1 FROM game g WHERE g.session_id = s.session_id)"
    f" ORDER BY {decisions.DAY}, s.session_id"
)


@dataclass(frozen=True, slots=True)
class Side:
    """A player in a match. error: equity lost in all, None where the match is not analysed; luck: equity likewise."""

    name: str
    error: float | None
    decisions: int
    luck: float

    @property
    def pr(self) -> float | None:
        """Performance rating, None without decisions."""
        return 500 * self.error / self.decisions if self.error is not None and self.decisions else None


@dataclass(frozen=True, slots=True)
class Kept:
    """A match of the library.

    number: by which it is named. result: 1 or -1 where the first or second player won, 0 while it goes on; the points
    of the first for money. date: of the match, or when it was added. whole: whether its analysis is here to be opened.
    """

    number: int
    checksum: str
    sides: tuple[Side, Side]
    length: int
    result: int
    date: str
    event: str
    whole: bool


@dataclass(frozen=True, slots=True)
class Noted:
    """A position that belongs to no match, and its tags."""

    found: Found
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Career:
    """A player over his matches. won, lost: of those that are over, draws in money play left out.

    luck: equity in all. trend: PR of each match, and the mean so far, in which a decision counts half after so many
    more; in order of time.
    """

    name: str
    matches: int
    won: int
    lost: int
    decisions: int
    error: float
    luck: float
    trend: tuple[tuple[float, float], ...]

    @property
    def pr(self) -> float | None:
        """Performance rating over all decisions, None without any."""
        return 500 * self.error / self.decisions if self.decisions else None

    @property
    def recent(self) -> float | None:
        """The mean by now, None without any decision."""
        return self.trend[-1][1] if self.trend else None


class Library:
    """The library in a folder, by default that of the user's data; its database is that of the store."""

    def __init__(self, folder: Path | str | None = None) -> None:
        self._folder = None if folder is None else Path(path_of(folder))
        self._ready = False

    @property
    def folder(self) -> Path:
        """Where the analyses are."""
        return self._folder or (sealed_folder() or data_dir()) / "library"

    @property
    def _matches(self) -> Matches:
        return Matches(standard_path())

    @property
    def _read(self) -> Matches:
        """The same to be read alone."""
        return Matches(standard_path(reading=True))

    def keep(self, analysed: AnalysedMatch) -> str:
        """Puts a match into it, in the place of an earlier analysis of it or of its beginning. Its checksum.

        Raises SettingsError for the beginning of one that is there, DataFileError, OSError.
        """
        from sixprime import codec
        from sixprime.analysis.model import ANALYSED

        ANALYSED("analysed", analysed)
        self.get_ready()
        matches = self._matches
        self.folder.mkdir(parents=True, exist_ok=True)
        digest = checksum(analysed.match)
        save = partial(codec.save, analysed, self.place(digest), packed=True)
        replaced = matches.add(analysed.match, analysed, now=datetime.now(), load=self._record, save=save)
        for former in replaced:
            if former != digest:
                self.place(former).unlink(missing_ok=True)
        return digest

    def keep_position(
        self,
        position: Position,
        state: MatchState,
        engine: PositionEngine,
        *,
        note: str = "",
        tags: Sequence[str] = (),
    ) -> Noted:
        """Judges a position that belongs to no match, and puts it in: a play where the state has dice, else the cube
        decision. One that is in it already is judged again, and keeps its number, its tags and, without another, its
        note.

        Raises SettingsError where nothing is to be decided, and for a tag that is none, EngineError, DataFileError,
        OSError.
        """
        wanted = [decisions.checked_tag(tag) for tag in listed("tags", tags, str)]
        analysed = noted_position(position, state, engine, note)
        if not note and (former := self._noted(checksum(analysed.match))) is not None:
            analysed = with_note(analysed, former.found.note)
        noted = self.keep_noted(analysed)
        for tag in wanted:
            self.tag([Turn(noted.found.match)], tag)
        return replace(noted, tags=tuple(sorted({*noted.tags, *wanted})))

    def keep_noted(self, analysed: AnalysedMatch) -> Noted:
        """Puts in a position that is judged already. Raises as `keep`."""
        noted = self._noted(self.keep(analysed))
        if noted is None:
            raise SettingsError("this is a match, no position alone")
        return noted

    def _noted(self, digest: str) -> Noted | None:
        return next((each for each in self.positions() if each.found.checksum == digest), None)

    def positions(self) -> list[Noted]:
        """The positions that belong to no match, by their numbers. Raises DataFileError."""
        with self._searched() as db:
            found, _ = decisions.search(db, Query(alone=True), count=None)
            tags = db.execute("SELECT checksum, tag FROM tag WHERE game_number = 0 ORDER BY tag").fetchall()
        of: dict[str, list[str]] = {}
        for digest, tag in tags:
            of.setdefault(digest, []).append(tag)
        return [Noted(each, tuple(of.get(each.checksum, ()))) for each in sorted(found, key=lambda found: found.match)]

    def begun(self, match: Match) -> Begun | None:
        """The match in it that is the beginning of this one, or that goes on from it; None for a new one, and for one
        that is in it itself. Raises SettingsError for what is no match, DataFileError."""
        MATCH("match", match)
        self.get_ready()
        return self._read.begun(match, self._record)

    def _record(self, digest: str) -> Match | None:
        """What was played in a match, None where its analysis is not here."""
        with suppress(OSError, SixprimeError):
            return self.analysis(digest).match
        return None

    def number(self, digest: str) -> int | None:
        """The number of a match that is in it with its decisions and its analysis, None for others."""
        query = "SELECT session_id FROM session JOIN decision USING (session_id) WHERE checksum = ? LIMIT 1"
        if not self.place(digest).is_file():
            return None
        with self._read.opened(reading=True) as db:
            found = db.execute(query, (digest,)).fetchone()
            return None if found is None else int(found[0])

    def searches(self, analysed: AnalysedMatch) -> bool:
        """Whether the decisions that are found are those of this analysis. Raises SettingsError, DataFileError."""
        from sixprime.analysis.model import ANALYSED

        ANALYSED("analysed", analysed)
        query = (
            "SELECT COUNT(*), TOTAL(error) FROM decision d JOIN session s USING (session_id) WHERE checksum = ? "
            "AND EXISTS (SELECT 1 FROM matchstat m WHERE m.session_id = s.session_id)"
        )
        with self._read.opened(reading=True) as db:
            count, error = db.execute(query, (checksum(analysed.match),)).fetchone()
        every = analysed.decisions
        return bool(count == len(every) and abs(error - sum(each.error for each in every)) < _ALIKE)

    def place(self, digest: str) -> Path:
        """Where the analysis of a match is, if there is one. Raises SettingsError for what is no checksum."""
        if not isinstance(digest, str) or not _CHECKSUM.fullmatch(digest):
            refuse("checksum", "32 hexadecimal digits", digest)
        return self.folder / f"{digest}{SUFFIX}"

    def sound(self, digest: object, number: int) -> str:
        """The checksum that the database has for the match or position of a number. Raises DataFileError for what is
        none."""
        if isinstance(digest, str) and _CHECKSUM.fullmatch(digest):
            return digest
        raise self._read.damaged(
            f"match {number}: checksum must be 32 hexadecimal digits. Got {shown(digest)} instead."
        )

    def analysis(self, digest: str) -> AnalysedMatch:
        """The analysis of a match. Raises FileNotFoundError, InvalidFileError."""
        from sixprime import codec
        from sixprime.analysis.model import AnalysedMatch

        return codec.load(self.place(digest), AnalysedMatch)

    def remove(self, digest: str) -> bool:
        """Takes a match out, wherever it is. Returns whether it was there."""
        matches, place = self._matches, self.place(digest)
        self.get_ready()
        there = matches.remove(digest)
        place.unlink(missing_ok=True)
        return there

    def matches(self) -> list[Kept]:
        """All matches, in order of time. Raises DataFileError."""
        whole = {place.stem for place in self.folder.glob(f"*{SUFFIX}")}
        with self._searched() as db:
            return [_kept(row, whole) for row in db.execute(_MATCHES)]

    def match(self, number: int) -> Kept:
        """The match of a number. Raises SettingsError, DataFileError."""
        Whole(0, 2**62)("number", number)
        for each in self.matches():
            if each.number == number:
                return each
        raise SettingsError(f"there is no match {number} in the library")

    def numbered(self, number: int) -> AnalysedMatch:
        """The analysis of the match or position of a number. Raises SettingsError, InvalidFileError, DataFileError."""
        Whole(0, 2**62)("number", number)
        with self._searched() as db:
            found = db.execute("SELECT checksum FROM session WHERE session_id = ?", (number,)).fetchone()
        if found is None:
            raise SettingsError(f"there is no match {number} in the library")
        digest = self.sound(found[0], number)
        with suppress(FileNotFoundError):
            return self.analysis(digest)
        raise SettingsError(
            f"the analysis of match {number} is not in the library, its statistics alone are; add it once more"
        )

    def careers(self, half_life: float = HALF_LIFE) -> list[Career]:
        """Everybody, those with the most decisions first."""
        return careers(self.matches(), half_life)

    def search(
        self, query: Query, *, like: Position | None = None, order: Order = "error", count: int | None = 50
    ) -> tuple[list[Found], int]:
        """The first decisions that fit, and how many there are in all: see `decisions.search`."""
        with self._searched() as db:
            return decisions.search(db, query, like=like, order=order, count=count)

    def checked(self, query: Query) -> Query:
        """A query that something can fit. Raises SettingsError for a match that is not there, and for ranges that end
        before they begin."""
        Instance(Query)("query", query)
        for name in ("pips", "lead"):
            ends = getattr(query, name)
            if ends is not None and ends[0] > ends[1]:
                refuse(name, "a range with the smaller number first", ends)
        if query.least is not None and query.most is not None and query.least > query.most:
            refuse("least", f"no more than most, {query.most:g}", query.least)
        if query.since and query.until and query.since > query.until:
            refuse("since", f"no later than until, {query.until}", query.since)
        with self._searched() as db:
            there = {number for (number,) in db.execute("SELECT session_id FROM session")} if query.matches else ()
        for number in query.matches:
            if number not in there:
                raise SettingsError(f"there is no match {number} in the library")
        return query

    def sums(self, query: Query, by: Group, marked: float = DEFAULT_THRESHOLDS.doubtful) -> tuple[list[Sum], Sum]:
        """What the decisions that fit lost, by groups and in all. marked: loss where errors begin."""
        with self._searched() as db:
            return decisions.sums(db, query, by, marked)

    def number_of_decisions(self) -> int:
        """How many there are in matches."""
        with self._searched() as db:
            return int(db.execute("SELECT COUNT(*) FROM decision WHERE move_number > 0").fetchone()[0])

    def tag(self, turns: Sequence[Turn], tag: str, *, on: bool = True) -> int:
        """Gives matches and turns a tag or takes it away, all or none. Returns how many that changed.

        Raises SettingsError for what is not there, and for a tag that is none.
        """
        items = listed("turns", turns, Turn)
        with self._changed() as db:
            return sum(decisions.set_tag(db, turn, tag, on=on) for turn in items)

    def rename(self, name: str, new: str) -> str:
        """Gives a player another name, or makes two one: see `decisions.rename`."""
        with self._changed() as db:
            return decisions.rename(db, name, new)

    def questions(self, found: Sequence[Found], skipped: Callable[[str], None] | None = None) -> list[Question]:
        """What decisions that were found ask, match by match, without forced plays and answers to a beaver.

        skipped: told of an analysis that is damaged or not here, whose decisions are left out; without it that raises
        InvalidFileError, OSError, SettingsError.
        """
        from sixprime.learn.questions import of_decision, other_stakes

        wanted: dict[int, set[tuple[int, int, DecisionKind]]] = {}
        for each in listed("found", found, Found):
            wanted.setdefault(each.match, set()).add((each.index, each.action, each.kind))
        questions = []
        for number, places in wanted.items():
            try:
                analysed = self.numbered(number)
            except (SixprimeError, OSError) as error:
                if skipped is None:
                    raise
                skipped(f"what was found in match {number} is left out: {error}")
                continue
            names = [player.name for player in analysed.match.players]
            for decision in analysed.decisions:
                if (decision.game, decision.action, decision.kind) in places and not decision.forced:
                    if analysed.match.only_position is not None:
                        where = ", ".join((f"position {number}", *filter(None, (note_of(analysed),))))
                    else:
                        game = analysed.match.games[decision.game].number
                        where = f"match {number}, game {game}, move {decision.move_number}, {names[decision.player]}"
                    question = of_decision(decision, where)
                    if not other_stakes(decision, question):
                        questions.append(question)
        return questions

    def tags(self) -> list[tuple[str, int]]:
        """Every tag, and how many matches and turns have it."""
        with self._searched() as db:
            return decisions.tags(db)

    @contextmanager
    def _searched(self) -> Iterator[sqlite3.Connection]:
        """The database, with the decisions of all matches that have an analysis here."""
        self.get_ready()
        with self._read.opened(reading=True) as db:
            yield db

    @contextmanager
    def _changed(self) -> Iterator[sqlite3.Connection]:
        """The same where something is changed."""
        matches = self._matches
        self.get_ready()
        with matches.opened() as db:
            yield db

    def get_ready(self) -> None:
        """Takes over what earlier versions have kept, and finds the decisions of what has none. Raises DataFileError.

        What is done is done for good: another call goes on from there.
        """
        if self._ready or self._read.sealed:
            return
        with self._matches.opened() as db:
            (version,) = db.execute("PRAGMA user_version").fetchone()
            every = "SELECT checksum FROM session"
            some = "" if version < VERSION else " WHERE session_id NOT IN (SELECT session_id FROM decision)"
            found = [digest for (digest,) in db.execute(every + some)]
        missed = False
        for digest in found:
            try:
                self._renew(digest)
            except (FileNotFoundError, InvalidFileError, SettingsError):
                pass  # it has statistics alone
            except OSError:
                missed = True
        if version < VERSION and not missed:
            for index in self.folder.glob(f"*{_FORMER_SUFFIX}"):
                index.unlink(missing_ok=True)
            with self._matches.opened() as db:
                db.execute(f"PRAGMA user_version = {VERSION}")
        self._ready = True

    def _renew(self, former: str) -> None:
        """Puts a match in again, by the checksum that it has today.

        Raises SettingsError, InvalidFileError, DataFileError, OSError.
        """
        from sixprime import codec

        analysed = self.analysis(former)
        digest = checksum(analysed.match)
        if digest != former:
            if self.place(digest).is_file():
                analysed = self.analysis(digest)
            else:
                codec.save(analysed, self.place(digest), packed=True)
        self._matches.add(analysed.match, analysed, now=datetime.now(), former=former)
        # Only now is it nowhere else needed.
        if digest != former:
            self.place(former).unlink(missing_ok=True)


def careers(matches: Sequence[Kept], half_life: float = HALF_LIFE) -> list[Career]:
    """Everybody in matches, which are in order of time; those with the most decisions first.

    half_life: decisions after which one counts half in the mean so far. Names that differ in case and blanks are one.
    """
    names: dict[str, str] = {}
    LIFE("half_life", half_life)
    played: dict[str, list[tuple[int, Side]]] = {}
    for each in matches:
        for side, sign in zip(each.sides, (1, -1), strict=True):
            key = plain(side.name)
            names.setdefault(key, side.name)
            played.setdefault(key, []).append((sign * each.result, side))
    found = [_career(names[key], own, half_life) for key, own in played.items()]
    return sorted(found, key=lambda each: (-each.decisions, each.name))


def _career(name: str, played: Sequence[tuple[int, Side]], half_life: float) -> Career:
    judged = [side for _, side in played if side.error is not None]
    counted = [(side.decisions, side.error or 0.0) for side in judged if side.decisions]
    means = faded(counted, half_life)
    trend = [(500 * own[1] / own[0], 500 * total / weight) for own, (weight, total) in zip(counted, means, strict=True)]
    return Career(
        name,
        len(played),
        sum(result > 0 for result, _ in played),
        sum(result < 0 for result, _ in played),
        sum(side.decisions for side in judged),
        sum(side.error or 0.0 for side in judged),
        sum(side.luck for side in judged),
        tuple(trend),
    )


def _kept(row: tuple[Any, ...], whole: set[str]) -> Kept:
    *both, number, digest, result, length, date, event = row
    names = decisions.named(both[0], both[4])
    one, two = (
        Side(name, error, count or 0, luck or 0.0)
        for name, (_, error, count, luck) in zip(names, (both[:4], both[4:]), strict=True)
    )
    return Kept(number, digest, (one, two), length, result, date, event, digest in whole)
