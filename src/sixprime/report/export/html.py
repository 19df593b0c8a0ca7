"""XHTML in GNU Backgammon's form, with its CSS classes: a page for each game, one style sheet, boards of pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from sixprime.errors import SettingsError
from sixprime.report.export.forms import Files, Job
from sixprime.report.export.html_boards import indent, pictures
from sixprime.report.export.options import ExportOptions
from sixprime.report.export.pages import Board, Page
from sixprime.report.svg import board_css, board_defs, board_svg
from sixprime.report.words import lawful, xml_text

TEMPLATE, SHEET = "page.html", "gnubg.css"
_RULE = re.compile(r"^\s*\.(\w+)\s*\{([^{}]*)\}", re.MULTILINE)
_ADDRESS = re.compile(r"[a-z]+:|/|\\", re.IGNORECASE)


def render(job: Job) -> Files:
    """The pages, the style sheet where it is to be a file, and the pictures of boards that are ours.

    Raises SettingsError for pictures of boards that play the other way than asked.
    """
    if job.options.clockwise and job.options.html_type in ("gnu", "fibs2html"):
        raise SettingsError(
            f"clockwise: the pictures of html_type {job.options.html_type} have the home boards on the right; "
            "those of html_type svg (drawn) and bbs can be on the left"
        )
    job.templates.check(TEMPLATE, "turn.html", "comment.html", SHEET)
    sheet = job.templates.render(SHEET).strip()
    files: list[tuple[str, str | bytes]] = [(name, filled(TEMPLATE, job, page, sheet)) for name, page in job.pages()]
    if job.options.html_css == "external":
        files.append((SHEET, sheet + "\n"))
    if job.options.html_type == "gnu" and (folder := _folder(job.options.html_pictureurl)) is not None:
        from sixprime.report.export.pieces import PIECES, draw

        used = set(_pictures(str(content) for _, content in files))
        files += [(f"{folder}{name}", draw(name, job.options.html_size)) for name in PIECES if name in used]
    return files


def _folder(url: str) -> str | None:
    """The folder beside the pages that a URL of pictures names, None for an address elsewhere."""
    if _ADDRESS.match(url):
        return None
    folder = str(PurePosixPath(url)) if url else "."
    if url and not url.endswith("/"):
        raise SettingsError(f"html_pictureurl must end with a slash, or name no folder beside the pages. Got {url!r}.")
    return "" if folder == "." else f"{folder}/"


class _Look:
    """How the elements of a page look, and its boards."""

    def __init__(self, options: ExportOptions, rules: dict[str, str]) -> None:
        self.options, self.rules = options, rules
        self.inline = options.html_css == "inline"
        self.drawn = options.html_type == "svg"

    def attribute(self, names: str) -> str:
        """The attribute for some classes: it names them, or has their declarations."""
        if not names or not self.inline:
            return f' class="{names}"' if names else ""
        looks = "; ".join(self.rules[name] for name in names.split() if self.rules.get(name))
        return f' style="{xml_text(looks)}"' if looks else ""

    def board(self, shown: Board, names: Sequence[str]) -> str:
        """A board with its IDs."""
        options = self.options
        if not self.drawn:
            return pictures(shown, names, options.html_type, options.html_pictureurl, self.attribute)
        svg = board_svg(shown.position, shown.state, bottom=1, bear_off=options.bear_off, shared=not self.inline)
        pips = ", ".join(f"{xml_text(name)} {count}" for name, count in zip(names, shown.pips, strict=True))
        ids = f"Position ID: <tt>{shown.position_id}</tt> Match ID: <tt>{shown.match_id}</tt>"
        return (
            f'<div style="width: {108 * options.html_size}px">{svg}</div>\n\n'
            f"<p>Pip counts: {pips}<br/>\n<span{self.attribute('positionid')}>{ids}</span></p>"
        )


def filled(template: str, job: Job, page: Page, sheet: str, **more: object) -> str:
    """A template of HTML filled in with a page. sheet: the style sheet."""
    from markupsafe import Markup

    options = job.options
    rules = {name: " ".join(look.split()).rstrip("; ") for name, look in _RULE.findall(sheet)}
    look = _Look(options, rules)
    text = job.templates.render(
        template,
        page=page,
        board=lambda shown: Markup(look.board(shown, page.names)),
        look=lambda names: Markup(look.attribute(names)),
        indent=Markup(indent(options.html_type, options.html_pictureurl)),
        css=options.html_css,
        sheet=Markup(sheet),
        board_style=Markup(board_css()) if look.drawn and not look.inline else "",
        board_parts=Markup(board_defs()) if look.drawn and not look.inline else "",
        date=job.date,
        **more,
    )
    return lawful(text)


def _pictures(pages: Iterator[str]) -> Iterator[str]:
    for page in pages:
        yield from re.findall(r'src="[^"]*?(b-[\w-]+\.png)"', page)
