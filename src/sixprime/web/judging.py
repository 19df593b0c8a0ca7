"""What is said of a position, better and better: plays or the cube at 0, 1 and 2 plies, then rolled out."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sixprime.engine import PlayRequest
from sixprime.engine.filters import Level, MoveFilter
from sixprime.game import ParsedPosition
from sixprime.game.match_rules import quiet
from sixprime.report import words
from sixprime.report.json import cube_to_dict, play_to_dict
from sixprime.report.rollout import rollout_to_dict

if TYPE_CHECKING:
    from sixprime.engine import Engine
    from sixprime.engine.rollout_result import RolloutResult

_SLICE = 36
"""Games of a rollout that are played in one piece."""
_SHOWN = 12
"""Plays that are told."""
_KEPT = 64
"""Rollouts that are remembered."""


class Rolled:
    """Rollouts that were told of lately, so that whoever comes back, or wants more, goes on with them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[Hashable, RolloutResult] = OrderedDict()

    def get(self, key: Hashable) -> RolloutResult | None:
        """As far as it has come, None where nothing is known."""
        with self._lock:
            return self._known.get(key)

    def put(self, key: Hashable, result: RolloutResult) -> None:
        """Keeps it, in place of what was known."""
        with self._lock:
            known = self._known.pop(key, result)
            self._known[key] = max(known, result, key=lambda each: each.trials)
            while len(self._known) > _KEPT:
                self._known.popitem(last=False)


def judged(
    engine: Engine,
    found: ParsedPosition,
    *,
    plies: int,
    trials: int,
    count: int,
    stop: threading.Event,
    rolled: Rolled | None = None,
    told: str = "",
) -> Iterator[dict[str, Any]]:
    """The pieces of an analysis, each with an id. plies: up to which; trials: of the rollout after it, 0: none; count:
    of its plays. rolled: what has been rolled out before. told: the id of the last piece that need not be told again.
    """
    position, state, dice = found
    plain, moves = quiet(state), insisting(engine.filter)
    rolling = told.startswith("r")
    for depth in range(int(told) + 1 if told.isdecimal() else plies + 1 if rolling else 0, plies + 1):
        if dice is not None:
            request = PlayRequest(position, dice, plain)
            (plays,) = engine.rank_plays_many([request], plies=depth, filter=moves, count=_SHOWN, stop=stop)
            yield {"id": f"{depth}", "kind": "plays", "plies": depth, "plays": [play_to_dict(play) for play in plays]}
        else:
            cube = engine.cube_action(position, match=plain, plies=depth, stop=stop)
            rows = [[name, equity, mwc] for name, equity, mwc in words.cube_rows(cube)]
            yield {
                "id": f"{depth}",
                "kind": "cube",
                "plies": depth,
                "rows": rows,
                "best": words.best_cube_row(cube),
                "chances": list(words.six_chances(cube.probabilities)),
                "cube": cube_to_dict(cube),
            }
    if not trials:
        return
    rolled, key = rolled or Rolled(), (position, plain, dice, count)
    result = rolled.get(key)
    if result is None:
        if dice is not None:
            result = engine.rollout_plays(position, dice, count, match=plain, trials=_SLICE, stop=stop)
        elif engine.cube_action(position, match=plain, plies=0).available:
            result = engine.rollout_cube(position, match=plain, trials=_SLICE, stop=stop)
        else:
            result = engine.rollout(position, match=plain, trials=_SLICE, stop=stop)
        rolled.put(key, result)
    while True:
        wanted = max(trials, result.trials)
        if told != f"r{result.trials}":
            yield {"id": f"r{result.trials}", "kind": "rollout", "wanted": wanted, "rollout": rollout_to_dict(result)}
        if result.trials >= trials or stop.is_set():
            return
        result = engine.extend_rollout(result, trials=min(trials, result.trials + _SLICE), stop=stop)
        rolled.put(key, result)


def insisting(moves: MoveFilter) -> MoveFilter:
    """The same filter, by which a play that stands out alone is searched, too: whoever looks at it wants its worth."""
    depths = tuple(tuple(map(_insisting, levels)) for levels in moves.depths)
    return MoveFilter(moves.name, depths)


def _insisting(level: Level) -> Level:
    return replace(level, accept=1, extra=max(0, level.extra - 1)) if level.accept == 0 else level


def unrolled(found: ParsedPosition) -> ParsedPosition:
    """Before the dice."""
    state = replace(quiet(found.state), dice=None)
    return ParsedPosition(found.position, state, None)
