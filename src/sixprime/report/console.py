"""What every report to a terminal is printed with: texts, tables and colours of a rich `Console`.

Colours on a terminal, plain text elsewhere, and only ASCII where the output can hold no more.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, Skill

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod, OverflowMethod
    from rich.table import Table
    from rich.text import Text

SKILL_STYLES = {
    Skill.NONE: "dim",
    Skill.DOUBTFUL: "yellow",
    Skill.BAD: "dark_orange",
    Skill.VERY_BAD: "bold bright_red",
}
_NO_LIMIT = 10_000
_FOLDED = 8
"""Columns that words which may be broken have at least, if they need as many."""


def console_of(console: Console | None) -> Console:
    """The console to print to: by default one of standard output."""
    if console is not None:
        return console
    from rich.console import Console as RichConsole

    return RichConsole(highlight=False, emoji=False)


def flowed(parts: Sequence[str], width: int, between: str = ", ") -> str:
    """Parts in a row; what has no room in the width begins another line."""
    mark = between.rstrip()
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1] + between + part + mark) > width:
            lines[-1] += mark
            lines.append(part)
        else:
            lines[-1] += between + part
    return "\n".join(lines)


def table_for(
    console: Console,
    heads: Iterable[str] = (),
    *,
    words: Container[str] = (),
    wrapped: Container[str] = (),
    folded: Container[str] = (),
    tight: bool = False,
) -> Table:
    """A table without frame. heads: of its columns, which hold numbers, but for those of words, on the left.

    words: columns that are not broken; wrapped: those that may be between words; folded: anywhere, where there is no
    room. tight: for one of many columns.
    """
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.SIMPLE_HEAD if _is_utf(console) else box.ASCII2,
        pad_edge=False,
        padding=(0, 1, 0, 0 if tight else 1),
        header_style="dim",
        show_edge=False,
    )
    for head in heads:
        broken = head in wrapped or head in folded
        justify: JustifyMethod = "left" if broken or head in words else "right"
        overflow: OverflowMethod = "fold" if head in folded else "ellipsis"
        table.add_column(head, justify=justify, no_wrap=not broken, overflow=overflow)
    return table


def _is_utf(console: Console) -> bool:
    return console.encoding.lower().startswith("utf")


def print_table(console: Console, table: Table, *, keys: int = 1) -> None:
    """Prints a table with no heading or number cut: in a terminal too narrow for that as many columns at a time as fit.

    keys: the columns, from the left, that say what a row is and stand before all others.
    """
    if least_width(console, table) <= console.width:
        _print_whole(console, table)
        return
    shown = [*range(keys)]
    for column in range(keys, len(table.columns)):
        if len(shown) > keys and _width(console, _part(table, [*shown, column])) > console.width:
            _print_part(console, _part(table, shown))
            console.print()
            shown = [*range(keys)]
        shown.append(column)
    _print_part(console, _part(table, shown))


def _print_part(console: Console, part: Table) -> None:
    """Prints some columns of a table, wider than the terminal where a single one is too wide beside the keys."""
    part.width = max(console.width, least_width(console, part)) if _width(console, part) > console.width else None
    _print_whole(console, part)


def _print_whole(console: Console, table: Table) -> None:
    """Prints a table for which there is room; a word that is longer than the place of its column is broken, not cut."""
    folding = copy(table)
    folding.columns = [replace(column, overflow="fold") for column in table.columns]
    console.print(folding, crop=False)


def fits(console: Console, table: Table) -> bool:
    """Whether there is room for a table with nothing wrapped."""
    return _width(console, table) <= console.width


def _width(console: Console, table: Table) -> int:
    """Columns that a table takes with nothing wrapped."""
    return console.measure(table, options=console.options.update(max_width=_NO_LIMIT)).maximum


def _part(table: Table, columns: Sequence[int]) -> Table:
    """Some columns of a table."""
    part = copy(table)
    part.columns = [replace(table.columns[old], _index=new) for new, old in enumerate(columns)]
    return part


def least_width(console: Console, table: Table) -> int:
    """Columns a table takes at least: all of what may not wrap, the longest word of what may, little of what folds."""
    from rich.measure import Measurement

    options = console.options.update(max_width=_NO_LIMIT)
    whole = least = 0
    for column in table.columns:
        sizes = [Measurement.get(console, options, cell) for cell in (column.header, *column.cells)]
        whole += (longest := max(size.maximum for size in sizes))
        word = max(size.minimum for size in sizes)
        least += longest if column.no_wrap else min(word, _FOLDED) if column.overflow == "fold" else word
    return least + console.measure(table, options=options).maximum - whole


def text_of(text: str, style: str = "") -> Text:
    """A text that is never read as markup."""
    from rich.text import Text

    return Text(text, style=style)


def signs_of(console: Console) -> dict[str, str]:
    """The shapes of errors, as `words.error_shape` names them, in the characters that the output has."""
    return {"circle": "●", "square": "■"} if _is_utf(console) else {"circle": "o", "square": "#"}


def loss_style(loss: float) -> str:
    """Colour of a loss: by the marks' default sizes."""
    return SKILL_STYLES[DEFAULT_THRESHOLDS.skill(loss)]
