"""The commands, group by group; importing a module enters what it holds."""

from __future__ import annotations

from sixprime.command.tables import (
    analysing,
    answering,
    dice,
    evaluating,
    exporting,
    files,
    general,
    gui,
    marking,
    navigating,
    playing,
    positions,
    relational,
    rolling,
    settings,
    switches,
)

from sixprime.command.tables import missing  # isort: skip  # after all that are done
from sixprime.command.tree import ROOT

__all__ = [
    "ROOT",
    "analysing",
    "answering",
    "dice",
    "evaluating",
    "exporting",
    "files",
    "general",
    "gui",
    "marking",
    "missing",
    "navigating",
    "playing",
    "positions",
    "relational",
    "rolling",
    "settings",
    "switches",
]
