"""Market losers: the pairs of rolls, one of each side, after which a double that was not made is passed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.state import CubeState
from sixprime.cube.values import to_equity
from sixprime.engine import CubeAnalysis, Engine, PlayRequest
from sixprime.errors import SettingsError
from sixprime.frozen import ByBits, frozen
from sixprime.game.position import Position
from sixprime.game.rules import ROLLS
from sixprime.game.state import MONEY, MatchState
from sixprime.lazy import brief, drawn_by
from sixprime.progress import Hook, Stop, Watch
from sixprime.theory.asked import check_asked

WEIGHTS = frozen(np.outer(kernels.ROLL_WEIGHTS, kernels.ROLL_WEIGHTS) / 1296.0)
"""Chance of each pair of rolls, float64[21, 21]: rows are the rolls of the player, columns those of the opponent."""


@dataclass(frozen=True, slots=True, eq=False)
class MarketLosers(ByBits):
    """What becomes of the market of the player on roll if he does not double now, over the 441 pairs of rolls.

    now: the decision as it is. Arrays [21, 21] are by his roll and the opponent's, in the order of `ROLLS`,
    both played best; the opponent does not double in between. no_double, double_take: float64, equities of his next
    decision normalised to the cube; a pass is +1. Where the game is over, the result at the cube as it is and at
    twice. lost: bool, whether the opponent will pass or has lost. doubles: bool, whether to double then.
    """

    now: CubeAnalysis
    no_double: NDArray[np.float64]
    double_take: NDArray[np.float64]
    lost: NDArray[np.bool_]
    doubles: NDArray[np.bool_]
    plies: int

    def __repr__(self) -> str:
        return brief(self, f"of {self.now.position!r}: {100 * self.share:.1f} % by {self.mean_excess:.3f}")

    _repr_svg_ = drawn_by("losers")

    @property
    def trials(self) -> int:
        """Games that the decision now was rolled out for, as the others may be; 0 where it was searched."""
        return self.now.trials

    @property
    def share(self) -> float:
        """Chance of losing the market."""
        return float(WEIGHTS[self.lost].sum())

    @property
    def excess(self) -> NDArray[np.float64]:
        """By how much the market is lost, float64[21, 21]: what a take would cost the opponent; 0 where it is not."""
        return np.where(self.lost, np.maximum(self.double_take - 1, 0), 0)

    @property
    def mean_excess(self) -> float:
        """The mean of `excess` over the pairs that lose the market; 0 if none does."""
        return float((WEIGHTS * self.excess).sum() / self.share) if self.share else 0.0

    @property
    def by_roll(self) -> NDArray[np.float64]:
        """Chance of losing the market after each of his rolls, float64[21]."""
        return np.asarray((WEIGHTS * self.lost).sum(axis=1) / WEIGHTS.sum(axis=1))


def market_losers(
    engine: Engine,
    position: Position,
    *,
    match: MatchState = MONEY,
    plies: int | None = None,
    progress: Hook | None = None,
    stop: Stop | None = None,
) -> MarketLosers:
    """The market losers of the player on roll. plies: of plays and decisions, None for the engine's.

    Raises SettingsError when he cannot double, InvalidPositionError when the game is over, StoppedError.
    """
    check_asked(engine, position, match)
    state = match.before_roll()
    cube = CubeState.from_match(state)
    if not cube.can_double:
        raise SettingsError("the player on roll cannot double; there is no market to lose.")
    position.check_unfinished("there is no market to lose")
    watch = Watch(progress, stop)
    total = len(ROLLS) ** 2 * 2 + len(ROLLS) + 1
    done = 0

    def part(size: int) -> Hook:
        first = done
        return lambda step: watch.tell(first + size * step.done // max(step.total or 1, 1), total, "decisions")

    def played(from_: list[tuple[Position, MatchState]]) -> list[Position]:
        """The positions after the best play of every roll."""
        nonlocal done
        requests = [PlayRequest(each, dice, where) for each, where in from_ for dice in ROLLS]
        ranked = engine.rank_plays_many(requests, plies=plies, count=1, progress=part(len(requests)), stop=stop)
        done += len(requests)
        return [plays[0].play.result for plays in ranked]

    # All are looked at alike, close ones no deeper.
    now = engine.cube_action(position, match=state, plies=plies, deepen=False, stop=stop)
    done += 1
    middle = played([(position, state)])
    going = [each for each in middle if each.winner is None]
    answers = iter(played([(each, state.swapped()) for each in going]))
    # Row by row what the pairs come to; a game that has ended in the first roll has no second.
    ends = [[next(answers) for _ in ROLLS] if each.winner is None else [each] * len(ROLLS) for each in middle]
    open_ = [each for row in ends for each in row if each.winner is None]
    judged = engine.cube_many(
        [(each, state) for each in open_], plies=plies, deepen=False, progress=part(len(ROLLS) ** 2), stop=stop
    )
    decisions = iter(judged)
    shape = (len(ROLLS), len(ROLLS))
    no_double, double_take = np.empty(shape), np.empty(shape)
    lost, doubles = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    for i, (row, first) in enumerate(zip(ends, middle, strict=True)):
        for j, end in enumerate(row):
            if end.winner is None:
                found = next(decisions)
                no_double[i, j], double_take[i, j] = found.no_double, found.double_take
                lost[i, j] = not found.should_take
                doubles[i, j] = found.should_double
            else:
                # Whoever made the last play has won; after his own the opponent is on roll.
                won = end is first and first.winner == 0
                no_double[i, j], double_take[i, j] = _over(end.result if won else -end.result, cube, engine.met)
                lost[i, j] = won
    arrays = frozen(no_double), frozen(double_take), frozen(lost), frozen(doubles)
    return MarketLosers(now, *arrays, engine.plies if plies is None else plies)


def _over(result: int, cube: CubeState, met: MatchEquityTable) -> tuple[float, float]:
    """What a game that is over was worth at the cube as it is and at twice; result: points of the player on roll."""
    points, won = abs(result), result > 0
    found = []
    for times, state in ((1, cube), (2, cube.doubled())):
        if cube.money:
            value = float(times * (points if state.gammons_count else 1))
            found.append(value if won else -value)
        else:
            chances = state.outcomes(met)[0 if won else 1]
            found.append(float(to_equity(chances[points - 1], cube, met)))
    return found[0], found[1]
