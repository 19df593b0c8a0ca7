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
            self._keys, self._next = [None] * len(self._keys), 0

    def __reduce__(self) -> tuple[type[Memo], tuple[int]]:
        """A copy starts empty."""
        return Memo, (len(self._keys),)

    def look_up(self, keys: list[bytes], work: Callable[[NDArray[np.int64]], Replies]) -> Replies:
        """The replies of every key; `work` makes those of the keys, given by index, that are not known."""
        with self._lock:
            slots = [self._slots.get(key, -1) for key in keys]
            known = [row for row, slot in enumerate(slots) if slot >= 0]
            boards, outputs, codes = (kept[[slots[row] for row in known]] for kept in self._kept)
        if len(known) == len(keys):
            return boards, outputs, codes
        missing = [row for row, slot in enumerate(slots) if slot < 0]
        fresh = work(np.array(missing, dtype=np.int64))
        with self._lock:
            self._store([keys[row] for row in missing], fresh)
        if not known:
            return fresh
        found: Replies = (
            np.empty((len(keys), 21, 32), dtype=np.int8),
            np.empty((len(keys), 21, 5), dtype=np.float32),
            np.empty((len(keys), 21), dtype=np.int8),
        )
        for whole, old, new in zip(found, (boards, outputs, codes), fresh, strict=True):
            whole[known], whole[missing] = old, new
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
