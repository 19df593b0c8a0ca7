"""Fast construction of the values that readers make by the million."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


def maker(kind: type[T], *first: str) -> Callable[..., T]:
    """A constructor of a frozen dataclass with slots that takes its fields in order, several times as fast.

    first: fields to take before the others.
    Frozen values set every field by a call of `object.__setattr__`. This fills a twin that is not frozen and has the
    same slots, and then gives it its class. `__post_init__` is not called: pass what it would leave alone.
    """
    defaults = {field.name: field.default for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    fields = [(name, Any, dataclasses.field(default=defaults[name])) for name in dict.fromkeys((*first, *defaults))]
    twin: Any = dataclasses.make_dataclass(kind.__name__, fields, slots=True, eq=False)

    def make(*values: Any) -> T:
        made = twin(*values)
        made.__class__ = kind
        return made  # type: ignore[no-any-return]

    return make
