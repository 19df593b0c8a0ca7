"""What one cube action lost, and what games are worth before and after. Equities are the doubler's, normalised to the
cube before doubling (EMG in match play)."""

from __future__ import annotations

from sixprime.cube.met import MatchEquityTable
from sixprime.cube.values import Equity, Unit
from sixprime.engine.results import CubeAnalysis
from sixprime.game.doubling import after_double, beavered
from sixprime.game.record import ActionKind, Game, Match


def start_value(match: Match, game: Game, met: MatchEquityTable) -> Equity:
    """Player 0's match-winning chance before `game`; no points in money play."""
    if not match.length:
        return Equity(0.0, 0, Unit.POINTS)
    away = [match.length - points for points in game.score]
    return Equity(met.mwc(away[0], away[1], not game.crawford), 0, Unit.MWC)


def end_value(match: Match, game: Game, met: MatchEquityTable) -> Equity | None:
    """Player 0's match-winning chance after `game`, or the points won; None for an unfinished game."""
    if game.winner is None:
        return None
    if not match.length:
        return Equity(float(game.points), game.winner, Unit.POINTS).for_side(0)
    away = [match.length - points for points in game.score]
    after_crawford = game.crawford or 1 in away or not match.crawford_rule
    away[game.winner] -= game.points
    return Equity(met.mwc(away[0], away[1], after_crawford), 0, Unit.MWC)


def double_error(cube: CubeAnalysis, doubled: bool) -> float:
    """What the doubler's choice lost, >= 0; 0 where there was no choice."""
    return cube.optimal - (cube.after_double if doubled and cube.available else cube.no_double)


def answer_value(cube: CubeAnalysis, answer: ActionKind) -> float:
    """Equity of the doubler after a TAKE, DROP or BEAVER."""
    if answer is ActionKind.DROP:
        return cube.double_pass
    return beavered(cube.double_take) if answer is ActionKind.BEAVER else cube.double_take


def answer_error(cube: CubeAnalysis, answer: ActionKind) -> float:
    """What the answer to a double lost, >= 0; 0 where the double could not be judged."""
    return answer_value(cube, answer) - cube.after_double if cube.available else 0.0


def is_close(cube: CubeAnalysis, limit: float) -> bool:
    """Whether not doubling was a choice: doubling would have lost less than `limit`.

    What counts as a decision is agreed, not true: GNU Backgammon's count, in which nobody beavers, keeps error rates
    comparable. What a double loses (`double_error`) does know the beaver.
    """
    return cube.available and cube.optimal - after_double(cube.double_take, cube.double_pass) < limit
