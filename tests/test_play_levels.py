"""Levels that err as people do: the same error again, weaker levels err more, seats and bots alike."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from sixprime import Engine, MatchState, Position, kernels
from sixprime.cube.state import CubeState
from sixprime.engine import PlayRequest
from sixprime.errors import SettingsError
from sixprime.game.acts import Double, Drop, Move, Roll, Take
from sixprime.game.match_rules import Rules
from sixprime.game.table import Phase, Table
from sixprime.play import LevelSeat, SeededDice, Session
from sixprime.play.duel import Duel, cubeful_money
from sixprime.play.standing import StopRule
from sixprime.players.bot import Asked
from sixprime.players.levels import LEVELS, Errors, Level, LevelBot, get_level
from sixprime.players.lobby import Lobby
from sixprime.train.starts import starts

NAMES = ["beginner", "casual", "intermediate", "advanced", "expert", "world class"]


@pytest.fixture(scope="module")
def tables() -> list[Table]:
    """Of two matches between levels, wherever somebody decides."""
    found = []
    for seed in (1, 2):
        seats = LevelSeat(LEVELS["advanced"], seed=seed), LevelSeat(LEVELS["expert"], seed=seed + 5)
        session = Session(seats, Rules(5), dice=SeededDice(seed))
        session.run()
        found += [step.table for step in session.history]
    return found


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1, plies=0)


def test_the_levels() -> None:
    assert list(LEVELS) == NAMES
    levels = list(LEVELS.values())
    assert [level.pr for level in levels] == [30, 20, 12, 7, 4, 2]
    for weak, strong in pairwise(levels):
        assert weak.gross > strong.gross
        assert weak.slight > strong.slight
        assert weak.plies <= strong.plies
    assert get_level("World-Class") is LEVELS["world class"]
    with pytest.raises(SettingsError, match="level must be one of beginner, casual"):
        get_level("god")
    for wrong in ({"careless": 1.1}, {"gross": -1}, {"plies": 5}, {"pr": "x"}, {"name": 1}):
        with pytest.raises(SettingsError, match=next(iter(wrong))):
            replace(LEVELS["casual"], **wrong)  # type: ignore[arg-type]


def test_weaker_levels_lose_more(tables: list[Table], engine: Engine) -> None:
    """And what they find best less often; each level nearly as it should, judged by what it errs from."""
    played = [table for table in tables if table.phase is Phase.PLAY and len(table.legal().plays) > 1]
    requests = [PlayRequest(table.position, table.state.dice or (1, 1), table.state) for table in played]
    ranked = engine.rank_plays_many(requests, count=None)
    lost: list[float] = []
    found: list[float] = []
    for level in LEVELS.values():
        losses = [
            Errors(level, seed).chosen(request.position, request.dice, plays).equity_loss
            for seed in range(4)
            for request, plays in zip(requests, ranked, strict=True)
        ]
        lost.append(500 * float(np.mean(losses)))
        found.append(float(np.mean(np.array(losses) < 1e-4)))
    assert lost == sorted(lost, reverse=True)
    assert found == sorted(found)
    for rating, level in zip(lost, LEVELS.values(), strict=True):
        assert 0.3 * level.pr < rating < 1.6 * level.pr
    # People find most plays: a beginner about half of them, an expert three of four.
    assert 0.35 < found[0] < 0.65
    assert 0.65 < found[4] < 0.92


def test_errors_follow_from_position_and_seed(tables: list[Table], engine: Engine) -> None:
    table = next(each for each in tables if len(each.legal().plays) > 10)
    dice = table.state.dice
    assert dice is not None
    plays = engine.best_plays(table.position, dice, match=table.state)
    chosen = {seed: Errors(LEVELS["beginner"], seed).chosen(table.position, dice, plays) for seed in range(30)}
    assert len({each.play.result for each in chosen.values()}) > 1
    for seed, play in chosen.items():
        # The order in which plays come does not matter.
        again = Errors(LEVELS["beginner"], seed).chosen(table.position, dice, plays[::-1])
        assert again.play.result == play.play.result
    clear = Level("clear", 0, 0, 0, 0, 0)
    best = max(plays, key=lambda play: 0.8 * play.cubeful_equity + 0.2 * play.cubeless_equity)
    assert Errors(clear).chosen(table.position, dice, plays) == best


def test_so_many_decisions_are_careless(tables: list[Table]) -> None:
    for level in LEVELS.values():
        errors = Errors(level, 3)
        seen = [errors._deviation(table.position, salt) for table in tables[:150] for salt in (9, 10, 11, 12)]
        assert set(seen) == {level.gross, level.slight}
        assert np.mean(np.array(seen) == level.gross) == pytest.approx(level.careless, abs=0.07)
    deviates = Errors(LEVELS["casual"])._normal(starts(3, np.arange(2000)), 1)
    assert abs(deviates.mean()) < 0.1
    assert deviates.std() == pytest.approx(1, abs=0.1)


def test_cubes_are_misjudged_too(engine: Engine) -> None:
    """Around what is right: near a take point some seeds take and some pass, far from it all do the same."""
    race = Position.from_id("Xes6AABuuzUAAA")
    state = MatchState(jacoby=False)
    cube = engine.cube_action(race, match=state)
    level = LEVELS["casual"]
    seen = np.array([Errors(level, seed).seen(cube) for seed in range(300)])
    assert seen.mean(axis=0) == pytest.approx([cube.no_double, cube.double_take], abs=0.03)
    # A double that gains little is missed, one that gains much is not.
    little, much = (np.mean([Errors(level, seed).doubles(each) for seed in range(300)])
                    for each in (cube, replace(cube, double_take=cube.no_double + 0.35)))  # fmt: skip
    assert 0.02 < little < 0.4
    assert 0.6 < much < 1
    assert 0.8 < np.mean([Errors(level, seed).takes(cube) for seed in range(300)]) < 1
    sure = replace(cube, no_double=0.2, double_take=-1.9)
    assert not any(Errors(level, seed).doubles(sure) for seed in range(300))
    assert all(Errors(level, seed).takes(sure) for seed in range(300))
    too_good = replace(cube, no_double=2.5, double_take=3.5)
    assert not any(Errors(level, seed).doubles(too_good) for seed in range(300))
    assert not any(Errors(level, seed).takes(too_good) for seed in range(300))


def test_seats_and_bots_decide_alike(tables: list[Table], engine: Engine) -> None:
    """In matches, with every state of the cube; what a seat adds are resignations."""
    level = LEVELS["casual"]
    seat, bot = LevelSeat(level, seed=11), LevelBot(level, engine, 11)
    asked = {Move: 0, Roll: 0, Double: 0}
    for table in tables[::3]:
        if table.turn is None:
            continue
        act, state = seat.decide(table), CubeState.from_match(table.state)
        one = Asked(kernels.pack(table.position.board[None]), [state], np.zeros(1, dtype=np.int32))
        match act:
            case Move(_, play) if len(table.legal().plays) > 1:
                board = kernels.unpack(bot.plays(one, np.array([table.state.dice], dtype=np.int8)))[0]
                assert play.result == Position.from_board(board)
                asked[Move] += 1
            case Double() | Roll() if Double in table.legal():
                assert bot.doubles(one)[0] == isinstance(act, Double)
                asked[type(act)] += 1
            case Take() | Drop():
                assert bot.takes(one)[0] == isinstance(act, Take)
    assert asked[Move] > 30
    assert asked[Roll] > 3


def test_a_duel_of_levels() -> None:
    lobby = Lobby(threads=1)
    strong, weak = lobby.bot("expert"), lobby.bot("beginner")
    assert (strong.name, weak.name) == ("expert", "beginner")
    assert strong.identity != weak.identity
    duel = Duel((strong, weak), lobby.evaluator("small"), cubeful_money())
    standing = duel.run(StopRule(pairs=12, clear=0))
    assert standing.adjusted.mean > 0.1
