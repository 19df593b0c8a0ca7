"""What is no played match, as an `AnalysedMatch`: a match that nobody judges, and a position alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from sixprime.analysis.decisions import ANSWERS
from sixprime.analysis.judge import Answer, end_value, start_value
from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind, GameAnalysis
from sixprime.analysis.situations import phase_of, plan_of
from sixprime.analysis.statistics import game_statistics, total, totals
from sixprime.analysis.thresholds import Luck, Skill
from sixprime.cube.met import MatchEquityTable, load
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.game.match_rules import match_over
from sixprime.game.position import Position
from sixprime.game.record import Action, ActionKind, Game, Match, Player
from sixprime.game.state import MatchState


@runtime_checkable
class PositionEngine(Protocol):
    """What `judged_position` asks of an engine."""

    @property
    def plies(self) -> int:
        """How far it looks ahead."""

    def best_plays(self, position: Position, dice: tuple[int, int], *, match: MatchState) -> Sequence[PlayAnalysis]:
        """Every legal play, best first."""

    def cube_action(self, position: Position, *, match: MatchState) -> CubeAnalysis:
        """The cube decision of the player on roll."""


def unjudged(match: Match, met: MatchEquityTable | None = None) -> AnalysedMatch:
    """A match without any analysis: what was on the boards, what was played, and what came of it.

    met: None is the default table.
    """
    met = met or load()
    games = tuple(_unjudged(match, game, met) for game in match.games)
    return AnalysedMatch(match, games, totals(games), "", met=met)


def _unjudged(match: Match, game: Game, met: MatchEquityTable) -> GameAnalysis:
    decided = match_over(match.length, game.score)
    end = None if decided else end_value(match, game, met)
    gained = 0.0 if end is None else end.value - start_value(match, game, met).value
    return GameAnalysis((), game_statistics((), game, gained))


def position_match(position: Position, state: MatchState) -> Match:
    """A match that is no more than a position, with players whose names nobody knows."""
    action = Action(ActionKind.SET, state.decider, position, state, state.dice)
    game = Game(1, state.score, state.crawford, (action,))
    return Match(
        (Player(""), Player("")),
        state.length,
        (game,),
        jacoby=state.jacoby,
        beavers=state.beavers,
        cube_limit=state.cube_limit,
    )


def judged_position(match: Match, engine: PositionEngine) -> AnalysedMatch:
    """The plays of a position that has a roll, else its cube decision; nothing is chosen and nothing lost.

    match: with nothing else in it (`Match.only_position`). The match equity table of an engine that has one stays with
    the analysis. Raises InvalidPositionError, EngineError.
    """
    action = match.only_position
    assert action is not None
    position, state = action.position, action.state
    plays: tuple[PlayAnalysis, ...] = ()
    cube: CubeAnalysis | None = None
    if state.dice is not None and not state.doubled:
        plays = tuple(engine.best_plays(position, state.dice, match=state.with_dice(None)))
        best = str(plays[0].play) if plays else ""
    else:
        cube = engine.cube_action(position, match=state.with_dice(None))
        best = ANSWERS[Answer(cube).best] if state.doubled and cube.available else cube.action
    kind = DecisionKind.PLAY if cube is None else DecisionKind.TAKE if state.doubled else DecisionKind.DOUBLE
    seen = position if state.decider == state.on_roll else position.swapped()
    nothing: dict[str, Any] = {"error": 0.0, "error_mwc": 0.0, "skill": Skill.NONE, "luck": None, "luck_mwc": None}
    decision = Decision(
        game=0,
        action=0,
        move_number=1,
        player=state.decider,
        kind=kind,
        position=position,
        state=state,
        dice=None if cube is not None else state.dice,
        chosen="",
        best=best,
        plays=plays,
        played=None,
        cube=cube,
        luck_mark=Luck.NONE,
        forced=cube is None and len(plays) <= 1,
        counted=False,
        before=None,
        phase=phase_of(seen, 0, from_start=position == Position.start()),
        plan=plan_of(seen),
        **nothing,
    )
    nobody = total(())
    statistics = nobody, nobody
    games = (GameAnalysis((decision,), statistics),)
    return AnalysedMatch(match, games, statistics, f"{engine.plies}-ply", met=getattr(engine, "met", None))
