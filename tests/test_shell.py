"""The shell: what it says beside the interpreter, and the loop at a terminal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest
from places import places

import sixprime
from sixprime.command import Interpreter
from sixprime.progress import Progress
from sixprime.shell.run import Meter
from sixprime.shell.words import coloured, completions, guess, usage

Run = Callable[..., object]


@pytest.fixture
def shell() -> Interpreter:
    return Interpreter(lambda text: None, lambda text: None)


def test_completions_say_what_words_are_about(shell: Interpreter) -> None:
    found = dict(completions(shell, "set automatic "))
    assert list(found) == shell.complete("set automatic ")
    assert found["game"] == "Begin the next game by itself"
    assert [word for word, _ in completions(shell, "rel")] == ["relational"]
    assert list(completions(shell, "nonsense here ")) == []


def test_usage(shell: Interpreter) -> None:
    assert usage(shell, "") == ""
    assert usage(shell, "relational add match ") == (
        "relational add match [quiet] - Add the match, with its statistics where it is analysed"
    )
    assert usage(shell, "relational sh").startswith("relational show details | players")


@pytest.mark.parametrize(
    ("line", "word", "wanted"),
    [
        ("shwo dice", "shwo", "Did you mean `show'?"),
        ("set atomatic game off", "atomatic", "Did you mean `set automatic'?"),
        ("zzzz", "zzzz", ""),
    ],
)
def test_guesses(shell: Interpreter, line: str, word: str, wanted: str) -> None:
    assert guess(shell, line, f"Unknown keyword `{word}'.\n").startswith(wanted[:-2])
    assert guess(shell, line, "") == ""


def test_boards_are_coloured_and_nothing_else() -> None:
    board = " | X           O    |   | O              X |     O: gnubg\n"
    text = "X: root has O points\n" + board
    shown = coloured(text)
    assert shown.startswith("X: root has O points\n")
    assert shown.count("\x1b[0m") == 4
    assert shown.endswith("O: gnubg\n")


def test_lines_from_a_pipe(tmp_path: Path) -> None:
    lines = "set automatic game off\n> print(6 * 7)\n> 1 / 0\nshwo\nhelp set gui beep\nquit\nset automatic game on\n"
    ran = subprocess.run(
        [sys.executable, "-m", "sixprime", "shell"], input=lines, capture_output=True, text=True, timeout=100
    )
    assert ran.returncode == 0
    assert ran.stdout.splitlines()[:2] == ["Will not automatically start games.", "42"]
    assert "Will automatically start" not in ran.stdout
    assert "ZeroDivisionError" in ran.stderr
    assert "Did you mean `show'?" in ran.stderr
    assert "sixprime" not in ran.stderr


def test_at_a_terminal(tmp_path: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    pytest.importorskip("prompt_toolkit")
    environment = {**os.environ, **places(tmp_path), "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    child = pexpect.spawn(
        sys.executable, ["-m", "sixprime", "shell"], env=environment, timeout=20, encoding="utf-8", dimensions=(24, 80)
    )
    try:
        child.expect("Tab to complete")
        child.expect("No game")
        child.send("set automatic ga\t")
        child.expect("me\x1b")  # only what is new is drawn
        child.send(" off\r")
        child.expect("Will not automatically start games")
        child.send("shwo\r")
        child.expect("Did you mean `show'")
        child.send("> 6*7\r")
        child.expect("42")
        child.send("quit\r")
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)
    assert child.exitstatus == 0
    assert "+set automatic game" in (tmp_path / "shell-history").read_text()


def test_gnubg_has_a_prompt_at_a_terminal(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    pytest.importorskip("prompt_toolkit")
    match = Path(sixprime.__file__).parent / "data" / "sample.mat"
    environment = os.environ | places(tmp_path) | {"TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    command = [sys.executable, "-m", "sixprime", "gnubg", "-r", "-q", str(match)]
    ours, theirs = pty.openpty()
    shown = b""
    with subprocess.Popen(
        command, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        os.write(ours, b"set prompt ask \\p>\rshow score\rquit\r")
        with suppress(OSError):
            while data := os.read(ours, 1 << 16):
                shown += data
        assert process.wait(60) == 0
    os.close(ours)
    text = shown.decode(errors="replace")
    assert "in the language of GNU Backgammon" in text
    assert "Tab to complete" in text
    assert "ask " in text.partition("set prompt")[2]
    assert "The score (after 7 games) is: Kévin Unger 7, Maxence Job 4" in text


def test_every_interrupt_is_of_one_line(tmp_path: Path) -> None:
    """A request to terminate is of the whole."""
    environment = os.environ | places(tmp_path)
    command = [sys.executable, "-m", "sixprime", "shell"]
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for number in range(4):
            process.stdin.write(f"set player 0 name A{number}\nshow player\n")
            process.stdin.flush()
            while f"A{number}" not in process.stdout.readline():
                assert process.poll() is None
            time.sleep(0.5)
            process.send_signal(signal.SIGINT if number < 3 else signal.SIGTERM)
            time.sleep(0.5)
        assert process.communicate(timeout=60)[1].endswith("sixprime: interrupted\n")
        assert process.returncode == 1


def test_programs_read_a_plain_prompt(tmp_path: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    environment = {**os.environ, **places(tmp_path), "TERM": "xterm"}
    command = ["-m", "sixprime", "gnubg", "-r", "--tty"]
    child = pexpect.spawn(sys.executable, command, env=environment, timeout=60, encoding="utf-8")
    try:
        child.expect_exact("(No game) ")
        child.sendline("show jacoby")
        child.expect_exact("(No game) ")
        assert child.before == "show jacoby\r\nNew money sessions are played with the Jacoby rule.\r\n"
        pytest.importorskip("readline")
        child.sendline("sho\tjac\t")
        child.expect_exact("Jacoby rule.")
        child.sendline("> import sys; sys.exit(3)")
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)
    assert child.exitstatus == 3


def test_pictures_at_a_terminal(tmp_path: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    pytest.importorskip("prompt_toolkit")
    pytest.importorskip("resvg_py", reason="PNG needs resvg")
    more = {**places(tmp_path), "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "SIXPRIME_PICTURES": "kitty"}
    child = pexpect.spawn(
        sys.executable,
        ["-m", "sixprime", "shell"],
        env={name: value for name, value in os.environ.items() if name != "NO_COLOR"} | more,
        timeout=60,
        encoding="utf-8",
        dimensions=(24, 80),
    )
    try:
        child.expect("Tab to complete")
        for line in ("set automatic game off", "set player 0 human", "new match 5"):
            child.expect("No game")
            child.send(f"{line}\r")
        child.expect("Position ID: 4HPwATDgc/ABMA")
        child.expect("Light: you")
        assert "\x1b_Ga=T,f=100" in child.before
        child.send("copy\r")
        child.expect("is in the clipboard")
        assert "\x1b]52;c;" in child.before
        for leave in ("quit\r", "\x04"):
            child.send(leave)
            child.expect("discard the game in progress")
            child.send("maybe\r")
            child.expect("answer `y' or `n'")
            child.send("n\r")
            child.expect("you")
        child.send("\x04")
        child.expect("discard the game in progress")
        child.send("y\r")
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)


def test_a_meter_is_gone_afterwards() -> None:
    stream = StringIO()
    meter = Meter(stream)
    meter.clear()
    assert stream.getvalue() == ""
    meter(Progress(3, 10, "trials"))
    meter(Progress(4, None, "games"))
    meter.clear()
    meter.clear()
    assert stream.getvalue() == "\r3 of 10 trials\x1b[K\r4 games\x1b[K\r\x1b[K"
