"""`Session`: a game in progress with all around it; the only thing at the table that changes.

It asks the seats, throws dice, does what is automatic, takes back and does again, writes every act to a journal before
anybody hears of it and tells whoever watches. Whoever shows a game holds one of these and no rules.

>>> from sixprime.game.match_rules import Rules
>>> from sixprime.play.dice import SeededDice
>>> from sixprime.play.seats import Person
>>> session = Session((Person("Ann"), Person("Bob")), Rules(length=3), dice=SeededDice(1))
>>> session.advance(), session.table.turn, session.table.state.dice
(<Waiting.SEAT: 'a seat'>, 1, (4, 5))
>>> session.submit(session.table.move("13/8 13/9"))
>>> session.undo()
>>> session.table.phase, len(session.redoable)
(<Phase.PLAY: 'play'>, 1)
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from types import TracebackType

from sixprime.checks import Instance, Maybe, Pair
from sixprime.errors import EngineError, RulesError, SettingsError, StoppedError
from sixprime.game.acts import Act, Opening, Roll
from sixprime.game.match_rules import Rules
from sixprime.game.table import Phase, Table
from sixprime.interrupts import deferred
from sixprime.play.automation import Automation
from sixprime.play.dice import DiceSource, SeededDice
from sixprime.play.journal import Entry, Journal, Kept, act_of, entry_of, entry_of_source, refusing, source_of
from sixprime.play.seats import Seat
from sixprime.progress import Stop

Seats = tuple[Seat, Seat]
_GLANCE = 0.02
"""Seconds between two looks at an event that tells us to stop."""


class Waiting(Enum):
    """Why a session does not go on."""

    SEAT = "a seat"  # the player to act, or whoever answers for him, submits an act
    DICE = "dice"  # they are thrown by hand: submit the roll with them
    NEXT_GAME = "the next game"  # submit NextGame
    NOTHING = "nothing"  # the match is over
    STOPPED = "stopped"  # it was told to stop, or is closed


class EventKind(Enum):
    """What a watcher hears of."""

    DONE = "done"
    UNDONE = "undone"
    REDONE = "redone"
    WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class Event:
    """What has happened. step: what was done, of `DONE`. waiting: for what, of `WAITING`. number: of acts until now."""

    kind: EventKind
    number: int
    step: Step | None = None
    waiting: Waiting | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One act, with its dice, and the table after it. alone: it was automatic. throws: thrown until then."""

    act: Act
    table: Table
    alone: bool
    throws: int


_SEATS = Pair(Instance(Seat, "a seat, with `name` and `decide`"))
_TABLE, _AUTOMATION = Maybe(Instance((Table, Rules), "a table or rules")), Maybe(Instance(Automation, "an Automation"))

Watcher = Callable[[Event, Table], None]


@dataclass(frozen=True, slots=True, eq=False)
class _Enough:
    """Set when nobody wants the answer any more to what was asked at a version of the session."""

    session: Session
    version: int
    stop: Stop | None

    def is_set(self) -> bool:
        """As `Stop` says."""
        return self.session._version != self.version or (self.stop is not None and self.stop.is_set())


def _answer(seat: Seat, table: Table, enough: _Enough) -> Act | None:
    """What a seat answers; None, too, when it was stopped."""
    try:
        return seat.decide(table, enough)
    except StoppedError:
        if not enough.is_set():
            raise
        return None


