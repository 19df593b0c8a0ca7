"""Sessions: whoever sits there, what is taken back, journals that break off, watchers and threads."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import FileIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from table_contract import OFTEN, check_alone

from sixprime.errors import EngineError, InvalidFileError, RulesError, SettingsError, StoppedError
from sixprime.game import Position
from sixprime.game.acts import (
    Accept,
    Act,
    Decline,
    Double,
    Drop,
    Move,
    NextGame,
    Opening,
    Resign,
    Roll,
    Set,
    Take,
)
from sixprime.game.match_rules import Rules
from sixprime.game.table import Phase, Table
from sixprime.play import (
    Automation,
    DiceSource,
    Event,
    EventKind,
    ListedDice,
    ManualDice,
    Person,
    SeededDice,
    Session,
    Waiting,
)
from sixprime.play.journal import Journal, Kept
from sixprime.progress import NOBODY, Stop

RULES = (
    Rules(length=3),
    Rules(length=5, crawford_rule=False),
    Rules(),
    Rules(jacoby=False, beavers=0, cube_limit=8),
    Rules(automatic_doubles=3, beavers=1),
    Rules(cube_limit=1),
    Rules(length=3, variant="nackgammon"),
    Rules(variant="hypergammon1"),
    Rules(length=7, variant="hypergammon2"),
    Rules(length=2, variant="hypergammon3"),
)
PEOPLE = (Person("Ann"), Person("Bob"))
MANUAL = Automation(roll=False, next_game=False)


@dataclass(frozen=True)
class Whim:
    """Decides at random, the same at equal tables."""

    seed: int
    name: str = "whim"

    def decide(self, table: Table, stop: Stop = NOBODY) -> Act | None:
        state = table.game.number, len(table.game.actions), table.declined, table.phase.value, table.position.id
        return self.act(table, random.Random(repr((self.seed, state))))

    def act(self, table: Table, chance: random.Random) -> Act:
        legal = table.legal()
        (kind,) = chance.choices(legal.kinds, [OFTEN.get(kind, 1.0) for kind in legal.kinds])
        acts = [act for act in legal.of(kind) if getattr(act, "player", table.turn) == table.turn]
        return chance.choice(acts or list(legal.of(kind)))


def played(rules: Rules, seed: int, journal: Path | None = None, games: int = 3) -> Session:
    """A whole match, or so many games of a session."""
    session = Session((Whim(seed), Whim(seed + 1)), rules, dice=SeededDice(seed), journal=journal)
    if not rules.length:
        session.automation = Automation(next_game=False)
        for _ in range(games - 1):
            assert session.advance() is Waiting.NEXT_GAME
            session.submit(NextGame())
    assert session.advance() is (Waiting.NOTHING if rules.length else Waiting.NEXT_GAME)
    return session


@pytest.mark.parametrize("rules", RULES, ids=str)
def test_random_seats_play_by_the_rules(rules: Rules, tmp_path: Path) -> None:
    kinds: Counter[type[Act]] = Counter()
    for seed in range(2):
        path = tmp_path / str(seed)
        session = played(rules, seed, path)
        table, throws = session.begun, 0
        for step in session.history:
            if isinstance(step.act, Opening | Roll):
                assert step.act.dice == SeededDice(seed).throw(throws)
                throws += 1
            assert step.act in table.legal()
            assert table.apply(step.act) == step.table
            table = step.table
            check_alone(table)
            kinds[type(step.act)] += 1
        assert table == session.table
        assert Table.from_record(table.record()).record() == table.record()
        assert not session.redoable
        assert seed or played(rules, seed).history == session.history
        again, heard = Session.resume(path, session.seats), list[Event]()
        assert (again.table, again.history, again.dice) == (session.table, session.history, session.dice)
        again.watch(lambda event, _, heard=heard: heard.append(event))
        again.undo()
        assert [event.kind for event in heard] == [EventKind.UNDONE]
    assert kinds[Move] > 20
    assert kinds[Resign] + kinds[Double] > 0


def test_two_seeds_are_two_games() -> None:
    assert played(RULES[0], 1).table != played(RULES[0], 2).table


# Undo and redo


class Walk:
    """A session and what it should be: the tables that were reached, and where we are among them."""

    def __init__(self, rules: Rules, journal: Path) -> None:
        self.session = Session(PEOPLE, rules, dice=SeededDice(7), automation=MANUAL, journal=journal)
        self.session.advance()
        self.tables, self.at = [self.session.begun, *(step.table for step in self.session.history)], 1

    def do(self, chance: random.Random) -> None:
        """Something at random, in the session and here."""
        session, what = self.session, chance.random()
        if what < 0.15 and self.at > 0:
            session.undo()
            self.at -= 1
        elif what < 0.25 and self.at + 1 < len(self.tables):
            session.redo()
            self.at += 1
        elif what < 0.3:
            self.at = chance.randrange(len(self.tables))
            session.go_to(self.at)
        elif self.tables[self.at].phase is not Phase.MATCH_OVER:
            session.submit(Whim(0).act(self.tables[self.at], chance))
            table = session.table
            if self.at + 1 == len(self.tables) or self.tables[self.at + 1] != table:
                self.tables[self.at + 1 :] = [table]
            self.at += 1
        self.check(session)

    def check(self, session: Session) -> None:
        assert session.table == self.tables[self.at]
        assert [step.table for step in session.history] == self.tables[1 : self.at + 1]
        assert [step.table for step in session.redoable] == self.tables[self.at + 1 :]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 1 << 30), rules=st.sampled_from(RULES))
def test_back_and_forth(seed: int, rules: Rules, tmp_path: Path) -> None:
    chance, path = random.Random(seed), tmp_path / f"{seed}-{os.urandom(4).hex()}"
    walk = Walk(rules, path)
    for _ in range(60):
        walk.do(chance)
        if chance.random() < 0.05:
            walk.session.close()
            walk.session = Session.resume(path, PEOPLE, automation=MANUAL)
    walk.check(Session.resume(path, PEOPLE))


def test_the_dice_are_the_same_again() -> None:
    session = Session(PEOPLE, dice=SeededDice(3))
    session.advance()
    dice = session.table.state.dice
    session.submit(session.table.legal().of(Move).__next__())
    session.advance()
    session.submit(Roll(session.table.turn or 0))
    rolled = session.table.state.dice
    session.go_to(0)
    assert session.table == session.begun
    session.advance()
    assert session.table.state.dice == dice
    assert len(session.redoable) == 2
    # The same act goes the way that was gone before, another one drops it.
    first, *others = session.table.legal().of(Move)
    session.submit(first)
    assert len(session.redoable) == 1
    session.undo()
    session.submit(others[0])
    assert not session.redoable
    session.advance()
    session.submit(Roll(session.table.turn or 0))
    assert session.table.state.dice == rolled


def test_back_to_what_a_player_chose() -> None:
    session = Session((PEOPLE[0], Whim(1)), Rules(cube_limit=1), dice=SeededDice(2), automation=Automation())
    for _ in range(3):
        assert session.advance() is Waiting.SEAT
        table = session.table
        session.submit(Move(0, table.legal().plays[0]))
    session.advance()
    session.undo(player=0)
    assert session.table == table
    session.undo(0)
    session.undo(0)
    with pytest.raises(RulesError, match="nothing to take back"):
        session.undo(0)
    assert not any(step.act == Move for step in session.history)
    with pytest.raises(RulesError, match=r"There are [0-9]+ acts to go back and forth. Got 999"):
        session.go_to(999)
    session.go_to(0)
    with pytest.raises(RulesError, match="nothing to take back"):
        session.undo()
    session.go_to(len(session.redoable))
    with pytest.raises(RulesError, match="nothing to do again"):
        session.redo()


# Journals


def test_a_journal_cut_at_every_byte(tmp_path: Path) -> None:
    """What is whole is kept, what is torn had not happened."""
    path, cut = tmp_path / "whole", tmp_path / "cut"
    walk, chance = Walk(RULES[0], path), random.Random(5)
    moments = [(walk.session.table, len(walk.session.redoable), path.stat().st_size)]
    while len(moments) < 30:
        walk.do(chance)
        if path.stat().st_size > moments[-1][2]:
            moments.append((walk.session.table, len(walk.session.redoable), path.stat().st_size))
    data = path.read_bytes()
    begun = data.index(b"\n") + 1
    cut.write_bytes(data)
    for size in range(len(data), -1, -1):
        os.truncate(cut, size)
        if size < begun:
            with pytest.raises(InvalidFileError, match="its first line has no end"):
                Session.resume(cut, PEOPLE)
            continue
        kept = Kept.read(cut)
        assert (len(kept.entries) + 1, kept.size) == (data.count(b"\n", 0, size), data.rfind(b"\n", 0, size) + 1)
    for table, redoable, size in moments:
        for more in (0, 1, 7):
            cut.write_bytes(data[: size + more])
            session = Session.resume(cut, PEOPLE, automation=MANUAL)
            assert (session.table, len(session.redoable)) == (table, redoable)
            assert cut.stat().st_size == size
            session.submit(Resign(0, 3)) if Resign(0, 3) in table.legal() else session.go_to(0)
            session.close()
            assert Session.resume(cut, PEOPLE).table == session.table


def lines(tmp_path: Path) -> tuple[Path, list[bytes]]:
    path = tmp_path / "session"
    session = Session(PEOPLE, Rules(3), dice=ListedDice("316452"), journal=path)
    session.advance()
    for act in ("8/5 6/5", Roll(1), "8/2 6/2", Double(0), Take(1)):
        session.submit(session.table.move(act) if isinstance(act, str) else act)
    session.undo()
    return path, path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("line", "change", "said"),
    [
        (1, (b"session-1", b"session-9"), "format 'sixprime-session-9'"),
        (1, (b'"length":3', b'"length":-3'), "length"),
        (1, (b'"length":3', b'"height":3'), "height"),
        (1, (b'"Ann"', b"[1]"), "players.0..name"),
        (1, (b"ListedDice", b"LoadedDice"), "LoadedDice"),
        (1, (b"316452", b"716452"), "digits must be"),
        (2, (b'"opening"', b'"closing"'), "closing"),
        (2, (b"[3,1]", b"[3,true]"), "got `bool`"),
        (2, (b"[3,1]", b"[3]"), "length 2, got 1"),
        (2, (b"[3,1]", b"[3,7]"), "two numbers from 1 to 6"),
        (3, (b"8/5 6/5", b"8/5 6/4"), "not legal|no legal|6/4"),
        (3, (b'"player":0', b'"player":1'), "Bob cannot play"),
        (4, (b'"dice"', b'"mice"'), "unknown key .mice"),
        (6, (b"double", b"take"), "cannot take"),
        (8, (b"5", b"50"), "acts to go back"),
        (8, (b'"go"', b'"went"'), "'do' is missing"),
        (3, (b"{", b"["), "JSON was expected, found "),
        (3, (b"8/5", b"\xff"), "JSON in UTF-8 was expected"),
        (5, (b'{"do":"move","player":1,"play":"8/2 6/2"}', b"7"), "not an object"),
    ],
)
def test_a_damaged_journal_is_refused(line: int, change: tuple[bytes, bytes], said: str, tmp_path: Path) -> None:
    path, written = lines(tmp_path)
    assert change[0] in written[line - 1], written
    written[line - 1] = written[line - 1].replace(*change)
    path.write_bytes(b"".join(written))
    with pytest.raises(InvalidFileError, match=f"{path.name}:{line}: the journal is damaged .*({said})") as caught:
        Session.resume(path, PEOPLE)
    assert "Error: " not in str(caught.value)


def test_a_journal_holds_what_has_happened(tmp_path: Path) -> None:
    path, written = lines(tmp_path)
    assert [line.strip().decode() for line in written[1:]] == [
        '{"do":"opening","dice":[3,1],"alone":true}',
        '{"do":"move","player":0,"play":"8/5 6/5"}',
        '{"do":"roll","player":1,"dice":[6,4]}',
        '{"do":"move","player":1,"play":"8/2 6/2"}',
        '{"do":"double","player":0}',
        '{"do":"take","player":1}',
        '{"go":5}',
    ]
    session = Session.resume(path, PEOPLE)
    assert session.table.phase is Phase.DOUBLED
    assert session.dice == ListedDice("316452")
    with pytest.raises(FileExistsError):
        Session(PEOPLE, journal=path)
    session.close()
    with pytest.raises(RulesError, match="closed"):
        session.submit(Drop(1))
    assert session.advance() is Waiting.STOPPED


def test_a_journal_begins_with_any_table(tmp_path: Path) -> None:
    position, state, _ = (
        (table := Table.new(Rules(7, variant="hypergammon3"), score=(6, 2))).position,
        replace(table.state, on_roll=1, crawford=True),
        None,
    )
    for number, begun in enumerate(
        (
            Table.new(Rules(5), ("A", "B"), (4, 1)),
            Table.new(Rules(5), ("A", "B"), (4, 1), crawford=False),
            Table.from_position(Position.from_id("4HPhASiYZ/ABMA")),
            Table.from_position(position, state),
            Table.from_position(Position.start(), Table.new().apply(Opening((3, 1))).state),
        )
    ):
        path = tmp_path / str(number)
        Session(PEOPLE, begun, journal=path).close()
        assert Session.resume(path, PEOPLE).table == begun
    for rules in RULES:
        session = played(rules, 1)
        for number, step in enumerate(session.history[::29]):
            path = tmp_path / f"{number}-{rules}"
            Session(PEOPLE, step.table, journal=path).close()
            assert Session.resume(path, PEOPLE).table == step.table
    impossible = replace(session.table, position=START)
    with pytest.raises(SettingsError, match="reached by the rules"):
        Session(PEOPLE, impossible, journal=tmp_path / "impossible")
    assert not (tmp_path / "impossible").exists()
    assert Session(PEOPLE, impossible).table == impossible


def test_set_by_hand_is_kept(tmp_path: Path) -> None:
    session = Session(PEOPLE, Rules(7), journal=tmp_path / "a")
    session.advance()
    state = replace(session.table.state, score=(6, 2), crawford=True, dice=(6, 6), on_roll=1)
    session.submit(Set(Position.from_id("4HPhASiYZ/ABMA"), state))
    assert Session.resume(tmp_path / "a", PEOPLE).table == session.table


def test_what_cannot_be_written_is_not_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "session"
    session = Session(PEOPLE, dice=SeededDice(1), journal=path)
    session.advance()
    before, data = session.table, path.read_bytes()

    class Full(FileIO):
        def write(self, data: bytes) -> int:  # type: ignore[override]
            if len(data) < 5:
                raise OSError(errno.ENOSPC, "No space left on device")
            return super().write(data[:5])

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", lambda path, mode, buffering: Full(path, mode))
        with pytest.raises(OSError, match=f"No space left on device: '{path}'"):
            session.submit(Resign(0, 1))
        assert session.table == before
        assert path.stat().st_size == len(data)
        with pytest.raises(OSError, match="No space"):
            session.undo()
        assert session.table == before
    session.submit(Resign(0, 1))
    assert Session.resume(path, PEOPLE).table == session.table


def test_a_journal_that_could_not_begin_is_in_nobodys_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(FileIO):
        def write(self, data: bytes) -> int:  # type: ignore[override]
            raise OSError(errno.ENOSPC, "No space left on device")

    path, opened = tmp_path / "session", Path.open
    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", lambda path, mode, **given: Full(path, mode) if given else opened(path, mode))
        with pytest.raises(OSError, match="No space left on device"):
            Session(PEOPLE, journal=path)
    assert Session(PEOPLE, journal=path).table.names == ("Ann", "Bob")


def test_an_interrupt_waits_until_the_act_is_written_and_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "session"
    session = Session(PEOPLE, dice=ListedDice("31"), journal=path)
    append = Journal.append

    def interrupted(journal: Journal, entry: dict[str, object]) -> None:
        append(journal, entry)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Journal, "append", interrupted)
    for change in (session.advance, session.undo, session.redo):
        with pytest.raises(KeyboardInterrupt):
            change()
        assert Session.resume(path, PEOPLE).history == session.history
    assert session.table.phase is Phase.PLAY


def test_two_sessions_do_not_write_to_one_journal(tmp_path: Path) -> None:
    path = tmp_path / "session"
    one = Session(PEOPLE, dice=ListedDice("31"), journal=path)
    other = Session.resume(path, PEOPLE)
    one.advance()
    with pytest.raises(OSError, match=f"changed by somebody else: '{path}'"):
        other.advance()
    assert Session.resume(path, PEOPLE).table == one.table
    path.unlink()
    with pytest.raises(FileNotFoundError):
        one.undo()
    assert not path.exists()


def test_a_session_that_is_killed_goes_on(tmp_path: Path) -> None:
    """Nothing that somebody heard of is lost, wherever the end comes."""
    path, program = tmp_path / "session", tmp_path / "play.py"
    program.write_text(
        "import sys, time\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_play_session import Rules, SeededDice, Session, Whim\n"
        f"session = Session((Whim(1), Whim(2)), Rules(99), dice=SeededDice(4), journal={str(path)!r})\n"
        "session.watch(lambda event, table: print(event.number, flush=True))\n"
        "session.run()\n"
    )
    with subprocess.Popen([sys.executable, str(program)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(150):
            heard = process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        heard = [heard, *process.stdout.read().splitlines()][-1]
    session = Session.resume(path, (Whim(1), Whim(2)))
    assert int(heard) <= len(session.history) <= int(heard) + 1
    whole = Session(session.seats, Rules(99), dice=SeededDice(4))
    session.run()
    whole.run()
    assert session.table == whole.table


# Dice and automation


def test_dice_by_hand() -> None:
    session = Session(PEOPLE, dice=ManualDice())
    assert session.advance() is Waiting.DICE
    with pytest.raises(RulesError, match="thrown by hand"):
        session.submit(Opening())
    session.submit(Opening((2, 2)))
    assert session.run(stop_after(0.05)) is Waiting.STOPPED
    session.submit(Opening((2, 1)))
    session.submit(Move(0, session.table.legal().plays[0]))
    assert session.advance() is Waiting.SEAT
    session.seats = (PEOPLE[0], Whim(3))
    assert session.advance() is Waiting.DICE
    session.submit(Roll(1, (6, 6)))
    assert session.table.state.dice == (6, 6)


def test_dice_are_not_chosen() -> None:
    session = Session(PEOPLE, dice=SeededDice(1))
    session.advance()
    throws = session.history[-1].throws
    session.submit(Move(session.table.state.on_roll, session.table.legal().plays[0]))
    turn = session.table.state.on_roll
    wanted = next(dice for dice in ((6, 6), (5, 5)) if dice != SeededDice(1).throw(throws))
    with pytest.raises(RulesError, match="not chosen"):
        session.submit(Roll(turn, wanted))
    with pytest.raises(RulesError, match="cannot roll now"):
        session.submit(Roll(1 - turn))
    session.submit(Roll(turn, SeededDice(1).throw(throws)))


def test_listed_dice(tmp_path: Path) -> None:
    path = tmp_path / "dice.txt"
    path.write_text("31, 6-5\n 22\t4 1\n")
    dice = ListedDice.read(path)
    assert [dice.throw(number) for number in range(4)] == [(3, 1), (6, 5), (2, 2), (4, 1)]
    session = Session((Whim(1), Whim(2)), dice=dice)
    with pytest.raises(SettingsError, match="ends after 4 throws"):
        session.run()
    assert [step.act.dice for step in session.history if isinstance(step.act, Opening | Roll)][:2] == [(3, 1), (6, 5)]
    for text, said in (("3 1\n4 7", "dice.txt:2:3: '7'"), ("123", "3 dice, of which the last is alone")):
        path.write_text(text)
        with pytest.raises(InvalidFileError, match=said):
            ListedDice.read(path)
    path.write_bytes(b"\xff")
    with pytest.raises(InvalidFileError, match="no text"):
        ListedDice.read(path)
    with pytest.raises(SettingsError):
        ListedDice("17")
    with pytest.raises(SettingsError, match="seed"):
        SeededDice(-1)


def test_other_dice_from_now_on(tmp_path: Path) -> None:
    path = tmp_path / "session"
    session = Session((Whim(1), Whim(2)), Rules(1), dice=SeededDice(1), journal=path)
    session.watch(lambda event, table: event.number != 9 or setattr(session, "dice", SeededDice(2)))
    session.run()
    assert [Session.resume(path, PEOPLE).dice, session.dice] == [SeededDice(2)] * 2
    throws = [(step.throws - 1, step.act.dice) for step in session.history if isinstance(step.act, Opening | Roll)]
    for number, dice in throws[-3:]:
        assert dice == SeededDice(2).throw(number)
    session.dice = Own()
    with pytest.raises(SettingsError, match="give one"):
        Session.resume(path, PEOPLE)


def test_dice_of_a_seed_are_fair() -> None:
    throws = Counter(SeededDice(seed).throw(number) for seed in range(6) for number in range(6000))
    assert len(throws) == 36
    assert sum((count - 1000) ** 2 / 1000 for count in throws.values()) < 70
    assert SeededDice.fresh() != SeededDice.fresh()


@dataclass(frozen=True)
class Own:
    """A source of the caller's own."""

    def throw(self, number: int) -> tuple[int, int]:
        return 1 + number % 6, 1 + (number + 1) % 6


