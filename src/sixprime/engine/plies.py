"""Search: n-ply values of many positions at once, breadth first.

A level holds all positions of a batch at the same depth. One kernel call finds the best reply of all 21
rolls of all of them; values come back level by level as means over the rolls, with the cube turned where
that is right (`cube.tree`). Replies inside the tree are chosen by cubeless equity at the score, in bear-offs by
static cubeful value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.bearoff import Databases
from sixprime.checks import array
from sixprime.cube.janowski import CLASSIC
from sixprime.cube.kernel import TERMS
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.model import CubeModel, groups_of
from sixprime.cube.state import CubeState
from sixprime.cube.tree import Level, expand_groups
from sixprime.cube.values import MONEY_WEIGHTS, opposite, to_equities, utility_weights
from sixprime.engine import filters, hyper, value_kernel
from sixprime.engine.filters import MoveFilter
from sixprime.engine.memo import Memo, Replies
from sixprime.engine.noise import Noise
from sixprime.engine.rolls import rolls_of
from sixprime.engine.value_kernel import Cubes, Tree
from sixprime.engine.volatility import jump_volatilities
from sixprime.errors import StoppedError
from sixprime.kernels import search
from sixprime.kernels.replies import best_replies, end_replies
from sixprime.progress import NOBODY, Left, Watch

T = TypeVar("T")
Arrays = TypeVar("Arrays", bound=tuple[NDArray[Any], ...])
CHUNK = {0: 16384, 1: 1024, 2: 64, 3: 8, 4: 1}
"""Positions per task by plies: some ten thousand leaves, about 10 MB."""
SLICE = 512
"""Positions whose replies one call of a kernel finds, some 50 ms of work: between two, a search can be stopped."""
LAST_KEEP, FINE = 4, 1
"""Candidates of a last reply that the pruning net leaves, and of these a quicker net for the engine's own."""
END_KEEP = 4
"""Plays of a bear-off that are compared by cubeful value, the best cubeless, where there is pruning."""
STATIC_SHARE = 0.3
"""What the static judgement of plays with contact counts in that of a search of one ply. There whoever made the play is
on roll again; such positions the net compares less well, and where both judgements err by something else, their mean
errs less (docs/search.md). Filters within a deeper search go by what one ply says alone."""
_UNKNOWN = np.full(4, np.nan)
_OPEN = frozenset((search.RACE, search.CRASHED, search.CONTACT))
"""Classes of positions that no standard database knows."""
JACOBY_GAMMONS = 0.7
"""Weight of gammons in replies while the cube is centred under the Jacoby rule: it may yet be turned."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The M legal plays of N decisions.

    boards: `int8[M, 32]` after the plays and probabilities: `float64[M, 5]`, seen by the side then on roll; offsets:
    `int64[N + 1]`; groups: `int32[M]`; values: `float64[M]` as that side sees them in matches as chances;
    equities, cubeless: `float64[M]`, normalised, of the mover; judged: `int64[M]`, plies;
    wanted: `int64[N]`, the play of each decision that had to be searched, -1 for none.
    """

    boards: NDArray[np.int8]
    offsets: NDArray[np.int64]
    groups: NDArray[np.int32]
    probabilities: NDArray[np.float64]
    values: NDArray[np.float64]
    equities: NDArray[np.float64]
    cubeless: NDArray[np.float64]
    judged: NDArray[np.int64]
    wanted: NDArray[np.int64]

    def best(self, count: int | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows `int64[K]` of the plays that are told of every decision, best first, and how many they are, `int64[N]`.

        count: how many to tell, None for all; a play that had to be searched is told in any case. A play judged less
        deeply never stands above one judged deeper. Where the cube makes plays equal (the opponent doubles, all is
        passed), cubeless equity decides.
        """
        decision = np.repeat(np.arange(len(self.wanted)), np.diff(self.offsets))
        order = np.lexsort((-self.cubeless, -_rounded(self.equities), -self.judged, decision))
        if count is None:
            return order, np.diff(self.offsets)
        told = np.arange(len(order)) - self.offsets[decision] < count
        told |= order == self.wanted[decision]
        return order[told], np.bincount(decision[told], minlength=len(self.wanted))


@dataclass(frozen=True, slots=True)
class Searcher:
    """What a search needs.

    keep: candidates the pruning net leaves at inner nodes, 0 for no pruning. noise: added to static outcomes, None
    for none; inside the search replies are chosen without it. quick: a faster brain, None for the same: with pruning
    its net leaves `FINE` candidates at the last ply, and in rollouts to the end it judges the luck. memo: of replies by
    this brain and this quick one; another pair needs another. rolls: how many of the 21 are looked at beyond the first
    ply, one of `rolls.COUNTS`. watch: is told how far the last ply of a search is and may stop it: a search then raises
    StoppedError within a tenth of a second.
    """

    brain: search.Brain
    databases: Databases
    keep: int
    threads: int
    pool: ThreadPoolExecutor | None
    noise: Noise | None = None
    quick: search.Brain | None = None
    memo: Memo = field(default_factory=Memo, compare=False, repr=False)
    rolls: int = 21
    watch: Watch = field(default=NOBODY, compare=False, repr=False)

    def judge(self, boards: NDArray[np.int8]) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
        """Static outcomes `float64[N, 5]` and classes `int8[N]` of boards `int8[N, 32]`. Raises SettingsError for other
        arrays, and for what are no boards."""
        boards = array("boards", boards, np.int8, None, kernels.WIDTH)
        solved = hyper.judge(self.databases, boards)
        if solved is not None:
            return solved
        outputs = np.empty((len(boards), 5), dtype=np.float32)
        codes = np.empty(len(boards), dtype=np.int8)
        search.judge(self.brain, boards, outputs, codes)
        exact = outputs.astype(np.float64)
        self._make_exact(boards, exact, codes)
        return exact, codes

    def classes(self, boards: NDArray[np.int8]) -> NDArray[np.int8]:
        """Classes `int8[N]` of boards `int8[N, 32]`. Raises SettingsError as `judge`."""
        boards = array("boards", boards, np.int8, None, kernels.WIDTH)
        codes = np.empty(len(boards), dtype=np.int8)
        search.classify(boards, codes, self.databases.one_sided.points)
        if self.databases.beyond:
            races = np.flatnonzero(codes == search.RACE)
            codes[races[self.databases.hold(boards[races])]] = search.BEAROFF
        hyper.make_exact(self.databases, boards, np.empty((len(boards), 5)), codes)
        return codes

    def values(
        self,
        boards: NDArray[np.int8],
        groups: NDArray[np.int32],
        levels: list[Level],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Outcomes `[N, 5]` and values `[N, Q]` of positions, `len(levels) - 1` plies deep.

        boards: `int8[N, 32]`, seen by the side on roll; groups: `int32[N]`, whose states `levels` hold. Raises
        SettingsError as `judge`, and for groups that are not there.
        """
        boards = array("boards", boards, np.int8, None, kernels.WIDTH)
        groups = groups_of(groups, len(boards), len(levels[0].keep))
        plies = len(levels) - 1

        def work(one: Searcher, part: slice) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            one.watch.check()
            if plies and _OPEN.issuperset(one.classes(boards[part]).tobytes()):
                return one._searched(boards[part], groups[part], levels, 0, False)
            outputs, codes = one.judge(boards[part])
            return one._descend(boards[part], outputs, codes, groups[part], levels, 0)

        if not len(boards):
            return np.empty((0, 5)), np.empty((0, levels[0].keep.shape[1]))
        results = self._in_parts(work, len(boards), CHUNK[plies], f"positions at {plies}-ply")
        return np.concatenate([r[0] for r in results]), np.concatenate([r[1] for r in results])

    def plays(
        self, boards: NDArray[np.int8], dice: NDArray[np.int8]
    ) -> tuple[NDArray[np.int8], NDArray[np.int64], NDArray[np.float64], NDArray[np.int8]]:
        """Every legal play of one roll each, judged statically.

        boards: `int8[N, 32]`; dice: `int8[N, 2]`. Returns boards `int8[M, 32]` after the plays, seen by the side then
        on roll, offsets `int64[N + 1]`, outcomes `float64[M, 5]` for that side and classes `int8[M]`. Raises
        SettingsError for other arrays, and for what are no boards or dice.
        """
        boards = array("boards", boards, np.int8, None, kernels.WIDTH)
        dice = array("dice", dice, np.int8, len(boards), 2)
        parts = self._in_parts(lambda one, part: one._plays(boards[part], dice[part]), len(boards), CHUNK[1])
        counts = np.concatenate([np.diff(part[1]) for part in parts])
        return (
            np.concatenate([part[0] for part in parts]),
            np.concatenate(([0], np.cumsum(counts))),
            np.concatenate([part[2] for part in parts]),
            np.concatenate([part[3] for part in parts]),
        )

    def _plays(
        self, boards: NDArray[np.int8], dice: NDArray[np.int8]
    ) -> tuple[NDArray[np.int8], NDArray[np.int64], NDArray[np.float64], NDArray[np.int8]]:
        """`plays` on this thread alone."""
        self.watch.check()
        results, offsets = kernels.legal_plays(boards, dice)
        after = kernels.swap(results)
        solved = hyper.judge(self.databases, after)
        if solved is not None:
            return after, offsets, *solved
        outputs = np.empty((len(results), 5), dtype=np.float32)
        codes = np.empty(len(results), dtype=np.int8)
        search.judge_plays(self.brain, boards, dice, offsets, outputs, codes)
        exact = outputs.astype(np.float64)
        self._make_exact(after, exact, codes)
        return after, offsets, exact, codes

    def rank(
        self,
        boards: NDArray[np.int8],
        dice: NDArray[np.int8],
        cubes: Sequence[CubeState],
        groups: NDArray[np.int32],
        met: MatchEquityTable,
        model: CubeModel,
        moves: MoveFilter,
        plies: int,
        *,
        search_forced: bool = True,
        wanted: Callable[[NDArray[np.int8], NDArray[np.int64]], NDArray[np.int64]] | None = None,
    ) -> Ranked:
        """Every legal play of N decisions, judged ever deeper as the filter says; at one ply with `STATIC_SHARE`.

        boards: `int8[N, 32]`, seen by the mover; dice: `int8[N, 2]`. cubes: the states of G groups as the side on roll
        after the play sees them, model likewise; groups: `int32[N]`.
        search_forced: whether an only play is searched, too. wanted: gives from boards and offsets of all plays the row
        per decision that no filter may drop, -1 for none.
        """
        # Step 1. Every legal play, judged statically.
        after, offsets, probabilities, codes = self.plays(boards, dice)
        counts = np.diff(offsets)
        family = np.repeat(groups, counts).astype(np.int32)
        roots = [[cube] for cube in cubes]
        static = expand_groups(roots, 0, met, model=model, root_double=True)[0]
        values = self.static(after, probabilities, codes, family, static)[:, 0]
        equities = opposite(to_equities(values, family, cubes, met))
        before = equities.copy()
        cubeless = opposite(_cubeless(probabilities, family, cubes, met))
        judged = np.zeros(len(after), dtype=np.int64)

        # Step 2. Filter and search deeper, level by level.
        alive = np.repeat((counts > 1) | search_forced, counts)
        forced = wanted(after, offsets) if wanted else np.full(len(boards), -1)
        for ply in range(1, plies + 1):
            level = moves.level(ply - 1, plies)
            if level is not None:
                for i in self.watch.each(range(len(boards))):
                    rows = slice(offsets[i], offsets[i + 1])
                    row = forced[i] - offsets[i] if forced[i] >= 0 else None
                    _narrow(alive[rows], level, (equities[rows], before[rows], cubeless[rows]), row)
            if ply < plies and moves.level(ply, plies) is None:
                continue
            which = np.flatnonzero(alive)
            if not len(which):
                break
            levels = expand_groups(roots, ply, met, model=model, root_double=True)
            searching = self if ply == plies else self.watched(self.watch.silent)
            deep, found = searching.values(after[which], family[which], levels)
            own = found[:, 0]
            if ply == plies == 1 and not self.noise:
                share = STATIC_SHARE * np.isin(codes[which], (search.CONTACT, search.CRASHED))
                deep = deep + share[:, None] * (probabilities[which] - deep)
                own = own + share * (values[which] - own)
            probabilities[which], values[which] = deep, own
            before[which] = equities[which]
            equities[which] = opposite(to_equities(own, family[which], cubes, met))
            cubeless[which] = opposite(_cubeless(deep, family[which], cubes, met))
            judged[which] = ply
        chances = values, equities, cubeless
        return Ranked(after, offsets, family, probabilities, *chances, judged=judged, wanted=forced)

    def _in_parts(self, work: Callable[[Searcher, slice], T], count: int, size: int, what: str = "") -> list[T]:
        """`work` done by a searcher on slices of about equal length, at most `size`, on all threads; the results in
        order.

        what: told to the watch, if it shall be.
        """
        number = -(-count // size)
        if count > self.threads:
            number = -(-number // self.threads) * self.threads
        if number < 2:
            return [self._whole(work, count, what)]
        left = Left(self.watch)
        one = replace(self, watch=Watch(stop=left))
        bounds = [count * part // number for part in range(number + 1)]
        parts = [slice(first, end) for first, end in pairwise(bounds)]
        results: list[T] = []
        try:
            each = self.pool.map if self.pool else map
            for part, result in zip(parts, each(partial(work, one), parts), strict=True):
                results.append(result)
                if what:
                    self.watch.tell(part.stop, count, what)
        except StoppedError:
            raise StoppedError(bounds[len(results)], count, what or "positions") from None
        finally:
            # Left early, by Ctrl-C or by a hook that raises: the threads are free again within moments.
            left.early = True
        return results

    def _whole(self, work: Callable[[Searcher, slice], T], count: int, what: str) -> T:
        """`_in_parts` of a single part."""
        try:
            result = work(self.watched(self.watch.silent), slice(0, count))
        except StoppedError:
            raise StoppedError(0, count, what or "positions") from None
        if what:
            self.watch.tell(count, count, what)
        return result

    def watched(self, watch: Watch) -> Searcher:
        """The same, looked at by another."""
        return self if watch == self.watch else replace(self, watch=watch)

    def _by_slices(self, work: Callable[[slice], Arrays], count: int) -> Arrays:
        """The arrays that `work` gives for slices of so little work that a stop is heeded between two of them."""
        found = []
        for first in range(0, max(count, 1), SLICE):
            self.watch.check()
            found.append(work(slice(first, first + SLICE)))
        return found[0] if len(found) == 1 else tuple(map(np.concatenate, zip(*found, strict=True)))  # type: ignore[return-value]

    def _make_exact(
        self, boards: NDArray[np.int8], outputs: NDArray[np.float64], codes: NDArray[np.int8]
    ) -> None:  # fmt: skip
        """Puts what the databases know better than `search.judge` into `outputs` and `codes`."""
        if self.databases.beyond:
            races = np.flatnonzero(codes == search.RACE)
            found = self.databases.probabilities(boards[races])
            known = ~np.isnan(found[:, 0])
            outputs[races[known]] = found[known]
            codes[races[known]] = search.BEAROFF
            ends = np.flatnonzero((codes == search.BEAROFF) | (codes == search.RACE))
        else:
            ends = (codes == search.BEAROFF).nonzero()[0]
        if len(ends):
            pairs = self.databases.equities(boards[ends])[:, 0]
            inside = ~np.isnan(pairs)
            outputs[ends[inside]] = 0.0
            outputs[ends[inside], 0] = (pairs[inside] + 1.0) / 2.0
            codes[ends[inside]] = search.BEAROFF_TWO_SIDED
        hyper.make_exact(self.databases, boards, outputs, codes)
        if self.noise:
            blurred = np.flatnonzero(
                (codes != search.OVER) & (codes != search.BEAROFF_TWO_SIDED) & (codes != hyper.HYPERGAMMON)
            )
            outputs[blurred] = self.noise.add(boards[blurred], outputs[blurred])

    def static(
        self,
        boards: NDArray[np.int8],
        outputs: NDArray[np.float64],
        codes: NDArray[np.int8],
        groups: NDArray[np.int32],
        level: Level,
    ) -> NDArray[np.float64]:
        """Values `[N, Q]` without search. Raises SettingsError for groups that the level has not."""
        groups = groups_of(groups, len(boards), len(level.keep))
        plain, pairs = _plain(level), self.databases.two_sided
        if plain is not None and len(pairs) == 1 and not (codes == hyper.HYPERGAMMON).any():
            values = np.empty((len(boards), level.keep.shape[1]))
            value_kernel.chosen(
                pairs[0].arrays,
                tree_of(level),
                np.empty(4 + level.columns.shape[1]),
                np.ascontiguousarray(boards),
                np.ascontiguousarray(codes),
                np.ascontiguousarray(outputs),
                np.ascontiguousarray(groups),
                values,
            )
            return values
        inside = codes == search.BEAROFF_TWO_SIDED
        solved = codes == hyper.HYPERGAMMON
        exact = None
        if inside.any() or solved.any():
            exact = np.full((len(boards), 4), np.nan)
            exact[inside] = self.databases.equities(boards[inside])
        if exact is not None and solved.any():
            exact[solved] = hyper.equities(self.databases, boards[solved], groups[solved], level)
        # The cube of a solved game is as that of a two-sided bear-off.
        kinds = np.where(solved, search.BEAROFF_TWO_SIDED, codes).astype(np.int8)
        model, local = level.table.model, None
        if model.asks_for_volatility:
            # One score stands for all groups: the volatility hardly depends on it.
            local = np.zeros(len(boards))
            open_ = ~(inside | solved)
            watch = self.watch.silent
            local[open_] = jump_volatilities(self.brain, boards[open_], keep=self.keep, watch=watch)[:, 0]
        parameters = array(
            "parameters of a cube model",
            model.parameters(outputs, kinds, kernels.pips(boards), local),
            np.float64,
            len(boards),
            2,
        )
        return level.choose(level.evaluate(outputs, parameters, groups, exact=exact), groups)

    def roll_values(
        self, boards: NDArray[np.int8], groups: NDArray[np.int32], level: Level
    ) -> NDArray[np.float64]:  # fmt: skip
        """Static values `[N, 21]` of the best play of every roll, for the side then on roll.

        level: one state per group, seen by that side; it may double.
        """

        def work(one: Searcher, part: slice) -> NDArray[np.float64]:
            parents = np.repeat(boards[part], 21, axis=0)
            after, offsets, outputs, codes = one._plays(parents, np.tile(kernels.ROLLS, (len(parents) // 21, 1)))
            family = np.repeat(np.repeat(groups[part], 21), np.diff(offsets)).astype(np.int32)
            values = one.static(after, outputs, codes, family, level)[:, 0]
            return np.asarray(np.minimum.reduceat(values, offsets[:-1])).reshape(-1, 21)

        return np.concatenate(self._in_parts(work, len(boards), CHUNK[2]))

    def reply_values(
        self, boards: NDArray[np.int8], groups: NDArray[np.int32], level: Level
    ) -> NDArray[np.float64]:  # fmt: skip
        """`roll_values` with the best plays picked as inside a search, at a third of the time.

        The pruning net leaves `keep` plays from contact, and linear utility picks the best. Without pruning, and where
        databases hold all plays, the values are those of `roll_values`.
        """
        if not self.keep or hyper.judge(self.databases, boards[:1]) is not None:
            return self.roll_values(boards, groups, level)
        weights = reply_weights(level)[groups]

        def work(one: Searcher, part: slice) -> NDArray[np.float64]:
            one.watch.check()
            found = best_replies(one.brain, boards[part], kernels.ROLLS[None], weights[part], one.keep)
            after, codes = found[0].reshape(-1, 32), found[2].ravel()
            outputs = found[1].reshape(-1, 5).astype(np.float64)
            one._make_exact(after, outputs, codes)
            family = np.repeat(groups[part], 21).astype(np.int32)
            return one.static(after, outputs, codes, family, level)[:, 0].reshape(-1, 21)

        return np.concatenate(self._in_parts(work, len(boards), CHUNK[2]))

    def _replies(
        self, boards: NDArray[np.int8], weights: NDArray[np.float32], last: bool, rolls: NDArray[np.int64]
    ) -> Replies:
        """Boards `[N, K, 32]` after the best play of each of K rolls, outcomes and classes, for the side then on roll.

        rolls: `int64[K]`, rows of `kernels.ROLLS`.
        """
        keep, quick = min(self.keep, LAST_KEEP) if last else self.keep, None
        if last and keep and self.quick:
            quick = self.quick.contact

        def work(part: NDArray[np.int64]) -> Replies:
            def find(few: slice) -> Replies:
                which = part[few]
                return best_replies(
                    self.brain, boards[which], kernels.ROLLS[rolls][None], weights[which], keep, quick, FINE
                )

            return self._by_slices(find, len(part))

        if len(rolls) < 21:
            return work(np.arange(len(boards)))
        keyed = np.zeros((len(boards), 52), dtype=np.int8)
        keyed[:, :28], keyed[:, 28:31] = boards[:, :28], (min(keep, 127), FINE if quick else 0, last)
        keyed[:, 32:] = np.ascontiguousarray(weights).view(np.int8)
        whole = keyed.tobytes()
        return self.memo.look_up([whole[at : at + 52] for at in range(0, len(whole), 52)], work)

    def _last_replies(
        self, boards: NDArray[np.int8], groups: NDArray[np.int32], below: Level
    ) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.int8]]:
        """`_replies` of bear-offs, by static cubeful value: outcomes are exact there, so that the cube decides."""
        return self._by_slices(lambda few: self._few_last_replies(boards[few], groups[few], below), len(boards))

    def _few_last_replies(
        self, boards: NDArray[np.int8], groups: NDArray[np.int32], below: Level
    ) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.int8]]:
        family = np.repeat(groups, 21)
        weights = reply_weights(below)
        after, counts, outputs, codes = self._end_plays(boards, weights[groups])
        roll = np.repeat(np.arange(len(family)), counts)
        values = self.static(after, outputs, codes, family[roll], below.first())[:, 0]
        # The side then on roll is left with the least; where the cube makes plays equal, cubeless.
        cubeless = (outputs * weights[family[roll]]).sum(axis=1)
        order = np.lexsort((cubeless, np.round(values, 7), roll))
        best = order[np.cumsum(counts) - counts]
        return after[best], outputs[best], codes[best]

    def _end_plays(
        self, boards: NDArray[np.int8], weights: NDArray[np.float32]
    ) -> tuple[NDArray[np.int8], NDArray[np.int64], NDArray[np.float64], NDArray[np.int8]]:
        """Plays of every roll of bear-offs `int8[N, 32]` as in `plays`, with how many there are of each roll; where
        there is pruning, the `END_KEEP` best by cubeless utility, `float32[N, 5]`."""
        if not self.keep or self.databases.beyond:
            after, offsets, outputs, codes = self._plays(
                np.repeat(boards, 21, axis=0), np.tile(kernels.ROLLS, (len(boards), 1))
            )
            return after, np.diff(offsets), outputs, codes
        room = len(boards) * 21 * END_KEEP
        after, static = np.zeros((room, 32), dtype=np.int8), np.empty((room, 5), dtype=np.float32)
        codes, counts = np.empty(room, dtype=np.int8), np.empty(len(boards) * 21, dtype=np.int64)
        total = end_replies(self.brain, boards, weights, END_KEEP, after, counts, static, codes)
        after, outputs, codes = after[:total], static[:total].astype(np.float64), codes[:total]
        self._make_exact(after, outputs, codes)
        return after, counts, outputs, codes

    def _descend(
        self,
        boards: NDArray[np.int8],
        outputs: NDArray[np.float64],
        codes: NDArray[np.int8],
        groups: NDArray[np.int32],
        levels: list[Level],
        depth: int,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Outcomes and values at `depth`; outputs and codes are the positions' static ones."""
        level = levels[depth]
        if depth < len(levels) - 1 and len(boards) and _OPEN.issuperset(codes.tobytes()):
            return self._searched(boards, groups, levels, depth, False)
        go_on = np.zeros(len(boards), dtype=bool)
        if depth < len(levels) - 1:
            # What is known exactly is not searched: finished and solved games, and two-sided ends for money.
            # Of one-sided ends, and of all in a match, the chances are known, but what the cube is worth is not.
            go_on = (codes != search.OVER) & (codes != hyper.HYPERGAMMON)
            go_on &= (codes != search.BEAROFF_TWO_SIDED) | (level.total[groups] != 0)
        ends = _bears_off(codes)
        outputs, values = outputs.copy(), np.empty((len(boards), level.keep.shape[1]))
        if not go_on.all():
            stop = ~go_on
            values[stop] = self.static(boards[stop], outputs[stop], codes[stop], groups[stop], level)
        for which, bears_off in ((go_on & ~ends, False), (go_on & ends, True)):
            if which.any():
                outputs[which], values[which] = self._searched(boards[which], groups[which], levels, depth, bears_off)
        return outputs, values

    def _searched(
        self,
        boards: NDArray[np.int8],
        groups: NDArray[np.int32],
        levels: list[Level],
        depth: int,
        ends: bool,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """`_descend` of positions above the last level. ends: whether the databases know all of them, or none."""
        # Step 1. The best reply of every roll.
        rolls, shares = rolls_of(self.rolls if depth else 21)
        level, below, last = levels[depth], levels[depth + 1], depth + 2 == len(levels)
        values = np.empty((len(boards), level.keep.shape[1]))
        if ends:
            found = self._last_replies(boards, groups, below)
            if len(rolls) < 21:
                every = (np.arange(len(boards))[:, None] * 21 + rolls).ravel()
                found = found[0][every], found[1][every], found[2][every]
            children, child_outputs, child_codes = found
        else:
            replies = self._replies(boards, reply_weights(below)[groups], last, rolls)
            children, child_codes = replies[0].reshape(-1, 32), replies[2].ravel()
            if last and self._is_plain(boards, below):
                outcomes = np.empty((len(boards), 5))
                value_kernel.leaves(
                    self.databases.two_sided[0].arrays,
                    tree_of(below),
                    tree_of(level),
                    np.empty((4, max(5, below.columns.shape[1]))),
                    children,
                    child_codes,
                    replies[1].reshape(-1, 5),
                    shares,
                    np.ascontiguousarray(groups),
                    outcomes,
                    values,
                )
                return outcomes, values
            child_outputs = replies[1].reshape(-1, 5).astype(np.float64)
            self._make_exact(children, child_outputs, child_codes)
        child_groups = np.repeat(groups, len(rolls)).astype(np.int32)
        which = np.arange(len(children))
        if not last:
            # Step 2. Several rolls lead to the same position: search it once.
            first, which = _distinct(children, child_groups)
            children, child_groups = children[first], child_groups[first]
            child_outputs, child_codes = child_outputs[first], child_codes[first]
        deep, child_values = self._descend(children, child_outputs, child_codes, child_groups, levels, depth + 1)

        # Step 3. Means over the rolls, seen by the other side.
        outcomes = np.empty((len(boards), 5))
        value_kernel.raised(
            tree_of(level),
            np.empty(child_values.shape[1] + 5),
            np.ascontiguousarray(deep),
            np.ascontiguousarray(child_values),
            which,
            shares,
            np.ascontiguousarray(groups),
            outcomes,
            values,
        )
        return outcomes, values

    def _is_plain(self, boards: NDArray[np.int8], level: Level) -> bool:
        """Whether static values of what comes of boards need no more than the standard databases and a plain model."""
        if self.noise or level.table.model.plain is None or self.databases.beyond or len(self.databases.two_sided) > 1:
            return False
        return not hyper.may_concern(boards)


def _plain(level: Level) -> NDArray[np.float64] | None:
    """What kernels know of the model of a level, as `CubeModel.plain` has it. Raises SettingsError for other tables."""
    plain = level.table.model.plain
    return None if plain is None else array("plain tables of a cube model", plain, np.float64, 2, 6 * TERMS)


def cubes_of(level: Level) -> Cubes:
    """A level of one state a group as the kernels take it; its model is `plain`."""
    plain = _plain(level)
    assert plain is not None
    groups = np.arange(len(level.keep))
    double = np.where(level.double[:, 0] >= 0, level.columns[groups, level.double[:, 0]], -1)
    return Cubes(
        level.table.rows,
        level.columns[groups, level.keep[:, 0]].astype(np.int64),
        double.astype(np.int64),
        np.ascontiguousarray(level.pass_value[:, 0]),
        np.ascontiguousarray(level.stake[:, 0]),
        reply_weights(level),
        plain,
    )


@lru_cache(maxsize=256)
def usual_cubes(states: tuple[CubeState, ...], met: MatchEquityTable, may_double: bool) -> Cubes:
    """States by the classic model, for `effective`; may_double: whether the side on roll may double."""
    return cubes_of(expand_groups([[state] for state in states], 0, met, model=CLASSIC, root_double=may_double)[0])


def effective(
    cubes: Cubes, outcomes: NDArray[np.float64], values: NDArray[np.float64], groups: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Cube efficiencies `float64[N]` as `Level.effective_efficiency` has them; cubes: from `usual_cubes`."""
    found = np.empty(len(values))
    value_kernel.effective(cubes, CLASSIC.efficiencies.contact, _UNKNOWN, outcomes, values, groups, found)
    return found


def classes_of(boards: NDArray[np.int8]) -> NDArray[np.int8]:
    """Classes `int8[N]` of boards `int8[N, 32]` seen by the side on roll, as `search.judge` gives them."""
    classes = np.empty(len(boards), dtype=np.int8)
    search.classify(boards, classes)
    return classes


def _bears_off(codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Which classes the databases know."""
    return np.asarray((codes == search.BEAROFF) | (codes == search.BEAROFF_TWO_SIDED))


def tree_of(level: Level) -> Tree:
    """A level as kernels take it."""
    found = _trees.get(level)
    if found is None:
        plain = _plain(level)
        efficiencies = np.empty((2, 0)) if plain is None else plain
        own = level.columns, level.keep, level.double, level.pass_value, level.stake, level.total
        found = _trees[level] = Tree(level.table.rows, *own, efficiencies)
    return found


_trees: WeakKeyDictionary[Level, Tree] = WeakKeyDictionary()


def _distinct(
    boards: NDArray[np.int8], groups: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:  # fmt: skip
    """Indices of the distinct (board, group) pairs, and for each pair its index among them."""
    _, first, inverse = np.unique(position_keys(boards, groups), return_index=True, return_inverse=True)
    return first, inverse


def position_keys(boards: NDArray[np.int8], groups: NDArray[np.int32]) -> NDArray[np.void]:
    """Keys `[N]` that are equal where board and group are."""
    keyed = boards.copy()
    keyed[:, 28:32] = groups.astype(np.int32).view(np.int8).reshape(-1, 4)
    return keyed.view(np.dtype((np.void, 32))).ravel()


@lru_cache(maxsize=256)
def reply_weights(below: Level) -> NDArray[np.float32]:
    """Utility `float32[G, 5]` of outcomes to the side on roll at the level below, by its first state."""
    states = [below.table.states[columns[0]] for columns in below.columns]
    return np.array([reply_utility(state, below.table.met) for state in states], dtype=np.float32)


def reply_utility(state: CubeState, met: MatchEquityTable | None = None) -> NDArray[np.float64]:
    """Utility `float64[5]` of outcomes to the side on roll, by which replies to its opponent are chosen."""
    if state.money and not state.gammons_count:
        return np.asarray(MONEY_WEIGHTS * [1.0, *4 * [JACOBY_GAMMONS]])
    return utility_weights(state, met)[0]


def _narrow(
    alive: NDArray[np.bool_], level: filters.Level, judged: tuple[NDArray[np.float64], ...], insisted: int | None
) -> None:
    """Leaves of the plays of one decision, in `alive`, `bool[P]`, those that a level of a filter lets go on.

    judged: equities, what they were when they were judged last, and cubeless ones, `float64[P]` each. insisted: the
    play that no filter may drop. A single play that is left need not be searched, unless one alone is wanted.
    """
    left = np.flatnonzero(alive)
    if len(left) < 2:
        return
    equities, before, cubeless = judged
    order = left[np.lexsort((-cubeless[left], -_rounded(equities[left])))]
    alive[left] = False
    alive[order[level.kept(equities[order], before[order])]] = True
    if insisted is not None:
        alive[insisted] = True
    if level.accept != 1 and np.count_nonzero(alive[left]) == 1:
        alive[left] = False


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
