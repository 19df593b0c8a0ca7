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
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Literal

import msgspec

from sixprime import reading
from sixprime.analysis.thresholds import Skill
from sixprime.checks import TEXT, Instance, Maybe, Pair, Rule
from sixprime.checks import path as path_of
from sixprime.errors import EngineError, RulesError, SettingsError, StoppedError
from sixprime.game.acts import Act, Opening, Roll
from sixprime.game.match_rules import Rules
from sixprime.game.record import Match
from sixprime.game.table import Phase, Table
from sixprime.interrupts import deferred
from sixprime.paths import locked
from sixprime.play.advice import Adviser, Choice, Hint, Judgement, Tutor, words_of
from sixprime.play.automation import Automation
from sixprime.play.clock import Clock, annotated
from sixprime.play.dice import DiceSource, Loaded, SeededDice
from sixprime.play.journal import (
    Entry,
    Journal,
    Kept,
    act_of,
    beginning,
    entry_of,
    entry_of_source,
    refusing,
    source_of,
)
from sixprime.play.seats import Person, Seat, seat_of
from sixprime.progress import Stop

Seats = tuple[Seat, Seat]
_GLANCE = 0.02
"""Seconds between two looks at an event that tells us to stop."""


class Waiting(Enum):
    """Why a session does not go on."""

    SEAT = "a seat"  # the player to act, or whoever answers for him, submits an act
    DICE = "dice"  # they are thrown by hand: submit the roll with them
    NEXT_GAME = "the next game"  # submit NextGame
    NOTHING = "nothing"  # the match is over, or lost by time
    STOPPED = "stopped"  # it was told to stop, or is closed


class EventKind(Enum):
    """What a watcher hears of."""

    DONE = "done"
    UNDONE = "undone"
    REDONE = "redone"
    WAITING = "waiting"
    WARNED = "warned"  # the tutor warns of an act, which is not done
    LATE = "late"  # whoever was to act has used his time up, and has lost by it
    CHANGED = "changed"  # seats, dice, automation, tutor, a comment or what is known of the match


@dataclass(frozen=True, slots=True)
class Event:
    """What has happened. step: what was done, of `DONE`. waiting: for what, of `WAITING`. warning: of `WARNED`.
    number: of acts until now."""

    kind: EventKind
    number: int
    step: Step | None = None
    waiting: Waiting | None = None
    warning: Warned | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One act, with its dice, and the table after it. alone: it was automatic. throws: thrown until then.

    seconds: the player thought, None where there is no clock. comment: what somebody said of it. loaded: the dice were
    chosen for the player.
    """

    act: Act
    table: Table
    alone: bool
    throws: int
    seconds: float | None = None
    comment: str = ""
    loaded: bool = False


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning of the tutor. number: of acts before. words, better: the act and a best one; loss: in equity (EMG).

    choice: what was to be decided. skill: the mark. The tutor's adviser remembers all about it for a while.
    """

    number: int
    player: int
    choice: Choice
    words: str
    better: str
    loss: float
    skill: Skill


_SEATS = Pair(Instance(Seat, "a seat, with `name` and `decide`"))
_DICE = Instance(DiceSource, "a source of dice, with `throw`")
_AUTOMATION = Instance(Automation, "an Automation")
_RULES: dict[str, Rule] = {
    "table": Maybe(Instance((Table, Rules), "a table or rules")),
    "seats": Maybe(_SEATS),
    "dice": Maybe(_DICE),
    "automation": Maybe(_AUTOMATION),
    "tutor": Maybe(Instance(Tutor)),
    "adviser": Maybe(Instance(Adviser, "an Adviser")),
    "clock": Maybe(Instance(Clock)),
    "info": Maybe(Instance(Mapping, "names and texts")),
    "loaded": Maybe(Instance(Loaded)),
    "stop": Maybe(Instance(Stop, "an event, as of threading")),
}
_INFO = ("event", "round", "place", "date", "time", "annotator", "comment")

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


