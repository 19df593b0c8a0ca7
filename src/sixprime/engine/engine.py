"""`Engine`: judges positions, plays and cube decisions, many at a time.

The single-position calls are batches of one. Nothing here keeps state between calls but the nets,
the databases and the threads, so an engine may be shared.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.bearoff import Databases
from sixprime.cube.decision import decide
from sixprime.cube.janowski import cubeless, to_equity, to_mwc, utility_weights
from sixprime.cube.market import take_points
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.met import load as load_met
from sixprime.cube.model import DEFAULT as DEFAULT_CUBE_MODEL
from sixprime.cube.model import CubeModel
from sixprime.cube.state import CubeState
from sixprime.cube.tree import expand_groups
from sixprime.engine import hyper
from sixprime.engine.filters import MoveFilter, get_filter
from sixprime.engine.plies import Searcher, swap_outcomes
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis
from sixprime.errors import InvalidPositionError, SettingsError
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.rules import check_dice
from sixprime.game.state import MONEY, MatchState
from sixprime.game.variants import VARIANTS
from sixprime.kernels import search
from sixprime.nets import file
from sixprime.nets.params import fold

MAX_PLIES = 4
MAX_CHEQUERS = 15
CLASS_NAMES = ("over", "bearoff-two-sided", "bearoff", "race", "crashed", "contact", "hypergammon")
KEEP = 6
"""Candidates that the pruning net leaves at inner nodes."""

ProgressHook = Callable[[int, int], None]
"""Called with (done, total) while a batch is worked on."""


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """A chequer play to judge: the best plays of `dice`, and `must_include` among the answers if given."""

    position: Position
    dice: tuple[int, int]
    state: MatchState = MONEY
    must_include: Play | None = None


class Engine:
    """Nets, databases, match equity table and threads, ready to judge.

    Hypergammon is looked up in its database (`sixprime.bearoff.hyper`). That of 3 chequers has to be built; without it
    the nets are asked, which know games of 15 chequers only: such numbers are not to be trusted.

    net: a network file or the name of one that ships ("small", "standard", "large"), None for the standard one.
    threads: None for all cores. plies, filter: what the calls use unless told otherwise. databases: None for
    the standard ones and all that lie in the user's data folder. cube_model: a model or a name for `CubeModel.named`.
    Raises `DataFileError` for a bad net, `SettingsError` for a bad setting.
    """

    def __init__(
        self,
        net: Path | str | None = None,
        *,
        threads: int | None = None,
        met: MatchEquityTable | None = None,
        plies: int = 2,
        filter: str | MoveFilter = "normal",
        prune: bool = True,
        databases: Databases | None = None,
        cube_model: str | CubeModel = DEFAULT_CUBE_MODEL,
    ) -> None:
        if threads is not None and threads < 1:
            raise SettingsError(f"threads must be at least 1. Got {threads!r} instead.")
        self.plies = _checked_plies(plies)
        self.filter = get_filter(filter)
        self.cube_model = CubeModel.named(cube_model) if isinstance(cube_model, str) else cube_model
        self.met = met or load_met()
        self._alike = self.met.is_symmetric
        self.net = file.load(net or file.DEFAULT)
        self.databases = databases or Databases.found()
        brain = search.Brain(
            fold(self.net.contact), fold(self.net.race), fold(self.net.pruner), self.databases.one_sided.arrays
        )
        self.threads = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None
        self._searcher = Searcher(brain, self.databases, KEEP if prune else 0, self.threads, self._pool)

    @property
    def brain(self) -> search.Brain:
        """The nets and tables as `sixprime.kernels.search` takes them, for work on whole arrays of boards."""
        return self._searcher.brain

    @property
    def searcher(self) -> Searcher:
        """The search over whole arrays of boards, under the calls of this class."""
        return self._searcher

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
        states = [match] * len(positions) if isinstance(match, MatchState) else list(match)
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
    ) -> list[PlayAnalysis]:
        """Every legal play, best first; those the filter dropped stand behind, judged less deeply.

        count: how many to return, None for all.
        """
        request = PlayRequest(position, dice, match)
        return self.rank_plays_many([request], plies=plies, filter=filter, count=count)[0]

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
        moves = get_filter(filter or self.filter)
        if not requests:
            return []

        # Step 1. Every legal play of every request, judged statically.
        boards = self._pack([request.position for request in requests])
        dice = np.array([check_dice(request.dice) for request in requests], dtype=np.int8)
        after, offsets, probabilities, codes = self._searcher.plays(boards, dice)
        cubes, request_groups = _grouped([self._state(request.state).swapped() for request in requests])
        groups = np.repeat(request_groups, np.diff(offsets)).astype(np.int32)
        met, model = self.met, self.cube_model.swapped()
        static = expand_groups([[cube] for cube in cubes], 0, met, model=model, root_double=True)
        values = self._searcher.static(after, probabilities, codes, groups, static[0])[:, 0]
        raw = values.copy()  # as the side on roll sees them, in match play as match-winning chances
        equities = _mover_equities(values, groups, cubes, met)
        cubeless_equities = -_cubeless(probabilities, groups, cubes, met)
        judged = np.zeros(len(after), dtype=np.int64)

        # Step 2. Filter and search deeper, level by level.
        alive = np.repeat((np.diff(offsets) > 1) | search_forced, np.diff(offsets))
        forced = self._wanted(requests, after, offsets)
        for ply in range(1, depth + 1):
            level = moves.level(ply - 1, depth)
            if level is not None:
                for i in range(len(requests)):
                    part = np.arange(offsets[i], offsets[i + 1])
                    part = part[alive[part]]
                    if len(part) < 2:
                        continue
                    order = part[np.lexsort((-cubeless_equities[part], -_rounded(equities[part])))]
                    alive[order[level.survivors(equities[order]) :]] = False
                    if forced[i] >= 0:
                        alive[forced[i]] = True
            if ply < depth and moves.level(ply, depth) is None:
                continue
            which = np.flatnonzero(alive)
            levels = expand_groups([[cube] for cube in cubes], ply, met, model=model, root_double=True)
            deep, found = self._searcher.values(after[which], groups[which], levels, progress if ply == depth else None)
            probabilities[which], raw[which] = deep, found[:, 0]
            equities[which] = _mover_equities(found[:, 0], groups[which], cubes, met)
            cubeless_equities[which] = -_cubeless(deep, groups[which], cubes, met)
            judged[which] = ply

        # Step 3. Best first; a play judged less deeply never stands above one judged deeper. Where the cube makes
        # plays equal (the opponent doubles, all is passed), cubeless equity decides.
        shown, bests = [], []
        for i in range(len(requests)):
            part = np.arange(offsets[i], offsets[i + 1])
            order = part[np.lexsort((-cubeless_equities[part], -_rounded(equities[part]), -judged[part]))]
            best = order if count is None else order[:count]
            if forced[i] >= 0 and forced[i] not in best:
                best = np.append(best, forced[i])
            shown.append(best)
            bests.append(equities[order[0]])
        which = np.concatenate(shown)
        public = iter(kernels.unpack(after[which]))
        efficiencies = iter(self._effective(raw[which], probabilities[which], groups[which], cubes, replies=True))
        own = swap_outcomes(probabilities)
        answers = []
        for i, request in enumerate(requests):
            cube = cubes[request_groups[i]].swapped()
            answers.append(
                [
                    PlayAnalysis(
                        _play(request, next(public)),
                        _probabilities(own[j]),
                        float(equities[j]),
                        max(0.0, float(bests[i] - equities[j])),
                        float(cubeless_equities[j]),
                        None if cube.money else float(to_mwc(equities[j], cube, self.met)),
                        int(judged[j]),
                        _number(next(efficiencies)),
                    )
                    for j in shown[i]
                ]
            )
        return answers

    def _wanted(
        self, requests: Sequence[PlayRequest], after: NDArray[np.int8], offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Row of the play that must be included for each request, -1 for none or an illegal one."""
        wanted = np.full(len(requests), -1, dtype=np.int64)
        for i, request in enumerate(requests):
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
        if not requests:
            return []
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
        return answers

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
        verdict = decide(no_double, double_take, cube, double_pass=double_pass, gammons=bool(outcomes[1] > 0))
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
            verdict.available,
            verdict.should_double,
            verdict.should_take,
            verdict.should_beaver,
            verdict.too_good,
            verdict.text,
            plies,
            verdict.wrong_share,
            take_points(outcomes.tolist(), cube, self.met) if verdict.available else None,
            effective_x,
        )

    # -- luck ------------------------------------------------------------------------------------

    def luck_many(self, requests: Sequence[tuple[Position, tuple[int, int], MatchState]]) -> list[float]:
        """Luck of rolls, in normalised equity of the roller: the value of the best play minus the mean over rolls.

        Static, cubeful. At the start of a game the roll also decides who begins: there the mean is over the 15
        rolls without a double of each side.
        """
        if not requests:
            return []
        starts = [i for i, (position, _, _) in enumerate(requests) if position in _STARTS]
        boards = self._pack([position for position, _, _ in requests])
        states = [self._state(state) for _, _, state in requests]
        cubes, groups = _grouped(states + [states[i].swapped() for i in starts])
        met, model = self.met, self.cube_model.swapped()
        replies = [cube.swapped() for cube in cubes]
        level = expand_groups([[cube] for cube in replies], 0, met, model=model, root_double=True)[0]
        rolls = self._searcher.roll_values(np.concatenate((boards, boards[starts])), groups, level)
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
            status = position.status()
            if status or position.chequers > MAX_CHEQUERS:
                reason = status.name if status else f"more than {MAX_CHEQUERS} chequers"
                raise InvalidPositionError(f"{position!r} cannot be evaluated: {reason}")
            boards[i] = kernels.pack(position.board[None], position.chequers)[0]
        return boards


