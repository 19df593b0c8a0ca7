"""Sessions as people want them: a new one, one from a position, one that goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.game import ParsedPosition
from sixprime.game.table import Table
from sixprime.play import Automation, Person, Seat, Session
from sixprime.play.games import latest, new_journal, today
from sixprime.play.late import soon
from sixprime.play.onward import Place, played_by, rematch, seat_named
from sixprime.play.seats import check_rules

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
    start: ParsedPosition | Place | None = None,
    *,
    other_side: bool = False,
    instead: str | None = None,
    seed: int | str | None = None,
    threads: int | None = 1,
    clock: bool = False,
    journal: Path | None = None,
) -> Seated:
    """A new session by the settings, or what options made of them.

    start: where it begins; the user has the side on roll of a position, and of a match the one that is called as he
    is, or is to act; other_side: the other one. instead: the seat of who plays for him. clock: whether times are taken
    without a limit, too. journal: a new file; by default one among the user's games. Raises as the settings and
    `Table.from_position` do.
    """
    rules = playing.rules if start is None else start.table.rules if isinstance(start, Place) else start.state
    named = playing.section.opponent or "expert"
    for text in filter(None, (named, instead)):
        check_rules(text, rules)
    opponent = soon(named, threads)
    mine: Seat = Person(playing.section.name or "You") if instead is None else soon(instead, threads)
    if isinstance(opponent, Person):
        opponent = Person("Guest")
    user = 0
    if isinstance(start, Place):
        user = seat_named(start.table.match, playing.section.name or "You", start.table.turn or 0)
    elif start is not None:
        user = start.state.on_roll
    if other_side:
        user = 1 - user
    seats = (mine, opponent) if user == 0 else (opponent, mine)
    table, info = _begun(playing, start, seats)
    limited = playing.section.reserve is not None or clock
    dice, automation = playing.dice(seed), _automation(playing, seats)

    def session_in(place: Path) -> Session:
        return Session(
            seats,
            table,
            dice=dice,
            automation=automation,
            journal=place,
            clock=playing.clock if limited else None,
            info={"date": today()} | {key: text for key, text in info.items() if text},
        )

    if journal is not None:
        session, place = session_in(journal), journal
    else:
        session, place = _in_new_journal(session_in, lambda: new_journal(table.names))
    people = _people(session)
    return Seated(session, people if user == 0 else people[::-1], place)


def _begun(
    playing: Playing, start: ParsedPosition | Place | None, seats: tuple[Seat, Seat]
) -> tuple[Table, dict[str, str]]:
    """The table where a session begins, and what is known of its match."""
    names = seats[0].name, seats[1].name
    if start is None:
        return Table.new(playing.rules, names), {}
    if isinstance(start, Place):
        # The players of a match keep their names; its file says who has played.
        info = dict(start.info)
        info["comment"] = "\n".join(filter(None, (info.get("comment"), played_by(start.table, seats, start.words))))
        return start.table, info
    state = start.state
    if state.beavers and playing.section.beavers is not None:
        # An ID may say that no double is turned back, but not how often one is.
        state = replace(state, beavers=playing.section.beavers)
    return Table.from_position(start.position, state, names, playing.rules.variant), {}


def again(seated: Seated) -> Seated:
    """A match as the one that is over, in a journal beside its own. Raises as `rematch`."""
    before = seated.session
    names = before.seats[0].name, before.seats[1].name
    session, place = _in_new_journal(
        lambda place: rematch(before, place), lambda: new_journal(names, seated.journal.parent)
    )
    return Seated(session, seated.people, place)


def _in_new_journal(make: Callable[[Path], Session], name: Callable[[], Path]) -> tuple[Session, Path]:
    """A session with its journal; a game that began in the same moment may have taken the name."""
    while True:
        place = name()
        try:
            return make(place), place
        except FileExistsError:
            continue


def go_on(journal: Path | None = None) -> Seated:
    """The session of a journal, by default of the game that was played last. Raises as `Session.resume` does."""
    path = latest().path if journal is None else journal
    session = Session.resume(path)
    return Seated(session, _people(session), path)


def _automation(playing: Playing, seats: tuple[Seat, Seat]) -> Automation:
    """What happens by itself; where people play, the next game waits for them unless they want it otherwise."""
    waits = playing.section.next_game is None and any(isinstance(seat, Person) for seat in seats)
    return replace(playing.automation, next_game=False) if waits else playing.automation


def _people(session: Session) -> tuple[int, ...]:
    return tuple(player for player, seat in enumerate(session.seats) if isinstance(seat, Person))
