"""A match out of random plays with random judgements: everything a report may meet, in a moment."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind, GameAnalysis
from sixprime.analysis.statistics import game_statistics, total
from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, Luck
from sixprime.cube.values import Equity, Unit
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.game import MatchState, Play, Position
from sixprime.game.outcomes import Outcomes
from sixprime.game.record import Action, ActionKind, Game, Match, Player, Problem


def chances(rng: random.Random) -> Outcomes:
    win = rng.uniform(0.15, 0.85)
    return Outcomes(win, 0.3 * win, 0.02 * win, 0.25 * (1 - win), 0.01 * (1 - win))


def random_loss(rng: random.Random) -> float:
    return rng.choice((0.0, 0.0, 0.0, 0.0, 0.01, 0.02, 0.04, 0.08, 0.2, 0.5))


def judge_play(rng: random.Random, position: Position, dice: tuple[int, int], in_match: bool) -> list[PlayAnalysis]:
    plays = position.plays(dice) or [Play((), position, position.swapped())]
    plays = rng.sample(plays, min(len(plays), 9))
    equity, lost = rng.uniform(-0.8, 0.8), 0.0
    ranked = []
    for play in plays:
        mwc = 0.5 + (equity - lost) / 8 if in_match else None
        ranked.append(PlayAnalysis(play, chances(rng), equity - lost, lost, equity - lost - 0.02, mwc, 2))
        lost += rng.uniform(0.002, 0.05)
    return ranked


def judge_cube(rng: random.Random, position: Position, state: MatchState) -> CubeAnalysis:
    nd = rng.uniform(-0.5, 1.0)
    dt = nd + rng.uniform(-0.4, 0.3)
    mwc = [0.5 + 0.1 * v for v in (nd, dt, 1.0)] if state.length else [None] * 3
    should = dt > nd
    verb = "redouble" if state.cube_owner is not None else "double"
    action = f"{verb.capitalize()}, {'take' if dt < 1 else 'pass'}" if should else f"No {verb}, take"
    return CubeAnalysis(
        position, state, chances(rng), nd - 0.1, nd, dt, 1.0, *mwc,
        available=True, should_double=should, should_take=dt < 1, should_beaver=False, too_good=False,
        action=action, plies=2,
    )  # fmt: skip


def make_game(
    rng: random.Random, match: Match, index: int, turns: int, double_at: int | None
) -> tuple[Game, GameAnalysis]:
    """A game of random plays; player 1 begins the even ones. Ends with a drop or a resigned gammon."""
    game = match.games[index]
    position = Position.start()
    state = MatchState(length=match.length, score=game.score, crawford=game.crawford, on_roll=1 - index % 2)
    actions: list[Action] = []
    decisions: list[Decision] = []
    row, previous, value = 1, 2, 0.5
    worth = 0.1 if match.length else float(state.cube)

    def add(kind: ActionKind, player: int, **more: Any) -> int:
        nonlocal row, previous
        if kind is not ActionKind.RESIGN:
            row += bool(actions) and player <= previous
            previous = player
        seen = position.swapped() if kind in (ActionKind.TAKE, ActionKind.DROP) else position
        actions.append(Action(kind, player, seen, state, **more))
        return len(actions) - 1

    def decide(kind: DecisionKind, player: int, action: int, **more: Any) -> None:
        nonlocal value
        value = min(0.98, max(0.02, value + rng.uniform(-0.05, 0.05)))
        error = more["error"]
        luck = more.pop("luck", None)
        defaults: dict[str, Any] = {
            "dice": None, "plays": (), "played": None, "cube": None, "forced": False, "counted": True,
        }  # fmt: skip
        decisions.append(
            Decision(
                game=index, action=action, move_number=row, player=player, kind=kind, position=position, state=state,
                skill=DEFAULT_THRESHOLDS.skill(error), error_mwc=error * worth, luck=luck,
                luck_mwc=None if luck is None else luck * worth,
                luck_mark=Luck.NONE if luck is None else DEFAULT_THRESHOLDS.luck(luck),
                before=Equity(value, 0, Unit.MWC if match.length else Unit.POINTS), **{**defaults, **more},
            )
        )  # fmt: skip

    for turn in range(turns):
        player = state.on_roll
        doubles = turn == double_at
        if doubles:
            cube = judge_cube(rng, position, state)
            number = add(ActionKind.DOUBLE, player, value=2 * state.cube)
            error = max(0.0, cube.no_double - min(cube.double_take, 1.0))
            decide(DecisionKind.DOUBLE, player, number, chosen="Double", best=cube.action, cube=cube, error=error)
            state = state.offered()
            number = add(ActionKind.TAKE, 1 - player)
            decide(
                DecisionKind.TAKE, 1 - player, number, chosen="Take", best="Take" if cube.should_take else "Pass",
                cube=cube, error=max(0.0, cube.double_take - 1.0),
            )  # fmt: skip
            state = state.taken()
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        plays = judge_play(rng, position, dice, match.length > 0)
        played = rng.choice([0, 0, 0, 0, 1, len(plays) - 1]) if len(plays) > 1 else 0
        state = state.with_dice(dice)
        number = add(ActionKind.MOVE, player, dice=dice, play=plays[played].play, comment="why?" if turn == 3 else "")
        may_double = turn > 0 and not game.crawford and state.cube_owner in (None, player) and not doubles
        if may_double:
            cube = judge_cube(rng, position, state.with_dice(None))
            error = random_loss(rng) if cube.should_double else 0.0
            decide(
                DecisionKind.DOUBLE, player, number, chosen="No double", best=cube.action, cube=cube, error=error,
                counted=error > 0,
            )  # fmt: skip
        decide(
            DecisionKind.PLAY, player, number, dice=dice, chosen=str(plays[played].play), best=str(plays[0].play),
            plays=tuple(plays), played=played, error=plays[played].equity_loss, luck=rng.gauss(0, 0.3),
            forced=len(plays) == 1, counted=len(plays) > 1,
        )  # fmt: skip
        position = plays[played].play.result
        state = state.swapped()
    loser = 1 - game.winner if game.winner is not None else 0
    if game.resigned:
        add(ActionKind.RESIGN, loser, value=2)
    elif game.winner is not None:
        number = add(ActionKind.DOUBLE, game.winner, value=2 * state.cube)
        state = state.offered()
        add(ActionKind.DROP, loser)
    game = replace(game, actions=tuple(actions))
    gained = rng.uniform(-0.3, 0.3)
    return game, GameAnalysis(tuple(decisions), game_statistics(decisions, game, gained))


def make_match(
    *,
    seed: int = 1,
    length: int = 7,
    turns: int = 8,
    games: int = 3,
    names: tuple[str, str] = ("Kévin Unger", "Maxence Job"),
) -> AnalysedMatch:
    """An analysed match of `games` games (the last wins it for player 0) with `turns` turns each."""
    rng = random.Random(seed)
    score = [0, 0]
    bare = []
    for index in range(games):
        last = index == games - 1
        winner = 0 if last else index % 2
        points = length - score[0] if last and length else rng.randint(1, 2)
        crawford = bool(length) and length - 1 in score
        bare.append(Game(index + 1, (score[0], score[1]), crawford, (), winner, points, resigned=index % 2 == 1))
        score[winner] += points
    match = Match(
        (Player(names[0], 1600.0), Player(names[1])),
        length,
        tuple(bare),
        info={"event": "Sample Open", "round": "Final", "place": "Paris", "date": "2023-11-26"},
        problems=(Problem("the score is 3, not 2", "sample.mat", 12, 4),),
        source="sample.mat",
        format="mat",
    )
    parts = [make_game(rng, match, index, turns + index, 4 if index != 1 else None) for index in range(games)]
    analyses = tuple(analysis for _, analysis in parts)
    return AnalysedMatch(
        replace(match, games=tuple(game for game, _ in parts)),
        analyses,
        (total(a.statistics[0] for a in analyses), total(a.statistics[1] for a in analyses)),
        "2-ply, Normal",
        4.2,
    )
