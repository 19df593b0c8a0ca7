"""Smile, the binary form of JSON, read with bounds on depth and size.

The format is described at github.com/FasterXML/smile-format-specification.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial
from typing import Any

HEADER = b":)\n"

_MOST_SHARED = 1024
_DEEPEST = 32
_MOST_DIGITS = 64  # bytes of a large number

OFFSET = "offset"
"""Key under which an object may hold its own offset."""


class SmileError(ValueError):
    """Bytes that are no Smile; `offset` is where, `found` what could be read of the outermost object."""

    def __init__(self, message: str, offset: int, found: Any = None) -> None:
        super().__init__(message)
        self.offset, self.found = offset, found


def loads(data: bytes, marked: frozenset[tuple[str, ...]] = frozenset()) -> Any:
    """The value that `data` holds; objects at the paths `marked` (without the places in arrays) get their offset.

    Raises SmileError, which has what could be read before it.
    """
    if not data.startswith(HEADER) or len(data) < 4:
        raise SmileError("no header of Smile", 0)
    reader = _Reader(data, marked)
    try:
        return reader.value(0, ())
    except (IndexError, struct.error):
        raise SmileError("the data end too early", len(data), reader.root) from None
    except SmileError as error:
        error.found = reader.root
        raise


class _Reader:
    def __init__(self, data: bytes, marked: frozenset[tuple[str, ...]]) -> None:
        flags = data[3]
        self._data, self._at, self._marked = data, 4, marked
        self._names: list[str] | None = [] if flags & 1 else None
        self._strings: list[str] | None = [] if flags & 2 else None
        self.root: Any = None

    def value(self, depth: int, path: tuple[str, ...], keep: Callable[[Any], None] | None = None) -> Any:
        """The next value. keep: takes an array or object before it is filled, so that nothing read is lost."""
        token = self._byte()
        if token >= 0xC0:
            if token <= 0xDF:
                return _unzigzag(token & 0x1F)
            if token == 0xF8:
                return self._array(depth + 1, path, keep)
            if token == 0xFA:
                return self._object(depth + 1, path, keep)
            if token in (0xE0, 0xE4):
                return self._long_string()
            if token == 0xE8:
                return self._seven_bits()
            if 0xEC <= token <= 0xEF:
                return self._shared(self._strings, (token & 3) << 8 | self._byte())
            if token == 0xFD:
                return self._take(self._vint())
        elif token >= 0x40:
            length = (token & 0x1F) + (1, 33, 2, 34)[(token >> 5) - 2]
            text = self._text(length)
            if self._strings is not None:
                _share(self._strings, text)
            return text
        elif 0x01 <= token <= 0x1F:
            return self._shared(self._strings, token - 1)
        elif token == 0x20:
            return ""
        elif 0x21 <= token <= 0x23:
            return (None, False, True)[token - 0x21]
        elif token in (0x24, 0x25):
            return _unzigzag(self._vint())
        elif token == 0x26:
            return int.from_bytes(self._seven_bits(_MOST_DIGITS), "big", signed=True)
        elif token == 0x28:
            return struct.unpack(">f", self._packed(5, 4))[0]
        elif token == 0x29:
            return struct.unpack(">d", self._packed(10, 8))[0]
        elif token == 0x2A:
            scale = _unzigzag(self._vint())
            digits = int.from_bytes(self._seven_bits(_MOST_DIGITS), "big", signed=True)
            return digits / 10**scale if 0 <= scale <= 300 else float(digits)
        raise SmileError(f"byte {token:#04x} begins no value", self._at - 1)

    def _array(self, depth: int, path: tuple[str, ...], keep: Callable[[Any], None] | None) -> list[Any]:
        self._check(depth)
        found: list[Any] = []
        if keep is not None:
            keep(found)
        while self._data[self._at] != 0xF9:
            place = len(found)
            value = self.value(depth, path, found.append)
            if len(found) == place:
                found.append(value)
        self._at += 1
        return found

    def _object(self, depth: int, path: tuple[str, ...], keep: Callable[[Any], None] | None) -> dict[str, Any]:
        self._check(depth)
        found: dict[str, Any] = {OFFSET: self._at - 1} if path in self._marked else {}
        if keep is not None:
            keep(found)
        if self.root is None:
            self.root = found
        while (key := self._key()) is not None:
            found[key] = self.value(depth, (*path, key), partial(found.__setitem__, key))
        return found

    def _check(self, depth: int) -> None:
        if depth > _DEEPEST:
            raise SmileError(f"more than {_DEEPEST} values within one another", self._at - 1)

    def _key(self) -> str | None:
        """The next key; None at the end of the object."""
        token = self._byte()
        if 0x80 <= token <= 0xF7:
            name = self._text((token & 0x3F) + 1 if token < 0xC0 else token - 0xC0 + 2)
            if self._names is not None:
                _share(self._names, name)
            return name
        if 0x40 <= token <= 0x7F:
            return self._shared(self._names, token - 0x40)
        if 0x30 <= token <= 0x33:
            return self._shared(self._names, (token & 3) << 8 | self._byte())
        if token == 0xFB:
            return None
        if token == 0x20:
            return ""
        if token == 0x34:
            return self._long_string()
        raise SmileError(f"byte {token:#04x} begins no key", self._at - 1)

    def _byte(self) -> int:
        byte = self._data[self._at]
        self._at += 1
        return byte

    def _take(self, length: int) -> bytes:
        end = self._at + length
        if end > len(self._data):
            raise SmileError("the data end too early", len(self._data))
        found = self._data[self._at : end]
        self._at = end
        return found

    def _text(self, length: int) -> str:
        return self._take(length).decode("utf-8", errors="replace")

    def _long_string(self) -> str:
        end = self._data.find(0xFC, self._at)
        if end < 0:
            raise SmileError("a string without an end", self._at - 1)
        text = self._data[self._at : end].decode("utf-8", errors="replace")
        self._at = end + 1
        return text

    def _vint(self) -> int:
        value = 0
        for _ in range(11):
            byte = self._byte()
            if byte & 0x80:
                return value << 6 | byte & 0x3F
            value = value << 7 | byte
        raise SmileError("a number that is too long", self._at - 1)

    def _packed(self, count: int, size: int) -> bytes:
        """A number of `size` bytes that are spread over `count` bytes of seven bits."""
        value = 0
        for byte in self._take(count):
            value = value << 7 | byte & 0x7F
        return (value & (1 << 8 * size) - 1).to_bytes(size, "big")

    def _seven_bits(self, most: int | None = None) -> bytes:
        """Bytes of any number, spread in the same way; the last one holds the bits that are left."""
        length = self._vint()
        if most is not None and length > most:
            raise SmileError(f"a number of {length} bytes", self._at - 1)
        whole, rest = divmod(length, 7)
        found = b"".join(self._packed(8, 7) for _ in range(min(whole, len(self._data)))) if whole else b""
        if rest:
            raw = self._take(rest + 1)
            value = 0
            for byte in raw[:-1]:
                value = value << 7 | byte & 0x7F
            found += (value << rest | raw[-1] & (1 << rest) - 1).to_bytes(rest, "big")
        return found

    def _shared(self, known: list[str] | None, index: int) -> str:
        if known is None or index >= len(known):
            raise SmileError("a reference to a string that was not there", self._at - 1)
        return known[index]


def _share(known: list[str], text: str) -> None:
    if len(known) == _MOST_SHARED:
        known.clear()
    known.append(text)


def _unzigzag(value: int) -> int:
    return value >> 1 ^ -(value & 1)
