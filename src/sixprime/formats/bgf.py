"""`.bgf`: matches of BGBlitz with its analysis. Read only.

A line of JSON, {"format": "BGF", "version": .., "compress": true, "useSmile": true}, and then the match as Smile
(binary JSON), packed by gzip. Players are Green (-1) and Red (1); points are 25 for the bar to 0 for off, -1 where
nothing is. Moves whose `green` is 7 are no rolls: their `red` says what happened, and of a dance the roll stands where
the steps do. Numbers may be texts. All this is taken from real files beside the same matches in other formats, not from
BGBlitz; keys that are missing are taken for their usual values, and what has no known meaning is reported.
"""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sixprime.errors import InvalidFileError, InvalidPlayError
from sixprime.formats import _smile
from sixprime.formats._format import Format
from sixprime.formats._problems import MOST_PROBLEMS, Problems
from sixprime.formats._recorder import Dice, GameRecorder
from sixprime.formats._replay import MatchReplay
from sixprime.formats._text import Document, month_number, plain
from sixprime.game.match_rules import LONGEST_MATCH, Rules, is_cube
from sixprime.game.play import find_play
from sixprime.game.position import Position
from sixprime.game.record import (
    ForeignAnalysis,
    ForeignCube,
    ForeignPlay,
    Match,
    Method,
    Player,
    Problem,
    Value,
)
from sixprime.game.variants import VARIANTS

NAME = "bgf"
SOURCE = "BGBlitz"

_HEAD = re.compile(rb'\s*\{[^\r\n]{0,400}"(?:encoding|compression|useSmile)"[^\r\n]{0,400}\}')
_NUMBER = re.compile(r"-?\d{1,9}(?:\.\d{1,12})?", re.ASCII)
_POINTS = 24
_LONGEST_REMARK = 10_000
MATCH_ID = "Match ID"
_NO_ROLL = 7  # in place of the second die
_CODES = {1: "double", 2: "take", 3: "pass", 4: "end", 5: "dance"}

# What reading may cost: bytes of memory for each byte of the file, and for any file. Once for the values that are
# unpacked, which are given up as they are used, and once for the games, moves and candidates made of them.
_COST_FACTOR, _LEAST_COST = 56, 4 << 20
_GAME_COST, _MOVE_COST, _PLAY_COST = 1500, 600, 1200
_GROWTH, _LEAST = 8, 2 << 20  # how much larger than the file what it unpacks to may be, and what is always allowed
_JSON_COST = ((b"{", 260), (b"[", 90), (b",", 50))  # where the match is JSON text, not Smile
_MARKED = frozenset({("games",), ("games", "moves")})
_DATES = ("%Y-%m-%d", "%d.%m.%Y", "%Y.%m.%d")


def detect(document: Document) -> bool:
    """Whether a file begins with the line of JSON of BGBlitz."""
    return document.data[:1].isspace() is False and _HEAD.match(document.data[:1000]) is not None


def read(document: Document) -> list[Match]:
    """The match of a file. Raises InvalidFileError when it holds none."""
    return [_Reader(document).match()]


