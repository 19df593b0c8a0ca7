"""Levels: move filters of both generations, noise, presets, truncated rollouts, plies 0 to 4."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sixprime
from sixprime import formats, kernels
from sixprime.cube.state import MONEY as MONEY_CUBE
from sixprime.cube.tree import expand_states
from sixprime.engine import (
    FILTERS,
    PRESETS,
    CubeAnalysis,
    Engine,
    MoveFilter,
    PlayRequest,
    Preset,
    RolloutSettings,
    signature,
)
from sixprime.engine import plies as searching
from sixprime.engine import rolls as reduction
from sixprime.engine.filters import SKIP, Level, get_filter
from sixprime.engine.noise import Noise
from sixprime.engine.presets import get_preset
from sixprime.engine.volatility import jump_volatilities
from sixprime.errors import SettingsError
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.kernels.replies import best_replies
from sixprime.kernels.search import classify, judge
from sixprime.learn import OpeningBooks

START = Position.start()
MIDDLE = Position.from_id("mGfwATDgc/ABMA")
ENDING = Position.from_board([[2, 2, 3, 2, 1, 1] + 19 * [0], [1, 3, 2, 2, 2, 2] + 19 * [0]])


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1)


@pytest.mark.parametrize(("dice", "best"), [((6, 2), "24/18 13/11"), ((4, 1), "24/23 13/9")])
def test_the_worked_example_of_the_manual(engine: Engine, dice: tuple[int, int], best: str) -> None:
    """The opening by the Normal filter: at most eight plays within .16 are searched, and what is alone is not.

    The manual says 6-2; its table is that of 4-2, of which our net leaves a single play.
    """
    plays = engine.best_plays(START, dice, plies=2, filter="normal")
    static = engine.best_plays(START, dice, plies=0)
    near = [p.play for p in static if p.equity >= static[0].equity - 0.16][:8]
    assert 2 <= len(near) < len(static)
    assert {p.play for p in plays if p.plies == 2} == set(near)
    assert str(plays[0].play) == best
    # Two plays are searched, one of them is left at 2 plies: none sees 4.
    two = [next(p for p in plays if p.play == candidate.play).equity for candidate in static[:2]]
    gap = abs(two[0] - two[1])
    assert gap > 0.0
    quick = MoveFilter.alternating("quick", Level(0, 2, 0.16), Level(0, 2, 0.9 * gap))
    deep = engine.best_plays(START, dice, plies=4, filter=quick)
    assert [p.plies for p in deep[:3]] == [2, 2, 0]


def test_where_one_play_stands_out_nothing_is_searched(engine: Engine) -> None:
    strict = MoveFilter.alternating("strict", Level(0, 8, 0.0), SKIP)
    plays = engine.best_plays(START, (3, 1), plies=1, filter=strict)
    assert {p.plies for p in plays} == {0}
    kept = MoveFilter.alternating("kept", Level(1, 0, 0.0), SKIP)
    assert [p.plies for p in engine.best_plays(START, (3, 1), plies=1, filter=kept)[:2]] == [1, 0]
    other = plays[3].play
    [both] = engine.rank_plays_many([PlayRequest(START, (3, 1), must_include=other)], plies=1, filter=strict, count=1)
    assert [p.plies for p in both] == [1, 1]


def test_filters_of_both_generations() -> None:
    def numbers(name: str, plies: int) -> list[tuple[int, int, float] | None]:
        levels = [FILTERS[name].level(ply, plies) for ply in range(plies)]
        return [level and (level.accept, level.extra, level.threshold) for level in levels]

    assert numbers("normal", 4) == [(0, 8, 0.16), None, (0, 2, 0.04), None]
    assert numbers("large", 3) == [(0, 16, 0.32), None, (0, 4, 0.08)]
    assert numbers("normal-2025", 2) == [(0, 12, 0.24), (0, 6, 0.12)]
    assert numbers("large-2025", 4) == [(0, 32, 0.4), (0, 16, 0.2), (0, 8, 0.1), (0, 6, 0.08)]
    assert FILTERS["normal"].level(0, 0) is None
    assert MoveFilter("own", ((Level(1, 0, 0.0),),)).level(0, 2) is None


def test_every_ply_is_filtered_by_the_newer_sets(engine: Engine) -> None:
    plays = engine.best_plays(START, (5, 2), plies=2, filter="normal-2025")
    assert [p.plies for p in plays] == sorted((p.plies for p in plays), reverse=True)
    assert {p.plies for p in plays} == {0, 1, 2}


def test_filters_as_text() -> None:
    three = get_filter(" 2+6@.16 / -/0+2@0.04")
    assert [three.level(ply, 3) for ply in range(3)] == [Level(2, 6, 0.16), None, Level(0, 2, 0.04)]
    assert three.level(0, 1) == three.level(0, 4) == Level(2, 6, 0.16)
    assert three.text == "2+6@0.16/-/0+2@0.04"
    own = MoveFilter("own", ((Level(1, 0, 0.0),), (), (SKIP, Level(0, 9, 1e-7))))
    assert own.text == "1+0@0;-;-/0+9@1e-07"
    one = MoveFilter("one", ((Level(1, 0, 0.0),),))
    assert one.text == "1+0@0;-"
    none, odd = MoveFilter("none", ()), MoveFilter("odd", ((Level(0, np.int64(9), np.float64(1e-7)),), (), (SKIP,), ()))  # type: ignore[arg-type]
    deep = MoveFilter("deep", ((), (), (Level(1, 2, 1000),), (SKIP, SKIP, SKIP, Level(0, 9999, 0.5))))
    for moves in (three, own, one, none, odd, deep, *FILTERS.values()):
        again = get_filter(moves.text)
        assert again.text == moves.text
        assert all(again.level(ply, n) == moves.level(ply, n) for n in range(1, 5) for ply in range(n))


@given(
    st.lists(
        st.lists(
            st.just(SKIP)
            | st.builds(
                Level, st.integers(-1, 9999), st.integers(0, 9999), st.floats(0, 1000), st.just(0.0) | st.floats(0, 9)
            ),
            max_size=4,
        ),
        max_size=4,
    )
)
def test_any_filter_is_read_back(levels: list[list[Level]]) -> None:
    moves = MoveFilter("any", tuple(tuple(own[:n]) for n, own in enumerate(levels, 1)))
    again = get_filter(moves.text)
    assert again.text == moves.text
    assert all(again.level(ply, n) == moves.level(ply, n) for n in range(1, 5) for ply in range(n))


def test_equal_filters_have_one_text() -> None:
    assert [f.text for f in FILTERS.values()] == list(FILTERS)
    assert get_filter(" NORMAL").text == get_filter("0+8@.16/-/0+2@.04").text == "normal"
    assert get_filter("0+8@.1/-/-").text == get_filter("00+8@0.100").text == get_filter("0+8@1E-1").text == "0+8@0.1"
    impostor = MoveFilter("normal", FILTERS["tiny"].depths)
    assert impostor.text == "tiny"


def test_a_match_is_analysed_with_a_filter_of_ones_own() -> None:
    match = formats.read(Path(__file__).parent / "data" / "mat" / "all_cells.mat")
    own = MoveFilter("own", ((Level(0, 2, 0.04),),))
    reports = [
        sixprime.analyse(match, Engine(threads=1, filter=own), plies=0),
        sixprime.analyse(match, Engine(threads=1), plies=0, filter=own),
        sixprime.analyse(match, Engine(threads=1), plies=0, filter="0+2@.040;-"),
    ]
    assert {report.settings for report in reports} == {"0-ply, 0+2@0.04;-"}
    with pytest.raises(SettingsError, match="Got '' instead"):
        sixprime.analyse(match, plies=0, filter="")


@pytest.mark.parametrize(
    "text", ["", "0+8", "+8@.1", "0+8@", "0+8@.", "0+8@1e5", "-1+8@.1", "0+8@.1//-", "0+8@.1,-", "0+\u0668@.1", None, 3]
)
def test_no_filter(text: Any) -> None:
    with pytest.raises(SettingsError, match=r"filter must be one of .*, or levels such as"):
        get_filter(text)


@pytest.mark.parametrize("text", ["-/-/-/-/-", "-;-;-;-;-", "-/-;-"])
def test_filter_for_too_many_plies(text: str) -> None:
    with pytest.raises(SettingsError, match=r"looks 4 plies ahead at most|2 levels for searches of 1-ply"):
        get_filter(text)


def test_what_moved_goes_on() -> None:
    level = Level(0, 3, 0.019, 0.5)
    equities, before = np.array([0.5, 0.47, 0.46, 0.44, 0.43]), np.array([0.4, 0.37, 0.4, 0.34, 0.2])
    # Their distances were 0, .03, 0, .06 and .2, and moved by 0, 0, .04, 0 and .13.
    assert level.kept(equities, before).tolist() == [0, 4]
    assert Level(0, 9, 0.021, 0.5).kept(equities, before).tolist() == [0, 4, 2]
    assert Level(3, 0, 0.0, 0.5).kept(equities, before).tolist() == [0, 4, 2]
    assert Level(0, 9, 0.04).kept(equities, before).tolist() == [0, 1, 2]
    assert str(level) == "0+3@0.019~0.5"
    with pytest.raises(SettingsError, match="moved must be a number from 0 to 1000"):
        Level(0, 3, 0.019, -1)


@pytest.mark.parametrize(("position", "dice"), [(START, (2, 1)), (START, (6, 4)), (MIDDLE, (5, 2)), (ENDING, (6, 1))])
def test_a_selective_search_is_as_its_filter_says(
    engine: Engine, position: Position, dice: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three plies, ply by ply with what a play-by-play search of everything says, each ply by itself."""
    whole = MoveFilter("whole", ((), (), ()))
    with monkeypatch.context() as patch:
        patch.setattr(searching, "STATIC_SHARE", 0.0)
        every = [
            {p.play.result: p.equity for p in engine.best_plays(position, dice, plies=depth, filter=whole)}
            for depth in range(4)
        ]
    alive, deepest = list(every[0]), dict.fromkeys(every[0], 0)
    for ply, level in enumerate(FILTERS["selective"].depths[2]):
        alive.sort(key=lambda play: -every[ply][play])
        best, last = alive[0], max(0, ply - 1)

        def distance(play: Position, at: int, best: Position = best) -> float:
            return every[at][best] - every[at][play]

        reach = {p: level.moved * abs(distance(p, ply) - distance(p, last)) - distance(p, ply) for p in alive[1:]}
        near = sorted((p for p in reach if reach[p] >= -level.threshold), key=lambda play: -reach[play])
        alive = [best, *near][: level.accept + level.extra]
        if len(alive) == 1:
            break
        deepest |= dict.fromkeys(alive, ply + 1)
    found = engine.best_plays(position, dice, plies=3, filter="selective")
    assert {p.play.result: p.plies for p in found} == deepest
    assert all(p.equity == pytest.approx(every[p.plies][p.play.result], abs=1e-9) for p in found)


