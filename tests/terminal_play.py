"""Sessions for tests of the terminal: a person, and an opponent who plays at random."""

from __future__ import annotations

import random

from sixprime.game.acts import Accept, Act, Decline, Double, Drop, Resign
from sixprime.game.match_rules import Rules
from sixprime.game.table import Table
from sixprime.play import Automation, DiceSource, ListedDice, Person, SeededDice, Session
from sixprime.progress import Stop
from sixprime.terminal.presenter import Presenter
from sixprime.terminal.scene import Look


class Chance:
    """A seat that does anything that is allowed, resigning seldom."""

    name = "Bob"

    def __init__(self, seed: int = 1, double: float = 0.2) -> None:
        self._random, self._double = random.Random(seed), double

    def decide(self, table: Table, stop: Stop) -> Act:
        """As `Seat` says."""
        assert table.turn is not None
        acts = [act for act in table.legal() if getattr(act, "player", None) == table.turn]
        acts = [act for act in acts if not isinstance(act, Resign) or self._random.random() < 0.002]
        if self._random.random() > self._double:
            acts = [act for act in acts if not isinstance(act, Double)]
        return self._random.choice(acts)


class Quiet(Chance):
    """The same, who takes, accepts and never doubles."""

    def decide(self, table: Table, stop: Stop) -> Act:
        """As `Seat` says."""
        acts = [each for each in table.legal() if not isinstance(each, Double | Resign | Drop | Decline)]
        return next((each for each in acts if isinstance(each, Accept)), self._random.choice(acts))


def at_table(
    table: Table | Rules | None = None,
    *,
    dice: DiceSource | str | None = None,
    seats: tuple[object, object] | None = None,
    look: Look | None = None,
    automation: Automation | None = None,
) -> Presenter:
    """A presenter of a session between Ann and Bob, who is quiet. dice: perhaps as digits."""
    source = ListedDice(dice) if isinstance(dice, str) else dice or SeededDice(1)
    session = Session(seats or (Person("Ann"), Quiet()), table, dice=source, automation=automation)  # type: ignore[arg-type]
    people = [player for player, seat in enumerate(session.seats) if isinstance(seat, Person)]
    presenter = Presenter(session, people, look)
    session.advance()
    return presenter


def said(presenter: Presenter, *texts: str) -> list[str]:
    """What a presenter says to texts; the session goes on after each."""
    before = len(presenter.lines)
    for text in texts:
        presenter.say(text)
        presenter.session.advance()
    return presenter.lines[before:]
