"""What the commands share: option types, checks before the work, what is said and printed, lines of standard input."""

from __future__ import annotations

import errno
import json
import logging
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, Token
from cyclopts.validators import Number

from sixprime.checks import shown
from sixprime.errors import InvalidFileError, InvalidIdError
from sixprime.game import ParsedPosition, parse
from sixprime.game.match_rules import Against
from sixprime.game.variants import VARIANTS
from sixprime.paths import refuse_special, try_writing
from sixprime.progress import Hook, Progress

_LONGEST_LINE = 1 << 16
_STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters but the end of a line, and those that turn the direction of writing."""

STDIN = "-"


class UsageError(Exception):
    """Wrong use of a command; its text says what to do instead."""


def example(line: str) -> str:
    """The end of the help of a command that is used so."""
    return f"Example:  sixprime {line}"


def _no_fraction(kind: object, tokens: Sequence[Token]) -> int:
    text = tokens[0].value
    try:
        return int(text, 0 if text[:2].lower() in ("0x", "0b", "0o") else 10)
    except ValueError:
        raise ValueError(f"expected a whole number, found {text!r}") from None


def whole(least: int, most: int | None = None, *, show_default: bool | None = None) -> Parameter:
    """How an option that is a whole number from `least` to `most` is read; a fraction is refused, not rounded."""
    return Parameter(converter=_no_fraction, validator=Number(gte=least, lte=most), show_default=show_default)


def _played(kind: object, chequers: int) -> None:
    """Raises ValueError for a number of chequers with which no game is played."""
    games = sorted({game.chequers for game in VARIANTS.values()})
    if chequers not in games:
        raise ValueError(f"there are games of {', '.join(map(str, games[:-1]))} and {games[-1]} chequers a side")


Chequers = Annotated[
    int,
    Parameter(
        converter=_no_fraction,
        validator=_played,
        help="Of each side in this game: 1 to 3 in hypergammon. No ID says it.",
    ),
]


@dataclass(frozen=True, slots=True)
class Move:
    """A move of a game as reports number it. player: 0 or 1, None for who acts first in it."""

    number: int
    player: int | None = None


def _move_of(kind: object, tokens: Sequence[Token]) -> Move:
    found = re.fullmatch(r"(\d{1,6})(?::([12]))?", text := tokens[0].value, re.ASCII)
    if found is None or not int(found[1]):
        raise ValueError(f"expected a number from 1, with :1 or :2 for one of the players, found {text!r}")
    return Move(int(found[1]), int(found[2]) - 1 if found[2] else None)


MaybeMove = Annotated[
    Move | None,
    Parameter(converter=_move_of, n_tokens=1, accepts_keys=False, show_default=False, metavar="N[:PLAYER]"),
]
_FILTER = (
    "How many candidate plays are looked at closely: tiny, narrow, normal, large, huge, normal-2025, large-2025, "
    "selective, large-selective, or levels of your own such as 0+8@.16/-/0+2@.04 (docs/search.md)"
)
FilterName = Annotated[str, Parameter(help=f"{_FILTER}.", allow_leading_hyphen=True)]
Plies = Annotated[int, whole(0, 4)]
MaybePlies = Annotated[int | None, whole(0, 4, show_default=False)]
MaybeFilter = Annotated[
    str | None,
    Parameter(
        show_default=False, help=f"{_FILTER}; by default normal, or as the level says.", allow_leading_hyphen=True
    ),
]
LevelName = Annotated[
    str | None,
    Parameter(
        show_default=False,
        help="A level of play by name, from beginner to 4-ply, roller, roller+, roller++ (docs/search.md); by default "
        "2 plies.",
    ),
]
NetName = Annotated[
    str | None,
    Parameter(
        show_default=False, help="A network file or the name of a net that ships, standard (the default) or small."
    ),
]
MetName = Annotated[
    str | None,
    Parameter(show_default=False, help="Match equity table: a name that `sixprime met --list` shows, or an XML file."),
]
CubeModelName = Annotated[
    str | None,
    Parameter(
        show_default=False,
        help="How the cube is valued: fitted (the default), gnubg-1.07, newer, dead, live, janowski:X, refined:X1,X2, "
        "implied:A, jump, jump-linear, jump-local, jump:A, jump-linear:A (docs/cube.md).",
    ),
]
EncodingName = Annotated[
    str | None,
    Parameter(
        show_default=False,
        help="Encoding of the text of the files, such as cp1252, shift_jis or koi8-r, where it is not recognised.",
    ),
]
Threads = Annotated[int | None, whole(1, 1024)]
ExecutorText = Annotated[str | None, Parameter(show_default=False, metavar="URL")]
Flag = Annotated[bool, Parameter(negative="", show_default=False)]
TOGETHER = Parameter(name="*")
"""The fields of such a group are options of their own."""
Text = Annotated[str, Parameter(allow_leading_hyphen=True)]
"""An argument that may begin with a hyphen, as the board of an XGID does; `-` is standard input."""


_FILE_NAME = re.compile(r"[^\s:=]+\.[A-Za-z]\w{1,8}")


def read_id(text: str, *, chequers: int = 15) -> ParsedPosition:
    """A position that can be judged.

    Raises UsageError for a file, FileNotFoundError for what looks like the name of one, InvalidIdError,
    InvalidPositionError.
    """
    try:
        parsed = parse(text, chequers=chequers)
    except InvalidIdError:
        with suppress(OSError, ValueError):
            if text and Path(text).exists():
                kind = "folder" if Path(text).is_dir() else "file"
                raise UsageError(f"{text} is a {kind}, no ID; sixprime analyse {text} judges what is in it") from None
        if _FILE_NAME.fullmatch(text):
            raise FileNotFoundError(2, "there is no such file", text) from None
        raise
    parsed.position.check()
    return parsed


def check_double(parsed: ParsedPosition) -> ParsedPosition:
    """The same. Raises InvalidIdError for a double by the player who may not turn the cube, and a beaver in a match."""
    state = parsed.state
    if state.doubled and state.cube_owner == 1 - state.on_roll:
        raise InvalidIdError("the ID has a double by the player whose opponent owns the cube")
    if state.beavered and state.length:
        raise InvalidIdError(f"the ID has a beaver, but {Against.MATCH.value}")
    return parsed


def check_target(path: Path, option: str, *suffixes: str) -> None:
    """Raises an error before the work when its result could not be written to `path`, the value of an option."""
    if path.is_dir():
        raise UsageError(f"{option} {path} is a folder; name a file")
    if suffixes and path.suffix.lower() not in suffixes:
        raise UsageError(f"{option} writes a file that ends in {' or '.join(suffixes)}; {path} does not")
    refuse_special(path)
    check_folder(path.parent, path)


def check_picture(path: Path | None, option: str, *suffixes: str) -> None:
    """The same of a picture, if there is to be one; UsageError, too, where what draws it is not installed."""
    if path is not None:
        from sixprime.report.png import check_suffix

        check_target(path, option, *suffixes)
        check_suffix(path)


def write_picture(path: Path, drawn: str, width: int | None = None) -> bool:
    """Writes a picture, a PNG of so many pixels; whether that went well, which is said."""
    from sixprime.report import png

    try:
        png.write_picture(path, drawn, width=width)
    except OSError as error:
        complain(error)
        return False
    note(f"Picture: {path}")
    return True


def check_host(host: str) -> None:
    """Raises UsageError for a text of --host that no network takes."""
    try:
        host.encode("idna")
    except UnicodeError:
        raise UsageError(f"--host must be an address or the name of a machine; found {shown(host)}") from None


def check_folder(folder: Path, target: Path) -> None:
    """Raises OSError when nothing can be written to the folder, nor to the one where it is to be made."""
    there = next((place for place in (folder, *folder.parents) if place.exists()), folder)
    if there.exists() and not there.is_dir():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(there))
    try:
        try_writing(there, "" if target == folder else target.name)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(target)) from None


def complain(error: Exception | str) -> None:
    """One line on standard error that says what could not be done."""
    if isinstance(error, OSError) and error.strerror:
        # Files are replaced; what is in the way was to be a folder.
        why = "a folder was expected, this is a file" if isinstance(error, FileExistsError) else error.strerror
        error = f"{error.filename}: {why}" if error.filename else why
    note(f"sixprime: {' '.join(str(error).split())}")


def option(name: str) -> str:
    """A parameter as the command line has it."""
    return f"--{name.replace('_', '-')}"


@contextmanager
def progress(label: str) -> Iterator[Hook | None]:
    """A progress bar on the terminal; None where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(_STEERING.sub("?", label), total=None)
        yield lambda step: bar.update(task, completed=step.done, total=step.total)