def test_cube_decisions_are_searched_on_near_a_border(engine: Engine) -> None:
    selective = Engine(threads=1, level=Preset("own", 2, cube_near=(0.3, 0.05)))
    positions, _ = signature._fixed_positions()
    requests = [
        (p, MatchState(length=7, score=(i % 5, i % 3)) if i % 2 else MatchState()) for i, p in enumerate(positions)
    ]
    found = selective.cube_many(requests)
    plain = [engine.cube_many(requests, plies=plies) for plies in range(3)]

    def near(cube: CubeAnalysis, reach: float) -> bool:
        return min(abs(cube.no_double - min(cube.double_take, 1)), abs(cube.double_take - 1)) < reach

    for i, cube in enumerate(found):
        ply = 0 if not near(plain[0][i], 0.3) else 1 if not near(plain[1][i], 0.05) else 2
        assert cube == plain[ply][i]
    assert {cube.plies for cube in found} == {0, 1, 2}
    assert selective.cube_many(requests[:1]) == found[:1]
    # Where nobody may double there is no border, and the position is worth what the search to the end says.
    theirs = MatchState(cube=2, cube_owner=0)
    assert selective.cube_action(MIDDLE, match=theirs) == engine.cube_action(MIDDLE, match=theirs, plies=2)
    assert "cubes near 0.3 0.05" in selective.identity
    assert selective.manner == "+cubes-near-0.3-0.05"
    for wrong in ([0.3], (0.3,) * 5):
        with pytest.raises(SettingsError, match="cube_near must be a tuple of at most 4"):
            Preset("own", 2, cube_near=wrong)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match=r"cube_near\[1\] must be a number from 0 to 1000"):
        Preset("own", 2, cube_near=(0.1, -1))


