"""Playing on: from any place of a match that was played, and once more when a match is over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sixprime.errors import RulesError, SettingsError
from sixprime.frozen import FrozenDict
from sixprime.game.acts import NextGame, Opening, Roll, Set
from sixprime.game.match_rules import Rules
from sixprime.game.numbering import action_at, game_at
from sixprime.game.record import MATCH, Action, ActionKind, Game, Match
from sixprime.game.table import Phase, Table
from sixprime.play.dice import afresh
from sixprime.play.games import today
from sixprime.play.seats import Seat
from sixprime.play.session import Session


@dataclass(frozen=True, slots=True)
class Place:
    """From where a match is played on.

    words: where that is, "game 2, move 7"; info: what is known of the match; left_out: games, from the first on, that
    the record of `table` does not have, as they went against the rules.
    """

    table: Table
    words: str
    info: Mapping[str, str] = field(default_factory=FrozenDict)
    left_out: int = 0


def place_in(match: Match, game: int | None = None, move: int | None = None, player: int | None = None) -> Place:
    """The place of a match by the numbers of game and move, as `numbering.action_at` finds it.

    The table is that before what was done there, with the dice that had been rolled. Without a move it is the beginning
    of that game, without a game the end of the match. Of what was done before, the record keeps all but analyses.
    Where a game before went against the rules the record begins with this one; where this one does, with the position.
    Raises SettingsError where there is no such place, or the match is over there, and RulesError.
    """
    MATCH("match", match)
    if (alone := match.only_position) is not None:
        names = match.players[0], match.players[1]
        return Place(Table.from_position(alone.position, alone.state, names, match.variant), "the position", match.info)
    info, match = match.info, _bare(match)
    found = None
    if move is not None:
        index, place = action_at(match, game, move, player)
        number = match.games[index].number
        found, words = match.games[index].actions[place], f"game {number}, move {move}"
    elif game is not None or not match.games:
        index, place = game_at(match, game), 0
        words = f"game {match.games[index].number}"
    else:
        index, place = len(match.games) - 1, len(match.games[-1].actions)
        words = f"the end of game {match.games[index].number}"
    last = match.games[index]
    if place < len(last.actions) or found is not None:
        last = replace(last, actions=last.actions[:place], winner=None, points=0, resigned=False)
    before = match.games[:index]
    table, left_out = _reached(match, before, last, found)
    if table.phase is Phase.MATCH_OVER:
        raise SettingsError("the match is over; name a game of it, and a move, to play on from there")
    return Place(table, words, info, left_out)


def _bare(match: Match) -> Match:
    """What was played, and what was said of it."""
    games = tuple(
        replace(game, extras=(), actions=tuple(replace(each, analyses=(), extras=()) for each in game.actions))
        for game in match.games
    )
    return replace(Rules.of(match).match(match.players), games=games)


def _reached(match: Match, before: Sequence[Game], last: Game, action: Action | None) -> tuple[Table, int]:
    """The table after some games and a part of another one, before an action, and how many games its record lacks."""
    for games in (before, ()):
        try:
            if action is None and not last.actions:
                return _dealt(match, games, last), len(before) - len(games)
            return _before(Table.from_record(replace(match, games=(*games, last))), action), len(before) - len(games)
        except RulesError as error:
            problem = error
    if action is None:
        raise problem
    names = match.players[0], match.players[1]
    return Table.from_position(action.position, action.state, names, match.variant), len(before) + 1


def _dealt(match: Match, before: Sequence[Game], game: Game) -> Table:
    """The table at the beginning of a game. Raises RulesError."""
    if before:
        return Table.from_record(replace(match, games=tuple(before))).apply(NextGame())
    return Table.new(Rules.of(match), match.players, game.score, game.crawford)


def _before(table: Table, action: Action | None) -> Table:
    """A table with the dice of an action thrown, or what it sets. Raises RulesError."""
    if action is None:
        return table
    if action.kind is ActionKind.SET:
        return table.apply(Set(action.position, action.state))
    if (table.position, table.state.on_roll) != (action.position, action.state.on_roll) and table.turn is not None:
        raise RulesError("the record has another position there")
    if action.dice is None or table.phase is Phase.PLAY:
        return table
    first, second = max(action.dice), min(action.dice)
    if table.phase is Phase.OPENING:
        return table.apply(Opening((second, first) if action.player else (first, second)))
    return table.apply(Roll(action.player, action.dice))


def seat_named(match: Match, name: str, other: int = 0) -> int:
    """Where the player sits who is called so; `other` where nobody is."""
    names = [player.name.casefold() for player in match.players]
    return names.index(name.casefold()) if name.casefold() in names else other


def played_by(table: Table, seats: Sequence[Seat], words: str) -> str:
    """Who plays for whom from a place on, as a comment on the match; empty where all play for themselves."""
    named = zip(seats, table.match.players, strict=True)
    others = [f"{seat.name} for {player.name}" for seat, player in named if player.name not in ("", seat.name)]
    return f"Played on from {words}: {', '.join(others)}." if others else ""


def rematch(session: Session, journal: Path) -> Session:
    """A match as the one that is over: by the same rules, with the same seats, tutor and clock, other dice and a new
    journal. Raises as `Session`."""
    first, second = session.seats
    thrown = session.history[-1].throws if session.history else 0
    return Session(
        session.seats,
        Table.new(session.table.rules, (first.name, second.name)),
        dice=afresh(session.dice, thrown),
        automation=session.automation,
        journal=journal,
        tutor=session.tutor,
        adviser=session.adviser,
        clock=session.clock,
        loaded=session.loaded,
        info={"date": today()},
    )
