"""Building databases: any number of threads, stopped and resumed, refused; the normal form; sizes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sixprime import kernels
from sixprime.bearoff import Normal, OneSided, TwoSided, builder, kinds, names, one_sided, shelf
from sixprime.bearoff.builder import Scratch
from sixprime.bearoff.sizes import one_sided_sizes, two_sided_sizes
from sixprime.errors import DataFileError, SettingsError
from sixprime.game import Position
from sixprime.progress import NOBODY, Progress, Watch


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty data folder; every build works in files and saves its state after each round."""
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    monkeypatch.setattr(shelf, "_opened", {})
    monkeypatch.setattr(kinds, "IN_MEMORY", 0)
    monkeypatch.setattr(builder, "_SAVED_EVERY", 0)
    return tmp_path / "bearoff"


class Stopped(BaseException):
    """What a test stops a build with."""


def stop_at(share: float):
    def progress(step: Progress) -> None:
        assert step.total is not None
        if step.done >= share * step.total:
            raise Stopped

    return Watch(progress)


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "_SMALLEST_BATCH", 20)
    for kind, size in ((OneSided, (5, 9)), (OneSided, (8, 4)), (TwoSided, (5, 4)), (Normal, (5, 8))):
        one, several = (kind.build(*size, threads=threads).arrays for threads in (1, 3))
        for name in type(one).__annotations__:
            assert np.array_equal(getattr(several, name), getattr(one, name))


