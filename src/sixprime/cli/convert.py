"""`sixprime convert`: match and position files from one format into another."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from sixprime.cli._common import (
    STDIN,
    EncodingName,
    Flag,
    UsageError,
    check_folder,
    complain,
    note,
    print_json,
    progress,
)
from sixprime.cli._output import must_write_files
from sixprime.cli._sources import Source, say_problems, sources_of
from sixprime.errors import SixprimeError
from sixprime.progress import Progress

if TYPE_CHECKING:
    from sixprime.formats import Format
    from sixprime.game import Match

_SHOWN_PROBLEMS = 3


@dataclass(slots=True)
class _Batch:
    """What came of all files. encoding: of their text, None to find out."""

    encoding: str | None = None
    done: int = 0
    failed: int = 0
    losses: dict[str, int] = field(default_factory=dict)  # name of what was lost: in how many files


def convert(
    *paths: Annotated[str, Parameter(allow_leading_hyphen=True)],
    to: Annotated[str | None, Parameter(metavar="FORMAT")] = None,
    encoding: EncodingName = None,
    force: Flag = False,
    formats: Flag = False,
    json: Flag = False,
) -> int:
    """Convert match and position files; the format of each is recognised by what is in it.

    Parameters
    ----------
    paths
        Files, folders and patterns to read, `-` for standard input; the last is where to write: a file, a folder
        (it must exist or end with a slash), or `-` for standard output. With one path and --to, standard output.
    to
        Format to write; by default the one of the suffix of the last path.
    force
        Replace files that exist already; one that is read here is never replaced.
    formats
        List the known formats.
    json
        Print one JSON object per file read.
    """
    if formats:
        return _list_formats(json=json)
    for path in paths:
        if path.startswith("-") and path != STDIN:
            raise UsageError(f"Unknown option: {path}. For a file of that name write ./{path}")
    if not all(paths):
        raise UsageError("PATHS must be names of files or folders; found ''")
    if not paths or (len(paths) == 1 and to is None):
        raise UsageError("name the files to read and, last, the file or folder to write; --to FORMAT says how")
    from sixprime.formats import format_for, known_encoding

    if encoding is not None:
        known_encoding(encoding)
    *inputs, output = paths if len(paths) > 1 else (*paths, STDIN)
    target = Path(output)
    folder = output != STDIN and (target.is_dir() or output.endswith(("/", "\\")))
    if to is None and (folder or str(target) == STDIN):
        raise UsageError("--to FORMAT is needed to write into a folder or to standard output")
    format = format_for(to, target)
    if json and str(target) == STDIN:
        raise UsageError("--json and the converted file cannot both go to standard output")
    sources = list(sources_of([Path(path) for path in inputs]))
    if not sources:
        raise UsageError(f"there are no files in {', '.join(inputs)}")
    if str(target) != STDIN:
        must_write_files()
        check_folder(target if folder else target.parent, target)
    batch = _Batch(encoding)
    guard = _Guard([source.path for source in sources if str(source.path) != STDIN], force)
    if folder:
        _into_folder(sources, target, format, batch, guard, json=json)
    else:
        _into_file(sources, target, format, batch, guard, json=json)
    if batch.losses:
        several = batch.done > 1
        lost = [f"{name} ({files} of {batch.done} files)" if several else name for name, files in batch.losses.items()]
        note(f"sixprime: not kept, as {format.title} cannot hold it: {'; '.join(lost)}")
    if batch.failed and batch.done + batch.failed > 1:
        note(f"sixprime: {batch.failed} of {batch.done + batch.failed} files could not be converted")
    return 1 if batch.failed else 0


def _list_formats(*, json: bool) -> int:
    from sixprime.formats import FORMATS

    for format in FORMATS.values():
        if json:
            print_json(
                {
                    "name": format.name,
                    "title": format.title,
                    "suffixes": list(format.suffixes),
                    "writes": format.write is not None,
                }
            )
        else:
            can = "reads and writes" if format.write is not None else "reads"
            print(f"{format.name:<12} {format.title:<32} {can:<17} {' '.join(format.suffixes)}")
    return 0


class _Taken(SixprimeError):
    """A file that must not be replaced."""


@dataclass(frozen=True, slots=True)
class _Guard:
    """Which files may be written: never one that is read, and one that exists only if `force` says so."""

    inputs: Sequence[Path]
    force: bool

    def check(self, targets: Sequence[Path]) -> None:
        """Raises _Taken for the first that may not be written."""
        for target in targets:
            if not target.exists():
                continue
            if any(path.exists() and target.samefile(path) for path in self.inputs):
                raise _Taken(f"{target} would replace a file that is read here")
            if not self.force:
                raise _Taken(f"{target} exists already; --force replaces it")


def _into_folder(
    sources: Sequence[Source], folder: Path, format: Format, batch: _Batch, guard: _Guard, *, json: bool
) -> None:
    """Each file into one of the same name, numbered where that is taken by another of this batch, which is said."""
    from sixprime.analysis.prepared import prepared
    from sixprime.formats import losses, places_for, render, save

    # Names that differ may mean the same file, as where capital letters do not count.
    taken: dict[tuple[int, int], Source] = {}

    def owner(place: Path) -> Source | None:
        with suppress(OSError):
            return taken.get(_identity(place))
        return None

    with progress("Converting") as report:
        for number, source in enumerate(sources):
            if report is not None:
                report(Progress(number, len(sources), "files"))
            matches = _read(source, batch, json=json)
            if matches is None:
                continue
            matches = prepared(matches, format.name)
            try:
                pieces = render(matches, format)
                target = folder / f"{source.name}{format.suffixes[0]}"
                wanted = places_for(target, len(pieces))
                places = next(
                    found for name in _numbered(target) if not any(map(owner, found := places_for(name, len(pieces))))
                )
                guard.check(places)
                if other := next(filter(None, map(owner, wanted)), None):
                    note(f"sixprime: {source.path} goes into {places[0]}, as {target.name} is that of {other.path}")
                for place, piece in zip(places, pieces, strict=True):
                    save(place, piece)
            except (SixprimeError, OSError) as error:
                _fail(source, error, batch, json=json)
                continue
            taken.update((_identity(place), source) for place in places)
            _report([(source, matches, losses(matches, format, pieces))], places, batch, json=json)


def _identity(place: Path) -> tuple[int, int]:
    """What tells a file from others, whatever its name. Raises OSError."""
    found = place.stat()
    return found.st_dev, found.st_ino


def _numbered(target: Path) -> Iterator[Path]:
    """name, name-2, name-3, ..."""
    yield target
    for number in count(2):
        yield target.with_name(f"{target.stem}-{number}{target.suffix}")


def _into_file(
    sources: Sequence[Source], target: Path, format: Format, batch: _Batch, guard: _Guard, *, json: bool
) -> None:
    """All matches of all files into one, or to standard output."""
    from sixprime.analysis.prepared import prepared
    from sixprime.formats import losses, places_for, render, save

    read = [
        (source, prepared(matches, format.name))
        for source in sources
        if (matches := _read(source, batch, json=json)) is not None
    ]
    if not read:
        return
    every = [match for _, matches in read for match in matches]
    pieces = render(every, format)
    places: list[Path] = []
    if str(target) == STDIN:
        if len(pieces) > 1:
            raise UsageError(f"{format.title} needs {len(pieces)} files; name one to write, not standard output")
        for piece in pieces:
            sys.stdout.buffer.write(piece if isinstance(piece, bytes) else piece.encode("utf-8", errors="replace"))
        sys.stdout.buffer.flush()
    else:
        places = places_for(target, len(pieces))
        try:
            guard.check(places)
        except _Taken as error:
            raise UsageError(str(error)) from None
        for place, piece in zip(places, pieces, strict=True):
            save(place, piece)
    lost = iter(losses(every, format, pieces))
    _report([(source, matches, [next(lost) for _ in matches]) for source, matches in read], places, batch, json=json)


def _read(source: Source, batch: _Batch, *, json: bool) -> list[Match] | None:
    """All matches of a file; None when it cannot be read, which is said."""
    try:
        return source.matches(batch.encoding)
    except (SixprimeError, OSError) as error:
        _fail(source, error, batch, json=json)
        return None


def _fail(source: Source, error: Exception, batch: _Batch, *, json: bool) -> None:
    batch.failed += 1
    text = str(error)
    complain(error if str(source.path) in text else f"{source.path}: {text}")
    if json:
        print_json({"file": str(source.path), "error": " ".join(text.split())})


def _report(
    read: Sequence[tuple[Source, list[Match], list[list[str]]]], written: list[Path], batch: _Batch, *, json: bool
) -> None:
    """Says what came of files, with the matches of each and what is lost of each match."""
    for source, matches, losses in read:
        batch.done += 1
        lost = list(dict.fromkeys(chain(*losses)))
        for loss in lost:
            batch.losses[loss] = batch.losses.get(loss, 0) + 1
        problems = [problem for match in matches for problem in match.problems]
        say_problems(problems, source.path, _SHOWN_PROBLEMS)
        if json:
            result: dict[str, Any] = {
                "file": str(source.path),
                "format": matches[0].format,
                "matches": len(matches),
                "games": sum(len(match.games) for match in matches),
                "written": [str(path) for path in written],
                "lost": lost,
                "problems": [str(problem) for problem in problems],
            }
            print_json(result)
