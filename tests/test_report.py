"""Reports of a made-up match: the drawing, the HTML page, the terminal and JSON."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import random
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import ClassVar

import pytest
from fake_engine import FakeEngine, always, beavered_game, match_of
from made_match import chances, judge_cube, judge_play, make_match
from rich.cells import cell_len
from rich.console import Console

from sixprime.analysis.analyse import analyse
from sixprime.analysis.foreign import foreign
from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind, Resignation
from sixprime.analysis.thresholds import Skill
from sixprime.engine import Engine, RolloutSettings
from sixprime.engine.results import Evaluation
from sixprime.errors import SettingsError
from sixprime.formats import read as read_match
from sixprime.formats import read_text
from sixprime.game import MatchState, Play, Position
from sixprime.game.record import ActionKind, Player, Problem
from sixprime.report import (
    board_svg,
    match_text,
    render_cube,
    render_evaluation,
    render_hint,
    render_html,
    render_rollout,
    render_terminal,
    save,
    to_dict,
    words,
)
from sixprime.report.chart import Line, Mark, line_chart
from sixprime.report.cube import render_cube_theory
from sixprime.report.graphs import anchors
from sixprime.report.race import render_race
from sixprime.report.svg import DARK, LIGHT, board_css
from sixprime.report.templating import check_templates
from sixprime.report.terminal import _short
from sixprime.theory import cube_theory
from sixprime.theory.race import race_theory

DATA = Path(__file__).parent / "data"
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
HOSTILE = "<script>alert('x')</script>\" onload=\"x\x1b[31m[bold]&amp;"


@pytest.fixture(scope="module")
def analysed() -> AnalysedMatch:
    return make_match()


@pytest.fixture(scope="module")
def page(analysed: AnalysedMatch) -> str:
    return render_html(analysed)


class Page(HTMLParser):
    """Tags of a page, with a check that they nest. The ends of parts of tables and lists may be missing, as in HTML."""

    VOID: ClassVar[set[str]] = {"meta", "br", "img", "input", "link", "hr"}
    ENDS: ClassVar[dict[str, set[str]]] = {
        "td": {"td", "th"},
        "th": {"td", "th"},
        "tr": {"td", "th", "tr"},
        "tbody": {"td", "th", "tr", "thead"},
        "li": {"li"},
    }
    """What the start of a tag ends, as far as it is open."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.said: list[str] = []
        self.feed(text)
        self.close()
        self.text = "".join(self.said)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.leave(self.ENDS.get(tag, set()))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("thead", "tbody", "table", "tr", "ol", "ul"):
            self.leave({"td", "th", "tr", "thead", "tbody", "li"} - {tag})
        assert self.open.pop() == tag

    def leave(self, ended: set[str]) -> None:
        while self.open and self.open[-1] in ended:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open[-1:] not in (["style"], ["script"]):
            self.said.append(data)

    def values(self, name: str) -> list[str]:
        return [value for _, attrs in self.tags if (value := attrs.get(name)) is not None]


# The drawing.


def opening(dice: tuple[int, int] = (3, 1)) -> tuple[Position, list[Play]]:
    position = Position.start()
    return position, position.plays(dice)


def find(plays: list[Play], text: str) -> Play:
    return next(play for play in plays if str(play) == text)


def test_board_golden() -> None:
    position, plays = opening()
    state = MatchState(length=7, score=(3, 5), cube=2, cube_owner=1, on_roll=0)
    drawn = board_svg(
        position, state, dice=(3, 1), played=find(plays, "24/23 13/10"), best=find(plays, "8/5 6/5"),
    )  # fmt: skip
    golden = DATA / "report_board.svg"
    assert drawn + "\n" == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("bottom", [0, 1])
@pytest.mark.parametrize("shared", [True, False])
def test_board_is_xml_inside_its_frame(side: str, bottom: int, shared: bool) -> None:
    position = Position((0,) * 23 + (9, 2), (7, 3) + (0,) * 22 + (1,))
    drawn = board_svg(position, MatchState(), dice=(6, 6), bottom=bottom, bear_off=side, shared=shared)
    root = ET.fromstring(drawn)
    _, _, width, height = map(int, root.attrib["viewBox"].split())
    for x, y in re.findall(r"M(-?\d+) (-?\d+)", drawn):
        assert 0 <= int(x) <= width
        assert 0 <= int(y) <= height
    assert ">7</text>" in drawn  # seven on one point
    assert len(drawn) < 2500 or not shared


def test_board_sides_differ() -> None:
    position = Position.start()
    drawings = {
        board_svg(position, MatchState(), bottom=bottom, bear_off=side)
        for bottom in (0, 1)
        for side in ("right", "left")
    }
    assert len(drawings) == 4


