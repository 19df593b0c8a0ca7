"""Variations that somebody has tried in positions, as trees with comments: kept, listed, written as text."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec
from msgspec.structs import replace

from sixprime import reading
from sixprime.errors import RulesError, SettingsError, SixprimeError
from sixprime.formats.xg_text import format_position
from sixprime.game.record import Action, ActionKind
from sixprime.web import messages as m
from sixprime.web.archive import Archive, NotThere
from sixprime.web.boards import parsed_of

_MOST, _ROOM = 200, 1 << 26
"""Trees that are kept, and bytes of all."""
_TITLE = 4
"""Names of a tree's first variations that stand for it in a list."""


@dataclass(frozen=True, slots=True)
class About:
    """What a list says of a tree, as `messages.Tried`."""

    xgid: str
    title: str
    number: int
    chequers: int = 15


class Variations:
    """The trees of this user in a folder, the latest of them."""

    def __init__(self, folder: Path) -> None:
        self._lock = threading.Lock()
        self._archive = Archive(folder, ".tree", About, most=_MOST, room=_ROOM)

    def get(self, key: str) -> m.Variations:
        """Raises NotThere."""
        try:
            return msgspec.convert(reading.read_json(self._archive.place(key)), m.Variations)
        except (OSError, SixprimeError, ValueError):
            raise NotThere("There are no variations with that key.") from None

    def keep(self, asked: m.Variations) -> int:
        """Keeps a tree, or what has become of one. Its version then; 0 for a single position without a comment, which
        is taken away.

        Raises SettingsError for what is no tree, RulesError where another was kept under its key meanwhile, OSError.
        """
        _check(asked)
        with self._lock:
            try:
                version = self.get(asked.key).version
            except NotThere:
                version = 0
            if asked.version != version:
                raise RulesError("These variations were changed elsewhere meanwhile.")
            if len(asked.nodes) == 1 and not asked.nodes[0].comment.strip():
                self._archive.remove(asked.key)
                return 0
            labels = [node.label for node in asked.nodes[1:] if node.parent == 0]
            title = ", ".join([*labels[:_TITLE], *(["…"] if len(labels) > _TITLE else [])])
            root, number = asked.nodes[0], len(asked.nodes) - 1
            about = About(root.xgid, title or root.comment[:60], number, root.board.chequers)
            self._archive.put(asked.key, msgspec.json.encode(replace(asked, version=version + 1)), about)
            return version + 1

    def listed(self) -> tuple[m.Tried, ...]:
        """Those that are kept, the latest first."""
        return tuple(m.Tried(key=each.key, when=each.when, **asdict(each.about)) for each in self._archive.entries())

    def remove(self, key: str) -> None:
        """Takes a tree away. Raises OSError."""
        self._archive.remove(key)


def text(asked: m.Variations) -> str:
    """A tree as text for forums: every position with its place in the tree, as XG writes it, and its comment.

    Raises SettingsError for what is no tree.
    """
    _check(asked)
    numbers: list[str] = []
    below = [0] * len(asked.nodes)
    parts = []
    for index, node in enumerate(asked.nodes):
        number = ""
        if index:
            below[node.parent] += 1
            number = f"{numbers[node.parent]}{'.' if numbers[node.parent] else ''}{below[node.parent]}"
        numbers.append(number)
        heading = " ".join(part for part in (number and f"{number}.", node.label) if part)
        shown = _position(node)
        parts.append("\n\n".join(part for part in (heading, node.comment.strip(), shown) if part))
    return "\n\n".join(parts) + "\n"


def _position(node: m.Node) -> str:
    """A position as XG writes it; its ID alone where XG has no text for it."""
    try:
        found = parsed_of(node.board)
        action = Action(ActionKind.SET, found.state.on_roll, found.position, found.state, found.dice)
        return format_position(action, ("", "")).strip()
    except SixprimeError:
        return node.xgid


def _check(asked: m.Variations) -> None:
    """Raises SettingsError for what is no tree: the first node is the root, all others come after those above them."""
    for index, node in enumerate(asked.nodes):
        if node.parent != -1 if index == 0 else not 0 <= node.parent < index:
            raise SettingsError(f"nodes: the parent of node {index} must stand before it. Got {node.parent} instead.")
    if asked.here >= len(asked.nodes):
        raise SettingsError(f"here: there is no node {asked.here}.")
