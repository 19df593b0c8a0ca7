"""The database file: a header, then the arrays as they lie in memory, so that they can be memory-mapped.

Header, 1024 bytes: the line "Sixprime bear-off database", one line of JSON with `version`, `kind`, `points`,
`chequers`, `arrays` (name to dtype, shape and offset in the file) and `blake2b`, the checksum of everything
after the header; blanks up to the end. Arrays are little-endian and begin at multiples of 64.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime.errors import DataFileError
from sixprime.paths import replacing

VERSION = 1
_MAGIC = b"Sixprime bear-off database\n"
_HEADER = 1024
_ALIGN = 64
_CHUNK = 1 << 22
_ALWAYS_VERIFIED = 1 << 26
"""Larger files are checked in full only when that is asked for."""


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


def write(path: Path, content: Content, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Writes a database; other processes see the old file or the whole new one. Raises OSError."""
    chunks: list[bytes | memoryview] = []
    end = _HEADER
    for name, place in content.places().items():
        stored = np.ascontiguousarray(arrays[name], dtype=content.arrays[name][0])
        chunks += [bytes(place.start - end), stored.reshape(-1).view(np.uint8).data]
        end = place.stop
    digest = hashlib.blake2b(digest_size=16)
    for chunk in chunks:
        digest.update(chunk)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as partial, partial.open("xb") as stream:
        stream.write(content.header(digest.hexdigest()))
        for chunk in chunks:
            stream.write(chunk)


def read(path: Path, content: Content, *, verify: bool = False) -> dict[str, NDArray[Any]]:
    """Maps a database into memory; pages are shared with other processes, and writing changes only our copy.

    The checksum of a file over 64 MB is compared only with `verify`. Raises FileNotFoundError, and
    DataFileError when the file is damaged, of another version or of another content.
    """

    def unusable(problem: str) -> DataFileError:
        return DataFileError(f"the bear-off database {path} {problem}")

    try:
        with path.open("rb") as stream:
            head = stream.read(_HEADER)
            if not head.startswith(_MAGIC):
                raise unusable("is not a Sixprime database")
            try:
                fields = json.loads(head[len(_MAGIC) :])
                version, checksum = fields["version"], fields["blake2b"]
            except (ValueError, KeyError, TypeError, RecursionError) as error:
                raise unusable("has a damaged header") from error
            if version != VERSION:
                raise unusable(f"is of version {version}; this program reads version {VERSION}")
            if head != content.header(checksum):
                raise unusable(f"does not hold {content.kind} {content.chequers}x{content.points}")
            size = stream.seek(0, os.SEEK_END)
            if size != content.size():
                raise unusable(f"has {size} bytes instead of {content.size()}")
            if verify or size <= _ALWAYS_VERIFIED:
                stream.seek(_HEADER)
                digest = hashlib.blake2b(digest_size=16)
                while chunk := stream.read(_CHUNK):
                    digest.update(chunk)
                if digest.hexdigest() != checksum:
                    raise unusable("is damaged: its checksum is wrong")
            # Copy-on-write, because kernels compiled for writable arrays do not take read-only ones.
            mapped = np.asarray(np.memmap(stream, dtype=np.uint8, mode="c"))
    except FileNotFoundError:
        raise
    except OSError as error:
        raise unusable(f"cannot be read: {error.strerror or error}") from error
    return {
        name: mapped[place].view(content.arrays[name][0]).reshape(content.arrays[name][1])
        for name, place in content.places().items()
    }
