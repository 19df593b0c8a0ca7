"""What one play does that another does not, in numbers that anybody can count or look up.

Everything is of the player who makes the play: his points are numbered 24 to 1, equities and chances are his. Counts
(blots, shots, points, primes, dances) follow from the rules alone; replies, chances and the market are the engine's.
Numbers over the opponent's rolls hold for the game in which nobody doubles before them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from sixprime.checks import Instance, Maybe
from sixprime.cube.state import CubeState
from sixprime.cube.values import opposite
from sixprime.engine.judge import PlayRequest
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.errors import SettingsError
from sixprime.frozen import FrozenDict
from sixprime.game.play import Play
from sixprime.game.position import BAR, Position
from sixprime.game.rules import ROLLS, check_dice, ways
from sixprime.game.state import MONEY, MatchState
from sixprime.lazy import brief
from sixprime.theory.asked import check_asked

if TYPE_CHECKING:
    from sixprime.engine import Engine
    from sixprime.progress import Stop

SHOWN = 3
"""Best and worst exchanges that are kept."""
_PLAY = Maybe(Instance(Play))


@dataclass(frozen=True, slots=True)
class Counts:
    """What can be counted on the board after a play.

    pips: of the player and of the opponent. blots, points: the player's single chequers, and the points he holds by two
    or more, from the highest down, the bar left out. prime: points held in a row at most. hit: opponent's chequers sent
    to the bar by the play. shots: rolls of 36 with which the opponent can hit at least one blot; shots_at: the same for
    each blot alone, in their order. dances: rolls of 36 with which the opponent cannot move at all.
    """

    pips: tuple[int, int]
    blots: tuple[int, ...]
    points: tuple[int, ...]
    prime: int
    hit: int
    shots: int
    shots_at: tuple[int, ...]
    dances: int

    @property
    def home_points(self) -> int:
        """Points held at home."""
        return sum(point <= 6 for point in self.points)

    @property
    def anchors(self) -> int:
        """Points held in the opponent's home board."""
        return sum(point >= 19 for point in self.points)


@dataclass(frozen=True, slots=True)
class Reply:
    """A roll of the opponent, his best play, and what the game is worth to the player then."""

    dice: tuple[int, int]
    play: str
    equity: float


@dataclass(frozen=True, slots=True)
class Exchange:
    """A roll of the opponent and one of the player, both played best, and what the game is worth to the player then.

    ways: in how many of 1,296 ways the two rolls come up."""

    dice: tuple[tuple[int, int], tuple[int, int]]
    plays: tuple[str, str]
    equity: float
    ways: int


class Window(StrEnum):
    """Where a position lies in the market window of the player on roll."""

    BEFORE = "no double"
    OPEN = "double, take"
    LOST = "double, pass"
    TOO_GOOD = "too good"


