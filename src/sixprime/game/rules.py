"""The rules of movement, written to be obviously right: the oracle for the kernels.

A side is its 25 counts as in `Position`. Points are numbered by the mover: 24..1, 25 the bar, 0 off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import index
from typing import TYPE_CHECKING, NamedTuple

from sixprime.checks import shown
from sixprime.errors import SettingsError
from sixprime.game.variants import BAR

if TYPE_CHECKING:
    from sixprime.game.position import Position


class Step(NamedTuple):
    """One chequer moved with one die; start 25 (bar) to 1, end 24 to 0 (off), in the mover's numbering."""

    start: int
    end: int
    hit: bool = False


ROLLS = tuple((high, low) for high in range(1, 7) for low in range(1, high + 1))
"""The 21 rolls, the larger die first, in the order of the kernels."""

Rows = tuple[tuple[int, ...], tuple[int, ...]]
"""The mover's and the opponent's counts."""


def check_dice(dice: tuple[int, int]) -> tuple[int, int]:
    """The dice, the larger first. Raises SettingsError when they are no two whole numbers 1..6."""
    try:
        first, second = map(index, dice)
        sound = 1 <= first <= 6 and 1 <= second <= 6 and bool not in map(type, dice)
    except (TypeError, ValueError):
        sound = False
    if not sound:
        raise SettingsError(f"The 'dice' parameter must be two numbers from 1 to 6. Got {shown(dice)} instead.")
    return (first, second) if first >= second else (second, first)


def ways(dice: tuple[int, int]) -> int:
    """In how many of the 36 throws a roll comes."""
    return 1 if dice[0] == dice[1] else 2


def step_from(player: Sequence[int], opponent: Sequence[int], start: int, die: int) -> Step | None:
    """The move of one chequer from `start` with one die, None when it is not legal."""
    if player[start - 1] <= 0 or (player[BAR] > 0 and start != 25):
        return None
    end = start - die
    if end > 0:
        blockers = opponent[24 - end]
        return Step(start, end, blockers == 1) if blockers <= 1 else None
    # Bearing off: all chequers are home, and with a die larger than needed none stands further back.
    if any(player[6:]) or (end < 0 and any(player[start:])):
        return None
    return Step(start, 0)


def single_steps(player: Sequence[int], opponent: Sequence[int], die: int) -> Iterator[Step]:
    """Every move of one chequer with one die, from the highest point down."""
    for start in (25,) if player[BAR] > 0 else range(24, 0, -1):
        if player[start - 1] > 0:
            step = step_from(player, opponent, start, die)
            if step is not None:
                yield step


def move_chequer(player: tuple[int, ...], opponent: tuple[int, ...], step: Step) -> Rows:
    """Both sides after one step."""
    start, end, hit = step
    mover = list(player)
    mover[start - 1] -= 1
    if end > 0:
        mover[end - 1] += 1
    if not hit:
        return tuple(mover), opponent
    other = list(opponent)
    other[24 - end] -= 1
    other[BAR] += 1
    return tuple(mover), tuple(other)


def longest_plays(position: Position, dice: tuple[int, int]) -> dict[Rows, tuple[Step, ...]]:
    """Both sides after every legal play, with one way to get there; empty when nothing can be moved."""
    high, low = check_dice(dice)
    orders = [(high,) * 4] if high == low else [(high, low), (low, high)]
    longest = 0
    plays: dict[Rows, tuple[Step, ...]] = {}
    for order in orders:
        reached: dict[Rows, tuple[Step, ...]] = {(position.player, position.opponent): ()}
        used = 0
        for die in order:
            further: dict[Rows, tuple[Step, ...]] = {}
            for (player, opponent), steps in reached.items():
                for step in single_steps(player, opponent, die):
                    # With doubles, steps from the highest point down get everywhere.
                    if high != low or not steps or step.start <= steps[-1].start:
                        further.setdefault(move_chequer(player, opponent, step), (*steps, step))
            if not further:
                break
            reached = further
            used += 1
        # As many dice as possible; when it is one of two, the larger, which was tried first.
        if used > longest:
            longest, plays = used, reached
        elif used == longest and used == len(order):
            plays = reached | plays
    return plays


def full_plays(position: Position, dice: tuple[int, int]) -> Iterator[Rows]:
    """Both sides after plays that use every die, one after the other as they are found; some come twice."""
    high, low = check_dice(dice)

    def follow(player: tuple[int, ...], opponent: tuple[int, ...], order: tuple[int, ...]) -> Iterator[Rows]:
        if not order:
            yield player, opponent
            return
        for step in single_steps(player, opponent, order[0]):
            yield from follow(*move_chequer(player, opponent, step), order[1:])

    for order in [(high,) * 4] if high == low else [(high, low), (low, high)]:
        yield from follow(position.player, position.opponent, order)
