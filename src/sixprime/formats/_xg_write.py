"""Matches and positions as files of eXtreme Gammon: the layout of `xg.py` the other way round.

Fields that a `Match` has no place for get what the files of the program itself have there, or, in a match that was
read from such a file and then changed, what that file had. A match that was not changed is written byte by byte as it
was. Analyses of other programs name their source in the file's comment, where `xg.py` finds it.
"""

from __future__ import annotations

import math
import re
import struct
import zlib
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from sixprime.errors import InvalidFileError
from sixprime.formats._board import to_points
from sixprime.formats._format import UNDERSTOOD_TAGS, Feature, moment_lost, moment_of
from sixprime.formats._position import last_of
from sixprime.game.match_rules import against_double, match_over, scored
from sixprime.game.position import Position
from sixprime.game.record import (
    Action,
    ActionKind,
    ForeignAnalysis,
    ForeignCube,
    ForeignPlay,
    Game,
    Match,
    Method,
    Player,
    Value,
    made_by,
)
from sixprime.game.state import MatchState

FILE = "xg:file"
"""Key of extras: the file that a match was read from, in base 64."""
ANALYSED_BY = "Analysed by "
"""How the comment of a file begins whose analyses are not those of eXtreme Gammon."""
GAMES = "games:"
"""What stands between the number of games that were analysed, the first ones, and how; in the next line."""
COMMENT = 1023  # characters of each text in the header of a file
SOURCE = "eXtreme Gammon"
MATCH_ID = "Match ID"
DEFAULT_RATING = 1600.0

MAGIC = b"RGMH"
MATCH_MAGIC = 0x494C4D44
HEADER = struct.Struct("<4sIIqI")
HEADER_SIZE = 8232
_COMMENT_AT = HEADER_SIZE - 2 * (COMMENT + 1)
TAIL = struct.Struct("<Iiiiii12x")
ENTRY, RECORD, ROLLOUT = 532, 2560, 2184
MONEY = 99999
UNJUDGED = -1000.0
DAY_ZERO = datetime(1899, 12, 30)
DAYS = (2, 200_000)
"""Days since then that are dates, the last one not."""
_SPAN = (DAY_ZERO + timedelta(DAYS[0]), DAY_ZERO + timedelta(DAYS[1]))
MOST_PLAYS = 32
LEVELS: dict[int, tuple[str, int | None]] = {
    12: ("3-ply red", 2),
    100: ("Rollout", None),
    998: ("Book", None),
    999: ("Book", None),
    1000: ("XG Roller", None),
    1001: ("XG Roller+", None),
    1002: ("XG Roller++", None),
}
ROLLED_OUT = 100

_VERSION = 32
_WIDE = 128  # characters of a name
_VARIANTS = {"standard": 0, "nackgammon": 1, "hypergammon3": 2}
_NO_ROLL = "77"
_NUMBERS = {name: number for number, (name, _) in reversed(LEVELS.items())}
_LEVEL = re.compile(r"level (-?\d{1,5})")
_NOTHING = (0.0,) * 7
_CONFIDENCE = 1.959964  # standard errors within which a value lies with 95 %


def write_match(match: Match) -> bytes:
    """The file of a match. Raises InvalidFileError for numbers that its fields cannot hold."""
    with _fields_that_hold():
        return _Writer(match).file()


def write_position(matches: Sequence[Match]) -> bytes:
    """The file of the last position of the last match, with what was thought of it. Raises InvalidFileError."""
    match, action = last_of(matches, "eXtreme Gammon position")
    with _fields_that_hold():
        return _Writer(match).position(action)


@contextmanager
def _fields_that_hold() -> Iterator[None]:
    try:
        yield
    except (struct.error, OverflowError) as error:
        raise InvalidFileError(f"eXtreme Gammon's files have no room for such a number: {error}") from None


def source_of(match: Match) -> str:
    """The program whose analyses a file of a match holds: the first that says anything."""
    found = (analysis.source for game in match.games for action in game.actions for analysis in action.analyses)
    return next(found, SOURCE)


