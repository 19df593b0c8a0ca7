"""Answers of commands in the layout that programs read; the examples were printed by GNU Backgammon 1.07."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sixprime as sp
from sixprime.command.answers import figures, judging, races, standing, statistics
from sixprime.command.options import Eval
from sixprime.gnubg.desk import interpreter
from sixprime.report.export.statistics import match_statistics
from sixprime.report.figures import Figures, Stakes

NAMES = ("gnubg", "root")
STAKES = Stakes(0.5, 0.7994)


def parsed(text: str):
    return sp.parse(text)


def test_show_board() -> None:
    found = parsed("4HPMwQCMz+AIIQ:cBHgABAAGAAE")
    assert (
        standing.show_board(found.position, found.state, NAMES)
        == (Path(__file__).parent / "data" / "answers" / "board_doubled.txt").read_text()
    )


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (
            {"score": (0, 0), "games": 0, "length": 0, "jacoby": True},
            "gnubg 0, root 0 (money session, with Jacoby rule).",
        ),
        ({"score": (2, 3), "games": 1, "length": 7}, "gnubg 2, root 3 (match to 7 points)"),
        (
            {"score": (2, 6), "games": 1, "length": 7, "post_crawford": True},
            "gnubg 2, root 6 (match to 7 points, post-Crawford play)",
        ),
    ],
)
def test_show_score(given: dict, wanted: str) -> None:
    games = given["games"]
    count = "1 game" if games == 1 else f"{games} games"
    assert standing.show_score(names=NAMES, **given) == f"The score (after {count}) is: {wanted}"


def test_where_a_game_stands() -> None:
    found = parsed("4HPMwQCMz+AIIQ:QQngABAAGAAE")
    assert standing.show_cube(found.state, NAMES) == "The cube is at 2, and is owned by gnubg."
    assert standing.show_dice(found.state, NAMES) == "root has not yet rolled the dice."
    assert standing.show_turn(found.state, NAMES) == "root is on roll."
    assert standing.show_pipcount(found.position, found.state, NAMES) == "The pip counts are: root 151, gnubg 151."


def test_scoresheet() -> None:
    assert standing.show_scoresheet([(0, 0)], NAMES, 7) == (
        "Score Sheet - Match to 7 points\n\ngnubg | root\n------------\n    0 | 0\n"
    )


def test_races() -> None:
    position = parsed("CgAAEAEAAAAAAA").position
    assert "K = (diff+4)/(2 sqrt(sum-4)) =   0.3536\nCubeless Winning Chance: 0.6915" in races.show_kleinman(position)
    assert races.show_thorp(position).endswith("T: 7\n\nDouble, Take (since L <= T + 2)")
    assert races.show_keith(position).endswith(
        "L: 10.3\nKeith Count Trailer          T: 8\n\nRedouble, Take (since L <= T+3)"
    )
    assert "Estimated GWC: 75.7%" in races.show_isight(position)
    assert "Leader is -28.6 percent ahead\nNoDouble (8 percent > ahead)" in races.show_8912(position)


def test_equities_and_match_winning_chances() -> None:
    assert figures.eq_to_mwc(0.5, STAKES).splitlines() == [
        "MWC for equity = -1.000:  50.00%",
        "MWC for equity = +1.000:  79.94%",
        "By linear interpolation:",
        "MWC for equity = +0.500:  72.45%",
    ]
    assert figures.mwc_to_eq(0.5, STAKES).endswith("Equity for MWC =  50.00%: -1.000")


@given(st.floats(-3, 3), st.floats(0, 0.4), st.floats(0.6, 1))
def test_conversion_goes_back(equity: float, lose: float, win: float) -> None:
    stakes = Stakes(lose, win)
    assert stakes.equity(stakes.mwc(equity)) == pytest.approx(equity)
    assert stakes.opposite.mwc(-equity) == pytest.approx(1 - stakes.mwc(equity))


@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        (Figures(), ("0.477", "+0.500", "-0.250")),
        (Figures(digits=4, winpc=True), (" 47.68", "+0.5000", "-0.2500")),
        (Figures(mwc=True), ("0.477", " 72.50%", " -3.75%")),
        (Figures(mwc=True, matchpc=False), ("0.477", "0.7250", "-0.0375")),
    ],
)
def test_figures(how: Figures, wanted: tuple[str, str, str]) -> None:
    stakes = Stakes(0.5, 0.8)
    assert (how.chance(0.47683), how.value(0.5, stakes), how.difference(-0.25, stakes)) == wanted


@pytest.mark.parametrize(
    ("how", "wanted"),
    [
        (Eval(noise=0.06), "0-ply cubeful prune, noise 0.06 (d) [beginner]"),
        (Eval(noise=0.015, prune=False), "0-ply cubeful, noise 0.015 (d) [advanced]"),
        (Eval(noise=0.05, deterministic=False), "0-ply cubeful prune, noise 0.05 (nd)"),
        (Eval(noise=0.0012345, cubeful=False), "0-ply cubeless prune, noise 0.00123 (d)"),
        (Eval(deterministic=False, prune=False), "0-ply cubeful [expert]"),
    ],
)
def test_hints_tell_of_noise(how: Eval, wanted: str) -> None:
    found = parsed("4HPMwQCMz+AIIQ:cAkAAAAAAAAA")
    plays = sp.Engine(threads=1).best_plays(found.position, (3, 1), match=found.state, plies=0, count=1)
    assert judging.plays_text(plays, Figures(), None, how).splitlines()[2] == f"        {wanted}"


def test_hint_and_eval() -> None:
    engine = sp.Engine(threads=1)
    found = parsed("4HPMwQCMz+AIIQ:cAkAAAAAAAAA")
    plays = engine.best_plays(found.position, (3, 1), match=found.state, plies=0, count=2)
    first, chances, how, second = judging.plays_text(plays, Figures(), None).splitlines()[:4]
    assert first[:53] == "    1. Cubeful 0-ply    24/20                        "
    assert first[53:59] == "Eq.: -"
    assert len(chances) == 7 + 2 * 17 + 3
    assert how == "        0-ply cubeful prune [expert]"
    assert second.startswith("    2. ")
    assert second.endswith(")")
    cube = engine.cube_action(found.position, match=found.state, plies=0)
    lines = judging.cube_text(cube, Figures(), None).splitlines()
    assert lines[1] == "Cube analysis"
    assert lines[2].startswith("0-ply cubeless equity -")
    assert lines[5].startswith("1. No double           -0.")
    assert lines[6].startswith("2. Double, pass        +1.000  (+1.")
    assert lines[8].startswith("Proper cube action: No double, beaver (")
    answer = judging.cube_text(cube, Figures(), None, answering=True).splitlines()
    assert answer[6].startswith("2. Double, pass        -1.000  (-1.")
    table = judging.evaluations_text(
        [engine.evaluate(found.position, plies=0)], Figures(), None, found.state, engine.met
    ).splitlines()
    assert table[1].startswith("static: 0.")
    assert len(table[1]) == 68
    for how, stakes in ((Figures(digits=6), None), (Figures(digits=6, mwc=True), Stakes(0.7, 0.5))):
        wide = judging.evaluations_text(
            [engine.evaluate(found.position, plies=0)], how, stakes, sp.MatchState(length=7), engine.met
        )
        assert len(wide.splitlines()[1].split()) == 1 + 5 + 2


def test_resignation() -> None:
    assert judging.resignation_text(0.047, 1.0, Figures(), None) == (
        "Equity before resignation : +0.047\nEquity after resignation : +1.000 (+0.953)\n\n"
        "Correct resign decision : Accept\n"
    )


def test_statistics() -> None:
    match = sp.read(Path(sp.__file__).parent / "data" / "sample.mat")
    analysed = sp.analyse(match, sp.Engine(threads=1), plies=0)
    lines = statistics.statistics_text(match_statistics(analysed)).splitlines()
    assert lines[0].startswith("Player")
    assert {len(line) for line in lines if line.startswith("Total")} == {88}
    assert [line for line in lines if line.endswith("statistics")] == [
        "Chequerplay statistics",
        "Luck statistics",
        "Cube statistics",
        "Overall statistics",
    ]


@pytest.mark.parametrize(
    ("ending", "match_id", "said"),
    [
        (("roll", "resign gammon", "accept"), "cMOuACAAAAAE", "Rolled 53, resigns gammon"),
        (("roll", "resign gammon", "accept", "first move", "next 50"), "cMuuACAAAAAE", "Rolled 53, resigns gammon"),
        (("roll", "move 8/3 6/3", "double", "drop"), "MAygABAAAAAE", "On roll"),
    ],
)
def test_a_game_that_was_given_up_is_shown_as_it_was_left(ending: tuple[str, ...], match_id: str, said: str) -> None:
    heard: list[str] = []
    shell = interpreter(heard.append, heard.append)
    people = ("set player 0 human", "set player 1 human", "set automatic roll off", "set automatic game off")
    for line in (*people, "set rng mersenne 42", "new match 5", *ending, "show board"):
        shell.run(line)
    shown = "".join(heard).rpartition("GNU Backgammon")[2]
    assert f"Match ID   : {match_id}\n" in shown
    assert f"     {said}\n" in shown
