"""Levels that err as people do.

People play most decisions well and misjudge some badly: a weak player's good decisions are hardly worse than an
expert's, there are fewer of them. So a level judges with one of two deviations, a slight one or, in a share of its
decisions, a gross one. Of several models this one comes nearest to how often people err and how much by it
(`benchmarks/people.py`). What a level misjudges depends on the position and its seed alone, so a decision
that comes again is made again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.checks import TEXT, Fields, Real, Whole
from sixprime.engine import Engine
from sixprime.engine.engine import SEARCH
from sixprime.engine.judge import Book
from sixprime.engine.presets import named
from sixprime.engine.random import hash64
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.game.doubling import after_double, takes
from sixprime.game.position import Position
from sixprime.players.bot import Asked
from sixprime.players.engine import ROOM, by_table, match_state, play_requests


@dataclass(frozen=True, slots=True)
class Level:
    """How well somebody plays.

    pr: the performance rating it claims, by an analysis at 2 plies. plies: its judgement before it errs. slight, gross:
    deviations of that judgement, in equity (EMG). careless: share of the decisions that it misjudges grossly.
    Raises `SettingsError` for values out of range.
    """

    name: str
    pr: float
    plies: int
    slight: float
    gross: float
    careless: float

    def __post_init__(self) -> None:
        _LEVEL(self)

    def engine(self, *, threads: int | None = None, book: Book | None = None) -> Engine:
        """An engine that judges as deeply, plays of the book apart."""
        return Engine(threads=threads, plies=self.plies, book=book)


_LEVEL = Fields(name=TEXT, pr=Real(0, 100), plies=Whole(0, 4), slight=Real(0, 2), gross=Real(0, 2), careless=Real(0, 1))

LEVELS = {
    level.name: level
    for level in (
        Level("beginner", 30, 0, 0.020, 0.30, 0.54),
        Level("casual", 20, 0, 0.015, 0.25, 0.41),
        Level("intermediate", 12, 0, 0.012, 0.15, 0.37),
        Level("advanced", 7, 0, 0.010, 0.12, 0.255),
        Level("expert", 4, 0, 0.008, 0.10, 0.132),
        Level("world class", 2, 2, 0.005, 0.08, 0.115),
    )
}
"""By name, the weakest first."""


_CUBES, _FARTHEST = 4.8, 0.48
"""How much farther off than plays positions are judged at cubes, and by how much equity at most."""
_DOUBLED = 2.0
"""How much more a position that is better is worth with a doubled cube."""
_WAITS = 0.35
"""Equity that a double must seem to gain, for one who is careless in all decisions. With these four numbers cubes are
turned too late, too early and answered wrongly about as often as by people of the same strength."""
_CUBELESS = 0.2
"""Share of what a play is worth without the cube in what it seems worth."""


def get_level(name: str) -> Level:
    """The level of that name, in which case, blanks, hyphens and underscores do not matter. Raises SettingsError."""
    TEXT("level", name)
    return named(name, LEVELS)


@dataclass(frozen=True, slots=True)
class Errors:
    """What one who plays at a level thinks of what an engine has judged. seed: another one errs elsewhere."""

    level: Level
    seed: int = 0

    def chosen(self, position: Position, dice: tuple[int, int], plays: Sequence[PlayAnalysis]) -> PlayAnalysis:
        """The play that seems best."""
        if len(plays) == 1:
            return plays[0]
        deviation = self._deviation(position, dice[0] * 8 + dice[1])
        boards = kernels.pack(np.stack([play.play.result.board for play in plays]))
        # Where the cube makes all plays equal, people still see which leaves them the better game.
        seen = np.array([(1 - _CUBELESS) * play.cubeful_equity + _CUBELESS * play.cubeless_equity for play in plays])
        return plays[int(np.argmax(seen + deviation * self._normal(boards, 1)))]

    def seen(self, cube: CubeAnalysis) -> tuple[float, float]:
        """What not to double and a double that is taken seem worth to the doubler, who misjudges the position."""
        share = float(self._uniform(kernels.pack(cube.position.board[None]), 16)[0])
        off = min(_CUBES * self._deviation(cube.position, 0), _FARTHEST) * (2 * share - 1)
        return cube.no_double + off, cube.double_take + _DOUBLED * off

    def doubles(self, cube: CubeAnalysis) -> bool:
        """Whether the player, who may, doubles. The weaker he is, the more he waits: people miss doubles more often
        than they double wrongly."""
        no_double, double_take = self.seen(cube)
        return after_double(double_take, cube.double_pass) >= no_double + _WAITS * self.level.careless

    def takes(self, cube: CubeAnalysis) -> bool:
        """Whether the opponent of the doubler takes."""
        return takes(self.seen(cube)[1], cube.double_pass)

    def _deviation(self, position: Position, salt: int) -> float:
        """Of a decision in a position."""
        share = float(self._uniform(kernels.pack(position.board[None]), 64 + salt)[0])
        return self.level.gross if share < self.level.careless else self.level.slight

    def _uniform(self, boards: NDArray[np.int8], salt: int) -> NDArray[np.float64]:
        plain = boards.copy()
        plain[:, 28:] = 0
        words = plain.view(np.int64)
        hashed = hash64(self.seed, salt, words[:, 0], words[:, 1], words[:, 2], words[:, 3])
        return np.asarray((hashed.astype(np.float64) + 1.0) / 2.0**64)

    def _normal(self, boards: NDArray[np.int8], salt: int) -> NDArray[np.float64]:
        """Normal deviates `[N]`, by Box and Muller."""
        first, second = (np.minimum(self._uniform(boards, 8 * salt + k), 1.0) for k in (0, 1))
        return np.asarray(np.sqrt(-2.0 * np.log(first)) * np.cos(2.0 * np.pi * second))


class LevelBot:
    """A level in batches, for duels and measurements."""

    waits = False

    def __init__(self, level: Level, engine: Engine, seed: int = 0) -> None:
        self.name, self.level, self.engine, self._errors = level.name, level, engine, Errors(level, seed)
        self.identity = f"sixprime {engine.net.checksum} {level} seed {seed} search {SEARCH}"
        self.identity += by_table(engine.met)
        self.room = ROOM[level.plies]

    def check(self, state: object) -> None:
        """Plays everything."""

    def close(self) -> None:
        """Nothing to end."""

    def plays(self, asked: Asked, dice: NDArray[np.int8]) -> NDArray[np.int8]:
        """Boards `int8[N, 32]` after its plays, seen by the side then on roll."""
        requests = play_requests(asked.by(self.engine.met), dice)
        ranked = self.engine.rank_plays_many(requests, count=None, search_forced=False, stop=asked.stop)
        chosen = [
            self._errors.chosen(request.position, request.dice, plays)
            for request, plays in zip(requests, ranked, strict=True)
        ]
        return kernels.pack(np.stack([play.play.result.board for play in chosen]))

    def doubles(self, asked: Asked) -> NDArray[np.bool_]:
        """Whether it doubles."""
        return np.array([self._errors.doubles(cube) for cube in self._cubes(asked)], dtype=np.bool_)

    def takes(self, asked: Asked) -> NDArray[np.bool_]:
        """Whether it takes."""
        return np.array([self._errors.takes(cube) for cube in self._cubes(asked)], dtype=np.bool_)

    def _cubes(self, asked: Asked) -> list[CubeAnalysis]:
        asked = asked.by(self.engine.met)
        states = [match_state(state) for state in asked.states]
        positions = [Position.from_board(board) for board in kernels.unpack(asked.boards)]
        requests = [(position, states[group]) for position, group in zip(positions, asked.groups, strict=True)]
        return self.engine.cube_many(requests, stop=asked.stop)
