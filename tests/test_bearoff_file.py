"""Bear-off database files: whole and checked, or not used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numba import typeof

import sixprime.kernels._numba  # noqa: F401  (tells Numba the types of our blocks)
from sixprime.bearoff import Normal, OneSided, TwoSided, one_sided, shelf, two_sided
from sixprime.errors import DataFileError, SettingsError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The data folder of a user who has no database yet."""
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    monkeypatch.setattr(shelf, "_opened", {})
    return tmp_path


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "small.bearoff"
    OneSided.build(3, 3).save(path)
    return path


def forget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelf, "_opened", {})


def test_round_trip(tmp_path: Path) -> None:
    one, two = OneSided.build(4, 3), TwoSided.build(3, 2)
    one.save(tmp_path / "new" / "one")
    two.save(tmp_path / "new" / "two")
    for verify in (False, True):
        same = OneSided.open(tmp_path / "new" / "one", 4, 3, verify=verify)
        for name in type(one.arrays).__annotations__:
            found, built = getattr(same.arrays, name), getattr(one.arrays, name)
            assert np.array_equal(found, built)
            assert found.dtype == built.dtype
        opened = TwoSided.open(tmp_path / "new" / "two", 3, 2, verify=verify).arrays
        assert np.array_equal(opened.equities, two.arrays.equities)
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["one", "two"]


@pytest.mark.parametrize("kind", [OneSided, TwoSided])
def test_a_built_database_runs_the_kernels_of_an_opened_one(kind: type, tmp_path: Path) -> None:
    built = kind.build(4, 3)
    built.save(tmp_path / "saved")
    opened = kind.open(tmp_path / "saved", 4, 3)
    assert typeof(built.arrays) == typeof(opened.arrays)


def test_mapped_arrays_are_private(saved: Path) -> None:
    before = saved.read_bytes()
    database = OneSided.open(saved, 3, 3)
    database.arrays.values[:] = 0
    assert saved.read_bytes() == before
    assert OneSided.open(saved, 3, 3).arrays.values.any()


def test_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        OneSided.open(tmp_path / "none", 3, 3)


def test_damaged(saved: Path) -> None:
    whole = saved.read_bytes()
    damages = [
        (b"", "is not a Sixprime database"),
        (b"x" * len(whole), "is not a Sixprime database"),
        (whole.replace(b'"version"', b'"ver', 1), "has a damaged header"),
        (whole.replace(b'"version": 2,', b'"version": 77,', 1), "of version 77"),
        (whole.replace(b'"points": 3', b'"points": 4', 1), "does not hold one-sided 3x3"),
        (whole[:-1], "bytes instead of"),
        (whole + b"\0", "bytes instead of"),
        (whole[:-1] + bytes([whole[-1] ^ 1]), "checksum"),
    ]
    for content, problem in damages:
        saved.write_bytes(content)
        with pytest.raises(DataFileError, match=problem):
            OneSided.open(saved, 3, 3)


def test_any_change_is_noticed(saved: Path) -> None:
    whole = np.frombuffer(saved.read_bytes(), dtype=np.uint8)
    random = np.random.default_rng(3)
    for _ in range(400):
        changed = whole[: random.integers(len(whole))] if random.random() < 0.2 else whole.copy()
        if len(changed) == len(whole):
            at = random.integers(1200 if random.random() < 0.8 else len(whole), size=random.integers(1, 4))
            changed[at] ^= random.integers(1, 256, size=len(at), dtype=np.uint8)
            if np.array_equal(changed, whole):
                continue
        saved.write_bytes(changed.tobytes())
        with pytest.raises(DataFileError):
            OneSided.open(saved, 3, 3)


def test_other_contents(saved: Path) -> None:
    with pytest.raises(DataFileError, match="does not hold one-sided 3x4"):
        OneSided.open(saved, 4, 3)
    with pytest.raises(DataFileError, match="does not hold two-sided 3x3"):
        TwoSided.open(saved, 3, 3)
    with pytest.raises(DataFileError, match="cannot be read"):
        OneSided.open(saved.parent, 3, 3)


def test_built_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = one_sided(3, 2)
    path = shelf.path_of("one-sided", 3, 2)
    written = path.stat().st_mtime_ns
    assert path.is_relative_to(folder)
    assert one_sided(3, 2) is first
    forget(monkeypatch)
    again = one_sided(3, 2)
    assert again is not first
    assert np.array_equal(again.arrays.values, first.arrays.values)
    assert path.stat().st_mtime_ns == written


@pytest.mark.usefixtures("folder")
def test_damaged_copy_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = two_sided(2, 2).arrays.equities.copy()
    path = shelf.path_of("two-sided", 2, 2)
    path.write_bytes(path.read_bytes()[:-3])
    forget(monkeypatch)
    assert np.array_equal(two_sided(2, 2).arrays.equities, whole)
    assert np.array_equal(TwoSided.open(path, 2, 2).arrays.equities, whole)


def test_works_without_a_file(folder: Path) -> None:
    (folder / "bearoff").write_text("a file where the folder should be")
    assert one_sided(2, 2).side([1]).mean == 1


@pytest.mark.usefixtures("folder")
def test_threads_share_one() -> None:
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: one_sided(4, 2), range(16)))
    assert all(database is found[0] for database in found)


def test_processes_may_build_at_once(tmp_path: Path) -> None:
    code = "from sixprime.bearoff import one_sided; print(one_sided(3, 3).side([0, 1, 2]).mean)"
    command = [sys.executable, "-c", code]
    environment = {**os.environ, "SIXPRIME_DATA": str(tmp_path)}
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    results = {process.communicate(timeout=300)[0] for process in running}
    assert [process.returncode for process in running] == [0, 0, 0]
    assert len(results) == 1
    assert [path.name for path in (tmp_path / "bearoff").iterdir()] == ["one-sided-3x3.bearoff"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("shape", shape) for shape in ([], [-1], [2.5], ["a"], [True])),
        ("dtype", "a"),
        ("dtype", "O"),
        ("dtype", "U9"),
    ],
)
def test_arrays_that_are_none(tmp_path: Path, key: str, value: object) -> None:
    path = tmp_path / "a.bearoff"
    OneSided.build(2, 3).save(path)
    data = path.read_bytes()
    mark = b"Sixprime bear-off database\n"
    fields = json.loads(data[len(mark) : 1024])
    fields["arrays"]["values"][key] = value
    path.write_bytes((mark + json.dumps(fields).encode()).ljust(1023) + b"\n" + data[1024:])
    with pytest.raises(DataFileError, match="damaged header"):
        OneSided.open(path, 2, 3)


@pytest.mark.parametrize("database", [OneSided, TwoSided, Normal])
@pytest.mark.parametrize(("points", "chequers"), [(0, 3), (19, 3), (3, 0), (3, 16)])
def test_no_database_of_that_size(
    database: type[OneSided | TwoSided | Normal], points: int, chequers: int, tmp_path: Path
) -> None:
    """Said before a file is looked for."""
    with pytest.raises(SettingsError):
        database.open(tmp_path / "missing", points, chequers)
    with pytest.raises(FileNotFoundError):
        database.open(tmp_path / "missing", 3, 3)
