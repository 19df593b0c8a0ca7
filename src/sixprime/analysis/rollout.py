"""Rolling out decisions of a match: those in doubt, or those marked by hand."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Protocol

from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.engine.rollout_judge import cube_of, plays_of, ranked
from sixprime.engine.rollout_result import RolloutResult
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.errors import EngineError, StoppedError
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.progress import NOBODY, Stop, Watch

_log = logging.getLogger("sixprime")

NEAR = 0.02
"""Plays that lose less than this are rolled out beside the best and the played one."""
MOST = 4
"""Plays of a decision that are rolled out, the played one not counted."""


class RolloutEngine(Protocol):
    """What is asked of an engine."""

    @property
    def search_games(self) -> int:
        """As so many games a search counts in the mean with a rollout after it."""

    def rollout_plays(
        self,
        position: Position,
        dice: tuple[int, int],
        plays: Sequence[Play],
        *,
        match: MatchState,
        settings: RolloutSettings,
        stop: Stop | None,
    ) -> RolloutResult:
        """Games after each play."""

    def rollout_cube(
        self, position: Position, *, match: MatchState, settings: RolloutSettings, stop: Stop | None
    ) -> RolloutResult:
        """Games after no double and after double, take."""


PlayDoubt = tuple[int, MatchState, Sequence[int]]
"""Index into the answers on plays, the state with the dice, indices of the candidates that are rolled out."""
CubeDoubt = tuple[int, MatchState]
"""Index into the answers on cubes, the state before the decision."""


def roll_out(
    plays: dict[int, Sequence[PlayAnalysis]],
    cubes: dict[int, CubeAnalysis],
    doubtful_plays: Sequence[PlayDoubt],
    doubtful_cubes: Sequence[CubeDoubt],
    engine: RolloutEngine,
    settings: RolloutSettings,
    watch: Watch = NOBODY,
    search_games: int = 0,
) -> tuple[int, bool]:
    """Replaces the answers in doubt by rolled-out ones; returns how many, and whether that is all.

    search_games: as in `Preset`.
    A stop, an interrupt or an executor that fails ends it: what has been rolled out stays, and the failure is logged.
    """
    total = len(doubtful_plays) + len(doubtful_cubes)
    done = 0
    try:
        for index, state, chosen in doubtful_plays:
            plays[index], finished = _play(plays[index], state, chosen, engine, settings, watch, search_games)
            done += 1
            watch.tell(done, total, "rollouts")
            if not finished:
                return done, False
        for index, state in doubtful_cubes:
            cubes[index], finished = _cube(cubes[index], state, engine, settings, watch, search_games)
            done += 1
            watch.tell(done, total, "rollouts")
            if not finished:
                return done, False
    except (KeyboardInterrupt, StoppedError):
        return done, False
    except EngineError as error:
        _log.warning("%s", error)
        return done, False
    return done, True


def in_doubt(candidates: Sequence[PlayAnalysis], played: int) -> list[int]:
    """Which candidates are rolled out where a play is in doubt: the best, those near it, the one played."""
    found = [i for i, candidate in enumerate(candidates[:MOST]) if i == 0 or candidate.equity_loss < NEAR]
    return found if played in found else [*found, played]


def _play(
    candidates: Sequence[PlayAnalysis],
    state: MatchState,
    indices: Sequence[int],
    engine: RolloutEngine,
    settings: RolloutSettings,
    watch: Watch,
    search_games: int,
) -> tuple[list[PlayAnalysis], bool]:
    chosen = [candidates[i] for i in indices]
    assert state.dice is not None
    plays = [candidate.play for candidate in chosen]
    before = state.with_dice(None)
    result = engine.rollout_plays(
        plays[0].position, state.dice, plays, match=before, settings=settings, stop=watch.stop
    )
    # What was searched less deeply has no say beside what was searched deeper.
    alike = len({candidate.plies for candidate in chosen}) == 1
    return ranked(plays_of(result, chosen, search_games if alike else 0), candidates), result.finished


def _cube(
    cube: CubeAnalysis,
    state: MatchState,
    engine: RolloutEngine,
    settings: RolloutSettings,
    watch: Watch,
    search_games: int,
) -> tuple[CubeAnalysis, bool]:
    result = engine.rollout_cube(cube.position, match=state, settings=settings, stop=watch.stop)
    return cube_of(result, cube, search_games), result.finished
