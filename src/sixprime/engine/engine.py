"""`Engine`: judges positions, plays and cube decisions, many at a time.

The single-position calls are batches of one. Nothing here keeps state between calls but the nets, the databases, the
threads and the replies found lately, which change no result; so an engine may be shared.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sixprime import kernels
from sixprime._version import __version__
from sixprime.bearoff import Databases
from sixprime.checks import FLAG, SEED, Instance, Maybe, Whole, listed, refuse, shown
from sixprime.cube.fitted import DEFAULT as DEFAULT_CUBE_MODEL
from sixprime.cube.met import MET, MatchEquityTable
from sixprime.cube.met import load as load_met
from sixprime.cube.model import CubeModel
from sixprime.cube.state import CubeState
from sixprime.engine import hyper, luck, static
from sixprime.engine.executors import Executor, open_executor
from sixprime.engine.filters import MoveFilter, get_filter
from sixprime.engine.judge import (
    DOUBTED,
    MAX_CHEQUERS,
    Book,
    CubelessJudge,
    CubeRequest,
    Judge,
    PlayRequest,
    deepened,
    without_cube,
)
from sixprime.engine.noise import Noise
from sixprime.engine.plies import Searcher
from sixprime.engine.presets import Preset, get_preset
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis, RankedPlays
from sixprime.engine.rollout_settings import PLIES, RolloutSettings
from sixprime.engine.rolls import COUNTS
from sixprime.engine.search_judge import SearchJudge
from sixprime.errors import EngineError, SettingsError
from sixprime.game.play import Play
from sixprime.game.position import POSITION, Position
from sixprime.game.rules import check_dice
from sixprime.game.state import MONEY, STATE, MatchState
from sixprime.kernels import search
from sixprime.nets.file import DEFAULT, SMALL, NetFile, load
from sixprime.nets.race import race_nets
from sixprime.nets.ready import made, shared
from sixprime.progress import Hook, Stop, Watch

if TYPE_CHECKING:
    from sixprime.engine.roller import Roller
    from sixprime.engine.rollout_games import RolloutGame
    from sixprime.engine.rollout_result import RolloutResult
    from sixprime.engine.spec import EngineSpec
    from sixprime.game.table import Players

KEEP = 6
"""Candidates that the pruning net leaves at inner nodes, twice as many where contact may end."""
SEARCH = 9
"""Goes up when searches or rollouts say something else with the same nets: trials of both may not be mixed."""

_ROLLOUT = RolloutSettings()
_CLOSED = "the engine is closed"
_NO_PLAY = "nothing is left to play"


class Engine:
    """Nets, databases, match equity table and threads, ready to judge.

    Hypergammon is looked up in its database (`sixprime.bearoff.hyper`). That of 3 chequers has to be built; without it
    the nets are asked, which know games of 15 chequers only: such numbers are not to be trusted.

    net: a network file, the name of one that ships ("small", "standard") or a loaded one; None for the
    standard one. threads: None for all cores. met: a table such as `sixprime.cube.met_xml.open_table` gives, None for
    the default one. level: a `Preset` or the name of one, such as "world class"; None: 2 plies, Normal. plies, filter,
    prune: what the calls use unless told otherwise, None for those of the level. Calls with `plies` of their own search
    without rolling out, whatever the level. noise_seed: of noise that is not deterministic, None for another one with
    each engine. Luck and rollouts are free of noise.
    databases: None for the standard ones and all that lie in the user's data folder.
    cube_model: a model or a name for `CubeModel.named`.
    executor: None for the threads of this machine, or a Dask cluster for rollouts and searches of many decisions,
    such as "dask://host:8786"; see `sixprime.engine.executors.parse`. The results have the same bits.
    book: rolled-out plays, such as `sixprime.learn.OpeningBooks()`, that come before what is searched, in calls without
    `plies` of their own; None for no book.
    Raises `DataFileError` for a bad net, `SettingsError` for a bad setting, `EngineError` when the cluster does not
    answer.

    Calls take `progress`, a function that is told a `Progress` now and then, and `stop`, a `threading.Event` that ends
    them from any thread within a tenth of a second: judgements raise `StoppedError`, rollouts return what is there.
    An engine can be pickled; what comes out is made anew, and refused where it would judge otherwise. `close`, or the
    end of a `with` block, gives its threads back.
    """

    def __init__(
        self,
        net: Path | str | NetFile | None = None,
        *,
        threads: int | None = None,
        met: MatchEquityTable | None = None,
        level: str | Preset | None = None,
        plies: int | None = None,
        filter: str | MoveFilter | None = None,
        prune: bool | None = None,
        noise_seed: int | None = None,
        databases: Databases | None = None,
        cube_model: str | CubeModel = DEFAULT_CUBE_MODEL,
        executor: str | Executor | None = None,
        book: Book | None = None,
    ) -> None:
        for name, rule, given in (
            ("threads", _THREADS, threads),
            ("met", MET, met),
            ("prune", _PRUNE, prune),
            ("noise_seed", _NOISE_SEED, noise_seed),
            ("databases", _DATABASES, databases),
            ("net", _NET, net),
            ("cube_model", _MODEL, cube_model),
            ("book", _BOOK, book),
        ):
            rule(name, given)
        kernels.prepare(*_COMPILED)
        self.level = get_preset("world class" if level is None else level)
        self.plies = self.level.plies if plies is None else _checked_plies(plies)
        self._deepens = plies is None and self.level.deepen
        self.filter = get_filter(self.level.filter if filter is None else filter)
        prune = self.level.prune if prune is None else prune
        self.cube_model = CubeModel.named(cube_model) if isinstance(cube_model, str) else cube_model
        self.met = met or load_met()
        self._alike = self.met.is_symmetric
        self._net = DEFAULT if net is None else net
        nets = made(self._net) if isinstance(self._net, NetFile) else shared(self._net)
        self.databases = databases or Databases.found()
        tables = self.databases.one_sided.arrays, race_nets()
        brain = search.Brain(nets.contact, nets.race, nets.pruner, *tables, nets.back)
        self.threads = threads or os.cpu_count() or 1
        self._closed = threading.Event()
        self._pool = _Threads(self.threads, self._closed) if self.threads > 1 else None
        # The smallest net that ships picks replies for larger ones.
        small, quick = shared(SMALL), None
        if small.contact.rows.shape[1] < nets.contact.rows.shape[1]:
            quick = search.Brain(small.contact, small.race, small.pruner, tables[0])
        self._checksums = nets.checksum, small.checksum
        self._shared = nets, small  # with other engines, as long as this one lasts
        self._clear = Searcher(brain, self.databases, KEEP if prune else 0, self.threads, self._pool, quick=quick)
        self._searcher = replace(self._clear, rolls=self.level.rolls)
        if self.level.noise:
            if self.level.deterministic:
                noise_seed = 0
            elif noise_seed is None:
                noise_seed = int.from_bytes(os.urandom(7))
            self._searcher = replace(self._searcher, noise=Noise(self.level.noise, noise_seed))
        self.executor = None if executor is None else open_executor(executor)
        self.book = book
        self._made: dict[str, Any] = {
            "net": net,
            "threads": threads,
            "met": met,
            "level": self.level,
            "plies": plies,
            "filter": self.filter,
            "prune": prune,
            "noise_seed": noise_seed,
            "databases": databases,
            "cube_model": self.cube_model,
            "executor": executor,
            "book": book,
        }

    @property
    def net(self) -> NetFile:
        """The nets as they were trained, with what their file says of them. Raises EngineError where it has changed."""
        if isinstance(self._net, NetFile):
            return self._net
        net = load(self._net)
        if net.checksum != self._checksums[0]:
            raise EngineError(f"the network file {self._net} is another one now than when this engine was made")
        self._net = net
        return net

    @property
    def brain(self) -> search.Brain:
        """The nets and tables as `sixprime.kernels.search` takes them, for work on whole arrays of boards."""
        return self._searcher.brain

    @property
    def searcher(self) -> Searcher:
        """The search over whole arrays of boards, under the calls of this class."""
        return self._searcher

    @property
    def fingerprint(self) -> str:
        """What the trials of rollouts depend on beside their settings: program, net, tables, cube model and pruning."""
        side, pair = self.databases.one_sided, self.databases.two_sided[0]
        known = f"bear-off {side.points}x{side.chequers} and {pair.points}x{pair.chequers}"
        pruning = "" if self._searcher.keep else ", no pruning"
        cube = f"{self.met.name} {self.met.checksum}, {self.cube_model.identity}"
        nets = f"net {self._checksums[0][:12]}, luck by {self._checksums[1][:12]}"
        return f"Sixprime {__version__} search {SEARCH}, {nets}, {cube}, {known}{pruning}"

    # -- its life --------------------------------------------------------------------------------

    def close(self) -> None:
        """Gives the threads back, once what they do is done; what `on` returned is closed with it.

        Calls raise EngineError from then on. A connection to a cluster is kept for other engines.
        """
        self._closed.set()
        if self._pool is not None:
            self._pool.shutdown()

    def _check_open(self) -> None:
        if self._closed.is_set():
            raise EngineError(_CLOSED)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    @property
    def identity(self) -> str:
        """What judgements depend on beside the depth: the fingerprint, and what the level changes of a search."""
        rolls, noise = self._searcher.rolls, self._searcher.noise
        said = "" if rolls == COUNTS[-1] else f", {rolls} rolls"
        if self.level.cube_near:
            said += f", cubes near {' '.join(map(str, self.level.cube_near))}"
        said += "" if self.level.cubeful else ", cubeless"
        said += "" if self.book is None else f", {self.book.name}"
        return self.fingerprint + said + ("" if noise is None else f", noise {noise.deviation:g} seed {noise.seed}")

    @property
    def manner(self) -> str:
        """What the level changes of a search, as a label has it (`sixprime.analysis.labels`)."""
        rolls, noise = self._searcher.rolls, self._searcher.noise
        said = "" if rolls == COUNTS[-1] else f"+{rolls}-rolls"
        if self.level.cube_near:
            said += f"+cubes-near-{'-'.join(map(str, self.level.cube_near))}"
        said += "" if self.level.cubeful else "+cubeless"
        said += "" if noise is None else f"+noise-{noise.deviation:g}"
        return said + ("" if self._searcher.keep else "+unpruned")

    @property
    def search_games(self) -> int:
        """As so many games a search counts in the mean with a rollout of the level, 0 without one."""
        return 0 if self.level.rollout is None else self.level.search_games

    @property
    def version(self) -> str:
        """What stands behind the words of a label: how it searches, and with which nets."""
        return f"@{SEARCH}, net {self._checksums[0][:12]}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (self._made, self.fingerprint)

    def on(self, executor: str | Executor | None) -> Engine:
        """This engine with its work done elsewhere, None for where it is done anyway. Raises as the class does."""
        if executor is None:
            return self
        return self._with({"executor": open_executor(executor)}, {"executor": executor})

    def reseated(self) -> Engine:
        """This engine for matches whose players have changed seats: its match equity table has changed them, too."""
        met = {"met": self.met.swapped()}
        return self._with(met, met)

    def _with(self, changes: dict[str, Any], made: dict[str, Any]) -> Engine:
        """This engine with other attributes, made by other arguments."""
        other = object.__new__(Engine)
        other.__dict__.update(self.__dict__, **changes, _made=self._made | made)
        return other

    def forget(self) -> None:
        """Forgets what searches have found, which changes no result: for measuring."""
        self._clear.memo.clear()

    # -- judging ---------------------------------------------------------------------------------

    def judge(
        self, plies: int | None = None, filter: str | MoveFilter | None = None, *, search_forced: bool = True
    ) -> Judge:
        """Who answers the calls below: the search of the level, its rollouts, the cluster that searches for it, and
        before them all the book.

        plies: of a judge that does not roll out; None for the level's. The rest as for `rank_plays_many`.
        """
        FLAG("search_forced", search_forced)
        self._check_open()
        depth = self.plies if plies is None else _checked_plies(plies)
        moves = self.filter if filter is None else get_filter(filter)
        cube_near = self.level.cube_near
        here = SearchJudge(
            self._searcher, self.met, self.cube_model, self._alike, depth, moves, search_forced, cube_near
        )
        judge: Judge = here
        if self.executor is not None:
            from sixprime.engine.cluster_judge import ClusterJudge

            judge = ClusterJudge(here, self.executor, self._spec)
        if not self.level.cubeful:
            judge = CubelessJudge(judge)
        if plies is None and self.level.rollout is not None:
            from sixprime.engine.rollout_judge import RolloutJudge

            near = self.level.rollout_near
            judge = RolloutJudge(judge, self._roller, self.level.rollout, near, self.search_games)
        if plies is None and self.book is not None and self.level.cubeful:
            from sixprime.engine.book_judge import BookJudge

            judge = BookJudge(judge, here, self.book)
        return judge

    def evaluate(
        self, position: Position, *, match: MatchState = MONEY, plies: int | None = None, stop: Stop | None = None
    ) -> Evaluation:
        """What a position is worth to the player on roll, before the dice."""
        POSITION("position", position)
        STATE("match", match)
        return self.evaluate_many([position], match=match, plies=plies, stop=stop)[0]

    def evaluate_many(
        self,
        positions: Sequence[Position],
        *,
        match: MatchState | Sequence[MatchState] = MONEY,
        plies: int | None = None,
        progress: Hook | None = None,
        stop: Stop | None = None,
    ) -> list[Evaluation]:
        """`evaluate` of many positions in one batch, all at one match state or each at its own."""
        judge, watch = self.judge(plies), Watch(progress, stop)
        positions = listed("positions", positions, Position)
        states = [match] * len(positions) if isinstance(match, MatchState) else listed("match", match, MatchState)
        if len(states) != len(positions):
            raise SettingsError(f"match must be one state or one per position. Got {len(states)} for {len(positions)}.")
        return judge.positions(list(zip(positions, states, strict=True)), watch) if positions else []

    def best_plays(
        self,
        position: Position,
        dice: tuple[int, int],
        *,
        match: MatchState = MONEY,
        plies: int | None = None,
        filter: str | MoveFilter | None = None,
        count: int | None = None,
        stop: Stop | None = None,
    ) -> Sequence[PlayAnalysis]:
        """Every legal play, best first; those the filter dropped stand behind, judged less deeply.

        At one ply what plays with contact are worth statically has a share in their value (`plies.STATIC_SHARE`).

        count: how many to return, None for all. Raises InvalidPositionError when the game is over.
        """
        if self._ranks_alone(position, plies):
            position.check_unfinished(_NO_PLAY)
            Watch(None, stop).check()
            _COUNT("count", count)
            if filter is not None:
                get_filter(filter)
            state = match if self.level.cubeful else without_cube(match)
            cube = CubeState.from_match(state, alike=self._alike)
            return static.rank(self._searcher, position, check_dice(dice), cube, self.met, self.cube_model, count)
        request = PlayRequest(position, dice, match)
        return self.rank_plays_many([request], plies=plies, filter=filter, count=count, stop=stop)[0]

    def _ranks_alone(self, position: Position, plies: int | None) -> bool:
        """Whether one decision at 0-ply needs nothing that only searches of many can do."""
        if (self.plies if plies is None else _checked_plies(plies)) > 0 or self._closed.is_set():
            return False
        if not isinstance(position, Position) or not hyper.MAX_CHEQUERS < position.chequers <= MAX_CHEQUERS:
            return False
        more = plies is None and (self.level.rollout is not None or self.book is not None)
        return not more and static.can_rank(self._searcher, self.cube_model)

    def rank_plays_many(
        self,
        requests: Sequence[PlayRequest],
        *,
        plies: int | None = None,
        filter: str | MoveFilter | None = None,
        count: int | None = 5,
        search_forced: bool = True,
        progress: Hook | None = None,
        stop: Stop | None = None,
    ) -> list[list[PlayAnalysis]]:
        """`best_plays` of many decisions in one batch; a play that must be included is searched as deep.

        search_forced: whether the only legal play is searched, too; without, it is judged statically.
        """
        judge, watch = self.judge(plies, filter, search_forced=search_forced), Watch(progress, stop)
        requests = listed("requests", requests, PlayRequest)
        for request in requests:
            if isinstance(request.position, Position):
                request.position.check_unfinished(_NO_PLAY)
        _COUNT("count", count)
        return [RankedPlays(plays) for plays in judge.plays(requests, count, watch)] if requests else []

    def cube_action(
        self,
        position: Position,
        *,
        match: MatchState = MONEY,
        plies: int | None = None,
        deepen: bool | None = None,
        stop: Stop | None = None,
    ) -> CubeAnalysis:
        """The cube decision of the player on roll, and the answer to a double."""
        return self.cube_many([(position, match)], plies=plies, deepen=deepen, stop=stop)[0]

    def cube_many(
        self,
        requests: Sequence[CubeRequest],
        *,
        plies: int | None = None,
        deepen: bool | None = None,
        progress: Hook | None = None,
        stop: Stop | None = None,
    ) -> list[CubeAnalysis]:
        """`cube_action` of many positions in one batch.

        deepen: whether what is close after a search of 2 plies is searched a third; None: as the level has it where no
        plies are given, neither here nor to the engine.
        """
        judge, watch = self.judge(plies), Watch(progress, stop)
        _DEEPEN("deepen", deepen)
        given = listed("requests", requests, tuple, "a position and a match state")
        requests = [_pair(request) for request in watch.each(given)]
        if not requests:
            return []
        deepen = plies is None and self._deepens if deepen is None else deepen
        if not deepen or (self.plies if plies is None else plies) != DOUBTED:
            return judge.cubes(requests, watch)
        return deepened(
            requests,
            lambda some, depth, one: (judge if depth == DOUBTED else self.judge(depth)).cubes(some, one),
            watch,
        )

    def luck_many(
        self,
        requests: Sequence[tuple[Position, tuple[int, int], MatchState]],
        *,
        plies: int = 0,
        stop: Stop | None = None,
    ) -> list[float]:
        """Luck of rolls, in normalised equity of the roller: the value of the best play minus the mean over rolls.

        plies: how far plays are looked ahead. Cubeful unless the level is not; static ones are free of noise. At the
        start of a game the roll also decides who begins: there the mean is over the 15 rolls without a double of each
        side. Raises InvalidPositionError when a game is over.
        """
        self._check_open()
        plies = _checked_plies(plies)
        watch, words = Watch(stop=stop), "a position, dice and a match state"
        requests = [_triple(request) for request in listed("requests", requests, tuple, words)]
        if not requests:
            return []
        if plies:
            return luck.searched_luck(requests, self.judge(plies), watch=watch)
        if not self.level.cubeful:
            requests = [(position, dice, without_cube(state)) for position, dice, state in requests]
        return luck.luck_of(requests, self._clear, self.met, self.cube_model, alike=self._alike, watch=watch)

    # -- rollouts --------------------------------------------------------------------------------

    def rollout(
        self,
        position: Position,
        *,
        match: MatchState = MONEY,
        settings: RolloutSettings = _ROLLOUT,
        progress: Hook | None = None,
        stop: Stop | None = None,
        executor: str | Executor | None = None,
        **changes: Any,
    ) -> RolloutResult:
        """Plays games from a position, the player on roll not doubling before his first roll.

        settings: how; changes: single settings, such as trials=5184 or seed=7; see `RolloutSettings`. progress: is
        told the rollout so far, too. executor: a cluster for this call, see `Engine`. `stop`, Ctrl-C, or a cluster that
        is lost, ends it early with what is there; the result is then not `finished`; see `extend_rollout`. Raises
        SettingsError, InvalidPositionError, and StoppedError or EngineError when nothing is there yet.
        """
        settings, watch = _changed(settings, changes), Watch(progress, stop)
        return self.on(executor)._roller.roll_out("position", position, match, settings, watch=watch)

    def rollout_plays(
        self,
        position: Position,
        dice: tuple[int, int],
        plays: Sequence[Play] | int = 5,
        *,
        match: MatchState = MONEY,
        settings: RolloutSettings = _ROLLOUT,
        progress: Hook | None = None,
        stop: Stop | None = None,
        executor: str | Executor | None = None,
        **changes: Any,
    ) -> RolloutResult:
        """Plays games after several plays of a roll, on the same dice. plays: which, or how many of the best.

        The rest as for `rollout`. Raises IllegalPlayError for a play of another position or roll.
        """
        dice = check_dice(dice)
        settings, watch = _changed(settings, changes), Watch(progress, stop)
        if not isinstance(plays, Iterable):
            _PLAYS("plays", plays)
            plays = [play.play for play in self.best_plays(position, dice, match=match, count=plays, stop=stop)]
        plays = [Play.between(position, dice, play.result) for play in listed("plays", plays, Play)]
        if not plays or len({play.result for play in plays}) < len(plays):
            raise SettingsError("plays must be at least one, and each only once.")
        roller = self.on(executor)._roller
        return roller.roll_out("plays", position, match, settings, dice=dice, plays=plays, watch=watch)

    def rollout_cube(
        self,
        position: Position,
        *,
        match: MatchState = MONEY,
        settings: RolloutSettings = _ROLLOUT,
        progress: Hook | None = None,
        stop: Stop | None = None,
        executor: str | Executor | None = None,
        **changes: Any,
    ) -> RolloutResult:
        """Plays games after no double and after double, take, on the same dice. The rest as for `rollout`.

        Raises SettingsError when the player on roll cannot double, InvalidPositionError when the game is over.
        """
        if not CubeState.from_match(match).can_double:
            raise SettingsError("the player on roll cannot double; roll out the position instead.")
        if isinstance(position, Position):
            position.check_unfinished("nobody can double")
        settings, watch = _changed(settings, changes), Watch(progress, stop)
        return self.on(executor)._roller.roll_out("cube", position, match, settings, watch=watch)

    def extend_rollout(
        self,
        result: RolloutResult,
        *,
        progress: Hook | None = None,
        stop: Stop | None = None,
        executor: str | Executor | None = None,
        **changes: Any,
    ) -> RolloutResult:
        """Goes on with a rollout that was interrupted, or with other `trials` or limits; as if made in one go.

        Raises SettingsError for changes that would have made other trials, EngineError when another engine made them.
        """
        from sixprime.engine.rollout_result import RolloutResult

        Instance(RolloutResult)("result", result)
        settings, watch = _changed(result.settings, changes), Watch(progress, stop)
        return self.on(executor)._roller.extend(result, settings, watch)

    def rollout_games(self, result: RolloutResult, players: Players = ("", "")) -> Iterator[RolloutGame]:
        """The games that were played in a rollout by this engine, one after the other: trial by trial and within each
        by alternative. They are played again, which takes as long as the rollout did.

        players: what they are called. Raises EngineError when another engine made the trials.
        """
        from sixprime.engine.rollout_result import RolloutResult

        Instance(RolloutResult)("result", result)
        if not (isinstance(players, tuple) and [type(name) for name in players] == [str, str]):
            raise SettingsError(f"players must be two names, not {shown(players)}")
        return self._roller.games(result, players)

    @property
    def _roller(self) -> Roller:
        from sixprime.engine.roller import Roller

        self._check_open()
        clear = partial(self._spec, clear=True)
        return Roller(self._clear, self.met, self.cube_model, self.fingerprint, self.executor, clear)

    def _spec(self, *, clear: bool = False) -> EngineSpec:
        """What is sent to workers; clear: without noise."""
        from sixprime.engine.spec import EngineSpec

        return EngineSpec.of(self, clear=clear)


class _Threads(ThreadPoolExecutor):
    """The threads of an engine, which say so when it has been closed under somebody who works with it."""

    def __init__(self, threads: int, closed: threading.Event) -> None:
        super().__init__(threads)
        self._closed = closed

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As of any executor. Raises EngineError."""
        try:
            return super().submit(work, *args, **kwargs)
        except RuntimeError as error:
            if self._closed.is_set():
                raise EngineError(_CLOSED) from error
            raise


