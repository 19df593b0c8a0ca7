"""The chances of a match from decision to decision, with the errors of both sides, as one SVG element."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sixprime.analysis.model import AnalysedMatch, DecisionKind
from sixprime.report import words
from sixprime.report.movelist import Cell, Row
from sixprime.report.phrases import say

_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 990, 26, 214
_GRAPH_HEIGHT = 240
_MANY_GAMES = 40
"""The lines between more games are faint."""


def chances_curve(analysed: AnalysedMatch, lists: Sequence[Sequence[Row]]) -> tuple[str, dict[str, float]]:
    """Chances of player 0 at every decision; error marks of player 0 above, of player 1 below.

    Empty for fewer than two. Also where each cell stands, by its name.
    """
    from markupsafe import escape

    match = analysed.match
    # For money the points won so far go with what is to be expected of the game.
    ahead = [0 if match.length else game.score[0] - game.score[1] for game in match.games]
    turns = [
        (index, cell, before.value + ahead[index])
        for index, rows in enumerate(lists)
        for row in rows
        for cell in row.cells
        if cell.decisions and (before := cell.decisions[0].before) is not None
    ]
    if len(turns) < 2:
        return "", {}
    values = [value for _, _, value in turns]
    low, high, middle = 0.0, 1.0, 0.5
    score = words.final_score(match)
    if match.length and max(score) >= match.length:
        values.append(1.0 if score[0] >= match.length else 0.0)
    elif not match.length and match.games[-1].winner is not None:
        values.append(score[0] - score[1])
    if not match.length:
        high = max(1.0, *(abs(value) for value in values))
        low, middle = -high, 0.0
    step = (_RIGHT - _LEFT) / (len(values) - 1)

    def y_of(value: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * (min(max(value, low), high) - low) / (high - low)

    points = [(_LEFT + step * i, y_of(value)) for i, value in enumerate(values)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    mid = y_of(middle)
    area = f"{_LEFT},{mid:.1f} {line} {points[-1][0]:.1f},{mid:.1f}"
    names = [escape(name) for name in words.names(match)]
    what = say("graph.chances") if match.length else say("graph.points")
    across = say("graph.across", what=what, name=names[0])
    parts = [
        f'<svg viewBox="0 0 1000 {_GRAPH_HEIGHT}" role="group" data-low="{low}" data-high="{high}"'
        f' aria-label="{across}">'
        f'<defs><clipPath id="g-t"><rect x="0" y="0" width="1000" height="{mid:.1f}"/></clipPath>'
        f'<clipPath id="g-b"><rect x="0" y="{mid:.1f}" width="1000" height="{_GRAPH_HEIGHT}"/></clipPath></defs>'
        f'<rect class="g-back" x="{_LEFT}" y="{_TOP}" width="{_RIGHT - _LEFT}" height="{_BOTTOM - _TOP}"/>'
    ]
    grid = [low + (high - low) * k / 4 for k in range(5)]
    for value in grid:
        y = y_of(value)
        label = f"{100 * value:.0f}%" if match.length else words.signed(value, 1)
        parts.append(
            f'<path class="{"g-mid" if value == middle else "g-grid"}" d="M{_LEFT} {y:.1f}H{_RIGHT}"/>'
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{label}</text>'
        )
    parts.append(
        f'<polygon class="g-a0" clip-path="url(#g-t)" points="{area}"/>'
        f'<polygon class="g-a1" clip-path="url(#g-b)" points="{area}"/>'
    )
    previous = -1
    label_end = 0.0
    for (x, _), (index, _, _) in zip(points, turns, strict=False):
        if index != previous:
            game = match.games[index]
            faint = " g-many" if len(match.games) > _MANY_GAMES else ""
            parts.append(f'<path class="g-game{faint}" d="M{x:.1f} {_TOP}V{_BOTTOM}"/>')
            label = f"{game.score[0]}-{game.score[1]}"
            if label_end <= x < _RIGHT - 8 * len(label):  # short games: a label that would overlap is left out
                parts.append(f'<text class="in" x="{x + 4:.1f}" y="{_BOTTOM - 5}">{label}</text>')
                label_end = x + 9 * len(label)
            previous = index
    parts.append(f'<polyline class="g-line" points="{line}"/><path class="g-now" d=""/>')
    parts.append(
        f'<text class="who" x="{_LEFT + 4}" y="{_TOP + 15}">{names[0]}</text>'
        f'<text class="who" x="{_LEFT + 4}" y="{_BOTTOM - 20}">{names[1]}</text>'
    )
    for (x, _), (_, cell, _) in zip(points, turns, strict=False):
        parts += _marks(cell, x)
    places = {cell.id: round(x, 1) for (x, _), (_, cell, _) in zip(points, turns, strict=False)}
    return "".join(parts) + "</svg>", places


def _marks(cell: Cell, x: float) -> Iterator[str]:
    y = 12 if cell.player == 0 else _GRAPH_HEIGHT - 12
    for decision in cell.decisions:
        if not decision.skill:
            continue
        size = 3.5 + decision.skill
        lost = words.lost_by(decision, cell.units)
        play = f"{cell.dice} {cell.text}".strip()
        title = say("graph.mark", play=play, mark=words.skill_name(decision.skill), lost=lost).strip()
        if decision.kind is DecisionKind.PLAY:
            tag, place = "circle", f'cx="{x:.1f}" cy="{y}" r="{size:.1f}"'
        else:
            tag = "rect"
            place = f'x="{x - size:.1f}" y="{y - size:.1f}" width="{2 * size:.1f}" height="{2 * size:.1f}"'
        shape = f'<{tag} class="mark m{int(decision.skill)}" {place}><title>{title}</title></{tag}>'
        yield f'<a href="#{cell.id}" aria-label="{title}">{shape}</a>'
