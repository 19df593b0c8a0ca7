"""Match equities, cubeful values, decisions and cube points against GNU Backgammon's numbers and a plain model."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sixprime.cube import market, met
from sixprime.cube import model as cube_model
from sixprime.cube import values as worth
from sixprime.cube.decision import CubeAction, decide, decide_many
from sixprime.cube.janowski import CLASSIC
from sixprime.cube.state import CubeState
from sixprime.errors import SettingsError
from sixprime.game.state import MatchState

DATA = Path(__file__).parent / "data"
REFDATA = os.environ.get("SIXPRIME_REFDATA")
CLASSES = {"over": 0, "bearoff2": 1, "bearoff1": 2, "race": 3, "crashed": 4, "contact": 5}


@pytest.fixture(params=["slice", "full"])
def source(request: pytest.FixtureRequest) -> Path:
    """The folder of reference rows: our slices, and all of them where SIXPRIME_REFDATA says so."""
    if request.param == "slice":
        return DATA
    if not REFDATA:
        pytest.skip("SIXPRIME_REFDATA is not set")
    return Path(REFDATA)


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def state_of(info: dict[str, Any]) -> CubeState:
    """The cube state of a reference row, seen by its player on roll."""
    length, mover, owner = info["matchto"], info["move"], info["cubeowner"]
    match = MatchState(
        length=length,
        score=tuple(info["score"]),
        cube=info["cube"],
        cube_owner=None if owner < 0 else owner,
        on_roll=mover,
        crawford=bool(info["crawford"]),
        jacoby=bool(info["jacoby"]),
        beavers=info["beavers"],
    )
    return CubeState.from_match(match)


def exact_of(row: dict[str, Any]) -> np.ndarray | None:
    """Exact two-sided equities [1, 4] of a row of that class."""
    if row["cls"] != "bearoff2":
        return None
    if "exact" in row:
        return np.array([row["exact"]])
    from sixprime.bearoff import two_sided
    from sixprime.kernels import pack

    return two_sided().equities(pack(np.array([row["board"]], dtype=np.int8)))


def values_of(row: dict[str, Any]) -> tuple[CubeState, float, float]:
    """State of a row and our no double and double/take: money equity, or match-winning chance."""
    state = state_of(row["cubeinfo"])
    pips = sum((i + 1) * n for i, n in enumerate(row["board"][1]))
    x = CLASSIC.efficiencies.of([CLASSES[row["cls"]]], [pips])
    no_double, take = cube_model.cubeful([row["probs"]], x, [state, state.doubled()], exact=exact_of(row))[0]
    return state, no_double, 2 * take if state.money else take


def test_cube_formulas(source: Path) -> None:
    for row in read_rows(source / "cube_formulas.jsonl"):
        state, no_double, take = values_of(row)
        if not state.money:
            assert [no_double, take] == pytest.approx([row["mwc"]["nd"], row["mwc"]["dt"]], abs=1e-6), row
            passed = state.outcomes(met.load())[0][0]
            assert passed == pytest.approx(row["mwc"]["dp"], abs=1e-6)
            cubeless = worth.to_mwc(worth.cubeless([row["probs"]], state)[0], state)
            assert cubeless == pytest.approx(row["mwc"]["cubeless"], abs=1e-6)
        equities = [worth.to_equity(value, state) for value in (no_double, take)]
        assert equities == pytest.approx([row["nd"], row["dt"]], abs=1e-5), row


def test_decisions(source: Path) -> None:
    for row in read_rows(source / "cube_formulas.jsonl"):
        state, no_double, take = values_of(row)
        mine = {"nd": worth.to_equity(no_double, state), "dt": worth.to_equity(take, state), "dp": 1.0}
        for values in (mine, row, *row.get("nply", {}).values()):
            verdict = decide(values["nd"], values["dt"], state, double_pass=values["dp"], gammons=row["probs"][1] > 0)
            wanted = values if "code" in values else row
            assert (int(verdict.action), verdict.text) == (wanted["code"], wanted["text"]), row
            assert verdict.optimal == pytest.approx(wanted["optimal"], abs=1e-5)


def test_equity_and_mwc(source: Path) -> None:
    for row in read_rows(source / "eq_mwc.jsonl"):
        state = state_of(row["cubeinfo"])
        # GNU Backgammon computes in single precision: far outside -3..3 its own digits run out.
        room = 5e-6 * max(1.0, abs(row["mwc2eq"]) / 3)
        assert worth.to_mwc(row["eq"], state) == pytest.approx(row["eq2mwc"], abs=5e-6)
        assert worth.to_equity(row["mwc"], state) == pytest.approx(row["mwc2eq"], abs=room)
        assert worth.mwc_error(row["se"], state) == pytest.approx(row["eq2mwc_stderr"], abs=5e-6)
        assert worth.equity_error(row["se_mwc"], state) == pytest.approx(row["mwc2eq_stderr"], abs=5e-6)
        assert worth.to_mwc(worth.to_equity(0.4, state), state) == pytest.approx(0.4)


def test_default_table(source: Path) -> None:
    table = met.load()
    reference = json.loads((source / "met.json").read_text())
    entries = reference["pre64"]
    if source != DATA:
        entries = [(i, j, value) for i, row in enumerate(entries) for j, value in enumerate(row)]
    for i, j, value in entries:
        assert table.mwc(i + 1, j + 1) == pytest.approx(value, abs=1e-7)
    for i, value in enumerate(reference["post64"][0]):
        if i + 1 == table.length:
            continue  # the file's number, which the program does not use
        assert table.mwc(i + 1, 1, post_crawford=True) == pytest.approx(value, abs=1e-7)
        assert table.mwc(1, i + 1, post_crawford=True) == pytest.approx(1 - value, abs=1e-7)


@pytest.mark.parametrize("name", met.names())
def test_packaged_tables(name: str) -> None:
    table = met.load(name)
    assert table.pre.shape == (64, 64)
    assert np.all((table.pre > 0) & (table.pre < 1))
    swapped = table.swapped()
    for mine, theirs in ((1, 1), (3, 7), (20, 4), (40, 60)):
        assert table.mwc(mine, theirs) + swapped.mwc(theirs, mine) == pytest.approx(1, abs=2e-3)
        assert table.mwc(1, mine, True) + swapped.mwc(mine, 1, True) == pytest.approx(1, abs=1e-6)
    assert table.is_symmetric == (name not in ("jac050", "jac100", "ortega"))
    assert table.mwc(0, 3) == 1
    assert table.mwc(3, -2) == 0


def test_table_errors() -> None:
    with pytest.raises(SettingsError, match="kazaross-xg2"):
        met.load("nosuch")
    with pytest.raises(SettingsError, match="64"):
        met.load().mwc(65, 3)


def probabilities_of(mine: list[float], theirs: list[float]) -> list[float]:
    """Probabilities at p = 1/2 from exclusive gammon and backgammon rates of both sides."""
    return [0.5, sum(mine) / 2, mine[1] / 2, sum(theirs) / 2, theirs[1] / 2]


def test_money_points(source: Path) -> None:
    for row in json.loads((source / "met.json").read_text())["money_points"]:
        rates = row["rates"]
        if (row["jacoby"], rates["p0"]) == (1, [0.44, 0.031]):
            # The one bad row: recorded before the Jacoby rule took effect. Asked again, the program gives 38.753,
            # as (L - 1/2) / (W + L - 1) does and as its other rows with this rule do.
            points = market.money_points(probabilities_of(rates["p0"], rates["p1"]), jacoby=True)[0]
            assert points.initial_double == pytest.approx(0.38753, abs=6e-6)
            continue
        for ours, theirs, points in (("p0", "p1", 0), ("p1", "p0", 1)):
            wanted = row["points_dead_live"][points]
            both = market.money_points(
                probabilities_of(rates[ours], rates[theirs]), jacoby=bool(row["jacoby"]), beavers=bool(row["beavers"])
            )
            for k, got in enumerate(both):
                found = [getattr(got, name) for name in got.__dataclass_fields__]
                assert found == pytest.approx([value[k] / 100 for value in wanted.values()], abs=6e-6)


def test_market_windows(source: Path) -> None:
    line = re.compile(r"(Dead|Live) cube( \(opponent (?:doesn't )?redoubles?\))?:\s*([-\d.na]+)% -\s*([-\d.]+)%")
    for row in json.loads((source / "met.json").read_text())["match_windows"]:
        length, owner = row["match_length"], row["owner"]
        texts = re.split(r"market window:\n", row["raw"])[1:]
        for player in (0, 1):
            away = (length - row["score"][player], length - row["score"][1 - player])
            holder = 0 if owner < 0 else (1 if owner == player else -1)
            state = CubeState(row["cube"], holder, length, away, bool(row["crawford"]))
            probabilities = probabilities_of(row["rates"][f"p{player}"], row["rates"][f"p{1 - player}"])
            windows = market.market_window(probabilities, state)
            wanted = [match for match in line.findall(texts[player]) if "nan" not in match[2]]
            assert len(windows) == len(wanted), row
            for window, (kind, note, opens, closes) in zip(windows, wanted, strict=True):
                redoubled = note == " (opponent redoubles)"
                assert window.kind == kind.lower() + (", redoubled" if redoubled else "")
                assert [window.opens, window.closes] == pytest.approx(
                    [float(opens) / 100, float(closes) / 100], abs=6e-5
                )
            price = row["gammonprice_p0_p1"][player]
            assert market.gammon_prices(state) == pytest.approx(price, abs=2e-5)


@pytest.mark.parametrize("length", [0, 15])
@pytest.mark.parametrize("limit", [2, 4, 8, 1024])
def test_live_points_know_the_limit_of_the_cube(length: int, limit: int) -> None:
    away = (length, length)
    state = CubeState(1, 1, length, away, limit=limit)
    chances = [0.6, 0.15, 0.0, 0.08, 0.0]
    cash = market.live_cash_point(chances, state)
    there = [[cash, cash / 4, 0.0, (1 - cash) / 5, 0.0]]
    # The live cube is worth a pass where a take is.
    held, taken = cube_model.cubeful(there, [1.0], [state, state.doubled()])[0]
    passed = state.outcomes()[0][0] if length else 1.0
    assert (held, taken * (1 if length else 2)) == pytest.approx((passed, passed), abs=1e-6)
    dead = market.market_window(chances, state)[0].closes if length else market.money_points(chances)[0].cash
    assert (cash == pytest.approx(dead)) == (limit == 2)
    assert market.take_points(chances, state) == pytest.approx((1 - dead, 1 - cash))
    assert np.isnan(market.take_points(chances, replace(state, limit=1))).all()


def test_the_last_turn_in_a_match_has_one_window() -> None:
    last, free = CubeState(length=9, away=(9, 9), limit=2), CubeState(length=9, away=(2, 5), limit=2)
    assert [window.kind for window in market.market_window(SEED, last)] == ["dead"]
    # Nobody can redouble for nothing, either.
    assert [window.kind for window in market.market_window(SEED, free)] == ["dead"]
    assert [window.kind for window in market.market_window(SEED, replace(free, limit=4))] == ["dead", "dead, redoubled"]


def test_seed_match_winning_chance() -> None:
    state = CubeState(cube=2, owner=1, length=5, away=(4, 2))
    equity = worth.cubeless([[0.6, 0.3, 0, 0.1, 0]], state)[0]
    assert worth.to_mwc(equity, state) == pytest.approx(0.45)
    table = {0.0: -1.0, 0.25: 0.0, 0.5: 1.0, 0.75: 2.0, 1.0: 3.0}
    assert [worth.to_equity(mwc, state) for mwc in table] == pytest.approx(list(table.values()))


SEED = [0.454, 0.103, 0.001, 0.106, 0.003]


def test_seed_money() -> None:
    """The manual divides the losses by .556 where it means 1 - .454: its L is 1.196, and -.138 comes of that."""
    win, loss = 1 + (SEED[1] + SEED[2]) / SEED[0], 1 + (SEED[3] + SEED[4]) / 0.556
    assert (win, loss) == pytest.approx((1.229, 1.196), abs=5e-4)
    printed = [*SEED[:3], (loss - 1) * (1 - SEED[0]), 0]
    live = cube_model.cubeful([printed], [1], [CubeState()])[0, 0]
    dead = cube_model.cubeful([SEED], [0], [CubeState()])[0, 0]
    assert (dead, live, 0.32 * dead + 0.68 * live) == pytest.approx((-0.097, -0.157, -0.138), abs=5e-4)
    assert cube_model.cubeful([SEED], [0.68], [CubeState()])[0, 0] == pytest.approx(-0.138, abs=2e-3)


def test_seed_match() -> None:
    """The manual's example at 3-0 to 7, to its printed digits; it counts backgammons in the take points."""
    woolsey = met.load("woolsey")
    swapped = [1 - SEED[0], *SEED[3:], *SEED[1:3]]
    for cube, mine, theirs in ((1, 0.245, 0.273), (2, 0.15, 0.385), (4, 0.0, 0.41)):
        state = CubeState(cube=cube, length=7, away=(7, 4))
        assert 1 - market.live_cash_point(SEED, state, woolsey) == pytest.approx(theirs, abs=5e-4)
        assert 1 - market.live_cash_point(swapped, state.swapped(), woolsey) == pytest.approx(mine, abs=5e-4)
        assert market.take_points(SEED, state, woolsey)[1] == pytest.approx(theirs, abs=5e-4)
    values = [cube_model.cubeful([SEED], [x], [CubeState(length=7, away=(7, 4))], woolsey)[0, 0] for x in (0, 1, 0.68)]
    assert values[:2] == pytest.approx([0.291, 0.292], abs=5e-4)
    assert values[2] == pytest.approx(0.2917, abs=5e-5)
    # The corners of its live cube: mean chance of a lost and of a won game, cash points of both. The last is printed
    # as 41 %, a slip: 78 % of MWC(-4,-6) and 22 % of MWC(-4,-5), which it says it is, are 37 %.
    assert 0.78 * woolsey.mwc(6, 4) + 0.22 * woolsey.mwc(5, 4) == pytest.approx(0.373, abs=5e-4)
    for p, chance in ((0.0, 0.22), (0.245, 0.24), (0.727, 0.36), (1.0, 0.373)):
        row = [p, 0.103 / 0.454 * p, 0, 0.106 / 0.546 * (1 - p), 0]
        live = cube_model.cubeful([row], [1], [CubeState(length=7, away=(7, 4))], woolsey)[0, 0]
        assert live == pytest.approx(chance, abs=5e-3)


