"""What the shell says beside the interpreter: completions with their help, guesses at wrong words, coloured boards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from sixprime.command import Interpreter
from sixprime.command.tables import ROOT
from sixprime.command.tree import Node

_UNKNOWN = re.compile(r"Unknown keyword `([^']*)'")
_ROW = re.compile(r"^[ ^v]?[ |+]")
_INK = {"X": "36;1", "O": "33;1"}


def completions(shell: Interpreter, text: str) -> Iterator[tuple[str, str]]:
    """The words that may stand where a line ends, and what they are about."""
    node, _ = shell.reached(text)
    for word in shell.complete(text):
        yield word, "" if node is None else node.children[word].text


def usage(shell: Interpreter, text: str) -> str:
    """What the command that a line has reached is about, and how it goes on; empty at the beginning of a line."""
    node, last = shell.reached(text)
    if node is not None and last:
        node = node.find(last) or node
    if node is None or node is ROOT:
        return ""
    after = node.usage or (" | ".join(child.word for child in node.order if not child.hidden) if node.children else "")
    return f"{node.name} {after}".rstrip() + (f" - {node.text}" if node.text else "")


def guess(shell: Interpreter, line: str, told: str) -> str:
    """ "Did you mean ...?" where what the interpreter told is that it does not know a word of the line; else empty."""
    unknown = _UNKNOWN.search(told)
    if unknown is None:
        return ""
    word = unknown[1].lower()
    node: Node = ROOT
    for each in line.split():
        if each.lower() == word:
            break
        if node.argument is None or shell.state_player(each) is None:
            node = node.find(each) or node
    near = get_close_matches(word, [child.word for child in node.order if not child.hidden], 3, 0.6)
    near = [f"{node.name} {each}".strip() for each in near]
    listed = "' or `".join(near)
    return f"Did you mean `{listed}'?" if near else ""


def coloured(text: str) -> str:
    """An answer with the chequers of boards in colours, by ANSI sequences."""
    return "".join(_coloured(line) if _is_row(line) else line for line in text.splitlines(keepends=True))


def _is_row(line: str) -> bool:
    return bool(_ROW.match(line)) and line.count("|") >= 4


def _coloured(line: str) -> str:
    end = line.rindex("|") + 1
    board = re.sub("[XO]", lambda found: f"\x1b[{_INK[found[0]]}m{found[0]}\x1b[0m", line[:end])
    return board + line[end:]
