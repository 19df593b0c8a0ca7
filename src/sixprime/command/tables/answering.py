"""Commands that answer: `hint`, `eval`, `show`, and conversions of equities. What they print is made in
`command/answers/`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sixprime.command import engines
from sixprime.command.answers import figures as numbers
from sixprime.command.answers import judging, races, standing
from sixprime.command.answers.settings import SHOWN
from sixprime.command.call import Call
from sixprime.command.options import Decision, Eval, Options
from sixprime.command.rollouts import log, rollout_settings
from sixprime.command.run_of_play import board_text, crawford_game, score_line, show_board
from sixprime.command.tables.positions import is_position, read_position
from sixprime.command.tree import command
from sixprime.command.words import Number, Refused, Rest, Word, real, unquoted
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.game.table import Phase, Table
from sixprime.report.figures import Figures, Stakes

if TYPE_CHECKING:
    from sixprime.engine import Engine
    from sixprime.engine.results import CubeAnalysis, PlayAnalysis

NO_POSITION = "No position specified and no game in progress."
_HINTS = 10
_TWO_SIDED = 6
"""Chequers up to which a bear-off is known exactly."""


def figures(call: Call) -> Figures:
    """How numbers are written."""
    output = call.options.output
    return Figures(output.digits, output.mwc, output.matchpc, output.winpc)


def seen(call: Call) -> Table:
    """The table that is looked at, be its game over or not. Raises `Refused` where there is none."""
    if call.state.table is None:
        raise Refused(NO_POSITION)
    return call.state.table


def asked(call: Call, text: str, *, over: bool = False) -> tuple[Position, MatchState]:
    """The position that was named, in the game in progress unless it comes with a state of its own; else the one on the
    board, with over even if it ends the match. Raises as `ids.parse`, and `Refused`."""
    text = unquoted(text)
    if not text:
        table = seen(call)
        if table.phase is Phase.MATCH_OVER and not over:
            raise Refused("The match is over: go to a position in it, or name one.")
        return table.position, table.state
    state = call.state.table.state if call.state.table is not None and call.state.playing else MatchState()
    if is_position(text):
        return read_position(call, text), state
    from sixprime.game.ids import parse

    found = parse(text)
    return found.position, found.state


def stakes(call: Call, state: MatchState) -> Stakes | None:
    """What the cube is worth to the player on roll; None in money play."""
    if not state.length:
        return None
    from sixprime.cube.state import CubeState
    from sixprime.cube.values import to_mwc

    met = engines.table(call.options)
    lose, win = (float(to_mwc(equity, CubeState.from_match(state), met)) for equity in (-1.0, 1.0))
    return Stakes(lose, win)


def engine(call: Call, settings: Eval) -> Engine:
    """The engine of `eval` and `hint` with these settings."""
    return engines.engine(call, settings, call.options.in_use.filter)


def evaluation(call: Call, kind: str) -> Eval:
    """How `eval` and `hint` evaluate "chequer" plays or "cube" decisions."""
    decision: Decision = getattr(call.options.in_use, kind)
    return decision.evaluation if kind == "chequer" else replace(decision.evaluation, cubeful=True)


@command("hint", "Rank the plays of the roll, or judge the cube or a resignation", "[number]")
def hint(call: Call, number: Number = None) -> None:
    if call.state.table is None or not call.state.playing:
        raise Refused("You must set up a board first.")
    position, state = call.state.table.position, call.state.table.state
    worth = stakes(call, state)
    playing = state.dice is not None and not state.resigned
    decision = call.options.in_use.chequer if playing else call.options.in_use.cube
    how = evaluation(call, "chequer" if playing else "cube")
    judge = engine(call, how)
    if state.resigned:
        before = -judge.evaluate(position, match=state.before_roll()).cubeful_equity
        call.say(_resignation(call, state, before, worth))
    elif state.dice is not None and not state.doubled:
        count = _HINTS if number is None or number < 1 else number
        plays = judge.best_plays(position, state.dice, match=state, count=count)
        if decision.type == "rollout" and len(plays) > 1:
            plays = _rolled_plays(call, judge, plays, state, decision)
        if not plays or not str(plays[0].play):
            call.say("There are no legal moves.")
        else:
            # What `set board =N' puts on the board, seen by the player who is still on roll.
            call.shell.kept["hint"] = [each.play.result.swapped() for each in plays]
            call.say(judging.plays_text(plays, figures(call), worth, how))
    elif not _can_double(state) and not state.doubled:
        call.complain("You cannot double.")
    else:
        # An offered double is judged as it was before the offer.
        before_offer = state.with_dice(None) if not state.doubled else state.before_roll()
        cube = judge.cube_action(position, match=before_offer)
        if decision.type == "rollout":
            cube = _rolled_cube(call, judge, cube, position, before_offer, engines.with_cube(decision))
        met = engines.table(call.options)
        call.say(judging.cube_text(cube, figures(call), worth, met, answering=state.doubled))


def _rolled_plays(
    call: Call, judge: Engine, plays: Sequence[PlayAnalysis], state: MatchState, decision: Decision
) -> list[PlayAnalysis]:
    from sixprime.engine.rollout_judge import plays_of, ranked

    assert state.dice is not None
    settings = rollout_settings(decision.rollout, state.on_roll)
    moves = [each.play for each in plays]
    before = state.with_dice(None)
    told = call.shell.progress
    result = judge.rollout_plays(moves[0].position, state.dice, moves, match=before, settings=settings, progress=told)
    log(call, judge, result, decision.rollout)
    return ranked(plays_of(result, plays), plays)


def _rolled_cube(
    call: Call, judge: Engine, cube: CubeAnalysis, position: Position, state: MatchState, decision: Decision
) -> CubeAnalysis:
    from sixprime.engine.rollout_judge import cube_of

    settings = rollout_settings(decision.rollout, state.on_roll)
    result = judge.rollout_cube(position, match=state, settings=settings, progress=call.shell.progress)
    log(call, judge, result, decision.rollout)
    return cube_of(result, cube)


def _resignation(call: Call, state: MatchState, before: float, worth: Stakes | None) -> str:
    own, after = worth.opposite if worth is not None else None, float(state.resigned)
    if own is not None:
        from sixprime.cube.state import CubeState
        from sixprime.cube.values import to_mwc

        times = replace(state.before_roll(), cube=state.cube * state.resigned)
        after = own.equity(1 - float(to_mwc(-1.0, CubeState.from_match(times), engines.table(call.options))))
    return judging.resignation_text(before, after, figures(call), own)


def _can_double(state: MatchState) -> bool:
    from sixprime.cube.state import CubeState

    return bool(CubeState.from_match(state.with_dice(None)).can_double)


@command("eval", "Evaluate a position at several depths, and its cube", "[position]")
def eval_(call: Call, text: Rest = "") -> None:
    from sixprime.command.answers.bearoffs import rolls_text
    from sixprime.report.words import match_id, position_id

    position, shown = asked(call, text)
    state = shown.before_roll()
    worth, how = stakes(call, state), evaluation(call, "cube")
    judge = engine(call, how)
    found = [judge.evaluate(position, match=state, plies=plies) for plies in range(min(how.plies, engines.DEEPEST) + 1)]
    call.say(f"Position ID:\t{position_id(position)}\nMatch ID:\t{match_id(shown) or ''}\n")
    rolls = rolls_text(position)
    exact = max(map(sum, (position.player, position.opponent))) <= _TWO_SIDED
    kind = found[0].position_class.capitalize() if rolls is None else "Bearoff2" if exact else "Bearoff1"
    call.say(f"Evaluator: \t{kind}\n" + ("\n" if rolls is None else f"\n{rolls}\n"))
    call.say(judging.evaluations_text(found, figures(call), worth, state, judge.met))
    if _can_double(state):
        call.say(judging.cube_text(judge.cube_action(position, match=state), figures(call), worth, judge.met))


@command("show board|show fullboard", "Draw the board, or that of a position", "[position]")
def show_board_(call: Call, text: Rest = "") -> None:
    if text:
        position, state = asked(call, text)
        call.say(board_text(call, position, state))
    else:
        seen(call)
        show_board(call)


@command("show dice", "Say what has been rolled")
def show_dice(call: Call) -> None:
    if not call.state.playing:
        raise Refused("The dice will not be rolled until a game is started.")
    call.say(standing.show_dice(seen(call).state, call.options.names))


@command("show turn", "Say whose turn it is")
def show_turn(call: Call) -> None:
    if not call.state.playing:
        raise Refused("No game is being played.")
    call.say(standing.show_turn(seen(call).state, call.options.names))


@command("show cube", "Say where the cube is")
def show_cube(call: Call) -> None:
    if not call.state.playing:
        raise Refused("There is no game in progress.")
    call.say(standing.show_cube(seen(call).state, call.options.names))


@command("show pipcount", "Count the pips of both players", "[position]")
def show_pipcount(call: Call, text: Rest = "") -> None:
    position, state = asked(call, text, over=True)
    call.say(standing.show_pipcount(position, state, call.options.names))


@command("show score", "Say the score")
def show_score(call: Call) -> None:
    table = call.state.table
    if table is None:
        call.say(standing.show_score((0, 0), 0, call.options.names, 0, jacoby=call.options.jacoby))
        return
    call.say(score_line(call.state))


@command("show scoresheet", "List the score after each game")
def show_scoresheet(call: Call) -> None:
    match, table = call.state.match, call.state.table
    scores = [] if match is None else [game.score for game in match.games[1:]]
    if table is not None and table.state.score not in scores:
        scores.append(table.state.score)
    call.say(standing.show_scoresheet(scores, call.options.names, table.state.length if table is not None else 0))


@command("show crawford", "Say whether this is the Crawford game")
def show_crawford(call: Call) -> None:
    table = call.state.table
    if table is None or not table.state.length:
        raise Refused("Crawford rule is not used in money sessions.")
    call.say("This game is the Crawford game." if crawford_game(call.state) else "This game is not the Crawford game")


@command("show postcrawford", "Say whether the Crawford game is over")
def show_postcrawford(call: Call) -> None:
    table = call.state.table
    if table is None or not table.state.length:
        raise Refused("Crawford rule is not used in money sessions.")
    state = table.state
    after = not crawford_game(call.state) and state.length - 1 in state.score
    call.say("This is post-Crawford play." if after else "This is not post-Crawford play.")


def _race(words: str, text: str, answer: Callable[[Position], str]) -> None:
    def run(call: Call, position: Rest = "") -> None:
        call.say(answer(asked(call, position, over=True)[0]))

    command(words, text, "[position]")(run)


_race("show kleinman", "Kleinman's metric of a race", races.show_kleinman)
_race("show thorp", "Thorp's count of a race", races.show_thorp)
_race("show keith", "Keith's count of a race", races.show_keith)
_race("show isight", "The Isight count of a race", races.show_isight)
_race("show 8912", "The rule of 8, 9 and 12 per cent", races.show_8912)


def _converted(call: Call) -> Stakes:
    worth = stakes(call, call.state.table.state) if call.state.playing and call.state.table is not None else None
    if worth is None:
        raise Refused("Command only valid in match play")
    return worth


@command("eq2mwc", "Convert an equity to a match-winning chance", "<value>")
def eq2mwc(call: Call, word: Word = None) -> None:
    value = real(word)
    call.say(numbers.eq_to_mwc(0.0 if value is None else value, _converted(call)))


@command("mwc2eq", "Convert a match-winning chance to an equity", "<value>")
def mwc2eq(call: Call, word: Word = None) -> None:
    worth = _converted(call)
    value = real(word.rstrip("%") if word else None)
    if value is None:
        value = worth.mwc(0.0)
    elif value > 1 or (word or "").endswith("%"):
        value /= 100
    call.say(numbers.mwc_to_eq(value, worth))


def _setting(word: str, text: str, answer: str | Callable[[Options], str]) -> None:
    @command(f"show {word}", text)
    def run(call: Call) -> None:
        call.say(answer.format(call.options) if isinstance(answer, str) else answer(call.options))


for _word, (_text, _answer) in SHOWN.items():
    _setting(_word, _text, _answer)


@command("show jacoby", "Whether the Jacoby rule is used")
def show_jacoby(call: Call) -> None:
    table = call.state.table
    if table is not None and not table.rules.length:
        call.say(f"This money session is played with{'' if table.rules.jacoby else 'out'} the Jacoby rule.")
    call.say(f"New money sessions are played with{'' if call.options.jacoby else 'out'} the Jacoby rule.")


@command("show matchequitytable|show met", "Show the match equity table, or its first points", "[points]")
def show_met(call: Call, points: Number = None) -> None:
    from sixprime.command.answers.tables import MOST_POINTS, met_text

    size = points or (call.state.table.state.length if call.state.table is not None else 0) or MOST_POINTS
    call.say(met_text(engines.table(call.options), call.options.names, size))
