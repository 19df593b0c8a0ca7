"""Who plays in a duel: our own nets in batches, GNU Backgammon, any UBGI engine.

In go many positions with the cube and the score as the side on roll sees them; out come boards after the plays and
cube decisions. Every answer depends on its own row alone, never on the others of the batch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.decision import TOLERANCE
from sixprime.cube.state import CubeState
from sixprime.cube.tree import expand_groups
from sixprime.cube.values import utility_weights
from sixprime.engine import Engine, PlayRequest
from sixprime.engine.filters import MAX_PLIES
from sixprime.engine.plies import JACOBY_GAMMONS
from sixprime.engine.presets import get_preset
from sixprime.errors import EngineError, SettingsError
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.kernels import replies, search
from sixprime.train._child import TIMEOUT
from sixprime.train.selfplay import codes

SLICE = 128
"""Boards per task of a thread."""
ROOM = (2048, 512, 96, 16, 4)
"""Games in lockstep by plies: enough to keep all threads busy, little enough to be interrupted soon."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Decisions: boards `int8[N, 32]`, packed, and for each the index `int32[N]` of its state, both seen by the
    side on roll."""

    boards: NDArray[np.int8]
    states: Sequence[CubeState]
    groups: NDArray[np.int32]

    def of(self, which: NDArray[np.int64]) -> Asked:
        """Some of the decisions."""
        return Asked(self.boards[which], self.states, self.groups[which])


class Player(Protocol):
    """Whoever decides."""

    @property
    def name(self) -> str:
        """How it is called in results."""

    @property
    def identity(self) -> str:
        """All that its decisions depend on."""

    @property
    def room(self) -> int:
        """How many games at a time suit it."""

    @property
    def waits(self) -> bool:
        """Whether it computes elsewhere, so that others may work meanwhile."""

    def check(self, state: CubeState) -> None:
        """Raises `SettingsError` when it cannot play games that start like this."""

    def plays(self, asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        """Boards `int8[N, 32]` after the chosen plays of `dice`, `int8[N, 2]`, seen by the side then on roll."""

    def doubles(self, asked: Asked) -> NDArray[np.bool_]:
        """Whether the side on roll doubles, who may."""

    def takes(self, asked: Asked) -> NDArray[np.bool_]:
        """Whether the opponent of the side on roll takes its double; the cube is as before it."""

    def close(self) -> None:
        """Ends what was started."""


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


class EnginePlayer:
    """One of our nets at a number of plies.

    0-ply cubeless play comes straight from the kernels, deeper play from `Engine.rank_plays_many`.
    """

    waits = False

    def __init__(self, name: str, engine: Engine, plies: int) -> None:
        self.name, self.engine, self.plies = name, engine, plies
        self.identity = f"sixprime {engine.net.checksum} {plies}-ply {engine.filter.text}"
        if noise := engine.searcher.noise:
            self.identity += f" noise {noise.deviation} seed {noise.seed}"
        self.room = ROOM[plies]
        self._workers = Workers(engine.threads)

    def check(self, state: CubeState) -> None:
        """Plays everything."""

    def close(self) -> None:
        """Nothing to end."""

    def plays(self, asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        if self.plies:
            return self._searched(asked, dice)
        if self.engine.searcher.noise or any(state.limit > 1 for state in asked.states):
            return self._static(asked, dice)
        chosen, _ = best_replies(self.engine.brain, self._workers, asked, dice[:, None, :], 0)
        after = chosen[:, 0]
        # Where the exact databases come in, the engine's own judgement is asked.
        ends = np.flatnonzero(codes(asked.boards) == search.BEAROFF)
        if len(ends):
            after[ends] = self._static(asked.of(ends), dice[ends])
        return after

    def _static(self, asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        """Best plays by the static cubeful values, as `Engine.best_plays` ranks them at 0-ply."""
        met = self.engine.met.swapped()
        states = [state.swapped() for state in asked.states]
        after, offsets, outputs, found = self.engine.searcher.plays(asked.boards, dice)
        owner = np.repeat(np.arange(len(dice)), np.diff(offsets))
        groups = asked.groups[owner].astype(np.int32)
        level = expand_groups([[state] for state in states], 0, met, root_double=True)[0]
        values = self.engine.searcher.static(after, outputs, found, groups, level)[:, 0]
        weights = np.array([utility_weights(state, met)[0] for state in states])
        cubeless = (outputs * weights[groups]).sum(axis=1)
        order = np.lexsort((cubeless, np.round(values, 6), owner))
        return after[order[offsets[:-1]]]

    def _searched(self, asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        """Best plays by search."""
        states = [match_state(state) for state in asked.states]
        requests = [
            PlayRequest(Position.from_board(board), (int(high), int(low)), states[group])
            for board, (high, low), group in zip(kernels.unpack(asked.boards), dice, asked.groups, strict=True)
        ]
        ranked = self.engine.rank_plays_many(requests, plies=self.plies, count=1, search_forced=False)
        return kernels.pack(np.stack([plays[0].play.result.board for plays in ranked]))

    def doubles(self, asked: Asked) -> NDArray[np.bool_]:
        keep, take, passed, outputs = self._cube(asked)
        # As `cube.decision.decide`: where gammons are out of the question, nobody is too good.
        gammons = np.array([state.gammons_count for state in asked.states])[asked.groups] & (outputs[:, 1] > 0)
        return np.asarray((np.minimum(take, passed) >= keep - TOLERANCE) | ((take > passed) & ~gammons))

    def takes(self, asked: Asked) -> NDArray[np.bool_]:
        _, take, passed, _ = self._cube(asked)
        return np.asarray(take <= passed)

    def _cube(
        self, asked: Asked
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Values `[N]` of no double, of double and take and of double and pass, and outcomes `[N, 5]`."""
        met = self.engine.met
        levels = expand_groups([[state, state.doubled()] for state in asked.states], self.plies, met)
        outputs, values = self.engine.searcher.values(asked.boards, asked.groups, levels)
        stake = np.array([2.0 if state.money else 1.0 for state in asked.states])[asked.groups]
        passed = np.array([1.0 if state.money else state.outcomes(met)[0][0] for state in asked.states])
        return values[:, 0], stake * values[:, 1], passed[asked.groups], outputs


