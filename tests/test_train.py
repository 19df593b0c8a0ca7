"""Training: gradients, dice, self-play, recipes, and runs that are stopped and resumed."""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from table_contract import rolled_to

from sixprime import kernels, train
from sixprime.bearoff import one_sided
from sixprime.cube.values import swapped
from sixprime.engine import Engine
from sixprime.engine.plies import classes_of
from sixprime.errors import DataFileError, InvalidFileError, SettingsError
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.game.table import Phase, Table
from sixprime.kernels import network, search
from sixprime.nets import file
from sixprime.nets.params import WEIGHTS, Params, Spec, fold, fold_reference, initial
from sixprime.paths import replacing
from sixprime.train import curve, fit, harvest, pipeline, selfplay, starts, strength
from sixprime.train.pipeline import LogLine, Run, read_lessons
from sixprime.train.recipe import Harvest, Learn, Recipe, Td, parse_recipe, read_recipe

RECIPE = """
name = "tiny"
seed = 5

[nets]
contact = {hidden = 8, rear = true, pairs = true}
race = {hidden = 4, rear = false, pairs = false}
pruner = {hidden = 4, rear = false, pairs = false}
back = {hidden = 6, rear = true, pairs = true}

[[stage]]
kind = "td"
positions = 3000
games = 64
rate = 0.01
final_rate = 0.005

[[stage]]
kind = "harvest"
positions = 3000
games = 16
keep = 3
siblings = 1
strays = 1
variety = 0.5
rare = 0.5
"""

LEARN = """
[[stage]]
kind = "learn"
epochs = 3
batch = 64
rate = 0.01
"""


def worth(outcomes: NDArray[np.floating]) -> NDArray[np.floating]:
    """Money equities but for a constant. Not by `@`, which may raise a flag beyond five columns of float32."""
    return np.einsum("...j,j->...", outcomes, selfplay.MONEY[0])


# -- dice and games --------------------------------------------------------------------------------


def test_dice_are_uniform_and_independent() -> None:
    games = np.repeat(np.arange(600), 60)
    turns = np.tile(np.arange(60), 600)
    dice = selfplay.roll_dice(3, games, turns)
    assert dice.dtype == np.int8
    throws = (dice[:, 0].astype(int) - 1) * 6 + dice[:, 1] - 1
    expected = len(throws) / 36
    for sample in (throws, throws[turns == 7], throws[games % 2 == 0]):
        expected = len(sample) / 36
        chi = float(((np.bincount(sample, minlength=36) - expected) ** 2 / expected).sum())
        assert chi < 80  # 35 degrees of freedom: more only once in 20,000
    after = throws.reshape(600, 60)
    pairs = np.bincount((after[:, :-1] * 36 + after[:, 1:]).ravel(), minlength=1296)
    expected = pairs.sum() / 1296
    assert float(((pairs - expected) ** 2 / expected).sum()) < 1295 + 5 * np.sqrt(2 * 1295)


def test_dice_depend_on_seed_game_and_turn_only() -> None:
    games, turns = np.arange(50), np.arange(50) * 3
    dice = selfplay.roll_dice(1, games, turns)
    assert np.array_equal(selfplay.roll_dice(1, games[20:21], turns[20:21])[0], dice[20])
    assert not np.array_equal(selfplay.roll_dice(2, games, turns), dice)
    assert int(selfplay.hash64(1, 2, 3)) == int(selfplay.hash64(1, np.array([2]), 3)[0])
    assert int(selfplay.hash64(1, 2, 3)) != int(selfplay.hash64(1, 3, 2))


def test_flipping() -> None:
    outcomes = np.array([[0.6, 0.2, 0.05, 0.1, 0.01]], dtype=np.float32)
    assert swapped(outcomes)[0] == pytest.approx([0.4, 0.1, 0.01, 0.2, 0.05])
    assert swapped(swapped(outcomes)) == pytest.approx(outcomes)


@pytest.fixture(scope="module")
def brain() -> search.Brain:
    nets = [fold(initial(Spec(8, False, False), seed)) for seed in range(3)]
    return search.Brain(nets[0], nets[1], nets[2], one_sided(6).arrays)


def test_games_run_on(brain: search.Brain) -> None:
    games = selfplay.SelfPlayGames.new(3, 40, 0.5, 0.3)
    assert games.started == 40
    assert 0 < (games.random > 0).sum() < 40
    for _ in range(150):
        dice = games.dice()
        chosen, outputs = selfplay.best_plays(brain, games.boards, dice)
        which, random = games.random_plays(dice)
        chosen[which] = random
        assert np.isfinite(outputs).all()
        for board, parent, roll in zip(chosen[:3], games.boards[:3], dice[:3], strict=True):
            results, _ = kernels.legal_plays(parent[None], roll[None])
            assert (kernels.swap(results) == board).all(axis=1).any()
        games.advance(chosen)
        codes = classes_of(games.boards)
        assert (codes > search.BEAROFF).all()
    assert games.started > 40
    assert len(set(games.games.tolist())) == 40


def test_games_are_played_by_the_rules_of_a_table(brain: search.Brain) -> None:
    games = selfplay.SelfPlayGames.new(5, 16, 0.0)
    boards, numbers = games.boards.copy(), games.games.copy()
    tables = {number: Table.from_position(Position.start(), MatchState(jacoby=False)) for number in numbers.tolist()}
    for turn in range(120):
        dice = selfplay.roll_dice(5, numbers, np.full(len(numbers), turn))
        boards, _ = selfplay.best_plays(brain, boards, dice)
        outputs, codes = selfplay.judge(brain, boards)
        for number, roll, board, output, code in zip(
            numbers.tolist(), dice.tolist(), kernels.unpack(boards), outputs, codes, strict=True
        ):
            table = tables[number] = rolled_to(tables[number], tuple(roll), board)
            assert (code == search.OVER) == (table.phase is Phase.GAME_OVER)
            if code == search.OVER:
                assert output.tolist() == [0, 0, 0, table.game.points > 1, table.game.points > 2]
        boards, numbers = boards[codes > search.OVER], numbers[codes > search.OVER]
    assert len(numbers) < len(tables) // 2


def test_lookahead_is_the_mean_over_the_rolls(brain: search.Brain) -> None:
    boards = kernels.pack(np.array([play.result.board for play in Position.start().plays((6, 2))]))
    values = selfplay.lookahead(brain, boards)
    expected = np.zeros((len(boards), 5))
    for (high, low), weight in zip(kernels.ROLLS, kernels.ROLL_WEIGHTS, strict=True):
        dice = np.full((len(boards), 2), (high, low), dtype=np.int8)
        expected += weight / 36 * swapped(selfplay.best_plays(brain, boards, dice)[1])
    assert values == pytest.approx(expected, abs=1e-6)
    parts = [selfplay.lookahead(brain, part) for part in (boards[:1], boards[1:6], boards[6:])]
    assert np.array_equal(np.concatenate(parts), values)


# -- positions of the rare kinds -------------------------------------------------------------------


def test_starts_are_legal_and_have_contact() -> None:
    boards = [starts.start(7, number) for number in range(400)]
    positions = [Position.from_board(board) for board in boards]
    assert all(position.is_valid for position in positions)
    assert (classes_of(starts.starts(7, np.arange(400))) == search.CONTACT).all()
    assert np.array_equal(starts.start(7, 123), boards[123])
    assert len({position.id for position in positions}) > 395
    anchors = [max((np.array(p.player[18:24]) > 1).sum(), (np.array(p.opponent[18:24]) > 1).sum()) for p in positions]
    assert sum(found >= 2 for found in anchors) > 100  # back games
    assert sum(max(p.off) > 0 for p in positions) > 40  # late contact
    assert sum(p.player[24] + p.opponent[24] > 0 for p in positions) > 60


def test_usual_back_games_seldom_have_most_chequers_behind() -> None:
    shares = []
    for mix in ("back games alone", "usual back games"):
        boards = starts.starts(7, np.arange(400), mix)
        assert harvest.is_back_game(boards).mean() > 0.95
        behind = np.maximum(boards[:, 19:26].clip(0).sum(1), (-boards[:, 1:7]).clip(0).sum(1) + boards[:, 0])
        shares.append((behind > 7).mean())
    assert 0 < 2 * shares[1] < shares[0]


# -- harvest ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("siblings", [0, 2])
def test_hindsight_by_hand(brain: search.Brain, siblings: int) -> None:
    """One game, followed turn by turn: the lesson is the 1-ply value and what later turns add to it, faded."""
    games = selfplay.SelfPlayGames.new(2, 1, 0, 0)
    board, number = games.boards.copy(), games.games.copy()
    steps = []
    turn, detours = 0, 0
    while classes_of(board)[0] > search.BEAROFF:
        static, _ = selfplay.judge(brain, board)
        ahead = selfplay.lookahead(brain, board)
        roll = selfplay.roll_dice(2, number, np.array([turn]))
        after = kernels.swap(kernels.legal_plays(board, roll)[0])
        values, codes = selfplay.judge(brain, after)
        near = np.argsort(worth(values), kind="stable")[: siblings + 1]
        deeper = np.where((codes > search.BEAROFF)[:, None], selfplay.lookahead(brain, after), values)
        made = min(near.tolist(), key=lambda k: float(worth(deeper)[k]))
        steps.append((board.copy(), ahead[0], ahead[0] - static[0], values[made] - values[near[0]]))
        detours += made != near[0]
        board = after[made][None]
        turn += 1
    trace = 0.8
    look = partial(selfplay.lookahead, brain)
    lessons = harvest.play_block(brain, games, look, trace=trace, far=trace, siblings=siblings, strays=0)
    found = {bytes(b): target for b, target in zip(lessons.boards, lessons.targets, strict=True)}
    assert (detours > 0) == (siblings > 0)
    assert len(found) >= len(steps)
    for at, (position, ahead, _, _) in enumerate(steps):
        expected = ahead.astype(float)
        for later in range(at + 1, len(steps) + 1):
            gain = steps[later][2] if later < len(steps) else np.zeros(5)
            change = (gain + steps[later - 1][3]).astype(float)
            if (later - at) % 2:
                change = np.array([-change[0], change[3], change[4], change[1], change[2]])
            expected = expected + trace ** (later - at) * change
        assert found[bytes(position[0])] == pytest.approx(expected, abs=1e-5)


