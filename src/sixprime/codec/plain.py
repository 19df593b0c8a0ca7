"""Fields of a value for the objects of `--json`, which are there to be looked at."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum
from math import isfinite
from typing import Any


def plain(value: Any, *names: str) -> dict[str, Any]:
    """The named fields or properties, all fields if none is named, as JSON has them.

    Tuples become lists, enumerated values their value, values of a class what this function makes of them. JSON has no
    infinity: it becomes None, as the error of a single trial does.
    """
    return {name: _plain(getattr(value, name)) for name in names or [field.name for field in fields(value)]}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if is_dataclass(value):
        return plain(value)
    if isinstance(value, Enum):
        return value.value
    return None if isinstance(value, float) and not isfinite(value) else value
