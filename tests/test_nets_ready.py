"""Folded nets in the cache folder: the same as made anew, and never those of another file."""

from __future__ import annotations

import os
import shutil
import weakref
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from sixprime import Engine
from sixprime.errors import DataFileError, EngineError
from sixprime.kernels.network import NO_NET, Net
from sixprime.nets import file, ready
from sixprime.nets.params import fold


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where nets are kept."""
    monkeypatch.setenv("SIXPRIME_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "nets"


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The checksums of nets that are folded."""
    checksums: list[str] = []
    real = ready.made

    def noted(nets: file.NetFile) -> ready.ReadyNets:
        checksums.append(nets.checksum)
        return real(nets)

    monkeypatch.setattr(ready, "made", noted)
    return checksums


def alike(one: Net, other: Net) -> bool:
    return all(np.array_equal(getattr(one, field.name), getattr(other, field.name)) for field in fields(Net))


@pytest.mark.parametrize("name", ["small", "standard"])
def test_kept_nets_are_the_same(name: str, folder: Path, made: list[str]) -> None:
    source = file.load(name)
    for _ in range(3):
        found = ready.ready(name)
        assert found.checksum == source.checksum
        for part in ("contact", "race", "pruner"):
            assert alike(getattr(found, part), fold(getattr(source, part)))
            assert getattr(found, part).rows.ctypes.data % 64 == 0
        assert alike(found.back, fold(source.back) if source.back else NO_NET)
    assert made == [source.checksum]
    assert len(list(folder.iterdir())) == 1


def test_weights_too_large_for_the_kernels(folder: Path, tmp_path: Path) -> None:
    nets = file.load("small")
    path = tmp_path / "large.safetensors"
    for factor, fits in ((1.0, True), (1e6, False)):
        race = nets.race._replace(rows=nets.race.rows * np.float32(factor))
        file.save(path, {"contact": nets.contact, "race": race, "pruner": nets.pruner}, {})
        if fits:
            assert ready.ready(path).race.unit <= 1
        else:
            with pytest.raises(DataFileError, match=r"large\.safetensors: a net.s sums must stay below 32,000"):
                ready.ready(path)


def test_another_net_in_the_place_of_one(folder: Path, made: list[str], tmp_path: Path) -> None:
    """Even of the same size and with the same date."""
    path = tmp_path / "net.safetensors"
    nets = file.load("small")
    arrays = {name: getattr(nets, name) for name in ("contact", "race", "pruner")}
    file.save(path, arrays, {})
    before = ready.ready(path)
    about = path.stat()
    file.save(path, {**arrays, "race": arrays["race"]._replace(bias=arrays["race"].bias + 1)}, {})
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
    assert path.stat().st_size == about.st_size
    after = ready.ready(path)
    assert before.checksum != after.checksum
    assert not alike(before.race, after.race)
    assert len(made) == 2


@pytest.mark.parametrize("damage", ["cut", "bit", "head", "unit", "empty"])
def test_damaged_files_are_made_anew(damage: str, folder: Path, made: list[str]) -> None:
    whole = ready.ready("small")
    [place] = folder.iterdir()
    data = bytearray(place.read_bytes())
    if damage == "cut":
        del data[-64:]
    elif damage == "bit":
        data[len(data) // 2] ^= 8
    elif damage == "head":
        data[3] ^= 8
    elif damage == "unit":
        # Still JSON, and all arrays fit.
        data[data.index(b'"unit": 0.0') + 10] ^= 1
    else:
        data.clear()
    place.write_bytes(data)
    assert alike(ready.ready("small").contact, whole.contact)
    assert len(made) == 2
    ready.ready("small")
    assert len(made) == 2


def test_few_are_kept(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ready, "_LATEST", 2)
    for name in "abc":
        path = tmp_path / f"{name}.safetensors"
        shutil.copy(file.SMALL, path)
        ready.ready(path)
        assert len(list(folder.iterdir())) == min(2, "abc".index(name) + 1)


def test_a_folder_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, made: list[str], folder: Path) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ready, "_keep", full)
    ready.ready("small")
    ready.ready("small")
    assert len(made) == 2


def test_errors_are_those_of_the_file(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="Cannot read the network file"):
        ready.ready(tmp_path / "none.safetensors")
    (tmp_path / "wrong.safetensors").write_bytes(b"nothing")
    with pytest.raises(DataFileError, match="not a network file"):
        ready.ready(tmp_path / "wrong.safetensors")


def test_an_engine_knows_its_net(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    shutil.copy(file.SMALL, path)
    engine = Engine(path, threads=1)
    assert engine.net.checksum == file.load("small").checksum
    other = Engine(path, threads=1)
    shutil.copy(file.DEFAULT, path)
    with pytest.raises(EngineError, match="another one now"):
        _ = other.net


def test_engines_share_their_nets(folder: Path) -> None:
    first, second = Engine(threads=1), Engine(threads=1, plies=0)
    assert second.brain.contact is first.brain.contact
    assert Engine("small", threads=1).brain.contact is not first.brain.contact


def test_shared_nets_go_with_the_last_who_has_them(folder: Path) -> None:
    nets = ready.shared("small")
    assert ready.shared("small") is nets
    gone = weakref.ref(nets)
    del nets
    assert gone() is None
