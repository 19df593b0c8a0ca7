"""GNU Backgammon's external player, both ways: our seat asks, our server answers."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sixprime.engine import Engine
from sixprime.errors import EngineError, InvalidIdError, SettingsError, StoppedError
from sixprime.game.acts import Accept, Decline, Double, Drop, Move, Opening, Resign, Roll, Take
from sixprime.game.match_rules import Rules
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.game.table import Phase, Table
from sixprime.play import Automation, SeededDice, Session, seat_of
from sixprime.play.seats import EngineSeat
from sixprime.players.external import (
    Connection,
    ExternalSeat,
    Order,
    board_line,
    parse_address,
    read_board_line,
    word_of,
)
from sixprime.protocols.external import Answers, Server, serve

GNUBG = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
START = Position.start()
AHEAD = Position(tuple([0, 0, 0, 5, 5, 5] + [0] * 19), tuple([2, 2] + [0] * 23))
"""The side on roll has four chequers left, the other fifteen at home."""


@pytest.fixture(scope="module")
def answers() -> Answers:
    return Answers(EngineSeat(Engine(plies=0, threads=1)))


@contextmanager
def served(answers: Answers, **more: float) -> Iterator[tuple[str, int]]:
    stop = threading.Event()
    server = Server(answers, port=0, **more)  # type: ignore[arg-type]
    thread = threading.Thread(target=server.run, args=(stop,))
    thread.start()
    try:
        yield server.address
    finally:
        stop.set()
        thread.join(10)
        assert not thread.is_alive()


@contextmanager
def replying(*replies: bytes) -> Iterator[str]:
    """Somebody who answers every chunk with the next of these replies, then closes; his address."""
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            talk, _ = listening.accept()
            for reply in replies:
                if not talk.recv(4096):
                    break
                talk.sendall(reply)
            talk.close()

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield f"127.0.0.1:{listening.getsockname()[1]}"
    finally:
        listening.close()


def states() -> st.SearchStrategy[MatchState]:
    def state(score: tuple[int, int], on_roll: int, cube: int, owner: int | None, doubled: bool) -> MatchState:
        may = owner in (None, on_roll)
        return MatchState(
            length=7, score=score, on_roll=on_roll, cube=cube, cube_owner=owner, doubled=doubled and may, crawford=False
        )

    away = st.integers(0, 5)
    return st.builds(
        state,
        st.tuples(away, away),
        st.integers(0, 1),
        st.sampled_from([1, 2, 4]),
        st.sampled_from([None, 0, 1]),
        st.booleans(),
    )


@given(states(), st.sampled_from(list(Order)), st.sampled_from([START, AHEAD, AHEAD.swapped()]))
@settings(max_examples=100)
def test_a_line_is_read_as_it_was_meant(state: MatchState, order: Order, position: Position) -> None:
    board = read_board_line(board_line(position, state, order), order)
    found, swap = board.state, 1 if state.decider == 0 else 0
    assert board.position == position
    assert found.on_roll == state.on_roll ^ swap
    assert found.score == (state.score[::-1] if swap else state.score)
    assert found.cube == state.cube
    assert found.doubled == state.doubled
    if not state.doubled:
        assert found.cube_owner == (None if state.cube_owner is None else state.cube_owner ^ swap)


@pytest.mark.parametrize(
    ("line", "score", "on_roll", "doubled"),
    [
        # What GNU Backgammon 1.07 sends at 2-5 with player 0 on roll, as he is asked to double or roll ...
        (
            "board:Zed:Gnu:7:2:5:0:0:1:1:4:4:4:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-4:-5:-6:0:-1:0:0:0:0:1:1:1:0:1:-1:0:25:1:0:0:0"
            ":0:0:0:1",
            (2, 5),
            0,
            False,
        ),
        # ... and where player 1, then player 0, has doubled.
        (
            "board:Gnu:Zed:7:5:2:0:6:5:4:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-4:-4:-4:-1:-1:0:0:1:0:0:0:0:1:1:1:1:1:-1:0:25:0:1:0:0"
            ":0:0:0:1",
            (2, 5),
            1,
            True,
        ),
        (
            "board:Zed:Gnu:7:5:2:0:0:1:1:4:4:4:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-4:-5:-6:0:-1:0:0:0:0:1:1:1:1:1:-1:0:25:1:0:0:0"
            ":0:0:0:1",
            (2, 5),
            0,
            True,
        ),
    ],
)
def test_lines_of_gnu_backgammon(line: str, score: tuple[int, int], on_roll: int, doubled: bool) -> None:
    board = read_board_line(line)
    assert (board.state.score, board.state.on_roll, board.state.doubled) == (score, on_roll, doubled)
    assert board.position.player[:3] == (6, 5, 4)


def test_addresses() -> None:
    assert parse_address("host.example:99") == ("host.example", 99)
    assert parse_address(":99") == ("127.0.0.1", 99)
    assert parse_address("[::1]:99") == ("::1", 99)
    assert parse_address("localhost") == ("localhost", 1234)
    for text in ("", "host:0", "host:65536", "host:port", "a b:1", "/tmp/socket"):
        with pytest.raises(SettingsError, match="HOST:PORT"):
            parse_address(text)


def test_decisions(answers: Answers) -> None:
    assert answers.answer(board_line(START, MatchState(dice=(3, 1)))) == "8/5 6/5"
    assert answers.answer(board_line(START, MatchState())) == "roll"
    assert answers.answer(board_line(AHEAD, MatchState(on_roll=0))) == "double"
    assert answers.answer(board_line(AHEAD, MatchState(doubled=True))) == "drop"
    assert answers.answer(board_line(START, MatchState(doubled=True)) + " beavers off") == "take"
    assert answers.answer(board_line(START, MatchState(doubled=True)) + " beavers on") == "beaver"
    assert answers.answer(board_line(AHEAD, MatchState(length=7, score=(1, 6), on_roll=0, doubled=True))) == "drop"


def test_no_chequer_can_move(answers: Answers) -> None:
    closed = Position(tuple([2] * 6 + [3] + [0] * 18), tuple([0, 0, 0, 4, 5, 5] + [0] * 18 + [1]))
    assert answers.answer(board_line(closed, MatchState(dice=(3, 1)))) == ""


def test_resignations(answers: Answers) -> None:
    behind = board_line(AHEAD.swapped(), MatchState(length=7))
    assert answers.answer(f"{behind} resignation 1") == "reject"
    assert answers.answer(f"{behind} resignation 2") == "accept"


def test_help_names_what_is_documented(answers: Answers) -> None:
    assert "[plies N] [cubeful]" in str(answers.answer("help"))


def test_evaluations(answers: Answers) -> None:
    line = board_line(START, MatchState(length=7))
    numbers = [float(word) for word in str(answers.answer(f"evaluation fibsboard {line} cubeful plies 0")).split()]
    found = Engine(plies=0).evaluate(START, match=MatchState(length=7))
    assert numbers == pytest.approx([*(found.probabilities[i] for i in range(5)), found.mwc], abs=1e-6)
    ahead = board_line(START, MatchState(length=7, score=(0, 5)))
    assert float(str(answers.answer(f"evaluation fibsboard {ahead}")).split()[-1]) > 0.7
    money = str(answers.answer(f"EVALUATION fibsboard {board_line(START, MatchState())} cube off jacobyrule no"))
    assert float(money.split()[-1]) == pytest.approx(found.cubeless_equity, abs=1e-6)


@pytest.mark.parametrize("kept", [52, 43])
def test_values_at_the_end_may_be_missing(answers: Answers, kept: int) -> None:
    for state in (MatchState(length=7, dice=(3, 1)), MatchState(length=5, score=(1, 2)), MatchState()):
        line = board_line(START, state)
        short = ":".join(line.split(":")[:kept])
        assert read_board_line(short).position == read_board_line(line).position
        assert answers.answer(short) == answers.answer(line)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("", "no question"),
        ("hello", "no question"),
        ("board:a:b:1", "52 values"),
        (board_line(START, MatchState()).replace(":5:", ":6:", 1), "a side has 16 chequers, more than the 15 of"),
        (
            board_line(START, MatchState(dice=(3, 1))).replace(":3:1:", ":3:0:"),
            "the dice of the FIBS board line are 3 and 0",
        ),
        (board_line(START, MatchState()) + " plies 2", "of evaluations"),
        (board_line(START, MatchState()) + " jacobyrule perhaps", "on or off"),
        (board_line(START, MatchState()) + " resignation 4", "from 1 to 3"),
        ("evaluation fibsboard " + board_line(START, MatchState()) + " plies 9", "from 0 to 3"),
        ("evaluation fibsboard " + board_line(START, MatchState()) + " noise 0.1", "noise"),
        ("evaluation fibsboard " + board_line(START, MatchState()) + " colour", "no option"),
    ],
)
def test_what_cannot_be_answered(answers: Answers, line: str, why: str) -> None:
    said = str(answers.answer(line))
    assert said.startswith("Error: ")
    assert why in said
    assert "\n" not in said


@given(st.text(alphabet=":board-0123459 evaluationfibs\0\x7fé", max_size=200))
@settings(max_examples=100)
def test_anything_gets_an_answer(answers: Answers, line: str) -> None:
    said = answers.answer(line)
    assert said is None or "Traceback" not in said


def test_several_clients_at_a_time_and_no_more(answers: Answers) -> None:
    question = board_line(START, MatchState(dice=(3, 1)))
    with served(answers, clients=2) as (host, port):
        seats = [Connection(f"client {number}", host, port) for number in range(2)]
        assert [seat.ask(question) for seat in seats] == ["8/5 6/5"] * 2
        with socket.create_connection((host, port), 5) as talk:
            assert talk.makefile().read() == "Error: too many connections\n"
        for seat in seats:
            seat.close()


def test_long_lines_silence_and_zero_bytes(answers: Answers) -> None:
    with served(answers, idle=0.3) as address:
        with socket.create_connection(address, 5) as talk:
            talk.sendall(b"x" * 2000)
            assert b"at most" in talk.recv(1000)
            assert talk.recv(1000) == b""
        with socket.create_connection(address, 5) as talk:
            question = board_line(START, MatchState(dice=(3, 1))).replace("player1", "m" * 3000)
            talk.sendall(question.encode() + b"\n")
            assert b"at most" in talk.recv(1000)
        with socket.create_connection(address, 5) as talk:
            talk.sendall(board_line(START, MatchState(dice=(3, 1))).encode() + b"\n\0" + b"exit\n")
            assert talk.makefile().read() == "8/5 6/5\n"
        with socket.create_connection(address, 5) as talk:
            assert talk.recv(1000) == b""


def test_an_address_that_cannot_be_used_is_named(answers: Answers) -> None:
    with served(answers) as (host, port), pytest.raises(OSError, match=r"cannot listen there: .* '127\.0\.0\.1:"):
        Server(answers, host, port)


def test_people_answer_no_programs() -> None:
    with pytest.raises(SettingsError, match="a person does not answer programs"):
        serve("person", port=0)


def test_thinking_ends_in_time() -> None:
    seat = EngineSeat(Engine(plies=3, threads=1))
    said = Answers(seat, thinking=0.0).answer(board_line(START, MatchState(dice=(3, 1))))
    assert said == "Error: no answer within 0 seconds"


def test_lines_say_who_plays() -> None:
    names = ("Anna Lee", "B\u00f6:b")
    # Whoever is asked is player 1 of his line.
    assert board_line(START, MatchState(on_roll=1), Order.FIBS, names).startswith("board:B__b:Anna_Lee:")
    assert board_line(START, MatchState(on_roll=0), Order.FIBS, names).startswith("board:Anna_Lee:B__b:")
    long = board_line(START, MatchState(), names=("x" * 200, "y" * 200))
    assert len(long) < 255
    assert read_board_line(long).position == START


def test_a_match_between_machines(answers: Answers) -> None:
    with served(answers) as (host, port):
        remote = seat_of(f"external:{host}:{port}", "Away")
        assert isinstance(remote, ExternalSeat)
        home = EngineSeat(Engine(plies=0, threads=1), "Home")
        with Session((home, remote), Rules(length=3), dice=SeededDice(5)) as session:
            session.automation = Automation(next_game=True)
            session.run()
            played = session.record()
        with Session((home, EngineSeat(home.engine, "Away")), Rules(length=3), dice=SeededDice(5)) as session:
            session.automation = Automation(next_game=True)
            session.run()
            assert session.table.phase is Phase.MATCH_OVER
        remote.close()
    # The same plays as if it sat here, until somebody resigns, which our server does not.
    for ours, theirs in zip(session.record().games, played.games, strict=False):
        same = [action for action in ours.actions if action.play is not None]
        found = [action for action in theirs.actions if action.play is not None]
        assert [action.play for action in same] == [action.play for action in found][: len(same)]
        if len(same) != len(found):
            break


def _opened(rules: Rules | None = None) -> Table:
    return Table.new(rules).apply(Opening((1, 3)))


@pytest.mark.parametrize(
    ("reply", "found"),
    [("8/5 6/5", "8/5 6/5"), ("24/23 13/10 ", "24/23 13/10"), ("8/5*, nonsense", None), ("24/1", None), ("", None)],
)
def test_plays_of_others_are_checked(reply: str, found: str | None) -> None:
    table = _opened()
    with replying(reply.encode() + b"\n\0") as address:
        seat = ExternalSeat(address)
        if found is None:
            with pytest.raises(EngineError, match="cannot be done"):
                seat.decide(table)
        else:
            assert seat.decide(table) == Move(1, table.move(found).play)
        seat.close()


def test_words_of_others() -> None:
    rolled = _opened().apply(_opened().move("8/5 6/5"))
    doubled = rolled.apply(Double(0))
    resigned = rolled.apply(Resign(0, 2))
    whole = rolled.apply(Resign(0, 3))
    cases = (
        (rolled, "roll", Roll(0)),
        (rolled, "double", Double(0)),
        (rolled, "resign gammon", Resign(0, 2)),
        (rolled, "resign back", Resign(0, 3)),
        (rolled, "take", None),
        (doubled, "accept", Take(1)),
        (doubled, "pass", Drop(1)),
        (doubled, "roll", None),
        (resigned, "accept", Accept(1)),
        (resigned, "reject", Decline(1)),
        (resigned, "Error: what?", Decline(1)),
        (whole, "Error: what?", Accept(1)),
    )
    for table, reply, act in cases:
        with replying(reply.encode() + b"\n") as address:
            seat = ExternalSeat(address)
            if act is None:
                with pytest.raises(EngineError, match="cannot be done"):
                    seat.decide(table)
            else:
                assert seat.decide(table) == act
            seat.close()


def test_lost_silent_and_missing_players() -> None:
    with pytest.raises(EngineError, match=r"^127\.0\.0\.1:1 cannot be reached"):
        ExternalSeat("127.0.0.1:1")
    with pytest.raises(EngineError, match=r"^gnubg at 127\.0\.0\.1:1 cannot be reached"):
        ExternalSeat("127.0.0.1:1", "gnubg")
    with replying() as address, pytest.raises(EngineError, match=r"closed|lost"):
        ExternalSeat(address).decide(_opened())
    with replying(b"", b"8/5 6/5\n") as address:
        seat, stop, began = ExternalSeat(address), threading.Event(), time.monotonic()
        threading.Timer(0.2, stop.set).start()
        with pytest.raises(StoppedError):
            seat.decide(_opened(), stop)
        assert time.monotonic() - began < 5
        seat.close()


def test_other_variants_are_refused() -> None:
    with replying() as address:
        seat = ExternalSeat(address)
        with pytest.raises(SettingsError, match="15 chequers"):
            seat.decide(_opened(Rules(variant="hypergammon3")))
        seat.close()


def test_words() -> None:
    assert [word_of(act) for act in (Roll(0), Double(0), Resign(0, 1), Decline(1))] == [
        "roll",
        "double",
        "roll",
        "reject",
    ]
    with pytest.raises(InvalidIdError):
        read_board_line("board:")


@contextmanager
def _gnubg(home: Path, commands: str) -> Iterator[subprocess.Popen[str]]:
    assert GNUBG is not None
    (home / ".gnubg").mkdir(exist_ok=True)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    program = subprocess.Popen(
        [GNUBG, "-t", "-q"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment | {"HOME": str(home)},
        cwd=home,
    )
    assert program.stdin is not None
    program.stdin.write(commands)
    program.stdin.flush()
    try:
        yield program
    finally:
        program.kill()
        program.communicate()


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
def test_gnu_backgammon_plays_a_match_against_our_server(answers: Answers, tmp_path: Path) -> None:
    with served(answers) as (_, port):
        lines = (
            "set rng mersenne",
            "set seed 5",
            "set display off",
            "set automatic roll on",
            "set automatic game on",
            f"set player 0 external localhost:{port}",
            "set player 1 gnubg",
            "set player 1 chequer evaluation plies 0",
            "set player 1 cube evaluation plies 0",
            "new match 3",
            "export match mat out.mat",
            "quit",
        )
        with _gnubg(tmp_path, "\n".join(lines) + "\ny\n") as program:
            said, _ = program.communicate(timeout=100)
    from sixprime import formats

    match = formats.read(tmp_path / "out.mat")
    assert max(sum(game.points for game in match.games if game.winner == player) for player in (0, 1)) >= 3, said[-500:]


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
def test_we_play_a_match_against_its_server(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    lines = "set evaluation chequerplay evaluation plies 0\nset evaluation cubedecision evaluation plies 0\n"
    with _gnubg(tmp_path, f"{lines}external localhost:{port}\n"):
        for _ in range(100):
            try:
                remote = ExternalSeat(f"localhost:{port}", "GNU")
                break
            except EngineError:
                time.sleep(0.1)
        home = EngineSeat(Engine(plies=0, threads=1), "Home")
        with Session((remote, home), Rules(length=3), dice=SeededDice(5)) as session:
            session.automation = Automation(next_game=True)
            session.run()
            assert session.table.phase is Phase.MATCH_OVER
        remote.close()
