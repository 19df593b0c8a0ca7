"""All that can be asked of the server, in one table: of it are made the routes and the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from msgspec.structs import replace

from sixprime._version import __version__
from sixprime.cube import met
from sixprime.errors import RulesError, SettingsError
from sixprime.formats import FORMATS
from sixprime.game.table import check_judged
from sixprime.game.variants import VARIANTS
from sixprime.nets import names as nets
from sixprime.play import SEATS
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
    from sixprime.progress import Stop

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

    method: Literal["GET", "POST", "PATCH"]
    path: str
    name: str
    what: str
    asks: type | None
    answers: Any
    does: Callable[..., Any]
    thinks: Callable[[House, str, Any], bool] | None = None


def _about(house: House, key: str, asked: None) -> m.About:
    from importlib.util import find_spec

    pictures = find_spec("resvg_py") is not None
    formats = tuple(m.Form(name, form.title) for name, form in FORMATS.items() if form.write is not None)
    themes = ("auto", *THEMES)
    return m.About(
        __version__, tuple(SEATS), tuple(VARIANTS), themes, house.shared, pictures, formats, address=house.address
    )


def _sit_down(house: House, key: str, asked: m.SittingAsked) -> m.Opened:
    return house.sit_down(asked)


def _sittings(house: House, key: str, asked: None) -> m.Sittings:
    return house.sittings()


def _latest(house: House, key: str, asked: m.LatestAsked) -> m.Sittings:
    return house.sittings(asked.count)


def _told(house: House, key: str, asked: None) -> m.Told:
    return house.sitting(key).told(key)


def _past(house: House, key: str, asked: None) -> m.Past:
    return house.sitting(key).past()


def _entry(house: House, key: str, asked: m.EntryAsked) -> m.Entered:
    return house.sitting(key).entry(key, asked)


def _act(house: House, key: str, asked: m.ActAsked, stop: Stop | None = None) -> m.Acted:
    sitting = house.sitting(key)
    warned = sitting.act(key, asked, stop)
    return m.Acted(sitting.told(key), warned)


def _judged(house: House, key: str, asked: m.ActAsked) -> bool:
    """Whether the tutor looks at an act."""
    return not asked.anyway and asked.do not in ("undo", "redo") and house.sitting(key).tutored(key)


def _hint(house: House, key: str, asked: None, stop: Stop | None = None) -> m.Hinted:
    return house.sitting(key).hint(key, stop)


def _always(house: House, key: str, asked: Any) -> bool:
    return True


def _tutor(house: House, key: str, asked: m.TutorAsked) -> m.Told:
    sitting = house.sitting(key)
    house.tutor(sitting, key, on=asked.on)
    return sitting.told(key)


def _watch(house: House, key: str, asked: m.WatchAsked) -> m.Told:
    sitting = house.sitting(key)
    sitting.watch(asked.do)
    return sitting.told(key)


def _begin_report(house: House, key: str, asked: None) -> m.Reported:
    return house.report_of(house.sitting(key))


def _report(house: House, key: str, asked: None) -> m.Reported:
    report = house.reports.get(key)
    house.reports.follow(report)
    return report.told


def _reports(house: House, key: str, asked: None) -> m.Reports:
    return m.Reports(house.reports.listed())


def _results(house: House, key: str, asked: None) -> m.Results:
    from sixprime.web import learning

    answers, attempts = learning.told().answers, learning.attempts()
    return m.Results(house.reports.listed(), house.rolled.listed(), house.variations.listed(), answers, attempts)


def _remove(house: House, key: str, asked: m.RemoveAsked) -> m.Results:
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
    return _results(house, "", None)


def _review(house: House, key: str, asked: None) -> m.Reviewed:
    from sixprime.web import reviews

    return reviews.told(house.reports.get(key))


def _comment(house: House, key: str, asked: m.CommentAsked) -> m.Reviewed:
    from sixprime.web import reviews

    report = house.reports.get(key)
    reviews.analysed_of(report)
    report.change(lambda analysed: reviews.commented(analysed, asked))
    return reviews.told(report)


def _played(house: House, key: str) -> Match:
    """What has been played at a sitting. Raises RulesError where that is nothing."""
    match = house.sitting(key).session.record()
    if not match.games:
        raise RulesError("Nothing has been played yet that could be written.")
    return match


def _record(house: House, key: str, asked: None) -> m.Written:
    from sixprime import formats

    (text, *_) = formats.render([_played(house, key)], "mat")
    return m.Written(text if isinstance(text, str) else text.decode())


def _sitting_file(house: House, key: str, asked: m.FormAsked) -> m.FileTold:
    from sixprime.web import reviews

    return reviews.file_told(_played(house, key), asked.form)


def _position(house: House, key: str, asked: m.PositionAsked) -> m.Read:
    return read(asked)


def _position_entry(house: House, key: str, asked: m.EntryAsked) -> m.Entered:
    if asked.board is None:
        raise SettingsError("board must say in which position the play is made.")
    return entered_as_made(parsed_of(asked.board).position, asked)


def _after(house: House, key: str, asked: m.AfterAsked) -> m.Read:
    return after(asked)


def _text(house: House, key: str, asked: m.TextAsked, stop: Stop | None = None) -> m.Written:
    from sixprime.analysis.single import judged_position, position_match
    from sixprime.report import export

    found = parsed_of(asked.board)
    check_judged(found.position, found.state)
    match = position_match(found.position, found.state)
    judged = judged_position(match, Recalling(house.engine, house.rolled))
    texts = (text for _, text in export.render(judged, asked.form, "position.txt"))
    return m.Written(next(text for text in texts if isinstance(text, str)))


def _trees(house: House, key: str, asked: None) -> m.AllTried:
    return m.AllTried(house.variations.listed())


def _tree(house: House, key: str, asked: None) -> m.Variations:
    return house.variations.get(key)


def _keep_tree(house: House, key: str, asked: m.Variations) -> m.VersionTold:
    return m.VersionTold(asked.key, house.variations.keep(asked))


def _tree_text(house: House, key: str, asked: m.Variations) -> m.Written:
    from sixprime.web import variations

    return m.Written(variations.text(asked))


def _transcript(house: House, key: str, asked: m.TranscriptAsked) -> m.TranscriptTold:
    from sixprime.web import transcripts

    return transcripts.told(asked)


def _transcript_file(house: House, key: str, asked: m.FileAsked) -> m.FileTold:
    from sixprime.web import reviews, transcripts

    return reviews.file_told(transcripts.match_of(asked.transcript), asked.form)


def _transcript_report(house: House, key: str, asked: m.Transcript) -> m.Reported:
    from sixprime.web import transcripts

    return house.reports.analyse(transcripts.match_of(asked)).told


def _transcript_of(house: House, key: str, asked: None) -> m.Transcript:
    from sixprime.web import transcripts

    return transcripts.of_match(house.reports.get(key).match)


def _keep(house: House, key: str, asked: m.KeepAsked) -> m.Shelf:
    from sixprime.web import library, reviews

    report = house.reports.get(asked.report)
    house.reports.belongs_to(report, house.library.keep(reviews.analysed_of(report)))
    return library.shelf(house.library)


def _shelf(house: House, key: str, asked: None) -> m.Shelf:
    from sixprime.web import library

    return library.shelf(house.library)


def _open_match(house: House, key: str, asked: m.MatchAsked) -> m.Reported:
    from sixprime.web import library

    try:
        analysed = house.library.analysis(asked.checksum)
    except FileNotFoundError:
        raise NotThere("The analysis of that match is not in the library.") from None
    told = house.reports.known(analysed, asked.checksum).told
    return told if asked.turn is None else replace(told, place=library.place_of(analysed, asked.turn))


def _remove_match(house: House, key: str, asked: m.MatchAsked) -> m.Shelf:
    house.library.remove(asked.checksum)
    return _shelf(house, key, None)


def _search(house: House, key: str, asked: m.SearchAsked) -> m.FoundAll:
    from sixprime.web import library

    return library.search(house.library, asked)


def _sums(house: House, key: str, asked: m.SumsAsked) -> m.Sums:
    from sixprime.web import library

    return library.sums(house.library, asked, load().thresholds.thresholds().doubtful)


def _quiz(house: House, key: str, asked: None) -> m.QuizTold:
    from sixprime.web import learning

    return learning.told()


def _cards(house: House, key: str, asked: m.CardsAsked) -> m.QuizTold:
    from sixprime.web import learning, reviews

    return learning.add(asked, reviews.analysed_of(house.reports.get(asked.report)) if asked.report else None)


def _quiz_next(house: House, key: str, asked: m.QuizAsked) -> m.QuizNext:
    from sixprime.web import learning

    return learning.ask(asked)


def _answer(house: House, key: str, asked: m.AnswerAsked, stop: Stop | None = None) -> m.Marked:
    from sixprime.web import learning

    return learning.mark(asked, house.engine)


def _drill(house: House, key: str, asked: m.DrillAsked, stop: Stop | None = None) -> m.Drilled:
    from sixprime.web import learning

    return learning.drill(asked, house.engine)


def _drilled(house: House, key: str, asked: m.DrillAnswered, stop: Stop | None = None) -> m.DrillMarked:
    from sixprime.web import learning

    return learning.drilled(asked, house.engine)


def _drills(house: House, key: str, asked: None) -> m.DrillLog:
    from sixprime.web import learning

    return learning.records()


def _settings(house: House, key: str, asked: None) -> m.SettingsTold:
    settings, found = load(), []
    for name, each in KEYS.items():
        section, inner = each.parts
        value = getattr(getattr(settings, section), inner)
        flag = each.built_in in ("true", "false") and not each.words
        kind: Literal["flag", "number", "text"] = "flag" if flag else "text" if each.words else "number"
        found.append(m.Setting(name, each.text, each.built_in, value, kind, here=name not in _PLACES))
    return m.SettingsTold(tuple(found), not house.shared)


def _set(house: House, key: str, asked: m.SettingAsked) -> m.SettingsTold:
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
    return _settings(house, key, None)


OPERATIONS = (
    Operation("GET", "/about", "about", "What this server is and knows", None, m.About, _about),
    Operation("GET", "/sittings", "list_sittings", "The games of this user", None, m.Sittings, _sittings),
    Operation("POST", "/sittings/latest", "list_latest", "So many of them", m.LatestAsked, m.Sittings, _latest),
    Operation("POST", "/sittings", "sit_down", "Begin a game or match", m.SittingAsked, m.Opened, _sit_down),
    Operation("GET", "/sittings/{key}", "see", "A sitting as the key lets see it", None, m.Told, _told),
    Operation("GET", "/sittings/{key}/past", "look_back", "The boards of the game until now", None, m.Past, _past),
    Operation(
        "POST",
        "/sittings/{key}/entry",
        "enter",
        "One step of a play, nothing is done yet",
        m.EntryAsked,
        m.Entered,
        _entry,
    ),
    Operation(
        "POST",
        "/sittings/{key}/acts",
        "act",
        "Roll, play, double, take, resign, undo, redo",
        m.ActAsked,
        m.Acted,
        _act,
        _judged,
    ),
    Operation(
        "POST", "/sittings/{key}/hint", "hint", "All that can be done, best first", None, m.Hinted, _hint, _always
    ),
    Operation("POST", "/sittings/{key}/tutor", "tutor", "Turn the tutor on or off", m.TutorAsked, m.Told, _tutor),
    Operation(
        "POST", "/sittings/{key}/watch", "watch", "Have two programs pause, or go on", m.WatchAsked, m.Told, _watch
    ),
    Operation(
        "POST", "/sittings/{key}/report", "report", "Analyse what has been played", None, m.Reported, _begin_report
    ),
    Operation("GET", "/sittings/{key}/record", "record", "The match as Jellyfish text", None, m.Written, _record),
    Operation(
        "POST", "/sittings/{key}/file", "write_sitting", "The match as a file", m.FormAsked, m.FileTold, _sitting_file
    ),
    Operation("GET", "/reports", "list_reports", "The latest reports", None, m.Reports, _reports),
    Operation("GET", "/results", "list_results", "All that is kept of analyses", None, m.Results, _results),
    Operation("POST", "/results/remove", "remove_result", "Take one of them away", m.RemoveAsked, m.Results, _remove),
    Operation("GET", "/reports/{key}", "see_report", "How far a report is", None, m.Reported, _report),
    Operation("GET", "/reports/{key}/decisions", "review", "The decisions of a report", None, m.Reviewed, _review),
    Operation(
        "POST", "/reports/{key}/comments", "comment", "Say something of an action", m.CommentAsked, m.Reviewed, _comment
    ),
    Operation("POST", "/positions", "read_position", "Read a position", m.PositionAsked, m.Read, _position),
    Operation(
        "POST",
        "/positions/entry",
        "try_play",
        "One step of a play in a position",
        m.EntryAsked,
        m.Entered,
        _position_entry,
    ),
    Operation("POST", "/positions/after", "go_on", "What comes of a play or the cube", m.AfterAsked, m.Read, _after),
    Operation(
        "POST", "/positions/text", "write_position", "A judged position as text", m.TextAsked, m.Written, _text, _always
    ),
    Operation("GET", "/variations", "list_variations", "The trees that are kept", None, m.AllTried, _trees),
    Operation("POST", "/variations", "keep_variations", "Keep a tree", m.Variations, m.VersionTold, _keep_tree),
    Operation("POST", "/variations/text", "write_variations", "A tree as text", m.Variations, m.Written, _tree_text),
    Operation("GET", "/variations/{key}", "variations", "A tree of variations", None, m.Variations, _tree),
    Operation(
        "POST",
        "/transcripts",
        "transcribe",
        "What the rules say of a match that is written down",
        m.TranscriptAsked,
        m.TranscriptTold,
        _transcript,
    ),
    Operation(
        "POST",
        "/transcripts/file",
        "write_transcript",
        "A transcript as a file",
        m.FileAsked,
        m.FileTold,
        _transcript_file,
    ),
    Operation(
        "POST",
        "/transcripts/report",
        "report_transcript",
        "Analyse a transcript",
        m.Transcript,
        m.Reported,
        _transcript_report,
    ),
    Operation(
        "GET",
        "/reports/{key}/transcript",
        "transcript",
        "The match of a report, to be corrected",
        None,
        m.Transcript,
        _transcript_of,
    ),
    Operation("GET", "/library", "list_library", "Matches and players of the library", None, m.Shelf, _shelf),
    Operation("POST", "/library", "keep", "Put a match into the library", m.KeepAsked, m.Shelf, _keep),
    Operation("POST", "/library/open", "open_match", "A report again", m.MatchAsked, m.Reported, _open_match),
    Operation("POST", "/library/remove", "remove_match", "Take a match out", m.MatchAsked, m.Shelf, _remove_match),
    Operation("POST", "/library/positions", "search", "Find positions by a mask", m.SearchAsked, m.FoundAll, _search),
    Operation("POST", "/library/sums", "sums", "Where equity went", m.SumsAsked, m.Sums, _sums),
    Operation("GET", "/quiz", "quiz", "How the quiz stands", None, m.QuizTold, _quiz),
    Operation("POST", "/quiz/cards", "add_cards", "Questions for the quiz", m.CardsAsked, m.QuizTold, _cards),
    Operation("POST", "/quiz/next", "next_card", "The next question", m.QuizAsked, m.QuizNext, _quiz_next),
    Operation("POST", "/quiz/answer", "answer", "Answer a question", m.AnswerAsked, m.Marked, _answer, _always),
    Operation("GET", "/drills", "list_drills", "How the drills went", None, m.DrillLog, _drills),
    Operation("POST", "/drills", "drill", "An exercise", m.DrillAsked, m.Drilled, _drill, _always),
    Operation(
        "POST",
        "/drills/answer",
        "answer_drill",
        "Answer an exercise",
        m.DrillAnswered,
        m.DrillMarked,
        _drilled,
        _always,
    ),
    Operation("GET", "/settings", "list_settings", "All settings", None, m.SettingsTold, _settings),
    Operation("PATCH", "/settings", "set", "Change a setting", m.SettingAsked, m.SettingsTold, _set),
)
