"""Analyses of other programs: what their values are taken for where a source gives only some of them."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from golden import Spelled, check

from sixprime import formats
from sixprime.analysis.foreign import foreign, with_chances
from sixprime.cube.met import load
from sixprime.errors import SettingsError
from sixprime.game import MatchState, Position
from sixprime.game.record import (
    Action,
    ActionKind,
    ForeignAnalysis,
    ForeignCube,
    ForeignPlay,
    Game,
    Match,
    Method,
    Player,
    Value,
)
from sixprime.paths import sample_match

DATA = Path(__file__).parent / "data"
CHANCES = (0.6, 0.2, 0.02, 0.1, 0.01)
TWO_PLY = Method("2-ply", plies=2)
START = Position.start()


def value(chance: random.Random, equity: float) -> Value:
    """A value of which the source says much or little."""
    parts = {
        "probabilities": CHANCES,
        "cubeless": round(equity - 0.05, 3),
        "equity": equity,
        "mwc": round(0.5 + equity / 9, 4),
    }
    return Value(**{name: part for name, part in parts.items() if chance.random() < 0.7})  # type: ignore[arg-type]


def judged(match: Match, seed: int) -> Match:
    """The match as if two programs had been through it."""
    chance = random.Random(seed)
    games = []
    for game in match.games:
        actions = []
        for action in game.actions:
            found = []
            for source in ("One", "Two")[: chance.randrange(3)]:
                nd = chance.uniform(-0.5, 1.1)
                cube = ForeignCube(value(chance, nd), value(chance, nd + chance.uniform(-0.4, 0.4)), TWO_PLY)
                best = chance.uniform(-1, 1)
                plays = [
                    ForeignPlay(
                        play, value(chance, best - 0.03 * i), TWO_PLY if i % 2 else Method("Rollout", trials=36)
                    )
                    for i, play in enumerate((action.position.plays(action.dice) if action.dice else [])[:4])
                ]
                if action.play is not None and plays and chance.random() < 0.8:
                    plays[chance.randrange(len(plays))] = ForeignPlay(action.play, value(chance, best - 0.02), TWO_PLY)
                found.append(
                    ForeignAnalysis(
                        source,
                        cube if chance.random() < 0.8 else None,
                        tuple(plays),
                        luck=chance.choice([None, 0.1, -0.7]),
                        luck_mwc=chance.choice([None, 0.02, -0.05]),
                    )
                )
            actions.append(replace(action, analyses=tuple(found)))
        games.append(replace(game, actions=tuple(actions)))
    return replace(match, games=tuple(games))


@pytest.mark.parametrize("name", ["match", "money", "beavers"])
def test_decisions_and_totals(name: str) -> None:
    """Errors, marks, luck and totals of both programs, in matches and for money."""
    match = formats.read(DATA / "sgf" / "beavers.sgf" if name == "beavers" else sample_match())
    match = replace(match, games=match.games[:4])
    if name == "money":
        free = [replace(a, state=MatchState(cube=a.state.cube, cube_owner=a.state.cube_owner, on_roll=a.state.on_roll,
                                            dice=a.state.dice)) for a in match.games[0].actions]  # fmt: skip
        match = replace(match, length=0, games=(replace(match.games[0], actions=tuple(free)),))
    found: list[str] = []
    for seed in (1, 2):
        analysed = judged(match, seed)
        for source in (None, "Two"):
            done = foreign(analysed, source)
            found.append(repr([
                [(d.kind, d.player, d.chosen, d.best, d.played, d.error, d.error_mwc, d.skill, d.luck, d.luck_mwc,
                  d.luck_mark, d.counted, d.forced, d.before and d.before.value, Spelled(d.cube),
                  [(p.equity, p.equity_loss, p.cubeless_equity, p.mwc, p.plies, p.probabilities) for p in d.plays])
                 for d in done.decisions],
                done.statistics, done.settings,
            ]))  # fmt: skip
        chances = with_chances(analysed)
        found.append(repr([a.analyses for game in chances.games for a in game.actions if a.analyses]))
    check("rules", f"foreign-{name}", found)


def one(kind: ActionKind = ActionKind.MOVE, *, length: int = 0, **analysis: object) -> Match:
    """A match of one action with one analysis."""
    state = MatchState(length=length, on_roll=0, dice=(3, 1))
    play = next(play for play in START.plays((3, 1)) if str(play) == "8/5 6/5")
    action = Action(
        kind,
        0,
        START,
        state,
        dice=(3, 1),
        play=play,
        analyses=(ForeignAnalysis("One", **analysis),),  # type: ignore[arg-type]
    )
    return Match((Player("Ann"), Player("Bob")), length, (Game(1, (0, 0), False, (action,)),))


@pytest.mark.parametrize(
    ("given", "cubeless", "chances"),
    [
        (Value(CHANCES, 0.3, 0.2), 0.3, CHANCES),
        (Value(CHANCES, None, 0.2), 2 * 0.6 - 1, CHANCES),
        (Value(CHANCES, 2 * 0.6 - 1 + 0.2 - 0.1 + 0.02 - 0.01, 0.2), 2 * 0.6 - 1, CHANCES),
        (Value(None, 0.3, 0.2), 0.3, (0, 0, 0, 0, 0)),
        (Value(None, None, 0.2), 0.0, (0, 0, 0, 0, 0)),
        (Value(CHANCES, 0.0, 0.2), 0.0, CHANCES),
    ],
)
def test_cubeless_equity(given: Value, cubeless: float, chances: tuple[float, ...]) -> None:
    """As the source says, else of the chances, else nothing; by Jacoby's rule without gammons of a centred cube."""
    first = START.plays((3, 1))[0]
    [decision] = foreign(one(plays=(ForeignPlay(first, given, TWO_PLY),))).decisions
    [play] = decision.plays
    assert play.cubeless_equity == pytest.approx(cubeless)
    assert play.probabilities == chances
    assert (play.plies, play.equity) == (2, pytest.approx(0.2))


