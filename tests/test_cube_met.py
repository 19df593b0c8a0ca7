"""Match equity tables: calculators, XML files, tables unlike for both players, the command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sixprime.cube import calculators, met
from sixprime.cube import model as cube_model
from sixprime.cube.met_xg import read_met, write_met
from sixprime.cube.met_xml import open_table, read_xml, write_xml
from sixprime.cube.rows import prepared
from sixprime.cube.state import MONEY, CubeState
from sixprime.errors import InvalidFileError, SettingsError
from sixprime.game.state import MatchState
from sixprime.theory.one_chequer import _one_chequer_model


def test_mec_prints_what_its_author_printed() -> None:
    """C. Tornberg's example of 1996: mec 9 .2 .55, to its three digits."""
    printed = """
        0.550 0.748 0.797 0.869 0.887 0.930 0.941 0.963 0.969
        0.352 0.550 0.653 0.728 0.796 0.849 0.884 0.913 0.934
        0.303 0.461 0.563 0.640 0.715 0.777 0.821 0.860 0.889
        0.215 0.378 0.484 0.563 0.643 0.709 0.762 0.806 0.843
        0.194 0.310 0.412 0.492 0.573 0.642 0.700 0.750 0.793
        0.133 0.245 0.343 0.423 0.506 0.577 0.639 0.693 0.742
        0.118 0.203 0.294 0.368 0.449 0.518 0.582 0.638 0.691
        0.082 0.162 0.245 0.317 0.394 0.463 0.528 0.585 0.640
        0.073 0.134 0.208 0.273 0.346 0.412 0.477 0.535 0.591"""
    rows = np.array([line.split() for line in printed.strip().splitlines()], dtype=float)
    post = np.stack([calculators.post_crawford(0.2, 0.55), calculators.post_crawford(0.2, 0.45)])
    assert calculators.mec(post, 0.2, 0.55)[:9, :9] == pytest.approx(rows, abs=5.001e-4)


def test_mec_makes_the_table_mec26() -> None:
    post = np.stack([calculators.post_crawford(0.26)] * 2)
    assert calculators.mec(post, 0.26)[:25, :25] == pytest.approx(met.load("mec26").pre[:25, :25], abs=5.01e-4)


def test_zadeh_as_the_program_has_it_built_in() -> None:
    """Percentages GNU Backgammon 1.07 shows when it finds no file; from its own file it computes something else."""
    table = met.load("zadeh")
    shown = {
        (1, 2): 68.7500, (1, 3): 75.5625, (1, 7): 91.2213, (2, 3): 60.3017, (2, 5): 74.7389, (3, 4): 57.4482,
        (3, 6): 71.5718, (4, 8): 74.7488, (5, 6): 56.8277, (6, 9): 66.7259, (9, 15): 75.1230, (8, 20): 90.0684,
    }  # fmt: skip
    for (mine, theirs), percent in shown.items():
        assert 100 * table.mwc(mine, theirs) == pytest.approx(percent, abs=6e-5)
    assert table.post[0, :6] == pytest.approx([0.5, 0.485, 0.3125, 0.302875, 0.1796875, 0.174203], abs=1e-6)


def test_cubeless_is_the_published_table() -> None:
    """Some of the 169 numbers of T. Zoidis's table, which has four digits."""
    table = met.load("cubeless")
    published = {
        (1, 2): 0.6774, (1, 13): 0.9988, (2, 3): 0.6547, (2, 9): 0.9701, (3, 5): 0.7280, (4, 4): 0.5, (5, 11): 0.8996,
        (6, 7): 0.5924, (7, 2): 0.0702, (8, 13): 0.8207, (9, 12): 0.7084, (12, 13): 0.5663, (13, 3): 0.0138,
    }  # fmt: skip
    for (mine, theirs), chance in published.items():
        assert table.mwc(mine, theirs) == pytest.approx(chance, abs=5.001e-5)
    assert table.mwc(13, 1, post_crawford=True) == table.mwc(13, 1) == pytest.approx(0.0012, abs=5e-5)


