"""Golden numbers of the engine, its rollouts, the cube, the theory behind it, and of an analysis."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden import check_numbers

from sixprime import Engine, MatchState, PlayerSettings, Position, RolloutResult, RolloutSettings, formats, kernels
from sixprime.analysis.analyse import analyse
from sixprime.analysis.foreign import foreign, sources, with_chances
from sixprime.analysis.model import AnalysedMatch
from sixprime.analysis.ratings import absolute_fibs, luck_based_fibs, luck_name, pr_name, rating_name
from sixprime.analysis.statistics import points_per_game, snowie_error_rate
from sixprime.bearoff.databases import Databases
from sixprime.bearoff.lookup import look_up
from sixprime.cube import calculators, jump, jump_exact, met, model
from sixprime.cube.market import (
    decision_points,
    gammon_prices,
    gammon_values,
    janowski_points,
    live_cash_point,
    market_window,
    money_points,
    take_points,
)
from sixprime.cube.model import cubeful, prepare
from sixprime.cube.state import CubeState
from sixprime.cube.values import cubeless, equity_error, mwc_error, to_equity, to_mwc
from sixprime.engine.presets import PRESETS
from sixprime.engine.volatility import jump_volatilities, pair_outcomes
from sixprime.game.outcomes import Outcomes
from sixprime.game.record import Match
from sixprime.paths import sample_match
from sixprime.theory import cube_theory, race_theory

DATA = Path(__file__).parent / "data"
BOARDS: dict[str, tuple[dict[int, int], dict[int, int]]] = {
    "start": ({24: 2, 13: 5, 8: 3, 6: 5}, {24: 2, 13: 5, 8: 3, 6: 5}),
    "holding": ({21: 2, 13: 4, 8: 3, 6: 4, 4: 2}, {20: 2, 13: 4, 8: 3, 6: 4, 5: 2}),
    "blitz": ({25: 1, 24: 2, 13: 5, 8: 3, 6: 4}, {24: 1, 13: 3, 8: 3, 6: 4, 5: 2, 3: 2}),
    "back game": ({22: 3, 23: 2, 13: 2, 8: 3, 6: 5}, {13: 2, 9: 2, 8: 2, 7: 3, 6: 3, 5: 2, 4: 1}),
    "prime": ({24: 3, 13: 4, 8: 3, 6: 5}, {23: 1, 13: 2, 8: 3, 7: 2, 6: 3, 5: 2, 4: 2}),
    "bar": ({21: 2, 13: 4, 8: 3, 6: 4, 4: 2}, {25: 2, 13: 5, 8: 3, 6: 5}),
    "race": ({9: 3, 7: 2, 6: 4, 5: 3, 3: 3}, {10: 2, 8: 3, 6: 4, 4: 3, 2: 3}),
    "ending": ({1: 1, 2: 2, 4: 1, 6: 1}, {1: 1, 3: 2, 5: 2}),
}
"""Chequers by point of the opponent and of the player on roll, each as that side counts."""
STATES = {
    "money": MatchState(),
    "owned": MatchState(jacoby=False, beavers=0, cube=2, cube_owner=1),
    "theirs": MatchState(cube=4, cube_owner=0),
    "match": MatchState(length=7, score=(3, 5)),
    "behind": MatchState(length=5, score=(4, 2), cube=2, cube_owner=1, on_roll=1),
    "crawford": MatchState(length=5, score=(4, 1), crawford=True),
    "after": MatchState(length=5, score=(4, 1)),
}


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1, databases=Databases.standard())


def positions() -> list[Position]:
    sides = ([[side.get(point, 0) for point in range(1, 26)] for side in pair] for pair in BOARDS.values())
    found = [Position.from_board(pair) for pair in sides]
    assert all(position.is_valid for position in found)
    return found


# Searches


@pytest.mark.parametrize("name", STATES)
def test_evaluations_and_cubes(engine: Engine, name: str) -> None:
    asked = [(position, STATES[name]) for position in positions()]
    for plies in (0, 1):
        found = [[engine.evaluate(p, match=s, plies=plies), engine.cube_action(p, match=s, plies=plies)]
                 for p, s in asked]  # fmt: skip
        check_numbers("engine", f"{name} {plies}", found)


@pytest.mark.parametrize("name", ["money", "match", "crawford"])
def test_plays(engine: Engine, name: str) -> None:
    rolls = [(3, 1), (6, 6), (5, 2), (4, 4), (6, 5), (2, 1), (4, 3), (1, 1)]
    found = [
        engine.best_plays(position, roll, match=STATES[name], plies=1, count=3)
        for position, roll in zip(positions(), rolls, strict=True)
    ]
    luck = engine.luck_many([(p, roll, STATES[name]) for p, roll in zip(positions(), rolls, strict=True)])
    check_numbers("engine", f"plays {name}", [found, luck])


def test_two_plies(engine: Engine) -> None:
    start, _, _, back, *_ = positions()
    found = [
        engine.cube_action(start, match=STATES["match"], plies=2),
        engine.evaluate(back, plies=2),
        engine.best_plays(start, (2, 1), plies=2, filter="large", count=4),
    ]
    check_numbers("engine", "two plies", found)


@pytest.mark.parametrize("name", ["advanced", "reduced", "supremo"])
def test_levels(engine: Engine, name: str) -> None:
    level = Engine(threads=1, level=name, databases=engine.databases)
    start, holding, *_ = positions()
    found = [level.evaluate(holding), level.best_plays(start, (4, 3), count=2)]
    check_numbers("engine", f"level {name}", found)


@pytest.mark.parametrize("name", model.names()[:-5])
def test_cube_models_in_a_search(engine: Engine, name: str) -> None:
    modelled = Engine(threads=1, databases=engine.databases, cube_model=name)
    _, holding, blitz, back, *_ = positions()
    found = [
        modelled.cube_action(position, match=STATES[state], plies=plies)
        for position, state, plies in (
            (blitz, "money", 0), (holding, "match", 0), (holding, "money", 1), (back, "owned", 1), (blitz, "behind", 1)
        )
    ]  # fmt: skip
    check_numbers("engine", f"cube model {name}", found)


def test_volatilities(engine: Engine) -> None:
    board = kernels.pack(np.stack([position.board for position in positions()]))
    found = [jump_volatilities(engine.brain, board, keep=keep) for keep in (0, 4)]
    # The first roll ends the game, as a gammon.
    last = Position.from_board([[0] * 5 + [15] + [0] * 19, [2] + [0] * 24])
    for few in (board[:1], kernels.pack(last.board[None])):
        outcomes, after, codes = pair_outcomes(engine.brain, few)
        found += [outcomes[0, ::4, ::4], after.sum(axis=(0, 1, 2)), np.bincount(codes.ravel())]
    check_numbers("engine", "volatilities", found)


def test_settings_that_are_not_tried() -> None:
    check_numbers("engine", "settings", [str(PRESETS), str(RolloutSettings()), str(PlayerSettings())])


# Rollouts

ROLLOUTS: dict[str, dict[str, Any]] = {
    "full": {},
    "cubeless": {"cubeful": False},
    "cut": {"truncation": 5},
    "cut deep": {"truncation": 2, "truncation_plies": 1},
    "random dice": {"rotate": False, "seed": 7},
    "plain": {"variance_reduction": False},
    "opening": {"initial": True},
    "one game": {"branches": 1},
    "played out": {"bearoff_exact": False, "bearoff_one_sided": False, "cubeful": False},
    "later": {
        "later": (PlayerSettings(noise=0.05), PlayerSettings(noise=0.1)),
        "later_turn": 2,
        "truncation": 6,
    },
    "weak": {"players": (PlayerSettings(noise=0.06), PlayerSettings())},
    "stopped": {"trials": 180, "minimum": 36, "stop_error": 0.2},
}


def summary(result: RolloutResult) -> list[object]:
    return [
        result.estimates,
        [estimate.label for estimate in result.ranked],
        result.best.label,
        result.trials,
        result.finished,
        result.verdict,
        result.interval,
        result.cubeful_equity,
        result.cubeless_equity,
        result.equity_error,
        result.mwc,
        result.mwc_error,
    ]


@pytest.mark.parametrize("name", ROLLOUTS)
def test_rollouts(engine: Engine, name: str) -> None:
    settings = {"trials": 36, "truncation": 0, **ROLLOUTS[name]}
    position = positions()[0 if name == "opening" else 1]
    check_numbers("rollouts", name, summary(engine.rollout(position, **settings)))


def test_cube_plies_of_rollouts(engine: Engine) -> None:
    """Decisions that a look ahead changes."""
    found = []
    for number, state in ((7, "match"), (3, "behind"), (3, "owned"), (2, "owned")):
        results = [
            engine.rollout(
                positions()[number],
                match=STATES[state],
                trials=36,
                truncation=6,
                players=2 * (PlayerSettings(0, plies),),
            ).equity
            for plies in (0, 1)
        ]
        assert results[0] != results[1]
        found.append(results)
    check_numbers("rollouts", "cube plies", found)


@pytest.mark.parametrize("name", ["money", "match", "owned", "after"])
def test_rollouts_of_cubes_and_plays(engine: Engine, name: str) -> None:
    blitz, ending = positions()[2], positions()[-1]
    cube = engine.rollout_cube(blitz, match=STATES[name], trials=36, truncation=6)
    plays = engine.rollout_plays(blitz, (5, 2), 3, match=STATES[name], trials=36, truncation=6)
    short = engine.rollout(ending, match=STATES[name], trials=36)
    check_numbers("rollouts", f"cube and plays {name}", [summary(cube), summary(plays), summary(short)])


# The cube

SHARES = [
    (0.5, 0.13, 0.01, 0.12, 0.01),
    (0.72, 0.31, 0.02, 0.06, 0.0),
    (0.25, 0.02, 0.0, 0.22, 0.03),
    (0.6, 0, 0, 0, 0),
]
SCORES = [(1, 1), (1, 3), (2, 2), (2, 3), (2, 4), (3, 3), (3, 7), (4, 2), (5, 5), (7, 4), (9, 11), (13, 1), (25, 20)]
MONEY_CUBES = [
    CubeState(cube, owner, jacoby=jacoby, beavers=beavers, limit=limit)
    for cube, owner, jacoby, beavers, limit in (
        (1, 0, True, 3, 1024), (1, 0, False, 0, 1024), (2, 1, True, 3, 1024), (2, -1, False, 3, 4), (4, 1, False, 0, 4),
        (1, 0, True, 0, 1), (1, 0, False, 1, 1024),
    )
]  # fmt: skip


def match_cubes(away: tuple[int, int]) -> list[CubeState]:
    length = max(away) + 1
    states = [CubeState(cube, owner, length, away) for cube, owner in ((1, 0), (2, 1), (2, -1), (4, 1))]
    if min(away) == 1:
        states.append(CubeState(1, 0, length, away, crawford=True))
    return states


@pytest.mark.parametrize("away", SCORES, ids=str)
def test_market(away: tuple[int, int]) -> None:
    found = [
        [
            gammon_values(state), gammon_prices(state),
            [[market_window(p, state), take_points(p, state), live_cash_point(p, state)] for p in SHARES[:2]],
        ]
        for state in match_cubes(away)
    ]  # fmt: skip
    check_numbers("cube", f"market {away}", found)


def test_market_of_money() -> None:
    rules = list(product((False, True), repeat=2))
    found = [[money_points(p, jacoby=jacoby, beavers=beavers) for jacoby, beavers in rules] for p in SHARES]
    more = [janowski_points(p, x, y) for p in SHARES for x, y in ((0.0, None), (0.68, None), (0.5, 0.8))]
    points = [[gammon_values(state), take_points(SHARES[1], state)] for state in MONEY_CUBES]
    check_numbers("cube", "market of money", [found, more, points])


NAMES = [name for name in model.names() if ":" not in name] + [
    "janowski:0.6", "refined:0.5,0.7", "implied:0.09", "jump:0.07", "jump-linear:0.1",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_models(name: str) -> None:
    states = [*MONEY_CUBES, *match_cubes((3, 7)), *match_cubes((1, 3)), *match_cubes((2, 2))]
    p = np.array(SHARES)
    codes, pips = np.array([0, 1, 5, 3]), np.array([[140, 120], [90, 95], [60, 80], [25, 30]])
    found: list[object] = []
    for plies in (0, 1):
        known = model.CubeModel.named(name).at(plies)
        parameters = known.parameters(p, codes, pips, np.full(4, 0.08))
        found += [parameters, cubeful(p, parameters, prepare(states, model=known)), known.name, known.swapped().name]
    points = [
        decision_points(SHARES[1], state, model.CubeModel.named(name), pips=(80, 80))
        for state in (MONEY_CUBES[0], MONEY_CUBES[2], match_cubes((3, 7))[0], match_cubes((7, 4))[1])
    ]
    check_numbers("cube", f"model {name}", [found, points])


def test_units() -> None:
    states = [*MONEY_CUBES, *(state for away in SCORES for state in match_cubes(away))]
    found = []
    for state in states:
        equities = np.array([-1.3, 0.0, 0.4, 1.0])
        mwc = to_mwc(equities, state) if not state.money else equities
        found.append([mwc, to_equity(mwc, state), cubeless(SHARES, state)])
        found[-1] += [mwc_error(0.02, state), equity_error(0.01, state)] if not state.money else []
    check_numbers("cube", "units", found)


@pytest.mark.parametrize("name", met.names())
def test_tables(name: str) -> None:
    table = met.load(name)
    cells = [1, 2, 3, 4, 5, 7, 11, 15, 25, 26, 40, 63, 64]
    found = [table.mwc(a, b) for a, b in product(cells, cells)]
    after = [table.mwc(a, b, post_crawford=True) for a, b in ((1, x) for x in cells)]
    check_numbers("cube", f"table {name}", [found, after, table.name, table.is_symmetric])


def test_calculated_tables() -> None:
    post = np.stack([calculators.post_crawford(0.2, 0.52, free_drop_2=0.015, free_drop_4=0.004),
                     calculators.post_crawford(0.3, 0.48)])  # fmt: skip
    found = [
        post[:, :12],
        calculators.post_crawford()[:12],
        calculators.mec(post)[:9, :9],
        calculators.mec(post, 0.2, 0.55)[:9, :9],
        calculators.zadeh(post)[:9, :9],
        calculators.zadeh(post, 0.3, 0.2, 0.05, 0.1, 0.15)[:9, :9],
        calculators.mec(post)[60:, 60:],
    ]
    check_numbers("cube", "calculated tables", found)


@pytest.mark.parametrize("kind", jump.KINDS)
def test_jumps(kind: jump.Kind) -> None:
    p = np.linspace(0, 1, 9)
    found: list[object] = []
    for win, loss, state in ((1.0, 1.0, None), (1.4, 1.2, None), (1.3, 2.2, CubeState(1, 0, 7, (3, 5)))):
        game = jump.JumpModel(win, loss, 0.08, 0.06, kind=kind, state=state)
        found += [game.points(), [game.value(p, owner, near=near) for owner in (-1, 0, 1) for near in ("cash", "take")]]
        found.append([game.value(p, 1, doubled=True), jump.take_point(win, loss, 0.1), jump.cash_point(win, loss, 0.1)])
    check_numbers("cube", f"jump {kind}", [found, [Outcomes(*p).mean_points for p in SHARES]])


def test_exact_jumps() -> None:
    money = jump_exact.solve(1.4, 1.2, 0.1, n=40)
    state = CubeState(1, 0, 7, (3, 5))
    match = jump_exact.solve_match((0.3, 0.02), (0.2, 0.0), 0.1, state, n=40)
    check_numbers("cube", "exact jumps", [money, match, money.value(np.array([0.21, 0.77]), 1)], least=1e-6)


# The theory


@pytest.mark.parametrize("name", ["money", "match", "owned", "behind"])
def test_theory(engine: Engine, name: str) -> None:
    _, holding, blitz, *_ = positions()
    found = []
    for position in (holding, blitz):
        theory = cube_theory(engine, position, match=STATES[name], plies=0)
        thin = [replace(c, p=c.p[::40], owned=c.owned[::40], centred=c.centred[::40], unavailable=c.unavailable[::40])
                for c in theory.curves if c is not None] if isinstance(theory.curves, tuple) else []  # fmt: skip
        found.append([replace(theory, curves=()), thin])
    check_numbers("theory", name, found)


def test_theory_of_races(engine: Engine) -> None:
    random = np.random.default_rng(3)
    found: list[object] = []
    for size in (15, 15, 12, 9, 6, 3, 15, 11):
        sides = []
        for _ in range(2):
            points = random.integers(0, 6 if size < 10 else 12, size)
            sides.append([*np.bincount(points, minlength=24).tolist(), 0])
        position = Position(tuple(sides[0]), tuple(sides[1]))
        found.append(race_theory(engine, position, plies=0))
        if max(sides[0][6:] + sides[1][6:]) == 0:
            found.append(look_up(position, engine.databases))
    check_numbers("theory", "races", found)


# Analyses


def judged(analysed: AnalysedMatch) -> list[object]:
    decisions = [
        [
            d.kind, d.move_number, d.player, d.chosen, d.best, d.played, d.error, d.error_mwc, d.skill, d.luck,
            d.luck_mwc, d.luck_mark, d.forced, d.counted, d.before and d.before.value,
        ]
        for d in analysed.decisions
    ]  # fmt: skip
    totals = [game.statistics for game in analysed.games] + [analysed.statistics]
    words = [[rating_name(s.error_per_decision), rating_name(s.error_per_decision, "old"), pr_name(s.pr),
              luck_name(s.luck_total / max(s.moves, 1)), s.pr] for s in analysed.statistics]  # fmt: skip
    rates = [snowie_error_rate(*analysed.statistics), points_per_game([1.0, -2.5, 4.0])]
    return [decisions, totals, words, rates, analysed.settings]


@pytest.mark.parametrize("name", ["all_cells.mat", "galaxy_losses.txt", "studio_hidden.txt"])
def test_analyses(engine: Engine, name: str) -> None:
    match = formats.read(DATA / "mat" / name)
    check_numbers("analysis", name, judged(analyse(match, engine, plies=0)))


def test_analysis_of_money_and_beavers(engine: Engine) -> None:
    match = formats.read(DATA / "sgf" / "beavers.sgf")
    check_numbers("analysis", "beavers", judged(analyse(match, engine, plies=0)))
    sample: Match = formats.read(sample_match())
    few = replace(sample, games=sample.games[-2:])
    check_numbers("analysis", "sample", judged(analyse(few, engine, plies=0)))


@pytest.mark.parametrize(
    "name", ["sgf/analysed.sgf", "sgf/rollouts.sgf", "formats/match.xg", "formats/bgblitz_cube_jp.txt"]
)
def test_analyses_of_other_programs(name: str) -> None:
    match = formats.read(DATA / name)
    found = [sources(match), judged(foreign(match))]
    chances = with_chances(replace(match, games=match.games[:1]))
    values = [[a.cube, [play.value for play in a.plays[:2]]] for action in chances.games[0].actions[:9]
              for a in action.analyses]  # fmt: skip
    check_numbers("analysis", name, [found, values])


def test_ratings() -> None:
    analysed = foreign(formats.read(DATA / "sgf" / "analysed.sgf"))
    found: list[object] = [
        [absolute_fibs(s, length, base) for s in analysed.statistics for length, base in ((1, 2050.0), (5, 1900.0))],
        [luck_based_fibs(result, length) for result in (-0.6, -0.2, 0.0, 0.1, 0.45, 0.5) for length in (1, 7, 25)],
        [[rating_name(i / 1000), rating_name(i / 1000, "old"), pr_name(i / 2)] for i in range(60)],
        [luck_name(i / 500) for i in range(-60, 61)],
    ]
    check_numbers("analysis", "ratings", found)
