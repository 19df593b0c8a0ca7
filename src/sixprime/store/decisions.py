"""Every judged decision of the matches in the database, a row each, and what can be asked of them.

A row is seen as in `Decision`: by the player who decides, for a take by the one who doubled; what is asked for is seen
by the player who decides, for a take, too. `decision` goes with its row of `session`. Where that has no row of `game`
it is a position that belongs to no match: nobody plays it, its game and move are 0, it is not counted, and `comment` is
the user's note. `alias` holds names that players had; `tag` what the user called a match or one of its turns, which
stays when a match is judged again.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from difflib import get_close_matches
from typing import Any, Literal, get_args

import numpy as np

from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind, Phase, Plan
from sixprime.checks import FLAG, TEXT, Fields, Instance, Maybe, OneOf, Pair, Real, Several, Whole, encodable, refuse
from sixprime.errors import SettingsError
from sixprime.game import numbering
from sixprime.game.position import Position
from sixprime.game.record import Match
from sixprime.game.state import MatchState
from sixprime.report import words
from sixprime.report.phrases import say
from sixprime.store.identity import one_line, plain

SCHEMA = """
CREATE TABLE IF NOT EXISTS decision (
    decision_id INTEGER PRIMARY KEY NOT NULL,
    session_id INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
    player_id INTEGER NOT NULL REFERENCES player ON DELETE RESTRICT,
    opponent_id INTEGER NOT NULL REFERENCES player ON DELETE RESTRICT,
    game_number INTEGER NOT NULL, move_number INTEGER NOT NULL, game INTEGER NOT NULL, action INTEGER NOT NULL,
    side INTEGER NOT NULL, kind TEXT NOT NULL, dice INTEGER NOT NULL, chosen TEXT NOT NULL, best TEXT NOT NULL,
    counted INTEGER NOT NULL, error FLOAT NOT NULL, error_mwc FLOAT NOT NULL, luck FLOAT, phase TEXT NOT NULL,
    plan TEXT NOT NULL, away INTEGER NOT NULL, opponent_away INTEGER NOT NULL, crawford INTEGER NOT NULL,
    cube INTEGER NOT NULL, cube_owner INTEGER NOT NULL, pips INTEGER NOT NULL, opponent_pips INTEGER NOT NULL,
    chequers INTEGER NOT NULL, board BLOB NOT NULL, xgid TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS decision_of_session ON decision (session_id);
CREATE INDEX IF NOT EXISTS decision_by_error ON decision (error);
CREATE TABLE IF NOT EXISTS tag (
    checksum CHAR(33) NOT NULL, game_number INTEGER NOT NULL, move_number INTEGER NOT NULL, side INTEGER NOT NULL,
    tag TEXT NOT NULL, PRIMARY KEY (checksum, game_number, move_number, side, tag)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS alias (
    name TEXT PRIMARY KEY NOT NULL, player_id INTEGER NOT NULL REFERENCES player ON DELETE CASCADE) WITHOUT ROWID;
"""
_COLUMNS = (
    *("session_id", "player_id", "opponent_id", "game_number", "move_number", "game", "action", "side", "kind", "dice"),
    *("chosen", "best", "counted", "error", "error_mwc", "luck", "phase", "plan", "away", "opponent_away", "crawford"),
    *("cube", "cube_owner", "pips", "opponent_pips", "chequers", "board", "xgid"),
)
_INSERT = f"INSERT INTO decision ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
_POINTS = 26
"""Bytes of a side in `board`: chequers off, on its points from the ace point, on the bar."""
_BAR = 25
_CHUNK = 20_000
"""Boards compared at once."""

# Files say dates in many ways. One that is no day or month is not compared with those that are.
DAY = (
    "CASE WHEN s.date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*' THEN substr(s.date, 1, 10) "
    "ELSE substr(s.added, 1, 10) END"
)

Order = Literal["error", "latest", "luck"]
Group = Literal["kind", "phase", "plan", "player", "opponent", "score", "length", "cube", "dice", "month", "tag"]
_GROUPS: dict[str, str] = {
    "kind": "d.kind",
    "phase": "d.phase",
    "plan": "d.plan",
    "player": "p.name",
    "opponent": "o.name",
    "score": "CASE WHEN d.away = 0 THEN 'money' WHEN d.crawford THEN d.away || 'a-' || d.opponent_away || 'a Crawford' "
    "ELSE d.away || 'a-' || d.opponent_away || 'a' END",
    "length": "CASE WHEN s.length = 0 THEN 'money' ELSE s.length || ' points' END",
    "cube": "d.cube || CASE d.cube_owner WHEN 0 THEN ', centred' WHEN 1 THEN ', own' ELSE ', theirs' END",
    "dice": "CASE WHEN d.dice = 0 THEN '' ELSE CAST(d.dice AS TEXT) END",
    "month": f"substr({DAY}, 1, 7)",
    "tag": "n.tag",
}
# Names that differ in case and blanks are one.
_KEYS = {"player": "plain(p.name)", "opponent": "plain(o.name)"}
_ORDERS: dict[str, str] = {
    "error": "d.error DESC, d.decision_id",
    "latest": f"{DAY} DESC, d.session_id DESC, d.game, d.action, d.decision_id",
    "luck": "ABS(d.luck) DESC, d.decision_id",
}
# Of the player who decides: rows of takes are seen by who doubled.
_HIS_PIPS, _OTHER_PIPS = (
    f"CASE d.kind WHEN 'take' THEN d.{answers} ELSE d.{decides} END"
    for decides, answers in (("pips", "opponent_pips"), ("opponent_pips", "pips"))
)
_OWNERS = {"centred": 0, "own": 1, "theirs": -1}
_JOINED = (
    "decision d JOIN session s ON s.session_id = d.session_id JOIN player p ON p.player_id = d.player_id "
    "JOIN player o ON o.player_id = d.opponent_id"
)
_TAGGED = (
    "t.checksum = s.checksum AND (t.game_number = 0 OR (t.game_number, t.move_number) = (d.game_number, d.move_number) "
    "AND t.side IN (-1, d.side))"
)
_WORD = re.compile(r"(\d{1,2}|bar|off)(?:([:=])(\d{1,2}))?")
_PLACE = re.compile(r"(\d{1,9})(?:\.(\d{1,6})\.(\d{1,6})(?::([12]))?)?")


_ON_POINT = Fields(point=Whole(0, _BAR), least=Whole(0, 255), most=Whole(0, 255))


@dataclass(frozen=True, slots=True)
class OnPoint:
    """Chequers of one side: from `least` to `most` on a point, by that side's own numbers; 0 is off, 25 the bar."""

    point: int
    least: int
    most: int

    def __post_init__(self) -> None:
        _ON_POINT(self)

    @classmethod
    def parse(cls, text: str) -> tuple[OnPoint, ...]:
        """What `6,5:3,bar=0` asks for: two or more on the 6 point, three or more on the 5 point, none on the bar.

        Raises SettingsError.
        """
        TEXT("text", text)
        found = []
        for word in text.replace(",", " ").split():
            match = _WORD.fullmatch(word)
            name, sign, number = match.groups() if match is not None else ("", None, None)
            point = {"off": 0, "bar": _BAR}.get(name, int(name) if name.isdigit() else -1)
            if match is None or not 0 <= point <= _BAR or (name.isdigit() and not 1 <= point < _BAR):
                raise SettingsError(
                    "chequers on points are written as 6 (two or more there), 6:3 (three or more), 6=1 (exactly one), "
                    f"bar:1 or off:5, several with commas between, points from 1 to 24. Got {word!r} instead."
                )
            count = int(number) if number is not None else 1 if point in (0, _BAR) else 2
            found.append(cls(point, count, count if sign == "=" else 255))
        return tuple(found)


_MANY, _MOST = 10_000, 1e6
_PIPS = Maybe(Pair(Whole(-_MANY, _MANY)))
_CHEQUERS = Several(Instance(OnPoint), 60)
_QUERY = Fields(
    player=TEXT,
    opponent=TEXT,
    matches=Several(Whole(1, 2**62), _MANY),
    kinds=Several(Instance(DecisionKind), 10),
    phases=Several(Instance(Phase), 10),
    plans=Several(Instance(Plan), 10),
    least=Maybe(Real(0, _MOST)),
    most=Maybe(Real(0, _MOST)),
    counted=FLAG,
    score=Maybe(Pair(Whole(0, _MANY))),
    length=Maybe(Whole(0, _MANY)),
    crawford=Maybe(FLAG),
    alone=Maybe(FLAG),
    cube=Maybe(Whole(1, 2**30)),
    owner=Maybe(OneOf(*_OWNERS)),
    dice=Maybe(Pair(Whole(1, 6))),
    pips=_PIPS,
    lead=_PIPS,
    own=_CHEQUERS,
    theirs=_CHEQUERS,
    **dict.fromkeys(("since", "until", "event", "chosen", "best", "tag"), TEXT),
)
_TEXTS = ("player", "opponent", "event", "chosen", "best", "tag")


@dataclass(frozen=True, slots=True)
class Query:
    """Which decisions are wanted; a field that is None or empty asks for nothing.

    player, opponent: who decided, and against whom, by name. matches: their numbers. kinds, phases, plans: any of
    these. least, most: equity lost. counted: only those that count for error rates. score: points both still need, the
    player's first, (0, 0) for money. length: of the match, 0 for money. crawford: whether it is that game. cube: its
    value; owner: whose it is. dice: in either order. pips: of the player, lead: his pips less the opponent's, from and
    to. own, theirs: chequers of the player and of the opponent. since, until: dates as 2026-11-27, both included.
    event, chosen, best: parts of these texts. tag: of the match or the turn. alone: whether it is a position that
    belongs to no match. Raises SettingsError for fields of another kind, texts not in UTF-8 and days that are none.
    """

    player: str = ""
    opponent: str = ""
    matches: tuple[int, ...] = ()
    kinds: tuple[DecisionKind, ...] = ()
    phases: tuple[Phase, ...] = ()
    plans: tuple[Plan, ...] = ()
    least: float | None = None
    most: float | None = None
    counted: bool = False
    score: tuple[int, int] | None = None
    length: int | None = None
    crawford: bool | None = None
    cube: int | None = None
    owner: Literal["centred", "own", "theirs"] | None = None
    dice: tuple[int, int] | None = None
    pips: tuple[int, int] | None = None
    lead: tuple[int, int] | None = None
    own: tuple[OnPoint, ...] = ()
    theirs: tuple[OnPoint, ...] = ()
    since: str = ""
    until: str = ""
    event: str = ""
    chosen: str = ""
    best: str = ""
    tag: str = ""
    alone: bool | None = None

    def __post_init__(self) -> None:
        _QUERY(self)
        for name in _TEXTS:
            encodable(name, getattr(self, name))
        for name in ("since", "until"):
            _check_day(name, getattr(self, name))

    @classmethod
    def of(cls, asked: object, **parts: Any) -> Query:
        """What a face is asked: parts, and all else as the attributes of the same names; None asks for nothing."""
        given = {each.name: getattr(asked, each.name, None) for each in fields(cls)} | parts
        return cls(**{name: value for name, value in given.items() if value is not None})


def _check_day(name: str, text: str) -> None:
    try:
        sound = not text or date.fromisoformat(text).isoformat() == text
    except ValueError:
        sound = False
    if not sound:
        refuse(name, "a day such as 2026-01-31", text)


@dataclass(frozen=True, slots=True)
class Found:
    """A decision that fits.

    match: number of its match, checksum: the match itself. names: of both players; player: 0 or 1. game, move: numbers,
    0 for a position that belongs to no match, which has a number, no names, nothing chosen and perhaps a `note`.
    action: its index in the game, which has the index `index`. dice: the larger first. error: equity lost, error_mwc
    likewise (points for money). position: of whoever is on roll; xgid: empty where no XGID can hold it. distance: pips
    that its chequers are away from the position that was asked for.
    """

    match: int
    checksum: str
    names: tuple[str, str]
    length: int
    date: str
    event: str
    game: int
    move: int
    index: int
    action: int
    player: int
    kind: DecisionKind
    dice: tuple[int, int] | None
    chosen: str
    best: str
    counted: bool
    error: float
    error_mwc: float
    luck: float | None
    phase: Phase
    plan: Plan
    position: Position
    xgid: str
    note: str = ""
    distance: int | None = None

    @property
    def alone(self) -> bool:
        """Whether it belongs to no match."""
        return not self.move

    @property
    def place(self) -> str:
        """The turn as it is named: 12.3.14:1; a position that belongs to no match by its number."""
        return str(self.match) if self.alone else f"{self.match}.{self.game}.{self.move}:{self.player + 1}"


@dataclass(frozen=True, slots=True)
class Sum:
    """What decisions of one group lost: how many count, the equity they lost, as `Tally`, and how many are marked."""

    name: str
    decisions: int
    error: float
    errors: int

    @property
    def pr(self) -> float:
        """Performance rating: 500 x equity lost per decision."""
        return 500 * self.error / self.decisions if self.decisions else 0.0


_TURN = Fields(match=Whole(0, 2**62), game=Whole(0, 2**62), move=Whole(0, 2**62), player=Maybe(Whole(0, 1)))


@dataclass(frozen=True, slots=True)
class Turn:
    """A match by its number, or one of its turns: game 0, and no more, for all of it, player None for both."""

    match: int
    game: int = 0
    move: int = 0
    player: int | None = None

    def __post_init__(self) -> None:
        _TURN(self)
        if not self.game and (self.move or self.player is not None):
            raise SettingsError(
                f"a turn must have the number of its game, from 1. Got match {self.match}, game 0 instead."
            )

    @classmethod
    def parse(cls, text: str) -> Turn:
        """What `12`, `12.3.14` or `12.3.14:2` names. Raises SettingsError."""
        TEXT("text", text)
        match = _PLACE.fullmatch(text)
        if match is None:
            raise SettingsError(
                "a match is named by its number, such as 12, a turn by match, game and move, such as 12.3.14, with :1 "
                f"or :2 for one of the players. Got {text!r} instead."
            )
        number, game, move, player = match.groups()
        return cls(int(number), int(game or 0), int(move or 0), int(player) - 1 if player else None)


def named(one: str, two: str) -> tuple[str, str]:
    """Both players as they are shown: never empty."""
    return one or say("player", number=1), two or say("player", number=2)


def insert(db: sqlite3.Connection, session: int, players: tuple[int, int], analysed: AnalysedMatch) -> None:
    """Adds the decisions of a match. players: numbers of both."""
    games = analysed.match.games
    alone = analysed.match.only_position is not None
    places = ((0, 0) if alone else (games[each.game].number, each.move_number) for each in analysed.decisions)
    rows = zip(places, analysed.decisions, strict=True)
    db.executemany(_INSERT, (_row(session, players, place, each) for place, each in rows))


def _row(session: int, players: tuple[int, int], place: tuple[int, int], decision: Decision) -> tuple[Any, ...]:
    state, position, mine = decision.state, decision.position, decision.player
    length = state.length
    pips, other_pips = position.pips
    return (
        *(session, players[mine], players[1 - mine]),
        *(*place, decision.game, decision.action, mine, decision.kind.value),
        0 if decision.dice is None else number_of(decision.dice),
        *(decision.chosen, decision.best),
        # A fresh analysis has numbers of NumPy, which SQLite would keep as bytes.
        *(bool(decision.counted), float(decision.error), float(decision.error_mwc)),
        None if decision.luck is None else float(decision.luck),
        *(decision.phase.value, decision.plan.value),
        *((length - state.score[mine], length - state.score[1 - mine]) if length else (0, 0)),
        *(bool(state.crawford), state.cube, state.owner_for(mine), pips, other_pips),
        *(position.chequers, board_of(position), words.xgid(decision)),
    )


def number_of(dice: tuple[int, int]) -> int:
    """A roll as `dice` has it: the larger die first."""
    return 10 * max(dice) + min(dice)


def decided(position: Position, state: MatchState) -> Position:
    """A position as the player sees it who decides."""
    return position if state.decider == state.on_roll else position.swapped()


def board_of(position: Position) -> bytes:
    """26 counts of the player on roll and 26 of the other: chequers off, on the points, on the bar."""
    sides = position.player, position.opponent
    return b"".join(bytes((max(position.chequers - sum(side), 0), *side)) for side in sides)


def _position(board: bytes, chequers: int) -> Position:
    return Position(tuple(board[_POINTS + 1 :]), tuple(board[1:_POINTS]), chequers)


def search(
    db: sqlite3.Connection,
    query: Query,
    *,
    like: Position | None = None,
    order: Order = "error",
    count: int | None = 50,
) -> tuple[list[Found], int]:
    """The first decisions that fit, and how many there are in all. like: nearest to this position, seen by the player
    who decides, come first.

    Raises SettingsError for a player who is not there and for what cannot be asked.
    """
    Instance(Query)("query", query)
    Maybe(Instance(Position))("like", like)
    OneOf(*get_args(Order))("order", order)
    Maybe(Whole(0, 2**62))("count", count)
    where, values = _conditions(db, query)
    if like is None:
        number = int(db.execute(f"SELECT COUNT(*) FROM {_JOINED} WHERE {where}", values).fetchone()[0])
        more = f"{where} ORDER BY {_ORDERS[order]} LIMIT ?"
        return [_found(row) for row in _rows(db, more, (*values, -1 if count is None else count))], number
    near, number = _nearest(db, where, values, like, count)
    found: dict[int, Found] = {}
    for first in range(0, len(near), 500):
        numbers = [each for _, each in near[first : first + 500]]
        for row in _rows(db, f"d.decision_id IN ({', '.join('?' * len(numbers))})", numbers):
            found[row[-1]] = _found(row)
    return [replace(found[each], distance=distance) for distance, each in near], number


def sums(db: sqlite3.Connection, query: Query, by: Group, marked: float) -> tuple[list[Sum], Sum]:
    """What the decisions that fit and count lost: by groups, the most costly first, and all together.

    marked: where errors begin. Grouped by tags are those that have some. Raises SettingsError as `search` does.
    """
    Instance(Query)("query", query)
    OneOf(*get_args(Group))("by", by)
    Real(0, _MOST)("marked", marked)
    where, values = _conditions(db, replace(query, counted=True))
    joined = _JOINED
    if by == "tag":
        # A match may have the tag that one of its turns has, too.
        tagged = f"EXISTS (SELECT 1 FROM tag t WHERE {_TAGGED} AND t.tag = n.tag)"
        joined += f" JOIN (SELECT DISTINCT tag FROM tag) n ON {tagged}"
    db.create_function("plain", 1, plain, deterministic=True)
    rows = db.execute(
        f"SELECT MIN({_GROUPS[by]}), COUNT(*), SUM(d.error), SUM(d.error >= ?) FROM {joined} WHERE {where} "
        f"GROUP BY {_KEYS.get(by, _GROUPS[by])} ORDER BY SUM(d.error) DESC, 1",
        (marked, *values),
    )
    groups = [Sum(*row) for row in rows]
    some = f"{where} AND EXISTS (SELECT 1 FROM tag t WHERE {_TAGGED})" if by == "tag" else where
    row = db.execute(
        f"SELECT COUNT(*), TOTAL(d.error), COALESCE(SUM(d.error >= ?), 0) FROM {_JOINED} WHERE {some}",
        (marked, *values),
    ).fetchone()
    return groups, Sum("", *row)


def _rows(db: sqlite3.Connection, where: str, values: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    yield from db.execute(
        "SELECT d.session_id, s.checksum, CASE d.side WHEN 0 THEN p.name ELSE o.name END, "
        f"CASE d.side WHEN 0 THEN o.name ELSE p.name END, s.length, {DAY}, s.event, "
        "d.game_number, d.move_number, d.game, d.action, d.side, d.kind, d.dice, d.chosen, d.best, d.counted, d.error, "
        "d.error_mwc, d.luck, d.phase, d.plan, d.board, d.chequers, d.xgid, s.comment, d.decision_id "
        f"FROM {_JOINED} WHERE {where}",
        values,
    )


def _found(row: tuple[Any, ...]) -> Found:
    match, checksum, one, two, length, date, event, *rest = row
    game, move, index, action, side, kind, dice, chosen, best, counted, *more = rest
    error, error_mwc, luck, phase, plan, board, chequers, xgid, note, _ = more
    return Found(
        *(match, checksum, named(one, two) if move else ("", ""), length, date, event),
        *(game, move, index, action, side, DecisionKind(kind)),
        (dice // 10, dice % 10) if dice else None,
        *(chosen, best, bool(counted), error, error_mwc, luck, Phase(phase), Plan(plan)),
        _position(board, chequers),
        xgid,
        "" if move else note,
    )


def _nearest(
    db: sqlite3.Connection, where: str, values: Sequence[Any], like: Position, count: int | None
) -> tuple[list[tuple[int, int]], int]:
    """Distance and number of the nearest decisions that fit, the most costly of equally near ones first, and how many
    fit in all.

    The distance is the pips by which chequers of both sides must be moved, whatever way, to make one position of the
    other: the sum over all points of how many more chequers one has below it than the other.
    """
    wanted = np.frombuffer(board_of(like), np.uint8).reshape(2, _POINTS).astype(np.int16).cumsum(1)
    # Matches are joined only where something is asked of them.
    table = "decision d" if where == "1" else _JOINED
    query = f"SELECT d.decision_id, d.error, d.board, d.kind = 'take' FROM {table} WHERE {where} AND d.chequers = ?"
    rows = db.execute(query, (*values, like.chequers))
    numbers, distances, errors = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0)]
    while chunk := rows.fetchmany(_CHUNK):
        boards = np.frombuffer(b"".join([board for _, _, board, _ in chunk]), np.uint8).reshape(-1, 2, _POINTS)
        answers = np.array([take for _, _, _, take in chunk], bool)
        boards = np.where(answers[:, None, None], boards[:, ::-1], boards)
        numbers.append(np.array([number for number, _, _, _ in chunk]))
        errors.append(np.array([error for _, error, _, _ in chunk]))
        distances.append(np.abs(boards.cumsum(2, dtype=np.int16) - wanted).sum((1, 2), dtype=np.int64))
    every, apart = np.concatenate(numbers), np.concatenate(distances)
    order = np.lexsort((every, -np.concatenate(errors), apart))[:count]
    return list(zip(apart[order].tolist(), every[order].tolist(), strict=True)), len(every)


def _conditions(db: sqlite3.Connection, query: Query) -> tuple[str, tuple[Any, ...]]:
    """What is asked as SQL, and its values."""
    parts: list[str] = []
    values: list[Any] = []

    def add(text: str, *given: Any) -> None:
        parts.append(text)
        values.extend(given)

    def any_of(column: str, given: Iterable[Any]) -> None:
        if wanted := tuple(given):
            add(f"{column} IN ({', '.join('?' * len(wanted))})", *wanted)

    if query.player:
        any_of("d.player_id", _players(db, query.player))
    if query.opponent:
        any_of("d.opponent_id", _players(db, query.opponent))
    any_of("d.session_id", query.matches)
    any_of("d.kind", (each.value for each in query.kinds))
    any_of("d.phase", (each.value for each in query.phases))
    any_of("d.plan", (each.value for each in query.plans))
    if query.counted:
        add("d.counted")
    if query.alone is not None:
        add("d.move_number = 0" if query.alone else "d.move_number > 0")
    for column, compared, given in (
        ("d.error", ">=", query.least),
        ("d.error", "<=", query.most),
        ("s.length", "=", query.length),
        ("d.crawford", "=", query.crawford),
        ("d.cube", "=", query.cube),
        ("d.cube_owner", "=", None if query.owner is None else _OWNERS[query.owner]),
        ("d.dice", "=", None if query.dice is None else number_of(query.dice)),
        (DAY, ">=", query.since or None),
        (DAY, "<=", query.until or None),
    ):
        if given is not None:
            add(f"{column} {compared} ?", given)
    if query.score is not None:
        add("(d.away, d.opponent_away) = (?, ?)", *query.score)
    if query.pips is not None:
        add(f"{_HIS_PIPS} BETWEEN ? AND ?", *query.pips)
    if query.lead is not None:
        add(f"({_HIS_PIPS}) - ({_OTHER_PIPS}) BETWEEN ? AND ?", *query.lead)
    for start, other, side in ((1, 1 + _POINTS, query.own), (1 + _POINTS, 1, query.theirs)):
        for each in side:
            # Bytes are compared as bytes.
            place = f"CASE d.kind WHEN 'take' THEN {other + each.point} ELSE {start + each.point} END"
            if each.least:
                add(f"substr(d.board, {place}, 1) >= ?", bytes((each.least,)))
            if each.most < 255:
                add(f"substr(d.board, {place}, 1) <= ?", bytes((each.most,)))
    if query.event:
        db.create_function("plain", 1, plain, deterministic=True)
        add("d.session_id IN (SELECT session_id FROM session WHERE instr(plain(event), ?) > 0)", plain(query.event))
    for column, text in (("d.chosen", query.chosen), ("d.best", query.best)):
        if text:
            add(f"' ' || lower({column}) || ' ' GLOB ?", _glob(text.lower()))
    if query.tag:
        add("s.checksum IN (SELECT checksum FROM tag WHERE tag = ?)", query.tag)
        add(f"EXISTS (SELECT 1 FROM tag t WHERE {_TAGGED} AND t.tag = ?)", query.tag)
    return " AND ".join(parts) or "1", tuple(values)


def _glob(text: str) -> str:
    """A pattern for texts with this in them: 6/5 is no part of 16/5, nor 13/1 of 13/10."""
    inner = re.sub(r"([*?[])", r"[\1]", text)
    first, last = ("[^0-9]" if each.isdigit() else "" for each in (text[0], text[-1]))
    return f"*{first}{inner}{last}*"


def _players(db: sqlite3.Connection, name: str) -> list[int]:
    """The numbers of a player. Raises SettingsError for one who is not there, with some who are."""
    everybody = db.execute(
        "SELECT player_id, name FROM player WHERE player_id IN "
        "(SELECT player_id0 FROM session UNION SELECT player_id1 FROM session) AND name != '' ORDER BY player_id"
    ).fetchall()
    if found := [int(number) for number, each in everybody if plain(each) == plain(name)] or _formerly(db, name):
        return found
    names = {plain(each): each for _, each in everybody}
    alike = [key for key in names if plain(name) in key] or get_close_matches(plain(name), names, 5)
    near = [names[key] for key in alike or names]
    some = ", ".join(near[:5]) + (", ..." if len(near) > 5 else "")
    raise SettingsError(f"no player in the library is called {name!r}" + (f"; there are {some}" if near else ""))


# Names and tags

_LONGEST = 80
_OF_PLAYERS = {
    "session": ("player_id0", "player_id1"),
    "game": ("player_id0", "player_id1"),
    "matchstat": ("player_id",),
    "gamestat": ("player_id",),
    "decision": ("player_id", "opponent_id"),
    "alias": ("player_id",),
}


def _formerly(db: sqlite3.Connection, name: str) -> list[int]:
    """The number of the player who had this name before he was renamed, if there is one."""
    return [int(number) for (number,) in db.execute("SELECT player_id FROM alias WHERE name = ?", (plain(name),))]


def _by_now(db: sqlite3.Connection, name: str) -> list[int]:
    """The numbers of everybody who has this name, in whatever case."""
    rows = db.execute("SELECT player_id, name FROM player ORDER BY player_id")
    return [int(number) for number, each in rows if plain(each) == plain(name)]


def known_as(db: sqlite3.Connection, name: str) -> int | None:
    """The number of the player who has this name, or had it before he was renamed; None for nobody."""
    found = db.execute("SELECT player_id FROM player WHERE name = ?", (name,)).fetchone()
    return next(iter(_formerly(db, name)), None) if found is None else int(found[0])


def called(db: sqlite3.Connection, name: str) -> list[int]:
    """The numbers of everybody who has this name, in whatever case, or had it."""
    return list(dict.fromkeys((*_by_now(db, name), *_formerly(db, name))))


def rename(db: sqlite3.Connection, name: str, new: str) -> str:
    """Gives a player another name; if somebody has it, both are one from now on. Returns the name as it stands now.

    Matches that are added later under the former name are his, too. Raises SettingsError for somebody who is not there,
    a name without letters, and two who played against each other.
    """
    encodable("name", name)
    new = one_line("a name", new, 1, _LONGEST)
    former, same = _players(db, name), _by_now(db, new)
    target = (same or former)[0]
    both = sorted({*former, *same})
    few = ", ".join("?" * len(both))
    against = db.execute(
        f"SELECT session_id FROM session WHERE player_id0 IN ({few}) AND player_id1 IN ({few})", (*both, *both)
    ).fetchone()
    if against is not None:
        raise SettingsError(
            f"{name} and {new} cannot be one player: they played against each other, match {against[0]}"
        )
    for table, columns in _OF_PLAYERS.items():
        for column in columns:
            db.execute(f"UPDATE {table} SET {column} = ? WHERE {column} IN ({few})", (target, *both))
    db.execute(f"DELETE FROM player WHERE player_id IN ({few}) AND player_id != ?", (*both, target))
    if target in former:
        db.execute("UPDATE player SET name = ? WHERE player_id = ?", (new, target))
    db.execute("INSERT OR REPLACE INTO alias VALUES (?, ?)", (plain(name), target))
    db.execute("DELETE FROM alias WHERE name = ?", (plain(new),))
    return str(db.execute("SELECT name FROM player WHERE player_id = ?", (target,)).fetchone()[0])


def checked_tag(tag: str) -> str:
    """A tag as it is kept. Raises SettingsError for one without letters."""
    return one_line("a tag", tag, 1, _LONGEST)


def set_tag(db: sqlite3.Connection, turn: Turn, tag: str, *, on: bool) -> bool:
    """Gives a match or turn a tag, or takes it away. Returns whether that changed anything.

    Raises SettingsError for a match or turn that is not there, and for a tag without letters.
    """
    Instance(Turn)("turn", turn)
    tag = checked_tag(tag)
    found = db.execute("SELECT checksum FROM session WHERE session_id = ?", (turn.match,)).fetchone()
    if found is None:
        raise SettingsError(f"there is no match {turn.match} in the library")
    if turn.game:
        there = db.execute(
            "SELECT 1 FROM decision WHERE session_id = ? AND game_number = ? AND move_number = ? AND side IN (?, ?)",
            (turn.match, turn.game, turn.move, *((0, 1) if turn.player is None else (turn.player,) * 2)),
        ).fetchone()
        if there is None:
            raise SettingsError(f"match {turn.match} has no decision in game {turn.game}, move {turn.move}")
    row = (found[0], turn.game, turn.move, -1 if turn.player is None else turn.player, tag)
    if on:
        return bool(db.execute("INSERT OR IGNORE INTO tag VALUES (?, ?, ?, ?, ?)", row).rowcount)
    return bool(
        db.execute(
            "DELETE FROM tag WHERE (checksum, game_number, move_number, side, tag) = (?, ?, ?, ?, ?)", row
        ).rowcount
    )


def move_tags(db: sqlite3.Connection, former: str, digest: str, across: tuple[int, Match] | None = None) -> None:
    """Gives a match the tags of a former record of it. across: the number of that record, and the match, where its
    players had other seats there."""
    if former == digest and across is None:
        return
    found = db.execute("SELECT game_number, move_number, side, tag FROM tag WHERE checksum = ?", (former,)).fetchall()
    db.execute("DELETE FROM tag WHERE checksum = ?", (former,))
    for *turn, tag in found:
        now = turn if across is None else _turn_across(db, *across, *turn)
        db.execute("INSERT OR IGNORE INTO tag VALUES (?, ?, ?, ?, ?)", (digest, *now, tag))


def _turn_across(
    db: sqlite3.Connection, number: int, match: Match, game: int, move: int, side: int
) -> tuple[int, int, int]:
    """Where a turn of a record stands in a match whose players have changed seats: in each row player 0 comes first."""
    action = db.execute(
        "SELECT MIN(action) FROM decision "
        "WHERE session_id = ? AND game_number = ? AND move_number = ? AND ? IN (-1, side)",
        (number, game, move, side),
    ).fetchone()[0]
    played = next((each.actions for each in match.games if each.number == game), ())
    if action is not None and action < len(played):
        move = numbering.rows(played)[action]
    return game, move, side if side < 0 else 1 - side


def tags(db: sqlite3.Connection) -> list[tuple[str, int]]:
    """Every tag, and how many matches and turns have it."""
    query = "SELECT tag, COUNT(*) FROM tag WHERE checksum IN (SELECT checksum FROM session) GROUP BY tag ORDER BY tag"
    return db.execute(query).fetchall()
