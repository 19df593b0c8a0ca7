"""How a rollout is made."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from sixprime.engine.filters import MAX_PLIES, MoveFilter, get_filter
from sixprime.engine.noise import Noise
from sixprime.errors import SettingsError

MAX_TRIALS = 10_000_000
STEP = 324
"""Trials after which limits are looked at again: nine times the 36 first throws."""


def _check(name: str, value: int, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise SettingsError(f"{name} must be an integer from {least} to {most}. Got {value!r} instead.")


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
        _check("plies", self.plies, 0, MAX_PLIES)
        _check("cube_plies", self.cube_plies, 0, MAX_PLIES)
        object.__setattr__(self, "filter", get_filter(self.filter).text)
        Noise(self.noise)


@dataclass(frozen=True, slots=True)
class RolloutSettings:
    """Everything that the numbers of a rollout depend on, beside the engine.

    trials: games rolled out of each alternative. seed: of the dice.
    cubeful: with the cube in play; otherwise nobody doubles and outcomes alone are recorded.
    players: how the player on roll at the root and the other one decide.
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
    minimum: trials before either limit counts.

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
        _check("trials", self.trials, 1, MAX_TRIALS)
        _check("seed", self.seed, 0, 2**63 - 1)
        _check("truncation", self.truncation, 0, 1000)
        _check("truncation_plies", self.truncation_plies, 0, MAX_PLIES)
        _check("later_turn", self.later_turn, 0, 1000)
        _check("branches", self.branches, 1, 64)
        _check("minimum", self.minimum, 2, MAX_TRIALS)
        for name in ("players", "later"):
            pair = getattr(self, name)
            known = isinstance(pair, tuple) and len(pair) == 2 and all(isinstance(p, PlayerSettings) for p in pair)
            if not known and not (name == "later" and pair is None):
                raise SettingsError(f"{name} must be two PlayerSettings. Got {pair!r} instead.")
        for name in ("stop_error", "stop_jsd"):
            limit = getattr(self, name)
            if limit is not None and not (isinstance(limit, (int, float)) and 0 < limit < float("inf")):
                raise SettingsError(f"{name} must be above 0, or None. Got {limit!r} instead.")

    def player(self, side: int, turn: int) -> PlayerSettings:
        """How `side` (0: on roll at the root) decides at a turn."""
        late = self.later is not None and turn >= self.later_turn
        return (self.later if late and self.later else self.players)[side]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> RolloutSettings:
        """Inverse of `to_dict`. Raises SettingsError."""
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
