"""HTML for a post at BGonline: no head, no style sheet, every look in its element, boards of GammOnLine's pictures."""

from __future__ import annotations

from dataclasses import replace

from sixprime.report.export.forms import Files, Job
from sixprime.report.export.html import SHEET, filled
from sixprime.report.export.options import DEFAULT

TEMPLATE = "forum.html"
_PICTURES = "../Images/"
"""Where the forum has them."""


def render(job: Job) -> Files:
    """A file for each game; of one position, what is said of it. Pictures are the forum's unless a URL is given."""
    job.templates.check(TEMPLATE, "turn.html", "comment.html", SHEET)
    given = job.options.html_pictureurl
    url = _PICTURES if given == DEFAULT.html_pictureurl else given
    job = replace(job, options=replace(job.options, html_type="bbs", html_css="inline", html_pictureurl=url))
    match = job.analysed.match
    sheet = job.templates.render(SHEET).strip()
    files = []
    for name, page in job.pages():
        kind = f"Match to {match.length} points" if match.length else "Money session"
        score = f"{kind} - {page.names[0]} {page.score[0]}, {page.names[1]} {page.score[1]}"
        files.append((name, filled(TEMPLATE, job, page, sheet, score=score)))
    return files
