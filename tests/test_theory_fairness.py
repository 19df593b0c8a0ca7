"""Whether dice are fair: chi-square and its chance, what loaded dice look like, the command."""

from __future__ import annotations

import json
import math
import random

import numpy as np
import pytest

from sixprime.errors import SettingsError
from sixprime.play import SeededDice
from sixprime.play.generators import GENERATORS, throws
from sixprime.theory.fairness import chance_of, fairness


def thrown(seed: int, count: int) -> list[tuple[int, int]]:
    chance = random.Random(seed)
    return [(chance.randint(1, 6), chance.randint(1, 6)) for _ in range(count)]


@pytest.mark.parametrize(
    ("freedom", "statistic", "chance"),
    # From the tables of the distribution.
    [(1, 3.841, 0.05), (1, 6.635, 0.01), (2, 5.991, 0.05), (5, 11.070, 0.05), (5, 1.145, 0.95), (20, 31.410, 0.05),
     (35, 49.802, 0.05), (35, 57.342, 0.01), (11, 19.675, 0.05)],
)  # fmt: skip
def test_chances_of_chi_square(freedom: int, statistic: float, chance: float) -> None:
    assert chance_of(statistic, freedom) == pytest.approx(chance, abs=5e-5)
    assert chance_of(0, freedom) == 1
    assert chance_of(5000, freedom) == pytest.approx(0, abs=1e-300)


def test_fair_dice_are_called_fair_as_often_as_they_should() -> None:
    """One of ten has a chance below 10 %, in every test."""
    low = [0] * 5
    for seed in range(200):
        for place, test in enumerate(fairness(thrown(seed, 400))):
            low[place] += test.chance < 0.1
    for count in low:
        assert abs(count - 20) < 4 * math.sqrt(18)
    assert [test.title for test in fairness(thrown(1, 180), ordered=False)] == [
        "faces",
        "rolls",
        "throws from double to double",
    ]


def test_counts_add_up() -> None:
    dice = thrown(3, 1000)
    for ordered in (True, False):
        faces, pairs, *_ = fairness(dice, ordered=ordered)
        assert (sum(faces.found), sum(pairs.found)) == (2000, 1000)
        assert (faces.freedom, pairs.freedom) == (5, 35 if ordered else 20)
        for test in fairness(dice, ordered=ordered):
            assert len(test.names) == len(test.found) == len(test.expected) == test.freedom + 1
            assert sum(test.found) == pytest.approx(sum(test.expected))
            assert test.statistic == pytest.approx(
                sum(
                    (found - expected) ** 2 / expected
                    for found, expected in zip(test.found, test.expected, strict=True)
                )
            )
    rolls = dict(zip(fairness(dice, ordered=False)[1].names, fairness(dice, ordered=False)[1].found, strict=True))
    assert rolls["31"] == sum(throw in ((3, 1), (1, 3)) for throw in dice)
    assert rolls["44"] == dice.count((4, 4))


@pytest.mark.parametrize(
    ("spoil", "test"),
    [
        (lambda number, dice: (6, dice[1]) if number % 12 == 0 else dice, "faces"),
        (lambda number, dice: (dice[1], dice[1]) if number % 12 == 0 else dice, "throws"),
        (lambda number, dice: (dice[1], dice[1]) if number % 12 < 2 else dice, "throws from double to double"),
        (lambda number, dice: (number % 6 + 1, dice[1]), "following throws"),
        (lambda number, dice: (dice[0], 7 - dice[0] if number % 3 else dice[1]), "runs of high or low dice"),
    ],
)
def test_unfair_dice_are_found(spoil, test: str) -> None:
    dice = [spoil(number, throw) for number, throw in enumerate(thrown(5, 6000))]
    chances = {each.title: each.chance for each in fairness(dice)}
    assert chances[test] < 1e-4


@pytest.mark.parametrize("name", [*GENERATORS, "system"])
def test_our_generators_are_fair(name: str) -> None:
    source = throws(name, 20261123) if name in GENERATORS else None
    dice = [source[number] if source else SeededDice(7).throw(number) for number in range(7200)]
    assert min(test.chance for test in fairness(dice)) > 1e-3


def test_dice_may_be_an_array() -> None:
    dice = thrown(1, 360)
    assert fairness(np.array(dice)) == fairness(dice)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="two numbers from 1 to 6"):
        fairness(np.array(dice) + 1)  # type: ignore[arg-type]


def test_too_few() -> None:
    with pytest.raises(SettingsError, match=r"from 180 throws on\. Got 179"):
        fairness(thrown(1, 179))


# sixprime dice


def test_dice_on_the_command_line(sixprime, tmp_path) -> None:
    assert sixprime("dice", "--rng", "isaac", "--seed", "5", "--count", "6").out == "isaac, seed 5\n63 63 54 11 33 42\n"
    fresh = sixprime("dice", "--rng", "mersenne").out
    title, dice = fresh.splitlines()
    seed = title.removeprefix("mersenne, seed ")
    assert sixprime("dice", "--rng", "mersenne", "--seed", seed).out == fresh
    assert len(dice.split()) == 12
    (tmp_path / "dice").write_text("31 65")
    assert sixprime("dice", "--rng", f"file:{tmp_path / 'dice'}").out == "a list of 2 throws\n31 65\n"
    found = json.loads(
        sixprime("dice", "--rng", "bbs", "--seed", "3", "--modulus", "437", "--count", "2", "--json").out
    )
    assert found == {"dice": "bbs, seed 3, modulus 437", "throws": [[3, 4], [2, 2]]}


def test_checks_on_the_command_line(sixprime) -> None:
    checked = json.loads(sixprime("dice", "--check", "--rng", "md5", "--seed", "1", "--count", "720", "--json").out)
    assert (checked["count"], len(checked["tests"])) == (720, 5)
    assert set(checked["tests"][0]) == {"title", "names", "found", "expected", "statistic", "freedom", "chance"}
    text = sixprime("dice", "--check", "--rng", "bbs", "--seed", "3", "--modulus", "437").out
    assert "hardly fair" in text
    assert all(len(line) <= 80 for line in text.splitlines())


def test_dice_of_recorded_games(sixprime) -> None:
    from sixprime.paths import sample_match

    checked = json.loads(sixprime("dice", str(sample_match()), "--json").out)
    assert [test["title"] for test in checked["tests"]] == ["faces", "rolls", "throws from double to double"]
    assert checked["dice"] == f"{checked['count']} throws of 1 file"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--rng", "lottery"), "--rng must be one of system"),
        (("--rng", "manual"), "thrown by hand cannot be thrown here"),
        (("--rng", "isaac", "--seed", "-1"), "seed must be a whole number from 0"),
        (("--rng", "isaac", "--modulus", "77"), "only --rng bbs has a --modulus"),
        (("--check", "--count", "100"), "from 180 throws on"),
        (("x.mat", "--count", "5"), "not of recorded ones"),
        (("/nowhere.mat",), "nowhere.mat"),
    ],
)
def test_what_cannot_be_thrown(arguments: tuple[str, ...], said: str, sixprime) -> None:
    status, out, err = sixprime("dice", *arguments)
    assert status in (1, 2)
    assert out == ""
    assert said in err
    assert err.count("\n") == 1
