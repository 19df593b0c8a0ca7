"""Marks for rollout, set by hand, and the rollout of what they mark."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from sixprime.analysis.decisions import judge_game
from sixprime.analysis.depth import Depth
from sixprime.analysis.drafts import Answers, Requests, drafts_of
from sixprime.analysis.kept import KeptAnswers
from sixprime.analysis.labels import marked, with_words
from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind
from sixprime.analysis.rollout import RolloutEngine, roll_out
from sixprime.analysis.statistics import total
from sixprime.cube.met import MatchEquityTable
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.errors import SettingsError, StoppedError
from sixprime.progress import Hook, Stop, Watch

if TYPE_CHECKING:
    from sixprime.analysis.rollout import CubeDoubt, PlayDoubt


class MarkEngine(RolloutEngine, Protocol):
    """What `roll_out_marked` asks of an engine."""

    @property
    def met(self) -> MatchEquityTable:
        """The match equity table."""


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """A decision to be rolled out.

    game, action: as in `Decision`, from 0; kind: which decision of that action, a play or a cube decision. candidate:
    index into `Decision.plays`, 0 the best, of the play that is marked; of cube decisions 0.
    """

    game: int
    action: int
    kind: DecisionKind
    candidate: int = 0


def roll_out_marked(
    analysed: AnalysedMatch,
    marks: Iterable[Mark],
    engine: MarkEngine,
    settings: RolloutSettings,
    *,
    progress: Hook | None = None,
    stop: Stop | None = None,
) -> AnalysedMatch:
    """The analysis with the marked candidates and cube decisions rolled out, and nothing else judged anew.

    marks: several candidates of one decision meet the same dice. The best candidate is rolled out beside the marked
    ones, as what is rolled out stands before what is not. A double and the answer to it are one rollout.
    progress: is told the rollouts done; stop: ends them. What is done by then stays, and the analysis is not
    `finished`; StoppedError is raised where nothing is.
    Raises SettingsError for a mark on what was not analysed or cannot be rolled out.
    """
    started = time.perf_counter()
    wanted = _checked(analysed, marks)
    if not wanted:
        return analysed
    depths = analysed.depths or (Depth(None, None),) * 2
    requests, answers = Requests(apart=depths[0].cube_plies != depths[1].cube_plies), Answers()
    games = [drafts_of(analysed.match, game, requests) for game in analysed.match.games]
    KeptAnswers(analysed.match, analysed).give(games, depths, answers)

    # Step 1. What is marked, as questions to the engine.
    plays: dict[int, PlayDoubt] = {}
    cubes: dict[int, CubeDoubt] = {}
    touched = set()
    for number, drafts in enumerate(games):
        for draft in drafts:
            if draft.kind is None or (chosen := wanted.get((number, draft.number, draft.kind))) is None:
                continue
            touched.add(number)
            state = replace(draft.state, doubled=False, beavered=0, turn=None, dice=None)
            if draft.plays is not None:
                plays[draft.plays] = (draft.plays, state.with_dice(draft.action.dice), chosen)
            elif draft.cube is not None:
                cubes[draft.cube] = (draft.cube, state)

    # Step 2. The rollouts, and the games with them judged again.
    done, finished = roll_out(
        answers.plays, answers.cubes, [*plays.values()], [*cubes.values()], engine, settings, Watch(progress, stop)
    )
    if not done:
        raise StoppedError(0, len(plays) + len(cubes), "rollouts")
    judged = tuple(
        judge_game(analysed.match, number, games[number], answers, engine.met, analysed.thresholds)
        if number in touched
        else game
        for number, game in enumerate(analysed.games)
    )
    return replace(
        analysed,
        games=judged,
        statistics=(total(game.statistics[0] for game in judged), total(game.statistics[1] for game in judged)),
        settings=f"{analysed.settings}; {done} marked decisions rolled out, {settings.trials} games each",
        label=with_words(analysed.label, marked(settings)),
        seconds=analysed.seconds + time.perf_counter() - started,
        finished=analysed.finished and finished,
    )


def _checked(analysed: AnalysedMatch, marks: Iterable[Mark]) -> Mapping[tuple[int, int, DecisionKind], Sequence[int]]:
    """The candidates of each marked decision, the best among them. Raises SettingsError."""
    by_place = {(d.game, d.action, d.kind): d for d in analysed.decisions}
    found: dict[tuple[int, int, DecisionKind], set[int]] = {}
    for mark in marks:
        place = mark.game, mark.action, mark.kind
        decision = by_place.get(place)
        where = f"a mark for rollout is on game {mark.game}, action {mark.action}, {mark.kind.value}"
        if decision is None:
            raise SettingsError(f"{where}, where no decision was analysed")
        if (why := _why_not(decision, mark.candidate)) is not None:
            raise SettingsError(f"{where}, candidate {mark.candidate}: {why}")
        found.setdefault(place, {0}).add(mark.candidate)
    return {place: sorted(chosen) for place, chosen in found.items()}


def _why_not(decision: Decision, candidate: int) -> str | None:
    if decision.kind is not DecisionKind.PLAY:
        return None if candidate == 0 and decision.cube is not None else "a cube decision that was judged has 0 only"
    if 0 <= candidate < len(decision.plays):
        return None
    return f"expected 0 to {len(decision.plays) - 1}" if decision.plays else "no play was judged there"
