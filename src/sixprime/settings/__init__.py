"""The user's settings: one frozen tree, kept as TOML in the user's folder.

In: the file `settings.toml`, if there is one. Out: a `Settings`, in which None stands for what is built in. Only faces
read it: what the library answers depends on its arguments alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime.lazy import names_of

if TYPE_CHECKING:
    from sixprime.settings.engine import check_files, check_settings, make_engine
    from sixprime.settings.file import change, load, save
    from sixprime.settings.playing import Playing
    from sixprime.settings.rollouts import rollout_settings
    from sixprime.settings.tree import Settings

_HOMES = {
    "engine": ("check_files", "check_settings", "make_engine"),
    "file": ("change", "load", "save"),
    "playing": ("Playing",),
    "rollouts": ("rollout_settings",),
    "tree": ("Settings",),
}

__all__ = [
    "Playing",
    "Settings",
    "change",
    "check_files",
    "check_settings",
    "load",
    "make_engine",
    "rollout_settings",
    "save",
]

__getattr__ = names_of(__name__, _HOMES)
