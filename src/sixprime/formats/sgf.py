"""SGF (FF[4] GM[6]): the files of GNU Backgammon, with all its analysis.

One tree for each game; White is player 0, Black player 1. Points are letters, `a` White's ace point and Black's
24 point, `y` the bar, `z` off.

    (;FF[4]GM[6]MI[length:7][game:0][ws:0][bs:0]PW[Ann]PB[Bob]RU[Crawford]RE[W+1R]
    ;W[31hefe]A[0][hefe E ver 3 0.54 ...]LU[0.12]    a play, its candidates, the luck of the roll
    ;B[double]DA[E ver 3 2C 1 0.0 1 ...];W[take]     cube actions with their analysis
    ;PL[B]DI[62]                                     a roll without a play
    ;PL[W]AE[a:y]AW[a][a]AB[x];CV[2];CP[w])          a position and a cube set by hand

What the analysis of a node says goes into `ForeignAnalysis`; properties without a place in the model, the totals
`GS` among them, are kept in `extras` and written again.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sixprime import __version__
from sixprime.errors import IllegalPlayError, InvalidFileError, InvalidPlayError
from sixprime.formats._format import Feature, Format, worth
from sixprime.formats._problems import Problems
from sixprime.formats._recorder import GameRecorder
from sixprime.formats._replay import MatchReplay
from sixprime.formats._text import Document
from sixprime.game.match_rules import LARGEST_CUBE, LONGEST_MATCH, Rules
from sixprime.game.play import Play, Step, apply_steps, find_play
from sixprime.game.position import BAR, Position
from sixprime.game.record import (
    Action,
    ActionKind,
    Extras,
    ForeignAnalysis,
    ForeignCube,
    ForeignPlay,
    Game,
    Match,
    Method,
    Player,
    Problem,
    Value,
)
from sixprime.game.variants import get_variant

NAME = "sgf"

_MOST_CANDIDATES = 4000
_USUAL_CUBE_LIMIT = 1024
_MOST_CHEQUERS = 99

_TOKEN = re.compile(r"[();]|\[((?:[^\]\\]|\\.)*+)\]?|([A-Za-z]+)|(\S)", re.DOTALL)
_GAMMON = re.compile(r"GM\s*\[\s*6\s*\]")
_PLY = re.compile(r"(\d{1,2})(C?)")
_RESULT = re.compile(r"\s*([WB])\s*\+\s*(\d{1,6})\s*(R?)", re.IGNORECASE)
_RATING = re.compile(r"\s*+(-?\d{1,7}(?:[.,]\d{1,9})?)?\s*+(?:\(Exp (\d{1,9})\))?\s*+")
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)
_DICE = {f"{a}{b}": (a, b) for a in range(1, 7) for b in range(1, 7)}
_SIDES = {"W": 0, "B": 1}
_LETTERS = "WB"
_OWNERS = {"c": None, "w": 0, "b": 1}
_INFO = {"event": "EV", "round": "RO", "place": "PC", "date": "DT", "annotator": "AN", "comment": "GC"}
_RULES = {
    "nackgammon": "Nackgammon",
    "hypergammon1": "Hypergammon1",
    "hypergammon2": "Hypergammon2",
    "hypergammon3": "Hypergammon3",
}
_ROOT = {"FF", "GM", "CA", "AP", "SO", "MI", "PW", "PB", "WR", "BR", "RU", "CV", "RE", "C", *_INFO.values()}
_NODE = {"W", "B", "C", "PL", "DI", "AE", "AW", "AB", "CV", "CP", "CO", "DA", "A", "LU", "BM", "DO", "BC", "DC"}
_NODE |= {"GW", "GB"}


# Reading


@dataclass(frozen=True, slots=True)
class _Node:
    """A node: its properties in order, and where it begins."""

    offset: int
    properties: dict[str, list[str]]

    def first(self, key: str) -> str | None:
        values = self.properties.get(key)
        return values[0] if values else None


class _Place:
    """Lines and columns of offsets in a text."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in re.finditer(r"\r\n?|\n", text))]

    def __call__(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


@dataclass(slots=True)
class _Reader:
    """What the parts of the reader share."""

    source: str
    place: _Place
    report: Problems

    def at(self, message: str, offset: int) -> None:
        self.report(message, *self.place(offset))


@dataclass(slots=True)
class _RawMatch:
    """The games of one match. first: the root of its first game."""

    first: _Node
    length: int
    games: list[list[_Node]] = field(default_factory=list)


def detect(document: Document) -> bool:
    """Whether a file is a backgammon game tree."""
    head = document.head
    return head.startswith("(") and _GAMMON.search(head) is not None and head[1:].lstrip().startswith(";")


def read(document: Document) -> list[Match]:
    """Every match of a file. What is wrong in it goes into `Match.problems`.

    Raises InvalidFileError when there is no game of backgammon at all.
    """
    reader = _Reader(document.name, _Place(document.text), Problems(document.name))
    matches: list[_RawMatch] = []
    for tree in _trees(document.text, reader):
        root = tree[0]
        game = root.first("GM")
        if game is not None and game.strip() != "6":
            reader.at(f"a tree of game {game.strip()[:10]!r}, which is not backgammon, is left out", root.offset)
            continue
        info = _match_info(root)
        if matches and _continues(matches[-1], root, info):
            matches[-1].games.append(tree)
        else:
            length = info.get("length", 0)
            if length > LONGEST_MATCH:
                reader.at(f"a match to {length} points; read as a money session", root.offset)
                length = 0
            matches.append(_RawMatch(root, length, [tree]))
    if not matches:
        problem = reader.report[0] if reader.report else Problem("no game of backgammon found", None, 1, 1)
        raise InvalidFileError(
            problem.message, path=document.name or None, line=problem.line or 1, column=problem.column or 1
        )
    # What is wrong with the trees as such is said with the first match.
    result = []
    for raw in matches:
        match = _replay(raw, reader)
        result.append(replace(match, problems=tuple(reader.report)))
        reader.report.clear()
    return result


def _trees(text: str, reader: _Reader) -> Iterator[list[_Node]]:
    """The nodes of every tree, of variations only the first."""
    nodes: list[_Node] = []
    children: list[int] = []  # of every open tree
    skipped: int | None = None  # depth of the variation that is left out
    properties: dict[str, list[str]] | None = None
    values: list[str] | None = None
    strange = False
    for token in _TOKEN.finditer(text):
        sign = token[0][0]
        if sign == "(":
            if children:
                if children[-1] and skipped is None:
                    reader.at("only the first of several variations is read", token.start())
                    skipped = len(children)
                children[-1] += 1
            children.append(0)
            properties = values = None
        elif sign == ")":
            if children:
                children.pop()
                if skipped == len(children):
                    skipped = None
                if not children and nodes:
                    yield nodes
                    nodes = []
            properties = values = None
        elif not children or skipped is not None:
            continue
        elif sign == ";":
            properties, values = {}, None
            nodes.append(_Node(token.start(), properties))
        elif sign == "[":
            if values is not None:
                values.append(token[1])
            if not token[0].endswith("]"):
                reader.at("the text that begins here does not end", token.start())
        elif token[2] is not None:
            # Old files write GaMe for GM.
            key = "".join(letter for letter in token[2] if letter.isupper()) or token[2]
            values = properties.setdefault(key, []) if properties is not None else None
        elif not strange:
            strange = True
            reader.at(f"cannot read {token[0]!r}", token.start())
    if nodes:
        reader.at("the last game tree is not closed", len(text))
        yield nodes


def _match_info(root: _Node) -> dict[str, int]:
    """The numbers of `MI[length:7][game:0][ws:0][bs:0]`."""
    numbers = {}
    for value in root.properties.get("MI", ()):
        key, _, text = value.partition(":")
        text = text.strip()
        if text.isascii() and text.isdigit() and len(text) < 7:
            numbers[key.strip()] = int(text)
    return numbers


def _continues(match: _RawMatch, root: _Node, info: dict[str, int]) -> bool:
    """Whether a game belongs to the match before it."""
    last = _match_info(match.games[-1][0])
    return (
        info.get("length", 0) == match.length
        and info.get("game", 0) > last.get("game", -1)
        and all(root.first(key) == match.first.first(key) for key in ("PW", "PB"))
    )


def _replay(raw: _RawMatch, reader: _Reader) -> Match:
    """The match, played by the rules."""
    root = raw.first
    rules = _rules(raw, reader)
    names = _simple(root.first("PW")), _simple(root.first("PB"))
    program = _simple(root.first("AP")).replace(":", " ")
    source = _simple(root.first("SO")) or program or "SGF"
    replay = MatchReplay(rules, names, reader.report)
    for number, nodes in enumerate(raw.games):
        info, named = _match_info(nodes[0]), _named_rules(nodes[0])
        line, column = reader.place(nodes[0].offset)
        written = info.get("ws", replay.score[0]), info.get("bs", replay.score[1])
        start = replay.start(number + 1, written, line, column)
        if rules.over(start):
            reader.report(f"the score {start[0]}-{start[1]} does not fit a match to {rules.length}", line, column)
            start = (0, 0)
        crawford = "crawfordgame" in named if named & {"crawford", "crawfordgame"} else None
        cube = _cube(nodes[0].first("CV")) or 1  # after automatic doubles
        recorder = replay.begin(info.get("game", number) + 1, start, crawford=crawford, cube=cube)
        feeder = _Feeder(recorder, rules, source, reader)
        for node in nodes[1:]:
            feeder.feed(node)
        replay.add(recorder, feeder.finish(nodes[0], reader.place(nodes[-1].offset)))
    return replay.match(
        (_player(names[0], root.first("WR")), _player(names[1], root.first("BR"))),
        info={key: text for key, code in _INFO.items() if (text := _text(root.first(code) or ""))},
        source=reader.source,
        format=NAME,
        extras=(("sgf:AP", program),) if program else (),
    )


def _rules(raw: _RawMatch, reader: _Reader) -> Rules:
    rules = _named_rules(raw.first)
    known = {rule.lower(): variant for variant, rule in _RULES.items()}
    usual = {"crawford", "crawfordgame", "jacoby", "nocube", *known}
    if unknown := sorted(rules - usual):
        reader.at(f"the rules {', '.join(unknown)[:60]!r} are not known", raw.first.offset)
    return Rules(
        length=raw.length,
        variant=next((known[rule] for rule in sorted(rules) if rule in known), "standard"),
        crawford_rule=not raw.length or bool(rules & {"crawford", "crawfordgame"}),
        jacoby="jacoby" in rules,
        cube_limit=1 if "nocube" in rules else _USUAL_CUBE_LIMIT,
    )


def _named_rules(root: _Node) -> set[str]:
    return {rule for part in (root.first("RU") or "").split(":") if (rule := part.strip().lower())}


def _cube(text: str | None) -> int | None:
    text = (text or "").strip()
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        return None
    cube = int(text)
    return cube if 0 < cube <= LARGEST_CUBE and cube & (cube - 1) == 0 else None


def _player(name: str, rating: str | None) -> Player:
    found = _RATING.fullmatch(_text(rating or ""))
    if found is None:
        return Player(name)
    return Player(
        name,
        None if found[1] is None else float(found[1].replace(",", ".")),
        None if found[2] is None else int(found[2]),
    )


def _text(value: str) -> str:
    """A text without its escapes."""
    if "\r" in value:
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    return _ESCAPE.sub(lambda found: "" if found[1] == "\n" else found[1], value) if "\\" in value else value


def _simple(value: str | None) -> str:
    """A text of one line."""
    return " ".join(_text(value or "").split())


def _raw_text(values: Sequence[str]) -> str:
    return "".join(f"[{value}]" for value in values)


class _Feeder:
    """Hands the nodes of one game to the recorder, and what they say beyond the action."""

    def __init__(self, recorder: GameRecorder, rules: Rules, source: str, reader: _Reader) -> None:
        self._recorder, self._rules, self._source, self._reader = recorder, rules, source, reader
        self._chequers = get_variant(rules.variant).chequers
        self._roll: tuple[int, tuple[int, int], _Node] | None = None  # a roll whose play may still come
        self._remark = ""  # of nodes without an action
        self._of_set: tuple[str, Extras] = ("", ())  # said of a position that is not yet recorded

    def feed(self, node: _Node) -> None:
        properties = node.properties
        line, column = self._reader.place(node.offset)
        side = "W" if "W" in properties else "B" if "B" in properties else None
        if side is not None:
            self._act(node, _SIDES[side], properties[side], line, column)
        elif "AE" in properties or "AW" in properties or "AB" in properties:
            self._set_board(node, line, column)
        elif "CV" in properties:
            cube = _cube(node.first("CV"))
            if cube is None:
                self._reader.report(f"the cube cannot be {(node.first('CV') or '')[:20]!r}", line, column)
            else:
                self._recorder.set_cube(cube, self._recorder.cube[1], line, column)
        elif "CP" in properties or "CO" in properties:
            owner = (node.first("CP") or node.first("CO") or "").strip()[:1].lower()
            if owner not in _OWNERS:
                self._reader.report(f"the cube cannot be with {owner!r}", line, column)
            else:
                self._recorder.set_cube(self._recorder.cube[0], _OWNERS[owner], line, column)
        elif "DI" in properties:
            dice = _DICE.get((node.first("DI") or "").strip())
            player = _SIDES.get((node.first("PL") or "").strip()[:1].upper(), self._recorder.turn)
            if dice is None or player is None:
                self._reader.report(f"cannot read the roll {(node.first('DI') or '')[:20]!r}", line, column)
            else:
                self._roll = player, dice, node
            return
        if properties.keys() & {"AE", "AW", "AB", "CV", "CP", "CO"} and side is None:
            comment, extras = self._of_set
            comment = "\n".join(filter(None, (comment, _text(node.first("C") or ""))))
            self._of_set = comment, extras + _unknown(properties)
        elif "C" in properties and side is None:
            self._remark = "\n".join(filter(None, (self._remark, _text(node.first("C") or ""))))

    def finish(self, root: _Node, end: tuple[int, int]) -> Game:
        """The game, its result and what the root says of it."""
        recorder = self._recorder
        if self._roll is not None:
            player, dice, node = self._roll
            line, column = self._reader.place(node.offset)
            before = recorder.recorded
            recorder.hidden(player, dice, line, column)
            remark, self._remark = self._remark, ""  # it stands behind the roll
            self._annotate(before, node, player, dice, of_cube=False)
            self._remark = remark
        result = _RESULT.match(root.first("RE") or "")
        if result is not None:
            recorder.wins(_SIDES[result[1].upper()], int(result[2]), *self._reader.place(root.offset))
        elif root.first("RE"):
            self._reader.at(f"cannot read the result {root.first('RE')!r:.30}", root.offset)
        before = recorder.recorded
        game = recorder.finish(None, end[0]) if result is not None else self._unfinished(end[0])
        actions = list(game.actions)
        if self._of_set != ("", ()) and len(actions) > before and actions[before].kind is ActionKind.SET:
            actions[before] = replace(actions[before], comment=self._of_set[0], extras=self._of_set[1])
        if self._remark and actions:
            # A resignation has no node of its own.
            last = actions[-1] if len(actions) > before else actions[max(before, 1) - 1]
            place = actions.index(last)
            actions[place] = replace(last, comment="\n".join(filter(None, (last.comment, self._remark))))
        extras = tuple((f"sgf:{key}", _raw_text(values)) for key, values in root.properties.items() if key not in _ROOT)
        comment = _text(root.first("C") or "")
        return replace(game, actions=_one_position(actions, game), comment=comment, extras=extras)

    def _unfinished(self, line: int) -> Game:
        """The game as it breaks off, which here is no fault."""
        problems = self._reader.report
        known = len(problems)
        game = self._recorder.finish(None, line)
        problems[known:] = [problem for problem in problems[known:] if not problem.message.endswith("breaks off here")]
        return game

    def _act(self, node: _Node, player: int, values: Sequence[str], line: int, column: int) -> None:
        recorder = self._recorder
        text = (values[0] if values else "").strip()
        word = text.lower()
        before = recorder.recorded
        dice = None
        if word in ("double", "redouble", "beaver", "raccoon"):
            recorder.double(player, None, line, column)
        elif word == "take":
            recorder.take(player, line, column)
        elif word == "drop":
            recorder.drop(player, line, column)
        else:
            dice = _DICE.get(text[:2])
            steps = _steps(text[2:], player)
            if dice is None or steps is None:
                recorder.lose_track(f"cannot read the play {text[:20]!r}", line, column)
            elif steps:
                recorder.move(player, dice, _written(steps), line, column)
            else:
                recorder.no_move(player, dice, line, column)
        self._roll = None
        self._annotate(before, node, player, dice, of_cube=dice is None)

    def _set_board(self, node: _Node, line: int, column: int) -> None:
        """A position set by hand; without a clean board, chequers are added to what is there."""
        recorder = self._recorder
        self._roll = None
        seen = recorder.position if recorder.turn in (0, None) else recorder.position.swapped()
        sides = [list(seen.player), list(seen.opponent)]
        empty = node.properties.get("AE", ())
        for values, player in ((empty, None), (node.properties.get("AW", ()), 0), (node.properties.get("AB", ()), 1)):
            for value in values:
                points = _points(value.strip())
                if points is None:
                    self._reader.report(f"{value[:20]!r} is no point of the board", line, column)
                    continue
                for point in points:
                    if player is not None and point <= BAR + 1:
                        sides[player][(point if player == 0 or point == BAR + 1 else 25 - point) - 1] += 1
                    elif player is None:
                        for side in (0, 1):
                            if point <= BAR + 1:
                                sides[side][(point if side == 0 or point == BAR + 1 else 25 - point) - 1] = 0
        turn = _SIDES.get((node.first("PL") or "").strip()[:1].upper(), recorder.turn)
        position = Position(tuple(sides[1]), tuple(sides[0]), self._chequers)
        recorder.set_board(position, *recorder.cube, line, column, turn)

    # Analyses

    def _annotate(self, before: int, node: _Node, player: int, dice: tuple[int, int] | None, *, of_cube: bool) -> None:
        recorder = self._recorder
        if recorder.recorded == before:
            return
        if recorder.recorded > before + 1 and self._of_set != ("", ()):
            # The position set by hand is recorded with the first action after it.
            recorder.annotate(before, comment=self._of_set[0], extras=self._of_set[1])
            self._of_set = ("", ())
        properties = node.properties
        extras: Extras = ()
        comment = self._remark
        self._remark = ""
        if len(properties) > 1:
            extras = _unknown(properties)
            if "C" in properties:
                comment = "\n".join(filter(None, (comment, _text(node.first("C") or ""))))
        analysis = self._analysis(node, player, dice, of_cube)
        if analysis is not None or extras or comment:
            recorder.annotate(comment=comment, extras=extras, analyses=() if analysis is None else (analysis,))

    def _analysis(
        self, node: _Node, player: int, dice: tuple[int, int] | None, of_cube: bool
    ) -> ForeignAnalysis | None:
        properties = node.properties
        cube = None
        if (text := node.first("DA")) is not None:
            try:
                cube = _read_cube(text, self._rules.length > 0)
            except (ValueError, LookupError):
                self._reader.at("cannot read this cube analysis (DA)", node.offset)
        plays: list[ForeignPlay] = []
        played = None
        if "A" in properties and dice is not None:
            plays, played = self._plays(node, player, dice)
        luck = _float(node.first("LU"))
        mark = 0 if "DO" in properties else _mark(node.first("BM"), "BM" in properties)
        mark = 1 if "DO" in properties else mark
        other = 1 if "DC" in properties else _mark(node.first("BC"), "BC" in properties)
        own, opposite = ("GW", "GB") if player == 0 else ("GB", "GW")
        good, bad = _size(node.first(own), own in properties), _size(node.first(opposite), opposite in properties)
        luck_mark = good if good is not None else None if bad is None else -bad
        if cube is None and not plays and luck is None and mark is None and other is None and luck_mark is None:
            return None
        return ForeignAnalysis(
            self._source,
            cube,
            tuple(plays),
            played,
            luck,
            play_mark=None if of_cube else mark,
            cube_mark=mark if of_cube else other,
            luck_mark=luck_mark,
        )

    def _plays(self, node: _Node, player: int, dice: tuple[int, int]) -> tuple[list[ForeignPlay], int | None]:
        """The candidates of a play, and which was made."""
        values = node.properties["A"]
        position = self._recorder.last.position
        plays: list[ForeignPlay] = []
        numbers: dict[int, int] = {}  # number in the file: place here
        damaged = 0
        for number, value in enumerate(values[1 : _MOST_CANDIDATES + 1]):
            letters, _, rest = value.strip().partition(" ")
            try:
                steps = _steps(letters, player)
                if steps is None:
                    raise ValueError
                candidate = _read_play(_play(steps, position, dice), rest, self._rules.length > 0)
            except (ValueError, LookupError, IllegalPlayError):
                damaged += 1
                continue
            numbers[number] = len(plays)
            plays.append(candidate)
        if damaged:
            self._reader.at(f"{damaged} of {len(values) - 1} candidate plays cannot be read", node.offset)
        first = values[0].strip() if values else ""
        index = int(first) if first.isascii() and first.isdigit() and len(first) < 5 else -1
        return plays, numbers.get(index)


def _unknown(properties: dict[str, list[str]]) -> Extras:
    """What a node says that has no place in the model."""
    return tuple((f"sgf:{key}", _raw_text(values)) for key, values in properties.items() if key not in _NODE)


def _one_position(actions: list[Action], game: Game) -> tuple[Action, ...]:
    """The actions; where they are only a position with a roll or an offered double, one action."""
    if game.winner is None and len(actions) == 2 and actions[0].kind is ActionKind.SET:
        first, second = actions
        if second.kind is ActionKind.ROLL and second.position == first.position:
            return (replace(second, kind=ActionKind.SET, dice=None, line=first.line),)
        if second.kind is ActionKind.DOUBLE and second.position == first.position:
            state = second.state.offered()
            return (replace(second, kind=ActionKind.SET, player=state.decider, value=0, state=state, line=first.line),)
    return tuple(actions)


def _steps(letters: str, player: int) -> list[tuple[int, int]] | None:
    """Starts and ends of a play written as letters, numbered by the mover; None when it cannot be read."""
    letters = "".join(letters.split())
    if len(letters) % 2 or not all("a" <= letter <= "z" for letter in letters):
        return None
    points = [_point(letter, player) for letter in letters]
    return list(zip(points[::2], points[1::2], strict=True))


def _point(letter: str, player: int) -> int:
    number = ord(letter) - 96
    return number if player == 0 and number < 25 else 25 if number == 25 else 0 if number == 26 else 25 - number


def _written(steps: Sequence[tuple[int, int]]) -> str:
    return " ".join(f"{start}/{end}" for start, end in steps)


def _play(steps: Sequence[tuple[int, int]], position: Position, dice: tuple[int, int]) -> Play:
    """The play of these steps, legal or not. Raises IllegalPlayError when no chequer can go like this."""
    try:
        play = find_play(_written(steps), position, dice) if steps else None
    except InvalidPlayError as error:
        raise IllegalPlayError(str(error)) from None
    if play is None:
        play = Play(tuple(Step(*step) for step in steps), position, apply_steps(position, steps))
    return play


def _points(value: str) -> range | None:
    """The points of "c" or "a:y", 26 being off."""
    if re.fullmatch("[a-z]", value):
        return range(ord(value) - 96, ord(value) - 95)
    if re.fullmatch("[a-z]:[a-z]", value):
        return range(ord(value[0]) - 96, ord(value[2]) - 95)
    return None


def _float(text: str | None) -> float | None:
    """A finite number, None for anything else."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if abs(value) < 1e9 else None


def _number(text: str) -> float:
    value = _float(text)
    if value is None:
        raise ValueError
    return value


def _size(text: str | None, there: bool) -> int | None:
    """1 or 2, as in GB[2]; an empty value is 1."""
    return None if not there else 2 if (text or "").strip() == "2" else 1


def _mark(text: str | None, there: bool) -> int | None:
    """Mark of BM[1] (bad) or BM[2] (very bad)."""
    size = _size(text, there)
    return None if size is None else size + 1


def _evaluation(tokens: Sequence[str], version: int) -> Method:
    """The method of "2C 1 0.000000 1": plies, cubeful, deterministic, noise, pruning."""
    found = _PLY.fullmatch(tokens[0])
    if found is None:
        raise ValueError
    rest = list(tokens[1:])
    return Method(
        f"{int(found[1])}-ply",
        plies=int(found[1]),
        cubeful=bool(found[2]),
        deterministic=rest[0] != "0" if rest else True,
        noise=_number(rest[1]) if len(rest) > 1 else 0.0,
        prune=len(rest) > 2 and version > 1 and rest[2] != "0",
    )


def _head(text: str) -> tuple[str, int, list[str]]:
    """Kind ("E" or "X"), version and the other words of an analysis."""
    words = text.split()
    kind = words[0]
    if words[1] == "ver":
        return kind, int(words[2]), words[3:]
    return kind, 0, words[1:]


def _read_play(play: Play, text: str, in_match: bool) -> ForeignPlay:
    """A candidate. Raises ValueError or LookupError for what cannot be read."""
    kind, version, words = _head(text)
    if kind == "E":
        numbers = [_number(word) for word in words[:6]]
        method = _evaluation([words[6], *words[8:]], version)
        return ForeignPlay(play, Value(_five(numbers), equity=numbers[5]), method)
    if kind != "X":
        raise ValueError
    parts = _keyed(text, words)
    score = [_number(word) for word in parts["Score"]]
    value = _rolled(parts["Output"], parts["StdDev"], in_match)
    value = replace(value, equity=score[0])
    extras = (("sgf:Score", parts["Score"][1]),) if len(score) > 1 else ()
    return ForeignPlay(play, value, _rollout(parts), extras)


def _read_cube(text: str, in_match: bool) -> ForeignCube:
    """A cube analysis. Raises ValueError or LookupError for what cannot be read."""
    kind, version, words = _head(text)
    if kind == "E":
        numbers = [_number(word) for word in words[-14:]]
        first = next((place for place, word in enumerate(words[:-14]) if _PLY.fullmatch(word)), None)
        if first is None or len(numbers) < 14:
            raise ValueError
        method = _evaluation([words[first], *words[first + 1 + (version < 3) : -14]], version)
        rows = [_row(numbers[:7], in_match), _row(numbers[7:], in_match)]
    elif kind == "X":
        parts = _keyed(text, words)
        method = _rollout(parts)
        rows = [
            _rolled(parts[f"{name} Output"], parts[f"{name} StdDev"], in_match) for name in ("NoDouble", "DoubleTake")
        ]
    else:
        raise ValueError
    return ForeignCube(rows[0], rows[1], method)


def _five(numbers: Sequence[float]) -> tuple[float, float, float, float, float]:
    return numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]


def _row(numbers: Sequence[float], in_match: bool, errors: Sequence[float] = ()) -> Value:
    return Value(
        _five(numbers),
        numbers[5],
        None if in_match else numbers[6],
        numbers[6] if in_match else None,
        tuple(errors),
    )


def _rolled(output: Sequence[str], deviation: Sequence[str], in_match: bool) -> Value:
    return _row([_number(word) for word in output[:7]], in_match, [_number(word) for word in deviation[:7]])


_KEYS = {"Eq", "Score", "Trials", "NoDouble", "DoubleTake", "Output", "StdDev", "SK"}


def _keyed(text: str, words: Sequence[str]) -> dict[str, list[str]]:
    """The words of a rollout by the keyword before them; those behind NoDouble and DoubleTake by both keywords."""
    parts: dict[str, list[str]] = {}
    row = ""
    values: list[str] = []
    for word in words:
        if word == "SK":
            break
        if word in ("NoDouble", "DoubleTake"):
            row = f"{word} "
        elif word in _KEYS:
            values = parts.setdefault(f"{row}{word}", [])
        else:
            values.append(word)
    place = text.find(" SK ")
    parts["settings"] = [_text(text[place + 1 :].strip())] if place >= 0 else []
    return parts


def _rollout(parts: dict[str, list[str]]) -> Method:
    settings = parts["settings"][0] if parts["settings"] else ""
    cubeful = re.search(r"\bRC (\d)", settings)
    trials = int(parts["Trials"][0])
    if not 0 <= trials < 1 << 31:
        raise ValueError
    return Method("Rollout", cubeful=cubeful is None or cubeful[1] != "0", trials=trials, settings=settings)


# Writing


def write(matches: Sequence[Match]) -> str:
    """The text of matches, a tree for each game."""
    return "\n".join(
        _game_tree(match, game, index) for match in matches for index, game in enumerate(match.games)
    ) + "\n"  # fmt: skip


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


def _line(text: str) -> str:
    return _escaped(" ".join(text.split()))


def _game_tree(match: Match, game: Game, index: int) -> str:
    sources = [analysis.source for each in match.games for a in each.actions for analysis in a.analyses]
    parts = [f"(;FF[4]GM[6]CA[UTF-8]AP[Sixprime:{__version__}]"]
    parts.append(f"MI[length:{match.length}][game:{game.number - 1}][ws:{game.score[0]}][bs:{game.score[1]}]")
    parts.append(f"PW[{_line(match.players[0].name)}]PB[{_line(match.players[1].name)}]")
    if sources:
        parts.append(f"SO[{_line(sources[0])}]")
    if index == 0:
        for key, player in zip(("WR", "BR"), match.players, strict=True):
            if player.rating is not None or player.experience is not None:
                rating = "" if player.rating is None else f"{player.rating!r}"
                exp = "" if player.experience is None else f"(Exp {player.experience})"
                parts.append(f"{key}[{' '.join(filter(None, (rating, exp)))}]")
        for key, code in _INFO.items():
            if match.info.get(key):
                parts.append(f"{code}[{_escaped(match.info[key])}]")
    if rules := _rules_of(match, game):
        parts.append(f"RU[{':'.join(rules)}]")
    if game.cube > 1:
        parts.append(f"CV[{game.cube}]")
    if game.winner is not None:
        # Of a resignation other programs take the level to be points by cube, which must not be cut off.
        level, cube = (worth(game) if game.resigned else None) or (0, 0)
        parts.append(f"RE[{_LETTERS[game.winner]}+{max(game.points, level * cube)}{'R' if game.resigned else ''}]")
    if game.comment:
        parts.append(f"C[{_escaped(game.comment)}]")
    parts += _extras(game.extras)
    lines = ["".join(parts)]
    for action in game.actions:
        lines += _nodes(action, match)
    return "\n".join(lines) + ")"


def _rules_of(match: Match, game: Game) -> list[str]:
    rules = []
    if match.cube_limit == 1:
        rules.append("NoCube")
    if match.length and match.crawford_rule:
        rules.append("Crawford")
    if game.crawford:
        rules.append("CrawfordGame")
    if not match.length and match.jacoby:
        rules.append("Jacoby")
    if match.variant in _RULES:
        rules.append(_RULES[match.variant])
    return rules


def _extras(extras: Extras) -> list[str]:
    return [key[4:] + text for key, text in extras if key.startswith("sgf:") and text.startswith("[")]


def _nodes(action: Action, match: Match) -> list[str]:
    letter = _LETTERS[action.player]
    kind = action.kind
    if kind is ActionKind.SET:
        return _set_nodes(action)
    if kind is ActionKind.RESIGN:
        head = ";" if action.comment else ""
    elif kind in (ActionKind.DOUBLE, ActionKind.BEAVER):
        head = f";{letter}[double]"
    elif kind is ActionKind.TAKE:
        head = f";{letter}[take]"
    elif kind is ActionKind.DROP:
        head = f";{letter}[drop]"
    else:
        assert action.dice is not None
        dice = f"{action.dice[0]}{action.dice[1]}"
        play = action.play
        if kind is ActionKind.ROLL or play is None or _unwritable(action):
            head = f";PL[{letter}]DI[{dice}]"
        else:
            head = f";{letter}[{dice}{_letters(play, action.player)}]"
    if not head:
        return []
    comment = f"C[{_escaped(action.comment)}]" if action.comment else ""
    return [head + comment + _analysis_text(action, match.length > 0) + "".join(_extras(action.extras))]


def _unwritable(action: Action) -> bool:
    """Whether only the result of an illegal play is known."""
    play = action.play
    return action.illegal and play is not None and not play.steps and play.result != action.position.swapped()


def _letters(play: Play, player: int) -> str:
    return "".join(_letter(step.start, player) + _letter(step.end, player) for step in play.steps)


def _letter(point: int, player: int) -> str:
    return "z" if point == 0 else "y" if point == 25 else chr(96 + (point if player == 0 else 25 - point))


def _set_nodes(action: Action) -> list[str]:
    state = action.state
    position = action.position if state.on_roll == 0 else action.position.swapped()
    if max(*position.player, *position.opponent) > _MOST_CHEQUERS:
        raise InvalidFileError(f"SGF is written with at most {_MOST_CHEQUERS} chequers on a point")
    sides = []
    for player, counts in ((0, position.player), (1, position.opponent)):
        points = [
            f"[{_letter(point, player)}]" for point in range(25, 0, -1) for _ in range(counts[point - 1])
        ]  # fmt: skip
        sides.append(f"A{_LETTERS[player]}{''.join(points)}" if points else "")
    comment = f"C[{_escaped(action.comment)}]" if action.comment else ""
    extra = "".join(_extras(action.extras))
    nodes = [f";PL[{_LETTERS[state.on_roll]}]AE[a:y]{sides[0]}{sides[1]}{comment}{extra}", f";CV[{state.cube}]"]
    owner = next(sign for sign, player in _OWNERS.items() if player == state.cube_owner)
    nodes.append(f";CP[{owner}]")
    if state.doubled:
        nodes.append(f";{_LETTERS[state.on_roll]}[double]" + _analysis_text(action, state.length > 0))
    elif state.dice is not None:
        nodes.append(
            f";PL[{_LETTERS[state.on_roll]}]DI[{state.dice[0]}{state.dice[1]}]"
            + _analysis_text(action, state.length > 0)
        )
    return nodes


def _analysis_text(action: Action, in_match: bool) -> str:
    if not action.analyses:
        return ""
    analysis = action.analyses[0]
    parts = []
    of_cube = action.dice is None
    if analysis.cube is not None:
        parts.append(_cube_text(analysis.cube, in_match))
    plays = [
        (number, text)
        for number, play in enumerate(analysis.plays)
        if play.play.steps and (text := _play_text(play, action.player, in_match))
    ]
    if plays:
        played = next((place for place, (number, _) in enumerate(plays) if number == analysis.played), -1)
        parts.append(f"A[{played}]" + "".join(f"[{text}]" for _, text in plays))
    if analysis.luck is not None:
        parts.append(f"LU[{analysis.luck:.5f}]")
    if analysis.luck_mark:
        lucky = (analysis.luck_mark > 0) == (action.player == 0)
        parts.append(f"G{'W' if lucky else 'B'}[{abs(analysis.luck_mark)}]")
    marks = (("BM", "DO", analysis.cube_mark),) if of_cube else (
        ("BM", "DO", analysis.play_mark), ("BC", "DC", analysis.cube_mark),
    )  # fmt: skip
    for bad, doubtful, mark in marks:
        if mark:
            parts.append(f"{doubtful}[]" if mark == 1 else f"{bad}[{mark - 1}]")
    return "".join(parts)


def _numbers(values: Sequence[float]) -> str:
    return " ".join(f"{value:.6f}" for value in values)


def _exact(values: Sequence[float]) -> str:
    """Numbers of a rollout."""
    return " ".join(f"{value:.10g}" for value in values)


def _method_text(method: Method) -> str:
    """Plies; GNU Backgammon knows no other way of evaluating, so that of another program becomes 0-ply."""
    return f"{method.plies or 0}{'C' if method.cubeful else ''}"


def _tail(method: Method) -> str:
    return f"{int(method.deterministic)} {method.noise:.6f} {int(method.prune)}"


def _play_text(play: ForeignPlay, player: int, in_match: bool) -> str:
    """A candidate; empty when too little is known of it."""
    value, method = play.value, play.method
    if value.probabilities is None or value.equity is None:
        return ""
    letters = _letters(play.play, player)
    if method.trials:
        values = _seven(value, in_match)
        if values is None:
            return ""
        second = next((text for key, text in play.extras if key == "sgf:Score"), f"{values[5]:.10g}")
        return (
            f"{letters} X ver 3 Score {value.equity:.10g} {second} Trials {method.trials} "
            f"Output {_exact(values)} StdDev {_exact(_seven_errors(value))} {_settings(method)}"
        )
    return (
        f"{letters} E ver 3 {_numbers(value.probabilities)} {value.equity:.6f} {_method_text(method)} 0 {_tail(method)}"
    )


def _seven(value: Value, in_match: bool) -> tuple[float, ...] | None:
    """The seven numbers of a row, None when one is not known."""
    last = value.mwc if in_match else value.equity
    if value.probabilities is None or last is None:
        return None
    w, wg, wb, lg, lb = value.probabilities
    cubeless = 2 * w - 1 + wg - lg + wb - lb if value.cubeless is None else value.cubeless
    return (*value.probabilities, cubeless, last)


def _seven_errors(value: Value) -> tuple[float, ...]:
    return (*value.errors, *[0.0] * 7)[:7]


def _settings(method: Method) -> str:
    """What gnubg says of the rollout behind its numbers; of another program's nothing is known in its terms."""
    return _escaped(method.settings) if method.settings.startswith("SK") else "SK 0"


def _cube_text(cube: ForeignCube, in_match: bool) -> str:
    """A cube analysis; empty when too little is known of it."""
    first, second = _seven(cube.no_double, in_match), _seven(cube.double_take, in_match)
    method = cube.method
    if first is None or second is None:
        return ""
    if method.trials:
        rows = [
            f"{name} Output {_exact(values)} StdDev {_exact(_seven_errors(value))}"
            for name, values, value in (
                ("NoDouble", first, cube.no_double),
                ("DoubleTake", second, cube.double_take),
            )
        ]
        return f"DA[X ver 3 Eq Trials {method.trials} {rows[0]} {rows[1]} {_settings(method)}]"
    return f"DA[E ver 3 {_method_text(method)} {_tail(method)} {_numbers(first)} {_numbers(second)}]"


def _losses(match: Match) -> list[str]:
    """What is lost beyond the features."""
    lost = ["time of the match"] if match.info.get("time") else []
    if match.cube_limit not in (1, _USUAL_CUBE_LIMIT):
        lost.append(Feature.CUBE_LIMIT.value)
    if any(game.resigned and (ended := worth(game)) and game.points < ended[0] * ended[1] for game in match.games):
        lost.append(Feature.CAPPED.value)
    actions = [action for game in match.games for action in game.actions]
    if any(len(action.analyses) > 1 for action in actions):
        lost.append("analyses of all but one program")
    if any(
        (a.cube is not None and not _cube_text(a.cube, match.length > 0))
        or any(play.play.steps and not _play_text(play, action.player, match.length > 0) for play in a.plays)
        for action in actions
        for a in action.analyses[:1]
    ):
        lost.append("analyses without probabilities or match-winning chances")
    methods = {
        method
        for action in actions
        for a in action.analyses[:1]
        for method in (*(play.method for play in a.plays), *((a.cube.method,) if a.cube is not None else ()))
    }
    if any(method.plies is None and not method.trials for method in methods):
        lost.append("names of methods other than plies and rollouts")
    return lost


FORMAT = Format(
    NAME,
    "GNU Backgammon SGF",
    (".sgf",),
    detect,
    read,
    write,
    keeps=frozenset(Feature) - {Feature.UNKNOWN, Feature.RESULT_ONLY, Feature.TAGS, Feature.TIME, Feature.BEAVER_RULE},
    more_losses=_losses,
)
