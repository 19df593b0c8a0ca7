"""Analyses that are kept: written into their matches as formats take them, found there again, and used where they have
judged closely enough.

A match with our analysis holds it as that of any program, under our name; what made it is kept with each game that was
judged, in the property SX of SGF: the depth of both players, the engine, and the label of the settings. Files of
eXtreme Gammon have the same in their comment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sixprime._version import __version__
from sixprime.analysis.depth import Depth, Depths, text_of
from sixprime.analysis.drafts import Answers, Draft, Requests, drafts_of
from sixprime.analysis.foreign import OWN, foreign, is_own, source_of, sources
from sixprime.analysis.labels import cubeless, settled, ships
from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind
from sixprime.analysis.rollout_context import line_of
from sixprime.analysis.statistics import totals
from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, Thresholds
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.values import worth
from sixprime.engine.judge import DOUBTED, is_doubtful
from sixprime.engine.results import CubeAnalysis, PlayAnalysis, RolledValue
from sixprime.errors import SettingsError
from sixprime.game.record import (
    MADE_BY,
    MADE_WITH,
    MAKING,
    Action,
    ForeignAnalysis,
    ForeignCube,
    ForeignPlay,
    Game,
    Match,
    Method,
    Value,
)
from sixprime.game.state import MatchState

_OURS = (MADE_BY, MADE_WITH, "sgf:SIXPRIME", "sgf:GS")
"""Extras of a game that belong to an analysis: how it was made, formerly so, and totals."""


def with_analysis(analysed: AnalysedMatch) -> Match:
    """The match with this analysis in the place of all others; games that were not judged have none.

    One of another program stays as it came.
    """
    depths = analysed.depths
    other = source_of(analysed)
    label, met = f"[{analysed.label}]" if analysed.label else "", analysed.table
    packed = () if depths is None or ships(met) else ((MADE_WITH, f"[{met.packed}]"),)
    games = []
    for number, game in enumerate(analysed.match.games):
        extras = tuple(each for each in game.extras if each[0] not in _OURS)
        extras = extras if number else (*extras, *packed)
        found: dict[int, list[Decision]] = {}
        if number < len(analysed.games):
            for decision in analysed.games[number].decisions:
                found.setdefault(decision.action, []).append(decision)
            if depths is not None:
                extras = (*extras, (MADE_BY, f"[{depths[0].spec}][{depths[1].spec}][{analysed.judge}]{label}"))
        actions = [
            replace(action, analyses=_from(action, other) if other else judgement(found.get(place, ()), met, how=label))
            for place, action in enumerate(game.actions)
        ]
        games.append(replace(game, actions=tuple(actions), extras=extras))
    return replace(analysed.match, games=tuple(games))


def own_analysis(
    match: Match, *, met: MatchEquityTable | None = None, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> AnalysedMatch | None:
    """The analysis of ours that a match came with, None without one; of a match that was not judged to its end, the
    games that were."""
    source = next((name for name in sources(match) if is_own(name)), None)
    made_by = []
    for game in match.games:
        found = MAKING.fullmatch(next((text for key, text in game.extras if key == MADE_BY), ""))
        if found is None:
            break
        made_by.append(found.groups())
    if source is None or not made_by:
        return None
    try:
        one, other = (Depth.parse(text, Depth()) for text in made_by[0][:2])
    except SettingsError:
        return None
    alike = len(set(made_by)) == 1
    label = (made_by[0][3] or "") if alike else ""
    analysed = foreign(match, source, met=met, thresholds=thresholds)
    games = analysed.games[: len(made_by)]
    return replace(
        analysed,
        games=games,
        statistics=totals(games),
        settings=text_of((one, other)),
        finished=len(games) == len(match.games),
        depths=(one, other),
        judge=made_by[0][2] if alike else "",
        label=settled(label, analysed.table),
    )


def kept_analysis(
    match: Match, *, met: MatchEquityTable | None = None, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> AnalysedMatch | None:
    """All that is known of a match by the analyses in it: ours where it is of everything that was judged, else that of
    another program, with ours of what that one does not judge. None without any."""
    if not sources(match):
        return None
    own = own_analysis(match, met=met, thresholds=thresholds)
    every = all(
        not action.analyses or any(is_own(each.source) for each in action.analyses)
        for game in match.games
        for action in game.actions
    )
    if own is not None and own.finished and every:
        return own
    return foreign(match, met=met, thresholds=thresholds)


_PARTS = {
    "plays": ("plays", "played", "play_mark"),
    "cubes": ("cube", "cube_mark"),
    "luck": ("luck", "luck_mwc", "luck_mark"),
}
"""Fields of an analysis by what they judge."""


def with_known(
    before: Match, judged: Match, *, players: Sequence[bool], plays: bool, cubes: bool, luck: bool
) -> Match:  # fmt: skip
    """A match that was judged anew, with what was known `before` of all that was not to be judged.

    players: which of both were judged; plays, cubes, luck: whether these were.
    """
    wanted = {"plays": plays, "cubes": cubes, "luck": luck}
    rest = [name for part, names in _PARTS.items() if not wanted[part] for name in names]

    def told(known: Action, action: Action) -> Action:
        if not players[action.player] or not action.analyses:
            return replace(action, analyses=known.analyses)
        if not rest or not known.analyses:
            return action
        parts = {name: getattr(known.analyses[0], name) for name in rest}
        return replace(action, analyses=(replace(action.analyses[0], **parts),))

    games = [
        replace(game, actions=tuple(map(told, known.actions, game.actions)))
        for known, game in zip(before.games, judged.games, strict=True)
    ]
    return replace(judged, games=tuple(games))


def _from(action: Action, source: str) -> tuple[ForeignAnalysis, ...]:
    """The analysis of a program, ours where it has none."""
    found = tuple(analysis for analysis in action.analyses if analysis.source == source)
    return found or tuple(analysis for analysis in action.analyses if is_own(analysis.source))


def judgement(
    decisions: Sequence[Decision], met: MatchEquityTable, source: str = "", *, how: str = ""
) -> tuple[ForeignAnalysis, ...]:
    """What was judged of an action, as formats take it; nothing without a decision. met: with which it was judged.
    source: who judged, by default we; how: the label."""
    if not decisions:
        return ()
    found = ForeignAnalysis(source or f"{OWN} {__version__}")
    for decision in decisions:
        if decision.kind is DecisionKind.PLAY:
            found = replace(
                found,
                plays=tuple(_play(play, decision.state, met, cubeful=not cubeless(how)) for play in decision.plays),
                played=decision.played,
                luck=decision.luck,
                luck_mwc=decision.luck_mwc,
                play_mark=int(decision.skill) or None,
                luck_mark=int(decision.luck_mark) or None,
            )
        elif decision.cube is not None:
            found = replace(found, cube=_cube(decision.cube, met), cube_mark=int(decision.skill) or None)
    return (found,)


def _method(judged: PlayAnalysis | CubeAnalysis, state: MatchState, *, cubeful: bool = True) -> Method:
    if not judged.trials:
        return Method(f"{judged.plies}-ply", plies=judged.plies, cubeful=cubeful)
    settings = None if judged.rolled is None else judged.rolled.settings
    if settings is None:
        return Method("Rollout", trials=judged.trials)
    return Method("Rollout", cubeful=settings.cubeful, trials=judged.trials, settings=line_of(settings, state.on_roll))


def _errors(error: float | None, rolled: RolledValue, state: MatchState, met: MatchEquityTable) -> tuple[float, ...]:
    """Those of chances and equities as files hold them: the last for money by one point, in a match in match-winning
    chance."""
    if error is None:
        return ()
    return (*rolled.errors, error if state.money else error * worth(state, met))


def _play(play: PlayAnalysis, state: MatchState, met: MatchEquityTable, *, cubeful: bool) -> ForeignPlay:
    alone = RolledValue(play.probabilities, play.cubeless_equity)
    rolled = alone if play.rolled is None else play.rolled.values[0]
    errors = _errors(play.equity_error, rolled, state, met)
    value = Value(play.probabilities, rolled.cubeless_equity, play.cubeful_equity, play.mwc, errors)
    return ForeignPlay(play.play, value, _method(play, state, cubeful=cubeful))


def _cube(cube: CubeAnalysis, met: MatchEquityTable) -> ForeignCube:
    alone = RolledValue(cube.probabilities, cube.cubeless_equity)
    rolled = (alone,) if cube.rolled is None else cube.rolled.values
    rows = [
        Value(value.probabilities, value.cubeless_equity, equity, mwc, _errors(error, value, cube.state, met))
        for value, equity, mwc, error in (
            (rolled[0], cube.no_double, cube.mwc_no_double, cube.no_double_error),
            (rolled[-1], cube.double_take, cube.mwc_double_take, cube.double_take_error),
        )
    ]
    passed = Value(equity=cube.double_pass, mwc=cube.mwc_double_pass)
    return ForeignCube(rows[0], rows[1], _method(cube, cube.state), passed)


def give_kept(
    match: Match, earlier: AnalysedMatch, drafts: Sequence[Sequence[Draft]], wanted: Depths, answers: Answers
) -> int:
    """Adds to the answers what `earlier` has judged as closely as wanted of each player; how many decisions that is.

    drafts: of each game of the match. Only of games that are the same in both; nothing of another length or score.
    """
    given = 0
    if match.length != earlier.match.length:
        return 0
    bases = earlier.depths or (Depth(None, None),) * 2
    for game, was, judged, of_game in zip(match.games, earlier.match.games, earlier.games, drafts, strict=False):
        if not same_game(game, was):
            continue
        known = {(decision.action, decision.kind): decision for decision in judged.decisions}
        for draft in of_game:
            decision = None if draft.kind is None else known.get((draft.number, draft.kind))
            if decision is not None:
                given += _take(draft, decision, bases[decision.player], wanted[decision.player], answers)
    return given


def _take(draft: Draft, decision: Decision, base: Depth, wanted: Depth, answers: Answers) -> bool:
    """Adds what a decision has to the answers; whether it was looked at closely enough. base: how closely all were."""
    taken = False
    if draft.plays is not None and decision.plays and (decision.played is not None or decision.illegal):
        closest = decision.plays[:1] + (() if decision.played is None else (decision.plays[decision.played],))
        if base.enough_for_plays(wanted) or all(_deeper(play, base, wanted) for play in closest):
            answers.plays[draft.plays] = decision.plays
            taken = True
    if draft.cube is not None and decision.cube is not None and _enough(decision.cube, base, wanted):
        answers.cubes.setdefault(draft.cube, decision.cube)
        taken = True
    if draft.roll is not None and decision.luck is not None:
        answers.luck[draft.roll] = decision.luck
    return taken


def kept_answers(analysed: AnalysedMatch) -> tuple[list[list[Draft]], Answers]:
    """What an analysis asked, game by game, and all the answers that it holds."""
    depths = analysed.depths or (Depth(None, None),) * 2
    requests, answers = Requests(apart=depths[0].cube_plies != depths[1].cube_plies), Answers()
    drafts = [drafts_of(analysed.match, game, requests) for game in analysed.match.games]
    give_kept(analysed.match, analysed, drafts, depths, answers)
    return drafts, answers


def _enough(cube: CubeAnalysis, base: Depth, wanted: Depth) -> bool:
    """Whether a cube decision was looked at as closely as an analysis that is `wanted` would.

    That searches close ones of 2 plies a third; with its own third ply one is no sign of an analysis at 3.
    """
    if cube.trials or wanted.cube_plies is None:
        return True
    if wanted.cube_plies == cube.plies == DOUBTED:
        return not cube.available or not is_doubtful(cube.no_double, cube.double_take)
    if cube.plies == DOUBTED + 1 == wanted.cube_plies and base.cube_plies == DOUBTED:
        return False
    return cube.plies >= wanted.cube_plies


def _deeper(play: PlayAnalysis, base: Depth, wanted: Depth) -> bool:
    """Whether a play was rolled out, or judged again further than all others."""
    beyond = base.plies is None or play.plies > base.plies
    return play.trials > 0 or (beyond and wanted.plies is not None and play.plies >= wanted.plies)


def same_game(one: Game, other: Game) -> bool:
    """Whether two records are of the same game: score, actions and dice are the same, in whatever order the dice."""
    return (
        one.score == other.score
        and one.crawford == other.crawford
        and len(one.actions) == len(other.actions)
        and all(map(_same_action, one.actions, other.actions))
    )


def _same_action(one: Action, other: Action) -> bool:
    if (one.kind, one.player, one.value) != (other.kind, other.player, other.value):
        return False
    if sorted(one.dice or ()) != sorted(other.dice or ()):
        return False
    if one.position != other.position:
        return False
    results = [None if action.play is None else action.play.result for action in (one, other)]
    return results[0] == results[1]
