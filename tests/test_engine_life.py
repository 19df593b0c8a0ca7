"""Engines begin, are stopped, closed and pickled; work says how far it is in one form."""

from __future__ import annotations

import pickle
import re
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from same_results import same

from sixprime import Engine, MatchState, Position, RolloutSettings, sample_match
from sixprime.analysis.analyse import analyse
from sixprime.analysis.marked import Mark, roll_out_marked
from sixprime.bearoff import Databases, OneSided
from sixprime.bearoff.hyper import Hyper
from sixprime.bearoff.kinds import KINDS
from sixprime.engine import PlayRequest, Preset
from sixprime.engine.executors import Threads
from sixprime.engine.plies import Searcher
from sixprime.errors import EngineError, SettingsError, StoppedError
from sixprime.formats import read
from sixprime.nets.names import path_of
from sixprime.progress import NOBODY, Progress, Watch

START = Position.start()
MIDDLE = Position.from_id("sGfwATDgc/ABMA")
QUICK = RolloutSettings(trials=36, truncation=2, branches=1)
ROLLED = Preset("rolled", 0, rollout=QUICK)
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
REQUESTS = [PlayRequest(position, dice) for position in (START, MIDDLE) for dice in ((3, 1), (6, 4), (5, 5))]


class Later:
    """A stop that is set when it has been looked at so many times."""

    def __init__(self, looks: int) -> None:
        self.left = looks

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


