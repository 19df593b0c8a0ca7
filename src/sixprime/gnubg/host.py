"""The seam to what plays: `Host` is all that the module asks of an interpreter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from sixprime.errors import RulesError

if TYPE_CHECKING:
    from sixprime.analysis.model import AnalysedMatch
    from sixprime.cube.met import MatchEquityTable
    from sixprime.engine import Engine
    from sixprime.engine.filters import MoveFilter
    from sixprime.game.position import Position
    from sixprime.game.record import Match
    from sixprime.game.state import MatchState


class NoGameError(RulesError):
    """There is no game in progress, or no interpreter that could have one."""


class Host(Protocol):
    """An interpreter, as far as the module knows it."""

    def situation(self) -> tuple[Position, MatchState] | None:
        """Board and state now, seen by `state.on_roll`; None without a game."""

    def match(self) -> Match | None:
        """The match so far; None without one."""

    def analysed(self) -> AnalysedMatch | None:
        """What is known of its decisions; None before any analysis."""

    def met(self) -> MatchEquityTable:
        """The match equity table in use."""

    def context(self, cube: bool) -> dict[str, Any]:
        """The eval context of hints, as `gnubg.evalcontext` writes it, for cubes or plays."""

    def analysis_context(self) -> dict[str, Any]:
        """The eval context of plays in analyses."""

    def errorless(self) -> float:
        """The FIBS rating of who makes no errors."""

    def jacoby(self) -> bool:
        """Whether Jacoby's rule holds in money play."""

    def rollout(self) -> dict[str, Any]:
        """Settings of rollouts that differ from the defaults of `gnubg.rolloutcontext`."""

    def filter(self) -> MoveFilter:
        """The move filter of hints."""

    def engine(self, context: dict[str, Any]) -> Engine | None:
        """An engine of an eval context, with the filter of hints and all else that is set; None: any that is so."""

    def set_filter(self, moves: MoveFilter) -> None:
        """Takes another one."""

    def throw(self) -> tuple[int, int]:
        """The next dice of the generator in use."""

    def run(self, line: str) -> None:
        """Carries out a command."""

    def answer(self, line: str) -> str:
        """Carries out a command and returns what it would have printed to standard output."""

    def navigate(self, games: int | None, records: int | None) -> tuple[int, int] | None:
        """Goes so many games and actions on, both None: to the start. Returns the actions and games that are left, None
        where it went so far."""

    def next_turn(self) -> None:
        """Has the player whose turn it is decide."""


_served: list[Host] = []


def serve(host: Host | None) -> None:
    """Makes an interpreter the one whose game the functions concern; None for none."""
    _served[:] = [] if host is None else [host]


def served() -> Host | None:
    """The interpreter now, None without one."""
    return _served[0] if _served else None


def host() -> Host:
    """The same. Raises NoGameError without one."""
    if not _served:
        raise NoGameError("no interpreter: run the script by sixprime gnubg -p, or gnubg.serve one")
    return _served[0]


def situation() -> tuple[Position, MatchState]:
    """Board and state now. Raises NoGameError without a game."""
    now = host().situation()
    if now is None:
        raise NoGameError("no game in progress: set up a board first")
    return now
