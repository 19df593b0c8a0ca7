"""What the form of a new game says: its rules, who plays, and where it begins."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sixprime.errors import SettingsError
from sixprime.game import parse
from sixprime.game.acts import Set
from sixprime.game.record import Player
from sixprime.game.table import Table
from sixprime.game.variants import get_variant
from sixprime.play import SEATS, Person
from sixprime.play.late import soon
from sixprime.play.seats import check_rules
from sixprime.settings import Playing

if TYPE_CHECKING:
    from sixprime.play import Seat
    from sixprime.settings.tree import PlaySection
    from sixprime.web import messages as m

_BARE = re.compile(r"[A-Za-z0-9+/]{14}", re.ASCII)
"""An ID of chequers alone."""
_PEOPLE = "person", "invited"


@dataclass(frozen=True, slots=True)
class Seating:
    """A sitting that is to begin. playing: as the settings would say it. user: the side of whoever asks; invited:
    whether the other side waits for somebody."""

    playing: Playing
    seats: tuple[Seat, Seat]
    table: Table
    user: int
    invited: bool


def seated(asked: m.SittingAsked, section: PlaySection) -> Seating:
    """Where the form and, for what it leaves open, the settings seat everybody.

    Raises SettingsError, RulesError, InvalidIdError.
    """
    chosen = asked.opponent.strip() or section.opponent or "expert"
    usual, section = section.opponent, _section(asked, section)
    mine, other = _mine(asked, section, chosen), _other(asked, chosen, usual)
    if asked.player and isinstance(other, Person):
        raise SettingsError("where a program plays for you, another one has to be the opponent.")
    if asked.player and mine.name == other.name:
        other.name += " 2"
    playing = Playing(section)
    unnamed = not asked.player and chosen != "invited" and (asked.unnamed or not section.name)
    seats, table, user = _begun(asked, playing, (mine, other), (Player(mine.name, unnamed=unnamed), Player(other.name)))
    for text in (chosen, asked.player):
        if text not in ("", *_PEOPLE):
            check_rules(text, table.state)
    return Seating(playing, seats, table, user, chosen == "invited")


def _section(asked: m.SittingAsked, section: PlaySection) -> PlaySection:
    # The largest cube that is set may be that there is none.
    usual = 1024 if asked.cube and section.cube_limit == 1 else None
    given: dict[str, Any] = {
        "name": asked.name,
        "length": asked.length,
        "variant": asked.variant,
        "crawford": asked.crawford,
        "jacoby": asked.jacoby,
        "beavers": asked.beavers,
        "cube_limit": 1 if asked.cube is False else asked.cube_limit or usual,
        "reserve": asked.minutes or None,
        "delay": asked.delay,
        "loses": asked.loses,
        "dice": {None: None, True: "manual", False: "system" if section.dice == "manual" else None}[asked.by_hand],
    }
    section = replace(section, **{name: value for name, value in given.items() if value not in (None, "")})
    return replace(section, reserve=None) if asked.minutes == 0 else section


def _mine(asked: m.SittingAsked, section: PlaySection, chosen: str) -> Any:
    if not asked.player:
        name = section.name or "You"
        # Who is invited is told of him by this name.
        return Person("Host" if chosen == "invited" and name.lower() == "you" else name)
    if asked.player.lower() not in SEATS:
        raise SettingsError(f"a player is one of {', '.join(SEATS)}. Got {asked.player[:60]!r} instead.")
    return soon(asked.player)


def _other(asked: m.SittingAsked, chosen: str, usual: str | None) -> Any:
    if chosen in _PEOPLE:
        return Person(asked.guest.strip() or "Guest")
    if chosen.lower() in SEATS or chosen == usual:
        return soon(chosen)
    raise SettingsError(f"an opponent is one of {', '.join((*SEATS, *_PEOPLE))}. Got {chosen[:60]!r} instead.")


def _begun(
    asked: m.SittingAsked, playing: Playing, seats: tuple[Any, Any], players: tuple[Player, Player]
) -> tuple[tuple[Any, Any], Table, int]:
    """The seats in order, the table, and at which side whoever asks sits: that on roll in a position."""
    if not asked.position:
        return seats, Table.new(playing.rules, players), 0
    found = parse(asked.position, chequers=get_variant(playing.rules.variant).chequers)
    user = found.state.on_roll
    if user == 1:
        seats, players = seats[::-1], players[::-1]
    if not _BARE.fullmatch(asked.position.strip()):
        return seats, Table.from_position(found.position, found.state, players, playing.rules.variant), user
    # It says nothing of cube and score.
    table = Table.new(playing.rules, players)
    return seats, table.apply(Set(found.position, replace(table.state, on_roll=user))), user
