"""An analysed match, a play and a cube decision as plain values for JSON; documented, stable keys.

Positions go by ID. Probabilities are win, win gammon, win backgammon, lose gammon, lose backgammon, cumulative,
of the player who acts. Losses are >= 0. Equities are normalised to the cube; `mwc` keys are 0..1, null for money.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from sixprime.analysis.foreign import foreign, is_own, sources
from sixprime.analysis.model import ANALYSED, AnalysedMatch, Decision, Phase, Plan, PlayerStatistics, Resignation
from sixprime.analysis.ratings import absolute_fibs, luck_based_fibs, luck_name, pr_name, rating_name
from sixprime.analysis.statistics import points_per_game, snowie_error_rate
from sixprime.codec import plain
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.report import words


def to_dict(analysed: AnalysedMatch) -> dict[str, Any]:
    """The whole analysis: file, players with totals, games, every decision in order. Raises SettingsError."""
    ANALYSED("analysed", analysed)
    match = analysed.match
    return {
        "file": match.source,
        "length": match.length,
        "variant": match.variant,
        "info": dict(match.info),
        "settings": analysed.settings,
        "label": analysed.label,
        "seconds": analysed.seconds,
        "score": list(words.final_score(match)),
        "players": [
            {"name": player.name, **totals}
            for player, totals in zip(match.players, _both(analysed.statistics, match.length), strict=True)
        ],
        "games": [
            {
                **plain(game, "number", "score", "crawford", "winner", "points", "resigned"),
                "players": _both(judged.statistics, match.length),
                "resignation": _resignation(judged.resignation) if judged.resignation else None,
            }
            for game, judged in zip(match.games, analysed.games, strict=False)
        ],
        "points_per_game": _points_per_game(analysed),
        "decisions": [decision_to_dict(decision) for decision in analysed.decisions],
        "foreign": [_foreign_to_dict(analysed, source) for source in sources(match) if not is_own(source)],
        "problems": [str(problem) for problem in match.problems],
    }


def _resignation(judged: Resignation) -> dict[str, Any]:
    """All of it, with its marks in words, too."""
    marks = {"given_away_skill": judged.given_away_mark, "let_off_skill": judged.let_off_mark}
    return plain(judged) | {name: mark.name.lower() for name, mark in marks.items()}


def _points_per_game(analysed: AnalysedMatch) -> dict[str, Any] | None:
    """Of player 0 in a money session, with half the width of the 95 % interval; None for a match."""
    if analysed.match.length:
        return None
    games = [game.statistics[0] for game in analysed.games]
    found = {
        name: points_per_game([getattr(s, f"{name}_result") for s in games]) for name in ("actual", "luck_adjusted")
    }
    return {name: [mean, width if isfinite(width) else None] for name, (mean, width) in found.items()}


def _foreign_to_dict(ours: AnalysedMatch, source: str) -> dict[str, Any]:
    """Totals of the analysis by another program that came with the file."""
    match = ours.match
    analysed = foreign(match, source, met=ours.table, thresholds=ours.thresholds)
    return {
        "source": source,
        "players": [
            {"name": player.name, **totals}
            for player, totals in zip(match.players, _both(analysed.statistics, match.length), strict=True)
        ],
    }


def decision_to_dict(decision: Decision) -> dict[str, Any]:
    """One decision. For a take, position and cube are those of the doubler."""
    state = replace(decision.state, dice=decision.dice)
    return {
        **plain(decision, "game", "action", "move_number", "player", "kind"),
        "position_id": decision.position.id,
        "match_id": words.match_id(state) or "",
        "xgid": words.xgid(decision),
        **plain(decision, "dice", "chosen", "illegal", "best", "error", "error_mwc"),
        "skill": decision.skill.name.lower(),
        **plain(decision, "luck", "luck_mwc"),
        "luck_mark": decision.luck_mark.name.lower(),
        **plain(decision, "forced", "counted", "phase", "plan", "mwc_before", "played"),
        "plays": [play_to_dict(play) for play in decision.plays],
        "cube": cube_to_dict(decision.cube) if decision.cube is not None else None,
    }


_CUBE = (
    *("available", "no_double", "double_take", "double_pass", "action"),
    *("mwc_no_double", "mwc_double_take", "mwc_double_pass"),
    *("should_double", "should_take", "should_beaver", "too_good"),
    *("probabilities", "cubeless_equity", "plies", "wrong_share", "take_points", "effective_x"),
    *("trials", "no_double_error", "double_take_error"),
)


def play_to_dict(play: PlayAnalysis) -> dict[str, Any]:
    """One candidate play; `position_id` is after it, the opponent on roll."""
    # Written out, as there are so many of them.
    return {
        "play": str(play.play),
        "position_id": play.play.result.id,
        "probabilities": list(play.probabilities),
        "equity": play.equity,
        "equity_loss": play.equity_loss,
        "cubeless_equity": play.cubeless_equity,
        "mwc": play.mwc,
        "plies": play.plies,
        "effective_x": play.effective_x,
        "trials": play.trials,
        **plain(play, "equity_error"),
    }


def cube_to_dict(cube: CubeAnalysis) -> dict[str, Any]:
    """A cube decision seen by the player who may double."""
    return plain(cube, *_CUBE)


def evaluation_to_dict(evaluation: Evaluation, cube: CubeAnalysis) -> dict[str, Any]:
    """What a position is worth and its cube decision, as `sixprime eval` gives them.

    Both have a `cubeless_equity`: the position's for money without Jacoby's rule, the decision's by the rules.
    """
    answers = words.answers(cube, cube.state.beavered)
    return {
        "position_id": evaluation.position.id,
        "match_id": words.match_id(cube.state),
        "class": evaluation.position_class,
        **plain(evaluation, "plies", "probabilities", "cubeless_equity", "cubeful_equity", "mwc", "effective_x"),
        "cube": cube_to_dict(cube),
        **({"answers": [{"answer": name, "equity": value} for name, value in answers]} if answers else {}),
    }


def hint_to_dict(
    position: Position, state: MatchState, dice: tuple[int, int], plays: Sequence[PlayAnalysis]
) -> dict[str, Any]:
    """The plays of a roll, best first, as `sixprime hint` gives them."""
    return {
        "position_id": position.id,
        "match_id": words.match_id(state),
        "dice": dice,
        "plays": [play_to_dict(play) for play in plays],
    }


def _statistics(own: PlayerStatistics, other: PlayerStatistics, length: int) -> dict[str, Any]:
    """Totals of one player; names of ratings are null without decisions."""
    judged = own.decisions > 0
    fibs = absolute_fibs(own, length) if judged else None
    return {
        **plain(own),
        "phases": dict(zip(Phase, (plain(tally) for tally in own.phases), strict=True)),
        "plans": dict(zip(Plan, (plain(tally) for tally in own.plans), strict=True)),
        **plain(own, "decisions", "error_total", "error_mwc", "chequer_error_rate", "cube_error_rate"),
        **plain(own, "error_per_decision", "rolls", "luck_per_roll", "pr", "pr_error"),
        "snowie_error_rate": snowie_error_rate(own, other),
        "pr_name": pr_name(own.pr) if judged else None,
        "rating": rating_name(own.error_per_decision) if judged else None,
        "rating_old": rating_name(own.error_per_decision, "old") if judged else None,
        "luck_rating": luck_name(own.luck_per_roll) if own.rolls else None,
        "fibs_rating": fibs.rating if fibs else None,
        "fibs_chequer_loss": fibs.chequer_loss if fibs else None,
        "fibs_cube_loss": fibs.cube_loss if fibs else None,
        "fibs_by_luck": luck_based_fibs(own.luck_adjusted_result, length),
    }


def _both(pair: tuple[PlayerStatistics, PlayerStatistics], length: int) -> list[dict[str, Any]]:
    """Totals of both players."""
    return [_statistics(own, other, length) for own, other in (pair, pair[::-1])]
