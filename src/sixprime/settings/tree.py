"""What can be set: a class for each section, a field for each key, with its rule and what it is for.

None is what nobody has set. Raises SettingsError for a value that its rule refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from sixprime.checks import FLAG, SEED, TEXT, Real, Whole, refuse, shown
from sixprime.errors import SettingsError
from sixprime.report.export.options import RULES as EXPORT

if TYPE_CHECKING:
    from sixprime.analysis.thresholds import Thresholds

Check = Callable[[str, Any], None]
"""Called with the key and what was given; raises SettingsError. A rule of `checks` is one."""


_LONGEST = 1000


def _words(key: str, given: Any) -> None:
    """The rule of a text that a file in UTF-8 can hold."""
    TEXT(key, given)
    try:
        given.encode()
    except UnicodeEncodeError:
        refuse(key, "a text that UTF-8 can hold", given)
    if len(given) > _LONGEST:
        refuse(key, f"a text of at most {_LONGEST:,} characters", given)


def _name(key: str, given: Any) -> None:
    """The rule of a name."""
    _words(key, given)
    if not given.strip():
        refuse(key, "a name", given)


def _called(key: str, given: Any) -> None:
    """The rule of what somebody is called."""
    _name(key, given)
    if not given.isprintable():
        refuse(key, "a text on one line, without control characters", given)


def _opponent(text: str) -> None:
    """Raises SettingsError for a text that describes nobody."""
    from sixprime.play.seats import check_seat

    check_seat(text)


def _read_by(read: Callable[[str], object]) -> Check:
    """The rule of a text that something of ours must be able to read."""

    def check(key: str, given: Any) -> None:
        _words(key, given)
        try:
            read(given)
        except SettingsError as error:
            raise SettingsError(f"{key}: {error}") from None

    return check


def _level(text: str) -> object:
    from sixprime.engine.presets import get_preset

    return get_preset(text)


def _filter(text: str) -> object:
    from sixprime.engine.filters import get_filter

    return get_filter(text)


def _depth(text: str) -> object:
    from sixprime.analysis.depth import Depth

    return Depth.parse(text, Depth())


def _thresholds(text: str) -> object:
    from sixprime.analysis.thresholds import get_thresholds

    return get_thresholds(text)


def _cube_model(text: str) -> object:
    from sixprime.cube.model import CubeModel

    return CubeModel.named(text)


def _executor(text: str) -> object:
    from sixprime.engine.executors import parse

    return parse(text)


def _encoding(text: str) -> object:
    from sixprime.formats import known_encoding

    return known_encoding(text)


def _variant(text: str) -> object:
    from sixprime.game.variants import get_variant

    return get_variant(text)


def _dice(text: str) -> object:
    from sixprime.play.dice import source_named

    return source_named(text)


def _one_of(*words: str) -> Check:
    """The rule of one of several words."""

    def check(key: str, given: Any) -> None:
        if given not in words:
            refuse(key, f"one of {', '.join(words)}", given)

    return check


SKILLS = ("doubtful", "bad", "very bad")
"""Marks of errors in words, the mildest first."""
_PLIES, _TURN, _NOISE = Whole(0, 4), Whole(0, 1000), Real(0, 1)
_TRIALS, _ABOVE, _MARK = Whole(1, 10_000_000), Real(0, 1e9, above=True), Real(0, 10, above=True)
_LEVEL, _FILTER = _read_by(_level), _read_by(_filter)


def _key(check: Check, text: str, built_in: str = "") -> Any:
    """A field. text: what it is for; built_in: what holds where it is not set, in words."""
    return field(default=None, metadata={"check": check, "text": text, "built_in": built_in})


class _Section:
    """What the sections have in common."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for each in fields(self):  # type: ignore[arg-type]
            value = getattr(self, each.name)
            if value is not None:
                each.metadata["check"](each.name, value)

    def given(self) -> dict[str, Any]:
        """What is set."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}  # type: ignore[arg-type]
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True, slots=True)
class EngineSection(_Section):
    """What judges, in every command that has these options."""

    net: str | None = _key(_name, "a net that ships, or a network file", "standard")
    level: str | None = _key(_LEVEL, "a level of play", "2 plies")
    plies: int | None = _key(_PLIES, "how far to look ahead", "as the level, else 2")
    filter: str | None = _key(_FILTER, "how many candidate plays are looked at closely", "as the level, else normal")
    met: str | None = _key(_name, "a match equity table, or a file of one", "Kazaross-XG2")
    cube_model: str | None = _key(_read_by(_cube_model), "how the cube is valued", "fitted")
    threads: int | None = _key(Whole(1, 1024), "threads to use", "all cores")
    executor: str | None = _key(_read_by(_executor), "a Dask cluster", "this machine")


@dataclass(frozen=True, slots=True)
class AnalysisSection(_Section):
    """`analyse`, where it is to judge otherwise than the other commands."""

    level: str | None = _key(_LEVEL, "a level of play", "as [engine]")
    plies: int | None = _key(_PLIES, "how far to look ahead", "as [engine]")
    filter: str | None = _key(_FILTER, "how many candidate plays are looked at closely", "as [engine]")
    cube_plies: int | None = _key(_PLIES, "how far cube decisions look ahead", "as plies")
    player1: str | None = _key(
        _read_by(_depth), "how closely the first player is looked at, such as 3/2,large", "as both"
    )
    player2: str | None = _key(_read_by(_depth), "the same for the second player", "as for both")
    second: str | None = _key(_LEVEL, "a level on which the doubtful is judged again", "not at all")
    trials: int | None = _key(Whole(36, 1_000_000), "games of each rollout of --rollout", "324")


@dataclass(frozen=True, slots=True)
class ThresholdsSection(_Section):
    """Equity lost, or luck, from which `analyse` gives a mark."""

    marks: str | None = _key(_read_by(_thresholds), "a set of the first three: gnubg, gnubg-1.06, galaxy, xg", "gnubg")
    doubtful: float | None = _key(_MARK, "a doubtful decision", "0.03")
    bad: float | None = _key(_MARK, "a bad one", "0.06")
    very_bad: float | None = _key(_MARK, "a very bad one", "0.12")
    lucky: float | None = _key(_MARK, "a lucky roll", "0.3")
    very_lucky: float | None = _key(_MARK, "a very lucky one", "0.6")
    close_cube: float | None = _key(Real(0, 10), "doubling loses less: not to double counts as a decision", "0.16")

    def __post_init__(self) -> None:
        _Section.__post_init__(self)
        if self.given():
            self.thresholds()

    def thresholds(self) -> Thresholds:
        """All of them, with those built in for what is not set. Raises SettingsError for some out of order."""
        from sixprime.analysis.thresholds import get_thresholds

        given = self.given()
        return replace(get_thresholds(given.pop("marks", "gnubg")), **given)


@dataclass(frozen=True, slots=True)
class RolloutSection(_Section):
    """`rollout`, when one begins."""

    count: int | None = _key(Whole(1, 1000), "how many of the best plays", "5")
    trials: int | None = _key(_TRIALS, "games of each alternative", "1296")
    seed: int | None = _key(SEED, "of the dice", "1")
    plies: int | None = _key(_PLIES, "how far chequer plays look ahead", "0")
    cube_plies: int | None = _key(_PLIES, "how far cube decisions look ahead", "0")
    filter: str | None = _key(_FILTER, "how many candidate plays are looked at closely", "normal")
    noise: float | None = _key(_NOISE, "by how much the players misjudge winning chances", "0")
    opponent_plies: int | None = _key(_PLIES, "the same of the opponent", "as plies")
    opponent_cube_plies: int | None = _key(_PLIES, "the same of the opponent", "as cube_plies")
    opponent_noise: float | None = _key(_NOISE, "the same of the opponent", "as noise")
    later_turn: int | None = _key(_TURN, "from this turn on the next two hold", "5")
    later_plies: int | None = _key(_PLIES, "how far later chequer plays look ahead", "0")
    later_cube_plies: int | None = _key(_PLIES, "how far later cube decisions look ahead", "0")
    truncate: int | None = _key(_TURN, "turns after which a game is cut; 0: never", "0")
    truncate_plies: int | None = _key(_PLIES, "how far the judgement of a cut game looks ahead", "0")
    bearoff_exact: bool | None = _key(FLAG, "end games that the two-sided database knows", "true")
    bearoff_one_sided: bool | None = _key(FLAG, "the same of the one-sided database, without cube", "true")
    rotate: bool | None = _key(FLAG, "quasi-random dice", "true")
    variance_reduction: bool | None = _key(FLAG, "take out the luck", "true")
    branches: int | None = _key(Whole(1, 64), "how often a game with a high cube goes on", "2")
    stop_error: float | None = _key(_ABOVE, "stop at this standard error", "never")
    stop_jsd: float | None = _key(_ABOVE, "give up what is so many deviations behind", "never")
    minimum: int | None = _key(Whole(2, 10_000_000), "games before either counts", "324")


@dataclass(frozen=True, slots=True)
class ExportSection(_Section):
    """`export`: what to write; named as the words of `set export` of GNU Backgammon."""

    folder: str | None = _key(EXPORT["folder"], "folder of files that are named without one", "the current one")
    annotations: bool | None = _key(EXPORT["annotations"], "comments", "true")
    analysis: bool | None = _key(EXPORT["analysis"], "analyses, alerts, luck", "true")
    statistics: bool | None = _key(EXPORT["statistics"], "statistics", "true")
    matchinfo: bool | None = _key(EXPORT["matchinfo"], "event, place and the like", "true")
    date: bool | None = _key(EXPORT["date"], "when the file was made", "true")
    board: int | None = _key(EXPORT["board"], "the board at every so many turns; 0: never", "1")
    player: str | None = _key(EXPORT["player"], "whose analyses: both, 0 or 1", "both")
    links: bool | None = _key(EXPORT["links"], "links between the pages", "true")
    moves_number: int | None = _key(EXPORT["moves_number"], "plays to list", "5")
    moves_probabilities: bool | None = _key(EXPORT["moves_probabilities"], "chances of plays", "true")
    moves_evaluation: bool | None = _key(EXPORT["moves_evaluation"], "how plays were evaluated", "false")
    moves_rollout: bool | None = _key(EXPORT["moves_rollout"], "how plays were rolled out", "true")
    moves_verybad: bool | None = _key(EXPORT["moves_verybad"], "plays where a very bad one was made", "true")
    moves_bad: bool | None = _key(EXPORT["moves_bad"], "plays where a bad one was made", "true")
    moves_doubtful: bool | None = _key(EXPORT["moves_doubtful"], "plays where a doubtful one was made", "true")
    moves_unmarked: bool | None = _key(EXPORT["moves_unmarked"], "plays where any other was made", "true")
    cube_probabilities: bool | None = _key(EXPORT["cube_probabilities"], "chances of cube decisions", "true")
    cube_evaluation: bool | None = _key(EXPORT["cube_evaluation"], "how cubes were evaluated", "false")
    cube_rollout: bool | None = _key(EXPORT["cube_rollout"], "how cubes were rolled out", "true")
    cube_verybad: bool | None = _key(EXPORT["cube_verybad"], "cube decisions that were very bad", "true")
    cube_bad: bool | None = _key(EXPORT["cube_bad"], "those that were bad", "true")
    cube_doubtful: bool | None = _key(EXPORT["cube_doubtful"], "those that were doubtful", "true")
    cube_unmarked: bool | None = _key(EXPORT["cube_unmarked"], "those without a mark", "true")
    cube_actual: bool | None = _key(EXPORT["cube_actual"], "doubles, takes and passes, whatever their mark", "true")
    cube_missed: bool | None = _key(EXPORT["cube_missed"], "missed doubles, whatever their mark", "true")
    cube_close: bool | None = _key(EXPORT["cube_close"], "close decisions, whatever their mark", "true")
    html_type: str | None = _key(EXPORT["html_type"], "boards of HTML: gnu, bbs, fibs2html or svg", "gnu")
    html_css: str | None = _key(EXPORT["html_css"], "style sheet of HTML: head, external or inline", "head")
    html_pictureurl: str | None = _key(
        EXPORT["html_pictureurl"], "where the pictures of HTML boards are", "html-images/"
    )
    html_size: int | None = _key(EXPORT["html_size"], "size of these pictures", "4")
    png_size: int | None = _key(EXPORT["png_size"], "size of PNG pictures", "4")
    output_mwc: bool | None = _key(EXPORT["output_mwc"], "match-winning chances in place of equities", "false")
    output_matchpc: bool | None = _key(EXPORT["output_matchpc"], "match-winning chances in percent", "true")
    output_winpc: bool | None = _key(EXPORT["output_winpc"], "chances of games in percent", "false")
    output_digits: int | None = _key(EXPORT["output_digits"], "digits after the point", "3")
    output_errorratefactor: float | None = _key(
        EXPORT["output_errorratefactor"], "what error and luck rates are multiplied with", "1000.0"
    )
    ratingoffset: float | None = _key(EXPORT["ratingoffset"], "rating of who makes no errors, by FIBS", "2050.0")
    clockwise: bool | None = _key(EXPORT["clockwise"], "boards with home on the left", "false")


@dataclass(frozen=True, slots=True)
class HintSection(_Section):
    """`hint`."""

    count: int | None = _key(Whole(1, 1 << 30), "how many plays to show", "10")
    book: bool | None = _key(FLAG, "rank openings and replies by the book", "false")


@dataclass(frozen=True, slots=True)
class PlaySection(_Section):
    """Games that are played, by whatever face."""

    name: str | None = _key(_called, "what you are called", "you")
    opponent: str | None = _key(
        _read_by(_opponent), "who plays against you: a level, gnubg@2, ubgi:COMMAND, external:HOST:PORT", "expert"
    )
    length: int | None = _key(Whole(0, 999), "points of a match; 0: a money session", "7")
    variant: str | None = _key(_read_by(_variant), "what is played", "standard")
    crawford: bool | None = _key(FLAG, "matches have a Crawford game", "true")
    jacoby: bool | None = _key(FLAG, "for money, gammons count once the cube was turned", "true")
    beavers: int | None = _key(Whole(0, 15), "for money, how often a double may be turned back", "3")
    automatic_doubles: int | None = _key(Whole(0, 15), "for money, ties of the first roll that double", "0")
    cube_limit: int | None = _key(Whole(1, 1 << 15, power=True), "largest cube; 1: no cube", "1024")
    dice: str | None = _key(_read_by(_dice), "where the dice come from", "system")
    roll: bool | None = _key(FLAG, "roll for who may not double", "true")
    play_forced: bool | None = _key(FLAG, "play the only legal play", "false")
    bear_off: bool | None = _key(FLAG, "bear off with every die in a race", "false")
    next_game: bool | None = _key(FLAG, "begin the next game", "true")
    tutor: bool | None = _key(FLAG, "warn of errors before they count", "false")
    tutor_skill: str | None = _key(_one_of(*SKILLS), "the mildest error that is warned of", "doubtful")
    tutor_chequer: bool | None = _key(FLAG, "judge chequer plays", "true")
    tutor_cube: bool | None = _key(FLAG, "judge cube actions and resignations", "true")
    tutor_level: str | None = _key(_LEVEL, "how deeply tutor and hints look", "world class")
    tutor_book: bool | None = _key(FLAG, "tutor and hints rank openings and replies by the book", "false")
    library: bool | None = _key(FLAG, "put what was played to the end and analysed into the library", "true")
    reserve: float | None = _key(Real(0, 1e5, above=True), "minutes of each player on the clock", "no limit")
    delay: float | None = _key(Real(0, 3600), "seconds of every turn that are free", "0")
    loses: bool | None = _key(FLAG, "who uses his reserve up loses the match; false: he is only told so", "true")


@dataclass(frozen=True, slots=True)
class FilesSection(_Section):
    """Files that are read, and where things are."""

    encoding: str | None = _key(_read_by(_encoding), "of the text of files, whatever it seems to be", "found out")
    templates: str | None = _key(_name, "folder of templates for HTML reports", "those built in")
    gnubg: str | None = _key(_name, "where GNU Backgammon is, for `duel`", "looked for")
    data: str | None = _key(_name, "folder of the reference rows, for `bench` and `train`", "SIXPRIME_REFDATA")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user can set; a field for each section."""

    engine: EngineSection = EngineSection()
    analysis: AnalysisSection = AnalysisSection()
    thresholds: ThresholdsSection = ThresholdsSection()
    rollout: RolloutSection = RolloutSection()
    export: ExportSection = ExportSection()
    hint: HintSection = HintSection()
    play: PlaySection = PlaySection()
    files: FilesSection = FilesSection()