def test_match_example() -> None:
    """Mover needs 3, opponent 4 of 7 with a 2-cube: chances and prices worked by hand."""
    state = CubeState.from_match(MatchState(length=7, score=(3, 4), cube=2, cube_owner=1, on_roll=1))
    assert (state.away, state.owner) == ((3, 4), 1)
    assert worth.to_mwc(0.3, state) == pytest.approx(0.66952, abs=1e-5)
    assert market.gammon_prices(state) == pytest.approx((0.8972, 0), abs=1e-4)
    assert market.gammon_prices(state.swapped())[0] == pytest.approx(1.9357, abs=1e-4)


def plain_match_value(probabilities: list[float], state: CubeState, x: float) -> float:
    """The match model written to be read: recursion over the cube's levels."""
    table = met.load()
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = probabilities
    (mine, theirs), cube = state.away, state.cube

    def won(value: int) -> float:
        single, twice, thrice = state.outcomes(table, value)[0]
        return (
            (win - win_gammon) * single + (win_gammon - win_backgammon) * twice + win_backgammon * thrice
        ) / win  # fmt: skip

    def lost(value: int) -> float:
        single, twice, thrice = state.outcomes(table, value)[1]
        lose = 1 - win
        return (
            (lose - lose_gammon) * single + (lose_gammon - lose_backgammon) * twice + lose_backgammon * thrice
        ) / lose  # fmt: skip

    def cash_points(value: int) -> tuple[float, float]:
        """Cash points of the player on roll and of his opponent, each as its own winning chance."""
        single_win, single_loss = (chances[0] for chances in state.outcomes(table, value))
        if mine > 2 * value and theirs > 2 * value:
            my_next, their_next = cash_points(2 * value)
            next_win, next_loss = (chances[0] for chances in state.outcomes(table, 2 * value))
            my_point = 1 - their_next * (won(2 * value) - single_win) / (won(2 * value) - next_loss)
            their_point = 1 - my_next * (single_loss - lost(2 * value)) / (next_win - lost(2 * value))
            return my_point, their_point
        after = 4 * value if theirs > 2 * value >= mine else 2 * value
        my_point = (single_win - lost(after)) / (won(after) - lost(after))
        after = 4 * value if mine > 2 * value >= theirs else 2 * value
        return my_point, (won(after) - single_loss) / (won(after) - lost(after))

    dead = win * won(cube) + (1 - win) * lost(cube)
    if state.crawford or (cube >= mine and cube >= theirs) or (mine, theirs, cube) == (2, 2, 1):
        return dead
    my_point, their_point = cash_points(cube)
    single_win, single_loss = (chances[0] for chances in state.outcomes(table))
    nodes = [(0.0, lost(cube)), (1.0, won(cube))]
    if state.owner <= 0:
        nodes.insert(1, (1 - their_point, single_loss))
    if state.owner >= 0:
        nodes.insert(-1, (my_point, single_win))
    live = np.interp(win, *zip(*nodes, strict=True))
    return float((1 - x) * dead + x * live)