def test_dice_of_ones_own(tmp_path: Path) -> None:
    source: DiceSource = Own()
    session = Session(PEOPLE, dice=source, journal=tmp_path / "a")
    session.advance()
    assert session.table.state.dice == (1, 2)
    with pytest.raises(SettingsError, match="give one"):
        Session.resume(tmp_path / "a", PEOPLE)
    assert Session.resume(tmp_path / "a", PEOPLE, dice=source).table == session.table


def side(*counts: int, far: int = 0) -> tuple[int, ...]:
    """Chequers from the ace point on, and one on the point `far`."""
    row = [*counts, *(0 for _ in range(25 - len(counts)))]
    row[far - 1] += far > 0
    return tuple(row)


@pytest.mark.parametrize("kind", [tuple, list, np.array])
def test_dice_of_numpys_generators(kind: Callable[[Any], Any], tmp_path: Path) -> None:
    """They give numbers of NumPy, which a journal has to tell as any other."""

    class Thrown:
        def throw(self, number: int) -> Any:
            return kind(np.random.default_rng(number).integers(1, 7, 2))

    path = tmp_path / "session"
    session = Session(PEOPLE, dice=Thrown(), journal=path)
    session.advance()
    session.submit(Resign(np.int64(0), np.int64(1)))  # type: ignore[arg-type]
    assert Session.resume(path, PEOPLE, dice=Thrown()).table == session.table
    assert {type(die) for step in session.history if isinstance(step.act, Opening) for die in step.act.dice or ()} == {
        int
    }