def test_cubeless_games_are_worth_their_outcomes() -> None:
    """Every score but the known ones is the mean over six results of a game, past the end of them too."""
    pre = calculators.cubeless(np.array([0.5, 0.3]), 0.3, 0.1)

    def chance(mine: int, theirs: int) -> float:
        return 1.0 if mine <= 0 else 0.0 if theirs <= 0 else float(pre[mine - 1, theirs - 1])

    assert (chance(1, 1), chance(2, 1), chance(1, 2)) == pytest.approx((0.5, 0.3, 0.7))
    for mine, theirs in ((2, 2), (3, 1), (1, 3), (4, 2), (7, 12), (64, 1), (63, 64)):
        won = 0.7 * chance(mine - 1, theirs) + 0.2 * chance(mine - 2, theirs) + 0.1 * chance(mine - 3, theirs)
        lost = 0.7 * chance(mine, theirs - 1) + 0.2 * chance(mine, theirs - 2) + 0.1 * chance(mine, theirs - 3)
        assert chance(mine, theirs) == pytest.approx((won + lost) / 2)


def test_rates_of_which_there_is_no_table(tmp_path: Path) -> None:
    post = np.stack([calculators.post_crawford()] * 2)
    with pytest.raises(SettingsError, match="nothing depends on who wins"):
        calculators.mec(post, 0.2, 1.0)
    path = tmp_path / "x.xml"
    path.write_text(
        "<met><info><length>25</length></info>"
        '<pre-crawford-table type="mec"><parameters><parameter name="win-rate">1</parameter></parameters>'
        '</pre-crawford-table><post-crawford-table player="both" type="mec"/></met>'
    )
    with pytest.raises(InvalidFileError, match="nothing depends on who wins"):
        read_xml(path)


def test_coin_games() -> None:
    table = met.load("galaxycoin")
    known = {(1, 1): 1 / 2, (1, 3): 5 / 6, (3, 1): 1 / 6, (4, 5): 3 / 5, (16, 15): 15 / 32}
    for (mine, theirs), chance in known.items():
        assert table.mwc(mine, theirs) == pytest.approx(chance)
    assert [table.mwc(away, 1, post_crawford=True) for away in (1, 2, 16)] == pytest.approx([1 / 2, 1 / 4, 1 / 32])


def test_a_calculator_for_a_favourite() -> None:
    post = np.stack([calculators.post_crawford(0.26, 0.55), calculators.post_crawford(0.26, 0.45)])
    pre = calculators.mec(post, 0.26, 0.55)
    other = calculators.mec(post[::-1], 0.26, 0.45)
    assert pre == pytest.approx(1 - other.T, abs=1e-12)
    assert pre[0, 0] < pre[10, 10] < pre[40, 40]


@pytest.mark.parametrize("name", ["kazaross-xg2", "woolsey", "jac100", "zadeh"])
def test_xml_round_trip(name: str, tmp_path: Path) -> None:
    table = met.load(name)
    size = min(table.length, 25)
    write_xml(table, tmp_path / "table.xml", size)
    again = open_table(tmp_path / "table.xml")
    assert (again.name, again.description, again.length) == (table.name, table.description, size)
    assert again.is_symmetric == table.is_symmetric
    assert np.array_equal(again.pre[:size, :size].astype(np.float32), table.pre[:size, :size].astype(np.float32))
    assert np.array_equal(again.post[:, :size].astype(np.float32), table.post[:, :size].astype(np.float32))
    if table.length == size:
        assert np.array_equal(again.pre, table.pre)
        assert np.array_equal(again.post, table.post)


LAST_NUMBERS = {
    "kazaross-xg2": 0.00123, "rockwell-kazaross": 0.00123, "woolsey": 0.01, "snowie": 0.01, "ortega": 0.011,
    "jacobs": 0.001, "jac050": 0.001, "jac100": 0.002,
}  # fmt: skip


@pytest.mark.parametrize("name", LAST_NUMBERS)
def test_the_last_post_crawford_number_is_the_files(name: str) -> None:
    """Where GNU Backgammon has a number of its own; past it both have the same."""
    table = met.load(name)
    n = table.length
    assert table.mwc(n, 1, post_crawford=True) == pytest.approx(LAST_NUMBERS[name], abs=1e-7)
    longer = met.extend_row(table.post[0, : n - 1])
    assert table.post[0, n:] == pytest.approx(longer[n:], abs=1e-7)


def test_the_last_post_crawford_number_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "table.xml"
    for last, wanted in (("", 0.5), ("<me>.45</me>", 0.45), ("<me>.45</me><me>.2</me>", 0.45)):
        path.write_text(GOOD.replace("<row><me>.5</me></row>", f"<row><me>.5</me>{last}</row>"))
        assert read_xml(path).mwc(2, 1, post_crawford=True) == pytest.approx(wanted)


