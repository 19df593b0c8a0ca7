"""Plain text in GNU Backgammon's layout, one file for each game."""

from __future__ import annotations

from dataclasses import replace

from sixprime.report.export.board import board_text
from sixprime.report.export.forms import Files, Job
from sixprime.report.export.pages import Board, Page, Turn
from sixprime.report.templating import Templates

TEMPLATE = "text.txt"
TURN = "turn.txt"


def render(job: Job) -> Files:
    """A page for each game."""
    job.templates.check(TEMPLATE)
    return [
        (name, page_text(page, job.templates, job.date, clockwise=job.options.clockwise)) for name, page in job.pages()
    ]


def turn_text(turn: Turn, templates: Templates) -> str:
    """What is known of a turn: cube, dice and luck, plays, comment; without what was done and what to be warned of."""
    cube = None if turn.cube is None else replace(turn.cube, alert="")
    return templates.render(TURN, turn=replace(turn, text="", unjudged="", alerts=(), cube=cube))


def page_text(page: Page, templates: Templates, date: str, *, clockwise: bool = False) -> str:
    """One page. date: when it is made, empty to leave that out. clockwise: as `board_text` takes it."""

    def board(shown: Board) -> str:
        return board_text(shown.position, shown.state, page.names, clockwise=clockwise)

    return templates.render(TEMPLATE, page=page, board=board, date=date)
