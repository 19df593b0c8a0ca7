"""`BookJudge`: takes from a book what is in it, and asks another judge about the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sixprime.checks import listed
from sixprime.engine.judge import Book, CubeRequest, Judge, PlayRequest, told
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis
from sixprime.progress import NOBODY, Watch


@dataclass(frozen=True, slots=True)
class BookJudge:
    """A `Judge` by a book.

    first: who judges what is not in it. search: who judges, of a roll that is in it, the plays that are not.
    """

    first: Judge
    search: Judge
    book: Book

    def positions(self, requests: Sequence[CubeRequest], watch: Watch = NOBODY) -> list[Evaluation]:
        """As `Judge`."""
        return self.first.positions(requests, watch)

    def plays(
        self, requests: Sequence[PlayRequest], count: int | None = None, watch: Watch = NOBODY
    ) -> list[list[PlayAnalysis]]:
        """As `Judge`; plays of the book come before the others, and lose what the book says. Raises SettingsError for a
        book that tells of no plays."""
        booked = (self.book.plays(each.position, each.dice, each.state) for each in requests)
        known = [listed("plays of the book", plays, PlayAnalysis) for plays in booked]
        there = [request for request, plays in zip(requests, known, strict=True) if plays]
        others = [request for request, plays in zip(requests, known, strict=True) if not plays]
        most = None if count is None else count + max(map(len, known), default=0)
        searched = iter(self.search.plays(there, most, watch) if there else ())
        judged = iter(self.first.plays(others, count, watch) if others else ())
        return [
            _before(plays, next(searched), request, count) if plays else next(judged)
            for request, plays in zip(requests, known, strict=True)
        ]

    def cubes(self, requests: Sequence[CubeRequest], watch: Watch = NOBODY) -> list[CubeAnalysis]:
        """As `Judge`."""
        return self.first.cubes(requests, watch)


def _before(
    plays: Sequence[PlayAnalysis], searched: Sequence[PlayAnalysis], request: PlayRequest, count: int | None
) -> list[PlayAnalysis]:
    """Plays of the book before those that were only searched: the best `count`, and the one that must be there."""
    after, best = {play.play.result for play in plays}, plays[0].equity
    rest = [
        replace(play, equity_loss=max(0.0, best - play.equity)) for play in searched if play.play.result not in after
    ]
    return told([*plays, *rest], request, count)
