"""When a program resigns, and which offers to resign it accepts: by what the game is worth to an engine of ours.

Equities are normalised to what a single game would now be lost for: the cube, or as much as a double refused costs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sixprime.cube.decision import TOLERANCE, beavers
from sixprime.cube.state import CubeState
from sixprime.cube.values import Equity, to_equity
from sixprime.engine import Engine
from sixprime.game import doubling
from sixprime.game.match_rules import quiet
from sixprime.game.state import MatchState
from sixprime.game.table import Table
from sixprime.progress import Stop

HOPELESS = 0.005
"""Winning chance, judged statically, up to which a program looks whether to resign."""
GIVEN_UP = 5e-4
"""Equity that a program may give away by resigning: what is left of luck in a game that is lost."""


@dataclass(frozen=True, slots=True)
class Resigning:
    """judge: an engine without noise, or a weak level would resign and accept at random. It searches one ply at least,
    which finds what is certain, and does not roll out. Calls raise StoppedError when `stop` is set."""

    judge: Engine

    def offer(self, table: Table, stop: Stop | None = None) -> int:
        """How many times the cube the player on roll, before the dice, resigns now; 0 when he plays on."""
        state, player = table.state, table.state.on_roll
        if self.judge.evaluate(table.position, match=state, plies=0, stop=stop).probabilities.win > HOPELESS:
            return 0
        equity = self.playing_on(table, stop).for_side(player).value
        for value in range(table.declined[player] + 1, 4):
            given_up = equity - self.won(state, 1 - player, value).for_side(player).value
            # The opponent would decline less.
            if given_up >= -TOLERANCE:
                return value if given_up <= GIVEN_UP else 0
        return 0

    def accepts(self, table: Table, stop: Stop | None = None) -> bool:
        """Whether the player who is offered a resignation gains no less by it than by playing on."""
        state, winner = table.state, table.state.decider
        equity = self.playing_on(table, stop).for_side(winner).value
        return self.won(state, winner, state.resigned).value >= equity - TOLERANCE

    def playing_on(self, table: Table, stop: Stop | None) -> Equity:
        """What the game is worth if nobody resigns."""
        position, state, plies = table.position, table.state, max(1, self.judge.plies)
        if state.doubled:
            take = offer_taken(self.judge, table, plies, stop)
            beaver = state.money and state.beavers > 0 and beavers(take.value)
            return Equity(doubling.after_double(take.value, beaver=beaver), take.side)
        if state.dice is not None:
            best = self.judge.best_plays(position, state.dice, match=quiet(state), plies=plies, count=1, stop=stop)[0]
            return Equity(best.cubeful_equity, state.on_roll)
        cube = self.judge.cube_action(position, match=quiet(state), plies=plies, stop=stop)
        return Equity(cube.optimal, state.on_roll)

    def won(self, state: MatchState, winner: int, value: int) -> Equity:
        """What winning `value` times the cube is worth."""
        if state.money:
            return Equity(float(value), winner)
        cube = CubeState.from_match(replace(quiet(state), on_roll=winner))
        return Equity(float(to_equity(cube.outcomes(self.judge.met)[0][value - 1], cube, self.judge.met)), winner)


def offer_taken(engine: Engine, table: Table, plies: int | None = None, stop: Stop | None = None) -> Equity:
    """What whoever has doubled, or turned a double back, has if it is taken, in units of half of what he offers.

    plies, stop: as in `Engine.cube_action`.
    """
    player = table.game.actions[-2 if table.state.resigned else -1].player
    state = replace(quiet(table.state), cube=table.offered // 2)
    cube = engine.cube_action(table.position, match=state, plies=plies, stop=stop)
    return Equity(cube.double_take, state.on_roll).for_side(player)