def test_bad_levels() -> None:
    for numbers in (
        (-2, 0, 0.0),
        (0, -1, 0.0),
        (0, 0, -0.1),
        (0, 0, float("nan")),
        (0, 10_000, 0.1),
        (0, 1, 1e9),
        (1.5, 0, 0.1),
    ):
        with pytest.raises(SettingsError, match=r"must be a (whole )?number from"):
            Level(*numbers)
    with pytest.raises(SettingsError, match="2 levels for searches of 1-ply"):
        MoveFilter("own", ((SKIP, SKIP),))
    with pytest.raises(SettingsError, match=r"level must be one of beginner, .*Got 'god'"):
        get_preset("god")
    with pytest.raises(SettingsError, match="noise must be a number from 0 to 1"):
        Preset("own", 0, noise=-0.1)
    with pytest.raises(SettingsError, match="plies must be a whole number from 0 to 4"):
        Preset("own", 5)


def boards(count: int) -> np.ndarray:
    random = np.random.default_rng(3)
    points = np.zeros((count, 2, 25), dtype=np.int8)
    for row in points:
        row[0, :6] = random.multinomial(15, np.full(6, 1 / 6))
        row[1, 6:12] = random.multinomial(15, np.full(6, 1 / 6))
    return kernels.pack(points)


