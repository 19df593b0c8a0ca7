"""`Roller`: rollouts with the nets of an engine, here or on a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sixprime.cube.met import MatchEquityTable
from sixprime.cube.model import CubeModel
from sixprime.engine import hyper
from sixprime.engine.executors import Executor
from sixprime.engine.judge import packed
from sixprime.engine.plies import Searcher
from sixprime.engine.rollout import advance
from sixprime.engine.rollout_result import Kind, RolloutResult, alternatives_of
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.engine.trials import Trials
from sixprime.errors import EngineError, InvalidPositionError, SettingsError
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.progress import NOBODY, Watch

if TYPE_CHECKING:
    from sixprime.engine.rollout_games import RolloutGame
    from sixprime.engine.spec import EngineSpec
    from sixprime.game.table import Players


@dataclass(frozen=True, slots=True)
class Roller:
    """searcher: without noise, of which players have their own. fingerprint: what the trials depend on beside their
    settings. executor: who plays them, None for the threads of the searcher; spec: what is sent there."""

    searcher: Searcher
    met: MatchEquityTable
    model: CubeModel
    fingerprint: str
    executor: Executor | None
    spec: Callable[[], EngineSpec]

    def roll_out(
        self,
        kind: Kind,
        position: Position,
        state: MatchState,
        settings: RolloutSettings,
        *,
        dice: tuple[int, int] | None = None,
        plays: Sequence[Play] = (),
        watch: Watch = NOBODY,
        keep: bool = True,
    ) -> RolloutResult:
        """A rollout from the beginning; keep: what there is when it ends early, or else it raises why.

        Raises SettingsError, InvalidPositionError, and as `rollout.advance`.
        """
        if settings.initial and kind != "position":
            raise SettingsError("initial is for rollouts of a position, not of plays or cube decisions.")
        packed([position])
        if position.chequers <= hyper.MAX_CHEQUERS:
            raise InvalidPositionError("hypergammon is looked up, not rolled out: all but the cube in matches is exact")
        if not settings.cubeful and kind == "cube":
            raise SettingsError("a cube decision cannot be rolled out without cube.")
        alternatives = alternatives_of(kind, position, state, plays)
        result = RolloutResult(
            kind=kind,
            position=position,
            state=state,
            dice=dice,
            settings=settings,
            alternatives=alternatives,
            raw=tuple(Trials.empty() for _ in alternatives),
            checked=0,
            engine=self.fingerprint,
            finished=False,
            met=self.met,
        )
        return self._advance(result, settings, watch, keep)

    def extend(self, result: RolloutResult, settings: RolloutSettings, watch: Watch = NOBODY) -> RolloutResult:
        """A rollout gone on with. Raises EngineError when another engine made its trials, and as `rollout.advance`."""
        self._made(result)
        return self._advance(result, settings, watch)

    def games(self, result: RolloutResult, players: Players) -> Iterator[RolloutGame]:
        """The games of a rollout. Raises EngineError when another engine made its trials."""
        from sixprime.engine.rollout_games import games_of

        self._made(result)
        return games_of(result, self.searcher, self.model, players)

    def _made(self, result: RolloutResult) -> None:
        if result.engine != self.fingerprint:
            raise EngineError(f"the rollout was made by {result.engine}; this engine is {self.fingerprint}")

    def _advance(
        self, result: RolloutResult, settings: RolloutSettings, watch: Watch, keep: bool = True
    ) -> RolloutResult:
        work = None
        if self.executor is not None:
            from sixprime.engine.jobs import RolloutJob

            roots = [alternative.root for alternative in result.alternatives]
            work = RolloutJob(self.spec(), result.met, roots, settings, self.model)
        return advance(result, settings, self.searcher, self.model, watch, self.executor, work, keep)
