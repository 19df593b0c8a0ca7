"""The kinds of databases that can be built: what the commands need to know of each.

A further kind is one more entry here and of `names.NAMES`; nothing else lists them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import comb
from pathlib import Path

from sixprime.bearoff import builder, gnubg, hyper, shelf
from sixprime.bearoff._one_sided import OneSided
from sixprime.bearoff._two_sided import TwoSided
from sixprime.bearoff.builder import Scratch
from sixprime.bearoff.names import HYPER, HYPER_GNUBG, NAMES, NORMAL, ONE_SIDED, TWO_SIDED, Name, Size
from sixprime.bearoff.normal import Normal
from sixprime.bearoff.shelf import Needs
from sixprime.kernels.bearoff_build import position_count
from sixprime.kernels.hyper import count_lists
from sixprime.progress import Watch

IN_MEMORY = 1 << 26
"""Builds with more bytes of scratch work in files, and can be stopped and resumed."""
_CHECKPOINT = "checkpoint"


@dataclass(frozen=True, slots=True)
class Form:
    """What a file of GNU Backgammon's leaves out; each kind heeds what concerns it."""

    compressed: bool = True
    gammons: bool = True
    cubeful: bool = True


@dataclass(frozen=True, slots=True)
class Kind(Name):
    """A kind of database, and how it is made.

    Attributes:
        positions: how many entries it has.
        needs: what building takes.
        make: builds it into the data folder, or goes on with a build that was stopped. Raises SettingsError when
            memory or disk do not suffice, OSError, DataFileError, and StoppedError.
        check: reads a file in full. Raises DataFileError when it cannot be used.
        export: writes a file of GNU Backgammon's from one of ours, None where theirs is not alike to the byte.
            Raises OSError and SettingsError.
    """

    positions: Callable[[int, int], int]
    needs: Callable[[int, int], Needs]
    make: Callable[[int, int, int | None, Watch], Path]
    check: Callable[[Path, int, int], object]
    export: Callable[[Path, int, int, Path, Form], None] | None = None


def unfinished(kind: str, points: int, chequers: int) -> Path:
    """The folder in which a build that can be resumed works."""
    return shelf.folder() / f".building-{kind}-{chequers}x{points}"


def left() -> dict[str, bool]:
    """Builds that were stopped, by kind and size, and whether each would be gone on with."""
    found = {}
    for folder in sorted(shelf.folder().glob(".building-*")):
        name = folder.name.removeprefix(".building-")
        kind, _, size = name.rpartition("-")
        chequers, _, points = size.partition("x")
        known = kind in KINDS and chequers.isdecimal() and points.isdecimal()
        found[name] = known and goes_on(kind, int(points), int(chequers))
    return found


def goes_on(kind: str, points: int, chequers: int) -> bool:
    """Whether a build would go on with an earlier one."""
    working = unfinished(kind, points, chequers)
    if kind in (HYPER, HYPER_GNUBG):
        return (working / _CHECKPOINT).exists()
    return bool(builder.begun(working, shelf.path_of(kind, points, chequers).stem))


def make(kind: str, size: Size, needs: Needs, in_memory: bool, build: Callable[[Scratch, Path], None]) -> Path:
    """Runs a build; what it has done is kept when it is stopped, unless it works in memory.

    build: gets the scratch and the path to write to. Returns that path. Raises as `Kind.make`.
    """
    path = shelf.path_of(kind, *size)
    working = unfinished(kind, *size)
    begun = sum(file.stat().st_size for file in working.glob("*")) if working.exists() else 0
    shelf.check_memory(needs.memory)
    shelf.check_disk(needs.disk - begun, shelf.folder())
    scratch = Scratch(None if in_memory else working, path.stem)
    try:
        build(scratch, path)
    except BaseException:
        scratch.stop()
        raise
    scratch.discard()
    return path


def _kind(
    name: str,
    positions: Callable[[int, int], int],
    bytes_of: Callable[[int, int], tuple[int, int]],
    resident: Callable[[int, int], int],
    build: Callable[[Scratch, Path, int, int, int, Watch], None],
    check: Callable[[Path, int, int], object],
    export: Callable[[Path, int, int, Path, Form], None],
) -> Kind:
    """A kind of which `bytes_of` tells the bytes of the file and of the scratch.

    resident: bytes of memory that a build in files cannot do without.
    """

    def in_memory(points: int, chequers: int) -> bool:
        return sum(bytes_of(points, chequers)) <= IN_MEMORY

    def needs(points: int, chequers: int) -> Needs:
        shelf.check(points, chequers)
        held, scratch = bytes_of(points, chequers)
        if in_memory(points, chequers):
            return Needs(held + scratch, held)
        return Needs(resident(points, chequers), held + scratch)

    def work(points: int, chequers: int, threads: int | None, watch: Watch) -> Path:
        size = (points, chequers)
        return make(
            name,
            size,
            needs(*size),
            in_memory(*size),
            lambda scratch, path: build(scratch, path, *size, threads or os.cpu_count() or 1, watch),
        )

    return Kind(*_fields(name), positions, needs, work, check, export)


