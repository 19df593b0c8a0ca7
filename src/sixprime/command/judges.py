"""`Judges`: who analyses a match, as `set analysis` says, plays, cube decisions and luck each in its own way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from sixprime.command.call import Call
from sixprime.command.engines import DEEPEST, alike, cube_engine, engine, engine_of
from sixprime.command.options import Decision
from sixprime.game.position import Position
from sixprime.game.state import MatchState

if TYPE_CHECKING:
    from sixprime.cube.met import MatchEquityTable
    from sixprime.cube.model import CubeModel
    from sixprime.engine import Engine, PlayRequest
    from sixprime.engine.results import CubeAnalysis, PlayAnalysis
    from sixprime.progress import Hook, Stop

Asked = TypeVar("Asked")
Found = TypeVar("Found")


class Judges:
    """What `analysis.analyse` asks: a `MatchEngine`. Raises as `engine`."""

    def __init__(self, call: Call) -> None:
        self._call, kept = call, call.options.analysis
        self._kept = kept
        self._plays = engine_of(call, kept.chequer, kept.filter)
        self._cubes = cube_engine(call, kept.cube, kept.filter)
        self._luck = engine(call, kept.luckanalysis, kept.filter)

    @property
    def met(self) -> MatchEquityTable:
        """The match equity table."""
        return self._cubes.met

    @property
    def cube_model(self) -> CubeModel:
        """How the cube is valued."""
        return self._cubes.cube_model

    @property
    def identity(self) -> str:
        """What the judgements depend on beside the depth."""
        return " ".join(dict.fromkeys([self._plays.identity, self._cubes.identity, *self._rolled()]))

    @property
    def manner(self) -> str:
        """As `labels.Labelled`, with how plays and cube decisions are rolled out where they are."""
        return "".join(dict.fromkeys([self._plays.manner, self._cubes.manner, *self._rolled()]))

    def _rolled(self) -> list[str]:
        from sixprime.analysis.labels import rolled_out
        from sixprime.command.rollouts import rollout_settings

        kinds = {"plays": self._kept.chequer, "cubes": self._kept.cube}
        return [rolled_out(n, rollout_settings(k.rollout)) for n, k in kinds.items() if k.type == "rollout"]

    @property
    def version(self) -> str:
        """As `labels.Labelled`."""
        return self._plays.version

    def rank_plays_many(
        self,
        requests: Sequence[PlayRequest],
        *,
        plies: int,
        filter: str,
        search_forced: bool,
        progress: Hook | None,
        stop: Stop | None,
    ) -> list[list[PlayAnalysis]]:
        """All candidate plays best first."""
        ways: dict[str, Any] = {"count": None, "search_forced": search_forced, "progress": progress, "stop": stop}
        if self._kept.chequer.type != "rollout":
            return self._plays.rank_plays_many(requests, plies=plies, filter=filter, **ways)

        def ask(judge: Engine, some: Sequence[PlayRequest]) -> list[list[PlayAnalysis]]:
            return judge.rank_plays_many(some, **ways)

        sides = [each.state.on_roll for each in requests]
        return self._by_side(engine_of, self._kept.chequer, requests, sides, ask)

    def cube_many(
        self,
        requests: Sequence[tuple[Position, MatchState]],
        *,
        plies: int,
        progress: Hook | None,
        stop: Stop | None,
    ) -> list[CubeAnalysis]:
        """The cube decision of the player on roll."""
        if self._kept.cube.type != "rollout":
            return self._cubes.cube_many(requests, plies=plies, progress=progress, stop=stop)

        def ask(judge: Engine, some: Sequence[tuple[Position, MatchState]]) -> list[CubeAnalysis]:
            return judge.cube_many(some, progress=progress, stop=stop)

        sides = [state.on_roll for _, state in requests]
        return self._by_side(cube_engine, self._kept.cube, requests, sides, ask)

    def luck_many(
        self, requests: Sequence[tuple[Position, tuple[int, int], MatchState]], *, stop: Stop | None
    ) -> list[float]:
        """Luck of each roll."""
        return self._luck.luck_many(requests, plies=min(self._kept.luckanalysis.plies, DEEPEST), stop=stop)

    def _by_side(
        self,
        make: Callable[..., Engine],
        decision: Decision,
        requests: Sequence[Asked],
        sides: Sequence[int],
        ask: Callable[[Engine, Sequence[Asked]], list[Found]],
    ) -> list[Found]:
        """Answers by rollouts, in which the players may decide otherwise than each other."""
        if alike(decision.rollout):
            return ask(make(self._call, decision, self._kept.filter), requests)
        found: dict[int, Found] = {}
        for side in (0, 1):
            places = [place for place, each in enumerate(sides) if each == side]
            judge = make(self._call, decision, self._kept.filter, on_roll=side)
            some = ask(judge, [requests[place] for place in places])
            found.update(zip(places, some, strict=True))
        return [found[place] for place in range(len(requests))]
