"""The counts by which people judge races over the board, each with its verdict.

A side is its counts of chequers from the ace point up, such as `position.player`; the player is on roll. Counts grow
with the distance to go. Sources: Kleinman, Vision Laughs at Counting; Thorp, Gambling Times 1984; Keith, Backgammon
Galore, "Cube Handling in Noncontact Positions" (2004); Ward, The Doubling Cube in Backgammon I (1982), as posted by
Storer in 1992; Trice, Backgammon Boot Camp (his rule 62); Reichert, "Improved Cube Handling in Races" (Isight, 2014).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from sixprime.bearoff.side import pip_count

HOME = 6
OUTER = 3
"""Quarters of the board that a chequer crosses at most, the bar apart, before it is home."""


class Verdict(StrEnum):
    """What the player on roll should do, and his opponent if he does."""

    NO_DOUBLE = "no double, take"
    DOUBLE = "double, no redouble, take"
    REDOUBLE = "redouble, take"
    PASS = "double, pass"


@dataclass(frozen=True, slots=True)
class RaceCount:
    """What one method says.

    name: of the method. player, opponent: their counts, None where the method knows none; adjusted: the player's
    count after the addition for being on roll, None where there is none. win: winning chance, and verdict; None where
    the method gives none. rule: the rule behind the verdict, in words.
    """

    name: str
    player: float | None
    opponent: float | None
    adjusted: float | None
    win: float | None
    verdict: Verdict | None
    rule: str


Counts = Sequence[int]


def _chequers(side: Counts) -> int:
    return sum(side)


def _gaps(side: Counts) -> int:
    """Empty points among the 4, 5 and 6 points."""
    return sum(1 for count in side[3:HOME] if not count)


def _more(count: int, than: int) -> int:
    return max(0, count - than)


def _crossovers(side: Counts) -> int:
    """Quarters of the board the chequers must cross to be home."""
    return sum(min((point - 1) // HOME, OUTER + 1) * count for point, count in enumerate(side, 1))


def kleinman(player: Counts, opponent: Counts) -> RaceCount:
    """Kleinman's metric K = (D + 4) / (2 sqrt(S - 4)), D the lead and S the sum of the pips; win = (1 + erf K) / 2.

    Without a sum above 4 there is no metric. The verdict is that of the winning chance, by the usual points of a long
    race: double from 70 %, redouble from 72 %, pass above 78 %.
    """
    mine, theirs = pip_count(player), pip_count(opponent)
    rule = "double from 70 %, redouble from 72 %, pass above 78 % (the usual points of a long race)"
    if mine + theirs <= 4:
        return RaceCount("Kleinman", mine, theirs, None, None, None, rule)
    win = (1 + math.erf(kleinman_metric(player, opponent))) / 2
    return RaceCount("Kleinman", mine, theirs, None, win, by_win(win, 0.70, 0.72, 0.78), rule)


def kleinman_metric(player: Counts, opponent: Counts) -> float:
    """K of `kleinman`. Raises ValueError when both sides together have 4 pips or fewer."""
    mine, theirs = pip_count(player), pip_count(opponent)
    if mine + theirs <= 4:
        raise ValueError(f"Kleinman's metric needs more than 4 pips in all, not {mine + theirs}")
    return (theirs - mine + 4) / (2 * math.sqrt(mine + theirs - 4))


def by_win(win: float, double: float, redouble: float, last_take: float) -> Verdict:
    """The verdict of a winning chance."""
    if win > last_take:
        return Verdict.PASS
    if win >= redouble:
        return Verdict.REDOUBLE
    return Verdict.DOUBLE if win >= double else Verdict.NO_DOUBLE


def by_deficit(behind: float, double: float, redouble: float, last_pass: float) -> Verdict:
    """The verdict of how far the player's count is behind the opponent's; the less the stronger."""
    if behind <= last_pass:
        return Verdict.PASS
    if behind <= redouble:
        return Verdict.REDOUBLE
    return Verdict.DOUBLE if behind <= double else Verdict.NO_DOUBLE


def thorp_count(side: Counts) -> float:
    """Pips, 2 for every chequer, 1 more for those on the ace point, less 1 for every home point held."""
    return pip_count(side) + 2 * _chequers(side) + side[0] - sum(1 for count in side[:HOME] if count)


def thorp(player: Counts, opponent: Counts) -> RaceCount:
    """Thorp: a tenth is added to a count above 30; double within 2, redouble within 1, pass when 2 ahead."""
    mine, theirs = thorp_count(player), thorp_count(opponent)
    adjusted = 1.1 * mine if mine > 30 else mine
    # The tenth is taken in whole numbers, so that a count on the edge stays there.
    behind = (11 * mine if mine > 30 else 10 * mine) - 10 * theirs
    rule = "double if at most 2 behind, redouble if at most 1, pass if at least 2 ahead"
    return RaceCount("Thorp", mine, theirs, adjusted, None, by_deficit(behind, 20, 10, -20), rule)


def keith_count(side: Counts) -> float:
    """Pips; 2 for each chequer above 1 on the ace point, 1 above 1 on the two and above 3 on the three, 1 a gap."""
    return pip_count(side) + 2 * _more(side[0], 1) + _more(side[1], 1) + _more(side[2], 3) + _gaps(side)


def keith(player: Counts, opponent: Counts) -> RaceCount:
    """Keith: a seventh is added; double within 4, redouble within 3, pass within 2."""
    mine, theirs = keith_count(player), keith_count(opponent)
    behind = 8 * mine - 7 * theirs
    rule = "double if at most 4 behind, redouble if at most 3, pass if at most 2"
    return RaceCount("Keith", mine, theirs, mine * 8 / 7, None, by_deficit(behind, 28, 21, 14), rule)


def ward_count(side: Counts, other: Counts) -> float:
    """Pips; 2 for each chequer above 2 on the ace point, 1 above 2 on the two; compared with the other side, 2 for
    each chequer more, half for each more outside home, less 1 for each home point more that is held."""
    held, theirs = (sum(1 for count in s[:HOME] if count) for s in (side, other))
    outside = _more(_chequers(side[HOME:]), _chequers(other[HOME:]))
    more = _more(_chequers(side), _chequers(other))
    return pip_count(side) + 2 * _more(side[0], 2) + _more(side[1], 2) - _more(held, theirs) + 2 * more + outside / 2


def ward(player: Counts, opponent: Counts) -> RaceCount:
    """Ward: a tenth is added; double within 2, redouble within 1. The opponent may be behind by 2 pips, up to a mean
    of 50 plain pips, to 4 from 100 up, between them in proportion, and still take."""
    mine, theirs = ward_count(player, opponent), ward_count(opponent, player)
    room = 2 + 2 * min(1.0, max(0.0, ((pip_count(player) + pip_count(opponent)) / 2 - 50) / 50))
    # In twentieths, where counts in halves are whole numbers.
    behind = 22 * mine - 20 * theirs
    verdict = by_deficit(behind, 40, 20, -math.inf)
    if -behind > 20 * room:
        verdict = Verdict.PASS
    rule = f"double if at most 2 behind, redouble if at most 1, pass if more than {room:g} ahead"
    return RaceCount("Ward", mine, theirs, 1.1 * mine, None, verdict, rule)


def last_take(mine: int) -> int:
    """Trice's rule 62: how many pips the opponent of a side with so many pips may be behind and still take."""
    return (mine - 5) // 7 if mine <= 62 else -(-mine // 10) + 1


