"""Back and forth in a match."""

from __future__ import annotations

from sixprime.command import run_of_play as run
from sixprime.command.answers.standing import game_list
from sixprime.command.call import Call
from sixprime.command.tables.analysing import match_of
from sixprime.command.tree import command, group
from sixprime.command.words import Refused, Rest, whole
from sixprime.game.record import Match

_STEPS = ("game", "roll", "rolled", "marked")


def _go(call: Call, text: str, sign: int) -> None:
    state, match = call.state, match_of(call)
    words = text.split()
    step = next((each for each in _STEPS if words and each.startswith(words[0].lower())), None)
    if step is not None:
        words = words[1:]
    count = whole(words[0]) if words else 1
    if count is None or count < 1:
        word, way = ("next", "step ahead") if sign > 0 else ("previous", "step back")
        named, what = (f"{word} game", "games") if step == "game" else (word, "moves")
        raise Refused(
            f"If you specify a parameter to the `{named}' command, it must be a positive number "
            f"(the count of {what} to {way})."
        )
    game, at, games = state.game, state.at, match.games
    rolled = step == "rolled"
    if step == "game":
        game = min(max(game + sign * count, 0), len(games) - 1)
        if game == state.game:  # no such game: whoever is in the midst of this one stays there
            return
        at = 0
    elif step == "roll":  # half a turn: first the dice are seen, then the play
        half = 2 * at + state.roll_seen + sign * count
        at, rolled = half // 2, half % 2 == 1
        if at < 0:
            at, rolled = 0, False
    elif step == "marked":
        here = (game, at)
        ahead = [place for place in _marked(match)[::sign] if place != here and (place > here) == (sign > 0)]
        if count > len(ahead):
            return
        game, at = ahead[count - 1]
    else:
        at += sign * min(count, 100_000)
    actions = games[game].actions
    at = min(max(at, 0), len(actions))
    # What is marked is looked at: a play with its dice, a cube decision before them.
    rolled |= step == "marked" and not any(each.cube_mark for each in actions[at].analyses)
    call.state = state.gone(game, at)
    if rolled:
        call.state = call.state.with_roll()
    _seen(call)


def _marked(match: Match) -> list[tuple[int, int]]:
    """Game and number of every action that an analysis has marked."""
    return [
        (game, at)
        for game, each in enumerate(match.games)
        for at, action in enumerate(each.actions)
        if any(found.play_mark or found.cube_mark for found in action.analyses)
    ]


def _seen(call: Call) -> None:
    """Shows the board to a person; scripts, as in GNU Backgammon, walk in silence."""
    if call.shell.asking is not None:
        run.show_board(call)


@command("n", "Go on in the match", hidden=True)
@command("next", "Go on in the match", "[game|roll|rolled|marked] <count>")
def next_(call: Call, text: Rest) -> None:
    _go(call, text, 1)


@command("p", "Go back in the match", hidden=True)
@command("previous", "Go back in the match", "[game|roll|rolled|marked] <count>")
def previous(call: Call, text: Rest) -> None:
    _go(call, text, -1)


group("first", "Go to the beginning")
group("list", "List games or moves")


@command("first game", "Go to the first game")
def first_game(call: Call) -> None:
    _first(call, 0)


@command("first move", "Go to the beginning of this game")
def first_move(call: Call) -> None:
    _first(call, call.state.game)


def _first(call: Call, game: int) -> None:
    match_of(call)
    call.state = call.state.gone(game, 0)
    _seen(call)


@command("list game", "List what was done in this game")
def list_game(call: Call) -> None:
    call.say(game_list(match_of(call).games[call.state.game]))


@command("list match|list session", "List the games of the match")
def list_match(call: Call) -> None:
    for game in match_of(call).games:
        won = "not over" if game.winner is None else f"{call.options.players[game.winner].name} wins {game.points}"
        call.say(f"{game.number:4}. {game.score[0]}-{game.score[1]}  {won}")
