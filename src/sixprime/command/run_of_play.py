"""The run of play: what happens at a table until a person must decide, and what is told of it.

Dice come from the generator that is set, moves of the program from the engine at the level of its player.
"""

from __future__ import annotations

import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sixprime.command import engines
from sixprime.command.call import Call
from sixprime.command.options import Decision, Eval, Filters, Options, Seat, changed
from sixprime.command.state import State
from sixprime.command.words import Refused
from sixprime.cube.met import MAX_AWAY
from sixprime.game.acts import Accept, Act, Beaver, Decline, Double, Drop, Move, NextGame, Opening, Resign, Roll, Take
from sixprime.game.match_rules import MOST_BEAVERS, Rules
from sixprime.game.position import Position
from sixprime.game.record import ActionKind
from sixprime.game.state import SIZES, MatchState
from sixprime.game.table import Phase, Table

if TYPE_CHECKING:
    from sixprime.play.dice import DiceSource
    from sixprime.play.seats import Seat as Deciding
    from sixprime.progress import Stop

BEGUN = "The game has begun already: `next' goes to its first roll, `new game' begins another."
LARGEST = 4096
"""Of cubes, when somebody goes so far; until then matches have the usual limit, which every file understands."""
_BEGINNINGS = (NextGame, Opening, Roll)
"""Acts after which the turn goes on."""
VARIANTS = {f"{number}-chequer-hypergammon": f"hypergammon{number}" for number in (1, 2, 3)}
"""Our names of variations that are called otherwise here."""


def rules(options: Options, length: int) -> Rules:
    """The rules of a new match, or session of length 0. Raises SettingsError for a match that is too long."""
    return Rules(
        length,
        VARIANTS.get(options.variation, options.variation),
        options.automatic.crawford,
        options.jacoby,
        min(options.beavers, MOST_BEAVERS),
        options.automatic.doubles,
        Rules().cube_limit if options.cube_use else 1,
    )


def heightened(call: Call, cube: int) -> None:
    """Makes room for a cube in the game in progress, as far as cubes go."""
    table = call.state.table
    if table is not None and 1 < table.rules.cube_limit < cube <= LARGEST:
        call.state = call.state.ruled(replace(table.rules, cube_limit=LARGEST))


def crawford_ruled(call: Call) -> None:
    """Makes the match in progress one with the Crawford rule, as the Crawford game that is to be set needs it."""
    table = call.state.table
    if table is not None and not table.rules.crawford_rule:
        call.state = call.state.ruled(replace(table.rules, crawford_rule=True))


def renewed(call: Call, old: Rules) -> Rules:
    """The rules as they are set now, for the next game of a match or session."""
    return replace(rules(call.options, old.length), variant=old.variant)


def rule(call: Call, **parts: Any) -> None:
    """Changes rules of the game in progress; one that went on from here was played by those of then.

    What is said of sessions leaves a match as it is.
    """
    table = call.state.table
    if table is not None and call.state.playing and not call.state.followed:
        call.state = call.state.ruled(replace(table.rules, **parts))


def begin(call: Call, length: int) -> None:
    """Begins a match, whose players are called as is set, or a session."""
    from sixprime.play.games import today

    if length:
        for player, name in enumerate(call.options.defaultnames):
            call.state = replace(call.state, options=changed(call.options, f"players.{player}.name", name))
    table = Table.new(rules(call.options, length), call.options.names)
    call.state = call.state.at_table(replace(table, match=replace(table.match, info={"date": today()})))
    do(call, Opening())


def do(call: Call, act: Act, *, told: bool = False) -> None:
    """Does an act, tells of it, and goes on until a person must decide. told: a play is written out, whoever made it.

    Within a file of commands the program waits for the next of them, as GNU Backgammon does, when the turn is over.
    Raises RulesError.
    """
    step(call, act, told=told)
    if call.shell.depth and isinstance(act, _BEGINNINGS):
        take_turn(call)
    go_on(call)


def do_own(call: Call, act: Act, *, told: bool = False) -> None:
    """The same for the act of a person, of which the tutor warns. Raises RulesError."""
    if advised(call, act):
        do(call, act, told=told)


