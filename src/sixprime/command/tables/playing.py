"""Games: begun, played and ended."""

from __future__ import annotations

from sixprime.command.call import Call
from sixprime.command.tree import command, group
from sixprime.command.words import Path, Refused

group("new", "Begin a game, match or session")


@command("set player human", "A person plays")
def set_player_human(call: Call) -> None:
    call.put("type", "human")
    for player in players(call):
        call.say(f"Moves for {call.options.players[player].name} must now be entered manually.")


@command("set player gnubg", "This program plays")
def set_player_gnubg(call: Call) -> None:
    call.put("type", "gnubg")
    for player in players(call):
        call.say(f"Moves for {call.options.players[player].name} will now be played by GNU Backgammon.")


@command("set player name", "Call a player so", "<name>")
def set_player_name(call: Call, name: Path = None) -> None:
    for player in players(call):
        other = call.options.players[1 - player].name
        if not name:
            raise Refused("You must specify a name to use.")
        if name in ("0", "1", "both"):
            raise Refused(f"`{name}' is not a legal name.")
        if name.lower() == other.lower():
            raise Refused("That name is already in use by the other player.")
        rename(call, player, name)
        call.say(f"Player {player} is now known as `{name}'.")


def rename(call: Call, player: int, name: str) -> None:
    """Gives a player another name, in the match as well."""
    from dataclasses import replace

    from sixprime.command.options import changed

    state = call.state
    state = replace(state, options=changed(state.options, f"players.{player}.name", name))
    if state.match is not None and state.table is not None:
        old = state.match.players
        named = tuple(replace(who, name=name) if at == player else who for at, who in enumerate(old))
        pair = (named[0], named[1])
        table = replace(state.table, match=replace(state.table.match, players=pair))
        state = replace(state, match=replace(state.match, players=pair), table=table)
    call.state = state


def players(call: Call) -> tuple[int, ...]:
    """The players that a command concerns."""
    return (call.given[0],) if call.given[0] < 2 else (0, 1)
