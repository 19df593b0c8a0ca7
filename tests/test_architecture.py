"""Rooms import only from rooms below them, and only what they need, when they need it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import sixprime

PACKAGE = Path(sixprime.__file__).parent

# Lowest first. A room may import from those before it; rooms of one row not from each other.
ROOMS = (
    ("errors",),
    ("paths", "interrupts"),
    ("kernels",),
    ("game",),
    ("formats",),
    ("bearoff",),
    ("nets",),
    ("cube",),
    ("engine",),
    ("analysis",),
    ("theory",),
    ("report",),
    ("api",),
    ("train",),
    ("store",),
    ("cli", "shell", "gnubg", "web", "protocols"),
)
RANK = {room: rank for rank, row in enumerate(ROOMS) for room in row}

# Packages of the bare install, and those of the extras with the rooms that may use them.
CORE = {"cyclopts", "jinja2", "markupsafe", "numba", "numpy", "platformdirs", "rich", "safetensors"}
EXTRAS = {
    "torch": {"train"},
    "typst": {"report"},
    "distributed": {"train", "engine"},
    "nicegui": {"web"},
}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem in RANK)


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything a file imports, inside functions and type checks too."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            if node.module == "sixprime":
                yield from ((node.lineno, f"sixprime.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, str(node.module)


def test_every_folder_is_a_known_room() -> None:
    folders = {path.parent.relative_to(PACKAGE).parts[0] for path in PACKAGE.glob("*/**/*.py")}
    assert folders <= set(RANK)


@pytest.mark.parametrize("path", modules(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_point_down(path: Path) -> None:
    room = room_of(path)
    for line, name in imported(path):
        package, _, inner = name.partition(".")
        if package == "sixprime":
            target = inner.partition(".")[0]
            if target == "__version__":
                continue
            allowed = target == room or RANK.get(target, len(ROOMS)) < RANK[room]
        else:
            allowed = package in sys.stdlib_module_names | CORE or room in EXTRAS.get(package, ())
        assert allowed, f"{path.relative_to(PACKAGE)}:{line}: {room} must not import {name}"


def loaded(code: str) -> set[str]:
    """Top-level packages in `sys.modules` after `code` ran in a fresh interpreter."""
    code += "\nimport sys\nprint(*{name.partition('.')[0] for name in sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import sixprime", {"numba", "numpy", "rich", "cyclopts", "jinja2"}),
        ("import sixprime as sp; sp.parse('4HPwATDgc/ABMA')", {"numba", "rich", "cyclopts", "jinja2"}),
        ("import sixprime.formats", {"numba", "rich", "cyclopts", "jinja2"}),
        ("import sixprime.cli", {"numba", "numpy", "rich", "jinja2"}),
        ("import sixprime.engine", {"torch", "rich", "cyclopts", "jinja2"}),
    ],
)
def test_imports_are_lazy(code: str, absent: set[str]) -> None:
    assert not loaded(code) & absent
