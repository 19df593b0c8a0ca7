"""Analyses, statistics and exports, through the interpreter."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from test_command_answering import GUARD

from sixprime import formats
from sixprime.command import Interpreter
from sixprime.command.options import changed

MATCH = Path(__file__).parent / "data" / "mat" / "all_cells.mat"
QUICK = ["set analysis chequer eval plies 0", "set analysis cubedecision eval plies 0", f"import auto {MATCH}"]


class Heard:
    """An interpreter with a match, and what it says."""

    def __init__(self, *lines: str) -> None:
        self.heard: list[str] = []
        self.shell = Interpreter(self.heard.append, self.heard.append)
        self.shell.run_lines([*GUARD, *QUICK, *lines])

    def __call__(self, line: str) -> str:
        self.heard.clear()
        self.shell.run(line)
        return "".join(self.heard)

    def analyses(self) -> list[list[bool]]:
        """Which actions are judged."""
        match = self.shell.state.match
        assert match is not None
        return [[bool(action.analyses) for action in game.actions] for game in match.games]


def row(text: str, label: str) -> list[str]:
    """The players' columns of a row."""
    line = next(line for line in text.splitlines() if line.startswith(label))
    return line[41:].split()


def test_statistics_survive_a_file(tmp_path: Path) -> None:
    say = Heard(f"import auto {MATCH.with_name('gnubg.mat')}")
    # Without analysis there are the plays, and what came of the game.
    before = say("show statistics match")
    assert row(before, "Total moves") == ["105", "107"]
    assert row(before, "Unmarked moves") == ["105", "107"]
    assert row(before, "Actual result") == ["-50.00%", "+50.00%"]
    assert "Luck adjusted" not in before
    assert "         1     33.37%        n/a" in say("show matchresult")
    assert say("analyse match") == ""
    told = say("show statistics match")
    assert row(told, "Total moves") == ["105", "107"]
    assert row(told, "Actual result") == ["-50.00%", "+50.00%"]
    assert row(told, "Overall rating") != row(before, "Overall rating")
    say(f"save match {tmp_path / 'kept.sgf'}")
    say("new session")
    say(f"load match {tmp_path / 'kept.sgf'}")
    again = say("show statistics match")
    assert row(again, "Total moves") == row(told, "Total moves")
    assert row(again, "Overall rating") == row(told, "Overall rating")


def test_illegal_plays_survive_a_file(tmp_path: Path) -> None:
    """A game with a play of which only the result is known counts as before, and goes on."""
    say = Heard()
    say("analyse match")
    told, listed = say("show statistics match"), say("list game")
    say(f"save match {tmp_path / 'kept.sgf'}")
    say("new session")
    say(f"load match {tmp_path / 'kept.sgf'}")
    kept = say("show statistics match")
    number = re.compile(r"[-+]\d+\.\d+")
    assert number.sub("#", kept) == number.sub("#", told)
    # The file's digits may round a sum the other way.
    assert list(map(float, number.findall(kept))) == pytest.approx(list(map(float, number.findall(told))), abs=0.101)
    assert say("list game") == listed


def test_parts() -> None:
    say = Heard("first game")
    game = say.shell.state.game
    assert say("analyse move") == ""
    assert [any(each) for each in say.analyses()] == [number == game for number in range(len(say.analyses()))]
    assert say.analyses()[game].count(True) == 1
    say("analyse game")
    assert say.analyses()[game].count(True) > 1
    say("analyse clear move")
    assert not say.analyses()[game][0]
    say("analyse clear game")
    assert not any(say.analyses()[game])
    say("analyse match")
    say("analyse clear match")
    assert not any(map(any, say.analyses()))
    last = Heard()
    assert last("analyse move") == "Please use `hint' on unfinished moves\n"


def test_what_is_not_to_be_judged() -> None:
    say = Heard()
    say("set analysis player 0 analyse off")
    say("set analysis cubedecision off")
    assert say("analyse match") == ""


