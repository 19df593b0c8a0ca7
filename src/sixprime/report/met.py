"""A match equity table as text and as plain values for JSON."""

from __future__ import annotations

from textwrap import wrap
from typing import Any

from sixprime.codec import plain
from sixprime.cube.met import MatchEquityTable


def met_to_dict(table: MatchEquityTable, size: int, *, post_crawford: bool = False) -> dict[str, Any]:
    """Chances for up to `size` points; post_crawford: only those of the trailer after the Crawford game."""
    pre = {} if post_crawford else {"pre": [[round(v, 7) for v in row[:size]] for row in table.pre[:size].tolist()]}
    return {
        **plain(table, "name", "description", "provenance", "length"),
        "size": size,
        "symmetric": table.is_symmetric,
        **pre,
        "post": [[round(v, 7) for v in row[:size]] for row in table.post.tolist()],
    }


def met_text(table: MatchEquityTable, size: int, *, post_crawford: bool = False, columns: int = 80) -> str:
    """The same as tables, in percent. columns: of the screen."""
    lines = wrap(table.name, columns)
    if table.description and table.description != table.name:
        lines += wrap(table.description, columns)
    if not post_crawford:
        said = "Before a game. Down: points player 0 needs, across: player 1; 1: Crawford game."
        lines += ["", *wrap(said, columns)]
        lines += _grid([str(i + 1) for i in range(size)], table.pre[:size, :size].tolist(), columns)
    lines += ["", *wrap("After the Crawford game: the trailer's chance, by the points he needs.", columns)]
    if table.is_symmetric:
        lines += _grid([""], table.post[:1, :size].tolist(), columns)
    else:
        lines += _grid(["player 0", "player 1"], table.post[:, :size].tolist(), columns)
    return "\n".join(lines)


def _grid(labels: list[str], rows: list[list[float]], screen: int) -> list[str]:
    """Rows of chances in percent, as many columns at a time as fit."""
    width = max(map(len, labels))
    size = len(rows[0])
    lines = []
    wide = max(1, (screen - width) // 6)
    for first in range(0, size, wide):
        columns = range(first, min(first + wide, size))
        lines.append(" " * width + "".join(f"{j + 1:>6}" for j in columns))
        for label, row in zip(labels, rows, strict=True):
            lines.append(f"{label:>{width}}" + "".join(f"{100 * row[j]:6.1f}" for j in columns))
    return lines
