"""A sitting: a session that is played by whoever knows a key of it, in any number of windows."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from sixprime.errors import RulesError, SixprimeError
from sixprime.game.acts import Accept, Act, Beaver, Decline, Double, Drop, NextGame, Opening, Resign, Roll, Take
from sixprime.game.numbering import NO_TURNS
from sixprime.game.numbering import rows as numbers
from sixprime.game.record import ActionKind
from sixprime.game.table import Phase, Table
from sixprime.play import Event, EventKind, ManualDice, Person, Session, Step, Waiting
from sixprime.play.wording import does, happened, headline, lost_by_time, offer, one_line, outcome
from sixprime.report import words
from sixprime.web import messages as m
from sixprime.web.boards import alone_of, board_of, entered, entry_of, first_entry
from sixprime.web.desk import Busy

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from sixprime.progress import Stop

_LINES = 100
"""Sentences about the game that are kept."""
WINDOWS = 16
"""Windows that one key may have open at a sitting."""
PACE = 1.0
"""Seconds from one act of two programs that are watched to the next."""
_ACTS: dict[str, type] = {
    "roll": Roll,
    "double": Double,
    "take": Take,
    "drop": Drop,
    "beaver": Beaver,
    "accept": Accept,
    "decline": Decline,
}


@dataclass(frozen=True, slots=True)
class Keys:
    """Who may do what. own: the key of whoever made the sitting; invitation: that of the other side, None where nobody
    is invited; guest: the player it acts for. tutor, guest_tutor: whether each is warned of errors; came: whether the
    guest has been there; report: the key of the report of what was played. hints: whether there are any while the match
    goes on. paused: whether two programs that are watched pause."""

    own: str
    invitation: str | None = None
    guest: int = 1
    tutor: bool = False
    came: bool = False
    report: str = ""
    guest_tutor: bool = False
    hints: bool = True
    paused: bool = False


class Sitting:
    """A session with its windows. Programs think in `pool`, and only while somebody looks on; keep: writes changed keys
    down."""

    def __init__(self, session: Session, keys: Keys, pool: Executor, keep: Callable[[Keys], None]) -> None:
        self.session, self.keys, self._keep = session, keys, keep
        self.version = 0
        self.problem = ""
        self.gone = False
        self.lines: deque[str] = deque(maxlen=_LINES)
        self._pool, self._lock = pool, threading.Lock()
        self._running = self._again = False
        self._stop = threading.Event()
        self._windows: dict[Callable[[], None], str] = {}
        self._alarm: threading.Timer | None = None
        # Of two programs that are watched: whether they pause, all the same do one act, or have done one by now.
        self._paused, self._single, self._acted = keys.paused, False, False
        self._going_on: threading.Timer | None = None
        self._unthrown: Table | None = None  # where a program has decided to roll, and somebody throws
        session.paused = True  # until somebody looks on
        session.watch(self._hear)

    # Who looks on

    def open_window(self, changed: Callable[[], None], key: str) -> None:
        """Somebody looks on; changed: called, from any thread, with every change. Raises Busy for too many."""
        with self._lock:
            if sum(each == key for each in self._windows.values()) >= WINDOWS:
                raise Busy(f"{WINDOWS} windows look at this game; close one first.")
            self._windows[changed] = key
            self._stop.clear()
        self._run_clock()
        self.go_on()
        if key == self.keys.invitation and not self.keys.came:
            with suppress(OSError):  # the game goes on, though a restart forgets it
                self.kept(came=True)

    def kept(self, **changes: Any) -> None:
        """Has what is said beside the keys be found again after a restart. Raises OSError."""
        with self._lock:
            keys = replace(self.keys, **changes)
            if not self.gone:
                self._keep(keys)
            self.keys = keys
        if changes.get("came"):
            self._run_clock()
        self.touch()

    def close_window(self, changed: Callable[[], None]) -> None:
        """He does not any more. Programs and clock stop when the last one goes."""
        with self._lock:
            self._windows.pop(changed, None)
            if not self._windows:
                self._stop.set()
        self._run_clock()

    def touch(self) -> None:
        """Something has changed that windows show."""
        with self._lock:
            self.version += 1
            windows = tuple(self._windows)
        self._set_alarm()
        for changed in windows:
            changed()

    def _run_clock(self) -> None:
        """Lets the time run while somebody looks on, and not before whoever is invited has come, nor in a pause."""
        self.session.paused = not self._windows or self._waits or self._paused or self.gone
        self._set_alarm()

    def _set_alarm(self) -> None:
        """Has somebody look at the clock when it may be over, though nobody does anything."""
        seconds = self.session.limit if self._windows else None
        with self._lock:
            if self._alarm is not None:
                self._alarm.cancel()
            self._alarm = None if seconds is None else threading.Timer(seconds, self._look_at_clock)
            if self._alarm is not None:
                self._alarm.daemon = True
                self._alarm.start()

    def _look_at_clock(self) -> None:
        if self.session.late is None:
            self._set_alarm()

    @property
    def _waits(self) -> bool:
        """Whether somebody is invited who has not come yet."""
        return self.keys.invitation is not None and not self.keys.came

    @property
    def watched(self) -> bool:
        """Whether anybody looks on."""
        return bool(self._windows)

    def _hear(self, event: Event, table: Table) -> None:
        if event.kind is EventKind.DONE and event.step is not None:
            self._acted = True
            self.lines.extend(happened(event.step.act, table, self.people))
            if self._waits:
                self.session.paused = True
        elif event.kind is EventKind.LATE and table.turn is not None:
            self.lines.append(lost_by_time(table, table.turn))
        elif event.kind is EventKind.WAITING:
            self._unthrown = table if event.waiting is Waiting.DICE else None
        elif event.kind in (EventKind.UNDONE, EventKind.REDONE):
            self.lines.append("Taken back." if event.kind is EventKind.UNDONE else "Done again.")
        self.touch()

    # The session goes on

    def go_on(self) -> None:
        """Has the session play on as far as it can, elsewhere."""
        with self._lock:
            if self._running:
                self._again = True
                return
            self._running = True
        self.problem = ""
        try:
            self._pool.submit(self._advance)
        except RuntimeError:  # the server is ending
            self._running = False

    def watch(self, do: str) -> None:
        """Has two programs pause, go on or do one act. Raises RulesError where somebody plays himself."""
        if self.people:
            raise RulesError("Somebody plays here himself, whom nobody has pause.")
        self._paused, self._single = do != "go_on", do == "step"
        self._run_clock()
        if self._paused != self.keys.paused:
            with suppress(OSError):  # they do all the same, though a restart forgets it
                self.kept(paused=self._paused)
        self.touch()
        self.go_on()

    def _go_on_later(self) -> None:
        """Has programs that are watched go on when their act has been seen."""
        with self._lock:
            if self._going_on is not None:
                self._going_on.cancel()
            self._going_on = threading.Timer(PACE, self.go_on)
            self._going_on.daemon = True
            self._going_on.start()

    def _advance(self) -> None:
        while True:
            with self._lock:
                self._again = self._acted = False
            waiting = Waiting.NOTHING
            try:
                waiting = self.session.advance(self._stop if self.people else _OneAct(self))
            except (SixprimeError, OSError) as error:
                self.problem = one_line(error)
            except Exception:  # what goes wrong is told, and the sitting is not held up for good
                self.problem = m.BUG
            with self._lock:
                if self._again and not self._stop.is_set() and not self.problem:
                    continue
                self._running = self._single = False
            if waiting is Waiting.STOPPED and self._acted and not (self._paused or self._stop.is_set()):
                self._go_on_later()
            self.touch()
            return

    def close(self) -> None:
        """Ends it; the journal keeps it."""
        self._stop.set()
        if self._going_on is not None:
            self._going_on.cancel()
        self.session.close()
        self._set_alarm()

    def leave(self) -> None:
        """Ends it for its windows, too; from now on nothing of it is written down."""
        with self._lock:
            self.gone = True
        self._run_clock()
        self.close()
        self.touch()

    # Who is who

    @property
    def people(self) -> tuple[int, ...]:
        """Players who are people."""
        return tuple(player for player, seat in enumerate(self.session.seats) if isinstance(seat, Person))

    def mine(self, key: str) -> tuple[int, ...]:
        """The players whom the owner of a key acts for."""
        if key == self.keys.invitation:
            return (self.keys.guest,)
        return tuple(player for player in self.people if self.keys.invitation is None or player != self.keys.guest)

    def tutored(self, key: str) -> bool:
        """Whether whoever has a key is warned of errors."""
        wanted = self.keys.guest_tutor if key == self.keys.invitation else self.keys.tutor
        return wanted and self.hints and self.session.tutor is not None

    @property
    def hints(self) -> bool:
        """Whether there are hints, a tutor and reports by now: where they were agreed on, and after the match, of money
        sessions after each game."""
        table = self.session.table
        between = not table.rules.length and table.phase is Phase.GAME_OVER
        return self.keys.hints or between or self.session.over

    def check_hints(self) -> None:
        """Raises RulesError while there are no hints."""
        if not self.hints:
            raise RulesError("This match is played without hints; it can be analysed once it is over.")

    def throws(self, key: str, table: Table) -> Literal["", "open", "roll"]:
        """Which dice whoever has a key has to tell, as `Told` has it: his own, and the owner those of a program."""
        if not isinstance(self.session.dice, ManualDice) or (self.people and not self.mine(key)):
            return ""
        if table.phase is Phase.OPENING:
            return "open" if key == self.keys.own else ""
        if table.phase is not Phase.ROLL:
            return ""
        program = table.turn not in self.people and table is self._unthrown and key == self.keys.own
        return "roll" if program or table.turn in self.mine(key) else ""

    # What is seen

    def told(self, key: str) -> m.Told:
        """All of it, for whoever has the key."""
        session = self.session
        late, version = session.late, self.version
        (history, table), redoable = _look(session), session.redoable
        mine, legal = self.mine(key), table.legal()
        # Who has lost by time, and who has won, have nothing to do any more.
        turn = table.turn if late is None else None
        asked = turn is not None and turn in mine
        names = words.names(table.match)
        entry = first_entry(table) if asked and table.phase is Phase.PLAY else None
        state = table.state
        throws = self.throws(key, table) if late is None else ""
        acts = [name for name, kind in _ACTS.items() if asked and kind in legal and not (throws and name == "roll")]
        if table.phase is Phase.GAME_OVER and (mine or not self.people) and late is None:
            acts.append("next")
        if entry is not None:
            acts.append("play")
        offers = legal.offers(_speaker(mine, turn))
        last = next((each for each in reversed(table.game.actions) if each.play is not None), None)
        thinks = turn is not None and turn not in self.people and not throws
        over = late is not None or table.phase is Phase.MATCH_OVER
        winner = table.game.winner
        if over:
            winner = int(table.score[1] > table.score[0]) if late is None else 1 - late
        said = headline(table)
        return m.Told(
            version=version,
            number=len(history),
            phase=(table.phase if late is None else Phase.MATCH_OVER).value,
            turn=turn,
            mine=mine,
            names=names,
            unnamed=table.match.unnamed,
            programs=(0 not in self.people, 1 not in self.people),
            headline=said[:1].upper() + said[1:],
            prompt=self._prompt(table, mine, names, throws) if late is None else lost_by_time(table, late),
            board=board_of(table.position, state, cube=not state.crawford, offered=table.offered),
            start=table.phase is Phase.OPENING,
            entry=None if entry is None else entered(entry),
            acts=tuple(acts),
            offers=tuple(offers) if Resign in legal and mine and not state.resigned and late is None else (),
            throws=throws,
            offered=table.offered,
            beavered=state.beavered,
            resigned=state.resigned,
            undo=late is None and _may_undo(history, mine, self.people),
            redo=late is None and _again(redoable, mine, self.people) > 0,
            thinking=thinks and not self.problem and not self._paused,
            tutor=self.tutored(key),
            lines=tuple(self.lines),
            moves=_moves(table),
            last=() if last is None or last.play is None else tuple((step.start, step.end) for step in last.play.steps),
            last_player=None if last is None else last.player,
            clock=self._clock(turn),
            over=over,
            winner=winner,
            problem=self.problem,
            invitation=self.keys.invitation if key == self.keys.own else None,
            waiting_for_guest=self._waits,
            xgid=words.xgid_of(table.position, table.state),
            report=self.keys.report,
            game=table.game.number,
            variant=table.rules.variant,
            points=table.game.points,
            late=late,
            hints=self.hints,
            watch="" if self.people else "paused" if self._paused else "runs",
        )

    def past(self) -> m.Past:
        """The game as it was before each of its moves."""
        history, table = _look(self.session)
        boards, xgids, offered = [], [], 0
        for action in table.game.actions:
            position, state, _ = alone_of(action)
            boards.append(board_of(position, state, cube=not state.crawford, offered=offered))
            xgids.append(words.xgid_of(position, state))
            if action.kind in (ActionKind.DOUBLE, ActionKind.BEAVER):
                offered = action.value
        return m.Past(len(history), tuple(boards), tuple(xgids))

    def _clock(self, turn: int | None) -> m.Clock | None:
        session = self.session
        if session.clock is None:
            return None
        return m.Clock(session.used, session.left, None if session.paused else turn, session.clock.loses)

    def _prompt(self, table: Table, mine: tuple[int, ...], names: tuple[str, str], throws: str) -> str:
        turn, state = table.turn, table.state
        if throws == "open":
            return f"Opening roll: tell the die of {names[0]}, then that of {names[1]}."
        if throws and turn is not None and turn not in mine:
            return f"Tell the dice of {names[turn]}."
        if table.phase is Phase.MATCH_OVER:
            winner = int(table.score[1] > table.score[0])
            return f"{does(names[winner], 'wins')} the match {table.score[winner]}-{table.score[1 - winner]}."
        if table.phase is Phase.GAME_OVER:
            return f"{outcome(table)}."
        if turn is None:
            return ""
        if turn not in mine:
            if self._paused:
                return "Paused."
            return f"{does(names[turn], 'thinks')}." if turn not in self.people else f"It is the turn of {names[turn]}."
        who = f"{names[turn]}: " if len(mine) > 1 else ""
        match table.phase:
            case Phase.ROLL:
                if throws:
                    return who + ("Tell your dice, or double." if Double in table.legal() else "Tell your dice.")
                return who + ("Roll or double." if Double in table.legal() else "Roll the dice.")
            case Phase.PLAY:
                first, second = sorted(state.dice or (0, 0), reverse=True)
                moves = "play" if table.legal().plays[0].steps else "no chequer can move with"
                return f"{who}{moves if who else moves.capitalize()} {first}-{second}."
            case Phase.DOUBLED:
                return f"{who}{offer(table)}. Take or pass?"
            case _:
                return f"{who}{offer(table)}. Accept?"

    # What is done

    def entry(self, key: str, asked: m.EntryAsked) -> m.Entered:
        """The play that is being made, one step further. Raises RulesError, InvalidPlayError."""
        table = self.session.table
        if table.phase is not Phase.PLAY or table.turn not in self.mine(key) or table.state.dice is None:
            raise RulesError("You have no dice to play now.")
        return entered(entry_of(table.position, asked, table.state.dice))

    def act(self, key: str, asked: m.ActAsked, stop: Stop | None = None) -> m.Warned | None:
        """Does what a player wants. Raises RulesError for what cannot be, or comes too late."""
        session, mine = self.session, self.mine(key)
        history, table = _look(session)
        if asked.number != len(history):
            raise RulesError("The table has changed meanwhile; look again.")
        if asked.do == "undo":
            if not _may_undo(history, mine, self.people):
                raise RulesError("There is nothing that you can take back now.")
            chosen = (_actor(step) for step in reversed(history) if not step.alone)
            session.undo(next(player for player in chosen if player in mine), at=asked.number)
            self.go_on()
            return None
        if asked.do == "redo":
            count = _again(session.redoable, mine, self.people)
            if not count:
                raise RulesError("There is nothing that you can do again now.")
            session.go_to(asked.number + count, at=asked.number)
            self.go_on()
            return None
        act = self._act(asked, table, mine, self.throws(key, table))
        unheard = asked.anyway or not self.tutored(key)
        warned = session.submit(act, anyway=unheard, at=asked.number, stop=stop)
        self.go_on()
        if warned is None:
            return None
        return m.Warned(warned.words, warned.better, warned.loss, words.SKILL_NAMES[warned.skill])

    def _act(self, asked: m.ActAsked, table: Table, mine: tuple[int, ...], throws: str) -> Act:
        turn = table.turn
        if asked.dice is not None:
            if asked.do != throws:
                raise RulesError("There are no dice for you to tell now.")
            return Opening(asked.dice) if asked.do == "open" else Roll(table.state.on_roll, asked.dice)
        if asked.do == "next" and (mine or not self.people):
            return NextGame()
        if asked.do == "resign" and mine:
            player = _speaker(mine, turn) if asked.player is None else asked.player
            if player in mine:
                return Resign(player, asked.value)
        if turn is None or turn not in mine:
            raise RulesError("It is not your turn.")
        if asked.do == "play":
            return table.move(asked.play)
        if asked.do not in _ACTS:
            raise RulesError(f"There is nothing to {asked.do} now.")
        made: Act = _ACTS[asked.do](turn)
        return made

    def hint(self, key: str, stop: Stop | None = None) -> m.Hinted:
        """What the engine thinks of all that can be done. Raises RulesError, StoppedError, SettingsError."""
        session = self.session
        self.check_hints()
        if session.table.turn not in self.mine(key):
            raise RulesError("It is not your turn.")
        number = len(session.history)
        hint = session.hint(stop=stop)
        return m.Hinted(
            hint.choice.value,
            number,
            tuple(
                m.Advice(
                    option.words,
                    option.equity,
                    option.loss,
                    None if option.analysis is None else words.six_chances(option.analysis.probabilities),
                    None if option.analysis is None else option.analysis.plies,
                )
                for option in hint.options[:10]
            ),
        )


@dataclass(frozen=True, slots=True)
class _OneAct:
    """Set when programs that are watched have done an act, and while they pause."""

    sitting: Sitting

    def is_set(self) -> bool:
        """As `Stop` says."""
        of = self.sitting
        return of._stop.is_set() or of._acted or (of._paused and not of._single)


def _look(session: Session) -> tuple[Sequence[Step], Table]:
    """What was done, and the table after it, in one look at a session, which others may change meanwhile."""
    history = session.history
    return history, history[-1].table if history else session.begun


def _actor(step: Step) -> int | None:
    """Who did it; None for what nobody does in particular."""
    return getattr(step.act, "player", None)


def _speaker(mine: tuple[int, ...], turn: int | None) -> int:
    """The player who speaks where it is nobody's turn in particular."""
    return turn if turn in mine and turn is not None else mine[0] if mine else 0


