"""Annotations and marks for rollout, through the interpreter."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from test_command_analysing import MATCH, Heard

from sixprime.command.options import Eval, Generator, Rollout, changed
from sixprime.game.record import ActionKind

ZERO = (Eval(plies=0), Eval(plies=0))


def test_annotations() -> None:
    assert Heard()("annotate move bad") == "You must select a move to annotate first.\n"
    say = Heard("first game")
    assert say("annotate move verybad") == "Move marked as very bad.\n"
    assert say("annotate roll unlucky") == "Roll marked as unlucky.\n"
    assert say("annotate cube doubtful") == "Move marked as doubtful.\n"
    assert say("annotate move comment why  not") == "Commentary for this move added.\n"
    action = say.shell.state.coming
    assert action is not None
    [marks] = action.analyses
    assert (marks.play_mark, marks.cube_mark, marks.luck_mark, action.comment) == (3, 1, -1, "why  not")
    for line in ("annotate take bad", "annotate accept clear", "annotate resign doubtful"):
        assert say(line) == "Invalid annotation\n"
    assert say.shell.state.coming == action
    for line in ("annotate clear skill", "annotate roll clear", "annotate clear comment"):
        assert "cleared" in say(line)
    action = say.shell.state.coming
    assert action is not None
    [marks] = action.analyses
    assert (marks.play_mark, marks.cube_mark, marks.luck_mark, action.comment) == (None, None, None, "")


def test_marks_and_their_rollout() -> None:
    say = Heard("first game")
    assert say("cmark move set rollout 1") == "There is no analysed chequer move here. Cannot mark.\n"
    say("analyse match")
    assert say("analyse rollout game") == "Nothing is marked for rollout here (see `help cmark').\n"
    assert say("cmark move set rollout 99").startswith("There is no candidate `99': there are ")
    assert say("cmark move set rollout 1 2 3") == ""
    assert say("cmark move set none 3") == ""
    assert say("cmark move show").count(") marked\n") == 2
    shown = say("cmark move show")
    assert shown.startswith("Move 1\n1 (")
    assert say("cmark game show") == "Game 0\n" + shown
    assert say("cmark match show") == f"Game 1\n{shown}Game 2\nGame 3\nGame 4\n"
    assert say("cmark cube show") == ""
    rollout = Rollout(trials=36, cube=ZERO, rng=Generator(seed=7))
    say.shell.state = replace(say.shell.state, options=changed(say.shell.state.options, "rollout", rollout))
    told = say("analyse rollout move")
    assert told.count("Position ID: ") == 1
    assert told.count("36 games, seed 7, quasi-random dice") == 2
    assert say.shell.state.at == 0
    action = say.shell.state.coming
    assert action is not None
    assert [play.method.trials for play in action.analyses[0].plays[:3]] == [36, 36, 0]
    assert say("cmark game show") == "Game 0\n"
    say("cmark move set rollout 2")
    say("cmark game clear")
    assert "marked" not in say("cmark match show")


def test_marked_rollouts_know_the_players_by_their_seats() -> None:
    say = Heard("first game")
    say("analyse match")
    weak = Rollout(trials=36, cube=ZERO, rng=Generator(seed=7))
    weak = replace(weak, chequer=(Eval(plies=0, noise=0.3), Eval(plies=0)))
    say.shell.state = replace(say.shell.state, options=changed(say.shell.state.options, "rollout", weak))
    equities: dict[int, float] = {}
    while len(equities) < 2:
        action = say.shell.state.coming
        assert action is not None
        if action.kind is ActionKind.MOVE and action.player not in equities:
            say("cmark move set rollout 1")
            say("analyse rollout move")
            rolled = say.shell.state.coming
            assert rolled is not None
            equities[action.player] = rolled.analyses[0].plays[0].value.equity or 0.0
        say("next")
    assert equities[0] < -0.3
    assert equities[1] > 0.3


def test_marks_and_annotations_survive_a_file(tmp_path: Path) -> None:
    say = Heard(f"import auto {MATCH.with_name('gnubg.mat')}", "first game")
    say("analyse game")
    say("next 2")
    marked = [
        *("cmark move set rollout 1 2", "cmark cube set rollout", "annotate roll verylucky", "annotate move bad"),
        *("annotate cube verybad", "annotate move comment hello there"),
    ]
    for line in marked:
        say(line)
    shown = say("cmark match show")
    assert shown.count(" marked\n") == 3
    before = say.shell.state.coming
    say(f"save match {tmp_path / 'kept.sgf'}")
    text = (tmp_path / "kept.sgf").read_text()
    # As GNU Backgammon 1.07 writes them.
    assert "MR[1 2 ]" in text
    assert "CR[]" in text
    assert "GB[2]BM[1]BC[2]" in text
    say("new session")
    assert "marked" not in say("cmark match show")
    # Numbers of candidates that there cannot be mean nothing.
    damaged = text.replace("MR[1 2 ]", f"MR[1 2 0 {'9' * 5000} ² ]")
    (tmp_path / "damaged.sgf").write_text(damaged, encoding="utf-8")
    for name in ("kept.sgf", "damaged.sgf"):
        say(f"load match {tmp_path / name}")
        say("first game")
        say("next 2")
        assert say("cmark match show") == shown
    after = say.shell.state.coming
    assert before is not None
    assert after is not None
    assert after.comment == "hello there"
    [was], [found] = before.analyses, after.analyses
    assert (found.play_mark, found.cube_mark, found.luck_mark) == (was.play_mark, was.cube_mark, was.luck_mark)
    assert (found.play_mark, found.cube_mark, found.luck_mark) == (2, 3, 2)
    say("cmark game clear")
    assert "marked" not in say("cmark match show")
