"""The database file: a header, then the arrays as they lie in memory, so that they can be memory-mapped.

Header, 1024 bytes: the line "Sixprime bear-off database", one line of JSON with `version`, `kind`, `points`,
`chequers`, `arrays` (name to dtype, shape and offset in the file) and `blake2b`, the checksum of everything
after the header; blanks up to the end. Arrays are little-endian and begin at multiples of 64.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime.errors import DataFileError

VERSION = 1
_MAGIC = b"Sixprime bear-off database\n"
_HEADER = 1024
_ALIGN = 64
_CHUNK = 1 << 22
_ALWAYS_VERIFIED = 1 << 26
"""Larger files are checked in full only when that is asked for."""


def write(path: Path, kind: str, points: int, chequers: int, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Writes a database; other processes see the old file or the whole new one. Raises OSError."""
    layout: dict[str, Any] = {}
    digest = hashlib.blake2b(digest_size=16)
    position = _HEADER
    chunks: list[bytes | memoryview] = []
    for name, array in arrays.items():
        stored = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        gap = b"\0" * (-position % _ALIGN)
        position += len(gap)
        layout[name] = {"dtype": stored.dtype.str, "shape": list(stored.shape), "offset": position}
        position += stored.nbytes
        chunks += [gap, stored.reshape(-1).view(np.uint8).data]
    for chunk in chunks:
        digest.update(chunk)
    header = {
        "version": VERSION,
        "kind": kind,
        "points": points,
        "chequers": chequers,
        "arrays": layout,
        "blake2b": digest.hexdigest(),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write((_MAGIC + json.dumps(header).encode()).ljust(_HEADER - 1) + b"\n")
            for chunk in chunks:
                stream.write(chunk)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read(
    path: Path,
    kind: str,
    points: int,
    chequers: int,
    arrays: Mapping[str, tuple[str, tuple[int, ...]]],
    *,
    verify: bool,
) -> dict[str, NDArray[Any]]:
    """Maps a database into memory; the pages are shared with other processes, writing changes only our copy.

    arrays: name to dtype and shape, as they must be. Raises FileNotFoundError, and DataFileError when the
    file cannot be used.
    """

    def unusable(problem: str) -> DataFileError:
        return DataFileError(f"the bear-off database {path} {problem}")

    try:
        with path.open("rb") as stream:
            head = stream.read(_HEADER)
            size = stream.seek(0, os.SEEK_END)
            if not head.startswith(_MAGIC):
                raise unusable("is not a Sixprime database")
            try:
                header = json.loads(head[len(_MAGIC) :])
                version, checksum = header["version"], header["blake2b"]
                found = (header["kind"], header["points"], header["chequers"])
                layout = {n: (a["dtype"], tuple(a["shape"]), int(a["offset"])) for n, a in header["arrays"].items()}
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise unusable("has a damaged header") from error
            if version != VERSION:
                raise unusable(f"is of version {version}; this program reads version {VERSION}")
            if found != (kind, points, chequers):
                raise unusable(f"holds {found}, not {(kind, points, chequers)}")
            if {name: entry[:2] for name, entry in layout.items()} != dict(arrays):
                raise unusable("has a damaged header")
            end = _HEADER
            for dtype, shape, offset in layout.values():
                if offset < end or offset % _ALIGN:
                    raise unusable("has a damaged header")
                end = offset + np.dtype(dtype).itemsize * int(np.prod(shape, dtype=np.int64))
            if size != end:
                raise unusable(f"has {size} bytes instead of {end}")
            if verify or size <= _ALWAYS_VERIFIED:
                stream.seek(_HEADER)
                digest = hashlib.blake2b(digest_size=16)
                while chunk := stream.read(_CHUNK):
                    digest.update(chunk)
                if digest.hexdigest() != checksum:
                    raise unusable("is damaged: its checksum is wrong")
            # Copy-on-write, because kernels compiled for writable arrays do not take read-only ones.
            mapped = np.memmap(stream, dtype=np.uint8, mode="c")
    except FileNotFoundError:
        raise
    except OSError as error:
        raise unusable(f"cannot be read: {error.strerror or error}") from error
    return {
        name: np.asarray(mapped[offset : offset + _nbytes(dtype, shape)]).view(dtype).reshape(shape)
        for name, (dtype, shape, offset) in layout.items()
    }


def _nbytes(dtype: str, shape: tuple[int, ...]) -> int:
    return np.dtype(dtype).itemsize * int(np.prod(shape, dtype=np.int64))
