"""Matches that are analysed: the work, who waits for it, and what came of it, kept for the next time."""

from __future__ import annotations

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from gzip import compress
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from sixprime.errors import DataFileError, EngineError, InvalidFileError, SixprimeError, StoppedError
from sixprime.play.wording import one_line
from sixprime.progress import Progress
from sixprime.report.words import names
from sixprime.settings import Playing, load
from sixprime.settings.engine import depth_of
from sixprime.web import messages as m
from sixprime.web.archive import Archive, NotThere
from sixprime.web.desk import Busy
from sixprime.web.sittings import WINDOWS

if TYPE_CHECKING:
    from pathlib import Path

    from sixprime.analysis.model import AnalysedMatch
    from sixprime.engine import Engine
    from sixprime.game.record import Match

_AT_HAND = 16
"""Reports that are held in memory."""
_MOST, _ROOM = 100, 1 << 28
"""Reports that are kept, and bytes of all."""
_ASKED, _LEFT = 60.0, 3.0
"""Seconds that a report is worked on after somebody has asked for it, and after its last page was closed."""
_WRITTEN = 5.0
"""Seconds between two writings of what changes all the time."""


@dataclass(frozen=True, slots=True)
class About:
    """What a list says of a report. source: the match of the library that it is of, "" for none. played: whether it was
    played here to the end, which puts it there. unnamed: the player who told no name."""

    names: tuple[str, str]
    length: int
    games: int
    ready: bool
    source: str = ""
    played: bool = False
    unnamed: int | None = None


class Report:
    """A match that is being analysed, or has been: a page in the end. The work stops while nobody asks for it.

    keep: writes it down, and is called whenever it has changed. source, played: as in `About`.
    """

    def __init__(
        self, key: str, match: Match, keep: Callable[[Report], None], source: str = "", *, played: bool = False
    ) -> None:
        self.key, self.match, self.source, self.played = key, match, source, played
        self.analysed: AnalysedMatch | None = None
        self.begun: AnalysedMatch | None = None  # what there was when the work was stopped
        self._pages: dict[str, str] = {}
        self._drawing = threading.RLock()
        self._keep, self._kept = keep, time.monotonic()
        self.told = m.Reported("working", key, 0, None, "")
        self._lock = threading.Lock()
        self._windows: list[Callable[[], None]] = []
        self._until = time.monotonic() + _ASKED
        self.closed = False
        self.refused = False  # nobody can judge this match

    def change(self, change: Callable[[AnalysedMatch], AnalysedMatch], *, soon: bool = False) -> None:
        """Something of the analysis is otherwise now. soon: it goes on changing, and `keep` will be called in the end.

        Raises OSError where it cannot be kept.
        """
        with self._drawing:
            if self.analysed is None:
                return
            self.analysed, self._pages = change(self.analysed), {}
            self.match = self.analysed.match
            self._until = time.monotonic() + _ASKED
            if not soon or time.monotonic() - self._kept > _WRITTEN:
                self.keep()

    def keep(self) -> None:
        """Writes it down as it stands. Raises OSError."""
        with self._drawing:
            if not self.closed:
                self._keep(self)
                self._kept = time.monotonic()

    @property
    def about(self) -> About:
        """What a list says of it."""
        match = self.match
        ready = self.analysed is not None
        return About(names(match), match.length, len(match.games), ready, self.source, self.played, match.unnamed)

    def page(self, language: str = "en") -> str:
        """The report in a language, empty while there is none."""
        from sixprime.report import render_html

        with self._drawing:
            if self.analysed is not None and language not in self._pages:
                self._pages[language] = render_html(self.analysed, language=language)
            return self._pages.get(language, "")

    def is_set(self) -> bool:
        """Whether to stop, as `Stop` says."""
        return self.closed or not (self._windows or time.monotonic() < self._until)

    def close(self) -> None:
        """Ends it for good."""
        self.closed = True

    @property
    def idle(self) -> bool:
        """Whether nobody looks at it and nothing is done for it."""
        return not self._windows and self.told.state != "working" and time.monotonic() >= self._until

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

    def begins(self, *, opened: bool) -> bool:
        """Whether its work has to be begun again, which then is said to be under way. opened: by a page that has just
        been opened; what failed before, of a setting or a file, may go well now."""
        with self._lock:
            again = self.told.state == "stopped" or (opened and self.told.state == "failed" and not self.refused)
            if not again or self.closed:
                return False
            self.told = replace(self.told, state="working", done=0)
            return True


def same_play(one: Match, other: Match) -> bool:
    """Whether the same was played in two matches, whatever is said of it."""
    return one.players == other.players and _played(one) == _played(other)


def _played(match: Match) -> list[tuple[object, ...]]:
    return [
        (game.number, game.winner, game.points, action.kind, action.player, action.position, action.dice, action.play)
        for game in match.games
        for action in game.actions
    ]


