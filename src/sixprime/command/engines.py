"""Engines as the options want them, made when first needed and kept by the interpreter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.command.call import Call
from sixprime.command.options import Eval, Filters, Options

if TYPE_CHECKING:
    from sixprime.cube.met import MatchEquityTable
    from sixprime.engine import Engine
    from sixprime.engine.filters import MoveFilter

DEEPEST = 4
"""Plies that the engine can look ahead."""


def engine(call: Call, settings: Eval, filters: Filters) -> Engine:
    """An engine with these settings and filters, the threads and the match equity table that are set.

    Raises SettingsError for what no engine can do, and as `table` does.
    """
    from sixprime.engine import Engine
    from sixprime.engine.presets import Preset

    options = call.options
    key = (settings, filters, options.threads, options.met, options.invert_met)
    kept: dict[object, Engine] = call.shell.kept.setdefault("engines", {})
    if key not in kept:
        plies, moves = min(settings.plies, DEEPEST), move_filter(filters)
        level = Preset("as set", plies, moves, settings.noise, settings.deterministic, settings.prune)
        kept[key] = Engine(level=level, threads=options.threads, met=table(options))
    return kept[key]


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

    path = Path(name).expanduser()
    stem = path.name.removesuffix(".xml").lower()
    return load(stem) if stem in names() and not path.is_file() else open_table(path)
