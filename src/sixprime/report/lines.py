"""Ranked plays of thousands of decisions as lines of JSON, faster than `report.json`, which says the same."""

from __future__ import annotations

from functools import lru_cache
from json import dumps

from sixprime.engine.judge import steps_of
from sixprime.engine.told import Told
from sixprime.game.play import format_steps
from sixprime.kernels.text import rows
from sixprime.report.words import match_id


def hint_lines(told: Told) -> list[str]:
    """`hint_to_dict` of many searched decisions as lines of JSON, with no object for each play."""
    columns = *told.outcomes.T, told.equities, told.losses, told.cubeless, told.chances, told.plies, told.efficiencies
    plays = iter(rows(_PLAY_WORDS, told.boards, columns))
    codes = told.routes.tobytes()
    names = iter([_written(codes[at : at + 8]) for at in range(0, len(codes), 8)])
    # Requests share their states, often by the thousand.
    states = {id(request.state): request.state for request in told.requests}
    ids = {which: dumps(match_id(state)) for which, state in states.items()}
    lines = []
    positions = rows(("", ""), told.before, ())
    for request, position, share in zip(told.requests, positions, told.shares.tolist(), strict=True):
        shown = ", ".join([f'{{"play": "{next(names)}{next(plays)}' for _ in range(share)])
        head = f'{{"position_id": "{position}", "match_id": {ids[id(request.state)]}, "dice": {[*request.dice]}'
        lines.append(f'{head}, "plays": [{shown}]}}')
    return lines


_PLAY_WORDS = (
    '", "position_id": "',
    '", "probabilities": [',
    *4 * (", ",),
    '], "equity": ',
    ', "equity_loss": ',
    ', "cubeless_equity": ',
    ', "mwc": ',
    ', "plies": ',
    ', "effective_x": ',
    ', "trials": 0, "equity_error": null}',
)
"""What stands around the numbers of a searched play, as `play_to_dict` has them."""


@lru_cache(maxsize=1 << 14)
def _written(code: bytes) -> str:
    """The notation of a row of `kernels.routes`."""
    return format_steps(steps_of(code))
