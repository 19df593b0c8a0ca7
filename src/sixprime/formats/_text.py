"""Bytes to lines: encodings, line ends, files and standard input."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from sixprime.errors import InvalidFileError, UnreadableFileError
from sixprime.paths import replacing
from sixprime.reading import read_bytes, read_stdin

Report = Callable[[str, int | None, int | None], None]
"""Takes a message, a line and a column, both counted from 1."""

STDIN = "-"
HEAD = 4096  # characters that detectors look at
LARGEST_FILE = 64 << 20  # bytes; the largest collections of matches are far smaller


def decode(data: bytes) -> str:
    """The text of a file: UTF-16 (with its mark, or plain Western text), UTF-8 with or without a mark, else Windows'
    Western encoding."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    if 0 in data[:HEAD]:
        for zero, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
            zeros, letters = data[zero:HEAD:2], data[1 - zero : HEAD : 2]
            if not any(zeros) and all(letters):
                return data.decode(encoding, errors="replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        # Windows-1252 leaves five bytes undefined; Latin-1 takes everything.
        try:
            return data.decode("cp1252")
        except UnicodeDecodeError:
            return data.decode("latin-1")


def _clean(text: str) -> str:
    """`text` with line feeds at the ends of lines, and without the end marks of DOS and padding behind it."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.rstrip("\0\x1a") if text.endswith(("\0", "\x1a")) else text


class Document:
    """One file as a reader gets it: its bytes, its text (decoded when first asked for) and a name for messages."""

    __slots__ = ("_bytes", "_lines", "_text", "head_lines", "name")

    def __init__(self, content: str | bytes, name: str = "") -> None:
        self.name = name
        self._text = _clean(content) if isinstance(content, str) else None
        self._bytes = content if isinstance(content, bytes) else None
        self._lines: list[str] | None = None
        self.head_lines: list[str] | None = None  # kept by `_script.head_lines`

    @property
    def data(self) -> bytes:
        """The bytes; of a text, in UTF-8."""
        if self._bytes is None:
            self._bytes = self.text.encode("utf-8", errors="replace")
        return self._bytes

    @property
    def text(self) -> str:
        """The text, without a mark of byte order at its start, with line feeds at the ends of lines."""
        if self._text is None:
            self._text = _clean(decode(self._bytes or b""))
        return self._text

    @property
    def lines(self) -> list[str]:
        """The lines of the text without their ends; none for a text of blanks."""
        if self._lines is None:
            # Millions of blank lines would all be looked at one by one.
            self._lines = [] if self.text.isspace() else lines_of(self.text)
        return self._lines

    @property
    def head(self) -> str:
        """The first characters of the text that are no white space: what most formats are recognised by."""
        return self.text[: 2 * HEAD].lstrip("\ufeff \t\r\n")[:HEAD]

    @property
    def is_text(self) -> bool:
        """Whether this may be read as text: it holds no null characters to speak of."""
        return "\0" not in self.text[:HEAD]


def lines_of(text: str) -> list[str]:
    """The lines of a text whatever its line ends, without them and without marks of byte order (joined files)."""
    return text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def load(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a file, or of standard input for "-".

    Raises InvalidFileError when it cannot be read, is no regular file or larger than LARGEST_FILE.
    """
    try:
        return read_stdin(LARGEST_FILE) if str(path) == STDIN else read_bytes(path, LARGEST_FILE)
    except OSError as error:
        where = error.filename or str(path)
        reason = str(error.strerror or error)
        known = isinstance(error, UnreadableFileError)
        raise InvalidFileError(reason if known else f"cannot be read: {reason}", path=where) from error


def save(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Writes bytes, or text in UTF-8, through a temporary file beside the target, so that nobody sees half a file.

    Raises OSError.
    """
    with replacing(Path(path)) as partial:
        partial.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", errors="replace"))
