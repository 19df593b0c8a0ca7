"""Analyses in documents of the codec `ogxm`, read and written.

A block is the work of one program on a match: what it is stands in `analyses_info`, what it thinks of a ply in the
ply's `analyses`, with its number (`analysis` alone where there is but one block). Its `currency` says what equities
are: match-winning chances in a match where it does not say, else equities for a cube of 1. Depths are counted as here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sixprime.formats._odd_plays import candidate as listed_play
from sixprime.formats._ogxm_document import BEAVER, DOUBLE, DROP, LAST_ROLL, SET, TAKE, items, steps_of, text_of, words
from sixprime.game.outcomes import Outcomes
from sixprime.game.record import (
    Action,
    ActionKind,
    ForeignAnalysis,
    ForeignCube,
    ForeignPlay,
    Method,
    Value,
)

_CHANCES = ("win", "gammon_win", "bg_win", "gammon_loss", "bg_loss")
_CUBE_EQUITIES = ("no_double_equity", "double_take_equity", "double_pass_equity")
_MOST_CANDIDATES = 4000

Chances = tuple[float, float, float, float, float]


# Reading


class Analyst:
    """Reads what the programs thought of the plies of a document, in their order. version: of the file."""

    def __init__(self, document: dict[str, Any], version: int) -> None:
        self._blocks = blocks_of(document)
        self.sources = tuple(_sources(self._blocks))
        usual = "cubeful_match" if document.get("match_length") and version > 1 else "cubeful"
        self._currencies = [str(block.get("currency", usual)) for block in self._blocks]
        self._doubled: dict[int, Chances | None] = {}  # chances of the last double by block

    def analyses(self, ply: dict[str, Any], action: Action) -> tuple[ForeignAnalysis, ...]:
        """What was thought of a ply, which became this action."""
        found = []
        for number, said in said_of(ply):
            if number < len(self._blocks):
                analysis = self._analysis(number, said, ply, action)
                if analysis is not None:
                    found.append(analysis)
        return tuple(found)

    def _analysis(
        self, number: int, said: dict[str, Any], ply: dict[str, Any], action: Action
    ) -> ForeignAnalysis | None:
        kind, currency, source = ply.get("action_id"), self._currencies[number], self.sources[number]
        info = self._blocks[number]
        if kind in (DOUBLE, TAKE, DROP, BEAVER):
            cube = _cube(said, info, currency)
            if cube is None:
                return None
            chances = cube.no_double.probabilities
            doubled = self._doubled.get(number)
            if kind == DOUBLE:
                self._doubled[number] = chances
            elif (
                chances is not None
                and doubled is not None
                and _apart(chances, doubled) > _apart(_other(chances), doubled)
            ):
                # Some write the chances of the player who answers.
                cube = replace(cube, no_double=replace(cube.no_double, probabilities=_other(chances)))
            return ForeignAnalysis(source, cube)
        if not isinstance(kind, int) or (kind > LAST_ROLL and kind != SET) or action.dice is None:
            return None
        asked = said.get("cube_decision") or said.get("missed_double")
        cube = _cube(asked, info, currency) if isinstance(asked, dict) else None
        plays, played = _plays(said, info, currency, action)
        roll = said.get("roll")
        luck = _float(roll.get("luck")) if isinstance(roll, dict) else None
        if cube is None and not plays and luck is None:
            return None
        in_chances = currency.endswith("match")
        lucks = (None, luck) if in_chances else (luck, None)
        return ForeignAnalysis(source, cube, tuple(plays), played, *lucks)


def blocks_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    """What the document says of its blocks, in their order."""
    if listed := items(document, "analyses_info"):
        return listed
    one = document.get("analysis_info")
    return [one] if isinstance(one, dict) else []


def said_of(ply: dict[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """What the blocks say of a ply: number and analysis."""
    listed = items(ply, "analyses")
    for said in listed:
        number = said.get("analysis_index")
        if isinstance(number, int) and number >= 0:
            yield number, said
    one = ply.get("analysis")
    if not listed and isinstance(one, dict):
        yield 0, one


def _sources(blocks: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A name for every block; the second of a program has a number."""
    seen: dict[str, int] = {}
    for block in blocks:
        name = words(block.get("model_name")) or words(block.get("model_id")) or words(block.get("producer")) or "OGXM"
        seen[name] = seen.get(name, 0) + 1
        yield name if seen[name] == 1 else f"{name} ({seen[name]})"


