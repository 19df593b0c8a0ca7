"""`sixprime met`: match equity tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from sixprime.cli._common import Flag, UsageError, check_target, note, print_json, whole

if TYPE_CHECKING:
    from sixprime.cube.met import MatchEquityTable

_FIRST = 11  # points shown unless told otherwise
_WIDE = 15  # columns that fit side by side


def met(
    table: str | None = None,
    /,
    *,
    size: Annotated[int | None, whole(2, 64)] = None,
    post_crawford: Flag = False,
    swap: Flag = False,
    xml: Path | None = None,
    list: Flag = False,
    json: Flag = False,
) -> int:
    """Show a match equity table: the chance to win a match, in percent, by the points both still need.

    Parameters
    ----------
    table
        Name of a table, or an XML file in the form of GNU Backgammon; by default the table the engine uses.
    size
        Points to show or write; by default 11 to show, all of the table's own to write.
    post_crawford
        Show only the chances of the trailer after the Crawford game.
    swap
        Exchange the two players.
    xml
        Write the table to this XML file instead.
    list
        Show the names of all tables.
    json
        Print one JSON object.
    """
    from sixprime.cube.met import DEFAULT, load, names
    from sixprime.cube.met_xml import open_table, write_xml

    if list:
        if table is not None or xml is not None:
            raise UsageError("--list takes no table and writes no file")
        tables = [(name, load(name)) for name in names()]
        if json:
            print_json({"tables": [{"table": name, "name": t.name, "length": t.length} for name, t in tables]})
        else:
            for name, found in tables:
                print(f"{name:<20}{found.length:>3} points  {found.name}")
        return 0
    if xml is not None:
        check_target(xml, "--xml")
    chosen = open_table(table or DEFAULT)
    if swap:
        chosen = chosen.swapped()
    if xml is not None:
        write_xml(chosen, xml, size)
        note(f"wrote {xml}")
        return 0
    size = size or min(_FIRST, chosen.length)
    if json:
        print_json(_to_dict(chosen, size, post_crawford))
    else:
        _show(chosen, size, post_crawford)
    return 0


def _to_dict(table: MatchEquityTable, size: int, post_crawford: bool) -> dict[str, object]:
    pre = {} if post_crawford else {"pre": [[round(v, 7) for v in row[:size]] for row in table.pre[:size].tolist()]}
    return {
        "name": table.name,
        "description": table.description,
        "provenance": table.provenance,
        "length": table.length,
        "size": size,
        "symmetric": table.is_symmetric,
        **pre,
        "post": [[round(v, 7) for v in row[:size]] for row in table.post.tolist()],
    }


def _show(table: MatchEquityTable, size: int, post_crawford: bool) -> None:
    print(table.name)
    if table.description and table.description != table.name:
        print(table.description)
    if not post_crawford:
        print("\nBefore a game. Down: points player 0 needs, across: player 1; 1 is the Crawford game.")
        _grid([str(i + 1) for i in range(size)], table.pre[:size, :size].tolist())
    print("\nAfter the Crawford game: the trailer's chance, by the points he needs.")
    if table.is_symmetric:
        _grid([""], table.post[:1, :size].tolist())
    else:
        _grid(["player 0", "player 1"], table.post[:, :size].tolist())


def _grid(labels: list[str], rows: list[list[float]]) -> None:
    """Rows of chances in percent, as many columns at a time as fit."""
    width = max(map(len, labels))
    size = len(rows[0])
    for first in range(0, size, _WIDE):
        columns = range(first, min(first + _WIDE, size))
        print(" " * width + "".join(f"{j + 1:>6}" for j in columns))
        for label, row in zip(labels, rows, strict=True):
            print(f"{label:>{width}}" + "".join(f"{100 * row[j]:6.1f}" for j in columns))
