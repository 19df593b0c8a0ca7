"""`set` and `save settings` of GNU Backgammon's language: what is said, what is kept, and what reads it back."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_command_answering import said

from sixprime.command import Interpreter, Options
from sixprime.command.engines import move_filter, table
from sixprime.command.options import get
from sixprime.command.saving import settings_lines

GNUBG = shutil.which("gnubg") or shutil.which("/usr/games/gnubg")


def told(*lines: str) -> tuple[str, str, Options]:
    """What the last line is answered with, what is wrong with any, and the options afterwards."""
    said: list[str] = []
    wrong: list[str] = []
    shell = Interpreter(said.append, wrong.append)
    for line in lines:
        said.clear()
        shell.run(line)
    return "".join(said), "".join(wrong), shell.state.options


@pytest.mark.parametrize(
    ("line", "answer", "path", "value"),
    [
        ("set rollout trials 100", "100 games will be played per rollout.", "rollout.trials", 100),
        ("set rollout chequerplay plies 1", "Chequer play in rollouts will use 1 ply evaluation.", "", None),
        (
            "set rollout later player 0 chequerplay plies 1",
            "Chequer play for later moves in rollouts (for player 0) will use 1 ply evaluation.",
            "rollout.later_chequer.0.plies",
            1,
        ),
        (
            "set rollout truncation chequerplay plies 1",
            "Chequer play evaluations at rollout truncation point will use 1 ply evaluation.",
            "rollout.truncation_chequer.plies",
            1,
        ),
        (
            "set rollout rng isaac 4",
            "GNU Backgammon will now use the ISAAC generator.\nSeed set to 4.",
            "rollout.rng.name",
            "isaac",
        ),
        (
            "set rollout rng manual",
            "The manual dice RNG is not suitable for rollouts",
            "rollout.rng.name",
            "mersenne",
        ),
        ("set evaluation movefilter 2 0 1 3 0.2", "", "evaluation.filter.1.0", (1, 3, 0.2)),
        ("set evaluation movefilter 1 0 -8 .1", "", "evaluation.filter.0.0", (-1, 0, 0.0)),
        (
            "set analysis cubedecision type rollout",
            "Analysis cubedecision will now use Rollout.",
            "analysis.cube.type",
            "rollout",
        ),
        ("set analysis threshold bad 0.05", "`bad' threshold set to 0.050.", "analysis.threshold.bad", 0.05),
        (
            "set analysis player 0 analyse off",
            "Do not analyse gnubg's chequerplay and cube decisions.",
            "analysis.players",
            (False, True),
        ),
        (
            "set cheat player 1 roll 3",
            "you will get the third best roll on each turn.",
            "players.1.cheat",
            3,
        ),
        ("set output digits 9", "You must specify a number between 1 and 6.", "output.digits", 3),
        ("set export cube display close no", "Do not export close cube decisions.", "export.cube_close", False),
        ("set export show player both", "Analysis, boards etc will be shown for both players in exports.", "", None),
        ("set cache 1000", "The position cache has been sized to 1024 entries.", "cache", 1024),
        ("set player 0 external localhost:9999", "Moves for gnubg will now be played", "players.0.type", "external"),
        ("set met mec", "GNU Backgammon will now use the mec match equity table.", "met", "mec"),
        (
            "set tutor skill verybad",
            "Tutor warnings will be given for play marked `very bad'.",
            "tutor.skill",
            "verybad",
        ),
        ("set analysis luck off", "Dice rolls will not be analysed.", "analysis.luck", False),
    ],
)
def test_a_setting_is_told_of_and_kept(line: str, answer: str, path: str, value: object) -> None:
    said, wrong, options = told(line)
    assert said.startswith(answer)
    assert not wrong
    if path:
        assert get(options, path) == value


@pytest.mark.parametrize(
    "line",
    [
        "set evaluation movefilter 5 0 0 8 0.2",
        "set evaluation movefilter 2 2 0 8 0.2",
        "set evaluation movefilter 2 1 0 1",
        "set rollout trials 0",
        "set rollout limit maxerror x",
        "set threads 0",
        "set analysis threshold bad -1",
        "set analysis chequerplay type x",
        "set player 0 external here:there",
        "set met nothere.xml",
        "set evaluation chequerplay evaluation noise 1.5",
        "set matchinfo event Foo",
    ],
)
def test_what_is_wrong_changes_nothing(line: str) -> None:
    said, wrong, options = told(line)
    assert said or wrong
    assert options == Options()


def test_both_players_are_set_at_once() -> None:
    *_, options = told("set rollout movefilter 1 0 2 3 0.5", "set rollout cubedecision noise 0.1")
    assert [filters[0][0] for filters in options.rollout.filter] == [(2, 3, 0.5)] * 2
    assert [cube.noise for cube in options.rollout.cube] == [0.1, 0.1]
    *_, options = told("set player both chequerplay rollout player 1 chequerplay plies 3")
    assert [seat.chequer.rollout.chequer[1].plies for seat in options.players] == [3, 3]
    assert [seat.chequer.rollout.chequer[0].plies for seat in options.players] == [0, 0]


def test_settings_reach_the_engine() -> None:
    *_, options = told("set evaluation movefilter 1 0 2 3 0.5", "set met mec", "set invert met on")
    assert move_filter(options.evaluation.filter).level(0, 1).extra == 3  # type: ignore[union-attr]
    assert table(options).name == "mec"


def test_matches_are_described() -> None:
    shell = Interpreter(lambda text: None, lambda text: None)
    shell.run_lines(["set player both human", "new match 3", "set matchinfo event Cup", "set matchinfo date 2020-3-4"])
    shell.run_lines(["set matchinfo rating 0 1500", "set matchinfo date 2020-30-4"])
    assert shell.state.match is not None
    assert shell.state.match.info == {"event": "Cup", "date": "2020-03-04"}
    assert shell.state.match.players[0].rating == 1500
    shell.run_lines(["set matchinfo rating 0 1800 (500)", "set matchinfo rating 1 strong"])
    first, second = shell.state.match.players
    assert (first.rating, first.experience, second.rating) == (1800, 500, None)


def test_ratings_are_told_with_the_experience() -> None:
    said: list[str] = []
    shell = Interpreter(said.append, said.append)
    shell.run_lines(["new match 3", "set matchinfo rating 0 1800 (Exp 500)", "set matchinfo rating 1 (Exp 7)"])
    said.clear()
    shell.run_lines(["show matchinfo", "export match text -"])
    told = "".join(said)
    assert "gnubg (1800 (Exp 500)) vs. you ((Exp 7))" in told
    assert "gnubg's rating: 1800 (Exp 500)\n" in told


LINES = st.lists(
    st.sampled_from(
        [
            "set player 0 name you two",
            "set player 1 name x",
            "set player 0 name you",
            "set player 0 human",
            "set player 1 external here:4000",
            "set player 1 chequerplay rollout later player 0 cubedecision noise 0.25",
            "set analysis movefilter 3 2 1 5 0.125",
            "set rollout rng bbs 5",
            "set rollout seed 77",
            "set export html css inline",
            "set export folder /tmp/a b",
            "set priority nice 5",
            "set variation nackgammon",
            "set gui beep off",
            "set sound sound roll a.wav",
            "set confirm default yes",
            "set rng isaac",
            "set calibration 5000",
            "set prompt '> '",
            "set prompt  x ",
            "set rng random.org",
            'set rng file dice "1"',
            "set invert met on",
            "set cubeefficiency race max 0.75",
            "set cube use off",
            "set aliases foo;bar",
        ]
    ),
    max_size=12,
)


@settings(max_examples=12)
@given(LINES)
def test_saved_settings_are_read_back(lines: list[str]) -> None:
    *_, options = told(*lines)
    _, wrong, again = told(*settings_lines(options))
    assert not wrong
    assert again == options


def test_a_prompt_is_saved_as_gnu_backgammon_reads_it() -> None:
    # Quotes would be a part of it there, and a program may wait for the blank.
    said, _, options = told("set prompt gnubg> ")
    assert said == "The prompt has been set to `gnubg> '.\n"
    assert "set prompt gnubg> " in settings_lines(options)
    assert f"set prompt {Options().prompt}" in settings_lines(told("set prompt")[2])


def test_the_last_of_several_choices_is_saved() -> None:
    lines = ("set gui animation slide", "set gui animation speed 3", "set gui animation none", "set gui showpips epc")
    assert [*told(*lines)[2].gui] == [*(line.removesuffix(" 3") for line in lines[1:])]


def test_settings_are_saved_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    said, wrong, _ = told("set threads 2", f"save settings {path}")
    assert "mine" in said
    assert not wrong
    *_, options = told(f"load commands {path}")
    assert options.threads == 2


@pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed")
def test_gnu_backgammon_reads_saved_settings(tmp_path: Path) -> None:
    assert GNUBG is not None
    path, theirs = tmp_path / "ours", tmp_path / "theirs"
    told("set rollout trials 77", "set analysis movefilter 2 0 0 5 0.25", f"save settings {path}")
    commands = f"load commands {path}\nsave settings {theirs}\n"
    call, home = [GNUBG, "-t", "-q"], os.environ | {"HOME": str(tmp_path)}
    done = subprocess.run(call, input=commands, capture_output=True, text=True, timeout=100, check=False, env=home)
    assert "Unknown keyword" not in done.stdout + done.stderr
    _, wrong, again = told(f"load commands {theirs}")
    assert not wrong
    assert again.rollout.trials == 77
    assert again.analysis.filter[1][0] == (0, 5, 0.25)
    assert again.evaluation == Options().evaluation


@pytest.mark.parametrize("words", ["set player", "set analysis player", "set rollout later player"])
def test_a_missing_player_names_the_help_of_its_command(words: str) -> None:
    assert said(words) == f"You must specify a player (see `help {words}').\n"
    assert said(f"{words} x") == f"Unknown player `x' (see `help {words}').\n"


def test_notes_name_the_command_that_helps() -> None:
    until = "(Note that this setting will have no effect until you"
    rolled = f"{until}\n`set player 1 cubedecision type rollout'.)\n{until} `set player you gnu'.)\n"
    assert said("set player 1 cubedecision rollout later player 0 chequerplay plies 1") == (
        f"Chequer play for later moves in rollouts (for player 0) will use 1 ply evaluation.\n{rolled}"
    )
    assert said("set player 1 cube rollout movefilter 1 0 0 8 0.1") == rolled
    assert said("set player 1 cube type rollout", "set player you gnubg", "set player 1 cube rollout trials 5") == (
        "5 games will be played per rollout.\n"
    )
    assert said("set analysis cubed type rollout", "set analysis cubed evaluation plies 1").endswith(
        f"{until}\n`set analysis cubedecision type evaluation'.)\n"
    )
    assert said("set analysis cubed rollout trials none").startswith("You must specify")
    assert until not in said("set analysis cubed rollout trials none")
    both = said("set player 0 gnubg", "set player both chequer evaluation plies 1").splitlines()
    assert both[:2] == ["gnubg will use 1 ply evaluation.", "you will use 1 ply evaluation."]
    assert both[2:] == [f"{until} `set player you gnu'.)"]
