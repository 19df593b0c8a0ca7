"""Best replies found lately.

The position after a play comes up again as the next cube decision, and trees of plays that differ little overlap.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

ROOM = 1 << 15
"""Positions kept, about 1.1 kB each."""

T = TypeVar("T", np.int8, np.float32)
Replies = tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.int8]]
"""As `kernels.replies.best_replies` returns them, for the 21 rolls."""


class Memo:
    """The best replies of the last `room` positions asked for, the oldest overwritten first. Threads may share it.

    What it gives has the bits of what was put in, and that depends on nothing but the key: it changes no result.
    """

    def __init__(self, room: int = ROOM) -> None:
        self._lock = threading.Lock()
        self._slots: dict[bytes, int] = {}
        self._keys: list[bytes | None] = [None] * room
        self._next = 0
        # The system hands out these pages only as they are written.
        self._kept: Replies = (
            np.empty((room, 21, 32), dtype=np.int8),
            np.empty((room, 21, 5), dtype=np.float32),
            np.empty((room, 21), dtype=np.int8),
        )

    def clear(self) -> None:
        """Forgets everything."""
        with self._lock:
            self._slots.clear()
            self._keys, self._next = [None] * len(self._keys), 0

    def __reduce__(self) -> tuple[type[Memo], tuple[int]]:
        """A copy starts empty."""
        return Memo, (len(self._keys),)

    def look_up(self, keys: list[bytes], work: Callable[[NDArray[np.int64]], Replies]) -> Replies:
        """The replies of every key; `work` makes those of the keys, given by index, that are not known."""
        with self._lock:
            slots = [self._slots.get(key, -1) for key in keys]
            there = [slot for slot in slots if slot >= 0]
            kept: Replies = self._kept[0][there], self._kept[1][there], self._kept[2][there]
        if len(there) == len(keys):
            return kept
        missing = [row for row, slot in enumerate(slots) if slot < 0]
        fresh = work(np.array(missing, dtype=np.int64))
        with self._lock:
            self._store([keys[row] for row in missing], fresh)
        if not there:
            return fresh
        known = [row for row, slot in enumerate(slots) if slot >= 0]
        return (
            _woven(known, kept[0], missing, fresh[0]),
            _woven(known, kept[1], missing, fresh[1]),
            _woven(known, kept[2], missing, fresh[2]),
        )

    def _store(self, keys: list[bytes], fresh: Replies) -> None:
        rows = {key: row for row, key in enumerate(keys) if key not in self._slots}
        new = list(rows)
        while new:
            first, count = self._next, min(len(new), len(self._keys) - self._next)
            self._next = (first + count) % len(self._keys)
            # In this order an interrupt in between costs entries and no more.
            for slot in range(first, first + count):
                old, self._keys[slot] = self._keys[slot], None
                if old is not None:
                    self._slots.pop(old, None)
            begin = len(rows) - len(new)
            which = slice(begin, begin + count) if len(rows) == len(keys) else [rows[key] for key in new[:count]]
            for kept, found in zip(self._kept, fresh, strict=True):
                kept[first : first + count] = found[which]  # type: ignore[index]
            for slot, key in enumerate(new[:count], first):
                self._keys[slot] = key
                self._slots[key] = slot
            del new[:count]


def _woven(known: list[int], old: NDArray[T], missing: list[int], new: NDArray[T]) -> NDArray[T]:
    """Rows of two arrays at their places in one."""
    whole = np.empty((len(known) + len(missing), *old.shape[1:]), dtype=old.dtype)
    whole[known], whole[missing] = old, new
    return whole