START = Position.start()
HOME = Position(side(5, 5, 5), side(2, 2, 2, 2, 2, 2))
SHUT = Position(side(2, 2, 2, 2, 2, 2), side(far=25))


def by_itself(position: Position, dice: tuple[int, int] | None, automation: Automation, cube: int = 1) -> Act | None:
    state = replace(Table.new(Rules(cube_limit=cube)).state, on_roll=0, dice=dice)
    return automation.act(Table.from_position(position, state))


@pytest.mark.parametrize(
    ("position", "dice", "automation", "does"),
    [
        (START, None, Automation(), Roll),
        (START, None, Automation(roll=False), None),
        (START, (6, 6), Automation(), None),
        (START, (6, 5), Automation(play_forced=True), None),
        (SHUT, (6, 5), Automation(play_forced=True), Move),
        (SHUT, (6, 5), Automation(), None),
        (HOME, (6, 5), Automation(bear_off=True), Move),
        (HOME, (6, 5), Automation(), None),
        (START, (6, 5), Automation(bear_off=True), None),
    ],
)
def test_what_happens_by_itself(
    position: Position, dice: tuple[int, int] | None, automation: Automation, does: type[Act] | None
) -> None:
    act = by_itself(position, dice, automation)
    assert (type(act) if act else None) is does
    if isinstance(act, Move) and automation.bear_off:
        assert [step.end for step in act.play.steps] == [0, 0]


