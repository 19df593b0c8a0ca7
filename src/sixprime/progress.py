"""How far long work has come, in one form from kernels to faces, and how it is told to stop."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from threading import Event
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from sixprime.checks import CALL, Instance, Maybe
from sixprime.errors import StoppedError

T = TypeVar("T")
_LOOK = 256
"""Items of little work, some 50 microseconds, between two looks at a stop."""


class Progress(NamedTuple):
    """How far work has come.

    total: None where there is no end to be seen. what: what is done, in a few words. so_far: what has come of it, where
    there is something to see: the `RolloutResult` of a rollout under way.
    """

    done: int
    total: int | None
    what: str = ""
    so_far: Any = None


Hook = Callable[[Progress], None]
"""Called now and then, in the thread that waits for the work."""


@runtime_checkable
class Stop(Protocol):
    """A `threading.Event`, or what can say the same: set from anywhere, it ends the work."""

    def is_set(self) -> bool:
        """Whether nobody wants the work any more."""


_STOP = Maybe(Instance(Stop, "an event, as of threading"))


class Left:
    """The stop of work whose result nobody waits for any more (`early`), or that another stop ends."""

    def __init__(self, stop: Stop) -> None:
        self._stop, self.early = stop, False

    def is_set(self) -> bool:
        """Whether to stop."""
        return self.early or self._stop.is_set()


class Limit:
    """A stop that is set, too, once so many seconds have passed."""

    def __init__(self, stop: Stop | None, seconds: float) -> None:
        self._stop, self._end = stop, time.monotonic() + seconds

    def is_set(self) -> bool:
        """Whether to stop."""
        return time.monotonic() > self._end or (self._stop is not None and self._stop.is_set())


def spoken(say: Callable[[str], None], every: float) -> Hook:
    """Says how far work has come and how long it may still take, again after so many seconds."""
    began: tuple[float, int] | None = None
    last = time.monotonic()

    def speak(step: Progress) -> None:
        nonlocal began, last
        now, done, total = time.monotonic(), step.done, step.total or 1
        start, first = began = began or (now, done)
        if now - last >= every and done > first:
            last = now
            left = (now - start) * (total - done) / (done - first)
            say(f"{100 * done / total:.0f} %, about {left:.0f} s left")

    return speak


@dataclass(frozen=True, slots=True)
class Watch:
    """Who looks at long work: told how far it is, he may end it. Raises SettingsError for what can do neither."""

    progress: Hook | None = None
    stop: Stop | None = None

    def __post_init__(self) -> None:
        if self.progress is not None:
            CALL("progress", self.progress)
        # Whether something can say `is_set` takes as long to find out as a small kernel to run.
        if self.stop is not None and type(self.stop) not in _STOPS:
            _STOP("stop", self.stop)

    def tell(self, done: int, total: int | None, what: str = "", so_far: Any = None) -> None:
        """Says how far the work is."""
        if self.progress is not None:
            self.progress(Progress(done, total, what, so_far))

    def is_set(self) -> bool:
        """Whether the work shall end: a watch is a `Stop`, too."""
        return self.stop is not None and self.stop.is_set()

    def check(self, done: int = 0, total: int | None = None, what: str = "") -> None:
        """Raises StoppedError, which says how far the work came, when it shall end."""
        if self.is_set():
            raise StoppedError(done, total, what)

    def each(self, items: Iterable[T]) -> Iterator[T]:
        """The items, little work each; between them it raises StoppedError as `check` does."""
        return iter(items) if self.stop is None else self._each(items)

    def _each(self, items: Iterable[T]) -> Iterator[T]:
        for number, item in enumerate(items):
            if number % _LOOK == 0:
                self.check(what="positions")
            yield item

    @property
    def silent(self) -> Watch:
        """The same, told nothing."""
        return self if self.progress is None else Watch(None, self.stop)

    def halves(self, everything: int) -> tuple[Watch, Watch]:
        """Of work on so many pieces that is done in two goes: each is told from its own count as half of them."""
        if self.progress is None:
            return self, self

        def of(which: int) -> Watch:
            def tell(step: Progress) -> None:
                share = everything * step.done // max(step.total or 1, 1)
                self.tell((which * everything + share) // 2, everything, step.what)

            return Watch(tell, self.stop)

        return of(0), of(1)


_STOPS = frozenset((Event, Left, Watch))
NOBODY = Watch()
