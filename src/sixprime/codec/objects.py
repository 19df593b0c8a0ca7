"""Fields of a value for the objects of `--json`, which are there to be looked at."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import repeat
from math import isfinite
from typing import Any

_ITSELF = {int, str, bool, type(None)}


def plain(value: Any, *names: str) -> dict[str, Any]:
    """The named fields or properties, all fields if none is named, as JSON has them.

    Tuples become lists, enumerated values their value, values of a class what this function makes of them. JSON has no
    infinity: it becomes None, as the error of a single trial does.
    """
    names = names or tuple(field.name for field in fields(value))
    return dict(zip(names, map(_plain, map(getattr, repeat(value), names)), strict=True))


def _plain(value: Any) -> Any:
    if type(value) in _ITSELF or (type(value) is float and isfinite(value)):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, tuple):
        return list(map(_plain, value))
    if is_dataclass(value):
        return plain(value)
    return value.value if isinstance(value, Enum) else value
