"""Every command of GNU Backgammon is in the table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_command_answering import GUARD

from sixprime.command import Interpreter
from sixprime.command.tables import ROOT

LEAVES = (Path(__file__).parent / "data" / "gnubg_leaves.txt").read_text().splitlines()


def test_every_command_is_there() -> None:
    assert len(LEAVES) > 1100
    assert not [words for words in LEAVES if ROOT.below(words).run is None]


ARGUMENTS = {"on|off": "on", "<player>": "0", "<filename>": "none", "<command>": "none"}
APART = {"external", "calibrate", "analyse match", "analyze match", "analyse session", "analyze session"}
"""Commands that wait for somebody or take their time: they have tests of their own."""


@pytest.fixture(scope="module")
def shell() -> tuple[Interpreter, list[str]]:
    heard: list[str] = []
    made = Interpreter(heard.append, heard.append)
    plies = [f"set {who} {what} evaluation plies 0" for who in ("evaluation", "analysis") for what in KINDS]
    made.run_lines([*GUARD, *plies, "set rollout trials 36", "set matchlength 1"])
    made.run_lines(["new match 3", "set turn 1", "set dice 3 1"])
    return made, heard


QUIET = {"clear cache", "clear turn"}
"""As in GNU Backgammon; analyses and marks as well."""
OWN_WORDS = {"resign", "set confirm default"}
"""They say so of their arguments."""
KINDS = ("chequerplay", "cubedecision")


@pytest.mark.parametrize("first", sorted({words.split()[0] for words in LEAVES}))
def test_every_command_answers(
    shell: tuple[Interpreter, list[str]], first: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what help says, with nothing and with nonsense: never a word that is not known, never an error of ours."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    monkeypatch.setattr("os.setpriority", lambda *given: None)
    made, heard = shell
    start = made.state
    for words in LEAVES:
        if words.split()[0] != first or words in APART or ROOT.below(words).name in APART:
            continue
        line = re.sub(r"^set (player|analysis player|cheat player)\b", r"set \1 0", words)
        line = re.sub(r"((?:rollout|later)) player\b", r"\1 player 1", line)
        usage = ROOT.below(words).usage
        before, answers = made.state, list[str]()
        fitting = next((value for key, value in ARGUMENTS.items() if key in usage), "2")
        for given in ("", fitting, "zz zz"):
            heard.clear()
            made.run(f"{line} {given}")
            answers.append("".join(heard))
        quiet = words in QUIET or words.startswith(("analyse ", "analyze ", "cmark ")) or made.ended
        assert quiet or any(answers) or made.state != before, f"{line} does nothing"
        assert "is not there in this program" not in "".join(answers), line
        if words not in OWN_WORDS:
            assert "Unknown keyword" not in "".join(answers[:2]), f"{line}: {answers}"
        made.ended = False
        made.state = start
