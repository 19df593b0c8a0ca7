"""Matches as lists of events: what readers make of a file before it is played through by the rules.

A reader takes a file apart into a `Script`; `replay` hands its events to the recorder and settles what the file
may leave open: which variant is played, which game is the Crawford game, whether Jacoby's rule holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, NamedTuple

from sixprime.errors import InvalidFileError
from sixprime.formats._problems import MOST_PROBLEMS, Problems, failure
from sixprime.formats._recorder import Dice, GameRecorder
from sixprime.formats._replay import MatchReplay, best_replay
from sixprime.formats._text import Document, lines_of
from sixprime.game.match_rules import LONGEST_MATCH, Rules
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, Game, Match, Player, Problem

LONGEST_LINE = 500  # characters; longer lines are cut
MOST_GAMES = 2000  # in a file that holds a session or a match

LONGEST_PLAY = 80
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

    PLAY = auto()  # a roll and the play that is `text`, whatever it says
    ROLL = auto()  # text: the play, "" for a forced play or a dance that is not written, or one of the above;
    # board, where only that is known: the position after it, seen by the opponent
    DOUBLE = auto()  # value: of the cube offered, where written
    BEAVER = auto()
    TAKE = auto()
    DROP = auto()
    WINS = auto()  # value: points, where written; level: 1 to 3, where the other is said to have resigned so high
    RESIGNS = auto()  # value: points, where written; level: 1 to 3, where only that is written, else 0
    SET = auto()  # board, seen by player 0; value, owner: the cube, by default as it is
    AUTOMATIC = auto()  # an automatic double
    LOST = auto()  # text: why the position is no longer known


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

    def has(self, *kinds: Kind) -> bool:
        """Whether anything of these kinds happened."""
        return any(event.kind in kinds for event in self.events)

    def add(self, kind: Kind, player: int, line: int | None, column: int | None, **details: Any) -> None:
        """Appends an event."""
        if len(self.events) <= _MOST_EVENTS:
            self.events.append(Event(kind, player, line, column, **details))
            if len(self.events) > _MOST_EVENTS:
                self.events.append(Event(Kind.LOST, player, line, column, text=f"more than {_MOST_EVENTS} moves"))
        if line is not None:
            self.last_line = line


@dataclass(slots=True)
class Script:
    """A match. variant_known, jacoby_known: whether the file says so, or it is only the usual.

    inside: the part of a binary file that its lines, which are offsets of bytes then, count in.
    lenient: a score that ends the match too early is a misprint, a position may stand alone at any score, and where
    the next score tells who won a game, it needs no word on how high.
    """

    source: str
    rules: Rules = field(default_factory=Rules)
    players: tuple[Player, Player] = (Player(""), Player(""))
    games: list[ScriptGame] = field(default_factory=list)
    variant_known: bool = False
    jacoby_known: bool = False
    info: dict[str, str] = field(default_factory=dict)
    tags: list[tuple[str, str]] = field(default_factory=list)
    inside: str | None = None
    lenient: bool = False
    problems: Problems = field(init=False)

    def __post_init__(self) -> None:
        self.problems = Problems(self.source, self.inside)

    def report(self, message: str, line: int | None = None, column: int | None = 1) -> None:
        """Notes something wrong in the file."""
        self.problems(message, line, column)

    def unreadable(self, text: str, line: int, column: int) -> None:
        """Notes a line, or a part of one, that nothing is known to mean."""
        self.report(f"cannot read {text.strip()[:40]!r}", line, column)

    def match_length(self, points: int, line: int | None = None, written: object = None) -> int:
        """The length of a match, 0 where nobody plays to so many points; written: how the file has them."""
        if 0 <= points <= LONGEST_MATCH:
            return points
        self.report(f"a match to {points if written is None else written} points; read as a money session", line)
        return 0


def lines(document: Document) -> Iterator[tuple[int, str]]:
    """Number and content of the lines that are not blank; those longer than any real one are cut."""
    for number, line in enumerate(document.lines, 1):
        if line and not line.isspace():
            yield number, tidy(line)


def tidy(line: str) -> str:
    """A line, cut where it is longer than any real one, without blanks at its end and without endless blanks, which
    cost patterns much time."""
    return _WIDE.sub(" " * _WIDEST, line[:LONGEST_LINE].rstrip())


def head_lines(document: Document) -> list[str]:
    """The lines of the head of a file that are not blank: what `detect` looks at."""
    if document.head_lines is None:
        document.head_lines = [tidy(line) for line in lines_of(document.head) if line and not line.isspace()]
    return document.head_lines


def indent(line: str) -> int:
    """Column of the first character that is no blank, from 1."""
    return len(line) - len(line.lstrip()) + 1


def script_reader(
    scripts: Callable[[Document], Iterable[Script]], name: str, missing: str, longest: int = LONGEST_LINE
) -> Callable[[Document], list[Match]]:
    """What reads every match that holds a game. scripts: takes a file apart. longest: where lines are cut.

    missing: what a file without any match does not have, for the InvalidFileError that is then raised.
    """

    def read(document: Document) -> list[Match]:
        played = [replay(script, name) for script in scripts(document) if script.games]
        matches = [match for match in played if match.games]
        if not matches:
            raise nothing_found(document, missing)
        return [with_cut_lines(matches[0], document, longest), *matches[1:]]

    return read


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
            raise failure(failures[0])
        raise nothing_found(document, "no XGID found")
    first_match = replace(matches[0], problems=(*matches[0].problems, *failures[:100]))
    return [with_cut_lines(first_match, document), *matches[1:]]


def replay(script: Script, name: str) -> Match:
    """The match, played by the rules."""

    def play(rules: Rules, trial: bool) -> MatchReplay:
        names = script.players[0].name, script.players[1].name
        replay = MatchReplay(rules, names, Problems(script.source, script.inside), trial=trial)
        for game, later in zip_longest(script.games, script.games[1:]):
            if replay.failed:
                break
            _play(script, replay, game, later)
        return replay

    best = best_replay(play, script.rules, variant_known=script.variant_known, jacoby_known=script.jacoby_known)
    problems = sorted(
        [*script.problems, *best.problems],
        key=lambda problem: (problem.line or 0, problem.column or 0, problem.offset or 0),
    )
    if len(problems) >= MOST_PROBLEMS:
        problems = [*problems[:MOST_PROBLEMS], Problem("and more problems", script.source or None)]
    return best.match(
        script.players,
        info=script.info,
        tags=tuple(script.tags),
        problems=tuple(problems),
        source=script.source,
        format=name,
    )


def _play(script: Script, replay: MatchReplay, game: ScriptGame, later: ScriptGame | None) -> None:
    """Plays a game, unless it starts when the match is over."""
    number = game.number
    start = replay.start(number, game.score, game.line, misprints=script.lenient)
    if replay.rules.over(start) and not (script.lenient and len(script.games) == 1 and game.has(Kind.SET)):
        if game.has(Kind.ROLL, Kind.PLAY):
            replay.problems(f"game {number} is left out: the match was over", game.line)
        return
    crawford = game.crawford
    if crawford is None and start != replay.score and game.has(Kind.DOUBLE):
        crawford = False  # it was one of the games that are not in the file
    recorder = replay.begin(number, start, crawford=crawford)
    feed(recorder, game.events)
    played = recorder.finish(later.score if later is not None else None, game.last_line or game.line)
    levels = (event.value or event.level for event in game.events if event.kind in _RESULTS)
    if played.resigned and not any(levels) and not script.lenient:
        replay.problems(
            f"game {number} was given up, the file does not say how high; read as {played.points}", game.last_line
        )
    replay.add(recorder, replace(played, comment=game.comment) if game.comment else played)


def feed(recorder: GameRecorder, events: Sequence[Event]) -> None:
    """Hands events to a recorder, in order."""
    play, move = Kind.PLAY, recorder.move
    for index, event in enumerate(events):
        kind, player, line, column, dice, text, _, _, _, _, _ = event
        recorder.place = line, column
        if kind is play and dice is not None:
            # Nearly every event of the commonest files.
            move(player, dice, text)
            continue
        before = recorder.recorded
        _feed(recorder, event, events[index + 1] if index + 1 < len(events) else None)
        if event.parts and recorder.recorded > before:
            recorder.annotate(**event.parts)


def _feed(recorder: GameRecorder, event: Event, following: Event | None) -> None:
    player = event.player
    match event.kind:
        case Kind.ROLL:
            _feed_roll(recorder, event, alone=following is None or following.kind in _RESULTS)
        case Kind.DOUBLE:
            recorder.double(player, event.value)
        case Kind.BEAVER:
            recorder.beaver(player, event.value)
        case Kind.TAKE:
            recorder.take(player)
        case Kind.DROP:
            recorder.drop(player)
        case Kind.WINS:
            recorder.wins(player, event.value, event.level or None)
        case Kind.RESIGNS:
            recorder.resigns(player, event.value, event.level)
        case Kind.AUTOMATIC:
            recorder.automatic_double()
        case Kind.LOST:
            recorder.lose_track(event.text)
        case Kind.SET if event.board is not None:
            cube, owner = recorder.cube if event.value is None else (event.value, event.owner)
            recorder.set_board(_of_variant(event.board, recorder), cube, owner)


def _feed_roll(recorder: GameRecorder, event: Event, *, alone: bool) -> None:
    """alone: whether nothing more was played after this roll."""
    player, dice, text = event.player, event.dice, event.text
    if text == ALONE:
        text = HIDDEN if alone else ""
    if text == HIDDEN:
        recorder.hidden(player, dice)
    elif dice is None:
        recorder.lose_track("a play without a roll of two dice")
    elif event.board is not None:
        recorder.moved_to(player, dice, _of_variant(event.board, recorder))
    elif text == NO_MOVE:
        recorder.no_move(player, dice)
    elif not text:
        recorder.blank(player, dice)
    elif len(text) > LONGEST_PLAY:
        recorder.lose_track(f"cannot read {text[:40]!r}")
    else:
        recorder.move(player, dice, text)


def _of_variant(board: Position, recorder: GameRecorder) -> Position:
    """The board with as many chequers to a side as the game has that it is now read as."""
    chequers = recorder.position.chequers
    return board if board.chequers == chequers else replace(board, chequers=chequers)


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


def told(game: Game) -> Iterator[Action]:
    """The actions of a game that are written: as Jellyfish does, nobody writes that a beaver is taken, as whoever plays
    on has taken it."""
    for action, later in zip_longest(game.actions, game.actions[1:]):
        unsaid = action.kind is ActionKind.TAKE and action.state.beavered
        if not unsaid or later is None or later.kind is ActionKind.RESIGN:
            yield action


def danced(action: Action) -> bool:
    """Whether nothing was moved with a roll, be it against the rules."""
    play = action.play
    return play is not None and not play.steps and play.result == action.position.swapped()