def random_probabilities(rng: random.Random) -> list[float]:
    win = rng.uniform(0.01, 0.99)
    win_gammon, lose_gammon = win * rng.uniform(0, 0.6), (1 - win) * rng.uniform(0, 0.6)
    return [win, win_gammon, win_gammon * rng.uniform(0, 0.4), lose_gammon, lose_gammon * rng.uniform(0, 0.4)]


def test_kernel_equals_plain_model() -> None:
    rng = random.Random(7)
    for _ in range(400):
        length = rng.randint(1, 40)
        away = (rng.randint(1, length), rng.randint(1, length))
        crawford = 1 in away and away != (1, 1) and rng.random() < 0.5
        state = CubeState(1 << rng.randint(0, 5), rng.choice((-1, 0, 1)), length, away, crawford)
        probabilities, x = random_probabilities(rng), rng.random()
        value = cube_model.cubeful([probabilities], [x], [state])[0, 0]
        assert value == pytest.approx(plain_match_value(probabilities, state, x), abs=1e-12)


def test_batches_agree_with_single_rows() -> None:
    rng = random.Random(3)
    states = [CubeState(), CubeState(jacoby=True), CubeState(2, -1), CubeState(2, 1, 7, (5, 3))]
    probabilities = np.array([random_probabilities(rng) for _ in range(50)])
    x = np.array([rng.random() for _ in range(50)])
    table = cube_model.prepare(states)
    batch = cube_model.cubeful(probabilities, x, table)
    assert batch.shape == (50, 4)
    for i in range(50):
        for k, state in enumerate(states):
            assert batch[i, k] == cube_model.cubeful(probabilities[i : i + 1], x[i : i + 1], [state])[0, 0]
    columns = np.array([[2, 0], [3, -1]], dtype=np.int32)
    groups = np.arange(50, dtype=np.int32) % 2
    picked = cube_model.cubeful_columns(probabilities, x, table, columns, groups)
    assert np.array_equal(picked[::2], batch[::2][:, [2, 0]])
    assert np.array_equal(picked[1::2, 0], batch[1::2, 3])
    assert np.all(np.isnan(picked[1::2, 1]))
    single = cube_model.cubeful(probabilities.astype(np.float32), x, table)
    assert np.allclose(single, batch, atol=1e-6)