@pytest.mark.parametrize("name", [*met.names(), "file"])
def test_tables_cannot_be_written_to(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file.xml"
    path.write_text(GOOD)
    table = read_xml(path) if name == "file" else met.load(name)
    for each in (table, table.swapped()):
        for array in (each.pre, each.post):
            with pytest.raises(ValueError, match="read-only"):
                array[0, 0] = 0.5


def test_what_is_kept_for_later_cannot_be_written_to() -> None:
    model = _one_chequer_model()
    for array in (prepared(CubeState(1, 0, 7, (3, 5)), met.load(), True), prepared(MONEY, met.load()), *model.tables):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.5
    with pytest.raises(ValueError, match="read-only"):
        model.means[0] = 0.5


PARAMETRIC = """<?xml version="1.0"?><!DOCTYPE met PUBLIC "x" "met.dtd">
<met><info><name>a &amp; b</name><description/><length>-1</length></info>
<pre-crawford-table type="{kind}"><parameters>{pre}</parameters></pre-crawford-table>
<post-crawford-table type="{kind}" player="both"><parameters>{post}
<parameter name="free-drop-2-away">0.015</parameter><parameter name="free-drop-4-away">0.004</parameter>
</parameters></post-crawford-table></met>"""


def test_parametric_files(tmp_path: Path) -> None:
    path = tmp_path / "table.xml"
    path.write_text(PARAMETRIC.format(kind="mec", pre="", post=""))
    table = read_xml(path)
    assert (table.name, table.length) == ("a & b", 64)
    assert np.array_equal(table.pre, met.load("mec").pre)
    path.write_text(PARAMETRIC.format(kind="zadeh", pre="", post=""))
    assert np.array_equal(read_xml(path).pre, met.load("zadeh").pre)
    rate = '<parameter name="win-rate">0.55</parameter>'
    path.write_text(PARAMETRIC.format(kind="mec", pre=rate, post=rate))
    table = read_xml(path)
    assert not table.is_symmetric
    assert table.mwc(1, 1) == pytest.approx(0.55)
    assert table.mwc(2, 1, post_crawford=True) == pytest.approx(0.535)
    assert table.swapped().mwc(2, 1, post_crawford=True) == pytest.approx(0.435)


GOOD = """<met><info><length>2</length></info><pre-crawford-table type="explicit">
<row><me>.5</me><me>.7</me></row><row><me>.3</me><me>.5</me></row></pre-crawford-table>
<post-crawford-table type="explicit" player="both"><row><me>.5</me></row></post-crawford-table></met>"""


def test_small_file(tmp_path: Path) -> None:
    path = tmp_path / "small.xml"
    path.write_text(GOOD)
    table = read_xml(path)
    assert (table.name, table.length) == ("small", 2)
    assert (table.mwc(1, 2), table.mwc(2, 1)) == pytest.approx((0.7, 0.3))
    assert table.mwc(2, 1, post_crawford=True) == pytest.approx(0.5)
    assert 0.5 < table.mwc(2, 3) < 0.7


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("<met>", "<met", "not XML"),
        ("<met>", '<?xml version="1.0" encoding="klingon"?><met>', "not XML"),
        (GOOD, "<html></html>", "expected the element <met>"),
        (GOOD, "<met/>", "<pre-crawford-table> is missing"),
        ("<me>.7</me>", "", "expected 2 rows of 2"),
        ("<me>.7</me>", "<me>1.7</me>", "from 0 to 1 in <me>, found '1.7'"),
        ("<me>.7</me>", "<me>nan</me>", "found 'nan'"),
        ("<length>2</length>", "<length>two</length>", "found 'two'"),
        ("<length>2</length>", "<length>99</length>", "1 to 64"),
        ("<length>2</length>", "<length>3</length>", "expected"),
        ('player="both"', 'player="2"', "found '2'"),
        ('player="both"', 'player="0"', "missing for one player"),
        ('explicit">', 'guess">', "found 'guess'"),
    ],
)
def test_bad_files(old: str, new: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.xml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(InvalidFileError, match=text) as caught:
        read_xml(path)
    assert str(caught.value).startswith(str(path))


def test_unknown_tables_and_sizes(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="nosuch"):
        open_table("nosuch")
    with pytest.raises(FileNotFoundError):
        open_table(tmp_path / "nosuch.xml")
    with pytest.raises(SettingsError, match="2 to 64"):
        write_xml(met.load(), tmp_path / "x.xml", 65)
    (tmp_path / "huge.xml").write_bytes(b" " * (5 << 20))
    with pytest.raises(InvalidFileError, match="larger"):
        read_xml(tmp_path / "huge.xml")


def test_players_unlike() -> None:
    """Player 0 is the favourite, whoever is on roll; both views of a situation add up to 1."""
    table = met.load("jac100")
    for away in ((5, 5), (2, 7), (1, 4)):
        mine = CubeState(length=7, away=away)
        theirs = mine.swapped()
        assert (theirs.player, theirs.swapped()) == (1, mine)
        won, lost = mine.outcomes(table)
        their_won, their_lost = theirs.outcomes(table)
        assert won == pytest.approx([1 - chance for chance in their_lost], abs=2e-3)
        assert lost == pytest.approx([1 - chance for chance in their_won], abs=2e-3)
    even = [0.5, 0.1, 0, 0.1, 0]
    favourite = CubeState.from_match(MatchState(length=7, on_roll=0))
    other = CubeState.from_match(MatchState(length=7, on_roll=1))
    values = [cube_model.cubeful([even], [0.68], [state], table)[0, 0] for state in (favourite, other)]
    assert values[0] > 0.52
    assert sum(values) == pytest.approx(1, abs=2e-3)
    assert CubeState.from_match(MatchState(length=7, on_roll=1), alike=True).player == 0


def test_engine_with_players_unlike() -> None:
    from sixprime.engine import Engine
    from sixprime.game.position import Position

    start = Position.start()
    unlike, alike = Engine(threads=1, met=met.load("jac100")), Engine(threads=1, met=met.load("jacobs"))
    states = [MatchState(length=7, on_roll=player) for player in (0, 1)]
    for plies in (0, 1):
        favourite, other = (unlike.evaluate(start, match=state, plies=plies).mwc for state in states)
        even = alike.evaluate(start, match=states[0], plies=plies).mwc
        assert favourite > even + 0.02 > even - 0.02 > other
    plays = [unlike.best_plays(start, (3, 1), match=state, plies=1, count=1)[0] for state in states]
    assert plays[0].mwc > 0.5 + 0.02 > plays[1].mwc
    assert [cube.available for cube in unlike.cube_many([(start, state) for state in states], plies=0)] == [True, True]
    lucks = unlike.luck_many([(start, (3, 1), state) for state in states])
    assert lucks == pytest.approx([0.2, 0.2], abs=0.1)


def test_command(sixprime, tmp_path: Path) -> None:
    status, out, err = sixprime("met")
    assert (status, err) == (0, "")
    assert "Kazaross" in out
    assert "67.7" in out
    answer = json.loads(sixprime("met", "woolsey", "--size", "7", "--json")[1])
    assert (answer["size"], answer["length"], answer["symmetric"]) == (7, 15, True)
    assert [len(row) for row in answer["pre"]] == [7] * 7
    assert answer["pre"][0][1] == pytest.approx(0.7)
    post = json.loads(sixprime("met", "jac100", "--size", "3", "--post-crawford", "--json")[1])
    assert "pre" not in post
    swapped = json.loads(sixprime("met", "jac100", "--size", "3", "--swap", "--json")[1])
    assert post["post"] == swapped["post"][::-1]
    file = tmp_path / "out.xml"
    assert sixprime("met", "mec", "--size", "9", "--xml", str(file))[0] == 0
    assert json.loads(sixprime("met", str(file), "--json")[1])["length"] == 9
    assert "player 1" in sixprime("met", "jac050", "--size", "20")[1]
    listed = json.loads(sixprime("met", "--list", "--json")[1])["tables"]
    assert [entry["table"] for entry in listed] == list(met.names())
    assert "zadeh" in sixprime("met", "--list")[1]
    for arguments, wanted in (
        (("met", "nosuch"), 2),
        (("met", "--size", "1"), 2),
        (("met", "--list", "mec"), 2),
        (("met", str(tmp_path / "no.xml")), 1),
        (("met", "--xml", str(file / "such.xml")), 1),
    ):
        status, out, err = sixprime(*arguments)
        assert (status, out, err.count("\n")) == (wanted, "", 1), arguments


REAL = """[Current]\r
Name=Kazaross of five\r
Version=1.00\r
Description=Rolled up: 100% of it\r
Copyright=\xa9 2011\r
\r
[Version]\r
current=2.1\r
\r
[PostCrawford]\r
Size=5\r
Data=0.500000 0.48803 0.32264 0.31002 0.19012 \r
\r
[PreCrawford]\r
Size=5  \r
 1=0.50000 0.67736 0.75076 0.81436 0.84179\r
 2=0.32264 0.50000 0.59947 0.66870 0.74359\r
 3=0.24924 0.40053 0.50000 0.57150 0.64795\r
 4=0.18564 0.33130 0.42850 0.50000 0.57732\r
 5=0.15821 0.25641 0.35205 0.42268 0.50000\r
"""
"""A table of eXtreme Gammon as its files have it, with the numbers of its standard table."""


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-8-sig"])
def test_files_of_extreme_gammon(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "five.met"
    path.write_bytes(REAL.encode(encoding))
    table = open_table(path)
    assert (table.name, table.description, table.length) == ("Kazaross of five", "Rolled up: 100% of it", 5)
    known = met.load("kazaross-xg2")
    assert table.pre[:5, :5] == pytest.approx(known.pre[:5, :5], abs=6e-6)
    assert table.post[:, :5] == pytest.approx(known.post[:, :5], abs=6e-6)


@pytest.mark.parametrize("name", ["kazaross-xg2", "woolsey", "snowie"])
def test_files_of_extreme_gammon_written(name: str, tmp_path: Path) -> None:
    table, path = met.load(name), tmp_path / "table.met"
    write_met(table, path)
    again = read_met(path)
    assert (again.name, again.length) == (table.name, table.length)
    assert np.array_equal(again.pre, table.pre)
    assert np.array_equal(again.post, table.post)
    write_met(table, path, 7)
    assert np.array_equal(read_met(path).pre[:7, :7], table.pre[:7, :7])


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("[PreCrawford]", "[Other]", r"expected the section \[PreCrawford\]"),
        ("[Current]", "Current", "no match equity table"),
        ("Size=5  ", "Size=6", "expected 6 chances in row 1 of .PreCrawford., found 5"),
        ("Size=5  ", "Size=70", "1 to 64 points, found '70'"),
        ("0.57732", "1.57732", "numbers from 0 to 1 in row 4 .*, found '1.57732'"),
        ("0.57732", "nan", "found 'nan'"),
        (" 0.31002 0.19012", "", "expected 4 chances in Data of .PostCrawford., found 3"),
        (" 3=", " 8=", "expected 5 chances in row 3 .*, found 0"),
    ],
)
def test_bad_files_of_extreme_gammon(old: str, new: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.met"
    path.write_text(REAL.replace(old, new), encoding="cp1252")
    with pytest.raises(InvalidFileError, match=text) as caught:
        read_met(path)
    assert str(caught.value).startswith(str(path))


def test_tables_of_unlike_players_are_not_written_for_extreme_gammon(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="equal players"):
        write_met(met.load("jac100"), tmp_path / "x.met")
    with pytest.raises(SettingsError, match="2 to 64"):
        write_met(met.load(), tmp_path / "x.met", 65)


@pytest.mark.parametrize(
    ("pre", "post", "reason"),
    [
        (
            np.full((3, 3), 0.5),
            np.zeros((2, 64)),
            r"pre of a match equity table must be a float64 array of shape",
        ),
        (np.full((64, 64), 0.5), None, "post of a match equity table must be a float64 array"),
        (np.full((64, 64), np.nan), np.zeros((2, 64)), "pre of a match equity table must hold chances"),
        (np.full((64, 64), 0.5), np.full((2, 64), 1.5), "post of a match equity table must hold chances"),
    ],
)
def test_own_tables_are_checked(pre: object, post: object, reason: str) -> None:
    with pytest.raises(SettingsError, match=reason):
        met.MatchEquityTable("own", "", "", 64, pre, post)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [met.DEFAULT, "mec", "zadeh", "cubeless", "galaxycoin"])
def test_every_score_has_a_unit_of_equity(name: str) -> None:
    """Winning the cube is worth more than losing it, however far behind one of them is."""
    table = met.load(name)
    for post in (False, True):
        for theirs in range(1, 65):
            for mine, others in ((theirs, 1), (1, theirs), (theirs, 7), (7, theirs)):
                won, lost = table.mwc(mine - 1, others, post), table.mwc(mine, others - 1, post)
                assert won > lost, (mine, others, post)