def test_noise_has_the_spread_it_says() -> None:
    some = boards(4000)
    outputs = np.tile([0.5, 0.25, 0.1, 0.25, 0.1], (len(some), 1))
    change = Noise(0.04).add(some, outputs) - outputs
    assert np.abs(change.mean(axis=0)).max() < 0.003
    assert np.allclose(change.std(axis=0) / [0.04, 0.01, 0.0004, 0.01, 0.0004], 1, atol=0.05)
    assert np.abs(np.corrcoef(change.T) - np.eye(5)).max() < 0.07


def test_noise_keeps_probabilities_and_depends_on_position_and_seed_alone() -> None:
    some = boards(300)
    outputs = np.tile([0.02, 0.01, 0.0, 0.97, 0.5], (len(some), 1))
    noisy = Noise(0.5).add(some, outputs)
    win, win2, win3, lose2, lose3 = noisy.T
    assert (win3 == 0).all()
    assert ((win2 >= 0) & (win2 <= win) & (win <= 1)).all()
    assert ((lose3 >= 0) & (lose3 <= lose2) & (lose2 <= 1 - win)).all()
    assert (Noise(0.5).add(some[7:9], outputs[7:9]) == noisy[7:9]).all()
    assert (Noise(0.5, 1).add(some, outputs) != noisy).any()


def test_presets_by_name() -> None:
    assert get_preset("World-Class") is PRESETS["world class"]
    assert get_preset("casual play") is PRESETS["casual"]
    noises = [preset.noise for preset in PRESETS.values()]
    assert noises[:5] == [0.06, 0.05, 0.04, 0.015, 0.0]
    assert noises == sorted(noises, reverse=True)
    assert all(get_preset(f"{plies}ply").plies == plies for plies in range(5))
    assert get_preset("2-PLY").filter == "normal-2025"
    depths = [preset.plies for preset in PRESETS.values() if not preset.rollout]
    assert depths == sorted(depths)


def test_levels_of_an_engine(engine: Engine) -> None:
    beginner = Engine(level="beginner", threads=1)
    assert beginner.plies == 0
    found = beginner.evaluate(START)
    assert found.equity != engine.evaluate(START, plies=0).equity
    assert beginner.evaluate_many([MIDDLE, START])[1] == found
    assert Engine(level="beginner", threads=1).evaluate(START) == found
    assert beginner.luck_many([(START, (3, 1), MatchState())]) == engine.luck_many([(START, (3, 1), MatchState())])
    assert Engine(level="supremo", threads=1).filter is FILTERS["large"]
    assert Engine(level="supremo", plies=1, filter="tiny", threads=1).plies == 1


def test_random_noise_follows_the_seed() -> None:
    own = Preset("own", 0, noise=0.05, deterministic=False)
    one, same, other, free, freer = (
        Engine(level=own, noise_seed=seed, threads=1).evaluate(START).equity for seed in (1, 1, 2, None, None)
    )
    assert one == same
    assert len({one, other, free, freer}) == 4