def test_board_cube_and_score() -> None:
    position = Position.start()
    assert "sp-cube" not in board_svg(position, shared=True)
    assert "sp-cube" in board_svg(position, MatchState(), shared=True)
    crawford = board_svg(position, MatchState(length=5, score=(4, 2), crawford=True), shared=True)
    assert "sp-cube" not in crawford
    assert "Crawford<" in crawford
    assert "4/5" in crawford
    offered = board_svg(position, MatchState(cube=2, cube_owner=1, doubled=True), shared=True)
    assert '<text class="sp-ct"' in offered
    assert ">4</text>" in offered


def test_board_equal_plays_have_one_arrow() -> None:
    position, plays = opening()
    drawn = board_svg(position, best=plays[0], played=plays[0], shared=True)
    assert "sp-best" in drawn
    assert "sp-played" not in drawn
    assert "sp-played" in board_svg(position, best=plays[0], played=plays[1], shared=True)


def test_board_of_an_impossible_position() -> None:
    position = Position((20,) + (0,) * 24, (-1, 3) + (0,) * 23)
    ET.fromstring(board_svg(position, MatchState()))


def test_board_colours() -> None:
    position = Position.start()
    assert "var(" not in board_svg(position, theme=DARK).replace("svg.sp-board", "")
    assert LIGHT.surface in board_css(LIGHT)
    assert "light-dark(" in board_css()


def test_board_label_is_escaped() -> None:
    drawn = board_svg(Position.start(), label='"><script>')
    assert "<script>" not in drawn
    ET.fromstring(drawn)


# The page.


def test_page_is_well_formed_and_alone(page: str) -> None:
    parsed = Page(page)
    ids = parsed.values("id")
    assert len(ids) == len(set(ids))
    icon, *links = parsed.values("href")
    assert icon.startswith("data:image/svg+xml,")
    assert all(link.startswith("#") and link[1:] in ids for link in links)
    assert {*parsed.values("popovertarget")} <= {*ids}
    assert parsed.values("src") == []
    assert not re.search(r"https?://|//cdn|@import|url\((?!#)", page.replace("http://www.w3.org/2000/svg", ""))


def test_policy_lets_in_what_the_page_holds_and_no_more(page: str) -> None:
    parsed = Page(page)
    (policy,) = (attrs["content"] for tag, attrs in parsed.tags if attrs.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules.pop("default-src") == "'none'"
    for tag in ("style", "script"):
        texts = {*re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)}
        assert len(texts) == {"style": 2, "script": 1}[tag]  # charts have one of their own
        digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts]
        assert {*rules.pop(f"{tag}-src").split()} == {f"'sha256-{digest}'" for digest in digests}
    assert rules == {"img-src": "data:", "base-uri": "'none'", "form-action": "'none'"}
    assert parsed.values("style") == []


def test_page_holds_every_decision(analysed: AnalysedMatch, page: str) -> None:
    acted = {(d.game, d.action) for d in analysed.decisions}
    assert page.count('<section class="d') == len(acted)
    assert page.count('role="img" aria-label="Board: ') == len(acted)
    errors = sum(bool(d.skill) for d in analysed.decisions)
    assert page.count('class="mark m') == errors > 5
    worst = max(analysed.decisions, key=lambda d: d.error)
    assert f"loses {worst.error:.3f}" in page
    for game in analysed.match.games:
        assert f'id="g{game.number}"' in page


def test_page_says_who_played_how(analysed: AnalysedMatch, page: str) -> None:
    text = Page(page).text
    for player, statistics in zip(analysed.match.players, analysed.statistics, strict=True):
        assert player.name in text
        assert f"{statistics.pr:.1f}" in text
        assert f"{statistics.luck_total:+.3f}" in text
    for phrase in ("Sample Open", "Luck-adjusted result", "Doubles to 2", "Takes", "Passes", "Resigns a gammon",
                   "sample.mat:12:4: the score is 3, not 2", "why?", "2-ply, Normal"):  # fmt: skip
        assert phrase in text


def test_page_escapes_hostile_texts() -> None:
    analysed = make_match(names=(HOSTILE, "</style></title>{{ 7 * 7 }}"), turns=3)
    match = replace(analysed.match, info={"event": HOSTILE}, problems=(Problem(HOSTILE),))
    page = render_html(replace(analysed, match=match, settings=HOSTILE))
    assert page.count("<script") == 1
    assert "alert('x')" not in page
    assert "{{ 7 * 7 }}" in page
    assert not [name for _, attrs in Page(page).tags for name in attrs if name.startswith("on")]


def test_the_quiz_of_a_page_knows_beavers() -> None:
    game = beavered_game(ActionKind.BEAVER, ActionKind.DROP).game()
    page = render_html(analyse(match_of(game, length=0), FakeEngine(cube=always(0.1, -0.2))))
    assert [found for found in re.findall(r'data-answers="([^"]*)"', page) if "Take" in found] == [
        "Take:-0.200|Pass:-1.400|Beaver:",
        "Take:|Pass:-0.800|Raccoon:-0.200",
        "Take:-0.200|Pass:-1.400|Raccoon:",
    ]


def test_page_marks_the_same_rows_as_the_analysis(analysed: AnalysedMatch, page: str) -> None:
    for decision in analysed.decisions:
        assert f"game {decision.game + 1}, move {decision.move_number};" in page


