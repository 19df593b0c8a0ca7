"""`.xg`, `.xgp`: matches and positions of eXtreme Gammon, with its analyses.

The layout is published at extremegammon.com/XGformat.aspx and may be redistributed freely. A header of 8232 bytes and
a picture are followed by an archive whose index stands at its end; its member `temp.xg` holds records of 2560 bytes:
the match, each game, each cube decision and each play, with the positions as signed counts of chequers. `temp.xgr`
holds the rollouts, `temp.xgc` the comments as RTF, one a line.

A file that is sound is kept whole in `Match.extras`, from which `_xg_write.py` takes what a `Match` has no place for.

Sizes in the file are not trusted: parts are unpacked piece by piece, and reading ends where the result would be
larger than such a file has reason to be.
"""

from __future__ import annotations

import math
import re
import struct
import zlib
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import NamedTuple

from sixprime.errors import IllegalPlayError, InvalidFileError
from sixprime.formats._board import from_points
from sixprime.formats._format import PLAIN_MATCH, Feature, Format, Holds
from sixprime.formats._position import position_match
from sixprime.formats._recorder import Dice
from sixprime.formats._script import HIDDEN, NO_MOVE, Kind, Script, ScriptGame, replay
from sixprime.formats._text import Document, decode, plain
from sixprime.formats._xg_write import (
    ANALYSED_BY,
    DAY_ZERO,
    DAYS,
    DEFAULT_RATING,
    ENTRY,
    FILE,
    GAMES,
    HEADER,
    LEVELS,
    MAGIC,
    MATCH_ID,
    MATCH_MAGIC,
    MONEY,
    RECORD,
    ROLLED_OUT,
    ROLLOUT,
    SOURCE,
    TAIL,
    file_comment,
    kept_file,
    losses,
    write_match,
    write_position,
)
from sixprime.game.match_rules import LONGEST_MATCH, Rules, quiet
from sixprime.game.outcomes import cubeless
from sixprime.game.play import Play, apply_steps
from sixprime.game.position import Position
from sixprime.game.record import (
    MAKING,
    ForeignAnalysis,
    ForeignCube,
    ForeignPlay,
    Match,
    Method,
    Player,
    Problem,
    Value,
    with_made_by,
)
from sixprime.game.rules import Step
from sixprime.game.state import MatchState
from sixprime.game.variants import get_variant

NAME = "xg"

_NO_ERROR = -999.0  # errors below were not judged
_LARGEST_KEPT = 4 << 20  # bytes; real files have a tenth of it

# What reading may cost: bytes of memory for each byte of the file, and for any file.
_COST_FACTOR, _LEAST_COST = 40, 4 << 20
_RECORD_COST, _PLAY_COST = 1500, 1200
_LARGEST_TEXT = 4 << 20
_SEARCH_FACTOR = 64
_MOST_MEMBERS = 16
_BITE = 1 << 10

_HOW = re.compile(rf"(\d{{1,5}}) {GAMES} (.*)")

_SITES = (
    *("GammonSite", "FIBS", "TrueMoneyGames", "GridGammon", "DailyGammon", "NetGammon", "VOG", "GammonEmpire"),
    *("Club Games", "PartyGammon", "Xciting", "BGRoom", "DiceArena", "Safe Harbor Games", "GameAccount", "XG Mobile"),
)


def detect(document: Document) -> bool:
    """Whether a file begins as those of eXtreme Gammon do."""
    return document.data.startswith(MAGIC)


def read(document: Document) -> list[Match]:
    """The match or position of a file. Raises InvalidFileError when it holds none."""
    reader = _Reader(document)
    match = reader.match()
    if reader.damaged or len(document.data) > _LARGEST_KEPT:
        return [match]
    return [replace(match, extras=((FILE, b64encode(document.data).decode("ascii")),))]


def write(matches: Sequence[Match]) -> bytes:
    """The file of a match: the one that it was read from, where nothing was changed since."""
    (match,) = matches
    kept = kept_file(match)
    return kept if kept is not None and _unchanged(match, kept) else write_match(match)


