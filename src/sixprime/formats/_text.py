"""Bytes to lines: encodings, line ends, files and standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from sixprime.errors import InvalidFileError
from sixprime.paths import replacing

Report = Callable[[str, int | None, int | None], None]
"""Takes a message, a line and a column, both counted from 1."""

STDIN = "-"
LARGEST_FILE = 64 << 20  # bytes; the largest collections of matches are far smaller


def decode(data: bytes) -> str:
    """The text of a file: UTF-16 with its mark, UTF-8 with or without, else Windows' Western encoding."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Windows-1252 leaves five bytes undefined; Latin-1 takes everything.
        try:
            return data.decode("cp1252")
        except UnicodeDecodeError:
            return data.decode("latin-1")


def lines_of(text: str) -> list[str]:
    """The lines of a text whatever its line ends, without them and without marks of byte order (joined files)."""
    return text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def load(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, or of standard input for "-".

    Raises InvalidFileError when it cannot be read, or is larger than LARGEST_FILE (as a device without end is).
    """
    name = os.fspath(path)
    try:
        if name == STDIN:
            data = sys.stdin.buffer.read(LARGEST_FILE + 1)
        else:
            with Path(path).open("rb") as stream:
                data = stream.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InvalidFileError(f"cannot be read: {reason}", path=name) from error
    if len(data) > LARGEST_FILE:
        source = "standard input" if name == STDIN else name
        raise InvalidFileError(f"is larger than {LARGEST_FILE >> 20} MB, too large for a match file", path=source)
    return data


def save(path: str | os.PathLike[str], text: str) -> None:
    """Writes UTF-8 through a temporary file beside the target, so that nobody sees half a file. Raises OSError."""
    with replacing(Path(path)) as partial:
        partial.write_text(text, encoding="utf-8", errors="replace", newline="\n")
