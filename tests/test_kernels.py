"""Kernels against slow, obvious references: legal plays, classes, networks, pruning, and the guard of the cache."""

from __future__ import annotations

import gc
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from numba.core.dispatcher import Dispatcher
from numpy.typing import NDArray
from sides import side

from sixprime import Engine, kernels
from sixprime.bearoff import one_sided
from sixprime.cli._common import warnings_shown
from sixprime.errors import SettingsError
from sixprime.game.play import legal_plays_reference
from sixprime.game.position import Position
from sixprime.kernels import _block, _jit, _numba, _objects, _shipped, _vectors, network, search
from sixprime.kernels.features import BEHINDS, MAX_ROWS, PAIR_ROWS, SHOT_ROWS, masks, rows_reference
from sixprime.kernels.network import NO_NET
from sixprime.kernels.plays import MAX_PLAYS
from sixprime.kernels.replies import best_replies
from sixprime.kernels.scout import can_read, stays_contact
from sixprime.nets.params import Params, Spec, active_rows, fold, fold_reference, folded_rows, initial
from sixprime.train import fit
from sixprime.train.harvest import is_back_game
from sixprime.train.starts import starts

SPECS = [Spec(8, False, False), Spec(16, True, False, 3), Spec(24, False, True, 7, True), Spec(32, True, True)]
MONEY = np.array([[2, 1, 1, -1, -1]], dtype=np.float32)
few = settings(max_examples=150)


def worth(outcomes: NDArray[np.floating]) -> NDArray[np.floating]:
    """Money equities but for a constant. Not by `@`, which may raise a flag beyond five columns of float32."""
    return np.einsum("...j,j->...", outcomes, MONEY[0])


# Chequers spread out: one of the longest lists there are.
SPREAD = Position(
    side(bar=1), side(**{f"p{point}": 1 for point in (3, 4, 6, 7, 9, 10, 12, 13, 15, 17, 18, 20, 21, 23, 24)})
)

# -- positions -------------------------------------------------------------------------------------

SIDE = st.lists(st.integers(0, 25), min_size=15, max_size=15)
DICE = st.tuples(st.integers(1, 6), st.integers(1, 6))


def counts(places: list[int]) -> list[int]:
    """25 counts of chequers on points 1..24, 25 the bar, 0 off."""
    return [places.count(point) for point in range(1, 26)]


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Any possible position of 15 chequers, wild ones too; where sides meet the opponent's are off."""
    player, opponent = counts(draw(SIDE)), counts(draw(SIDE))
    for point in range(24):
        if player[23 - point]:
            opponent[point] = 0
    position = Position(tuple(opponent), tuple(player))
    assume(position.is_valid)
    return position


def game_positions(count: int, seed: int) -> list[Position]:
    """Positions of games of random plays, contact, races, bear-offs and finished games among them."""
    random = np.random.default_rng(seed)
    found: list[Position] = []
    position = Position.start()
    while len(found) < count:
        plays = legal_plays_reference(position, tuple(random.integers(1, 7, 2).tolist()))
        position = plays[random.integers(len(plays))].result if plays else position.swapped()
        found.append(position)
        if position.winner is not None:
            position = Position.start()
    return found


def packed(many: list[Position]) -> NDArray[np.int8]:
    return kernels.pack(np.array([position.board for position in many]))


POSITIONS = [
    *game_positions(150, seed=3)[::2],
    Position(side(p24=2, p13=5, p8=3, p6=5), side(p24=1, p13=5, p8=3, p6=5, bar=1)),
    Position(side(p20=3, p3=4, p4=2, bar=1), side(p24=2, p2=2, p8=1, bar=3)),
    Position(side(p1=7, p2=1, bar=2), side(p13=1, p3=2, p8=1, bar=2)),
    Position(side(p12=1, p9=2, p5=3), side(p12=1, p10=4, p2=3)),
    *(Position.from_board(board) for board in kernels.unpack(starts(11, np.arange(40), "back games"))),
    Position(side(p12=1), side(p11=15)),
    Position(side(p24=15), side(p24=15)),
    Position(side(p1=3, p6=2), side(p1=3, p6=2)),
    Position(side(p1=3, p6=2), side()),
    Position(side(), side(p24=2, p6=2)),
]

# -- legal plays -----------------------------------------------------------------------------------


def plays_of(position: Position, dice: tuple[int, int]) -> list[Position]:
    boards = packed([position])
    before = boards.copy()
    results, offsets = kernels.legal_plays(boards, np.array([dice], dtype=np.int8))
    assert offsets.tolist() == [0, len(results)]
    assert np.array_equal(boards, before)
    return [Position.from_board(board) for board in kernels.unpack(kernels.swap(results))]


@few
@given(positions(), DICE)
@example(SPREAD, (1, 1))
@example(Position(side(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2), side(p13=1, bar=2)), (6, 6))
@example(Position(side(p20=2), side(p24=1, p23=1)), (6, 5))
@example(Position(side(p1=2), side(p6=1, p1=1)), (5, 3))
def test_legal_plays(position: Position, dice: tuple[int, int]) -> None:
    found = plays_of(position, dice)
    expected = {play.result for play in legal_plays_reference(position, dice)} or {position.swapped()}
    assert len(found) == len(expected)
    assert set(found) == expected
    assert set(plays_of(position, dice[::-1])) == expected


