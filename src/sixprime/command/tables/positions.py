"""What is on the board, set by hand: position, dice, turn, score, cube."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from typing import NamedTuple

from sixprime.command import run_of_play as run
from sixprime.command.call import NO_GAME, Call
from sixprime.command.tree import command, group
from sixprime.command.words import BOTH, Number, OnOff, Path, Refused, Rest, Word, unquoted, whole
from sixprime.errors import InvalidIdError, InvalidPositionError, RulesError, SixprimeError
from sixprime.game.acts import Set
from sixprime.game.board_text import find_xgid, unescaped
from sixprime.game.ids import parse
from sixprime.game.match_rules import Rules, quiet
from sixprime.game.position import Position
from sixprime.game.state import GameState, MatchState
from sixprime.game.table import Phase, Table, reason_of
from sixprime.game.variants import get_variant

_INTEGER = re.compile(r"-?[0-9]{1,3}")
_KEY = re.compile("[A-P]{20}")
_ID = re.compile("[A-Za-z0-9+/]{14}")
_POINTS = re.compile(r"([-+]?[0-9]*)(\*|[a-z]*)")
_SIMPLE = ("simple", "s", "si", "sim")


def put(call: Call, what: str, position: Position | None = None, *, cut: bool = True, **parts: object) -> None:
    """Sets the position, or parts of the state, in the game in progress; cut: whatever came after is forgotten. What is
    so already leaves no trace.

    Raises `Refused`.
    """
    if not call.state.playing:
        raise Refused(f"There must be a game in progress to set {what}.")
    table = call.table()
    position = position if position is not None else table.position
    state = quiet(table.state)
    if state.game_state is GameState.NONE:
        state = replace(state, game_state=GameState.PLAYING)
    turn = parts.pop("on_roll", state.on_roll)
    if turn != state.on_roll:
        state, position = state.swapped(), position.swapped()
    act = Set(position, replace(state, **parts))  # type: ignore[arg-type]
    if (act.position, act.state) == (table.position, table.state):
        return
    try:
        call.state = call.state.done(act) if cut else call.state.set_by_hand(act)
    except RulesError as error:
        raise Refused(_reason(error)) from None


def _reason(error: Exception) -> str:
    """Why something cannot be set, without where in the record it is."""
    text = reason_of(error)
    return f"{text[:1].upper()}{text[1:].removesuffix('.')}."


@command("set board", "Set the board: a position ID, `simple' and 26 numbers, or `=N' of the last hint", "<position>")
def set_board(call: Call, text: Rest) -> None:
    if not call.state.playing:
        raise Refused("There must be a game in progress to set the board.")
    text = unquoted(text)
    if not text:
        raise Refused("You must specify a position (see `help set board').")
    put(call, "the board", read_position(call, text))
    run.show_board(call)


def is_position(text: str) -> bool:
    """Whether a text means a position alone, without the state of a game: for `read_position`."""
    word = text.split()[0]
    return word.lower() in _SIMPLE or word.startswith("=") or bool(_KEY.fullmatch(word) or _ID.fullmatch(text))


def read_position(call: Call, text: str) -> Position:
    """The position that a text means, seen by the player on roll. Raises `Refused`."""
    words = text.split()
    chequers = call.state.table.position.chequers if call.state.table is not None else 15
    try:
        if words[0].lower() in _SIMPLE:
            return simple(words[1:], chequers)
        if words[0].startswith("="):
            listed: list[Position] = call.shell.kept.get("hint", [])
            number = whole(words[0][1:]) or 0
            if not 1 <= number <= len(listed):
                raise Refused("There is no such move in the hint list.")
            return listed[number - 1]
        if _KEY.fullmatch(words[0]):  # ten bytes, two letters each: a position ID without its base
            bytes_ = bytes(
                16 * (ord(high) - 65) + ord(low) - 65 for high, low in zip(*[iter(words[0])] * 2, strict=True)
            )
            return Position.from_id(b64encode(bytes_).decode("ascii").rstrip("="), chequers)
        return parse(words[0], chequers=chequers).position
    except (InvalidIdError, InvalidPositionError):
        raise Refused("Illegal position.") from None


def simple(numbers: list[str], chequers: int) -> Position:
    """A position of 26 numbers: the bar of the player on roll, points 1 to 24, positive his, the bar of the opponent.

    Raises `Refused`, InvalidPositionError.
    """
    if len(numbers) != 26 or not all(_INTEGER.fullmatch(number) for number in numbers):
        found = next((at for at, number in enumerate(numbers) if not _INTEGER.fullmatch(number)), len(numbers))
        raise Refused(f"`simple' must be followed by 26 integers; found {'only ' if found < 26 else ''}{found}")
    counts = [int(number) for number in numbers]
    mine = [max(0, count) for count in counts[1:25]] + [abs(counts[0])]
    theirs = [max(0, -count) for count in counts[24:0:-1]] + [abs(counts[25])]
    return Position(tuple(theirs), tuple(mine), chequers)


@command("set dice", "Set the roll", "<die> <die>")
def set_dice(call: Call, first: Number = None, second: Number = None) -> None:
    if not call.state.playing:
        raise Refused("There must be a game in progress to set the dice.")
    if first is not None and second is None and first > 6:
        first, second = divmod(first, 10)
    if first is None or second is None or not (1 <= first <= 6 and 1 <= second <= 6):
        raise Refused("You must specify two numbers from 1 to 6 for the dice.")
    if call.state.followed and call.table().phase is Phase.OPENING:
        raise Refused(run.BEGUN)
    if (thrown := call.state.with_dice((first, second))) is not None:
        call.state = thrown
    else:
        put(call, "the dice", dice=(first, second))
    call.say(f"The dice have been set to {first} and {second}.")


@command("set turn", "Set who is on roll", "<player>")
def set_turn(call: Call, word: Word = None) -> None:
    if not call.state.playing:
        raise Refused("There must be a game in progress to set a player on roll.")
    if word is None:
        raise Refused("Which player do you want to set on roll?")
    player = call.player(word)
    if player is None:
        raise Refused(f"Unknown player `{word}' (see `help set turn').")
    if player == BOTH:
        raise Refused("You can't set both players on roll.")
    call.unresigned()
    put(call, "a player on roll", cut=False, on_roll=player, dice=None)
    call.say(f"`{call.options.players[player].name}' is now on roll.")


@command(
    "set score",
    "Set the score; -N is so many points away, `C' and `P', alone or after it, Crawford and after",
    "<score> [length]",
)
def set_score(call: Call, text: Rest) -> None:
    table = call.state.table
    if table is None:
        raise Refused("There must be a game in progress to set the score.")
    words = text.split()
    scores = [_Points.of(word) for word in words[:2]]
    length = table.rules.length
    if len(words) == 3:
        length = run.checked_length(whole(words[2]))
    if len(scores) != 2 or len(words) > 3:
        raise Refused("You must specify two valid scores.")
    low, high = sorted(score := (scores[0].at(length), scores[1].at(length)))
    said = {each.play for each in scores} - {None}
    if any(each.play and (not length or at != length - 1) for each, at in zip(scores, score, strict=True)):
        raise Refused("The Crawford rule applies only in match play when a player's score is 1-away.")
    if low < 0:
        raise Refused("You must specify two valid scores.")
    if length and high >= length:
        raise Refused("You cannot set a score where the match is already over.")
    if len(said) == 2:
        raise Refused("You cannot set both Crawford and post-Crawford simultaneously.")
    if scores[0].play == scores[1].play == "crawford":
        raise Refused("You cannot set the Crawford rule when both players' scores are 1-away.")
    if "postcrawford" in said and not low:
        raise Refused("You cannot set post-Crawford play if the trailer has yet to score.")
    crawford = False
    if length > 1 and high == length - 1 > low:
        # After the Crawford game nobody is without points.
        now = table.state.crawford if call.state.playing else run.crawford_follows(call.state)
        known = not low or (now and length == table.rules.length)
        crawford = "crawford" in said or (known and not said)
    rules = replace(table.rules, length=length) if length else run.rules(call.options, 0)
    # A rule that this score breaks was not in force.
    rules = replace(rules, variant=table.rules.variant, crawford_rule=rules.crawford_rule or crawford)
    if not call.state.playing:
        call.state = call.state.scored_by_hand(rules, score, crawford)
    else:
        call.state = call.state.ruled(rules, score=score, crawford=crawford)
    if call.state.playing and crawford and table.state.cube > 1:
        put(call, "the cube", cut=False, cube=1, cube_owner=None)
    elif call.state.playing and table.state.doubled:  # it was offered at another score
        put(call, "the score", cut=False)
    call.say(run.score_line(call.state))


class _Points(NamedTuple):
    """A score of one player as it is typed. points: below 0 for points away; play: "crawford" or "postcrawford"."""

    points: int
    play: str | None

    @classmethod
    def of(cls, word: str) -> _Points:
        """A number, a sign or word of what is played, or one after the other. Raises `Refused`."""
        found = _POINTS.fullmatch(word.lower())
        number, sign = found.groups() if found else ("", "")
        points = whole(number) if number else -1
        sign = "crawford" if sign == "*" else sign
        play = next((play for play in ("crawford", "postcrawford") if sign and play.startswith(sign)), None)
        if points is None or (sign and play is None) or not (number or sign):
            raise Refused("You must specify two valid scores.")
        return cls(points, play)

    def at(self, length: int) -> int:
        """As points won."""
        return self.points + length if self.points < 0 else self.points


def anew(call: Call, position: Position, state: MatchState) -> None:
    """Sets position and state; where length or score are others, in a new match. Raises `Refused`."""
    table = call.state.table
    try:
        if table is not None and call.state.playing and same_kind(table, position, state):
            run.heightened(call, state.cube)
            if state.crawford:
                run.crawford_ruled(call)
            rules = call.table().rules
            own = replace(state, beavers=rules.beavers, cube_limit=rules.cube_limit)
            call.state = call.state.done(Set(position, own))
            return
        call.state = call.state.at_table(Table.from_position(position, state, call.options.names, _variant(call)))
    except SixprimeError as error:
        raise Refused(_reason(error)) from None


def same_kind(table: Table, position: Position, state: MatchState) -> bool:
    """Whether what is set fits the match in progress."""
    rules = table.rules
    return (
        rules.length == state.length
        and table.state.score == state.score
        and table.position.chequers == position.chequers
        and rules.jacoby == state.jacoby
        and (rules.cube_limit > 1) == (state.cube_limit > 1)
        and not (state.doubled or state.resigned)
        and state.game_state is GameState.PLAYING
    )


def _variant(call: Call) -> str:
    """What is played, or what the next match is of."""
    table = call.state.table
    return run.rules(call.options, 0).variant if table is None else table.rules.variant


def _by_id(call: Call, position: Position, state: MatchState) -> None:
    """Sets what an ID says, which does not tell how many chequers there are: those of the game, where no side has more.
    Raises `Refused`."""
    chequers = get_variant(_variant(call)).chequers
    if max(sum(position.opponent), sum(position.player)) <= chequers:
        position = replace(position, chequers=chequers)
    if state.cube > run.LARGEST:
        raise Refused(f"The cube cannot go above {run.LARGEST}.")
    if state.game_state is not GameState.PLAYING:
        state = replace(state, game_state=GameState.PLAYING)
    if state.doubled and not state.beavered:
        # As in GNU Backgammon: programs ask for the equities of who doubles, which after a beaver is the other side.
        call.say("A double has been offered: this is the position before it.")
        state = replace(state, on_roll=1 - state.decider).before_roll()
    if state.crawford and state.away(0) == state.away(1) == 1:
        # Nobody can gain by a double at double match point: some programs name it the Crawford game.
        state = replace(state, crawford=False)
    limit = Rules().cube_limit if call.options.cube_use else 1
    state = replace(state, beavers=call.options.beavers, cube_limit=max(limit, state.cube))
    anew(call, position, state)
    if state.dice is not None:
        call.say(f"The dice have been set to {state.dice[0]} and {state.dice[1]}.")
    if state.cube > 1:
        call.say(f"The cube has been set to {state.cube}.")


_LETTERS = re.compile("[A-Za-z0-9+/]+")
_BOTH_IDS = re.compile(r"(?<![\w+/])([\w+/]{14}):([\w+/]{12})(?![\w+/])", re.ASCII)


@command("set gnubgid", "Set position and match to a GNUbg ID or an XGID, in any text", "<gnubgid>")
def set_gnubgid(call: Call, text: Rest) -> None:
    text = unescaped(unquoted(text))
    if _by_xgid(call, text):
        return
    position_id: str | None
    match_id: str | None
    if (both := _BOTH_IDS.search(text)) is not None:
        position_id, match_id = both.groups()
    else:
        words = _LETTERS.findall(text)
        position_id = next((word for word in words if len(word) == 14 and _reads(word)), None)
        match_id = next((word for word in words if len(word) == 12 and _reads(word)), None)
        if position_id is None and match_id is None:
            raise Refused("No valid IDs found", wrong=True)
    if position_id is not None and not _reads(position_id):
        raise Refused("Illegal position.")
    if match_id is not None and not _reads(match_id):
        raise Refused(f"Illegal match ID '{match_id}'")
    if match_id is not None:
        state = MatchState.from_match_id(match_id)
        position = Position.from_id(position_id) if position_id else _present(call)
        _by_id(call, position, state)
        run.show_board(call)
    elif position_id is not None:
        set_board(call, position_id)
    call.say(f"Setting GNUbg ID {position_id or ''}:{match_id or ''}")


def _reads(word: str) -> bool:
    try:
        parse(word)
    except SixprimeError:
        return False
    return True


def _present(call: Call) -> Position:
    return call.state.table.position if call.state.table is not None else Position.start()


@command("set matchid", "Set the state of the match to a match ID", "<matchid>")
def set_matchid(call: Call, text: Path = None) -> None:
    try:
        state = MatchState.from_match_id(text or "")
    except SixprimeError:
        raise Refused(f"Illegal match ID '{text or ''}'") from None
    _by_id(call, _present(call), state)
    run.show_board(call)


@command("set xgid", "Set position and match to an XGID, in any text", "<xgid>")
def set_xgid(call: Call, text: Rest) -> None:
    text = unquoted(text)
    if not _by_xgid(call, text):
        raise Refused(f"Not a valid XGID '{text}'", wrong=True)


def _by_xgid(call: Call, text: str) -> bool:
    """Sets what an XGID within a text says; False where there is none that can be read."""
    try:
        found = find_xgid(text)
    except SixprimeError:
        return False
    if found is None:
        return False
    position, state = found
    if state.dice is not None:
        state = state.with_dice((max(state.dice), min(state.dice)))
    if not state.length:
        call.put("beavers", state.beavers)
        run.rule(call, beavers=state.beavers)
    _by_id(call, position, state)
    run.show_board(call)
    return True


group("set cube", "Value and owner of the cube, and whether it is used")


@command("set cube value", "Set the value of the cube", "<value>")
def set_cube_value(call: Call, value: Number = None) -> None:
    _cube_in_use(call)
    if value is None or value < 1 or value & (value - 1) or value > run.LARGEST:
        raise Refused("You must specify a legal cube value (see `help set cube value').")
    if call.state.playing:
        run.heightened(call, value)
    put(call, "the cube", cube=value)
    call.say(f"The cube has been set to {value}.")


@command("set cube owner", "Give the cube to a player", "<player>")
def set_cube_owner(call: Call, word: Word = None) -> None:
    _cube_in_use(call)
    player = None if word is None else call.player(word)
    if player is None:
        raise Refused("You must specify which player owns the cube (see `help set cube owner').")
    put(call, "the cube", cube_owner=None if player == BOTH else player)
    call.say(
        "The cube has been centred." if player == BOTH else f"{call.options.players[player].name} now owns the cube."
    )


@command("set cube centre|set cube center", "Put the cube in the middle")
def set_cube_centre(call: Call) -> None:
    _cube_in_use(call)
    put(call, "the cube", cube_owner=None)
    call.say("The cube has been centred.")


def _cube_in_use(call: Call) -> None:
    """Raises `Refused` where the game is played without the cube."""
    if not call.options.cube_use:
        raise Refused("The cube is disabled (see `help set cube use').")
    if call.state.playing and call.table().state.crawford:
        raise Refused("The cube is disabled during the Crawford game.")


@command("set cube use", "Whether games are played with the cube", "on|off")
def set_cube_use(call: Call, on: OnOff) -> None:
    call.put("cube_use", on)
    table = call.state.table
    turned = table is not None and (table.state.cube > 1 or table.state.doubled)
    if not on and turned and call.state.playing and not call.state.followed:
        put(call, "the cube", cube=1, cube_owner=None)
    run.rule(call, cube_limit=Rules().cube_limit if on else 1)
    call.say("Use of the doubling cube is permitted." if on else "Use of the doubling cube is disabled.")
    if not on and call.options.jacoby and not (table is not None and table.rules.length):
        call.say(
            "Note that you'll have to disable the Jacoby rule if you want gammons and\n"
            "backgammons to be scored (see `help set jacoby')."
        )


@command("set crawford", "Whether this is the Crawford game", "on|off")
def set_crawford(call: Call, on: OnOff) -> None:
    _crawford(call, on, "Crawford")
    call.say("This game is the Crawford game (no doubling allowed)." if on else "This game is not the Crawford game.")


@command("set postcrawford", "Whether this game is after the Crawford game", "on|off")
def set_postcrawford(call: Call, on: OnOff) -> None:
    _crawford(call, not on, "post-Crawford")
    call.say("This is post-Crawford play (doubling allowed)." if on else "This is not post-Crawford play.")


def _crawford(call: Call, on: bool, play: str) -> None:
    table = call.state.table
    if table is None or table.phase is Phase.MATCH_OVER:
        raise Refused(NO_GAME)
    if not table.rules.length:
        raise Refused(f"Cannot set {play} play for money sessions.")
    near = sum(table.state.away(player) == 1 for player in (0, 1))
    if near == 2 and not on:
        return
    if near != 1:
        what = "the Crawford game" if play == "Crawford" else "post-Crawford play"
        whose = "both players are" if near else "none of the players are"
        raise Refused(f"Cannot set whether this is {what}\nas {whose} 1-away from winning.")
    state = table.state
    if table.phase is Phase.GAME_OVER:  # of the game that comes
        rules = replace(table.rules, crawford_rule=table.rules.crawford_rule or on)
        call.state = call.state.scored_by_hand(rules, state.score, on)
        return
    # The rules know no Crawford game with a cube that has been turned.
    cube, owner = (1, None) if on else (state.cube, state.cube_owner)
    if on:
        run.crawford_ruled(call)
    put(call, "the Crawford game", crawford=on, cube=cube, cube_owner=owner)


@command("clear turn", "Forget the roll")
def clear_turn(call: Call) -> None:
    call.unresigned()
    if not call.state.playing or call.table().state.dice is not None:
        put(call, "a player on roll", cut=False, dice=None)


@command("swap players", "Let the players change sides")
def swap_players(call: Call) -> None:
    # Who decides on a seat, and how, stays with the seat.
    first, second = call.options.players
    options = replace(call.options, players=(replace(first, name=second.name), replace(second, name=first.name)))
    state = replace(call.state, options=options)
    if state.match is not None and state.table is not None:
        state = replace(state, match=state.match.reseated(), table=state.table.reseated())
    call.state = state
    run.show_board(call)


group("clear", "Forget something")
group("swap", "Change sides")
