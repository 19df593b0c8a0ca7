"""Rollouts: their dice, their statistics, and that nothing but the settings changes a bit."""

from __future__ import annotations

import itertools
import json
import math
import pickle
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from same_results import same
from table_contract import rolled_to

from sixprime import Engine, MatchState, PlayerSettings, Position, RolloutSettings, kernels
from sixprime.bearoff import one_sided, two_sided
from sixprime.cube.met import load as load_met
from sixprime.cube.state import CubeState
from sixprime.engine import MoveFilter, rollout_judge
from sixprime.engine import rollout as running
from sixprime.engine.filters import Level, get_filter
from sixprime.engine.rollout_cubes import CubeTable, Root
from sixprime.engine.rollout_dice import Dice
from sixprime.engine.rollout_play import RolloutPlayer
from sixprime.engine.rollout_result import load, standard_error
from sixprime.engine.trials import CUT, FINISHED, KNOWN, PASSED, Trials
from sixprime.errors import DataFileError, EngineError, IllegalPlayError, InvalidPositionError, SettingsError
from sixprime.game.acts import Double, Drop, Take
from sixprime.game.outcomes import Outcomes
from sixprime.game.record import ActionKind
from sixprime.game.table import Table as Tables
from sixprime.kernels.bearoff import os_probabilities_many
from sixprime.progress import Progress
from sixprime.theory import cube_theory
from sixprime.train import starts

START = Position.start()
MONEY = MatchState(jacoby=False, beavers=0)


def position_of(opponent: dict[int, int], player: dict[int, int]) -> Position:
    """The position with so many chequers on these points, each side in its own numbering."""
    return Position.from_board([[side.get(point, 0) for point in range(1, 26)] for side in (opponent, player)])


BACK_GAME = Position.from_board(kernels.unpack(starts.starts(3, np.arange(1), "usual back games"))[0])
HOLDING = position_of({21: 2, 13: 4, 8: 3, 6: 4, 4: 2}, {20: 2, 13: 4, 8: 3, 6: 4, 5: 2})
"""Contact, both sides with an anchor."""
RACE = position_of({1: 1, 2: 3, 3: 4, 5: 2, 7: 2}, {2: 2, 4: 4, 5: 3, 6: 2, 8: 1})
"""A short race."""
ENDING = position_of({1: 1, 2: 2, 4: 1, 6: 1}, {1: 1, 3: 2, 5: 2})
"""Few chequers on both sides: the two-sided database knows it."""
SHORTER = position_of({1: 2, 2: 2}, {2: 1, 3: 2})


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1)


# -- dice ----------------------------------------------------------------------------------------


def test_quasi_random_dice_are_complete() -> None:
    dice = Dice(seed=5)
    first = dice.throws(np.arange(36) + 72, 0)
    assert sorted(first) == list(range(36))
    block = np.arange(1296) + 1296
    pairs = dice.throws(block, 0) * 36 + dice.throws(block, 1)
    assert len(set(pairs.tolist())) == 1296
    block = np.arange(46656)
    triples = (dice.throws(block, 0) * 36 + dice.throws(block, 1)) * 36 + dice.throws(block, 2)
    assert len(set(triples.tolist())) == 46656
    # At every later turn, each 36 trials have every throw once.
    for turn in (3, 17, 127):
        assert sorted(dice.throws(np.arange(36), turn)) == list(range(36))


def test_dice_depend_only_on_seed_trial_and_turn() -> None:
    for rotate, initial in itertools.product((True, False), repeat=2):
        dice = Dice(7, rotate=rotate, initial=initial)
        for turn in (0, 1, 6, 127, 128, 400):
            together = dice.throws(np.arange(100), turn)
            alone = [int(dice.throws(np.array([n]), turn)[0]) for n in range(100)]
            assert together.tolist() == alone
            assert together.min() >= 0
            assert together.max() < 36
    assert (Dice(7).throws(np.arange(36), 0) != Dice(8).throws(np.arange(36), 0)).any()


def test_random_dice_are_fair() -> None:
    counts = np.bincount(Dice(1, rotate=False).throws(np.arange(36_000), 3), minlength=36)
    assert ((counts - 1000) ** 2 / 1000).sum() < 80  # chi-square, 35 degrees of freedom


