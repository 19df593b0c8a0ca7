"""How Sixprime reads: regular files only, never more of them than their kind can have, and only errors one can foresee.

A device without end, a named pipe that nobody writes to, an archive that unpacks to gigabytes and brackets within
brackets are refused before they cost anything. Files raise OSError, an `UnreadableFileError` where it is Sixprime that
refuses; content raises ValueError. The caller says in its own words what the file should have been.
"""

from __future__ import annotations

import codecs
import errno
import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from operator import index
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from sixprime.checks import shown
from sixprime.errors import UnreadableFileError

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from numpy.typing import NDArray

Name = str | os.PathLike[str]

TEXT = 4 << 20
"""Bytes of the largest recipe, table, state or list of settings."""
NET = 1 << 29
"""Bytes of the largest network file."""
DOCUMENT = 1 << 28
"""Bytes of the largest match, analysis or rollout in JSON."""
ROWS = 1 << 30
"""Bytes of the largest file of reference rows, or log."""
ARRAYS = 1 << 33
"""Bytes of the largest archive of arrays."""
_UNPACKED, _GROWTH = 24 << 20, 16
"""What an archive may unpack to: so many bytes, and so many for each of its own."""
_MEMBERS = 10_000
_LONGEST_HEADER = 10_000
_DTYPE = re.compile(r"[<>|][biufSU][0-9]{1,9}")
_PIECE = 1 << 20
_DOTS = 200

_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFSOCK: "a socket",
}


@contextmanager
def opened(path: Name, most: int | None = None) -> Iterator[BinaryIO]:
    """A regular file, open for reading bytes; most: how many it may have, None for any number. Raises OSError."""
    try:
        _refuse(path, os.stat(path), most)
        # What has become a pipe since must not make us wait for a writer.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags)
    except (ValueError, TypeError) as error:
        raise UnreadableFileError(errno.EINVAL, f"is no name of a file ({error})", _shown(path)) from None
    with open(descriptor, "rb") as stream:
        _refuse(path, os.fstat(descriptor), most)
        yield stream


def read_bytes(path: Name, most: int) -> bytes:
    """All bytes of a file. Raises OSError, also for more than `most`."""
    with opened(path, most) as stream:
        return _all(path, stream, most)


def read_stdin(most: int) -> bytes:
    """All bytes of standard input. Raises OSError, also for more than `most`."""
    return _all("standard input", sys.stdin.buffer, most)


def unpacked(data: bytes, most: int) -> bytes:
    """The data, unpacked where gzip packed it. Raises ValueError for damage, and for more than `most` bytes."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    import zlib

    stream = zlib.decompressobj(31)
    try:
        found = stream.decompress(data, most + 1)
    except zlib.error:
        raise ValueError("is damaged: it cannot be unpacked") from None
    if len(found) > most:
        raise ValueError(f"unpacks to more than {most} bytes")
    if not stream.eof:
        raise ValueError("is damaged: its end is missing")
    return found


def read_text(path: Name, most: int = TEXT, errors: str = "strict") -> str:
    """The text of a file in UTF-8, without a mark of byte order. errors: what is done with other bytes, as in
    `bytes.decode`, or `WESTERN`. Raises OSError, and ValueError for such bytes unless `errors` takes them."""
    return read_bytes(path, most).decode("utf-8-sig", errors)


def _western(error: UnicodeError) -> tuple[str, int]:
    """What stands for bytes that are not of the encoding."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", errors="replace"), error.end


WESTERN = "sixprime.western"
"""Takes bytes that are no UTF-8 for letters of Windows' Western encoding, as older programs write them."""
codecs.register_error(WESTERN, _western)


def read_json(path: Name, most: int = TEXT) -> Any:
    """The value in a file of JSON. Raises OSError, and ValueError for other content."""
    return parse_json(read_bytes(path, most))


def parse_json(text: str | bytes) -> Any:
    """The value of JSON. Raises ValueError."""
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("too many brackets within brackets") from None
    except UnicodeDecodeError:
        raise ValueError("JSON in UTF-8 was expected, found bytes of another encoding") from None
    except json.JSONDecodeError as error:
        found = repr(error.doc[error.pos :][:20]) if error.pos < len(error.doc) else "its end"
        raise ValueError(f"JSON was expected, found {found} at character {error.pos + 1}") from None


def parse_toml(text: str) -> dict[str, Any]:
    """The table of TOML. Raises ValueError."""
    import tomllib

    # What a key of many parts takes grows with their square.
    for line in text.splitlines():
        if line.count(".") > _DOTS and not line.lstrip().startswith("#"):
            raise ValueError(f"a line with more than {_DOTS} dots")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("too many brackets within brackets") from None


