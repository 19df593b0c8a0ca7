"""GNU Backgammon's bear-off files, read and written to the byte. Layout: its `makebearoff`, read off its files.

A header of 40 bytes, `gnubg-OS-PP-CC-G-Z-N` or `gnubg-TS-PP-CC-Q` filled up with x and a line feed: P points, C
chequers, G with gammons, Z compressed, N normal distributions, Q with cubeful equities. Then, little-endian:

* one-sided, compressed: for each list where its values begin (4 bytes), how many there are and the number of rolls
  of the first, and the same two for gammons (1 byte each); then the values, 2 bytes each, chances in 65535ths of
  exactly k rolls
* one-sided, not compressed: for each list 32 values, and 32 for gammons
* one-sided, normal: for each list 4-byte floats, mean and standard deviation, and the two for gammons
* two-sided: for each pair one or four values of 2 bytes, as in `kernels.bearoff`

Gammon distributions are those of lists of all chequers; the others have one chequer off after 0 rolls.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sixprime.bearoff import shelf
from sixprime.bearoff._one_sided import OneSided, exactly
from sixprime.bearoff._two_sided import TwoSided
from sixprime.bearoff.normal import Normal
from sixprime.errors import DataFileError, SettingsError
from sixprime.kernels import bearoff_build as build
from sixprime.kernels.bearoff import ONE, PADDING, OneSidedArrays, TwoSidedArrays, os_word
from sixprime.kernels.bearoff_normal import NormalArrays
from sixprime.paths import replacing
from sixprime.reading import opened

ROLLS = 32
"""Numbers of rolls a distribution of theirs covers."""
_HEADER = 40
_OS = re.compile(rb"gnubg-OS-(\d\d)-(\d\d)-([01])-([01])-([01])x*\n")
_TS = re.compile(rb"gnubg-TS-(\d\d)-(\d\d)-([01])x*\n")
_BLOCK = 1 << 15
Table = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Header:
    """What a file holds. kind: "one-sided" or "two-sided"; gammons, compressed and normal are of the former."""

    kind: str
    points: int
    chequers: int
    gammons: bool = True
    compressed: bool = True
    normal: bool = False
    cubeful: bool = True

    def bytes(self) -> bytes:
        """The first 40 bytes."""
        size = f"{self.points:02}-{self.chequers:02}"
        if self.kind == "one-sided":
            text = f"gnubg-OS-{size}-{self.gammons:d}-{self.compressed:d}-{self.normal:d}"
        else:
            text = f"gnubg-TS-{size}-{self.cubeful:d}"
        return text.ljust(_HEADER - 1, "x").encode() + b"\n"

    def __str__(self) -> str:
        if self.kind == "two-sided":
            form = "cubeful" if self.cubeful else "cubeless only"
        elif self.normal:
            form = "normal distributions"
        else:
            form = f"{'' if self.compressed else 'not '}compressed, with{'' if self.gammons else 'out'} gammons"
        return f"{self.kind} {self.chequers}x{self.points}, {form}"


def header(path: Path) -> Header:
    """What a file holds, by its first 40 bytes. Raises OSError and DataFileError."""
    with opened(path) as stream:
        head = stream.read(_HEADER)
    if head.startswith(b"gnubg-H"):
        raise DataFileError(f"{path} is a hypergammon database; build that with: sixprime bearoff build hyper")
    if one := _OS.fullmatch(head):
        points, chequers, gammons, compressed, normal = (int(field) for field in one.groups())
        found = Header("one-sided", points, chequers, bool(gammons), bool(compressed), bool(normal))
    elif two := _TS.fullmatch(head):
        points, chequers, cubeful = (int(field) for field in two.groups())
        found = Header("two-sided", points, chequers, cubeful=bool(cubeful))
    else:
        raise DataFileError(f"{path} is not a bear-off database of GNU Backgammon")
    try:
        shelf.check(found.points, found.chequers)
    except SettingsError as error:
        raise DataFileError(f"{path}: {error}") from error
    return found


def read_two_sided(path: Path) -> TwoSided:
    """Reads a two-sided database. Raises OSError, and DataFileError when it is damaged or has no cubeful equities."""
    head = header(path)
    if head.kind != "two-sided" or not head.cubeful:
        raise DataFileError(f"{path} holds {head}; wanted is two-sided, cubeful")
    size = build.position_count(head.points, head.chequers)
    data = _data(path, 8 * size * size)
    equities = data.view("<u2").reshape(size, size, 4)
    _check(path, bool((equities[0, :] == ONE).all() and (equities[1:, 0] == 0).all()), "games that are over")
    return TwoSided(head.points, head.chequers, TwoSidedArrays(build.rank_table(head.points, head.chequers), equities))


def read_one_sided(path: Path) -> tuple[Header, Callable[[int, int], tuple[Table, Table | None]]]:
    """Reads a one-sided database that is no normal approximation.

    Returns its header and a function from a range of lists, first and behind the last, to their distributions
    `int64[N, 32]` and those for the first chequer, None in a file without. Raises OSError, and DataFileError
    when the file is damaged; so does the function.
    """
    head = header(path)
    if head.kind != "one-sided" or head.normal:
        raise DataFileError(f"{path} holds {head}; wanted are one-sided distributions")
    size = build.position_count(head.points, head.chequers)
    tables = 1 + head.gammons
    if not head.compressed:
        dense = _data(path, 2 * ROLLS * size * tables).view("<u2").reshape(size, tables, ROLLS)
        return head, lambda start, stop: _split(path, dense[start:stop].astype(np.int64))
    width = 4 + 2 * tables
    data = _data(path, None)
    _check(path, len(data) >= width * size and len(data) % 2 == 0, "the length")
    index = data[: width * size].reshape(size, width)
    values = data[width * size :].view("<u2")
    spans = index[:, 4:].reshape(size, tables, 2)
    begins = np.ascontiguousarray(index[:, :4]).view("<u4")[:, 0]
    lengths = spans[:, :, 0].astype(np.int64)
    _check(path, int(lengths.sum()) == len(values), "the length")
    ends = np.cumsum(lengths.sum(1))
    _check(path, bool((begins == ends - lengths.sum(1)).all()), "the index")
    _check(path, bool((spans.astype(np.int64).sum(2) <= ROLLS).all()), "the index")

    def rows(start: int, stop: int) -> tuple[Table, Table | None]:
        kept = _kept(spans[start:stop])
        table = np.zeros(kept.shape, dtype=np.int64)
        table[kept] = values[int(begins[start]) : int(ends[stop - 1])]
        return _split(path, table)

    return head, rows


def read_normal(path: Path) -> Normal:
    """Reads a normal approximation; gammons are known for lists of all chequers only.

    Raises OSError, and DataFileError when the file is damaged.
    """
    head = header(path)
    if head.kind != "one-sided" or not head.normal:
        raise DataFileError(f"{path} holds {head}; wanted are normal distributions")
    size = build.position_count(head.points, head.chequers)
    found = _data(path, 16 * size).view("<f4").reshape(size, 4)
    _check(path, bool(np.isfinite(found).all() and (found >= 0).all() and (found < 1000).all()), "a row")
    ranks = build.rank_table(head.points, head.chequers)
    return Normal(head.points, head.chequers, NormalArrays(ranks, np.ascontiguousarray(found.T)))


def one_sided_from(path: Path, database: OneSided) -> OneSided:
    """`database` with the distributions of a file of that size, where the file has them.

    Raises OSError and DataFileError.
    """
    head, rows = read_one_sided(path)
    size = len(database.arrays.spans)
    if (head.points, head.chequers) != (database.points, database.chequers):
        raise DataFileError(f"{path} holds {head}, not {database.chequers}x{database.points}")
    full = int(database.arrays.ranks[0, head.chequers])
    spans = np.empty(size, dtype=np.int64)
    parts: list[NDArray[np.uint16]] = []
    at = 0
    for start, stop in _blocks(size):
        off, first = rows(start, stop)
        own = exactly(database.survival(np.arange(start, stop), gammon=True))
        if first is not None:
            mine = max(full - start, 0)
            own[mine:] = 0
            own[mine:, :ROLLS] = first[mine:]
        at, block = _packed([off, own], at, spans[start:stop])
        parts.append(block)
    values = np.concatenate([*parts, np.zeros(PADDING, dtype=np.uint16)])
    return OneSided(head.points, head.chequers, OneSidedArrays(database.arrays.ranks, spans, values))


def write_two_sided(path: Path, database: TwoSided, *, cubeful: bool = True) -> None:
    """Writes a two-sided database. Raises OSError."""
    head = Header("two-sided", database.points, database.chequers, cubeful=cubeful)
    with replacing(path) as partial, partial.open("wb") as stream:
        stream.write(head.bytes())
        for row in database.arrays.equities:
            stream.write(np.ascontiguousarray(row if cubeful else row[:, 0], dtype="<u2").data)


def write_one_sided(path: Path, database: OneSided, *, compressed: bool = True, gammons: bool = True) -> None:
    """Writes a one-sided database.

    Raises OSError, and SettingsError when the file format cannot hold it.
    """
    head = Header("one-sided", database.points, database.chequers, gammons, compressed)
    size = len(database.arrays.spans)
    with replacing(path) as partial, partial.open("wb") as stream:
        stream.write(head.bytes())
        if not compressed:
            for start, stop in _blocks(size):
                stream.write(_theirs(database, start, stop, gammons).astype("<u2").data)
            return
        at = 0
        for start, stop in _blocks(size):
            spans = _spans(_theirs(database, start, stop, gammons))
            lengths = spans[:, :, 0].sum(1)
            begins = at + np.cumsum(lengths) - lengths
            at += int(lengths.sum())
            if at > 1 << 32:
                raise SettingsError("a compressed file of GNU Backgammon holds 4 294 967 296 values at most")
            index = np.concatenate(
                [begins.astype("<u4").view(np.uint8).reshape(-1, 4), spans.reshape(len(spans), -1).astype(np.uint8)], 1
            )
            stream.write(np.ascontiguousarray(index).data)
        for start, stop in _blocks(size):
            table = _theirs(database, start, stop, gammons)
            stream.write(table[_kept(_spans(table))].astype("<u2").data)


def write_normal(path: Path, database: Normal) -> None:
    """Writes a normal approximation. Raises OSError."""
    head = Header("one-sided", database.points, database.chequers, normal=True, compressed=False)
    rows = np.ascontiguousarray(database.arrays.moments.T, dtype="<f4")
    rows[: database.arrays.ranks[0, database.chequers], 2:] = 0
    with replacing(path) as partial, partial.open("wb") as stream:
        stream.write(head.bytes())
        stream.write(rows.data)


def _theirs(database: OneSided, start: int, stop: int, gammons: bool) -> Table:
    """Distributions `[N, 1 or 2, 32]` of some lists as GNU Backgammon stores them."""
    rows = np.arange(start, stop)
    tables = [exactly(database.survival(rows))]
    if gammons:
        first = exactly(database.survival(rows, gammon=True))
        first[rows < database.arrays.ranks[0, database.chequers]] = np.eye(1, first.shape[1], dtype=np.int64) * ONE
        tables.append(first)
    table = np.stack(tables, 1)
    if table[:, :, ROLLS:].any():
        raise SettingsError(f"a file of GNU Backgammon ends at {ROLLS - 1} rolls; this database needs more")
    return table[:, :, :ROLLS]


def _spans(table: Table) -> NDArray[np.int64]:
    """Of each distribution how many values there are between the first and the last above 0, and which is the first."""
    begins = (table > 0).argmax(-1)
    ends = table.shape[-1] - (table[..., ::-1] > 0).argmax(-1)
    return np.stack([ends - begins, begins], -1)


def _kept(spans: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which of 32 values are within the spans."""
    columns = np.arange(ROLLS)
    counts, begins = (spans[..., k, None].astype(np.int64) for k in range(2))
    return np.asarray((columns >= begins) & (columns < begins + counts))


