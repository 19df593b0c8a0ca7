"""Temperature maps, score maps, market losers and cube levels, beside the plain calls of the engine one by one."""

from __future__ import annotations

import json
import math
import re
import threading
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sixprime import Engine, InvalidPositionError, MatchState, Position, SettingsError, parse, parse_play
from sixprime.bearoff.databases import Databases
from sixprime.cube.market import gammon_values, money_points
from sixprime.cube.state import CubeState
from sixprime.errors import StoppedError
from sixprime.game.play import legal_plays_reference
from sixprime.game.rules import ROLLS, ways
from sixprime.report import maps
from sixprime.theory import (
    cube_levels,
    cube_theory,
    market_losers,
    reply_maps,
    score_map,
    temperature_map,
)
from sixprime.theory.losers import WEIGHTS

START = Position.start()
MIDDLE = Position.from_id("4HPMwQCMz+AIIQ")
BLITZ = parse("XGID=aa--BBBBB---eC---c-e--AA--:0:0:1:00:0:0:3:0:10").position
MATCH = MatchState(length=7, score=(2, 1), on_roll=0)
OWNED = MatchState(length=7, score=(2, 1), on_roll=0, cube=2, cube_owner=0)


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(threads=1, plies=0, databases=Databases.standard())


# Temperature maps.


@pytest.mark.parametrize("state", [MatchState(), MATCH])
def test_every_roll_is_its_best_play(engine: Engine, state: MatchState) -> None:
    found = temperature_map(engine, MIDDLE, match=state)
    assert [roll.dice for roll in found.rolls] == list(ROLLS)
    assert sum(ways(roll.dice) for roll in found.rolls) == 36
    for roll in found.rolls:
        best = engine.best_plays(MIDDLE, roll.dice, match=state)[0]
        assert roll.play.play == best.play
        assert roll.equity == pytest.approx(best.equity, abs=1e-12)
        assert (roll.mwc is None) == state.money
        assert found.of(*roll.dice) is found.of(*roll.dice[::-1]) is roll
    throws = [found.of(a, b).equity for a in range(1, 7) for b in range(1, 7)]
    assert found.mean == pytest.approx(np.mean(throws))
    assert found.deviation == pytest.approx(np.std(throws))


@pytest.mark.parametrize("state", [MatchState(), MATCH, OWNED])
def test_the_mean_of_a_map_is_the_equity_one_ply_deeper(engine: Engine, state: MatchState) -> None:
    """A search of one ply is the mean over the rolls; only its choice of replies may differ a little."""
    mean = temperature_map(engine, MIDDLE, match=state).mean
    assert mean == pytest.approx(engine.cube_action(MIDDLE, match=state, plies=1).no_double, abs=8e-3)


def test_luck_is_the_distance_from_the_mean(engine: Engine) -> None:
    """Luck looks at fewer replies."""
    found = temperature_map(engine, MIDDLE, match=MATCH)
    luck = engine.luck_many([(MIDDLE, dice, MATCH) for dice in ROLLS])
    for roll, value in zip(found.rolls, luck, strict=True):
        assert roll.equity - found.mean == pytest.approx(value, abs=3e-2)


@pytest.mark.parametrize("state", [MatchState(), MATCH])
def test_replies_are_the_opponents_map_turned_round(engine: Engine, state: MatchState) -> None:
    found = reply_maps(engine, START, (3, 1), 2, match=state)
    ranked = engine.best_plays(START, (3, 1), match=state)
    assert [each.play and each.play.play for each in found] == [play.play for play in ranked[:2]]
    for each, play in zip(found, ranked, strict=False):
        theirs = temperature_map(engine, play.play.result, match=state.swapped())
        assert each.mean == pytest.approx(-theirs.mean)
        for mine, other in zip(each.rolls, theirs.rolls, strict=True):
            assert mine.equity == pytest.approx(-other.equity)
            assert mine.play.play == other.play.play
            if mine.mwc is not None and other.mwc is not None:
                assert mine.mwc == pytest.approx(1 - other.mwc)


