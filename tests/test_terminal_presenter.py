"""What a person at the terminal sees, is asked and can say."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import chain, permutations, product, repeat
from pathlib import Path

import pytest
from terminal_play import Chance, Quiet, at_table, said

from sixprime import formats
from sixprime.engine import Engine
from sixprime.game.acts import Double, Resign
from sixprime.game.match_rules import Rules
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.game.table import Phase, Table
from sixprime.play import Adviser, Automation, Clock, ListedDice, ManualDice, Person, SeededDice, Session, Tutor
from sixprime.terminal.board import BAR, CUBE, DICE, OFF, TOP_BAR, place_of
from sixprime.terminal.commands import HELP, command_of
from sixprime.terminal.presenter import Presenter
from sixprime.terminal.scene import Leave, Look

MONEY = Rules(0)


def commands(presenter: Presenter) -> list[str]:
    return [choice.command for choice in presenter.choices]


@pytest.fixture(scope="module")
def adviser() -> Adviser:
    return Adviser(Engine(plies=0, threads=1))


@pytest.mark.parametrize("seed", range(4))
def test_whole_matches_by_what_is_offered(seed: int) -> None:
    chance = random.Random(seed)
    presenter = at_table(Rules(3), dice=SeededDice(seed), seats=(Person("Ann"), Chance(seed)))
    for _ in range(3000):
        table = presenter.table
        if table.phase is Phase.MATCH_OVER:
            break
        presenter.shown()
        entry = presenter.entry
        offered = [each for each in commands(presenter) if each not in ("quit", "help", "hint", "undo", "resign")]
        if entry is not None and not entry.done:
            # Chequer by chequer, by clicks and words.
            start = chance.choice(entry.starts)
            end = chance.choice(list(entry.targets(start)))
            presenter.click(start)
            presenter.click(end)
            assert presenter.entry is not None
            assert presenter.entry.moves
        elif entry is not None:
            presenter.say(chance.choice(["", str(entry.play) or "play", "play"]))
        else:
            presenter.say(chance.choice(offered) if chance.random() < 0.95 else "resign 3")
        presenter.session.advance()
    assert presenter.table.phase is Phase.MATCH_OVER
    assert presenter.prompt.split(", ")[0].endswith("the match")
    assert Table.from_record(presenter.session.record()).score == presenter.table.score


def test_a_play_by_clicks() -> None:
    presenter = at_table(MONEY, dice="31")
    assert presenter.prompt == "You have 3-1 to play."
    assert presenter.shown().starts == [24, 13, 8, 6]
    presenter.click(8)
    assert sorted(presenter.shown().targets) == [4, 5, 7]
    presenter.click(5)
    assert presenter.shown().dice == ((3, True), (1, False))
    assert presenter.prompt == "You have 3-1 to play. 8/5, left 1"
    presenter.say("back")
    assert presenter.shown().dice == ((3, False), (1, False))
    presenter.click(DICE)
    assert presenter.shown().dice == ((1, False), (3, False))
    # Twice, or at once, by the first die; clicks elsewhere put the chequer back.
    presenter.click(6)
    presenter.click(20)
    assert presenter.chosen is None
    presenter.click(6)
    presenter.click(6)
    presenter.click(8, quick=True)
    assert presenter.pips == (163, 167)
    assert presenter.prompt == "1-3: 8/5 6/5. Enter plays it."
    assert commands(presenter)[:2] == ["play", "back"]
    presenter.click(DICE)
    assert presenter.table.game.actions[-1].play is not None
    assert presenter.lines[-1] == "Ann plays 8/5 6/5."


def test_a_chequer_is_dragged() -> None:
    presenter = at_table(MONEY, dice="31")
    presenter.click(24)
    presenter.drop_at(24)
    assert presenter.chosen == 24
    presenter.drop_at(20)
    assert presenter.entry is not None
    assert presenter.entry.done


@pytest.mark.parametrize("text", ["8/5 6/5", "8 5 6 5", "8 6", "31: 8/5 6/5", "6/5 8/5"])
def test_a_play_is_typed(text: str) -> None:
    presenter = at_table(MONEY, dice="3154")
    assert said(presenter, text)[0] == "Ann plays 8/5 6/5."


def test_a_play_is_typed_bit_by_bit() -> None:
    presenter = at_table(MONEY, dice="3154")
    assert said(presenter, "8/5") == []
    assert presenter.prompt == "You have 3-1 to play. 8/5, left 1"
    assert said(presenter, "6/1") == ["No legal play moves a chequer from 6 to 1; it can go to 5."]
    assert said(presenter, "6/5")[0] == "Ann plays 8/5 6/5."


def test_what_cannot_be_is_said_in_one_line() -> None:
    presenter = at_table(MONEY, dice="315466")
    table = presenter.table
    for text, answer in (
        ("play", "The play is not finished after 0 of the dice: there are 2 left."),
        ("8/3", "'8/3' is no legal play of 3-1: the nearest of 16 is 8/4."),
        ("roll", "cannot roll now"),
        ("take", "cannot take now"),
        ("anyway", "The tutor has not warned of anything."),
        ("sing", "'sing' says nothing here; help lists what does."),
        ("resign 4", "Resign a single game, a gammon or a backgammon; found '4'."),
        ("auto fly", "Auto roll, forced, bearoff, next, with on or off; found 'fly'."),
        ("hint", "There is nobody at this table who gives hints."),
        ("hint 0", "Hint takes a number from 1 to 1000, such as hint 5; found '0'."),
        ("hint x", "Hint takes a number from 1 to 1000, such as hint 5; found 'x'."),
        (f"cheat me {'9' * 5000}", "Cheat me or you, with 1 (the best roll) to 21, or cheat off; found 'me 9999999"),
        (f"back {'9' * 5000}", "No chequer has been moved yet."),
        ("save", "Save needs the name of a file, such as save game.mat."),
        ("save game.xyz", "No format has files that end in '.xyz'"),
        ("opponent nobody", "A seat is one of beginner, "),
        ("opponent person", "Two people play a game of their own: sixprime play person."),
        ("tutor loud", "Tutor on or tutor off; found 'loud'."),
        ("analyse", "There is nothing to analyse yet."),
        ("undo", "There is nothing to take back."),
    ):
        (line,) = said(presenter, text)
        assert answer in line, text
        assert presenter.table is table
    presenter.click(TOP_BAR)
    presenter.click(None)
    assert presenter.table is table


def test_a_play_without_dice() -> None:
    both = at_table(MONEY, dice="3154", seats=(Person("Ann"), Person("Cleo")))
    said(both, "8/5 6/5")
    assert said(both, "8/5") == ["There are no dice to play; roll first."]
    both.session.submit(Double(1))
    assert said(both, "8/5") == ["The double waits for an answer: take or pass."]
    resigned = at_table(MONEY, dice="3154", seats=(Person("Ann"), Person("Cleo")))
    resigned.session.submit(Resign(0, 1))
    assert said(resigned, "8/5 6/5") == ["The resignation waits for an answer: accept or decline."]
    over = at_table(MONEY, dice="3154", automation=Automation(next_game=False))
    said(over, "resign 1", "8/5")
    assert over.lines[-1] == "It is not your turn: nobody is to act."


def test_commands_by_their_beginnings() -> None:
    assert [command_of(word) for word in ("r", "do", "drop", "redouble", "reject", "q", "?", "previous", "sw")] == [
        *("roll", "double", "pass", "redouble", "decline", "quit", "help", "undo", "swap")
    ]
    assert command_of("xyz") is None


def test_the_cube() -> None:
    presenter = at_table(MONEY, dice="3154666611", seats=(Person("Ann"), Quiet()))
    said(presenter, "8/5 6/5")
    assert presenter.prompt == "It is your turn: roll or double."
    assert commands(presenter)[:2] == ["roll", "double"]
    presenter.click(CUBE)
    presenter.session.advance()
    assert presenter.lines[-3:-1] == ["Ann doubles to 2.", "Bob takes; the cube is at 2."]
    shown = presenter.shown()
    assert (shown.cube, shown.cube_at) == (2, -1)
    # The opponent doubles a person: both are asked in turn.
    both = at_table(MONEY, dice="3154", seats=(Person("Ann"), Person("Cleo")))
    said(both, "8/5 6/5", "double")
    assert both.prompt == "Cleo doubles to 2: take, beaver or pass?"
    assert commands(both)[:3] == ["take", "pass", "beaver"]
    assert (both.shown().cube, both.shown().offered) == (2, True)
    said(both, "redouble")
    assert both.prompt == "Ann beavers to 4: take, raccoon or pass?"
    assert both.choices[2].words == "raccoon"
    said(both, "no")
    assert both.table.score == (2, 0)


def test_a_double_that_is_offered_is_not_doubled_again_by_its_name() -> None:
    both = at_table(MONEY, dice="3154", seats=(Person("Ann"), Person("Cleo")))
    said(both, "8/5 6/5", "beaver")
    assert both.table.phase is Phase.ROLL
    said(both, "d")
    assert both.table.phase is Phase.DOUBLED
    said(both, "d")
    assert both.table.state.beavered == 0
    said(both, "b")
    assert both.table.state.beavered == 1
    said(both, "t")
    both.session.submit(Resign(1, 1))
    assert said(both, "d")[0] == "Ann declines."


def test_undo_shows_the_board_of_before() -> None:
    presenter = at_table(MONEY, dice="3154", seats=(Person("Ann"), Person("Cleo")))
    before = presenter.shown()
    said(presenter, "8/5 6/5", "undo")
    assert presenter.shown() == before
    assert presenter.prompt.endswith("3-1 to play.")


def test_two_people_take_plays_back_past_rolls_that_come_by_themselves() -> None:
    presenter = at_table(Rules(1), dice="315462", seats=(Person("Ann"), Person("Cleo")))
    said(presenter, "8/5 6/5", "13/8 13/9")
    assert presenter.prompt == "Ann has 6-2 to play."
    for prompt in ("Cleo has 5-4 to play.", "Ann has 3-1 to play."):
        said(presenter, "undo")
        assert presenter.prompt == prompt
    assert said(presenter, "undo")[0] == "There is nothing to take back."


def test_notes_are_added_and_taken_back() -> None:
    presenter = at_table(MONEY, dice="3154", seats=(Person("Ann"), Person("Cleo")))
    assert said(presenter, "8/5 6/5", "note")[-1] == "Note needs a text, such as note a bold play."
    said(presenter, "note First", "note Second")
    assert presenter.session.history[-1].comment == "First\nSecond"
    assert said(presenter, "note") == ["Taken back: First Second"]
    assert presenter.session.history[-1].comment == ""


def test_resigning_is_asked() -> None:
    presenter = at_table(MONEY, dice="3154")
    presenter.say("resign")
    assert presenter.prompt == "How much do you resign?"
    assert [choice.words for choice in presenter.choices] == ["single game", "gammon", "backgammon", "play on"]
    presenter.say("no")
    assert not presenter.resigning
    lines = said(presenter, "resign gammon")
    assert lines[:3] == ["Ann offers to resign a gammon.", "Bob accepts.", "Bob wins 2 points: 2-0."]
    # By their numbers, too.
    presenter = at_table(MONEY, dice="3154")
    assert said(presenter, "resign", "2")[0] == "Ann offers to resign a gammon."
    # The other way round: the opponent's offer.
    both = at_table(MONEY, dice="3154", seats=(Person("Ann"), Person("Cleo")))
    both.session.submit(Resign(1, 1))
    assert both.prompt == "Cleo resigns a single game, 1 point: accept?"
    assert said(both, "no")[0] == "Ann declines."
    both.session.submit(Resign(1, 2))
    assert said(both, "n")[0] == "Ann declines."
    both.session.submit(Resign(1, 3))
    assert said(both, "yes")[:2] == ["Ann accepts.", "Ann wins 3 points: 3-0."]


def test_nothing_more_can_be_resigned() -> None:
    both = at_table(MONEY, dice="3154", seats=(Person("Ann"), Person("Cleo")))
    assert "resign" in commands(both)
    said(both, "resign 3", "decline")
    assert "resign" not in commands(both)
    assert said(both, "resign") == ["There is nothing to resign now."]
    assert not both.resigning


def test_one_who_is_called_you() -> None:
    presenter = at_table(MONEY, dice="3154", seats=(Person("You"), Quiet()))
    assert presenter.lines[0] == "You throw 3, Bob 1. You begin."
    assert said(presenter, "8/5 6/5")[0] == "You play 8/5 6/5."
    presenter = at_table(MONEY, dice="3154", seats=(Person("You"), Person("Guest")))
    assert presenter.prompt == "You have 3-1 to play."


def test_taking_back_and_doing_again() -> None:
    presenter = at_table(MONEY, dice="3154" + "62" * 20)
    said(presenter, "8/5 6/5")
    after = presenter.table
    said(presenter, "undo")
    assert presenter.table.phase is Phase.PLAY
    assert presenter.lines[-1] == "Taken back."
    said(presenter, "redo")
    assert presenter.table.phase is Phase.ROLL
    assert presenter.table.position == after.position


def test_dice_by_hand() -> None:
    presenter = at_table(MONEY, dice=ManualDice(), seats=(Person("Ann"), Person("Cleo")))
    assert presenter.prompt == "Type the first dice: that of Ann, then that of Cleo."
    for text in ("5", "double", "24/21 13/11", "roll"):
        (line,) = said(presenter, text)
        assert line == "The first dice come before everything else: type one of each player, such as 31."
    said(presenter, "3 1", "8/5 6/5")
    assert presenter.prompt == "Type the dice of Cleo, such as 31, or double."
    assert "roll" not in commands(presenter)
    # Enter alone turns no cube.
    assert said(presenter, "", "") == []
    assert presenter.table.phase is Phase.ROLL
    assert said(presenter, "roll 7") == ["Dice are two digits from 1 to 6, such as 31; found '7'."]
    said(presenter, "roll 66")
    assert presenter.table.state.dice == (6, 6)
    assert presenter.shown().downwards
    assert len(presenter.shown().dice) == 4


def test_who_sits_at_the_top_counts_from_there() -> None:
    presenter = at_table(MONEY, dice="3154", seats=(Person("Ann"), Person("Cleo")))
    said(presenter, "8/5 6/5", "roll")
    shown = presenter.shown()
    assert shown.downwards
    assert shown.dice_top
    assert set(shown.starts) <= {place_of(point, top=True) for point in range(1, 26)}
    presenter.click(place_of(13, top=True))
    assert presenter.shown().targets == [place_of(point, top=True) for point in (8, 9, 4)]
    assert place_of(BAR, top=True) == TOP_BAR
    assert place_of(OFF, top=False) == OFF


def test_the_tutor(adviser: Adviser) -> None:
    presenter = at_table(MONEY, dice="31" + "54" * 20)
    presenter.make_adviser, presenter.make_tutor = lambda: adviser, Tutor
    assert said(presenter, "tutor on") == ["The tutor looks at what you do."]
    said(presenter, "13/9")
    assert presenter.warning is not None
    assert presenter.prompt.startswith("The tutor: 13/9 loses 0.")
    assert presenter.prompt.endswith("Better: 8/5 6/5.")
    assert commands(presenter) == ["rethink", "anyway", "hint"]
    said(presenter, "")
    assert presenter.warning is None
    assert presenter.table.phase is Phase.PLAY
    said(presenter, "13/9", "8/5")
    assert presenter.prompt == "You have 3-1 to play. 8/5, left 1"
    said(presenter, "back", "13/9", "anyway")
    assert presenter.session.warnings
    assert "Ann plays 13/9." in presenter.lines
    assert said(presenter, "tutor off") == ["No tutor."]


def test_hints(adviser: Adviser) -> None:
    presenter = at_table(MONEY, dice="31" + "54" * 20)
    presenter.make_adviser = lambda: adviser
    lines = said(presenter, "hint 2")
    assert len(lines) == 2
    assert lines[0].startswith("1. 8/5 6/5 ")
    assert presenter.hinted is not None
    said(presenter, "8/5 6/5")
    assert presenter.hinted is None
    assert said(presenter, "hint")[0].startswith(("1. No double", "1. Double"))


def test_what_can_be_looked_up(tmp_path: Path) -> None:
    presenter = at_table(Rules(5), dice="31" + "54" * 20)
    assert said(presenter, "help") == list(HELP)
    assert said(presenter, "pips") == ["Pips: Ann 167, Bob 167."]
    assert said(presenter, ":pips") == said(presenter, "pips")
    assert said(presenter, "score") == ["Score: Ann 0, Bob 0; 5-point match, game 1."]
    assert said(presenter, "points")[0] == "Ann: 2 on 24, 5 on 13, 3 on 8, 5 on 6."
    assert said(presenter, "auto") == ["By itself: roll on, forced off, bearoff off, next on."]
    assert said(presenter, "auto forced on") == ["By itself: forced on."]
    assert presenter.session.automation == Automation(play_forced=True)
    said(presenter, "8/5 6/5")
    assert said(presenter, "note a good start") == ["Noted."]
    assert said(presenter, "moves")[0] == "  1 Ann: 31 8/5 6/5"
    file = tmp_path / "game.mat"
    assert said(presenter, f"save {file}") == [f"Saved as {file}."]
    assert formats.read(file).games[0].actions[0].play is not None
    assert said(presenter, f"save {file}/game.mat")[0].startswith(f"{file}")


def test_positions_are_set_and_said() -> None:
    presenter = at_table(Rules(5), dice="31" + "54" * 20)
    assert said(presenter, "id")[0].startswith("4HPwATDgc/ABMA:")
    assert said(presenter, "dice") == ["Dice: a list of 21 throws."]
    said(presenter, "set AQAABAAAAAAAAA")
    assert presenter.table.position.pips == (1, 1)
    assert presenter.table.turn == 0
    said(presenter, "set XGID=-b----E-C---eE---c-e----B-:1:-1:-1:52:2:1:0:5:10")
    state = presenter.table.state
    assert (state.on_roll, state.cube, state.cube_owner, state.dice) == (0, 2, 0, (5, 2))
    assert sorted(state.score) == [1, 2]
    score, position = state.score, presenter.table.position
    # Who plays alone has the side on roll, wherever an ID seats it; two people keep the seats it says.
    other_seat = "set XGID=-b----E-C---eE---c-e----B-:1:1:1:52:1:2:0:5:10"
    pair = at_table(Rules(5), dice="31" + "54" * 20, seats=(Person("Ann"), Person("Bob")))
    for each, wanted in ((presenter, (0, 0, score)), (pair, (1, 1, score[::-1]))):
        said(each, other_seat)
        state = each.table.state
        assert (state.on_roll, state.cube_owner, state.score) == wanted
        assert each.table.position == position
    # Of a match of another length only the position counts, and what does not is said.
    told = said(presenter, "set XGID=-b----E-C---eE---c-e----B-:0:0:-1:63:0:0:0:7:10")
    assert "Not taken from the ID: the match to 7, its score and cube." in told
    assert presenter.table.rules.length == 5
    assert presenter.table.state.dice == (6, 3)
    assert said(presenter, "set nonsense")[0].startswith("'nonsense'")
    assert said(presenter, "set")[0] == "Set needs an ID, such as set 4HPwATDgc/ABMA."


def test_a_position_alone_leaves_score_and_cube() -> None:
    presenter = at_table(MONEY, dice="31" + "54" * 20)
    said(presenter, "set XGID=-b----E-C---eE---c-e----B-:1:-1:-1:00:3:5:0:0:10")
    before = presenter.table.state
    assert (before.cube, before.score) == (2, (5, 3))
    said(presenter, "set AQAABAAAAAAAAA")
    assert presenter.table.position.pips == (1, 1)
    after = presenter.table.state
    assert (after.cube, after.cube_owner, after.score) == (2, before.cube_owner, (5, 3))
    # Who plays alone has the side on roll, also where the opponent has doubled or resigned.
    for offer in ({"doubled": True}, {"resigned": 1}):
        table = Table.from_position(Position.start(), MatchState(on_roll=1, **offer), ("Ann", "Bob"))
        presenter = at_table(table, dice="54" * 20)
        said(presenter, "set BwAAMAAAAAAAAA")
        assert (presenter.table.turn, presenter.table.state.on_roll) == (0, 0)
        assert presenter.table.position.pips == (2, 3)


def test_what_is_not_taken_from_an_id_is_said() -> None:
    presenter = at_table(MONEY, dice="31" + "54" * 20)
    of_match = "set XGID=-b----E-C---eE---c-e----B-:0:0:-1:D:3:2:0:5:10"
    left = "Not taken from the ID: the match to 5, its score and cube, the double offered."
    assert left in said(presenter, of_match)
    rules = "set XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:0:0:10"
    assert "Not taken from the ID: its rules." in said(presenter, rules)
    assert not any("Not taken" in line for line in said(presenter, "set 4HPwATDgc/ABMA"))


def test_another_opponent() -> None:
    presenter = at_table(MONEY, dice="31" + "54" * 20)
    assert said(presenter, "opponent") == ["Opponent: Bob."]
    assert said(presenter, "level beginner") == ["Sixprime beginner plays for Bob from now on."]
    assert [seat.name for seat in presenter.session.seats] == ["Ann", "Sixprime beginner"]
    said(presenter, "8/5 6/5")
    assert [action.player for action in presenter.table.game.actions] == [0, 1]
    said(presenter, "opponent casual")
    assert presenter.session.history[-1].comment == "Sixprime casual plays for Bob from now on."
    alone = at_table(MONEY, dice="31", seats=(Person("Ann"), Person("Cleo")))
    assert said(alone, "opponent casual") == ["There is no opponent who is a program."]


def test_loaded_dice(adviser: Adviser) -> None:
    presenter = at_table(MONEY, dice="31" + "12" * 20)
    presenter.make_adviser = lambda: adviser
    assert said(presenter, "cheat you 1") == ["Loaded dice: Bob always rolls number 1 of the 21 rolls."]
    assert presenter.headline == "money session, game 1, loaded dice"
    assert "Bob rolls 2-1" not in "".join(said(presenter, "8/5 6/5"))
    assert said(presenter, "cheat off") == ["Honest dice."]
    assert "cheat me or you" in said(presenter, "cheat him 3")[0].lower()


def test_loaded_dice_are_not_typed(adviser: Adviser) -> None:
    presenter = at_table(MONEY, dice=ManualDice(), seats=(Person("You"), Person("Cleo")))
    presenter.make_adviser = lambda: adviser
    assert said(presenter, "cheat me 1") == ["Loaded dice: You always roll number 1 of the 21 rolls."]
    said(presenter, "3 1", "8/5 6/5")
    assert presenter.prompt.startswith("Type the dice of Cleo")
    said(presenter, "21", "13/11 24/23")
    assert presenter.prompt == "You, it is your turn: roll or double."
    assert "roll" in commands(presenter)
    said(presenter, "")
    assert presenter.table.state.dice is not None


def test_the_tutor_counts(adviser: Adviser) -> None:
    table = Table.from_position(
        Position.from_board([[1] + 24 * [0], [0, 0, 0, 0, 0, 2] + 19 * [0]]), MatchState(length=1, on_roll=0)
    )
    presenter = at_table(table, dice="6621")
    presenter.make_adviser, presenter.make_tutor, presenter.tutoring = lambda: adviser, Tutor, True
    presenter.prepare()
    assert presenter.session.tutor is not None
    said(presenter, "6/off(2)")
    assert presenter.table.phase is Phase.MATCH_OVER


def test_leaving() -> None:
    presenter = at_table(Rules(5), dice="31")
    presenter.say("quit")
    assert presenter.prompt == "Leave the table? The game is kept."
    presenter.say("no")
    assert not presenter.leaving
    presenter.say("quit")
    with pytest.raises(Leave):
        presenter.say("")


def test_work_that_takes_time_keeps_nobody_waiting(adviser: Adviser) -> None:
    presenter = at_table(MONEY, dice="31")
    presenter.make_adviser = lambda: adviser
    waiting: list[Callable[[], None]] = []
    presenter.work = lambda job, then: waiting.append(lambda: then(job()))
    presenter.say("hint")
    assert presenter.prompt == "Thinking about it."
    assert "hint" not in commands(presenter)
    waiting.pop()()
    assert presenter.prompt == "You have 3-1 to play."


def test_a_position_and_a_clock() -> None:
    position = Position.from_id("4HPwATDgc/ABMA")
    table = Table.from_position(position, MatchState(on_roll=1), ("Bob", "Ann"))
    session = Session((Quiet(), Person("Ann")), table, dice=SeededDice(1), clock=Clock(reserve=60))
    presenter = Presenter(session, (1,), Look(bottom=1, light=False))
    session.advance()
    assert presenter.remark(1) in ("1:00", "0:59")
    assert not presenter.shown().light
    assert presenter.shown().position == position
    assert presenter.turn == 1


def test_who_uses_the_time_up_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    session = Session((Person("Ann"), Person("You")), Rules(length=3), dice=ListedDice("3143"), clock=Clock(reserve=60))
    presenter = Presenter(session, (0, 1))
    session.advance()
    assert presenter.asked == 0
    now[0] = 61.0
    assert presenter.prompt == "The time of Ann is over: You win the match."
    assert presenter.lines[-1] == presenter.prompt
    assert (presenter.asked, presenter.entry, presenter.over, presenter.elsewhere) == (None, None, True, False)
    assert [choice.command for choice in presenter.choices] == ["rematch", "help", "quit"]
    presenter.say("undo")
    assert presenter.lines[-1] == "Nothing can be done any more: Ann has lost by time."


def test_what_is_seen_is_of_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The session goes on in another thread between any two looks at it."""
    presenter = at_table(Rules(5), dice="315431")
    tables = [presenter.table]
    presenter.say("8/5 6/5")
    presenter.session.advance()
    tables += [step.table for step in presenter.session.history]
    phases = {table.phase for table in tables}
    assert {Phase.PLAY, Phase.ROLL} <= phases
    for (first, second), looks in product(permutations(tables, 2), range(12)):
        for name in ("prompt", "choices", "pips", "entry", "shown", "in_words"):
            then = chain([first] * looks, repeat(second))
            monkeypatch.setattr(Session, "table", property(lambda session, then=then: next(then)))
            found = getattr(presenter, name)
            if callable(found):
                found()


def test_what_is_there_is_not_replaced_unasked(tmp_path: Path) -> None:
    presenter, path = at_table(Rules(5), dice="315431"), tmp_path / "game.sgf"
    said(presenter, "8/5 6/5")
    path.write_text("mine")
    assert said(presenter, f"save {path}") == [f"{str(path)!r} exists already; the same again replaces it."]
    assert path.read_text() == "mine"
    for _ in range(2):
        assert said(presenter, f"save {path}") == [f"Saved as {path}."]
    assert len(formats.read(path).games) == 1


def test_dice_are_typed_for_a_program_that_might_double() -> None:
    presenter = at_table(Rules(5), dice=ManualDice())
    said(presenter, "31", "8/5 6/5")
    assert presenter.prompt == "Type the dice of Bob, such as 31."
    assert "Bob rolls 6-4 and plays" in " ".join(said(presenter, "64"))
    assert presenter.prompt == "Type the dice of Ann, such as 31, or double."
