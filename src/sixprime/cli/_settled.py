"""Options that are not given on the command line, from the user's settings."""

from __future__ import annotations

from typing import Any

from cyclopts import App, ArgumentCollection
from cyclopts.config import Dict

from sixprime.settings.engine import DEPTH, check_files, depth_of

_JUDGE = ("net", "met", "cube_model", "threads", "executor")
JUDGES = (*DEPTH, "net", "cube_model", "executor", "cube_plies", "player1", "player2", "second", "trials")
"""Options that say who judges and how: nobody does where the analysis of another program is shown."""
_SECTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "analyse": {
        "analysis": ("trials", "cube_plies", "player1", "player2", "second"),
        "engine": _JUDGE,
        "export": ("output_mwc", "output_matchpc", "output_digits"),
        "files": ("encoding", "templates"),
    },
    "eval": {"engine": _JUDGE},
    "hint": {"hint": ("count", "book"), "engine": _JUDGE},
    "export": {"export": (), "engine": _JUDGE, "files": ("encoding",)},
    "cube": {"engine": _JUDGE},
    **{f"map {name}": {"engine": _JUDGE} for name in ("temperature", "score", "losers", "levels")},
    "picture": {"files": ("encoding",)},
    "race": {"engine": ("threads",)},
    "explain": {"engine": _JUDGE},
    "mcp": {"engine": _JUDGE},
    "quiz": {"engine": ("threads",), "files": ("encoding",)},
    "cards": {"engine": ("threads",), "files": ("encoding",)},
    "drill": {"engine": ("threads",)},
    "library add": {"engine": ("threads",), "files": ("encoding",)},
    "library keep": {"engine": _JUDGE},
    "play": {"files": ("encoding",)},
    "lessons add": {"engine": ("threads",), "files": ("encoding",)},
    **{f"lessons {name}": {"engine": ("threads",)} for name in ("rollout", "verify")},
    "rollout": {"rollout": (), "engine": _JUDGE},
    "convert": {"files": ("encoding",)},
    "bench": {"engine": ("net", "threads"), "files": ("data",)},
    "calibrate": {"engine": ("threads",)},
    "doctor": {"engine": ("threads",)},
    "duel": {"engine": ("threads",), "files": ("gnubg",)},
    "train": {"engine": ("executor", "threads"), "files": ("data",)},
    "bearoff build": {"engine": ("threads",)},
}
"""By command: the sections that hold its options, and which of them, () for all."""
_DEEP = {
    **dict.fromkeys(("analyse", "export", "quiz", "cards", "library add"), ("analysis", "engine")),
    **dict.fromkeys(("eval", "hint", "cube", "explain", "mcp", "library keep"), ("engine",)),
    **{f"map {name}": ("engine",) for name in ("temperature", "score", "losers", "levels")},
}
"""By command: the sections that say how deep to judge; the first that says anything does."""
_NEEDED = {
    "truncate_plies": ("truncate",),
    "minimum": ("stop_error", "stop_jsd"),
    "bearoff_one_sided": ("cubeless",),
}
"""Options of a rollout that have no effect where none of those behind them is said or set."""
_CUBES = ("cube_plies", "opponent_cube_plies", "later_cube_plies", "branches")
_IDLE = {"cubeless": _CUBES, "cube": ("count",), "play": ("count",)}
"""Options of a rollout, and those that have no effect beside them."""
_EXTENDING = {"trials", "stop_error", "stop_jsd", "minimum", "save", "statistics", "json", *_JUDGE}
"""What may be said when a saved rollout goes on."""


def settle(app: App, commands: tuple[str, ...], arguments: ArgumentCollection) -> None:
    """Gives a command what the user has set and the command line does not say."""
    command = " ".join(commands).replace("analyze", "analyse")
    if command not in _SECTIONS:
        return
    from sixprime.paths import settings_file
    from sixprime.settings import load

    settings = load()
    said = {argument.name.removeprefix("--").replace("-", "_") for argument in arguments if argument.tokens}
    chosen: dict[str, Any] = {}
    for section, names in _SECTIONS[command].items():
        values = getattr(settings, section).given()
        chosen |= {name: value for name, value in values.items() if name in names or not names}
    if "level" not in said:
        chosen |= depth_of(*(getattr(settings, section) for section in _DEEP.get(command, ())))
    if "theirs" in said or (command == "export" and _is_kept(arguments)):
        chosen = {name: value for name, value in chosen.items() if name not in JUDGES}
    if command == "analyse":
        if said.isdisjoint(("rollout", "rollout_of")):
            chosen.pop("trials", None)
        if "html" not in said:
            chosen.pop("templates", None)
    if command == "bench" and "strength" not in said:
        chosen.pop("data", None)
    if command == "rollout":
        goes_on = _goes_on(arguments)
        _look_for_idle(arguments, said | chosen.keys(), goes_on=goes_on)
        if goes_on:
            chosen = {name: value for name, value in chosen.items() if name in _JUDGE}
    if command == "train" and "races" in said:
        chosen = {}
    if chosen := {name: value for name, value in chosen.items() if name not in said}:
        check_files(chosen)
        # Below the command's own name, or options that are called as another command are passed over.
        for each in reversed(commands):
            chosen = {each: chosen}
        Dict(chosen, source=str(settings_file()), allow_unknown=True)(app, commands, arguments)


def _look_for_idle(arguments: ArgumentCollection, known: set[str], *, goes_on: bool) -> None:
    """Warns of options of a rollout that have no effect. known: those said or set. Raises UsageError for what a saved
    one cannot follow."""
    from sixprime.cli._common import UsageError, note, option

    said = {
        argument.name.removeprefix("--").replace("-", "_"): token.keyword
        for argument in arguments
        for token in argument.tokens
        if token.keyword
    }
    for name, typed in said.items():
        if goes_on:
            if name not in _EXTENDING:
                raise UsageError(f"{typed} does not go with a saved rollout, which goes on as it began")
            continue
        if known.isdisjoint(needed := _NEEDED.get(name, (name,))):
            note(f"sixprime: warning: {typed} has no effect without {' or '.join(map(option, needed))}")
        if beside := next((each for each in said if name in _IDLE.get(each, ())), None):
            note(f"sixprime: warning: {typed} has no effect beside {option(beside)}")


def _is_kept(arguments: ArgumentCollection) -> bool:
    """Whether an analysis is shown that was kept."""
    words = (token.value.lower() for argument in arguments for token in argument.tokens if not token.keyword)
    return any(word.endswith(".sixprime") for word in words)


def _goes_on(arguments: ArgumentCollection) -> bool:
    """Whether a rollout goes on that was saved, which keeps to what it began with."""
    from sixprime.engine.rollout_result import is_saved

    return any(is_saved(token.value) for argument in arguments for token in argument.tokens if not token.keyword)
