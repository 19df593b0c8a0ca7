"""Positions as PNG, `png_size` times 108 pixels wide."""

from __future__ import annotations

from sixprime.report.export.forms import Files, Job
from sixprime.report.export.svg import drawings
from sixprime.report.png import to_png


def render(job: Job) -> Files:
    """A file for each board. Raises SettingsError where the library for PNG is missing."""
    return [(name, to_png(drawing, width=108 * job.options.png_size)) for name, drawing in drawings(job)]
