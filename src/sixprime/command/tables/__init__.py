"""The commands, group by group; importing a module enters what it holds."""

from __future__ import annotations

from sixprime.command.tables import evaluating, general, gui, playing, relational, switches
from sixprime.command.tree import ROOT

__all__ = ["ROOT", "evaluating", "general", "gui", "playing", "relational", "switches"]
