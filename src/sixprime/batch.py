"""Matches judged one by one, reported and kept: in this process, or many at once in several.

In: matches and how they are looked at. Out: for each a `Done`, in the order of the matches. What an earlier run kept is
used where it is as close as asked; what is done already is not written again.
"""

from __future__ import annotations

import gc
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sixprime.analysis.depth import Depth, Depths
from sixprime.analysis.foreign import OWN, foreign, is_own, sources
from sixprime.analysis.kept import own_analysis, same_game, with_analysis
from sixprime.analysis.marked import Choice, roll_out_marked
from sixprime.analysis.model import AnalysedMatch, Decision
from sixprime.analysis.records import MatchRecord, record_of
from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, Thresholds
from sixprime.errors import EngineError, InvalidFileError, SettingsError, SixprimeError, StoppedError
from sixprime.game.record import Match
from sixprime.paths import write
from sixprime.report.units import EMG, Units

if TYPE_CHECKING:
    from sixprime.cube.met import MatchEquityTable
    from sixprime.engine import Engine, RolloutSettings
    from sixprime.progress import Hook, Stop
    from sixprime.store.library import Library
    from sixprime.store.relational import Begun

_RARELY = 200_000
"""Objects after which a process that judges looks for cycles."""
_SGF = 1e-4
"""What an error may differ by that was written as SGF."""
KEPT = ".sixprime"
"""Suffix of analyses that are kept in full."""