def test_truncated_rollouts_as_a_level(engine: Engine) -> None:
    own = Preset("own", 0, rollout=RolloutSettings(trials=36, truncation=2))
    roller = Engine(level=own, threads=1)
    plays = roller.best_plays(START, (6, 2), count=8)
    rolled = [p for p in plays if p.trials]
    assert 2 <= len(rolled) <= 5
    assert plays[: len(rolled)] == rolled
    assert all(a.equity >= b.equity for a, b in pairwise(rolled))
    assert all(p.equity_error is not None for p in rolled)
    by_hand = engine.rollout_plays(START, (6, 2), [p.play for p in rolled], settings=own.rollout or RolloutSettings())
    assert {p.equity for p in rolled} == {e.equity for e in by_hand.estimates}
    # How many are asked for changes no judgement, and who asks for a play gets it.
    for count in (0, 1, 3):
        assert roller.best_plays(START, (6, 2), count=count) == plays[:count]
    asked = PlayRequest(START, (6, 2), must_include=plays[6].play)
    assert roller.rank_plays_many([asked], count=1) == [[plays[0], plays[6]]]
    cube = roller.cube_action(START)
    assert cube.trials == 36
    assert cube.action.startswith("No double")
    assert roller.evaluate(START).cubeful_equity == pytest.approx(cube.no_double, abs=0.1)
    assert roller.evaluate(START, plies=0) == engine.evaluate(START, plies=0)


@pytest.mark.parametrize("games", [0, 72])
def test_cubeless_equities_of_rolled_out_plays_are_those_of_searched_ones(games: int) -> None:
    """By Jacoby's rule gammons of a centred cube count for neither; a mean of both kinds would be no equity at all."""
    own = Preset("own", 0, rollout=RolloutSettings(trials=36, truncation=3), search_games=games)
    for state, weight in ((MatchState(), 0), (MatchState(jacoby=False), 1), (MatchState(cube=2, cube_owner=1), 1)):
        plays = Engine(level=own, threads=1).best_plays(START, (4, 3), match=state)
        assert {bool(play.trials) for play in plays} == {True, False}
        for play in plays:
            win, *gammons = play.probabilities
            counted = 2 * win - 1 + weight * (gammons[0] + gammons[1] - gammons[2] - gammons[3])
            assert play.cubeless_equity == pytest.approx(counted, abs=1e-6)
            if play.rolled:
                everything = 2 * win - 1 + gammons[0] + gammons[1] - gammons[2] - gammons[3]
                assert play.rolled.values[0].cubeless_equity == pytest.approx(everything, abs=1e-6)


def test_only_what_is_close_is_rolled_out(engine: Engine) -> None:
    settings = RolloutSettings(trials=36, truncation=2)
    plays = engine.best_plays(START, (6, 2), plies=0)
    gap = plays[1].equity_loss
    cubes = [engine.cube_action(position, plies=0) for position in (START, MIDDLE)]
    gaps = [min(abs(c.no_double - min(c.double_take, 1)), abs(c.double_take - 1)) for c in cubes]
    for near in (0.9 * gap, 1.1 * gap, 0.9 * min(gaps), sum(gaps) / 2, 1.1 * max(gaps)):
        level = Preset("own", 0, rollout=settings, rollout_near=near)
        roller = Engine(threads=1, level=level)
        rolled = [play for play in roller.best_plays(START, (6, 2)) if play.trials]
        close = [play for play in plays if play.equity_loss < near][:5]
        assert {p.play for p in rolled} == ({p.play for p in close} if len(close) > 1 else set())
        judged = roller.cube_many([(START, MatchState()), (MIDDLE, MatchState())])
        assert [bool(cube.trials) for cube in judged] == [gap < near for gap in gaps]
        assert all(found == plain for found, plain in zip(judged, cubes, strict=True) if not found.trials)
    # Where nobody may double the value is asked for.
    assert roller.cube_action(START, match=MatchState(cube=2, cube_owner=0)).trials == 36
    with pytest.raises(SettingsError, match="rollout_near must be a number from 0 to 1000"):
        Preset("own", 0, rollout_near=-1)


