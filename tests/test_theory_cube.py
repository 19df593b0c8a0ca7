"""Theory of cube decisions: volatility of positions, models side by side, picture, `sixprime cube`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from sixprime import kernels
from sixprime.cube.state import CubeState
from sixprime.engine import Engine
from sixprime.engine.volatility import jump_volatilities, pair_outcomes
from sixprime.game import parse
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.report.chart import Line, Mark, line_chart
from sixprime.report.cube import cube_chart, theory_to_dict
from sixprime.theory import CubeTheory, cube_theory

CONTACT = "4HPMwQCMz+AIIQ"
RACE = "2x0AAOi2AQAAAA"
SVG = "{http://www.w3.org/2000/svg}"


@cache
def engine() -> Engine:
    return Engine(threads=1, plies=0)


def packed(*ids: str) -> np.ndarray:
    return kernels.pack(np.stack([Position.from_id(id).board for id in ids]), 15)


@cache
def theory(id: str, model: str = "gnubg-1.07") -> CubeTheory:
    parsed = parse(id)
    return cube_theory(Engine(threads=1, plies=0, cube_model=model), parsed.position, match=parsed.state)


# -- volatility ----------------------------------------------------------------------------------


def test_volatility_against_a_slow_search() -> None:
    position = Position.from_id(RACE)

    def best(start: Position, dice: tuple[int, int]) -> tuple[Position, float]:
        plays = start.plays(dice)
        found = engine().evaluate_many([play.result for play in plays], match=MatchState(jacoby=False))
        chances = [e.probabilities for e in found]
        worth = [2 * w - 1 + wg + wb - lg - lb for w, wg, wb, lg, lb in chances]
        k = int(np.argmin(worth))
        return plays[k].result, chances[k][0]

    rolls = [(int(a), int(b)) for a, b in kernels.ROLLS]
    chances = np.array([[best(best(position, first)[0], second)[1] for second in rolls[::5]] for first in rolls[::7]])
    outcomes, boards, _ = pair_outcomes(engine().brain, packed(RACE))
    # The slow search knows two-sided ends exactly, the other takes them from the one-sided database.
    assert outcomes[0, ::7, ::5, 0] == pytest.approx(chances, abs=0.01)
    assert boards.shape == (1, 21, 21, 32)


def test_moments_of_the_volatility() -> None:
    outcomes, _, _ = pair_outcomes(engine().brain, packed(CONTACT))
    shares = np.outer(kernels.ROLL_WEIGHTS, kernels.ROLL_WEIGHTS) / 1296
    chances = outcomes[0, ..., 0]
    mean = (shares * chances).sum()
    [[volatility, deviation]] = jump_volatilities(engine().brain, packed(CONTACT))
    assert volatility == pytest.approx((shares * abs(chances - mean)).sum())
    assert deviation == pytest.approx(np.sqrt((shares * (chances - mean) ** 2).sum()))
    assert 0.02 < volatility < deviation < 0.1


def test_a_game_that_ends_with_the_first_roll() -> None:
    # One chequer each on the ace point: the player on roll wins at once, whatever is rolled.
    last = Position((1, *24 * (0,)), (1, *24 * (0,)))
    board = kernels.pack(last.board[None], 15)
    outcomes, _, _ = pair_outcomes(engine().brain, board)
    assert outcomes[..., 0].min() == 1
    assert jump_volatilities(engine().brain, board).tolist() == [[0, 0]]


def test_volatilities_are_the_same_in_any_batch_and_for_no_positions() -> None:
    batch = jump_volatilities(engine().brain, packed(*[CONTACT, RACE] * 20))
    assert (batch[::2] == batch[0]).all()
    assert (batch[1::2] == batch[1]).all()
    assert (batch[0] == jump_volatilities(engine().brain, packed(CONTACT))[0]).all()
    assert jump_volatilities(engine().brain, np.empty((0, 32), dtype=np.int8)).shape == (0, 2)
    calls: list[tuple[int, int]] = []
    jump_volatilities(engine().brain, packed(*[RACE] * 40), progress=lambda *call: calls.append(call))
    assert calls[-1] == (40, 40)


def test_the_score_changes_the_plays() -> None:
    gammons = CubeState(2, 1, 5, (4, 3))
    money, score = (jump_volatilities(engine().brain, packed(CONTACT), state) for state in (CubeState(), gammons))
    assert (money != score).any()
    assert money == pytest.approx(score, abs=0.01)


# -- the theory ----------------------------------------------------------------------------------


def test_theory_for_money() -> None:
    found = theory(f"{CONTACT}:cIkMAAAAAAAA")
    first, *others = found.models
    assert found.analysis.no_double == pytest.approx(first.no_double, abs=1e-6)
    assert found.analysis.double_take == pytest.approx(first.double_take, abs=1e-6)
    by_name = {view.name: view for view in others}
    dead, live = by_name["dead cube"], by_name["live cube"]
    for view in others:
        low, high = sorted((dead.double_take, live.double_take))
        assert low - 1e-9 <= view.double_take <= high + 1e-9
        assert dead.points.cash <= view.points.cash <= live.points.cash + 1e-9
        assert live.points.take - 1e-9 <= view.points.take <= dead.points.take
    # A quiet position may wait longer than the average one.
    assert found.local_volatility < found.remote_volatility
    assert by_name["jump, local volatility"].points.double > by_name["jump, remote volatility"].points.double
    assert [window.kind for window in found.windows] == ["dead", "live"]
    assert found.windows[0].closes == pytest.approx(dead.points.cash, abs=1e-6)
    assert found.curves.owned[100] > found.curves.centred[100] > found.curves.unavailable[100]


def test_theory_in_a_match() -> None:
    parsed = parse(f"{CONTACT}:cIkMAAAAAAAA")
    state = MatchState(length=7, score=(2, 4))
    found = cube_theory(engine(), parsed.position, match=state)
    assert found.gammon_values != found.opponent_gammon_values
    assert found.windows
    assert found.analysis.mwc_no_double is not None
    curves = found.curves
    won, lost = 1 + 0.3, -1 - 0.4
    assert lost < curves.owned[0] == curves.centred[0] == curves.unavailable[0] < -1
    assert 1 < curves.owned[-1] == curves.centred[-1] == curves.unavailable[-1] < won
    crawford = cube_theory(engine(), parsed.position, match=MatchState(length=7, score=(6, 4), crawford=True))
    # Where he cannot double there is no window: the Crawford game, a cube that decides the match, the opponent's cube.
    assert crawford.windows == ()
    for cube, owner in ((2, 1), (2, 0)):
        state = MatchState(length=7, score=(2, 5), cube=cube, cube_owner=owner)
        assert cube_theory(engine(), parsed.position, match=state).windows == ()
    assert not crawford.analysis.available
    assert crawford.curves.owned == pytest.approx(crawford.curves.centred)


def test_theory_under_the_jacoby_rule_and_with_owned_cubes() -> None:
    position = Position.from_id(CONTACT)
    jacoby = cube_theory(engine(), position, match=MatchState(jacoby=True))
    assert jacoby.gammon_values == (0, 0)
    assert jacoby.curves.centred[[0, -1]].tolist() == [-1, 1]
    owned = cube_theory(engine(), position, match=MatchState(cube=2, cube_owner=1, on_roll=1))
    theirs = cube_theory(engine(), position, match=MatchState(cube=2, cube_owner=0, on_roll=1))
    assert owned.models[0].points.take is None
    assert owned.models[0].points.double is not None
    assert theirs.models[0].points.double is None
    assert theirs.models[0].points.take is not None
    for found in (jacoby, owned, theirs):
        ElementTree.fromstring(cube_chart(found))


def test_local_model_of_the_engine() -> None:
    found = theory(f"{CONTACT}:cIkMAAAAAAAA", "jump-local")
    # The engine prunes the replies by which it finds the volatility.
    assert found.models[0].double_take == pytest.approx(found.analysis.double_take, abs=5e-3)
    assert found.models[0].no_double == pytest.approx(found.models[-1].no_double, abs=1e-9)


# -- picture and command -------------------------------------------------------------------------


def test_picture() -> None:
    text = cube_chart(theory(f"{CONTACT}:cIkMAAAAAAAA"))
    root = ElementTree.fromstring(text)
    words = [element.text for element in root.iter(f"{SVG}text")]
    assert "centred cube" in words
    assert "winning chance" in words
    for label in ("take", "double", "cash", "this position"):
        assert any(word and f" {label} " in f" {word} " for word in words), label
    assert "prefers-color-scheme:dark" in text
    assert "<script" not in text
    assert len(text) < 20_000


def test_line_chart() -> None:
    chart = line_chart(
        'a < b & "c"',
        [
            Line("dots", [0, 1, 2], [1.0, 2.0, 1.5], dots=True, errors=[0.1, 0.2, 0.1]),
            Line("right", [0, 2], [-100, 100], "green", second=True),
            Line("flat", [0, 2], [1.0, 1.0], dashed=True),
        ],
        marks=[Mark(1, 1.5, "here")],
        second_label="more",
    )
    root = ElementTree.fromstring(chart)
    assert root.get("aria-label") == 'a < b & "c"'
    assert len(list(root.iter(f"{SVG}circle"))) == 3 + 1 + 1
    with pytest.raises(ValueError, match="at least one point"):
        line_chart("empty", [Line("none", [], [])])


def test_straight_lines_need_few_points() -> None:
    x = np.linspace(0, 1, 1001)
    chart = line_chart("kink", [Line("", x, np.abs(x - 0.5))])
    assert len(chart) < 6000


def test_plain_values() -> None:
    values = theory_to_dict(theory(f"{CONTACT}:cIkMAAAAAAAA"))
    again = json.loads(json.dumps(values, allow_nan=False))
    assert again["models"][0]["model"] == "gnubg-1.07"
    assert again["models"][0]["points"]["take"] == pytest.approx(0.25, abs=0.01)
    assert {"local_volatility", "windows", "gammon_values", "no_double", "action"} <= again.keys()


def test_command(run_with_input, tmp_path: Path) -> None:
    target = tmp_path / "cube.svg"
    run = run_with_input(["cube", f"{CONTACT}:cIkMAAAAAAAA", "--plies", "0", "--json", "--svg", str(target)])
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert answer["svg"] == str(target)
    assert answer["action"].startswith("No double")
    ElementTree.parse(target)
    bad = run_with_input(["cube", CONTACT, "--svg", str(tmp_path / "no" / "cube.svg")])
    assert bad.returncode == 1
    assert bad.stderr.count("\n") == 1
    assert "no folder" in bad.stderr
