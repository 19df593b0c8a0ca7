"""What lasts from one request to the next: sittings by their keys, the engine, its workers, and reports."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from sixprime import reading
from sixprime.errors import SettingsError, SixprimeError, StoppedError
from sixprime.game import parse
from sixprime.game.table import Table
from sixprime.game.variants import get_variant
from sixprime.paths import games_dir, write
from sixprime.play import SEATS, Person, Session
from sixprime.play.games import kept, new_journal
from sixprime.play.late import soon
from sixprime.play.wording import one_line
from sixprime.progress import Progress
from sixprime.settings import Playing, load
from sixprime.web import messages as m
from sixprime.web.desk import Desk
from sixprime.web.sittings import Keys, Sitting

if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch
    from sixprime.engine import Engine
    from sixprime.game.record import Match
    from sixprime.play import Adviser

_BESIDE = ".web"
"""Of the file beside a journal that has the keys of its sitting."""
_OPEN, _REPORTS = 200, 16
"""Sittings that are open, and reports that are kept, at once."""


class NotThere(SixprimeError):
    """No sitting or report of that key."""


class Report:
    """A match that is being analysed, or has been: a page in the end."""

    def __init__(self, key: str, title: str) -> None:
        self.key, self.title, self.page = key, title, ""
        self.stop = threading.Event()
        self.told = m.Reported("working", key, 0, None, "")


class House:
    """Everything a server holds. threads: of its engine, None for all cores; shared: whether others can reach it."""

    def __init__(self, *, folder: Path | None = None, threads: int | None = None, shared: bool = False) -> None:
        self.shared, self._threads = shared, threads
        self._folder = folder
        self._pool = ThreadPoolExecutor(4, "sitting")
        self._writer = ThreadPoolExecutor(1, "report")
        self.desk = Desk()
        self._lock = threading.RLock()
        self._engine: Engine | None = None
        self._making = threading.Lock()
        self._open: OrderedDict[Path, Sitting] = OrderedDict()
        self._where: dict[str, Path] = {}
        self._reports: OrderedDict[str, Report] = OrderedDict()
        self._know()

    def close(self) -> None:
        """Ends all work. What was played is in the journals."""
        self.desk.close()
        for report in self._reports.values():
            report.stop.set()
        for sitting in self._open.values():
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
        sitting = self._open[journal] = Sitting(session, keys, journal, self._pool)
        playing = Playing(load().play)
        session.adviser = _Late(self, playing)  # type: ignore[assignment]
        return sitting

    def tutor(self, sitting: Sitting, *, on: bool) -> None:
        """Whether errors are warned of before they count, in this sitting."""
        session = sitting.session
        playing = Playing(load().play)
        session.tutor = playing.make_tutor(playing.adviser(self.engine)) if on else None

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
        journal = new_journal([seat.name for seat in seats], self._folder)
        session = Session(
            seats,
            table,
            dice=playing.dice(asked.seed),
            automation=replace(playing.automation, next_game=False),
            journal=journal,
            clock=playing.clock if section.reserve is not None else None,
        )
        keys = Keys(secrets.token_urlsafe(18), secrets.token_urlsafe(18) if invited else None, 1 - user)
        write(journal.with_suffix(_BESIDE), msgspec.json.encode(keys))
        journal.with_suffix(_BESIDE).chmod(0o600)
        with self._lock:
            self._remember(journal, keys)
            sitting = self._opened(session, keys, journal)
        if asked.tutor or section.tutor:
            self.tutor(sitting, on=True)
        return m.Opened(keys.own, keys.invitation)

    def sittings(self, count: int = 20) -> m.Sittings:
        """The sittings of this user, the latest first."""
        own = {journal: key for key, journal in self._where.items()}
        found = []
        for game in kept(self._folder, count=3 * count):
            if game.table is None or game.path not in own:
                continue
            keys = [key for key, journal in self._where.items() if journal == game.path]
            found.append(
                m.Kept(
                    keys[0],
                    game.table.names,
                    game.table.score,
                    game.table.rules.length,
                    game.over,
                    game.played.isoformat(timespec="seconds"),
                )
            )
        return m.Sittings(tuple(found[:count]))

    # Reports

    def report_of(self, sitting: Sitting) -> m.Reported:
        """The report of what has been played at a sitting, begun if it is not yet."""
        known = self._reports.get(sitting.report)
        if known is not None and known.told.state != "failed":
            return known.told
        record = sitting.session.record()
        if not record.games:
            raise SettingsError("Nothing has been played yet that could be analysed.")
        report = self.analyse(record)
        sitting.report = report.key
        return report.told

    def analyse(self, match: Match) -> Report:
        """Has a match analysed; its report will be found by its key."""
        report = Report(secrets.token_urlsafe(18), "")
        with self._lock:
            self._reports[report.key] = report
            while len(self._reports) > _REPORTS:
                self._reports.popitem(last=False)[1].stop.set()
        self._writer.submit(self._write, report, match)
        return report

    def report(self, key: str) -> Report:
        """Raises NotThere."""
        if key not in self._reports:
            raise NotThere("There is no report with that key.")
        return self._reports[key]

    def _write(self, report: Report, match: Match) -> None:
        from sixprime.api import analyse
        from sixprime.report import render_html

        def tell(step: Progress) -> None:
            report.told = replace(report.told, done=step.done, total=step.total, what=step.what)

        try:
            settings = load()
            depth = {name: value for name, value in settings.analysis.given().items() if name in ("plies", "filter")}
            analysed: AnalysedMatch = analyse(
                match,
                self.engine,
                thresholds=settings.thresholds.thresholds(),
                progress=tell,
                stop=report.stop,
                **depth,
            )
            report.page = render_html(analysed)
            report.told = replace(report.told, state="ready")
        except StoppedError:
            report.told = replace(report.told, state="failed", problem="It was stopped.")
        except (SixprimeError, OSError) as error:
            report.told = replace(report.told, state="failed", problem=one_line(error))


class _Late:
    """An adviser whose engine is made when it is first asked."""

    def __init__(self, house: House, playing: Playing) -> None:
        self._house, self._playing = house, playing
        self._made: Adviser | None = None
        self._lock = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        with self._lock:
            if self._made is None:
                self._made = self._playing.adviser(self._house.engine)
        return getattr(self._made, name)