def test_a_search_counts_as_some_games_beside_the_rollout(engine: Engine) -> None:
    settings = RolloutSettings(trials=36, truncation=2)
    searched, rolled, mixed = (
        Engine(threads=1, level=level)
        for level in (
            Preset("own", 1),
            Preset("own", 1, rollout=settings),
            Preset("own", 1, rollout=settings, search_games=108),
        )
    )
    match = MatchState(length=7, score=(2, 4))

    def mean(rolled: float, searched: float) -> object:
        return pytest.approx(0.25 * rolled + 0.75 * searched, abs=1e-9)

    for state in (MatchState(), match):
        before = {play.play: play for play in searched.best_plays(START, (6, 2), match=state)}
        alone = {play.play: play for play in rolled.best_plays(START, (6, 2), match=state) if play.trials}
        found = mixed.best_plays(START, (6, 2), match=state)
        assert {play.play for play in found if play.trials} == alone.keys()
        assert all(a.equity >= b.equity for a, b in pairwise(found[: len(alone)]))
        for play in found[: len(alone)]:
            one, other = alone[play.play], before[play.play]
            assert play.equity == mean(one.equity, other.equity)
            assert play.cubeless_equity == mean(one.cubeless_equity, other.cubeless_equity)
            assert play.probabilities == tuple(map(mean, one.probabilities, other.probabilities))
            assert play.mwc == (None if one.mwc is None or other.mwc is None else mean(one.mwc, other.mwc))
            assert play.equity_error == pytest.approx(0.25 * (one.equity_error or 0))
            assert play.equity_loss == pytest.approx(found[0].equity - play.equity)
            assert (play.plies, play.trials) == (1, 36)
        cube, held, rolls = (each.cube_action(MIDDLE, match=state) for each in (mixed, searched, rolled))
        assert cube.trials == 36
        assert cube.no_double == mean(rolls.no_double, held.no_double)
        assert cube.double_take == mean(rolls.double_take, held.double_take)
        assert (cube.mwc_no_double is None) == state.money
        if cube.mwc_no_double is not None:
            # Chances and normalised equities are told of the same value.
            assert cube.mwc_no_double == mean(rolls.mwc_no_double or 0, held.mwc_no_double or 0)
        values = [each.evaluate(MIDDLE, match=state) for each in (mixed, rolled, searched)]
        assert values[0].cubeful_equity == mean(values[1].cubeful_equity, values[2].cubeful_equity)
    assert (mixed.manner, mixed.search_games, searched.search_games) == ("", 108, 0)
    with pytest.raises(SettingsError, match="search_games must be a whole number from 0 to"):
        Preset("own", 0, search_games=-1)


def test_four_plies_of_everything(engine: Engine) -> None:
    end = Position(tuple([2, 1] + [0] * 23), tuple([2, 0, 1] + [0] * 22))
    assert engine.evaluate(end, plies=4).plies == 4
    assert engine.cube_action(end, plies=4).plies == 4
    assert engine.best_plays(end, (2, 1), plies=4)[0].plies in range(5)


def test_players_of_duels_at_a_level() -> None:
    from sixprime.play.duel import cubeless_money
    from sixprime.players.bot import Asked
    from sixprime.players.lobby import Lobby

    lobby = Lobby(threads=1)
    clear, weak = lobby.bot("standard@expert"), lobby.bot("standard@beginner")
    assert (clear.name, weak.name) == ("standard@expert", "standard@beginner")
    assert "noise" in weak.identity
    asked = Asked(kernels.pack(np.repeat(START.board[None], 21, axis=0)), [cubeless_money()], np.zeros(21, np.int32))
    assert (clear.plays(asked, kernels.ROLLS) != weak.plays(asked, kernels.ROLLS)).any()
    for name in ("standard@roller", "gnubg@expert", "standard@god"):
        with pytest.raises(SettingsError, match="level"):
            lobby.bot(name)


@pytest.mark.parametrize("plies", [1, 2, 3])
def test_a_reduced_search_of_all_rolls_is_the_whole_one(monkeypatch: pytest.MonkeyPatch, plies: int) -> None:
    rolls = 10 * kernels.ROLLS[:, 0].astype(int) + kernels.ROLLS[:, 1]
    every = dict(zip(rolls.tolist(), kernels.ROLL_WEIGHTS.tolist(), strict=True))
    monkeypatch.setitem(reduction.REDUCED, 11, every)
    monkeypatch.setattr(searching, "rolls_of", reduction.rolls_of.__wrapped__)
    requests = [(MIDDLE, MatchState()), (ENDING, MatchState(length=3))]
    whole = Engine(threads=1).cube_many(requests, plies=plies)
    reduced = Engine(threads=1, level="reduced").cube_many(requests, plies=plies)
    for a, b in zip(whole, reduced, strict=True):
        assert (b.no_double, b.double_take) == pytest.approx((a.no_double, a.double_take), abs=1e-6)


