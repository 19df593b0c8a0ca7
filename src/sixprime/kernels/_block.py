"""Several arrays and numbers behind one address: how kernels take nets, tables and scratch.

A `Block` is a frozen dataclass whose fields are annotated with the types below, `int`, `float` or other blocks. A
kernel gets its address alone, one word instead of a dozen for each array, and reads the fields where they lie.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sixprime.checks import Instance
from sixprime.errors import SettingsError


class Layout(NamedTuple):
    """What an array has to be: its dtype and its number of axes. It lies in C order."""

    dtype: np.dtype[Any]
    axes: int


def _layout(dtype: str, axes: int) -> Layout:
    return Layout(np.dtype(dtype), axes)


Bools = Annotated[NDArray[np.bool_], _layout("bool", 1)]
Int8s = Annotated[NDArray[np.int8], _layout("int8", 1)]
Int8s2 = Annotated[NDArray[np.int8], _layout("int8", 2)]
Int8s3 = Annotated[NDArray[np.int8], _layout("int8", 3)]
Int16s = Annotated[NDArray[np.int16], _layout("int16", 1)]
Int16s2 = Annotated[NDArray[np.int16], _layout("int16", 2)]
UInt16s = Annotated[NDArray[np.uint16], _layout("uint16", 1)]
UInt16s2 = Annotated[NDArray[np.uint16], _layout("uint16", 2)]
UInt16s3 = Annotated[NDArray[np.uint16], _layout("uint16", 3)]
UInt32s2 = Annotated[NDArray[np.uint32], _layout("uint32", 2)]
UInt32s4 = Annotated[NDArray[np.uint32], _layout("uint32", 4)]
Int32s = Annotated[NDArray[np.int32], _layout("int32", 1)]
Int32s2 = Annotated[NDArray[np.int32], _layout("int32", 2)]
Int64s = Annotated[NDArray[np.int64], _layout("int64", 1)]
Int64s2 = Annotated[NDArray[np.int64], _layout("int64", 2)]
Int64s3 = Annotated[NDArray[np.int64], _layout("int64", 3)]
Float32s = Annotated[NDArray[np.float32], _layout("float32", 1)]
Float32s2 = Annotated[NDArray[np.float32], _layout("float32", 2)]
Float32s3 = Annotated[NDArray[np.float32], _layout("float32", 3)]
Float64s = Annotated[NDArray[np.float64], _layout("float64", 1)]
Float64s2 = Annotated[NDArray[np.float64], _layout("float64", 2)]
Float64s3 = Annotated[NDArray[np.float64], _layout("float64", 3)]


_laying_out = threading.RLock()
"""Held once more for each block in a block."""


class Block:
    """Base of what kernels take by address: frozen dataclasses with slots. Two blocks are equal when they are one."""

    __slots__ = ("__weakref__", "_words")
    _words: tuple[NDArray[np.int64], int]

    @property
    def address(self) -> int:
        """Where the words of the block lie; they and the arrays they name live as long as the block."""
        try:
            return self._words[1]
        except AttributeError:
            self._lay_out()
        return self._words[1]

    def _lay_out(self) -> None:
        # One thread alone: words that another put in their place would be freed while a kernel reads them.
        with _laying_out:
            if not hasattr(self, "_words"):
                kinds = fields_of(type(self))
                packed = packer(type(self).__name__, kinds.values())(*(getattr(self, name) for name in kinds))
                words = np.frombuffer(packed, dtype=np.int64)
                object.__setattr__(self, "_words", (words, int(words.ctypes.data)))


Kind = Layout | type[Any]
"""What a word or several stand for: an array, `int`, `float` or a class of blocks."""


_fields: dict[type[Block], dict[str, Kind]] = {}


def fields_of(block: type[Block]) -> dict[str, Kind]:
    """The fields of a class of blocks, in order, and what each is."""
    if block not in _fields:
        _fields[block] = kinds_of(block, [field.name for field in fields(block)])  # type: ignore[arg-type]
    return _fields[block]


def kinds_of(annotated: Any, names: list[str]) -> dict[str, Kind]:
    """What the annotations of a class or a function say of these names. Raises TypeError for what no kernel takes."""
    hints = get_type_hints(annotated, include_extras=True)
    return {name: _kind(hints[name], name) for name in names}


def _kind(hint: Any, name: str) -> Kind:
    if get_origin(hint) is Annotated:
        found = [extra for extra in get_args(hint)[1:] if isinstance(extra, Layout)]
        if found:
            return found[0]
    if hint in (int, float) or (isinstance(hint, type) and issubclass(hint, Block)):
        kind: Kind = hint
        return kind
    raise TypeError(f"a kernel can't take {name}: {hint!r}")


def check_arrays(block: Any, kind: type[Block], **shapes: tuple[int | None, ...]) -> None:
    """Raises SettingsError unless something is a block of a class, and kernels can take its arrays.

    shapes: of these arrays; None: of any length.
    """
    Instance(kind)("arrays", block)
    for name, shape in shapes.items():
        layout, array = fields_of(kind)[name], getattr(block, name)
        right = isinstance(layout, Layout) and isinstance(array, np.ndarray) and array.dtype == layout.dtype
        right = right and len(array.shape) == len(shape) and array.flags.c_contiguous
        if not right or any(want not in (None, have) for want, have in zip(shape, array.shape, strict=True)):
            lengths = ", ".join("N" if length is None else str(length) for length in shape)
            wanted = f"{getattr(layout, 'dtype', layout)}[{lengths}], in C order"
            raise SettingsError(f"arrays.{name} must be {wanted}. Got {_describe(array)} instead.")


def width(kind: Kind) -> int:
    """Words of a field: an array has its address and shape, all else is one."""
    return 1 + kind.axes if isinstance(kind, Layout) else 1


def packer(name: str, kinds: Iterable[Kind]) -> Callable[..., bytes]:
    """A function that puts values of these kinds into words; it raises TypeError for one that is not of its kind."""
    kinds = list(kinds)
    numbers = [kind is int or kind is float for kind in kinds]
    packed = struct.Struct("".join("d" if kind is float else "q" * width(kind) for kind in kinds)).pack

    def pack(*values: Any) -> bytes:
        words: list[Any] = []
        for kind, number, value in zip(kinds, numbers, values, strict=True):
            if number:
                words.append(value)
            elif isinstance(kind, Layout):
                place = _place(value) if value.dtype == kind.dtype and value.ndim == kind.axes else None
                if place is None:
                    raise TypeError(f"{name}: expected {kind.dtype} with {kind.axes} axes, found {_describe(value)}")
                words.append(place)
                words += value.shape
            else:
                if type(value) is not kind:
                    raise TypeError(f"{name}: expected a {kind.__name__}, found {_describe(value)}")
                words.append(value.address)
        return packed(*words)

    return pack


_byte_of: Callable[[Any], ctypes.c_char] = ctypes.c_char.from_buffer
_address = ctypes.addressof


def _place(array: NDArray[Any]) -> int | None:
    """Where the numbers of an array lie, None unless it is in C order.

    As a buffer it tells that several times as fast, if it may be written to and is not empty.
    """
    try:
        return _address(_byte_of(array))
    except (TypeError, ValueError):
        place: int = array.__array_interface__["data"][0]
        return place if array.flags.c_contiguous else None


def _describe(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}{'' if value.flags.c_contiguous else ', not in C order'}"
    return type(value).__name__


T = TypeVar("T")
_scratch = threading.local()


def scratch_of(make: Callable[..., T], *blocks: Block) -> T:
    """What `make` gives for blocks, made once for each thread and kept as long as they are."""
    level: Any = _scratch.__dict__.setdefault("made", WeakKeyDictionary())
    for block in blocks:
        level = level.setdefault(block, WeakKeyDictionary())
    if make not in level:
        level[make] = make(*blocks)
    found: T = level[make]
    return found
