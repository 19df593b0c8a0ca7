"""Temperature maps: what every roll of the dice is worth after its best play.

The map of a position has the 21 rolls of the player on roll; maps of plays have, side by side, those of the opponent
after each play (A. Sengoku's temperature map).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sixprime.checks import Whole, listed
from sixprime.engine import Engine, PlayAnalysis, PlayRequest
from sixprime.errors import InvalidPositionError, SettingsError
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.rules import ROLLS, check_dice, ways
from sixprime.game.state import MONEY, MatchState
from sixprime.lazy import brief, drawn_by
from sixprime.progress import Hook, Stop
from sixprime.theory.asked import check_asked

_PLAYS = Whole(1, 1 << 30)


@dataclass(frozen=True, slots=True)
class RollValue:
    """A roll with its best play. play: as who rolls has it. equity, mwc: of the side of the map; mwc None for money."""

    dice: tuple[int, int]
    play: PlayAnalysis
    equity: float
    mwc: float | None


@dataclass(frozen=True, slots=True)
class TemperatureMap:
    """What the 21 rolls of one position are worth.

    position, state: seen by who rolls; the cube is not turned before the roll. play: after which the opponent rolls;
    then all equities are of the player who makes it. None: the player on roll rolls, and they are his. Equities are
    cubeful and normalised to the cube (EMG in match play). rolls: in the order of `ROLLS`. plies: of the plays.
    """

    position: Position
    state: MatchState
    play: PlayAnalysis | None
    rolls: tuple[RollValue, ...]
    plies: int

    def __repr__(self) -> str:
        after = "" if self.play is None else f" after {self.play.play}"
        return brief(self, f"of {self.position!r}{after}: mean {self.mean:+.4f}, {self.plies}-ply")

    _repr_svg_ = drawn_by("temperature")

    @property
    def mean(self) -> float:
        """The mean equity over the 36 throws."""
        return math.fsum(ways(roll.dice) * roll.equity for roll in self.rolls) / 36

    @property
    def deviation(self) -> float:
        """The standard deviation of the equity over the 36 throws."""
        mean = self.mean
        return math.sqrt(math.fsum(ways(roll.dice) * (roll.equity - mean) ** 2 for roll in self.rolls) / 36)

    @property
    def trials(self) -> int:
        """The most games that a play was rolled out for, 0 where none was."""
        return max(roll.play.trials for roll in self.rolls)

    def of(self, first: int, second: int) -> RollValue:
        """The value of a roll, its dice in any order. Raises SettingsError for dice outside 1..6."""
        high, low = sorted(check_dice((first, second)), reverse=True)
        return self.rolls[high * (high - 1) // 2 + low - 1]


def temperature_map(
    engine: Engine,
    position: Position,
    *,
    match: MatchState = MONEY,
    plies: int | None = None,
    progress: Hook | None = None,
    stop: Stop | None = None,
) -> TemperatureMap:
    """What each roll of the player on roll is worth to him.

    plies: of the plays, None for the engine's. Raises InvalidPositionError when the game is over, StoppedError, and as
    `Engine.best_plays` for what cannot be judged.
    """
    check_asked(engine, position, match)
    return next(_maps(engine, [(position, match, None)], plies, progress, stop))


def reply_maps(
    engine: Engine,
    position: Position,
    dice: tuple[int, int],
    plays: Sequence[Play] | int = 3,
    *,
    match: MatchState = MONEY,
    plies: int | None = None,
    progress: Hook | None = None,
    stop: Stop | None = None,
) -> tuple[TemperatureMap, ...]:
    """What each roll of the opponent is worth to the player on roll, after several plays of his: the best first.

    plays: which, or how many of the best. Plays that end the game are left out. plies: as in `temperature_map`, of the
    plays and of the replies. Raises SettingsError for no play or one of another roll, and as `temperature_map`.
    """
    check_asked(engine, position, match)
    wanted = set() if isinstance(plays, int) else {play.result for play in listed("plays", plays, Play)}
    if isinstance(plays, int):
        _PLAYS("plays", plays)
    ranked = engine.best_plays(position, dice, match=match, plies=plies, stop=stop)
    if isinstance(plays, int):
        chosen = list(ranked[:plays])
    else:
        chosen = [play for play in ranked if play.play.result in wanted]
        if not wanted or len(chosen) < len(wanted):
            raise SettingsError("plays must be legal plays of the roll, at least one.")
    asked = [(play.play.result, match.swapped(), play) for play in chosen if play.play.result.winner is None]
    if not asked:
        raise InvalidPositionError("the game is over after the play; the opponent has nothing to roll")
    return tuple(_maps(engine, asked, plies, progress, stop))


def _maps(
    engine: Engine,
    asked: Sequence[tuple[Position, MatchState, PlayAnalysis | None]],
    plies: int | None,
    progress: Hook | None,
    stop: Stop | None,
) -> Iterator[TemperatureMap]:
    for position, _, _ in asked:
        position.check_unfinished("nobody has anything to roll")
    cleared = [(position, state.before_roll(), play) for position, state, play in asked]
    requests = [PlayRequest(position, dice, state) for position, state, _ in cleared for dice in ROLLS]
    answers = iter(engine.rank_plays_many(requests, plies=plies, count=1, progress=progress, stop=stop))
    for position, state, play in cleared:
        values = []
        for dice in ROLLS:
            [best] = next(answers)
            own = play is None
            mwc = best.mwc if own or best.mwc is None else 1 - best.mwc
            values.append(RollValue(dice, best, best.equity if own else -best.equity, mwc))
        yield TemperatureMap(position, state, play, tuple(values), engine.plies if plies is None else plies)