@pytest.mark.parametrize("rolls", [7, 11])
def test_a_reduced_search(rolls: int) -> None:
    assert sum(reduction.REDUCED[rolls].values()) == pytest.approx(1, abs=0.005)
    engine, whole = Engine(threads=1, level=Preset("few", 2, rolls=rolls)), Engine(threads=1)
    positions = [START, MIDDLE, ENDING]
    together = [found.equity for found in engine.evaluate_many(positions)]
    assert together == pytest.approx([engine.evaluate(position).equity for position in positions], abs=1e-6)
    full = [whole.evaluate(position).equity for position in positions]
    assert together != full
    assert together == pytest.approx(full, abs=0.06)
    # The first ply sees all rolls.
    assert engine.evaluate(MIDDLE, plies=1).equity == whole.evaluate(MIDDLE, plies=1).equity
    with pytest.raises(SettingsError, match="rolls must be 7, 11 or 21"):
        Preset("few", 2, rolls=5)


def test_hypergammon_is_not_rolled_out() -> None:
    roller = Engine(level="roller", threads=1)
    start, state = Position.start("hypergammon3"), MatchState(length=5, jacoby=False)
    assert roller.cube_action(start, match=state).trials == 0
    assert roller.evaluate(start, match=state).cubeful_equity == roller.cube_action(start, match=state).no_double


def test_means_of_chances_are_chances() -> None:
    """21 times the same in a mean is one bit more at times, and games whose luck is taken out are beyond by more."""
    theirs = 5 * [2] + 13 * [0] + [2, 2, 1] + 4 * [0]
    won = [Position.from_board([theirs, [ones, 3 - ones, *23 * [0]]]) for ones in range(4)]
    both = [*won, *(position.swapped() for position in won)]
    rolled = replace(get_preset("roller"), rollout=RolloutSettings(trials=2, truncation=2), search_games=0)
    for engine in (Engine(threads=1, plies=1), Engine(threads=1, plies=2), Engine(threads=1, level=rolled)):
        for state in (MatchState(), MatchState(length=5)):
            found = [each.probabilities for each in engine.evaluate_many(both, match=state)]
            found += [engine.cube_action(position, match=state).probabilities for position in (*won, MIDDLE)]
            found += [play.probabilities for play in engine.best_plays(won[0], (2, 1), match=state)]
            assert all(0.0 <= chance <= 1.0 for chances in found for chance in chances)


@pytest.mark.parametrize("plies", [0, 1, 2])
@pytest.mark.parametrize("state", [MatchState(), MatchState(cube=2, cube_owner=1), MatchState(length=5, score=(2, 3))])
def test_levels_without_the_cube(plies: int, state: MatchState) -> None:
    """Plays, positions and luck are those of a game in which nobody turns it, cube decisions those of any level."""
    usual = Engine(threads=1, plies=plies)
    alone = Engine(threads=1, level=Preset("alone", plies, cubeful=False), book=OpeningBooks())
    still = replace(state, cube_limit=state.cube, jacoby=False)
    for position in (START, MIDDLE, ENDING):
        ranked = alone.best_plays(position, (3, 1), match=state)
        assert ranked == usual.best_plays(position, (3, 1), match=still)
        assert alone.rank_plays_many([PlayRequest(position, (3, 1), state)], count=None) == [ranked]
        if state.length == 0:
            assert [each.equity for each in ranked] == pytest.approx([each.probabilities.cubeless for each in ranked])
        assert alone.evaluate(position, match=state) == usual.evaluate(position, match=still)
        rolls = [(position, (3, 1), state)]
        assert alone.luck_many(rolls) == usual.luck_many([(position, (3, 1), still)])
        assert alone.cube_action(position, match=state) == usual.cube_action(position, match=state)
    assert "cubeless" in alone.identity
    assert "cubeless" in alone.manner
    for wrong in (None, "x"):
        with pytest.raises(SettingsError, match="match"):
            alone.best_plays(START, (3, 1), match=wrong)  # type: ignore[arg-type]


def test_a_book_that_tells_of_no_plays_is_refused() -> None:
    class Odd:
        name = "odd"

        def plays(self, position: Position, dice: tuple[int, int], match: MatchState) -> tuple[str]:
            return ("8/5 6/5",)

    with pytest.raises(SettingsError, match="PlayAnalysis"):
        Engine(threads=1, book=Odd()).best_plays(START, (3, 1))  # type: ignore[arg-type]


def test_whole_arrays_are_looked_at_before_they_are_judged() -> None:
    searcher = Engine(threads=1).searcher
    boards = kernels.pack(np.stack([START.board] * 4))
    assert (searcher.judge(boards[::2])[0] == searcher.judge(boards[:2])[0]).all()
    for odd in (boards[:, :28], boards[0], boards + 0.5):
        with pytest.raises(SettingsError, match=r"boards must be int8\[N, 32\]"):
            searcher.judge(odd)
    for dice in (np.ones((2, 2), np.int8), np.ones((4, 3), np.int8)):
        with pytest.raises(SettingsError, match=r"dice must be int8\[4, 2\]"):
            searcher.plays(boards, dice)
        with pytest.raises(SettingsError, match=r"dice must be int8\[4, 2\]"):
            kernels.legal_plays(boards, dice)


