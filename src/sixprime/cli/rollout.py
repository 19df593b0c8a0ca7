"""`sixprime rollout`: play a position, plays or a cube decision out thousands of times."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from sixprime.cli._common import (
    TOGETHER,
    CubeModelName,
    ExecutorText,
    FilterName,
    Flag,
    MetName,
    NetName,
    Plies,
    Text,
    Threads,
    UsageError,
    check_double,
    check_target,
    complain,
    note,
    print_json,
    read_id,
    whole,
)
from sixprime.cli.judge import roll_text, split_roll, with_dice
from sixprime.errors import EngineError, SixprimeError
from sixprime.game import ParsedPosition, parse_play
from sixprime.progress import Hook, Progress
from sixprime.reading import TEXT, read_bytes, read_stdin
from sixprime.settings import make_engine

if TYPE_CHECKING:
    from sixprime.engine import Engine, RolloutResult, RolloutSettings

MaybeDepth = Annotated[int | None, whole(0, 4)]
Noise = Number(gte=0, lte=1)
Above = Annotated[float | None, Parameter(validator=Number(gt=0))]
_SAVE_EVERY = 30.0
"""Seconds between two savings of an unfinished rollout."""


@dataclass(frozen=True, slots=True)
class _Job:
    """One rollout to make. dice: None for a position or the cube decision."""

    parsed: ParsedPosition
    dice: tuple[int, int] | None
    cube: bool


@dataclass(frozen=True, slots=True)
class _What:
    """What is rolled out of a position."""

    dice: str | None = None
    """The same as an option."""
    play: list[str] | None = None
    """A play to roll out, such as "8/5 6/5"; may be given several times. By default the best ones are."""
    count: Annotated[int, whole(1, 1000)] = 5
    """How many of the best plays to roll out."""
    cube: Flag = False
    """Roll out the cube decision: no double against double, take."""


@dataclass(frozen=True, slots=True)
class _Games:
    """How the games are played, and how many."""

    trials: Annotated[int | None, whole(1)] = None
    """Games of each alternative; 1296 by default."""
    seed: Annotated[int | None, whole(0)] = None
    """Seed of the dice; 1 by default."""
    cubeless: Flag = False
    """Without cube."""
    plies: Plies = 0
    """How far chequer plays look ahead."""
    cube_plies: Plies = 0
    """How far cube decisions look ahead."""
    filter: FilterName = "normal"
    noise: Annotated[float, Parameter(validator=Noise)] = 0.0
    """By how much the players misjudge winning chances (standard deviation), such as 0.04 for games of weak ones."""
    opponent_plies: MaybeDepth = None
    """The same for the opponent of the player on roll; by default as for that player."""
    opponent_cube_plies: MaybeDepth = None
    """The same for the opponent's cube decisions."""
    opponent_noise: Annotated[float | None, Parameter(validator=Noise)] = None
    """The same for the opponent's noise."""
    later_turn: Annotated[int | None, whole(0)] = None
    """From this turn on (the first is 0) both play by the next two options; 5 where one of these is given."""
    later_plies: MaybeDepth = None
    """How far later chequer plays look ahead."""
    later_cube_plies: MaybeDepth = None
    """How far later cube decisions look ahead."""
    truncate: Annotated[int, whole(0)] = 0
    """Cut games after so many turns and judge what is there; 0 plays to the end."""
    truncate_plies: Plies = 0
    """How far that judgement looks ahead."""
    bearoff_exact: bool = True
    """End games that the two-sided bear-off database knows."""
    bearoff_one_sided: bool = True
    """In cubeless rollouts, end games that the one-sided database knows."""
    initial: Flag = False
    """Begin every game with an opening roll, never a double."""
    rotate: bool = True
    """Quasi-random dice: every 36 games have all first rolls, every 1,296 all pairs, every 46,656 all triples."""
    variance_reduction: bool = True
    """Take out the luck by looking one roll ahead."""
    branches: Annotated[int, whole(1, 64)] = 2
    """How often a game goes on whose cube is taken a second time, as few such games make most of the variance; twice as
    often with each further take. 1: once."""
    stop_error: Above = None
    """Stop when the standard error of the equity is at most this."""
    stop_jsd: Above = None
    """Give up alternatives behind the best by more than so many joint standard deviations."""
    minimum: Annotated[int | None, whole(2)] = None
    """Games before such a limit counts; 324 by default."""

    def settings(self) -> RolloutSettings:
        """Raises SettingsError."""
        from sixprime.settings.rollouts import rollout_settings

        return rollout_settings(asdict(self))


