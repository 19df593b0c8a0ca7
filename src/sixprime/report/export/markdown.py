"""Markdown: the whole match in one file, boards in letters, analyses as tables."""

from __future__ import annotations

from sixprime.report.export.board import board_text
from sixprime.report.export.forms import Files, Job
from sixprime.report.export.pages import Board, Page

TEMPLATE = "match.md"


def render(job: Job) -> Files:
    """One file for all games."""
    job.templates.check(TEMPLATE)

    def board(shown: Board, page: Page) -> str:
        return board_text(shown.position, shown.state, page.names, clockwise=job.options.clockwise)

    text = job.templates.render(
        TEMPLATE,
        pages=[page for _, page in job.pages()],
        board=board,
        chances=job.options.moves_probabilities,
        date=job.date,
    )
    return [(job.name, text)]