def _plays(
    said: dict[str, Any], info: dict[str, Any], currency: str, action: Action
) -> tuple[list[ForeignPlay], int | None]:
    """The candidates, best first as they stand, and which was made."""
    assert action.dice is not None
    plays: list[ForeignPlay] = []
    marked: int | None = None
    level = said.get("level") or info.get("level")
    for candidate in items(said, "alternatives")[:_MOST_CANDIDATES]:
        text, equity = text_of(candidate.get("move"), action.player), _float(candidate.get("equity"))
        play = None if text is None else listed_play(text, action.position, action.dice)
        if play is None or equity is None:
            continue
        if candidate.get("is_played") is True:
            marked = len(plays)
        value = _value(equity, currency, _chances(candidate.get("eval")))
        if (cubeless := _float(candidate.get("cubeless_equity"))) is not None:
            value = replace(value, cubeless=cubeless)
        method = _method(candidate.get("level") or level, currency)
        if (error := _float(candidate.get("rollout_se"))) is not None:
            value = replace(value, errors=(error,))
        plays.append(ForeignPlay(play, value, method))
    if marked is None and action.play is not None:
        marked = next((index for index, found in enumerate(plays) if found.play == action.play), None)
    return plays, marked


def _cube(said: dict[str, Any], info: dict[str, Any], currency: str) -> ForeignCube | None:
    currency = str(said.get("currency", currency))
    first, second, third = (_float(said.get(key)) for key in _CUBE_EQUITIES)
    if first is None or second is None:
        return None
    no_double = _value(first, currency, _chances(said.get("eval")))
    method = _method(said.get("level") or info.get("level"), currency, cube=True)
    best = words(said.get("correct_action"))
    passed = None if third is None else _value(third, currency, None)
    return ForeignCube(no_double, _value(second, currency, None), method, passed, best)


def _value(equity: float, currency: str, chances: Chances | None) -> Value:
    if currency.endswith("match"):
        return Value(chances, mwc=equity)
    return Value(chances, equity if currency == "cubeless" else None, equity)


def _method(level: object, currency: str, *, cube: bool = False) -> Method:
    found = level if isinstance(level, dict) else {}
    plies = found.get("cube_ply") if cube and "cube_ply" in found else found.get("checker_ply")
    plies = plies if isinstance(plies, int) and 0 <= plies < 100 else None
    rollout = found.get("rollout")
    trials = rollout.get("trials") if isinstance(rollout, dict) else None
    trials = trials if isinstance(trials, int) and trials > 0 else 0
    name = words(found.get("preset")) or ("rollout" if trials else f"{plies}-ply" if plies is not None else "unknown")
    settings = ""
    if isinstance(rollout, dict):
        settings = " ".join(f"{key}={rollout[key]}" for key in sorted(rollout) if key != "trials")
    return Method(name, plies, not currency.startswith("cubeless"), trials, settings=settings)


def _chances(found: object) -> Chances | None:
    parts = [_float(found.get(key)) for key in _CHANCES] if isinstance(found, dict) else [None]
    if parts[0] is None or not all(part is None or -1e-6 <= part <= 1 + 1e-6 for part in parts):
        return None
    win, win_g, win_bg, lose_g, lose_bg = (part or 0.0 for part in parts)
    return win, win_g, win_bg, lose_g, lose_bg


def _other(chances: Chances) -> Chances:
    """The chances of the other player, up to rounding."""
    win, *others = Outcomes(*chances).swapped()
    return round(win, 6), others[0], others[1], others[2], others[3]


def _apart(first: Chances, second: Chances) -> float:
    return sum(abs(a - b) for a, b in zip(first, second, strict=True))


def _float(value: object) -> float | None:
    number = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e6
    return float(value) if number else None  # type: ignore[arg-type]


# Writing


def said_by(analysis: ForeignAnalysis, action: Action, currency: str) -> dict[str, Any] | None:
    """What a block says of an action's ply; None where it has no word for it."""
    cube = None if analysis.cube is None else cube_said(analysis.cube, currency)
    if action.illegal or action.kind in (ActionKind.ROLL, ActionKind.SET, ActionKind.RESIGN):
        return None
    if action.kind is ActionKind.MOVE:
        said = _plays_said(analysis, action, currency)
        if cube is not None:
            said["cube_decision"] = cube | {"should_double": cube["correct_action"] == "double"}
        luck = analysis.luck_mwc if currency.endswith("match") else analysis.luck
        if luck is not None:
            said["roll"] = {"luck": luck}
        return said or None
    if cube is None:
        return None
    if action.kind is not ActionKind.DOUBLE:
        _, take, drop = (cube[key] for key in _CUBE_EQUITIES)
        cube["correct_action"] = "take" if take <= drop else "pass"
    return cube | {"played_action": "pass" if action.kind is ActionKind.DROP else action.kind.value}


