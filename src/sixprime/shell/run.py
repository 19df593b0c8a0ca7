"""The loop at the terminal: a line is read, done and answered.

With prompt_toolkit (extra `shell`) lines are edited, completed and remembered; without it, and where input is no
terminal, they are just read.
"""

from __future__ import annotations

import os
import sys
from base64 import standard_b64encode
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TextIO

from sixprime import interrupts
from sixprime.command import Interpreter, Options
from sixprime.gnubg.desk import interpreter
from sixprime.paths import data_dir
from sixprime.progress import Progress
from sixprime.shell.pictures import drawing
from sixprime.shell.words import coloured, completions, guess, usage

_WELCOME = "Type `help' for the commands, Tab to complete a word, `quit' to leave."


def shell(
    options: Options | None = None, prepare: Callable[[Interpreter], None] | None = None, *, plain: bool = False
) -> Interpreter:
    """Runs the shell until `quit` or the end of the input; returns the interpreter as it was then.

    prepare: called with the interpreter before the first line is read. plain: a terminal is sent lines and prompts
    alone, as the program may want them that sits there in the place of a person; `sys.exit` of a script ends all.
    """
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    colours = terminal and not plain and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    told: list[str] = []

    # Python lines put streams of their own in the place of these.
    answers, complaints = sys.stdout, sys.stderr

    meter = Meter(complaints)

    def say(text: str) -> None:
        meter.clear()
        answers.write(coloured(text) if colours else text)
        answers.flush()

    def complain(text: str) -> None:
        meter.clear()
        told.append(text)
        complaints.write(text)
        complaints.flush()

    asking = input if terminal else None
    made = interpreter(say, complain, options=options, asking=asking, reading=asking, exits=plain)
    if terminal:
        made.clipboard = copied
        made.progress = meter if complaints.isatty() and not plain and os.environ.get("TERM") != "dumb" else None
        made.drawing = drawing(os.environ) if colours else None
        read = _lines(made) if plain else _reader(made, colours)
    else:
        made.typed = read = read_line
    if terminal and not plain:
        say(f"{_WELCOME}\n")
    if prepare is not None:
        prepare(made)

    def next_line() -> str:
        try:
            return read(prompt(made) if terminal else "")
        except EOFError:
            if not terminal:
                raise
            return "quit"

    def do(line: str) -> None:
        told.clear()
        made.run(line)
        meter.clear()
        if near := guess(made, line, "".join(told)):
            complain(f"{near}\n")

    talk(made, next_line, do)
    return made


def talk(made: Interpreter, read: Callable[[], str], do: Callable[[str], None]) -> None:
    """Has lines read and done until one says `quit`, or reading raises EOFError; Ctrl-C ends the line being done."""
    while not made.ended:
        if not interrupts.answered():
            raise KeyboardInterrupt
        try:
            line = read()
        except KeyboardInterrupt:
            continue
        except EOFError:
            return
        try:
            do(line)
        except KeyboardInterrupt:
            made.complain("(Interrupted)")


class Meter:
    """Says how far long work is, in one line of a terminal that is gone afterwards."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._shown = stream, False

    def __call__(self, progress: Progress) -> None:
        """Shows how far it is."""
        of = "" if progress.total is None else f" of {progress.total}"
        self._write(f"\r{progress.done}{of} {progress.what}\x1b[K")
        self._shown = True

    def clear(self) -> None:
        """Takes the line away."""
        if self._shown:
            self._write("\r\x1b[K")
        self._shown = False

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def copied(text: str) -> None:
    """Hands a text to the clipboard of the terminal (OSC 52)."""
    sys.stdout.write(f"\x1b]52;c;{standard_b64encode(text.encode()).decode()}\x07")
    sys.stdout.flush()


def prompt(made: Interpreter) -> str:
    """The prompt that is set: in it \\p is the name of the player on roll, \\n the number of the line."""
    options, table = made.state.options, made.state.table
    turn = table.turn if table is not None and made.state.playing else None
    name = "No game" if turn is None else options.players[turn].name
    return options.prompt.replace("\\p", name).replace("\\n", str(len(made.history) + 1)).replace("\\v", "Sixprime")


def read_line(shown: str) -> str:
    """A line of the standard input, after a prompt. Raises EOFError."""
    sys.stdout.write(shown)
    sys.stdout.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line


def _lines(made: Interpreter) -> Callable[[str], str]:
    """How lines are read at a terminal that is sent nothing else: edited, remembered and completed where Python can."""
    with suppress(ImportError):
        import readline

        def word(text: str, number: int) -> str | None:
            typed = readline.get_line_buffer()[: readline.get_endidx()]
            found = [f"{each} " for each, _ in completions(made, typed)]
            return found[number] if number < len(found) else None

        readline.set_completer(word)
        readline.set_completer_delims(" \t")
        readline.parse_and_bind("tab: complete")
    return input


def _reader(made: Interpreter, colours: bool) -> Callable[[str], str]:
    """How lines are read at a terminal."""
    try:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import CompleteEvent, Completer, Completion
        from prompt_toolkit.document import Document
        from prompt_toolkit.history import FileHistory
        from prompt_toolkit.output import ColorDepth
    except ImportError:
        return input

    class Words(Completer):
        def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
            text = document.text_before_cursor
            last = "" if text[-1:].isspace() or not text else text.split()[-1]
            for word, about in completions(made, text):
                yield Completion(word, -len(last), display_meta=about)

    def toolbar() -> str:
        return usage(made, session.default_buffer.document.text_before_cursor) or _WELCOME

    session: PromptSession[str] = PromptSession(
        history=FileHistory(str(data_dir() / "shell-history")),
        completer=Words(),
        complete_while_typing=False,
        bottom_toolbar=toolbar,
        color_depth=None if colours else ColorDepth.DEPTH_1_BIT,
    )
    return session.prompt
