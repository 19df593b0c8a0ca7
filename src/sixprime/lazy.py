"""What waits: names of packages, and what draws values in notebooks, are imported when first used, and circles of
objects are looked for after the work; and short reprs."""

from __future__ import annotations

import gc
import sys
from contextlib import contextmanager
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any


def names_of(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], object]:
    """The `__getattr__` of a package; homes: its names by the module within it that defines them."""
    home_of = {name: f"{package}.{module}" for module, names in homes.items() for name in names}

    def get(name: str) -> object:
        home = home_of.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(home), name)
        setattr(sys.modules[package], name, value)
        return value

    return get


def drawn_by(function: str) -> Callable[[Any], str]:
    """A method that is a function of `sixprime.report.notebook`, loaded when a notebook asks for it.

    So values of any room show themselves though they know nothing of reports.
    """

    def method(value: Any) -> str:
        drawn: str = getattr(import_module("sixprime.report.notebook"), function)(value)
        return drawn

    return method


def brief(value: object, text: str) -> str:
    """A `__repr__` that says in a few words what a value is, less than 200 characters however long the text."""
    text = " ".join(text.split())
    return f"<{type(value).__name__} {text if len(text) <= _BRIEF else text[: _BRIEF - 3] + '...'}>"


_BRIEF = 160


@contextmanager
def uncollected() -> Iterator[None]:
    """For what makes much that lasts or refers not back to itself: the collector would look through it again and
    again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