def test_replies_to_named_plays(engine: Engine) -> None:
    wanted = [parse_play(text, START, (3, 1)) for text in ("24/20", "8/5 6/5")]
    found = reply_maps(engine, START, (3, 1), wanted)
    assert [str(each.play and each.play.play) for each in found] == ["8/5 6/5", "24/20"]
    with pytest.raises(SettingsError):
        reply_maps(engine, START, (3, 1), [])
    with pytest.raises(SettingsError):
        reply_maps(engine, START, (3, 1), 0)
    with pytest.raises(SettingsError):
        reply_maps(engine, START, (3, 1), [parse_play("24/18(2) 13/7(2)", START, (6, 6))])


def test_maps_of_games_that_are_over(engine: Engine) -> None:
    over = Position((0,) * 25, (1,) + (0,) * 24)
    for ask in (temperature_map, score_map, market_losers):
        with pytest.raises(InvalidPositionError, match="the game is over"):
            ask(engine, over)
    last = Position((1,) + (0,) * 24, (1,) + (0,) * 24)
    with pytest.raises(InvalidPositionError, match="nothing to roll"):
        reply_maps(engine, last, (3, 1))
    assert temperature_map(engine, last).mean == 1.0


def test_old_dice_and_offers_do_not_count(engine: Engine) -> None:
    plain = temperature_map(engine, MIDDLE, match=MATCH)
    told = temperature_map(engine, MIDDLE, match=replace(MATCH, dice=(6, 6)))
    assert told == plain


# Score maps.


@pytest.mark.parametrize("on_roll", [0, 1])
def test_score_maps_of_cubes_are_the_decisions_at_the_scores(engine: Engine, on_roll: int) -> None:
    found = score_map(engine, BLITZ, match=MatchState(on_roll=on_roll), aways=(2, 4, 7))
    assert [len(row) for row in found.cells] == [3, 3, 3]
    for mine, row in zip((2, 4, 7), found.cells, strict=True):
        for theirs, cell in zip((2, 4, 7), row, strict=True):
            assert cell.away == (mine, theirs)
            assert (cell.state.away(on_roll), cell.state.away(1 - on_roll)) == (mine, theirs)
            score = (9 - mine, 9 - theirs) if on_roll == 0 else (9 - theirs, 9 - mine)
            elsewhere = MatchState(length=9, score=score, on_roll=on_roll)
            alone = engine.cube_action(BLITZ, match=elsewhere)
            assert cell.cube is not None
            assert cell.cube.action == alone.action
            assert cell.cube.no_double == pytest.approx(alone.no_double, abs=1e-9)
            assert cell.cube.double_take == pytest.approx(alone.double_take, abs=1e-9)
            assert cell.margin == pytest.approx(alone.after_double - alone.no_double, abs=1e-9)


def test_scores_after_the_crawford_game(engine: Engine) -> None:
    found = score_map(engine, START, match=MatchState(cube=2, cube_owner=0), aways=(1, 2, 3))
    assert found.cells[0][0].state.cube == 1
    for theirs, leading in enumerate(found.cells[0][1:], 2):
        assert leading.name == f"1-away {theirs}-away post-Crawford"
        assert not leading.state.crawford
        assert leading.cube is not None
        assert leading.margin == 0  # a cube that is dead for its owner
    cell = score_map(engine, START, aways=(2, 1)).cells[0][1]
    alone = engine.cube_action(START, match=MatchState(length=2, score=(0, 1), on_roll=0), deepen=False)
    assert cell.cube is not None
    assert cell.cube.available
    assert cell.cube.double_take == pytest.approx(alone.double_take, abs=1e-9)
    assert cell.cube.action == alone.action
    assert "1 away: after the Crawford game" in maps.score_svg(found)
    assert "1 away" not in maps.score_svg(score_map(engine, START, aways=(2,)))


