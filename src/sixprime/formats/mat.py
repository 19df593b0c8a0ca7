"""`.mat`: the match text of Jellyfish that every backgammon program writes, each in its own way.

Read: GNU Backgammon, eXtreme Gammon, Backgammon Galaxy, Backgammon Studio, OpenGammon and what descends from
them. Written: the plain form of GNU Backgammon, one step for each chequer and die.

    ; [Event "Club night"]                   tags and comments, ';' or '#'
     7 point match                           0: a money session

     Game 1
     Alice : 0                      Bob : 0
      1) 31: 8/5 6/5                 42: 8/4 6/4
      2)  Doubles => 2                Drops
          Wins 1 point
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import NamedTuple

from sixprime.errors import InvalidFileError
from sixprime.formats._board import from_letters, from_position_line, to_letters, to_position_line
from sixprime.formats._format import Feature, Format
from sixprime.formats._recorder import GameRecorder, Setup
from sixprime.formats._text import Document, Report
from sixprime.game.play import Play
from sixprime.game.record import Action, ActionKind, Game, Match, Player, Problem
from sixprime.game.variants import VARIANTS, get_variant

NAME = "mat"

_MOST_PROBLEMS = 100
_LONGEST_LINE = 2000
_MOST_GAMES, _SHORTEST_GAME = 1000, 100  # games of any file, and characters that each of more takes at least
_LONGEST_PLAY = 80
_LEFT_COLUMN = 17  # a cell that starts before this column belongs to the left player
_USUAL_CUBE_LIMIT = 1024
NAMELESS = "(no name)"  # written for an empty name, which GNU Backgammon 1.07 does not survive

_LENGTH = re.compile(r"[^\w;#]*(\d{1,6})[ -]*points?[ -]+match\b", re.IGNORECASE)
_SESSION = re.compile(r"\W*(?:money|unlimited)[ -]+(?:game|match|session)\b", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+(\d{1,6})\s*[:.]?\s*$", re.IGNORECASE)
_LEFT_SCORE = re.compile(r":\s?(\d{1,6})(?=\s\s|\t)|:\s?(\d{1,6})(?=\s)")
_RATED_NAME = re.compile(r"(.*\S)\s*,\s*(\d{3,4}(?:\.\d+)?)$")
_TAG = re.compile(r"\[([^\"\]]*)\"(.*)\"\s*\]?$")
_NOISE = re.compile(r"\[Game \d+, Move \d+", re.IGNORECASE)
_SET_POSITION = re.compile(r"Set Pos\s*=\s*([^/]*)(?:/([-+]?\d{1,2})\b)?", re.IGNORECASE)
_ROW = re.compile(r"\s*\d{1,6}\)")
_CELL = re.compile(
    r"(?<![\w/])(?:([0-9][0-9]):(?:\s*(illegal play))?"
    r"|(doubles|redoubles|beavers?|raccoons?|takes|drops|wins|loss?es|resign\w*|illegal play)\b"
    r"(?:[ =>]*(\d{1,6})(?![\d:]))?)",
    re.IGNORECASE,
)
# Most rows are two rolls with plain plays or none; those are taken apart at once.
_PLAY_TEXT = r"([-\d/*() barofBAROF]*|\s{0,3}Cannot Move\s*)"
_PLAIN_ROW = re.compile(rf"\s{{0,3}}\d{{1,4}}\)\s{{1,4}}(\d\d):{_PLAY_TEXT}(?<=\s)(\d\d):{_PLAY_TEXT}$")
_RESULT_REST = re.compile(r"\s*(?:points?)?(?:\s+and\s+the\s+match)?\s*$", re.IGNORECASE)
_RESIGNED = {"": 1, "game": 1, "match": 1, "normal": 1, "single": 1, "gammon": 2, "backgammon": 3}
_AUTOMATIC = re.compile(r"Automatic doubles?: the cube starts at (\d{1,5})$", re.IGNORECASE)
_NO_MOVE = {"cannot move", "can't move", "no move", "cannot play"}
_DUMP = re.compile(r"(?<=illegal play)(\s*)\((?:(.{,400}?;)\s*|([^()]*))\)", re.IGNORECASE)
_NOTHING = re.compile(r"(?<!\S)(?:0|off)/(?:0|off)(?!\S)", re.IGNORECASE)

_DICE = {f"{a}{b}": (a, b) for a in range(1, 7) for b in range(1, 7)}
_INFO_TAGS = {
    "event": "Event",
    "round": "Round",
    "place": "Site",
    "date": "EventDate",
    "time": "EventTime",
    "annotator": "Transcriber",
}
_OTHER_TAGS = {"EventDate": "Date", "EventTime": "Time"}  # HedgeHog's
_VARIATIONS = {
    "standard": "Backgammon",
    "nackgammon": "NackGammon",
    **{f"hypergammon{count}": f"HyperGammon ({count})" for count in (1, 2, 3)},
}
_ON = {"on", "yes", "true", "1"}


class _Kind(Enum):
    """What a cell holds."""

    ROLL = auto()
    DOUBLE = auto()
    BEAVER = auto()
    TAKE = auto()
    DROP = auto()
    WINS = auto()
    LOSES = auto()
    RESIGNS = auto()
    SET = auto()


_WORDS = {
    "doubles": _Kind.DOUBLE,
    "redoubles": _Kind.DOUBLE,
    "beaver": _Kind.BEAVER,
    "beavers": _Kind.BEAVER,
    "raccoon": _Kind.BEAVER,
    "raccoons": _Kind.BEAVER,
    "takes": _Kind.TAKE,
    "drops": _Kind.DROP,
    "wins": _Kind.WINS,
    "losses": _Kind.LOSES,
    "loses": _Kind.LOSES,
    "illegal play": _Kind.SET,
}


class _Cell(NamedTuple):
    """A cell; dice: None for "00:"; value: cube or points, -1 when not written; column from 1."""

    kind: _Kind
    player: int
    dice: tuple[int, int] | None
    text: str
    value: int
    line: int
    column: int


@dataclass(slots=True)
class _RawGame:
    """A game as written. line: of its names."""

    number: int
    line: int
    names: tuple[str, str] | None = None
    score: tuple[int, int] | None = None
    cells: list[_Cell] = field(default_factory=list)
    last_line: int = 0
    cube: int = 1


@dataclass(slots=True)
class _RawMatch:
    """A match as written. length: None when the file does not say."""

    line: int
    length: int | None
    tags: list[tuple[str, str]] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    games: list[_RawGame] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


# Reading


def detect(document: Document) -> bool:
    """Whether a file is a match of this kind: it has a line "n point match", or a tag and a game."""
    tagged = False
    for line in document.lines:
        if _LENGTH.match(line) or _SESSION.match(line):
            return True
        tagged = tagged or line.startswith("; [")
        if tagged and _GAME.match(line):
            return True
    return False


def read(document: Document) -> list[Match]:
    """Every match of a file, in order.

    What is wrong in the file goes into `Match.problems`. Raises InvalidFileError when there is no match at all.
    """
    source = document.name
    found = [_replay(raw, source) for raw in _lex(document.lines, source) if raw.games]
    matches = [match for match in found if match.games]
    if not matches:
        raise _no_match(document.lines, source, next((problem for match in found for problem in match.problems), None))
    return matches


def parse(text: str, source: str = "") -> list[Match]:
    """As `read`, from a text; `source` is the path to name in messages."""
    return read(Document(text, source))


def read_rows(games: Sequence[tuple[int, tuple[str, str], Sequence[tuple[int, str]]]], source: str) -> Match:
    """A money session of games that have rows like these but no scores, as other programs write them.

    games: for each the number of the line of its names, the names, and its numbered rows.
    """
    raw = _RawMatch(games[0][0], 0)

    def report(message: str, line: int | None, column: int | None = 1) -> None:
        if len(raw.problems) < _MOST_PROBLEMS:
            raw.problems.append(Problem(message, source or None, line, column))

    for count, (head, names, rows) in enumerate(games, 1):
        game = _RawGame(count, head, names, last_line=head)
        raw.games.append(game)
        for number, line in rows:
            game.last_line = number
            if line.lstrip()[:1] in (";", "#"):
                _remark(line.strip()[1:].strip(), line, number, game)
            else:
                _row(line.expandtabs(), number, game, report)
    return _replay(raw, source)


def row_lines(match: Match, game: Game) -> list[str]:
    """The rows of a game, and its result."""
    return _game_lines(match, game)[2:]


def _no_match(lines: Sequence[str], source: str, problem: Problem | None) -> InvalidFileError:
    if problem is not None:
        return InvalidFileError(problem.message, path=source or None, line=problem.line, column=problem.column)
    heads = [number for number, line in enumerate(lines, 1) if _LENGTH.match(line) or _SESSION.match(line)]
    filled = [number for number, line in enumerate(lines, 1) if line.strip()]
    if heads:
        number, message = heads[0], "no game follows the head of the match"
    elif filled:
        number, message = filled[0], 'no match found: neither "n point match" nor "Game n"'
    else:
        return InvalidFileError("the file is empty", path=source or None, line=1, column=1)
    return InvalidFileError(message, path=source or None, line=number, column=_indent(lines[number - 1]))


def _lex(lines: Sequence[str], source: str) -> list[_RawMatch]:
    """The parts of a file, not yet compared with any rule."""
    matches: list[_RawMatch] = []
    match: _RawMatch | None = None
    game: _RawGame | None = None
    # Tags and remarks belong to the match whose head or game comes next.
    head = _RawMatch(1, None)
    at_names = False
    games, most_games = 0, _MOST_GAMES + sum(map(len, lines)) // _SHORTEST_GAME

    def report(message: str, line: int | None, column: int | None = 1) -> None:
        if match is not None and len(match.problems) < _MOST_PROBLEMS:
            match.problems.append(Problem(message, source or None, line, column))

    plain_row, roll, known_dice, new = _PLAIN_ROW.match, _Kind.ROLL, _DICE.get, tuple.__new__
    for number, line in enumerate(lines, 1):
        if "\t" in line:
            line = line.expandtabs()
        if len(line) > _LONGEST_LINE and not line.isspace():
            report(f"the line has {len(line)} characters and is left out", number)
            continue
        # Step 1. The commonest row.
        if game is not None and not at_names and (plain := plain_row(line)) is not None:
            game.last_line = number
            first, left, second, right = plain.groups()
            game.cells += (
                new(_Cell, (roll, 0, known_dice(first), left.strip(), 0, number, plain.start(1) + 1)),
                new(_Cell, (roll, 1, known_dice(second), right.strip(), 0, number, plain.start(3) + 1)),
            )
            continue
        stripped = line.strip()
        if not stripped:
            continue
        # Step 2. Names and scores; a name may begin with anything.
        if at_names and game is not None and (names := _names(line)) is not None:
            at_names, game.line, game.last_line = False, number, number
            game.names, game.score = names
            continue
        # Step 3. Tags and remarks.
        if stripped[0] in ";#":
            remark = stripped[1:].strip()
            if game is not None and _remark(remark, line, number, game):
                continue
            if (tag := _TAG.match(remark)) is not None:
                head.tags.append((tag[1].strip(), tag[2]))
            elif remark and not _NOISE.match(remark):
                head.comments.append(remark)
            continue
        # Step 4. Heads of matches and games.
        length = _LENGTH.match(line)
        if length is not None or _SESSION.match(line):
            match = _RawMatch(number, int(length[1]) if length is not None else 0, head.tags, head.comments)
            matches.append(match)
            head, game = _RawMatch(number, None), None
            continue
        start = _GAME.match(line)
        if start is not None:
            games += 1
            if games > most_games:
                if match is not None:
                    # At the head, so that it is not among those that are too many to be named.
                    message = f"after {most_games} games of hardly a line the rest is left out, from line {number} on"
                    match.problems.insert(0, Problem(message, source or None, match.line, 1))
                break
            if match is None:
                match = _RawMatch(number, None)
                matches.append(match)
                report('no line "n point match" before the first game; read as a money session', number)
            _give(head, match)
            game, at_names = _RawGame(int(start[1]), number), True
            match.games.append(game)
            continue
        if match is None or game is None:
            # Frames and titles around the head.
            head.comments.append(stripped)
            continue
        # Step 5. Rows.
        game.last_line = number
        _give(head, match)
        if at_names:
            at_names = False
            report("expected the names and scores of the players", number, _indent(line))
        _row(line, number, game, report)
    if match is not None:
        _give(head, match)
    for match in matches:
        if any(key.lower() in ("player 1", "player 2") and not value.strip() for key, value in match.tags):
            for game in match.games:
                if game.names is not None and NAMELESS in game.names:
                    first, second = game.names
                    game.names = "" if first == NAMELESS else first, "" if second == NAMELESS else second
    return matches


def _remark(remark: str, line: str, number: int, game: _RawGame) -> bool:
    """Whether a remark sets a position by hand, or the cube before the first roll."""
    position = _SET_POSITION.match(remark)
    if position is not None:
        game.cells.append(_Cell(_Kind.SET, 0, None, position[1], int(position[2] or 0), number, line.find("=") + 2))
        return True
    automatic = _AUTOMATIC.match(remark) if not game.cells else None
    if automatic is not None:
        game.cube = int(automatic[1])
    return automatic is not None


def _give(head: _RawMatch, match: _RawMatch) -> None:
    """Hands tags and remarks over to the match they turned out to be in."""
    if head.tags or head.comments:
        match.tags += head.tags
        match.comments += head.comments
        head.tags, head.comments = [], []


def _indent(line: str) -> int:
    """Column of the first character that is no blank, from 1."""
    return len(line) - len(line.lstrip()) + 1


def _names(line: str) -> tuple[tuple[str, str], tuple[int, int]] | None:
    """Names and scores of a line such as " Ann : 3            Bob : 0"; names may be empty or hold colons."""
    rest, colon, score = line.rstrip().rpartition(":")
    if not colon or not re.fullmatch(r"\d{1,6}", score.strip()):
        return None
    left = None
    for found in _LEFT_SCORE.finditer(rest + " "):
        # Names are set apart by more than one blank; failing that, by the first one.
        if found[1] is not None:
            left = found
            break
        left = left or found
    if left is None:
        return None
    first, second = rest[: left.start()].strip(), rest[left.end() :].strip()
    return (first, second), (int(left[1] or left[2]), int(score.strip()))


def _row(line: str, number: int, game: _RawGame, report: Report) -> None:
    """Appends the cells of a row such as "  1) 31: 8/5 6/5      42: 8/4 6/4"."""
    row = _ROW.match(line)
    start = row.end() if row is not None else 0
    dumps: list[str] = []
    if "llegal" in line:
        # Positions within brackets may hold anything, names too.
        dumps = [found[2] or found[3] for found in _DUMP.finditer(line)]
        line = _DUMP.sub(lambda found: "\0".ljust(len(found[0])), line)
    found = list(_CELL.finditer(line, start))
    before = line[start : found[0].start() if found else len(line)].strip()
    if before or (not found and row is None):
        report(f"cannot read {before[:40]!r}", number, line.find(before, start) + 1)
    for index, cell in enumerate(found):
        at, end = cell.start(), found[index + 1].start() if index + 1 < len(found) else len(line)
        text = line[cell.end() : end].strip()
        player = int(index > 0 or at >= _LEFT_COLUMN)
        if cell[3] is None:
            dice = _DICE.get(cell[1])
            if cell[2] is not None:
                text = dumps.pop(0) if text == "\0" else "?"
            game.cells.append(_Cell(_Kind.ROLL, player, dice, text, 0, number, at + 1))
            continue
        kind = _WORDS.get(cell[3].lower(), _Kind.RESIGNS)
        if kind is _Kind.RESIGNS:
            known = text.lower() in _RESIGNED
        elif kind is _Kind.WINS or kind is _Kind.LOSES:
            # The winner's column may hold two cells: "Resigned Game  Wins 1 point".
            player = int(at >= _LEFT_COLUMN)
            known = _RESULT_REST.match(text) is not None
        elif kind is _Kind.SET:
            known = text == "\0"
            text = dumps.pop(0) if known else ""
        else:
            known = not text
        if not known:
            report(f"cannot read {text[:40]!r}", number, at + 1)
        game.cells.append(_Cell(kind, player, None, text, int(cell[4] or -1), number, at + 1))


# Playing through


def _replay(raw: _RawMatch, source: str) -> Match:
    """The match, played by the rules."""
    tags = _Tags(raw.tags)
    setup, complaints = tags.setup(raw.length)
    raw.problems += [Problem(message, source or None, raw.line, 1) for message in complaints]
    attempt = _Attempt(raw, tags, setup, source)
    if attempt.illegal:
        # Not every file says which game it is; a wrong guess soon shows.
        for variant in VARIANTS:
            if variant != setup.variant:
                other = _Attempt(raw, tags, replace(setup, variant=variant), source, give_up=True)
                if not other.illegal:
                    attempt = other
                    break
    if attempt.gammon_counted and tags.get("Jacoby") is None:
        attempt = _Attempt(raw, tags, replace(attempt.setup, jacoby=False), source)
    setup = attempt.setup
    problems = sorted(raw.problems + attempt.problems, key=lambda problem: (problem.line or 0, problem.column or 0))
    if len(problems) >= _MOST_PROBLEMS:
        problems = [*problems[:_MOST_PROBLEMS], Problem("and more problems", source or None)]
    return Match(
        players=tags.players(attempt.names, attempt.ratings),
        length=setup.length,
        games=tuple(attempt.games),
        variant=setup.variant,
        crawford_rule=setup.crawford_rule,
        jacoby=setup.jacoby and not setup.length,
        beavers=0 if setup.length else setup.beavers,
        cube_limit=setup.cube_limit,
        info=tags.info(raw.comments),
        tags=tuple(raw.tags),
        problems=tuple(problems),
        source=source,
        format=NAME,
    )


class _Attempt:
    """The games of a match, played as one variant.

    illegal: how many plays broke the rules. gammon_counted: whether a gammon counted against Jacoby's rule.
    give_up: leave the rest after the first game with an illegal play.
    """

    def __init__(self, raw: _RawMatch, tags: _Tags, setup: Setup, source: str, give_up: bool = False) -> None:
        self.setup, self._source = setup, source
        self.problems: list[Problem] = []
        self.games: list[Game] = []
        self.illegal = 0
        self.gammon_counted = False
        self.names, self.ratings = _players(raw, tags)
        score = (0, 0)  # what it should be
        crawford_over = False
        for index, game in enumerate(raw.games):
            if give_up and self.illegal:
                break
            later = raw.games[index + 1] if index + 1 < len(raw.games) else None
            swap = self._swapped(game)
            start = _turned(game.score, swap) if game.score is not None else score
            if start != score and index:
                self._report(
                    f"game {game.number} starts at {start[0]}-{start[1]}, not at {score[0]}-{score[1]}", game.line, 1
                )
            if setup.length and max(start) >= setup.length > max(score) and index:
                start = score
            alone = len(raw.games) == 1 and any(cell.kind is _Kind.SET for cell in game.cells)
            if setup.length and max(start) >= setup.length and not alone:
                if any(cell.kind is _Kind.ROLL for cell in game.cells):
                    self._report(f"game {game.number} is left out: the match was over", game.line, 1)
                continue
            match_point = setup.length > 1 and (setup.length - start[0] == 1) != (setup.length - start[1] == 1)
            crawford = setup.crawford_rule and match_point and not crawford_over
            if crawford and start != score and any(cell.kind is _Kind.DOUBLE for cell in game.cells):
                crawford = False  # it was one of the games that are not in the file
            crawford_over = crawford_over or match_point
            explained = 0 if give_up else max(20 - self.illegal, 0)
            cube = self._first_cube(game)
            recorder = GameRecorder(setup, self.names, game.number, start, crawford, self._report, explained, cube)
            _feed(recorder, game, swap, self.names, get_variant(setup.variant).chequers)
            follows = later.score if later is not None else None
            played = recorder.finish(
                _turned(follows, self._swapped(later)) if later is not None and follows is not None else None,
                game.last_line or game.line,
            )
            self.games.append(played)
            self.illegal += recorder.illegal
            self.gammon_counted = self.gammon_counted or recorder.gammon_counted
            won = [start[0], start[1]]
            if played.winner is not None:
                won[played.winner] += played.points
            score = won[0], won[1]

    def _first_cube(self, game: _RawGame) -> int:
        """The cube after automatic doubles: as a remark says, or as the first double of a money game shows."""
        cube = game.cube
        first = next((cell for cell in game.cells if cell.kind in (_Kind.DOUBLE, _Kind.SET)), None)
        if cube == 1 and not self.setup.length and first is not None and first.kind is _Kind.DOUBLE:
            cube = first.value // 2
            if cube not in (2, 4, 8, 16):
                return 1
            self._report(
                f"game {game.number} starts with the cube at {cube}: automatic doubles", first.line, first.column
            )
        return cube if cube & (cube - 1) == 0 and 1 <= cube <= self.setup.cube_limit else 1

    def _report(self, message: str, line: int | None, column: int | None) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(Problem(message, self._source or None, line, column))

    def _swapped(self, game: _RawGame) -> bool:
        """Whether the players have changed columns."""
        return game.names is not None and self.names == _plain(game.names)[::-1] != _plain(game.names)


def _turned(pair: tuple[int, int], swap: bool) -> tuple[int, int]:
    return (pair[1], pair[0]) if swap else pair


def _plain(names: tuple[str, str]) -> tuple[str, str]:
    """Names without ratings."""
    return _rated(names[0])[0], _rated(names[1])[0]


def _rated(name: str) -> tuple[str, float | None]:
    """A name and the rating that may follow it: "Ann,1734"."""
    found = _RATED_NAME.match(name)
    return (found[1], float(found[2])) if found is not None else (name, None)


def _players(raw: _RawMatch, tags: _Tags) -> tuple[tuple[str, str], tuple[float | None, float | None]]:
    """Names and ratings of the left and right player: those of the first game, else those of the tags."""
    names = next((game.names for game in raw.games if game.names is not None), None)
    if names is None:
        return (tags.get("Player 1") or "", tags.get("Player 2") or ""), (None, None)
    (first, first_rating), (second, second_rating) = _rated(names[0]), _rated(names[1])
    return (first, second), (first_rating, second_rating)


def _feed(recorder: GameRecorder, game: _RawGame, swap: bool, names: tuple[str, str], chequers: int) -> None:
    """Hands the cells of a game to the recorder."""
    move = recorder.move
    for cell in game.cells:
        kind, player, dice, text, value, line, column = cell
        if swap:
            player = 1 - player
        if kind is _Kind.ROLL:
            if (
                dice is not None
                and text
                and text[0] in "0123456789bB"
                and len(text) <= _LONGEST_PLAY
                and "0/0" not in text
            ):
                move(player, dice, text, line, column)
            else:
                _feed_odd_roll(recorder, player, cell, names, chequers)
            continue
        points = value if value >= 0 else None
        if kind is _Kind.DOUBLE:
            recorder.double(player, points, line, column)
        elif kind is _Kind.BEAVER:
            recorder.beaver(player, points, line, column)
        elif kind is _Kind.TAKE:
            recorder.take(player, line, column)
        elif kind is _Kind.DROP:
            recorder.drop(player, line, column)
        elif kind is _Kind.WINS:
            recorder.wins(player, points, line, column)
        elif kind is _Kind.LOSES:
            recorder.resigns(player, points, line, column)
        elif kind is _Kind.RESIGNS:
            # "Resigned Game" stands in the winner's column.
            loser = 1 - player if text.lower() in ("game", "match") else player
            recorder.resigns(loser, None, line, column, _RESIGNED.get(text.lower(), 1))
        else:
            _feed_position(recorder, player, cell, swap, names, chequers)


def _feed_odd_roll(recorder: GameRecorder, player: int, cell: _Cell, names: tuple[str, str], chequers: int) -> None:
    """A roll that is not simply followed by a play."""
    _, _, dice, text, _, line, column = cell
    if dice is None:
        if text.strip("?"):
            recorder.lose_track("a play without a roll of two dice", line, column)
        else:
            recorder.hidden(player, None, line, column)
    elif len(text) > _LONGEST_PLAY and ";" not in text:
        recorder.lose_track(f"cannot read {text[:40]!r}", line, column)
    elif not text:
        recorder.blank(player, dice, line, column)
    elif text[0] == "?":
        recorder.hidden(player, dice, line, column)
    elif text.lower() in _NO_MOVE:
        recorder.no_move(player, dice, line, column)
    elif ";" in text:
        try:
            dump = from_position_line(text, chequers)
        except InvalidFileError as error:
            recorder.lose_track(error.message, line, column)
            return
        # Where the names do not tell, the position is that of the player to roll next.
        swap = _seen_by(dump.names, names, 1 - player) == player
        recorder.moved_to(player, dice, dump.position.swapped() if swap else dump.position, line, column)
    else:
        recorder.move(player, dice, _NOTHING.sub("", text).strip(), line, column)


def _feed_position(
    recorder: GameRecorder, player: int, cell: _Cell, swap: bool, names: tuple[str, str], chequers: int
) -> None:
    """A position set by hand: letters with the cube, or a position line in place of a play."""
    _, _, _, text, value, line, column = cell
    try:
        if ";" in text:
            dump = from_position_line(text, chequers)
            position = dump.position.swapped() if _seen_by(dump.names, names, 1 - player) else dump.position
            cube, owner = recorder.cube
        else:
            position = from_letters(text, chequers)
            cube, owner = 1 << min(abs(value), 15), None if value == 0 else int((value > 0) != swap)
            if swap:
                position = position.swapped()
    except InvalidFileError as error:
        recorder.lose_track(error.message, line, column)
        return
    recorder.set_board(position, cube, owner, line, column)


def _seen_by(seen: tuple[str, str], names: tuple[str, str], otherwise: int) -> int:
    """The player from whose side a position line is written."""
    if names[0] == names[1]:
        return otherwise
    for player in (0, 1):
        if seen[0] == names[player] or seen[1] == names[1 - player]:
            return player
    return otherwise


class _Tags:
    """The tags of a match, keys in any case; the first of several counts."""

    def __init__(self, tags: Sequence[tuple[str, str]]) -> None:
        self._values: dict[str, str] = {}
        for key, value in tags:
            self._values.setdefault(key.lower(), value.strip())

    def get(self, key: str) -> str | None:
        return self._values.get(key.lower())

    def _on(self, key: str, otherwise: bool) -> bool:
        value = self.get(key)
        return otherwise if value is None else value.lower() in _ON

    def setup(self, length: int | None) -> tuple[Setup, list[str]]:
        """What holds for all games, and complaints."""
        problems = []
        if length is not None and length > 999:
            problems.append(f"a match to {length} points; read as a money session")
            length = 0
        variation = (self.get("Variation") or "backgammon").lower()
        if "nack" in variation:
            variant = "nackgammon"
        elif "hyper" in variation:
            variant = f"hypergammon{next((digit for digit in variation if digit in '123'), 3)}"
        else:
            variant = "standard"
            if variation not in ("backgammon", "standard"):
                problems.append(f"the variation {self.get('Variation')!r} is not known; read as backgammon")
        limit = self.get("CubeLimit") or ""
        beavers = self.get("Beaver") or self.get("Beavers") or ""
        return Setup(
            length=length or 0,
            variant=variant,
            crawford_rule=self._on("Crawford", True),
            jacoby=self._on("Jacoby", True),
            beavers=int(beavers) if beavers in ("0", "1", "2", "3") else 3 if self._on("Beaver", True) else 0,
            cube_limit=int(limit) if re.fullmatch(r"[1-9][0-9]{0,4}", limit) else _USUAL_CUBE_LIMIT,
        ), problems

    def player_tag(self, player: int, names: tuple[str, str]) -> str:
        """The key under which the tags speak of a player; either may stand in the left column."""
        tagged = self.get("Player 1"), self.get("Player 2")
        swap = tagged != names and (tagged[0] == names[1] or tagged[1] == names[0])
        return f"Player {2 - player if swap else player + 1}"

    def players(self, names: tuple[str, str], ratings: tuple[float | None, float | None]) -> tuple[Player, Player]:
        """The players; what the tags say counts before the ratings given."""
        players = []
        for player in (0, 1):
            elo = self.get(f"{self.player_tag(player, names)} Elo") or ""
            found = re.fullmatch(r"\s*(-?\d{1,9}(?:[.,]\d{1,9})?)?\s*(?:/\s*(\d{1,9})\s*)?", elo)
            rating, experience = ratings[player], None
            if found is not None:
                if found[1] is not None:
                    rating = float(found[1].replace(",", "."))
                if found[2] is not None:
                    experience = int(found[2])
            players.append(Player(names[player], rating, experience))
        return players[0], players[1]

    def info(self, comments: Sequence[str]) -> dict[str, str]:
        """What has a common meaning."""
        info = {}
        for key, tag in _INFO_TAGS.items():
            value = self.get(tag) or self.get(_OTHER_TAGS.get(tag, tag))
            if value:
                info[key] = value
        date = re.fullmatch(r"(\d{4})[./-](\d\d?)[./-](\d\d?)", info.get("date", ""))
        if date is not None:
            info["date"] = f"{date[1]}-{date[2]:0>2}-{date[3]:0>2}"
        time = re.fullmatch(r"(\d\d?)[.:](\d\d)", info.get("time", ""))
        if time is not None:
            info["time"] = f"{time[1]:0>2}:{time[2]}"
        if comments:
            info["comment"] = "\n".join(comments)
        return info


# Writing


def format(match: Match) -> str:
    """The text of a match."""
    lines = [f'; [{_line(key)} "{_line(value)}"]' for key, value in _tags_to_write(match)]
    lines += [f"; {_line(remark)}" for remark in match.info.get("comment", "").splitlines() if remark.strip()]
    if lines:
        lines.append("")
    lines += [f" {match.length} point match", ""]
    for game in match.games:
        names, score, *rows = _game_lines(match, game)
        remark = [f"; Automatic doubles: the cube starts at {game.cube}"] if game.cube > 1 else []
        lines += [names, score, *remark, *rows, ""]
    return "\n".join(lines)


def write(matches: Sequence[Match]) -> str:
    """The text of several matches, one after the other."""
    return "\n".join(format(match) for match in matches)


def _line(text: str) -> str:
    """`text` fit for one line of a file."""
    return " ".join(text.split())


def _tags_to_write(match: Match) -> Iterator[tuple[str, str]]:
    """The tags of the match, then those that its other parts need and that are not there."""
    yield from match.tags
    tags = _Tags(match.tags)
    setup, _ = tags.setup(match.length)
    names = match.players[0].name, match.players[1].name
    known = tags.players(names, (None, None))
    info = tags.info([])
    for key, tag in _INFO_TAGS.items():
        if match.info.get(key) and key not in info:
            value = match.info[key]
            yield tag, value.replace("-", ".") if key == "date" else value.replace(":", ".") if key == "time" else value
    for player in (0, 1):
        key = tags.player_tag(player, names)
        if not match.tags or (not names[player] and tags.get(key) is None):
            yield key, names[player]
        if match.players[player] != known[player] and tags.get(f"{key} Elo") is None:
            yield f"{key} Elo", _rating(match.players[player])
    if match.variant != setup.variant:
        yield "Variation", _VARIATIONS[match.variant]
    if match.crawford_rule != setup.crawford_rule:
        yield "Crawford", "On" if match.crawford_rule else "Off"
    if not match.length and match.jacoby != setup.jacoby:
        yield "Jacoby", "On" if match.jacoby else "Off"
    if not match.length and match.beavers != setup.beavers:
        yield "Beaver", str(match.beavers) if match.beavers else "Off"
    if match.cube_limit != setup.cube_limit:
        yield "CubeLimit", str(match.cube_limit)


def _rating(player: Player) -> str:
    rating = "" if player.rating is None else f"{player.rating:.2f}"
    return rating if player.experience is None else f"{rating}/{player.experience}"


class _Rows:
    """Rows of two columns, filled from left to right and top to bottom."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._number = 0
        self._left: str | None = None

    def add(self, player: int, text: str) -> None:
        if player == 0:
            self.flush()
            self._left = text
            return
        self._number += 1
        self.lines.append(f"{self._number:3d}) {self._left or '':<27} {text}".rstrip())
        self._left = None

    def flush(self) -> None:
        """Ends the row; what follows begins a new one."""
        if self._left is not None:
            self._number += 1
            self.lines.append(f"{self._number:3d}) {self._left}".rstrip())
            self._left = None


