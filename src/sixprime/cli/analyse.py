"""`sixprime analyse`: judge every decision of matches and report it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from sixprime.cli._common import (
    FilterName,
    Flag,
    Plies,
    Threads,
    UsageError,
    complain,
    make_engine,
    note,
    print_json,
    progress,
)
from sixprime.errors import SixprimeError

if TYPE_CHECKING:
    from sixprime.engine import Engine


_SHOWN_PROBLEMS = 10


def analyse(
    *files: Path,
    plies: Plies = 2,
    filter: FilterName = "normal",
    html: Annotated[Path | None, Parameter(alias="-o", metavar="OUT")] = None,
    json: Flag = False,
    sample: Flag = False,
    threads: Threads = None,
) -> int:
    """Judge every play and cube decision of both players, and the luck of every roll.

    Parameters
    ----------
    files
        Match files.
    plies
        How far to look ahead; 0 is the net alone.
    filter
        How many candidate plays are looked at closely.
    html
        Write a self-contained HTML report: a file, or with several matches a folder.
    json
        Print one JSON object per match instead of the summary.
    sample
        Analyse the match that ships with Sixprime.
    threads
        How many threads to use; by default all cores.
    """
    from sixprime.paths import sample_match

    sources = [*files, *([sample_match()] if sample else [])]
    if not sources:
        raise UsageError("name a match file, or use --sample")
    targets = _targets(sources, html)
    engine = cache(lambda: make_engine(plies=plies, filter=filter, threads=threads))
    failed = 0
    for source, target in zip(sources, targets, strict=True):
        try:
            _analyse_one(source, target, engine, plies=plies, filter=filter, json=json)
        except BrokenPipeError:
            raise
        except (SixprimeError, OSError) as error:
            # The other matches are analysed all the same.
            complain(error)
            failed += 1
    return 1 if failed else 0


def _analyse_one(
    source: Path, target: Path | None, engine: Callable[[], Engine], *, plies: int, filter: FilterName, json: bool
) -> None:
    from sixprime.analysis.analyse import analyse as judge
    from sixprime.formats import read
    from sixprime.report import render_html, render_terminal, to_dict

    match = read(source)
    for problem in match.problems[:_SHOWN_PROBLEMS]:
        note(f"sixprime: warning: {problem}")
    if len(match.problems) > _SHOWN_PROBLEMS:
        note(f"sixprime: warning: {len(match.problems) - _SHOWN_PROBLEMS} more problems in {source}")
    with progress(f"Analysing {source.name}") as report:
        analysed = judge(match, engine(), plies=plies, filter=filter, progress=report)
    if json:
        print_json(to_dict(analysed))
    else:
        render_terminal(analysed)
    if target:
        target.write_text(render_html(analysed), encoding="utf-8")
        if not json:
            note(f"Report: {target}")


def _targets(sources: list[Path], html: Path | None) -> list[Path | None]:
    """Where each match's HTML report goes."""
    if html is None:
        return [None] * len(sources)
    if len(sources) == 1 and not html.is_dir():
        return [html]
    html.mkdir(parents=True, exist_ok=True)
    targets: list[Path | None] = []
    for source in sources:
        target = html / f"{source.stem}.html"
        for count in range(2, len(sources) + 2):
            if target not in targets:
                break
            target = html / f"{source.stem}-{count}.html"
        targets.append(target)
    return targets
