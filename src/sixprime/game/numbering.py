"""How moves are numbered: by rows, as in a match file, player 0 in the left column and player 1 in the right one."""

from __future__ import annotations

from collections.abc import Sequence

from sixprime.checks import Maybe, Whole
from sixprime.errors import SettingsError
from sixprime.game.record import Action, ActionKind, Match

_NUMBER, _PLAYER = Maybe(Whole(0, 10**9)), Maybe(Whole(0, 1))

NO_TURNS = (ActionKind.RESIGN, ActionKind.SET)
"""What reports do not number."""


def rows(actions: Sequence[Action]) -> list[int]:
    """The number of each action of a game, from 1. What is no turn has that of the turn before it.

    A position that was set, and in which nothing has been done yet, has the next number.
    """
    found: list[int] = []
    row, previous = 1, None
    for action in actions:
        if action.kind not in NO_TURNS:
            row += previous is not None and action.player <= previous
            previous = action.player
        found.append(row)
    if found and actions[-1].kind is ActionKind.SET and previous is not None:
        found[-1] += 1
    return found


def game_at(match: Match, number: int | None = None) -> int:
    """The index of the game of a number, by default the first. Raises SettingsError where there is none."""
    _NUMBER("game", number)
    numbers = [game.number for game in match.games]
    if not numbers:
        raise SettingsError("there is no game")
    if number is not None and number not in numbers:
        raise SettingsError(f"there is no game {number}; the games are {numbers[0]} to {numbers[-1]}")
    return 0 if number is None else numbers.index(number)


def action_at(match: Match, game: int | None, move: int, player: int | None = None) -> tuple[int, int]:
    """The indices of a game and of the action in it that has a number.

    game: its number, by default the first. player: whose, by default of who acts first in that row.
    Raises SettingsError where there is none.
    """
    _NUMBER("move", move)
    _PLAYER("player", player)
    index = game_at(match, game)
    found = match.games[index]
    numbers = rows(found.actions)
    for place, action in enumerate(found.actions):
        last = place + 1 == len(found.actions)
        turn = action.kind not in NO_TURNS or (last and action.kind is ActionKind.SET)
        if turn and numbers[place] == move and player in (None, action.player):
            return index, place
    who = "" if player is None else f" of player {player + 1}"
    raise SettingsError(f"there is no move {move}{who} in game {found.number}, which has {max(numbers, default=0)}")
