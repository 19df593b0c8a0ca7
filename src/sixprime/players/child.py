"""Another engine as a child process that talks in lines."""

from __future__ import annotations

import os
import queue
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from sixprime.errors import EngineError

TIMEOUT = 60.0
"""Seconds without a line after which an engine is taken to hang."""
_GRACE = 1.0
"""Seconds that are waited again: who was suspended meanwhile has yet to read what was said."""
_LONGEST = 1 << 16
"""Bytes of the longest line."""
_WAITING = 10_000
"""Lines that may wait to be asked for."""
_COMPLAINTS = 2000
"""Bytes of standard error that are looked at."""


class Child:
    """A running process: lines in, lines out.

    name: how errors call it. timeout: seconds to wait for a line. Raises `EngineError` when it cannot be started.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        timeout: float = TIMEOUT,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.name, self.timeout = name, timeout
        self._excess = ""
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the process
        try:
            self._process = subprocess.Popen(
                list(command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                env=environment,
                cwd=folder,
                # Ctrl-C is meant for us: what has been played is still to be told.
                start_new_session=True,
            )
        except OSError as error:
            self._complaints.close()
            raise EngineError(f"{name} cannot be started: {error.strerror} ({command[0]}).") from error
        # None marks the end. A thread reads, so that neither side ever waits for a full pipe.
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        while not self._excess and (line := self._process.stdout.readline(_LONGEST + 1)):
            if len(line) > _LONGEST:
                self._excess = f"a line of more than {_LONGEST:,} bytes"
            elif self._lines.qsize() >= _WAITING:
                self._excess = f"more than {_WAITING:,} lines that nobody asked for"
            else:
                self._lines.put(line.decode("utf-8", errors="replace").strip())
        if self._excess:
            self._process.kill()
        self._lines.put(None)

    def send(self, text: str) -> None:
        """Sends one line. Raises `EngineError` when the process is gone."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(text.encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            raise self._death() from error

    def line(self) -> str:
        """The next line, without its ends. Raises `EngineError` when the process has ended or says nothing."""
        try:
            line = self._lines.get(timeout=self.timeout)
        except queue.Empty:
            try:
                line = self._lines.get(timeout=_GRACE)
            except queue.Empty:
                error = f"{self.name} gave no answer for {self.timeout:g} seconds; it seems to hang."
                raise EngineError(error) from None
        if line is None:
            raise self._death()
        return line

    def _death(self) -> EngineError:
        """What is known about the end of the process."""
        if self._excess:
            return EngineError(f"{self.name} was ended: it wrote {self._excess}.")
        try:
            status = f"exit status {self._process.wait(timeout=5)}"
        except subprocess.TimeoutExpired:
            status = "it closed its output"
        self._complaints.seek(max(self._complaints.seek(0, os.SEEK_END) - _COMPLAINTS, 0))
        said = [line.strip() for line in self._complaints.read(_COMPLAINTS).decode(errors="replace").splitlines()]
        last = next((line for line in reversed(said) if line), "")
        return EngineError(f"{self.name} has ended ({status}){': ' + last[:200] if last else ''}.")

    def close(self) -> None:
        """Ends the process."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._reader.join(timeout=5)
        for stream in (self._process.stdin, self._process.stdout, self._complaints):
            try:
                if stream is not None:
                    stream.close()
            except OSError:
                # What was still to be sent to a dead process.
                pass


def clean_environment() -> dict[str, str]:
    """The environment without what is meant for our own Python."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