@pytest.mark.parametrize("length", [0, 5])
def test_page_of_short_records(length: int) -> None:
    analysed = make_match(length=length, games=1, turns=1)
    assert Page(render_html(analysed)).text
    nothing = replace(analysed, match=replace(analysed.match, games=()), games=())
    assert "no games" in render_html(nothing)
    game = replace(analysed.match.games[0], winner=None, points=0)
    unfinished = replace(analysed, match=replace(analysed.match, games=(game,)))
    assert "unfinished" in Page(render_html(unfinished)).text


def test_page_of_a_money_session() -> None:
    text = Page(render_html(make_match(length=0))).text
    assert "money session" in text
    assert "MWC" not in text
    assert "points" in text


def test_page_has_one_bar_of_one_meaning_in_the_players_colours(analysed: AnalysedMatch, page: str) -> None:
    """Each decision has a bar that says when it is: before the roll, or after which play."""
    plays = {(d.game, d.action): d for d in analysed.decisions if d.kind is DecisionKind.PLAY}
    cubes = [d for d in analysed.decisions if d.kind is not DecisionKind.PLAY]
    turns = page.split("</section>")
    told = [re.findall(r"<figcaption>(.*?)</figcaption>", turn) for turn in turns]
    assert sum(map(len, told)) == len(plays) + len(cubes) + 1  # the one that the script fills
    both = next(d for d in cubes if d.kind is DecisionKind.DOUBLE and (d.game, d.action) in plays)
    assert both.cube is not None
    section = page[page.index(f"game {both.game + 1}, move {both.move_number};") :].split("</section>")[0]
    best = plays[both.game, both.action].plays[0]
    before, after = section.split(f"<figcaption>After {best.play}</figcaption>")
    assert f"<b>{100 * best.probabilities[0]:.1f} %</b>" in after
    assert f"<b>{100 * both.cube.probabilities[0]:.1f} %</b>" in before.split("<figcaption>Before the roll</")[1]
    for theme in (LIGHT, DARK):
        assert {theme.light, theme.dark} <= set(re.findall(r"#\w{6}", page[page.index(":root{--c0:") :][:110]))
    style = page[: page.index("</style>")]
    for player in (0, 1):
        bar = r"\.chances svg" if player else r"\.w0"
        rules = dict(re.findall(rf"({bar}|\.chip\.c{player}|\.g-a{player})\{{([^}}]*)", style))
        assert len(rules) == 3
        assert all(f"var(--c{player})" in rule for rule in rules.values())


def test_bar_can_be_read_without_colours(page: str) -> None:
    bars = re.findall(r'<svg aria-hidden="true">(.*?)</svg>\s*<p>(.*?)</p></figure>', page)
    assert len(bars) > 20
    for drawn, label in bars[:-1]:
        side = r"<span><bdi>{}</bdi> <b>([\d.]+) %</b> <small>G ([\d.]+), B ([\d.]+)</small></span>"
        written = re.fullmatch(side.format("Kévin Unger") + side.format("Maxence Job"), label)
        assert written is not None
        win, gammon, backgammon, _, gammons, backgammons = written.groups()
        sizes = re.findall(r'class="(\w+)" width="([\d.]+)%"', drawn)
        assert sizes == [("w0", win), ("g0", gammon), ("b0", backgammon), ("g1", gammons), ("b1", backgammons)]
    for hatched in ("g0", "b0", "g1", "b1"):
        assert re.search(rf"\.{hatched}\{{fill:url\(#[hx]{hatched[1]}\)\}}", page)


def test_page_says_why_a_play_stands_below_one_of_less_equity(analysed: AnalysedMatch) -> None:
    """A line in each list where it is so, and one sentence for them all."""

    def shallow(decision: Decision) -> Decision:
        if decision.kind is not DecisionKind.PLAY or len(decision.plays) < 3:
            return decision
        best, second, *rest = decision.plays
        third = replace(rest[0], plies=0, cubeful_equity=second.equity + 0.001)
        return replace(decision, plays=(best, second, third, *rest[1:]))

    assert "searched deeper" not in render_html(analysed)
    first, *others = analysed.games
    mixed = replace(first, decisions=tuple(map(shallow, first.decisions)))
    number = sum(shallow(d) is not d for d in first.decisions)
    page = render_html(replace(analysed, games=(mixed, *others)))
    assert page.count("searched deeper") == 1
    assert len(re.findall(r'<tr class="(?:played)? deep"', page)) == number > 3


CONTROLS = "".join(
    map(chr, (0, 1, 8, 11, 12, 14, 27, 31, 127, 128, 159, 0xD800, 0xDFFF, 0xFDD0, 0xFFFE, 0xFFFF, 0x1FFFE))
)