_LIMITS = ("trials", "stop_error", "stop_jsd", "minimum")
"""What may be said when a saved rollout goes on."""


@dataclass(frozen=True, slots=True)
class _Output:
    """What becomes of the result."""

    save: Annotated[Path | None, Parameter(metavar="OUT")] = None
    """Write the rollout to a new file, from which it can be shown or extended."""
    statistics: Flag = False
    """Show what happened in the games."""


@dataclass(frozen=True, slots=True)
class _Judge:
    """Who judges, where."""

    net: NetName = None
    met: MetName = None
    cube_model: CubeModelName = None
    json: Flag = False
    """Print one JSON object per rollout."""
    threads: Threads = None
    """How many threads to use; by default all cores."""
    executor: ExecutorText = None
    """Dask cluster that plays the games, such as dask://host:8786; see docs/cluster.md."""

    def engine(self) -> Engine:
        """The engine that these options describe."""
        return make_engine(
            self.net, threads=self.threads, met=self.met, cube_model=self.cube_model, executor=self.executor
        )

    @property
    def options(self) -> str:
        """What a command to go on needs of them."""
        values = {"--net": self.net, "--met": self.met, "--cube-model": self.cube_model}
        return "".join(f" {name} {shlex.quote(value)}" for name, value in values.items() if value)


def rollout(
    id: Text,
    /,
    *roll: str,
    what: Annotated[_What, TOGETHER] = _What(),
    games: Annotated[_Games, TOGETHER] = _Games(),
    output: Annotated[_Output, TOGETHER] = _Output(),
    judge: Annotated[_Judge, TOGETHER] = _Judge(),
) -> int:
    """Play a position out many times, several plays of a roll, or a cube decision, on the same dice.

    Parameters
    ----------
    id
        Position ID (then money play, centred cube), positionid:matchid, XGID, OGID or a FIBS board line; a file of
        them, one per line, with the dice behind an ID where plays are to be rolled out; or a file that `--save` wrote,
        to go on with it.
    roll
        Roll out the plays of this roll, such as 31 or 3 1; not needed when the ID has it.
    """
    what = replace(what, dice=roll_text(roll, what.dice))
    source, save = Path(id), output.save
    from sixprime.engine.rollout_result import is_saved

    goes_on = is_saved(source)
    if save:
        _check_target(save, source if goes_on else None)
    show = _Show(f"sixprime rollout {shlex.quote(str(save or source))}{judge.options}", output.statistics, judge.json)
    if goes_on:
        if roll:
            raise UsageError("a roll does not go with a saved rollout, which goes on as it began")
        return _extend(source, games, judge, save or source, show)
    jobs = _jobs(id, source, what.dice, what.cube)
    _check_jobs(jobs, what, games, output)
    settings = games.settings()
    engine = judge.engine()
    failures = 0
    for job in jobs:
        try:
            with _watch(save, json=judge.json) as watch:
                result = _roll_out(engine, job, what, settings, watch)
        except SixprimeError as error:
            if len(jobs) == 1 or isinstance(error, EngineError):
                raise  # without its cluster the others would fail, too
            complain(f"{job.parsed.position.id}: {error}")
            failures += 1
            continue
        saved = _save(result, save)
        failures += not saved
        show(result, goes_on=save is not None and saved)
        if not result.finished:
            return 1
    return 1 if failures else 0


def _check_jobs(jobs: list[_Job], what: _What, games: _Games, output: _Output) -> None:
    """Raises UsageError for options that do not go together."""
    if output.save and len(jobs) > 1:
        raise UsageError("--save takes one rollout; this file has several")
    if what.play and (len(jobs) > 1 or jobs[0].dice is None):
        raise UsageError("--play needs one ID and the dice")
    for text in what.play or ():
        assert jobs[0].dice is not None
        parse_play(text, jobs[0].parsed.position, jobs[0].dice)
    if games.cubeless and any(job.cube for job in jobs):
        raise UsageError("a cube decision cannot be rolled out without cube")
    if games.initial and any(job.cube or job.dice for job in jobs):
        raise UsageError("--initial is for rollouts of a position, not of plays or cube decisions")


def _check_target(path: Path, source: Path | None) -> None:
    """Raises an error if a rollout cannot be saved there: better now than after hours. source: what goes on."""
    check_target(path, "--save")
    if path.exists() and not (source and path.samefile(source)):
        raise UsageError(f"--save would overwrite {path}; a rollout in it goes on with: sixprime rollout {path}")


