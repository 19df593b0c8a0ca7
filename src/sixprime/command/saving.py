"""The options as a file of commands, which this interpreter and GNU Backgammon read back."""

from __future__ import annotations

from collections.abc import Iterator

from sixprime.command.options import Options, get
from sixprime.command.tree import ROOT, Node

_HEAD = ("# Settings in the language of GNU Backgammon, written by Sixprime; `save settings' overwrites them.",)
_FIRST = ("cube-equal-chequer", "players-are-same", "truncate-equal-player0")
"""Rollout switches that change other settings, which come after them."""
_NEVER = ("set output output", "set invert met")
"""With output off nothing could be read; the other is a second name."""


def settings_lines(options: Options) -> list[str]:
    """Commands that set every option as it is; seeds of games are left out."""
    lines = [*_HEAD]
    first, second = Options().players
    if options.players[0].name.lower() == second.name.lower():
        # Nobody may take a name that the other still has.
        lines.append(f'set player 1 name "{first.name} {second.name}"')
    lines.extend(_below(options, ROOT.below("set"), "set", ""))
    lines.extend(f"{words} {value}".rstrip() for words, value in options.gui.items())
    lines.append(f"set sound enable {'yes' if options.sound else 'no'}")
    if options.sound_command:
        lines.append(f"set sound system command {options.sound_command}")
    lines.extend(f'set sound sound {name} "{file}"' for name, file in options.sounds.items())
    return lines


def _below(options: Options, node: Node, words: str, path: str, player: str = "") -> Iterator[str]:
    """The lines of a word and of those after it.

    path: of the part of the options that the words before concern; player: the last that they name.
    """
    if " " in node.path or node.name in _NEVER:
        return
    for given in ("0", "1") if node.argument is not None else (player,):
        said = f"{words} {given}" if node.argument is not None else words
        below = ".".join(each for each in (path, node.path.format(given)) if each)
        if node.key is not None:
            value = get(options, ".".join(each for each in (below, node.key) if each))
            yield from (f"{said} {arguments}" if arguments else said for arguments in node.written(value))
        for child in sorted(node.order, key=lambda each: each.word not in _FIRST):
            yield from _below(options, child, f"{said} {child.word}", below, given)
