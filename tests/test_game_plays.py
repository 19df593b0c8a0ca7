"""Legal plays and their notation: reference rows, the rules one by one, properties, kernels."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_positions import DICE, positions
from sides import side

from sixprime.errors import IllegalPlayError, InvalidPlayError, SettingsError
from sixprime.game.play import Play, Step, WrittenStep, apply_steps, parse_play, parse_steps
from sixprime.game.position import Position
from sixprime.game.variants import VARIANTS

DATA = Path(__file__).parent / "data"
REFDATA = os.environ.get("SIXPRIME_REFDATA")
Row = tuple[Position, tuple[int, int], dict[str, str]]


def reference_rows(full: bool) -> list[Row]:
    rows = []
    path = Path(REFDATA or "") / "moves.jsonl" if full else DATA / "moves.jsonl"
    for line in path.read_text().splitlines():
        row = json.loads(line)
        plays = dict(zip(row["after_opp_on_roll"], row["moves"], strict=True)) if full else row["plays"]
        rows.append((Position.from_id(row["position_id"]), tuple(row["dice"]), plays))
    return rows


@pytest.fixture(scope="module", params=["slice", "full"])
def rows(request: pytest.FixtureRequest) -> list[Row]:
    if request.param == "full" and not REFDATA:
        pytest.skip("SIXPRIME_REFDATA is not set")
    return reference_rows(request.param == "full")


def test_plays_and_notation_of_the_reference(rows: list[Row]) -> None:
    for position, dice, expected in rows:
        plays = position.plays(dice)
        assert {play.result.id: str(play) for play in plays} == expected
        assert len(plays) == len(expected)


def test_reference_notation_is_read(rows: list[Row]) -> None:
    for position, (high, low), expected in rows:
        for result, text in expected.items():
            target = Position.from_id(result)
            play = parse_play(text, position, (high, low))
            assert play.result == target
            assert str(play) == text
            assert Play.between(position, (low, high), target) == play
            assert apply_steps(position, [step[:2] for step in play.steps]) == target
            plain = " ".join(f"{start}/{end}" for start, end, _ in reversed(play.steps))
            assert parse_play(plain, position, (low, high)) == play
        if not expected:
            assert parse_play("", position, (high, low)).steps == ()


START = Position.start()


@pytest.mark.parametrize(
    ("text", "dice", "canonical"),
    [
        ("8/5 6/5", (3, 1), "8/5 6/5"),
        ("6/5,8/5", (1, 3), "8/5 6/5"),
        ("6-5 8-5", (3, 1), "8/5 6/5"),
        ("24/13", (6, 5), "24/13"),
        ("24/18/13", (6, 5), "24/13"),
        ("18/13 24/18", (5, 6), "24/13"),
        ("24/16", (2, 2), "24/16"),
        ("24/20(2)", (2, 2), "24/20(2)"),
        ("24/20 (2)", (2, 2), "24/20(2)"),
        ("24/22(2) 6/4(2)", (2, 2), "24/22(2) 6/4(2)"),
        ("6/4(2) 24/22 24/22", (2, 2), "24/22(2) 6/4(2)"),
        ("24/18*", (4, 2), "24/18"),
    ],
)
def test_ways_of_writing(text: str, dice: tuple[int, int], canonical: str) -> None:
    play = parse_play(text, START, dice)
    assert str(play) == canonical
    assert play in START.plays(dice)


@pytest.mark.parametrize("text", ["bar/22* 6/5", "Bar/22 6/5", "25/22 6/5", "6/5 BAR-22", "6/5*,25/22*", "b/22 6/5"])
def test_names_of_the_bar(text: str) -> None:
    position = Position(side(p6=5, p3=1, p8=3, p13=5), side(p6=5, p8=3, p13=5, p24=1, bar=1))
    assert str(parse_play(text, position, (3, 1))) == "bar/22* 6/5"


@pytest.mark.parametrize("text", ["6/off(2)", "6/Off 6/OFF", "6/0 6-off", "6/0(2)", "6/o 6/OF"])
def test_names_of_off(text: str) -> None:
    play = parse_play(text, Position(side(p6=15), side(p6=2)), (6, 6))
    assert str(play) == "6/off(2)"
    assert play.result.winner == 0


def test_merged_step_picks_the_way_that_hits_as_written() -> None:
    # The opponent's blot is on the mover's 18 point; 19 is free.
    position = Position(side(p7=1, p13=5), side(p24=2, p6=5))
    assert parse_play("24/13", position, (6, 5)).steps == (Step(24, 19), Step(19, 13))
    assert parse_play("24/18*/13", position, (6, 5)).steps == (Step(24, 18, True), Step(18, 13))
    assert str(parse_play("24/18/13", position, (6, 5))) == "24/18*/13"
    # With 19 blocked the blot must be hit on the way.
    blocked = Position(side(p7=1, p6=2, p13=5), side(p24=2, p6=5))
    assert str(parse_play("24/13", blocked, (6, 5))) == "24/18*/13"


def test_both_dice_if_possible_else_the_larger() -> None:
    # Either die can be played, then not the other.
    one = Position(side(p12=2, p11=1), side(p24=1))
    assert [str(play) for play in one.plays((6, 5))] == ["24/18"]
    assert [str(play) for play in one.plays((5, 6))] == ["24/18"]
    with pytest.raises(IllegalPlayError, match="the only one is 24/18"):
        parse_play("24/19", one, (6, 5))
    # The 6 is blocked: the 5 alone.
    small = Position(side(p12=2, p7=2), side(p24=1))
    assert [str(play) for play in small.plays((6, 5))] == ["24/19"]
    # Playing the 1 with the back chequer would leave no 6: only plays of both dice count.
    both = Position(side(p1=2, p2=2, p8=2, p10=2), side(p22=1, p3=1))
    assert {str(play) for play in both.plays((6, 1))} == {"22/16 3/2"}
    with pytest.raises(IllegalPlayError, match="the only one is 22/16 3/2"):
        parse_play("22/21 3/2", both, (6, 1))


def test_bearing_off() -> None:
    home = Position(side(p6=15), side(p6=1, p4=2, p2=1))
    assert {str(play) for play in home.plays((6, 5))} == {"6/off 4/off", "6/1 4/off"}
    with pytest.raises(IllegalPlayError):
        parse_play("4/off 2/off", home, (6, 5))
    outside = Position(side(p6=15), side(p7=1, p1=2))
    assert {str(play) for play in outside.plays((1, 1))} == {"7/5 1/off(2)", "7/4 1/off", "7/3"}
    # The last chequer: the play that uses both dice and the one that uses one are the same.
    last = Position(side(p6=15), side(p4=1))
    assert [str(play) for play in last.plays((4, 1))] == ["4/off"]
    assert parse_play("4/off", last, (4, 1)) == last.plays((4, 1))[0] == parse_play("4/3/off", last, (4, 1))


def test_entering_from_the_bar() -> None:
    position = Position(side(p6=2, p5=2, p4=2, p13=5), side(bar=2, p6=5))
    assert position.plays((6, 5)) == position.plays((4, 4)) == []
    assert [str(play) for play in position.plays((6, 3))] == ["bar/22"]
    assert parse_play("", position, (6, 5)).result == position.swapped()
    with pytest.raises(IllegalPlayError, match="no chequer can move"):
        parse_play("6/1", position, (6, 5))
    with pytest.raises(IllegalPlayError, match="'not moving'"):
        parse_play("", position, (6, 3))


# The longest list of plays that a search for one found.
SPREAD = Position(
    side(bar=1), side(**{f"p{point}": 1 for point in (3, 4, 6, 7, 9, 10, 12, 13, 15, 17, 18, 20, 21, 23, 24)})
)


def test_the_longest_lists() -> None:
    plays = SPREAD.plays((1, 1))
    assert len(plays) == len({play.result for play in plays}) == 2226
    for play in plays[::17]:
        assert parse_play(str(play), SPREAD, (1, 1)) == play


@pytest.mark.parametrize("dice", [(0, 1), (7, 1), (1,), (1.5, 2), (3.0, 1.0), (True, 2), None, "31"])
def test_bad_dice(dice: object) -> None:
    with pytest.raises(SettingsError, match="'dice'"):
        START.plays(dice)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "8",
        "8/",
        "8/x",
        "off/8",
        "26/20",
        "8/25",
        "8/5(5)",
        "8/5(0)",
        "8/5)",
        "cannot move",
        "bar",
        "0/1",
        "8\\5",
        "٨/٥",
    ],
)
def test_unreadable_plays(text: str) -> None:
    with pytest.raises(InvalidPlayError):
        parse_play(text, START, (3, 1))


@pytest.mark.parametrize(
    "text", ["", "8/5", "13/10 13/10", "7/4 6/5", "8/5 6/5 6/5", "24/18", "24/18(4)", "bar/22 6/5", "6/off", "24/14"]
)
def test_illegal_plays(text: str) -> None:
    with pytest.raises(IllegalPlayError, match=r"no legal play of 3-1 .* 16 "):
        parse_play(text, START, (3, 1))


@pytest.mark.parametrize(
    ("text", "dice", "nearest"),
    [
        ("8/5 6/4", (3, 1), "16 is 8/5 6/5"),
        ("13/9 6/5", (3, 1), "16 is 13/10 6/5"),
        ("8/5 6/5", (3, 2), "17 is 8/5 6/4"),
    ],
)
def test_the_nearest_play_is_the_fewest_pips_away(text: str, dice: tuple[int, int], nearest: str) -> None:
    with pytest.raises(IllegalPlayError, match=f"the nearest of {nearest}$"):
        parse_play(text, Position.start(), dice)


def test_parts_of_a_written_play() -> None:
    assert parse_steps(" bar/18*/13(2), 6/off ") == [
        WrittenStep(25, 18, True, 2),
        WrittenStep(18, 13, False, 2),
        WrittenStep(6, 0, False, 1),
    ]
    assert parse_steps("8/5*(2)") == parse_steps("8/5(2)*") == [WrittenStep(8, 5, True, 2)]


def test_steps_without_rules() -> None:
    assert apply_steps(START, []) == START.swapped()
    assert apply_steps(START, [(13, 11), (24, 10)]).opponent == side(p6=5, p8=3, p10=1, p11=1, p13=4, p24=1)
    after = apply_steps(Position(side(p7=1), side(p24=1)), [(24, 18)])
    assert after == Position(side(p18=1), side(bar=1))
    with pytest.raises(IllegalPlayError, match="no chequer on 7"):
        apply_steps(START, [(7, 1)])
    with pytest.raises(IllegalPlayError, match="holds 1,"):
        apply_steps(START, [(13, 1)])


def test_between_needs_a_legal_play() -> None:
    with pytest.raises(IllegalPlayError, match="no play of 3-1"):
        Play.between(START, (3, 1), START)
    # The mover's chequers fit, the opponent's do not.
    result = parse_play("8/5 6/5", START, (3, 1)).result
    other = Position(result.opponent, side(p6=15))
    with pytest.raises(IllegalPlayError):
        Play.between(START, (3, 1), other)


@given(positions(), DICE)
def test_plays_of_any_position(position: Position, dice: tuple[int, int]) -> None:
    plays = position.plays(dice)
    assert len({play.result for play in plays}) == len(plays)
    assert {play.result for play in position.plays(dice[::-1])} == {play.result for play in plays}
    for play in plays[:: max(1, len(plays) // 20)]:
        assert parse_play(str(play), position, dice) == play
        assert Play.between(position, dice, play.result) == play
        assert play.result.chequers == position.chequers
        assert sum(play.result.player) == sum(position.opponent)
        assert apply_steps(position, [step[:2] for step in play.steps]) == play.result


@given(positions())
def test_position_round_trips(position: Position) -> None:
    assert Position.from_id(position.id, position.chequers) == position
    assert Position.from_board(position.board, position.chequers) == position
    assert position.swapped().swapped() == position


@given(st.text(alphabet="0123456789/-*() ,barof", max_size=30), DICE)
def test_any_text_as_play(text: str, dice: tuple[int, int]) -> None:
    try:
        play = parse_play(text, START, dice)
    except (InvalidPlayError, IllegalPlayError):
        return
    assert play in START.plays(dice)


def random_positions(count: int, seed: int) -> list[tuple[Position, tuple[int, int], list[Play]]]:
    """Positions, rolls and their plays of random play, all variants."""
    generator = random.Random(seed)
    found: list[tuple[Position, tuple[int, int], list[Play]]] = []
    while len(found) < count:
        position = Position.start(generator.choice([*VARIANTS, "standard"]))
        while position.winner is None and len(found) < count:
            dice = (generator.randint(1, 6), generator.randint(1, 6))
            plays = position.plays(dice)
            found.append((position, dice, plays))
            position = generator.choice(plays).result if plays else position.swapped()
    return found


def test_only_legal_plays_are_accepted() -> None:
    generator = random.Random(8)
    accepted = 0
    for position, (first, second), plays in random_positions(1500, seed=9):
        legal = set(plays)
        starts = [point for point in range(1, 26) if position.player[point - 1]]
        for _ in range(6):
            parts = []
            for length in generator.choice([(first,), (second,), (first, second), (first + second,), (first,) * 4]):
                start = generator.choice(starts)
                parts.append(f"{start}/{max(0, start - length)}")
            try:
                play = parse_play(" ".join(parts), position, (first, second))
            except IllegalPlayError:
                continue
            assert play in legal
            accepted += 1
    assert accepted > 500


def test_kernels_find_the_same_plays() -> None:
    from sixprime import kernels
    from sixprime.kernels.plays import HIT

    cases = [*random_positions(2000, seed=5), (SPREAD, (1, 1), SPREAD.plays((1, 1)))]
    cases += [(position, dice, position.plays(dice)) for position, dice, _ in reference_rows(False)]
    for chequers in (1, 2, 3, 15):
        group = [case for case in cases if case[0].chequers == chequers]
        boards = np.array([position.board for position, _, _ in group])
        dice = np.array([dice for _, dice, _ in group], dtype=np.int8)
        rows, offsets = kernels.legal_plays(kernels.pack(boards, chequers), dice)
        results = kernels.unpack(kernels.swap(rows))
        parents = np.repeat(np.arange(len(group)), np.diff(offsets))
        routes = kernels.routes(kernels.pack(boards, chequers), dice, parents, kernels.swap(rows)).tolist()
        for k, (position, roll, plays) in enumerate(group):
            found = [Position.from_board(board, chequers) for board in results[offsets[k] : offsets[k + 1]]]
            expected = {play.result for play in plays} or {position.swapped()}
            assert len(found) == len(expected)
            assert set(found) == expected
            for result, route in zip(found, routes[offsets[k] : offsets[k + 1]], strict=True):
                steps = Play.between(position, roll, result).steps
                ends = [(step.start, step.end + HIT * step.hit) for step in steps] + 4 * [(0, 0)]
                assert list(zip(route[::2], route[1::2], strict=True)) == ends[:4]