@dataclass(slots=True)
class _Told:
    """What a journal says beside what was done, as far as it has been read."""

    dice: DiceSource | None
    seats: tuple[tuple[str, str] | None, tuple[str, str] | None] | None = None
    automation: Automation = field(default_factory=Automation)
    clock: Clock | None = None
    info: dict[str, str] = field(default_factory=dict)

    def take_up(self, entry: Entry) -> None:
        """What a line, or a part of the first one, says. Raises as `refusing` knows it."""
        if "dice" in entry:
            self.dice = source_of(entry["dice"])
        elif "seats" in entry:
            self.seats = msgspec.convert(entry["seats"], tuple[tuple[str, str] | None, tuple[str, str] | None])
        elif "automation" in entry:
            self.automation = msgspec.convert(entry["automation"], Automation)
        elif "info" in entry:
            self.info = msgspec.convert(entry["info"], dict[str, str])
        elif "clock" in entry:
            # What does not say so was played by a clock that only told the time.
            self.clock = msgspec.convert({"loses": False} | entry["clock"], Clock)
        else:
            raise KeyError("do")


def _check(**given: object) -> None:
    """Raises SettingsError for what a session is given of another kind: it would spoil the journal, or come to light
    when it is too late."""
    for name, value in given.items():
        _RULES[name](name, value)


