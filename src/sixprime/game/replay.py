"""Recorded matches at a table: played again, act by act, by the rules, or looked at in their midst, as they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sixprime.errors import RulesError, SettingsError
from sixprime.game.acts import Accept, Act, Beaver, Double, Drop, Move, NextGame, Opening, Resign, Roll, Set, Take
from sixprime.game.match_rules import Rules, scored
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, Game, Match
from sixprime.game.state import GameState, MatchState
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


def table_at(match: Match, number: int, done: int) -> Table:
    """The table in the midst of a recorded match: in the game of that index after so many actions, be they by the rules
    or not."""
    game, rules = match.games[number], Rules.of(match)
    so_far = replace(game, actions=game.actions[:done], winner=None, points=0, resigned=False)
    before, start = replace(match, games=match.games[:number]), rules.new_game(game.score, game.crawford)
    table = Table(rules, before, so_far, Position.start(rules.variant), start)
    if done == len(game.actions) or game.actions[done].kind is ActionKind.SET:
        return _after_last(table, game)
    coming = game.actions[done]
    state = coming.state
    was_set = done > 0 and game.actions[done - 1].kind is ActionKind.SET
    if coming.kind in (ActionKind.MOVE, ActionKind.ROLL) and not was_set:
        state = state.with_dice(None)
        if not done and not (state.cube > 1 and game.cube == 1):
            state = replace(state, game_state=GameState.NONE)
    return replace(table, position=coming.position, state=state)


def gammon_counted_once(match: Match) -> bool:
    """Whether a gammon of the match counted once, which only Jacoby's rule explains."""
    return any(
        0 < game.points < table_at(match, number, len(game.actions)).position.result
        for number, game in enumerate(match.games)
    )


def cube_turned(match: Match) -> bool:
    """Whether a cube of the match was turned or offered."""
    return any(
        game.cube > 1 or any(action.kind is ActionKind.DOUBLE for action in game.actions) for game in match.games
    )


def _after_last(table: Table, game: Game) -> Table:
    """The table after the last of its actions, as they are recorded in a game."""
    if not table.game.actions:
        return table
    *earlier, last = table.game.actions
    position, state, played = last.position, last.state, table.game
    match last.kind:
        case ActionKind.MOVE:
            position = last.play.result if last.play is not None else position.swapped()
            state = state.swapped()
        case ActionKind.DOUBLE:
            state = state.offered()
        case ActionKind.BEAVER:
            state = replace(state, beavered=state.beavered + 1, turn=1 - last.player)
        case ActionKind.TAKE:
            cube = next((each.value for each in reversed(earlier) if each.value), 2 * state.cube)
            state = replace(state.taken(), cube=cube)
        case ActionKind.RESIGN:
            if game.winner is None:  # still open: whoever declines goes on from what was on the board
                offered = _after_last(replace(table, game=replace(played, actions=tuple(earlier))), game)
                position, state = offered.position, offered.state
            state = replace(state, resigned=last.value, turn=1 - last.player)
    if len(earlier) + 1 == len(game.actions) and game.winner is not None:
        how = GameState.RESIGNED if game.resigned else GameState.OVER
        how = GameState.DROPPED if last.kind is ActionKind.DROP else how
        score = scored(game.score, game.winner, game.points)
        state = replace(state, score=score, dice=None, resigned=0, doubled=False, turn=None, game_state=how)
        played = replace(played, winner=game.winner, points=game.points, resigned=game.resigned)
    return replace(table, game=played, position=position, state=state)


def _essence(action: Action) -> Iterator[tuple[str, object]]:
    """What an action is apart from its annotations and the order of its dice."""
    for name in ("kind", "player", "position", "play", "value"):
        yield name, getattr(action, name)
    yield "dice", action.dice and sorted(action.dice)
    for name in MatchState.__slots__:
        if name != "dice":
            yield name, getattr(action.state, name)
