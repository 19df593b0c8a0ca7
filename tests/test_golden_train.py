"""Golden answers of training: duels, harvests, a short run; and the limits of every setting of a recipe."""

from __future__ import annotations

import json
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from golden import check_numbers

from sixprime import Engine, kernels
from sixprime.cube.state import CubeState
from sixprime.errors import SettingsError
from sixprime.nets import file
from sixprime.play.duel import Duel, cubeful_money, cubeless_money, match_play
from sixprime.play.standing import StopRule
from sixprime.players.bot import Asked, Bot
from sixprime.players.lobby import Lobby
from sixprime.players.luck import Evaluator
from sixprime.train import harvest, recipe, selfplay
from sixprime.train.pipeline import Run

# Duels

KINDS = {
    "cubeless": cubeless_money(),
    "cubeful": cubeful_money(),
    "no jacoby": cubeful_money(False),
    "match": match_play(3),
}


@pytest.fixture(scope="module")
def lobby() -> Lobby:
    return Lobby(threads=1)


@pytest.fixture(scope="module")
def seats(lobby: Lobby, tmp_path_factory: pytest.TempPathFactory) -> tuple[Bot, Bot, Evaluator]:
    """The net that ships, one that has been shaken, and who judges luck."""
    nets = file.load()
    noise = 1 + 0.5 * np.random.default_rng(4).standard_normal(nets.contact.head.shape)
    contact = nets.contact._replace(head=(nets.contact.head * noise).astype(np.float32))
    path = tmp_path_factory.mktemp("nets") / "shaken.safetensors"
    file.save(path, {"contact": contact, "race": nets.race, "pruner": nets.pruner}, {"name": "shaken"})
    return lobby.bot("standard@0ply"), lobby.bot(str(path)), lobby.evaluator("standard")


@pytest.mark.parametrize("kind", KINDS)
def test_duels(seats: tuple[Bot, Bot, Evaluator], kind: str, tmp_path: Path) -> None:
    one, other, judge = seats
    duel = Duel((one, other), judge, KINDS[kind], seed=9, state=tmp_path / "duel.json")
    standing = duel.run(StopRule(pairs=4, clear=0))
    kept = json.loads((tmp_path / "duel.json").read_text())
    check_numbers("train", f"duel {kind}", [standing, kept["raw"], kept["luck"], kept["numbers"]])
    again = Duel((one, other), judge, KINDS[kind], seed=9, state=tmp_path / "duel.json")
    assert again.standing() == standing
    assert again.standing(2) == Duel((one, other), judge, KINDS[kind], seed=9).run(StopRule(pairs=2, clear=0))


def test_decisions_of_players(lobby: Lobby, seats: tuple[Bot, Bot, Evaluator]) -> None:
    """Plays, doubles, takes and the luck of all rolls, of mixed scores in one batch."""
    chance = np.random.default_rng(8)
    games = selfplay.SelfPlayGames.new(2, 24, variety=0.2)
    brain = Engine(threads=1).brain
    for _ in range(14):
        after = selfplay.best_plays(brain, games.boards, games.dice())[0]
        which, boards = games.random_plays(games.dice())
        after[which] = boards
        games.advance(after)
    states = [CubeState(), CubeState(jacoby=True), CubeState(2, 1), CubeState(1, 0, 5, (2, 4)),
              CubeState(2, 1, 7, (3, 6)), CubeState(limit=1)]  # fmt: skip
    asked = Asked(games.boards.copy(), states, chance.integers(0, len(states), 24).astype(np.int32))
    dice = games.dice()
    found: list[Any] = []
    for name in ("standard@0ply", "standard@1ply", "standard@beginner"):
        player = lobby.bot(name)
        found += [
            kernels.unpack(player.plays(asked, dice)).sum(axis=(0, 1)),
            player.doubles(asked),
            player.takes(asked),
        ]
        found += [player.name, player.room]
    found.append(seats[2].rolls(asked).mean(axis=1))
    found.append(seats[2].rolls(Asked(asked.boards, [CubeState(limit=1)], np.zeros(24, dtype=np.int32)))[:, ::5])
    check_numbers("train", "players", found)


# Lessons


def test_harvests() -> None:
    brain = Engine(threads=1).brain
    found: list[Any] = []
    usual: dict[str, Any] = {"trace": 0.8, "far": 0.97, "siblings": 1, "strays": 0}
    for changes in (
        {},
        {"trace": 0.3},
        {"far": 0.2},
        {"siblings": 0},
        {"siblings": 3, "strays": 1},
        {"keep": 3},
        {"cut": 2},
    ):
        games = selfplay.SelfPlayGames.new(3, 6, 0.5, 0.6, first=24)
        look = partial(selfplay.lookahead, brain)
        lessons = harvest.play_block(brain, games, look, **usual | changes)
        boards = lessons.boards.astype(np.int64)
        found += [len(boards), boards.sum(axis=0)[:26], lessons.targets.mean(axis=0), lessons.targets.std(axis=0)]
        found.append(harvest.is_back_game(lessons.boards).sum())
    check_numbers("train", "harvests", found, rel=1e-3)


RECIPE = """
name = "tiny"
seed = 3
[nets]
contact = {hidden = 6, rear = true, pairs = true}
race = {hidden = 3, rear = false, pairs = false}
pruner = {hidden = 3, rear = false, pairs = false}
back = {hidden = 4, rear = true, pairs = true}
[[stage]]
kind = "td"
positions = 1500
games = 50
rate = 0.02
final_rate = 0.005
variety = 0.3
rare = 0.4
"""


