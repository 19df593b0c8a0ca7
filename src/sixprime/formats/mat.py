"""`.mat`: the match text of Jellyfish that every backgammon program writes, each in its own way.

Read: GNU Backgammon, eXtreme Gammon, Backgammon Galaxy, Backgammon Studio, OpenGammon and what descends from
them. Written: the plain form of GNU Backgammon, one step for each chequer and die.

    ; [Event "Club night"]                   tags and comments, ';' or '#'
     7 point match                           0: a money session

     Game 1
     Alice : 0                      Bob : 0
      1) 31: 8/5 6/5                 42: 8/4 6/4
      2)  Doubles => 2                Drops
          Wins 1 point
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sixprime.errors import InvalidFileError
from sixprime.formats._format import Feature, Format, joined
from sixprime.formats._mat_rows import is_game, is_head, matches_of, session_of
from sixprime.formats._mat_write import NAMELESS, format, row_lines
from sixprime.formats._problems import failure
from sixprime.formats._script import indent, nothing_found, replay
from sixprime.formats._text import Document
from sixprime.game.record import Match, Problem

__all__ = ["FORMAT", "NAMELESS", "detect", "format", "parse", "read", "read_rows", "row_lines"]

NAME = "mat"


def detect(document: Document) -> bool:
    """Whether a file is a match of this kind: it has a line "n point match", or a tag and a game."""
    tagged = False
    for line in document.lines:
        if is_head(line):
            return True
        tagged = tagged or line.startswith("; [")
        if tagged and is_game(line):
            return True
    return False


def read(document: Document) -> list[Match]:
    """Every match of a file, in order.

    What is wrong in the file goes into `Match.problems`. Raises InvalidFileError when there is no match at all.
    """
    found = [replay(script, NAME) for script in matches_of(document.lines, document.name) if script.games]
    matches = [match for match in found if match.games]
    if not matches:
        raise _no_match(document, (problem for match in found for problem in match.problems))
    return matches


def parse(text: str, source: str = "") -> list[Match]:
    """As `read`, from a text; `source` is the path to name in messages."""
    return read(Document(text, source))


def read_rows(games: Sequence[tuple[int, tuple[str, str], Iterable[tuple[int, str]]]], source: str) -> Match:
    """A money session of games that have rows like these but no scores, as other programs write them.

    games: for each the number of the line of its names, the names, and its numbered rows.
    """
    return replay(session_of(games, source), NAME)


def _no_match(document: Document, problems: Iterable[Problem]) -> InvalidFileError:
    """Why there is no match. problems: of what was found of one."""
    for problem in problems:
        return failure(problem)
    for number, line in enumerate(document.lines, 1):
        if is_head(line):
            return failure(
                Problem("no game follows the head of the match", document.name or None, number, indent(line))
            )
    return nothing_found(document, 'no match found: neither "n point match" nor "Game n"')


FORMAT = Format(
    NAME,
    "Jellyfish match",
    (".mat", ".txt"),
    detect,
    read,
    joined(format),
    keeps=frozenset(Feature)
    - {Feature.UNKNOWN, Feature.ANALYSIS, Feature.COMMENT, Feature.TIME, Feature.CRAWFORD_GAME, Feature.ON_ROLL}
    - {Feature.OFFERED, Feature.LATE},
)
