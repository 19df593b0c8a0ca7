"""The book of openings: text for the terminal, the tables of docs/openings.md, and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sixprime.engine.results import PlayAnalysis
from sixprime.learn.openings import BookRoll, OpeningBook
from sixprime.report import words
from sixprime.report.console import console_of, loss_style, print_table, table_for, text_of
from sixprime.report.json import play_to_dict
from sixprime.report.position import print_position

if TYPE_CHECKING:
    from rich.console import Console

_WAYS = 36
_HEAD = ("Roll", "Best", "Equity", "Next", "Loss")
_SAID = {
    "money": "money play, cubeful",
    "dmp": "double match point",
    "gammon-go": "2-away 1-away in the Crawford game, where only the gammons of the player who opens count",
    "gammon-save": "1-away 2-away in the Crawford game, where only the gammons against the player who opens count",
}
_TITLES = {"money": "Money", "dmp": "DMP", "gammon-go": "Gammon-go", "gammon-save": "Gammon-save"}


def render_openings(book: OpeningBook, *, console: Console | None = None) -> None:
    """Prints the 15 openings: the best play, the next one and what it loses, with standard errors."""
    console = console_of(console)
    _print_rolls(console, book.openings)
    console.print(text_of(how_made(book), "dim"))


def render_scores(books: Sequence[OpeningBook], *, console: Console | None = None) -> None:
    """Prints the openings at several scores side by side: the best play, marked where another is not surely worse."""
    console = console_of(console)
    heads = ("Roll", *(_TITLES[book.score] for book in books))
    table = table_for(console, heads, words=heads, tight=True)
    for rolls in zip(*(book.openings for book in books), strict=True):
        cells = (text_of(f"{roll.best.play}{' ~' if len(roll.close) > 1 else ''}") for roll in rolls)
        table.add_row(words.dice_text(rolls[0].dice), *cells)
    print_table(console, table)
    console.print(text_of("~ another play is as good, as far as two standard errors tell.", "dim"))


def render_opening(book: OpeningBook, roll: BookRoll, opening: PlayAnalysis, *, console: Console | None = None) -> None:
    """Prints the plays of one opening roll, and the replies to one of them."""
    console = console_of(console)
    render_book_roll(roll, console=console)
    console.print()
    if replies := book.replies_to(opening.play):
        console.print(text_of(f"Replies to {opening.play}", "bold"))
        _print_rolls(console, replies)
    else:
        console.print(text_of(f"No replies to {opening.play} in the book.", "dim"))


def render_book_roll(roll: BookRoll, *, console: Console | None = None) -> None:
    """Prints the board and the plays of one roll, with the standard errors of their losses."""
    console = console_of(console)
    print_position(console, roll.position, roll.state, roll.dice)
    heads = ("", "Play", "Equity", "Loss", "±", "W", "WG", "LG", "Games")
    table = table_for(console, heads, wrapped=("Play",), tight=True)
    for rank, (play, error) in enumerate(zip(roll.plays, roll.loss_errors, strict=True), 1):
        style = "bold green" if rank == 1 else ""
        table.add_row(
            str(rank),
            text_of(str(play.play), style),
            text_of(words.signed(play.equity, 4), style),
            text_of(words.loss(play.equity_loss, 4), loss_style(play.equity_loss)),
            text_of(f"{error:.4f}" if rank > 1 else "", "dim"),
            *(text_of(words.percent(play.probabilities[chance]), "dim") for chance in (0, 1, 3)),
            text_of(f"{play.trials:,}", "dim"),
        )
    print_table(console, table, keys=2)


def how_made(book: OpeningBook) -> str:
    """How the numbers of the book came about, in a sentence."""
    fewest, most = book.trials
    return (
        f"Rolled out by ourselves: {_SAID[book.score]}; 0-ply, {fewest:,} to {most:,} games a play, cut after "
        f"{book.truncation} turns and judged by {book.truncation_plies}-ply, seed {book.seed}. "
        "± is a standard error; a loss below two of them decides nothing."
    )


def openings_to_dict(book: OpeningBook) -> dict[str, Any]:
    """The openings, without replies."""
    settings = {name: getattr(book, name) for name in ("score", "engine", "seed", "truncation", "truncation_plies")}
    return settings | {"openings": [roll_to_dict(roll) for roll in book.openings]}


def opening_to_dict(book: OpeningBook, roll: BookRoll, opening: PlayAnalysis) -> dict[str, Any]:
    """The plays of one opening roll, and the replies to one of them."""
    replies = [roll_to_dict(reply) for reply in book.replies_to(opening.play)]
    return roll_to_dict(roll) | {"opening": str(opening.play), "replies": replies}


def roll_to_dict(roll: BookRoll) -> dict[str, Any]:
    """One roll of the book; `loss_error` is the standard error of `equity_loss`."""
    plays = zip(roll.plays, roll.loss_errors, strict=True)
    return {
        "position_id": roll.position.id,
        "dice": list(roll.dice),
        "plays": [play_to_dict(play) | {"loss_error": error} for play, error in plays],
    }


def openings_page(book: OpeningBook) -> str:
    """The tables of docs/openings.md, or of the page of another score, in Markdown."""
    return "\n".join([*_page(book), ""])


def scores_page(books: Sequence[OpeningBook]) -> str:
    """The openings at several scores side by side, in Markdown: the best play, and those not surely worse."""
    head = f"| Roll | {' | '.join(_TITLES[book.score] for book in books)} |\n|{'---|' * (1 + len(books))}"
    rows = [
        f"| {words.dice_text(rolls[0].dice)} | {' | '.join(map(_close, rolls))} |"
        for rolls in zip(*(book.openings for book in books), strict=True)
    ]
    return "\n".join([head, *rows, ""])


def _close(roll: BookRoll) -> str:
    return " or ".join(str(each.play) for each in roll.close)


def _page(book: OpeningBook) -> Iterator[str]:
    yield "## The openings\n"
    yield how_made(book) + "\n"
    yield from _markdown(book.openings)
    best = [(roll, book.replies_to(roll.best.play)) for roll in book.openings]
    if missing := [words.dice_text(roll.dice) for roll, replies in best if not replies]:
        yield f"\nReplies to {', '.join(missing)} are not rolled out yet."
    if not book.replies:
        return
    if not missing:
        yield from _as_replies(best)
    yield "\n## Replies\n"
    if book.answered_at != book.score:
        yield f"Of the opponent, to whom this is {book.answered_at}.\n"
    for roll, opening in book.answered:
        behind = "" if opening is roll.best else f", which loses {opening.equity_loss:.4f}"
        yield f"### {words.dice_text(roll.dice)}: {opening.play}{behind}\n"
        yield from _markdown(book.replies_to(opening.play))
        yield ""


def _as_replies(after: Sequence[tuple[BookRoll, Sequence[BookRoll]]]) -> Iterator[str]:
    yield "\n## Every roll as a reply\n"
    yield (
        "What a roll is worth in the mean over the best openings, the openings it likes best and least, and the play "
        "that is best most often. Doubles come up as replies only.\n"
    )
    yield "| Roll | Mean | Best after | Worst after | Most often |\n|---|---|---|---|---|"
    for number, first in enumerate(after[0][1]):
        values = [(replies[number].best.equity, words.dice_text(roll.dice)) for roll, replies in after]
        plays = Counter(str(replies[number].best.play) for _, replies in after)
        mean = sum(equity for equity, _ in values) / len(values)
        often, times = plays.most_common(1)[0]
        ends = (f"{dice} ({words.signed(equity)})" for equity, dice in (max(values), min(values)))
        dice = words.dice_text(first.dice)
        yield f"| {dice} | {words.signed(mean)} | {' | '.join(ends)} | {often}, {times} of {len(values)} |"


def _markdown(rolls: Sequence[BookRoll]) -> Iterator[str]:
    yield f"| {' | '.join(_HEAD)} |\n|{'---|' * len(_HEAD)}"
    for roll in rolls:
        yield f"| {' | '.join(_row(roll))} |"


def _print_rolls(console: Console, rolls: Sequence[BookRoll]) -> None:
    table = table_for(console, _HEAD, words=("Best", "Next"), tight=True)
    for roll in rolls:
        dice, best, equity, next_best, loss = _row(roll)
        second = roll.plays[1].equity_loss if len(roll.plays) > 1 else 0.0
        table.add_row(dice, text_of(best, "bold green"), equity, next_best, text_of(loss, loss_style(second)))
    print_table(console, table)


def _row(roll: BookRoll) -> tuple[str, str, str, str, str]:
    best = roll.best
    error = best.equity_error or 0.0
    cells = words.dice_text(roll.dice), words.play_text(str(best.play)), f"{words.signed(best.equity)} ±{error:.3f}"
    if len(roll.plays) == 1:
        return (*cells, "", "")
    second = roll.plays[1]
    return (*cells, str(second.play), f"{words.signed(-second.equity_loss)} ±{roll.loss_errors[1]:.3f}")
