"""Cube models: what the names mean, the refined model, decision points, effective efficiencies, the engine's seam."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixprime.analysis.depth import Depth
from sixprime.analysis.labels import label_of
from sixprime.cube import market
from sixprime.cube import model as cube_model
from sixprime.cube import values as worth
from sixprime.cube.decision import as_gnu, decide
from sixprime.cube.fitted import DEFAULT, Fitted
from sixprime.cube.janowski import CLASSIC, ByEfficiency, Efficiencies, Janowski, Refined, implied_efficiencies
from sixprime.cube.kernel import TERMS
from sixprime.cube.met import load
from sixprime.cube.model import CubeModel, cubeful, prepare
from sixprime.cube.state import CubeState
from sixprime.cube.tree import expand_states
from sixprime.engine import Engine
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.errors import EngineError, SettingsError
from sixprime.game.outcomes import Outcomes
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.theory.cube import windows_of

DATA = Path(__file__).parent / "data"
REFDATA = os.environ.get("SIXPRIME_REFDATA")
RACE = [0.6, 0, 0, 0, 0]
CONTACT = [0.55, 0.16, 0.01, 0.12, 0.005]
STATES = (CubeState(), CubeState(2, 1), CubeState(2, -1), CubeState(jacoby=True), CubeState(length=9, away=(6, 9)))


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1)


def value(probabilities: list[float], model: CubeModel, state: CubeState) -> float:
    parameters = model.parameters([probabilities], [5], [[100, 100]])
    return float(cube_model.cubeful([probabilities], parameters, cube_model.prepare([state], model=model))[0, 0])


def test_names() -> None:
    for name in ("fitted", "gnubg-1.07", "newer", "dead", "live", "janowski:0.7", "refined:0.7,0.6", "implied:0.1"):
        model = CubeModel.named(name)
        assert model.name == name
        assert model.swapped().swapped() == model
    assert CubeModel.named("gnubg-1.07") == CLASSIC
    for wrong in ("", "janowski", "janowski:1.5", "janowski:x", "refined:0.5", "refined:0.5,-1", "implied:2"):
        with pytest.raises(SettingsError):
            CubeModel.named(wrong)
    with pytest.raises(SettingsError, match="a cube efficiency must be"):
        CubeModel.named("janowski:1.5")


@dataclass(frozen=True)
class Steady(ByEfficiency):
    """A model of a kind of one's own, which has no names."""

    x: float

    @property
    def _kind(self) -> str:
        return "steady"

    def _numbers(self) -> tuple[float, ...]:
        return (self.x,)

    def parameters(self, outcomes, codes, pips, local=None):
        return np.full((len(outcomes), 2), self.x)


def test_models_that_no_name_tells_apart_are_no_others() -> None:
    own = [Janowski(Efficiencies(contact=x, race=(x, 0, x, x))) for x in (0.1, 0.9)]
    near = [CubeModel.named(f"janowski:{x}") for x in (0.1000001, 0.1000002)]
    assert [model.name for model in own + near] == 4 * ["janowski"]
    assert len({model.identity for model in own + near}) == 4
    assert CubeModel.named("janowski:0.7").identity == "janowski:0.7"
    race, settings = Position.from_id("wMoCAIC2AgAAAA"), RolloutSettings(trials=36, truncation=3)
    first, second = (Engine(threads=1, cube_model=model) for model in own)
    depths = (Depth(0, 0, "normal"), Depth(0, 0, "normal"))
    begun = first.rollout(race, settings=settings)
    with pytest.raises(EngineError, match="the rollout was made by"):
        second.extend_rollout(begun, trials=72)
    assert label_of(depths, first) != label_of(depths, second)


