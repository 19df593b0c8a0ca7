"""The sub-trees `<eval>`, `<rollout>` and `<movefilter>`, written once and entered wherever they belong."""

from __future__ import annotations

from sixprime.command.call import Call
from sixprime.command.tree import command, group
from sixprime.command.words import Number, OnOff, Player, Real, Refused

MOST_PLIES = 7


def plies(call: Call, value: Number) -> None:
    """Looks so far ahead."""
    if value is None or not 0 <= value <= MOST_PLIES:
        call.say(f"Valid numbers of plies to look ahead are 0 to {MOST_PLIES}.")
        value = call.get("plies")
    call.put("plies", value)
    call.say(f"{title(call)} will use {value} ply evaluation.")


def cubeful(call: Call, value: OnOff) -> None:
    """Counts the cube, or not."""
    call.put("cubeful", value)
    call.say(f"{title(call)} will use {'cubeful' if value else 'cubeless'} evaluation.")


def prune(call: Call, value: OnOff) -> None:
    """Takes cheaper nets for inner plays, or not."""
    call.put("prune", value)
    call.say(f"{title(call)} will {'use' if value else 'not use'} pruning.")


def noise(call: Call, value: Real) -> None:
    """Errs by so much."""
    if value is None or value < 0:
        raise Refused(f"You must specify a valid amount of noise to use (see `help set\n{title_words(call)} noise').")
    call.put("noise", value)
    call.say(f"{title(call)} will use " + (f"noisy evaluations of {value:.3f}." if value else "noiseless evaluations."))


def deterministic(call: Call, value: OnOff) -> None:
    """Errs alike in like positions, or not."""
    call.put("deterministic", value)
    call.say(f"{title(call)} will use {'deterministic' if value else 'pseudo-random'} noise.")


_TITLES = (
    ("set evaluation chequerplay", "`eval' and `hint' chequerplay"),
    ("set evaluation cubedecision", "`eval' and `hint' cube decisions"),
    ("set analysis chequerplay", "Analysis chequerplay"),
    ("set analysis cubedecision", "Analysis cubedecision"),
    ("set analysis luckanalysis", "Luck analysis"),
)


def title(call: Call) -> str:
    """Who is meant, at the beginning of a sentence."""
    if call.name.startswith("set player"):
        return call.options.players[call.given[0] % 2].name
    return next((said for words, said in _TITLES if call.name.startswith(words)), "Rollouts")


def title_words(call: Call) -> str:
    """The words of the group."""
    return call.name.removeprefix("set ").rsplit(" ", 1)[0]


def enter_eval(words: str, text: str, path: str) -> None:
    """Enters `<eval>`; path: of an `Eval`."""
    group(words, text, path=path)
    command(f"{words} cubeful", "Whether the cube counts", "on|off")(cubeful)
    command(f"{words} deterministic", "Whether noise depends on the position alone", "on|off")(deterministic)
    command(f"{words} noise", "How much evaluations err, a standard deviation", "<std dev>")(noise)
    command(f"{words} plies", "How far to look ahead", "<plies>")(plies)
    command(f"{words} prune", "Whether cheaper nets narrow inner plays down", "on|off")(prune)


def filter_(call: Call, ply: Number, accept: Number, extra: Number, tolerance: Real) -> None:
    """One filter of a level; `level` comes before accept, as in the settings file."""
    raise Refused("You must specify the plies, the level, and how many moves to accept.")


group("set evaluation", "How positions are evaluated", path="evaluation")
group("set analysis", "How matches are analysed", path="analysis")
group("set player", "Who plays, and how", path="players", argument=Player)
for _words, _text in (("evaluation", "`eval' and `hint'"), ("analysis", "analysis"), ("player", "a player")):
    for _kind, _path in (("chequerplay", "chequer"), ("cubedecision", "cube")):
        group(f"set {_words} {_kind}", f"{_kind.capitalize()} of {_text}", path=_path)
        enter_eval(f"set {_words} {_kind} evaluation", "By evaluation", "evaluation")
enter_eval("set analysis luckanalysis", "How luck is found", "luckanalysis")
