"""The drawing of boards: themes can be read by everybody, arrows say what the play does, options do what they say."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime import MatchState, Play, Position, SettingsError, parse_play
from sixprime.game.play import legal_plays_reference
from sixprime.report import board_svg
from sixprime.report.svg import HEIGHT, WIDTH, Layout, board_defs
from sixprime.report.themes import THEMES, Theme, board_css, get_theme

START = Position.start()
GROUNDS = ("frame", "surface", "point_a", "point_b")


def linear(colour: str) -> np.ndarray:
    """Linear red, green and blue of `#rrggbb`."""
    parts = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    """Contrast of two linear colours, 1 to 21, as WCAG 2 defines it."""
    low, high = sorted(float(colour @ (0.2126, 0.7152, 0.0722)) for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


# Machado, Oliveira and Fernandes (2009), severity 1; for no deficiency the identity.
SEEN = {
    name: np.array(numbers).reshape(3, 3)
    for name, numbers in {
        "all": [1, 0, 0, 0, 1, 0, 0, 0, 1],
        "protan": [0.1523, 1.0526, -0.2049, 0.1145, 0.7863, 0.0992, -0.0039, -0.0481, 1.0520],
        "deutan": [0.3673, 0.8606, -0.2280, 0.2801, 0.6725, 0.0474, -0.0118, 0.0429, 0.9689],
        "tritan": [1.2555, -0.0767, -0.1788, -0.0784, 0.9308, 0.1476, 0.0047, 0.6914, 0.3039],
    }.items()
}


@pytest.mark.parametrize("eye", SEEN)
@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_chequers_stand_out(theme: Theme, eye: str) -> None:
    """From every ground and from each other by 3:1; also for the colour-blind."""

    def between(one: str, other: str) -> float:
        a, b = (np.clip(SEEN[eye] @ linear(getattr(theme, name)), 0, 1) for name in (one, other))
        return contrast(a, b)

    assert between("light", "dark") >= 3
    for side, ground in product(("light", "dark"), GROUNDS):
        edged = between(f"{side}_edge", ground) >= 3 and between(f"{side}_edge", side) >= 3
        assert between(side, ground) >= 3 or edged, (side, ground)
    assert between("label", "frame") >= 4.5
    assert between("cube", "cube_text") >= 4.5
    for arrow in ("best", "played"):
        assert between(arrow, "halo") >= 3


def distance(one: np.ndarray, other: np.ndarray) -> float:
    """How different two linear colours look, in CIE Lab units."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    labs = []
    for colour in (one, other):
        x, y, z = np.cbrt(to_xyz @ colour / (0.9505, 1, 1.089))
        labs.append(np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)]))
    return float(np.linalg.norm(labs[0] - labs[1]))


@pytest.mark.parametrize("eye", SEEN)
def test_the_colour_blind_tell_the_arrows_apart_by_colour_too(eye: str) -> None:
    theme = THEMES["colour-blind"]
    for one, other in combinations(("best", "played", "light", "halo"), 2):
        a, b = (np.clip(SEEN[eye] @ linear(getattr(theme, name)), 0, 1) for name in (one, other))
        assert distance(a, b) > 20, (one, other)


