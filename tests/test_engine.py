"""The engine: deeper values against a slow recursion, determinism, ranking, cube decisions, luck, bad input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from sides import side

from sixprime import kernels
from sixprime.bearoff import Databases, two_sided
from sixprime.cube import model as cube_model
from sixprime.cube import values as worth
from sixprime.cube.decision import CubeAction, as_gnu
from sixprime.cube.fitted import DEFAULT, Fitted
from sixprime.cube.state import CubeState
from sixprime.engine import FILTERS, Engine, MoveFilter, PlayAnalysis, PlayRequest
from sixprime.engine import plies as searching
from sixprime.engine.filters import Level, get_filter
from sixprime.engine.judge import CLASS_NAMES
from sixprime.engine.signature import signature
from sixprime.errors import DataFileError, InvalidPositionError, SettingsError
from sixprime.game.play import Play, legal_plays_reference
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.train.starts import starts

DATA = Path(__file__).parent / "data"

START = Position.start()
MIDDLE = Position(side(p24=1, p20=1, p13=4, p8=3, p7=2, p6=3, p4=1), side(p24=2, p13=3, p10=1, p8=3, p6=4, p3=2))
BLITZ = Position(side(p24=2, p13=4, p8=3, p6=4, bar=2), side(p13=2, p8=4, p6=3, p5=3, p4=2, p3=1))
RACE = Position(side(p9=2, p8=3, p6=4, p5=3, p4=3), side(p10=2, p7=3, p6=5, p4=3, p3=2))
HOME = Position(side(p6=1, p4=2, p1=2), side(p5=1, p4=1, p2=3))
CONTACT_ENDING = Position(side(p24=1, p2=5, p1=5), side(p6=3, p5=2, p4=2, p2=1))
DANCE = Position(side(p6=2, p5=2, p4=2, p3=2, p2=2, p1=2, p13=3), side(p13=5, p8=3, p6=5, p18=1, bar=1))
SPREAD = Position(
    side(bar=1), side(**{f"p{point}": 1 for point in (3, 4, 6, 7, 9, 10, 12, 13, 15, 17, 18, 20, 21, 23, 24)})
)
POSITIONS = [START, MIDDLE, BLITZ, RACE, HOME, CONTACT_ENDING]

MONEY = MatchState()
OWNED = MatchState(jacoby=False, cube=2, cube_owner=1)
THEIRS = MatchState(jacoby=False, cube=4, cube_owner=0)
MATCH = MatchState(length=7, score=(3, 5))
MATCH_CUBE = MatchState(length=9, score=(4, 2), cube=2, cube_owner=1)
CRAWFORD = MatchState(length=5, score=(4, 1), crawford=True)
STATES = [MONEY, OWNED, THEIRS, MATCH, MATCH_CUBE, CRAWFORD]
NAMES = ["money", "owned", "theirs", "match", "match-owned", "crawford"]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1, databases=Databases.standard())


@pytest.fixture(scope="module")
def full() -> Engine:
    """An engine that prunes nothing."""
    return Engine(threads=1, prune=False, databases=Databases.standard())


# -- a slow recursion ------------------------------------------------------------------------------


class Reference:
    """n-ply values one position at a time, from 0-ply outcomes and the formulas of one cube state at a time."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.static = cache(self._static)
        self.replies = cache(self._replies)

    def _static(self, position: Position) -> tuple[np.ndarray, int]:
        evaluation = self.engine.evaluate(position, plies=0)
        return np.array(evaluation.probabilities), CLASS_NAMES.index(evaluation.position_class)

    def exact(self, position: Position) -> np.ndarray:
        """Two-sided equities `[1, 4]`, NaN outside the database."""
        return np.asarray(two_sided(6, 6).equities(kernels.pack(position.board[None], position.chequers)))

    def leaf(self, position: Position, cube: CubeState, model: Fitted) -> float:
        outcomes, code = self.static(position)
        x = model.parameters(outcomes[None], [code], [position.pips])
        exact = self.exact(position) if position.winner is None else None
        return float(cube_model.cubeful(outcomes[None], x, cube_model.prepare([cube], model=model), exact=exact)[0, 0])

    def _replies(self, position: Position, main: CubeState) -> list[tuple[float, Position]]:
        """Weight and position after the best play of every roll; `main` is the state of the side then on roll."""
        weights, _ = worth.utility_weights(main)
        if main.money and not main.gammons_count:
            weights = np.array([2.0, 0.7, 0.7, -0.7, -0.7])
        best = []
        for (high, low), count in zip(kernels.ROLLS.tolist(), kernels.ROLL_WEIGHTS.tolist(), strict=True):
            plays = legal_plays_reference(position, (high, low))
            results = [play.result for play in plays] or [position.swapped()]
            outcomes = [evaluation.probabilities for evaluation in self.engine.evaluate_many(results, plies=0)]
            best.append((count / 36, results[int(np.argmin(np.array(outcomes) @ weights))]))
        return best

    def is_leaf(self, position: Position, plies: int, money: bool) -> bool:
        known = position.winner is None and not np.isnan(self.exact(position)[0, 0])
        return plies == 0 or position.winner is not None or (money and known)

    def outcomes(self, position: Position, main: CubeState, plies: int) -> np.ndarray:
        if self.is_leaf(position, plies, main.money):
            return self.static(position)[0]
        total = np.zeros(5)
        for weight, child in self.replies(position, main.swapped()):
            win, win2, win3, loss2, loss3 = self.outcomes(child, main.swapped(), plies - 1)
            total += weight * np.array([1 - win, loss2, loss3, win2, win3])
        return total

    def value(
        self, position: Position, cube: CubeState, main: CubeState, plies: int, may_double: bool, model: Fitted
    ) -> float:
        """Value of the player on roll at `cube`; `main` is the state, nothing turned, that replies are chosen by, and
        `model` that of the leaves."""

        def undoubled(cube: CubeState) -> float:
            if self.is_leaf(position, plies, cube.money):
                return self.leaf(position, cube, model)
            children = self.replies(position, main.swapped())
            sum_of_both = 0 if cube.money else 1
            return sum(
                weight * (sum_of_both - self.value(child, cube.swapped(), main.swapped(), plies - 1, True, model))
                for weight, child in children
            )

        keep = undoubled(cube)
        if may_double and cube.can_double:
            take = undoubled(cube.doubled()) * (2 if cube.money else 1)
            cash = 1.0 if cube.money else cube.outcomes()[0][0]
            if take >= keep and cash >= keep:
                return min(take, cash)
        return keep


