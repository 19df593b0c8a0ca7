"""`ClusterJudge`: has the workers of an executor search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from sixprime.engine import hyper, jobs
from sixprime.engine.executors import Executor, Work
from sixprime.engine.judge import CubeRequest, PlayRequest
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis
from sixprime.engine.search_judge import SearchJudge
from sixprime.errors import StoppedError
from sixprime.game.position import Position
from sixprime.progress import NOBODY, Watch

if TYPE_CHECKING:
    from sixprime.engine.spec import EngineSpec

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class ClusterJudge:
    """A `Judge` that gives plays and cube decisions to an executor, whose answers have the same bits.

    here: who judges what is not worth sending: static values are made faster than they are sent, and hypergammon is
    looked up in a database that workers may lack. spec: the engine that workers build.
    """

    here: SearchJudge
    executor: Executor
    spec: Callable[[], EngineSpec]

    def positions(self, requests: Sequence[CubeRequest], watch: Watch = NOBODY) -> list[Evaluation]:
        """As `Judge`, all here."""
        return self.here.positions(requests, watch)

    def plays(
        self, requests: Sequence[PlayRequest], count: int | None = None, watch: Watch = NOBODY
    ) -> list[list[PlayAnalysis]]:
        """As `Judge`."""
        if not self._worth_sending([request.position for request in requests]):
            return self.here.plays(requests, count, watch)
        plies = self.here.plies
        work = jobs.PlaysJob(self.spec(), plies, self.here.moves, count, self.here.forced)
        return self._spread(work, requests, jobs.PLAYS[plies], watch)

    def cubes(self, requests: Sequence[CubeRequest], watch: Watch = NOBODY) -> list[CubeAnalysis]:
        """As `Judge`."""
        if not self._worth_sending([position for position, _ in requests]):
            return self.here.cubes(requests, watch)
        work = jobs.CubesJob(self.spec(), self.here.plies)
        return self._spread(work, requests, jobs.CUBES[self.here.plies], watch)

    def _worth_sending(self, positions: Sequence[Position]) -> bool:
        return self.here.plies > 0 and all(position.chequers > hyper.MAX_CHEQUERS for position in positions)

    def _spread(self, work: Work[Sequence[T], list[R]], requests: Sequence[T], size: int, watch: Watch) -> list[R]:
        """The answers to all requests, made by tasks of `size`."""
        tasks = [requests[i : i + size] for i in range(0, len(requests), size)]
        answers: list[list[R]] = [[] for _ in tasks]
        done = 0
        try:
            for index, part in self.executor.map(work, tasks, Watch(stop=watch.stop)):
                answers[index] = part
                done += len(part)
                watch.tell(done, len(requests), "decisions")
        except StoppedError:
            raise StoppedError(done, len(requests), "decisions") from None
        return [answer for part in answers for answer in part]
