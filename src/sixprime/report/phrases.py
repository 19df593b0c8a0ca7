"""What reports say, by keys: one catalogue of phrases for each language in `languages/`, English where none is wished.

A phrase has its parts in braces, `{name}`; of a number there are two, `key.one` and `key.many`. `term.` begins the keys
of what the engine and the record say in fixed words, such as "No double". The language holds for whatever is made
within `spoken`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from sixprime.checks import refuse
from sixprime.reading import read_json

_HERE = Path(__file__).parent / "languages"
_SPOKEN: ContextVar[str] = ContextVar("spoken", default="en")


@cache
def languages() -> tuple[str, ...]:
    """Codes of all languages, English first."""
    return tuple(sorted((place.stem for place in _HERE.glob("*.json")), key=lambda code: (code != "en", code)))


@cache
def catalogue(language: str) -> dict[str, str]:
    """The phrases of a language by their keys. Raises SettingsError for one that there is not."""
    if language not in languages():
        refuse("language", f"one of {', '.join(languages())}", language)
    found: dict[str, str] = read_json(_HERE / f"{language}.json")
    return found


@contextmanager
def spoken(language: str) -> Iterator[None]:
    """Within the block reports are in this language. Raises SettingsError for one that there is not."""
    catalogue(language)
    before = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


def language() -> str:
    """The code of the language that is spoken."""
    return _SPOKEN.get()


def say(key: str, **parts: object) -> str:
    """A phrase with its parts filled in."""
    text = catalogue(_SPOKEN.get())[key]
    return text.format_map(parts) if parts else text


def many(key: str, number: int, **parts: object) -> str:
    """The phrase of a number."""
    return say(f"{key}.{'one' if number == 1 else 'many'}", number=number, **parts)


def known(key: str) -> bool:
    """Whether there is such a phrase."""
    return key in catalogue("en")


def term(text: str) -> str:
    """Fixed words of the engine, also several with commas between them; other texts, such as plays, as they are."""
    spoken = catalogue(_SPOKEN.get())
    whole = spoken.get(f"term.{text}")
    if whole is not None:
        return whole
    return ", ".join(spoken.get(f"term.{part}", part) for part in text.split(", ")) if ", " in text else text
