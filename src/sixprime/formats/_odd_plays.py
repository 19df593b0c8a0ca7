"""Plays as files have them: none where the rules know one, any that could be carried out, the only one left out."""

from __future__ import annotations

from sixprime.errors import IllegalPlayError, InvalidPlayError
from sixprime.game.play import Play, carried_out, find_play, legal_plays_reference, parse_steps
from sixprime.game.position import BAR, Position
from sixprime.game.rules import full_plays, single_steps

Dice = tuple[int, int]


def at_most_two(position: Position, dice: Dice) -> list[Play]:
    """All legal plays if there are fewer than two, else any two or more: not to list thousands in vain."""
    found: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    for rows in full_plays(position, dice):
        found.add(rows)
        if len(found) == 2:
            return [Play((), position, Position(player, opponent, position.chequers)) for player, opponent in found]
    return legal_plays_reference(position, dice)


def can_move(position: Position, dice: Dice) -> bool:
    """Whether any chequer can move with either die."""
    player, opponent = position.player, position.opponent
    if player[BAR] > 0:
        return not closed_out(position, dice)
    return any(True for die in dice for _ in single_steps(player, opponent, die))


def closed_out(position: Position, dice: Dice) -> bool:
    """Whether the player is on the bar and cannot enter: the common way of having no legal play."""
    opponent = position.opponent
    return position.player[BAR] > 0 and opponent[dice[0] - 1] > 1 and opponent[dice[1] - 1] > 1


def candidate(text: str, position: Position, dice: Dice) -> Play | None:
    """The play that an analysis writes, legal or not, none for no text; None where no chequer can go like this."""
    if not text:
        return dance(position)
    try:
        return find_play(text, position, dice) or carried_out(position, parse_steps(text))
    except (InvalidPlayError, IllegalPlayError):
        return None


def dance(position: Position) -> Play:
    """The play of nothing."""
    return Play((), position, position.swapped())
