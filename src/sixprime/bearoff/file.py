"""The database file: a header, then the arrays as they lie in memory, so that they can be memory-mapped.

Header, 1024 bytes: the line "Sixprime bear-off database", one line of JSON with `version`, `kind`, `points`,
`chequers`, `arrays` (name to dtype, shape and offset in the file) and `blake2b`, the checksum of everything
after the header; blanks up to the end. Arrays are little-endian and begin at multiples of 64.
A folder of databases may hold `checked.json`, which says which large files have been found whole before.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from sixprime.errors import DataFileError, SettingsError
from sixprime.paths import replacing
from sixprime.reading import opened, parse_json, read_json

VERSION = 2
_MAGIC = b"Sixprime bear-off database\n"
_HEADER = 1024
_ALIGN = 64
_DTYPE = re.compile(r"[<|][iuf][1248]")
_CHUNK = 1 << 22
_ALWAYS_VERIFIED = 1 << 20
"""Bytes. Larger files are checked in full only when they have changed since they were."""
_CHECKED = "checked.json"


@dataclass(frozen=True, slots=True)
class Content:
    """What a file holds; `arrays` maps names to dtype ("<u2") and shape, in the order of the file."""

    kind: str
    points: int
    chequers: int
    arrays: Mapping[str, tuple[str, tuple[int, ...]]]

    def places(self) -> dict[str, slice]:
        """Where the bytes of each array are."""
        places: dict[str, slice] = {}
        end = _HEADER
        for name, (dtype, shape) in self.arrays.items():
            start = -(-end // _ALIGN) * _ALIGN
            end = start + np.dtype(dtype).itemsize * prod(shape)
            places[name] = slice(start, end)
        return places

    def size(self) -> int:
        """Bytes of the whole file."""
        return int(list(self.places().values())[-1].stop)

    def header(self, checksum: str) -> bytes:
        """The first 1024 bytes."""
        places = self.places()
        fields = {
            "version": VERSION,
            "kind": self.kind,
            "points": self.points,
            "chequers": self.chequers,
            "arrays": {
                name: {"dtype": dtype, "shape": list(shape), "offset": places[name].start}
                for name, (dtype, shape) in self.arrays.items()
            },
            "blake2b": checksum,
        }
        return (_MAGIC + json.dumps(fields).encode()).ljust(_HEADER - 1) + b"\n"


def write(path: Path, content: Content, arrays: Mapping[str, NDArray[Any] | Iterator[NDArray[Any]]]) -> None:
    """Writes a database; other processes see the old file or the whole new one. Raises OSError.

    arrays: each whole, or its parts in order.
    """
    digest = hashlib.blake2b(digest_size=16)
    end = _HEADER
    with replacing(path) as partial, partial.open("wb") as stream:
        stream.seek(_HEADER)
        for name, place in content.places().items():
            chunk: bytes | memoryview = bytes(place.start - end)
            digest.update(chunk)
            stream.write(chunk)
            end = place.start
            array = arrays[name]
            for part in [array] if isinstance(array, np.ndarray) else array:
                stored = np.ascontiguousarray(part, dtype=content.arrays[name][0]).reshape(-1).view(np.uint8)
                for start in range(0, len(stored), _CHUNK):
                    chunk = stored[start : start + _CHUNK].data
                    digest.update(chunk)
                    stream.write(chunk)
                end += len(stored)
            if end != place.stop:
                raise ValueError(f"{name} takes {end - place.start} bytes, not {place.stop - place.start}")
        stream.seek(0)
        stream.write(content.header(digest.hexdigest()))
        # A file that has its name has its bytes, even when the power fails.
        stream.flush()
        os.fsync(stream.fileno())
    _note_checked(path)


def header(path: Path) -> Content:
    """What a database holds, by its header alone. Raises FileNotFoundError and DataFileError."""
    with _opened(path) as stream:
        return _header(path, stream)[0]


def read(path: Path, content: Content, *, verify: bool = False) -> dict[str, NDArray[Any]]:
    """Maps a database into memory; pages are shared with other processes, and writing changes only our copy.

    The checksum of a large file is compared only with `verify` or if the file has changed since it was.
    Raises FileNotFoundError, and DataFileError when the file is damaged, of another version or of another content.
    """
    with _opened(path) as stream:
        held, checksum = _header(path, stream)
        if held != content:
            wanted = f"{content.kind} {content.chequers}x{content.points}"
            raise _unusable(path, f"does not hold {wanted}, but {held.kind} {held.chequers}x{held.points}")
        size = stream.seek(0, os.SEEK_END)
        if size != content.size():
            raise _unusable(path, f"has {size} bytes instead of {content.size()}")
        if verify or size <= _ALWAYS_VERIFIED or not _was_checked(path):
            stream.seek(_HEADER)
            digest = hashlib.blake2b(digest_size=16)
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
            if digest.hexdigest() != checksum:
                raise _unusable(path, "is damaged: its checksum is wrong")
            _note_checked(path)
        # Copy-on-write, because kernels compiled for writable arrays do not take read-only ones.
        mapped = np.asarray(np.memmap(stream, dtype=np.uint8, mode="c"))
    return {
        name: mapped[place].view(content.arrays[name][0]).reshape(content.arrays[name][1])
        for name, place in content.places().items()
    }


@contextmanager
def sound(path: Path) -> Iterator[None]:
    """What is made of a database that was read. Raises DataFileError where its numbers cannot be."""
    try:
        yield
    except SettingsError as error:
        raise _unusable(path, f"is damaged: {error}") from error


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with opened(path) as stream:
            yield stream
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _unusable(path, f"cannot be read: {error.strerror or error}") from error


def _unusable(path: Path, problem: str) -> DataFileError:
    return DataFileError(f"the bear-off database {path} {problem}")


def _header(path: Path, stream: BinaryIO) -> tuple[Content, str]:
    """The content and the checksum that the header names."""
    head = stream.read(_HEADER)
    if not head.startswith(_MAGIC):
        raise _unusable(path, "is not a Sixprime database")
    try:
        fields = parse_json(head[len(_MAGIC) :])
        version, checksum = fields["version"], fields["blake2b"]
    except (ValueError, KeyError, TypeError) as error:
        raise _unusable(path, "has a damaged header") from error
    if version != VERSION:
        raise _unusable(path, f"is of version {version}; this program reads version {VERSION}")
    try:
        arrays = {name: (str(held["dtype"]), tuple(held["shape"])) for name, held in fields["arrays"].items()}
        if any(not shape or not all(type(n) is int and n >= 0 for n in shape) for _, shape in arrays.values()):
            raise ValueError("a shape that is none")
        if not all(_DTYPE.fullmatch(dtype) for dtype, _ in arrays.values()):
            raise ValueError("numbers of an unknown kind")
        content = Content(fields["kind"], fields["points"], fields["chequers"], arrays)
        same = content.header(checksum) == head
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise _unusable(path, "has a damaged header") from error
    if not same:
        raise _unusable(path, "has a damaged header")
    return content, checksum


def _stamp(path: Path) -> list[int]:
    status = path.stat()
    return [status.st_size, status.st_mtime_ns]


def _checked(folder: Path) -> dict[str, Any]:
    try:
        known = read_json(folder / _CHECKED)
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _was_checked(path: Path) -> bool:
    return bool(_checked(path.parent).get(path.name) == _stamp(path))


def _note_checked(path: Path) -> None:
    """Remembers a large file as whole; where that cannot be written, it is checked again each time."""
    with suppress(OSError):
        stamp = _stamp(path)
        if stamp[0] > _ALWAYS_VERIFIED and not _was_checked(path):
            known = _checked(path.parent) | {path.name: stamp}
            with replacing(path.parent / _CHECKED) as partial:
                partial.write_text(json.dumps(known))