JUDGED = Path(__file__).parent / "data" / "sgf" / "analysed.sgf"
LABELS = ("Unforced moves", "Rolls unmarked", "Total cube decisions", "Error total EMG")


def rows(text: str, labels: tuple[str, ...] = LABELS) -> list[list[str]]:
    return [row(text, label) for label in labels]


@pytest.mark.parametrize("what", ["game", "match"])
def test_what_was_known_stays_where_a_player_is_not_judged(what: str) -> None:
    say = Heard(f'load match "{JUDGED}"', f"analyse clear {what}", "first game", f"analyse {what}")
    first = rows(say(f"show statistics {what}"))
    assert int(first[0][1]) >= 15
    say("set analysis player 1 analyse off")
    say(f"analyse {what}")
    assert rows(say(f"show statistics {what}")) == first
    say("analyse move")
    assert rows(say(f"show statistics {what}")) == first


def test_what_was_known_stays_where_a_kind_of_decision_is_not_judged() -> None:
    say = Heard(f'load match "{JUDGED}"', "analyse match")
    told = say("show statistics match")
    for kind in ("moves", "cube", "luck"):
        say(f"set analysis {kind} off")
        say("analyse match")
        assert say("show statistics match") == told
        say(f"set analysis {kind} on")


def test_what_another_program_said_stays_of_a_player_who_is_not_judged() -> None:
    say = Heard(f'load match "{JUDGED}"')
    theirs = rows(say("show statistics match"))
    say("set analysis player 1 analyse off")
    say("analyse match")
    both = rows(say("show statistics match"))
    assert [theirs[0][1], theirs[2][1]] == [both[0][1], both[2][1]]
    assert theirs[1][0] != both[1][0]


def test_what_another_program_said_of_other_games_is_still_told() -> None:
    say = Heard(f'load match "{JUDGED}"', "first game")
    theirs = rows(say("show statistics match"))
    say("analyse game")
    assert rows(say("show statistics match"))[0] == theirs[0]


@pytest.mark.parametrize("what", ["game", "match"])
def test_doubles_of_a_player_who_is_not_judged_do_not_count(what: str, tmp_path: Path) -> None:
    """The other must answer them, so they are looked at."""
    say = Heard(f'load match "{JUDGED}"', "analyse clear match", "first game", "set analysis player 1 analyse off")
    say(f"analyse {what}")
    assert row(say("show statistics game"), "Total cube decisions") == ["36", "0"]
    assert row(say("show statistics game"), "Takes") == ["1", "0"]
    say(f"save match {tmp_path / 'kept.sgf'}")
    say(f"load match {tmp_path / 'kept.sgf'}")
    say("first game")
    assert row(say("show statistics game"), "Total cube decisions") == ["36", "0"]


@pytest.mark.parametrize(
    "form",
    ["match mat", "match snowietxt", "match html", "match text", "session latex", "game gam", "game text", "game ps"],
)
def test_export(tmp_path: Path, form: str) -> None:
    target = tmp_path / f"made.{form.split()[1]}"
    assert Heard()(f"export {form} {target}") == ""
    assert target.stat().st_size > 100


@pytest.mark.parametrize("form", ["text", "html", "svg", "png", "bgonline", "pos", "snowietxt"])
def test_export_position(tmp_path: Path, form: str) -> None:
    target = tmp_path / f"made.{form}"
    assert Heard("new match 5")(f'export position {form} "{target}"') == ""
    assert target.stat().st_size > 50


def test_a_position_is_exported_with_the_dice_that_were_resigned(tmp_path: Path) -> None:
    sides = ["set player 0 human", "set player 1 human", "set automatic game off"]
    say = Heard(*sides, "new match 5", "set turn 0", "set dice 5 3", "roll", "resign normal", "accept")
    assert say("export position snowietxt -").rstrip().endswith(";5;3;")
    say(f"save position {tmp_path / 'kept.sgf'}")
    say(f"load position {tmp_path / 'kept.sgf'}")
    assert "Rolled 53" in say("show board")