class Evaluator:
    """The one judge of luck: the value of every roll, its best reply chosen and judged by a static net.

    The pruning net picks the reply and the main net judges it: cheaper, and what is taken away still has the mean
    zero, for it is the same function of position and roll whoever plays.
    """

    def __init__(self, engine: Engine, keep: int = 4) -> None:
        self.engine, self.keep = engine, keep
        self.identity = f"sixprime {engine.net.checksum} scout {keep}"
        self._workers = Workers(engine.threads)

    def rolls(self, asked: Asked) -> NDArray[np.float64]:
        """Values `float64[N, 21]` of the 21 rolls to the side that rolls.

        Money: equity in units of the cube. Match: its match-winning chance.
        """
        first, inverse = distinct(asked)
        asked = asked.of(first)
        met = self.engine.met.swapped()
        states = [state.swapped() for state in asked.states]
        chosen, outputs = best_replies(self.engine.brain, self._workers, asked, kernels.ROLLS[None], self.keep)
        if not any(state.limit > 1 for state in states):
            equity = (outputs.astype(np.float64) * [2.0, 1.0, 1.0, -1.0, -1.0]).sum(axis=2)
            return np.asarray((1.0 - equity)[inverse])
        level = expand_groups([[state] for state in states], 0, met, root_double=True)[0]
        boards = chosen.reshape(-1, 32)
        groups = np.repeat(asked.groups, 21).astype(np.int32)
        values = self.engine.searcher.static(
            boards, outputs.reshape(-1, 5).astype(np.float64), codes(boards), groups, level
        )
        total = np.array([0.0 if state.money else 1.0 for state in states])
        return np.asarray((total[groups] - values[:, 0]).reshape(-1, 21)[inverse])