def test_pruned_replies_are_not_taken_for_luck() -> None:
    """With far sight the lessons are rollouts of one trial: their mean does not depend on what pruning leaves."""
    nets = [fold(initial(Spec(8, False, False), seed)) for seed in range(3)]
    brain = search.Brain(nets[0], nets[1], nets[2], one_sided(6).arrays)
    wins = []
    for keep in (0, 1):
        games = selfplay.SelfPlayGames.new(5, 800, 0, 0)
        games.boards[:] = starts.starts(9, np.array([4]))
        look = partial(selfplay.lookahead, brain, keep=keep)
        lessons = harvest.play_block(brain, games, look, trace=1, far=1, siblings=0, strays=0, keep=keep)
        wins.append(lessons.targets[(lessons.boards == games.boards[0]).all(1), 0])
    assert len(wins[0]) == len(wins[1]) >= 800
    # The same games both times: only what is taken for luck differs.
    gap = wins[1] - wins[0]
    assert abs(gap.mean()) < 5 * gap.std() / np.sqrt(len(gap))


def test_harvest(brain: search.Brain) -> None:
    look = partial(selfplay.lookahead, brain)

    def block(siblings: int, strays: int, rare: float = 0.5) -> harvest.Lessons:
        games = selfplay.SelfPlayGames.new(3, 12, 0.5, rare, first=24)
        return harvest.play_block(brain, games, look, trace=0.9, far=0.95, siblings=siblings, strays=strays)

    plain, more = block(2, 0), block(2, 1)
    again = block(2, 1)
    assert np.array_equal(more.boards, again.boards)
    assert np.array_equal(more.targets, again.targets)
    assert len(more.boards) > 1.1 * len(plain.boards)
    assert {bytes(board) for board in plain.boards} <= {bytes(board) for board in more.boards}
    assert (classes_of(more.boards) > search.BEAROFF).all()
    # No gammon once the loser has a chequer off.
    assert np.abs(more.targets[more.boards[:, 27] > 0, 1:3]).max() < 1e-5
    assert np.abs(more.targets[more.boards[:, 26] > 0, 3:5]).max() < 1e-5
    packed = harvest.packed(more.targets)
    assert packed / harvest.UNIT == pytest.approx(more.targets, abs=1 / harvest.UNIT)
    # Without looking back the lesson is the 1-ply value itself.
    games = selfplay.SelfPlayGames.new(3, 12, 0, 0.5)
    bare = harvest.play_block(brain, games, look, trace=0, far=0, siblings=1, strays=0)
    assert bare.targets == pytest.approx(look(bare.boards), abs=1e-6)


def test_plays_of_one_decision_are_told(brain: search.Brain) -> None:
    look = partial(selfplay.lookahead, brain)
    games = selfplay.SelfPlayGames.new(3, 12, 0.5, 0.5)
    lessons = {
        margin: harvest.play_block(brain, games, look, trace=0.9, far=0.9, siblings=3, strays=0, margin=margin)
        for margin in (10.0, 0.03)
    }
    for margin, found in lessons.items():
        ahead = look(found.boards)
        order = np.argsort(found.decisions, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(found.decisions[order])) + 1)
        assert {len(group) for group in groups} == {1, 2, 3, 4}
        for group in groups:
            # What is seen later is added to all of them, but for the last turns of games, which are not looked at.
            change = found.targets[group] - ahead[group]
            assert change == pytest.approx(np.tile(change[0], (len(group), 1)), abs=2e-6)
            static = worth(selfplay.judge(brain, found.boards[group])[0])
            assert np.ptp(static) <= margin + 1e-6
    assert len(lessons[0.03].boards) < 0.8 * len(lessons[10.0].boards)


def test_plays_are_followed_each_on_its_own(brain: search.Brain) -> None:
    look = partial(selfplay.lookahead, brain)

    def block(follow: int, first: int = 6) -> harvest.Lessons:
        games = selfplay.SelfPlayGames.new(3, 6, 0.2, 0.8, first=first)
        return harvest.play_block(brain, games, look, trace=0, far=0, siblings=2, strays=0, follow=follow)

    bare, games = block(0), selfplay.SelfPlayGames.new(3, 6, 0.2, 0.8, first=6)
    rivals = np.bincount(bare.decisions)[bare.decisions] > 1
    assert not rivals.all()
    for turns in (1, 3):
        found = block(turns)
        assert np.array_equal(found.boards, bare.boards[rivals])
        assert np.array_equal(found.decisions, bare.decisions[rivals])
        some = np.random.default_rng(turns).choice(len(found.boards), 60, replace=False)
        for i in some:
            game, turn = found.decisions[i] % 6, found.decisions[i] // 6
            board, expected = found.boards[i][None], look(found.boards[i][None])[0].astype(float)
            for k in range(turns):
                at = np.array([2_000_000 + turn * turns + k])
                dice = selfplay.roll_dice(3, games.games[[game]], at)
                board, static = selfplay.best_plays(brain, board, dice)
                if classes_of(board)[0] <= search.BEAROFF:
                    break
                change = (look(board) - static)[0].astype(float)
                if k % 2 == 0:
                    change = np.array([-change[0], change[3], change[4], change[1], change[2]])
                expected += change
            assert found.targets[i] == pytest.approx(expected, abs=1e-5)
    # Other games have other dice.
    assert len(block(1, first=0).boards) != len(block(1).boards)


@pytest.mark.parametrize("follow", [1, 2])
def test_what_comes_of_plays_by_one_roll_is_taught(brain: search.Brain, follow: int) -> None:
    """The best reply to the first roll, seen by who decided, with as many differences of its own later turns."""
    look = partial(selfplay.lookahead, brain)
    games = selfplay.SelfPlayGames.new(3, 6, 0.2, 0.8)
    how: dict[str, Any] = {"trace": 0, "far": 0, "siblings": 2, "strays": 0, "follow": follow}
    plain = harvest.play_block(brain, games, look, **how)
    found = harvest.play_block(brain, games, look, **how, replies=True)
    own = len(plain.boards)
    assert np.array_equal(found.boards[:own], plain.boards)
    assert np.array_equal(found.decisions[:own], plain.decisions)
    for decision in np.unique(plain.decisions):
        which = np.flatnonzero(plain.decisions == decision)
        values = worth(found.targets[which])
        assert found.behind[which] == pytest.approx(values - values.min(), abs=1e-6)
    # By the decision and the play's place in it: what comes of it, where the game is not decided.
    later = {int(number): [] for number in found.decisions[own:]}
    for place in range(own, len(found.boards)):
        later[int(found.decisions[place])].append(place)
    shift = int(plain.decisions.max()) + 1
    checked = 0
    for decision in np.unique(plain.decisions).tolist():
        places = iter(later.get(decision + shift, []))
        for i in np.flatnonzero(plain.decisions == decision):
            board, expected = plain.boards[i][None], np.zeros(5)
            first = 2_000_000 + decision // 6 * (follow + 1)
            for k in range(follow + 1):
                dice = selfplay.roll_dice(3, games.games[[decision % 6]], np.array([first + k]))
                board, static = selfplay.best_plays(brain, board, dice)
                if classes_of(board)[0] <= search.BEAROFF:
                    break
                ahead = look(board)[0].astype(float)
                if not k:
                    place = next(places)
                    assert np.array_equal(found.boards[place], board[0])
                    assert found.behind[place] == found.behind[i]
                    expected = ahead
                    continue
                change = ahead - static[0]
                expected = expected + (np.array([-change[0], *change[[3, 4, 1, 2]]]) if k % 2 else change)
            else:
                checked += 1
                assert found.targets[place] == pytest.approx(expected, abs=1e-5)
        assert next(places, None) is None
    assert checked > 100


def test_games_are_cut_after_a_back_game(brain: search.Brain) -> None:
    """What is left are the same games up to there; nothing of the back games themselves is missing."""
    look = partial(selfplay.lookahead, brain)

    def block(cut: int) -> dict[bytes, NDArray[np.float32]]:
        games = selfplay.SelfPlayGames.new(3, 12, 0, 1, mix="back games alone")
        lessons = harvest.play_block(brain, games, look, trace=0, far=0, siblings=0, strays=0, cut=cut)
        return {bytes(board): target for board, target in zip(lessons.boards, lessons.targets, strict=True)}

    whole, short, shorter = block(0), block(3), block(1)
    assert len(shorter) < len(short) < len(whole)
    assert all(np.array_equal(whole[board], target) for board, target in short.items())
    starts_met = {bytes(board) for board in selfplay.SelfPlayGames.new(3, 12, 0, 1, mix="back games alone").boards}
    assert starts_met <= shorter.keys()
    outside = [not harvest.is_back_game(np.frombuffer(board, np.int8)[None])[0] for board in shorter]
    assert 0 < sum(outside) <= 24  # a side may come back to two points


