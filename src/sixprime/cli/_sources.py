"""Files that commands read: those that paths, folders and patterns stand for, and what is in them."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.cli._common import STDIN, note
from sixprime.errors import InvalidFileError

if TYPE_CHECKING:
    from sixprime.game import Match


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read; name: of what is made of it, within the folder that goes to, without suffix.

    refused: why it cannot be read, where it is no file.
    """

    path: Path
    name: Path
    refused: str = ""

    def matches(self, encoding: str | None) -> list[Match]:
        """Every match of the file; that of an analysis of ours with it. Raises InvalidFileError, OSError."""
        from sixprime.formats import read_all

        if self.refused:
            raise InvalidFileError(self.refused, path=self.path)
        if self.path.suffix.lower() == ".sixprime":
            from sixprime.analysis.kept import with_analysis
            from sixprime.batch import read_kept

            return [with_analysis(read_kept(self.path))]
        return read_all(self.path, encoding)


def match_of(path: Path | str, encoding: str | None) -> Match:
    """The match of a file, be it an analysis of ours. Raises SixprimeError, OSError."""
    if Path(path).suffix.lower() == ".sixprime":
        from sixprime.api import load_analysis

        return load_analysis(path).match
    from sixprime.formats import read

    return read(path, encoding)


def say_problems(problems: Sequence[object], place: object, most: int) -> None:
    """Warns of what is wrong with a file, of the first `most` in full. place: what it is called."""
    for problem in problems[:most]:
        note(f"sixprime: warning: {problem}")
    if len(problems) > most:
        note(f"sixprime: warning: {place}: {len(problems) - most} more problems")


def sources_of(paths: Sequence[Path]) -> Iterator[Source]:
    """The files that paths, folders and patterns stand for, each once; what in a folder is no file is refused."""
    seen: set[Path] = set()
    for path in paths:
        expanded = list(_expanded(path))
        if not expanded and len(paths) > 1:
            _say_empty(path)
        for source in expanded:
            if source.path not in seen:
                seen.add(source.path)
                yield source


def _expanded(path: Path) -> Iterator[Source]:
    if str(path) == STDIN:
        yield Source(path, Path("match"))
    elif path.is_dir():
        for inside, refused in sorted(_inside(path)):
            name = inside.relative_to(path)
            yield Source(inside, name.with_suffix("") if name.name else name, refused)
    elif not path.exists() and (found := sorted(glob.glob(str(path), recursive=True))):
        for each in map(Path, found):
            if not each.is_dir():
                # A pipe that is named outright is meant, one that a pattern happens to match is not.
                yield Source(each, Path(each.stem), _refused(each))
            elif not (expanded := list(_expanded(each))):
                _say_empty(each)
            else:
                yield from expanded
    else:
        yield Source(path, Path(path.stem))


def _say_empty(folder: Path) -> None:
    note(f"sixprime: warning: {folder}: there are no files in this folder")


def _inside(top: Path) -> Iterator[tuple[Path, str]]:
    """Everything in a folder and those within it but for hidden names, and why it cannot be read if it is no file."""
    unread: list[OSError] = []
    for place, folders, files in os.walk(top, onerror=unread.append):
        folder = Path(place)
        folders[:] = [name for name in folders if not name.startswith(".")]
        shown = [name for name in files if not name.startswith(".") and not _reported(name, files)]
        if folder != top and not folders and not shown:
            _say_empty(folder)
        for name in folders:
            if (folder / name).is_symlink():
                yield folder / name, "is a link to a folder, which is not followed"
        for name in shown:
            yield folder / name, _refused(folder / name)
    for error in unread:
        yield Path(error.filename), f"cannot be read: {error.strerror}"


def _reported(name: str, beside: Collection[str]) -> bool:
    """Whether a file is a report of ours, or their index: what was analysed is beside it."""
    stem, _, suffix = name.rpartition(".")
    if suffix != "html":
        return False
    kept = (f"{stem}.sixprime",) if stem != "index" else tuple(each for each in beside if each.endswith(".sixprime"))
    return any(each in beside for each in kept)


def _refused(path: Path) -> str:
    """Why a path within a folder is not opened; empty for a file. A pipe would wait for a writer for ever."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return "is a link that leads nowhere"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    kinds = ((stat.S_ISREG, ""), (stat.S_ISFIFO, "is a pipe"), (stat.S_ISSOCK, "is a socket"))
    return next((word and f"{word}, not a file" for is_one, word in kinds if is_one(mode)), "is a device, not a file")