def test_maps_of_few_scores_have_room_for_their_words(engine: Engine) -> None:
    few, many = (maps.score_svg(score_map(engine, START, aways=range(2, most))) for most in (4, 12))
    widths = [int(re.findall(r'viewBox="0 0 (\d+) ', text)[0]) for text in (few, many)]
    end = re.findall(r'x="(\d+)" y="\d+">(away: [^<]*)<', few)[0]
    assert widths[1] > widths[0] > int(end[0]) + 6 * len(end[1])


def test_special_scores(engine: Engine) -> None:
    found = {cell.name: cell for cell in score_map(engine, BLITZ, aways=(2,)).special}
    assert list(found) == ["money, Jacoby", "money", "DMP", "gammon-go", "gammon-save"]
    assert found["money, Jacoby"].state.jacoby
    assert not found["money"].state.jacoby
    values = {name: gammon_values(CubeState.from_match(cell.state))[0] for name, cell in found.items()}
    assert values == pytest.approx(
        {"money, Jacoby": 0, "money": 0.5, "DMP": 0, "gammon-go": values["gammon-go"], "gammon-save": 0}
    )
    assert values["gammon-go"] > 0.5
    against = gammon_values(CubeState.from_match(found["gammon-save"].state).swapped())[0]
    assert against == pytest.approx(values["gammon-go"])
    for name in ("DMP", "gammon-go", "gammon-save"):
        cell = found[name]
        assert cell.cube is not None
        assert not cell.cube.available
        assert cell.margin == 0
    owned = score_map(engine, BLITZ, match=MatchState(cube=2, cube_owner=1, on_roll=1), aways=(3,))
    assert [cell.name for cell in owned.special] == ["money", "DMP", "gammon-go", "gammon-save"]


def test_score_maps_of_plays(engine: Engine) -> None:
    found = score_map(engine, START, (2, 1), aways=(2, 5))
    assert found.dice == (2, 1)
    for cell in found.all_cells:
        best, second = engine.best_plays(START, (2, 1), match=cell.state)[:2]
        assert [play.play for play in cell.plays] == [best.play, second.play]
        assert cell.margin == pytest.approx(second.equity_loss, abs=1e-12)
    forced = score_map(engine, Position((2,) + (0,) * 24, (1,) + (0,) * 24), (6, 5), aways=(2,))
    assert all(cell.margin == 0 and len(cell.plays) == 1 for cell in forced.all_cells)


@pytest.mark.parametrize("aways", [(0, 2), (26,), (3, 3), ()])
def test_scores_that_there_are_not(engine: Engine, aways: tuple[int, ...]) -> None:
    with pytest.raises(SettingsError, match="aways must be"):
        score_map(engine, START, aways=aways)


# Market losers.


def losers_one_by_one(engine: Engine, position: Position, state: MatchState) -> tuple[float, float]:
    """Share and mean excess by the calls for single positions."""
    share = total = 0.0
    for mine in ROLLS:
        first = engine.best_plays(position, mine, match=state)[0].play.result
        for theirs in ROLLS:
            chance = ways(mine) * ways(theirs) / 1296
            second = engine.best_plays(first, theirs, match=state.swapped())[0].play.result
            cube = engine.cube_action(second, match=state)
            if cube.double_take > 1:
                share += chance
                total += chance * (cube.double_take - 1)
    return share, total / share


@pytest.mark.parametrize(("position", "state"), [(BLITZ, MATCH), (MIDDLE.swapped(), MatchState(cube=2, cube_owner=1))])
def test_market_losers_one_by_one(engine: Engine, position: Position, state: MatchState) -> None:
    found = market_losers(engine, position, match=state)
    if not found.share:
        assert not found.excess.any()
        return
    share, excess = losers_one_by_one(engine, position, state)
    assert found.share == pytest.approx(share, abs=1e-12)
    assert found.mean_excess == pytest.approx(excess, abs=1e-9)
    assert found.share == pytest.approx(float(np.average(found.by_roll, weights=WEIGHTS.sum(axis=1))))


