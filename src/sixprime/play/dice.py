"""Where the dice of a session come from.

Throws are numbered from 0. A source gives the same dice for the same number, so that what is undone and done again, or
taken up another day, sees the same dice.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from sixprime.checks import SEED, Fields
from sixprime.engine.random import hash64
from sixprime.errors import InvalidFileError, SettingsError
from sixprime.game.acts import Dice
from sixprime.reading import Name, read_text

_STRANGE = re.compile(r"[^1-6\s,;-]")


class DiceSource(Protocol):
    """Whatever throws dice."""

    def throw(self, number: int) -> Dice | None:
        """The dice of a throw; None: they are thrown by hand and given with the roll.

        Raises `SettingsError` when there are no more.
        """


@dataclass(frozen=True, slots=True)
class SeededDice:
    """Dice by a generator of ours; a throw depends on the seed and its number alone."""

    seed: int

    def __post_init__(self) -> None:
        _SEEDED(self)

    @classmethod
    def fresh(cls) -> SeededDice:
        """With a seed from the randomness of the system."""
        return cls(secrets.randbits(63))

    def throw(self, number: int) -> Dice:
        """As `DiceSource` says."""
        face = int((hash64(self.seed, number) >> np.uint64(11)) % np.uint64(36))
        return face // 6 + 1, face % 6 + 1


@dataclass(frozen=True, slots=True)
class ListedDice:
    """Dice written down beforehand. digits: the faces, two of them a throw. Raises `SettingsError` for others."""

    digits: str

    def __post_init__(self) -> None:
        if not isinstance(self.digits, str) or len(self.digits) % 2 or self.digits.strip("123456"):
            raise SettingsError("digits must be those of dice, 1 to 6, two of them a throw.")

    @classmethod
    def read(cls, path: Name) -> ListedDice:
        """The dice in a text: digits 1 to 6, with blanks, commas and hyphens wherever they please.

        Raises `InvalidFileError`, OSError.
        """
        try:
            text = read_text(path)
        except UnicodeDecodeError as error:
            raise InvalidFileError(f"no text with dice ({error})", path=str(path)) from None
        for number, line in enumerate(text.split("\n"), 1):
            if found := _STRANGE.search(line):
                said = f"{found[0]!r} is none of the faces 1 to 6"
                raise InvalidFileError(said, path=str(path), line=number, column=found.start() + 1)
        digits = "".join(re.findall("[1-6]", text))
        if len(digits) % 2:
            raise InvalidFileError(f"{len(digits)} dice, of which the last is alone", path=str(path))
        return cls(digits)

    def throw(self, number: int) -> Dice:
        """As `DiceSource` says."""
        pair = self.digits[2 * number : 2 * number + 2]
        if not pair:
            raise SettingsError(f"The list of dice ends after {len(self.digits) // 2} throws. Another one is needed.")
        return int(pair[0]), int(pair[1])


@dataclass(frozen=True, slots=True)
class ManualDice:
    """Dice thrown elsewhere, on a real board or by a server, and given with every roll."""

    def throw(self, number: int) -> None:
        """As `DiceSource` says."""


_SEEDED = Fields(seed=SEED)
