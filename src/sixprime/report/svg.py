"""The one drawing of a board, used by every report and page.

In: a `Position` (seen by its mover), optionally a `MatchState`, dice and plays. Out: an `<svg>` element as
text, about 1.5 KB. Colours are CSS custom properties (`--sp-...`) with a light and a dark value, or literal
when a `Theme` is asked for. Player 0 has the light chequers, player 1 the dark ones, whoever is on roll, unless told
otherwise. Points are numbered from the mover's side, as in the notation of the plays, or as asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot
from typing import Literal

from sixprime.checks import FLAG, TEXT, Instance, Maybe, OneOf, Whole
from sixprime.game.play import Play, paths
from sixprime.game.position import POSITION, Position
from sixprime.game.rules import check_dice
from sixprime.game.state import PLAYER, STATE, MatchState
from sixprime.report.phrases import say
from sixprime.report.themes import DARK as DARK
from sixprime.report.themes import LIGHT as LIGHT
from sixprime.report.themes import Theme as Theme
from sixprime.report.themes import board_css as board_css
from sixprime.report.themes import get_theme
from sixprime.report.words import xml_text

Side = Literal["right", "left"]
Numbers = Literal["mover", "bottom", "none"]

_PLAYER, _WIDTH = Maybe(PLAYER), Maybe(Whole(16, 16384))
_STATE, _PLAY, _LABEL = Maybe(STATE), Maybe(Instance(Play)), Maybe(TEXT)
_SIDE, _NUMBERS = OneOf("right", "left"), OneOf("mover", "bottom", "none")

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
_HEAD = 15  # length of an arrow's head
_SHOWN = 5  # chequers drawn on one point; a number tells of more

# Pips of a die face on a 3 x 3 grid, -1 0 1 from its centre.
FACES: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, 1), (1, -1)),
    3: ((-1, 1), (0, 0), (1, -1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}


def board_defs() -> str:
    """An invisible `<svg>` with the fixed parts of all orientations, once per page with `shared` boards."""
    symbols = "".join(
        f'<g id="{_frame_id(side, numbers)}">{_frame(side, numbers)}</g>'
        for side in ("right", "left")
        for numbers in ("bottom", "top", "none")
    )
    for player in (0, 1):
        symbols += (
            f'<marker id="sp-m{player}" class="sp-m" markerUnits="userSpaceOnUse" markerWidth="40" markerHeight="40">'
            f'<path class="sp-e{player}" d="M0 0h0"/><path class="sp-c{player}" d="M0 0h0"/></marker>'
        )
        symbols += "".join(
            f'<g id="{_die_id(player, number, face)}">{_die(Layout(False, False), number, face, player)}</g>'
            for number in (0, 1)
            for face in FACES
        )
    return f'<svg width="0" height="0" class="sp-board sp-defs" aria-hidden="true"><defs>{symbols}</defs></svg>'


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
    numbers: Numbers = "mover",
    pips: bool = True,
    light: int = 0,
    shared: bool = False,
    theme: Theme | str | None = None,
    width: int | None = None,
    label: str | None = None,
) -> str:
    """Draw a position.

    mover: number of the player whose chequers are `position.player` (default: `state.on_roll`, else 0).
    bottom: number of the player at the bottom (default: the mover). bear_off: the side of the home boards.
    state: cube, score and length; without it no cube is drawn. dice: default `state.dice`.
    played, best: plays from `position`, a dashed and a solid arrow for each chequer; equal ones as the solid one only.
    numbers: whose the numbers of the points are, the mover's (as in the notation), those of the player at the bottom,
    or none. pips: whether pip counts stand beside the trays. light: number of the player with the light chequers.
    shared: the page holds `board_css()` and `board_defs()`; otherwise the element stands alone.
    theme: colours of a board that stands alone, one of `themes.THEMES` or its name; None follows the reader's colour
    scheme, which needs a browser. width: in pixels, of a board that stands alone.
    label: text for screen readers instead of the one made here.
    Raises SettingsError for an option that is none of these.
    """
    POSITION("position", position)
    _STATE("state", state)
    _PLAY("played", played)
    _PLAY("best", best)
    FLAG("pips", pips)
    FLAG("shared", shared)
    _LABEL("label", label)
    _PLAYER("mover", mover)
    _PLAYER("bottom", bottom)
    PLAYER("light", light)
    _WIDTH("width", width)
    _SIDE("bear_off", bear_off)
    _NUMBERS("numbers", numbers)
    chosen = get_theme(theme)
    if mover is None:
        mover = state.on_roll if state is not None else 0
    if bottom is None:
        bottom = mover
    if dice is None and state is not None and not state.doubled:
        dice = state.dice
    if dice is not None:
        check_dice(dice)
    layout = Layout(mirrored=bear_off == "left", upside=bottom != mover)
    numbered = "none" if numbers == "none" else "top" if layout.upside and numbers == "mover" else "bottom"

    parts: list[str] = []
    if shared:
        head = 'class="sp-board"'
        parts.append(f'<use href="#{_frame_id(bear_off, numbered)}"/>')
    else:
        across = WIDTH if width is None else width
        scope = f"sp-{'auto' if chosen is None else chosen.name}"
        size = f'width="{across}" height="{round(HEIGHT * across / WIDTH)}"'
        head = f'xmlns="http://www.w3.org/2000/svg" class="sp-board {scope}" {size}'
        scheme = "" if chosen is not None else "svg.sp-board:root{color-scheme:light dark}"
        parts.append(f"<style>{board_css(chosen, scope=scope)}{scheme}</style>{_frame(bear_off, numbered)}")

    counts = (position.player, position.opponent)
    off = position.off
    race = position.pips
    for who in (0, 1):  # 0 the mover, 1 the opponent
        player = mover if who == 0 else 1 - mover
        parts.append(_chequers(layout, counts[who], off[who], (who, player ^ light), shared=shared))
        y = _EDGE - 7 if layout.on_top(who) else HEIGHT - 7
        if pips:
            parts.append(_text("sp-n sp-p", layout.tray_x, y, race[who]))
        if state is not None and state.length:
            parts.append(_text("sp-n sp-p", layout.strip_x, y, f"{state.score[player]}/{state.length}"))

    if state is not None:
        parts.append(_cube(layout, state, mover))
    if dice is not None:
        parts.append(_dice(layout, dice, mover ^ light, shared=shared))
    if played is not None and best is not None and played.result == best.result:
        played = None
    # The dashed arrow lies over the solid one and is thinner, so that ways common to both plays show both.
    arrows = [
        (_arrows(layout, position, play), name)
        for play, name in ((best, "best"), (played, "played"))
        if play is not None and play.steps
    ]
    parts += [f'<path class="sp-h" d="{shafts}{heads}"/>' for (shafts, heads, _), _ in arrows]
    parts += [
        f'<path class="sp-{name}" d="{shafts}"/><path class="sp-{name}-head" d="{heads}"/>'
        for (shafts, heads, _), name in arrows
    ]
    counted = {place: (name, text) for (_, _, numbers), name in reversed(arrows) for place, text in numbers.items()}
    parts += [_text(f"sp-x sp-{name}-head", *place, text) for place, (name, text) in counted.items()]

    text = label if label is not None else _label(position, state, dice, (mover, light))
    head += f' viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{xml_text(text)}"'
    return f"<svg {head}>{''.join(parts)}</svg>"


def board_geometry(chequers: int = 15) -> dict[str, object]:
    """What a page's script must know to draw the same boards: places and sizes in drawing units, homes on the right.

    seats: by side (0 at the bottom, 1 at the top) and point (0 off, 25 bar) of the player who sits there: x and y of
    the first chequer, and how much further down the next one is. chequers: of each side.
    """
    layout = Layout(mirrored=False, upside=False)
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "edge": _EDGE,
        "strip": _STRIP,
        "half": _HALF,
        "bar": _BAR,
        "tray": _TRAY,
        "die": _DIE,
        "cube": _CUBE,
        "shown": _SHOWN,
        "head": _HEAD,
        "frames": {
            side: {numbered: _frame_id(side, numbered) for numbered in ("bottom", "top", "none")}
            for side in ("right", "left")
        },
        "faces": list(FACES.values()),
        "seats": [
            [
                (*layout.place(point, 0, side), layout.place(point, 1, side)[1] - layout.place(point, 0, side)[1])
                for point in range(26)
            ]
            for side in (0, 1)
        ],
        "chequers": chequers,
    }


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things are, in drawing units. mirrored: home boards on the left; upside: the mover at the top.

    Points 0..25 are the mover's (0 off, 25 bar); `who` is 0 for the mover, 1 for the opponent."""

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


