"""Phase and plan: what kind of position a decision was made in. All sides are those of the player who decides."""

from __future__ import annotations

from itertools import groupby

from sixprime.analysis.model import Phase, Plan
from sixprime.game.position import BAR, Position

_OPENING = 6
"""Plays of both sides, three of each, that are the opening."""
_HOME = 6
_ZONE = 10
"""Chequers within eleven points of the ace point, or on it, that an attack needs."""
_LONG = 4
"""Points in a row that make a prime."""


def phase_of(position: Position, before: int, *, from_start: bool) -> Phase:
    """Which part of the game it is.

    In this order: bear-off, all own chequers are home or off; race, the sides have passed each other; back game, a side
    holds two points or more in the other's home; opening, until both have played three times in a game that began at
    the start; contact, everything else. before: how often both sides together have played.
    """
    own, other = position.player, position.opponent
    if not any(own[_HOME:]):
        return Phase.BEAR_OFF
    if not _contact(own, other):
        return Phase.RACE
    if len(_anchors(own)) > 1 or len(_anchors(other)) > 1:
        return Phase.BACK_GAME
    return Phase.OPENING if from_start and before < _OPENING else Phase.CONTACT


def plan_of(position: Position) -> Plan:
    """What the player is about.

    In this order: race, the sides have passed each other; back game, two points or more in the other's home, and behind
    in the race; attack, the other side has a chequer on the bar or a blot in our home, no point there, and ten of our
    chequers are on our eleven lowest points; prime, four points in a row from our 2 to our 10 point with a chequer
    behind them; holding, a point from their 3 to their bar point; mixed, everything else.
    """
    own, other = position.player, position.opponent
    if not _contact(own, other):
        return Plan.RACE
    own_pips, other_pips = position.pips
    if len(_anchors(own)) > 1 and own_pips > other_pips:
        return Plan.BACK_GAME
    # Counted from our ace point: where their chequers stand, and which points we have made.
    theirs = [0, *other[BAR - 1 :: -1]]
    made = [0, *(count > 1 for count in own[:BAR])]
    at_home = theirs[1 : _HOME + 1]
    exposed = other[BAR] > 0 or 1 in at_home
    if exposed and max(at_home) < 2 and sum(own[:11]) >= _ZONE:
        return Plan.ATTACK
    point = 2
    for held, run in groupby(made[2:11]):
        length = len(list(run))
        if held and length >= _LONG and (other[BAR] > 0 or any(theirs[:point])):
            return Plan.PRIME
        point += length
    if any(count > 1 for count in own[17:22]):
        return Plan.HOLDING
    return Plan.MIXED


def _contact(own: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return _highest(own) + _highest(other) > BAR


def _highest(side: tuple[int, ...]) -> int:
    """The point of the chequer that is farthest behind, 25 for the bar, 0 without any."""
    return next((point for point in range(BAR + 1, 0, -1) if side[point - 1]), 0)


def _anchors(side: tuple[int, ...]) -> list[int]:
    """Points held in the other side's home."""
    return [index for index in range(18, BAR) if side[index] > 1]