def test_the_clipboard() -> None:
    say, copied = Heard("new match 5"), list[str]()
    assert say("copy").startswith("There is no clipboard here")
    assert say("export position bgo2clipboard").startswith("There is no clipboard here")
    say.shell.clipboard = copied.append
    assert say("copy").startswith("The board is in the clipboard")
    assert say("export position bgo2clipboard").startswith("The position is in the clipboard")
    assert "Position ID: 4HPwATDgc/ABMA" in copied[0]
    assert "<table" in copied[1]


def test_exports_read_back(tmp_path: Path) -> None:
    say = Heard()
    say(f"export match mat {tmp_path / 'm.mat'}")
    again = formats.read(tmp_path / "m.mat")
    assert say.shell.state.match is not None
    assert [game.score for game in again.games] == [game.score for game in say.shell.state.match.games]
    say(f"export game gam {tmp_path / 'm.gam'}")
    assert len(formats.read(tmp_path / "m.gam").games) == 1


def test_printed_pages_link_to_no_files(tmp_path: Path) -> None:
    say = Heard()
    assert "<a href" not in say("export match html -")
    say(f"export match html '{tmp_path / 'a #1.html'}'")
    assert 'href="a%20%231_002.html">[Next Game]' in (tmp_path / "a #1.html").read_text()


def test_export_asks_and_refuses(tmp_path: Path) -> None:
    say = Heard()
    assert say("export match text") == "You must specify a file to export to (see `help export match text').\n"
    (tmp_path / "file").touch()
    assert "Not a directory" in say(f"export match mat {tmp_path / 'file' / 'm.mat'}")
    say(f"export htmlimages {tmp_path / 'pieces'}")
    assert len(list((tmp_path / "pieces").glob("*.png"))) > 50
    (tmp_path / "there.txt").write_text("mine")
    say.shell.state = replace(say.shell.state, options=changed(say.shell.state.options, "confirm.default", "no"))
    say(f"export match text {tmp_path / 'there.txt'}")
    assert (tmp_path / "there.txt").read_text() == "mine"
    empty = Interpreter(say.heard.append, say.heard.append)
    say.heard.clear()
    empty.run("export match text x.txt")
    assert say.heard == ["No game in progress (type `new game' to start one).\n"]


def test_all_plays_are_kept_and_as_many_shown_as_is_set(tmp_path: Path) -> None:
    say = Heard(f"import auto {MATCH.with_name('gnubg.mat')}", "first game", "analyse game")
    assert len(re.findall(r"^[* ] +\d+\. Cubeful 0-ply ", say("show board"), re.MULTILINE)) in (10, 11)
    say("set export moves number 30")
    shown = say("show board")
    numbers = [int(number) for number in re.findall(r"^[* ] +(\d+)\. Cubeful 0-ply ", shown, re.MULTILINE)]
    assert numbers == [*range(1, len(numbers) + 1)]
    assert len(numbers) > 10
    say(f"save match {tmp_path / 'kept.sgf'}")
    say(f"load match {tmp_path / 'kept.sgf'}")
    say("first game")
    assert say("show board").count("Cubeful 0-ply") == len(numbers)


def test_a_move_judged_again_in_a_match_of_another_program_is_shown() -> None:
    say = Heard(f"load match {MATCH.parents[1] / 'sgf' / 'rollouts.sgf'}", "first game", "next")
    assert "[GNU Backgammon 1.07.001]" in say("show board")
    say("analyse move")
    again = say("show board")
    assert "[Sixprime" in again
    assert "GNU Backgammon 1.07" not in again.replace("GNU Backgammon  Position", "")
    say("next")
    assert "[GNU Backgammon 1.07.001]" in say("show board")