def note(text: str) -> None:
    """Tells the user something that is no result; names of files in it steer no terminal."""
    print(_STEERING.sub("?", text), file=sys.stderr, flush=True)


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Within the block what the library warns of is told on standard error, each thing once, and what makes it wait."""
    told: set[str] = set()
    bar = ExitStack()
    shown: list[Hook | None] = []

    class Shown(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            text = record.getMessage()
            if record.levelno >= logging.WARNING and text not in told:
                told.add(text)
                note(f"sixprime: warning: {' '.join(text.split())}")

    class Compiling(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "compiling" not in told:
                told.add("compiling")
                note("Compiling the kernels; this happens once and takes up to a minute.")
            step: Progress = record.__dict__["progress"]
            if step.done == step.total:
                bar.close()
                shown.clear()
            else:
                if not shown:
                    shown.append(bar.enter_context(progress("Compiling")))
                if shown[0]:
                    shown[0](step)

    warned, compiled = logging.getLogger("sixprime"), logging.getLogger("sixprime.kernels")
    handlers = (warned, Shown(logging.WARNING)), (compiled, Compiling(logging.INFO))
    for log, handler in handlers:
        log.addHandler(handler)
    compiled.setLevel(logging.INFO)
    try:
        with bar:
            yield
    finally:
        for log, handler in handlers:
            log.removeHandler(handler)


def print_json(value: object) -> None:
    """One JSON object on one line."""
    print(json_line(value))


def json_line(value: object) -> str:
    """One JSON object in one line; letters as they are where standard output takes all."""
    told = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
    return json.dumps(value, allow_nan=False, ensure_ascii=not told)


def line_batches(descriptor: int) -> Iterator[list[str]]:
    """Lines of an open file in batches, blank ones and blanks at ends left out.

    A batch holds what one read gives.
    So a caller who waits for each answer gets it, and one who sends thousands of lines gets large batches.
    Raises InvalidFileError for a line that does not end.
    """
    rest = b""
    while chunk := os.read(descriptor, _LONGEST_LINE):
        *lines, rest = (rest + chunk).split(b"\n")
        if batch := _texts(lines):
            yield batch
        if len(rest) > _LONGEST_LINE:
            raise InvalidFileError(f"a line is longer than {_LONGEST_LINE} bytes", path="standard input")
    if batch := _texts([rest]):
        yield batch


def _texts(lines: list[bytes]) -> list[str]:
    texts = (line.decode("utf-8", errors="replace").replace("\ufeff", "").rstrip() for line in lines)
    return [text for text in texts if text]