def test_control_characters_never_reach_a_page_or_a_picture() -> None:
    text = f"A{CONTROLS}B"
    analysed = make_match(names=(text, f"C{CONTROLS}"), turns=4)
    problems = (Problem(text, text),)
    games = tuple(
        replace(game, actions=tuple(replace(action, comment=text) for action in game.actions))
        for game in analysed.match.games
    )
    match = replace(analysed.match, info={"event": text, "date": text}, problems=problems, games=games)
    drawings = [
        render_html(replace(analysed, match=match, settings=text)),
        board_svg(Position.start(), label=text),
        line_chart(
            text, [Line(text, [0.0, 1.0], [0.0, 1.0])], marks=[Mark(0.5, 0.5, text)], x_label=text, y_label=text
        ),
    ]
    for drawn in drawings:
        assert not set(CONTROLS) & set(drawn)
        assert "A" + "?" * len(CONTROLS) + "B" in drawn
        drawn.encode()
    for drawn in drawings[1:]:
        ET.fromstring(drawn)
    assert not set(CONTROLS) & set(match_text(replace(analysed, match=match)))


def test_page_explains_its_words_where_they_are_met_first(page: str) -> None:
    terms = dict(re.findall(r'<p id="t-(\w+)" popover>(.*?)</p>', page))
    for term, text in {"pr": "500 times", "emg": "equivalent to money game", "mwc": "to win the match",
                       "ply": "Extreme Gammon counts one more", "marks": "0.03, 0.06 or 0.12"}.items():  # fmt: skip
        assert text in terms[term]
    words = page[page.index('<p class="words">') :].split("</p>")[0]
    assert {*re.findall(r'popovertarget="t-(\w+)"', words)} == {*terms}
    for where in ('<p class="pr">', '<dl class="facts">', '<section class="card graph">'):
        assert 'popovertarget="t-' in page[page.index(where) :].split("</section>")[0]


def test_page_shows_other_programs_beside_ours() -> None:
    """The analysis of the file as ours, one decision judged otherwise: a column, a PR, and where both differ."""
    match = read_match(DATA / "sgf" / "analysed.sgf")
    theirs = foreign(replace(match, games=match.games[:2]))
    first, *others = theirs.games
    decisions = list(first.decisions)
    index = next(i for i, d in enumerate(decisions) if len(d.plays) > 2 and d.kind is DecisionKind.PLAY)
    best, second, *rest = decisions[index].plays
    plays = (replace(second, equity_loss=0.0), replace(best, equity_loss=0.05), *rest)
    decisions[index] = replace(decisions[index], plays=plays, best=str(second.play))
    same = Page(page := render_html(theirs))
    assert page.count(f"PR by {theirs.settings}") == 2
    assert "<th>Ply<th>gnubg" in page
    assert "data-differ" not in {name for tag, attrs in same.tags for name in attrs if tag == "a"}
    changed = render_html(replace(theirs, games=(replace(first, decisions=tuple(decisions)), *others)))
    assert [attrs["href"] for tag, attrs in Page(changed).tags if tag == "a" and "data-differ" in attrs] != []
    assert f"gnubg: {best.play}, by us -0.050" in changed
    assert f"<td>{words.signed(-second.equity_loss)}<tr" in changed
    assert "PR by" not in render_html(make_match())


def test_page_says_what_a_resignation_lost(analysed: AnalysedMatch) -> None:
    lost = Resignation(9, 1, 2.0, None, -1.2, 0.8, 0.08, Skill.VERY_BAD, 0.05, 0.005, Skill.DOUBTFUL)
    games = (*analysed.games[:-1], replace(analysed.games[-1], resignation=lost))
    text = Page(render_html(replace(analysed, games=games))).text
    assert "Maxence Job gives away 0.800 by resigning, very bad; Kévin Unger loses 0.050 by accepting, doubtful" in text
    games = (*analysed.games[:-1], replace(games[-1], resignation=replace(lost, given_away_mark=Skill.NONE)))
    assert "by resigning" not in Page(render_html(replace(analysed, games=games))).text


def test_a_page_of_a_game_without_decisions_has_its_comment_and_no_pr() -> None:
    match = make_match(games=1, turns=1).match
    games = (replace(match.games[0], actions=(), comment="Resigned <at once>"),)
    text = Page(render_html(analyse(replace(match, games=games), FakeEngine(), plies=0))).text
    assert "Resigned <at once>" in text
    assert "PR -" in text
    assert "PR 0" not in text


def test_json_has_the_marks_of_a_resignation_in_words(analysed: AnalysedMatch) -> None:
    lost = Resignation(9, 1, 2.0, None, -1.2, 0.8, 0.08, Skill.VERY_BAD, 0.05, 0.005, Skill.NONE)
    games = (*analysed.games[:-1], replace(analysed.games[-1], resignation=lost))
    told = to_dict(replace(analysed, games=games))["games"][-1]["resignation"]
    assert (told["given_away_mark"], told["given_away_skill"], told["let_off_skill"]) == (3, "very_bad", "none")


