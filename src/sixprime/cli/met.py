"""`sixprime met`: match equity tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from sixprime.cli._common import Flag, UsageError, check_target, note, print_json, whole

_FIRST = 11  # points shown unless told otherwise


def met(
    table: str | None = None,
    /,
    *,
    size: Annotated[int | None, whole(2, 64)] = None,
    post_crawford: Flag = False,
    swap: Flag = False,
    xml: Path | None = None,
    met: Path | None = None,
    list: Flag = False,
    json: Flag = False,
) -> int:
    """Show a match equity table: the chance to win a match, in percent, by the points both still need.

    Parameters
    ----------
    table
        Name of a table, an XML file in the form of GNU Backgammon or a .met file of eXtreme Gammon; by default the
        table the engine uses.
    size
        Points to show or write; by default 11 to show, all of the table's own to write.
    post_crawford
        Show only the chances of the trailer after the Crawford game.
    swap
        Exchange the two players.
    xml
        Write the table to this XML file instead.
    met
        Write the table to this file for eXtreme Gammon instead.
    list
        Show the names of all tables.
    json
        Print one JSON object.
    """
    from sixprime.cube.met import DEFAULT, load, names
    from sixprime.cube.met_xg import write_met
    from sixprime.cube.met_xml import open_table, write_xml
    from sixprime.report.console import console_of
    from sixprime.report.met import met_text, met_to_dict

    if list:
        if table is not None or xml is not None or met is not None:
            raise UsageError("--list takes no table and writes no file")
        tables = [(name, load(name)) for name in names()]
        if json:
            print_json({"tables": [{"table": name, "name": t.name, "length": t.length} for name, t in tables]})
        else:
            for name, found in tables:
                print(f"{name:<20}{found.length:>3} points  {found.name}")
        return 0
    if xml is not None and met is not None:
        raise UsageError("--xml and --met write one file each time: name one of them")
    for target, option in ((xml, "--xml"), (met, "--met")):
        if target is not None:
            check_target(target, option)
    chosen = open_table(table or DEFAULT)
    if swap:
        chosen = chosen.swapped()
    if (target := xml or met) is not None:
        (write_met if target is met else write_xml)(chosen, target, size)
        note(f"wrote {target}")
        return 0
    size = size or min(_FIRST, chosen.length)
    if json:
        print_json(met_to_dict(chosen, size, post_crawford=post_crawford))
    else:
        print(met_text(chosen, size, post_crawford=post_crawford, columns=console_of(None).width))
    return 0