def test_what_counts_where_a_game_is_cut(brain: search.Brain) -> None:
    """The 1-ply value of the position given up is the last that lessons know of."""
    look = partial(selfplay.lookahead, brain)
    trace, lengths = 0.7, []
    for number in range(4):

        def path(cut: int, number: int = number) -> harvest.Lessons:
            games = selfplay.SelfPlayGames.new(3, 1, 0, 1, first=number, mix="back games alone")
            found = harvest.play_block(brain, games, look, trace=trace, far=trace, siblings=0, strays=0, cut=cut)
            # The first turn first; kernels are compiled for arrays in order.
            return harvest.plays(*(array[::-1].copy() for array in (found.boards, found.targets, found.decisions)))

        whole, short = path(0).boards, path(1)
        count = len(short.boards)
        lengths.append(len(whole) - count)
        assert np.array_equal(whole[:count], short.boards)
        met = whole[: count + 1]
        ahead = look(met)
        gains = ahead - selfplay.judge(brain, met)[0]
        for i in range(count):
            expected = ahead[i].astype(float)
            for later in range(i + 1, len(met)):
                change = gains[later].astype(float)
                if (later - i) % 2:
                    change = np.array([-change[0], change[3], change[4], change[1], change[2]])
                expected += trace ** (later - i) * change
            assert short.targets[i] == pytest.approx(expected, abs=1e-5)
    assert max(lengths) > 5


def test_games_that_never_were_back_games_are_not_cut(brain: search.Brain) -> None:
    look = partial(selfplay.lookahead, brain)
    kept = 0
    for number in range(6):

        def path(cut: int, number: int = number) -> NDArray[np.int8]:
            games = selfplay.SelfPlayGames.new(8, 1, 0, 0, first=number)
            return harvest.play_block(brain, games, look, trace=0, far=0, siblings=0, strays=0, cut=cut).boards[::-1]

        whole = path(0)
        of_kind = np.flatnonzero(harvest.is_back_game(whole))
        if len(of_kind):
            assert len(path(1)) > of_kind[0]
        else:
            kept += 1
            assert np.array_equal(path(1), whole)
    assert kept


# -- fitting ---------------------------------------------------------------------------------------


def test_fitting_with_torch() -> None:
    pytest.importorskip("torch")
    from sixprime.train import regress

    boards = starts.starts(5, np.arange(256))
    targets = np.zeros((256, 5), dtype=np.int16)
    targets[:, 0] = np.where(boards[:, 1:7].clip(0).sum(1) > 6, 12_500, 2_500)
    targets[:, 0] += np.arange(256, dtype=np.int16) % 7 * 90
    # Decisions of one to four plays, which do not stand together.
    decisions = np.arange(256) % 50 + 1000 * (np.arange(256) % 3 == 0)
    # Of some the best play is another net's to learn.
    behind = harvest.behind(harvest.unpacked(targets), decisions) + np.float32(9) * (decisions % 4 == 0)
    lessons = harvest.Kept(boards, targets, decisions, behind)
    # Money, double match point, and gammons that win the match for one side or for the other.
    scores = np.array([[2.0, 1, 1, -1, -1], [2, 0, 0, 0, 0], [2, 2, 0, 0, 0], [2, 0, 0, -2, 0]])
    for spec, match in ((Spec(8, True, True, 4, True), 0.0), (Spec(6, False, False), 0.6)):
        shares = np.array([1 - match, *[match / 3] * 3])
        params = initial(spec, 3)
        # What torch sees is what the kernels see.
        stage = Learn(epochs=1, batch=256, rate=0.01, difference=8.0, near=0.04, match=match)
        fresh = regress.Fit(params, lessons, stage, 1)
        batch = fresh._batch(0)
        wanted, weights = batch.targets, batch.weights
        loss, squares = fresh._loss(batch)
        order = np.argsort(decisions, kind="stable")
        assert np.array_equal(wanted.numpy() * harvest.UNIT, targets[order])
        after = kernels.swap(boards[order])
        outputs = np.empty((256, 5), dtype=np.float32)
        fit.predict(params, after, outputs)
        off = (outputs - wanted.numpy()) * weights.numpy()
        assert float(squares) == pytest.approx(float((worth(off) ** 2).sum()), rel=1e-4)
        gap = off @ scores.T
        entropy = -(wanted * torch_log(outputs) + (1 - wanted) * torch_log(1 - outputs)) * weights
        apart = 0.0
        for decision in np.unique(decisions):
            which = decisions[order] == decision
            behind = worth(wanted.numpy()[which])
            counts = np.exp((behind.min() - behind) / 0.04)
            differences = gap[which] - np.average(gap[which], axis=0, weights=counts)
            apart += float(counts @ differences**2 @ shares)
        expected = float(entropy.sum()) + float((gap**2 @ shares).sum()) + 8 * apart
        assert float(loss.detach()) == pytest.approx(expected / 256, rel=1e-4)
        # It learns, and goes on after a stop as if there had been none.
        stage = Learn(epochs=60, batch=64, rate=0.01, difference=0.5, match=match)
        whole = regress.Fit(params, lessons, stage, 1)
        whole.run(5)
        early = whole.error()
        whole.run(10_000)
        assert whole.done
        assert whole.error() < 0.8 * early
        # Nor does it matter where the lessons are kept.
        parts = regress.Fit(params, lessons, stage, 1)
        for number in range(30):
            parts.run(8)
            state = parts.state()
            parts = regress.Fit(params, lessons, stage, 1, resident=number % 3 > 0)
            assert (parts._resident is None) == (number % 3 == 0)
            parts.restore(state)
        assert parts.done
        for one, other in zip(parts.result()[:5], whole.result()[:5], strict=True):
            assert np.array_equal(one, other)


def torch_log(values: NDArray[np.float32]) -> Any:
    import torch

    return torch.log(torch.from_numpy(values))


# -- gradients -------------------------------------------------------------------------------------

SPECS = [Spec(6, False, False), Spec(8, True, True, 2, True)]
FIELDS = ("rows", "bias", "head", "head_bias", "top")
CONTACT = Position.start().plays((5, 2))[3].result
OFF = Position(
    (2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), (0, 0, 0, 3, 3, 4) + (0,) * 19
)


def error(params: Params, board: NDArray[np.int8], target: NDArray[np.float32], counted: list[int]) -> float:
    """Cross entropy of the counted outcomes and a quarter of the squared error of equity."""
    out = network.dense_reference(fold_reference(params), board)
    entropy = -sum(target[j] * np.log(out[j]) + (1 - target[j]) * np.log(1 - out[j]) for j in counted)
    gap = sum([2, 1, 1, -1, -1][j] * (out[j] - target[j]) for j in counted)
    return float(entropy + 0.25 * gap**2)


