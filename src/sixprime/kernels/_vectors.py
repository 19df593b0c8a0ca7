"""Several numbers at once, as kernels reckon with them; `_numba` has the processor's instructions for them.

A vector is 16 `float32` or 32 `int16`. In kernels they are values like numbers: they stay in registers, and their
operators are +, - and *, of floats / too. Where loops over arrays say the same, LLVM has to find out first whether the
arrays overlap, and to store in between.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

FLOATS, SHORTS = 16, 32
"""Numbers of a vector."""

Vector = NDArray[Any]


def floats(array: NDArray[np.float32], *at: int) -> Vector:
    """16 numbers of an array from one place on."""
    return np.array(array[at[:-1]][at[-1] :][:FLOATS])


def shorts(array: NDArray[np.int16], *at: int) -> Vector:
    """32 numbers of an array from one place on."""
    return np.array(array[at[:-1]][at[-1] :][:SHORTS])


def above(board: NDArray[np.int8], bound: int) -> int:
    """A bit for each of the 32 numbers of a board that is above a bound, the first the lowest."""
    return sum(1 << k for k in range(32) if board[k] > bound)


def put(vector: Vector, array: NDArray[Any], *at: int) -> None:
    """Writes a vector into an array from one place on."""
    array[at[:-1]][at[-1] :][: len(vector)] = vector


def repeat(number: float) -> Vector:
    """16 times the same number."""
    return np.full(FLOATS, number, dtype=np.float32)


def fused(a: Vector, b: Vector, c: Vector) -> Vector:
    """`a * b + c` of floats, perhaps without rounding in between."""
    return a * b + c


def within(vector: Vector, bound: float) -> Vector:
    """Floats cut to -bound..bound."""
    return np.clip(vector, np.float32(-bound), np.float32(bound))


def cut(vector: Vector, bound: int) -> Vector:
    """`int16` cut to -bound..bound."""
    return np.clip(vector, np.int16(-bound), np.int16(bound))


def squares(vector: Vector) -> Vector:
    """Of 16 pairs of neighbours among 32 `int16` the sums of the squares, as floats; they must fit into 32 bits."""
    return np.asarray(np.square(vector.reshape(-1, 2).astype(np.int32)).sum(axis=1), dtype=np.float32)


def products(vector: Vector) -> Vector:
    """Of 16 pairs of neighbours among 32 `int16` the products, as floats."""
    return np.asarray(vector.reshape(-1, 2).astype(np.int32).prod(axis=1), dtype=np.float32)


def lower(vector: Vector) -> Vector:
    """The first 16 of 32 `int16` as floats."""
    return vector[:FLOATS].astype(np.float32)


def upper(vector: Vector) -> Vector:
    """The last 16 of 32 `int16` as floats."""
    return vector[FLOATS:].astype(np.float32)


def total(vector: Vector) -> np.float32:
    """The sum of 16 floats, in any order."""
    return np.float32(vector.sum())
