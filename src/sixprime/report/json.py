"""An analysed match, a play and a cube decision as plain values for JSON; documented, stable keys.

Positions go by ID. Probabilities are win, win gammon, win backgammon, lose gammon, lose backgammon, cumulative,
of the player who acts. Losses are >= 0. Equities are normalised to the cube; `mwc` keys are 0..1, null for money.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from sixprime.analysis.foreign import foreign, sources
from sixprime.analysis.model import AnalysedMatch, Decision, PlayerStatistics
from sixprime.analysis.ratings import pr_name, rating_name
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.errors import SixprimeError
from sixprime.game.record import Match
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
                "number": game.number,
                "score": list(game.score),
                "crawford": game.crawford,
                "winner": game.winner,
                "points": game.points,
                "resigned": game.resigned,
                "players": [_statistics(statistics, match.length) for statistics in judged.statistics],
            }
            for game, judged in zip(match.games, analysed.games, strict=False)
        ],
        "decisions": [decision_to_dict(decision) for decision in analysed.decisions],
        "foreign": [_foreign_to_dict(match, source) for source in sources(match)],
        "problems": [str(problem) for problem in match.problems],
    }


def _foreign_to_dict(match: Match, source: str) -> dict[str, Any]:
    """Totals of the analysis by another program that came with the file."""
    analysed = foreign(match, source)
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
    try:
        match_id = state.match_id
    except SixprimeError:
        match_id = ""
    return {
        "game": decision.game,
        "action": decision.action,
        "move_number": decision.move_number,
        "player": decision.player,
        "kind": decision.kind.value,
        "position_id": decision.position.id,
        "match_id": match_id,
        "xgid": words.xgid(decision),
        "dice": list(decision.dice) if decision.dice is not None else None,
        "chosen": decision.chosen,
        "illegal": decision.illegal,
        "best": decision.best,
        "error": decision.error,
        "error_mwc": decision.error_mwc,
        "skill": decision.skill.name.lower(),
        "luck": decision.luck,
        "luck_mwc": decision.luck_mwc,
        "luck_mark": decision.luck_mark.name.lower(),
        "forced": decision.forced,
        "counted": decision.counted,
        "mwc_before": decision.mwc_before,
        "played": decision.played,
        "plays": [play_to_dict(play) for play in decision.plays],
        "cube": cube_to_dict(decision.cube) if decision.cube is not None else None,
    }


def play_to_dict(play: PlayAnalysis) -> dict[str, Any]:
    """One candidate play; `position_id` is after it, the opponent on roll."""
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
        "equity_error": play.equity_error,
    }


def cube_to_dict(cube: CubeAnalysis) -> dict[str, Any]:
    """A cube decision seen by the player who may double."""
    return {
        "available": cube.available,
        "no_double": cube.no_double,
        "double_take": cube.double_take,
        "double_pass": cube.double_pass,
        "action": cube.action,
        "mwc_no_double": cube.mwc_no_double,
        "mwc_double_take": cube.mwc_double_take,
        "mwc_double_pass": cube.mwc_double_pass,
        "should_double": cube.should_double,
        "should_take": cube.should_take,
        "should_beaver": cube.should_beaver,
        "too_good": cube.too_good,
        "probabilities": list(cube.probabilities),
        "cubeless_equity": cube.cubeless_equity,
        "plies": cube.plies,
        "wrong_share": cube.wrong_share,
        "take_points": list(cube.take_points) if cube.take_points is not None else None,
        "effective_x": cube.effective_x,
        "trials": cube.trials,
        "no_double_error": cube.no_double_error,
        "double_take_error": cube.double_take_error,
    }


def _statistics(statistics: PlayerStatistics, length: int) -> dict[str, Any]:
    """Totals of one player; names of ratings are null without decisions."""
    totals = {field.name: getattr(statistics, field.name) for field in fields(statistics)}
    judged = statistics.decisions > 0
    return {
        **{name: list(value) if isinstance(value, tuple) else value for name, value in totals.items()},
        "decisions": statistics.decisions,
        "error_total": statistics.error_total,
        "error_per_decision": statistics.error_per_decision,
        "pr": statistics.pr,
        "pr_name": pr_name(statistics.pr) if judged else None,
        "rating": rating_name(statistics.error_per_decision) if judged else None,
        "fibs_rating": words.absolute_rating(statistics, length),
    }