def _analysed_by(match: Match, source: str) -> str:
    """The comment of a file that names who analysed it, and in a second line how, where all games say the same."""
    made, judged = made_by(match.games)
    how = f"\r\n{judged} {GAMES} {made}" if judged else ""
    told = f"{ANALYSED_BY}{source}"
    return told + how if len(told + how) < COMMENT else told


def file_comment(data: bytes | bytearray) -> list[str]:
    """The lines of the comment in the header of a file, at least one."""
    return data[_COMMENT_AT:HEADER_SIZE].decode("utf-16-le", errors="replace").split("\0")[0].split("\r\n")


def kept_file(match: Match) -> bytes | None:
    """The file that a match was read from, where it is known."""
    text = dict(match.extras).get(FILE)
    try:
        return b64decode(text, validate=True) if text else None
    except ValueError:
        return None


class _Writer:
    """Makes the records of a match. Whose analyses are written is settled once: one program's."""

    def __init__(self, match: Match) -> None:
        self._match = match
        self._source = source_of(match)
        self._comments: list[str] = []
        self._rollouts: list[bytes] = []
        self._automatic = 0  # doubles that the game began with; the file's cubes are counted from there
        self._head, self._picture, self._old = _parts(kept_file(match))

    def file(self) -> bytes:
        """The whole match."""
        match = self._match
        records = [self._start(), *(record for game in match.games for record in self._game(game))]
        last = match.games[-1]
        if last.winner is not None and match_over(match.length, scored(last.score, last.winner, last.points)):
            records.append(self._end(scored(last.score, last.winner, last.points), last.winner))
        return self._archive(records)

    def position(self, action: Action) -> bytes:
        """One decision."""
        action, state = replace(action, kind=ActionKind.SET, play=None), action.state
        head = self._game_head(Game(1, state.score, state.crawford, (action,)), going_on=True)
        return self._archive([self._start(), head, *self._waiting(action)])

    # The archive

    def _archive(self, records: Sequence[bytes]) -> bytes:
        members = {"temp.xg": b"".join(records), "temp.xgi": records[0] + records[-1]}
        if self._rollouts:
            members["temp.xgr"] = b"".join(self._rollouts)
        if self._comments:
            members["temp.xgc"] = "".join(f"{_rtf(comment)}\r\n" for comment in self._comments).encode("ascii")
        body, entries = b"", b""
        for name, content in members.items():
            packed = zlib.compress(content)
            entry = bytearray(ENTRY)
            _short(entry, 0, name, 255)
            sizes = len(content), len(packed), len(body)
            struct.pack_into("<iiiIBB", entry, 512, *sizes, zlib.crc32(content), 0, 2)
            body += packed
            entries += entry
        index = zlib.compress(bytes(entries))
        tail = TAIL.pack(zlib.crc32(body + index), len(members), 1, len(index), len(body), 1)
        return self._header(body) + self._picture + body + index + tail

    def _header(self, body: bytes) -> bytes:
        header = bytearray(self._head or bytes(HEADER_SIZE))
        HEADER.pack_into(header, 0, MAGIC, 1, HEADER_SIZE, 0, len(self._picture))
        match = self._match
        if not self._head:
            # Any 16 bytes name a file, as long as others get other ones.
            identity = b"".join(struct.pack("<I", zlib.crc32(body, part)) for part in range(4))
            header[24:40] = identity
            _wide(header, 40, match.info.get("event", ""), COMMENT)
            length = f", {match.length} point match" if match.length else ""
            _wide(header, 2088, " vs. ".join(player.name for player in match.players) + length, COMMENT)
        if self._source != SOURCE or file_comment(header)[0].startswith(ANALYSED_BY):
            said = _analysed_by(match, self._source) if self._source != SOURCE else ""
            _wide(header, _COMMENT_AT, said, COMMENT)
        return bytes(header)

    def _comment(self, text: str) -> int:
        """The number of a comment, -1 for none."""
        if not text:
            return -1
        self._comments.append(text)
        return len(self._comments) - 1

    # The match

    def _start(self) -> bytes:
        match, info = self._match, self._match.info
        record = bytearray(self._old or bytes(RECORD))
        players: tuple[Player, Player] = match.players
        automatic = max(map(_automatic, match.games), default=0)
        record[8] = 0
        for at, size, text in (
            (9, 40, players[0].name),
            (50, 40, players[1].name),
            (136, 128, info.get("event", "")),
            (283, 128, info.get("place", "")),
            (417, 128, info.get("round", "")),
        ):
            _short(record, at, text, size)
        struct.pack_into("<ii", record, 92, match.length or MONEY, _VARIANTS.get(match.variant, 2))
        record[100:104] = bytes(
            [match.crawford_rule or not match.length, match.jacoby, match.beavers > 0, automatic > 0]
        )
        ratings = [DEFAULT_RATING if player.rating is None else player.rating for player in players]
        struct.pack_into("<ddii", record, 104, *ratings, *(_whole(player.experience or 0) for player in players))
        struct.pack_into("<d", record, 128, _days(info))
        if self._old is None:
            struct.pack_into("<3i", record, 268, _identity(match), -1, -1)  # the levels of two people
            struct.pack_into("<i", record, 548, 1)
            struct.pack_into("<i", record, 608, -1)
        struct.pack_into("<iI", record, 552, _VERSION, MATCH_MAGIC)
        struct.pack_into("<ii", record, 576, self._comment(info.get("comment", "")), -1)
        struct.pack_into("<ii", record, 612, match.cube_limit.bit_length() - 1, automatic)
        wide = (info.get("event", ""), players[0].name, players[1].name, info.get("place", ""), info.get("round", ""))
        for index, text in enumerate(wide):
            _wide(record, 622 + 258 * index, text)
        _wide(record, 1960, info.get("annotator", ""))
        return bytes(record)

    @staticmethod
    def _end(score: tuple[int, int], winner: int) -> bytes:
        record = _empty(5)
        struct.pack_into("<iii", record, 12, *score, -1 if winner else 1)
        return bytes(record)

    # Games

    def _game(self, game: Game) -> Iterator[bytes]:
        going_on = game.winner is None and game is self._match.games[-1]
        yield self._game_head(game, going_on=going_on)
        actions = game.actions
        for index, action in enumerate(actions):
            before = actions[index - 1] if index else None
            edited = before is not None and before.kind is ActionKind.SET
            if action.kind in (ActionKind.MOVE, ActionKind.ROLL):
                if before is None or not before.state.doubled:
                    yield self._cube(action, opening=not index, edited=edited)
                yield self._move(action, edited=edited)
            elif action.kind is ActionKind.DOUBLE:
                answers = [later for later in actions[index + 1 : index + 4] if later.state.doubled]
                following = actions[index + 1 + len(answers) :][:1]
                rolled = following[0].dice if following else None
                yield self._cube(action, answers, rolled=rolled, edited=edited)
            elif action.kind is ActionKind.RESIGN and (before is None or before.dice is None or before.play):
                yield self._cube(action)
            elif action.kind is ActionKind.SET and index + 1 == len(actions):
                yield from self._waiting(action)
        if not going_on:
            yield self._game_end(game)

    def _game_head(self, game: Game, *, going_on: bool) -> bytes:
        record = _empty(1)
        struct.pack_into("<iiB", record, 12, *game.score, game.crawford)
        struct.pack_into("26b", record, 21, *to_points(Position.start(self._match.variant)))
        struct.pack_into("<iB", record, 48, game.number, going_on)
        self._automatic = _automatic(game)
        struct.pack_into("<iii", record, 56, self._comment(game.comment), -1, self._automatic)
        return bytes(record)

    def _game_end(self, game: Game) -> bytes:
        record = _empty(4)
        score, winner, ending = game.score, 0, -1
        if game.winner is not None:
            score = scored(score, game.winner, game.points)
            winner = -1 if game.winner else 1
            last = game.actions[-1] if game.actions else None
            if last is None or last.kind is ActionKind.RESIGN:
                ending = 100 + (last.value if last is not None else 1)
            elif last.kind is ActionKind.DROP:
                ending = 0
            elif last.play is not None:
                ending = max(last.play.result.result, 1)
        struct.pack_into("<iiB3xiii", record, 12, *score, game.crawford, winner, game.points, ending)
        struct.pack_into("<dd", record, 40, UNJUDGED, UNJUDGED)
        return bytes(record)

    def _waiting(self, action: Action) -> Iterator[bytes]:
        """The records of a position in which somebody has to decide."""
        yield self._cube(action, waiting=True)
        if action.state.dice is not None and not action.state.doubled:
            yield self._move(action, edited=False)

    # Cube decisions

    def _cube(
        self,
        action: Action,
        answers: Sequence[Action] = (),
        *,
        rolled: tuple[int, int] | None = None,
        opening: bool = False,
        edited: bool = False,
        waiting: bool = False,
    ) -> bytes:
        """What was decided before the dice. answers: to the double. waiting: the player has yet to decide."""
        record = _empty(2)
        state = action.state
        mover = state.on_roll
        decided = self._decided(action, answers, opening=opening, waiting=waiting)
        double, take = decided[:2]
        cube = _power(state, self._automatic)
        struct.pack_into("<6i", record, 12, -1 if mover else 1, *decided, cube)
        struct.pack_into("26b", record, 36, *_seen_by_first(action.position, mover))
        analysis = self._analysis(action)
        judged = analysis.cube if analysis is not None else None
        roll = action.dice or rolled if not waiting or not state.doubled else None
        _short(record, 208, f"{max(roll)}{min(roll)}" if roll else _NO_ROLL, 2)
        errors, choice, level = (UNJUDGED, UNJUDGED), 0, -1
        rollout = -1
        if judged is not None and _known(judged):
            errors, choice = _cube_errors(judged, double == 1, take)
            level = _level(judged.method)
            if level == ROLLED_OUT:
                rollout = self._rollout(judged.method, judged.no_double, judged.double_take)
            self._write_cube(record, action, judged, level, choice)
        else:
            struct.pack_into("<h", record, 120, -100)
        struct.pack_into("<d", record, 200, errors[0])
        struct.pack_into("<diii", record, 216, errors[1], rollout, choice, level)
        struct.pack_into("<ddii", record, 240, UNJUDGED, UNJUDGED, level, 0)
        struct.pack_into("bb", record, 264, -1, -1)
        tutored = 0.0 if errors[0] > UNJUDGED else UNJUDGED
        struct.pack_into("<dd", record, 272, tutored, UNJUDGED)
        remark = action.comment if action.kind is ActionKind.DOUBLE or (waiting and not action.dice) else ""
        struct.pack_into("<iB", record, 292, self._comment(remark), edited)
        struct.pack_into("<i", record, 300, self._automatic)
        return bytes(record)

    @staticmethod
    def _decided(
        action: Action, answers: Sequence[Action], *, opening: bool, waiting: bool
    ) -> tuple[int, int, int, int]:
        """Double, take, beaver and raccoon as the file has them."""
        if action.kind is ActionKind.DOUBLE or (waiting and action.state.doubled):
            kinds = [answer.kind for answer in answers]
            beavers = kinds.count(ActionKind.BEAVER)
            taken = 0 if ActionKind.DROP in kinds else 1 if ActionKind.TAKE in kinds else -1
            if beavers >= 2:
                return 1, 2, 2, taken
            return (1, 2, taken, -1) if beavers else (1, taken, -1, -1)
        if action.kind is ActionKind.RESIGN or (waiting and action.dice is None):
            return -1, -1, -1, -1
        return (-2 if opening or any(against_double(action.state.with_dice(None))) else 0), -1, -1, -1

    def _write_cube(self, record: bytearray, action: Action, judged: ForeignCube, level: int, choice: int) -> None:
        """The block of the analysis."""
        state = action.state
        struct.pack_into("26b", record, 64, *to_points(action.position))
        struct.pack_into("<6i", record, 92, level, *_stakes(state, self._automatic), int(state.jacoby))
        no_double, doubled = judged.no_double, judged.double_take
        passed = judged.double_pass.equity if judged.double_pass is not None else None
        verdict = {0: -1, 1: 2, 2: 0, 3: 1}[choice]
        struct.pack_into("<hhhh", record, 116, int(state.crawford), 0, verdict, 0)
        struct.pack_into("<7f", record, 124, *_floats(no_double))
        struct.pack_into("<3f", record, 152, no_double.equity, doubled.equity, 1.0 if passed is None else passed)
        struct.pack_into("<hh", record, 164, level, -1)
        struct.pack_into("<7f", record, 168, *_floats(doubled))

    # Plays

    def _move(self, action: Action, *, edited: bool) -> bytes:
        record = _empty(3)
        state, play, dice = action.state, action.play, action.dice or action.state.dice or (0, 0)
        mover = state.on_roll
        struct.pack_into("26b", record, 9, *_seen_by_first(action.position, mover))
        if play is not None:
            struct.pack_into("26b", record, 35, *to_points(play.result.swapped()))
        steps = _steps(play.steps, dice) if play is not None else [0] * 8
        struct.pack_into("<i8i2ii", record, 64, -1 if mover else 1, *steps, *dice, _power(state, self._automatic))
        analysis = self._analysis(action)
        plays = _listed(analysis)
        best = plays[0] if plays else None
        level = _level(best.method) if best is not None else -1
        struct.pack_into("26b", record, 124, *to_points(action.position))
        struct.pack_into("<iii", record, 152, *dice, max(level, 0))
        rules = int(state.crawford), int(state.jacoby)
        struct.pack_into("<6i", record, 164, *_stakes(state, self._automatic), *rules)
        struct.pack_into("<i", record, 120, len(plays))
        struct.pack_into("<i", record, 188, len(plays))
        rollouts = [-1] * MOST_PLAYS
        for index, each in enumerate(plays):
            struct.pack_into("26b", record, 192 + 26 * index, *to_points(each.play.result.swapped()))
            struct.pack_into("8b", record, 1024 + 8 * index, *_steps(each.play.steps, dice))
            each_level = _level(each.method)
            struct.pack_into("<h", record, 1280 + 4 * index, each_level)
            struct.pack_into("<7f", record, 1408 + 28 * index, *_floats(each.value))
            if each_level == ROLLED_OUT:
                rollouts[index] = self._rollout(each.method, each.value)
        forced = len(action.position.plays(dice)) <= 1 if plays else False
        struct.pack_into("4b", record, 2304, forced, 0, 1, -1)
        error, luck, before = UNJUDGED, UNJUDGED, 0.0
        played = next((each for each in plays if play is not None and each.play.result == play.result), None)
        if best is not None and played is not None:
            assert best.value.equity is not None and played.value.equity is not None  # noqa: PT018
            error = min(played.value.equity - best.value.equity, 0.0)
        if analysis is not None and analysis.luck is not None:
            luck = analysis.luck
            before = (best.value.equity or 0.0) - luck if best is not None else 0.0
        record[2308] = play is not None
        struct.pack_into("<ddixxxxd", record, 2312, error, luck, 1, before)
        struct.pack_into(f"<{MOST_PLAYS}i", record, 2344, *rollouts)
        struct.pack_into("<iii", record, 2472, level, 0 if luck > UNJUDGED else -1, 2 * action.illegal)
        struct.pack_into("b", record, 2510, -1)
        struct.pack_into("<iB", record, 2524, self._comment(action.comment), edited)
        struct.pack_into("<i", record, 2540, self._automatic)
        return bytes(record)

    def _analysis(self, action: Action) -> ForeignAnalysis | None:
        return next((each for each in action.analyses if each.source == self._source), None)

    def _rollout(self, method: Method, value: Value, doubled: Value | None = None) -> int:
        """The number of the record of a rollout."""
        record = bytearray(ROLLOUT)
        trials = method.trials
        struct.pack_into("<i", record, 8, trials)
        struct.pack_into("<iii", record, 24, trials, method.plies or 0, method.plies or 0)
        record[40] = 1
        struct.pack_into("<ii", record, 44, method.plies or 0, method.plies or 0)
        struct.pack_into("<f", record, 72, 1.0)
        struct.pack_into("<i", record, 84, trials)
        struct.pack_into("<i", record, 1872, trials)
        struct.pack_into("<ff", record, 2020, _interval(value), 0.0 if doubled is None else _interval(doubled))
        struct.pack_into("<7f", record, 2028, *_floats(value))
        struct.pack_into("<7f", record, 2056, *(_NOTHING if doubled is None else _floats(doubled)))
        struct.pack_into("<ff", record, 2084, value.equity, 0.0 if doubled is None else doubled.equity)
        struct.pack_into("<i", record, 2140, trials if doubled is not None else 0)
        struct.pack_into("<HH", record, 2170, 2, 10)
        self._rollouts.append(bytes(record))
        return len(self._rollouts) - 1


