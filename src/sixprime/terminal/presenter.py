"""What a person at a session sees, is asked and can say, without a terminal.

A `Presenter` holds a session, the play that is being entered and what has been said. Faces show it, pass on what is
typed and clicked, and do its work in a thread of their own where it may take time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from threading import Event as Flag
from typing import Any, TypeVar

from sixprime.errors import IllegalPlayError, InvalidPlayError, RulesError, SixprimeError
from sixprime.game.acts import Act, Beaver, Double, Move, Opening, Roll
from sixprime.game.state import SIZES
from sixprime.game.stepping import Entry
from sixprime.game.table import Phase, Table
from sixprime.play import Event, EventKind, ManualDice, Session, Waiting, wording
from sixprime.play.advice import Adviser, Hint, Tutor
from sixprime.play.dice import Loaded
from sixprime.play.wording import clock_time, does, happened, lost_by_time, one_line, outcome, time_over
from sixprime.report import words
from sixprime.terminal.board import BAR, CUBE, DICE, Shown, place_of
from sixprime.terminal.commands import COMMANDS, command_of
from sixprime.terminal.scene import Choice, Look, Row, rows_of

Then = Callable[[Any], None]
_T = TypeVar("_T")
_RECALLED = 4
"""Acts that are told when a session goes on."""
_DELIBERATE = ("double", "hint", "undo", "resign", "rematch", "help", "quit", "back", "swap")
"""Commands that Enter alone never stands for."""
_MOVE = re.compile(r"[1-6][- ]?[1-6]\s*:|(bar|off|\d{1,2})([\s/,*(-]|$)", re.IGNORECASE | re.ASCII)
_ANSWER_FIRST = {
    Phase.RESIGNED: "the resignation waits for an answer: accept or decline",
    Phase.DOUBLED: "the double waits for an answer: take or pass",
}
_DICE = re.compile(r"\s*([1-6])[\s,-]?([1-6])\s*", re.ASCII)


def _at_one_table(look: Callable[[Presenter], _T]) -> Callable[[Presenter], _T]:
    """What looks at one table all the time, though the session, in another thread, goes on meanwhile."""

    @wraps(look)
    def looked(self: Presenter) -> _T:
        if self._held is not None:
            return look(self)
        self._held = self.session.table
        try:
            return look(self)
        finally:
            self._held = None

    return looked


class Presenter:
    """Everything about a session that is seen and said.

    people: the players who are persons, here. work: does something that takes time, then calls the other function with
    what it returned or raised; a face gives one that does not keep the screen waiting.
    """

    def __init__(self, session: Session, people: Sequence[int], look: Look | None = None) -> None:
        self.session, self.people = session, frozenset(people)
        self.look = look or Look(bottom=min(self.people, default=0))
        self.lines: list[str] = []
        """What has been said, oldest first."""
        self.said: Callable[[str], None] = lambda line: None
        """Called with every line."""
        self.work: Callable[[Callable[[], Any], Then], None] = _at_once
        self.busy = ""
        """What takes time now, in words."""
        self.chosen: int | None = None
        """The place whose chequer has been taken up."""
        self.warning: tuple[Act, str] | None = None
        """What the tutor has warned of, and what it said."""
        self.hinted: tuple[Hint, int] | None = None
        """The hint that was given, and how much of it was wanted, until something is done."""
        self.beside = 0
        """How many plays of a hint have room beside the board; a longer one is told."""
        self.failed = False
        """Whether the session broke down, such as by a program that plays in it; it may be tried again."""
        self.resigning = self.leaving = False
        """Whether the person is asked how much he resigns; whether he is to leave."""
        self.again = False
        """Whether another match as this one is wanted, once it is over."""
        self.make_adviser: Callable[[], Adviser] | None = None
        """Makes who gives hints; it may take time."""
        self.make_tutor: Callable[[Adviser], Tutor] | None = None
        self.tutoring = False
        """Whether there is to be a tutor from the beginning."""
        self.cheats: tuple[int | None, int | None] = (None, None)
        """The ranks of the rolls that both players always get, where dice are to be loaded."""
        self.places: set[Path] = set()
        """Files that have been saved here, or may be replaced."""
        self.stop = Flag()
        """Set when nobody wants any more what takes time."""
        self.analyse: Callable[[], None] | None = None
        """Analyses what has been played so far."""
        self._held: Table | None = None
        self._unthrown: Table | None = None  # where a seat has decided to roll, and somebody throws
        self._entry: Entry | None = None
        self._entered_at: Table | None = None
        session.watch(self._hear)

    def rematch(self, session: Session) -> Presenter:
        """The presenter of another match as this one."""
        other = Presenter(session, sorted(self.people), self.look)
        other.make_adviser, other.make_tutor, other.cheats = self.make_adviser, self.make_tutor, self.cheats
        return other

    # What there is to see

    @property
    def table(self) -> Table:
        """The table now."""
        return self._held or self.session.table

    @property
    def names(self) -> tuple[str, str]:
        """The players, never the same."""
        return words.names(self.table.match)

    @property
    def asked(self) -> int | None:
        """The person who must act; None: nobody here."""
        turn = None if self.late is not None else self.table.turn
        return turn if turn in self.people else None

    @property
    def late(self) -> int | None:
        """The player who has lost the match by time; None: nobody."""
        return self.session.late

    @property
    def over(self) -> bool:
        """Whether nothing is left to be played."""
        return self.late is not None or self.table.phase is Phase.MATCH_OVER

    @property
    def elsewhere(self) -> bool:
        """Whether somebody who is no person here must act."""
        turn = None if self.late is not None else self.table.turn
        return turn is not None and turn not in self.people

    @property
    def entry(self) -> Entry | None:
        """The play that is being entered; None while there is none."""
        table = self.table
        if table.phase is not Phase.PLAY or self.asked is None:
            return None
        if self._entered_at is not table or self._entry is None:
            assert table.state.dice is not None
            first, second = sorted(table.state.dice, reverse=True)
            self._entered_at = table
            self._enter(Entry.of(table.position, (first, second)))
        return self._entry

    @property
    def by_hand(self) -> bool:
        """Whether dice are to be typed now."""
        table = self.table
        loaded = self.session.loaded is not None and self.session.loaded.ranks[table.state.on_roll] is not None
        if self.late is not None:
            return False
        thrown = table.phase is Phase.OPENING or (table.phase is Phase.ROLL and not loaded and self._rolls(table))
        return thrown and isinstance(self.session.dice, ManualDice)

    def _rolls(self, table: Table) -> bool:
        """Whether the player on roll has nothing to decide before it, has decided, or is a person."""
        return Double not in table.legal() or self.asked is not None or self._unthrown is table

    @_at_one_table
    def shown(self) -> Shown:
        """The board as it is, with the play that is being entered."""
        table, entry, look = self.table, self.entry, self.look
        state, mover = table.state, table.state.on_roll
        top = mover != look.bottom
        position = table.position if entry is None else entry.now
        shown = Shown(
            position=position.swapped() if top else position,
            light=look.light,
            left=look.left,
            downwards=top and mover in self.people,
            cube=0 if state.cube_limit == 1 or state.length == 1 else state.cube,
            cube_at=state.owner_for(look.bottom),
        )
        if state.doubled:
            shown = replace(shown, cube=table.offered, offered=True)
        if table.phase is Phase.OPENING:
            return shown
        if state.dice is not None and entry is None:
            shown = replace(shown, dice=tuple((die, False) for die in state.dice), dice_top=top)
        if entry is not None:
            return self._entering(shown, entry, top)
        gone, come = self._last_play(table)
        return replace(shown, gone=gone, come=come)

    def _entering(self, shown: Shown, entry: Entry, top: bool) -> Shown:
        targets = entry.targets(self._point(self.chosen)) if self.chosen is not None else {}
        come = [place_of(step.end, top=top) for step in entry.steps]
        gone = [place_of(step.start, top=top) for step in entry.steps]
        if not entry.moves:
            gone, come = map(list, self._last_play(self.table))
        return replace(
            shown,
            dice=entry.thrown,
            dice_top=top,
            starts=[place_of(point, top=top) for point in entry.starts],
            targets=[place_of(point, top=top) for point in targets],
            chosen=self.chosen,
            gone=gone,
            come=come,
        )

    def _last_play(self, table: Table) -> tuple[Sequence[int], Sequence[int]]:
        """The places that the last play of this game left and reached."""
        action = next((each for each in reversed(table.game.actions) if each.play is not None), None)
        if action is None or action.play is None:
            return (), ()
        top = action.player != self.look.bottom
        starts = [place_of(step.start, top=top) for step in action.play.steps]
        ends = [place_of(step.end, top=top) for step in action.play.steps]
        return [each for each in starts if each not in ends], [each for each in ends if each not in starts]

    @property
    @_at_one_table
    def pips(self) -> tuple[int, int]:
        """Pip counts of both players, with the play that is being entered."""
        table, entry = self.table, self.entry
        mine, theirs = (table.position if entry is None else entry.now).pips
        return (theirs, mine) if table.state.on_roll else (mine, theirs)

    @_at_one_table
    def in_words(self) -> list[str]:
        """The position for those who do not see it: the points of both players, each in his own numbering."""
        bottom = self.look.bottom
        return words.position_lines(self.shown().position, self.names[bottom], self.names[1 - bottom])

    @property
    def headline(self) -> str:
        """What is played: match and game, score, Crawford game."""
        return wording.headline(self.table) + (", loaded dice" if self.session.loaded is not None else "")

    @property
    @_at_one_table
    def prompt(self) -> str:
        """What is waited for."""
        table, names = self.table, self.names
        if self.leaving:
            return "Leave the table? The game is kept."
        if self.warning is not None:
            return self.warning[1]
        if self.resigning:
            return "How much do you resign?"
        if self.busy:
            return self.busy
        if self.late is not None:
            return lost_by_time(table, self.late)
        if self.by_hand:
            if table.phase is Phase.OPENING:
                first, second = ("yours" if name.lower() == "you" else f"that of {name}" for name in names)
                return f"Type the first dice: {first}, then {second}."
            name = names[table.state.on_roll]
            whose = "your dice" if name.lower() == "you" else f"the dice of {name}"
            return f"Type {whose}, such as 31" + (
                ", or double." if self.asked is not None and Double in table.legal() else "."
            )
        if table.phase is Phase.MATCH_OVER:
            winner = int(table.score[1] > table.score[0])
            return f"{does(names[winner], 'wins')} the match, {table.score[winner]}-{table.score[1 - winner]}."
        if table.phase is Phase.GAME_OVER:
            return f"{outcome(table)}."
        if self.asked is None:
            turn = table.turn
            return "" if turn is None else f"{does(names[turn], 'thinks')}."
        return self._overdue() + self._prompted(table)

    def _overdue(self) -> str:
        """Whose time is over, where nobody loses by it."""
        late = [player for player, left in enumerate(self.session.left or ()) if left <= 0]
        return "".join(f"{time_over(self.table, player)}. " for player in late)

    def _prompted(self, table: Table) -> str:
        """What a person is asked."""
        turn = table.turn or 0
        who = f"{self.names[turn]}, it" if len(self.people) > 1 else "It"
        match table.phase:
            case Phase.ROLL:
                return f"{who} is your turn: " + ("roll or double." if Double in table.legal() else "roll.")
            case Phase.PLAY:
                return self._to_play()
            case Phase.DOUBLED:
                turned = "raccoon" if table.state.beavered else "beaver"
                ways = f"take, {turned} or pass?" if Beaver in table.legal() else "take or pass?"
                return f"{wording.offer(table)}: {ways}"
            case _:
                return f"{wording.offer(table)}: accept?"

    def _to_play(self) -> str:
        entry = self.entry
        assert entry is not None
        dice = f"{entry.dice[0]}-{entry.dice[1]}"
        if entry.done:
            return f"{dice}: {entry.play}. Enter plays it." if entry.moves else f"{dice}: no chequer can move."
        made = "  ".join(f"{step.start if step.start < BAR else 'bar'}/{step.end or 'off'}" for step in entry.steps)
        left = "" if not entry.moves else f" {made}, left {' '.join(map(str, entry.left))}"
        who = does(self.names[self.table.turn or 0], "has") if len(self.people) > 1 else "You have"
        return f"{who} {dice} to play.{left}"

    @property
    def answers(self) -> list[Choice]:
        """What may be answered to a question that has nothing to do with the table, between games, or
        after the match; else empty."""
        between = self.table.phase is Phase.GAME_OVER and self.late is None
        asked = self.leaving or self.warning is not None or self.resigning or between or self.over
        return self.choices if asked else []

    @property
    @_at_one_table
    def choices(self) -> list[Choice]:
        """What can be done now; the first by Enter alone, but for what is better said (`_DELIBERATE`)."""
        table = self.table
        if self.leaving:
            analyse = [Choice("a", "analyse", "analyse")] if self.analyse is not None and table.record().games else []
            return [Choice("y", "leave", "yes"), Choice("n", "stay", "no"), *analyse]
        if self.warning is not None:
            again = Choice("t", "think again", "rethink")
            return [again, Choice("p", "play anyway", "anyway"), Choice("h", "hint", "hint")]
        if self.resigning:
            offers = [Choice(SIZES[value][0], SIZES[value], f"resign {value}") for value in self.offers()]
            return [*offers, Choice("n", "play on", "no")]
        every = [*self._acts(table)]
        if self.asked is not None and not self.busy:
            every.append(Choice("h", "hint", "hint"))
        if self._may_undo():
            every.append(Choice("u", "undo", "undo"))
        if self.offers() and self.asked is not None:
            every.append(Choice("g", "resign", "resign"))
        return [*every, Choice("?", "help", "help"), Choice("q", "quit", "quit")]

    def _acts(self, table: Table) -> list[Choice]:
        legal = table.legal()
        if table.phase is Phase.GAME_OVER and self.late is None:
            analyse = [] if self.analyse is None else [Choice("a", "analyse", "analyse")]
            return [Choice("n", "next game", "next"), *analyse]
        if self.over:
            return [Choice("r", "rematch", "rematch")]
        if self.asked is None or self.busy:
            return []
        match table.phase:
            case Phase.ROLL:
                again = "redouble" if table.state.cube_owner is not None else "double"
                roll = [] if self.by_hand else [Choice("r", "roll", "roll")]
                return [*roll, *([Choice("d", again, "double")] if Double in legal else [])]
            case Phase.PLAY:
                return self._play_choices()
            case Phase.DOUBLED:
                turned = "raccoon" if table.state.beavered else "beaver"
                more = [Choice("b", turned, "beaver")] if Beaver in legal else []
                return [Choice("t", "take", "take"), Choice("p", "pass", "pass"), *more]
            case _:
                return [Choice("a", "accept", "accept"), Choice("d", "decline", "decline")]

    def _play_choices(self) -> list[Choice]:
        entry = self.entry
        assert entry is not None
        found = [Choice("enter", "play" if entry.moves else "go on", "play")] if entry.done else []
        if entry.moves:
            found.append(Choice("backspace", "back", "back"))
        if entry.starts and entry.dice[0] != entry.dice[1]:
            found.append(Choice("s", "swap dice", "swap"))
        return found

    def offers(self) -> list[int]:
        """What the person may resign."""
        table = self.table
        player = table.turn if table.turn in self.people else self.look.bottom
        return table.legal().offers(player)

    def _may_undo(self) -> bool:
        return self.late is None and self.chose_last is not None

    @property
    def chose_last(self) -> int | None:
        """Who of the people did what he chose last; None for nobody. A roll that came by itself nobody chose."""
        chosen = (getattr(step.act, "player", None) for step in reversed(self.session.history) if not step.alone)
        return next((player for player in chosen if player in self.people), None)

    @property
    def scores(self) -> tuple[int, int]:
        """Points of both players."""
        return self.table.score

    @property
    def length(self) -> int:
        """Points of the match, 0 for money."""
        return self.table.rules.length

    @property
    def turn(self) -> int | None:
        """Who is to act."""
        return self.table.turn

    def remark(self, player: int) -> str:
        """The time of a player, where a clock runs."""
        clock = self.session.clock
        if clock is None:
            return ""
        left = self.session.left
        return clock_time(self.session.used[player] if left is None else left[player])

    @property
    def rows(self) -> list[Row]:
        """The moves of this game."""
        return rows_of(self.table.game.actions)

    # What there is to do

    def say(self, text: str) -> None:
        """Does what a line of text says; an empty one does what comes first, but turns no cube. Raises Leave."""
        try:
            self.obey(text.strip())
        except (SixprimeError, OSError) as error:
            self.tell(one_line(error))

    def obey(self, text: str) -> None:
        """As `say`, but raises what is wrong."""
        if not text:
            first = next(iter(self.choices), None)
            if first is not None and first.command not in _DELIBERATE:
                self.obey(first.command)
            return
        if self.by_hand and _DICE.fullmatch(text) is not None:
            self.throw(text)
            return
        if self.resigning and text in ("1", "2", "3"):
            # Who is asked how much he resigns means no point of the board.
            text = f"resign {text}"
        if _MOVE.match(text):
            if self.entry is None:
                self.actor()
                raise RulesError(_ANSWER_FIRST.get(self.table.phase, "there are no dice to play; roll first"))
            # Who plays has thought again of what he was asked.
            self.warning, self.resigning, self.leaving = None, False, False
            self._said_play(text)
            return
        # On the full screen a colon begins a command; who is used to it types it elsewhere, too.
        text = text.removeprefix(":").lstrip() or text
        word, _, rest = text.lower().partition(" ")
        offered = self.asked is not None and self.table.phase in (Phase.DOUBLED, Phase.RESIGNED)
        ways = self.choices if offered else self.answers
        answer = next((each for each in ways if text.lower() in (each.key, each.words)), None)
        if answer is not None or (offered and text.lower() == "n"):
            # Who declines by a letter does not ask for the next game.
            text = "no" if answer is None else answer.command
            word, _, rest = text.partition(" ")
        command = command_of(word)
        if command is None:
            raise RulesError(f"{text[:40]!r} says nothing here; help lists what does")
        if command not in ("yes", "no", "rethink", "anyway", "hint"):
            self.warning, self.resigning, self.leaving = None, self.resigning and command == "resign", False
        # Texts, names of files and IDs are as they are typed.
        COMMANDS[command](self, text.partition(" ")[2] if command in ("note", "save", "set", "opponent") else rest)

    def _said_play(self, text: str) -> None:
        """Plays what a text says, or enters it if it is no whole play."""
        self.type(text)
        if self.entry is not None and self.entry.done:
            self.finish()

    def type(self, text: str) -> None:
        """Enters what a text says of a play, on top of what has been entered if neither is a whole play of its own.

        Raises IllegalPlayError, InvalidPlayError.
        """
        before = self.entry
        if before is None:
            return
        afresh, typed = not before.moves or before.done, None
        try:
            typed = Entry.typed(text, before.position, before.dice)
        except (IllegalPlayError, InvalidPlayError):
            if afresh:
                raise
        self._enter(typed if typed is not None and (typed.done or afresh) else before.further(text))

    def show(self, entry: Entry) -> None:
        """Goes back to what was entered before."""
        if self.entry is not None and entry.position == self.entry.position:
            self._enter(entry)

    def finish(self) -> None:
        """Plays what has been entered. Raises IllegalPlayError while that is no whole play."""
        entry, table = self.entry, self.table
        if entry is None:
            raise RulesError("there are no dice to play")
        self.submit(Move(table.state.on_roll, entry.play))

    def click(self, place: int | None, *, quick: bool = False) -> None:
        """A click: takes up a chequer and puts it down, swaps dice or plays, doubles.

        quick: the chequer goes by the first die at once, as one does that is clicked twice.
        """
        try:
            self._click(place, quick)
        except (SixprimeError, OSError) as error:
            self.tell(one_line(error))

    def _click(self, place: int | None, quick: bool) -> None:
        entry, table = self.entry, self.table
        if place == CUBE and self.asked is not None:
            if table.phase is Phase.DOUBLED:
                self.obey("take")
            elif table.phase is Phase.ROLL:
                self.obey("double")
            return
        if entry is None:
            if place is not None and table.phase is Phase.ROLL and self.asked is not None and not self.by_hand:
                self.obey("roll")
            return
        if place == DICE:
            if entry.done:
                self.finish()
            else:
                self._enter(entry.swapped())
            return
        point = None if place is None else self._point(place)
        if self.chosen is not None and point in entry.targets(self._point(self.chosen)):
            assert point is not None
            self._enter(entry.move(self._point(self.chosen), point))
        elif point in entry.starts and (quick or place == self.chosen):
            assert point is not None
            self._enter(entry.move(point))
        elif point in entry.starts:
            self.chosen = place
        else:
            self.chosen = None

    def drop_at(self, place: int | None) -> None:
        """A chequer that was dragged is put down."""
        if self.chosen is not None and place is not None and place != self.chosen:
            self.click(place)

    def swap(self) -> None:
        """The other die first."""
        entry = self.entry
        if entry is None:
            raise RulesError("there are no dice to swap")
        self._enter(entry.swapped())

    def back(self, point: int | None = None) -> None:
        """Takes back the last chequer, or that on a point, that was moved but not played yet."""
        entry = self.entry
        if self.chosen is not None:
            self.chosen = None
        elif entry is None:
            raise RulesError("no play is being entered")
        else:
            self._enter(entry.back(point))

    def prepare(self) -> None:
        """What is to be ready before the session begins; it may take time."""
        wanted = self.tutoring or self.cheats != (None, None)
        if wanted and self.session.adviser is None:
            self.busy = "An engine is loaded for tutor or dice."
        if self.tutoring and self.session.tutor is None and self.make_tutor is not None:
            self.session.tutor = self.make_tutor(self.advised())
        if self.cheats != (None, None) and self.session.loaded is None:
            self.session.loaded = Loaded(self.advised().engine, self.cheats)
        self.busy = ""

    def advised(self) -> Adviser:
        """Who gives hints, made when he is first asked. Raises RulesError where there is nobody."""
        session = self.session
        if session.adviser is None:
            if self.make_adviser is None:
                raise RulesError("there is nobody at this table who gives hints")
            session.adviser = self.make_adviser()
        assert session.adviser is not None
        return session.adviser

    def tell(self, line: str) -> None:
        """Says something."""
        self.lines.append(line)
        self.said(line)

    def recall(self) -> None:
        """Says what was done last, for whoever comes back to a session."""
        for step in self.session.history[-_RECALLED:]:
            for line in happened(step.act, step.table, self.people):
                self.tell(line)

    def fail(self, said: str) -> None:
        """Says that the session broke down."""
        self.failed = True
        self.tell(said)
        self.tell("The game is kept. Enter tries again.")

    def _enter(self, entry: Entry) -> None:
        """Takes what comes of the entry of before, at the same table."""
        self._entry, self.chosen = entry, None

    def _point(self, place: int) -> int:
        """A place of the board as a point of the player whose play is entered; -1 for one of the other side."""
        top = self.table.state.on_roll != self.look.bottom
        return next((point for point in range(26) if place_of(point, top=top) == place), -1)

    def throw(self, text: str) -> None:
        """Rolls the dice that are typed. Raises RulesError for a text that is none."""
        typed, table = _DICE.fullmatch(text), self.table
        if typed is None:
            raise RulesError(f"dice are two digits from 1 to 6, such as 31; found {text[:20]!r}")
        dice = int(typed[1]), int(typed[2])
        opening = table.phase is Phase.OPENING
        self.session.submit(Opening(dice) if opening else Roll(table.state.on_roll, dice))

    def submit(self, act: Act, *, anyway: bool = False) -> None:
        """Has an act done, if the tutor agrees."""
        tutor = self.session.tutor
        self.warning = None
        if tutor is None or anyway:
            self.session.submit(act, anyway=anyway)
            return
        # What the rules do not allow is said at once.
        self.table.apply(act) if not isinstance(act, Roll) else None

        def then(answer: Any) -> None:
            if answer is not None:
                mark = words.SKILL_NAMES[answer.skill]
                better = words.play_text(answer.better)
                said = f"The tutor: {words.play_text(answer.words)} loses {answer.loss:.3f}, {mark}."
                self.warning = act, f"{said} Better: {better}." if answer.skill else said

        self.take_time("The tutor looks at it.", lambda: self.session.submit(act, stop=self.stop), then)

    def take_time(self, what: str, job: Callable[[], Any], then: Then) -> None:
        """Does work that may take time; then: what is done with what came of it."""
        self.busy = what

        def done(answer: Any) -> None:
            self.busy = ""
            if isinstance(answer, SixprimeError | OSError):
                self.tell(one_line(answer))
            elif isinstance(answer, BaseException):
                raise answer
            else:
                then(answer)

        self.work(job, done)

    # What is heard

    def _hear(self, event: Event, table: Table) -> None:
        """Says what has happened."""
        if event.kind is EventKind.DONE and event.step is not None:
            for line in happened(event.step.act, table, self.people):
                self.tell(line)
            self._sum_up(over=table.phase is Phase.MATCH_OVER)
        elif event.kind is EventKind.LATE and table.turn is not None:
            self.tell(lost_by_time(table, table.turn))
            self._sum_up(over=True)
        elif event.kind is EventKind.WAITING:
            self._unthrown = table if event.waiting is Waiting.DICE else None
        elif event.kind in (EventKind.UNDONE, EventKind.REDONE):
            self.tell("Taken back." if event.kind is EventKind.UNDONE else "Done again.")
        if event.kind in (EventKind.DONE, EventKind.UNDONE, EventKind.REDONE, EventKind.LATE):
            self._entry = None
            self.chosen = self.warning = self.hinted = None
            self.resigning = False

    def _sum_up(self, *, over: bool) -> None:
        if over and self.session.warnings:
            self.tell(f"The tutor has warned {words.count(len(self.session.warnings), 'time')}.")

    def actor(self) -> int:
        """The person who acts. Raises RulesError while it is not his turn."""
        turn = self.table.turn
        if turn not in self.people:
            if self.by_hand and self.table.phase is Phase.OPENING:
                raise RulesError("the first dice come before everything else: type one of each player, such as 31")
            who = "nobody" if turn is None else self.names[turn]
            raise RulesError(f"it is not your turn: {who} is to act")
        assert turn is not None
        return turn


def _at_once(job: Callable[[], Any], then: Then) -> None:
    try:
        answer = job()
    except Exception as error:
        answer = error
    then(answer)
