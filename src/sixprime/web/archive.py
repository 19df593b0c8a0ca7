"""What was worked out and outlives the server: one file for each thing in a folder of the user, the latest of them.

Beside each file stands what a list says of it, so that a list opens none of them.
"""

from __future__ import annotations

import re
import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from sixprime import reading
from sixprime.errors import SixprimeError
from sixprime.paths import write

T = TypeVar("T")


class NotThere(SixprimeError):
    """Nothing of that key."""


_KEY = re.compile(r"[\w-]{8,80}", re.ASCII)
_BESIDE = ".about"


@dataclass(frozen=True, slots=True)
class Entry(Generic[T]):
    """Something in an archive. when: it was put there last, by the clock of this machine; size: bytes."""

    key: str
    about: T
    when: str
    size: int


class Archive(Generic[T]):
    """Files of one kind by their keys. suffix: of their names; about: the class of what a list says of each; most,
    room: how many there may be, and bytes of all: the oldest go."""

    def __init__(self, folder: Path, suffix: str, about: type[T], *, most: int, room: int) -> None:
        self.folder, self._suffix, self._about = folder, suffix, about
        self.most, self.room = most, room
        self._lock = threading.Lock()

    def put(self, key: str, content: bytes, about: T) -> None:
        """Keeps it, in place of what the key had. Raises OSError."""
        place = self._place(key)
        with self._lock:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write(place.with_suffix(_BESIDE), msgspec.json.encode(about))
            write(place, content)
            self._make_room(place)

    def place(self, key: str) -> Path:
        """The file of a key. Raises FileNotFoundError where there is none."""
        if not _KEY.fullmatch(key) or not self._place(key).is_file():
            raise FileNotFoundError(key)
        return self._place(key)

    def remove(self, key: str) -> None:
        """Takes it away, if it is there. Raises OSError."""
        if _KEY.fullmatch(key):
            with self._lock:
                self._remove(self._place(key))

    def about(self, key: str) -> T | None:
        """What a list says of it; None where it is not there."""
        with suppress(OSError, ValueError, SixprimeError):
            place = self.place(key).with_suffix(_BESIDE)
            return msgspec.convert(reading.read_json(place), self._about)
        return None

    def entries(self) -> list[Entry[T]]:
        """All that there is, the latest first."""
        found = []
        for place, changed, size in self._files():
            about = self.about(place.stem)
            if about is not None:
                when = datetime.fromtimestamp(changed / 1e9).isoformat(timespec="seconds")
                found.append(Entry(place.stem, about, when, size))
        return found

    def _place(self, key: str) -> Path:
        return self.folder / f"{key}{self._suffix}"

    def _files(self) -> list[tuple[Path, int, int]]:
        """Path, time of the last change in nanoseconds and size, the latest first."""
        found = []
        for place in self.folder.glob(f"*{self._suffix}"):
            with suppress(OSError):
                stat = place.stat()
                if _KEY.fullmatch(place.stem):
                    found.append((place, stat.st_mtime_ns, stat.st_size))
        return sorted(found, key=lambda each: each[1], reverse=True)

    def _make_room(self, latest: Path) -> None:
        """The oldest go where there is too much; never the latest."""
        used = 0
        for number, (place, _, size) in enumerate(self._files()):
            used += size
            if place != latest and (number >= self.most or used > self.room):
                with suppress(OSError):
                    self._remove(place)

    def _remove(self, place: Path) -> None:
        for each in (place, place.with_suffix(_BESIDE)):
            each.unlink(missing_ok=True)
