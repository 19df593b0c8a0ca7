"""What players did over many matches: totals, the way their error rates went, and their worst decisions."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind, Phase, Plan, PlayerStatistics
from sixprime.analysis.statistics import total
from sixprime.analysis.thresholds import Skill
from sixprime.checks import Real, Whole, listed
from sixprime.game.match_rules import match_over

HALF_LIFE = 500.0
"""Decisions after which a match counts half in a trend."""
LIFE = Real(0, 1e9, above=True)
_WORST = 20
"""Decisions kept of a match."""
_COUNT = Whole(0, 1 << 30)
_YEAR = re.compile(r"[0-9]{4}\b")
"""How dates begin that can be compared."""


@dataclass(frozen=True, slots=True)
class Blunder:
    """A decision that lost much. game: its number; move: row of the record; place: in the report, empty without one."""

    game: int
    move: int
    action: int
    player: int
    kind: DecisionKind
    skill: Skill
    error: float
    dice: tuple[int, int] | None
    chosen: str
    best: str
    phase: Phase
    plan: Plan
    place: str = ""


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """What a summary needs of one match. name, link: of its file and of its report, the latter empty without one; date:
    as the file has it. worst: the costliest decisions with a mark. late: as in `Match`."""

    name: str
    link: str
    players: tuple[str, str]
    length: int
    date: str
    event: str
    score: tuple[int, int]
    settings: str
    finished: bool
    statistics: tuple[PlayerStatistics, PlayerStatistics]
    worst: tuple[Blunder, ...]
    late: int | None = None

    @property
    def winner(self) -> int | None:
        """Who has won, None for nobody so far; a money session may end at any score."""
        if self.length and self.late is not None:
            return 1 - self.late
        over = self.length == 0 or match_over(self.length, self.score)
        return int(self.score[1] > self.score[0]) if over and self.score[0] != self.score[1] else None


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """pr: of a match; mean: with those before it, the recent ones counting more; width: half of its 95 % interval, None
    for too few decisions."""

    match: int
    pr: float
    mean: float
    width: float | None


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """A player over all matches. matches: index and side of each, in order of time; won: matches and sessions won."""

    name: str
    matches: tuple[tuple[int, int], ...]
    won: int
    statistics: PlayerStatistics
    trend: tuple[TrendPoint, ...]


def record_of(
    analysed: AnalysedMatch,
    name: str,
    players: tuple[str, str],
    score: tuple[int, int],
    link: str = "",
    places: Mapping[tuple[int, int], str] | None = None,
) -> MatchRecord:
    """What is kept of a match. players: as reports name them; places: of decisions there, by game and action."""
    match = analysed.match
    marked = sorted((d for d in analysed.decisions if d.skill), key=lambda d: -d.error)[:_WORST]
    return MatchRecord(
        name=name,
        link=link,
        players=players,
        length=match.length,
        date=match.info.get("date", ""),
        event=match.info.get("event", ""),
        score=score,
        settings=analysed.settings,
        finished=analysed.finished,
        statistics=analysed.statistics,
        worst=tuple(_blunder(analysed, d, (places or {}).get((d.game, d.action), "")) for d in marked),
        late=match.late,
    )


def _blunder(analysed: AnalysedMatch, decision: Decision, place: str) -> Blunder:
    return Blunder(
        game=analysed.match.games[decision.game].number,
        move=decision.move_number,
        action=decision.action,
        player=decision.player,
        kind=decision.kind,
        skill=decision.skill,
        error=decision.error,
        dice=decision.dice,
        chosen=decision.chosen,
        best=decision.best,
        phase=decision.phase,
        plan=decision.plan,
        place=place,
    )


def players_of(records: Sequence[MatchRecord]) -> list[PlayerRecord]:
    """Every player by name, those with the most decisions first. Names that differ in case and blanks are one.

    Raises SettingsError for what are no records.
    """
    records = listed("records", records, MatchRecord)
    days = [each.date if _YEAR.match(each.date) else "9999" for each in records]
    order = sorted(range(len(records)), key=lambda i: (days[i], i))
    found: dict[str, list[tuple[int, int]]] = {}
    names: dict[str, str] = {}
    for i in order:
        for side, name in enumerate(records[i].players):
            key = " ".join(name.casefold().split())
            names.setdefault(key, name)
            found.setdefault(key, []).append((i, side))
    players = [_player(names[key], matches, records) for key, matches in found.items()]
    return sorted(players, key=lambda player: (-player.statistics.decisions, player.name))


def _player(name: str, matches: Sequence[tuple[int, int]], records: Sequence[MatchRecord]) -> PlayerRecord:
    own = [records[i].statistics[side] for i, side in matches]
    won = sum(records[i].winner == side for i, side in matches)
    points = trend_of(own)
    return PlayerRecord(
        name,
        tuple(matches),
        won,
        total(own),
        tuple(TrendPoint(i, *point) for (i, _), point in zip(matches, points, strict=True)),
    )


def trend_of(
    matches: Iterable[PlayerStatistics], half_life: float = HALF_LIFE
) -> list[tuple[float, float, float | None]]:
    """After each match its PR, the weighted PR so far, and half the width of the 95 % interval of that.

    A decision counts half as much after `half_life` further ones. With weights w, errors e and m = sum w e / sum w the
    variance of the mean is s^2 sum w^2 / (sum w)^2, where s^2 = sum w e^2 / sum w - m^2; a match has one weight.
    Raises SettingsError for what are no statistics, and for a `half_life` that is not above 0.
    """
    played = listed("matches", matches, PlayerStatistics)
    LIFE("half_life", half_life)
    sums = faded([(own.decisions, own.error_total, own.error_squares) for own in played], half_life)
    squared = faded([(own.decisions,) for own in played], half_life / 2)
    points: list[tuple[float, float, float | None]] = []
    for own, (weight, errors, squares), (square,) in zip(played, sums, squared, strict=True):
        mean = errors / weight if weight else 0.0
        width = None
        if weight > 1:
            variance = max(squares / weight - mean**2, 0.0)
            width = 500 * 1.96 * math.sqrt(variance * square) / weight
        points.append((own.pr, 500 * mean, width))
    return points


def faded(rows: Iterable[Sequence[float]], half_life: float) -> Iterator[tuple[float, ...]]:
    """After each row the sums of all columns so far, in which a decision counts half after `half_life` further ones.

    The first column is the number of decisions of the row.
    """
    sums: tuple[float, ...] = ()
    for row in rows:
        fade = 0.5 ** (row[0] / half_life)
        sums = tuple(fade * before + now for before, now in zip(sums or (0.0,) * len(row), row, strict=True))
        yield sums


def worst_of(records: Sequence[MatchRecord], count: int) -> list[tuple[int, Blunder]]:
    """The costliest decisions over all matches, each with the index of its match. Raises SettingsError."""
    _COUNT("count", count)
    records = listed("records", records, MatchRecord)
    found = [(i, blunder) for i, record in enumerate(records) for blunder in record.worst]
    return sorted(found, key=lambda each: -each[1].error)[:count]
