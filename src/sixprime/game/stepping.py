"""`Entry`: a play that is being made, one chequer after the other, for boards that are played by hand.

It says which chequers can move and where to, allows only what can still become a legal play, and takes back. Points are
those of the mover: 24..1, 25 the bar, 0 off.

>>> from sixprime.game.position import Position
>>> entry = Entry.of(Position.start(), (3, 1))
>>> entry.starts, sorted(entry.targets(8))
((24, 13, 8, 6), [4, 5, 7])
>>> entry = entry.move(8).move(6)  # the larger die first, as it was thrown
>>> entry.done, str(entry.play)
(True, '8/5 6/5')
>>> entry.back(5).starts, str(Entry.typed("6 8", Position.start(), (1, 3)).play)
((24, 8, 6, 5), '8/5 6/5')
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from sixprime.errors import IllegalPlayError, InvalidPlayError
from sixprime.game.play import Play, parse_play, parse_steps
from sixprime.game.position import Position
from sixprime.game.rules import Rows, Step, check_dice, longest_plays, move_chequer, single_steps

Way = tuple[tuple[int, Step], ...]
"""Steps of one chequer, each with its die."""


class _Ways:
    """Which steps of a roll can become a legal play; found as it is asked for, as few are."""

    def __init__(self, position: Position, dice: tuple[int, int]) -> None:
        self._legal = longest_plays(position, dice).keys() or {(position.player, position.opponent)}
        self._known: dict[tuple[Rows, tuple[int, ...]], bool] = {}

    def steps(self, rows: Rows, left: tuple[int, ...]) -> Way:
        """Every step with every die that is left, by which a legal play can be reached."""
        return tuple(
            (die, step)
            for die in dict.fromkeys(left)
            for step in single_steps(*rows, die)
            if self._reached(move_chequer(*rows, step), _without(left, die))
        )

    def _reached(self, rows: Rows, left: tuple[int, ...]) -> bool:
        """Whether a play can be ended from here. The end is where nothing can be moved any more."""
        key = rows, tuple(sorted(left))
        if key not in self._known:
            further = [(die, step) for die in dict.fromkeys(left) for step in single_steps(*rows, die)]
            self._known[key] = (
                any(self._reached(move_chequer(*rows, step), _without(left, die)) for die, step in further)
                if further
                else rows in self._legal
            )
        return self._known[key]


_ways = lru_cache(maxsize=64)(_Ways)


def _name(point: int) -> str:
    return "the bar" if point == 25 else "off" if point == 0 else str(point)


def _without(left: tuple[int, ...], die: int) -> tuple[int, ...]:
    at = left.index(die)
    return left[:at] + left[at + 1 :]


@dataclass(frozen=True, slots=True)
class Entry:
    """A play that is being made.

    position: before it, the mover on roll. dice: in the order in which they are used where nothing else is said.
    moves: what was moved, one chequer each, with the dice it took.
    """

    position: Position
    dice: tuple[int, int]
    moves: tuple[Way, ...] = ()

    @classmethod
    def of(cls, position: Position, dice: tuple[int, int]) -> Entry:
        """A play of which nothing is made. Raises SettingsError for dice that are none."""
        check_dice(dice)
        return cls(position, dice)

    @classmethod
    def typed(cls, text: str, position: Position, dice: tuple[int, int]) -> Entry:
        """What a text makes of a roll, perhaps less than a whole play: "8/5 6/5", "8 5 6 5", or just the points from
        which chequers move, "8 6", by the dice in either order.

        A whole play may be written as `parse_play` reads it. Of several readings a whole play comes first, then that by
        steps.
        Raises InvalidPlayError for text that cannot be read, IllegalPlayError for what the rules do not allow.
        """
        entry = cls.of(position, dice)
        text = re.sub(r"^\s*[1-6][- ]?[1-6]\s*:", "", text)
        if not text.split():
            return entry
        try:
            return entry._following(parse_play(text, position, dice))
        except (IllegalPlayError, InvalidPlayError) as error:
            refused = error
        try:
            return entry.further(text)
        except (IllegalPlayError, InvalidPlayError):
            raise refused from None

    # What there is to see

    @property
    def steps(self) -> tuple[Step, ...]:
        """What was moved, one die each, in that order."""
        return tuple(step for move in self.moves for _, step in move)

    @property
    def left(self) -> tuple[int, ...]:
        """The dice that are left, that which is used next first."""
        first, second = self.dice
        left: tuple[int, ...] = (first,) * 4 if first == second else (first, second)
        for move in self.moves:
            for die, _ in move:
                left = _without(left, die)
        return left

    @property
    def thrown(self) -> tuple[tuple[int, bool], ...]:
        """The dice and whether each is used: four where they are equal, those that are used first."""
        first, second = self.dice
        if first != second:
            return (first, first not in self.left), (second, second not in self.left)
        unused = len(self.left)
        return ((first, True),) * (4 - unused) + ((first, False),) * unused

    @property
    def now(self) -> Position:
        """The board as it is, the mover still on roll."""
        player, opponent = self._rows
        return Position(opponent, player, self.position.chequers)

    @property
    def starts(self) -> tuple[int, ...]:
        """The points whose chequers can move, the highest first."""
        return tuple(sorted({step.start for _, step in self._next(self._rows, self.left)}, reverse=True))

    def targets(self, start: int) -> dict[int, Way]:
        """Where a chequer on `start` can go, with as many dice as it likes, and its way there.

        Of several ways to the same point the one by the dice in their order, for doubles and else.
        """
        found: dict[int, Way] = {}
        ahead: list[tuple[Rows, tuple[int, ...], Way]] = [(self._rows, self.left, ())]
        while ahead:
            rows, left, way = ahead.pop(0)
            at = way[-1][1].end if way else start
            for die, step in self._next(rows, left):
                if step.start == at:
                    further = (*way, (die, step))
                    found.setdefault(step.end, further)
                    if step.end:
                        ahead.append((move_chequer(*rows, step), _without(left, die), further))
        return found

    @property
    def done(self) -> bool:
        """Whether this is a whole legal play."""
        return not self._next(self._rows, self.left)

    @property
    def play(self) -> Play:
        """The play. Raises IllegalPlayError while it is not `done`."""
        if not self.done:
            one = len(self.left) == 1
            left = "is 1" if one else f"are {len(self.left)}"
            raise IllegalPlayError(f"the play is not finished after {len(self.steps)} of the dice: there {left} left")
        return Play.between(self.position, self.dice, self.now.swapped())

    # What there is to do

    def move(self, start: int, end: int | None = None) -> Entry:
        """After a chequer went from `start` to `end`; None: by the first die that can be used.

        Raises IllegalPlayError where that is no part of a legal play.
        """
        ways = self.targets(start)
        if end is None:
            end = next((way[0][1].end for way in ways.values() if len(way) == 1), None)
        if end not in ways:
            raise IllegalPlayError(self._why_not(start, end, ways))
        return replace(self, moves=(*self.moves, ways[end]))

    def further(self, text: str) -> Entry:
        """After what a text says as `typed` reads it, on top of what was moved. Raises as `typed`."""
        found: list[Entry] = []
        refused: list[Exception] = []
        for reading in (self._by_steps, self._by_starts):
            try:
                found.append(reading(text))
            except (IllegalPlayError, InvalidPlayError) as error:
                refused.append(error)
        if not found:
            raise refused[0]
        return next((each for each in found if each.done), found[0])

    def back(self, point: int | None = None) -> Entry:
        """Before the last chequer was moved; point: before the one that came to this point last.

        Raises IllegalPlayError where none has been moved, or others rely on it.
        """
        if not self.moves:
            raise IllegalPlayError("no chequer has been moved yet")
        at = len(self.moves) - 1
        if point is not None:
            came = [number for number, move in enumerate(self.moves) if move[-1][1].end == point]
            if not came:
                raise IllegalPlayError(f"no chequer has been moved to {point}")
            at = came[-1]
        entry = replace(self, moves=self.moves[:at])
        for move in self.moves[at + 1 :]:
            again: Way = ()
            for die, (start, end, _) in move:
                way = entry.targets(start).get(end, ())
                if [each for each, _ in way] != [die]:
                    raise IllegalPlayError("others have moved that rely on this chequer; take them back first")
                entry, again = replace(entry, moves=(*entry.moves, way)), (*again, *way)
            entry = replace(entry, moves=(*entry.moves[: -len(move)], again))
        return entry

    def swapped(self) -> Entry:
        """With the other die first; what was moved stays."""
        return replace(self, dice=(self.dice[1], self.dice[0]))

    # How it is found

    @property
    def _rows(self) -> Rows:
        rows = self.position.player, self.position.opponent
        for step in self.steps:
            rows = move_chequer(*rows, step)
        return rows

    def _next(self, rows: Rows, left: tuple[int, ...]) -> Way:
        high, low = check_dice(self.dice)
        return _ways(self.position, (high, low)).steps(rows, left)

    def _why_not(self, start: int, end: int | None, ways: dict[int, Way]) -> str:
        if not ways:
            movable = ", ".join(map(_name, self.starts))
            rest = f"those on {movable} can" if movable else "the play is finished"
            return f"no chequer on {_name(start)} can move; {rest}"
        ends = ", ".join(map(_name, sorted(ways, reverse=True)))
        return f"no legal play moves a chequer from {_name(start)} to {_name(end or 0)}; it can go to {ends}"

    def _following(self, play: Play) -> Entry:
        """The steps of a whole play, one after the other in an order that is possible."""

        def further(entry: Entry, steps: tuple[Step, ...]) -> Entry | None:
            if not steps:
                return entry
            for die, step in entry._next(entry._rows, entry.left):
                if step in steps:
                    at = steps.index(step)
                    after = replace(entry, moves=(*entry.moves, ((die, step),)))
                    if (found := further(after, steps[:at] + steps[at + 1 :])) is not None:
                        return found
            return None

        found = further(self, play.steps)
        assert found is not None, play
        return found

    def _by_steps(self, text: str) -> Entry:
        """Some steps of a play."""
        entry = self
        for step in parse_steps(text):
            for _ in range(step.count):
                entry = entry.move(step.start, step.end)
        return entry

    def _by_starts(self, text: str) -> Entry:
        """Points from which a chequer moves with one die each: those of the dice in their order, or in the other."""
        words = text.replace(",", " ").split()
        if not all(re.fullmatch(r"bar|\d{1,2}", word, re.IGNORECASE | re.ASCII) for word in words):
            raise InvalidPlayError(f"{text[:20]!r} names no points")
        found: IllegalPlayError | None = None
        for entry in (self, self.swapped()):
            try:
                for word in words:
                    entry = entry.move(25 if word.lower() == "bar" else int(word))
                return replace(entry, dice=self.dice)
            except IllegalPlayError as error:
                found = found or error
        assert found is not None
        raise found
