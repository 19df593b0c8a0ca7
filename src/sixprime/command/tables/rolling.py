"""Rollouts: the command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime.command.call import Call
from sixprime.command.options import Eval
from sixprime.command.rollouts import log, rollout_settings
from sixprime.command.tables.answering import asked, engine, figures, stakes
from sixprime.command.tree import command
from sixprime.command.words import Refused, Rest, whole
from sixprime.game.state import MatchState

if TYPE_CHECKING:
    from sixprime.engine import Engine
    from sixprime.engine.rollout_settings import RolloutSettings


@command("rollout", "Roll out the position, or others, or the cube decision", "[position|=cube|=<number of a play>]...")
def rollout(call: Call, text: Rest = "") -> None:
    words = text.split()
    plays = [number for word in words if (number := whole(word.removeprefix("="))) is not None and word[0] == "="]
    if plays:
        if len(plays) < len(words):
            raise Refused("Plays are rolled out alone: name only plays, such as `=1 =2'.")
        _plays(call, plays)
        return
    for word in words or [""]:
        if len(word) > 1 and "=cube".startswith(word.lower()):
            _one(call, "", cube=True)
        else:
            _one(call, word, cube=False)


def _one(call: Call, word: str, *, cube: bool) -> None:
    from sixprime.command.answers.rolling import rollout_text

    position, state = asked(call, word)
    state = state.before_roll()
    roller, settings = _roller(call, state)
    rolled = roller.rollout_cube if cube else roller.rollout
    result = rolled(position, match=state, settings=settings, progress=call.shell.progress)
    log(call, roller, result, call.options.rollout)
    name = "" if cube else word or "Current position"
    call.say(rollout_text(result, figures(call), stakes(call, state), name=name))


def _plays(call: Call, numbers: list[int]) -> None:
    from sixprime.command.answers.rolling import rollout_text

    position, state = asked(call, "")
    if state.dice is None:
        raise Refused("There is no roll whose plays could be rolled out.")
    before = state.before_roll()
    roller, settings = _roller(call, before)
    judge = engine(call, call.options.evaluation.chequer.evaluation)
    ranked = judge.best_plays(position, state.dice, match=state, count=None)
    for number in numbers:
        if not 1 <= number <= len(ranked):
            raise Refused(f"There is no play {number}: this roll has {len(ranked)}.")
    chosen = [ranked[number - 1].play for number in dict.fromkeys(numbers)]
    told = call.shell.progress
    result = roller.rollout_plays(position, state.dice, chosen, match=before, settings=settings, progress=told)
    log(call, roller, result, call.options.rollout)
    call.say(rollout_text(result, figures(call), stakes(call, before)))


def _roller(call: Call, state: MatchState) -> tuple[Engine, RolloutSettings]:
    options = call.options.rollout
    return engine(call, Eval(plies=0)), rollout_settings(options, state.on_roll)