def test_a_kind_of_ones_own_needs_no_name() -> None:
    race = Position.from_id("wMoCAIC2AgAAAA")
    engine, same = Engine(threads=1, cube_model=Steady(0.7)), Engine(threads=1, cube_model="janowski:0.7")
    assert engine.cube_model.name == "steady"
    assert engine.fingerprint != Engine(threads=1, cube_model=Steady(0.6)).fingerprint
    assert engine.cube_action(race).no_double == same.cube_action(race).no_double
    assert engine.rollout_cube(race, trials=36, truncation=3).verdict is not None


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"contact": 1.5}, "contact must be a number from 0 to 1"),
        ({"two_sided": "much"}, "two_sided must be a number"),
        ({"race": 3}, "race must be a tuple"),
        ({"race": (0.5, 0.0, 0.6)}, "race must be four numbers"),
        ({"race": (0.5, 0.0, 0.6, 3.0)}, "race.3. must be a number from 0 to 1"),
    ],
)
def test_efficiencies_that_are_none(given: dict[str, Any], wanted: str) -> None:
    with pytest.raises(SettingsError, match=wanted):
        Efficiencies(**given)


def test_efficiencies_by_class() -> None:
    codes, own = [0, 1, 2, 3, 3, 3, 4, 5], [0, 0, 0, 20, 80, 200, 100, 150]
    pips = [(count, 100) for count in own]
    probabilities = np.tile(CONTACT, (8, 1))
    newer = CubeModel.named("newer")
    deep = [0, 0.6, 0.6, 0.6, 0.65, 0.7, 0.68, 0.68]
    shallow = [0, 0.6, 0.6, 0.65, 0.8, 0.8, 0.76, 0.76]
    for plies, wanted in ((0, shallow), (1, shallow), (2, deep), (3, deep)):
        assert newer.at(plies).parameters(probabilities, codes, pips).T.tolist() == [pytest.approx(wanted)] * 2
        assert CLASSIC.at(plies).parameters(probabilities, codes, pips)[:, 0] == pytest.approx(deep)


def test_implied_efficiencies_of_the_paper() -> None:
    """Higgins's tables of x1/x2 at a volatility of 10 %, to the printed digits."""

    def implied(win: float, loss: float, volatility: float = 0.1) -> list[float]:
        p = [0.5, (win - 1) / 2, 0, (loss - 1) / 2, 0]
        return implied_efficiencies([p], volatility)[0].tolist()

    printed = {
        (1, 1): (0.69, 0.69), (1.25, 1): (0.75, 0.66), (1.5, 1): (0.78, 0.64), (2, 1): (0.80, 0.59),
        (1.25, 1.25): (0.73, 0.73), (1.5, 1.25): (0.77, 0.72), (2, 1.5): (0.79, 0.73), (2, 2): (0.78, 0.78),
        (1, 2): (0.59, 0.80), (1.75, 1.75): (0.77, 0.77),
    }  # fmt: skip
    for (win, loss), wanted in printed.items():
        assert implied(win, loss) == pytest.approx(wanted, abs=0.0051)
    for volatility, wanted in ((0, 1), (0.05, 0.84), (0.15, 0.53), (0.2, 0.38)):
        assert implied(1, 1, volatility)[0] == pytest.approx(wanted, abs=0.0051)
    assert implied(1.27, 1.27, 0.113)[0] == pytest.approx(0.70, abs=0.005)


def test_worked_value() -> None:
    """Sixty per cent, no gammons, x = .68: dead .20, live 1/3, between them .2907."""
    wanted = {"dead": 0.2, "live": 1 / 3, "janowski:0.68": 0.290667, "gnubg-1.07": 0.290667}
    for name, equity in wanted.items():
        assert value(RACE, CubeModel.named(name), CubeState()) == pytest.approx(equity, abs=1e-6)


