"""`sixprime rollout`: play a position, plays or a cube decision out thousands of times."""

from __future__ import annotations

import inspect
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from sixprime.cli._common import (
    CubeModelName,
    ExecutorText,
    FilterName,
    Flag,
    MetName,
    NetName,
    Text,
    Threads,
    UsageError,
    complain,
    make_engine,
    note,
    print_json,
    read_id,
    whole,
)
from sixprime.cli.judge import roll_text, split_roll, with_dice
from sixprime.errors import EngineError, InvalidFileError, SixprimeError
from sixprime.game import ParsedPosition, parse_play
from sixprime.progress import Hook, Progress
from sixprime.reading import TEXT, opened, read_bytes, read_stdin

if TYPE_CHECKING:
    from sixprime.engine import Engine, RolloutResult

Depth = Annotated[int, whole(0, 4)]
MaybeDepth = Annotated[int | None, whole(0, 4)]
Above = Annotated[float | None, Parameter(validator=Number(gt=0))]
_SAVE_EVERY = 30.0
"""Seconds between two savings of an unfinished rollout."""
_ANEW = {
    *("id", "trials", "stop_error", "stop_jsd", "minimum", "save", "statistics", "json"),
    *("net", "met", "cube_model", "threads", "executor"),
}
"""What may be said when a saved rollout goes on."""


@dataclass(frozen=True, slots=True)
class _Job:
    """One rollout to make. dice: None for a position or the cube decision."""

    parsed: ParsedPosition
    dice: tuple[int, int] | None
    cube: bool


