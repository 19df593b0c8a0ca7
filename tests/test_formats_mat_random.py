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
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sixprime.errors import InvalidFileError
from sixprime.formats import mat
from sixprime.formats._recorder import GameRecorder, Setup
from sixprime.formats._text import decode
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, Game, Match, Player
from sixprime.game.rules import legal_plays_reference
from sixprime.game.variants import VARIANTS
from sixprime.paths import sample_match

DATA = Path(__file__).parent / "data" / "mat"
SEEDS = [path.read_bytes() for path in (*sorted(DATA.glob("*.txt")), *sorted(DATA.glob("*.mat")), sample_match())]
FUZZ = int(os.environ.get("SIXPRIME_FUZZ", "400"))


def complain(message: str, line: int | None, column: int | None) -> None:
    raise AssertionError(message)


def random_game(chance: random.Random, setup: Setup, number: int, score: tuple[int, int], crawford: bool) -> Game:
    """A game of random plays, doubles and resignations."""
    recorder = GameRecorder(setup, ("A", "B"), number, score, crawford, complain)
    player = chance.randrange(2)
    if chance.random() < 0.2:
        left, right = sorted(chance.sample(range(1, 6), 2))
        counts = [[0] * 25, [0] * 25]
        counts[0][left], counts[1][right] = 2, 3
        position = Position(tuple(counts[1]), tuple(counts[0]), VARIANTS[setup.variant].chequers)
        if position.is_valid:
            recorder.set_board(position, 2, chance.choice([0, 1]))
    while True:
        cube, owner = recorder.cube
        may_double = not crawford and owner in (None, player) and 2 * cube <= setup.cube_limit
        if may_double and chance.random() < 0.15:
            recorder.double(player, 2 * cube)
            answerer, turns = 1 - player, 1
            while not setup.length and 4 * cube << turns <= setup.cube_limit and chance.random() < 0.3:
                recorder.beaver(answerer)
                answerer, turns = 1 - answerer, turns + 1
            if chance.random() < 0.3:
                recorder.drop(answerer)
                return recorder.finish()
            recorder.take(answerer)
        dice = chance.randint(1, 6), chance.randint(1, 6)
        if chance.random() < 0.04:
            if chance.random() < 0.5:
                recorder.hidden(player, dice)
            recorder.wins(chance.randrange(2), recorder.cube[0] * chance.randint(1, 3))
            return recorder.finish()
        seen_by = 0 if recorder.turn is None else recorder.turn
        position = recorder.position if seen_by == player else recorder.position.swapped()
        plays = legal_plays_reference(position, dice)
        if plays:
            play = chance.choice(plays)
            recorder.move(player, dice, str(play))
            if not any(play.result.opponent):
                return recorder.finish()
        else:
            recorder.blank(player, dice)
        player = 1 - player


NAMES = st.text(
    st.characters(codec="utf-8", exclude_categories=("C", "Zl", "Zp", "Zs")) | st.just(" "), max_size=20
).map(lambda name: " ".join(name.split()))


@st.composite
def matches(draw: st.DrawFn) -> Match:
    chance = random.Random(draw(st.integers(0, 2**32)))
    length = draw(st.sampled_from([0, 1, 3, 5, 7]))
    setup = Setup(
        length=length,
        variant=draw(st.sampled_from(list(VARIANTS))),
        crawford_rule=draw(st.booleans()),
        jacoby=draw(st.booleans()) or length > 0,
        beavers=draw(st.sampled_from([0, 3])) if not length else 3,
        cube_limit=draw(st.sampled_from([1024, 64])),
    )
    games: list[Game] = []
    score, crawford_over = (0, 0), False
    while len(games) < 3 and (not length or max(score) < length):
        match_point = length > 1 and (length - score[0] == 1) != (length - score[1] == 1)
        crawford = setup.crawford_rule and match_point and not crawford_over
        crawford_over = crawford_over or match_point
        game = random_game(chance, setup, len(games) + 1, score, crawford)
        games.append(game)
        score = (score[0] + game.points, score[1]) if game.winner == 0 else (score[0], score[1] + game.points)
    ratings = st.none() | st.integers(0, 300000).map(lambda value: value / 100)
    info = {"event": draw(NAMES), "place": draw(NAMES), "date": "2024-02-29", "time": "10:30", "comment": "a\nb"}
    return Match(
        players=(
            Player(draw(NAMES), draw(ratings), draw(st.none() | st.integers(0, 10**6))),
            Player(draw(NAMES), draw(ratings)),
        ),
        length=length,
        games=tuple(games),
        variant=setup.variant,
        crawford_rule=setup.crawford_rule,
        jacoby=setup.jacoby and not length,
        beavers=0 if length else setup.beavers,
        cube_limit=setup.cube_limit,
        info={key: value for key, value in info.items() if value},
    )


def plain(match: Match) -> Match:
    """The match without what belongs to one file: lines, tags, where it came from."""
    games = tuple(
        replace(game, actions=tuple(replace(action, line=None) for action in game.actions)) for game in match.games
    )
    return replace(match, games=games, tags=(), source="", format="")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
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
        started = time.process_time()
        try:
            found = mat.parse(text, "m.mat")
        except InvalidFileError as error:
            failure: InvalidFileError | None = error
        else:
            failure = None
        assert time.process_time() - started < 2 + len(data) / 1e6, f"seed {seed}"
        if failure is not None:
            assert (failure.line or 0) > 0, f"seed {seed}"
            continue
        for match in found:
            assert_well_formed(match, text.count("\n") + text.count("\r") + 1)
            # What was understood can be written and understood again.
            mat.parse(mat.format(match))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300), st.sampled_from([b"", b" 5 point match\n Game 1\n A : 0    B : 0\n 1) "]))
def test_any_bytes(data: bytes, head: bytes) -> None:
    with contextlib.suppress(InvalidFileError):
        mat.parse(decode(head + data), "m.mat")


@pytest.mark.parametrize(
    "line", ["  1) " + " " * 20000, "  1) 31: " + "8/5 " * 5000, ":" * 30000, "(" * 30000, "; [" * 9000]
)
def test_long_lines_take_no_long_time(line: str) -> None:
    head = " 5 point match\n Game 1\n"
    started = time.process_time()
    for place in (head, head + " A : 0    B : 0\n"):
        mat.parse(place + "\n".join([line[:1900]] * 100 + [line]))
    assert time.process_time() - started < 2
