"""What values show of themselves in a notebook, and how short their `repr` is."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import Any

import pytest
from made_match import make_match

import sixprime as sp
from sixprime.api import MatchReport
from sixprime.bearoff.databases import Databases
from sixprime.lazy import brief
from sixprime.learn import Deck, DrillLog, Quiz, Topic, of_book, opening_book
from sixprime.theory import (
    cube_levels,
    cube_theory,
    explain,
    market_losers,
    race_theory,
    reply_maps,
    score_map,
    temperature_map,
)

START = sp.Position.start()
MATCH = sp.MatchState(length=7, score=(2, 1), on_roll=0)
HOSTILE = '<script>alert("&")</script>' * 20
DRAWN = ["board", "parsed", "table", "play", "candidate", "rolls", "replies", "cube scores", "play scores", "losers",
         "levels", "theory"]  # fmt: skip
TABLED = ["plays", "searched plays", "no plays", "evaluation", "cube", "no cube", "rolled out", "rolled cube",
          "rolled plays", "race", "match", "report", "money report", "hostile"]  # fmt: skip


@pytest.fixture(scope="module")
def values() -> dict[str, Any]:
    engine = sp.Engine(threads=1, plies=0, databases=Databases.standard())
    ranked = engine.best_plays(START, (3, 1))
    sessions = (("report", 5, "Ann"), ("money report", 0, "Ann"), ("hostile", 5, HOSTILE))
    made = {name: make_match(seed=5, length=length, games=2, turns=5, names=(who, "Bob"))
            for name, length, who in sessions}  # fmt: skip
    few = {"trials": 36, "truncation": 2}
    return {
        "board": START,
        "parsed": sp.parse("XGID=-b----E-C---eE---c-e----B-:1:1:1:63:2:4:0:7:10"),
        "table": sp.Table.new(),
        "play": ranked[0].play,
        "candidate": ranked[0],
        "rolls": temperature_map(engine, START),
        "replies": reply_maps(engine, START, (3, 1), 1, match=MATCH)[0],
        "cube scores": score_map(engine, START, aways=(2, 3)),
        "play scores": score_map(engine, START, (2, 1), aways=(2, 3)),
        "losers": market_losers(engine, START),
        "levels": cube_levels(engine, START, match=MATCH),
        "theory": cube_theory(engine, START),
        "plays": ranked,
        "searched plays": engine.best_plays(START, (3, 1), plies=1),
        "no plays": engine.best_plays(START, (3, 1), plies=1, count=0),
        "evaluation": engine.evaluate(START, match=MATCH),
        "cube": engine.cube_action(START, match=MATCH),
        "no cube": engine.cube_action(START, match=sp.MatchState(cube_limit=1)),
        "rolled out": engine.rollout(START, **few),
        "rolled cube": engine.rollout_cube(START, match=MATCH, **few),
        "rolled plays": engine.rollout_plays(START, (3, 1), 3, **few),
        "race": race_theory(engine, sp.Position.from_id("Xes6AABuuzUAAA")),
        "match": sp.read(sp.sample_match()),
        **{name: MatchReport(*(getattr(each, field) for field in each.__dataclass_fields__))
           for name, each in made.items()},
    }  # fmt: skip


class Tags(HTMLParser):
    """Counts tags, and fails for one that is closed without having been opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", DRAWN)
def test_drawings(values: dict[str, Any], name: str) -> None:
    drawn = values[name]._repr_svg_()
    assert ET.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"
    assert "var(" not in drawn
    assert not hasattr(values[name], "_repr_html_")


def test_a_position_has_the_same_colours_whatever_shows_it(values: dict[str, Any]) -> None:
    said = 'aria-label="Backgammon board, dark on roll'
    shown = (sp.parse(START.id), START, values["play"], values["candidate"])
    assert all(said in value._repr_svg_() for value in shown)
    assert all(said in values[name]._repr_html_() for name in ("plays", "evaluation", "rolled out", "no cube"))


@pytest.mark.parametrize("name", TABLED)
def test_tables(values: dict[str, Any], name: str) -> None:
    shown = values[name]._repr_html_()
    tags = Tags()
    tags.feed(shown)
    assert tags.open == []
    assert "script" not in tags.seen
    assert ("table" in tags.seen) == (name != "no plays")
    assert len(shown) < 200_000
    assert not hasattr(values[name], "_repr_svg_")


def test_every_value_is_shown(values: dict[str, Any]) -> None:
    assert sorted([*DRAWN, *TABLED]) == sorted(values)


@pytest.mark.parametrize("name", sorted({*DRAWN, *TABLED} - {"match", "play", "table"}))
def test_reprs_are_short(values: dict[str, Any], name: str) -> None:
    text = repr(values[name])
    assert len(text) < 200
    assert "\n" not in text
    assert name == "board" or text.startswith(f"<{type(values[name]).__name__} ")


def test_what_holds_much_is_said_in_a_line(values: dict[str, Any]) -> None:
    deck = Deck().added(of_book(opening_book(), Topic.OPENING))
    found = explain(sp.Engine(threads=1, plies=0), START, (3, 1))
    assert repr(values["report"].games[0]) == f"<GameAnalysis of {len(values['report'].games[0].decisions)} decisions>"
    assert list(map(repr, (deck, Quiz(deck), DrillLog(), found))) == [
        "<Deck of 15 cards>",
        "<Quiz of 15 cards, 0 answers>",
        "<DrillLog of 0 attempts>",
        f"<Explanation of (3, 1) in {START!r}: 8/5 6/5 beside 24/23 13/10>",
    ]


def test_tables_hold_the_numbers(values: dict[str, Any]) -> None:
    plays = values["searched plays"]._repr_html_()
    assert "8/5 6/5" in plays
    assert f"{values['searched plays'][0].equity:+.4f}" in plays
    cube = values["cube"]
    assert f"{cube.double_take:+.4f}" in cube._repr_html_()
    assert cube.action in cube._repr_html_()
    rolled = values["rolled plays"].best
    assert f"± {rolled.equity_error:.4f}" in values["rolled plays"]._repr_html_()
    for player in values["report"].statistics:
        assert f"{player.pr:.2f}" in values["report"]._repr_html_()


def test_texts_are_cut_but_said() -> None:
    assert brief(1, "a\nb") == "<int a b>"
    assert len(brief(1, "x" * 1000)) < 200


def test_nothing_of_it_is_loaded_before_it_is_asked_for() -> None:
    code = "import sys, sixprime; sixprime.Position.start(); print('sixprime.report.notebook' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"
