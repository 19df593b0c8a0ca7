"""Numbers and positions as text: what Python and `report.json` say of the same."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from sixprime import Engine, MatchState, Position, kernels, parse, read, sample_match
from sixprime.cli._common import json_line
from sixprime.engine import PlayRequest
from sixprime.engine.search_judge import SearchJudge
from sixprime.kernels import text
from sixprime.report.json import hint_to_dict
from sixprime.report.lines import hint_lines

_EDGES = (
    *(0.0, -0.0, 5e-324, -5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e308),
    *(1e-5, 9.999999999999999e-05, 1e-4, 0.00012345, 1e15, 9999999999999998.0, 1e16, 1e17, 123456789012345680.0),
    *(0.1, 0.3, 0.5, 1 / 3, 1.0, -2.0, 10.0, 100.0, 123.456, 1e22, 1e23, 1e100, -1e-100, 9007199254740993.0),
    *(math.nan, math.inf, -math.inf),
)


def _written(numbers: np.ndarray) -> list[str]:
    rows = text.rows(("", "|", ""), np.zeros((len(numbers), 32), dtype=np.int8), [numbers])
    return [row.split("|")[1] for row in rows]


def _expected(numbers: np.ndarray) -> list[str]:
    return [repr(number) if math.isfinite(number) else "null" for number in numbers.tolist()]


def test_numbers_are_written_as_python_writes_them() -> None:
    random = np.random.default_rng(7)
    powers = np.ldexp(1.0, np.arange(-1074, 1024))
    for numbers in (
        np.array(_EDGES),
        powers,
        np.nextafter(powers, 0),
        np.nextafter(powers, np.inf),
        np.array([float(f"1e{power}") for power in range(-323, 309)]),
        random.integers(-(2**63), 2**63 - 1, 100_000).view(np.float64),
        1.0 - random.random(50_000, dtype=np.float32).astype(np.float64),
        random.normal(size=50_000).round(3),
        random.integers(0, 10**17, 50_000).astype(np.float64),
    ):
        assert _written(numbers) == _expected(numbers)


def test_whole_numbers_and_words() -> None:
    whole = np.array([0, 7, 10, 1234567890123456789])
    boards = np.zeros((4, 32), dtype=np.int8)
    rows = text.rows(("<", "> ", " and ", "!"), boards, [whole, np.array([0.5, -1.0, math.nan, 2e-7])])
    assert rows == [
        "<AAAAAAAAAAAAAA> 0 and 0.5!",
        "<AAAAAAAAAAAAAA> 7 and -1.0!",
        "<AAAAAAAAAAAAAA> 10 and null!",
        "<AAAAAAAAAAAAAA> 1234567890123456789 and 2e-07!",
    ]
    assert text.rows(("", ""), boards[:0], []) == []


def test_position_ids() -> None:
    positions = [
        Position.start(),
        Position.start("nackgammon"),
        Position((0,) * 24 + (15,), (15,) + (0,) * 24),
        Position((0,) * 25, (0,) * 24 + (15,)),
        *(each.position for game in read(sample_match()).games for each in _turns(game)),
    ]
    boards = np.concatenate([kernels.pack(position.board[None]) for position in positions])
    assert len(positions) > 100
    assert text.rows(("", ""), boards, []) == [position.id for position in positions]


def _turns(game):
    return [action for action in game.actions if getattr(action, "position", None) is not None]


@pytest.mark.parametrize(("plies", "count"), [(0, 10), (0, None), (1, 2)])
def test_lines_of_hints_are_those_of_their_objects(plies: int, count: int | None) -> None:
    engine = Engine(threads=1, plies=plies)
    states = (
        MatchState(),
        MatchState(jacoby=False, cube=2, cube_owner=1),
        MatchState(length=7, score=(3, 5)),
        MatchState(length=5, score=(4, 2), cube=2, cube_owner=0),
    )
    texts = ("4HPwATDgc/ABMA", "sOfgAQCY54cCCA", "24cPAAC97wYAAA", "AAAABwAADwAAAA", "bgEAgO4CAAAAAA", "bm+7AAAAAAAAAA")
    positions = [position for position in (parse(each).position for each in texts) if position.is_valid]
    assert len(positions) > 3
    requests = [
        PlayRequest(position, dice, state) for position in positions for dice in ((3, 1), (6, 6)) for state in states
    ]
    judge = engine.judge()
    assert isinstance(judge, SearchJudge)
    lines = hint_lines(judge.told(requests, count))
    judged = engine.rank_plays_many(requests, count=count)
    for line, request, plays in zip(lines, requests, judged, strict=True):
        told = hint_to_dict(request.position, request.state, request.dice, plays)
        assert line == json_line(told)
        assert json.loads(line)["position_id"] == request.position.id
