"""`Engine`: judges positions, plays and cube decisions, many at a time.

The single-position calls are batches of one. Nothing here keeps state between calls but the nets, the databases, the
threads and the replies found lately, which change no result; so an engine may be shared.
"""

from __future__ import annotations

import copy
import os
import secrets
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime._version import __version__
from sixprime.bearoff import Databases
from sixprime.checks import CALL, FLAG, SEED, Instance, Maybe, Whole, listed, refuse
from sixprime.cube.decision import decide
from sixprime.cube.janowski import cubeless, to_equity, to_mwc
from sixprime.cube.market import take_points
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.met import load as load_met
from sixprime.cube.model import DEFAULT as DEFAULT_CUBE_MODEL
from sixprime.cube.model import CubeModel
from sixprime.cube.state import CubeState
from sixprime.cube.tree import expand_groups
from sixprime.engine import hyper, static
from sixprime.engine.executors import Executor, Work, open_executor
from sixprime.engine.filters import MoveFilter, get_filter
from sixprime.engine.noise import Noise
from sixprime.engine.plies import Searcher, swap_outcomes
from sixprime.engine.presets import Preset, get_preset
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis, judged
from sixprime.engine.rollout_settings import PLIES, RolloutSettings
from sixprime.errors import EngineError, InvalidPositionError, SettingsError
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.rules import check_dice
from sixprime.game.state import MONEY, MatchState
from sixprime.game.variants import VARIANTS
from sixprime.kernels import search
from sixprime.nets.file import DEFAULT, SMALL, NetFile, load
from sixprime.nets.race import race_nets
from sixprime.nets.ready import made, ready

if TYPE_CHECKING:
    from sixprime.engine.rollout import ProgressHook as RolloutHook
    from sixprime.engine.rollout_result import Kind, RolloutResult

T = TypeVar("T")
R = TypeVar("R")

MAX_CHEQUERS = 15
CLASS_NAMES = ("over", "bearoff-two-sided", "bearoff", "race", "crashed", "contact", "hypergammon")
KEEP = 6
"""Candidates that the pruning net leaves at inner nodes, twice as many where contact may end."""
SEARCH = 2
"""Goes up when searches or rollouts say something else with the same nets: trials of both may not be mixed."""

ProgressHook = Callable[[int, int], None]
"""Called with (done, total) while a batch is worked on."""


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """A chequer play to judge: the best plays of `dice`, and `must_include` among the answers if given."""

    position: Position
    dice: tuple[int, int]
    state: MatchState = MONEY
    must_include: Play | None = None


_ROLLOUT = RolloutSettings()


