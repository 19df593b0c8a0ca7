"""What a judge is, and what it is asked.

A judge says what positions are worth, how plays rank and what to do with the cube, many at a time. Judges compose: a
search (`search_judge`), rollouts over what another judge leaves in question (`rollout_judge`), a cluster that has
another judge work elsewhere (`cluster_judge`), a book before another judge (`book_judge`), and another judge without
the cube (`CubelessJudge`). An `Engine` builds them from its settings and the name of a level.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.decision import TOLERANCE, decide
from sixprime.cube.market import take_points
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.state import CubeState
from sixprime.cube.values import to_mwc
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis, judged
from sixprime.errors import InvalidPositionError, StoppedError
from sixprime.game.doubling import PASS
from sixprime.game.outcomes import Outcomes
from sixprime.game.play import Play
from sixprime.game.position import BAR, POSITION, Position
from sixprime.game.rules import Step
from sixprime.game.state import MONEY, STATE, MatchState
from sixprime.kernels.plays import HIT
from sixprime.progress import NOBODY, Watch

MAX_CHEQUERS = 15
CLASS_NAMES = ("over", "bearoff-two-sided", "bearoff", "race", "crashed", "contact", "hypergammon")
EXACT = ("over", "bearoff-two-sided", "hypergammon")
"""Classes whose values are known; they are not rolled out."""
DOUBTED, DOUBTFUL = 2, 0.015
"""Of cube decisions after so many plies those are in doubt whose double wins or loses less than so much."""


@dataclass(frozen=True, slots=True)
class PlayRequest:
    """A chequer play to judge: the best plays of `dice`, and `must_include` among the answers if given."""

    position: Position
    dice: tuple[int, int]
    state: MatchState = MONEY
    must_include: Play | None = None


CubeRequest = tuple[Position, MatchState]
"""A position and the match state, whose player on roll may double or takes it as it is."""


class Judge(Protocol):
    """Judges decisions; answers come in the order of the requests. watch: is told how far it is and may stop it.

    All raise InvalidPositionError for an impossible position and StoppedError when they are stopped.
    """

    def positions(self, requests: Sequence[CubeRequest], watch: Watch = NOBODY) -> list[Evaluation]:
        """What positions are worth to the player on roll, before the dice."""

    def plays(
        self, requests: Sequence[PlayRequest], count: int | None = None, watch: Watch = NOBODY
    ) -> list[list[PlayAnalysis]]:
        """The plays of each request, best first; count: how many are told, None for all."""

    def cubes(self, requests: Sequence[CubeRequest], watch: Watch = NOBODY) -> list[CubeAnalysis]:
        """The cube decision of the player on roll, and the answer to a double."""


def without_cube(state: MatchState) -> MatchState:
    """The same, nobody turning the cube any more; gammons count, for money by any rules. Raises SettingsError for what
    is no match state."""
    STATE("match", state)
    return replace(state, cube_limit=state.cube, jacoby=False)


@dataclass(frozen=True, slots=True)
class CubelessJudge:
    """Positions and plays as another judge values them where nobody turns the cube, cube decisions as he does."""

    judge: Judge

    def positions(self, requests: Sequence[CubeRequest], watch: Watch = NOBODY) -> list[Evaluation]:
        """As `Judge` says."""
        return self.judge.positions([(position, without_cube(state)) for position, state in requests], watch)

    def plays(
        self, requests: Sequence[PlayRequest], count: int | None = None, watch: Watch = NOBODY
    ) -> list[list[PlayAnalysis]]:
        """As `Judge` says."""
        return self.judge.plays([replace(each, state=without_cube(each.state)) for each in requests], count, watch)

    def cubes(self, requests: Sequence[CubeRequest], watch: Watch = NOBODY) -> list[CubeAnalysis]:
        """As `Judge` says."""
        return self.judge.cubes(requests, watch)


@runtime_checkable
class Book(Protocol):
    """Chequer plays that were rolled out beforehand, such as `sixprime.learn.OpeningBooks`."""

    @property
    def name(self) -> str:
        """A few words that change with what is in it."""

    def plays(self, position: Position, dice: tuple[int, int], match: MatchState) -> tuple[PlayAnalysis, ...]:
        """The plays that were rolled out, best first; none where the decision, or its score, is not in the book."""


@dataclass(frozen=True, slots=True)
class Equities:
    """What a judge found out about a cube decision, for the player who may double; the rest follows from it.

    probabilities, cubeless: of the position. no_double, double_take: cubeful, normalised to the cube before;
    double_take None where he may not double. mwc: of both in a match, where they are known better than from the
    equities. The rest as in `CubeAnalysis`.
    """

    probabilities: Outcomes
    cubeless: float
    no_double: float
    double_take: float | None
    mwc: tuple[float | None, float | None] | None = None
    effective_x: float | None = None
    trials: int = 0
    errors: tuple[float | None, float | None] = (None, None)


def cube_analysis(
    position: Position, state: MatchState, found: Equities, met: MatchEquityTable, plies: int
) -> CubeAnalysis:
    """The answer to a cube decision."""
    cube = CubeState.from_match(state)
    take = found.no_double if found.double_take is None else found.double_take
    # When the game is over nobody doubles.
    offered = cube if position.winner is None else replace(cube, limit=cube.cube)
    verdict = decide(found.no_double, take, offered, gammons=found.probabilities[1] > 0)
    mwc: tuple[float | None, float | None] = found.mwc or (None, None)
    passed = None
    if not cube.money:
        passed = float(to_mwc(PASS, cube, met))
        # There and back again what is sure may be one bit beyond 0 or 1.
        searched = np.clip(to_mwc(np.array([found.no_double, take]), cube, met), 0.0, 1.0)
        mwc = found.mwc or (float(searched[0]), float(searched[1]))
    return CubeAnalysis(
        position=position,
        state=state,
        probabilities=found.probabilities,
        cubeless_equity=found.cubeless,
        no_double=found.no_double,
        double_take=take,
        double_pass=PASS,
        mwc_no_double=mwc[0],
        mwc_double_take=mwc[1],
        mwc_double_pass=passed,
        plies=plies,
        take_points=take_points(found.probabilities, cube, met) if verdict.available else None,
        effective_x=found.effective_x,
        trials=found.trials,
        no_double_error=found.errors[0],
        double_take_error=found.errors[1],
        **judged(verdict, cube),
    )


def is_near(no_double: float, double_take: float, reach: float) -> bool:
    """Whether doubling or taking is within `reach` of its alternative; in normalised equity, a pass being worth 1."""
    return min(abs(no_double - min(double_take, PASS)), abs(double_take - PASS)) < reach


def deepened(
    requests: Sequence[CubeRequest],
    ask: Callable[[Sequence[CubeRequest], int, Watch], Sequence[CubeAnalysis]],
    watch: Watch = NOBODY,
) -> list[CubeAnalysis]:
    """The answers of `ask` at `DOUBTED` plies; of what is then in doubt, and was only searched, those of one ply more.

    ask: is given requests, plies and a watch. Raises `StoppedError`, which counts all requests, when it is stopped.
    """
    first, then = watch.halves(len(requests))
    found = list(ask(requests, DOUBTED, first))
    searched = (i for i, cube in enumerate(found) if cube.available and cube.plies == DOUBTED and not cube.trials)
    which = [i for i in searched if is_doubtful(found[i].no_double, found[i].double_take)]
    if which:
        try:
            closer = ask([requests[i] for i in which], DOUBTED + 1, then)
        except StoppedError:
            raise StoppedError(len(found) - len(which), len(found), "decisions") from None
        for i, cube in zip(which, closer, strict=True):
            found[i] = cube
    watch.tell(len(found), len(found), "decisions")
    return found


def is_doubtful(no_double: Any, double_take: Any) -> Any:
    """Whether a cube decision that was searched `DOUBTED` plies is worth one more; scalars or `float64[N]`.

    Both are equities of the player who may double, normalised as in `is_near`. What a take gains is allowed twice as
    much as what a double gains, as one more ply changes it two to four times as much. What is equal stays so.
    Measured: docs/cube.md.
    """
    double, take = np.minimum(double_take, PASS) - no_double, double_take - PASS
    close = (np.abs(double) >= TOLERANCE) & (np.abs(double) < DOUBTFUL)
    return close | (np.abs(take) < 2 * DOUBTFUL)


def packed(positions: Sequence[Position], watch: Watch = NOBODY) -> NDArray[np.int8]:
    """Packed boards `int8[N, 32]` of positions. Raises `InvalidPositionError` for one that cannot be, StoppedError."""
    if len(positions) == 1:
        return _packed_one(positions[0])
    rows: dict[int, list[int]] = {}
    sides: list[bytes] = []
    try:
        for i, position in enumerate(watch.each(positions)):
            POSITION("position", position)
            sides.append(bytes(position.opponent + position.player))
            rows.setdefault(position.chequers, []).append(i)
    except ValueError:
        _refuse(positions)
        raise
    counts = np.frombuffer(b"".join(sides), dtype=np.int8).reshape(len(sides), 2, 25)
    boards = np.zeros((len(sides), 32), dtype=np.int8)
    for chequers, which in rows.items():
        own = counts if len(rows) == 1 else counts[which]
        if chequers > MAX_CHEQUERS or not _all_possible(own, chequers):
            _refuse(positions)
        boards[which] = kernels.pack(own, chequers)
    return boards


def _packed_one(position: Position) -> NDArray[np.int8]:
    POSITION("position", position)
    _refuse([position])
    counts = np.frombuffer(bytes(position.opponent + position.player), dtype=np.int8)
    return kernels.pack(counts.reshape(1, 2, 25), position.chequers)


def _all_possible(counts: NDArray[np.int8], chequers: int) -> bool:
    """Whether boards `int8[N, 2, 25]` are possible, as `Position.status` has it."""
    points, totals = counts[:, :, :BAR], counts.sum(axis=2)
    shared = (points[:, 0, ::-1] > 0) & (points[:, 1] > 0)
    shut_out = (counts[:, :, BAR] > 0) & (counts[:, :, :6] > 1).all(axis=2)
    return bool(
        counts.min(initial=0) >= 0
        and totals.max(initial=0) <= chequers
        and totals.any(axis=1).all()
        and not shared.any()
        and not shut_out.all(axis=1).any()
    )


def _refuse(positions: Sequence[Position]) -> None:
    """Raises InvalidPositionError for the first of positions that is impossible or has too many chequers."""
    for position in positions:
        position.check()
        if position.chequers > MAX_CHEQUERS:
            raise InvalidPositionError(f"a side has {position.chequers} chequers; {MAX_CHEQUERS} at most")


@lru_cache(maxsize=1 << 14)
def steps_of(code: bytes) -> tuple[Step, ...]:
    """The steps of a row of `kernels.routes`."""
    ends = [(start, end) for start, end in zip(code[::2], code[1::2], strict=True) if start]
    return tuple(Step(start, end % HIT, end >= HIT) for start, end in ends)


def told(plays: list[PlayAnalysis], request: PlayRequest, count: int | None) -> list[PlayAnalysis]:
    """The best `count` plays, and the one that must be among them."""
    if count is None:
        return plays
    wanted = request.must_include.result if request.must_include else None
    return plays[:count] + [play for play in plays[count:] if play.play.result == wanted]


def grouped(cubes: Sequence[CubeState]) -> tuple[list[CubeState], NDArray[np.int32]]:
    """The distinct states, and for each item the index of its state."""
    index: dict[CubeState, int] = {}
    groups = np.array([index.setdefault(cube, len(index)) for cube in cubes], dtype=np.int32)
    return list(index), groups
