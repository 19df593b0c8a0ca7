"""Running rollouts: which trials are needed, who plays them, when to stop.

Trial n of an alternative depends only on the settings and n, and everything reported is computed from the trials in
their order. So threads, tasks, interrupts and resumptions never change a bit.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sixprime.cube.model import CubeModel
from sixprime.engine.executors import Executor, Threads, Work
from sixprime.engine.plies import Searcher
from sixprime.engine.rollout_play import RolloutPlayer
from sixprime.engine.rollout_result import RolloutResult, estimates_of
from sixprime.engine.rollout_settings import ROUND, STEP, RolloutSettings
from sixprime.engine.trials import Trials
from sixprime.errors import EngineError, SettingsError, StoppedError
from sixprime.progress import NOBODY, Stop, Watch

TASK = (216, 72, 36, 12, 6)
"""Trials per task by the deepest search in it: about a second of work for shallow ones."""
SHOWN_EVERY = 0.25
"""Seconds between two reports of progress."""
SHOWN_REST = 20.0
"""So many times as long as a report took, no other is made."""

_log = logging.getLogger("sixprime")


@dataclass(frozen=True, slots=True, order=True)
class Task:
    """Trials first to last - 1 of one alternative. Doing a task twice gives the same results."""

    first: int
    last: int
    alternative: int


def advance(
    result: RolloutResult,
    settings: RolloutSettings,
    searcher: Searcher,
    model: CubeModel,
    watch: Watch = NOBODY,
    executor: Executor | None = None,
    work: Work[Task, Trials] | None = None,
    keep: bool = True,
) -> RolloutResult:
    """Adds trials until `settings` ask for no more; trials that `result` has are kept.

    watch: is told the trials of the alternative that has fewest, with the rollout so far. executor, work: who does the
    tasks and what is done there, None for the threads of `searcher`. A stop, an interrupt (Ctrl-C) or an executor that
    fails ends it early: what all trials before the first missing one say is returned, not `finished`; the failure is
    logged. Without any trials, or not to `keep` them, StoppedError, KeyboardInterrupt and EngineError go on. Raises
    SettingsError when the settings would have made other trials.
    """
    if _identity(settings) != _identity(result.settings):
        raise SettingsError("only the trials and limits of a rollout may change when it is extended.")
    players = [
        RolloutPlayer(searcher, result.met, alternative.root, settings, model) for alternative in result.alternatives
    ]

    def play(task: Task, stop: Stop) -> Trials:
        return players[task.alternative].play(task.first, task.last, stop)

    executor, work = executor or Threads(searcher.threads, searcher.pool), work or play
    have = [_Series(trials) for trials in result.raw]
    checked = result.checked
    next_report = time.monotonic() + SHOWN_EVERY

    def snapshot(finished: bool) -> RolloutResult:
        raw = tuple(series.joined() for series in have)
        return replace(result, settings=settings, raw=raw, checked=checked, finished=finished)

    def told(found: RolloutResult) -> RolloutResult:
        watch.tell(min(settings.trials, *map(len, have)), settings.trials, "trials", found)
        return found

    try:
        while True:
            # Step 1. Who goes on is decided from the trials up to the last check alone: where an earlier run was
            # interrupted does not matter.
            target = min(_next_look(checked, settings), settings.trials)
            if settings.stop_error is None and settings.stop_jsd is None:
                target = settings.trials
            wanted = _wanted(result, have, checked, settings)
            if not wanted or all(len(series) >= settings.trials for series in have):
                return told(snapshot(True))

            # Step 2. Play the trials that are missing.
            size = TASK[_depth(settings)]
            tasks = sorted(
                Task(first, min(first + size, target), i) for i in wanted for first in range(len(have[i]), target, size)
            )
            waiting: dict[Task, Trials] = {}
            for index, trials in executor.map(work, tasks, Watch(stop=watch.stop)):
                waiting[tasks[index]] = trials
                _merge(waiting, have)
                done = min(map(len, have))
                if watch.progress and time.monotonic() >= next_report and 1 < done < settings.trials:
                    start = time.monotonic()
                    told(snapshot(False))
                    next_report = time.monotonic() + max(SHOWN_EVERY, SHOWN_REST * (time.monotonic() - start))
            checked = _last_look(target, settings)
            if target == settings.trials:
                return told(snapshot(True))
    except (KeyboardInterrupt, StoppedError, EngineError) as error:
        played = min(map(len, have))
        if not keep or not played:
            if isinstance(error, StoppedError):
                raise StoppedError(played, settings.trials, "trials") from None
            raise
        if isinstance(error, EngineError):
            _log.warning("%s", error)
        return snapshot(all(len(series) >= settings.trials for series in have))


class _Series:
    """Trials of one alternative, which come in parts and are joined when they are looked at."""

    def __init__(self, trials: Trials) -> None:
        self._parts = [trials]
        self._length = len(trials)

    def __len__(self) -> int:
        return self._length

    def append(self, trials: Trials) -> None:
        """Adds the next trials."""
        self._parts.append(trials)
        self._length += len(trials)

    def joined(self) -> Trials:
        """All of them."""
        if len(self._parts) > 1:
            self._parts = [Trials.join(self._parts)]
        return self._parts[0]


def _identity(settings: RolloutSettings) -> RolloutSettings:
    """What trials depend on: the settings without how many there are."""
    return replace(settings, trials=1, stop_error=None, stop_jsd=None, minimum=STEP)


def _depth(settings: RolloutSettings) -> int:
    """The deepest search that happens at every turn."""
    players = settings.players + (settings.later or ())
    return max(max(player.plies, player.cube_plies - 1) for player in players)


def _next_look(checked: int, settings: RolloutSettings) -> int:
    """After how many trials the limits are looked at next: at the minimum, if that is small then at twice as many each
    time, and every STEP."""
    look = -(-settings.minimum // ROUND) * ROUND
    while look <= checked and look < STEP:
        look *= 2
    return look if look < STEP else (checked // STEP + 1) * STEP


def _last_look(trials: int, settings: RolloutSettings) -> int:
    """The last of these looks when there are so many trials, 0 before the first."""
    look = trials // STEP * STEP
    while (later := _next_look(look, settings)) <= trials:
        look = later
    return look


def _wanted(result: RolloutResult, have: Sequence[_Series], checked: int, settings: RolloutSettings) -> list[int]:
    """The alternatives that go on, judged by the first `checked` trials."""
    everybody = list(range(len(result.alternatives)))
    if checked < settings.minimum or (settings.stop_error is None and settings.stop_jsd is None):
        return everybody
    raw = [series.joined()[:checked] for series in have]
    estimates = estimates_of(result.kind, result.state, settings, result.alternatives, raw, result.met)
    if settings.stop_error is not None and all(e.equity_error <= settings.stop_error for e in estimates):
        return []
    if settings.stop_jsd is None or len(everybody) == 1:
        return everybody
    if result.kind == "cube":
        # Both questions must be settled: double or not, and take or pass.
        no_double, take = estimates
        double = max(no_double.jsd, take.jsd)
        answer = abs(take.equity - 1.0) / take.equity_error if take.equity_error > 0.0 else math.inf
        return [] if min(double, answer) > settings.stop_jsd else everybody
    near = [i for i in everybody if estimates[i].jsd <= settings.stop_jsd]
    return near if len(near) > 1 else []


def _merge(waiting: dict[Task, Trials], have: Sequence[_Series]) -> None:
    """Appends to each alternative's trials those that follow on them."""
    for task in sorted(waiting):
        if task.first == len(have[task.alternative]):
            have[task.alternative].append(waiting.pop(task))
