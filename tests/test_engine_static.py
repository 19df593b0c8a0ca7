"""One decision without search: the kernels of `engine.static` say what the search over many decisions says."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice

import pytest
from golden import Spelled

from sixprime import Engine, MatchState, Position
from sixprime.engine import PlayRequest, static
from sixprime.engine.noise import Noise
from sixprime.engine.signature import _fixed_positions
from sixprime.errors import InvalidPositionError, SettingsError
from sixprime.game.play import Play, Step

STATES = (
    MatchState(),
    MatchState(jacoby=False, cube=2, cube_owner=1),
    MatchState(cube_limit=1),
    MatchState(length=7, score=(3, 5)),
    MatchState(length=5, score=(4, 2), cube=2, cube_owner=0),
    MatchState(length=2),
    MatchState(length=3, score=(2, 0), crawford=True),
    MatchState(length=9, score=(0, 7), cube=4, cube_owner=0, on_roll=1),
)
MODELS = ("fitted", "gnubg-1.07", "newer", "janowski:0.5", "refined:0.6,0.7", "dead", "live")
POSITIONS, ROLLS = _fixed_positions()
ENDS = [Position.from_id(text) for text in ("2+4OAADb7QEAAA", "2x0AAIAtAAAAAA", "fwAAAH8AAAAAAA", "AwAAgAMAAAAAAA")]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1)


def many(engine: Engine, position: Position, dice: tuple[int, int], state: MatchState) -> object:
    return engine.rank_plays_many([PlayRequest(position, dice, state)], plies=0, count=None)[0]


@pytest.mark.parametrize("model", MODELS)
def test_the_same_as_of_many_decisions(model: str) -> None:
    """To the last bit: plays, their order and every number."""
    engine = Engine(threads=1, cube_model=model)
    assert static.can_rank(engine.searcher, engine.cube_model)
    places = MODELS.index(model)
    cases = zip(POSITIONS[places::4], ROLLS[places::4], cycle(STATES), strict=False)
    for position, dice, state in (*cases, *((end, (6, 5), state) for end in ENDS for state in STATES)):
        found = engine.best_plays(position, dice, match=state, plies=0)
        assert isinstance(found, static.Ranking)
        assert found == many(engine, position, dice, state)


@pytest.mark.parametrize("model", ["jump", "jump-linear:0.2", "implied:0.1"])
def test_other_cube_models_are_searched(model: str) -> None:
    engine = Engine(threads=1, cube_model=model)
    found = engine.best_plays(Position.start(), (3, 1), plies=0)
    assert not isinstance(found, static.Ranking)
    assert found == many(engine, Position.start(), (3, 1), MatchState())


def test_who_needs_more_is_searched() -> None:
    assert not isinstance(Engine(threads=1).best_plays(Position.start(), (3, 1), plies=1), static.Ranking)
    noisy = Engine(threads=1, level="beginner")
    assert noisy.searcher.noise == Noise(noisy.level.noise, 0)
    assert not isinstance(noisy.best_plays(Position.start(), (3, 1), plies=0), static.Ranking)
    start = Position.start("hypergammon3")
    engine = Engine(threads=1)
    assert engine.best_plays(start, (3, 1), plies=0) == many(engine, start, (3, 1), MatchState())


def test_a_ranking_is_a_sequence(engine: Engine) -> None:
    found = engine.best_plays(Position.start(), (3, 1), plies=0)
    assert isinstance(found, static.Ranking)
    whole = list(found)
    assert len(found) == len(whole) == 16
    assert [str(play.play) for play in islice(found, 2)] == ["8/5 6/5", "24/23 13/10"]
    assert found[-1] == whole[-1]
    assert found[-1] is found[15]
    assert found[1:3] == whole[1:3]
    assert whole == found
    assert found != whole[:-1]
    assert repr([Spelled(play) for play in found]) == repr([Spelled(play) for play in whole])
    with pytest.raises(IndexError):
        found[16]
    assert all(play.equity_loss == pytest.approx(whole[0].equity - play.equity) for play in whole)


@pytest.mark.parametrize("count", [0, 1, 5, 100])
def test_how_many_are_told(engine: Engine, count: int) -> None:
    every = engine.best_plays(Position.start(), (3, 1), plies=0)
    found = engine.best_plays(Position.start(), (3, 1), plies=0, count=count)
    assert list(found) == list(every)[:count]


def test_no_play_is_made_before_it_is_looked_at(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Position] = []
    new_play = static.new_play

    def noted(steps: tuple[Step, ...], position: Position, result: Position) -> Play:
        made.append(result)
        return new_play(steps, position, result)

    monkeypatch.setattr(static, "new_play", noted)
    found = engine.best_plays(Position.start(), (3, 1), plies=0)
    assert not made
    assert found[0].play.result == found[0].play.result == made[0]
    assert len(made) == 1


def test_threads_do_not_disturb_one_another() -> None:
    engine = Engine(threads=1)
    cases = list(zip(POSITIONS, ROLLS, strict=True))
    alone = [list(engine.best_plays(position, dice, plies=0, count=3)) for position, dice in cases]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda case: list(engine.best_plays(*case, plies=0, count=3)), cases * 3))
    assert together == alone * 3


def test_errors_are_those_of_every_call(engine: Engine) -> None:
    crowded = Position((0,) * 25, (8, 8, *[0] * 23))
    with pytest.raises(InvalidPositionError, match="impossible position"):
        engine.best_plays(crowded, (3, 1), plies=0)
    for wrong in ({"dice": (7, 1)}, {"count": -1}, {"filter": "none such"}, {"match": 5}, {"position": "4HP"}):
        with pytest.raises(SettingsError):
            engine.best_plays(**{"position": Position.start(), "dice": (3, 1), "plies": 0} | wrong)


def test_packed_boards_are_kept_as_they_are() -> None:
    board = static.packed(Position.start())
    assert static.packed(Position.start()) is board
    with pytest.raises(ValueError, match="read-only"):
        board[0] = 1
