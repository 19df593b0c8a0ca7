"""Positions that a net should know, and what rollouts say of them: one file, added to, rolled out and merged at will.

A position is known by its ID, seen by the player on roll. Rollouts of it are kept apart by who made them and with which
dice, for the same ones make the same trials: where two files have one rollout both, the longer one counts and nothing
counts twice, however often they are merged. What is known of a position is the mean of its rollouts by their trials.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from itertools import islice
from operator import mul
from pathlib import Path
from statistics import fmean
from types import TracebackType
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.checks import SEED, Fields, Instance, Real, Whole
from sixprime.engine import Engine
from sixprime.engine.plies import classes_of
from sixprime.engine.random import hash64
from sixprime.engine.rollout_settings import MAX_TRIALS, PlayerSettings, RolloutSettings
from sixprime.errors import DataFileError, InvalidFileError, InvalidPositionError, SettingsError, StoppedError
from sixprime.game.outcomes import Outcomes
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.kernels import search
from sixprime.paths import make_folder
from sixprime.progress import NOBODY, Watch
from sixprime.reading import ROWS, opened, parse_json
from sixprime.train import harvest, selfplay
from sixprime.train.recipe import Harvest

_HEAD = b"SQLite format 3\0"
_APPLICATION = 1399421004
_SCHEMA = (
    "CREATE TABLE position (id TEXT PRIMARY KEY NOT NULL, decision INTEGER) WITHOUT ROWID",
    """CREATE TABLE rollout (
        id TEXT NOT NULL REFERENCES position ON DELETE CASCADE, engine TEXT NOT NULL, seed INTEGER NOT NULL,
        trials INTEGER NOT NULL, win REAL NOT NULL, win_gammon REAL NOT NULL, win_backgammon REAL NOT NULL,
        lose_gammon REAL NOT NULL, lose_backgammon REAL NOT NULL, error REAL NOT NULL,
        PRIMARY KEY (id, engine, seed)) WITHOUT ROWID""",
    """CREATE TABLE doubt (
        id TEXT NOT NULL REFERENCES position ON DELETE CASCADE, engine TEXT NOT NULL, doubt REAL NOT NULL,
        PRIMARY KEY (id, engine)) WITHOUT ROWID""",
    f"PRAGMA application_id = {_APPLICATION}",
    "PRAGMA user_version = 1",
)
_STRIDE = 1 << 32
"""From the seed of a position's rollout to that of the next: others who share the work take the seeds beside it."""
_PATIENCE = 60.0
"""Seconds to wait for another process that writes."""
_CHUNK = 256
"""Positions judged at once."""
_KEPT = 4096
"""Decisions added at once."""
_BEYOND = 0.05
"""How far chances may always lie beyond 0, 1 and each other."""
_CUBELESS = MatchState(jacoby=False)
_KINDS = {search.CONTACT: "contact", search.CRASHED: "crashed", search.RACE: "race"}


@dataclass(frozen=True, slots=True)
class Rollout:
    """A rollout of one position by one engine, settings and seed.

    id: of the position. engine: what made the trials, settings included, so that with the same seed they are the same
    ones. win to lose_backgammon: chances of the player on roll, cumulative; as luck is taken out, they may lie a little
    beyond 0, 1 and each other, the mean of few trials more. error: standard error of the cubeless equity. Raises
    SettingsError for what cannot be.
    """

    id: str
    engine: str
    seed: int
    trials: int
    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float
    error: float

    def __post_init__(self) -> None:
        _ROLLOUT(self)
        # Of 500 trials of the nets that ship none was beyond by more than .27, of a net that knew nothing by .9.
        slack = max(_BEYOND, 2 / math.sqrt(self.trials))
        for name, value in zip(Outcomes._fields, self.outcomes, strict=True):
            Real(-slack, 1 + slack)(name, value)
        for part, whole, most in (
            ("win_gammon", "win", self.win),
            ("win_backgammon", "win_gammon", self.win_gammon),
            ("lose_gammon", "1 - win", 1 - self.win),
            ("lose_backgammon", "lose_gammon", self.lose_gammon),
        ):
            if (found := getattr(self, part)) > most + slack:
                raise SettingsError(f"{part} must be at most {whole}, {most:g}. Got {found:g} instead.")

    @property
    def outcomes(self) -> Outcomes:
        """The chances."""
        return Outcomes(self.win, self.win_gammon, self.win_backgammon, self.lose_gammon, self.lose_backgammon)