@dataclass(frozen=True, slots=True)
class PlayView:
    """One play seen from all sides.

    analysis: what the engine says of it. answer: the cube action of the opponent, who is on roll. replies: to the 21
    rolls, in the order of `ROLLS`. window: rolls of 36 after which the player, on roll again, stands in each part of
    his market window, those that end the game in none; None where he cannot double. best, worst: the exchanges that end
    best and worst, each with another roll of the opponent. A play that ends the game has none of these.
    """

    analysis: PlayAnalysis
    counts: Counts
    answer: CubeAnalysis | None
    replies: tuple[Reply, ...]
    window: Mapping[Window, int] | None
    best: tuple[Exchange, ...]
    worst: tuple[Exchange, ...]

    @property
    def play(self) -> Play:
        """The play."""
        return self.analysis.play

    @property
    def made(self) -> tuple[int, ...]:
        """Points that are held after the play and were not before."""
        before = held(self.play.position.player)
        return tuple(point for point in self.counts.points if point not in before)

    @property
    def broken(self) -> tuple[int, ...]:
        """Points that were held before the play and are not after it."""
        return tuple(point for point in held(self.play.position.player) if point not in self.counts.points)

    @property
    def mean_reply(self) -> float | None:
        """Mean equity over the opponent's rolls; None where the play ends the game."""
        return sum(ways(reply.dice) * reply.equity for reply in self.replies) / 36 if self.replies else None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The best play of a roll beside another one."""

    position: Position
    state: MatchState
    dice: tuple[int, int]
    best: PlayView
    other: PlayView

    def __repr__(self) -> str:
        return brief(self, f"of {self.dice} in {self.position!r}: {self.best.play} beside {self.other.play}")

    @property
    def changed(self) -> tuple[tuple[int, int], ...]:
        """Rolls that the opponent plays otherwise after the other play."""
        pairs = zip(self.best.replies, self.other.replies, strict=False)
        return tuple(one.dice for one, two in pairs if one.play != two.play)

    @property
    def gains(self) -> tuple[float, ...]:
        """For each of `ROLLS` what the best play gains there: the difference of the equities times the ways over 36;
        together the difference of the means."""
        pairs = zip(self.best.replies, self.other.replies, strict=False)
        return tuple(ways(one.dice) * (one.equity - two.equity) / 36 for one, two in pairs)


def explain(
    engine: Engine,
    position: Position,
    dice: tuple[int, int],
    play: Play | None = None,
    *,
    state: MatchState = MONEY,
    stop: Stop | None = None,
) -> Explanation:
    """Sets the best play of a roll beside another.

    play: the other one; the second best if it is the best itself or not given. Plays are judged as deep as the engine
    does, replies one ply less, the rest statically. stop: an event that ends it with StoppedError. Raises SettingsError
    where there is only one play, IllegalPlayError for a play of another position or roll.
    """
    _PLAY("play", play)
    check_asked(engine, position, state)
    dice = check_dice(dice)
    state = state.with_dice(None)
    if play is not None:
        play = Play.between(position, dice, play.result)
    [ranked] = engine.rank_plays_many([PlayRequest(position, dice, state, play)], count=2, stop=stop)
    if len(ranked) < 2:
        raise SettingsError(f"there is only one way to play {dice[0]}{dice[1]} in {position!r}, nothing to compare")
    best = ranked[0]
    other = next((each for each in ranked if each.play == play and each is not best), ranked[1])
    return Explanation(position, state, dice, *(_view(engine, each, state, stop) for each in (best, other)))


def held(side: Sequence[int]) -> tuple[int, ...]:
    """Points that a side holds by two chequers or more, from the highest down."""
    return tuple(point for point in range(BAR, 0, -1) if point < 25 and side[point - 1] > 1)


def count(play: Play) -> Counts:
    """What can be counted after a play."""
    after = play.result
    mine = after.opponent
    blots = tuple(point for point in range(24, 0, -1) if mine[point - 1] == 1)
    points = held(mine)
    shots, dances, at = 0, 0, dict.fromkeys(blots, 0)
    if after.winner is None:
        for dice in ROLLS:
            plays = after.plays(dice)
            # The opponent counts from the other side.
            struck = {25 - step.end for each in plays for step in each.steps if step.hit}
            shots += ways(dice) * bool(struck)
            dances += ways(dice) * (not any(each.steps for each in plays))
            for blot in struck:
                at[blot] += ways(dice)
    return Counts(
        pips=after.pips[::-1],
        blots=blots,
        points=points,
        prime=longest_run(points),
        hit=sum(step.hit for step in play.steps),
        shots=shots,
        shots_at=tuple(at.values()),
        dances=dances,
    )


def longest_run(points: Sequence[int]) -> int:
    """How many of the points lie in a row at most."""
    longest = run = 0
    for point in range(1, 25):
        run = run + 1 if point in points else 0
        longest = max(longest, run)
    return longest


def _view(engine: Engine, analysis: PlayAnalysis, state: MatchState, stop: Stop | None) -> PlayView:
    after, turn = analysis.play.result, state.swapped()
    over = after.winner is not None
    requests = [] if over else [PlayRequest(after, dice, turn) for dice in ROLLS]
    ranked = engine.rank_plays_many(requests, plies=max(engine.plies - 1, 0), count=1, stop=stop)
    replies = [plays[0] for plays in ranked]
    going = [
        (dice, each.play) for dice, each in zip(ROLLS, replies, strict=not over) if each.play.result.winner is None
    ]
    exchanges = sorted(_exchanges(engine, going, state, stop), key=lambda each: each.equity)
    return PlayView(
        analysis=analysis,
        counts=count(analysis.play),
        answer=None if over else engine.cube_action(after, match=turn, stop=stop),
        replies=tuple(
            Reply(dice, str(each.play), opposite(each.cubeful_equity))
            for dice, each in zip(ROLLS, replies, strict=not over)
        ),
        window=None if over else _window(engine, going, state, stop),
        best=_first(reversed(exchanges)),
        worst=_first(exchanges),
    )


def _first(exchanges: Iterable[Exchange]) -> tuple[Exchange, ...]:
    """The first few, each with another roll of the opponent."""
    found: dict[tuple[int, int], Exchange] = {}
    for each in exchanges:
        found.setdefault(each.dice[0], each)
        if len(found) == SHOWN:
            break
    return tuple(found.values())


_Going = Sequence[tuple[tuple[int, int], Play]]
"""Rolls of the opponent with his best plays, those left out that end the game."""


def _exchanges(engine: Engine, going: _Going, state: MatchState, stop: Stop | None) -> Iterator[Exchange]:
    requests = [PlayRequest(play.result, own, state) for _, play in going for own in ROLLS]
    found = iter(engine.rank_plays_many(requests, plies=0, count=1, stop=stop))
    for dice, play in going:
        for own in ROLLS:
            [best] = next(found)
            yield Exchange((dice, own), (str(play), str(best.play)), best.cubeful_equity, ways(dice) * ways(own))


def _window(
    engine: Engine, going: _Going, state: MatchState, stop: Stop | None
) -> FrozenDict[Window, int] | None:  # fmt: skip
    if not CubeState.from_match(state).can_double:
        return None
    number = dict.fromkeys(Window, 0)
    cubes = engine.cube_many([(play.result, state) for _, play in going], plies=0, stop=stop)
    for (dice, _), cube in zip(going, cubes, strict=True):
        number[window_of(cube)] += ways(dice)
    return FrozenDict(number)


def window_of(cube: CubeAnalysis) -> Window:
    """Where the player on roll stands."""
    if cube.too_good:
        return Window.TOO_GOOD
    if not cube.should_double:
        return Window.BEFORE
    return Window.OPEN if cube.should_take else Window.LOST
