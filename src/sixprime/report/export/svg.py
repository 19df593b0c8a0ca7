"""Positions as SVG or PNG, one picture each; where there is an analysis, arrows show the play made and the best one."""

from __future__ import annotations

from sixprime.analysis.model import DecisionKind
from sixprime.errors import SettingsError
from sixprime.formats import places_for
from sixprime.report.export.forms import Files, Job
from sixprime.report.export.pages import Turn
from sixprime.report.svg import LIGHT, board_svg


def drawings(job: Job) -> list[tuple[str, str]]:
    """Names and drawings of all boards that are shown. Raises SettingsError for none."""
    turns = [turn for _, page in job.pages() for turn in page.turns if turn.board is not None]
    if not turns:
        raise SettingsError("there is no board to draw; --board 1 draws all of them")
    names = [place.name for place in places_for(job.name, len(turns))]
    return [(name, _drawn(turn, job)) for name, turn in zip(names, turns, strict=True)]


def render(job: Job) -> Files:
    """A file for each board."""
    return drawings(job)


def _drawn(turn: Turn, job: Job) -> str:
    board = turn.board
    assert board is not None
    decision = next((each for each in turn.decisions if each.kind is DecisionKind.PLAY), None)
    played = best = None
    if decision is not None and decision.plays and job.options.analysis:
        best = decision.plays[0].play
        played = None if decision.played is None else decision.plays[decision.played].play
    return board_svg(board.position, board.state, played=played, best=best, bear_off=job.options.bear_off, theme=LIGHT)
