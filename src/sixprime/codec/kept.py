"""A value that the user keeps in a file of his own and that grows, such as a deck of questions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

from sixprime.codec.document import load, save
from sixprime.paths import alone, data_dir, lasting, sealed_data_dir

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kept(Generic[T]):
    """A value in a file. path: of the file, there or not; empty: the value while it is not there."""

    path: Path
    empty: T

    @classmethod
    def of_user(cls, name: str, empty: T, *, reading: bool = False) -> Kept[T]:
        """In the user's data folder, also where that can be read alone. reading: it will not be changed."""
        return cls((sealed_data_dir(name, reading=reading) or lasting(data_dir())) / name, empty)

    def load(self) -> T:
        """The value. Raises InvalidFileError for a damaged file, OSError."""
        try:
            return load(self.path, type(self.empty))
        except FileNotFoundError:
            return self.empty

    def change(self, change: Callable[[T], T]) -> T:
        """Reads, changes and writes the value, one process at a time, whole or not at all. Raises as `load`."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with alone(self.path.parent):
            before = self.load()
            after = change(before)
            if after != before:
                save(after, self.path)
        return after
