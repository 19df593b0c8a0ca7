"""Commands about theory, through the interpreter; numbers of closed forms are those of GNU Backgammon 1.07."""

from __future__ import annotations

import re

import pytest
from test_command_analysing import MATCH
from test_command_answering import said

START, RACE = "4HPwATDgc/ABMA", "X38AAABvvwAAAA"


def numbers(text: str) -> list[float]:
    return [float(each) for each in re.findall(r"[-+]?\d+\.\d+", text)]


def test_gammon_values() -> None:
    text = said("new match 5", f"set board {START}", "set score 2 2", "set cube value 2", "show gammonvalues")
    head, first, second, _ = text.split("\n", 3)
    assert head == "Player           Gammon value    Backgammon value"
    assert first == "gnubg            0.49697         0.49697"
    assert second == "you              0.49697         0.49697"
    uneven = said("new match 5", f"set board {START}", "set score 1 3", "set cube value 2", "show gammonvalues")
    assert uneven.splitlines()[1:3] == [
        "gnubg            1.00000         1.00000",
        "you              0.00000         0.00000",
    ]
    jacoby = said("new session", "show gammonvalues")
    assert numbers(jacoby) == [0, 0, 0, 0]
    assert said("show gammonvalues").startswith("No game in progress")


@pytest.mark.parametrize("turn", [0, 1])
def test_market_windows_are_by_player(turn: int) -> None:
    lines = ("new match 5", f"set board {START}", f"set turn {turn}", "set score 1 3", "show marketwindow")
    text = said(*lines)
    assert re.match(r"Player gnubg {20}: gammon rate  2\d\.\d\d%, bg rate   1\.\d\d%\nPlayer you {22}: gammon", text)
    first, second = text.split("Player gnubg market window:")[1].split("Player you market window:")
    assert "Dead cube:  " in first
    assert "Live" not in first
    opens, closes = numbers(first)
    assert 37 < opens < 42 < 61 < closes < 66
    assert "Dead cube (opponent doesn't redouble):" in second
    assert re.search(r"^Dead cube \(opponent redoubles\): ?\d", second, re.MULTILINE)
    money = said("new session", f"set board {START}", f"set turn {turn}", "show marketwindow")
    given = [said(*lines[:-1], f"show marketwindow {rates}") for rates in ("25 20 1 2", ".25 .2 .01 .02")]
    assert given[0] == given[1]
    assert re.match(r"Player gnubg {20}: gammon rate  25.00%, bg rate   1.00%\nPlayer you .*20.00%, .*2.00%", given[0])
    for wrong in ("25 20 1 2 3", "foo 20", "90 20 20", "25 -1"):
        assert said(*lines[:-1], f"show marketwindow {wrong}").startswith("You must specify the gammon rates")
    lost = said("new match 5", "set board qwQAgAgAAAAAAA", f"set turn {turn}", "show marketwindow 25 20 1 2")
    assert lost.splitlines()[:2] == given[0].splitlines()[:2]  # rates hold though one side cannot win
    take = next(line for line in money.splitlines() if line.startswith("Take Point (TP)"))
    assert 28 < numbers(take)[0] < 33
    assert 23 < numbers(take)[1] < 28


def test_rolls_and_maps() -> None:
    board = ("new match 5", f"set board {START}", "set turn 1")
    rolls = said(*board, "show rolls").splitlines()
    assert rolls[0] == "Roll  Best play                     Equity, 0-ply"
    assert rolls[1].startswith("66    24/18(2) 13/7(2)")
    values = [numbers(line)[0] for line in rolls[1:22]]
    assert values == sorted(values, reverse=True)
    assert "1-ply" in said(*board, "show rolls 1")
    assert said(*board, "show rolls 9") == "The depth must be from 0 to 4; got 9.\n"
    squares = said(*board, "show temperaturemap").splitlines()
    assert numbers(squares[3])[5] == numbers(squares[8])[0]
    assert max(map(max, map(numbers, squares[3:9]))) == values[0]
    percent = said("set output mwc on", *board, "show rolls")
    assert "MWC, 0-ply" in percent
    assert "%" in percent.splitlines()[1]
    found = [numbers("".join(lines)) for lines in (rolls[1:], percent.splitlines()[1:])]
    best, mean, spread = ([each[at] for each in found] for at in (0, -2, -1))
    assert spread[1] / spread[0] == pytest.approx((best[1] - mean[1]) / (best[0] - mean[0]), rel=0.02)
    two = said(*board, "set dice 3 1", "show temperaturemap =2")
    assert two.startswith("8/5 6/5: the opponent rolls\n")
    assert two.count("Mean") == 2
    assert "no roll whose plays" in said(*board, "show temperaturemap =2")
    assert "is not the number of plays" in said(*board, "show temperaturemap =x")


