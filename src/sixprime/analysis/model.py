"""An analysed match: what `analyse` returns and every report reads."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, Luck, Skill, Thresholds
from sixprime.cube.values import Equity, Unit
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.game.position import Position
from sixprime.game.record import Match
from sixprime.game.state import MatchState


class DecisionKind(StrEnum):
    """What was decided."""

    PLAY = "play"
    DOUBLE = "double"  # whether to double
    TAKE = "take"  # whether to take


@dataclass(frozen=True, slots=True)
class Decision:
    """One judged decision (or a forced play, kept for its luck).

    game, action: indices into `Match.games` and `Game.actions`; for "no double" decisions `action` is the
    index of the move that followed. move_number: row number within the game, from 1.
    position: seen by the player who decides; for TAKE it is still the doubler's view (`cube` too) and
    `player` is the one who answers.
    plays: candidates best first, the played one always among them at index `played` (None for cubes and for
    illegal plays). error: equity lost, >= 0, normalised (EMG); error_mwc the same in match-winning chance.
    luck: equity of the roll's best play minus the mean over rolls, the roller's view; None where no roll.
    forced: at most one legal play. counted: enters the error rate (unforced play; close or actual cube).
    before: what player 0 had before the decision (for a play: before the dice), match-winning chance or points; None
    after a play that could not be judged.
    illegal: the play that was made breaks the rules.
    """

    game: int
    action: int
    move_number: int
    player: int
    kind: DecisionKind
    position: Position
    state: MatchState
    dice: tuple[int, int] | None
    chosen: str
    best: str
    plays: tuple[PlayAnalysis, ...]
    played: int | None
    cube: CubeAnalysis | None
    error: float
    error_mwc: float
    skill: Skill
    luck: float | None
    luck_mwc: float | None
    luck_mark: Luck
    forced: bool
    counted: bool
    before: Equity | None
    illegal: bool = False

    @property
    def mwc_before(self) -> float | None:
        """Match-winning chance of player 0 before the decision; None for money, too."""
        return self.before.value if self.before is not None and self.before.unit is Unit.MWC else None


@dataclass(frozen=True, slots=True)
class PlayerStatistics:
    """Totals of one player over a game or a match. Errors are sums of losses >= 0, in EMG and in MWC
    (money: points, i.e. EMG times the cube)."""

    moves: int
    unforced_moves: int
    play_marks: tuple[int, int, int, int]  # none, doubtful, bad, very bad
    chequer_error_total: float
    chequer_error_mwc: float
    cube_decisions: int  # close or actual
    doubles: int
    takes: int
    passes: int
    missed_doubles: int
    wrong_doubles: int
    wrong_takes: int
    wrong_passes: int
    missed_double_error: float
    wrong_double_error: float
    wrong_take_error: float
    wrong_pass_error: float
    cube_error_total: float
    cube_error_mwc: float
    luck_marks: tuple[int, int, int, int, int]  # very unlucky, unlucky, none, lucky, very lucky
    luck_total: float
    luck_mwc: float
    actual_result: float  # match: MWC gained, -0.5..0.5; money: points
    luck_adjusted_result: float

    @property
    def error_total(self) -> float:
        """Equity lost, plays and cubes."""
        return self.chequer_error_total + self.cube_error_total

    @property
    def decisions(self) -> int:
        """Decisions that count: unforced plays and close or actual cube decisions."""
        return self.unforced_moves + self.cube_decisions

    @property
    def error_per_decision(self) -> float:
        """Equity lost per counted decision."""
        return self.error_total / self.decisions if self.decisions else 0.0

    @property
    def pr(self) -> float:
        """Performance rating: 500 x equity lost per counted decision; lower is better."""
        return 500.0 * self.error_per_decision


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """Decisions of one game in order, and each player's totals."""

    decisions: tuple[Decision, ...]
    statistics: tuple[PlayerStatistics, PlayerStatistics]


@dataclass(frozen=True, slots=True)
class AnalysedMatch:
    """A match with every decision judged.

    settings: describes the analysis in words ("2-ply, Normal"). finished: whether all rollouts that were asked for have
    been made; an interrupt leaves some out. thresholds: where marks begin.
    """

    match: Match
    games: tuple[GameAnalysis, ...]
    statistics: tuple[PlayerStatistics, PlayerStatistics]
    settings: str
    seconds: float = 0.0
    finished: bool = True
    thresholds: Thresholds = DEFAULT_THRESHOLDS

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """All decisions in order."""
        return tuple(decision for game in self.games for decision in game.decisions)
