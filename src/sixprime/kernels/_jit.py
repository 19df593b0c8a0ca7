"""Functions that are compiled: `njit` for those that other kernels call, `entry` for those that Python calls.

Nothing here imports Numba. An entry is called with the address of its arguments' words, in a library that `_objects`
keeps; only where there is none yet, it is compiled, in a process of its own. Without such a library, and for kernels
that are called by themselves, Numba compiles within this process and keeps what it made (`_numba`).
"""

from __future__ import annotations

import ctypes
import functools
import inspect
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, overload

from sixprime.kernels import _objects
from sixprime.kernels._block import kinds_of, packer

P = ParamSpec("P")
R = TypeVar("R")

SEARCH = "sixprime.kernels.replies"
"""Group of the entries for plays, outcomes and replies; a group is named after the module that has them all."""


class Kernel(Generic[P, R]):
    """A function for Numba to compile, when another kernel or Python calls it."""

    apart = False
    """Whether this process only makes object files: LLVM inlines then."""

    def __init__(self, function: Callable[P, R], options: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self.options = options

    @property
    def targetoptions(self) -> dict[str, Any]:
        """Where Numba looks for what it is to inline."""
        return {"inline": "never" if Kernel.apart else self.options["inline"]}

    @functools.cached_property
    def dispatcher(self) -> Any:
        """Numba's function, compiled in this process and kept in the user's cache."""
        from sixprime.kernels import _numba

        return _numba.dispatcher_of(self)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        result: R = self.dispatcher(*args, **kwargs)
        return result


@overload
def njit(function: Callable[P, R], /) -> Kernel[P, R]: ...
@overload
def njit(
    *, fastmath: bool = False, inline: str = "never", allocates: bool = True
) -> Callable[[Callable[P, R]], Kernel[P, R]]: ...
def njit(
    function: Callable[P, R] | None = None, /, *, fastmath: bool = False, inline: str = "never", allocates: bool = True
) -> Any:
    """A kernel: without the GIL, with NumPy's division rules.

    allocates: False for a function that makes no array. It then counts no references to those it is given, which costs
    more than many a small kernel; Numba refuses to compile it if it does make one.
    """
    options = {"fastmath": fastmath, "inline": inline, "allocates": allocates}
    return Kernel(function, options) if function else lambda function: Kernel(function, options)


ENTRIES: dict[str, dict[str, Entry[..., Any]]] = {}
"""Every entry by group and symbol."""


class Entry(Generic[P, R]):
    """A kernel that Python calls; see `entry`."""

    def __init__(self, function: Callable[P, R], group: str, fastmath: bool) -> None:
        functools.update_wrapper(self, function)
        self.kernel = Kernel(function, {"fastmath": fastmath, "inline": "never", "allocates": False})
        self.group = group
        self.symbol = f"sixprime_{function.__module__.rpartition('.')[2]}_{function.__name__.strip('_')}"
        self.names = list(inspect.signature(function).parameters)
        ENTRIES.setdefault(group, {})[self.symbol] = self

    @functools.cached_property
    def kinds(self) -> dict[str, Any]:
        """What each parameter is."""
        return kinds_of(self.kernel.py_func, self.names)

    @functools.cached_property
    def _pack(self) -> Callable[..., bytes]:
        return packer(self.symbol, self.kinds.values())

    @functools.cached_property
    def _native(self) -> Any:
        """The compiled function, None when Numba has to do."""
        address = _objects.address_of(self.group, self.symbol)
        if address is None:
            return None
        prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
        return prototype(address)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        native = self._native
        if native is None:
            result: R = self.kernel.dispatcher(*args, **kwargs)
            return result
        answer, error = ctypes.c_int64(0), ctypes.c_void_p()
        native(ctypes.byref(answer), ctypes.byref(error), self._pack(*args, **kwargs))
        return answer.value  # type: ignore[return-value]


def entry(group: str | None = None, *, fastmath: bool = False) -> Callable[[Callable[P, R]], Entry[P, R]]:
    """A kernel that is called from Python, by position. It makes no array, raises nothing and answers an integer.

    Its parameters are annotated with the types of `_block`. group: see `SEARCH`; None for that of its own module. The
    entries of a group are compiled together, so that what they share is compiled once.
    """
    return lambda function: Entry(function, group or function.__module__, fastmath)
