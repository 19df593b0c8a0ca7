"""`sixprime analyse`: judge every decision of matches and report it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from sixprime.cli._common import (
    STDIN,
    TOGETHER,
    EncodingName,
    ExecutorText,
    Flag,
    MaybePlies,
    UsageError,
    check_folder,
    complain,
    note,
    print_json,
    progress,
    whole,
)
from sixprime.cli._judging import JUDGING_PLAYS, JudgePlays, JudgingPlays, refuse_judging
from sixprime.cli._output import must_write_files
from sixprime.cli._sources import Source, say_problems, sources_of
from sixprime.errors import InvalidFileError, SixprimeError
from sixprime.paths import readable, sample_match, settings_file, write
from sixprime.settings.analysing import depths_of, rollout_how, second_of

if TYPE_CHECKING:
    from sixprime.analysis.marked import Choice
    from sixprime.analysis.model import AnalysedMatch
    from sixprime.analysis.records import MatchRecord
    from sixprime.analysis.thresholds import Thresholds
    from sixprime.batch import Done, How, Task
    from sixprime.cube.met import MatchEquityTable
    from sixprime.engine import Engine
    from sixprime.game import Match
    from sixprime.game.record import Action
    from sixprime.report.units import Units
    from sixprime.store.library import Library, Noted

    _Alone = tuple[Source, Action, AnalysedMatch | None]

_SHOWN_PROBLEMS = 10
_TOGETHER = 32
"""Matches whose decisions go to a cluster at once."""
_FEW = 3
"""Matches of which each is shown in full; more of them get a line each, and go to several processes."""

_Depth = Annotated[str | None, Parameter(allow_leading_hyphen=True, metavar="DEPTH")]


@dataclass(frozen=True, slots=True)
class _Output:
    """How numbers are written, by the names of `sixprime export`."""

    output_mwc: bool = False
    """Write match-winning chances in place of equities, in matches; not with --json."""
    output_matchpc: bool = True
    """Write match-winning chances in percent."""
    output_digits: Annotated[int, whole(0, 6)] = 3
    """Digits of equities after the point; chances in percent have one less."""

    @property
    def units(self) -> Units:
        """These as reports take them."""
        from sixprime.report.units import Units

        return Units(self.output_mwc, self.output_matchpc, self.output_digits)


@dataclass(frozen=True, slots=True)
class _Rolling:
    """What is rolled out."""

    rollout: Flag = False
    """Roll out the decisions that are marked as doubtful or worse. Levels with rollouts do so anyway, their way."""
    rollout_of: Annotated[str | None, Parameter(metavar="WHICH", show_default=False)] = None
    """Roll out these decisions alone: doubtful, bad or very-bad for those marked so or worse, game and move for
    others, such as 7.12, or 7.12:2 for the second player's; several with commas between."""
    trials: Annotated[int | None, whole(36, 1_000_000, show_default=False)] = None
    """Games of each rollout, by default 324."""

    @property
    def wanted(self) -> bool:
        """Whether anything is, whatever the level does."""
        return self.rollout or self.rollout_of is not None

    @property
    def chosen(self) -> Choice | None:
        """What is, None for the doubtful. Raises SettingsError."""
        if self.rollout_of is None:
            return None
        from sixprime.analysis.marked import Choice

        return Choice.parse(self.rollout_of)