def _may_undo(history: Sequence[Step], mine: tuple[int, ...], people: tuple[int, ...]) -> bool:
    """Whether whoever plays these may take back: alone at the screen always, else before dice have fallen, a cube has
    been turned or the other has acted, as he would see what he may not know."""
    among = any(player not in mine for player in people)
    for step in reversed(history):
        player = _actor(step)
        if among and (player not in mine or isinstance(step.act, (Roll, Double, Beaver))):
            return False
        if player in mine and not step.alone:
            return True
    return False


def _again(redoable: Sequence[Step], mine: tuple[int, ...], people: tuple[int, ...]) -> int:
    """How many acts whoever plays these does again: one of his own with all that came of it, to his next; beside other
    people it alone, and never theirs."""
    if not redoable or redoable[0].alone or _actor(redoable[0]) not in mine:
        return 0
    if any(player not in mine for player in people):
        return 1
    own = (number for number, step in enumerate(redoable) if number and not step.alone and _actor(step) in mine)
    return next(own, len(redoable))


def _moves(table: Table) -> tuple[m.Moved, ...]:
    rows: list[m.Moved] = []
    for action, number in zip(table.game.actions, numbers(table.game.actions), strict=True):
        text = "" if action.kind is ActionKind.ROLL else words.action_text(action)
        dice = "" if action.dice is None else words.dice_text(action.dice)
        rows.append(m.Moved(0 if action.kind in NO_TURNS else number, action.player, dice, text))
    return tuple(rows)
