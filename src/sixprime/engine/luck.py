"""Luck: what a roll is worth with its best play, less the mean over all rolls that could have come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.model import CubeModel
from sixprime.cube.state import CubeState
from sixprime.cube.tree import expand_groups
from sixprime.cube.values import to_equity
from sixprime.engine.judge import grouped, packed
from sixprime.engine.plies import Searcher
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.game.variants import VARIANTS
from sixprime.progress import NOBODY, Watch

_STARTS = frozenset(Position.start(variant) for variant in VARIANTS)
SINGLE = np.flatnonzero(kernels.ROLLS[:, 0] != kernels.ROLLS[:, 1])
"""The rolls that are no doubles, of which one begins a game."""


def luck_of(
    requests: Sequence[tuple[Position, tuple[int, int], MatchState]],
    searcher: Searcher,
    met: MatchEquityTable,
    model: CubeModel,
    *,
    alike: bool,
    watch: Watch = NOBODY,
) -> list[float]:
    """Luck of rolls, in normalised equity of the roller: static, cubeful.

    dice: the larger first. At the start of a game the roll also decides who begins: there the mean is over the 15 rolls
    without a double of each side. alike: as in `SearchJudge`. Raises StoppedError when the watch is set.
    """
    starts = [i for i, (position, _, _) in enumerate(requests) if position in _STARTS]
    boards = packed([position for position, _, _ in requests], watch)
    states = [CubeState.from_match(state, alike=alike) for _, _, state in requests]
    cubes, groups = grouped(states + [states[i].swapped() for i in starts])
    replies = [cube.swapped() for cube in cubes]
    level = expand_groups([[cube] for cube in replies], 0, met, model=model.swapped(), root_double=True)[0]
    rolls = replace(searcher, watch=watch).roll_values(np.concatenate((boards, boards[starts])), groups, level)
    pairs = watch.each(zip(rolls, groups, strict=True))
    values = [-np.asarray(to_equity(roll, replies[g], met)) for roll, g in pairs]
    means = [mean(value) for value in values]
    for k, i in enumerate(starts):
        means[i] = opening_mean(values[i], values[len(requests) + k])
    return [
        float(values[i][high * (high - 1) // 2 + low - 1]) - means[i] for i, (_, (high, low), _) in enumerate(requests)
    ]


def mean(values: NDArray[np.float64]) -> float:
    """The mean of the values `[21]` of all rolls."""
    return float(values @ kernels.ROLL_WEIGHTS) / 36


def opening_mean(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> float:
    """The mean before the opening roll, of equities `[21]` of either side's rolls if it begins."""
    return float(ours[SINGLE].mean() - theirs[SINGLE].mean()) / 2
