"""What commands say of the program and of what is set, and how it answers other programs."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from test_command_answering import said

from sixprime.command import Interpreter
from sixprime.command.tables import ROOT

LEAVES = (Path(__file__).parent / "data" / "gnubg_leaves.txt").read_text().splitlines()


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("show version", "Sixprime "),
        ("show credits", "Sixprime is written"),
        ("show copying", "MIT License"),
        ("show warranty", "MIT License"),
        ("show buildinfo", "Shell with completion"),
        ("show engine", " * Neural nets `standard"),
        ("show aliases", 'Aliases for player 1 when importing MAT files is set to "".'),
        ("show autosave", "Auto save every 15 minutes\nMatch will not be autosaved during and after rollouts"),
        ("show browser", "The current browser is sensible-browser"),
        ("show calibration", "No evaluation speed has been recorded."),
        ("show cheat", "Manipulation with dice is disabled."),
        ("show clockwise", "Player 1 moves anticlockwise (and player 0 moves clockwise)."),
        (
            "show confirm",
            "GNU Backgammon will ask for confirmation.\nGNU Backgammon will ask for confirmation before ab",
        ),
        ("show cubeefficiency", "Parameters for cube evaluations:\nCube efficiency for crashed positions : 0.6800\n"),
        ("show display", "GNU Backgammon will not display boards for computer moves."),
        ("show export", "\nExport settings:"),
        ("show tutor", "No warnings are given for chequer moves.\nNo warnings are given for cube decisions."),
        ("show postcrawford", "Crawford rule is not used in money sessions."),
        ("show matchinfo", "No match in progress"),
        ("external", "You must specify the name of the socket to the external controller."),
        ("external nonsense nonsense", "an address is HOST:PORT"),
        ("calibrate 0", "The number of rounds must be from 1 to 1000; got 0."),
        ("load weights no/such.net", "Cannot read the network file"),
    ],
)
def test_answers(line: str, answer: str) -> None:
    assert said(line).startswith(answer)


def test_every_command_is_listed() -> None:
    listed = said("show commands").splitlines()
    assert len(listed) > 1000
    hidden = {words for words in LEAVES if ROOT.below(words).hidden or ROOT.below(words.split()[0]).hidden}
    assert not set(LEAVES) - hidden - set(listed)


def test_what_is_shown_is_what_is_set() -> None:
    cheat = said("set cheat enable on", "set cheat player 0 roll 3", "show cheat").splitlines()
    assert cheat[1:] == ["gnubg will get the third best roll on each turn.", "you will get the best roll on each turn."]
    confirm = said("set confirm new off", "set confirm default yes", "show confirm").splitlines()
    assert confirm[0] == "GNU Backgammon will answer yes to questions."
    assert confirm[1] == "GNU Backgammon will not ask for confirmation before aborting games in progress."
    tutor = said("set tutor mode on", "set tutor skill verybad", "set tutor cube off", "show tutor").splitlines()
    assert tutor[0] == "Warnings are given for 'very bad' or worse chequer moves."
    assert tutor[1] == "No warnings are given for cube decisions."
    export = said("set export show board 0", "set export show player 0", "show export")
    assert "- board                                     : never\n" in export
    assert "- players                                   : gnubg\n" in export
    lines = ["new match 5", "set matchinfo event Cup", "set matchinfo date 2020-2-3", "set matchinfo rating 0 1800"]
    assert said(*lines, "show matchinfo") == "gnubg (1800) vs. you (unknown rating), 2020-02-03\nEvent: Cup\n"
    after = ["new match 3", "set score 2 1", "set crawford off"]
    assert said(*after, "show postcrawford") == "This is post-Crawford play.\n"
    assert said(*after, "set crawford on", "show postcrawford") == "This is not post-Crawford play.\n"


def test_speed_and_nets() -> None:
    heard: list[str] = []
    shell = Interpreter(heard.append, heard.append)
    shell.run("calibrate")
    assert heard[0].startswith("Calibration result: ")
    assert heard[0].endswith(" static evaluations/second.\n")
    assert shell.state.options.calibration > 100
    shell.run("load weights")
    assert heard[-1] == "The neural nets that ship are used from now on.\n"


def test_other_programs_are_answered(tmp_path: Path) -> None:
    """As a script does it: settings, then `external`; whoever connects is answered until the program is ended."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    script = tmp_path / "serve.txt"
    script.write_text(f"set evaluation chequer eval plies 0\nexternal localhost:{port}\n")
    command = [sys.executable, "-m", "sixprime", "gnubg", "-t", "-q", "-r", "-c", str(script)]
    board = "0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    line_of_fibs = f"board:You:them:5:0:0:{board}:1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0\n"
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            while not (line := server.stdout.readline()).startswith("Waiting for a connection from localhost:"):
                assert line
            for _ in range(2):  # one connection after the other
                with socket.create_connection(("127.0.0.1", port), 60) as talk:
                    talk.sendall(line_of_fibs.encode())
                    assert talk.recv(100).split() == [b"8/5", b"6/5"]
        finally:
            server.kill()
