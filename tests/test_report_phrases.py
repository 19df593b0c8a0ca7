"""The phrases of reports: every language has all of them, and all are used."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from sixprime import analyse, formats
from sixprime.analysis.model import AnalysedMatch, Phase, Plan
from sixprime.analysis.ratings import _NAMES, _PR_BANDS
from sixprime.analysis.thresholds import Luck, Skill
from sixprime.cube.decision import CubeAction
from sixprime.engine import Engine
from sixprime.errors import SettingsError
from sixprime.game.match_rules import Against
from sixprime.paths import sample_match
from sixprime.report import phrases, render_html, words
from sixprime.report.phrases import catalogue, known, many, say, spoken, term

REPORT = Path(phrases.__file__).parent
ENGLISH = catalogue("en")
OTHERS = [code for code in phrases.languages() if code != "en"]
PART = re.compile(r"\$?\{[^{}]*\}")
KEY = re.compile(r"""(?:say|many|many_of)\(\s*f?["']([^"']+)["']""")
LITERAL = re.compile(r"""["']((?:page|key|fact|badge|graph)\.[a-z_.]+)["']""")


def asked() -> set[str]:
    """The keys that modules and templates ask for; of those that are made, all that begin like them."""
    found: set[str] = set()
    for place in (*REPORT.glob("*.py"), *(REPORT / "templates").iterdir()):
        text = place.read_text(encoding="utf-8")
        for key in (*KEY.findall(text), *LITERAL.findall(text)):
            made = key.split("{")[0]
            found |= {each for each in ENGLISH if each in (key, f"{key}.one", f"{key}.many")}
            found |= {each for each in ENGLISH if made != key and each.startswith(made)}
            assert made != key or key in ENGLISH or f"{key}.one" in ENGLISH, (place.name, key)
    return found


def test_every_phrase_is_asked_for() -> None:
    assert {key for key in ENGLISH.keys() - asked() if not key.startswith(("term.", "count."))} == set()


@pytest.mark.parametrize("language", OTHERS)
def test_every_language_has_every_phrase(language: str) -> None:
    texts = catalogue(language)
    assert list(texts) == list(ENGLISH)
    for key, text in texts.items():
        assert text.strip() or key == "page.or", key
        assert sorted(PART.findall(text)) == sorted(PART.findall(ENGLISH[key])), key
        # What stands in scripts must not end their texts.
        assert not key.startswith("script.") or not set(text) & set("\"'`\\<"), key


def test_all_fixed_words_have_a_phrase() -> None:
    said = {part for action in CubeAction for part in action.text.split(", ")}
    said |= {Against.OWNED.value, Against.CRAWFORD.value}
    said |= {name for bands in (*_NAMES.values(), _PR_BANDS) for _, name in bands}
    assert {text for text in said if f"term.{text}" not in ENGLISH} == set()
    assert all(known(f"phase.{each}") for each in Phase)
    assert all(known(f"plan.{each}") for each in Plan)
    assert [words.SKILL_NAMES[each] for each in Skill] == [words.skill_name(each) for each in Skill]
    assert [words.LUCK_NAMES[each] for each in Luck] == [words.luck_name(each) for each in Luck]
    assert {key: text for key, text in ENGLISH.items() if key.startswith("term.") and key != f"term.{text}"} == {}


def test_a_language_holds_within_its_block() -> None:
    assert words.count(1, "point") == "1 point"
    with spoken("de"):
        assert words.count(1, "point") == "1 Punkt"
        assert many("count.game", 3) == "3 Spiele"
        assert term("No double, take") == "Nicht verdoppeln, annehmen"
        assert term("8/5 6/5") == "8/5 6/5"
        with spoken("en"):
            assert say("verdict.best") == "best play"
        assert say("verdict.best") == "bester Zug"
    assert term("No double, take") == "No double, take"
    with pytest.raises(SettingsError, match="language must be one of en, de"), spoken("fr"):
        pass


@pytest.fixture(scope="module")
def analysed() -> AnalysedMatch:
    return analyse(formats.read(sample_match()), Engine(threads=1), plies=0)


def shown(page: str) -> str:
    """What a reader sees or hears of a page."""
    body = re.sub(r"<(style|script)>.*?</\1>", "", page, flags=re.DOTALL)
    said = re.findall(r'(?:title|aria-label)="([^"]*)"', body)
    return re.sub(r"<[^>]*>", "\n", body) + "\n".join(said)


ENGLISH_WORDS = re.compile(r"\b(the|of|and|loses|best|takes|passes|double|error|errors|wins|lost|before|after|right)\b")


def test_a_report_in_german_holds_no_english(analysed: AnalysedMatch) -> None:
    english, german = render_html(analysed), render_html(analysed, language="de")
    assert '<html lang="en">' in english
    assert '<html lang="de">' in german
    assert len(ENGLISH_WORDS.findall(shown(english))) > 1000
    assert ENGLISH_WORDS.findall(shown(german)) == []
    assert "sehr schlecht; am besten" in shown(german)
    # The same decisions, pictures and numbers.
    for piece in (r'id="a\d+"', r"<code>[^<]*", r'data-k="[^"]*"', r"<svg", r"\d\.\d\d\d"):
        assert len(re.findall(piece, english)) == len(re.findall(piece, german)), piece
    assert render_html(analysed) == english


def test_an_unknown_language_is_named(analysed: AnalysedMatch) -> None:
    with pytest.raises(SettingsError, match="language must be one of"):
        render_html(analysed, language="xx")


def test_who_plays_may_be_called_you() -> None:
    match = formats.read(sample_match())
    yours = replace(match, players=(replace(match.players[0], name="you"), match.players[1]))
    first = replace(yours, games=yours.games[:1])
    assert words.match_outcome(match) == "Kévin Unger wins 7-4"
    assert words.match_outcome(yours) == "You win 7-4"
    assert words.match_outcome(first) == "You lead 1-0"
    assert words.match_outcome(replace(first, late=1)) == "You win on time at 1-0"
    assert words.match_outcome(replace(first, late=0)) == "Maxence Job wins on time at 0-1"
    assert words.game_outcome(yours, yours.games[0]) == "You win 1 point"
    with spoken("de"):
        assert words.match_outcome(yours) == "Du gewinnst 7-4"