def test_the_longest_lists_have_room() -> None:
    assert len(plays_of(SPREAD, (1, 1))) == 2226 <= MAX_PLAYS


def test_batches_of_plays_grow_as_needed() -> None:
    many = [*POSITIONS, *[SPREAD] * 6]
    dice = np.array([(1 + i % 6, 1 + i % 5) for i in range(len(POSITIONS))] + [(1, 1)] * 6, dtype=np.int8)
    results, offsets = kernels.legal_plays(packed(many), dice)
    assert offsets[-1] == len(results)
    for i, (low, high) in enumerate(pairwise(offsets)):
        alone, _ = kernels.legal_plays(packed([many[i]]), dice[i : i + 1])
        assert np.array_equal(results[low:high], alone)


@few
@given(positions())
def test_packing(position: Position) -> None:
    board = packed([position])
    assert np.array_equal(kernels.unpack(board)[0], position.board)
    assert board[0, 26:28].tolist() == list(position.off)
    assert not board[0, 28:].any()
    assert np.array_equal(kernels.swap(board), packed([position.swapped()]))
    assert np.array_equal(kernels.swap(kernels.swap(board)), board)


# -- classes and finished games --------------------------------------------------------------------


def slow_class(position: Position) -> int:
    if position.winner is not None:
        return search.OVER
    rear = [max(point for point in range(25) if counts[point]) + 1 for counts in (position.player, position.opponent)]
    if rear[0] + rear[1] > 25:
        return search.CONTACT
    return search.BEAROFF if max(rear) <= 6 else search.RACE


def slow_is_back_game(position: Position) -> bool:
    return any(sum(count > 1 for count in counts[18:24]) > 1 for counts in (position.player, position.opponent))


def classes(many: list[Position]) -> list[int]:
    codes = np.empty(len(many), dtype=np.int8)
    search.classify(packed(many), codes)
    return [int(code) for code in codes]


@few
@given(st.lists(positions(), min_size=1, max_size=5))
def test_classes(many: list[Position]) -> None:
    assert classes(many) == [slow_class(position) for position in many]


def test_classes_at_the_borders() -> None:
    assert classes(POSITIONS) == [slow_class(position) for position in POSITIONS]
    cases = {
        Position(side(p13=1), side(p11=1)): search.RACE,
        Position(side(p13=1), side(p13=1)): search.CONTACT,
        Position(side(p6=1), side(p6=1)): search.BEAROFF,
        Position(side(p7=1), side(p6=1)): search.RACE,
        Position(side(p1=1), side(bar=1)): search.CONTACT,
        Position(side(bar=1), side(p1=1)): search.CONTACT,
        Position(side(), side(p1=1)): search.OVER,
        Position(side(p1=1), side()): search.OVER,
    }
    assert classes(list(cases)) == list(cases.values())


LOSERS = [
    (side(p1=1), 1),
    (side(p24=1), 1),
    (side(p6=15), 2),
    (side(p18=15), 2),
    (side(p18=14, p19=1), 3),
    (side(p1=14, p24=1), 3),
    (side(p1=14, bar=1), 3),
    (side(p1=13, bar=1), 1),
]


@pytest.mark.parametrize(("loser", "points"), LOSERS)
def test_finished_games_are_exact(brains: list[search.Brain], loser: tuple[int, ...], points: int) -> None:
    lost, won = Position(side(), loser), Position(loser, side())
    assert [lost.result, won.result] == [points, points]
    outputs, codes = judged(brains[0], [lost, won])
    assert codes.tolist() == [search.OVER] * 2
    assert outputs[0].tolist() == [0, 0, 0, points >= 2, points >= 3]
    assert outputs[1].tolist() == [1, points >= 2, points >= 3, 0, 0]


def test_the_last_chequer_wins_the_points(brains: list[search.Brain]) -> None:
    for loser, points in LOSERS:
        outputs, codes, _ = judged_plays(brains[0], [Position(loser, side(p3=1))], [(6, 5)])
        assert outputs.tolist() == [[0, 0, 0, points >= 2, points >= 3]]
        assert codes.tolist() == [search.OVER]


# -- networks --------------------------------------------------------------------------------------


def random_params(spec: Spec, seed: int) -> Params:
    """A net with no zeros where training would start with them; sums reach the clipped range at times."""
    params = initial(spec, seed)
    random = np.random.default_rng(seed)
    params.rows[:] = random.normal(0, 0.25, params.rows.shape)
    params.bias[:] = random.normal(0, 0.5, params.bias.shape)
    params.head[:] = random.normal(0, 0.4, params.head.shape)
    return params


@pytest.fixture(scope="module")
def brains() -> list[search.Brain]:
    """Four brains of different nets; the pruning net of each is another one, and two have one for back games."""
    nets = [fold(random_params(spec, seed)) for seed, spec in enumerate(SPECS)]
    backs = [nets[1], network.NO_NET, nets[3], network.NO_NET]
    arrays = one_sided(6).arrays
    return [search.Brain(nets[i], nets[i - 1], nets[i - 2], arrays, back=backs[i]) for i in range(4)]