@pytest.fixture(scope="module")
def reference(full: Engine) -> Reference:
    return Reference(full)


@pytest.mark.parametrize("state", STATES, ids=NAMES)
@pytest.mark.parametrize("position", POSITIONS, ids=repr)
def test_one_ply(full: Engine, reference: Reference, position: Position, state: MatchState) -> None:
    check(full, reference, position, state, 1)


@pytest.mark.parametrize(
    ("position", "state"),
    [(BLITZ, MONEY), (HOME, MATCH), (CONTACT_ENDING, MATCH_CUBE)],
    ids=["money", "match", "owned"],
)
def test_two_ply(full: Engine, reference: Reference, position: Position, state: MatchState) -> None:
    check(full, reference, position, state, 2)


def check(engine: Engine, reference: Reference, position: Position, state: MatchState, plies: int) -> None:
    cube = CubeState.from_match(state)
    evaluation = engine.evaluate(position, match=state, plies=plies)
    outcomes = reference.outcomes(position, cube, plies)
    assert evaluation.probabilities == pytest.approx(tuple(outcomes), abs=2e-6)
    assert evaluation.equity == pytest.approx(outcomes @ [2, 1, 1, -1, -1] - 1, abs=1e-5)
    model = DEFAULT.leaves(plies)
    value = reference.value(position, cube, cube, plies, False, model)
    assert evaluation.cubeful_equity == pytest.approx(worth.to_equity(value, cube), abs=1e-5)
    if not state.length:
        assert evaluation.mwc is None
    else:
        assert evaluation.mwc == pytest.approx(value, abs=1e-5)

    decision = engine.cube_action(position, match=state, plies=plies)
    assert decision.no_double == pytest.approx(evaluation.cubeful_equity, abs=1e-9)
    assert decision.probabilities == evaluation.probabilities
    assert decision.available == cube.can_double
    if cube.can_double:
        take = reference.value(position, cube.doubled(), cube, plies, False, model)
        take = 2 * take if cube.money else worth.to_equity(take, cube)
        assert decision.double_take == pytest.approx(take, abs=2e-5)