@dataclass(frozen=True, slots=True)
class _Writing:
    """What is written."""

    html: Annotated[str | None, Parameter(alias="-o", metavar="OUT")] = None
    """Write a self-contained HTML report: to a file that ends in .html or .htm, or into a folder, which a name is that
    exists as one, ends with a slash or has no suffix. Several matches need a folder, which gets an index.html."""
    templates: Annotated[Path | None, Parameter(metavar="DIR")] = None
    """Folder of templates for HTML reports and their index, used instead of those built in of the same names."""
    reproducible: Flag = False
    """Leave out the time it took, so that the same analysis gives the same report."""
    save: Annotated[str | None, Parameter(metavar="OUT")] = None
    """Write the analysis: to a file that ends in .sgf, which GNU Backgammon reads, or .sixprime, or into a folder.
    What is there already is not judged again where it is as close as asked."""
    save_as: Annotated[Literal["sgf", "sixprime"] | None, Parameter(show_default=False)] = None
    """What is written into the folder of --save, by default sgf."""

    @property
    def reports(self) -> _Place | None:
        """Where reports go."""
        return None if self.html is None else _place(self.html)

    @property
    def saved(self) -> _Place | None:
        """Where analyses go."""
        return None if self.save is None else _place(self.save, "--save", (".sgf", ".sixprime"))

    def check(self, *, json: bool) -> None:
        """Raises UsageError for options that would change nothing, SettingsError for templates that are wrong."""
        saved = self.saved
        if self.templates is not None:
            if self.reports is None:
                raise UsageError("--templates is for HTML reports; it goes with --html")
            from sixprime.report.templating import check_templates

            check_templates(self.templates)
        if self.reproducible and self.html is None and saved is None and not json:
            raise UsageError("--reproducible is for what is written; it goes with --html, --save or --json")
        if self.save_as is not None and (saved is None or not saved.folder):
            raise UsageError("--save-as says what is written into a folder; it goes with --save FOLDER/")

    def check_room(self, matches: int) -> None:
        """Raises UsageError where so many matches go into one file."""
        for place, option in ((self.reports, self.html), (self.saved, self.save)):
            if place is not None and not place.folder and matches > 1:
                raise UsageError(f"{matches} matches do not go into one file {option}; name a folder, such as reports/")


