"""A play that is made chequer by chequer: whatever is legal can be made, nothing else can."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_positions import DICE, positions
from sides import side

from sixprime.errors import IllegalPlayError, InvalidPlayError, SettingsError
from sixprime.game.position import Position
from sixprime.game.stepping import Entry

START = Position.start()


def ends(entry: Entry) -> Iterator[Entry]:
    """Every way to make a play, by single dice; tables met before are not followed again."""
    seen: set[tuple[Position, tuple[int, ...]]] = set()
    ahead = [entry]
    while ahead:
        entry = ahead.pop()
        key = entry.now, tuple(sorted(entry.left))
        if key in seen:
            continue
        seen.add(key)
        if entry.done:
            yield entry
        for start in entry.starts:
            ahead += [entry.move(start, end) for end, way in entry.targets(start).items() if len(way) == 1]


@settings(max_examples=60)
@given(positions(), DICE)
def test_exactly_the_legal_plays_can_be_made(position: Position, dice: tuple[int, int]) -> None:
    legal = {play.result for play in position.plays(dice)} or {position.swapped()}
    made = list(ends(Entry.of(position, dice)))
    assert {entry.play.result for entry in made} == legal
    assert all(entry.now.swapped() == entry.play.result for entry in made)


@settings(max_examples=60)
@given(positions(), DICE, st.data())
def test_what_is_made_can_be_taken_back_and_typed(
    position: Position, dice: tuple[int, int], data: st.DataObject
) -> None:
    entry = Entry.of(position, dice)
    before = [entry]
    while not entry.done:
        start = data.draw(st.sampled_from(entry.starts))
        ways = entry.targets(start)
        end = data.draw(st.sampled_from(sorted(ways)))
        # Every way of one chequer is steps that follow each other, with dice that are there.
        way = ways[end]
        assert way[0][1].start == start
        assert all(one[1].end == two[1].start for one, two in pairwise(way))
        assert sorted([*entry.move(start, end).left, *(die for die, _ in way)]) == sorted(entry.left)
        entry = entry.move(start, end)
        before.append(entry)
    for play in position.plays(dice)[:20]:
        typed = Entry.typed(str(play), position, dice)
        assert typed.done
        assert typed.play == play
    while len(before) > 1:
        assert before.pop().back() == before[-1]
    assert entry.swapped().now == entry.now


def test_the_larger_die_where_only_one_can_be_played() -> None:
    # Either die can be played, but not both: the 6 must be, with any chequer that can.
    position = Position(side(p13=2), side(p23=1))
    entry = Entry.of(position, (6, 5))
    assert entry.starts == (23,)
    assert list(entry.targets(23)) == [17]
    with pytest.raises(IllegalPlayError, match="from 23 to 18; it can go to 17"):
        entry.move(23, 18)
    assert str(entry.move(23).play) == "23/17"


def test_dice_in_either_order() -> None:
    entry = Entry.of(START, (3, 1))
    assert entry.left == (3, 1)
    assert entry.move(8).now.player[4] == 1
    assert entry.swapped().left == (1, 3)
    assert entry.swapped().move(8).now.player[6] == 1
    # One chequer with both dice goes by the order of the dice: here only the second hits.
    position = Position(side(p2=1, p24=2), side(p24=1, p6=3))
    assert [step.hit for _, step in Entry.of(position, (1, 2)).targets(24)[21]] == [True, False]
    assert [step.hit for _, step in Entry.of(position, (2, 1)).targets(24)[21]] == [False, False]


@pytest.mark.parametrize(
    ("text", "dice", "made", "left"),
    [
        ("8/5 6/5", (3, 1), "8/5 6/5", 0),
        ("31: 8/5 6/5", (3, 1), "8/5 6/5", 0),
        ("8 5 6 5", (3, 1), "8/5 6/5", 0),
        ("8 6", (3, 1), "8/5 6/5", 0),
        ("6 8", (3, 1), "8/7 6/3", 0),
        ("6,8", (1, 3), "8/5 6/5", 0),
        ("24", (6, 5), "24/18", 1),
        ("24 18", (6, 5), "24/13", 0),
        ("6 5", (6, 1), "6/5", 1),
        ("24 13", (6, 5), "24/13", 0),
        ("24/18/13", (6, 5), "24/13", 0),
        ("13 13 6 6", (2, 2), "13/11(2) 6/4(2)", 0),
        ("6/4(2)", (2, 2), "6/4(2)", 2),
        ("13/9", (2, 2), "13/9", 2),
        ("", (2, 1), "", 2),
    ],
)
def test_typed(text: str, dice: tuple[int, int], made: str, left: int) -> None:
    entry = Entry.typed(text, START, dice)
    assert len(entry.left) == left
    assert entry.done == (left == 0)
    again = Entry.typed(made, START, dice)
    assert again.now == entry.now
    if entry.done:
        assert str(entry.play) == made


@pytest.mark.parametrize("text", ["8/9", "24/23/22", "5", "13 1", "7", "bar", "0", "99", "8/5 8/5 8/5"])
def test_typed_but_not_allowed(text: str) -> None:
    with pytest.raises((IllegalPlayError, InvalidPlayError)):
        Entry.typed(text, START, (6, 5))


@given(st.text(alphabet="0123456789/-*() ,barof", max_size=20), DICE)
def test_any_text(text: str, dice: tuple[int, int]) -> None:
    try:
        entry = Entry.typed(text, START, dice)
    except (IllegalPlayError, InvalidPlayError):
        return
    assert not entry.done or entry.play in START.plays(dice)


def test_one_chequer_is_taken_back() -> None:
    entry = Entry.of(START, (2, 2)).move(13, 11).move(6, 4).move(11, 9)
    assert entry.back(4).now == Entry.typed("13/9", START, (2, 2)).now
    with pytest.raises(IllegalPlayError, match="rely on this chequer"):
        entry.back(11)
    with pytest.raises(IllegalPlayError, match="no chequer has been moved to 3"):
        entry.back(3)
    with pytest.raises(IllegalPlayError, match="no chequer has been moved yet"):
        Entry.of(START, (2, 2)).back()
    # From the bar first: without it nothing else could have moved.
    position = Position(side(p24=2), side(p24=1, bar=1))
    entry = Entry.of(position, (4, 3)).move(25, 21).move(24, 21)
    with pytest.raises(IllegalPlayError, match="rely"):
        Entry.of(position, (4, 3)).move(25, 22).move(24, 20).back(22)
    assert entry.play.result.opponent[20] == 2


def test_nothing_to_move() -> None:
    blocked = Position(side(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2), side(bar=1, p6=5))
    entry = Entry.of(blocked, (6, 1))
    assert entry.done
    assert entry.starts == ()
    assert not entry.play.steps
    with pytest.raises(IllegalPlayError, match="no chequer on the bar can move; the play is finished"):
        entry.move(25)


def test_unfinished() -> None:
    with pytest.raises(IllegalPlayError, match="not finished after 1 of the dice: there is 1 left"):
        _ = Entry.of(START, (3, 1)).move(8).play
    with pytest.raises(SettingsError):
        Entry.of(START, (0, 7))


def test_the_dice_say_which_are_used() -> None:
    entry = Entry.of(Position.start(), (3, 1))
    assert entry.thrown == ((3, False), (1, False))
    assert entry.move(8, 7).thrown == ((3, False), (1, True))
    double = Entry.of(Position.start(), (2, 2)).move(13, 11)
    assert double.thrown == ((2, True), (2, False), (2, False), (2, False))
