"""Drills: text for the terminal, and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sixprime.codec import plain
from sixprime.game.state import MONEY
from sixprime.learn.drills import LATEST, RULES, Attempt, DrillKind, DrillLog, Exercise, Record, record
from sixprime.report import words
from sixprime.report.console import console_of, print_table, table_for, text_of
from sixprime.report.position import print_position

if TYPE_CHECKING:
    from rich.console import Console

_COUNTED = (DrillKind.PIPS, DrillKind.EPC)


def render_exercise(exercise: Exercise, *, console: Console | None = None) -> None:
    """Prints the board, without pip counts where they are asked for, and the question."""
    console = console_of(console)
    print_position(console, exercise.position, MONEY, None, pips=exercise.kind not in _COUNTED)
    console.print(text_of(exercise.rules.question, "bold"))


def render_attempt(exercise: Exercise, attempt: Attempt, *, console: Console | None = None) -> None:
    """Prints whether an answer was right, and what would have been."""
    console = console_of(console)
    line = text_of("")
    if attempt.right:
        line.append("Right", "bold green")
    else:
        line.append(_wrong(exercise, attempt), "bold bright_red")
    line.append(f" in {attempt.seconds:.1f} s: {answer_text(exercise)}", "not bold")
    console.print(line)


def _wrong(exercise: Exercise, attempt: Attempt) -> str:
    number, unit = _number(attempt.error, exercise.rules.digits), exercise.rules.unit
    if exercise.choices:
        return f"Loses {number}"
    return f"Off by {number} {unit}{'' if number == '1' or unit == '%' else 's'}"


def answer_text(exercise: Exercise) -> str:
    """What would have been right, in words."""
    if exercise.choices:
        best, *others = sorted(exercise.choices, key=lambda choice: choice[1])
        lost = ", ".join(f"{name} loses {loss:.3f}" for name, loss in others)
        return f"{'double, ' * (best[0] in ('take', 'pass'))}{best[0]}; {lost}"
    pairs = zip(exercise.rules.names, exercise.numbers, strict=True)
    text = ", ".join(f"{name} {_number(number)}" for name, number in pairs)
    if exercise.kind is DrillKind.EPC:
        pips = exercise.position.pips[0]
        return f"{text} = {pips} pips and {exercise.numbers[0] - pips:.1f} wasted"
    return f"{text} %" if exercise.kind is DrillKind.RACE else text


def render_log(log: DrillLog, *, console: Console | None = None) -> None:
    """Prints how the attempts of each kind went, all of them and the latest."""
    console = console_of(console)
    if not log.attempts:
        console.print(text_of("No attempts yet. Begin: sixprime drill pips", "bold"))
        return
    heads = ("Drill", "Tries", "Right", "Off by", "Seconds", f"Latest {LATEST}", "Off by", "Seconds")
    table = table_for(console, heads, words=("Drill",), tight=True)
    for kind, whole, latest in _records(log):
        if whole is not None and latest is not None:
            digits = RULES[kind].digits
            table.add_row(kind.value, str(whole.attempts), *_record(whole, digits), *_record(latest, digits))
    print_table(console, table)


def _records(log: DrillLog) -> Iterator[tuple[DrillKind, Record | None, Record | None]]:
    """How the attempts of each kind went, and the latest of them; None without any."""
    for kind in DrillKind:
        attempts = log.of(kind)
        yield kind, record(attempts), record(attempts[-LATEST:])


def _record(each: Record, digits: int) -> tuple[str, str, str]:
    return f"{each.right:.0%}", f"{each.error:.{digits}f}", f"{each.seconds:.1f}"


def log_to_dict(log: DrillLog) -> dict[str, Any]:
    """How the attempts of each kind went, and all of them."""
    found: dict[str, Any] = {
        kind.value: {"all": whole and plain(whole), "latest": latest and plain(latest)}
        for kind, whole, latest in _records(log)
    }
    rows = [plain(each, "kind", "seconds", "error", "right") | {"when": each.when.isoformat()} for each in log.attempts]
    return found | {"attempts": rows}


def _number(value: float, digits: int = 1) -> str:
    return words.signed(value, digits).lstrip("+").removesuffix(".0")
