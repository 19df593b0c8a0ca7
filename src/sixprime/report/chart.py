"""Line charts as SVG, for equity against winning chance and the like; readable on light and on dark ground.

In: lines and points in data units. Out: one `<svg>` document as text, some kilobytes, without scripts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from sixprime.report.words import xml_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Colour = Literal["blue", "red", "green", "amber", "violet", "grey"]

_COLOURS = {
    "back": ("#ffffff", "#171c22"),
    "ink": ("#22303c", "#e6ebf0"),
    "soft": ("#5d6b77", "#9aa7b3"),
    "grid": ("#e3e8ec", "#2b343d"),
    "blue": ("#1f6fb2", "#62a8e5"),
    "red": ("#c0392b", "#f0796b"),
    "green": ("#2e8b57", "#63c48d"),
    "amber": ("#b7791f", "#e0b052"),
    "violet": ("#7b4fb5", "#b592ea"),
    "grey": ("#7a8793", "#8b98a4"),
}
"""Of all charts, on light and on dark ground."""


def _values(column: int) -> str:
    return ".sp-chart{" + ";".join(f"--{name}:{pair[column]}" for name, pair in _COLOURS.items()) + "}"


_SCHEMES = f"{_values(0)}@media(prefers-color-scheme:dark){{{_values(1)}}}"
_RULES = (
    ".sp-chart{font-family:system-ui,sans-serif;font-size:13px}.sp-chart text{fill:var(--soft)}"
    ".sp-chart .t{fill:var(--ink);font-weight:600;font-size:15px}.sp-chart .s{font-size:12px}"
    ".sp-chart .i{fill:var(--ink)}.sp-chart .o{fill:var(--back)}"
    ".sp-chart .hit{fill:transparent}.sp-chart .hit:hover{fill:var(--ink);fill-opacity:.3}"
)


def in_colours(drawing: str, scheme: Literal["light", "dark"] = "light") -> str:
    """A chart with literal colours, for what knows no CSS properties: the light ones or the dark ones. Charts of
    another scheme may stand in the same page."""
    drawing = drawing.replace(_SCHEMES, "").replace("sp-chart", f"sp-chart-{scheme}")
    for name, pair in _COLOURS.items():
        drawing = drawing.replace(f"var(--{name})", pair[0 if scheme == "light" else 1])
    return drawing


def opened(title: str, width: int, height: int, *, links: bool = False) -> str:
    """The start of the `<svg>` of a chart, with its style, its ground and its title.

    links: whether some of it leads somewhere.
    """
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="sp-chart" viewBox="0 0 {width} {height}"'
        f' role="{"group" if links else "img"}" aria-label="{xml_text(title)}"><title>{xml_text(title)}</title>'
        f"<style>{_SCHEMES}{_RULES}</style>"
        f'<rect width="{width}" height="{height}" fill="var(--back)"/>'
        f'<text class="t" x="{LEFT}" y="26">{xml_text(title)}</text>'
    )


LEFT, _TOP, _BOTTOM = 62, 46, 46


@dataclass(frozen=True, slots=True)
class Line:
    """A line through (x[i], y[i]), or with `dots` only these points; errors: half lengths of error bars.

    stairs: it goes on level to the next x, and there up or down.
    second: measured on the right-hand axis.
    """

    label: str
    x: Sequence[float] | NDArray[np.float64]
    y: Sequence[float] | NDArray[np.float64]
    colour: Colour = "blue"
    dashed: bool = False
    dots: bool = False
    errors: Sequence[float] | None = None
    second: bool = False
    stairs: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A labelled point."""

    x: float
    y: float
    label: str
    colour: Colour = "blue"


@dataclass(frozen=True, slots=True)
class Spot:
    """A place that says something: title on hover, values as `data-...`, and where a click leads ("" nowhere)."""

    x: float
    y: float
    title: str
    link: str = ""
    values: Mapping[str, str | float] = field(default_factory=dict)


