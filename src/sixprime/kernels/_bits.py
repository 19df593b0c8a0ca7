"""Bits of words, as kernels count them; `_numba` has the processor's instructions for them."""

from __future__ import annotations


def trailing_zeros(bits: int) -> int:
    """Index of the lowest bit of an int64 that is set; 64 for none."""
    bits &= (1 << 64) - 1
    return (bits & -bits).bit_length() - 1 if bits else 64


def leading_zeros(bits: int) -> int:
    """How many bits of an int64 are zero above the highest that is set; 64 for none."""
    return 64 - (bits & (1 << 64) - 1).bit_length()
