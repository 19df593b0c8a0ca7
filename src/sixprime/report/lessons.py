"""Tables of a database of lessons, drawn from the objects that it prints as JSON (`train/database.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sixprime.game.outcomes import Outcomes, cubeless
from sixprime.report.console import console_of, print_table, table_for
from sixprime.report.words import clean

if TYPE_CHECKING:
    from rich.console import Console

Told = dict[str, Any]


def render_summary(told: Told, *, console: Console | None = None) -> None:
    """Prints a line per kind of position, and one for all."""
    rows = [
        [each["kind"], *(f"{each[key]:,}" for key in ("positions", "rolled_out", "trials"))] for each in told["kinds"]
    ]
    sums = (f"{sum(each[key] for each in told['kinds']):,}" for key in ("positions", "rolled_out", "trials"))
    _table(("", "Positions", "Rolled out", "Games"), [*rows, ["all", *sums]], console)


def render_position(told: Told, *, console: Console | None = None) -> None:
    """Prints what all rollouts of a position say together, and each of them by a number of who made it."""
    console = console_of(console)
    console.print(told["id"], style="bold")
    if told["known"] is None:
        console.print("not rolled out yet")
        return
    engines = list(dict.fromkeys(each["engine"] for each in told["rollouts"]))
    rows = [_row("all", told["known"])]
    for each in told["rollouts"]:
        equity = cubeless(*(each[name] for name in Outcomes._fields))
        rows.append(_row(f"{engines.index(each['engine']) + 1}, seed {each['seed']}", each | {"equity": equity}))
    _table(("", "Games", "Equity", "±", "W", "G", "B", "LG", "LB"), rows, console)
    console.print()
    for number, engine in enumerate(engines, 1):
        console.print(f"{number}: {clean(engine)}", markup=False)


def render_verified(told: Told, *, console: Console | None = None) -> None:
    """Prints bias and error by kind of position, and those that are misjudged most."""
    console = console_of(console)
    rows = [
        [each["kind"], f"{each['count']:,}", f"{each['bias']:+.4f}", f"{each['rmse']:.4f}"] for each in told["kinds"]
    ]
    _table(("", "Positions", "Bias", "Rms error"), rows, console)
    if told["worst"]:
        console.print()
        worst = []
        for each in told["worst"]:
            known = each["known"]
            equities = (f"{value:+.4f}" for value in (each["equity"], known["equity"], each["off"]))
            worst.append([each["id"], *equities, f"{known['error']:.4f}"])
        _table(("Position", "Net", "Rollouts", "Off by", "±"), worst, console)


def _row(name: str, known: Told) -> list[str]:
    chances = [f"{100 * known[key]:.1f}" for key in Outcomes._fields]
    return [name, f"{known['trials']:,}", f"{known['equity']:+.4f}", f"{known['error']:.4f}", *chances]


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]], console: Console | None) -> None:
    console = console_of(console)
    table = table_for(console, headings, folded=headings[:1])
    for row in rows:
        table.add_row(*row)
    print_table(console, table)
