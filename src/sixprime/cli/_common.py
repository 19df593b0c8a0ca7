"""What the commands share: option types, the engine, batches from standard input, output."""

from __future__ import annotations

import glob
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter, Token
from cyclopts.validators import Number

from sixprime import interrupts
from sixprime.errors import InvalidFileError

if TYPE_CHECKING:
    from sixprime.engine import Engine


_LONGEST_LINE = 1 << 16

STDIN = "-"


class UsageError(Exception):
    """Wrong use of a command; its text says what to do instead."""


def _no_fraction(kind: object, tokens: Sequence[Token]) -> int:
    text = tokens[0].value
    try:
        return int(text, 0 if text[:2].lower() in ("0x", "0b", "0o") else 10)
    except ValueError:
        raise ValueError(f"expected a whole number, found {text!r}") from None


def whole(least: int, most: int | None = None, *, show_default: bool | None = None) -> Parameter:
    """How an option that is a whole number from `least` to `most` is read; a fraction is refused, not rounded."""
    return Parameter(converter=_no_fraction, validator=Number(gte=least, lte=most), show_default=show_default)


_FILTER = (
    "How many candidate plays are looked at closely: tiny, narrow, normal, large, huge, normal-2025, large-2025, or "
    "levels of your own such as 0+8@.16/-/0+2@.04 (docs/search.md)"
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
        help="How the cube is valued: gnubg-1.07 (the default), newer, dead, live, janowski:X, refined:X1,X2, "
        "implied:A, jump, jump-linear, jump-local, jump:A, jump-linear:A (docs/jump.md).",
    ),
]
Threads = Annotated[int | None, whole(1, 1024)]
ExecutorText = Annotated[str | None, Parameter(show_default=False, metavar="URL")]
Flag = Annotated[bool, Parameter(negative="", show_default=False)]
Text = Annotated[str, Parameter(allow_leading_hyphen=True)]
"""An argument that may begin with a hyphen, as the board of an XGID does; `-` is standard input."""


def make_engine(
    net: str | None = None,
    *,
    level: str | None = None,
    plies: int | None = None,
    filter: str | None = None,
    threads: int | None = None,
    met: str | None = None,
    cube_model: str | None = None,
    executor: str | None = None,
) -> Engine:
    """The engine with these settings, by default those of the level.

    met: name or XML file of a match equity table; cube_model: name; executor: text of a cluster.
    """
    from sixprime.cube import model
    from sixprime.cube.met_xml import open_table

    table = open_table(met) if met else None
    cubes = model.CubeModel.named(cube_model) if cube_model else model.DEFAULT
    if level is not None:
        from sixprime.engine.presets import get_preset

        get_preset(level)
    warn_if_cold()
    with interrupts.deferred():
        from sixprime.engine import Engine

    return Engine(
        net,
        threads=threads,
        level=level,
        plies=plies,
        filter=filter,
        met=table,
        cube_model=cubes,
        executor=executor,
    )


def warn_if_cold() -> None:
    """Tells the user when kernels must be compiled first, which takes a while."""
    with interrupts.deferred():
        from sixprime.kernels._jit import is_cold

    if is_cold():
        note("Compiling the kernels; this happens once and takes up to a minute.")


def complain(error: Exception | str) -> None:
    """One line on standard error that says what could not be done."""
    if isinstance(error, OSError) and error.strerror:
        error = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    print(f"sixprime: {' '.join(str(error).split())}", file=sys.stderr, flush=True)


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on the terminal, fed by calls of (done, total); None where nobody looks."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def note(text: str) -> None:
    """Tells the user something that is no result."""
    print(text, file=sys.stderr, flush=True)


@contextmanager
def warnings_shown() -> Iterator[None]:
    """Within the block what the library warns of is told on standard error, each thing once."""
    told: set[str] = set()

    class Shown(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            text = record.getMessage()
            if text not in told:
                told.add(text)
                note(f"sixprime: warning: {' '.join(text.split())}")

    handler, log = Shown(logging.WARNING), logging.getLogger("sixprime")
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


def print_json(value: object) -> None:
    """One JSON object on one line."""
    print(json.dumps(value, allow_nan=False, ensure_ascii=False))


def line_batches(descriptor: int, size: int = 1 << 16) -> Iterator[list[str]]:
    """Lines of an open file in batches, blank ones left out; a batch holds what one read of `size` bytes gives.

    So a caller who waits for each answer gets it, and one who sends thousands of lines gets large batches.
    Raises InvalidFileError for a line that does not end.
    """
    rest = b""
    while chunk := os.read(descriptor, size):
        *lines, rest = (rest + chunk).split(b"\n")
        if batch := _texts(lines):
            yield batch
        if len(rest) > _LONGEST_LINE:
            raise InvalidFileError(f"a line is longer than {_LONGEST_LINE} bytes", path="standard input")
    if batch := _texts([rest]):
        yield batch


def _texts(lines: list[bytes]) -> list[str]:
    texts = (line.decode("utf-8", errors="replace").strip() for line in lines)
    return [text for text in texts if text]


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read; name: of what is made of it, within the folder that goes to, without suffix."""

    path: Path
    name: Path


def sources_of(paths: Sequence[Path]) -> Iterator[Source]:
    """The files that paths, folders and patterns stand for, each once."""
    seen: set[Path] = set()
    for path in paths:
        for source in _expanded(path):
            if source.path not in seen:
                seen.add(source.path)
                yield source


def _expanded(path: Path) -> Iterator[Source]:
    if str(path) == STDIN:
        yield Source(path, Path("match"))
    elif path.is_dir():
        for file in sorted(path.rglob("*")):
            inner = file.relative_to(path)
            if file.is_file() and not any(part.startswith(".") for part in inner.parts):
                yield Source(file, inner.with_suffix(""))
    elif not path.exists() and (found := sorted(glob.glob(str(path), recursive=True))):
        for name in found:
            yield from _expanded(Path(name))
    else:
        yield Source(path, Path(path.stem))
