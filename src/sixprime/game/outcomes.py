"""`Outcomes`: how a game may end, as five chances."""

from __future__ import annotations

from typing import NamedTuple


def cubeless(win: float, win_gammon: float, win_backgammon: float, lose_gammon: float, lose_backgammon: float) -> float:
    """`Outcomes.cubeless` of five chances, for those who have a great many."""
    return 2 * win - 1 + win_gammon - lose_gammon + win_backgammon - lose_backgammon


class Outcomes(NamedTuple):
    """Chances of the player on roll, cumulative: `win` counts gammons and backgammons, a gammon backgammons."""

    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float

    def swapped(self) -> Outcomes:
        """The same seen by the other player."""
        win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = self
        return Outcomes(1 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon)

    @property
    def cubeless(self) -> float:
        """Money equity without cube, gammons counted, in points."""
        return cubeless(*self)

    @property
    def won_shares(self) -> tuple[float, float]:
        """Gammons and backgammons among the games won, 0 where there are none."""
        return (self.win_gammon / self.win, self.win_backgammon / self.win) if self.win > 0 else (0.0, 0.0)

    @property
    def lost_shares(self) -> tuple[float, float]:
        """Gammons and backgammons among the games lost."""
        return self.swapped().won_shares

    @property
    def mean_points(self) -> tuple[float, float]:
        """W and L: mean points of a game won and of a game lost, both positive, the cube not turned."""
        return 1 + sum(self.won_shares), 1 + sum(self.lost_shares)