class Reports:
    """All of this user, the latest of them. engine: asked for when it is needed. shelve: puts what was played here into
    the library."""

    def __init__(self, folder: Path, engine: Callable[[], Engine], shelve: Callable[[Report], None]) -> None:
        self.archive = Archive(folder, ".sixprime", About, most=_MOST, room=_ROOM)
        self._engine, self._shelve = engine, shelve
        self._writer = ThreadPoolExecutor(1, "report")
        self._lock = threading.Lock()
        self._at_hand: OrderedDict[str, Report] = OrderedDict()

    def close(self) -> None:
        """Ends all work. What is finished is kept, and what is not is begun again when it is looked at."""
        with self._lock:
            reports = [*self._at_hand.values()]
        for report in reports:
            report.close()
        self._writer.shutdown(wait=False, cancel_futures=True)

    def analyse(self, match: Match, *, played: bool = False) -> Report:
        """Has a match analysed; its report will be found by its key. played: as in `About`."""
        report = self._new(match, played=played)
        with suppress(OSError):  # it is made all the same
            report.keep()
        self._writer.submit(self._write, report)
        return report

    def known(self, analysed: AnalysedMatch, source: str = "") -> Report:
        """The report of a match that has been analysed before. source: as in `About`; one for each."""
        if source:
            for entry in self.archive.entries():
                if entry.about.source == source:
                    with suppress(NotThere):
                        return self.get(entry.key)
        report = self._new(analysed.match, source)
        report.analysed = analysed
        report.tell(state="ready")
        with suppress(OSError):
            report.keep()
        return report

    def get(self, key: str) -> Report:
        """That of a key, read where it is not at hand. Raises NotThere."""
        with self._lock:
            found = self._at_hand.get(key)
            if found is not None:
                self._at_hand.move_to_end(key)
                return found
        read = self._read(key)
        with self._lock:
            found = self._at_hand.setdefault(key, read)
            self._make_room()
        return found

    def follow(self, report: Report, changed: Callable[[], None] | None = None) -> None:
        """Somebody asks for a report, as `Report.look` says; where it had been stopped it is begun again, and by a page
        that is opened where it had failed."""
        report.look(changed)
        if report.begins(opened=changed is not None):
            self._writer.submit(self._write, report)

    def listed(self) -> tuple[m.Listed, ...]:
        """Those that are kept, the latest first."""
        found = []
        for entry in self.archive.entries():
            about, at_hand = entry.about, self._at_hand.get(entry.key)
            state = at_hand.told.state if at_hand is not None else "ready" if about.ready else "stopped"
            found.append(m.Listed(entry.key, about.names, about.length, about.games, state, entry.when, about.unnamed))
        return tuple(found)

    def remove(self, key: str) -> None:
        """Takes a report away for good, and ends its work. Raises OSError."""
        with self._lock:
            report = self._at_hand.pop(key, None)
        if report is not None:
            report.close()
        self.archive.remove(key)

    def belongs_to(self, report: Report, source: str) -> None:
        """A report is that of a match of the library, and no other one is any more. Raises OSError."""
        for entry in self.archive.entries():
            if entry.about.source == source and entry.key != report.key:
                with suppress(NotThere):
                    other = self.get(entry.key)
                    other.source = ""
                    other.keep()
        report.source = source
        report.keep()

    def _new(self, match: Match, source: str = "", *, played: bool = False) -> Report:
        report = Report(secrets.token_urlsafe(18), match, self._keep, source, played=played)
        with self._lock:
            self._at_hand[report.key] = report
            self._make_room()
        return report

    def _make_room(self) -> None:
        idle = [key for key, report in self._at_hand.items() if report.idle]
        for key in idle[: max(0, len(self._at_hand) - _AT_HAND)]:
            del self._at_hand[key]

    def _keep(self, report: Report) -> None:
        from sixprime import codec

        value = report.match if report.analysed is None else report.analysed
        self.archive.put(report.key, compress(codec.to_json(value), 4, mtime=0), report.about)

    def _read(self, key: str) -> Report:
        from sixprime import codec
        from sixprime.analysis.model import AnalysedMatch

        try:
            found = codec.load(self.archive.place(key), object)
        except (OSError, InvalidFileError):
            raise NotThere("There is no report with that key.") from None
        about = self.archive.about(key)
        source = "" if about is None else about.source
        if isinstance(found, AnalysedMatch):
            report = Report(key, found.match, self._keep, source)
            report.analysed = found
            report.tell(state="ready")
            return report
        played = about is not None and about.played
        report = Report(key, found, self._keep, source, played=played)  # type: ignore[arg-type]
        report.tell(state="stopped")
        return report

    def _write(self, report: Report) -> None:
        from sixprime.analysis.analyse import analyse
        from sixprime.settings.analysing import depths_of, rollout_how, second_of

        def tell(step: Progress) -> None:
            report.tell(done=step.done, total=step.total, what=step.what)

        ready = False
        try:
            settings, engine = load(), self._engine()
            given, second = settings.analysis, second_of(settings.analysis.second)
            depth = depth_of(given, settings.engine)
            rollout, search_games = rollout_how(engine, second)
            ready = True
            analysed = analyse(
                report.match,
                engine,
                depths=depths_of(**depth, cube_plies=given.cube_plies, players=(given.player1, given.player2)),
                second=None if second is None else second.depth,
                thresholds=settings.thresholds.thresholds(),
                known=report.begun,
                progress=tell,
                stop=report,
                rollout=None if rollout is None else (engine, rollout),
                search_games=search_games,
            )
            if not analysed.finished:
                report.begun = analysed
                report.tell(state="stopped")
                return
            report.analysed = analysed
            with suppress(OSError):  # it is there as long as the server
                report.keep()
            if report.played and Playing(settings.play).library:
                with suppress(SixprimeError, OSError):  # it can still be put there by hand
                    self._shelve(report)
            report.tell(state="ready")
        except StoppedError:
            report.tell(state="stopped")
        except (SixprimeError, OSError) as error:
            if ready and not isinstance(error, (EngineError, DataFileError, OSError)):
                # It is kept no longer, as whoever waits has been told.
                report.refused = True
                with suppress(OSError):
                    self.archive.remove(report.key)
            report.tell(state="failed", problem=one_line(error))
        except Exception:  # the writer outlives whatever goes wrong
            report.tell(state="failed", problem=m.BUG)
