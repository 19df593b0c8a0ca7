"""An analysed match, a play and a cube decision as plain values for JSON; documented, stable keys.

Positions go by ID. Probabilities are win, win gammon, win backgammon, lose gammon, lose backgammon, cumulative,
of the player who acts. Losses are >= 0. Equities are normalised to the cube; `mwc` keys are 0..1, null for money.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sixprime.analysis.foreign import foreign, sources
from sixprime.analysis.model import AnalysedMatch, Decision, PlayerStatistics
from sixprime.analysis.ratings import pr_name, rating_name
from sixprime.codec import plain
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis
from sixprime.errors import SixprimeError
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.report import words


def to_dict(analysed: AnalysedMatch) -> dict[str, Any]:
    """The whole analysis: file, players with totals, games, every decision in order."""
    match = analysed.match
    return {
        "file": match.source,
        "length": match.length,
        "variant": match.variant,
        "info": dict(match.info),
        "settings": analysed.settings,
        "seconds": analysed.seconds,
        "score": list(words.final_score(match)),
        "players": [
            {"name": player.name, **_statistics(statistics, match.length)}
            for player, statistics in zip(match.players, analysed.statistics, strict=True)
        ],
        "games": [
            {
                **plain(game, "number", "score", "crawford", "winner", "points", "resigned"),
                "players": [_statistics(statistics, match.length) for statistics in judged.statistics],
            }
            for game, judged in zip(match.games, analysed.games, strict=False)
        ],
        "decisions": [decision_to_dict(decision) for decision in analysed.decisions],
        "foreign": [_foreign_to_dict(analysed, source) for source in sources(match)],
        "problems": [str(problem) for problem in match.problems],
    }


def _foreign_to_dict(ours: AnalysedMatch, source: str) -> dict[str, Any]:
    """Totals of the analysis by another program that came with the file."""
    match = ours.match
    analysed = foreign(match, source, thresholds=ours.thresholds)
    return {
        "source": source,
        "players": [
            {"name": player.name, **_statistics(statistics, match.length)}
            for player, statistics in zip(match.players, analysed.statistics, strict=True)
        ],
    }


def decision_to_dict(decision: Decision) -> dict[str, Any]:
    """One decision. For a take, position and cube are those of the doubler."""
    state = replace(decision.state, on_roll=words.mover(decision), dice=decision.dice)
    return {
        **plain(decision, "game", "action", "move_number", "player", "kind"),
        "position_id": decision.position.id,
        "match_id": match_id(state) or "",
        "xgid": words.xgid(decision),
        **plain(decision, "dice", "chosen", "illegal", "best", "error", "error_mwc"),
        "skill": decision.skill.name.lower(),
        **plain(decision, "luck", "luck_mwc"),
        "luck_mark": decision.luck_mark.name.lower(),
        **plain(decision, "forced", "counted", "mwc_before", "played"),
        "plays": [play_to_dict(play) for play in decision.plays],
        "cube": cube_to_dict(decision.cube) if decision.cube is not None else None,
    }


_PLAY = ("probabilities", "equity", "equity_loss", "cubeless_equity", "mwc", "plies", "effective_x", "trials")
_CUBE = (
    *("available", "no_double", "double_take", "double_pass", "action"),
    *("mwc_no_double", "mwc_double_take", "mwc_double_pass"),
    *("should_double", "should_take", "should_beaver", "too_good"),
    *("probabilities", "cubeless_equity", "plies", "wrong_share", "take_points", "effective_x"),
    *("trials", "no_double_error", "double_take_error"),
)


def play_to_dict(play: PlayAnalysis) -> dict[str, Any]:
    """One candidate play; `position_id` is after it, the opponent on roll."""
    return {"play": str(play.play), "position_id": play.play.result.id, **plain(play, *_PLAY, "equity_error")}


def cube_to_dict(cube: CubeAnalysis) -> dict[str, Any]:
    """A cube decision seen by the player who may double."""
    return plain(cube, *_CUBE)


def evaluation_to_dict(evaluation: Evaluation, cube: CubeAnalysis) -> dict[str, Any]:
    """What a position is worth and its cube decision, as `sixprime eval` gives them."""
    return {
        "position_id": evaluation.position.id,
        "match_id": match_id(cube.state),
        "class": evaluation.position_class,
        **plain(evaluation, "plies", "probabilities", "cubeless_equity", "cubeful_equity", "mwc", "effective_x"),
        "cube": cube_to_dict(cube),
    }


def hint_to_dict(
    position: Position, state: MatchState, dice: tuple[int, int], plays: Sequence[PlayAnalysis]
) -> dict[str, Any]:
    """The plays of a roll, best first, as `sixprime hint` gives them."""
    return {
        "position_id": position.id,
        "match_id": match_id(state),
        "dice": dice,
        "plays": [play_to_dict(play) for play in plays],
    }


def match_id(state: MatchState) -> str | None:
    """None for what a match ID cannot hold."""
    try:
        return state.match_id
    except SixprimeError:
        return None


def _statistics(statistics: PlayerStatistics, length: int) -> dict[str, Any]:
    """Totals of one player; names of ratings are null without decisions."""
    judged = statistics.decisions > 0
    return {
        **plain(statistics),
        **plain(statistics, "decisions", "error_total", "error_per_decision", "pr"),
        "pr_name": pr_name(statistics.pr) if judged else None,
        "rating": rating_name(statistics.error_per_decision) if judged else None,
        "fibs_rating": words.absolute_rating(statistics, length),
    }
