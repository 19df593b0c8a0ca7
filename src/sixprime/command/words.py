"""The words of a line: how they are split, and the kinds of values that commands take from them.

A kind reads the next words. What a command can say better itself, a missing or a wrong number, is None; what is wrong
for every command alike raises `Refused`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from sixprime.errors import SixprimeError

if TYPE_CHECKING:
    from sixprime.command.call import Call

BOTH = 2
"""Both players, where one is asked for."""


class Refused(SixprimeError):
    """A command cannot be done. text: what the user reads; wrong: it goes to standard error."""

    def __init__(self, text: str, *, wrong: bool = False) -> None:
        super().__init__(text)
        self.wrong = wrong


class Words:
    """What is left of a line."""

    def __init__(self, line: str) -> None:
        self.rest = line

    def next(self) -> str | None:
        """The next word, None at the end. Quotes, single or double, hold words together and are taken off."""
        text, word, at, quote = self.rest.lstrip(), [], 0, ""
        if not text:
            self.rest = ""
            return None
        while at < len(text):
            letter = text[at]
            if quote:
                if letter == quote:
                    quote = ""
                else:
                    word.append(letter)
            elif letter in "'\"":
                quote = letter
            elif letter.isspace():
                break
            else:
                word.append(letter)
            at += 1
        self.rest = text[at:]
        return "".join(word)

    def peek(self) -> str | None:
        """The next word, which stays."""
        before = self.rest
        word = self.next()
        self.rest = before
        return word

    def all(self) -> str:
        """All that is left, without the blanks around it."""
        rest, self.rest = self.rest.strip(), ""
        return rest


class Kind:
    """How a value is read from words."""

    def read(self, call: Call, words: Words) -> object:
        """The value. Raises `Refused`."""
        raise NotImplementedError


class _OnOff(Kind):
    def read(self, call: Call, words: Words) -> bool:
        word = words.next()
        if word is None:
            raise Refused(f"You must specify whether to set '{call.name.removeprefix('set ')}' on or off.")
        if (found := on_off(word)) is None:
            raise Refused(f"Illegal keyword `{word}'.")
        return found


class _Number(Kind):
    def read(self, call: Call, words: Words) -> int | None:
        return whole(words.next())


class _Real(Kind):
    def read(self, call: Call, words: Words) -> float | None:
        return real(words.next())


class _Word(Kind):
    def read(self, call: Call, words: Words) -> str | None:
        return words.next()


class _Rest(Kind):
    def read(self, call: Call, words: Words) -> str:
        return words.all()


class _Unquoted(Kind):
    def read(self, call: Call, words: Words) -> str | None:
        return unquoted(words.all()) or None


class _Prompt(Kind):
    def read(self, call: Call, words: Words) -> str:
        text = words.rest[1:]  # behind the blank that ended the word before
        held = words.all()
        return text if unquoted(held) == held else unquoted(held)


class _Player(Kind):
    def read(self, call: Call, words: Words) -> int:
        word = words.next()
        if word is None:
            raise Refused(f"You must specify a player (see `help {call.name}').")
        found = call.player(word)
        if found is None:
            raise Refused(f"Unknown player `{word}' (see `help {call.name}').")
        return found


OnOff = Annotated[bool, _OnOff()]
"""on, off, yes, no, true, false, and what begins like them."""
Number = Annotated[int | None, _Number()]
"""A whole number; None for a missing or a wrong one."""
Real = Annotated[float | None, _Real()]
"""A number; None for a missing or a wrong one."""
Word = Annotated[str | None, _Word()]
"""One word, or several in quotes; None at the end."""
Path = Annotated[str | None, _Unquoted()]
"""The rest of the line as the name of a file, without quotes; None where there is none."""
Rest = Annotated[str, _Rest()]
"""The rest of the line as it is."""
Prompt = Annotated[str, _Prompt()]
"""The rest of the line with the blanks at its end, or what stands in quotes."""
Player = Annotated[int, _Player()]
"""0, 1 or `BOTH`, by number, name or `both`."""


def on_off(word: str) -> bool | None:
    """What a word says of a switch; None: nothing."""
    word = word.lower()
    if any(full.startswith(word) and len(word) >= least for full, least in _ON):
        return True
    if any(full.startswith(word) and len(word) >= least for full, least in _OFF):
        return False
    return None


_ON = (("on", 2), ("yes", 1), ("true", 1))
_OFF = (("off", 2), ("no", 1), ("false", 1))
_WHOLE = re.compile(r"[+-]?[0-9]{1,10}")


def whole(word: str | None) -> int | None:
    """A whole number, None for anything else."""
    return int(word) if word is not None and _WHOLE.fullmatch(word) else None


def real(word: str | None) -> float | None:
    """A finite number, None for anything else; a comma may stand for the point."""
    try:
        value = float((word or "").replace(",", "."))
    except ValueError:
        return None
    return value if abs(value) < 1e30 else None


def unquoted(text: str) -> str:
    """A text without the quotes around all of it."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text
