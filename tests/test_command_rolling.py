"""Rollouts, through the interpreter."""

from __future__ import annotations

import re
from dataclasses import replace

from test_command_answering import GUARD

from sixprime.command import Interpreter, Options
from sixprime.command.engines import move_filter
from sixprime.command.options import LARGE, Decision, Eval, Evaluation, Generator, Rollout
from sixprime.command.rollouts import rollout_settings
from sixprime.progress import Progress

ZERO = (Eval(plies=0), Eval(plies=0))
QUICK = Rollout(trials=36, cube=ZERO, rng=Generator(seed=7))
BY_ROLLOUT = Decision("rollout", Eval(plies=0), QUICK)


def said(*lines: str, options: Options | None = None) -> str:
    """What is answered to the last line."""
    heard: list[str] = []
    options = options or Options(rollout=QUICK, evaluation=Evaluation(BY_ROLLOUT, BY_ROLLOUT))
    shell = Interpreter(heard.append, heard.append, options=options)
    shell.run_lines([*GUARD, "set rng mersenne 42", *lines[:-1]])
    heard.clear()
    shell.run(lines[-1])
    return "".join(heard)


def test_position_and_cube() -> None:
    assert said("rollout") == "No position specified and no game in progress.\n"
    text = said("new match 5", "rollout")
    first = text.splitlines()[1]
    assert re.fullmatch(r"Current position( +-?\+?\d\.\d{3}){5}( +[+-]\d\.\d{3}){2} +36", first)
    assert "36 games, seed 7, quasi-random dice" in text
    assert said("new match 5", "rollout") == text
    for lines in (("new match 5", "set output mwc on"), ("new session",)):
        wide = said(*lines, "set output digits 6", "rollout").splitlines()[1]
        assert wide.removeprefix("Current position").split()[7:] == ["36"]
    cube = said("new match 5", "rollout =c")
    assert [line[:12] for line in cube.splitlines()[1:5:2]] == ["No double   ", "Double, take"]
    assert "\nProper cube action: " in cube
    assert "MWC " in said("new match 5", "set output mwc on", "rollout")
    assert said("rollout 4HPMwQCMz+AIIQ").splitlines()[1].startswith("4HPMwQCMz+AIIQ ")


def test_plays() -> None:
    text = said("new match 5", "set dice 31", "rollout =1 =2")
    assert text.splitlines()[1].startswith("8/5 6/5 ")
    assert said("new match 5", "set dice 31", "rollout =17") == "There is no play 17: this roll has 16.\n"
    assert said("new match 5", "rollout =1 =c").startswith("Plays are rolled out alone")
    assert said("rollout nonsense").startswith("'nonsense' is no position ID")


def test_hints_by_rollout() -> None:
    options = Options(rollout=QUICK, evaluation=Evaluation(BY_ROLLOUT, BY_ROLLOUT))
    plays = said("new match 5", "set dice 31", "hint 2", options=options)
    assert plays.startswith("    1. Rollout          8/5 6/5 ")
    assert plays.count("36 games, seed 7, quasi-random dice") == 2
    assert len(re.findall(r"\n      \[0\.\d{3}.* CL +0\.\d{3} CF +0\.\d{3}\]\n", plays)) == 2
    cube = said("new session", "set dice 31", "move 8/5 6/5", "hint", options=options)
    assert "\nRollout cubeless equity" in cube
    assert re.search(r"\nRollout details:\nNo double:\n  0\..*\n \[0\..*\]\nDouble, take:\n  0\..*\n \[0\..*\]\n", cube)


def test_settings() -> None:
    weak = (Eval(plies=1, noise=0.1), Eval(plies=7))
    options = Rollout(
        chequer=weak,
        cube=ZERO,
        filter=(LARGE, LARGE),
        truncation=True,
        truncation_plies=11,
        limit=True,
        limit_minimum=72,
        limit_maxerror=0.02,
        later=True,
        rng=Generator(seed=5),
    )
    found = rollout_settings(options, 1)
    assert [player.plies for player in found.players] == [4, 1]
    assert [player.noise for player in found.players] == [0.0, 0.1]
    assert found.players[0].filter == "large"
    assert (found.seed, found.truncation, found.minimum, found.stop_error, found.stop_jsd) == (5, 11, 72, 0.02, None)
    assert found.later is not None
    assert found.later[0].plies == 0
    assert rollout_settings(Rollout()).seed != rollout_settings(Rollout()).seed
    # Where both stops are set, that of joint standard deviations counts alone.
    both = rollout_settings(replace(options, jsd=True, jsd_minimum=144, jsd_limit=2.0))
    assert (both.minimum, both.stop_error, both.stop_jsd) == (144, None, 2.0)


def test_filters() -> None:
    assert move_filter(LARGE).text == "large"
    assert move_filter((((0, 3, 0.1),),)).text.startswith("0+3@0.1")


def test_whoever_waits_is_told_how_far_it_is(every_report: None) -> None:
    seen: list[Progress] = []
    shell = Interpreter(lambda text: None, lambda text: None)
    shell.progress = seen.append
    cheap = [f"set analysis {kind} evaluation plies 0" for kind in ("chequer", "cube")]
    shell.run_lines([*GUARD, *cheap, "new match 3", "set turn 0", "set dice 3 1", "8/5 6/5", "analyse match"])
    assert seen[-1].done == seen[-1].total
    seen.clear()
    shell.run_lines(["set rollout cubedecision plies 0", "set rollout trials 144", "rollout"])
    assert seen
    assert all(each.total == 144 and each.what == "trials" for each in seen)


def test_a_table_of_plays_fits_a_terminal() -> None:
    rolled = ["set rollout trials 2", "set rollout truncation enable on", "set rollout truncation plies 1"]
    lines = said(*rolled, "new session", "set dice 3 1", "rollout =1 =2").splitlines()
    assert max(map(len, lines[:5])) <= 80
