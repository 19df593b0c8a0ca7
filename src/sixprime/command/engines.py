"""Engines as the options want them, made when first needed and kept by the interpreter."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sixprime.command.call import Call
from sixprime.command.options import CubeEfficiency, Decision, Eval, Filters, Options, Rollout
from sixprime.paths import expanded

if TYPE_CHECKING:
    from sixprime.cube.met import MatchEquityTable
    from sixprime.cube.model import CubeModel
    from sixprime.engine import Engine
    from sixprime.engine.filters import MoveFilter

_KEPT = 16
"""Engines that are remembered."""
DEEPEST = 4
"""Plies that the engine can look ahead."""


def engine(call: Call, settings: Eval, filters: Filters, rollout: Rollout | None = None, *, on_roll: int = 0) -> Engine:
    """An engine with these settings and filters, the nets, threads, table and cube efficiencies that are set.

    rollout: how it rolls out what it judges, for a player on roll; None: not at all. Raises SettingsError for what no
    engine can do, DataFileError for nets that are not there any more, and as `table` does.
    """
    from sixprime.command.rollouts import rollout_settings
    from sixprime.engine import Engine
    from sixprime.engine.presets import Preset

    options, weights = call.options, call.shell.kept.get("weights")
    side = on_roll if rollout is not None and not alike(rollout) else 0
    key = (
        *(settings, filters, rollout, side, weights),
        *(options.threads, options.met, options.invert_met, options.cubeefficiency),
    )
    kept: dict[object, Engine] = call.shell.kept.setdefault("engines", {})
    if key not in kept:
        plies, moves = min(settings.plies, DEEPEST), move_filter(filters)
        rolled = None if rollout is None else rollout_settings(rollout, side)
        level = Preset(
            "as set",
            plies,
            moves,
            settings.noise,
            settings.deterministic,
            settings.prune,
            rolled,
            deepen=True,
            cubeful=settings.cubeful,
        )
        while len(kept) >= _KEPT:
            del kept[next(iter(kept))]
        kept[key] = Engine(
            weights,
            level=level,
            threads=options.threads,
            met=table(options),
            cube_model=cube_model(options.cubeefficiency),
        )
    return kept[key]


def engine_of(call: Call, decision: Decision, filters: Filters, *, on_roll: int = 0) -> Engine:
    """An engine that evaluates or rolls out, as is set of decisions of one kind. Raises as `engine`."""
    rollout = decision.rollout if decision.type == "rollout" else None
    return engine(call, decision.evaluation, filters, rollout, on_roll=on_roll)


def cube_engine(call: Call, decision: Decision, filters: Filters, *, on_roll: int = 0) -> Engine:
    """The same for cube decisions. Raises as `engine`."""
    return engine_of(call, with_cube(decision), filters, on_roll=on_roll)


def with_cube(decision: Decision) -> Decision:
    """How a cube decision is judged: with the cube, whatever is set."""
    evaluation = replace(decision.evaluation, cubeful=True)
    return replace(decision, evaluation=evaluation, rollout=replace(decision.rollout, cubeful=True))


def alike(rollout: Rollout) -> bool:
    """Whether both players decide alike in rollouts."""
    pairs = (rollout.chequer, rollout.cube, rollout.filter)
    late = (rollout.later_chequer, rollout.later_cube, rollout.later_filter) if rollout.later else ()
    return all(first == second for first, second in (*pairs, *late))


def cube_model(efficiency: CubeEfficiency) -> CubeModel:
    """How the cube is valued: by the efficiencies that `show cubeefficiency` tells."""
    from sixprime.cube.janowski import CLASSIC, Efficiencies, Janowski

    if efficiency == CubeEfficiency():
        return CLASSIC
    race = (efficiency.coefficient, efficiency.factor, efficiency.min, efficiency.max)
    return Janowski(Efficiencies(efficiency.os, efficiency.os, efficiency.crashed, efficiency.contact, race))


def move_filter(filters: Filters, name: str = "as set") -> MoveFilter:
    """The filter of the engine. Raises SettingsError."""
    from sixprime.engine.filters import Level, MoveFilter

    return MoveFilter(name, tuple(tuple(Level(*level) for level in levels) for levels in filters))


def table(options: Options) -> MatchEquityTable:
    """The match equity table that is set. Raises as `open_table`."""
    found = open_met(options.met)
    return found.swapped() if options.invert_met else found


def open_met(name: str) -> MatchEquityTable:
    """The table of an XML file; of a packaged one where there is no such file but a table is called so.

    Raises SettingsError for what is neither, OSError, InvalidFileError.
    """
    from sixprime.cube.met import load, names
    from sixprime.cube.met_xml import open_table

    path = expanded(name)
    stem = path.name.removesuffix(".xml").lower()
    return load(stem) if stem in names() and not path.is_file() else open_table(path)