def test_whole_arrays_may_be_empty() -> None:
    boards, groups, level = np.empty((0, 32), np.int8), np.empty(0, np.int32), expand_states([MONEY_CUBE], 0)[0]
    for threads in (1, 2):
        searcher = Engine(threads=threads).searcher
        assert [len(found) for found in searcher.plays(boards, np.empty((0, 2), np.int8))] == [0, 1, 0, 0]
        assert searcher.roll_values(boards, groups, level).shape == (0, 21)
        assert searcher.reply_values(boards, groups, level).shape == (0, 21)


def test_what_are_no_boards_is_refused_before_a_kernel_reads_it() -> None:
    searcher = Engine(threads=1).searcher
    right = kernels.pack(np.stack([START.board] * 3))
    for place, count in ((0, 127), (3, -100), (7, 16), (25, -1), (26, -5), (26, 1), (27, 127)):
        boards = right.copy()
        boards[1, place] = count
        for ask in (
            searcher.judge,
            searcher.classes,
            lambda boards: searcher.plays(boards, np.ones((3, 2), np.int8)),
            lambda boards: searcher.values(boards, np.zeros(3, np.int32), expand_states([MONEY_CUBE], 1)),
            lambda boards: jump_volatilities(searcher.brain, boards),
            lambda boards: kernels.legal_plays(boards, np.ones((3, 2), np.int8)),
        ):
            with pytest.raises(SettingsError, match=r"boards\[1\] must be a packed board with 1 to 15 chequers"):
                ask(boards)
    for dice in (0, 7, -1):
        with pytest.raises(SettingsError, match=r"dice\[0\] must be two numbers from 1 to 6"):
            kernels.legal_plays(right, np.full((3, 2), dice, np.int8))
    outputs, codes = np.empty((3, 5), np.float32), np.empty(3, np.int8)
    for arrays in ((outputs[:2], codes), (outputs, codes[:2]), (outputs[:, :4].copy(), codes)):
        with pytest.raises(SettingsError, match=r"shape of (outputs|codes) must be"):
            judge(searcher.brain, right, *arrays)


def test_groups_that_are_not_there_are_refused() -> None:
    searcher = Engine(threads=1).searcher
    boards = kernels.pack(np.stack([START.board] * 2))
    outcomes, codes = searcher.judge(boards)
    levels = expand_states([MONEY_CUBE], 0)
    for groups in ([0, 1], [-1, 0], [0], [[0, 0]], [0.5, 0.5], ["x", "y"]):
        with pytest.raises(SettingsError, match="groups must be"):
            searcher.values(boards, np.array(groups), levels)
        with pytest.raises(SettingsError, match="groups must be"):
            searcher.static(boards, outcomes, codes, np.array(groups), levels[0])


def test_arrays_of_another_shape_are_refused_before_a_kernel_reads_them() -> None:
    brain = Engine(threads=1).brain
    boards = kernels.pack(np.stack([START.board] * 2))
    rolls, weights = kernels.ROLLS[None], np.zeros((1, 5), np.float32)
    with pytest.raises(SettingsError, match="shape of boards must be"):
        best_replies(brain, boards[:, :9].copy(), rolls, weights, 0)
    with pytest.raises(SettingsError, match="shape of dice must be"):
        best_replies(brain, boards, np.ones((3, 21, 2), np.int8), weights, 0)
    with pytest.raises(SettingsError, match="shape of weights must be"):
        best_replies(brain, boards, rolls, np.zeros((2, 4), np.float32), 0)
    with pytest.raises(SettingsError, match="shape of codes must be"):
        classify(boards, np.zeros(1, np.int8))
    with pytest.raises(SettingsError, match="boards must be int8"):
        jump_volatilities(brain, boards[0])
    with pytest.raises(SettingsError, match="boards must be int8"):
        Noise(0.1).add(boards[:, :9], np.zeros((2, 5)))
    with pytest.raises(SettingsError, match=r"outputs must be float64\[2, 5\]"):
        Noise(0.1).add(boards, np.zeros((1, 5)))
