"""How matches are analysed, by the names that settings and command lines use."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sixprime.analysis.depth import Depth, Depths
from sixprime.engine.filters import get_filter
from sixprime.engine.presets import get_preset
from sixprime.errors import SettingsError

if TYPE_CHECKING:
    from sixprime.engine import Engine, RolloutSettings


@dataclass(frozen=True, slots=True)
class Second:
    """How the doubtful are judged again. rollout, search_games: as in `Preset`."""

    depth: Depth
    rollout: RolloutSettings | None
    search_games: int


def depths_of(
    level: str | None = None,
    plies: int | None = None,
    filter: str | None = None,
    cube_plies: int | None = None,
    players: tuple[str | None, str | None] = (None, None),
) -> Depths:
    """How closely both players are looked at. Raises SettingsError."""
    preset = get_preset(level) if level is not None else None
    depth = plies if plies is not None else preset.plies if preset is not None else 2
    moves = get_filter(filter if filter is not None else preset.filter if preset is not None else "normal").text
    base = Depth(depth, depth if cube_plies is None else cube_plies, moves)
    one, two = (base if text is None else Depth.parse(text, base) for text in players)
    return one, two


def second_of(level: str | None) -> Second | None:
    """Raises SettingsError for a level that misjudges on purpose."""
    if level is None:
        return None
    preset = get_preset(level)
    if preset.noise:
        raise SettingsError(f"second: {level} misjudges on purpose; name expert or a stronger level")
    depth = Depth(preset.plies, preset.plies, get_filter(preset.filter).text)
    return Second(depth, preset.rollout, preset.search_games)


def rollout_how(
    engine: Engine, second: Second | None, *, wanted: bool = False, trials: int | None = None
) -> tuple[RolloutSettings | None, int | None]:
    """How an analysis rolls out the doubtful, and its `search_games`: by the level of the engine, where wanted, or by
    that which judges again. trials: so many games instead. Raises SettingsError."""
    from sixprime.api import rollouts_of

    rolled = rollouts_of(engine, wanted=wanted, trials=trials)
    if rolled is not None or second is None or second.rollout is None:
        return rolled, None
    return replace(second.rollout, trials=trials) if trials else second.rollout, second.search_games
