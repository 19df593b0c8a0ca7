"""Where the dice of a session come from.

Throws are numbered from 0. A source gives the same dice for the same number, so that what is undone and done again, or
taken up another day, sees the same dice.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np

from sixprime.checks import SEED, TEXT, Fields, Instance, Maybe, Pair, Whole, refuse
from sixprime.engine import Engine, PlayRequest
from sixprime.engine.random import hash64
from sixprime.errors import InvalidFileError, SettingsError
from sixprime.game.acts import Dice
from sixprime.game.match_rules import quiet
from sixprime.game.rules import ROLLS
from sixprime.game.table import Phase, Table
from sixprime.play.generators import GENERATORS, Throws, throws
from sixprime.reading import Name, read_text

_STRANGE = re.compile(r"[^1-6\s,;-]")


@runtime_checkable
class DiceSource(Protocol):
    """Whatever throws dice."""

    def throw(self, number: int) -> Dice | None:
        """The dice of a throw; None: they are thrown by hand and given with the roll.

        Raises `SettingsError` when there are no more.
        """


@dataclass(frozen=True, slots=True)
class SeededDice:
    """Dice by a generator of ours; a throw depends on the seed and its number alone.

    With a `fresh` seed, of the system's randomness, they are what nobody could have known; who knows the seed
    afterwards can throw them again.
    """

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
class GeneratedDice:
    """Dice of GNU Backgammon: by a generator of `generators.GENERATORS`, with the same seeds in the same order.

    seed: a whole number from 0, as long as you like; modulus: of bbs, "0" for the usual one. Both are kept as text.
    Raises `SettingsError` for what is none.
    """

    generator: str
    seed: str
    modulus: str = "0"

    def __post_init__(self) -> None:
        if self.generator not in GENERATORS:
            refuse("generator", f"one of {', '.join(GENERATORS)}", self.generator)
        for name in ("seed", "modulus"):
            object.__setattr__(self, name, str(whole(name, getattr(self, name))))
        self._throws  # noqa: B018 - a seed that is too weak is refused at once

    @classmethod
    def fresh(cls, generator: str) -> GeneratedDice:
        """With a seed from the randomness of the system."""
        return cls(generator, str(secrets.randbits(32) + 2))

    @property
    def _throws(self) -> Throws:
        return throws(self.generator, int(self.seed), int(self.modulus))

    def throw(self, number: int) -> Dice:
        """As `DiceSource` says."""
        return self._throws[number]


@dataclass(frozen=True, slots=True)
class ListedDice:
    """Dice written down beforehand. digits: the faces, two of them a throw. Raises `SettingsError` for others."""

    digits: str

    def __post_init__(self) -> None:
        if not isinstance(self.digits, str) or len(self.digits) % 2 or self.digits.strip("123456"):
            raise SettingsError("digits must be those of dice, 1 to 6, two of them a throw.")

    @classmethod
    def read(cls, path: Name, *, strict: bool = True) -> ListedDice:
        """The dice in a text: digits 1 to 6, with blanks, commas and hyphens wherever they please.

        strict: False passes over whatever else is there, and a die that is left over is thrown with the first one,
        from where the dice go round again. Raises `InvalidFileError`, OSError.
        """
        try:
            text = read_text(path)
        except UnicodeDecodeError:
            raise InvalidFileError("no text with dice: it is not in UTF-8", path=str(path)) from None
        for number, line in enumerate(text.split("\n") if strict else (), 1):
            if found := _STRANGE.search(line):
                said = f"{found[0]!r} is none of the faces 1 to 6"
                raise InvalidFileError(said, path=str(path), line=number, column=found.start() + 1)
        digits = "".join(re.findall("[1-6]", text))
        if not digits and not strict:
            raise InvalidFileError("none of the faces 1 to 6 is in it", path=str(path))
        if len(digits) % 2 and not strict:
            digits *= 2
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


@dataclass(frozen=True, slots=True)
class Loaded:
    """Loaded dice, for cheating openly: who has a rank rolls the best (1) to worst (21) of the rolls, never by chance.

    engine: judges the rolls, by the best play of each, statically and without the cube. ranks: of both players, None
    for who rolls honestly. The first roll of a game is nobody's. Raises `SettingsError` for other ranks.
    """

    engine: Engine
    ranks: tuple[int | None, int | None]

    def __post_init__(self) -> None:
        _LOADED(self)

    def throw(self, table: Table) -> Dice | None:
        """The roll of the player on roll; None where he rolls honestly."""
        rank = self.ranks[table.state.on_roll]
        if rank is None or table.phase is not Phase.ROLL:
            return None
        requests = [PlayRequest(table.position, roll, quiet(table.state)) for roll in ROLLS]
        plays = self.engine.rank_plays_many(requests, plies=0, count=1)
        values = [each[0].cubeless_equity for each in plays]
        order = sorted(range(len(ROLLS)), key=lambda roll: (-values[roll], roll))
        return ROLLS[order[rank - 1]]


def source_named(text: str, seed: int | str | None = None) -> DiceSource:
    """The source of dice that a text names: "system", a generator of `GENERATORS`, "manual" or "file:PATH".

    seed: of a generator, None for a fresh one. Raises `SettingsError` for another text or seed, and as `ListedDice`.
    """
    TEXT("dice", text)
    kind, _, path = text.partition(":")
    if kind == "file" and path:
        return ListedDice.read(path)
    if text == "manual":
        return ManualDice()
    if text == "system":
        return SeededDice.fresh() if seed is None else SeededDice(whole("seed", seed))
    if text not in GENERATORS:
        refuse("dice", f"one of {', '.join(SOURCES)}", text)
    return GeneratedDice.fresh(text) if seed is None else GeneratedDice(text, str(whole("seed", seed)))


def afresh(dice: DiceSource, thrown: int) -> DiceSource:
    """A source of the same kind for another match: with a fresh seed, a list without what was thrown of it."""
    match dice:
        case SeededDice():
            return SeededDice.fresh()
        case GeneratedDice(generator, _, modulus):
            return replace(GeneratedDice.fresh(generator), modulus=modulus)
        case ListedDice(digits):
            return ListedDice(digits[2 * thrown :])
    return dice


def described(dice: DiceSource) -> str:
    """A source in words, with all that is needed to throw its dice again."""
    match dice:
        case SeededDice(seed):
            return f"system, seed {seed}"
        case GeneratedDice(generator, seed, modulus):
            return f"{generator}, seed {seed}" + (f", modulus {modulus}" if modulus != "0" else "")
        case ListedDice(digits):
            return f"a list of {len(digits) // 2} throws"
        case ManualDice():
            return "thrown by hand"
    return type(dice).__name__


def whole(name: str, given: int | str) -> int:
    """A whole number from 0, of any length, from its digits. Raises SettingsError."""
    text = str(given) if not isinstance(given, bool) else ""
    if not (text.isascii() and text.isdigit() and len(text) <= _LONGEST):
        refuse(name, f"a whole number from 0 of at most {_LONGEST} digits", given)
    return int(text)


SOURCES = ("system", *GENERATORS, "manual", "file:PATH")
"""What `source_named` knows."""
_LONGEST = 4000
_SEEDED = Fields(seed=SEED)
_RANK = Maybe(Whole(1, len(ROLLS)))
_LOADED = Fields(engine=Instance(Engine, "an Engine"), ranks=Pair(_RANK))
