"""Exports: an analysed match in the forms that other programs and people read.

In: an `AnalysedMatch` and `ExportOptions`. Out: files, by name and content. `pages` decides what is said and how
numbers are written; a module for each form lays it out, by templates that a user may replace.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.checks import TEXT, Instance, Maybe
from sixprime.checks import path as path_of
from sixprime.errors import SettingsError
from sixprime.lazy import names_of
from sixprime.paths import expanded

if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch
    from sixprime.cube.met import MatchEquityTable
    from sixprime.report.export.forms import FORMS, form_for
    from sixprime.report.export.options import ExportOptions

_HOMES = {"forms": ("FORMS", "form_for"), "options": ("ExportOptions",)}

__all__ = ["FORMS", "ExportOptions", "export", "form_for", "render"]

__getattr__ = names_of(__name__, _HOMES)


def render(
    analysed: AnalysedMatch,
    form: str,
    name: str,
    options: ExportOptions | None = None,
    *,
    templates: str | Path | None = None,
    game: int | None = None,
    move: int | None = None,
    player: int | None = None,
    met: MatchEquityTable | None = None,
) -> Sequence[tuple[str, str | bytes]]:
    """The files of an export as names and contents; text is for UTF-8.

    form: one of `FORMS`. name: of the first file, others are called after it. templates: a folder with templates to be
    used instead of ours. game, move: only that game, only that position of it, as reports number them; player:
    0 or 1, whose move, by default of who moves first in it. met: the table of match equities where the
    analysis does not know its own, by default the usual one.
    Raises SettingsError for what does not exist or a template that is wrong.
    """
    from sixprime.analysis.labels import table_of
    from sixprime.report.export.forms import Job, form_for
    from sixprime.report.export.options import DEFAULT
    from sixprime.report.export.templating import templates_of

    name = _check(analysed, name, options, form, templates, met)
    analysed = analysed if analysed.met else replace(analysed, met=table_of(analysed.label, met))
    job = Job(analysed, name, options or DEFAULT, templates_of(templates), game, move, player)
    return form_for(form, Path(name)).render(job)


def export(
    analysed: AnalysedMatch,
    path: str | Path,
    options: ExportOptions | None = None,
    *,
    form: str | None = None,
    templates: str | Path | None = None,
    game: int | None = None,
    move: int | None = None,
    player: int | None = None,
    met: MatchEquityTable | None = None,
) -> list[Path]:
    """Writes an export and returns its files, each replaced in one step.

    form: by default that of the suffix. All else as for `render`. Raises SettingsError, too, for an unknown suffix
    and before it would replace the file that the match is from, OSError when a file cannot be written.
    """
    from sixprime.paths import write
    from sixprime.report.export.forms import form_for
    from sixprime.report.export.options import DEFAULT

    target = target_of(_check(analysed, path, options, form, templates, met), options or DEFAULT)
    known = form_for(form, target)
    where = {"game": game, "move": move, "player": player}
    files = render(analysed, known.name, target.name, options, templates=templates, met=met, **where)
    places = [target.parent / name for name, _ in files]
    for place in places:
        refuse_own(place, analysed.match.source)
    for place, (_, content) in zip(places, files, strict=True):
        write(place, content)
    return places


def _check(analysed: object, name: object, options: object, form: object, templates: object, met: object) -> str:
    """The name of the file. Raises SettingsError for arguments of another kind."""
    from sixprime.analysis.model import ANALYSED
    from sixprime.cube.met import MET
    from sixprime.report.export.options import ExportOptions

    ANALYSED("analysed", analysed)
    Maybe(Instance(ExportOptions))("options", options)
    Maybe(TEXT)("form", form)
    MET("met", met)
    Maybe(Instance((str, Path), "a folder"))("templates", templates)
    return path_of(name)


def refuse_own(place: Path, source: str) -> None:
    """Raises SettingsError where a file to be written is the one that is read."""
    if source and place.exists() and Path(source).exists() and place.samefile(source):
        raise SettingsError(f"{place} would replace the file that the match is from; name another one")


def target_of(path: str | Path, options: ExportOptions) -> Path:
    """Where a file goes: one without a folder into the one of the options."""
    target = Path(path)
    return expanded(options.folder) / target if target.parent == Path() and options.folder else target
