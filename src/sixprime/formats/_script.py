"""Matches as lists of events: what readers make of a file before it is played through by the rules.

A reader takes a file apart into a `Script`; `replay` hands its events to the recorder and settles what the file
may leave open: which variant is played, which game is the Crawford game, whether Jacoby's rule holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from types import MappingProxyType
from typing import Any, NamedTuple

from sixprime.errors import InvalidFileError
from sixprime.formats._recorder import Dice, GameRecorder, Setup
from sixprime.formats._text import Document, lines_of
from sixprime.game.position import Position
from sixprime.game.record import Action, Game, Match, Player, Problem
from sixprime.game.variants import VARIANTS

LONGEST_LINE = 500  # characters; longer lines are cut
MOST_GAMES = 2000  # in a file that holds a session or a match
LONGEST_MATCH = 999  # points; longer ones are misprints

_LONGEST_PLAY = 80
_MOST_PROBLEMS = 100
_MOST_EVENTS = 4000  # of one game; the longest ones have a few hundred

_WIDEST = 60
_WIDE = re.compile(rf" {{{_WIDEST},}}")

DICE = {f"{a}{b}": (a, b) for a in range(1, 7) for b in range(1, 7)}

NO_MOVE = "-"
"""The text of a roll with which, as the file says, nothing could be moved."""
HIDDEN = "?"
"""The text of a roll whose play is not in the file."""
ALONE = "."
"""The text of a roll that stands alone: a game that ends there was given up, else nothing could be moved."""


class Kind(Enum):
    """What happened."""

    ROLL = auto()  # text: the play, "" for a forced play or a dance that is not written, or one of the above;
    # board, where only that is known: the position after it, seen by the opponent
    DOUBLE = auto()  # value: of the cube offered, where written
    BEAVER = auto()
    TAKE = auto()
    DROP = auto()
    WINS = auto()  # value: points, where written
    RESIGNS = auto()  # value: points, where written; level: 1 to 3, where only that is written, else 0
    SET = auto()  # board, seen by player 0; value, owner: the cube
    AUTOMATIC = auto()  # an automatic double


_RESULTS = (Kind.WINS, Kind.RESIGNS)


class Event(NamedTuple):
    """One thing that happened. parts: what `GameRecorder.annotate` takes."""

    kind: Kind
    player: int
    line: int | None
    column: int | None
    dice: Dice | None = None
    text: str = ""
    value: int | None = None
    level: int = 0
    board: Position | None = None
    owner: int | None = None
    parts: Mapping[str, Any] = MappingProxyType({})


@dataclass(slots=True)
class ScriptGame:
    """A game. line: where it starts. score, crawford: None where the file does not say."""

    number: int
    line: int | None
    score: tuple[int, int] | None = None
    crawford: bool | None = None
    events: list[Event] = field(default_factory=list)
    last_line: int | None = None
    comment: str = ""

    def add(self, kind: Kind, player: int, line: int | None, column: int | None, **details: Any) -> None:
        """Appends an event."""
        if len(self.events) <= _MOST_EVENTS:
            self.events.append(Event(kind, player, line, column, **details))
        if line is not None:
            self.last_line = line


@dataclass(slots=True)
class Script:
    """A match. variant_known, jacoby_known: whether the file says so, or it is only the usual.

    inside: the part of a binary file that its lines, which are offsets of bytes then, count in.
    """

    source: str
    setup: Setup = field(default_factory=Setup)
    players: tuple[Player, Player] = (Player(""), Player(""))
    games: list[ScriptGame] = field(default_factory=list)
    variant_known: bool = False
    jacoby_known: bool = False
    info: dict[str, str] = field(default_factory=dict)
    tags: list[tuple[str, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    inside: str | None = None

    def report(self, message: str, line: int | None = None, column: int | None = 1) -> None:
        """Notes something wrong in the file."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(self.problem(message, line, column))

    def problem(self, message: str, line: int | None, column: int | None) -> Problem:
        """Something wrong at a place of the file."""
        if self.inside is None:
            return Problem(message, self.source or None, line, column)
        return Problem(message, f"{self.source}:{self.inside}" if self.source else self.inside, offset=line)


def lines(document: Document, longest: int = LONGEST_LINE) -> Iterator[tuple[int, str]]:
    """Number and content of the lines that are not blank; those longer than any real one are cut."""
    for number, line in enumerate(document.lines, 1):
        if line and not line.isspace():
            yield number, tidy(line, longest)


def tidy(line: str, longest: int = LONGEST_LINE) -> str:
    """A line without blanks at its end and without endless blanks, which cost patterns much time."""
    return _WIDE.sub(" " * _WIDEST, line[:longest].rstrip())


