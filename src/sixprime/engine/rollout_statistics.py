"""What happened in the games of a rollout."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sixprime.engine.trials import CUT, KNOWN, PASSED, UNKNOWN, Trials


@dataclass(frozen=True, slots=True)
class PlayerStatistics:
    """One player's games. Tuples over the cube have one entry per doubling: cube as at the start, twice that, ...

    wins: single games, gammons and backgammons won to the end with each cube. cashed: games won by the opponent's pass,
    by the cube before that double. doubles: doubles offered; hits: chequers hit; games_with_hit: games in which he hit,
    first_hit: mean turn (from 1) of the first one in these, 0.0 without; closeouts: turns that ended with the opponent
    shut out on the bar, games_with_closeout and first_closeout as of hits. taken: his doubles that were taken, by the
    cube before. bearoff_turns: turns begun with all chequers at home; pips_lost: pips thrown in these that were not
    moved. The last five are None where a rollout of an earlier version was read.
    """

    wins: tuple[tuple[int, int, int], ...]
    cashed: tuple[int, ...]
    doubles: int
    hits: int
    games_with_hit: int
    first_hit: float
    closeouts: int
    games_with_closeout: int | None
    first_closeout: float | None
    taken: tuple[int, ...] | None
    bearoff_turns: int | None
    pips_lost: int | None


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
    double = trials.column("first_double")
    known = not (double == UNKNOWN).any()
    players = []
    for side, prefix in enumerate(("", "their_")):
        points = (1, -1)[side] * trials.column("points")
        over = (points > 0) & (ending != PASSED)
        wins = np.zeros((cubes, 3), dtype=np.int64)
        np.add.at(wins, (doublings[over], points[over] - 1), 1)
        cashed = np.bincount(doublings[(points > 0) & (ending == PASSED)], minlength=cubes)
        # Each doubles a cube that the other has doubled before.
        taken = [np.count_nonzero((doublings > k) & ((double - 1 + k) % 2 == side)) for k in range(cubes)]

        def total(name: str, prefix: str = prefix) -> int:
            return int(trials.column(prefix + name).sum())

        def first(name: str, prefix: str = prefix) -> tuple[int, float]:
            turns = trials.column(prefix + name)
            games = int(np.count_nonzero(turns))
            return games, int(turns.sum()) / games if games else 0.0

        hit, closeout = first("first_hit"), first("first_closeout")
        players.append(
            PlayerStatistics(
                wins=tuple((int(a), int(b), int(c)) for a, b, c in wins),
                cashed=tuple(int(n) for n in cashed),
                doubles=total("doubles"),
                hits=total("hits"),
                games_with_hit=hit[0],
                first_hit=hit[1],
                closeouts=total("closeouts"),
                games_with_closeout=closeout[0] if known else None,
                first_closeout=closeout[1] if known else None,
                taken=tuple(int(n) for n in taken) if known else None,
                bearoff_turns=total("bearoff_turns") if known else None,
                pips_lost=total("pips_lost") if known else None,
            )
        )
    ours, theirs = reversed(players) if flip else players
    passed, cut, found = (int(np.count_nonzero(ending == how)) for how in (PASSED, CUT, KNOWN))
    mean_turns, mean_doublings = (int(each.sum()) / count if count else 0.0 for each in (turns, doublings))
    return Statistics(
        count, mean_turns, int(turns.max(initial=0)), mean_doublings, passed, cut, found, own=ours, opponent=theirs
    )
