"""Plays of other programs, which are not believed before they are found to be legal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.errors import EngineError
from sixprime.game.position import Position
from sixprime.players.bot import Asked, distinct

Ask = Callable[[NDArray[np.int64]], Sequence[object]]


def checked_plays(name: str, asked: Asked, dice: NDArray[np.int8], ask: Ask) -> NDArray[np.int8]:
    """Plays of another program. It is asked once for equal decisions, and not where only one play is legal.

    ask: from indices of decisions to the steps of each, as flat points (start, end, ...) or as text.
    Raises `EngineError` naming the program for a play that is not legal.
    """
    first, inverse = distinct(asked, np.sort(dice, axis=1))
    results, offsets = kernels.legal_plays(asked.boards[first], dice[first])
    after = results[offsets[:-1]]
    hard = np.flatnonzero(np.diff(offsets) > 1)
    for i, answer in zip(hard, ask(first[hard]), strict=True):
        legal = results[offsets[i] : offsets[i + 1]]
        board = None if answer is None else moved(asked.boards[first[i]], answer)
        if board is None or not (legal == board).all(axis=1).any():
            position = Position.from_board(kernels.unpack(asked.boards[first[i]][None])[0])
            high, low = dice[first[i]]
            shown = answer if isinstance(answer, str) else _shown(answer)
            raise EngineError(f"{name} played illegally: {shown!r} with {high}-{low} in {position.id}.")
        after[i] = board
    return kernels.swap(after)[inverse]


def moved(board: NDArray[np.int8], steps: object) -> NDArray[np.int8] | None:
    """A packed board after single steps [start, end, start, end ...]; None where they make no sense."""
    if not isinstance(steps, (list, tuple)) or len(steps) % 2:
        return None
    after = board.copy()
    for start, end in zip(steps[::2], steps[1::2], strict=True):
        if not (isinstance(start, int) and isinstance(end, int) and 25 >= start > end >= 0) or after[start] <= 0:
            return None
        after[start] -= 1
        if end == 0:
            after[26] += 1
        elif after[end] < -1:
            return None
        elif after[end] == -1:
            after[end] = 1
            after[0] += 1
        else:
            after[end] += 1
    return after


def _shown(steps: object) -> str:
    if not isinstance(steps, (list, tuple)) or len(steps) % 2:
        return repr(steps)
    return " ".join(f"{start}/{end}" for start, end in zip(steps[::2], steps[1::2], strict=True))
