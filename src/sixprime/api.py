"""Comfortable forms of what several rooms do together, for the public names of the package."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sixprime.analysis.model import AnalysedMatch
from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, Thresholds
from sixprime.checks import Instance, Maybe, listed
from sixprime.checks import path as path_of
from sixprime.game.position import Position
from sixprime.game.record import MATCH, Match
from sixprime.game.state import MONEY, MatchState

if TYPE_CHECKING:
    from sixprime.analysis.depth import Depth, Depths
    from sixprime.cube.met import MatchEquityTable
    from sixprime.engine import CubeAnalysis, Engine, Evaluation, MoveFilter, RolloutSettings
    from sixprime.formats import Format
    from sixprime.game import ParsedPosition
    from sixprime.progress import Hook, Stop
    from sixprime.report.export import ExportOptions


class MatchReport(AnalysedMatch):
    """An `AnalysedMatch` that can be shown and saved; `str()` gives it as plain text."""

    __slots__ = ()

    def save(self, path: str | Path) -> None:
        """Writes the report in the format of the suffix: `.html`, `.json`, `.txt`, `.sgf`, or `.sixprime` for
        `load_analysis`.

        Raises `SettingsError` for another suffix, `OSError` when the file cannot be written.
        """
        from sixprime.report import save

        save(self, path)

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each decision, for `pandas.DataFrame` and `polars.DataFrame`; columns: `report.rows.COLUMNS`."""
        from sixprime.report import to_rows

        return to_rows(self)

    def export(
        self,
        path: str | Path,
        options: ExportOptions | None = None,
        *,
        form: str | None = None,
        templates: str | Path | None = None,
        game: int | None = None,
        move: int | None = None,
        met: MatchEquityTable | None = None,
    ) -> list[Path]:
        """Writes the match in another form, by default that of the suffix, and returns the files.

        options: what to show and how. form: one of `sixprime export --formats`. templates: a folder of templates used
        instead of those built in. game, move: only that game, only that position of it. met: the match equity
        table of the engine that judged, None for the default one.
        Raises `SettingsError` for what does not exist or a template that is wrong, `OSError` when a file cannot be
        written.
        """
        from sixprime.report.export import export

        return export(self, path, options, form=form, templates=templates, game=game, move=move, met=met)

    def __str__(self) -> str:
        from sixprime.report import match_text

        return match_text(self)


def evaluate_with_cubes(
    engine: Engine, positions: Sequence[ParsedPosition], *, plies: int | None = None, stop: Stop | None = None
) -> list[tuple[Evaluation, CubeAnalysis]]:
    """Evaluations and cube decisions from one search of them all: "no double" is the cubeful equity.

    stop: an event that ends the search with `StoppedError`. Raises `InvalidPositionError`, `EngineError`.
    """
    cubes = engine.cube_many([(each.position, each.state) for each in positions], plies=plies, stop=stop)
    static = engine.evaluate_many(
        [each.position for each in positions], match=[each.state for each in positions], plies=0, stop=stop
    )
    return [
        (
            replace(
                evaluation,
                probabilities=cube.probabilities,
                cubeless_equity=cube.probabilities.cubeless,
                cubeful_equity=cube.no_double,
                mwc=cube.mwc_no_double,
                plies=cube.plies,
                effective_x=cube.effective_x,
            ),
            cube,
        )
        for evaluation, cube in zip(static, cubes, strict=True)
    ]


def write(
    match: Match | Sequence[Match], path: str | os.PathLike[str], format: Format | str | None = None
) -> list[Path]:
    """Writes a match or several in a format given by name or by the extension of the file, replacing it in one step.

    Values of analyses are turned to what the format has: equities or match-winning chances. Where one file cannot hold
    everything, the others are called name_002, name_003, ... Returns all paths. `FORMATS[name].losses(match)` of
    `sixprime.formats` tells what a format cannot hold.
    Raises SettingsError for an unknown format, InvalidFileError for what it cannot hold, OSError when a file cannot
    be written.
    """
    from sixprime import formats
    from sixprime.analysis.prepared import prepared

    place = path_of(path)
    known = format if isinstance(format, formats.Format) else formats.format_for(format, place)
    matches = [match] if isinstance(match, Match) else listed("match", match, Match)
    return formats.write(prepared(matches, known.name), place, known)


