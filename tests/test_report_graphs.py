"""Graphs of a match: their numbers are those of the analysis, and their links lead to the moves of the page."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from made_match import make_match

from sixprime import Engine, analyse
from sixprime.analysis.model import AnalysedMatch
from sixprime.formats import read_text
from sixprime.report import chart, heat, render_html
from sixprime.report.chart import in_colours
from sixprime.report.graphs import GRAPHS, anchors, chances_graph, error_histogram, errors_graph, luck_graph

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module", params=[7, 0])
def analysed(request: pytest.FixtureRequest) -> AnalysedMatch:
    return make_match(seed=11, length=request.param, games=3, turns=8)


def spots(drawn: str) -> list[dict[str, str]]:
    return [each.attrib for each in ET.fromstring(drawn).iter(f"{SVG}circle") if each.attrib.get("class") == "hit"]


def test_anchors_are_those_of_the_page(analysed: AnalysedMatch) -> None:
    page = render_html(analysed)
    found = anchors(analysed)
    assert len(found) == len(analysed.decisions)
    assert set(re.findall(r'id="(a\d+)"', page)) == set(found)
    # The page marks its errors with links of its own: the same decisions are behind the same names.
    marked = re.findall(r'<a href="#(a\d+)" aria-label="[^"]*"><(?:circle|rect) class="mark', page)
    assert sorted(marked) == sorted(name for name, each in zip(found, analysed.decisions, strict=True) if each.skill)


def test_links_only_where_a_page_is_named(analysed: AnalysedMatch) -> None:
    names = set(anchors(analysed))
    for draw in (chances_graph, errors_graph, luck_graph):
        assert "href" not in draw(analysed)
        links = re.findall(r'href="([^"]*)"', draw(analysed, page="match.html"))
        assert links
        assert {link.removeprefix("match.html#") for link in links} <= names
        assert all(link.startswith("#") for link in re.findall(r'href="([^"]*)"', draw(analysed, page="")))


def test_chances_are_those_before_the_decisions(analysed: AnalysedMatch) -> None:
    known = [each for each in analysed.decisions if each.before is not None]
    found = spots(chances_graph(analysed))
    assert [float(spot["data-value"]) for spot in found] == pytest.approx(
        [each.before.value for each in known if each.before is not None], abs=1e-6
    )
    assert [int(spot["data-move"]) for spot in found] == [each.move_number for each in known]


@pytest.mark.parametrize(("draw", "key"), [(errors_graph, "error"), (luck_graph, "luck")])
def test_sums_end_at_the_totals(analysed: AnalysedMatch, draw, key: str) -> None:
    found = spots(draw(analysed))
    for player in (0, 1):
        own = [spot for spot in found if spot["data-player"] == str(player + 1)]
        total = sum(getattr(each, key) or 0.0 for each in analysed.decisions if each.player == player)
        assert float(own[-1]["data-total"]) == pytest.approx(total, abs=1e-5)
        # The sum of the statistics counts the same.
        statistics = analysed.statistics[player]
        assert total == pytest.approx(statistics.luck_total if key == "luck" else statistics.error_total, abs=1e-5)


def test_a_roll_that_nobody_played_is_no_dance() -> None:
    text = " 3 point match\n\n Game 1\n A : 0   B : 0\n  1) 31: 8/5 6/5           52: 13/8 13/11\n  2) 64: ????\n"
    found = analyse(read_text(f"{text}                          Wins 1 point\n"), Engine(plies=0))
    assert re.search(r"<title>[^<]* A 64: [-+.0-9]+,", luck_graph(found))
    page = render_html(found)
    assert '<h4>rolls <span class="soft">not judged</span></h4>' in page
    assert "Cannot move" not in page


def test_the_histogram_counts_every_error(analysed: AnalysedMatch) -> None:
    bars = [each.attrib for each in ET.fromstring(error_histogram(analysed)).iter(f"{SVG}rect")
            if "data-count" in each.attrib]  # fmt: skip
    assert sum(int(bar["data-count"]) for bar in bars) == sum(each.error >= 0.0005 for each in analysed.decisions)
    assert len(bars) == 14
    heights = {int(bar["data-count"]): float(bar["height"]) for bar in bars}
    most = max(heights)
    assert all(height == pytest.approx(heights[most] * count / most, abs=0.1) for count, height in heights.items())


@pytest.mark.parametrize("name", GRAPHS)
def test_nothing_to_draw_and_names_to_escape(name: str) -> None:
    hostile = make_match(seed=2, games=1, turns=4, names=("<b>&", '"><script>'))
    drawn = GRAPHS[name](hostile, page='"><script>')
    assert "<script>" not in drawn
    ET.fromstring(drawn)
    nothing = replace(hostile, match=replace(hostile.match, games=()), games=())
    ET.fromstring(GRAPHS[name](nothing))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", GRAPHS)
def test_literal_colours(name: str, scheme: str, analysed: AnalysedMatch) -> None:
    drawn = in_colours(GRAPHS[name](analysed), scheme)  # type: ignore[arg-type]
    assert "var(" not in drawn
    assert "@media" not in drawn
    assert ET.fromstring(drawn).attrib["class"] == f"sp-chart-{scheme}"
    assert ".sp-chart " not in drawn


@pytest.mark.parametrize("scheme", [0, 1])
def test_words_on_the_strongest_squares_can_be_read(scheme: int) -> None:
    """The ink on every colour at its full strength over the ground: a contrast of 4.5:1 (WCAG 2)."""

    def channels(colour: str) -> list[float]:
        return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]

    def luminance(parts: list[float]) -> float:
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    shades = {name: channels(pair[scheme]) for name, pair in chart._COLOURS.items()}
    for name in ("blue", "red", "green", "amber", "violet", "grey"):
        ground = [heat._FULL * a + (1 - heat._FULL) * b for a, b in zip(shades[name], shades["back"], strict=True)]
        low, high = sorted((luminance(ground), luminance(shades["ink"])))
        assert (high + 0.05) / (low + 0.05) >= 4.5, name
