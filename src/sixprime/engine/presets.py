"""Levels of play by name, from a beginner to truncated rollouts.

Numbers of the levels without rollout: GNU Backgammon's, where its manual and its program say different things the
program's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from sixprime.checks import FLAG, TEXT, Fields, Instance, Maybe, Real, Several, Whole
from sixprime.engine.filters import MAX_PLIES, MoveFilter, get_filter
from sixprime.engine.rollout_settings import MAX_TRIALS, PLIES, PlayerSettings, RolloutSettings
from sixprime.engine.rolls import COUNTS
from sixprime.errors import SettingsError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Preset:
    """How strong an engine judges.

    plies, filter: depth and move filter. prune: whether a small net weeds out replies inside the search.
    noise: standard deviation that is added to static chances; deterministic: whether it is the same at all times.
    rollout: how positions, the best plays and cube decisions are rolled out after the search; None: not at all.
    rolls: how many of the 21 are looked at beyond the first ply: 21, or 11 or 7 that stand for them (see `rolls`).
    cube_near: after judging at 0, 1, ... plies a cube decision is searched on where doubling or taking is within so
    much normalised equity of its alternative; plies without a number are skipped: () searches all to the end.
    deepen: whether cube decisions that are close after 2 plies are searched a third.
    rollout_near: plays within so much normalised equity of the best, and cube decisions of which doubling or taking is
    within so much of its alternative, are rolled out; None: plays within .06, and all cube decisions.
    search_games: as so many games the search counts in the mean with the rollout after it; 0: the rollout counts alone.
    cubeful: whether the cube counts; without it positions, plays and luck are searched as if it stayed where it is, and
    no book is asked. Of rollouts their own `cubeful` says so.
    Raises `SettingsError` for a value out of range.
    """

    name: str
    plies: int
    filter: str | MoveFilter = "normal"
    noise: float = 0.0
    deterministic: bool = True
    prune: bool = True
    rollout: RolloutSettings | None = None
    rolls: int = 21
    cube_near: tuple[float, ...] = ()
    deepen: bool = False
    rollout_near: float | None = None
    search_games: int = 0
    cubeful: bool = True

    def __post_init__(self) -> None:
        _PRESET(self)
        if self.rolls not in COUNTS:
            raise SettingsError(f"rolls must be 7, 11 or 21. Got {self.rolls!r} instead.")
        get_filter(self.filter)


_PRESET = Fields(
    name=TEXT,
    plies=PLIES,
    noise=Real(0, 1),
    deterministic=FLAG,
    prune=FLAG,
    rollout=Maybe(Instance(RolloutSettings)),
    rolls=Whole(1, 21),
    cube_near=Several(Real(0, 1000), MAX_PLIES),
    deepen=FLAG,
    cubeful=FLAG,
    rollout_near=Maybe(Real(0, 1000)),
    search_games=Whole(0, MAX_TRIALS),
)


def _roller(trials: int, truncation: int, player: PlayerSettings, last: int) -> RolloutSettings:
    return RolloutSettings(
        trials=trials, truncation=truncation, truncation_plies=last, players=(player, player), branches=1
    )


PRESETS = {
    preset.name: preset
    for preset in (
        Preset("beginner", 0, noise=0.060),
        Preset("casual", 0, noise=0.050),
        Preset("intermediate", 0, noise=0.040),
        Preset("advanced", 0, noise=0.015),
        Preset("expert", 0),
        Preset("0-ply", 0, "normal-2025"),
        Preset("1-ply", 1, "normal-2025"),
        Preset("reduced", 2, rolls=11),
        Preset("quick", 2, "selective", cube_near=(0.35, 0.15)),
        Preset("2-ply", 2, "normal-2025"),
        Preset("world class", 2, deepen=True),
        Preset("supremo", 2, "large", deepen=True),
        Preset("3-ply", 3, "normal-2025"),
        Preset("deep", 3, "large-selective", cube_near=(0.35, 0.15, 0.05)),
        Preset("grandmaster", 3, "large"),
        Preset("4-ply", 4, "large"),
        Preset(
            "quick roller",
            3,
            "large-selective",
            cube_near=(0.35, 0.15, 0.05),
            rollout=_roller(72, 6, PlayerSettings(), 0),
            rollout_near=0.006,
            search_games=72,
        ),
        Preset("roller", 2, rollout=_roller(72, 6, PlayerSettings(), 0), search_games=72),
        Preset("roller+", 2, rollout=_roller(324, 8, PlayerSettings(), 0), search_games=72),
        Preset("roller++", 2, "large", rollout=_roller(324, 8, PlayerSettings(1, 1, "tiny"), 2), search_games=72),
    )
}
"""Beginner to 4-ply, and four levels with truncated rollouts."""


def get_preset(name: str | Preset) -> Preset:
    """The preset of that name, in which case, blanks, hyphens and underscores do not matter.

    Raises `SettingsError` for an unknown one.
    """
    if isinstance(name, Preset):
        return name
    TEXT("level", name)
    return PRESETS["casual"] if _plain(name) == "casualplay" else named(name, PRESETS)


def named(name: str, levels: Mapping[str, T]) -> T:
    """The level of that name, as `get_preset` reads it. Raises `SettingsError` for an unknown one."""
    known = {_plain(key): level for key, level in levels.items()}
    if _plain(name) not in known:
        raise SettingsError(f"level must be one of {', '.join(levels)}. Got {name!r} instead.")
    return known[_plain(name)]


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character not in " -_")
