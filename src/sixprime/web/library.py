"""The library in the words of the page."""

from __future__ import annotations

from sixprime.analysis.model import AnalysedMatch, DecisionKind, Phase, Plan
from sixprime.game.position import Position
from sixprime.report import words
from sixprime.report.movelist import move_lists
from sixprime.store.decisions import Found, OnPoint, Query, Sum
from sixprime.store.library import Career, Kept, Library, careers
from sixprime.web import messages as m

_LARGEST = 2000
"""Matches that are listed."""


def shelf(library: Library) -> m.Shelf:
    """All that there is. Raises DataFileError."""
    matches = library.matches()
    return m.Shelf(
        tuple(_shelved(each) for each in sorted(matches, key=lambda each: -each.number)[:_LARGEST]),
        tuple(map(_standing, careers(matches))),
    )


def _shelved(kept: Kept) -> m.Shelved:
    one, two = kept.sides
    return m.Shelved(
        *(kept.number, kept.checksum, (one.name, two.name), kept.length, kept.result, kept.date, kept.event),
        (one.pr, two.pr),
        kept.whole,
    )


def _standing(career: Career) -> m.Standing:
    return m.Standing(
        career.name, career.matches, career.won, career.lost, career.decisions, career.pr, career.luck, career.trend
    )


def search(library: Library, asked: m.SearchAsked) -> m.FoundAll:
    """The decisions whose positions fit. Raises SettingsError for a player who is not there."""
    like = None
    own: tuple[OnPoint, ...] = ()
    theirs: tuple[OnPoint, ...] = ()
    if asked.like:
        mine, others = asked.counts
        like = Position(tuple(others[1:]), tuple(mine[1:]))
    else:
        own, theirs = (_mask(counts, exact=asked.exact) for counts in asked.counts)
    query = Query(
        player=asked.player,
        kinds=(DecisionKind(asked.kind),) if asked.kind else (),
        phases=(Phase(asked.phase),) if asked.phase else (),
        plans=(Plan(asked.plan),) if asked.plan else (),
        least=asked.least or None,
        dice=asked.dice,
        own=own,
        theirs=theirs,
        alone=False,
    )
    found, number = library.search(query, like=like, count=asked.count)
    return m.FoundAll(tuple(map(_found, found)), number, library.number_of_decisions())


def sums(library: Library, asked: m.SumsAsked, marked: float) -> m.Sums:
    """Where equity went. marked: loss where errors begin."""
    groups, everything = library.sums(Query(player=asked.player), asked.by, marked)
    return m.Sums(tuple(map(_sum, groups)), _sum(everything))


def _sum(group: Sum) -> m.Sum:
    return m.Sum(group.name, group.decisions, group.errors, group.error, group.pr)


def _mask(counts: tuple[int, ...], *, exact: bool) -> tuple[OnPoint, ...]:
    """What stands on the points, and on the bar."""
    return tuple(
        OnPoint(point, count, count if exact else 255)
        for point, count in enumerate(counts)
        if point and (count or exact)
    )


def place_of(analysed: AnalysedMatch, turn: tuple[int, int]) -> str:
    """Where a turn stands in the report of a match. turn: index of the game, and of the action in it."""
    for row in move_lists(analysed)[turn[0]] if turn[0] < len(analysed.games) else ():
        for cell in row.cells:
            if any(decision.action == turn[1] for decision in cell.decisions):
                return cell.id
    return ""


def _found(found: Found) -> m.Found:
    return m.Found(
        match=found.match,
        checksum=found.checksum,
        index=found.index,
        action=found.action,
        names=found.names,
        player=found.player,
        game=found.game,
        move=found.move,
        dice="" if found.dice is None else words.dice_text(found.dice),
        chosen=found.chosen,
        best=found.best,
        error=found.error,
        xgid=found.xgid,
        distance=found.distance,
    )