def parse_xml(data: bytes) -> Element:
    """The root of XML without entities of its own, which could grow without end. Raises ValueError."""
    from xml.etree.ElementTree import TreeBuilder
    from xml.parsers import expat

    def refuse(*_: object) -> None:
        raise ValueError("entities are not allowed")

    tree = TreeBuilder()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = tree.start
    parser.EndElementHandler = tree.end
    parser.CharacterDataHandler = tree.data
    try:
        parser.Parse(data, True)
        return tree.close()
    except (expat.ExpatError, LookupError) as error:
        raise ValueError(str(error)) from None


def read_arrays(path: Name) -> dict[str, NDArray[Any]]:
    """The arrays of a file that `numpy.savez` wrote, by name.

    Raises OSError, and ValueError for a file that is damaged, holds anything but numbers and text, or unpacks to more
    than such a file has reason to.
    """
    import struct
    import zlib
    from zipfile import BadZipFile, ZipFile

    with opened(path, ARRAYS) as stream:
        limit = unpacked_limit(os.fstat(stream.fileno()).st_size)
        try:
            with ZipFile(stream) as archive:
                members = archive.infolist()
                if len(members) > _MEMBERS or sum(member.file_size for member in members) > limit:
                    raise ValueError(f"unpacks to more than {limit:,} bytes")
                found = {}
                for member in members:
                    # Other methods take memory that nothing in the file foretells.
                    if member.compress_type not in (0, 8):
                        raise ValueError(f"{member.filename!r} is packed in an unknown way")
                    found[member.filename.removesuffix(".npy")] = _array(archive.read(member))
                return found
        except (BadZipFile, zlib.error, struct.error, EOFError, LookupError, RuntimeError) as error:
            raise ValueError(f"no archive of arrays, or a damaged one: {error}") from None
        except OSError as error:
            # A damaged archive sends its reader to places that no file has.
            if error.filename is not None:
                raise
            raise ValueError(f"a damaged archive of arrays: {error}") from None


def unpacked_limit(size: int) -> int:
    """Bytes that an archive of `size` bytes may unpack to for `read_arrays`."""
    return _UNPACKED + _GROWTH * size


def _array(data: bytes) -> NDArray[Any]:
    """The array in the bytes of a `.npy`, whose header is believed only where it agrees with them."""
    from ast import literal_eval
    from math import prod

    import numpy as np

    wide = data[6:7] > b"\1"
    start = 12 if wide else 10
    end = start + int.from_bytes(data[8:start], "little")
    if not data.startswith(b"\x93NUMPY") or end > min(len(data), _LONGEST_HEADER):
        raise ValueError("an array without a header")
    try:
        fields = literal_eval(data[start:end].decode())
        if not _DTYPE.fullmatch(fields["descr"]):
            raise TypeError(f"it holds {shown(fields['descr'])}, not numbers or text")
        shape, dtype = tuple(map(index, fields["shape"])), np.dtype(fields["descr"])
    except (SyntaxError, ValueError, TypeError, LookupError, RecursionError, MemoryError) as error:
        raise ValueError(f"an array with a damaged header: {error}") from None
    sound = dtype.itemsize and min(shape, default=0) >= 0
    if not sound or dtype.itemsize * prod(shape) != len(data) - end:
        raise ValueError(f"an array of {dtype} with shape {shown(shape)} in {len(data) - end} bytes")
    if end == len(data):
        return np.empty(shape, dtype)
    order: Literal["F", "C"] = "F" if fields.get("fortran_order") else "C"
    return np.frombuffer(data, dtype, offset=end).reshape(shape, order=order).copy(order)


def _all(path: Name, stream: BinaryIO, most: int) -> bytes:
    """What is left in a stream; in pieces, since `read` takes memory beforehand."""
    found = bytearray()
    while piece := stream.read(min(_PIECE, most + 1 - len(found))):
        found += piece
        if len(found) > most:
            raise UnreadableFileError(errno.EFBIG, f"is larger than {_size(most)}, the most that is read", _shown(path))
    return bytes(found)


def _refuse(path: Name, status: os.stat_result, most: int | None) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        number = errno.EISDIR if kind == stat.S_IFDIR else errno.EINVAL
        raise UnreadableFileError(number, f"is {_KINDS.get(kind, 'something else')}, not a regular file", _shown(path))
    if most is not None and status.st_size > most:
        said = f"is larger than {_size(most)}, the most that is read: {status.st_size:,} bytes"
        raise UnreadableFileError(errno.EFBIG, said, _shown(path))


def _size(most: int) -> str:
    return f"{most >> 20} MB" if most >= 1 << 20 else f"{most:,} bytes"


def _shown(path: object) -> str:
    return str(path) if isinstance(path, str | os.PathLike) else repr(path)
