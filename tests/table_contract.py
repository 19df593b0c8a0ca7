"""The contract of `Table`, one test for all variants and rules: random play in which every step is looked at."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from sixprime.errors import IllegalPlayError, RulesError
from sixprime.game.acts import (
    Accept,
    Act,
    Beaver,
    Decline,
    Double,
    Drop,
    Move,
    NextGame,
    Opening,
    Resign,
    Roll,
    Set,
    Take,
)
from sixprime.game.match_rules import Rules
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.record import ActionKind
from sixprime.game.state import GameState
from sixprime.game.table import Phase, Table

OFTEN: dict[type[Act], float] = {Double: 0.15, Beaver: 0.8, Drop: 0.3, Resign: 0.02, Decline: 2.0}
"""How often acts are chosen where others are allowed, which have 1."""


def thrown(act: Act, chance: random.Random) -> Act:
    """The act with dice, where it needs some."""
    return replace(act, dice=(chance.randint(1, 6), chance.randint(1, 6))) if type(act) in (Opening, Roll) else act


def chosen(table: Table, chance: random.Random, often: Mapping[type[Act], float] = OFTEN) -> Act:
    """A random act of those that are allowed, every kind as often as `often` has it."""
    legal = table.legal()
    kinds = legal.kinds
    (kind,) = chance.choices(kinds, [often.get(kind, 1.0) for kind in kinds])
    return thrown(chance.choice(list(legal.of(kind))), chance)


def games(rules: Rules, seed: int, count: int) -> Iterator[Table]:
    """The tables of random play, up to the end of the match or of `count` games."""
    chance = random.Random(seed)
    table = Table.new(rules, ("Ann", "Bob"))
    yield table
    while table.phase is not Phase.MATCH_OVER and (table.phase is not Phase.GAME_OVER or table.game.number < count):
        table = table.apply(chosen(table, chance))
        yield table


def table_test(rules: Rules, seed: int, count: int = 3) -> Table:
    """Plays a match (or `count` games) at random and asserts at every step what holds of every table."""
    chance = random.Random(seed)
    table = Table.new(rules, ("Ann", "Bob"))
    check_alone(table)
    while table.phase is not Phase.MATCH_OVER and (table.phase is not Phase.GAME_OVER or table.game.number < count):
        if chance.random() < 0.05:
            check_every_act(table, chance)
        act = chosen(table, chance)
        assert act in table.legal()
        after = table.apply(act)
        assert table.apply(act) == after
        check_alone(after)
        check_step(table, act, after)
        if chance.random() < 0.03:
            check_record(after)
        table = after
    check_every_act(table, chance)
    check_record(table)
    assert (table.phase is Phase.MATCH_OVER) == (rules.length > 0 and max(table.score) >= rules.length)
    assert table.phase is Phase.GAME_OVER or list(table.legal()) == []
    return table


def check_alone(table: Table) -> None:
    """What holds of every table by itself."""
    state, position, rules = table.state, table.position, table.rules
    assert position.chequers == Position.start(rules.variant).chequers
    assert position.is_valid
    assert (position.winner is None) == (state.game_state is not GameState.OVER)
    assert (state.length, state.jacoby, state.beavers) == (rules.length, rules.jacoby, rules.beavers)
    assert state.cube in (1 << power for power in range(16))
    assert max(state.cube, table.offered) <= rules.cube_limit
    assert (table.offered > 0) == state.doubled
    assert not state.crawford or (state.cube == 1 and not state.doubled)
    if rules.length:
        assert state.cube_owner is not None or state.cube == 1
        assert not state.beavered
    assert table.game.cube <= 1 << rules.automatic_doubles
    over = table.game.winner is not None
    assert over == (table.phase in (Phase.GAME_OVER, Phase.MATCH_OVER)) == (state.game_state > GameState.PLAYING)
    assert (table.turn is None) == (over or table.phase is Phase.OPENING)
    assert all(action.player == action.state.decider and not action.illegal for action in table.game.actions)
    won = [sum(game.points for game in table.match.games if game.winner == player) for player in (0, 1)]
    assert table.game.score == tuple(won)
    legal = table.legal()
    assert (Move in legal) == (table.phase is Phase.PLAY) == bool(legal.plays)
    acts = list(legal)
    assert all(kind in legal for kind in {type(act) for act in acts})
    assert all(getattr(act, "player", table.turn) == table.turn for act in acts if type(act) is not Resign)


def check_step(table: Table, act: Act, after: Table) -> None:
    """What an act does, and what it leaves alone."""
    assert after.rules is table.rules
    before, state = table.state, after.state
    if type(act) is not NextGame:
        assert after.match is table.match
        own, earlier = after.game.actions, table.game.actions
        kept = len(earlier) - (
            type(act) in (Move, Decline) and earlier[-1].kind in (ActionKind.ROLL, ActionKind.RESIGN)
        )
        assert own[:kept] == earlier[:kept]
        assert len(own) <= kept + 1
    match act:
        case Move(player, play):
            assert after.game.actions[-1].play == play
            assert after.game.actions[-1].play.steps == play.steps
            # Each die moves at most its pips; the board has turned.
            pips = table.position.pips[0] - after.position.pips[1]
            assert 0 <= pips <= sum(before.dice) * (2 if before.dice[0] == before.dice[1] else 1)
            assert state.on_roll == 1 - player
        case Take():
            assert (state.cube, state.cube_owner) == (table.offered, 1 - before.on_roll)
            assert state.on_roll == before.on_roll
        case Drop(player):
            assert (after.game.winner, after.game.points) == (1 - player, table.offered // 2)
        case Accept(player):
            lowest = table.offered // 2 or before.cube
            assert (after.game.winner, after.game.points, after.game.resigned) == (
                player,
                before.resigned * lowest,
                True,
            )
        case Decline():
            assert replace(after, declined=(0, 0)) == undone(table)
        case Opening((first, second)) if first != second:
            assert (state.on_roll, state.dice) == (int(second > first), (first, second))
        case NextGame():
            assert after.phase is Phase.OPENING
            assert after.game.number == table.game.number + 1
            assert after.match.games == table.record().games
            away = [after.rules.length - points for points in after.score]
            crawford = [game.crawford for game in after.match.games]
            assert state.crawford == (
                after.rules.length > 1
                and after.rules.crawford_rule
                and 1 in away
                and away != [1, 1]
                and not any(crawford)
            )
    if after.game.winner is not None and table.game.winner is None:
        assert table.position.winner is None
        winner, points = after.game.winner, after.game.points
        assert after.score[winner] == table.score[winner] + points
        assert after.score[1 - winner] == table.score[1 - winner]
        assert 0 < points <= 3 * max(before.cube, table.offered)
        if type(act) is Move and before.jacoby and before.cube_owner is None:
            assert points == before.cube
    elif type(act) is not NextGame:
        assert after.score == table.score


def undone(table: Table) -> Table:
    """A table before the offer to resign, its last act."""
    actions = table.game.actions[:-1]
    state = replace(table.state, resigned=0, turn=None)
    if state.doubled:
        state = replace(state, turn=1 - actions[-1].player)
    return replace(table, game=replace(table.game, actions=actions), state=state, declined=(0, 0))


def check_every_act(table: Table, chance: random.Random) -> None:
    """What is legal can be done, everything else is refused with our error, which says where."""
    legal = list(table.legal())
    for act in legal:
        table.apply(thrown(act, chance))
    start = Position.start(table.rules.variant)
    other = Play((), start, Position.start("nackgammon"))
    dice = chance.randint(1, 6), chance.randint(1, 6)
    acts: list[Act] = [Opening(dice), Opening((0, 3)), NextGame()]
    for player in (0, 1, 2):
        acts += [Roll(player, dice), Roll(player, (7, 1)), Double(player), Beaver(player), Take(player), Drop(player)]
        acts += [Resign(player, value) for value in range(5)] + [Accept(player), Decline(player), Move(player, other)]
        acts += [Move(player, play) for play in start.plays(dice)]
        acts += [Move(player, Play((), table.position, table.position.swapped()))]
    acts += [Set(start, replace(table.state, length=table.state.length + 1)), Set(other.result, table.state)]
    for act in acts:
        if act in table.legal():
            table.apply(act)
            assert act in legal or type(act) in (Roll, Opening, Set)
        else:
            assert act not in legal
            with pytest.raises(RulesError, match=f"^game {table.game.number}, action ") as caught:
                table.apply(act)
            assert isinstance(caught.value, IllegalPlayError) == (type(act) is Move and table.phase is Phase.PLAY)
    for act in legal:
        if type(act) in (Opening, Roll):
            with pytest.raises(RulesError, match="dice"):
                table.apply(act)


def check_record(table: Table) -> None:
    """The record gives back the table, but for resignations that were declined."""
    again = Table.from_record(table.record())
    assert again.record() == table.record()
    if table.game.actions or table.game.cube > 1:
        assert replace(again, rules=table.rules, declined=table.declined) == table


def rolled_to(table: Table, dice: tuple[int, int], board: NDArray[np.int8]) -> Table:
    """The table after a roll and the legal play that leads to a board `int8[2, 25]`, seen by the opponent."""
    player = table.state.on_roll
    table = table.apply(Roll(player, dice))
    result = Position.from_board(board, table.position.chequers)
    if result == table.position.swapped():
        return table.apply(Move(player, Play((), table.position, result)))
    return table.apply(Move(player, Play.between(table.position, dice, result)))