_MONEY_CUBE = CubeState()
_STARTS = frozenset(Position.start(variant) for variant in VARIANTS)


def _checked_plies(plies: int) -> int:
    if not isinstance(plies, int) or not 0 <= plies <= MAX_PLIES:
        raise SettingsError(f"plies must be an integer from 0 to {MAX_PLIES}. Got {plies!r} instead.")
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


def _rounded(equities: NDArray[np.float64]) -> NDArray[np.float64]:
    """Equities without the rounding errors of their computation, so that equal ones compare equal."""
    return np.round(equities, 6)


def _cubeless(
    outputs: NDArray[np.float64], groups: NDArray[np.int32], cubes: Sequence[CubeState], met: MatchEquityTable
) -> NDArray[np.float64]:
    """Cubeless equities `[N]` of outcomes `[N, 5]` at each row's state."""
    rows = [utility_weights(cube, met) for cube in cubes]
    weights, constants = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    return np.asarray((outputs * weights[groups]).sum(axis=1) + constants[groups])


def _grouped(cubes: Sequence[CubeState]) -> tuple[list[CubeState], NDArray[np.int32]]:
    """The distinct states, and for each item the index of its state."""
    index: dict[CubeState, int] = {}
    groups = np.array([index.setdefault(cube, len(index)) for cube in cubes], dtype=np.int32)
    return list(index), groups


def _mover_equities(
    values: NDArray[np.float64], groups: NDArray[np.int32], cubes: Sequence[CubeState], met: MatchEquityTable
) -> NDArray[np.float64]:
    """Normalised equities of the side that has moved, from values of the side on roll after it."""
    equities = np.empty(len(values))
    for g, cube in enumerate(cubes):
        mask = groups == g
        equities[mask] = -to_equity(values[mask], cube, met)
    return equities
