"""An analysed match as one self-contained HTML file: styles, script and boards inside, no foreign requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind
from sixprime.analysis.ratings import pr_name, rating_name
from sixprime.analysis.thresholds import Skill
from sixprime.engine.results import PlayAnalysis
from sixprime.game.outcomes import Outcomes
from sixprime.game.record import Action, ActionKind, Game
from sixprime.report import words
from sixprime.report.svg import DARK, LIGHT, board_css, board_defs, board_svg

_PLAYS_SHOWN = 6
_PLAYER_CSS = (
    f":root{{--c0:light-dark({LIGHT.light},{DARK.light});--c1:light-dark({LIGHT.dark},{DARK.dark});"
    f"--edge:light-dark({LIGHT.light_edge},{DARK.dark_edge});--surface:light-dark({LIGHT.surface},{DARK.surface})}}"
)
"""Colours of the players wherever they are told apart: those of their chequers."""


@dataclass(frozen=True, slots=True)
class _Badge:
    shape: str
    skill: int
    title: str
    loss: str = ""

    @property
    def sign(self) -> str:
        return words.SKILL_SIGNS[Skill(self.skill)]


@dataclass(frozen=True, slots=True)
class _LuckMark:
    sign: str = ""
    up: bool = False
    title: str = ""


@dataclass(slots=True)
class _Cell:
    """What one player did at one turn of the move list, and the decisions judged there."""

    player: int
    text: str
    dice: str = ""
    decisions: tuple[Decision, ...] = ()
    action: Action | None = None
    id: str = ""
    x: float | None = None
    badges: list[_Badge] = field(default_factory=list)
    luck: _LuckMark = _LuckMark()

    @property
    def kinds(self) -> str:
        """Letters of the filters that show the cell: e error, b blunder, q cube."""
        skill = max((d.skill for d in self.decisions), default=Skill.NONE)
        cube = any(d.kind is not DecisionKind.PLAY and (d.counted or d.skill) for d in self.decisions)
        return ("e" if skill else "") + ("b" if skill >= Skill.BAD else "") + ("q" if cube else "")


@dataclass(slots=True)
class _Row:
    number: int  # 0 for what is no turn
    sides: tuple[list[_Cell], list[_Cell]]
    details: list[dict[str, object]] = field(default_factory=list)


def render_html(analysed: AnalysedMatch) -> str:
    """The report as text of an HTML file."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    match = analysed.match
    names = words.names(match)
    cells: list[list[_Row]] = []
    serial = 0
    for index, game in enumerate(match.games):
        decisions = analysed.games[index].decisions if index < len(analysed.games) else ()
        rows = _rows(game, decisions)
        for row in rows:
            for cell in (*row.sides[0], *row.sides[1]):
                if cell.decisions:
                    cell.id = f"a{serial}"
                    serial += 1
        cells.append(rows)
    graph = _graph(analysed, cells)
    for index, rows in enumerate(cells):
        for row in rows:
            row.details = [
                _detail(analysed, index, row.number, cell) for cell in (*row.sides[0], *row.sides[1]) if cell.decisions
            ]
    flat = [cell for rows in cells for row in rows for cell in (*row.sides[0], *row.sides[1]) if cell.decisions]
    worst = max(flat, key=lambda cell: max(d.error for d in cell.decisions), default=None)

    environment = Environment(
        loader=PackageLoader("sixprime.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    context: dict[str, object] = {
        "title": f"{names[0]} - {names[1]}, {words.length_text(match)}",
        "board_css": Markup(_PLAYER_CSS + board_css()),
        "board_defs": Markup(board_defs()),
        "outcome": words.match_outcome(match),
        "length": words.length_text(match),
        "info": _info(analysed),
        "players": [_player(analysed, player) for player in (0, 1)],
        "graph": Markup(graph) if graph else "",
        "graph_title": "Match-winning chances" if match.length else "Equity",
        "statistics": _statistics(analysed),
        "per_game": [_game_summary(analysed, index) for index in range(len(analysed.games))],
        "problems": [str(problem) for problem in match.problems],
        "totals": {
            "errors": sum("e" in cell.kinds for cell in flat),
            "blunders": sum("b" in cell.kinds for cell in flat),
            "cube": sum("q" in cell.kinds for cell in flat),
        },
        "first": worst.id if worst is not None else "",
        "games": [
            {**_game_summary(analysed, index), "crawford": match.games[index].crawford, "rows": rows}
            for index, rows in enumerate(cells)
            if index < len(analysed.games)
        ],
        "luck_note": words.luck_note(analysed),
        "settings": _settings(analysed),
        "glossary": words.glossary(match.length > 0, analysed.thresholds),
        "chances_label": words.CHANCES_LABEL,
    }
    return words.lawful(environment.get_template("match.html").render(context))


# The move list.


def _rows(game: Game, decisions: Sequence[Decision]) -> list[_Row]:
    """Actions in two columns, as in a match file: a row ends when a player would act twice in it."""
    judged: dict[int, list[Decision]] = {}
    for decision in decisions:
        judged.setdefault(decision.action, []).append(decision)
    rows: list[_Row] = []
    number, column, fresh = 0, 2, True
    for index, action in enumerate(game.actions):
        cell = _cell(action, tuple(judged.get(index, ())))
        if action.kind in (ActionKind.RESIGN, ActionKind.SET):
            rows.append(_Row(0, ([], [])))
            rows[-1].sides[action.player].append(cell)
            fresh = True
            continue
        if action.player <= column:
            number += 1
            fresh = True
        if fresh:
            rows.append(_Row(number, ([], [])))
        rows[-1].sides[action.player].append(cell)
        column, fresh = action.player, False
    return rows


def _cell(action: Action, decisions: tuple[Decision, ...]) -> _Cell:
    dice = words.dice_text(action.dice)
    cell = _Cell(action.player, words.action_text(action), dice, decisions, action)
    for decision in decisions:
        if decision.skill:
            cell.badges.append(_badge(decision))
        if decision.luck is not None and decision.luck_mark:
            cell.luck = _LuckMark(
                words.LUCK_SIGNS[decision.luck_mark],
                decision.luck_mark > 0,
                f"{words.LUCK_NAMES[decision.luck_mark]} roll: {words.signed(decision.luck)}",
            )
    return cell


def _badge(decision: Decision) -> _Badge:
    what = "play" if decision.kind is DecisionKind.PLAY else "cube decision"
    return _Badge(
        words.error_shape(decision),
        int(decision.skill),
        f"{words.SKILL_NAMES[decision.skill]} {what}: loses {decision.error:.3f}",
        words.signed(-decision.error),
    )


# One decision in full.


def _detail(analysed: AnalysedMatch, game: int, number: int, cell: _Cell) -> dict[str, object]:
    from markupsafe import Markup

    match = analysed.match
    play = next((d for d in cell.decisions if d.kind is DecisionKind.PLAY), None)
    cubes = [d for d in cell.decisions if d.kind is not DecisionKind.PLAY]
    shown = play or cubes[-1]
    state = shown.state
    mover = words.mover(shown)
    names = words.names(match)

    played = best = None
    if play is not None and play.plays:
        best = play.plays[0].play
        played = play.plays[play.played].play if play.played is not None else None
    differs = played is not None and best is not None and played.result != best.result
    board = board_svg(
        shown.position, state, dice=shown.dice, mover=mover, played=played if differs else None, best=best, shared=True
    )
    chances = None
    if play is not None and play.plays:
        chances = _chances(play.plays[0].probabilities, mover, names)
    elif cubes and cubes[-1].cube is not None:
        chances = _chances(cubes[-1].cube.probabilities, mover, names)

    luck = chance = ""
    if play is not None and play.luck is not None:
        mark = words.LUCK_NAMES[play.luck_mark]
        luck = f"Luck of the roll {words.signed(play.luck)}"
        luck += f" = {words.signed(100 * play.luck_mwc, 2)} % MWC" if match.length and play.luck_mwc is not None else ""
        luck += f" ({mark})" if mark else ""
    before = cell.decisions[0].before
    if before is not None:
        value = f"{words.percent(before.value, 2)} %" if match.length else words.signed(before.value)
        chance = f"{'MWC' if match.length else 'Equity'} of {names[0]} before: {value}"

    score = f"{state.score[mover]}-{state.score[1 - mover]} to {state.length}" if state.length else "money"
    cube = "Crawford" if state.crawford else f"cube {state.cube}"
    return {
        "id": cell.id,
        "player": cell.player,
        "title": f"{names[cell.player]} {cell.dice}".strip(),
        "subtitle": f"game {match.games[game].number}, move {number}; {score}, {cube}",
        "error": any(d.skill for d in cell.decisions),
        "board": Markup(board),
        "legend": differs,
        "chances": chances,
        "cubes": [_cube(d, names) for d in cubes],
        "plays": _plays(play) if play is not None else [],
        "why_order": _why_order(play) if play is not None else "",
        "badge": _badge(play) if play is not None and play.skill else None,
        "chosen": words.play_text(play.chosen) if play is not None else "",
        "verdict": words.play_verdict(play, match.length > 0) if play is not None else "",
        "comment": cell.action.comment if cell.action is not None else "",
        "luck": luck,
        "chance": chance,
        "xgid": words.xgid(shown),
    }


def _shown(decision: Decision) -> list[tuple[int, PlayAnalysis]]:
    """The best candidates, and the played one wherever it stands, with their places."""
    return [(i, play) for i, play in enumerate(decision.plays) if i < _PLAYS_SHOWN or i == decision.played]


def _why_order(decision: Decision) -> str:
    """Why a play stands below one of less equity, where that is so."""
    plays = [play for _, play in _shown(decision)]
    rising = any(below.equity > above.equity for above, below in pairwise(plays))
    return words.why_order(plays) if rising else ""


def _plays(decision: Decision) -> list[dict[str, object]]:
    rows = []
    for index, candidate in _shown(decision):
        title = f"cubeless {words.signed(candidate.cubeless_equity)}"
        if candidate.mwc is not None:
            title = f"MWC {words.percent(candidate.mwc, 2)} %, {title}"
        if candidate.equity_error is not None:
            how = words.depth(candidate.plies, candidate.trials)
            title = f"{how}, standard error {candidate.equity_error:.4f}, {title}"
        rows.append(
            {
                "rank": index + 1,
                "text": words.play_text(str(candidate.play)),
                "played": index == decision.played,
                "equity": words.signed(candidate.equity),
                "loss": words.loss(candidate.equity_loss),
                "chances": [words.percent(value) for value in words.six_chances(candidate.probabilities)],
                "plies": words.depth_mark(candidate),
                "title": title,
            }
        )
    return rows


def _cube(decision: Decision, names: tuple[str, str]) -> dict[str, object]:
    cube = decision.cube
    rows: list[dict[str, object]] = []
    if cube is not None:
        best = words.best_cube_row(cube)
        rows = [
            {
                "name": name,
                "best": index == best,
                "equity": words.signed(value),
                "loss": words.loss(cube.optimal - value) if index != best else "",
                "mwc": words.percent(mwc, 2) if mwc is not None else "",
            }
            for index, (name, value, mwc) in enumerate(words.cube_rows(cube))
        ]
    return {
        "badge": _badge(decision) if decision.skill else None,
        "chosen": decision.chosen,
        "verdict": words.cube_verdict(decision),
        "open": decision.counted,
        "head": f"Cube action of {names[words.mover(decision)]}",
        "match": decision.state.length > 0,
        "rows": rows,
        "chances": _before_roll(cube.probabilities, words.mover(decision), names) if cube is not None else "",
    }


def _before_roll(probabilities: Outcomes, mover: int, names: tuple[str, str]) -> str:
    """What the cube decision was judged by, in words; the bar may show the position after the roll."""
    sides = [tuple(map(words.percent, side)) for side in _sides(probabilities, mover)]
    return "Before the roll " + ", ".join(
        f"{name} wins {w} % (G {g}, B {b})" for name, (w, g, b) in zip(names, sides, strict=True)
    )


def _chances(probabilities: Outcomes, mover: int, names: tuple[str, str]) -> dict[str, object]:
    """A bar of wins, gammons and backgammons of both sides: the left end is player 0's."""
    sides = _sides(probabilities, mover)
    segments: list[tuple[str, str]] = []
    for player, (w, g, b) in enumerate(sides):
        parts = [("wbg", b), ("wg", g - b), ("", w - g)]
        for name, value in parts if player == 0 else reversed(parts):
            if value > 0.0005:
                segments.append((f"w{player} {name}".strip(), f"{100 * value:.2f}"))
    texts = [
        (names[player], words.percent(w), f"G {words.percent(g)}, B {words.percent(b)}")
        for player, (w, g, b) in enumerate(sides)
    ]
    return {"segments": segments, "texts": texts}


def _sides(probabilities: Outcomes, mover: int) -> list[tuple[float, float, float]]:
    """Win, gammon, backgammon of player 0 and of player 1, cumulative."""
    win, gammon, backgammon, lose, lose_gammon, lose_backgammon = words.six_chances(probabilities)
    mine, theirs = (win, gammon, backgammon), (lose, lose_gammon, lose_backgammon)
    return [mine, theirs] if mover == 0 else [theirs, mine]


# The head of the page.


def _info(analysed: AnalysedMatch) -> list[str]:
    match = analysed.match
    items = [match.info[key] for key in ("event", "round", "place", "date") if match.info.get(key)]
    if match.variant != "standard":
        items.append(match.variant)
    return items


def _player(analysed: AnalysedMatch, player: int) -> dict[str, object]:
    match = analysed.match
    statistics = analysed.statistics[player]
    score = words.final_score(match)
    marks = Counter((words.error_shape(d), d.skill) for d in analysed.decisions if d.player == player and d.skill)
    result = words.result_text
    plays, cubes = statistics.unforced_moves, statistics.cube_decisions
    facts = [
        ("Chequer errors", words.signed(-statistics.chequer_error_total), words.count(plays, "play")),
        ("Cube errors", words.signed(-statistics.cube_error_total), words.count(cubes, "decision")),
        ("Luck", words.signed(statistics.luck_total), words.luck_rating(statistics)),
        (
            "Luck-adjusted result",
            result(statistics.luck_adjusted_result, match.length),
            f"actual {result(statistics.actual_result, match.length)}",
        ),
    ]
    rating = words.absolute_rating(statistics, match.length)
    if rating is not None:
        name = rating_name(statistics.error_per_decision)
        facts.append(
            ("Error per decision", f"{1000 * statistics.error_per_decision:.1f} mEMG", f"{name}, FIBS {rating:.0f}")
        )
    return {
        "name": words.names(match)[player],
        "won": bool(match.length) and score[player] >= match.length,
        "pr": f"{statistics.pr:.1f}",
        "rating": pr_name(statistics.pr) if statistics.decisions else "",
        "facts": facts,
        "marks": [
            [
                (_Badge(shape, int(skill), f"{words.SKILL_NAMES[skill]} {kind}"), marks[shape, skill])
                for skill in (Skill.DOUBTFUL, Skill.BAD, Skill.VERY_BAD)
            ]
            for shape, kind in (("circle", "chequer plays"), ("square", "cube decisions"))
        ],
    }


def _game_summary(analysed: AnalysedMatch, index: int) -> dict[str, object]:
    match = analysed.match
    game = match.games[index]
    return {
        "number": game.number,
        "score": f"{game.score[0]}-{game.score[1]}",
        "outcome": words.game_outcome(match, game),
        "winner": game.winner,
        "points": game.points,
        "sides": [
            {
                "pr": f"{statistics.pr:.1f}",
                "error": words.signed(-statistics.error_total),
                "luck": words.signed(statistics.luck_total),
            }
            for statistics in analysed.games[index].statistics
        ],
    }


def _statistics(analysed: AnalysedMatch) -> list[dict[str, object]]:
    return [
        {"label": label, "cells": list(cells)}
        for label, cells in words.statistics_table(analysed.statistics, analysed.match.length)
    ]


def _settings(analysed: AnalysedMatch) -> str:
    text = f"Analysed by Sixprime, {analysed.settings}" if analysed.settings else "Analysed by Sixprime"
    return f"{text}, in {analysed.seconds:.0f} s" if analysed.seconds >= 1 else text


# The graph.

_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 990, 26, 214
_GRAPH_HEIGHT = 240


def _graph(analysed: AnalysedMatch, cells: Sequence[Sequence[_Row]]) -> str:
    """Chances of player 0 at every decision; error marks of player 0 above, of player 1 below. Sets `_Cell.x`."""
    from markupsafe import escape

    match = analysed.match
    turns = [
        (index, cell, before.value)
        for index, rows in enumerate(cells)
        for row in rows
        for cell in (*row.sides[0], *row.sides[1])
        if cell.decisions and (before := cell.decisions[0].before) is not None
    ]
    if len(turns) < 2:
        return ""
    values = [value for _, _, value in turns]
    low, high, middle = 0.0, 1.0, 0.5
    if not match.length:
        high = max(1.0, *(abs(value) for value in values))
        low, middle = -high, 0.0
    score = words.final_score(match)
    if match.length and max(score) >= match.length:
        values.append(1.0 if score[0] >= match.length else 0.0)
    step = (_RIGHT - _LEFT) / (len(values) - 1)

    def y_of(value: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * (min(max(value, low), high) - low) / (high - low)

    points = [(_LEFT + step * i, y_of(value)) for i, value in enumerate(values)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    mid = y_of(middle)
    area = f"{_LEFT},{mid:.1f} {line} {points[-1][0]:.1f},{mid:.1f}"
    names = [escape(name) for name in words.names(match)]
    parts = [
        f'<svg viewBox="0 0 1000 {_GRAPH_HEIGHT}" role="img" aria-label="Chances of {names[0]} across the match">'
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
            parts.append(f'<path class="g-game" d="M{x:.1f} {_TOP}V{_BOTTOM}"/>')
            if x >= label_end:  # short games: a label that would overlap is left out
                parts.append(f'<text x="{x + 4:.1f}" y="{_BOTTOM - 5}">{game.score[0]}-{game.score[1]}</text>')
                label_end = x + 30
            previous = index
    parts.append(f'<polyline class="g-line" points="{line}"/><path class="g-now" d=""/>')
    parts.append(
        f'<text class="who" x="{_LEFT + 4}" y="{_TOP + 15}">{names[0]}</text>'
        f'<text class="who" x="{_LEFT + 4}" y="{_BOTTOM - 20}">{names[1]}</text>'
    )
    for (x, _), (_, cell, _) in zip(points, turns, strict=False):
        cell.x = round(x, 1)
        parts += _graph_marks(cell, x)
    return "".join(parts) + "</svg>"


def _graph_marks(cell: _Cell, x: float) -> Iterator[str]:
    y = 12 if cell.player == 0 else _GRAPH_HEIGHT - 12
    for decision in cell.decisions:
        if not decision.skill:
            continue
        size = 3.5 + decision.skill
        title = f"{words.SKILL_NAMES[decision.skill]}: {words.signed(-decision.error)}"
        name = f'class="mark m{int(decision.skill)}"'
        shape = (
            f'<circle {name} cx="{x:.1f}" cy="{y}" r="{size:.1f}">'
            if decision.kind is DecisionKind.PLAY
            else f'<rect {name} x="{x - size:.1f}" y="{y - size:.1f}" width="{2 * size:.1f}" height="{2 * size:.1f}">'
        )
        tag = "circle" if decision.kind is DecisionKind.PLAY else "rect"
        yield f'<a href="#{cell.id}">{shape}<title>{title}</title></{tag}></a>'
