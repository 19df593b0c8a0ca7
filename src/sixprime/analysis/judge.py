"""What one cube action lost, and what an equity is worth in the match.

Equities are the doubler's, normalised to the cube before doubling (EMG in match play). A value, as here
called, is player 0's: match-winning chance in a match, points in money play.
"""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.cube.met import MatchEquityTable
from sixprime.cube.state import CubeState
from sixprime.engine.results import CubeAnalysis
from sixprime.game.doubling import after_double, beavered
from sixprime.game.record import ActionKind, Game, Match
from sixprime.game.state import MatchState


@dataclass(frozen=True, slots=True)
class Scale:
    """Turns a player's equities into player 0's values: a straight line through losing the cube (-1) and
    winning it (+1).

    worth: what one unit of equity is worth to the player, > 0; slope and offset: of the line.
    """

    worth: float
    slope: float
    offset: float

    @classmethod
    def at(cls, state: MatchState, player: int, met: MatchEquityTable) -> Scale:
        """Scale for equities of `player` at the cube and score of `state`; a double not yet answered does
        not count. met: player 0's table."""
        sign = 1 if player == 0 else -1
        if state.money:
            return cls(state.cube, sign * state.cube, 0.0)
        cube = CubeState.from_match(state)
        won, lost = (cube if state.on_roll == 0 else cube.swapped()).outcomes(met)
        worth = (won[0] - lost[0]) / 2
        return cls(worth, sign * worth, (won[0] + lost[0]) / 2)

    def value(self, equity: float) -> float:
        """Player 0's value when the player has `equity`."""
        return self.offset + self.slope * equity

    def equity(self, value: float) -> float:
        """The player's equity when player 0 has `value`."""
        return (value - self.offset) / self.slope


def start_value(match: Match, game: Game, met: MatchEquityTable) -> float:
    """Player 0's match-winning chance before `game`; 0 in money play."""
    if not match.length:
        return 0.0
    return met.mwc(match.length - game.score[0], match.length - game.score[1], not game.crawford)


def end_value(match: Match, game: Game, met: MatchEquityTable) -> float | None:
    """Player 0's match-winning chance after `game`, or the points won; None for an unfinished game."""
    if game.winner is None:
        return None
    if not match.length:
        return float(game.points if game.winner == 0 else -game.points)
    away = [match.length - points for points in game.score]
    after_crawford = game.crawford or 1 in away or not match.crawford_rule
    away[game.winner] -= game.points
    return met.mwc(away[0], away[1], after_crawford)


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