def _unchanged(match: Match, kept: bytes) -> bool:
    try:
        original = _Reader(Document(kept)).match()
    except InvalidFileError:
        return False
    same = replace(original, source=match.source, format=match.format, problems=match.problems, extras=match.extras)
    return match == same


# The archive


class _Member(NamedTuple):
    """A file within the archive. start: of its bytes in the whole file."""

    name: str
    start: int
    size: int
    packed: bool


class _Archive:
    """The parts of a file. problems: message and offset of the byte."""

    def __init__(self, document: Document) -> None:
        self.data = data = document.data
        self.problems: list[tuple[str, int]] = []
        path = document.name or None
        if len(data) < HEADER.size or not data.startswith(MAGIC):
            raise InvalidFileError("the header of a file of eXtreme Gammon is missing", path=path, offset=0)
        _, _, header, _, picture = HEADER.unpack_from(data)
        self.start = header + picture
        if not HEADER.size <= self.start < len(data):
            raise InvalidFileError(
                f"the archive should begin at byte {self.start}, but there are {len(data)}", path=path, offset=8
            )
        self.members = self._index() or self._search()
        if self.members == [_Member("temp.xg", self.start, len(data) - self.start, True)]:
            self.problems.clear()  # nothing is missing: other programs write the game alone, without an index
        if not any(member.name == "temp.xg" for member in self.members):
            raise InvalidFileError("the archive holds no game (temp.xg)", path=path, offset=self.start)

    def _index(self) -> list[_Member]:
        """The members as the index at the end lists them; none when it is damaged."""
        end = len(self.data) - TAIL.size
        if end < self.start:
            self.problems.append(("the index of the archive is missing", len(self.data)))
            return []
        check, count, _, index_size, size, packed = TAIL.unpack_from(self.data, end)
        first = end - index_size - size
        if not (0 < index_size <= end - self.start and size >= 0 and first >= self.start and 0 < count < 100):
            self.problems.append(("the index of the archive is damaged", end))
            return []
        if zlib.crc32(self.data[first:end]) != check:
            self.problems.append(("the checksum of the archive is wrong: the file was damaged", end))
        raw = self.data[end - index_size : end]
        if packed:
            raw = _unpack(raw, ENTRY * count + 1)
        members = []
        for at in range(0, min(len(raw), ENTRY * count) - ENTRY + 1, ENTRY):
            name = raw[at + 1 : at + 1 + raw[at]].decode("latin-1")
            _, length, start = struct.unpack_from("<iii", raw, at + 512)
            if start >= 0 and 0 < length <= end - first - start:
                members.append(_Member(name, first + start, length, raw[at + 528] == 0))
            else:
                self.problems.append((f"{name[:40]!r} does not lie within the archive", end - index_size))
        return members

    def _search(self) -> list[_Member]:
        """The members by what they hold: zlib streams, one after the other."""
        members: list[_Member] = []
        at, budget = self.start, max(_SEARCH_FACTOR * len(self.data), _LEAST_COST)
        for _ in range(_MOST_MEMBERS):
            stream = zlib.decompressobj()
            head, end = b"", 0
            try:
                # Only the head counts; the rest is unpacked to find the end, and thrown away.
                for piece, end in _pieces(stream, memoryview(self.data)[at:]):  # noqa: B007
                    head = (head + piece)[:600] if len(head) < 600 else head
                    budget -= len(piece)
                    if budget < 0:
                        break
            except zlib.error:
                if len(head) < 600:
                    break
            size = end - len(stream.unused_data) if stream.eof else len(self.data) - at
            if len(head) >= 560 and struct.unpack_from("<I", head, 556)[0] == MATCH_MAGIC:
                # The summary temp.xgi begins like the game, but has two records only.
                members.append(_Member("temp.xg", at, size, True))
            elif head.startswith(b"{\\rtf"):
                members.append(_Member("temp.xgc", at, size, True))
            if not stream.eof:
                break
            at += size
        return members

    def open(self, name: str) -> Iterator[bytes]:
        """The content of a member, in pieces; it ends early where it is damaged."""
        # Where the index is lost, the game is the longest of what looks like it.
        found = [member for member in self.members if member.name == name]
        if not found:
            return
        member = max(found, key=lambda member: member.size)
        raw = memoryview(self.data)[member.start : member.start + member.size]
        if not member.packed:
            for at in range(0, len(raw), 1 << 14):
                yield bytes(raw[at : at + (1 << 14)])
            return
        stream = zlib.decompressobj()
        try:
            yield from (piece for piece, _ in _pieces(stream, raw))
        except zlib.error as error:
            self.problems.append((f"{name} is damaged: {error}", member.start))
            return
        if not stream.eof:
            self.problems.append((f"{name} ends too early", member.start + member.size))

    def records(self, name: str, size: int) -> Iterator[bytes]:
        """The records of a member; a last one that is not whole comes as it is."""
        rest = b""
        for piece in self.open(name):
            rest += piece
            whole = len(rest) // size * size
            for at in range(0, whole, size):
                yield rest[at : at + size]
            rest = rest[whole:]
        if rest:
            yield rest

    def content(self, name: str, limit: int) -> bytes:
        """The first `limit` bytes of a member."""
        found = b""
        for piece in self.open(name):
            found += piece
            if len(found) >= limit:
                self.problems.append((f"{name} is larger than {limit} bytes; the rest is left out", self.start))
                return found[:limit]
        return found


