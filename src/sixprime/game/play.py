"""`Play`: what a player does with a roll, and the notation it is written in.

Points are numbered by the mover: 24..1, 25 the bar, 0 off.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate, pairwise
from operator import sub
from typing import NamedTuple

from sixprime.checks import TEXT
from sixprime.errors import IllegalPlayError, InvalidPlayError, InvalidPositionError
from sixprime.game.position import BAR, POSITION, Position
from sixprime.game.quick import maker
from sixprime.game.rules import Step, check_dice, full_plays, longest_plays, move_chequer, step_from
from sixprime.lazy import drawn_by

__all__ = ["Play", "Step", "WrittenStep", "apply_steps", "parse_play", "parse_steps", "paths"]


@dataclass(frozen=True, slots=True)
class Play:
    """A play. Two plays are equal when they lead from the same position to the same result.

    steps: one chequer and one die each, the highest start first; none when nothing could be moved.
    position: before the play, the mover on roll. result: after it, the opponent on roll.
    """

    steps: tuple[Step, ...] = field(compare=False)
    position: Position
    result: Position

    @classmethod
    def between(cls, position: Position, dice: tuple[int, int], result: Position) -> Play:
        """The legal play that leads from `position` to `result`, which has the opponent on roll.

        Raises IllegalPlayError when there is none.
        """
        POSITION("position", position)
        POSITION("result", result)
        for route in _routes(position, check_dice(dice), result.opponent):
            if route.result == result and _uses_enough_dice(route, dice):
                return route
        raise IllegalPlayError(f"no play of {dice[0]}-{dice[1]} leads from {position!r} to {result!r}")

    def __str__(self) -> str:
        return _written(self.steps)

    _repr_svg_ = drawn_by("play")


@dataclass(frozen=True, slots=True, order=True)
class WrittenStep:
    """One part of a written play: `count` chequers go from `start` to `end`, perhaps with several dice each."""

    start: int
    end: int
    hit: bool
    count: int


def _name(point: int) -> str:
    return "bar" if point == 25 else "off" if point == 0 else str(point)


def paths(steps: Iterable[Step]) -> dict[tuple[int, ...], list[list[Step]]]:
    """The ways of single chequers, those that went the same way together; the first of them made the hits.

    Keys: the points touched, from the start to the end.
    """
    chains: list[list[Step]] = []
    for step in sorted(steps, reverse=True):
        for chain in chains:
            if chain[-1].end == step.start > step.end:
                chain.append(step)
                break
        else:
            chains.append([step])
    groups: dict[tuple[int, ...], list[list[Step]]] = {}
    for chain in chains:
        groups.setdefault((chain[0].start, *(step.end for step in chain)), []).append(chain)
    return groups


def format_steps(steps: Iterable[Step]) -> str:
    """The steps as GNU Backgammon writes them: "24/18*/13", "8/5 6/5", "6/off(2)"; "" for no steps."""
    parts = []
    for (first, *_), group in paths(steps).items():
        text = _name(first)
        for step in group[0]:
            if step.hit or step is group[0][-1]:
                text += f"/{_name(step.end)}{'*' if step.hit else ''}"
        parts.append(text if len(group) == 1 else f"{text}({len(group)})")
    return " ".join(parts)


_written = lru_cache(maxsize=1 << 14)(format_steps)


_POINT = r"(?:b(?:ar?)?|o(?:ff?)?|[0-9]{1,2})"
_PART = re.compile(rf"({_POINT}(?:[/-]{_POINT}\*?)+)(?:\(([1-4])\))?(\*?)", re.IGNORECASE | re.ASCII)
_BARE = re.compile(rf"{_POINT}\*?", re.IGNORECASE | re.ASCII)
_JOINED = re.compile(r"(?<=\))(?=\w)", re.ASCII)
_ROLL = re.compile(r"\s*([1-6])[- ]?([1-6])\s*:", re.ASCII)


def _read_point(text: str) -> int:
    name = text.rstrip("*").lower()
    return 25 if name[0] == "b" else 0 if name[0] == "o" else int(name)


def parse_steps(text: str) -> list[WrittenStep]:
    """The parts of a written play in their order, chains taken apart; not compared with any position.

    Reads "24/18*/13", "bar/22", "b/22", "25/22", "6/off(2)", "6/o", "6/0", "8-5", parts separated by blanks or commas,
    and points alone, two for each chequer: "8 5 6 5". Chequers that go backwards ("6/8") can be read, though no rule
    allows them. Raises InvalidPlayError naming the text that cannot be read.
    """
    return list(_read_steps(text))


def _read_steps(text: str) -> tuple[WrittenStep, ...]:
    if "(" in text:
        text = text.replace(" (", "(")
    steps: tuple[WrittenStep, ...] = ()
    words = _JOINED.sub(" ", text.replace(",", " ")).split()
    if len(words) > 1 and len(words) % 2 == 0 and all(map(_BARE.fullmatch, words)):
        words = [f"{start}/{end}" for start, end in zip(words[::2], words[1::2], strict=True)]
    for word in words:
        steps += _read_word(word)
    return steps


# Plays differ, the words they are made of hardly do.
@lru_cache(maxsize=1 << 14)
def _read_word(word: str) -> tuple[WrittenStep, ...]:
    part = _PART.fullmatch(word)
    if part is None:
        raise InvalidPlayError(f"{word[:20]!r} in a play is no step like 8/5, 24/18*/13 or bar/22(2)")
    steps: list[WrittenStep] = []
    for start_text, end_text in pairwise(re.split("[/-]", part[1] + part[3])):
        start, end = _read_point(start_text), _read_point(end_text)
        if not (1 <= start <= 25 and 0 <= end <= 24):
            raise InvalidPlayError(f"{word[:20]!r} in a play: chequers move from 25 (bar) down to 0 (off)")
        steps.append(WrittenStep(start, end, end_text.endswith("*"), int(part[2] or 1)))
    return tuple(steps)


class _Planned(NamedTuple):
    """A step whose die is known, as it is without and with a hit. exact: the die is no larger than needed."""

    start: int
    end: int
    exact: bool
    quiet: Step
    hitting: Step


@lru_cache(maxsize=1 << 15)
def _plans(text: str, dice: tuple[int, int]) -> tuple[tuple[_Planned, ...], ...]:
    """The steps from the highest point down where the text alone says how all dice are used.

    Two plans when one chequer is written to move with both dice; none when the text does not say enough.
    """
    high, low = _checked(dice)
    written = _read_steps(text)
    if any(step.start <= step.end for step in written):
        return ()
    if high == low:
        # A part of any length takes as many steps as it is long; the last may bear off with pips to spare.
        moves: list[tuple[int, int]] = []
        for part in written:
            if part.end and (part.start - part.end) % high:
                return ()
            starts = range(part.start, part.end, -high)
            moves += [(start, max(start - high, 0)) for start in starts] * part.count
        return (_planned(moves, high),) if len(moves) == 4 else ()
    if len(written) == 1 and written[0].count == 1:
        start, end = written[0].start, written[0].end
        return tuple(
            (_planned_step(start, start - first, first), _planned_step(start - first, end, second))
            for first, second in ((high, low), (low, high))
            if start - first > end and (start - end == high + low or (end == 0 and start < high + low))
        )
    if len(written) == 2 and written[0].count == written[1].count == 1:
        # Nearly every play: one chequer with each die, and no pips to spare.
        one, two = written
        if (two.start, two.end) > (one.start, one.end):
            one, two = two, one
        first, second = one.start - one.end, two.start - two.end
        if (first == high and second == low) or (first == low and second == high):
            return ((_planned_step(one.start, one.end, first), _planned_step(two.start, two.end, second)),)
    left = [low, high]
    plan: list[_Planned] = []
    for step in sorted(written, key=_height, reverse=True) if len(written) > 1 else written:
        start, end = step.start, step.end
        for _ in range(step.count):
            die = start - end
            if end == 0 and die not in left:
                die = next((other for other in left if other > die), 0)
            if die not in left:
                return ()
            left.remove(die)
            plan.append(_planned_step(start, end, die))
    return () if left else (tuple(plan),)


_checked = lru_cache(maxsize=64)(check_dice)


def _planned(steps: Iterable[tuple[int, int]], die: int) -> tuple[_Planned, ...]:
    return tuple(_planned_step(start, end, die) for start, end in sorted(steps, reverse=True))


@lru_cache(maxsize=1 << 12)
def _planned_step(start: int, end: int, die: int) -> _Planned:
    return _Planned(start, end, die == start - end, Step(start, end), Step(start, end, True))


def _height(step: WrittenStep) -> tuple[int, int]:
    return step.start, step.end


def _follow(plan: tuple[_Planned, ...], position: Position) -> Play | None:
    """The planned play when every step is legal, else None. It uses all dice, so no other rule applies."""
    player, opponent = list(position.player), position.opponent
    steps = []
    for start, end, exact, quiet, hitting in plan:
        if player[start - 1] <= 0 or (player[BAR] > 0 and start != 25):
            return None
        if end:
            blockers = opponent[24 - end]
            if not blockers:
                steps.append(quiet)
            elif blockers == 1:
                opponent = (*opponent[: 24 - end], 0, *opponent[25 - end : BAR], opponent[BAR] + 1)
                steps.append(hitting)
            else:
                return None
            player[end - 1] += 1
        elif any(player[6:]) or not (exact or not any(player[start:])):
            return None
        else:
            steps.append(quiet)
        player[start - 1] -= 1
    return new_play(tuple(steps), position, new_position(tuple(player), opponent, position.chequers))


new_play, new_position = maker(Play), maker(Position)


def legal_plays_reference(position: Position, dice: tuple[int, int]) -> list[Play]:
    """Every legal play once (one for each resulting position); empty when nothing can be moved."""
    return [
        new_play(tuple(sorted(steps, reverse=True)), position, new_position(player, opponent, position.chequers))
        for (player, opponent), steps in longest_plays(position, dice).items()
    ]


def _routes(position: Position, dice: tuple[int, int], target: tuple[int, ...]) -> Iterator[Play]:
    """Every way for the mover's counts to become `target`, legal but perhaps for the number of dice used.

    `dice` has the larger first. Steps go from the highest point down. At the highest point that differs from
    the target there must be a chequer too many, and it must move next, so only the choice of the die is free.
    """
    high, low = dice
    for order in [(high,) * 4] if high == low else [(high, low), (low, high)]:
        player, opponent = position.player, position.opponent
        steps: list[Step] = []
        for die in order:
            start = 25
            while start and player[start - 1] == target[start - 1]:
                start -= 1
            if not start:
                break
            step = step_from(player, opponent, start, die)
            if step is None:
                break
            player, opponent = move_chequer(player, opponent, step)
            steps.append(step)
        if player == target:
            yield new_play(tuple(steps), position, new_position(player, opponent, position.chequers))


def _uses_enough_dice(play: Play, dice: tuple[int, int]) -> bool:
    """Whether a play of legal steps uses as many dice as possible, and the larger when it is one of two."""
    if len(play.steps) == (4 if dice[0] == dice[1] else 2):
        return True
    if any(True for _ in full_plays(play.position, dice)):
        return False
    reached = longest_plays(play.position, dice)
    return (play.result.opponent, play.result.player) in reached if reached else not play.steps


def _moved(position: Position, written: Iterable[WrittenStep]) -> tuple[int, ...]:
    """The mover's counts after the written steps, below zero where a chequer is missing."""
    player = list(position.player)
    for step in written:
        player[step.start - 1] -= step.count
        if step.end:
            player[step.end - 1] += step.count
    return tuple(player)


