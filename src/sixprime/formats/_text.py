"""Bytes to lines: encodings, line ends, files and standard input."""

from __future__ import annotations

import codecs
import os
import re
from pathlib import Path

from sixprime import checks
from sixprime.errors import InvalidFileError, UnreadableFileError
from sixprime.paths import replacing
from sixprime.reading import read_bytes, read_stdin

STDIN = "-"
HEAD = 4096  # characters that detectors look at
LARGEST_FILE = 64 << 20  # bytes; the largest collections of matches are far smaller


_UTF8_MARK = b"\xef\xbb\xbf"
_JAPANESE = re.compile("[\u3005-\u3007\u3041-\u30ff\u4e00-\u9fff]+")
_NOT_JAPANESE = re.compile("[^\t\n\r\x1a -~\u2010-\u2312\u2500-\u25ff\u3000-\u30ff\u4e00-\u9fff\uff01-\uff9f]")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_QUOTED = re.compile(r"^(?:>[ \t]?)+", re.MULTILINE)
_UNQUOTED = re.compile(r"^(?!>)[^\n]*\S", re.MULTILINE)
_INDENTED = re.compile(r"^(?: {4}|\t)", re.MULTILINE)
_NOT_INDENTED = re.compile(r"^(?! {4}|\t)[^\n]*\S", re.MULTILINE)
_FENCE = re.compile(r"\s{0,99}(```|~~~)[ \t\w]*\n")


def decode(data: bytes, encoding: str | None = None) -> str:
    """The text of a file in the encoding given, where undefined bytes become U+FFFD.

    Without one: UTF-16 (with its mark, or where every other byte is mostly zero), UTF-8 with or without a mark,
    Shift-JIS where that makes Japanese words, else Windows' Western encoding. Raises SettingsError for an encoding
    that is not known.
    """
    if encoding is not None:
        return data.decode(known_encoding(encoding), errors="replace").removeprefix("\ufeff")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    if 0 in data[:HEAD]:
        for zero, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
            zeros, letters = data[zero:HEAD:2], data[1 - zero : HEAD : 2]
            if 2 * zeros.count(0) > len(zeros) > 8 * letters.count(0):
                return data.decode(encoding, errors="replace")
    data = data.removeprefix(_UTF8_MARK)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        pass
    if (text := _from_shift_jis(data)) is not None:
        return text
    # Windows-1252 leaves five bytes undefined; Latin-1 takes everything.
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _from_shift_jis(data: bytes) -> str | None:
    """The text where all of it can be Shift-JIS and most of what is not ASCII is words of several Japanese letters.

    An accented letter and the plain one behind it make a Japanese one by chance, but hardly ever two in a row.
    """
    try:
        text = data.decode("cp932")
    except UnicodeDecodeError:
        return None
    words = _JAPANESE.findall(text)
    long = sum(len(word) for word in words if len(word) > 1)
    alone = sum(len(word) == 1 for word in words) + sum("\uff61" <= letter <= "\uff9f" for letter in text)
    return text if long > 2 * alone and _NOT_JAPANESE.search(text) is None else None


def known_encoding(name: str) -> str:
    """The name under which Python knows an encoding of text. Raises SettingsError when it does not."""
    try:
        found = codecs.lookup(name)
        b"a".decode(found.name, "replace")  # not of bytes to bytes, as "hex" is
    except (LookupError, TypeError, ValueError):
        found = None
    if found is None:
        checks.refuse(
            "The 'encoding' parameter", "the name of a text encoding such as utf-8, cp1252, shift_jis or koi8-r", name
        )
    return found.name


def plain(text: str) -> str:
    """`text` without control characters, which have no business in a name or remark; tabs and line ends stay."""
    return _CONTROL.sub("", text) if _CONTROL.search(text) is not None else text


def _clean(text: str) -> str:
    """`text` with line feeds at the ends of lines, and without control characters, DOS' end mark and padding too.

    What mails and posts put around all of it goes, too: marks of a quotation, a fence, the margin of a block. Lines
    keep their numbers.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = plain(text)
    if text.startswith(">") and _UNQUOTED.search(text) is None:
        text = _QUOTED.sub("", text)
    if (fence := _FENCE.match(text)) is not None:
        text = "\n" * fence[0].count("\n") + text[fence.end() :]
        before, mark, behind = text.rpartition(f"\n{fence[1]}")
        text = before + "\n" + behind if mark and behind.strip() == "" else text
    if text.startswith(("    ", "\t", "\n")) and _NOT_INDENTED.search(text) is None:
        text = _INDENTED.sub("", text)
    return text


MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def month_number(name: str) -> int | None:
    """1 to 12 for the English name of a month, which may be cut after three letters; None for what is none."""
    short = [month[:3] for month in MONTHS]
    return short.index(name[:3]) + 1 if name[:3] in short else None


class Document:
    """One file as a reader gets it: its bytes, its text (decoded when first asked for) and a name for messages.

    encoding: of the bytes; None to find out.
    """

    __slots__ = ("_bytes", "_lines", "_raw_head", "_text", "encoding", "head_lines", "name")

    def __init__(self, content: str | bytes, name: str = "", encoding: str | None = None) -> None:
        self.name, self.encoding = name, encoding
        self._raw_head = content[:HEAD] if isinstance(content, str) else ""
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
        """The text, without a mark of byte order at its start or control characters, with line feeds as line ends."""
        if self._text is None:
            decoded = decode(self._bytes or b"", self.encoding)
            self._raw_head, self._text = decoded[:HEAD], _clean(decoded)
        return self._text

    @property
    def undefined(self) -> int:
        """How many bytes the encoding that was named does not know, as far as the text was asked for."""
        return self._text.count("\ufffd") if self.encoding is not None and self._text is not None else 0

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
        return self.text is not None and "\0" not in self._raw_head


def lines_of(text: str) -> list[str]:
    """The lines of the text of a document, without marks of byte order, which stand within joined files."""
    return text.replace("\ufeff", "").split("\n")


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
