"""How far the kernels are compiled, which a new installation does once, for pages that wait for it."""

from __future__ import annotations

import logging
from collections.abc import Callable

from sixprime.progress import Progress

_KERNELS = logging.getLogger("sixprime.kernels")


class Compiling(logging.Handler):
    """Hears of it from the beginning to `end`. percent: that are done, None while nothing is compiled; heard: called
    with it, from any thread, whenever it changes."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.percent: int | None = None
        self.heard: set[Callable[[int | None], None]] = set()
        _KERNELS.addHandler(self)
        _KERNELS.setLevel(logging.INFO)

    def emit(self, record: logging.LogRecord) -> None:
        """As logging has it."""
        step = record.__dict__.get("progress")
        if isinstance(step, Progress):
            total = step.total or step.done
            percent = 100 * step.done // total if step.done < total else None
            if percent != self.percent:
                self.percent = percent
                for hear in (*self.heard,):
                    hear(percent)

    def end(self) -> None:
        """Hears no more. Not called `close`, which logging calls of all handlers whenever it is configured."""
        _KERNELS.removeHandler(self)