# Values


def _known(cube: ForeignCube) -> bool:
    """Whether all is known that the file must say of a cube decision."""
    return (
        cube.no_double.probabilities is not None
        and cube.no_double.equity is not None
        and cube.double_take.equity is not None
    )


def _listed(analysis: ForeignAnalysis | None) -> list[ForeignPlay]:
    """The candidates that a record holds: the best ones, and the one that was played."""
    if analysis is None:
        return []
    told = [each for each in analysis.plays if each.value.probabilities is not None and each.value.equity is not None]
    if len(told) > MOST_PLAYS:
        played = analysis.plays[analysis.played] if analysis.played is not None else told[0]
        told = told[:MOST_PLAYS] if played in told[:MOST_PLAYS] else [*told[: MOST_PLAYS - 1], played]
    return told


def _floats(value: Value) -> tuple[float, ...]:
    """Lose backgammon, lose gammon, lose, win, win gammon, win backgammon, equity."""
    if value.probabilities is None:
        return _NOTHING
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = value.probabilities
    return lose_backgammon, lose_gammon, 1.0 - win, win, win_gammon, win_backgammon, value.equity or 0.0


def _cube_errors(cube: ForeignCube, doubled: bool, take: int) -> tuple[tuple[float, float], int]:
    """What doubling and the answer lost (the first positive, the second negative), and what would have been best:
    1 for double, 2 for take."""
    no_double, take_equity = cube.no_double.equity or 0.0, cube.double_take.equity or 0.0
    passed = 1.0 if cube.double_pass is None or cube.double_pass.equity is None else cube.double_pass.equity
    double = min(take_equity, passed)
    best = max(no_double, double)
    answer = 0.0
    if doubled and take >= 0:
        answer = -max(take_equity - passed, 0.0) if take else -max(passed - take_equity, 0.0)
    choice = int(double >= no_double) + 2 * int(take_equity <= passed)
    return (best - (double if doubled else no_double), answer), choice