def judged(brain: search.Brain, many: list[Position]) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    outputs, codes = np.empty((len(many), 5), dtype=np.float32), np.empty(len(many), dtype=np.int8)
    search.judge(brain, packed(many), outputs, codes)
    return outputs, codes


def judged_plays(
    brain: search.Brain, many: list[Position], dice: list[tuple[int, int]]
) -> tuple[NDArray[np.float32], NDArray[np.int8], list[list[Position]]]:
    """Outcomes and classes after every legal play, and these positions by parent."""
    boards, rolls = packed(many), np.array(dice, dtype=np.int8)
    results, offsets = kernels.legal_plays(boards, rolls)
    outputs, codes = np.empty((len(results), 5), dtype=np.float32), np.empty(len(results), dtype=np.int8)
    search.judge_plays(brain, boards, rolls, offsets, outputs, codes)
    after = [Position.from_board(board) for board in kernels.unpack(kernels.swap(results))]
    return outputs, codes, [after[low:high] for low, high in pairwise(offsets)]


def slow_outcomes(brain: search.Brain, position: Position) -> NDArray[np.float64]:
    """Outcomes for the player on roll, by the rules and the dense networks."""
    code = slow_class(position)
    if code == search.OVER:
        won, points = position.winner == 1, position.result
        outcomes = [won, won and points >= 2, won and points == 3, not won and points >= 2, not won and points == 3]
        return np.array(outcomes, dtype=np.float64)
    if code == search.BEAROFF:
        return one_sided(6).probabilities(packed([position]))[0].astype(np.float64)
    net = brain.contact if code == search.CONTACT else brain.race
    if code == search.CONTACT and len(brain.back.rows) and slow_is_back_game(position):
        net = brain.back
    win, win2, win3, loss2, loss3 = network.dense_reference(net, kernels.swap(packed([position]))[0])
    player_off, opponent_off = position.off
    win2, win3 = (0, 0) if opponent_off else (min(win2, win), win3)
    loss2, loss3 = (0, 0) if player_off else (min(loss2, 1 - win), loss3)
    return np.array([win, win2, min(win3, win2), loss2, min(loss3, loss2)])


@pytest.mark.parametrize("which", range(4))
def test_networks(brains: list[search.Brain], which: int) -> None:
    outputs, codes = judged(brains[which], POSITIONS)
    assert {search.OVER, search.BEAROFF, search.RACE, search.CONTACT} == set(codes.tolist())
    backs = np.array([slow_is_back_game(position) for position in POSITIONS])
    assert np.array_equal(is_back_game(packed(POSITIONS)), backs)
    assert 20 < (backs & (codes == search.CONTACT)).sum() < (codes == search.CONTACT).sum() - 20
    expected = np.array([slow_outcomes(brains[which], position) for position in POSITIONS])
    # The folded table is rounded.
    assert np.abs(outputs - expected).max() < 2e-3


@few
@given(positions(), st.integers(0, 3))
def test_networks_on_wild_positions(brains: list[search.Brain], position: Position, which: int) -> None:
    outputs, _ = judged(brains[which], [position])
    assert np.abs(outputs[0] - slow_outcomes(brains[which], position)).max() < 1e-5


@pytest.mark.parametrize("which", range(4))
def test_candidates_are_evaluated_from_their_parent(brains: list[search.Brain], which: int) -> None:
    """Hits, entering chequers, rear chequers that leave, chequers borne off: nothing of the parent is left over."""
    brain, parents = brains[which], [*POSITIONS[::4], Position(side(p2=2, p1=12, bar=1), side(p1=3, p2=3, p4=4, p5=2))]
    dice = [(1 + i % 6, 1 + i % 5) for i in range(len(parents))]
    outputs, codes, after = judged_plays(brain, parents, dice)
    row = 0
    hits = entered = rear = borne_off = 0
    for parent, results in zip(parents, after, strict=True):
        for result in results[:40]:
            assert codes[row] == slow_class(result)
            assert np.abs(outputs[row] - slow_outcomes(brain, result)).max() < 1e-5
            row += 1
            hits += result.player[24] > parent.opponent[24]
            entered += result.opponent[24] < parent.player[24]
            rear += highest(result.opponent) != highest(parent.player)
            borne_off += result.off[1] > parent.off[0]
        row += len(results[40:])
    assert row == len(outputs)
    assert min(hits, entered, rear, borne_off) > 5


def highest(counts: tuple[int, ...]) -> int:
    return max((point for point in range(25) if counts[point]), default=-1)


