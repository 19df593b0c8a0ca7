"""Pages and their words: one frame around all of them, and a catalogue of texts for each language.

A page is markup in which `{{key}}` stands for a text of `words/LANGUAGE.json`; scripts have the same catalogue as a
module. English is the language without a wish, as all others have its keys. What settings are called stands in
`words/settings/LANGUAGE.json`; English has it from the settings themselves.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from sixprime import reading
from sixprime.report.svg import board_defs
from sixprime.settings.tree import KEYS, SECTIONS

if TYPE_CHECKING:
    from starlette.requests import Request

_HERE = Path(__file__).parent
_KEY = re.compile(r"\{\{([a-z_.]+)\}\}")
_IMPORT = re.compile(r'^(?:import|export) [^;]*?from "/static/(\w+)\.js"', re.MULTILINE)
COOKIE = "language"
"""Has the language that a reader chose."""
_SPELT = {word.lower(): word for word in ("CSS", "HTML", "JSD", "MET", "MWC", "PNG")} | {
    "errorratefactor": "error rate factor",
    "gnubg": "GNU Backgammon",
    "matchinfo": "match information",
    "matchpc": "match percentages",
    "pictureurl": "picture URL",
    "player1": "player 1",
    "player2": "player 2",
    "ratingoffset": "rating offset",
    "verybad": "very bad",
    "winpc": "winning percentages",
}
"""Words of settings that a label writes otherwise."""
_OF_NAV = {"play": "home", "transcribe": "review"}
"""Under which page of the navigation those stand that are not in it."""


@cache
def languages() -> dict[str, str]:
    """Code and own name of every language there is, English first."""
    codes = sorted((place.stem for place in (_HERE / "words").glob("*.json")), key=lambda code: (code != "en", code))
    return {code: catalogue(code)["language"] for code in codes}


@cache
def catalogue(language: str) -> dict[str, str]:
    """The texts of a language by their keys."""
    return msgspec.convert(reading.read_json(_HERE / "words" / f"{language}.json"), dict[str, str])


@dataclass(frozen=True, slots=True)
class Naming:
    """What settings are called: their sections, each by its name, what it is for, and what is built in."""

    sections: dict[str, str]
    names: dict[str, str]
    texts: dict[str, str]
    built_in: dict[str, str]


@cache
def naming(language: str) -> Naming:
    """That of a language."""
    if language != "en":
        return msgspec.convert(reading.read_json(_HERE / "words" / "settings" / f"{language}.json"), Naming)
    return Naming(
        {section: section.capitalize() for section in SECTIONS},
        {name: _label(key.parts[1]) for name, key in KEYS.items()},
        {name: key.text for name, key in KEYS.items()},
        {key.built_in: key.built_in for key in KEYS.values()},
    )


def _label(key: str) -> str:
    """A setting as a label says it."""
    text = " ".join(_SPELT.get(word, word) for word in key.split("_"))
    return text[:1].upper() + text[1:]


def language_of(request: Request) -> str:
    """That which the reader chose, else the first one of his browser that there is, else English."""
    known = languages()
    chosen = request.cookies.get(COOKIE, "")
    if chosen in known:
        return chosen
    wishes = request.headers.get("accept-language", "")[:500].lower().split(",")
    codes = (wish.partition(";")[0].strip().partition("-")[0] for wish in wishes)
    return next((code for code in codes if code in known), "en")


@cache
def page(name: str, language: str, why: str = "page.lost") -> str:
    """A page of `static/` in its frame. why: the key of what the page `lost` says."""
    main = reading.read_text(_HERE / "static" / f"{name}.html")
    frame = reading.read_text(_HERE / "static" / "frame.html")
    here = f'data-page="{_OF_NAV.get(name, name)}"'
    text = frame.replace("<!-- main -->", main).replace(here, f'{here} aria-current="page"')
    texts = catalogue(language) | {"page.name": name, "page.language": language, "page.title": f"page.{name}"}
    texts |= {"page.title": texts[texts["page.title"]], "page.why": texts[why]}
    text = _KEY.sub(lambda found: escape(texts[found[1]]), text)
    # Asked for at once, and not one after the other as each is found in the one before.
    links = (f'<link rel="modulepreload" href="/static/{each}.js">\n' for each in modules(name))
    text = text.replace("<script ", f"{''.join(links)}<script ", 1)
    return text.replace("<!-- parts of boards -->", board_defs())


def modules(name: str) -> list[str]:
    """The modules that a script of `static/` needs beside itself, and those that these need."""
    found, seen = [name], 0
    while seen < len(found):
        place = _HERE / "static" / f"{found[seen]}.js"
        seen += 1
        if place.is_file():  # others are made when they are asked for, and need nothing
            found += [each for each in _IMPORT.findall(reading.read_text(place)) if each not in found]
    return found[1:]


def wanted(request: Request) -> bool:
    """Whether whoever asks is a reader who waits for a page."""
    elsewhere = request.scope["path"].startswith(("/api/", "/static/"))
    return request.method == "GET" and not elsewhere and "text/html" in request.headers.get("accept", "")


@cache
def module(language: str) -> str:
    """The catalogue as a module for scripts."""
    told = {"language": language, "languages": languages(), "words": catalogue(language)}
    lines = (f"export const {name} = {msgspec.json.encode(value).decode()};\n" for name, value in told.items())
    return "".join(lines).replace("</", "<\\/")


@cache
def naming_module(language: str) -> str:
    """What settings are called as a module for scripts."""
    return f"export const naming = {msgspec.json.encode(naming(language)).decode()};\n"