def test_a_terminal_says_what_a_resignation_lost(analysed: AnalysedMatch) -> None:
    lost = Resignation(9, 1, 2.0, None, -1.2, 0.8, 0.08, Skill.VERY_BAD, 0.05, 0.005, Skill.NONE)
    games = (*analysed.games[:-1], replace(analysed.games[-1], resignation=lost))
    text = match_text(replace(analysed, games=games))
    assert f"Game {analysed.match.games[-1].number}: Maxence Job gives away 0.800 by resigning, very bad" in text
    nothing = [replace(game, decisions=(), resignation=game.resignation) for game in games]
    assert "No errors marked." not in match_text(replace(analysed, games=tuple(nothing)))


def test_graphs_of_a_page_lead_to_its_turns(analysed: AnalysedMatch, page: str) -> None:
    places = [attrs["id"] for tag, attrs in Page(page).tags if tag == "section" and attrs.get("class", "")[:1] == "d"]
    assert places == [*dict.fromkeys(anchors(analysed))]
    assert page.count('class="sp-chart"') == 3
    for title in ("Errors, added up", "Luck, added up", "Errors by size"):
        assert f">{title}</text>" in page


def test_templates_of_a_user_take_the_place_of_ours(analysed: AnalysedMatch, page: str, tmp_path: Path) -> None:
    (tmp_path / "match.css").write_text('{% include "sixprime/match.css" %}body{font-size:18px}', encoding="utf-8")
    (tmp_path / "match.html").write_text(
        '{% extends "sixprime/match.html" %}{% block statistics %}<b>{{ players[0].name }}!</b>{% endblock %}',
        encoding="utf-8",
    )
    check_templates(tmp_path)
    changed = render_html(analysed, templates=tmp_path)
    assert "body{font-size:18px}" in changed
    assert "<b>Kévin Unger!</b>" in changed
    assert "All statistics" in page
    assert "All statistics" not in changed
    assert changed.count('<section class="d') == page.count('<section class="d')
    assert Page(changed).text


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("match_turn.html", "{% macro turn(d) %}\n{{ d.", "match_turn.html:2: "),
        ("match.html", "{{ nothing.there }}", "'nothing' is undefined"),
        ("match.html", "{{ players.__class__.__mro__ }}", "'__class__'.* is unsafe"),
        ("match.html", '{% include "/etc/passwd" %}', "/etc/passwd"),
        ("match.html", '{% include "../secret.html" %}', "secret"),
        ("match.html", "{{ 1 / 0 }}", "division by zero"),
        ("other.html", "", "has none of the templates that are used here"),
    ],
)
def test_wrong_templates_are_named(analysed: AnalysedMatch, tmp_path: Path, name: str, text: str, told: str) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (tmp_path / "secret.html").write_text("secret")
    (folder / name).write_text(text, encoding="utf-8")

    def use() -> None:
        check_templates(folder)
        render_html(analysed, templates=folder)

    with pytest.raises(SettingsError, match=told):
        use()
    with pytest.raises(SettingsError, match="is no folder of templates"):
        check_templates(tmp_path / "nowhere")


def test_page_size() -> None:
    analysed = make_match(turns=40, games=9)
    page = render_html(analysed)
    assert len(page.encode()) / len(analysed.decisions) < 2_800
    one_by_one = render_html(make_match(turns=8, games=13, length=0))
    assert one_by_one.count('<svg class="sp-board"') < one_by_one.count('<section class="d') / 2


# The terminal.


def printed(encoding: str = "utf-8", colour: bool = False, width: int = 90) -> tuple[Console, io.TextIOWrapper]:
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    console = Console(
        file=out, width=width, force_terminal=colour, color_system="truecolor" if colour else None, highlight=False
    )
    return console, out


def read(out: io.TextIOWrapper) -> str:
    out.flush()
    assert isinstance(out.buffer, io.BytesIO)
    return out.buffer.getvalue().decode(out.encoding)


def test_terminal_summary(analysed: AnalysedMatch) -> None:
    text = match_text(analysed)
    assert "\x1b" not in text
    worst = max(analysed.decisions, key=lambda d: d.error)
    for phrase in ("Kévin Unger wins 7-", f"{analysed.statistics[0].pr:.2f}", "Luck-adjusted result", "Worst decisions",
                   f"-{worst.error:.3f}", "XGID=", "2-ply, Normal"):  # fmt: skip
        assert phrase in text
    assert max(map(len, text.splitlines())) <= 100


def test_luck_that_nobody_judged_is_not_none() -> None:
    """As in a match of which GNU Backgammon was told to judge plays and cube only."""
    text = re.sub(r" \([-+ ]\d\.\d{3}\):$", ":", (DATA / "gnubg_text" / "game5.txt").read_text(), flags=re.M)
    analysed = foreign(read_text(re.sub(r"^Alert: .*lucky roll!.*\n", "", text, flags=re.M)))
    lines = match_text(analysed).splitlines()
    for name in ("Luck", "Luck-adjusted result"):
        assert any(re.fullmatch(rf"{name} +- +- *", line) for line in lines), name
    assert re.search(r"Luck-adjusted result</dt>\s*<dd[^>]*>\s*-", render_html(analysed))