class Closing:
    """A stop that is never set; whoever looks at it finds the engine closed from then on."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def is_set(self) -> bool:
        self.engine.close()
        return False


CALLS: dict[str, Callable[[Engine, object], object]] = {
    "evaluate": lambda engine, stop: engine.evaluate(START, plies=2, stop=stop),
    "evaluate_many": lambda engine, stop: engine.evaluate_many([START, MIDDLE], plies=1, stop=stop),
    "best_plays": lambda engine, stop: engine.best_plays(START, (3, 1), plies=2, stop=stop),
    "rank_plays_many": lambda engine, stop: engine.rank_plays_many(REQUESTS, plies=1, stop=stop),
    "cube_action": lambda engine, stop: engine.cube_action(MIDDLE, plies=2, stop=stop),
    "cube_many": lambda engine, stop: engine.cube_many([(START, MatchState())] * 3, plies=2, stop=stop),
    "bear-off": lambda engine, stop: engine.evaluate(Position.from_id("dwEAAG0DAAAAAA"), plies=2, stop=stop),
    "luck_many": lambda engine, stop: engine.luck_many([(MIDDLE, (3, 1), MatchState())] * 3, stop=stop),
    "evaluate_many at 0-ply": lambda engine, stop: engine.evaluate_many([START] * 600, plies=0, stop=stop),
    "rank_plays_many at 0-ply": lambda engine, stop: engine.rank_plays_many(REQUESTS, plies=0, stop=stop),
    "cube_many at 0-ply": lambda engine, stop: engine.cube_many([(START, MatchState())], plies=0, stop=stop),
    "rollout": lambda engine, stop: engine.rollout(START, settings=QUICK, stop=stop),
    "rollout_plays": lambda engine, stop: engine.rollout_plays(START, (3, 1), 2, settings=QUICK, stop=stop),
    "rollout_cube": lambda engine, stop: engine.rollout_cube(MIDDLE, settings=QUICK, stop=stop),
}


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", CALLS)
def test_work_that_is_stopped_at_once(name: str, threads: int) -> None:
    event = threading.Event()
    event.set()
    with Engine(threads=threads) as engine, pytest.raises(StoppedError, match="stopped after 0") as raised:
        CALLS[name](engine, event)
    assert raised.value.done == 0
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


@pytest.mark.parametrize("name", [name for name in CALLS if not name.startswith("rollout")])
def test_a_search_stopped_on_the_way_leaves_no_trace(name: str) -> None:
    """Wherever it is stopped, the next call has the bits of one that never was."""
    fresh, engine = Engine(threads=1), Engine(threads=1)
    whole, stops = CALLS[name](fresh, None), 0
    for looks in range(60):
        try:
            assert CALLS[name](engine, Later(looks)) == whole
        except StoppedError:
            stops += 1
    assert 0 < stops < 60
    assert CALLS[name](engine, None) == whole


@pytest.mark.parametrize("threads", [1, 2])
def test_a_rollout_that_is_stopped_goes_on(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sixprime.engine.rollout.TASK", (12,) * 5)
    monkeypatch.setattr("sixprime.engine.rollout.SHOWN_EVERY", 0.0)
    monkeypatch.setattr("sixprime.engine.rollout.SHOWN_REST", 0.0)
    engine, stop = Engine(threads=threads), threading.Event()
    told: list[Progress] = []

    def enough(step: Progress) -> None:
        told.append(step)
        if step.done >= 48:
            stop.set()

    settings = replace(QUICK, trials=240)
    found = engine.rollout_plays(START, (3, 1), 2, settings=settings, progress=enough, stop=stop)
    assert not found.finished
    assert 48 <= min(map(len, found.raw)) < 240
    assert [step.done for step in told] == sorted(step.done for step in told)
    assert all((step.total, step.what, step.so_far.finished) == (240, "trials", False) for step in told)
    assert same(engine.extend_rollout(found), engine.rollout_plays(START, (3, 1), 2, settings=settings))


def test_a_level_that_rolls_out_is_stopped_whole() -> None:
    """A judgement by half a rollout would be another one."""
    engine = Engine(threads=1, level=ROLLED)
    for looks in (0, 2, 6, 12):
        with pytest.raises(StoppedError):
            engine.rank_plays_many(REQUESTS, stop=Later(looks))
    told: list[Progress] = []
    engine.rank_plays_many(REQUESTS[:2], progress=told.append)
    assert [step[:3] for step in told if step.what == "rollouts"] == [(1, 2, "rollouts"), (2, 2, "rollouts")]


def test_an_analysis_that_is_stopped() -> None:
    """Searches end with an error; of rollouts what is there stays, and the match is not finished."""
    match = read(sample_match())
    match = replace(match, games=match.games[:1])
    engine = Engine(threads=1)
    with pytest.raises(StoppedError):
        analyse(match, engine, plies=0, stop=Later(0))
    stop = threading.Event()

    def enough(step: Progress) -> None:
        if step.what == "rollouts":
            stop.set()

    found = analyse(match, engine, plies=0, progress=enough, stop=stop, rollout=(engine, QUICK))
    assert not found.finished
    assert sum(play.trials > 0 for decision in found.decisions for play in decision.plays) > 0


def test_an_analysis_rolls_out_as_the_level_does() -> None:
    """A search counts as the level says; what a person marks is rolled out alone."""
    match = read(sample_match())
    match = replace(match, games=match.games[:1])
    plain, pure, mixed = (
        Engine(threads=1, level=level)
        for level in (
            Preset("own", 0),
            Preset("own", 0, rollout=QUICK),
            Preset("own", 0, rollout=QUICK, search_games=108),
        )
    )
    searched = analyse(match, plain, plies=0)
    alone, shared = (analyse(match, each, plies=0, rollout=(each, QUICK)) for each in (pure, mixed))
    assert re.search(r"\+rollout-36-\w+\+search-as-108-games@", shared.label)
    assert shared.settings.endswith("36 games each, the search as 108")
    # Where nothing is rolled out the level searches as any other.
    assert analyse(match, mixed, plies=0).label == searched.label
    cubes = [[each.cube and each.cube.plies for each in analyse(match, level).decisions] for level in (plain, mixed)]
    assert cubes[0] == cubes[1]
    assert 3 in cubes[0]
    seen = 0
    for one, other, found in zip(searched.decisions, alone.decisions, shared.decisions, strict=True):
        values = [{play.play: play for play in each.plays} for each in (one, other, found)]
        for play, known in values[2].items():
            if known.trials:
                equity = 0.25 * values[1][play].equity + 0.75 * values[0][play].equity
                assert known.equity == pytest.approx(equity, abs=1e-9)
                seen += 1
        if found.cube is not None and found.cube.trials:
            assert one.cube is not None
            assert other.cube is not None
            equity = 0.25 * other.cube.no_double + 0.75 * one.cube.no_double
            assert found.cube.no_double == pytest.approx(equity, abs=1e-9)
            seen += 1
    assert seen > 3
    missed = next(each for each in searched.decisions if each.played)
    mark = Mark(missed.game, missed.action, missed.kind, missed.played or 0)
    by_hand = [roll_out_marked(searched, [mark], each, QUICK) for each in (pure, mixed)]
    assert by_hand[0].decisions == by_hand[1].decisions


def test_a_stop_is_heeded_soon() -> None:
    """From another thread, in the middle of a search of minutes; the aim is 0.1 s, and tests share their cores."""
    engine, stop = Engine(threads=2), threading.Event()
    engine.evaluate(START, plies=1)
    set_at: list[float] = []

    def end() -> None:
        set_at.append(time.monotonic())
        stop.set()

    timer = threading.Timer(0.3, end)
    timer.start()
    positions = [play.result for dice in ROLLS for play in START.plays(dice)]
    with pytest.raises(StoppedError):
        engine.evaluate_many(positions, plies=3, stop=stop)
    assert time.monotonic() - set_at[0] < 5


def test_volatilities_inside_a_search_hear_the_stop() -> None:
    """A cube model that asks for them has a judgement of a few positions take a minute."""
    looks = Later(3)
    with Engine(threads=1, cube_model="jump-local") as engine, pytest.raises(StoppedError):
        engine.evaluate_many([play.result for play in START.plays((3, 1))] * 2, plies=0, stop=looks)
    assert looks.left < 0


def test_threads_are_free_again_after_an_interrupt() -> None:
    """Who leaves a search early, be it by Ctrl-C or by a hook that raises, has its other threads end."""
    engine, begun, ended = Engine(threads=3), threading.Barrier(3), threading.Semaphore(0)

    def work(one: Searcher, part: slice) -> int:
        begun.wait(60)
        while part.start and not one.watch.is_set():
            time.sleep(0.01)
        ended.release()
        return part.start

    def interrupt(step: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace(engine.searcher, watch=Watch(interrupt))._in_parts(work, 3, 1, "positions")
    assert all(ended.acquire(timeout=60) for _ in range(3))


def test_tasks_hear_the_stop() -> None:
    heard: list[bool] = []

    def work(task: int, stop: Watch) -> int:
        heard.append(stop.is_set())
        return task

    event = threading.Event()
    results = Threads(1, None).map(work, range(5), Watch(stop=event))
    assert next(results) == (0, 0)
    event.set()
    with pytest.raises(StoppedError):
        next(results)
    assert heard == [False]


# -- databases -------------------------------------------------------------------------------------


def test_builds_are_stopped_and_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIXPRIME_DATA", str(tmp_path))
    with pytest.raises(StoppedError):
        OneSided.build(5, 8, watch=Watch(stop=Later(2)))
    with pytest.raises(StoppedError):
        KINDS["two-sided"].make(5, 4, 1, Watch(stop=Later(3)))
    checkpoint = tmp_path / "checkpoint"
    with pytest.raises(StoppedError):
        Hyper.build(1, threads=1, checkpoint=checkpoint, watch=Watch(stop=Later(8)))
    assert checkpoint.stat().st_size > 0
    resumed = Hyper.build(1, threads=1, checkpoint=checkpoint)
    assert resumed.values.tobytes() == Hyper.build(1, threads=1).values.tobytes()


def test_hypergammon_belongs_to_the_databases() -> None:
    """Two engines of one process may know different games."""
    position = Position.start("hypergammon2")
    asked: list[int] = []

    def nothing(chequers: int) -> None:
        asked.append(chequers)

    without = Engine(threads=1, databases=replace(Databases.standard(), hyper=nothing))
    assert without.evaluate(position, plies=0).position_class == "contact"
    assert set(asked) == {2}
    assert Engine(threads=1).evaluate(position, plies=0).position_class == "hypergammon"


# -- life and pickles ------------------------------------------------------------------------------


def test_a_closed_engine_says_so() -> None:
    match = read(sample_match())
    with Engine(threads=2) as engine:
        view = engine.on(None)
        assert engine.best_plays(START, (3, 1), plies=0)
    for closed in (engine, view):
        for call in (
            lambda engine: engine.best_plays(START, (3, 1), plies=0),
            lambda engine: engine.evaluate(START),
            lambda engine: engine.cube_action(START),
            lambda engine: engine.rollout(START, settings=QUICK),
            lambda engine: engine.luck_many([(MIDDLE, (3, 1), MatchState())]),
            lambda engine: analyse(match, engine, plies=0),
        ):
            with pytest.raises(EngineError, match="closed"):
                call(closed)
    engine.close()


def test_an_engine_that_is_closed_under_its_users_says_so() -> None:
    """Closed between two parts of a work, when no threads take another."""
    engine = Engine(threads=2)
    with pytest.raises(EngineError, match="closed"):
        engine.evaluate_many([MIDDLE] * 3, plies=0, stop=Closing(engine))
    engine = Engine(threads=2)
    begun = threading.Event()
    closing = threading.Thread(target=lambda: begun.wait() and engine.close())
    closing.start()
    result = engine.rollout(MIDDLE, settings=replace(QUICK, trials=1_000_000), progress=lambda _: begun.set())
    closing.join()
    assert not result.finished


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"net": "small", "plies": 0, "filter": "tiny", "prune": False, "cube_model": "jump"},
        {"level": "casual", "noise_seed": None},
        {"level": Preset("other", 0, noise=0.05, deterministic=False)},
        {"level": ROLLED},
    ],
)
def test_an_engine_comes_out_of_a_pickle_as_it_went_in(settings: dict[str, object]) -> None:
    engine = Engine(threads=1, **settings)
    other = pickle.loads(pickle.dumps(engine))
    assert (other.threads, other.level, other.plies, other.filter) == (1, engine.level, engine.plies, engine.filter)
    assert other.fingerprint == engine.fingerprint
    assert other.searcher.noise == engine.searcher.noise
    assert other.rank_plays_many(REQUESTS) == engine.rank_plays_many(REQUESTS)
    assert other.cube_many([(MIDDLE, MatchState(length=5))]) == engine.cube_many([(MIDDLE, MatchState(length=5))])


def test_a_pickle_that_would_judge_otherwise_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "net.safetensors"
    shutil.copy(path_of("small"), path)
    engine = Engine(path, threads=1)
    packed = pickle.dumps(engine)
    assert pickle.loads(packed).fingerprint == engine.fingerprint
    shutil.copy(path_of("standard"), path)
    with pytest.raises(EngineError, match="was pickled"):
        pickle.loads(packed)


def test_what_a_watch_is_told() -> None:
    told: list[Progress] = []
    Watch(told.append).tell(5, 7, "games")
    assert told == [Progress(5, 7, "games")]
    NOBODY.tell(1, 2)
    assert Watch(told.append).silent.progress is None


@pytest.mark.parametrize("plies", ["", None, 0.0, -1, np.zeros(3)])
def test_plies_of_luck_are_checked(plies: object) -> None:
    with pytest.raises(SettingsError, match="plies"):
        Engine(threads=1).luck_many([], plies=plies)  # type: ignore[arg-type]
