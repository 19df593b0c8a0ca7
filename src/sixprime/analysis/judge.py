"""What one cube action lost, and what games are worth before and after. Equities are the doubler's, normalised to the
cube before doubling (EMG in match play)."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a double, or to a beaver: what each action is worth to the doubler, and which is best.

    beavers: how many stand before it; each doubles the stakes again, with the cube where it was. Who answers is the
    doubler after an odd number of them.
    """

    cube: CubeAnalysis
    beavers: int = 0

    @property
    def stakes(self) -> int:
        """How many times the cube before the double is in play when it is answered: what errors are told in."""
        return 1 << self.beavers

    def value(self, answer: ActionKind) -> float:
        """Equity of the doubler after a TAKE, DROP or BEAVER, in units of the cube before the double."""
        if answer is ActionKind.DROP:
            return (-self.stakes if self._of_doubler else self.stakes) * self.cube.double_pass
        taken = self.cube.double_take * self.stakes
        return beavered(taken) if answer is ActionKind.BEAVER else taken

    @property
    def all(self) -> tuple[ActionKind, ...]:
        """What may be answered."""
        more = self.beavers < self.cube.state.beavers
        return (ActionKind.TAKE, ActionKind.DROP, *((ActionKind.BEAVER,) if more else ()))

    @property
    def best(self) -> ActionKind:
        """What loses nothing."""
        if not self.beavers:
            if self.cube.should_beaver:
                return ActionKind.BEAVER
            return ActionKind.TAKE if self.cube.should_take else ActionKind.DROP
        best: ActionKind = max(self.all, key=self.value) if self._of_doubler else min(self.all, key=self.value)
        return best

    def error(self, answer: ActionKind) -> float:
        """What an answer lost whoever gave it, >= 0, in units of the cube before the double; 0 where the double could
        not be judged."""
        if not self.cube.available:
            return 0.0
        lost = self.value(answer) - (self.value(self.best) if self.beavers else self.cube.after_double)
        # Nobody is said to beaver where he plays on for a gammon; who does loses nothing.
        return max(0.0, -lost if self._of_doubler else lost)

    @property
    def _of_doubler(self) -> bool:
        return self.beavers % 2 == 1


def is_close(cube: CubeAnalysis, limit: float) -> bool:
    """Whether not doubling was a choice: doubling would have lost less than `limit`.

    What counts as a decision is agreed, not true: GNU Backgammon's count, in which nobody beavers, keeps error rates
    comparable. What a double loses (`double_error`) does know the beaver.
    """
    return cube.available and cube.optimal - after_double(cube.double_take, cube.double_pass) < limit
