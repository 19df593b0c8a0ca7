"""Positions that belong to no match, as what the library keeps: an analysed match that is no more than a position."""

from __future__ import annotations

from dataclasses import replace

from sixprime.analysis.model import AnalysedMatch, DecisionKind
from sixprime.analysis.single import PositionEngine, judged_position, position_match
from sixprime.checks import Instance
from sixprime.errors import SettingsError
from sixprime.game.position import Position
from sixprime.game.state import MatchState
from sixprime.store.identity import one_line

_LONGEST = 1000
_NOTE = "comment"
"""Where `Match.info` has the note."""


def noted_position(position: Position, state: MatchState, engine: PositionEngine, note: str = "") -> AnalysedMatch:
    """A judged position with a note. Raises SettingsError for what is none of these and where nothing is to be decided,
    EngineError."""
    Instance(Position)("position", position)
    Instance(MatchState)("state", state)
    Instance(PositionEngine, "an engine")("engine", engine)
    note = checked_note(note)
    position.check()
    if position.winner is not None:
        raise SettingsError("the game is over: there is nothing to decide")
    if state.beavered or state.resigned:
        what = "beaver" if state.beavered else "resignation"
        raise SettingsError(f"a {what} waits for its answer; plays, doubles and takes are kept. Found: {what}")
    match = position_match(position, state)
    analysed = judged_position(match, engine)
    (decision,) = analysed.decisions
    if decision.kind is not DecisionKind.PLAY and (decision.cube is None or not decision.cube.available):
        raise SettingsError("nobody may double here, and there is no roll: give the dice")
    return with_note(analysed, note)


def checked_note(note: str) -> str:
    """A note in one line. Raises SettingsError."""
    return one_line("a note", note, 0, _LONGEST)


def with_note(analysed: AnalysedMatch, note: str) -> AnalysedMatch:
    """The same position with another note."""
    match = analysed.match
    return replace(analysed, match=replace(match, info={**match.info, _NOTE: note}))


def note_of(analysed: AnalysedMatch) -> str:
    """The note of a position, empty without one."""
    return analysed.match.info.get(_NOTE, "")