def test_terminal_worst_decisions_hang(analysed: AnalysedMatch) -> None:
    console, out = printed(width=50)
    render_terminal(analysed, console)
    worst = read(out).split("Worst decisions\n")[1].split("\n\n")[0].splitlines()
    assert len(worst) > 10
    assert all(re.match(r" {5}\S|[ \d]{2}\d  -0", line) for line in worst), worst


def test_terminal_colours_and_ascii(analysed: AnalysedMatch) -> None:
    console, out = printed(colour=True)
    render_terminal(analysed, console)
    assert "\x1b[" in read(out)
    console, out = printed(encoding="ascii")
    plain = make_match(names=("Ann", "Bob"))
    render_terminal(plain, console, statistics="games")
    assert "#??" in (text := read(out))
    assert "+-" in text


def test_a_narrow_terminal_breaks_totals_between_their_parts(analysed: AnalysedMatch) -> None:
    console, out = printed(width=78)
    render_terminal(analysed, console, statistics="match")
    text = read(out)
    broken = [line for line in text.splitlines() if re.match(r" {20,}PR -?\d", line)]
    assert broken
    assert not re.search(r"PR(?: *$|  )", text[text.index("Error by phase") :], re.MULTILINE)


@pytest.mark.parametrize("width", [40, 60, 80, 96])
def test_terminal_tables_fit(width: int) -> None:
    console, out = printed(width=width)
    render_terminal(make_match(names=("Maximilian Long", "Bartholomew Longer")), console)
    lines = read(out).splitlines()
    games = lines[next(i for i, line in enumerate(lines) if line.startswith("Game")) :]
    games = games[: games.index("")]
    assert not any("…" in line for line in games)
    assert ("Luck" in "".join(lines[: lines.index(games[0])][-1:])) == (width >= 80)
    assert max(map(len, games)) <= width

    rng = random.Random(5)
    console, out = printed(width=width)
    render_hint(Position.start(), (3, 1), judge_play(rng, Position.start(), (3, 1), False), console=console)
    table = read(out).split("\n\n")[-1]
    assert "…" not in table
    assert max(map(len, table.splitlines())) <= width


NAMES = [
    ("charlot1", "charlot2"),
    ("charlot one", "charlot two"),
    ("Ann", "Ann"),
    ("", ""),
    ("", "Player 1"),
    (" Ann ", "Ann"),
    ("Bartholomew Longbottom the elder", "Bartholomew Longbottom the younger"),
    ("x" * 60 + "1" + "y" * 60, "x" * 60 + "2" + "y" * 60),
    ("山田太郎山田太郎山田太郎", "山田次郎山田太郎山田太郎"),
    ("👩‍👩‍👧‍👦 family", "👩‍👩‍👧 family"),
    ("\x1b[31mred\x1b[0m", "\x1b[31mblue\x1b[0m"),
    ("a\u3000b", "a\tb\nc"),
    ("abc\u202edef", "abc\u202efed"),
]


@pytest.mark.parametrize("names", NAMES, ids=ascii)
@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_names_in_the_terminal(names: tuple[str, str], width: int) -> None:
    """Different in every width, in their place, and cut only where the whole ones do not fit."""
    console, out = printed(width=width)
    analysed = make_match(names=names, turns=3, games=2)
    render_terminal(analysed, console)
    lines = read(out).splitlines()
    index = next(i for i, line in enumerate(lines) if line.startswith("Game"))
    table = lines[index - 1 : lines.index("", index)]
    assert max(map(cell_len, table)) <= width
    assert not any("…" in line for line in table)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", "".join(lines))
    whole = words.names(analysed.match)
    assert whole[0] != whole[1]
    assert all(whole)
    if width == 200 and max(map(cell_len, whole)) < 15:
        assert all(table[1].count(name) >= 3 for name in whole)
    winners = {line.rsplit(" +", 1)[0].split("  ")[-1].strip() for line in table if " +" in line[-6:]}
    assert len(winners) <= 2


@pytest.mark.parametrize("names", NAMES, ids=ascii)
@pytest.mark.parametrize("cells", [3, 5, 7, 9, 12, 30])
def test_short_names_stay_different(names: tuple[str, str], cells: int) -> None:
    whole = words.names(replace(make_match(games=1, turns=1).match, players=(Player(names[0]), Player(names[1]))))
    short = _short(whole, cells)
    assert short[0] != short[1]
    assert max(map(cell_len, short)) <= cells
    if max(map(cell_len, whole)) <= cells:
        assert short == whole


HEADINGS = {
    "analyse": ("Kévin Unger", "Maxence Job", "Game", "Score", "Result"),
    "eval": ("Win", "Gammon", "Backg.", "Cube action", "Equity", "Diff.", "MWC"),
    "hint": ("Play", "Equity", "Diff.", "Ply"),
    "race": ("Pips", "EPC", "Wastage", "Rolls", "SD", "Method", "Adjusted", "Win", "Verdict", "Cube action"),
    "cube": ("these chances", "Action", "winning chances of X", "takes", "too good"),
    "rollout": ("Cube action", "Equity", "Error", "Diff.", "JSD", "Trials", "doubles offered"),
}


