"""An engine by the names that settings and command lines use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from sixprime import interrupts
from sixprime.checks import FLAG, TEXT, Maybe
from sixprime.errors import SettingsError, SixprimeError

DEPTH = ("level", "plies", "filter")
"""How deep to judge: one choice, as what a level means is not changed by plies that were set for another."""

if TYPE_CHECKING:
    from sixprime.cube.met import MatchEquityTable
    from sixprime.cube.model import CubeModel
    from sixprime.engine import Engine


def check_settings(
    net: str | None = None,
    *,
    level: str | None = None,
    filter: str | None = None,
    met: str | None = None,
    cube_model: str | None = None,
    executor: str | None = None,
) -> tuple[MatchEquityTable | None, CubeModel]:
    """Raises the error of a wrong setting before files are read and kernels and nets loaded, which takes a while."""
    from sixprime.cube import model

    for name, given in (("net", net), ("met", met), ("cube_model", cube_model), ("executor", executor)):
        Maybe(TEXT)(name, given)
    table = None
    if met:
        from sixprime.cube.met_xml import open_table

        table = open_table(met)
    cubes = model.CubeModel.named(cube_model) if cube_model else model.CubeModel.named(model.DEFAULT)
    if level is not None:
        from sixprime.engine.presets import get_preset

        get_preset(level)
    if filter is not None:
        from sixprime.engine.filters import get_filter

        get_filter(filter)
    if executor is not None:
        from sixprime.engine.executors import parse as parse_executor

        parse_executor(executor)
    if net is not None:
        from sixprime.nets.names import path_of

        path_of(net)
    return table, cubes


def depth_of(*sections: Any) -> dict[str, Any]:
    """What the first of the sections that says anything of it says, as options of `make_engine`."""
    given = ({name: value for name, value in each.given().items() if name in DEPTH} for each in sections)
    return next(filter(None, given), {})


def check_files(given: Mapping[str, Any], *, whole: bool = False) -> None:
    """Raises SettingsError, which names the setting, for a net or table of `[engine]` that cannot be used.

    Reading the settings does not look: what they name may be gone, and a command that needs neither still runs.
    whole: read the net, too, which takes a while.
    """
    for key in ("net", "met"):
        if (value := given.get(key)) is not None:
            try:
                check_settings(**{key: value})
                if whole and key == "net":
                    from sixprime.nets.file import load

                    load(value)
            except (SixprimeError, OSError) as error:
                raise SettingsError(f"engine.{key}: {error}") from None


def make_engine(
    net: str | None = None,
    *,
    level: str | None = None,
    plies: int | None = None,
    filter: str | None = None,
    threads: int | None = None,
    met: str | None = None,
    cube_model: str | None = None,
    executor: str | None = None,
    book: bool = False,
) -> Engine:
    """The engine with these settings, by default those of the level.

    met: name or XML file of a match equity table; cube_model: name; executor: text of a cluster; book: whether it knows
    the openings. Raises SettingsError, DataFileError, EngineError.
    """
    FLAG("book", book)
    table, cubes = check_settings(net, level=level, filter=filter, met=met, cube_model=cube_model, executor=executor)
    with interrupts.deferred():
        from sixprime.engine import Engine
    books = None
    if book:
        from sixprime.learn.openings import OpeningBooks

        books = OpeningBooks()
    return Engine(
        net,
        threads=threads,
        level=level,
        plies=plies,
        filter=filter,
        met=table,
        cube_model=cubes,
        executor=executor,
        book=books,
    )
