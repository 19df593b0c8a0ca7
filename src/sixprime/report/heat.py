"""Maps as SVG: grids of coloured squares with a few words each, readable on light and on dark ground.

No colour says anything that the words do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sixprime.report.chart import LEFT, Colour, Spot, drawn_spot, opened
from sixprime.report.words import xml_text

_FULL = 0.5
"""Opacity of the strongest colour; the words on it keep a contrast of 4.5:1."""
_ACROSS = 3
_HEAD, _GAP, _SIDE = 26, 28, 62


@dataclass(frozen=True, slots=True)
class Square:
    """One square. lines: what stands in it, the first one larger. colour, strength 0..1: of its ground.

    title: what it says when pointed at; values: the same as `data-...`.
    """

    lines: tuple[str, ...]
    colour: Colour = "grey"
    strength: float = 0.0
    title: str = ""
    values: Mapping[str, str | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Grid:
    """Squares in rows, None for none, with what stands over the columns and before the rows."""

    title: str
    columns: Sequence[str]
    rows: Sequence[str]
    squares: Sequence[Sequence[Square | None]]


def heat_map(
    title: str,
    grids: Sequence[Grid],
    *,
    square: tuple[int, int] = (64, 40),
    legend: Sequence[tuple[Colour, str]] = (),
    notes: Sequence[str] = (),
) -> str:
    """The grids, three side by side, then the next below them. square: width and height of each; notes: below."""
    wide, high = square
    places: list[tuple[int, int, Grid]] = []
    y, width = 44 if any(grid.title for grid in grids) else 24, 0
    for first in range(0, len(grids), _ACROSS):
        x, tall = LEFT - _SIDE + 16, 0
        for grid in grids[first : first + _ACROSS]:
            places.append((x, y, grid))
            side = _side(grid)
            x += side + wide * len(grid.columns) + _GAP
            tall = max(tall, 2 * _HEAD + high * len(grid.rows))
        width = max(width, x - _GAP + 16)
        y += tall + _GAP // 2
    titles = (x + _side(grid) + round(6.8 * len(grid.title)) + 16 for x, _, grid in places)
    words = max((len(text) for _, text in legend), default=0)
    width = max(width, round(7.6 * len(title)) + LEFT + 16, 420, *titles, 3 * round(44 + 6.4 * words))
    rows = -(-len(legend) // 3)
    height = y + 20 * (rows + len(notes)) + 8
    out = [opened(title, width, height).replace(f'x="{LEFT}" y="26"', 'x="16" y="26"')]
    for x, top, grid in places:
        out += _drawn(grid, (x, top), square)
    for i, (colour, text) in enumerate(legend):
        x, at = 16 + (width - 32) * (i % 3) // 3, y + 20 * (i // 3)
        out.append(
            f'<rect x="{x}" y="{at}" width="22" height="12" rx="2" fill="var(--{colour})" fill-opacity="{_FULL}"/>'
            f'<text class="s" x="{x + 28}" y="{at + 10}">{xml_text(text)}</text>'
        )
    for i, note in enumerate(notes):
        out.append(f'<text class="s" x="16" y="{y + 20 * (rows + i) + 10}">{xml_text(note)}</text>')
    return "".join(out) + "</svg>\n"


def _side(grid: Grid) -> int:
    """Room for what stands before the rows."""
    return max(7 * max((len(row) for row in grid.rows), default=0) + 10, 14)


def _drawn(grid: Grid, place: tuple[int, int], square: tuple[int, int]) -> list[str]:
    wide, high = square
    x0, y0 = place[0] + _side(grid), place[1] + _HEAD
    if any(grid.columns):
        y0 += _HEAD - 6
    out = [f'<text class="i" x="{x0}" y="{place[1] + 14}">{xml_text(grid.title)}</text>'] if grid.title else []
    for j, name in enumerate(grid.columns):
        out.append(f'<text class="s" x="{x0 + wide * j + wide // 2}" y="{y0 - 6}" text-anchor="middle">{name}</text>')
    for i, name in enumerate(grid.rows):
        y = y0 + high * i + high // 2 + 4
        out.append(f'<text class="s" x="{x0 - 7}" y="{y}" text-anchor="end">{xml_text(name)}</text>')
    for i, row in enumerate(grid.squares):
        for j, each in enumerate(row):
            if each is not None:
                out.append(_square(each, (x0 + wide * j, y0 + high * i), square))
    return out


def _square(each: Square, place: tuple[int, int], square: tuple[int, int]) -> str:
    (x, y), (wide, high) = place, square
    opacity = _FULL * min(max(each.strength, 0.0), 1.0)
    shape = (
        f'<rect x="{x}" y="{y}" width="{wide - 1}" height="{high - 1}" fill="var(--{each.colour})"'
        f' fill-opacity="{opacity:.2f}" stroke="var(--grid)"'
    )
    texts = []
    lines = [line for line in each.lines if line]
    for i, line in enumerate(lines):
        # Small enough for the width of the square.
        size = min(12.0 if i == 0 else 10.0, (wide - 6) / (0.56 * max(len(line), 1)))
        down = y + high / 2 + 4 + 12 * (i - (len(lines) - 1) / 2)
        texts.append(
            f'<text class="i" x="{x + wide / 2:.1f}" y="{down:.1f}" text-anchor="middle"'
            f' font-size="{size:.1f}" pointer-events="none">{xml_text(line)}</text>'
        )
    return drawn_spot(Spot(x, y, each.title, values=each.values), x, y, shape) + "".join(texts)