def _jobs(id: str, source: Path, dice: str | None, cube: bool) -> list[_Job]:
    """What to roll out. Raises UsageError, InvalidIdError and OSError."""
    if not _is_file(source) and id != "-":
        return [_job(id, dice, cube)]
    if dice is not None:
        raise UsageError("in a file the dice stand on its lines, after the ID")
    data = read_stdin(TEXT) if id == "-" else read_bytes(source, TEXT)
    text = data.decode("utf-8", errors="replace")
    jobs = []
    for number, line in enumerate(text.replace("\ufeff", "").splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            jobs.append(_job(*split_roll(line), cube))
        except (SixprimeError, UsageError) as error:
            raise UsageError(f"{'standard input' if id == '-' else source}:{number}: {error}") from None
    if not jobs:
        raise UsageError(f"{'standard input' if id == '-' else source} holds no ID")
    return jobs


def _is_file(path: Path) -> bool:
    """Whether there is something to read; what is no regular file is refused when it is read."""
    return os.path.exists(path) and not os.path.isdir(path)


def _job(id: str, dice: str | None, cube: bool) -> _Job:
    parsed = check_double(read_id(id))
    if cube and dice is not None:
        raise UsageError("a cube decision comes before the dice; leave out --cube or --dice")
    if dice is not None:
        parsed = with_dice(parsed, dice)
    return _Job(parsed, None if cube else parsed.dice, cube)


def _roll_out(
    engine: Engine,
    job: _Job,
    what: _What,
    settings: RolloutSettings,
    progress: Hook | None,
) -> RolloutResult:
    position, state = job.parsed.position, job.parsed.state.with_dice(None)
    if job.cube:
        return engine.rollout_cube(position, match=state, settings=settings, progress=progress)
    if job.dice is None:
        return engine.rollout(position, match=state, settings=settings, progress=progress)
    plays = [parse_play(text, position, job.dice) for text in what.play] if what.play else what.count
    return engine.rollout_plays(position, job.dice, plays, match=state, settings=settings, progress=progress)


def _extend(source: Path, games: _Games, judge: _Judge, save: Path, show: _Show) -> int:
    """Goes on with a saved rollout, or shows it when nothing is left to do."""
    from sixprime.engine.rollout_result import load

    engine = judge.engine()
    saved = load(source, engine.met if judge.met else None)
    changes = {name: value for name in _LIMITS if (value := getattr(games, name)) is not None}
    with _watch(save, json=judge.json) as watch:
        result = engine.extend_rollout(saved, progress=watch, **changes)
    changed = result.trials != saved.trials or result.settings != saved.settings or save != source
    kept = _save(result, save if changed else None)
    show(result, goes_on=kept)
    return 0 if kept and result.finished else 1


def _save(result: RolloutResult, path: Path | None) -> bool:
    """Writes the rollout, if there is where to; whether that went well. What is there must still be shown."""
    try:
        if path:
            result.save(path)
    except OSError as error:
        complain(error)
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Show:
    """Prints results. resume: the command to go on with."""

    resume: str
    statistics: bool
    json: bool

    def __call__(self, result: RolloutResult, *, goes_on: bool) -> None:
        """goes_on: whether there is a file to go on with."""
        from sixprime.report import render_rollout, rollout_to_dict

        if self.json:
            print_json(rollout_to_dict(result))
        else:
            render_rollout(result, statistics=self.statistics)
        if not result.finished:
            then = f"; go on with: {self.resume}" if goes_on else ""
            note(f"sixprime: interrupted after {result.trials} trials{then}")


@contextmanager
def _watch(save: Path | None, *, json: bool) -> Iterator[Hook | None]:
    """What looks at a rollout under way: saves it now and then, and shows its table on a terminal."""
    last = time.monotonic()

    def keep(step: Progress) -> None:
        nonlocal last
        if save and time.monotonic() - last > _SAVE_EVERY:
            last = time.monotonic()
            try:
                step.so_far.save(save)
            except OSError as error:
                complain(f"not saved yet: {error}")

    if json or not sys.stderr.isatty():
        yield keep if save else None
        return
    from rich.console import Console
    from rich.live import Live

    from sixprime.report import rollout_table

    console = Console(stderr=True)
    with Live(console=console, transient=True, refresh_per_second=4) as live:

        def show(step: Progress) -> None:
            result: RolloutResult = step.so_far
            table = rollout_table(result, console)
            table.caption = f"{result.trials:,} of {result.settings.trials:,} trials; Ctrl-C keeps what is there"
            live.update(table)
            keep(step)

        yield show