class _Reader:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._inside = Problems(document.name, "unpacked")  # at offsets of the unpacked match
        self._budget = max(_COST_FACTOR * len(document.data), _LEAST_COST)
        self._start = 0  # of the body in the file

    def match(self) -> Match:
        content = self._content()
        if not isinstance(content, dict):
            raise self._error("the match is no object", self._start)
        games = content.get("games")
        if not isinstance(games, list) or not games:
            raise self._error("no games in the file", self._start)
        return self._match(content, [game for game in games if isinstance(game, dict)])

    def _error(self, message: str, offset: int) -> InvalidFileError:
        return InvalidFileError(message, path=self._document.name or None, offset=offset)

    def _report(self, message: str, offset: int | None) -> None:
        if len(self._inside) < MOST_PROBLEMS:
            self._inside.append(Problem(message, self._document.name or None, offset=offset))

    def _pays(self, cost: int, offset: int | None) -> bool:
        """Whether there is still something left to pay for a part of the match."""
        if 0 <= self._budget < cost:
            self._inside("more than any match has; the rest is left out", offset)
            self._budget = -1
        self._budget -= cost
        return self._budget >= 0

    # From bytes to values

    def _content(self) -> Any:
        data = self._document.data
        end = data.find(b"\n", 0, 1000)
        if end < 0:
            raise self._error("the first line has no end", 0)
        try:
            head = json.loads(data[:end])
        except (ValueError, RecursionError):
            raise self._error("the first line is no JSON", 0) from None
        self._start = end + 1
        body = data[self._start :]
        if not isinstance(head, dict):
            raise self._error("the first line is no JSON object", 0)
        if body.startswith(b"\x1f\x8b"):
            body = self._unpacked(body)
        if str(head.get("encoding", "")).lower() == "smile" or head.get("useSmile") or body.startswith(_smile.HEADER):
            try:
                return _smile.loads(body, _MARKED, self._budget)
            except _smile.SmileError as error:
                if not isinstance(error.found, dict) or not error.found.get("games"):
                    raise self._error(f"{error} (byte {error.offset} of the unpacked match)", self._start) from None
                self._inside(f"{error}; the rest is left out", error.offset)
                return error.found
        try:
            if sum(cost * body.count(mark) for mark, cost in _JSON_COST) > self._budget:
                raise self._error("larger than any match", self._start)
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            if isinstance(error, InvalidFileError):
                raise
            raise self._error("the match is no JSON", self._start) from None

    def _unpacked(self, body: bytes) -> bytes:
        limit = max(_GROWTH * len(self._document.data), _LEAST)
        stream = zlib.decompressobj(31)
        found = bytearray()
        try:
            for at in range(0, len(body), 1 << 12):
                found += stream.decompress(body[at : at + (1 << 12)], limit + 1 - len(found))
                if len(found) > limit:
                    message = f"unpacks to more than {limit} bytes, more than any match has; the rest is left out"
                    self._report(message, self._start)
                    return bytes(found[:limit])
                if stream.eof:
                    break
        except zlib.error as error:
            if len(found) < 100:
                raise self._error(f"cannot be unpacked: {error}", self._start) from None
            self._report(f"the packed match is damaged: {error}", self._start)
        else:
            if not stream.eof:
                self._report("the packed match ends too early", len(self._document.data))
        return bytes(found)

    # From values to the match

    def _match(self, content: dict[str, Any], games: Sequence[dict[str, Any]]) -> Match:
        length = _int(content.get("matchlen"))
        if length is None or not 0 <= length <= LONGEST_MATCH:
            self._report(f"a match to {content.get('matchlen')!r} points; read as a money session"[:200], self._start)
            length = 0
        limit = _int(content.get("cubeLimit")) or 0
        rules = Rules(
            length,
            self._variant(content, games[0] if games else {}),
            crawford_rule=content.get("useCrawford") is not False,
            jacoby=content.get("useJacoby") is True,
            beavers=3 if content.get("useBeaver") is True else 0,
            cube_limit=1 if content.get("useCube") is False else limit if is_cube(limit) else 1024,
        )
        names = _text(content.get("nameGreen")), _text(content.get("nameRed"))
        ratings = _float(content.get("ratingGreen")) or None, _float(content.get("ratingRed")) or None
        replay = MatchReplay(rules, names, self._inside)
        for number, game in enumerate(games, 1):
            offset = game.get("offset")
            if not self._pays(_GAME_COST, offset):
                break
            score = _score(game, "scoreGreen", "scoreRed") or replay.score
            later = games[number] if number < len(games) else None
            after = _score(later, "scoreGreen", "scoreRed") if later else _score(content, "finalGreen", "finalRed")
            if rules.over(score):
                replay.score = score
                self._inside(f"game {number} is left out: the match was over", offset)
                continue
            recorder = replay.begin(number, score)
            remark = _remark(game.get("comment"))
            self._play(recorder, game, score, after or score)
            done = recorder.finish(None, offset)
            game.clear()
            actions = tuple(replace(action, line=None) for action in done.actions)
            replay.add(recorder, replace(done, actions=actions, comment=remark))
        if not replay.games:
            raise self._error("no games in the file", self._start)
        info = {key: _text(content.get(key)) for key in ("event", "round")} | {
            "date": _date(_text(content.get("date"))),
            "place": _text(content.get("location")) or _text(content.get("site")),
            "comment": _remark(content.get("comment")),
        }
        identity = _text(content.get("extMatchID"))
        return replay.match(
            (Player(names[0], ratings[0]), Player(names[1], ratings[1])),
            info={key: value for key, value in info.items() if value},
            tags=((MATCH_ID, identity),) if identity else (),
            problems=tuple(self._inside),
            source=self._document.name,
            format=NAME,
        )

    def _variant(self, content: dict[str, Any], game: dict[str, Any]) -> str:
        """The variant by the board that the first game begins with; what is no variant is reported."""
        points = _child(game, "initial").get("points")
        mode = _int(_child(game, "initial").get("gameMode")) or _int(content.get("gameMode")) or 0
        if isinstance(points, list) and len(points) >= _POINTS:
            for name in VARIANTS:
                own = Position.start(name).player
                if all(_int(points[i]) == own[_POINTS - 1 - i] - own[i] for i in range(_POINTS)):
                    return name
            self._report("a board to begin with that is no variant's; read as backgammon", game.get("offset"))
        elif mode:
            self._report(f"game mode {mode} is not known; read as backgammon", game.get("offset"))
        return "standard"

    def _play(
        self, recorder: GameRecorder, game: dict[str, Any], score: tuple[int, int], after: tuple[int, int]
    ) -> None:
        listed = game.get("moves")
        moves = [move for move in listed if isinstance(move, dict)] if isinstance(listed, list) else []
        turned = _turned(moves)
        resigned: int | None = None
        won: int | None = None
        recorder.place = game.get("offset"), None
        for move in moves:
            offset = move.get("offset")
            recorder.place = offset, None
            if not self._pays(_MOVE_COST, offset):
                break
            side = _int(move.get("player"))
            if side not in (1, -1):
                self._inside("a move without a player is left out", offset)
                continue
            player = int(side == 1)
            kind = _text(move.get("type")).lower()
            if _int(move.get("green")) == _NO_ROLL:
                kind = _CODES.get(_int(move.get("red")) or 0, f"code {move.get('red')!r}")
            if kind == "end":
                won = player
            elif "resign" in kind or "giveup" in kind:
                resigned = player
            else:
                before = recorder.recorded
                self._act(recorder, player, kind, move, turned[player])
                if recorder.recorded > before and (remark := _remark(move.get("comment"))):
                    recorder.annotate(comment=remark)
            move.clear()
        if resigned is not None:
            recorder.resigns(resigned)
        gained = after[0] - score[0], after[1] - score[1]
        if min(gained) == 0 and max(gained) > 0:
            recorder.wins(int(gained[1] > 0), max(gained))
        elif won is not None:
            recorder.wins(won)

    def _act(self, recorder: GameRecorder, player: int, kind: str, move: dict[str, Any], turned: bool) -> None:
        analysis = self._cube(move, answers=kind in ("take", "pass"))
        before, offset = recorder.recorded, move.get("offset")
        if kind == "dance":
            first, second = ([*found, None][0] if isinstance(found := move.get(key), list) else None for key in _ENDS)
            dice = self._dice(first, second, offset)
            if dice is not None:
                recorder.no_move(player, dice)
        elif any(word in kind for word in ("take", "accept")):
            recorder.take(player)
        elif any(word in kind for word in ("pass", "drop", "reject")):
            recorder.drop(player)
        elif "beaver" in kind or "raccoon" in kind:
            recorder.beaver(player)
        elif "double" in kind:
            recorder.double(player)
        elif "move" in kind or "roll" in kind or not kind:
            dice = self._dice(move.get("red"), move.get("green"), offset)
            if dice is not None:
                self._roll(recorder, player, dice, move, turned, analysis)
            return
        else:
            self._inside(f"a move of unknown kind {kind[:40]!r} is left out", offset)
            return
        if analysis is not None and recorder.recorded > before:
            recorder.annotate(analyses=(ForeignAnalysis(SOURCE, analysis),))

    def _dice(self, first: object, second: object, offset: int | None) -> Dice | None:
        dice = _int(first) or 0, _int(second) or 0
        if all(1 <= die <= 6 for die in dice):
            return dice
        self._inside(f"{first!r} and {second!r} are no dice"[:100], offset)
        return None

    def _roll(
        self,
        recorder: GameRecorder,
        player: int,
        dice: tuple[int, int],
        move: dict[str, Any],
        turned: bool,
        cube: ForeignCube | None,
    ) -> None:
        before = recorder.recorded
        position = recorder.seen_by(player)
        steps = _pairs(move)
        if steps is None:
            self._inside("the steps of a play cannot be read", move.get("offset"))
            recorder.hidden(player, dice)
            return
        text = _notation(steps, turned)
        if text:
            recorder.move(player, dice, text)
        else:
            recorder.no_move(player, dice)
        if recorder.recorded == before:
            return
        plays, played = self._plays(move, position, dice, turned)
        lucky = _float(_child(move, "luck").get("luckPlain"))
        if plays or cube is not None or lucky is not None:
            recorder.annotate(analyses=(ForeignAnalysis(SOURCE, cube, tuple(plays), played, lucky),))

    # Analyses

    def _plays(
        self, move: dict[str, Any], position: Position, dice: tuple[int, int], turned: bool
    ) -> tuple[list[ForeignPlay], int | None]:
        listed = move.get("moveAnalysis")
        plays: list[ForeignPlay] = []
        played = None
        for entry in listed if isinstance(listed, list) else ():
            if not isinstance(entry, dict):
                continue
            if not self._pays(_PLAY_COST, move.get("offset")):
                break
            steps = _pairs(_child(entry, "move"))
            if steps is None:
                continue
            try:
                play = find_play(_notation(steps, turned), position, dice)
            except InvalidPlayError:
                continue
            if play is None:
                continue
            if entry.get("played") is True and played is None:
                played = len(plays)
            plays.append(ForeignPlay(play, _value(_child(entry, "eq")), _method(_int(entry.get("ply")))))
        if plays and all(play.value.equity is not None for play in plays):
            order = sorted(range(len(plays)), key=lambda index: -(plays[index].value.equity or 0.0))
            played = order.index(played) if played is not None else None
            plays = [plays[index] for index in order]
        return plays, played

    def _cube(self, move: dict[str, Any], *, answers: bool) -> ForeignCube | None:
        """The cube decision before a move; `answers`: as the one sees it who was offered the cube."""
        equity = _child(move, "equity")
        decision = _child(equity, "cubeDecision")
        numbers = [_float(decision.get(key)) for key in ("eqNoDouble", "eqDoubleTake", "eqDoublePass")]
        if numbers[0] is None or numbers[1] is None:
            return None
        words = [_text(decision.get(key)) for key in ("stateOnMove", "stateOther")]
        chances = _is_chance(equity, numbers)
        probabilities, cubeless = _probabilities(equity), _float(equity.get("equity"))
        if answers:
            numbers = [None if n is None else 1 - n if chances else -n for n in numbers]
            probabilities, cubeless = _probabilities(equity, _OTHER), None if cubeless is None else -cubeless

        def worth(number: float | None) -> Value:
            return Value(mwc=number) if chances else Value(equity=number)

        return ForeignCube(
            replace(worth(numbers[0]), probabilities=probabilities, cubeless=cubeless),
            worth(numbers[1]),
            _method(_int(move.get("ply"))),
            worth(numbers[2]),
            " / ".join(word for word in words if word),
        )