def test_score_maps() -> None:
    board = ("new match 5", f"set board {START}", "set turn 1")
    text = said("new match 5", "set board dzsDAANu5wYGAA", "set turn 1", "show scoremap 3")
    assert text.startswith("Cube action by score, 0-ply: you needs (rows), the opponent needs (columns)\n")
    assert re.search(r"\n    2 +(?:ND|D/T)    ND\n    3 +(?:ND|D/T)    ND\n", text)  # with 2 to go for him it is close
    assert "ND   no double\n" in text
    assert max(map(len, said(*board, "show scoremap").splitlines())) <= 80
    plays = said(*board, "set dice 3 1", "show scoremap 3")
    assert "\n    2     A     A\n" in plays
    assert "A    8/5 6/5\n" in plays
    assert "from 2 to 25" in said(*board, "show scoremap 1")


def test_races() -> None:
    text = said("new match 5", f"set board {RACE}", "set turn 1", "show onesidedrollout")
    lines = text.splitlines()
    assert lines[0].startswith("One sided rollout")
    assert lines[0].endswith("(you on roll):")
    assert lines[1] == "0.212 0.000 0.000 - 0.788 0.000 0.000"
    assert lines[4].split() == ["EPC", "Wastage"]
    assert lines[5].split() == ["gnubg", "51.856", "23.856"]
    assert lines[6].split() == ["you", "65.580", "9.580"]
    contact = said("new match 5", "set turn 0", "show onesidedrollout")
    wins = numbers(contact.splitlines()[1])[0]
    assert 0.54 < wins < 0.58
    efforts = [numbers(line) for line in contact.splitlines()[5:7]]
    assert all(172 < effort < 178 and 5 < wasted < 11 for effort, wasted in efforts)
    assert "Mean rolls" in said("new match 5", f"show bearoff {RACE}")
    assert "in contact" in said("new match 5", f"show bearoff {START}")


def test_results() -> None:
    assert said("show matchresult") == "No game in progress.\n"
    text = said("new match 3", "show matchresult")
    assert text.startswith("Actual and luck adjusted results for gnubg\n\nGame       Actual     Luck adj. \n\n")
    assert text.endswith("\n     Final     50.00%     50.00%\n")
    money = said("new session", "show matchresult").splitlines()
    assert [line.split()[0] for line in money[-3:]] == ["Sum", "Average", "95%CI"]


def test_results_of_an_analysed_match() -> None:
    """What GNU Backgammon 1.07 says of a match that it has analysed."""
    lines = said(f"load match {MATCH.parents[1] / 'sgf' / 'analysed.sgf'}", "show matchresult").splitlines()
    wanted = ((62.64, 20.09), (37.36, 48.33), (35.21, 41.48), (57.65, 50.55), (57.15, 44.12), (0, 20.35), (0, -25.08))
    found = [numbers(line) for line in lines[4:]]
    assert [line.split()[0] for line in lines[4:]] == ["0", "1", "2", "3", "4", "5", "Final"]
    assert all(pair == pytest.approx(each, abs=0.011) for pair, each in zip(found, wanted, strict=True))


def test_a_game_that_is_not_over_has_brought_nothing() -> None:
    levels = [f"set analysis {what} evaluation plies 0" for what in ("chequer", "cube")]
    game = ["new session", "set turn 0", "set dice 6 5", "24/13", "set dice 3 3", "8/5(2) 6/3(2)", "analyse match"]
    lines = said(*levels, *game, "show matchresult").splitlines()
    assert numbers(lines[4])[0] == 0.0
    assert numbers(lines[4])[1] > 0.05  # player 0 was unlucky
    match = ["new match 7", "set score 3 1", *game[1:]]
    [first, *_] = said(*levels, *match, "show matchresult").splitlines()[4:]
    assert numbers(first)[0] == 50.0
    rated = said(*levels, *match, "show statistics match").rstrip().splitlines()[-4:]
    assert rated[0].startswith("Overall rating")
    assert rated[1].split() == ["Error", "based", "abs.", "FIBS", "rating", "2050.0", "2050.0"]
