"""A seat whose program is started beside the screen, not before it."""

from __future__ import annotations

from contextlib import suppress
from threading import Lock, Thread
from typing import TYPE_CHECKING

from sixprime.engine.presets import PRESETS, get_preset
from sixprime.errors import SettingsError
from sixprime.play import Seat, seat_of
from sixprime.play.seats import BOOK

if TYPE_CHECKING:
    from sixprime.game.acts import Act
    from sixprime.game.table import Table
    from sixprime.progress import Stop


class LateSeat:
    """One of our levels of play, which loads its net in a thread of its own. Raises SettingsError for no level.

    more: what stands behind the level in the text of a seat.
    """

    def __init__(self, level: str, threads: int | None = 1, more: str = "") -> None:
        known = get_preset(level).name
        self.spec, self.name = known + more, f"Sixprime {known}"
        self._threads, self._lock = threads, Lock()
        self._seat: Seat | None = None
        Thread(target=self._ahead, daemon=True).start()

    def decide(self, table: Table, stop: Stop) -> Act | None:
        """As `Seat` says."""
        return self._load().decide(table, stop)

    def _ahead(self) -> None:
        """Loads, without a word: what goes wrong goes wrong again where a decision is due, and is told there."""
        with suppress(Exception):
            self._load()

    def _load(self) -> Seat:
        with self._lock:
            if self._seat is None:
                self._seat = seat_of(self.spec, self.name, threads=self._threads)
            return self._seat


def soon(text: str, threads: int | None = 1) -> Seat:
    """The seat that a text describes, as `seat_of` reads it; a level of play loads its net later. Raises as it does."""
    more = BOOK if text.lower().endswith(BOOK) else ""
    level = text[: len(text) - len(more)]
    try:
        known = get_preset(level).name in PRESETS
    except SettingsError:
        known = False
    return LateSeat(level, threads, more) if known else seat_of(text, threads=threads)