@pytest.mark.parametrize("spec", SPECS, ids=["plain", "relations"])
@pytest.mark.parametrize(("position", "counted"), [(CONTACT, [0, 1, 2, 3, 4]), (OFF, [0])], ids=["contact", "off"])
def test_gradient(spec: Spec, position: Position, counted: list[int]) -> None:
    """What one step changes is the numerical derivative, of the head and of the first layer."""
    board = kernels.swap(kernels.pack(position.board[None]))
    target = np.array([[0.7, 0.35, 0.05, 0.1, 0.02]], dtype=np.float32)
    random = np.random.default_rng(2)
    start = initial(spec, 1)
    start.rows[:] = random.normal(0, 0.12, start.rows.shape)
    start.head[:] = random.normal(0, 0.3, start.head.shape)

    def copy() -> Params:
        return start._replace(**{name: getattr(start, name).copy() for name in FIELDS})

    rate = 1e-3
    moved_head, moved_rows = copy(), copy()
    fit.train(moved_head, board, target, np.float32(rate), np.float32(0))
    fit.train(moved_rows, board, target, np.float32(0), np.float32(rate))
    assert np.array_equal(moved_head.rows, start.rows)
    assert np.array_equal(moved_rows.head, start.head)
    used = np.flatnonzero((moved_rows.rows != start.rows).any(axis=1))
    assert 10 < len(used) < 120

    places = [("head", j, k) for j in range(len(start.head)) for k in (0, 2)]
    places += [("head_bias", j) for j in range(len(start.head))]
    places += [("top", j, m) for j in range(5) for m in range(spec.second)]
    places += [("bias", k) for k in range(6)]
    places += [("rows", int(row), int(k)) for row in used[:: len(used) // 12] for k in (1, 4)]
    for name, *index in places:
        moved = moved_head if name.startswith(("head", "top")) else moved_rows
        where = tuple(index)
        step = (getattr(start, name)[where] - getattr(moved, name)[where]) / rate
        plus, minus = copy(), copy()
        getattr(plus, name)[where] += 0.01
        getattr(minus, name)[where] -= 0.01
        slope = (error(plus, board[0], target[0], counted) - error(minus, board[0], target[0], counted)) / 0.02
        assert step == pytest.approx(slope, abs=2e-3, rel=5e-3), (name, where)


def test_learning_one_position_by_heart() -> None:
    params = initial(Spec(8, True, True), 4)
    board = kernels.swap(kernels.pack(CONTACT.board[None]))
    target = np.array([[0.7, 0.35, 0.05, 0.1, 0.02]], dtype=np.float32)
    losses = [fit.train(params, board, target, np.float32(0.02), np.float32(0.02)) for _ in range(800)]
    output = np.empty((1, 5), dtype=np.float32)
    fit.predict(params, board, output)
    assert output == pytest.approx(target, abs=0.01)
    assert losses[-1] < 1e-4 < losses[0]


def test_impossible_outcomes_teach_nothing() -> None:
    """Once the loser has a chequer off there is no gammon: whatever is said about it changes nothing."""
    board = kernels.swap(kernels.pack(OFF.board[None]))
    results = []
    for gammons in (0.0, 0.9):
        params = initial(Spec(8, False, False), 4)
        target = np.array([[0.7, gammons, gammons, gammons, gammons]], dtype=np.float32)
        fit.train(params, board, target, np.float32(0.1), np.float32(0.1))
        results.append(params)
    assert all(np.array_equal(a, b) for a, b in zip(*results, strict=True))


# -- recipes ---------------------------------------------------------------------------------------


def test_recipe(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE, encoding="utf-8")
    recipe = read_recipe(path)
    assert recipe == parse_recipe(RECIPE)
    assert (recipe.name, recipe.seed, recipe.contact) == ("tiny", 5, Spec(8, True, True))
    assert recipe.stages == (
        Td(positions=3000, games=64, rate=0.01, final_rate=0.005),
        Harvest(positions=3000, games=16, keep=3, siblings=1, strays=1, variety=0.5, rare=0.5),
    )
    assert parse_recipe(RECIPE + LEARN).stages[2] == Learn(epochs=3, batch=64, rate=0.01)


def test_another_seed() -> None:
    recipe = parse_recipe(RECIPE)
    other = recipe.with_seed(12)
    assert (other.seed, other.stages, other.nets) == (12, recipe.stages, recipe.nets)
    assert parse_recipe(other.text) == other
    assert other.with_seed(5) == recipe
    assert not np.array_equal(other.random_nets()["race"].head, recipe.random_nets()["race"].head)
    with pytest.raises(SettingsError, match="seed must be a whole number from 0"):
        recipe.with_seed(10**13)
    hidden = parse_recipe(RECIPE.replace("seed = 5", '"seed" = 5'))
    with pytest.raises(SettingsError, match="the seed is not on a line of its own"):
        hidden.with_seed(12)


def test_shipped_recipes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (Path(train.__file__).parent / "recipes").glob("*.toml"):
        (tmp_path / path.stem).mkdir()  # a folder of that name is none
        assert read_recipe(path.stem).stages


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('name = "tiny"', "name = 3", "name must be a text"),
        ("seed = 5", "", "seed must be a whole number"),
        ("seed = 5", 'seed = "x"', "seed must be a whole number"),
        ("seed = 5", "seed = -1", "seed must be a whole number"),
        ("seed = 5", "seed = nan", "seed must be a whole number"),
        ("seed = 5", "seeds = 5", "the recipe: unknown setting 'seeds'"),
        ("hidden = 8", "hidden = 0", "nets.contact.hidden must be a whole number from 1"),
        ("hidden = 8", 'hidden = "8"', "nets.contact.hidden must be a whole number"),
        ("hidden = 8, rear = true", "rear = true", "nets.contact.hidden must be a whole number"),
        ("rear = true", "rear = 1", "nets.contact.rear must be true or false"),
        ("pairs = true", "pears = true", "nets.contact: unknown setting 'pears'"),
        ("race = {", "rice = {", "nets: unknown setting 'rice'"),
        ("race = {hidden = 4, rear = false, pairs = false}", "", "nets.race must be a table"),
        ("[nets]\n", "", "the recipe: unknown setting 'back'"),
        ('kind = "td"', 'kind = "magic"', "stage 1: kind must be one of td, harvest, learn"),
        ('kind = "td"', "", "stage 1: kind must be one of"),
        ("positions = 3000", "", "stage 1: positions must be given"),
        ("positions = 3000", "positions = 0", "stage 1: positions must be a whole number from 1"),
        ("positions = 3000", "positions = 1.5", "stage 1: positions must be a whole number"),
        ("positions = 3000", "positions = true", "stage 1: positions must be a whole number"),
        ("rate = 0.01", 'rate = "fast"', "stage 1: rate must be a number"),
        ("rate = 0.01", "rate = nan", "stage 1: rate must be a number"),
        ("rate = 0.01", "rate = -1", "stage 1: rate must be a number from 1e-09"),
        ("keep = 3", "keep = -1", "stage 2: keep must be a whole number from 0"),
        ("strays = 1", "trace = 2", "stage 2: trace must be a number from 0 to 1"),
        ("strays = 1", "rate = 2", "stage 2: unknown setting 'rate'"),
        ("siblings = 1", "siblings = -1", "stage 2: siblings must be"),
        ("siblings = 1\nstrays = 1", "siblings = 0\nfollow = 1", "stage 2: follow needs several plays of a decision"),
        ("strays = 1", "margin = 0.0\nfollow = 1", "stage 2: follow needs several plays of a decision"),
        (
            "strays = 1",
            "replies = true",
            "stage 2: replies are lessons where plays are followed: follow must be above 0",
        ),
        ("variety = 0.5", "variety = 1.5", "stage 2: variety must be a number from 0 to 1"),
        ("variety = 0.5", "variaty = 0.5", "stage 2: unknown setting 'variaty', known are"),
        ("[[stage]]", "[[stages]]", "the recipe: unknown setting 'stages'"),
        ("name", "name =", "line 2, column"),
        (RECIPE, "", "name must be a text"),
        (RECIPE[RECIPE.index("[[stage]]") :], "", r"no \[\[stage\]\] found"),
        (RECIPE[RECIPE.index("[[stage]]") :], "[stage]\nkind = 'td'", r"no \[\[stage\]\] found"),
    ],
)
def test_bad_recipes(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE.replace(old, new, 2 if "stage" in old and len(old) < 20 else 1), encoding="utf-8")
    with pytest.raises(InvalidFileError, match=message) as caught:
        read_recipe(path)
    assert str(caught.value).startswith(f"{path}: is not a training recipe: ")


def test_recipes_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InvalidFileError, match=r"cannot be read: No such file"):
        read_recipe(tmp_path / "none")
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidFileError, match="is not a training recipe"):
        read_recipe(tmp_path / "bytes")


# -- runs ------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads of torch that wait for each other take many times as long where others work beside them."""
    monkeypatch.setattr(pipeline.os, "cpu_count", lambda: 1)
    with suppress(ImportError):
        import torch

        torch.set_num_threads(1)


@pytest.fixture(scope="module")
def recipe() -> Recipe:
    return parse_recipe(RECIPE)


