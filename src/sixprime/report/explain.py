"""What one play does that another does not: tables for the terminal, and JSON. Numbers only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sixprime.codec import plain
from sixprime.game.rules import ways
from sixprime.report import words
from sixprime.report.console import console_of, print_table, table_for, text_of
from sixprime.report.json import cube_to_dict, play_to_dict
from sixprime.report.position import print_position
from sixprime.theory.explain import Exchange, Explanation, PlayView, Window

if TYPE_CHECKING:
    from rich.console import Console

_GAIN_SHOWN = 0.0005


def explanation_to_dict(explanation: Explanation) -> dict[str, Any]:
    """All of it with plain values, of the player who makes the play; `replies` in the order of the rolls 11 to 66."""
    return {
        "position_id": explanation.position.id,
        "match_id": words.match_id(explanation.state.with_dice(explanation.dice)),
        "dice": list(explanation.dice),
        "best": _view_to_dict(explanation.best),
        "other": _view_to_dict(explanation.other),
        **plain(explanation, "changed", "gains"),
    }


def _view_to_dict(view: PlayView) -> dict[str, Any]:
    return {
        **play_to_dict(view.analysis),
        **plain(view.counts),
        **plain(view.counts, "home_points", "anchors"),
        **plain(view, "made", "broken", "mean_reply"),
        "opponent_cube": view.answer and cube_to_dict(view.answer),
        "window": view.window and {part.value: number for part, number in view.window.items()},
        "replies": [plain(reply) for reply in view.replies],
        "best_exchanges": [plain(each) for each in view.best],
        "worst_exchanges": [plain(each) for each in view.worst],
    }


def render_explanation(explanation: Explanation, *, board: bool = True, console: Console | None = None) -> None:
    """Prints the two plays side by side, the opponent's replies, the best and the worst that may happen."""
    console = console_of(console)
    best, other = explanation.best, explanation.other
    if board:
        print_position(console, explanation.position, explanation.state, explanation.dice)
    table = table_for(console, tight=True)
    names = [words.play_text(str(view.play)) for view in (best, other)]
    table.add_column("")
    for name in names:
        table.add_column(text_of(name, "bold green" if name is names[0] else "bold"), justify="right")
    table.add_column("Diff.", justify="right", no_wrap=True)
    for label, one, two, difference in _rows(best, other):
        table.add_row(label, one, two, text_of(difference, "dim"))
    print_table(console, table)
    if best.replies and other.replies:
        console.print()
        _print_replies(console, explanation, names)
        console.print()
        _print_exchanges(console, [best, other], names)


_Row = tuple[str, ...]
"""Label, both values, their difference."""


def _rows(best: PlayView, other: PlayView) -> list[_Row]:
    rows: list[_Row] = []

    def number(
        label: str, get: Callable[[PlayView], float | None], digits: int = 0, unit: float = 1, always: bool = True
    ) -> None:
        values = [get(view) for view in (best, other)]
        if all(value is None for value in values) or not (any(values) or always):
            return
        sign = "+" if label == "Equity" else ""
        shown = ["" if value is None else f"{unit * value:{sign}.{digits}f}" for value in values]
        one, two = values
        change = "" if one is None or two is None else words.signed(unit * (one - two), digits)
        rows.append((label, *shown, "" if change and float(change) == 0 else change))

    def names(label: str, get: Callable[[PlayView], Sequence[int]]) -> None:
        one, two = (" ".join(map(str, get(view))) for view in (best, other))
        if one or two:
            rows.append((label, one or "-", two or "-", ""))

    number("Equity", lambda view: view.analysis.equity, 4)
    number("MWC %", lambda view: view.analysis.mwc, 2, 100)
    for k, label in enumerate(("Wins %", "Gammons won %", "Backgammons won %", "Gammons lost %", "Backgammons lost %")):
        number(label, lambda view, k=k: view.analysis.probabilities[k], 1, 100)  # type: ignore[misc]
    number("Pips to go", lambda view: view.counts.pips[0])
    number("Pips of the opponent", lambda view: view.counts.pips[1])
    number("Chequers hit", lambda view: view.counts.hit, always=False)
    names("Points made", lambda view: view.made)
    names("Points broken", lambda view: view.broken)
    number("Points at home", lambda view: view.counts.home_points)
    number("Longest prime", lambda view: view.counts.prime)
    names("Blots", lambda view: view.counts.blots)
    number("Rolls that hit, of 36", lambda view: view.counts.shots)
    names("... each blot", lambda view: view.counts.shots_at)
    number("Rolls that dance, of 36", lambda view: view.counts.dances, always=False)
    rows.append(("Opponent's cube", *(_cube(view) for view in (best, other)), ""))
    if best.window is not None and other.window is not None:
        for part in Window:
            number(f"Then {part.value}, of 36", lambda view, part=part: (view.window or {})[part], always=False)  # type: ignore[misc]
    return rows


def _cube(view: PlayView) -> str:
    if view.answer is None:
        return "the game is over"
    return view.answer.action if view.answer.available else "not available"


def _print_replies(console: Console, explanation: Explanation, names: Sequence[str]) -> None:
    """The rolls by what they make of the difference, the largest first."""
    best, other = explanation.best, explanation.other
    table = table_for(console, ("Reply",), tight=True)
    for name in names:
        table.add_column(text_of(f"after {name}"), justify="left")
        table.add_column("Equity", justify="right", no_wrap=True)
    table.add_column("Gain", justify="right", no_wrap=True)
    order = sorted(range(len(best.replies)), key=lambda number: -abs(explanation.gains[number]))
    for number in order:
        one, two, gain = best.replies[number], other.replies[number], explanation.gains[number]
        if abs(gain) < _GAIN_SHOWN and one.dice not in explanation.changed:
            continue
        changed = one.dice in explanation.changed
        table.add_row(
            words.dice_text(one.dice),
            words.play_text(one.play),
            words.signed(one.equity),
            text_of(words.play_text(two.play) if changed else "the same", "" if changed else "dim"),
            words.signed(two.equity),
            words.signed(gain),
        )
    means = [words.signed(view.mean_reply or 0.0) for view in (best, other)]
    table.add_row("Mean", "", means[0], "", means[1], words.signed(sum(explanation.gains)), style="bold")
    print_table(console, table)
    rolls = sum(ways(dice) for dice in explanation.changed)
    said = f"Gain: difference times ways / 36. Replies change for {rolls} rolls of 36. No cube turned."
    console.print(text_of(said, "dim"))


def _print_exchanges(console: Console, views: Sequence[PlayView], names: Sequence[str]) -> None:
    heads = ("", "Roll", "Reply", "Roll", "Play", "Equity")
    table = table_for(console, heads, wrapped=("", "Reply", "Play"), tight=True)
    for view, name in zip(views, names, strict=True):
        for label, exchanges in (("Best", view.best), ("Worst", view.worst)):
            for number, each in enumerate(exchanges):
                table.add_row(f"{label} after {name}" if number == 0 else "", *_exchange(each))
    print_table(console, table)


def _exchange(each: Exchange) -> tuple[str, ...]:
    first, second = (words.dice_text(dice) for dice in each.dice)
    reply, play = (words.play_text(text) for text in each.plays)
    return first, reply, second, play, words.signed(each.equity)
