"""Where `quiz` and `cards` take their questions from, and how answers are read."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter, Token, convert
from cyclopts.validators import Number

from sixprime.cli._common import STDIN, UsageError, complain, note, progress
from sixprime.cli._sources import sources_of
from sixprime.errors import InvalidFileError, SixprimeError
from sixprime.paths import readable
from sixprime.settings import check_settings, make_engine

if TYPE_CHECKING:
    from rich.console import Console

    from sixprime.analysis.model import AnalysedMatch, Phase
    from sixprime.analysis.thresholds import Thresholds
    from sixprime.cube.met import MatchEquityTable
    from sixprime.engine import Engine
    from sixprime.game import Match
    from sixprime.learn.questions import Judge, Question, Topic


def _hyphened(kind: object, tokens: Sequence[Token]) -> Any:
    """What options name with hyphens is "back game" in JSON: both are read."""
    return convert(kind, [token.evolve(value="-".join(token.value.split())) for token in tokens])


HYPHENED = Parameter(converter=_hyphened)
KindNames = list[Literal["play", "double", "take"]] | None
PhaseNames = Annotated[list[Literal["opening", "contact", "back-game", "race", "bear-off"]] | None, HYPHENED]
Loss = Annotated[float | None, Parameter(validator=Number(gte=0, lte=1000))]
_BOOK = {"openings": "opening", "replies": "reply"}


def line_of(console: Console, prompt: str = "> ") -> str | None:
    """What a person answers, None at the end. Where no terminal shows what is typed it is printed, too."""
    console.print(prompt, end="", markup=False)
    sys.stdout.flush()
    try:
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        # What is said of it begins a line.
        console.print()
        raise
    text = line.strip()
    if not line or text.lower() in ("q", "quit", "exit"):
        console.print()
        return None
    if not sys.stdin.isatty():
        console.print(text, markup=False)
    return text


class Maker:
    """Makes the engine when it is first needed."""

    def __init__(self, level: str | None, plies: int | None, filter: str | None, threads: int | None) -> None:
        check_settings(level=level, filter=filter)
        self._make = partial(make_engine, level=level, plies=plies, filter=filter, threads=threads)
        self._made: Engine | None = None

    def __call__(self) -> Engine:
        if self._made is None:
            self._made = self._make()
        return self._made

    @property
    def judge(self) -> Judge:
        """Judges plays that are no candidates."""
        from sixprime.learn.questions import judge_by

        return lambda question, play: judge_by(self())(question, play)


def topics_of(what: Sequence[str]) -> tuple[Topic, ...]:
    """The parts of the book that are named."""
    from sixprime.learn.questions import Topic

    return tuple(Topic(_BOOK[word]) for word in what if word in _BOOK)


def phases_of(names: Sequence[str] | None) -> tuple[Phase, ...]:
    """The phases of the game that are named."""
    from sixprime.analysis.model import Phase

    return tuple(next(phase for phase in Phase if phase.value.replace(" ", "-") == name) for name in names or ())


def files_of(what: Sequence[str]) -> list[Path]:
    """The files that are named."""
    return [Path(word) for word in what if word not in _BOOK]


def check_choice(what: Sequence[str], player: str | None, least: float | None) -> None:
    """Raises UsageError where errors of matches are chosen, and no match is named."""
    if (player is not None or least is not None) and not files_of(what):
        option = "least" if player is None else "player"
        raise UsageError(f"--{option} chooses errors of matches; name files or folders of them")


def gathered(
    what: Sequence[str],
    engine: Maker,
    encoding: str | None,
    *,
    player: str | None,
    least: float | None,
    marks: Thresholds,
    theirs: bool = False,
) -> tuple[list[Question], int]:
    """The questions of what is named, and the exit status: 1 where a file could not be read or analysed.

    player, least: of errors. theirs: by the analysis of another program that the file holds. Raises UsageError for
    standard input.
    """
    from sixprime.formats import known_encoding
    from sixprime.learn.openings import opening_book
    from sixprime.learn.questions import errors_of, of_book

    if encoding is not None:
        known_encoding(encoding)
    if not all(what):
        raise UsageError("WHAT must be names of files or folders, or openings or replies; found ''")
    failures = 0
    questions = [question for topic in topics_of(what) for question in of_book(opening_book(), topic)]
    files = files_of(what)
    sources = list(sources_of(files))
    if files and not sources:
        raise UsageError(f"there are no files in {', '.join(map(str, files))}")
    for source in sources:
        if str(source.path) == STDIN:
            raise UsageError("standard input holds the answers; name a file of the match")
        try:
            if source.refused or source.path.suffix != ".sixprime":
                judged = _by_others if theirs else partial(_judged, source.path, engine)
                matches = [judged(match, marks) for match in source.matches(encoding)]
            else:
                matches = [_loaded(source.path)]
            named = readable(source.path.name)
            found = [question for each in matches for question in errors_of(each, player, least=least, name=named)]
        except (SixprimeError, OSError) as error:
            complain(error)
            failures += 1
            continue
        note(f"{named}: {len(found)} error{'' if len(found) == 1 else 's'}")
        questions += found
    return questions, 1 if failures else 0


def _judged(path: Path, engine: Maker, match: Match, marks: Thresholds) -> AnalysedMatch:
    """Our analysis, be it the one that the file holds."""
    from sixprime.analysis.kept import own_analysis
    from sixprime.api import analyse

    found = own_analysis(match, met=_table(), thresholds=marks)
    if found is not None and len(found.games) == len(match.games):
        return found
    with progress(f"Analysing {path.name}") as report:
        return analyse(match, engine(), thresholds=marks, progress=report)


def _by_others(match: Match, marks: Thresholds) -> AnalysedMatch:
    from sixprime.analysis.foreign import foreign, sources

    if not sources(match):
        raise InvalidFileError("holds no analysis of another program", path=match.source or None)
    return foreign(match, met=_table(), thresholds=marks)


def _table() -> MatchEquityTable | None:
    """The match equity table of the settings, None for the default one. Raises SettingsError."""
    from sixprime.cli._judging import Judging
    from sixprime.settings import load

    return Judging(met=load().engine.met).table


def _loaded(path: Path) -> AnalysedMatch:
    from sixprime.api import load_analysis

    return load_analysis(path)
