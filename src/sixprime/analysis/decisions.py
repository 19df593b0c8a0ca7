"""Drafts of decisions judged by the answers about them."""

from __future__ import annotations

from collections.abc import Sequence

from sixprime.analysis import judge
from sixprime.analysis.drafts import Answers, Draft
from sixprime.analysis.model import Decision, DecisionKind, GameAnalysis, Resignation
from sixprime.analysis.statistics import game_statistics
from sixprime.analysis.thresholds import Luck, Skill, Thresholds
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.values import Equity, Unit, worth
from sixprime.engine.results import PlayAnalysis
from sixprime.game.match_rules import match_over
from sixprime.game.record import Action, ActionKind, Match
from sixprime.game.state import MatchState

ANSWERS = {ActionKind.TAKE: "Take", ActionKind.DROP: "Pass", ActionKind.BEAVER: "Beaver"}
_TURNED_AGAIN = "Raccoon"
"""What a beaver is called that is turned back."""


class _Stakes:
    """What equities are in what the players play for, found out once for each value of the cube."""

    def __init__(self, met: MatchEquityTable) -> None:
        self._met = met
        self._known: dict[tuple[int, tuple[int, int], bool], tuple[float, Equity]] = {}

    def unit(self, state: MatchState) -> float:
        """What 1 of equity is, a match-winning chance or points."""
        return self._of(state)[0]

    def of_player_0(self, equity: float, side: int, state: MatchState) -> Equity:
        """What player 0 has, from the equity of a side."""
        unit, even = self._of(state)
        return Equity(even.value + (equity if side == 0 else -equity) * unit, 0, even.unit)

    def _of(self, state: MatchState) -> tuple[float, Equity]:
        key = state.cube, state.score, state.crawford
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = worth(state, self._met), Equity(0.0, 0).at_stake(state, self._met)
        return found


def judge_game(
    match: Match,
    number: int,
    drafts: Sequence[Draft],
    answers: Answers,
    met: MatchEquityTable,
    thresholds: Thresholds,
) -> GameAnalysis:
    """A game of a match: what each decision and a resignation lost, and the totals.

    Cube decisions without an answer are left out, plays and rolls without one not judged.
    """
    game = match.games[number]
    decided = match_over(match.length, game.score)
    start = Equity(0.0, 0, Unit.MWC) if decided else judge.start_value(match, game, met)
    # Player 0's value as the last judged decision left it; None while it is not known.
    value: Equity | None = start
    known = start
    decisions: list[Decision] = []
    seen = 0
    resignation = None
    stakes = _Stakes(met)
    for draft in drafts:
        if draft.cube is not None and draft.cube not in answers.cubes:
            continue
        if draft.kind is None:
            resignation = _judge_resignation(draft, match, number, answers, met, thresholds)
            continue
        if any(action.kind is ActionKind.SET for action in game.actions[seen : draft.number]):
            value = None
        seen = draft.number
        if draft.kind is DecisionKind.PLAY:
            decision, value = _judge_play(draft, number, answers, value, stakes, thresholds)
        else:
            decision, value = _judge_cube(draft, number, answers, stakes, thresholds)
        known = known if value is None else value
        decisions.append(decision)
    end = known if decided else judge.end_value(match, game, met)
    # A game that breaks off counts for what it was worth then.
    gained = (known if end is None else end).value - start.value
    statistics = game_statistics(decisions, game, gained, resignation)
    return GameAnalysis(tuple(decisions), statistics, resignation)


def _judge_play(
    draft: Draft,
    game: int,
    answers: Answers,
    value: Equity | None,
    stakes: _Stakes,
    thresholds: Thresholds,
) -> tuple[Decision, Equity | None]:
    """The judged play, and player 0's value after it."""
    assert draft.roll is not None
    action = draft.action
    unit = stakes.unit(draft.state)
    plays = () if draft.plays is None else tuple(answers.plays.get(draft.plays, ()))
    played = _played(action, plays)
    error = 0.0 if played is None else plays[played].equity_loss
    luck = answers.luck.get(draft.roll)
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
        **draft.situation(),
    )
    if played is None:
        return decision, None
    return decision, stakes.of_player_0(plays[played].cubeful_equity, action.player, draft.state)


def _played(action: Action, plays: Sequence[PlayAnalysis]) -> int | None:
    """Index of the play made among the candidates; None when it is illegal or unknown."""
    if action.illegal or action.play is None:
        return None
    result = action.play.result
    return next((index for index, candidate in enumerate(plays) if candidate.play.result == result), None)


def _judge_cube(
    draft: Draft, game: int, answers: Answers, stakes: _Stakes, thresholds: Thresholds
) -> tuple[Decision, Equity]:
    """The judged cube decision, and player 0's value after it."""
    assert draft.cube is not None
    assert draft.kind is not None
    action, cube = draft.action, answers.cubes[draft.cube]
    # Errors are in units of the cube before it was turned, the answerer's too.
    state, at_stake = draft.state, 1
    if draft.kind is DecisionKind.TAKE:
        answer = judge.Answer(cube, draft.beavers)
        error, at_stake = answer.error(action.kind) / answer.stakes, answer.stakes
        before, after = answer.value(answer.best), answer.value(action.kind)
        chosen, best = (answer_text(kind, draft.beavers) for kind in (action.kind, answer.best))
        counted = cube.available
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
        error_mwc=error * at_stake * stakes.unit(state),
        skill=thresholds.skill(error) if counted else Skill.NONE,
        luck=None,
        luck_mwc=None,
        luck_mark=Luck.NONE,
        forced=False,
        counted=counted,
        before=stakes.of_player_0(before, state.on_roll, state),
        **draft.situation(),
    )
    return decision, stakes.of_player_0(after, state.on_roll, state)


def answer_text(answer: ActionKind, beavers: int) -> str:
    """An answer to a double, or to the beaver that stands after it, in a word."""
    return _TURNED_AGAIN if beavers and answer is ActionKind.BEAVER else ANSWERS[answer]


def _choice(state: MatchState, doubled: bool) -> str:
    verb = "double" if state.cube_owner is None else "redouble"
    return verb.capitalize() if doubled else f"No {verb}"


_ROUNDING = 1e-4
"""Equity of an ending that its bear-off database, whose chances are 65535ths, may be wrong by."""


def _judge_resignation(
    draft: Draft, match: Match, game: int, answers: Answers, met: MatchEquityTable, thresholds: Thresholds
) -> Resignation | None:
    """What giving up lost, and what accepting it lost; None where the game was not judged."""
    state, loser = draft.state, draft.action.player
    end = judge.end_value(match, match.games[game], met)
    plays = answers.plays.get(draft.plays, ()) if draft.plays is not None else ()
    if end is None or (draft.cube is None and not plays):
        return None
    if draft.cube is None:
        playing_on = Equity(plays[0].cubeful_equity, state.on_roll)
    else:
        cube = answers.cubes[draft.cube]
        playing_on = Equity(cube.after_double if state.doubled else cube.optimal, state.on_roll)
    own, given = playing_on.for_side(loser).value, end.as_equity(state, met).for_side(loser).value
    lost = own - given if abs(own - given) > _ROUNDING else 0.0
    away, off = max(0.0, lost), max(0.0, -lost)
    stake = worth(state, met)
    return Resignation(
        action=draft.number,
        player=loser,
        points=-given,
        dice=state.dice,
        value=own,
        given_away=away,
        given_away_mwc=away * stake,
        given_away_mark=thresholds.skill(away),
        let_off=off,
        let_off_mwc=off * stake,
        let_off_mark=thresholds.skill(off),
    )
