"""Play: a game in progress with all around it (`session`), and duels, thousands of games at a time (`duel`).

In go a `Table`, whoever decides and a source of dice; out come records and results. The rule kept here: no output and
no terminal; whoever shows a game holds a `Session` and no rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime.lazy import names_of

if TYPE_CHECKING:
    from sixprime.play.advice import Adviser, Choice, Hint, Judgement, Option, Tutor
    from sixprime.play.automation import Automation
    from sixprime.play.clock import Clock
    from sixprime.play.dice import DiceSource, GeneratedDice, ListedDice, Loaded, ManualDice, SeededDice, source_named
    from sixprime.play.seats import SEATS, BotSeat, EngineSeat, LevelSeat, Person, Seat, seat_of
    from sixprime.play.session import Event, EventKind, Session, Step, Waiting, Warned

_HOMES = {
    "advice": ("Adviser", "Choice", "Hint", "Judgement", "Option", "Tutor"),
    "automation": ("Automation",),
    "clock": ("Clock",),
    "dice": ("DiceSource", "GeneratedDice", "ListedDice", "Loaded", "ManualDice", "SeededDice", "source_named"),
    "seats": ("SEATS", "BotSeat", "EngineSeat", "LevelSeat", "Person", "Seat", "seat_of"),
    "session": ("Event", "EventKind", "Session", "Step", "Waiting", "Warned"),
}

__all__ = [
    "SEATS",
    "Adviser",
    "Automation",
    "BotSeat",
    "Choice",
    "Clock",
    "DiceSource",
    "EngineSeat",
    "Event",
    "EventKind",
    "GeneratedDice",
    "Hint",
    "Judgement",
    "LevelSeat",
    "ListedDice",
    "Loaded",
    "ManualDice",
    "Option",
    "Person",
    "Seat",
    "SeededDice",
    "Session",
    "Step",
    "Tutor",
    "Waiting",
    "Warned",
    "seat_of",
    "source_named",
]

__getattr__ = names_of(__name__, _HOMES)
