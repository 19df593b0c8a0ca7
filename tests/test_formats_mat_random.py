"""Match files `.mat`: random matches written and read again, and damaged files.

SIXPRIME_FUZZ sets how many damaged files are tried.
"""

from __future__ import annotations

import contextlib
import os
import random
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_matches import matches, plain

from sixprime.errors import InvalidFileError
from sixprime.formats import mat
from sixprime.formats._text import decode
from sixprime.game.record import Action, ActionKind, Match
from sixprime.paths import sample_match

DATA = Path(__file__).parent / "data" / "mat"
SEEDS = [path.read_bytes() for path in (*sorted(DATA.glob("*.txt")), *sorted(DATA.glob("*.mat")), sample_match())]
FUZZ = int(os.environ.get("SIXPRIME_FUZZ", "400"))


@settings(max_examples=60)
@given(matches())
def test_what_is_written_is_read_again(match: Match) -> None:
    (again,) = mat.parse(mat.format(match))
    assert plain(again) == plain(match)
    (third,) = mat.parse(mat.format(again))
    assert replace(third, source="") == again


@pytest.mark.parametrize("seed", range(len(SEEDS)))
def test_real_files_are_written_as_they_were_read(seed: int) -> None:
    for match in mat.parse(decode(SEEDS[seed])):
        (again,) = mat.parse(mat.format(match))
        assert plain(again) == plain(match)
        assert again.tags[: len(match.tags)] == match.tags


# Damage

SCRAPS = [
    b" Doubles => 2", b" Takes", b" Drops", b"Wins 3 points", b"Losses 1 point", b"Resigned Game", b"????", b"00:",
    b"63: 24/18 13/10", b"66:", b"Cannot Move", b"Illegal play", b" Beavers => 4", b" Raccoons => 8", b"25/0", b"0/0",
    b"; Set Pos=-b----E-C---eE---c-e----B-/0", b"; Set Pos=-A----------------------b-/-1", b"; Set Pos=x/9",
    b"Illegal play (7;0;1;0;0;a;b;0;0;0;1;0;0;-2;-2;0;0;0;4;0;3;0;0;0;-4;4;0;0;0;-3;0;-4;0;0;0;2;2;0;5;1;)",
    b"Game 2", b"5 point match", b"0 point match", b'; [Variation "HyperGammon (3)"]', b'; [CubeLimit "1"]',
    b'; [Crawford "Off"]', b'; [Player 1 Elo "1,5/x"]', b"\xff", b"\x00", b"\t", b"\r", b" : ", b"(4)", b"bar/",
    b"/off", b"*", b"9" * 30, b"\xc2\xb2", b"\xe2\x80\xa8", b"(" * 40, b" " * 3000,
]  # fmt: skip


def damaged(chance: random.Random) -> bytes:
    """A real file with a few things gone wrong."""
    data = chance.choice(SEEDS)
    for _ in range(chance.choice([1, 1, 2, 3, 6])):
        place, other = chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)
        lines = data.split(b"\n")
        line, other_line = chance.randrange(len(lines)), chance.randrange(len(lines))
        match chance.randrange(10):
            case 0:
                data = data[:place] + bytes([chance.randrange(256)]) + data[place + 1 :]
            case 1:
                data = data[:place]
            case 2:
                data = data[:place] + data[place + chance.randrange(1, 200) :]
            case 3:
                data = data[:place] + data[other : other + 300] + data[place:]
            case 4:
                data = data[:place] + chance.choice(SCRAPS) + data[place:]
            case 5:
                lines[line], lines[other_line] = lines[other_line], lines[line]
                data = b"\n".join(lines)
            case 6:
                lines[line : line + 1] = [lines[line]] * chance.choice([0, 2, 30])
                data = b"\n".join(lines)
            case 7:
                digits = bytearray(data)
                for index in range(place, min(place + 60, len(digits))):
                    if chr(digits[index]).isdigit() and chance.random() < 0.2:
                        digits[index] = ord("0") + chance.randrange(10)
                data = bytes(digits)
            case 8:
                data = data[:place] + chance.choice(SEEDS)[other:]
            case _:
                old = chance.choice([b"  ", b"13/7", b"Takes", b"Wins", b":", b"\n", b"point match", b"/"])
                data = data.replace(
                    old, chance.choice([b"", b" ", old * 2, chance.choice(SCRAPS)]), chance.choice([1, -1])
                )
    return data


def assert_well_formed(match: Match, lines: int) -> None:
    for problem in match.problems:
        assert problem.path == "m.mat"
        assert problem.line is None or (1 <= problem.line <= lines and problem.column is not None)
    assert match.games
    for game in match.games:
        assert (game.winner is None) == (game.points == 0)
        for action in game.actions:
            assert isinstance(action, Action)
            assert action.state.decider == action.player
            if action.kind is ActionKind.MOVE and not action.illegal:
                assert action.play is not None
                assert action.play.position == action.position


@pytest.mark.parametrize("part", range(8))
def test_damaged_files(part: int) -> None:
    for seed in range(part, FUZZ, 8):
        data = damaged(random.Random(seed))
        text = decode(data)
        started = time.thread_time()
        try:
            found = mat.parse(text, "m.mat")
        except InvalidFileError as error:
            failure: InvalidFileError | None = error
        else:
            failure = None
        assert time.thread_time() - started < 2 + len(data) / 1e6, f"seed {seed}"
        if failure is not None:
            assert (failure.line or 0) > 0, f"seed {seed}"
            continue
        for match in found:
            assert_well_formed(match, text.count("\n") + text.count("\r") + 1)
            # What was understood can be written and understood again.
            mat.parse(mat.format(match))


@settings(max_examples=200)
@given(st.binary(max_size=300), st.sampled_from([b"", b" 5 point match\n Game 1\n A : 0    B : 0\n 1) "]))
def test_any_bytes(data: bytes, head: bytes) -> None:
    with contextlib.suppress(InvalidFileError):
        mat.parse(decode(head + data), "m.mat")


@pytest.mark.parametrize(
    "line", ["  1) " + " " * 20000, "  1) 31: " + "8/5 " * 5000, ":" * 30000, "(" * 30000, "; [" * 9000]
)
def test_long_lines_take_no_long_time(line: str) -> None:
    head = " 5 point match\n Game 1\n"
    started = time.thread_time()
    for place in (head, head + " A : 0    B : 0\n"):
        mat.parse(place + "\n".join([line[:1900]] * 100 + [line]))
    assert time.thread_time() - started < 2
