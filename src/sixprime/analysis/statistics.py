"""Totals of decisions: per player, per game, per match.

Everything is a sum over `Decision`s, so the totals of a match are those of its games added up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from sixprime.analysis.model import (
    CubeFaults,
    Decision,
    DecisionKind,
    GameAnalysis,
    Phase,
    Plan,
    PlayerStatistics,
    Resignation,
    Tally,
)
from sixprime.analysis.thresholds import Luck, Skill
from sixprime.game.record import ActionKind, Game

NOISE = 1e-6
"""Equity below which a cube decision lost nothing: rounding of the evaluation."""

_Done = Sequence[tuple[Decision, ActionKind]]
"""Decisions of one player with the actions they led to."""


def _tally(decisions: Iterable[Decision]) -> Tally:
    chosen = list(decisions)
    return Tally(len(chosen), sum((d.error for d in chosen), 0.0), sum((d.error_mwc for d in chosen), 0.0))


def _faults(done: _Done) -> CubeFaults:
    """done: cube decisions."""
    wrong = [(decision, kind) for decision, kind in done if decision.error > NOISE and decision.cube is not None]

    def doubles(doubled: bool, above: bool) -> Tally:
        return _tally(
            decision
            for decision, kind in wrong
            if decision.kind is DecisionKind.DOUBLE
            and (kind is ActionKind.DOUBLE) == doubled
            and decision.cube is not None
            and ((decision.cube.no_double if doubled else decision.cube.double_take) > 1) == above
        )

    return CubeFaults(
        missed_below_cash=doubles(doubled=False, above=False),
        missed_above_cash=doubles(doubled=False, above=True),
        doubled_too_weak=doubles(doubled=True, above=False),
        doubled_too_good=doubles(doubled=True, above=True),
        wrong_takes=_tally(decision for decision, kind in wrong if kind in (ActionKind.TAKE, ActionKind.BEAVER)),
        wrong_passes=_tally(decision for decision, kind in wrong if kind is ActionKind.DROP),
    )


def game_statistics(
    decisions: Sequence[Decision], game: Game, gained: float, resignation: Resignation | None = None
) -> tuple[PlayerStatistics, PlayerStatistics]:
    """Totals of both players.

    decisions: those of `game`; none where nobody judged it: then plays are counted alone. gained: what the game
    brought player 0, match-winning chance or points.
    """
    luck = [
        sum((d.luck_mwc for d in decisions if d.player == player and d.luck_mwc is not None), 0.0) for player in (0, 1)
    ]
    return (
        _player_statistics(decisions, game, 0, gained, luck, resignation),
        _player_statistics(decisions, game, 1, -gained, luck, resignation),
    )


def _player_statistics(
    decisions: Sequence[Decision],
    game: Game,
    player: int,
    gained: float,
    luck_mwc: Sequence[float],
    resignation: Resignation | None,
) -> PlayerStatistics:
    own = [(decision, game.actions[decision.action].kind) for decision in decisions if decision.player == player]
    plays = [d for d, kind in own if d.kind is DecisionKind.PLAY and kind is ActionKind.MOVE]
    unforced = [decision for decision in plays if decision.counted]
    rolls = [(decision.luck, decision.luck_mark) for decision, _ in own if decision.luck is not None]
    cubes = [(decision, kind) for decision, kind in own if decision.kind is not DecisionKind.PLAY]
    counted = [decision for decision, _ in cubes if decision.counted]
    phases, plans = _kinds_of([*unforced, *counted])
    marks = _marks(plays)
    if not decisions:
        made = sum(action.player == player and action.kind is ActionKind.MOVE for action in game.actions)
        marks = made, 0, 0, 0
    times = [action.seconds for action in game.actions if action.player == player and action.seconds is not None]
    return PlayerStatistics(
        moves=sum(marks),
        unforced_moves=len(unforced),
        play_marks=marks,
        chequer_error_total=sum((decision.error for decision in unforced), 0.0),
        chequer_error_mwc=sum((decision.error_mwc for decision in unforced), 0.0),
        cube_total=len(cubes),
        cube_decisions=len(counted),
        doubles=sum(kind is ActionKind.DOUBLE for _, kind in cubes),
        takes=sum(kind in (ActionKind.TAKE, ActionKind.BEAVER) for _, kind in cubes),
        passes=sum(kind is ActionKind.DROP for _, kind in cubes),
        cube_marks=_marks(counted),
        faults=_faults(cubes),
        cube_error_total=sum((decision.error for decision, _ in cubes), 0.0),
        cube_error_mwc=sum((decision.error_mwc for decision, _ in cubes), 0.0),
        luck_marks=_by_mark(mark for _, mark in rolls),
        luck_total=sum((luck for luck, _ in rolls), 0.0),
        luck_mwc=luck_mwc[player],
        actual_result=gained,
        luck_adjusted_result=gained - luck_mwc[player] + luck_mwc[1 - player],
        error_squares=sum((decision.error**2 for decision in (*unforced, *counted)), 0.0),
        phases=phases,
        plans=plans,
        too_early=_resigned(resignation, player, accepted=False),
        too_cheap=_resigned(resignation, player, accepted=True),
        seconds=sum(times),
        timed=len(times),
    )


def _marks(decisions: Sequence[Decision]) -> tuple[int, int, int, int]:
    none, doubtful, bad, very_bad = (sum(decision.skill is skill for decision in decisions) for skill in Skill)
    return none, doubtful, bad, very_bad


def _by_mark(rolls: Iterable[Luck]) -> tuple[int, int, int, int, int]:
    marks = list(rolls)
    very_unlucky, unlucky, none, lucky, very_lucky = (sum(mark is luck for mark in marks) for luck in Luck)
    return very_unlucky, unlucky, none, lucky, very_lucky


def _kinds_of(
    decisions: Sequence[Decision],
) -> tuple[tuple[Tally, Tally, Tally, Tally, Tally], tuple[Tally, Tally, Tally, Tally, Tally, Tally]]:
    """Tallies by phase and by plan."""
    opening, contact, back_game, race, bear_off = (
        _tally(decision for decision in decisions if decision.phase is phase) for phase in Phase
    )
    racing, back, attack, prime, holding, mixed = (
        _tally(decision for decision in decisions if decision.plan is plan) for plan in Plan
    )
    return (opening, contact, back_game, race, bear_off), (racing, back, attack, prime, holding, mixed)


def _resigned(resignation: Resignation | None, player: int, *, accepted: bool) -> Tally:
    """What a player lost by the resignation of a game: by offering it, or by accepting it."""
    if resignation is None or (resignation.player == player) == accepted:
        return Tally()
    given = resignation
    lost = (given.let_off, given.let_off_mwc) if accepted else (given.given_away, given.given_away_mwc)
    return Tally(1, *lost) if lost[0] > NOISE else Tally()


def total(parts: Iterable[PlayerStatistics]) -> PlayerStatistics:
    """Totals of one player over several games or matches; all zero for none."""
    sums = dict(_NOTHING)
    for part in parts:
        for name, value in sums.items():
            sums[name] = _sum(value, getattr(part, name))
    return PlayerStatistics(**sums)


def totals(games: Sequence[GameAnalysis]) -> tuple[PlayerStatistics, PlayerStatistics]:
    """Totals of both players over several games."""
    return total(game.statistics[0] for game in games), total(game.statistics[1] for game in games)


def _sum(one: Any, other: Any) -> Any:
    if isinstance(one, tuple):
        return tuple(map(_sum, one, other))
    if isinstance(one, CubeFaults):
        return CubeFaults(*(getattr(one, each.name) + getattr(other, each.name) for each in fields(CubeFaults)))
    return one + other


_NOTHING: dict[str, Any] = {
    each.name: {
        "play_marks": (0,) * len(Skill),
        "cube_marks": (0,) * len(Skill),
        "luck_marks": (0,) * len(Luck),
        "faults": CubeFaults(),
        "phases": (Tally(),) * len(Phase),
        "plans": (Tally(),) * len(Plan),
        "too_early": Tally(),
        "too_cheap": Tally(),
    }.get(each.name, 0)
    for each in fields(PlayerStatistics)
}


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