def _plays_said(analysis: ForeignAnalysis, action: Action, currency: str) -> dict[str, Any]:
    """The candidates, those of one level together: nothing else can be written."""
    listed, seen = [], set()
    for index, candidate in enumerate(analysis.plays):
        equity = _number(candidate.value, currency)
        if equity is None or candidate.play.result in seen:
            continue
        seen.add(candidate.play.result)
        said: dict[str, Any] = {
            "move": steps_of(candidate.play, action.player),
            "equity": equity,
            "is_played": index == analysis.played,
            "level": _level(candidate.method),
        }
        if candidate.value.probabilities is not None:
            said["eval"] = dict(zip(_CHANCES, candidate.value.probabilities, strict=True))
        if candidate.value.errors:
            said["rollout_se"] = candidate.value.errors[-1]
        if candidate.value.cubeless is not None and currency != "cubeless":
            said["cubeless_equity"] = candidate.value.cubeless
        listed.append(said)
    if not listed:
        return {}
    levels: list[Any] = []
    for said in listed:
        if said["level"] not in levels:
            levels.append(said["level"])
    listed.sort(key=lambda said: (levels.index(said["level"]), -said["equity"]))
    whole: dict[str, Any] = {"alternatives": listed}
    for index, said in enumerate(listed):
        if said["is_played"] and said["level"] != listed[0]["level"]:
            # A play made stands among those of the best one's level, or is known by what it lost.
            whole["equity_loss"] = max(listed[0]["equity"] - said["equity"], 0.0)
            del listed[index]
            break
    return whole


def cube_said(cube: ForeignCube, currency: str) -> dict[str, Any] | None:
    """What is said of a cube decision; None where one of its three values is not known in the currency."""
    passed = cube.double_pass or (None if currency.endswith("match") else Value(equity=1.0))
    hold, take, drop = (
        None if value is None else _number(value, currency) for value in (cube.no_double, cube.double_take, passed)
    )
    if hold is None or take is None or drop is None:
        return None
    said: dict[str, Any] = dict(zip(_CUBE_EQUITIES, (hold, take, drop), strict=True))
    said["correct_action"] = "double" if min(take, drop) > hold else "no_double"
    said["level"] = _level(cube.method, cube=True)
    if cube.no_double.probabilities is not None:
        said["eval"] = dict(zip(_CHANCES, cube.no_double.probabilities, strict=True))
    return said


def _number(value: Value, currency: str) -> float | None:
    if currency.endswith("match"):
        return value.mwc
    return value.cubeless if currency == "cubeless" and value.equity is None else value.equity


def currency_of(analyses: Sequence[ForeignAnalysis], *, in_match: bool) -> str:
    """The currency in which a program's work can be written with the least loss."""
    values = [play.value for analysis in analyses for play in analysis.plays]
    values += [analysis.cube.no_double for analysis in analyses if analysis.cube is not None]
    methods = [play.method for analysis in analyses for play in analysis.plays]
    if in_match and values and all(value.mwc is not None for value in values):
        return "cubeful_match"
    return "cubeless" if methods and not any(method.cubeful for method in methods) else "cubeful"


def _level(method: Method, *, cube: bool = False) -> dict[str, Any]:
    level: dict[str, Any] = {}
    if method.plies is not None:
        level["checker_ply"] = method.plies
        if cube:
            level["cube_ply"] = method.plies
    if method.plies is None or method.name != f"{method.plies}-ply":
        level["preset"] = method.name[:60]
    if method.trials:
        level["rollout"] = {"trials": method.trials}
    return level


def block_of(source: str, analyses: Sequence[ForeignAnalysis], currency: str) -> dict[str, Any]:
    """What is said of a new block."""
    block: dict[str, Any] = {"model_id": source, "currency": currency}
    plies = [play.method.plies for analysis in analyses for play in analysis.plays]
    plies += [analysis.cube.method.plies for analysis in analyses if analysis.cube is not None]
    if plies and None not in plies:
        # What a block says of its depth cannot be taken back below.
        block["level"] = {"checker_ply": max(set(plies), key=plies.count)}
    return block
