"""Names for rates, FIBS ratings, and where marks begin."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from sixprime.analysis.model import PlayerStatistics
from sixprime.analysis.ratings import (
    RatingTable,
    absolute_fibs,
    fibs_chance,
    fibs_change,
    luck_based_fibs,
    luck_name,
    pr_name,
    rating_name,
)
from sixprime.analysis.statistics import total
from sixprime.analysis.thresholds import OLD_THRESHOLDS, Luck, Skill, Thresholds, get_thresholds
from sixprime.errors import SettingsError
from sixprime.report import totals


@pytest.mark.parametrize(
    ("milli", "new", "old"),
    [
        (0.0, "Super Grandmaster", "Supernatural"),
        (1.9, "Super Grandmaster", "Supernatural"),
        (2.9, "Super Grandmaster", "World class"),
        (7.9, "Grandmaster", "Expert"),
        (9.1, "Master", "Advanced"),
        (13.0, "Advanced", "Intermediate"),
        (21.5, "Intermediate", "Casual player"),
        (32.0, "Beginner", "Beginner"),
        (500.0, "Beginner", "Awful!"),
    ],
)
def test_rating_names(milli: float, new: str, old: str) -> None:
    assert rating_name(milli / 1000) == rating_name(milli / 1000, RatingTable.NEW) == new
    assert rating_name(milli / 1000, "old") == old


def test_names_beyond_all_bands() -> None:
    assert (rating_name(math.inf), rating_name(math.inf, "old")) == ("Beginner", "Awful!")
    assert (luck_name(math.inf), luck_name(-math.inf)) == ("Go to Las Vegas", "Go to bed")
    assert pr_name(math.inf) == pr_name(1e9)


def test_unknown_rating_table() -> None:
    with pytest.raises(SettingsError, match="'new' or 'old'"):
        rating_name(0.01, "future")


@pytest.mark.parametrize(
    ("pr", "name"),
    [(0, "World champion"), (2.5, "World class"), (7.4, "Expert"), (12, "Advanced"), (99, "Distracted")],
)
def test_pr_names(pr: float, name: str) -> None:
    assert pr_name(pr) == name


@pytest.mark.parametrize(
    ("milli", "name"),
    [
        (-91.7, "Go to bed"),
        (-33.2, "Bad dice"),
        (-12.6, "None"),
        (4.6, "None"),
        (47.7, "Good dice"),
        (61.3, "Go to Las Vegas"),
    ],
)
def test_luck_names(milli: float, name: str) -> None:
    assert luck_name(milli / 1000) == name


def test_luck_based_fibs() -> None:
    assert luck_based_fibs(-0.029572, 5) == pytest.approx(-46.00, abs=0.005)
    assert luck_based_fibs(0.0, 7) == 0
    assert luck_based_fibs(1e-6 - 0.5, 1) == -2100
    assert luck_based_fibs(0.5, 7) is None
    assert luck_based_fibs(-0.5, 7) is luck_based_fibs(0.6, 7) is luck_based_fibs(0.1, 0) is None


def statistics(chequer: float, unforced: int, cube: float, decisions: int) -> PlayerStatistics:
    return replace(
        total(()),
        chequer_error_total=chequer,
        unforced_moves=unforced,
        cube_error_total=cube,
        cube_decisions=decisions,
    )


def test_absolute_fibs() -> None:
    assert absolute_fibs(statistics(0.0091092, 1, 0, 0), 5).rating == pytest.approx(1923.35, abs=0.01)
    both = absolute_fibs(statistics(0.0019089, 1, 0.0100168, 1), 5)
    assert both.rating == pytest.approx(2015.86, abs=0.01)
    assert (both.chequer_loss, both.cube_loss) == pytest.approx((26.54, 7.60), abs=0.005)
    # Money is a match without end.
    assert absolute_fibs(statistics(0.1, 10, 0.1, 10), 0).rating == pytest.approx(2050 - 87.98 - 8.63)
    assert absolute_fibs(statistics(0, 0, 0, 0), 7, base=2000).rating == 2000


def test_rates() -> None:
    player = statistics(0.3, 20, 0.1, 5)
    assert player.error_total == pytest.approx(0.4)
    assert player.error_per_decision == pytest.approx(0.016)
    assert player.pr == pytest.approx(8.0)
    assert total(()).pr == 0


def test_marks_begin_at_their_threshold() -> None:
    marks = Thresholds()
    errors = (0, 0.0299, 0.03, 0.06, 0.12, 3)
    expected = [Skill.NONE, Skill.NONE, Skill.DOUBTFUL, Skill.BAD, Skill.VERY_BAD, Skill.VERY_BAD]
    assert [marks.skill(error) for error in errors] == expected
    assert OLD_THRESHOLDS.skill(0.07) is Skill.DOUBTFUL
    rolls = (-0.6, -0.3, 0.2, 0.3, 0.6)
    assert [marks.luck(roll) for roll in rolls] == list(Luck)


@pytest.mark.parametrize(
    "wrong",
    [
        *({"bad": 0.02}, {"doubtful": 0.0}, {"lucky": 0.7}, {"close_cube": -0.1}),
        *({"doubtful": "0.01"}, {"close_cube": float("nan")}, {"unlucky": "x"}, {"very_bad": None}),
    ],
)
def test_thresholds_must_rise(wrong: dict[str, Any]) -> None:
    with pytest.raises(SettingsError):
        Thresholds(**wrong)


def test_standard_error_of_the_performance_rating() -> None:
    """Four decisions that lost 0, 0, 0 and 0.2: mean .05, deviation .1, error of the mean .05."""
    player = replace(statistics(0.2, 4, 0, 0), error_squares=0.04)
    assert player.pr_error == pytest.approx(500 * 0.05)
    assert statistics(0.2, 1, 0, 0).pr_error is None
    # Equal losses have none, whatever rounding makes of the squares.
    assert replace(statistics(0.3, 3, 0, 0), error_squares=0.03 - 1e-17).pr_error == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize(
    ("text", "doubtful", "very_bad"),
    [
        ("gnubg", 0.03, 0.12),
        ("gnubg-1.06", 0.04, 0.16),
        ("galaxy", 0.02, 0.08),
        ("xg", 0.02, 0.08),
        (".01,.05,.1", 0.01, 0.1),
    ],
)
def test_thresholds_by_name(text: str, doubtful: float, very_bad: float) -> None:
    marks = get_thresholds(text)
    assert (marks.doubtful, marks.very_bad) == (doubtful, very_bad)


@pytest.mark.parametrize("text", ["", "snowie", "1,2", ".1,.05,.2", "a,b,c", "nan,nan,nan"])
def test_wrong_thresholds(text: str) -> None:
    with pytest.raises(SettingsError, match="must be"):
        get_thresholds(text)


def test_a_rating_of_few_decisions_is_not_said() -> None:
    none = total([])
    few, enough = (replace(none, moves=count, unforced_moves=count, chequer_error_total=0.1) for count in (19, 20))
    assert totals.fibs_estimate(none, 7) == "-"
    assert totals.fibs_estimate(few, 7) == "too few decisions"
    assert totals.fibs_estimate(enough, 7) == f"{absolute_fibs(enough, 7).rating:.0f}"
    rows = dict(totals.statistics_table((few, enough), 7))
    assert rows["Estimated FIBS rating"] == ("too few decisions", f"{absolute_fibs(enough, 7).rating:.1f}")
    assert rows["Lost of it by the cube"] == ("too few decisions", "0.0")


@pytest.mark.parametrize("length", [1, 5, 25])
@pytest.mark.parametrize("ratings", [(1500.0, 1500.0), (1700.0, 1600.0), (1423.5, 1888.25)])
@pytest.mark.parametrize("experience", [0, 133, 399, 400, 12_345])
def test_fibs_changes_are_those_of_the_server(ratings: tuple[float, float], length: int, experience: int) -> None:
    """As `help formula` of FIBS puts it: by who is the favourite and who has won."""
    mine, theirs = ratings
    upset = 1 / (10 ** (abs(mine - theirs) * math.sqrt(length) / 2000) + 1)
    k = max(1, -experience / 100 + 5)
    for won in (True, False):
        underdog_won = won == (mine < theirs)
        p = 1 - upset if underdog_won else upset
        change = fibs_change(mine, theirs, length, won=won, experience=experience)
        assert change == pytest.approx((1 if won else -1) * 4 * k * math.sqrt(length) * p)
    assert fibs_chance(mine, theirs, length) + fibs_chance(theirs, mine, length) == pytest.approx(1)


def test_fibs_by_hand() -> None:
    # Equal players: 4 x sqrt(9) / 2; a beginner's rating moves five times as fast.
    assert fibs_change(1500, 1500, 9, won=True) == pytest.approx(6)
    assert fibs_change(1500, 1500, 9, won=False, experience=0) == pytest.approx(-30)
    assert fibs_change(1500, 1500, 9, won=True, experience=250) == pytest.approx(15)
    # 1000 points more in a match of 4 are 10 to 1.
    assert fibs_chance(2000, 1000, 4) == pytest.approx(10 / 11)
    # What luck_based_fibs makes of the chance is the difference again.
    assert luck_based_fibs(fibs_chance(1700, 1600, 7) - 0.5, 7) == pytest.approx(100)


def test_settled_ratings_keep_their_sum() -> None:
    won, lost = fibs_change(1812, 1640, 11, won=True), fibs_change(1640, 1812, 11, won=False)
    assert won == pytest.approx(-lost)


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        ((-1, 1500, 7), "rating must be a number from 0 to 10000"),
        ((1500, math.nan, 7), "opponent must be a number"),
        ((1500, 1500, 0), "length must be a whole number from 1 to 1000"),
        ((1500, 1500, 7.5), "length must be a whole number"),
        (("many", 1500, 7), "rating must be a number"),
    ],
)
def test_what_no_ratings_are(arguments: tuple[float, float, int], hint: str) -> None:
    with pytest.raises(SettingsError, match=hint):
        fibs_chance(*arguments)
    with pytest.raises(SettingsError, match=hint):
        fibs_change(*arguments, won=True)
    with pytest.raises(SettingsError, match="experience"):
        fibs_change(1500, 1500, 7, won=True, experience=-1)


def test_rating_command(sixprime) -> None:
    status, out, err = sixprime("rating", "1650", "1800", "7", "--experience", "120", "2000", "--json")
    assert (status, err) == (0, "")
    answer = json.loads(out)
    first, second = answer["players"]
    assert (answer["length"], first["experience"], second["rating"]) == (7, 120, 1800.0)
    assert first["win"] == fibs_chance(1650, 1800, 7)
    assert first["after_win"] == 1650 + fibs_change(1650, 1800, 7, won=True, experience=120)
    assert second["after_loss"] == 1800 + fibs_change(1800, 1650, 7, won=False, experience=2000)
    for arguments in (
        ("1650", "1800"),
        ("1650", "x", "7"),
        ("1650", "nan", "7"),
        ("1650", "1800", "0"),
        ("1650", "1800", "7.5"),
        ("1650", "1800", "7", "--experience", "5"),
        ("1650", "1800", "7", "--experience", "-1", "5"),
    ):
        status, out, err = sixprime("rating", *arguments)
        assert (status, out, err.count("\n")) == (2, "", 1), arguments