def _interval(value: Value) -> float:
    """Half of the confidence interval of a rollout's equity."""
    error = value.errors[-1] if value.errors else 0.0
    return _CONFIDENCE * error if math.isfinite(error) else 0.0


def _level(method: Method) -> int:
    """The number of a way of evaluating."""
    if method.trials or method.name == "Rollout":
        return ROLLED_OUT
    if method.name in _NUMBERS:
        return _NUMBERS[method.name]
    if found := _LEVEL.fullmatch(method.name):
        return max(min(int(found[1]), 2**15 - 1), 0)
    return min(max(method.plies or 0, 0), 6)


# Boards and cubes


def _seen_by_first(position: Position, player: int) -> list[int]:
    """The board as player 1 counts it."""
    points = to_points(position)
    return [-count for count in reversed(points)] if player else points


def _steps(steps: Sequence[tuple[int, int, bool]], dice: tuple[int, int]) -> list[int]:
    """Up to four pairs of points, counted from 0; a chequer is borne off to as far as the die reaches."""
    numbers: list[int] = []
    for start, end, _ in steps:
        die = min((die for die in dice if die >= start), default=start)
        numbers += (start - 1, end - 1 if end else start - die - 1)
    return (numbers + [-1] * 8)[:8]


def _beyond_pairs(steps: Sequence[tuple[int, int, bool]]) -> bool:
    """Whether an illegal play keeps its result only: it has more steps than there is room for, or goes backwards."""
    return len(steps) > 4 or any(end >= start for start, end, _ in steps)