def analyse(
    *files: Annotated[Path, Parameter(allow_leading_hyphen=True)],
    judge: JudgePlays = JUDGING_PLAYS,
    cube_plies: MaybePlies = None,
    player1: _Depth = None,
    player2: _Depth = None,
    second: Annotated[str | None, Parameter(show_default=False)] = None,
    rolling: Annotated[_Rolling, TOGETHER] = _Rolling(),
    marks: Annotated[str | None, Parameter(metavar="MARKS")] = None,
    writing: Annotated[_Writing, TOGETHER] = _Writing(),
    library: Flag = False,
    again: Flag = False,
    theirs: Flag = False,
    by: str | None = None,
    disagreements: Flag = False,
    json: Flag = False,
    statistics: Literal["match", "games"] | None = None,
    output: Annotated[_Output, TOGETHER] = _Output(),
    sample: Flag = False,
    jobs: Annotated[int | None, whole(1, 1024)] = None,
    encoding: EncodingName = None,
    executor: ExecutorText = None,
) -> int:
    """Judge every play and cube decision of both players, and the luck of every roll.

    A position without a game is judged as by `sixprime hint` if it has a roll, else as by `sixprime eval`.

    Parameters
    ----------
    files
        Files of matches or positions, analyses that end in .sixprime, folders and patterns; `-` is standard input.
    cube_plies
        How far cube decisions look ahead, by default as far as plays do.
    player1
        How closely the first player is looked at: plies, such as 3, or of plays and cubes, 3/2, with a filter,
        3/2,large, plays or cubes not at all, -/2, or nothing: off.
    player2
        The same of the second player.
    second
        A level of play by name, from expert to roller++ (docs/search.md), that judges the decisions marked as
        doubtful or worse once more; by default none does.
    marks
        Where marks begin: gnubg, gnubg-1.06, galaxy, xg, or three losses such as 0.02,0.05,0.1.
    library
        Put the matches into your library (`sixprime library`). What is there already is not judged again where it is
        as close as asked.
    again
        Judge what has been judged before, too.
    theirs
        Judge nothing: report the analysis that the file holds.
    by
        Whose analysis of several, by a part of the program's name.
    disagreements
        Print where analyses by other programs, which came with the file, would do otherwise.
    json
        Print one JSON object per match instead of the summary.
    statistics
        Print all totals, too: of the match, or of each game as well.
    sample
        Analyse the match that ships with Sixprime.
    jobs
        How many matches to analyse at once; by default as many as there are threads.
    executor
        Dask cluster that does the work, such as dask://host:8786; see docs/cluster.md.
    """
    named = _named(files, sample=sample)
    sources = list(sources_of(named))
    if not sources:
        raise UsageError(f"there are no files in {', '.join(map(str, named))}")
    writing.check(json=json)
    if theirs:
        refuse_judging(
            **{name: value for name, value in asdict(judge).items() if name not in ("met", "threads")},
            cube_plies=cube_plies,
            player1=player1,
            player2=player2,
            second=second,
            rollout=rolling.rollout or None,
            rollout_of=rolling.rollout_of,
            trials=rolling.trials,
            again=again or None,
            executor=executor,
        )
    chosen = rolling.chosen
    rolls = rolling.wanted or _roll_out(judge.level, second)
    if rolling.trials is not None and not rolls:
        raise UsageError("--trials is for rollouts: it goes with --rollout, --rollout-of or a level that rolls out")
    if by is not None and not theirs:
        raise UsageError("--by says whose analysis --theirs reports; it goes with --theirs")
    judge.check(executor=executor)
    table, thresholds = judge.table, _thresholds(marks)
    depths = depths_of(judge.level, judge.plies, judge.filter, cube_plies, (player1, player2))
    deeper = second_of(second)
    from sixprime.formats import known_encoding

    if encoding is not None:
        known_encoding(encoding)

    # Step 1. Read everything; what cannot be read does not stop the rest.
    run = _Run(json=json, statistics=statistics, disagreements=disagreements, units=output.units)
    matches, positions = _read_all(sources, encoding, table, run)
    if not matches and not positions:
        return run.end()

    # Step 2. Judge and report match by match.
    reports, saved = writing.reports, writing.saved
    if reports is not None or saved is not None or library:
        must_write_files()
    writing.check_room(len(matches))
    indexed = reports is not None and reports.folder and (len(matches) > 1 or any(file.is_dir() for file in named))
    tasks = _tasks(matches, reports, saved, f".{writing.save_as or 'sgf'}", keep=indexed, json=json)
    shelf = None
    if library:
        from sixprime.store.library import Library

        shelf = Library()
        shelf.get_ready()
        tasks = [replace(task, library=shelf) for task in tasks]
    from sixprime.batch import How

    how = How(
        partial(_engine, judge),
        depths,
        None if deeper is None else deeper.depth,
        thresholds=thresholds,
        again=again,
        theirs=theirs,
        source=by or "",
        templates=writing.templates,
        reproducible=writing.reproducible,
        chosen=chosen,
        units=output.units,
        met=table,
    )
    for found_match in matches:
        _warn(found_match)
    processes = min(jobs or judge.threads or os.cpu_count() or 1, len(tasks))
    run.brief, run.total = len(tasks) > _FEW and statistics is None and not disagreements, len(tasks)
    if run.brief and processes > 1 and executor is None and (theirs or not rolls):
        run.at_once(tasks, how, processes)
    elif theirs:
        run.one_by_one(tasks, how, None)
    elif tasks or positions:
        engine = judge.engine(executor=executor)
        rolled, search_games = rollout_how(engine, deeper, wanted=rolling.wanted, trials=rolling.trials)
        how = replace(how, rollout=rolled, search_games=search_games)
        together = executor is not None and rolled is None and deeper is None
        run.one_by_one(_judged_together(tasks, how, engine) if together else tasks, how, engine)
    if indexed and reports is not None:
        run.write_index(reports.path, writing.templates)
    if run.lost:
        return run.end()
    for given, where in ((writing.html, "in the HTML report"), (writing.save, "in what --save writes")):
        if positions and given:
            note(f"sixprime: positions without a game are not {where}")
    if shelf is not None:
        positions, failed = _keep_judged(positions, shelf)
        run.failed += failed
    if positions and theirs:
        note("sixprime: --theirs judges nothing, positions without a game are left out")
    elif positions:
        run.failed += _judge_positions(positions, judge.engine(executor=executor), shelf, json=json)
    return run.end()