def test_market_losers_where_games_end(engine: Engine) -> None:
    """Two chequers against one: 36 throws decide, and what is lost can be counted by hand."""
    two = Position((1,) + (0,) * 24, (0,) * 5 + (2,) + (0,) * 19)  # the opponent bears off with any roll
    found = market_losers(engine, two, match=MatchState(jacoby=False))
    wins = sum(ways(dice) for dice in ROLLS if any(p.result.winner == 0 for p in legal_plays_reference(two, dice))) / 36
    assert wins == 4 / 36
    assert found.share == pytest.approx(wins)
    assert set(np.unique(found.double_take)) == {-2.0, 2.0}
    assert found.mean_excess == pytest.approx(1.0)
    assert found.no_double[found.lost].tolist() == [1.0] * 4 * 21
    # In the last game of a match, where a win is all, doubling cannot gain.
    with pytest.raises(SettingsError, match="cannot double"):
        market_losers(engine, two, match=MatchState(length=1))


def test_gammons_of_games_that_end_count_once_doubled(engine: Engine) -> None:
    gammon = Position((0,) * 22 + (15, 0, 0), (1,) + (0,) * 24)
    for jacoby, single in ((True, 1.0), (False, 3.0)):
        found = market_losers(engine, gammon, match=MatchState(jacoby=jacoby))
        assert found.share == 1.0
        assert np.unique(found.no_double).tolist() == [single]
        assert np.unique(found.double_take).tolist() == [6.0]


# Cube levels.


def test_levels_for_money_are_the_closed_forms(engine: Engine) -> None:
    found = cube_levels(engine, MIDDLE, match=MatchState(jacoby=False))
    dead, live = money_points(found.evaluation.probabilities)
    for level in (each for each in found.levels if each.side > 0):
        first, second = level.windows
        assert (first.kind, second.kind) == ("dead", "live")
        assert first.opens == pytest.approx(dead.initial_double if level.cube == 2 else dead.redouble)
        assert first.closes == pytest.approx(dead.cash)
        assert second.closes == pytest.approx(live.cash)
        assert level.gammons == (0.5, 1.0)
    assert [(level.cube, level.side) for level in found.levels] == [(2, 1), (2, -1), (4, 1), (4, -1), (8, 1), (8, -1)]


def test_the_level_of_the_cube_as_it_is(engine: Engine) -> None:
    """Says what the theory of the decision says."""
    for state, cube in ((MATCH, 2), (OWNED, 4)):
        theory = cube_theory(engine, MIDDLE, match=state)
        level = next(each for each in cube_levels(engine, MIDDLE, match=state).levels
                     if (each.cube, each.side) == (cube, 1))  # fmt: skip
        assert level.windows == theory.windows
        assert level.gammons == theory.gammon_values
        assert level.after == theory.doubled_gammon_values


def test_levels_know_the_volatility_of_the_position() -> None:
    """As the theory of the decision does: a model that goes by it is told it."""
    local = Engine(threads=1, cube_model="jump-local")
    theory = cube_theory(local, MIDDLE, plies=0)
    level = next(each for each in cube_levels(local, MIDDLE, plies=0).levels if (each.cube, each.side) == (2, 1))
    assert level.points == theory.models[0].points


def test_levels_that_the_score_makes_impossible(engine: Engine) -> None:
    found = cube_levels(engine, MIDDLE, match=MatchState(length=3, score=(1, 1), on_roll=0))
    by_level = {(level.cube, level.side): level for level in found.levels}
    assert by_level[2, 1].windows
    assert by_level[4, 1].windows == ()
    assert by_level[4, 1].points is by_level[4, 1].after is None
    with pytest.raises(SettingsError, match="levels must be a power of two"):
        cube_levels(engine, MIDDLE, levels=(3,))