def _is_chance(found: dict[str, Any], numbers: Sequence[float | None]) -> bool:
    """Whether the values of cube actions are match-winning chances; without a word, a drop is +1 as an equity."""
    if isinstance(found.get("useMatchEquity"), bool):
        return bool(found["useMatchEquity"])
    passed = numbers[2]
    return passed is not None and abs(passed - 1.0) > 1e-6 and all(n is not None and 0 <= n <= 1 for n in numbers)


def _method(plies: int | None) -> Method:
    return Method(f"{plies}-ply" if plies is not None else SOURCE, None)


_OWN = ("myWins", "myGammon", "myBackGammon", "oppGammon", "oppBackGammon")
_OTHER = ("oppWins", "oppGammon", "oppBackGammon", "myGammon", "myBackGammon")


def _probabilities(
    found: dict[str, Any], names: Sequence[str] = _OWN
) -> tuple[float, float, float, float, float] | None:
    """The chances under the names of one player; None when they are none."""
    parts = [_float(found.get(name)) for name in names]
    win, win_g, win_bg, lose_g, lose_bg = (0.0 if part is None else part for part in parts)
    if parts[0] is not None and all(-0.001 <= part <= 1.001 for part in (win, win_g, win_bg, lose_g, lose_bg)):
        return win, win_g, win_bg, lose_g, lose_bg
    return None


