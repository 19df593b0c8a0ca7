"""Theory of cube decisions: volatility of positions, models side by side, picture, `sixprime cube`."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from rich.console import Console

from sixprime import RolloutSettings, kernels
from sixprime.cube.market import decision_points, double_hurts
from sixprime.cube.model import CubeModel, cubeful
from sixprime.cube.state import CubeState
from sixprime.engine import Engine
from sixprime.engine.rollout_judge import cube_of
from sixprime.engine.volatility import jump_volatilities, pair_outcomes
from sixprime.game import parse
from sixprime.game.position import Position
from sixprime.game.rules import ROLLS
from sixprime.game.state import MatchState
from sixprime.progress import Progress, Watch
from sixprime.report.chart import Line, Mark, line_chart
from sixprime.report.cube import cube_chart, render_cube_theory, theory_to_dict
from sixprime.theory import CubeTheory, cube_levels, cube_theory
from sixprime.theory.losers import WEIGHTS

CONTACT = "4HPMwQCMz+AIIQ"
RACE = "2x0AAOi2AQAAAA"
GAMMONISH = "/g81AACSmQlwOA"
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
    calls: list[Progress] = []
    jump_volatilities(engine().brain, packed(*[RACE] * 40), watch=Watch(calls.append))
    assert calls[-1][:2] == (40, 40)


def test_the_score_changes_the_plays() -> None:
    gammons = CubeState(2, 1, 5, (4, 3))
    money, score = (jump_volatilities(engine().brain, packed(CONTACT), state) for state in (CubeState(), gammons))
    assert (money != score).any()
    assert money == pytest.approx(score, abs=0.01)


def test_volatility_in_hypergammon_is_that_of_its_exact_chances() -> None:
    """At double match point, where the best play is the one that wins most often."""
    judge, match, start = engine(), MatchState(length=1), Position.start("hypergammon1")

    def won(position: Position) -> float:
        """After a play, for who made it."""
        return (
            1.0 if position.winner is not None else 1 - judge.evaluate(position, match=match, plies=0).probabilities[0]
        )

    def best(position: Position, dice: tuple[int, int]) -> Position:
        return max((play.result for play in position.plays(dice)), key=won)

    chances = [
        [won(after) if after.winner is not None else 1 - won(best(after, dice)) for dice in ROLLS]
        for after in (best(start, dice) for dice in ROLLS)
    ]
    mean = np.average(chances, weights=WEIGHTS)
    found = cube_theory(judge, start, match=match)
    assert found.local_volatility == pytest.approx(np.average(np.abs(chances - mean), weights=WEIGHTS), abs=1e-6)
    assert found.local_deviation == pytest.approx(np.sqrt(np.average((chances - mean) ** 2, weights=WEIGHTS)), abs=1e-6)


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


def test_nobody_is_too_good_where_gammons_do_not_pay() -> None:
    parsed = parse(CONTACT)
    for state, too_good in (
        (MatchState(jacoby=True), False),
        (MatchState(jacoby=False), True),
        (MatchState(jacoby=True, cube=2, cube_owner=0, on_roll=0), True),
        (MatchState(length=7, score=(3, 5)), True),
    ):
        for view in cube_theory(engine(), parsed.position, match=state).models:
            assert (view.points.too_good is not None and view.points.too_good < 1) <= too_good, (view.name, state)
            if view.name == "live cube" and too_good:
                assert view.points.too_good == pytest.approx(view.points.cash, abs=1e-6)
    for cube in (CubeState(), CubeState(2, 1), CubeState(1, 0, 7, (5, 4))):
        for name in ("dead", "live", "gnubg-1.07", "jump", "jump-linear"):
            found = decision_points((0.5, 0.0, 0.0, 0.2, 0.0), cube, CubeModel.named(name))
            assert found.too_good == 1, (name, cube)
            assert found.cash is not None


def won(opponent: dict[int, int], player: dict[int, int]) -> Position:
    return Position.from_board([[side.get(point, 0) for point in range(1, 26)] for side in (opponent, player)])


@pytest.mark.parametrize("points", [1, 3])
def test_gammons_alone_make_a_position_too_good(points: int) -> None:
    """A won race with gammons and no backgammons."""
    position = won({6: 15}, {points: 4})
    money = MatchState(jacoby=False, beavers=0)
    found = cube_theory(engine(), position, match=money)
    assert found.analysis.probabilities[1] > 0 == found.analysis.probabilities[2]
    rolled = engine().rollout_cube(position, match=money, settings=RolloutSettings(trials=36))
    assert rolled.verdict is not None
    level = cube_of(rolled, found.analysis)
    for action in (found.analysis.action, level.action, rolled.verdict.text, *(view.action for view in found.models)):
        assert action == "Too good to double, pass"
    without = cube_theory(engine(), won({6: 14}, {points: 4}), match=money)
    assert {without.analysis.action, *(view.action for view in without.models)} == {"Double, pass"}


def shown(id: str, state: MatchState, width: int = 80) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=False, color_system=None)
    render_cube_theory(cube_theory(engine(), Position.from_id(id), match=state), console=console)
    return out.getvalue()


JACOBY = MatchState(jacoby=True)


def test_gammons_that_count_once_doubled_are_shown() -> None:
    text = shown(CONTACT, JACOBY)
    for name in "XO":
        assert f"Gammon value of {name} 0.000, backgammon 0.000; once doubled 0.500, 1.000 (Jacoby)" in text
    for state in (MatchState(jacoby=False), MatchState(jacoby=True, cube=2, cube_owner=0, on_roll=0)):
        assert "Gammon value of X 0.500, backgammon 1.000\n" in shown(CONTACT, state)
    assert cube_theory(engine(), Position.from_id(CONTACT), match=JACOBY).doubled_gammon_values == (0.5, 1.0)


@pytest.mark.parametrize("width", [40, 60, 80, 160])
@pytest.mark.parametrize("owner", [None, 0])
def test_tables_of_models_have_whole_headings_and_say_whose_each_point_is(width: int, owner: int | None) -> None:
    state = MatchState(jacoby=False, cube=1 if owner is None else 2, cube_owner=owner, on_roll=0)
    text = shown(CONTACT, state, width)
    assert "…" not in text
    heads = text[text.index("Points of a win of X") :]
    double = "double" if owner is None else "redouble"
    for word in (double, f"{double.capitalize()},", "take", "Action", "takes", f"{double}s", "passes", "too good"):
        assert word in heads, word
    assert "Market window of X" in text


def test_notes_say_where_models_follow_gnu_backgammon() -> None:
    two_away = shown(CONTACT, MatchState(length=2), 200)
    assert (
        "At 2-away 2-away either side doubles at once. All models but fitted and jump leave the cube at 1" in two_away
    )
    found = cube_theory(engine(), Position.from_id(CONTACT), match=MatchState(length=2))
    by_name = {view.name: view for view in found.models}
    assert by_name["jump, linear"].no_double != by_name["live cube"].no_double == by_name["dead cube"].no_double
    assert found.never_turned
    assert "2-away" not in shown(CONTACT, MatchState(length=3, score=(1, 0)), 200)
    assert "2-away" not in shown(CONTACT, MatchState(length=2, cube=2, cube_owner=0, on_roll=0), 200)


def test_double_hurts() -> None:
    chances = (0.5, 0.25, 0.0, 0.125, 0.0)  # .5 and .25 of the wins and of the losses
    state = CubeState(1, 0, 8, (2, 8))
    for owner, hurts in ((0, True), (1, True), (-1, False)):
        assert double_hurts(chances, replace(state, owner=owner)) is hurts
    assert not double_hurts(chances, CubeState())
    assert not double_hurts(chances, replace(state, away=(1, 8), crawford=True))
    assert not double_hurts((0.5, 0.0, 0.0, 0.0, 0.0), state)
    for p in (0.3, 0.7):
        rows = np.array([(p, p / 2, 0, (1 - p) / 4, 0)])
        states = [replace(state, owner=1), replace(state, limit=1)]
        live, dead = cubeful(rows, np.ones(1), states)[0]
        assert live < dead
    trailer = MatchState(length=8, score=(0, 6), on_roll=0)
    text = shown(GAMMONISH, trailer, 200)
    assert "Turning the cube to 2 hurts O at any chance. All models but fitted and jump reckon with it, as GNU" in text
    assert "hurts X" not in text
    later = shown(GAMMONISH, parse(f"{GAMMONISH}:cAngADAAAAAE").state, 200)
    assert "Turning the cube to 4 hurts O at any chance." in later
    assert "hurts" not in shown(GAMMONISH, MatchState(length=8), 200)


def test_local_model_of_the_engine() -> None:
    found = theory(f"{CONTACT}:cIkMAAAAAAAA", "jump-local")
    # The engine prunes the replies by which it finds the volatility.
    assert found.models[0].double_take == pytest.approx(found.analysis.double_take, abs=5e-3)
    assert found.models[0].no_double == pytest.approx(found.models[-1].no_double, abs=1e-9)
    assert found.models[0].model == found.models[-1].model


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
    bad = run_with_input(["cube", CONTACT, "--svg", str(target / "cube.svg")])
    assert bad.returncode == 1
    assert bad.stderr.count("\n") == 1
    assert f"{target}: a folder was expected" in bad.stderr


def test_levels_of_an_iterator() -> None:
    once = cube_levels(engine(), Position.start(), levels=iter((2, 4)))  # type: ignore[arg-type]
    assert once == cube_levels(engine(), Position.start(), levels=(2, 4))
