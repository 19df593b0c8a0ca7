"""The engine's work for pages: piece by piece, as long as somebody waits for it, nobody held up by others for long."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Generator
from typing import Any

from sixprime.errors import SixprimeError, StoppedError

MOST = 64
"""Works at once, of all pages together."""


class Busy(SixprimeError):
    """More is asked of the engine than it takes on at once."""


class Work:
    """Something that the engine is asked for.

    who: of his works only the latest goes on. pieces: made when a worker takes them, told of a stop that is set when
    nobody wants them any more. tell: is told every piece, what was raised if anything was, and None at the end; from
    any thread. short: how many of the first pieces take moments.
    """

    def __init__(
        self,
        who: str,
        pieces: Callable[[threading.Event], Generator[Any, None, None]],
        tell: Callable[[Any], None],
        *,
        short: int = 0,
    ) -> None:
        self.who, self.tell, self.stop = who, tell, threading.Event()
        self.pieces = pieces(self.stop)
        self.short = short
        self.spent = self.since = 0.0

    def urgency(self, now: float) -> float:
        """The smaller, the sooner its turn: the seconds that it has had, less those that it has waited since."""
        return self.spent - (now - self.since)


class Desk:
    """Workers that take the next piece of whoever has had least and waits longest.

    Short pieces have workers of their own, so that a first answer never waits for a long one to end. workers: for them,
    by default one for each core but at least two. Few take long ones, as the engine works at each with all its threads.
    """

    def __init__(self, workers: int | None = None) -> None:
        self._ready: dict[bool, list[Work]] = {True: [], False: []}
        self._all: dict[str, Work] = {}
        self._there = threading.Condition()
        self._closed = False
        cores = os.cpu_count() or 1
        for short, count in ((True, workers or max(2, cores)), (False, workers or max(1, cores // 4))):
            for _ in range(count):
                threading.Thread(target=self._work, args=(short,), name="desk", daemon=True).start()

    @property
    def busy(self) -> int:
        """Works that are not at their end."""
        return len(self._all)

    def begin(self, work: Work) -> None:
        """Begins it, in place of what the same one has asked before. Raises Busy when there is too much."""
        with self._there:
            before = self._all.pop(work.who, None)
            if before is not None:
                before.stop.set()
            if len(self._all) >= MOST:
                raise Busy(f"{MOST} things are reckoned here at once; try again in a moment.")
            self._all[work.who] = work
            self._put(work)

    def end(self, work: Work) -> None:
        """Nobody waits for it any more."""
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

    def _put(self, work: Work) -> None:
        work.since = time.monotonic()
        self._ready[work.short > 0].append(work)
        self._there.notify_all()

    def _take(self, short: bool) -> Work | None:
        """The next that a worker may take, None when everything ends."""
        with self._there:
            while not self._closed:
                ready = self._ready[short]
                if ready:
                    now = time.monotonic()
                    work = min(ready, key=lambda each: each.urgency(now))
                    ready.remove(work)
                    return work
                self._there.wait()
            return None

    def _work(self, short: bool) -> None:
        while (work := self._take(short)) is not None:
            begun, piece = time.monotonic(), None
            try:
                piece = None if work.stop.is_set() else next(work.pieces, None)
            except StoppedError:
                pass
            except Exception as error:  # a worker outlives whatever goes wrong
                work.tell(error)
            if piece is None:
                try:
                    # What is done at its end is done now, and not when something else is taken.
                    work.pieces.close()
                except Exception as error:
                    work.tell(error)
            work.tell(piece)
            if piece is None:
                self.end(work)
                continue
            work.short -= 1
            work.spent += time.monotonic() - begun
            with self._there:
                self._put(work)
