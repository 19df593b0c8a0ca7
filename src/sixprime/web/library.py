"""The user's matches: their statistics in the database of the store, their analyses as files beside it.

What is searched is written down beside each file, and held in memory once it was read.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from sixprime import reading
from sixprime.errors import InvalidFileError
from sixprime.paths import data_dir, write
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
_SUFFIX, _INDEX = ".sixprime", ".index"
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
    """The decisions of a match, as they are written down beside its analysis.

    stamp: time and size of the file they are of. boards: int8[N, 2, 26], whoever is on roll first, by his own points as
    `Board` has them; dice: int8[N, 2], the larger first, 0 without any; kinds, players: of each decision.
    """

    stamp: tuple[int, int]
    boards: bytes
    dice: bytes
    kinds: tuple[str, ...]
    players: tuple[str, ...]
    found: tuple[m.Found, ...]

    @property
    def sound(self) -> bool:
        """Whether everything is said of every decision."""
        number = len(self.found)
        lengths = len(self.boards), len(self.dice), len(self.kinds), len(self.players)
        return lengths == (52 * number, 2 * number, number, number)

    def fits(self, asked: m.SearchAsked) -> list[m.Found]:
        """The decisions that are asked for."""
        wanted = np.array(asked.counts, np.int8)
        boards = np.frombuffer(self.boards, np.int8).reshape(-1, 2, 26)
        fits = (boards == wanted if asked.exact else boards >= wanted)[:, :, 1:].all((1, 2))
        if asked.dice is not None:
            fits &= (np.frombuffer(self.dice, np.int8).reshape(-1, 2) == (max(asked.dice), min(asked.dice))).all(1)
        player = _plain(asked.player)
        return [
            self.found[i]
            for i in np.flatnonzero(fits)
            if (not asked.kind or self.kinds[i] == asked.kind)
            and (not player or self.players[i] == player)
            and self.found[i].error >= asked.least
        ]


class Library:
    """The library in a folder, by default that of the user's data; its database is that of the store."""

    def __init__(self, folder: Path | None = None) -> None:
        self._place_of_all = folder
        self._known: dict[Path, _Searched] = {}
        self._lock = threading.Lock()

    @property
    def _matches(self) -> Matches:
        return Matches(standard_path())

    @property
    def folder(self) -> Path:
        """Where the analyses are."""
        folder = self._place_of_all or data_dir() / "library"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def keep(self, analysed: AnalysedMatch) -> str:
        """Puts a match into it, in the place of an earlier analysis of it. Its checksum. Raises DataFileError,
        OSError."""
        from sixprime import codec

        digest = checksum(analysed.match)
        place = self._place(digest)
        codec.save(analysed, place)
        with self._lock:
            self._searched(place)
        self._matches.add(analysed.match, analysed, now=datetime.now())
        return digest

    def analysis(self, digest: str) -> AnalysedMatch:
        """The analysis of a match. Raises FileNotFoundError, InvalidFileError."""
        from sixprime import codec
        from sixprime.analysis.model import AnalysedMatch

        return codec.load(self._place(digest), AnalysedMatch)

    def remove(self, digest: str) -> None:
        """Takes a match out, wherever it is."""
        self._matches.remove(digest)
        for suffix in (_SUFFIX, _INDEX):
            self._place(digest).with_suffix(suffix).unlink(missing_ok=True)

    def shelf(self) -> m.Shelf:
        """All that there is. Raises DataFileError."""
        rows = self._matches.select(_MATCHES).rows
        whole = {place.stem for place in self.folder.glob(f"*{_SUFFIX}")}
        matches = tuple(_shelved(row, whole) for row in rows)
        return m.Shelf(matches, _players(rows))

    def _place(self, digest: str) -> Path:
        return self.folder / f"{digest}{_SUFFIX}"

    # Positions

    def search(self, asked: m.SearchAsked) -> m.FoundAll:
        """The decisions whose positions fit."""
        found: list[m.Found] = []
        searched = 0
        for each in self._all():
            searched += len(each.found)
            found += each.fits(asked)
        found.sort(key=lambda one: -one.error)
        return m.FoundAll(tuple(found[: asked.count]), len(found), searched)

    def _all(self) -> Iterator[_Searched]:
        with self._lock:
            places = sorted(self.folder.glob(f"*{_SUFFIX}"))
            self._known = {place: known for place, known in self._known.items() if place in places}
            for place in places:
                with suppress(OSError, InvalidFileError):
                    known = self._known[place] = self._searched(place)
                    yield known

    def _searched(self, place: Path) -> _Searched:
        """What is known of a file, or was written down, or else is found in it."""
        stat = place.stat()
        stamp = stat.st_mtime_ns, stat.st_size
        known = self._known.get(place)
        if known is not None and known.stamp == stamp:
            return known
        index = place.with_suffix(_INDEX)
        with suppress(OSError, ValueError, msgspec.ValidationError):
            written = msgspec.convert(reading.read_json(index), _Searched)
            if written.stamp == stamp and written.sound:
                return written
        made = _searched(self.analysis(place.stem), place.stem, stamp)
        with suppress(OSError):  # it is found out anew then
            write(index, msgspec.json.encode(made))
        return made


def _plain(name: str) -> str:
    """A name as it is compared."""
    return " ".join(name.casefold().split())


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
                checksum=digest,
                place=places.get((each.game, each.action), ""),
                names=names,
                player=each.player,
                game=analysed.match.games[each.game].number,
                move=each.move_number,
                dice="" if each.dice is None else words.dice_text(each.dice),
                chosen=each.chosen,
                best=each.best,
                error=each.error,
                xgid=words.xgid(each),
            )
        )
    return _Searched(
        stamp,
        boards.tobytes(),
        dice.tobytes(),
        tuple(each.kind.value for each in decisions),
        tuple(_plain(names[each.player]) for each in decisions),
        tuple(found),
    )