def _chequers(layout: Layout, counts: Sequence[int], off: int, whose: tuple[int, int], *, shared: bool) -> str:
    """All chequers of one side: one path of dots drawn twice (edge, face), the tray, and the numbers.

    whose: 0 for the mover, 1 for the opponent; and 0 for the light chequers, 1 for the dark ones. shared: the path goes
    from dot to dot, and each is a marker of the page.
    """
    who, player = whose
    dots: list[str] = []
    numbers: list[str] = []
    for index, count in enumerate(counts):
        if count <= 0:
            continue
        shown = min(count, 4 if index == 24 else _SHOWN)
        places = [layout.place(index + 1, slot, who) for slot in range(shown)]
        if shared:
            dots.append(f"M{places[0][0]} {places[0][1]}" + "".join(f"V{y}" for _, y in places[1:]))
        else:
            dots += [f"M{x} {y}h0" for x, y in places]
        if count > shown:
            x, y = places[-1]
            numbers.append(_text(f"sp-k{player}", x, y + 6, count))
    path = "".join(dots)
    names = [f"sp-m{player}"] if shared else [f"sp-e{player}", f"sp-c{player}"]
    parts = [f'<path class="{name}" d="{path}"/>' for name in names] if dots else []
    if off > 0:
        bars = "".join(f"M{x - 17} {y}h34" for x, y in (layout.place(0, slot, who) for slot in range(min(off, 15))))
        parts.append(f'<path class="sp-oe{player}" d="{bars}"/><path class="sp-o{player}" d="{bars}"/>')
    return "".join(parts + numbers)


