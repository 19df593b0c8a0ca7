"""Colours of boards, and the style rules that use them.

In every theme a chequer stands out from all it may lie on by a contrast of at least 3:1 (WCAG 2), by its face or by the
edge around it, and so do the chequers of both players from each other.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from sixprime.checks import OneOf


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours of a board, `#rrggbb` each; field `point_a` is the CSS property `--sp-point-a`."""

    name: str
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
    name="light",
    frame="#66756d",
    surface="#eef0ea",
    point_a="#c6d0c6",
    point_b="#96ac9f",
    label="#ffffff",
    light="#fffdf6",
    light_edge="#3c4147",
    dark="#1f2432",
    dark_edge="#0d0f14",
    cube="#fff6d8",
    cube_text="#3a2f10",
    best="#0b5fce",
    played="#c2410c",
    halo="#ffffff",
)
DARK = Theme(
    name="dark",
    frame="#121815",
    surface="#26302b",
    point_a="#3a4a42",
    point_b="#4d6656",
    label="#b9c6bf",
    light="#efebdf",
    light_edge="#15181c",
    dark="#12151c",
    dark_edge="#b4bfcd",
    cube="#e8d9a8",
    cube_text="#2a220c",
    best="#6fb1ff",
    played="#ff9a5c",
    halo="#0c100e",
)
_WOOD = Theme(
    name="wood",
    frame="#96623a",
    surface="#e9cfa3",
    point_a="#c99b63",
    point_b="#a9743f",
    label="#fff8ea",
    light="#fff9ec",
    light_edge="#3d2814",
    dark="#2b1a12",
    dark_edge="#150c07",
    cube="#fffaf0",
    cube_text="#3d2814",
    best="#0a4fb0",
    played="#a3123f",
    halo="#fff9ec",
)
_BLUE = Theme(
    name="blue",
    frame="#1d2f4a",
    surface="#6f8fb3",
    point_a="#86a3c3",
    point_b="#587a9f",
    label="#dde8f5",
    light="#ffffff",
    light_edge="#1a2739",
    dark="#101827",
    dark_edge="#c9d8ea",
    cube="#fff3c9",
    cube_text="#2c2508",
    best="#fff3a3",
    played="#ff8f66",
    halo="#101827",
)
# Yellow and blue chequers on grey: the colours that all kinds of colour blindness tell apart.
_COLOUR_BLIND = Theme(
    name="colour-blind",
    frame="#c2c8ce",
    surface="#f4f5f6",
    point_a="#d7dbdf",
    point_b="#aeb4ba",
    label="#22262a",
    light="#ffd54a",
    light_edge="#33280a",
    dark="#003b73",
    dark_edge="#001a36",
    cube="#ffffff",
    cube_text="#1c1c1c",
    best="#005a9c",
    played="#8a4b00",
    halo="#ffffff",
)
# No colour and little ink; the frame is the paper.
_PRINT = Theme(
    name="print",
    frame="#ffffff",
    surface="#ffffff",
    point_a="#e2e2e2",
    point_b="#c4c4c4",
    label="#000000",
    light="#ffffff",
    light_edge="#000000",
    dark="#303030",
    dark_edge="#000000",
    cube="#ffffff",
    cube_text="#000000",
    best="#000000",
    played="#5a5a5a",
    halo="#ffffff",
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK, _WOOD, _BLUE, _COLOUR_BLIND, _PRINT)}


_NAME = OneOf("auto", *THEMES)


def get_theme(theme: Theme | str | None) -> Theme | None:
    """A theme by name; None, or "auto", for that of the reader's colour scheme. Raises SettingsError."""
    if theme is None or isinstance(theme, Theme):
        return theme
    _NAME("theme", theme)
    return THEMES.get(theme)


def board_css(theme: Theme | str | None = None, *, scope: str = "") -> str:
    """Style rules of all boards in a page. Without a theme the colours follow the reader's colour scheme.

    scope: a class that boards must have, too, so that rules of several themes can stand in one page. Raises
    SettingsError for a theme that there is not.
    """
    chosen, within = get_theme(theme), f".{scope}" if scope else ""
    rules = "".join(
        ",".join(f"{within} {name}" if within and name != _BOARD else name + within for name in names.split(","))
        + f"{{{style}}}"
        for names, style in (_RULES if scope else _RULES + _SHARED)
    )
    if chosen is not None:
        for field in _COLOURS:
            rules = rules.replace(f"var({_property(field)})", getattr(chosen, field))
        return rules
    values = ";".join(f"{_property(f)}:light-dark({getattr(LIGHT, f)},{getattr(DARK, f)})" for f in _COLOURS)
    return f"{_BOARD}{within}{{color-scheme:inherit;{values}}}{rules}"


