"""The user's matches: their statistics in the database of the store, their analyses as files beside it.

What is searched is held in memory as arrays, read once from each file.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sixprime.errors import InvalidFileError
from sixprime.paths import data_dir
from sixprime.report import words
from sixprime.report.movelist import move_lists
from sixprime.store.relational import Matches, checksum, standard_path
from sixprime.web import messages as m

if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch

_HALF_LIFE = 500.0
"""Decisions after which a match counts half in a mean."""
_LARGEST = 2000
"""Matches that are listed."""
_SUFFIX = ".sixprime"
_SIDES = " ".join(
    f"p{side}.name, m{side}.overall_error_total_normalised, m{side}.unforced_moves + m{side}.close_cube_decisions, "
    f"m{side}.luck_total_normalised,"
    for side in (0, 1)
)
_MATCHES = (
    f"s.checksum, s.result, s.length, s.date, s.event, s.added, {_SIDES} s.session_id FROM session s "
    + " ".join(
        f"JOIN player p{side} ON p{side}.player_id = s.player_id{side} "
        f"LEFT JOIN matchstat m{side} ON m{side}.session_id = s.session_id AND m{side}.player_id = s.player_id{side}"
        for side in (0, 1)
    )
    + f" ORDER BY s.session_id DESC LIMIT {_LARGEST}"
)


@dataclass(frozen=True, slots=True)
class _Searched:
    """The decisions of a match. boards: int8[N, 2, 26], whoever is on roll first, by his own points as `Board` has
    them; dice: int8[N, 2], the larger first, 0 without any."""

    stamp: tuple[int, int]
    boards: NDArray[np.int8]
    dice: NDArray[np.int8]
    error: NDArray[np.float64]
    kinds: NDArray[np.str_]
    players: NDArray[np.str_]
    found: tuple[m.Found, ...]


@dataclass(slots=True)
class Library:
    """Where it is: by default in the user's data folder."""

    folder: Path | None = None
    database: Path | None = None
    _known: dict[Path, _Searched] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def _matches(self) -> Matches:
        return Matches(self.database or standard_path())

    @property
    def _folder(self) -> Path:
        folder = self.folder or data_dir() / "library"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def keep(self, analysed: AnalysedMatch) -> None:
        """Puts a match into it, in the place of an earlier analysis of it. Raises DataFileError, OSError."""
        from sixprime import codec

        codec.save(analysed, self._place(checksum(analysed.match)))
        self._matches.add(analysed.match, analysed, now=datetime.now())

    def open(self, digest: str) -> AnalysedMatch:
        """The analysis of a match. Raises FileNotFoundError, InvalidFileError."""
        from sixprime import codec
        from sixprime.analysis.model import AnalysedMatch

        return codec.load(self._place(digest), AnalysedMatch)

    def remove(self, digest: str) -> None:
        """Takes a match out, wherever it is."""
        self._matches.remove(digest)
        self._place(digest).unlink(missing_ok=True)

    def shelf(self) -> m.Shelf:
        """All that there is. Raises DataFileError."""
        rows = self._matches.select(_MATCHES).rows
        whole = {place.stem for place in self._folder.glob(f"*{_SUFFIX}")}
        matches = tuple(_shelved(row, whole) for row in rows)
        return m.Shelf(matches, _players(rows))

    def _place(self, digest: str) -> Path:
        return self._folder / f"{digest}{_SUFFIX}"

    # Positions

    def search(self, asked: m.SearchAsked) -> m.FoundAll:
        """The decisions whose positions fit."""
        wanted = np.array(asked.counts, np.int8)
        dice = None if asked.dice is None else (max(asked.dice), min(asked.dice))
        player = " ".join(asked.player.casefold().split())
        found: list[m.Found] = []
        searched = 0
        for each in self._all():
            searched += len(each.found)
            fits = (each.boards == wanted if asked.exact else each.boards >= wanted)[:, :, 1:].all((1, 2))
            if dice is not None:
                fits &= (each.dice == dice).all(1)
            if asked.kind:
                fits &= each.kinds == asked.kind
            if player:
                fits &= each.players == player
            fits &= each.error >= asked.least
            found += [each.found[i] for i in np.flatnonzero(fits)]
        found.sort(key=lambda one: -one.error)
        return m.FoundAll(tuple(found[: asked.count]), len(found), searched)

    def _all(self) -> Iterator[_Searched]:
        with self._lock:
            for place in sorted(self._folder.glob(f"*{_SUFFIX}")):
                with suppress(OSError, InvalidFileError):
                    stat = place.stat()
                    stamp = stat.st_mtime_ns, stat.st_size
                    known = self._known.get(place)
                    if known is None or known.stamp != stamp:
                        known = self._known[place] = _searched(self.open(place.stem), place.stem, stamp)
                    yield known