def test_certain_results_have_exact_values() -> None:
    won = [[1, 1, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 1, 1]]
    states = [CubeState(), CubeState(jacoby=True), CubeState(2, 1, 5, (3, 3))]
    values = cube_model.cubeful(won, [0, 0, 0], states)
    assert values[:, 0].tolist() == [2, 1, -3]
    assert values[:, 1].tolist() == [1, 1, -1]
    assert values[:, 2] == pytest.approx([1, met.load().mwc(1, 3), 0])


def test_long_match_is_like_money() -> None:
    rng = random.Random(11)
    for _ in range(20):
        probabilities = random_probabilities(rng)
        money = cube_model.cubeful([probabilities], [0.68], [CubeState()])[0, 0]
        state = CubeState(length=64, away=(60, 60))
        match = worth.to_equity(cube_model.cubeful([probabilities], [0.68], [state])[0, 0], state)
        assert match == pytest.approx(money, abs=0.04)


def test_utility_weights() -> None:
    rng = random.Random(5)
    for state in (CubeState(), CubeState(jacoby=True), CubeState(2, 1, 9, (4, 6)), CubeState(1, 0, 3, (3, 1))):
        probabilities = random_probabilities(rng)
        weights, constant = worth.utility_weights(state)
        equity = float(weights @ probabilities) + constant
        dead = cube_model.cubeful([probabilities], [0], [state])[0, 0]
        assert equity == pytest.approx(worth.to_equity(dead, state))
    assert worth.utility_weights(CubeState(jacoby=True))[0].tolist() == [2, 0, 0, 0, 0]
    assert worth.utility_weights(CubeState(2, 1, jacoby=True))[0].tolist() == [2, 1, 1, -1, -1]


