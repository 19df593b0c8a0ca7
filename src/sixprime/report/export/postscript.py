"""PostScript: the whole match in one file, for printers. The template draws; here lines are put onto sheets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from sixprime.report.export.board import Scene
from sixprime.report.export.forms import Files, Job
from sixprime.report.export.pages import Board, Page, Turn
from sixprime.report.export.statistics import Statistics

TEMPLATE, TURN = "match.ps", "turn.txt"
_TOP, _FLOOR, _LEFT, _RIGHT = 800.0, 45.0, 40.0, 245.0
_LINE, _SIZE, _WIDE = 8.0, 6.6, 80
_BOARD = 140.0


@dataclass(frozen=True, slots=True)
class Item:
    """A line of text, or a board, with its lower left corner in points."""

    x: float
    y: float
    text: str = ""
    font: str = "Mono"
    size: float = _SIZE
    board: Board | None = None


class _Sheets:
    """Sheets that fill from the top."""

    def __init__(self) -> None:
        self.sheets: list[list[Item]] = [[]]
        self.y = _TOP

    def begin(self) -> None:
        """A new sheet."""
        self.sheets.append([])
        self.y = _TOP

    def need(self, height: float) -> None:
        """A new sheet where there is not so much room."""
        if self.y - height < _FLOOR and self.y < _TOP:
            self.begin()

    def line(self, text: str, *, x: float = _LEFT, font: str = "Mono", size: float = _SIZE) -> None:
        """A line of text, on the next sheet where this one is full."""
        self.need(size + 2)
        self.y -= size + 1.4
        self.sheets[-1].append(Item(x, round(self.y, 1), text, font, size))

    def turn(self, turn: Turn, lines: Sequence[str]) -> None:
        """A heading, the board and beside it, or below, what there is to say."""
        height = max(_BOARD if turn.board else 0.0, _LINE * len(lines)) + 24
        self.need(min(height, _TOP - _FLOOR))
        self.y -= 6
        if turn.heading:
            self.line(f"{turn.number}. {turn.heading}", font="Bold", size=9)
        start = self.y
        x = _LEFT
        if turn.board is not None:
            self.sheets[-1].append(Item(_LEFT - 6, round(self.y - _BOARD, 1), board=turn.board))
            x = _RIGHT
        sheet = len(self.sheets)
        for text in lines:
            self.line(text, x=x)
        if turn.board is not None and sheet == len(self.sheets):
            self.y = min(self.y, start - _BOARD)

    def statistics(self, table: Statistics) -> None:
        """A table on a sheet of its own."""
        self.begin()
        self.line(table.title, font="Bold", size=13)
        for text in ("", f"{'':<41}{table.names[0]:<23} {table.names[1]}"):
            self.line(text, size=8.4)
        for section in table.sections:
            for text in ("", section.title, *(f"{label:<41}{one:<23} {two}" for label, one, two in section.rows)):
                self.line(text, size=8.4)


def render(job: Job) -> Files:
    """One file for all games."""
    job.templates.check(TEMPLATE, TURN)
    pages = [page for _, page in job.pages()]
    sheets = _Sheets()
    for page in pages:
        _lay_out(job, page, sheets)
    scene = partial(Scene, clockwise=job.options.clockwise)
    text = job.templates.render(TEMPLATE, title=pages[0].title, sheets=sheets.sheets, scene=scene, date=job.date)
    return [(job.name, text.encode("latin-1", errors="replace"))]


def _lay_out(job: Job, page: Page, sheets: _Sheets) -> None:
    if page.index > 1:
        sheets.begin()
    sheets.line(page.title, font="Bold", size=12)
    for label, value in page.info:
        sheets.line(f"{label}: {value}", font="Sans", size=8)
    for text in page.comment.splitlines():
        sheets.line(text, font="Sans", size=8)
    for turn in page.turns:
        text = job.templates.render(TURN, turn=replace(turn, unjudged=""))
        sheets.turn(turn, list(_wrapped(text.strip("\n").splitlines())))
    if page.result:
        sheets.line("")
        sheets.line(page.result, font="Bold", size=11)
    for table in page.statistics:
        sheets.statistics(table)


def _wrapped(lines: Sequence[str]) -> Iterator[str]:
    """Lines that fit beside a board; of several empty ones in a row the first."""
    last = ""
    for line in lines:
        if line or last:
            yield from (line[start : start + _WIDE] for start in range(0, max(len(line), 1), _WIDE))
        last = line
