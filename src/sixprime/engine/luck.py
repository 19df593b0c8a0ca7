"""Luck: what a roll is worth with its best play, less the mean over all rolls that could have come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.model import CubeModel
from sixprime.cube.state import CubeState
from sixprime.cube.tree import expand_groups
from sixprime.cube.values import Unit, opposite, to_equity
from sixprime.engine.judge import Judge, PlayRequest, grouped, packed
from sixprime.engine.plies import Searcher
from sixprime.game.position import Position
from sixprime.game.rules import ROLLS
from sixprime.game.state import MatchState
from sixprime.game.variants import VARIANTS
from sixprime.progress import NOBODY, Watch

_STARTS = frozenset(Position.start(variant) for variant in VARIANTS)
_SHARES = kernels.ROLL_WEIGHTS / 36.0
_Requests = Sequence[tuple[Position, tuple[int, int], MatchState]]
_SINGLE = np.flatnonzero(kernels.ROLLS[:, 0] != kernels.ROLLS[:, 1])
"""The rolls that are no doubles, of which one begins a game."""


def luck_of(
    requests: _Requests,
    searcher: Searcher,
    met: MatchEquityTable,
    model: CubeModel,
    *,
    alike: bool,
    watch: Watch = NOBODY,
) -> list[float]:
    """Luck of rolls, in normalised equity of the roller: static, cubeful.

    dice: the larger first. At the start of a game the roll also decides who begins: there the mean is over the 15 rolls
    without a double of each side, unless it is a double, which no game begins with. The replies are picked as inside a
    search but where a double would change what gammons are worth. alike: as in `SearchJudge`. Raises StoppedError when
    the watch is set.
    """
    starts = _openings(requests)
    boards = packed([position for position, _, _ in requests], watch)
    states = [CubeState.from_match(state, alike=alike) for _, _, state in watch.each(requests)]
    cubes, groups = grouped(states + [states[i].swapped() for i in starts])
    replies = [cube.swapped() for cube in cubes]
    level = expand_groups([[cube] for cube in replies], 0, met, model=model.swapped(), root_double=True)[0]
    closely = np.array([_changes_gammons(cube) for cube in cubes])[groups]
    one, every = replace(searcher, watch=watch), np.concatenate((boards, boards[starts]))
    rolls = np.empty((len(every), 21))
    for places, judge in ((closely, one.roll_values), (~closely, one.reply_values)):
        if places.any():
            rolls[places] = judge(every[places], groups[places], level)
    pairs = watch.each(zip(rolls, groups, strict=True))
    values = np.array([opposite(to_equity(roll, replies[g], met)) for roll, g in pairs])
    return _less_means(requests, values, starts)


def searched_luck(
    requests: _Requests,
    judge: Judge,
    *,
    watch: Watch = NOBODY,
) -> list[float]:
    """The same with all rolls searched by a judge. Raises StoppedError when the watch is set."""
    starts = _openings(requests)
    sides = [(position, state) for position, _, state in requests]
    # At the start both sides have the same chequers.
    sides += [(requests[i][0], requests[i][2].swapped()) for i in starts]
    asked = [PlayRequest(*each) for position, state in sides for each in ((position, dice, state) for dice in ROLLS)]
    ranked = judge.plays(asked, 1, watch)
    values = np.array([plays[0].equity for plays in ranked]).reshape(len(sides), len(ROLLS))
    return _less_means(requests, values, starts)


def _less_means(requests: _Requests, values: NDArray[np.float64], starts: Sequence[int]) -> list[float]:
    """What each roll is worth less what rolls are worth there.

    values: `[N + S, 21]`, of all rolls for each request and then, for those of `starts`, of the other side's.
    """
    mean = means(values)
    if starts:
        mean[starts] = opening_means(values[starts], values[len(requests) :])
    dice = np.array([roll for _, roll, _ in requests])
    found: list[float] = (of_rolls(values[: len(requests)], dice) - mean[: len(requests)]).tolist()
    return found


def _openings(requests: _Requests) -> list[int]:
    """Which of the rolls may begin a game."""
    return [i for i, (position, dice, _) in enumerate(requests) if position in _STARTS and dice[0] != dice[1]]


def _changes_gammons(cube: CubeState) -> bool:
    """Whether a double of the roller changes what gammons are worth: it decides the match, or Jacoby's rule holds.

    Linear utility, which knows only what they are worth before, then often picks other plays.
    """
    if cube.owner < 0 or cube.crawford:
        return False
    return not cube.gammons_count if cube.money else cube.cube < min(cube.away) <= 2 * cube.cube


def of_rolls(values: NDArray[np.float64], dice: NDArray[Any]) -> NDArray[np.float64]:
    """The value of each roll `[N, 2]` among those `[N, 21]` of all."""
    high, low = dice.max(axis=1).astype(np.int64), dice.min(axis=1).astype(np.int64)
    return np.asarray(values[np.arange(len(dice)), high * (high - 1) // 2 + low - 1])


def means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Means `[N]` over the rolls `[N, 21]`, added in the same order for any N."""
    total: NDArray[np.float64] = values[:, 0] * _SHARES[0]
    for roll in range(1, 21):
        total += values[:, roll] * _SHARES[roll]
    return total


def opening_means(
    ours: NDArray[np.float64], theirs: NDArray[np.float64], unit: Unit = Unit.EQUITY
) -> NDArray[np.float64]:
    """Means `[N]` before the opening roll, of values `[N, 21]` of either side's rolls to that side if it begins."""
    return np.asarray((ours[:, _SINGLE].sum(axis=1) + opposite(theirs, unit)[:, _SINGLE].sum(axis=1)) / 30)
