"""What the functions of this package are asked, looked at before anything is computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime.checks import Instance
from sixprime.game.position import POSITION, Position
from sixprime.game.state import STATE, MatchState

if TYPE_CHECKING:
    from sixprime.engine import Engine


def check_asked(engine: Engine, position: Position, match: MatchState) -> None:
    """Raises SettingsError for what is no engine, position or match state."""
    from sixprime.engine import Engine

    Instance(Engine)("engine", engine)
    POSITION("position", position)
    STATE("match", match)