def _mismatch(play: Play, written: Iterable[WrittenStep]) -> tuple[int, int]:
    """How badly a play fits the text: written points that it passes by, hits that differ."""
    ends = {step.end for step in play.steps}
    hits = {step.end for step in play.steps if step.hit}
    written_hits = {step.end for step in written if step.hit}
    return sum(step.end not in ends for step in written), len(hits ^ written_hits)


def parse_play(text: str, position: Position, dice: tuple[int, int]) -> Play:
    """The legal play that `text` writes; an empty text is the play without steps.

    Steps may come in any order, `*` may be missing, and one step may stand for several dice: "24/13" with
    6-5, "22/10" with 4-4. When such a step can be made in two ways, the one that hits as written is meant. The roll
    may stand in front: "31: 8/5 6/5". `parse_steps` says what else can be read.
    Raises InvalidPlayError for text that cannot be read or names another roll, IllegalPlayError for a play that is
    not legal.
    """
    TEXT("text", text)
    POSITION("position", position)
    dice = check_dice(dice)
    roll = _ROLL.match(text)
    if roll is not None:
        text = text[roll.end() :]
        if {int(roll[1]), int(roll[2])} != {*dice}:
            raise InvalidPlayError(f"the play is of a roll of {roll[1]}-{roll[2]}, not of {dice[0]}-{dice[1]}")
    play = find_play(text, position, dice)
    if play is None:
        raise IllegalPlayError(_why_illegal(text, position, dice))
    return play


