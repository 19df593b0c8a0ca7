"""The forms of an export by name: what they are called, how they end, who makes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from pathlib import Path

from sixprime.analysis.model import AnalysedMatch
from sixprime.errors import SettingsError
from sixprime.formats import places_for
from sixprime.report.export.options import ExportOptions
from sixprime.report.export.pages import Page, linked, pages
from sixprime.report.templating import Templates


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be made. name: of the first file, without folder. game, move, player: as `pages` takes them."""

    analysed: AnalysedMatch
    name: str
    options: ExportOptions
    templates: Templates
    game: int | None = None
    move: int | None = None
    player: int | None = None

    def pages(self) -> list[tuple[str, Page]]:
        """The pages with the names of their files, linked with each other. Raises SettingsError."""
        where = {"game": self.game, "move": self.move, "player": self.player}
        made = pages(self.analysed, self.options, **where)
        names = [place.name for place in places_for(self.name, len(made))]
        if self.options.links:
            made = [linked(page, names) for page in made]
        return list(zip(names, made, strict=True))

    @property
    def date(self) -> str:
        """When it is made, empty where that is not to be written."""
        return f"{datetime.now():%Y-%m-%d %H:%M:%S}" if self.options.date else ""


Files = Sequence[tuple[str, str | bytes]]
"""Names, relative to the folder of the first, and contents."""


@dataclass(frozen=True, slots=True)
class Form:
    """One form. home: module of this room with `render`; analysed: whether it shows more than positions."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    home: str
    analysed: bool = True
    text: bool = True

    def render(self, job: Job) -> Files:
        """The files of a job, those of a page each first."""
        found: Callable[[Job], Files] = import_module(f"sixprime.report.export.{self.home}").render
        return found(job)


FORMS = {
    form.name: form
    for form in (
        Form("text", "Plain text in GNU Backgammon's layout", (".txt",), "text"),
        Form("html", "XHTML in GNU Backgammon's form, with its CSS classes", (".html", ".htm", ".xhtml"), "html"),
        Form("latex", "LaTeX that any installation compiles", (".tex", ".latex"), "latex"),
        Form("pdf", "PDF", (".pdf",), "pdf", text=False),
        Form("ps", "PostScript", (".ps",), "postscript"),
        Form("svg", "Positions as SVG", (".svg",), "svg", analysed=False),
        Form("png", "Positions as PNG", (".png",), "png", analysed=False, text=False),
        Form("xg", "XG's text of positions, for forums", (".xgtext",), "xg"),
        Form("bgonline", "HTML for a post at BGonline", (".bgo",), "forum"),
        Form("markdown", "Markdown, with boards in letters", (".md", ".markdown"), "markdown"),
        Form("csv", "All decisions as a table", (".csv",), "tables"),
        Form("parquet", "All decisions as a table for data frames", (".parquet",), "parquet", text=False),
    )
}


def form_for(name: str | None, path: Path) -> Form:
    """The form of a name or, without one, of the suffix of a file. Raises SettingsError."""
    if name is not None:
        if name in FORMS:
            return FORMS[name]
        raise SettingsError(f"there is no export format {name!r}; there are {', '.join(FORMS)}")
    suffix = path.suffix.lower()
    for form in FORMS.values():
        if suffix in form.suffixes:
            return form
    known = ", ".join(f"{form.suffixes[0]} ({form.name})" for form in FORMS.values())
    what = f"no export format has files that end in {suffix}" if suffix else f"{str(path)!r} has no suffix"
    raise SettingsError(f"{what}; there are {known}")