@pytest.mark.parametrize("state", STATES, ids=repr)
def test_refined_model(state: CubeState) -> None:
    """Two equal efficiencies are one; only the side that may double matters; both sides' values belong together."""
    one, same = CubeModel.named("janowski:0.7"), CubeModel.named("refined:0.7,0.7")
    assert value(CONTACT, same, state) == pytest.approx(value(CONTACT, one, state), abs=1e-12)
    near = CubeModel.named("refined:0.7,0.7000000001")
    assert value(CONTACT, near, state) == pytest.approx(value(CONTACT, one, state), abs=1e-8)
    model = CubeModel.named("refined:0.8,0.5")
    if state.owner:
        alone = Janowski(Efficiencies.constant(0.8 if state.owner == 1 else 0.5))
        assert value(CONTACT, model, state) == pytest.approx(value(CONTACT, alone, state), abs=1e-12)
    else:
        assert value(CONTACT, model, state) > value(CONTACT, Janowski(Efficiencies.constant(0.5)), state)
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = CONTACT
    theirs = [1 - win, lose_gammon, lose_backgammon, win_gammon, win_backgammon]
    both = value(CONTACT, model, state) + value(theirs, model.swapped(), state.swapped())
    assert both == pytest.approx(0 if state.money else 1, abs=1e-6)


def test_closed_points() -> None:
    half = market.janowski_points(RACE, 0.5)
    assert (half.take, half.cash, half.redouble, half.too_good) == pytest.approx((2 / 9, 7 / 9, 2 / 3, 8 / 9))
    # Janowski's first double: (L + x (3 - x) / (2 (2 - x))) / (W + L + x / 2).
    for x in (0.0, 0.3, 0.68, 1.0):
        for shares in (RACE, CONTACT):
            win, loss = (sum(part) for part in ((1, *(p / shares[0] for p in shares[1:3])), (1, *_losses(shares))))
            wanted = (loss + x * (3 - x) / (2 * (2 - x))) / (win + loss + x / 2)
            assert market.janowski_points(shares, x).initial_double == pytest.approx(wanted)
    refined = market.janowski_points(CONTACT, 0.8, 0.5)
    assert refined.take == market.janowski_points(CONTACT, 0.8).take
    assert refined.cash == market.janowski_points(CONTACT, 0.5).cash


def _losses(shares: list[float]) -> list[float]:
    return [p / (1 - shares[0]) for p in shares[3:]]


@pytest.mark.parametrize("name", ["dead", "live", "janowski:0.68", "refined:0.8,0.5"])
@pytest.mark.parametrize("shares", [RACE, CONTACT], ids=["race", "contact"])
def test_points_of_models_agree_with_the_closed_ones(name: str, shares: list[float]) -> None:
    model = CubeModel.named(name)
    assert model.plain is not None
    mine, theirs = model.plain[:, TERMS * 5]
    closed = market.janowski_points(shares, mine, theirs)
    owned, unowned, centred = (
        market.decision_points(shares, state, model) for state in (CubeState(2, 1), CubeState(2, -1), CubeState())
    )
    assert owned.take is None
    assert (unowned.double, unowned.cash, unowned.too_good) == (None, None, None)
    assert [owned.double, owned.cash, unowned.take] == pytest.approx(
        [closed.redouble, closed.cash, closed.take], abs=1e-6
    )
    assert [centred.cash, centred.take] == pytest.approx([closed.cash, closed.take], abs=1e-6)
    assert centred.double <= owned.double + 1e-9
    assert centred.cash <= centred.too_good + 1e-9
    if name == "dead":
        jacoby = market.decision_points(shares, CubeState(jacoby=True), model)
        assert jacoby.double == pytest.approx(market.money_points(shares, jacoby=True)[0].initial_double, abs=1e-9)


@pytest.mark.parametrize("model", ["dead", "live", "fitted"])
def test_who_is_too_good_may_be_so_where_a_double_is_taken(model: str) -> None:
    """At 2-away 2-away a double gives up gammons that win the match."""
    shares, state = np.array([0.5, 0.45, 0.1, 0, 0]), CubeState(length=3, away=(2, 2))
    found = market.decision_points(shares.tolist(), state, CubeModel.named(model))
    assert found.cash is not None
    assert found.too_good is not None
    assert found.too_good < found.cash - 0.01
    for p, too_good in ((found.too_good - 0.01, False), (found.too_good + 0.01, True)):
        rows = np.array([[p, *(2 * p * shares[1:3]), 0, 0]])
        table = prepare([state, state.doubled()], None, CubeModel.named(model))
        values = cubeful(rows, table.model.parameters(rows, [5], [(100, 100)]), table)[0]
        assert decide(*worth.to_equity(values, state), state).too_good == too_good


