"""Signals that ask this process to end: Ctrl-C, a request to terminate, a terminal that goes away.

All of them are made one thing, KeyboardInterrupt in the main thread: whoever keeps results on Ctrl-C keeps them on the
others, too. Importing this changes nothing. A signal that is ignored, as under `nohup`, stays so.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
_AGAIN = 0.05
"""Seconds until a request is repeated that came where no exception can pass."""


class Request:
    """Whether the process has been asked to end. number: of the signal that asked first, None before."""

    def __init__(self) -> None:
        self.number: int | None = None
        self.times = 0


_requests: list[Request] = []
"""Those of the blocks of `raised` that this process is in."""


@contextmanager
def raised() -> Iterator[Request]:
    """Within the block the first signal raises KeyboardInterrupt.

    What is done then may take a moment, so a second one only says so; a third ends the process at once. In other
    threads than the main one nothing changes.
    """
    request = Request()
    _requests.append(request)

    def handle(number: int, frame: object) -> None:
        request.number = request.number or number
        request.times += 1
        if request.times == 1:
            raise KeyboardInterrupt
        if request.times > 2:
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)
        say("sixprime: ending, what there is is being saved; once more ends at once")

    def unraisable(error: sys.UnraisableHookArgs) -> None:
        # Python drops what a destructor or a callback of C raises, and with it the request.
        if not issubclass(error.exc_type, KeyboardInterrupt):
            before(error)
            return
        request.times = 0
        repeat = threading.Timer(_AGAIN, _send, [request.number or signal.SIGINT])
        repeat.daemon = True
        repeat.start()

    before = sys.unraisablehook
    with _handled(handle, lambda previous: previous is not signal.SIG_IGN):
        sys.unraisablehook = unraisable
        try:
            yield request
        finally:
            sys.unraisablehook = before
            _requests.remove(request)


def answered() -> bool:
    """What was asked for so far has been done, and the next signal is the first again; whether the process is to go on:
    Ctrl-C asks to end what is being done, the others to end all."""
    numbers = {request.number for request in _requests}
    for request in _requests:
        request.number, request.times = None, 0
    return numbers <= {None, signal.SIGINT}


@contextmanager
def deferred(told: str = "") -> Iterator[Request]:
    """Within the block a signal only leaves word, for work that must not stop halfway; a second is not waited for.

    When the block ends, the signal is handled as it would have been. told: what standard error is told at once.
    """
    request = Request()
    previous: dict[int, Any] = {}

    def handle(number: int, frame: object) -> None:
        request.times += 1
        if request.times > 1:
            previous[number](number, None)
            return
        request.number = number
        if told:
            say(told)

    with _handled(handle, callable) as handlers:
        previous |= handlers
        yield request
    if request.number is not None:
        previous[request.number](request.number, None)


@contextmanager
def ending() -> Iterator[None]:
    """Within the block a signal ends the process at once, with a word: where threads wait that cannot be ended, and
    nothing is to be kept. An exception would be lost in an event loop, whose tasks keep it until all of them end."""

    def handle(number: int, frame: object) -> None:
        say("sixprime: interrupted")
        os._exit(1)

    with _handled(handle, callable):
        yield


def end_at_once() -> None:
    """From now on signals end the process without a word: nothing is left to save."""
    if threading.current_thread() is threading.main_thread():
        for number in SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)


def when_hung_up(do: Callable[[], object]) -> None:
    """Once the terminal of standard input has gone, calls `do` in a thread of its own.

    By then those standard streams that were terminals lead nowhere, so that nobody reads or writes in vain. Where the
    system cannot tell, nothing happens.
    """

    def wait() -> None:
        watched = select.poll()
        watched.register(mine, 0)
        if any(found & (select.POLLHUP | select.POLLERR) for _, found in watched.poll()):
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in streams:
                os.dup2(nowhere, stream)
            do()

    streams = [stream for stream in (0, 1, 2) if os.isatty(stream)]
    if 0 in streams and hasattr(select, "poll"):
        mine = os.dup(0)  # which nobody has lead elsewhere
        threading.Thread(target=wait, daemon=True, name="sixprime-hang-up").start()


def hang_up_is_a_request() -> None:
    """From now on a terminal that goes away asks to end, though its signal reaches only processes of its own session,
    and only from a terminal that lives to send it."""
    number = getattr(signal, "SIGHUP", None)
    if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
        when_hung_up(lambda: _send(number))


def say(text: str) -> None:
    """A line on standard error, past all buffers: a signal may come while something else is being written."""
    with suppress(OSError):
        os.write(2, f"{text}\n".encode())


@contextmanager
def _handled(handle: Callable[[int, object], None], which: Callable[[object], bool]) -> Iterator[dict[int, Any]]:
    """Gives the signals whose handlers are `which` to another; yields the handlers that they have had."""
    if threading.current_thread() is not threading.main_thread():
        yield {}
        return
    handlers = {number: found for number in SIGNALS if which(found := signal.getsignal(number))}
    try:
        for number in handlers:
            signal.signal(number, handle)
        yield handlers
    finally:
        for number, handler in handlers.items():
            if signal.getsignal(number) is handle:
                signal.signal(number, handler)


def _send(number: int) -> None:
    """The signal once more, to the main thread."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:
        signal.raise_signal(number)