def _named(files: Sequence[Path], *, sample: bool) -> list[Path]:
    """What is to be read. Raises UsageError for options that there are not, and for nothing."""
    for file in files:
        if str(file).startswith("-") and str(file) != STDIN:
            raise UsageError(f"Unknown option: {file}. For a file of that name write ./{file}")
    named = [*files, *([sample_match()] if sample else [])]
    if not named:
        raise UsageError("name a match file, or use --sample")
    return named


@dataclass(frozen=True, slots=True)
class _Found:
    """A match of a file, and the analysis of ours that came with it."""

    source: Source
    match: Match
    known: AnalysedMatch | None


def _read_all(
    sources: Iterable[Source], encoding: str | None, met: MatchEquityTable | None, run: _Run
) -> tuple[list[_Found], list[_Alone]]:
    """Matches, and positions without a game; what cannot be read is said."""
    matches: list[_Found] = []
    positions: list[_Alone] = []
    for source in sources:
        try:
            for match, known in _read(source, encoding, met):
                if (alone := match.only_position) is not None:
                    positions.append((source, alone, known))
                elif not match.played:
                    run.fail(_name(source.path), InvalidFileError("holds no game to analyse", path=source.path))
                else:
                    matches.append(_Found(source, match, known))
        except (SixprimeError, OSError) as error:
            run.fail(_name(source.path), error)
    return matches, positions


def _read(
    source: Source, encoding: str | None, met: MatchEquityTable | None
) -> Iterator[tuple[Match, AnalysedMatch | None]]:
    """Every match of a file, with the analysis of ours that it holds. Raises SixprimeError, OSError."""
    from sixprime.analysis.kept import own_analysis
    from sixprime.batch import KEPT, read_kept

    if not source.refused and source.path.suffix.lower() == KEPT:
        known = read_kept(source.path)
        yield known.match, known
        return
    for match in source.matches(encoding):
        yield match, own_analysis(match, met=met)


def _engine(judge: JudgingPlays, threads: int | None) -> Engine:
    return replace(judge, threads=threads).engine()


def _thresholds(marks: str | None) -> Thresholds:
    """Those named, else those that are set."""
    from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, get_thresholds

    if marks is None and not settings_file().exists():
        return DEFAULT_THRESHOLDS
    from sixprime.settings import load

    return load().thresholds.thresholds() if marks is None else get_thresholds(marks)


def _roll_out(*levels: str | None) -> bool:
    """Whether one of the levels does. Raises SettingsError for one that there is not."""
    from sixprime.engine.presets import get_preset

    return any(get_preset(level).rollout is not None for level in levels if level is not None)


def _warn(found: _Found) -> None:
    """Says what is wrong with a match before it is judged."""
    from sixprime.api import doubts

    match, name = found.match, _name(found.source.path)
    say_problems(match.problems, name, _SHOWN_PROBLEMS)
    for doubt in doubts(match):
        note(f"sixprime: warning: {name}: {doubt}")


