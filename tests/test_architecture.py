"""Rooms import only from rooms below them, and only what they need, when they need it."""

from __future__ import annotations

import ast
import dataclasses
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import msgspec
import pytest

import sixprime
from sixprime.web import messages

PACKAGE = Path(sixprime.__file__).parent

# Lowest first. A room may import from those before it; rooms of one row not from each other.
ROOMS = (
    ("_version", "errors", "frozen", "lazy"),
    ("checks",),
    ("progress",),
    ("reading",),
    ("paths", "interrupts"),
    ("kernels",),
    ("game",),
    ("formats",),
    ("bearoff",),
    ("nets",),
    ("cube",),
    ("engine",),
    ("players",),
    ("analysis",),
    ("theory",),
    ("learn",),
    ("codec",),
    ("report",),
    ("play",),
    ("store",),
    ("api",),
    ("batch",),
    ("settings",),
    ("train",),
    ("protocols",),
    ("command",),
    ("terminal", "web"),
    ("gnubg",),
    ("shell",),
    ("cli",),
)
RANK = {room: rank for rank, row in enumerate(ROOMS) for room in row}

# Packages of the bare install; those of the extras and those that take long to load, with the rooms that may use them.
CORE = {
    *("cyclopts", "jinja2", "llvmlite", "markupsafe", "msgspec", "numba", "numpy", "platformdirs", "rich"),
    "safetensors",
}
EXTRAS = {
    "pyarrow": {"report"},
    "typst": {"report"},
    "torch": {"train"},
    "distributed": {"train", "engine"},
    "resvg_py": {"report"},
    "textual": {"terminal"},
    "starlette": {"web"},
    "uvicorn": {"web"},
    "anyio": {"protocols"},
    "mcp": {"protocols"},
    "mcp_types": {"protocols"},
    "pydantic": {"protocols"},
    "fsrs": {"learn"},
    "prompt_toolkit": {"shell"},
    "genanki": {"report"},
    "ogxm": {"formats"},
    "cryptography": {"formats"},
}


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE or path.stem in RANK)


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Of a file those that the rules are about."""
    kinds = ast.Import | ast.ImportFrom | ast.If | ast.Call | ast.FunctionDef
    return [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, kinds)]


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and dotted name of everything a file imports, inside functions and type checks too."""
    for node in nodes(path):
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


def allowed(room: str, name: str) -> bool:
    """Whether a room may import that."""
    package, _, inner = name.partition(".")
    if package == "sixprime":
        target = inner.partition(".")[0]
        return target == room or RANK.get(target, len(ROOMS)) < RANK[room]
    return package in sys.stdlib_module_names or package in CORE or room in EXTRAS.get(package, ())


def test_imports_point_down() -> None:
    assert [
        f"{path.relative_to(PACKAGE)}:{line}: {room_of(path)} must not import {name}"
        for path in modules()
        for line, name in imported(path)
        if not allowed(room_of(path), name)
    ] == []


def runs(path: Path) -> set[str]:
    """Our modules that a file imports when it runs, be it inside functions; what only type checks need is left out."""
    checked = {
        id(inner)
        for node in nodes(path)
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    found = set()
    for node in nodes(path):
        if id(node) not in checked and isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None)
            for alias in node.names:
                # What is imported from a package is a module of it, or a name in it.
                names = [f"{module}.{alias.name}", module] if module else [alias.name]
                found.add(next((name for name in names if name in MODULES), ""))
    return found & MODULES.keys() - {dotted(path)}


def dotted(path: Path) -> str:
    return ".".join(("sixprime", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


MODULES = {dotted(path): path for path in PACKAGE.rglob("*.py")}


def test_circles_of_imports_are_small() -> None:
    after = {name: runs(path) for name, path in MODULES.items()}
    reached: dict[str, set[str]] = {}
    for name in after:
        seen: set[str] = set()
        ahead = [name]
        while ahead:
            new = after[ahead.pop()] - seen
            seen |= new
            ahead += new
        reached[name] = seen
    circles = {frozenset(other for other in reached[name] if name in reached[other]) for name in after}
    assert not [sorted(circle) for circle in circles if len(circle) > 2]


def test_private_names_are_not_shared() -> None:
    found = []
    for path in modules():
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("sixprime"):
                names = {alias.name for alias in node.names if f"{node.module}.{alias.name}" not in MODULES}
                if any(name.startswith("_") and name != "__version__" for name in names):
                    found.append(f"{path}:{node.lineno}")
    assert found == []


def compiled(path: Path) -> set[str]:
    """Functions of kernels that a file defines or imports, which take flat arrays, one by one."""
    found = set()
    for node in nodes(path):
        if isinstance(node, ast.FunctionDef) and any("njit" in ast.unparse(each) for each in node.decorator_list):
            found.add(node.name)
        if isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names if ".kernels" in str(node.module)}
    return found


def test_calls_are_short() -> None:
    """More than eight arguments need names, except of kernels and their blocks."""
    found = []
    for path in modules():
        if room_of(path) == "kernels" or path.stem.endswith("kernel"):
            continue
        for node in nodes(path):
            if isinstance(node, ast.Call) and len(node.args) > 8:
                called = ast.unparse(node.func).split(".")
                if not called[0].endswith("kernel") and called[-1] not in compiled(path):
                    found.append(f"{path}:{node.lineno}: {ast.unparse(node.func)}")
    assert found == []


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
        ("import sixprime as sp; sp.Table.new().legal()", {"numba", "numpy", "rich", "cyclopts", "jinja2"}),
        ("import sixprime.formats", {"numba", "rich", "cyclopts", "jinja2"}),
        ("import sixprime.cli", {"numba", "numpy", "rich", "jinja2", "textual"}),
        ("import sixprime.engine", {"numba", "torch", "rich", "cyclopts", "jinja2"}),
        ("import sixprime.play", {"numba", "numpy", "rich", "cyclopts", "jinja2"}),
        ("from sixprime.play import Session", {"numba", "rich", "cyclopts", "jinja2"}),
    ],
)
def test_imports_are_lazy(code: str, absent: set[str]) -> None:
    assert not loaded(code) & absent


