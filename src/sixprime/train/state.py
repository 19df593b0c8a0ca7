"""What a checkpoint holds, looked at before anything goes on with it: kernels and torch believe what they are given."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sixprime import kernels
from sixprime.bearoff.databases import FULL
from sixprime.errors import InvalidPositionError
from sixprime.game.position import Position
from sixprime.kernels.plays import WIDTH

Arrays = Mapping[str, NDArray[Any]]
_APART = [0, 25, 26, 27]
"""Where a board has the chequers on the bar and off, the opponent's at both ends."""
_SIDES, _SIZES = np.ones(WIDTH, dtype=np.float32), np.ones(WIDTH, dtype=np.float32)
_SIDES[[0, 27]] = -1
_SIZES[28:] = 100  # nothing is there


def held(
    arrays: Arrays, name: str, kind: DTypeLike, *shape: int, least: float = -inf, most: float = inf
) -> NDArray[Any]:
    """The array of this name, type and shape, all of it finite and from `least` to `most`. Raises ValueError."""
    array = _shaped(arrays, name, kind, *shape)
    sound = np.isfinite(array) & (array >= least) & (array <= most)
    if not sound.all():
        span = "finite" if least == -inf else f"at least {least:,}" if most == inf else f"from {least:,} to {most:,}"
        raise ValueError(f"{name} must be {array.dtype}{list(shape)}, all {span}, found {array[~sound][0]:,}")
    return array


def _shaped(arrays: Arrays, name: str, kind: DTypeLike, *shape: int) -> NDArray[Any]:
    """The array of this name, type and shape. Raises ValueError."""
    wanted, array = f"{np.dtype(kind)}{list(shape)}", arrays.get(name)
    if array is None:
        raise ValueError(f"{name} must be {wanted}, found nothing")
    if array.dtype != kind or array.shape != shape:
        raise ValueError(f"{name} must be {wanted}, found {array.dtype}{list(array.shape)}")
    return np.asarray(array, order="C")


def whole(arrays: Arrays, name: str, least: int, most: int) -> int:
    """The whole number of this name, from `least` to `most`. Raises ValueError."""
    found = arrays.get(name)
    # Systems differ in the length of their whole numbers.
    kind = found.dtype if found is not None and found.dtype.kind == "i" else np.int64
    return int(held(arrays, name, kind, least=least, most=most))


def possible(arrays: Arrays, name: str, count: int) -> NDArray[np.int8]:
    """The positions of this name, `int8[count, 32]`, of games that go on. Raises ValueError."""
    found = held(arrays, name, np.int8, count, WIDTH)
    seen = kernels.unpack(found)
    for row, (board, again, one) in enumerate(zip(found, kernels.pack(seen), seen, strict=True)):
        try:
            position = Position.from_board(one)
            position.check()
            position.check_unfinished("it cannot go on")
            if not np.array_equal(board, again):
                raise InvalidPositionError("its numbers of chequers are at odds")
        except InvalidPositionError as error:
            raise ValueError(f"{name} must be possible positions, found in row {row}: {error}") from None
    return found


def counted(arrays: Arrays, name: str, count: int) -> NDArray[np.int8]:
    """The boards of this name, `int8[count, 32]`, in which each side has fifteen chequers. There are millions, so all
    are looked at together. Raises ValueError."""
    found = _shaped(arrays, name, np.int8, count, WIDTH)
    numbers = found.astype(np.float32)
    wrong = (numbers @ _SIDES != 0) | (np.abs(numbers) @ _SIZES != 2 * FULL) | (found[:, _APART] < 0).any(1)
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"{name} must have {FULL} chequers a side, found in row {row}: {found[row].tolist()}")
    return found