_CHANCE = Real(-1, 2)
_DECISION = Whole(0, (1 << 63) - 1)
_ROLLOUT = Fields(
    id=Instance(str),
    engine=Instance(str),
    seed=SEED,
    trials=Whole(1, MAX_TRIALS),
    **dict.fromkeys(Outcomes._fields, _CHANCE),
    error=Real(0, 3),
)
_COLUMNS = tuple(each.name for each in fields(Rollout))


@dataclass(frozen=True, slots=True)
class Content:
    """What is in a database or in a file written of one. positions: IDs, each with the number that the plays of one
    decision share, None for a position by itself. Raises InvalidIdError, InvalidPositionError, SettingsError."""

    positions: dict[str, int | None]
    rollouts: tuple[Rollout, ...]

    def __post_init__(self) -> None:
        for each, decision in self.positions.items():
            sound_id(Position.from_id(each))
            if decision is not None:
                _DECISION("decision", decision)


def sound_id(position: Position) -> str:
    """The ID of a position that nets can learn from. Raises InvalidPositionError."""
    position.check()
    position.check_unfinished("there is nothing to learn from")
    if position.chequers != 15:
        raise InvalidPositionError(f"nets judge games of 15 chequers. Got one of {position.chequers} instead.")
    return position.id


@dataclass(frozen=True, slots=True)
class Known:
    """What all rollouts of a position say together. error: standard error of the cubeless equity."""

    id: str
    trials: int
    outcomes: Outcomes
    error: float
    decision: int | None


@dataclass(frozen=True, slots=True)
class Miss:
    """By how much an engine misjudges a position: its equity, and that less what the rollouts say."""

    known: Known
    equity: float
    off: float


@dataclass(frozen=True, slots=True)
class Verified:
    """How an engine does on rolled-out positions of one kind. rmse: less what the noise of the rollouts explains."""

    kind: str
    count: int
    bias: float
    rmse: float


