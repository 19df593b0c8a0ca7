"""The rows of `.mat` and its kin taken apart: lines come in, scripts of matches go out.

A row has a cell for each player, `31: 8/5 6/5` or a word such as `Takes`; which of them is whose, the column tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sixprime.errors import InvalidFileError
from sixprime.formats._board import from_letters, from_position_line
from sixprime.formats._mat_tags import Tags
from sixprime.formats._mat_write import NAMELESS, QUOTE, QUOTED
from sixprime.formats._script import DICE, HIDDEN, LONGEST_PLAY, NO_MOVE, Event, Kind, Script, ScriptGame, indent
from sixprime.game.match_rules import is_cube

_LONGEST_LINE = 2000
_MOST_GAMES, _SHORTEST_GAME = 1000, 100  # games of any file, and characters that each of more takes at least
_LEFT_COLUMN = 17  # a cell that starts before this column belongs to the left player
_CHEQUERS = 15  # of a board, until it is known which variant is played

_MINUS = re.compile(r"(?<!\S)-$")
_LENGTH = re.compile(r"[^\w;#]*(\d{1,6})[-\s]*points?[-\s]+match\b", re.IGNORECASE)
_SESSION = re.compile(r"\W*(?:money|unlimited)[-\s]+(?:game|match|session)\b", re.IGNORECASE)
_GAME = re.compile(r"\s*Game\s+(\d{1,6})\s*[:.]?\s*$", re.IGNORECASE)
_LEFT_SCORE = re.compile(r":\s?(\d{1,6})(?=\s\s|\t)|:\s?(\d{1,6})(?=\s)")
_RATED_NAME = re.compile(r"(.*\S)\s*,\s*(\d{3,4}(?:\.\d+)?)$")
_TAG = re.compile(r"\[([^\"\]]*)\"(.*)\"\s*\]?$")
_NOISE = re.compile(r"\[Game \d+, Move \d+", re.IGNORECASE)
_SET_POSITION = re.compile(r"Set Pos\s*=\s*([^/]*)(?:/([-+]?\d{1,2})\b)?", re.IGNORECASE)
_ROW = re.compile(r"\s*\d{1,6}\)")
# The number of a row stands once more before a result that Galaxy has in the row of the last play.
_CELL = re.compile(
    r"(?<![\w/])(?:([0-9][0-9]):(?:\s*(illegal play))?"
    r"|(?:(?<!\S)\d{1,6}\)\s+)?"
    r"(doubles|redoubles|beavers?|raccoons?|takes|drops|wins|loss?es|resign\w*|illegal play)\b"
    r"(?:[ =>]*(\d{1,6})(?![\d:]))?)",
    re.IGNORECASE,
)
# Most rows are two rolls with plain plays or none; those are taken apart at once.
_PLAY_TEXT = r"([-\d/*() barofBAROF]*|\s{0,3}Cannot Move\s*)"
_PLAIN_ROW = re.compile(rf"\s{{0,3}}\d{{1,4}}\)\s{{1,4}}([1-6][1-6]):{_PLAY_TEXT}(?<=\s)([1-6][1-6]):{_PLAY_TEXT}$")
_RESULT_REST = re.compile(r"\s*(?:points?)?(?:\s+and\s+the\s+match)?\s*$", re.IGNORECASE)
_RESIGNED = {"": 1, "game": 1, "match": 1, "normal": 1, "single": 1, "gammon": 2, "backgammon": 3}
_AUTOMATIC = re.compile(r"Automatic doubles?: the cube starts at (\d{1,5})$", re.IGNORECASE)
_NO_MOVE = {"cannot move", "can't move", "no move", "cannot play"}
_DUMP = re.compile(r"(?<=illegal play)(\s*)\((?:(.{,400}?;)\s*|([^()]*))\)", re.IGNORECASE)
_NOTHING = re.compile(r"(?<!\S)(?:0|off)/(?:0|off)(?!\S)", re.IGNORECASE)
_PLAYS_START = frozenset("0123456789bB")

_WORDS = {
    "doubles": Kind.DOUBLE,
    "redoubles": Kind.DOUBLE,
    "beaver": Kind.BEAVER,
    "beavers": Kind.BEAVER,
    "raccoon": Kind.BEAVER,
    "raccoons": Kind.BEAVER,
    "takes": Kind.TAKE,
    "drops": Kind.DROP,
    "wins": Kind.WINS,
    "illegal play": Kind.SET,
}


@dataclass(slots=True)
class RowGame(ScriptGame):
    """A game as written. cube: at its start. boards: which events have a board that is not read yet."""

    names: tuple[str, str] | None = None
    cube: int = 1
    boards: list[int] = field(default_factory=list)


@dataclass(slots=True)
class RowMatch(Script):
    """A match as written. line: of its head. length: None when the file does not say."""

    line: int = 1
    length: int | None = None
    comments: list[str] = field(default_factory=list)
    written: list[RowGame] = field(default_factory=list)


def is_head(line: str) -> bool:
    """Whether a match begins in this line: it says how long it is."""
    return _LENGTH.match(line) is not None or _SESSION.match(line) is not None


def is_game(line: str) -> bool:
    """Whether a game begins in this line."""
    return _GAME.match(line) is not None


def matches_of(lines: Sequence[str], source: str) -> list[RowMatch]:
    """The matches of a file, perhaps without games; not yet compared with any rule."""
    reader = _Reader(source, _MOST_GAMES + sum(map(len, lines)) // _SHORTEST_GAME)
    reader.read(lines)
    for match in reader.matches:
        if any(key.lower() in ("player 1", "player 2") and not value.strip() for key, value in match.tags):
            for game in match.written:
                if game.names is not None and NAMELESS in game.names:
                    first, second = game.names
                    game.names = "" if first == NAMELESS else first, "" if second == NAMELESS else second
        _settle(match)
    return reader.matches


def session_of(games: Sequence[tuple[int, tuple[str, str], Iterable[tuple[int, str]]]], source: str) -> RowMatch:
    """A money session of games that have no scores. games: line and text of their names, and numbered rows."""
    match = RowMatch(source, lenient=True, line=games[0][0], length=0)
    for count, (head, names, rows) in enumerate(games, 1):
        game = RowGame(count, head, names=names, last_line=head)
        match.written.append(game)
        for number, line in rows:
            game.last_line = number
            if line.lstrip()[:1] in (";", "#"):
                _remark(line.strip()[1:].strip(), line, number, game)
            else:
                _row(line.expandtabs(), number, game, match)
    _settle(match)
    return match


class _Reader:
    """Takes lines apart. most_games: where to stop."""

    def __init__(self, source: str, most_games: int) -> None:
        self.matches: list[RowMatch] = []
        self._source, self._most_games, self._games = source, most_games, 0
        self._match: RowMatch | None = None
        self._game: RowGame | None = None
        self._at_names = False  # whether the line with the names comes next
        self._head = RowMatch(source)  # whose tags and remarks belong to the match whose head or game comes next

    def read(self, lines: Sequence[str]) -> None:
        """Reads all lines, or as many as there may be games."""
        plain_row, starts = _PLAIN_ROW.match, _PLAYS_START
        new, play, no_parts = tuple.__new__, Kind.PLAY, Event._field_defaults["parts"]
        for number, line in enumerate(lines, 1):
            if "\t" in line or "\xa0" in line:
                line = line.replace("\xa0", " ").expandtabs()  # as copied from a page
            if len(line) > _LONGEST_LINE and not line.isspace():
                if self._match is not None:
                    self._match.report(f"the line has {len(line)} characters and is left out", number)
                continue
            game = self._game
            if game is not None and not self._at_names and (plain := plain_row(line)) is not None:
                # The commonest row.
                game.last_line = number
                first, left, second, right = plain.groups()
                left, right = left.strip(), right.strip()
                at, then = plain.start(1) + 1, plain.start(3) + 1
                if left[:1] in starts and right[:1] in starts and len(line) < LONGEST_PLAY and "0/0" not in line:
                    game.events += (
                        new(Event, (play, 0, number, at, DICE[first], left, None, 0, None, None, no_parts)),
                        new(Event, (play, 1, number, then, DICE[second], right, None, 0, None, None, no_parts)),
                    )
                else:
                    _roll(game, 0, first, left, number, at)
                    _roll(game, 1, second, right, number, then)
            elif (stripped := line.strip()) and not self._line(number, line, stripped):
                break
        if self._match is not None:
            self._give(self._match)

    def _line(self, number: int, line: str, stripped: str) -> bool:
        """Takes a line; returns whether to go on."""
        match, game = self._match, self._game
        # Step 1. Names and scores; a name may begin with anything.
        if self._at_names and game is not None and (names := _names(line)) is not None:
            self._at_names, game.line, game.last_line = False, number, number
            game.names, game.score = names
        # Step 2. Tags and remarks.
        elif stripped[0] in ";#":
            remark = stripped[1:].strip()
            if game is not None and _remark(remark, line, number, game):
                return True
            if (tag := _TAG.match(remark)) is not None:
                self._head.tags.append((tag[1].strip(), tag[2]))
            elif remark and not _NOISE.match(remark):
                self._head.comments.append(remark.removeprefix(QUOTE) if QUOTED.match(remark) else remark)
        # Step 3. Heads of matches and games.
        elif (length := _LENGTH.match(line)) is not None or _SESSION.match(line):
            points = int(length[1]) if length is not None else 0
            negative = length is not None and _MINUS.search(line, 0, length.start(1)) is not None
            match = self._begin_match(number, 0 if negative else points)
            if negative:
                match.report(f"a match to -{points} points; read as a money session", number, indent(line))
            self._give(match)
        elif (start := _GAME.match(line)) is not None:
            return self._begin_game(number, int(start[1]))
        elif match is None or game is None:
            # Frames and titles around the head.
            self._head.comments.append(stripped)
        # Step 4. Rows.
        else:
            game.last_line = number
            self._give(match)
            if self._at_names:
                self._at_names = False
                match.report("expected the names and scores of the players", number, indent(line))
            _row(line, number, game, match)
        return True

    def _begin_match(self, number: int, length: int | None) -> RowMatch:
        self._match, self._game = RowMatch(self._source, line=number, length=length, lenient=True), None
        self.matches.append(self._match)
        return self._match

    def _begin_game(self, number: int, title: int) -> bool:
        """Begins a game; returns whether there may be so many."""
        match = self._match
        self._games += 1
        if self._games > self._most_games:
            if match is not None:
                # At the head, so that it is not among those that are too many to be named.
                message = f"after {self._most_games} games of hardly a line the rest is left out, from line {number} on"
                match.problems.insert(0, match.problems.at(message, match.line))
            return False
        if match is None:
            match = self._begin_match(number, None)
            match.report('no line "n point match" before the first game; read as a money session', number)
        self._give(match)
        self._game, self._at_names = RowGame(title, number), True
        match.written.append(self._game)
        return True

    def _give(self, match: RowMatch) -> None:
        """Hands tags and remarks over to the match they turned out to be in."""
        head = self._head
        if head.tags or head.comments:
            match.tags += head.tags
            match.comments += head.comments
            head.tags, head.comments = [], []


def _remark(remark: str, line: str, number: int, game: RowGame) -> bool:
    """Whether a remark sets a position by hand, or the cube before the first roll."""
    position = _SET_POSITION.match(remark)
    if position is not None:
        _board(game, Event(Kind.SET, 0, number, line.find("=") + 2, text=position[1], value=int(position[2] or 0)))
        return True
    automatic = _AUTOMATIC.match(remark) if not game.events else None
    if automatic is not None:
        game.cube = int(automatic[1])
    return automatic is not None


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


def _row(line: str, number: int, game: RowGame, match: RowMatch) -> None:
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
        match.unreadable(before, number, line.find(before, start) + 1)
    for index, cell in enumerate(found):
        at, end = cell.start(), found[index + 1].start() if index + 1 < len(found) else len(line)
        text = line[cell.end() : end].strip()
        player = int(index > 0 or at >= _LEFT_COLUMN)
        if cell[3] is None:
            if cell[2] is not None:
                text = dumps.pop(0) if text == "\0" else "?"
            _roll(game, player, cell[1], text, number, at + 1)
        else:
            dump = None
            if cell[3].lower() == "illegal play":
                dump, text = (dumps.pop(0), text) if text == "\0" else (None, "")
            if not _word(game, player, cell, text, dump, number):
                match.unreadable(text, number, at + 1)


def _roll(game: RowGame, player: int, roll: str, text: str, line: int, column: int) -> None:
    """Appends a roll and what stands behind it; "00" is none."""
    dice = DICE.get(roll)
    kind = Kind.ROLL
    if dice is None:
        text = "" if text.strip("?") else HIDDEN
    elif text and text[0] in _PLAYS_START and len(text) <= LONGEST_PLAY and "0/0" not in text:
        kind = Kind.PLAY
    elif text and (len(text) <= LONGEST_PLAY or ";" in text):
        if text[0] == "?":
            text = HIDDEN
        elif text.lower() in _NO_MOVE:
            text = NO_MOVE
        elif ";" in text:
            _board(game, Event(kind, player, line, column, dice, text))
            return
        else:
            kind, text = Kind.PLAY, _NOTHING.sub("", text).strip()
    game.events.append(Event(kind, player, line, column, dice, text))


def _word(game: RowGame, player: int, cell: re.Match[str], text: str, dump: str | None, line: int) -> bool:
    """Appends what a cell without a roll says; whether that was understood to the end."""
    word, value = cell[3].lower(), int(cell[4]) if cell[4] else None
    column = cell.start() + 1
    kind = _WORDS.get(word, Kind.RESIGNS)
    if kind is Kind.SET:
        _board(game, Event(kind, player, line, column, text=dump or "", value=-1))
        return dump is not None
    if kind not in (Kind.WINS, Kind.RESIGNS):
        game.events.append(Event(kind, player, line, column, value=value))
        return not text
    level = 0
    if word.startswith("resign"):
        # "Resigned Game" stands in the winner's column.
        player = 1 - player if text.lower() in ("game", "match") else player
        value, level = None, _RESIGNED.get(text.lower(), 1)
        known = text.lower() in _RESIGNED
    else:
        # The winner's column may hold two cells: "Resigned Game  Wins 1 point".
        player = int(cell.start() >= _LEFT_COLUMN)
        known = _RESULT_REST.match(text) is not None
    game.events.append(Event(kind, player, line, column, value=value, level=level))
    return known


def _board(game: RowGame, event: Event) -> None:
    """Appends an event whose board can be read only when all names are known."""
    game.boards.append(len(game.events))
    game.events.append(event)


# What only the whole match tells


def _settle(match: RowMatch) -> None:
    """Fills in the rules and players of a match, and its games as the players are numbered."""
    tags = Tags(match.tags)
    match.rules, complaints = tags.rules(match.length)
    match.problems += [match.problems.at(message, match.line) for message in complaints]
    match.jacoby_known = tags.get("Jacoby") is not None
    match.info = tags.info(match.comments)
    written = next((game.names for game in match.written if game.names is not None), None)
    tagged = [tags.get(f"Player {n}") or "" for n in (1, 2)]
    (first, first_rating), (second, second_rating) = (
        (_rated(name, tagged) for name in written) if written is not None else ((name, None) for name in tagged)
    )
    names, ratings = (first, second), (first_rating, second_rating)
    match.players = tags.players(names, ratings)
    for game in match.written:
        plain = names if game.names is None else tuple(_rated(name, tagged)[0] for name in game.names)
        swap = names == plain[::-1] != plain  # whether the players have changed columns
        cube = _first_cube(game, match)
        if swap:
            game.score = None if game.score is None else game.score[::-1]
            game.events = [event._replace(player=1 - event.player) for event in game.events]
        for index in game.boards:
            game.events[index] = _with_board(game.events[index], swap, names, cube)
        game.events[:0] = [Event(Kind.AUTOMATIC, 0, game.line, 1)] * (cube.bit_length() - 1)
    match.games = [*match.written]


def _first_cube(game: RowGame, match: RowMatch) -> int:
    """The cube after automatic doubles: as a remark says, or as the first double of a money game shows."""
    cube, first = game.cube, None
    if cube == 1 and not match.rules.length:
        first = next((event for event in game.events if event.kind in (Kind.DOUBLE, Kind.SET)), None)
    if first is not None and first.kind is Kind.DOUBLE:
        cube = (first.value or 0) // 2
        if cube not in (2, 4, 8, 16):
            return 1
        match.report(f"game {game.number} starts with the cube at {cube}: automatic doubles", first.line, first.column)
    return cube if is_cube(cube, match.rules.cube_limit) else 1


def _rated(name: str, whole: Sequence[str]) -> tuple[str, float | None]:
    """A name and the rating that may follow it: "Ann,1734". whole: names that are to be taken as they are."""
    found = None if name in whole else _RATED_NAME.match(name)
    return (found[1], float(found[2])) if found is not None else (name, None)


def _with_board(event: Event, swap: bool, names: tuple[str, str], start: int) -> Event:
    """A position with letters and the cube, or a position line, which may stand in place of a play.

    start: the cube of the game's beginning, which is that of a position where it is in the middle.
    """
    text, value = event.text, event.value or 0
    try:
        if ";" not in text:
            board = from_letters(text, _CHEQUERS)
            owner = None if value == 0 else int((value > 0) != swap)
            board = board.swapped() if swap else board
            return event._replace(board=board, value=1 << min(abs(value), 15) if value else start, owner=owner)
        dump = from_position_line(text, _CHEQUERS)
    except InvalidFileError as error:
        return event._replace(kind=Kind.LOST, text=error.message)
    # Where the names do not tell, the position is that of the player to roll next. After a play the other is.
    seen = _seen_by(dump.names, names, 1 - event.player)
    turned = seen == 1 if event.kind is Kind.SET else seen == event.player
    return event._replace(board=dump.position.swapped() if turned else dump.position, value=None)


def _seen_by(seen: tuple[str, str], names: tuple[str, str], otherwise: int) -> int:
    """The player from whose side a position line is written."""
    if names[0] == names[1]:
        return otherwise
    for player in (0, 1):
        if seen[0] == names[player] or seen[1] == names[1 - player]:
            return player
    return otherwise
