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
from dataclasses import dataclass, field, replace

from sixprime.formats._format import Feature, Format
from sixprime.formats._problems import Problems, failure
from sixprime.formats._recorder import GameRecorder
from sixprime.formats._replay import MatchReplay
from sixprime.formats._script import DICE
from sixprime.formats._sgf_analysis import Analyst, written
from sixprime.formats._sgf_tree import (
    INFO,
    NODE,
    OWNERS,
    ROOT,
    SIDES,
    VARIATIONS,
    Node,
    Place,
    Source,
    extras_of,
    line_of,
    points_of,
    steps_of,
    text_of,
    trees,
)
from sixprime.formats._sgf_write import losses, write
from sixprime.formats._text import Document
from sixprime.game.match_rules import LONGEST_MATCH, Rules, is_cube
from sixprime.game.position import BAR, Position
from sixprime.game.record import Action, ActionKind, Extras, Game, Match, Player

NAME = "sgf"

_GAMMON = re.compile(r"GM\s*\[\s*6\s*\]")
_RESULT = re.compile(r"\s*([WB])\s*\+\s*(\d{1,6})\s*(R?)", re.IGNORECASE)
_BOARD = {"AE", "AW", "AB"}
_BY_HAND = {*_BOARD, "CV", "CP", "CO"}


@dataclass(slots=True)
class _RawMatch:
    """The games of one match. first: the root of its first game."""

    first: Node
    length: int
    games: list[list[Node]] = field(default_factory=list)


def detect(document: Document) -> bool:
    """Whether a file is a backgammon game tree."""
    head = document.head
    return head.startswith("(") and _GAMMON.search(head) is not None and head[1:].lstrip().startswith(";")


def read(document: Document) -> list[Match]:
    """Every match of a file. What is wrong in it goes into `Match.problems`.

    Raises InvalidFileError when there is no game of backgammon at all.
    """
    source = Source(document.name, Place(document.text), Problems(document.name))
    matches: list[_RawMatch] = []
    for tree in trees(document.text, source):
        root = tree[0]
        game = root.first("GM")
        if game is not None and game.strip() != "6":
            source.at(f"a tree of game {game.strip()[:10]!r}, which is not backgammon, is left out", root.offset)
            continue
        info = _match_info(root)
        if matches and _continues(matches[-1], root, info):
            matches[-1].games.append(tree)
        else:
            length = info.get("length", 0)
            if length > LONGEST_MATCH:
                source.at(f"a match to {length} points; read as a money session", root.offset)
                length = 0
            matches.append(_RawMatch(root, length, [tree]))
    if not matches:
        raise failure(source.report[0] if source.report else source.report.at("no game of backgammon found", 1))
    # What is wrong with the trees as such is said with the first match.
    result = []
    for raw in matches:
        match = _replay(raw, source)
        result.append(replace(match, problems=tuple(source.report)))
        source.report.clear()
    return result


def _match_info(root: Node) -> dict[str, int]:
    """The numbers of `MI[length:7][game:0][ws:0][bs:0]`."""
    numbers = {}
    for value in root.properties.get("MI", ()):
        key, _, text = value.partition(":")
        text = text.strip()
        if text.isascii() and text.isdigit() and len(text) < 7:
            numbers[key.strip()] = int(text)
    return numbers


def _continues(match: _RawMatch, root: Node, info: dict[str, int]) -> bool:
    """Whether a game belongs to the match before it."""
    last = _match_info(match.games[-1][0])
    return (
        info.get("length", 0) == match.length
        and info.get("game", 0) > last.get("game", -1)
        and all(root.first(key) == match.first.first(key) for key in ("PW", "PB"))
    )


def _replay(raw: _RawMatch, source: Source) -> Match:
    """The match, played by the rules."""
    root = raw.first
    rules = _rules(raw, source)
    names = line_of(root.first("PW")), line_of(root.first("PB"))
    program = line_of(root.first("AP")).replace(":", " ")
    analyst = Analyst(line_of(root.first("SO")) or program or "SGF", rules.length > 0, source)
    replay = MatchReplay(rules, names, source.report)
    for number, (head, *nodes) in enumerate(raw.games):
        info, named = _match_info(head), _named_rules(head)
        line, column = source.place(head.offset)
        written = info.get("ws", replay.score[0]), info.get("bs", replay.score[1])
        start = replay.start(number + 1, written, line, column)
        if rules.over(start):
            source.report(f"the score {start[0]}-{start[1]} does not fit a match to {rules.length}", line, column)
            start = (0, 0)
        crawford = "crawfordgame" in named if named & {"crawford", "crawfordgame"} else None
        cube = _cube(head.first("CV")) or 1  # after automatic doubles
        recorder = replay.begin(info.get("game", number) + 1, start, crawford=crawford, cube=cube)
        feeder = _Feeder(recorder, analyst)
        for node in nodes:
            feeder.feed(node)
        replay.add(recorder, feeder.finish(head, raw.games[number][-1]))
    return replay.match(
        (_player(names[0], root, "WR", source), _player(names[1], root, "BR", source)),
        info={key: text for key, code in INFO.items() if (text := root.text(code))},
        source=source.name,
        format=NAME,
        extras=(("sgf:AP", program),) if program else (),
    )


