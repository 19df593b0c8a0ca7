"""Match equity tables as XML files, the form GNU Backgammon has (`met.dtd`).

    met > info > name, description, length
        > pre-crawford-table type="explicit | zadeh | mec"
        > post-crawford-table type="explicit | zadeh | mec" player="both | 0 | 1"

An explicit table holds rows of chances, a row per points the player needs; the others hold named parameters from
which `calculators` computes it for any length.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from sixprime.checks import shown
from sixprime.cube import calculators
from sixprime.cube.met import MAX_AWAY, MatchEquityTable, extend, extend_row, load, names
from sixprime.cube.met_xg import is_met, read_met
from sixprime.errors import InvalidFileError, SettingsError, UnreadableFileError
from sixprime.paths import replacing
from sixprime.reading import TEXT, parse_xml, read_bytes

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_Array = NDArray[np.float64]


def open_table(name: Path | str) -> MatchEquityTable:
    """The table of a name (see `met.names`), of an XML file, or of a `.met` file of eXtreme Gammon.

    Raises SettingsError for what is none of these, and the errors of `read_xml` and `met_xg.read_met`.
    """
    if str(name) in names():
        return load(str(name))
    path = Path(name)
    if path.suffix.lower() in (".xml", ".met") or os.path.exists(path):
        try:
            data = read_bytes(path, TEXT)
        except UnreadableFileError as error:
            raise InvalidFileError(str(error.strerror), path=path) from None
        named = path.suffix.lower() == ".met" and not data.lstrip().startswith(b"<")
        return read_met(path, data) if named or is_met(data) else read_xml(path, data)
    raise SettingsError(f"no match equity table and no file {str(name)!r}: tables are {', '.join(names())}")


def read_xml(path: Path | str, data: bytes | None = None) -> MatchEquityTable:
    """Reads a table. data: what is in the file, where that is known.

    Raises OSError, and InvalidFileError for a file that is no XML, lacks a part or holds a chance outside 0..1.
    """
    path = Path(path)

    def wrong(text: str) -> InvalidFileError:
        return InvalidFileError(text, path=path)

    try:
        root = parse_xml(read_bytes(path, TEXT) if data is None else data)
    except UnreadableFileError as error:
        raise wrong(str(error.strerror)) from None
    except ValueError as error:
        raise wrong(f"not XML: {error}") from None
    if root.tag != "met":
        raise wrong(f"expected the element <met> of a match equity table, found <{root.tag[:60]}>")

    name = _text(root, "info/name") or path.stem
    pre_element = root.find("pre-crawford-table")
    if pre_element is None:
        raise wrong("<pre-crawford-table> is missing")
    kind = pre_element.get("type", "explicit")
    length = _length(root, pre_element, wrong) if kind == "explicit" else MAX_AWAY

    rows: dict[int, _Array] = {}
    crawford_gammon = calculators.CRAWFORD_GAMMON
    for element in root.findall("post-crawford-table"):
        player = element.get("player", "both")
        if player not in ("both", "0", "1"):
            raise wrong(f'the player of <post-crawford-table> is "both", "0" or "1", found {shown(player)}')
        for which in (0, 1) if player == "both" else (int(player),):
            rows[which], crawford_gammon = _post(element, which, length if kind == "explicit" else 1, wrong)
    if len(rows) < 2:
        raise wrong("<post-crawford-table> is missing for one player or both")
    post = np.stack([extend_row(rows[0]), extend_row(rows[1])])

    if kind == "explicit":
        found = [_numbers(row, "me", wrong) for row in pre_element.findall("row")]
        if len(found) < length or any(len(row) < length for row in found[:length]):
            raise wrong(f"expected {length} rows of {length} chances in <pre-crawford-table>")
        pre = np.array([row[:length] for row in found[:length]])
    elif kind == "zadeh":
        names = {"gammon-rate-leader": 0.25, "gammon-rate-trailer": 0.15, "delta": 0.08, "delta-bar": 0.06}
        leader, trailer, delta, delta_bar = _parameters(pre_element, names, wrong)
        pre = _worked_out(wrong, calculators.zadeh, post, leader, trailer, delta, delta_bar, crawford_gammon)
    elif kind == "mec":
        gammon, win = _parameters(pre_element, {"gammon-rate": 0.26, "win-rate": 0.5}, wrong)
        pre = _worked_out(wrong, calculators.mec, post, gammon, win)
    else:
        raise wrong(f'the type of <pre-crawford-table> is "explicit", "zadeh" or "mec", found {shown(kind)}')
    if kind == "explicit":
        pre, post = extend(pre, post)
    description, source = _text(root, "info/description"), f"read from {path.name}"
    return MatchEquityTable(name, description, source, length, pre, post)


def write_xml(table: MatchEquityTable, path: Path | str, size: int | None = None) -> None:
    """Writes a table of `size` points (None: as long as the table is) with all its digits.

    Raises OSError, and SettingsError for a size outside 2..64.
    """
    size = table.length if size is None else size
    if not 2 <= size <= MAX_AWAY:
        raise SettingsError(f"a match equity table has 2 to {MAX_AWAY} points. Got {size} instead.")

    def row(values: _Array) -> str:
        cells = "".join(f"      <me>{_digits(value)}</me>\n" for value in values)
        return f"    <row>\n{cells}    </row>\n"

    players = [("both", table.post[0])]
    if not np.array_equal(table.post[0], table.post[1]):
        players = [("0", table.post[0]), ("1", table.post[1])]
    post = "".join(
        f'  <post-crawford-table type="explicit" player="{player}">\n{row(values[:size])}  </post-crawford-table>\n'
        for player, values in players
    )
    text = (
        '<?xml version="1.0"?>\n'
        '<!DOCTYPE met PUBLIC "-//GNU Backgammon//DTD Match Equity Tables//EN" "met.dtd">\n'
        "<met>\n  <info>\n"
        f"    <name>{escape(table.name)}</name>\n"
        f"    <description>{escape(table.description)}</description>\n"
        f"    <length>{size}</length>\n  </info>\n"
        '  <pre-crawford-table type="explicit">\n'
        f"{''.join(row(values) for values in table.pre[:size, :size])}"
        f"  </pre-crawford-table>\n{post}</met>\n"
    )
    with replacing(Path(path)) as temporary:
        temporary.write_text(text, encoding="utf-8")


_Wrong = Callable[[str], InvalidFileError]


def _text(root: Element, where: str) -> str:
    return " ".join((root.findtext(where) or "").split())


def _length(root: Element, table: Element, wrong: _Wrong) -> int:
    """Points of an explicit table: as said, or as many rows as there are."""
    text = _text(root, "info/length")
    try:
        length = int(text) if text else -1
    except ValueError:
        raise wrong(f"the length is a number of points, found {shown(text)}") from None
    if length < 0:
        length = len(table.findall("row"))
    if not 1 <= length <= MAX_AWAY:
        raise wrong(f"a match equity table has 1 to {MAX_AWAY} points, found {length}")
    return length


def _post(element: Element, player: int, length: int, wrong: _Wrong) -> tuple[_Array, float]:
    """A player's chances as the trailer, for at least `length` - 1 points, and his gammons per win."""
    kind = element.get("type", "explicit")
    drops = {"free-drop-2-away": 0.0, "free-drop-4-away": 0.0}
    if kind == "explicit":
        found = element.find("row")
        row = _numbers(found, "me", wrong) if found is not None else []
        if len(row) < length - 1:
            raise wrong(f"expected {length - 1} chances in <post-crawford-table>, found {len(row)}")
        return np.array(row[:MAX_AWAY]), calculators.CRAWFORD_GAMMON
    if kind == "zadeh":
        gammon, drop_2, drop_4 = _parameters(element, {"gammon-rate-trailer": 0.25, **drops}, wrong)
        win = 0.5
    elif kind == "mec":
        gammon, win, drop_2, drop_4 = _parameters(element, {"gammon-rate": 0.26, "win-rate": 0.5, **drops}, wrong)
        win = win if player == 0 else 1 - win
    else:
        raise wrong(f'the type of <post-crawford-table> is "explicit", "zadeh" or "mec", found {shown(kind)}')
    return calculators.post_crawford(gammon, win, free_drop_2=drop_2, free_drop_4=drop_4), gammon