def _value(found: dict[str, Any]) -> Value:
    """What a play is worth; `equity` is cubeless where the values with the cube stand beside it."""
    probabilities = _probabilities(found)
    cubeless, mwc = _float(found.get("equity")), _float(found.get("matchEquity"))
    cubeful = _float(_child(found, "cubeDecision").get("eqCubeFul"))
    if isinstance(in_match := found.get("useMatchEquity"), bool):
        if not in_match:
            return Value(probabilities, cubeless, cubeless if cubeful is None else cubeful)
        emg = _float(found.get("emg")) if found.get("hasEMG") is True else None
        return Value(probabilities, cubeless, emg, mwc if cubeful is None else cubeful)
    return Value(probabilities, None, cubeless, mwc if mwc is not None and 0 <= mwc <= 1 else None)


_ENDS = ("from", "to")


def _pairs(found: dict[str, Any]) -> list[tuple[int, int]] | None:
    """The steps of "from" and "to" as they stand; None when they are no points."""
    starts, ends = found.get("from"), found.get("to")
    if not isinstance(starts, list) or not isinstance(ends, list):
        return []
    steps = []
    for start, end in zip(starts[:4], ends[:4], strict=False):
        first, second = _int(start), _int(end)
        if first is None or second is None or not (-1 <= first <= 25 and -1 <= second <= 25):
            return None
        if first >= 0 and second >= 0:
            steps.append((first, second))
    return steps


