"""The commands, group by group; importing a module enters what it holds."""

from __future__ import annotations

from sixprime.command.tables import (
    answering,
    dice,
    evaluating,
    files,
    general,
    gui,
    navigating,
    playing,
    positions,
    relational,
    settings,
    switches,
)
from sixprime.command.tree import ROOT

__all__ = [
    "ROOT",
    "answering",
    "dice",
    "evaluating",
    "files",
    "general",
    "gui",
    "navigating",
    "playing",
    "positions",
    "relational",
    "settings",
    "switches",
]
