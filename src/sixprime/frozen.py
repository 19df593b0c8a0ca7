"""What frozen values are made of where Python's own is not: arrays and dictionaries that nobody changes."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast

if TYPE_CHECKING:
    from numpy import generic
    from numpy.typing import NDArray

    T = TypeVar("T", bound=generic)

K = TypeVar("K")
V = TypeVar("V")


def frozen(array: NDArray[T]) -> NDArray[T]:
    """The array itself, made read-only."""
    array.flags.writeable = False
    return array


class ByBits:
    """A frozen dataclass with arrays, made with eq=False: two are equal where these are so to the bit."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self._bits() == other._bits() if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._bits())

    def _bits(self) -> tuple[object, ...]:
        values = (getattr(self, each.name) for each in fields(cast("Any", self)))
        return tuple(value.tobytes() if hasattr(value, "tobytes") else value for value in values)


class FrozenDict(dict[K, V]):
    """A dictionary that cannot be changed. Unlike a `MappingProxyType` it can be hashed, copied, pickled and written
    as JSON; it equals any dictionary of the same items, and `|` makes a plain one."""

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be changed; dict(...) makes a copy that can")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[type[FrozenDict[K, V]], tuple[dict[K, V]]]:
        return type(self), (dict(self),)

    def __copy__(self) -> FrozenDict[K, V]:
        return self
