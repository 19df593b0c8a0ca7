"""Reports: one drawing of a board, and an analysed match as HTML, terminal text or JSON.

In: `AnalysedMatch`, or single results of the engine. Out: text; nothing here judges a position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime.lazy import names_of

if TYPE_CHECKING:
    from sixprime.report._save import save
    from sixprime.report.html import render_html
    from sixprime.report.json import to_dict
    from sixprime.report.position import render_cube, render_evaluation, render_hint
    from sixprime.report.rollout import render_rollout, rollout_table, rollout_to_dict
    from sixprime.report.rows import to_rows
    from sixprime.report.svg import board_svg
    from sixprime.report.terminal import match_text, render_terminal

_HOMES = {
    "html": ("render_html",),
    "rows": ("to_rows",),
    "json": ("to_dict",),
    "rollout": (
        "render_rollout",
        "rollout_table",
        "rollout_to_dict",
    ),
    "_save": ("save",),
    "svg": ("board_svg",),
    "terminal": (
        "match_text",
        "render_terminal",
    ),
    "position": ("render_cube", "render_evaluation", "render_hint"),
}

__all__ = [
    "board_svg",
    "match_text",
    "render_cube",
    "render_evaluation",
    "render_hint",
    "render_html",
    "render_rollout",
    "render_terminal",
    "rollout_table",
    "rollout_to_dict",
    "save",
    "to_dict",
    "to_rows",
]

__getattr__ = names_of(__name__, _HOMES)
