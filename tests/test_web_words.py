"""The texts of the pages of `sixprime web`: every language has all that pages ask for."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("starlette")

from starlette.requests import Request

from sixprime.formats import Feature
from sixprime.game.acts import Accept, Beaver, Decline, Double, Drop, Resign, Roll, Take
from sixprime.game.table import Table
from sixprime.play.advice import words_of
from sixprime.report.themes import THEMES
from sixprime.settings.tree import KEYS, SECTIONS
from sixprime.web import pages

STATIC = Path(pages.__file__).parent / "static"
ENGLISH = pages.catalogue("en")
FILLED = re.compile(r"\{\w+\}")
CALL = re.compile(r"\b(t|who|many)\(([^(),]*(?:\([^()]*\)[^(),]*)*)[,)]")
# What scripts ask for by names that are made: acts, variants, resignations, themes and terms of the engine.
MADE = (
    *("act.", "variant.", "resign.", "resigned.", "term.", "page."),
    *("drill.", "topic.", "ask.", "kind.", "lost.", "theme."),
)


def asked() -> set[str]:
    """The keys that pages and scripts ask for."""
    found = {"language"}
    for place in STATIC.iterdir():
        text = place.read_text()
        found |= set(re.findall(r"\{\{([a-z_.]+)\}\}", text)) - {"page.language", "page.name", "page.title", "page.why"}
        for name, first in CALL.findall(text):
            literals = re.findall(r"\"([a-z_]+(?:\.[a-z_0-9]+)*)\"", first)
            for key in (each for each in literals if "." in each or each in ENGLISH or f'"{each}"' == first.strip()):
                found |= {f"{key}.one", f"{key}.many"} if name == "many" else {key}
                found |= {f"{key}.you"} if name == "who" else set()
    return found


def test_nothing_is_asked_for_that_is_not_there() -> None:
    assert len(asked()) > 100
    assert asked() - ENGLISH.keys() == set()


def test_nothing_is_there_that_nobody_asks_for() -> None:
    assert {key for key in ENGLISH.keys() - asked() if not key.startswith(MADE)} == set()


@pytest.mark.parametrize("language", [code for code in pages.languages() if code != "en"])
def test_every_language_has_every_text(language: str) -> None:
    texts = pages.catalogue(language)
    assert texts.keys() == ENGLISH.keys()
    for key, text in texts.items():
        assert text.strip(), key
        assert set(FILLED.findall(text)) == set(FILLED.findall(ENGLISH[key])), key
        assert text.count("#") == ENGLISH[key].count("#"), key


@pytest.mark.parametrize(
    ("cookie", "wish", "language"),
    [
        ("", "", "en"),
        ("", "de-CH,de;q=0.9,en;q=0.8", "de"),
        ("", "fr,de;q=0.5", "de"),
        ("", "fr", "en"),
        ("en", "de", "en"),
        ("de", "en", "de"),
        ("../../x", "de", "de"),
    ],
)
def test_whose_language_is_spoken(cookie: str, wish: str, language: str) -> None:
    headers = [(b"accept-language", wish.encode()), (b"cookie", f"language={cookie}".encode())]
    assert pages.language_of(Request({"type": "http", "headers": headers})) == language


def test_every_page_is_whole_in_every_language() -> None:
    names = [place.stem for place in STATIC.glob("*.html") if place.stem != "frame"]
    for language in pages.languages():
        for name in names:
            text = pages.page(name, language)
            assert "{{" not in text
            assert f'<html lang="{language}">' in text


def test_every_theme_has_a_name() -> None:
    assert {f"theme.{name}" for name in ("auto", *THEMES)} == {key for key in ENGLISH if key.startswith("theme.")}


def test_what_a_format_cannot_hold_is_said_in_every_language() -> None:
    assert {f"term.{feature.value}" for feature in Feature} <= ENGLISH.keys()


def test_what_the_tutor_warns_of_is_said_in_every_language() -> None:
    table = Table.new()
    acts = (Roll, Double, Take, Drop, Beaver, Accept, Decline)
    said = {words_of(act(0), table) for act in acts} | {words_of(Resign(0, value), table) for value in (1, 2, 3)}
    assert {f"term.{each}" for each in said} <= ENGLISH.keys()


@pytest.mark.parametrize("language", [*pages.languages()])
def test_every_setting_has_words_in_every_language(language: str) -> None:
    named = pages.naming(language)
    assert named.sections.keys() == SECTIONS.keys()
    assert all(title[0].isupper() for title in (*named.sections.values(), *named.names.values()))
    assert named.names.keys() == named.texts.keys() == KEYS.keys()
    words = {key.built_in for key in KEYS.values() if not re.fullmatch(r"true|false|[\d.]+", key.built_in)}
    assert words <= named.built_in.keys()
    assert all(text.strip() for texts in (named.sections, named.names, named.texts) for text in texts.values())
    for name, key in KEYS.items():
        # What can be typed is the same in every language.
        assert all(word in named.texts[name] for word in re.findall(r"\w+[:@]\w\S*|`\w+`|\w*\d\w*", key.text)), name


def test_settings_are_no_english_in_german() -> None:
    ours, theirs = pages.naming("en"), pages.naming("de")
    assert [name for name, text in theirs.texts.items() if text == ours.texts[name]] == []
