"""Positions within text: IDs among other words, and boards drawn with letters, GNU Backgammon's or ours."""

from __future__ import annotations

import re
from itertools import pairwise

from sixprime.errors import InvalidIdError, SixprimeError
from sixprime.game.fibs import decode_fibs_board
from sixprime.game.ids import decode_xgid
from sixprime.game.ogid import decode_ogid
from sixprime.game.position import BAR, Position
from sixprime.game.state import MatchState

_Found = tuple[Position, MatchState]

_LETTERS = "[A-Za-z0-9+/]"
_XGID = re.compile(r"\bXGID\s*[=:]\s*(\S+)", re.IGNORECASE)
_OGID = re.compile(r"\bOGID\s*=\s*(\S+)", re.IGNORECASE)
_BOARD = re.compile(r"(?<!\S)board:\S+", re.IGNORECASE)
_POSITION_ID = re.compile(r"\bposition\s*id\s*[:=]?\s*([^\s:]+)", re.IGNORECASE)
_MATCH_ID = re.compile(r"\bmatch\s*id\s*[:=]?\s*(\S+)", re.IGNORECASE)
_BOTH = re.compile(rf"(?<!{_LETTERS})({_LETTERS}{{14}}):({_LETTERS}{{12}})(?!{_LETTERS})")
_BARE_XGID = re.compile(r"(?<!\S)[-A-Pa-p]{26}:[-0-9]+:[-0-9DBR:]+")
_APART = re.compile(rf"(?<!\S)({_LETTERS}{{14}})\s+({_LETTERS}{{12}})(?!\S)")

_EDGE = re.compile(r"\+[-+0-9]{36,50}\+")
_BIG = {**{str(count): count for count in range(2, 10)}, **{letter: 10 + i for i, letter in enumerate("ABCDEF")}}
_ROWS = 13  # lines between the edges, at most
_LENGTH = re.compile(r"(\d{1,5}) points? match", re.IGNORECASE)
_POINTS = re.compile(r"(\d{1,5}) points?\s*$", re.IGNORECASE)
_CUBE = re.compile(r"\(Cube: (\d{1,5})\)", re.IGNORECASE)
_ROLLED = re.compile(r"Rolled ([1-6])[ -]?([1-6])", re.IGNORECASE)


def find_position(text: str, chequers: int) -> _Found:
    """Position and state that a text with other words in it shows, the first of what names itself most clearly.

    Raises InvalidIdError when there is none, or what is there cannot be read.
    """
    if (found := _XGID.search(text)) is not None:
        return decode_xgid(_bare(found[1]), chequers)
    if (found := _OGID.search(text)) is not None:
        return decode_ogid(_bare(found[1]))
    if (found := _BOARD.search(text)) is not None:
        return decode_fibs_board(found[0], chequers)[:2]
    if (found := _BOTH.search(text)) is not None:
        return Position.from_id(found[1], chequers), MatchState.from_match_id(found[2])
    position, match = _POSITION_ID.search(text), _MATCH_ID.search(text)
    if position is not None or match is not None:
        state = MatchState() if match is None else MatchState.from_match_id(_bare(match[1]))
        return Position.start() if position is None else Position.from_id(_bare(position[1]), chequers), state
    if (found := _BARE_XGID.search(text)) is not None:
        return decode_xgid(_bare(found[0]), chequers)
    for found in _APART.finditer(text):
        try:
            return Position.from_id(found[1], chequers), MatchState.from_match_id(found[2])
        except SixprimeError:
            if found[0] == text:
                raise
    drawn = _drawn(text.expandtabs().splitlines(), chequers)
    if drawn is None:
        raise InvalidIdError("there is no ID and no board in this text")
    return drawn


def _bare(word: str) -> str:
    """A word without what may stand behind it in a sentence."""
    return word.rstrip(".,;:!?)]}>\"'`")


def _drawn(lines: list[str], chequers: int) -> _Found | None:
    """The position and state of the first board that is drawn; None when there is none.

    The numbers of the points are those of the player on roll, who bears off where 1 to 6 are: X below, O above.
    """
    edges = [(number, found) for number, line in enumerate(lines) if (found := _EDGE.search(line)) is not None]
    for (first, top), (last, bottom) in pairwise(edges):
        upper, lower = _columns(top), _columns(bottom)
        if last - first - 1 <= _ROWS and sorted((*upper, *lower)) == [*range(1, 25)]:
            break
    else:
        return None
    rows = lines[first + 1 : last]
    middle = next((at for at, row in enumerate(rows) if "BAR" in row), len(rows) // 2)
    mover = "X" if 1 in lower else "O"
    mine, theirs = [0] * 25, [0] * 25
    bar = next((row.index("BAR") + 1 for row in rows if "BAR" in row), None)
    for columns, half in ((upper, rows[:middle]), (lower, rows[middle + 1 :])):
        for point, column in columns.items():
            count, letter = _stack(half, column)
            if letter == mover:
                mine[point - 1] += count
            elif count:
                theirs[24 - point] += count
        count, letter = _stack(half, bar) if bar is not None else (0, "")
        if count:
            (mine if letter == mover else theirs)[BAR] += count
    if max(sum(mine), sum(theirs)) > chequers:
        raise InvalidIdError(
            f"the board that is drawn has {max(sum(mine), sum(theirs))} chequers of one side, not {chequers}"
        )
    state = _state([line[found.end() :] for line, found in ((lines[first], top), (lines[last], bottom))], rows, mover)
    return Position(tuple(theirs), tuple(mine), chequers), state


def _columns(edge: re.Match[str]) -> dict[int, int]:
    """Where the chequers of each point stand: below or above the last digit of its number."""
    return {int(found[0]): edge.start() + found.end() - 1 for found in re.finditer("[0-9]+", edge[0])}


def _stack(half: list[str], column: int) -> tuple[int, str]:
    """How many chequers a column shows, and whose; more than five are a number, from ten on perhaps a letter."""
    count, letter = 0, ""
    for row in half:
        cell = row[column : column + 1]
        if cell in ("X", "O"):
            count, letter = count + 1, cell
    for row in half:
        cell = row[column : column + 1]
        if row[column - 1 : column] == "1" and cell.isdigit():
            return 10 + int(cell), letter
        if cell in _BIG:
            return _BIG[cell], letter
    return count, letter


def _state(edges: list[str], rows: list[str], mover: str) -> MatchState:
    """What GNU Backgammon writes beside its board: O is player 0, above."""
    beside = "\n".join((edges[0], *rows, edges[1]))
    if "Cube offered" in beside:
        raise InvalidIdError("a board with an offered cube needs its IDs to be read")
    points = [int(found[1]) for row in rows if (found := _POINTS.search(row)) is not None and "match" not in row]
    length, rolled = _LENGTH.search(beside), _ROLLED.search(beside)
    owner = next((player for player, edge in enumerate(edges) if _CUBE.search(edge) is not None), None)
    cube = _CUBE.search(beside)
    value = int(cube[1]) if cube is not None else 1
    if value < 1 or value & (value - 1):
        raise InvalidIdError(f"the cube beside the board must be a power of 2, not {value}")
    return MatchState(
        length=int(length[1]) if length is not None else 0,
        score=(points[0], points[1]) if len(points) == 2 else (0, 0),
        cube=value,
        cube_owner=owner,
        on_roll=int(mover == "X"),
        crawford=length is not None and "crawford" in beside.lower(),
        dice=(int(rolled[1]), int(rolled[2])) if rolled is not None else None,
    )