def test_the_legend_of_levels_has_room(engine: Engine) -> None:
    """At this score the opponent redoubles at once, which is a third kind of window."""
    drawn = maps.levels_svg(cube_levels(engine, MIDDLE, match=MatchState(length=7, score=(0, 3), on_roll=0)))
    assert "dead, redoubled cube" in drawn
    [width] = re.findall(r'<svg[^>]* viewBox="0 0 (\d+)', drawn)
    [begins] = re.findall(r'x="(\d+)"[^>]*>this position', drawn)
    assert int(begins) + 80 < int(width)


def test_the_sides_of_a_level_are_alike_in_a_symmetrical_position(engine: Engine) -> None:
    found = cube_levels(engine, START, match=MatchState(length=7, score=(3, 3)))
    for mine, theirs in zip(found.levels[::2], found.levels[1::2], strict=True):
        assert mine.gammons == pytest.approx(theirs.gammons)


# All of them.


def test_maps_can_be_stopped(engine: Engine) -> None:
    stop = threading.Event()
    stop.set()
    for ask in (temperature_map, score_map, market_losers, cube_levels):
        with pytest.raises(StoppedError):
            ask(engine, MIDDLE, plies=2, stop=stop)


def test_maps_tell_how_far_they_are(engine: Engine) -> None:
    told: list[Any] = []
    market_losers(engine, MIDDLE, plies=1, progress=told.append)
    done = [step.done for step in told]
    assert done == sorted(done)
    assert all(step.done <= step.total == 904 for step in told)


def finite(value: object) -> bool:
    """Whether JSON can hold it all."""
    match value:
        case dict():
            return all(map(finite, value.values()))
        case list() | tuple():
            return all(map(finite, value))
        case float():
            return math.isfinite(value)
    return value is None or isinstance(value, (str, int))


Asked = dict[str, tuple[Any, Callable[[Any], Any], Callable[..., None], Callable[[Any], str]]]


@pytest.fixture(scope="module")
def asked(engine: Engine) -> Asked:
    many = reply_maps(engine, START, (3, 1), 4, match=MATCH)
    score = (maps.score_to_dict, maps.render_score, maps.score_svg)
    told = (lambda found: [maps.temperature_to_dict(each) for each in found], maps.render_temperature)
    return {
        "rolls": ([temperature_map(engine, MIDDLE)], *told, maps.temperature_svg),
        "replies": (many, *told, maps.temperature_svg),
        "cubes": (score_map(engine, BLITZ), *score),
        "plays": (score_map(engine, START, (2, 1), match=OWNED, aways=(2, 5, 21)), *score),
        "losers": (market_losers(engine, BLITZ, match=MATCH), maps.losers_to_dict, maps.render_losers, maps.losers_svg),
        "none": (market_losers(engine, MIDDLE), maps.losers_to_dict, maps.render_losers, maps.losers_svg),
        "levels": (cube_levels(engine, BLITZ, match=MATCH), maps.levels_to_dict, maps.render_levels, maps.levels_svg),
    }


