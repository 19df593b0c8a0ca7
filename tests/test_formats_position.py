"""Positions in files: XGID, GNU Backgammon's IDs, OGID, FIBS board lines, Snowie's line, Jellyfish .pos."""

from __future__ import annotations

import contextlib
import os
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime import formats
from sixprime.errors import InvalidFileError, InvalidIdError, SixprimeError
from sixprime.formats import FORMATS
from sixprime.formats._position import position_match
from sixprime.formats._text import Document
from sixprime.game.fibs import decode_fibs_board, encode_fibs_board
from sixprime.game.ids import parse
from sixprime.game.ogid import decode_ogid, encode_ogid
from sixprime.game.position import Position
from sixprime.game.record import Action, Match
from sixprime.game.state import MatchState
from sixprime.paths import sample_match

DATA = Path(__file__).parent / "data" / "positions"
SAMPLES = os.environ.get("SIXPRIME_SAMPLES")
LINES = ("xgid", "ogid", "fibsboard", "snowiepos", "gnubgid")
START = Position.start()
GAMES = formats.read(sample_match()).games


def alone(match: Match) -> Action:
    action = match.only_position
    assert action is not None
    return action


def read(content: str | bytes) -> Action:
    return alone(formats.read_text(content, "p"))


# What the lines say


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("XGID=-b----E-C---eE---c-e----B-:1:1:1:31:2:4:0:7:10", "xgid"),
        ("4HPwATDgc/ABMA:UYnlAEAAEAAE", "gnubgid"),
        ("11ccccchhhjjjjj:66666888dddddoo:B1N:13:W::4:2:7:0", "ogid"),
        ("OGID=11jjjjjhhhccccc:ooddddd88866666:B1N:13:W::4:2:7:0", "ogid"),
        (
            "board:root:gnubg:7:2:4:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
            ":1:3:1:3:1:2:1:0:0:1:-1:0:25:0:0:0:0:0:0:0:1",
            "fibsboard",
        ),
        ("7;0;0;0;1;root;gnubg;0;2;4;2;1;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;3;1;", "snowiepos"),
    ],
)
def test_one_position_in_every_line(text: str, name: str) -> None:
    match = formats.read_text(text)
    action = alone(match)
    assert match.format == name
    assert action.position == START
    assert action.player == 1
    state = MatchState(
        length=7, score=(4, 2), cube=2, cube_owner=1, on_roll=1, dice=(3, 1), jacoby=False, beavers=0
    )  # fmt: skip
    assert action.state == state
    assert parse(text).state.score == (4, 2) if name != "snowiepos" else True
    if name in ("fibsboard", "snowiepos"):
        assert [player.name for player in match.players] == ["gnubg", "root"]


def test_the_colour_of_an_ogid_has_moved_last() -> None:
    _, state = decode_ogid("11ccccchhhjjjjj:66666888dddddoo:N0N::W:IW:0:0:1:0")
    assert state.on_roll == 1
    _, offered = decode_ogid("cccccgghhhjjjjj:112233666777dll:N0O::B:D:0:0:3:11")
    assert (offered.on_roll, offered.doubled, offered.decider) == (1, True, 0)
    position, _ = decode_ogid("03cccchhhhjjjjj:16666888dddddoo:N0N:33:B:R:0:1:3:3")
    assert position.player[24] == 1  # White on roll, from the bar
    _, crawford = decode_ogid("11jjjjjhhhccccc:ooddddd88866666:N0N:65:W:IW:6:5:7C:42")
    assert (crawford.crawford, crawford.score, crawford.length) == (True, (6, 5), 7)


def test_a_board_line_of_fibs_from_the_other_side() -> None:
    line = (
        "board:you:other:3:1:0:0:2:0:0:0:0:-5:0:-3:0:0:0:5:-5:0:0:0:3:0:5:0:0:0:0:-2:0"
        ":-1:0:0:6:2:1:1:1:0:-1:-1:0:25:0:0:0:0:2:0:0:0"
    )
    board = decode_fibs_board(line)
    assert (board.position, board.names) == (START, ("other", "you"))
    assert (board.state.on_roll, board.state.dice, board.state.score) == (1, None, (0, 1))
    fields = line.split(":")
    fields[6:32], fields[42] = fields[31:5:-1], "1"
    assert decode_fibs_board(":".join(fields)).position == START


