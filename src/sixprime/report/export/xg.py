"""XG's text of positions, as it is pasted into forums and into XG."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sixprime.analysis.foreign import source_of
from sixprime.analysis.kept import judgement
from sixprime.analysis.model import Decision, DecisionKind
from sixprime.errors import SettingsError, SixprimeError
from sixprime.formats.xg_text import format_position
from sixprime.game.record import Action
from sixprime.report import words
from sixprime.report.export.forms import Files, Job
from sixprime.report.export.pages import Turn

TEMPLATE = "xg.txt"


@dataclass(frozen=True, slots=True)
class Entry:
    """A decision. text: as XG writes it; played: what was done and what that lost, in a line; empty for nothing."""

    text: str
    played: str


def render(job: Job) -> Files:
    """One file with every decision that is shown. Raises SettingsError for a position that XG has no text for."""
    job.templates.check(TEMPLATE)
    match = job.analysed.match
    entries = []
    for _, page in job.pages():
        for turn in page.turns:
            for decision in turn.decisions or (None,):
                action = None if decision is None else match.games[decision.game].actions[decision.action]
                if (shown := _shown(job, turn, decision, action)) is not None:
                    try:
                        text = format_position(shown, page.names)
                    except SixprimeError as error:
                        raise SettingsError(f"game {page.number}, move {turn.number}: {error}") from None
                    entries.append(Entry(text.rstrip(), _done(decision, page.names) if job.options.analysis else ""))
    return [(job.name, job.templates.render(TEMPLATE, entries=entries, date=job.date))]


def _shown(job: Job, turn: Turn, decision: Decision | None, action: Action | None) -> Action | None:
    """A position with what is to be said of it; None for nothing."""
    options = job.options
    if decision is None or action is None or not options.analysis:
        board = turn.board
        if board is None:
            return None
        return Action(turn.kind, turn.player, board.position, board.state, board.state.dice)
    play = decision.kind is DecisionKind.PLAY
    if (turn.plays if play else turn.cube) is None:
        return None
    (analysis,) = judgement((decision,), job.analysed.table, source_of(job.analysed) or "")
    if play:
        chosen = [
            each if options.moves_probabilities else replace(each, value=replace(each.value, probabilities=None))
            for place, each in enumerate(analysis.plays)
            if place < options.moves_number or place == decision.played
        ]
        return replace(action, analyses=(replace(analysis, cube=None, plays=tuple(chosen)),))
    cube = analysis.cube
    if cube is not None and not options.cube_probabilities:
        cube = replace(
            cube,
            no_double=replace(cube.no_double, probabilities=None),
            double_take=replace(cube.double_take, probabilities=None),
        )
    return replace(
        action,
        dice=None,
        state=action.state.with_dice(None),
        analyses=(replace(analysis, cube=cube, plays=()),),
    )


def _done(decision: Decision | None, names: tuple[str, str]) -> str:
    if decision is None or not decision.chosen:
        return ""
    lost = f" ({-decision.error:+.3f})" if words.loss(decision.error) else ""
    return f"{names[decision.player]}: {decision.chosen}{lost}"