IN_PROGRESS = {
    *("Answers", "DuelGames", "Pool", "Requests", "RolloutGames", "RowGame", "RowMatch", "Script", "ScriptGame"),
    "SelfPlayGames",
}
"""Dataclasses that collect what becomes a value."""


def dataclasses_of(path: Path) -> Iterator[type]:
    """Those that a module defines; none where it needs an extra that is not installed or runs elsewhere."""
    try:
        module = import_module(".".join(("sixprime", *path.relative_to(PACKAGE).with_suffix("").parts)))
    except ImportError:
        return
    for value in vars(module).values():
        if isinstance(value, type) and value.__module__ == module.__name__ and dataclasses.is_dataclass(value):
            yield value


def test_values_are_frozen() -> None:
    found = [each for path in modules() if path.stem != "inside_gnubg" for each in dataclasses_of(path)]
    assert len(found) > 100
    for each in found:
        name = each.__name__
        assert each.__dataclass_params__.frozen or name.startswith("_") or name in IN_PROGRESS, name  # type: ignore[attr-defined]
        assert "__slots__" in vars(each) or name.endswith("Games"), name
    told = [each for each in vars(messages).values() if isinstance(each, type) and issubclass(each, msgspec.Struct)]
    assert len(told) > 50
    assert [each.__name__ for each in told if each is not msgspec.Struct and not each.__struct_config__.frozen] == []


# Outside `reading`, these may read in a way of their own: file, and what is called.
READ_ELSEWHERE = {
    ("cli/web.py", "webbrowser.open"),  # a page, not a file
    ("bearoff/builder.py", "path.open"),  # work files, which are read and written
    ("bearoff/builder.py", "(self._folder / name).open"),
    ("bearoff/builder.py", "os.open"),
    ("cli/_output.py", "open"),  # the null device
    ("cli/_output.py", "os.open"),
    ("kernels/__main__.py", "path.read_bytes"),  # our own sources
    ("kernels/_shipped.py", "path.read_bytes"),
    ("kernels/_objects.py", "place.read_bytes"),  # what we have compiled
    ("kernels/_objects.py", "ready.read_bytes"),
    ("kernels/_shipped.py", "(folder / MANIFEST).read_bytes"),
    ("nets/ready.py", "name.read_bytes"),
    ("nets/ready.py", "place.open"),  # what we have folded
    ("kernels/_objects.py", "target.read_bytes"),
    ("kernels/_objects.py", "Path(spec.origin).with_name('_version.py').read_bytes"),
    ("kernels/_objects.py", "Path('/proc/cpuinfo').read_text"),
    ("interrupts.py", "os.open"),  # the null device
    ("paths.py", "os.open"),  # what is locked, not read
    ("play/journal.py", "self._path.open"),  # what is written to, and not begun where it is gone
    ("settings/file.py", "os.open"),  # the folder, to be alone in it
    ("paths.py", "os.open"),  # a folder, to be alone in it
}
READERS = {"read_bytes", "read_text", "fromfile", "loadtxt", "genfromtxt", "memmap", "load"}


def reads(node: ast.Call) -> bool:
    """Whether a call may read a file by itself; classes of ours have an `open` too."""
    function = node.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    owner = ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""
    if name == "open":
        modes = [
            argument.value
            for argument in [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "mode")]
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        ]
        ours = owner[:1].isupper() or owner.split(".")[-1] in ("database", "Hyper") or owner == "self"
        return not ours and not any(mode[:1] in tuple("wxa") for mode in modes)
    if name in ("read_bytes", "read_text"):
        return isinstance(function, ast.Attribute) and owner != "reading"
    if name == "memmap":
        return not (node.args and ast.unparse(node.args[0]) == "stream")
    return owner == "np" and name in READERS


def test_files_are_read_in_one_place() -> None:
    """Pipes, devices, sizes and bombs are looked at by `sixprime.reading` alone."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        inside = path.relative_to(PACKAGE).as_posix()
        if inside == "reading.py":
            continue
        for node in nodes(path):
            if isinstance(node, ast.Call) and reads(node):
                called = ast.unparse(node.func)
                if (inside, called) not in READ_ELSEWHERE:
                    found.append(f"{inside}:{node.lineno}: {called}")
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {getattr(node, "module", "")}
                # The latter writes archives.
                elsewhere = inside in ("cube/met_xml.py", "web/reviews.py")
                if names & {"tomllib", "zipfile", "xml.etree.ElementTree"} and not elsewhere:
                    found.append(f"{inside}:{node.lineno}: {names}")
    assert found == []


def test_benchmarks_import_what_there_is() -> None:
    """They are run by hand, so a name that has gone would be missed for long."""
    found = []
    for path in sorted((Path(__file__).parent.parent / "benchmarks").glob("*.py")):
        for node in nodes(path):
            if isinstance(node, ast.ImportFrom) and str(node.module).partition(".")[0] == "sixprime":
                room = import_module(str(node.module))
                for alias in node.names:
                    if not hasattr(room, alias.name) and not importlib.util.find_spec(f"{node.module}.{alias.name}"):
                        found.append(f"{path.name}:{node.lineno}: {alias.name}")
    assert found == []
