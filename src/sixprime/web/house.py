"""What lasts from one request to the next: sittings by their keys, the engine, its workers, reports and rollouts."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sixprime import reading
from sixprime.errors import InvalidFileError, RulesError, SettingsError
from sixprime.game.table import Table
from sixprime.paths import data_dir, finished, games_dir, lasting, locked, write
from sixprime.play import Adviser, Session
from sixprime.play.games import new_journal, today
from sixprime.settings import Playing, check_files, load, make_engine
from sixprime.settings.engine import DEPTH, depth_of
from sixprime.web import messages as m
from sixprime.web.archive import NotThere
from sixprime.web.compiling import Compiling
from sixprime.web.desk import Desk
from sixprime.web.judging import Rolled
from sixprime.web.listing import Listing
from sixprime.web.reports import Report, Reports, same_play
from sixprime.web.seating import seated
from sixprime.web.sittings import Keys, Sitting
from sixprime.web.variations import Variations

if TYPE_CHECKING:
    from sixprime.engine import Engine
    from sixprime.game.acts import Act
    from sixprime.game.record import Match
    from sixprime.play import Hint
    from sixprime.play.advice import Judgement
    from sixprime.progress import Stop
    from sixprime.settings import Settings
    from sixprime.store.library import Library

_BESIDE = ".web"
"""Of the file beside a journal that has the keys of its sitting."""
_TOGETHER = 20
"""Matches of one file that are analysed."""
_OPEN = 200
"""Sittings that are open at once."""


class House:
    """Everything a server holds. threads: of its engine, None for all cores; shared: whether others can reach it."""

    def __init__(self, *, folder: Path | None = None, threads: int | None = None, shared: bool = False) -> None:
        self.shared, self._threads = shared, threads
        self.address = ""  # by which others reach the server, where they do
        self._folder = folder
        self._pool = ThreadPoolExecutor(4, "sitting")
        self.desk = Desk()
        self.compiling = Compiling()
        self._library: Library | None = None
        place = folder or lasting(data_dir())
        self.reports = Reports(place / "reports", lambda: self.analyst, self._shelve)
        self.rolled = Rolled(place / "rollouts")
        self.variations = Variations(place / "variations")
        self.streams: set[Callable[[], None]] = set()
        self.ending = False
        self._lock = threading.RLock()
        self._engines: dict[str, tuple[dict[str, Any], Engine]] = {}
        self._making = threading.Lock()
        self._open: OrderedDict[Path, Sitting] = OrderedDict()
        self._listing: Listing | None = None
        self._listed = threading.Lock()
        self._where: dict[str, Path] = {}
        self._know()

    def leave(self) -> None:
        """Ends the streams of pages, which would hold the end of the server up."""
        self.ending = True
        for leave in (*self.streams,):
            leave()

    def close(self) -> None:
        """Ends all work. What was played is in the journals."""
        self.leave()
        self.desk.close()
        self.compiling.end()
        with self._lock:
            sittings = [*self._open.values()]
        self.reports.close()
        for sitting in sittings:
            sitting.close()
        self._pool.shutdown(wait=False, cancel_futures=True)

    # The engine

    @property
    def engine(self) -> Engine:
        """Who judges, for all."""
        return self._engine_for("all", load())

    @property
    def coach(self) -> Engine:
        """Who judges for tutor and hints: the engine of all, or where these know the openings one of their own."""
        settings = load()
        return self._engine_for("coach", settings, book=settings.play.tutor_book or None)

    @property
    def analyst(self) -> Engine:
        """Who judges matches: the engine of all, or one of its own where these are judged otherwise."""
        settings = load()
        unsaid = dict.fromkeys(DEPTH)
        return self._engine_for("analyst", settings, **(unsaid | depth_of(settings.analysis, settings.engine)))

    def _engine_for(self, use: str, settings: Settings, **more: Any) -> Engine:
        """That which the settings describe by now, made when it is first asked. Raises SettingsError.

        One that was made before is left to whoever works with it, and gone with the last of them.
        """
        given = settings.engine.given() | more | {"threads": self._threads or settings.engine.threads, "executor": None}
        given = {name: value for name, value in given.items() if value is not None}
        with self._making:
            found = next((engine for known, engine in self._engines.values() if known == given), None)
            if found is None:
                check_files(given, whole=True)
                found = make_engine(**given)
            self._engines[use] = given, found
            return found

    @property
    def library(self) -> Library:
        """The matches that the user keeps."""
        from sixprime.store.library import Library

        with self._lock:
            self._library = self._library or Library()
            return self._library

    # Sittings

    def _know(self) -> None:
        """Finds the sittings of before by the files beside their journals."""
        folder = self._folder or games_dir()
        for place in finished(folder, f"*{_BESIDE}"):
            with suppress(OSError, ValueError):
                keys = msgspec.convert(reading.read_json(place), Keys)
                self._remember(place.with_suffix(".journal"), keys)

    def _remember(self, journal: Path, keys: Keys) -> None:
        self._where[keys.own] = journal
        if keys.invitation is not None:
            self._where[keys.invitation] = journal

    def knows(self, key: str) -> bool:
        """Whether there is a sitting of that key."""
        return key in self._where

    def sitting(self, key: str) -> Sitting:
        """That of a key, resumed from its journal where it is not open. Raises NotThere, and as `Session.resume`."""
        with self._lock:
            journal = self._where.get(key)
            if journal is None:
                raise NotThere("There is no sitting with that key.")
            found = self._open.get(journal)
            if found is not None:
                self._open.move_to_end(journal)
                return found
            try:
                keys = msgspec.convert(reading.read_json(journal.with_suffix(_BESIDE)), Keys)
                session = Session.resume(journal)
            except FileNotFoundError:
                raise NotThere("The game of that key is not there any more.") from None
            return self._opened(session, keys, journal)

    def _opened(self, session: Session, keys: Keys, journal: Path) -> Sitting:
        for name, old in [*self._open.items()]:
            if len(self._open) < _OPEN:
                break
            if not old.watched:
                old.close()
                del self._open[name]
        if len(self._open) >= _OPEN:
            session.close()
            raise SettingsError(f"{_OPEN} games are open here; close a window first.")
        sitting = self._open[journal] = Sitting(session, keys, self._pool, partial(_keep, journal))
        playing = Playing(load().play)
        adviser = session.adviser = _Late(self, playing)
        if keys.tutor or keys.guest_tutor:
            session.tutor = playing.make_tutor(adviser)
        return sitting

    def tutor(self, sitting: Sitting, key: str, *, on: bool) -> None:
        """Whether whoever has the key is warned of errors before they count, from now on. Raises OSError, and
        RulesError where there are no hints."""
        session = sitting.session
        if on:
            sitting.check_hints()
        if on and session.tutor is None and session.adviser is not None:
            session.tutor = Playing(load().play).make_tutor(session.adviser)
        sitting.kept(**{"guest_tutor" if key == sitting.keys.invitation else "tutor": on})

    def sit_down(self, asked: m.SittingAsked) -> m.Opened:
        """A new sitting. Raises SettingsError, RulesError, InvalidIdError, OSError."""
        seating = seated(asked, load().play)
        section, user = seating.playing.section, seating.user
        hints = not seating.invited if asked.hints is None else asked.hints
        tutor = hints and not asked.player and bool(section.tutor if asked.tutor is None else asked.tutor)
        invitation = secrets.token_urlsafe(18) if seating.invited else None
        keys = Keys(secrets.token_urlsafe(18), invitation, 1 - user, tutor, hints=hints)
        dice = seating.playing.dice(asked.seed)
        # Names of journals tell seconds: of two sittings at once each has to get its own.
        with self._lock:
            journal = new_journal([seat.name for seat in seating.seats], self._folder)
            session = Session(
                seating.seats,
                seating.table,
                dice=dice,
                automation=replace(seating.playing.automation, next_game=False),
                journal=journal,
                clock=None if section.reserve is None else seating.playing.clock,
                info={"date": today()},
            )
            _keep(journal, keys)
            self._remember(journal, keys)
            self._opened(session, keys, journal)
        return m.Opened(keys.own, keys.invitation)

    def remove(self, key: str) -> None:
        """Takes a game away for good, whoever looks at it. Raises NotThere, RulesError for a guest, and OSError, also
        while another process plays it; then it stays."""
        with self._lock:
            journal = self._where.get(key)
            if journal is None:
                raise NotThere("There is no sitting with that key.")
            own = [each for each, place in self._where.items() if place == journal]
            if key != own[0]:
                raise RulesError("Only whoever began a game can remove it.")
            with suppress(FileNotFoundError):
                locked(journal)
            sitting = self._open.pop(journal, None)
            if sitting is not None:
                sitting.leave()
            # Without its journal a game is in no list; the keys alone open nothing.
            journal.unlink(missing_ok=True)
            for each in own:
                del self._where[each]
            with suppress(OSError):
                journal.with_suffix(_BESIDE).unlink(missing_ok=True)

    def sittings(self, count: int = 20) -> m.Sittings:
        """The sittings of this user, the latest first."""
        own: dict[Path, str] = {}
        with self._lock:
            for key, journal in self._where.items():
                own.setdefault(journal, key)  # the owner's is the first
        with self._listed:
            if self._listing is None:
                self._listing = Listing(self._folder or games_dir())
        return m.Sittings(
            tuple(
                m.Kept(own[journal], game.names, game.score, game.length, game.over, game.played, game.unnamed)
                for journal, game in self._listing.latest(own, count)
            )
        )

    # Reports

    def analyse_all(self, matches: Sequence[Match]) -> m.Reported:
        """Has the matches of a file analysed, so many of them. Raises InvalidFileError where there are none."""
        if not matches:
            raise InvalidFileError("holds no game to analyse")
        first, *others = [self.reports.analyse(match).told for match in matches[:_TOGETHER]]
        if not others:
            return first
        return msgspec.structs.replace(first, reports=(first.key, *(each.key for each in others)), matches=len(matches))

    def _shelve(self, report: Report) -> None:
        if report.analysed is not None:
            self.reports.belongs_to(report, self.library.keep(report.analysed))

    def report_of(self, sitting: Sitting) -> m.Reported:
        """The report of what has been played at a sitting, begun if it is not yet. Raises SettingsError, RulesError."""
        sitting.check_hints()
        record = sitting.session.record()
        if not record.games:
            raise SettingsError("Nothing has been played yet that could be analysed.")
        with suppress(NotThere):
            known = self.reports.get(sitting.keys.report)
            if known.told.state != "failed" and same_play(known.match, record):
                self.reports.follow(known)
                return known.told
        report = self.reports.analyse(record, played=sitting.session.over)
        with suppress(OSError):  # another one is made after a restart
            sitting.kept(report=report.key)
        return report.told


def _keep(journal: Path, keys: Keys) -> None:
    """Writes the keys of a sitting down beside its journal, for its owner alone."""
    place = journal.with_suffix(_BESIDE)
    write(place, msgspec.json.encode(keys))
    place.chmod(0o600)


class _Late(Adviser):
    """An adviser whose engine is made when it is first asked, and anew when it is set otherwise."""

    def __init__(self, house: House, playing: Playing) -> None:
        self._house, self._playing = house, playing
        self._made: Adviser | None = None
        self._making = threading.Lock()

    def hint(self, table: Table, *, stop: Stop | None = None) -> Hint:
        """As `Adviser`."""
        return self._own().hint(table, stop=stop)

    def judge(self, table: Table, act: Act, *, stop: Stop | None = None) -> Judgement | None:
        """As `Adviser`."""
        return self._own().judge(table, act, stop=stop)

    def _own(self) -> Adviser:
        engine = self._house.coach
        with self._making:
            if self._made is None or self._made.engine is not engine:
                self._made = self._playing.adviser(engine)
            return self._made