def _rules(raw: _RawMatch, source: Source) -> Rules:
    """The rules that the root of the first game names."""
    named = _named_rules(raw.first)
    variants = {rule.lower(): variant for variant, rule in VARIATIONS.items()}
    if unknown := sorted(named - {"crawford", "crawfordgame", "jacoby", "nocube", *variants}):
        source.at(f"the rules {', '.join(unknown)[:60]!r} are not known", raw.first.offset)
    return Rules(
        length=raw.length,
        variant=next((variants[rule] for rule in sorted(named) if rule in variants), "standard"),
        crawford_rule=not raw.length or bool(named & {"crawford", "crawfordgame"}),
        jacoby="jacoby" in named,
        cube_limit=1 if "nocube" in named else Rules().cube_limit,
    )


def _named_rules(root: Node) -> set[str]:
    return {rule for part in (root.first("RU") or "").split(":") if (rule := part.strip().lower())}


def _cube(text: str | None) -> int | None:
    """The value of a cube, None for what is none."""
    text = (text or "").strip()
    if not (text.isascii() and text.isdigit() and len(text) < 6):
        return None
    cube = int(text)
    return cube if is_cube(cube) else None


def _player(name: str, root: Node, key: str, source: Source) -> Player:
    text = text_of(root.first(key) or "")
    player = Player.rated(name, text)
    if player is None:
        source.at(f"the rating {text[:40]!r} is no number", root.offset)
    return player or Player(name)


