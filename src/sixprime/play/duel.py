"""Duels: who plays better, measured over mirrored pairs of games with the luck taken out.

The unit is a pair: two games (or matches) with the same dice, in the second of which the players have changed seats.
All games advance together, one turn of every game at a time. A pair depends on (seed, its number, the players) only,
so that threads, batches and restarts change nothing.

The luck of a roll is its value, the best reply chosen and judged by one fixed evaluator, minus the mean over the 21
rolls. Its mean is zero whatever that evaluator thinks and whoever plays, so the result without it estimates the same
difference with a far smaller error.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.checks import array
from sixprime.cube.state import CubeState
from sixprime.cube.values import Unit
from sixprime.engine import luck
from sixprime.engine.plies import classes_of
from sixprime.errors import DataFileError, SettingsError, StoppedError
from sixprime.game.position import Position
from sixprime.kernels import search
from sixprime.paths import replacing
from sixprime.play.lockstep import DuelGames, points_of
from sixprime.play.standing import Estimate, Standing, StopRule
from sixprime.players.bot import Asked, Bot
from sixprime.players.luck import Evaluator
from sixprime.progress import NOBODY, Watch
from sixprime.reading import ROWS, read_json

VARIANTS = ("standard", "nackgammon")
"""Games that are played: those that the nets know."""
LOOKS = 100
"""The result is looked at whenever so many pairs more are complete, in order."""
LONGEST = 2000
"""Turns after which a game counts for what the evaluator makes of it; untrained nets can go round in circles."""
SAVE_SECONDS = 10.0
_FORMAT = "sixprime-duel-1"
_GLANCE = 0.05
"""Seconds between two looks at what tells us to stop."""
_COLUMNS = ("raw", "luck")


def cubeless_money() -> CubeState:
    """Money play without a cube: gammons count."""
    return CubeState(limit=1)


def cubeful_money(jacoby: bool = True) -> CubeState:
    """Money play with a centred cube, without beavers."""
    return CubeState(jacoby=jacoby)


def match_play(length: int) -> CubeState:
    """The first game of a match."""
    return CubeState(length=length, away=(length, length))


class Duel:
    """A duel of player A against player B.

    start: cube and score at the beginning of a game, `cubeless_money()` and its like. seed: of the dice. variant: one
    of `VARIANTS`. state: file to keep the pairs in and to go on from. Raises `SettingsError` for what a player cannot
    play or for a file of another duel, `DataFileError` for a damaged one.
    """

    def __init__(
        self,
        players: tuple[Bot, Bot],
        evaluator: Evaluator,
        start: CubeState,
        *,
        seed: int = 1,
        variant: str = VARIANTS[0],
        state: Path | None = None,
    ) -> None:
        self.players, self.start, self.seed, self.variant = players, start, seed, variant
        if variant not in VARIANTS:
            raise SettingsError(f"a duel is played in one of {', '.join(VARIANTS)}. Got {variant!r} instead.")
        self._first = Position.start(variant)
        self._evaluator = evaluator
        for player in players:
            player.check(start)
        self._state = state
        self._settings = {
            "a": players[0].identity,
            "b": players[1].identity,
            "evaluator": evaluator.identity,
            "start": str(start),
            "seed": seed,
            "variant": variant,
        }
        # Of every complete pair, for each of its two games: result and luck of A.
        self._pairs: dict[int, tuple[float, float, float, float]] = {}
        self._half: dict[tuple[int, int], tuple[float, float]] = {}
        self._complete = 0
        self._saved = time.monotonic()
        self._stop: Watch = NOBODY
        if state is not None and state.exists():
            self._pairs = _read(state, self._settings)

    # -- results ---------------------------------------------------------------------------------

    def complete(self) -> int:
        """How many pairs are complete without a gap from the first on; only these count, for what ends early is not
        a fair sample."""
        while self._complete in self._pairs:
            self._complete += 1
        return self._complete

    @property
    def played(self) -> int:
        """How many pairs are complete, those behind a gap with them."""
        return len(self._pairs)

    def standing(self, pairs: int | None = None) -> Standing:
        """The result over the first `pairs` pairs, by default all that count."""
        count = self.complete() if pairs is None else pairs
        rows = np.array([self._pairs[i] for i in range(count)]).reshape(count, 2, 2)
        raw, lucky = rows[:, :, 0], rows[:, :, 1]
        wins = int((raw > 0).sum()), int((raw < 0).sum())
        return Standing(count, wins, Estimate.of(raw.sum(axis=1) / 2), Estimate.of((raw - lucky).sum(axis=1) / 2))

    def verdict(self, stop: StopRule, seen: int = 0) -> Standing | None:
        """The standing at the first look that reaches `stop`, None when it goes on; looks up to `seen` are known."""
        complete = self.complete()
        looks = list(range(seen - seen % LOOKS + LOOKS, min(complete, stop.pairs) + 1, LOOKS))
        if complete >= stop.pairs and stop.pairs % LOOKS:
            looks.append(stop.pairs)
        return next((standing for pairs in looks if stop.reached(standing := self.standing(pairs))), None)

    def save(self) -> None:
        """Writes all complete pairs to the state file, if there is one."""
        if self._state is None:
            return
        numbers = sorted(self._pairs)
        data = {"format": _FORMAT, "settings": self._settings, "numbers": numbers}
        for column, name in enumerate(_COLUMNS):
            data[name] = [self._pairs[i][column::2] for i in numbers]
        with replacing(self._state) as whole:
            whole.write_text(json.dumps(data), encoding="utf-8")
        self._saved = time.monotonic()

    # -- play ------------------------------------------------------------------------------------

    def run(self, rule: StopRule, watch: Watch = NOBODY) -> Standing:
        """Plays until `rule` is reached and returns the standing then. watch: is told the complete pairs after every
        turn of all games, and may stop it.

        May be interrupted by an exception at any moment: what is complete stays and is saved, and `run` goes on from
        there. Raises `StoppedError` when it is stopped, `EngineError` when another program dies, hangs or plays
        illegally, `SettingsError` for arrays that are no answers.
        """
        if (found := self.verdict(rule)) is not None:
            return found
        self.save()  # first of all, so that a place that cannot be written to costs no game
        pool = ThreadPoolExecutor(2)
        try:
            return self._run(rule, watch, pool)
        except StoppedError:
            raise StoppedError(self.complete(), rule.pairs, "pairs") from None
        finally:
            # Whoever thinks elsewhere may never answer; it is not waited for.
            pool.shutdown(wait=False, cancel_futures=True)
            self.save()

    def _run(self, rule: StopRule, watch: Watch, pool: ThreadPoolExecutor) -> Standing:
        self._stop = watch
        room = max(2, min(each.room for each in (*self.players, self._evaluator)))
        pairs = (pair for pair in range(rule.pairs) if pair not in self._pairs)
        waiting = ((pair, seat) for pair in pairs for seat in (0, 1) if (pair, seat) not in self._half)
        games = DuelGames.new(self.start, self.seed, [], self._first)
        seen = self.complete()
        while True:
            if fresh := list(islice(waiting, room - len(games))):
                games = games.joined(DuelGames.new(self.start, self.seed, fresh, self._first))
            self._advance(games, pool)
            over = ~np.isnan(games.result)
            if over.any():
                for i in np.flatnonzero(over):
                    self._note(games, int(i))
                games = games.take(~over)
                if (found := self.verdict(rule, seen)) is not None:
                    return found
                seen = self.complete()
            watch.tell(seen, rule.pairs, "pairs")
            watch.check()
            if time.monotonic() - self._saved > SAVE_SECONDS:
                self.save()

    def _note(self, games: DuelGames, i: int) -> None:
        """Keeps the result of a finished game, and the pair when both its games are there."""
        pair, seat = int(games.pair[i]), int(games.seat[i])
        sign = 1.0 if seat == 0 else -1.0
        self._half[pair, seat] = sign * float(games.result[i]), sign * float(games.luck[i])
        if (pair, 1 - seat) in self._half:
            self._pairs[pair] = (*self._half[pair, 0], *self._half[pair, 1])
            del self._half[pair, 0], self._half[pair, 1]

    def _advance(self, games: DuelGames, pool: ThreadPoolExecutor) -> None:
        """One turn of every game: cube, roll, play."""
        if self.start.limit > 1:
            self._cubes(games, pool)
        going_on = np.isnan(games.result)
        which = np.flatnonzero(going_on & (games.turn <= LONGEST))
        late = np.flatnonzero(going_on & (games.turn > LONGEST))
        fresh = which[(games.turn[which] == 0) & (games.owner[which] < 0)]
        dice = games.dice()

        # Step 1. Plays of both players; our own nets work here while others think elsewhere.
        playing = games.on_roll[which] != games.seat[which]
        shares = [which[~playing], which[playing]]
        decide = [
            partial(player.plays, self._asked(games, share), dice[share])
            for player, share in zip(self.players, shares, strict=True)
        ]
        answers = self._concurrently(decide, shares, pool, lambda: self._luck(games, which, late, fresh, dice))
        for player, share, after in zip(self.players, shares, answers, strict=True):
            if len(share):
                games.boards[share] = array(f"plays of {player.name}", after, np.int8, len(share), kernels.WIDTH)

        # Step 2. The other side's turn, or the end.
        games.on_roll[which] ^= 1
        games.turn[which] += 1
        over = which[classes_of(games.boards[which]) == search.OVER]
        games.finish(over, 1 - games.on_roll[over], points_of(games.boards[over]))

    def _concurrently(
        self,
        decide: Sequence[Callable[[], Any]],
        shares: Sequence[NDArray[np.int64]],
        pool: ThreadPoolExecutor,
        own: Callable[[], None] | None = None,
    ) -> list[Any]:
        """Answers of both players, None for an empty share, and our `own` work done while those outside think."""
        answers: list[Any] = [None, None]
        futures: dict[int, Future[Any]] = {
            i: pool.submit(decide[i]) for i in (0, 1) if self.players[i].waits and len(shares[i])
        }
        for i in (0, 1):
            if i not in futures and len(shares[i]):
                answers[i] = decide[i]()
        if own:
            own()
        for i, future in futures.items():
            while not future.done():
                # Who thinks elsewhere does not hear of a stop.
                wait([future], _GLANCE)
                self._stop.check()
            answers[i] = future.result()
        return answers

    def _asked(self, games: DuelGames, which: NDArray[np.int64]) -> Asked:
        return replace(games.asked(which), stop=self._stop)

    def _luck(
        self,
        games: DuelGames,
        which: NDArray[np.int64],
        late: NDArray[np.int64],
        fresh: NDArray[np.int64],
        dice: NDArray[np.int8],
    ) -> None:
        """Notes the luck of the rolls; games that are too late end with the evaluator's opinion."""
        both = np.concatenate((which, late))
        if not len(both):
            return
        rolls = self._evaluator.rolls(self._asked(games, both))
        means = luck.means(rolls)
        stake = games.cube[both] if self.start.money else np.ones(len(both))
        sign = np.where(games.on_roll[both] == 0, 1.0, -1.0)

        # Step 1. Luck of the side that rolls; the opening roll decides as well who begins.
        value = luck.of_rolls(rolls[: len(which)], dice[which])
        mean = means[: len(which)].copy()
        if len(fresh):
            rows = np.searchsorted(which, fresh)
            theirs = self._evaluator.rolls(replace(games.asked(fresh, other=True), stop=self._stop))
            unit = Unit.EQUITY if self.start.money else Unit.MWC
            mean[rows] = luck.opening_means(rolls[rows], theirs, unit)
        games.luck[which] += ((value - mean) * stake[: len(which)] * sign[: len(which)]).astype(np.float64)

        # Step 2. What does not end.
        rest = slice(len(which), None)
        found = means[rest] if self.start.money else means[rest] - 0.5
        games.result[late] = found * stake[rest] * sign[rest]

    def _cubes(self, games: DuelGames, pool: ThreadPoolExecutor) -> None:
        """Doubles, and the answers to them."""
        which = np.flatnonzero(games.turn > 0)
        asked = games.asked(which)
        may = np.array([state.can_double for state in asked.states], dtype=np.bool_)[asked.groups]
        which = which[may]
        doubled = which[self._decide(games, which, pool, "doubles", 0)]
        taken = self._decide(games, doubled, pool, "takes", 1)
        passed = doubled[~taken]
        games.finish(passed, games.on_roll[passed], np.ones(len(passed), dtype=np.int64))
        games.turn_cube(doubled[taken])

    def _decide(
        self, games: DuelGames, which: NDArray[np.int64], pool: ThreadPoolExecutor, kind: str, answering: int
    ) -> NDArray[np.bool_]:
        """Cube decisions of the side on roll, or of the other one."""
        second = (games.on_roll[which] ^ answering) != games.seat[which]
        shares = [which[~second], which[second]]
        decide = [
            partial(getattr(player, kind), self._asked(games, share))
            for player, share in zip(self.players, shares, strict=True)
        ]
        answers = self._concurrently(decide, shares, pool)
        decided = np.zeros(len(games), dtype=np.bool_)
        for player, share, answer in zip(self.players, shares, answers, strict=True):
            if len(share):
                decided[share] = array(f"{kind} of {player.name}", answer, np.bool_, len(share))
        return decided[which]


