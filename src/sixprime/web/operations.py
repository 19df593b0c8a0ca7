"""All that can be asked of the server: of it are made the routes and the OpenAPI document.

What is asked and answered, an operation's annotations say; what it is called, its name; what it is for, its docstring.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_type_hints

from msgspec.structs import replace

from sixprime._version import __version__
from sixprime.cube import met
from sixprime.errors import RulesError, SettingsError
from sixprime.formats import FORMATS
from sixprime.game.table import check_judged
from sixprime.game.variants import VARIANTS
from sixprime.nets import names as nets
from sixprime.play import SEATS
from sixprime.progress import Stop
from sixprime.report.themes import THEMES
from sixprime.settings import change, load
from sixprime.settings.file import value_of
from sixprime.settings.tree import KEYS
from sixprime.web import messages as m
from sixprime.web.archive import NotThere
from sixprime.web.boards import after, entered_as_made, parsed_of, read
from sixprime.web.house import House
from sixprime.web.judging import Recalling

if TYPE_CHECKING:
    from sixprime.game.record import Match

API = "/api/v1"


_PLACES = frozenset({"engine.executor", "export.folder", "files.data", "files.gnubg", "files.templates"})
"""Settings that name programs, files and machines: whoever reaches the port may be another user of this machine."""
_NAMES = frozenset({"engine.met", "engine.net", "play.dice", "play.opponent"})
"""Those that may do so, if they are no plain words."""
_PLAIN = re.compile(r"[A-Za-z0-9@ _-]+")


@dataclass(frozen=True, slots=True)
class Operation:
    """Something that can be asked. path: with {key} for that of a sitting or report, the only part of it that varies.

    asks, answers: classes of `messages`; does: called with the house, the key and what is asked. thinks: called with
    the same, says whether the engine is needed for long; then `does` waits for its turn, and is given a stop, too.
    """

    method: str
    path: str
    name: str
    what: str
    asks: type | None
    answers: Any
    does: Callable[..., Any]
    thinks: Callable[[House, str, Any], bool] | None = None


OPERATIONS: list[Operation] = []
"""All of them, in the order of the document."""
_F = TypeVar("_F", bound=Callable[..., Any])


def operation(
    method: Literal["GET", "POST", "PATCH"], path: str, thinks: Callable[[House, str, Any], bool] | None = None
) -> Callable[[_F], _F]:
    """Enters a function as what is asked by this method at this path; see `Operation`."""

    def enter(does: _F) -> _F:
        hints, name, what = get_type_hints(does), does.__name__.rstrip("_"), (does.__doc__ or "").rstrip(".")
        asks = None if hints["asked"] is NoneType else hints["asked"]
        OPERATIONS.append(Operation(method, path, name, what, asks, hints["return"], does, thinks))
        return does

    return enter


@operation("GET", "/about")
def about(house: House, key: str, asked: None) -> m.About:
    """What this server is and knows."""
    from importlib.util import find_spec

    pictures = find_spec("resvg_py") is not None
    formats = tuple(m.Form(name, form.title) for name, form in FORMATS.items() if form.write is not None)
    themes = ("auto", *THEMES)
    return m.About(
        __version__, tuple(SEATS), tuple(VARIANTS), themes, house.shared, pictures, formats, address=house.address
    )


@operation("GET", "/compiling")
def compiling(house: House, key: str, asked: None) -> m.Compiled:
    """How far the kernels are compiled, which a new installation does once."""
    return m.Compiled(house.compiling.percent)


@operation("GET", "/sittings")
def list_sittings(house: House, key: str, asked: None) -> m.Sittings:
    """The games of this user."""
    return house.sittings()


@operation("POST", "/sittings/latest")
def list_latest(house: House, key: str, asked: m.LatestAsked) -> m.Sittings:
    """So many of them."""
    return house.sittings(asked.count)


@operation("POST", "/sittings/remove")
def remove_sitting(house: House, key: str, asked: m.GameAsked) -> m.Sittings:
    """Take a game away, in all its windows."""
    house.remove(asked.key)
    return house.sittings()


@operation("POST", "/sittings")
def sit_down(house: House, key: str, asked: m.SittingAsked) -> m.Opened:
    """Begin a game or match."""
    return house.sit_down(asked)


@operation("GET", "/sittings/{key}")
def see(house: House, key: str, asked: None) -> m.Told:
    """A sitting as the key lets see it."""
    return house.sitting(key).told(key)


@operation("GET", "/sittings/{key}/past")
def look_back(house: House, key: str, asked: None) -> m.Past:
    """The boards of the game until now."""
    return house.sitting(key).past()


@operation("POST", "/sittings/{key}/entry")
def enter(house: House, key: str, asked: m.EntryAsked) -> m.Entered:
    """One step of a play, nothing is done yet."""
    return house.sitting(key).entry(key, asked)


def _judged(house: House, key: str, asked: m.ActAsked) -> bool:
    """Whether the tutor looks at an act."""
    return not asked.anyway and asked.do not in ("undo", "redo") and house.sitting(key).tutored(key)


@operation("POST", "/sittings/{key}/acts", thinks=_judged)
def act(house: House, key: str, asked: m.ActAsked, stop: Stop | None = None) -> m.Acted:
    """Roll, play, double, take, resign, undo, redo."""
    sitting = house.sitting(key)
    warned = sitting.act(key, asked, stop)
    return m.Acted(sitting.told(key), warned)


def _always(house: House, key: str, asked: Any) -> bool:
    return True


@operation("POST", "/sittings/{key}/hint", thinks=_always)
def hint(house: House, key: str, asked: None, stop: Stop | None = None) -> m.Hinted:
    """All that can be done, best first."""
    return house.sitting(key).hint(key, stop)


@operation("POST", "/sittings/{key}/tutor")
def tutor(house: House, key: str, asked: m.TutorAsked) -> m.Told:
    """Turn the tutor on or off."""
    sitting = house.sitting(key)
    house.tutor(sitting, key, on=asked.on)
    return sitting.told(key)


@operation("POST", "/sittings/{key}/watch")
def watch(house: House, key: str, asked: m.WatchAsked) -> m.Told:
    """Have two programs pause, or go on."""
    sitting = house.sitting(key)
    sitting.watch(asked.do)
    return sitting.told(key)


@operation("POST", "/sittings/{key}/report")
def report(house: House, key: str, asked: None) -> m.Reported:
    """Analyse what has been played."""
    return house.report_of(house.sitting(key))


def _played(house: House, key: str) -> Match:
    """What has been played at a sitting. Raises RulesError where that is nothing."""
    match = house.sitting(key).session.record()
    if not match.games:
        raise RulesError("Nothing has been played yet that could be written.")
    return match


@operation("GET", "/sittings/{key}/record")
def record(house: House, key: str, asked: None) -> m.Written:
    """The match as Jellyfish text."""
    from sixprime import formats

    (text, *_) = formats.render([_played(house, key)], "mat")
    return m.Written(text if isinstance(text, str) else text.decode())


@operation("POST", "/sittings/{key}/file")
def write_sitting(house: House, key: str, asked: m.FormAsked) -> m.FileTold:
    """The match as a file."""
    from sixprime.web import reviews

    return reviews.file_told(_played(house, key), asked.form)


@operation("GET", "/reports")
def list_reports(house: House, key: str, asked: None) -> m.Reports:
    """The latest reports."""
    return m.Reports(house.reports.listed())


@operation("GET", "/results")
def list_results(house: House, key: str, asked: None) -> m.Results:
    """All that is kept of analyses."""
    from sixprime.web import learning

    answers, attempts = learning.told().answers, learning.attempts()
    return m.Results(house.reports.listed(), house.rolled.listed(), house.variations.listed(), answers, attempts)


@operation("POST", "/results/remove")
def remove_result(house: House, key: str, asked: m.RemoveAsked) -> m.Results:
    """Take one of them away."""
    from sixprime.web import learning

    match asked.kind:
        case "report":
            house.reports.remove(asked.key)
        case "rollout":
            house.rolled.remove(asked.key)
        case "variations":
            house.variations.remove(asked.key)
        case "quiz":
            learning.forget()
        case "drills":
            learning.forget_drills()
    return list_results(house, "", None)


@operation("GET", "/reports/{key}")
def see_report(house: House, key: str, asked: None) -> m.Reported:
    """How far a report is."""
    report = house.reports.get(key)
    house.reports.follow(report)
    return report.told


@operation("GET", "/reports/{key}/decisions")
def review(house: House, key: str, asked: None) -> m.Reviewed:
    """The decisions of a report."""
    from sixprime.web import reviews

    return reviews.told(house.reports.get(key))


@operation("POST", "/reports/{key}/comments")
def comment(house: House, key: str, asked: m.CommentAsked) -> m.Reviewed:
    """Say something of an action."""
    from sixprime.web import reviews

    report = house.reports.get(key)
    reviews.analysed_of(report)
    report.change(lambda analysed: reviews.commented(analysed, asked))
    return reviews.told(report)


@operation("POST", "/positions")
def read_position(house: House, key: str, asked: m.PositionAsked) -> m.Read:
    """Read a position."""
    return read(asked)


@operation("POST", "/positions/entry")
def try_play(house: House, key: str, asked: m.EntryAsked) -> m.Entered:
    """One step of a play in a position."""
    if asked.board is None:
        raise SettingsError("board must say in which position the play is made.")
    return entered_as_made(parsed_of(asked.board).position, asked)


@operation("POST", "/positions/after")
def go_on(house: House, key: str, asked: m.AfterAsked) -> m.Read:
    """What comes of a play or the cube."""
    return after(asked)


@operation("POST", "/positions/text", thinks=_always)
def write_position(house: House, key: str, asked: m.TextAsked, stop: Stop | None = None) -> m.Written:
    """A judged position as text."""
    from sixprime.analysis.single import judged_position, position_match
    from sixprime.report import export

    found = parsed_of(asked.board)
    check_judged(found.position, found.state)
    match = position_match(found.position, found.state)
    judged = judged_position(match, Recalling(house.engine, house.rolled))
    texts = (text for _, text in export.render(judged, asked.form, "position.txt"))
    return m.Written(next(text for text in texts if isinstance(text, str)))


@operation("GET", "/variations")
def list_variations(house: House, key: str, asked: None) -> m.AllTried:
    """The trees that are kept."""
    return m.AllTried(house.variations.listed())


@operation("POST", "/variations")
def keep_variations(house: House, key: str, asked: m.Variations) -> m.VersionTold:
    """Keep a tree."""
    return m.VersionTold(asked.key, house.variations.keep(asked))


@operation("POST", "/variations/text")
def write_variations(house: House, key: str, asked: m.Variations) -> m.Written:
    """A tree as text."""
    from sixprime.web import variations

    return m.Written(variations.text(asked))


@operation("GET", "/variations/{key}")
def variations(house: House, key: str, asked: None) -> m.Variations:
    """A tree of variations."""
    return house.variations.get(key)


@operation("POST", "/transcripts")
def transcribe(house: House, key: str, asked: m.TranscriptAsked) -> m.TranscriptTold:
    """What the rules say of a match that is written down."""
    from sixprime.web import transcripts

    return transcripts.told(asked)


@operation("POST", "/transcripts/file")
def write_transcript(house: House, key: str, asked: m.FileAsked) -> m.FileTold:
    """A transcript as a file."""
    from sixprime.web import reviews, transcripts

    return reviews.file_told(transcripts.match_of(asked.transcript), asked.form)


@operation("POST", "/transcripts/report")
def report_transcript(house: House, key: str, asked: m.Transcript) -> m.Reported:
    """Analyse a transcript."""
    from sixprime.web import transcripts

    return house.reports.analyse(transcripts.match_of(asked)).told


@operation("GET", "/reports/{key}/transcript")
def transcript(house: House, key: str, asked: None) -> m.Transcript:
    """The match of a report, to be corrected."""
    from sixprime.web import transcripts

    return transcripts.of_match(house.reports.get(key).match)


@operation("GET", "/library")
def list_library(house: House, key: str, asked: None) -> m.Shelf:
    """Matches and players of the library."""
    from sixprime.web import library

    return library.shelf(house.library)


@operation("POST", "/library")
def keep(house: House, key: str, asked: m.KeepAsked) -> m.Shelf:
    """Put a match into the library."""
    from sixprime.web import library, reviews

    report = house.reports.get(asked.report)
    house.reports.belongs_to(report, house.library.keep(reviews.analysed_of(report)))
    return library.shelf(house.library)


@operation("POST", "/library/open")
def open_match(house: House, key: str, asked: m.MatchAsked) -> m.Reported:
    """A report again."""
    from sixprime.web import library

    try:
        analysed = house.library.analysis(asked.checksum)
    except FileNotFoundError:
        raise NotThere("The analysis of that match is not in the library.") from None
    told = house.reports.known(analysed, asked.checksum).told
    return told if asked.turn is None else replace(told, place=library.place_of(analysed, asked.turn))


@operation("POST", "/library/remove")
def remove_match(house: House, key: str, asked: m.MatchAsked) -> m.Shelf:
    """Take a match out."""
    house.library.remove(asked.checksum)
    return list_library(house, key, None)


@operation("POST", "/library/positions")
def search(house: House, key: str, asked: m.SearchAsked) -> m.FoundAll:
    """Find positions by a mask."""
    from sixprime.web import library

    return library.search(house.library, asked)


@operation("POST", "/library/sums")
def sums(house: House, key: str, asked: m.SumsAsked) -> m.Sums:
    """Where equity went."""
    from sixprime.web import library

    return library.sums(house.library, asked, load().thresholds.thresholds().doubtful)


@operation("GET", "/quiz")
def quiz(house: House, key: str, asked: None) -> m.QuizTold:
    """How the quiz stands."""
    from sixprime.web import learning

    return learning.told()


@operation("POST", "/quiz/cards")
def add_cards(house: House, key: str, asked: m.CardsAsked) -> m.QuizTold:
    """Questions for the quiz."""
    from sixprime.web import learning, reviews

    return learning.add(asked, reviews.analysed_of(house.reports.get(asked.report)) if asked.report else None)


@operation("POST", "/quiz/next")
def next_card(house: House, key: str, asked: m.QuizAsked) -> m.QuizNext:
    """The next question."""
    from sixprime.web import learning

    return learning.ask(asked)


@operation("POST", "/quiz/answer", thinks=_always)
def answer(house: House, key: str, asked: m.AnswerAsked, stop: Stop | None = None) -> m.Marked:
    """Answer a question."""
    from sixprime.web import learning

    return learning.mark(asked, house.engine)


@operation("GET", "/drills")
def list_drills(house: House, key: str, asked: None) -> m.DrillLog:
    """How the drills went."""
    from sixprime.web import learning

    return learning.records()


@operation("POST", "/drills", thinks=_always)
def drill(house: House, key: str, asked: m.DrillAsked, stop: Stop | None = None) -> m.Drilled:
    """An exercise."""
    from sixprime.web import learning

    return learning.drill(asked, house.engine)


@operation("POST", "/drills/answer", thinks=_always)
def answer_drill(house: House, key: str, asked: m.DrillAnswered, stop: Stop | None = None) -> m.DrillMarked:
    """Answer an exercise."""
    from sixprime.web import learning

    return learning.drilled(asked, house.engine)


@operation("GET", "/settings")
def list_settings(house: House, key: str, asked: None) -> m.SettingsTold:
    """All settings."""
    settings, found = load(), []
    for name, each in KEYS.items():
        section, inner = each.parts
        value = getattr(getattr(settings, section), inner)
        flag = each.built_in in ("true", "false") and not each.words
        kind: Literal["flag", "number", "text"] = "flag" if flag else "text" if each.words else "number"
        found.append(m.Setting(name, each.text, each.built_in, value, kind, here=name not in _PLACES))
    return m.SettingsTold(tuple(found), not house.shared)


@operation("PATCH", "/settings")
def set_(house: House, key: str, asked: m.SettingAsked) -> m.SettingsTold:
    """Change a setting."""
    if house.shared:
        # Some name programs and files of this machine.
        raise SettingsError("Settings can be changed only where nobody else reaches the server.")
    if asked.value is not None and (
        asked.name in _PLACES or (asked.name in _NAMES and not _PLAIN.fullmatch(asked.value))
    ):
        raise SettingsError(
            f"{asked.name} would name a program, a file or another machine; it is set by `sixprime settings set` alone."
        )
    # A plain word could still be the name of a file that lies where the server was started.
    known = {"engine.net": nets.names, "engine.met": met.names}.get(asked.name)
    if asked.value is not None and known is not None and asked.value not in known():
        raise SettingsError(f"{asked.name} must be one of {', '.join(known())}. Got {asked.value[:60]!r} instead.")
    change(asked.name, None if asked.value is None else value_of(asked.name, asked.value))
    return list_settings(house, key, None)