def arrows(drawn: str, name: str) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Where the arrows of a kind begin and end."""
    shafts = re.search(rf'<path class="sp-{name}" d="([^"]*)"', drawn)
    heads = re.search(rf'<path class="sp-{name}-head" d="([^"]*)"', drawn)
    if shafts is None or heads is None:
        return []
    starts = re.findall(r"M(-?\d+) (-?\d+)", shafts[1])
    ends = re.findall(r"L(-?\d+) (-?\d+)L", heads[1])
    return [((int(x0), int(y0)), (int(x1), int(y1))) for (x0, y0), (x1, y1) in zip(starts, ends, strict=True)]


def play(text: str, dice: tuple[int, int], position: Position = START) -> Play:
    return parse_play(text, position, dice)


@pytest.mark.parametrize(("text", "dice", "number"), [
    ("24/13", (6, 5), 1), ("8/5 6/5", (3, 1), 2), ("13/7(2) 24/18(2)", (6, 6), 4), ("13/10(2) 24/18", (3, 3), 3),
    ("24/15 13/10", (3, 3), 2), ("13/9(2) 6/2(2)", (4, 4), 4),
])  # fmt: skip
def test_one_arrow_for_each_chequer(text: str, dice: tuple[int, int], number: int) -> None:
    drawn = board_svg(START, best=play(text, dice), theme="light")
    found = arrows(drawn, "best")
    assert len(found) == number
    assert len(set(found)) == number
    assert drawn.count("×2") == text.count("(2)")


@pytest.mark.parametrize("side", ["right", "left"])
@pytest.mark.parametrize("bottom", [0, 1])
@pytest.mark.parametrize(
    ("text", "dice"), [("13/7(2)", (6, 6)), ("24/18(2)", (6, 6)), ("8/2(2)", (6, 6)), ("13/3(2)", (5, 5))]
)
def test_chequers_that_go_together_have_parallel_arrows(
    text: str, dice: tuple[int, int], side: str, bottom: int
) -> None:
    rest = "" if text == "13/3(2)" else " 24/18(2)" if text != "24/18(2)" else " 13/7(2)"
    drawn = board_svg(START, best=play(text + rest, dice), bottom=bottom, bear_off=side)  # type: ignore[arg-type]
    by_way: dict[tuple[int, int], list[tuple[tuple[int, int], tuple[int, int]]]] = {}
    for start, end in arrows(drawn, "best"):
        by_way.setdefault((start[0], end[0]), []).append((start, end))
    for group in by_way.values():
        (a, b), (c, d) = group
        assert (b[0] - a[0], b[1] - a[1]) == (d[0] - c[0], d[1] - c[1])


def test_three_and_four_chequers_together() -> None:
    home = Position((0,) * 24 + (1,), (0, 0, 0, 0, 4, 8) + (0,) * 19)
    drawn = board_svg(home, best=play("6/5(4)", (1, 1), home))
    assert "×4" in drawn
    assert len(set(arrows(drawn, "best"))) == 4
    off = board_svg(home, best=play("6/off(3) 6/off", (6, 6), home))
    assert len(set(arrows(off, "best"))) == 4


def test_an_arrow_goes_through_the_point_where_it_hits() -> None:
    position = Position((5,) + (0,) * 4 + (1,) + (0,) * 19, (0,) * 23 + (2, 0))
    drawn = board_svg(position, best=play("24/19*/13", (6, 5), position))
    x, y = Layout(False, False).place(19, 0, 0)
    shaft = re.search(r'class="sp-best" d="([^"]*)"', drawn)
    assert shaft is not None
    assert f" {x} {y}Q" in shaft[1]


def test_ways_common_to_both_plays_are_counted_once() -> None:
    drawn = board_svg(START, best=play("24/18(2) 13/7(2)", (6, 6)), played=play("24/18(2) 8/2(2)", (6, 6)))
    assert drawn.count("×2") == 3
    assert len(arrows(drawn, "best")) == len(arrows(drawn, "played")) == 4


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(0, 30), st.tuples(st.integers(1, 6), st.integers(1, 6)), st.booleans())
def test_arrows_begin_and_end_on_chequers(seed: int, turns: int, dice: tuple[int, int], mirrored: bool) -> None:
    """Of any play: each begins on a chequer that is drawn, ends on one that is drawn after it, and stays inside."""
    chance = np.random.default_rng(seed)
    position = START
    for _ in range(turns):
        plays = legal_plays_reference(position, (int(chance.integers(1, 7)), int(chance.integers(1, 7))))
        following = plays[int(chance.integers(len(plays)))].result if plays else position.swapped()
        position = following if following.winner is None else START
    plays = legal_plays_reference(position, dice)
    if not plays or not plays[0].steps:
        return
    chosen = plays[int(chance.integers(len(plays)))]
    layout = Layout(mirrored, False)
    drawn = board_svg(position, best=chosen, bear_off="left" if mirrored else "right")
    if chosen.result.winner is not None:
        return
    after = {layout.place(point + 1, slot, 0)
             for point, count in enumerate(chosen.result.opponent) for slot in range(min(count, 5))}  # fmt: skip
    before = {layout.place(point + 1, slot, 0)
              for point, count in enumerate(position.player) for slot in range(min(count, 5))}  # fmt: skip
    tray = {layout.place(0, slot, 0) for slot in range(15)}
    for start, end in arrows(drawn, "best"):
        assert start in before
        assert end in after | tray
        assert 0 <= end[0] <= WIDTH
        assert 0 <= end[1] <= HEIGHT


def test_point_numbers() -> None:
    def numbers(**options: object) -> list[int]:
        drawn = board_svg(START, theme="light", pips=False, **options)  # type: ignore[arg-type]
        found = ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
        # From the left below to the right, then from the left above.
        return [int(t.text or "") for t in sorted(found, key=lambda t: (-int(t.attrib["y"]), int(t.attrib["x"])))]

    up = [*range(12, 0, -1), *range(13, 25)]
    down = [*range(13, 25), *range(12, 0, -1)]
    assert numbers() == up
    assert numbers(mover=0, bottom=1) == down
    assert numbers(mover=0, bottom=1, numbers="bottom") == up
    assert numbers(bear_off="left") == [*range(1, 13), *range(24, 12, -1)]
    assert numbers(numbers="none") == []


def test_pips_width_and_the_light_player() -> None:
    assert ">167</text>" in board_svg(START)
    assert ">167</text>" not in board_svg(START, pips=False)
    root = ET.fromstring(board_svg(START, width=2 * WIDTH))
    assert (root.attrib["width"], root.attrib["height"]) == (str(2 * WIDTH), str(2 * HEIGHT))
    dark, light = (board_svg(START, mover=0, light=player, dice=(2, 1)) for player in (1, 0))
    assert 'class="sp-d1"' in dark
    assert 'class="sp-d0"' in light
    assert "dark on roll" in dark


def test_the_same_player_stays_at_the_bottom() -> None:
    """Seen from below by player 0, a position drawn on either turn has its chequers at the same places."""
    position = Position((0, 2) + (0,) * 10 + (3,) + (0,) * 12, (0,) * 5 + (4,) + (0,) * 18 + (1,))
    for side in ("right", "left"):
        drawn = [
            board_svg(position, mover=0, bottom=0, bear_off=side),
            board_svg(position.swapped(), mover=1, bottom=0, bear_off=side),
        ]
        chequers = [sorted(re.findall(r'class="sp-c([01])" d="([^"]*)"', each)) for each in drawn]
        assert chequers[0] == chequers[1]


def test_shared_boards_use_what_the_page_holds() -> None:
    defined = set(re.findall(r'id="([^"]+)"', board_defs()))
    for side, bottom, numbers in product(("right", "left"), (0, 1), ("mover", "bottom", "none")):
        drawn = board_svg(START, bottom=bottom, bear_off=side, numbers=numbers, shared=True)  # type: ignore[arg-type]
        used = re.search(r'href="#([^"]+)"', drawn)
        assert used is not None
        assert used[1] in defined


def test_themes_in_one_page_keep_to_themselves() -> None:
    for name in THEMES:
        drawn = board_svg(START, theme=name)
        assert f'class="sp-board sp-{name}"' in drawn
        style = re.search(r"<style>(.*)</style>", drawn)
        assert style is not None
        for selectors in re.findall(r"([^{}]+){", style[1]):
            assert all(f".sp-{name}" in selector for selector in selectors.split(","))
        assert "var(" not in drawn
    assert "var(--sp-frame)" in board_css()


@pytest.mark.parametrize(("options", "said"), [
    ({"theme": "pink"}, "theme must be auto, light, dark, wood, blue, colour-blind or print. Got 'pink' instead."),
    ({"numbers": "mine"}, "numbers must be mover, bottom or none. Got 'mine' instead."),
    ({"bear_off": "up"}, "bear_off must be right or left. Got 'up' instead."),
    ({"bottom": 2}, "bottom must be a whole number from 0 to 1. Got 2 instead."),
    ({"width": 0}, "width must be a whole number from 16 to 16384. Got 0 instead."),
    ({"light": None}, "light must be a whole number from 0 to 1. Got None instead."),
])  # fmt: skip
def test_options_that_there_are_not(options: dict[str, object], said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        board_svg(START, MatchState(), **options)  # type: ignore[arg-type]
    assert str(caught.value) == said


def test_a_theme_of_ones_own() -> None:
    own = Theme(**{name: "#123456" for name in Theme.__slots__ if name != "name"}, name="own")
    assert get_theme(own) is own
    assert "#123456" in board_svg(START, theme=own)
