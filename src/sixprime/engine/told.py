"""`Told`: the ranked plays of many decisions as arrays, of which objects are made only for who wants them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.engine.judge import PlayRequest, steps_of
from sixprime.engine.results import PlayAnalysis, new_analysis
from sixprime.game.outcomes import Outcomes
from sixprime.game.play import new_play, new_position
from sixprime.progress import NOBODY, Watch


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """The M plays that are told of N decisions, those of each best first; all values are the mover's.

    before: `int8[N, 32]`, packed boards seen by the mover; shares: `int64[N]`, how many plays each has.
    boards: `int8[M, 32]` after the plays, seen by the side then on roll; routes: `int8[M, 8]` as of `kernels.routes`.
    outcomes: `float64[M, 5]`; equities, losses, cubeless: `float64[M]`, normalised; chances: `float64[M]`, of winning
    the match, NaN for money; efficiencies: `float64[M]`, NaN for none; plies: `int64[M]`.
    """

    requests: Sequence[PlayRequest]
    before: NDArray[np.int8]
    shares: NDArray[np.int64]
    boards: NDArray[np.int8]
    routes: NDArray[np.int8]
    outcomes: NDArray[np.float64]
    equities: NDArray[np.float64]
    losses: NDArray[np.float64]
    cubeless: NDArray[np.float64]
    chances: NDArray[np.float64]
    efficiencies: NDArray[np.float64]
    plies: NDArray[np.int64]

    def analyses(self, watch: Watch = NOBODY) -> list[list[PlayAnalysis]]:
        """The same as objects."""
        codes = self.routes.tobytes()
        steps = (steps_of(codes[at : at + 8]) for at in range(0, len(codes), 8))
        after, own = iter(kernels.unpack(self.boards).tolist()), iter(self.outcomes.tolist())
        numbers = self.equities, self.losses, self.cubeless, or_none(self.chances), self.plies
        told = zip(
            steps, *(each if isinstance(each, list) else each.tolist() for each in numbers), or_none(self.efficiencies),
            strict=True,
        )  # fmt: skip
        answers = []
        for request, share in zip(watch.each(self.requests), self.shares.tolist(), strict=True):
            position, answer = request.position, []
            for route, equity, loss, cubeless, chance, plies, x in islice(told, share):
                opponent, player = next(after)
                result = new_position(tuple(opponent), tuple(player), position.chequers)
                play, outcomes = new_play(route, position, result), Outcomes._make(next(own))
                answer.append(new_analysis(play, outcomes, equity, loss, cubeless, chance, plies, x))
            answers.append(answer)
        return answers


def or_none(values: NDArray[np.float64]) -> list[float | None]:
    """Values, None for NaN."""
    return [None if value != value else value for value in values.tolist()]
