"""`MatchState`: everything about a match or money game that the chequers do not show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from sixprime.checks import FLAG, Fields, Instance, Maybe, Pair, Whole
from sixprime.game import codes

MOST_POINTS = 2**31 - 1
"""More than any match is long or any score is high."""
LARGEST_CUBE = 1 << 30
"""More than a cube is ever thought of; one in play shows less (`match_rules.LARGEST_PLAYED_CUBE`)."""
SIZES = ("", "single game", "gammon", "backgammon")
"""What is lost with 1 to 3 times the cube."""
_SIZES = {"normal": 1} | {name: size for size in (1, 2, 3) for name in (str(size), SIZES[size])}


class GameState(IntEnum):
    """How far a game has got; the numbers of the match ID."""

    NONE = 0
    PLAYING = 1
    OVER = 2
    RESIGNED = 3
    DROPPED = 4


def size_of(word: str) -> int:
    """What of `SIZES` a word, its beginning or a number means; "normal" is a single game, 0 none of them."""
    low = word.lower()
    return next((size for name, size in _SIZES.items() if low and name.startswith(low)), 0)


@dataclass(frozen=True, slots=True)
class MatchState:
    """Score, cube, dice and whose turn it is. Players are 0 and 1; `score[p]` is player p's.

    length: points of the match, 0 for money play. cube: value now. cube_owner: None while centred.
    on_roll: whose turn it is; while a double or a resignation is offered, who offered it (the board is seen
    by `on_roll`). turn: who must decide, None for the usual one; read `decider`.
    doubled: a double is offered and `cube` is still the old value. beavered: how often it was turned back, 1 for a
    beaver, 2 for a raccoon. resigned: points offered in multiples of the cube, 0..3.
    jacoby, beavers (how many may follow a double): money play only; in a match they are always off.
    cube_limit: the largest value the cube may take, 1 for play without cube.

    What no file could say either is refused with SettingsError: other types, numbers outside their range. Whether the
    rules allow the rest is judged where it is used.
    """

    length: int = 0
    score: tuple[int, int] = (0, 0)
    cube: int = 1
    cube_owner: int | None = None
    on_roll: int = 1
    turn: int | None = None
    crawford: bool = False
    jacoby: bool = True
    beavers: int = 3
    dice: tuple[int, int] | None = None
    doubled: bool = False
    beavered: int = 0
    resigned: int = 0
    game_state: GameState = GameState.PLAYING
    cube_limit: int = 1024

    def __post_init__(self) -> None:
        _FIELDS(self)
        # One value for one situation, so that equality means what it says.
        if self.length:
            object.__setattr__(self, "jacoby", False)
            object.__setattr__(self, "beavers", 0)
        if self.turn is not None and self.turn == self._usual_decider():
            object.__setattr__(self, "turn", None)

    def _usual_decider(self) -> int:
        answers = self.resigned > 0 or (self.doubled and self.beavered % 2 == 0)
        return 1 - self.on_roll if answers else self.on_roll

    @property
    def decider(self) -> int:
        """The player who must decide now: the one on roll, or the one who answers a double or resignation."""
        return self._usual_decider() if self.turn is None else self.turn

    @property
    def money(self) -> bool:
        """Whether this is money play."""
        return self.length == 0

    def away(self, player: int) -> int:
        """Points that `player` still needs; meaningless in money play. Raises SettingsError."""
        PLAYER("player", player)
        return self.length - self.score[player]

    def owner_for(self, player: int) -> int:
        """1 where the cube is this player's, -1 where it is the other's, 0 while centred. Raises SettingsError."""
        PLAYER("player", player)
        return 0 if self.cube_owner is None else 1 if self.cube_owner == player else -1

    @property
    def post_crawford(self) -> bool:
        """Whether a side needs one point and the Crawford game is over."""
        return self.length > 0 and not self.crawford and (self.away(0) == 1 or self.away(1) == 1)

    def with_dice(self, dice: tuple[int, int] | None) -> MatchState:
        """The same with these dice rolled. Raises SettingsError."""
        return replace(self, dice=dice)

    def before_roll(self) -> MatchState:
        """The beginning of this turn: nothing rolled or offered."""
        return replace(self, turn=None, dice=None, doubled=False, beavered=0, resigned=0)

    def swapped(self) -> MatchState:
        """The next turn: the other player on roll, nothing rolled or offered."""
        return replace(self, on_roll=1 - self.on_roll, turn=None, dice=None, doubled=False, beavered=0, resigned=0)

    def reseated(self) -> MatchState:
        """The same with the players on each other's seats."""
        owner = None if self.cube_owner is None else 1 - self.cube_owner
        turn = None if self.turn is None else 1 - self.turn
        return replace(self, score=self.score[::-1], cube_owner=owner, on_roll=1 - self.on_roll, turn=turn)

    def offered(self) -> MatchState:
        """After the player on roll doubled, before the answer."""
        return replace(self, doubled=True, beavered=0, turn=None, dice=None)

    def taken(self) -> MatchState:
        """After the offered double was taken: twice the cube, owned by the opponent of the player on roll."""
        return replace(self, cube=2 * self.cube, cube_owner=1 - self.on_roll, doubled=False, beavered=0, turn=None)

    @property
    def match_id(self) -> str:
        """The match ID. Beavers and the cube limit do not enter it. Raises InvalidIdError when a field is too large."""
        return codes.encode_match_id(self)

    @classmethod
    def from_match_id(cls, text: str) -> MatchState:
        """The state of a 12-character match ID such as "cIkFAAAAAAAA", beavers allowed in money play.

        Raises InvalidIdError.
        """
        fields = codes.decode_match_id(text)
        return cls(**fields | {"game_state": GameState(fields["game_state"])})


PLAYER = Whole(0, 1)
POINTS = Whole(0, MOST_POINTS)
CUBE, LIMIT = Whole(1, LARGEST_CUBE, power=True), Whole(1, LARGEST_CUBE)
_FIELDS = Fields(
    length=POINTS,
    score=Pair(POINTS),
    cube=CUBE,
    cube_owner=Maybe(PLAYER),
    on_roll=PLAYER,
    turn=Maybe(PLAYER),
    crawford=FLAG,
    jacoby=FLAG,
    doubled=FLAG,
    beavers=POINTS,
    dice=Maybe(Pair(Whole(1, 6))),
    beavered=Whole(0, LARGEST_CUBE.bit_length() - 2),
    resigned=Whole(0, 3),
    game_state=Instance(GameState),
    cube_limit=LIMIT,
)


def at_match_point(length: int, score: Sequence[int]) -> bool:
    """Whether exactly one player of a match needs a single point; length 0 is money play."""
    return length > 1 and (score[0] == length - 1) != (score[1] == length - 1)


STATE = Instance(MatchState)
MONEY = MatchState()
"""Money play with Jacoby and beavers, centred cube."""
