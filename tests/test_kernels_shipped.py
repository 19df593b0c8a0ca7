"""Kernels that come compiled with the package: which of them are loaded, and what happens where none may be."""

from __future__ import annotations

import ctypes
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from llvmlite import binding

from sixprime.kernels import _objects, _shipped
from sixprime.kernels.__main__ import groups, main

GROUP, NAME = "sixprime.kernels.a", "a.o"
SHIPPED, KEPT, COMPILED = 1, 2, 3


def code(number: int) -> bytes:
    """An object file whose one function answers a number."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    module = binding.parse_assembly(f"define i32 @answer() {{ ret i32 {number} }}")
    module.triple = binding.get_default_triple()
    machine = binding.Target.from_default_triple().create_target_machine(reloc="pic")
    emitted: bytes = machine.emit_object(module)
    return emitted


def answer() -> int:
    """What the group answers, wherever it comes from."""
    _objects.place_of.cache_clear()
    _objects.shipped.cache_clear()
    _shipped._source.cache_clear()
    _objects._loaded.clear()
    _objects.prepare([GROUP])
    address = _objects.address_of(GROUP, "answer")
    assert address is not None
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)()


@pytest.fixture
def compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A package of one group, with a shipped file that fits; the groups that had to be compiled all the same."""
    package = tmp_path / "package"
    (package / "kernels").mkdir(parents=True)
    (package / "kernels" / "a.py").write_text("@entry()\ndef answer(): return 1\n")
    (tmp_path / "cache").mkdir()
    (tmp_path / "shipped").mkdir()
    monkeypatch.setattr(_shipped, "PACKAGE", package)
    monkeypatch.setattr(_shipped, "FOLDER", tmp_path / "shipped")
    monkeypatch.setattr(_objects, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(_objects, "_loaded", {})
    ship()
    found: list[str] = []

    class Job:
        def __init__(self, names: Sequence[str]) -> None:
            found.extend(names)

        def wait(self, group: str) -> None:
            keep(COMPILED)

    monkeypatch.setattr(_objects, "_Job", Job)
    yield found
    _objects.place_of.cache_clear()
    _objects.shipped.cache_clear()


def ship(content: bytes | None = None, name: str = NAME, **otherwise: Any) -> None:
    """Writes a shipped file and its manifest."""
    content = content or code(SHIPPED)
    said = {
        "group": GROUP,
        "sources": _shipped.digest(_shipped.module_of(GROUP)).hex(),
        "system": sys.platform,
        "machine": _shipped.machine(),
        "cpu": "least",
        "needs": frozenset(),
        "sha256": _shipped.sha256(content),
    }
    (_shipped.FOLDER / name).write_bytes(content)
    _shipped.write_manifest(_shipped.FOLDER, {name: _shipped.File(**said | otherwise)})


def keep(number: int) -> None:
    place = _objects.place_of(GROUP)
    assert place is not None
    _objects._keep(code(number), place)


def test_a_shipped_file_is_loaded(compiled: list[str]) -> None:
    assert answer() == SHIPPED
    assert not compiled


def test_a_shipped_library_is_loaded(compiled: list[str]) -> None:
    library = _objects.linked(code(SHIPPED))
    if library is None:
        pytest.skip("no linker")
    ship(library, "a.so")
    assert answer() == SHIPPED
    assert not compiled


def test_shipped_files_need_no_cache(compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_objects, "CACHE", None)
    assert answer() == SHIPPED


def test_the_cache_goes_first(compiled: list[str]) -> None:
    answer()
    keep(KEPT)
    assert answer() == KEPT
    # Where it is damaged what is shipped is good enough.
    place = _objects.place_of(GROUP)
    assert place is not None
    place.write_bytes(b"damaged")
    assert answer() == SHIPPED
    assert not compiled


def damage() -> None:
    content = (_shipped.FOLDER / NAME).read_bytes()
    (_shipped.FOLDER / NAME).write_bytes(content[:-1] + bytes([content[-1] ^ 1]))


def edit() -> None:
    _shipped.module_of(GROUP).write_text("@entry()\ndef answer(): return 2\n")


def no_library() -> None:
    ship(b"no library at all", "a.so")


def manifest(content: bytes) -> None:
    (_shipped.FOLDER / _shipped.MANIFEST).write_bytes(content)


def other_abi() -> None:
    path = _shipped.FOLDER / _shipped.MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | {"abi": _shipped.ABI + 1}))


