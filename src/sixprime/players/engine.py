"""One of our nets as a bot, in batches.

0-ply cubeless play comes straight from the kernels, deeper play from `Engine.rank_plays_many`.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.decision import decide_many
from sixprime.cube.met import MatchEquityTable, load
from sixprime.cube.state import CubeState
from sixprime.cube.tree import expand_groups
from sixprime.cube.values import to_equities, utility_weights
from sixprime.engine import Engine, PlayRequest
from sixprime.engine.engine import SEARCH
from sixprime.engine.judge import DOUBTED, is_doubtful
from sixprime.engine.plies import Searcher, classes_of, reply_utility
from sixprime.engine.rolls import COUNTS
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.kernels import replies, search
from sixprime.players.bot import Asked
from sixprime.progress import Watch

SLICE = 128
"""Boards per task of a thread."""
ROOM = (2048, 512, 96, 16, 4)
"""Games in lockstep by plies: enough to keep all threads busy, little enough to be interrupted soon."""


def by_table(met: MatchEquityTable) -> str:
    """What identities say of another match equity table than the default one."""
    return "" if met.checksum == load().checksum else f" met {met.checksum}"


class Workers:
    """Threads that share slices of boards."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def each(self, work: Callable[[slice], None], count: int) -> None:
        """`work` on slices of 0..count."""
        slices = [slice(i, min(i + SLICE, count)) for i in range(0, count, SLICE)]
        for _ in self._pool.map(work, slices) if self._pool else map(work, slices):
            pass


