"""Reading and writing `settings.toml`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from sixprime.checks import Instance, refuse
from sixprime.checks import path as path_of
from sixprime.errors import InvalidFileError, SettingsError
from sixprime.paths import alone, settings_file, write
from sixprime.reading import parse_toml, read_text
from sixprime.settings.engine import check_files
from sixprime.settings.tree import SECTIONS, Settings, key_of

_LARGEST = 1 << 16  # bytes
_SETTINGS = Instance(Settings)
_HEADER = re.compile(r"\s*\[\s*([\w-]+)\s*\]")
_VALUE = re.compile(r"(\s*([\w-]+)\s*=\s*)(\"[^\"]*\"|'[^']*'|[^\"'#\s]*)(\s*(?:#.*)?)")


def load(path: Path | str | None = None) -> Settings:
    """The settings of the user, or of a file; those built in where there is none.

    Raises InvalidFileError, which names line, section and key, for what cannot be; OSError.
    """
    place = _place(path)
    return _parsed(_text(place), place)


def save(settings: Settings, path: Path | str | None = None) -> None:
    """Writes what is set, whole or not at all; comments of a file that was there are lost. Raises OSError."""
    _SETTINGS("settings", settings)
    sections = []
    for section in SECTIONS:
        if given := getattr(settings, section).given():
            lines = [f"[{section}]", *(f"{key} = {written(value)}" for key, value in given.items())]
            sections.append("".join(f"{line}\n" for line in lines))
    _write("\n".join(sections), _place(path))


def change(name: str, value: object, path: Path | str | None = None) -> Settings:
    """Sets one key, such as "engine.plies", or with None takes it out; all other lines of the file stay.

    Returns the settings as they are now. Raises SettingsError for a key or value that cannot be, and as `load`.
    """
    section, key = key_of(name).parts
    if value is not None:
        key_of(name).check(name, value)
    place = _place(path)
    if value is None and not place.parent.exists():
        return load(place)
    place.parent.mkdir(parents=True, exist_ok=True)
    with alone(place.parent):
        text = _text(place)
        try:
            before = _parsed(text, place)
        except InvalidFileError:
            # What is set or taken out may be what is wrong.
            text = _edited(text, section, key, value)
            with suppress(InvalidFileError):
                mended = _parsed(text, place)
                _write(text, place)
                return mended
            raise
        wanted = replace(before, **{section: replace(getattr(before, section), **{key: value})})
        if wanted != before:
            text = _edited(text, section, key, value)
            with suppress(InvalidFileError):
                if _parsed(text, place) == wanted:
                    _write(text, place)
                    return wanted
            raise InvalidFileError(f"{name} is written in a way that must be changed by hand", path=place)
    return wanted


def value_of(name: str, text: str) -> object:
    """What the text of a command means for a key. Raises SettingsError for an unknown key, a value it refuses, and a
    net or table that is not there."""
    key = key_of(name)
    value: object = text
    if not key.words:
        for read in (int, float, lambda word: {"true": True, "false": False}[word.lower()]):
            try:
                value = read(text)
                break
            except (ValueError, KeyError):
                pass
    key.check(name, value)
    section, inner = key.parts
    if section == "engine":
        check_files({inner: value}, whole=True)
    return value


def written(value: object) -> str:
    """A value as TOML."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value).lower()


def _place(path: Path | str | None) -> Path:
    """Where settings are: the file of the user where none is named. Raises SettingsError."""
    return settings_file() if path is None else Path(path_of(path))


def _text(place: Path) -> str:
    """Of the file, empty where there is none: the home of a user who runs services may be `/dev/null`."""
    try:
        return read_text(place, _LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except UnicodeError:
        raise InvalidFileError("is no text in UTF-8", path=place) from None


def _write(text: str, place: Path) -> None:
    """Where a link leads, so that settings kept elsewhere stay there."""
    target = place
    with suppress(ValueError):  # of what is no name of a file, which `write` says
        target = Path(os.path.realpath(place))
    write(target, text)


def _parsed(text: str, place: Path) -> Settings:
    try:
        tables = parse_toml(text)
    except ValueError as error:
        raise InvalidFileError(f"is no TOML: {error}", path=place) from None
    line: int | None = None
    try:
        sections: dict[str, Any] = {}
        for section, table in tables.items():
            line = _line(text, section) or _line(text, "", section)
            if section not in SECTIONS:
                key_of(section)
            if not isinstance(table, dict):
                refuse(section, f"a section, begun by [{section}]", table)
            for key, value in table.items():
                line = _line(text, section, key)
                key_of(f"{section}.{key}").check(f"{section}.{key}", value)
            line = _line(text, section)
            sections[section] = SECTIONS[section](**table)
    except SettingsError as error:
        raise InvalidFileError(str(error), path=place, line=line) from None
    return Settings(**sections)


def _rows(text: str) -> list[str]:
    """The lines, which in TOML end in fewer ways than in Python."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n") if text else []


def _lines(text: str) -> Iterator[tuple[int, str, str | None]]:
    """Number, section and key of every line that begins a section, without a key, or sets one."""
    section = ""
    for number, line in enumerate(_rows(text), 1):
        if header := _HEADER.match(line):
            section = header[1]
            yield number, section, None
        elif found := _VALUE.match(line):
            yield number, section, found[2]


def _line(text: str, section: str, key: str | None = None) -> int | None:
    return next((number for number, *where in _lines(text) if where == [section, key]), None)


def _edited(text: str, section: str, key: str, value: object) -> str:
    """The text with the line of one key changed, added or, for None, left out. Lines end as they did; where they end in
    both ways, as on Windows."""
    lines, end = _rows(text), "\r\n" if "\r\n" in text else "\n"
    number, header = _line(text, section, key), _line(text, section)
    if number is not None:
        old = _VALUE.match(lines[number - 1])
        new = [f"{old[1]}{written(value)}{old[4]}"] if old and value is not None else []
        lines[number - 1 : number] = new
    elif header is not None:
        last = max((n for n, inside, _ in _lines(text) if inside == section), default=header)
        lines.insert(last, f"{key} = {written(value)}")
    else:
        lines += [*([""] if lines else []), f"[{section}]", f"{key} = {written(value)}"]
    return "".join(f"{line}{end}" for line in lines)
