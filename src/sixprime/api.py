"""Comfortable forms of what several rooms do together, for the public names of the package."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.analysis.model import AnalysedMatch
from sixprime.checks import Instance, Maybe
from sixprime.game.record import Match

if TYPE_CHECKING:
    from sixprime.engine import Engine, MoveFilter
    from sixprime.progress import Hook, Stop


class MatchReport(AnalysedMatch):
    """An `AnalysedMatch` that can be shown and saved; `str()` gives it as plain text."""

    __slots__ = ()

    def save(self, path: str | Path) -> None:
        """Writes the report in the format of the suffix: `.html`, `.json` or `.txt`.

        Raises `SettingsError` for another suffix, `OSError` when the file cannot be written.
        """
        from sixprime.report import save

        save(self, path)

    def __str__(self) -> str:
        from sixprime.report import match_text

        return match_text(self)


def analyse(
    match: Match,
    engine: Engine | None = None,
    *,
    plies: int | None = None,
    filter: str | MoveFilter | None = None,
    progress: Hook | None = None,
    stop: Stop | None = None,
    executor: str | None = None,
) -> MatchReport:
    """Judges every chequer play and cube decision of both players, and the luck of every roll.

    engine: made with its defaults when not given. plies: how far to look ahead. filter: how many candidates
    are looked at closely; both as the engine does when not given. progress: is told the decisions judged. stop: an
    event that ends it with `StoppedError`.
    executor: a Dask cluster such as "dask://host:8786", None for where the engine works anyway.
    Raises `SettingsError` for settings out of range, `EngineError` when the cluster fails.
    """
    from sixprime.analysis.analyse import analyse as judge
    from sixprime.engine import Engine
    from sixprime.engine.filters import get_filter
    from sixprime.engine.rollout_settings import PLIES

    Instance(Match)("match", match)
    Maybe(Instance(Engine))("engine", engine)
    engine = (engine or Engine()).on(executor)
    depth = engine.plies if plies is None else plies
    PLIES("plies", depth)
    analysed = judge(
        match,
        engine,
        plies=depth,
        filter=get_filter(engine.filter if filter is None else filter).text,
        progress=progress,
        stop=stop,
    )
    return MatchReport(*(getattr(analysed, field.name) for field in fields(analysed)))