def test_values_that_are_missing() -> None:
    plays = START.plays((3, 1))[:3]
    values = (Value(CHANCES, 0.1), Value(mwc=0.55), Value(equity=0.02))
    foreign_plays = tuple(ForeignPlay(p, v, TWO_PLY) for p, v in zip(plays, values, strict=True))
    [decision] = foreign(one(length=7, plays=foreign_plays)).decisions
    table = load()
    win, lose = table.mwc(6, 7), table.mwc(7, 6)
    middle, half = (win + lose) / 2, (win - lose) / 2
    # The first has no value; the second's equity is that of its match-winning chance.
    assert [str(play.play) for play in decision.plays] == [str(play) for play in plays[1:]]
    assert decision.plays[0].equity == pytest.approx((0.55 - middle) / half, abs=1e-6)
    assert decision.plays[0].equity_loss == 0
    assert decision.plays[1].equity_loss == pytest.approx(decision.plays[0].equity - 0.02, abs=1e-6)
    assert decision.plays[1].mwc == pytest.approx(middle + 0.02 * half, abs=1e-6)


def test_luck_from_match_winning_chances() -> None:
    first = (ForeignPlay(START.plays((3, 1))[0], Value(equity=0.1), TWO_PLY),)
    table = load()
    half = (table.mwc(6, 7) - table.mwc(7, 6)) / 2
    for luck, mwc, found in ((0.3, 0.01, 0.3), (None, 0.01, 0.01 / half), (None, None, None), (0.0, 0.5, 0.0)):
        [decision] = foreign(one(length=7, plays=first, luck=luck, luck_mwc=mwc)).decisions
        assert decision.luck == (None if found is None else pytest.approx(found))


def test_sources_must_be_known() -> None:
    match = one(plays=())
    assert foreign(match).settings == foreign(match, "One").settings == "One"
    with pytest.raises(SettingsError, match=r"must be one of One\. Got 'Two'"):
        foreign(match, "Two")
    bare = replace(match, games=())
    for source in (None, "One"):
        with pytest.raises(SettingsError, match="the file holds no analysis"):
            foreign(bare, source)