def _power(state: MatchState, automatic: int) -> int:
    """The cube as the file has it: 0 in the middle, else its power, negative for player 2."""
    power = state.cube.bit_length() - 1 - automatic
    return 0 if state.cube_owner is None else -power if state.cube_owner else power


def _stakes(state: MatchState, automatic: int) -> tuple[int, int, int, int]:
    """What the player on roll and the other need, the cube, and whose it is, as `owner_for` says."""
    mine, length = state.on_roll, state.length
    aways = (length - state.score[mine], length - state.score[1 - mine]) if length else (-1, -1)
    return *aways, state.cube >> automatic, state.owner_for(mine)


# Records


def _parts(data: bytes | None) -> tuple[bytes, bytes, bytes | None]:
    """The header, the picture and the match record of a file that was kept; nothing where there is none."""
    if data is None or len(data) < HEADER_SIZE:
        return b"", b"", None
    _, _, size, _, picture = HEADER.unpack_from(data)
    try:
        record = zlib.decompressobj().decompress(data[size + picture :], RECORD)
    except zlib.error:
        record = b""
    whole = len(record) == RECORD and struct.unpack_from("<iI", record, 552) >= (24, MATCH_MAGIC)
    return data[:HEADER_SIZE], data[size : size + picture], record if whole and record[8] == 0 else None