def line_chart(
    title: str,
    lines: Sequence[Line],
    *,
    spots: Sequence[Spot] = (),
    rules: Sequence[tuple[float, str]] = (),
    steps: bool = True,
    x_label: str = "",
    y_label: str = "",
    second_label: str = "",
    marks: Sequence[Mark] = (),
    x_percent: bool = False,
    width: int = 760,
    height: int = 460,
) -> str:
    """The chart. marks: labelled points; their labels stand below the plot, numbered from left to right.

    spots: places of the first axis that say something. rules: upright lines with a label each. steps: whether the
    x-axis has numbers.

    x_percent: whether x is shown in per cent. Raises ValueError when there is nothing to draw.
    """
    if not any(len(line.x) for line in lines):
        raise ValueError("a chart needs at least one point")
    ordered = sorted(marks, key=lambda mark: mark.x)
    right = 64 if any(line.second for line in lines) else 28
    rows = math.ceil(len(ordered) / 3)
    legend = math.ceil(len(lines) / 3)
    full = height + 20 * (rows + legend - 1) + 8
    plot_w, plot_h = width - LEFT - right, height - _TOP - _BOTTOM - 20
    xs = _Axis([x for line in lines for x in line.x], tight=True)
    first = _Axis([y for line in lines if not line.second for y in _extent(line)] + [mark.y for mark in ordered])
    others = [y for line in lines if line.second for y in _extent(line)]
    second = _Axis(others) if others else None

    def across(x: float) -> float:
        return LEFT + plot_w * xs.share(x)

    def down(y: float, axis: _Axis) -> float:
        return _TOP + plot_h * (1 - axis.share(y))

    links = any(spot.link for spot in spots)
    out = [opened(title, width, full, links=links)]

    # Axes.
    for value in first.ticks:
        y = down(value, first)
        heavy = "var(--soft)" if value == 0 else "var(--grid)"
        out.append(f'<path d="M{LEFT} {y:.1f}h{plot_w}" stroke="{heavy}"/>')
        out.append(f'<text class="s" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{first.text(value)}</text>')
    for value in xs.ticks if steps else ():
        x = across(value)
        text = f"{100 * value:g} %" if x_percent else xs.text(value)
        out.append(f'<path d="M{x:.1f} {_TOP}v{plot_h}" stroke="var(--grid)"/>')
        out.append(f'<text class="s" x="{x:.1f}" y="{_TOP + plot_h + 18}" text-anchor="middle">{text}</text>')
    if second:
        for value in second.ticks:
            y = down(value, second)
            out.append(f'<text class="s" x="{width - right + 8}" y="{y + 4:.1f}">{second.text(value)}</text>')
    middle = _TOP + plot_h / 2
    out.append(
        f'<text x="{LEFT + plot_w / 2:.0f}" y="{_TOP + plot_h + 38}" text-anchor="middle">{xml_text(x_label)}</text>'
        f'<text transform="translate(16 {middle:.0f}) rotate(-90)" text-anchor="middle">{xml_text(y_label)}</text>'
    )
    if second_label:
        place = f"translate({width - 8} {middle:.0f}) rotate(-90)"
        out.append(f'<text transform="{place}" text-anchor="middle">{xml_text(second_label)}</text>')

    label_end = 0.0
    for value, text in rules:
        x = across(value)
        out.append(f'<path d="M{x:.1f} {_TOP}v{plot_h}" stroke="var(--soft)" stroke-dasharray="2 3"/>')
        if x >= label_end:  # one that would overlap is left out
            out.append(f'<text class="s" x="{x - 2:.1f}" y="{_TOP - 5}">{xml_text(text)}</text>')
            label_end = x + 8 + 7 * len(text)

    # Lines.
    for line in lines:
        axis = second if line.second and second else first
        if line.errors is not None:
            for x, y, error in zip(line.x, line.y, line.errors, strict=True):
                out.append(_error_bar(across(x), down(y + error, axis), down(y - error, axis), line.colour))
        out += _drawn_line(line, [(across(x), down(y, axis)) for x, y in zip(line.x, line.y, strict=True)])

    # Marks and legends.
    for number, mark in enumerate(ordered, 1):
        x, y = across(mark.x), down(mark.y, first)
        out.append(
            f'<path d="M{x:.1f} {y:.1f}V{_TOP + plot_h}" stroke="var(--{mark.colour})" stroke-dasharray="2 3"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="var(--{mark.colour})"/>'
            f'<text class="s o" x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle">{number}</text>'
        )
    column = (width - LEFT - 10) / 3
    y0 = _TOP + plot_h + 62
    for i, line in enumerate(lines):
        out.append(_sample(line, LEFT + column * (i % 3), y0 + 20 * (i // 3)))
    for i, mark in enumerate(ordered):
        x, y = LEFT + column * (i % 3), y0 + 20 * (legend + i // 3)
        out.append(f'<text class="s" x="{x:.0f}" y="{y}">{i + 1}  {xml_text(mark.label)}</text>')
    if spots:
        # What they say stands elsewhere, too, and nobody wants hundreds of stops for the keyboard.
        shapes = "".join(drawn_spot(each, across(each.x), down(each.y, first)) for each in spots)
        out.append(f'<g aria-hidden="true">{shapes}</g>' if links else shapes)
    return "".join(out) + "</svg>\n"


def _error_bar(x: float, top: float, bottom: float, colour: Colour) -> str:
    ends = f"M{x:.1f} {top:.1f}V{bottom:.1f}M{x - 4:.1f} {top:.1f}h8m-8 {bottom - top:.1f}h8"
    return f'<path d="{ends}" stroke="var(--{colour})"/>'


def _drawn_line(line: Line, points: list[tuple[float, float]]) -> list[str]:
    """A line, or its dots. points: its own, as places of the picture."""
    if line.dots:
        return [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="var(--{line.colour})"/>' for x, y in points]
    if line.stairs:
        path = _stairs([(round(x), round(y)) for x, y in points])
    else:
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in _thin(points))
    return [f'<path d="M{path}" fill="none" stroke="var(--{line.colour})" stroke-width="2"{_dashes(line)}/>']


def _sample(line: Line, x: float, y: int) -> str:
    """What a line looks like, with its name, in the legend."""
    sample = f'<path d="M{x:.0f} {y - 4}h22" stroke="var(--{line.colour})" stroke-width="2"{_dashes(line)}/>'
    if line.dots:
        sample = f'<circle cx="{x + 11:.0f}" cy="{y - 4}" r="3.5" fill="var(--{line.colour})"/>'
    return f'{sample}<text class="s" x="{x + 28:.0f}" y="{y}">{xml_text(line.label)}</text>'


def _dashes(line: Line) -> str:
    return ' stroke-dasharray="6 4"' if line.dashed else ""


def window_chart(
    title: str,
    rows: Sequence[tuple[str, Sequence[tuple[str, float, float]], str]],
    *,
    marks: Sequence[float],
) -> str:
    """Spans of winning chances 0 to 1, a row for each name: what each span is called, where it begins and ends.

    rows: name, spans and a remark at the right. marks: a chance in each row that is marked.
    """
    width, side, right, pitch = 760, 150, 110, 44
    across = width - side - right
    height = _TOP + pitch * len(rows) + 64
    colours: tuple[Colour, ...] = ("blue", "amber", "green")
    names = list(dict.fromkeys(name for _, spans, _ in rows for name, _, _ in spans))
    out = [opened(title, width, height)]
    bottom = _TOP + pitch * len(rows)
    for k in range(0, 101, 10):
        x = side + across * k / 100
        out.append(f'<path d="M{x:.1f} {_TOP}V{bottom}" stroke="var(--grid)"/>')
        out.append(f'<text class="s" x="{x:.1f}" y="{bottom + 16}" text-anchor="middle">{k} %</text>')
    for i, (name, spans, remark) in enumerate(rows):
        y = _TOP + pitch * i
        out.append(f'<text class="s i" x="{side - 8}" y="{y + 26}" text-anchor="end">{xml_text(name)}</text>')
        out.append(f'<text class="s" x="{width - right + 12}" y="{y + 26}">{xml_text(remark)}</text>')
        high = 30 // max(len(spans), 2)
        top = y + 22 - high * len(spans) // 2
        for k, (kind, opens, closes) in enumerate(spans):
            x0, x1 = (side + across * min(max(value, 0.0), 1.0) for value in (opens, closes))
            colour = colours[names.index(kind) % len(colours)]
            long = abs(x1 - x0) or 1
            shape = (
                f'<rect x="{min(x0, x1):.1f}" y="{top + high * k}" width="{long:.1f}" height="{high - 2}"'
                f' fill="var(--{colour})"'
            )
            out.append(
                drawn_spot(Spot(x0, y, f"{name}, {kind}: {100 * opens:.1f} % to {100 * closes:.1f} %"), x0, y, shape)
            )
        x = side + across * marks[i]
        out.append(f'<path d="M{x:.1f} {y + 4}v36" stroke="var(--ink)" stroke-width="2" stroke-dasharray="3 2"/>')
    for k, kind in enumerate(names):
        x = side + 150 * k
        out.append(
            f'<rect x="{x}" y="{bottom + 32}" width="22" height="10" fill="var(--{colours[k % len(colours)]})"/>'
            f'<text class="s" x="{x + 28}" y="{bottom + 41}">{xml_text(kind)} cube</text>'
        )
    x = side + 150 * len(names)
    out.append(
        f'<path d="M{x} {bottom + 37}h22" stroke="var(--ink)" stroke-width="2" stroke-dasharray="3 2"/>'
        f'<text class="s" x="{x + 28}" y="{bottom + 41}">this position</text>'
    )
    return "".join(out) + "</svg>\n"


def bar_chart(
    title: str,
    labels: Sequence[str],
    groups: Sequence[Sequence[tuple[int, str]]],
    *,
    legend: Sequence[tuple[str, Colour]],
    x_label: str = "",
    y_label: str = "",
) -> str:
    """Bars side by side for every label: how many, and what each says on hover. legend: name and colour of the bars."""
    width, height = 760, 380
    plot_w, plot_h = width - LEFT - 28, height - _TOP - _BOTTOM - 40
    axis = _Axis([0.0, float(max((count for group in groups for count, _ in group), default=1) or 1)], tight=True)
    bottom = _TOP + plot_h
    out = [opened(title, width, height)]
    for value in axis.ticks:
        if value == int(value):
            y = bottom - plot_h * axis.share(value)
            out.append(f'<path d="M{LEFT} {y:.1f}h{plot_w}" stroke="var(--{"soft" if value == 0 else "grid"})"/>')
            out.append(f'<text class="s" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{axis.text(value)}</text>')
    pitch = plot_w / max(len(labels), 1)
    bar = 0.7 * pitch / max(len(legend), 1)
    for i, (label, group) in enumerate(zip(labels, groups, strict=True)):
        middle = LEFT + pitch * (i + 0.5)
        out.append(f'<text class="s" x="{middle:.1f}" y="{bottom + 18}" text-anchor="middle">{xml_text(label)}</text>')
        for k, ((count, said), (_, colour)) in enumerate(zip(group, legend, strict=True)):
            x, tall = middle + bar * (k - len(legend) / 2), plot_h * axis.share(count)
            shape = (
                f'<rect x="{x:.1f}" y="{bottom - tall:.1f}" width="{bar - 2:.1f}" height="{tall:.1f}"'
                f' fill="var(--{colour})"'
            )
            out.append(drawn_spot(Spot(x, tall, said, values={"count": count}), x, tall, shape))
            if count:
                out.append(
                    f'<text class="s i" x="{x + bar / 2 - 1:.1f}" y="{bottom - tall - 4:.1f}"'
                    f' text-anchor="middle">{count}</text>'
                )
    out.append(
        f'<text x="{LEFT + plot_w / 2:.0f}" y="{bottom + 38}" text-anchor="middle">{xml_text(x_label)}</text>'
        f'<text transform="translate(16 {_TOP + plot_h / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{xml_text(y_label)}</text>"
    )
    for k, (name, colour) in enumerate(legend):
        x = LEFT + 240 * k
        out.append(
            f'<rect x="{x}" y="{height - 24}" width="22" height="12" fill="var(--{colour})"/>'
            f'<text class="s" x="{x + 28}" y="{height - 14}">{xml_text(name)}</text>'
        )
    return "".join(out) + "</svg>\n"


def drawn_spot(
    said: Spot, x: float, y: float, shape: str = '<circle class="hit" cx="{x:.0f}" cy="{y:.0f}" r="6"'
) -> str:
    """What can be pointed at: a shape, open at its end, with what it says."""
    data = "".join(f' data-{name}="{xml_text(str(value))}"' for name, value in said.values.items())
    drawn = f"{shape.format(x=x, y=y)}{data}><title>{xml_text(said.title)}</title></{shape[1:].split()[0]}>"
    return f'<a href="{xml_text(said.link)}" tabindex="-1">{drawn}</a>' if said.link else drawn


def _stairs(points: list[tuple[int, int]]) -> str:
    """Path data without its first letter: level to each point, then up or down to it."""
    steps = ((x - before_x, y - before_y) for (before_x, before_y), (x, y) in pairwise(points))
    path, across = f"{points[0][0]} {points[0][1]}", 0
    for right, down in steps:
        across += right
        if down:
            path += f"h{across}v{down}"
            across = 0
    return f"{path}h{across}"


def _extent(line: Line) -> list[float]:
    errors = line.errors or [0.0] * len(line.y)
    return [y + sign * error for y, error in zip(line.y, errors, strict=True) for sign in (1, -1)]


def _thin(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points without those that lie within 0.05 units of the line between their neighbours that stay."""
    kept = points[:1]
    for i in range(1, len(points) - 1):
        (xa, ya), (xb, yb), (xc, yc) = kept[-1], points[i], points[i + 1]
        straight = ya + (yc - ya) * (xb - xa) / (xc - xa) if xc != xa else yb
        if abs(yb - straight) > 0.05 or xb - xa > 40:
            kept.append(points[i])
    return kept + points[-1:] if len(points) > 1 else kept


class _Axis:
    """Range and round ticks of one axis."""

    def __init__(self, values: Sequence[float], *, tight: bool = False) -> None:
        low, high = min(values), max(values)
        if high - low < 1e-12:
            low, high = low - 0.5, high + 0.5
        raw = (high - low) / 6
        power = 10.0 ** math.floor(math.log10(raw))
        self.step = next(power * unit for unit in (1, 2, 2.5, 5, 10) if power * unit >= raw)
        if not tight:
            margin = 0.04 * (high - low)
            low, high = low - margin, high + margin
        self.low, self.high = low, high
        start, stop = math.ceil(low / self.step - 1e-9), math.floor(high / self.step + 1e-9)
        self.ticks = [round(i * self.step, 10) + 0.0 for i in range(start, stop + 1)]

    def share(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)

    def text(self, value: float) -> str:
        return f"{value:g}".replace("-", "−")
