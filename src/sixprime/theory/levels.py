"""Cube points level by level: for each value of the cube, what gammons are worth and where the market opens and closes.

Closed forms and the engine's cube model on the chances of one position; see `cube.market`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sixprime.checks import Whole, sequence
from sixprime.cube.market import DecisionPoints, MarketWindow, decision_points, gammon_values
from sixprime.cube.state import CubeState
from sixprime.engine import Engine, Evaluation
from sixprime.game.outcomes import Outcomes
from sixprime.game.position import Position
from sixprime.game.state import LARGEST_CUBE, MONEY, MatchState
from sixprime.lazy import brief, drawn_by
from sixprime.progress import Stop
from sixprime.theory.asked import check_asked
from sixprime.theory.cube import class_code, local_volatility, windows_of

DEFAULT_LEVELS = (2, 4, 8)
_LEVEL = Whole(2, LARGEST_CUBE, power=True)


@dataclass(frozen=True, slots=True)
class CubeLevel:
    """One turn of the cube by one side.

    cube: the value it is turned to. side: who turns it, +1 the player on roll, -1 his opponent; all winning chances are
    of who turns it. gammons: value of a gammon and of a backgammon to him beyond a win, before the turn, .5 and 1 for
    money; after: once it is turned. opponent: the same after the turn for the other side. windows: dead and live.
    points: where the engine's model doubles, cashes and plays on. Empty and None where the score makes the turn
    impossible.
    """

    cube: int
    side: int
    gammons: tuple[float, float]
    after: tuple[float, float] | None
    opponent: tuple[float, float] | None
    windows: tuple[MarketWindow, ...]
    points: DecisionPoints | None


@dataclass(frozen=True, slots=True)
class CubeLevels:
    """The turns of the cube to each level by either side, for the gammon shares of an evaluation. model: by name."""

    evaluation: Evaluation
    state: MatchState
    levels: tuple[CubeLevel, ...]
    model: str

    def __repr__(self) -> str:
        turns = ", ".join(dict.fromkeys(str(level.cube) for level in self.levels))
        return brief(self, f"of {self.evaluation.position!r} to {turns}")

    _repr_svg_ = drawn_by("levels")


def cube_levels(
    engine: Engine,
    position: Position,
    *,
    match: MatchState = MONEY,
    levels: Sequence[int] = DEFAULT_LEVELS,
    plies: int | None = None,
    stop: Stop | None = None,
) -> CubeLevels:
    """Cube points of both sides at each level, whatever the cube shows now.

    The first double is made with a centred cube, every other one by its owner. levels: values that the cube is turned
    to. plies: of the evaluation, None for the engine's. Raises SettingsError for a level that is no power of two, and
    as `Engine.evaluate`.
    """
    check_asked(engine, position, match)
    levels = tuple(sequence("levels", levels, "a value of the cube"))
    for level in levels:
        _LEVEL("levels", level)
    state = match.before_roll()
    evaluation = engine.evaluate(position, match=state, plies=plies, stop=stop)
    base = CubeState.from_match(state)
    code = class_code(evaluation.position_class)
    local, _ = local_volatility(engine, position, state)
    model = engine.cube_model.at(evaluation.plies).knowing(local)
    found = []
    for level in levels:
        for side in (1, -1):
            seen = base if side > 0 else base.swapped()
            own = evaluation.probabilities if side > 0 else evaluation.probabilities.swapped()
            turn = replace(seen, cube=level // 2, owner=0 if level == 2 else 1)
            points = None
            if turn.can_double:
                mine, other = position.pips
                pips = (mine, other) if side > 0 else (other, mine)
                seen_by = model if side > 0 else model.swapped()
                points = decision_points(own, turn, seen_by, engine.met, position_class=code, pips=pips)
            found.append(_level(engine, own, turn, side, points))
    return CubeLevels(evaluation, state, tuple(found), engine.cube_model.name)


def _level(engine: Engine, own: Outcomes, turn: CubeState, side: int, points: DecisionPoints | None) -> CubeLevel:
    possible = turn.can_double
    return CubeLevel(
        cube=2 * turn.cube,
        side=side,
        gammons=gammon_values(turn, engine.met),
        after=gammon_values(turn.doubled(), engine.met) if possible else None,
        opponent=gammon_values(turn.doubled().swapped(), engine.met) if possible else None,
        windows=windows_of(own, turn, engine.met),
        points=points,
    )
