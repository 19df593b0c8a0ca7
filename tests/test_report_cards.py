"""Decks for Anki: what is in the package, by SQLite and, where it is installed, by Anki itself."""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import time
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import sixprime as sp
from sixprime.analysis.model import DecisionKind
from sixprime.errors import SettingsError
from sixprime.learn.openings import opening_book
from sixprime.learn.questions import Question, Topic, errors_of, of_book
from sixprime.report.cards import write_cards

NOW = 1_772_366_400.0


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    engine = sp.Engine(threads=1, plies=0)
    match = sp.read(sp.sample_match())
    found = errors_of(sp.analyse(replace(match, games=match.games[4:6]), engine, plies=0))[:12]
    position, state = sp.Position.from_id("4HPwATDgc/ABMA"), sp.MatchState(length=7, score=(3, 1))
    cube = engine.cube_action(position, match=state)
    take = Question(Topic.ERROR, DecisionKind.TAKE, position, state.offered(), None, (), cube, "Pass", "<b>& me")
    return [*found, take, *of_book(opening_book(), Topic.REPLY)[:3]]


def notes_of(path: Path, folder: Path) -> dict[str, list[str]]:
    """The fields of each note by its GUID."""
    with zipfile.ZipFile(path) as package:
        package.extractall(folder)
    with closing(sqlite3.connect(folder / "collection.anki2")) as database:
        rows = database.execute("select guid, flds from notes").fetchall()
        assert database.execute("select count(*) from cards").fetchone() == (len(rows),)
        assert database.execute("pragma integrity_check").fetchone() == ("ok",)
    database.close()
    return {guid: fields.split("\x1f") for guid, fields in rows}


def test_every_question_is_a_note_with_two_pictures(questions: list[Question], tmp_path: Path) -> None:
    path = tmp_path / "deck.apkg"
    assert write_cards([*questions, questions[0]], path, name="Mine", now=NOW) == len(questions)
    notes = notes_of(path, tmp_path / "open")
    assert set(notes) == {f"sixprime-{question.id}" for question in questions}
    media = {name: number for number, name in json.loads((tmp_path / "open" / "media").read_text()).items()}
    for question in questions:
        text, board, answer, after, details, source, xgid = notes[f"sixprime-{question.id}"]
        for shown, drawn in ((board, False), (after, question.kind is DecisionKind.PLAY)):
            [picture] = re.findall(r'src="([^"]+)"', shown)
            svg = (tmp_path / "open" / media[picture]).read_text(encoding="utf-8")
            assert ElementTree.fromstring(svg).tag.endswith("svg")
            assert "light-dark(" not in svg
            assert ("sp-best" in re.sub(r"<style>.*?</style>", "", svg)) == drawn, picture
        assert answer == question.best
        assert (
            f'<tr class="best"><td>{question.best.split(",")[0]}' in details or question.kind is not DecisionKind.PLAY
        )
        assert details.count('class="best"') == 1
        assert xgid.startswith("XGID=")
        asked = text.replace(question.source, "")
        assert question.best not in asked or question.kind is DecisionKind.TAKE
        if question.chosen:
            assert f"In the game: {question.chosen}" in source
    assert "&lt;b&gt;&amp; me" in notes[f"sixprime-{questions[12].id}"][5]
    text = "Your opponent doubles, and you are at the bottom. Take or pass? (3-1 to 7)"
    assert notes[f"sixprime-{questions[12].id}"][0] == text


def test_the_same_questions_make_the_same_notes(questions: list[Question], tmp_path: Path) -> None:
    first = tmp_path / "one.apkg"
    write_cards(questions, first, name="Mine", now=NOW)
    again = tmp_path / "two.apkg"
    write_cards(
        [replace(question, source="elsewhere") for question in reversed(questions)], again, name="Mine", now=NOW
    )
    one, two = (notes_of(path, tmp_path / path.stem) for path in (first, again))
    assert one.keys() == two.keys()
    assert one != two


def test_what_cannot_be_written(
    questions: list[Question], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sixprime: Callable[..., Any]
) -> None:
    with pytest.raises(SettingsError, match="nothing to make cards of"):
        write_cards([], tmp_path / "deck.apkg", name="Mine", now=NOW)
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        write_cards(questions, tmp_path / "file" / "deck.apkg", name="Mine", now=NOW)
    with monkeypatch.context() as patched:
        patched.setattr(time, "time", lambda: 86_400.0)
        status, _, err = sixprime("cards", str(sp.sample_match()), "--to", str(tmp_path / "deck.apkg"))
    assert (status, err.endswith("1980 to 2107. The clock of this computer says 1970.\n")) == (2, True)
    monkeypatch.setitem(sys.modules, "genanki", None)
    with pytest.raises(SettingsError, match=r"pip install 'sixprime\[learn\]'"):
        write_cards(questions, tmp_path / "deck.apkg", name="Mine", now=NOW)
    status, _, err = sixprime("cards", str(sp.sample_match()), "--to", str(tmp_path / "deck.apkg"))
    assert (status, err) == (2, "sixprime: cards need an extra: pip install 'sixprime[learn]'\n")
    assert [*tmp_path.iterdir()] == [tmp_path / "file"]


def test_anki_reads_it(questions: list[Question], tmp_path: Path) -> None:
    """Imported twice: new first, then the same notes, with the pictures they name."""
    anki = pytest.importorskip("anki.collection")
    path = tmp_path / "deck.apkg"
    write_cards(questions, path, name="Mine", now=NOW)
    collection = anki.Collection(str(tmp_path / "collection.anki2"))
    request = anki.ImportAnkiPackageRequest(package_path=str(path))
    log = collection.import_anki_package(request).log
    assert (len(log.new), len(log.conflicting)) == (len(questions), 0)
    write_cards([replace(question, source="elsewhere") for question in questions], path, name="Mine", now=NOW + 60)
    log = collection.import_anki_package(request).log
    assert (len(log.new), len(log.updated)) == (0, len(questions))
    assert collection.card_count() == len(questions)
    checked = collection.media.check()
    assert not checked.missing
    card = collection.get_card(collection.find_cards("")[0])
    assert "elsewhere" in card.render_output().answer_text
    collection.close()


def test_the_command(sixprime: Callable[..., Any], tmp_path: Path) -> None:
    target = tmp_path / "cards.apkg"
    status, out, err = sixprime("cards", "openings", "--to", str(target))
    assert (status, out, err) == (0, "", f"{target}: 15 cards\n")
    deck = str(tmp_path / "deck.sixprime")
    sixprime("quiz", str(sp.sample_match()), "--plies", "0", "--least", "0.15", "--deck", deck, "--add")
    status, out, _ = sixprime("cards", "--deck", deck, "--kind", "double", "--to", str(target), "--json")
    assert json.loads(out) == {"file": str(target), "cards": 2}


@pytest.mark.parametrize(
    ("arguments", "expected", "text"),
    [
        ((), 2, "cards needs --to"),
        (("--to", "cards.txt"), 2, "--to writes a file that ends in .apkg"),
        (("openings", "--deck", "x", "--to", "x.apkg"), 2, "--deck goes without names"),
        (("openings", "--kind", "take", "--to", "x.apkg"), 2, "nothing to make cards of"),
        (("nothing.mat", "--to", "x.apkg"), 1, "nothing.mat"),
    ],
)
def test_wrong_use(
    sixprime: Callable[..., Any],
    arguments: tuple[str, ...],
    expected: int,
    text: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    status, _, err = sixprime("cards", *arguments)
    assert status == expected, err
    assert text in err
    assert not list(tmp_path.glob("*.apkg"))
