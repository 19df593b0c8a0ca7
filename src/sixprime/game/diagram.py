"""The board drawn with letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime.game.variants import BAR

if TYPE_CHECKING:
    from sixprime.game.position import Position

_ROWS = 5


def cell(count: int, row: int) -> str:
    """What a stack shows in `row` (0 at the edge of the board): X for positive counts, O for negative."""
    if row >= abs(count):
        return " "
    if row == _ROWS - 1 and abs(count) > _ROWS:
        return str(abs(count))
    return "X" if count > 0 else "O"


def _line(left: list[int], bar: int, right: list[int], row: int) -> str:
    halves = ["".join(f"{cell(count, row):>3}" for count in half) + " " for half in (left, right)]
    return f"|{halves[0]}|{cell(bar, row):>2} |{halves[1]}|"


def draw(position: Position) -> str:
    """The board seen by the player on roll: X, who bears off bottom right; O is the opponent."""
    points = [
        mine - theirs for mine, theirs in zip(position.player[:BAR], position.opponent[BAR - 1 :: -1], strict=True)
    ]
    top, bottom = points[12:], points[11::-1]
    edges = [
        "+" + "".join(f"{n:>3}" for n in left) + "-+---+" + "".join(f"{n:>3}" for n in right) + "-+"
        for left, right in ((range(13, 19), range(19, 25)), (range(12, 6, -1), range(6, 0, -1)))
    ]
    edges = [edge.replace("  ", "--").replace(" ", "-") for edge in edges]
    pips, off = position.pips, position.off
    lines = [f"{edges[0]}  O: {pips[1]} pips, {off[1]} off"]
    lines += [_line(top[:6], -position.opponent[BAR], top[6:], row) for row in range(_ROWS)]
    lines.append("|" + " " * 19 + "|BAR|" + " " * 19 + "|")
    lines += [_line(bottom[:6], position.player[BAR], bottom[6:], row) for row in range(_ROWS - 1, -1, -1)]
    lines.append(f"{edges[1]}  X: {pips[0]} pips, {off[0]} off")
    return "\n".join(lines)
