"""Kernels that are compiled before a wheel is made, for any processor that can do what a baseline asks for.

They lie in a folder of the package, which the repository has not, with a manifest that says of each file what it was
compiled from and for. `_objects` decides whether this machine may load one; `__main__` makes them. The build of a wheel
loads this module by its path, so it imports the standard library alone.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parent.parent
FOLDER = Path(__file__).with_name("compiled")
MANIFEST = "manifest.json"
ABI = 1
"""Goes up when files of another make need another loader. What compiles and calls entries counts as source of theirs,
so that it need not go up for that."""


_X86_64_V3 = """
avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe popcnt sahf sse3 sse4.1 sse4.2 ssse3 xsave
"""


class Baseline(NamedTuple):
    """The least processor that files are compiled for, under LLVM's name."""

    machine: str
    system: str | None = None
    """None for any."""
    needs: frozenset[str] = frozenset()
    """LLVM's names of what not every processor of its kind has."""


BASELINES = {
    "x86-64-v3": Baseline("x86_64", needs=frozenset(_X86_64_V3.split())),
    "apple-m1": Baseline("arm64", "darwin"),
    "generic": Baseline("arm64"),
}
"""By name; the first that fits a machine is its default."""


def machine() -> str:
    """This kind of processor, under one name on all systems."""
    named = platform.machine().lower()
    return {"amd64": "x86_64", "aarch64": "arm64"}.get(named, named)


# -- sources --------------------------------------------------------------------------------------

_FIRST_DEFINED = re.compile(rb"\n(?:@|def |class )")
_IMPORT = re.compile(rb"^from sixprime\.([\w.]+) import (?:\(([^)]*)\)|(.+))|^import sixprime\.([\w.]+)", re.MULTILINE)


def module_of(group: str) -> Path:
    """The source that a group of entries is named after."""
    return PACKAGE.joinpath(*group.split(".")[1:]).with_suffix(".py")


def imported(source: bytes) -> set[Path]:
    """Modules of the package that a source imports at its top level."""
    found = set()
    # What follows the imports is long, and holds none.
    end = _FIRST_DEFINED.search(source)
    source = source[: end.start()] if end else source
    for module, several, one, plain in _IMPORT.findall(source):
        name = (module or plain).decode()
        parts = [part.split()[0] for part in (several or one).decode().split(",") if part.strip()]
        for full in (name, *(f"{name}.{part}" for part in parts)):
            if path := _module(full):
                found.add(path)
    return found


@functools.cache
def _module(name: str) -> Path | None:
    """The file of a module of the package; None where there is none."""
    path = f"{PACKAGE}{os.sep}{name.replace('.', os.sep)}.py"
    return Path(path) if os.path.isfile(path) else None


@functools.cache
def _source(path: Path) -> tuple[bytes, frozenset[Path]]:
    """A module and those of the package that it imports at its top level."""
    source = path.read_bytes()
    return source, frozenset(imported(source))


def digest(module: Path) -> bytes:
    """Hash of a module, of the kernels it imports and of what compiles and calls them."""
    total = hashlib.sha256()
    sources: dict[Path, bytes] = {}
    waiting = {module, *(PACKAGE / "kernels").glob("_[!_]*.py")}
    while waiting:
        path = waiting.pop()
        sources[path], needed = _source(path)
        waiting |= needed - sources.keys()
    for path, source in sorted(sources.items()):
        if b"njit" in source or b"entry" in source or path.name.startswith("_"):
            total.update(path.name.encode() + source)
    return total.digest()


# -- manifest -------------------------------------------------------------------------------------


class File(NamedTuple):
    """What the manifest says of a file."""

    group: str
    sources: str
    """`digest` of the group's module, as hexadecimal digits."""
    system: str
    machine: str
    cpu: str
    """Name of the baseline."""
    needs: frozenset[str]
    sha256: str


def read_manifest(folder: Path) -> dict[str, File]:
    """The files of a folder by name; none where the manifest is missing, damaged or of another kind."""
    try:
        said = json.loads((folder / MANIFEST).read_bytes())
        if said["abi"] != ABI:
            return {}
        files = {name: {key: given[key] for key in File._fields} for name, given in said["files"].items()}
        return {name: File(**file | {"needs": frozenset(file["needs"])}) for name, file in files.items()}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return {}


def write_manifest(folder: Path, files: Mapping[str, File]) -> None:
    """Writes what `read_manifest` reads."""
    said = {name: {**file._asdict(), "needs": sorted(file.needs)} for name, file in sorted(files.items())}
    (folder / MANIFEST).write_text(json.dumps({"abi": ABI, "files": said}, indent=1) + "\n")


def sha256(content: bytes) -> str:
    """Checksum of a file, as the manifest has it."""
    return hashlib.sha256(content).hexdigest()
