"""The sub-trees `<eval>`, `<rollout>` and `<movefilter>`, written once and entered wherever they belong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sixprime.command.call import Call
from sixprime.command.options import Filter, Filters, get
from sixprime.command.tables.dice import enter_rng
from sixprime.command.tree import Function, command, group, kept
from sixprime.command.words import Number, OnOff, Path, Player, Real, Refused, Rest, Word, whole

MOST_PLIES = 7


def plies(call: Call, value: Number) -> None:
    """Looks so far ahead."""
    if value is None or not 0 <= value <= MOST_PLIES:
        call.say(f"Valid numbers of plies to look ahead are 0 to {MOST_PLIES}.")
        value = call.get("plies")
    call.put("plies", value)
    tell(call, f"use {value} ply evaluation.")


def cubeful(call: Call, value: OnOff) -> None:
    """Counts the cube, or not."""
    call.put("cubeful", value)
    tell(call, f"use {'cubeful' if value else 'cubeless'} evaluation.")
    if not value and " rollout " in call.name:
        call.say("(Kept only: whether the cube counts in a rollout is what its own `cubeful' says.)")
    elif not value and "cubedecision" in call.name:
        call.say("(Cube decisions are judged with the cube all the same.)")


def prune(call: Call, value: OnOff) -> None:
    """Takes cheaper nets for inner plays, or not."""
    call.put("prune", value)
    tell(call, f"{'use' if value else 'not use'} pruning.")
    if not value and " rollout " in call.name:
        call.say("(Kept only: rollouts prune as the engine does.)")


def noise(call: Call, value: Real) -> None:
    """Errs by so much."""
    if value is None or not 0 <= value <= 1:
        words = call.name.removeprefix("set ")
        raise Refused(f"You must specify a valid amount of noise to use (see `help set\n{words}').")
    call.put("noise", value)
    tell(call, "use " + (f"noise with standard deviation {value:.3f}." if value else "noiseless evaluations."))
    if value and " rollout " in call.name and not call.name.endswith("chequerplay noise"):
        call.say("(Kept only: in rollouts the noise of chequer play counts for cube decisions, too.)")
    elif value and "luckanalysis" in call.name:
        call.say("(Luck that is found at 0 plies is free of noise.)")


def deterministic(call: Call, value: OnOff) -> None:
    """Errs alike in like positions, or not."""
    call.put("deterministic", value)
    tell(call, f"use {'deterministic' if value else 'pseudo-random'} noise.")
    if not call.get("noise"):
        call.say("(Note that this setting will have no effect unless you set noise to some non-zero value.)")


def _aside(call: Call) -> None:
    """Says so where decisions are evaluated but rollouts are set, or the other way round."""
    words = call.name.split()
    decision, meant = words[:3], words[3]
    path = call.paths[0].partition(f".{meant}")[0]
    if get(call.options, f"{path}.type") == meant:
        return
    if words[1] == "player":
        decision.insert(2, str(call.given[0]))
    call.say(f"(Note that this setting will have no effect until you\n`{' '.join(decision)} type {meant}'.)")


def _unplayed(call: Call) -> None:
    """Says so of a player whom the program does not play."""
    if call.seat.type != "gnubg":
        call.say(f"(Note that this setting will have no effect until you `set player {call.seat.name} gnu'.)")


_TITLES = (
    ("set evaluation chequerplay", "`eval' and `hint' chequerplay"),
    ("set evaluation cubedecision", "`eval' and `hint' cube decisions"),
    ("set analysis chequerplay", "Analysis chequerplay"),
    ("set analysis cubedecision", "Analysis cubedecision"),
    ("set analysis luckanalysis", "luck analysis"),
)


def tell(call: Call, text: str) -> None:
    """Says what those whom a command concerns will do, of each of two players by himself."""
    call.say(f"{_title(call)} will {text}")


def _title(call: Call) -> str:
    """Who is meant, at the beginning of a sentence."""
    if " rollout " in call.name:
        return _rollout_title(call)
    if call.name.startswith("set player"):
        return call.seat.name
    return next(said for words, said in _TITLES if call.name.startswith(words))


def _rollout_title(call: Call) -> str:
    inner = call.name.rpartition(" rollout ")[2]
    what = "Chequer play" if "chequerplay" in inner else "Cube decisions"
    if inner.startswith("truncation"):
        return f"{what}{' evaluations' if what == 'Chequer play' else ''} at rollout truncation point"
    whose = f" (for player {call.given[-1]})" if "player " in inner else ""
    if not inner.startswith("later"):
        return f"{what} in rollouts{whose}"
    if what == "Chequer play":
        return f"{what} for later moves in rollouts{whose}"
    return f"{what} in later plies of rollouts{whose}" if whose else f"{what} for later plies in rollouts"


_EVAL: tuple[tuple[str, str, str, Function], ...] = (
    ("cubeful", "Whether the cube counts", "on|off", cubeful),
    ("deterministic", "Whether noise depends on the position alone", "on|off", deterministic),
    ("noise", "How much evaluations err, a standard deviation", "<std dev>", noise),
    ("plies", "How far to look ahead", "<plies>", plies),
    ("prune", "Whether cheaper nets narrow inner plays down", "on|off", prune),
)


def enter_eval(words: str, text: str, path: str, *, note: Function | None = None) -> None:
    """Enters `<eval>`; path: of an `Eval`; note: said after each of its commands."""
    group(words, text, path=path, note=note)
    for word, about, usage, run in _EVAL:
        command(f"{words} {word}", about, usage)(run)
        kept(f"{words} {word}", word)


def filter_(call: Call, ply: Number, level: Number, accept: Number, extra: Number, tolerance: Real) -> None:
    """How many plays of a search of `ply` plies are looked at further after `level` plies."""
    name = call.name.replace("set player", f"set player {call.given[0]}") if call.given else call.name
    see = f"(see `help {name}')"
    before: Filters = call.get()
    if ply is None:
        raise Refused("You must specify for which ply you want to set a filter")
    if not 1 <= ply <= len(before):
        raise Refused(f"You must specify a valid ply for setting move filters {see}")
    if level is None or not 0 <= level < ply:
        raise Refused(f"You must specify a valid level 0..{ply - 1} for the filter {see}")
    if accept is None:
        raise Refused(f"You must specify a number of moves to accept (or a negative number to skip this level) {see}")
    one: Filter = (-1, 0, 0.0)
    if accept >= 0:
        if extra is None or extra < 0 or tolerance is None or not 0 <= tolerance <= 1000:
            raise Refused(f"You must set a count of extra moves and a search tolerance {see}.")
        one = (min(accept, _MOST), min(extra, _MOST), tolerance)
    call.put(f"{ply - 1}.{level}", one)


_MOST = 9999
"""More plays than any roll has."""


def _filter_lines(value: Filters) -> list[str]:
    return [
        f"{ply}  {level}  {accept} {extra} {tolerance:g}"
        for ply, levels in enumerate(value, 1)
        for level, (accept, extra, tolerance) in enumerate(levels)
    ]


def enter_filter(words: str, path: str) -> None:
    """Enters `<movefilter>`; path: of `Filters`."""
    group(words, "", path=path)
    usage = "<ply> <level> <number to accept, below 0 to skip> [<number of extra moves> <tolerance>]"
    command(words, "Which plays are looked at further", usage)(filter_)
    kept(words, "", _filter_lines)


_COPIES = {
    "cube_equal_chequer": {
        f"{late}cube.{player}": f"{late}chequer.{player}" for late in ("", "later_") for player in (0, 1)
    },
    "players_are_same": {
        f"{late}{kind}.1": f"{late}{kind}.0" for late in ("", "later_") for kind in ("chequer", "cube", "filter")
    },
    "truncate_equal_player0": {f"truncation_{kind}": f"{kind}.0" for kind in ("chequer", "cube")},
}
"""What becomes the same as something else when a switch is turned on; it may be set apart again."""


def _switch(words: str, key: str, text: str, on: str, off: str, *, alias: bool = False) -> None:
    def run(call: Call, value: OnOff) -> None:
        call.put(key, value)
        for to, of in _COPIES.get(key, {}).items() if value else ():
            call.put(to, call.get(of))
        call.say(on if value else off)
        if key == "cubeful" and not value and "cubedecision rollout" in call.name:
            call.say("(Cube decisions are rolled out with the cube all the same.)")
        if key == "log" and value and call.name.startswith(("set analysis", "set player")):
            call.say("(Kept only: games are written of `rollout' and `hint' alone.)")

    command(words, text, "on|off")(run)
    if not alias:
        kept(words, key)


def _number(words: str, key: str, text: str, usage: str, least: int, wrong: str, said: Callable[[int], str]) -> None:
    def run(call: Call, value: Number) -> None:
        if value is None or not least <= value <= 2**31 - 1:
            raise Refused(f"You must specify a valid {wrong} (see `help {call.name}').")
        call.put(key, value)
        call.say(said(value))
        off = {"truncation_plies": ("truncation", "rollout truncation"), "later_plies": ("later", _LATER)}.get(key)
        if off and not call.get(off[0]):
            call.say(f"But {off[1]} is not currently enabled (see `help set rollout {off[0]} enable').")

    command(words, text, usage)(run)
    kept(words, key)


_LATER = "separate evaluation for later plies"


def _limit(words: str, key: str, text: str, usage: str, wrong: str, said: Callable[[float], str]) -> None:
    def run(call: Call, value: Real) -> None:
        if value is None or value <= 0:
            raise Refused(f"{wrong} (see `help {call.name}').")
        call.put(key, value)
        call.say(said(value))

    command(words, text, usage)(run)
    kept(words, key, lambda value: [f"{value:.4f}"])


def _logfile(call: Call, value: Path) -> None:
    call.put("logfile", value or "")
    call.say(f"Rollouts are logged to files that begin with `{value}'." if value else "Rollouts are not logged.")


def _sides(words: str, before: str) -> None:
    """How both players, and each, decide in rollouts; before: of the names of the options."""
    for kind, key in (("chequerplay", "chequer"), ("cubedecision", "cube")):
        path = f"{before}{key}"
        enter_eval(f"{words} {kind}", f"{kind.capitalize()} of both players", f"{path}.0 {path}.1")
    enter_filter(f"{words} movefilter", f"{before}filter.0 {before}filter.1")
    group(f"{words} player", "One of the players", argument=Player)
    for kind, key in (("chequerplay", "chequer"), ("cubedecision", "cube")):
        enter_eval(f"{words} player {kind}", f"{kind.capitalize()} of the player", f"{before}{key}.{{}}")
    enter_filter(f"{words} player movefilter", f"{before}filter.{{}}")


def _seed(call: Call, text: Rest = "") -> None:
    seed = whole(text) if text else None
    if text and (seed is None or seed < 0):
        raise Refused("You must specify a valid seed (see `help set seed').")
    call.put("rng", replace(call.get("rng"), seed=seed))
    call.say(f"Rollout seed set to {seed}." if seed is not None else "Seed initialised from system random data.")


def enter_rollout(words: str, text: str, path: str, *, note: Function | None = None) -> None:
    """Enters `<rollout>`; path: of a `Rollout`; note: said after each of its commands."""
    group(words, text, path=path, note=note)
    _sides(words, "")
    for word, texts in _SWITCHES.items():
        _switch(f"{words} {word}", word.replace("-", "_"), *texts)
    _switch(f"{words} rotate", "quasirandom", *_SWITCHES["quasirandom"], alias=True)
    command(f"{words} logfile", "How the names of logs begin", "<filename>")(_logfile)
    kept(f"{words} logfile", "logfile", lambda value: [f'"{value}"'] if value else [])
    group(f"{words} bearofftruncation", "Whether databases of bear-offs end games")
    for word, said in (("exact", "exact"), ("onesided", "one-sided")):
        what = f"truncate *cubeless* rollouts when reaching {said} bearoff database"
        _switch(
            f"{words} bearofftruncation {word}",
            f"bearoff_{word}",
            f"Whether the {said} database ends games",
            f"Will {what}",
            f"Will not {what}",
        )
    _stops(words)
    group(f"{words} later", "How later plays are judged")
    _switch(
        f"{words} later enable",
        "later",
        "Whether later plays are judged otherwise",
        "Use different evaluation for later moves of rollout.",
        "Do not change evaluations during rollout.",
    )
    _number(
        f"{words} later plies",
        "later_plies",
        "From which ply on",
        "<plies>",
        1,
        "ply at which to change evaluations",
        lambda value: f"Evaluations will change after {value} plies in rollouts.",
    )
    _sides(f"{words} later", "later_")
    enter_rng(f"{words} rng")
    command(f"{words} seed", "Seed of the dice of rollouts", "[seed]")(_seed)
    kept(f"{words} seed", "rng", lambda rng: [] if rng.seed is None else [str(rng.seed)])
    _number(
        f"{words} trials",
        "trials",
        "How many games are played",
        "<trials>",
        1,
        "number of trials to make",
        lambda value: f"{value} game{'s' * (value != 1)} will be played per rollout.",
    )
    group(f"{words} truncation", "Where games end before their end")
    _switch(
        f"{words} truncation enable",
        "truncation",
        "Whether games end before their end",
        "Games in rollouts will be stopped after a fixed number of moves.",
        "Games in rollouts will be played out until the end.",
    )
    _number(
        f"{words} truncation plies",
        "truncation_plies",
        "After how many plies games end",
        "<plies>",
        1,
        "ply at which to truncate rollouts",
        lambda value: f"Rollouts will be truncated after {value} {'ply' if value == 1 else 'plies'}.",
    )
    enter_eval(f"{words} truncation chequerplay", "Chequerplay where games end", "truncation_chequer")
    enter_eval(f"{words} truncation cubedecision", "Cube decisions where games end", "truncation_cube")


def _stops(words: str) -> None:
    """When a rollout ends before all games are played."""
    group(f"{words} jsd", "End when the best choice is clear")
    _switch(
        f"{words} jsd stop",
        "jsd",
        "Whether clearly worse choices are given up",
        "Stop rollout of choices based on JSDs",
        "Do not stop rollout of moves choices on JSDs",
    )
    _number(
        f"{words} jsd minimumgames",
        "jsd_minimum",
        "Games that are played in any case",
        "<minimum games to rollout>",
        1,
        "minimum number of games to rollout",
        lambda value: f"After {value} games, rollouts will stop if the JSDs are large enough.",
    )
    _limit(
        f"{words} jsd limit",
        "jsd_limit",
        "How clearly worse, in joint standard deviations",
        "<joint standard deviations>",
        "You must set a number of joint standard deviations for the equity difference "
        "with the best move being rolled out",
        lambda value: (
            f"Rollouts (or rollouts of moves) may stop when the equity is more than {value:.3f} joint standard "
            "deviations from the best move being rolled out"
        ),
    )
    group(f"{words} limit", "End when the result is exact enough")
    _switch(
        f"{words} limit enable",
        "limit",
        "Whether rollouts end when they are exact enough",
        "Stop rollout when STD's are small enough",
        "Do not stop rollout based on STDs",
    )
    _number(
        f"{words} limit minimumgames",
        "limit_minimum",
        "Games that are played in any case",
        "<minimum games to rollout>",
        1,
        "minimum number of games to rollout",
        lambda value: f"After {value} games, rollouts will stop if the STDs are small enough.",
    )
    _limit(
        f"{words} limit maxerror",
        "limit_maxerror",
        "How exact, a standard deviation",
        "<fraction>",
        "You must set a valid STD where rollouts can stop",
        lambda value: f"Rollouts can stop when the estimated equities' STD are less than {value:.4f})",
    )


_SWITCHES = {
    "cubeful": (
        "Whether the cube is used",
        "Cubeful rollouts will be performed.",
        "Cubeless rollouts will be performed.",
    ),
    "varredn": (
        "Whether luck is taken out of results",
        "Will use lookahead during rollouts to reduce variance.",
        "Will not use lookahead variance reduction during rollouts.",
    ),
    "quasirandom": (
        "Quasi-random dice",
        "Use quasi-random dice in rollouts",
        "Do not use quasi-random dice in rollouts",
    ),
    "initial": (
        "Whether the first roll is an opening roll",
        "Rollouts will be made as the initial position of a game.",
        "Rollouts will be made for normal (non-opening) positions.",
    ),
    "cube-equal-chequer": (
        "Whether cube decisions are judged as plays are",
        "Rollouts use same settings for cube and chequer play.",
        "Rollouts use separate settings for cube and chequer play.",
    ),
    "players-are-same": (
        "Whether both players are set alike",
        "Rollouts use same settings for both players.",
        "Rollouts use separate settings for both players.",
    ),
    "truncate-equal-player0": (
        "Whether games end with the settings of player 0",
        "Evaluation of rollouts at truncation point will be same as player 0.",
        "Evaluation of rollouts at truncation point are separately specified.",
    ),
    "log": (
        "Whether games are written to files",
        "Create an .sgf file for each game rolled out",
        "Do not create an .sgf file for each game rolled out",
    ),
}
"""Of a rollout, by their words: help, and what is said when they are turned on and off."""
_TYPES = {"evaluation": "Neural net evaluation", "rollout": "Rollout"}


def type_(call: Call, word: Word) -> None:
    """Whether decisions are evaluated or rolled out."""
    found = next((name for name in _TYPES if word and name.startswith(word.lower())), None)
    if found is None:
        raise Refused(f"Unknown evaluation type: {word or ''} (see\n`help {call.name}').")
    call.put("type", found)
    tell(call, f"now use {_TYPES[found]}.")


group("set evaluation", "How positions are evaluated", path="evaluation")
group("set analysis", "How matches are analysed", path="analysis")
group("set player", "Who plays, and how", path="players.{}", argument=Player)
for _words, _text in (("evaluation", "`eval' and `hint'"), ("analysis", "analysis"), ("player", "a player")):
    for _kind, _path in (("chequerplay", "chequer"), ("cubedecision", "cube")):
        group(
            f"set {_words} {_kind}",
            f"{_kind.capitalize()} of {_text}",
            path=_path,
            note=_unplayed if _words == "player" else None,
        )
        command(f"set {_words} {_kind} type", "By evaluation or by rollout", "evaluation|rollout")(type_)
        kept(f"set {_words} {_kind} type", "type")
        enter_eval(f"set {_words} {_kind} evaluation", "By evaluation", "evaluation", note=_aside)
        enter_rollout(f"set {_words} {_kind} rollout", "By rollout", "rollout", note=_aside)
    enter_filter(f"set {_words} movefilter", "filter")
enter_eval("set analysis luckanalysis", "How luck is found", "luckanalysis")
enter_rollout("set rollout", "How `rollout' rolls out", "rollout")