def _cube(layout: Layout, state: MatchState, mover: int) -> str:
    if state.crawford:
        # Upwards, as the strip is narrower than the word.
        word = _text("sp-n sp-p", layout.strip_x, _MIDDLE + 5, "Crawford")
        return f'<g transform="rotate(-90 {layout.strip_x} {_MIDDLE})">{word}</g>'
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


def _dice(layout: Layout, dice: tuple[int, int], player: int, *, shared: bool) -> str:
    faces = [(number, face) for number, face in enumerate(dice) if face in FACES]
    if shared and not layout.mirrored:
        return "".join(f'<use href="#{_die_id(player, number, face)}"/>' for number, face in faces)
    return "".join(_die(layout, number, face, player) for number, face in faces)


def _die_id(player: int, number: int, face: int) -> str:
    return f"sp-{player}{number}{face}"


def _die(layout: Layout, number: int, face: int, player: int) -> str:
    """number: 0 for the left one, 1 for the right one."""
    x, y = layout.x(_STRIP + _HALF + _BAR + _HALF // 2) + (22 if number else -22), _MIDDLE
    pips = "".join(f"M{x + 10 * dx} {y + 10 * dy}h0" for dx, dy in FACES[face])
    half = _DIE // 2
    return (
        f'<rect class="sp-d{player}" x="{x - half}" y="{y - half}" width="{_DIE}" height="{_DIE}" rx="7"/>'
        f'<path class="sp-q{player}" d="{pips}"/>'
    )


def _arrows(layout: Layout, position: Position, play: Play) -> tuple[str, str, dict[tuple[int, int], str]]:
    """Paths of shafts and of heads, an arrow for every chequer, and where to write how many go the same way.

    On its way an arrow touches only the points where the chequer hits. Those of chequers that go together are parallel.
    """
    counts = list(position.player)
    off = position.off[0]
    shafts: list[str] = []
    heads: list[str] = []
    numbers: dict[tuple[int, int], str] = {}
    for (start, *touched), group in paths(play.steps).items():
        end, number = touched[-1], len(group)
        upper = _slot(counts[start - 1] - 1, start)
        counts[start - 1] -= number
        if end == 0:
            off += number
            landed = min(off, 15) - 1
        else:
            counts[end - 1] += number
            landed = _slot(counts[end - 1] - 1, end)
        # Slots count from the edge, or from the middle on the bar: towards each other from different rows.
        rows = [layout.place(point, 0, 0)[1] < _MIDDLE for point in (start, end)]
        facing = (rows[0] != rows[1]) != (start == 25)
        middles = []
        for k, chain in enumerate(group):
            lands = landed - (number - 1 - k if facing else k)
            hits = [layout.place(step.end, 0, 0) for step in chain[:-1] if step.hit]
            places = [layout.place(start, max(upper - k, 0), 0), *hits, layout.place(end, max(lands, 0), 0)]
            shaft, head, middle = _way(places)
            shafts.append(shaft)
            heads.append(head)
            middles.append(middle)
        if number > 1:
            x, y = ((a + b) / 2 for a, b in zip(*middles[:2], strict=True))
            numbers[round(x), round(y) + 7] = f"×{number}"
    return "".join(shafts), "".join(heads), numbers


def _slot(index: int, point: int) -> int:
    return max(0, min(index, 3 if point == 25 else _SHOWN - 1))


def _way(places: Sequence[tuple[int, int]]) -> tuple[str, str, tuple[float, float]]:
    """Paths of the shaft and the head of an arrow through places, and the middle of its longest part."""
    shaft, longest, middle = f"M{places[0][0]} {places[0][1]}", -1.0, (0.0, 0.0)
    for number, ((x0, y0), (x1, y1)) in enumerate(pairwise(places), 2):
        length = hypot(x1 - x0, y1 - y0)
        cx, cy = (x0 + x1) / 2, (y0 + y1) / 2
        if (y0 < _MIDDLE) == (y1 < _MIDDLE):
            # Bent towards the middle of the board, so that arrows along a row leave the chequers visible.
            cy += min(46.0, 0.25 * length) * (1 if y0 < _MIDDLE else -1)
        if length > longest:
            longest, middle = length, ((x0 + 2 * cx + x1) / 4, (y0 + 2 * cy + y1) / 4)
        if number < len(places):
            shaft += f"Q{cx:.0f} {cy:.0f} {x1} {y1}"
    norm = hypot(x1 - cx, y1 - cy) or 1.0
    tx, ty = _HEAD * (x1 - cx) / norm, _HEAD * (y1 - cy) / norm
    x2, y2 = x1 - tx, y1 - ty
    shaft += f"Q{cx:.0f} {cy:.0f} {x2:.0f} {y2:.0f}"
    head = f"M{x2 - 0.55 * ty:.0f} {y2 + 0.55 * tx:.0f}L{x1} {y1}L{x2 + 0.55 * ty:.0f} {y2 - 0.55 * tx:.0f}z"
    return shaft, head, middle


def _frame(side: str, numbered: str) -> str:
    """Frame, points and point numbers, those of the player at the "bottom" or the "top", or "none"."""
    layout = Layout(mirrored=side == "left", upside=numbered == "top")
    points: tuple[list[str], list[str]] = ([], [])
    numbers: list[str] = []
    for point in range(1, 25):
        x, y = layout.place(point, 0, 0)
        top = y < _MIDDLE
        tip = _PITCH * 5 - 12
        points[point % 2].append(f"M{x - 20} {_EDGE if top else HEIGHT - _EDGE}h40l-20 {tip if top else -tip}z")
        if numbered != "none":
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


def _frame_id(side: str, numbered: str) -> str:
    return f"sp-{side}-{numbered}"


def _text(name: str, x: int, y: int, value: object) -> str:
    return f'<text class="{name}" x="{x}" y="{y}">{value}</text>'


def _label(position: Position, state: MatchState | None, dice: Iterable[int] | None, who: tuple[int, int]) -> str:
    """What a screen reader says: who moves, dice, cube, pip counts and the chequers of both sides.

    who: the mover, and the player with the light chequers.
    """
    mover, light = who
    light_side, dark_side = say("label.light"), say("label.dark")
    colours = (light_side, dark_side) if light == 0 else (dark_side, light_side)
    mine, theirs = colours[mover], colours[1 - mover]
    rolled = "" if dice is None else say("label.dice", dice="-".join(map(str, dice)))
    parts = [say("label.board", who=mine, dice=rolled)]
    if state is not None and not state.crawford:
        owner = state.cube_owner
        place = say("label.centred") if owner is None else say("label.owned", who=colours[owner])
        parts.append(
            say("label.cube", cube=state.cube, place=place, doubled=say("label.doubled") if state.doubled else "")
        )
    for colour, counts, off, pips in (
        (mine, position.player, position.off[0], position.pips[0]),
        (theirs, position.opponent, position.off[1], position.pips[1]),
    ):
        places = [f"{say('label.bar') if i == 24 else i + 1}: {n}" for i, n in enumerate(counts) if n > 0]
        tail = say("label.off", off=off) if off > 0 else ""
        parts.append(say("label.side", who=colour, pips=pips, places=", ".join(places), off=tail))
    return "; ".join(parts)