def advised(call: Call, act: Act) -> bool:
    """Whether an act shall be done: the tutor has nothing against it, or the person is warned and does it anyway."""
    tutor, table = call.options.tutor, call.state.table
    if not tutor.mode or table is None or table.turn is None or call.options.players[table.turn].type != "human":
        return True
    from sixprime.analysis.thresholds import Skill
    from sixprime.command.marks import thresholds
    from sixprime.play.advice import Adviser, Tutor

    kept, on_roll = call.options.analysis, table.state.on_roll
    if isinstance(act, Move):
        judge = engines.engine_of(call, kept.chequer, kept.filter, on_roll=on_roll)
    else:
        judge = engines.cube_engine(call, kept.cube, kept.filter, on_roll=on_roll)
    adviser = Adviser(judge, thresholds(call.options))
    skill = {"doubtful": Skill.DOUBTFUL, "bad": Skill.BAD, "verybad": Skill.VERY_BAD}[tutor.skill]
    warned = Tutor(adviser, skill, tutor.chequer, tutor.cube).warns(table, act)
    if warned is None:
        return True
    mark = warned.skill.name.lower().replace("_", " ")
    call.say(f"Tutor: {warned.option.words} is {mark}; it loses {warned.loss:.3f}.")
    if call.shell.asking is None:
        return True
    return call.sure("Are you sure you want to do that?")


def step(call: Call, act: Act, *, told: bool = False, silent: bool = False) -> None:
    """Does one act, its dice thrown, and tells of it as `do`; silent: only of the end of a game. Raises RulesError."""
    before = call.table() if not isinstance(act, NextGame) else call.state.table
    assert before is not None
    by_hand = call.state.loose
    if isinstance(act, Double | Beaver):
        heightened(call, 2 * (before.offered or before.state.cube))
        before = call.table()
    if isinstance(act, Opening | Roll) and act.dice is None:
        loaded = cheated(call, before) if isinstance(act, Roll) else None
        act = replace(act, dice=loaded or throw(call, opening=isinstance(act, Opening)))
    call.state = call.state.done(act)
    if isinstance(act, NextGame):
        _settle_rules(call, crawford=before.state.crawford if by_hand else None)
    after = call.state.table
    assert after is not None
    if not silent:
        tell(call, before, act, after, told=told)
    elif after.game.winner is not None:
        call.say("Game complete.")
        show_board(call)
        _tell_end(call, before, act, after)


def _settle_rules(call: Call, *, crawford: bool | None) -> None:
    """Has the game that begins go by what is set by now; a session that is not recorded forgets those before it.

    crawford: whether it is the Crawford game; None: as the score says.
    """
    begun = call.table()
    new = renewed(call, begun.rules)
    crawford = begun.state.crawford if crawford is None else crawford
    call.state = call.state.ruled(new, crawford=crawford and new.crawford_rule)
    if not call.options.record and begun.state.money:
        table = call.table()
        call.state = call.state.at_table(replace(table, match=replace(table.match, games=())))