@pytest.mark.parametrize("position", [BLITZ, BLITZ.swapped()], ids=["ahead", "behind"])
@pytest.mark.parametrize("state", [MONEY, MATCH, MATCH_CUBE], ids=["money", "match", "match-owned"])
def test_plays_are_judged_by_what_they_leave(
    full: Engine, reference: Reference, position: Position, state: MatchState
) -> None:
    """The opponent, then on roll, may double. At one ply the static judgement has its share."""
    cube = CubeState.from_match(state)
    for plies in (0, 1):
        deepest = 0
        for analysis in full.best_plays(position, (4, 2), match=state, plies=plies, filter="tiny", count=3):
            other, after = cube.swapped(), analysis.play.result
            shares = {1: 1 - searching.STATIC_SHARE, 0: searching.STATIC_SHARE} if analysis.plies else {0: 1.0}
            value = sum(
                share * reference.value(after, other, other, ply, True, DEFAULT.leaves(ply))
                for ply, share in shares.items()
            )
            deepest = max(deepest, analysis.plies)
            assert analysis.equity == pytest.approx(-worth.to_equity(value, other), abs=1e-5)
            win, win2, win3, loss2, loss3 = sum(
                share * np.array(reference.outcomes(after, other, ply)) for ply, share in shares.items()
            )
            assert analysis.probabilities == pytest.approx((1 - win, loss2, loss3, win2, win3), abs=2e-6)
        assert deepest == plies


def test_back_games_are_judged_by_their_net(engine: Engine) -> None:
    """As if it were the contact net of another engine; all else is as without it."""
    assert engine.net.back is not None
    alone = Engine(replace(engine.net, contact=engine.net.back, back=None), threads=1)
    without = Engine(replace(engine.net, back=None), threads=1)
    back_games = [Position.from_board(board) for board in kernels.unpack(starts(3, np.arange(5), "usual back games"))]
    for position in (Position.start(), *back_games):
        found = engine.evaluate(position, plies=0).probabilities
        same = [found == other.evaluate(position, plies=0).probabilities for other in (alone, without)]
        assert same == [position in back_games, position not in back_games]


@pytest.mark.parametrize(
    ("id", "state"),
    [
        ("AwAAIHkDAAAAAA", MatchState.from_match_id("MgGAABAAAAAE")),
        ("gAAA7HD+AAAAAA", MatchState.from_match_id("cgngADAAEAAE")),
        ("AQAAeNzzAAAAAA", MatchState.from_match_id("cAlgAXAAKAAE")),
    ],
)
def test_a_lost_match_is_won_with_no_less_than_no_chance(engine: Engine, id: str, state: MatchState) -> None:
    position = Position.from_id(id)
    cube = engine.cube_action(position, match=state, plies=1)
    chances = [engine.evaluate(position, match=state, plies=1).mwc, cube.mwc_no_double, cube.mwc_double_take]
    chances += [play.mwc for play in engine.best_plays(position, (2, 1), match=state, plies=1)]
    assert min(chances) >= 0.0
    assert min(chances) == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_finished_games(engine: Engine, plies: int) -> None:
    for loser, points in ((side(p6=5), 1), (side(p6=15), 2), (side(p6=14, p24=1), 3)):
        lost, won = engine.evaluate_many([Position(side(), loser), Position(loser, side())], plies=plies)
        assert [lost.equity, won.equity] == [-points, points]
        assert {lost.position_class, won.position_class} == {"over"}
        over = Position(side(), loser)
        for ask in (
            lambda over=over: engine.best_plays(over, (2, 1), plies=plies),
            lambda over=over: engine.rank_plays_many([PlayRequest(over, (2, 1))], plies=plies),
            lambda over=over: engine.luck_many([(over, (2, 1), MatchState())], plies=plies),
        ):
            with pytest.raises(InvalidPositionError, match="nothing is left to play"):
                ask()


def test_exact_endings(engine: Engine) -> None:
    """Money endings inside the two-sided database are not searched: the values are the database's at any ply."""
    cubeless, _, _, theirs = two_sided(6, 6).equities(kernels.pack(HOME.board[None]))[0]
    for plies in (0, 1, 2):
        evaluation = engine.evaluate(HOME, match=THEIRS, plies=plies)
        assert evaluation.cubeful_equity == pytest.approx(theirs, abs=1e-9)
        assert evaluation.equity == pytest.approx(cubeless, abs=5e-3)


# -- determinism -----------------------------------------------------------------------------------


