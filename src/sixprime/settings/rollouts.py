"""How to roll out, from what was set or said on a command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sixprime.checks import Instance
from sixprime.engine.rollout_settings import PlayerSettings, RolloutSettings

_SAME = (
    *("trials", "seed", "truncate", "truncate_plies", "bearoff_exact", "bearoff_one_sided", "initial", "rotate"),
    *("variance_reduction", "branches", "later_turn", "stop_error", "stop_jsd", "minimum"),
)
_RENAMED = {"truncate": "truncation", "truncate_plies": "truncation_plies"}
_LATER = ("later_turn", "later_plies", "later_cube_plies")


def rollout_settings(values: Mapping[str, Any]) -> RolloutSettings:
    """values: by the keys of `[rollout]`, None for what is not given; `cubeless` and `initial`, too.

    The opponent decides as the player on roll does where nothing else is said of him. Raises SettingsError.
    """
    Instance(Mapping)("values", values)
    given = {name: value for name, value in values.items() if value is not None}
    own = PlayerSettings(**{name: given[name] for name in ("plies", "cube_plies", "filter", "noise") if name in given})
    differing = ("plies", "cube_plies", "noise")
    other = replace(own, **{name: given[f"opponent_{name}"] for name in differing if f"opponent_{name}" in given})
    later = None
    if not given.keys().isdisjoint(_LATER):
        depth = {"plies": given.get("later_plies", 0), "cube_plies": given.get("later_cube_plies", 0)}
        later = replace(own, **depth), replace(other, **depth)
    return RolloutSettings(
        cubeful=not given.get("cubeless", False),
        players=(own, other),
        later=later,
        **{_RENAMED.get(name, name): given[name] for name in _SAME if name in given},
    )
