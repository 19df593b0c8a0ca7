"""The engine plays hypergammon exactly: by its database, at any depth, with every cube."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from sixprime import Engine, MatchState, Position, kernels
from sixprime.analysis.analyse import analyse
from sixprime.bearoff import Databases
from sixprime.bearoff import hyper as databases
from sixprime.bearoff.hyper import Hyper, HyperValue, hyper
from sixprime.engine import PlayRequest
from sixprime.engine.hyper import judge
from sixprime.formats import read
from sixprime.game.ids import encode_xgid
from sixprime.kernels import ROLL_WEIGHTS, ROLLS, search

MATCH = """; [Variation "HyperGammon (2)"]
; [Jacoby "Off"]
; [Beaver "Off"]
0 point match

 Game 1
 Ann : 0                             Bob : 0
  1) 31: 24/20                       52: 24/22 23/18
  2) 64: 23/13                       61: 22/15
"""


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1, plies=2)


def after(value: HyperValue, *, jacoby: bool) -> float:
    """Money equity of who has just played and left a centred cube, from the values of the side on roll."""
    no_double = value.centred_jacoby if jacoby else value.centred
    return -max(no_double, min(2 * value.opponent, 1.0))


def best(here: Position, dice: tuple[int, int], *, jacoby: bool) -> dict[Position, float]:
    """The equity of every play of the rules, by the database."""
    ends = [play.result for play in here.plays(dice)] or [here.swapped()]
    return {end: after(hyper(here.chequers).value(end), jacoby=jacoby) for end in ends}


@pytest.mark.parametrize("jacoby", [True, False])
def test_a_game_of_best_plays(engine: Engine, jacoby: bool) -> None:
    random = np.random.default_rng(3)
    here, turns = Position.start("hypergammon2"), 0
    state = MatchState(jacoby=jacoby)
    while here.winner is None:
        dice = (int(random.integers(1, 7)), int(random.integers(1, 7)))
        ranked = engine.best_plays(here, dice, match=state, plies=turns % 4)
        wanted = best(here, dice, jacoby=jacoby)
        assert len(ranked) == len(wanted)
        for found in ranked:
            assert found.equity == pytest.approx(wanted[found.play.result], abs=1e-6)
        assert ranked[0].equity == pytest.approx(max(wanted.values()), abs=1e-6)
        [luck] = engine.luck_many([(here, dice, state)])
        if turns:
            mean = sum(
                weight / 36 * max(best(here, (int(a), int(b)), jacoby=jacoby).values())
                for (a, b), weight in zip(ROLLS, ROLL_WEIGHTS, strict=True)
            )
            assert luck == pytest.approx(max(wanted.values()) - mean, abs=1e-6)
        here, turns = ranked[0].play.result, turns + 1
    assert turns > 3


def test_cubes(engine: Engine) -> None:
    here = Position.start("hypergammon2")
    value = hyper(2).value(here)
    for state, wanted in (
        (MatchState(jacoby=False), value.centred),
        (MatchState(jacoby=True), value.centred_jacoby),
        (MatchState(cube=2, cube_owner=1), value.owned),
        (MatchState(cube=2, cube_owner=0), value.opponent),
        (MatchState(jacoby=True, cube_limit=1), 2 * value.probabilities[0] - 1),
        (MatchState(jacoby=False, cube_limit=1), value.cubeless),
    ):
        for plies in (0, 2):
            found = engine.evaluate(here, match=state, plies=plies)
            assert found.position_class == "hypergammon"
            assert found.probabilities == pytest.approx(value.probabilities)
            assert found.equity == pytest.approx(value.cubeless)
            assert found.cubeful_equity == pytest.approx(wanted, abs=1e-6)
    cube = engine.cube_action(here, match=MatchState(jacoby=False, beavers=0))
    assert cube.no_double == pytest.approx(value.centred)
    assert cube.double_take == pytest.approx(2 * value.opponent)
    assert cube.action == "No double, take"


def test_match_play(engine: Engine) -> None:
    here = Position.start("hypergammon2")
    value = hyper(2).value(here)
    last = engine.evaluate(here, match=MatchState(length=3, score=(2, 2)), plies=1)
    assert last.mwc == pytest.approx(value.probabilities[0])
    some = engine.cube_action(here, match=MatchState(length=7, score=(1, 3)))
    assert some.mwc_no_double is not None
    assert 0.3 < some.mwc_no_double < 0.7


def test_mixed_batches(engine: Engine) -> None:
    games = [Position.start(name) for name in ("hypergammon1", "standard", "hypergammon2", "nackgammon")]
    games.append(Position((0,) * 25, (1, *(0,) * 24), 2))
    together = engine.evaluate_many(games, plies=1)
    assert together == [engine.evaluate(here, plies=1) for here in games]
    assert [found.position_class for found in together][:3] == ["hypergammon", "contact", "hypergammon"]
    ranked = engine.rank_plays_many([PlayRequest(here, (3, 1)) for here in games[:4]], plies=1)
    assert [plays[0].play.result.chequers for plays in ranked] == [1, 15, 2, 15]


def test_analysis_gives_exact_errors(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "hyper.mat"
    path.write_text(MATCH)
    match = read(path)
    assert match.variant == "hypergammon2"
    plays = [decision for decision in analyse(match, engine, plies=0).games[0].decisions if decision.plays]
    assert len(plays) == 4
    for decision in plays:
        assert decision.dice is not None
        wanted = best(decision.position, decision.dice, jacoby=False)
        made = decision.plays[decision.played or 0].play.result
        assert decision.error == pytest.approx(max(wanted.values()) - wanted[made], abs=1e-6)


def test_three_chequers_without_their_database(engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "path_of", lambda chequers, gnubg=False: tmp_path / "none")
    monkeypatch.setattr(databases, "_opened", {})
    found = engine.evaluate(Position.start("hypergammon3"), plies=0)
    assert found.position_class == "contact"
    # A database in the folder is used at once; here one in which the start's numbers are known beforehand.
    values = np.zeros((3276, 3276, 9), dtype=np.float32)
    values.reshape(-1, 9)[Hyper(3, values.copy()).index(Position.start("hypergammon3"))] = np.arange(9) / 100
    database = Hyper(3, values)
    with pytest.raises(ValueError, match="read-only"):
        database.values[0, 0, 0] = 1
    monkeypatch.setitem(databases._opened, (3, False), database)
    found = engine.evaluate(Position.start("hypergammon3"), plies=2, match=MatchState(jacoby=False))
    assert found.position_class == "hypergammon"
    assert math.isclose(found.cubeful_equity, 0.06, abs_tol=1e-6)


def test_commands_say_it_in_words(sixprime, tmp_path: Path) -> None:
    status, out, _ = sixprime("bearoff", "show", Position.start("hypergammon1").id, "--hyper", "1")
    value = hyper(1).value(Position.start("hypergammon1"))
    assert status == 0
    assert f"Wins {100 * value.probabilities[0]:.2f} %" in out
    assert f"Cube centred                   {value.centred:+.4f}" in out
    match = tmp_path / "hyper.mat"
    match.write_text(MATCH)
    status, out, err = sixprime("analyse", str(match), "--plies", "0")
    assert status == 0
    assert "do not trust" not in err
    assert "Ann" in out
    match.write_text(MATCH.replace("HyperGammon (2)", "HyperGammon"))
    status, _, err = sixprime("analyse", str(match), "--plies", "0")
    assert "sixprime bearoff build hyper 3 for exact ones" in err


def test_hints_and_cubes_say_what_the_database_says(sixprime) -> None:
    random, here = np.random.default_rng(5), Position.start("hypergammon2")
    money, words = MatchState(jacoby=False, beavers=0), ("--chequers", "2", "--json")
    for _ in range(6):
        dice = (int(random.integers(1, 7)), int(random.integers(1, 7)))
        wanted, value = best(here, dice, jacoby=False), hyper(2).value(here)
        told = json.loads(sixprime("hint", encode_xgid(here, money.with_dice(dice)), *words, "--count", "100").out)
        assert {play["position_id"] or "": play["equity"] for play in told["plays"]} == {
            end.id: pytest.approx(equity, abs=1e-6) for end, equity in wanted.items()
        }
        cube = json.loads(sixprime("eval", encode_xgid(here, money), *words).out)["cube"]
        assert cube["no_double"] == pytest.approx(value.centred, abs=1e-6)
        assert cube["double_take"] == pytest.approx(2 * value.opponent, abs=1e-6)
        here = Position.from_id(told["plays"][0]["position_id"], chequers=2)


def test_games_that_are_over_have_their_own_class() -> None:
    def side(**points: int) -> tuple[int, ...]:
        return tuple(points.get(f"p{point}", 0) for point in range(1, 26))

    for opponent, player, over in (
        (side(p3=2), side(p4=1, p25=1), False),
        (side(p25=2), side(p4=2), False),
        (side(), side(p4=2), True),
        (side(p3=2), side(), True),
    ):
        judged = judge(Databases.standard(), kernels.pack(Position(opponent, player, 2).board[None], 2))
        assert judged is not None
        assert bool(judged[1][0] == search.OVER) is over
