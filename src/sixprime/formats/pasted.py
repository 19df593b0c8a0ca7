"""Texts that show positions among other words: posts, mails, links; IDs of every kind, boards that are drawn."""

from __future__ import annotations

from dataclasses import replace

from sixprime.errors import InvalidFileError, InvalidIdError
from sixprime.formats._format import Format, Holds
from sixprime.formats._position import position_match
from sixprime.formats._problems import failure
from sixprime.formats._text import Document
from sixprime.formats.position_lines import LONGEST_PASTE
from sixprime.game.board_text import find_positions, may_show_position
from sixprime.game.record import Match, Problem

NAME = "pasted"


def detect(document: Document) -> bool:
    """Whether a text that is no other format may show a position."""
    return document.is_text and len(document.text) <= LONGEST_PASTE and may_show_position(document.text)


def read(document: Document) -> list[Match]:
    """Every position of a text, each as a match. Raises InvalidFileError when it shows none."""
    try:
        found, failed = find_positions(document.text[:LONGEST_PASTE])
    except InvalidIdError as error:
        raise InvalidFileError(str(error), path=document.name or None) from error
    problems = tuple(Problem(text, document.name or None, line, None) for line, text in failed)
    if not found:
        raise failure(problems[0] if problems else Problem("no position found", document.name or None))
    matches = [
        position_match(each.position, each.state, ("", ""), format=NAME, source=document.name, line=each.line)
        for each in found
    ]
    return [replace(matches[0], problems=problems), *matches[1:]]


FORMAT = Format(NAME, "text with positions in it", (), detect, read, holds=Holds.POSITIONS)
