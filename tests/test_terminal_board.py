"""The board of the terminal: every chequer where it stands, in all sizes and both directions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_positions import positions

from sixprime.game.position import Position
from sixprime.terminal.board import (
    BAR,
    CUBE,
    DICE,
    OFF,
    SIZES,
    THEMES,
    TOP_BAR,
    TOP_OFF,
    Drawing,
    Shown,
    Size,
    draw,
    size_for,
)

START = Position.start()


def letters(drawing: Drawing, place: int) -> str:
    """What is drawn of chequers, and digits, at a place."""
    found = ""
    for y, row in enumerate(drawing.rows[1:-1], 1):
        cells = [character for x, (character, _) in enumerate(row) if drawing.place(x, y) == place]
        found += "".join(character for character in cells if character in "XO0123456789")
    return found


@settings(max_examples=40)
@given(positions(), st.sampled_from(SIZES[1:]), st.booleans())
def test_every_chequer_is_drawn(position: Position, size: Size, left: bool) -> None:
    drawing = draw(Shown(position, left=left), size, None)
    for point in range(1, 25):
        mine, theirs = position.player[point - 1], position.opponent[24 - point]
        if not (mine and theirs):
            check(letters(drawing, point), mine or theirs, "X" if mine else "O")
    check(letters(drawing, BAR), position.player[24], "X")
    check(letters(drawing, TOP_BAR), position.opponent[24], "O")
    assert letters(drawing, OFF).count("X") == position.off[0]
    assert letters(drawing, TOP_OFF).count("O") == position.off[1]


def check(found: str, count: int, letter: str) -> None:
    """Five chequers are drawn; a number on the last tells of more."""
    assert found.count(letter) == min(count, 5) - (count > 5)
    assert "".join(filter(str.isdigit, found)) == (str(count) if count > 5 else "")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["dark", "light", "mono"])
def test_all_sizes_have_their_measure(size: Size, theme: str) -> None:
    for left in (False, True):
        shown = Shown(START, left=left, dice=((3, False), (1, True)), cube=2, cube_at=1, targets={5, 0}, chosen=8)
        drawing = draw(shown, size, THEMES[theme])
        assert len(drawing.rows) == size.height
        assert {len(row) for row in drawing.rows} == {size.width}
        for y in range(size.height):
            text = "".join(segment.text for segment in drawing.segments(y))
            assert text == "".join(character for character, _ in drawing.rows[y])
        places = {drawing.place(x, y) for x in range(size.width) for y in range(size.height)}
        assert {*range(26), TOP_BAR, TOP_OFF, DICE, CUBE} <= places
        assert drawing.place(-1, 0) is None
        assert drawing.place(0, size.height) is None


def test_colours_are_of_the_theme_and_none_without() -> None:
    for theme in ("dark", "light"):
        styles = {style for row in draw(Shown(START), SIZES[2], THEMES[theme]).rows for _, style in row}
        assert all(style.bgcolor is not None for style in styles)
    plain = {style for row in draw(Shown(START), SIZES[2], None).rows for _, style in row}
    assert all(style.color is None and style.bgcolor is None for style in plain)


def test_the_other_direction_is_the_mirror() -> None:
    size = SIZES[3]
    right, left = (draw(Shown(START, left=side), size, None) for side in (False, True))
    assert right.text.splitlines()[0].split()[1:7] == ["13", "14", "15", "16", "17", "18"]
    assert left.text.splitlines()[0].split()[1:7] == ["24", "23", "22", "21", "20", "19"]
    downwards = draw(Shown(START, downwards=True), size, None)
    assert downwards.text.splitlines()[0].split()[1:7] == ["12", "11", "10", "9", "8", "7"]


def test_the_size_that_fits() -> None:
    assert size_for(200, 60) == SIZES[0]
    assert size_for(80, 24) == SIZES[1]
    assert size_for(60, 16) == SIZES[2]
    assert size_for(60, 14) == SIZES[3]
    assert size_for(10, 5) == SIZES[-1]
    assert SIZES[3].width <= 60


def test_what_is_marked() -> None:
    shown = Shown(START, starts={8}, targets={5, 7}, chosen=8, gone={13}, come={6}, dice=((3, False), (1, True)))
    text = draw(shown, SIZES[3], None).text
    assert text.count("^^") == 2
    assert "[3]" in text
    assert "(1)" in text
    offered = draw(Shown(START, cube=4, offered=True), SIZES[3], None)
    assert " 4 " in offered.text.splitlines()[6]
    assert not draw(Shown(START, cube=0), SIZES[3], None).text.count("64")
