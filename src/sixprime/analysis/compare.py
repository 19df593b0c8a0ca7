"""Two analyses of the same match side by side: ours, and that of another program that came with the file."""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.analysis import judge
from sixprime.analysis.foreign import foreign, is_own, sources
from sixprime.analysis.model import ANALYSED, AnalysedMatch, Decision, DecisionKind
from sixprime.checks import Real

_SIZE = Real(0, 1e6)


@dataclass(frozen=True, slots=True)
class Compared:
    """One decision as two judge it. ours, theirs: the same decision of both.

    theirs_by_us: what their choice loses by our judgement, ours_by_them: the other way round; both >= 0, None where the
    choice is not among the candidates that were judged.
    """

    ours: Decision
    theirs: Decision
    theirs_by_us: float | None
    ours_by_them: float | None

    @property
    def agreed(self) -> bool:
        """Whether both would do the same."""
        return self.theirs_by_us == 0 == self.ours_by_them

    @property
    def size(self) -> float:
        """The larger of what one choice loses by the judgement of the other; 0 where they would do the same."""
        return max(self.theirs_by_us or 0.0, self.ours_by_them or 0.0)


@dataclass(frozen=True, slots=True)
class Comparison:
    """An analysis of ours beside another. source: the other program; theirs: its analysis; decisions: those of both, in
    order."""

    source: str
    theirs: AnalysedMatch
    decisions: tuple[Compared, ...]

    def disagreements(self, least: float) -> list[Compared]:
        """Decisions in which the two would do something else, and one of them thinks it costs `least` or more; the most
        costly first. Raises SettingsError."""
        _SIZE("least", least)
        found = [each for each in self.decisions if not each.agreed and each.size >= least]
        return sorted(found, key=lambda each: -each.size)


def comparisons(analysed: AnalysedMatch) -> list[Comparison]:
    """The analyses by other programs that the match holds, each beside ours. Raises SettingsError."""
    ANALYSED("analysed", analysed)
    match = analysed.match
    return [
        compare(analysed, foreign(match, source, met=analysed.table, thresholds=analysed.thresholds))
        for source in sources(match)
        if not is_own(source)
    ]


def compare(ours: AnalysedMatch, theirs: AnalysedMatch) -> Comparison:
    """Both analyses of a match; a decision that one of them did not judge is left out. Raises SettingsError."""
    ANALYSED("ours", ours)
    ANALYSED("theirs", theirs)
    other = {_key(decision): decision for decision in theirs.decisions if _judged(decision)}
    compared = []
    for decision in ours.decisions:
        if _judged(decision) and (same := other.get(_key(decision))) is not None:
            compared.append(Compared(decision, same, _loss(decision, same), _loss(same, decision)))
    return Comparison(theirs.settings, theirs, tuple(compared))


def _key(decision: Decision) -> tuple[int, int, DecisionKind]:
    return decision.game, decision.action, decision.kind


def _judged(decision: Decision) -> bool:
    return decision.cube is not None or bool(decision.plays)


def _loss(judged_by: Decision, chosen_by: Decision) -> float | None:
    """What the best of one judge loses by the other."""
    cube, other = judged_by.cube, chosen_by.cube
    if cube is not None and other is not None:
        if judged_by.kind is DecisionKind.DOUBLE:
            return judge.double_error(cube, other.should_double)
        return judge.Answer(cube).error(judge.Answer(other).best)
    if not chosen_by.plays:
        return None
    result = chosen_by.plays[0].play.result
    return next((play.equity_loss for play in judged_by.plays if play.play.result == result), None)