def _worked_out(wrong: _Wrong, calculator: Callable[..., _Array], post: _Array, *rates: float) -> _Array:
    """The table of a calculator; what it refuses is wrong with the file."""
    try:
        return calculator(post, *rates)
    except SettingsError as error:
        raise wrong(str(error)) from None


def _parameters(element: Element, defaults: dict[str, float], wrong: _Wrong) -> list[float]:
    values = dict(defaults)
    for parameter in element.findall("parameters/parameter"):
        name = parameter.get("name", "")
        if name not in values:
            raise wrong(f"unknown parameter {shown(name)} of <{element.tag}>: expected {', '.join(values)}")
        values[name] = _number(parameter, wrong)
    return list(values.values())


def _numbers(row: Element, tag: str, wrong: _Wrong) -> list[float]:
    return [_number(cell, wrong) for cell in row.findall(tag)]


def _number(element: Element, wrong: _Wrong) -> float:
    text = (element.text or "").strip()
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 1.0:
        raise wrong(f"expected a number from 0 to 1 in <{element.tag}>, found {shown(text)}")
    return value


def _digits(value: float) -> str:
    """All digits of a chance: in single precision, as most tables keep them, where that is all there is."""
    single = np.float32(value)
    return np.format_float_positional(single if single == value else value, unique=True, trim="0")
