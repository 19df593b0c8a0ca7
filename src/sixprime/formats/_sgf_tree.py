"""The text of SGF: trees of nodes with properties, and what their values are made of.

Texts have escapes; points are letters, `a` White's ace point and Black's 24 point, `y` the bar, `z` off.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterator
from dataclasses import dataclass
from sys import intern

from sixprime.formats._problems import Problems
from sixprime.game.play import Play
from sixprime.game.record import Extras

SIDES = {"W": 0, "B": 1}
LETTERS = "WB"
OWNERS = {"c": None, "w": 0, "b": 1}
INFO = {"event": "EV", "round": "RO", "place": "PC", "date": "DT", "annotator": "AN", "comment": "GC"}
VARIATIONS = {
    "nackgammon": "Nackgammon",
    "hypergammon1": "Hypergammon1",
    "hypergammon2": "Hypergammon2",
    "hypergammon3": "Hypergammon3",
}
ROOT = {"FF", "GM", "CA", "AP", "SO", "MI", "PW", "PB", "WR", "BR", "RU", "CV", "RE", "C", *INFO.values()}
NODE = {"W", "B", "C", "PL", "DI", "AE", "AW", "AB", "CV", "CP", "CO", "DA", "A", "LU", "BM", "DO", "BC", "DC"}
NODE |= {"GW", "GB", "SX"}
_FORMER = {"SIXPRIME": "SX"}
"""Properties as we wrote them once; GNU Backgammon knows no names of more than two letters."""
MOVED = "SX[moved]"
"""In a node that sets the board: it is what came of an illegal play of the roll before it."""

_TOKEN = re.compile(r"[();]|\[((?:[^\]\\]|\\.)*+)\]?|([A-Za-z]+)|(\S)", re.DOTALL)
_SHORT = 3
_LEAST_NODES, _NODE_SIZE = 4000, 8
"""How many nodes are read of any text, and with how many characters each of them on an average beyond that."""
_ESCAPE = re.compile(r"\\(.?)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Node:
    """A node: its properties in order, and where it begins."""

    offset: int
    properties: dict[str, list[str]]

    def first(self, key: str) -> str | None:
        """The first value of a property, None without any."""
        values = self.properties.get(key)
        return values[0] if values else None

    def text(self, key: str) -> str:
        """The text that is the first value of a property, empty without any."""
        return text_of(self.first(key) or "")


class Place:
    """Lines and columns of offsets in a text."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in re.finditer(r"\r\n?|\n", text))]

    def __call__(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1


@dataclass(frozen=True, slots=True)
class Source:
    """The file that is read. report: takes what is wrong in it."""

    name: str
    place: Place
    report: Problems

    def at(self, message: str, offset: int) -> None:
        """Reports something wrong at an offset."""
        self.report(message, *self.place(offset))


def trees(text: str, source: Source) -> Iterator[list[Node]]:
    """The nodes of every tree, of variations only the first."""
    nodes: list[Node] = []
    children: list[int] = []  # of every open tree
    skipped: int | None = None  # depth of the variation that is left out
    properties: dict[str, list[str]] | None = None
    values: list[str] | None = None
    key = ""
    found, most = 0, _LEAST_NODES + len(text) // _NODE_SIZE
    strange = False
    for token in _TOKEN.finditer(text):
        sign = token[0][0]
        if sign == "(":
            if children:
                if children[-1] and skipped is None:
                    source.at("only the first of several variations is read", token.start())
                    skipped = len(children)
                children[-1] += 1
            children.append(0)
            properties = values = None
        elif sign == ")":
            if children:
                children.pop()
                if skipped == len(children):
                    skipped = None
                if not children and nodes:
                    yield nodes
                    nodes = []
            properties = values = None
        elif not children or skipped is not None:
            continue
        elif sign == ";":
            found += 1
            if found > most:
                source.at("more nodes than games of this size have; the rest is left out", token.start())
                break
            properties, values = {}, None
            nodes.append(Node(token.start(), properties))
        elif sign == "[":
            if values:
                values.append(token[1])
            elif values is not None and properties is not None:
                # Most have one value, and short ones come again and again: both need little room.
                values = properties[key] = [token[1] if len(token[1]) > _SHORT else intern(token[1])]
            if not token[0].endswith("]"):
                source.at("the text that begins here does not end", token.start())
        elif token[2] is not None:
            # Old files write GaMe for GM.
            key = "".join(letter for letter in token[2] if letter.isupper()) or token[2]
            key = _FORMER.get(key, key)
            values = properties.setdefault(key, []) if properties is not None else None
        elif not strange:
            strange = True
            source.at(f"cannot read {token[0]!r}", token.start())
    if nodes:
        if found <= most:
            source.at("the last game tree is not closed", len(text))
        yield nodes


# Texts


def text_of(value: str) -> str:
    """A text without its escapes."""
    if "\r" in value:
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    return _ESCAPE.sub(lambda found: "" if found[1] == "\n" else found[1], value) if "\\" in value else value


def line_of(value: str | None) -> str:
    """A text of one line."""
    return " ".join(text_of(value or "").split())


def escaped(text: str) -> str:
    """The inverse of `text_of`."""
    return text.replace("\\", "\\\\").replace("]", "\\]")


def escaped_line(text: str) -> str:
    """The inverse of `line_of`."""
    return escaped(" ".join(text.split()))


def extras_of(node: Node, known: Container[str]) -> Extras:
    """What a node says that has no place in the model."""
    return tuple(
        (f"sgf:{key}", "".join(f"[{value}]" for value in values))
        for key, values in node.properties.items()
        if key not in known
    )


def extras_text(extras: Extras) -> str:
    """The properties that were kept as they are."""
    return "".join(key[4:] + text for key, text in extras if key.startswith("sgf:") and text.startswith("["))


# Points


def steps_of(letters: str, player: int) -> list[tuple[int, int]] | None:
    """Starts and ends of a play written as letters, numbered by the mover; None when it cannot be read."""
    letters = "".join(letters.split())
    if len(letters) % 2 or not all("a" <= letter <= "z" for letter in letters):
        return None
    points = [_point(letter, player) for letter in letters]
    return list(zip(points[::2], points[1::2], strict=True))


def _point(letter: str, player: int) -> int:
    number = ord(letter) - 96
    return number if player == 0 and number < 25 else 25 if number == 25 else 0 if number == 26 else 25 - number


def points_of(value: str) -> range | None:
    """The points of "c" or "a:y", as White numbers them, without those borne off; None for what is none."""
    if not re.fullmatch("[a-z](?::[a-z])?", value):
        return None
    return range(ord(value[0]) - 96, min(ord(value[-1]) - 95, 26))


def letters_of(play: Play, player: int) -> str:
    """The letters of the steps of a play."""
    return "".join(letter_of(step.start, player) + letter_of(step.end, player) for step in play.steps)


def letter_of(point: int, player: int) -> str:
    """The letter of a point as its player numbers it."""
    return "z" if point == 0 else "y" if point == 25 else chr(96 + (point if player == 0 else 25 - point))