class Session:
    """A match, money session or single game that is played.

    seats: those of players 0 and 1. table: where it begins, or the rules of a new one with the names of the seats; by
    default a money session. dice: by default with a fresh seed. journal: a new file to write; see `resume`.
    All calls may come from any thread; one at a time plays by `advance` or `run`.
    Raises SettingsError for values of another kind, OSError for a journal that cannot be written or is there already.
    """

    def __init__(
        self,
        seats: Seats,
        table: Table | Rules | None = None,
        *,
        dice: DiceSource | None = None,
        automation: Automation | None = None,
        journal: Path | str | None = None,
    ) -> None:
        _SEATS("seats", seats)
        _TABLE("table", table)
        _AUTOMATION("automation", automation)
        if not isinstance(table, Table):
            table = Table.new(table, (seats[0].name, seats[1].name))
        self._dice: DiceSource = dice if dice is not None else SeededDice.fresh()
        self._seats, self._automation = seats, automation or Automation()
        self._begun = table
        self._steps: list[Step] = []
        self._at = 0
        # Goes up with every change, so that an answer to a question of before is known.
        self._version = 0
        self._changed = threading.Condition()
        self._playing = threading.RLock()
        self._watchers: list[Watcher] = []
        self._events: deque[tuple[Event, Table]] = deque()
        self._telling = self._closed = False
        self.problems: list[Exception] = []
        """What watchers have raised; it spoils nothing."""
        self._journal = None if journal is None else Journal.begin(Path(journal), table, self._dice)

    @classmethod
    def resume(
        cls,
        journal: Path | str,
        seats: Seats,
        *,
        dice: DiceSource | None = None,
        automation: Automation | None = None,
    ) -> Session:
        """The session that a journal tells of, which goes on in it. dice: None for those of before.

        Raises `InvalidFileError` for a damaged journal, `SettingsError` where it does not know the source of dice,
        OSError.
        """
        kept = Kept.read(Path(journal))
        session = cls(seats, kept.begun, automation=automation)
        source = kept.dice
        for line, entry in kept.entries:
            with session._changed, refusing(kept.path, line):
                if "go" in entry:
                    session._go(entry["go"])
                elif "dice" in entry and "do" not in entry:
                    source = source_of(entry["dice"])
                else:
                    session._take_up(act_of(entry, session.table), alone=bool(entry.get("alone")))
        session._events.clear()
        source = dice if dice is not None else source
        if source is None:
            raise SettingsError(f"{journal}: the dice came from a source that it does not know; give one.")
        session._dice = source
        session._journal = Journal.go_on(kept.path, kept.size)
        return session

    # What there is to see

    @property
    def table(self) -> Table:
        """The table now."""
        with self._changed:
            return self._steps[self._at - 1].table if self._at else self._begun

    @property
    def begun(self) -> Table:
        """The table at the beginning."""
        return self._begun

    @property
    def history(self) -> tuple[Step, ...]:
        """What led from the beginning to this table."""
        with self._changed:
            return tuple(self._steps[: self._at])

    @property
    def redoable(self) -> tuple[Step, ...]:
        """What was undone and may be done again, the next first."""
        with self._changed:
            return tuple(self._steps[self._at :])

    @property
    def automation(self) -> Automation:
        """What happens by itself."""
        return self._automation

    @automation.setter
    def automation(self, automation: Automation) -> None:
        with self._changed:
            self._automation = automation
            self._touch()

    @property
    def seats(self) -> Seats:
        """Who sits here, player 0 first. May be changed at any time; whoever thinks thinks in vain."""
        return self._seats

    @seats.setter
    def seats(self, seats: Seats) -> None:
        with self._changed:
            self._seats = seats
            self._touch()

    @property
    def dice(self) -> DiceSource:
        """Who throws the dice. May be changed; what was thrown stays."""
        return self._dice

    @dice.setter
    def dice(self, dice: DiceSource) -> None:
        with self._changed, deferred():
            self._write({"dice": entry_of_source(dice)})
            self._dice = dice
            self._touch()

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Has a function called with every event and the table then, in order; the answer ends it.

        What it raises goes into `problems`. It may call anything here but `advance` and `run`.
        """
        with self._changed:
            self._watchers.append(watcher)

        def leave() -> None:
            with self._changed:
                self._watchers = [each for each in self._watchers if each is not watcher]

        return leave

    # What there is to do

    def submit(self, act: Act) -> None:
        """Does an act for whoever decides later; `Opening` and `Roll` without dice have them thrown.

        Raises RulesError, for plays IllegalPlayError, where the rules do not allow it, and for dice that the source
        does not throw; OSError where the journal cannot be written. Then nothing is done.
        """
        with self._changed:
            thrown = self._thrown(act)
            if thrown is None:
                raise RulesError("The dice are thrown by hand: the roll needs them.")
            self._do(thrown, alone=False)
        self._tell()

    def undo(self, player: int | None = None) -> None:
        """Takes back the last act; player: back to before the last that he chose to do. Raises RulesError for none."""
        with self._changed:
            chosen = (
                number
                for number in range(self._at - 1, -1, -1)
                if player is None or self._chosen(self._steps[number], player)
            )
            number = next(chosen, None)
            if number is None:
                raise RulesError("There is nothing to take back.")
            self._go(number)
        self._tell()

    def redo(self) -> None:
        """Does again what was undone last, one act. Raises RulesError when there is none."""
        with self._changed:
            self._go(self._at + 1)
        self._tell()

    def go_to(self, number: int) -> None:
        """Goes back or forth to the table after `number` acts. Another act there drops those behind it.

        Raises RulesError for one that was never reached, OSError as `submit` does.
        """
        with self._changed:
            if number != self._at:
                self._go(number)
        self._tell()

    def advance(self, stop: Stop | None = None) -> Waiting:
        """Plays on as far as it goes without waiting for anybody, and says who is waited for.

        stop: ends the thinking of a seat within moments once it is set.
        Raises EngineError for a seat that breaks the rules or down, SettingsError for one that cannot play this game
        and when there are no more dice, OSError for the journal. What is done stays done.
        """
        with self._playing:
            while True:
                found = self._step(stop)
                self._tell()
                if found is not None:
                    return found[1]

    def run(self, stop: Stop | None = None) -> Waiting:
        """`advance` that waits for whoever submits acts, until the match is over or it is to stop."""
        with self._playing:
            while True:
                found = self._step(stop)
                self._tell()
                if found is not None:
                    version, waiting = found
                    if waiting in (Waiting.NOTHING, Waiting.STOPPED):
                        return waiting
                    self._wait(version, stop)

    def close(self) -> None:
        """Ends the session. Whatever runs stops; the table stays to be seen."""
        with self._changed:
            self._closed = True
            self._touch()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # How it is done; with the lock held where a method does not take it itself

    def _do(self, act: Act, alone: bool) -> None:
        """Does an act with its dice: first in the journal, then here."""
        if self._closed:
            raise RulesError("The session is closed.")
        after = self.table.apply(act)
        with deferred():
            self._write(entry_of(act) | ({"alone": True} if alone else {}))
            self._take_up(act, alone, after)

    def _take_up(self, act: Act, alone: bool, after: Table | None = None) -> None:
        after = after or self.table.apply(act)
        if not (self._at < len(self._steps) and self._steps[self._at].act == act):
            throws = self._throws + isinstance(act, Opening | Roll)
            self._steps[self._at :] = [Step(act, after, alone, throws)]
        self._at += 1
        self._touch(Event(EventKind.DONE, self._at, self._steps[self._at - 1]))

    def _go(self, number: int) -> None:
        if self._closed:
            raise RulesError("The session is closed.")
        if type(number) is not int or not 0 <= number <= len(self._steps):
            raise RulesError(f"There are {len(self._steps)} acts to go back and forth. Got {number!r} instead.")
        with deferred():
            self._write({"go": number})
            kind = EventKind.UNDONE if number < self._at else EventKind.REDONE
            self._at = number
            self._touch(Event(kind, number))

    def _write(self, entry: Entry) -> None:
        if self._journal is not None:
            self._journal.append(entry)

    def _touch(self, event: Event | None = None) -> None:
        """Something has changed."""
        self._version += 1
        if event is not None:
            self._events.append((event, self.table))
        self._changed.notify_all()

    @property
    def _throws(self) -> int:
        return self._steps[self._at - 1].throws if self._at else 0

    def _thrown(self, act: Act) -> Act | None:
        """The act with its dice, if it has any; None: they are thrown by hand, and have not been yet."""
        if not isinstance(act, Opening | Roll) or act not in self.table.legal():
            return act
        dice = self._dice.throw(self._throws)
        if dice is None:
            return None if act.dice is None else act
        if act.dice not in (None, dice):
            raise RulesError(f"The dice of this session are not chosen. Got {act.dice!r} instead of none.")
        return replace(act, dice=dice)

    def _chosen(self, step: Step, player: int) -> bool:
        return not step.alone and getattr(step.act, "player", None) == player

    def _step(self, stop: Stop | None) -> tuple[int, Waiting] | None:
        """One step on; None when something was done or has changed, else what is waited for since which version."""
        with self._changed:
            version, table = self._version, self.table
            if self._closed or (stop is not None and stop.is_set()):
                return version, Waiting.STOPPED
            act = self._automation.act(table)
            alone, who = act is not None, "the session"
            if act is None and table.phase is Phase.MATCH_OVER:
                return self._wants(version, Waiting.NOTHING)
            if act is None and table.turn is None:
                return self._wants(version, Waiting.NEXT_GAME)
            seat = None if table.turn is None or alone else self._seats[table.turn]
        if seat is not None:
            who, act = seat.name, _answer(seat, table, _Enough(self, version, stop))
        with self._changed:
            if self._version != version:
                return None
            if act is None and stop is not None and stop.is_set():
                return version, Waiting.STOPPED
            if act is None:
                return self._wants(version, Waiting.SEAT)
            try:
                thrown = self._thrown(act)
                if thrown is None:
                    return self._wants(version, Waiting.DICE)
                self._do(thrown, alone)
            except RulesError as error:
                raise EngineError(f"{who} acted against the rules: {error}") from error
        return None

    def _wants(self, version: int, waiting: Waiting) -> tuple[int, Waiting]:
        """What is waited for, of which watchers hear once."""
        self._events.append((Event(EventKind.WAITING, self._at, waiting=waiting), self.table))
        return version, waiting

    def _wait(self, version: int, stop: Stop | None) -> None:
        """Until something has changed or it is to stop."""
        with self._changed:
            while self._version == version and not (stop is not None and stop.is_set()):
                self._changed.wait(None if stop is None else _GLANCE)

    def _tell(self) -> None:
        """Tells the watchers, one event after the other, in one thread and without holding anything up."""
        while True:
            with self._changed:
                if self._telling or not self._events:
                    return
                (event, table), watchers = self._events.popleft(), tuple(self._watchers)
                self._telling = True
            try:
                for watcher in watchers:
                    try:
                        watcher(event, table)
                    except Exception as error:
                        self.problems.append(error)
            finally:
                with self._changed:
                    self._telling = False
