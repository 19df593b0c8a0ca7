"""When a program resigns, and which offers to resign it accepts: by what the game is worth to an engine of ours.

Equities are normalised to what a single game would now be lost for: the cube, or as much as a double refused costs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sixprime.cube.decision import TOLERANCE, beavers
from sixprime.cube.state import CubeState
from sixprime.cube.values import to_equity
from sixprime.engine import Engine
from sixprime.game import doubling
from sixprime.game.match_rules import quiet
from sixprime.game.state import GameState, MatchState
from sixprime.game.table import Table

HOPELESS = 0.005
"""Winning chance, judged statically, from which on nobody looks whether to resign."""
GIVEN_UP = 5e-4
"""Equity that a program may give away by resigning: what is left of luck in a game that is lost."""


@dataclass(frozen=True, slots=True)
class Resigning:
    """judge: an engine without noise, or a weak level would resign and accept at random. It searches one ply at least,
    which finds what is certain, and does not roll out."""

    judge: Engine

    @property
    def plies(self) -> int:
        """How deep it looks."""
        return max(1, self.judge.plies)

    def offer(self, table: Table) -> int:
        """How many times the cube the player on roll, before the dice, resigns now; 0 when he plays on."""
        position, state = table.position, table.state
        if self.judge.evaluate(position, match=state, plies=0).probabilities[0] > HOPELESS:
            return 0
        equity = self._playing_on(table)
        for value in range(table.declined[state.on_roll] + 1, 4):
            given_up = equity + self._won(state, 1 - state.on_roll, value)
            # The opponent would decline less.
            if given_up >= -TOLERANCE:
                return value if given_up <= GIVEN_UP else 0
        return 0

    def accepts(self, table: Table) -> bool:
        """Whether the player who is offered a resignation gains no less by it than by playing on."""
        state = table.state
        if state.game_state is GameState.NONE:
            # Before the first roll nobody has more than a win of any size.
            return True
        winner = state.decider
        equity = self._playing_on(table) if winner == state.on_roll else -self._playing_on(table)
        return self._won(state, winner, state.resigned) >= equity - TOLERANCE

    def _playing_on(self, table: Table) -> float:
        """Equity of the player on roll if nobody resigns."""
        position, state = table.position, table.state
        if state.doubled:
            player, take = offer_taken(self.judge, table, self.plies)
            after = doubling.after_double(take, beaver=state.money and state.beavers > 0 and beavers(take))
            return after if player == state.on_roll else -after
        if state.dice is not None:
            return self.judge.best_plays(position, state.dice, match=quiet(state), plies=self.plies, count=1)[0].equity
        return self.judge.cube_action(position, match=quiet(state), plies=self.plies).optimal

    def _won(self, state: MatchState, winner: int, value: int) -> float:
        """Equity of winning `value` times the cube, to the winner."""
        if state.money:
            return float(value)
        cube = CubeState.from_match(replace(quiet(state), on_roll=winner))
        return float(to_equity(cube.outcomes(self.judge.met)[0][value - 1], cube, self.judge.met))


def offer_taken(engine: Engine, table: Table, plies: int | None = None) -> tuple[int, float]:
    """Who has doubled or turned back a double, and his equity if it is taken, in units of half of what he offers.

    plies: as in `Engine.cube_action`.
    """
    player = table.game.actions[-2 if table.state.resigned else -1].player
    state = replace(quiet(table.state), cube=table.offered // 2)
    take = engine.cube_action(table.position, match=state, plies=plies).double_take
    return player, take if player == state.on_roll else -take