@dataclass(frozen=True, slots=True)
class How:
    """How matches are analysed.

    make: the engine for so many threads; something that can be pickled. depths, second, rollout, search_games,
    thresholds: as in `analysis.analyse`. again: judge what an earlier run has judged, too. theirs: judge nothing, take
    the analysis that the file holds, that whose name has `source` in it or the first. templates: folder of those used
    for reports in place of ours. reproducible: leave out the time it took. chosen: what `rollout` is for, None for the
    doubtful. units: of what decisions are worth, in reports. met: for analyses that files hold.
    """

    make: Callable[[int | None], Engine]
    depths: Depths
    second: Depth | None = None
    rollout: RolloutSettings | None = None
    search_games: int | None = None
    thresholds: Thresholds = DEFAULT_THRESHOLDS
    again: bool = False
    theirs: bool = False
    source: str = ""
    templates: Path | None = None
    reproducible: bool = False
    chosen: Choice | None = None
    units: Units = EMG
    met: MatchEquityTable | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """A match, and where what comes of it goes.

    name: of its file. known: an analysis that came with it; ready: one that was made just now. html: the report;
    save: the analysis, as SGF or in full; keep: the analysis in full, for the next run; None for nothing. json:
    whether the JSON object is wanted. library: the one it goes into, None for none.
    """

    match: Match
    name: str
    known: AnalysedMatch | None = None
    ready: AnalysedMatch | None = None
    html: Path | None = None
    save: Path | None = None
    keep: Path | None = None
    json: bool = False
    library: Library | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a task.

    analysed: in this process only. object: for JSON. written: files; unwritten: why others could not be. number: of the
    match in the library; begun: the one there that was its beginning, or that goes on from it. error: why the match
    could not be analysed, empty otherwise; lost: nothing after it can be either.
    """

    task: Task
    analysed: AnalysedMatch | None = None
    record: MatchRecord | None = None
    object: dict[str, Any] | None = None
    written: tuple[Path, ...] = ()
    unwritten: tuple[str, ...] = ()
    number: int | None = None
    begun: Begun | None = None
    error: str = ""
    lost: bool = False

    @property
    def finished(self) -> bool:
        """Whether nothing was left out by an interrupt."""
        return self.record is None or self.record.finished


def read_kept(path: Path, met: MatchEquityTable | None = None) -> AnalysedMatch:
    """The analysis in a file that ends in .sixprime, or in an SGF file of ours, judged with the default table or
    another. Raises InvalidFileError, OSError."""
    if path.suffix.lower() == KEPT:
        from sixprime import codec

        return codec.load(path, AnalysedMatch)
    from sixprime.formats import read

    found = own_analysis(read(path), met=met)
    if found is None:
        raise InvalidFileError("holds no analysis of ours", path=path)
    return found


def check_save(path: Path, match: Match) -> None:
    """Raises InvalidFileError where a file is there that is not an analysis of this match: it is not replaced."""
    if not path.exists():
        return
    try:
        if path.suffix.lower() == KEPT:
            was = read_kept(path).match
        else:
            from sixprime.formats import read

            was = read(path)
    except SixprimeError:
        raise InvalidFileError("is there already, and is no match; name another file", path=path) from None
    if len(was.games) != len(match.games) or not all(map(same_game, was.games, match.games)):
        raise InvalidFileError("is there already, and holds another match; name another file", path=path)
    if path.suffix.lower() != KEPT and (other := next((s for s in sources(was) if not is_own(s)), None)):
        raise InvalidFileError(f"holds the analysis of {other}, which would be lost; name another file", path=path)


def do(task: Task, how: How, engine: Engine | None, progress: Hook | None = None, stop: Stop | None = None) -> Done:
    """Judges a match and writes what is wanted of it. engine: needed unless `how.theirs`."""
    try:
        if task.save is not None:
            check_save(task.save, task.match)
        shelf = _shelf(task)
        begun = task.library.begun(task.match) if task.library is not None else None
        other = task.library.place(begun.checksum) if task.library is not None and begun is not None else None
        kept = _kept(task, other, how.met)
        crossed = (begun is not None and begun.crossed) or (shelf in kept and _crossed(kept[shelf].match, task.match))
        if crossed:
            # In the library everybody keeps his seat, whatever a file says.
            task = replace(task, match=task.match.reseated(), known=None, ready=None)
            how = replace(how, depths=how.depths[::-1])
            engine = engine and engine.reseated()
        found = [*kept.values(), *([task.known] if task.known is not None else [])]
        known = None if how.again else max(found, key=_closeness, default=None)
        analysed = task.ready or (
            _theirs(task, how, crossed) if how.theirs else _judged(task, how, engine, known, progress, stop)
        )
        if how.reproducible:
            analysed = replace(analysed, seconds=0.0)
        goes_in = begun is None or (analysed.finished and not begun.longer)
        written, unwritten = _write(task, analysed, kept, how, shelf if goes_in else None)
        number = task.library.number(shelf.stem) if task.library is not None and shelf is not None else None
    except EngineError as error:
        return Done(task, error=f"{task.name}: {error}", lost=True)
    except (SixprimeError, OSError) as error:
        return Done(task, error=_named(task.name, error))
    from sixprime.report import to_dict, words

    places = _places(analysed) if task.html is not None else None
    record = record_of(
        analysed,
        task.name,
        words.names(task.match),
        words.final_score(task.match),
        task.html.name if task.html is not None else "",
        places,
    )
    return Done(task, analysed, record, to_dict(analysed) if task.json else None, written, unwritten, number, begun)


def _named(name: str, error: SixprimeError | OSError) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or name}: {error.strerror}"
    text = str(error)
    return text if isinstance(error, InvalidFileError) and error.path else f"{name}: {text}"


def _kept(task: Task, other: Path | None, met: MatchEquityTable | None) -> dict[Path, AnalysedMatch]:
    """The analyses that earlier runs have left, those first whose numbers have all their digits. other: that of a match
    which begins like this one."""
    found = {}
    for path in (_shelf(task), task.keep, task.save, other):
        if path is not None and path.exists():
            with suppress(SixprimeError):
                found[path] = read_kept(path, met)
    return found


def _closeness(analysed: AnalysedMatch) -> tuple[int, int]:
    depths = analysed.depths or ()
    return len(analysed.games), sum((depth.plies or 0) + (depth.cube_plies or 0) for depth in depths)


def _judged(
    task: Task,
    how: How,
    engine: Engine | None,
    known: AnalysedMatch | None,
    progress: Hook | None,
    stop: Stop | None,
) -> AnalysedMatch:
    from sixprime.analysis.analyse import analyse

    assert engine is not None
    analysed = analyse(
        task.match,
        engine,
        depths=how.depths,
        second=how.second,
        thresholds=how.thresholds,
        known=known,
        rollout=None if how.rollout is None or how.chosen is not None else (engine, how.rollout),
        search_games=how.search_games,
        progress=progress,
        stop=stop,
    )
    if how.chosen is None or how.rollout is None or not analysed.finished:
        return analysed
    marks = how.chosen.marks(analysed, how.rollout.trials)
    try:
        return roll_out_marked(analysed, marks, engine, how.rollout, progress=progress, stop=stop)
    except StoppedError:
        return replace(analysed, finished=False)


def _theirs(task: Task, how: How, crossed: bool) -> AnalysedMatch:
    """The analysis that the file holds, whose players have changed seats if `crossed`. Raises SettingsError where there
    is none."""
    if task.known is not None and how.source.casefold() in OWN.casefold():
        return task.known
    known = sources(task.match)
    wanted = [name for name in known if how.source.casefold() in name.casefold()]
    if not wanted:
        held = f"; there are those of {', '.join(known)}" if known else ""
        raise SettingsError(f"the file holds no analysis{f' by {how.source}' if how.source else ''}{held}")
    # Our own says itself that the players have changed seats since.
    met = how.met.swapped() if how.met is not None and crossed and not is_own(wanted[0]) else how.met
    return foreign(task.match, wanted[0], met=met, thresholds=how.thresholds)


def _write(
    task: Task, analysed: AnalysedMatch, kept: Mapping[Path, AnalysedMatch], how: How, shelf: Path | None
) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Writes the files of a task that are not there as they should be: what was written, and why other files were not.

    kept: what is there. shelf: where it goes in the library, None where it does not.
    """
    written: list[Path] = []
    unwritten: list[str] = []

    def attempt(path: Path, action: Callable[[], object]) -> None:
        try:
            action()
            written.append(path)
        except (SixprimeError, OSError) as error:
            unwritten.append(_named(str(path), error))

    for path in (task.save, task.keep):
        if path is not None and (
            path not in kept or not _alike(kept[path], analysed, exactly=path.suffix.lower() == KEPT)
        ):
            attempt(path, partial(save_analysis, analysed, path))
    library = task.library
    if library is not None and shelf is not None:
        best = kept[shelf] if shelf in kept and _covers(kept[shelf], analysed) else analysed
        if best is analysed or not library.searches(best):
            attempt(shelf, partial(library.keep, best))
    html = task.html
    other = how.again or how.templates is not None or how.units != EMG
    if html is not None and (task.keep is None or task.keep in written or other or not html.exists()):
        attempt(html, partial(_write_html, analysed, html, how))
    return tuple(written), tuple(unwritten)


