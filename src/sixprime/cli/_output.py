"""Standard output and standard error of a command: what becomes of it when one of them cannot be written to.

What cannot be shown must not cost a result. A closed stream swallows what is written. Where a reader has gone away the
command ends without a word, once it has written its files; anything else that is wrong with standard output is one
line. Standard error that cannot be written to is passed over.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from sixprime.reading import WESTERN


class OutputError(Exception):
    """Standard output cannot be written to, and there is nothing else to do.

    No SixprimeError and no OSError: it is not the fault of what a command reads or writes, whoever handles these.
    """


class Output:
    """What is known of the streams. files: the command has files to write, too, whoever reads its output."""

    def __init__(self) -> None:
        self.files = False
        self.problem: OSError | None = None

    def failed(self, error: OSError) -> None:
        """Notes that standard output is gone. Raises OutputError unless the command goes on for its files."""
        self.problem = self.problem or error
        if not self.files:
            raise OutputError from error


class _Stream:
    """A stream whose errors go to `failed`; all else is the stream's own."""

    def __init__(self, stream: Any, failed: Callable[[OSError], None]) -> None:
        self._stream, self._failed, self._gone = stream, failed, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def buffer(self) -> _Stream:
        """The stream of bytes below."""
        return _Stream(self._stream.buffer, self._failed)

    def write(self, text: Any) -> int:
        """As the stream's."""
        self._try(lambda: self._stream.write(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """As the stream's."""
        self._try(lambda: self._stream.writelines(lines))

    def flush(self) -> None:
        """As the stream's."""
        self._try(self._stream.flush)

    def _try(self, work: Callable[[], object]) -> None:
        try:
            work()
        except OSError as error:
            # What is in the buffers would fail again, at the latest when the interpreter ends.
            with suppress(OSError, ValueError):
                discard = os.open(os.devnull, os.O_WRONLY)
                os.dup2(discard, self._stream.fileno())
                os.close(discard)
            self._failed(error)


_current: list[Output] = []


def must_write_files() -> None:
    """From now on the command goes on when nobody reads its output any more: it has files to write."""
    if _current:
        _current[-1].files = True


@contextmanager
def guarded() -> Iterator[Output]:
    """Within the block the standard streams are there and tell `Output` what goes wrong."""
    _fill_descriptors()
    output = Output()
    before = sys.stdin, sys.stdout, sys.stderr
    with open(os.devnull, "r+", encoding="utf-8") as nothing:
        for stream, errors in zip(before, (WESTERN, "replace", "replace"), strict=True):
            # What cannot be shown in the terminal's encoding becomes a question mark.
            getattr(stream, "reconfigure", lambda **_: None)(errors=errors)
        sys.stdin = sys.stdin or nothing
        sys.stdout = cast(TextIO, _Stream(sys.stdout or nothing, output.failed))
        sys.stderr = cast(TextIO, _Stream(sys.stderr or nothing, lambda error: None))
        _current.append(output)
        try:
            yield output
        finally:
            _current.pop()
            sys.stdin, sys.stdout, sys.stderr = before


def _fill_descriptors() -> None:
    """Opens closed standard descriptors, or the next file opened would be taken for one of them."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