class Engine:
    """Nets, databases, match equity table and threads, ready to judge.

    Hypergammon is looked up in its database (`sixprime.bearoff.hyper`). That of 3 chequers has to be built; without it
    the nets are asked, which know games of 15 chequers only: such numbers are not to be trusted.

    net: a network file, the name of one that ships ("small", "standard") or a loaded one; None for the
    standard one. threads: None for all cores. level: a `Preset` or the name of one, such as "world class"; None: 2
    plies, Normal. plies, filter, prune: what the calls use unless told otherwise, None for those of the level. Calls
    with `plies` of their own search without rolling out, whatever the level. noise_seed: of noise that is not
    deterministic, None for another one with each engine. Luck and rollouts are free of noise.
    databases: None for the standard ones and all that lie in the user's data folder.
    cube_model: a model or a name for `CubeModel.named`.
    executor: None for the threads of this machine, or a Dask cluster for rollouts and searches of many decisions,
    such as "dask://host:8786"; see `sixprime.engine.executors.parse`. The results have the same bits.
    Raises `DataFileError` for a bad net, `SettingsError` for a bad setting, `EngineError` when the
    cluster does not answer.
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
    ) -> None:
        for name, rule, given in (
            ("threads", _THREADS, threads),
            ("met", _MET, met),
            ("prune", _PRUNE, prune),
            ("noise_seed", _NOISE_SEED, noise_seed),
            ("databases", _DATABASES, databases),
            ("net", _NET, net),
            ("cube_model", _MODEL, cube_model),
        ):
            rule(name, given)
        kernels.prepare(*_COMPILED)
        self.level = _DEFAULT if level is None else get_preset(level)
        self.plies = self.level.plies if plies is None else _checked_plies(plies)
        self.filter = get_filter(self.level.filter if filter is None else filter)
        prune = self.level.prune if prune is None else prune
        self.cube_model = CubeModel.named(cube_model) if isinstance(cube_model, str) else cube_model
        self.met = met or load_met()
        self._alike = self.met.is_symmetric
        self._net = net or DEFAULT
        nets = made(self._net) if isinstance(self._net, NetFile) else ready(self._net)
        self.databases = databases or Databases.found()
        tables = self.databases.one_sided.arrays, race_nets()
        brain = search.Brain(nets.contact, nets.race, nets.pruner, *tables, nets.back)
        self.threads = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        # The smallest net that ships picks replies for larger ones.
        small, quick = ready(SMALL), None
        if small.contact.rows.shape[1] < nets.contact.rows.shape[1]:
            quick = search.Brain(small.contact, small.race, small.pruner, tables[0])
        self._checksums = nets.checksum, small.checksum
        self._clear = Searcher(brain, self.databases, KEEP if prune else 0, self.threads, self._pool, quick=quick)
        self._searcher = replace(self._clear, rolls=self.level.rolls)
        if self.level.noise:
            if self.level.deterministic:
                noise_seed = 0
            elif noise_seed is None:
                noise_seed = secrets.randbits(63)
            self._searcher = replace(self._searcher, noise=Noise(self.level.noise, noise_seed))
        self.executor = None if executor is None else open_executor(executor)

    @cached_property
    def net(self) -> NetFile:
        """The nets as they were trained, with what their file says of them."""
        if isinstance(self._net, NetFile):
            return self._net
        net = load(self._net)
        if net.checksum != self._checksums[0]:
            raise EngineError(f"the network file {self._net} is another one now than when this engine was made")
        return net

    @property
    def brain(self) -> search.Brain:
        """The nets and tables as `sixprime.kernels.search` takes them, for work on whole arrays of boards."""
        return self._searcher.brain

    @property
    def searcher(self) -> Searcher:
        """The search over whole arrays of boards, under the calls of this class."""
        return self._searcher

    def on(self, executor: str | Executor | None) -> Engine:
        """This engine with its work done elsewhere, None for where it is done anyway. Raises as the class does."""
        if executor is None:
            return self
        other = copy.copy(self)
        other.executor = open_executor(executor)
        return other

    def forget(self) -> None:
        """Forgets what searches have found, which changes no result: for measuring."""
        self._clear.memo.clear()

    # -- positions -------------------------------------------------------------------------------

    def evaluate(self, position: Position, *, match: MatchState = MONEY, plies: int | None = None) -> Evaluation:
        """What a position is worth to the player on roll, before the dice."""
        return self.evaluate_many([position], match=match, plies=plies)[0]

    def evaluate_many(
        self,
        positions: Sequence[Position],
        *,
        match: MatchState | Sequence[MatchState] = MONEY,
        plies: int | None = None,
    ) -> list[Evaluation]:
        """`evaluate` of many positions in one batch, all at one match state or each at its own."""
        depth = self._depth(plies)
        positions = listed("positions", positions, Position)
        states = [match] * len(positions) if isinstance(match, MatchState) else listed("match", match, MatchState)
        if len(states) != len(positions):
            raise SettingsError(f"match must be one state or one per position. Got {len(states)} for {len(positions)}.")
        if not positions:
            return []
        boards = self._pack(positions)
        cubes, groups = _grouped([self._state(state) for state in states])
        levels = expand_groups([[cube] for cube in cubes], depth, self.met, model=self.cube_model)
        outputs, values = self._searcher.values(boards, groups, levels)
        efficiencies = self._effective(values[:, 0], outputs, groups, cubes)
        codes = self._codes(boards)
        results = []
        for i, position in enumerate(positions):
            cube = cubes[groups[i]]
            results.append(
                Evaluation(
                    position,
                    _probabilities(outputs[i]),
                    float(cubeless(outputs[i], _MONEY_CUBE)),
                    float(to_equity(values[i, 0], cube, self.met)),
                    None if cube.money else float(values[i, 0]),
                    depth,
                    CLASS_NAMES[codes[i]],
                    _number(efficiencies[i]),
                )
            )
        if plies is None and self.level.rollout:
            from sixprime.engine import roller

            return [
                roller.rolled_evaluation(found, self._level_rollout("position", found.position, state))
                if found.position_class not in _KNOWN
                else found
                for found, state in zip(results, states, strict=True)
            ]
        return results

    # -- plays -----------------------------------------------------------------------------------

    def best_plays(
        self,
        position: Position,
        dice: tuple[int, int],
        *,
        match: MatchState = MONEY,
        plies: int | None = None,
        filter: str | MoveFilter | None = None,
        count: int | None = None,
    ) -> Sequence[PlayAnalysis]:
        """Every legal play, best first; those the filter dropped stand behind, judged less deeply.

        count: how many to return, None for all.
        """
        depth = self._depth(plies)
        if depth == 0 and isinstance(position, Position) and self._ranks_alone(position, plies):
            _COUNT("count", count)
            if filter is not None:
                get_filter(filter)
            state = self._state(match)
            return static.rank(self._searcher, position, check_dice(dice), state, self.met, self.cube_model, count)
        request = PlayRequest(position, dice, match)
        return self.rank_plays_many([request], plies=plies, filter=filter, count=count)[0]

    def _ranks_alone(self, position: Position, plies: int | None) -> bool:
        """Whether one decision at 0-ply needs nothing that only searches of many can do."""
        if position.chequers <= hyper.MAX_CHEQUERS or position.chequers > MAX_CHEQUERS:
            return False
        rolled = plies is None and self.level.rollout is not None
        return not rolled and static.can_rank(self._searcher, self.cube_model)

    def rank_plays_many(
        self,
        requests: Sequence[PlayRequest],
        *,
        plies: int | None = None,
        filter: str | MoveFilter | None = None,
        count: int | None = 5,
        search_forced: bool = True,
        progress: ProgressHook | None = None,
    ) -> list[list[PlayAnalysis]]:
        """`best_plays` of many decisions in one batch; a play that must be included is searched as deep.

        search_forced: whether the only legal play is searched, too; without, it is judged statically.
        """
        depth = self._depth(plies)
        moves = get_filter(self.filter if filter is None else filter)
        requests = listed("requests", requests, PlayRequest)
        _COUNT("count", count)
        FLAG("search_forced", search_forced)
        CALL("progress", progress)
        if not requests:
            return []

        if self._is_for_cluster(depth, [request.position for request in requests]):
            from sixprime.engine import jobs

            work = jobs.PlaysJob(jobs.EngineSpec.of(self), depth, moves, count, search_forced)
            found = self._spread(work, requests, jobs.PLAYS[depth], progress)
            return self._finished_plays(requests, found, plies)
        boards = self._pack([request.position for request in requests])
        dice = np.array([check_dice(request.dice) for request in requests], dtype=np.int8)
        cubes, groups = _grouped([self._state(request.state).swapped() for request in requests])
        ranked = self._searcher.rank(
            boards,
            dice,
            cubes,
            groups,
            self.met,
            self.cube_model.swapped(),
            moves,
            depth,
            search_forced=search_forced,
            wanted=lambda after, offsets: self._wanted(requests, after, offsets),
            progress=progress,
        )
        shown, bests = [], []
        for i in range(len(requests)):
            order = ranked.order(i)
            best = order if count is None else order[:count]
            if ranked.wanted[i] >= 0 and ranked.wanted[i] not in best:
                best = np.append(best, ranked.wanted[i])
            shown.append(best)
            bests.append(ranked.equities[order[0]])
        which = np.concatenate(shown)
        public = iter(kernels.unpack(ranked.boards[which]))
        efficiencies = iter(
            self._effective(
                ranked.values[which], ranked.probabilities[which], ranked.groups[which], cubes, replies=True
            )
        )
        own = swap_outcomes(ranked.probabilities)
        answers = []
        for i, request in enumerate(requests):
            cube = cubes[groups[i]].swapped()
            answers.append(
                [
                    PlayAnalysis(
                        _play(request, next(public)),
                        _probabilities(own[j]),
                        float(ranked.equities[j]),
                        max(0.0, float(bests[i] - ranked.equities[j])),
                        float(ranked.cubeless[j]),
                        None if cube.money else float(to_mwc(ranked.equities[j], cube, self.met)),
                        int(ranked.judged[j]),
                        _number(next(efficiencies)),
                    )
                    for j in shown[i]
                ]
            )
        return self._finished_plays(requests, answers, plies)

    def _finished_plays(
        self, requests: Sequence[PlayRequest], answers: list[list[PlayAnalysis]], plies: int | None
    ) -> list[list[PlayAnalysis]]:
        """`answers` of a search, rolled out where the level says so and the call has no `plies` of its own."""
        if plies is not None or not self.level.rollout:
            return answers
        return [self._rolled_plays(*pair) for pair in zip(requests, answers, strict=True)]

    def _rolled_plays(self, request: PlayRequest, plays: list[PlayAnalysis]) -> list[PlayAnalysis]:
        """`plays` by the rollouts of the level."""
        from sixprime.engine import roller

        chosen = roller.in_question(plays)
        if not chosen or not self.level.rollout or request.position.chequers <= hyper.MAX_CHEQUERS:
            return plays
        moves = [analysis.play for analysis in chosen]
        result = self._level_rollout("plays", request.position, request.state.with_dice(None), request.dice, moves)
        return roller.rolled_plays(plays, chosen, result)

    def _wanted(
        self, requests: Sequence[PlayRequest], after: NDArray[np.int8], offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Row of the play that must be included for each request, -1 for none or an illegal one."""
        wanted = np.full(len(requests), -1, dtype=np.int64)
        for i, request in enumerate(requests):
            _PLAY("must_include", request.must_include)
            if request.must_include is not None:
                board = kernels.pack(request.must_include.result.board[None], request.position.chequers)[0]
                same = np.flatnonzero((after[offsets[i] : offsets[i + 1]] == board).all(axis=1))
                if len(same):
                    wanted[i] = offsets[i] + same[0]
        return wanted

    # -- cube ------------------------------------------------------------------------------------

    def cube_action(self, position: Position, *, match: MatchState = MONEY, plies: int | None = None) -> CubeAnalysis:
        """The cube decision of the player on roll, and the answer to a double."""
        return self.cube_many([(position, match)], plies=plies)[0]

    def cube_many(
        self,
        requests: Sequence[tuple[Position, MatchState]],
        *,
        plies: int | None = None,
        progress: ProgressHook | None = None,
    ) -> list[CubeAnalysis]:
        """`cube_action` of many positions in one batch."""
        depth = self._depth(plies)
        requests = [_pair(request) for request in listed("requests", requests, tuple, "a position and a match state")]
        CALL("progress", progress)
        if not requests:
            return []
        if self._is_for_cluster(depth, [position for position, _ in requests]):
            from sixprime.engine import jobs

            work = jobs.CubesJob(jobs.EngineSpec.of(self), depth)
            return self._finished_cubes(self._spread(work, requests, jobs.CUBES[depth], progress), plies)
        boards = self._pack([position for position, _ in requests])
        cubes, groups = _grouped([self._state(state) for _, state in requests])
        roots = [[cube, cube.doubled()] if cube.can_double else [cube] for cube in cubes]
        levels = expand_groups(roots, depth, self.met, model=self.cube_model)
        outputs, values = self._searcher.values(boards, groups, levels, progress)
        efficiencies = self._effective(values[:, 0], outputs, groups, cubes)
        answers = []
        for i, (position, state) in enumerate(requests):
            cube = cubes[groups[i]]
            answers.append(self._cube(position, state, cube, outputs[i], values[i], depth, _number(efficiencies[i])))
        return self._finished_cubes(answers, plies)

    def _finished_cubes(self, answers: list[CubeAnalysis], plies: int | None) -> list[CubeAnalysis]:
        """As `_finished_plays`; what is known exactly stays."""
        if plies is not None or not self.level.rollout:
            return answers
        known = self._codes(self._pack([answer.position for answer in answers]))
        return [
            answer if CLASS_NAMES[code] in _KNOWN else self._rolled_cube(answer)
            for answer, code in zip(answers, known, strict=True)
        ]

    def _rolled_cube(self, cube: CubeAnalysis) -> CubeAnalysis:
        """`cube` by the rollouts of the level."""
        kind: Kind = "cube" if cube.available else "position"
        from sixprime.engine import roller

        return roller.rolled_cube(cube, self._level_rollout(kind, cube.position, cube.state))

    def _cube(
        self,
        position: Position,
        state: MatchState,
        cube: CubeState,
        outcomes: NDArray[np.float64],
        values: NDArray[np.float64],
        plies: int,
        effective_x: float | None,
    ) -> CubeAnalysis:
        no_double = float(to_equity(values[0], cube, self.met))
        double_take, double_pass = no_double, 1.0
        if cube.can_double:
            double_take = 2 * float(values[1]) if cube.money else float(to_equity(values[1], cube, self.met))
        # When the game is over nobody doubles.
        offered = cube if position.winner is None else replace(cube, limit=cube.cube)
        verdict = decide(no_double, double_take, offered, double_pass=double_pass, gammons=bool(outcomes[1] > 0))
        mwc: list[float] | list[None] = [None] * 3
        if not cube.money:
            mwc = [float(to_mwc(equity, cube, self.met)) for equity in (no_double, double_take, double_pass)]
        return CubeAnalysis(
            position,
            state,
            _probabilities(outcomes),
            float(cubeless(outcomes, cube, self.met)),
            no_double,
            double_take,
            double_pass,
            mwc[0],
            mwc[1],
            mwc[2],
            plies=plies,
            take_points=take_points(outcomes.tolist(), cube, self.met) if verdict.available else None,
            effective_x=effective_x,
            **judged(verdict),
        )

    # -- rollouts --------------------------------------------------------------------------------

    def rollout(
        self,
        position: Position,
        *,
        match: MatchState = MONEY,
        settings: RolloutSettings = _ROLLOUT,
        progress: RolloutHook | None = None,
        executor: str | Executor | None = None,
        **changes: Any,
    ) -> RolloutResult:
        """Plays games from a position, the player on roll not doubling before his first roll.

        settings: how; changes: single settings, such as trials=5184 or seed=7; see `RolloutSettings`.
        progress: called with the rollout so far, now and then. executor: a cluster for this call, see `Engine`.
        Ctrl-C, or a cluster that is lost, ends it early with what is there; the result is then not `finished`; see
        `extend_rollout`. Raises SettingsError, InvalidPositionError, EngineError when nothing is there yet.
        """
        return self.on(executor)._rollout("position", position, match, None, (), settings, changes, progress)

    def rollout_plays(
        self,
        position: Position,
        dice: tuple[int, int],
        plays: Sequence[Play] | int = 5,
        *,
        match: MatchState = MONEY,
        settings: RolloutSettings = _ROLLOUT,
        progress: RolloutHook | None = None,
        executor: str | Executor | None = None,
        **changes: Any,
    ) -> RolloutResult:
        """Plays games after several plays of a roll, on the same dice. plays: which, or how many of the best.

        The rest as for `rollout`. Raises IllegalPlayError for a play of another position or roll.
        """
        dice = check_dice(dice)
        if not isinstance(plays, Iterable):
            _PLAYS("plays", plays)
            plays = [play.play for play in self.best_plays(position, dice, match=match, count=plays)]
        plays = [Play.between(position, dice, play.result) for play in listed("plays", plays, Play)]
        if not plays or len({play.result for play in plays}) < len(plays):
            raise SettingsError("plays must be at least one, and each only once.")
        return self.on(executor)._rollout("plays", position, match, dice, plays, settings, changes, progress)

    def rollout_cube(
        self,
        position: Position,
        *,
        match: MatchState = MONEY,
        settings: RolloutSettings = _ROLLOUT,
        progress: RolloutHook | None = None,
        executor: str | Executor | None = None,
        **changes: Any,
    ) -> RolloutResult:
        """Plays games after no double and after double, take, on the same dice. The rest as for `rollout`.

        Raises SettingsError when the player on roll cannot double.
        """
        if not CubeState.from_match(match).can_double:
            raise SettingsError("the player on roll cannot double; roll out the position instead.")
        return self.on(executor)._rollout("cube", position, match, None, (), settings, changes, progress)

    def extend_rollout(
        self,
        result: RolloutResult,
        *,
        progress: RolloutHook | None = None,
        executor: str | Executor | None = None,
        **changes: Any,
    ) -> RolloutResult:
        """Goes on with a rollout that was interrupted, or with other `trials` or limits; as if made in one go.

        Raises SettingsError for changes that would have made other trials, EngineError when another engine made them.
        """
        from sixprime.engine.rollout_result import RolloutResult

        Instance(RolloutResult)("result", result)
        CALL("progress", progress)
        if result.engine != self.fingerprint:
            raise EngineError(f"the rollout was made by {result.engine}; this engine is {self.fingerprint}")
        return self.on(executor)._advance(result, _changed(result.settings, changes), progress)

    @property
    def fingerprint(self) -> str:
        """What the trials of rollouts depend on beside their settings: program, net, tables, cube model and pruning."""
        side, pair = self.databases.one_sided, self.databases.two_sided[0]
        known = f"bear-off {side.points}x{side.chequers} and {pair.points}x{pair.chequers}"
        pruning = "" if self._searcher.keep else ", no pruning"
        cube = f"{self.met.name} {self.met.checksum}, {self.cube_model.name}"
        nets = f"net {self._checksums[0][:12]}, luck by {self._checksums[1][:12]}"
        return f"Sixprime {__version__} search {SEARCH}, {nets}, {cube}, {known}{pruning}"

    def _rollout(
        self,
        kind: Kind,
        position: Position,
        match: MatchState,
        dice: tuple[int, int] | None,
        plays: Sequence[Play],
        settings: RolloutSettings,
        changes: dict[str, Any],
        progress: RolloutHook | None,
        keep: bool = True,
    ) -> RolloutResult:
        from sixprime.engine.rollout_play import Trials
        from sixprime.engine.rollout_result import alternatives_of, make_result

        settings = _changed(settings, changes)
        CALL("progress", progress)
        if settings.initial and kind != "position":
            raise SettingsError("initial is for rollouts of a position, not of plays or cube decisions.")
        self._pack([position])
        if position.chequers <= hyper.MAX_CHEQUERS:
            raise InvalidPositionError("hypergammon is not rolled out: its database knows the answer")
        if not settings.cubeful and kind == "cube":
            raise SettingsError("a cube decision cannot be rolled out without cube.")
        alternatives = alternatives_of(kind, position, match, plays)
        raw = [Trials.empty() for _ in alternatives]
        result = make_result(
            kind, position, match, dice, settings, alternatives, raw, 0, self.fingerprint, False, self.met
        )
        return self._advance(result, settings, progress, keep)

    def _level_rollout(
        self,
        kind: Kind,
        position: Position,
        match: MatchState,
        dice: tuple[int, int] | None = None,
        plays: Sequence[Play] = (),
    ) -> RolloutResult:
        """A rollout as the level asks for: a judgement, so whole or none."""
        assert self.level.rollout is not None
        return self._rollout(kind, position, match, dice, plays, self.level.rollout, {}, None, keep=False)

    def _advance(
        self, result: RolloutResult, settings: RolloutSettings, progress: RolloutHook | None, keep: bool = True
    ) -> RolloutResult:
        from sixprime.engine.rollout import advance

        work = None
        if self.executor is not None:
            from sixprime.engine import jobs

            roots = [alternative.root for alternative in result.alternatives]
            spec = jobs.EngineSpec.of(self, clear=True)
            work = jobs.RolloutJob(spec, result.met, roots, settings, self.cube_model)
        return advance(result, settings, self._clear, self.cube_model, progress, self.executor, work, keep)

    # -- luck ------------------------------------------------------------------------------------

    def luck_many(self, requests: Sequence[tuple[Position, tuple[int, int], MatchState]]) -> list[float]:
        """Luck of rolls, in normalised equity of the roller: the value of the best play minus the mean over rolls.

        Static, cubeful. At the start of a game the roll also decides who begins: there the mean is over the 15
        rolls without a double of each side.
        """
        words = "a position, dice and a match state"
        requests = [_triple(request) for request in listed("requests", requests, tuple, words)]
        if not requests:
            return []
        starts = [i for i, (position, _, _) in enumerate(requests) if position in _STARTS]
        boards = self._pack([position for position, _, _ in requests])
        states = [self._state(state) for _, _, state in requests]
        cubes, groups = _grouped(states + [states[i].swapped() for i in starts])
        met, model = self.met, self.cube_model.swapped()
        replies = [cube.swapped() for cube in cubes]
        level = expand_groups([[cube] for cube in replies], 0, met, model=model, root_double=True)[0]
        rolls = self._clear.roll_values(np.concatenate((boards, boards[starts])), groups, level)
        values = [-np.asarray(to_equity(roll, replies[g], met)) for roll, g in zip(rolls, groups, strict=True)]
        means = [float(value @ kernels.ROLL_WEIGHTS) / 36 for value in values]
        single = kernels.ROLLS[:, 0] != kernels.ROLLS[:, 1]
        for k, i in enumerate(starts):
            means[i] = float(values[i][single].mean() - values[len(requests) + k][single].mean()) / 2
        lucks = []
        for i, (_, dice, _) in enumerate(requests):
            high, low = check_dice(dice)
            lucks.append(float(values[i][high * (high - 1) // 2 + low - 1]) - means[i])
        return lucks

    # -- a cluster -------------------------------------------------------------------------------

    def _is_for_cluster(self, plies: int, positions: Sequence[Position]) -> bool:
        """Whether this is work for a cluster. Static values are made faster than they are sent, and hypergammon is
        looked up in a database that workers may lack."""
        if self.executor is None or plies == 0:
            return False
        return all(position.chequers > hyper.MAX_CHEQUERS for position in positions)

    def _spread(
        self, work: Work[Sequence[T], list[R]], requests: Sequence[T], size: int, progress: ProgressHook | None
    ) -> list[R]:
        """The answers to all requests, made on the cluster by tasks of `size`."""
        assert self.executor is not None
        tasks = [requests[i : i + size] for i in range(0, len(requests), size)]
        answers: list[list[R]] = [[] for _ in tasks]
        done = 0
        for index, part in self.executor.map(work, tasks):
            answers[index] = part
            done += len(part)
            if progress:
                progress(done, len(requests))
        return [answer for part in answers for answer in part]

    # -- helpers ---------------------------------------------------------------------------------

    def _effective(
        self,
        values: NDArray[np.float64],
        outcomes: NDArray[np.float64],
        groups: NDArray[np.int32],
        cubes: Sequence[CubeState],
        *,
        replies: bool = False,
    ) -> NDArray[np.float64]:
        """Effective cube efficiencies of values; replies: of positions in which the side on roll may double."""
        level = expand_groups([[cube] for cube in cubes], 0, self.met, root_double=replies)[0]
        return level.effective_efficiency(values, outcomes, groups)

    def _state(self, match: MatchState) -> CubeState:
        """The cube and score of `match` seen by its player on roll."""
        return CubeState.from_match(match, alike=self._alike)

    def _depth(self, plies: int | None) -> int:
        return self.plies if plies is None else _checked_plies(plies)

    def _codes(self, boards: NDArray[np.int8]) -> NDArray[np.int8]:
        codes = np.empty(len(boards), dtype=np.int8)
        search.classify(boards, codes, self.databases.one_sided.points)
        if self.databases.beyond:
            races = np.flatnonzero(codes == search.RACE)
            codes[races[self.databases.hold(boards[races])]] = search.BEAROFF
        hyper.make_exact(boards, np.empty((len(boards), 5)), codes)
        return codes

    def _pack(self, positions: Sequence[Position]) -> NDArray[np.int8]:
        """Packed boards of positions. Raises `InvalidPositionError` for one that cannot be."""
        boards = np.zeros((len(positions), 32), dtype=np.int8)
        for i, position in enumerate(positions):
            _POSITION("position", position)
            position.check()
            if position.chequers > MAX_CHEQUERS:
                raise InvalidPositionError(f"a side has {position.chequers} chequers; {MAX_CHEQUERS} at most")
            boards[i] = kernels.pack(position.board[None], position.chequers)[0]
        return boards


_COMPILED = (
    ("sixprime.kernels.replies",),
    ("sixprime.nets.params", "sixprime.kernels.bearoff_build", "sixprime.cube.kernel"),
)
"""Groups of kernels of every engine, by the process that compiles them; the first one builds databases."""
_MONEY_CUBE = CubeState()
_DEFAULT = Preset("world class", 2)
_KNOWN = ("over", "bearoff-two-sided", "hypergammon")
"""Classes that are not rolled out: their values are exact."""
_STARTS = frozenset(Position.start(variant) for variant in VARIANTS)


_POSITION, _STATE, _SETTINGS = map(Instance, (Position, MatchState, RolloutSettings))
_MET, _DATABASES = Maybe(Instance(MatchEquityTable)), Maybe(Instance(Databases))
_NET = Maybe(Instance((str, os.PathLike, NetFile), "a name, a path or a NetFile"))
_MODEL = Instance((str, CubeModel), "a name or a CubeModel")
_PLAY = Maybe(Instance(Play))
_PRUNE, _NOISE_SEED, _THREADS = Maybe(FLAG), Maybe(SEED), Maybe(Whole(1, 1024))
_COUNT, _PLAYS = Maybe(Whole(0, 1 << 30)), Whole(1, 1 << 30)


def _pair(request: Any) -> tuple[Position, MatchState]:
    """A request for a cube decision. Raises SettingsError."""
    if len(request) != 2:
        refuse("a request", "a position and a match state", request)
    _POSITION("position", request[0])
    _STATE("match", request[1])
    return request[0], request[1]


def _triple(request: Any) -> tuple[Position, tuple[int, int], MatchState]:
    """A request for the luck of a roll. Raises SettingsError."""
    if len(request) != 3:
        refuse("a request", "a position, dice and a match state", request)
    position, dice, state = request
    return _pair((position, state))[0], check_dice(dice), state


def _changed(settings: RolloutSettings, changes: dict[str, Any]) -> RolloutSettings:
    _SETTINGS("settings", settings)
    unknown = sorted(changes.keys() - {field.name for field in fields(settings)})
    if unknown:
        raise SettingsError(f"unknown rollout setting {unknown[0]!r}.")
    return replace(settings, **changes)


def _checked_plies(plies: int) -> int:
    PLIES("plies", plies)
    return plies


def _play(request: PlayRequest, board: NDArray[np.int8]) -> Play:
    """The play of `request` that leads to a public board seen by the opponent."""
    after = Position.from_board(board, request.position.chequers)
    return Play.between(request.position, request.dice, after)


def _probabilities(outcomes: NDArray[np.float64]) -> tuple[float, float, float, float, float]:
    w, wg, wbg, lg, lbg = (float(x) for x in outcomes)
    return w, wg, wbg, lg, lbg


def _number(value: float) -> float | None:
    """The number as a Python float; None for NaN."""
    return None if np.isnan(value) else float(value)


def _grouped(cubes: Sequence[CubeState]) -> tuple[list[CubeState], NDArray[np.int32]]:
    """The distinct states, and for each item the index of its state."""
    index: dict[CubeState, int] = {}
    groups = np.array([index.setdefault(cube, len(index)) for cube in cubes], dtype=np.int32)
    return list(index), groups
