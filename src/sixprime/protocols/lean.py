"""What language models are told of the objects of `--json`: they pay for every name and every digit.

Nothing is renamed but `move_number`, which is `move` as it is asked for; games count from 1, as they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

DIGITS = 4
"""After the point: more say nothing."""
_PLAYS = 4
_NEVER = frozenset({"match_id", "effective_x"})
_TOTALS = frozenset(
    {
        *("error_squares", "error_per_decision", "luck_per_roll", "luck_marks", "rating_old"),
        *("fibs_chequer_loss", "fibs_cube_loss", "fibs_by_luck", "seconds", "timed", "too_early", "too_cheap"),
    }
)
_TWICE = ("probabilities", "plies", "trials")
_PLAY = ("play", "equity", "equity_loss", "loss_error")
_CUBE = ("action", "no_double", "double_take", "double_pass")
_DECISION = (
    *("game", "move", "player", "kind", "xgid", "position_id", "dice", "chosen", "illegal", "best", "error"),
    *("error_mwc", "skill", "luck", "phase", "plan"),
)

Told = dict[str, Any]


def lean(value: Any) -> Any:
    """A value of JSON with `DIGITS` digits after the point, and without what is null or says nothing."""
    match value:
        case float():
            return round(value, DIGITS)
        case dict():
            return {
                str(key): lean(each)
                for key, each in value.items()
                if each is not None and key not in _NEVER and (key, each) != ("trials", 0)
            }
        case list() | tuple():
            return [lean(each) for each in value]
    return value


def only(value: Told, names: Iterable[str]) -> Told:
    """Some keys."""
    return {name: value[name] for name in names if name in value}


def without(value: Told, names: Iterable[str]) -> Told:
    """All but some keys."""
    left = set(names)
    return {name: each for name, each in value.items() if name not in left}


def evaluation(value: Told) -> Told:
    """Of `evaluate` and `race`: the chances are told once."""
    return value | {"cube": without(value["cube"], _TWICE)}


def explanation(value: Told) -> Told:
    """Of `explain`."""
    return value | {
        side: value[side] | {"opponent_cube": _cube(value[side]["opponent_cube"])} for side in ("best", "other")
    }


def rollout(value: Told) -> Told:
    """Of `rollout`, without the settings, which were asked for, and what happened in the games."""
    alternatives = [without(each, ("statistics",)) for each in value["alternatives"]]
    return without(value, ("settings", "engine")) | {"alternatives": alternatives}


def rolls(value: Told) -> Told:
    """Of `rolls`."""
    return value | {"rolls": [without(each, ("result",)) for each in value["rolls"]]}


def scores(value: Told) -> Told:
    """Of `scores`: the verdict at each."""
    return value | {"scores": [each | _verdict(each) for each in value["scores"]]}


def openings(value: Told) -> Told:
    """Of `openings`: plays and what they are worth."""
    told = without(value, ("engine", "seed", "truncation", "truncation_plies"))
    for key in ("openings", "replies"):
        if key in told:
            told[key] = [only(roll, ("dice",)) | {"plays": list(map(_play, roll["plays"]))} for roll in told[key]]
    return told


def totals(value: Told) -> Told:
    """Of a player in a match: kinds of decisions that there were."""
    told = without(value, _TOTALS)
    for name, each in told.items():
        if isinstance(each, dict):
            told[name] = {kind: one for kind, one in each.items() if not isinstance(one, dict) or one.get("count")}
    return told


def decision(value: Told, game: int, *, whole: bool) -> Told:
    """Of a match. game: its number. whole: with all that is known of its plays, else with what was better."""
    told = {"game": game, "move": value["move_number"]} | without(value, ("game", "move_number", "action"))
    if told["xgid"]:
        del told["position_id"]
    else:
        del told["xgid"]
    if not told["illegal"]:
        del told["illegal"]
    plays = [one for rank, one in enumerate(value["plays"]) if rank in (*range(_PLAYS), value["played"])]
    if whole:
        return told | {"plays": plays}
    told = only(told, _DECISION)
    if not value["error"]:
        return told
    if value["kind"] == "play":
        return told | {"plays": list(map(_play, plays))}
    return told | _verdict(value)


def library_decision(value: Told) -> Told:
    """Of the library."""
    return without(value, ("position_id",) if value["xgid"] else ("xgid",))


def _play(value: Told) -> Told:
    return only(value, _PLAY)


def _cube(value: Told | None) -> Told | None:
    return None if value is None else only(value, _CUBE)


def _verdict(value: Told) -> Told:
    """Plays and cube of a decision in short, as far as there are some."""
    told: Told = {}
    if value.get("plays"):
        told["plays"] = list(map(_play, value["plays"]))
    if value.get("cube"):
        told["cube"] = _cube(value["cube"])
    return told
