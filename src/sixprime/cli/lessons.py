"""`sixprime lessons`: a database of positions and their rollouts, from which nets learn."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter
from cyclopts.validators import Number

from sixprime.cli._common import (
    STDIN,
    EncodingName,
    Flag,
    NetName,
    Plies,
    Text,
    Threads,
    UsageError,
    check_target,
    complain,
    example,
    line_batches,
    note,
    print_json,
    progress,
    read_id,
    whole,
)
from sixprime.cli._output import must_write_files
from sixprime.cli._sources import Source, sources_of
from sixprime.errors import InvalidFileError, InvalidPositionError, SixprimeError
from sixprime.progress import Watch
from sixprime.settings import make_engine

if TYPE_CHECKING:
    from sixprime.game import Position

lessons = App(name="lessons", help_epilogue=example("lessons generate my.db 10000"))

Dice = tuple[int, int] | None
Database = Annotated[Path, Parameter(metavar="DATABASE")]
MixName = Literal["all", "back games", "back games alone", "no back games", "late", "usual back games"]


@lessons.command(help_epilogue=example("lessons add my.db matches/ --plays 4"))
def add(
    database: Database,
    /,
    *sources: Text,
    plays: Annotated[int, whole(0, 100)] = 0,
    encoding: EncodingName = None,
    net: NetName = None,
    threads: Threads = None,
) -> int:
    """Add positions: of IDs, or all of matches at which a roll was to be played.

    Parameters
    ----------
    database
        The file that holds the database; a new one is made.
    sources
        IDs, files of matches, folders and patterns; `-` reads IDs from standard input.
    plays
        Where dice are known, add so many of the best plays, too, as plays of one decision.
    net
        Which says what the best plays are: a network file or the name of a net that ships.
    threads
        How many threads to use; by default all cores.
    """
    must_write_files()
    if not sources:
        raise UsageError("name IDs or files of matches to add; - reads IDs from standard input")
    from sixprime.train import database as store

    engine = make_engine(net, threads=threads)
    failures: list[Exception] = []

    def decisions() -> Iterator[list[Position]]:
        for position, dice in _found(sources, encoding, failures):
            yield [position]
            if dice and plays:
                best = engine.best_plays(position, dice, plies=0, count=plays)
                yield [result for each in best if (result := each.play.result).winner is None]

    found = decisions()
    first = list(islice(found, 1))  # before anything is made, for what cannot be read
    if failures and not first:
        return 1
    with store.Database(database, create=True) as base:
        new = base.add(chain(first, found))
        note(f"{database}: {new:,} new, {base.count():,} positions")
    return 1 if failures else 0


def _found(
    sources: tuple[str, ...], encoding: str | None, failures: list[Exception]
) -> Iterator[tuple[Position, Dice]]:
    """Positions, and their dice where these are known. A file that has none is complained of and put to `failures`."""
    for source in sources:
        if source == STDIN:
            for batch in line_batches(sys.stdin.fileno()):
                for line in batch:
                    parsed = read_id(line)
                    yield parsed.position, parsed.state.dice
        elif source and (Path(source).exists() or any(sign in source for sign in "*?[")):
            files = list(sources_of([Path(source)]))
            if not files:
                raise UsageError(f"there are no files in {source}")
            for file in files:
                try:
                    yield from _rolls(file, encoding)
                except (SixprimeError, OSError) as error:
                    complain(error)
                    failures.append(error)
        else:
            parsed = read_id(source)
            yield parsed.position, parsed.state.dice


def _rolls(file: Source, encoding: str | None) -> list[tuple[Position, Dice]]:
    """Positions of matches at which a roll was to be played. Raises InvalidFileError."""
    from sixprime.game.record import ActionKind
    from sixprime.train.database import sound_id

    actions = [action for match in file.matches(encoding) for game in match.games for action in game.actions]
    found = [(action.position, action.dice) for action in actions if action.kind is ActionKind.MOVE]
    try:
        for position, _ in found:
            sound_id(position)
    except InvalidPositionError as error:
        raise InvalidFileError(str(error), path=file.path) from error
    return found


@lessons.command(help_epilogue=example("lessons generate my.db 10000 --mix 'back games'"))
def generate(
    database: Database,
    count: Annotated[int, whole(1, 10_000_000)],
    /,
    *,
    rare: Annotated[float, Parameter(validator=Number(gte=0, lte=1))] = 0.4,
    mix: MixName = "all",
    seed: Annotated[int, whole(0)] = 1,
    net: NetName = None,
) -> int:
    """Add positions of self-play. Ctrl-C stops, and what was found is kept.

    Parameters
    ----------
    database
        The file that holds the database; a new one is made.
    count
        How many.
    rare
        Share of the games that start from a rare kind of position.
    mix
        Which kinds, as in recipes of `sixprime train`.
    seed
        Of the dice; the same ones give the same positions.
    net
        Which plays: a network file or the name of a net that ships.
    """
    must_write_files()
    from sixprime.train import database as store

    engine = make_engine(net, threads=1)
    with store.Database(database, create=True) as base, progress("Playing") as hook:
        found = store.generate(engine, count, seed=seed, rare=rare, mix=mix, watch=Watch(hook))
        new = base.add([each] for each in found)
        total = base.count()
    note(f"{database}: {new:,} new, {total:,} positions")
    return 0


@lessons.command(help_epilogue=example("lessons rollout my.db --weakest 200 --trials 324"))
def rollout(
    database: Database,
    /,
    *,
    trials: Annotated[int, whole(1, 10_000_000)] = 1296,
    weakest: Annotated[int | None, whole(1)] = None,
    plies: Plies = 0,
    truncate: Annotated[int, whole(0, 1000)] = 0,
    seed: Annotated[int, whole(0)] = 1,
    net: NetName = None,
    threads: Threads = None,
) -> int:
    """Roll positions out, without the cube, that have fewer trials. Ctrl-C stops; the same command goes on.

    Parameters
    ----------
    database
        The file that holds the database.
    trials
        How many games each position has then in all.
    weakest
        Only so many of all positions, those of which the net thinks at 2 plies what is farthest from its value at 0;
        those that were rolled out before count among them.
    plies
        How far the players look ahead.
    truncate
        Turns after which a game is cut and judged by the net; 0 plays to the end.
    seed
        Of the dice. Who shares the work takes another one for every machine, and merges with `import`.
    net
        Which plays: a network file or the name of a net that ships.
    threads
        How many threads to use; by default all cores.
    """
    must_write_files()
    from sixprime.train import database as store

    engine = make_engine(net, threads=threads)
    with store.Database(database) as base, progress("Rolling out") as hook:
        done = base.roll_out(
            engine, trials, weakest=weakest, plies=plies, truncation=truncate, seed=seed, watch=Watch(hook)
        )
    note(f"{database}: {done:,} positions rolled out")
    return 0


@lessons.command(help_epilogue=example("lessons show my.db"))
def show(database: Database, /, *ids: Text, json: Flag = False) -> int:
    """Say what is in a database, or what is known of positions.

    Parameters
    ----------
    database
        The file that holds the database.
    ids
        The IDs of positions.
    json
        Print one JSON object, or one for each position.
    """
    from sixprime.report import lessons as report
    from sixprime.train import database as store

    with store.Database(database) as base:
        told = [base.told(read_id(text).position.id) for text in ids] or [base.summary()]
    for each in told:
        if json:
            print_json(each)
        elif ids:
            report.render_position(each)
        else:
            report.render_summary(each)
    return 0


@lessons.command(help_epilogue=example("lessons verify my.db --net my.safetensors"))
def verify(
    database: Database,
    /,
    *,
    plies: Plies = 0,
    worst: Annotated[int, whole(0)] = 10,
    net: NetName = None,
    threads: Threads = None,
    json: Flag = False,
) -> int:
    """Compare what a net thinks of the positions with what their rollouts say.

    Parameters
    ----------
    database
        The file that holds the database.
    plies
        How far to look ahead.
    worst
        How many of the positions to list that are misjudged most.
    net
        Which judges: a network file or the name of a net that ships.
    threads
        How many threads to use; by default all cores.
    json
        Print one JSON object.
    """
    from sixprime.report import lessons as report
    from sixprime.train import database as store

    engine = make_engine(net, threads=threads)
    with store.Database(database) as base, progress("Judging") as hook:
        groups, misses = base.verify(engine, plies, Watch(hook))
    if not groups:
        raise InvalidFileError("no position was rolled out yet; `sixprime lessons rollout` does it", path=database)
    told = store.verified_to_dict(groups, misses[:worst])
    if json:
        print_json(told)
    else:
        report.render_verified(told)
    return 0


@lessons.command(help_epilogue=example("lessons export my.db --to mine.jsonl"))
def export(database: Database, /, *, to: Path | None = None) -> int:
    """Write positions and rollouts as text, a JSON object for every position, one a line.

    Parameters
    ----------
    database
        The file that holds the database.
    to
        The file to write, instead of standard output.
    """
    from sixprime.train import database as store

    if to is not None:
        check_target(to, "--to")
    with store.Database(database) as base:
        content = base.content()
    if to is None:
        store.write(content, sys.stdout)
        return 0
    from sixprime.paths import replacing

    with replacing(to) as partial, partial.open("w", encoding="utf-8") as stream:
        store.write(content, stream)
    note(f"{to}: {len(content.positions):,} positions, {len(content.rollouts):,} rollouts")
    return 0


@lessons.command(name="import", help_epilogue=example("lessons import my.db theirs.db others.jsonl"))
def import_(database: Database, /, *files: Path) -> int:
    """Merge other databases, or what `export` wrote. A rollout that is there already does not count twice.

    Parameters
    ----------
    database
        The file that holds the database; a new one is made.
    files
        Databases and files of `export`.
    """
    must_write_files()
    if not files:
        raise UsageError("name databases, or files that `sixprime lessons export` wrote")
    from sixprime.train import database as store

    contents = [store.read(file) for file in files]
    with store.Database(database, create=True) as base:
        for file, content in zip(files, contents, strict=True):
            positions, rollouts = base.merge(content)
            note(f"{file}: {positions:,} new positions, {rollouts:,} new or longer rollouts")
    return 0


@lessons.command(help_epilogue=example("lessons remove my.db 4HPwATDgc/ABMA"))
def remove(database: Database, /, *ids: Text) -> int:
    """Take positions out, with their rollouts.

    Parameters
    ----------
    database
        The file that holds the database.
    ids
        Their IDs; `-` reads them from standard input.
    """
    must_write_files()
    if not ids:
        raise UsageError("name the IDs of positions; - reads them from standard input")
    from sixprime.train import database as store

    failures: list[Exception] = []
    names = {position.id for position, _ in _found(ids, None, failures)}
    with store.Database(database) as base:
        gone = base.remove(names)
        note(f"{database}: {gone:,} removed, {base.count():,} positions left")
    return 1 if failures else 0