class Database:
    """The file; a context manager. Raises `DataFileError` for another file, and for none that is not to be made."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        there = path.exists()
        if not there:
            if not create:
                raise DataFileError(f"{path}: there is no such database; `sixprime lessons add` makes it")
            make_folder(path)
        # An empty file is one that another process is about to fill, or could not; it is looked at first, as it may be
        # filled in between.
        elif not (create and path.stat().st_size == 0) and not is_database(path):
            raise DataFileError(f"{path} is no database of lessons, made by `sixprime lessons add`.")
        try:
            # An absolute path is never ":memory:".
            self._rows = sqlite3.connect(path.absolute(), timeout=_PATIENCE, isolation_level=None)
            self._rows.execute("PRAGMA foreign_keys = ON")
        except sqlite3.Error as error:
            raise self._failed(error) from error
        try:
            if not self._is_made():
                with self._changing():
                    for change in () if self._is_made() else _SCHEMA:
                        self._rows.execute(change)
        except DataFileError as error:
            self._rows.close()
            if not there and _is_full(error.__cause__):
                with suppress(OSError):
                    if path.stat().st_size == 0:
                        path.unlink()
            raise

    def _is_made(self) -> bool:
        return bool(self._ask("PRAGMA application_id")[0][0])

    def __enter__(self) -> Database:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._rows.close()

    def _failed(self, error: Exception) -> DataFileError:
        full = "; perhaps there is no space left" if _is_full(error) else ""
        return DataFileError(f"{self.path}: the database cannot be used: {error}{full}")

    def _ask(self, question: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._rows.execute(question, values).fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._failed(error) from error

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """All changes within the block are made, or none."""
        try:
            self._rows.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._rows.execute("COMMIT")
            except BaseException:
                # Where the disk is full, SQLite has rolled back by itself.
                if self._rows.in_transaction:
                    self._rows.execute("ROLLBACK")
                raise
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._failed(error) from error

    def _changed(self, change: str, values: Iterable[Sequence[Any]]) -> int:
        """One change for all values; how many rows it changed."""
        return self._rows.executemany(change, values).rowcount

    # -- positions -------------------------------------------------------------------------------------------------

    def add(self, decisions: Iterable[Sequence[Position]]) -> int:
        """Adds positions, those of one decision together; how many are new. Several positions at once are the plays of
        one decision, seen by the opponent, who is on roll after them. Where finding them ends early, those before are
        kept but for the last few thousand. Raises InvalidPositionError."""
        waiting = iter(decisions)
        new = 0
        # Nobody has to wait for the file while positions are still being found.
        while found := [[sound_id(position) for position in positions] for positions in islice(waiting, _KEPT)]:
            with self._changing():
                numbered = enumerate(found, self._next_decision())
                new += self._changed(
                    "INSERT OR IGNORE INTO position VALUES (?, ?)",
                    ((each, number if len(ids) > 1 else None) for number, ids in numbered for each in ids),
                )
        return new

    def remove(self, ids: Iterable[str]) -> int:
        """Takes out positions and their rollouts; how many were there."""
        with self._changing():
            return self._changed("DELETE FROM position WHERE id = ?", ((each,) for each in ids))

    def count(self) -> int:
        """How many positions there are."""
        return int(self._ask("SELECT COUNT(*) FROM position")[0][0])

    def ids(self) -> list[str]:
        """The IDs of all positions, in their order."""
        return [each for (each,) in self._ask("SELECT id FROM position ORDER BY id")]

    # -- rollouts --------------------------------------------------------------------------------------------------

    def content(self) -> Content:
        """All that there is. Raises DataFileError, as all that asks the file does."""
        positions = dict(self._ask("SELECT id, decision FROM position ORDER BY id"))
        # What other programs take out of a table leaves its rollouts behind.
        rollouts = self._rollouts("WHERE id IN (SELECT id FROM position)")
        try:
            return Content(positions, tuple(rollouts))
        except ValueError as error:
            raise self._failed(error) from error

    def _rollouts(self, where: str, values: Sequence[Any] = ()) -> list[Rollout]:
        rows = self._ask(f"SELECT {', '.join(_COLUMNS)} FROM rollout {where} ORDER BY id, engine, seed", values)
        try:
            return [Rollout(*row) for row in rows]
        except ValueError as error:
            raise self._failed(error) from error

    def known(self) -> list[Known]:
        """What is known of every position that was rolled out, in the order of their IDs."""
        content = self.content()
        found: dict[str, list[Rollout]] = {}
        for each in content.rollouts:
            found.setdefault(each.id, []).append(each)
        return [_together(rollouts, content.positions[each]) for each, rollouts in found.items()]

    def merge(self, other: Content) -> tuple[int, int]:
        """Takes positions and rollouts in: how many positions are new, and how many rollouts are, or are longer than
        what was there. All or none."""
        columns, places = ", ".join(_COLUMNS), ", ".join("?" * len(_COLUMNS))
        longer = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[3:])
        with self._changing():
            first = self._next_decision() if other.positions else 0
            # Numbered anew, so that numbers stay small however often two files are merged with each other.
            numbers: dict[int, int] = {}
            positions = self._changed(
                "INSERT OR IGNORE INTO position VALUES (?, ?)",
                (
                    (each, None if decision is None else numbers.setdefault(decision, first + len(numbers)))
                    for each, decision in other.positions.items()
                ),
            )
            rollouts = self._changed(
                f"INSERT INTO rollout ({columns}) VALUES ({places}) "
                f"ON CONFLICT DO UPDATE SET {longer} WHERE excluded.trials > trials",
                ([getattr(rollout, name) for name in _COLUMNS] for rollout in other.rollouts),
            )
        return positions, rollouts

    def _next_decision(self) -> int:
        return int(self._ask("SELECT COALESCE(MAX(decision), -1) + 1 FROM position")[0][0])

    def roll_out(
        self,
        engine: Engine,
        trials: int,
        *,
        weakest: int | None = None,
        plies: int = 0,
        truncation: int = 0,
        seed: int = 1,
        watch: Watch = NOBODY,
    ) -> int:
        """Rolls out, cubeless, what has fewer than `trials`, for as many as are missing; how many positions.

        Each is kept as soon as it is done. weakest: only of so many in the database, rolled out or not, those of which
        `engine` thinks at 2 plies what is farthest from its static value. plies, truncation: of the rollout, as in
        `RolloutSettings`. seed: of the first rollout of a position; the next ones have others. Raises SettingsError,
        StoppedError.
        """
        settings = RolloutSettings(
            trials, seed, cubeful=False, players=(PlayerSettings(plies),) * 2, truncation=truncation
        )
        name = _name(engine, settings)
        have = dict(self._ask("SELECT id, SUM(trials) FROM rollout GROUP BY id"))
        wanted = self.ids()
        if weakest is not None:
            doubts = self.doubts(engine, wanted, watch)
            wanted = sorted(wanted, key=lambda each: (-doubts[each], each))[:weakest]
        wanted = [each for each in wanted if have.get(each, 0) < trials]
        for done, each in enumerate(wanted):
            watch.tell(done, len(wanted), "positions")
            seeds = self._ask("SELECT seed FROM rollout WHERE id = ? AND engine = ?", (each, name))
            own = replace(settings, trials=trials - have.get(each, 0), seed=_free(seed, {used for (used,) in seeds}))
            try:
                result = engine.rollout(Position.from_id(each), match=_CUBELESS, settings=own, stop=watch.stop)
            except StoppedError:
                result = None
            if result is None or not result.finished:
                raise StoppedError(done, len(wanted), "positions")
            [found] = result.estimates
            rollout = Rollout(each, name, own.seed, own.trials, *found.probabilities, found.cubeless_error)
            self.merge(Content({}, (rollout,)))
        return len(wanted)

    def doubts(self, engine: Engine, ids: Sequence[str], watch: Watch = NOBODY) -> dict[str, float]:
        """How far the cubeless equities at 0 and at 2 plies are apart, by ID; what is known already is not asked again.

        Raises StoppedError; what was found until then is kept.
        """
        name = engine.fingerprint
        found = dict(self._ask("SELECT id, doubt FROM doubt WHERE engine = ?", (name,)))
        missing = [each for each in ids if each not in found]
        for first in range(0, len(missing), _CHUNK):
            watch.check(first, len(missing), "positions judged")
            watch.tell(first, len(missing), "positions judged")
            chunk = missing[first : first + _CHUNK]
            near, far = (_judged(engine, chunk, plies) for plies in (0, 2))
            new = {each: abs(one - other) for each, one, other in zip(chunk, near, far, strict=True)}
            with self._changing():
                self._changed(
                    "INSERT OR REPLACE INTO doubt VALUES (?, ?, ?)",
                    ((each, name, doubt) for each, doubt in new.items()),
                )
            found |= new
        return found

    # -- what comes of them ----------------------------------------------------------------------------------------

    def lessons(self) -> harvest.Lessons:
        """What nets learn from: the positions that were rolled out, as a harvest has them."""
        known = self.known()
        numbers: dict[int, int] = {}
        # A position by itself is a decision of its own.
        decisions = [
            number if each.decision is None else numbers.setdefault(each.decision, number)
            for number, each in enumerate(known)
        ]
        return harvest.plays(
            _packed([each.id for each in known]),
            np.array([each.outcomes for each in known], dtype=np.float32).reshape(-1, 5),
            np.array(decisions, dtype=np.int32),
        )

    def summary(self) -> dict[str, Any]:
        """How many positions of each kind there are, and how many of them were rolled out, as plain values."""
        ids = self.ids()
        rolled = dict(self._ask("SELECT id, SUM(trials) FROM rollout GROUP BY id"))
        found: dict[str, dict[str, Any]] = {}
        for each, kind in zip(ids, _kinds(ids), strict=True):
            row = found.setdefault(kind, {"kind": kind, "positions": 0, "rolled_out": 0, "trials": 0})
            row["positions"] += 1
            row["rolled_out"] += each in rolled
            row["trials"] += rolled.get(each, 0)
        return {"positions": len(ids), "kinds": [found[kind] for kind in sorted(found)]}

    def told(self, name: str) -> dict[str, Any]:
        """What is known of one position, as plain values. Raises DataFileError where it is not there."""
        if not (there := self._ask("SELECT decision FROM position WHERE id = ?", (name,))):
            raise DataFileError(f"{self.path}: there is no position {name}")
        rollouts = self._rollouts("WHERE id = ?", (name,))
        known = _together(rollouts, there[0][0]) if rollouts else None
        apart = [_row(each) for each in rollouts]
        return {"id": name, "decision": there[0][0], "known": known and _plain(known), "rollouts": apart}

    def verify(self, engine: Engine, plies: int = 0, watch: Watch = NOBODY) -> tuple[list[Verified], list[Miss]]:
        """How `engine` judges what was rolled out: by kind, "all" last; and each position, the worst first.

        Raises StoppedError.
        """
        known = self.known()
        equities: list[float] = []
        for first in range(0, len(known), _CHUNK):
            watch.check(first, len(known), "positions")
            watch.tell(first, len(known), "positions")
            equities += _judged(engine, [each.id for each in known[first : first + _CHUNK]], plies)
        misses = [
            Miss(each, equity, equity - each.outcomes.cubeless) for each, equity in zip(known, equities, strict=True)
        ]
        groups: dict[str, list[Miss]] = {}
        for miss, kind in zip(misses, _kinds([each.id for each in known]), strict=True):
            groups.setdefault(kind, []).append(miss)
        verified = [_verified(kind, group) for kind, group in sorted(groups.items())]
        if misses:
            verified.append(_verified("all", misses))
        return verified, sorted(misses, key=lambda miss: (-abs(miss.off), miss.known.id))


def is_database(path: Path) -> bool:
    """Whether a file is a database of lessons. Raises DataFileError where it cannot be read."""
    try:
        with opened(path) as stream:
            head = stream.read(72)
    except OSError as error:
        raise DataFileError(f"{path} cannot be read: {error.strerror or error}") from error
    return head.startswith(_HEAD) and int.from_bytes(head[68:72], "big") == _APPLICATION


def _is_full(error: BaseException | None) -> bool:
    """Whether a disk that is full may be the reason."""
    # The last byte is the kind of error.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)


def generate(
    engine: Engine,
    count: int,
    *,
    seed: int = 1,
    rare: float = 0.4,
    mix: str = "all",
    watch: Watch = NOBODY,
) -> Iterator[Position]:
    """So many different positions of self-play at 0 plies, about one in eight that come up, as they are found.

    The first ones are the same however many are asked for, from 1,024 on. rare, mix: share of games that start from a
    rare kind of position, and of which kinds, as in `Harvest`. Raises SettingsError, StoppedError.
    """
    Whole(1, 10_000_000)("count", count)
    SEED("seed", seed)
    Harvest(positions=count, rare=rare, mix=mix)
    games = selfplay.SelfPlayGames.new(seed, min(count, 1024), 0.2, rare, mix=mix)
    return _drawn(engine, games, seed, count, watch)


def _drawn(engine: Engine, games: selfplay.SelfPlayGames, seed: int, count: int, watch: Watch) -> Iterator[Position]:
    found: set[str] = set()
    while len(found) < count:
        watch.check(len(found), count, "positions")
        watch.tell(len(found), count, "positions")
        chosen, _ = selfplay.best_plays(engine.brain, games.boards, games.dice())
        drawn = hash64(seed, games.games, games.turns + 2_000_000) % np.uint64(8) == 0
        drawn &= classes_of(games.boards) >= search.RACE
        for board in kernels.unpack(games.boards[drawn]):
            position = Position.from_board(board)
            if position.id not in found and len(found) < count:
                found.add(position.id)
                yield position
        which, random = games.random_plays(games.dice())
        chosen[which] = random
        games.advance(chosen)


def write(content: Content, stream: TextIO) -> None:
    """Writes what `read` reads: a JSON object for every position, one a line, with its rollouts."""
    rollouts: dict[str, list[dict[str, Any]]] = {}
    for each in content.rollouts:
        rollouts.setdefault(each.id, []).append(_row(each))
    for each_id, decision in content.positions.items():
        own = {} if decision is None else {"decision": decision}
        stream.write(json.dumps({"id": each_id, **own, "rollouts": rollouts.get(each_id, [])}) + "\n")


def _row(rollout: Rollout) -> dict[str, Any]:
    """A rollout beside the ID it belongs to, as plain values."""
    return {name: value for name, value in asdict(rollout).items() if name != "id"}


def read(path: Path) -> Content:
    """What is in a database, or in a file of `write`. Raises `InvalidFileError`, which names the line."""
    if is_database(path):
        with Database(path) as other:
            return other.content()
    positions: dict[str, int | None] = {}
    rollouts: list[Rollout] = []
    lines = 0
    try:
        with opened(path, ROWS) as stream:
            for line in stream:
                found = _line(line)
                positions |= found.positions
                rollouts += found.rollouts
                lines += 1
    except ValueError as error:
        raise InvalidFileError(f"no position with rollouts ({error})", path=path, line=lines + 1) from error
    except OSError as error:
        raise InvalidFileError(f"cannot be read: {error.strerror or error}", path=path) from error
    return Content(positions, tuple(rollouts))


def _line(line: bytes) -> Content:
    """One line of `write`. Raises ValueError."""
    row = parse_json(line)
    if not isinstance(row, dict) or not isinstance(row.get("id"), str):
        raise ValueError('an object with an "id" was expected')
    if not isinstance(rows := row.get("rollouts", []), list) or not all(isinstance(each, dict) for each in rows):
        raise ValueError('"rollouts" must be a list of objects')
    try:
        found = tuple(Rollout(id=row["id"], **each) for each in rows)
    except TypeError:
        wanted = ", ".join(name for name in _COLUMNS if name != "id")
        raise ValueError(f"a rollout has {wanted} and nothing else") from None
    for each in found:
        each.engine.encode()  # half of a pair of surrogates is no text that a database could hold
    return Content({row["id"]: row.get("decision")}, found)


def verified_to_dict(groups: Sequence[Verified], misses: Sequence[Miss]) -> dict[str, Any]:
    """What `Database.verify` found, as plain values."""
    worst = [
        {"id": each.known.id, "equity": each.equity, "off": each.off, "known": _plain(each.known)} for each in misses
    ]
    return {"kinds": [asdict(each) for each in groups], "worst": worst}


def _plain(known: Known) -> dict[str, Any]:
    equity = known.outcomes.cubeless
    return {"trials": known.trials, **known.outcomes._asdict(), "equity": equity, "error": known.error}


def _name(engine: Engine, settings: RolloutSettings) -> str:
    """What makes the trials, in words: the engine, and all settings that they depend on beside the seed."""
    cut = f", cut after {settings.truncation} turns" if settings.truncation else ""
    return f"{settings.player(0, 0).plies}-ply{cut}, engine {engine.fingerprint}"


def _together(rollouts: Sequence[Rollout], decision: int | None) -> Known:
    """The mean of the rollouts of one position, by their trials."""
    trials = sum(each.trials for each in rollouts)
    shares = [each.trials / trials for each in rollouts]
    columns = zip(*(each.outcomes for each in rollouts), strict=True)
    outcomes = Outcomes(*(math.fsum(map(mul, shares, column)) for column in columns))
    error = math.hypot(*(share * each.error for share, each in zip(shares, rollouts, strict=True)))
    return Known(rollouts[0].id, trials, outcomes, error, decision)


def _free(seed: int, used: set[int]) -> int:
    """The first seed from this one on, in long strides, that is not used."""
    seeds = ((seed + number * _STRIDE) % 2**63 for number in range(len(used) + 1))
    return next(each for each in seeds if each not in used)


def _judged(engine: Engine, ids: Sequence[str], plies: int) -> list[float]:
    """Cubeless equities of the player on roll."""
    positions = list(map(Position.from_id, ids))
    return [each.cubeless_equity for each in engine.evaluate_many(positions, match=_CUBELESS, plies=plies)]


def _packed(ids: Sequence[str]) -> NDArray[np.int8]:
    """Boards `int8[N, 32]`."""
    if not ids:
        return np.zeros((0, 32), dtype=np.int8)
    return kernels.pack(np.stack([Position.from_id(each).board for each in ids]))


def _kinds(ids: Sequence[str]) -> list[str]:
    return [_KINDS.get(code, "bear-off") for code in classes_of(_packed(ids))]


def _verified(kind: str, misses: Sequence[Miss]) -> Verified:
    square = fmean(miss.off**2 for miss in misses) - fmean(miss.known.error**2 for miss in misses)
    return Verified(kind, len(misses), fmean(miss.off for miss in misses), math.sqrt(max(0.0, square)))
