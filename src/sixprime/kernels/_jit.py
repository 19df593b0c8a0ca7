"""The one place where Numba is configured: `njit` with our options and a cache that cannot go stale.

Numba's cache key covers only the file that defines a function, so code edited in another file would run
stale. The cache folder is therefore named after a hash of every source file that holds kernels, and of the
versions involved; it lies in the user's cache folder, else in a temporary one, else there is no cache.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, overload

import numba
import numpy as np

from sixprime import paths

F = TypeVar("F", bound=Callable[..., Any])

_ROOMS = ("kernels", "bearoff", "nets", "cube", "engine", "train")


def _source_hash() -> str:
    """Hash of all sources that hold kernels and of the versions of Python, NumPy and Numba."""
    digest = hashlib.sha256(f"{sys.version}|{numba.__version__}|{np.__version__}".encode())
    package = Path(__file__).parent.parent
    for room in _ROOMS:
        for path in sorted((package / room).glob("*.py")):
            source = path.read_bytes()
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
    name = f"kernels-{_source_hash()}"
    for base in (paths.cache_dir(), Path(tempfile.gettempdir()) / "sixprime"):
        if _writable(base / name):
            return base / name
    return None


CACHE: Path | None = _find_cache()
"""Folder of the compiled kernels, None when no folder is writable."""


def is_cold() -> bool:
    """Whether nothing has been compiled yet, so that the first use takes some seconds."""
    return CACHE is None or not any(CACHE.rglob("*.nbi"))


@overload
def njit(function: F, /) -> F: ...
@overload
def njit(*, fastmath: bool = False, inline: str = "never") -> Callable[[F], F]: ...
def njit(function: F | None = None, /, *, fastmath: bool = False, inline: str = "never") -> Any:
    """`numba.njit` without the GIL, with NumPy's division rules and our cache folder."""

    def decorate(function: F) -> F:
        # The folder is read when the function is decorated; other packages keep their own.
        previous = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(CACHE or "")
        try:
            jitted: F = numba.njit(
                nogil=True, error_model="numpy", cache=CACHE is not None, fastmath=fastmath, inline=inline
            )(function)
        finally:
            numba.config.CACHE_DIR = previous
        return jitted

    return decorate if function is None else decorate(function)