@pytest.fixture(scope="module")
def finished(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that was never stopped, on one thread."""
    run = Run.start(tmp_path_factory.mktemp("run"), recipe, threads=1)
    while run.advance(lambda progress: None, every=60):
        pass
    return run


def assert_same(nets: dict[str, Params], expected: dict[str, Params]) -> None:
    arrays = file.to_arrays(nets)
    for name, array in file.to_arrays(expected).items():
        assert np.array_equal(arrays[name], array), name


def test_a_run(finished: Run, recipe: Recipe) -> None:
    for seed, (name, params) in enumerate(finished.nets.items(), 5):
        assert np.isfinite(params.rows).all()
        assert not np.array_equal(params.head, initial(getattr(recipe, name), seed).head)
    folder = finished.folder
    assert sorted(path.name for path in folder.iterdir()) == [
        "curve.svg",
        "lessons",
        "lessons.json",
        "lock",
        "log.jsonl",
        "net.safetensors",
        "recipe.toml",
        "state.npz",
    ]
    net = file.load(folder / "net.safetensors")
    assert_same({name: getattr(net, name) for name in file.NETS}, finished.nets)
    assert net.header["recipe"] == RECIPE
    assert (net.header["name"], net.header["seed"], net.header["stage"]) == ("tiny", 5, 2)
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert [line["stage"] for line in lines] == [0, 1]
    assert lines[0]["done"] >= 3000
    assert lines[0]["rate"] == pytest.approx(0.005)
    assert [line["kind"] for line in lines] == ["td", "harvest"]
    blocks = sorted((folder / "lessons" / "stage2").glob("*.npz"))
    assert sum(len(np.load(block)["boards"]) for block in blocks) == lines[1]["done"] >= 3000
    assert "<polyline" in (folder / "curve.svg").read_text()
    assert finished.advance(lambda progress: None) is False


def test_stopped_and_resumed(finished: Run, recipe: Recipe, tmp_path: Path) -> None:
    """Stopped again and again, on another number of threads, with work lost now and then: the same net."""
    run = Run.start(tmp_path / "run", recipe, threads=2)
    unfinished = True
    for stop in range(10_000):
        unfinished = run.advance(lambda progress: None, every=0.02)
        if not unfinished:
            break
        if stop % 3 != 2:
            run.checkpoint()
        with (run.folder / "log.jsonl").open("a") as log:
            log.write('{"half a line' if stop == 2 else "")
        run = Run.resume(run.folder, threads=2)
    assert not unfinished
    lines = (run.folder / "log.jsonl").read_text().splitlines()
    assert lines.count('{"half a line') == 1
    assert [json.loads(line)["stage"] for line in lines if line != '{"half a line'][-1] == 1
    assert stop > 3
    assert_same(run.nets, finished.nets)
    for block in (finished.folder / "lessons" / "stage2").iterdir():
        with np.load(block) as one, np.load(run.folder / "lessons" / "stage2" / block.name) as other:
            assert np.array_equal(one["boards"], other["boards"])
            assert np.array_equal(one["targets"], other["targets"])


@pytest.mark.parametrize("count", [0, 1, 100])
def test_fitting_to_fewer_lessons_than_a_batch(count: int) -> None:
    """All of them are one step; without any nothing changes."""
    pytest.importorskip("torch")
    from sixprime.train import regress

    params = initial(Spec(8, True, True, 3, True), 1)
    boards = starts.starts(5, np.arange(count)) if count else np.empty((0, 32), dtype=np.int8)
    targets = np.tile(harvest.packed(np.array([0.9, 0.5, 0.1, 0, 0])), (count, 1))
    lessons = harvest.Kept(boards, targets, np.arange(count), np.zeros(count, dtype=np.float32))
    one = regress.Fit(params, lessons, Learn(epochs=40, rate=0.02), 7)
    assert (one.steps, one.done) == (40 if count else 0, not count)
    before = np.empty((count, 5), dtype=np.float32)
    after = before.copy()
    fit.predict(params, kernels.swap(boards), before)
    one.run(50)
    assert one.done
    assert one.rate() >= 0
    fit.predict(one.result(), kernels.swap(boards), after)
    assert (np.abs(after[:, 0] - 0.9) < np.abs(before[:, 0] - 0.9)).all()
    assert count or np.array_equal(one.result().rows, params.rows)


def test_learning_from_another_run(finished: Run, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    recipe = parse_recipe(RECIPE[: RECIPE.index("[[stage]]")] + LEARN)
    whole = Run.start(tmp_path / "whole", recipe, lessons=[finished.folder])
    with np.load(finished.folder / "lessons" / "stage2" / "000000.npz") as archive:
        boards, targets = archive["boards"], archive["targets"] / harvest.UNIT

    def error() -> float:
        return float(np.abs(worth(selfplay.judge(whole.brain(), boards)[0] - targets)).mean())

    before = error()
    while whole.advance(lambda progress: None, every=0.05):
        pass
    assert error() < 0.8 * before
    run = Run.start(tmp_path / "parts", recipe, lessons=[finished.folder])
    while run.advance(lambda progress: None, every=0.02):
        run.checkpoint()
        run = Run.resume(run.folder)
    assert_same(run.nets, whole.nets)
    # The mean of both ends, in one go and in parts.
    start = Run.start(tmp_path / "start", recipe).nets
    for name, interrupted in (("mean", False), ("mean in parts", True)):
        run = Run.start(
            tmp_path / name,
            parse_recipe(RECIPE[: RECIPE.index("[[stage]]")] + LEARN + "mean = true\n"),
            lessons=[finished.folder],
        )
        while run.advance(lambda progress: None, every=0.02):
            if interrupted:
                run.checkpoint()
                run = Run.resume(run.folder)
        for kind, params in run.nets.items():
            for field in WEIGHTS:
                ends = getattr(start[kind], field), getattr(whole.nets[kind], field)
                assert np.array_equal(getattr(params, field), (ends[1] + ends[0]) / np.float32(2))
    with pytest.raises(SettingsError, match="holds no lessons"):
        Run.start(tmp_path / "none", recipe, lessons=[tmp_path])
    alone = Run.start(tmp_path / "alone", recipe)
    with pytest.raises(SettingsError, match="a harvest must come before learning"):
        alone.advance(lambda progress: None)


def test_lessons_that_come_while_a_stage_learns_wait_for_the_next(finished: Run, tmp_path: Path) -> None:
    """The other run may go on; what it had when the stage began must stay."""
    pytest.importorskip("torch")
    other = tmp_path / "other" / "lessons"
    shutil.copytree(finished.folder / "lessons", other)
    recipe = parse_recipe(RECIPE[: RECIPE.index("[[stage]]")] + LEARN)
    whole, parts = (Run.start(tmp_path / name, recipe, lessons=[other.parent]) for name in ("whole", "parts"))
    while whole.advance(lambda progress: None):
        pass
    parts.advance(lambda progress: None, every=0)
    parts.checkpoint()
    parts.folder.rename(tmp_path / "moved")
    last = max((other / "stage2").iterdir())
    shutil.copy(last, other / "stage2" / f"{int(last.stem) + 1:06d}.npz")
    shutil.copytree(other / "stage2", other / "stage4")
    resumed = Run.resume(tmp_path / "moved")
    assert resumed.work is not None
    while resumed.advance(lambda progress: None):
        pass
    assert_same(resumed.nets, whole.nets)
    again = Run.start(tmp_path / "again", recipe, lessons=[other.parent])
    again.advance(lambda progress: None, every=0)
    again.checkpoint()
    with np.load(last) as archive:
        arrays = {name: array[1:] for name, array in archive.items()}
        count = len(archive["boards"])
    np.savez(last, **arrays)
    with pytest.raises(
        DataFileError, match=rf"{last} .*it has {count - 1:,} lessons, and had {count:,} when the stage"
    ):
        Run.resume(again.folder)
    last.unlink()
    with pytest.raises(DataFileError, match=rf"{last} is no complete file of lessons"):
        Run.resume(again.folder)


@pytest.mark.parametrize(
    "changed",
    [{1: 16}, {6: 1}, {0: 1, 27: -1}, {25: -1, 26: 1}, {28: 1}, {7: 127, 9: 127, 10: 2}],
    ids=["too many", "one too many", "negative off", "negative bar", "beyond", "overflow"],
)
def test_lessons_of_impossible_boards_are_refused(finished: Run, tmp_path: Path, changed: dict[int, int]) -> None:
    shutil.copytree(finished.folder / "lessons", tmp_path / "lessons")
    place = tmp_path / "lessons" / "stage2" / "000000.npz"
    assert len(read_lessons([tmp_path], 0).boards)
    with np.load(place) as archive:
        arrays = dict(archive)
    board = kernels.pack(Position.start().board[None])[0]
    for point, number in changed.items():
        board[point] += number
    arrays["boards"][1] = board
    np.savez(place, **arrays)
    with pytest.raises(DataFileError, match=rf"{place} .*boards must have 15 chequers a side, found in row 1: \["):
        read_lessons([tmp_path], 0)
    np.savez(place, **arrays | {"boards": arrays["boards"][:, :31]})
    with pytest.raises(DataFileError, match=r"boards must be int8\[\d+, 32\], found int8\[\d+, 31\]"):
        read_lessons([tmp_path], 0)


def test_progress(recipe: Recipe, tmp_path: Path) -> None:
    reports: list[LogLine] = []
    run = Run.start(tmp_path / "run", recipe)
    while run.advance(reports.append, every=0.05):
        pass
    assert [(p.stage, p.done) for p in reports] == sorted((p.stage, p.done) for p in reports)
    assert [p.total for p in reports] == [3000] * len(reports)
    assert all((p.error > 0) == (p.kind == "td") for p in reports)
    assert reports[-1].seconds == max(p.seconds for p in reports)


def test_strength_is_noted_after_a_stage(recipe: Recipe, tmp_path: Path) -> None:
    """With reference rows at hand the report, the log, the picture and the net's header say how strong it is."""
    plays = Position.start().plays((3, 1))[:3]
    rollouts = [
        {"id": str(k), "set": "general", "posid": play.result.id, "probs": [0.5] * 5, "equity": 0.1 * k, "se": 0.01}
        for k, play in enumerate(plays)
    ]
    decision = {"cands": [{"pos": str(k), "eq": -0.1 * k} for k in range(3)]}
    run = Run.start(tmp_path / "run", recipe)
    run.rows = strength.Rows(rollouts, [decision] * 2)
    reports: list[LogLine] = []
    while run.advance(reports.append, every=60):
        pass
    assert [p.lost is None for p in reports] == [False, True]  # a harvest changes no net
    header = file.load(run.folder / "net.safetensors").header
    assert header["strength"]["lost_0ply"] == pytest.approx(reports[0].lost, abs=0.01)
    assert header["strength"]["rmse_general"] >= 0
    assert "mEMG" in (run.folder / "curve.svg").read_text()


def test_a_run_learns(tmp_path: Path) -> None:
    """A short run already knows who is ahead in a race."""
    text = RECIPE[: RECIPE.rindex("[[stage]]")].replace("positions = 3000", "positions = 120000")
    run = Run.start(tmp_path / "run", parse_recipe(text))
    while run.advance(lambda progress: None):
        pass
    race = Position((0,) * 11 + (5, 5, 5) + (0,) * 11, (0, 0, 0, 5, 5, 5) + (0,) * 19)
    boards = kernels.pack(np.array([Position.start().board, race.board, race.swapped().board]))
    outputs, codes = np.empty((3, 5), dtype=np.float32), np.empty(3, dtype=np.int8)
    search.judge(run.brain(), boards, outputs, codes)
    start, ahead, behind = outputs[:, 0]
    assert 0.4 < start < 0.65
    assert ahead > 0.6
    assert behind < 0.4


def test_a_stage_that_diverges_is_named(finished: Run, tmp_path: Path) -> None:
    text = RECIPE.replace("rate = 0.01\nfinal_rate = 0.005", "rate = 1000\nfinal_rate = 1000")
    run = Run.start(tmp_path / "td", parse_recipe(text), threads=1)
    wanted = r"stage 1 \(td\) diverged: a net's sums .* reach .*\d\. A new run needs a lower rate there than 1000\."
    with pytest.raises(SettingsError, match=wanted):
        run.advance(lambda progress: None)
    pytest.importorskip("torch")
    learn = RECIPE[: RECIPE.index("[[stage]]")] + LEARN.replace("epochs = 3", "epochs = 1")
    run = Run.start(tmp_path / "learn", parse_recipe(learn), lessons=[finished.folder], threads=1)
    state = (run.folder / "state.npz").read_bytes()
    run.nets["contact"].rows[:] = 1e6
    with pytest.raises(
        SettingsError, match=r"stage 1 \(learn\) diverged: a net's sums .*lower rate there than 0\.01\."
    ):
        run.advance(lambda progress: None, every=600)
    assert (run.folder / "state.npz").read_bytes() == state
    run = Run.resume(run.folder, threads=1)
    run.nets["contact"].head[:] = np.nan
    run.work = run._begin()
    run.work.step()
    with pytest.raises(SettingsError, match=r"stage 1 \(learn\) diverged: its error is no number any more\."):
        run.advance(lambda progress: None, every=0)


def test_a_net_that_learning_made_worse_is_told_of(
    finished: Run, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    pytest.importorskip("torch")

    def learnt(name: str, rate: str, parts: bool = False) -> list[str]:
        caplog.clear()
        recipe = parse_recipe(RECIPE[: RECIPE.index("[[stage]]")] + LEARN.replace("rate = 0.01", f"rate = {rate}"))
        net = tmp_path / "good" / "net.safetensors"
        run = Run.start(tmp_path / name, recipe, [net] if net.exists() else (), 1, [finished.folder])
        while run.advance(lambda progress: None, every=0.05):
            if parts:
                run.checkpoint()
                run = Run.resume(run.folder, threads=1)
        return caplog.messages

    assert learnt("good", "0.01") == []
    wanted = (
        r"stage 1 \(learn\): the contact net now errs by 0\.\d+ on its lessons, by (0\.\d+) before; a rate below 3 may"
    )
    whole, parts = (re.match(wanted, learnt(name, "3", name == "parts")[0]) for name in ("whole", "parts"))
    assert whole is not None
    assert parts is not None
    assert parts[1] == whole[1]


def test_a_net_of_a_run_plays(finished: Run) -> None:
    engine = Engine(finished.folder / "net.safetensors", threads=1)
    assert engine.best_plays(Position.start(), (3, 1), plies=1, count=1)[0].plies == 1


def test_starting_from_a_net(finished: Run, recipe: Recipe, tmp_path: Path) -> None:
    net = finished.folder / "net.safetensors"
    run = Run.start(tmp_path / "run", recipe, [net])
    assert_same(run.nets, finished.nets)
    run.advance(lambda progress: None, every=0.02)
    other = parse_recipe(RECIPE.replace("hidden = 8", "hidden = 7"))
    with pytest.raises(SettingsError, match=r"the contact net should be .*hidden=7.*found .*hidden=8"):
        Run.start(tmp_path / "other", other, [net])
    assert not (tmp_path / "other").exists()
    with pytest.raises(DataFileError, match="Cannot read the network file"):
        Run.start(tmp_path / "third", recipe, [tmp_path / "none"])


def test_a_net_for_back_games_comes_and_goes(finished: Run, recipe: Recipe, tmp_path: Path) -> None:
    """A recipe without one leaves it out; where the file has none, it begins as the contact net if shaped alike."""
    plain = parse_recipe(RECIPE.replace("back = {hidden = 6, rear = true, pairs = true}\n", ""))
    run = Run.start(tmp_path / "plain", plain, [finished.folder / "net.safetensors"])
    assert_same(run.nets, {name: net for name, net in finished.nets.items() if name != "back"})
    run.advance(lambda progress: None, every=0.02)
    run.checkpoint()
    assert "back" not in Run.resume(run.folder).nets
    assert file.load(run.folder / "net.safetensors").back is None
    smaller = Run.start(tmp_path / "smaller", recipe, [run.folder / "net.safetensors"])
    assert_same(smaller.nets, {**run.nets, "back": initial(Spec(6, True, True), 5 + 3)})
    alike = parse_recipe(RECIPE.replace("hidden = 6", "hidden = 8"))
    again = Run.start(tmp_path / "again", alike, [run.folder / "net.safetensors"])
    assert_same(again.nets, {**run.nets, "back": run.nets["contact"]})
    assert again.nets["back"].rows is not again.nets["contact"].rows


@pytest.mark.parametrize("more", ["", "fresh = true\nmean = true\n"])
def test_one_net_may_learn_alone(finished: Run, tmp_path: Path, more: str) -> None:
    pytest.importorskip("torch")
    text = RECIPE[: RECIPE.index("[[stage]]")] + LEARN + 'only = "back"\n' + more
    net = finished.folder / "net.safetensors"
    whole, parts = (
        Run.start(tmp_path / name, parse_recipe(text), [net], lessons=[finished.folder]) for name in ("whole", "parts")
    )
    while whole.advance(lambda progress: None, every=0.05):
        pass
    assert not np.array_equal(whole.nets["back"].rows, finished.nets["back"].rows)
    assert_same({**whole.nets, "back": finished.nets["back"]}, finished.nets)
    while parts.advance(lambda progress: None, every=0.01):
        parts.checkpoint()
        parts = Run.resume(parts.folder)
    assert_same(parts.nets, whole.nets)


BEGIN = 'only = "back"\nbegin = "contact"\n'


def test_a_net_that_begins_later(tmp_path: Path) -> None:
    """Until then the other judges and learns what it will; it begins as a copy, however often the run is stopped."""
    pytest.importorskip("torch")
    learn = LEARN.replace("epochs = 3", "epochs = 1")
    text = RECIPE.replace("hidden = 6", "hidden = 8").replace("rare = 0.5", 'rare = 1.0\nmix = "back games"')
    recipe = parse_recipe(text + learn + learn + BEGIN + learn + 'only = "back"\n')
    assert [recipe.begun(stage) for stage in (0, 3, 4)] == [{"back": "contact"}, {"back": "contact"}, {}]
    whole, parts = (Run.start(tmp_path / name, recipe) for name in ("whole", "parts"))
    assert "back" not in whole.nets
    contact = whole.nets["contact"]
    while whole.advance(lambda progress: None, every=0.05):
        if whole.stage < 3:
            assert "back" not in whole.nets
        elif whole.stage == 3 and whole.work is None:
            contact = whole.nets["contact"]
    assert_same({"contact": whole.nets["contact"]}, {"contact": contact})
    assert not np.array_equal(whole.nets["back"].rows, contact.rows)
    while parts.advance(lambda progress: None, every=0.005):
        parts.checkpoint()
        assert (parts.stage < 3 or (parts.stage == 3 and parts.work is None)) == ("back" not in parts.nets)
        parts = Run.resume(parts.folder)
    assert_same(parts.nets, whole.nets)
    assert file.load(parts.folder / "net.safetensors").back is not None


@pytest.mark.parametrize(
    ("stages", "message"),
    [
        ('begin = "contact"\n', "stage 3: begin says how a net begins that is learnt alone"),
        ('only = "contact"\nbegin = "race"\n', "stage 3: begin says how a net begins that is learnt alone"),
        (BEGIN + "fresh = true\n", "stage 3: begin says .*, not fresh"),
        ('only = "back"\nbegin = "front"\n', r"stage 3: begin must be one of 'contact', .*'back'\. Got 'front'"),
        ('only = "back"\nbegin = "race"\n', "stage 3: the net 'back' can only begin as another of the same shape"),
        ('only = "back"\nbegin = "back"\n', "stage 3: the net 'back' can only begin as another of the same shape"),
        ('only = "back"\n' + LEARN + BEGIN, "stage 4: the net 'back' begins here, but is named before"),
        (BEGIN + LEARN + BEGIN, "stage 4: the net 'back' begins here, but is named before"),
    ],
)
def test_nets_that_cannot_begin(stages: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        parse_recipe(RECIPE.replace("hidden = 6", "hidden = 8") + LEARN + stages)


def test_the_standard_recipe_runs_whole_in_miniature(tmp_path: Path) -> None:
    """All stages of the net that ships, in several sittings; from its lessons the small net is made."""
    pytest.importorskip("torch")
    contact = {"standard": "hidden = 16, rear = true, pairs = true, second = 3, products = true"}
    contact["small"] = contact["standard"].replace("16", "8")
    small: dict[str, Recipe] = {}
    for name, spec in contact.items():
        text = re.sub(r"hidden = \d+, rear = true.*(?=\})", spec, read_recipe(name).text)
        text = re.sub(r"positions = .*", "positions = 200", text)
        text = re.sub(r"^games = .*", "", text, flags=re.MULTILINE)
        text = re.sub(r'kind = "(td|harvest)"', r'kind = "\1"\ngames = 4', text)
        small[name] = parse_recipe(text)
    assert len(small["standard"].stages) == len(read_recipe("standard").stages)
    run = Run.start(tmp_path / "standard", small["standard"])
    while run.advance(lambda progress: None):
        run = Run.resume(run.folder)
    nets = file.load(run.folder / "net.safetensors")
    assert nets.back is not None
    assert not np.array_equal(nets.back.rows, nets.contact.rows)
    assert nets.header["recipe"] == small["standard"].text
    other = Run.start(tmp_path / "small", small["small"], lessons=[run.folder])
    while other.advance(lambda progress: None):
        pass
    assert file.load(other.folder / "net.safetensors").contact.rows.shape[1] == 8


def test_what_cannot_learn_alone(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    text = RECIPE[: RECIPE.index("[[stage]]")] + LEARN + 'only = "back"\n'
    with pytest.raises(SettingsError, match=r"only must be one of 'contact', .*'back'\. Got 'front'"):
        parse_recipe(text.replace('only = "back"', 'only = "front"'))
    with pytest.raises(SettingsError, match="stage 1: only the net 'back' is to learn, but nets has none"):
        parse_recipe(text.replace("back = {hidden = 6, rear = true, pairs = true}", ""))
    (tmp_path / "other" / "lessons" / "stage1").mkdir(parents=True)
    lessons = {"boards": kernels.pack(Position.start().board[None]), "targets": np.zeros((1, 5), np.int16)}
    np.savez(tmp_path / "other" / "lessons" / "stage1" / "000000.npz", **lessons, decisions=np.zeros(1, np.int32))
    run = Run.start(tmp_path / "run", parse_recipe(text), lessons=[tmp_path / "other"])
    with pytest.raises(SettingsError, match="the lessons hold nothing for back to learn"):
        run.advance(lambda progress: None)


def test_each_net_learns_from_what_it_judges(finished: Run) -> None:
    """The shares are those of `search.judge`: to change a net changes the values of its own positions."""
    boards = np.concatenate((starts.starts(4, np.arange(200)), starts.starts(5, np.arange(50), "back games alone")))
    boards = np.concatenate((boards, kernels.pack(Position.from_id("4HPwATDgc/ABMA").board[None])))
    brain = finished.brain()
    found, _ = selfplay.judge(brain, boards)
    shares = pipeline._shares(boards, finished.nets)
    assert all(40 < shares[name].sum() < 200 for name in ("contact", "back"))
    for name in ("contact", "back"):
        net = getattr(brain, name)
        other, _ = selfplay.judge(replace(brain, **{name: replace(net, head_bias=net.head_bias + 1)}), boards)
        assert np.array_equal((other != found).any(axis=1), shares[name])
    assert np.array_equal(shares["pruner"], shares["contact"] | shares["back"])
    assert "back" not in pipeline._shares(boards, ("contact", "race", "pruner"))


def test_starting_from_two_nets(finished: Run, recipe: Recipe, tmp_path: Path) -> None:
    """Their contact nets stand side by side, and learn on."""
    net = finished.folder / "net.safetensors"
    wide = parse_recipe(RECIPE.replace("hidden = 8", "hidden = 16"))
    run = Run.start(tmp_path / "run", wide, [net, net])
    assert np.array_equal(run.nets["contact"].head[:5, :8], finished.nets["contact"].head[:5] / 2)
    assert np.array_equal(run.nets["race"].rows, finished.nets["race"].rows)
    run.advance(lambda progress: None, every=0.02)
    with pytest.raises(SettingsError, match=r"the contact net should be .*hidden=8.*found .*hidden=8.*, .*hidden=8"):
        Run.start(tmp_path / "other", recipe, [net, net])


def test_a_folder_with_a_run_is_not_overwritten(finished: Run, recipe: Recipe) -> None:
    before = (finished.folder / "state.npz").read_bytes()
    with pytest.raises(SettingsError, match="already holds a training run"):
        Run.start(finished.folder, recipe)
    assert (finished.folder / "state.npz").read_bytes() == before


def test_runs_that_cannot_be_resumed(finished: Run, tmp_path: Path) -> None:
    with pytest.raises(DataFileError, match="holds no complete training run"):
        Run.resume(tmp_path)
    folder = tmp_path / "run"
    shutil.copytree(finished.folder, folder)
    (folder / "net.safetensors").unlink()  # only for users of the net
    Run.resume(folder)
    state, text = (folder / "state.npz").read_bytes(), (folder / "recipe.toml").read_text()
    with np.load(folder / "state.npz") as archive:
        arrays = {name: archive[name] for name in archive.files}
    for other in ({**arrays, "nets": np.array("sixprime-net-1")}, {n: a for n, a in arrays.items() if n != "nets"}):
        np.savez(folder / "state.npz", **other)
        with pytest.raises(DataFileError, match=r"run of another version.* --net .*net\.safetensors --lessons "):
            Run.resume(folder)
    (folder / "state.npz").write_bytes(state)
    (folder / "recipe.toml").write_text(text.replace("hidden = 8", "hidden = 9"))
    with_state(folder, recipe=None)
    with pytest.raises(DataFileError, match=r"contact\.rows has shape \(8436, 8\), expected \(8436, 9\)"):
        Run.resume(folder)
    (folder / "recipe.toml").write_text("nonsense")
    with pytest.raises(DataFileError, match="holds no complete training run"):
        Run.resume(folder)
    (folder / "recipe.toml").write_text(text)
    others = (folder / "lessons.json").read_bytes()
    for data, place in ((b"null", ""), (b'"ab"', ""), (b"{}", ""), (b"[1]", r"\[0\]")):
        (folder / "lessons.json").write_bytes(data)
        with pytest.raises(DataFileError, match=rf"holds no complete training run \(lessons\.json{place} must be "):
            Run.resume(folder)
    (folder / "lessons.json").write_bytes(others)
    damaged = bytearray(state)
    damaged[len(state) // 2] ^= 1
    for data in (b"", b"nonsense", state[:100], state[:-100], state[: len(state) // 2], bytes(damaged)):
        (folder / "state.npz").write_bytes(data)
        with pytest.raises(DataFileError, match="run"):
            Run.resume(folder)


def with_state(folder: Path, **changes: NDArray[Any] | None) -> Path:
    """The run with other arrays in its state, None for those taken out."""
    with np.load(folder / "state.npz") as archive:
        arrays = dict(archive) | changes
    np.savez(folder / "state.npz", **{name: array for name, array in arrays.items() if array is not None})
    return folder


@pytest.fixture(scope="module")
def halfway(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Runs in the middle of a stage, by its kind."""
    text = RECIPE.replace("positions = 3000\ngames = 16", "positions = 300\ngames = 1")
    text = text.replace("positions = 3000", "positions = 20000") + LEARN.replace("epochs = 3", "epochs = 90")
    run = Run.start(tmp_path_factory.mktemp("run"), parse_recipe(text), threads=1)
    found: dict[str, Path] = {}
    for stage, kind in enumerate(("td", "harvest", "learn")):
        if kind == "learn":
            pytest.importorskip("torch")
        while run.stage < stage or run.work is None or not run.work.done:
            assert run.advance(lambda progress: None, every=0.001)
        run.checkpoint()
        found[kind] = tmp_path_factory.mktemp(kind) / "run"
        shutil.copytree(run.folder, found[kind])
        Run.resume(found[kind], threads=1)
    return found


def some(*shape: int, kind: str = "float32", value: float = 0) -> NDArray[Any]:
    return np.full(shape, value, dtype=kind)


@pytest.mark.parametrize(
    ("kind", "name", "array", "message"),
    [
        ("td", "work.boards", some(64, 32, kind="int8", value=127), "in row 0: impossible position: a side has "),
        ("td", "work.boards", some(64, 32, kind="int8", value=-1), "in row 0: impossible position: a point holds few"),
        ("td", "work.boards", some(64, 32, kind="int8"), "in row 0: impossible position: both sides have borne off"),
        ("td", "work.boards", some(64, 32), r"must be int8\[64, 32\], found float32\[64, 32\]"),
        ("td", "work.boards", some(64, 8, kind="int8"), r"must be int8\[64, 32\], found int8\[64, 8\]"),
        ("td", "work.games", some(63, kind="int64"), r"must be int64\[64\], found int64\[63\]"),
        ("td", "work.games", some(64, kind="int64", value=10**9), r"all from 0 to \d+, found 1,000,000,000"),
        ("td", "work.turns", np.array("x"), r"must be int64\[64\], found <U1\[\]"),
        ("td", "work.turns", some(64, kind="int64", value=501), "all from 0 to 500, found 501"),
        ("td", "work.random", some(64, kind="int64", value=-1), "all from 0 to 16, found -1"),
        ("td", "work.started", np.array(0), "found 0"),
        ("td", "work.done", np.array(-5), "all from 0 to 20,000, found -5"),
        ("td", "work.done", None, r"must be int64\[\], found nothing"),
        ("td", "stage", np.array(-1), "all from 0 to 2, found -1"),
        ("td", "stage", np.array(3), "all from 0 to 2, found 3"),
        ("td", "seconds", np.array(np.nan), "all at least 0, found nan"),
        ("harvest", "work.done", np.array(-5), "all from 0 to 300, found -5"),
        ("harvest", "work.done", np.array(1), r"is 1, found \d+ in 1 files of .*stage2"),
        ("learn", "work.done", np.array(1), r"all from \d+ to \d+, found 1"),
        ("learn", "work.contact.step", np.array(10**6), r"from 0 to \d+, found 1,000,000"),
        ("learn", "work.contact.before", np.array(-1.0), "all at least 0, found -1.0"),
        ("learn", "work.counts", np.array([3]), r"found int64\[1\]"),
        ("learn", "work.contact.step0", None, r"must be float32\[\], found nothing"),
        ("learn", "work.contact.step0", np.array(3, np.float32), "found 3.0"),
        ("learn", "work.contact.leaf0", some(8435, 8), r"must be float32\[8436, 8\], found float32\[8435, 8\]"),
        ("learn", "work.contact.leaf1", some(8, value=np.inf), "all finite, found inf"),
        ("learn", "work.contact.exp_avg0", some(9, 8), r"must be float32\[8436, 8\], found float32\[9, 8\]"),
        ("learn", "work.contact.exp_avg0", some(8436, 8, kind="float64"), r"found float64\[8436, 8\]"),
        ("learn", "work.contact.exp_avg_sq0", some(8436, 8, value=-1), "all at least 0, found -1.0"),
    ],
)
def test_a_state_of_wrong_arrays_is_refused(
    halfway: dict[str, Path], tmp_path: Path, kind: str, name: str, array: NDArray[Any] | None, message: str
) -> None:
    """Kernels and torch would write where they must not."""
    shutil.copytree(halfway[kind], tmp_path / "run")
    folder = with_state(tmp_path / "run", **{name: array})
    with pytest.raises(DataFileError, match=rf"run holds no complete training run \({re.escape(name)} .*{message}"):
        Run.resume(folder, threads=1)


@pytest.mark.parametrize(
    ("kind", "old", "new", "changed"),
    [
        ("td", "seed = 5", "seed = 4", "seed"),
        ("td", "rate = 0.01", "rate = 0.02", "stage 1"),
        ("td", "rear = true, pairs = true}\nrace", "rear = false, pairs = true}\nrace", "nets"),
        ("learn", "batch = 64", "batch = 640", "stage 3"),
        ("learn", LEARN.replace("epochs = 3", "epochs = 90"), "", "stage 3"),
        ("td", "batch = 64", "batch = 640", ""),
        ("td", "[nets]", "# A note.\n[nets]", ""),
    ],
)
def test_a_recipe_that_was_changed_under_its_run_is_refused(
    halfway: dict[str, Path],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    kind: str,
    old: str,
    new: str,
    changed: str,
) -> None:
    shutil.copytree(halfway[kind], tmp_path / "run")
    path = tmp_path / "run" / "recipe.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    if changed:
        with pytest.raises(DataFileError, match=rf"recipe.toml was changed since the run began \({changed}\)"):
            Run.resume(tmp_path / "run", threads=1)
        return
    run = Run.resume(tmp_path / "run", threads=1)
    said = f"{path} was changed: it had 3 stages and has 3; not as before: 3"
    assert caplog.messages == [said] * ("batch" in old)
    run.checkpoint()
    assert file.load(run.folder / "net.safetensors").header["recipe"] == path.read_text()


def test_a_recipe_that_lost_its_end_is_not_gone_on_with_in_silence(
    halfway: dict[str, Path], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.copytree(halfway["td"], tmp_path / "run")
    path = tmp_path / "run" / "recipe.toml"
    whole = path.read_text()
    begun = whole.index("[[stage]]", whole.index("[[stage]]") + 1)
    path.write_text(whole[: begun - 2])
    message = rf"recipe.toml is cut off after {begun - 2} of {len(whole)} characters\. Put it back\."
    with pytest.raises(DataFileError, match=message):
        Run.resume(tmp_path / "run", threads=1)
    # Whoever wants no more of it can take stages out.
    path.write_text(whole[:begun])
    assert len(Run.resume(tmp_path / "run", threads=1).recipe.stages) == 1
    assert caplog.messages == [f"{path} was changed: it had 3 stages and has 1; not as before: 2, 3"]


def test_states_of_older_versions_go_on(halfway: dict[str, Path], tmp_path: Path) -> None:
    """They hold no recipe, and of a stage that learns neither its lessons nor how good the nets were."""
    pytest.importorskip("torch")
    runs = []
    for name in ("new", "old"):
        shutil.copytree(halfway["learn"], tmp_path / name)
        if name == "old":
            gone = ("recipe", "work.files", "work.counts", *(f"work.{net}.before" for net in file.NETS))
            with_state(tmp_path / name, **dict.fromkeys(gone))
        runs.append(Run.resume(tmp_path / name, threads=1))
        while runs[-1].advance(lambda progress: None):
            pass
    assert_same(runs[1].nets, runs[0].nets)


def test_chequers_at_odds_in_a_state_are_refused(halfway: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(halfway["td"], tmp_path / "run")
    with np.load(tmp_path / "run" / "state.npz") as archive:
        boards = archive["work.boards"]
    boards[7, 26] += 1
    with pytest.raises(DataFileError, match=r"work\.boards .*in row 7: its numbers of chequers are at odds"):
        Run.resume(with_state(tmp_path / "run", **{"work.boards": boards}), threads=1)


def test_two_processes_do_not_work_in_one_run(recipe: Recipe, tmp_path: Path) -> None:
    run = Run.start(tmp_path / "run", recipe, threads=1)

    def elsewhere(what: str) -> str:
        code = "import sys; from sixprime.train.pipeline import *; from sixprime.train.recipe import *; " + what
        command = [sys.executable, "-c", code, str(run.folder)]
        return subprocess.run(command, capture_output=True, text=True, timeout=100).stderr

    said = f"DataFileError: another process is working in {run.folder}; a run is for one at a time."
    resume = "Run.resume(Path(sys.argv[1]), threads=1)"
    assert said in elsewhere(resume)
    Run.resume(run.folder, threads=1)
    (run.folder / "state.npz").rename(tmp_path / "state.npz")
    assert said in elsewhere("Run.start(Path(sys.argv[1]), read_recipe('small'), threads=1)")
    (tmp_path / "state.npz").rename(run.folder / "state.npz")
    run._mine = None
    assert elsewhere(resume) == ""


def test_a_checkpoint_is_whole_or_not_there(recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run.start(tmp_path / "run", recipe, threads=1)
    before = {name: array.copy() for name, array in file.to_arrays(run.nets).items()}
    run.advance(lambda progress: None, every=0.02)

    def full(*args: object, **kwargs: object) -> None:
        Path(str(args[0])).write_bytes(b"half")
        raise OSError("no room")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="no room"):
        run.checkpoint()
    again = Run.resume(run.folder)
    assert again.work is None
    assert all(np.array_equal(array, before[name]) for name, array in file.to_arrays(again.nets).items())
    assert sorted(path.name for path in run.folder.glob(".*")) == []


def test_lessons_of_the_last_harvests(tmp_path: Path) -> None:
    for run, stage, part in (("a", 0, 0), ("a", 2, 0), ("a", 2, 1), ("a", 10, 0), ("b", 1, 0)):
        number = 100 * (run == "b") + 10 * stage + part
        folder = tmp_path / run / "lessons" / f"stage{stage}"
        folder.mkdir(parents=True, exist_ok=True)
        boards = np.repeat(kernels.pack(Position.start().board[None]), 2, axis=0)
        lessons = {"boards": boards, "targets": np.full((2, 5), number, dtype=np.int16)}
        if number == 20:
            lessons["behind"] = np.array([0, 0.5], dtype=np.float32)
        np.savez(folder / f"{part:06d}.npz", **lessons, decisions=np.array([3, 3 + part], dtype=np.int32))
    folders = [tmp_path / "b", tmp_path / "a"]
    for harvests, numbers in ((0, [110, 0, 20, 21, 100]), (1, [100]), (2, [20, 21, 100])):
        boards, targets, decisions, behind = read_lessons(folders, harvests)
        assert behind.tolist() == [0.5 * (number == 20) * play for number in numbers for play in range(2)]
        assert targets[::2, 0].tolist() == targets[1::2, 0].tolist() == numbers
        assert boards.shape == (2 * len(numbers), 32)
        # Of different files none are the same.
        assert (np.diff(decisions[::2]) > 0).all()
        assert ((decisions[1::2] - decisions[::2]) == [number == 21 for number in numbers]).all()
    arrays = {"boards": np.zeros((1, 32)), "targets": np.zeros((1, 5)), "decisions": np.zeros(1, np.int32)}
    np.savez(tmp_path / "b" / "lessons" / "stage1" / "000000.npz", **arrays)
    with pytest.raises(DataFileError, match="targets are float64, expected int16"):
        read_lessons(folders, 0)
    with pytest.raises(SettingsError, match="a harvest must come before learning"):
        read_lessons([tmp_path / "c"], 0)


def test_half_a_line_in_the_log_stops_nothing(tmp_path: Path) -> None:
    log, picture = tmp_path / "log.jsonl", tmp_path / "curve.svg"
    line = {"stage": 0, "kind": "td", "seconds": 60, "error": 0.1}
    log.write_text(f'{json.dumps(line)}\n{{"stage": 1, "ki\n{json.dumps(line | {"seconds": 120})}\n')
    curve.draw(log, picture)
    assert "1 td" in (drawn := picture.read_text())
    # Nor do other lines that are no report.
    strange = line | {"error": "x"}, line | {"seconds": None}, line | {"stage": 0.5}, {"error": 0.1}, 1, None, math.nan
    rows = [*(json.dumps(each).encode() for each in strange), json.dumps(line | {"error": math.inf}).encode()]
    log.write_bytes(log.read_bytes() + b"\n".join([*rows, b"\xff\0\xfe", b""]))
    curve.draw(log, picture)
    assert picture.read_text() == drawn


def test_a_block_of_lessons_that_is_gone_is_missed(finished: Run, tmp_path: Path) -> None:
    stage = tmp_path / "lessons" / "stage2"
    shutil.copytree(finished.folder / "lessons" / "stage2", stage)
    shutil.copy(stage / "000000.npz", stage / "000001.npz")
    with replacing(stage / "000002.npz") as partial:
        partial.write_bytes(b"what a killed process left")
        assert len(read_lessons([tmp_path], 0).boards) > 0
    (stage / "000000.npz").unlink()
    with pytest.raises(DataFileError, match=r"000000\.npz is missing"):
        read_lessons([tmp_path], 0)
