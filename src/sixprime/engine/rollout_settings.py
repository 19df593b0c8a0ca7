"""How a rollout is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sixprime.checks import FLAG, SEED, Fields, Instance, Maybe, Pair, Real, Whole
from sixprime.engine.filters import MAX_PLIES, MoveFilter, get_filter
from sixprime.errors import SettingsError

MAX_TRIALS = 10_000_000
ROUND = 36
"""Trials whose first throws are all that there are."""
STEP = 9 * ROUND
"""Trials after which limits are looked at again."""


@dataclass(frozen=True, slots=True)
class PlayerSettings:
    """How one player decides. plies, cube_plies: depth of chequer plays and of cube decisions; filter: a move filter,
    kept as its text. noise: standard deviation of what he misjudges chances by (see `noise`), for games of weaker
    players.

    Raises SettingsError for a value out of range.
    """

    plies: int = 0
    cube_plies: int = 0
    filter: str | MoveFilter = "normal"
    noise: float = 0.0

    def __post_init__(self) -> None:
        _PLAYER(self)
        object.__setattr__(self, "filter", get_filter(self.filter).text)


PLIES = Whole(0, MAX_PLIES)
_PLAYER = Fields(plies=PLIES, cube_plies=PLIES, noise=Real(0, 1))


@dataclass(frozen=True, slots=True)
class RolloutSettings:
    """Everything that the numbers of a rollout depend on, beside the engine.

    trials: games rolled out of each alternative. seed: of the dice.
    cubeful: with the cube in play; otherwise nobody doubles and outcomes alone are recorded.
    players: how the player on roll in the position, who makes the play where plays are rolled out, and his opponent
    decide.
    later, later_turn: how both decide from that turn on (the first turn is 0), None for no change.
    truncation: turns after which a game is cut and judged by `truncation_plies`; 0 plays to the end.
    bearoff_exact: whether a game ends where the two-sided database knows its value (not in cubeful matches).
    bearoff_one_sided: the same for the one-sided database in cubeless rollouts.
    initial: every game begins with a first roll, which is never a double.
    rotate: quasi-random dice (see `rollout_dice`). variance_reduction: take out luck by lookahead.
    branches: a game whose cube is taken a second time goes on that many times, and twice as often with each further
    take; it counts as their mean. The few games with high cubes make most of the variance. 1: never.
    stop_error: stop when the standard error of every alternative's equity is at most this; None never stops.
    stop_jsd: stop rolling out alternatives behind the best by more than this many joint standard deviations.
    minimum: trials before either limit counts. Limits are looked at every 324 trials; where the minimum is less, also
    there and at twice as many each time (36, 72, 144, 288).

    Raises SettingsError for a value out of range.
    """

    trials: int = 1296
    seed: int = 1
    cubeful: bool = True
    players: tuple[PlayerSettings, PlayerSettings] = (PlayerSettings(), PlayerSettings())
    later: tuple[PlayerSettings, PlayerSettings] | None = None
    later_turn: int = 5
    truncation: int = 0
    truncation_plies: int = 0
    bearoff_exact: bool = True
    bearoff_one_sided: bool = True
    initial: bool = False
    rotate: bool = True
    variance_reduction: bool = True
    branches: int = 2
    stop_error: float | None = None
    stop_jsd: float | None = None
    minimum: int = field(default=STEP)

    def __post_init__(self) -> None:
        _ROLLOUT(self)

    def player(self, side: int, turn: int) -> PlayerSettings:
        """How a player decides at a turn; side: 0 the one on roll in the position, 1 his opponent."""
        _SIDE("side", side)
        _TURNS("turn", turn)
        late = self.later is not None and turn >= self.later_turn
        return (self.later if late and self.later else self.players)[side]

    @property
    def alike(self) -> bool:
        """Whether both players decide alike."""
        return all(first == second for first, second in filter(None, (self.players, self.later)))

    def exchanged(self) -> RolloutSettings:
        """The same, with either player deciding as the other one."""
        return replace(self, players=self.players[::-1], later=self.later and self.later[::-1])

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> RolloutSettings:
        """Inverse of `to_dict`. Raises SettingsError."""
        _VALUES("values", values)
        try:
            plain = dict(values)
            for name in ("players", "later"):
                if plain.get(name) is not None:
                    first, second = (PlayerSettings(**player) for player in plain[name])
                    plain[name] = (first, second)
            return cls(**plain)
        except (TypeError, ValueError) as error:
            if isinstance(error, SettingsError):
                raise
            raise SettingsError(f"rollout settings cannot be read: {error}") from None


_VALUES = Instance(Mapping, "a dictionary")
_SIDE, _TURNS = Whole(0, 1), Whole(0, 1 << 30)
_TURN, _PLAYERS, _LIMIT = Whole(0, 1000), Pair(Instance(PlayerSettings)), Maybe(Real(0, 1e9, above=True))
_ROLLOUT = Fields(
    trials=Whole(1, MAX_TRIALS),
    seed=SEED,
    cubeful=FLAG,
    players=_PLAYERS,
    later=Maybe(_PLAYERS),
    later_turn=_TURN,
    truncation=_TURN,
    truncation_plies=PLIES,
    bearoff_exact=FLAG,
    bearoff_one_sided=FLAG,
    initial=FLAG,
    rotate=FLAG,
    variance_reduction=FLAG,
    branches=Whole(1, 64),
    stop_error=_LIMIT,
    stop_jsd=_LIMIT,
    minimum=Whole(2, MAX_TRIALS),
)
