"""Positions written in one line each: XGID, GNU Backgammon's IDs, OGID, the board line of FIBS, Snowie's line.

A file holds any number of lines; each is a match of its own that is no more than a position. Of a match that was
played, the position of every decision is written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from sixprime.errors import InvalidFileError, SixprimeError
from sixprime.formats._board import from_position_line, to_position_line
from sixprime.formats._format import Feature, Format, Holds
from sixprime.formats._position import decisions, position_match
from sixprime.formats._problems import Problems, failure
from sixprime.formats._text import Document
from sixprime.game.board_text import is_paste
from sixprime.game.fibs import decode_fibs_board, encode_fibs_board
from sixprime.game.ids import decode_xgid, encode_xgid, gnubg_id
from sixprime.game.match_rules import is_cube
from sixprime.game.ogid import decode_ogid, encode_ogid, looks_like_ogid
from sixprime.game.position import Position
from sixprime.game.record import Match
from sixprime.game.state import MatchState

_LONGEST_LINE = 2000
LONGEST_PASTE = 1 << 18
"""Characters of a text with other words in it; nobody pastes more."""
_NAMES = ("", "")

_Parsed = tuple[Position, MatchState, tuple[str, str]]

_XGID = re.compile(r"XGID=[-A-Pa-p]{26}:[-:0-9DBR]+", re.IGNORECASE)
_GNUBG_ID = re.compile(r"([A-Za-z0-9+/]{14})(?::([A-Za-z0-9+/]{12}))?")
_LABELLED = re.compile(r"Position ID\s*:\s*([A-Za-z0-9+/]{14})(?![A-Za-z0-9+/])")
_LABELLED_MATCH = re.compile(r"Match ID\s*:\s*([A-Za-z0-9+/]{12})(?![A-Za-z0-9+/])")
_OTHERS = re.compile(r"\b[XO]GID\s*[=:]", re.IGNORECASE)
_MATCH_ALONE = re.compile(r"[A-Za-z0-9+/]{12}")
_SNOWIE = re.compile(r"\d{1,4};[01];\d{1,3};\d{1,3};[01];.*;-?\d{1,2};\d;\d;?", re.ASCII)


def _read_xgid(line: str) -> _Parsed:
    if not line.upper().startswith("XGID") and ":" not in line:
        raise InvalidFileError(f"{line[:60]!r} is no XGID")
    position, state = decode_xgid(line)
    return position, state, _NAMES


def _read_gnubg_id(line: str) -> _Parsed:
    found = _GNUBG_ID.fullmatch(line)
    if found is None:
        raise InvalidFileError(f"{line[:60]!r} is no position ID or positionid:matchid")
    state = MatchState() if found[2] is None else MatchState.from_match_id(found[2])
    return Position.from_id(found[1]), state, _NAMES


def _read_ogid(line: str) -> _Parsed:
    position, state = decode_ogid(line.removeprefix("OGID="))
    return position, state, _NAMES


def _read_snowie(line: str) -> _Parsed:
    board = from_position_line(line, 15)
    fields = line.strip().removesuffix(";").split(";")
    # Names may hold semicolons: what comes before them is counted from the start, the rest from the end.
    head, tail = fields[:5], fields[-33:]
    try:
        length, jacoby, player = int(head[0]), int(head[1]), int(head[4])
        crawford, own, other, cube, owner = (int(field) for field in tail[:5])
        first, second = int(tail[-2]), int(tail[-1])
    except ValueError:
        raise InvalidFileError("a position line is made of numbers, but for the names") from None
    if not (
        player in (0, 1)
        and min(length, own, other) >= 0
        and owner in (-1, 0, 1)
        and is_cube(cube)
        and 0 <= min(first, second) <= max(first, second) <= 6
    ):
        raise InvalidFileError("a number of the position line is out of range")
    state = MatchState(
        length=length,
        score=(own, other) if player == 0 else (other, own),
        cube=cube,
        cube_owner=None if owner == 0 else player if owner == 1 else 1 - player,
        on_roll=player,
        crawford=crawford == 1,
        jacoby=bool(jacoby),
        dice=(first, second) if first and second else None,
    )
    names = board.names if player == 0 else board.names[::-1]
    return board.position, state, names


def _write_xgid(position: Position, state: MatchState, names: tuple[str, str]) -> str:
    return encode_xgid(position, state)


def _write_gnubg_id(position: Position, state: MatchState, names: tuple[str, str]) -> str:
    return gnubg_id(position, state)


def _write_ogid(position: Position, state: MatchState, names: tuple[str, str]) -> str:
    return encode_ogid(position, state)


def _write_snowie(position: Position, state: MatchState, names: tuple[str, str]) -> str:
    return to_position_line(position, state, names, state.dice or (0, 0))


def _lines_format(
    name: str,
    title: str,
    suffixes: tuple[str, ...],
    detect: Callable[[Document], bool],
    parse: Callable[[str], _Parsed],
    write: Callable[[Position, MatchState, tuple[str, str]], str],
    keeps: frozenset[Feature],
    gather: Callable[[Document], list[tuple[int, str]]] | None = None,
    more_losses: Callable[[Match], list[str]] | None = None,
) -> Format:
    """A format of which `parse` and `write` know a line. gather: the lines and their numbers, by default all."""

    def read(document: Document) -> list[Match]:
        problems = Problems(document.name)
        found: list[Match] = []
        for number, line in (gather or _all_lines)(document):
            try:
                if len(line) > _LONGEST_LINE:
                    raise InvalidFileError(f"the line has {len(line)} characters")
                position, state, names = parse(line)
            except SixprimeError as error:
                problems(str(error), number)
                continue
            found.append(position_match(position, state, names, format=name, source=document.name, line=number))
        if not found:
            raise failure(problems[-1] if problems else problems.at(f"no {title} found", 1))
        return [replace(found[0], problems=tuple(problems)), *found[1:]]

    def write_all(matches: Sequence[Match]) -> str:
        lines = []
        for match, action in decisions(matches):
            try:
                lines.append(write(action.position, action.state, (match.players[0].name, match.players[1].name)))
            except SixprimeError as error:
                raise InvalidFileError(f"a position cannot be written as {title}: {error}") from error
        if not lines:
            raise InvalidFileError(f"there is no position to write as {title}")
        return "\n".join(lines) + "\n"

    return Format(
        name,
        title,
        suffixes,
        detect,
        read,
        write_all,
        holds=Holds.POSITIONS,
        keeps=keeps | {Feature.SET},
        more_losses=more_losses,
    )


def _all_lines(document: Document) -> list[tuple[int, str]]:
    return [(number, line.strip()) for number, line in enumerate(document.lines, 1) if line.strip()]


def _first_line(document: Document) -> str:
    return document.head.partition("\n")[0].strip()


def _is_paste(document: Document) -> bool:
    """Whether words or boards stand below the ID of the first line, so that all of it is one text."""
    return len(document.text) <= LONGEST_PASTE and is_paste([line for _, line in _all_lines(document)])


def _labelled_ids(document: Document) -> list[tuple[int, str]]:
    """Lines that are an ID, and the IDs beside the boards that GNU Backgammon prints."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(document.lines, 1):
        line = line[:_LONGEST_LINE].strip()
        if not line:
            continue
        position = _LABELLED.search(line)
        match = _LABELLED_MATCH.search(line)
        if position is not None:
            found.append((number, position[1]))
        if match is not None and found and ":" not in found[-1][1] and number - found[-1][0] <= 1:
            found[-1] = found[-1][0], f"{found[-1][1]}:{match[1]}"
        if _MATCH_ALONE.fullmatch(line) and found and ":" not in found[-1][1] and number - found[-1][0] == 1:
            found[-1] = found[-1][0], f"{found[-1][1]}:{line}"
        if position is None and match is None and _GNUBG_ID.fullmatch(line):
            found.append((number, line))
    return found