def test_efficiency() -> None:
    classes, pips = [0, 1, 2, 3, 3, 3, 4, 5], [0, 0, 0, 20, 80, 200, 100, 150]
    assert CLASSIC.efficiencies.of(classes, pips).tolist() == pytest.approx([0, 0.6, 0.6, 0.6, 0.65, 0.7, 0.68, 0.68])


def test_availability() -> None:
    assert CubeState().can_double
    assert not CubeState(2, -1).can_double
    crawford = CubeState(length=5, away=(1, 4), crawford=True)
    assert not crawford.can_double
    assert crawford.dead_cube
    assert not CubeState(4, 1, 7, (4, 6)).can_double
    assert CubeState(4, 1, 7, (6, 4)).can_double
    without_cube = CubeState(limit=1)
    assert not without_cube.can_double
    assert cube_model.cubeful([SEED], [0.68], [without_cube])[0, 0] == pytest.approx(-0.097)
    assert market.market_window(SEED, CubeState(length=7, away=(7, 7), limit=1)) == ()
    assert np.isnan(market.live_cash_point(SEED, crawford))
    for wrong in ({"cube": 3}, {"owner": 2}, {"length": 3, "away": (0, 2)}):
        with pytest.raises(SettingsError):
            CubeState(**wrong)
    for strange in ({"on_roll": 2}, {"cube_owner": 2}, {"length": 3, "score": (-1, 0)}, {"length": 3, "score": (3, 0)}):
        with pytest.raises(SettingsError):
            CubeState.from_match(MatchState(**strange))


