"""A race judged by every method: text for the terminal, and JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sixprime.codec import plain
from sixprime.report import words
from sixprime.report.console import console_of, print_table, table_for, text_of
from sixprime.report.json import cube_to_dict
from sixprime.report.position import print_cube, print_position

if TYPE_CHECKING:
    from rich.console import Console

    from sixprime.theory import RaceTheory

_SIDE = ("pips", "mean", "sd", "exact", "epc", "wastage")


def race_to_dict(theory: RaceTheory) -> dict[str, Any]:
    """All of it with plain values; chances and equities are of the player on roll."""
    return {
        "position_id": theory.position.id,
        "match_id": words.match_id(theory.state),
        "class": theory.evaluation.position_class,
        "exact": theory.exact,
        **plain(theory.evaluation, "plies", "probabilities", "cubeless_equity", "cubeful_equity"),
        "player": plain(theory.player, *_SIDE),
        "opponent": plain(theory.opponent, *_SIDE),
        "counts": [plain(count) for count in theory.counts],
        "cube": cube_to_dict(theory.cube),
    }


def render_race(theory: RaceTheory, *, console: Console | None = None) -> None:
    """Prints the board, what each side needs, the methods side by side and the cube decision."""
    console = console_of(console)
    print_position(console, theory.position, theory.state, None)
    needs = table_for(console, ("", "Pips", "EPC", "Wastage", "Rolls", "SD", ""), words=("",))
    for name, side in (("X", theory.player), ("O", theory.opponent)):
        numbers = (f"{side.epc:.2f}", f"{side.wastage:.2f}", f"{side.mean:.3f}", f"{side.sd:.3f}")
        needs.add_row(name, str(side.pips), *numbers, "exact" if side.exact else "estimated")
    print_table(console, needs)
    console.print()
    heads = ("Method", "X", "O", "Adjusted", "Win", "Verdict")
    methods = table_for(console, heads, words=("Method", "Verdict"))
    for count in theory.counts:
        shown = tuple(_number(value) for value in (count.player, count.opponent, count.adjusted))
        win = "" if count.win is None else f"{words.percent(count.win, 2)}%"
        methods.add_row(count.name, *shown, win, "" if count.verdict is None else count.verdict.value.capitalize())
    answer = f"{words.percent(theory.evaluation.probabilities[0], 2)}%"
    name = "Exact" if theory.exact else f"Engine, {theory.evaluation.plies}-ply"
    methods.add_row(name, "", "", "", answer, theory.cube.action, style="bold")
    print_table(console, methods)
    equity = words.signed(theory.evaluation.cubeless_equity, 4), words.signed(theory.evaluation.cubeful_equity, 4)
    console.print(text_of(f"Cubeless {equity[0]}   cubeful {equity[1]}   {theory.evaluation.position_class}", "dim"))
    console.print()
    print_cube(console, theory.cube)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1f}".removesuffix(".0")
