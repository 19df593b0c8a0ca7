"""The log of a training run as a picture: the error of every stage that learns, over the minutes of work."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from sixprime.paths import replacing
from sixprime.reading import ROWS, parse_json, read_bytes

WIDTH, HEIGHT, LEFT, TOP = 720, 300, 56, 20
_COLOURS = ("#1f6f8b", "#c0562f", "#5b8c3e", "#7a4b8f", "#a8842c", "#444b59")
_MOST = 1e12
"""Numbers of a log are below this."""


def draw(log: Path, to: Path) -> None:
    """Writes the SVG of `log` (see `pipeline.LogLine`) to `to`; nothing while the log has no errors in it."""
    lines = []
    for text in read_bytes(log, ROWS).splitlines():
        # Whoever is killed may leave half a line; what is drawn is what is known.
        with suppress(ValueError):
            if _is_whole(line := parse_json(text)):
                lines.append(line)
    learnt = [line for line in lines if line["error"] > 0]
    if not learnt:
        return
    minutes = max(line["seconds"] for line in lines) / 60
    top = math.ceil(max(line["error"] for line in learnt) * 20) / 20
    with replacing(to) as partial:
        partial.write_text("\n".join(_svg(lines, learnt, max(minutes, 1e-9), top)) + "\n", encoding="utf-8")


def _is_whole(line: Any) -> bool:
    """Whether all of a line is there that is drawn."""
    if not isinstance(line, dict) or not isinstance(line.get("stage"), int) or not isinstance(line.get("kind"), str):
        return False
    numbers = line.get("seconds"), line.get("error"), line.get("lost") or 0
    return all(isinstance(number, int | float) and abs(number) < _MOST for number in numbers)


def _svg(lines: list[dict[str, Any]], learnt: list[dict[str, Any]], minutes: float, top: float) -> Iterator[str]:
    wide, high = WIDTH - LEFT - 16, HEIGHT - TOP - 44

    def at(seconds: float, error: float) -> str:
        return f"{LEFT + wide * seconds / 60 / minutes:.1f},{TOP + high * (1 - error / top):.1f}"

    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="11"><rect width="100%" height="100%" fill="#fff"/>'
    )
    for k in range(6):
        y = TOP + high * k / 5
        yield f'<path d="M{LEFT} {y:.1f}H{WIDTH - 16}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{top * (1 - k / 5):.3f}</text>'
        x = LEFT + wide * k / 5
        yield f'<text x="{x:.1f}" y="{HEIGHT - 26}" text-anchor="middle">{minutes * k / 5:.0f}</text>'
    yield f'<text x="{LEFT + wide / 2}" y="{HEIGHT - 8}" text-anchor="middle">minutes of work</text>'
    yield f'<text x="{LEFT}" y="12">error of the equity against what is learnt, root mean square</text>'
    for stage in dict.fromkeys(line["stage"] for line in lines):
        colour = _COLOURS[stage % len(_COLOURS)]
        learnt_in = [line for line in learnt if line["stage"] == stage]
        points = [at(line["seconds"], line["error"]) for line in learnt_in]
        if points:
            yield f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
            kind = learnt_in[0]["kind"]
            left, height = points[0].split(",")
            yield f'<text x="{left}" y="{float(height) - 5:.1f}" fill="{colour}">{stage + 1} {kind}</text>'
            last = learnt_in[-1]
            if last.get("lost") is not None:
                right, low = points[-1].split(",")
                yield (
                    f'<text x="{right}" y="{float(low) - 5:.1f}" fill="{colour}" text-anchor="end">'
                    f"loses {last['lost']:.2f} mEMG</text>"
                )
    yield "</svg>"