@pytest.mark.parametrize("shares", [[0.4, 0.24, 0, 0.12, 0], [0.6, 0.12, 0, 0.24, 0]], ids=["winner's", "loser's"])
def test_the_first_double_reckons_with_a_beaver(shares: list[float]) -> None:
    """Whoever wins more gammons, doubling is right from the point on, and not before."""
    state = CubeState(jacoby=True, beavers=1)
    found = market.decision_points(shares, state, CubeModel.named("dead")).double
    assert found is not None
    assert windows_of(Outcomes(*shares), state, load())[0].opens == pytest.approx(found, abs=1e-9)
    win, loss = Outcomes(*shares).mean_points
    for p, doubles in ((found - 0.01, False), (found + 0.01, True)):
        equities = 2 * p - 1, 2 * (p * win - (1 - p) * loss)
        assert decide(*equities, state).should_double == doubles


@pytest.mark.parametrize("away", [(7, 4), (3, 3), (5, 2), (11, 9)])
def test_points_in_a_match(away: tuple[int, int]) -> None:
    state = CubeState(length=11, away=away)
    windows = market.market_window(CONTACT, state)
    dead = market.decision_points(CONTACT, state, CubeModel.named("dead"))
    assert [dead.double, dead.cash] == pytest.approx([windows[0].opens, windows[0].closes], abs=1e-9)
    live = market.decision_points(CONTACT, state, CubeModel.named("live"))
    if state.doubled().owner == -1 and away[1] > 2:
        assert live.cash == pytest.approx(market.live_cash_point(CONTACT, state), abs=1e-6)
        assert 1 - live.cash == pytest.approx(market.take_points(CONTACT, state)[1], abs=1e-6)
    assert market.decision_points(CONTACT, CubeState(length=3, away=(1, 2), crawford=True), CLASSIC).double is None


def test_effective_efficiency_is_found_again() -> None:
    level = expand_states([CubeState(2, -1)], 0)[0]
    probabilities = np.array([CONTACT, RACE, [1, 0, 0, 0, 0]])
    x = np.array([0.3, 1.2, 0.5])
    values = level.evaluate(probabilities, x)[:, 0]
    assert level.effective_efficiency(values, probabilities) == pytest.approx([0.3, 1.2, np.nan], nan_ok=True)
    # After a play the opponent may double; what he then wins says nothing of the cube's efficiency.
    replies = expand_states([CubeState()], 0, root_double=True)[0]
    probabilities = np.array([[0.55, 0.1, 0, 0.1, 0], [0.72, 0.1, 0, 0, 0]])
    values = replies.choose(replies.evaluate(probabilities, np.array([0.7, 0.7])))[:, 0]
    assert replies.effective_efficiency(values, probabilities) == pytest.approx([0.7, np.nan], nan_ok=True)


def test_engine_uses_the_model(engine: Engine) -> None:
    position = Position.from_id("4HPMwQCMz+AIIQ")
    for name in ("dead", "live", "janowski:0.5", "refined:0.8,0.5"):
        other = Engine(threads=1, cube_model=name)
        cube = other.cube_action(position, plies=0)
        model = CubeModel.named(name)
        assert cube.no_double == pytest.approx(value(list(cube.probabilities), model, CubeState(jacoby=True)))
        assert cube.double_take == pytest.approx(2 * value(list(cube.probabilities), model, CubeState(2, -1)))
        if name != "refined:0.8,0.5" and model.plain is not None:
            assert cube.effective_x == pytest.approx(model.plain[0, TERMS * 5])
    names = "gnubg-1.07", "newer", "fitted"
    cubes = [Engine(threads=1, cube_model=model).cube_action(position, plies=2) for model in names]
    assert cubes[0] == cubes[1] != cubes[2] == engine.cube_action(position, plies=2)
    refined = [Engine(threads=1, cube_model=f"refined:{x}") for x in ("0.8,0.5", "0.5,0.8")]
    for plies in (0, 1):
        good, bad = (
            one.best_plays(position, (3, 1), match=MatchState(jacoby=False), plies=plies, count=1)[0] for one in refined
        )
        assert good.equity > bad.equity
    with pytest.raises(SettingsError, match="unknown cube model"):
        Engine(threads=1, cube_model="best")


