"""Match equity tables as files of eXtreme Gammon (`.met`), in the form of the INI files of Windows.

    [Current]       Name, Version, Description, Copyright
    [PostCrawford]  Size, Data: chances of the trailer who needs 1, 2, .. points, with blanks between
    [PreCrawford]   Size, and a row for every number of points the player needs: 1=.5 .677 .., 2=.323 .5 ..

As in real files, the first row is that of the Crawford game, and what the other keys say does not count.
"""

from __future__ import annotations

import configparser
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sixprime.checks import shown
from sixprime.cube.met import MAX_AWAY, MatchEquityTable, extend
from sixprime.errors import InvalidFileError, SettingsError, UnreadableFileError
from sixprime.paths import write
from sixprime.reading import TEXT, read_bytes

_Array = NDArray[np.float64]
_PRE, _POST = "precrawford", "postcrawford"


def is_met(data: bytes) -> bool:
    """Whether a file begins with a section, not as XML does."""
    return data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"[", b";")


def read_met(path: Path | str, data: bytes | None = None) -> MatchEquityTable:
    """Reads a table. data: what is in the file, where that is known.

    Raises OSError, and InvalidFileError for a file that lacks a part or holds a chance outside 0..1.
    """
    path = Path(path)
    try:
        content = read_bytes(path, TEXT) if data is None else data
    except UnreadableFileError as error:
        raise InvalidFileError(str(error.strerror), path=path) from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("cp1252", errors="replace")
    parser = configparser.RawConfigParser(
        strict=False, interpolation=None, delimiters=("=",), comment_prefixes=(";",), empty_lines_in_values=False
    )
    try:
        # Blanks before a key would make it a part of the value above.
        parser.read_string("\n".join(line.strip() for line in text.replace("\0", "").splitlines()))
    except configparser.Error as error:
        raise InvalidFileError(f"no match equity table: {str(error).splitlines()[0]}", path=path) from None
    sections = {name.casefold(): dict(parser.items(name)) for name in parser.sections()}

    pre, post = (_section(sections, name, path) for name in (_PRE, _POST))
    size = _size(pre, "PreCrawford", path)
    rows = np.stack([_row(pre, str(away), size, f"row {away} of [PreCrawford]", path) for away in range(1, size + 1)])
    found = _row(post, "data", max(size - 1, 1), "Data of [PostCrawford]", path)
    about = sections.get("current", {})
    full, tail = extend(rows, found[None, :MAX_AWAY])
    name, description = (" ".join(about.get(key, "").split()) for key in ("name", "description"))
    return MatchEquityTable(name or path.stem, description, f"read from {path.name}", size, full, tail)


def write_met(table: MatchEquityTable, path: Path | str, size: int | None = None) -> None:
    """Writes a table of `size` points (None: as long as the table is) with all its digits.

    Raises OSError, and SettingsError for a size outside 2..64, or a table in which the players are not alike.
    """
    size = table.length if size is None else size
    if not 2 <= size <= MAX_AWAY:
        raise SettingsError(f"a match equity table has 2 to {MAX_AWAY} points. Got {size} instead.")
    if not np.array_equal(table.post[0], table.post[1]):
        raise SettingsError(f"files of eXtreme Gammon hold tables of equal players only; {table.name} is none")
    rows = "".join(f"{away:>2}={_digits(table.pre[away - 1, :size])}\r\n" for away in range(1, size + 1))
    head = {"Name": table.name, "Version": "1.0", "Description": table.description, "Copyright": ""}
    current = "".join(f"{key}={' '.join(value.split())}\r\n" for key, value in head.items())
    text = (
        f"[Current]\r\n{current}\r\n[PostCrawford]\r\nSize={size}\r\nData={_digits(table.post[0, :size])}\r\n\r\n"
        f"[PreCrawford]\r\nSize={size}\r\n{rows}"
    )
    write(Path(path), text.encode("cp1252", errors="replace"))


def _section(sections: dict[str, dict[str, str]], name: str, path: Path) -> dict[str, str]:
    title = {_PRE: "PreCrawford", _POST: "PostCrawford"}[name]
    if name not in sections:
        found = ", ".join(f"[{shown(each)}]" for each in list(sections)[:5]) or "none"
        raise InvalidFileError(f"expected the section [{title}] of a match equity table, found {found}", path=path)
    return sections[name]


def _size(section: dict[str, str], title: str, path: Path) -> int:
    """How many points a table has: as said, or as many rows as there are."""
    text = section.get("size", "").strip()
    if not text:
        text = str(sum(key.strip().isdecimal() for key in section))
    size = int(text) if text.isascii() and text.isdecimal() and len(text) < 4 else 0
    if not 1 <= size <= MAX_AWAY:
        raise InvalidFileError(f"Size of [{title}] is 1 to {MAX_AWAY} points, found {shown(text)}", path=path)
    return size


def _row(section: dict[str, str], key: str, size: int, what: str, path: Path) -> _Array:
    """At least `size` chances."""
    found = []
    for word in section.get(key, "").replace(",", ".").split():
        try:
            value = float(word)
        except ValueError:
            value = -1.0
        if not 0.0 <= value <= 1.0:
            raise InvalidFileError(f"expected numbers from 0 to 1 in {what}, found {shown(word)}", path=path)
        found.append(value)
    if len(found) < size:
        raise InvalidFileError(f"expected {size} chances in {what}, found {len(found)}", path=path)
    return np.array(found[:size] if key != "data" else found)


def _digits(values: _Array) -> str:
    """Chances with all their digits: those of single precision, where that is all there is."""
    words = []
    for value in values:
        single = np.float32(value)
        words.append(np.format_float_positional(single if single == value else value, unique=True, trim="0"))
    return " ".join(words)
