"""Match equity tables computed from a few rates.

`mec` and `zadeh` share one idea: the winning chance p of a game drifts without jumps from 1/2, a player doubles
where his opponent may as well pass, and a match equity is linear in p between such points. Games are worked out
from the end of the match backwards; only gammons count beside single wins.

`mec` is C. Tornberg's calculator (1996) after T. Keith's description. `zadeh` is the model of N. Zadeh, "On
Doubling in Tournament Backgammon" (Management Science 23, 1977): since the dice make p jump past the point
where the opponent passes, a double comes at a chance larger by delta (redoubles) and delta-bar (the first
double). The leader, who doubled last, and the trailer win gammons at different rates; a trailer whose redouble
comes late wins some of them, too. Without these it is `mec`.

`cubeless` has no cube at all, as T. Zoidis's table (2023). `coin_game` is the table of N. Iketani and K. Takahashi
(2025) for the coin games of Backgammon Galaxy, in which nobody loses more than his stake.

Arrays are those of `MatchEquityTable`, computed for `MAX_AWAY` points. Rates that are none, or of which there is no
table, raise SettingsError.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sixprime.checks import Real, array
from sixprime.cube.met import MAX_AWAY
from sixprime.errors import SettingsError

CRAWFORD_GAMMON = 0.25
"""The trailer's gammons per win in the Crawford game, where nothing else is known."""

_Array = NDArray[np.float64]
_RATE = Real(0, 1)
_NO_TABLE = "no match equity table can be worked out by these rates: at some score nothing depends on who wins"


def post_crawford(
    gammon: float = 0.25, win: float = 0.5, *, free_drop_2: float = 0.0, free_drop_4: float = 0.0
) -> _Array:
    """Chances float64[64] of the trailer after the Crawford game, who doubles at once.

    gammon: his gammons per win; win: his winning chance in a game; free_drop_2, free_drop_4: what the leader's
    free pass takes from him at 2 and 4 points away.
    """
    _numbers(gammon=gammon, win=win, free_drop_2=free_drop_2, free_drop_4=free_drop_4)
    row = np.empty(MAX_AWAY)
    for i in range(MAX_AWAY):
        single, twice = (row[i - step] if i >= step else 1.0 for step in (2, 4))
        row[i] = win * ((1 - gammon) * single + gammon * twice)
        row[i] -= {1: free_drop_2, 3: free_drop_4}.get(i, 0.0)
    row[0] = win
    return row


def mec(post: _Array, gammon: float = 0.26, win: float = 0.5) -> _Array:
    """Chances float64[64, 64] of player 0 before a game.

    post: float64[2, 64], after the Crawford game. gammon: gammons per win of both; win: player 0's winning
    chance in a game.
    """
    _numbers(gammon=gammon, win=win)
    return _table(post, win, (gammon, gammon, 0.0), gammon, 0.0, 0.0)


def zadeh(
    post: _Array,
    gammon_leader: float = 0.25,
    gammon_trailer: float = 0.15,
    delta: float = 0.08,
    delta_bar: float = 0.06,
    crawford_gammon: float = CRAWFORD_GAMMON,
) -> _Array:
    """Chances float64[64, 64] of player 0 before a game.

    post: float64[2, 64], after the Crawford game. gammon_leader, gammon_trailer: gammons per win of who doubled
    last and of the other; delta, delta_bar: by how much redoubles and the first double come late.
    crawford_gammon: gammons per win of the trailer of the match in the Crawford game.
    """
    _numbers(gammon_leader=gammon_leader, gammon_trailer=gammon_trailer, crawford_gammon=crawford_gammon)
    _numbers(delta=delta, delta_bar=delta_bar)
    rates = gammon_leader, gammon_trailer, gammon_trailer
    return _table(post, 0.5, rates, crawford_gammon, delta, delta_bar)


def cubeless(crawford: _Array, gammon: float = 0.2762, backgammon: float = 0.0122) -> _Array:
    """Chances float64[64, 64] of player 0 before a game without a cube, in which both win half of the time.

    crawford: chances of the trailer who needs 1, 2, .. points against one who needs one, as far as they are known;
    the rest is worked out as all other scores are. gammon: gammons and backgammons per win; backgammon: of these.
    """
    _numbers(gammon=gammon, backgammon=backgammon)
    crawford = array("crawford", crawford, np.float64, None)
    shares = 1 - gammon, gammon - backgammon, backgammon
    table = np.zeros((MAX_AWAY + 1, MAX_AWAY + 1))
    table[0, 1:] = 1.0
    for total in range(2, 2 * MAX_AWAY + 1):
        for mine in range(max(1, total - MAX_AWAY), min(total - 1, MAX_AWAY) + 1):
            theirs = total - mine
            if theirs == 1 and mine <= len(crawford):
                table[mine, 1] = crawford[mine - 1]
            elif mine == 1 and theirs <= len(crawford):
                table[1, theirs] = 1 - crawford[theirs - 1]
            else:
                table[mine, theirs] = 0.5 * sum(
                    share * (table[max(mine - points, 0), theirs] + table[mine, max(theirs - points, 0)])
                    for points, share in enumerate(shares, 1)
                )
    return table[1:, 1:].copy()