@pytest.mark.parametrize(
    "spoil",
    [
        damage,
        edit,
        no_library,
        other_abi,
        lambda: (_shipped.FOLDER / NAME).unlink(),
        lambda: (_shipped.FOLDER / _shipped.MANIFEST).unlink(),
        lambda: manifest(b'{"abi": 1, "files": \xff'),
        lambda: manifest(b"[]"),
        lambda: manifest(b'{"abi": %d, "files": {"a.o": {}}}' % _shipped.ABI),
        lambda: manifest(b'{"abi": %d, "files": [1]}' % _shipped.ABI),
        lambda: ship(sources="0" * 64),
        lambda: ship(system="another"),
        lambda: ship(machine="another"),
        lambda: ship(group="sixprime.kernels.b"),
        lambda: ship(needs=frozenset({"no processor can do this"})),
    ],
)
def test_what_does_not_fit_is_compiled(compiled: list[str], spoil: Callable[[], object]) -> None:
    spoil()
    assert answer() == COMPILED
    assert compiled == [GROUP]


def test_features(compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    needs = _shipped.BASELINES["x86-64-v3"].needs
    ship(needs=needs)
    monkeypatch.setattr(_objects, "features", lambda: needs | {"more"})
    assert answer() == SHIPPED
    monkeypatch.setattr(_objects, "features", lambda: needs - {"bmi2"})
    assert answer() == COMPILED


CPUINFO = b"model name\t: some\nvmx flags\t: movbe\nflags\t\t: pni ssse3 sse4_1 sse4_2 cx16 lahf_lm popcnt abm avx f16c"


def test_features_by_linux_names(monkeypatch: pytest.MonkeyPatch) -> None:
    needs = _shipped.BASELINES["x86-64-v3"].needs
    for flags, lacking in ((b" avx2 bmi1 bmi2 fma movbe xsave", set()), (b" avx2 bmi1 fma xsave", {"bmi2", "movbe"})):
        _objects.features.cache_clear()
        monkeypatch.setattr(_objects, "processor", lambda flags=flags: CPUINFO + flags)
        assert needs - _objects.features() == lacking
    _objects.features.cache_clear()


def test_a_manifest_with_more_than_is_known(compiled: list[str]) -> None:
    path = _shipped.FOLDER / _shipped.MANIFEST
    said = json.loads(path.read_text())
    said["files"][NAME]["later"] = [1, 2]
    path.write_text(json.dumps(said | {"later": {}}))
    assert answer() == SHIPPED
    assert not compiled


def test_every_group_is_found() -> None:
    """Entries are found by their sources; each is in the group of a module."""
    found = groups()
    assert {"sixprime.kernels.replies", "sixprime.cube.jump_kernel", "sixprime.engine.rollout_kernel"} <= {*found}
    own = [group for group in found if group.startswith("sixprime.")]
    assert all(_shipped.module_of(group).is_file() for group in own)


def test_another_machine_s_baseline(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    other = "generic" if _shipped.machine() == "x86_64" else "x86-64-v3"
    assert main(["build", "--cpu", other, "--out", str(tmp_path / "folder")]) == 1
    assert capsys.readouterr().err.startswith(f"sixprime.kernels: {other} cannot be compiled for here: this is ")
    assert not (tmp_path / "folder").exists()


def test_a_group_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("nothing", "sixprime.errors"):
        with pytest.raises(SystemExit) as ended:
            main(["compile", name])
        assert ended.value.code == 2
        assert f"no group of kernels {name!r}: choose from sixprime.cube" in " ".join(capsys.readouterr().err.split())
