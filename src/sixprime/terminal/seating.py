"""Sessions as people want them: a new one, one from a position, one that goes on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.game import ParsedPosition
from sixprime.game.match_rules import Rules
from sixprime.game.table import Table
from sixprime.play import Automation, Person, Seat, Session
from sixprime.play.games import latest, new_journal
from sixprime.play.late import soon

if TYPE_CHECKING:
    from sixprime.settings.playing import Playing


@dataclass(frozen=True, slots=True)
class Seated:
    """A session that can be played. people: the players who sit here, the user first; journal: the file that keeps
    it."""

    session: Session
    people: tuple[int, ...]
    journal: Path


def begin(
    playing: Playing,
    position: ParsedPosition | None = None,
    *,
    other_side: bool = False,
    instead: str | None = None,
    seed: int | str | None = None,
    threads: int | None = 1,
    clock: bool = False,
    journal: Path | None = None,
) -> Seated:
    """A new session by the settings, or what options made of them.

    position: where it begins; the user has the side on roll, or the other side. instead: the seat of who plays for
    him. clock: whether times are taken without a limit, too. journal: a new file; by default one among the user's
    games. Raises as the settings and `Table.from_position` do.
    """
    opponent = soon(playing.section.opponent or "expert", threads)
    mine: Seat = Person(playing.section.name or "You") if instead is None else soon(instead, threads)
    if isinstance(opponent, Person):
        opponent = Person("Guest")
    user = 0
    if position is not None:
        user = 1 - position.state.on_roll if other_side else position.state.on_roll
    seats = (mine, opponent) if user == 0 else (opponent, mine)
    names = seats[0].name, seats[1].name
    if position is None:
        table = Table.new(playing.rules, names)
    else:
        state = position.state
        if not state.length:
            # An ID does not say how often a double may be turned back.
            said = playing.section.beavers
            state = replace(state, beavers=Rules().beavers if said is None else said)
        table = Table.from_position(position.position, state, names, playing.rules.variant)
    limited = playing.section.reserve is not None or clock
    dice, automation = playing.dice(seed), _automation(playing, seats)
    while True:
        place = journal or new_journal(names)
        try:
            session = Session(
                seats,
                table,
                dice=dice,
                automation=automation,
                journal=place,
                clock=playing.clock if limited else None,
            )
            break
        except FileExistsError:
            # A game that began in the same moment may have taken the name.
            if journal is not None:
                raise
    people = _people(session)
    return Seated(session, people if user == 0 else people[::-1], place)


def go_on(playing: Playing, journal: Path | None = None, threads: int | None = 1) -> Seated:
    """The session of a journal, by default of the game that was played last. Raises as `Session.resume` does."""
    path = latest().path if journal is None else journal
    session = Session.resume(path, seats=None)
    return Seated(session, _people(session), path)


def _automation(playing: Playing, seats: tuple[Seat, Seat]) -> Automation:
    """What happens by itself; where people play, the next game waits for them unless they want it otherwise."""
    waits = playing.section.next_game is None and any(isinstance(seat, Person) for seat in seats)
    return replace(playing.automation, next_game=False) if waits else playing.automation


def _people(session: Session) -> tuple[int, ...]:
    return tuple(player for player, seat in enumerate(session.seats) if isinstance(seat, Person))