class EngineBot:
    """One of our nets at a number of plies."""

    waits = False

    def __init__(self, name: str, engine: Engine, plies: int) -> None:
        self.name, self.engine, self.plies = name, engine, plies
        cube = engine.cube_model.identity
        self.identity = f"sixprime {engine.net.checksum} {plies}-ply {engine.filter.text} cube {cube} search {SEARCH}"
        self._deepens = plies == DOUBTED and engine.level.deepen
        if self._deepens:
            self.identity += ", close cubes further"
        if engine.searcher.rolls != COUNTS[-1]:
            self.identity += f" {engine.searcher.rolls} rolls"
        if noise := engine.searcher.noise:
            self.identity += f" noise {noise.deviation} seed {noise.seed}"
        self.identity += by_table(engine.met)
        self.room = ROOM[plies]
        self._workers = Workers(engine.threads)

    def check(self, state: CubeState) -> None:
        """Plays everything."""

    def close(self) -> None:
        """Nothing to end."""

    def plays(self, asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        asked = asked.by(self.engine.met)
        if self.plies or not self.engine.level.cubeful:
            return self._searched(asked, dice)
        if self.engine.searcher.noise or any(state.limit > 1 for state in asked.states):
            return self._static(asked, dice)
        chosen, _ = best_replies(self.engine.brain, self._workers, asked, dice[:, None, :], 0)
        after = chosen[:, 0]
        # Where the exact databases come in, the engine's own judgement is asked.
        ends = np.flatnonzero(classes_of(asked.boards) == search.BEAROFF)
        if len(ends):
            after[ends] = self._static(asked.of(ends), dice[ends])
        return after

    def _static(self, asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        """Best plays by the static cubeful values, as `Engine.best_plays` ranks them at 0-ply."""
        met, states = self.engine.met, [state.swapped() for state in asked.states]
        after, offsets, outputs, found = self._searcher(asked).plays(asked.boards, dice)
        owner = np.repeat(np.arange(len(dice)), np.diff(offsets))
        groups = asked.groups[owner].astype(np.int32)
        model = self.engine.cube_model.swapped()
        level = expand_groups([[state] for state in states], 0, met, model=model, root_double=True)[0]
        values = self.engine.searcher.static(after, outputs, found, groups, level)[:, 0]
        weights = np.array([utility_weights(state, met)[0] for state in states])
        cubeless = (outputs * weights[groups]).sum(axis=1)
        order = np.lexsort((cubeless, np.round(values, 6), owner))
        return after[order[offsets[:-1]]]

    def _searched(self, asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        """Best plays by search."""
        requests = play_requests(asked, dice)
        ranked = self.engine.rank_plays_many(requests, plies=self.plies, count=1, search_forced=False, stop=asked.stop)
        return kernels.pack(np.stack([plays[0].play.result.board for plays in ranked]))

    def _searcher(self, asked: Asked) -> Searcher:
        return replace(self.engine.searcher, watch=Watch(stop=asked.stop))

    def doubles(self, asked: Asked) -> NDArray[np.bool_]:
        return self._decided(asked)[0]

    def takes(self, asked: Asked) -> NDArray[np.bool_]:
        return self._decided(asked)[1]

    def _decided(self, asked: Asked) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Who doubles and who takes, `bool[N]` each."""
        asked = asked.by(self.engine.met)
        outputs, (held, taken) = self._valued(asked, self.plies)
        if self._deepens:
            which = np.flatnonzero(is_doubtful(held, taken))
            outputs[which], (held[which], taken[which]) = self._valued(asked.of(which), self.plies + 1)
        gammons = np.array([state.gammons_count for state in asked.states])[asked.groups] & (outputs[:, 1] > 0)
        return decide_many(held, taken, gammons)

    def _valued(self, asked: Asked, plies: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Outcomes `float64[N, 5]`, and equities without a double and after one that is taken, `float64[2, N]`."""
        roots = [[state, state.doubled()] for state in asked.states]
        levels = expand_groups(roots, plies, self.engine.met, model=self.engine.cube_model)
        outputs, values = self._searcher(asked).values(asked.boards, asked.groups, levels)
        equities = [to_equities(each, asked.groups, asked.states, self.engine.met) for each in values.T]
        # A money double is worth twice what the cube then is; in a match both are worth what comes of them.
        stakes = np.array([2.0 if state.money else 1.0 for state in asked.states])[asked.groups]
        return outputs, np.stack([equities[0], stakes * equities[1]])


def best_replies(
    brain: search.Brain, workers: Workers, asked: Asked, dice: NDArray[np.int8], keep: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """`kernels.replies.best_replies` on all threads, by the cubeless utility at each state.

    dice: `int8[N, K, 2]` or `int8[1, K, 2]`. Returns boards `int8[N, K, 32]` and outcomes `float32[N, K, 5]`.
    """
    rows = [reply_utility(state.swapped()) for state in asked.states]
    utilities = np.array(rows, dtype=np.float32)[asked.groups]
    count, rolls = len(asked.boards), dice.shape[1]
    chosen = np.zeros((count, rolls, 32), dtype=np.int8)
    outputs = np.empty((count, rolls, 5), dtype=np.float32)

    def work(part: slice) -> None:
        own = dice if len(dice) == 1 else dice[part]
        chosen[part], outputs[part], _ = replies.best_replies(brain, asked.boards[part], own, utilities[part], keep)

    workers.each(work, count)
    return chosen, outputs


def play_requests(asked: Asked, dice: NDArray[np.int8]) -> list[PlayRequest]:
    """The decisions as an engine takes them. dice: `int8[N, 2]`."""
    states = [match_state(state) for state in asked.states]
    return [
        PlayRequest(Position.from_board(board), (int(high), int(low)), states[group])
        for board, (high, low), group in zip(kernels.unpack(asked.boards), dice, asked.groups, strict=True)
    ]


def match_state(state: CubeState) -> MatchState:
    """The match state that `state` is, with its player on roll."""
    mine = state.player
    score = state.length - state.away[0], state.length - state.away[1]
    return MatchState(
        length=state.length,
        score=score[::-1] if mine else score,
        cube=state.cube,
        cube_owner=None if state.owner == 0 else mine if state.owner > 0 else 1 - mine,
        on_roll=mine,
        crawford=state.crawford,
        jacoby=state.jacoby,
        beavers=state.beavers,
        cube_limit=state.limit,
    )
