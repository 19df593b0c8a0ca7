"""What is wrong in a file, and where."""

from __future__ import annotations

from collections.abc import Callable

from sixprime.errors import InvalidFileError
from sixprime.game.record import Problem

Report = Callable[[str, int | None, int | None], None]
"""Takes a message, a line and a column, both counted from 1."""

MOST_PROBLEMS = 100
"""Nobody reads more of them."""


class Problems(list[Problem]):
    """The first problems of a file; calling it adds one.

    inside: the part of a binary file that is read; lines are offsets of bytes in it then.
    """

    def __init__(self, source: str, inside: str | None = None) -> None:
        self._source, self._inside = source, inside

    def __call__(self, message: str, line: int | None = None, column: int | None = 1) -> None:
        """Adds a problem, as a `Report`."""
        if len(self) < MOST_PROBLEMS:
            self.append(self.at(message, line, column))

    def at(self, message: str, line: int | None = None, column: int | None = 1) -> Problem:
        """A problem at a place of the file."""
        if self._inside is None:
            return Problem(message, self._source or None, line, column)
        return Problem(f"{self._inside}: {message}", self._source or None, offset=line)


def failure(problem: Problem) -> InvalidFileError:
    """The error for a file of which a problem leaves nothing."""
    return InvalidFileError(
        problem.message, path=problem.path, line=problem.line, column=problem.column, offset=problem.offset
    )
