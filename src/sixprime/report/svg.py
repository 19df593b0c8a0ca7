"""The one drawing of a board, used by every report and page.

In: a `Position` (seen by its mover), optionally a `MatchState`, dice and plays. Out: an `<svg>` element as
text, about 1.5 KB. Colours are CSS custom properties (`--sp-...`) with a light and a dark value, or literal
when a `Theme` is asked for. Player 0 has the light chequers, player 1 the dark ones, whoever is on roll.
Points are numbered from the mover's side, as in the notation of the plays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from math import hypot
from typing import Literal

from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.report.words import xml_text

Side = Literal["right", "left"]

# All lengths in drawing units; a chequer's pitch is 40.
_PITCH = 40
_STRIP = 44  # cube strip
_TRAY = 48
_HALF = 6 * _PITCH
_BAR = 40
_EDGE = 22  # rows of point numbers
_GAP = 48  # between the two stacks of five
_FIELD = 10 * _PITCH + _GAP
WIDTH = _STRIP + 2 * _HALF + _BAR + _TRAY
HEIGHT = _FIELD + 2 * _EDGE
_MIDDLE = HEIGHT // 2
_DIE = 34
_CUBE = 32
_SHOWN = 5  # chequers drawn on one point; a number tells of more

# Pips of a die face on a 3 x 3 grid, -1 0 1 from its centre.
_FACES: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, 1), (1, -1)),
    3: ((-1, 1), (0, 0), (1, -1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of a board; field `point_a` is the CSS property `--sp-point-a`."""

    frame: str
    surface: str
    point_a: str
    point_b: str
    label: str
    light: str
    light_edge: str
    dark: str
    dark_edge: str
    cube: str
    cube_text: str
    best: str
    played: str
    halo: str


LIGHT = Theme(
    frame="#56645d",
    surface="#eef0ea",
    point_a="#c6d0c6",
    point_b="#92a89b",
    label="#e8ede9",
    light="#fffdf6",
    light_edge="#4a4f55",
    dark="#2a2f3d",
    dark_edge="#0d0f14",
    cube="#fff6d8",
    cube_text="#3a2f10",
    best="#0b5fce",
    played="#d9480f",
    halo="#ffffff",
)
DARK = Theme(
    frame="#121815",
    surface="#26302b",
    point_a="#3a4a42",
    point_b="#56705f",
    label="#b9c6bf",
    light="#efebdf",
    light_edge="#15181c",
    dark="#12151c",
    dark_edge="#97a3b3",
    cube="#e8d9a8",
    cube_text="#2a220c",
    best="#6fb1ff",
    played="#ff9a5c",
    halo="#0c100e",
)


def board_css(theme: Theme | None = None) -> str:
    """Style rules of all boards in a page. Without a theme the colours follow the reader's colour scheme."""
    rules = _RULES
    if theme is not None:
        # Longest first, so that `--sp-light` does not eat the start of `--sp-light-edge`.
        for field in sorted(fields(Theme), key=lambda f: -len(f.name)):
            rules = rules.replace(f"var({_property(field.name)})", getattr(theme, field.name))
        return rules
    values = ";".join(
        f"{_property(f.name)}:light-dark({getattr(LIGHT, f.name)},{getattr(DARK, f.name)})" for f in fields(Theme)
    )
    return f".sp-board{{color-scheme:inherit;{values}}}{rules}"


def board_defs() -> str:
    """An invisible `<svg>` with the fixed parts of both orientations, once per page with `shared` boards."""
    symbols = "".join(
        f'<g id="{_frame_id(side, upside)}">{_frame(side, upside)}</g>'
        for side in ("right", "left")
        for upside in (False, True)
    )
    return f'<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>{symbols}</defs></svg>'


