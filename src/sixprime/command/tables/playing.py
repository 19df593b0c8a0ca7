"""Games: begun, played and ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

from sixprime.command import run_of_play as run
from sixprime.command.call import NO_GAME, Call
from sixprime.command.options import changed
from sixprime.command.tree import command, group
from sixprime.command.words import Path, Refused, Rest, Word, whole
from sixprime.errors import IllegalPlayError, InvalidPlayError
from sixprime.game.acts import Accept, Act, Beaver, Decline, Double, Drop, Move, NextGame, Opening, Resign, Roll, Take
from sixprime.game.record import Action, ActionKind
from sixprime.game.state import SIZES, size_of
from sixprime.game.table import Phase, Table

group("new", "Begin a game, match or session")
group("end", "Play on without asking")
_HIGHEST = "The cube is already at its highest supported value ; you can't double any more."
_ROLL_FIRST = "You must roll the dice before you can move."


@command("new match", "Begin a match", "[length]")
def new_match(call: Call, word: Word = None) -> None:
    length = run.checked_length(call.options.matchlength if word is None else whole(word))
    if not _may_end(call):
        return
    points = "point" if length == 1 else "points"
    call.say(f"A new {length} {points} match has been started." if length else "A new session has been started.")
    run.begin(call, length)


@command("new session", "Begin a session for money")
def new_session(call: Call) -> None:
    if _may_end(call):
        call.say("A new session has been started.")
        run.begin(call, 0)


@command("new game", "Begin a game of the match or session, or a session")
def new_game(call: Call) -> None:
    state = call.state
    if state.table is None:
        run.begin(call, 0)
    elif state.table.phase is Phase.MATCH_OVER:
        raise Refused("The match is already over.")
    elif state.playing:
        if _may_end(call):
            table = state.table
            rules = run.renewed(call, table.rules)
            again = Table.new(rules, table.match.players, table.state.score, table.state.crawford)
            game = replace(again.game, number=table.game.number)
            call.state = state.at_table(replace(again, match=table.match, game=game))
            run.do(call, Opening())
    else:
        run.do(call, NextGame())


def _own(call: Call) -> Table:
    """The table, where a person is to act. Raises `Refused` where the program is."""
    table = call.table()
    if table.turn is not None and call.options.players[table.turn].type != "human":
        raise Refused("It is the computer's turn -- type `play' to force it to move immediately.")
    return table


def _may_end(call: Call) -> bool:
    asks = call.state.playing and call.options.confirm.new
    return not asks or call.sure("Are you sure you want to start a new game, and discard the one in progress?")


@command("r", "Roll the dice", hidden=True)
@command("roll", "Roll the dice")
def roll(call: Call) -> None:
    table = _own(call)
    call.unresigned()
    _answered(table)
    if table.phase is Phase.PLAY:
        raise Refused("You have already rolled the dice.")
    if table.phase is Phase.OPENING and call.state.followed:
        raise Refused(run.BEGUN)
    run.do_own(call, Opening() if table.phase is Phase.OPENING else Roll(table.state.on_roll))


@command("move", "Move chequers, as in 8/5 6/5", "<from> <to> ...")
def move(call: Call, text: Rest) -> None:
    table = _own(call)
    _answered(table)
    if table.phase is not Phase.PLAY:
        raise Refused(_ROLL_FIRST)
    plays = table.legal().plays
    if not text:
        if len(plays) > 1:
            raise Refused("You must specify a move (type `help move' for instructions).")
        run.do_own(call, Move(table.state.on_roll, plays[0]), told=True)
        return
    run.do_own(call, _read_move(table, text))


def _read_move(table: Table, text: str) -> Move:
    words = text.split()
    numbers = all(word.isdigit() for word in words) and len(words) % 2 == 0
    pairs = " ".join(f"{start}/{end}" for start, end in zip(words[::2], words[1::2], strict=True)) if numbers else ""
    for tried in (text, pairs):
        try:
            if tried:
                return table.move(tried)
        except (IllegalPlayError, InvalidPlayError):
            pass
    raise Refused("Illegal or unparsable move.", wrong=True)


def _answered(table: Table) -> None:
    """Raises `Refused` while a double or resignation waits for an answer."""
    if table.phase is Phase.DOUBLED:
        raise Refused(f"Please wait for {table.names[_decider(table)]} to consider the cube before moving.")
    if table.phase is Phase.RESIGNED:
        raise Refused(f"Please wait for {table.names[_decider(table)]} to consider the resignation before moving.")


@command("double", "Offer a double")
def double(call: Call) -> None:
    table = _own(call)
    if table.state.doubled:
        redouble(call)
        return
    if table.phase is Phase.RESIGNED:
        raise Refused("You are only allowed to double if you are on roll.")
    state = table.state
    if state.crawford:
        raise Refused("Doubling is forbidden by the Crawford rule (see `help set crawford').")
    if state.cube_limit == 1 or not call.options.cube_use:
        raise Refused("The doubling cube has been disabled (see `help set cube use').")
    if table.phase is Phase.PLAY:
        raise Refused("You can't double after rolling the dice -- wait until your next turn.")
    if state.cube_owner == 1 - state.on_roll:
        raise Refused("You do not own the cube.")
    if state.length and state.cube >= state.length - state.score[state.on_roll]:
        raise Refused("The cube is dead; you can't double any more.")
    if 2 * state.cube > run.LARGEST:
        raise Refused(_HIGHEST)
    run.do_own(call, Double(state.on_roll))


@command("redouble|beaver", "Take the cube and turn it back at once")
def redouble(call: Call) -> None:
    if call.state.playing and _own(call).state.length:
        raise Refused("Beavers and Raccoons are not permitted during match play.")
    table = _doubled(call, "redouble")
    most = table.rules.beavers
    if not most:
        raise Refused("Beavers are disabled (see `help set beavers').")
    if sum(1 for _ in _turned_back(table)) >= most:
        number = "one beaver is" if most == 1 else f"{most} beavers are"
        raise Refused(f"Only {number} permitted (see `help set beavers').")
    if 2 * table.offered > run.LARGEST:
        raise Refused(_HIGHEST)
    run.do_own(call, Beaver(_decider(table)))


def _turned_back(table: Table) -> Iterator[Action]:
    """The beavers of the double that waits for an answer."""
    return takewhile(lambda action: action.kind is ActionKind.BEAVER, reversed(table.game.actions))


@command("take", "Take a double")
def take(call: Call) -> None:
    run.do_own(call, Take(_decider(_doubled(call, "take"))))


@command("drop|pass", "Refuse a double")
def drop(call: Call) -> None:
    run.do_own(call, Drop(_decider(_doubled(call, "drop"))))


def _doubled(call: Call, word: str) -> Table:
    """The table where a double waits for an answer. Raises `Refused`."""
    if call.state.playing:
        table = _own(call)
        if table.state.doubled:
            if table.phase is Phase.RESIGNED:  # whoever resigned answers the double after all
                call.state = call.state.at_table(_unresigned(table))
            return call.table()
    raise Refused(f"The cube must have been offered before you can {word} it.")


@command("resign", "Offer to lose a single game, a gammon or a backgammon", "[normal|gammon|backgammon]")
def resign(call: Call, value: Word = None) -> None:
    if not call.state.playing:
        raise Refused("You must be playing a game if you want to resign it.")
    table = _own(call)
    size = size_of(value or "single")
    if not size:
        raise Refused(f"Unknown keyword `{value}' (see `help resign').")
    player = _decider(table)
    if size <= (declined := table.declined[player]):
        raise Refused(f"{table.names[1 - player]} has already declined your offer of a {SIZES[declined]}.")
    if table.phase is Phase.RESIGNED:
        call.state = call.state.at_table(_unresigned(table))  # whoever should answer resigns instead
    run.do_own(call, Resign(player, size))


def _unresigned(table: Table) -> Table:
    """Without the resignation that waits for an answer, which nobody has declined."""
    return replace(table.apply(Decline(_decider(table))), declined=table.declined)


def _resigned(call: Call) -> Table:
    """The table where a resignation waits for an answer. Raises `Refused` where none does."""
    table = _own(call)
    if table.phase is not Phase.RESIGNED:
        raise Refused("No resignation was offered.")
    return table


@command("agree", "Agree to a resignation")
def agree(call: Call) -> None:
    run.do_own(call, Accept(_decider(_resigned(call))))


@command("decline", "Decline a resignation")
def decline(call: Call) -> None:
    run.do_own(call, Decline(_decider(_resigned(call))))


@command("accept", "Accept a double or a resignation")
def accept(call: Call) -> None:
    _answer(call, "accept", Accept, Take)


@command("reject", "Refuse a double or a resignation")
def reject(call: Call) -> None:
    _answer(call, "reject", Decline, Drop)


def _answer(call: Call, word: str, resignation: type[Act], cube: type[Act]) -> None:
    table = call.state.table
    kind = {Phase.RESIGNED: resignation, Phase.DOUBLED: cube}.get(table.phase) if table is not None else None
    if table is None or kind is None:
        raise Refused(f"You can only {word} if the cube or a resignation has been offered.")
    _own(call)
    run.do_own(call, kind(_decider(table)))  # type: ignore[call-arg, arg-type]


@command("play", "Have the program decide for whoever is to act")
def play(call: Call) -> None:
    table = call.state.table
    if table is None:
        raise Refused(NO_GAME)
    persons = any(seat.type == "human" for seat in call.options.players)
    if table.phase is Phase.GAME_OVER and not persons and not call.shell.depth:
        run.do(call, NextGame())
        return
    if not call.state.playing:
        raise Refused(NO_GAME)
    if table.turn is None or call.options.players[table.turn].type == "human":
        raise Refused("It's not the computer's turn to play.")
    run.do(call, run.decided(call, call.table()))
    if call.shell.depth:
        run.take_turn(call)


@command("end game", "Have the program play the game to its end")
def end_game(call: Call) -> None:
    number = call.table().game.number
    options, kept = call.options, call.options.players
    both = (replace(kept[0], type="gnubg"), replace(kept[1], type="gnubg"))
    call.state = replace(call.state, options=replace(options, players=both))
    try:
        while call.state.playing and call.table().game.number == number:
            run.step(call, run.decided(call, call.table()), silent=True)
    finally:
        call.state = replace(call.state, options=replace(call.options, players=kept))
    run.go_on(call)


def _decider(table: Table) -> int:
    """Who must act. Raises `Refused` before the first roll."""
    if table.turn is None:
        raise Refused("The first roll of the game has not been made yet (type `roll').")
    return table.turn


@command("set player human", "A person plays")
def set_player_human(call: Call) -> None:
    call.put("type", "human")
    call.say(f"Moves for {call.seat.name} must now be entered manually.")


@command("set player gnubg", "This program plays")
def set_player_gnubg(call: Call) -> None:
    call.put("type", "gnubg")
    call.say(f"Moves for {call.seat.name} will now be played by GNU Backgammon.")


@command("set player name", "Call a player so", "<name>")
def set_player_name(call: Call, name: Path = None) -> None:
    player = call.given[0]
    other = call.options.players[1 - player].name
    if not name:
        raise Refused("You must specify a name to use.")
    if name in ("0", "1", "both"):
        raise Refused(f"`{name}' is not a valid name.")
    if name.lower() == other.lower():
        raise Refused("That name is already in use by the other player.")
    rename(call, player, name)
    call.say(f"Player {player} is now known as `{name}'.")


def rename(call: Call, player: int, name: str) -> None:
    """Gives a player another name, in the match as well."""
    state = call.state
    state = replace(state, options=changed(state.options, f"players.{player}.name", name))
    if state.match is not None:
        old = state.match.players
        state = state.noted(
            players=tuple(replace(who, name=name) if at == player else who for at, who in enumerate(old))
        )
    call.state = state