def _made_again(made: dict[str, Any], fingerprint: str) -> Engine:
    """An engine out of a pickle. Raises EngineError when it would judge otherwise."""
    engine = Engine(**made)
    if engine.fingerprint != fingerprint:
        raise EngineError(f"the engine that was pickled is {fingerprint}; made here it is {engine.fingerprint}")
    return engine


_COMPILED = (
    ("sixprime.kernels.replies",),
    ("sixprime.nets.params", "sixprime.kernels.bearoff_build", "sixprime.cube.kernel", "sixprime.engine.value_kernel"),
)
"""Groups of kernels of every engine, by the process that compiles them; the first one builds databases."""


_SETTINGS = Instance(RolloutSettings)
_DATABASES = Maybe(Instance(Databases))
_NET = Maybe(Instance((str, os.PathLike, NetFile), "a name, a path or a NetFile"))
_MODEL = Instance((str, CubeModel), "a name or a CubeModel")
_BOOK = Maybe(Instance(Book, "a Book"))
_DEEPEN = Maybe(FLAG)
_PRUNE, _NOISE_SEED, _THREADS = Maybe(FLAG), Maybe(SEED), Maybe(Whole(1, 1024))
_COUNT, _PLAYS = Maybe(Whole(0, 1 << 30)), Whole(1, 1 << 30)


def _pair(request: Any) -> tuple[Position, MatchState]:
    """A request for a cube decision. Raises SettingsError."""
    if len(request) != 2:
        refuse("a request", "a position and a match state", request)
    POSITION("position", request[0])
    STATE("match", request[1])
    return request[0], request[1]


def _triple(request: Any) -> tuple[Position, tuple[int, int], MatchState]:
    """A request for the luck of a roll. Raises SettingsError."""
    if len(request) != 3:
        refuse("a request", "a position, dice and a match state", request)
    position, dice, state = request
    _pair((position, state))
    position.check_unfinished(_NO_PLAY)
    return position, check_dice(dice), state


def _changed(settings: RolloutSettings, changes: dict[str, Any]) -> RolloutSettings:
    _SETTINGS("settings", settings)
    unknown = sorted(changes.keys() - {field.name for field in fields(settings)})
    if unknown:
        raise SettingsError(f"unknown rollout setting {unknown[0]!r}.")
    return replace(settings, **changes)


def _checked_plies(plies: int) -> int:
    PLIES("plies", plies)
    return plies
