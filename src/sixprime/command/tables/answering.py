"""Commands that answer: `hint`, `eval`, `analyse`, `show`, and conversions of equities. What they print is made in
`command/answers/`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from sixprime.command import engines
from sixprime.command.answers import figures as numbers
from sixprime.command.answers import judging, races, standing
from sixprime.command.answers.figures import Figures, Stakes
from sixprime.command.call import NO_GAME, Call
from sixprime.command.options import Analysis, Decision, Eval
from sixprime.command.run_of_play import show_board
from sixprime.command.tree import command, group
from sixprime.command.words import Number, Refused, Rest, Word, real
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.game.table import Table

if TYPE_CHECKING:
    from sixprime.analysis.depth import Depth
    from sixprime.analysis.model import AnalysedMatch
    from sixprime.analysis.thresholds import Thresholds
    from sixprime.engine import Engine

NO_POSITION = "No position specified and no game in progress."
_HINTS = 10


def figures(call: Call) -> Figures:
    """How numbers are written."""
    output = call.options.output
    return Figures(output.digits, output.mwc, output.matchpc, output.winpc)


def names(call: Call) -> tuple[str, str]:
    """Of the players."""
    first, second = call.options.players
    return first.name, second.name


def seen(call: Call) -> Table:
    """The table that is looked at, be its game over or not. Raises `Refused` where there is none."""
    if call.state.table is None:
        raise Refused(NO_POSITION)
    return call.state.table


def asked(call: Call, text: str) -> tuple[Position, MatchState]:
    """The position that was named, at the score of the game; else the one on the board. Raises as `ids.parse`."""
    if text:
        from sixprime.game.ids import parse

        found = parse(text)
        return found.position, found.state
    table = seen(call)
    return table.position, table.state


def stakes(state: MatchState) -> Stakes | None:
    """What the cube is worth to the player on roll; None in money play."""
    if not state.length:
        return None
    from sixprime.cube.state import CubeState
    from sixprime.cube.values import to_mwc

    lose, win = (float(to_mwc(equity, CubeState.from_match(state))) for equity in (-1.0, 1.0))
    return Stakes(lose, win)


def engine(call: Call, settings: Eval) -> Engine:
    """The engine of `eval` and `hint` with these settings."""
    return engines.engine(call, settings, call.options.in_use.filter)


def _evaluation(call: Call, kind: str) -> Eval:
    decision: Decision = getattr(call.options.in_use, kind)
    return decision.evaluation


@command("hint", "Rank the plays of the roll, or judge the cube or a resignation", "[number]")
def hint(call: Call, number: Number = None) -> None:
    if call.state.table is None or not call.state.playing:
        raise Refused("You must set up a board first.")
    position, state = call.state.table.position, call.state.table.state
    worth = stakes(state)
    how = _evaluation(call, "chequer" if state.dice is not None and not state.resigned else "cube")
    judge = engine(call, how)
    if state.resigned:
        before = -judge.evaluate(position, match=_undoubled(state)).cubeful_equity
        call.say(_resignation(call, state, before, worth))
    elif state.dice is not None and not state.doubled:
        count = _HINTS if number is None or number < 1 else number
        plays = judge.best_plays(position, state.dice, match=state, count=count)
        if not plays or not str(plays[0].play):
            call.say("There are no legal moves.")
        else:
            call.say(judging.plays_text(plays, figures(call), worth, prune=how.prune))
    elif not _can_double(state) and not state.doubled:
        call.say("You cannot double.")
    else:
        # An offered double is judged as it was before the offer.
        before_offer = state.with_dice(None) if not state.doubled else _undoubled(state)
        cube = judge.cube_action(position, match=before_offer)
        call.say(judging.cube_text(cube, figures(call), worth, answering=state.doubled))


def _resignation(call: Call, state: MatchState, before: float, worth: Stakes | None) -> str:
    own, after = worth.opposite if worth is not None else None, float(state.resigned)
    if own is not None:
        from sixprime.cube.state import CubeState
        from sixprime.cube.values import to_mwc

        times = replace(_undoubled(state), cube=state.cube * state.resigned)
        after = own.equity(1 - float(to_mwc(-1.0, CubeState.from_match(times))))
    return judging.resignation_text(before, after, figures(call), own)


def _undoubled(state: MatchState) -> MatchState:
    return replace(state, doubled=False, turn=None, dice=None, resigned=0)


def _can_double(state: MatchState) -> bool:
    from sixprime.cube.state import CubeState

    return bool(CubeState.from_match(state.with_dice(None)).can_double)


@command("eval", "Evaluate a position at several depths, and its cube", "[position]")
def eval_(call: Call, text: Rest = "") -> None:
    from sixprime.report.json import match_id
    from sixprime.report.position import position_id

    position, state = asked(call, text)

    worth, how = stakes(state), _evaluation(call, "cube")
    state = _undoubled(state)
    judge = engine(call, how)
    found = [judge.evaluate(position, match=state, plies=plies) for plies in range(min(how.plies, engines.DEEPEST) + 1)]
    call.say(f"Position ID:\t{position_id(position)}\nMatch ID:\t{match_id(state) or ''}\n")
    call.say(f"Evaluator: \t{found[0].position_class.capitalize()}\n\n")
    call.say(judging.evaluations_text(found, figures(call), worth))
    if _can_double(state):
        call.say(judging.cube_text(judge.cube_action(position, match=state), figures(call), worth))


@command("show board|show fullboard", "Draw the board, or that of a position", "[position]")
def show_board_(call: Call, text: Rest = "") -> None:
    if text:
        position, state = asked(call, text)
        call.say(standing.show_board(position, state, names(call)))
    else:
        seen(call)
        show_board(call)


@command("show dice", "Say what has been rolled")
def show_dice(call: Call) -> None:
    if not call.state.playing:
        raise Refused("The dice will not be rolled until a game is started.")
    call.say(standing.show_dice(seen(call).state, names(call)))


@command("show turn", "Say whose turn it is")
def show_turn(call: Call) -> None:
    if not call.state.playing:
        raise Refused("No game is being played.")
    call.say(standing.show_turn(seen(call).state, names(call)))


@command("show cube", "Say where the cube is")
def show_cube(call: Call) -> None:
    if not call.state.playing:
        raise Refused("There is no game in progress.")
    call.say(standing.show_cube(seen(call).state, names(call)))


@command("show pipcount", "Count the pips of both players", "[position]")
def show_pipcount(call: Call, text: Rest = "") -> None:
    position, state = asked(call, text)
    call.say(standing.show_pipcount(position, state, names(call)))


@command("show score", "Say the score")
def show_score(call: Call) -> None:
    table = call.state.table
    if table is None:
        call.say(standing.show_score((0, 0), 0, names(call), 0, jacoby=call.options.jacoby))
        return
    state = table.state
    after = bool(state.length) and not state.crawford and state.length - 1 in state.score
    over = len(table.match.games) + (0 if call.state.playing else 1)
    call.say(
        standing.show_score(
            state.score,
            over,
            names(call),
            state.length,
            jacoby=call.options.jacoby,
            crawford=state.crawford,
            post_crawford=after,
        )
    )


@command("show scoresheet", "List the score before each game")
def show_scoresheet(call: Call) -> None:
    match, table = call.state.match, call.state.table
    scores = [] if match is None else [game.score for game in match.games]
    if table is not None and not call.state.playing and table.state.score not in scores:
        scores.append(table.state.score)
    call.say(standing.show_scoresheet(scores, names(call), table.state.length if table is not None else 0))


@command("show crawford", "Say whether this is the Crawford game")
def show_crawford(call: Call) -> None:
    table = call.state.table
    if table is None or not table.state.length:
        raise Refused("Crawford rule is not used in money sessions.")
    call.say("This game is the Crawford game." if table.state.crawford else "This game is not the Crawford game")


def _race(words: str, text: str, answer: Callable[[Position], str]) -> None:
    def run(call: Call, position: Rest = "") -> None:
        call.say(answer(asked(call, position)[0]))

    run.__annotations__ = {"call": Call, "position": Rest, "return": None}
    command(words, text, "[position]")(run)


_race("show kleinman", "Kleinman's metric of a race", races.show_kleinman)
_race("show thorp", "Thorp's count of a race", races.show_thorp)
_race("show keith", "Keith's count of a race", races.show_keith)
_race("show isight", "The Isight count of a race", races.show_isight)
_race("show 8912", "The rule of 8, 9 and 12 per cent", races.show_8912)


def _converted(call: Call) -> Stakes:
    worth = stakes(call.table().state)
    if worth is None:
        raise Refused("Command only valid in match play")
    return worth


@command("eq2mwc", "Convert an equity to a match-winning chance", "<value>")
def eq2mwc(call: Call, word: Word = None) -> None:
    value = real(word)
    call.say(numbers.eq_to_mwc(0.0 if value is None else value, _converted(call), figures(call)))


@command("mwc2eq", "Convert a match-winning chance to an equity", "<value>")
def mwc2eq(call: Call, word: Word = None) -> None:
    worth = _converted(call)
    value = real(word.rstrip("%") if word else None)
    if value is None:
        value = worth.mwc(0.0)
    elif value > 1 or (word or "").endswith("%"):
        value /= 100
    call.say(numbers.mwc_to_eq(value, worth, figures(call)))


def _analyse(call: Call) -> None:
    from sixprime.analysis.analyse import analyse
    from sixprime.analysis.kept import with_analysis

    match = call.state.match
    if match is None or not match.games:
        raise Refused("No game in progress.")
    settings, how = call.options.analysis, call.options.analysis.chequer.evaluation
    judge = engines.engine(call, how, settings.filter)
    depths = (_depth(settings, 0), _depth(settings, 1))
    analysed = analyse(match, judge, depths=depths, thresholds=_thresholds(settings))
    kept = with_analysis(analysed)
    call.shell.kept["analysed"] = (kept, analysed)
    call.state = replace(call.state, match=kept)


def _depth(settings: Analysis, player: int) -> Depth:
    """How closely the decisions of a player are looked at."""
    from sixprime.analysis.depth import Depth

    plies, cubes = (min(each.evaluation.plies, engines.DEEPEST) for each in (settings.chequer, settings.cube))
    who = settings.players[player]
    filter_ = engines.move_filter(settings.filter).text
    return Depth(plies if who and settings.moves else None, cubes if who and settings.cubes else None, filter_)


def _thresholds(settings: Analysis) -> Thresholds:
    """Where marks begin. Raises SettingsError where they are out of order."""
    from sixprime.analysis.thresholds import Thresholds

    at = settings.threshold
    return Thresholds(at.doubtful, at.bad, at.verybad, at.lucky, at.verylucky)


for _verb in ("analyse", "analyze"):
    group(_verb, "Judge what was played")
    for _what in ("match", "session"):
        command(f"{_verb} {_what}", f"Judge every game of the {_what}", hidden=_verb == "analyze")(_analyse)


def _analysed(call: Call) -> AnalysedMatch | None:
    """The analysis of the match that there is."""
    kept = call.shell.kept.get("analysed")
    return kept[1] if kept is not None and kept[0] == call.state.match else None


def _statistics(call: Call) -> None:
    from sixprime.command.answers.statistics import statistics_text
    from sixprime.report.export.statistics import game_statistics, match_statistics

    if call.state.match is None:
        raise Refused(NO_GAME)
    analysed = _analysed(call)
    if analysed is None:
        raise Refused("The match has not been analysed; `analyse match' does so.")
    game = call.name.endswith("game")
    call.say(statistics_text(game_statistics(analysed, call.state.game) if game else match_statistics(analysed)))


group("show statistics", "Statistics of what was played")
for _what in ("game", "match", "session"):
    command(f"show statistics {_what}", f"Statistics of the {_what}")(_statistics)