def coin_game() -> _Array:
    """Chances float64[64, 64] of player 0: a against b points away, a <= b, 1 - a / (2 b)."""
    away = np.arange(1, MAX_AWAY + 1)
    mine, theirs = away[:, None], away[None, :]
    return np.where(mine <= theirs, 1 - mine / (2 * theirs), theirs / (2 * mine))


def _numbers(**given: float) -> None:
    for name, value in given.items():
        _RATE(name, value)


def _table(
    post: _Array,
    win: float,
    gammons: tuple[float, float, float],
    crawford_gammon: float,
    late: float,
    late_first: float,
) -> _Array:
    """Both calculators. gammons: per win of the player who doubled last, of the other, and of the other when he
    redoubles.
    """
    post = array("post", post, np.float64, 2, MAX_AWAY)
    # Points needed run from 0, the match being won.
    table = [[1.0] * (MAX_AWAY + 1) for _ in range(MAX_AWAY + 1)]

    def chance(mine: int, theirs: int) -> float:
        if mine <= 0:
            return 1.0
        return table[mine][theirs] if theirs > 0 else 0.0

    def mix(rate: float, single: float, twice: float) -> float:
        return (1 - rate) * single + rate * twice

    def won(mine: int, theirs: int, cube: int, doubler: int) -> float:
        return mix(gammons[doubler], chance(mine - cube, theirs), chance(mine - 2 * cube, theirs))

    def lost(mine: int, theirs: int, cube: int, doubler: int) -> float:
        return mix(gammons[1 - doubler], chance(mine, theirs - cube), chance(mine, theirs - 2 * cube))

    def cash(mine: int, theirs: int, cube: int, player: int) -> float:
        """Player 0's winning chance where a double of `player` from `cube` may as well be passed."""
        after = 2 * cube
        needs, others = (mine, theirs) if player == 0 else (theirs, mine)
        # Step 1. The line of the doubled cube, which the other owns, through its two known points.
        if others > after and needs > after:
            there = cash(mine, theirs, after, 1 - player) + (-late if player == 0 else late)
            if player == 0:
                turned = mix(gammons[2], chance(mine, theirs - after), chance(mine, theirs - 2 * after))
                points = (there, turned), (1.0, won(mine, theirs, after, player))
            else:
                turned = mix(gammons[2], chance(mine - after, theirs), chance(mine - 2 * after, theirs))
                points = (0.0, lost(mine, theirs, after, player)), (there, turned)
        else:
            # The other has no use for the cube, or redoubles at once because he has nothing more to lose.
            final = 2 * after if others > after else after
            points = (0.0, lost(mine, theirs, final, player)), (1.0, won(mine, theirs, final, player))
        # Step 2. Where it meets the value of a pass.
        (p, low), (q, high) = points
        passed = chance(mine - cube, theirs) if player == 0 else chance(mine, theirs - cube)
        if high == low:
            raise SettingsError(_NO_TABLE)
        return p + (passed - low) * (q - p) / (high - low)

    table[1][1] = win
    for away in range(2, MAX_AWAY + 1):
        single, twice = away - 1, max(away - 2, 0)
        for player, chances in ((0, post[0].tolist()), (1, post[1].tolist())):
            after = [chances[needs - 1] if needs else 1.0 for needs in (single, twice)]
            trailer = (win if player == 0 else 1 - win) * mix(crawford_gammon, *after)
            if player == 0:
                table[away][1] = trailer
            else:
                table[1][away] = 1 - trailer
    for total in range(4, 2 * MAX_AWAY + 1):
        for mine in range(max(2, total - MAX_AWAY), min(total - 2, MAX_AWAY) + 1):
            theirs = total - mine
            low = cash(mine, theirs, 1, 1) - late_first
            high = cash(mine, theirs, 1, 0) + late_first
            passed, cashed = chance(mine, theirs - 1), chance(mine - 1, theirs)
            if high == low:
                raise SettingsError(_NO_TABLE)
            table[mine][theirs] = passed + (cashed - passed) * (win - low) / (high - low)
    return np.array(table)[1:, 1:].copy()
