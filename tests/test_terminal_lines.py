"""`sixprime play` as lines of text, through pipes, and what it refuses."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sixprime.api import load_analysis
from sixprime.formats import read
from sixprime.game.numbering import action_at
from sixprime.game.position import Position
from sixprime.paths import sample_match
from sixprime.play import Session
from sixprime.settings import change

Sixprime = Callable[..., Any]
RACE = "AQAABAAAAAAAAA:MAEgAAAAAAAE"
"""One chequer each on the ace points, a match to 1."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("SIXPRIME_CONFIG", str(tmp_path / "config"))
    return tmp_path / "data" / "games"


def lines(*texts: str) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


def test_a_game_between_two_people(sixprime: Sixprime, folder: Path) -> None:
    said = sixprime(
        "play", "person", "--dice", "mersenne", "--seed", "5", "--name", "Ann", stdin=lines("moves", "quit", "yes")
    )
    assert said.status == 0
    assert said.out.splitlines()[0] == "7-point match, game 1: Ann and Guest. help lists what can be typed."
    assert "+ 13  14  15  16  17  18 ---- 19  20  21  22  23  24 +" in said.out
    assert "> quit\nLeave the table? The game is kept. leave (y), stay (n), analyse (a).\n> yes\n" in said.out
    (journal,) = folder.glob("*.journal")
    assert f"The game is kept: {journal}" in said.err
    # It goes on, and ends again where there are no more lines.
    table = Session.looked_at(journal).table
    play = table.legal().plays[0]
    again = sixprime("play", "--resume", "--words", stdin=lines(str(play)))
    assert again.status == 0
    assert f"plays {play}." in again.out
    assert "2 on 24, 5 on 13, 3 on 8, 5 on 6." in again.out
    assert len(Session.looked_at(journal).table.game.actions) == 1


def test_to_the_end_with_its_analysis(sixprime: Sixprime, folder: Path) -> None:
    change("analysis.plies", 0)
    options = (
        "--position",
        RACE,
        "--dice",
        "mersenne",
        "--seed",
        "1",
    )
    said = sixprime("play", "expert", *options, stdin=lines("", "1", ""))
    assert said.status == 0
    assert "You win 1 point" in said.out
    (match,) = folder.glob("*.sgf")
    assert read(match).games[0].winner is not None
    assert f"Saved: {match}, {match.with_suffix('.sixprime')} and the library, match 1\n" in said.err
    assert load_analysis(match.with_suffix(".sixprime")).match.games
    assert "PR" in said.out
    nothing = sixprime("play", "--resume")
    assert (nothing.status, nothing.out) == (2, "")
    assert "there is no unfinished game in" in nothing.err


def test_a_rematch(sixprime: Sixprime, folder: Path) -> None:
    options = ("--position", RACE, "--dice", "mersenne", "--seed", "1", "--no-analyse", "--words")
    said = sixprime("play", "person", *options, stdin=lines("1", "score", "r", "resign single", "accept", "q"))
    assert said.status == 0
    assert "You win the match, 1-0. rematch (r), undo (u), help (?), quit (q).\n> score\nScore: You 1" in said.out
    assert "1-point match, game 1: You and Guest. help lists what can be typed." in said.out.partition("> r\n")[2]
    assert "kept" not in said.err
    begun = [Session.looked_at(path) for path in folder.glob("*.journal")]
    assert sorted(str(each.begun.phase.value) for each in begun) == ["opening", "roll"]
    assert all(each.over for each in begun)


def test_a_match_is_played_on(sixprime: Sixprime, tmp_path: Path) -> None:
    match = tmp_path / "m.mat"
    match.write_bytes(sample_match().read_bytes())
    names = [player.name for player in read(match).players]
    said = sixprime("play", "person", "--from", str(match), "--game", "2", "--move", "3:2", "--words", stdin=b"")
    action = read(match).games[1].actions[action_at(read(match), 2, 3, 1)[1]]
    high, low = sorted(action.dice, reverse=True)
    assert f"game 2: {names[0]} and {names[1]}." in said.out
    assert f"{names[1]} has {high}-{low} to play." in said.out
    resumed = sixprime("play", "--resume", "--words", stdin=lines(f"save {tmp_path / 'on.sgf'}"))
    assert resumed.status == 0
    kept = read(tmp_path / "on.sgf")
    assert len(kept.games) == 2
    comment = f"Played on from game 2, move 3: Guest for {names[0]}, You for {names[1]}."
    assert kept.info["comment"] == comment


