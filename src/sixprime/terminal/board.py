"""A board drawn with characters, in colours or without, in the size that fits.

In: a `Shown`, what there is to see. Out: a `Drawing`, rows of characters with styles, which knows what stands where,
for clicks. Points are those of the player at the bottom: 24..1, `BAR`, `OFF`; the opponent has `TOP_BAR`, `TOP_OFF`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import groupby

from rich.segment import Segment
from rich.style import Style

from sixprime.game.position import Position
from sixprime.report.svg import FACES
from sixprime.report.themes import DARK, LIGHT, Theme

BAR, OFF, TOP_BAR, TOP_OFF, DICE, CUBE = 25, 0, 26, 27, 28, 29
# Without outlines light chequers need a darker board.
_DAY = replace(LIGHT, surface="#d9dfd4", point_a="#b7c4b8", point_b="#7f9b8a", label="#f2f5f2")
THEMES: dict[str, Theme | None] = {"dark": DARK, "light": _DAY, "mono": None}
"""By name; without a theme a board is drawn without colours."""
_STACK = 5  # chequers drawn on one point; a number tells of more


def place_of(point: int, *, top: bool) -> int:
    """A point 25..0 of the player at the top or at the bottom as a place of the board."""
    if not top:
        return point
    return TOP_BAR if point == BAR else TOP_OFF if point == OFF else 25 - point


@dataclass(frozen=True, slots=True)
class Shown:
    """What a board shows.

    position: its `player` is at the bottom. light: whether he has the light chequers. left: whether he bears off to the
    left. downwards: the points are numbered as the opponent counts them.
    dice: with whether each is used up; dice_top: they are the opponent's. cube: 0 for none; cube_at: 1 the bottom, -1
    the top, 0 the middle; offered: the cube lies on the board, on the side of whom it is offered to.
    starts, targets, chosen: places where chequers can be moved from, where to, and which has been taken up; gone, come:
    places that the last play left and reached.
    """

    position: Position
    light: bool = True
    left: bool = False
    downwards: bool = False
    dice: tuple[tuple[int, bool], ...] = ()
    dice_top: bool = False
    cube: int = 1
    cube_at: int = 0
    offered: bool = False
    starts: Collection[int] = ()
    targets: Collection[int] = ()
    chosen: int | None = None
    gone: Collection[int] = ()
    come: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class Size:
    """How large a board is drawn. point: columns of a point; chequer: rows of a chequer; middle: rows between."""

    point: int
    chequer: int
    middle: int

    @property
    def width(self) -> int:
        """Columns of the whole board."""
        return 13 * self.point + 2 + self.tray

    @property
    def height(self) -> int:
        """Rows of the whole board."""
        return 2 * _STACK * self.chequer + self.middle + 2

    @property
    def tray(self) -> int:
        """Columns beside the board, of what is borne off."""
        return self.point + 1


SIZES = (Size(6, 2, 3), Size(5, 1, 3), Size(4, 1, 3), Size(4, 1, 1), Size(3, 1, 1))
"""The largest first."""


def size_for(width: int, height: int) -> Size:
    """The largest board that fits; the smallest where none does."""
    return next((size for size in SIZES if size.width <= width and size.height <= height), SIZES[-1])


class Drawing:
    """A board drawn by `draw`. rows: of each its characters and their styles."""

    def __init__(self, size: Size, ground: Style) -> None:
        self.size = size
        self.rows = [[(" ", ground)] * size.width for _ in range(size.height)]
        self._places: list[list[int | None]] = [[None] * size.width for _ in range(size.height)]

    def put(self, x: int, y: int, text: str, style: Style) -> None:
        """Writes a text into a row."""
        row = self.rows[y]
        for at, character in enumerate(text, x):
            if 0 <= at < len(row):
                row[at] = (character, style)

    def mark(self, place: int, x: int, y: int, width: int, height: int) -> None:
        """Says that an area belongs to a place."""
        for row in self._places[y : y + height]:
            row[x : x + width] = [place] * width

    def place(self, x: int, y: int) -> int | None:
        """What is drawn there: a point 1..24, `BAR`, `DICE` ...; None for nothing."""
        inside = 0 <= y < self.size.height and 0 <= x < self.size.width
        return self._places[y][x] if inside else None

    def segments(self, y: int) -> Iterator[Segment]:
        """A row, in as few pieces as it has styles."""
        for style, cells in groupby(self.rows[y], key=lambda cell: cell[1]):
            yield Segment("".join(character for character, _ in cells), style)

    @property
    def text(self) -> str:
        """All of it, without styles."""
        return "\n".join("".join(character for character, _ in row).rstrip() for row in self.rows)


@dataclass(frozen=True, slots=True)
class _Inks:
    """The styles of a theme, by what they are for."""

    theme: Theme | None

    def ground(self, kind: str) -> Style:
        """Of the frame, the field and the points "a" and "b"."""
        if self.theme is None:
            return Style()
        theme = self.theme
        names = {"frame": theme.frame, "field": theme.surface, "a": theme.point_a, "b": theme.point_b}
        return _style(theme.label, names[kind])

    def point(self, kind: str) -> Style:
        """Of the shape of a point, drawn in its colour on the field."""
        if self.theme is None:
            return Style(dim=True)
        return _style(self.theme.point_a if kind == "a" else self.theme.point_b, self.theme.surface)

    def label(self, *, start: bool, target: bool) -> Style:
        """Of the number of a point."""
        if self.theme is None:
            return Style(reverse=target, bold=start or target)
        if target:
            return _style(self.theme.halo, self.theme.best, bold=True)
        colour = self.theme.cube if start else self.theme.label
        return _style(colour, self.theme.frame, bold=start)

    def chequer(self, light: bool, ground: str) -> Style:
        """Of a round chequer drawn in its colour on a point, "a" or "b", or "field", "frame"."""
        if self.theme is None:
            return Style(bold=True)
        behind = self.ground(ground).bgcolor
        return Style(color=self.theme.light if light else self.theme.dark, bgcolor=behind and behind.name)

    def off(self, light: bool) -> Style:
        """Of a chequer in the tray."""
        if self.theme is None:
            return Style(bold=True)
        return _style(self.theme.light if light else self.theme.dark_edge, self.theme.frame)

    def face(self, light: bool, *, chosen: bool = False, fresh: bool = False) -> Style:
        """Of what is written on a chequer."""
        if self.theme is None:
            return Style(bold=True, reverse=chosen, underline=fresh)
        theme = self.theme
        if chosen:
            return _style(theme.halo, theme.played, bold=True)
        edge, colour = (theme.light_edge, theme.light) if light else (DARK.dark_edge, theme.dark)
        return _style(theme.played if fresh else edge, colour, bold=fresh)

    def target(self) -> Style:
        """Of the mark where a chequer may go."""
        if self.theme is None:
            return Style(bold=True)
        return _style(self.theme.halo, self.theme.best, bold=True)

    def gone(self, ground: str) -> Style:
        """Of the mark that a chequer left behind."""
        if self.theme is None:
            return Style(dim=True)
        behind = self.ground(ground).bgcolor
        return Style(color=self.theme.played, bgcolor=behind and behind.name, bold=True)

    def die(self, light: bool, used: bool) -> Style:
        """Of a die."""
        if self.theme is None:
            return Style(reverse=not used, dim=used)
        theme = self.theme
        if used:
            return _style(theme.point_b, theme.point_a)
        return _style(theme.light_edge, theme.light) if light else _style(theme.light, theme.dark)

    def cube(self) -> Style:
        """Of the cube."""
        if self.theme is None:
            return Style(bold=True, reverse=True)
        return _style(self.theme.cube_text, self.theme.cube, bold=True)


@cache
def _style(colour: str, behind: str, *, bold: bool = False) -> Style:
    return Style(color=colour, bgcolor=behind, bold=bold)


def draw(shown: Shown, size: Size, theme: Theme | None = DARK) -> Drawing:
    """The board in that size; without a theme in letters, X for the player at the bottom."""
    return _Artist(shown, size, theme).drawing


class _Artist:
    """Draws a board; lengths are columns and rows."""

    def __init__(self, shown: Shown, size: Size, theme: Theme | None) -> None:
        self._shown, self._size, self._inks = shown, size, _Inks(theme)
        self.drawing = Drawing(size, self._inks.ground("frame"))
        self._x0 = size.tray if shown.left else 0
        self._half = _STACK * size.chequer
        self._field()
        for place in range(1, 25):
            self._point(place)
        self._bars()
        self._trays()
        self._dice()
        self._cube()

    def _column(self, place: int) -> int:
        """Where the column of a point begins."""
        along = place - 13 if place > 12 else 12 - place  # 0..11 from the left where home is to the right
        if self._shown.left:
            along = 11 - along
        return self._x0 + 1 + (along + (along > 5)) * self._size.point

    def _row(self, top: bool, level: int) -> int:
        """The first row of the chequer at a level, 0 at the edge."""
        size = self._size
        return 1 + level * size.chequer if top else size.height - 1 - (level + 1) * size.chequer

    def _field(self) -> None:
        size, put = self._size, self.drawing.put
        for half in (0, 1):
            x = self._x0 + 1 + half * 7 * size.point
            for y in range(1, size.height - 1):
                put(x, y, " " * (6 * size.point), self._inks.ground("field"))
        if self._inks.theme is None:
            for y in (0, size.height - 1):
                put(self._x0, y, "+" + "-" * (13 * size.point) + "+", Style())
            for x in (self._x0, self._x0 + 13 * size.point + 1, *(self._bar + i for i in (-1, size.point))):
                for y in range(1, size.height - 1):
                    put(x, y, "|", Style())

    @property
    def _bar(self) -> int:
        return self._x0 + 1 + 6 * self._size.point

    def _ground(self, place: int) -> str:
        return "a" if place % 2 else "b"

    def _count(self, place: int) -> tuple[int, bool]:
        """How many chequers stand on a point, and whether they are those of the player at the bottom."""
        mine, theirs = self._shown.position.player[place - 1], self._shown.position.opponent[24 - place]
        return (mine, True) if mine else (theirs, False)

    def _light(self, bottom: bool) -> bool:
        return self._shown.light == bottom

    def _point(self, place: int) -> None:
        shown, size, inks = self._shown, self._size, self._inks
        top, x, ground = place > 12, self._column(place), self._ground(place)
        edge = 0 if top else size.height - 1
        number = 25 - place if shown.downwards else place
        marks = {"start": place in shown.starts, "target": place in shown.targets}
        label = f"{number:^{size.point - 1}}" if size.point > 4 else f"{number:>2}".center(size.point)
        self.drawing.put(x, edge, label.ljust(size.point)[: size.point], inks.label(**marks))
        self.drawing.mark(place, x, min(edge, self._row(top, _STACK - 1)), size.point, self._half + 1)
        for level in range(_STACK):
            for row in range(size.chequer):
                self._shape(x, self._row(top, level) + row, ground, level)
        count, bottom = self._count(place)
        self._stack(place, count, bottom, x, top, ground)

    def _shape(self, x: int, y: int, ground: str, level: int) -> None:
        """A piece of the shape of a point, which gets narrower towards the middle."""
        size = self._size
        if self._inks.theme is None:
            self.drawing.put(x + (size.point - 1) // 2, y, "." if ground == "a" else ":", self._inks.point(ground))
            return
        wide = size.point if level < 2 else size.point - 2 if level < 4 or size.point < 5 else size.point - 4
        wide = max(wide, 1)
        self.drawing.put(x + (size.point - wide) // 2, y, " " * wide, self._inks.ground(ground))

    def _stack(self, place: int, count: int, bottom: bool, x: int, top: bool, ground: str) -> None:
        shown = self._shown
        self._pile(place, count, bottom, x, ground, [self._row(top, level) for level in range(_STACK)])
        free = min(count, _STACK - 1)
        x, y = x + self._size.point // 2 - 1, self._row(top, free) + (self._size.chequer - 1) * (not top)
        if place in shown.targets and count < _STACK:
            marks = ("vv", "^^") if self._inks.theme is None else ("▾▾", "▴▴")
            self.drawing.put(x, y, marks[not top], self._inks.target())
        elif place in shown.gone and count < _STACK:
            self.drawing.put(x, y, "--" if self._inks.theme is None else "··", self._inks.gone(ground))

    def _pile(self, place: int, count: int, bottom: bool, x: int, ground: str, rows: Sequence[int]) -> None:
        """Chequers on each other, each in one of the rows; the last says how many there are if they are more."""
        last = min(count, len(rows)) - 1
        for level, y in enumerate(rows[: last + 1]):
            at_end = level == last
            text = str(count) if at_end and count > len(rows) else ""
            chosen, fresh = at_end and place == self._shown.chosen, at_end and place in self._shown.come
            self._chequer(x, y, bottom, ground, text, chosen, fresh)

    def _chequer(self, x: int, y: int, bottom: bool, ground: str, text: str, chosen: bool, fresh: bool) -> None:
        """One chequer in a column that begins at `x`; text: what is written on it."""
        put, size, inks = self.drawing.put, self._size, self._inks
        light = self._light(bottom)
        face = inks.face(light, chosen=chosen, fresh=fresh)
        if inks.theme is None:
            letter = "X" if bottom else "O"
            if size.chequer == 1:
                put(x + (size.point - 1) // 2 - (len(text) > 1), y, text or letter, face)
            else:
                for row in range(size.chequer):
                    put(x + 1, y + row, letter * (size.point - 2), face)
                if text:
                    put(x + 2, y, text.ljust(2), face)
            return
        if size.chequer == 1:
            wide = 2 if size.point < 5 else 3
            put(x + (size.point - wide) // 2, y, (text or ("●" if fresh else "▁" * wide)).center(wide), face)
            return
        body = inks.chequer(light, ground)
        if chosen:
            body = Style(color=face.bgcolor, bgcolor=body.bgcolor)
        put(x + 1, y, "▟██▙", body)
        put(x + 1, y + 1, "▜██▛", body)
        if text or fresh:
            put(x + 2, y, (text or "●").ljust(2) if text else "▄▄", face)

    def _bars(self) -> None:
        shown, size = self._shown, self._size
        x = self._bar
        for bottom in (True, False):
            count = (shown.position.player if bottom else shown.position.opponent)[24]
            place = BAR if bottom else TOP_BAR
            # Next to the middle, where there is room: those of the bottom below it.
            first = 1 + self._half + size.middle if bottom else 1
            self.drawing.mark(place, x, first, size.point, self._half)
            rows = range(first, first + self._half, size.chequer)
            self._pile(place, count, bottom, x, "frame", rows if bottom else rows[::-1])
            if place in shown.starts and shown.chosen != place:
                edge = size.height - 1 if bottom else 0
                self.drawing.put(x, edge, "bar".center(size.point), self._inks.label(start=True, target=False))

    def _trays(self) -> None:
        """What is borne off, three chequers in a row."""
        shown, size = self._shown, self._size
        x = 0 if shown.left else size.width - size.tray + 1
        for bottom in (True, False):
            place = OFF if bottom else TOP_OFF
            first = 1 + self._half + size.middle if bottom else 1
            self.drawing.mark(place, x, first - (not bottom), size.tray - 1, self._half + 1)
            off = shown.position.off[0 if bottom else 1]
            light = self._light(bottom)
            style = self._inks.off(light)
            for i in range(off):
                row, column = divmod(i, 3)
                y = size.height - 2 - row * size.chequer if bottom else 1 + row * size.chequer
                letter = "X" if bottom else "O"
                self.drawing.put(x + column + (size.point > 3), y, "▌" if self._inks.theme else letter, style)
            if place in shown.targets:
                y = size.height - 2 if bottom else 1
                y += (-1 if bottom else 1) * min((off + 2) // 3, _STACK - 1) * size.chequer
                self.drawing.put(x, y, "off".center(size.tray - 1), self._inks.target())

    def _dice(self) -> None:
        shown, size = self._shown, self._size
        if not shown.dice:
            return
        light = self._light(not shown.dice_top)
        # On the right half, as seen by the player at the bottom.
        wide = 7 if size.middle == 3 and size.point > 4 else 5 if size.middle == 3 else 3
        gap = 2 if size.point > 3 else 1
        dice = shown.dice
        total = len(dice) * wide + (len(dice) - 1) * gap
        x = self._x0 + 1 + 7 * size.point + (6 * size.point - total) // 2
        y = 1 + self._half
        for value, used in dice:
            style = self._inks.die(light, used)
            if size.middle == 3:
                self._die(x, y, wide, value, style)
            else:
                plain = f"({value})" if used else f"[{value}]"
                self.drawing.put(x, y, plain if self._inks.theme is None else f" {value} ", style)
            self.drawing.mark(DICE, x, y, wide, size.middle)
            x += wide + gap

    def _die(self, x: int, y: int, wide: int, value: int, style: Style) -> None:
        """A die of three rows with its pips."""
        step = 2 if wide > 5 else 1
        for row in (-1, 0, 1):
            line = [" "] * wide
            for across, down in FACES[value]:
                if down == row:
                    line[wide // 2 + across * step] = "o" if self._inks.theme is None else "●"
            self.drawing.put(x, y + 1 + row, "".join(line), style)

    def _cube(self) -> None:
        shown, size = self._shown, self._size
        if not shown.cube:
            return
        text = f" {shown.cube if shown.cube > 1 or shown.cube_at or shown.offered else 64} "
        if shown.offered:
            x = self._x0 + 1 + (6 * size.point - len(text)) // 2
            y = 1 + self._half + size.middle // 2
        else:
            x = 0 if shown.left else size.width - size.tray + 1
            x += max(0, (size.tray - 1 - len(text)) // 2)
            y = {0: 1 + self._half + size.middle // 2, 1: size.height - 1, -1: 0}[shown.cube_at]
        self.drawing.put(x, y, text, self._inks.cube())
        self.drawing.mark(CUBE, x, y, len(text), 1)
