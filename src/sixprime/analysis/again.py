"""One decision of an analysed match judged again, by an answer that somebody has got for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sixprime.analysis.decisions import judge_game
from sixprime.analysis.drafts import Answers, Draft
from sixprime.analysis.kept import kept_answers
from sixprime.analysis.model import AnalysedMatch, DecisionKind, GameAnalysis
from sixprime.analysis.statistics import totals
from sixprime.cube.met import MatchEquityTable
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.errors import SettingsError


def judged_again(
    analysed: AnalysedMatch,
    place: tuple[int, int, DecisionKind],
    answer: Sequence[PlayAnalysis] | CubeAnalysis,
    met: MatchEquityTable,
) -> AnalysedMatch:
    """The analysis with another answer for one decision; its game and the totals follow from it, all else stays.

    place: game, action and kind as in `Decision`. answer: the candidates of a play, best first and the played one among
    them, or the cube decision, which stands for the double and the answer to it. Raises SettingsError for a place where
    nothing was judged, and for an answer of the other kind.
    """
    number, action, kind = place
    games, answers = kept_answers(analysed)
    drafts = games[number] if 0 <= number < len(analysed.games) else ()
    draft = next((each for each in drafts if (each.number, each.kind) == (action, kind)), None)
    if draft is None:
        raise SettingsError(f"nothing was judged in game {number}, action {action}, {kind.value}")
    if isinstance(answer, CubeAnalysis) and draft.cube is not None:
        answers.cubes[draft.cube] = answer
    elif not isinstance(answer, CubeAnalysis) and draft.plays is not None and answer:
        answers.plays[draft.plays] = answer
    else:
        raise SettingsError(f"the answer is to another kind of decision than {kind.value}")
    judged = game_again(analysed, number, drafts, answers, met)
    changed = (*analysed.games[:number], judged, *analysed.games[number + 1 :])
    return replace(analysed, games=changed, statistics=totals(changed))


def game_again(
    analysed: AnalysedMatch, number: int, drafts: Sequence[Draft], answers: Answers, met: MatchEquityTable
) -> GameAnalysis:
    """A game judged by other answers; how it was resigned is judged as before, as the answers do not say."""
    judged, was = judge_game(analysed.match, number, drafts, answers, met, analysed.thresholds), analysed.games[number]
    if was.resignation is None or judged.resignation is not None:
        return judged
    first, second = (
        replace(now, too_early=before.too_early, too_cheap=before.too_cheap)
        for now, before in zip(judged.statistics, was.statistics, strict=True)
    )
    return replace(judged, statistics=(first, second), resignation=was.resignation)