def _empty(kind: int) -> bytearray:
    record = bytearray(RECORD)
    record[8] = kind
    return record


def _short(record: bytearray, at: int, text: str, size: int) -> None:
    """A string of single bytes with its length in front."""
    encoded = text.encode("cp1252", errors="replace")[:size]
    record[at : at + 1 + size] = bytes([len(encoded)]) + encoded.ljust(size, b"\0")


def _wide(record: bytearray, at: int, text: str, most: int = _WIDE) -> None:
    """A string of wide characters that ends with a null."""
    encoded = text.encode("utf-16-le", errors="replace")[: 2 * most]
    if len(encoded) > 1 and 0xD8 <= encoded[-1] <= 0xDB:
        encoded = encoded[:-2]  # half a character
    record[at : at + 2 * most + 2] = encoded.ljust(2 * most + 2, b"\0")


def _rtf(text: str) -> str:
    """A comment as the program keeps it, in one line."""
    written = []
    for letter in text:
        if letter == "\n":
            written.append("\\par\x01\x02")
        elif letter in "\\{}":
            written.append("\\" + letter)
        elif letter == "\t":
            written.append("\\tab ")
        elif " " <= letter <= "~":
            written.append(letter)
        elif letter.isprintable() and len(code := letter.encode("cp1252", errors="ignore")) == 1:
            written.append(f"\\'{code[0]:02x}")
        else:
            units = letter.encode("utf-16-le", errors="replace")
            for low, high in zip(units[::2], units[1::2], strict=True):
                number = low + 256 * high
                written.append(f"\\u{number - 65536 if number > 32767 else number}?")
    head = r"{\rtf1\ansi\ansicpg1252\uc1\deff0{\fonttbl{\f0\fcharset0 Arial;}}" + "\x01\x02" + r"\pard\fs20\f0 "
    return head + "".join(written) + "\\par\x01\x02}"


