"""What lasts from one request to the next: sittings by their keys, the engine, its workers, and reports."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sixprime import reading
from sixprime.errors import SettingsError, SixprimeError, StoppedError
from sixprime.game import parse
from sixprime.game.table import Table
from sixprime.game.variants import get_variant
from sixprime.paths import games_dir, write
from sixprime.play import SEATS, Adviser, Person, Session
from sixprime.play.games import new_journal
from sixprime.play.late import soon
from sixprime.play.wording import one_line
from sixprime.progress import Progress
from sixprime.settings import Playing, load
from sixprime.web import messages as m
from sixprime.web.desk import Busy, Desk
from sixprime.web.judging import Rolled
from sixprime.web.listing import Listing
from sixprime.web.sittings import WINDOWS, Keys, Sitting

if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch
    from sixprime.engine import Engine
    from sixprime.game.acts import Act
    from sixprime.game.record import Match
    from sixprime.play import Hint
    from sixprime.play.advice import Judgement
    from sixprime.progress import Stop
    from sixprime.web.library import Library

_BESIDE = ".web"
"""Of the file beside a journal that has the keys of its sitting."""
_OPEN, _REPORTS = 200, 16
"""Sittings that are open, and reports that are kept, at once."""
_ASKED, _LEFT = 60.0, 3.0
"""Seconds that a report is worked on after somebody has asked for it, and after its last page was closed."""


class NotThere(SixprimeError):
    """No sitting or report of that key."""


class Report:
    """A match that is being analysed, or has been: a page in the end. The work stops while nobody asks for it."""

    def __init__(self, key: str, match: Match) -> None:
        self.key, self.match = key, match
        self.analysed: AnalysedMatch | None = None
        self._page = ""
        self._drawing = threading.Lock()
        self.told = m.Reported("working", key, 0, None, "")
        self._lock = threading.Lock()
        self._windows: list[Callable[[], None]] = []
        self._until = time.monotonic() + _ASKED
        self._closed = False

    def change(self, change: Callable[[AnalysedMatch], AnalysedMatch]) -> None:
        """Something of the analysis is otherwise now."""
        with self._drawing:
            if self.analysed is not None:
                self.analysed, self._page = change(self.analysed), ""

    def page(self) -> str:
        """The report, empty while there is none."""
        from sixprime.report import render_html

        with self._drawing:
            if self.analysed is not None and not self._page:
                self._page = render_html(self.analysed)
            return self._page

    def is_set(self) -> bool:
        """Whether to stop, as `Stop` says."""
        return self._closed or not (self._windows or time.monotonic() < self._until)

    def close(self) -> None:
        """Ends it for good."""
        self._closed = True

    def look(self, changed: Callable[[], None] | None = None) -> None:
        """Somebody asks for it, for a while, or with `changed`, which is called when it changes, until he leaves.

        Raises Busy for too many.
        """
        with self._lock:
            self._until = time.monotonic() + _ASKED
            if changed is not None:
                if len(self._windows) >= WINDOWS:
                    raise Busy(f"{WINDOWS} windows look at this report; close one first.")
                self._windows.append(changed)

    def leave(self, changed: Callable[[], None]) -> None:
        """He does not any more."""
        with self._lock:
            if changed in self._windows:
                self._windows.remove(changed)
                self._until = time.monotonic() + _LEFT

    def tell(self, **changes: Any) -> None:
        """Something of what is told of it is otherwise now."""
        self.told = replace(self.told, **changes)
        for changed in (*self._windows,):
            changed()

    def begins(self) -> bool:
        """Whether its work has to be begun again, which then is said to be under way."""
        with self._lock:
            if self.told.state != "stopped" or self._closed:
                return False
            self.told = replace(self.told, state="working", done=0)
            return True


class House:
    """Everything a server holds. threads: of its engine, None for all cores; shared: whether others can reach it."""

    def __init__(self, *, folder: Path | None = None, threads: int | None = None, shared: bool = False) -> None:
        self.shared, self._threads = shared, threads
        self._folder = folder
        self._pool = ThreadPoolExecutor(4, "sitting")
        self._writer = ThreadPoolExecutor(1, "report")
        self.desk = Desk()
        self._library: Library | None = None
        self.rolled = Rolled()
        self.streams: set[Callable[[], None]] = set()
        self.ending = False
        self._lock = threading.RLock()
        self._engine: Engine | None = None
        self._making = threading.Lock()
        self._open: OrderedDict[Path, Sitting] = OrderedDict()
        self._listing: Listing | None = None
        self._listed = threading.Lock()
        self._where: dict[str, Path] = {}
        self._reports: OrderedDict[str, Report] = OrderedDict()
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
        with self._lock:
            reports, sittings = [*self._reports.values()], [*self._open.values()]
        for report in reports:
            report.close()
        for sitting in sittings:
            sitting.close()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._writer.shutdown(wait=False, cancel_futures=True)

    # The engine

    @property
    def engine(self) -> Engine:
        """Who judges, for all; made when it is first asked."""
        with self._making:
            if self._engine is None:
                from sixprime.settings import make_engine

                given = load().engine.given()
                given.pop("executor", None)
                given["threads"] = self._threads or given.get("threads")
                self._engine = make_engine(given.pop("net", None), **given)
            return self._engine

    @property
    def library(self) -> Library:
        """The matches that the user keeps."""
        from sixprime.web.library import Library

        with self._lock:
            self._library = self._library or Library()
            return self._library

    # Sittings

    def _know(self) -> None:
        """Finds the sittings of before by the files beside their journals."""
        folder = self._folder or games_dir()
        for place in folder.glob(f"*{_BESIDE}"):
            with suppress(OSError, ValueError, msgspec.ValidationError):
                keys = msgspec.convert(reading.read_json(place), Keys)
                self._remember(place.with_suffix(".journal"), keys)

    def _remember(self, journal: Path, keys: Keys) -> None:
        self._where[keys.own] = journal
        if keys.invitation is not None:
            self._where[keys.invitation] = journal

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
        if keys.tutor:
            session.tutor = playing.make_tutor(adviser)
        return sitting

    def tutor(self, sitting: Sitting, *, on: bool) -> None:
        """Whether errors are warned of before they count, in this sitting and for good. Raises OSError."""
        session = sitting.session
        session.tutor = Playing(load().play).make_tutor(session.adviser) if on and session.adviser else None
        sitting.kept(tutor=on)

    def sit_down(self, asked: m.SittingAsked) -> m.Opened:
        """A new sitting. Raises SettingsError, RulesError, InvalidIdError, OSError."""
        section = load().play
        given: dict[str, Any] = {
            "name": asked.name or section.name or "You",
            "length": asked.length,
            "variant": asked.variant or None,
            "crawford": asked.crawford,
            "jacoby": asked.jacoby,
            "beavers": asked.beavers,
            "cube_limit": None if asked.cube else 1,
            "reserve": asked.minutes,
            "delay": asked.delay,
        }
        section = replace(section, **{name: value for name, value in given.items() if value is not None})
        playing = Playing(section)
        opponent = asked.opponent.strip() or section.opponent or "expert"
        invited = opponent == "invited"
        if opponent in ("person", "invited"):
            other: Any = Person("Guest")
        elif opponent.lower() in SEATS or opponent == load().play.opponent:
            other = soon(opponent)
        else:
            known = ", ".join((*SEATS, "person", "invited"))
            raise SettingsError(f"an opponent is one of {known}. Got {opponent[:60]!r} instead.")
        mine = Person(section.name or "You")
        user, table = 0, None
        if asked.position:
            chequers = get_variant(playing.rules.variant).chequers
            found = parse(asked.position, chequers=chequers)
            user = found.state.on_roll
            seats = (mine, other) if user == 0 else (other, mine)
            table = Table.from_position(found.position, found.state, (seats[0].name, seats[1].name))
        else:
            seats = (mine, other)
            table = Table.new(playing.rules, (seats[0].name, seats[1].name))
        tutor = bool(asked.tutor or section.tutor)
        keys = Keys(secrets.token_urlsafe(18), secrets.token_urlsafe(18) if invited else None, 1 - user, tutor)
        dice = playing.dice(asked.seed)
        # Names of journals tell seconds: of two sittings at once each has to get its own.
        with self._lock:
            journal = new_journal([seat.name for seat in seats], self._folder)
            session = Session(
                seats,
                table,
                dice=dice,
                automation=replace(playing.automation, next_game=False),
                journal=journal,
                clock=playing.clock if section.reserve is not None else None,
            )
            _keep(journal, keys)
            self._remember(journal, keys)
            self._opened(session, keys, journal)
        return m.Opened(keys.own, keys.invitation)

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
                m.Kept(own[journal], game.names, game.score, game.length, game.over, game.played)
                for journal, game in self._listing.latest(own, count)
            )
        )

    # Reports

    def report_of(self, sitting: Sitting) -> m.Reported:
        """The report of what has been played at a sitting, begun if it is not yet."""
        record = sitting.session.record()
        if not record.games:
            raise SettingsError("Nothing has been played yet that could be analysed.")
        known = self._reports.get(sitting.report)
        if known is not None and known.told.state != "failed" and known.match == record:
            self.follow(known)
            return known.told
        report = self.analyse(record)
        sitting.report = report.key
        sitting.touch()
        return report.told

    def analyse(self, match: Match) -> Report:
        """Has a match analysed; its report will be found by its key."""
        report = self._kept(Report(secrets.token_urlsafe(18), match))
        self._writer.submit(self._write, report)
        return report

    def known(self, analysed: AnalysedMatch) -> Report:
        """The report of a match that has been analysed before."""
        report = Report(secrets.token_urlsafe(18), analysed.match)
        report.analysed = analysed
        report.tell(state="ready")
        return self._kept(report)

    def _kept(self, report: Report) -> Report:
        with self._lock:
            self._reports[report.key] = report
            while len(self._reports) > _REPORTS:
                self._reports.popitem(last=False)[1].close()
        return report

    def reports(self) -> list[Report]:
        """Those that are kept, the latest first."""
        with self._lock:
            return [*self._reports.values()][::-1]

    def report(self, key: str) -> Report:
        """Raises NotThere."""
        found = self._reports.get(key)
        if found is None:
            raise NotThere("There is no report with that key.")
        return found

    def follow(self, report: Report, changed: Callable[[], None] | None = None) -> None:
        """Somebody asks for a report, as `Report.look` says; where it had been stopped it is begun again."""
        report.look(changed)
        if report.begins():
            self._writer.submit(self._write, report)

    def _write(self, report: Report) -> None:
        from sixprime.api import analyse

        def tell(step: Progress) -> None:
            report.tell(done=step.done, total=step.total, what=step.what)

        try:
            settings = load()
            depth = {name: value for name, value in settings.analysis.given().items() if name in ("plies", "filter")}
            analysed: AnalysedMatch = analyse(
                report.match,
                self.engine,
                thresholds=settings.thresholds.thresholds(),
                progress=tell,
                stop=report,
                **depth,
            )
            report.analysed = analysed
            report.tell(state="ready")
        except StoppedError:
            report.tell(state="stopped")
        except (SixprimeError, OSError) as error:
            report.tell(state="failed", problem=one_line(error))
        except Exception:  # the writer outlives whatever goes wrong
            report.tell(state="failed", problem="Something went wrong in Sixprime itself.")


def _keep(journal: Path, keys: Keys) -> None:
    """Writes the keys of a sitting down beside its journal, for its owner alone."""
    place = journal.with_suffix(_BESIDE)
    write(place, msgspec.json.encode(keys))
    place.chmod(0o600)


class _Late(Adviser):
    """An adviser whose engine is made when it is first asked."""

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
        with self._making:
            if self._made is None:
                self._made = self._playing.adviser(self._house.engine)
            return self._made