class _Run:
    """What is shown of the matches, and how it went. brief: a line for each match, and a table of the players."""

    def __init__(self, *, json: bool, statistics: str | None, disagreements: bool, units: Units) -> None:
        self._json, self._statistics, self._disagreements = json, statistics, disagreements
        self._units = units
        self.brief = False
        self.total = 0
        self.failed = 0
        self.lost = False
        self._failures: list[tuple[str, str]] = []
        self._records: list[MatchRecord] = []
        self._counted: dict[int, MatchRecord] = {}
        self._left = 0

    def fail(self, name: str, error: Exception | str) -> None:
        """Says what could not be done, and counts it."""
        complain(error)
        self.failed += 1
        self._failures.append((name, str(error)))

    def one_by_one(self, tasks: Iterable[Task], how: How, engine: Engine | None) -> None:
        """Judges matches in this process, each with all threads."""
        from sixprime.batch import do

        for number, task in enumerate(tasks):
            with progress(f"Analysing {task.name}") as report:
                done = do(task, how, engine, report)
            self._show(done)
            if done.lost or not done.finished:
                self._left = self.total - number - (0 if done.lost else 1)
                self.lost = True
                return

    def at_once(self, tasks: Sequence[Task], how: How, processes: int) -> None:
        """Judges matches in several processes."""
        from sixprime.batch import pool
        from sixprime.progress import Progress

        shown = 0
        try:
            with pool(processes, how) as workers, progress(f"Analysing {len(tasks)} matches") as report:
                for future in workers.run(tasks):
                    self._show(future.result())
                    shown += 1
                    if report is not None:
                        report(Progress(shown, len(tasks), "matches"))
        except BrokenProcessPool:
            self.fail("", "a process that analysed ended, perhaps for want of memory; try --jobs 1")
        except KeyboardInterrupt:
            self.lost = True
            self._left = len(tasks) - shown

    def _show(self, done: Done) -> None:
        from sixprime.report import render_terminal
        from sixprime.report.many import match_line

        if done.error:
            self.fail(done.task.name, done.error)
            return
        assert done.record is not None
        self._records.append(done.record)
        longer = done.begun if done.begun is not None and done.begun.longer else None
        if longer is None:
            # The library knows one match by its number, whatever files it comes in.
            self._counted[-len(self._records) if done.number is None else done.number] = done.record
        for reason in done.unwritten:
            self.fail(done.task.name, reason)
        if not self.brief:
            for path in done.written:
                if path == done.task.html:
                    note(f"Report: {path}")
                elif path in (done.task.save, done.task.keep):
                    note(f"Analysis: {path}")
                else:
                    note(f"Library: match {done.number}{_grown(done)}")
            if longer is not None:
                note(f"Library: match {longer.number} goes on from this one, and stays as it is")
        if done.object is not None:
            print_json(done.object)
        elif self.brief or done.analysed is None:
            kept = done.task.keep is not None or done.task.library is not None
            before = kept and not done.written and not done.unwritten
            number = "" if done.number is None else f", match {done.number}{_grown(done)}"
            if longer is not None:
                number = f", the beginning of match {longer.number}, which stays as it is"
            print(match_line(done.record, changed=not before) + number)
        else:
            least = done.analysed.thresholds.doubtful if self._disagreements else None
            render_terminal(done.analysed, statistics=self._statistics, disagreements=least, units=self._units)

    def write_index(self, folder: Path, templates: Path | None) -> None:
        """Writes index.html, which leads to all reports."""
        from sixprime.report.many import render_index

        target = folder / "index.html"
        try:
            write(target, render_index(self._records, self._failures, templates=templates))
            note(f"Index: {target}")
        except OSError as error:
            self.fail(target.name, error)

    def end(self) -> int:
        """The last words, and the exit status."""
        from sixprime.report.many import render_players

        if self.brief and not self._json and self._counted:
            render_players(list(self._counted.values()))
        if self.brief and self.failed:
            names = ", ".join(name for name, _ in self._failures if name)
            note(f"sixprime: {self.failed} of the files and matches could not be analysed: {names}")
        if self.lost:
            note("sixprime: ended early" + (f"; {self._left} of the matches not analysed" if self._left else ""))
        return 1 if self.failed or self.lost else 0


def _grown(done: Done) -> str:
    return "" if done.begun is None else ", in the place of its beginning"


def _keep_judged(positions: list[_Alone], shelf: Library) -> tuple[list[_Alone], int]:
    """Puts positions that were judged before into the library; those that were not, and how many were not kept."""
    failed = 0
    for source, _, known in positions:
        if known is not None and known.decisions:
            failed += not _keep_position(partial(shelf.keep_noted, known), source.path)
    return [each for each in positions if each[2] is None or not each[2].decisions], failed


