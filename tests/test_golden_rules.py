"""Golden answers where whole numbers and words come out: IDs and notation, diagrams, sizes, training positions."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from golden import Spelled, check

from sixprime import MatchState, Position, SixprimeError
from sixprime.analysis.thresholds import Thresholds
from sixprime.bearoff import Normal, OneSided, TwoSided, hyper, kinds, sizes
from sixprime.cube import met
from sixprime.cube.decision import decide
from sixprime.cube.jump import JumpModel
from sixprime.cube.model import CubeModel
from sixprime.cube.state import CubeState
from sixprime.engine import filters, presets
from sixprime.engine.noise import Noise
from sixprime.engine.rollout_dice import Dice
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.game import codes, ids
from sixprime.game.fibs import decode_fibs_board, encode_fibs_board
from sixprime.game.ogid import decode_ogid, encode_ogid
from sixprime.game.play import apply_steps, format_steps, legal_plays_reference, parse_play, parse_steps
from sixprime.game.state import GameState
from sixprime.game.variants import VARIANTS
from sixprime.train import curve, race_lessons, recipe, starts, strength
from sixprime.train.selfplay import SelfPlayGames


def said(work: Callable[[], object]) -> str:
    """The answer, or which error it was."""
    try:
        return repr(work())
    except SixprimeError as error:
        return type(error).__name__


def met_at_random(count: int) -> list[tuple[Position, MatchState]]:
    """Positions and states of random games of all variants."""
    chance = random.Random(5)
    found = []
    for number in range(count):
        position = Position.start(list(VARIANTS)[number % len(VARIANTS)])
        for _ in range(chance.randrange(60)):
            plays = legal_plays_reference(position, (chance.randint(1, 6), chance.randint(1, 6)))
            if not plays:
                position = position.swapped()
            elif position.winner is None:
                position = chance.choice(plays).result
        length = chance.choice([0, 0, 1, 5, 11, 25])
        offered = chance.random() < 0.15
        state = MatchState(
            length=length,
            score=(chance.randrange(max(length, 1)), chance.randrange(max(length, 1))) if length else (0, 0),
            cube=2 ** chance.choice([0, 0, 1, 2, 6]),
            cube_owner=chance.choice([None, 0, 1]),
            on_roll=chance.randrange(2),
            crawford=length > 0 and chance.random() < 0.2,
            jacoby=chance.random() < 0.5,
            beavers=chance.choice([0, 1, 3]),
            dice=None if offered else chance.choice([None, (3, 1), (6, 6), (2, 5)]),
            doubled=offered,
            beavered=chance.randrange(3) if offered and not length else 0,
            resigned=0 if offered else chance.choice([0, 0, 0, 1, 2, 3]),
            game_state=chance.choice([GameState.PLAYING, GameState.PLAYING, GameState.OVER, GameState.DROPPED]),
            cube_limit=chance.choice([1024, 1024, 64, 1]),
        )
        found.append((position, state))
    return found


def spoilt(text: str, chance: random.Random) -> str:
    """The text with one to three characters changed, dropped or doubled."""
    for _ in range(chance.choice([1, 1, 2, 3])):
        place = chance.randrange(len(text) + 1)
        letter = chance.choice([text[place : place + 1] * 2, "", "0", "1", "7", "A", "z", ":", "-", " ", "/", "*", "b"])
        text = text[:place] + letter + text[place + 1 :]
    return text


WRITERS: dict[str, tuple[Callable[[Position, MatchState], str], Callable[[str], object]]] = {
    "gnubg": (ids.gnubg_id, lambda text: Spelled(ids.parse(text))),
    "xgid": (ids.encode_xgid, lambda text: Spelled(ids.parse(text))),
    "decoded xgid": (ids.encode_xgid, ids.decode_xgid),
    "ogid": (encode_ogid, decode_ogid),
    "fibs": (encode_fibs_board, decode_fibs_board),
    "match": (lambda _, state: state.match_id, MatchState.from_match_id),
    "position": (lambda position, _: position.id, codes.decode_position_id),
}


@pytest.mark.parametrize("name", WRITERS)
def test_ids(name: str) -> None:
    write, read = WRITERS[name]
    chance = random.Random(name)
    written = [said(lambda p=p, s=s: write(p, s)) for p, s in met_at_random(60)]
    texts = [text.strip("'") for text in written]
    damaged = [spoilt(text, chance) for text in texts for _ in range(5)]
    check("rules", f"ids-{name.replace(' ', '-')}", [
        "\n".join(written),
        "\n".join(said(lambda text=text: read(text)) for text in texts),
        "\n".join(said(lambda text=text: read(text)) for text in damaged),
    ])  # fmt: skip


def test_positions_and_states() -> None:
    told = []
    for position, state in met_at_random(60):
        told += [position.diagram(), str((position.status, position.winner, position.pips, position.off))]
        told.append(said(lambda p=position: p.result))
        told.append(repr((state, state.swapped(), state.offered(), state.taken(), state.decider, state.post_crawford)))
        told.append(said(lambda s=state: [CubeState.from_match(s), CubeState.from_match(s, alike=True).swapped()]))
        told.append(said(lambda s=state: CubeState.from_match(s).doubled()))
        told.append(said(lambda s=state: (CubeState.from_match(s).can_double, CubeState.from_match(s).dead_cube)))
    check("rules", "positions", ["\n".join(told)])


def test_notation() -> None:
    chance = random.Random(8)
    told: list[str] = []
    for position, _ in met_at_random(80):
        dice = chance.randint(1, 6), chance.randint(1, 6)
        plays = legal_plays_reference(position, dice)
        told.append(" ".join(sorted(str(play) for play in plays)))
        for play in chance.sample(plays, min(3, len(plays))):
            steps = [(step.start, step.end) for step in play.steps]
            told.append(format_steps(play.steps))
            told.append(said(lambda p=position, s=steps: apply_steps(p, s).id))
            for text in (str(play), spoilt(str(play), chance), spoilt(str(play), chance)):
                told.append(said(lambda t=text, p=position, d=dice: parse_play(t, p, d)))
                told.append(said(lambda t=text: parse_steps(t)))
    check("rules", "notation", ["\n".join(told)])


def test_filters_and_levels() -> None:
    told = [repr(filters.FILTERS), repr(presets.PRESETS)]
    equities = np.array([0.4, 0.39, 0.31, 0.3, 0.25, 0.1, 0.02, -0.2, -0.5])
    for moves in filters.FILTERS.values():
        told += [moves.text, repr(moves), repr(filters.get_filter(moves.text) == moves)]
        for plies in range(1, 5):
            for ply in range(plies):
                level = moves.level(ply, plies)
                told.append("None" if level is None else f"{level} {level.survivors(equities)}")
    check("rules", "filters", ["\n".join(told)])


def test_dice_of_rollouts() -> None:
    told = [str([Dice(seed=seed, **options).throws(np.arange(40), turn).tolist() for turn in range(6)])
            for seed in (1, 9) for options in ({}, {"rotate": False}, {"initial": True})]  # fmt: skip
    check("rules", "dice", told)


def test_cube_actions() -> None:
    grid = [-2.5, -2.0, -1.0, -0.3, 0.0, 0.2, 0.5, 0.9, 1.0, 1.3, 2.0]
    states = [CubeState(), CubeState(jacoby=True, beavers=3), CubeState(2, 1), CubeState(2, -1), CubeState(limit=1)]
    states += [CubeState(1, 0, 5, (2, 3)), CubeState(2, 1, 5, (2, 4)), CubeState(1, 0, 5, (1, 3), crawford=True)]
    told = [
        repr(decide(no_double, take, state, gammons=gammons)) + decide(no_double, take, state).text
        for state in states
        for gammons in (True, False)
        for no_double in grid
        for take in grid
    ]
    check("rules", "cube-actions", ["\n".join(told)])


def test_sizes_of_databases(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    told = [repr([(row, row.as_dict(), row.text, row.gnubg_text) for row in rows])
            for rows in (sizes.one_sided_sizes(), sizes.two_sided_sizes(), sizes.one_sided_sizes(8),
                         sizes.two_sided_sizes(4))]  # fmt: skip
    told += [repr([hyper.position_counts(n), hyper.memory_needed(n), hyper.disk_needed(n)]) for n in (1, 2, 3)]
    for kind in kinds.KINDS.values():
        told.append(f"{kind.name} {kind.usual} {kind.form}")
        told += [
            said(lambda t=text, k=kind: k.parse(t)) for text in ("15x6", "6x6", "3", "2", "15x18", "4x2", "x", "16x1")
        ]
        for text in ("15x6", "6x6", "15x11", "3", "2"):
            told.append(said(lambda t=text, k=kind: (k.positions(*k.parse(t)), k.needs(*k.parse(t)))))
    check("rules", "sizes", told)


def numbers_in(text: str) -> set[str]:
    return set(re.findall(r"-?\d+(?:\.\d+)?|inf", text))


REFUSED: list[Callable[[], object]] = [
    lambda: hyper.Hyper.build(4),
    lambda: hyper.hyper(0),
    lambda: hyper.position_counts(4),
    lambda: OneSided.build(19, 2),
    lambda: OneSided.build(6, 16),
    lambda: OneSided.build(0, 3),
    lambda: TwoSided.build(6, 16),
    lambda: TwoSided.build(2, 0),
    lambda: Normal.build(19, 3),
    lambda: Normal.build(3, 0),
    lambda: OneSided.build(3, 3).side((0, 0, 0, 1)),
    lambda: OneSided.build(3, 3).index((2, 2, 0)),
    lambda: TwoSided.build(3, 3).index((4,)),
    lambda: Thresholds(doubtful=0.0),
    lambda: Thresholds(doubtful=0.07),
    lambda: Thresholds(bad=0.2),
    lambda: Thresholds(lucky=0.0),
    lambda: Thresholds(lucky=0.7),
    lambda: Thresholds(close_cube=-0.01),
    lambda: CubeState(3),
    lambda: CubeState(owner=2),
    lambda: CubeState(length=3, away=(0, 2)),
    lambda: Noise(-0.1),
    lambda: presets.Preset("x", 5),
    lambda: presets.Preset("x", -1),
    lambda: presets.Preset("x", 1, rolls=12),
    lambda: RolloutSettings(trials=0),
    lambda: RolloutSettings(branches=65),
    lambda: RolloutSettings(minimum=1),
    lambda: RolloutSettings(later_turn=1001),
    lambda: RolloutSettings(truncation=1001),
    lambda: RolloutSettings(stop_error=0.0),
    lambda: RolloutSettings(stop_jsd=float("inf")),
    lambda: JumpModel(0.9, 1.0, 0.1),
    lambda: JumpModel(1.0, 3.1, 0.1),
    lambda: JumpModel(1.0, 1.0, -0.1),
    lambda: CubeModel.named("janowski:1.1"),
    lambda: CubeModel.named("jump:-1"),
    lambda: met.load("?"),
    lambda: recipe.Td(0),
    lambda: recipe.Learn(only="x"),
    lambda: recipe.Harvest(1, mix="x"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_is_out_of_range(number: int) -> None:
    with pytest.raises(SixprimeError) as caught:
        REFUSED[number]()
    # Which rule it broke, in which words does not matter.
    check("rules", f"refused-{number}", [f"{type(caught.value).__name__} {sorted(numbers_in(str(caught.value)))}"])


def test_starts_of_self_play() -> None:
    kinds_of_start = {mix: starts.starts(3, np.arange(120), mix) for mix in starts.MIXES}
    check("rules", "starts", [str(boards.tolist()) for boards in kinds_of_start.values()])


def test_games_of_self_play() -> None:
    games = SelfPlayGames.new(11, 48, variety=0.6, rare=0.3)
    told = [str(games.boards.tolist())]
    for _ in range(12):
        which, boards = games.random_plays(games.dice())
        after = games.boards.copy()
        after[which] = boards
        games.advance(after)
        told.append(f"{games.boards.tolist()} {games.games} {games.turns} {games.random} {games.dice().tolist()}")
    check("rules", "self-play", ["\n".join(told)])


def test_recipes() -> None:
    told = [repr((recipe.Td(1), recipe.Harvest(1), recipe.Learn()))]
    for path in sorted((Path(recipe.__file__).parent / "recipes").glob("*.toml")):
        found = recipe.read_recipe(path)
        told.append(repr([found.name, found.seed, found.nets, found.stages]))
    check("rules", "recipes", told)


def test_lists_of_races() -> None:
    lists = [race_lessons.random_lists(np.random.default_rng(4), 60, 7, 20, chequers) for chequers in (0, 15, 6)]
    check("rules", "race-lists", [str([found.tolist(), race_lessons.wanted(found).tolist()]) for found in lists])


def test_scores_of_strength() -> None:
    chance = random.Random(2)
    rows = [{"id": str(i), "set": "ab"[i % 2], "equity": chance.uniform(-1, 1), "se": chance.choice([None, 0.01])}
            for i in range(12)]  # fmt: skip
    decisions = [{"cands": [{"pos": str(chance.randrange(12)), "eq": chance.uniform(-1, 1)} for _ in range(3)]}
                 for _ in range(6)]  # fmt: skip
    predicted = {str(i): tuple(chance.random() / k for k in (1, 3, 20, 4, 30)) for i in range(12)}
    sets, lost = strength.errors(rows, predicted), strength.losses(decisions, predicted)
    score = strength.Score(2, sets, lost, 1.25, predicted)
    few = strength.Score(0, sets, strength.losses([], predicted), 0.5, predicted)
    check("rules", "strength", [repr(strength.to_dict(score)), repr(strength.table([score, few]))])


def test_picture_of_a_run(tmp_path: Path) -> None:
    stages = [(0, "td"), (0, "td"), (1, "harvest"), (2, "learn"), (2, "learn")]
    lines = [{"stage": stage, "kind": kind, "seconds": 90.0 * i, "error": 0.0 if kind == "harvest" else 0.31 / (i + 1)}
             for i, (stage, kind) in enumerate(stages)]  # fmt: skip
    lines[-1]["lost"] = 7.125
    (tmp_path / "log").write_text("\n".join(map(json.dumps, lines)))
    curve.draw(tmp_path / "log", tmp_path / "run.svg")
    check("rules", "picture", [(tmp_path / "run.svg").read_text()])