@pytest.fixture(scope="module")
def shown() -> dict[str, Callable[[Console], None]]:
    """Everything that has a table, judged by the net alone."""
    engine = Engine(threads=1, plies=0)
    start, state = Position.start(), MatchState(length=7, score=(2, 1), on_roll=0)
    middle = Position.from_id("4HPMwQCMz+AIIQ")
    evaluation, decision = engine.evaluate(start, match=state), engine.cube_action(start, match=state)
    plays = engine.best_plays(start, (3, 1), match=state, count=10)
    race = race_theory(engine, Position.from_id("Xes6AABuuzUAAA"), state)
    theory = cube_theory(engine, middle, match=state)
    rolled = engine.rollout_cube(start, match=state, settings=RolloutSettings(trials=36, truncation=2))
    analysed = make_match()
    return {
        "analyse": lambda console: render_terminal(analysed, console),
        "eval": lambda console: render_evaluation(evaluation, state=state, cube=decision, console=console),
        "hint": lambda console: render_hint(start, (3, 1), plays, state=state, console=console),
        "race": lambda console: render_race(race, console=console),
        "cube": lambda console: render_cube_theory(theory, console=console),
        "rollout": lambda console: render_rollout(rolled, console=console, statistics=True),
    }


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("name", sorted(HEADINGS))
def test_no_heading_and_no_number_of_a_table_is_cut(
    shown: dict[str, Callable[[Console], None]], name: str, width: int
) -> None:
    console, out = printed(width=width)
    shown[name](console)
    text = read(out)
    assert "…" not in text
    for heading in HEADINGS[name]:
        assert heading in text
    assert max(map(cell_len, text.splitlines())) <= width