def test_between_games_it_is_said_how_to_go_on(sixprime: Sixprime) -> None:
    said = sixprime("play", "person", "--dice", "mersenne", "--seed", "5", stdin=lines("resign single", "accept", "n"))
    assert "Guest wins 1 point. next game (n), analyse (a), undo (u), help (?), quit (q).\n> n\nGame 2 at " in said.out


def test_settings_and_options(sixprime: Sixprime) -> None:
    for key, value in (("name", "Zoe"), ("length", 3), ("opponent", "person")):
        change(f"play.{key}", value)
    said = sixprime("play", stdin=b"score\n")
    assert "3-point match, game 1: Zoe and Guest" in said.out
    money = sixprime("play", "--money", "--variant", "nackgammon", "--cube-limit", "1", stdin=b"")
    assert "money session, nackgammon, game 1" in money.out
    assert "64" not in money.out


@pytest.mark.parametrize("loses", [True, False])
def test_whose_time_is_over_loses_or_is_told_so(sixprime: Sixprime, folder: Path, loses: bool) -> None:
    options = ("--reserve", "0.00001", "--dice", "mersenne", "--seed", "1", *(() if loses else ("--no-loses",)))
    said = sixprime("play", "person", *options, "--no-analyse", "--plain", stdin=lines("score", "score"))
    assert "The time of Guest is over" in said.out
    assert ("The time of Guest is over: You win the match" in said.out) is loses
    (journal,) = folder.glob("*.journal")
    session = Session.looked_at(journal)
    assert session.over is loses


def test_how_a_game_that_is_kept_goes_on(sixprime: Sixprime, folder: Path, tmp_path: Path) -> None:
    journal = tmp_path / "odd dir" / "a b.journal"
    journal.parent.mkdir()
    said = sixprime("play", "person", "--journal", str(journal), stdin=lines("quit", "yes"))
    assert f"sixprime play --resume '{journal}' goes on with it." in said.err
    said = sixprime("play", "--resume", str(journal), stdin=lines("quit", "yes"))
    assert f"sixprime play --resume '{journal}' goes on with it." in said.err
    said = sixprime("play", "person", stdin=lines("save g2.mat.x", "quit", "yes"))
    assert "sixprime play --resume goes on with it." in said.err


