"""Seats of programs: whole matches, sound cube actions, resignations and their answers."""

from __future__ import annotations

import shlex
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime import Engine, kernels
from sixprime.cube.state import CubeState
from sixprime.engine import Preset, RolloutSettings
from sixprime.engine.results import Evaluation
from sixprime.errors import EngineError, SettingsError
from sixprime.game import MatchState, Position
from sixprime.game.acts import Accept, Act, Beaver, Decline, Double, Drop, Move, Opening, Resign, Roll, Take
from sixprime.game.match_rules import Rules
from sixprime.game.record import ActionKind
from sixprime.game.table import Phase, Table
from sixprime.play import Automation, BotSeat, EngineSeat, Person, SeededDice, Session, Waiting
from sixprime.play.resigning import GIVEN_UP
from sixprime.play.seats import check_seat
from sixprime.players import gnubg
from sixprime.players.bot import Asked
from sixprime.players.lobby import Lobby
from sixprime.progress import Stop

FAKE = f"{shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).with_name('fake_ubgi.py')))}"
ONE_GAME = Automation(next_game=False)


def side(*counts: int) -> tuple[int, ...]:
    return (*counts, *(0 for _ in range(25 - len(counts))))


def stop_after(seconds: float) -> threading.Event:
    stop = threading.Event()
    timer = threading.Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    return stop


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1, plies=0)


@pytest.fixture(scope="module")
def seat(engine: Engine) -> EngineSeat:
    return EngineSeat(engine)


@pytest.fixture(scope="module")
def weak() -> EngineSeat:
    return EngineSeat.at("beginner", threads=1)


@pytest.mark.parametrize(
    "rules",
    [
        Rules(length=5),
        Rules(length=3, crawford_rule=False),
        Rules(),
        Rules(jacoby=False, beavers=0, cube_limit=4),
        Rules(cube_limit=1),
        Rules(length=3, variant="nackgammon"),
        Rules(length=5, variant="hypergammon2"),
        Rules(variant="hypergammon2"),
    ],
    ids=str,
)
def test_engines_play_soundly_to_the_end(rules: Rules, seat: EngineSeat, weak: EngineSeat) -> None:
    """Every act of the one is what its engine says; the same seed is the same game."""
    engine, kinds = seat.engine, Counter[type[Act]]()
    for seed in range(3):
        session = Session((seat, weak), rules, dice=SeededDice(seed), automation=ONE_GAME)
        if rules.length:
            session.automation = Automation()
        assert session.run() if rules.length else session.advance()
        assert session.table.phase is (Phase.MATCH_OVER if rules.length else Phase.GAME_OVER)
        table = session.begun
        for step in session.history:
            state, position = table.state, table.position
            if getattr(step.act, "player", 1) == 0 and not step.alone:
                kinds[type(step.act)] += 1
            match step.act:
                case Double(0):
                    assert engine.cube_action(position, match=state).should_double
                case Roll(0) if Double in table.legal():
                    assert not engine.cube_action(position, match=state).should_double
                case (Take(0) | Drop(0) | Beaver(0)) as act if state.beavered == 0:
                    cube = engine.cube_action(position, match=replace(state, doubled=False))
                    assert isinstance(act, Take | Beaver) == cube.should_take
                    assert isinstance(act, Beaver) == cube.should_beaver
                case Move(0, play) if len(table.legal().plays) > 1:
                    assert play == engine.best_plays(position, state.dice or (0, 0), match=state)[0].play
            table = step.table
        again = Session((seat, weak), rules, dice=SeededDice(seed), automation=session.automation)
        again.advance()
        assert again.table == session.table
    assert kinds[Move] > 3


# Cubes


def doubled(position: Position, engine: Engine, rules: Rules, beavers: int = 0) -> Table:
    """A double by player 0, turned back so often."""
    state = replace(Table.new(rules).state, on_roll=0, cube=2, cube_owner=0)
    table = Table.from_position(position, state).apply(Double(0))
    for _ in range(beavers):
        table = table.apply(Beaver(table.turn or 0))
    return table


