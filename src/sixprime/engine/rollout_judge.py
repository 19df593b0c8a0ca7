"""`RolloutJudge`: judges by truncated rollouts of what another judge leaves in question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from sixprime.cube.met import MatchEquityTable
from sixprime.cube.state import CubeState
from sixprime.cube.values import cubeless
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
    told,
)
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis, Rolled, RolledValue
from sixprime.engine.roller import Roller
from sixprime.engine.rollout_result import (
    Kind,
    RolloutEstimate,
    RolloutResult,
    cubeless_equities,
    mean,
    standard_error,
)
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.game.outcomes import Outcomes
from sixprime.game.position import Position
from sixprime.progress import NOBODY, Watch

J = TypeVar("J", PlayAnalysis, CubeAnalysis)
NEAR = 0.06
"""Plays that the first judge puts further behind the best are not rolled out."""
MOST = 5
"""Plays of a decision that are rolled out."""


@dataclass(frozen=True, slots=True)
class RolloutJudge:
    """A `Judge` by rollouts, each whole or none. What is known exactly stays, and so do plays that stand out.

    first: who judges before. roller, settings: who rolls out, and how. near: of what, as `Preset.rollout_near` has it.
    search_games: as in `Preset`.
    """

    first: Judge
    roller: Roller
    settings: RolloutSettings
    near: float | None = None
    search_games: int = 0

    def positions(self, requests: Sequence[CubeRequest], watch: Watch = NOBODY) -> list[Evaluation]:
        """As `Judge`."""
        answers = self.first.positions(requests, watch)
        for i, (position, state) in enumerate(requests):
            known = answers[i]
            if known.position_class not in EXACT and can_be_rolled_out(position):
                rolled = self.roller.roll_out(
                    "position", position, state, self.settings, watch=watch.silent, keep=False
                )
                answers[i] = evaluation_of(rolled, known, self.search_games)
            watch.tell(i + 1, len(requests), "rollouts")
        return answers

    def plays(
        self, requests: Sequence[PlayRequest], count: int | None = None, watch: Watch = NOBODY
    ) -> list[list[PlayAnalysis]]:
        """As `Judge`; plays that are rolled out come before the others. How many are told changes no judgement."""
        answers = self.first.plays(requests, None if count is None else max(count, MOST), watch)
        for i, request in enumerate(requests):
            chosen = in_question(answers[i], NEAR if self.near is None else self.near)
            if chosen and can_be_rolled_out(request.position):
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
                answers[i] = ranked(plays_of(rolled, chosen, self.search_games), answers[i])
            watch.tell(i + 1, len(requests), "rollouts")
        return [told(plays, request, count) for plays, request in zip(answers, requests, strict=True)]

    def cubes(self, requests: Sequence[CubeRequest], watch: Watch = NOBODY) -> list[CubeAnalysis]:
        """As `Judge`."""
        answers = self.first.cubes(requests, watch)
        exact = self.roller.searcher.classes(packed([position for position, _ in requests]))
        for i, (position, state) in enumerate(requests):
            known = answers[i]
            if CLASS_NAMES[exact[i]] not in EXACT and can_be_rolled_out(position) and self._asks(known):
                kind: Kind = "cube" if known.available else "position"
                rolled = self.roller.roll_out(kind, position, state, self.settings, watch=watch.silent, keep=False)
                answers[i] = cube_of(rolled, known, self.search_games)
            watch.tell(i + 1, len(requests), "rollouts")
        return answers

    def _asks(self, known: CubeAnalysis) -> bool:
        """Whether a cube decision is rolled out; where nobody may double its value is asked for."""
        if self.near is None or not known.available:
            return True
        return is_near(known.no_double, known.double_take, self.near)


def can_be_rolled_out(position: Position) -> bool:
    """Hypergammon is searched alone."""
    return position.chequers > hyper.MAX_CHEQUERS


def in_question(plays: Sequence[PlayAnalysis], near: float = NEAR) -> list[PlayAnalysis]:
    """The best plays, best first, between which a rollout shall decide; empty where the search has decided."""
    best = [play for play in plays[:MOST] if play.plies == plays[0].plies and play.equity_loss < near]
    return best if len(best) > 1 else []


# What a rollout says, as any other judge would. before: what was judged before it, and stays as deep; it counts as so
# many `games` in the mean of both. Errors are those of the games alone.


def evaluation_of(result: RolloutResult, before: Evaluation, games: int = 0) -> Evaluation:
    """The value of a position that was rolled out."""
    [found] = result.estimates
    share = _share(result, games)
    return replace(
        before,
        probabilities=_outcomes(found.probabilities, before.probabilities, share),
        cubeless_equity=_mean(found.probabilities.cubeless, before.cubeless_equity, share),
        cubeful_equity=_mean(found.equity, before.cubeful_equity, share),
        mwc=_chance(found.mwc, before.mwc, share),
        effective_x=None,
    )


def plays_of(result: RolloutResult, before: Sequence[PlayAnalysis], games: int = 0) -> list[PlayAnalysis]:
    """The plays that were rolled out, best first. before: of each play in the order of the result."""
    share, cube = _share(result, games), CubeState.from_match(result.state)
    found = []
    for estimate, known in zip(result.estimates, before, strict=True):
        assert estimate.play is not None
        # Where all gammons count, both are alike as they are.
        value = _value_of(estimate, known if cube.gammons_count else _alike(known, cube, result.met), share)
        found.append(
            PlayAnalysis(
                estimate.play,
                value.probabilities,
                _mean(estimate.equity, known.equity, share),
                estimate.equity_loss,
                value.cubeless_equity if cube.gammons_count else _by_rules(value, cube, result.met),
                _chance(estimate.mwc, known.mwc, share),
                known.plies,
                trials=estimate.trials,
                equity_error=_known(share * estimate.equity_error),
                rolled=Rolled((value,), result.settings, games),
            )
        )
    return sorted(found, key=lambda play: -play.equity)


def _value_of(estimate: RolloutEstimate, before: PlayAnalysis | CubeAnalysis, share: float) -> RolledValue:
    return RolledValue(
        _outcomes(estimate.probabilities, before.probabilities, share),
        _mean(estimate.cubeless_equity, before.cubeless_equity, share),
        ()
        if estimate.trials < 2
        else tuple(share * error for error in (*estimate.probabilities_error, estimate.cubeless_error)),
    )


def _alike(before: J, cube: CubeState, met: MatchEquityTable) -> J:
    """What was judged before, its cubeless equity as that of a rollout: for money all gammons count."""
    [searched] = cubeless_equities(np.array([before.probabilities]), cube, met)
    return replace(before, cubeless_equity=float(searched))


def _by_rules(value: RolledValue, cube: CubeState, met: MatchEquityTable) -> float:
    """The cubeless equity of a rollout as that of a search: by Jacoby's rule gammons of a centred cube do not count."""
    return float(cubeless(value.probabilities, cube, met)) if cube.money else value.cubeless_equity