def test_ids_beside_a_board() -> None:
    text = " GNU Backgammon  Position ID: 4HPwATDgc/ABMA\n                 Match ID   : cInlAAAAAAAE\n +12-11-\n"
    action = read(text)
    assert (action.position, action.state.length, action.state.dice) == (START, 7, (3, 1))


def test_a_position_alone_is_money_play() -> None:
    assert read("4HPwATDgc/ABMA").state == MatchState()


# Jellyfish


def test_jellyfish_position() -> None:
    action = read((DATA / "bar2.pos").read_bytes())
    assert action.position.id == "4HPwATDgc+ABMA"
    assert (action.player, action.position.player[24]) == (0, 2)
    assert (action.state.cube, action.state.cube_owner, action.state.dice, action.state.length) == (4, 0, (3, 1), 5)
    match = formats.read(DATA / "b1.pos")
    assert [player.name for player in match.players] == ["gnubg", "root"]
    assert (alone(match).player, alone(match).position.id) == (1, "sGfwATDgc/ABMA")


@pytest.mark.parametrize("version", [124, 125, 126])
def test_older_jellyfish_positions(version: int) -> None:
    data = bytearray((DATA / "b1.pos").read_bytes())
    head = data[:2], data[6:12], data[12:]
    data = bytearray(bytes([version, 0]) + (data[2:6] if version == 126 else b""))
    data += (head[1] if version > 124 else b"") + head[2]
    assert read(bytes(data)).position.id == "sGfwATDgc/ABMA"


def test_damaged_jellyfish_positions_name_the_byte() -> None:
    data = (DATA / "b1.pos").read_bytes()
    for size in range(3, len(data)):
        with pytest.raises(InvalidFileError, match=r"byte \d+: .*ends after") as caught:
            formats.read_text(data[:size], "p")
        assert caught.value.offset is not None
    broken = data[:12] + b"\x03\x00" + data[14:]
    with pytest.raises(InvalidFileError, match="byte 12: the cube cannot be 3"):
        formats.read_text(broken)


# There and back


def random_action(chance: random.Random) -> tuple[Position, MatchState]:
    action = chance.choice(chance.choice(GAMES).actions)
    length = chance.choice([0, 0, 1, 5, 21])
    score = (chance.randrange(length), chance.randrange(length)) if length else (chance.randrange(9), 3)
    crawford = length > 1 and (length - 1 in score) and score[0] != score[1] and chance.random() < 0.5
    doubled = chance.random() < 0.2 and not crawford
    cube = 1 << chance.randrange(7)
    return action.position, MatchState(
        length=length,
        score=score,
        cube=1 if crawford else cube,
        cube_owner=None if crawford or cube == 1 else chance.randrange(2),
        on_roll=chance.randrange(2),
        crawford=crawford,
        jacoby=chance.random() < 0.5,
        beavers=chance.choice([0, 3]),
        dice=None if doubled or chance.random() < 0.4 else (chance.randint(3, 6), chance.randint(1, 3)),
        doubled=doubled,
    )


def kept(name: str, state: MatchState) -> MatchState:
    """The state as a format can express it."""
    if name in ("ogid", "fibsboard"):
        state = replace(state, jacoby=not state.length, beavers=0 if state.length else 3)
    elif name in ("gnubgid", "snowiepos"):
        state = replace(state, beavers=0 if state.length else 3)
    return replace(state, doubled=False) if name in ("snowiepos", "pos") else state


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_what_is_written_is_read_again(seed: int) -> None:
    position, state = random_action(random.Random(seed))
    for name in (*LINES, "pos"):
        format = FORMATS[name]
        match = position_match(position, state, ("Ann", "Bob"), format=name)
        assert format.write is not None
        content = format.write([match])
        assert formats.detect(content) == name
        (again,) = format.read(Document(content))
        assert alone(again).position == position, name
        assert alone(again).state == kept(name, state), name
        lost = format.losses(match)
        assert ("Jacoby rule" in lost) == (name in ("ogid", "fibsboard") and not state.jacoby and not state.length)
        assert any("double" in loss for loss in lost) == (state.doubled and name in ("snowiepos", "pos")), name


