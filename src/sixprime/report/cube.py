"""The theory of a cube decision as a picture, as text and as plain values for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sixprime.checks import Instance
from sixprime.codec import plain
from sixprime.report import words
from sixprime.report.chart import Colour, Line, Mark, line_chart
from sixprime.report.console import console_of, print_table, table_for, text_of
from sixprime.report.json import cube_to_dict
from sixprime.report.phrases import say, term
from sixprime.report.position import render_cube
from sixprime.theory import CubeTheory

if TYPE_CHECKING:
    from rich.console import Console

_COLOURS: dict[int, Colour] = {1: "green", 0: "blue", -1: "red"}
_POINTS = ("take", "double", "cash", "too_good")
"""All are winning chances of the player on roll: from there on he takes, he doubles, the opponent passes, and so on."""


def cube_chart(theory: CubeTheory) -> str:
    """An `<svg>`: equity against winning chance for the three cube states, with the decision points and the position.

    The points are those of the engine's model and lie on the curve of the cube as it is.
    Raises SettingsError for what is no theory.
    """
    Instance(CubeTheory)("theory", theory)
    cube, curves = theory.analysis, theory.curves
    owner = cube.state.owner_for(cube.state.on_roll)
    names = {1: say("chart.own"), 0: say("chart.centred"), -1: say("chart.theirs")}
    lines = [Line(names[who], curves.p, curves.of(who), _COLOURS[who]) for who in (0, 1, -1)]
    points = theory.models[0].points
    marks = []
    for name in _POINTS:
        p = getattr(points, name)
        if p is not None and p < 1 - 1e-6 and (name != "take" or owner <= 0):
            y = float(np.interp(p, curves.p, curves.of(owner)))
            marks.append(Mark(p, y, f"{_label(name, owner)} {words.percent(p)} %", _COLOURS[owner]))
    win = cube.probabilities[0]
    marks.append(Mark(win, cube.no_double, say("chart.here", win=words.percent(win)), "amber"))
    state = cube.state
    score = say("length.match", length=state.length) if state.length else say("chart.money")
    title = say("chart.title", action=term(cube.action), score=score, cube=state.cube, model=curves.name)
    return line_chart(
        title, lines, marks=marks, x_label=say("chart.winning"), y_label=say("chart.equity"), x_percent=True
    )


def theory_to_dict(theory: CubeTheory) -> dict[str, Any]:
    """The decision as `cube_to_dict` and all of the theory, with stable keys; curves are left out."""
    return {
        **cube_to_dict(theory.analysis),
        "class": theory.position_class,
        **plain(
            theory, "points_won", "points_lost", "gammon_values", "opponent_gammon_values", "doubled_gammon_values"
        ),
        "windows": [plain(window, "kind", "opens", "closes") for window in theory.windows],
        **plain(theory, "local_volatility", "local_deviation", "remote_volatility", "never_turned"),
        "hurting": [{"player": "on roll" if side > 0 else "opponent", "cube": cube} for side, cube in theory.hurting],
        "models": [
            {
                "name": view.name,
                "model": view.model.name,
                **plain(view, "no_double", "double_take", "action"),
                "points": plain(view.points, *_POINTS),
            }
            for view in theory.models
        ],
    }


def render_cube_theory(theory: CubeTheory, *, console: Console | None = None) -> None:
    """Print the board, the decision, window and values, and the models side by side."""
    console = console_of(console)
    cube = theory.analysis
    render_cube(cube, console=console)
    console.print()
    for window in theory.windows:
        opens, closes = words.percent(window.opens), words.percent(window.closes)
        console.print(text_of(f"Market window of X ({window.kind} cube): {opens} % to {closes} %"))
    doubled = ""
    state = cube.state
    if theory.doubled_gammon_values and not state.length and state.jacoby and state.cube_owner is None:
        gammon, backgammon = theory.doubled_gammon_values
        doubled = f"; once doubled {gammon:.3f}, {backgammon:.3f} (Jacoby)"
    for name, (gammon, backgammon) in (("X", theory.gammon_values), ("O", theory.opponent_gammon_values)):
        console.print(text_of(f"Gammon value of {name} {gammon:.3f}, backgammon {backgammon:.3f}{doubled}"))
    console.print(text_of(f"Points of a win of X {theory.points_won:.3f}, of a loss {theory.points_lost:.3f}"))
    console.print(
        text_of(
            f"Jump volatility {words.percent(theory.local_volatility)} % (standard deviation"
            f" {words.percent(theory.local_deviation)} %), remote {words.percent(theory.remote_volatility)} %"
        )
    )
    for note in _notes(theory):
        console.print(text_of(note))
    if not cube.available:
        return
    console.print()
    owner = state.owner_for(state.on_roll)
    double = "redouble" if owner == 1 else "double"
    heads = ("Model on\nthese chances", f"No\n{double}", f"{double.capitalize()},\ntake", "Action")
    first = table_for(console, heads, folded=(heads[0], "Action"), tight=True)
    chances = "From this % of\nwinning chances of X"
    second = table_for(console, (chances, *_heads(owner)), folded=(chances,), tight=True)
    for index, view in enumerate(theory.models):
        style = "" if index else "bold"
        row = (view.name, words.signed(view.no_double), words.signed(view.double_take), view.action)
        first.add_row(*(text_of(cell, style) for cell in row))
        points = (getattr(view.points, name) for name in _POINTS)
        cells = ("" if p is None or p > 1 - 1e-6 else words.percent(p) for p in points)
        second.add_row(*(text_of(cell, style) for cell in (view.name, *cells)))
    print_table(console, first)
    console.print()
    print_table(console, second)


def _notes(theory: CubeTheory) -> list[str]:
    """What the models do at this score that a player would not."""
    notes = []
    if theory.never_turned:
        notes.append(
            "At 2-away 2-away either side doubles at once. All models but fitted and jump leave the cube at 1,"
            " as GNU Backgammon does."
        )
    turns = [f"to {value} hurts {'X' if side > 0 else 'O'}" for side, value in theory.hurting]
    if turns:
        notes.append(
            f"Turning the cube {', '.join(turns)} at any chance. All models but fitted and jump reckon with"
            " it, as GNU Backgammon does."
        )
    return notes


def _label(name: str, owner: int) -> str:
    """A point of `_POINTS` in the picture, with whose it is."""
    return say(f"chart.point.{'redouble' if name == 'double' and owner == 1 else name}")


def _heads(owner: int) -> tuple[str, ...]:
    """The same over a column, where the player on roll is X."""
    return "X\ntakes", f"X\n{'redoubles' if owner == 1 else 'doubles'}", "O\npasses", "X\ntoo good"
