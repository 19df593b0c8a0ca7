"""Play: a game in progress with all around it (`session`), and duels, thousands of games at a time (`duel`).

In go a `Table`, whoever decides and a source of dice; out come records and results. The rule kept here: no output and
no terminal; whoever shows a game holds a `Session` and no rules.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime.lazy import names_of

if TYPE_CHECKING:
    from sixprime.play.automation import Automation
    from sixprime.play.dice import DiceSource, ListedDice, ManualDice, SeededDice
    from sixprime.play.seats import BotSeat, EngineSeat, Person, Seat
    from sixprime.play.session import Event, EventKind, Session, Step, Waiting

_HOMES = {
    "automation": ("Automation",),
    "dice": ("DiceSource", "ListedDice", "ManualDice", "SeededDice"),
    "seats": ("BotSeat", "EngineSeat", "Person", "Seat"),
    "session": ("Event", "EventKind", "Session", "Step", "Waiting"),
}

__all__ = [
    "Automation",
    "BotSeat",
    "DiceSource",
    "EngineSeat",
    "Event",
    "EventKind",
    "ListedDice",
    "ManualDice",
    "Person",
    "Seat",
    "SeededDice",
    "Session",
    "Step",
    "Waiting",
]

__getattr__ = names_of(__name__, _HOMES)
