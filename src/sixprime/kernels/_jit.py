"""The one place where Numba is configured: `njit` with our options and a cache that cannot go stale.

Numba's cache key covers only the file that defines a function, so code edited in another file would run stale.
Every module with kernels therefore has a cache folder of its own, named after a hash of its source, of the sources
with kernels that it imports, directly or not, and of the versions involved. The folders lie in the user's cache
folder, else in a temporary one, else there is no cache.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import logging
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
import numpy as np

from sixprime import paths

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).parent.parent
_IMPORT = re.compile(rb"^from sixprime\.([\w.]+) import (?:\(([^)]*)\)|(.+))|^import sixprime\.([\w.]+)", re.MULTILINE)


def _imported(source: bytes) -> set[Path]:
    """Modules of the package that a source imports at its top level."""
    found = set()
    for module, several, one, plain in _IMPORT.findall(source):
        name = (module or plain).decode()
        parts = [part.split()[0] for part in (several or one).decode().split(",") if part.strip()]
        for full in (name, *(f"{name}.{part}" for part in parts)):
            path = _PACKAGE.joinpath(*full.split(".")).with_suffix(".py")
            if path.is_file():
                found.add(path)
    return found


def _source_hash(module: Path) -> str:
    """Hash of a module, of the kernels it imports and of the versions of Python, NumPy and Numba."""
    digest = hashlib.sha256(f"{sys.version}|{numba.__version__}|{np.__version__}".encode())
    sources: dict[Path, bytes] = {}
    waiting = {module}
    while waiting:
        path = waiting.pop()
        sources[path] = path.read_bytes()
        waiting |= _imported(sources[path]) - sources.keys()
    for path, source in sorted(sources.items()):
        if b"njit" in source:
            digest.update(path.name.encode() + source)
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _find_cache() -> Path | None:
    for base in (paths.cache_dir(), Path(tempfile.gettempdir()) / "sixprime"):
        if _writable(base / "kernels"):
            return base / "kernels"
    return None


CACHE: Path | None = _find_cache()
"""Folder of the compiled kernels, None when no folder is writable."""


@functools.cache
def folder_of(module: Path) -> Path | None:
    """Cache folder of the kernels that a module defines."""
    return CACHE and CACHE / f"{module.stem}-{_source_hash(module)}"


def is_cold() -> bool:
    """Whether the big kernels are not compiled yet, so that the first use takes some seconds."""
    folder = folder_of(Path(__file__).with_name("search.py"))
    return folder is None or not any(folder.rglob("*.nbi"))


def _keep_if_possible(jitted: Any) -> None:
    """A disk that is full costs the cache, not the result: what has been compiled is used all the same."""
    save = jitted._cache.save_overload

    def attempt(*compiled: Any) -> None:
        try:
            save(*compiled)
        except OSError as error:
            _warn(f"compiled kernels cannot be kept in {CACHE}: {error.strerror or error}")

    jitted._cache.save_overload = attempt


@functools.cache
def _warn(text: str) -> None:
    logging.getLogger("sixprime").warning("%s", text)


@overload
def njit(function: F, /) -> F: ...
@overload
def njit(*, fastmath: bool = False, inline: str = "never", allocates: bool = True) -> Callable[[F], F]: ...
def njit(function: F | None = None, /, *, fastmath: bool = False, inline: str = "never", allocates: bool = True) -> Any:
    """`numba.njit` without the GIL, with NumPy's division rules and our cache folder.

    allocates: False for a function that makes no array. It then counts no references to those it is given, which costs
    more than many a small kernel; Numba refuses to compile it if it does make one.
    """

    def decorate(function: F) -> F:
        # The folder is read when the function is decorated; other packages keep their own.
        previous = numba.config.CACHE_DIR
        source = Path(inspect.getfile(function))
        inside = source.is_relative_to(_PACKAGE)
        folder = folder_of(source) if inside else None
        numba.config.CACHE_DIR = str(folder or "")
        try:
            jitted: F = numba.njit(
                nogil=True,
                error_model="numpy",
                cache=folder is not None,
                fastmath=fastmath,
                inline=inline,
                _nrt=allocates,
            )(function)
        finally:
            numba.config.CACHE_DIR = previous
        if folder is not None:
            _keep_if_possible(jitted)
        return jitted

    return decorate if function is None else decorate(function)
