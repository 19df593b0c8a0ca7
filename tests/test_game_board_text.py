"""IDs and boards among other words."""

from __future__ import annotations

import random

import pytest

from sixprime.errors import InvalidIdError
from sixprime.game import MatchState, Position, parse

START = "4HPwATDgc/ABMA"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
OPENING = parse(f"{START}:cIkFAAAAAAAA")


@pytest.mark.parametrize(
    "text",
    [
        f"GNUbg ID: {START}:cIkFAAAAAAAA",
        f"gnubg id {START}:cIkFAAAAAAAA.",
        f"Position ID: {START} Match ID: cIkFAAAAAAAA",
        f"Position ID: {START}\n  Match ID   : cIkFAAAAAAAA\n",
        f"position id={START}, match id=cIkFAAAAAAAA,",
        f"{START} cIkFAAAAAAAA",
        f"{START}\tcIkFAAAAAAAA",
        f"{START}\ncIkFAAAAAAAA",
        f"\ufeff{START}:cIkFAAAAAAAA\r\n",
        f"What would you play here?\n\n({START}:cIkFAAAAAAAA)\n\nThanks!",
        f"Some transformation of participants, {START} cIkFAAAAAAAA as ever",
        f"{START} : cIkFAAAAAAAA",
        f"{START.replace('/', '%2F')}:cIkFAAAAAAAA",
    ],
)
def test_ids_of_gnu_backgammon(text: str) -> None:
    assert parse(text) == OPENING


@pytest.mark.parametrize(
    "text",
    [
        XGID,
        XGID[5:],
        XGID.replace("XGID", "xgid"),
        XGID.replace("XGID=", "XGID: "),
        f"see {XGID}, which I lost",
        f"see {XGID[5:]} , which I lost",
        f"X:Ann O:Bob\n\n  {XGID}\nto play 31",
        f"\ufeff{XGID}",
        f"[{XGID}](https://example.org/)",
        f"[what now?](https://example.org/?{XGID})",
        XGID.replace(":", ": "),
        f"see {XGID.replace(':', ' : ')}, which I lost",
        f"see {XGID[5:].replace('B-:', 'B-: ')} 2 times",
        f"XGID {XGID[5:].replace(':', ' :')}",
    ],
)
def test_xgids(text: str) -> None:
    assert parse(text) == parse(XGID)


def test_other_ids_among_words() -> None:
    from sixprime.game.fibs import encode_fibs_board
    from sixprime.game.ogid import encode_ogid

    position, state = OPENING.position, MatchState(length=5, dice=(3, 1), jacoby=False, beavers=0)
    ogid, board = encode_ogid(position, state), encode_fibs_board(position, state, ("Ann", "Bob"))
    assert parse(f"hello OGID={ogid.removeprefix('OGID=')} there").position == position
    assert parse(f"hello\n{board}\nthere").position == position


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello there", "no ID and no board"),
        (f"{START} cIkFAAAAAAA!", "no ID and no board"),
        (f"Position ID: {START[:-1]} Match ID: cIkFAAAAAAAA", "has 13 characters, not 14"),
        (f"Position ID: {START} Match ID: cIkFAAAAAAA", "has 11 characters, not 12"),
        (f"Look: {XGID.replace(':31:', ':37:')}", "dice"),
        (f"Look: {XGID.replace(':31:', ': 37:')}", "dice"),
        (f"Look: {XGID}:10", "10 fields separated by colons, not 11"),
        (f"{START[:-1]}B cIkFAAAAAAAA", "character 14"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, message: str) -> None:
    with pytest.raises(InvalidIdError, match=message):
        parse(text)


def random_position(chance: random.Random) -> Position:
    position = Position.start()
    for _ in range(chance.randint(0, 90)):
        plays = position.plays((chance.randint(1, 6), chance.randint(1, 6)))
        after = chance.choice(plays).result if plays else position.swapped()
        if after.winner is not None:
            break
        position = after
    return position


def test_our_boards() -> None:
    chance = random.Random(5)
    for number in range(60):
        position = random_position(chance)
        drawn = position.diagram()
        prose = f"Black to play:\n\n{drawn}\n\nAny ideas?" if number % 2 else drawn
        quoted = "\n".join(f"> {line}" for line in prose.splitlines())
        assert parse(prose).position == parse(quoted).position == position


