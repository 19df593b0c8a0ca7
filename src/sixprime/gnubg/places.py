"""Boards, their names and plays on them."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from itertools import chain
from math import comb
from operator import index

from sixprime import checks
from sixprime.bearoff.side import number_of
from sixprime.errors import InvalidPositionError, SettingsError
from sixprime.game.play import format_steps, parse_steps
from sixprime.game.position import Position
from sixprime.game.rules import Step
from sixprime.gnubg.host import host, situation

Board = tuple[tuple[int, ...], tuple[int, ...]]


def position_of(given: Sequence[Sequence[int]] | None, chequers: int = 15) -> Position:
    """The position of a board, the current one for None. Raises InvalidPositionError, NoGameError."""
    if given is None:
        return situation()[0]
    position = Position.from_board(given, chequers)
    if any(not 0 <= count <= 15 for count in (*position.opponent, *position.player)):
        raise InvalidPositionError("a board holds 0 to 15 chequers on a point")
    return position


def board() -> Board | None:
    """The current board; None without a game."""
    now = host().situation()
    return None if now is None else (now[0].opponent, now[0].player)


def positionid(board: Sequence[Sequence[int]] | None = None, /) -> str:
    """The position ID of a board."""
    return position_of(board).id


def positionfromid(text: str | None = None, /) -> Board:
    """The board of a position ID."""
    position = situation()[0] if text is None else Position.from_id(text)
    return position.opponent, position.player


def positionkey(board: Sequence[Sequence[int]] | None = None, /) -> tuple[int, ...]:
    """The 10 bytes of the position ID of a board."""
    return tuple(base64.b64decode(positionid(board) + "=="))


def positionfromkey(key: Sequence[int], /) -> Board:
    """The board of 10 bytes."""
    try:
        data = bytes([*key])
    except (TypeError, ValueError):
        data = b""
    if len(data) != 10:
        raise SettingsError(f"a key is 10 whole numbers from 0 to 255. Got {key!r} instead.")
    return positionfromid(base64.b64encode(data).decode()[:14])


def positionbearoff(board: Sequence[int] | None = None, points: int = 6, chequers: int = 15, /) -> int:
    """The number of a side's chequers among all ways to have up to `chequers` on the first `points` points.

    board: counts of one side, ace point first; a whole board for its side on roll. Raises SettingsError where a chequer
    is further away, or there are too many.
    """
    side = [*situation()[0].player] if board is None else _side(board)
    points, chequers = _range("points", points, 24), _range("chequers", chequers, 15)
    if any(side[points:]) or sum(side) > chequers or min(side) < 0:
        raise SettingsError(f"not a position of up to {chequers} chequers on {points} points: {side!r}")
    return number_of(side, points)


def positionfrombearoff(number: int = 0, chequers: int = 15, points: int = 6, /) -> tuple[int, ...]:
    """The 25 counts of the side with that number; the inverse of `positionbearoff`."""
    points, chequers = _range("points", points, 24), _range("chequers", chequers, 15)
    count = comb(points + chequers, points)
    if not 0 <= index(number) < count:
        raise SettingsError(f"the number of a side with {chequers} chequers on {points} points is 0 to {count - 1}")
    side, left = [0] * 25, points
    for place in range(chequers + points - 1, -1, -1):
        if left and number >= comb(place, left):
            number -= comb(place, left)
            left -= 1
        elif left < points:
            side[points - left - 1] += 1
    return tuple(side)


def parsemove(text: str, /) -> tuple[tuple[int, int], ...]:
    """The steps of a written play as pairs of points, the highest first; 25 the bar, 0 off. Raises InvalidPlayError,
    and SettingsError for what is no text."""
    checks.TEXT("text", text)
    steps = ((step.start, step.end) for step in parse_steps(text) for _ in range(step.count))
    return tuple(sorted(steps, reverse=True))


def movetupletostring(move: Sequence[int] | Sequence[Sequence[int]], board: Sequence[Sequence[int]], /) -> str:
    """A play in notation, hits marked. move: points in pairs, nested or flat; zeros at its end do not count."""
    flat = [index(point) for part in move for point in (part if isinstance(part, Sequence) else (part,))]
    pairs = [(start, end) for start, end in zip(flat[::2], flat[1::2], strict=False) if start or end]
    if len(flat) % 2 or len(pairs) > 4 or any(not (0 < start < 26 and 0 <= end < start) for start, end in pairs):
        raise SettingsError(f"a play is up to 4 pairs of points that go down from 25 to 0. Got {move!r} instead.")
    foe = list(position_of(board).opponent)
    steps = []
    for start, end in pairs:
        hit = end > 0 and foe[24 - end] == 1
        if hit:
            foe[24 - end] = 0
        steps.append(Step(start, end, hit))
    return format_steps(steps)


def pairs_of(steps: Sequence[Step]) -> tuple[tuple[int, int], ...]:
    """Steps as pairs of points, the highest first."""
    return tuple((step.start, step.end) for step in steps)


def flat(steps: Sequence[Step]) -> tuple[int, ...]:
    """Steps as points in a row."""
    return tuple(chain.from_iterable(pairs_of(steps)))


def _side(board: Sequence[int] | Sequence[Sequence[int]]) -> list[int]:
    """25 counts of one side, of a whole board the second one."""
    if len(board) == 2 and isinstance(board[1], Sequence):
        board = board[1]
    if not isinstance(board, Sequence) or len(board) != 25 or not all(isinstance(count, int) for count in board):
        raise SettingsError("a side is 25 whole numbers, ace point first")
    return [index(count) for count in board if isinstance(count, int)]


def _range(name: str, given: int, most: int) -> int:
    if not 1 <= index(given) <= most:
        raise SettingsError(f"{name} must be 1 to {most}. Got {given!r} instead.")
    return index(given)
