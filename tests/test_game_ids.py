"""Position ID, match ID, XGID against the reference rows, round trips, bad input."""

from __future__ import annotations

import contextlib
import doctest
import json
import os
import random
import string
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sixprime.game
from sixprime.errors import InvalidIdError, InvalidPositionError, SettingsError
from sixprime.game.fibs import encode_fibs_board
from sixprime.game.ids import encode_xgid, gnubg_id, parse
from sixprime.game.ogid import encode_ogid
from sixprime.game.position import Position, PositionStatus
from sixprime.game.state import MONEY, MOST_POINTS, GameState, MatchState

DATA = Path(__file__).parent / "data"
REFDATA = os.environ.get("SIXPRIME_REFDATA")
SOURCES = [DATA / "ids.jsonl", *([Path(REFDATA) / "ids.jsonl"] if REFDATA else [])]


def state_of(row: dict[str, Any]) -> MatchState:
    return MatchState(
        length=row["match_length"],
        score=tuple(row["score"]),
        cube=row["cube"],
        cube_owner=None if row["cube_owner"] == -1 else row["cube_owner"],
        on_roll=row["move"],
        turn=row["turn"],
        crawford=bool(row["crawford"]),
        jacoby=bool(row["jacoby"]),
        beavers=0,
        dice=tuple(row["dice"]) if row["dice"][0] else None,
        doubled=bool(row["doubled"]),
        resigned=row["resigned"],
        game_state=GameState(row["gamestate"]),
    )


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.parent.name)
def test_reference_rows(source: Path) -> None:
    for line in source.read_text().splitlines():
        row = json.loads(line)
        position, state = Position.from_board(row["board"]), state_of(row)
        # Written.
        assert position.id == row["position_id"]
        assert state.match_id == row["match_id"]
        assert state.decider == row["turn"]
        # Read. A match ID has the larger die first and knows nothing of beavers.
        parsed = parse(f"{row['position_id']}:{row['match_id']}")
        assert parsed.position == position
        assert parsed.position.board.tolist() == row["board"]
        in_order = None if state.dice is None else (max(state.dice), min(state.dice))
        assert replace(parsed.state, beavers=0) == replace(state, dice=in_order)
        assert parsed.gnubg_id == f"{row['position_id']}:{row['match_id']}"
        if row["xgid"] is not None:
            assert encode_xgid(position, state) == row["xgid"]
            assert parse(row["xgid"]) == (position, state, state.dice)
            assert parse(row["xgid"]).xgid == row["xgid"]


def test_every_kind_of_id() -> None:
    start = Position.start()
    assert parse("4HPwATDgc/ABMA") == (start, MONEY, None)
    assert parse(" 4HPwATDgc/ABMA:cAkAAAAAAAAA\n") == (start, MONEY, None)
    assert parse("cAkAAAAAAAAA") == (start, MONEY, None)
    seven = parse("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10")
    assert seven == (start, MatchState(7, dice=(3, 1)), (3, 1))
    assert seven.gnubg_id == "4HPwATDgc/ABMA:cInlAAAAAAAE"
    assert parse(seven.xgid[5:]) == seven == parse("xgid=" + seven.xgid[5:])


def test_examples_of_the_formats() -> None:
    # The side that is not on roll comes first.
    opponent, player = [0] * 25, [0] * 25
    opponent[5], player[0] = 3, 2
    assert Position.from_board([opponent, player]).id == "4AAAMAAAAAAAAA"
    state = MatchState.from_match_id("QQnlAGAAGAAE")
    assert state == MatchState(7, (6, 3), cube=2, cube_owner=0, dice=(2, 1))
    assert state.post_crawford
    # BGBlitz does not sort the dice; written again they are.
    unsorted = MatchState.from_match_id("QYnoAGAAGAAE")
    assert unsorted == state.with_dice((1, 2))
    assert unsorted.match_id == "QQnlAGAAGAAE"
    # An ID written before 2011 says nothing about Jacoby, which a match never has.
    assert MatchState.from_match_id("QQnlAGAAGAAA") == state


def test_xgid_is_absolute() -> None:
    bottom = parse("XGID=-b----E-C---eE---c-e----B-:1:1:1:52:2:1:0:7:10")
    top = parse("XGID=-b----E-C---eE---c-e----B-:1:1:-1:52:2:1:0:7:10")
    assert bottom.state.cube_owner == top.state.cube_owner == 1
    assert bottom.state.score == top.state.score == (1, 2)
    assert top.state.on_roll == 0
    assert top.position == bottom.position.swapped()


