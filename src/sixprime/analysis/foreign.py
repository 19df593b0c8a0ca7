"""Analyses of other programs, read from a file, as an `AnalysedMatch` like our own.

Values are rounded to single precision, which is what these programs calculate in: their own totals come out to the last
printed digit only so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sixprime.analysis.decisions import judge_game
from sixprime.analysis.drafts import Answers, Requests, drafts_of
from sixprime.analysis.labels import table_of
from sixprime.analysis.model import AnalysedMatch, DecisionKind
from sixprime.analysis.rollout_context import settings_of
from sixprime.analysis.single import judged_position
from sixprime.analysis.statistics import totals
from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, Thresholds
from sixprime.checks import TEXT, Instance, Maybe
from sixprime.cube.decision import decide
from sixprime.cube.met import MET, MatchEquityTable, load, unpacked
from sixprime.cube.state import CubeState
from sixprime.cube.values import Equity, Unit, cubeless, worth
from sixprime.engine.results import CubeAnalysis, PlayAnalysis, Rolled, RolledValue, judged
from sixprime.errors import SettingsError
from sixprime.game.match_rules import quiet
from sixprime.game.outcomes import Outcomes
from sixprime.game.position import Position
from sixprime.game.record import (
    MADE_BY,
    MADE_WITH,
    MAKING,
    MATCH,
    TURNED,
    Action,
    ForeignAnalysis,
    ForeignCube,
    Match,
    Method,
    Value,
)
from sixprime.game.state import MatchState

OWN = "Sixprime"
"""How the names of our own analyses begin."""
_UNKNOWN = (0.0,) * 5
_NEAR = 1e-5
"""What differs by less is the same number, written down."""


def sources(match: Match) -> list[str]:
    """The programs whose analyses a match holds, in the order in which they occur. Raises SettingsError."""
    MATCH("match", match)
    found = (analysis.source for game in match.games for action in game.actions for analysis in action.analyses)
    return list(dict.fromkeys(found))


def is_own(source: str) -> bool:
    """Whether an analysis is ours, kept in a file."""
    return source.startswith(OWN)


def source_of(analysed: AnalysedMatch) -> str | None:
    """The program whose analysis this is, taken from its match by `foreign`; None for one that was made here."""
    name = analysed.settings
    return name if name in sources(analysed.match) and not is_own(name) else None


def foreign(
    match: Match,
    source: str | None = None,
    *,
    met: MatchEquityTable | None = None,
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> AnalysedMatch:
    """The analysis that a file holds: decisions, marks and totals from the values of `source`.

    source: one of `sources(match)`, by default the first that is not ours, with our analyses of what that one does not
    judge. met: turns match-winning chances into equities and back, unless our own analysis says with which table it was
    made.
    Plays and cube actions that the program did not judge do not count. Raises SettingsError for an unknown source.
    """
    Maybe(TEXT)("source", source)
    MET("met", met)
    Instance(Thresholds)("thresholds", thresholds)
    known = sources(match)
    if not known:
        raise SettingsError("the file holds no analysis")
    if source is not None and source not in known:
        raise SettingsError(f"The 'source' parameter must be one of {', '.join(known)}. Got {source!r} instead.")
    name = next((each for each in known if not is_own(each)), known[0]) if source is None else source
    also = next(filter(is_own, known), None) if source is None else None
    table = table_in(match, met) if is_own(name) else met or load()
    if (alone := match.only_position) is not None:
        return replace(
            judged_position(match, _Told(_of(alone, name, also), table)), settings=name, thresholds=thresholds
        )
    # Ours says of takes by itself what it says of the double, which may be of a player who is not judged.
    requests = Requests(apart=is_own(name))
    drafts = [drafts_of(match, game, requests) for game in match.games]
    answers = Answers()
    for draft in (draft for each in drafts for draft in each if draft.kind is not None):
        analysis = _of(draft.action, name, also)
        if analysis is None:
            continue
        if draft.kind is DecisionKind.PLAY:
            state = draft.state.with_dice(None)
            if draft.plays is not None:
                answers.plays[draft.plays] = _plays(analysis, state, table)
            if draft.roll is not None and (luck := _luck(analysis, state, table)) is not None:
                answers.luck[draft.roll] = luck
        elif draft.cube is not None and analysis.cube is not None:
            cube = _cube(analysis.cube, draft.position, draft.state, table)
            if cube is not None:
                answers.cubes.setdefault(draft.cube, cube)
    games = tuple(judge_game(match, number, each, answers, table, thresholds) for number, each in enumerate(drafts))
    return AnalysedMatch(match, games, totals(games), name, thresholds=thresholds, met=table)


@dataclass(frozen=True, slots=True)
class _Told:
    """What a file says of its only position, as an engine would."""

    analysis: ForeignAnalysis | None
    met: MatchEquityTable
    plies: int = 0

    def best_plays(self, position: Position, dice: tuple[int, int], *, match: MatchState) -> Sequence[PlayAnalysis]:
        """The plays that are listed, in their order."""
        return () if self.analysis is None else _plays(self.analysis, match, self.met)

    def cube_action(self, position: Position, *, match: MatchState) -> CubeAnalysis:
        """The cube decision. Raises SettingsError where the file has none."""
        told = None if self.analysis is None else self.analysis.cube
        cube = None if told is None else _cube(told, position, match, self.met)
        if cube is None:
            raise SettingsError("the file says nothing of the cube decision of its position.")
        return cube


def with_chances(match: Match) -> Match:
    """The match with the match-winning chances of its cube analyses where their source gives only equities."""
    if not match.length:
        return match
    table = table_in(match)

    def chance(value: Value, state: MatchState) -> Value:
        if value.mwc is not None or value.equity is None:
            return value
        return replace(value, mwc=_mwc(value.equity, state, table))

    return _revalued(match, chance, plays=False)


def with_passes(match: Match) -> Match:
    """The match with what passing is worth in its cube analyses, where their source does not say it."""
    if not match.length:
        return match
    table = table_in(match)

    def passed(analysis: ForeignAnalysis, state: MatchState) -> ForeignAnalysis:
        cube = analysis.cube
        if cube is None or cube.double_pass is not None:
            return analysis
        return replace(analysis, cube=replace(cube, double_pass=Value(equity=1.0, mwc=_mwc(1.0, state, table))))

    return _revalued(match, lambda value, _: value, plays=False, also=passed)


def with_equities(match: Match) -> Match:
    """The match with equities, and their standard errors, where its analyses give match-winning chances."""
    if not match.length:
        return match
    table = table_in(match)

    def equity(value: Value, state: MatchState) -> Value:
        if value.mwc is None or (value.equity is not None and not value.errors):
            return value
        found = value.equity
        if found is None:
            found = Equity(value.mwc, state.on_roll, Unit.MWC).as_equity(state, table).value
        errors = (*value.errors[:-1], _error(value, state, table) or 0.0) if value.errors else ()
        return replace(value, equity=found, errors=errors)

    def luck(analysis: ForeignAnalysis, state: MatchState) -> ForeignAnalysis:
        return replace(analysis, luck=_luck(analysis, state, table))

    return _revalued(match, equity, plays=True, also=luck)


def table_in(match: Match, met: MatchEquityTable | None = None) -> MatchEquityTable:
    """The table with which our analysis was made that a match came with; met: where it does not say, by default the
    usual one. Raises SettingsError where it says what cannot be read."""
    made = [MAKING.fullmatch(text) for game in match.games for key, text in game.extras if key == MADE_BY]
    label = (made and made[0] and made[0][4]) or ""
    packed = next((text for game in match.games for key, text in game.extras if key == MADE_WITH), None)
    if packed is None:
        return table_of(label, met)
    try:
        given = unpacked(packed.strip("[]").removesuffix(TURNED))
        # A label says itself that players have changed seats; older analyses have none.
        return table_of(label, given.swapped() if TURNED in packed and TURNED not in label else given)
    except SettingsError:
        tag = MADE_WITH.removeprefix("sgf:")
        raise SettingsError(
            f"{match.source or 'the file'}: the match equity table of our analysis in it ({tag}) is damaged; without"
            " that property it is valued by the usual table"
        ) from None


def _revalued(
    match: Match,
    value: Callable[[Value, MatchState], Value],
    *,
    plays: bool,
    also: Callable[[ForeignAnalysis, MatchState], ForeignAnalysis] | None = None,
) -> Match:
    """The match with other values in its analyses: of cube decisions, and of plays where these are wanted."""

    def revalued(analysis: ForeignAnalysis, state: MatchState) -> ForeignAnalysis:
        cube = analysis.cube
        if cube is not None:
            no_double, double_take = value(cube.no_double, state), value(cube.double_take, state)
            analysis = replace(analysis, cube=replace(cube, no_double=no_double, double_take=double_take))
        if plays and analysis.plays:
            listed = tuple(replace(play, value=value(play.value, state)) for play in analysis.plays)
            analysis = replace(analysis, plays=listed)
        return analysis if also is None else also(analysis, state)

    games = []
    for game in match.games:
        actions = []
        for action in game.actions:
            if action.analyses:
                state = quiet(action.state.with_dice(None))
                action = replace(action, analyses=tuple(revalued(each, state) for each in action.analyses))
            actions.append(action)
        games.append(replace(game, actions=tuple(actions)))
    return replace(match, games=tuple(games))


def _of(action: Action, *sources: str | None) -> ForeignAnalysis | None:
    """The analysis by the first of the programs that judged an action."""
    found = {analysis.source: analysis for analysis in reversed(action.analyses)}
    return next((found[source] for source in sources if source in found), None)


def _equity(value: Value, state: MatchState, met: MatchEquityTable) -> float | None:
    """Equity of the player on roll, from his match-winning chance where the source gives nothing else."""
    if value.equity is not None:
        return _single(value.equity)
    if value.mwc is None or state.money:
        return None
    return Equity(_single(value.mwc), state.on_roll, Unit.MWC).as_equity(state, met).value


def _error(value: Value, state: MatchState, met: MatchEquityTable) -> float | None:
    """Standard error of the equity; None where the source says none."""
    if not value.errors:
        return None
    return value.errors[-1] / (worth(state, met) if value.mwc is not None and not state.money else 1.0)


def _rolled(method: Method, values: Sequence[Value], state: MatchState, met: MatchEquityTable) -> Rolled | None:
    """What is known of a rollout beside its equities. values: of no double, and of double, take."""
    if not method.trials:
        return None
    found = []
    cube = CubeState.from_match(state)
    for number, value in enumerate(values):
        if value.probabilities is None:
            return None
        at = cube.doubled() if number else cube
        errors = value.errors[:-1] if len(value.errors) == 7 else ()
        counting = replace(at, jacoby=False)  # of rollouts all gammons count
        found.append(RolledValue(Outcomes(*value.probabilities), _cubeless(value, counting, met), errors))
    return Rolled(tuple(found), settings_of(method.settings, method.trials, state.on_roll))


def _single(value: float) -> float:
    return float(np.float32(value))


def _mwc(equity: float, state: MatchState, met: MatchEquityTable) -> float | None:
    return None if state.money else Equity(equity, state.on_roll).as_mwc(state, met).value


def _plays(analysis: ForeignAnalysis, state: MatchState, met: MatchEquityTable) -> list[PlayAnalysis]:
    """Candidates as the source ranks them; those without a value are left out."""
    found: list[PlayAnalysis] = []
    best: float | None = None
    cube = CubeState.from_match(state)
    for play in analysis.plays:
        equity = _equity(play.value, state, met)
        if equity is None:
            continue
        best = equity if best is None else best
        found.append(
            PlayAnalysis(
                play.play,
                Outcomes(*(play.value.probabilities or _UNKNOWN)),
                equity,
                max(best - equity, 0.0),
                _cubeless(play.value, cube, met),
                _mwc(equity, state, met),
                play.method.plies or 0,
                trials=play.method.trials,
                equity_error=_error(play.value, state, met),
                rolled=_rolled(play.method, (play.value,), state, met),
            )
        )
    return found


def _cubeless(value: Value, cube: CubeState, met: MatchEquityTable) -> float:
    """By score and rules: some sources say what it is where all gammons count."""
    if value.probabilities is None:
        return value.cubeless or 0.0
    if value.cubeless is None or abs(value.cubeless - Outcomes(*value.probabilities).cubeless) < _NEAR:
        return float(cubeless([value.probabilities], cube, met)[0])
    return value.cubeless


def _luck(analysis: ForeignAnalysis, state: MatchState, met: MatchEquityTable) -> float | None:
    if analysis.luck is not None or analysis.luck_mwc is None:
        return analysis.luck
    return analysis.luck_mwc / worth(state, met)


def _cube(cube: ForeignCube, position: Position, state: MatchState, met: MatchEquityTable) -> CubeAnalysis | None:
    """The cube decision; None where a value is missing."""
    no_double, double_take = _equity(cube.no_double, state, met), _equity(cube.double_take, state, met)
    if no_double is None or double_take is None:
        return None
    double_pass = 1.0
    chances = cube.no_double.probabilities
    gammons = chances is None or chances[1] > 0
    cube_state = CubeState.from_match(state)
    verdict = decide(no_double, double_take, cube_state, double_pass=double_pass, gammons=gammons)
    mwc = [_mwc(equity, state, met) for equity in (no_double, double_take, double_pass)]
    return CubeAnalysis(
        position=position,
        state=state,
        probabilities=Outcomes(*(chances or _UNKNOWN)),
        cubeless_equity=_cubeless(cube.no_double, cube_state, met),
        no_double=no_double,
        double_take=double_take,
        double_pass=double_pass,
        mwc_no_double=mwc[0],
        mwc_double_take=mwc[1],
        mwc_double_pass=mwc[2],
        plies=cube.method.plies or 0,
        trials=cube.method.trials,
        no_double_error=_error(cube.no_double, state, met),
        double_take_error=_error(cube.double_take, state, met),
        rolled=_rolled(cube.method, (cube.no_double, cube.double_take), state, met),
        **judged(verdict, cube_state),
    )