def test_a_game_whose_file_is_gone_is_not_said_to_be_kept(
    sixprime: Sixprime, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = tmp_path / "x.journal"
    monkeypatch.setattr(Session, "advance", lambda self: journal.unlink(missing_ok=True))
    said = sixprime("play", "person", "--journal", str(journal), stdin=lines("quit", "yes"))
    assert f"The game is lost: {journal} is gone, which kept it." in said.err
    assert "goes on with it" not in said.err


def test_files_are_called_as_they_are(
    sixprime: Sixprime, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g2.mat").write_text("")
    said = sixprime("play", "person", stdin=lines("save g2.mat", "save game", "quit", "yes"))
    assert "'g2.mat' exists already" in said.out
    assert "'game' has no suffix" in said.out


def test_a_list_of_dice_that_has_ended(sixprime: Sixprime, tmp_path: Path) -> None:
    dice, journal = tmp_path / "dice.txt", str(tmp_path / "game.journal")
    dice.write_text("31")
    begun = sixprime("play", "beginner", "--dice", f"file:{dice}", "--journal", journal, stdin=lines("8/5 6/5"))
    assert begun.status != 0
    assert "The list of dice ends after 1 throws." in begun.err
    # What was played is not out of reach.
    again = sixprime("play", "--resume", journal, stdin=lines("undo", "quit", "yes"))
    assert again.status == 0
    assert "The list of dice ends after 1 throws. Another one is needed.\nThe game is kept." in again.out
    assert "Taken back." in again.out
    assert "You have 3-1 to play." in again.out


def test_the_variant_stays_after_a_position(sixprime: Sixprime) -> None:
    begun = Position.start("nackgammon").id
    options = "--variant", "nackgammon", "--position", begun, "--no-roll", "--words"
    said = sixprime("play", "person", *options, stdin=lines("resign s", "accept", "next"))
    assert "money session, nackgammon, game 1" in said.out
    assert said.out.count("2 on 24, 2 on 23, 4 on 13, 3 on 8, 4 on 6.") == 6
    assert "Guest: " in said.out.partition("Game 2")[2]


def test_manual_dice(sixprime: Sixprime) -> None:
    said = sixprime("play", "person", "--dice", "manual", "--home", "left", stdin=lines("31", "8 6", "66"))
    assert "You throw 3, Guest 1. You begin." in said.out
    assert "Type the dice of Guest, such as 31, or double." in said.out
    assert "+ 24  23  22  21  20  19 ---- 18" in said.out


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("nobody",), "a seat is one of"),
        (("--money", "--length", "5"), "go against each other"),
        (("--length", "1000"), "--length"),
        (("--variant", "chess"), "--variant must be one of standard"),
        (("--dice", "loaded?"), "--dice must be one of system"),
        (("--cube-limit", "3"), "--cube-limit must be a power of two"),
        (("--position", "nonsense"), "nonsense"),
        (("--resume", "nothing.journal"), "nothing.journal"),
        (("--resume", __file__), "the journal is damaged or none at all (JSON was expected, found "),
        (("game.journal",), "game.journal is nobody to play against; --resume game.journal opens it"),
        (("it.sixprime",), "--review it.sixprime opens it"),
        (("--tutor-skill", "awful"), "--tutor-skill must be one of doubtful"),
        (("--review",), "--review needs a terminal"),
        (("--home", "up"), "--home"),
        (("--other-side",), "--other-side needs --position"),
        (("--move", "3"), "--move needs --from"),
        (("--from", "none.mat", "--game", "1"), "none.mat"),
        (("--from", "none.mat", "--length", "1"), "--length says nothing for a match that is played on"),
        (("--from", str(sample_match())), f"{sample_match()}: the match is over; name a game"),
        (("--from", str(sample_match()), "--move", "x"), "--move: expected a number from 1"),
        (("m.mat",), "m.mat is nobody to play against; --from m.mat opens it"),
        (("--resume", "--from", "m.mat"), "--from says nothing for a game that goes on"),
        (("--length", "3", "--no-jacoby"), "--jacoby says nothing for a match to 3"),
        (("--length", "3", "--beavers", "1"), "--beavers says nothing for a match to 3"),
        (("--money", "--no-crawford"), "--crawford says nothing for money"),
        (("--dice", "manual", "--seed", "1"), "--seed says nothing for dice from manual"),
        (("--delay", "3"), "--delay needs --reserve or --clock"),
        (
            ("ubgi:./any",),
            "UBGI engines play money games without a cube only: --money --cube-limit 1. This is a match to 7.",
        ),
        (("ubgi:./any", "--money"), "--money --cube-limit 1. This is money with a cube."),
        (("--length", "100"), "Programs play matches with up to 64 points to go. Got 100 instead."),
        (("--no-loses", "--clock"), "--no-loses needs --reserve"),
        (("--resume", "--no-loses"), "--loses says nothing for a game that goes on"),
        (("--review", "--length", "3"), "--length says nothing for a match that is only gone through"),
        (("--review", "--cheat", "1"), "--cheat says nothing for a match that is only gone through"),
        (("--resume", "--length", "3"), "--length says nothing for a game that goes on as it began"),
        (("--resume", "--seed", "3"), "--seed says nothing for a game that goes on as it began"),
        (("--resume", "--clock"), "--clock says nothing for a game that goes on as it began"),
        (("--position", "4HPwATDgc/ABMA", "--length", "3"), "--length says nothing for a position"),
        (("--position", "4HPwATDgc/ABMA", "--money"), "--money says nothing for a position"),
        (("--journal", __file__), f"{__file__} is there already; --resume {__file__} goes on with a game"),
        (("--position", "4HPwATDgc/ABMA", "--cube-limit", "4"), "--cube-limit says nothing for a position"),
        (("--position", "4HPwATDgc/ABMA:cAkAAAAAAAAA", "--no-crawford"), "--crawford says nothing for a position"),
    ],
)
def test_what_it_refuses(sixprime: Sixprime, options: tuple[str, ...], problem: str) -> None:
    said = sixprime("play", *options)
    assert said.status in (1, 2)
    assert said.out == ""
    assert problem in said.err
    assert said.err.count("\n") == 1


def test_a_position_for_money_has_beavers(sixprime: Sixprime) -> None:
    """The settings' match of seven points says nothing of it."""
    options = ("play", "person", "--position", "4HPwATDgc/ABMA", "--dice", "mersenne", "--seed", "1")
    said = sixprime(*options, "--beavers", "1", stdin=lines("double", "beaver", "beaver"))
    assert "Guest beavers to 4: take or pass?" in said.out
    assert "beavers allowed after a double: 1." in said.out
    said = sixprime(*options, stdin=lines("double", "beaver", "beaver"))
    assert "You raccoon to 8: take, raccoon or pass?" in said.out


