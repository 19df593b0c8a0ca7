"""Numba functions over flat arrays: legal plays, network evaluation, bear-off look-ups.

In and out go packed boards (`plays` says how they look) and flat arrays; kernels know nothing of Python
objects, files or cubes, release the GIL and keep no state.
"""

from __future__ import annotations

from sixprime.kernels._objects import prepare
from sixprime.kernels.plays import ROLL_WEIGHTS, ROLLS, WIDTH, legal_plays, pack, pips, routes, swap, unpack

__all__ = ["ROLLS", "ROLL_WEIGHTS", "WIDTH", "legal_plays", "pack", "pips", "prepare", "routes", "swap", "unpack"]
