"""Race counts, the one-chequer model and `sixprime race`."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sides import side

from sixprime.bearoff import Databases
from sixprime.bearoff.side import pip_count
from sixprime.engine import Engine
from sixprime.errors import InvalidPositionError
from sixprime.game.position import Position
from sixprime.theory import Verdict, race_counts, race_theory
from sixprime.theory import race_counts as counts_of
from sixprime.theory.one_chequer import _one_chequer_model, one_chequer
from sixprime.theory.race import check_race, race_side
from sixprime.theory.race_counts import all_counts, kleinman, kleinman_metric, last_take, trice, ward

DATA = Path(__file__).parent / "data" / "race_counts.jsonl"
REFDATA = os.environ.get("SIXPRIME_REFDATA")

VERDICTS = {
    "No Double, Take": Verdict.NO_DOUBLE,
    "Double, Take": Verdict.DOUBLE,
    "Redouble, Take": Verdict.REDOUBLE,
    "Double, Drop": Verdict.PASS,
}
# GNU Backgammon exchanges the labels of 8 to 9 and of 9 to 12 per cent.
PER_CENT = {
    "NoDouble (8 percent > ahead)": Verdict.NO_DOUBLE,
    "Redouble, Take (12 percent > ahead > 8 percent)": Verdict.DOUBLE,
    "Double, Take (12 percent > ahead > 9 percent)": Verdict.REDOUBLE,
    "Double, Drop (ahead > 12 percent)": Verdict.PASS,
}


def verdict(text: str) -> Verdict:
    return VERDICTS[text.split(" (")[0]]


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def check_row(row: dict[str, Any]) -> None:
    opponent, player = row["board"]
    position = Position(tuple(opponent), tuple(player))
    assert position.id == row["position_id"]
    assert [pip_count(player), pip_count(opponent)] == row["pips"]
    found = {count.name: count for count in race_counts(position)}
    keith, thorp, isight = found["Keith"], found["Thorp"], found["Isight"]
    assert keith.player == row["keith"]["leader"]
    assert keith.adjusted == pytest.approx(row["keith"]["L"], abs=0.0501)
    assert keith.opponent == row["keith"]["T"]
    assert keith.verdict is verdict(row["keith"]["verdict"])
    assert thorp.player == row["thorp"]["leader"]
    assert thorp.adjusted == pytest.approx(row["thorp"]["L"], abs=0.0501)
    assert thorp.opponent == row["thorp"]["T"]
    assert thorp.verdict is verdict(row["thorp"]["verdict"])
    assert (isight.player, isight.opponent) == (row["isight"]["L"], row["isight"]["T"])
    assert isight.verdict is verdict(row["isight"]["verdict"])
    gwc = 80 - isight.player / 3 + 2 * (isight.opponent - isight.player)
    assert gwc == pytest.approx(row["isight"]["gwc"], abs=0.0501)
    assert isight.win == pytest.approx(min(1.0, max(0.0, gwc / 100)))
    assert found["8-9-12"].verdict is PER_CENT[row["r8912"]["text"][1]]
    metric = row["kleinman"]["K"]
    assert kleinman_metric(player, opponent) == pytest.approx(metric, rel=6e-4, abs=6e-5)
    assert found["Kleinman"].win == pytest.approx(row["kleinman"]["cubeless_wc"], abs=6e-5)


@pytest.mark.parametrize("row", rows(DATA), ids=lambda row: row["position_id"])
def test_counts(row: dict[str, Any]) -> None:
    check_row(row)


@pytest.mark.skipif(not REFDATA, reason="SIXPRIME_REFDATA is not set")
def test_all_counts() -> None:
    checked = rows(Path(str(REFDATA)) / "race_counts.jsonl")
    for row in checked:
        check_row(row)
    assert len(checked) >= 125


@pytest.mark.skipif(not REFDATA, reason="SIXPRIME_REFDATA is not set")
def test_counts_of_the_text_reports() -> None:
    report = json.loads((Path(str(REFDATA)) / "race_theory_gnubg107.json").read_text())
    for row in report["rows"]:
        found = {count.name: count for count in all_counts(row["roller_board"], row["opp_board"])}
        assert (pip_count(row["roller_board"]), pip_count(row["opp_board"])) == (row["pips_roll"], row["pips_opp"])
        for name in ("keith", "thorp"):
            count = found[name.capitalize()]
            assert (count.player, count.opponent) == (row[name]["leader"], row[name]["trailer"])
            assert count.adjusted == pytest.approx(row[name]["leader_adj"], abs=0.0501)
        assert (found["Isight"].player, found["Isight"].opponent) == (row["isight"]["leader"], row["isight"]["trailer"])
        assert found["Isight"].verdict is verdict(row["isight"]["text"])
        assert found["Thorp"].verdict is verdict(row["thorp"]["text"])
        assert found["Kleinman"].win == pytest.approx(row["kleinman"]["gwc"], abs=6e-4)


def test_one_chequer_is_no_farther_than_all_on_the_last_point() -> None:
    assert (one_chequer(1000.0, 0.0).player, one_chequer(0.0, 1000.0).opponent) == (360, 360)


@pytest.mark.parametrize(("mine", "expected"), [(30, 3), (61, 8), (62, 8), (63, 8), (70, 8), (71, 9), (100, 11)])
def test_last_take_of_rule_62(mine: int, expected: int) -> None:
    assert last_take(mine) == expected


@pytest.mark.parametrize(
    ("lead", "expected"),
    [(7, Verdict.NO_DOUBLE), (8, Verdict.DOUBLE), (9, Verdict.REDOUBLE), (11, Verdict.REDOUBLE), (12, Verdict.PASS)],
)
def test_trice(lead: int, expected: Verdict) -> None:
    player = side(p10=10)
    opponent = side(p10=10, **{f"p{lead}": 1}) if lead != 10 else side(p10=11)
    assert pip_count(opponent) - pip_count(player) == lead
    assert trice(player, opponent).verdict is expected


def test_ward_adds_what_is_extra() -> None:
    # 61 pips; the third ace point chequer 2, the third on the two 1; 2 chequers more 4; 2 outside more 1; one more
    # home point held 1 less.
    player = side(p1=3, p2=3, p3=1, p6=4, p7=2, p11=1)
    opponent = side(p5=6, p6=6)
    count = ward(player, opponent)
    assert pip_count(player) == 61
    assert count.player == 61 + 2 + 1 - 2 + 2 * 2 + 3 * 0.5
    assert count.opponent == pip_count(opponent)
    assert count.adjusted == pytest.approx(1.1 * count.player)


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (107, Verdict.NO_DOUBLE),
        (108, Verdict.DOUBLE),
        (109, Verdict.REDOUBLE),
        (114, Verdict.REDOUBLE),
        (115, Verdict.PASS),
    ],
)
def test_ward_verdicts(other: int, expected: Verdict) -> None:
    # Ten chequers outside and none at home on both sides: nothing to adjust, 100 becomes 110.
    player, opponent = side(p10=10), [0] * 25
    opponent[9], opponent[9 + other - 100] = 9, 1
    assert pip_count(opponent) == other
    assert ward(player, opponent).verdict is expected


def test_kleinman_without_a_metric() -> None:
    assert kleinman(side(p1=1), side(p3=1)).verdict is None
    with pytest.raises(ValueError, match="more than 4 pips"):
        kleinman_metric(side(p2=1), side(p2=1))


def solve_one_chequer(mine: int, theirs: int) -> tuple[float, float]:
    """Winning chance and equity with a centred cube, before doubling, by plain recursion."""
    from functools import cache

    rolls = [(a + b) * (2 if a == b else 1) for a in range(1, 7) for b in range(1, 7)]

    @cache
    def win(mine: int, theirs: int) -> float:
        return sum(1.0 if roll >= mine else 1 - win(theirs, mine - roll) for roll in rolls) / 36

    @cache
    def equity(mine: int, theirs: int, owner: int) -> float:
        """Before the roll, cube at 1 not turned; owner 1: I may double, 0 both, -1 he."""
        total = 0.0
        for roll in rolls:
            if roll >= mine:
                total += 1.0
            else:
                total -= best(theirs, mine - roll, -owner)
        return total / 36

    @cache
    def best(mine: int, theirs: int, owner: int) -> float:
        keep = equity(mine, theirs, owner)
        return keep if owner < 0 else max(keep, min(1.0, 2 * equity(mine, theirs, -1)))

    return win(mine, theirs), equity(mine, theirs, 0)


@pytest.mark.parametrize(("mine", "theirs"), [(1, 30), (8, 5), (13, 13), (25, 28)])
def test_one_chequer_model(mine: int, theirs: int) -> None:
    win, centred, _, _ = _one_chequer_model().tables[:, mine, theirs]
    assert (win, centred) == pytest.approx(solve_one_chequer(mine, theirs), abs=1e-12)


def test_one_chequer_verdicts_follow_the_lead() -> None:
    means = _one_chequer_model().means
    verdicts = [one_chequer(means[100], means[theirs]).verdict for theirs in range(100, 125)]
    order = [*Verdict]
    places = [order.index(verdict) for verdict in verdicts if verdict]
    assert places == sorted(places)
    assert set(verdicts) == set(Verdict)
    assert {one_chequer(means[10], means[theirs]).verdict for theirs in range(40, 361, 40)} == {Verdict.PASS}


@pytest.mark.parametrize(
    ("player", "opponent", "text"),
    [
        (side(p14=1), side(p12=1), "no race"),
        (side(p25=1), side(p1=1), "no race"),
        (side(p1=1), side(), "over"),
        (side(p6=16), side(p6=1), "a side has 16 chequers, more than the 15 of the game"),
    ],
)
def test_what_is_no_race(player: tuple[int, ...], opponent: tuple[int, ...], text: str) -> None:
    with pytest.raises(InvalidPositionError, match=text):
        check_race(Position(opponent, player))


def test_a_race_at_the_border() -> None:
    check_race(Position(side(p12=1), side(p12=1)))
    assert len(counts_of(Position(side(p12=1), side(p12=1)))) == 7


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1, plies=0, databases=Databases.standard())


def test_theory(engine: Engine) -> None:
    exact = race_theory(engine, Position.from_id("sgMAgNYNAAAAAA"))
    assert exact.exact
    assert exact.player.exact
    assert exact.player.epc == pytest.approx(39.997, abs=6e-4)
    assert exact.opponent.wastage == pytest.approx(7.496, abs=6e-4)
    estimated = race_theory(engine, Position.from_id("Xes6AABuuzUAAA"))
    assert not estimated.exact
    assert [count.name for count in estimated.counts][-1] == "One chequer"
    # What the database of 15 chequers on 8 points says.
    assert estimated.player.epc == pytest.approx(79.42, abs=0.3)
    assert estimated.opponent.epc == pytest.approx(82.54, abs=0.3)


def test_sides_behind_the_last_database(engine: Engine) -> None:
    found = race_side(engine, side(p23=15))
    assert not found.exact
    assert found.pips == 345
    assert 5 < found.wastage < 12
    assert np.isfinite(found.sd)
    assert found == race_side(engine, np.array([0] * 22 + [15], dtype=np.int8))  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [[16], [-1], [0] * 24 + [2], [0] * 30 + [2], None, "abc", [1.5], [0] * 22 + [16]])
def test_what_is_no_side_is_refused(engine: Engine, wrong: object) -> None:
    """Kernels read as many counts as a side has points."""
    with pytest.raises(InvalidPositionError, match=r"a side of up to 15 chequers on 24 points|must be a list of whole"):
        race_side(engine, wrong)  # type: ignore[arg-type]


Run = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]


@pytest.mark.parametrize(
    ("arguments", "status", "text"),
    [
        (["4HPwATDgc/ABMA"], 1, "is no race"),
        (["nonsense"], 1, "nonsense"),
        ([], 2, "id"),
        (["rbTZAQDt0aIDAA", "--plies", "9"], 2, "plies"),
    ],
)
def test_wrong_use(arguments: list[str], status: int, text: str, run_with_input: Run) -> None:
    result = run_with_input(["race", *arguments])
    assert result.returncode == status
    assert text in result.stderr.lower()
    assert "Traceback" not in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_command(run_with_input: Run) -> None:
    arguments = ["race", "rbTZAQDt0aIDAA", "--plies", "0"]
    shown = run_with_input(arguments)
    assert shown.returncode == 0, shown.stderr
    for name in ("Keith", "Kleinman", "Thorp", "Ward", "Trice", "Isight", "8-9-12", "One chequer", "EPC"):
        assert name in shown.stdout
    answer = json.loads(run_with_input([*arguments, "--json"]).stdout)
    assert answer["player"]["pips"] == 92
    assert answer["opponent"]["pips"] == 101
    assert answer["class"] == "race"
    assert not answer["exact"]
    assert answer["counts"][0]["verdict"] in {verdict.value for verdict in Verdict}
    assert answer["cube"]["action"]


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        (61, 65, Verdict.NO_DOUBLE),
        (71, 76, Verdict.DOUBLE),
        (61, 66, Verdict.DOUBLE),
        (70, 76, Verdict.REDOUBLE),
        (61, 69, Verdict.REDOUBLE),
        (67, 76, Verdict.PASS),
    ],
)
def test_kleinman_says_what_to_do(mine: int, theirs: int, expected: Verdict) -> None:
    """Just below and above 70, 72 and 78 %."""
    one, other = (side(p1=pips - 10 * (pips // 10), p10=pips // 10) for pips in (mine, theirs))
    assert kleinman(one, other).verdict is expected
