"""What the kinds of databases are called, and their sizes as text: all that is known before a kernel is loaded."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from sixprime.bearoff import shelf
from sixprime.checks import shown
from sixprime.errors import SettingsError

ONE_SIDED, TWO_SIDED, NORMAL = "one-sided", "two-sided", "normal"
HYPER, HYPER_GNUBG = "hyper", "hyper-gnubg"
HYPER_POINTS = 25
"""Points of hypergammon: those of the board, and the bar."""

Size = tuple[int, int]
"""Points and chequers."""


@dataclass(frozen=True, slots=True)
class Name:
    """A kind of database as it is asked for.

    Attributes:
        name: what it is called on the command line and in file names.
        usual: the size built when none is named, None if one must be.
        form: what a size looks like.
        parse: a size from text. Raises SettingsError.
    """

    name: str
    usual: Size | None
    form: str
    parse: Callable[[str], Size]


def parse_size(text: str) -> Size:
    """Points and chequers from "15x6", 15 chequers on 6 points. Raises SettingsError."""
    match = re.fullmatch(r"(\d{1,3})x(\d{1,3})", text)
    if match is None:
        raise SettingsError(f"a size is chequers x points, such as 15x6, not {text!r}")
    points, chequers = int(match[2]), int(match[1])
    shelf.check(points, chequers)
    return points, chequers


def parse_hyper(text: str) -> Size:
    """The size of hypergammon, which is the number of chequers alone. Raises SettingsError."""
    check_hyper(int(text) if text.isdecimal() else 0)
    return HYPER_POINTS, int(text)


def check_hyper(chequers: int) -> None:
    """Raises SettingsError for a number of chequers that is not 1, 2 or 3."""
    if type(chequers) is not int or chequers not in (1, 2, 3):
        raise SettingsError(f"a hypergammon database has 1, 2 or 3 chequers, not {shown(chequers)}")


_LISTS, _CHEQUERS = "chequers x points, such as 15x6", "1, 2 or 3 chequers"

NAMES = {
    name.name: name
    for name in (
        Name(ONE_SIDED, (6, 15), _LISTS, parse_size),
        Name(TWO_SIDED, (6, 6), _LISTS, parse_size),
        Name(NORMAL, None, _LISTS, parse_size),
        Name(HYPER, None, _CHEQUERS, parse_hyper),
        Name(HYPER_GNUBG, None, _CHEQUERS, parse_hyper),
    )
}
"""By name, in the order in which they are listed."""
