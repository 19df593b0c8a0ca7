"""Everything the databases know about one position."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.bearoff import shelf
from sixprime.bearoff._one_sided import OneSided
from sixprime.bearoff._two_sided import TwoSided
from sixprime.bearoff.databases import Databases
from sixprime.bearoff.names import NAMES, NORMAL, ONE_SIDED, TWO_SIDED
from sixprime.bearoff.normal import Normal
from sixprime.bearoff.side import Side, counts_of
from sixprime.checks import Instance, Maybe, OneOf, Whole, shown
from sixprime.errors import DataFileError, InvalidPositionError
from sixprime.game import doubling
from sixprime.game.outcomes import Outcomes
from sixprime.game.position import POSITION, Position
from sixprime.kernels.bearoff_build import position_count


@dataclass(frozen=True, slots=True)
class Race:
    """Both sides of a race and what comes of it for the player on roll.

    database: its size, such as "15x6".
    """

    database: str
    on_roll: Side
    opponent: Side
    probabilities: Outcomes

    @property
    def equity(self) -> float:
        """Cubeless money equity."""
        return self.probabilities.cubeless


@dataclass(frozen=True, slots=True, eq=False)
class Cube:
    """A money game with the cube in one place: what it is worth to the player on roll, in units of the cube.

    double_take, double_pass: NaN when he may not double.
    """

    no_double: float
    double_take: float = nan
    double_pass: float = nan

    # NaN is equal to nothing, not even to itself in a copy.
    def __eq__(self, other: object) -> bool:
        return self._said() == other._said() if isinstance(other, Cube) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._said())

    def _said(self) -> tuple[float | None, ...]:
        values = self.no_double, self.double_take, self.double_pass
        return tuple(None if isnan(value) else value for value in values)

    @property
    def double(self) -> bool:
        """Whether doubling is right; of equal equities, doubling."""
        return doubling.doubles(self.no_double, self.double_take, self.double_pass)

    @property
    def take(self) -> bool:
        """Whether a double should be taken."""
        return doubling.takes(self.double_take, self.double_pass)

    @property
    def best(self) -> float:
        """The equity when both sides act rightly."""
        return doubling.best(self.no_double, self.double_take, self.double_pass)


@dataclass(frozen=True, slots=True)
class Pair:
    """The exact money values. database: its size, such as "6x6"; win: the chance to win, 0..1."""

    database: str
    win: float
    cubeless: float
    owned: Cube
    centred: Cube
    opponent: Cube


@dataclass(frozen=True, slots=True)
class Findings:
    """What is known about a position; None where no database holds it."""

    race: Race | None
    pair: Pair | None
    normal: Race | None


_DATABASES = Maybe(Instance(Databases))
_POINTS, _CHEQUERS = Whole(1, 25), Whole(1, 15)
_WHOLE, _KIND = Instance((int, np.integer), "a whole number"), OneOf(ONE_SIDED, TWO_SIDED, NORMAL)


def look_up(position: Position, databases: Databases | None = None) -> Findings:
    """Asks the databases of the user's data folder, the largest first.

    Raises InvalidPositionError when no database holds the position, DataFileError when one that is damaged would,
    SettingsError.
    """
    POSITION("position", position)
    _DATABASES("databases", databases)
    known = databases or Databases.found()
    board = kernels.pack(position.board[None], position.chequers)
    race = next(filter(None, (_race(side, position, board) for side in (known.one_sided, *known.wider))), None)
    pair = next(filter(None, (_pair(database, position, board) for database in known.two_sided)), None)
    normals = sorted(shelf.find(Normal, NORMAL), key=lambda one: -one.points)
    normal = next(filter(None, (_race(one, position, board) for one in normals)), None)
    if race is None and pair is None and normal is None:
        _refuse_damaged(position)
        raise InvalidPositionError(f"no bear-off database holds {position.id}; {_wanted(position)}")
    return Findings(race, pair, normal)


def position_of(number: int, points: int, chequers: int, game: int = 15) -> Position:
    """The position of a number in a database of that size, as GNU Backgammon's bearoffdump counts: the number of the
    side on roll, times all sides there are, plus that of its opponent.

    game: with how many chequers a side begins. Raises InvalidPositionError for a number that is none, or one of no
    position, SettingsError for a size that no database has.
    """
    _POINTS("points", points)
    _CHEQUERS("chequers", chequers)
    _WHOLE("number", number)
    sides = position_count(points, chequers)
    if not 0 <= number < sides**2:
        last = sides**2 - 1
        raise InvalidPositionError(
            f"the positions of {chequers}x{points} have numbers 0 to {last}, not {shown(number)}"
        )
    player, opponent = (counts_of(side, points) + (0,) * (25 - points) for side in divmod(number, sides))
    position = Position(opponent, player, game)
    if fault := position.fault:
        raise InvalidPositionError(f"number {number} of {chequers}x{points} is no position: {fault}")
    return position


def look_up_number(number: int, kind: str, points: int, chequers: int) -> tuple[Position, Findings]:
    """The position of a number in one database, and what that one says of it.

    kind: "one-sided", "two-sided" or "normal". Raises as `position_of`, also for a position whose outcome the database
    does not tell, and DataFileError for a database that is not there or damaged.
    """
    _KIND("kind", kind)
    position = position_of(number, points, chequers)
    board = kernels.pack(position.board[None], position.chequers)
    database = _opened(kind, points, chequers)
    race = pair = None
    if isinstance(database, TwoSided):
        pair = _pair(database, position, board)
    else:
        race = _race(database, position, board)
    if race is None and pair is None:
        raise InvalidPositionError(
            f"{kind} {chequers}x{points} does not tell the outcome of its position {number}, {position.id}: "
            "the sides are in contact, or a gammon is possible"
        )
    return position, Findings(None if kind == NORMAL else race, pair, race if kind == NORMAL else None)


def _opened(kind: str, points: int, chequers: int) -> OneSided | TwoSided | Normal:
    """A database; the usual ones are built on first use. Raises DataFileError."""
    database: type[OneSided | TwoSided | Normal] = {ONE_SIDED: OneSided, TWO_SIDED: TwoSided, NORMAL: Normal}[kind]
    if NAMES[kind].usual == (points, chequers):
        return shelf.fetch(database, kind, points, chequers)
    command = f"sixprime bearoff build {kind} {chequers}x{points}"
    try:
        return database.open(shelf.path_of(kind, points, chequers), points, chequers)
    except FileNotFoundError:
        raise DataFileError(f"{kind} {chequers}x{points} is not built: run {command}") from None
    except DataFileError as error:
        raise DataFileError(f"{error}; build it again: {command}") from error


def _rear(position: Position) -> list[int]:
    """The rearmost point of each side."""
    sides = (position.player, position.opponent)
    return [max((point for point in range(1, 26) if side[point - 1]), default=0) for side in sides]


def _in_contact(position: Position) -> bool:
    """Whether the sides have yet to pass: databases of more than 12 points hold them, but not what comes of it."""
    return sum(_rear(position)) > 24


def _refuse_damaged(position: Position) -> None:
    """Raises DataFileError when a database holds the position that cannot be used; the log tells where it is."""
    most = max(sum(position.player), sum(position.opponent))
    for kind, points, chequers in shelf.damaged():
        if not _in_contact(position) and max(_rear(position)) <= points and most <= chequers:
            size = f"{chequers}x{points}"
            raise DataFileError(
                f"only a damaged bear-off database holds {position.id}, {kind} {size}: "
                f"run sixprime bearoff build {kind} {size}"
            )


def _wanted(position: Position) -> str:
    """What would hold a position."""
    rear = _rear(position)
    if _in_contact(position):
        return "the sides are still in contact"
    if max(rear) > shelf.MAX_POINTS:
        return f"a chequer is behind the {shelf.MAX_POINTS} point, the last that a database can have"
    return f"build the one that does: sixprime bearoff build 15x{max(rear)}"


def _race(database: OneSided | Normal, position: Position, board: NDArray[np.int8]) -> Race | None:
    outcomes = Outcomes(*database.probabilities(board)[0].tolist())
    if np.isnan(outcomes.win) or _in_contact(position):
        return None
    return Race(
        f"{database.chequers}x{database.points}",
        database.side(position.player),
        database.side(position.opponent),
        outcomes,
    )


def _pair(database: TwoSided, position: Position, board: NDArray[np.int8]) -> Pair | None:
    cubeless, owned, centred, opponent = (float(value) for value in database.equities(board)[0])
    if np.isnan(cubeless) or _in_contact(position):
        return None
    return Pair(
        f"{database.chequers}x{database.points}",
        (cubeless + 1) / 2,
        cubeless,
        Cube(owned, 2 * opponent, 1.0),
        Cube(centred, 2 * opponent, 1.0),
        Cube(opponent),
    )
