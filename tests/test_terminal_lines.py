"""`sixprime play` as lines of text, through pipes, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sixprime.api import load_analysis
from sixprime.formats import read
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
    assert "> quit\nLeave the table? The game is kept.\n> yes" in said.out
    (journal,) = folder.glob("*.journal")
    assert f"The game is kept: {journal}" in said.err
    # It goes on, and ends again where there are no more lines.
    table = Session.told_of(journal)
    play = table.legal().plays[0]
    again = sixprime("play", "--resume", "--words", stdin=lines(str(play)))
    assert again.status == 0
    assert f"plays {play}." in again.out
    assert "2 on 24, 5 on 13, 3 on 8, 5 on 6." in again.out
    assert len(Session.told_of(journal).game.actions) == 1


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
    assert f"Saved: {match} and {match.with_suffix('.sixprime')}" in said.err
    assert load_analysis(match.with_suffix(".sixprime")).match.games
    assert "PR" in said.out
    nothing = sixprime("play", "--resume")
    assert (nothing.status, nothing.out) == (2, "")
    assert "there is no unfinished game in" in nothing.err


def test_settings_and_options(sixprime: Sixprime) -> None:
    for key, value in (("name", "Zoe"), ("length", 3), ("opponent", "person")):
        change(f"play.{key}", value)
    said = sixprime("play", stdin=b"score\n")
    assert "3-point match, game 1: Zoe and Guest" in said.out
    money = sixprime("play", "--money", "--variant", "nackgammon", "--cube-limit", "1", stdin=b"")
    assert "money session, nackgammon, game 1" in money.out
    assert "64" not in money.out


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
        (("--variant", "chess"), "variant"),
        (("--dice", "loaded?"), "dice"),
        (("--position", "nonsense"), "nonsense"),
        (("--resume", "nothing.journal"), "nothing.journal"),
        (("--tutor-skill", "awful"), "tutor_skill"),
        (("--review",), "--review needs a terminal"),
        (("--home", "up"), "--home"),
    ],
)
def test_what_it_refuses(sixprime: Sixprime, options: tuple[str, ...], problem: str) -> None:
    said = sixprime("play", *options)
    assert said.status in (1, 2)
    assert said.out == ""
    assert problem in said.err
    assert said.err.count("\n") == 1
