"""The nets of races: lessons against databases that know better, and a run from nothing to a file."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sixprime.bearoff import OneSided
from sixprime.kernels.race import CUMULANTS, HOME, LONGEST, POINTS
from sixprime.kernels.race_alone import CHANCES, WIDTH, judge_lists, means_of, play_alone
from sixprime.nets import race
from sixprime.train import race_lessons
from sixprime.train.race_lessons import random_lists, wanted

CHEQUERS = 5


def _values(lists: np.ndarray, first: bool, database: OneSided) -> np.ndarray:
    values = np.zeros((len(lists), WIDTH))
    judge_lists(lists.astype(np.int64), first, database.arrays, values)
    return values


def test_values_within_a_database() -> None:
    database = OneSided.build(8, CHEQUERS)
    lists = np.zeros((2, POINTS + 1), dtype=np.int8)
    lists[0, [1, 4, 8]] = 2, 2, 1
    lists[1, [1, 2]] = 1, 1
    rolls = np.arange(LONGEST)
    for first in (False, True):
        for counts, value in zip(lists, _values(lists, first, database), strict=True):
            side = database.side(counts[1:].tolist())
            chances = side.gammon_distribution if first else side.distribution
            mean = chances @ rolls
            second, third, fourth = (chances @ (rolls - mean) ** k for k in (2, 3, 4))
            assert value[:CUMULANTS] == pytest.approx([mean, second, third, fourth - 3 * second**2], abs=1e-9)
            assert value[CUMULANTS:] == pytest.approx([chances[k + 1 :].sum() for k in range(8)], abs=1e-9)


@pytest.mark.parametrize("first", [False, True])
def test_lists_behind_a_database_are_judged_without_bias(first: bool) -> None:
    small, large = OneSided.build(11, CHEQUERS), OneSided.build(15, CHEQUERS)
    rng = np.random.default_rng(1)
    starts = np.zeros((800, POINTS + 1), dtype=np.int64)
    for counts in starts:
        counts[15] = 1
        counts[1:16] += rng.multinomial(CHEQUERS - 1, np.full(15, 1 / 15))
    rolls = rng.choice(21, p=CHANCES, size=(len(starts), LONGEST))
    lists = np.zeros((len(starts) * LONGEST, POINTS + 1), dtype=np.int8)
    values = np.zeros((len(lists), WIDTH))
    kept = play_alone(starts.copy(), rolls, first, small.arrays, means_of(small.arrays), lists, values)
    lists, values = lists[:kept], values[:kept]
    behind = lists[:, 12:].any(1)
    assert lists[:, HOME + 1 :].any(1).all()
    assert behind.sum() > 1000
    errors = values[behind] - _values(lists[behind], first, large)
    # Play by the small database costs next to nothing, and the noise is far below what rolls vary.
    assert np.abs(errors.mean(0)[:2]).max() < 0.03
    assert np.abs(errors[:, CUMULANTS:].mean(0)).max() < 0.01
    assert errors[:, 0].std() < (0.1 if first else 0.03)


def test_random_lists() -> None:
    rng = np.random.default_rng(2)
    lists = random_lists(rng, 2000, 7, 11)
    assert not lists[:, 0].any()
    assert not lists[:, 12:].any()
    assert lists[:, 7:].any(1).all()
    assert 0.5 < (lists.sum(1) == 15).mean() < 0.8
    assert lists.sum(1).max() == 15
    assert (random_lists(rng, 100, 12, 24, 15).sum(1) == 15).all()
    few = np.zeros((3, POINTS + 1), dtype=np.int8)
    few[0, 18], few[1, 19], few[2, [10, 11]] = 5, 5, (7, 1)
    assert wanted(few).tolist() == [False, True, True]


@pytest.mark.parametrize("name", race.NETS)
def test_lessons(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the database holds is exact, what lies behind it was met in games; both are what the net may be asked."""
    monkeypatch.setattr(race_lessons, "REACH", 7)
    database = OneSided.build(7, 15)
    near = race_lessons.near_lessons(np.random.default_rng(1), 200, name, database)
    far = race_lessons.far_lessons(np.random.default_rng(1), 200, name, database)
    for lessons in (near, far):
        assert lessons.known.shape == (len(lessons.lists), race.NETS[name])
        assert wanted(lessons.lists).all()
        within = ~lessons.lists[:, 8:].any(1)
        values = _values(lessons.lists[within], name == "first", database)
        outputs = [k for k in range(WIDTH) if k != CUMULANTS][: race.NETS[name]]
        assert np.array_equal(lessons.known[within], values[:, outputs].astype(np.float32))
    assert len(near.lists) == 200
    assert 0 < (within.sum()) < len(far.lists)
    far.save(tmp_path / "far.npz")
    again = race_lessons.Lessons.load(tmp_path / "far.npz")
    assert np.array_equal(again.lists, far.lists)
    assert np.array_equal(again.known, far.known)
    for place, counts in ((0, [16, 0]), (1, [3, -1])):
        wrong = far.lists.copy()
        wrong[place, 1:3] = counts
        race_lessons.Lessons(wrong, far.known).save(tmp_path / "wrong.npz")
        with pytest.raises(ValueError, match="more than 15 chequers, or less than none"):
            race_lessons.Lessons.load(tmp_path / "wrong.npz")