def analyse(
    match: Match,
    engine: Engine | None = None,
    *,
    plies: int | None = None,
    filter: str | MoveFilter | None = None,
    depths: Depths | None = None,
    second: Depth | None = None,
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
    known: AnalysedMatch | None = None,
    rollout: RolloutSettings | None = None,
    progress: Hook | None = None,
    stop: Stop | None = None,
    executor: str | None = None,
) -> MatchReport:
    """Judges every chequer play and cube decision of both players, and the luck of every roll.

    engine: made with its defaults when not given. plies: how far to look ahead. filter: how many candidates
    are looked at closely; both as the engine does when not given. depths: the same for each player, two of
    `analysis.depth.Depth`, for plays and cubes apart; second: how what is marked is judged again. known: an earlier
    analysis, used where it is as close. thresholds: where marks begin. rollout: how decisions with a mark are rolled
    out, None: not at all (see `rollouts_of`).
    progress: is told the decisions judged. stop: an event that ends the search with `StoppedError`, and the rollouts
    after it with what is there; the match is then not `finished`.
    executor: a Dask cluster such as "dask://host:8786", None for where the engine works anyway.
    Raises `SettingsError` for settings out of range, `EngineError` when the cluster fails.
    """
    from sixprime.analysis.analyse import analyse as judge
    from sixprime.engine import Engine
    from sixprime.engine.filters import get_filter
    from sixprime.engine.rollout_settings import PLIES, RolloutSettings

    MATCH("match", match)
    Maybe(Instance(Engine))("engine", engine)
    Maybe(Instance(RolloutSettings))("rollout", rollout)
    engine = (engine or Engine()).on(executor)
    depth = engine.plies if plies is None else plies
    PLIES("plies", depth)
    analysed = judge(
        match,
        engine,
        plies=depth,
        filter=get_filter(engine.filter if filter is None else filter).text,
        depths=depths,
        second=second,
        thresholds=thresholds,
        known=known,
        rollout=None if rollout is None else (engine, rollout),
        progress=progress,
        stop=stop,
    )
    return _report(analysed)


def analyse_position(
    position: Position, state: MatchState = MONEY, engine: Engine | None = None, *, dice: tuple[int, int] | None = None
) -> MatchReport:
    """One position as a report: its plays where there is a roll, else the cube decision.

    state: score, cube and perhaps dice. engine: made with its defaults when not given. dice: instead of the state's.
    Raises `InvalidPositionError`, `EngineError`.
    """
    from sixprime.analysis.single import judged_position, position_match
    from sixprime.engine import Engine

    Instance(Position)("position", position)
    Instance(MatchState)("state", state)
    Maybe(Instance(Engine))("engine", engine)
    position.check()
    state = state if dice is None else state.with_dice(dice)
    return _report(judged_position(position_match(position, state), engine or Engine()))


def rollouts_of(engine: Engine, *, wanted: bool = False, trials: int | None = None) -> RolloutSettings | None:
    """How an analysis rolls out what is doubtful: as the engine's level does, else, where wanted, by 324 games each.

    trials: so many games instead. Raises `SettingsError`.
    """
    from sixprime.engine import RolloutSettings

    settings = engine.level.rollout or (RolloutSettings(trials=324) if wanted else None)
    return replace(settings, trials=trials) if settings and trials else settings


def doubts(match: Match) -> list[str]:
    """Why not to trust an analysis of a match on this machine; empty where there is no reason."""
    from sixprime.bearoff import hyper

    if match.variant == "hypergammon3" and hyper.find(3) is None:
        return [
            "do not trust these numbers, the nets know games of 15 chequers; "
            "run sixprime bearoff build hyper 3 for exact ones"
        ]
    return []


def load_analysis(path: str | Path) -> MatchReport:
    """The analysis that `MatchReport.save` wrote to a file that ends in `.sixprime`, equal to what was saved.

    Raises `InvalidFileError`, which says where in the file, for one that is damaged or something else; `OSError`.
    """
    from sixprime import codec

    return _report(codec.load(path, AnalysedMatch))


def _report(analysed: AnalysedMatch) -> MatchReport:
    return MatchReport(*(getattr(analysed, field.name) for field in fields(analysed)))
