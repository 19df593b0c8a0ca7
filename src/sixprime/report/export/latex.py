"""LaTeX: the whole match in one file that needs no packages beyond those of every installation."""

from __future__ import annotations

from functools import partial

from sixprime.report.export.board import Scene
from sixprime.report.export.forms import Files, Job

TEMPLATE = "match.tex"


def render(job: Job) -> Files:
    """One file for all games."""
    job.templates.check(TEMPLATE)
    pages = [page for _, page in job.pages()]
    scene = partial(Scene, clockwise=job.options.clockwise)
    return [(job.name, job.templates.render(TEMPLATE, pages=pages, scene=scene, date=job.date))]
