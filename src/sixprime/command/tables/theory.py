"""What is behind a decision: `show gammonvalues`, `marketwindow`, `rolls`, `scoremap` and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime.command.answers import theory
from sixprime.command.call import NO_GAME, Call
from sixprime.command.engines import DEEPEST, table
from sixprime.command.tables.analysing import judged
from sixprime.command.tables.answering import asked, engine, evaluation, figures, seen, stakes
from sixprime.command.tree import command
from sixprime.command.words import Number, Refused, Rest, real, whole
from sixprime.game.outcomes import Outcomes

if TYPE_CHECKING:
    from sixprime.theory.temperature import TemperatureMap

_ROOMS = 6
"""Scores of a map: away 2 to 7, as far as 80 columns have room."""


@command("show gammonvalues", "What gammons are worth to both players")
def show_gammonvalues(call: Call) -> None:
    from sixprime.cube.market import gammon_values
    from sixprime.cube.state import CubeState

    if not call.state.playing:
        raise Refused(NO_GAME)
    state = seen(call).state
    cube, met = CubeState.from_match(state.before_roll()), table(call.options)
    pair = [gammon_values(cube, met), gammon_values(cube.swapped(), met)]
    call.say(theory.gammon_values_text(pair[::-1] if state.on_roll else pair, call.options.names))


@command("show marketwindow", "Where doubles begin and takes end, for both players", "[rate of gammons] ...")
def show_marketwindow(call: Call, text: Rest = "") -> None:
    from sixprime.cube.market import market_window, money_points
    from sixprime.cube.state import CubeState

    if not call.state.playing:
        raise Refused(NO_GAME)
    place = seen(call)
    state = place.state.before_roll()
    judge = engine(call, evaluation(call, "cube"))
    chances = judge.evaluate(place.position, match=state).probabilities
    if text:
        gammons, backgammons = (pair[:: -1 if state.on_roll else 1] for pair in _rates(text))
        both = [gammon + backgammon for gammon, backgammon in zip(gammons, backgammons, strict=True)]
        # Windows depend on the shares alone, which chances of nothing would not tell.
        chances = Outcomes(0.5, both[0] / 2, backgammons[0] / 2, both[1] / 2, backgammons[1] / 2)
    cube = CubeState.from_match(state)
    sides = [(chances, cube), (chances.swapped(), cube.swapped())]
    if state.on_roll:
        sides.reverse()
    call.say(theory.gammon_rates_text([own for own, _ in sides], call.options.names))
    for name, (own, seat) in zip(call.options.names, sides, strict=True):
        if state.money:
            dead, live = money_points(own, jacoby=state.jacoby, beavers=state.beavers > 0)
            call.say(theory.points_text(dead, live, name))
        else:
            call.say(theory.windows_text(market_window(own, seat, judge.met), name))


def _rates(text: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Shares of gammons, without backgammons, among the wins of player 0 and of player 1, and those of backgammons.

    All are of 1, or in per cent where any is above 1; what is not said is 0. Raises `Refused`.
    """
    words = text.split()
    found = [rate for word in words if (rate := real(word.removesuffix("%"))) is not None]
    if len(found) == len(words) <= 4 and min(found) >= 0:
        scale = 100 if max(found) > 1 or "%" in text else 1
        first, second, third, fourth = (rate / scale for rate in (found + [0.0] * 4)[:4])
        if max(first + third, second + fourth) <= 1 + 1e-9:
            return (first, second), (third, fourth)
    raise Refused(
        "You must specify the gammon rates of both players, and the rates of backgammons behind them if you like, "
        "from 0 to 1 or in per cent."
    )


def _temperature(call: Call, plies: int | None) -> TemperatureMap:
    from sixprime.theory import temperature_map

    position, state = asked(call, "")
    return temperature_map(engine(call, evaluation(call, "chequer")), position, match=state, plies=plies)


@command("show rolls", "What each roll is worth after its best play", "[depth]")
def show_rolls(call: Call, depth: Number = None) -> None:
    if depth is not None and not 0 <= depth <= DEEPEST:
        raise Refused(f"The depth must be from 0 to {DEEPEST}; got {depth}.")
    found = _temperature(call, depth)
    call.say(theory.rolls_text(found, figures(call), stakes(call, found.state)))


@command("show temperaturemap", "What each roll is worth, in rows and columns; `=N': after the best N plays", "[=N]")
def show_temperaturemap(call: Call, text: Rest = "") -> None:
    from sixprime.theory import reply_maps

    count = whole(text.removeprefix("=")) if text else None
    if text and (count is None or not 1 <= count <= 9):
        raise Refused(f"`{text}' is not the number of plays to compare: `=1' to `=9'.")
    if count is None:
        found = _temperature(call, None)
        call.say(theory.temperature_text(found, figures(call), stakes(call, found.state)))
        return
    position, state = asked(call, "")
    if state.dice is None:
        raise Refused("There is no roll whose plays could be compared.")
    judge = engine(call, evaluation(call, "chequer"))
    for each in reply_maps(judge, position, state.dice, count, match=state.before_roll()):
        call.say(f"{each.play.play if each.play is not None else ''}: the opponent rolls")
        call.say(theory.temperature_text(each, figures(call), stakes(call, state.before_roll())))


@command("show scoremap", "The best cube action, or play of the roll, at every score", "[points]")
def show_scoremap(call: Call, most: Number = None) -> None:
    from sixprime.theory import score_map
    from sixprime.theory.scores import MOST_AWAY

    if most is not None and not 2 <= most <= MOST_AWAY:
        raise Refused(f"Scores must be from 2 to {MOST_AWAY} points away; got {most}.")
    position, state = asked(call, "")
    how = evaluation(call, "cube" if state.dice is None else "chequer")
    aways = range(2, (most or _ROOMS + 1) + 1)
    found = score_map(engine(call, how), position, state.dice, match=state.before_roll(), aways=[*aways])
    call.say(theory.scores_text(found, call.options.names[state.on_roll]))


@command("show bearoff", "What the bear-off databases know of the position", "[position]")
def show_bearoff(call: Call, text: Rest = "") -> None:
    position, _ = asked(call, text)
    if position.chequers < 15:
        from sixprime.bearoff.hyper import hyper
        from sixprime.report.hyper import hyper_text

        call.say(hyper_text(position, hyper(position.chequers).value(position), None))
        return
    from sixprime.bearoff.lookup import look_up
    from sixprime.report.bearoff import findings_text

    call.say(findings_text(position, look_up(position)))


@command("show onesidedrollout", "The race as if both sides only ran home", "[position]")
def show_onesidedrollout(call: Call, text: Rest = "") -> None:
    from sixprime.theory.race import running_home

    position, state = asked(call, text)
    judge = engine(call, evaluation(call, "cube"))
    sides, chances, exact = running_home(judge, position)
    by_number = sides[::-1] if state.on_roll else sides
    call.say(theory.efforts_text(chances, by_number, state.on_roll, call.options.names, exact=exact))


@command("show matchresult", "What each game brought, and what it would have without luck")
def show_matchresult(call: Call) -> None:
    call.say(theory.results_text(judged(call), call.options.names[0]))