def test_a_short_run(tmp_path: Path) -> None:
    run = Run.start(tmp_path / "run", recipe.parse_recipe(RECIPE), threads=1)
    reports = []
    while run.advance(reports.append, every=60):
        pass
    [last] = reports
    arrays = file.to_arrays(run.nets)
    weights = [[name, float(np.abs(array.astype(np.float64)).mean())] for name, array in sorted(arrays.items())]
    header = {key: value for key, value in run.header().items() if key != "recipe"}
    check_numbers(
        "train", "run", [last.stage, last.kind, last.done, last.total, last.rate, last.error, weights, header], rel=1e-3
    )
    assert last.pace > 0
    assert last.lost is None


# Recipes

STAGES: dict[str, tuple[type, dict[str, Any]]] = {
    "td": (recipe.Td, {"positions": 10}),
    "harvest": (recipe.Harvest, {"positions": 10}),
    "learn": (recipe.Learn, {}),
}
LIMITS: dict[str, tuple[float, float]] = {
    "positions": (1, 10**12),
    "games": (1, 10**9),
    "rate": (1e-9, 1e3),
    "final_rate": (1e-9, 1e3),
    "row_factor": (1e-9, 1e3),
    "equity": (1e-9, 1e3),
    "near": (1e-9, 1e3),
    "margin": (0.0, 1e3),
    "difference": (0.0, 1e3),
    "variety": (0, 1),
    "rare": (0, 1),
    "trace": (0, 1),
    "far": (0, 1),
    "match": (0, 1),
    "keep": (0, 3072),
    "siblings": (0, 3072),
    "strays": (0, 3072),
    "cut": (0, 3072),
    "follow": (0, 3072),
    "epochs": (1, 10**6),
    "batch": (1, 10**6),
    "given": (1, 10**6),
    "harvests": (0, 10**6),
}


@pytest.mark.parametrize("kind", STAGES)
def test_limits_of_stages(kind: str) -> None:
    """Every number from its least to its most; texts and truth values are no numbers, nor the other way round."""
    stage, needed = STAGES[kind]
    for field in fields(stage):
        name = field.name
        if name not in LIMITS:
            for wrong in (1, 0.5, [] if name in ("mix", "only") else "x"):
                with pytest.raises(SettingsError, match=name):
                    stage(**{**needed, name: wrong})
            continue
        low, high = LIMITS[name]
        whole = isinstance(low, int) and high > 1
        for good in (low, high):
            assert getattr(stage(**{**needed, name: good}), name) == good
        for wrong in (
            low - 1 if whole else low - 1e-9,
            high + 1 if whole else high * 1.001,
            True,
            "1",
            None,
            float("nan"),
        ):
            with pytest.raises(SettingsError, match=name):
                stage(**{**needed, name: wrong})
        if whole:
            with pytest.raises(SettingsError, match=f"{name} must be a whole number"):
                stage(**{**needed, name: 2.5})


@pytest.mark.parametrize(
    ("old", "new", "good"),
    [
        ("seed = 3", "seed = 0", True),
        ("seed = 3", "seed = -1", False),
        ("seed = 3", f"seed = {10**12}", True),
        ("seed = 3", f"seed = {10**12 + 1}", False),
        ("hidden = 6", "hidden = 1", True),
        ("hidden = 6", "hidden = 0", False),
        ("hidden = 6", "hidden = 4096", True),
        ("hidden = 6", "hidden = 4097", False),
        ("hidden = 6", "hidden = 6, second = 0", True),
        ("hidden = 6", "hidden = 6, second = 1024", True),
        ("hidden = 6", "hidden = 6, second = 1025", False),
        ("hidden = 6", "hidden = 6, second = -1", False),
        ("hidden = 6", "hidden = 6, products = 1", False),
        ("rear = true", "rear = 1", False),
        ("pairs = true", 'pairs = "true"', False),
        ("pairs = true", "pair = true", False),
        ('name = "tiny"', "name = 5", False),
        ('kind = "td"', 'kind = "dt"', False),
        ("positions = 1500", "", False),
        ("games = 50", "game = 50", False),
    ],
)
def test_limits_of_recipes(old: str, new: str, good: bool) -> None:
    assert old in RECIPE
    text = RECIPE.replace(old, new, 1)
    if good:
        found = recipe.parse_recipe(text)
        assert [spec.hidden for spec in found.nets.values()][1:] == [3, 3, 4]
        assert found.text == text
        nets = found.random_nets()
        assert list(nets) == list(found.nets)
    else:
        with pytest.raises(SettingsError):
            recipe.parse_recipe(text)


def test_random_nets_differ() -> None:
    """By the seed, and each from the others."""
    one, two = (recipe.parse_recipe(RECIPE.replace("seed = 3", f"seed = {seed}")).random_nets() for seed in (3, 4))
    assert not np.array_equal(one["contact"].head, two["contact"].head)
    assert not np.array_equal(one["race"].rows, one["pruner"].rows)
    assert np.array_equal(
        two["contact"].head, recipe.parse_recipe(RECIPE.replace("seed = 3", "seed = 4")).random_nets()["contact"].head
    )
