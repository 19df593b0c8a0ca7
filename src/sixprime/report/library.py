"""Tables of the library, drawn from the objects that it prints as JSON (`store/objects.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sixprime.analysis.ratings import pr_name
from sixprime.report import words
from sixprime.report.console import console_of, print_table, table_for, text_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from sixprime.analysis.model import Decision
    from sixprime.game.position import Position

Told = dict[str, Any]
_PLAYS = 10


def render_matches(matches: Sequence[Told], *, console: Console | None = None) -> None:
    """Prints a line per match; who won it is bold."""
    console = console_of(console)
    heads = ("Match", "Date", "Players", "Length", "PR", "Event")
    table = table_for(console, heads, words=("Date",), folded=("Players", "Event"))
    for each in matches:
        names = [_text(side["player"]) for side in each["players"]]
        if each["length"] and each["result"]:
            names[0 if each["result"] > 0 else 1].stylize("bold")
        both = names[0] + " - " + names[1]
        rates = " - ".join(_rate(side["pr"]) for side in each["players"])
        length = str(each["length"]) if each["length"] else f"money {each['result']:+d}"
        table.add_row(str(each["match"]), each["date"], both, length, rates, _text(each["event"]))
    print_table(console, table)


def render_players(players: Sequence[Told], *, console: Console | None = None) -> None:
    """Prints a line per player."""
    console = console_of(console)
    heads = ("Player", "Won", "Decisions", "PR", "Recent", "Luck", "Strength")
    table = table_for(console, heads, words=("Strength",), folded=("Player",))
    for each in players:
        counts = f"{each['won']} of {each['won'] + each['lost']}", str(each["decisions"])
        rates = _rate(each["pr"]), _rate(each["recent_pr"]), f"{each['luck']:+.2f}"
        strength = "" if each["pr"] is None else pr_name(each["pr"])
        table.add_row(_text(each["player"]), *counts, *rates, strength)
    print_table(console, table)


def render_positions(positions: Sequence[Told], *, console: Console | None = None) -> None:
    """Prints a line per position that belongs to no match."""
    console = console_of(console)
    folded = ("Best", "Tags", "Note")
    table = table_for(console, ("Position", "Date", "Roll", *folded), words=("Date", "Roll"), folded=folded)
    for each in positions:
        texts = words.play_text(each["best"]), ", ".join(each["tags"]), each["note"]
        table.add_row(str(each["position"]), each["date"], words.dice_text(each["dice"]), *map(_text, texts))
    print_table(console, table)


def render_position(decision: Decision, *, note: str = "", console: Console | None = None) -> None:
    """Prints a position that belongs to no match: its plays, or the cube decision."""
    from sixprime.report.position import render_cube, render_hint

    console = console_of(console)
    if decision.cube is not None:
        render_cube(decision.cube, console=console)
    elif decision.dice is not None:
        render_hint(decision.position, decision.dice, decision.plays[:_PLAYS], state=decision.state, console=console)
    if note:
        console.print()
        console.print(_text(note), soft_wrap=True)


def render_sums(told: Told, *, console: Console | None = None) -> None:
    """Prints a line per group of decisions, and one for all."""
    console = console_of(console)
    by, total = told["by"], told["total"]
    title = by.capitalize()
    table = table_for(console, (title, "Decisions", "Errors", "PR", "Lost", "Share"), folded=(title,))
    for name, each in (*((group[by] or "none", group) for group in told["groups"]), ("All", total)):
        share = f"{100 * each['error'] / total['error']:.0f} %" if total["error"] else "-"
        counts = f"{each['decisions']}", f"{each['errors']}"
        table.add_row(_text(name), *counts, f"{each['pr']:.2f}", f"{each['error']:.3f}", share)
    print_table(console, table)


def render_found(
    found: Sequence[Told], boards: Sequence[Position] = (), *, luck: bool = False, console: Console | None = None
) -> None:
    """Prints a line per decision. boards: their positions, to be drawn below each. luck: whether it is shown."""
    console = console_of(console)
    alike = any(each["distance"] is not None for each in found)
    if not boards:
        print_table(console, _found_table(console, found, alike=alike, luck=luck))
        return
    for each, position in zip(found, boards, strict=True):
        print_table(console, _found_table(console, [each], alike=alike, luck=luck))
        console.print(text_of(each["xgid"] or f"Position ID {position.id}"), soft_wrap=True)
        console.print(text_of(str(position)), soft_wrap=True)
        console.print()


def _found_table(console: Console, found: Sequence[Told], *, alike: bool, luck: bool) -> Table:
    heads = ("Place", "Player", "Roll", "Played", "Best", "Lost")
    table = table_for(
        console,
        (*(("Pips",) if alike else ()), *heads, *(("Luck",) if luck else ())),
        words=("Place", "Roll"),
        folded=("Player", "Played", "Best"),
    )
    for each in found:
        lost = words.loss(each["error"])
        chosen, best = (_text(words.play_text(each[name])) for name in ("chosen", "best"))
        alone = not each["move"]
        rolled = "" if each["luck"] is None else f"{each['luck']:+.3f}"
        table.add_row(
            *((str(each["distance"]),) if alike else ()),
            *(each["place"], _text(each["players"][each["player"]]), words.dice_text(each["dice"])),
            *("" if alone else chosen, best if lost or alone else "", lost),
            *((rolled,) if luck else ()),
        )
    return table


def _text(text: str) -> Text:
    return text_of(words.clean(text))


def _rate(pr: float | None) -> str:
    return "-" if pr is None else f"{pr:.2f}"
