"""Playing the games of a rollout, in lockstep: all trials of a task advance one turn at a time.

A task is some trials of one alternative. Its results depend only on the alternative, the settings and the trial
numbers, so tasks may run anywhere, in any order, and again.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.fitted import DEFAULT
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.model import CubeModel
from sixprime.cube.tree import doubles
from sixprime.cube.values import Unit, opposite, swapped, swapped_change
from sixprime.engine import rollout_kernel as kernel
from sixprime.engine.filters import get_filter
from sixprime.engine.noise import Noise
from sixprime.engine.plies import Searcher, position_keys
from sixprime.engine.rollout_cubes import CubeTable, Root
from sixprime.engine.rollout_dice import Dice
from sixprime.engine.rollout_settings import PlayerSettings, RolloutSettings
from sixprime.engine.trials import CUT, FINISHED, INDEX, KNOWN, PASSED, Trials
from sixprime.kernels import search
from sixprime.kernels._block import scratch_of
from sixprime.progress import Stop, Watch

LUCK_KEEP, PLAY_KEEP = 5, 6
"""Candidates that the small net judges in the lookahead for luck, and that it leaves to the full net at plays: more
hardly lower the standard error, and hardly change the plays (0.1 mEMG a decision)."""
LONGEST = 2000
"""Turns after which a game is cut and judged; no game of sane players gets there."""

_PREFIX = "", "their_"
_HOME = np.arange(1, 7, dtype=np.int16)
_PIPS = np.where(kernels.ROLLS[:, 0] == kernels.ROLLS[:, 1], 2, 1) * kernels.ROLLS.sum(axis=1)
"""Pips of the 21 rolls."""
_ROLL_OF = np.array([max(a, b) * (max(a, b) + 1) // 2 + min(a, b) for a in range(6) for b in range(6)])


@dataclass
class RolloutGames:
    """Games in progress; everything about positions is seen by the side on roll."""

    lanes: NDArray[np.int64]  # rows of the results
    numbers: NDArray[np.int64]  # of the trials
    boards: NDArray[np.int8]
    codes: NDArray[np.int8]
    outcomes: NDArray[np.float64]
    groups: NDArray[np.int32]
    luck: NDArray[np.float64]  # [N, 6] so far, seen by side 0
    weights: NDArray[np.float64]  # share of a branch in its trial
    branches: NDArray[np.int64]  # numbers of branches: that of the branch they come from, and a digit more; 1 at first
    main: NDArray[np.bool_]  # the branch that is counted, and that has the trial's own dice

    def only(self, kept: NDArray[np.bool_]) -> RolloutGames:
        return self if kept.all() else self.take(kept)

    def take(self, which: NDArray[Any]) -> RolloutGames:
        """The games of an index or mask."""
        return RolloutGames(*(getattr(self, name)[which] for name in self.__dataclass_fields__))


def _branched(games: RolloutGames, times: NDArray[np.int64]) -> RolloutGames:
    """Each game as often as `times` says, the first copy as it was, the others with numbers of their own."""
    index = np.repeat(np.arange(len(times)), times)
    copy = np.arange(len(index)) - np.repeat(np.cumsum(times) - times, times)
    branched = games.take(index)
    several = times[index] > 1
    branched.weights[:] /= times[index]
    branched.branches[several] = branched.branches[several] * 64 + copy[several]
    branched.main[:] &= copy == 0
    return branched


class RolloutPlayer:
    """Plays trials of one alternative."""

    def __init__(
        self,
        searcher: Searcher,
        met: MatchEquityTable,
        root: Root,
        settings: RolloutSettings,
        model: CubeModel = DEFAULT,
    ) -> None:
        # A task has one thread; several run side by side.
        self.searcher = replace(searcher, threads=1, pool=None)
        # Where games are cut and judged, luck by the same net cancels most of its errors.
        self.quick = searcher.brain if searcher.quick is None or settings.truncation else searcher.quick
        self.pairs = searcher.databases.two_sided[0].arrays
        self.root, self.settings = root, settings
        self.dice = Dice(settings.seed, rotate=settings.rotate, initial=settings.initial)
        cube = root.cube
        if not settings.cubeful:
            # A cube that may not be turned, with gammons counted.
            cube = replace(cube, limit=cube.cube, jacoby=False)
        self.table = CubeTable(cube, met, model.swapped() if root.played else model)

    def play(self, first: int, last: int, stop: Stop | None = None) -> Trials:
        """Trials `first` to `last - 1`. Raises StoppedError within a tenth of a second once `stop` is set."""
        stopping = copy.copy(self)
        stopping.searcher = replace(self.searcher, watch=Watch(stop=stop))
        return stopping._play(first, last)

    def _play(self, first: int, last: int) -> Trials:
        count = last - first
        results = Trials.empty(count)
        results.values[:] = 0.0
        games = self._begin(first, count)
        turn = 0
        games = self._end_known(games, turn, results)
        while len(games.lanes):
            self.searcher.watch.check()
            side = turn & 1
            if self.settings.cubeful and (turn > 0 or self.root.played):
                games = self._offer_cube(games, side, turn, results)
                if not len(games.lanes):
                    break
            games = self._roll(games, side, turn, results)
            turn += 1
            games = self._end_known(games, turn, results)
        return results

    def _begin(self, first: int, count: int) -> RolloutGames:
        boards = np.repeat(self.root.board[None], count, axis=0)
        codes, outcomes = self._judged(boards[:1])
        lanes = np.arange(count)
        return RolloutGames(
            lanes=lanes,
            numbers=first + lanes,
            boards=boards,
            codes=np.repeat(codes, count),
            outcomes=np.repeat(outcomes, count, axis=0),
            groups=np.zeros(count, dtype=np.int32),
            luck=np.zeros((count, 6)),
            weights=np.ones(count),
            branches=np.ones(count, dtype=np.int64),
            main=np.ones(count, dtype=bool),
        )

    def _judged(self, boards: NDArray[np.int8]) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
        """Classes `int8[N]` and outcomes `float64[N, 5]` of boards `int8[N, 32]`, for the side on roll."""
        codes, outputs = np.empty(len(boards), dtype=np.int8), np.empty((len(boards), 5), dtype=np.float32)
        search.judge(self.searcher.brain, boards, outputs, codes)
        outcomes = outputs.astype(np.float64)
        kernel.settle_all(self.pairs, np.empty(4), boards, codes, outcomes)
        return codes, outcomes

    # -- one turn --------------------------------------------------------------------------------

    def _offer_cube(self, games: RolloutGames, side: int, turn: int, results: Trials) -> RolloutGames:
        """The mover doubles where that is right; games that end by a pass are taken out."""
        cubes = self.table.cubes[side]
        able = np.flatnonzero(cubes.double[games.groups] >= 0)
        if not len(able):
            return games
        drop = cubes.pass_value[games.groups[able]]
        players = self._player(side, turn), self._player(1 - side, turn)
        keep, take = self._cube_values(games, able, side, players[0])
        doubled = doubles(keep, take, drop)
        accepted = take <= drop
        depths = [(player.cube_plies, player.noise) for player in players]
        if depths[0] != depths[1] and doubled.any():
            # The answer is his who is doubled.
            _, take = self._cube_values(games, able[doubled], side, players[1])
            accepted[doubled] = take <= drop[doubled]
        passed = np.zeros(len(games.lanes), dtype=bool)
        passed[able] = doubled & ~accepted
        taken = able[doubled & accepted]
        column = INDEX["doubles" if side == 0 else "their_doubles"]
        lanes = games.lanes[able[doubled & games.main[able]]]
        results.counts[lanes, column] += 1
        first = INDEX["first_double"]
        results.counts[lanes[results.counts[lanes, first] == 0], first] = turn + 1
        if len(taken):
            counted = taken[games.main[taken]]
            results.counts[games.lanes[counted], INDEX["doublings"]] += 1
            games.groups[taken] = self.table.turned(games.groups[taken], side)
        if passed.any():
            ended = games.only(passed)
            points = np.full(len(ended.lanes), 1 if side == 0 else -1)
            self._finish(ended, side, turn, PASSED, cubes.pass_value[ended.groups], results, points)
        if self.settings.branches > 1 and len(taken):
            times = np.ones(len(games.lanes), dtype=np.int64)
            before = self.table.takes(games.groups[taken])
            times[taken] = np.where(before == 2, self.settings.branches, np.where(before > 2, 2, 1))
            times[passed] = 0
            return _branched(games, times)
        return games.only(~passed)

    def _cube_values(
        self, games: RolloutGames, which: NDArray[np.int64], side: int, player: PlayerSettings
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What `side`, who may double, has without and after a double that is taken, as a player judges it."""
        asked = games.take(which)
        if player.cube_plies == 0 and not player.noise and self.table.plain:
            return self._static_cube(asked, side)
        levels = self.table.decisions(side, player.cube_plies)
        _, values = self._as(player).values(asked.boards, asked.groups, levels)
        return values[:, 0], values[:, 1] * self.table.cubes[side].stake[asked.groups]

    def _static_cube(self, games: RolloutGames, side: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """`_cube_values` without search, by a plain model."""
        cubes, values = self.table.cubes[side], np.empty((len(games.lanes), 2))
        scratch = np.empty(4), np.empty(5)
        kernel.cube_values(self.pairs, cubes, *scratch, games.boards, games.codes, games.outcomes, games.groups, values)
        return values[:, 0], values[:, 1]

    def _roll(self, games: RolloutGames, side: int, turn: int, results: Trials) -> RolloutGames:
        """The mover rolls and plays; afterwards the other side is on roll."""
        count = len(games.lanes)
        rolls = _ROLL_OF[self._throws(games, turn)]
        player = self._player(side, turn)
        # Step 1. Replies, and the luck of the rolls.
        luck = np.zeros((count, 6))
        after = np.empty_like(games.boards)
        codes = np.empty(count, dtype=np.int8)
        outcomes = np.empty((count, 5))
        kernel.turns(
            self.searcher.brain,
            self.quick,
            self.pairs,
            self.table.cubes[1 - side],
            scratch_of(kernel.make_desk, self.searcher.brain, self.quick),
            games.boards,
            games.groups,
            np.argsort(position_keys(games.boards, games.groups)),
            rolls,
            self._shares(turn),
            LUCK_KEEP,
            PLAY_KEEP,
            player.plies == 0 and not player.noise,
            luck,
            after,
            codes,
            outcomes,
        )
        if player.plies > 0 or player.noise:
            after = self._search_plays(games, rolls, side, player)
            codes, outcomes = self._judged(after)

        # Step 2. Luck, seen by side 0 in units of the root's cube.
        luck[:, 5] *= self.table.ratios[games.groups]
        if side == 0:
            luck = np.column_stack((swapped_change(luck[:, :5]), opposite(luck[:, 5])))
        games.luck += luck

        self._count(games, rolls, after, side, turn, results)
        return replace(games, boards=after, codes=codes, outcomes=outcomes)

    def _throws(self, games: RolloutGames, turn: int) -> NDArray[np.int64]:
        """The throw of each game, 0 to 35; branches beside the main one have dice of their own."""
        throws = self.dice.throws(games.numbers, turn)
        aside = np.flatnonzero(~games.main)
        if len(aside):
            throws[aside] = self.dice.branch_throws(games.numbers[aside], turn, games.branches[aside])
        return throws

    def _count(
        self,
        games: RolloutGames,
        rolls: NDArray[np.int64],
        after: NDArray[np.int8],
        side: int,
        turn: int,
        results: Trials,
    ) -> None:
        """Hits, closeouts and bear-offs of a turn that leads to the boards `after`."""
        main = games.main
        before, after, counts, lanes = games.boards[main], after[main], results.counts, games.lanes[main]

        def add(name: str, amounts: Any) -> None:
            counts[lanes, INDEX[_PREFIX[side] + name]] += amounts

        def first(name: str, happened: NDArray[np.bool_]) -> None:
            column = INDEX[_PREFIX[side] + name]
            fresh = lanes[happened]
            counts[fresh[counts[fresh, column] == 0], column] = turn + 1

        hits = after[:, 25].astype(np.int16) - before[:, 0]
        add("hits", hits)
        first("first_hit", hits > 0)
        closed = (after[:, 25] > 0) & (after[:, 19:25] <= -2).all(axis=1)
        add("closeouts", closed)
        first("first_closeout", closed)
        home = (before[:, 7:26] <= 0).all(axis=1)
        if home.any():
            moved = np.maximum(before[:, 1:7], 0) @ _HOME - np.maximum(-after[:, 24:18:-1], 0) @ _HOME
            add("bearoff_turns", home)
            add("pips_lost", np.where(home, _PIPS[rolls[main]] - moved, 0))

    def _shares(self, turn: int) -> NDArray[np.float64]:
        """Chances of the 21 rolls at a turn; empty without variance reduction."""
        if not self.settings.variance_reduction:
            return np.empty(0)
        if self.settings.initial and turn == 0:
            return np.where(kernels.ROLL_WEIGHTS == 2, 1.0 / 15.0, 0.0)
        return kernels.ROLL_WEIGHTS / 36.0

    def _player(self, side: int, turn: int) -> PlayerSettings:
        """How `side` (0: on roll at the root) decides at a turn."""
        return self.settings.player(side ^ self.root.played, turn)

    def _as(self, player: PlayerSettings) -> Searcher:
        """The search as a player's: with his noise, the same at every position all through the rollout."""
        if not player.noise:
            return self.searcher
        return replace(self.searcher, noise=Noise(player.noise, self.settings.seed))

    def _search_plays(
        self, games: RolloutGames, rolls: NDArray[np.int64], side: int, player: PlayerSettings
    ) -> NDArray[np.int8]:
        """Boards after the best plays by search, seen by the side then on roll."""
        ranked = self._as(player).rank(
            games.boards,
            kernels.ROLLS[rolls],
            self.table.states[1 - side],
            games.groups,
            self.table.met,
            self.table.models[1 - side],
            get_filter(player.filter),
            player.plies,
            search_forced=False,
        )
        return np.asarray(ranked.boards[ranked.best(1)[0]])

    # -- ends ------------------------------------------------------------------------------------

    def _end_known(self, games: RolloutGames, turn: int, results: Trials) -> RolloutGames:
        """Takes out games whose value is known or that are long enough; all before the mover's cube decision."""
        settings, side = self.settings, turn & 1
        if not len(games.lanes):
            return games
        over = games.codes == search.OVER
        known = np.zeros(len(over), dtype=bool)
        if settings.bearoff_exact and (self.table.money or not settings.cubeful):
            known |= games.codes == search.BEAROFF_TWO_SIDED
        if settings.bearoff_one_sided and not settings.cubeful:
            known |= (games.codes == search.BEAROFF) | (games.codes == search.BEAROFF_TWO_SIDED)
        limit = settings.truncation or LONGEST
        cut = ~(over | known) if turn >= limit else np.zeros(len(over), dtype=bool)
        done = over | known | cut
        if not done.any():
            return games
        if over.any():
            ended = games.only(over)
            outcomes = ended.outcomes
            points = np.rint(outcomes[:, 0] + outcomes[:, 1] + outcomes[:, 2])
            points -= np.rint((1.0 - outcomes[:, 0]) + outcomes[:, 3] + outcomes[:, 4])
            if side == 1:
                points = -points
            self._finish(ended, side, turn, FINISHED, self._static(ended, side, turn), results, points)
        if known.any():
            ended = games.only(known)
            self._finish(ended, side, turn, KNOWN, self._static(ended, side, turn), results)
        if cut.any():
            ended = games.only(cut)
            if settings.truncation_plies > 0:
                levels = self.table.values(side, settings.truncation_plies)
                outcomes, values = self.searcher.values(ended.boards, ended.groups, levels)
                ended.outcomes[:] = outcomes
                self._finish(ended, side, turn, CUT, values[:, 0], results)
            else:
                self._finish(ended, side, turn, CUT, self._static(ended, side, turn), results)
        return games.only(~done)

    def _static(self, games: RolloutGames, side: int, turn: int) -> NDArray[np.float64]:
        """Static values for the side on roll, who may double, except at the root where the alternative forbids it."""
        may_double = turn > 0 or self.root.played
        if not self.table.plain:
            levels = self.table.values(side, 0) if may_double else self.table.decisions(side, 0)
            return self.searcher.values(games.boards, games.groups, levels)[1][:, 0]
        keep, take = self._static_cube(games, side)
        if not may_double:
            return keep
        drop = self.table.cubes[side].pass_value[games.groups]
        return np.where(doubles(keep, take, drop), np.minimum(take, drop), keep)

    def _finish(
        self,
        games: RolloutGames,
        side: int,
        turn: int,
        ending: int,
        values: NDArray[np.float64],
        results: Trials,
        points: NDArray[Any] | None = None,
    ) -> None:
        """Writes the results of games that end with `values` for the side on roll; points: of side 0, if it is over."""
        outcomes = games.outcomes
        if side == 1:
            outcomes = swapped(outcomes)
            values = opposite(values, Unit.EQUITY if self.table.money else Unit.MWC)
        values = values * self.table.ratios[games.groups] - games.luck[:, 5]
        # Several branches of a trial are added in the order in which they end.
        np.add.at(results.outcomes, games.lanes, games.weights[:, None] * (outcomes - games.luck[:, :5]))
        np.add.at(results.values, games.lanes, games.weights * values)
        lanes = games.lanes[games.main]
        results.counts[lanes, INDEX["ending"]] = ending
        results.counts[lanes, INDEX["turns"]] = turn
        if points is not None:
            results.counts[lanes, INDEX["points"]] = points[games.main]