def test_nobody_rolls_by_himself_who_may_double() -> None:
    assert by_itself(START, None, Automation(), cube=2) is None


@pytest.mark.parametrize(
    ("mine", "theirs", "dice", "off"),
    [
        (side(2, 2, 2, 2, 2, 2), side(5, 5, 5), (6, 5), True),
        (side(2, 2, 2, 2, 2, 2), side(5, 5, 5), (2, 2), False),  # two of four
        (side(0, 0, 0, 0, 1, 1), side(5, 5, 5), (6, 6), True),  # all that there are
        (side(0, 0, 0, 0, 0, 2), side(5, 5, 5), (5, 4), False),
        (side(2, 2, 0, 2), side(5, 5, far=22), (4, 2), False),  # on the 3 point, they may still be hit
        (side(2, 2, 0, 2), side(5, 5, far=25), (4, 2), False),
        (side(2, 2, 2), side(5, 5, far=21), (3, 2), True),  # on the 4 point, they have passed
    ],
)
def test_bearing_off_by_itself(
    mine: tuple[int, ...], theirs: tuple[int, ...], dice: tuple[int, int], off: bool
) -> None:
    assert isinstance(by_itself(Position(theirs, mine), dice, Automation(bear_off=True)), Move) is off


def test_automation_is_on_or_off() -> None:
    with pytest.raises(SettingsError, match="roll must be True or False"):
        Automation(roll=1)  # type: ignore[arg-type]