def _judge_positions(positions: list[_Alone], engine: Engine, shelf: Library | None, *, json: bool) -> int:
    """Prints what there is to say about positions, and puts them into a library; with how many that failed."""
    failed = 0
    for source, action, _ in positions:
        done = _judge_position(engine, source.path, action, json=json)
        if done and shelf is not None:
            done = _keep_position(partial(shelf.keep_position, action.position, action.state, engine), source.path)
        failed += not done
    return failed


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


def _keep_position(keep: Callable[[], Noted], source: Path) -> bool:
    """Puts a position into the library; whether that went well."""
    try:
        note(f"Library: position {keep().found.match}")
    except (SixprimeError, OSError) as error:
        complain(f"{_name(source)}: {error}")
        return False
    return True


def _name(source: Path) -> str:
    return "standard input" if str(source) == STDIN else readable(source.name)


def _judged_together(tasks: Sequence[Task], how: How, engine: Engine) -> Iterator[Task]:
    """Tasks whose matches a cluster has judged in batches, which is what they then know."""
    for first in range(0, len(tasks), _TOGETHER):
        group = tasks[first : first + _TOGETHER]
        judged = _judge_together([task.match for task in group], engine, how)
        yield from (replace(task, ready=each) for task, each in zip(group, judged, strict=True)) if judged else group


def _judge_together(matches: list[Match], engine: Engine, how: How) -> list[AnalysedMatch]:
    """Matches judged in one batch; none when one of them cannot be judged, so that each is tried alone."""
    from sixprime.analysis.analyse import analyse_many

    try:
        with progress(f"Analysing {len(matches)} matches") as report:
            return analyse_many(matches, engine, depths=how.depths, thresholds=how.thresholds, progress=report)
    except SixprimeError:
        return []


@dataclass(frozen=True, slots=True)
class _Place:
    """Where files go: into one file or into a folder."""

    path: Path
    folder: bool


def _place(text: str, option: str = "--html", suffixes: tuple[str, ...] = (".html", ".htm")) -> _Place:
    """Which of the two a name means. Raises UsageError for a file with another suffix."""
    path = Path(text)
    if path.is_dir() or text.endswith(("/", "\\")) or not path.suffix:
        return _Place(path, folder=True)
    if path.suffix.lower() not in suffixes:
        raise UsageError(
            f"{option} writes a file that ends in {' or '.join(suffixes)}, or into a folder such as {path.stem}/; "
            f"got {text}"
        )
    return _Place(path, folder=False)


def _tasks(
    found: Sequence[_Found], reports: _Place | None, saved: _Place | None, suffix: str, *, keep: bool, json: bool
) -> list[Task]:
    """What to do with each match."""
    from sixprime.batch import KEPT, Task

    sources = [each.source.path for each in found]
    pages, analyses = _targets(sources, reports), _targets(sources, saved, suffix)
    return [
        Task(
            each.match,
            _name(each.source.path),
            each.known,
            html=page,
            save=analysis,
            keep=page.with_suffix(KEPT) if keep and page is not None else None,
            json=json,
        )
        for each, page, analysis in zip(found, pages, analyses, strict=True)
    ]


def _targets(sources: list[Path], place: _Place | None, suffix: str = ".html") -> list[Path | None]:
    """Where the file of each match goes, a name of its own in a folder, which must be usable."""
    if place is None:
        return [None] * len(sources)
    folder = place.path if place.folder else place.path.parent
    if folder.is_file():
        raise UsageError(f"{folder} is a file; a name without a suffix is that of a folder of pages")
    check_folder(folder, place.path)
    if not place.folder:
        return [place.path] * len(sources)
    targets: list[Path | None] = []
    taken = {"index"}
    for source in sources:
        stem = "match" if str(source) == STDIN else readable(source.stem)
        names = (f"{stem}{number}" for number in ("", *(f"-{i}" for i in range(2, len(sources) + 3))))
        name = next(name for name in names if name.casefold() not in taken)
        taken.add(name.casefold())
        targets.append(folder / f"{name}{suffix}")
    return targets
