"""Line charts as SVG, for equity against winning chance and the like; readable on light and on dark ground.

In: lines and points in data units. Out: one `<svg>` document as text, some kilobytes, without scripts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from sixprime.report.words import xml_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Colour = Literal["blue", "red", "green", "amber", "violet", "grey"]

_STYLE = """<style>
svg{--back:#fff;--ink:#22303c;--soft:#5d6b77;--grid:#e3e8ec;--blue:#1f6fb2;--red:#c0392b;--green:#2e8b57;
--amber:#b7791f;--violet:#7b4fb5;--grey:#7a8793;font:13px system-ui,sans-serif}
@media(prefers-color-scheme:dark){svg{--back:#171c22;--ink:#e6ebf0;--soft:#9aa7b3;--grid:#2b343d;--blue:#62a8e5;
--red:#f0796b;--green:#63c48d;--amber:#e0b052;--violet:#b592ea;--grey:#8b98a4}}
text{fill:var(--soft)}.t{fill:var(--ink);font-weight:600;font-size:15px}.s{font-size:12px}
</style>"""
_LEFT, _TOP, _BOTTOM = 62, 46, 46


@dataclass(frozen=True, slots=True)
class Line:
    """A line through (x[i], y[i]), or with `dots` only these points; errors: half lengths of error bars.

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


@dataclass(frozen=True, slots=True)
class Mark:
    """A labelled point."""

    x: float
    y: float
    label: str
    colour: Colour = "blue"


def line_chart(
    title: str,
    lines: Sequence[Line],
    *,
    x_label: str = "",
    y_label: str = "",
    second_label: str = "",
    marks: Sequence[Mark] = (),
    x_percent: bool = False,
    width: int = 760,
    height: int = 460,
) -> str:
    """The chart. marks: labelled points; their labels stand below the plot, numbered from left to right.

    x_percent: whether x is shown in per cent. Raises ValueError when there is nothing to draw.
    """
    if not any(len(line.x) for line in lines):
        raise ValueError("a chart needs at least one point")
    ordered = sorted(marks, key=lambda mark: mark.x)
    right = 64 if any(line.second for line in lines) else 28
    rows = math.ceil(len(ordered) / 3)
    legend = math.ceil(len(lines) / 3)
    full = height + 20 * (rows + legend - 1) + 8
    plot_w, plot_h = width - _LEFT - right, height - _TOP - _BOTTOM - 20
    xs = _Axis([x for line in lines for x in line.x], tight=True)
    first = _Axis([y for line in lines if not line.second for y in _extent(line)] + [mark.y for mark in ordered])
    others = [y for line in lines if line.second for y in _extent(line)]
    second = _Axis(others) if others else None

    def across(x: float) -> float:
        return _LEFT + plot_w * xs.share(x)

    def down(y: float, axis: _Axis) -> float:
        return _TOP + plot_h * (1 - axis.share(y))

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {full}" role="img"'
        f' aria-label="{xml_text(title)}"><title>{xml_text(title)}</title>{_STYLE}',
        f'<rect width="{width}" height="{full}" fill="var(--back)"/>'
        f'<text class="t" x="{_LEFT}" y="26">{xml_text(title)}</text>',
    ]

    # Axes.
    for value in first.ticks:
        y = down(value, first)
        heavy = "var(--soft)" if value == 0 else "var(--grid)"
        out.append(f'<path d="M{_LEFT} {y:.1f}h{plot_w}" stroke="{heavy}"/>')
        out.append(f'<text class="s" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{first.text(value)}</text>')
    for value in xs.ticks:
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
        f'<text x="{_LEFT + plot_w / 2:.0f}" y="{_TOP + plot_h + 38}" text-anchor="middle">{xml_text(x_label)}</text>'
        f'<text transform="translate(16 {middle:.0f}) rotate(-90)" text-anchor="middle">{xml_text(y_label)}</text>'
    )
    if second_label:
        place = f"translate({width - 8} {middle:.0f}) rotate(-90)"
        out.append(f'<text transform="{place}" text-anchor="middle">{xml_text(second_label)}</text>')

    # Lines.
    for line in lines:
        axis = second if line.second and second else first
        colour = f"var(--{line.colour})"
        points = [(across(x), down(y, axis)) for x, y in zip(line.x, line.y, strict=True)]
        if line.errors is not None:
            for (x, _), y, error in zip(points, line.y, line.errors, strict=True):
                top, bottom = down(y + error, axis), down(y - error, axis)
                out.append(f'<path d="M{x:.1f} {top:.1f}V{bottom:.1f}M{x - 4:.1f} {top:.1f}h8m-8 {bottom - top:.1f}h8"')
                out.append(f' stroke="{colour}"/>')
        if line.dots:
            out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points]
        else:
            dash = ' stroke-dasharray="6 4"' if line.dashed else ""
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in _thin(points))
            out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')

    # Marks and legends.
    for number, mark in enumerate(ordered, 1):
        x, y = across(mark.x), down(mark.y, first)
        out.append(
            f'<path d="M{x:.1f} {y:.1f}V{_TOP + plot_h}" stroke="var(--{mark.colour})" stroke-dasharray="2 3"/>'
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="var(--{mark.colour})"/>'
            f'<text class="s" x="{x:.1f}" y="{y + 4:.1f}" text-anchor="middle" style="fill:var(--back)">{number}</text>'
        )
    column = (width - _LEFT - 10) / 3
    y0 = _TOP + plot_h + 62
    for i, line in enumerate(lines):
        x, y = _LEFT + column * (i % 3), y0 + 20 * (i // 3)
        dash = ' stroke-dasharray="6 4"' if line.dashed else ""
        sample = f'<path d="M{x:.0f} {y - 4}h22" stroke="var(--{line.colour})" stroke-width="2"{dash}/>'
        if line.dots:
            sample = f'<circle cx="{x + 11:.0f}" cy="{y - 4}" r="3.5" fill="var(--{line.colour})"/>'
        out.append(f'{sample}<text class="s" x="{x + 28:.0f}" y="{y}">{xml_text(line.label)}</text>')
    for i, mark in enumerate(ordered):
        x, y = _LEFT + column * (i % 3), y0 + 20 * (legend + i // 3)
        out.append(f'<text class="s" x="{x:.0f}" y="{y}">{i + 1}  {xml_text(mark.label)}</text>')
    return "".join(out) + "</svg>\n"


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