def find_play(text: str, position: Position, dice: tuple[int, int]) -> Play | None:
    """As `parse_play`, but None for a play that is not legal: without the cost of explaining why."""
    plans = _plans(text, dice)
    if len(plans) == 1 and (only := _follow(plans[0], position)) is not None:
        return only
    plays = [play for plan in plans if (play := _follow(plan, position)) is not None] if len(plans) > 1 else []
    if len(plays) == 1:
        return plays[0]
    written = _read_steps(text)
    if any(step.start <= step.end for step in written):
        return None
    if not plays and min(target := _moved(position, written)) >= 0:
        plays = [play for play in _routes(position, check_dice(dice), target) if _uses_enough_dice(play, dice)]
    return min(plays, key=lambda play: _mismatch(play, written)) if plays else None


def _shown(position: Position) -> str:
    """The ID of a position, for messages; all its counts when it has none."""
    try:
        return position.id
    except InvalidPositionError:
        return repr(position)


def _why_illegal(text: str, position: Position, dice: tuple[int, int]) -> str:
    what = f"{text[:60] or 'not moving'!r} is no legal play of {dice[0]}-{dice[1]} in {_shown(position)}"
    backwards = next((step for step in _read_steps(text) if step.start <= step.end), None)
    if backwards is not None:
        return f"{what}: {_name(backwards.start)}/{_name(backwards.end)} does not go forwards"
    plays = {format_steps(steps): player for (player, _), steps in longest_plays(position, dice).items()}
    if not plays:
        return f"{what}: no chequer can move"
    if len(plays) == 1:
        return f"{what}: the only one is {next(iter(plays))}"
    words, wanted = set(text.split()), _moved(position, _read_steps(text))
    if not words:
        return f"{what}: there are {len(plays)} others, such as {next(iter(plays))}"
    nearest = min(plays, key=lambda play: (_apart(plays[play], wanted), -len(words & set(play.split()))))
    return f"{what}: the nearest of {len(plays)} is {nearest}"


