"""`analyse`: every decision of a match judged, all of them in one batch."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from sixprime.analysis import judge
from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind, GameAnalysis
from sixprime.analysis.rollout import CubeDoubt, PlayDoubt, RolloutEngine, roll_out
from sixprime.analysis.statistics import game_statistics, total
from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, Luck, Skill, Thresholds
from sixprime.cube.janowski import DEFAULT as DEFAULT_CUBE_MODEL
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.met import load as load_met
from sixprime.cube.model import CubeModel
from sixprime.cube.values import Equity, Unit, worth
from sixprime.engine import PlayRequest
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.game.match_rules import match_over, why_no_double
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, Game, Match
from sixprime.game.state import MatchState
from sixprime.progress import Hook, Stop, Watch

_ANSWERS = {ActionKind.TAKE: "Take", ActionKind.DROP: "Pass", ActionKind.BEAVER: "Beaver"}

Roll = tuple[Position, tuple[int, int], MatchState]


class MatchEngine(Protocol):
    """What `analyse` asks of an engine."""

    @property
    def met(self) -> MatchEquityTable:
        """The match equity table."""

    @property
    def cube_model(self) -> CubeModel:
        """How the cube is valued."""

    def rank_plays_many(
        self,
        requests: Sequence[PlayRequest],
        *,
        plies: int,
        filter: str,
        search_forced: bool,
        progress: Hook | None,
        stop: Stop | None,
    ) -> list[list[PlayAnalysis]]:
        """Candidate plays best first, `must_include` among them; `search_forced`: whether the only play is searched."""

    def cube_many(
        self,
        requests: Sequence[tuple[Position, MatchState]],
        *,
        plies: int,
        progress: Hook | None,
        stop: Stop | None,
    ) -> list[CubeAnalysis]:
        """The cube decision of the player on roll."""

    def luck_many(self, requests: Sequence[Roll], *, stop: Stop | None) -> list[float]:
        """Luck of each roll: equity of its best play minus the mean over rolls, at 0-ply."""


@dataclass(slots=True)
class Requests:
    """What the engine is asked, gathered over all matches."""

    plays: list[PlayRequest] = field(default_factory=list)
    cubes: list[tuple[Position, MatchState]] = field(default_factory=list)
    rolls: list[Roll] = field(default_factory=list)


@dataclass(slots=True)
class Answers:
    """What came back, by index into the requests."""

    plays: Sequence[Sequence[PlayAnalysis]]
    cubes: Sequence[CubeAnalysis] | Mapping[int, CubeAnalysis]
    luck: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Draft:
    """A decision before it is judged; the last three are indices into the requests."""

    kind: DecisionKind
    number: int  # of the action within the game
    action: Action
    row: int
    position: Position
    state: MatchState
    plays: int | None = None
    cube: int | None = None
    roll: int | None = None


def analyse(
    match: Match,
    engine: MatchEngine,
    *,
    plies: int = 2,
    filter: str = "normal",
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
    progress: Hook | None = None,
    stop: Stop | None = None,
    rollout: tuple[RolloutEngine, RolloutSettings] | None = None,
) -> AnalysedMatch:
    """Judges every chequer play and cube decision of both players, and the luck of every roll.

    plies, filter: how far the engine looks ahead and how many candidates it looks at closely; luck is
    always taken at 0-ply. progress: is told the decisions judged. stop: an event that ends it: searches with
    StoppedError, rollouts with what is there, and the match is then not `finished`.
    rollout: who rolls out the decisions marked as doubtful or worse, and how; None for nobody.
    """
    return analyse_many(
        (match,),
        engine,
        plies=plies,
        filter=filter,
        thresholds=thresholds,
        progress=progress,
        stop=stop,
        rollout=rollout,
    )[0]


def analyse_many(
    matches: Sequence[Match],
    engine: MatchEngine,
    *,
    plies: int = 2,
    filter: str = "normal",
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
    progress: Hook | None = None,
    stop: Stop | None = None,
    rollout: tuple[RolloutEngine, RolloutSettings] | None = None,
) -> list[AnalysedMatch]:
    """Analyses matches as `analyse` does, all their decisions in one batch; `seconds` is shared out evenly."""
    started = time.perf_counter()
    watch = Watch(progress, stop)
    requests = Requests()
    drafts = [[drafts_of(match, game, requests) for game in match.games] for match in matches]
    answers = _ask(engine, requests, plies, filter, watch)
    settings = f"{plies}-ply, {filter.capitalize()}"
    if engine.met.name != load_met().name:
        settings += f", match equities {engine.met.name}"
    if engine.cube_model != DEFAULT_CUBE_MODEL:
        settings += f", cube model {engine.cube_model.name}"

    def judge_all(answers: Answers) -> list[tuple[GameAnalysis, ...]]:
        return [
            tuple(
                judge_game(match, number, drafts_of_game, answers, engine.met, thresholds)
                for number, drafts_of_game in enumerate(drafts_of_match)
            )
            for match, drafts_of_match in zip(matches, drafts, strict=True)
        ]

    judged = judge_all(answers)
    finished = True
    if rollout is not None:
        answers, number, finished = _roll_out_doubtful(drafts, judged, answers, rollout, watch)
        judged = judge_all(answers)
        settings += f"; {number} doubtful decisions rolled out, {rollout[1].trials} games each"
    seconds = (time.perf_counter() - started) / max(len(matches), 1)
    return [
        AnalysedMatch(
            match,
            games,
            (total(game.statistics[0] for game in games), total(game.statistics[1] for game in games)),
            settings,
            seconds,
            finished,
            thresholds,
        )
        for match, games in zip(matches, judged, strict=True)
    ]


def _roll_out_doubtful(
    drafts: Sequence[Sequence[Sequence[Draft]]],
    judged: Sequence[Sequence[GameAnalysis]],
    answers: Answers,
    rollout: tuple[RolloutEngine, RolloutSettings],
    watch: Watch,
) -> tuple[Answers, int, bool]:
    """The answers with rollouts in the place of those about decisions with a mark, how many, and whether all are."""
    plays: dict[int, PlayDoubt] = {}
    cubes: dict[int, CubeDoubt] = {}
    for drafts_of_match, games in zip(drafts, judged, strict=True):
        for drafts_of_game, game in zip(drafts_of_match, games, strict=True):
            for draft, decision in zip(drafts_of_game, game.decisions, strict=True):
                if decision.skill is Skill.NONE:
                    continue
                state = replace(draft.state, doubled=False, beavered=0, turn=None, dice=None)
                if draft.plays is not None and decision.played is not None:
                    plays[draft.plays] = (draft.plays, state.with_dice(decision.dice), decision.played)
                elif draft.cube is not None:
                    cubes[draft.cube] = (draft.cube, state)
    all_plays = list(answers.plays)
    all_cubes = dict(answers.cubes if isinstance(answers.cubes, Mapping) else enumerate(answers.cubes))
    number, finished = roll_out(all_plays, all_cubes, list(plays.values()), list(cubes.values()), *rollout, watch)
    return Answers(all_plays, all_cubes, answers.luck), number, finished


def _ask(engine: MatchEngine, requests: Requests, plies: int, filter: str, watch: Watch) -> Answers:
    rolls, cubes, plays = requests.rolls, requests.cubes, requests.plays
    everything = len(rolls) + len(cubes) + len(plays)
    luck = engine.luck_many(rolls, stop=watch.stop)
    part = _share(watch, len(rolls), len(cubes), everything)
    judged = engine.cube_many(cubes, plies=plies, progress=part, stop=watch.stop)
    part = _share(watch, len(rolls) + len(cubes), len(plays), everything)
    ranked = engine.rank_plays_many(
        plays, plies=plies, filter=filter, search_forced=False, progress=part, stop=watch.stop
    )
    watch.tell(everything, everything, "decisions")
    return Answers(ranked, judged, luck)


def _share(watch: Watch, first: int, size: int, everything: int) -> Hook | None:
    """Tells the watch of `size` requests after the `first`, whose work is counted otherwise."""
    if watch.progress is None:
        return None
    return lambda step: watch.tell(first + size * step.done // max(step.total or 1, 1), everything, "decisions")


def drafts_of(match: Match, game: Game, requests: Requests) -> list[Draft]:
    """The decisions of a game in order, with what must be asked about them."""
    if match_over(match.length, game.score):
        return []
    drafts: list[Draft] = []
    row, previous = 1, None
    opening = True  # nobody has moved, so nobody may double
    offer: Draft | None = None  # the double that waits for its answer
    for number, action in enumerate(game.actions):
        kind, position = action.kind, action.position
        if kind is ActionKind.RESIGN:
            continue
        if kind is ActionKind.SET:
            opening = opening and position == Position.start(match.variant)
            offer = None
            continue
        # Rows as in a match file: player 0 in the left column, player 1 in the right one.
        if previous is not None and action.player <= previous:
            row += 1
        previous = action.player
        if not position.is_valid or position.winner is not None:
            offer = None
            continue
        if kind is ActionKind.DOUBLE:
            state = action.state.with_dice(None)
            offer = Draft(DecisionKind.DOUBLE, number, action, row, position, state, cube=len(requests.cubes))
            requests.cubes.append((position, state))
            drafts.append(offer)
        elif kind in (ActionKind.TAKE, ActionKind.DROP, ActionKind.BEAVER):
            if offer is not None:
                state = offer.state.offered()
                drafts.append(Draft(DecisionKind.TAKE, number, action, row, offer.position, state, cube=offer.cube))
            offer = None
        elif action.dice is not None:
            state = action.state.with_dice(None)
            if not opening and offer is None and why_no_double(state) is None:
                drafts.append(
                    Draft(DecisionKind.DOUBLE, number, action, row, position, state, cube=len(requests.cubes))
                )
                requests.cubes.append((position, state))
            opening, offer = False, None
            plays = None
            if kind is ActionKind.MOVE:
                plays = len(requests.plays)
                requests.plays.append(
                    PlayRequest(position, action.dice, state, None if action.illegal else action.play)
                )
            drafts.append(
                Draft(
                    DecisionKind.PLAY,
                    number,
                    action,
                    row,
                    position,
                    action.state,
                    plays=plays,
                    roll=len(requests.rolls),
                )
            )
            requests.rolls.append((position, action.dice, state))
    return drafts


def judge_game(
    match: Match,
    number: int,
    drafts: Sequence[Draft],
    answers: Answers,
    met: MatchEquityTable,
    thresholds: Thresholds,
) -> GameAnalysis:
    game = match.games[number]
    decided = match_over(match.length, game.score)
    start = Equity(0.0, 0, Unit.MWC) if decided else judge.start_value(match, game, met)
    # Player 0's value as the last judged decision left it; None while it is not known.
    value: Equity | None = start
    known = start
    decisions: list[Decision] = []
    seen = 0
    for draft in drafts:
        if any(action.kind is ActionKind.SET for action in game.actions[seen : draft.number]):
            value = None
        seen = draft.number
        if draft.kind is DecisionKind.PLAY:
            decision, value = _judge_play(draft, number, answers, value, met, thresholds)
        else:
            decision, value = _judge_cube(draft, number, answers, met, thresholds)
        known = known if value is None else value
        decisions.append(decision)
    end = known if decided else judge.end_value(match, game, met)
    # A game that breaks off counts for what it was worth then.
    gained = (known if end is None else end).value - start.value
    return GameAnalysis(tuple(decisions), game_statistics(decisions, game, gained))


def _judge_play(
    draft: Draft,
    game: int,
    answers: Answers,
    value: Equity | None,
    met: MatchEquityTable,
    thresholds: Thresholds,
) -> tuple[Decision, Equity | None]:
    """The judged play, and player 0's value after it."""
    assert draft.roll is not None
    action = draft.action
    unit = worth(draft.state, met)
    plays = () if draft.plays is None else tuple(answers.plays[draft.plays])
    played = _played(action, plays)
    error = 0.0 if played is None else plays[played].equity_loss
    luck = answers.luck[draft.roll]
    forced = len(plays) <= 1
    decision = Decision(
        game=game,
        action=draft.number,
        move_number=draft.row,
        player=action.player,
        kind=DecisionKind.PLAY,
        position=draft.position,
        state=draft.state,
        dice=action.dice,
        chosen="" if action.play is None else str(action.play),
        best=str(plays[0].play) if plays else "",
        plays=plays,
        played=played,
        cube=None,
        error=error,
        error_mwc=error * unit,
        skill=thresholds.skill(error),
        luck=luck,
        luck_mwc=None if luck is None else luck * unit,
        luck_mark=Luck.NONE if luck is None else thresholds.luck(luck),
        forced=forced,
        counted=played is not None and not forced,
        before=value,
        illegal=action.illegal,
    )
    after = None if played is None else Equity(plays[played].cubeful_equity, action.player)
    return decision, after and after.at_stake(draft.state, met).for_side(0)


