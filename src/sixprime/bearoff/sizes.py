"""How large databases are: the tables of GNU Backgammon's manual, and what ours take."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from sixprime.bearoff import builder, shelf
from sixprime.kernels.bearoff_build import position_count

_GNUBG_HEADER = 40


@dataclass(frozen=True, slots=True)
class Row:
    """One size: entries, bytes of our file, and bytes of GNU Backgammon's."""

    chequers: int
    points: int
    positions: int
    bytes: int
    gnubg_bytes: int

    @property
    def text(self) -> str:
        """Our size."""
        return shelf.size_text(self.bytes)

    @property
    def gnubg_text(self) -> str:
        """The size of theirs."""
        return shelf.size_text(self.gnubg_bytes)

    def as_dict(self) -> dict[str, Any]:
        """For JSON; with the size in units of 2^20 bytes, as the manual has it."""
        return {**asdict(self), "gnubg_mb": round(self.gnubg_bytes / (1 << 20), 1)}


def one_sided_sizes(chequers: int = 15) -> list[Row]:
    """6 to 18 points; bytes are estimates, right to some percent."""
    rows = []
    for points in range(6, shelf.MAX_POINTS + 1):
        size = position_count(points, chequers)
        # Measured on 6 to 13 points: 9.5 to 17.6 values for each list.
        values = 9.5 + 1.16 * (points - 6)
        theirs = _GNUBG_HEADER + int(size * (8 + 2 * values))
        rows.append(Row(chequers, points, size, builder.one_sided_bytes(points, chequers)[0], theirs))
    return rows


def two_sided_sizes(points: int = 6) -> list[Row]:
    """6 to 15 chequers; bytes of four equities for each pair."""
    rows = []
    for chequers in range(6, shelf.MAX_CHEQUERS + 1):
        pairs = position_count(points, chequers) ** 2
        rows.append(
            Row(chequers, points, pairs, builder.two_sided_bytes(points, chequers)[0], _GNUBG_HEADER + 8 * pairs)
        )
    return rows