def everything(engine: Engine, positions: Sequence[Position], plies: int) -> list[object]:
    states = [STATES[i % len(STATES)] for i in range(len(positions))]
    requests = [PlayRequest(p, (1 + i % 6, 1 + i % 4), states[i]) for i, p in enumerate(positions)]
    return [
        engine.evaluate_many(positions, match=states, plies=plies),
        engine.cube_many(list(zip(positions, states, strict=True)), plies=plies),
        engine.rank_plays_many(requests, plies=plies, filter="tiny"),
        engine.luck_many([(r.position, r.dice, r.state) for r in requests]),
    ]


def test_threads_and_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [*POSITIONS, *(play.result for play in MIDDLE.plays((2, 1)))]
    alone = Engine(threads=1)
    expected = everything(alone, many, 1)
    several = Engine(threads=3)
    for chunk in ({0: 1, 1: 1, 2: 1}, {0: 5, 1: 4, 2: 3}):
        monkeypatch.setattr(searching, "CHUNK", {**searching.CHUNK, **chunk})
        assert everything(several, many, 1) == expected
        assert everything(alone, many, 1) == expected
    deep = alone.evaluate_many(many[:6], plies=2)
    monkeypatch.undo()
    assert several.evaluate_many(many[:6], plies=2) == deep


@pytest.mark.parametrize("plies", [0, 1])
def test_what_else_is_in_the_batch_changes_nothing(engine: Engine, plies: int) -> None:
    together = [engine.evaluate_many(POSITIONS, match=STATES, plies=plies)]
    assert together[0] == [
        engine.evaluate(position, match=state, plies=plies) for position, state in zip(POSITIONS, STATES, strict=True)
    ]
    pairs = list(zip(POSITIONS, STATES, strict=True))
    assert engine.cube_many(pairs, plies=plies) == [engine.cube_action(p, match=s, plies=plies) for p, s in pairs]
    requests = [PlayRequest(position, (6, 3), state) for position, state in pairs]
    ranked = engine.rank_plays_many(requests, plies=plies, count=None)
    assert ranked == [engine.best_plays(p, (6, 3), match=s, plies=plies) for p, s in pairs]
    lucks = engine.luck_many([(p, (6, 3), s) for p, s in pairs])
    assert lucks == [engine.luck_many([(p, (6, 3), s)])[0] for p, s in pairs]


@pytest.mark.parametrize("plies", [1, 2])
def test_leaves_in_one_kernel_have_the_bits_of_those_level_by_level(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, plies: int
) -> None:
    ends = [Position(side(p1=5, p6=4), side(p2=3, p7=1)), Position(side(p1=2, p3=1), side(p2=4))]
    requests = [(position, state) for position in (*POSITIONS, *ends) for state in STATES]
    engine.forget()
    fused = engine.cube_many(requests, plies=plies)
    monkeypatch.setattr(searching.Searcher, "_is_plain", lambda *_: False)
    engine.forget()
    assert engine.cube_many(requests, plies=plies) == fused


def test_the_same_position_at_many_states(engine: Engine) -> None:
    """Positions that meet in the tree are searched once, but not when their cubes or scores differ."""
    together = engine.evaluate_many([BLITZ] * len(STATES), match=STATES, plies=2)
    assert together == [engine.evaluate(BLITZ, match=state, plies=2) for state in STATES]


def test_signature(engine: Engine) -> None:
    """A change of the engine's judgement is meant, or it is a mistake."""
    path = DATA / "signature.txt"
    found = signature(engine)
    assert found == path.read_text(encoding="utf-8").strip(), (
        f"The engine judges otherwise than before. If that is meant, write {found} to {path}, "
        "and begin the text of the commit with 'behaviour:'."
    )


# -- plays -----------------------------------------------------------------------------------------


def assert_ranked(plays: list[PlayAnalysis], deepest: int) -> None:
    assert plays[0].plies == deepest
    assert plays[0].equity_loss == 0
    for better, worse in pairwise(plays):
        assert better.plies >= worse.plies
        if better.plies == worse.plies:
            assert better.equity >= worse.equity - 1e-6
    for play in plays:
        assert play.equity_loss == max(0, plays[0].equity - play.equity)
        win, win2, win3, loss2, loss3 = play.probabilities
        assert 1 >= win >= win2 >= win3 >= 0
        assert 1 >= 1 - win + 1e-7 >= loss2 >= loss3 >= 0