@pytest.mark.parametrize(
    ("take", "answers"),
    [
        # To the double, the beaver and the raccoon.
        (1.2, (Drop, Beaver, Drop)),
        (0.8, (Take, Beaver, Take)),
        (0.1, (Take, Beaver, Take)),
        (-0.1, (Beaver, Take, Beaver)),
        (-0.9, (Beaver, Take, Beaver)),
        (-1.1, (Beaver, Drop, Beaver)),
        (-2.1, (Take, Drop, Take)),  # to play on for a gammon
        (2.1, (Drop, Take, Drop)),
    ],
)
def test_answers_to_doubles_that_are_turned_back(
    take: float, answers: tuple[type[Act], ...], seat: EngineSeat, monkeypatch: pytest.MonkeyPatch
) -> None:
    cubes: list[int] = []
    judge = seat.engine.cube_action

    def judged(position: Position, *, match: MatchState, plies: int | None = None, stop: Stop) -> object:
        cubes.append(match.cube)
        assert not match.doubled
        return replace(judge(position, match=match), double_take=take)

    monkeypatch.setattr(seat.engine, "cube_action", judged)
    for beavers, answer in enumerate(answers):
        table = doubled(Position.start(), seat.engine, Rules(beavers=3), beavers)
        assert seat.decide(table) == answer(table.turn or 0)
    # What is judged is the cube as it would be.
    assert cubes == [2, 4, 8]
    assert type(seat.decide(doubled(Position.start(), seat.engine, Rules(beavers=0)))) in (Take, Drop)