def throw(call: Call, *, opening: bool = False) -> tuple[int, int]:
    """The next dice of the generator. Raises `Refused` for an opening roll out of a file of ties alone."""
    from sixprime.play.dice import ListedDice

    source = dice(call)
    state, number = call.state, call.state.throws
    if isinstance(source, ListedDice):
        if opening and source.digits[::2] == source.digits[1::2]:
            raise Refused(f"No game can begin: all throws in {call.options.rng.more} are ties.")
        rounds, number = divmod(number, len(source.digits) // 2)
        if rounds and not number:
            call.say(f"Rewinding dice file ({call.options.rng.more})")
    pair = source.throw(number)
    if pair is None:
        pair = _typed(call)
    call.state = replace(state, throws=state.throws + 1)
    return pair


def _typed(call: Call) -> tuple[int, int]:
    """Dice thrown by hand. Raises `Refused` where nobody can be asked."""
    read = call.shell.typed
    try:
        while read is not None:
            digits = [int(each) for each in read("Enter dice: ") if each.isdecimal()]
            if len(digits) == 2 and all(1 <= die <= 6 for die in digits):
                return digits[0], digits[1]
            call.say("You must enter two numbers between 1 and 6.")
    except EOFError:
        pass
    raise Refused("The dice are thrown by hand: give them with `set dice'.")


def cheated(call: Call, table: Table) -> tuple[int, int] | None:
    """The roll of a player whose dice are loaded; None where they are not."""
    options = call.options
    if not options.cheat:
        return None
    from sixprime.play.dice import Loaded

    judge = engines.engine(call, Eval(plies=0), options.evaluation.filter)
    return Loaded(judge, (options.players[0].cheat, options.players[1].cheat)).throw(table)


def dice(call: Call) -> DiceSource:
    """The generator that is set, made when first needed."""
    if call.state.dice is None:
        from sixprime.play.dice import GeneratedDice, ListedDice, source_named

        rng = call.options.rng
        word = "system" if rng.name == "random.org" else rng.name
        seeded = rng.name in ("bbs", "isaac", "md5", "mersenne")
        seed = None if not seeded else rng.seed if rng.seed is not None else secrets.randbits(31)
        source = ListedDice.read(rng.more, strict=False) if rng.name == "file" else source_named(word, seed)
        if isinstance(source, GeneratedDice) and rng.name == "bbs" and rng.more:
            source = replace(source, modulus=rng.more)
        call.state = replace(call.state, dice=source, throws=0)
    assert call.state.dice is not None
    return call.state.dice


def go_on(call: Call) -> None:
    """Goes on until a person must decide or the match is over; within a file of commands, when that has ended."""
    call.shell.waiting = call.state.table if call.shell.depth else None
    while not call.shell.depth and take_turn(call):
        pass


def take_turn(call: Call) -> bool:
    """Does what nobody is asked about until the turn is over, the start of a game too; whether there was anything."""
    begun = False
    while (act := _next_act(call)) is not None:
        step(call, act, told=True)
        begun = True
        if not isinstance(act, _BEGINNINGS):
            break
    return begun


def _next_act(call: Call) -> Act | None:
    """What is done without asking anybody; None: a person decides."""
    table, options = call.state.table, call.options
    if table is None or table.phase is Phase.MATCH_OVER:
        return None
    if table.phase is Phase.GAME_OVER:
        return NextGame() if options.automatic.game else None
    if table.phase is Phase.OPENING:
        return Opening()
    from sixprime.play.automation import Automation

    turn = table.turn
    assert turn is not None
    automatic = Automation(options.automatic.roll, options.automatic.move, options.automatic.bearoff, False)
    seat = options.players[turn]
    if seat.type != "human":
        return decided(call, table)
    if table.phase is Phase.PLAY and not (play := table.legal().plays[0]).steps:
        return Move(turn, play)
    return automatic.act(table)


def decided(call: Call, table: Table) -> Act:
    """What the program does for the player to act."""
    from sixprime.progress import NOBODY

    if table.turn is None:
        return Opening()
    seat = call.options.players[table.turn]
    decider: Deciding
    if seat.type == "external":
        decider = external(call, seat)
    else:
        decider = Decider(call, seat.chequer, seat.cube, seat.filter, on_roll=table.state.on_roll)
    act = decider.decide(table, NOBODY)
    assert act is not None
    return act


class Decider:
    """The program as it is set: plays by one engine, cube actions and resignations by another."""

    def __init__(self, call: Call, chequer: Decision, cube: Decision, filters: Filters, *, on_roll: int = 0) -> None:
        from sixprime.play.seats import EngineSeat

        play = engines.engine_of(call, chequer, filters, on_roll=on_roll)
        double = engines.cube_engine(call, cube, filters, on_roll=on_roll)
        self._plays = EngineSeat(play)
        self._cubes = self._plays if double is play else EngineSeat(double)
        self.name, self.engine = self._plays.name, double

    def decide(self, table: Table, stop: Stop) -> Act | None:
        """As `play.seats.Seat` says."""
        return (self._plays if table.phase is Phase.PLAY else self._cubes).decide(table, stop)


def external(call: Call, seat: Seat) -> Deciding:
    """Who answers at the address of a seat; kept, with the connection. Raises SettingsError."""
    from sixprime.play.seats import seat_of

    kept: dict[str, Deciding] = call.shell.kept.setdefault("external", {})
    if seat.address not in kept:
        kept[seat.address] = seat_of(f"external:{seat.address}", seat.name)
    return kept[seat.address]


def tell(call: Call, before: Table, act: Act, after: Table, *, told: bool = False) -> None:
    """Says what was done, and shows the board where somebody looks at it.

    With `set display off` what the program does is not told, and the board stands only before a person who decides.
    """
    names, options = before.names, call.options
    person = [seat.type == "human" for seat in options.players]
    seen = options.display or (after.turn is not None and person[after.turn])
    by = getattr(act, "player", None)
    heard = options.display or by is None or person[by]
    match act:
        case Opening(dice=(first, second)):
            if options.display:
                call.say(f"{names[0]} rolls {first}, {names[1]} rolls {second}.")
            if after.state.cube > before.state.cube:
                call.say(f"The cube is now at {after.state.cube}.")
            if first != second and seen:
                show_board(call)
        case Roll():
            if person[act.player]:
                show_board(call)
        case Move(player, play):
            if heard and (told or not person[player] or not play.steps):
                call.say(f"{names[player]} moves {play}." if play.steps else f"{names[player]} cannot move.")
            if after.phase is Phase.ROLL and seen:
                show_board(call)
        case Double(player):
            _told(call, f"{names[player]} doubles.", heard=heard, seen=seen)
        case Beaver(player):
            text = f"{names[player]} accepts and immediately redoubles to {after.offered}."
            _told(call, text, heard=heard, seen=seen)
        case Take(player):
            _told(call, f"{names[player]} accepts the cube at {after.state.cube}.", heard=heard, seen=seen)
        case Drop(player):
            won = after.game.points
            text = f"{names[player]} refuses the cube and gives up {won} point{'s' * (won != 1)}."
            _told(call, text, heard=heard, seen=False)
        case Resign(player, value):
            _told(call, f"{names[player]} offers to resign a {SIZES[value]}.", heard=heard, seen=seen)
        case Accept(player):
            _told(call, f"{names[player]} accepts and wins a {SIZES[before.state.resigned]}.", heard=heard, seen=False)
        case Decline(player):
            _told(call, f"{names[player]} declines the {SIZES[before.state.resigned]}.", heard=heard, seen=seen)
        case _:
            pass
    if after.game.winner is not None:
        _tell_end(call, before, act, after)


def _told(call: Call, text: str, *, heard: bool, seen: bool) -> None:
    if heard:
        call.say(text)
    if seen:
        show_board(call)


def _tell_end(call: Call, before: Table, act: Act, after: Table) -> None:
    winner, points = after.game.winner, after.game.points
    assert winner is not None
    value = 1 if isinstance(act, Drop) else max(1, points // max(1, before.state.cube))
    call.say(f"{after.names[winner]} wins a {SIZES[min(value, 3)]} and {points} point{'s' * (points != 1)}.")
    call.say(score_line(call.state))
    if after.phase is Phase.MATCH_OVER:
        call.say(f"{after.names[winner]} has won the match.")


def score_line(state: State) -> str:
    """The score as `show score` says it. Raises `Refused` where there is no match."""
    from sixprime.command.answers import standing

    table = state.table
    if table is None:
        raise Refused("No match in progress.")
    now, over = table.state, table.game.winner is not None
    crawford, late = crawford_game(state), now.post_crawford
    if over:  # of the game that comes
        follows = crawford_follows(state)
        near = table.rules.at_match_point(now.score) or min(now.score) == now.length - 1
        late = now.length == 1 or (near and not follows and table.phase is not Phase.MATCH_OVER)
    return standing.show_score(
        now.score,
        table.game.number - (not over),
        table.names,
        table.rules.length,
        jacoby=table.rules.jacoby,
        crawford=crawford,
        post_crawford=late,
    )


def crawford_game(state: State) -> bool:
    """Whether this is the Crawford game, or between two games, the one that comes will be."""
    if state.table is None or state.table.game.winner is None:
        return state.table is not None and state.table.state.crawford
    return crawford_follows(state) and (state.loose or state.options.automatic.crawford)


def crawford_follows(state: State) -> bool:
    """Whether a game is over, and the one that comes is the Crawford game."""
    table = state.table
    if table is None or table.phase is not Phase.GAME_OVER:
        return False
    if state.loose:
        return table.state.crawford
    return table.rules.crawford_game(table.score, before=table.game.score)


def show_board(call: Call) -> None:
    """The board, or nothing where none is set up."""
    from sixprime.command.answers import standing

    table = call.state.table
    if table is not None:
        call.say(board_text(call, table.position, standing.ended(table, live=call.state.live)))
        if not call.options.output.rawboard:
            _show_coming(call)


def _show_coming(call: Call) -> None:
    """What is known of the turn after the cursor, or just its dice."""
    coming = call.state.coming
    if coming is None or coming.kind is ActionKind.SET:
        return
    if coming.analyses or coming.comment:
        from sixprime.command.tables.analysing import judged
        from sixprime.report.export.pages import turn_of
        from sixprime.report.export.templating import templates_of
        from sixprime.report.export.text import turn_text

        options, state = call.options, call.state
        turn = turn_of(judged(call), options.exports, state.game, state.at)
        call.say(turn_text(turn, templates_of()))
    elif coming.dice is not None:
        call.say("\nRolled {}{}:\n\n".format(*sorted(coming.dice, reverse=True)))


def board_text(call: Call, position: Position, state: MatchState) -> str:
    """A board as `set output rawboard` and `set clockwise` want it."""
    from sixprime.command.answers import standing

    options, names = call.options, call.options.names
    if options.output.rawboard:
        return standing.raw_board(position, state, names)
    if call.shell.drawing is not None:
        drawn = call.shell.drawing(position, state, names, options.clockwise)
        return f"{standing.ids_text(position, state)}\n{drawn}\n"
    return standing.show_board(position, state, names, clockwise=options.clockwise)


def checked_length(length: int | None) -> int:
    """A length of a match. Raises `Refused` for None and for one that there is no equity table for."""
    if length is None or not 0 <= length <= MAX_AWAY:
        raise Refused(f"Match length must be between 0 (unlimited session) and {MAX_AWAY}")
    return length
