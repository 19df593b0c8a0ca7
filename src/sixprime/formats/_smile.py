"""Smile, the binary form of JSON, read with bounds on depth and size.

The format is described at github.com/FasterXML/smile-format-specification.
"""

from __future__ import annotations

import struct
from typing import Any

HEADER = b":)\n"

_MOST_SHARED = 1024
_DEEPEST = 32
_MOST_DIGITS = 64  # bytes of a large number
_SINGLE, _DOUBLE = struct.Struct(">f"), struct.Struct(">d")

# What values take in memory, about: any of them, and on top of that an object, an array and a string.
_COST, _OBJECT_COST, _ARRAY_COST, _TEXT_COST = 24, 200, 64, 50

OFFSET = "offset"
"""Key under which an object may hold its own offset."""


class SmileError(ValueError):
    """Bytes that are no Smile; `offset` is where, `found` what could be read of the outermost object."""

    def __init__(self, message: str, offset: int, found: Any = None) -> None:
        super().__init__(message)
        self.offset, self.found = offset, found


def loads(data: bytes, marked: frozenset[tuple[str, ...]] = frozenset(), memory: int | None = None) -> Any:
    """The value that `data` holds; objects at the paths `marked` (without the places in arrays) get their offset.

    memory: about how many bytes the value may take; None for any number. Raises SmileError, which has what could be
    read before it.
    """
    if not data.startswith(HEADER) or len(data) < 4:
        raise SmileError("no header of Smile", 0)
    reader = _Reader(data, marked, memory)
    try:
        return reader.value()
    except (IndexError, struct.error):
        raise SmileError("the data end too early", len(data), reader.root) from None
    except SmileError as error:
        error.found = reader.root
        raise


class _Reader:
    def __init__(self, data: bytes, marked: frozenset[tuple[str, ...]], memory: int | None) -> None:
        flags = data[3]
        self._data, self._at, self._marked = data, 4, marked
        self._names: list[str] | None = [] if flags & 1 else None
        self._strings: list[str] | None = [] if flags & 2 else None
        self._left = memory if memory is not None else 1 << 62
        self.root: Any = None

    def value(self) -> Any:
        """The value. Arrays and objects are put where they belong before they are filled: nothing read is lost."""
        data = self._data
        kept: list[Any] = []  # the outermost value
        within: list[tuple[Any, tuple[str, ...]]] = []  # what holds the array or object being filled, with the paths
        box: Any = kept  # what is being filled
        path: tuple[str, ...] = ()
        keyed = False  # whether it is an object
        while not kept or within:
            key = ""
            if keyed:
                found = self._key()
                if found is None:
                    box, path = within.pop()
                    keyed = type(box) is dict
                    continue
                key = found
            at = self._at
            token = data[at]
            self._at = at + 1
            self._left -= _COST
            if self._left < 0:
                raise SmileError("holds more than any match has", at)
            if 0xC0 <= token <= 0xDF:
                value: Any = (token & 0x1F) >> 1 ^ -(token & 1)
            elif token in (0xF8, 0xFA):
                value = {} if token == 0xFA else []
                inner = (*path, key) if keyed else path
                if token == 0xFA:
                    self._left -= _OBJECT_COST
                    if inner in self._marked:
                        value[OFFSET] = at
                    if self.root is None:
                        self.root = value
                else:
                    self._left -= _ARRAY_COST
                if len(within) == _DEEPEST:
                    raise SmileError(f"more than {_DEEPEST} values within one another", at)
                if keyed:
                    box[key] = value
                else:
                    box.append(value)
                within.append((box, path))
                box, path, keyed = value, inner, token == 0xFA
                continue
            elif token == 0xF9 and within and not keyed:
                box, path = within.pop()
                keyed = type(box) is dict
                continue
            else:
                value = self._scalar(token)
            if keyed:
                box[key] = value
            else:
                box.append(value)
        return kept[0]

    def _scalar(self, token: int) -> Any:
        """The value that begins with a byte already passed."""
        if token == 0x29:
            a, b, c, d, e, f, g, h, i, j = self._take(10)
            value = a << 63 | b << 56 | c << 49 | d << 42 | e << 35 | f << 28 | g << 21 | h << 14 | i << 7 | j
            if (a | b | c | d | e | f | g | h | i | j) & 0x80:  # only seven bits of each byte count
                self._at -= 10
                return _DOUBLE.unpack(self._packed(10, 8))[0]
            return _DOUBLE.unpack((value & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "big"))[0]
        if token >= 0xC0:
            if token in (0xE0, 0xE4):
                return self._long_string()
            if token == 0xE8:
                return self._seven_bits()
            if 0xEC <= token <= 0xEF:
                return self._shared(self._strings, (token & 3) << 8 | self._byte())
            if token == 0xFD:
                return self._take(self._vint())
        elif token >= 0x40:
            text = self._text((token & 0x1F) + (1, 33, 2, 34)[(token >> 5) - 2])
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
            return _SINGLE.unpack(self._packed(5, 4))[0]
        elif token == 0x2A:
            scale = _unzigzag(self._vint())
            digits = int.from_bytes(self._seven_bits(_MOST_DIGITS), "big", signed=True)
            return digits / 10**scale if 0 <= scale <= 300 else float(digits)
        raise SmileError(f"byte {token:#04x} begins no value", self._at - 1)

    def _key(self) -> str | None:
        """The next key; None at the end of the object."""
        token = self._data[self._at]
        self._at += 1
        if 0x40 <= token <= 0x7F:
            return self._shared(self._names, token - 0x40)
        if 0x80 <= token <= 0xF7:
            name = self._text((token & 0x3F) + 1 if token < 0xC0 else token - 0xC0 + 2)
            if self._names is not None:
                _share(self._names, name)
            return name
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
        self._left -= _TEXT_COST + length
        return self._take(length).decode("utf-8", errors="replace")

    def _long_string(self) -> str:
        end = self._data.find(0xFC, self._at)
        if end < 0:
            raise SmileError("a string without an end", self._at - 1)
        self._left -= _TEXT_COST + 2 * (end - self._at)
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