def head_lines(document: Document) -> list[str]:
    """The lines of the head of a file that are not blank: what `detect` looks at."""
    if document.head_lines is None:
        document.head_lines = [tidy(line) for line in lines_of(document.head) if line and not line.isspace()]
    return document.head_lines


def indent(line: str) -> int:
    """Column of the first character that is no blank, from 1."""
    return len(line) - len(line.lstrip()) + 1


def read_scripts(
    document: Document, scripts: Iterable[Script], name: str, missing: str, longest: int = LONGEST_LINE
) -> list[Match]:
    """Every match that holds a game. missing: what a file without one does not have. longest: where lines are cut.

    Raises InvalidFileError when there is none.
    """
    matches = [match for match in (replay(script, name) for script in scripts if script.games) if match.games]
    if not matches:
        raise nothing_found(document, missing)
    return [with_cut_lines(matches[0], document, longest), *matches[1:]]


def with_cut_lines(match: Match, document: Document, longest: int = LONGEST_LINE) -> Match:
    """The match with a problem for the first line that was too long to be read as a whole."""
    for number, line in enumerate(document.lines, 1):
        if len(line) > longest:
            problem = Problem(
                f"of the line's {len(line)} characters only the first {longest} are read",
                document.name or None,
                number,
                longest + 1,
            )
            return replace(match, problems=(*match.problems, problem))
    return match


def nothing_found(document: Document, message: str) -> InvalidFileError:
    """The error for a file without a match."""
    source = document.name
    first = next(lines(document), None)
    if first is None:
        return InvalidFileError("the file is empty", path=source or None, line=1, column=1)
    return InvalidFileError(message, path=source or None, line=first[0], column=indent(first[1]))


def all_found(document: Document, matches: list[Match], failures: list[Problem]) -> list[Match]:
    """The matches of a file of XGIDs, the first with what failed. Raises InvalidFileError when there is none."""
    if not matches:
        if failures:
            first = failures[0]
            raise InvalidFileError(first.message, path=first.path, line=first.line, column=first.column)
        raise nothing_found(document, "no XGID found")
    first_match = replace(matches[0], problems=(*matches[0].problems, *failures[:100]))
    return [with_cut_lines(first_match, document), *matches[1:]]


def replay(script: Script, name: str) -> Match:
    """The match, played by the rules."""
    attempt = _Attempt(script, script.setup)
    if attempt.illegal and not script.variant_known:
        # Not every file says which game it is; a wrong guess soon shows.
        for variant in VARIANTS:
            if variant != script.setup.variant:
                other = _Attempt(script, replace(script.setup, variant=variant), give_up=True)
                if not other.illegal:
                    attempt = other
                    break
    if attempt.gammon_counted and not script.jacoby_known:
        attempt = _Attempt(script, replace(attempt.setup, jacoby=False))
    setup = attempt.setup
    problems = sorted(
        script.problems + attempt.problems,
        key=lambda problem: (problem.line or 0, problem.column or 0, problem.offset or 0),
    )
    if len(problems) >= _MOST_PROBLEMS:
        problems = [*problems[:_MOST_PROBLEMS], Problem("and more problems", script.source or None)]
    return Match(
        players=script.players,
        length=setup.length,
        games=tuple(attempt.games),
        variant=setup.variant,
        crawford_rule=setup.crawford_rule,
        jacoby=setup.jacoby and not setup.length,
        beavers=0 if setup.length else setup.beavers,
        cube_limit=setup.cube_limit,
        info=script.info,
        tags=tuple(script.tags),
        problems=tuple(problems),
        source=script.source,
        format=name,
    )