def _whole(number: int) -> int:
    return min(max(number, 0), 10**8 - 1)


def _automatic(game: Game) -> int:
    """How often the cube was turned in the middle before the first roll."""
    first = next(iter(game.actions), None)
    set_so = first is not None and first.kind is ActionKind.SET and first.state.cube_owner is None
    cube = first.state.cube if first is not None and set_so else game.cube
    return cube.bit_length() - 1


def _identity(match: Match) -> int:
    """The number of the match: that of its file, or one made of what was played."""
    text = dict(match.tags).get(MATCH_ID, "")
    if _is_identity(text):
        return int(text)
    dice = [action.dice for game in match.games for action in game.actions]
    return zlib.crc32(repr(([player.name for player in match.players], match.length, dice)).encode()) & 0x7FFFFFFF


def _is_identity(text: str) -> bool:
    return bool(re.fullmatch(r"-?\d{1,10}", text)) and -(2**31) <= int(text) < 2**31


def _days(info: Mapping[str, str]) -> float:
    """The date as days since the end of 1899; 0 where it is not known."""
    moment, _ = moment_of(info, *_SPAN)
    if moment is None:
        return 0.0
    passed = moment - DAY_ZERO
    return passed.days + passed.seconds / 86400


# What is lost


def losses(match: Match) -> list[str]:
    """What is lost beyond the features."""
    lost = []
    actions = [action for game in match.games for action in game.actions]
    if match.variant not in _VARIANTS:
        lost.append(Feature.VARIANT.value)
    if match.beavers not in (0, 3) and not match.length:
        lost.append(Feature.BEAVER_RULE.value)
    if any(
        key.lower() not in UNDERSTOOD_TAGS and not (key == MATCH_ID and _is_identity(text)) for key, text in match.tags
    ):
        lost.append(Feature.TAGS.value)
    lost += moment_lost(match.info, *_SPAN)
    names = [player.name for player in match.players]
    if any(len(text.encode("utf-16-le")) > 2 * _WIDE for text in (*names, *(match.info.get(k, "") for k in _NAMED))):
        lost.append("names of more than 128 characters")
    if any(player.experience and player.rating is None for player in match.players):
        lost.append("experience of players without rating")
    if any(player.rating is not None and player.experience is None for player in match.players):
        lost.append("that the experience of players is not known")
    if any(player.rating is not None and not 0 < player.rating < 1e5 for player in match.players):
        lost.append("ratings that are not above 0")
    if any(player.rating == DEFAULT_RATING and not player.experience for player in match.players):
        lost.append(f"ratings of {DEFAULT_RATING:.0f} without experience")
    remarks = (ActionKind.MOVE, ActionKind.ROLL, ActionKind.DOUBLE)
    alone = match.only_position
    if any(action.comment and action.kind not in remarks and action is not alone for action in actions):
        lost.append("comments on answers to doubles, resignations and positions set by hand")
    if any(action.kind is ActionKind.BEAVER and action.state.beavered > 1 for action in actions):
        lost.append("beavers after a raccoon")
    if any(action.illegal and action.play and _beyond_pairs(action.play.steps) for action in actions):
        lost.append(Feature.ILLEGAL.value)
    source = source_of(match)
    judged = [analysis for action in actions for analysis in action.analyses]
    if any(analysis.source != source for analysis in judged):
        lost.append("analyses of all programs but the first")
    judged = [analysis for analysis in judged if analysis.source == source]
    if any(len(analysis.plays) > MOST_PLAYS for analysis in judged):
        lost.append(f"candidates after the {MOST_PLAYS} best")
    if any(
        len(_listed(analysis)) < min(len(analysis.plays), MOST_PLAYS)
        or (analysis.cube is not None and not _known(analysis.cube))
        for analysis in judged
    ):
        lost.append("values without probabilities or without equity")
    return lost


_NAMED = ("event", "place", "round", "annotator")
