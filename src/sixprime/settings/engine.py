"""An engine by the names that settings and command lines use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sixprime import interrupts

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
    the openings.
    """
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