def test_engine_tells_effective_x_and_take_points() -> None:
    engine, position = Engine(threads=1, cube_model="gnubg-1.07"), Position.start()
    for state in (MatchState(), MatchState(length=7), MatchState(cube=2, cube_owner=1, on_roll=0)):
        static, deep = (engine.cube_action(position, match=state, plies=plies) for plies in (0, 1))
        assert static.effective_x == pytest.approx(0.68)
        assert 0 < deep.effective_x < 2
        [play] = engine.best_plays(position, (3, 1), match=state, plies=0, count=1)
        assert play.effective_x == pytest.approx(0.68)
        assert engine.evaluate(position, match=state, plies=1).effective_x == pytest.approx(deep.effective_x)
        if deep.available:
            dead, live = deep.take_points
            assert 0.15 < live < dead < 0.4
            assert 0 < deep.wrong_share < 1
        else:
            assert (deep.take_points, deep.wrong_share) == (None, None)
    assert engine.evaluate(position, match=MatchState(cube_limit=1), plies=0).effective_x is None


def _match(info: dict[str, Any]) -> MatchState:
    owner = None if info["cubeowner"] < 0 else info["cubeowner"]
    rules = {"crawford": bool(info["crawford"]), "jacoby": bool(info["jacoby"]), "beavers": info["beavers"]}
    return MatchState(info["matchto"], tuple(info["score"]), info["cube"], owner, info["move"], **rules)


@pytest.mark.parametrize("full", [False, True], ids=["slice", "full"])
def test_engine_on_bear_offs(full: bool) -> None:
    """GNU Backgammon's 0-, 1- and 2-ply values where no net is needed."""
    if full and not REFDATA:
        pytest.skip("SIXPRIME_REFDATA is not set")
    path = Path(REFDATA or "") / "cube_formulas.jsonl" if full else DATA / "cube_formulas.jsonl"
    rows = [row for row in map(json.loads, path.read_text().splitlines()) if "nply" in row]
    requests = [(Position.from_board(np.array(row["board"])), _match(row["cubeinfo"])) for row in rows]
    engine = Engine(threads=1, cube_model="gnubg-1.07")
    for plies in (0, 1, 2):
        for row, (_, state), cube in zip(rows, requests, engine.cube_many(requests, plies=plies), strict=True):
            wanted = row if plies == 0 else row["nply"][str(plies)]
            assert as_gnu(cube.action).text == wanted["text"], row
            pairs = [(cube.no_double, wanted["nd"])] + [(cube.double_take, wanted["dt"])] * cube.available
            for got, reference in pairs:
                if not state.money:
                    seen = CubeState.from_match(state)
                    got, reference = worth.to_mwc(got, seen), worth.to_mwc(reference, seen)
                assert got == pytest.approx(reference, abs=1e-4), row


@pytest.mark.parametrize(
    "wrong",
    [(2, 0, 0, 0, 0), (0.5, 0.1, 0, 0.1, float("nan")), (0.5,), None, "abc", (-0.1, 0, 0, 0, 0), np.full(5, 0.1 + 1j)],
)
def test_points_are_of_chances(wrong: object) -> None:
    for ask in (
        lambda: market.janowski_points(wrong, 0.5),  # type: ignore[arg-type]
        lambda: market.money_points(wrong),  # type: ignore[arg-type]
        lambda: market.market_window(wrong, CubeState(length=7, away=(3, 4))),  # type: ignore[arg-type]
        lambda: market.decision_points(wrong, CubeState(), CubeModel.named("dead")),  # type: ignore[arg-type]
    ):
        with pytest.raises(SettingsError, match="five chances"):
            ask()
    with pytest.raises(SettingsError, match=r"x must be .* 0 .* 1"):
        market.janowski_points((0.5, 0.1, 0, 0.1, 0), 1.5)
    for rows in (np.full(5, 0.1), np.full((2, 4), 0.1), "abc"):
        with pytest.raises(SettingsError, match=r"probabilities must be float64\[N, 5\]"):
            implied_efficiencies(rows, 0.1)


