"""What is done for the players without asking them."""

from __future__ import annotations

from dataclasses import dataclass

from sixprime.checks import FLAG, Fields
from sixprime.game.acts import Act, Double, Move, NextGame, Opening, Roll
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.table import Phase, Table

_APART = 22
"""What the rearmost chequers of both sides are at most from their ace points, added up, when they have passed."""


@dataclass(frozen=True, slots=True)
class Automation:
    """What happens by itself; the first roll of a game always does, Crawford game and doubles at ties by the rules.

    roll: for a player who may not double. play_forced: the only legal play. bear_off: where the sides have passed each
    other, the play that bears a chequer off with every die. next_game: the next game of a match or session.
    Raises `SettingsError` for what is neither True nor False.
    """

    roll: bool = True
    play_forced: bool = False
    bear_off: bool = False
    next_game: bool = True

    def __post_init__(self) -> None:
        _AUTOMATION(self)

    def act(self, table: Table) -> Act | None:
        """What happens by itself at a table, dice not thrown yet; None: somebody decides."""
        phase, turn, legal = table.phase, table.turn, table.legal()
        if phase is Phase.OPENING:
            return Opening()
        if phase is Phase.GAME_OVER and self.next_game:
            return NextGame()
        if turn is None:
            return None
        if phase is Phase.ROLL and self.roll and Double not in legal:
            return Roll(turn)
        if phase is Phase.PLAY:
            if self.play_forced and len(legal.plays) == 1:
                return Move(turn, legal.plays[0])
            if self.bear_off and _passed(table.position):
                dice = table.state.dice or (0, 0)
                return next((Move(turn, play) for play in legal.plays if _all_off(play, dice)), None)
        return None


def _passed(position: Position) -> bool:
    """Whether no chequer can hit another any more."""
    sides = position.player, position.opponent
    return sum(max((point for point, count in enumerate(side) if count), default=0) for side in sides) <= _APART


def _all_off(play: Play, dice: tuple[int, int]) -> bool:
    """Whether every die bears a chequer off, as long as there are any."""
    every = len(play.steps) == (4 if dice[0] == dice[1] else 2) or play.result.winner is not None
    return every and all(step.end == 0 for step in play.steps)


_AUTOMATION = Fields(roll=FLAG, play_forced=FLAG, bear_off=FLAG, next_game=FLAG)