def _packed(tables: list[Table], at: int, spans: NDArray[np.int64]) -> tuple[int, NDArray[np.uint16]]:
    """Values of some lists as `OneSidedArrays` holds them, from their two distributions, and their end.

    Their spans are written; the first begins at `at`.
    """
    survival = np.zeros((len(spans), 2, 64), dtype=np.int64)
    for k, table in enumerate(tables):
        survival[:, k, : table.shape[1]] = ONE - np.cumsum(table, 1)
        survival[:, k, table.shape[1] :] = 0
    inside = (survival > 0) & (survival < ONE)
    counts = inside.sum(2)
    firsts = (survival < ONE).argmax(2)
    lengths = counts.sum(1)
    begins = at + np.cumsum(lengths) - lengths
    spans[:] = os_word.py_func(begins, firsts[:, 0], counts[:, 0], firsts[:, 1], counts[:, 1])
    return at + int(lengths.sum()), survival[inside].astype(np.uint16)


def _blocks(size: int) -> Iterator[tuple[int, int]]:
    return pairwise([*range(0, size, _BLOCK), size])


def _split(path: Path, tables: Table) -> tuple[Table, Table | None]:
    _check(path, bool((tables.sum(-1) == ONE).all()), "a distribution")
    return tables[:, 0], tables[:, 1] if tables.shape[1] == 2 else None


def _data(path: Path, length: int | None) -> NDArray[np.uint8]:
    """What follows the header, mapped."""
    with opened(path) as stream:
        size = os.fstat(stream.fileno()).st_size - _HEADER
        if size < 0 or length not in (None, size):
            wanted = _HEADER + (length or 0)
            raise DataFileError(f"{path} has {size + _HEADER} bytes instead of {wanted}")
        if not size:
            return np.empty(0, np.uint8)
        return np.asarray(np.memmap(stream, dtype=np.uint8, mode="c", offset=_HEADER))


def _check(path: Path, right: bool, what: str) -> None:
    if not right:
        raise DataFileError(f"{path} is damaged: {what} cannot be right")
