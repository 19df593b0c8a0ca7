"""`RolloutJudge`: judges by truncated rollouts of what another judge leaves in question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sixprime.engine import hyper
from sixprime.engine.judge import (
    CLASS_NAMES,
    EXACT,
    CubeRequest,
    Equities,
    Judge,
    PlayRequest,
    cube_analysis,
    is_near,
    packed,
)
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis
from sixprime.engine.roller import Roller
from sixprime.engine.rollout_result import Kind, RolloutEstimate, RolloutResult
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.progress import NOBODY, Watch

NEAR = 0.06
"""Plays that the first judge puts further behind the best are not rolled out."""
MOST = 5
"""Plays of a decision that are rolled out."""


@dataclass(frozen=True, slots=True)
class RolloutJudge:
    """A `Judge` by rollouts, each whole or none. What is known exactly stays, and so do plays that stand out.

    first: who judges before. roller, settings: who rolls out, and how. near: of what, as `Preset.rollout_near` has it.
    """

    first: Judge
    roller: Roller
    settings: RolloutSettings
    near: float | None = None

    def positions(self, requests: Sequence[CubeRequest], watch: Watch = NOBODY) -> list[Evaluation]:
        """As `Judge`."""
        answers = self.first.positions(requests, watch)
        for i, (position, state) in enumerate(requests):
            known = answers[i]
            if known.position_class not in EXACT:
                rolled = self.roller.roll_out(
                    "position", position, state, self.settings, watch=watch.silent, keep=False
                )
                answers[i] = evaluation_of(rolled, known.position_class, known.plies)
            watch.tell(i + 1, len(requests), "rollouts")
        return answers

    def plays(
        self, requests: Sequence[PlayRequest], count: int | None = None, watch: Watch = NOBODY
    ) -> list[list[PlayAnalysis]]:
        """As `Judge`; plays that are rolled out come before the others. How many are told changes no judgement."""
        answers = self.first.plays(requests, None if count is None else max(count, MOST), watch)
        for i, request in enumerate(requests):
            chosen = in_question(answers[i], NEAR if self.near is None else self.near)
            if chosen and request.position.chequers > hyper.MAX_CHEQUERS:
                rolled = self.roller.roll_out(
                    "plays",
                    request.position,
                    request.state.with_dice(None),
                    self.settings,
                    dice=request.dice,
                    plays=[analysis.play for analysis in chosen],
                    watch=watch.silent,
                    keep=False,
                )
                answers[i] = ranked(plays_of(rolled, [play.plies for play in chosen]), answers[i])
            watch.tell(i + 1, len(requests), "rollouts")
        return [told(plays, request, count) for plays, request in zip(answers, requests, strict=True)]

    def cubes(self, requests: Sequence[CubeRequest], watch: Watch = NOBODY) -> list[CubeAnalysis]:
        """As `Judge`."""
        answers = self.first.cubes(requests, watch)
        exact = self.roller.searcher.classes(packed([position for position, _ in requests]))
        for i, (position, state) in enumerate(requests):
            known = answers[i]
            if CLASS_NAMES[exact[i]] not in EXACT and self._asks(known):
                kind: Kind = "cube" if known.available else "position"
                rolled = self.roller.roll_out(kind, position, state, self.settings, watch=watch.silent, keep=False)
                answers[i] = cube_of(rolled, known.plies)
            watch.tell(i + 1, len(requests), "rollouts")
        return answers

    def _asks(self, known: CubeAnalysis) -> bool:
        """Whether a cube decision is rolled out; where nobody may double its value is asked for."""
        if self.near is None or not known.available:
            return True
        return is_near(known.no_double, known.double_take, self.near)


def in_question(plays: Sequence[PlayAnalysis], near: float = NEAR) -> list[PlayAnalysis]:
    """The best plays, best first, between which a rollout shall decide; empty where the search has decided."""
    best = [play for play in plays[:MOST] if play.plies == plays[0].plies and play.equity_loss < near]
    return best if len(best) > 1 else []


def told(plays: list[PlayAnalysis], request: PlayRequest, count: int | None) -> list[PlayAnalysis]:
    """The best `count` plays, and the one that must be among them."""
    if count is None:
        return plays
    wanted = request.must_include.result if request.must_include else None
    return plays[:count] + [play for play in plays[count:] if play.play.result == wanted]


# What a rollout says, as any other judge would. plies: how deep what was rolled out had been searched before.


def evaluation_of(result: RolloutResult, position_class: str, plies: int) -> Evaluation:
    """The value of a position that was rolled out."""
    [found] = result.estimates
    money = found.probabilities.cubeless
    return Evaluation(result.position, found.probabilities, money, found.equity, found.mwc, plies, position_class)


def plays_of(result: RolloutResult, plies: Sequence[int]) -> list[PlayAnalysis]:
    """The plays that were rolled out, best first. plies: of each play in the order of the result."""
    found = [_play_of(*pair) for pair in zip(result.estimates, plies, strict=True)]
    return sorted(found, key=lambda play: -play.equity)


def _play_of(estimate: RolloutEstimate, plies: int) -> PlayAnalysis:
    assert estimate.play is not None
    return PlayAnalysis(
        estimate.play,
        estimate.probabilities,
        estimate.equity,
        estimate.equity_loss,
        estimate.cubeless_equity,
        estimate.mwc,
        plies,
        trials=estimate.trials,
        equity_error=estimate.equity_error,
    )


def ranked(rolled: Sequence[PlayAnalysis], plays: Sequence[PlayAnalysis]) -> list[PlayAnalysis]:
    """`rolled` before the other `plays`, which were only searched; all lose what they lose to the best of them."""
    after = {play.play.result for play in rolled}
    rest = [play for play in plays if play.play.result not in after]
    return [replace(play, equity_loss=max(0.0, rolled[0].equity - play.equity)) for play in (*rolled, *rest)]


def cube_of(result: RolloutResult, plies: int) -> CubeAnalysis:
    """The cube decision, or that of a position where nobody may double."""
    held, take = result.estimates[0], result.estimates[-1]
    may_double = result.kind == "cube"
    found = Equities(
        held.probabilities,
        held.cubeless_equity,
        held.equity,
        take.equity if may_double else None,
        (held.mwc, take.mwc),
        trials=min(held.trials, take.trials),
        errors=(held.equity_error, take.equity_error if may_double else None),
    )
    return cube_analysis(result.position, result.state, found, result.met, plies)
