"""The table of commands: words that lead to words, and in the end to functions.

A command is a function beside its words and its help. The order of the table is that of `ORDER`, else that in which
commands were entered; a prefix means the first word that begins with it.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from sixprime.command.words import Kind

Function = Callable[..., None]
Written = Callable[[Any], Sequence[str]]


def _plain(value: Any) -> list[str]:
    if isinstance(value, bool):
        return ["on" if value else "off"]
    return [f"{value:.6g}" if isinstance(value, float) else str(value)]


class Node:
    """One word of a command.

    text: its help. usage: what follows it, in words. run: what it does; None where only its sub-commands do something.
    argument: a word that stands between it and its sub-commands. path: which part of the options it and its
    sub-commands concern, below that of the word before; "{}" is the player of the argument; several, where it
    concerns them alike, with blanks between. key, written: which option its arguments set, by a full path where the
    words before have none, and the arguments that set a value, each a line of saved settings. note: what is to be said
    after it or one of its sub-commands is done.
    """

    def __init__(self, word: str, parent: Node | None = None) -> None:
        self.word, self.parent = word, parent
        self.children: dict[str, Node] = {}
        self.text = self.usage = self.path = ""
        self.run: Function | None = None
        self.argument: Any = None
        self.hidden = False
        self.note: Function | None = None
        self.key: str | None = None
        self.written: Written = _plain

    @cached_property
    def name(self) -> str:
        """All words that lead here."""
        before = self.parent.name if self.parent is not None else ""
        return f"{before} {self.word}".strip()

    @property
    def form(self) -> str:
        """The same with the player where one is to be named."""
        before = self.parent.form if self.parent is not None else ""
        return f"{before} {self.word}{' <player>' if self.argument is not None else ''}".strip()

    @property
    def order(self) -> list[Node]:
        """The words after this one, in the order of the table."""
        words = ORDER.get(self.name, "")
        if not words and self.children:
            words = _ROLLOUT if self.word == "rollout" else "comment" if self.name.startswith("annotate ") else ""
        first = {word: number for number, word in enumerate(words.split())}
        return sorted(self.children.values(), key=lambda node: first.get(node.word, len(first)))

    def find(self, word: str) -> Node | None:
        """This word, or the first one of the table that begins with it."""
        low = word.lower()
        if low in self.children:
            return self.children[low]
        return next((node for node in self._ordered if node.word.startswith(low)), None) if low else None

    @cached_property
    def _ordered(self) -> list[Node]:
        return self.order

    @cached_property
    def kinds(self) -> list[Kind]:
        """How the arguments of `run` are read, one after the other."""
        hints = typing.get_type_hints(self.run, include_extras=True).values()
        return [kind for hint in hints if (kind := kind_of(hint)) is not None]

    @property
    def notes(self) -> Iterator[Function]:
        """Notes of this command and of the words before, the innermost first."""
        node: Node | None = self
        while node is not None:
            if node.note is not None:
                yield node.note
            node = node.parent

    def leaves(self) -> Iterator[Node]:
        """All nodes below, or this one, without sub-commands."""
        if not self.children:
            yield self
        for child in self.order:
            yield from child.leaves()

    def below(self, words: str) -> Node:
        """The node that these words lead to, made where it is not there yet."""
        node = self
        for word in words.split():
            node = node.children.setdefault(word, Node(word, node))
        return node


def kind_of(hint: Any) -> Kind | None:
    """The `Kind` of an annotation; None for one of what is not read from words."""
    return next((each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Kind)), None)


ROOT = Node("")


def command(words: str, text: str, usage: str = "", *, hidden: bool = False) -> Callable[[Function], Function]:
    """Enters a function as the command of these words; several sets of words are separated by "|".

    text: help in one line. usage: its arguments as help shows them. The function takes a `Call` and values of the
    kinds of `words` as its annotations say.
    """

    def enter(function: Function) -> Function:
        for each in words.split("|"):
            node = ROOT.below(each)
            node.run, node.text, node.usage, node.hidden = function, text, usage, hidden
        return function

    return enter


def group(
    words: str,
    text: str,
    *,
    path: str = "",
    argument: Any = None,
    note: Function | None = None,
) -> None:
    """Enters words that only lead to others; see `Node`."""
    node = ROOT.below(words)
    node.text, node.path, node.note = text, path, note
    node.argument = kind_of(argument)


def kept(words: str, key: str, written: Written = _plain) -> None:
    """Says which option the arguments of a command set, for `save settings`; see `Node`."""
    node = ROOT.below(words)
    node.key, node.written = key, written


def only(value: object) -> Written:
    """Of a command that sets just this value."""
    return lambda found: [""] if found == value else []


ORDER = {
    "": "accept agree analyse analyze annotate end beaver calibrate clear cmark copy decline dicerolls double drop "
    "eq2mwc eval exit export external first help hint history invert import list load move mwc2eq new next pass play "
    "previous quit redouble reject relational resign roll rollout save set show swap take ?",
    "analyse rollout": "cube move game match",
    "analyze rollout": "cube move game match",
    "annotate": "clear move roll cube double accept drop pass reject resign take",
    "export position": "bgo2clipboard bgonline ps pdf svg html png pos snowietxt text",
    "import": "auto mat gam oldmoves empire party bgroom pos sgg snowietxt tmg",
    "relational": "add erase select setup show test",
    "relational show": "details players",
    "set": "analysis annotation appearance automatic beavers board browser cache calibration cheat clockwise colours "
    "commandwindow confirm crawford cube cubeefficiency delay dice display dockpanels evaluation export fullscreen "
    "gamelist geometry gotofirstgame gui import sgf invert jacoby defaultnames aliases lang matchequitytable matchid "
    "gnubgid xgid matchinfo matchlength message met output panels panelwidth player postcrawford priority prompt "
    "ratingoffset record rng rollout score seed sound styledgamelist theorywindow threads toolbar turn tutor variation "
    "vsync3d warning autosave",
    "set analysis": "chequerplay cube cubedecision luck luckanalysis movefilter moves player threshold window",
    "set automatic": "bearoff crawford doubles game move roll",
    "set cube": "center centre owner use value",
    "set gui": "animation beep dicearea dragtargethelp usestatspanel movelistdetail grayedit highdiefirst illegal "
    "showids showpips windowpositions",
    "set matchinfo": "annotator comment date event place rating round",
    "set priority": "abovenormal belownormal highest idle nice normal timecritical",
    "set export moves": "number probabilities parameters display",
    "set export cube": "probabilities parameters display",
    "show": "aliases analysis autosave automatic beavers bearoff board buildinfo browser calibration cheat clockwise "
    "commands confirm copying crawford credits cube cubeefficiency delay dice display engine evaluation fullboard "
    "gammonvalues export geometry isight jacoby 8912 keith kleinman lang manual marketwindow matchequitytable "
    "matchinfo matchlength matchresult met onesidedrollout output panels pipcount player postcrawford prompt "
    "ratingoffset rng rollout rolls score scoresheet seed sound statistics temperaturemap scoremap "
    "threads thorp turn version tutor variation warning warranty",
}
"""Words in the order of GNU Backgammon's tables, where prefixes depend on it."""
_ROLLOUT = (
    "bearofftruncation chequerplay cubedecision cube-equal-chequer cubeful initial jsd later limit log logfile "
    "movefilter player players-are-same quasirandom rng rotate seed trials truncation truncate-equal-player0 varredn"
)
"""The same after every `rollout`."""
