"""`sixprime openings`: the openings and the replies to them, as rolled out by ourselves."""

from __future__ import annotations

from typing import Literal

from sixprime.cli._common import Flag, UsageError, print_json
from sixprime.cli.judge import dice_of
from sixprime.errors import SettingsError
from sixprime.game import parse_play

Score = Literal["money", "dmp", "gammon-go", "gammon-save", "all"]


def openings(
    roll: str | None = None,
    reply: str | None = None,
    /,
    *,
    after: str | None = None,
    score: Score = "money",
    markdown: Flag = False,
    json: Flag = False,
) -> int:
    """Look up the openings and the replies to them, as rolled out by ourselves.

    Parameters
    ----------
    roll
        The roll that begins the game, such as 31; without it the 15 openings are listed.
    reply
        The roll of the opponent; without it all 21 are listed.
    after
        The opening play that is replied to, such as "24/23 13/9", instead of the best one.
    score
        At which score, as the player sees it who opens: money, dmp (1-away 1-away), or the Crawford game at 2-away
        1-away: gammon-go for the trailer, gammon-save for the leader; or all, the openings side by side.
    markdown
        Print the tables of docs/openings.md, or of the page of another score.
    json
        Print one JSON object.
    """
    if markdown and json:
        raise UsageError("--markdown and --json are two ways to print: give one of them")
    from sixprime.learn import opening_book
    from sixprime.learn.openings import SCORES
    from sixprime.report import openings as report

    if score == "all":
        if roll is not None or after is not None:
            raise UsageError("--score all sets the openings side by side; leave out the roll, or name one score")
        books = [opening_book(each) for each in SCORES]
        if markdown:
            print(report.scores_page(books), end="")
        elif json:
            print_json({each.score: report.openings_to_dict(each) for each in books})
        else:
            report.render_scores(books)
        return 0
    book = opening_book(score)
    if roll is None:
        if after is not None:
            raise UsageError("--after goes with an opening roll, such as sixprime openings 41 --after '24/23 13/9'")
        if markdown:
            print(report.openings_page(book), end="")
        elif json:
            print_json(report.openings_to_dict(book))
        else:
            report.render_openings(book)
        return 0
    if markdown:
        raise UsageError("--markdown prints the whole book; leave out the roll")
    first = book.opening(dice_of(roll))
    opening = first.best
    if after is not None:
        play = parse_play(after, first.position, first.dice)
        found = next((each for each in first.plays if each.play == play), None)
        if found is None:
            raise SettingsError(
                f"{play} was not rolled out; of {roll} there are {', '.join(str(each.play) for each in first.plays)}"
            )
        opening = found
    if reply is None:
        if json:
            print_json(report.opening_to_dict(book, first, opening))
        else:
            report.render_opening(book, first, opening)
        return 0
    dice = dice_of(reply)
    answer = next((each for each in book.replies_to(opening.play) if set(each.dice) == set(dice)), None)
    if answer is None:
        raise SettingsError(f"the book has no replies to {opening.play} ({score})")
    if json:
        print_json(report.roll_to_dict(answer))
    else:
        report.render_book_roll(answer)
    return 0
