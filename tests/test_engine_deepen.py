"""Cube decisions that are close after 2 plies are searched a third."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event

import numpy as np
import pytest
from fake_engine import FakeEngine, always, doubling_game, match_of
from hypothesis import given
from hypothesis import strategies as st

from sixprime.analysis.analyse import analyse
from sixprime.analysis.model import AnalysedMatch
from sixprime.engine import PRESETS, Engine, Preset
from sixprime.engine.judge import DOUBTFUL, CubeRequest, deepened, is_doubtful
from sixprime.engine.results import CubeAnalysis
from sixprime.errors import SettingsError, StoppedError
from sixprime.game import ParsedPosition
from sixprime.game.position import Position
from sixprime.players.bot import Asked
from sixprime.players.lobby import Lobby
from sixprime.progress import Watch
from sixprime.theory.scores import score_map
from sixprime.train.truth import read_rows
from sixprime.web.judging import judged

TRUTH = Path(__file__).parent / "data" / "truth.jsonl"


@pytest.fixture(scope="module")
def requests() -> list[CubeRequest]:
    """Close decisions for money and in matches, and a few that are not."""
    rows = [row for row in read_rows(TRUTH) if not row.dice][::12]
    return [(row.position, row.state) for row in rows]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1)


def test_close_ones_are_searched_a_third_ply(engine: Engine, requests: list[CubeRequest]) -> None:
    two, three = (engine.cube_many(requests, plies=plies) for plies in (2, 3))
    close = [bool(is_doubtful(cube.no_double, cube.double_take)) for cube in two]
    assert 3 < sum(close) < len(close) / 2
    wanted = [three[i] if deep else two[i] for i, deep in enumerate(close)]
    assert engine.cube_many(requests) == wanted
    assert [cube.plies for cube in wanted] == [3 if deep else 2 for deep in close]
    first = close.index(True)
    assert engine.cube_action(requests[first][0], match=requests[first][1]) == three[first]


def test_whoever_names_plies_gets_them(requests: list[CubeRequest]) -> None:
    few = requests[:30]
    for plain in (Engine(threads=1, plies=2), Engine(threads=1, level=Preset("own", 2))):
        assert {cube.plies for cube in plain.cube_many(few)} == {2}
    assert {cube.plies for cube in Engine(threads=1, level=Preset("own", 1, deepen=True)).cube_many(few)} == {1}


def test_a_copy_deepens_too(engine: Engine, requests: list[CubeRequest]) -> None:
    few = requests[:30]
    assert pickle.loads(pickle.dumps(engine)).cube_many(few) == engine.cube_many(few)


def test_bots_decide_as_the_engine_does(engine: Engine, requests: list[CubeRequest]) -> None:
    from sixprime import kernels
    from sixprime.cube.state import CubeState

    bot = Lobby(threads=1).bot("standard@2")
    chosen = [(position, state) for position, state in requests if state.cube_limit is None or state.cube_limit > 1]
    states = [CubeState.from_match(state) for _, state in chosen]
    boards = kernels.pack(np.stack([position.board for position, _ in chosen]))
    asked = Asked(boards, states, np.arange(len(states), dtype=np.int32))
    answers = engine.cube_many(chosen)
    may = np.array([cube.available for cube in answers])
    assert (bot.doubles(asked) == [cube.should_double for cube in answers])[may].all()
    assert (bot.takes(asked) == [cube.should_take for cube in answers])[may].all()


@given(st.floats(-1.5, 1.5), st.floats(-3, 3))
def test_doubt_by_hand(no_double: float, double_take: float) -> None:
    gain, passing = min(double_take, 1.0) - no_double, double_take - 1.0
    close = 1e-5 <= abs(gain) < DOUBTFUL or abs(passing) < 2 * DOUBTFUL
    assert bool(is_doubtful(no_double, double_take)) == close
    assert is_doubtful(np.array([no_double]), np.array([double_take])).tolist() == [close]


def test_what_a_rollout_said_and_what_nobody_may_do_is_not_asked_again(
    engine: Engine, requests: list[CubeRequest]
) -> None:
    [close, *_] = [
        cube for cube in engine.cube_many(requests, plies=2) if is_doubtful(cube.no_double, cube.double_take)
    ]
    first = [replace(close, trials=36), replace(close, available=False), replace(close, plies=1), close]
    asked: list[tuple[int, int]] = []

    def ask(some: Sequence[CubeRequest], plies: int, watch: Watch) -> list[CubeAnalysis]:
        asked.append((len(some), plies))
        return first if plies == 2 else engine.cube_many(some, plies=plies)

    found = deepened([(close.position, close.state)] * 4, ask)
    assert (found[:3], found[3].plies) == (first[:3], 3)
    assert asked == [(4, 2), (1, 3)]


@pytest.mark.parametrize(("no_double", "deep"), [(0.5, False), (0.79, True)])
def test_analyses_look_closer(no_double: float, deep: bool) -> None:
    match = match_of(doubling_game().game())
    fake = FakeEngine(cube=always(no_double, 0.8))

    def plies(asked: int) -> set[int]:
        found = analyse(match, fake, plies=asked)
        return {each.cube.plies for game in found.games for each in game.decisions if each.cube is not None}

    assert plies(2) == ({3} if deep else {2})
    assert plies(1) == {1}
    fake.manner = "+11-rolls"
    assert plies(2) == {2}


def test_levels_that_deepen() -> None:
    assert [name for name, preset in PRESETS.items() if preset.deepen] == ["world class", "supremo"]


def test_maps_look_at_all_alike(engine: Engine) -> None:
    """One ply more for some of the squares would show between neighbours."""
    close = Position.from_id("2K7BADGwu8EjAA")
    cells = [cell for row in score_map(engine, close).cells for cell in row]
    assert {cell.cube.plies for cell in cells if cell.cube is not None} == {2}
    assert any(is_doubtful(cell.cube.no_double, cell.cube.double_take) for cell in cells if cell.cube is not None)


def test_bots_that_decide_otherwise_have_another_name(engine: Engine) -> None:
    lobby = Lobby(threads=1, filter="selective")
    assert len({lobby.bot(f"standard@{level}").identity for level in ("quick", "2", "1")}) == 3


def test_progress_counts_both_searches(engine: Engine, requests: list[CubeRequest]) -> None:
    steps: list[tuple[int, int | None]] = []
    found = engine.cube_many(requests, progress=lambda step: steps.append((step.done, step.total)))
    assert {total for _, total in steps} == {len(requests)}
    done = [each for each, _ in steps]
    assert done == sorted(done)
    assert done[-1] == len(requests)
    assert any(len(requests) / 2 < each < len(requests) for each in done)
    assert any(cube.plies == 3 for cube in found)


def test_a_stop_counts_all_decisions(engine: Engine, requests: list[CubeRequest]) -> None:
    def stopped(some: Sequence[CubeRequest], plies: int, watch: Watch) -> list[CubeAnalysis]:
        if plies == 3:
            raise StoppedError(0, len(some), "positions at 3-ply")
        return engine.cube_many(some, plies=plies)

    with pytest.raises(StoppedError, match=rf"of {len(requests)} decisions"):
        deepened(requests, stopped)


def test_a_call_may_ask_for_it_or_not(engine: Engine, requests: list[CubeRequest]) -> None:
    few = requests[:30]
    assert engine.cube_many(few, deepen=False) == engine.cube_many(few, plies=2)
    assert engine.cube_many(few, plies=2, deepen=True) == engine.cube_many(few)
    assert engine.cube_many(few, plies=1, deepen=True) == engine.cube_many(few, plies=1)
    with pytest.raises(SettingsError, match="deepen must be True or False"):
        engine.cube_many(few, deepen="yes")  # type: ignore[arg-type]


def test_a_level_of_other_plies_does_not_go_further(requests: list[CubeRequest]) -> None:
    odd = Engine(threads=1, level=Preset("own", 3, cube_near=(0.35, 0.15, 0.001), deepen=True))
    plain = Engine(threads=1, level=Preset("own", 3, cube_near=(0.35, 0.15, 0.001)))
    assert odd.cube_many(requests[:20]) == plain.cube_many(requests[:20])


@pytest.mark.parametrize(("no_double", "deep"), [(0.5, 2), (0.79, 3)])
def test_what_is_kept_is_what_would_be_found(no_double: float, deep: int) -> None:
    """A closer look at 2 plies is none; a third ply of an analysis at 2 is no analysis at 3."""
    match = match_of(doubling_game().game())
    fake = FakeEngine(cube=always(no_double, 0.8))

    def cubes(found: AnalysedMatch) -> set[int]:
        return {each.cube.plies for game in found.games for each in game.decisions if each.cube is not None}

    fresh = analyse(match, fake)
    fake.manner = "+unusual"
    plain = replace(analyse(match, fake), label=fresh.label)
    fake.manner = ""
    again = analyse(match, fake, known=plain)
    assert (cubes(plain), cubes(again)) == ({2}, {deep})
    assert again.label == fresh.label
    assert analyse(match, fake, plies=3, known=analyse(match, fake)).label == analyse(match, fake, plies=3).label


def test_pages_look_closer(engine: Engine, requests: list[CubeRequest]) -> None:
    [close, *_] = [pair for pair in requests if engine.cube_action(pair[0], match=pair[1]).plies == 3]
    pieces = list(judged(engine, ParsedPosition(*close, None), plies=2, trials=0, count=3, stop=Event()))
    assert [piece["plies"] for piece in pieces] == [0, 1, 3]
    assert [piece["id"] for piece in pieces] == ["0", "1", "2"]
