"""`sixprime doctor`: is everything in place?"""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from sixprime._version import __version__
from sixprime.cli._common import Flag, Threads, print_json
from sixprime.errors import SixprimeError
from sixprime.settings import make_engine

if TYPE_CHECKING:
    from sixprime.engine import Engine


_PACKAGES = (
    *("numpy", "numba", "llvmlite", "cyclopts", "rich", "textual", "jinja2", "msgspec", "safetensors", "platformdirs"),
    "torch",
)


def doctor(*, threads: Threads = None, json: Flag = False) -> int:
    """Check the installation: versions, folders, nets, databases, speed. Exit status 1 when something is wrong.

    Parameters
    ----------
    threads
        How many threads to use; by default all cores.
    json
        Print one JSON object.
    """
    engine = cache(lambda: make_engine(threads=threads))
    checks: dict[str, Callable[[], dict[str, Any]]] = {
        "versions": _versions,
        "folders": _folders,
        "net": lambda: _net(engine()),
        "bearoff": _bearoff,
        "threads": lambda: {"used": engine().threads, "cores": os.cpu_count()},
        "speed": lambda: _speed(engine()),
        "signature": lambda: _signature(engine()),
    }
    findings: dict[str, Any] = {}
    problems: dict[str, str] = {}
    for name, check in checks.items():
        try:
            findings[name] = check()
            lines = [f"{key} {value}" for key, value in findings[name].items()]
        except (SixprimeError, OSError, ImportError) as error:
            findings[name] = None
            problems[name] = str(error)
            lines = [f"PROBLEM: {error}"]
        if not json:
            print(f"{name:<11}" + f"\n{'':<11}".join(lines), flush=True)
    if json:
        print_json({**findings, "problems": problems})
    else:
        print(f"\nProblems: {', '.join(problems)}." if problems else "\nEverything is in place.")
    return 1 if problems else 0


def _versions() -> dict[str, Any]:
    """Of Sixprime, Python and the packages that are installed."""
    found = {"sixprime": __version__, "python": platform.python_version(), "platform": platform.platform(terse=True)}
    for name in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def _folders() -> dict[str, Any]:
    from sixprime import paths
    from sixprime.kernels._objects import CACHE

    return {
        "data": str(paths.data_dir()),
        "kernels": str(CACHE) if CACHE else "no folder can be written: compiled at every start",
    }


def _net(engine: Engine) -> dict[str, Any]:
    return {"name": engine.net.header.get("name"), "checksum": engine.net.checksum}


def _bearoff() -> dict[str, Any]:
    """The databases the engine needs, built if they are missing, and all others, which it ignores when damaged."""
    from sixprime.bearoff import one_sided, shelf, two_sided
    from sixprime.cli.bearoff import check

    found = {}
    for kind, fetch, chequers in (("one-sided", one_sided, 15), ("two-sided", two_sided, 6)):
        fetch(6, chequers)
        path = shelf.path_of(kind, 6, chequers)
        if path.exists():
            check(path)
        found[kind] = str(path) if path.exists() else "in memory only: the data folder cannot be written"
    for path in sorted(shelf.folder().glob("*.bearoff")):
        if shelf.name_of(path) and str(path) not in found.values():
            check(path)
            found[path.stem] = str(path)
    return found


def _speed(engine: Engine) -> dict[str, Any]:
    from sixprime.cli.bench import measure

    speeds = measure(engine, 0.1, ("decisions_0ply_per_second", "positions_2ply_per_second"))
    del speeds["threads"]
    return speeds


def _signature(engine: Engine) -> dict[str, Any]:
    from sixprime.engine.signature import signature

    return {"behaviour": signature(engine)}