# Watchers and threads


def stop_after(seconds: float) -> threading.Event:
    stop = threading.Event()
    timer = threading.Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    return stop


def test_watchers_hear_everything_in_order_and_after_the_journal(tmp_path: Path) -> None:
    path, heard, others = tmp_path / "session", [], []
    session = Session(PEOPLE, Rules(1), dice=ListedDice("3164"), automation=MANUAL, journal=path)

    def watcher(event: Event, table: Table) -> None:
        heard.append((event, table))
        if event.kind is not EventKind.WAITING:
            assert path.read_bytes().count(b"\n") == 1 + sum(each.kind is not EventKind.WAITING for each, _ in heard)
        # What a watcher does is heard by all afterwards.
        if event.step is not None and isinstance(event.step.act, Opening) and table.phase is Phase.PLAY:
            session.submit(Move(table.state.on_roll, table.legal().plays[0]))

    def clumsy(event: Event, table: Table) -> None:
        others.append((event, table))
        raise ValueError("clumsy")

    session.watch(clumsy)
    leave = session.watch(watcher)
    assert session.advance() is Waiting.SEAT
    session.undo()
    session.redo()
    assert [event.kind for event, _ in heard] == [
        EventKind.DONE, EventKind.DONE, EventKind.WAITING, EventKind.UNDONE, EventKind.REDONE,
    ]  # fmt: skip
    assert [event.number for event, _ in heard] == [1, 2, 2, 1, 2]
    assert heard == others
    assert [table for _, table in heard] == [session.history[i].table for i in (0, 1, 1, 0, 1)]
    assert [str(problem) for problem in session.problems] == ["clumsy"] * 5
    leave()
    session.undo()
    assert (len(heard), len(others)) == (5, 6)


