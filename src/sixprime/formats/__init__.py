"""Match files: bytes or text come in, `Match` values go out, and back.

One file for each format; `_recorder` plays the games through by the rules, `_text` deals with bytes and
encodings. A reader raises only InvalidFileError, and only when a file holds no match at all: what else is
wrong goes into `Match.problems` with its line and column, and everything sound is kept.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from sixprime.errors import SettingsError
from sixprime.formats import mat
from sixprime.formats._text import STDIN, decode, load
from sixprime.game.record import Match, Problem

__all__ = ["FORMATS", "Format", "detect", "read", "read_all", "read_text", "write"]


@dataclass(frozen=True, slots=True)
class Format:
    """One file format.

    looks_like: whether a text is of this format. parse: all matches of a text, given the path to name in
    messages. write: None when it can only be read.
    """

    name: str
    title: str
    extensions: tuple[str, ...]
    looks_like: Callable[[str], bool]
    parse: Callable[[str, str], list[Match]]
    write: Callable[[Match, str | os.PathLike[str]], None] | None = None


FORMATS: dict[str, Format] = {
    format.name: format
    for format in (Format(mat.NAME, "Jellyfish match", (".mat", ".txt"), mat.looks_like, mat.parse, mat.write),)
}
"""The known formats by name, in the order in which they are tried."""


def read(path: str | os.PathLike[str]) -> Match:
    """The match of a file, or of standard input for "-"; of several, the first (`read_all` has them all).

    Raises InvalidFileError when the file cannot be read or holds no match.
    """
    return _first(read_all(path))


def read_all(path: str | os.PathLike[str]) -> list[Match]:
    """Every match of a file, or of standard input for "-", at least one. Raises InvalidFileError."""
    name = os.fspath(path)
    return _parse(load(path), "standard input" if name == STDIN else str(name))


def read_text(text: str | bytes, source: str = "") -> Match:
    """The (first) match of a text or of the bytes of a file; `source` is the name to use in messages.

    Raises InvalidFileError when it holds no match.
    """
    return _first(_parse(text, source))


def detect(data: str | bytes) -> str | None:
    """The name of the format of a text or of the bytes of a file; None when it is not known."""
    text = decode(data) if isinstance(data, bytes) else data
    return next((format.name for format in FORMATS.values() if format.looks_like(text)), None)


def write(match: Match, path: str | os.PathLike[str], format: str | None = None) -> None:
    """Writes a match in a format given by name or by the extension of the file, replacing it in one step.

    Raises SettingsError for an unknown format, OSError when the file cannot be written.
    """
    extension = Path(path).suffix.lower()
    for known in FORMATS.values():
        if (known.name == format if format is not None else extension in known.extensions) and known.write is not None:
            known.write(match, path)
            return
    names = ", ".join(known.name for known in FORMATS.values() if known.write is not None)
    raise SettingsError(
        f"The 'format' parameter must be one of {names}. Got {format if format is not None else extension!r} instead."
    )


def _parse(data: str | bytes, source: str) -> list[Match]:
    text = decode(data) if isinstance(data, bytes) else data
    if text.isspace():
        text = ""  # else millions of blank lines are looked at one by one
    # What nothing recognises goes to the one that explains best what it misses.
    return FORMATS[detect(text) or mat.NAME].parse(text, source)


def _first(matches: list[Match]) -> Match:
    match = matches[0]
    if len(matches) == 1:
        return match
    problem = Problem(f"only the first of {len(matches)} matches is read", match.source or None)
    return replace(match, problems=(*match.problems, problem))