def test_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    from sixprime.train import races

    for module in (races, race_lessons):
        monkeypatch.setattr(module, "REACH", 7)
    plan = races.Plan(near=3000, far=300, finish=(8, 4), first=(8, 4), steps=150, batch=256)
    said: list[str] = []
    races.make_nets(tmp_path / "run", tmp_path / "once.safetensors", plan, said.append)
    assert not (tmp_path / "run" / "building").exists()
    races.make_nets(tmp_path / "run", tmp_path / "twice.safetensors", plan, said.append)
    once, twice = (race.load(tmp_path / f"{name}.safetensors") for name in ("once", "twice"))
    for name in race.NETS:
        for field in race._FIELDS:
            assert np.array_equal(getattr(once[name], field), getattr(twice[name], field))
    assert sum(text.startswith("Building") for text in said) == 1
    # Another plan has lessons of its own.
    other = replace(plan, seed=2, near=2000, steps=1)
    for folder in ("run", "fresh"):
        races.make_nets(tmp_path / folder, tmp_path / f"{folder}.safetensors", other, said.append)
    made, fresh = ((tmp_path / f"{folder}.safetensors").read_bytes() for folder in ("run", "fresh"))
    assert made == fresh
    lists = random_lists(np.random.default_rng(3), 500, 7, 7, 15)
    truth = _values(lists, False, OneSided.open(tmp_path / "run" / "one-sided-15x7.bearoff", 7, 15))
    errors = race.reference(lists, once["finish"])[:, 0] - truth[:, 0]
    assert np.sqrt(np.mean(errors**2)) < 0.1


def test_two_processes_do_not_work_in_one_folder(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from sixprime.train.pipeline import claimed

    command = [sys.executable, "-m", "sixprime", "train", str(tmp_path), "--races"]
    mine = claimed(tmp_path)
    found = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert (found.returncode, found.stdout) == (1, "")
    assert f"another process is working in {tmp_path}; a run is for one at a time" in found.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]
    del mine


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    from sixprime.cli import main
    from sixprime.train import races

    def run(*arguments: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            main(("train", str(tmp_path / "run"), "--races", *arguments))
        return int(ended.value.code or 0), capfd.readouterr().err

    status, err = run("--resume")
    assert status == 2
    assert "--races goes with --save only" in err
    targets: list[Path] = []
    monkeypatch.setattr(races, "make_nets", lambda folder, target, report: targets.append(target))
    assert run()[0] == 0
    assert run("--save", str(tmp_path / "nets.safetensors"))[0] == 0
    assert targets == [tmp_path / "run" / "race.safetensors", tmp_path / "nets.safetensors"]

    def stopped(folder: Path, target: Path, report: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(races, "make_nets", stopped)
    status, err = run()
    assert status == 1
    assert "stopped; the same command goes on" in err