def _shelf(task: Task) -> Path | None:
    """Where the library has the match."""
    if task.library is None:
        return None
    from sixprime.store.identity import checksum

    return task.library.place(checksum(task.match))


def _write_html(analysed: AnalysedMatch, path: Path, how: How) -> None:
    from sixprime.report import render_html

    write(path, render_html(analysed, templates=how.templates, units=how.units))


def _alike(one: AnalysedMatch, other: AnalysedMatch, *, exactly: bool = True) -> bool:
    """Whether two analyses of a match judge alike, and as closely; exactly: to the last digit, which SGF does not
    have."""
    if (one.thresholds, one.finished, one.depths) != (other.thresholds, other.finished, other.depths):
        return False
    if len(one.decisions) != len(other.decisions):
        return False
    pairs = zip(one.decisions, other.decisions, strict=True)
    if exactly:
        return all(_judgement(a) == _judgement(b) for a, b in pairs)
    return all(_verdict(a) == _verdict(b) and abs(a.error - b.error) < _SGF for a, b in pairs)


def _verdict(decision: Decision) -> tuple[object, ...]:
    """What was decided, and how well."""
    return decision.kind, decision.chosen, decision.best, decision.skill


def _covers(one: AnalysedMatch, other: AnalysedMatch) -> bool:
    """Whether an analysis need not give way to another one of the same match."""
    if one.finished and not other.finished:
        return True
    return _closeness(one) >= _closeness(other) and _alike(replace(one, depths=other.depths), other)


