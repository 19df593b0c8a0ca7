"""Judgements by truncated rollouts, for the levels that roll out: what a search found is rolled out and replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sixprime.cube.decision import decide
from sixprime.cube.state import CubeState
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis, judged
from sixprime.engine.rollout_result import RolloutResult

NEAR = 0.06
"""Plays that the search puts further behind the best are not rolled out."""
MOST = 5
"""Plays of a decision that are rolled out."""


def in_question(plays: Sequence[PlayAnalysis]) -> list[PlayAnalysis]:
    """The best plays, best first, between which a rollout shall decide; empty where the search has decided."""
    best = [play for play in plays[:MOST] if play.plies == plays[0].plies and play.equity_loss < NEAR]
    return best if len(best) > 1 else []


def rolled_evaluation(evaluation: Evaluation, result: RolloutResult) -> Evaluation:
    """`evaluation` with what the rollout of the position found."""
    [estimate] = result.estimates
    win, win2, win3, lose2, lose3 = estimate.probabilities
    return replace(
        evaluation,
        probabilities=estimate.probabilities,
        equity=2 * win - 1 + win2 - lose2 + win3 - lose3,
        cubeful_equity=estimate.equity,
        mwc=estimate.mwc,
        effective_x=None,
    )


def rolled_plays(
    plays: Sequence[PlayAnalysis], chosen: Sequence[PlayAnalysis], result: RolloutResult
) -> list[PlayAnalysis]:
    """`plays` with those `chosen`, which were rolled out, before the others."""
    rolled = [
        replace(
            play,
            probabilities=estimate.probabilities,
            equity=estimate.equity,
            cubeless_equity=estimate.cubeless_equity,
            mwc=estimate.mwc,
            effective_x=None,
            trials=estimate.trials,
            equity_error=estimate.equity_error,
        )
        for play, estimate in zip(chosen, result.estimates, strict=True)
    ]
    rolled.sort(key=lambda play: -play.equity)
    rest = [play for play in plays if play not in chosen]
    return [replace(play, equity_loss=max(0.0, rolled[0].equity - play.equity)) for play in (*rolled, *rest)]


def rolled_cube(cube: CubeAnalysis, result: RolloutResult) -> CubeAnalysis:
    """`cube` with what the rollout of the decision, or of the position where nobody may double, found."""
    held = result.estimates[0]
    found = replace(
        cube,
        probabilities=held.probabilities,
        cubeless_equity=held.cubeless_equity,
        no_double=held.equity,
        mwc_no_double=held.mwc,
        effective_x=None,
        trials=held.trials,
        no_double_error=held.equity_error,
    )
    if result.kind != "cube":
        return replace(found, double_take=held.equity, mwc_double_take=held.mwc)
    take = result.estimates[1]
    gammons = held.probabilities[1] > 0
    verdict = decide(held.equity, take.equity, CubeState.from_match(cube.state), gammons=gammons)
    return replace(
        found,
        double_take=take.equity,
        mwc_double_take=take.mwc,
        trials=min(held.trials, take.trials),
        double_take_error=take.equity_error,
        **judged(verdict),
    )