def test_people_submit_from_other_threads() -> None:
    session = Session(PEOPLE, Rules(1), dice=SeededDice(5))
    chance, problems = Whim(9), []

    def play() -> None:
        try:
            while session.table.phase is not Phase.MATCH_OVER:
                table = session.table
                if table.turn is not None:
                    try:
                        session.submit(chance.decide(table) or Roll(0))
                    except RulesError:
                        # The table has changed in between.
                        assert session.table is not table
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=play) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert session.run(stop_after(60)) is Waiting.NOTHING
    for thread in threads:
        thread.join()
    assert not problems
    assert Table.from_record(session.table.record()).record() == session.table.record()


class Thinker:
    """Takes his time, and is told when to have done."""

    name = "thinker"

    def __init__(self) -> None:
        self.asked: list[Table] = []
        self.done = threading.Event()

    def decide(self, table: Table, stop: Stop) -> Act:
        self.asked.append(table)
        while not self.done.wait(0.01):
            if stop.is_set():
                raise StoppedError
        return Whim(1).decide(table) or Roll(0)


@pytest.mark.parametrize("call", ["run", "advance"])
def test_thinking_ends_when_it_has_to(call: str) -> None:
    thinker = Thinker()
    session = Session((thinker, thinker), Rules(1), dice=SeededDice(5))
    begun = time.monotonic()
    assert getattr(session, call)(stop_after(0.1)) is Waiting.STOPPED
    assert time.monotonic() - begun < 5
    assert len(session.history) == 1
    # He is asked again.
    thinker.done.set()
    assert getattr(session, call)(stop_after(60)) is Waiting.NOTHING
    assert thinker.asked.count(thinker.asked[0]) == 2


