"""A race judged by every method side by side: counts, effective pips, the one-chequer model, and the engine's answer.

The counts are those of `theory.race_counts`. All chances are of the player on roll.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import erf, sqrt

import numpy as np

from sixprime import kernels
from sixprime.bearoff import shelf
from sixprime.bearoff.databases import FULL
from sixprime.bearoff.side import Effort, pip_count
from sixprime.engine import CubeAnalysis, Engine, Evaluation
from sixprime.errors import InvalidPositionError
from sixprime.game.outcomes import Outcomes
from sixprime.game.position import BAR, POSITION, Position
from sixprime.game.state import MONEY, MatchState
from sixprime.kernels.race import outputs_of_many
from sixprime.lazy import brief, drawn_by
from sixprime.nets.race import race_nets
from sixprime.progress import Stop
from sixprime.theory.asked import check_asked
from sixprime.theory.one_chequer import one_chequer
from sixprime.theory.race_counts import RaceCount, all_counts


@dataclass(frozen=True, slots=True)
class RaceSide(Effort):
    """What one side needs. exact: from a database, else estimated."""

    exact: bool


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

    def __repr__(self) -> str:
        return brief(self, f"of {self.position!r}: wins {self.evaluation.probabilities[0]:.4f}, {self.cube.action}")

    _repr_html_ = drawn_by("race")


def race_counts(position: Position) -> tuple[RaceCount, ...]:
    """What the counts say of a race. Raises InvalidPositionError when it is none."""
    check_race(position)
    return all_counts(position.player, position.opponent)


def check_race(position: Position) -> None:
    """Raises InvalidPositionError for a position that is impossible, over or still has contact."""
    POSITION("position", position)
    position.check()
    position.check_unfinished("a race needs chequers of both sides")
    rears = [
        max(point for point, count in enumerate(side, 1) if count) for side in (position.player, position.opponent)
    ]
    if sum(rears) > BAR:
        raise InvalidPositionError(
            f"{position.id} is no race: the rearmost chequers, on the {rears[0]} and the {rears[1]} point "
            "of their sides, have yet to pass each other"
        )


def race_theory(
    engine: Engine,
    position: Position,
    state: MatchState = MONEY,
    *,
    plies: int | None = None,
    stop: Stop | None = None,
) -> RaceTheory:
    """Judges a race by all methods. Raises InvalidPositionError when it is none, SettingsError, StoppedError."""
    check_asked(engine, position, state)
    check_race(position)
    player, opponent = (race_side(engine, counts) for counts in (position.player, position.opponent))
    evaluation = engine.evaluate(position, match=state, plies=plies, stop=stop)
    # Chances and decision stand in one line: both by as many plies.
    cube = engine.cube_action(position, match=state, plies=plies, deepen=False, stop=stop)
    counts = (*all_counts(position.player, position.opponent), one_chequer(player.mean, opponent.mean))
    exact = evaluation.position_class.startswith("bearoff")
    return RaceTheory(position, state, player, opponent, counts, evaluation, cube, exact)


def race_side(engine: Engine, counts: Sequence[int]) -> RaceSide:
    """What one side needs, from the largest database that holds it, else from the race nets.

    counts: ace point first. Raises InvalidPositionError for what are none of up to 15 chequers on 24 points.
    """
    counts = shelf.counts_of(counts, BAR, FULL, "a side")
    databases = engine.databases
    for database in (databases.one_sided, *databases.wider):
        try:
            side = database.side(counts)
        except InvalidPositionError:
            continue
        return RaceSide(side.pips, side.mean, side.variance, True)
    found = np.zeros((1, 4))
    lists = np.zeros((1, 1 + BAR), dtype=np.int64)
    lists[0, 1 : 1 + len(counts[:BAR])] = counts[:BAR]
    outputs_of_many(lists, race_nets().finish, found)
    return RaceSide(pip_count(counts), float(found[0, 0]), max(float(found[0, 1]), 0.0), False)


def running_home(engine: Engine, position: Position) -> tuple[tuple[RaceSide, RaceSide], Outcomes, bool]:
    """What both sides need, and the chances, as if neither could meet the other: contact is not looked at.

    Chances are exact, gammons included, where a database holds both sides; else they come from mean and variance of
    the rolls, without gammons. Chequers on the bar count as on the 24 point. Returns whether they are exact, too.
    """
    sides = (position.player, position.opponent)
    first, second = (race_side(engine, (*side[: BAR - 1], side[BAR - 1] + side[BAR], 0)) for side in sides)
    known = engine.databases.probabilities(kernels.pack(position.board[None], position.chequers))[0]
    if not np.isnan(known[0]):
        return (first, second), Outcomes(*known.tolist()), True
    spread = sqrt(2 * (first.variance + second.variance)) or 1e-9
    # Whoever is on roll wins with as many rolls; half a roll is the border between whole numbers.
    win = (1 + erf((second.mean - first.mean + 0.5) / spread)) / 2
    return (first, second), Outcomes(win, 0.0, 0.0, 0.0, 0.0), False