def rollout(
    id: Text,
    /,
    *roll: str,
    dice: str | None = None,
    play: Annotated[list[str] | None, Parameter(negative="")] = None,
    count: Annotated[int, whole(1, 1000)] = 5,
    cube: Flag = False,
    trials: Annotated[int | None, whole(1)] = None,
    seed: Annotated[int | None, whole(0)] = None,
    cubeless: Flag = False,
    plies: Depth = 0,
    cube_plies: Depth = 0,
    filter: FilterName = "normal",
    noise: Annotated[float, Parameter(validator=Number(gte=0, lte=1))] = 0.0,
    opponent_plies: MaybeDepth = None,
    opponent_cube_plies: MaybeDepth = None,
    opponent_noise: Annotated[float | None, Parameter(validator=Number(gte=0, lte=1))] = None,
    later_turn: Annotated[int | None, whole(0)] = None,
    later_plies: MaybeDepth = None,
    later_cube_plies: MaybeDepth = None,
    truncate: Annotated[int, whole(0)] = 0,
    truncate_plies: Depth = 0,
    bearoff_exact: bool = True,
    bearoff_one_sided: bool = True,
    initial: Flag = False,
    rotate: bool = True,
    variance_reduction: bool = True,
    branches: Annotated[int, whole(1, 64)] = 2,
    stop_error: Above = None,
    stop_jsd: Above = None,
    minimum: Annotated[int | None, whole(2)] = None,
    save: Annotated[Path | None, Parameter(metavar="OUT")] = None,
    statistics: Flag = False,
    net: NetName = None,
    met: MetName = None,
    cube_model: CubeModelName = None,
    json: Flag = False,
    threads: Threads = None,
    executor: ExecutorText = None,
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
    dice
        The same as an option.
    play
        A play to roll out, such as "8/5 6/5"; may be given several times. By default the best ones are.
    count
        How many of the best plays to roll out.
    cube
        Roll out the cube decision: no double against double, take.
    trials
        Games of each alternative; 1296 by default.
    seed
        Seed of the dice; 1 by default.
    cubeless
        Without cube.
    plies
        How far chequer plays look ahead.
    cube_plies
        How far cube decisions look ahead.
    noise
        By how much the players misjudge winning chances (standard deviation), such as 0.04 for games of weak ones.
    opponent_plies
        The same for the opponent of the player on roll; by default as for that player.
    opponent_cube_plies
        The same for the opponent's cube decisions.
    opponent_noise
        The same for the opponent's noise.
    later_turn
        From this turn on (the first is 0) both play by the next two options; 5 where one of these is given.
    later_plies
        How far later chequer plays look ahead.
    later_cube_plies
        How far later cube decisions look ahead.
    truncate
        Cut games after so many turns and judge what is there; 0 plays to the end.
    truncate_plies
        How far that judgement looks ahead.
    bearoff_exact
        End games that the two-sided bear-off database knows.
    bearoff_one_sided
        In cubeless rollouts, end games that the one-sided database knows.
    initial
        Begin every game with an opening roll, never a double.
    rotate
        Quasi-random dice: every 36 games have all first rolls, every 1,296 all pairs, every 46,656 all triples.
    variance_reduction
        Take out the luck by looking one roll ahead.
    branches
        How often a game goes on whose cube is taken a second time, as few such games make most of the variance; twice
        as often with each further take. 1: once.
    stop_error
        Stop when the standard error of the equity is at most this.
    stop_jsd
        Give up alternatives behind the best by more than so many joint standard deviations.
    minimum
        Games before such a limit counts; 324 by default.
    save
        Write the rollout to a new file, from which it can be shown or extended.
    statistics
        Show what happened in the games.
    json
        Print one JSON object per rollout.
    threads
        How many threads to use; by default all cores.
    executor
        Dask cluster that plays the games, such as dask://host:8786; see docs/cluster.md.
    """
    dice = roll_text(roll, dice)
    given = dict(locals())
    limits: dict[str, Any] = {"trials": trials, "stop_error": stop_error, "stop_jsd": stop_jsd, "minimum": minimum}
    changes = {name: value for name, value in limits.items() if value is not None}
    source = Path(id)
    resume = f"sixprime rollout {shlex.quote(str(save or source))}{_options(given)}"
    if save:
        _check_target(save, source if _is_saved(source) else None)
    if _is_saved(source):
        _refuse_fixed(given)
        from sixprime.engine.rollout_result import load

        engine = make_engine(net, threads=threads, met=met, cube_model=cube_model, executor=executor)
        begun = load(source, engine.met if met else None)
        return _extend(engine, begun, source, changes, save or source, resume, statistics=statistics, json=json)

    from sixprime.engine import PlayerSettings, RolloutSettings

    jobs = _jobs(id, source, dice, cube)
    if save and len(jobs) > 1:
        raise UsageError("--save takes one rollout; this file has several")
    if play and (len(jobs) > 1 or jobs[0].dice is None):
        raise UsageError("--play needs one ID and the dice")
    for text in play or ():
        assert jobs[0].dice is not None
        parse_play(text, jobs[0].parsed.position, jobs[0].dice)
    if cubeless and any(job.cube for job in jobs):
        raise UsageError("a cube decision cannot be rolled out without cube")
    own = PlayerSettings(plies, cube_plies, filter, noise)
    other = PlayerSettings(
        plies if opponent_plies is None else opponent_plies,
        cube_plies if opponent_cube_plies is None else opponent_cube_plies,
        filter,
        noise if opponent_noise is None else opponent_noise,
    )
    late = [replace(player, plies=later_plies or 0, cube_plies=later_cube_plies or 0) for player in (own, other)]
    changing = later_turn is not None or later_plies is not None or later_cube_plies is not None
    settings = RolloutSettings(
        seed=1 if seed is None else seed,
        cubeful=not cubeless,
        players=(own, other),
        later=(late[0], late[1]) if changing else None,
        later_turn=5 if later_turn is None else later_turn,
        truncation=truncate,
        truncation_plies=truncate_plies,
        bearoff_exact=bearoff_exact,
        bearoff_one_sided=bearoff_one_sided,
        initial=initial,
        rotate=rotate,
        variance_reduction=variance_reduction,
        branches=branches,
        **changes,
    )
    if initial and any(job.cube or job.dice for job in jobs):
        raise UsageError("--initial is for rollouts of a position, not of plays or cube decisions")
    engine = make_engine(net, threads=threads, met=met, cube_model=cube_model, executor=executor)
    failures = 0
    for job in jobs:
        try:
            with _watch(save, json=json) as watch:
                result = _roll_out(engine, job, play, count, settings, watch)
        except SixprimeError as error:
            if len(jobs) == 1 or isinstance(error, EngineError):
                raise  # without its cluster the others would fail, too
            complain(f"{job.parsed.position.id}: {error}")
            failures += 1
            continue
        saved = _save(result, save)
        failures += not saved
        _show(result, statistics=statistics, json=json)
        if not result.finished:
            _note_interrupt(result, resume if save and saved else None)
            return 1
    return 1 if failures else 0


def _options(given: dict[str, Any]) -> str:
    """The options that a command to go on needs, too."""
    values = {"--net": given["net"], "--met": given["met"], "--cube-model": given["cube_model"]}
    return "".join(f" {name} {shlex.quote(value)}" for name, value in values.items() if value)


def _check_target(path: Path, source: Path | None) -> None:
    """Raises an error if a rollout cannot be saved there: better now than after hours. source: what goes on."""
    if not path.parent.is_dir():
        raise InvalidFileError("there is no folder to write to", path=path.parent)
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        raise InvalidFileError("cannot be written", path=path)
    if path.exists() and not (source and path.samefile(source)):
        raise UsageError(f"--save would overwrite {path}; a rollout in it goes on with: sixprime rollout {path}")


def _refuse_fixed(given: dict[str, Any]) -> None:
    """Raises UsageError for an option that a rollout already begun cannot follow."""
    for name, parameter in inspect.signature(rollout).parameters.items():
        if name not in {*_ANEW, "roll"} and given[name] != parameter.default:
            raise UsageError(f"--{name.replace('_', '-')} does not go with a saved rollout, which goes on as it began")


def _is_saved(path: Path) -> bool:
    """Whether this is a file that `--save` wrote: a zip archive."""
    try:
        with opened(path) as stream:
            return stream.read(4) == b"PK\x03\x04"
    except OSError:
        return False


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
    parsed = read_id(id)
    if cube and dice is not None:
        raise UsageError("a cube decision comes before the dice; leave out --cube or --dice")
    if dice is not None:
        parsed = with_dice(parsed, dice)
    return _Job(parsed, None if cube else parsed.dice, cube)


def _roll_out(
    engine: Engine, job: _Job, texts: list[str] | None, count: int, settings: Any, progress: Any
) -> RolloutResult:
    position, state = job.parsed.position, job.parsed.state.with_dice(None)
    if job.cube:
        return engine.rollout_cube(position, match=state, settings=settings, progress=progress)
    if job.dice is None:
        return engine.rollout(position, match=state, settings=settings, progress=progress)
    plays = [parse_play(text, position, job.dice) for text in texts] if texts else count
    return engine.rollout_plays(position, job.dice, plays, match=state, settings=settings, progress=progress)


def _extend(
    engine: Engine,
    saved: RolloutResult,
    source: Path,
    changes: dict[str, Any],
    save: Path,
    resume: str,
    *,
    statistics: bool,
    json: bool,
) -> int:
    """Goes on with a saved rollout, or shows it when nothing is left to do."""
    with _watch(save, json=json) as watch:
        result = engine.extend_rollout(saved, progress=watch, **changes)
    changed = result.trials != saved.trials or result.settings != saved.settings or save != source
    kept = _save(result, save if changed else None)
    _show(result, statistics=statistics, json=json)
    if not result.finished:
        _note_interrupt(result, resume if kept else None)
        return 1
    return 0 if kept else 1


def _save(result: RolloutResult, path: Path | None) -> bool:
    """Writes the rollout, if there is where to; whether that went well. What is there must still be shown."""
    try:
        if path:
            result.save(path)
    except OSError as error:
        complain(error)
        return False
    return True


def _note_interrupt(result: RolloutResult, resume: str | None) -> None:
    note(f"sixprime: interrupted after {result.trials} trials" + (f"; go on with: {resume}" if resume else ""))


def _show(result: RolloutResult, *, statistics: bool, json: bool) -> None:
    from sixprime.report import render_rollout, rollout_to_dict

    if json:
        print_json(rollout_to_dict(result))
    else:
        render_rollout(result, statistics=statistics)


@contextmanager
def _watch(save: Path | None, *, json: bool) -> Iterator[Hook | None]:
    """What looks at a rollout under way: saves it now and then, and shows its table on a terminal."""
    import time

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