def test_whoever_thinks_hears_nothing_of_it_when_something_else_is_done() -> None:
    thinker = Thinker()
    session = Session((thinker, thinker), Rules(1), dice=SeededDice(5))
    over = stop_after(60)
    runner = threading.Thread(target=session.run, args=(over,))
    runner.start()
    while not thinker.asked:
        time.sleep(0.001)
    resigner = 1 - session.table.state.on_roll
    session.seats = PEOPLE
    session.submit(Resign(resigner, 1))
    session.submit(Accept(1 - resigner))
    runner.join(30)
    assert not runner.is_alive()
    thinker.done.set()
    assert [type(step.act) for step in session.history] == [Opening, Resign, Accept]


def test_an_answer_to_what_is_over_does_not_count() -> None:
    class Hasty:
        name = "Hasty"

        def decide(self, table: Table, stop: Stop) -> Act:
            if table.phase is Phase.PLAY:
                session.submit(Resign(1 - table.state.on_roll, 1))
                assert stop.is_set()
            return Whim(1).decide(table) or Roll(0)

    session = Session((Hasty(), Hasty()), Rules(1), dice=SeededDice(5))
    session.automation = Automation(roll=False)
    while not any(isinstance(step.act, Resign) for step in session.history):
        session._step(None)
    assert [type(step.act) for step in session.history] == [Opening, Resign]