@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
def test_tables_of_decisions_fit_a_phone(tmp_path: Path) -> None:
    """Chromium lays a report out in 360 pixels, without its script; what scrolls there would hide its last columns."""
    assert BROWSER is not None
    (tmp_path / "report.html").write_text(render_html(make_match()), encoding="utf-8")
    (tmp_path / "phone.html").write_text(
        "<iframe id=f style='width:360px' sandbox=allow-same-origin src=report.html></iframe><p id=told></p>"
        "<script>f.onload = () => {"
        "for (const part of f.contentDocument.querySelectorAll('.d')) part.style.display = 'block';"
        "const sizes = [...f.contentDocument.querySelectorAll('.d .tables')].filter(table => table.clientWidth)"
        ".map(table => `${table.scrollWidth}/${table.clientWidth}`);"
        "told.textContent = `sizes ${sizes.join(' ')}`;}</script>"
    )
    options = ["--headless", "--no-sandbox", "--disable-gpu"]
    options += ["--allow-file-access-from-files", "--virtual-time-budget=5000"]
    run = subprocess.run(
        [BROWSER, *options, f"--user-data-dir={tmp_path}", "--dump-dom", (tmp_path / "phone.html").as_uri()],
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    found = re.search(r"sizes ([\d/ ]+)", run.stdout)
    assert found, run.stderr[-2000:]
    sizes = [tuple(map(int, size.split("/"))) for size in found[1].split()]
    assert len(sizes) > 5
    assert all(whole <= seen < 360 for whole, seen in sizes), sizes


def test_terminal_hostile_names() -> None:
    text = match_text(make_match(names=(HOSTILE, "[/bold]"), turns=3))
    assert "\x1b" not in text
    assert "[bold]" in text
    assert "[/bold]" in text


def test_terminal_without_games(analysed: AnalysedMatch) -> None:
    nothing = replace(analysed, match=replace(analysed.match, games=()), games=())
    assert "No errors marked." in match_text(nothing)


@pytest.mark.parametrize("length", [0, 7])
def test_single_positions(length: int) -> None:
    rng = random.Random(5)
    position = Position.start()
    state = MatchState(length=length, score=(2, 1) if length else (0, 0), on_roll=0)
    mwc = 0.6 if length else None
    evaluation = Evaluation(position, chances(rng), 0.1, 0.123456, mwc, 2, "contact")
    cube = judge_cube(rng, position, state)
    plays = judge_play(rng, position, (3, 1), length > 0)
    console, out = printed()
    render_evaluation(evaluation, state=state, cube=cube, console=console)
    render_hint(position, (3, 1), plays, state=state, console=console)
    render_cube(cube, console=console)
    render_hint(position, (3, 1), [], state=state, console=console)
    text = read(out)
    for phrase in ("+0.1235", cube.action, str(plays[0].play), "X to play 31", "4HPwATDgc/ABMA:", "Cannot move"):
        assert phrase in text
    assert ("MWC 60.00%" in text) == (length > 0)
    assert ("2-1 to 7" in text) == (length > 0)


# JSON and files.

MATCH_KEYS = [
    "decisions", "file", "foreign", "games", "info", "label", "length", "players", "points_per_game", "problems",
    "score", "seconds", "settings", "variant",
]  # fmt: skip
PLAYER_KEYS = {
    "name", "unforced_moves", "chequer_error_total", "cube_decisions", "cube_error_total", "error_per_decision", "pr",
    "luck_total", "rating", "rating_old", "snowie_error_rate", "pr_error", "fibs_rating", "fibs_by_luck", "phases",
    "plans", "faults", "luck_rating", "error_mwc", "too_early", "seconds",
}  # fmt: skip
DECISION_KEYS = [
    "action", "best", "chosen", "counted", "cube", "dice", "error", "error_mwc", "forced", "game", "illegal", "kind",
    "luck", "luck_mark", "luck_mwc", "match_id", "move_number", "mwc_before", "phase", "plan", "played", "player",
    "plays", "position_id", "skill", "xgid",
]  # fmt: skip
PLAY_KEYS = {"play", "position_id", "probabilities", "equity", "equity_loss", "plies"}
CUBE_KEYS = {"no_double", "double_take", "double_pass", "action"}


def test_json_keys(analysed: AnalysedMatch) -> None:
    data = json.loads(json.dumps(to_dict(analysed), allow_nan=False))
    assert sorted(data) == MATCH_KEYS
    assert len(data["decisions"]) == len(analysed.decisions)
    for player in data["players"]:
        assert set(player) >= PLAYER_KEYS
    for decision, source in zip(data["decisions"], analysed.decisions, strict=True):
        assert sorted(decision) == DECISION_KEYS
        assert decision["error"] == source.error
        assert Position.from_id(decision["position_id"]) == source.position
        for play in decision["plays"]:
            assert set(play) >= PLAY_KEYS
        if decision["cube"] is not None:
            assert set(decision["cube"]) >= CUBE_KEYS


def test_json_ids_have_the_doubler_on_roll(analysed: AnalysedMatch) -> None:
    for decision in to_dict(analysed)["decisions"]:
        doubler = 1 - decision["player"] if decision["kind"] == "take" else decision["player"]
        assert MatchState.from_match_id(decision["match_id"]).on_roll == doubler
        assert decision["xgid"].split(":")[3] == ("1" if doubler else "-1")


def test_save(analysed: AnalysedMatch, tmp_path: Path) -> None:
    for suffix, start in ((".html", "<!doctype html>"), (".json", "{"), (".txt", "Kévin Unger - Maxence Job")):
        path = tmp_path / f"match{suffix}"
        save(analysed, path)
        assert path.read_text(encoding="utf-8").startswith(start)
    with pytest.raises(SettingsError, match=r"\.pdf"):
        save(analysed, tmp_path / "match.pdf")


@pytest.mark.parametrize("width", [30, 40, 50, 60, 80, 120])
def test_tables_that_do_not_fit_are_printed_a_few_columns_at_a_time(width: int) -> None:
    from sixprime.report.console import print_table, table_for

    console, out = printed(width=width)
    table = table_for(console, tight=True)
    for name in ("Name", "Of", *(f"column {number}" for number in range(9)), "a last one"):
        table.add_column(name, no_wrap=True)
    for row in ("one", "two"):
        table.add_row(row, "it", *(f"{row} {number}" for number in range(9)), f"{row} of all")
    print_table(console, table, keys=2)
    blocks = read(out).rstrip("\n").split("\n\n")
    assert (len(blocks) == 1) == (width >= 120)
    assert max(map(len, read(out).splitlines())) <= width
    for block in blocks:
        head, _, *rows = block.splitlines()
        assert head.startswith("Name  Of")
        assert [row[:8] for row in rows] == ["one   it", "two   it"]
    shown = " ".join(" ".join(line.split()[2:]) for block in blocks for line in block.splitlines()[:1])
    assert shown == " ".join([*(f"column {number}" for number in range(9)), "a last one"])


@pytest.mark.parametrize("width", [1, 12, 20, 28, 36])
def test_nothing_of_a_table_is_cut_off_in_a_narrow_terminal(width: int) -> None:
    from sixprime.report.console import print_table, table_for

    console, out = printed(width=width)
    table = table_for(console)
    for name in ("Action", "Equity", "Play", "Diff."):
        table.add_column(name, no_wrap=name != "Play")
    table.add_row("Double, take", "+0.56590", "bar/22*/18*(2) bar/24(2)", "-0.00580")
    print_table(console, table)
    shown = read(out)
    assert "…" not in shown
    assert "+0.56590" in shown
    assert "-0.00580" in shown


@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_match_equity_tables_fit(columns: int) -> None:
    from sixprime.cube.met import load
    from sixprime.report.met import met_text

    table = load("kazaross-xg2")
    text = met_text(table.swapped(), 25, columns=columns)
    assert max(map(len, text.splitlines())) <= columns
    assert f"{100 * table.swapped().pre[24, 24]:.1f}" in text.split("After")[0].splitlines()[-2]