@pytest.mark.parametrize(
    ("no_double", "take", "state", "action"),
    [
        (0.5, 0.5, CubeState(), CubeAction.OPTIONAL_DOUBLE_TAKE),
        (0.5, 0.5, CubeState(2, 1), CubeAction.OPTIONAL_REDOUBLE_TAKE),
        (1.0, 1.4, CubeState(), CubeAction.OPTIONAL_DOUBLE_PASS),
        (1.0, 1.4, CubeState(jacoby=True), CubeAction.DOUBLE_PASS),
        (1.2, 0.9, CubeState(), CubeAction.TOO_GOOD_TAKE),
        (1.2, 1.3, CubeState(2, 1), CubeAction.TOO_GOOD_TO_REDOUBLE_PASS),
        (-0.5, -0.2, CubeState(beavers=3), CubeAction.DOUBLE_BEAVER),
        (-0.3, -0.2, CubeState(beavers=3), CubeAction.NO_DOUBLE_BEAVER),
        (-0.3, -0.2, CubeState(beavers=0), CubeAction.DOUBLE_TAKE),
        (-0.3, -0.2, CubeState(2, 1, 7, (5, 5)), CubeAction.REDOUBLE_TAKE),
        (0.1, 0.2, CubeState(2, -1), CubeAction.UNAVAILABLE),
    ],
)
def test_rare_decisions(no_double: float, take: float, state: CubeState, action: CubeAction) -> None:
    assert decide(no_double, take, state).action == action


def test_wrong_share() -> None:
    """Percentages printed for the manual's positions, and a too good one."""
    assert decide(-0.084, -0.478, CubeState(beavers=3)).wrong_share == pytest.approx(0.266, abs=1e-3)
    assert decide(0.17647, 0.00996, CubeState()).wrong_share == pytest.approx(0.168, abs=1e-3)
    assert decide(1.1, 1.5, CubeState()).wrong_share == pytest.approx(0.2)
    assert decide(0.3, 0.4, CubeState()).wrong_share is None
    assert decide(1.6, 1.5, CubeState()).wrong_share is None  # the opponent can pass or take: both lose


@pytest.mark.parametrize(
    ("keep", "take", "gammons", "doubles"),
    [
        (0.4, 0.5, True, True),
        (0.5, 0.4, True, False),
        (0.4, 0.4, True, True),
        (1.1, 1.2, True, False),  # too good
        (1.1, 1.2, False, True),  # without gammons nobody is
        (1.1, 0.9, False, False),
        (1.0, 1.2, True, True),
    ],
)
def test_who_doubles(keep: float, take: float, gammons: bool, doubles: bool) -> None:
    decided = decide_many(*(np.array([value]) for value in (keep, take)), np.array([gammons]))
    assert [each.tolist() for each in decided] == [[doubles], [take <= 1.0]]


EQUITY = st.floats(-3, 3) | st.sampled_from([-1.0, 0.0, 1.0, 1.0 + 1e-9])


@given(st.lists(st.tuples(EQUITY, EQUITY, st.booleans()), min_size=1))
def test_many_are_decided_as_one_is(rows: list[tuple[float, float, bool]]) -> None:
    keep, take, gammons = (np.array(column) for column in zip(*rows, strict=True))
    doubles, takes = decide_many(keep, take, gammons)
    verdicts = [decide(*row[:2], CubeState(), gammons=row[2]) for row in rows]
    assert doubles.tolist() == [verdict.should_double for verdict in verdicts]
    assert takes.tolist() == [verdict.should_take for verdict in verdicts]
