"""Snowie's match text: `.mat` without tags, so that only names, length, scores and what was played are in it.

It is read as `.mat`; the position after an illegal play stands in brackets behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sixprime.formats import mat
from sixprime.formats._format import PLAIN_MATCH, Feature, Format, Holds
from sixprime.formats._text import Document
from sixprime.game.record import Match, Player

NAME = "snowie"


def detect(document: Document) -> bool:
    """Never: what Snowie writes is recognised as `.mat`."""
    return False


def read(document: Document) -> list[Match]:
    """Every match of a file. Raises InvalidFileError when it holds none."""
    return [replace(match, format=NAME) for match in mat.read(document)]


def write(matches: Sequence[Match]) -> str:
    """The text of a match."""
    match = matches[0]
    first, second = match.players
    money = not match.length
    names = Player(first.name), Player(second.name)
    return mat.format(Match(names, match.length, match.games, jacoby=money, beavers=3 if money else 0))


FORMAT = Format(
    NAME,
    "Snowie match text",
    (".snowie",),
    detect,
    read,
    write,
    Holds.MATCH,
    PLAIN_MATCH | {Feature.ROLL_ONLY, Feature.SET, Feature.RESULT_ONLY},
)