@dataclass(frozen=True)
class Odd(Janowski):
    """Says something else than a model does, of what it is asked for by name."""

    said: tuple[tuple[str, Any], ...] = ()

    def _answer(self, name: str, usual: Any) -> Any:
        return dict(self.said).get(name, usual)

    @property
    def plain(self) -> Any:
        return self._answer("plain", None)

    def row(self, *about: Any) -> Any:
        return self._answer("row", super().row(*about))

    def parameters(self, *about: Any) -> Any:
        return self._answer("parameters", super().parameters(*about))

    def swapped(self) -> Any:
        return self._answer("swapped", self)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"plain": ((1.0,), (1.0,))}, r"plain tables of a cube model must be float64\[2, 48\]"),
        ({"row": (0.0,)}, r"rows must be float64\[\d, 93\]"),
        ({"parameters": (0.5,)}, r"parameters of a cube model must be float64\[21, 2\]"),
        ({"parameters": None}, r"parameters of a cube model must be float64\[21, 2\]"),
        ({"swapped": None}, "model must be a CubeModel"),
    ],
    ids=str,
)
def test_what_a_model_says_is_looked_at_before_kernels_read_it(said: dict[str, Any], message: str) -> None:
    with (
        Engine(threads=1, cube_model=Odd(said=tuple(said.items()))) as engine,
        pytest.raises(SettingsError, match=message),
    ):
        engine.evaluate(Position.start(), plies=1)


def test_levels_refuse_arrays_that_do_not_fit() -> None:
    level = expand_states([CubeState(), CubeState(length=7, away=(5, 4))], 0, root_double=True)[0]
    chances, x = np.array([[0.5, 0.1, 0, 0.1, 0]] * 3), np.full(3, 0.6)
    known = level.evaluate(chances, x)
    for odd in (
        lambda: level.evaluate(chances[:, :2], x),
        lambda: level.evaluate(chances, x[:1]),
        lambda: level.evaluate(chances, x, np.array([0, 0, 1])),
        lambda: level.evaluate(chances, x, exact=np.zeros((3, 1))),
        lambda: replace(level, columns=np.array([[0, 9]])).evaluate(chances, x),
        lambda: level.choose(known[:, :1]),
        lambda: level.choose(known[0]),
        lambda: level.choose(known, np.array([0, 0, -1])),
        lambda: replace(level.table, rows=level.table.rows[:1]),
        lambda: replace(level.table, rows=level.table.rows[:, :9]),
        lambda: expand_states(["x"], 0),  # type: ignore[list-item]
        lambda: expand_states([CubeState()], -1),
        lambda: expand_states([CubeState()], 0, model=3),  # type: ignore[arg-type]
    ):
        with pytest.raises(SettingsError, match="must be"):
            odd()
    assert (level.evaluate(chances, x, np.zeros(3, dtype=np.int64)) == known).all()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Janowski(None),  # type: ignore[arg-type]
        lambda: Janowski(shallow=0.5),  # type: ignore[arg-type]
        lambda: Refined(0.5, 0.5),  # type: ignore[arg-type]
        lambda: Fitted(None, None),  # type: ignore[arg-type]
        lambda: replace(DEFAULT.mine, contact=0.5),  # type: ignore[arg-type]
        lambda: replace(DEFAULT.mine, lift=float("nan")),
        lambda: replace(DEFAULT.mine.contact, constant="x"),  # type: ignore[arg-type]
        lambda: replace(DEFAULT.mine.contact, most=float("inf")),
    ],
)
def test_models_of_what_are_no_numbers_are_refused(make: Callable[[], object]) -> None:
    with pytest.raises(SettingsError, match="must be"):
        make()
