"""`Interpreter`: one line of GNU Backgammon's language after the other.

It holds the `State`, the only thing here that changes. What a command needs, its `Call` gives. Bad input is told of
and never raises; what is answered goes to `out`, wrong words and files that are not there to `err`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from sixprime.command.call import Call
from sixprime.command.options import Options
from sixprime.command.state import State
from sixprime.command.tables import ROOT
from sixprime.command.tree import Node
from sixprime.command.words import BOTH, Refused, Words
from sixprime.errors import SixprimeError, StoppedError
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.game.table import Table, placeless
from sixprime.progress import Hook

_PLAY = re.compile(r"\d|bar[\s/]", re.ASCII | re.IGNORECASE)


class Python(Protocol):
    """Whatever runs Python for the interpreter."""

    def run(self, shell: Interpreter, code: str) -> None:
        """Runs a line, or for an empty one a console."""

    def script(self, shell: Interpreter, path: str) -> None:
        """Runs a file."""


class Interpreter:
    """One who understands commands.

    out, err: get texts with their line ends. options: to begin with. python: runs lines that begin with ">".
    asking: answers a question that ends in "? "; None: nobody does, and what is asked is done. clipboard: takes a text;
    None: there is none.
    """

    def __init__(
        self,
        out: Callable[[str], None],
        err: Callable[[str], None],
        *,
        options: Options | None = None,
        python: Python | None = None,
        asking: Callable[[str], str] | None = None,
        clipboard: Callable[[str], None] | None = None,
    ) -> None:
        self._out, self._err, self.python, self.asking = out, err, python, asking
        self.clipboard = clipboard
        self.typed: Callable[[str], str] | None = asking
        """Reads dice that are thrown by hand; None: nobody can be asked. Raises EOFError at the end."""
        self.state = State(options or Options())
        self.history: list[str] = []
        self.settings = "~/.gnubg/gnubgautorc"
        """Where `save settings` writes to."""
        self.database: Path | None = None
        """Where `relational` keeps matches; None: where all of Sixprime does."""
        self.data: list[Path] = []
        """Folders where match equity tables and nets are looked for, too."""
        self.drawing: Callable[[Position, MatchState, Sequence[str], bool], str] | None = None
        """What draws a board instead of letters: position, state, names of players 0 and 1, whether clockwise."""
        self.progress: Hook | None = None
        """Is told how far rollouts and analyses are."""
        self.depth = 0
        """Files of commands that are being run, one called by the other."""
        self.waiting: Table | None = None
        """Where play was to go on within them, unless something is set by hand meanwhile."""
        self.ended = False
        """Somebody said `quit`."""
        self.kept: dict[str, Any] = {}
        """What commands remember until the next: engines, lists of hints; by the name of the one who keeps it."""

    def say(self, text: str = "") -> None:
        """A line, or several, of an answer; nothing with `set output output off`."""
        if self.state.options.output.output:
            self._out(f"{text}\n")

    def write(self, text: str) -> None:
        """A piece of an answer as it is."""
        if self.state.options.output.output:
            self._out(text)

    def complain(self, text: str) -> None:
        """A line about what was wrong."""
        self._err(f"{text}\n")

    def run(self, line: str) -> None:
        """Does what a line says. Raises nothing for what is wrong in it."""
        line = line.replace("\0", " ").lstrip().rstrip("\r\n")  # no file name can hold it
        if not line or line.startswith("#"):
            return
        self.history.append(line.rstrip())
        try:
            if line.startswith(">"):
                self._python(line[1:].strip())
            elif _PLAY.match(line):
                Call(self, ROOT.below("move"), Words(line)).go()
            else:
                Call(self, ROOT, Words(line)).go()
        except Refused as refused:
            (self.complain if refused.wrong else self.say)(str(refused))
        except StoppedError:
            self.say("(Interrupted)")
        except OSError as error:
            name = f"{error.filename}: " if error.filename else ""
            self.complain(f"{name}{error.strerror or error}")
        except SixprimeError as error:
            self.complain(placeless(error))

    def run_lines(self, lines: Iterable[str]) -> None:
        """Runs lines until they end, or one says `quit`. Raises nothing for what is wrong in them."""
        for line in lines:
            self.run(line)
            if self.ended:
                return

    def reached(self, text: str) -> tuple[Node | None, str]:
        """The node that the whole words of a line lead to, None for none, and the last, unfinished word."""
        words = text.split()
        last = "" if not words or text[-1:].isspace() else words.pop()
        node: Node | None = ROOT
        for word in words:
            if node is None:
                break
            if node.argument is None or self.state_player(word) is None:
                node = node.find(word)
        return node, last

    def complete(self, text: str) -> list[str]:
        """The words that may stand where a line ends, in the order of the table."""
        node, last = self.reached(text)
        if node is None:
            return []
        return [child.word for child in node.order if child.word.startswith(last.lower()) and not child.hidden]

    def state_player(self, word: str) -> int | None:
        """The player that a word names: a number, `both`, or what a name begins with; None: none."""
        if word in ("0", "1"):
            return int(word)
        for player, seat in enumerate(self.state.options.players):
            if seat.name.lower() == word.lower():
                return player
        return BOTH if word and "both".startswith(word.lower()) else None

    def _python(self, code: str) -> None:
        if self.python is None:
            raise Refused("This shell runs no Python.", wrong=True)
        self.python.run(self, code)
