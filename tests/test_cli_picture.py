"""`sixprime picture`: what is drawn of IDs, files and matches, and what cannot be."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sixprime as sp
from sixprime.paths import sample_match
from sixprime.report import board_svg

START = "4HPwATDgc/ABMA"
XGID = "XGID=-b----E-C---eE---c-e----B-:1:1:1:63:2:4:0:7:10"
Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.mat").write_bytes(sample_match().read_bytes())
    return tmp_path


def drawn(sixprime: Run, *words: str) -> str:
    status, out, err = sixprime("picture", *words)
    assert (status, err) == (0, "")
    return out.removesuffix("\n")


def test_an_id_with_all_options(sixprime: Run) -> None:
    position, state, _ = sp.parse(XGID)
    best, played = (sp.parse_play(text, position, (6, 3)) for text in ("24/15", "24/18 13/10"))
    assert drawn(sixprime, XGID) == board_svg(position, state, theme="light")
    words = ["--play", "24/15", "--played", "24/18 13/10", "--bottom", "1", "--home", "left", "--numbers", "none",
             "--no-pips", "--light", "2", "--theme", "wood", "--width", "300"]  # fmt: skip
    assert drawn(sixprime, XGID, *words) == board_svg(
        position, state, best=best, played=played, bottom=0, bear_off="left", numbers="none", pips=False, light=1,
        theme="wood", width=300,
    )  # fmt: skip


@pytest.mark.parametrize(("bottom", "player"), [("mover", 1), ("opponent", 0), ("1", 0), ("2", 1)])
def test_who_sits_at_the_bottom(sixprime: Run, bottom: str, player: int) -> None:
    position, state, _ = sp.parse(XGID)
    assert drawn(sixprime, XGID, "--bottom", bottom) == board_svg(position, state, bottom=player, theme="light")


def test_a_roll_behind_the_id(sixprime: Run) -> None:
    position = sp.Position.start()
    wanted = board_svg(position, sp.MatchState(dice=(3, 1)), theme="light")
    assert drawn(sixprime, START, "3", "1") == drawn(sixprime, START, "--dice", "31") == wanted


def test_a_move_of_a_match(sixprime: Run) -> None:
    match = sp.read(sample_match())
    for game, move, player in ((1, 1, None), (2, 3, 1), (2, 3, 2)):
        words = ["--game", str(game), "--move", str(move), *(["--player", str(player)] if player else [])]
        found = drawn(sixprime, "m.mat", *words)
        analysed = [a for a in match.games[game - 1].actions if a.play is not None]
        wanted = [a for a in analysed[: 2 * move] if player in (None, a.player + 1)]
        assert found in [board_svg(a.position, a.state, played=a.play, theme="light") for a in wanted]


def test_moves_are_numbered_as_in_reports(sixprime: Run) -> None:
    from sixprime import Engine, analyse

    Path("m.mat").write_bytes(sample_match().read_bytes().partition(b" Game 2")[0])
    match = sp.read("m.mat")
    decisions = analyse(match, Engine(plies=0, threads=1)).games[0].decisions
    for each in [each for each in decisions if each.dice][:12]:
        action = match.games[0].actions[each.action]
        found = drawn(sixprime, "m.mat", "--move", str(each.move_number), "--player", str(each.player + 1))
        assert found == board_svg(action.position, action.state, played=action.play, theme="light")
        place = f"{each.move_number}:{each.player + 1}"
        assert drawn(sixprime, "m.mat", "--move", place) == found
        # An export of that move is the same one.
        asked = ("export", "m.mat", "--game", "1", "--move", place, "--no-analysis", "--no-date", "-o")
        assert sixprime(*asked, "one.txt")[0] == 0
        assert sixprime(*asked, "-").out == Path("one.txt").read_text()
        assert f"Position ID: {action.position.id}" in Path("one.txt").read_text()


def test_a_position_file(sixprime: Run) -> None:
    Path("board.txt").write_text(XGID + "\n")
    position, state, _ = sp.parse(XGID)
    assert drawn(sixprime, "board.txt") == board_svg(position, state, theme="light")


def test_png_has_the_width_asked_for(sixprime: Run) -> None:
    pytest.importorskip("resvg_py")
    status, out, err = sixprime("picture", START, "--width", "321", "--theme", "dark", "-o", "b.png")
    assert (status, out, err) == (0, "", "Picture: b.png\n")
    data = Path("b.png").read_bytes()
    assert data.startswith(b"\x89PNG")
    assert struct.unpack(">I", data[16:20]) == (321,)


def test_graphs_of_a_kept_analysis(sixprime: Run) -> None:
    from made_match import make_match

    from sixprime.api import MatchReport
    from sixprime.report.graphs import GRAPHS

    made = make_match(seed=4, games=1, turns=5)
    MatchReport(*(getattr(made, name) for name in made.__slots__)).save("m.sixprime")
    kept = sp.load_analysis("m.sixprime")
    for name, draw in GRAPHS.items():
        assert drawn(sixprime, "m.sixprime", "--graph", name) == draw(kept).removesuffix("\n")
        linked = drawn(sixprime, "m.sixprime", "--graph", name, "--page", "m.html")
        assert linked == draw(kept, page="m.html").removesuffix("\n")


def test_without_resvg_the_extra_is_named(sixprime: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    status, _, err = sixprime("picture", START, "-o", "b.png")
    assert (status, err) == (2, "sixprime: PNG needs the extra: pip install 'sixprime[png]'\n")
    assert not Path("b.png").exists()


def test_chequers_that_a_game_does_not_have_are_not_off(sixprime: Run) -> None:
    position = sp.Position.start("hypergammon2")
    wanted = board_svg(position, sp.MatchState(), theme="light")
    assert drawn(sixprime, position.id, "--chequers", "2") == wanted
    assert drawn(sixprime, position.id) != wanted


@pytest.mark.parametrize(("words", "status", "said"), [
    (["nonsense"], 1, "is no position ID"),
    ([START, "-o", "b.gif"], 2, "--output writes a file that ends in .svg or .png; b.gif does not"),
    ([START, "-o", "m.mat/b.svg"], 1, "m.mat: a folder was expected, this is a file"),
    ([START, "--theme", "pink"], 2, "--theme is auto, light, dark, wood, blue, colour-blind, print; got 'pink'"),
    ([START, "--play", "8/5 6/5"], 2, "--play needs the roll"),
    ([START, "31", "--play", "8/2"], 1, "no legal play"),
    ([START, "--move", "1"], 2, "--game, --move and --player are for a match file"),
    ([START, "--chequers", "4"], 2, "there are games of 1, 2, 3 and 15 chequers a side"),
    (["m.mat", "--move", "1", "--chequers", "3"], 2, "--chequers is for an ID; what is played in m.mat the file says"),
    (["m.mat"], 2, "name the move to draw with --move"),
    (["m.mat", "--move", "999"], 2, "there is no move 999"),
    (["m.mat", "--move", "2:3"], 2, "--move: expected a number from 1, with :1 or :2"),
    (["m.mat", "--move", "1", "--game", "99"], 2, "there is no game 99"),
    (["m.mat", "--graph", "luck"], 2, "a file that ends in .sixprime, as analyse --save writes it"),
    (["none.sixprime", "--graph", "luck"], 1, "none.sixprime"),
    ([START, "--width", "4"], 2, "--width"),
    ([START, "--bottom", "3"], 2, "--bottom"),
])  # fmt: skip
def test_wrong_words(words: list[str], status: int, said: str, sixprime: Run) -> None:
    found, out, err = sixprime("picture", *words)
    assert found == status, err
    assert said in err
    assert err.count("\n") == 1
    assert out == ""