def _apart(one: Sequence[int], other: Sequence[int]) -> int:
    """By how many pips the chequers of one board must be moved for the other."""
    return sum(map(abs, accumulate(map(sub, reversed(one), reversed(other)))))


def apply_steps(position: Position, steps: Iterable[tuple[int, int]]) -> Position:
    """Moves chequers from point to point without asking the rules or dice; hits blots that are landed on.

    steps: pairs of start 25..1 and end 24..0, in any order. Returns the position with the opponent on roll.
    Raises IllegalPlayError where no chequer stands on the start or comes there, or the end is held by the opponent.
    """
    ways = [*steps]
    player, opponent = list(position.player), list(position.opponent)
    ends = {end for _, end in ways}
    for start, end in ways:
        player[start - 1] -= 1
        if end:
            player[end - 1] += 1
    for start, end in ways:
        if player[start - 1] < 0 or not (position.player[start - 1] or start in ends):
            raise IllegalPlayError(f"no chequer on {_name(start)} to move to {_name(end)} in {_shown(position)}")
        if end and opponent[24 - end] > 1:
            raise IllegalPlayError(
                f"the opponent holds {_name(end)}, no move from {_name(start)} in {_shown(position)}"
            )
        if end and opponent[24 - end] == 1:
            opponent[24 - end] = 0
            opponent[BAR] += 1
    return Position(tuple(player), tuple(opponent), position.chequers)


def carried_out(position: Position, written: Iterable[WrittenStep]) -> Play:
    """The play of steps that no rule allows, in their usual order. Raises IllegalPlayError where no chequer can go."""
    ways = sorted(((part.start, part.end) for part in written for _ in range(part.count)), reverse=True)
    result = apply_steps(position, ways)
    blots = {24 - point for point in range(24) if position.opponent[point] == 1}
    steps = []
    for start, end in ways:
        steps.append(Step(start, end, end in blots))
        blots.discard(end)
    return Play(tuple(steps), position, result)


def play_as_made(text: str, position: Position) -> Play:
    """The play that `text` writes, whatever dice and rules say of it; an empty text is the play without steps.

    Raises InvalidPlayError for text that cannot be read, IllegalPlayError where no chequer can go so.
    """
    roll = _ROLL.match(text)
    return carried_out(position, parse_steps(text if roll is None else text[roll.end() :]))