def _property(field: str) -> str:
    return "--sp-" + field.replace("_", "-")


_COLOURS = [field.name for field in fields(Theme) if field.name != "name"]
_BOARD = ".sp-board"
_RULES = (
    (_BOARD, "display:block;max-width:100%;height:auto;font-family:system-ui,sans-serif"),
    (".sp-n,.sp-k0,.sp-k1,.sp-ct,.sp-x", "text-anchor:middle"),
    (".sp-n", "font-size:13px;fill:var(--sp-label)"),
    (".sp-p", "font-weight:700"),
    (".sp-f", "fill:var(--sp-frame);stroke:var(--sp-label);stroke-opacity:.35"),
    (".sp-b", "fill:var(--sp-surface)"),
    (".sp-t", "fill:var(--sp-surface);fill-opacity:.16;stroke:var(--sp-label);stroke-opacity:.25"),
    (".sp-a", "fill:var(--sp-point-a)"),
    (".sp-z", "fill:var(--sp-point-b)"),
    (".sp-e0,.sp-e1,.sp-c0,.sp-c1,.sp-q0,.sp-q1,.sp-h,.sp-best,.sp-played", "stroke-linecap:round;fill:none"),
    (".sp-e0", "stroke:var(--sp-light-edge);stroke-width:39"),
    (".sp-c0", "stroke:var(--sp-light);stroke-width:35"),
    (".sp-e1", "stroke:var(--sp-dark-edge);stroke-width:39"),
    (".sp-c1", "stroke:var(--sp-dark);stroke-width:35"),
    (".sp-oe0", "stroke:var(--sp-light-edge);stroke-width:10"),
    (".sp-o0", "stroke:var(--sp-light);stroke-width:7"),
    (".sp-oe1", "stroke:var(--sp-dark-edge);stroke-width:10"),
    (".sp-o1", "stroke:var(--sp-dark);stroke-width:7"),
    (".sp-k0,.sp-k1", "font-size:17px;font-weight:700"),
    (".sp-k0", "fill:var(--sp-dark)"),
    (".sp-k1", "fill:var(--sp-light)"),
    (".sp-d0", "fill:var(--sp-light);stroke:var(--sp-light-edge);stroke-width:2"),
    (".sp-d1", "fill:var(--sp-dark);stroke:var(--sp-dark-edge);stroke-width:2"),
    (".sp-q0", "stroke:var(--sp-dark);stroke-width:7"),
    (".sp-q1", "stroke:var(--sp-light);stroke-width:7"),
    (".sp-cube", "fill:var(--sp-cube);stroke:var(--sp-cube-text);stroke-width:1.5"),
    (".sp-ct", "fill:var(--sp-cube-text);font-size:18px;font-weight:700"),
    (".sp-s", "font-size:12px"),
    (".sp-h", "stroke:var(--sp-halo);stroke-width:10;stroke-opacity:.8;stroke-linejoin:round"),
    (".sp-best", "stroke:var(--sp-best);stroke-width:6"),
    (".sp-played", "stroke:var(--sp-played);stroke-width:3.5;stroke-dasharray:8 7"),
    (".sp-best-head", "fill:var(--sp-best)"),
    (".sp-played-head", "fill:var(--sp-played)"),
    (
        ".sp-x",
        "font-size:20px;font-weight:700;stroke:var(--sp-halo);stroke-width:5;stroke-linejoin:round;paint-order:stroke",
    ),
)
"""Selectors and what they get; `sp-e0` is the edge of the light player's chequers, `sp-c0` their face."""
_SHARED = (
    (".sp-m", "overflow:visible"),
    (".sp-m0", "marker:url(#sp-m0);fill:none"),
    (".sp-m1", "marker:url(#sp-m1);fill:none"),
)
"""Chequers of boards that share the parts of a page: each is a marker."""
