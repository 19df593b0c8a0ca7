"""What of the analyses in a match is not there any more when it was written and read again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat

from sixprime.game.record import (
    MADE_WITH,
    Action,
    ActionKind,
    ForeignAnalysis,
    ForeignCube,
    ForeignPlay,
    Match,
    Method,
    Value,
)

_CLOSE = 2e-5
"""Numbers that differ by less, of their size, are the same: some formats have single precision, some five digits."""
_ANSWERS = (ActionKind.TAKE, ActionKind.DROP, ActionKind.BEAVER)
_FOUR_DIGITS = 6e-5
_METHOD = {
    "name": "names of ways of evaluating",
    "plies": "numbers of plies",
    "cubeful": "whether the cube was reckoned with",
    "trials": "numbers of trials",
    "noise": "settings of evaluations",
    "deterministic": "settings of evaluations",
    "prune": "settings of evaluations",
    "settings": "settings of evaluations",
}


def analyses_lost(match: Match, again: Match) -> list[str]:
    """Names of it; not of what programs say that are not in `again` at all."""
    kept = {analysis.source for game in again.games for action in game.actions for analysis in action.analyses}
    lost: dict[str, None] = {}
    for action, same in _pairs(match, again):
        found = {analysis.source: analysis for analysis in same.analyses}
        sources = {analysis.source for analysis in action.analyses}
        for analysis in action.analyses:
            if analysis.source in kept or not kept:
                read = found.get(analysis.source, ForeignAnalysis(analysis.source))
                lost |= dict.fromkeys(_of_action(action, analysis, read))
        if action.kind in _ANSWERS and found.keys() - sources:
            lost["analyses of answers to doubles"] = None
    if _has_table(match) and not _has_table(again):
        lost["the match equity table of the analysis"] = None
    return list(lost)


def _has_table(match: Match) -> bool:
    """Whether it comes with the table that it was judged with."""
    return any(key == MADE_WITH for game in match.games for key, _ in game.extras)


def _pairs(match: Match, again: Match) -> Iterator[tuple[Action, Action]]:
    """The actions of a match with those that became of them, in order; without those of which none did."""
    for game, other in zip(match.games, again.games, strict=False):
        rest = [(_place(same), same) for same in other.actions]
        for action in game.actions:
            place = _place(action)
            found = next((number for number, (there, _) in enumerate(rest) if there == place), None)
            if found is not None:
                yield action, rest[found][1]
                del rest[: found + 1]


def _place(action: Action) -> tuple[object, ...]:
    """By what an action is known again. Not every format says of what game a position is."""
    return action.kind, action.player, action.position.opponent, action.position.player


def _of_action(action: Action, analysis: ForeignAnalysis, read: ForeignAnalysis) -> Iterator[str]:
    """What is lost of one analysis."""
    if analysis.cube is not None:
        answer = action.kind in _ANSWERS
        if read.cube is None or (answer and not _alike(analysis.cube, read.cube)):
            yield "analyses of answers to doubles" if answer else "analyses of cube decisions"
        else:
            yield from _of_cube(analysis.cube, read.cube)
    yield from _of_plays(analysis, read)
    if not _near(analysis.luck, read.luck):
        yield "luck"
    if not _near(analysis.luck_mwc, read.luck_mwc):
        yield "luck in match-winning chances"
    for name in ("play_mark", "cube_mark", "luck_mark"):
        if (mark := getattr(analysis, name)) and mark != getattr(read, name):
            yield "marks of plays, cube decisions and luck"


def _alike(cube: ForeignCube, read: ForeignCube) -> bool:
    """Whether two analyses of a cube decision are the same one."""
    for one, other in ((cube.no_double, read.no_double), (cube.double_take, read.double_take)):
        in_chances = other.mwc is not None and one.mwc is not None
        if not (_near(one.mwc, other.mwc) if in_chances else _near(one.equity, other.equity)):
            return False
    return cube.method.trials == read.method.trials


def _of_cube(cube: ForeignCube, read: ForeignCube) -> Iterator[str]:
    # Where nothing is said, a pass is worth one point.
    passed = Value(equity=1.0) if read.double_pass is None else read.double_pass
    pairs = (
        (cube.no_double, read.no_double),
        (cube.double_take, read.double_take),
        (cube.double_pass or Value(), passed),
    )
    for value, same in pairs:
        yield from _of_value(value, same, "cube decisions")
    yield from _of_method(cube.method, read.method)
    if cube.best and cube.best != read.best:
        yield "verdicts on cube decisions in words"


def _of_plays(analysis: ForeignAnalysis, read: ForeignAnalysis) -> Iterator[str]:
    pairs = [(each, same) for each in analysis.plays if (same := _same_play(each, analysis, read)) is not None]
    if len(pairs) < len(analysis.plays):
        yield "candidate plays"
    places = [next(place for place, found in enumerate(read.plays) if found is same) for _, same in pairs]
    if places != sorted(places):
        yield "order of candidate plays"
    made, now = _made(analysis), _made(read)
    if any(each is made and same.play.result != (now and now.play.result) for each, same in pairs):
        yield "which candidate play was made"
    for each, same in pairs:
        yield from _of_value(each.value, same.value, "plays")
        yield from _of_method(each.method, same.method)
        if set(each.extras) - set(same.extras):
            yield "further numbers of candidate plays"


def _same_play(play: ForeignPlay, analysis: ForeignAnalysis, read: ForeignAnalysis) -> ForeignPlay | None:
    """What became of a candidate; of those that are listed more than once, the one of the same value."""
    here, there = (
        [each for each in plays if each.play.result == play.play.result] for plays in (analysis.plays, read.plays)
    )
    if len(here) == len(there) == 1:
        return there[0]
    return next((each for each in there if not any(_of_value(play.value, each.value, ""))), None)


def _made(analysis: ForeignAnalysis) -> ForeignPlay | None:
    return None if analysis.played is None else analysis.plays[analysis.played]


def _of_value(value: Value, read: Value, where: str) -> Iterator[str]:
    if not _near(value.probabilities, read.probabilities):
        rounded = _near(value.probabilities, read.probabilities, _FOUR_DIGITS)
        yield "digits of probabilities after the fourth" if rounded else f"probabilities of {where}"
    if not _near(value.cubeless, read.cubeless):
        yield f"equities without cube of {where}"
    if not _near(value.mwc, read.mwc):
        yield f"match-winning chances of {where}"
    if not _near(value.equity, read.equity) and (read.equity is not None or value.mwc is None or read.mwc is None):
        yield f"equities of {where}"  # but for what a match-winning chance says as well
    if not _near(value.errors, read.errors):
        yield "standard errors of rollouts"


def _of_method(method: Method, read: Method) -> Iterator[str]:
    for name, said in _METHOD.items():
        if (known := getattr(method, name)) != getattr(read, name) and known != "":
            yield said


def _near(value: object, read: object, close: float = _CLOSE) -> bool:
    """Whether a number, or each of several, is still there."""
    if isinstance(value, tuple):
        others = read if isinstance(read, tuple) else ()
        return not value or (len(value) == len(others) and all(map(_near, value, others, repeat(close))))
    if not isinstance(value, int | float):
        return True
    return isinstance(read, int | float) and abs(value - read) <= close * max(1.0, abs(value))