def _crossed(one: Match, other: Match) -> bool:
    """Whether the players of a match have changed seats in another record of it."""
    firsts = [next((a.player for game in match.games for a in game.actions), None) for match in (one, other)]
    return firsts[0] != firsts[1]


def _judgement(decision: Decision) -> tuple[object, ...]:
    best = decision.plays[0] if decision.plays and not decision.forced else decision.cube
    how = (best.plies, best.trials) if best is not None else ()
    # Older analyses may have phases that began elsewhere.
    where = (decision.phase, decision.plan)
    return decision.action, decision.kind, decision.error, decision.luck, how, where


def save_analysis(analysed: AnalysedMatch, path: Path) -> None:
    """Writes an analysis as the suffix says: .sgf, as GNU Backgammon reads it, or .sixprime, in full and packed."""
    if path.suffix.lower() == KEPT:
        from sixprime import codec

        codec.save(analysed, path, packed=True)
        return
    from sixprime.formats import render

    (text,) = render([with_analysis(analysed)], "sgf")
    write(path, text)


def _places(analysed: AnalysedMatch) -> dict[tuple[int, int], str]:
    """Where decisions stand in the HTML report, by game and action."""
    from sixprime.report.movelist import move_lists

    return {
        (decision.game, decision.action): cell.id
        for rows in move_lists(analysed)
        for row in rows
        for cell in row.cells
        for decision in cell.decisions
    }


# Many at once


@dataclass(slots=True)
class _Worker:
    """What a process has: how it judges, its engine once it is needed, and the stop of all."""

    how: How | None = None
    stop: Any = None
    engine: Engine | None = None


_worker = _Worker()


def _begin(how: How, stop: Any) -> None:
    # Ctrl-C reaches the whole group of processes; the first one says what to do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker.how, _worker.stop = how, stop
    # Judged decisions hold no cycles: looking for them among so many objects takes a tenth of the time.
    gc.set_threshold(_RARELY)


def _work(task: Task) -> Done:
    how = _worker.how
    assert how is not None
    if _worker.stop.is_set():
        return Done(task, error=f"{task.name}: not analysed", lost=True)
    try:
        if _worker.engine is None and not how.theirs:
            _worker.engine = how.make(1)
        done = do(task, how, _worker.engine, stop=_worker.stop)
    except SixprimeError as error:
        return Done(replace(task, known=None), error=f"{task.name}: {error}")
    # What goes back to the first process has no games in it.
    return replace(done, analysed=None, task=replace(task, match=replace(task.match, games=()), known=None))


@dataclass(slots=True)
class Pool:
    """Processes that work through tasks; `stop` ends them with what is done kept."""

    processes: int
    how: How
    _executor: ProcessPoolExecutor = field(init=False)
    _stop: Any = field(init=False)

    def __post_init__(self) -> None:
        context = get_context("spawn")
        self._stop = context.Event()
        self._executor = ProcessPoolExecutor(
            self.processes, mp_context=context, initializer=_begin, initargs=(self.how, self._stop)
        )

    def run(self, tasks: Sequence[Task]) -> Iterator[Future[Done]]:
        """The outcome of each task in order, as soon as those before it are there."""
        yield from [self._executor.submit(_work, task) for task in tasks]

    def stop(self) -> None:
        """Begins nothing more, and has what is under way leave what it has."""
        self._stop.set()

    def close(self) -> None:
        """Waits for what is under way."""
        self._executor.shutdown(cancel_futures=True)


@contextmanager
def pool(processes: int, how: How) -> Iterator[Pool]:
    """A pool that is stopped and closed at the end."""
    found = Pool(processes, how)
    try:
        yield found
    finally:
        found.stop()
        found.close()
