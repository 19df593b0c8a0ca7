"""Boards as text: 26 signed points, as letters (XGID) and within Snowie's position line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sixprime.errors import InvalidFileError
from sixprime.game.position import BAR, Position
from sixprime.game.state import MatchState

_MOST_LETTERS = 16
_MOST_CHEQUERS = 99
"""More than any point has; what says so is no board."""


def from_points(points: Sequence[int], chequers: int) -> Position:
    """The position of 26 signed numbers: positive the player's, negative the opponent's chequers.

    Index 0 is the opponent's bar, 1..24 the player's points, 25 the player's bar.
    """
    player, opponent = [0] * 25, [0] * 25
    for point in range(1, 25):
        count = points[point]
        if count > 0:
            player[point - 1] = count
        elif count < 0:
            opponent[24 - point] = -count
    player[BAR], opponent[BAR] = points[25], -points[0]
    return Position(tuple(opponent), tuple(player), chequers)


def to_points(position: Position) -> list[int]:
    """The inverse of `from_points`."""
    player, opponent = position.player, position.opponent
    points = [player[point - 1] - opponent[24 - point] for point in range(1, 25)]
    return [-opponent[BAR], *points, player[BAR]]


def from_letters(letters: str, chequers: int) -> Position:
    """The position of the 26 characters of an XGID, seen by the player with capital letters.

    Raises InvalidFileError.
    """
    if len(letters) != 26:
        raise InvalidFileError(f"the board {letters!r} has {len(letters)} characters, not 26")
    points = []
    for letter in letters:
        if letter == "-":
            points.append(0)
        elif "A" <= letter <= "P":
            points.append(ord(letter) - ord("A") + 1)
        elif "a" <= letter <= "p":
            points.append(ord("a") - 1 - ord(letter))
        else:
            raise InvalidFileError(f"{letter!r} in the board {letters!r} is none of - A-P a-p")
    return from_points(points, chequers)


def to_letters(position: Position) -> str:
    """The inverse of `from_letters`. Raises InvalidFileError for a position that letters cannot say."""
    if max(*position.player, *position.opponent) > _MOST_LETTERS:
        raise InvalidFileError(f"letters say at most {_MOST_LETTERS} chequers on a point")
    return "".join(
        "-" if count == 0 else chr(ord("@") + count) if count > 0 else chr(ord("`") - count)
        for count in to_points(position)
    )


class PositionLine(NamedTuple):
    """What a Snowie position line says of the board; names: the player on roll and the other."""

    names: tuple[str, str]
    position: Position


def from_position_line(text: str, chequers: int) -> PositionLine:
    """Reads the 40 fields of a Snowie position line, seen by its player on roll. Raises InvalidFileError."""
    fields = text.strip().removesuffix(";").split(";")
    # Names may hold semicolons; the numbers are counted from the end.
    if len(fields) < 40:
        raise InvalidFileError(f"a position line has 40 fields, not {len(fields)}")
    try:
        points = [int(field) for field in fields[-28:-2]]
        if max(map(abs, points)) > _MOST_CHEQUERS:
            raise ValueError
    except ValueError:
        raise InvalidFileError(f"the board of the position line {text[:80]!r} is not made of small numbers") from None
    return PositionLine((fields[5].strip(), fields[6].strip()), from_points(points, chequers))


def to_position_line(
    position: Position, state: MatchState, names: tuple[str, str], dice: tuple[int, int] = (0, 0)
) -> str:
    """Snowie's position line of `position`, whose player is `state.on_roll`."""
    player = state.on_roll
    fields = [
        state.length, int(state.jacoby), 0, int(state.money), player, names[player], names[1 - player],
        int(state.crawford), state.score[player], state.score[1 - player], state.cube, state.owner_for(player),
        *to_points(position), *dice,
    ]  # fmt: skip
    return ";".join(str(field).replace(";", ",") for field in fields) + ";"
