"""`.pos`: a position of Jellyfish 1.0 to 3.0, little-endian words of 16 bits.

Player 1 of the file is player 0. Of the 26 points, word i is point 25 - i of player 2 (0 his bar) and point i of
player 1 (25 his bar), each 20 more than the number of chequers; those of player 1 are negative.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from sixprime.errors import InvalidFileError
from sixprime.formats._format import Feature, Format, Holds
from sixprime.formats._position import last_of, position_match
from sixprime.formats._text import Document, decode, plain
from sixprime.game.match_rules import is_cube
from sixprime.game.position import BAR, Position
from sixprime.game.record import Match
from sixprime.game.state import MatchState

NAME = "pos"

_VERSIONS = (124, 125, 126)
_OFFSET = 20
_MOST = 15  # chequers on a point
_NO_CRAWFORD, _CRAWFORD, _POST_CRAWFORD = 1, 2, 3


class _Words:
    """Reads a file word by word."""

    def __init__(self, document: Document) -> None:
        self._data, self._name, self._place = document.data, document.name, 0
        self._encoding = document.encoding

    def error(self, message: str, back: int = 2) -> InvalidFileError:
        return InvalidFileError(message, path=self._name or None, offset=max(self._place - back, 0))

    def next(self) -> int:
        if self._place + 2 > len(self._data):
            raise self.error(f"the file ends after {len(self._data)} bytes, within the position", 0)
        (value,) = struct.unpack_from("<h", self._data, self._place)
        self._place += 2
        return int(value)

    def skip(self, words: int) -> None:
        for _ in range(words):
            self.next()

    def text(self) -> str:
        length = self._data[self._place] if self._place < len(self._data) else 0
        start = self._place + 1
        if start + length > len(self._data):
            raise self.error(f"the file ends after {len(self._data)} bytes, within a name", 0)
        self._place = start + length
        return " ".join(plain(decode(self._data[start : self._place], self._encoding)).split())


def detect(document: Document) -> bool:
    """Whether the first word is a version of Jellyfish."""
    data = document.data
    return len(data) > 2 and data[0] in _VERSIONS and data[1] == 0


def read(document: Document) -> list[Match]:
    """The position, as a match that is no more. Raises InvalidFileError with the offset of what is wrong."""
    words = _Words(document)
    version = words.next()
    if version not in _VERSIONS:
        raise words.error(f"version {version} of a Jellyfish position is not known, only 124 to 126")
    if version == 126:
        words.skip(2)
    in_use, jacoby, beavers = 1, 1, 1
    if version > 124:
        in_use, jacoby, beavers = words.next(), words.next(), words.next()
    cube = words.next()
    if not is_cube(cube, 1 << 14):
        raise words.error(f"the cube cannot be {cube}")
    owner = words.next()
    if owner not in (0, 1, 2):
        raise words.error(f"the cube cannot belong to player {owner}")
    turn = words.next()
    if not 0 <= turn <= 4:
        raise words.error(f"{turn} does not say who is on roll")
    words.skip(3)
    kind = words.next()
    words.skip(2)
    length, first, second = words.next(), words.next(), words.next()
    if kind == 3:
        length = 0
    if min(length, first, second) < 0 or (length and max(first, second) >= length):
        raise words.error(f"the score {first}-{second} does not fit a match to {length}")
    names = words.text(), words.text()
    words.skip(1)
    crawford = words.next()
    words.skip(1)
    words.text()
    dice = abs(words.next()), abs(words.next())
    if max(dice) > 6:
        raise words.error(f"the dice cannot be {dice[0]} and {dice[1]}")
    sides = [[0] * 25, [0] * 25]
    for point in range(26):
        count = words.next() - _OFFSET
        words.skip(1)
        player = 1 if count > 0 else 0
        place = 24 - point if player == 1 else point - 1
        if abs(count) > _MOST or (count and not 0 <= place <= BAR):
            raise words.error(f"point {point} cannot hold {count} chequers", 4)
        if count:
            sides[player][place] = abs(count)
    on_roll = 0 if turn in (1, 3) else 1
    state = MatchState(
        length=length,
        score=(first, second),
        cube=cube,
        cube_owner=None if owner == 0 else owner - 1,
        on_roll=on_roll,
        crawford=crawford == _CRAWFORD and length > 0,
        jacoby=bool(jacoby),
        beavers=3 if beavers else 0,
        dice=dice if turn in (1, 2) and all(dice) else None,
        cube_limit=1024 if in_use else 1,
    )
    position = Position(tuple(sides[1 - on_roll]), tuple(sides[on_roll]))
    return [position_match(position, state, names, format=NAME, source=document.name)]


def write(matches: Sequence[Match]) -> bytes:
    """The bytes of the last position, in version 126. Raises InvalidFileError for what it cannot hold."""
    match, action = last_of(matches, "a Jellyfish position")
    position, state = action.position, action.state
    sides = (position.player, position.opponent)[:: 1 if state.on_roll == 0 else -1]
    if min(*position.player, *position.opponent) < 0:
        raise InvalidFileError("a Jellyfish position cannot hold fewer than no chequers on a point")
    if (most := max(*position.player, *position.opponent)) > _MOST:
        raise InvalidFileError(f"a Jellyfish position cannot hold {most} chequers on a point")
    board = []
    for point in range(26):
        theirs = sides[1][24 - point] if point < 25 else 0
        ours = sides[0][point - 1] if point else 0
        if theirs and ours:
            raise InvalidFileError("a Jellyfish position cannot hold both sides on one point")
        board += [_OFFSET + theirs - ours] * 2
    if state.length and max(state.score) >= state.length:
        score = "{}-{}".format(*state.score)
        raise InvalidFileError(f"a Jellyfish position cannot hold the score {score} of a match to {state.length}")
    numbers = (state.length, *state.score, state.cube, *board)
    if large := [number for number in numbers if not -32768 <= number <= 32767]:
        raise InvalidFileError(f"a Jellyfish position cannot hold the number {large[0]}")
    crawford = _CRAWFORD if state.crawford else _POST_CRAWFORD if state.post_crawford else _NO_CRAWFORD
    has_dice = state.dice is not None
    head = (
        126, 0, 0, int(state.cube_limit > 1), int(state.jacoby), int(state.beavers > 0),
        state.cube, 0 if state.cube_owner is None else state.cube_owner + 1,
        (1 if has_dice else 3) + state.on_roll, 0, 0, 0, 1 if state.length else 3, 1, 7,
        state.length, *state.score,
    )  # fmt: skip
    names = b"".join(
        bytes([len(name)]) + name
        for name in (player.name.encode("cp1252", errors="replace")[:30] for player in match.players)
    )
    tail = (0, crawford, 0)
    return (
        struct.pack(f"<{len(head)}h", *head)
        + names
        + struct.pack("<3h", *tail)
        + b"\0"
        + struct.pack("<2h", *(state.dice or (0, 0)))
        + struct.pack("<52h", *board)
    )


def _losses(match: Match) -> list[str]:
    action = match.only_position
    return ["the offered double"] if action is not None and action.state.doubled else []


FORMAT = Format(
    NAME,
    "Jellyfish position",
    (".pos",),
    detect,
    read,
    write,
    holds=Holds.POSITION,
    keeps=frozenset(
        {Feature.MATCH_LENGTH, Feature.SCORE, Feature.NAMES, Feature.JACOBY, Feature.BEAVER_RULE, Feature.CUBE}
        | {Feature.SET}
    ),
    more_losses=_losses,
)
