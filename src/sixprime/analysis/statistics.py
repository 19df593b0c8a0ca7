"""Totals of decisions: per player, per game, per match.

Everything is a sum over `Decision`s, so the totals of a match are those of its games added up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind, PlayerStatistics
from sixprime.analysis.thresholds import Luck, Skill
from sixprime.game.record import ActionKind, Game

NOISE = 1e-6
"""Equity below which a cube decision lost nothing: rounding of the evaluation."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Cube decisions of one kind that lost equity: how many, and what they lost (EMG; MWC or points)."""

    count: int
    error: float
    error_mwc: float

    @classmethod
    def of(cls, decisions: Iterable[Decision]) -> Fault:
        """Those of `decisions` that lost equity."""
        lost = [decision for decision in decisions if decision.error > NOISE]
        return cls(len(lost), sum(d.error for d in lost), sum(d.error_mwc for d in lost))


@dataclass(frozen=True, slots=True)
class CubeFaults:
    """Every kind of cube error of a player.

    decisions: all cube decisions, however clear. Missed doubles are told apart by the double / take equity:
    below the cash point (the opponent would take) or above it. Wrong doubles by the no double equity: below
    the doubling point or above the point where the position is too good to double.
    """

    decisions: int
    missed_below_cash: Fault
    missed_above_cash: Fault
    doubled_too_weak: Fault
    doubled_too_good: Fault
    wrong_takes: Fault
    wrong_passes: Fault


def cube_faults(analysed: AnalysedMatch, player: int, game: int | None = None) -> CubeFaults:
    """Cube errors of `player` in one game (index into `analysed.games`) or, without `game`, in the match."""
    chosen = range(len(analysed.games)) if game is None else (game,)
    done = [
        (decision, analysed.match.games[index].actions[decision.action].kind)
        for index in chosen
        for decision in analysed.games[index].decisions
        if decision.player == player and decision.cube is not None
    ]
    return _faults(done)


def _faults(done: Sequence[tuple[Decision, ActionKind]]) -> CubeFaults:
    """done: cube decisions of one player with the actions they led to."""

    def doubles(doubled: bool, above: bool) -> Fault:
        return Fault.of(
            decision
            for decision, kind in done
            if decision.kind is DecisionKind.DOUBLE
            and (kind is ActionKind.DOUBLE) == doubled
            and decision.cube is not None
            and ((decision.cube.no_double if doubled else decision.cube.double_take) > 1) == above
        )

    return CubeFaults(
        decisions=len(done),
        missed_below_cash=doubles(doubled=False, above=False),
        missed_above_cash=doubles(doubled=False, above=True),
        doubled_too_weak=doubles(doubled=True, above=False),
        doubled_too_good=doubles(doubled=True, above=True),
        wrong_takes=Fault.of(decision for decision, kind in done if kind in (ActionKind.TAKE, ActionKind.BEAVER)),
        wrong_passes=Fault.of(decision for decision, kind in done if kind is ActionKind.DROP),
    )


def game_statistics(
    decisions: Sequence[Decision], game: Game, gained: float
) -> tuple[PlayerStatistics, PlayerStatistics]:
    """Totals of both players.

    decisions: those of `game`. gained: what the game brought player 0, match-winning chance or points.
    """
    luck = [sum(d.luck_mwc for d in decisions if d.player == player and d.luck_mwc is not None) for player in (0, 1)]
    return (
        _player_statistics(decisions, game, 0, gained, luck),
        _player_statistics(decisions, game, 1, -gained, luck),
    )


def _player_statistics(
    decisions: Sequence[Decision], game: Game, player: int, gained: float, luck_mwc: Sequence[float]
) -> PlayerStatistics:
    own = [(decision, game.actions[decision.action].kind) for decision in decisions if decision.player == player]
    plays = [d for d, kind in own if d.kind is DecisionKind.PLAY and kind is ActionKind.MOVE]
    unforced = [decision for decision in plays if decision.counted]
    rolls = [(decision.luck, decision.luck_mark) for decision, _ in own if decision.luck is not None]
    cubes = [(decision, kind) for decision, kind in own if decision.kind is not DecisionKind.PLAY]
    faults = _faults(cubes)
    missed = (faults.missed_below_cash, faults.missed_above_cash)
    doubled = (faults.doubled_too_weak, faults.doubled_too_good)
    play_marks = [sum(decision.skill is skill for decision in plays) for skill in Skill]
    luck_marks = [sum(mark is luck for _, mark in rolls) for luck in Luck]
    return PlayerStatistics(
        moves=len(plays),
        unforced_moves=len(unforced),
        play_marks=(play_marks[0], play_marks[1], play_marks[2], play_marks[3]),
        chequer_error_total=sum(decision.error for decision in unforced),
        chequer_error_mwc=sum(decision.error_mwc for decision in unforced),
        cube_decisions=sum(decision.counted for decision, _ in cubes),
        doubles=sum(kind is ActionKind.DOUBLE for _, kind in cubes),
        takes=sum(kind in (ActionKind.TAKE, ActionKind.BEAVER) for _, kind in cubes),
        passes=sum(kind is ActionKind.DROP for _, kind in cubes),
        missed_doubles=sum(fault.count for fault in missed),
        wrong_doubles=sum(fault.count for fault in doubled),
        wrong_takes=faults.wrong_takes.count,
        wrong_passes=faults.wrong_passes.count,
        missed_double_error=sum(fault.error for fault in missed),
        wrong_double_error=sum(fault.error for fault in doubled),
        wrong_take_error=faults.wrong_takes.error,
        wrong_pass_error=faults.wrong_passes.error,
        cube_error_total=sum(decision.error for decision, _ in cubes),
        cube_error_mwc=sum(decision.error_mwc for decision, _ in cubes),
        luck_marks=(luck_marks[0], luck_marks[1], luck_marks[2], luck_marks[3], luck_marks[4]),
        luck_total=sum(luck for luck, _ in rolls),
        luck_mwc=luck_mwc[player],
        actual_result=gained,
        luck_adjusted_result=gained - luck_mwc[player] + luck_mwc[1 - player],
    )


_NOTHING: dict[str, Any] = {
    each.name: {"play_marks": (0,) * len(Skill), "luck_marks": (0,) * len(Luck)}.get(each.name, 0)
    for each in fields(PlayerStatistics)
}


def total(parts: Iterable[PlayerStatistics]) -> PlayerStatistics:
    """Totals of one player over several games or matches; all zero for none."""
    sums = dict(_NOTHING)
    for part in parts:
        for name, value in sums.items():
            more = getattr(part, name)
            sums[name] = tuple(map(sum, zip(value, more, strict=True))) if isinstance(value, tuple) else value + more
    return PlayerStatistics(**sums)


def snowie_error_rate(own: PlayerStatistics, other: PlayerStatistics) -> float:
    """Equity a player lost per move of either side, forced or not."""
    moves = own.moves + other.moves
    return own.error_total / moves if moves else 0.0


def points_per_game(results: Sequence[float]) -> tuple[float, float]:
    """Mean points per game of a money session and half the width of its 95 % interval.

    results: `actual_result` or `luck_adjusted_result` of each game. The width is infinite for fewer than two.
    """
    games = len(results)
    if not games:
        return 0.0, math.inf
    mean = sum(results) / games
    if games == 1:
        return mean, math.inf
    variance = sum((result - mean) ** 2 for result in results) / (games - 1)
    return mean, 1.96 * math.sqrt(variance / games)
