"""The match text of eXtreme Gammon in other languages than English. Read only.

It is `.mat` with other words ("5 Punkte Match", "Spiel 1", "Verdoppelt => 2", "Nimmt an"), so each line is told by
where it stands and by its numbers, written in English, and handed to the reader of `.mat`:

    the line before the names of a game     its number
    a line with a number before that        the length of the match
    "word => n"                             a double, or a beaver while a double waits for an answer
    a lonely word after a double            a take when dice follow in this game, else a drop
    words with a number                     who won, and how many points
    words behind dice                       nothing could be moved
    words before and after "/"              the bar, and borne off
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from sixprime.formats import mat
from sixprime.formats._format import Format
from sixprime.formats._script import head_lines, nothing_found, tidy, with_cut_lines
from sixprime.formats._text import Document
from sixprime.game.record import Match, Problem

NAME = "xg-match"

_ROW = re.compile(r"\s*\d{1,6}\)")
_NAMES = re.compile(r"\s*(?:\S.*?)?\s:\s\d{1,6}\s{2,}(?:\S.*?)?\s:\s\d{1,6}\s*$")
_NUMBER = re.compile(r"\d{1,6}")
_SEGMENT = re.compile(r"\S+(?: \S+)*")
_DICE = re.compile(r"(?<![\w/])[1-6][1-6]:")
_TURNED = re.compile(r"=>\s*(\d{1,6})")
_BAR = re.compile(r"[^\W\d]{1,12}(?=/)")
_OFF = re.compile(r"(?<=/)[^\W\d]{1,12}")
_LONGEST_NAMES = 160
_MOST_GAMES, _MOST_ROWS, _MOST_CUTS = 2000, 1000, 20  # of a file, of a game, cuts that are named
_LEFT_COLUMN = 16  # a cell that starts before this column belongs to the left player


def detect(document: Document) -> bool:
    """Whether a file has a line of names and scores, and a first row below it."""
    head = head_lines(document)
    return any(_NAMES.match(line[:_LONGEST_NAMES]) and re.match(r"\s*1\)", after) for line, after in pairwise(head))


def read(document: Document) -> list[Match]:
    """Every match of a file. Raises InvalidFileError when it holds none."""
    lines = [tidy(line).expandtabs() for line in document.lines]
    heads = [number for number, line in enumerate(lines) if _is_names(lines, number)]
    if not heads:
        raise nothing_found(document, "no game found: no line of names and scores")
    problems = _cut(lines, heads, document.name)
    found = mat.read(Document("\n".join(_translated(lines, heads)), document.name))
    matches = [replace(match, format=NAME) for match in found]
    matches[0] = replace(matches[0], problems=(*matches[0].problems, *problems))
    return [with_cut_lines(matches[0], document), *matches[1:]]


def _cut(lines: list[str], heads: list[int], source: str) -> list[Problem]:
    """Blanks what no real file holds and would take long: games and rows without end. Returns what to say of it."""
    problems = []
    if len(heads) > _MOST_GAMES:
        start = heads[_MOST_GAMES]
        problems.append(Problem(f"after {_MOST_GAMES} games the rest is left out", source or None, start + 1, 1))
        del lines[start:], heads[_MOST_GAMES:]
    for head, end in pairwise([*heads, len(lines)]):
        start = head + _MOST_ROWS
        if end > start and any(lines[start:end]):
            if len(problems) < _MOST_CUTS:
                message = f"of a game of {end - head} lines only the first {_MOST_ROWS} are read"
                problems.append(Problem(message, source or None, start + 1, 1))
            # Before the names of the next game stand its title and perhaps the head of a match.
            last = max(start, end - _MOST_ROWS) if end < len(lines) else end
            lines[start:last] = [""] * (last - start)
    return problems


def _is_names(lines: Sequence[str], number: int) -> bool:
    line = lines[number]
    return (
        len(line) < _LONGEST_NAMES and _NAMES.match(line) is not None and not _ROW.match(line) and line[0] not in ";#"
    )


def _translated(lines: Sequence[str], heads: Sequence[int]) -> Iterator[str]:
    """The lines in English, as many as there were."""
    titles = {}  # line numbers of the titles of games
    for head in heads:
        title = next((at for at in range(head - 1, max(head - 6, -1), -1) if lines[at].strip()), None)
        if title is not None and lines[title].lstrip()[:1] not in ";#":
            titles[title] = head
    known_heads, ends = set(heads), sorted(titles)
    start = 0  # of what belongs together: a head, or the rows of a game
    in_game = False
    for number, line in enumerate(lines):
        stripped = line.strip()
        if not stripped or stripped[0] in ";#" or number in known_heads:
            if number in known_heads:
                in_game, start = True, number + 1
                place = bisect_right(ends, number)
                end = ends[place] if place < len(ends) else len(lines)
                rows = iter(_rows(lines[start:end]))
            yield line
        elif number in titles:
            in_game = False
            found = _NUMBER.search(stripped)
            yield f" Game {found[0]}" if found is not None else " Game 1"
        elif not in_game:
            found = _NUMBER.search(stripped)
            yield f" {found[0]} point match" if found is not None and not _ROW.match(line) else f"; {stripped}"
        else:
            yield next(rows, line)


def _rows(lines: Sequence[str]) -> list[str]:
    """The rows of a game, those that are not blank and no remarks."""
    filled = [line for line in lines if line.strip() and line.strip()[0] not in ";#"]
    last_roll = max((index for index, line in enumerate(filled) if _DICE.search(line)), default=-1)
    written = []
    pending = False  # whether a double waits for an answer
    for index, line in enumerate(filled):
        row = _ROW.match(line)
        start = row.end() if row is not None else 0
        cells = []
        for column, text in _cells(line, start):
            later = index < last_roll or _DICE.search(line, column + 1) is not None
            turned = _TURNED.search(text)
            if "(" in text and ";" in text:
                text = f"Illegal play {text[text.index('(') :]}" if not _DICE.match(text) else text
            elif _DICE.match(text):
                pending = False
                text = _roll(text)
            elif turned is not None:
                text = f"{'Beavers' if pending else 'Doubles'} => {turned[1]}"
                pending = True
            elif (points := _NUMBER.search(text)) is not None:
                text = f"Wins {points[0]} points"
            elif pending:
                text, pending = "Takes" if later else "Drops", False
            cells.append((column, text))
        written.append(_row(line[:start], cells))
    return written


def _cells(line: str, start: int) -> Iterator[tuple[int, str]]:
    """Columns and texts of the cells of a row: what two blanks or dice set apart."""
    for segment in _SEGMENT.finditer(line, start):
        if ";" in segment[0]:
            yield segment.start(), segment[0]
            continue
        cuts = [found.start() for found in _DICE.finditer(line, segment.start(), segment.end())]
        cuts = sorted({segment.start(), *cuts})
        for at, end in zip(cuts, [*cuts[1:], segment.end()], strict=True):
            yield at, line[at:end].strip()


def _roll(text: str) -> str:
    """Dice and a play."""
    dice, play = text[:3], text[3:].strip()
    if play and not any(map(str.isdigit, play)) and "?" not in play:
        return f"{dice} Cannot Move"
    return f"{dice} {_OFF.sub('off', _BAR.sub('bar', play))}"


def _row(number: str, cells: Sequence[tuple[int, str]]) -> str:
    """A row with its cells in the columns of `.mat`."""
    line = number
    for column, text in cells:
        line = f"{line:<{6 if column < _LEFT_COLUMN else 36}} {text}"
    return line


FORMAT = Format(NAME, "eXtreme Gammon match text in any language", (), detect, read)