@pytest.mark.parametrize("rotate", [True, False])
def test_a_game_never_begins_with_a_double(rotate: bool) -> None:
    throws = Dice(3, rotate=rotate, initial=True).throws(np.arange(300), 0)
    assert (throws // 6 != throws % 6).all()
    if rotate:
        assert set(np.bincount(throws, minlength=36).tolist()) == {0, 10}


# -- rules ---------------------------------------------------------------------------------------


class Watched(RolloutPlayer):
    """Plays as ever, and every trial at a table, too."""

    tables: list[Tables]

    def _offer_cube(self, games: Any, side: int, turn: int, results: Trials) -> Any:
        able, before, lanes = self.table.cubes[side].double[games.groups] >= 0, games.groups.copy(), games.lanes
        left = super()._offer_cube(games, side, turn, results)
        after = dict(zip(left.lanes.tolist(), left.groups.tolist(), strict=True))
        for lane, may, group in zip(lanes.tolist(), able, before, strict=True):
            table = self.tables[lane]
            player = table.state.on_roll
            assert may == (Double in table.legal())
            assert self.table.states[side][group] == CubeState.from_match(table.state)
            if after.get(lane) != group:
                answer = Take(1 - player) if lane in after else Drop(1 - player)
                self.tables[lane] = table.apply(Double(player)).apply(answer)
        return left

    def _roll(self, games: Any, side: int, turn: int, results: Trials) -> Any:
        throws = self.dice.throws(games.numbers, turn).tolist()
        after = super()._roll(games, side, turn, results)
        for lane, throw, board in zip(after.lanes.tolist(), throws, kernels.unpack(after.boards), strict=True):
            self.tables[lane] = rolled_to(self.tables[lane], (throw // 6 + 1, throw % 6 + 1), board)
        return after


@pytest.mark.parametrize(
    "state",
    [
        MatchState(),
        MatchState(jacoby=False, cube=2, cube_owner=0, on_roll=0),
        MatchState(length=5, score=(2, 3)),
        MatchState(length=3, score=(2, 1), crawford=True, on_roll=0),
        MatchState(length=7, score=(6, 3), on_roll=0),
        MatchState(cube_limit=2),
    ],
)
def test_trials_are_played_by_the_rules_of_a_table(engine: Engine, state: MatchState) -> None:
    exact = {"bearoff_exact": False, "bearoff_one_sided": False}
    settings = RolloutSettings(variance_reduction=False, branches=1, **exact)
    cube = CubeState.from_match(state)
    root = Root(kernels.pack(HOLDING.board[None])[0], cube, True)
    rolled = Watched(engine.searcher, engine.met, root, settings)
    rolled.tables = [Tables.from_position(HOLDING, state) for _ in range(16)]
    trials = rolled.play(0, len(rolled.tables))
    doubles = [action for table in rolled.tables for action in table.game.actions if action.kind is ActionKind.DOUBLE]
    assert bool(doubles) == (not state.crawford)
    for table, value, ending in zip(rolled.tables, trials.values, trials.column("ending"), strict=True):
        assert table.game.winner is not None
        assert (ending == PASSED) == (table.game.actions[-1].kind is ActionKind.DROP)
        mine, theirs = (state.length - points for points in table.score[:: -1 if state.on_roll else 1])
        won = table.game.points if table.game.winner == state.on_roll else -table.game.points
        expected = engine.met.mwc(mine, theirs, cube.next_is_post_crawford) if state.length else won / state.cube
        assert value == pytest.approx(expected, abs=1e-6)


# -- one turn ------------------------------------------------------------------------------------


def player(engine: Engine, position: Position, state: MatchState, settings: RolloutSettings) -> RolloutPlayer:
    board = kernels.pack(position.board[None])[0]
    return RolloutPlayer(engine.searcher, engine.met, Root(board, CubeState.from_match(state), False), settings)


@pytest.mark.parametrize("state", [MatchState(), MatchState(length=5, score=(2, 3)), MatchState(cube=2, cube_owner=1)])
@pytest.mark.parametrize("position", [START, HOLDING, RACE, ENDING])
def test_luck_is_zero_on_average(engine: Engine, position: Position, state: MatchState) -> None:
    # The lookahead is unbiased if and only if its terms cancel over the rolls, whatever is played.
    games = player(engine, position, state, RolloutSettings())
    boards = np.repeat(kernels.pack(position.board[None]), 21, axis=0)
    from sixprime.engine import rollout_kernel

    luck = np.zeros((21, 6))
    rollout_kernel.turns(
        engine.brain,
        games.quick,
        games.pairs,
        games.table.cubes[1],
        rollout_kernel.make_desk(engine.brain, games.quick),
        boards,
        np.zeros(21, dtype=np.int32),
        np.arange(21),
        np.arange(21),
        games._shares(0),
        3,
        4,
        False,
        luck,
        np.empty((21, 32), dtype=np.int8),
        np.empty(21, dtype=np.int8),
        np.empty((21, 5)),
    )
    assert luck.std(axis=0)[[0, 5]].min() > 1e-4
    assert np.abs(kernels.ROLL_WEIGHTS @ luck).max() < 1e-10


@pytest.mark.parametrize("state", [MatchState(), MatchState(length=7, score=(3, 5))])
def test_plays_are_those_of_the_engine(engine: Engine, state: MatchState) -> None:
    for position in (START, HOLDING, RACE, BACK_GAME):
        settings = RolloutSettings(truncation=1, variance_reduction=False, bearoff_exact=False)
        games = player(engine, position, state, settings)
        boards: list[np.ndarray] = []
        finish = games._finish

        def note(ended, *rest, boards=boards, finish=finish) -> None:
            boards.append(ended.boards.copy())
            finish(ended, *rest)

        games._finish = note
        games.play(0, 36)
        after = kernels.unpack(np.concatenate(boards))
        throws = games.dice.throws(np.arange(36), 0)
        for board, throw in zip(after, throws.tolist(), strict=True):
            best = engine.best_plays(position, (throw // 6 + 1, throw % 6 + 1), match=state, plies=0, count=1)[0]
            assert best.play.result == Position.from_board(board)


def test_luck_is_judged_by_the_small_net_where_games_go_to_the_end(engine: Engine) -> None:
    brain = engine.searcher.brain
    games, cut = (player(engine, START, MONEY, RolloutSettings(truncation=turns)) for turns in (0, 10))
    assert games.quick.contact.rows.shape[1] < brain.contact.rows.shape[1]
    assert cut.quick is brain
    small = Engine("small", threads=1)
    assert small.searcher.quick is None
    assert small.rollout(SHORTER, trials=36, bearoff_exact=False).finished
    with pytest.raises(EngineError, match="rollout was made by"):
        small.extend_rollout(engine.rollout(ENDING, trials=36), trials=72)


def test_cube_states_of_a_table(engine: Engine) -> None:
    root = CubeState.from_match(MatchState(length=5, score=(2, 3)))
    table = CubeTable(root, engine.met)
    for group, (mine, theirs) in enumerate(zip(*table.states, strict=True)):
        assert theirs == mine.swapped()
        if group:
            assert mine.cube == 2 ** ((group + 1) // 2)
            assert mine.owner == (1 if group % 2 else -1)
    assert table.states[0][-1].cube == 4  # with 3 and 2 points to go an 8-cube is never reached
    assert len(CubeTable(CubeState(limit=1), engine.met).states[0]) == 1


# -- statistics ----------------------------------------------------------------------------------


@pytest.mark.parametrize("owner", [None, 1, 0])
@pytest.mark.parametrize("position", [ENDING, SHORTER])
def test_bearoff_agrees_with_the_exact_cubeful_database(engine: Engine, position: Position, owner: int | None) -> None:
    state = replace(MONEY, cube=1 if owner is None else 2, cube_owner=owner)
    exact = two_sided(6, 6).equities(kernels.pack(position.board[None]))[0]
    column = {None: 2, 1: 1, 0: 3}[owner]
    known = engine.rollout(position, match=state, trials=36)
    assert (known.statistics.known, known.statistics.turns) == (36, 0.0)
    assert known.equity == pytest.approx(exact[column], abs=1e-9)
    # Played out, with the luck taken out by the same exact values, nothing is left to chance but their rounding.
    played = engine.rollout(position, match=state, trials=72, bearoff_exact=False)
    assert played.statistics.known == 0
    assert played.equity == pytest.approx(exact[column], abs=3e-4)
    assert played.equity_error < 2e-4
    # By the dice alone.
    dice = engine.rollout(position, match=state, trials=1296, bearoff_exact=False, variance_reduction=False)
    assert abs(dice.equity - exact[column]) < 4 * dice.equity_error + 1e-4


def test_race_agrees_with_the_one_sided_database(engine: Engine) -> None:
    position = Position.from_id("2x0AAOi2AQAAAA")
    exact = np.empty((1, 5), dtype=np.float32)
    os_probabilities_many(kernels.pack(position.board[None]), one_sided(6).arrays, exact)
    known = engine.rollout(position, trials=36, cubeful=False)
    assert known.statistics.known == 36
    assert known.probabilities == pytest.approx(exact[0].tolist(), abs=1e-6)
    played = engine.rollout(position, trials=360, cubeful=False, bearoff_exact=False, bearoff_one_sided=False)
    assert played.statistics.known == 0
    # The database plays for speed alone, which costs next to nothing here.
    assert abs(played.probabilities[0] - exact[0, 0]) < 4 * played.probabilities_error[0] + 0.002


def test_gammons_count_in_a_cubeless_rollout_under_the_jacoby_rule(engine: Engine) -> None:
    """The rule takes gammons from a centred cube that can be turned; without a cube they count as they fall."""
    settings = RolloutSettings(trials=36, cubeful=False, truncation=5)
    for position in (START, HOLDING):
        jacoby, plain = (
            engine.rollout(position, match=MatchState(jacoby=rule, beavers=0), settings=settings)
            for rule in (True, False)
        )
        assert jacoby.equity == plain.equity == pytest.approx(jacoby.cubeless_equity, abs=1e-9)
        win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = jacoby.probabilities
        gammons = win_gammon + win_backgammon - lose_gammon - lose_backgammon
        assert jacoby.equity == pytest.approx(2 * win - 1 + gammons, abs=1e-6)
        assert abs(gammons) > 1e-3


@pytest.mark.parametrize("truncation", [0, 14])
def test_variance_reduction_is_large_and_without_bias(engine: Engine, truncation: int) -> None:
    settings = RolloutSettings(trials=180, cubeful=False, truncation=truncation)
    reduced = engine.rollout(START, settings=settings)
    plain = engine.rollout(START, settings=settings, variance_reduction=False, trials=1080)
    ratio = np.var(plain.raw[0].values) / np.var(reduced.raw[0].values)
    assert ratio > 25
    assert abs(plain.equity - reduced.equity) < 4 * math.hypot(plain.equity_error, reduced.equity_error)


def test_standard_error() -> None:
    assert standard_error(np.array([1.0])) == math.inf
    assert standard_error(np.array([1.0, 3.0])) == pytest.approx(1.0)
    values = np.random.default_rng(1).normal(size=400)
    assert standard_error(values) == pytest.approx(values.std(ddof=1) / 20)


def test_intervals_hold_the_true_value(engine: Engine) -> None:
    # Short games, so that many rollouts are cheap: random dice, no variance reduction, known truth.
    exact = two_sided(6, 6).equities(kernels.pack(ENDING.board[None]))[0, 2]
    settings = RolloutSettings(trials=144, rotate=False, bearoff_exact=False, variance_reduction=False)
    inside = 0
    for seed in range(100):
        low, high = engine.rollout(ENDING, match=MONEY, settings=settings, seed=seed).interval
        inside += low <= exact <= high
    assert 0.88 <= inside / 100 <= 1.0  # 95 %, give or take three standard deviations


def test_counts(engine: Engine) -> None:
    result = engine.rollout(START, trials=72, variance_reduction=False, branches=1)
    [raw] = result.raw
    ending, points, doublings = raw.column("ending"), raw.column("points"), raw.column("doublings")
    assert set(ending.tolist()) <= {FINISHED, PASSED, KNOWN}
    over = ending != KNOWN
    assert (np.abs(points[over]) >= 1).all()
    assert (points[~over] == 0).all()
    # Without variance reduction the values are what the games paid.
    gammons = np.where((doublings == 0) & (ending == FINISHED), np.sign(points), points)  # Jacoby rule
    assert raw.values[over] == pytest.approx((gammons * 2.0**doublings)[over])
    assert (raw.column("doubles") + raw.column("their_doubles") - doublings == (ending == PASSED)).all()
    statistics = result.statistics
    won = sum(map(sum, statistics.own.wins)) + sum(statistics.own.cashed)
    lost = sum(map(sum, statistics.opponent.wins)) + sum(statistics.opponent.cashed)
    assert won + lost + statistics.known == statistics.games == 72
    assert statistics.passed == sum(statistics.own.cashed) + sum(statistics.opponent.cashed)
    assert statistics.turns == pytest.approx(raw.column("turns").mean())
    assert statistics.own.hits > 0
    assert 1 <= statistics.own.first_hit <= statistics.longest


def test_hits_and_closeouts_are_seen(engine: Engine) -> None:
    # Six points made and a blot to be picked up from nowhere: O on the bar stays there.
    closed = Position.from_board([[0] * 24 + [1], [2, 2, 2, 2, 2, 2, 2, 1] + [0] * 17])
    result = engine.rollout(closed, trials=36, cubeful=False, truncation=1, variance_reduction=False)
    assert result.statistics.own.closeouts > 0
    assert result.statistics.opponent.hits == 0


def test_branches_are_without_bias_and_lower_the_variance(engine: Engine) -> None:
    # A cube on 2 near the end: it is turned often.
    state = replace(MONEY, cube=2, cube_owner=1)
    position = position_of({1: 2, 3: 3, 5: 2}, {2: 2, 3: 2, 6: 2})
    settings = RolloutSettings(trials=1440, bearoff_exact=False, variance_reduction=False)
    once = engine.rollout(position, match=state, settings=settings, branches=1)
    many = engine.rollout(position, match=state, settings=settings, branches=8)
    assert once.statistics == many.statistics  # only the first branch counts
    assert (once.raw[0].column("doublings") > 1).any()
    few = once.raw[0].column("doublings") < 2
    assert np.array_equal(once.raw[0].values[few], many.raw[0].values[few])
    assert many.equity_error < once.equity_error
    assert abs(many.equity - once.equity) < 4 * math.hypot(many.equity_error, once.equity_error)
    parts = [player(engine, position, state, replace(settings, branches=8)).play(*part) for part in ((0, 5), (5, 100))]
    assert np.array_equal(Trials.join(parts).values, many.raw[0].values[:100])


# -- what is rolled out --------------------------------------------------------------------------


def test_plays_on_common_dice(engine: Engine) -> None:
    plays = [play.play for play in engine.best_plays(START, (3, 1), plies=0, count=3)]
    result = engine.rollout_plays(START, (3, 1), plays, trials=108, truncation=6)
    assert [estimate.play for estimate in result.estimates] == plays
    assert result.ranked[0].label == "8/5 6/5"
    assert result.ranked[0].equity_loss == 0.0
    # Each alternative is what it is alone, with the opponent on roll and free to double.
    alone = engine.rollout_plays(START, (3, 1), plays[1:2], trials=108, truncation=6)
    assert alone.equity == result.estimates[1].equity
    other = engine.rollout(
        plays[1].result, match=MatchState(on_roll=0), trials=108, truncation=6, variance_reduction=True
    )
    assert alone.equity == pytest.approx(-other.equity, abs=0.02)
    with pytest.raises(IllegalPlayError):
        engine.rollout_plays(START, (6, 5), plays)
    with pytest.raises(SettingsError, match="only once"):
        engine.rollout_plays(START, (3, 1), [plays[0], plays[0]])


def test_cube_decisions(engine: Engine) -> None:
    result = engine.rollout_cube(ENDING, match=MONEY, trials=36)
    exact = engine.cube_action(ENDING, match=MONEY, plies=0)
    no_double, take = result.estimates
    assert no_double.equity == pytest.approx(exact.no_double, abs=1e-9)
    assert take.equity == pytest.approx(exact.double_take, abs=1e-9)
    assert result.verdict is not None
    assert result.verdict.text == exact.action
    losses = sorted(estimate.equity_loss for estimate in result.estimates)
    assert losses[0] == 0.0
    assert losses[1] == pytest.approx(abs(exact.no_double - min(exact.double_take, 1.0)))
    match = engine.rollout_cube(ENDING, match=MatchState(length=3), trials=36)
    assert match.estimates[1].mwc is not None
    assert 0.0 < match.estimates[1].mwc < 1.0
    with pytest.raises(SettingsError, match="cannot double"):
        engine.rollout_cube(ENDING, match=replace(MONEY, cube=2, cube_owner=0))
    with pytest.raises(SettingsError, match="without cube"):
        engine.rollout_cube(ENDING, cubeful=False)


def test_match_play_counts_in_the_match(engine: Engine) -> None:
    # At double match point gammons are worth nothing, and nobody doubles.
    state = MatchState(length=5, score=(4, 4))
    result = engine.rollout(HOLDING, match=state, trials=36, truncation=8)
    assert result.statistics.cubes_turned == 0.0
    assert result.mwc == pytest.approx(result.probabilities[0], abs=1e-9)
    assert result.equity == pytest.approx(2 * result.probabilities[0] - 1, abs=1e-9)
    assert result.mwc_error == pytest.approx(result.equity_error / 2)


def test_initial_position(engine: Engine) -> None:
    result = engine.rollout(START, trials=60, initial=True, truncation=1, variance_reduction=False)
    direct = [
        -engine.evaluate(engine.best_plays(START, dice, plies=0, count=1)[0].play.result, plies=0).equity
        for dice in ((high, low) for high in range(1, 7) for low in range(1, high))
    ]
    assert result.cubeless_equity == pytest.approx(sum(direct) / 15, abs=1e-6)
    reduced = engine.rollout(START, trials=60, initial=True, truncation=1)
    assert reduced.equity_error < 0.01
    assert reduced.cubeless_equity == pytest.approx(sum(direct) / 15, abs=1e-3)
    with pytest.raises(SettingsError, match="initial"):
        engine.rollout_cube(START, initial=True)


def test_truncation_at_one_turn_is_the_mean_over_the_rolls(engine: Engine) -> None:
    settings = RolloutSettings(trials=36, truncation=1, variance_reduction=False)
    result = engine.rollout(HOLDING, match=MONEY, settings=settings)
    one_ply = engine.evaluate(HOLDING, match=MONEY, plies=1)
    assert result.statistics.cut == 36
    assert result.raw[0].column("ending").tolist() == [CUT] * 36
    assert result.equity == pytest.approx(one_ply.cubeful_equity, abs=0.004)
    deeper = engine.rollout(HOLDING, match=MONEY, settings=settings, truncation_plies=1)
    assert deeper.equity != result.equity
    assert deeper.equity == pytest.approx(engine.evaluate(HOLDING, match=MONEY, plies=2).cubeful_equity, abs=0.02)


@pytest.mark.parametrize("match", [MONEY, MatchState(length=5, score=(1, 2))], ids=["money", "match"])
def test_the_way_of_models_without_efficiencies(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, match: MatchState
) -> None:
    """The default model judged that way gives what it gives by the kernels."""
    settings = RolloutSettings(trials=72, truncation=9)
    usual = engine.rollout_cube(HOLDING, match=match, settings=settings)
    build = CubeTable.__init__

    def slow(self: CubeTable, *arguments: Any) -> None:
        build(self, *arguments)
        self.plain = False

    monkeypatch.setattr(CubeTable, "__init__", slow)
    other = engine.rollout_cube(HOLDING, match=match, settings=settings)
    for a, b in zip(usual.raw, other.raw, strict=True):
        assert b.values == pytest.approx(a.values, abs=2e-5)
        assert np.array_equal(a.counts, b.counts)


@pytest.mark.parametrize("model", ["jump", "jump-linear:0.1", "implied:0.08"])
def test_models_without_efficiencies(model: str) -> None:
    engine = Engine(threads=1, cube_model=model)
    one_ply = engine.evaluate(HOLDING, match=MONEY, plies=1).cubeful_equity
    cut = engine.rollout(HOLDING, match=MONEY, trials=36, truncation=1, variance_reduction=False)
    assert cut.equity == pytest.approx(one_ply, abs=0.01)
    whole = engine.rollout(HOLDING, match=MONEY, trials=144)
    assert whole.statistics.cubes_turned > 0.2
    assert whole.equity == pytest.approx(one_ply, abs=4 * whole.equity_error + 0.05)


def test_settings_of_players_and_later_turns(engine: Engine) -> None:
    settings = RolloutSettings(trials=12, truncation=4)
    usual = engine.rollout(HOLDING, settings=settings)
    deep = PlayerSettings(plies=1, cube_plies=1)
    results = [
        engine.rollout(HOLDING, settings=settings, **changes).raw[0].values.tolist()  # type: ignore[arg-type]
        for changes in (
            {"players": (deep, PlayerSettings())},
            {"players": (PlayerSettings(), deep)},
            {"later": (deep, deep), "later_turn": 2},
        )
    ]
    assert all(values != usual.raw[0].values.tolist() for values in results)
    assert len(set(map(tuple, results))) == 3
    never = engine.rollout(HOLDING, settings=settings, later=(deep, deep), later_turn=4)
    assert same(replace(never, settings=settings), usual)


def test_filters_of_ones_own(engine: Engine, tmp_path: Path) -> None:
    filters = "tiny", MoveFilter("own", ((Level(0, 5, 0.08),),)), "0+5@.08;-", "0+1@0"
    results = []
    for moves in filters:
        player = PlayerSettings(plies=1, filter=moves)
        results.append(engine.rollout(HOLDING, trials=12, truncation=3, players=(player, player)))
        assert results[-1].settings.players[0].filter == get_filter(moves).text
    values = [result.raw[0].values.tolist() for result in results]
    assert values[0] == values[1] == values[2] != values[3]
    results[1].save(tmp_path / "rollout.npz")
    assert same(load(tmp_path / "rollout.npz"), results[1])


def test_searched_games_that_end_by_passes(engine: Engine) -> None:
    """No game of a task is left to be rolled after the last pass."""
    deep = (PlayerSettings(plies=1),) * 2
    alone = [engine.rollout(HOLDING, trials=n, players=deep, seed=5) for n in (1, 2, 3, 4)]
    assert alone[0].statistics.passed == 1
    whole = alone[3].raw[0].values
    assert all(np.array_equal(result.raw[0].values, whole[:n]) for n, result in enumerate(alone, 1))


# -- nothing but the settings matters ------------------------------------------------------------


def test_tasks_and_threads_change_nothing(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = RolloutSettings(trials=90, truncation=14)
    whole = engine.rollout_plays(HOLDING, (6, 1), 2, settings=settings)
    monkeypatch.setattr(running, "TASK", (7, 7, 7, 7, 7))
    assert same(whole, engine.rollout_plays(HOLDING, (6, 1), 2, settings=settings))
    assert same(whole, Engine(threads=3).rollout_plays(HOLDING, (6, 1), 2, settings=settings))
    alone = player(engine, whole.alternatives[0].play.result, MatchState(on_roll=0), settings)  # type: ignore[union-attr]
    alone.root = whole.alternatives[0].root
    parts = [alone.play(40, 41), alone.play(41, 53)]
    assert np.array_equal(Trials.join(parts).values, whole.raw[0].values[40:53])


def test_interrupted_anywhere_and_resumed(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, every_report, tmp_path
) -> None:
    monkeypatch.setattr(running, "TASK", (9, 9, 9, 9, 9))
    settings = RolloutSettings(trials=72, truncation=8)
    whole = engine.rollout_cube(HOLDING, settings=settings)
    random = np.random.default_rng(3)
    for engine_used in (engine, Engine(threads=2)):
        patience = 0

        def interrupt(step: Progress) -> None:
            nonlocal patience
            patience -= 1
            if patience < 0:
                raise KeyboardInterrupt

        patience = int(random.integers(0, 3))
        result = engine_used.rollout_cube(HOLDING, settings=settings, progress=interrupt)
        breaks = 0
        while not result.finished:
            breaks += 1
            result.save(tmp_path / "rollout.npz")
            patience = int(random.integers(0, 4))
            result = engine_used.extend_rollout(load(tmp_path / "rollout.npz"), progress=interrupt)
        assert breaks > 1
        assert same(result, whole)


def test_weak_players(engine: Engine) -> None:
    """Who misjudges loses, whatever the dice; the same noise at every position, so threads change nothing."""
    weak, sound = PlayerSettings(noise=0.2), PlayerSettings()
    settings = RolloutSettings(trials=72, players=(weak, sound))
    lost = engine.rollout(START, settings=settings)
    won = engine.rollout(START, settings=replace(settings, players=(sound, weak)))
    even = engine.rollout(START, settings=replace(settings, players=(sound, sound)))
    equities = [result.estimates[0].equity for result in (lost, even, won)]
    assert equities[0] + 0.3 < equities[1] < equities[2] - 0.3
    assert same(lost, Engine(threads=2).rollout(START, settings=settings))
    # After a play it is the opponent who rolls first.
    ours, theirs = (
        engine.rollout_plays(START, (3, 1), 1, trials=72, truncation=20, players=players).estimates[0].equity
        for players in ((weak, sound), (sound, weak))
    )
    assert ours + 0.6 < theirs
    later = {"later": (weak, sound), "later_turn": 1, "trials": 72, "truncation": 20}
    assert engine.rollout_plays(START, (3, 1), 1, **later).estimates[0].equity + 0.6 < theirs
    assert RolloutSettings.from_dict(settings.to_dict()) == settings
    # Files of before noise was a setting.
    plain = RolloutSettings().to_dict()
    for player in plain["players"]:
        del player["noise"]
    assert RolloutSettings.from_dict(plain) == RolloutSettings()
    with pytest.raises(SettingsError, match="noise must be a number from 0 to 1"):
        PlayerSettings(noise=2)


def test_doubles_are_answered_by_who_is_doubled(engine: Engine) -> None:
    """Nobody sound passes doubles of the first turns, whatever the doubler thinks, and whoever makes the play."""
    weak, sound = PlayerSettings(noise=0.3), PlayerSettings()
    for players in ((weak, sound), (sound, weak)):
        how: dict[str, Any] = {"players": players, "trials": 108, "truncation": 3}
        late = how | {"players": (sound, sound), "later": players, "later_turn": 0}
        results = [engine.rollout(START, **how), engine.rollout_plays(START, (3, 1), 1, **how)]
        for result in (*results, engine.rollout(START, **late)):
            told = result.statistics
            his = told.own if players[0] is weak else told.opponent
            assert his.doubles > 10
            assert sum(his.cashed) == 0


@pytest.mark.parametrize("model", ["refined:0.9,0.1", "refined:0.1,0.9"])
def test_cube_models_know_who_decides(model: str) -> None:
    """36 games cut after a turn are a search of one ply."""
    engine, state = Engine(cube_model=model), MatchState(jacoby=False)
    cut: dict[str, Any] = {"match": state, "trials": 36, "truncation": 1}
    play = engine.best_plays(START, (3, 1), match=state, plies=1)[0]
    rolled = engine.rollout_plays(START, (3, 1), [play.play], **cut).estimates[0].equity
    assert rolled == pytest.approx(play.equity, abs=0.005)
    assert engine.rollout(START, **cut).equity == pytest.approx(
        engine.evaluate(START, match=state, plies=1).cubeful_equity, abs=0.005
    )


def test_an_interrupt_before_the_first_trial(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(RolloutPlayer, "play", interrupt)
    with pytest.raises(KeyboardInterrupt):
        engine.rollout(START, trials=36)


def test_extended_later(engine: Engine, tmp_path) -> None:
    settings = RolloutSettings(trials=50, truncation=6)
    short = engine.rollout(START, settings=settings)
    short.save(tmp_path / "rollout.npz")
    again = load(tmp_path / "rollout.npz")
    assert again == replace(short, raw=again.raw, alternatives=again.alternatives, met=again.met)
    assert same(again, short)
    longer = engine.extend_rollout(again, trials=120)
    assert same(longer, engine.rollout(START, settings=settings, trials=120))
    assert engine.extend_rollout(longer).trials == 120
    with pytest.raises(SettingsError, match="may change"):
        engine.extend_rollout(longer, seed=2)
    with pytest.raises(EngineError, match="this engine"):
        Engine(threads=1, prune=False).extend_rollout(longer)


def test_limit_on_the_standard_error(engine: Engine) -> None:
    settings = RolloutSettings(trials=5000, truncation=3, stop_error=0.01)
    result = engine.rollout(START, settings=settings)
    assert result.finished
    assert result.trials == 324
    assert result.equity_error <= 0.01
    early = engine.rollout(START, settings=settings, minimum=648)
    assert early.trials == 648


def test_limits_are_looked_at_after_every_step(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here every 36 trials, from `minimum` on: a rollout ends at the first look at which its error is small enough."""
    monkeypatch.setattr(running, "STEP", 36)
    plain = RolloutSettings(trials=180, truncation=2, variance_reduction=False)
    errors = [engine.rollout(START, settings=replace(plain, trials=n)).equity_error for n in (36, 72, 108, 144, 180)]
    for minimum in (2, 73):
        for limit in sorted(errors):
            done = engine.rollout(START, settings=replace(plain, stop_error=limit, minimum=minimum))
            reached = [36 * i for i, error in enumerate(errors, 1) if error <= limit and 36 * i >= minimum]
            assert done.trials == (reached[0] if reached else 180), (minimum, limit, errors)
            assert done.finished
    assert engine.rollout(START, settings=replace(plain, stop_error=min(errors) / 2, minimum=2)).trials == 180


def test_a_small_minimum_counts_from_its_first_round_on(engine: Engine) -> None:
    """Looks at 72, 144, 288 and 324 games; a rollout made in parts ends where one made at once does."""
    settings = RolloutSettings(trials=648, truncation=2, variance_reduction=False, minimum=50)
    errors = {n: engine.rollout(START, settings=settings, trials=n).equity_error for n in (72, 144, 288, 324, 648)}
    assert sorted(errors.values(), reverse=True) == [*errors.values()]
    for games, error in errors.items():
        done = engine.rollout(START, settings=settings, stop_error=error)
        assert done.trials == games
        part = engine.rollout(START, settings=settings, trials=min(games, 100))
        assert same(engine.extend_rollout(part, trials=648, stop_error=error), done)
    # Another minimum has looks of its own, whatever was looked at before.
    part = engine.rollout(START, settings=settings, trials=100, stop_error=errors[648])
    done = engine.rollout(START, settings=settings, minimum=100, stop_error=errors[72])
    assert done.trials == 108
    assert same(engine.extend_rollout(part, trials=648, minimum=100, stop_error=errors[72]), done)


def test_limit_on_joint_standard_deviations(engine: Engine, every_report) -> None:
    settings = RolloutSettings(trials=972, truncation=3, stop_jsd=2.33)
    result = engine.rollout_plays(START, (3, 1), 4, settings=settings)
    assert result.ranked[0].label == "8/5 6/5"
    assert {len(trials) for trials in result.raw} == {324}
    # Two plays that are close go on when the third is given up.
    plays = [play.play for play in engine.best_plays(START, (2, 1), plies=0, count=15)]
    result = engine.rollout_plays(START, (2, 1), [plays[0], plays[-1], plays[1]], settings=settings, truncation=2)
    counts = [len(trials) for trials in result.raw]
    assert counts[1] == 324
    # The same when it is cut short on the way.
    seen: list[Progress] = []
    engine.rollout_plays(
        START, (2, 1), [plays[0], plays[-1], plays[1]], settings=settings, truncation=2, progress=seen.append
    )
    assert all(same(engine.extend_rollout(part.so_far), result) for part in seen[:: max(1, len(seen) // 3)])
    assert seen[-1].so_far.finished


def test_the_best_play_is_no_deviation_behind_itself(engine: Engine) -> None:
    """Not even where its error is not known, after one trial."""
    for trials in (1, 36):
        ranked = engine.rollout_plays(START, (3, 1), 3, settings=RolloutSettings(trials=trials, truncation=1)).ranked
        assert (ranked[0].equity_loss, ranked[0].jsd) == (0.0, 0.0)
        for other in ranked[1:]:
            joint = math.hypot(ranked[0].equity_error, other.equity_error)
            assert other.jsd == pytest.approx(0.0 if math.isinf(joint) else other.equity_loss / joint)


# -- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"trials": 0}, "trials"),
        ({"trials": 1.5}, "trials"),
        ({"seed": -1}, "seed"),
        ({"truncation": -1}, "truncation"),
        ({"stop_error": 0.0}, "stop_error"),
        ({"stop_jsd": math.nan}, "stop_jsd"),
        ({"nonsense": 1}, "nonsense"),
    ],
)
def test_bad_settings(engine: Engine, changes: dict, text: str) -> None:
    with pytest.raises(SettingsError, match=text):
        engine.rollout(START, **changes)


def test_bad_players() -> None:
    with pytest.raises(SettingsError, match="cube_plies"):
        PlayerSettings(cube_plies=9)
    with pytest.raises(SettingsError, match="filter"):
        PlayerSettings(filter="wide")


def test_settings_as_plain_values() -> None:
    deep = PlayerSettings(2, 1, "large")
    settings = RolloutSettings(trials=7, later=(deep, PlayerSettings()), stop_error=0.5)
    assert RolloutSettings.from_dict(settings.to_dict()) == settings
    with pytest.raises(SettingsError):
        RolloutSettings.from_dict({"trials": 7, "colour": "red"})


def test_impossible_positions(engine: Engine) -> None:
    with pytest.raises(InvalidPositionError):
        engine.rollout(Position.from_board([[15] + 24 * [0], 23 * [0] + [15] + [0]]))


def test_damaged_files(engine: Engine, tmp_path) -> None:
    path = tmp_path / "rollout.npz"
    engine.rollout(ENDING, trials=2).save(path)
    content = path.read_bytes()
    for broken in (b"", b"nonsense", content[: len(content) // 2], content[:-40]):
        path.write_bytes(broken)
        with pytest.raises(DataFileError, match=r"rollout\.npz"):
            load(path)
    # Every byte in turn with a bit the other way: what loads is what was saved.
    whole = engine.rollout(ENDING, trials=2)
    for at in range(0, len(content), 3):
        path.write_bytes(content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :])
        try:
            found = load(path)
        except DataFileError:
            continue
        assert same(found, whole)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "missing.npz")


def test_files_that_name_the_opponent_first_are_gone_on_with_as_they_began(engine: Engine, tmp_path) -> None:
    """In the format before, plays were rolled out with the opponent as the first player."""
    path = tmp_path / "rollout.npz"
    weak, sound = PlayerSettings(noise=0.2), PlayerSettings()
    settings = RolloutSettings(trials=8, truncation=6, players=(weak, sound), later=(sound, weak), later_turn=3)
    before = settings.exchanged()
    assert (before.players, before.later) == ((sound, weak), (weak, sound))
    assert (settings.alike, replace(settings, players=(weak, weak), later=None).alike) == (False, True)
    begun = engine.rollout_plays(HOLDING, (6, 1), 2, settings=replace(settings, trials=4))
    for result, written in (
        (begun, replace(before, trials=4)),
        (engine.rollout(HOLDING, settings=replace(settings, trials=4)), replace(settings, trials=4)),
    ):
        result.save(path)
        with np.load(path) as data:
            arrays = dict(data)
        head = json.loads(str(arrays["head"])) | {"format": 2, "settings": written.to_dict()}
        np.savez(path, **(arrays | {"head": np.array(json.dumps(head))}))
        assert load(path).settings == result.settings
    begun.save(path)
    whole = engine.rollout_plays(HOLDING, (6, 1), 2, settings=settings)
    assert same(engine.extend_rollout(load(path), trials=8), whole)


def test_heads_that_say_impossible_things(engine: Engine, tmp_path) -> None:
    path = tmp_path / "rollout.npz"
    engine.rollout(ENDING, trials=2).save(path)
    with np.load(path) as data:
        arrays = dict(data)
    head = json.loads(str(arrays["head"]))
    wrong = {"checked": 99, "plays": [], "kind": "nothing", "chequers": "a", "state": [], "format": 1, "met": "Mine"}
    for changes in [{name: value} for name, value in wrong.items()] + [{"checked": math.inf}, {"kind": "plays"}]:
        np.savez(path, **(arrays | {"head": np.array(json.dumps(head | changes))}))
        with pytest.raises(DataFileError, match=r"rollout\.npz"):
            load(path)
    np.savez(path, **(arrays | {"values0": np.full(2, np.nan)}))
    with pytest.raises(DataFileError, match="without a result"):
        load(path)


def test_a_table_of_the_same_name_is_told_apart(tmp_path) -> None:
    usual = MatchState(length=5, score=(1, 2))
    table = load_met("woolsey")
    table = replace(table, pre=table.pre**1.1)
    own = Engine(threads=1, met=table).rollout(HOLDING, match=usual, trials=4, truncation=2)
    path = tmp_path / "rollout.npz"
    own.save(path)
    assert same(load(path, table), own)
    for met in (None, load_met("woolsey")):
        with pytest.raises(DataFileError, match="made with the match equity table"):
            load(path, met)
    with pytest.raises(EngineError, match="was made by"):
        Engine(threads=1, met=load_met("woolsey")).extend_rollout(own, trials=8)


@pytest.mark.parametrize(
    "changes", [{"players": 5}, {"players": (PlayerSettings(),)}, {"later": 3}, {"stop_error": "a"}]
)
def test_settings_of_other_types(changes: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match=next(iter(changes))):
        RolloutSettings(**changes)


def test_chances_of_few_games_are_chances() -> None:
    rolled = Outcomes(0.02, 0.03, 0.05, 0.99, 1.01)
    found = rollout_judge._outcomes(rolled, rolled, 1.0)
    assert found == (0.02, 0.02, 0.02, 0.98, 0.98)
    assert rollout_judge._outcomes(found, found, 0.5) == pytest.approx(found)


def test_results_are_compared(engine: Engine) -> None:
    one, other = (engine.rollout(Position.start(), trials=36, truncation=1, seed=seed) for seed in (1, 2))
    again = engine.rollout(Position.start(), trials=36, truncation=1, seed=1)
    assert one == again == pickle.loads(pickle.dumps(one))
    assert hash(one.raw[0]) == hash(again.raw[0])
    assert one != other
    assert one.raw[0] != "trials"


def test_nobody_doubles_when_the_game_is_over(engine: Engine) -> None:
    over = Position.from_id("3/cBAAAAAAAAAA")
    for judge in (engine.rollout_cube, partial(cube_theory, engine)):
        with pytest.raises(InvalidPositionError, match="the game is over"):
            judge(over)