@few
@given(positions(), DICE, st.integers(0, 3))
def test_candidates_on_wild_positions(
    brains: list[search.Brain], position: Position, dice: tuple[int, int], which: int
) -> None:
    brain = brains[which]
    outputs, _, (results,) = judged_plays(brain, [position], [dice])
    for row in {0, len(results) // 3, len(results) // 2, len(results) - 1}:
        assert np.abs(outputs[row] - slow_outcomes(brain, results[row])).max() < 1e-5


@_jit.njit(fastmath=True)
def reckoned(whole, row, numbers, out):  # type: ignore[no-untyped-def]
    """Every function of vectors once; Python runs it as well."""
    sums = _vectors.shorts(whole, row, 1) + (_vectors.shorts(whole, 0, 0) - _vectors.shorts(whole, 1, 2))
    low, high = _vectors.within(_vectors.lower(sums), 90), _vectors.upper(sums)
    second = _vectors.floats(numbers, 3)
    product = _vectors.fused(low, second, _vectors.repeat(0.5)) - high / (second * second)
    _vectors.put(product + _vectors.repeat(_vectors.total(second)), out, 0, 2)
    _vectors.put(sums * sums, whole, row, 3)
    pairs = _vectors.cut(sums, 130)
    _vectors.put(_vectors.squares(pairs), out, 1, 1)
    _vectors.put(_vectors.products(pairs), out, 2, 4)


def test_vectors() -> None:
    """What the processor makes of vectors is what NumPy makes of arrays."""
    random = np.random.default_rng(8)
    whole = random.integers(-150, 150, size=(3, 40)).astype(np.int16)
    numbers = random.uniform(1, 2, 24).astype(np.float32)
    found = [(whole.copy(), np.zeros((3, 20), dtype=np.float32)) for _ in range(2)]
    reckoned(found[0][0], 2, numbers, found[0][1])
    reckoned.py_func(found[1][0], 2, numbers, found[1][1])
    assert np.array_equal(found[0][0], found[1][0])
    assert not np.array_equal(found[0][0], whole)
    assert found[0][1] == pytest.approx(found[1][1], rel=1e-5)
    assert np.flatnonzero(found[0][1][0]).tolist() == list(range(2, 18))
    assert found[0][1][1:].any(axis=1).all()


@pytest.mark.parametrize("collecting", [True, False])
def test_no_circles_are_looked_for_while_kernels_are_compiled(
    collecting: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []

    def begun() -> None:
        seen.append(gc.isenabled())
        raise RuntimeError("begun")

    monkeypatch.setattr(_numba, "_translate_only", begun)
    (gc.enable if collecting else gc.disable)()
    try:
        with pytest.raises(RuntimeError, match="begun"):
            _numba.compile_group("sixprime.kernels.text")
        assert seen == [False]
        assert gc.isenabled() == collecting
    finally:
        gc.enable()


def test_a_batch_is_judged_as_its_members_are(brains: list[search.Brain]) -> None:
    outputs, _ = judged(brains[3], POSITIONS)
    for i in range(0, len(POSITIONS), 7):
        assert np.array_equal(judged(brains[3], POSITIONS[i : i + 1])[0][0], outputs[i])


# -- folded tables and trainable parameters --------------------------------------------------------


@pytest.mark.parametrize("spec", SPECS)
def test_trainable_parameters_mean_the_same_as_the_folded_table(spec: Spec) -> None:
    params = random_params(spec, seed=9)
    after = kernels.swap(packed(POSITIONS))
    outputs = np.empty((len(after), 5), dtype=np.float32)
    fit.predict(params, after, outputs)
    exact = fold_reference(params)
    expected = np.array([network.dense_reference(exact, board) for board in after])
    assert np.abs(outputs - expected).max() < 1e-5
    folded = fold(params)
    assert np.abs(folded.rows * folded.unit - exact.rows).max() < 0.51 * folded.unit
    assert np.abs(folded.bias * folded.unit - exact.bias).max() < 0.51 * folded.unit


@pytest.mark.parametrize("spec", SPECS)
def test_large_weights_fit_into_sixteen_bits(spec: Spec) -> None:
    """The unit grows with the weights: no sum wraps round, however loud the net."""
    params = random_params(spec, seed=4)
    loud = params._replace(rows=params.rows * 40, bias=params.bias * 40)
    assert fold(loud).unit > fold(params).unit
    brain = search.Brain(*[fold(loud)] * 3, one_sided(6).arrays)
    outputs, _ = judged(brain, POSITIONS)
    expected = np.array([slow_outcomes(brain, position) for position in POSITIONS])
    assert np.abs(outputs - expected).max() < 1e-4


@few
@given(positions())
def test_active_rows(position: Position) -> None:
    """Every chequer on the board switches on a base row and, below the fourth, a correction; one off, one row."""
    board = kernels.swap(packed([position]))[0]
    rows = np.empty(MAX_ROWS, dtype=np.int64)
    off = sum(position.off)
    standing = 30 - off
    assert active_rows(board, 0, 0, rows) == 30
    fourth = sum(max(count - 3, 0) for count in (*position.player, *position.opponent))
    count = active_rows(board, 1, 0, rows)
    assert count == 30 + standing - fourth
    assert rows[:count].max() < Spec(1, True, False).rows
    count = active_rows(board, 1, 1, rows)
    assert count <= MAX_ROWS
    assert rows[:count].max() < Spec(1, True, True).rows
    assert rows[:count].min() >= 0


# Twelve blots of each side: no position switches on more rows.
FACING = Position(*[side(**{f"p{point}": 1 for point in range(13, 25)})] * 2)


@few
@given(st.lists(positions(), min_size=1, max_size=3))
@example([FACING] * 3)
def test_rows_of_the_folded_table(many: list[Position]) -> None:
    boards = kernels.swap(packed(many))
    for rear, pairs in ((1, 0), (1, 1), (BEHINDS, 0), (BEHINDS, 1)):
        rows, offsets = np.empty(len(many) * MAX_ROWS, dtype=np.int32), np.empty(len(many) + 1, dtype=np.int64)
        assert folded_rows(boards, rear, pairs, rows, offsets) == offsets[-1]
        for board, begin, end in zip(boards, offsets, offsets[1:], strict=False):
            assert sorted(rows[begin:end]) == sorted(rows_reference(board, rear, pairs))


def test_no_sum_of_shots_leaves_sixteen_bits() -> None:
    """As many as there can be are reckoned with, though play hardly ever has them."""
    params = random_params(SPECS[3], 1)
    shots = slice(-SHOT_ROWS - PAIR_ROWS, -PAIR_ROWS)
    params.rows[:] = 0
    params.rows[shots] = 200
    folded = fold(params)
    rows = rows_reference(kernels.swap(packed([FACING]))[0], folded.rear, folded.pairs)
    assert folded.rows[rows].sum(axis=0, dtype=np.int64).max() < 1 << 15


def test_folding_reuses_its_arrays() -> None:
    first, second = random_params(SPECS[3], 1), random_params(SPECS[3], 2)
    net = fold(first)
    rows = net.rows
    again = fold(second, net)
    assert again.rows is rows
    assert np.array_equal(again.rows, fold(second).rows)
    assert rows.ctypes.data % 64 == 0
    assert not rows[-1].any()


# -- best replies and pruning ----------------------------------------------------------------------


def replies(
    brain: search.Brain, many: list[Position], weights: NDArray[np.float32], keep: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    chosen, outputs, codes = best_replies(brain, packed(many), kernels.ROLLS[None], weights, keep)
    found = np.empty(codes.size, dtype=np.int8)
    search.classify(chosen.reshape(-1, 32), found, brain.bearoff.ranks.shape[0])
    assert np.array_equal(found.reshape(codes.shape), codes)
    return chosen, outputs


def test_best_replies_have_the_least_utility(brains: list[search.Brain]) -> None:
    parents = POSITIONS[::6]
    weights = np.random.default_rng(4).normal(0, 1, (len(parents), 5)).astype(np.float32)
    for weight in (MONEY, weights):
        chosen, outputs = replies(brains[3], parents, weight, 0)
        for i, parent in enumerate(parents):
            dice = [(int(a), int(b)) for a, b in kernels.ROLLS]
            judged, _, after = judged_plays(brains[3], [parent] * 21, dice)
            row = 0
            for r, results in enumerate(after):
                part = judged[row : row + len(results)]
                utilities = part @ weight[min(i, len(weight) - 1)]
                mine = Position.from_board(kernels.unpack(chosen[i, r][None])[0])
                pick = results.index(mine)
                assert utilities[pick] == pytest.approx(utilities.min(), abs=1e-6)
                assert part[pick] == pytest.approx(outputs[i, r], abs=1e-6)
                row += len(results)


def test_dice_of_their_own_for_every_position(brains: list[search.Brain]) -> None:
    many = POSITIONS[:21]
    chosen, outputs, _ = best_replies(brains[1], packed(many), kernels.ROLLS[:, None, :], MONEY, 0)
    wide, wide_outputs = replies(brains[1], many, MONEY, 0)
    assert np.array_equal(chosen[:, 0], wide[np.arange(21), np.arange(21)])
    # Together with other rolls the sums are added up in another order.
    assert outputs[:, 0] == pytest.approx(wide_outputs[np.arange(21), np.arange(21)], abs=1e-6)


def test_pruning(brains: list[search.Brain]) -> None:
    many = [position for position in POSITIONS if slow_class(position) == search.CONTACT][::3]
    brain = brains[3]
    assert not can_read(brain.pruner)
    full = replies(brain, many, MONEY, 0)
    every = replies(brain, many, MONEY, MAX_PLAYS)
    assert np.array_equal(full[0], every[0])
    assert np.array_equal(full[1], every[1])
    # A pruning net that knows what the net knows prunes nothing that counts.
    same = replies(replace(brain, pruner=brain.contact), many, MONEY, 1)
    assert np.array_equal(full[0], same[0])
    # Another one hides plays: what is left is the best of its favourites.
    few_left, outputs = replies(brain, many, MONEY, 4)
    worse = 0
    for i, parent in enumerate(many):
        dice = [(int(a), int(b)) for a, b in kernels.ROLLS]
        hidden = worth(judged_plays(replace(brain, contact=brain.pruner), [parent] * 21, dice)[0])
        seen, codes, after = judged_plays(brain, [parent] * 21, dice)
        utilities = worth(seen)
        row = 0
        for r, results in enumerate(after):
            part = slice(row, row + len(results))
            row += len(results)
            if (codes[part] == search.CONTACT).all():
                favourites = np.argsort(hidden[part], kind="stable")[:4]
                best = utilities[part][favourites].min()
                assert worth(outputs[i, r]) == pytest.approx(best, abs=1e-5)
                assert Position.from_board(kernels.unpack(few_left[i, r][None])[0]) in results
                worse += bool(best > utilities[part].min() + 1e-4)
    assert worse > 0


def squashed(x: NDArray[np.float64]) -> NDArray[np.float64]:
    x = np.clip(x, -3, 3)
    return x * (27 + x * x) / (27 + 9 * x * x)


def scout_scores(net: network.Net, parent: Position, after: list[Position]) -> NDArray[np.float64]:
    """What the scout makes of plays, slowly: hidden units along the gradient of the utility at the parent."""

    def hidden(position: Position, mover: int) -> NDArray[np.float64]:
        total = net.bias.astype(np.float64)
        for who in (mover, 1 - mover):
            for point, count in enumerate((position.opponent, position.player)[who], 1):
                for k in range(count):
                    total += net.rows[104 * (who != mover) + 4 * point + min(k, 3)]
            for k in range(position.off[1 - who]):
                total += net.rows[208 + 16 * (who != mover) + k]
        return squashed(total * net.unit)

    at = hidden(parent, 1)
    z = at @ net.head[:, :5] + net.head_bias[:5]
    chance = 1 / (1 + np.exp(-z))
    slope = net.head[:, :5] @ (MONEY[0] * chance * (1 - chance))
    return np.array([hidden(position, 0) @ slope for position in after])


@few
@given(positions(), DICE)
def test_contact_that_stays_is_left_by_no_play(position: Position, dice: tuple[int, int]) -> None:
    board = packed([position])[0]
    pips = sum(dice) * (2 if dice[0] == dice[1] else 1)
    if stays_contact(board, masks(board), pips):
        assert {slow_class(after) for after in plays_of(position, dice)} == {search.CONTACT}


def test_the_scout_and_the_quick_net(brains: list[search.Brain]) -> None:
    """From contact the best by its pruning net's gradient are left, of these the quick net's favourite is judged."""
    many = [position for position in POSITIONS if slow_class(position) == search.CONTACT][::3]
    dice = [(int(a), int(b)) for a, b in kernels.ROLLS]
    brain = replace(brains[3], pruner=fold(random_params(SPECS[0], 9)))
    assert can_read(brain.pruner)
    _, outputs = replies(brain, many, MONEY, 3)
    fine, fine_outputs, _ = best_replies(brain, packed(many), kernels.ROLLS[None], MONEY, 3, brains[1].contact, 1)
    worse = finer = 0
    for i, parent in enumerate(many):
        seen, codes, after = judged_plays(brain, [parent] * 21, dice)
        quick = worth(judged_plays(replace(brain, contact=brains[1].contact), [parent] * 21, dice)[0])
        row = 0
        for r, results in enumerate(after):
            part = slice(row, row + len(results))
            row += len(results)
            if not (codes[part] == search.CONTACT).all():
                continue
            utilities = worth(seen[part])
            scores = scout_scores(brain.pruner, parent, results)
            for kept in (3, 6):
                # Twice as many where contact might end.
                limit = np.sort(scores)[: kept + 1]
                if len(limit) > kept and limit[kept] - limit[kept - 1] < 1e-4:
                    break
                favourites = np.argsort(scores)[:kept]
                if worth(outputs[i, r]) == pytest.approx(utilities[favourites].min(), abs=1e-5):
                    mine = Position.from_board(kernels.unpack(fine[i, r][None])[0])
                    pick = results.index(mine)
                    assert quick[part][pick] == pytest.approx(quick[part][favourites].min(), abs=1e-5)
                    assert fine_outputs[i, r] == pytest.approx(seen[part][pick], abs=1e-5)
                    worse += utilities[favourites].min() > utilities.min() + 1e-4
                    finer += utilities[pick] > utilities[favourites].min() + 1e-4
                    break
            else:
                pytest.fail(f"{parent.id} {dice[r]}: not the best of the scout's favourites")
    assert worse > 20
    assert finer > 20


def test_pruning_where_nothing_can_be_played(brains: list[search.Brain]) -> None:
    brain = replace(brains[3], pruner=fold(random_params(SPECS[0], 9)))
    shut = Position(side(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2, p7=3), side(p13=5, p8=3, p6=5, p7=1, bar=1))
    chosen, outputs = replies(brain, [shut], MONEY, 4)
    assert np.array_equal(chosen, np.broadcast_to(kernels.swap(packed([shut]))[:, None], (1, 21, 32)))
    assert outputs[0] == pytest.approx(np.tile(slow_outcomes(brain, shut.swapped()), (21, 1)), abs=1e-5)
    with pytest.raises(ValueError, match="at most 36 rolls"):
        best_replies(brain, packed([shut]), np.ones((1, 37, 2), dtype=np.int8), MONEY, 0)


def test_races_are_narrowed_by_the_race_net() -> None:
    """Exact ends among the plays are never dropped; what is lost otherwise is little."""
    brain = Engine(threads=1).brain
    near = Position(side(p6=4, p5=4, p2=3), side(p8=2, p7=2, p6=3, p5=3, p4=2, p1=3))
    many = [near, *(position for position in POSITIONS if slow_class(position) == search.RACE)]
    chosen, outputs = replies(brain, many, MONEY, 0)
    narrowed, found = replies(brain, many, MONEY, 4)
    kinds = np.empty((2, len(many) * 21), dtype=np.int8)
    search.classify(chosen.reshape(-1, 32), kinds[0])
    search.classify(narrowed.reshape(-1, 32), kinds[1])
    loss = worth(found - outputs).ravel()
    assert loss.min() > -1e-6
    assert 0 < (loss > 1e-6).mean() < 0.2
    assert loss.mean() < 0.003
    ends = kinds[0] < search.RACE
    assert 4 < ends.sum() < len(loss) / 2
    assert loss[ends].max() < 1e-6


# -- the guard of the cache ------------------------------------------------------------------------


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of two rooms in place of ours: train.b stands on kernels.a, train.c on nothing."""
    package = tmp_path / "package"
    for room in ("kernels", "train"):
        (package / room).mkdir(parents=True)
    monkeypatch.setattr(_shipped, "PACKAGE", package)
    monkeypatch.setattr(_objects, "CACHE", tmp_path / "cache")
    (package / "kernels" / "a.py").write_text("@njit\ndef f(): return 1\n")
    (package / "kernels" / "plain.py").write_text("def plain(): return 1\n")
    lines = "import re\nfrom sixprime.kernels import a, plain\n@njit\ndef g(): return f()\n"
    (package / "train" / "b.py").write_text(lines)
    (package / "train" / "c.py").write_text("@njit\ndef h(): return 1\n")
    return package


def test_the_cache_folder_follows_the_sources(sources: Path) -> None:
    a, b, c = sources / "kernels" / "a.py", sources / "train" / "b.py", sources / "train" / "c.py"
    before = [_shipped.digest(path) for path in (a, b, c)]
    assert len(set(before)) == 3
    # A module is compiled again when what it stands on changes, and only then.
    a.write_text("@njit\ndef f(): return 2\n")
    _shipped._source.cache_clear()
    after = [_shipped.digest(path) for path in (a, b, c)]
    assert [x == y for x, y in zip(before, after, strict=True)] == [False, False, True]
    # What holds no kernel may change.
    (sources / "kernels" / "plain.py").write_text("def plain(): return 2\n")
    _shipped._source.cache_clear()
    assert _shipped.digest(b) == after[1]
    # What compiles counts without being imported.
    (sources / "kernels" / "_compiler.py").write_text("")
    assert not {_shipped.digest(path) for path in (a, b, c)} & {*before, *after}
    b.write_text(
        "from sixprime.kernels.plain import (\n    plain,\n)\nfrom sixprime.kernels.a import (\n    f,\n)\n@njit\n"
    )
    assert {path.name for path in _shipped.imported(b.read_bytes())} == {"a.py", "plain.py"}


def test_every_module_with_kernels_knows_what_it_stands_on() -> None:
    names = {path.stem for path in _shipped.imported((_objects.PACKAGE / "kernels" / "search.py").read_bytes())}
    assert names == {"_bits", "_block", "_jit", "plays", "features", "network", "bearoff", "race"}


def test_versions_count(monkeypatch: pytest.MonkeyPatch) -> None:
    before = _objects.source_hash(b"sources")
    monkeypatch.setattr(_objects, "versions", lambda: b"another")
    assert _objects.source_hash(b"sources") != before


def test_a_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SIXPRIME_CACHE", str(tmp_path / "cache"))
    normal = _objects.find_cache()
    assert normal == tmp_path / "cache" / "kernels"
    usable = _objects._writable
    monkeypatch.setattr(_objects, "_writable", lambda folder: folder != normal and usable(folder))
    fallback = _objects.find_cache()
    assert fallback is not None
    assert fallback != normal
    monkeypatch.setattr(_objects, "_writable", lambda folder: False)
    assert _objects.find_cache() is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no users with numbers")
@pytest.mark.parametrize("mode", [0o700, 0o777])
def test_no_code_is_run_that_others_can_put_there(mode: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The temporary folder is one of the user's own, or none."""
    monkeypatch.setattr(_objects.paths, "cache_dir", lambda: tmp_path / "none")
    usable = _objects._writable
    monkeypatch.setattr(_objects, "_writable", lambda folder: "none" not in folder.parts and usable(folder))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    folder = tmp_path / f"sixprime-{os.getuid()}"
    folder.mkdir()
    folder.chmod(mode)
    assert _objects.find_cache() == (folder / "kernels" if mode == 0o700 else None)


def test_a_folder_named_by_the_user_must_be_writable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("SIXPRIME_CACHE", str(tmp_path / "file" / "folder"))
    with pytest.raises(SettingsError, match="SIXPRIME_CACHE"):
        _objects.find_cache()


def test_kernels_work_without_a_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_objects, "folder_of", lambda module: None)
    monkeypatch.setattr(_objects, "place_of", lambda group: None)
    assert not _objects.is_kept(_jit.SEARCH)

    @_jit.njit
    def double(x):  # type: ignore[no-untyped-def]
        return 2 * x

    assert double(21) == 42

    @_jit.entry()
    def triple(x: int) -> int:
        return 3 * x

    assert triple(14) == 42


def test_numba_that_is_switched_off_for_others_compiles_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numba.config.DISABLE_JIT", 1)

    @_jit.njit
    def double(x):  # type: ignore[no-untyped-def]
        return 2 * x

    assert isinstance(double.dispatcher, Dispatcher)
    assert numba.config.DISABLE_JIT == 1


def test_a_full_disk_costs_the_cache_only(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """Kernels that cannot be kept are used; it is said once."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    _numba._warn.cache_clear()
    cache = search.class_of.dispatcher._cache
    monkeypatch.setattr(cache, "_save_overload", full)
    for _ in range(2):
        cache.save_overload((), None)
    _numba._warn.cache_clear()
    [record] = [record for record in caplog.records if record.name == "sixprime"]
    assert record.getMessage() == f"compiled kernels cannot be kept in {_objects.CACHE}: No space left on device"


class Compiler:
    """Stands for the process that compiles; it says these lines."""

    def __init__(self, *lines: str) -> None:
        self.stdout = BytesIO("".join(f"{line}\n" for line in lines).encode())

    def wait(self) -> int:
        return 0


def test_compiling_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    process = Compiler("1 4", "what is this", "4 5", "kept a", "1 2", "kept b")
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: process)
    caplog.set_level("INFO", "sixprime.kernels")
    job = _objects._Job(["a", "b"])
    for group, said in (("a", [(0, 100), (1, 4), (4, 5), (1, 1)]), ("b", [(0, 100), (1, 2), (1, 1)]), ("b", [])):
        caplog.clear()
        job.wait(group)
        assert [record.__dict__["progress"][:2] for record in caplog.records] == said


def test_what_lies_in_the_folder_one_is_in_compiles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does a switch that is meant for other kernels keep ours from being compiled."""
    (tmp_path / "platform.py").write_text("raise RuntimeError('not this one')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    monkeypatch.setenv("SIXPRIME_CACHE", str(tmp_path))
    # One of the smallest groups.
    job = _objects._Job(["sixprime.kernels.text"])
    job.wait("sixprime.kernels.text")
    assert job.process.returncode == 0
    assert list((tmp_path / "kernels").glob("text-*.o"))


def test_the_command_line_says_that_it_compiles(capsys: pytest.CaptureFixture[str]) -> None:
    with warnings_shown():
        for done, total in ((0, 100), (1, 3), (1, 1), (0, 100), (1, 1)):
            _objects.tell(done, total)
    assert capsys.readouterr() == ("", "Compiling the kernels; this happens once and takes up to a minute.\n")


def test_groups_are_compiled_side_by_side(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Those that are kept are left alone, and none is begun twice."""
    begun: list[list[str]] = []

    def job(groups: list[str]) -> list[str]:
        begun.append(groups)
        return groups

    monkeypatch.setattr(_objects, "_Job", job)
    monkeypatch.setattr(_objects, "_jobs", {})
    monkeypatch.setattr(_objects, "place_of", lambda group: tmp_path / group)
    monkeypatch.setattr(_objects, "is_kept", lambda group: group == "b")
    _objects.prepare(("a", "b"), ("c", "d"))
    _objects.prepare(("a", "e"), ("b",))
    assert begun == [["a"], ["c", "d"], ["e"]]


def test_a_group_that_cannot_be_compiled_apart(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Numba does it in this process then."""
    monkeypatch.setattr(_objects, "place_of", lambda group: tmp_path / "none.o")
    monkeypatch.setattr("subprocess.Popen", lambda *_, **__: Compiler("1 2"))
    monkeypatch.setattr(_objects, "_jobs", {})
    assert _objects._load("sixprime.kernels.replies") is None


def test_threads_that_use_a_block_first_lay_it_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What one thread's kernel reads must not be freed by another that has laid out the same block."""
    packer, made = _block.packer, []

    def slow(name: str, kinds: Any) -> Any:
        time.sleep(0.05)
        made.append(name)
        return packer(name, kinds)

    monkeypatch.setattr(_block, "packer", slow)
    net = replace(NO_NET)
    with ThreadPoolExecutor(4) as pool:
        addresses = list(pool.map(lambda _: net.address, range(4)))
    assert len(set(addresses)) == 1
    assert made == ["Net"]


def test_boards_and_rows_of_another_shape_are_refused() -> None:
    boards = kernels.pack(np.stack([Position.start().board] * 2))
    dice, rows = np.array([[3, 1]] * 2, dtype=np.int8), np.zeros(2, dtype=np.int64)
    for odd in (boards[:, :8].copy(), boards[0], boards + 0.5, None):
        for look in (kernels.pips, kernels.swap, kernels.unpack):
            with pytest.raises(SettingsError, match=r"packed must be int8\[N, 32\]"):
                look(odd)
        with pytest.raises(SettingsError, match=r"boards must be int8\[N, 32\]"):
            kernels.routes(odd, dice, rows, boards)
    assert (kernels.pips(boards[::-1].astype(int)) == kernels.pips(boards)).all()
    for parents in ([0, 2], [-1, 0]):
        with pytest.raises(SettingsError, match="parents must be rows of boards, 0 to 1"):
            kernels.routes(boards, dice, np.array(parents), boards)
    with pytest.raises(SettingsError, match=r"parents must be int64\[2\]"):
        kernels.routes(boards, dice, rows[:1], boards)
    with pytest.raises(SettingsError, match=r"dice\[1\] must be two numbers from 1 to 6"):
        kernels.routes(boards, np.array([[3, 1], [3, -90]]), rows, boards)
    for chequers in (-1, 1000, 2**70, "x"):
        with pytest.raises(SettingsError, match="chequers must be a whole number from 0 to 127"):
            kernels.pack(Position.start().board[None], chequers)  # type: ignore[arg-type]
