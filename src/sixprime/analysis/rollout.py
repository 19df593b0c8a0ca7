"""Rolling out the doubtful decisions of a match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from sixprime.cube.decision import decide
from sixprime.cube.state import CubeState
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.engine.rollout_result import RolloutResult
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.state import MatchState

NEAR = 0.02
"""Plays that lose less than this are rolled out beside the best and the played one."""
MOST = 4
"""Plays of a decision that are rolled out, the played one not counted."""


class RolloutEngine(Protocol):
    """What is asked of an engine."""

    def rollout_plays(
        self,
        position: Position,
        dice: tuple[int, int],
        plays: Sequence[Play],
        *,
        match: MatchState,
        settings: RolloutSettings,
    ) -> RolloutResult:
        """Games after each play."""

    def rollout_cube(self, position: Position, *, match: MatchState, settings: RolloutSettings) -> RolloutResult:
        """Games after no double and after double, take."""


PlayDoubt = tuple[int, MatchState, int]
"""Index into the answers on plays, the state with the dice, index of the play made."""
CubeDoubt = tuple[int, MatchState]
"""Index into the answers on cubes, the state before the decision."""


def roll_out(
    plays: list[Sequence[PlayAnalysis]],
    cubes: dict[int, CubeAnalysis],
    doubtful_plays: Sequence[PlayDoubt],
    doubtful_cubes: Sequence[CubeDoubt],
    engine: RolloutEngine,
    settings: RolloutSettings,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Replaces the answers in doubt by rolled-out ones; returns how many.

    An interrupt ends it: what has been rolled out stays.
    """
    total = len(doubtful_plays) + len(doubtful_cubes)
    done = 0
    try:
        for index, state, played in doubtful_plays:
            plays[index], finished = _play(plays[index], state, played, engine, settings)
            done += 1
            if progress:
                progress(done, total)
            if not finished:
                return done
        for index, state in doubtful_cubes:
            cubes[index], finished = _cube(cubes[index], state, engine, settings)
            done += 1
            if progress:
                progress(done, total)
            if not finished:
                return done
    except KeyboardInterrupt:
        return done
    return done


def _play(
    candidates: Sequence[PlayAnalysis], state: MatchState, played: int, engine: RolloutEngine, settings: RolloutSettings
) -> tuple[list[PlayAnalysis], bool]:
    chosen = [i for i, candidate in enumerate(candidates[:MOST]) if i == 0 or candidate.equity_loss < NEAR]
    if played not in chosen:
        chosen.append(played)
    assert state.dice is not None
    plays = [candidates[i].play for i in chosen]
    result = engine.rollout_plays(plays[0].position, state.dice, plays, match=state.with_dice(None), settings=settings)
    rolled = [
        replace(
            candidates[i],
            probabilities=estimate.probabilities,
            equity=estimate.equity,
            cubeless_equity=estimate.cubeless_equity,
            mwc=estimate.mwc,
            trials=estimate.trials,
            equity_error=estimate.equity_error,
        )
        for i, estimate in zip(chosen, result.estimates, strict=True)
    ]
    rolled.sort(key=lambda candidate: -candidate.equity)
    # What was not rolled out stands behind, as it stood.
    rest = [candidate for i, candidate in enumerate(candidates) if i not in chosen]
    best = rolled[0].equity
    ordered = [replace(candidate, equity_loss=max(0.0, best - candidate.equity)) for candidate in (*rolled, *rest)]
    return ordered, result.finished


def _cube(
    cube: CubeAnalysis, state: MatchState, engine: RolloutEngine, settings: RolloutSettings
) -> tuple[CubeAnalysis, bool]:
    result = engine.rollout_cube(cube.position, match=state, settings=settings)
    no_double, take = result.estimates
    verdict = decide(no_double.equity, take.equity, CubeState.from_match(state), gammons=no_double.probabilities[1] > 0)
    return (
        replace(
            cube,
            probabilities=no_double.probabilities,
            cubeless_equity=no_double.cubeless_equity,
            no_double=no_double.equity,
            double_take=take.equity,
            mwc_no_double=no_double.mwc,
            mwc_double_take=take.mwc,
            should_double=verdict.should_double,
            should_take=verdict.should_take,
            should_beaver=verdict.should_beaver,
            too_good=verdict.too_good,
            action=verdict.text,
            trials=min(no_double.trials, take.trials),
            no_double_error=no_double.equity_error,
            double_take_error=take.equity_error,
        ),
        result.finished,
    )