def test_a_closed_session_waits_for_nobody() -> None:
    session = Session(PEOPLE)
    runner = threading.Thread(target=session.run)
    runner.start()
    while not session.history:
        time.sleep(0.001)
    session.close()
    runner.join(30)
    assert not runner.is_alive()
    with Session(PEOPLE) as other:
        other.advance()
    assert other.advance() is Waiting.STOPPED


def test_whoever_breaks_the_rules_is_named() -> None:
    @dataclass
    class Cheat:
        act: Act | Exception
        name: str = "Cheat"

        def decide(self, table: Table, stop: Stop) -> Act:
            if isinstance(self.act, Exception):
                raise self.act
            return self.act

    for act, said in (
        (Double(0), "Cheat acted against the rules: game 1, action 2: .* cannot double now"),
        (Decline(1), "Cheat acted against the rules"),
        (EngineError("Cheat has ended (exit status 1)."), "exit status 1"),
        (StoppedError(3), "stopped after 3"),
    ):
        for stop in (None, threading.Event()):
            session = Session((Cheat(act), Cheat(act)), dice=SeededDice(1))
            with pytest.raises((EngineError, StoppedError), match=said):
                session.run(stop)
            before = session.table
            session.seats = PEOPLE
            assert session.advance() is Waiting.SEAT
            assert session.table == before


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.floats(0, 1), bytes_=st.binary(max_size=8), length=st.integers(0, 8))
def test_bytes_that_have_changed(place: float, bytes_: bytes, length: int, tmp_path: Path) -> None:
    folder = tmp_path / os.urandom(8).hex()
    folder.mkdir()
    path, written = lines(folder)
    data = b"".join(written)
    start = int(place * len(data))
    path.write_bytes(data[:start] + bytes_ + data[start + length :])
    said = str(path)
    try:
        check_alone(Session.resume(path, PEOPLE).table)
    except InvalidFileError as error:
        said = str(error)
    assert str(path) in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"seats": None}, "seats must be a tuple of two"),
        ({"seats": (Person("Ann"),)}, "seats must be a tuple of two"),
        ({"seats": (Person("Ann"), "Bob")}, r"seats\[1\] must be a seat"),
        ({"table": "x"}, "table must be a table or rules"),
        ({"automation": 3}, "automation must be an Automation"),
        ({"dice": 3}, "dice must be a source of dice"),
        ({"tutor": "x"}, "tutor must be a Tutor"),
        ({"adviser": "x"}, "adviser must be an Adviser"),
        ({"clock": 3}, "clock must be a Clock"),
        ({"loaded": 3}, "loaded must be a Loaded"),
        ({"info": 3}, "info must be names and texts"),
        ({"info": {"event": 3}}, "event must be a text"),
        ({"journal": 3}, "path must be the name of a file"),
    ],
)
def test_what_no_session_is_made_of(arguments: dict[str, object], words: str) -> None:
    given = {"seats": (Person("Ann"), Person("Bob")), "table": Rules(length=1)} | arguments
    with pytest.raises(SettingsError, match=words):
        Session(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [None, "Roll", Roll])
def test_what_is_no_act_is_called_so(wrong: object) -> None:
    session = Session(PEOPLE, dice=SeededDice(1))
    with pytest.raises(RulesError, match=r"is no act of sixprime\.game\.acts"):
        session.submit(wrong)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="stop must be an event"):
        session.advance(stop=True)  # type: ignore[arg-type]
    assert session.history == ()


@pytest.mark.parametrize("name", ["seats", "dice", "automation", "tutor", "adviser", "loaded"])
def test_what_is_set_wrongly_spoils_no_journal(name: str, tmp_path: Path) -> None:
    path = tmp_path / "session"
    session = Session(PEOPLE, dice=SeededDice(1), journal=path)
    session.advance()
    with pytest.raises(SettingsError, match=f"{name} must be"):
        setattr(session, name, 3)
    assert Session.resume(path).table == session.table
    with pytest.raises(SettingsError, match=f"{name} must be"):
        Session.resume(path, **{"seats": PEOPLE, name: 3})  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="path must be the name of a file"):
        session.save(3)  # type: ignore[arg-type]
