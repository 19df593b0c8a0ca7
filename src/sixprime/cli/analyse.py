"""`sixprime analyse`: judge every decision of matches and report it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from sixprime.cli._common import (
    STDIN,
    CubeModelName,
    EncodingName,
    ExecutorText,
    Flag,
    LevelName,
    MaybeFilter,
    MaybePlies,
    MetName,
    NetName,
    Threads,
    UsageError,
    check_folder,
    complain,
    note,
    print_json,
    progress,
    sources_of,
    whole,
)
from sixprime.cli._output import must_write_files
from sixprime.errors import EngineError, SixprimeError
from sixprime.paths import sample_match, write
from sixprime.settings import check_settings, make_engine

if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch
    from sixprime.engine import Engine, RolloutSettings
    from sixprime.game import Match
    from sixprime.game.record import Action

_SHOWN_PROBLEMS = 10
_TOGETHER = 32
"""Matches whose decisions go to a cluster at once."""


def analyse(
    *files: Annotated[Path, Parameter(allow_leading_hyphen=True)],
    level: LevelName = None,
    plies: MaybePlies = None,
    filter: MaybeFilter = None,
    html: Annotated[str | None, Parameter(alias="-o", metavar="OUT")] = None,
    json: Flag = False,
    sample: Flag = False,
    rollout: Flag = False,
    trials: Annotated[int | None, whole(36, 1_000_000, show_default=False)] = None,
    net: NetName = None,
    met: MetName = None,
    cube_model: CubeModelName = None,
    encoding: EncodingName = None,
    threads: Threads = None,
    executor: ExecutorText = None,
) -> int:
    """Judge every play and cube decision of both players, and the luck of every roll.

    A position without a game is judged as by `sixprime hint` if it has a roll, else as by `sixprime eval`.

    Parameters
    ----------
    files
        Files of matches or positions, folders and patterns; `-` is standard input.
    plies
        How far to look ahead, instead of as far as the level does; 0 is the net alone.
    html
        Write a self-contained HTML report: to a file that ends in .html or .htm, or into a folder, which a name is that
        exists as one, ends with a slash or has no suffix. Several matches need a folder.
    json
        Print one JSON object per match instead of the summary.
    sample
        Analyse the match that ships with Sixprime.
    rollout
        Roll out the decisions that are marked as doubtful or worse. Levels with rollouts do so anyway, their way.
    trials
        Games of each rollout, by default 324.
    threads
        How many threads to use; by default all cores.
    executor
        Dask cluster that does the work, such as dask://host:8786; see docs/cluster.md.
    """
    for file in files:
        if str(file).startswith("-") and str(file) != STDIN:
            raise UsageError(f"Unknown option: {file}. For a file of that name write ./{file}")
    named = [*files, *([sample_match()] if sample else [])]
    if not named:
        raise UsageError("name a match file, or use --sample")
    sources = list(sources_of(named))
    if not sources:
        raise UsageError(f"there are no files in {', '.join(map(str, named))}")
    place = _place(html) if html is not None else None
    if trials is not None and not rollout:
        from sixprime.engine.presets import get_preset

        if level is None or get_preset(level).rollout is None:
            raise UsageError("--trials is for rollouts: it goes with --rollout or a level that rolls out")
    check_settings(net, level=level, filter=filter, met=met, cube_model=cube_model, executor=executor)
    from sixprime.formats import known_encoding

    if encoding is not None:
        known_encoding(encoding)

    # Step 1. Read everything; what cannot be read does not stop the rest.
    matches: list[tuple[Path, Match]] = []
    failures = 0
    for found in sources:
        try:
            matches += [(found.path, match) for match in found.matches(encoding)]
        except (SixprimeError, OSError) as error:
            complain(error)
            failures += 1
    positions = [(source, alone) for source, match in matches if (alone := match.only_position) is not None]
    matches = [(source, match) for source, match in matches if match.only_position is None]
    if not matches and not positions:
        return 1

    # Step 2. Judge and report match by match.
    if place is not None:
        must_write_files()
    if place is not None and not place.folder and len(matches) > 1:
        raise UsageError(f"{len(matches)} matches do not go into one file {html}; name a folder, such as reports/")
    targets = _targets([source for source, _ in matches], place)
    engine = make_engine(
        net, level=level, plies=plies, filter=filter, threads=threads, met=met, cube_model=cube_model, executor=executor
    )
    from sixprime.api import doubts, rollouts_of

    rollouts = rollouts_of(engine, wanted=rollout, trials=trials)
    together = executor and rollouts is None
    ready: dict[int, AnalysedMatch] = {}
    for i, ((source, match), target) in enumerate(zip(matches, targets, strict=True)):
        for problem in match.problems[:_SHOWN_PROBLEMS]:
            note(f"sixprime: warning: {problem}")
        if len(match.problems) > _SHOWN_PROBLEMS:
            note(f"sixprime: warning: {_name(source)}: {len(match.problems) - _SHOWN_PROBLEMS} more problems")
        for doubt in doubts(match):
            note(f"sixprime: warning: {_name(source)}: {doubt}")
        try:
            if together and i % _TOGETHER == 0:
                group = [match for _, match in matches[i : i + _TOGETHER]]
                ready |= dict(enumerate(_judge_together(group, engine), i))
            analysed = ready.pop(i, None) or _judge(match, engine, source, rollouts)
            failures += not _show(analysed, target, json=json)
        except EngineError as error:
            # The cluster is lost, for the matches to come, too.
            complain(f"{_name(source)}: {error}")
            return _leave(len(matches) - i)
        except (SixprimeError, OSError) as error:
            complain(f"{_name(source)}: {error}")
            failures += 1
        else:
            if not analysed.finished:
                return _leave(len(matches) - i - 1)
    if positions and html:
        note("sixprime: positions without a game are not in the HTML report")
    for source, action in positions:
        failures += not _judge_position(engine, source, action, json=json)
    return 1 if failures else 0


def _judge_position(engine: Engine, source: Path, action: Action, *, json: bool) -> bool:
    """Prints what there is to say about a position; whether that went well."""
    from sixprime.cli.judge import judge_position

    place = f"{_name(source)}, line {action.line}" if action.line else _name(source)
    if not json:
        print(f"\n{place}")
    try:
        judge_position(engine, action.position, action.state, {"file": str(source), "line": action.line}, json=json)
    except (SixprimeError, UsageError) as error:
        complain(f"{place}: {error}")
        return False
    return True


def _name(source: Path) -> str:
    return "standard input" if str(source) == STDIN else source.name


def _judge(match: Match, engine: Engine, source: Path, rollout: RolloutSettings | None) -> AnalysedMatch:
    """rollout: how doubtful decisions are rolled out."""
    from sixprime.api import analyse as judge
    from sixprime.settings import load

    marks = load().thresholds.thresholds()
    with progress(f"Analysing {_name(source)}") as report:
        return judge(match, engine, thresholds=marks, rollout=rollout, progress=report)


def _judge_together(matches: list[Match], engine: Engine) -> list[AnalysedMatch]:
    """Matches judged in one batch; none when one of them cannot be judged, so that each is tried alone."""
    from sixprime.analysis.analyse import analyse_many
    from sixprime.settings import load

    marks = load().thresholds.thresholds()
    try:
        with progress(f"Analysing {len(matches)} matches") as report:
            return analyse_many(
                matches, engine, plies=engine.plies, filter=engine.filter.text, thresholds=marks, progress=report
            )
    except EngineError:
        raise
    except SixprimeError:
        return []


def _leave(rest: int) -> int:
    """The last word of a run that ends early, and its exit status."""
    note("sixprime: ended early" + (f"; {rest} of the matches not analysed" if rest else ""))
    return 1


def _show(analysed: AnalysedMatch, target: Path | None, *, json: bool) -> bool:
    """Writes the report, then prints; whether the report could be written."""
    from sixprime.report import render_html, render_terminal, to_dict

    written = True
    if target:
        try:
            write(target, render_html(analysed))
            note(f"Report: {target}")
        except OSError as error:
            complain(error)
            written = False
    if json:
        print_json(to_dict(analysed))
    else:
        render_terminal(analysed)
    return written


@dataclass(frozen=True, slots=True)
class _Place:
    """Where HTML reports go: into one file or into a folder."""

    path: Path
    folder: bool


def _place(text: str) -> _Place:
    """Which of the two a name means. Raises UsageError for a file that is no .html."""
    path = Path(text)
    if path.is_dir() or text.endswith(("/", "\\")) or not path.suffix:
        return _Place(path, folder=True)
    if path.suffix.lower() not in (".html", ".htm"):
        raise UsageError(
            f"--html writes a file that ends in .html or .htm, or into a folder such as {path.stem}/; got {text}"
        )
    return _Place(path, folder=False)


def _targets(sources: list[Path], place: _Place | None) -> list[Path | None]:
    """Where the HTML report of each match goes, a name of its own in a folder; makes the folder."""
    if place is None:
        return [None] * len(sources)
    folder = place.path if place.folder else place.path.parent
    folder.mkdir(parents=True, exist_ok=True)
    check_folder(folder, place.path)
    if not place.folder:
        return [place.path]
    targets: list[Path | None] = []
    for source in sources:
        stem = "match" if str(source) == STDIN else source.stem
        names = (f"{stem}{number}.html" for number in ("", *(f"-{i}" for i in range(2, len(sources) + 1))))
        targets.append(next(folder / name for name in names if folder / name not in targets))
    return targets