@pytest.mark.parametrize("state", [MONEY, MATCH], ids=["money", "match"])
@pytest.mark.parametrize("plies", [0, 1, 2])
def test_all_plays_are_ranked(engine: Engine, plies: int, state: MatchState) -> None:
    five = MoveFilter.alternating("five", Level(5, 0, 0.0), Level(2, 0, 0.0))
    for position, dice in ((MIDDLE, (5, 3)), (START, (3, 1)), (RACE, (2, 2))):
        plays = engine.best_plays(position, dice, match=state, plies=plies, filter=five)
        assert {analysis.play for analysis in plays} == set(position.plays(dice))
        assert all(analysis.play.position == position for analysis in plays)
        assert_ranked(plays, plies)
        assert engine.best_plays(position, dice[::-1], match=state, plies=plies, filter=five, count=2) == plays[:2]


def test_strong_plays_are_found(engine: Engine) -> None:
    best = {dice: str(engine.best_plays(START, dice, plies=2, count=1)[0].play) for dice in ((3, 1), (6, 1), (4, 2))}
    assert best == {(3, 1): "8/5 6/5", (6, 1): "13/7 8/7", (4, 2): "8/4 6/4"}


def test_the_filter_says_how_many_are_searched(engine: Engine) -> None:
    static = engine.best_plays(MIDDLE, (5, 3), plies=0)
    equities = np.array([play.equity for play in static])
    for moves in (*FILTERS.values(), MoveFilter.alternating("three", Level(3, 0, 0.0), Level(1, 0, 0.0))):
        plays = engine.best_plays(MIDDLE, (5, 3), plies=1, filter=moves)
        deep = {play.play for play in plays if play.plies == 1}
        assert {play.plies for play in plays} == {0, 1}
        level = moves.level(0, 1)
        assert level is not None
        assert deep == {play.play for play in static[: level.survivors(equities)]}
    assert engine.best_plays(MIDDLE, (5, 3), plies=1, filter="Tiny") == engine.best_plays(
        MIDDLE, (5, 3), plies=1, filter=FILTERS["tiny"]
    )


def test_three_plies_filter_twice(engine: Engine) -> None:
    narrow = MoveFilter.alternating("narrow", Level(3, 0, 0.0), Level(1, 0, 0.0))
    plays = engine.best_plays(HOME, (2, 1), match=MATCH, plies=3, filter=narrow)
    assert_ranked(plays, 3)
    assert [play.plies for play in plays[:4]] == [3, 2, 2, 0]


def test_survivors() -> None:
    level = Level(2, 3, 0.1)
    assert level.survivors(np.array([0.5])) == 1
    assert level.survivors(np.array([0.5, 0.1, 0.0])) == 2
    assert level.survivors(np.array([0.5, 0.45, 0.41, 0.0])) == 3
    assert level.survivors(np.full(9, 0.5)) == 5
    assert Level(0, 2, 0.1).survivors(np.array([0.5, 0.45, 0.41, 0.4])) == 2
    assert Level(0, 0, 0.1).survivors(np.array([0.5, 0.45])) == 1
    assert Level(-1, 0, 0.0).survivors(np.zeros(7)) == 7
    firsts = [level for f in FILTERS.values() if (level := f.level(0, 2)) is not None][:5]
    sizes = [(level.extra, level.threshold) for level in firsts]
    assert sizes == sorted(sizes)


def test_names_of_filters() -> None:
    sets = ["tiny", "narrow", "normal", "large", "huge", "normal-2025", "large-2025"]
    assert list(FILTERS) == [*sets, "selective", "large-selective"]
    assert get_filter("Huge") is FILTERS["huge"]
    assert get_filter(FILTERS["tiny"]) is FILTERS["tiny"]
    with pytest.raises(SettingsError, match=r"filter must be one of tiny, .*Got 'wide'"):
        get_filter("wide")


@pytest.mark.parametrize("plies", [0, 1])
def test_nothing_can_be_moved(engine: Engine, plies: int) -> None:
    (dance,) = engine.best_plays(DANCE, (6, 5), plies=plies)
    assert dance.play == Play((), DANCE, DANCE.swapped())
    assert str(dance.play) == ""
    assert dance.equity_loss == 0
    assert -3 <= dance.equity < 0


def test_one_legal_play(engine: Engine) -> None:
    (last,) = engine.best_plays(Position(side(p6=15), side(p1=1)), (5, 2), match=OWNED, plies=2)
    assert str(last.play) == "1/off"
    assert [last.equity, last.equity_loss, last.cubeless_equity] == [2, 0, 2]
    quick, deep = (
        engine.rank_plays_many([PlayRequest(DANCE, (6, 6))], plies=1, search_forced=searched)[0][0]
        for searched in (False, True)
    )
    assert [quick.plies, deep.plies] == [0, 1]