@pytest.mark.parametrize(("roll", "beavered", "decider"), [("D", 0, 0), ("B", 1, 1), ("R", 2, 0)])
def test_xgid_holds_doubles_and_beavers(roll: str, beavered: int, decider: int) -> None:
    xgid = f"XGID=-b----E-C---eE---c-e----B-:0:0:1:{roll}:0:0:3:0:8"
    position, state, dice = parse(xgid)
    assert (state.doubled, state.beavered, state.decider, dice) == (True, beavered, decider, None)
    assert (state.jacoby, state.beavers, state.cube_limit) == (True, 3, 256)
    assert encode_xgid(position, state) == xgid


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no position ID"),
        ("4HPwATDgc/ABM", "no position ID"),
        ("4HPwATDgc?ABMA", "character 10 of the position ID"),
        ("4HPwATDgc/ABMB", "character 14"),
        ("//////////////", "character 14"),
        ("/////////////w", "too many chequers"),
        ("AAAAAAAAAAAAgA", "behind the last point"),
        ("4HPwATDgc/ABMA:cAkAAAAAAA", "has 10 characters, not 12"),
        ("4HPwATDgc/ABMA:cAkAAAAA-AAA", "character 9 of the match ID"),
        ("YAkAAAAAAAAA", "cube owner"),
        ("cA0AAAAAAAAA", "game state"),
        ("cIkDAAAAAAAA", "first die"),
        ("cAkMAAAAAAAA", "first die"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7", "10 fields"),
        ("XGID=-b----E-C---eE---c-e----B:0:0:1:31:0:0:0:7:10", "25 characters"),
        ("XGID=Ab----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10", "character 1 of the XGID board"),
        ("XGID=-b----E-C---eE---c-e----Ba:0:0:1:31:0:0:0:7:10", "character 26 of the XGID board"),
        ("XGID=-b----E-C--?eE---c-e----B-:0:0:1:31:0:0:0:7:10", "character 12 of the XGID board"),
        ("XGID=-b----E-C---eE---c-e----B-:x:0:1:31:0:0:0:7:10", r"field 2 \(cube\)"),
        ("XGID=-b----E-C---eE---c-e----B-:0:2:1:31:0:0:0:7:10", r"field 3 \(cube owner\)"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:0:31:0:0:0:7:10", r"field 4 \(turn\)"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:71:0:0:0:7:10", r"field 5 \(dice\)"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:٣1:0:0:0:7:10", r"field 5 \(dice\)"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:7:0:0:7:10", r"field 6 \(score of the bottom player\)"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:-1:0:7:10", r"field 7 \(score of the top player\)"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:2:7:10", r"field 8 \(rule\)"),
        (
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:65:10",
            r"field 8 \(rule\) of the XGID is '3', not 0 to 1 in a match to 65",
        ),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:-7:10", r"field 9 \(match length\)"),
        ("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:99", r"field 10 \(maximal cube\)"),
    ],
)
def test_bad_ids_are_named(text: str, words: str) -> None:
    with pytest.raises(InvalidIdError, match=words):
        parse(text)


def test_what_cannot_be_written() -> None:
    sixteen = Position((16, *[0] * 24), (15, *[0] * 24))
    with pytest.raises(InvalidPositionError, match="30 chequers"):
        _ = sixteen.id
    with pytest.raises(InvalidPositionError, match="-1"):
        _ = Position((-1, *[0] * 24), (0,) * 25).id
    with pytest.raises(InvalidPositionError, match="both sides on point 24"):
        encode_xgid(Position((1, *[0] * 24), (*[0] * 23, 1, 0)), MONEY)
    with pytest.raises(InvalidPositionError, match="17"):
        encode_xgid(Position((17, *[0] * 24), (0,) * 25), MONEY)
    with pytest.raises(SettingsError, match="cube must be a power of two"):
        MatchState(cube=3)
    with pytest.raises(InvalidIdError, match="score of player 1"):
        _ = MatchState(score=(0, 40_000)).match_id


def test_random_strings_raise_only_our_error() -> None:
    generator = random.Random(1)
    base64 = string.ascii_letters + string.digits + "+/"
    seeds = [
        "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10",
        "4HPwATDgc/ABMA:cInlAAAAAAAE",
        "4HPwATDgc/ABMA",
        "cInlAAAAAAAE",
    ]
    read = 0
    for k in range(20_000):
        if k % 4 == 0:
            text = "".join(generator.choices(base64, k=generator.choice((12, 14))))
        elif k % 4 == 1:
            text = "".join(generator.choices(base64, k=14)) + ":" + "".join(generator.choices(base64, k=12))
        elif k % 4 == 2:
            text = "".join(generator.choices(string.printable + "é٣\ud800\x00", k=generator.randrange(60)))
        else:
            letters = list(generator.choice(seeds))
            for _ in range(generator.randrange(1, 4)):
                place = generator.randrange(len(letters))
                letters[place : place + generator.randrange(2)] = generator.choice(string.printable)
            text = "".join(letters)
        try:
            position, state, _ = parse(text)
        except InvalidIdError:
            continue
        read += 1
        # Few random positions are possible, all can be judged, and what fits into an ID comes back.
        if PositionStatus.TOO_MANY_CHEQUERS not in position.status():
            assert parse(gnubg_id(position, state)).position == position
    assert read > 100


