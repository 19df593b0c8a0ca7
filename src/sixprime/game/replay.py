"""Recorded matches played again at a table, act by act, where they were played by the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sixprime.errors import RulesError, SettingsError
from sixprime.game.acts import Accept, Act, Beaver, Double, Drop, Move, NextGame, Opening, Resign, Roll, Set, Take
from sixprime.game.match_rules import Rules
from sixprime.game.record import Action, ActionKind, Game, Match
from sixprime.game.state import MatchState
from sixprime.game.table import Phase, Table

_OF_PLAYER: dict[ActionKind, Callable[[int], Act]] = {
    ActionKind.DOUBLE: Double,
    ActionKind.BEAVER: Beaver,
    ActionKind.TAKE: Take,
    ActionKind.DROP: Drop,
}


def replay(match: Match) -> Iterator[Table]:
    """The tables of a recorded match: at the beginning of every game and after every act.

    Raises RulesError where the record goes against the rules, naming game and action.
    """
    table = None
    for game in match.games:
        if table is None:
            try:
                table = Table.new(Rules.of(match), match.players, game.score, game.crawford)
            except SettingsError as error:
                raise RulesError(f"game {game.number}: {error}") from error
            table = replace(table, match=replace(match, games=()))
        else:
            table = table.apply(NextGame())
        if game.actions:
            state = game.actions[0].state
            own = {name: getattr(state, name) for name in ("jacoby", "beavers", "cube_limit")}
            table = replace(table.under(replace(table.rules, **own)), match=table.match)
        # What is known of the game beyond the rules.
        known = replace(table.game, number=game.number, comment=game.comment, extras=game.extras)
        table = replace(table, game=known)
        yield table
        for _ in range(game.cube.bit_length() - 1):
            table = table.apply(Opening((1, 1)))
            yield table
        for number, action in enumerate(game.actions, 1):
            for act in _acts(table, action, answered=game.winner is not None):
                table = table.apply(act)
                if len(table.game.actions) == number and table.game.actions[-1].kind is action.kind:
                    table = _as_recorded(table, game, action)
                yield table
        for name in ("score", "crawford", "cube", "winner", "points", "resigned"):
            found, wanted = getattr(game, name), getattr(table.game, name)
            if found != wanted:
                raise RulesError(f"game {game.number}: {name} is recorded as {found}, by the rules it is {wanted}")


def _acts(table: Table, action: Action, answered: bool) -> Iterator[Act]:
    """What was done for an action; answered: if it is a resignation, it ended the game."""
    player, dice, where = action.player, action.dice, f"game {table.game.number}, action {len(table.game.actions) + 1}"
    if action.kind in (ActionKind.MOVE, ActionKind.ROLL):
        # Dice may have been set by hand before.
        if table.phase is Phase.OPENING and dice is not None:
            if dice[0] == dice[1]:
                raise RulesError(f"{where}: {dice[0]}-{dice[1]} is recorded as the first roll, which cannot be a tie")
            yield Opening((max(dice), min(dice)) if player == 0 else (min(dice), max(dice)))
        elif table.phase is not Phase.PLAY:
            yield Roll(player, dice)
        if action.kind is ActionKind.MOVE:
            if action.illegal or action.play is None:
                raise RulesError(f"{where}: an illegal or unknown play is recorded")
            yield Move(player, action.play)
    elif action.kind is ActionKind.RESIGN:
        yield Resign(player, action.value)
        if answered:
            yield Accept(1 - player)
    elif action.kind is ActionKind.SET:
        yield Set(action.position, action.state)
    else:
        yield _OF_PLAYER[action.kind](player)


def _as_recorded(table: Table, game: Game, action: Action) -> Table:
    """The table with its last action as it is recorded: annotated, the dice in any order, no points to spare."""
    *before, done = table.game.actions
    for (name, found), (_, wanted) in zip(_essence(action), _essence(done), strict=True):
        if found != wanted:
            where = f"game {game.number}, action {len(before) + 1}"
            raise RulesError(f"{where}: {name} is recorded as {found}, by the rules it is {wanted}")
    played = replace(table.game, actions=(*before, action))
    state, winner, length = table.state, played.winner, table.rules.length
    if winner is not None and game.points < played.points and game.score[winner] + game.points == length:
        # Some write no more points than the match needs.
        played = replace(played, points=game.points)
        state = replace(state, score=(state.score[0], length) if winner else (length, state.score[1]))
    return replace(table, game=played, state=state)


def _essence(action: Action) -> Iterator[tuple[str, object]]:
    """What an action is apart from its annotations and the order of its dice."""
    for name in ("kind", "player", "position", "play", "value"):
        yield name, getattr(action, name)
    yield "dice", action.dice and sorted(action.dice)
    for name in MatchState.__slots__:
        if name != "dice":
            yield name, getattr(action.state, name)
