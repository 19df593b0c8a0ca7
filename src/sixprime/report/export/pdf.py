"""PDF: the whole match in one file, set by typst from a template, with the drawing of our boards."""

from __future__ import annotations

import re

from sixprime.errors import SettingsError
from sixprime.report.export.forms import Files, Job
from sixprime.report.export.pages import Board
from sixprime.report.svg import LIGHT, board_svg

TEMPLATE = "match.typ"
_DOT = re.compile(r'h0(?=[M"])')
"""Dots are lines without length, and typst leaves out a path of nothing but one."""


def render(job: Job) -> Files:
    """One file. Raises SettingsError without typst, and where a user's template is no typst."""
    try:
        import typst
    except ImportError:
        raise SettingsError("PDF needs the extra: pip install 'sixprime[pdf]'") from None
    text = typst_text(job)
    try:
        made = typst.compile(text.encode(), format="pdf", pdf_tags=False, timestamp=None if job.options.date else 0)
    except typst.TypstError as error:
        raise SettingsError(f"{TEMPLATE}: typst refuses the template: {error.message or error}") from None
    return [(job.name, bytes(made))]


def typst_text(job: Job) -> str:
    """What typst is given."""
    job.templates.check(TEMPLATE)

    def svg(board: Board) -> str:
        drawn = board_svg(board.position, board.state, bottom=1, bear_off=job.options.bear_off, theme=LIGHT)
        return _DOT.sub("h.01", drawn)

    def ids(board: Board | None) -> str:
        if board is None:
            return ""
        return f"Pips {board.pips[0]}, {board.pips[1]}   {board.position_id}:{board.match_id}"

    pages = [page for _, page in job.pages()]
    return job.templates.render(TEMPLATE, pages=pages, svg=svg, ids=ids, date=job.date)