@pytest.mark.parametrize("name", ["rolls", "replies", "cubes", "plays", "losers", "none", "levels"])
def test_maps_as_json_text_and_picture(asked: Asked, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found, to_dict, render, draw = asked[name]
    assert finite(json.loads(json.dumps(to_dict(found), allow_nan=False)))
    render(found)
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    drawn = draw(found)
    root = ET.fromstring(drawn)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    for box in root.iter("{http://www.w3.org/2000/svg}rect"):
        x, y, across, down = (float(box.attrib.get(key, 0)) for key in ("x", "y", "width", "height"))
        assert 0 <= x <= x + across <= width
        assert 0 <= y <= y + down <= height
    titles = [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}title")]
    assert len(titles) > 5


def test_maps_say_what_was_rolled_out(asked: Asked, capsys: pytest.CaptureFixture[str]) -> None:
    """With a level that rolls out what is close, some values are searched and some are not."""
    [rolls], cubes, plays, losers = (asked[name][0] for name in ("rolls", "cubes", "plays", "losers"))
    first, money, best = rolls.rolls[0], cubes.special[0], plays.special[0].plays
    rolled = replace(first, play=replace(first.play, trials=72))
    for name, found in (
        ("rolls", replace(rolls, rolls=(rolled, *rolls.rolls[1:]))),
        ("cubes", replace(cubes, special=(replace(money, cube=replace(money.cube, trials=72)), *cubes.special[1:]))),
        ("plays", replace(plays, special=(replace(plays.special[0], plays=(replace(best[0], trials=72),)),))),
        ("losers", replace(losers, now=replace(losers.now, trials=72))),
    ):
        _, _, render, draw = asked[name]
        shown = [found] if name == "rolls" else found
        render(shown)
        assert "0-ply or rollout of 72 games" in " ".join(capsys.readouterr().out.split())
        assert "0-ply or rollout of 72 games" in draw(shown)


def test_squares_say_their_values(asked: Asked) -> None:
    drawn = maps.temperature_svg(asked["rolls"][0])
    found = asked["rolls"][0][0]
    squares = [each for each in ET.fromstring(drawn).iter() if "data-dice" in each.attrib]
    assert len(squares) == 36
    for square in squares:
        first, second = map(int, square.attrib["data-dice"])
        assert float(square.attrib["data-equity"]) == pytest.approx(found.of(first, second).equity, abs=1e-6)
    pairs = ET.fromstring(maps.losers_svg(asked["losers"][0])).iter()
    assert sum("data-reply" in each.attrib for each in pairs) == 441


# The command.


@pytest.mark.parametrize(("words", "keys"), [
    (["temperature", "4HPwATDgc/ABMA"], {"maps"}),
    (["temperature", "4HPwATDgc/ABMA", "31", "--count", "2"], {"maps"}),
    (["score", "4HPwATDgc/ABMA", "--away", "3,5"], {"scores", "aways", "dice"}),
    (["score", "4HPwATDgc/ABMA", "2", "1", "--away", "3"], {"scores"}),
    (["losers", "4HPwATDgc/ABMA:cIkFAAAAAAAA"], {"share", "mean_excess", "rolls"}),
    (["levels", "4HPwATDgc/ABMA", "--to", "2,4"], {"levels", "model"}),
])  # fmt: skip
def test_commands(words: list[str], keys: set[str], sixprime: Any, tmp_path: Path) -> None:
    for suffix in ("svg", "png"):
        if suffix == "png":
            pytest.importorskip("resvg_py")
        target = tmp_path / f"map.{suffix}"
        status, out, err = sixprime("map", *words, "--plies", "0", "--json", "-o", str(target))
        assert (status, err) == (0, f"Picture: {target}\n")
        assert keys <= json.loads(out).keys()
        start = target.read_bytes()[:8]
        assert start.startswith(b"<svg") if suffix == "svg" else start == b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(("words", "status", "said"), [
    (["score", "4HPwATDgc/ABMA", "--away", "x"], 2, "--away is a number or several with commas"),
    (["score", "4HPwATDgc/ABMA", "--away", "1"], 2, "--away is a number from 2 to 25, or several different ones"),
    (["score", "4HPwATDgc/ABMA", "--away", "40"], 2, "got '40'"),
    (["levels", "4HPwATDgc/ABMA", "--to", "6"], 2, "--to must be a power of two"),
    (["levels", "4HPwATDgc/ABMA", "--to", "2,3"], 2, "--to must be a power of two"),
    (["losers", "4HPwATDgc/ABMA:cIkFAAAAAAAA", "-o", "x.gif"], 2, "--picture writes a file that ends in .svg or .png"),
    (["losers", "4HPwATDgc/ABMA:QQkAAAAAAAAA"], 2, "the player on roll cannot double"),
])  # fmt: skip
def test_wrong_words(words: list[str], status: int, said: str, sixprime: Any) -> None:
    found, out, err = sixprime("map", *words, "--plies", "0")
    assert found == status
    assert said in err
    assert err.count("\n") == 1
    assert out == ""