@dataclass(frozen=True, slots=True)
class Key:
    """One thing that can be set. name: with its section, "engine.plies"; built_in: what holds otherwise, in words;
    words: whether it is a text."""

    name: str
    check: Check
    text: str
    built_in: str
    words: bool

    @property
    def parts(self) -> tuple[str, str]:
        """Section and key."""
        section, _, key = self.name.partition(".")
        return section, key


SECTIONS: dict[str, type[_Section]] = {each.name: type(getattr(Settings(), each.name)) for each in fields(Settings)}
KEYS = {
    f"{section}.{each.name}": Key(f"{section}.{each.name}", **each.metadata, words="str" in str(each.type))
    for section, kind in SECTIONS.items()
    for each in fields(kind)  # type: ignore[arg-type]
}


def key_of(name: str) -> Key:
    """Raises SettingsError, which says what is near."""
    TEXT("key", name)
    if name not in KEYS:
        raise SettingsError(f"there is no setting {shown(name)}{_near(name)}")
    return KEYS[name]


def _near(name: str) -> str:
    """What may have been meant: a key written nearly so, one of that name elsewhere, or the sections."""
    section, _, key = name[:80].partition(".")
    elsewhere = [known for known in KEYS if known.endswith(f".{key or section}")]
    close = get_close_matches(name[:80], KEYS, 1) if section in SECTIONS else elsewhere[:1]
    alone = section in SECTIONS and not key  # a section without a key: the keys are to be named
    if close := [] if alone else close or elsewhere[:1] or get_close_matches(name[:80], KEYS, 1):
        return f"; did you mean {close[0]}?"
    if section in SECTIONS:
        return f"; [{section}] has {', '.join(known.parts[1] for known in KEYS.values() if known.parts[0] == section)}"
    return f"; the sections are {', '.join(SECTIONS)}"
