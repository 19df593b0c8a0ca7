"""Rows of numbers as text: what JSON says of plays by the thousand.

A number is written as Python's `repr` writes it: the fewest digits that are read back as the same number, and of
these the nearest (Raffaello Giulietti, "The Schubfach way to render doubles", 2021).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sixprime.kernels._block import Int8s, Int8s2, Int64s, Int64s2
from sixprime.kernels._jit import entry, njit

LONGEST = 25
"""Characters that a number takes at most."""
_LEAST, _MOST = -292, 324
"""Powers of ten that numbers are multiplied with."""
_LETTERS = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", dtype=np.int8)
_NULL = np.frombuffer(b"null", dtype=np.int8)

# What is unsigned must not meet what is signed: it would become a float.
_0, _1, _2, _4, _10, _32, _40 = (np.uint64(n) for n in (0, 1, 2, 4, 10, 32, 40))
_LOWER = np.uint64((1 << 32) - 1)
_FRACTION = np.uint64((1 << 52) - 1)
_HIDDEN = np.uint64(1 << 52)


@cache
def _powers() -> NDArray[np.int64]:
    """The first 128 bits of the powers of ten, rounded up, as two words each."""
    found = []
    for exponent in range(_LEAST, _MOST + 1):
        if exponent < 0:
            divisor = 10**-exponent
            bits = -(-(1 << divisor.bit_length() + 127) // divisor)
        else:
            bits = 10**exponent
            above = bits.bit_length() - 128
            bits = -(-bits >> above) if above > 0 else bits << -above
        found.append((bits >> 64, bits & (1 << 64) - 1))
    return np.array(found, dtype=np.uint64).view(np.int64)


@njit(allocates=False, inline="always")
def _upper_half(a, b):  # type: ignore[no-untyped-def]
    """The upper 64 of the 128 bits of a product."""
    a0, a1, b0, b1 = a & _LOWER, a >> _32, b & _LOWER, b >> _32
    one = a1 * b0 + (a0 * b0 >> _32)
    other = a0 * b1 + (one & _LOWER)
    return a1 * b1 + (one >> _32) + (other >> _32)


@njit(allocates=False)
def _scaled(high, low, number):  # type: ignore[no-untyped-def]
    """The product with a power of ten, without its last 128 bits; its last bit says that these are not naught, too."""
    middle = high * number
    total = middle + _upper_half(low, number)
    found = _upper_half(high, number)
    if total < middle:
        found += _1
    if total > _1:
        found |= _1
    return found


@njit(allocates=False)
def _shortest(fraction, exponent, powers):  # type: ignore[no-untyped-def]
    """The digits of a positive number, perhaps with noughts behind, and the power of ten they count."""
    number, power = (fraction | _HIDDEN, exponent - 1075) if exponent else (fraction, np.int64(-1074))
    uneven = fraction == _0 and exponent > 1
    # Of the interval that is read back as the number; its lower half is the smaller one at powers of two.
    lower, upper = _4 * number - (_1 if uneven else _2), _4 * number + _2
    ten = (power * 1262611 - (524031 if uneven else 0)) >> 22
    up = np.uint64(power + ((-ten * 1741647) >> 19) + 1)
    row = -ten - _LEAST
    first, second = np.uint64(powers[row, 0]), np.uint64(powers[row, 1])
    least, middle = _scaled(first, second, lower << up), _scaled(first, second, _4 * number << up)
    most = _scaled(first, second, upper << up)
    if number & _1:
        least, most = least + _1, most - _1
    digits = middle // _4
    if digits >= _10:
        fewer = digits // _10
        down, above = least <= _40 * fewer, _40 * fewer + _40 <= most
        if down != above:
            return (fewer + _1 if above else fewer), ten + 1
    down, above = least <= _4 * digits, _4 * digits + _4 <= most
    if down != above:
        return (digits + _1 if above else digits), ten
    half = _4 * digits + _2
    if middle > half or (middle == half and digits & _1):
        return digits + _1, ten
    return digits, ten


@njit(allocates=False)
def _put_whole(number, out, at):  # type: ignore[no-untyped-def]
    """Writes an unsigned number; returns where it ends."""
    size = 1
    rest = number // _10
    while rest:
        size += 1
        rest //= _10
    for k in range(at + size - 1, at - 1, -1):
        rest = number // _10
        out[k] = np.int8(48 + np.int64(number - rest * _10))
        number = rest
    return at + size


@njit(allocates=False)
def _put_number(bits, powers, out, at):  # type: ignore[no-untyped-def]
    """Writes a number given by its bits, null where it is not finite; returns where it ends."""
    exponent, fraction = bits >> 52 & 2047, np.uint64(bits) & _FRACTION
    if exponent == 2047:
        for k in range(4):
            out[at + k] = _NULL[k]
        return at + 4
    if bits < 0:
        out[at] = 45  # -
        at += 1
    if exponent == 0 and fraction == _0:
        out[at], out[at + 1], out[at + 2] = 48, 46, 48
        return at + 3
    digits, ten = _shortest(fraction, exponent, powers)
    while digits - digits // _10 * _10 == _0:
        digits //= _10
        ten += 1
    end = _put_whole(digits, out, at)
    size = end - at
    point = size + ten
    if 0 < point <= 16:
        if point >= size:
            for k in range(size, point):
                out[at + k] = 48
            out[at + point], out[at + point + 1] = 46, 48
            return at + point + 2
        for k in range(size, point, -1):
            out[at + k] = out[at + k - 1]
        out[at + point] = 46
        return end + 1
    if -4 < point <= 0:
        for k in range(size - 1, -1, -1):
            out[at + k + 2 - point] = out[at + k]
        for k in range(2 - point):
            out[at + k] = 48
        out[at + 1] = 46
        return end + 2 - point
    if size > 1:
        for k in range(size, 1, -1):
            out[at + k] = out[at + k - 1]
        out[at + 1] = 46
        end += 1
    power = point - 1
    out[end], out[end + 1] = 101, 45 if power < 0 else 43
    if abs(power) < 10:
        out[end + 2] = 48
        return _put_whole(np.uint64(abs(power)), out, end + 3)
    return _put_whole(np.uint64(abs(power)), out, end + 2)


@njit(allocates=False)
def _put_id(board, out, at):  # type: ignore[no-untyped-def]
    """Writes the position ID of a packed board; returns where it ends."""
    # Each side's points and then its bar: a bit for each chequer and a nought behind.
    held, bits, written = np.int64(0), 0, 0
    for side in range(2):
        for point in range(1, 26):
            if point == 25:
                count = np.int64(board[25 if side else 0])
            else:
                count = max(np.int64(board[point] if side else -board[25 - point]), 0)
            held |= ((1 << count) - 1) << bits
            bits += count + 1
            while bits >= 8:
                out[at + written] = np.int8(held & 255)
                held, bits, written = held >> 8, bits - 8, written + 1
    out[at + written] = np.int8(held & 255)
    for k in range(written + 1, 12):
        out[at + k] = 0
    # From behind, as four letters take the place of three bytes.
    for part in range(3, -1, -1):
        three = np.int64(0)
        for k in range(3):
            three = three << 8 | (np.int64(out[at + 3 * part + k]) & 255)
        for k in range(4):
            out[at + 4 * part + k] = _LETTERS[three >> (18 - 6 * k) & 63]
    return at + 14


@njit(allocates=False)
def _put_word(words, first, end, out, at):  # type: ignore[no-untyped-def]
    for k in range(first, end):
        out[at + k - first] = words[k]
    return at + end - first


@entry()
def _rows(
    words: Int8s, word_ends: Int64s, boards: Int8s2, numbers: Int64s2, whole: Int64s, powers: Int64s2, out: Int8s,
    ends: Int64s,
) -> None:  # fmt: skip
    at = 0
    for i in range(boards.shape[0]):
        at = _put_word(words, 0, word_ends[0], out, at)
        at = _put_id(boards[i], out, at)
        for k in range(numbers.shape[1]):
            at = _put_word(words, word_ends[k], word_ends[k + 1], out, at)
            if whole[k]:
                at = _put_whole(np.uint64(numbers[i, k]), out, at)
            else:
                at = _put_number(numbers[i, k], powers, out, at)
        last = len(word_ends) - 1
        at = _put_word(words, word_ends[last - 1], word_ends[last], out, at)
        ends[i] = at


def rows(words: Sequence[str], boards: NDArray[np.int8], columns: Sequence[NDArray[np.generic]]) -> list[str]:
    """A text for each of M boards: a word, the position ID, and then a word before each number and one at the end.

    boards: `int8[M, 32]`, packed. columns: K arrays of M numbers, `float64` or whole ones that are not negative; what
    is not finite is null. words: K + 2, of ASCII.
    """
    count, kinds = len(boards), [column.dtype == np.float64 for column in columns]
    numbers = np.empty((count, len(columns)), dtype=np.int64)
    for k, column in enumerate(columns):
        numbers[:, k] = column.view(np.int64) if kinds[k] else column
    whole = np.array([not kind for kind in kinds], dtype=np.int64)
    word_ends = np.cumsum([len(word) for word in words])
    text = np.frombuffer("".join(words).encode("ascii"), dtype=np.int8)
    out = np.empty(count * (len(text) + 16 + LONGEST * len(columns)), dtype=np.int8)
    ends = np.empty(count, dtype=np.int64)
    _rows(text, word_ends, boards, numbers, whole, _powers(), out, ends)
    told = out[: ends[-1] if count else 0].tobytes().decode("ascii")
    places = [0, *ends.tolist()]
    return [told[places[i] : places[i + 1]] for i in range(count)]