def _pieces(stream: zlib._Decompress, data: memoryview) -> Iterator[tuple[bytes, int]]:
    """What `stream` makes of `data`, with how many bytes it was given for it; up to its own end, which may come before
    that of the data. Raises zlib.error."""
    for at in range(0, len(data), _BITE):
        packed: bytes | memoryview = data[at : at + _BITE]
        while not stream.eof:
            piece = stream.decompress(packed, 1 << 14)
            packed = stream.unconsumed_tail
            yield piece, min(at + _BITE, len(data))
            # A full piece may have left something behind within the stream.
            if not packed and len(piece) < 1 << 14:
                break
        if stream.eof:
            return


def _unpack(data: bytes, limit: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(data, limit)
    except zlib.error:
        return b""


# Strings


def _short(record: bytes, at: int, encoding: str | None) -> str:
    """A string of single bytes with its length in front."""
    return plain(decode(record[at + 1 : at + 1 + record[at]].split(b"\0")[0], encoding)).strip()


def _wide(record: bytes, at: int) -> str:
    """A string of up to 128 wide characters that ends with a null."""
    return plain(record[at : at + 258].decode("utf-16-le", errors="replace").split("\0")[0]).strip()


_RTF = re.compile(r"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-z])|([{}])|([^\\{}]+)")
_RTF_SKIPPED = {"fonttbl", "colortbl", "stylesheet", "info", "generator", "pict"}


def _from_rtf(text: str) -> str:
    """The plain text of a comment."""
    if not text.startswith("{\\rtf"):
        return text.strip()
    written: list[str] = []
    depth, skip = 0, 0  # skip: the depth of a group that is left out
    fallback = 0  # how many characters stand for a Unicode one and are left out
    for found in _RTF.finditer(text):
        word, number, code, symbol, brace, letters = found.groups()
        if brace == "{":
            depth += 1
        elif brace == "}":
            depth -= 1
            if depth < skip:
                skip = 0
        elif skip:
            continue
        elif word in _RTF_SKIPPED or symbol == "*":
            skip = max(depth, 1)
        elif word in ("par", "line"):
            written.append("\n")
        elif word == "tab":
            written.append("\t")
        elif word == "u" and number is not None:
            written.append(chr(int(number) & 0xFFFF))
            fallback = 1
        elif code is not None:
            if not fallback:
                written.append(bytes([int(code, 16)]).decode("cp1252", errors="replace"))
            fallback = 0
        elif symbol is not None and symbol in "\\{}":
            written.append(symbol)
        elif letters is not None:
            written.append(letters.replace("\r", "").replace("\n", "")[fallback:])
            fallback = 0
    joined = "".join(written).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return plain(joined).strip()


# Records


def _int(record: bytes, at: int) -> int:
    return int(struct.unpack_from("<i", record, at)[0])


def _points(record: bytes, at: int) -> tuple[int, ...]:
    """26 signed counts."""
    return struct.unpack_from("26b", record, at)


def _turned(points: Sequence[int]) -> tuple[int, ...]:
    """The same chequers as the other player counts them."""
    return tuple(-count for count in reversed(points))


def _number(value: float) -> float | None:
    return value if math.isfinite(value) and abs(value) < 1e6 else None


def _value(floats: Sequence[float]) -> Value | None:
    """What seven numbers say; None when they are no probabilities."""
    lose_bg, lose_g, lose, win, win_g, win_bg, equity = floats
    if not all(-0.001 <= part <= 1.001 for part in floats[:6]) or not 0.99 < lose + win < 1.01:
        return None
    chances = win, win_g, win_bg, lose_g, lose_bg
    return Value(chances, cubeless(*chances), _number(equity))


class _Reader:
    """Turns the records of a file into a match."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._archive = _Archive(document)
        self._script = Script(document.name, inside="temp.xg")
        self._game: ScriptGame | None = None
        self._points: tuple[int, ...] | None = None  # the board now, as player 1 counts it
        self._cube: tuple[int, int | None] = (1, None)
        self._first = 1  # what the cube shows at the start of the game
        self._pending: ForeignCube | None = None  # the judgement of not doubling, for the roll that follows
        self._comment = ""
        self._single: tuple[Position, MatchState, ForeignAnalysis | None, str] | None = None
        self._played = 0
        self._source = _source(document.data)
        self._budget = max(_COST_FACTOR * len(document.data), _LEAST_COST)
        self._comments = self._read_comments()
        self._trials = self._read_rollouts()

    @property
    def damaged(self) -> bool:
        """Whether anything of the archive could not be read."""
        return bool(self._archive.problems)

    def match(self) -> Match:
        """The match of the file."""
        header = False
        for count, record in enumerate(self._archive.records("temp.xg", RECORD)):
            at = count * RECORD
            kind = record[8] if len(record) > 8 else -1
            if kind == 0 and len(record) > 560:
                if header:
                    self._script.report("a second match in the file is left out", at)
                    break
                header = self._start(record, at)
            if len(record) < RECORD:
                self._script.report(f"the file ends within a record: {len(record)} of {RECORD} bytes", at)
                break
            self._budget -= _RECORD_COST
            if self._budget < 0:
                self._script.report("the file unpacks to more than any match has; the rest is left out", at)
                break
            self._record(kind, record, at)
        return self._finish(header)

    def _finish(self, header: bool) -> Match:
        document, script = self._document, self._script
        if not script.games:
            if not header or self._archive.problems:
                reason = (*self._archive.problems, ("no match in the file", self._archive.start))[0]
                raise InvalidFileError(reason[0], path=document.name or None, offset=reason[1])
            script.report("the head of a match, but no game", self._archive.start)
        won = any(game.has(Kind.WINS) for game in script.games)
        if self._single is not None and not self._played and len(script.games) == 1 and not won:
            position, state, analysis, comment = self._single
            names = script.players[0].name, script.players[1].name
            judged = (analysis,) if analysis is not None else ()
            match = position_match(
                position, state, names, format=NAME, source=script.source, analyses=judged, comment=comment
            )
            match = replace(match, players=script.players, info=script.info, tags=tuple(script.tags))
            problems = tuple(script.problems)
        else:
            match = replay(script, NAME)
            problems = match.problems
        damage = [Problem(message, document.name or None, offset=at) for message, at in self._archive.problems]
        return _with_making(replace(match, problems=(*damage, *problems)), document.data)

    def _read_comments(self) -> list[str]:
        text = self._archive.content("temp.xgc", min(_LARGEST_TEXT, self._budget // 8)).decode(
            "cp1252", errors="replace"
        )
        return [_from_rtf(line.replace("\x01\x02", "\n")) for line in text.split("\r\n")] if text else []

    def _read_rollouts(self) -> list[int]:
        """How many games each rollout has."""
        trials: list[int] = []
        for record in self._archive.records("temp.xgr", ROLLOUT):
            if len(record) < 88 or len(trials) >= self._budget // 64:
                break
            rolled = _int(record, 84)
            trials.append(rolled if 0 < rolled < 10**8 else 0)
        return trials

    def _comment_at(self, index: int) -> str:
        return self._comments[index] if 0 <= index < len(self._comments) else ""

    def _record(self, kind: int, record: bytes, at: int) -> None:
        if kind == 1:
            self._start_game(record, at)
        elif kind in (2, 3, 4) and self._game is None:
            self._script.report("a record before the first game is left out", at)
        elif kind == 2:
            self._double(record, at)
        elif kind == 3:
            self._move(record, at)
        elif kind == 4:
            self._end_game(record, at)
        elif kind not in (0, 5):
            self._script.report(f"a record of unknown kind {kind} is left out", at)

    # The match

    def _start(self, record: bytes, at: int) -> bool:
        script = self._script
        magic, version = struct.unpack_from("<I", record, 556)[0], _int(record, 552)
        if magic != MATCH_MAGIC:
            script.report("the record of the match is damaged", at)
            return False
        length, variation = struct.unpack_from("<ii", record, 92)
        crawford, jacoby, beaver, _ = record[100:104]
        ratings = struct.unpack_from("<ddii", record, 104)
        whole = len(record) == RECORD
        if version >= 24 and whole:
            texts = [_wide(record, 622 + 258 * index) for index in range(5)]
        else:
            texts = [_short(record, start, self._document.encoding) for start in (136, 9, 50, 283, 417)]
        event, first, second, place, round_ = texts
        script.players = _player(first, ratings[0], ratings[2]), _player(second, ratings[1], ratings[3])
        if length == MONEY or not 0 < length <= LONGEST_MATCH:
            if length != MONEY and whole:
                script.report(f"a match to {length} points; read as a money session", at)
            length = 0
        limit = _int(record, 612) if whole and version >= 8 else 10
        variant = {0: "standard", 1: "nackgammon", 2: "hypergammon3"}.get(variation)
        if variant is None:
            script.report("this variant is not known; read as backgammon with positions set by hand", at)
        script.variant_known = variant != "hypergammon3"
        script.jacoby_known = True
        script.rules = Rules(
            length,
            variant or "standard",
            crawford_rule=bool(crawford) or not length,
            jacoby=bool(jacoby),
            beavers=3 if beaver else 0,
            cube_limit=1 << limit if 0 <= limit <= 15 else 1024,
        )
        days = struct.unpack_from("<d", record, 128)[0]
        info = {"event": event, "place": place, "round": round_}
        if DAYS[0] <= days < DAYS[1]:
            when = DAY_ZERO + timedelta(days=days) + timedelta(seconds=30)
            info["date"] = when.strftime("%Y-%m-%d")
            if not days.is_integer():  # midnight sharp is a day alone
                info["time"] = when.strftime("%H:%M")
        if whole:
            if version >= 30:
                info["annotator"] = _wide(record, 1960)
            site = _int(record, 608)
            if 0 <= site < len(_SITES) and not place:
                info["place"] = _SITES[site]
            info["comment"] = "\n".join(filter(None, map(self._comment_at, struct.unpack_from("<ii", record, 576))))
            script.tags.append((MATCH_ID, str(_int(record, 268))))
        script.info = {key: value for key, value in info.items() if value}
        return True

    # Games

    def _start_game(self, record: bytes, at: int) -> None:
        first, second, crawford = struct.unpack_from("<iiB", record, 12)
        number = _int(record, 48)
        automatic = _int(record, 64)
        if not (0 <= first < 10**6 and 0 <= second < 10**6):
            self._script.report(f"an impossible score: {first}-{second}", at)
            first = second = 0
        self._game = game = ScriptGame(
            number if 0 < number < 10**6 else len(self._script.games) + 1,
            at,
            (first, second),
            bool(crawford) and self._script.rules.length > 0,
            last_line=at,
            comment="\n".join(filter(None, map(self._comment_at, struct.unpack_from("<ii", record, 56)))),
        )
        self._script.games.append(game)
        self._cube, self._pending, self._first = (1, None), None, 1
        start = Position.start(self._script.rules.variant)
        self._points = self._count(start)
        set_up = _points(record, 21)
        for _ in range(automatic if 0 < automatic < 16 else 0):
            game.add(Kind.AUTOMATIC, 0, at, None)
            self._first *= 2
            self._cube = self._first, None
        if any(set_up):
            self._expect(set_up, self._cube, at)

    @staticmethod
    def _count(position: Position) -> tuple[int, ...]:
        player, opponent = position.player, position.opponent
        return (-opponent[24], *(player[i] - opponent[23 - i] for i in range(24)), player[24])

    def _expect(self, points: tuple[int, ...], cube: tuple[int, int | None], at: int) -> None:
        """Where the board or cube is not what it was, somebody set it by hand."""
        assert self._game is not None
        if (points == self._points and cube == self._cube) or not any(points):
            return
        board = from_points(points, self._chequers)
        self._game.add(Kind.SET, 0, at, None, board=board, value=cube[0], owner=cube[1])
        self._points, self._cube = points, cube

    @property
    def _chequers(self) -> int:
        return get_variant(self._script.rules.variant).chequers

    def _seen_by(self, player: int) -> tuple[int, ...]:
        """The board now as a player counts it."""
        assert self._points is not None
        return _turned(self._points) if player else self._points

    def _cube_of(self, number: int) -> tuple[int, int | None]:
        """Value and owner of a cube as XG notes it: 0 centred, else its power, negative for player 2; automatic
        doubles do not count."""
        if number == 0 or abs(number) > 15:
            return self._cube if self._cube[1] is None else (self._first, None)
        return self._first << abs(number), int(number < 0)

    def _end_game(self, record: bytes, at: int) -> None:
        assert self._game is not None
        winner, points, ending = struct.unpack_from("<iii", record, 24)
        if winner in (1, -1) and 0 < points < 10**6:
            level = ending - 100 if 101 <= ending <= 103 else 0
            self._game.add(Kind.WINS, int(winner < 0), at, None, value=points, level=level)
        elif ending != -1:
            self._script.report("the record of the result is damaged", at)

    # Cube decisions

    def _double(self, record: bytes, at: int) -> None:
        game = self._game
        assert game is not None
        mover, double, take, beaver, raccoon, cube = struct.unpack_from("<6i", record, 12)
        if mover not in (1, -1):
            self._script.report("the record of a cube decision is damaged", at)
            return
        player = int(mover < 0)
        self._comment = self._comment_at(_int(record, 292))
        self._expect(_points(record, 36), self._cube_of(cube), at)
        foreign = self._judged_cube(record)
        judged = ForeignAnalysis(self._source, foreign) if foreign is not None else None
        self._remember(player, None, judged, self._comment)
        if double == 1 and take == -1 and not self._played and self._single is not None:
            position, state, analysis, comment = self._single
            self._single = position, state.offered(), analysis, comment
            return
        if double != 1:
            self._pending = foreign
            return
        analyses = (ForeignAnalysis(self._source, foreign),) if foreign is not None else ()
        parts = {"analyses": analyses, "comment": self._comment}
        answer = {"analyses": analyses}
        self._comment, self._pending = "", None
        self._played += 1
        game.add(Kind.DOUBLE, player, at, None, parts=parts)
        value = self._cube[0] * 2
        if take == 2:
            game.add(Kind.BEAVER, 1 - player, at, None, parts=answer)
            value *= 2
            if beaver == 2:
                game.add(Kind.BEAVER, player, at, None)
                value *= 2
                answerer, said = 1 - player, raccoon
            else:
                answerer, said = player, beaver
            if said in (0, 1):
                game.add(Kind.TAKE if said else Kind.DROP, answerer, at, None)
        elif take == 1:
            game.add(Kind.TAKE, 1 - player, at, None, parts=answer)
        elif take == 0:
            game.add(Kind.DROP, 1 - player, at, None, parts=answer)
            return
        self._cube = value, 1 - player

    def _judged_cube(self, record: bytes) -> ForeignCube | None:
        """What XG thinks of doubling; None where it was not asked."""
        if struct.unpack_from("<d", record, 200)[0] < _NO_ERROR or not any(_points(record, 64)):
            return None
        no_double = _value(struct.unpack_from("<7f", record, 124))
        doubled = _value(struct.unpack_from("<7f", record, 168))
        equities = [_number(value) for value in struct.unpack_from("<3f", record, 152)]
        if no_double is None:
            return None
        level, rollout = _int(record, 92), _int(record, 224)
        return ForeignCube(
            Value(no_double.probabilities, no_double.cubeless, equities[0]),
            Value(doubled.probabilities if doubled else None, doubled.cubeless if doubled else None, equities[1]),
            self._method(level, rollout),
            Value(equity=equities[2]),
        )

    def _method(self, level: int, rollout: int) -> Method:
        if 0 <= level <= 6:
            # What eXtreme Gammon calls 1-ply is 0-ply everywhere else.
            return Method(f"{level + (self._source == SOURCE)}-ply", level)
        name, plies = LEVELS.get(level, (f"level {level}", None))
        trials = self._trials[rollout] if level == ROLLED_OUT and 0 <= rollout < len(self._trials) else 0
        return Method(name, plies, trials=trials)

    def _remember(self, player: int, dice: Dice | None, analysis: ForeignAnalysis | None, comment: str) -> None:
        """Keeps what a file shows that holds just a position."""
        assert self._game is not None
        if self._points is None or self._played:
            return
        rules = self._script.rules
        position = from_points(self._seen_by(player), self._chequers)
        start = quiet(rules.new_game(self._game.score or (0, 0), bool(self._game.crawford)))
        state = replace(start, cube=self._cube[0], cube_owner=self._cube[1], on_roll=player, dice=dice)
        self._single = position, state, analysis, comment

    # Plays

    def _move(self, record: bytes, at: int) -> None:
        game = self._game
        assert game is not None
        before, after = _points(record, 9), _points(record, 35)
        mover, *numbers = struct.unpack_from("<i8i2ii", record, 64)
        first, second, cube = numbers[8:]
        if mover not in (1, -1):
            self._script.report("the record of a play is damaged", at)
            return
        player = int(mover < 0)
        if not (1 <= first <= 6 and 1 <= second <= 6):
            if record[2308]:
                self._script.report(f"{first} and {second} are no dice", at)
            return
        dice = first, second
        self._expect(before, self._cube_of(cube), at)
        position = from_points(self._seen_by(player), self._chequers)
        analysis = self._judged_play(record, position, dice, after)
        self._pending = None
        comment = "\n".join(filter(None, (self._comment, self._comment_at(_int(record, 2524)))))
        parts = {"analyses": (analysis,) if analysis is not None else (), "comment": comment}
        self._comment = ""
        self._remember(player, dice, analysis, comment)
        if not record[2308]:
            game.add(Kind.ROLL, player, at, None, dice=dice, text=HIDDEN, parts=parts)
            return
        self._played += 1
        steps = _steps(numbers[:8])
        end = from_points(after, self._chequers).swapped()
        if steps is None:
            self._script.report("the play cannot be read", at)
        if not steps and after == self._seen_by(player):
            game.add(Kind.ROLL, player, at, None, dice=dice, text=NO_MOVE, parts=parts)
        elif steps and _leads(position, steps, end):
            text = " ".join(f"{start}/{stop}" for start, stop in steps)
            game.add(Kind.ROLL, player, at, None, dice=dice, text=text, parts=parts)
        else:
            game.add(Kind.ROLL, player, at, None, dice=dice, board=end, parts=parts)
        self._points = _turned(after) if player else after

    def _judged_play(
        self, record: bytes, position: Position, dice: Dice, after: tuple[int, ...]
    ) -> ForeignAnalysis | None:
        count = _int(record, 188)
        luck = struct.unpack_from("<d", record, 2320)[0]
        plays: list[ForeignPlay] = []
        played = None
        for index in range(count if 0 < count <= 32 else 0):
            if self._budget < _PLAY_COST:
                break
            self._budget -= _PLAY_COST
            points = _points(record, 192 + 26 * index)
            steps = _steps(struct.unpack_from("8b", record, 1024 + 8 * index))
            value = _value(struct.unpack_from("<7f", record, 1408 + 28 * index))
            result = from_points(points, position.chequers).swapped()
            play = _play(position, dice, steps or [], result)
            if play is None or value is None:
                continue
            level = struct.unpack_from("<h", record, 1280 + 4 * index)[0]
            rollout = _int(record, 2344 + 4 * index)
            if points == after and played is None and record[2308]:
                played = len(plays)
            plays.append(ForeignPlay(play, value, self._method(level, rollout)))
        lucky = luck if luck > _NO_ERROR and math.isfinite(luck) and (count > 0 or luck) else None
        if not plays and self._pending is None and lucky is None:
            return None
        return ForeignAnalysis(self._source, self._pending, tuple(plays), played, lucky)


def _steps(numbers: Sequence[int]) -> list[tuple[int, int]] | None:
    """The steps of up to four pairs of points counted from 0, which end with -1; None when they are no steps."""
    steps = []
    for start, end in zip(numbers[::2], numbers[1::2], strict=True):
        if start == -1:
            break
        start, end = start + 1, max(end + 1, 0)
        if not (1 <= start <= 25 and end <= 24):
            return None
        steps.append((start, end))
    return steps


def _leads(position: Position, steps: Sequence[tuple[int, int]], result: Position) -> bool:
    """Whether steps lead to a position with the opponent on roll."""
    try:
        return apply_steps(position, steps) == result
    except IllegalPlayError:
        return False


def _play(position: Position, dice: Dice, steps: Sequence[tuple[int, int]], result: Position) -> Play | None:
    """The play of a candidate; None when it is not legal."""
    lengths = {*dice}
    if steps and all(start - end in lengths for start, end in steps) and _leads(position, steps, result):
        opponent = list(position.opponent)
        written = []
        for start, end in sorted(steps, reverse=True):
            hit = end > 0 and opponent[24 - end] == 1
            if hit:
                opponent[24 - end] = 0
            written.append(Step(start, end, hit))
        return Play(tuple(written), position, result)
    try:
        return Play.between(position, dice, result)
    except IllegalPlayError:
        return None


def _player(name: str, rating: float, games: int) -> Player:
    """A player; what the program gives to those of whom it knows nothing is no rating."""
    if not 0 < rating < 1e5 or (rating == DEFAULT_RATING and games <= 0):
        return Player(name)
    return Player(name, rating, games if 0 <= games < 10**8 else None)


def _source(data: bytes) -> str:
    """The program whose analyses a file holds, by the comment in its header."""
    comment = file_comment(data)[0]
    return plain(comment.removeprefix(ANALYSED_BY)).strip() or SOURCE if comment.startswith(ANALYSED_BY) else SOURCE


def _with_making(match: Match, data: bytes) -> Match:
    """The match with what the comment of its file says of how its first games were analysed, as SGF has it."""
    comment = file_comment(data)
    found = _HOW.fullmatch(comment[1]) if comment[0].startswith(ANALYSED_BY) and len(comment) > 1 else None
    if found is None or not MAKING.fullmatch(found[2]):
        return match
    return replace(match, games=with_made_by(match.games, found[2], int(found[1])))


_KEPT = (
    PLAIN_MATCH
    | {Feature.EVENT, Feature.RATING, Feature.MATCH_COMMENT, Feature.COMMENT, Feature.ANALYSIS, Feature.TAGS}
    | {Feature.VARIANT, Feature.CRAWFORD, Feature.CRAWFORD_GAME, Feature.JACOBY, Feature.BEAVER_RULE}
    | {Feature.CUBE_LIMIT, Feature.AUTOMATIC, Feature.SET, Feature.ON_ROLL, Feature.ROLL_ONLY, Feature.RESULT_ONLY}
    | {Feature.OFFERED}
)

FORMAT = Format(
    NAME, "eXtreme Gammon", (".xg",), detect, read, write, holds=Holds.MATCH, keeps=_KEPT, more_losses=losses
)
POSITION_FORMAT = Format(
    "xgp",
    "eXtreme Gammon position",
    (".xgp",),
    lambda document: False,  # what is in a file, not its name, tells whether it is a match or a position
    read,
    write_position,
    holds=Holds.POSITION,
    keeps=_KEPT,
    more_losses=losses,
)
