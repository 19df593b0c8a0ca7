"""`Call`: a command as it is done."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sixprime.command.options import Options, Seat, changed, get
from sixprime.command.state import State
from sixprime.command.tree import Node
from sixprime.command.words import BOTH, Refused, Words
from sixprime.game.record import Match
from sixprime.game.table import Phase, Table

if TYPE_CHECKING:
    from sixprime.command.interpreter import Interpreter

NO_GAME = "No game in progress (type `new game' to start one)."


class Call:
    """A command as it is done. shell: for whom; node: which; words: what is left of the line; paths: of the options
    that it concerns; given: the players named, 0 or 1 each; argued: the word whose player has been read."""

    def __init__(self, shell: Interpreter, node: Node, words: Words) -> None:
        self.shell, self.node, self.words = shell, node, words
        self.paths: list[str] = []
        self.given: list[int] = []
        self.argued: Node | None = None

    def go(self) -> None:
        """Finds the command that the words name and does it. Raises `Refused` and what commands raise."""
        while self.node.children:
            if self.node.argument is not None and self.node is not self.argued:
                self._argue(self.node.argument.read(self, self.words))
                return
            word = self.words.peek()
            if word is None and self.node.run is not None:
                break
            if word is None:
                raise Refused("Incomplete command.")
            found = self.node.find(word)
            if found is None and self.node.run is not None:
                break
            if found is None:
                raise Refused(f"Unknown keyword `{word}'.\n", wrong=True)
            self.words.next()
            self.node = found
            if found.argument is None:
                self._concern(found.path)
        if self.node.run is None:
            raise Refused(f"`{self.name}' is not there in this program.", wrong=True)
        values = [kind.read(self, self.words) for kind in self.node.kinds]
        self.node.run(self, *values)
        for note in self.node.notes:
            note(self)

    def _argue(self, player: object) -> None:
        """Goes on with a player, or with one after the other."""
        assert isinstance(player, int)
        for each in (0, 1) if player == BOTH else (player,):
            part = Call(self.shell, self.node, Words(self.words.rest))
            part.given, part.paths, part.argued = [*self.given, each], self.paths, self.node
            part._concern(self.node.path)
            part.go()

    def _concern(self, more: str) -> None:
        """Goes on to parts of the options; see `Node.path`."""
        if not more:
            return
        parts = [part.format(*self.given[-1:] or (0,)) for part in more.split()]
        self.paths = [f"{before}{part}" for before in self._before() for part in parts]

    def _before(self) -> list[str]:
        return [f"{path}." for path in self.paths] or [""]

    @property
    def name(self) -> str:
        """All words of the command, in full."""
        return self.node.name

    @property
    def state(self) -> State:
        """What the interpreter holds; may be set."""
        return self.shell.state

    @state.setter
    def state(self, state: State) -> None:
        self.shell.state = state

    @property
    def options(self) -> Options:
        """All options."""
        return self.shell.state.options

    def get(self, path: str = "") -> Any:
        """An option: below the first path of this command, or by its full path where it has none."""
        return get(self.options, ".".join(each for each in (*self.paths[:1], path) if each))

    def put(self, path: str, value: Any) -> None:
        """Sets an option below every path of this command, or by its full path where it has none."""
        options = self.options
        for before in self.paths or [""]:
            options = changed(options, ".".join(each for each in (before, path) if each), value)
        self.state = replace(self.state, options=options)

    def say(self, text: str = "") -> None:
        """A line of the answer."""
        self.shell.say(text)

    def complain(self, text: str) -> None:
        """A line about what is wrong."""
        self.shell.complain(text)

    def player(self, word: str) -> int | None:
        """As `Interpreter.state_player`."""
        return self.shell.state_player(word)

    @property
    def seat(self) -> Seat:
        """Who has the side of the player named first."""
        return self.options.players[self.given[0]]

    def match(self, wrong: str = NO_GAME) -> Match:
        """The match in hand. Raises `Refused`, which says what is wrong, where there is none."""
        if self.state.match is None:
            raise Refused(wrong)
        return self.state.match

    def table(self) -> Table:
        """The table of the game in progress. Raises `Refused` where there is none."""
        table = self.state.table
        if table is None or not self.state.playing:
            raise Refused(NO_GAME)
        return table

    def unresigned(self) -> None:
        """Raises `Refused` while a resignation waits for an answer."""
        if self.state.table is not None and self.state.table.phase is Phase.RESIGNED:
            raise Refused("Please resolve the resignation first.")

    def sure(self, question: str, *, at_end: bool = False) -> bool:
        """Whether the user wants what was asked; where nobody can be asked, yes. at_end: what is taken for an answer
        where the input ends."""
        default = self.options.confirm.default
        if default != "ask" or self.shell.asking is None:
            return default != "no"
        try:
            while answer := self.shell.asking(f"{question} ").strip().lower():
                if "yes".startswith(answer) or "no".startswith(answer):
                    return "yes".startswith(answer)
                self.say("Please answer `y' or `n'.")
        except EOFError:
            return at_end
        return False