class _Attempt:
    """The games of a match, played by one set of rules.

    illegal: how many plays broke them. gammon_counted: whether a gammon counted against Jacoby's rule.
    give_up: leave the rest after the first game with an illegal play.
    """

    def __init__(self, script: Script, setup: Setup, give_up: bool = False) -> None:
        self.setup, self._script = setup, script
        self.problems: list[Problem] = []
        self.games: list[Game] = []
        self.illegal = 0
        self.gammon_counted = False
        names = script.players[0].name, script.players[1].name
        score = (0, 0)  # what it should be
        crawford_over = False
        for index, game in enumerate(script.games):
            if give_up and self.illegal:
                break
            later = script.games[index + 1] if index + 1 < len(script.games) else None
            start = game.score if game.score is not None else score
            if start != score and index:
                self._report(
                    f"game {game.number} starts at {start[0]}-{start[1]}, not at {score[0]}-{score[1]}", game.line, 1
                )
            if setup.length and max(start) >= setup.length:
                if any(event.kind is Kind.ROLL for event in game.events):
                    self._report(f"game {game.number} is left out: the match was over", game.line, 1)
                continue
            match_point = setup.length > 1 and (setup.length - start[0] == 1) != (setup.length - start[1] == 1)
            crawford = game.crawford
            if crawford is None:
                crawford = setup.crawford_rule and match_point and not crawford_over
                if crawford and start != score and any(event.kind is Kind.DOUBLE for event in game.events):
                    crawford = False  # it was one of the games that are not in the file
            crawford_over = crawford_over or match_point
            explained = 0 if give_up else max(20 - self.illegal, 0)
            recorder = GameRecorder(setup, names, game.number, start, crawford, self._report, explained)
            feed(recorder, game.events)
            played = recorder.finish(later.score if later is not None else None, game.last_line or game.line)
            if played.resigned and not any(
                event.value or event.level for event in game.events if event.kind in _RESULTS
            ):
                self._report(
                    f"game {game.number} was given up, the file does not say how high; read as {played.points}",
                    game.last_line,
                    1,
                )
            if game.comment:
                played = replace(played, comment=game.comment)
            self.games.append(played)
            self.illegal += recorder.illegal
            self.gammon_counted = self.gammon_counted or recorder.gammon_counted
            won = [start[0], start[1]]
            if played.winner is not None:
                won[played.winner] += played.points
            score = won[0], won[1]

    def _report(self, message: str, line: int | None, column: int | None) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(self._script.problem(message, line, column))


def feed(recorder: GameRecorder, events: Sequence[Event]) -> None:
    """Hands events to a recorder, in order."""
    for index, event in enumerate(events):
        before = recorder.recorded
        _feed(recorder, event, events[index + 1] if index + 1 < len(events) else None)
        if event.parts and recorder.recorded > before:
            recorder.annotate(**event.parts)
    if len(events) > _MOST_EVENTS:
        recorder.lose_track(f"more than {_MOST_EVENTS} moves", events[-1].line, events[-1].column)


def _feed(recorder: GameRecorder, event: Event, following: Event | None) -> None:
    kind, player, line, column = event.kind, event.player, event.line, event.column
    if kind is Kind.ROLL:
        dice, text = event.dice, event.text
        if text == ALONE:
            over = following is None or following.kind in (Kind.WINS, Kind.RESIGNS)
            text = HIDDEN if over else ""
        if text == HIDDEN:
            recorder.hidden(player, dice, line, column)
        elif dice is None:
            recorder.lose_track("a play without a roll of two dice", line, column)
        elif event.board is not None:
            recorder.moved_to(player, dice, event.board, line, column)
        elif text == NO_MOVE:
            recorder.no_move(player, dice, line, column)
        elif not text:
            recorder.blank(player, dice, line, column)
        elif len(text) > _LONGEST_PLAY:
            recorder.lose_track(f"cannot read {text[:40]!r}", line, column)
        else:
            recorder.move(player, dice, text, line, column)
    elif kind is Kind.DOUBLE:
        recorder.double(player, event.value, line, column)
    elif kind is Kind.BEAVER:
        recorder.beaver(player, event.value, line, column)
    elif kind is Kind.TAKE:
        recorder.take(player, line, column)
    elif kind is Kind.DROP:
        recorder.drop(player, line, column)
    elif kind is Kind.WINS:
        recorder.wins(player, event.value, line, column)
    elif kind is Kind.RESIGNS:
        recorder.resigns(player, event.value, line, column, event.level or 1)
    elif kind is Kind.AUTOMATIC:
        recorder.automatic_double(line, column)
    elif event.board is not None:
        recorder.set_board(event.board, event.value or 1, event.owner, line, column)


def last_winner(events: Sequence[Event]) -> int | None:
    """Who won a game, judged by its last event alone; None where that does not tell."""
    if not events:
        return None
    last = events[-1]
    if last.kind is Kind.ROLL:
        return last.player
    return 1 - last.player if last.kind in (Kind.RESIGNS, Kind.DROP) else None


# Writing


def one_line(text: str) -> str:
    """`text` fit for one line of a file."""
    return " ".join(text.split())


def plain_steps(action: Action, bar: str = "bar", off: str = "off", hits: bool = True) -> list[str]:
    """The steps of a play, every one alone, from the highest point down."""
    steps = []
    for step in action.play.steps if action.play is not None else ():
        start = bar if step.start == 25 else str(step.start)
        end = off if step.end == 0 else str(step.end)
        steps.append(f"{start}/{end}{'*' if step.hit and hits else ''}")
    return steps


def danced(action: Action) -> bool:
    """Whether nothing was moved with a roll, be it against the rules."""
    play = action.play
    return play is not None and not play.steps and play.result == action.position.swapped()