@pytest.mark.parametrize("name", LINES)
def test_every_decision_of_a_match(name: str) -> None:
    match = formats.read(sample_match())
    (text,) = formats.render([match], name)
    again = FORMATS[name].read(Document(text))
    decisions = [
        action for game in match.games for action in game.actions if action.kind.value not in ("set", "resign")
    ]
    assert [alone(each).position for each in again] == [action.position for action in decisions]
    assert {"plays and cube actions", "results of games"} <= set(FORMATS[name].losses(match))


@pytest.mark.parametrize("name", LINES)
def test_bad_lines_are_named_and_the_others_read(name: str) -> None:
    (text,) = formats.render([formats.read(sample_match())], name)
    assert isinstance(text, str)
    lines = text.splitlines()[:3]
    lines.insert(1, lines[0][:-12] + "!" + lines[0][-12:])
    found = FORMATS[name].read(Document("\n".join(lines), "p"))
    assert len(found) == 3
    if name != "gnubgid":  # what is no ID there is taken for text around the IDs
        assert [(problem.line, problem.path) for problem in found[0].problems] == [(2, "p")]


@pytest.mark.skipif(not SAMPLES, reason="SIXPRIME_SAMPLES is not set")
def test_samples() -> None:
    found = [*Path(SAMPLES or "").glob("jellyfish_pos/*"), *Path(SAMPLES or "").glob("snowie_position/*")]
    assert found
    for path in found:
        match = formats.read(path)
        assert match.problems == ()
        again = FORMATS[match.format].write
        assert again is not None
        assert formats.read_text(again([match])).games[0].actions[0].position == alone(match).position


# Damage


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("zz:yy:N0N", "no OGID"),
        ("11:22:N0N:77:W", "dice"),
        ("11:22:N0N:31:X", "colour"),
        ("11:22:N0N:31:W::1:2:x", "length"),
        ("11:22:N0N:31:W::1:x:3", "field 8"),
        ("p:22:N0N", "bar of the other side"),
    ],
)
def test_bad_ogids(text: str, message: str) -> None:
    with pytest.raises(InvalidIdError, match=message):
        decode_ogid(text)


def test_bad_board_lines() -> None:
    good = encode_fibs_board(START, MatchState(), ("A", "B")).split(":")
    for place, text, message in [
        (3, "x", "value 3"),
        (4, "\x1f3x", "value 4"),
        (32, "1:", "not a number"),
        (37, "3", "cube"),
        (41, "0", "colour"),
        (7, "99", "more chequers"),
        (37, "0", "value 37"),
        (37, "65536", "value 37"),
        (3, "-1", "cannot be negative"),
        (4, "-1", "cannot be negative"),
        (5, "-1", "cannot be negative"),
        (7, "31", "more chequers"),
        (33, "9", "dice"),
        (33, "7", "dice"),
        (34, "-1", "dice"),
        (42, "2", "direction"),
    ]:
        fields = [*good]
        fields[place] = text
        with pytest.raises(InvalidIdError, match=message):
            decode_fibs_board(":".join(fields))
    for place, text, found in [(37, "32768", 32768), (37, "1", 1)]:
        assert decode_fibs_board(":".join([*good[:place], text, *good[place + 1 :]])).state.cube == found
    assert decode_fibs_board(":".join([*good[:3], f"\x1f{good[3]} ", *good[4:]])).state.length == 0
    with pytest.raises(InvalidIdError, match="52 values, not 3"):
        decode_fibs_board("board:a:b:1")


def test_a_cube_too_large_for_an_ogid() -> None:
    with pytest.raises(InvalidIdError, match="cube of 1024"):
        encode_ogid(START, MatchState(cube=1024))


@settings(max_examples=100)
@given(st.sampled_from(sorted(DATA.glob("*"))), st.integers(0, 2**32))
def test_damaged_files(path: Path, seed: int) -> None:
    chance = random.Random(seed)
    data = bytearray(path.read_bytes())
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(data))
        data[place : place + chance.choice([1, 1, 3])] = chance.choice(
            [b"", b":", b";", b"-", b"\xff", b"\0", b"9999999", bytes([chance.randrange(256)])]
        )
    name = formats.detect(path.read_bytes())
    assert name is not None
    with contextlib.suppress(InvalidFileError):
        for match in FORMATS[name].read(Document(bytes(data), "p")):
            with contextlib.suppress(SixprimeError):
                formats.render([match], name)