def _lost(**words: str) -> Callable[[Match], list[str]]:
    """What is lost of states that have any of these fields. words: what to call it, by field."""

    def lost(match: Match) -> list[str]:
        states = [action.state for _, action in decisions([match])]
        return [text for field, text in words.items() if any(getattr(state, field) for state in states)]

    return lost


_RESIGNED, _BEAVERED = "offered resignations", "beavers"
_SCORES = frozenset({Feature.MATCH_LENGTH, Feature.SCORE, Feature.CUBE})

XGID = _lines_format(
    "xgid",
    "XGID",
    (".xgid",),
    lambda document: _XGID.fullmatch(_first_line(document)) is not None and not _is_paste(document),
    _read_xgid,
    _write_xgid,
    _SCORES | {Feature.JACOBY, Feature.BEAVER_RULE, Feature.CUBE_LIMIT},
    more_losses=_lost(resigned=_RESIGNED),
)
GNUBG_ID = _lines_format(
    "gnubgid",
    "GNU Backgammon ID",
    (".gnubgid",),
    lambda document: _GNUBG_ID.fullmatch(_first_line(document)) is not None or (
        _LABELLED.search(document.head) is not None and _OTHERS.search(document.head) is None
    ),
    _read_gnubg_id,
    _write_gnubg_id,
    _SCORES | {Feature.JACOBY},
    gather=_labelled_ids,
    more_losses=_lost(beavered=_BEAVERED),
)  # fmt: skip
OGID = _lines_format(
    "ogid",
    "OGID",
    (".ogid",),
    lambda document: looks_like_ogid(_first_line(document).removeprefix("OGID=")) and not _is_paste(document),
    _read_ogid,
    _write_ogid,
    _SCORES,
    more_losses=_lost(resigned=_RESIGNED, beavered=_BEAVERED),
)
FIBS_BOARD = _lines_format(
    "fibsboard",
    "FIBS board line",
    (".board",),
    lambda document: _first_line(document).lower().startswith("board:"),
    decode_fibs_board,
    encode_fibs_board,
    _SCORES | {Feature.NAMES},
    more_losses=_lost(resigned=_RESIGNED, beavered=_BEAVERED),
)
SNOWIE_POSITION = _lines_format(
    "snowiepos",
    "Snowie position",
    (".snowiepos",),
    lambda document: _SNOWIE.fullmatch(_first_line(document)) is not None,
    _read_snowie,
    _write_snowie,
    _SCORES | {Feature.NAMES, Feature.JACOBY},
    more_losses=_lost(resigned=_RESIGNED, doubled="offered doubles"),
)

FORMATS = (XGID, OGID, FIBS_BOARD, SNOWIE_POSITION, GNUBG_ID)
