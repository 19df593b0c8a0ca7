"""What the types of a document do not say: numbers that name something must name what is there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import datetime
from functools import cache
from operator import attrgetter
from typing import Any

from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind, PlayerStatistics
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis
from sixprime.game.play import Play
from sixprime.game.record import Action, ActionKind, Match
from sixprime.game.variants import get_variant
from sixprime.learn.deck import Card, Deck
from sixprime.learn.drills import DrillLog
from sixprime.learn.questions import Question

_LARGEST = 1e9
"""More than any equity, sum of errors or number of games; sums of such numbers are finite."""


def check(value: object) -> None:
    """Raises ValueError that begins with the place, such as ".games[0].actions[3].player: ..."."""
    match value:
        case AnalysedMatch():
            _check_match(value.match, ".match")
            _check_analysis(value)
        case Match():
            _check_match(value, "")
        case PlayAnalysis():
            _play(".play", value.play)
            _check_judged(value, "")
        case CubeAnalysis():
            _check_judged(value, "")
        case Evaluation():
            _check_numbers(value, "")
        case Deck():
            for c, card in enumerate(value.cards):
                _check_card(card, f".cards[{c}]")
        case DrillLog():
            for a, attempt in enumerate(value.attempts):
                _check_numbers(attempt, f".attempts[{a}]")
                _moment(f".attempts[{a}].when", attempt.when)


def _check_match(match: Match, place: str) -> None:
    get_variant(match.variant)
    _range(f"{place}.length", match.length, 0)
    _player(f"{place}.late", match.late)
    for g, game in enumerate(match.games):
        where = f"{place}.games[{g}]"
        _player(f"{where}.winner", game.winner)
        for points in (*game.score, game.points, game.cube):
            _range(where, points, 0)
        for a, action in enumerate(game.actions):
            _check_action(action, f"{where}.actions[{a}]")


def _check_action(action: Action, where: str) -> None:
    _player(f"{where}.player", action.player)
    _dice(f"{where}.dice", action.dice)
    if action.dice is None and action.kind in (ActionKind.MOVE, ActionKind.ROLL):
        raise ValueError(f"{where}.dice: a {action.kind} needs them")
    _play(f"{where}.play", action.play)
    for i, analysis in enumerate(action.analyses):
        for p, candidate in enumerate(analysis.plays):
            _play(f"{where}.analyses[{i}].plays[{p}].play", candidate.play)
        _index(f"{where}.analyses[{i}].played", analysis.played, analysis.plays)
        for mark in (analysis.play_mark, analysis.cube_mark):
            _range(f"{where}.analyses[{i}]", mark or 0, 0, 3)
        _range(f"{where}.analyses[{i}].luck_mark", analysis.luck_mark or 0, -2, 2)


def _check_analysis(analysed: AnalysedMatch) -> None:
    games = analysed.match.games
    _number(".seconds", analysed.seconds)
    if len(analysed.games) > len(games):
        raise ValueError(f".games: {len(analysed.games)} of a match of {len(games)}")
    for owner, statistics in _statistics(analysed):
        _check_numbers(statistics, owner)
        _check_tallies(statistics, owner)
    for g, game in enumerate(analysed.games):
        if game.resignation is not None:
            where = f".games[{g}].resignation"
            _index(f"{where}.action", game.resignation.action, games[g].actions)
            _player(f"{where}.player", game.resignation.player)
            _dice(f"{where}.dice", game.resignation.dice)
            _check_numbers(game.resignation, where)
        for d, decision in enumerate(game.decisions):
            where = f".games[{g}].decisions[{d}]"
            _range(f"{where}.game", decision.game, g, g)
            _index(f"{where}.action", decision.action, games[g].actions)
            _player(f"{where}.player", decision.player)
            _dice(f"{where}.dice", decision.dice)
            _index(f"{where}.played", decision.played, decision.plays)
            if decision.before is not None:
                _player(f"{where}.before.side", decision.before.side)
                _check_numbers(decision.before, f"{where}.before")
            _check_numbers(decision, where)
            _check_choices(decision, where)


def _check_card(card: Card, where: str) -> None:
    question, place = card.question, f"{where}.question"
    _dice(f"{place}.dice", question.dice)
    if question.kind is DecisionKind.PLAY:
        if question.dice is None or not question.plays:
            raise ValueError(f"{place}: a play needs dice and plays")
    elif question.cube is None:
        raise ValueError(f"{place}.cube: a {question.kind} needs it")
    _check_choices(question, place)
    for r, review in enumerate(card.reviews):
        _check_numbers(review, f"{where}.reviews[{r}]")
        _moment(f"{where}.reviews[{r}].when", review.when)
    if card.memory is not None:
        _range(f"{where}.memory.state", card.memory.state, 1, 3)
        _range(f"{where}.memory.step", card.memory.step or 0, 0)
        for name, least, most in (("stability", 0.001, 36500.0), ("difficulty", 1.0, 10.0)):
            if not least <= getattr(card.memory, name) <= most:
                raise ValueError(f"{where}.memory.{name}: expected a number from {least:g} to {most:g}")
        _moment(f"{where}.memory.due", card.memory.due)
        _moment(f"{where}.memory.last_review", card.memory.last_review)


def _statistics(analysed: AnalysedMatch) -> Iterator[tuple[str, PlayerStatistics]]:
    for p, statistics in enumerate(analysed.statistics):
        yield f".statistics[{p}]", statistics
    for g, game in enumerate(analysed.games):
        for p, statistics in enumerate(game.statistics):
            yield f".games[{g}].statistics[{p}]", statistics


def _check_tallies(statistics: PlayerStatistics, owner: str) -> None:
    for name in ("phases", "plans"):
        for i, tally in enumerate(getattr(statistics, name)):
            _check_numbers(tally, f"{owner}.{name}[{i}]")
    for each in fields(statistics.faults):
        _check_numbers(getattr(statistics.faults, each.name), f"{owner}.faults.{each.name}")
    for name in ("too_early", "too_cheap"):
        _check_numbers(getattr(statistics, name), f"{owner}.{name}")


def _check_choices(asked: Decision | Question, where: str) -> None:
    for p, play in enumerate(asked.plays):
        _play(f"{where}.plays[{p}].play", play.play)
        _check_judged(play, f"{where}.plays[{p}]")
    if asked.cube is not None:
        _check_judged(asked.cube, f"{where}.cube")


def _check_judged(judged: PlayAnalysis | CubeAnalysis, where: str) -> None:
    _check_numbers(judged, where)
    if judged.rolled is None:
        return
    values, place = judged.rolled.values, f"{where}.rolled.values"
    if len(values) != 1 and (isinstance(judged, PlayAnalysis) or len(values) != 2):
        raise ValueError(f"{place}: {len(values)}; expected one, or two of a cube decision")
    for v, value in enumerate(values):
        if len(value.errors) not in (0, 6):
            raise ValueError(f"{place}[{v}].errors: {len(value.errors)}; expected six or none")
        _check_numbers(value, f"{place}[{v}]")


def _check_numbers(value: Any, where: str) -> None:
    """Refuses numbers beyond all reason, of which sums would be infinite."""
    for name, get in _numbers_of(value.__class__):
        _number(f"{where}.{name}", get(value))


@cache
def _numbers_of(kind: type) -> tuple[tuple[str, attrgetter[Any]], ...]:
    """The fields of a class that hold numbers."""
    return tuple(
        (field.name, attrgetter(field.name))
        for field in fields(kind)
        if str(field.type).startswith(("float", "int", "Outcomes", "tuple[float"))
    )


def _number(place: str, given: float | Iterable[float] | None) -> None:
    for number in given if isinstance(given, tuple) else (given,):
        if number is not None and not -_LARGEST <= number <= _LARGEST:
            raise ValueError(f"{place}: expected a number from {-_LARGEST:g} to {_LARGEST:g}")


def _range(place: str, given: int, least: int, most: int = int(_LARGEST)) -> None:
    if not least <= given <= most:
        raise ValueError(f"{place}: expected a whole number from {least} to {most}")


def _player(place: str, given: int | None) -> None:
    if given not in (0, 1, None):
        raise ValueError(f"{place}: expected 0 or 1")


def _moment(place: str, given: datetime) -> None:
    if given.tzinfo is None:
        raise ValueError(f"{place}: expected a time with its zone")


def _dice(place: str, given: tuple[int, int] | None) -> None:
    if given is not None and not all(1 <= die <= 6 for die in given):
        raise ValueError(f"{place}: expected two numbers from 1 to 6")


def _play(place: str, given: Play | None) -> None:
    for step in given.steps if given is not None else ():
        if not (1 <= step.start <= 25 and 0 <= step.end <= 24):
            raise ValueError(f"{place}.steps: chequers move from 25 (bar) down to 0 (off)")


def _index(place: str, given: int | None, items: tuple[object, ...]) -> None:
    if given is not None and not 0 <= given < len(items):
        raise ValueError(f"{place}: there is no item {given} of {len(items)}")
