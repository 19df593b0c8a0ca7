"""`.gam`: single games of Jellyfish, and the games of GammonEmpire and Play65.

Both have the rows of `.mat` under the names of the players, without score and length:

     Ann                            Bob             Jellyfish: names apart, "Wins n points" at the end
      1) 31: 8/5 6/5                 42: 8/4 6/4
      2)  Doubles => 2                Drops
          Wins 1 point

    Ann Bob                                         GammonEmpire: two words, "win" at the end
      1) 31: 8/5 6/5                 42: 8/4 6/4
    win

A file may hold several games; they are one money session.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain, pairwise

from sixprime.checks import shown
from sixprime.errors import InvalidFileError
from sixprime.formats import mat
from sixprime.formats._format import Feature, Format, Holds, joined
from sixprime.formats._script import MOST_GAMES, head_lines, lines, nothing_found, one_line
from sixprime.formats._text import Document
from sixprime.game.record import Match, Problem

NAME = "gam"
EMPIRE = "gammonempire"

_FIRST = re.compile(r"\s*1\)")
_OTHER = re.compile(r"\s*(?:\d{1,6}\)|[;#])")  # rows, remarks
_RESULT = re.compile(r"\s*(?:wins|loss?es|resign\w*)\b", re.IGNORECASE)
_NAMES = re.compile(r"\s?(\S.*?)?(?:\s\s+|\t)(\S.*)$")
_WORDS = re.compile(r"\s*(\S+) (\S+)$")
_WIN = re.compile(r"\s*win", re.IGNORECASE)
_ONLY = re.compile(r"\s*wins \d", re.IGNORECASE)

Names = Callable[[str], tuple[str, str] | None]


def _names(line: str) -> tuple[str, str] | None:
    """The names of a line of Jellyfish; the first may be empty."""
    found = None if _OTHER.match(line) else _NAMES.match(line.rstrip())
    if found is None:
        return None
    first = found[1] or ""
    if found.start(2) >= 31 and not line[:31].strip():
        first = ""
    first, second = ("" if name == mat.NAMELESS else name for name in (first, found[2]))
    return first, second


def _words(line: str) -> tuple[str, str] | None:
    """The names of a line of GammonEmpire."""
    found = None if _OTHER.match(line) or _WIN.match(line) else _WORDS.match(line.rstrip())
    return (found[1], found[2]) if found is not None else None


def _begins(document: Document, names: Names) -> bool:
    head = [line for line in head_lines(document) if line.lstrip()[0] not in ";#"][:2]
    return len(head) == 2 and names(head[0]) is not None and (_FIRST.match(head[1]) or _ONLY.match(head[1])) is not None


def detect(document: Document) -> bool:
    """Whether a file begins with two names far apart and a first row, or a result without any."""
    return _begins(document, _names)


def detect_empire(document: Document) -> bool:
    """As `detect`, where the names are two words."""
    return _begins(document, _words)


def read(document: Document) -> list[Match]:
    """The games of a file, as one session. Raises InvalidFileError when it holds none."""
    return _read(document, _names, NAME)


def read_empire(document: Document) -> list[Match]:
    """The games of a file of GammonEmpire, as one session. Raises InvalidFileError when it holds none."""
    return _read(document, _words, EMPIRE)


def _read(document: Document, names: Names, name: str) -> list[Match]:
    games: list[tuple[int, tuple[str, str], list[tuple[int, str]]]] = []
    too_many: Problem | None = None
    for (number, line), (_, after) in pairwise(chain(lines(document), [(0, "")])):
        # Before the first game, and before a first row, there is no result: that is a player's name.
        result = games and _RESULT.match(line) and not _FIRST.match(after)
        found = None if result else names(line)
        if found is not None and len(games) == MOST_GAMES:
            too_many = Problem(f"after {MOST_GAMES} games the rest is left out", document.name or None, number, 1)
            break
        if found is not None:
            games.append((number, found, []))
        elif games and not (name == EMPIRE and _WIN.match(line)):
            games[-1][2].append((number, line))
    match = mat.read_rows(games, document.name) if games else None
    if match is None or not match.games:
        raise nothing_found(document, "no game found: two names, and numbered rows below them")
    problems = match.problems if too_many is None else (*match.problems, too_many)
    return [replace(match, format=name, problems=problems)]


# Writing


def _writable(line: str, read_names: Names, rows: Sequence[str], *, first: bool) -> str:
    """A line of names above the rows of a game. Raises InvalidFileError where it would be read as something else."""
    unlike = first or not _RESULT.match(line) or any(_FIRST.match(row) for row in rows[:1])
    if read_names(line) is None or not unlike:
        raise InvalidFileError(f"a game cannot begin with the names {shown(' '.join(line.split()))}")
    return line


def format(match: Match) -> str:
    """The text of the games of a match, as Jellyfish writes them. Raises InvalidFileError for names that are none."""
    names = [one_line(player.name) or mat.NAMELESS for player in match.players]
    session = replace(match, length=0)
    written: list[str] = []
    for game in match.games:
        rows = mat.row_lines(session, game)
        head = _writable(f" {names[0]:<29}  {names[1]}", _names, rows, first=not written)
        written += [head, *rows, ""]
    return "\n".join(written)


def format_empire(match: Match) -> str:
    """The text of the games of a match, as GammonEmpire writes them. Raises as `format`."""
    names = ["_".join(player.name.split()) or "_" for player in match.players]
    session = replace(match, length=0)
    written: list[str] = []
    for game in match.games:
        rows = mat.row_lines(session, replace(game, winner=None))
        written += [_writable(" ".join(names), _words, rows, first=not written), *rows]
        if game.resigned and game.winner is not None:
            word = {2: " gammon", 3: " backgammon"}.get(game.actions[-1].value, "")
            written.append(f"{'':{6 if game.winner else 34}}Resigns{word}")
        if game.winner is not None:
            written.append("win")
    return "\n".join(written) + "\n"


_KEEPS = frozenset(
    {Feature.NAMES, Feature.RESULT, Feature.CUBE, Feature.BEAVERS, Feature.PLAYS, Feature.ROLL_ONLY}
    | {Feature.RESIGNATION, Feature.UNFINISHED, Feature.ILLEGAL, Feature.PASSED, Feature.RESULT_ONLY, Feature.SET}
)


def _blank_names(match: Match) -> list[str]:
    return ["blanks in names"] if any(len(player.name.split()) != 1 for player in match.players) else []


FORMAT = Format(
    NAME, "Jellyfish game", (".gam",), detect, read, joined(format), Holds.GAME, _KEEPS | {Feature.GAMMONS, Feature.CUT}
)
EMPIRE_FORMAT = Format(
    EMPIRE,
    "GammonEmpire, Play65",
    (".empire",),
    detect_empire,
    read_empire,
    joined(format_empire),
    holds=Holds.MATCH,
    keeps=_KEEPS | {Feature.OFFERED},
    more_losses=_blank_names,
)