def _game_lines(match: Match, game: Game) -> list[str]:
    names = _line(match.players[0].name) or NAMELESS, _line(match.players[1].name) or NAMELESS
    left = f" {names[0]} : {game.score[0]}"
    rows = _Rows()
    for index, action in enumerate(game.actions):
        if action.kind is ActionKind.SET:
            rows.flush()
            rows.lines.append(_set_line(action))
        elif (text := _cell_text(action, index, game, names)) is not None:
            rows.add(action.player, text)
    if game.winner is not None:
        points = f" Wins {game.points} point{'s' if game.points != 1 else ''}"
        if match.length and game.score[game.winner] + game.points >= match.length:
            points += " and the match"
        if game.winner == 1 and game.actions and game.actions[-1].kind is ActionKind.DROP:
            rows.add(1, points)
        else:
            rows.flush()
            rows.lines.append(f"{'':5}{points}" if game.winner == 0 else f"{'':33}{points}")
    rows.flush()
    return [f" Game {game.number}", f"{left:<30}  {names[1]} : {game.score[1]}", *rows.lines]


def _cell_text(action: Action, index: int, game: Game, names: tuple[str, str]) -> str | None:
    """What a cell says; None when nothing is written."""
    if action.kind is ActionKind.DOUBLE:
        return f" Doubles => {action.value}"
    if action.kind is ActionKind.BEAVER:
        word = "Raccoons" if action.state.beavered else "Beavers"
        return f" {word} => {action.value}"
    if action.kind is ActionKind.TAKE:
        # As Jellyfish does, nobody writes that a beaver is taken.
        return None if action.state.beavered else " Takes"
    if action.kind is ActionKind.DROP:
        return " Drops"
    if action.dice is None:
        return None
    roll = f"{action.dice[0]}{action.dice[1]}:"
    if action.kind is ActionKind.ROLL:
        return f"{roll} ????"
    if action.play is None:
        return f"{roll} Illegal play"
    if action.play.steps:
        return f"{roll} {_plain_play(action.play)}"
    if not action.illegal:
        return roll
    result = action.play.result
    if result == action.position.swapped():
        return f"{roll} Cannot Move"
    state = replace(action.state, on_roll=1 - action.player, dice=None)
    return f"{roll} Illegal play ({to_position_line(result, state, names)})"


def _plain_play(play: Play) -> str:
    """Every step alone, bar 25 and off 0, from the highest point down."""
    return " ".join(f"{step.start}/{step.end}{'*' if step.hit else ''}" for step in play.steps)


def _set_line(action: Action) -> str:
    position = action.position if action.player == 0 else action.position.swapped()
    power = action.state.cube.bit_length() - 1
    cube = 0 if action.state.cube_owner is None else -power if action.state.cube_owner == 0 else power
    return f"; Set Pos={to_letters(position)}/{cube}"


FORMAT = Format(
    NAME,
    "Jellyfish match",
    (".mat", ".txt"),
    detect,
    read,
    write,
    keeps=frozenset(Feature)
    - {Feature.UNKNOWN, Feature.ANALYSIS, Feature.COMMENT, Feature.TIME, Feature.CRAWFORD_GAME, Feature.ON_ROLL},
)