def _fields(name: str) -> tuple[str, Size | None, str, Callable[[str], Size]]:
    """What a kind is called, and its sizes."""
    known = NAMES[name]
    return known.name, known.usual, known.form, known.parse


def _lists_resident(points: int, chequers: int) -> int:
    """The tasks of all threads, and the groups of lists."""
    prefix = min(points, max(3, points - 6))
    return (1 << 27) + (os.cpu_count() or 1) * (1 << 24) + 64 * comb(chequers + prefix, prefix)


def _pairs_resident(points: int, chequers: int) -> int:
    """The plays of all lists, and some rows of the table."""
    return (1 << 27) + 2048 * position_count(points, chequers)


def _build_lists(
    database: type[OneSided | Normal],
    scratch: Scratch,
    path: Path,
    points: int,
    chequers: int,
    threads: int,
    watch: Watch,
) -> None:
    database.build(points, chequers, threads=threads, watch=watch, scratch=scratch).save(path)


def _build_two_sided(scratch: Scratch, path: Path, points: int, chequers: int, threads: int, watch: Watch) -> None:
    TwoSided.write(path, points, chequers, scratch, threads=threads, watch=watch)


def _export_one_sided(path: Path, points: int, chequers: int, to: Path, form: Form) -> None:
    database = OneSided.open(path, points, chequers)
    gnubg.write_one_sided(to, database, compressed=form.compressed, gammons=form.gammons)


def _export_two_sided(path: Path, points: int, chequers: int, to: Path, form: Form) -> None:
    gnubg.write_two_sided(to, TwoSided.open(path, points, chequers), cubeful=form.cubeful)


def _export_normal(path: Path, points: int, chequers: int, to: Path, _: Form) -> None:
    gnubg.write_normal(to, Normal.open(path, points, chequers))


def _hyper(name: str, gnubg_equities: bool) -> Kind:
    """Hypergammon; the size is the number of chequers alone."""

    def work(points: int, chequers: int, threads: int | None, watch: Watch) -> Path:
        path, working = shelf.path_of(name, points, chequers), unfinished(name, points, chequers)
        shelf.check_disk(hyper.disk_needed(chequers), shelf.folder())
        checkpoint = working / _CHECKPOINT if chequers == 3 else None
        database = hyper.Hyper.build(
            chequers, gnubg=gnubg_equities, threads=threads, watch=watch, checkpoint=checkpoint
        )
        database.save(path)
        shutil.rmtree(working, ignore_errors=True)
        return path

    return Kind(
        *_fields(name),
        lambda points, chequers: count_lists(chequers) ** 2,
        lambda points, chequers: Needs(hyper.memory_needed(chequers), hyper.disk_needed(chequers)),
        work,
        lambda path, points, chequers: hyper.Hyper.open(path, chequers, gnubg=gnubg_equities, verify=True),
        lambda path, points, chequers, to, _: hyper.Hyper.open(path, chequers, gnubg=gnubg_equities).write_gnubg(to),
    )


KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        _kind(
            ONE_SIDED,
            position_count,
            builder.one_sided_bytes,
            _lists_resident,
            partial(_build_lists, OneSided),
            lambda path, points, chequers: OneSided.open(path, points, chequers, verify=True),
            _export_one_sided,
        ),
        _kind(
            TWO_SIDED,
            lambda points, chequers: position_count(points, chequers) ** 2,
            builder.two_sided_bytes,
            _pairs_resident,
            _build_two_sided,
            lambda path, points, chequers: TwoSided.open(path, points, chequers, verify=True),
            _export_two_sided,
        ),
        _kind(
            NORMAL,
            position_count,
            builder.normal_bytes,
            _lists_resident,
            partial(_build_lists, Normal),
            lambda path, points, chequers: Normal.open(path, points, chequers, verify=True),
            _export_normal,
        ),
        _hyper(HYPER, False),
        _hyper(HYPER_GNUBG, True),
    )
}
"""By name, in the order in which they are listed."""
