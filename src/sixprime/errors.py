"""Every error Sixprime raises on purpose.

SixprimeError
├── ParseError (ValueError)      text or bytes that cannot be read
│   ├── InvalidIdError           position ID, match ID, XGID
│   ├── InvalidPlayError         play notation
│   └── InvalidFileError         match and position files: file, line, column
├── RulesError (ValueError)      well-formed but against the rules
│   ├── IllegalPlayError
│   └── InvalidPositionError     a position that cannot be evaluated
├── SettingsError (ValueError)   a parameter outside its range
├── UnreadableFileError (OSError) a file that is no regular one, or larger than its kind can be
├── DataFileError                a net, table or database that is missing, damaged or of another version
├── EngineError                  another engine or worker failed
└── StoppedError                 work that was told to stop: how far it came
"""

from __future__ import annotations

from pathlib import Path


class SixprimeError(Exception):
    """Base of all errors raised on purpose; its text is fit to show to a user."""


class ParseError(SixprimeError, ValueError):
    """Text or bytes that cannot be read."""


class InvalidIdError(ParseError):
    """A position ID, match ID or XGID is malformed; the text names the character or field."""


class InvalidPlayError(ParseError):
    """Play notation that cannot be read."""


class InvalidFileError(ParseError):
    """A file that cannot be read.

    Attributes: `path` (or None for text in memory), `line` and `column` (1-based, or None), `offset` (of the byte in
    a binary file, from 0, or None).
    """

    def __init__(
        self,
        message: str,
        *,
        path: Path | str | None = None,
        line: int | None = None,
        column: int | None = None,
        offset: int | None = None,
    ) -> None:
        self.message, self.path, self.line, self.column, self.offset = message, path, line, column, offset
        byte = None if offset is None else f"byte {offset}"
        where = ":".join(str(part) for part in (path, line, column, byte) if part is not None)
        super().__init__(f"{where}: {message}" if where else message)


class RulesError(SixprimeError, ValueError):
    """Well-formed input that breaks the rules."""


class IllegalPlayError(RulesError):
    """A play that the rules do not allow with this position and these dice."""


class InvalidPositionError(RulesError):
    """A position that cannot be played or evaluated."""


class SettingsError(SixprimeError, ValueError):
    """A parameter outside its range; the text names the parameter, its range and what was given."""


class UnreadableFileError(SixprimeError, OSError):
    """A file that is not read at all: no regular one, larger than its kind can be, or of an impossible name.

    It is an OSError too, so that `strerror` and `filename` say why and which, as for a file that is missing.
    """

    def __str__(self) -> str:
        return f"{self.filename}: {self.strerror}"


class DataFileError(SixprimeError):
    """A net, table or database that is missing, damaged or of another version."""


class EngineError(SixprimeError):
    """Another engine or a worker failed."""


class StoppedError(SixprimeError):
    """Work ended early because it was told to.

    Attributes: `done` pieces of `total` (None where there is no end to be seen), and `what` was done.
    """

    def __init__(self, done: int = 0, total: int | None = None, what: str = "") -> None:
        self.done, self.total, self.what = done, total, what
        of = "" if total is None else f" of {total:,}"
        super().__init__(f"stopped after {done:,}{of} {what}".rstrip())

    def __reduce__(self) -> tuple[type[StoppedError], tuple[int, int | None, str]]:
        return StoppedError, (self.done, self.total, self.what)