def test_a_play_that_must_be_included(engine: Engine) -> None:
    ranked = engine.best_plays(MIDDLE, (5, 3), plies=1, filter="tiny")
    last = ranked[-1]
    assert last.plies == 0
    best, second = (play.play for play in ranked[:2])
    illegal = Play((), MIDDLE, MIDDLE.swapped())
    wanted = [last.play, best, second, illegal, None]
    requests = [PlayRequest(MIDDLE, (5, 3), must_include=play) for play in wanted]
    answers = engine.rank_plays_many(requests, plies=1, filter="tiny", count=2)
    assert [len(plays) for plays in answers] == [3, 2, 2, 2, 2]
    assert answers[0][-1].play == last.play
    assert answers[0][-1].plies == 1
    assert answers[0][-1].equity_loss == answers[0][0].equity - answers[0][-1].equity
    for plays in answers:
        assert [play.play for play in plays[:2]] == [best, second]
        assert_ranked(plays, 1)


def test_a_long_list_of_plays(engine: Engine) -> None:
    plays = engine.best_plays(SPREAD, (1, 1), plies=0)
    assert len(plays) == len({analysis.play for analysis in plays}) == 2226
    assert_ranked(plays, 0)
    assert engine.best_plays(SPREAD, (1, 1), plies=1, count=1, filter="tiny")[0].plies == 1


@pytest.mark.parametrize("variant", ["nackgammon", "hypergammon1", "hypergammon2", "hypergammon3"])
def test_other_games(engine: Engine, variant: str) -> None:
    start = Position.start(variant)
    for plies in (0, 1, 2):
        evaluation = engine.evaluate(start, plies=plies)
        win, win2, win3, loss2, loss3 = evaluation.probabilities
        assert 1 >= win >= win2 >= win3 >= 0
        assert 1 - win + 1e-7 >= loss2 >= loss3 >= 0
        plays = engine.best_plays(start, (6, 1), plies=plies, filter="tiny")
        assert {analysis.play for analysis in plays} == set(start.plays((6, 1)))
    assert engine.cube_action(start, plies=1).available
    assert np.isfinite(engine.luck_many([(start, (2, 1), MONEY)])[0])


def test_the_batch_may_be_empty(engine: Engine) -> None:
    assert engine.evaluate_many([]) == []
    assert engine.evaluate_many([], plies=2) == []
    assert engine.rank_plays_many([]) == []
    assert engine.cube_many([]) == []
    assert engine.luck_many([]) == []


def test_progress_is_told(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "CHUNK", {**searching.CHUNK, 1: 4})
    told: list[tuple[int, int]] = []
    requests = [PlayRequest(MIDDLE, (5, 3)), PlayRequest(START, (6, 4))]
    engine.rank_plays_many(requests, plies=1, progress=lambda step: told.append(step[:2]))
    assert told == sorted(told)
    assert len(told) > 1
    assert told[-1][0] == told[-1][1]
    told.clear()
    engine.cube_many([(MIDDLE, MONEY)] * 6, plies=1, progress=lambda step: told.append(step[:2]))
    assert told == [(3, 6), (6, 6)]


# -- cube ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("position", "state", "action"),
    [
        (START, MONEY, CubeAction.NO_DOUBLE_BEAVER),
        (START, MatchState(beavers=0), CubeAction.NO_DOUBLE_TAKE),
        (START, MATCH_CUBE, CubeAction.NO_REDOUBLE_TAKE),
        (Position(side(p6=5, p5=5, p4=5), side(p2=1)), MONEY, CubeAction.DOUBLE_PASS),
        (Position(side(p1=2), side(p1=3, p2=3)), MONEY, CubeAction.NO_DOUBLE_BEAVER),
        (Position(side(p1=2), side(p1=3, p2=3)), MatchState(beavers=0), CubeAction.NO_DOUBLE_TAKE),
        (Position(side(p6=14, p24=1), side(p2=2)), MatchState(jacoby=False), CubeAction.TOO_GOOD_PASS),
        (Position(side(p6=14, p24=1), side(p2=2)), OWNED, CubeAction.TOO_GOOD_TO_REDOUBLE_PASS),
        (START, CRAWFORD, CubeAction.DEAD_CUBE),
        (START, MatchState(length=3, score=(1, 1), cube=2, cube_owner=1), CubeAction.DEAD_CUBE_OWNED),
        (START, THEIRS, CubeAction.UNAVAILABLE),
    ],
)
def test_cube_actions_in_words(engine: Engine, position: Position, state: MatchState, action: CubeAction) -> None:
    for plies in (0, 1):
        decision = engine.cube_action(position, match=state, plies=plies)
        assert decision.action == {CRAWFORD: "this is the Crawford game", THEIRS: "the opponent owns the cube"}.get(
            state, action.text
        )
        assert as_gnu(decision.action) is action
        assert decision.position == position
        assert decision.state == state
        assert decision.plies == plies
        assert decision.double_pass == 1
        unavailable = (CubeAction.DEAD_CUBE, CubeAction.DEAD_CUBE_OWNED, CubeAction.UNAVAILABLE)
        assert decision.available == (action not in unavailable)
        assert decision.should_double == action.text.startswith(("Double", "Redouble"))
        assert decision.too_good == action.text.startswith("Too good")
        if decision.available:
            assert decision.should_take == action.text.endswith(("take", "beaver"))
        else:
            assert decision.double_take == decision.no_double == decision.optimal
        chances = (decision.mwc_no_double, decision.mwc_double_take, decision.mwc_double_pass)
        equities = (decision.no_double, decision.double_take, decision.double_pass)
        if not state.length:
            assert chances == (None, None, None)
        else:
            cube = CubeState.from_match(state)
            assert chances == pytest.approx([worth.to_mwc(equity, cube) for equity in equities])


