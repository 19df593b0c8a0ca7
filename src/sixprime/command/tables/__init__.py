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
    program,
    relational,
    rolling,
    settings,
    switches,
    theory,
)
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
    "navigating",
    "playing",
    "positions",
    "program",
    "relational",
    "rolling",
    "settings",
    "switches",
    "theory",
]
