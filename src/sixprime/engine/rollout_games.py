"""The games of a rollout as records: its trials are played again, and what is done in them is noted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.model import CubeModel
from sixprime.engine.plies import Searcher
from sixprime.engine.rollout_play import RolloutGames, RolloutPlayer
from sixprime.engine.rollout_result import RolloutResult
from sixprime.engine.trials import Trials
from sixprime.game.acts import Double, Drop, Move, Roll, Take
from sixprime.game.match_rules import quiet
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.record import Match
from sixprime.game.table import Phase, Players, Table

_MOST = 72
"""Trials that are played side by side."""


@dataclass(frozen=True, slots=True)
class RolloutGame:
    """A trial of a rollout. alternative: its place in the result; trial: its number, from 0; match: of one game, which
    has no winner where it was cut or its end was known."""

    alternative: int
    trial: int
    match: Match


_Notes = list[tuple[int, NDArray[np.int8]] | bool]
"""What is done in a trial: throws with the board that the play leads to, packed; doubles, which are taken or not."""


class _Noting(RolloutPlayer):
    """Plays trials and notes what is done in the branch of each that is counted."""

    notes: list[_Notes]

    def _offer_cube(self, games: RolloutGames, side: int, turn: int, results: Trials) -> RolloutGames:
        before = _cubes(games)
        left = super()._offer_cube(games, side, turn, results)
        after = _cubes(left)
        for lane, cube in before.items():
            if after.get(lane) != cube:
                self.notes[lane].append(lane in after)
        return left

    def _roll(self, games: RolloutGames, side: int, turn: int, results: Trials) -> RolloutGames:
        throws = self._throws(games, turn)
        played = super()._roll(games, side, turn, results)
        for at in np.flatnonzero(games.main):
            self.notes[games.lanes[at]].append((int(throws[at]), played.boards[at].copy()))
        return played


def _cubes(games: RolloutGames) -> dict[int, int]:
    """The cube of each trial, as a number of `CubeTable`."""
    return dict(zip(games.lanes[games.main].tolist(), games.groups[games.main].tolist(), strict=True))


def games_of(
    result: RolloutResult, searcher: Searcher, model: CubeModel, players: Players = ("", "")
) -> Iterator[RolloutGame]:
    """The games of all trials, by number and then by alternative. searcher, model: those that made the rollout."""
    alternatives = [
        _Noting(searcher, result.met, alternative.root, result.settings, model) for alternative in result.alternatives
    ]
    starts = [_start(result, number, players) for number in range(len(alternatives))]
    for first in range(0, result.trials, _MOST):
        parts = []
        for number, noting in enumerate(alternatives):
            last = min(first + _MOST, len(result.raw[number]))
            noting.notes = [[] for _ in range(first, last)]
            if first < last:
                noting.play(first, last)
            parts.append(noting.notes)
        for trial in range(max(map(len, parts))):
            for number, notes in enumerate(parts):
                if trial < len(notes):
                    yield RolloutGame(number, first + trial, _played(starts[number], notes[trial]).record())


def _start(result: RolloutResult, number: int, players: Players) -> Table:
    """The table at which the games of an alternative begin."""
    table = Table.from_position(result.position, quiet(result.state).with_dice(result.dice), players)
    player = table.state.on_roll
    if result.kind == "plays":
        play = result.alternatives[number].play
        assert play is not None
        return table.apply(Move(player, play))
    if result.kind == "cube" and number:
        return table.apply(Double(player)).apply(Take(1 - player))
    return table


def _played(table: Table, notes: _Notes) -> Table:
    for done in notes:
        if table.phase is not Phase.ROLL:
            break
        player = table.state.on_roll
        if isinstance(done, bool):
            table = table.apply(Double(player)).apply(Take(1 - player) if done else Drop(1 - player))
            continue
        throw, packed = done
        dice = (throw // 6 + 1, throw % 6 + 1)
        opponent, own = kernels.unpack(packed[None])[0].tolist()
        after = Position(tuple(opponent), tuple(own), table.position.chequers)
        play = Play.between(table.position, dice, after)
        table = table.apply(Roll(player, dice)).apply(Move(player, play))
    return table
