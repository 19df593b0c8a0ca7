"""How the user's games stand, without playing every one of them through each time somebody wants to see the list."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from os import stat_result
from pathlib import Path

import msgspec

from sixprime import reading
from sixprime.errors import SixprimeError
from sixprime.paths import write
from sixprime.play import Session

_NAME = "listing.json"


@dataclass(frozen=True, slots=True)
class Standing:
    """How a game stands. stamp: time of the last change of its journal in nanoseconds, and bytes. sound: whether it can
    be gone on with. unnamed: who told no name."""

    stamp: tuple[int, int]
    names: tuple[str, str] = ("", "")
    score: tuple[int, int] = (0, 0)
    length: int = 0
    over: bool = False
    sound: bool = True
    unnamed: int | None = None

    @property
    def played(self) -> str:
        """When it was played last, by the clock of this machine."""
        return datetime.fromtimestamp(self.stamp[0] / 1e9).isoformat(timespec="seconds")


class Listing:
    """Games of a folder as they stood when they were looked at last; a file there remembers it, and may be deleted."""

    def __init__(self, folder: Path) -> None:
        self._place = folder / _NAME
        self._lock = threading.Lock()
        self._known: dict[str, Standing] = {}
        with suppress(OSError, ValueError, SixprimeError):
            self._known = msgspec.convert(reading.read_json(self._place), dict[str, Standing])

    def latest(self, journals: Iterable[Path], count: int) -> list[tuple[Path, Standing]]:
        """The sound ones among these games that were played last, the latest first."""
        there = sorted(_there(journals), key=lambda each: each[1].st_mtime_ns, reverse=True)
        found: list[tuple[Path, Standing]] = []
        with self._lock:
            known = dict(self._known)
            for journal, about in there:
                if len(found) >= count:
                    break
                stamp = about.st_mtime_ns, about.st_size
                standing = known.get(journal.name)
                if standing is None or standing.stamp != stamp:
                    standing = known[journal.name] = _standing(journal, stamp)
                if standing.sound:
                    found.append((journal, standing))
            if known != self._known:
                self._known = known
                names = {journal.name for journal, _ in there}
                kept = {name: standing for name, standing in known.items() if name in names}
                # Without it they are looked at again.
                with suppress(OSError):
                    write(self._place, msgspec.json.encode(kept))
        return found


def _there(journals: Iterable[Path]) -> Iterator[tuple[Path, stat_result]]:
    for journal in journals:
        with suppress(OSError):
            yield journal, journal.stat()


def _standing(journal: Path, stamp: tuple[int, int]) -> Standing:
    try:
        session = Session.looked_at(journal)
    except (SixprimeError, OSError):
        return Standing(stamp, sound=False)
    table = session.table
    return Standing(stamp, table.names, table.score, table.rules.length, session.over, unnamed=table.match.unnamed)
