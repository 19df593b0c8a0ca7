"""The Universal Backgammon Interface: what an engine answers, and that it plays as the net does."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from places import COMPILING
from sides import side

from sixprime import Engine, kernels
from sixprime.cube.state import CubeState
from sixprime.errors import SettingsError
from sixprime.game.ids import encode_xgid
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.players.bot import Asked
from sixprime.players.ubgi import UbgiBot
from sixprime.protocols.ubgi import LONGEST, Session, serve

START = "position gnubgid 4HPwATDgc/ABMA"
CLOSE = "XGID=-a-B--E-B-a-dDB--b-bcb----:0:0:1:{}:0:0:3:0:10"


def told(*lines: str, player: str = "small@0") -> list[str]:
    """What a new session answers."""
    said: list[str] = []
    serve(Session(player), lines, said.append)
    return said


def test_the_greeting() -> None:
    said = told("ubgi")
    assert said[0] == "id name Sixprime"
    assert "proto 0.2" in said
    assert "key engine.ply int 1..5 1 root-inclusive depth" in said
    assert "key engine.threads int 1..1024 1 ! threads that work" in said
    assert "key game.variant enum backgammon|nackgammon|hypergammon backgammon the game" in said
    assert said[-1] == "ubgiok"
    assert told("keys") == [line for line in said if line.startswith("key ")]


CLOSED = dict.fromkeys(("p1", "p2", "p3", "p4", "p5", "p6"), 2)


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        (("newgame", "dice 3 1", "go"), "8/5 6/5"),
        ((START, "dice 3 1", "go chequer"), "8/5 6/5"),
        ((START, "dice 1 1", "go role chequer"), "8/7 8/7 6/5 6/5"),
        ((START, "dice 6 5", "go"), "24/18 18/13"),
        (("position gnubgid " + Position(side(**CLOSED), side(bar=1, p6=14)).id, "dice 5 4", "go"), "pass"),
        (("position gnubgid " + Position(side(p3=2), side(bar=1)).id, "dice 5 4", "go"), "bar/20 20/16"),
        (("position gnubgid " + Position(side(p3=2), side(p1=1, p2=1)).id, "dice 2 1", "go"), "2/off 1/off"),
        (("position gnubgid " + Position(side(p3=2), side(p2=3)).id, "dice 6 6", "go"), "2/off 2/off 2/off"),
    ],
)
def test_plays(lines: tuple[str, ...], answer: str) -> None:
    assert told(*lines) == [f"bestmove {answer}"]


def test_variants() -> None:
    nack = told("set game.variant nackgammon", "newgame", "dice 6 4", "go")
    start = Position.start("nackgammon")
    assert nack == told(f"position gnubgid {start.id}", "dice 6 4", "go")
    assert nack != told("newgame", "dice 6 4", "go")
    (hyper,) = told("set game.variant hypergammon", "newgame", "dice 6 6", "go")
    assert {"24/18", "23/17", "22/16"} & {*hyper.split()[1:]}
    assert told("set game.variant hypergammon", START)[0].startswith("error bad_value ")


def test_every_roll_of_a_whole_set_of_positions_is_played_as_the_engine_plays_it() -> None:
    """Through our own controller."""
    rng = np.random.default_rng(5)
    engine, bot = Engine("small", plies=0), UbgiBot(f"{sys.executable} -m sixprime ubgi small@0")
    position, boards, rolls, wanted = Position.start(), [], [], []
    state = MatchState(jacoby=False, beavers=0, cube_limit=1)
    for _ in range(60):
        dice = int(rng.integers(1, 7)), int(rng.integers(1, 7))
        best = engine.best_plays(position, dice, match=state, count=1)[0].play.result
        boards.append(position.board)
        rolls.append(dice)
        wanted.append(best.board)
        position = Position.start() if best.winner is not None else best
    asked = Asked(kernels.pack(np.array(boards)), [CubeState.from_match(state)], np.zeros(len(boards), np.int32))
    try:
        found = kernels.unpack(bot.plays(asked, np.array(rolls, np.int8)))
    finally:
        bot.close()
    assert (found == np.array(wanted)).all()


def test_cubes() -> None:
    money = "set game.cube true"
    assert told(money, START, "go cube") == ["bestcube nodouble"]
    assert told(money, START, "dice 3 1", "go turn") == ["bestturn cube=nodouble move=8/5 6/5"]
    assert told(START, "dice 3 1", "go turn") == ["bestturn cube=nodouble move=8/5 6/5"]
    for offered, answer in (("00", "nodouble"), ("D", "take")):
        assert told(f"position xgid {CLOSE.format(offered)}", "go cube") == [f"bestcube {answer}"]
    closed = Position(side(p6=2, p8=3, bar=1), side(**CLOSED, p7=2))
    for state, answer in (
        (MatchState(jacoby=False), "double"),
        (MatchState(jacoby=False, doubled=True), "drop"),
        (MatchState(length=7, score=(6, 0), crawford=True), "nodouble"),
        (MatchState(jacoby=False, cube=2, cube_owner=0), "nodouble"),
    ):
        assert told(f"position xgid {encode_xgid(closed, state)}", "go cube") == [f"bestcube {answer}"], state


def test_a_whole_id_says_score_and_dice() -> None:
    assert told("position gnubgid 4HPwATDgc/ABMA:cIkFAAAAAAAA", "go cube") == ["bestcube nodouble"]
    assert told("position gnubgid 4HPwATDgc/ABMA:cAkFAAAAAAAA", "dice 3 1", "go") == ["bestmove 8/5 6/5"]


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("hello", "bad_command", "'hello' is none of ubgi, isready"),
        ("UBGI", "bad_command", "is none of"),
        ("go", "bad_state", "there is no position"),
        ("go backwards", "bad_command", "expected: go [chequer|cube|turn]"),
        ("go cube", "unsupported", "set game.cube true"),
        ("position", "bad_command", "expected: position"),
        ("position fen x", "unsupported", "gnubgid and xgid"),
        ("position gnubgid x", "bad_value", "no position ID"),
        ("position gnubgid cIkqAAAAAAAA", "bad_value", "no position ID"),
        ("position gnubgid XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10", "bad_value", "no position ID"),
        ("position xgid x", "bad_value", "XGID"),
        ("dice 0 7", "bad_value", "'0' is no whole number from 1 to 6"),
        ("dice 3", "bad_command", "expected: dice"),
        ("set engine.ply", "bad_command", "expected: set"),
        ("set engine.ply 0", "bad_value", "engine.ply: '0' is no whole number from 1 to 5"),
        ("set engine.speed 1", "unsupported", "the keys are engine.ply"),
        ("set game.cube yes", "bad_value", "none of true, false"),
        ("get nothing", "unsupported", "the keys are"),
        ("setoption engine.ply 1", "bad_command", "expected: setoption"),
        ("x" * (LONGEST + 1), "bad_command", "at most"),
    ],
)
def test_complaints(line: str, code: str, words: str) -> None:
    complaint, after = told(line, "get engine.ply")
    assert complaint.startswith(f"error {code} ")
    assert words in complaint
    assert after == "value engine.ply 1"


def test_what_is_not_there_is_said() -> None:
    assert told("newgame", "go") == ["error bad_state there are no dice"]
    waits = "error bad_state a double waits for its answer"
    assert told(f"position xgid {CLOSE.format('D')}", "dice 3 1", "go", "go turn") == [waits, waits]


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ("gnubgid " + Position(side(p6=2), side()).id, "there is nothing to decide"),
        ("gnubgid 4HPwATDgc/ABMA:cFkAAAAAAAAA", "an offer to resign waits"),  # of a double that waits, too
        ("gnubgid 4HPwATDgc/ABMA:cEEAAAAAAAAA", "an offer to resign waits"),
        ("xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:31:6:6:1:7:10", "Crawford game"),
        ("gnubgid " + "A" * 14, "impossible position"),
    ],
)
def test_positions_that_cannot_be_decided(position: str, words: str) -> None:
    """Nor does the one before them stay."""
    said = told(START, "dice 3 1", f"position {position}", "go", "isready", "quit now", "keys")
    assert said[0].startswith("error bad_value ")
    assert words in said[0]
    assert said[1:] == ["error bad_state there is no position", "readyok"]


def test_settings_hold() -> None:
    lines = (
        "set engine.ply 2",
        "get engine.ply",
        "setoption name engine.threads value 2",
        "get engine.threads",
        "keys",
    )
    said = told(*lines)
    assert said[:2] == ["value engine.ply 2", "value engine.threads 2"]
    assert "key engine.ply int 1..5 1 root-inclusive depth" in said  # the default stays what it was
    session = Session("small@0")
    for line in ("set engine.ply 2", START, "dice 2 1"):
        assert not list(session.answer(line))
    (play,) = session.answer("go")
    state = MatchState(jacoby=False, beavers=0, cube_limit=1)
    best = Engine("small", plies=1, threads=1).best_plays(Position.start(), (2, 1), match=state, count=1)[0].play
    assert play == "bestmove " + " ".join(f"{step.start}/{step.end}" for step in best.steps)
    assert told("set game.variant hypergammon", "go") == ["error bad_state there is no position"]


def test_who_errs_has_no_plies_and_who_does_not_answer_is_refused() -> None:
    assert not any("engine.ply" in line for line in told("keys", player="beginner:1"))
    assert told("isready", START, "dice 3 1", "go", player="beginner:1")[-1].startswith("bestmove ")
    for nobody in ("person", "nobody"):
        with pytest.raises(SettingsError):
            Session(nobody)


def test_the_command() -> None:
    lines = "ubgi\nisready\nnewgame\ndice 3 1\ngo\n" + "y" * 5000 + "\nquit\nget engine.ply\n"
    ran = subprocess.run(
        [sys.executable, "-m", "sixprime", "ubgi", "small@0"], input=lines, capture_output=True, text=True, timeout=120
    )
    said = ran.stdout.splitlines()
    assert (ran.returncode, ran.stderr.replace(COMPILING, "")) == (0, "")
    assert said[-3:-1] == ["readyok", "bestmove 8/5 6/5"]
    assert said[-1].startswith("error bad_command")
