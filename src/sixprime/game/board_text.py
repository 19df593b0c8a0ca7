"""Positions within text: IDs among other words, and boards drawn with letters, GNU Backgammon's or ours."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import unquote

from sixprime.errors import InvalidIdError, SixprimeError
from sixprime.game.fibs import decode_fibs_board
from sixprime.game.ids import decode_xgid
from sixprime.game.ogid import decode_ogid
from sixprime.game.position import BAR, Position
from sixprime.game.state import MatchState

_Found = tuple[Position, MatchState]

_LETTERS = "[A-Za-z0-9+/]"
_WORD = r"""([^\s&#<>"'`*|,;()\[\]]+)"""
_BLANKS = r"[^\S\r\n]{0,3}"
_SPACED = rf"[-A-Pa-p]{{26}}(?:{_BLANKS}:{_BLANKS}[-0-9DBR]{{1,9}}){{9}}(?![\w:])"
"""An XGID as forums and phones write it, with blanks beside colons."""
_XGID = re.compile(
    rf"""\bXGID(?:["']?\s*[=:]\s*["']?|\s+(?=[-A-Pa-p]{{26}}{_BLANKS}:))(?:({_SPACED})|{_WORD})""", re.IGNORECASE
)
_OGID = re.compile(rf"""\bOGID["']?\s*[=:]\s*["']?{_WORD}""", re.IGNORECASE)
_BOARD = re.compile(r"(?<!\S)board:\S+", re.IGNORECASE)
_LABEL = rf"\b(?:position|pos|gnubg)[\s_-]*id(?:\s*[:=]\s*|\s+(?={_LETTERS}{{14}}(?!\S)))"
_POSITION_ID = re.compile(rf"{_LABEL}([^\s:&#]+)", re.IGNORECASE)
_MATCH_ID = re.compile(rf"\bmatch[\s_-]*id(?:\s*[:=]\s*|\s+(?={_LETTERS}{{12}}(?!\S)))([^\s&#]+)", re.IGNORECASE)
_NEXT = re.compile(rf"\s+({_LETTERS}{{12}})(?!\S)")
_BOTH = re.compile(
    rf"(?:{_LABEL})?(?<!{_LETTERS})({_LETTERS}{{14}})[ \t]?:[ \t]?({_LETTERS}{{12}})(?!{_LETTERS})", re.IGNORECASE
)
_BARE_XGID = re.compile(rf"(?<![-A-Za-z0-9])(?:{_SPACED}|[-A-Pa-p]{{26}}:[-0-9]+:[-0-9DBR:]+)")
_BARE_OGID = re.compile(r"(?<![\w:])[0-9a-p]{1,30}:[0-9a-p]{1,30}:[NWBD?]\d[NOTP](?::[0-9A-Za-z:]*)?", re.ASCII)
_APART = re.compile(rf"(?<!\S)({_LETTERS}{{14}})\s+({_LETTERS}{{12}})(?!\S)")
_ALONE = re.compile(rf"(?<!\S)(?=\S*[0-9+/])({_LETTERS}{{14}})(?!:\S)(?![^\s.,;:!?])(?!\s+\S{{10,14}}(?!\S))")
_SIGNS = re.compile(r"%3[AD]|:.*%2[BF]|%2[BF].*:", re.IGNORECASE)
_UNSEEN = {ord("\u200b"): None, ord("\ufeff"): None, ord("\u2060"): None, ord("\u00ad"): None, ord("\u2013"): "-"}
_UNSEEN |= {ord("\u2011"): "-", ord("\u2212"): "-", ord("\u2014"): "--"}
_WORDS = re.compile(r"\S+")
_BESIDE = (-2, -1, 0, 1, 2)  # how far from each other two IDs of one position are, in lines
_ABOVE, _BELOW = 8, 4  # how far from a board that is drawn its ID is, in lines

_EDGE = re.compile(r"\+[-+0-9]{36,50}\+")
_BIG = {**{str(count): count for count in range(2, 10)}, **{letter: 10 + i for i, letter in enumerate("ABCDEF")}}
_ROWS = 13  # lines between the edges, at most
_LENGTH = re.compile(r"(\d{1,5}) points? match", re.IGNORECASE)
_POINTS = re.compile(r"(\d{1,5}) points?\s*$", re.IGNORECASE)
_CUBE = re.compile(r"\(Cube: (\d{1,5})\)", re.IGNORECASE)
_QUOTED = re.compile(r"^[>\s]+|\s+$")
_TURN = re.compile(r"([XO]) (?:\D{1,40} ([1-6])([1-6])|[^\d:]{1,40}, [^\d:]{1,40})")
_XG_SCORE = re.compile(r"X:\s?(\d{1,5}) O:\s?(\d{1,5}) (\d{1,5})\s.*")
_XG_CUBE = re.compile(r"[^\d:：]{1,12}[:：]\s*(\d{1,5})(?:,\s*([XO]).*)?")
_ROLLED = re.compile(r"Rolled ([1-6])[ -]?([1-6])", re.IGNORECASE)


class FoundPosition(NamedTuple):
    """A position within a text, and the number of its line, from 1."""

    position: Position
    state: MatchState
    line: int


def find_position(text: str, chequers: int) -> _Found:
    """Position and state that a text with other words in it shows, the first of what names itself most clearly.

    Raises InvalidIdError when there is none, or what is there cannot be read.
    """
    text = unescaped(text)
    for search, read in _NAMED:
        if (found := search.search(text)) is not None:
            return read(found, text[found.end() :], chequers)
    if (found := _MATCH_ID.search(text)) is not None:
        return Position.start(), MatchState.from_match_id(_bare(found[1]))
    for search, read in _GUESSED:
        for found in search.finditer(text):
            try:
                return read(found, "", chequers)
            except SixprimeError:
                if found[0] == text:
                    raise
    for drawn in _drawn(text.expandtabs().splitlines(), chequers):
        return drawn.position, drawn.state
    raise InvalidIdError("there is no ID and no board in this text")


def find_xgid(text: str, chequers: int = 15) -> _Found | None:
    """Position and state of the first XGID in a text, with its name or without; None where there is none.

    Raises InvalidIdError when it cannot be read.
    """
    text = unescaped(text)
    for search, read in _NAMED:
        if search in (_XGID, _BARE_XGID) and (found := search.search(text)) is not None:
            return read(found, "", chequers)
    return None


def may_show_position(text: str) -> bool:
    """Whether something in a text names itself as an ID, is one, or is the edge of a board."""
    text = unescaped(text)
    if any(search.search(text) is not None for search, _ in _NAMED) or _EDGE.search(text) is not None:
        return True
    return bool(find_positions(text)[0])


def find_positions(text: str, chequers: int = 15) -> tuple[list[FoundPosition], list[tuple[int, str]]]:
    """Every position that a text shows, in its order; and what looks like one and cannot be read, with its line.

    An ID beside the board it belongs to, or below another ID of the same position, counts once.
    Raises InvalidIdError for a board drawn with too many chequers.
    """
    text = unescaped(text)
    starts = [0, *(found.end() for found in re.finditer("\n", text)), len(text) + 1]
    kept: dict[FoundPosition, None] = {}
    places: set[tuple[Position, int]] = set()
    failed: list[tuple[int, str]] = []
    rest = text
    for searches, named in ((_NAMED, True), (_GUESSED, False)):
        for search, read in searches:
            taken: list[re.Match[str]] = []
            ids: list[FoundPosition] = []
            for found in search.finditer(rest):
                number = bisect(starts, found.start())
                behind = text[found.end() : starts[min(number + 2, len(starts) - 1)]]
                try:
                    ids.append(FoundPosition(*read(found, behind, chequers), number))
                except SixprimeError as error:
                    if not named:
                        continue
                    failed.append((number, str(error)))
                taken.append(found)
            rest = _without(rest, taken)
            # Of IDs of two kinds that say the same, the one stays that names itself more clearly.
            more = [each for each in ids if not any((each.position, each.line + apart) in places for apart in _BESIDE)]
            kept |= dict.fromkeys(more)
            places |= {(each.position, each.line) for each in more}
    lines = sorted([each.line for each in kept] + [line for line, _ in failed])
    shown, before = list(kept), 0
    for drawn in _drawn(text.expandtabs().split("\n"), chequers):
        first = bisect(lines, max(before, drawn.first - _ABOVE))
        if first == len(lines) or lines[first] > drawn.last + _BELOW:
            shown.append(FoundPosition(drawn.position, drawn.state, drawn.first))
        before = drawn.last
    return sorted(shown, key=lambda each: each.line), sorted(failed)


def is_paste(lines: Sequence[str]) -> bool:
    """Whether lines are one text: a board is drawn, an ID has its second half on the next line, or they are prose."""
    if len(lines) < 2:
        return False
    labelled = any(_POSITION_ID.search(one) is not None and _MATCH_ID.search(two) for one, two in pairwise(lines))
    return labelled or any(_EDGE.search(line) is not None or _is_prose(line) for line in lines)


def _is_prose(line: str) -> bool:
    """Whether a line is of words, without an ID or what may have been one."""
    words = line.split()
    return len(words) > 3 and not any(len(word) > 20 for word in words) and not any(
        search.search(line) is not None for search, _ in (*_NAMED, *_GUESSED)
    )  # fmt: skip


def unescaped(text: str) -> str:
    """A text as its writer meant it: links decoded, marks that have no width and dashes of word processors undone."""
    text = text.translate(_UNSEEN)
    return _WORDS.sub(lambda word: _decoded(word[0]), text) if "%" in text else text


def _decoded(word: str) -> str:
    """A word, without the signs that links have instead of colons, slashes and the like."""
    return "".join(unquote(word).split()) if "%" in word and _SIGNS.search(word) is not None else word


def _without(text: str, taken: list[re.Match[str]]) -> str:
    """A text in which blanks stand for what has been read."""
    parts, at = [], 0
    for found in taken:
        parts += [text[at : found.start()], re.sub(r"[^\n]", " ", found[0])]
        at = found.end()
    return "".join((*parts, text[at:]))


def _read_both(found: re.Match[str], behind: str, chequers: int) -> _Found:
    return Position.from_id(found[1], chequers), MatchState.from_match_id(found[2])


def _read_labelled(found: re.Match[str], behind: str, chequers: int) -> _Found:
    match = _MATCH_ID.search(behind) or _NEXT.match(behind)
    state = MatchState() if match is None else MatchState.from_match_id(_bare(match[1]))
    return Position.from_id(_bare(found[1]), chequers), state


_Read = Callable[[re.Match[str], str, int], _Found]
_NAMED: tuple[tuple[re.Pattern[str], _Read], ...] = (
    (_XGID, lambda found, behind, chequers: decode_xgid(_bare(found[1] or found[2]), chequers)),
    (_OGID, lambda found, behind, chequers: decode_ogid(_bare(found[1]))),
    (_BOARD, lambda found, behind, chequers: decode_fibs_board(found[0], chequers)[:2]),
    (_BOTH, _read_both),
    (_POSITION_ID, _read_labelled),
    (_BARE_XGID, lambda found, behind, chequers: decode_xgid(found[0].rstrip(":"), chequers)),
    (_BARE_OGID, lambda found, behind, chequers: decode_ogid(found[0].rstrip(":"))),
)
_GUESSED: tuple[tuple[re.Pattern[str], _Read], ...] = (
    (_APART, _read_both),
    (_ALONE, lambda found, behind, chequers: (Position.from_id(found[1], chequers), MatchState())),
)


def _bare(word: str) -> str:
    """A word without what may stand behind it in a sentence."""
    return word.rstrip(".,;:!?)]}>\"'`")


class _Drawn(NamedTuple):
    """A board that is drawn, and the lines of its edges, from 1."""

    position: Position
    state: MatchState
    first: int
    last: int


def _drawn(lines: list[str], chequers: int) -> Iterator[_Drawn]:
    """The boards that are drawn.

    The numbers of the points are those of the player on roll, who bears off where 1 to 6 are: X below, O above.
    """
    edges = [(number, found) for number, line in enumerate(lines) if (found := _EDGE.search(line)) is not None]
    below = -1
    for (first, top), (last, bottom) in pairwise(edges):
        if first == below:
            continue  # between two boards there is none
        upper, lower = _columns(top), _columns(bottom)
        if last - first - 1 <= _ROWS and sorted((*upper, *lower)) == [*range(1, 25)]:
            position, state = _board(lines, (first, top), (last, bottom), chequers)
            below = last
            yield _Drawn(position, state, first + 1, last + 1)


def _board(
    lines: list[str], above: tuple[int, re.Match[str]], below: tuple[int, re.Match[str]], chequers: int
) -> _Found:
    """The position and state of the board between two edges, which are lines and where they are drawn."""
    (first, top), (last, bottom) = above, below
    upper, lower = _columns(top), _columns(bottom)
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
    position = Position(tuple(theirs), tuple(mine), chequers)
    around = [_QUOTED.sub("", line) for line in (*lines[max(first - 5, 0) : first], *lines[last + 1 : last + 5])]
    if (turn := next((found for line in around if (found := _TURN.fullmatch(line)) is not None), None)) is not None:
        return _seen_by(turn, position, around, mover)
    return position, _state([lines[first][top.end() :], lines[last][bottom.end() :]], rows, mover)


def _seen_by(turn: re.Match[str], position: Position, around: list[str], lower: str) -> _Found:
    """The position and state by what eXtreme Gammon writes above and below its board: X is player 1.

    lower: who bears off at the lower edge, whose position it is.
    """
    score = next((found for line in around if (found := _XG_SCORE.search(line)) is not None), None)
    cube = next((found for line in around if (found := _XG_CUBE.fullmatch(line)) is not None), None)
    value = int(cube[1]) if cube is not None else 1
    if value < 1 or value & (value - 1):
        raise InvalidIdError(f"the cube beside the board must be a power of 2, not {value}")
    state = MatchState(
        length=int(score[3]) if score is not None else 0,
        score=(int(score[2]), int(score[1])) if score is not None else (0, 0),
        cube=value,
        cube_owner="OX".index(cube[2]) if cube is not None and cube[2] else None,
        on_roll="OX".index(turn[1]),
        crawford=score is not None and "crawford" in score[0].lower(),
        dice=(int(turn[2]), int(turn[3])) if turn[2] else None,
    )
    if turn[1] != lower:
        position = Position(position.player, position.opponent, position.chequers)
    return position, state


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
