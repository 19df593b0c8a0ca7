"""The cube and the score, seen by the player on roll."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from sixprime.checks import FLAG, Fields, Instance, Maybe, Pair, Whole
from sixprime.cube.met import MET, MatchEquityTable, load
from sixprime.errors import SettingsError
from sixprime.game.state import CUBE, LIMIT, MOST_POINTS, PLAYER, POINTS, STATE, MatchState

_AWAY = Whole(-MOST_POINTS, MOST_POINTS)
_FIELDS = Fields(
    cube=CUBE,
    owner=Whole(-1, 1),
    length=POINTS,
    away=Pair(_AWAY),
    crawford=FLAG,
    jacoby=FLAG,
    beavers=POINTS,
    limit=LIMIT,
    player=PLAYER,
)
_CUBE = Maybe(CUBE)


@dataclass(frozen=True, slots=True)
class CubeState:
    """Cube and score of the player on roll against the opponent; hashable.

    cube: its value. owner: +1 the player on roll, 0 centred, -1 the opponent.
    length: 0 for money; away: points that each (on roll, opponent) still needs, (0, 0) for money.
    crawford: this is the Crawford game. jacoby, beavers: rules of money play (beavers: how many allowed).
    limit: the largest value the cube may take; 1 for play without cube.
    player: which player of a match equity table is on roll; only tables unlike for both tell 0 from 1.
    Raises SettingsError for a value out of its range, a match already won, and a Crawford game in which nobody needs
    just one point.
    """

    cube: int = 1
    owner: int = 0
    length: int = 0
    away: tuple[int, int] = (0, 0)
    crawford: bool = False
    jacoby: bool = False
    beavers: int = 0
    limit: int = 1024
    player: int = 0

    def __post_init__(self) -> None:
        _FIELDS(self)
        if self.length and min(self.away) < 1:
            raise SettingsError(f"away must be at least 1 in a match. Got {self.away} instead.")
        if self.crawford and (not self.length or 1 not in self.away):
            score = f"{self.away[0]} away, {self.away[1]} away" if self.length else "money play"
            raise SettingsError(f"crawford must be False where neither side needs just one point. Got {score} instead.")

    @classmethod
    def from_match(cls, match: MatchState, *, alike: bool = False) -> CubeState:
        """State of `match` seen by `match.on_roll`; a double not yet answered does not count.

        alike: the players are alike to the match equity table, so that equal situations are equal states.

        Raises SettingsError for what is no match state, and as the class does.
        """
        STATE("match", match)
        mine = match.on_roll
        owner = 0 if match.cube_owner is None else (1 if match.cube_owner == mine else -1)
        if match.length == 0:
            rules = match.crawford, match.jacoby, match.beavers, match.cube_limit
            return cls(match.cube, owner, 0, (0, 0), *rules)
        away = (match.length - match.score[mine], match.length - match.score[1 - mine])
        if min(away) < 1:
            score = " to ".join(map(str, match.score))
            raise SettingsError(f"the match of {match.length} points is over: the score is {score}.")
        player = 0 if alike else mine
        return cls(match.cube, owner, match.length, away, match.crawford, limit=match.cube_limit, player=player)

    @property
    def money(self) -> bool:
        """Whether this is money play."""
        return self.length == 0

    @property
    def next_is_post_crawford(self) -> bool:
        """Whether the next game comes after the Crawford game: this is that game, or it is over."""
        return self.length > 0 and (self.crawford or 1 in self.away)

    @property
    def gammons_count(self) -> bool:
        """Whether gammons pay in money play: not while the cube is centred under the Jacoby rule."""
        return not (self.money and self.jacoby and self.owner == 0)

    @property
    def at_limit(self) -> bool:
        """Whether the cube may not be turned any more by either side."""
        return 2 * self.cube > self.limit or self.crawford

    @property
    def dead_cube(self) -> bool:
        """Whether the player on roll could turn the cube, were it not for the score, the Crawford rule or the limit."""
        return self.owner >= 0 and (self.at_limit or (not self.money and self.cube >= self.away[0]))

    @property
    def can_double(self) -> bool:
        """Whether the player on roll may double."""
        return self.owner >= 0 and not self.dead_cube

    def swapped(self) -> CubeState:
        """The same cube and score with the opponent on roll."""
        player = 0 if self.money else 1 - self.player
        return replace(self, owner=-self.owner, away=self.away[::-1], player=player)

    def doubled(self) -> CubeState:
        """After the player on roll doubled and the opponent took; the player stays on roll."""
        return replace(self, cube=2 * self.cube, owner=-1)

    def outcomes(
        self, met: MatchEquityTable | None = None, cube: int | None = None
    ) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Match-winning chances of the player on roll after winning and after losing 1, 2 and 3 times the cube.

        met: None is the default table. cube: instead of this state's. Raises SettingsError.
        """
        MET("met", met)
        _CUBE("cube", cube)
        table = met or load()
        if self.player:
            table = table.swapped()
        turned = self.cube if cube is None else CUBE.plain(cube)
        return _outcomes(table, self.away, turned, self.next_is_post_crawford)


@lru_cache(maxsize=65536)
def _outcomes(
    met: MatchEquityTable, away: tuple[int, int], cube: int, post_crawford: bool
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    mine, theirs = away
    won = tuple(met.mwc(mine - times * cube, theirs, post_crawford) for times in (1, 2, 3))
    lost = tuple(met.mwc(mine, theirs - times * cube, post_crawford) for times in (1, 2, 3))
    return won, lost


MONEY = CubeState()
"""Money play, centred cube, no Jacoby rule."""


CUBE_STATE = Instance(CubeState)