@pytest.mark.parametrize(("beavers", "answer"), [(3, Decline), (0, Accept)])
def test_a_double_that_would_be_turned_back_is_worth_more(
    beavers: int, answer: type[Act], seat: EngineSeat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has doubled wrongly and resigns for the cube loses less than by playing on."""
    judge = seat.engine.cube_action
    monkeypatch.setattr(seat.engine, "cube_action", lambda *a, **b: replace(judge(*a, **b), double_take=-0.7))
    table = doubled(EVEN, seat.engine, Rules(beavers=beavers))
    assert seat.decide(table.apply(Resign(0, 1))) == answer(1)


# Resignations


LOST = Position(side(2), side(0, 0, 0, 5, 5, 5))
"""The opponent bears off his last two with his next roll."""
GAMMON = Position(side(2), side(*(0 for _ in range(12)), 5, 5, 5))
BACKGAMMON = Position(side(2), side(*(0 for _ in range(20)), 0, 15))
EVEN = Position.start()


def before_the_roll(position: Position, rules: Rules, score: tuple[int, int] = (0, 0), **state: object) -> Table:
    begun = Table.new(rules, score=score).state
    return Table.from_position(position, replace(begun, on_roll=0, **state))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("position", "rules", "score", "state", "value"),
    [
        (LOST, Rules(jacoby=False), (0, 0), {}, 0),  # perhaps a gammon
        (Position(side(2), side(0, 0, 0, 5, 5, 4)), Rules(jacoby=False), (0, 0), {}, 1),
        (GAMMON, Rules(jacoby=False), (0, 0), {}, 2),
        (GAMMON, Rules(), (0, 0), {}, 1),  # Jacoby
        (GAMMON, Rules(), (0, 0), {"cube": 2, "cube_owner": 1}, 2),
        (BACKGAMMON, Rules(jacoby=False), (0, 0), {}, 3),
        (BACKGAMMON, Rules(5), (0, 3), {}, 2),  # as bad as three
        (BACKGAMMON, Rules(5), (4, 4), {}, 1),
        (EVEN, Rules(), (0, 0), {}, 0),
    ],
)
def test_a_lost_game_is_resigned_for_what_it_costs(
    position: Position, rules: Rules, score: tuple[int, int], state: dict[str, object], value: int, seat: EngineSeat
) -> None:
    table = before_the_roll(position, rules, score, **state)
    act = seat.decide(table)
    if value == 0:
        assert not isinstance(act, Resign)
        return
    assert act == Resign(0, value)
    # The same engine accepts that, and declines less; so it does whoever is on roll.
    for less in range(1, value):
        assert seat.decide(table.apply(Resign(0, less))) == Decline(1)
    for more in range(value, 4):
        assert seat.decide(table.apply(Resign(0, more))) == Accept(1)
    # After one is declined more is offered only where that costs nothing more.
    declined = table.apply(Resign(0, value)).apply(Decline(1))
    again = seat.decide(declined)
    assert not isinstance(again, Resign) or rules.length


@pytest.mark.parametrize("plies", [0, 1])
def test_offers_to_resign_in_every_phase(plies: int) -> None:
    seat = EngineSeat(Engine(threads=1, plies=plies))
    opening = Table.new()
    assert seat.decide(opening.apply(Resign(1, 1))) == Accept(0)
    assert seat.decide(opening.apply(Resign(0, 1))) == Accept(1)
    # The winner of a gammon, by whoever it is asked and whether he has rolled or not.
    rules = Rules(jacoby=False)
    for table, loser in (
        (before_the_roll(GAMMON, rules), 0),
        (before_the_roll(GAMMON, rules, dice=(2, 1)), 0),
        (before_the_roll(GAMMON.swapped(), rules), 1),
        (before_the_roll(GAMMON.swapped(), rules, dice=(6, 6)), 1),
    ):
        assert seat.decide(table.apply(Resign(loser, 1))) == Decline(1 - loser)
        assert seat.decide(table.apply(Resign(loser, 2))) == Accept(1 - loser)
        # The winner may give up, too.
        assert seat.decide(table.apply(Resign(1 - loser, 1))) == Accept(loser)
    # Whoever is doubled pays one at least, and the doubler has the more to lose.
    table = doubled(GAMMON.swapped(), seat.engine, rules)
    assert seat.decide(table.apply(Resign(1, 1))) == Accept(0)
    table = doubled(GAMMON, seat.engine, rules)
    assert seat.decide(table.apply(Resign(0, 1))) == Decline(1)
    assert seat.decide(table.apply(Resign(0, 3))) == Decline(1)
    table = doubled(EVEN, seat.engine, rules)
    assert seat.decide(table.apply(Resign(0, 1))) == Accept(1)
    table = doubled(EVEN, seat.engine, rules, beavers=1)
    assert seat.decide(table.apply(Resign(1, 1))) == Accept(0)


def test_weak_levels_resign_by_a_clear_judgement(weak: EngineSeat, monkeypatch: pytest.MonkeyPatch) -> None:
    table = before_the_roll(GAMMON, Rules(jacoby=False))
    assert weak.decide(table) == Resign(0, 2)
    assert weak.engine.level.noise
    seen: list[Evaluation] = []
    evaluate = Engine.evaluate

    def watched(engine: Engine, *arguments: object, **options: object) -> Evaluation:
        assert not engine.level.noise
        seen.append(evaluate(engine, *arguments, **options))  # type: ignore[arg-type]
        return seen[-1]

    monkeypatch.setattr(Engine, "evaluate", watched)
    assert weak.decide(before_the_roll(EVEN, Rules())) == Roll(0)
    assert len(seen) == 1


def test_a_second_seat_of_a_weak_level_makes_no_second_clear_engine(
    weak: EngineSeat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sixprime.play.seats.Engine", None)
    again = EngineSeat(weak.engine)
    assert again.decide(before_the_roll(GAMMON, Rules(jacoby=False))) == Resign(0, 2)


def test_what_is_given_up_by_resigning_is_little(seat: EngineSeat) -> None:
    """Over whole games: never more than the limit, by a deeper judgement."""
    deep = Engine(threads=1, plies=1)
    resigned = 0
    for seed in range(12):
        session = Session((seat, seat), Rules(jacoby=False), dice=SeededDice(seed), automation=ONE_GAME)
        session.advance()
        table = session.begun
        for step in session.history:
            if isinstance(step.act, Resign):
                resigned += 1
                worth = deep.cube_action(table.position, match=table.state).optimal
                assert worth + step.act.value < 10 * GIVEN_UP
                assert isinstance(session.history[-1].act, Accept)
            table = step.table
    assert resigned > 2


# Bots


def test_bots_sit_at_sessions(engine: Engine) -> None:
    ours = BotSeat(Lobby(threads=1).bot("standard@0"), engine, "ours")
    session = Session((ours, ours), Rules(5), dice=SeededDice(3))
    assert session.run() is Waiting.NOTHING
    kinds = Counter(action.kind for game in session.table.record().games for action in game.actions)
    assert kinds[ActionKind.DOUBLE] > 0
    assert session.table.names == ("ours", "ours")
    # It takes when its double is turned back.
    assert ours.decide(doubled(EVEN, engine, Rules(), beavers=1)) == Take(0)
    slow = Slow()
    slow.done.set()
    assert BotSeat(slow, engine).decide(doubled(EVEN, engine, Rules())) == Drop(1)
    assert BotSeat(slow, engine).decide(doubled(EVEN, engine, Rules(), beavers=1)) == Take(0)
    table = before_the_roll(GAMMON, Rules(jacoby=False))
    assert ours.decide(table) == Resign(0, 2)
    assert ours.decide(table.apply(Resign(0, 1))) == Decline(1)
    assert ours.decide(Table.new()) is None
    with pytest.raises(SettingsError, match="ours plays games of 15 chequers a side, not of 3"):
        Session((ours, ours), Rules(variant="hypergammon3")).run()


class Slow:
    """A bot that thinks until it is told to have done."""

    name = identity = "slow"
    room, waits = 1, True

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.done = threading.Event()

    def check(self, state: CubeState) -> None:
        pass

    def close(self) -> None:
        pass

    def plays(self, asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        self.asked.append(asked)
        assert self.done.wait(30)
        if len(self.asked) == 3:
            raise EngineError("slow has ended (exit status 1).")
        results, offsets = kernels.legal_plays(asked.boards, dice)
        return kernels.swap(results[offsets[:-1]])

    def doubles(self, asked: Asked) -> NDArray[np.bool_]:
        assert self.done.is_set()
        return np.zeros(1, dtype=np.bool_)

    takes = doubles


def test_a_bot_that_cannot_be_stopped_is_not_waited_for(engine: Engine) -> None:
    bot = Slow()
    seat = BotSeat(bot, engine)
    session = Session((seat, seat), Table.new().apply(Opening((3, 1))))
    for _ in range(3):
        stop = stop_after(0.05)
        begun = time.monotonic()
        assert session.advance(stop) is Waiting.STOPPED
        assert time.monotonic() - begun < 5
    # What it thinks about is not asked again, nor anything else meanwhile.
    session.submit(Move(0, session.table.legal().plays[0]))
    assert session.advance(stop_after(0.05)) is Waiting.STOPPED
    session.undo()
    assert len(bot.asked) == 1
    bot.done.set()
    with pytest.raises(EngineError, match="exit status 1"):
        session.run()
    assert [type(step.act) for step in session.history] == [Move, Roll, Move, Roll]
    assert len(bot.asked) == 3


def test_a_ubgi_engine_sits_at_a_session(engine: Engine) -> None:
    bot = Lobby(threads=1).bot(f"ubgi:{FAKE}")
    try:
        seat = BotSeat(bot, engine)
        session = Session((seat, Person("Ann")), Rules(cube_limit=1), dice=SeededDice(2))
        for _ in range(10):
            assert session.advance() is Waiting.SEAT
            session.submit(Move(1, session.table.legal().plays[0]))
        assert sum(isinstance(step.act, Move) for step in session.history) > 18
        with pytest.raises(SettingsError, match="cubeless money games only"):
            Session((seat, seat), Rules(3)).run()
    finally:
        bot.close()


def test_gnu_backgammon_sits_at_a_session(engine: Engine) -> None:
    try:
        gnubg.find()
    except EngineError:
        pytest.skip("GNU Backgammon is not installed")
    bot = gnubg.GnubgBot(0, processes=1)
    try:
        session = Session((BotSeat(bot, engine), EngineSeat(engine)), Rules(3), dice=SeededDice(1))
        assert session.run() is Waiting.NOTHING
    finally:
        bot.close()


def test_a_level_by_its_name() -> None:
    seat = EngineSeat.at("roller", threads=1, name="Roller")
    table = Table.new().apply(Opening((3, 1)))
    assert isinstance(seat.decide(table), Move)
    assert (seat.name, EngineSeat.at("expert", threads=1).name) == ("Roller", "Sixprime expert")
    assert seat.decide(Table.new()) is None
    with pytest.raises(SettingsError, match="level"):
        EngineSeat.at("god")


def test_an_engine_that_thinks_for_long_is_stopped() -> None:
    endless = Preset("endless", 0, rollout=RolloutSettings(trials=1_000_000))
    seat = EngineSeat.at(endless, threads=1)
    # Two plays are nearly the same.
    session = Session((seat, seat), Table.new().apply(Opening((2, 1))))
    assert session.advance(stop_after(0.2)) is Waiting.STOPPED
    assert not session.history
    runner = threading.Thread(target=session.run, daemon=True)
    runner.start()
    # Somebody gives up meanwhile; nobody wants to know the best play any more.
    session.seats = (Person("Ann"), Person("Bob"))
    session.submit(Resign(0, 1))
    session.close()
    runner.join(30)
    assert not runner.is_alive()


@pytest.mark.parametrize(
    "text",
    [
        "person",
        "beginner",
        "beginner:7",
        "grandmaster",
        "small@1",
        "standard",
        "gnubg",
        "gnubg@2",
        "ubgi:./x",
        "external:h:1",
    ],
)
def test_texts_that_can_be_seats(text: str) -> None:
    check_seat(text)


@pytest.mark.parametrize("text", ["", "nobody", "external:", "external:h:0", "small@nothing", "gnubg@x", "ubgi:"])
def test_texts_that_cannot(text: str) -> None:
    with pytest.raises(SettingsError):
        check_seat(text)