def test_the_opponents_view(engine: Engine) -> None:
    """Player 0 on roll with player 0's cube is what player 1 on roll with player 1's is."""
    mirrored = MatchState(length=9, score=(2, 4), cube=2, cube_owner=0, on_roll=0)
    for one, other in (
        (engine.evaluate(MIDDLE, match=MATCH_CUBE, plies=1), engine.evaluate(MIDDLE, match=mirrored, plies=1)),
        (engine.cube_action(MIDDLE, match=MATCH_CUBE, plies=1), engine.cube_action(MIDDLE, match=mirrored, plies=1)),
    ):
        assert one.probabilities == other.probabilities
    assert one.no_double == other.no_double  # type: ignore[union-attr]


# -- luck ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("state", STATES, ids=NAMES)
def test_luck_is_zero_on_average(engine: Engine, state: MatchState) -> None:
    rolls = [(first, second) for first in range(1, 7) for second in range(1, 7)]
    for position in POSITIONS[1:]:
        lucks = engine.luck_many([(position, roll, state) for roll in rolls])
        assert sum(lucks) == pytest.approx(0, abs=1e-6)
        assert max(lucks) > 0 or position == HOME
        by_roll = dict(zip(rolls, lucks, strict=True))
        assert all(by_roll[first, second] == by_roll[second, first] for first, second in rolls)


def test_luck_of_the_opening_roll(engine: Engine) -> None:
    """Fifteen rolls of either side and no doubles; what one side wins the other loses."""
    other = MatchState(length=7, score=(3, 5), on_roll=0)
    rolls = [(first, second) for first in range(1, 7) for second in range(1, first)]
    sums = [sum(engine.luck_many([(START, roll, state) for roll in rolls])) for state in (MATCH, other)]
    assert sums[0] == pytest.approx(sums[1], abs=1e-6)
    # No game begins with a double: its luck is that of any roll.
    values = {roll: engine.best_plays(START, roll, match=MATCH, count=1)[0].equity for roll in rolls}
    doubles = {(n, n): engine.best_plays(START, (n, n), match=MATCH, count=1)[0].equity for n in range(1, 7)}
    mean = (2 * sum(values.values()) + sum(doubles.values())) / 36
    lucks = engine.luck_many([(START, roll, MATCH) for roll in doubles])
    assert lucks == pytest.approx([value - mean for value in doubles.values()], abs=0.03)
    # Later in a game the same position, both sides alike, is not the start.
    alike = START.plays((3, 1))[0].result
    alike = Position(alike.opponent, alike.opponent)
    every = [(first, second) for first in range(1, 7) for second in range(1, 7)]
    assert sum(engine.luck_many([(alike, roll, MONEY) for roll in every])) == pytest.approx(0, abs=1e-6)


def test_luck_is_the_gain_over_the_mean(engine: Engine) -> None:
    """Luck is what the best play is worth above the mean of all rolls."""
    rolls = [(int(high), int(low)) for high, low in kernels.ROLLS]
    lucks = engine.luck_many([(MIDDLE, roll, MATCH) for roll in rolls])
    requests = [PlayRequest(MIDDLE, roll, MATCH) for roll in rolls]
    best = [plays[0].equity for plays in engine.rank_plays_many(requests, plies=0, count=1)]
    mean = float(np.average(best, weights=kernels.ROLL_WEIGHTS))
    cost = np.abs(np.array(lucks) - (np.array(best) - mean))
    assert cost.max() < 1e-6


