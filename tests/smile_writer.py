"""Writes Smile (binary JSON), for tests and the fuzzer: with shared names and strings, as BGBlitz does."""

from __future__ import annotations

import struct
from typing import Any


def dumps(value: Any) -> bytes:
    """The Smile of a value of dicts, lists, strings, numbers, booleans and None."""
    out = bytearray(b":)\n\x03")
    _Writer(out).value(value)
    return bytes(out)


class _Writer:
    def __init__(self, out: bytearray) -> None:
        self._out = out
        self._names: dict[str, int] = {}
        self._strings: dict[str, int] = {}

    def value(self, value: Any) -> None:
        out = self._out
        if value is None or isinstance(value, bool):
            out.append({None: 0x21, False: 0x22, True: 0x23}[value])
        elif isinstance(value, int):
            zigzag = value << 1 if value >= 0 else (-value << 1) - 1
            if zigzag < 32:
                out.append(0xC0 | zigzag)
            else:
                out.append(0x24 if value.bit_length() < 32 else 0x25)
                out += _vint(zigzag)
        elif isinstance(value, float):
            out.append(0x29)
            out += _seven_bits(struct.pack(">d", value), 10)
        elif isinstance(value, str):
            self._string(value)
        elif isinstance(value, dict):
            out.append(0xFA)
            for key, item in value.items():
                self._key(key)
                self.value(item)
            out.append(0xFB)
        else:
            out.append(0xF8)
            for item in value:
                self.value(item)
            out.append(0xF9)

    def _key(self, key: str) -> None:
        out, raw = self._out, key.encode()
        if key in self._names:
            index = self._names[key]
            out += bytes([0x40 + index]) if index < 64 else bytes([0x30 | index >> 8, index & 0xFF])
            return
        assert 0 < len(raw) <= 64
        assert key.isascii()
        out.append(0x80 + len(raw) - 1)
        out += raw
        _remember(self._names, key)

    def _string(self, text: str) -> None:
        out, raw = self._out, text.encode()
        if text in self._strings:
            index = self._strings[text]
            out += bytes([index + 1]) if index < 31 else bytes([0xEC | index >> 8, index & 0xFF])
        elif not raw:
            out.append(0x20)
        elif len(raw) > 64:
            out.append(0xE0 if text.isascii() else 0xE4)
            out += raw + b"\xfc"
        elif text.isascii():
            out.append(0x40 + len(raw) - 1)
            out += raw
            _remember(self._strings, text)
        else:
            assert len(raw) >= 2
            out.append(0x80 + len(raw) - 2 if len(raw) <= 33 else 0xA0 + len(raw) - 34)
            out += raw
            _remember(self._strings, text)


def _remember(known: dict[str, int], text: str) -> None:
    """Gives a text its number; after 1024 they begin anew."""
    if len(known) == 1024:
        known.clear()
    known[text] = len(known)


def _vint(value: int) -> bytes:
    found = [0x80 | value & 0x3F]
    value >>= 6
    while value:
        found.append(value & 0x7F)
        value >>= 7
    return bytes(reversed(found))


def _seven_bits(raw: bytes, count: int) -> bytes:
    value = int.from_bytes(raw, "big")
    return bytes(value >> 7 * place & 0x7F for place in range(count - 1, -1, -1))
