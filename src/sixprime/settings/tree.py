"""What can be set: a class for each section, a field for each key, with its rule and what it is for.

None is what nobody has set. Raises SettingsError for a value that its rule refuses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from sixprime.checks import FLAG, SEED, TEXT, Real, Whole, refuse, shown
from sixprime.errors import SettingsError

if TYPE_CHECKING:
    from sixprime.analysis.thresholds import Thresholds

Check = Callable[[str, Any], None]
"""Called with the key and what was given; raises SettingsError. A rule of `checks` is one."""


def _words(key: str, given: Any) -> None:
    """The rule of a text that a file in UTF-8 can hold."""
    TEXT(key, given)
    try:
        given.encode()
    except UnicodeEncodeError:
        refuse(key, "a text that UTF-8 can hold", given)


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


def _cube_model(text: str) -> object:
    from sixprime.cube.model import CubeModel

    return CubeModel.named(text)


def _executor(text: str) -> object:
    from sixprime.engine.executors import parse

    return parse(text)


def _encoding(text: str) -> object:
    from sixprime.formats import known_encoding

    return known_encoding(text)


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

    net: str | None = _key(_words, "a net that ships, or a network file", "standard")
    level: str | None = _key(_LEVEL, "a level of play", "2 plies")
    plies: int | None = _key(_PLIES, "how far to look ahead", "as the level, else 2")
    filter: str | None = _key(_FILTER, "how many candidate plays are looked at closely", "as the level, else normal")
    met: str | None = _key(_words, "a match equity table, or a file of one", "Kazaross-XG2")
    cube_model: str | None = _key(_read_by(_cube_model), "how the cube is valued", "gnubg-1.07")
    threads: int | None = _key(Whole(1, 1024), "threads to use", "all cores")
    executor: str | None = _key(_read_by(_executor), "a Dask cluster", "this machine")


@dataclass(frozen=True, slots=True)
class AnalysisSection(_Section):
    """`analyse`, where it is to judge otherwise than the other commands."""

    level: str | None = _key(_LEVEL, "a level of play", "as [engine]")
    plies: int | None = _key(_PLIES, "how far to look ahead", "as [engine]")
    filter: str | None = _key(_FILTER, "how many candidate plays are looked at closely", "as [engine]")
    trials: int | None = _key(Whole(36, 1_000_000), "games of each rollout of --rollout", "324")


@dataclass(frozen=True, slots=True)
class ThresholdsSection(_Section):
    """Equity lost, or luck, from which `analyse` gives a mark."""

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
        from sixprime.analysis.thresholds import Thresholds

        return Thresholds(**self.given())


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
class HintSection(_Section):
    """`hint`."""

    count: int | None = _key(Whole(1, 1 << 30), "how many plays to show", "10")


@dataclass(frozen=True, slots=True)
class FilesSection(_Section):
    """Files that are read, and where things are."""

    encoding: str | None = _key(_read_by(_encoding), "of text that is not recognised", "found out")
    gnubg: str | None = _key(_words, "where GNU Backgammon is, for `duel`", "looked for")
    data: str | None = _key(_words, "folder of the reference rows, for `bench` and `train`", "SIXPRIME_REFDATA")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything a user can set; a field for each section."""

    engine: EngineSection = EngineSection()
    analysis: AnalysisSection = AnalysisSection()
    thresholds: ThresholdsSection = ThresholdsSection()
    rollout: RolloutSection = RolloutSection()
    hint: HintSection = HintSection()
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
