"""Positions, their status, match states, variants, the drawing."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sides import side

from sixprime.errors import InvalidPositionError, SettingsError
from sixprime.game.position import Position, PositionStatus
from sixprime.game.state import MONEY, MatchState
from sixprime.game.variants import VARIANTS

CLOSED = side(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2, bar=1)


@pytest.mark.parametrize(
    ("variant", "pips", "identity"),
    [
        ("standard", 167, "4HPwATDgc/ABMA"),
        ("nackgammon", 194, "4Dl4ADbgOXgANg"),
        ("hypergammon1", 24, "AACAAAAAAgAAAA"),
        ("hypergammon2", 47, "AABAAQAACgAAAA"),
        ("hypergammon3", 69, "AACgAgAAKgAAAA"),
    ],
)
def test_starting_positions(variant: str, pips: int, identity: str) -> None:
    position = Position.start(variant)
    assert position.pips == (pips, pips)
    assert position.off == (0, 0)
    assert position.is_valid
    assert position.winner is None
    assert position == position.swapped()
    assert Position.from_id(position.id, VARIANTS[variant].chequers) == position
    assert position.id == identity


def test_unknown_variant() -> None:
    with pytest.raises(SettingsError, match="'variant'"):
        Position.start("longgammon")


def test_board_is_the_public_array() -> None:
    position = Position.from_id("sGfwATDgc/ABMA")
    board = position.board
    assert board.dtype == np.int8
    assert board.shape == (2, 25)
    assert Position.from_board(board) == position
    board[0, 0] = 9
    assert position.opponent[0] == 0
    assert hash(Position.from_board(position.board)) == hash(position)
    with pytest.raises(InvalidPositionError, match="25 counts"):
        Position.from_board([[0] * 24, [0] * 25])


@pytest.mark.parametrize(
    ("opponent", "player", "status"),
    [
        (side(p6=15), side(p6=15), PositionStatus.VALID),
        (side(p6=15), side(), PositionStatus.VALID),
        (side(), side(), PositionStatus.BOTH_OFF),
        (side(p6=16), side(p6=15), PositionStatus.TOO_MANY_CHEQUERS),
        (side(p6=15), side(p6=5, p19=1), PositionStatus.SHARED_POINT),
        (side(p6=-1), side(p6=15), PositionStatus.NEGATIVE_COUNT),
        (CLOSED, CLOSED, PositionStatus.BOTH_CLOSED_OUT),
        (CLOSED, side(p1=2, p2=2, p3=2, p4=2, p5=2, p6=1, bar=1), PositionStatus.VALID),
        (side(p6=15, bar=1), side(p1=3, p24=1), PositionStatus.TOO_MANY_CHEQUERS),
    ],
)
def test_status(opponent: tuple[int, ...], player: tuple[int, ...], status: PositionStatus) -> None:
    position = Position(opponent, player)
    assert position.status() == status
    assert position.swapped().status() == status
    assert position.is_valid == (status == 0)


@pytest.mark.parametrize(
    ("loser", "chequers", "points"),
    [
        (side(p6=14), 15, 1),
        (side(p6=15), 15, 2),
        (side(p6=14, p18=1), 15, 2),
        (side(p6=14, p19=1), 15, 3),
        (side(p6=14, bar=1), 15, 3),
        (side(p6=13, bar=1), 15, 1),
        (side(p24=1), 1, 3),
        (side(p6=2), 3, 1),
    ],
)
def test_result(loser: tuple[int, ...], chequers: int, points: int) -> None:
    lost = Position(side(), loser, chequers)
    assert (lost.winner, lost.result) == (0, points)
    assert (lost.swapped().winner, lost.swapped().result) == (1, points)
    assert Position(loser, loser, chequers).result == 0


def test_representation_can_be_evaluated() -> None:
    for position in (Position.start(), Position.start("hypergammon2"), Position(side(p6=16), side(p6=16))):
        assert eval(repr(position)) == position


def test_diagram() -> None:
    position = Position(side(p6=7, p13=5, p8=2, bar=1), side(p24=1, p13=5, p8=3, p6=5, bar=1))
    assert str(position) == (
        "+-13-14-15-16-17-18-+---+-19-20-21-22-23-24-+  O: 148 pips, 0 off\n"
        "|  X           O    | O |  O              X |\n"
        "|  X           O    |   |  O                |\n"
        "|  X                |   |  O                |\n"
        "|  X                |   |  O                |\n"
        "|  X                |   |  7                |\n"
        "|                   |BAR|                   |\n"
        "|  O                |   |  X                |\n"
        "|  O                |   |  X                |\n"
        "|  O           X    |   |  X                |\n"
        "|  O           X    |   |  X                |\n"
        "|  O           X    | X |  X                |\n"
        "+-12-11-10--9--8--7-+---+--6--5--4--3--2--1-+  X: 168 pips, 0 off"
    )


def test_match_state() -> None:
    state = MatchState(7, (6, 3))
    assert (state.money, state.away(0), state.away(1), state.post_crawford) == (False, 1, 4, True)
    assert not MatchState(7, (6, 3), crawford=True).post_crawford
    assert not MONEY.post_crawford
    # Jacoby and beavers belong to money play.
    assert (state.jacoby, state.beavers) == (False, 0)
    assert (MONEY.jacoby, MONEY.beavers) == (True, 3)


def test_turns_of_a_match_state() -> None:
    state = MatchState(7, on_roll=0)
    assert state.with_dice((3, 1)).dice == (3, 1)
    assert state.with_dice((3, 1)).swapped() == MatchState(7, on_roll=1)
    assert state.decider == 0
    offered = state.offered()
    assert (offered.doubled, offered.cube, offered.on_roll, offered.decider) == (True, 1, 0, 1)
    taken = offered.taken()
    assert taken == MatchState(7, on_roll=0, cube=2, cube_owner=1)
    assert taken.decider == 0
    assert MatchState(resigned=2).decider == 0
    assert MatchState(turn=1) == MatchState()
    assert MatchState(turn=0).decider == 0


def test_game_needs_neither_numba_nor_numpy() -> None:
    code = (
        "import sys; from sixprime.game import *; "
        "p = parse('4HPwATDgc/ABMA').position; p.swapped(); str(p); "
        "parse_play('24/20', p, (3, 1)); p.plays((3, 1)); "
        "print('numba' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_counts_are_numbers_of_python_whoever_made_them() -> None:
    start = Position.start()
    for few in (0, 5, 25):
        mixed = (*start.opponent[:few], *np.array(start.opponent)[few:])
        made = Position(mixed, start.player)
        assert made == start
        assert {type(count) for count in made.opponent} == {int}