def _played(action: Action, plays: Sequence[PlayAnalysis]) -> int | None:
    """Index of the play made among the candidates; None when it is illegal or unknown."""
    if action.illegal or action.play is None:
        return None
    result = action.play.result
    return next((index for index, candidate in enumerate(plays) if candidate.play.result == result), None)


def _judge_cube(
    draft: Draft, game: int, answers: Answers, met: MatchEquityTable, thresholds: Thresholds
) -> tuple[Decision, Equity]:
    """The judged cube decision, and player 0's value after it."""
    assert draft.cube is not None
    action, cube = draft.action, answers.cubes[draft.cube]
    # Errors are in units of the cube before doubling, the answerer's too.

    def of_player_0(equity: float) -> Equity:
        return Equity(equity, draft.state.on_roll).at_stake(draft.state, met).for_side(0)

    if draft.kind is DecisionKind.TAKE:
        error = judge.answer_error(cube, action.kind)
        before, after = cube.after_double, judge.answer_value(cube, action.kind)
        chosen, best, counted = _ANSWERS[action.kind], _best_answer(cube), cube.available
    else:
        doubled = action.kind is ActionKind.DOUBLE
        error = judge.double_error(cube, doubled)
        before, after = cube.optimal, cube.after_double if doubled else cube.no_double
        chosen, best = _choice(draft.state, doubled), cube.action
        counted = cube.available if doubled else judge.is_close(cube, thresholds.close_cube)
    decision = Decision(
        game=game,
        action=draft.number,
        move_number=draft.row,
        player=action.player,
        kind=draft.kind,
        position=draft.position,
        state=draft.state,
        dice=None,
        chosen=chosen,
        best=best,
        plays=(),
        played=None,
        cube=cube,
        error=error,
        error_mwc=error * worth(draft.state, met),
        skill=thresholds.skill(error) if counted else Skill.NONE,
        luck=None,
        luck_mwc=None,
        luck_mark=Luck.NONE,
        forced=False,
        counted=counted,
        before=of_player_0(before),
    )
    return decision, of_player_0(after)


def _best_answer(cube: CubeAnalysis) -> str:
    if cube.should_beaver:
        return "Beaver"
    return "Take" if cube.should_take else "Pass"


def _choice(state: MatchState, doubled: bool) -> str:
    verb = "double" if state.cube_owner is None else "redouble"
    return verb.capitalize() if doubled else f"No {verb}"
