"""Commands that answer, through the interpreter."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sixprime.command import Interpreter, Options
from sixprime.command.options import Output

GUARD = [
    "set rng mersenne 42",
    "set automatic roll off",
    "set automatic game off",
    "set player 0 human",
    "set player 1 human",
    "set display off",
    "set evaluation chequer eval plies 0",
    "set evaluation cube eval plies 0",
]


def said(*lines: str) -> str:
    """What is answered to the last line."""
    heard: list[str] = []
    shell = Interpreter(heard.append, heard.append)
    shell.run_lines([*GUARD, *lines[:-1]])
    heard.clear()
    shell.run(lines[-1])
    return "".join(heard)


def test_without_a_game() -> None:
    assert said("hint") == "You must set up a board first.\n"
    assert said("eval") == "No position specified and no game in progress.\n"
    assert said("show dice") == "The dice will not be rolled until a game is started.\n"
    assert said("show score") == "The score (after 0 games) is: gnubg 0, you 0 (money session, with Jacoby rule).\n"
    assert said("analyse match") == "No game in progress.\n"


def test_hints() -> None:
    lines = said("new match 7", "hint 2").splitlines()
    assert len(lines) == 6
    assert lines[0].startswith("    1. Cubeful 0-ply    ")
    assert lines[3].startswith("    2. Cubeful 0-ply    ")
    heard: list[str] = []
    options = Options(output=Output(mwc=True))
    shell = Interpreter(heard.append, heard.append, options=options)
    shell.run_lines([*GUARD, "new match 7"])
    heard.clear()
    shell.run("hint 1")
    assert "MWC:" in heard[0]
    assert said("new session", "hint 1").count("\n") == 3


def test_eval_of_a_position() -> None:
    text = said("eval 4HPMwQCMz+AIIQ:cAkAAAAAAAAA")
    assert text.startswith(
        "Position ID:\t4HPMwQCMz+AIIQ\nMatch ID:\tcAkAAAAAAAAA\n\nEvaluator: \tContact\n\n\n        Win  "
    )
    assert "\nstatic: 0.4" in text
    assert "\nProper cube action: No double, beaver (" in text


def test_standing() -> None:
    assert said("new match 7", "show score") == "The score (after 0 games) is: gnubg 0, you 0 (match to 7 points)\n"
    assert re.fullmatch(r"(you|gnubg) has rolled [1-6] and [1-6]\.\n", said("new match 7", "show dice"))
    assert said("new match 7", "show cube") == "The cube is at 1, and is centred.\n"
    assert said("new match 7", "show pipcount") == "The pip counts are: you 167, gnubg 167.\n"
    assert said("new match 7", "show crawford") == "This game is not the Crawford game\n"
    assert said("show thorp CgAAEAEAAAAAAA").startswith("Thorp Count Leader            : 9\n")


@pytest.mark.parametrize("count", ["pipcount", "thorp", "keith", "8912", "kleinman", "isight"])
def test_what_is_left_when_a_match_is_over_can_be_counted(count: str) -> None:
    over = ("set player both human", "new match 1", "resign normal", "accept")
    assert said(*over, f"show {count}").split() == said("new match 1", f"show {count} 4HPwATDgc/ABMA").split()


def test_conversions() -> None:
    text = said("new match 7", "eq2mwc 0.5")
    assert text.startswith("MWC for equity = -1.000: ")
    assert text.count("\n") == 4
    assert said("new session", "mwc2eq 50%") == "Command only valid in match play\n"


def test_statistics() -> None:
    assert "\nTotal moves " in said("new match 7", "show statistics match")
    heard: list[str] = []
    shell = Interpreter(heard.append, heard.append)
    shell.run_lines([*GUARD, "set analysis chequer eval plies 0", "new match 1"])
    heard.clear()
    shell.run("hint 1")
    shell.run_lines([heard[0][24:52].strip(), "analyse match"])
    heard.clear()
    shell.run("show statistics match")
    total = next(line for line in "".join(heard).splitlines() if line.startswith("Total moves"))
    assert sorted(total.split()[2:]) == ["0", "1"]
    assert len(total) == 88


def test_settings() -> None:
    assert said("show rng") == "You are using the Mersenne Twister generator.\n"
    assert said("show seed") == "The current seed is 42\n"
    assert said("set jacoby off", "show jacoby") == "New money sessions are played without the Jacoby rule.\n"
    assert said("show player") == "Player 0:\n  Name: gnubg\n  Type: human\n\nPlayer 1:\n  Name: you\n  Type: human\n\n"
    assert "\n        0-ply evaluation.\n" in said("show evaluation")
    assert "\nMove filter:\n      Move filter for 1 ply:\n" in said("show rollout")
    assert said("show analysis").startswith("Cube action will be analysed.\n")
    assert said("show automatic").count("\n") == 6
    for word in ("beavers", "lang", "matchlength", "output", "prompt", "ratingoffset", "threads", "variation"):
        assert said(f"show {word}").endswith(".\n") or word in ("output", "prompt", "ratingoffset", "variation")


def test_match_equity_table() -> None:
    lines = said("show met 3").splitlines()
    assert lines[6].split() == ["1-away", "50.0000", "67.7360", "75.0760"]
    assert lines[8].split() == ["3-away", "24.9240", "40.0530", "50.0000"]
    assert lines[13].split() == ["1-away", "50.0000", "48.8030", "32.2640"]
    assert said("show met 99").count("\n") > 60


def test_a_position_is_judged_in_the_game_in_progress() -> None:
    """At its score and for who is on roll there; an ID with a state of its own is that of another game."""
    before = ["new match 3", "set score 1 2", "set crawford on", "set turn 0", "set dice 3 1"]
    shown = said(*before, "eval 4HPwATDgc/ADIA")
    assert shown.startswith("Position ID:\t4HPwATDgc/ADIA\nMatch ID:\tsIFlABAAEAAE\n")
    assert "Cubeful equities" not in shown
    assert "Cubeful equities" in said(*before, "eval 4HPwATDgc/ADIA:cAkAAAAAAAAA")
    assert "Match ID   : sIFlABAAEAAE" in said(*before, "show board 4HPwATDgc/ADIA")
    assert "Position ID:\t4HPwATCwZ/ABMA" in said(*before, "hint 1", "eval =1")
    assert said(*before, "show board =7") == "There is no such move in the hint list.\n"
    simple = "simple 0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0"
    assert "Position ID:\t4HPwATDgc/ABMA" in said(*before, f"eval {simple}")


def test_pips_of_the_player_on_roll_come_first() -> None:
    game = ["new match 3", "set turn 0", "set dice 6 5", "24/13"]
    assert said(*game, "show pipcount") == "The pip counts are: you 167, gnubg 156.\n"
    assert said(*game, "set turn 0", "show pipcount") == "The pip counts are: gnubg 156, you 167.\n"
    assert said(*game, "show pipcount 4HPwATDgc/ADIA") == "The pip counts are: you 156, gnubg 167.\n"


def test_dice_of_a_file_go_round_again_and_what_is_no_face_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "dice"
    path.write_text("3 1 6 5 / 2 2 # 789")
    asked = (f"set rng file {path}", "dicerolls 3")
    assert said(*asked) == "3 1\n6 5\n2 2\n"
    assert said(*asked, "dicerolls 1") == f"Rewinding dice file ({path})\n3 1\n"
    assert said(*asked, "show seed").endswith("Number of dice read from current file: 6.\n")
    path.write_text("none")
    assert "none of the faces 1 to 6 is in it" in said(asked[0])


@pytest.mark.parametrize("ties", ["11 2 2", "5"])
def test_no_game_begins_with_a_file_of_ties_alone(tmp_path: Path, ties: str) -> None:
    path = tmp_path / "dice"
    path.write_text(ties)
    asked = (f"set rng file {path}", "new match 3")
    assert said(*asked).endswith(f"No game can begin: all throws in {path} are ties.\n")
    first, second = ties.replace(" ", "")[:2].ljust(2, ties[0])
    assert said(*asked, "dicerolls 1") == f"{first} {second}\n"
    path.write_text("11 22 31")
    assert "No game can begin" not in said(*asked)


def test_ids_are_of_the_game_that_is_played() -> None:
    """They do not say how many chequers there are; hypergammon stays what it is, backgammon becomes what it says."""
    new = (*GUARD, "set variation 2-chequer-hypergammon", "new session")
    for name in (
        "set gnubgid AABAAQAACgAAAA:cAkAAAAAAAAA",
        "set xgid XGID=-aa--------------------AA-:0:0:1:00:0:0:0:0:10",
    ):
        assert "You are playing: 2-chequer hypergammon" in said(*new, name, "show variation")
        text = said(*new, name, "eval")
        assert "Evaluator: \tHypergammon" in text
        assert "static: 0.535   0.418" in text
    assert "You are playing: Standard" in said(*new, "set gnubgid 4HPwATDgc/ABMA:cAkAAAAAAAAA", "show variation")