def test_a_position_may_say_that_there_are_no_beavers(sixprime: Sixprime) -> None:
    options = ("play", "person", "--position", "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:1:0:10")
    said = sixprime(*options, stdin=lines("double", "beaver", "id"))
    assert "beavers allowed after a double: 0." in said.out
    assert ":0:0:1:0:10" in said.out
    change("play.beavers", 2)
    assert "beavers allowed after a double: 0." in sixprime(*options, stdin=lines("double", "beaver")).out
    said = sixprime(*options, "--beavers", "2", stdin=b"")
    assert "--beavers says nothing for a position whose ID says that there are none" in said.err


def test_a_double_may_be_turned_back_many_times(sixprime: Sixprime) -> None:
    options = ("play", "person", "--position", "4HPwATDgc/ABMA", "--beavers", "4")
    said = sixprime(*options, stdin=lines("double", *["beaver"] * 5, "take")).out
    assert "You raccoon to 32: take or pass?" in said
    assert "beavers allowed after a double: 4." in said


def test_the_user_sits_at_the_bottom(sixprime: Sixprime) -> None:
    said = sixprime("play", "person", "--position", "4HPwATDgc/ABMA", "--dice", "mersenne", stdin=b"")
    assert " O Guest: 0, 167 pips\n" in said.out
    assert " X You: 0, 167 pips\n" in said.out


def test_what_happens_by_itself_may_change_when_a_game_goes_on(sixprime: Sixprime, tmp_path: Path) -> None:
    journal = str(tmp_path / "it.journal")
    sixprime("play", "person", "--journal", journal, "--dice", "mersenne", "--seed", "1", stdin=b"")
    said = sixprime("play", "--resume", journal, "--no-roll", "--bear-off", stdin=lines("auto"))
    assert said.out.splitlines()[1] == "You throw 3, Guest 6. Guest begins."
    assert "By itself: roll off, forced off, bearoff on, next off." in said.out


def test_questions_say_what_may_be_answered(sixprime: Sixprime) -> None:
    said = sixprime(
        "play", "beginner", "--length", "3", "--dice", "mersenne", "--seed", "2", "--words",
        stdin=lines("resign", "foo", "n", "resign", "Gammon", "resign", "quit", "leave"),
    ).out  # fmt: skip
    question = "How much do you resign? single game (s), gammon (g), backgammon (b), play on (n)."
    assert said.count(question) == 3
    assert "'foo' says nothing here" in said
    assert "You offer to resign a gammon." in said
    assert "There is nothing to resign now." in said
    assert said.endswith("Leave the table? The game is kept. leave (y), stay (n), analyse (a).\n> leave\n")


def _said(process: subprocess.Popen[bytes], out: int, wanted: bytes) -> bytes:
    """What is said until a text comes."""
    said, end = b"", time.monotonic() + 60
    while wanted not in said:
        assert time.monotonic() < end, said
        assert process.poll() is None, said
        if select.select([out], [], [], 0.1)[0]:
            said += os.read(out, 1 << 16)
    return said


@pytest.mark.skipif(os.name == "nt", reason="needs the signals and terminals of POSIX")
@pytest.mark.parametrize("terminal", [False, True], ids=["pipe", "terminal"])
def test_ctrl_c_keeps_the_game(folder: Path, terminal: bool) -> None:
    command = [sys.executable, "-m", "sixprime", "play", "person", "--plain", "--dice", "mersenne", "--seed", "5"]
    if terminal:
        import fcntl
        import pty
        import termios

        ours, stdin = pty.openpty()
        stdout, heard = stdin, ours
    else:
        stdin, ours = os.pipe()
        heard, stdout = os.pipe()

    def sit_down() -> None:
        if terminal:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    with subprocess.Popen(
        command, stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=sit_down
    ) as process:
        for end in {stdin, stdout}:
            os.close(end)
        try:
            _said(process, heard, b"You have 2-1 to play.")
            os.write(ours, b"13/10\n")
            _said(process, heard, b"Guest")
            if terminal:
                os.write(ours, b"\x03")
            else:
                process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            err = process.stderr.read().decode()
            assert process.wait(30) == 1
        finally:
            process.kill()
            for end in {ours, heard}:
                os.close(end)
    (journal,) = folder.glob("*.journal")
    kept, how, last = err.splitlines()
    assert kept == f"The game is kept: {journal}"
    assert "--resume" in how
    assert last == "sixprime: interrupted"
    assert [str(action.play) for action in Session.looked_at(journal).table.game.actions] == ["13/10"]
