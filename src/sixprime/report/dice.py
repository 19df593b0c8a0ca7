"""Dice that were thrown, and whether they are fair: text for the terminal, and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sixprime.codec import plain
from sixprime.report.console import console_of, print_table, table_for

if TYPE_CHECKING:
    from rich.console import Console

    from sixprime.theory.fairness import Counts

Throws = Sequence[tuple[int, int]]
_DOUBT = 0.01
"""Chance below which we say that dice are hardly fair; one test of a hundred says so of fair ones."""


def dice_to_dict(source: str, thrown: Throws, tests: Sequence[Counts]) -> dict[str, Any]:
    """The throws, or where they were tested the tests, with plain values."""
    if not tests:
        return {"dice": source, "throws": [list(throw) for throw in thrown]}
    return {"dice": source, "count": len(thrown), "tests": [plain(test) for test in tests]}


def render_dice(source: str, thrown: Throws, tests: Sequence[Counts], *, console: Console | None = None) -> None:
    """Prints the throws, or where they were tested what was counted beside what is expected of fair dice."""
    console = console_of(console)
    console.print(source, soft_wrap=True)
    if not tests:
        console.print(" ".join(f"{first}{second}" for first, second in thrown), soft_wrap=True)
        return
    if not source.startswith(counted := f"{len(thrown)} throws"):
        console.print(counted)
    console.print()
    for test in tests:
        if len(test.names) <= 6:
            _print_counts(console, test)
    table = table_for(console, ("", "Chi-square", "Freedom", "Chance", ""), words=("",))
    for test in tests:
        verdict = "hardly fair" if test.chance < _DOUBT else "fair"
        numbers = f"{test.statistic:.2f}", str(test.freedom), f"{100 * test.chance:.1f}%"
        table.add_row(test.title.capitalize(), *numbers, verdict)
    print_table(console, table)
    console.print()
    console.print("Chance: that fair dice differ as much as this or more from what is expected.")


def _print_counts(console: Console, test: Counts) -> None:
    title = test.title.capitalize()
    table = table_for(console, (title, *test.names), words=(title,))
    table.add_row("Counted", *map(str, test.found))
    table.add_row("Expected", *(f"{each:.1f}" for each in test.expected))
    print_table(console, table)
    console.print()