def _taken(result: RolloutResult, before: CubeAnalysis, share: float) -> RolledValue:
    value = _value_of(result.estimates[1], before, share)
    cube = CubeState.from_match(result.state).doubled()
    rolled = cubeless_equities(result.raw[1].outcomes, cube, result.met)
    searched = _alike(before, cube, result.met).cubeless_equity
    errors = value.errors and (*value.errors[:-1], share * standard_error(rolled))
    return RolledValue(value.probabilities, _mean(mean(rolled), searched, share), errors)


def ranked(rolled: Sequence[PlayAnalysis], plays: Sequence[PlayAnalysis]) -> list[PlayAnalysis]:
    """`rolled` before the other `plays`, which were only searched; all lose what they lose to the best of them."""
    after = {play.play.result for play in rolled}
    rest = [play for play in plays if play.play.result not in after]
    return [replace(play, equity_loss=max(0.0, rolled[0].equity - play.equity)) for play in (*rolled, *rest)]


def cube_of(result: RolloutResult, before: CubeAnalysis, games: int = 0) -> CubeAnalysis:
    """The cube decision, or that of a position where nobody may double."""
    held, take = result.estimates[0], result.estimates[-1]
    may_double, share = result.kind == "cube", _share(result, games)
    cube = CubeState.from_match(result.state)
    value = _value_of(held, _alike(before, cube, result.met), share)
    found = Equities(
        value.probabilities,
        _by_rules(value, cube, result.met),
        _mean(held.equity, before.no_double, share),
        _mean(take.equity, before.double_take, share) if may_double else None,
        (_chance(held.mwc, before.mwc_no_double, share), _chance(take.mwc, before.mwc_double_take, share)),
        trials=min(held.trials, take.trials),
        errors=(_known(share * held.equity_error), _known(share * take.equity_error) if may_double else None),
    )
    judged = cube_analysis(result.position, result.state, found, result.met, before.plies)
    values = (value, _taken(result, before, share)) if may_double else (value,)
    return replace(judged, rolled=Rolled(values, result.settings, games))


def _known(error: float) -> float | None:
    """A standard error; None of a single game, which says nothing of it."""
    return error if math.isfinite(error) else None


def _share(rolled: RolloutResult, games: int) -> float:
    """How much a rollout counts, the same for all its alternatives."""
    return rolled.trials / (rolled.trials + games) if games else 1.0


def _mean(rolled: float, before: float, share: float) -> float:
    return share * rolled + (1 - share) * before if share < 1 else rolled


def _chance(rolled: float | None, before: float | None, share: float) -> float | None:
    return rolled if rolled is None or before is None else _mean(rolled, before, share)


def _outcomes(rolled: Outcomes, before: Outcomes, share: float) -> Outcomes:
    # Of few games the means are no chances at times, as luck is taken out of them.
    means = (_mean(one, other, share) for one, other in zip(rolled, before, strict=True))
    win, gammon, backgammon, lost_gammon, lost_backgammon = (min(max(mean, 0.0), 1.0) for mean in means)
    gammon, lost_gammon = min(gammon, win), min(lost_gammon, 1 - win)
    return Outcomes(win, gammon, min(backgammon, gammon), lost_gammon, min(lost_backgammon, lost_gammon))
