"""Best replies found lately.

The position after a play comes up again as the next cube decision, and trees of plays that differ little overlap.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

ROOM = 1 << 15
"""Positions kept, about 1.1 kB each."""

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
            self._keys = [None] * len(self._keys)

    def __reduce__(self) -> tuple[type[Memo], tuple[int]]:
        """A copy starts empty."""
        return Memo, (len(self._keys),)

    def look_up(self, keys: list[bytes], work: Callable[[NDArray[np.int64]], Replies]) -> Replies:
        """The replies of every key; `work` makes those of the keys, given by index, that are not known."""
        count = len(keys)
        found: Replies = (
            np.empty((count, 21, 32), dtype=np.int8),
            np.empty((count, 21, 5), dtype=np.float32),
            np.empty((count, 21), dtype=np.int8),
        )
        with self._lock:
            slots = np.array([self._slots.get(key, -1) for key in keys], dtype=np.int64)
            known = slots >= 0
            if known.any():
                found[0][known], found[1][known], found[2][known] = (kept[slots[known]] for kept in self._kept)
        missing = (~known).nonzero()[0]
        if len(missing):
            fresh = work(missing)
            if len(missing) == count:
                found = fresh
            else:
                found[0][missing], found[1][missing], found[2][missing] = fresh
            with self._lock:
                self._store([keys[i] for i in missing], fresh)
        return found

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
