"""What happened in the games of a rollout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sixprime.engine.trials import CUT, KNOWN, PASSED, Trials


@dataclass(frozen=True, slots=True)
class PlayerStatistics:
    """One player's games. Tuples over the cube have one entry per doubling: cube as at the start, twice that, ...

    wins: single games, gammons and backgammons won to the end with each cube. cashed: games won by the opponent's pass,
    by the cube before that double. doubles: doubles offered; hits: chequers hit; games_with_hit: games in which he hit,
    first_hit: mean turn (from 1) of the first one in these, 0.0 without; closeouts: turns that ended with the opponent
    shut out on the bar.
    """

    wins: tuple[tuple[int, int, int], ...]
    cashed: tuple[int, ...]
    doubles: int
    hits: int
    games_with_hit: int
    first_hit: float
    closeouts: int


@dataclass(frozen=True, slots=True)
class Statistics:
    """Totals over the games of one alternative. own: the player who decides.

    turns: mean length in turns; longest: in turns. cubes_turned: mean number of doubles taken. cut, known: games that
    ended by truncation and in a bear-off database.
    """

    games: int
    turns: float
    longest: int
    cubes_turned: float
    passed: int
    cut: int
    known: int
    own: PlayerStatistics
    opponent: PlayerStatistics


def gather(trials: Trials, flip: bool) -> Statistics:
    """Statistics of trials; flip: the player who decides is not the one on roll at the root."""
    count = len(trials)
    ending, turns, doublings = (trials.column(name) for name in ("ending", "turns", "doublings"))
    cubes = int(doublings.max(initial=0)) + 1
    players = []
    for sign, prefix in ((1, ""), (-1, "their_")):
        points = sign * trials.column("points")
        over = (points > 0) & (ending != PASSED)
        wins = np.zeros((cubes, 3), dtype=np.int64)
        np.add.at(wins, (doublings[over], points[over] - 1), 1)
        cashed = np.bincount(doublings[(points > 0) & (ending == PASSED)], minlength=cubes)
        first = trials.column(prefix + "first_hit")
        hitting = int(np.count_nonzero(first))
        players.append(
            PlayerStatistics(
                tuple((int(a), int(b), int(c)) for a, b, c in wins),
                tuple(int(n) for n in cashed),
                int(trials.column(prefix + "doubles").sum()),
                int(trials.column(prefix + "hits").sum()),
                hitting,
                int(first.sum()) / hitting if hitting else 0.0,
                int(trials.column(prefix + "closeouts").sum()),
            )
        )
    ours, theirs = reversed(players) if flip else players
    passed, cut, known = (int(np.count_nonzero(ending == how)) for how in (PASSED, CUT, KNOWN))
    mean_turns, mean_doublings = (int(each.sum()) / count if count else 0.0 for each in (turns, doublings))
    return Statistics(
        count, mean_turns, int(turns.max(initial=0)), mean_doublings, passed, cut, known, own=ours, opponent=theirs
    )
