"""The JSON document around a value: what it holds, in which version, by which program."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from gzip import compress
from pathlib import Path
from typing import Any, TypeVar, get_origin

import msgspec
import numpy as np

from sixprime._version import __version__
from sixprime.analysis.labels import table_of
from sixprime.analysis.model import AnalysedMatch
from sixprime.analysis.thresholds import Thresholds
from sixprime.checks import Instance, refuse, shown
from sixprime.checks import path as path_of
from sixprime.codec.rollout import KeptRollout
from sixprime.codec.sound import check
from sixprime.cube.met import MET, MatchEquityTable
from sixprime.engine.filters import MoveFilter
from sixprime.engine.presets import Preset
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis
from sixprime.engine.rollout_result import RolloutResult
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.errors import InvalidFileError, SixprimeError
from sixprime.game.match_rules import Rules
from sixprime.game.record import Match
from sixprime.learn.deck import Deck
from sixprime.learn.drills import DrillLog
from sixprime.paths import readable, write
from sixprime.reading import DOCUMENT, read_bytes, unpacked

T = TypeVar("T")

VERSION = 1
"""Of the documents; goes up when a field gets another name or meaning, and `_UPGRADES` then learns to read the one
before. A field that is added has a default and needs no new version."""

_UPGRADES: dict[int, Callable[[str, Any], Any]] = {}
"""By version, what makes of the content of a kind, such as "match", that of the next version: JSON in, JSON out."""

KINDS: dict[str, type] = {
    "match": Match,
    "analysis": AnalysedMatch,
    "evaluation": Evaluation,
    "play": PlayAnalysis,
    "cube": CubeAnalysis,
    "rollout": RolloutResult,
    "rollout-settings": RolloutSettings,
    "level": Preset,
    "filter": MoveFilter,
    "rules": Rules,
    "thresholds": Thresholds,
    "deck": Deck,
    "drills": DrillLog,
}
"""What a document can hold, by the name it goes by there: `"format": "sixprime-match"`."""

_ONE_OF_THEM = f"one of {', '.join(known.__name__ for known in KINDS.values())}"
_DATA, _KIND = Instance((str, bytes), "a text or bytes"), Instance(type)
_PREFIX = "sixprime-"
_EFFORT = 4
"""Of gzip: little slower than the least, and most of what it gains."""
_PLACE = re.compile(r"(.*) - at `\$(.*)`", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Document:
    """content: read once it is known what it is."""

    format: str
    version: int
    content: msgspec.Raw
    program: str = ""


def to_json(value: object) -> bytes:
    """The document of a value of one of `KINDS`, in UTF-8; what is none in the name of a file is replaced. Numbers must
    be finite.

    Raises SettingsError for another value, and for one that JSON cannot hold.
    """
    kind = next((name for name, known in KINDS.items() if isinstance(value, known)), None)
    if kind is None:
        refuse("value", _ONE_OF_THEM, value)
    content = value
    if isinstance(value, RolloutResult):
        content = KeptRollout.of(value)
    elif isinstance(value, AnalysedMatch) and value.table.checksum == table_of(value.label).checksum:
        content = replace(value, met=None)
    document = {
        "format": _PREFIX + kind,
        "version": VERSION,
        "program": f"Sixprime {__version__}",
        "content": content,
    }
    try:
        return msgspec.json.encode(document, enc_hook=_plain)
    except UnicodeEncodeError:
        # The name of the file that a match is from may be no text.
        return msgspec.json.encode(_readable(msgspec.to_builtins(document, str_keys=True, enc_hook=_plain)))
    except (TypeError, ValueError, RecursionError) as error:
        refuse("value", f"what JSON can hold ({error})", value)


def _readable(value: Any) -> Any:
    """What JSON is made of, with texts that can be written."""
    match value:
        case str():
            return readable(value)
        case dict():
            return {_readable(name): _readable(each) for name, each in value.items()}
        case list() | tuple():
            return [_readable(each) for each in value]
    return value


def from_json(data: str | bytes, kind: type[T], *, met: MatchEquityTable | None = None) -> T:
    """The value in a document; kind: its class, `object` for any of `KINDS`.

    met: needed only for a rollout with a match equity table that does not ship.
    Raises InvalidFileError for a document that is damaged, of another kind or version: it says where; SettingsError for
    a class that no document holds.
    """
    _DATA("data", data)
    _KIND("kind", kind)
    MET("met", met)
    fitting = [each for each, known in KINDS.items() if issubclass(known, kind)]
    if not fitting:
        refuse("kind", f"object or {_ONE_OF_THEM}", kind)
    wanted = _PREFIX + fitting[0]
    try:
        document = _decoded(data, _Document, "")
    except InvalidFileError as error:
        what = fitting[0].replace("-", " ") if len(fitting) == 1 else "document"
        of = f" of format {wanted}" if len(fitting) == 1 else ""
        raise InvalidFileError(
            f"no {what} of Sixprime: expected a JSON document{of}; found another text or a damaged one: {error.message}"
        ) from None
    name = document.format.removeprefix(_PREFIX)
    found = KINDS.get(name)
    if found is None or not document.format.startswith(_PREFIX):
        known = ", ".join(_PREFIX + each for each in KINDS)
        raise InvalidFileError(f"format: expected one of {known}; found {shown(document.format)}")
    if not issubclass(found, kind):
        raise InvalidFileError(f"format: expected {wanted}; found {document.format}")
    content = _upgraded(document, name)
    value = _decoded(content, KeptRollout if found is RolloutResult else found, "content")
    try:
        if isinstance(value, KeptRollout):
            value = value.result(met)
        check(value)
    except (SixprimeError, ValueError, ArithmeticError, LookupError) as error:
        raise InvalidFileError(f"content{error}" if str(error).startswith(".") else f"content: {error}") from None
    assert isinstance(value, kind)
    return value


def _upgraded(document: _Document, kind: str) -> msgspec.Raw:
    """The content as the present version has it. Raises InvalidFileError for a version that is not known."""
    version = document.version
    if version == VERSION:
        return document.content
    written = f" by {shown(document.program)}" if document.program else ""
    if version > VERSION:
        raise InvalidFileError(
            f"version: this program reads up to {VERSION}; found {shown(version)}{written}, which a newer one reads"
        )
    oldest = min(_UPGRADES, default=VERSION)
    if version < oldest:
        raise InvalidFileError(f"version: expected {oldest} to {VERSION}; found {shown(version)}{written}")
    content = _decoded(document.content, object, "content")
    for step in range(version, VERSION):
        try:
            content = _UPGRADES[step](kind, content)
        except (TypeError, ValueError, LookupError, AttributeError):
            raise InvalidFileError(f"content: not what version {step} has") from None
    return msgspec.Raw(msgspec.json.encode(content))


def save(value: object, path: Path | str, *, packed: bool = False) -> None:
    """Writes the document of a value, whole or not at all; packed: by gzip. Raises as `to_json` does, and OSError."""
    data = to_json(value)
    write(Path(path_of(path)), compress(data, _EFFORT, mtime=0) if packed else data)


def load(path: Path | str, kind: type[T], *, met: MatchEquityTable | None = None) -> T:
    """The value that `save` wrote. Raises as `from_json` does, and OSError."""
    path = path_of(path)
    try:
        return from_json(unpacked(read_bytes(path, DOCUMENT), DOCUMENT), kind, met=met)
    except ValueError as error:
        message = error.message if isinstance(error, InvalidFileError) else str(error)
        raise InvalidFileError(message, path=path) from None


def _decoded(data: str | bytes | msgspec.Raw, kind: type[T], place: str) -> T:
    """Raises InvalidFileError, which says where in the document, `place` being its beginning."""
    try:
        return msgspec.json.decode(data, type=kind, dec_hook=_array)
    except RecursionError:
        message = "too many brackets within brackets"
    except UnicodeError:
        message = "no text in UTF-8"
    except ValueError as error:
        message = str(error)
        if found := _PLACE.fullmatch(message):
            message, place = found[1], (place + found[2]).removeprefix(".")
    message = message.replace("`", "")
    raise InvalidFileError(f"{place}: {message}" if place else message)


def _array(kind: type, value: object) -> object:
    """The arrays of a match equity table."""
    try:
        return np.array(value, np.float64) if (get_origin(kind) or kind) is np.ndarray else value
    except OverflowError as error:
        raise ValueError(error) from None


def _plain(value: object) -> object:
    """NumPy's numbers are numbers, its arrays lists of lists."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"a value of type {type(value).__name__}")
