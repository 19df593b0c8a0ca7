"""What is said of a position, better and better: plays or the cube at 0, 1 and 2 plies, then rolled out."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sixprime.engine import PlayRequest
from sixprime.game import ParsedPosition
from sixprime.game.match_rules import quiet
from sixprime.report import words
from sixprime.report.json import cube_to_dict, play_to_dict
from sixprime.report.rollout import rollout_to_dict

if TYPE_CHECKING:
    from sixprime.engine import Engine

_SLICE = 36
"""Games of a rollout that are played in one piece."""
_SHOWN = 12
"""Plays that are told."""


def judged(
    engine: Engine, found: ParsedPosition, *, plies: int, trials: int, count: int, stop: threading.Event
) -> Iterator[dict[str, Any]]:
    """The pieces of an analysis. plies: up to which; trials: of the rollout after it, 0: none; count: of its plays."""
    position, state, dice = found
    plain = quiet(state)
    for depth in range(plies + 1):
        if dice is not None:
            request = PlayRequest(position, dice, plain)
            (plays,) = engine.rank_plays_many([request], plies=depth, count=_SHOWN, stop=stop)
            yield {"kind": "plays", "plies": depth, "plays": [play_to_dict(play) for play in plays]}
        else:
            cube = engine.cube_action(position, match=plain, plies=depth, stop=stop)
            rows = [[name, equity, mwc] for name, equity, mwc in words.cube_rows(cube)]
            yield {
                "kind": "cube",
                "plies": depth,
                "rows": rows,
                "best": words.best_cube_row(cube),
                "chances": list(words.six_chances(cube.probabilities)),
                "cube": cube_to_dict(cube),
            }
    if not trials:
        return
    if dice is not None:
        result = engine.rollout_plays(position, dice, count, match=plain, trials=_SLICE, stop=stop)
    elif cube.available:
        result = engine.rollout_cube(position, match=plain, trials=_SLICE, stop=stop)
    else:
        result = engine.rollout(position, match=plain, trials=_SLICE, stop=stop)
    while True:
        yield {"kind": "rollout", "wanted": trials, "rollout": rollout_to_dict(result)}
        if result.trials >= trials or stop.is_set():
            return
        result = engine.extend_rollout(result, trials=min(trials, result.trials + _SLICE), stop=stop)


def unrolled(found: ParsedPosition) -> ParsedPosition:
    """Before the dice."""
    state = replace(quiet(found.state), dice=None)
    return ParsedPosition(found.position, state, None)