def test_a_board_for_money() -> None:
    """What stands beside the board of a match says so; nothing else does."""
    parsed = parse(Position.start().diagram())
    assert (parsed.state.length, parsed.state.score, parsed.state.crawford, parsed.dice) == (0, (0, 0), False, None)
    assert (parsed.state.cube, parsed.state.cube_owner) == (1, None)


# As GNU Backgammon 1.07 shows them, once with the player below on roll, once with the one above, clockwise.
BELOW = """
 GNU Backgammon  Position ID: bAEAzwDgc/ABAA
                 Match ID   : AYHlAAAAAAAE
 +12-11-10--9--8--7-------6--5--4--3--2--1-+     O: gnubg (Cube: 2)
 | O     O          |   |    X     X       | O   0 points
 | O     O          |   |    X     X       | O   Rolled 31
 | O     O          |   |    X             |
 |       O          |   |    X             |
 |       O          |   |                  |
^|                  |BAR|                  |     7 points match
 |             O    |   |                  |
 |             O    |   |                  | X
 |             O    |   |                  | X
 |             O    |   |       X  X       | X
 |             O    |   |    X  X  X       | X   0 points
 +13-14-15-16-17-18------19-20-21-22-23-24-+     X: root
"""
CLOCKWISE = """
    GNU Backgammon  Position ID: jCfAzwDgc/ABMA
                    Match ID   : AQHgAAAAAAAE
    +-1--2--3--4--5--6-------7--8--9-10-11-12-+  O: gnubg (Cube: 2)
    |                O |   | X  O  X          |  0 points
    |                O |   | X  O  X          |  On roll
    |                O |   |    O  X          |
    |                O |   |       X          |
    |                O |   |       6          |
    |                  |BAR|                  |^ 7 points match
    |                  |   |                O |
    |                X |   |                O |
    |                X |   |                O |
    | O     X        X |   |                O |
    | O     X        X |   |    X           O |  0 points
    +24-23-22-21-20-19------18-17-16-15-14-13-+  X: root
"""


@pytest.mark.parametrize("text", [BELOW, CLOCKWISE])
def test_boards_of_gnu_backgammon(text: str) -> None:
    """The IDs count where they are there; without them the drawing says the same."""
    known = parse(text)
    alone = parse("What now?\n" + "\n".join(text.splitlines()[3:]) + "\nthanks")
    assert alone.position == known.position
    assert (alone.state.length, alone.state.score, alone.state.dice) == (7, (0, 0), known.state.dice)
    assert (alone.state.cube, alone.state.cube_owner) == (2, 0)
    assert alone.state.on_roll == known.state.on_roll


def test_stacks_the_bar_and_the_state_beside_a_board() -> None:
    text = """
 +13-14-15-16-17-18------19-20-21-22-23-24-+     O: Ann
 |                X | O | O                |     2 points
 |                X | O | O                |
 |                X |   | O                |
 |                X |   | O                |
 |                C |   | 6                |
v|                  |BAR|                  |     5 points match (Crawford game) (Cube: 1)
 |                  |   | 7                |
 |                  |   | O                |
 |                  |   | O                |
 |                  | X | O                |
 |                  | X | O                |     4 points
 +12-11-10--9--8--7-------6--5--4--3--2--1-+     X: Bob (Rolled 66)
"""
    parsed = parse(text)
    assert (parsed.position.player[17], parsed.position.player[24]) == (12, 2)
    assert (parsed.position.opponent[5], parsed.position.opponent[18], parsed.position.opponent[24]) == (6, 7, 2)
    state = parsed.state
    assert (state.length, state.score, state.crawford, state.dice, state.on_roll) == (5, (2, 4), True, (6, 6), 1)
    with pytest.raises(InvalidIdError, match="chequers of one side, not 15"):
        parse(text.replace("C |", "F |"))
    with pytest.raises(InvalidIdError, match="offered cube"):
        parse(text.replace("(Cube: 1)", "Cube offered at 2"))
