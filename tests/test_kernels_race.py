"""Races beyond the databases: the kernels against slow references and exact distributions."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.bearoff import OneSided, one_sided
from sixprime.errors import DataFileError, SettingsError
from sixprime.kernels import search
from sixprime.kernels.race import NO_RACE_NETS, below, judge_races, outputs_of_many
from sixprime.nets import race
from sixprime.nets.file import from_bytes, to_bytes


def random_lists(rng: np.random.Generator, count: int, points: int, chequers: int = 15) -> NDArray[np.int64]:
    """Lists `int64[count, 25]` of counts on points 1 to `points`, [0] unused."""
    lists = np.zeros((count, 25), dtype=np.int64)
    for counts in lists:
        last = rng.integers(1, points + 1)
        counts[1 : last + 1] = rng.multinomial(rng.integers(1, chequers + 1), rng.dirichlet(np.full(last, 0.7)))
    return lists


def packed(player: NDArray[np.int64], opponent: NDArray[np.int64]) -> NDArray[np.int8]:
    boards = np.zeros((len(player), 2, 25), dtype=np.int8)
    boards[:, 1, :24], boards[:, 0, :24] = player[:, 1:], opponent[:, 1:]
    return kernels.pack(boards)


def test_outputs_are_those_of_the_reference() -> None:
    params = race.load()
    lists = random_lists(np.random.default_rng(1), 300, 24)
    lists[0], lists[0, 24] = 0, 15
    for name in race.NETS:
        found = np.empty((len(lists), race.NETS[name]))
        outputs_of_many(lists, getattr(race.race_nets(), name), found)
        assert found == pytest.approx(race.reference(lists, params[name]), abs=2e-4)


def test_chance_below() -> None:
    # The number of heads of 40 coins has mean 20, variance 10, no third cumulant, and -5 as the fourth.
    chances = [math.comb(40, k) / 2**40 for k in range(41)]
    for k in range(5, 36):
        assert below(k + 0.5, 20.0, 10.0, 0.0, -5.0) == pytest.approx(sum(chances[: k + 1]), abs=2e-5)
    assert below(0.5, 20.0, 0.0, 0.0, 0.0) == 0.0
    assert below(40.5, 20.0, 0.0, 0.0, 0.0) == 1.0


@pytest.fixture(scope="module")
def database() -> OneSided:
    """Of all sides up to the 7 point, some outside home."""
    return OneSided.build(7, 15)


def test_sides_that_are_listed_are_exact(database: OneSided) -> None:
    rng = np.random.default_rng(2)
    boards = packed(random_lists(rng, 300, 7, 5), random_lists(rng, 300, 7, 8))
    found = judge_races(boards, race.race_nets(), one_sided(6, 15).arrays)
    known = database.probabilities(boards)
    assert not np.isnan(known).any()
    assert found == pytest.approx(known, abs=1e-6)


def test_winning_chances_are_close_to_the_database(database: OneSided) -> None:
    rng = np.random.default_rng(3)
    player, opponent = (random_lists(rng, 3000, 7) for _ in range(2))
    outside = (player[:, 7] > 0) | (opponent[:, 7] > 0)
    boards = packed(player[outside], opponent[outside])
    found = judge_races(boards, race.race_nets(), one_sided(6, 15).arrays)
    errors = found[:, 0] - database.probabilities(boards)[:, 0]
    assert math.sqrt(np.mean(errors**2)) < 0.0015
    assert np.abs(errors).max() < 0.02


def test_gammon_chances_are_close_to_the_database(database: OneSided) -> None:
    # One side is nearly done, the other has all its chequers and some of them outside home.
    rng = np.random.default_rng(7)
    ahead, behind = np.zeros((2, 2000, 25), dtype=np.int64)
    for few, many in zip(ahead, behind, strict=True):
        few[1:7] = rng.multinomial(rng.integers(1, 9), np.full(6, 1 / 6))
        many[1:8] = rng.multinomial(14, rng.dirichlet(np.full(7, 0.7)))
        many[7] += 1
    for sides, column in (((ahead, behind), 1), ((behind, ahead), 3)):
        boards = packed(*sides)
        found, known = judge_races(boards, race.race_nets(), one_sided(6, 15).arrays), database.probabilities(boards)
        errors = found[:, column] - known[:, column]
        assert known[:, column].std() > 0.2
        assert math.sqrt(np.mean(errors**2)) < 0.006
        assert np.abs(errors).max() < 0.05


def test_outcomes_are_chances_of_one_game() -> None:
    rng = np.random.default_rng(4)
    border = rng.integers(1, 24, 500)
    sides = [np.array([random_lists(rng, 1, int(b))[0] for b in borders]) for borders in (border, 24 - border)]
    found = judge_races(packed(*sides), race.race_nets(), one_sided(6, 15).arrays)
    win, gammon, backgammon, lost_gammon, lost_backgammon = found.T
    assert np.isfinite(found).all()
    assert found.min() >= 0
    assert found.max() <= 1
    assert (backgammon <= gammon).all()
    assert (gammon <= win).all()
    assert (lost_backgammon <= lost_gammon).all()
    assert (lost_gammon <= 1 - win + 1e-6).all()


def test_backgammons() -> None:
    player, opponent = np.zeros((2, 2, 25), dtype=np.int64)
    # One roll to go; the opponent has all his chequers back, or has just left.
    player[:, 1] = 2
    opponent[0, 24], opponent[1, 18] = 15, 15
    player[:, 1] = 1
    player[0], opponent[0] = 0, 0
    player[0, 1], opponent[0, 23] = 1, 15
    found = judge_races(packed(player, opponent), race.race_nets(), one_sided(6, 15).arrays)
    assert found[0, :3] == pytest.approx([1, 1, 1], abs=1e-5)
    assert found[1, :3] == pytest.approx([1, 1, 0], abs=1e-5)


def test_order_and_batches_change_no_bit() -> None:
    rng = np.random.default_rng(5)
    boards = packed(random_lists(rng, 40, 12), random_lists(rng, 40, 12))
    arrays = one_sided(6, 15).arrays
    together = judge_races(boards, race.race_nets(), arrays)
    alone = np.concatenate([judge_races(board[None], race.race_nets(), arrays) for board in boards[::-1]])[::-1]
    assert np.array_equal(together, alone)


def test_the_search_asks_them() -> None:
    from sixprime.engine import Engine

    engine = Engine(threads=1)
    rng = np.random.default_rng(6)
    boards = packed(random_lists(rng, 50, 12), random_lists(rng, 50, 12))
    outputs, codes = np.empty((50, 5), dtype=np.float32), np.empty(50, dtype=np.int8)
    search.judge(engine.brain, boards, outputs, codes)
    races = codes == search.RACE
    assert races.sum() > 20
    expected = judge_races(boards[races], race.race_nets(), engine.brain.bearoff)
    assert np.array_equal(outputs[races], expected)
    search.judge(replace(engine.brain, races=NO_RACE_NETS), boards, outputs, codes)
    assert not np.array_equal(outputs[races], expected)


def test_files(tmp_path: Path) -> None:
    nets = race.load()
    path = tmp_path / "race.safetensors"
    race.save(path, nets["finish"], nets["first"], "a test")
    again = race.load(path)
    assert all(np.array_equal(again[name].weights, nets[name].weights) for name in race.NETS)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(DataFileError, match="damaged"):
        race.load(path)
    with pytest.raises(DataFileError, match="Cannot read"):
        race.load(tmp_path / "none.safetensors")
    arrays, about = from_bytes(data)
    arrays["first.weights"] = arrays["first.weights"][:-1]
    path.write_bytes(to_bytes(arrays, about))
    with pytest.raises(DataFileError, match=r"first\.weights has shape"):
        race.load(path)
    arrays, about = from_bytes(data)
    arrays["first.weights"] = np.full_like(arrays["first.weights"], np.inf)
    path.write_bytes(to_bytes(arrays, about))
    with pytest.raises(DataFileError, match="not finite"):
        race.load(path)


def test_nets_that_do_not_fit_are_refused() -> None:
    net = race.load()["finish"]
    for changes in (
        {"head": np.zeros((net.mix_bias.size, 20), np.float32)},
        {"head": None},
        {"bias": net.bias[1:]},
        {"straight": net.straight[:9]},
        {"mix": net.mix.T[:-1]},
    ):
        with pytest.raises(SettingsError, match=" must be float32"):
            replace(net, **changes)
    with pytest.raises(SettingsError, match="mix holds values that are not finite numbers"):
        replace(net, mix=net.mix * np.float32(np.nan))
    listed = replace(net, mix=net.mix.tolist()).mix
    assert listed.dtype == np.float32
    assert np.array_equal(listed, net.mix)
