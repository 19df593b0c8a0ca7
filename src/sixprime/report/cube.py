"""The theory of a cube decision as a picture, as text and as plain values for JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from sixprime.report import words
from sixprime.report.chart import Colour, Line, Mark, line_chart
from sixprime.report.json import cube_to_dict
from sixprime.report.terminal import _console, _table, _text, print_table, render_cube
from sixprime.theory import CubeTheory

if TYPE_CHECKING:
    from rich.console import Console

_COLOURS: dict[int, Colour] = {1: "green", 0: "blue", -1: "red"}
_POINTS = ("take", "double", "cash", "too_good")


def cube_chart(theory: CubeTheory) -> str:
    """An `<svg>`: equity against winning chance for the three cube states, with the decision points and the position.

    The points are those of the engine's model and lie on the curve of the cube as it is.
    """
    cube, curves = theory.analysis, theory.curves
    owner = _owner(theory)
    names = {1: "player on roll owns the cube", 0: "centred cube", -1: "opponent owns the cube"}
    lines = [Line(names[who], curves.p, curves.of(who), _COLOURS[who]) for who in (0, 1, -1)]
    points = theory.models[0].points
    marks = []
    for name in _POINTS:
        p = getattr(points, name)
        if p is not None and p < 1 - 1e-6 and (name != "take" or owner <= 0):
            y = float(np.interp(p, curves.p, curves.of(owner)))
            marks.append(Mark(p, y, f"{_label(name, owner)} {words.percent(p)} %", _COLOURS[owner]))
    win = cube.probabilities[0]
    marks.append(Mark(win, cube.no_double, f"this position {words.percent(win)} %", "amber"))
    score = f"{cube.state.length}-point match" if cube.state.length else "money"
    title = f"{cube.action}: {score}, cube {cube.state.cube}, model {curves.name}"
    return line_chart(title, lines, marks=marks, x_label="winning chance", y_label="equity (cube = 1)", x_percent=True)


def theory_to_dict(theory: CubeTheory) -> dict[str, Any]:
    """The decision as `cube_to_dict` and all of the theory, with stable keys; curves are left out."""
    return {
        **cube_to_dict(theory.analysis),
        "class": theory.position_class,
        "points_won": theory.points_won,
        "points_lost": theory.points_lost,
        "gammon_values": list(theory.gammon_values),
        "opponent_gammon_values": list(theory.opponent_gammon_values),
        "windows": [{"kind": w.kind, "opens": w.opens, "closes": w.closes} for w in theory.windows],
        "local_volatility": theory.local_volatility,
        "local_deviation": theory.local_deviation,
        "remote_volatility": theory.remote_volatility,
        "models": [
            {
                "name": view.name,
                "model": view.model.name,
                "no_double": view.no_double,
                "double_take": view.double_take,
                "action": view.action,
                "points": {name: getattr(view.points, name) for name in _POINTS},
            }
            for view in theory.models
        ],
    }


def render_cube_theory(theory: CubeTheory, *, console: Console | None = None) -> None:
    """Print the board, the decision, window and values, and the models side by side."""
    console = _console(console)
    cube = theory.analysis
    render_cube(cube, console=console)
    console.print()
    for window in theory.windows:
        opens, closes = words.percent(window.opens), words.percent(window.closes)
        console.print(_text(f"Market window ({window.kind} cube): {opens} % to {closes} %"))
    for name, (gammon, backgammon) in (("X", theory.gammon_values), ("O", theory.opponent_gammon_values)):
        console.print(_text(f"Gammon value of {name} {gammon:.3f}, backgammon {backgammon:.3f}"))
    console.print(_text(f"Points of a win {theory.points_won:.3f}, of a loss {theory.points_lost:.3f}"))
    console.print(
        _text(
            f"Jump volatility {words.percent(theory.local_volatility)} % (standard deviation"
            f" {words.percent(theory.local_deviation)} %), remote {words.percent(theory.remote_volatility)} %"
        )
    )
    if not cube.available:
        return
    console.print()
    owner = _owner(theory)
    first, second = _table(console), _table(console)
    for table, heads in (
        (first, ("Model on these chances", "No double", "Double, take", "Action")),
        (second, ("Its points in %", *(_label(name, owner) for name in _POINTS))),
    ):
        for head in heads:
            table.add_column(head, justify="left" if head in (heads[0], "Action") else "right", no_wrap=True)
    for index, view in enumerate(theory.models):
        style = "" if index else "bold"
        row = (view.name, words.signed(view.no_double), words.signed(view.double_take), view.action)
        first.add_row(*(_text(cell, style) for cell in row))
        points = (getattr(view.points, name) for name in _POINTS)
        cells = ("" if p is None or p > 1 - 1e-6 else words.percent(p) for p in points)
        second.add_row(*(_text(cell, style) for cell in (view.name, *cells)))
    print_table(console, first)
    console.print()
    print_table(console, second)


def _label(name: str, owner: int) -> str:
    if name == "double":
        return "redouble" if owner == 1 else "double"
    return name.replace("_", " ")


def _owner(theory: CubeTheory) -> int:
    state = theory.analysis.state
    return 0 if state.cube_owner is None else (1 if state.cube_owner == state.on_roll else -1)