def _shelved(row: tuple[Any, ...], whole: set[str]) -> m.Shelved:
    digest, result, length, date, event, added, *sides, _ = row
    first, second = sides[:4], sides[4:]
    rates = [500 * error / number if number else None for _, error, number, _ in (first, second)]
    return m.Shelved(
        digest, (first[0], second[0]), length, result, date or added[:10], event, (rates[0], rates[1]), digest in whole
    )


def _players(rows: tuple[tuple[Any, ...], ...]) -> tuple[m.Standing, ...]:
    """Everybody, those with the most decisions first."""
    played: dict[str, list[tuple[bool, float | None, int, float]]] = {}
    in_order = sorted(rows, key=lambda row: (row[3] or row[5], row[-1]))
    for _, result, _, _, _, _, *sides, _ in in_order:
        for side in (0, 1):
            name, error, number, luck = sides[4 * side : 4 * side + 4]
            won = result > 0 if side == 0 else result < 0
            played.setdefault(name, []).append((won, error, number or 0, luck or 0.0))
    standings = []
    for name, own in played.items():
        weight = total = 0.0
        trend = []
        for _, error, number, _ in own:
            if error is None or not number:
                continue
            fade = 0.5 ** (number / _HALF_LIFE)
            weight, total = weight * fade + number, total * fade + error
            trend.append((500 * error / number, 500 * total / weight))
        decisions = sum(number for _, error, number, _ in own if error is not None)
        errors = sum(error for _, error, _, _ in own if error is not None)
        rate = 500 * errors / decisions if decisions else None
        luck = sum(each[3] for each in own)
        standings.append(m.Standing(name, len(own), sum(each[0] for each in own), decisions, rate, luck, tuple(trend)))
    return tuple(sorted(standings, key=lambda each: (-each.decisions, each.name)))


def _searched(analysed: AnalysedMatch, digest: str, stamp: tuple[int, int]) -> _Searched:
    places = {
        (decision.game, decision.action): cell.id
        for rows in move_lists(analysed)
        for row in rows
        for cell in row.cells
        for decision in cell.decisions
    }
    decisions = analysed.decisions
    number, names = len(decisions), words.names(analysed.match)
    boards = np.zeros((number, 2, 26), np.int8)
    dice = np.zeros((number, 2), np.int8)
    found = []
    for i, each in enumerate(decisions):
        boards[i, 0, 1:], boards[i, 1, 1:] = each.position.player, each.position.opponent
        if each.dice is not None:
            dice[i] = max(each.dice), min(each.dice)
        found.append(
            m.Found(
                digest,
                places.get((each.game, each.action), ""),
                names,
                each.player,
                analysed.match.games[each.game].number,
                each.move_number,
                "" if each.dice is None else words.dice_text(each.dice),
                each.chosen,
                each.best,
                each.error,
                words.xgid(each),
            )
        )
    return _Searched(
        stamp,
        boards,
        dice,
        np.array([each.error for each in decisions], np.float64),
        np.array([each.kind.value for each in decisions], np.str_),
        np.array([" ".join(names[each.player].casefold().split()) for each in decisions], np.str_),
        tuple(found),
    )