# -- bad input -------------------------------------------------------------------------------------

IMPOSSIBLE = [
    Position(side(p6=16), side(p6=15)),
    Position(side(p6=-1), side(p6=15)),
    Position(side(p12=2), side(p13=2)),
    Position(side(), side()),
    Position(*[side(p1=2, p2=2, p3=2, p4=2, p5=2, p6=2, bar=1)] * 2),
    Position(side(p6=15), side(p6=200)),
    Position(side(p6=20), side(p5=20), 20),
]


@pytest.mark.parametrize("position", IMPOSSIBLE, ids=repr)
def test_impossible_positions(engine: Engine, position: Position) -> None:
    for judge in (
        lambda: engine.evaluate(position, plies=0),
        lambda: engine.evaluate_many([START, position], plies=1),
        lambda: engine.evaluate_many([*[START] * 20, position], plies=0),
        lambda: engine.best_plays(position, (3, 1), plies=0),
        lambda: engine.cube_action(position, plies=0),
        lambda: engine.luck_many([(position, (3, 1), MONEY)]),
    ):
        with pytest.raises(InvalidPositionError, match=r"impossible position|20 chequers; 15 at most"):
            judge()


@pytest.mark.parametrize("dice", [(0, 1), (7, 1), (3,), (1, 2, 3), (3.0, 1.0), (True, 2), None, 31, "31"])
def test_bad_dice(engine: Engine, dice: object) -> None:
    with pytest.raises(SettingsError, match="dice"):
        engine.best_plays(START, dice)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="dice"):
        engine.luck_many([(START, dice, MONEY)])  # type: ignore[list-item]


@pytest.mark.parametrize("plies", [-1, 5, 1.5, "2"])
def test_bad_plies(engine: Engine, plies: object) -> None:
    with pytest.raises(SettingsError, match="plies must be"):
        Engine(plies=plies)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="plies must be"):
        engine.evaluate(START, plies=plies)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="plies must be"):
        engine.cube_action(START, plies=plies)  # type: ignore[arg-type]


def test_bad_settings(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="threads must be a whole number from 1"):
        Engine(threads=0)
    with pytest.raises(SettingsError, match="filter must be"):
        Engine(filter="wide")
    with pytest.raises(SettingsError, match="filter must be"):
        engine.best_plays(START, (3, 1), filter="wide")
    for net in (tmp_path / "none", ""):
        with pytest.raises(DataFileError, match="Cannot read the network file"):
            Engine(net)
    with pytest.raises(SettingsError, match="one per position"):
        engine.evaluate_many([START, START], match=[MONEY])
    with pytest.raises(SettingsError, match="power of two"):
        engine.evaluate(START, match=MatchState(cube=3))
    with pytest.raises(SettingsError, match="is over: the score is 5 to 0"):
        engine.evaluate(START, match=MatchState(length=5, score=(5, 0)))


def test_settings_of_the_engine_are_the_defaults_of_its_calls() -> None:
    engine = Engine(threads=1, plies=1, filter="tiny")
    assert engine.evaluate(MIDDLE) == engine.evaluate(MIDDLE, plies=1)
    assert engine.best_plays(MIDDLE, (5, 3)) == engine.best_plays(MIDDLE, (5, 3), plies=1, filter="tiny")


def test_luck_for_money_picks_replies_as_a_search_does() -> None:
    """Little is lost by narrowing the replies down; the mean over all rolls stays zero."""
    engine = Engine(threads=1, plies=0)
    rolls = [(int(high), int(low)) for high, low in kernels.ROLLS]
    money = MatchState(jacoby=False)
    lucks = np.array(engine.luck_many([(MIDDLE, roll, money) for roll in rolls]))
    requests = [PlayRequest(MIDDLE, roll, money) for roll in rolls]
    best = [plays[0].equity for plays in engine.rank_plays_many(requests, count=1)]
    exact = np.array(best) - np.average(best, weights=kernels.ROLL_WEIGHTS)
    assert np.average(lucks, weights=kernels.ROLL_WEIGHTS) == pytest.approx(0, abs=1e-9)
    assert np.abs(lucks - exact).mean() < 0.004