def _told(seats: Seats) -> tuple[tuple[str, str] | None, ...] | None:
    """Who sits there, where that can be said in texts."""
    texts = [getattr(seat, "spec", "") for seat in seats]
    told = tuple((text, seat.name) if text else None for text, seat in zip(texts, seats, strict=True))
    return told if any(texts) else None


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
    default a money session. dice: by default of the system, never the same again. journal: a new file to write; see
    `resume`. tutor: looks at what is submitted; adviser: gives hints, by default the tutor's. clock: takes the times;
    None: nobody does. info: what is known of the match, as in `Match.info`. loaded: cheats at dice.
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
        tutor: Tutor | None = None,
        adviser: Adviser | None = None,
        clock: Clock | None = None,
        info: Mapping[str, str] | None = None,
        loaded: Loaded | None = None,
    ) -> None:
        _SEATS("seats", seats)
        _check(table=table, dice=dice, automation=automation, tutor=tutor, adviser=adviser)
        _check(clock=clock, info=info, loaded=loaded)
        for key, text in (info or {}).items():
            TEXT("info", key)
            TEXT(key, text)
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
        self._tutor, self._adviser, self._clock = tutor, adviser, clock
        self._loaded = loaded
        self._warnings: list[Warned] = []
        self._info = dict(info or {})
        # When whoever is to act began to think; None while nobody's time runs, `_spent` before that.
        self._since: float | None = time.monotonic()
        self._spent = 0.0
        self._late: int | None = None
        self._journal: Journal | None = None
        if journal is not None:
            beside = {
                "seats": _told(seats),
                "automation": msgspec.to_builtins(self._automation) if self._automation != Automation() else None,
                "clock": None if clock is None else msgspec.to_builtins(clock),
                "info": self._info,
            }
            first = beginning(table, self._dice) | {name: value for name, value in beside.items() if value}
            self._journal = Journal.begin(Path(path_of(journal)), first)

    @classmethod
    def resume(
        cls,
        journal: Path | str,
        seats: Seats | None = None,
        *,
        dice: DiceSource | None = None,
        automation: Automation | None = None,
        tutor: Tutor | None = None,
        adviser: Adviser | None = None,
        clock: Clock | None = None,
        loaded: Loaded | None = None,
    ) -> Session:
        """The session that a journal tells of, which goes on in it. seats, dice, automation, clock: None for those of
        before.

        Raises `InvalidFileError` for a damaged journal, `SettingsError` for values of another kind and where it does
        not know the source of dice or who sat there, OSError; BlockingIOError while another process has it.
        """
        _check(seats=seats, dice=dice, automation=automation, tutor=tutor, adviser=adviser, clock=clock, loaded=loaded)
        path = Path(path_of(journal))
        with reading.opened(path, reading.ROWS):
            pass
        mine = locked(path)
        kept = Kept.read(path)
        session, told = cls._of(kept, seats)
        source = dice if dice is not None else told.dice
        if source is None:
            raise SettingsError(f"{journal}: the dice came from a source that it does not know; give one.")
        if seats is None:
            if told.seats is None or told.seats[0] is None or told.seats[1] is None:
                raise SettingsError(f"{journal}: it does not know who sat there; give the seats.")
            session._seats = seat_of(*told.seats[0]), seat_of(*told.seats[1])
        session._dice, session._automation = source, automation or told.automation
        session._tutor, session._adviser, session._loaded = tutor, adviser, loaded
        session._clock = clock or told.clock
        session._journal = Journal.go_on(kept.path, kept.size)
        del mine  # the journal has it
        return session

    @classmethod
    def looked_at(cls, journal: Path | str) -> Session:
        """What a journal tells of, to be looked at and not to be gone on with. Raises `InvalidFileError`,
        SettingsError, OSError."""
        return cls._of(Kept.read(Path(path_of(journal))), None)[0]

    @classmethod
    def _of(cls, kept: Kept, seats: Seats | None) -> tuple[Session, _Told]:
        """A session with all that a journal tells of, which does not write to it."""
        told = _Told(kept.dice)
        with refusing(kept.path, 1):
            for name, value in kept.beside.items():
                told.take_up({name: value})
        first, second = (Person(name) for name in kept.begun.names)
        session = cls(seats or (first, second), kept.begun, info=told.info)
        for line, entry in kept.entries:
            with session._changed, refusing(kept.path, line):
                session._take_up_line(entry, told)
        session._events.clear()
        return session, told

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
        _AUTOMATION("automation", automation)
        self._change("_automation", automation, {"automation": msgspec.to_builtins(automation)})

    @property
    def seats(self) -> Seats:
        """Who sits here, player 0 first. May be changed at any time; whoever thinks thinks in vain."""
        return self._seats

    @seats.setter
    def seats(self, seats: Seats) -> None:
        _SEATS("seats", seats)
        self._change("_seats", seats, {"seats": _told(seats) or (None, None)})

    @property
    def dice(self) -> DiceSource:
        """Who throws the dice. May be changed; what was thrown stays."""
        return self._dice

    @dice.setter
    def dice(self, dice: DiceSource) -> None:
        _DICE("dice", dice)
        self._change("_dice", dice, {"dice": entry_of_source(dice)})

    @property
    def loaded(self) -> Loaded | None:
        """Who cheats at dice; None: nobody. May be changed; what was thrown stays, and is marked for good."""
        return self._loaded

    @loaded.setter
    def loaded(self, loaded: Loaded | None) -> None:
        _check(loaded=loaded)
        self._change("_loaded", loaded)

    @property
    def tutor(self) -> Tutor | None:
        """Who looks at what is submitted before it counts; None: nobody. May be changed."""
        return self._tutor

    @tutor.setter
    def tutor(self, tutor: Tutor | None) -> None:
        _check(tutor=tutor)
        self._change("_tutor", tutor)

    @property
    def adviser(self) -> Adviser | None:
        """Who gives hints; None: nobody can. May be changed."""
        return self._adviser or (self._tutor.adviser if self._tutor is not None else None)

    @adviser.setter
    def adviser(self, adviser: Adviser | None) -> None:
        _check(adviser=adviser)
        self._adviser = adviser

    @property
    def warnings(self) -> tuple[Warned, ...]:
        """What the tutor has warned of, oldest first, whatever was done or undone afterwards."""
        with self._changed:
            return tuple(self._warnings)

    def heeded(self, warning: Warned) -> bool | None:
        """Whether something else was done than what was warned of; None while that is not decided or undone again."""
        with self._changed:
            if self._at <= warning.number:
                return None
            before = self._steps[warning.number - 1].table if warning.number else self._begun
            return words_of(self._steps[warning.number].act, before) != warning.words

    @property
    def clock(self) -> Clock | None:
        """Who takes the times; None: nobody."""
        return self._clock

    @property
    def used(self) -> tuple[float, float]:
        """Seconds of both players that count until now; 0 without a clock."""
        with self._changed:
            turn, clock = self.table.turn, self._clock
            if clock is None:
                return 0.0, 0.0
            return clock.used(self._steps[: self._at], None if turn is None else (turn, self._thought()))

    @property
    def left(self) -> tuple[float, float] | None:
        """Seconds that both players have left, below 0 for who is over his time; None without a limit."""
        return None if self._clock is None else self._clock.left(self.used)

    @property
    def paused(self) -> bool:
        """Whether nobody's time runs. May be set, but for a match that was lost by time; the next act ends it."""
        return self._since is None

    @paused.setter
    def paused(self, paused: bool) -> None:
        with self._changed:
            if paused != (self._since is None) and self._late is None:
                self._spent, self._since = self._thought(), None if paused else time.monotonic()
                # Who waits for the end of somebody's time waits for another moment now.
                self._changed.notify_all()

    @property
    def late(self) -> int | None:
        """The player who has used his time up and has lost the match by it; None: nobody. Nothing can be done then.

        It is found out when somebody acts, is waited for by `run`, or asks: this looks at the clock.
        """
        with self._changed:
            late = self._fallen()
        self._tell()
        return late

    @property
    def limit(self) -> float | None:
        """Seconds after which to look whether whoever is to act has lost by time; None while he cannot."""
        with self._changed:
            clock, turn, left = self._clock, self.table.turn, self.left
            if clock is None or not clock.loses or turn is None or left is None or self._since is None or self._closed:
                return None
            # What is free in this turn may come first: then somebody looks again.
            return max(_GLANCE, left[turn])

    @property
    def over(self) -> bool:
        """Whether nothing is left to be played: the match has been won, or lost by time."""
        return self.late is not None or self.table.phase is Phase.MATCH_OVER

    @property
    def info(self) -> dict[str, str]:
        """What is known of the match, as in `Match.info`: event, round, place, date, comment ... Changed by `tell`."""
        with self._changed:
            return dict(self._info)

    def tell(self, **info: str) -> None:
        """Sets what is known of the match; an empty text takes it out. Raises SettingsError for other keys, OSError."""
        for key, text in info.items():
            if key not in _INFO:
                raise SettingsError(f"what is known of a match is one of {', '.join(_INFO)}. Got {key!r} instead.")
            TEXT(key, text)
        with self._changed:
            known = {key: text for key, text in (self._info | info).items() if text}
            self._change("_info", known, {"info": known})

    def comment(self, text: str, number: int | None = None) -> None:
        """Says something of the act with that number, from 1, by default the last; an empty text takes it back.

        Raises RulesError where there is no such act, OSError.
        """
        TEXT("comment", text)
        with self._changed:
            number = self._at if number is None else number
            if type(number) is not int or not 1 <= number <= self._at:
                raise RulesError(f"There are {self._at} acts to say something of. Got {number!r} instead.")
            with self._changing({"of": number, "comment": text}):
                self._remark(number, text)

    def record(self) -> Match:
        """The match so far, with comments, times and what is known of it; see `Table.record`.

        Where dice were loaded, or somebody has lost by time, the comment on the match says so; `late` is who has.
        """
        with self._changed:
            steps, info = self._steps[: self._at], dict(self._info)
            match, late = annotated(self.table.record(), steps), self._late
        said = [info.get("comment")]
        if cheats := sum(step.loaded for step in steps):
            said.append(f"Loaded dice: {cheats} rolls were chosen, not thrown.")
        if late is not None:
            said.append(f"{self.table.names[late]} used the time up and lost by it.")
        if comment := "\n".join(part for part in said if part):
            info["comment"] = comment
        return replace(match, info={**match.info, **info}, late=late) if info else match

    def save(self, path: Path | str, format: str | None = None) -> list[Path]:
        """Writes the match so far, finished or not, in the format of that name or of the suffix. Returns the files.

        Raises SettingsError for an unknown format, InvalidFileError for what it cannot hold, as a match in which
        nothing has happened; OSError.
        """
        # Formats take longer to load than all the rest.
        from sixprime import formats
        from sixprime.analysis.prepared import prepared

        path = path_of(path)
        known = formats.format_for(format, path)
        return formats.write(prepared([self.record()], known.name), path, known)

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

    def submit(
        self, act: Act, *, anyway: bool = False, at: int | None = None, stop: Stop | None = None
    ) -> Warned | None:
        """Does an act for whoever decides later; `Opening` and `Roll` without dice have them thrown.

        With a `tutor`, an act that loses too much is not done, and the warning is returned; anyway: it is done
        unjudged. at: the acts done when it was chosen; None: whatever has been done. stop: ends the tutor's thinking,
        with StoppedError.
        Raises RulesError, for plays IllegalPlayError, where the rules do not allow it, for dice that the source does
        not throw and where the time is over; OSError where the journal cannot be written. Then nothing is done.
        """
        self._in_time()
        with self._changed:
            table, seen, tutor = self.table, self._at, self._tutor
            self._still(at)
        if tutor is not None and not anyway and not self._closed and act in table.legal():
            judgement = tutor.warns(table, act, stop=stop)
            if judgement is not None:
                return self._warn(seen, judgement, getattr(act, "player", 0))
            self._in_time()
        with self._changed:
            self._still(seen if tutor is not None and not anyway else at)
            thrown, loaded = self._thrown(act)
            if thrown is None and isinstance(act, Opening | Roll):
                raise RulesError("The dice are thrown by hand: the roll needs them.")
            self._do(thrown or act, alone=False, loaded=loaded)
        self._tell()
        return None

    def hint(self, *, stop: Stop | None = None) -> Hint:
        """All that can be done now, best first, by the `adviser`; resigning apart.

        Raises SettingsError without an adviser, RulesError where nobody has to decide, StoppedError.
        """
        adviser = self.adviser
        if adviser is None:
            raise SettingsError("this session has nobody who gives hints; give it an adviser.")
        return adviser.hint(self.table, stop=stop)

    def undo(self, player: int | None = None, *, at: int | None = None) -> None:
        """Takes back the last act; player: back to before the last that he chose to do; at: as for `submit`.

        Raises RulesError for none, and after a loss by time.
        """
        self._in_time()
        with self._changed:
            self._still(at)
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
        """Does again what was undone last, one act. Raises RulesError when there is none, and as `undo`."""
        self._in_time()
        with self._changed:
            if self._at == len(self._steps) and not self._closed:
                raise RulesError("There is nothing to do again.")
            self._go(self._at + 1)
        self._tell()

    def go_to(self, number: int, *, at: int | None = None) -> None:
        """Goes back or forth to the table after `number` acts. Another act there drops those behind it. at: as for
        `submit`.

        Raises RulesError for one that was never reached, and as `undo`; OSError as `submit` does.
        """
        self._in_time()
        with self._changed:
            self._still(at)
            if number != self._at:
                self._go(number)
        self._tell()

    def advance(self, stop: Stop | None = None) -> Waiting:
        """Plays on as far as it goes without waiting for anybody, and says who is waited for.

        stop: ends the thinking of a seat within moments once it is set.
        Raises EngineError for a seat that breaks the rules or down, SettingsError for one that cannot play this game
        and when there are no more dice, OSError for the journal. What is done stays done.
        """
        _check(stop=stop)
        with self._playing:
            return self._advance(stop)[1]

    def run(self, stop: Stop | None = None) -> Waiting:
        """`advance` that waits for whoever submits acts, until the match is over or it is to stop."""
        _check(stop=stop)
        with self._playing:
            while True:
                version, waiting = self._advance(stop)
                if waiting in (Waiting.NOTHING, Waiting.STOPPED):
                    return waiting
                self._wait(version, stop)

    def close(self) -> None:
        """Ends the session. Whatever runs stops; the table stays to be seen."""
        with self._changed:
            self._closed = True
            if self._journal is not None:
                self._journal.close()
            self._touch()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # How it is done; with the lock held where a method does not take it itself

    def _do(self, act: Act, alone: bool, loaded: bool) -> None:
        """Does an act with its dice: first in the journal, then here."""
        if self._closed:
            raise RulesError("The session is closed.")
        after = self.table.apply(act)
        if isinstance(act, Opening | Roll) and act.dice is not None:
            first, second = act.dice
            act = replace(act, dice=(int(first), int(second)))  # they may be NumPy's
        seconds = None
        if self._clock is not None and not alone and self.table.turn is not None:
            seconds = round(self._thought(), 3)
        beside = {"alone": alone or None, "seconds": seconds, "loaded": loaded or None}
        entry = entry_of(act) | {name: value for name, value in beside.items() if value is not None}
        with deferred():
            self._write(entry)
            self._take_up(act, after, alone, seconds, loaded)

    def _take_up(self, act: Act, after: Table, alone: bool, seconds: float | None, loaded: bool) -> None:
        throws = self._throws + isinstance(act, Opening | Roll)
        step = Step(act, after, alone, throws, seconds, loaded=loaded)
        if not (self._at < len(self._steps) and self._steps[self._at].act == step.act):
            self._steps[self._at :] = [step]
        self._at += 1
        self._since, self._spent = time.monotonic(), 0.0
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
            self._since, self._spent = time.monotonic(), 0.0
            self._touch(Event(kind, number))

    def _take_up_line(self, entry: Entry, told: _Told) -> None:
        """What a line of the journal says, done here. Raises as `refusing` knows it."""
        if "go" in entry:
            self._go(entry["go"])
        elif "do" in entry:
            seconds = msgspec.convert(entry.get("seconds"), float | None)
            act = act_of(entry, self.table)
            alone, loaded = (bool(entry.get(name)) for name in ("alone", "loaded"))
            self._take_up(act, self.table.apply(act), alone, seconds, loaded)
        elif "comment" in entry:
            self._remark(entry["of"], msgspec.convert(entry["comment"], str))
        elif "warned" in entry:
            self._warnings.append(msgspec.convert(entry["warned"], Warned))
        elif "late" in entry:
            self._spent, self._since = msgspec.convert(entry["seconds"], float), None
            self._late = msgspec.convert(entry["late"], Literal[0, 1])
        else:
            told.take_up(entry)
            self._info = told.info

    def _remark(self, number: int, text: str) -> None:
        self._steps[number - 1] = replace(self._steps[number - 1], comment=text)

    def _warn(self, at: int, judgement: Judgement, player: int) -> Warned:
        hint, option = judgement.hint, judgement.option
        loss = round(option.loss, 6)
        warning = Warned(at, player, hint.choice, option.words, hint.best.words, loss, judgement.skill)
        with self._changed, deferred():
            if self._closed:
                raise RulesError("The session is closed.")
            self._write({"warned": msgspec.to_builtins(warning)})
            self._warnings.append(warning)
            self._events.append((Event(EventKind.WARNED, at, warning=warning), self.table))
        self._tell()
        return warning

    def _thought(self) -> float:
        """Seconds since whoever is to act began to think."""
        return self._spent + (time.monotonic() - self._since if self._since is not None else 0.0)

    def _fallen(self) -> int | None:
        """Who has lost by time, with the clock looked at now."""
        clock, turn = self._clock, self.table.turn
        if self._late is None and clock is not None and not self._closed and clock.lost(turn, self.used):
            with deferred():
                self._write({"late": turn, "seconds": round(self._thought(), 3)})
                self._spent, self._since, self._late = self._thought(), None, turn
                self._touch(Event(EventKind.LATE, self._at))
        return self._late

    def _in_time(self) -> None:
        """Raises RulesError once somebody has lost by time. Without the lock."""
        if (late := self.late) is not None:
            raise RulesError(f"Nothing can be done any more: {self.table.names[late]} has lost by time.")

    def _write(self, entry: Entry) -> None:
        if self._journal is not None:
            self._journal.append(entry)

    @contextmanager
    def _changing(self, entry: Entry | None = None) -> Iterator[None]:
        """Within the block something beside the acts is changed: with the lock, once the journal has the line that says
        so, if there is one."""
        with self._changed, deferred():
            if entry is not None:
                self._write(entry)
            yield
            self._touch(Event(EventKind.CHANGED, self._at))

    def _change(self, name: str, value: object, entry: Entry | None = None) -> None:
        """Gives something beside the acts another value; entry: as of `_changing`."""
        with self._changed:
            if getattr(self, name) != value:
                with self._changing(entry):
                    setattr(self, name, value)

    def _touch(self, event: Event | None = None) -> None:
        """Something has changed."""
        self._version += 1
        if event is not None:
            self._events.append((event, self.table))
        self._changed.notify_all()

    @property
    def _throws(self) -> int:
        return self._steps[self._at - 1].throws if self._at else 0

    def _thrown(self, act: Act) -> tuple[Act | None, bool]:
        """The act with its dice, if it has any, and whether they were loaded; None: they are thrown by hand, and have
        not been yet."""
        if not isinstance(act, Opening | Roll) or act not in self.table.legal():
            return act, False
        cheat = self._loaded.throw(self.table) if self._loaded is not None else None
        dice = cheat or self._dice.throw(self._throws)
        if dice is None:
            return None if act.dice is None else act, False
        if act.dice not in (None, dice):
            raise RulesError(f"The dice of this session are not chosen. Got {act.dice!r} instead of none.")
        return replace(act, dice=dice), cheat is not None

    def _chosen(self, step: Step, player: int) -> bool:
        return not step.alone and getattr(step.act, "player", None) == player

    def _advance(self, stop: Stop | None) -> tuple[int, Waiting]:
        """One step after the other; what is then waited for, since which version."""
        found = None
        while found is None:
            found = self._step(stop)
            self._tell()
        return found

    def _step(self, stop: Stop | None) -> tuple[int, Waiting] | None:
        """One step on; None when something was done or has changed, else what is waited for since which version."""
        with self._changed:
            version, table = self._version, self.table
            if self._closed or (stop is not None and stop.is_set()):
                return version, Waiting.STOPPED
            if self._fallen() is not None:
                return self._wants(version, Waiting.NOTHING)
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
            if self._version != version or (not alone and self._fallen() is not None):
                return None
            if act is None and stop is not None and stop.is_set():
                return version, Waiting.STOPPED
            if act is None:
                return self._wants(version, Waiting.SEAT)
            try:
                thrown, loaded = self._thrown(act)
                if thrown is None:
                    return self._wants(version, Waiting.DICE)
                self._do(thrown, alone, loaded)
            except RulesError as error:
                raise EngineError(f"{who} acted against the rules: {error}") from error
        return None

    def _still(self, at: int | None) -> None:
        """Raises RulesError when other acts than `at` have been done."""
        if at is not None and self._at != at:
            raise RulesError("The table has changed meanwhile; look again.")

    def _wants(self, version: int, waiting: Waiting) -> tuple[int, Waiting]:
        """What is waited for, of which watchers hear once."""
        self._events.append((Event(EventKind.WAITING, self._at, waiting=waiting), self.table))
        return version, waiting

    def _wait(self, version: int, stop: Stop | None) -> None:
        """Until something has changed, somebody's time is over or it is to stop."""
        with self._changed:
            while self._version == version and not (stop is not None and stop.is_set()) and self._fallen() is None:
                self._changed.wait(self.limit if stop is None else _GLANCE)

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
