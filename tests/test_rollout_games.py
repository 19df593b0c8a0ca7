"""The games of rollouts as records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from test_command_answering import said

import sixprime as sp
from sixprime import formats
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.engine.trials import CUT, FINISHED, INDEX, PASSED
from sixprime.errors import EngineError
from sixprime.game.record import ActionKind
from sixprime.game.state import MatchState
from sixprime.game.table import Table


@pytest.fixture(scope="module")
def engine() -> Iterator[sp.Engine]:
    with sp.Engine(threads=1) as made:
        yield made


MATCH = MatchState(length=5, score=(2, 1), on_roll=0)


@pytest.mark.parametrize("branches", [1, 2])
@pytest.mark.parametrize("truncation", [0, 7])
def test_games_are_those_of_the_trials(engine: sp.Engine, truncation: int, branches: int) -> None:
    """By the rules, and with the ends, doubles and lengths that the trials count."""
    settings = RolloutSettings(trials=40, seed=4, truncation=truncation, branches=branches)
    result = engine.rollout_cube(sp.Position.start(), match=MATCH, settings=settings)
    games = list(engine.rollout_games(result, ("Ann", "Bob")))
    assert [(game.trial, game.alternative) for game in games] == [(n, a) for n in range(40) for a in (0, 1)]
    for each in games:
        counts = dict(zip(INDEX, result.raw[each.alternative].counts[each.trial].tolist(), strict=True))
        [game] = each.match.games
        kinds = [action.kind for action in game.actions]
        assert [player.name for player in each.match.players] == ["Ann", "Bob"]
        assert kinds.count(ActionKind.MOVE) == counts["turns"]
        assert kinds.count(ActionKind.TAKE) == counts["doublings"] + each.alternative
        doubles = counts["doubles"] + counts["their_doubles"] + each.alternative
        assert kinds.count(ActionKind.DOUBLE) == doubles
        assert (game.winner is None) == (counts["ending"] == CUT)
        assert (kinds[-1] is ActionKind.DROP) == (counts["ending"] == PASSED)
        if counts["ending"] == FINISHED:
            assert game.winner == (0 if counts["points"] > 0 else 1)
            assert game.points == abs(counts["points"]) * 2 ** kinds.count(ActionKind.TAKE)
        Table.from_record(each.match)


def test_games_of_plays_begin_with_the_play(engine: sp.Engine) -> None:
    start, dice = sp.Position.start(), (3, 1)
    plays = [ranked.play for ranked in engine.best_plays(start, dice, count=2)]
    settings = RolloutSettings(trials=5, seed=4, truncation=3, rotate=False)
    result = engine.rollout_plays(start, dice, plays, settings=settings)
    firsts = [game.match.games[0].actions[1:3] for game in engine.rollout_games(result)]
    assert [first.play for first, _ in firsts] == plays * 5
    assert [second.dice for _, second in firsts[::2]] == [second.dice for _, second in firsts[1::2]]
    assert len({second.dice for _, second in firsts}) > 1


def test_opening_rolls_are_no_doubles(engine: sp.Engine) -> None:
    settings = RolloutSettings(trials=60, seed=4, truncation=1, initial=True)
    result = engine.rollout(sp.Position.start(), settings=settings)
    dice = [game.match.games[0].actions[1].dice for game in engine.rollout_games(result)]
    assert all(first != second for first, second in dice if (first, second))
    assert np.unique(dice, axis=0).shape[0] == 30


def test_another_engine_does_not_know_the_games(engine: sp.Engine) -> None:
    result = engine.rollout(sp.Position.start(), settings=RolloutSettings(trials=2, truncation=1))
    with pytest.raises(EngineError, match="made by another"):
        engine.rollout_games(replace(result, engine="another"))


def test_logs(tmp_path: Path) -> None:
    """A file for each game, as `set rollout log' says; hints by rollout have their own."""
    before = [
        "set rollout trials 3",
        "set rollout cubedecision plies 0",
        "set rollout log on",
        "new match 3",
        "set turn 0",
    ]
    told = said(*before, f"set rollout logfile {tmp_path / 'log'}", "rollout =cube")
    assert told.startswith(f"6 games of the rollout written to {tmp_path / 'log'}-*.sgf\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"log-000000{n}-{a}.sgf" for n in range(3) for a in "ab"
    ]
    assert formats.read(tmp_path / "log-0000002-b.sgf").games[0].actions[1].kind is ActionKind.DOUBLE
    hints = "set evaluation chequerplay"
    lines = [f"{hints} type rollout", f"{hints} rollout trials 2", f"{hints} rollout log on", "set dice 3 1"]
    assert said(*before, *lines, f"{hints} rollout logfile {tmp_path / 'hint'}", "hint 2").startswith("4 games ")
    assert len(list(tmp_path.glob("hint-*.sgf"))) == 4
    file = tmp_path / "log-0000000-a.sgf"
    assert said(*before, f"set rollout logfile {file}/x", "rollout").startswith(f"{file}/x-0000000-a.sgf")
