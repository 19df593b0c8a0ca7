"""A race judged by every method side by side: counts, effective pips, the one-chequer model, and the engine's answer.

The counts are those of `theory.race_counts`. All chances are of the player on roll.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sixprime.bearoff.one_sided import PIPS_PER_ROLL
from sixprime.engine import CubeAnalysis, Engine, Evaluation
from sixprime.errors import InvalidPositionError
from sixprime.game.position import BAR, Position
from sixprime.game.state import MONEY, MatchState
from sixprime.kernels.race import cumulants_of_many
from sixprime.nets.race import race_nets
from sixprime.theory.race_counts import RaceCount, Verdict, all_counts, pips

_LONGEST = 64
MOST_PIPS = 360
"""Pips of 15 chequers on the 24 point."""


@dataclass(frozen=True, slots=True)
class RaceSide:
    """What one side needs. exact: from a database, else estimated.

    mean, sd: of the number of rolls to bear off when as few rolls as possible are wasted.
    """

    pips: int
    mean: float
    sd: float
    exact: bool

    @property
    def epc(self) -> float:
        """Effective pip count: the pips that the mean number of rolls would bring, 49/6 each."""
        return PIPS_PER_ROLL * self.mean

    @property
    def wastage(self) -> float:
        """Effective minus plain pip count."""
        return self.epc - self.pips


@dataclass(frozen=True, slots=True)
class RaceTheory:
    """All that is known of a race. evaluation, cube: the engine's; exact: whether `evaluation` comes from a database.

    counts: what the methods say, money play.
    """

    position: Position
    state: MatchState
    player: RaceSide
    opponent: RaceSide
    counts: tuple[RaceCount, ...]
    evaluation: Evaluation
    cube: CubeAnalysis
    exact: bool


def race_counts(position: Position) -> tuple[RaceCount, ...]:
    """What the counts say of a race. Raises InvalidPositionError when it is none."""
    check_race(position)
    return all_counts(position.player, position.opponent)


def check_race(position: Position) -> None:
    """Raises InvalidPositionError for a position that is impossible, over or still has contact."""
    status = position.status()
    if status:
        raise InvalidPositionError(f"the position is impossible: {status.name}")
    if position.winner is not None:
        raise InvalidPositionError(f"the game is over in {position.id}; a race needs chequers of both sides")
    rears = [
        max(point for point, count in enumerate(side, 1) if count) for side in (position.player, position.opponent)
    ]
    if sum(rears) > BAR:
        raise InvalidPositionError(
            f"{position.id} is no race: the rearmost chequers, on the {rears[0]} and the {rears[1]} point "
            "of their sides, have yet to pass each other"
        )


def race_theory(
    engine: Engine, position: Position, state: MatchState = MONEY, *, plies: int | None = None
) -> RaceTheory:
    """Judges a race by all methods. Raises InvalidPositionError when it is none."""
    check_race(position)
    player, opponent = (race_side(engine, counts) for counts in (position.player, position.opponent))
    evaluation = engine.evaluate(position, match=state, plies=plies)
    cube = engine.cube_action(position, match=state, plies=plies)
    counts = (*all_counts(position.player, position.opponent), one_chequer(player, opponent))
    exact = evaluation.position_class.startswith("bearoff")
    return RaceTheory(position, state, player, opponent, counts, evaluation, cube, exact)


def race_side(engine: Engine, counts: Sequence[int]) -> RaceSide:
    """What one side needs, from the largest database that holds it, else from the race nets."""
    databases = engine.databases
    for database in (databases.one_sided, *databases.wider):
        try:
            side = database.side(counts)
        except InvalidPositionError:
            continue
        return RaceSide(side.pips, side.mean, side.sd, True)
    found = np.zeros((1, 4))
    cumulants_of_many(np.array([(0, *counts[:BAR])], dtype=np.int64), race_nets().finish, found)
    return RaceSide(pips(counts), float(found[0, 0]), float(np.sqrt(max(found[0, 1], 0.0))), False)


# The one-chequer model: each side is a single chequer that needs as many rolls on average. Its cube action is solved
# exactly, as Zadeh and Kobliska did (On Optimal Doubling in Backgammon, 1977).


def one_chequer(player: RaceSide, opponent: RaceSide) -> RaceCount:
    """The one-chequer model of a race, in money play without gammons.

    The counts are the distances of the two single chequers; between whole pips the values are interpolated.
    """
    model = _one_chequer_model()
    distances = [float(np.interp(side.mean, model.means, np.arange(MOST_PIPS + 1))) for side in (player, opponent)]
    win, centred, owned, taken = (_between(table, *distances) for table in model.tables)
    verdict = Verdict.NO_DOUBLE
    if min(taken, 1.0) >= centred:
        verdict = Verdict.DOUBLE
        if min(taken, 1.0) >= owned:
            verdict = Verdict.REDOUBLE
        if taken > 1.0:
            verdict = Verdict.PASS
    rule = "money play solved for one chequer a side that needs as many rolls"
    return RaceCount("One chequer", distances[0], distances[1], None, win, verdict, rule)


@dataclass(frozen=True, slots=True, eq=False)
class _OneChequer:
    """means: `float64[P]` rolls of a chequer with so many pips to go. tables: `float64[4, P, P]` by the pips of the
    player on roll and of the opponent: his winning chance, and equities before he may double: centred cube not turned,
    his own cube not turned, doubled and taken."""

    means: NDArray[np.float64]
    tables: NDArray[np.float64]


def _between(table: NDArray[np.float64], x: float, y: float) -> float:
    i, j = min(int(x), MOST_PIPS - 1), min(int(y), MOST_PIPS - 1)
    near, far = table[i, j : j + 2], table[i + 1, j : j + 2]
    row = near + (x - i) * (far - near)
    return float(row[0] + (y - j) * (row[1] - row[0]))


@cache
def _one_chequer_model() -> _OneChequer:
    """Solves the model: a chequer moves all pips of a roll, four times the die with a double, and may overshoot."""
    chance = np.zeros(25)
    for a in range(1, 7):
        for b in range(1, 7):
            chance[(a + b) * (2 if a == b else 1)] += 1 / 36
    rolls = [(pip, weight) for pip, weight in enumerate(chance) if weight]
    size = MOST_PIPS + 1
    means = np.zeros(size)
    for start in range(1, size):
        means[start] = 1 + sum(weight * means[max(start - pip, 0)] for pip, weight in rolls)
    # What a position is worth to the side on roll, who may double first: win, centred, his cube, the opponent's cube.
    worth = np.zeros((4, size, size))
    still = np.zeros((4, size, size))
    worth[0, 0], worth[1:, 0] = 1.0, 1.0
    worth[0, 1:, 0], worth[1:, 1:, 0] = 0.0, -1.0
    own = np.arange(size)
    for total in range(2, 2 * MOST_PIPS + 1):
        mine = own[max(1, total - MOST_PIPS) : min(total - 1, MOST_PIPS) + 1]
        theirs = total - mine
        value = np.zeros((4, len(mine)))
        for pip, weight in rolls:
            left = np.maximum(mine - pip, 0)
            after = worth[:, theirs, left]
            done = left == 0
            value[0] += weight * np.where(done, 1.0, 1.0 - after[0])
            value[1] += weight * np.where(done, 1.0, -after[1])
            # The cube I own, my opponent does not on his turn, and the other way round.
            value[2] += weight * np.where(done, 1.0, -after[3])
            value[3] += weight * np.where(done, 1.0, -after[2])
        taken = np.minimum(2 * value[3], 1.0)
        still[0, mine, theirs], still[1, mine, theirs] = value[0], value[1]
        still[2, mine, theirs], still[3, mine, theirs] = value[2], 2 * value[3]
        worth[0, mine, theirs] = value[0]
        worth[1, mine, theirs] = np.maximum(value[1], taken)
        worth[2, mine, theirs] = np.maximum(value[2], taken)
        worth[3, mine, theirs] = value[3]
    return _OneChequer(means, still)
