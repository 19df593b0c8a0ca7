"""The theory of one cube decision: what every cube model says of it, and why.

All models judge the same chances, those of the engine's evaluation. Equities are of the player on roll, normalised
to the cube before a double (EMG in match play).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sixprime import kernels
from sixprime.cube.decision import decide, in_words
from sixprime.cube.fitted import DEFAULT
from sixprime.cube.janowski import Implied, never_turned
from sixprime.cube.jump import OWNER, Jump, Volatilities
from sixprime.cube.market import (
    DecisionPoints,
    MarketWindow,
    decision_points,
    double_hurts,
    gammon_values,
    live_cash_point,
    market_window,
    money_points,
)
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.model import CubeModel, cubeful, prepare
from sixprime.cube.state import CubeState
from sixprime.cube.values import to_equity
from sixprime.engine import CubeAnalysis, Engine, PlayAnalysis, PlayRequest
from sixprime.engine.hyper import MAX_CHEQUERS
from sixprime.engine.judge import CLASS_NAMES
from sixprime.engine.volatility import jump_volatilities
from sixprime.frozen import ByBits, frozen
from sixprime.game.outcomes import Outcomes
from sixprime.game.position import Position
from sixprime.game.rules import ROLLS
from sixprime.game.state import MONEY, MatchState
from sixprime.lazy import brief, drawn_by
from sixprime.progress import Stop
from sixprime.theory.asked import check_asked
from sixprime.theory.losers import WEIGHTS

_GRID = 200


@dataclass(frozen=True, slots=True)
class ModelView:
    """What one cube model says. no_double, double_take: equities; double_pass is +1.

    name: for people; model: the model. action: in words. points: where its decisions change for these gammon shares.
    """

    name: str
    model: CubeModel
    no_double: float
    double_take: float
    action: str
    points: DecisionPoints


@dataclass(frozen=True, slots=True, eq=False)
class CubeCurves(ByBits):
    """Equity of one model against the winning chance p, float64[N] each, gammon shares held.

    owned, centred, unavailable: by who owns the cube; nobody turns it now.
    """

    name: str
    p: NDArray[np.float64]
    owned: NDArray[np.float64]
    centred: NDArray[np.float64]
    unavailable: NDArray[np.float64]

    def of(self, owner: int) -> NDArray[np.float64]:
        """The curve of +1 the player on roll, 0 nobody, -1 the opponent as owner. Raises SettingsError for another."""
        OWNER("owner", owner)
        return (self.centred, self.owned, self.unavailable)[owner]


@dataclass(frozen=True, slots=True)
class CubeTheory:
    """A cube decision with all that explains it.

    analysis: the engine's judgement. points_won, points_lost: W and L, mean points of won and of lost games.
    gammon_values, opponent_gammon_values: value of a gammon and a backgammon beyond a win, .5 and 1 for money;
    doubled_gammon_values: of the player on roll once he doubled, None where he cannot.
    windows: market windows, dead and live; none where the player on roll cannot double. local_volatility,
    local_deviation: mean absolute and root mean square change of the winning chance in the next two rolls;
    remote_volatility: that to expect once the game has turned. models: all of them, the engine's first.
    never_turned: Janowski's models leave the cube at 1 though either side doubles at once (2-away 2-away).
    hurting: turns of the cube that these models reckon with although they hurt the doubler at every chance (see
    `market.double_hurts`): who turns it, +1 the player on roll, -1 the opponent, and to what. curves: of the engine's
    model.
    """

    analysis: CubeAnalysis
    position_class: str
    points_won: float
    points_lost: float
    gammon_values: tuple[float, float]
    opponent_gammon_values: tuple[float, float]
    doubled_gammon_values: tuple[float, float] | None
    windows: tuple[MarketWindow, ...]
    local_volatility: float
    local_deviation: float
    remote_volatility: float
    models: tuple[ModelView, ...]
    never_turned: bool
    hurting: tuple[tuple[int, int], ...]
    curves: CubeCurves

    def __repr__(self) -> str:
        return brief(self, f"of {self.analysis.position!r}: {self.analysis.action}, {len(self.models)} models")

    _repr_svg_ = drawn_by("theory")


def cube_theory(
    engine: Engine,
    position: Position,
    *,
    match: MatchState = MONEY,
    plies: int | None = None,
    stop: Stop | None = None,
) -> CubeTheory:
    """The theory of the cube decision of the player on roll.

    plies: of the evaluation, None for the engine's; stop: ends it. Raises as `Engine.cube_action`, and
    InvalidPositionError when the game is over.
    """
    check_asked(engine, position, match)
    position.check_unfinished("nobody can double")
    analysis = engine.cube_action(position, match=match, plies=plies, stop=stop)
    state = CubeState.from_match(match)
    name = engine.evaluate(position, match=match, plies=0).position_class
    code, pips = class_code(name), position.pips
    local, deviation = local_volatility(engine, position, match)
    remote = float(Volatilities().of([code])[0, 1])
    win, loss = analysis.probabilities.mean_points

    own = engine.cube_model.at(analysis.plies).knowing(local)
    models = {
        f"engine ({engine.cube_model.name})": own,
        "dead cube": CubeModel.named("dead"),
        "live cube": CubeModel.named("live"),
        **({} if own == DEFAULT else {"fitted x": DEFAULT}),
        "Janowski, x by class": CubeModel.named("gnubg-1.07"),
        "Janowski, newer x by class": CubeModel.named("newer").at(0),
        "refined, x of remote volatility": Implied(remote),
        "jump, linear": Jump(Volatilities(known=local), linear=True),
        "jump, remote volatility": Jump(),
        "jump, local volatility": Jump(Volatilities(known=local)),
    }
    views = tuple(_view(*item, analysis.probabilities, state, engine.met, code, pips) for item in models.items())
    return CubeTheory(
        analysis=analysis,
        position_class=name,
        points_won=win,
        points_lost=loss,
        gammon_values=gammon_values(state, engine.met),
        opponent_gammon_values=gammon_values(state.swapped(), engine.met),
        doubled_gammon_values=gammon_values(state.doubled(), engine.met) if state.can_double else None,
        windows=windows_of(analysis.probabilities, state, engine.met),
        local_volatility=local,
        local_deviation=deviation,
        remote_volatility=remote,
        models=views,
        never_turned=never_turned(state),
        hurting=_hurting(analysis.probabilities, state, engine.met),
        curves=_curves(engine.cube_model.name, own, analysis.probabilities, state, engine.met, code, pips),
    )


def local_volatility(engine: Engine, position: Position, match: MatchState) -> tuple[float, float]:
    """That of the position itself, from one roll of either side at 0-ply, and its standard deviation."""
    if position.chequers > MAX_CHEQUERS:
        board = kernels.pack(position.board[None], position.chequers)
        local, deviation = jump_volatilities(engine.brain, board, CubeState.from_match(match), engine.met)[0]
        return float(local), float(deviation)

    # No net knows hypergammon.
    def played(start: Position, state: MatchState) -> list[PlayAnalysis]:
        requests = [PlayRequest(start, dice, state) for dice in ROLLS]
        return [ranked[0] for ranked in engine.rank_plays_many(requests, plies=0, count=1)]

    def replied(each: PlayAnalysis) -> list[float]:
        if each.play.result.winner is not None:
            return [each.probabilities.win] * len(ROLLS)
        return [1 - reply.probabilities.win for reply in played(each.play.result, match.swapped())]

    chances = np.array([replied(each) for each in played(position, match.before_roll())])
    away = np.abs(chances - (WEIGHTS * chances).sum())
    return float((WEIGHTS * away).sum()), float(np.sqrt((WEIGHTS * away**2).sum()))


def class_code(name: str) -> int:
    """The number of a class of positions that cube models go by."""
    # The cube of a solved game is as that of a two-sided bear-off.
    return CLASS_NAMES.index("bearoff-two-sided" if name == "hypergammon" else name)


def _view(
    name: str,
    model: CubeModel,
    probabilities: Outcomes,
    state: CubeState,
    met: MatchEquityTable,
    code: int,
    pips: tuple[int, int],
) -> ModelView:
    states = [state, state.doubled()] if state.can_double else [state, state]
    rows = np.array([probabilities])
    values = cubeful(rows, model.parameters(rows, [code], [pips]), prepare(states, met, model))[0]
    no_double = float(to_equity(values[0], state, met))
    double_take = no_double
    if state.can_double:
        double_take = 2 * float(values[1]) if state.money else float(to_equity(values[1], state, met))
    verdict = decide(no_double, double_take, state, gammons=probabilities[1] > 0)
    points = decision_points(probabilities, state, model, met, position_class=code, pips=pips)
    return ModelView(name, model, no_double, double_take, in_words(verdict, state), points)


def _hurting(probabilities: Outcomes, state: CubeState, met: MatchEquityTable) -> tuple[tuple[int, int], ...]:
    """Turns of the cube, now and after others, that hurt who makes them; see `CubeTheory`."""
    chances = {1: probabilities, -1: probabilities.swapped()}
    found = set()
    for side, turned in ((1, state), (-1, state.swapped())):
        while turned.can_double and not state.money:
            if double_hurts(chances[side], turned, met):
                found.add((2 * turned.cube, -side))
            side, turned = -side, turned.doubled().swapped()
    return tuple((-side, cube) for cube, side in sorted(found))


def windows_of(probabilities: Outcomes, state: CubeState, met: MatchEquityTable) -> tuple[MarketWindow, ...]:
    """Market windows, money included: the opening is the first double with a centred cube, else the redouble."""
    if not state.can_double:
        return ()
    if not state.money:
        return market_window(probabilities, state, met)
    # The later of both chances is the right one: an opponent who would lose by a beaver does not make it.
    dead, beavered = (
        money_points(probabilities, jacoby=state.jacoby, beavers=each)[0] for each in (False, state.beavers > 0)
    )
    opens = max(dead.initial_double, beavered.initial_double) if state.owner == 0 else dead.redouble
    live = live_cash_point(probabilities, state, met)
    return MarketWindow("dead", opens, dead.cash), MarketWindow("live", opens, live)


def _curves(
    name: str,
    model: CubeModel,
    probabilities: Outcomes,
    state: CubeState,
    met: MatchEquityTable,
    code: int,
    pips: tuple[int, int],
) -> CubeCurves:
    won, lost = np.array(probabilities.won_shares), np.array(probabilities.lost_shares)
    p = np.linspace(0, 1, _GRID + 1)
    rows = np.column_stack([p, p[:, None] * won, (1 - p)[:, None] * lost])
    states = [replace(state, owner=owner) for owner in (1, 0, -1)]
    parameters = model.parameters(rows, np.full(len(p), code), np.tile(pips, (len(p), 1)))
    values = cubeful(rows, parameters, prepare(states, met, model))
    owned, centred, unavailable = (np.asarray(to_equity(values[:, k], state, met)) for k in range(3))
    return CubeCurves(name, frozen(p), frozen(owned), frozen(centred), frozen(unavailable))
