"""Hints and the tutor: what acts lose, before they count."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from sixprime import Engine
from sixprime.analysis.analyse import analyse
from sixprime.analysis.thresholds import Skill, Thresholds
from sixprime.engine import PlayAnalysis
from sixprime.errors import RulesError, SettingsError, StoppedError
from sixprime.game import MatchState, Position
from sixprime.game.acts import Accept, Beaver, Decline, Double, Drop, Move, Opening, Resign, Roll, Take
from sixprime.game.match_rules import Rules
from sixprime.game.table import Phase, Table
from sixprime.play import (
    Adviser,
    Choice,
    EngineSeat,
    EventKind,
    ListedDice,
    Person,
    SeededDice,
    Session,
    Tutor,
    Waiting,
)

PEOPLE = (Person("Ann"), Person("Bob"))
RACE = Position.from_id("Xes6AABuuzUAAA")  # double, take
BEHIND = RACE.swapped()  # no double, beaver


@pytest.fixture(scope="module")
def adviser() -> Adviser:
    return Adviser(Engine(threads=1, plies=0))


def at(position: Position, state: MatchState, *acts: object) -> Table:
    table = Table.from_position(position, state, ("Ann", "Bob"))
    for act in acts:
        table = table.apply(act)  # type: ignore[arg-type]
    return table


def test_plays_are_ranked_as_the_engine_ranks_them(adviser: Adviser) -> None:
    table = Table.new(Rules(5)).apply(Opening((3, 1)))
    hint = adviser.hint(table)
    ranked = adviser.engine.best_plays(table.position, (3, 1), match=table.state)
    assert hint.choice is Choice.PLAY
    assert (hint.player, hint.cube, len(hint.options)) == (0, None, 16)
    assert [option.words for option in hint.options] == [str(play.play) for play in ranked]
    for option, play in zip(hint.options, ranked, strict=True):
        assert isinstance(option.analysis, PlayAnalysis)
        assert (option.equity, option.loss) == pytest.approx((play.equity, play.equity_loss), abs=1e-6)
    assert hint.best.words == "8/5 6/5"
    assert all(option.act in table.legal() for option in hint.options)


@pytest.mark.parametrize("rules", [Rules(5), Rules(), Rules(3, crawford_rule=False)], ids=str)
def test_judgements_are_those_of_the_analysis(rules: Rules, adviser: Adviser) -> None:
    """The error of every act of a whole game is what `analyse` says of its record, in equity and in match chances."""
    weak = EngineSeat.at("beginner", threads=1)
    session = Session((weak, weak), rules, dice=SeededDice(7))
    while session.table.phase is not Phase.MATCH_OVER and session.table.game.number < 3:
        if session.advance(_after(session, 40)) in (Waiting.NOTHING, Waiting.NEXT_GAME):
            break
    match = session.record()
    judged: dict[tuple[int, int, Choice], tuple[float, float | None]] = {}
    table = session.begun
    for step in session.history:
        found = adviser.judge(table, step.act)
        if found is not None and not isinstance(step.act, Resign):
            place = len(step.table.game.actions) - 1
            judged[step.table.game.number, place, found.hint.choice] = found.loss, found.option.loss_mwc
        table = step.table
    kinds = {"play": Choice.PLAY, "double": Choice.DOUBLE, "take": Choice.TAKE}
    compared = 0
    for decision in analyse(match, adviser.engine, plies=0).decisions:
        key = match.games[decision.game].number, decision.action, kinds[decision.kind.value]
        if decision.forced or key not in judged or (decision.state.doubled and decision.state.beavered):
            continue
        loss, chance = judged[key]
        assert loss == pytest.approx(decision.error, abs=2e-6)
        if rules.length:
            assert chance == pytest.approx(decision.error_mwc, abs=2e-6)
        compared += 1
    assert compared > 40


def _after(session: Session, acts: int) -> threading.Event:
    """Set once so many more acts were done."""
    stop, limit = threading.Event(), len(session.history) + acts
    session.watch(lambda event, table: stop.set() if event.number >= limit else None)
    return stop


def test_the_answer_to_a_double(adviser: Adviser) -> None:
    table = at(BEHIND, MatchState(jacoby=False, on_roll=0), Double(0))
    hint = adviser.hint(table)
    assert hint.choice is Choice.TAKE
    assert hint.player == 1
    assert hint.cube is not None
    assert {option.words for option in hint.options} == {"Take", "Pass", "Beaver"}
    values = {option.words: option.equity for option in hint.options}
    assert values == pytest.approx({"Take": -hint.cube.double_take, "Pass": -1, "Beaver": -2 * hint.cube.double_take})
    assert (hint.best.act, hint.best.loss) == (Beaver(1), 0)
    judgement = adviser.judge(table, Drop(1))
    assert judgement is not None
    assert (judgement.skill, judgement.loss) == (Skill.VERY_BAD, pytest.approx(1 - 2 * hint.cube.double_take))
    turned = table.apply(Beaver(1))
    # Whoever doubled has the same choice, for twice as much, and has what the other gained.
    again = {option.words: option.equity for option in adviser.hint(turned).options}
    taken = adviser.engine.cube_action(BEHIND, match=MatchState(jacoby=False, cube=2, on_roll=0)).double_take
    assert again == pytest.approx({"Take": taken, "Pass": -1, "Raccoon": 2 * taken})


def test_resignations_are_judged(adviser: Adviser) -> None:
    table = at(RACE, MatchState(jacoby=False, on_roll=0))
    judgement = adviser.judge(table, Resign(0, 1))
    assert judgement is not None
    assert judgement.hint.choice is Choice.RESIGN
    assert [option.words for option in judgement.hint.options] == ["Play on", "Resign a single game"]
    assert judgement.loss > 1
    offered = table.apply(Resign(0, 1))
    hint = adviser.hint(offered)
    assert (hint.choice, hint.player, hint.best.act) == (Choice.ACCEPT, 1, Accept(1))
    declined = adviser.judge(offered, Decline(1))
    assert declined is not None
    assert declined.skill is Skill.VERY_BAD


def test_nothing_to_decide(adviser: Adviser) -> None:
    with pytest.raises(RulesError, match="nothing to decide: the table waits for opening"):
        adviser.hint(Table.new())
    assert adviser.judge(Table.new(), Opening((3, 1))) is None
    stop = threading.Event()
    stop.set()
    deep = Adviser(Engine(threads=1, plies=2))
    with pytest.raises(StoppedError):
        deep.hint(Table.new().apply(Opening((2, 1))), stop=stop)
    for wrong in ({"skill": 0}, {"skill": 4}, {"chequer": 1}, {"adviser": None}):
        with pytest.raises(SettingsError, match=next(iter(wrong))):
            Tutor(**({"adviser": adviser} | wrong))  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="engine"):
        Adviser(None)  # type: ignore[arg-type]


def test_a_play_is_judged_as_deeply_as_the_best() -> None:
    """Also one that the filter drops."""
    adviser = Adviser(Engine(threads=1, plies=2))
    table = Table.new().apply(Opening((6, 5)))
    worst = adviser.engine.best_plays(table.position, (6, 5), plies=0)[-1]
    judgement = adviser.judge(table, Move(0, worst.play))
    assert judgement is not None
    found = judgement.option.analysis
    assert found is not None
    assert (found.play.result, found.plies) == (worst.play.result, 2)


# The tutor at a session


def tutored(adviser: Adviser, journal: Path | None = None, **options: object) -> Session:
    tutor = Tutor(adviser, **options)  # type: ignore[arg-type]
    session = Session(PEOPLE, Rules(3), dice=ListedDice("316452" * 9), tutor=tutor, journal=journal)
    session.advance()
    return session


def test_the_tutor_warns_before_an_error_counts(adviser: Adviser, tmp_path: Path) -> None:
    session = tutored(adviser, tmp_path / "journal")
    heard = []
    session.watch(lambda event, table: heard.append(event))
    blunder = session.table.move("24/20")
    warning = session.submit(blunder)
    assert warning is not None
    assert (warning.number, warning.player, warning.choice) == (1, 0, Choice.PLAY)
    assert (warning.words, warning.better, warning.skill) == ("24/20", "8/5 6/5", Skill.VERY_BAD)
    assert warning.loss > 0.12
    assert (len(session.history), session.table.phase) == (1, Phase.PLAY)
    assert [(event.kind, event.warning) for event in heard] == [(EventKind.WARNED, warning)]
    assert session.heeded(warning) is None
    # Rethought, and a hint asked for.
    assert session.submit(session.table.move(session.hint().best.words)) is None
    assert session.heeded(warning) is True
    session.undo()
    assert session.submit(blunder, anyway=True) is None
    assert session.heeded(warning) is False
    assert session.warnings == (warning,)
    session.close()
    again = Session.resume(tmp_path / "journal")
    assert (again.warnings, again.table) == ((warning,), session.table)
    assert again.heeded(warning) is False
    with pytest.raises(SettingsError, match="nobody who gives hints"):
        again.hint()


def test_what_the_tutor_looks_at(adviser: Adviser) -> None:
    blunder = "24/20"
    for options, warned in (
        ({}, True),
        ({"skill": Skill.VERY_BAD}, True),
        ({"chequer": False}, False),
        ({"cube": False}, True),
    ):
        session = tutored(adviser, **options)
        assert (session.submit(session.table.move(blunder)) is not None) is warned
    mild = Adviser(adviser.engine, Thresholds(doubtful=0.5, bad=0.6, very_bad=0.7))
    assert tutored(mild).submit(tutored(mild).table.move(blunder)) is None
    session = tutored(adviser)
    session.submit(session.table.move("8/5 6/5"))
    # To double at once is an error; to resign is one, too.
    warning = session.submit(Double(1))
    assert warning is not None
    assert (warning.choice, warning.words, warning.better) == (Choice.DOUBLE, "Double", "No double")
    resigned = session.submit(Resign(1, 1))
    assert resigned is not None
    assert (resigned.choice, resigned.better) == (Choice.RESIGN, "Play on")
    assert session.submit(Double(1), anyway=True) is None
    passed = session.submit(Drop(0))
    assert passed is not None
    assert (passed.words, passed.better) in (("Pass", "Beaver"), ("Pass", "Take"))
    assert len(session.warnings) == 3
    session.tutor = None
    assert session.submit(Take(0)) is None
    with pytest.raises(RulesError, match="cannot take"):
        session.submit(Take(0))


def test_a_missed_double_is_warned_of() -> None:
    adviser = Adviser(Engine(threads=1, plies=0, cube_model="gnubg-1.07"))
    strong = replace(MatchState(jacoby=False, on_roll=0), cube=1)
    session = Session(PEOPLE, at(RACE, strong), dice=SeededDice(1), tutor=Tutor(adviser))
    cube = adviser.engine.cube_action(RACE, match=strong)
    assert 0.01 < cube.optimal - cube.no_double < 0.03
    session.tutor = Tutor(Adviser(adviser.engine, Thresholds(doubtful=0.01)))
    warning = session.submit(Roll(0))
    assert warning is not None
    assert (warning.words, warning.better) == ("No double", "Double")
    session.tutor = Tutor(adviser)
    assert session.submit(Roll(0)) is None
    session.close()
    with pytest.raises(RulesError, match="closed"):
        session.submit(Roll(0))


def test_the_tutor_holds_up_no_match_that_it_cannot_judge(adviser: Adviser) -> None:
    session = Session(PEOPLE, Rules(65), dice=ListedDice("316452"), tutor=Tutor(adviser))
    session.advance()
    assert session.submit(session.table.move("24/20")) is None
    assert session.table.turn == 1


def test_something_else_is_done_while_the_tutor_thinks(adviser: Adviser, monkeypatch: pytest.MonkeyPatch) -> None:
    session = tutored(adviser)
    best = session.table.move("8/5 6/5")
    judge = Adviser.judge

    def slow(self: Adviser, *arguments: object, **options: object) -> object:
        session.submit(best, anyway=True)
        return judge(self, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Adviser, "judge", slow)
    with pytest.raises(RulesError, match="meanwhile"):
        session.submit(best)
    assert len(session.history) == 2
