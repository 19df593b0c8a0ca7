"""Python within the interpreter: scripts, single lines, and a console for a terminal.

All share one namespace, in which `gnubg` is imported. What a script raises is told in a few lines, of its own frames
only, and goes no further; `SystemExit` ends the script alone, or the program.
"""

from __future__ import annotations

import code
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, TextIO

from sixprime import gnubg, reading
from sixprime.errors import SixprimeError
from sixprime.gnubg.host import Host, serve, served

_OWN = __name__.partition(".")[0]
_LINE = "<string>"


class Python:
    """Runs Python for an interpreter.

    host: whose game the module `gnubg` concerns while code runs. out, err: are told what it prints, as it comes.
    reading: of a line of the console after a prompt, raises EOFError at the end; None where there is no console.
    exits: whether `SystemExit` of scripts and lines is raised.
    """

    def __init__(
        self,
        host: Host,
        out: Callable[[str], None],
        err: Callable[[str], None],
        reading: Callable[[str], str] | None = None,
        exits: bool = False,
    ) -> None:
        self._host, self._out, self._err, self._reading = host, _Stream(out), _Stream(err), reading
        self._exits = exits
        # Python's own `exit` closes the standard input, from which commands may come.
        own = {"gnubg": gnubg, "exit": sys.exit, "quit": sys.exit}
        self.names: dict[str, Any] = {"__name__": "__main__", "__builtins__": __builtins__, **own}

    def run(self, shell: object, code: str) -> None:
        """As an interpreter wants it: a line, or for an empty one the console, where there is one."""
        if code:
            self.line(code)
        elif self._reading is not None:
            self.console(self._reading)

    def line(self, text: str) -> None:
        """Runs one line; the value of an expression is printed as a console does."""
        self._run(lambda: compile(text.strip() + "\n", _LINE, "single"))

    def script(self, shell: object, path: str | Path) -> None:
        """Runs a file as `__main__`; its folder is searched for what it imports. Raises OSError."""
        source = reading.read_bytes(path, reading.TEXT)
        folder = str(Path(path).resolve().parent)
        sys.path.insert(0, folder)
        self.names["__file__"] = str(path)
        try:
            self._run(lambda: compile(source, str(path), "exec"))
        finally:
            self.names.pop("__file__", None)
            if folder in sys.path:
                sys.path.remove(folder)

    def console(self, read: Callable[[str], str]) -> None:
        """Lines of Python until `read`, which is given a prompt, raises EOFError, or one says `exit()`."""
        inner = code.InteractiveConsole(self.names, filename=_LINE)
        inner.raw_input = read  # type: ignore[method-assign, assignment]
        inner.showtraceback = self._told  # type: ignore[method-assign]
        with self._prepared(), suppress(SystemExit):
            inner.interact(banner="", exitmsg="")

    def _run(self, compiled: Callable[[], CodeType]) -> None:
        with self._prepared():
            try:
                exec(compiled(), self.names)
            except SystemExit as end:
                status = end.code if isinstance(end.code, int | None) else 1
                if status is not end.code:
                    self._err.write(f"{end.code}\n")
                if self._exits:
                    raise SystemExit(status) from None
            except Exception:
                self._told()
            self._out.flush()

    def _told(self) -> None:
        """Tells of the exception being handled: where in the script, and what."""
        error = sys.exc_info()[1]
        if error is None:
            return
        shown = traceback.TracebackException.from_exception(error)
        made = [made for made, _ in traceback.walk_tb(error.__traceback__)]
        own = [frame for frame, of in zip(shown.stack, made, strict=True) if not _internal(of)]
        # Nobody keeps the text of a line typed; from 3.13 on Python shows that of the command it was started with.
        shown.stack = traceback.StackSummary.from_list(
            (frame.filename, frame.lineno or 1, frame.name, "") if frame.filename == _LINE else frame for frame in own
        )
        shown.__context__ = None
        if isinstance(error, SixprimeError):
            shown.__cause__ = None
        self._err.write("".join(shown.format(chain=True)))

    @contextmanager
    def _prepared(self) -> Iterator[None]:
        """Within the block the module is there under its own name and concerns our host, and output comes to us."""
        before, hidden, module = served(), sys.modules.get("gnubg"), sys.modules[gnubg.__name__]
        self._out.outer, self._err.outer = _outer(sys.stdout), _outer(sys.stderr)
        arguments = sys.argv
        serve(self._host)
        sys.modules["gnubg"], sys.argv = module, [""]
        try:
            with redirect_stdout(self._out), redirect_stderr(self._err):
                yield
        finally:
            serve(before)
            sys.argv = arguments
            _restore("gnubg", hidden)


def _restore(name: str, module: ModuleType | None) -> None:
    if module is None:
        sys.modules.pop(name, None)
    else:
        sys.modules[name] = module


def _internal(frame: FrameType) -> bool:
    """Whether a frame is ours or Python's own, and none of the script's."""
    # Constructors of dataclasses have no file, and "<string>" in its place.
    ours = frame.f_globals.get("__name__", "").partition(".")[0] == _OWN
    return ours or frame.f_code.co_filename in (code.__file__, "<frozen importlib._bootstrap>")


class _Stream:
    """A text stream that passes on what is written, to one who may write it to the stream that was there before."""

    encoding = "utf-8"

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self.outer: TextIO | None = None

    def write(self, text: str) -> int:
        if text:
            with redirect_stdout(_outer(sys.stdout)), redirect_stderr(_outer(sys.stderr)):
                self._tell(text)
        return len(text)

    def flush(self) -> None:
        """Nothing is held back."""

    def isatty(self) -> bool:
        return False


def _outer(stream: object) -> Any:
    """The stream that ours stands for; any other one itself."""
    return stream.outer if isinstance(stream, _Stream) else stream
