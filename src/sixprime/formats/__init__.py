"""Match and position files: bytes or text come in, `Match` values go out, and back.

One file for each format, which describes itself as a `Format`; `_replay` and `_recorder` play the games through by
the rules, `_text` deals with bytes and encodings. A reader raises only InvalidFileError, and only when a file holds no
match at all: what else is wrong goes into `Match.problems` with its place, and everything sound is kept.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from sixprime import checks
from sixprime.errors import InvalidFileError, SettingsError
from sixprime.formats import (
    bgammon,
    bgblitz,
    bgf,
    bgroom,
    bkg,
    gam,
    gnubg_text,
    jellyfish_pos,
    mat,
    ogxm,
    oldmoves,
    partygammon,
    pasted,
    position_lines,
    sgf,
    sgg,
    snowie,
    tmg,
    xg,
    xg_match,
    xg_text,
)
from sixprime.formats._format import Feature, Format, Holds, features
from sixprime.formats._text import STDIN, Document, known_encoding, load, save
from sixprime.game.record import Game, Match, Problem
from sixprime.lazy import uncollected

__all__ = [
    "FORMATS",
    "Feature",
    "Format",
    "Holds",
    "detect",
    "features",
    "first",
    "format_for",
    "known_encoding",
    "losses",
    "places_for",
    "read",
    "read_all",
    "read_all_text",
    "read_text",
    "render",
    "save",
    "write",
]

FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        xg.FORMAT,
        xg.POSITION_FORMAT,
        bgf.FORMAT,
        ogxm.FORMAT,
        jellyfish_pos.FORMAT,
        sgf.FORMAT,
        xg_text.FORMAT,
        bgblitz.FORMAT,
        gnubg_text.FORMAT,
        *position_lines.FORMATS,
        sgg.FORMAT,
        tmg.FORMAT,
        oldmoves.FORMAT,
        partygammon.FORMAT,
        bgroom.FORMAT,
        bgammon.FORMAT,
        mat.FORMAT,
        snowie.FORMAT,
        xg_match.FORMAT,
        gam.FORMAT,
        gam.EMPIRE_FORMAT,
        bkg.FORMAT,
        pasted.FORMAT,
    )
}
"""The known formats by name, in the order in which they are tried on a file."""


def read(path: str | os.PathLike[str], encoding: str | None = None) -> Match:
    """The match of a file, or of standard input for "-"; of several, the first (`read_all` has them all).

    encoding: of its text, such as "shift_jis"; None to find out. Raises InvalidFileError when the file cannot be read
    or holds no match, SettingsError for an encoding that is not known.
    """
    return first(read_all(path, encoding))


def read_all(path: str | os.PathLike[str], encoding: str | None = None) -> list[Match]:
    """Every match of a file, or of standard input for "-", at least one; encoding and errors as for `read`."""
    name = checks.path(path)
    if encoding is not None:
        encoding = known_encoding(encoding)
    return _parse(Document(load(name), "standard input" if name == STDIN else name, encoding))


def read_text(text: str | bytes, source: str = "", encoding: str | None = None) -> Match:
    """The (first) match of a text or of the bytes of a file; `source` is the name to use in messages.

    encoding: of bytes; None to find out. Raises InvalidFileError when it holds no match, SettingsError for an encoding
    that is not known.
    """
    return first(read_all_text(text, source, encoding))


def read_all_text(text: str | bytes, source: str = "", encoding: str | None = None) -> list[Match]:
    """Every match of a text or of the bytes of a file, at least one; arguments and errors as for `read_text`."""
    checks.Instance((str, bytes), "a text or bytes")("text", text)
    return _parse(Document(text, source, None if encoding is None else known_encoding(encoding)))


def detect(data: str | bytes) -> str | None:
    """The name of the format of a text or of the bytes of a file; None when it is not known."""
    found = _detect(Document(data))
    return found.name if found is not None else None


def format_for(name: str | None, path: str | os.PathLike[str] = "") -> Format:
    """The format that can be written, given by name or, without one, by the extension of a file.

    Raises SettingsError for an unknown one.
    """
    checks.Maybe(checks.TEXT)("format", name)
    extension = Path(path).suffix.lower()
    found = [
        known for known in FORMATS.values() if (known.name == name if name is not None else extension in known.suffixes)
    ]
    for known in found:
        if known.write is not None:
            return known
    if found:
        what = f"{found[0].title} can be read, not written"
    elif name is not None:
        what = f"{name!r} is no format"
    else:
        what = f"no format has files that end in {extension!r}" if extension else f"{str(path)!r} has no suffix"
    writers = [known for known in FORMATS.values() if known.write is not None]
    # Whoever named a file has to choose another suffix, not a name.
    names = [known.name if name is not None else known.suffixes[0] for known in writers if name or known.suffixes]
    raise SettingsError(f"{what}; formats that can be written: {', '.join(dict.fromkeys(names))}")


def render(matches: Sequence[Match], format: Format | str) -> list[str | bytes]:
    """The files that hold the matches: one, or as many as the format needs (one for each match or game).

    Raises SettingsError for a format that cannot be written, InvalidFileError for what it cannot hold at all.
    """
    known = format_for(format) if isinstance(format, str) else format
    checks.Instance(Format)("format", known)
    matches = checks.listed("match", matches, Match)
    if not matches:
        checks.refuse("match", "at least one", matches)
    write = known.write
    if write is None:
        raise SettingsError(f"{known.title} can only be read")
    if known.holds is Holds.POSITIONS:
        return [write(matches)]
    if known.holds is not Holds.POSITION:
        if any(not match.games for match in matches):
            raise InvalidFileError(f"there is no game to write as {known.title}")
        if any(match.only_position for match in matches) and not {Feature.SET, Feature.MATCH_LENGTH} <= known.keeps:
            raise InvalidFileError(f"a position without a game cannot be written as {known.title}")
    if known.holds is Holds.MATCHES:
        return [write(matches)]
    if Feature.SCORE not in known.keeps:
        # Where nothing but plays and results is written, a game without either is nothing.
        matches = [replace(match, games=tuple(filter(_has_content, match.games))) for match in matches]
        if any(not match.games for match in matches):
            raise InvalidFileError(f"there is no play to write as {known.title}")
    if known.holds is Holds.GAME:
        matches = [replace(match, games=(game,)) for match in matches for game in match.games]
    return [write([match]) for match in matches]


def losses(matches: Sequence[Match], format: Format, files: Sequence[str | bytes]) -> list[list[str]]:
    """Names of what `files` do not hold of each match; files: what `render` made of the matches."""
    with uncollected():
        again: list[Match] = []
        if any(map(format.must_be_read_again, matches)):
            with suppress(InvalidFileError):
                again = [match for file in files for match in format.read(Document(file))]
        known = again if len(again) == len(matches) else [None] * len(matches)
        return [format.losses(match, read) for match, read in zip(matches, known, strict=True)]


def _has_content(game: Game) -> bool:
    return bool(game.actions) or game.winner is not None


def write(
    match: Match | Sequence[Match], path: str | os.PathLike[str], format: Format | str | None = None
) -> list[Path]:
    """Writes a match or several in a format given by name or by the extension of the file, replacing it in one step.

    Where one file cannot hold everything, the others are called name_002, name_003, ... Returns all paths.
    Raises SettingsError for an unknown format, InvalidFileError for what it cannot hold, OSError when a file cannot
    be written.
    """
    path = checks.path(path)
    known = format if isinstance(format, Format) else format_for(format, path)
    contents = render([match] if isinstance(match, Match) else match, known)
    places = places_for(path, len(contents))
    for place, content in zip(places, contents, strict=True):
        save(place, content)
    return places


def places_for(path: str | os.PathLike[str], count: int) -> list[Path]:
    """The paths that `count` files of one result get: `path`, then name_002, name_003, ..."""
    first = Path(path)
    others = (first.with_name(f"{first.stem}_{number:03d}{first.suffix}") for number in range(2, count + 1))
    return [first, *others][:count]


def _detect(document: Document) -> Format | None:
    return next((format for format in FORMATS.values() if format.detect(document)), None)


@uncollected()
def _parse(document: Document) -> list[Match]:
    found = _detect(document)
    if found is not None:
        return _with_undefined_bytes(found.read(document), document)
    if document.name.lower().endswith(".sixprime"):
        raise InvalidFileError("an analysis of Sixprime, which load_analysis reads", path=document.name)
    # What nothing recognises goes to the one that explains best what it misses.
    if document.is_text:
        return _with_undefined_bytes(mat.FORMAT.read(document), document)
    raise InvalidFileError("no known match or position format", path=document.name or None, offset=0)


def _with_undefined_bytes(matches: list[Match], document: Document) -> list[Match]:
    """The matches, the first with a problem where bytes are none of the encoding that was named."""
    count = document.undefined
    if not count:
        return matches
    problem = Problem(f"{count} bytes are no {document.encoding}; is that the encoding?", document.name or None)
    return [replace(matches[0], problems=(problem, *matches[0].problems)), *matches[1:]]


def first(matches: list[Match]) -> Match:
    """The first of the matches of a file; that there were more is one of its problems."""
    match = matches[0]
    if len(matches) == 1:
        return match
    problem = Problem(f"only the first of {len(matches)} matches is read", match.source or None)
    return replace(match, problems=(*match.problems, problem))
