"""`sixprime export`: matches, sessions, games and positions in the forms that other programs and people read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from sixprime.cli._common import (
    STDIN,
    TOGETHER,
    EncodingName,
    Flag,
    MaybeMove,
    UsageError,
    check_folder,
    note,
    progress,
    read_id,
    whole,
)
from sixprime.cli._judging import JUDGING_PLAYS, JudgePlays, JudgingPlays, refuse_judging
from sixprime.cli._output import must_write_files
from sixprime.cli._sources import say_problems
from sixprime.errors import InvalidIdError
from sixprime.paths import sample_match

# Boards, Css and Shown are the types of fields that the command line inherits and resolves here.
from sixprime.report.export.options import Boards as Boards
from sixprime.report.export.options import Css as Css
from sixprime.report.export.options import ExportOptions
from sixprime.report.export.options import Shown as Shown

if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch
    from sixprime.game import Match
    from sixprime.report.export.forms import Form

_SHOWN_PROBLEMS = 10


@dataclass(frozen=True, slots=True)
class _Options(ExportOptions):
    """What to show and how; whole numbers are read as those of other commands."""

    folder: Annotated[str, Parameter(show_default=False)] = ""
    """Folder of files that are named without one; by default the current one."""
    board: Annotated[int, whole(0, 1000)] = 1
    """Draw the board at every so many turns; 0: never."""
    moves_number: Annotated[int, whole(0, 10_000)] = 5
    """How many plays to list, the one that was made besides."""
    html_size: Annotated[int, whole(1, 20)] = 4
    """Size of the pictures of HTML boards, in multiples of 108 x 82."""
    png_size: Annotated[int, whole(1, 20)] = 4
    """Size of PNG pictures, the same."""
    output_digits: Annotated[int, whole(0, 6)] = 3
    """Digits after the point of equities, and of chances that are not in percent."""


def export(
    file: Annotated[str | None, Parameter(allow_leading_hyphen=True)] = None,
    /,
    *,
    output: Annotated[Path | None, Parameter(alias="-o", metavar="OUT", allow_leading_hyphen=True)] = None,
    format: Annotated[str | None, Parameter(metavar="FORMAT")] = None,
    formats: Flag = False,
    sample: Flag = False,
    game: Annotated[int | None, whole(1)] = None,
    move: MaybeMove = None,
    templates: Annotated[Path | None, Parameter(metavar="DIR")] = None,
    copy_templates: Annotated[Path | None, Parameter(metavar="DIR")] = None,
    html_images: Annotated[Path | None, Parameter(metavar="DIR")] = None,
    encoding: EncodingName = None,
    options: Annotated[_Options, TOGETHER] = _Options(),
    theirs: Flag = False,
    judge: JudgePlays = JUDGING_PLAYS,
) -> int:
    """Write a match, a session, a game or a position as text, HTML, LaTeX, PDF, pictures or tables.

    A match without an analysis of ours is analysed as by `sixprime analyse`.

    Parameters
    ----------
    file
        A file of a match or position, one that ends in .sixprime, an ID, or `-` for standard input.
    output
        What to write; games after the first go into files called OUT_002, OUT_003. `-` is standard output, for forms
        that are text.
    format
        The form, by default that of the suffix of OUT; on standard output text.
    formats
        List the forms.
    sample
        Export the match that ships with Sixprime.
    game
        Only the game of this number.
    move
        Only this move of the game, by default of the first, as reports number them: 12, or 12:2 for that of the second
        player; otherwise of who moves first in it.
    templates
        Folder of templates to be used instead of those built in.
    copy_templates
        Write the templates that are built in to this folder, to be changed there, and do nothing else.
    theirs
        Show the analysis that the file holds, of GNU Backgammon, XG or BGBlitz, and judge nothing.
    html_images
        Write all pictures that HTML boards are put together from to this folder, and do nothing else.
    """
    from sixprime.report.export import export as write_export
    from sixprime.report.export import form_for

    if formats:
        return _list_forms()
    if copy_templates is not None:
        return _copy_templates(copy_templates)
    if html_images is not None:
        from sixprime.report.export.pieces import write_all

        note(f"{len(write_all(html_images, options.html_size))} pictures: {html_images}")
        return 0
    if sample == (file is not None):
        raise UsageError(
            "name one file, or an ID, or use --sample" if file is None else f"--sample or {file}, not both"
        )
    if output is None:
        raise UsageError("name what to write with -o, such as -o match.txt")
    if output.is_dir():
        raise UsageError(f"-o {output} is a folder; name a file in it, such as -o {output / 'match.txt'}")
    how_judged = {"level": judge.level, "plies": judge.plies, "filter": judge.filter, "net": judge.net,
                  "cube_model": judge.cube_model}  # fmt: skip
    if file is not None and file.lower().endswith(".sixprime"):
        refuse_judging(f"{file} is shown as it was judged", **how_judged, theirs=theirs or None)
    if theirs:
        refuse_judging(**how_judged)
    judge.check()
    from sixprime.report.export import refuse_own, target_of

    printed = str(output) == STDIN
    target = Path("match.txt" if format is None else "match") if printed else target_of(output, options)
    form = form_for(format, target)
    if printed and not form.text:
        raise UsageError(f"{form.title} is no text, which standard output takes; name a file to write")
    if not printed:
        refuse_own(target, file or "")
        check_folder(target.parent, target)
    # A single move has no statistics.
    wanted = form.analysed and (options.analysis or (options.statistics and move is None))
    analysed = _analysed(str(sample_match()) if sample else str(file), judge, encoding, wanted=wanted, theirs=theirs)
    how: dict[str, Any] = {"templates": templates, "game": game, "met": judge.table}
    how |= {} if move is None else {"move": move.number, "player": move.player}
    if printed:
        return _print(analysed, form, target, options, how)
    must_write_files()
    written = write_export(analysed, output, options, form=form.name, **how)
    more = f" and {len(written) - 1} more" if len(written) > 1 else ""
    note(f"{form.title}: {written[0]}{more}")
    return 0


def _print(analysed: AnalysedMatch, form: Form, place: Path, options: ExportOptions, how: dict[str, Any]) -> int:
    """Writes what would go into files to standard output."""
    from sixprime.report.export import render

    # Pages that are printed are no files that could be linked.
    files = render(analysed, form.name, place.name, replace(options, links=False), **how)
    for name, text in files:
        # Pages alone, without their pictures and style sheets.
        if isinstance(text, str) and Path(name).suffix == place.suffix:
            print(text, end="" if text.endswith("\n") else "\n")
    return 0


def _list_forms() -> int:
    from sixprime.report.export import FORMS

    for form in FORMS.values():
        print(f"{form.name:<12} {' '.join(form.suffixes):<14} {form.title}")
    return 0


def _copy_templates(folder: Path) -> int:
    from sixprime.report.export.templating import copy

    for place in copy(folder):
        note(f"Template: {place}")
    return 0


def _analysed(source: str, judge: JudgingPlays, encoding: str | None, *, wanted: bool, theirs: bool) -> AnalysedMatch:
    """What to export. wanted: with its analysis. Raises SixprimeError, OSError."""
    path = Path(source)
    if path.suffix.lower() == ".sixprime":
        from sixprime.api import load_analysis

        return load_analysis(path)
    if source != STDIN and not path.exists():
        try:
            parsed = read_id(source)
        except InvalidIdError:
            if path.suffix or ("/" in source and ":" not in source):
                raise FileNotFoundError(2, "there is no such file", source) from None
            raise
        from sixprime.analysis.single import position_match

        return _judged(position_match(parsed.position, parsed.state), source, judge, wanted=wanted)
    from sixprime.formats import read

    match = read(source, encoding)
    say_problems(match.problems, "standard input" if source == STDIN else source, _SHOWN_PROBLEMS)
    if theirs:
        from sixprime.analysis.foreign import foreign

        return foreign(match, met=judge.table)
    return _judged(match, source, judge, wanted=wanted)


def _judged(match: Match, source: str, judge: JudgingPlays, *, wanted: bool) -> AnalysedMatch:
    """A match with the analysis of ours that it came with, or judged now; wanted: else without any."""
    from sixprime.analysis.single import judged_position, unjudged

    if not wanted:
        return unjudged(match, judge.table)
    if (alone := match.only_position) is not None:
        alone.position.check()
        return judged_position(match, judge.engine())
    from sixprime.analysis.kept import own_analysis
    from sixprime.api import analyse, rollouts_of
    from sixprime.settings import load

    marks = load().thresholds.thresholds()
    if (
        not judge.deep
        and (kept := own_analysis(match, met=judge.table, thresholds=marks)) is not None
        and kept.finished
    ):
        return kept
    with progress(f"Analysing {Path(source).name}") as report:
        engine = judge.engine()
        return analyse(match, engine, thresholds=marks, rollout=rollouts_of(engine), progress=report)
