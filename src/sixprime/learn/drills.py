"""Drills against the clock: pip counts, effective pip counts, races and their cubes, shots.

An exercise depends on its kind, the seed and its number alone (and on the engine that plays the games it is taken
from). A face shows it, takes the time and keeps the `Attempt`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from statistics import fmean, median
from typing import TYPE_CHECKING

from sixprime.analysis import judge
from sixprime.checks import SEED, TEXT, Instance, Whole, listed
from sixprime.engine import Engine
from sixprime.errors import InvalidPlayError, InvalidPositionError, SettingsError
from sixprime.game.position import Position
from sixprime.game.record import ActionKind
from sixprime.lazy import brief
from sixprime.learn.questions import SMALL
from sixprime.learn.schedule import SECONDS, aware
from sixprime.theory.explain import count
from sixprime.theory.race import check_race, race_side

if TYPE_CHECKING:
    from sixprime.game.play import Play

LATEST = 20
"""Attempts that say how somebody stands now."""
_KEPT = 20_000
_LONGEST = 300
_WINDOW = 0.62, 0.88
"""Winning chances where the cube of a race is a question."""
_LEAST = 4
"""Chequers of a side that make a race worth looking at."""
_FEWEST = 40
"""Pips of a side that are worth counting."""
_TRIES = 200
MOST_PIPS = 375
"""Of fifteen chequers on the bar."""
_NUMBER = re.compile(r"[+-]?[0-9]{1,4}(?:[.,][0-9]{1,4})?")


class DrillKind(StrEnum):
    """What is asked."""

    PIPS = "pips"
    EPC = "epc"
    RACE = "race"
    CUBE = "cube"
    SHOTS = "shots"


@dataclass(frozen=True, slots=True)
class DrillRules:
    """Of a kind: what is asked, names of the numbers (none where words are the answer), how far off still counts as
    right, 0 for whole numbers, the unit of an error, with how many digits it is said, and the highest answer."""

    question: str
    names: tuple[str, ...]
    near: float
    unit: str
    digits: int = 1
    most: int = MOST_PIPS


RULES = {
    DrillKind.PIPS: DrillRules("How many pips have X and O?", ("X", "O"), 0, "pip"),
    DrillKind.EPC: DrillRules("What is the effective pip count of X?", ("EPC",), 0.5, "pip"),
    DrillKind.RACE: DrillRules("How often does X, on roll, win this race, in %?", ("Wins",), 2, "%", most=100),
    DrillKind.CUBE: DrillRules("X is on roll. n: no double; t: double, take; p: double, pass?", (), SMALL, "point", 3),
    DrillKind.SHOTS: DrillRules("With how many rolls of 36 can X hit?", ("Rolls",), 0, "roll", most=36),
}


@dataclass(frozen=True, slots=True)
class Exercise:
    """One position and what is asked of it, seen by the player on roll (X), for money.

    numbers: the right ones. choices: instead, what may be answered, by its first letter, and the equity it loses.
    """

    kind: DrillKind
    position: Position
    numbers: tuple[float, ...]
    choices: tuple[tuple[str, float], ...] = ()

    @property
    def rules(self) -> DrillRules:
        """What is asked and how it is marked."""
        return RULES[self.kind]

    def mark(self, text: str, when: datetime, seconds: float) -> Attempt:
        """Marks an answer: as many numbers as are asked, in their order, or a choice.

        Raises InvalidPlayError for anything else, SettingsError for a time without zone or seconds that are none.
        """
        TEXT("text", text)
        when = aware(when)
        SECONDS("seconds", seconds)
        error = self._lost(text) if self.choices else self._off(text)
        return Attempt(self.kind, when, float(seconds), error, error <= self.rules.near + 1e-9)

    def _lost(self, text: str) -> float:
        word = text.strip().lower()
        for name, loss in self.choices:
            if word and (word == name[0] or word == name):
                return loss
        names = ", ".join(f"{name[0]} ({name})" for name, _ in self.choices)
        raise InvalidPlayError(f"expected one of {names}; found {text.strip()[:20]!r}")

    def _off(self, text: str) -> float:
        words = text.replace(", ", " ").replace(";", " ").replace("%", " ").split()
        if len(words) != len(self.numbers) or not all(map(_NUMBER.fullmatch, words)):
            wanted = " ".join(f"{number:.0f}" for number in range(88, 88 + len(self.numbers)))
            what = "a number" if len(self.numbers) == 1 else f"{len(self.numbers)} numbers"
            raise InvalidPlayError(f"expected {what} such as {wanted}; found {text.strip()[:20]!r}")
        given = [float(word.replace(",", ".")) for word in words]
        for number in given:
            if not 0 <= number <= self.rules.most or (not self.rules.near and number % 1):
                kind = "a number" if self.rules.near else "a whole number"
                raise InvalidPlayError(f"expected {kind} from 0 to {self.rules.most}; found {number:g}")
        return max(abs(one - two) for one, two in zip(given, self.numbers, strict=True))


@dataclass(frozen=True, slots=True)
class Attempt:
    """One answer: when, how many seconds it took, how far off it was at most or what it lost, and whether
    that counts as right."""

    kind: DrillKind
    when: datetime
    seconds: float
    error: float
    right: bool


_ATTEMPT = Instance(Attempt)


@dataclass(frozen=True, slots=True)
class DrillLog:
    """All attempts in order; the oldest of very many are forgotten."""

    attempts: tuple[Attempt, ...] = ()

    def __repr__(self) -> str:
        return brief(self, f"of {len(self.attempts)} attempts")

    def added(self, attempt: Attempt) -> DrillLog:
        """With one more. Raises SettingsError for what is no attempt."""
        _ATTEMPT("attempt", attempt)
        return replace(self, attempts=(*self.attempts, attempt)[-_KEPT:])

    def of(self, kind: DrillKind) -> tuple[Attempt, ...]:
        """The attempts of one kind."""
        return tuple(attempt for attempt in self.attempts if attempt.kind is kind)


@dataclass(frozen=True, slots=True)
class Record:
    """How attempts went: how many, the share that was right, the mean error and the median time in seconds."""

    attempts: int
    right: float
    error: float
    seconds: float


def record(attempts: Sequence[Attempt]) -> Record | None:
    """How attempts went; None without any. Raises SettingsError for what are none."""
    attempts = listed("attempts", attempts, Attempt)
    if not attempts:
        return None
    return Record(
        len(attempts),
        fmean(attempt.right for attempt in attempts),
        fmean(attempt.error for attempt in attempts),
        median(attempt.seconds for attempt in attempts),
    )


def exercise(engine: Engine, kind: DrillKind, seed: int, number: int) -> Exercise:
    """The `number`-th exercise of a seed. Raises SettingsError for numbers out of range."""
    Instance(Engine)("engine", engine)
    Instance(DrillKind)("kind", kind)
    SEED("seed", seed)
    Whole(0, 1 << 30)("number", number)
    dice = random.Random(f"{kind.value} {seed} {number}")
    make = {
        DrillKind.PIPS: _pips,
        DrillKind.EPC: _epc,
        DrillKind.RACE: _race,
        DrillKind.CUBE: _cube,
        DrillKind.SHOTS: _shots,
    }[kind]
    for _ in range(_TRIES):
        found = make(engine, dice)
        if found is not None:
            return found
    raise SettingsError(f"seed {seed} has no exercise {number} of the kind {kind.value}; try another seed")


def _is_race(position: Position) -> bool:
    """Whether the sides have passed each other, with chequers of both left."""
    try:
        check_race(position)
    except InvalidPositionError:
        return False
    return True


def _play(engine: Engine, dice: random.Random, until: Callable[[Position, int], bool]) -> Position | None:
    """A position of a game of the engine with itself, 0-ply, from which on `until` holds; None where the game ends."""
    position = Position.start()
    for turn in range(_LONGEST):
        if position.winner is not None:
            return None
        if until(position, turn):
            return position
        play = _best(engine, position, dice)
        position = position.swapped() if play is None else play.result
    return None


def _best(engine: Engine, position: Position, dice: random.Random) -> Play | None:
    roll = dice.randint(1, 6), dice.randint(1, 6)
    found = engine.best_plays(position, roll, plies=0, count=1)
    return found[0].play if found else None


def _pips(engine: Engine, dice: random.Random) -> Exercise | None:
    turns = dice.randint(4, 40)
    position = _play(engine, dice, lambda _, turn: turn == turns)
    if position is None or min(position.pips) < _FEWEST:
        return None
    return Exercise(DrillKind.PIPS, position, tuple(map(float, position.pips)))


def _epc(engine: Engine, dice: random.Random) -> Exercise | None:
    """A side that bears off, at a random moment from its last chequer home to its last few."""
    left = dice.randint(3, 15)

    def ready(position: Position, _: int) -> bool:
        return _is_race(position) and not any(position.player[6:]) and sum(position.player) <= left

    position = _play(engine, dice, ready)
    if position is None:
        return None
    side = race_side(engine, position.player)
    return Exercise(DrillKind.EPC, position, (side.epc,)) if side.exact else None


def _race(engine: Engine, dice: random.Random) -> Exercise | None:
    position = _race_position(engine, dice)
    if position is None:
        return None
    win = engine.evaluate(position).probabilities.win
    return Exercise(DrillKind.RACE, position, (100 * win,)) if 0.1 <= win <= 0.95 else None


def _cube(engine: Engine, dice: random.Random) -> Exercise | None:
    """A race near its double point or its take point."""
    position = _race_position(engine, dice)
    if position is None:
        return None
    cube = engine.cube_action(position)
    if not _WINDOW[0] <= cube.probabilities.win <= _WINDOW[1]:
        return None
    answer, doubled = judge.Answer(cube), judge.double_error(cube, True)
    losses = doubled + answer.error(ActionKind.TAKE), doubled + answer.error(ActionKind.DROP)
    names = "no double", "take", "pass"
    choices = tuple(zip(names, (judge.double_error(cube, False), *losses), strict=True))
    return Exercise(DrillKind.CUBE, position, (), choices)


def _race_position(engine: Engine, dice: random.Random) -> Position | None:
    """A race some turns after the sides have passed each other."""
    position = _play(engine, dice, lambda position, _: _is_race(position))
    for _ in range(dice.randint(0, 10)):
        if position is None or position.winner is not None:
            return None
        play = _best(engine, position, dice)
        position = position.swapped() if play is None else play.result
    if position is None or not _is_race(position):
        return None
    return position if min(sum(position.player), sum(position.opponent)) >= _LEAST else None


def _shots(engine: Engine, dice: random.Random) -> Exercise | None:
    turns = dice.randint(2, 40)
    before = _play(engine, dice, lambda _, turn: turn == turns)
    play = None if before is None else _best(engine, before, dice)
    if play is None:
        return None
    shots = count(play).shots
    return Exercise(DrillKind.SHOTS, play.result, (float(shots),)) if 0 < shots < 36 else None