@pytest.mark.parametrize(("kind", "size"), [("one-sided", (5, 9)), ("two-sided", (5, 4)), ("normal", (5, 9))])
@pytest.mark.parametrize("kill", [False, True])
def test_stopped_builds_go_on(kind, size, kill, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = kinds.KINDS[kind].make
    whole = make(*size, 2, NOBODY).read_bytes()
    (folder / shelf.path_of(kind, *size).name).unlink()
    if kill:
        # A killed process writes nothing down; what it had saved before counts.
        monkeypatch.setattr(Scratch, "stop", Scratch.close)
    for share in (0.2, 0.5, 0.8):
        with pytest.raises(Stopped):
            make(*size, 2, stop_at(share))
        assert kinds.unfinished(kind, *size).exists()
    begun: list[int] = []
    path = make(*size, 2, Watch(lambda step: begun.append(100 * step.done // (step.total or 1))))
    assert begun[0] > 50
    assert path.read_bytes() == whole
    assert [entry.name for entry in folder.iterdir()] == [path.name]


def test_a_build_killed_after_an_array_has_grown_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = kinds.KINDS["one-sided"].make
    whole = OneSided.build(5, 9)
    monkeypatch.setattr(Scratch, "stop", Scratch.close)
    with pytest.raises(Stopped):
        make(5, 9, 2, stop_at(0.5))
    # Now nothing more is written down before it is killed.
    monkeypatch.setattr(builder, "_SAVED_EVERY", 1e9)
    values = kinds.unfinished("one-sided", 5, 9) / "values"
    before = values.stat().st_size
    with pytest.raises(Stopped):
        make(5, 9, 2, stop_at(0.9))
    assert values.stat().st_size > before
    begun: list[int] = []
    path = make(5, 9, 2, Watch(lambda step: begun.append(100 * step.done // (step.total or 1))))
    assert begun[0] >= 50
    assert np.array_equal(OneSided.open(path, 5, 9).arrays.values, whole.arrays.values)


def test_files_of_a_build_that_are_damaged_are_not_used(folder: Path) -> None:
    make = kinds.KINDS["one-sided"].make
    working = kinds.unfinished("one-sided", 4, 9)
    whole = OneSided.build(4, 9)
    for damage in (
        lambda: (working / "played").unlink(),
        lambda: (working / "means").write_bytes(b"short"),
        lambda: (working / "state.json").write_text("{"),
        lambda: (working / "state.json").write_text('{"identity": "one-sided-9x4, version 0", "files": {}}'),
        lambda: (working / "state.json").write_text(json.dumps([1])),
    ):
        with pytest.raises(Stopped):
            make(4, 9, 1, stop_at(0.5))
        assert kinds.left() == {"one-sided-9x4": True}
        damage()
        assert kinds.left() == {"one-sided-9x4": False}
        path = make(4, 9, 1, NOBODY)
        assert np.array_equal(OneSided.open(path, 4, 9).arrays.values, whole.arrays.values)


def test_one_build_at_a_time(folder: Path) -> None:
    held = Scratch(kinds.unfinished("one-sided", 3, 3), "one-sided-3x3")
    with pytest.raises(DataFileError, match="another process is building"):
        kinds.KINDS["one-sided"].make(3, 3, 1, NOBODY)
    held.close()
    assert kinds.KINDS["one-sided"].make(3, 3, 1, NOBODY).exists()


def test_too_large(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = kinds.KINDS["two-sided"].make
    monkeypatch.setattr(shelf, "free_disk", lambda _: 10**9)
    with pytest.raises(SettingsError, match=r"needs 7\d.\d GB of disk; 1.0 GB are free"):
        make(6, 15, None, NOBODY)
    monkeypatch.setattr(shelf, "free_memory", lambda: 10**8)
    with pytest.raises(SettingsError, match=r"of memory; 100 MB are free"):
        make(6, 15, None, NOBODY)
    monkeypatch.setattr(shelf, "free_memory", lambda: 10**9)
    monkeypatch.setattr(shelf, "free_disk", lambda _: 2 * 10**6)
    with pytest.raises(SettingsError, match=r"needs \d+\.\d MB of disk; 2.0 MB are free"):
        make(6, 6, None, NOBODY)
    assert not folder.exists()


@pytest.mark.parametrize("text", ["15", "15x", "x6", "15 x 6", "15x6x", "-1x6", "15x19", "16x6", "0x6", "15x0"])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(SettingsError):
        names.parse_size(text)


def test_needs_are_about_right(folder: Path) -> None:
    for kind, size in (("one-sided", (6, 15)), ("one-sided", (8, 6)), ("two-sided", (6, 5)), ("normal", (6, 15))):
        held, _ = {
            "one-sided": builder.one_sided_bytes,
            "two-sided": builder.two_sided_bytes,
            "normal": builder.normal_bytes,
        }[kind](*size)
        assert kinds.KINDS[kind].make(*size, None, NOBODY).stat().st_size == pytest.approx(held, rel=0.2)


def test_tables_of_the_manual() -> None:
    """Positions and sizes as GNU Backgammon's manual has them; in it 15x10 and 15x15 are misprinted."""
    pairs = two_sided_sizes()
    assert [row.chequers for row in pairs] == list(range(6, 16))
    assert [row.positions for row in pairs][:3] == [853_776, 2_944_656, 9_018_009]
    assert pairs[-1].positions == 2_944_581_696
    megabytes = [6, 22, 68, 191, 489, 1_168, 2_629, 5_616, 11_461, 22_465]
    assert [row.gnubg_bytes >> 20 for row in pairs] == megabytes
    sides = one_sided_sizes()
    assert [row.positions for row in sides] == [
        54_264, 170_544, 490_314, 1_307_504, 3_268_760, 7_726_160, 17_383_860, 37_442_160, 77_558_760, 155_117_520,
        300_540_195, 565_722_720, 1_037_158_320,
    ]  # fmt: skip
    for row, size in zip(sides, [1.4, 5, 15, 42, 112, 284, 682, 1_543], strict=False):
        assert row.gnubg_bytes / (1 << 20) == pytest.approx(size, rel=0.05)


# ------------------------------------------------------------------------------------------- normal form


def test_normal_has_the_moments_of_the_distributions() -> None:
    sides, normal = one_sided(), Normal.build(6, 15)
    random = np.random.default_rng(2)
    rolls = np.arange(64)
    for _ in range(200):
        counts = np.bincount(random.integers(6, size=random.integers(1, 16)), minlength=6).tolist()
        exact, about = sides.side(counts), normal.side(counts)
        assert (about.mean, about.variance) == pytest.approx((exact.mean, exact.variance), abs=2e-3)
        gammon = exact.gammon_distribution
        mean = gammon @ rolls
        found = normal.arrays.moments[2:, normal.index(counts)]
        assert (found[0], found[1] ** 2) == pytest.approx((mean, gammon @ (rolls - mean) ** 2), abs=2e-3)
        assert (about.epc, about.wastage, about.sd) == pytest.approx((exact.epc, exact.wastage, exact.sd), abs=0.02)
        assert (about.distribution.sum(), about.gammon_distribution.sum()) == pytest.approx((1, 1))


def test_normal_probabilities_are_near() -> None:
    random = np.random.default_rng(3)
    boards = []
    for _ in range(400):
        sides = [np.bincount(random.integers(6, size=random.integers(6, 16)), minlength=25) for _ in range(2)]
        boards.append(np.array(sides))
    packed = kernels.pack(np.array(boards), 15)
    exact, about = one_sided().probabilities(packed), Normal.build(6, 15).probabilities(packed)
    assert np.sqrt(np.mean((exact[:, 0] - about[:, 0]) ** 2)) < 0.01
    assert np.abs(exact[:, [1, 3]] - about[:, [1, 3]]).max() < 0.05
    outside = kernels.pack(Position.start().board[None])
    assert np.isnan(Normal.build(3, 3).probabilities(outside)).all()


def test_normal_of_races_that_are_over(tmp_path: Path) -> None:
    normal = Normal.build(3, 3)
    ends = [((1,), ()), ((), (1,)), ((0, 1), (2,))]
    boards = np.array([[side + (0,) * (25 - len(side)) for side in pair] for pair in ends])
    assert normal.probabilities(kernels.pack(boards, 15))[:, 0].tolist() == [1, 0, 1]
    normal.save(tmp_path / "x")
    assert np.array_equal(Normal.open(tmp_path / "x", 3, 3).arrays.moments, normal.arrays.moments)