def best_replies(
    brain: search.Brain, workers: Workers, asked: Asked, dice: NDArray[np.int8], keep: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """`kernels.replies.best_replies` on all threads, by the cubeless utility at each state.

    dice: `int8[N, K, 2]` or `int8[1, K, 2]`. Returns boards `int8[N, K, 32]` and outcomes `float32[N, K, 5]`.
    """
    rows = []
    for state in asked.states:
        weights, _ = utility_weights(state.swapped())
        if state.money and not state.gammons_count:
            weights = np.array([2.0, *2 * [JACOBY_GAMMONS], *2 * [-JACOBY_GAMMONS]])
        rows.append(weights)
    utilities = np.array(rows, dtype=np.float32)[asked.groups]
    count, rolls = len(asked.boards), dice.shape[1]
    chosen = np.zeros((count, rolls, 32), dtype=np.int8)
    outputs = np.empty((count, rolls, 5), dtype=np.float32)

    def work(part: slice) -> None:
        own = dice if len(dice) == 1 else dice[part]
        chosen[part], outputs[part], _ = replies.best_replies(brain, asked.boards[part], own, utilities[part], keep)

    workers.each(work, count)
    return chosen, outputs


def distinct(asked: Asked, dice: NDArray[np.int8] | None = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Indices of the distinct decisions, and for each decision its index among them; twins in a pair are common."""
    keyed = asked.boards.copy()
    keyed[:, 28:30] = asked.groups.astype(np.int16).view(np.int8).reshape(-1, 2)
    if dice is not None:
        keyed[:, 30:32] = dice
    _, first, inverse = np.unique(keyed.view(np.dtype((np.void, 32))).ravel(), return_index=True, return_inverse=True)
    return first, inverse


def match_state(state: CubeState) -> MatchState:
    """The match state that `state` is, with player 0 on roll."""
    return MatchState(
        length=state.length,
        score=(state.length - state.away[0], state.length - state.away[1]),
        cube=state.cube,
        cube_owner=None if state.owner == 0 else 0 if state.owner > 0 else 1,
        on_roll=0,
        crawford=state.crawford,
        jacoby=state.jacoby,
        beavers=state.beavers,
        cube_limit=state.limit,
    )


Ask = Callable[[NDArray[np.int64]], Sequence[object]]


def checked_plays(name: str, asked: Asked, dice: NDArray[np.int8], ask: Ask) -> NDArray[np.int8]:
    """Plays of another program. It is asked once for equal decisions, and not where only one play is legal.

    ask: from indices of decisions to the steps of each, as flat points (start, end, ...) or as text.
    Raises `EngineError` naming the program for a play that is not legal.
    """
    first, inverse = distinct(asked, np.sort(dice, axis=1))
    results, offsets = kernels.legal_plays(asked.boards[first], dice[first])
    after = results[offsets[:-1]]
    hard = np.flatnonzero(np.diff(offsets) > 1)
    for i, answer in zip(hard, ask(first[hard]), strict=True):
        legal = results[offsets[i] : offsets[i + 1]]
        board = None if answer is None else moved(asked.boards[first[i]], answer)
        if board is None or not (legal == board).all(axis=1).any():
            position = Position.from_board(kernels.unpack(asked.boards[first[i]][None])[0])
            high, low = dice[first[i]]
            shown = answer if isinstance(answer, str) else _shown(answer)
            raise EngineError(f"{name} played illegally: {shown!r} with {high}-{low} in {position.id}.")
        after[i] = board
    return kernels.swap(after)[inverse]


def moved(board: NDArray[np.int8], steps: object) -> NDArray[np.int8] | None:
    """A packed board after single steps [start, end, start, end ...]; None where they make no sense."""
    if not isinstance(steps, (list, tuple)) or len(steps) % 2:
        return None
    after = board.copy()
    for start, end in zip(steps[::2], steps[1::2], strict=True):
        if not (isinstance(start, int) and isinstance(end, int) and 25 >= start > end >= 0) or after[start] <= 0:
            return None
        after[start] -= 1
        if end == 0:
            after[26] += 1
        elif after[end] < -1:
            return None
        elif after[end] == -1:
            after[end] = 1
            after[0] += 1
        else:
            after[end] += 1
    return after


def _shown(steps: object) -> str:
    if not isinstance(steps, (list, tuple)) or len(steps) % 2:
        return repr(steps)
    return " ".join(f"{start}/{end}" for start, end in zip(steps[::2], steps[1::2], strict=True))


# Specifications.


_PLIES = re.compile(r"(.+)@([0-9]+)(?:-?ply)?")


class Lobby:
    """Makes players from what a user writes; nets that are named twice are loaded once.

    threads: of our own nets, None for all cores. timeout: seconds without an answer after which another program is
    given up. gnubg: the program, None to look for it.
    """

    def __init__(
        self,
        *,
        threads: int | None = None,
        timeout: float = TIMEOUT,
        gnubg: str | None = None,
        filter: str | None = None,
    ) -> None:
        self._threads, self._timeout, self._gnubg, self._filter = threads, timeout, gnubg, filter
        self._engines: dict[str, Engine] = {}

    def player(self, text: str) -> Player:
        """The player of a specification: a shipped net by its name ("standard"), a network file, "gnubg", with
        "@N" or "@Nply" behind it for N plies (0 without), or "ubgi:COMMAND".

        Raises `SettingsError` for one that cannot be read, `DataFileError` for a bad net, `EngineError` for a program
        that cannot be started.
        """
        if text.startswith("ubgi:"):
            from sixprime.train.ubgi import UbgiPlayer

            return UbgiPlayer(text.removeprefix("ubgi:"), timeout=self._timeout)
        level = _PLIES.fullmatch(text)
        name, plies = (level[1], int(level[2])) if level else (text, 0)
        if name == "gnubg":
            from sixprime.train.gnubg import GnubgPlayer

            return GnubgPlayer(plies, program=self._gnubg, timeout=self._timeout)
        base, _, preset = text.rpartition("@")
        if base and not level and not Path(text).exists():
            return self._at_level(base, preset)
        if plies > MAX_PLIES:
            raise SettingsError(f"{text}: our nets look 0 to {MAX_PLIES} plies ahead.")
        return EnginePlayer(f"{name}@{plies}ply", self._engine(name), plies)

    def _at_level(self, name: str, level: str) -> Player:
        """A net of ours at a level. Raises `SettingsError` for an unknown one and one with rollouts."""
        preset = get_preset(level)
        if name == "gnubg" or preset.rollout:
            raise SettingsError(
                f"{name}@{level}: only our nets have levels, and those with rollouts do not play duels."
            )
        engine = Engine(name, threads=self._threads, level=preset, filter=self._filter)
        return EnginePlayer(f"{name}@{preset.name}", engine, preset.plies)

    def evaluator(self, name: str) -> Evaluator:
        """The judge of luck that uses this net. Raises `DataFileError` for a bad one."""
        return Evaluator(self._engine(name))

    def _engine(self, name: str) -> Engine:
        if name not in self._engines:
            self._engines[name] = Engine(name, threads=self._threads, filter=self._filter)
        return self._engines[name]


def cubeless_money() -> CubeState:
    """Money play without a cube: gammons count."""
    return CubeState(limit=1)


def cubeful_money(jacoby: bool = True) -> CubeState:
    """Money play with a centred cube, without beavers."""
    return CubeState(jacoby=jacoby)


def match_play(length: int) -> CubeState:
    """The first game of a match."""
    return CubeState(length=length, away=(length, length))