def board_svg(
    position: Position,
    state: MatchState | None = None,
    *,
    dice: tuple[int, int] | None = None,
    mover: int | None = None,
    bottom: int | None = None,
    bear_off: Side = "right",
    played: Play | None = None,
    best: Play | None = None,
    shared: bool = False,
    theme: Theme | None = None,
    label: str | None = None,
) -> str:
    """Draw a position.

    mover: number of the player whose chequers are `position.player` (default: `state.on_roll`, else 0).
    bottom: number of the player at the bottom (default: the mover). bear_off: the side of the home boards.
    state: cube, score and length; without it no cube is drawn. dice: default `state.dice`.
    played, best: plays from `position`, drawn as a dashed and a solid arrow; equal ones as the solid one only.
    shared: the page holds `board_css()` and `board_defs()`; otherwise the element stands alone.
    label: text for screen readers instead of the one made here.
    """
    if mover is None:
        mover = state.on_roll if state is not None else 0
    if bottom is None:
        bottom = mover
    if dice is None and state is not None and not state.doubled:
        dice = state.dice
    layout = _Layout(mirrored=bear_off == "left", upside=bottom != mover)

    parts: list[str] = []
    if shared:
        head = 'class="sp-board"'
        parts.append(f'<use href="#{_frame_id(bear_off, layout.upside)}"/>')
    else:
        head = f'xmlns="http://www.w3.org/2000/svg" class="sp-board" width="{WIDTH}" height="{HEIGHT}"'
        scheme = "" if theme is not None else "svg.sp-board:root{color-scheme:light dark}"
        parts.append(f"<style>{board_css(theme)}{scheme}</style>{_frame(bear_off, layout.upside)}")

    counts = (position.player, position.opponent)
    off = position.off
    pips = position.pips
    for who in (0, 1):  # 0 the mover, 1 the opponent
        player = mover if who == 0 else 1 - mover
        parts.append(_chequers(layout, counts[who], off[who], who, player))
        y = _EDGE - 7 if layout.on_top(who) else HEIGHT - 7
        parts.append(_text("sp-n sp-p", layout.tray_x, y, pips[who]))
        if state is not None and state.length:
            parts.append(_text("sp-n sp-p", layout.strip_x, y, f"{state.score[player]}/{state.length}"))

    if state is not None:
        parts.append(_cube(layout, state, mover))
    if dice is not None:
        parts.append(_dice(layout, dice, mover))
    if played is not None and best is not None and played.result == best.result:
        played = None
    # The dashed arrow lies over the solid one, so that steps common to both plays show both.
    arrows = [
        (_arrows(layout, position, play), name)
        for play, name in ((best, "sp-best"), (played, "sp-played"))
        if play is not None and play.steps
    ]
    parts += [f'<path class="sp-h" d="{path}"/>' for path, _ in arrows]
    parts += [f'<path class="{name}" d="{path}"/>' for path, name in arrows]

    text = label if label is not None else _label(position, state, dice, mover)
    head += f' viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{xml_text(text)}"'
    return f"<svg {head}>{''.join(parts)}</svg>"


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where things are. Points 0..25 are the mover's (0 off, 25 bar); `who` is 0 for the mover, 1 for the opponent."""

    mirrored: bool
    upside: bool

    @property
    def tray_x(self) -> int:
        return self.x(WIDTH - _TRAY // 2)

    @property
    def strip_x(self) -> int:
        return self.x(_STRIP // 2)

    def x(self, x: int) -> int:
        return WIDTH - x if self.mirrored else x

    def on_top(self, who: int) -> bool:
        return (who == 1) != self.upside

    def place(self, point: int, slot: int, who: int) -> tuple[int, int]:
        """Centre of the chequer number `slot` (from 0) on a point of `who`, counted from `who`'s side."""
        top = self.on_top(who)
        if point == 0:
            return self.tray_x, (_EDGE + 8 + 11 * slot) if top else (HEIGHT - _EDGE - 8 - 11 * slot)
        if point == 25:  # on the side where it enters, from the middle outwards
            y = _MIDDLE + (_GAP // 2 + _PITCH // 2 + _PITCH * slot) * (1 if top else -1)
            return self.x(_STRIP + _HALF + _BAR // 2), y
        seen = 25 - point if top else point  # the number seen from the bottom
        column = (seen - 1) % 12  # from the right below, from the left above
        column = 11 - column if seen <= 12 else column
        x = _STRIP + _PITCH // 2 + _PITCH * column + (_BAR if column >= 6 else 0)
        y = _PITCH // 2 + _EDGE + _PITCH * slot
        return self.x(x), HEIGHT - y if seen <= 12 else y


def _chequers(layout: _Layout, counts: Sequence[int], off: int, who: int, player: int) -> str:
    """All chequers of one side: one path of dots drawn twice (edge, face), the tray, and the numbers."""
    dots: list[str] = []
    numbers: list[str] = []
    for index, count in enumerate(counts):
        if count <= 0:
            continue
        shown = min(count, 4 if index == 24 else _SHOWN)
        places = [layout.place(index + 1, slot, who) for slot in range(shown)]
        dots += [f"M{x} {y}h0" for x, y in places]
        if count > shown:
            x, y = places[-1]
            numbers.append(_text(f"sp-k{player}", x, y + 6, count))
    path = "".join(dots)
    parts = [f'<path class="sp-e{player}" d="{path}"/><path class="sp-c{player}" d="{path}"/>'] if dots else []
    if off > 0:
        bars = "".join(f"M{x - 17} {y}h34" for x, y in (layout.place(0, slot, who) for slot in range(min(off, 15))))
        parts.append(f'<path class="sp-oe{player}" d="{bars}"/><path class="sp-o{player}" d="{bars}"/>')
    return "".join(parts + numbers)


def _cube(layout: _Layout, state: MatchState, mover: int) -> str:
    if state.crawford:
        return _text("sp-n sp-p", layout.strip_x, _MIDDLE + 5, "Crawf.")
    value, x, y = state.cube, layout.strip_x, _MIDDLE
    if state.doubled:
        value, x = 2 * value, layout.x(_STRIP + _HALF // 2)
    elif state.cube_owner is not None:
        reach = _MIDDLE - _EDGE - _CUBE // 2 - 6
        y += -reach if layout.on_top(0 if state.cube_owner == mover else 1) else reach
    half = _CUBE // 2
    small = " sp-s" if value > 99 else ""
    return f'<rect class="sp-cube" x="{x - half}" y="{y - half}" width="{_CUBE}" height="{_CUBE}" rx="5"/>' + _text(
        f"sp-ct{small}", x, y + 6, value
    )


def _dice(layout: _Layout, dice: tuple[int, int], player: int) -> str:
    centre = _STRIP + _HALF + _BAR + _HALF // 2
    half = _DIE // 2
    parts: list[str] = []
    for shift, face in zip((-22, 22), dice, strict=True):
        if face not in _FACES:
            continue
        x, y = layout.x(centre) + shift, _MIDDLE
        pips = "".join(f"M{x + 10 * dx} {y + 10 * dy}h0" for dx, dy in _FACES[face])
        parts.append(
            f'<rect class="sp-d{player}" x="{x - half}" y="{y - half}" width="{_DIE}" height="{_DIE}" rx="7"/>'
            f'<path class="sp-q{player}" d="{pips}"/>'
        )
    return "".join(parts)


def _arrows(layout: _Layout, position: Position, play: Play) -> str:
    """Path data: one curve per step; a chequer that moves on gets its arrow head at its last step."""
    counts = list(position.player)
    off = position.off[0]
    pending = [step.start for step in play.steps]
    paths: list[str] = []
    for step in play.steps:
        pending.pop(0)
        count = counts[step.start - 1]
        x0, y0 = layout.place(step.start, _slot(count - 1, step.start), 0)
        counts[step.start - 1] = count - 1
        if step.end == 0:
            x1, y1 = layout.place(0, min(off, 14), 0)
            off += 1
        else:
            x1, y1 = layout.place(step.end, _slot(counts[step.end - 1], step.end), 0)
            counts[step.end - 1] += 1
        paths.append(_curve(x0, y0, x1, y1, head=step.end not in pending or step.end == 0))
    return "".join(paths)


def _slot(index: int, point: int) -> int:
    return max(0, min(index, 3 if point == 25 else _SHOWN - 1))


def _curve(x0: int, y0: int, x1: int, y1: int, *, head: bool) -> str:
    dx, dy = x1 - x0, y1 - y0
    length = hypot(dx, dy)
    if length < 1:
        return ""
    # Bent towards the middle of the board, so that arrows along a row leave the chequers visible.
    bend = min(46.0, 0.25 * length)
    cx = x0 + dx / 2
    cy = y0 + dy / 2
    if abs(dx) > abs(dy) / 3:
        cy += bend if (y0 + y1) / 2 < _MIDDLE else -bend
    path = f"M{x0} {y0}Q{cx:.0f} {cy:.0f} {x1} {y1}"
    if head:
        tx, ty = x1 - cx, y1 - cy
        norm = hypot(tx, ty) or 1.0
        tx, ty = 13 * tx / norm, 13 * ty / norm
        x2, y2 = x1 - tx, y1 - ty
        path += f"M{x2 - 0.6 * ty:.0f} {y2 + 0.6 * tx:.0f}L{x1} {y1}L{x2 + 0.6 * ty:.0f} {y2 - 0.6 * tx:.0f}"
    return path


def _frame(side: str, upside: bool) -> str:
    """Frame, points and point numbers."""
    layout = _Layout(mirrored=side == "left", upside=upside)
    points: tuple[list[str], list[str]] = ([], [])
    numbers: list[str] = []
    for point in range(1, 25):
        x, y = layout.place(point, 0, 0)
        top = y < _MIDDLE
        tip = _PITCH * 5 - 12
        points[point % 2].append(f"M{x - 20} {_EDGE if top else HEIGHT - _EDGE}h40l-20 {tip if top else -tip}z")
        numbers.append(_text("sp-n", x, _EDGE - 7 if top else HEIGHT - 7, point))
    halves = "".join(
        f"M{min(layout.x(x), layout.x(x + _HALF))} {_EDGE}h{_HALF}v{_FIELD}h-{_HALF}z"
        for x in (_STRIP, _STRIP + _HALF + _BAR)
    )
    width, height = _TRAY - 8, _FIELD // 2 - 14
    left = layout.tray_x - width // 2
    trays = f"M{left} {_EDGE}h{width}v{height}h-{width}zM{left} {HEIGHT - _EDGE}h{width}v-{height}h-{width}z"
    return (
        f'<rect class="sp-f" width="{WIDTH}" height="{HEIGHT}" rx="10"/><path class="sp-b" d="{halves}"/>'
        f'<path class="sp-t" d="{trays}"/><path class="sp-a" d="{"".join(points[0])}"/>'
        f'<path class="sp-z" d="{"".join(points[1])}"/>{"".join(numbers)}'
    )


def _frame_id(side: str, upside: bool) -> str:
    return f"sp-{side}{'-up' if upside else ''}"


def _text(name: str, x: int, y: int, value: object) -> str:
    return f'<text class="{name}" x="{x}" y="{y}">{value}</text>'


def _property(field: str) -> str:
    return "--sp-" + field.replace("_", "-")


def _label(position: Position, state: MatchState | None, dice: Iterable[int] | None, mover: int) -> str:
    """What a screen reader says: who moves, dice, cube, pip counts and the chequers of both sides."""
    colours = ("light", "dark")
    mine, theirs = colours[mover], colours[1 - mover]
    parts = [f"Backgammon board, {mine} on roll" + (f" with {'-'.join(map(str, dice))}" if dice is not None else "")]
    if state is not None and not state.crawford:
        owner = "centred" if state.cube_owner is None else f"owned by {colours[state.cube_owner]}"
        parts.append(f"cube {state.cube} {owner}" + (", doubled" if state.doubled else ""))
    for colour, counts, off, pips in (
        (mine, position.player, position.off[0], position.pips[0]),
        (theirs, position.opponent, position.off[1], position.pips[1]),
    ):
        places = [f"{'bar' if i == 24 else i + 1}: {n}" for i, n in enumerate(counts) if n > 0]
        tail = f", {off} off" if off > 0 else ""
        parts.append(f"{colour} {pips} pips, {', '.join(places)}{tail}")
    return "; ".join(parts)


_RULES = (
    ".sp-board{display:block;max-width:100%;height:auto;font-family:system-ui,sans-serif}"
    ".sp-n,.sp-k0,.sp-k1,.sp-ct{text-anchor:middle}"
    ".sp-n{font-size:13px;fill:var(--sp-label)}.sp-p{font-weight:700}"
    ".sp-f{fill:var(--sp-frame)}.sp-b{fill:var(--sp-surface)}.sp-t{fill:var(--sp-surface);opacity:.16}"
    ".sp-a{fill:var(--sp-point-a)}.sp-z{fill:var(--sp-point-b)}"
    ".sp-e0,.sp-e1,.sp-c0,.sp-c1,.sp-q0,.sp-q1,.sp-h,.sp-best,.sp-played{stroke-linecap:round;fill:none}"
    ".sp-e0{stroke:var(--sp-light-edge);stroke-width:39}.sp-c0{stroke:var(--sp-light);stroke-width:35}"
    ".sp-e1{stroke:var(--sp-dark-edge);stroke-width:39}.sp-c1{stroke:var(--sp-dark);stroke-width:35}"
    ".sp-oe0{stroke:var(--sp-light-edge);stroke-width:10}.sp-o0{stroke:var(--sp-light);stroke-width:7}"
    ".sp-oe1{stroke:var(--sp-dark-edge);stroke-width:10}.sp-o1{stroke:var(--sp-dark);stroke-width:7}"
    ".sp-k0,.sp-k1{font-size:17px;font-weight:700}.sp-k0{fill:var(--sp-dark)}.sp-k1{fill:var(--sp-light)}"
    ".sp-d0{fill:var(--sp-light);stroke:var(--sp-light-edge);stroke-width:2}"
    ".sp-d1{fill:var(--sp-dark);stroke:var(--sp-dark-edge);stroke-width:2}"
    ".sp-q0{stroke:var(--sp-dark);stroke-width:7}.sp-q1{stroke:var(--sp-light);stroke-width:7}"
    ".sp-cube{fill:var(--sp-cube);stroke:var(--sp-cube-text);stroke-width:1.5}"
    ".sp-ct{fill:var(--sp-cube-text);font-size:18px;font-weight:700}.sp-s{font-size:12px}"
    ".sp-h,.sp-best,.sp-played{stroke-linejoin:round}"
    ".sp-h{stroke:var(--sp-halo);stroke-width:8;opacity:.75}"
    ".sp-best{stroke:var(--sp-best);stroke-width:4.5}"
    ".sp-played{stroke:var(--sp-played);stroke-width:4.5;stroke-dasharray:9 7}"
)