def _turned(moves: Sequence[dict[str, Any]]) -> tuple[bool, bool]:
    """Whether the points are not numbered as their player does, for each: over a game his steps go up then."""
    rising = [0, 0]
    for move in moves:
        if _int(move.get("green")) != _NO_ROLL:
            for start, end in _pairs(move) or ():
                up = end <= 6 if start == 25 else start >= 19 if end == 0 else end > start
                rising[int(_int(move.get("player")) == 1)] += 1 if up else -1
    return rising[0] > 0, rising[1] > 0


def _notation(steps: Sequence[tuple[int, int]], turned: bool) -> str:
    """The notation of steps as the mover numbers the points; the bar is 25 and off is 0 for both sides."""
    own = [(start if start == 25 else 25 - start, end and 25 - end) if turned else (start, end) for start, end in steps]
    return " ".join(f"{start}/{end}" for start, end in own)


def _score(found: dict[str, Any], first: str, second: str) -> tuple[int, int] | None:
    """The score under two keys; None when it is not there."""
    green, red = _int(found.get(first)), _int(found.get(second))
    if green is None or red is None or not (0 <= green < 10**6 and 0 <= red < 10**6):
        return None
    return green, red


def _child(found: dict[str, Any], key: str) -> dict[str, Any]:
    child = found.get(key)
    return child if isinstance(child, dict) else {}


def _int(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return int(value)


def _float(value: Any) -> float | None:
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value)
        if value <= -99:  # what BGBlitz writes where it does not know
            return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -1e6 < value < 1e6:
        return None
    return float(value)


def _text(value: Any) -> str:
    return " ".join(plain(value[:1000]).split()) if isinstance(value, str) else ""


def _remark(value: Any) -> str:
    """A comment: a text, or texts in a list."""
    texts = [value] if isinstance(value, str) else value[:100] if isinstance(value, list) else []
    lines = (plain(text[:_LONGEST_REMARK]).strip() for text in texts if isinstance(text, str))
    return "\n".join(line for line in lines if line)


def _date(text: str) -> str:
    """A date such as "Nov 2, 2025" as yyyy-mm-dd; as it is when it cannot be read."""
    english = re.match(r"([A-Z][a-z]{2,}) (\d{1,2}), (\d{4})", text)
    if english is not None and (month := month_number(english[1])):
        return f"{english[3]}-{month:02d}-{int(english[2]):02d}"
    for pattern in _DATES:
        try:
            return datetime.strptime(text[:10], pattern).strftime("%Y-%m-%d")
        except ValueError:
            continue
    return text


FORMAT = Format(NAME, "BGBlitz match", (".bgf",), detect, read)
