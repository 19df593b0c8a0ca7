"""`sixprime bearoff`: build the bear-off databases ahead of their first use, list and check them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter
from cyclopts.validators import Number

from sixprime.cli._common import complain, note, warn_if_cold
from sixprime.errors import DataFileError

bearoff = App(name="bearoff", help_epilogue="Example:  sixprime bearoff build")

Kind = Literal["one-sided", "two-sided"]


@bearoff.command
def build(
    kind: Kind | None = None,
    /,
    *,
    points: Annotated[int, Parameter(validator=Number(gte=1, lte=18))] = 6,
    chequers: Annotated[int | None, Parameter(validator=Number(gte=1, lte=15))] = None,
) -> int:
    """Build the databases the engine uses, or one of another size.

    Parameters
    ----------
    kind
        Which database; without it the one-sided of 15 chequers and the two-sided of 6, both on 6 points.
    points
        How many points a side's chequers may lie on.
    chequers
        How many chequers a side may have: by default 15 one-sided, 6 two-sided.
    """
    warn_if_cold()
    from sixprime.bearoff import one_sided, shelf, two_sided

    wanted: list[Kind] = [kind] if kind else ["one-sided", "two-sided"]
    for name in wanted:
        fetch, usual = (one_sided, 15) if name == "one-sided" else (two_sided, 6)
        fetch(points, chequers or usual)
        path = shelf.path_of(name, points, chequers or usual)
        if path.exists():
            print(_describe(path))
        else:
            note(f"{path} cannot be written; this database is built again whenever it is used.")
    return 0


@bearoff.command(name="list")
def show() -> int:
    """List the databases in the data folder and check that they are whole."""
    from sixprime.bearoff.shelf import path_of

    status = 0
    for path in sorted(path_of("one-sided", 6, 15).parent.glob("*.bearoff")):
        try:
            check(path)
            print(_describe(path))
        except DataFileError as error:
            complain(error)
            status = 1
    return status


def check(path: Path) -> None:
    """Reads a database in full. Raises `DataFileError` when it cannot be used."""
    from sixprime.bearoff import OneSided, TwoSided

    name = re.fullmatch(r"(one-sided|two-sided)-(\d+)x(\d+)", path.stem)
    if name is None:
        raise DataFileError(f"{path} does not have the name of a bear-off database")
    database = OneSided if name[1] == "one-sided" else TwoSided
    database.open(path, int(name[3]), int(name[2]), verify=True)


def _describe(path: Path) -> str:
    return f"{path.stem:<20}{path.stat().st_size / 1e6:9.1f} MB  {path}"
