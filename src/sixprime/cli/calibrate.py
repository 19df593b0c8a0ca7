"""`sixprime calibrate`: how long things take on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from sixprime.cli._common import Flag, Threads, print_json
from sixprime.paths import sample_match
from sixprime.settings import make_engine

if TYPE_CHECKING:
    from sixprime.engine import Engine

_LABELS = {
    "hint_2ply": "best play, 2-ply",
    "match_0ply": "7-point match, 0-ply",
    "match_2ply": "7-point match, 2-ply",
    "rollout_1296": "rollout, 1,296 games to the end",
    "rollout_1296_cut": "rollout, 1,296 games cut after 10 turns",
    "rollout_1296_2ply_cube": "rollout, 1,296 games, 2-ply cube",
    "rollout_1296_2ply_play": "rollout, 1,296 games, 2-ply play and cube",
}


def calibrate(
    *,
    threads: Threads = None,
    seconds: Annotated[float, Parameter(validator=Number(gt=0, lte=600))] = 2.0,
    json: Flag = False,
) -> int:
    """Say how long common jobs will take on this machine, judged by small samples of them.

    Parameters
    ----------
    threads
        How many threads to use; by default all cores.
    seconds
        About how long to measure each job.
    json
        Print one JSON object of seconds by job.
    """
    times = measure(make_engine(threads=threads), seconds)
    if json:
        print_json(times)
        return 0
    for key, label in _LABELS.items():
        print(f"{label:<44}{_duration(times[key]):>16}")
    print(f"{'threads':<44}{times['threads']:>16}")
    return 0


def measure(engine: Engine, seconds: float) -> dict[str, float]:
    """Seconds that jobs take on all threads of the engine, each measured for about `seconds`."""
    from sixprime.analysis.analyse import analyse
    from sixprime.engine import PlayerSettings, PlayRequest
    from sixprime.formats import read_all
    from sixprime.game import ActionKind, Match, Position

    [match] = read_all(sample_match())
    start = Position.start()
    actions = [action for game in match.games for action in game.actions if action.kind is ActionKind.MOVE]
    requests = [PlayRequest(a.position, a.dice, a.state.with_dice(None)) for a in actions if a.dice is not None][::8]

    def rollout(count: int, plies: int = 0, cube_plies: int = 0, truncation: int = 0) -> None:
        engine.forget()
        player = PlayerSettings(plies, cube_plies)
        engine.rollout(start, trials=count, players=(player, player), truncation=truncation)

    def rank(count: int) -> None:
        engine.forget()
        for request in requests[:count]:
            engine.rank_plays_many([request], plies=2)

    def judge(match: Match, plies: int) -> None:
        engine.forget()
        analyse(match, engine, plies=plies)

    # One game of the match that ships stands for the others.
    game = max(match.games, key=lambda game: len(game.actions))
    share = sum(len(game.actions) for game in match.games) / len(game.actions)
    return {
        "hint_2ply": _per_unit(rank, len(requests), seconds),
        "match_0ply": _seconds(lambda: judge(match, 0)),
        "match_2ply": share * _seconds(lambda: judge(replace(match, games=(game,)), 2)),
        "rollout_1296": 1296 * _per_unit(rollout, 1296, seconds),
        "rollout_1296_cut": 1296 * _per_unit(lambda n: rollout(n, truncation=10), 1296, seconds),
        "rollout_1296_2ply_cube": 1296 * _per_unit(lambda n: rollout(n, cube_plies=2), 1296, seconds),
        "rollout_1296_2ply_play": 1296 * _per_unit(lambda n: rollout(n, 2, 2), 1296, seconds),
        "threads": engine.threads,
    }


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _per_unit(work: Callable[[int], object], most: int, seconds: float) -> float:
    """Seconds per unit of `work`, which does as many as it is told; the sample grows until it takes long enough."""
    work(1)
    count = 1
    while True:
        elapsed = _seconds(partial(work, count))
        if elapsed >= seconds / 2 or count >= most:
            return elapsed / count
        count = min(most, max(2 * count, int(count * seconds / max(elapsed, 1e-6) / 1.5)))


def _duration(seconds: float) -> str:
    """Such as `0.8 s`, `45 s` or `3 min 20 s`."""
    if seconds < 10:
        return f"{seconds:.3g} s"
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 120:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