class _Feeder:
    """Hands the nodes of one game to the recorder, and what they say beyond the action."""

    def __init__(self, recorder: GameRecorder, analyst: Analyst) -> None:
        self._recorder, self._analyst, self._source = recorder, analyst, analyst.source
        self._roll: tuple[int, tuple[int, int], Node] | None = None  # a roll whose play may still come
        self._remark = ""  # of nodes without an action
        self._of_set: tuple[str, Extras] = ("", ())  # said of a position that is not yet recorded

    def feed(self, node: Node) -> None:
        """Takes the next node."""
        keys = node.properties.keys()
        side = "W" if "W" in keys else "B" if "B" in keys else None
        if side is not None:
            self._act(node, SIDES[side], node.first(side) or "")
        elif keys & _BY_HAND:
            if keys & _BOARD:
                self._set_board(node)
            else:
                self._set_cube(node)
            comment, extras = self._of_set
            self._of_set = _joined(comment, node.text("C")), extras + extras_of(node, NODE)
        elif "DI" in keys:
            dice = DICE.get((node.first("DI") or "").strip())
            player = self._on_roll(node)
            if dice is None or player is None:
                self._source.at(f"cannot read the roll {(node.first('DI') or '')[:20]!r}", node.offset)
            else:
                self._roll = player, dice, node
        elif "C" in keys:
            self._remark = _joined(self._remark, node.text("C"))

    def finish(self, root: Node, last: Node) -> Game:
        """The game, its result and what the root says of it."""
        recorder = self._recorder
        line, _ = self._source.place(last.offset)
        if self._roll is not None:
            player, dice, node = self._roll
            before = recorder.recorded
            recorder.place = self._source.place(node.offset)
            recorder.hidden(player, dice)
            remark, self._remark = self._remark, ""  # it stands behind the roll
            self._annotate(before, node, player, dice, of_cube=False)
            self._remark = remark
        result = _RESULT.match(root.first("RE") or "")
        if result is not None:
            resigned = 0 if result[3] else None
            recorder.place = self._source.place(root.offset)
            recorder.wins(SIDES[result[1].upper()], int(result[2]), resigned)
        elif root.first("RE"):
            self._source.at(f"cannot read the result {root.first('RE')!r:.30}", root.offset)
        before = recorder.recorded
        game = recorder.finish(None, line) if result is not None else self._unfinished(line)
        actions = list(game.actions)
        if self._of_set != ("", ()) and len(actions) > before and actions[before].kind is ActionKind.SET:
            actions[before] = replace(actions[before], comment=self._of_set[0], extras=self._of_set[1])
        if self._remark and actions:
            # A resignation has no node of its own.
            place = len(actions) - 1 if len(actions) > before else max(before, 1) - 1
            actions[place] = replace(actions[place], comment=_joined(actions[place].comment, self._remark))
        return replace(game, actions=_one_position(actions, game), comment=root.text("C"), extras=extras_of(root, ROOT))

    def _unfinished(self, line: int) -> Game:
        """The game as it breaks off, which here is no fault."""
        problems = self._source.report
        known = len(problems)
        game = self._recorder.finish(None, line)
        problems[known:] = [problem for problem in problems[known:] if not problem.message.endswith("breaks off here")]
        return game

    def _on_roll(self, node: Node) -> int | None:
        """Whose turn a node says it is; by default that of the game."""
        return SIDES.get((node.first("PL") or "").strip()[:1].upper(), self._recorder.turn)

    def _act(self, node: Node, player: int, text: str) -> None:
        """A play or what is done with the cube."""
        recorder = self._recorder
        recorder.place = self._source.place(node.offset)
        text = text.strip()
        word = text.lower()
        before = recorder.recorded
        dice = None
        if word in ("double", "redouble", "beaver", "raccoon"):
            recorder.double(player)
        elif word == "take":
            recorder.take(player)
        elif word == "drop":
            recorder.drop(player)
        else:
            dice = DICE.get(text[:2])
            steps = steps_of(text[2:], player)
            if dice is None or steps is None:
                recorder.lose_track(f"cannot read the play {text[:20]!r}")
            elif steps:
                recorder.move(player, dice, written(steps))
            else:
                recorder.no_move(player, dice)
        self._roll = None
        self._annotate(before, node, player, dice, of_cube=dice is None)

    def _set_board(self, node: Node) -> None:
        """A position set by hand; without a clean board, chequers are added to what is there."""
        recorder = self._recorder
        recorder.place = self._source.place(node.offset)
        roll, self._roll = self._roll, None
        seen = recorder.seen_by(0)
        sides = [list(seen.player), list(seen.opponent)]
        for key, player in (("AE", None), ("AW", 0), ("AB", 1)):
            for value in node.properties.get(key, ()):
                points = points_of(value.strip())
                if points is None:
                    self._source.report(f"{value[:20]!r} is no point of the board", *recorder.place)
                    continue
                for point in points:
                    for side in (0, 1) if player is None else (player,):
                        place = (point if side == 0 or point == BAR + 1 else 25 - point) - 1
                        sides[side][place] = 0 if player is None else sides[side][place] + 1
        position = Position(tuple(sides[1]), tuple(sides[0]), seen.chequers)
        if roll is not None and node.first("SX") == "moved":
            player, dice, before = roll[0], roll[1], recorder.recorded
            recorder.moved_to(player, dice, position if player == 1 else position.swapped())
            self._annotate(before, roll[2], player, dice, of_cube=False)
            return
        recorder.set_board(position, *recorder.cube, self._on_roll(node))

    def _set_cube(self, node: Node) -> None:
        """Value or owner of the cube set by hand."""
        place = self._recorder.place = self._source.place(node.offset)
        value, owner = self._recorder.cube
        if "CV" in node.properties:
            cube = _cube(node.first("CV"))
            if cube is None:
                self._source.report(f"the cube cannot be {(node.first('CV') or '')[:20]!r}", *place)
                return
            value = cube
        else:
            letter = (node.first("CP") or node.first("CO") or "").strip()[:1].lower()
            if letter not in OWNERS:
                self._source.report(f"the cube cannot be with {letter!r}", *place)
                return
            owner = OWNERS[letter]
        self._recorder.set_cube(value, owner)

    def _annotate(self, before: int, node: Node, player: int, dice: tuple[int, int] | None, *, of_cube: bool) -> None:
        """Keeps what a node says of its action. before: how many there were before it."""
        recorder = self._recorder
        if recorder.recorded == before:
            return
        if recorder.recorded > before + 1 and self._of_set != ("", ()):
            # The position set by hand is recorded with the first action after it.
            recorder.annotate(before, comment=self._of_set[0], extras=self._of_set[1])
            self._of_set = ("", ())
        comment, self._remark = self._remark, ""
        if len(node.properties) == 1:
            # Nothing but the action.
            if comment:
                recorder.annotate(comment=comment)
            return
        recorder.annotate(
            comment=_joined(comment, node.text("C")),
            extras=extras_of(node, NODE),
            analyses=self._analyst.analyses(node, player, recorder.last.position, dice, of_cube=of_cube),
        )


def _joined(first: str, second: str) -> str:
    """Two remarks, each with lines of its own."""
    return f"{first}\n{second}" if first and second else first or second


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


FORMAT = Format(
    NAME,
    "GNU Backgammon SGF",
    (".sgf",),
    detect,
    read,
    write,
    keeps=frozenset(Feature) - {Feature.UNKNOWN, Feature.TAGS, Feature.TIME, Feature.LATE, Feature.BEAVER_RULE},
    more_losses=losses,
)
