"""`.ogxm`, `.ogxms`, `.gvab`: matches of OpenGammon, HedgeHog and GammonView, with analyses, clocks and notes.

Bytes are turned to a document (JSON) and back by the format's own codec, the library `ogxm`; a stream is files back to
back. The document is kept whole in `Match.extras`, so that what it holds and a `Match` does not is there again when
the match is written.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

from sixprime.errors import InvalidFileError
from sixprime.formats._format import PLAIN_MATCH, Feature, Format
from sixprime.formats._ogxm_document import codec
from sixprime.formats._ogxm_read import NAME, match_of
from sixprime.formats._ogxm_signs import Signature, read_key, sign, signatures
from sixprime.formats._ogxm_write import losses, write
from sixprime.formats._problems import failure
from sixprime.formats._text import Document
from sixprime.game.record import Match, Problem

__all__ = ["FORMAT", "Signature", "detect", "read", "read_key", "sign", "signatures"]

_LARGEST = 32 << 20  # bytes of one match; the longest ones with several analyses have two
_MOST_MATCHES = 10_000  # of a stream


def detect(document: Document) -> bool:
    """Whether a file begins with the mark of the format."""
    return document.data[:4] == b"OGXM"


def read(document: Document) -> list[Match]:
    """The matches of a file or stream. Raises InvalidFileError when there is none, or the library is missing."""
    library, path = codec(document.name or None), document.name or None
    matches: list[Match] = []
    problems: list[Problem] = []
    offset = 0
    for member in _members(library, document.data, problems, path):
        if len(matches) >= _MOST_MATCHES:
            problems.append(Problem(f"only the first {_MOST_MATCHES} matches are read", path, offset=offset))
            break
        try:
            if len(member) > _LARGEST:
                raise InvalidFileError("larger than any match")
            found = library.binary_to_json(member)
            found["ogxm"] = {"major": member[4], "minor": member[6]}  # of version 1, the codec says that it is 2
            matches.append(match_of(found, document.name))
        except (RuntimeError, ValueError, RecursionError) as error:
            problems.append(Problem(f"a match cannot be read: {error}"[:300], path, offset=offset))
        offset += len(member)
    if not matches:
        raise failure(problems[0] if problems else Problem("the file is damaged", path, offset=0))
    return [replace(matches[0], problems=(*matches[0].problems, *problems[:100])), *matches[1:]]


def _members(library: ModuleType, data: bytes, problems: list[Problem], path: str | None) -> Iterator[bytes]:
    """The files of a stream; version 1 has no streams."""
    if data[4:5] == b"\x01" or library.verify(data)[0] is None:
        yield data
        return

    def skipped(offset: int, length: int) -> None:
        problems.append(Problem(f"{length} bytes that are no match are left out", path, offset=offset))

    try:
        yield from library.iter_stream(io.BytesIO(data), strict=False, on_skip=skipped)
    except library.StreamError as error:
        problems.append(Problem(f"the file is damaged: {error}", path, offset=error.offset))


FORMAT = Format(
    NAME,
    "OpenGammon match",
    (".ogxm", ".ogxms", ".gvab"),
    detect,
    read,
    write,
    keeps=PLAIN_MATCH - {Feature.ILLEGAL}
    | {Feature.EVENT, Feature.RATING, Feature.MATCH_COMMENT, Feature.COMMENT, Feature.ANALYSIS, Feature.VARIANT}
    | {Feature.CRAWFORD, Feature.CRAWFORD_GAME, Feature.JACOBY, Feature.BEAVER_RULE, Feature.CUBE_LIMIT}
    | {Feature.AUTOMATIC, Feature.SET, Feature.ROLL_ONLY, Feature.RESULT_ONLY, Feature.TIME, Feature.OFFERED},
    more_losses=losses,
)