def test_messages_stay_short() -> None:
    for text in (
        "x" * 10_000,
        "XGID=" + ":" * 10_000,
        "4HPwATDgc/ABMA:" + "x" * 10_000,
        "XGID=" + "x" * 9999 + ":" * 9,
    ):
        with pytest.raises(InvalidIdError) as error:
            parse(text)
        assert len(str(error.value)) < 200


@given(st.text())
def test_any_text_raises_only_our_error(text: str) -> None:
    for variant in (text, f"XGID={text}", f"4HPwATDgc/ABMA:{text}"):
        with contextlib.suppress(InvalidIdError):
            parse(variant)


STATES = st.builds(
    MatchState,
    length=st.integers(0, 64),
    score=st.tuples(st.integers(0, 0x7FFF), st.integers(0, 0x7FFF)),
    cube=st.integers(0, 15).map(lambda power: 1 << power),
    cube_owner=st.sampled_from([None, 0, 1]),
    on_roll=st.integers(0, 1),
    turn=st.sampled_from([None, 0, 1]),
    crawford=st.booleans(),
    jacoby=st.booleans(),
    dice=st.none() | st.tuples(st.integers(1, 6), st.integers(1, 6)),
    doubled=st.booleans(),
    resigned=st.integers(0, 3),
    game_state=st.sampled_from(GameState),
)


@given(STATES)
def test_match_id_round_trip(state: MatchState) -> None:
    again = MatchState.from_match_id(state.match_id)
    assert again.match_id == state.match_id
    in_order = None if state.dice is None else (max(state.dice), min(state.dice))
    assert again == replace(state, dice=in_order)


ANY_STATES = st.builds(
    MatchState,
    length=st.integers(0, 64) | st.integers(0, MOST_POINTS),
    score=st.tuples(*[st.integers(0, 64) | st.integers(0, MOST_POINTS)] * 2),
    cube=st.integers(0, 30).map(lambda power: 1 << power),
    cube_owner=st.sampled_from([None, 0, 1]),
    on_roll=st.integers(0, 1),
    turn=st.sampled_from([None, 0, 1]),
    crawford=st.booleans(),
    jacoby=st.booleans(),
    beavers=st.integers(0, 20),
    dice=st.none() | st.tuples(st.integers(1, 6), st.integers(1, 6)),
    doubled=st.booleans(),
    beavered=st.integers(0, 20),
    resigned=st.integers(0, 3),
    cube_limit=st.integers(0, 30).map(lambda power: 1 << power),
)


@given(st.sampled_from([encode_xgid, encode_ogid, encode_fibs_board, gnubg_id]), ANY_STATES)
def test_what_is_written_can_be_read(encode: Callable[[Position, MatchState], str], state: MatchState) -> None:
    """A number that has no place in an ID is refused, no other comes back."""
    start = Position.start()
    try:
        text = encode(start, state)
    except InvalidIdError:
        over = encode is encode_xgid and 0 < state.length <= max(state.score)
        assert over or max(state.length, *state.score) > 9998 or max(state.cube, state.cube_limit) > 512
        return
    position, again, _ = parse(text)
    assert position == start
    for name in ("length", "score", "cube"):
        assert getattr(again, name) == getattr(state, name)
    if not state.doubled or encode is not encode_fibs_board:
        assert again.cube_owner == state.cube_owner
    assert again.on_roll == state.on_roll
    assert encode(position, again) == text


def test_doctest() -> None:
    assert doctest.testmod(sixprime.game).failed == 0


@pytest.mark.parametrize("count", [-1, 31, 10**20])
def test_chequers_that_fit_no_position_id(count: int) -> None:
    position = Position((0,) * 25, (count, *(0,) * 24))
    with pytest.raises(InvalidPositionError, match=f"cannot hold {count} chequers"):
        _ = position.id
    assert str(count) in repr(position)


def test_a_limit_beyond_all_cubes_is_the_highest() -> None:
    high, highest = (parse(f"XGID=-b----E-C---eE---c-e----B-:1:1:1:00:7:1:0:15:{limit}") for limit in (16, 15))
    assert high == highest
