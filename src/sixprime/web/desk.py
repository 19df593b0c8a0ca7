"""Analyses that go on while a page looks at them: piece by piece, everybody's next piece in turn."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from sixprime.errors import SettingsError, SixprimeError, StoppedError
from sixprime.play.wording import one_line

MOST = 64
"""Analyses at once, of all pages together."""
Tell = Callable[[dict[str, Any] | None], None]
"""Told every piece, None when there are no more; from any thread."""


class Work:
    """An analysis. who: the page that asked; stop: set when nobody wants it any more."""

    def __init__(self, who: str, pieces: Callable[[threading.Event], Iterator[dict[str, Any]]], tell: Tell) -> None:
        self.who, self.tell, self.stop = who, tell, threading.Event()
        self.pieces = pieces(self.stop)


class Desk:
    """Workers, one for each core but at least two, that take the next piece of whoever has waited longest."""

    def __init__(self, workers: int | None = None) -> None:
        self._ready: deque[Work] = deque()
        self._all: dict[str, Work] = {}
        self._there = threading.Condition()
        self._closed = False
        for _ in range(workers or max(2, os.cpu_count() or 1)):
            threading.Thread(target=self._work, name="desk", daemon=True).start()

    def begin(self, work: Work) -> None:
        """Begins it, in place of what the same page has asked before. Raises SettingsError when there is too much."""
        with self._there:
            before = self._all.pop(work.who, None)
            if before is not None:
                before.stop.set()
            if len(self._all) >= MOST:
                raise SettingsError(f"{MOST} analyses are under way here; try again in a moment.")
            self._all[work.who] = work
            self._ready.append(work)
            self._there.notify()

    def end(self, work: Work) -> None:
        """Nobody looks at it any more."""
        work.stop.set()
        with self._there:
            if self._all.get(work.who) is work:
                del self._all[work.who]

    def close(self) -> None:
        """Ends everything."""
        with self._there:
            self._closed = True
            for work in self._all.values():
                work.stop.set()
            self._there.notify_all()

    def _work(self) -> None:
        while True:
            with self._there:
                while not self._ready and not self._closed:
                    self._there.wait()
                if self._closed:
                    return
                work = self._ready.popleft()
            piece: dict[str, Any] | None = None
            try:
                piece = None if work.stop.is_set() else next(work.pieces, None)
            except StoppedError:
                pass
            except (SixprimeError, OSError) as error:
                work.tell({"kind": "problem", "message": one_line(error)})
            work.tell(piece)
            if piece is None:
                self.end(work)
                continue
            with self._there:
                self._ready.append(work)
                self._there.notify()