def _read(path: Path, settings: dict[str, Any]) -> dict[int, tuple[float, float, float, float]]:
    """The pairs of a state file. Raises `DataFileError` for a damaged one, `SettingsError` for another duel's."""
    try:
        data = read_json(path, ROWS)
        if data["format"] != _FORMAT:
            raise ValueError(f"format {data['format']!r}, expected {_FORMAT!r}")
        found = {"variant": VARIANTS[0]} | dict(data["settings"])
        raw, lucky = (data[name] for name in _COLUMNS)
        pairs = {
            int(number): (float(r0), float(l0), float(r1), float(l1))
            for number, (r0, r1), (l0, l1) in zip(data["numbers"], raw, lucky, strict=True)
        }
        if not all(number >= 0 and all(map(math.isfinite, row)) for number, row in pairs.items()):
            raise ValueError("numbers that cannot be")
    except OSError as error:
        raise DataFileError(f"Cannot read the duel in {path}: {error.strerror}.") from error
    except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
        raise DataFileError(f"{path} holds no duel, or it is damaged ({error}).") from error
    for name, value in settings.items():
        if found.get(name) != value:
            other = f"its {name} is {found.get(name)!r}, here it is {value!r}"
            if name == "start":
                other = "its games have another cube, score or Jacoby rule"
            raise SettingsError(f"{path} holds another duel: {other}.")
    return pairs
