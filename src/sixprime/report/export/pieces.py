"""The pictures that HTML boards of type gnu are put together from, drawn in the colours of our boards.

The whole board is 108 x 82: trays of 12, points of 6 x 30, a bar of 12, edges of 3, 16 between the halves. Names are
those of GNU Backgammon's own pictures.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sixprime.paths import write
from sixprime.report.png import to_png
from sixprime.report.svg import LIGHT as T

WIDTH, HEIGHT = 108, 82
_SHOWN = 5


def _names() -> Iterator[str]:
    cubes = [2**power for power in range(1, 13)]
    for edge in ("lotop", "hitop", "lobot", "hibot"):
        yield f"{edge}r"
    for point in ("gd", "rd", "gu", "ru"):
        yield point
        yield from (f"{point}-{letter}{count}" for letter in "ox" for count in range(1, 16))
    for letter in "ox":
        yield from (f"bar-{letter}{count}" for count in range(16))
        yield from (f"roff-{letter}{count}" for count in range(16))
        yield f"loff-{letter}0"
        yield f"midlb-{letter}"
    yield from ("ct", "cb", "midc", "midl", "midr", "midrb", "midc-1")
    yield from (f"{place}-{cube}" for place in ("ct", "cb", "midc") for cube in cubes)
    yield from (f"{side}-c{cube}" for side in ("midl", "midr") for cube in cubes)
    yield from (
        f"{side}{one}{two}" for side in ("midl-x", "midr-o") for one in range(1, 7) for two in range(1, one + 1)
    )


PIECES = [f"b-{name}.png" for name in _names()]


def draw(name: str, size: int) -> bytes:
    """One of `PIECES` as PNG. size: pixels of a unit. Raises SettingsError where the library for PNG is missing."""
    return to_png(piece_svg(name), width=extent(name)[0] * size)


def write_all(folder: Path, size: int) -> list[Path]:
    """Writes every piece into a folder. Raises as `draw` does, and OSError."""
    places = [folder / name for name in PIECES]
    for place in places:
        write(place, draw(place.name, size))
    return places


def extent(name: str) -> tuple[int, int]:
    """Width and height of a piece."""
    kind = _parts(name)[0]
    if kind.endswith(("topr", "botr")):
        return WIDTH, 3
    if kind in ("gd", "rd", "gu", "ru"):
        return 6, 30
    return _EXTENTS[kind]


_EXTENTS = {
    **dict.fromkeys(("loff", "roff"), (12, 30)),
    **dict.fromkeys(("midlb", "midrb", "midc"), (12, 16)),
    **dict.fromkeys(("ct", "cb"), (12, 6)),
    **dict.fromkeys(("midl", "midr"), (36, 16)),
    "bar": (12, 24),
}


def _parts(name: str) -> tuple[str, str]:
    """Kind, and what stands behind it: "b-gd-o5.png" is "gd", "o5"."""
    kind, _, rest = name.removeprefix("b-").removesuffix(".png").partition("-")
    return kind, rest


def piece_svg(name: str) -> str:
    """The drawing of a piece."""
    width, height = extent(name)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f"{''.join(_drawn(*_parts(name)))}</svg>"
    )


def _drawn(kind: str, rest: str) -> Iterator[str]:
    if kind.endswith(("topr", "botr")):
        yield from _edge(kind)
    elif kind in ("gd", "rd", "gu", "ru"):
        yield _box(0, 0, 6, 30, T.surface)
        colour = T.point_a if kind[0] == "g" else T.point_b
        yield f'<path d="{"M0 0h6L3 27z" if kind[1] == "d" else "M0 30h6L3 3z"}" fill="{colour}"/>'
        if rest:
            heights = (3, 6) if kind[1] == "d" else (27, -6)
            yield from _stack(3, heights, rest[0], int(rest[1:]))
    elif kind in ("loff", "roff"):
        yield _box(0, 0, 12, 30, T.frame)
        yield _box(3, 0, 6, 30, T.surface, 0.25)
        if rest[1:] not in ("", "0"):
            yield from _off(rest[0], int(rest[1:]))
    elif kind == "bar":
        yield _box(0, 0, 12, 24, T.frame)
        # Named after the half that it is in, which is not that of the player whose chequers these are.
        heights, letter = ((21, -6), "x") if rest[0] == "o" else ((3, 6), "o")
        yield from _stack(6, heights, letter, int(rest[1:]))
    elif kind in ("midl", "midr"):
        yield _box(0, 0, 36, 16, T.surface)
        if rest.startswith("c"):
            yield from _cube(18, 8, rest[1:])
        elif rest:
            yield from _die(13, 8, rest[0], int(rest[1]))
            yield from _die(23, 8, rest[0], int(rest[2]))
    else:
        width, height = _EXTENTS[kind]
        yield _box(0, 0, width, height, T.frame)
        if kind.startswith("midlb"):
            way = "M4 10h4l-2-4z" if rest == "x" else "M4 6h4l-2 4z"
            yield f'<path d="{way}" fill="{T.label}"/>'
        elif rest:
            yield from _cube(6, height / 2, rest, 2.6 if height == 6 else 3.0)


def _box(x: float, y: float, width: float, height: float, colour: str, opacity: float = 1.0) -> str:
    shade = f' opacity="{opacity}"' if opacity < 1 else ""
    return f'<path d="M{x} {y}h{width}v{height}h{-width}z" fill="{colour}"{shade}/>'


def _text(x: float, y: float, size: float, colour: str, text: object) -> str:
    return (
        f'<text x="{x}" y="{y + 0.36 * size:.2f}" font-family="sans-serif" font-weight="bold" font-size="{size}" '
        f'text-anchor="middle" fill="{colour}">{text}</text>'
    )


def _edge(kind: str) -> Iterator[str]:
    yield _box(0, 0, WIDTH, 3, T.frame)
    first, step = {"lotopr": (12, -1), "hitopr": (13, 1), "lobotr": (12, -1), "hibotr": (13, 1)}[kind]
    for place in range(12):
        yield _text(15 + 6 * place + (12 if place > 5 else 0), 1.6, 2.2, T.label, first + step * place)


def _colours(letter: str) -> tuple[str, str, str]:
    """Face, edge and writing of a chequer of player 0 (x) or 1 (o)."""
    return (T.light, T.light_edge, T.dark) if letter == "x" else (T.dark, T.dark_edge, T.light)


def _stack(x: float, heights: tuple[float, float], letter: str, count: int) -> Iterator[str]:
    """heights: of the first chequer and the step to the next."""
    face, edge, writing = _colours(letter)
    most = _SHOWN if x == 3 else 3
    for place in range(min(count, most)):
        y = heights[0] + heights[1] * place
        yield f'<circle cx="{x}" cy="{y}" r="2.7" fill="{face}" stroke="{edge}" stroke-width=".4"/>'
        if place == most - 1 and count > most:
            yield _text(x, y, 3.4, writing, count)


def _off(letter: str, count: int) -> Iterator[str]:
    """Chequers on their side, from the edge of the board: player 0 is above."""
    face, edge, _ = _colours(letter)
    for place in range(count):
        y = 0.4 + 1.9 * place if letter == "x" else 27.9 - 1.9 * place
        yield f'<path d="M3.5 {y:.1f}h5v1.6h-5z" fill="{face}" stroke="{edge}" stroke-width=".3"/>'


def _cube(x: float, y: float, value: str, half: float = 3.0) -> Iterator[str]:
    shown = "64" if value == "1" else value
    yield (
        f'<rect x="{x - half}" y="{y - half}" width="{2 * half}" height="{2 * half}" rx=".6" fill="{T.cube}" '
        f'stroke="{T.cube_text}" stroke-width=".3"/>'
    )
    yield _text(x, y, min(3.6, 6.6 / len(shown)), T.cube_text, shown)


_PIPS = {
    1: "c",
    2: "ai",
    3: "aci",
    4: "agbi",
    5: "agcbi",
    6: "agdfbi",
}
"""The pips of each face: a b corners above, d f at the sides, g i corners below, c the middle."""
_PLACES = {"a": (-1, -1), "b": (1, -1), "d": (-1, 0), "f": (1, 0), "g": (-1, 1), "i": (1, 1), "c": (0, 0)}


def _die(x: float, y: float, letter: str, value: int) -> Iterator[str]:
    face, edge, writing = _colours(letter)
    yield (
        f'<rect x="{x - 3.5}" y="{y - 3.5}" width="7" height="7" rx="1.2" fill="{face}" stroke="{edge}" '
        'stroke-width=".4"/>'
    )
    for across, down in (_PLACES[place] for place in _PIPS[value]):
        yield f'<circle cx="{x + 2 * across}" cy="{y + 2 * down}" r=".75" fill="{writing}"/>'
