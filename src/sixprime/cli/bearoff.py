"""`sixprime bearoff`: build databases, show what they know, read and write those of GNU Backgammon."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import App

from sixprime.cli import _common
from sixprime.cli._common import (
    Flag,
    Text,
    Threads,
    UsageError,
    check_target,
    complain,
    example,
    note,
    print_json,
    read_id,
    whole,
)
from sixprime.cli._output import must_write_files
from sixprime.errors import DataFileError, SettingsError
from sixprime.progress import Watch, spoken

if TYPE_CHECKING:
    from sixprime.bearoff.kinds import Form
    from sixprime.bearoff.lookup import Findings
    from sixprime.game import Position

bearoff = App(name="bearoff", help_epilogue=example("bearoff build 15x8"))


_SPOKEN_EVERY = 5.0
"""Seconds between two lines of progress where no terminal shows a bar."""


@bearoff.command(help_epilogue=example("bearoff build 15x8"))
def build(*what: str, gnubg: Path | None = None, threads: Threads = None) -> int:
    """Build databases; one that was stopped goes on where it was.

    Parameters
    ----------
    what
        A size, chequers x points, such as 15x8, or a kind and a size: `one-sided 15x8`, `two-sided 7x6`,
        `normal 15x8`, `hyper 3`. Without it the two that the engine needs are built.
    gnubg
        Write the database in GNU Backgammon's format to this file as well.
    threads
        How many threads to use; by default all cores.
    """
    must_write_files()
    wanted = _wanted(what)
    if gnubg and len(wanted) != 1:
        raise UsageError("--gnubg needs the size of one database, such as 15x8")
    if gnubg:
        check_target(gnubg, "--gnubg")
    for kind, points, chequers in wanted:
        path = _build(kind, points, chequers, threads)
        if path is None:
            return 1
        exported = _export(kind, points, chequers, gnubg) if gnubg else None
        print(_describe(path))
        if exported:
            print(exported)
    return 0


@bearoff.command(help_epilogue=example("bearoff export 15x8 --to gnubg_os.bd"))
def export(*what: str, to: Path, uncompressed: Flag = False, no_gammons: Flag = False, cubeless: Flag = False) -> int:
    """Write a database in GNU Backgammon's format, to the byte as its makebearoff does. It is built if need be.

    Parameters
    ----------
    what
        A size or a kind and a size, as of `build`.
    to
        The file to write.
    uncompressed
        One-sided: without compression.
    no_gammons
        One-sided: without the distributions for the first chequer.
    cubeless
        Two-sided: without the equities with a cube.
    """
    if not what:
        raise UsageError("name a database, such as 15x8 or two-sided 7x6")
    [(kind, points, chequers)] = _wanted(what)
    if (uncompressed or no_gammons) and kind != "one-sided":
        raise UsageError(f"--uncompressed and --no-gammons are of one-sided databases; {kind} has neither")
    if cubeless and kind != "two-sided":
        raise UsageError(f"--cubeless is of two-sided databases; {kind} has no cube")
    check_target(to, "--to")
    if _build(kind, points, chequers, None) is None:
        return 1
    from sixprime.bearoff.kinds import Form

    print(_export(kind, points, chequers, to, Form(not uncompressed, not no_gammons, not cubeless)))
    return 0


@bearoff.command(name="import", help_epilogue=example("bearoff import gnubg_os.bd"))
def import_(file: Path, /) -> int:
    """Read a database of GNU Backgammon into the data folder, where the engine uses it.

    Parameters
    ----------
    file
        The .bd file: one-sided, compressed or not, with or without gammons; normal; two-sided with cubeful equities;
        hypergammon.
    """
    from sixprime.bearoff import OneSided, gnubg, hyper, shelf

    if hyper.is_gnubg(file):
        solved = hyper.Hyper.read_gnubg(file)
        path = hyper.path_of(solved.chequers, gnubg=True)
        there = path.exists()
        solved.save(path)
    else:
        head = gnubg.header(file)
        size = (head.points, head.chequers)
        path = shelf.path_of("normal" if head.normal else head.kind, *size)
        there = path.exists()
        if head.kind == "two-sided":
            gnubg.read_two_sided(file).save(path)
        elif head.normal:
            gnubg.read_normal(file).save(path)
        else:
            gnubg.read_one_sided(file)  # a damaged file is refused before the work
            # Their file has no gammon distributions for fewer chequers than all; these are computed.
            with _progress(f"{head}") as watch:
                own = OneSided.build(*size, watch=watch)
            gnubg.one_sided_from(file, own).save(path)
    if there:
        note(f"{path} was there, and is replaced.")
    print(_describe(path))
    return 0


@bearoff.command(name="list", help_epilogue=example("bearoff list --sizes"))
def list_(*, sizes: Flag = False, json: Flag = False) -> int:
    """List the databases in the data folder and check that they are whole.

    Parameters
    ----------
    sizes
        Instead, how many positions the databases have that can be built, and what they take on disk.
    json
        Print one JSON object.
    """
    if sizes:
        return _sizes(json)
    from sixprime.bearoff import kinds, shelf
    from sixprime.paths import finished

    status = 0
    found: list[dict[str, Any]] = []
    for path in finished(shelf.folder(), "*.bearoff"):
        entry: dict[str, Any] = {"file": str(path), "bytes": path.lstat().st_size, "problem": None}
        try:
            check(path)
            if not json:
                print(_describe(path))
        except (DataFileError, OSError) as error:
            entry["problem"] = str(error)
            complain(error)
            status = 1
        found.append(entry)
    left = kinds.left()
    if json:
        print_json({"databases": found, "unfinished": [name for name, goes_on in left.items() if goes_on]})
    else:
        for name, goes_on in left.items():
            kept = "goes on with it" if goes_on else "begins anew"
            print(f"{name:<20} unfinished: the command that began it {kept}")
    return status


@bearoff.command(help_epilogue=example("bearoff show CgAAEAEAAAAAAA"))
def show(
    *what: Text,
    number: Annotated[int | None, whole(0)] = None,
    hyper: Annotated[int | None, whole(1, 3)] = None,
    json: Flag = False,
) -> int:
    """What the databases know about a position: distributions, effective pip counts, equities.

    Parameters
    ----------
    what
        Position ID, positionid:matchid, XGID, OGID or a FIBS board line; the player on roll has not rolled yet. With
        --number a size or a kind and a size, as of `build`.
    number
        The position of this number in that database, counted as GNU Backgammon does: the number of the side on roll,
        times all sides that the database has, plus that of the opponent.
    hyper
        The position is one of hypergammon with so many chequers.
    json
        Print one JSON object.
    """
    if number is not None:
        return _show_number(number, what, hyper, json=json)
    if option := next((word for word in what if word.startswith("--")), None):
        raise UsageError(f"Unknown option: {option}")
    if len(what) != 1:
        raise UsageError(f"show takes one position, not {len(what)}")
    [id] = what
    if hyper is not None:
        return _show_hyper(read_id(id, chequers=hyper).position, json=json)
    position = read_id(id).position
    from sixprime.bearoff.lookup import look_up

    return _show_findings(position, look_up(position), json=json)


def _show_number(number: int, what: tuple[str, ...], hyper: int | None, *, json: bool) -> int:
    if not what or hyper is not None:
        raise UsageError("--number needs a database alone, such as two-sided 6x6 or hyper 1")
    [(kind, points, chequers)] = _wanted(what)
    from sixprime.bearoff.lookup import look_up_number, position_of
    from sixprime.bearoff.names import HYPER, HYPER_GNUBG

    if kind in (HYPER, HYPER_GNUBG):
        return _show_hyper(position_of(number, points, chequers, chequers), json=json)
    return _show_findings(*look_up_number(number, kind, points, chequers), json=json)


def _show_findings(position: Position, found: Findings, *, json: bool) -> int:
    from sixprime.report.bearoff import findings_text, findings_to_dict

    if json:
        print_json(findings_to_dict(position, found))
    else:
        print(findings_text(position, found))
    return 0


def _show_hyper(position: Position, *, json: bool) -> int:
    from sixprime.bearoff.hyper import find, hyper
    from sixprime.report.hyper import hyper_text, hyper_to_dict

    database = hyper(position.chequers)
    theirs = find(position.chequers, gnubg=True)
    value, other = database.value(position), None if theirs is None else theirs.value(position)
    if json:
        print_json(hyper_to_dict(position, database.index(position), value, other))
    else:
        print(hyper_text(position, value, other))
    return 0


def check(path: Path) -> None:
    """Reads a database in full. Raises `DataFileError` when it cannot be used."""
    from sixprime.bearoff.kinds import KINDS
    from sixprime.bearoff.shelf import name_of

    name = name_of(path)
    if name is None or name[0] not in KINDS:
        raise DataFileError(f"{path} does not have the name of a bear-off database")
    try:
        KINDS[name[0]].check(path, name[1], name[2])
    except SettingsError as error:
        raise DataFileError(f"{path}: {error}") from error


# -- building ------------------------------------------------------------------------------------


def _wanted(what: tuple[str, ...]) -> list[tuple[str, int, int]]:
    """Kind, points and chequers of what the words name."""
    from sixprime.bearoff.names import NAMES

    if not what:
        return [(kind.name, *kind.usual) for kind in NAMES.values() if kind.usual]
    words = what if what[0] in NAMES else ("one-sided", *what)
    kind = NAMES[words[0]]
    if len(words) > 2:
        raise UsageError(f"one kind and one size at a time, such as two-sided 7x6, not {' '.join(what)}")
    if len(words) == 1:
        if kind.usual is None:
            raise UsageError(f"{kind.name} needs a size: {kind.form}")
        return [(kind.name, *kind.usual)]
    try:
        return [(kind.name, *kind.parse(words[1]))]
    except SettingsError as error:
        if what[0] in NAMES or what[0][:1].isdigit():
            raise
        raise UsageError(f"{what[0]!r} is neither a size such as 15x8 nor a kind: {', '.join(NAMES)}") from error


def _build(name: str, points: int, chequers: int, threads: int | None) -> Path | None:
    """The file of a database, built unless it is there and whole; None when it was stopped or there is no room."""
    from sixprime.bearoff import shelf
    from sixprime.bearoff.kinds import KINDS, goes_on

    kind = KINDS[name]
    path = shelf.path_of(name, points, chequers)
    if path.exists():
        try:
            kind.check(path, points, chequers)
            return path
        except DataFileError as error:
            note(f"{error}; it is built again.")
    label = f"{name} {chequers}x{points}"
    note(
        f"{label}: {kind.positions(points, chequers):,} positions. Building takes {kind.needs(points, chequers)}; "
        f"{shelf.size_text(shelf.free_memory())} and {shelf.size_text(shelf.free_disk(shelf.folder()))} are free."
    )
    if goes_on(name, points, chequers):
        note("An earlier build goes on where it was.")
    start = time.monotonic()
    try:
        with _progress(label) as watch:
            kind.make(points, chequers, threads, watch)
    except KeyboardInterrupt:
        kept = (
            "the same command goes on from there" if goes_on(name, points, chequers) else "the same command begins anew"
        )
        complain(f"stopped; {kept}")
        return None
    except SettingsError as error:
        # The size is a right one, but this machine has no room for it.
        complain(error)
        return None
    note(f"Built in {time.monotonic() - start:.1f} s.")
    return path


@contextmanager
def _progress(label: str) -> Iterator[Watch]:
    """A bar on the terminal, or lines now and then where standard error is something else."""
    with _common.progress(label) as bar:
        yield Watch(bar or spoken(lambda said: note(f"{label}: {said}"), _SPOKEN_EVERY))


def _export(name: str, points: int, chequers: int, to: Path, form: Form | None = None) -> str:
    """Writes a file of GNU Backgammon's; what to say of it."""
    from sixprime.bearoff.kinds import KINDS, Form
    from sixprime.bearoff.shelf import path_of

    export = KINDS[name].export
    if export is None:
        raise UsageError(f"of {name} no file of GNU Backgammon's can be written")
    export(path_of(name, points, chequers), points, chequers, to, form or Form())
    return f"{to}  {to.stat().st_size:,} bytes"


def _describe(path: Path) -> str:
    from sixprime.bearoff.shelf import size_text

    return f"{path.stem:<20}{size_text(path.stat().st_size):>12}  {path}"


def _sizes(json: bool) -> int:
    from sixprime.bearoff.sizes import one_sided_sizes, two_sided_sizes

    tables = {"one_sided": one_sided_sizes(), "two_sided": two_sided_sizes()}
    if json:
        print_json({name: [row.as_dict() for row in rows] for name, rows in tables.items()})
        return 0
    for name, rows in tables.items():
        print(f"{name.replace('_', '-').capitalize()}\nchequers  points       positions        size   GNU Backgammon's")
        for row in rows:
            print(f"{row.chequers:8}{row.points:8}{row.positions:16,}{row.text:>12}{row.gnubg_text:>19}")
        print()
    print("Sizes of one-sided databases are estimates, right to some percent.")
    return 0