def trice(player: Counts, opponent: Counts) -> RaceCount:
    """Trice's rule 62: redouble within 2 pips of the point of last take, double within 3."""
    mine, theirs = pip_count(player), pip_count(opponent)
    point = last_take(mine)
    lead = theirs - mine
    rule = f"last take at a lead of {point} pips; redouble from 2 before it, double from 3"
    return RaceCount("Trice", mine, theirs, None, None, by_deficit(-lead, 3 - point, 2 - point, -point - 1), rule)


def eight_nine_twelve(player: Counts, opponent: Counts) -> RaceCount:
    """8-9-12: a lead of 8 % of the player's pips doubles, of 9 % redoubles, of more than 12 % makes a pass."""
    mine, theirs = pip_count(player), pip_count(opponent)
    lead = 100 * (theirs - mine)
    verdict = by_deficit(-lead, -8 * mine, -9 * mine, -math.inf)
    if lead > 12 * mine:
        verdict = Verdict.PASS
    rule = f"lead of {lead / mine:.1f} %; double from 8 %, redouble from 9 %, pass above 12 %"
    return RaceCount("8-9-12", mine, theirs, None, None, verdict, rule)


def isight_count(side: Counts, other: Counts) -> float:
    """Pips; 2 for each chequer above 2 on the ace point, 1 above 2 on the two and above 3 on the three; compared with
    the other side, 1 for each chequer and crossover more, and for each gap on 4, 5 and 6 that the other has not."""
    gaps = sum(1 for mine, theirs in zip(side[3:HOME], other[3:HOME], strict=True) if not mine and theirs)
    more = _more(_chequers(side), _chequers(other)) + _more(_crossovers(side), _crossovers(other))
    return pip_count(side) + 2 * _more(side[0], 2) + _more(side[1], 2) + _more(side[2], 3) + more + gaps


def isight(player: Counts, opponent: Counts) -> RaceCount:
    """Reichert's Isight: win = 80 - L / 3 + 2 (T - L) per cent of the adjusted counts; 68 doubles, 70 redoubles, more
    than 76 is a pass."""
    mine, theirs = isight_count(player, opponent), isight_count(opponent, player)
    thirds = 240 - mine + 6 * (theirs - mine)
    verdict = by_win(thirds, 3 * 68, 3 * 70, 3 * 76)
    # Far from equality the straight line leaves what a chance can be.
    win = min(1.0, max(0.0, thirds / 300))
    rule = f"{thirds / 3:.1f} % by the formula; double from 68 %, redouble from 70 %, pass above 76 %"
    return RaceCount("Isight", mine, theirs, None, win, verdict, rule)


def all_counts(player: Counts, opponent: Counts) -> tuple[RaceCount, ...]:
    """What every method of this module says; both sides must have a chequer left."""
    methods = (keith, kleinman, thorp, ward, trice, isight, eight_nine_twelve)
    return tuple(method(player, opponent) for method in methods)
