"""An analysed match: what `analyse` returns and every report reads."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum

from sixprime.analysis.depth import Depths
from sixprime.analysis.labels import table_of
from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS, Luck, Skill, Thresholds
from sixprime.checks import Instance
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.values import Equity, Unit
from sixprime.engine.results import CubeAnalysis, PlayAnalysis
from sixprime.game.position import Position
from sixprime.game.record import Match
from sixprime.game.state import MatchState
from sixprime.lazy import brief, drawn_by


class Phase(StrEnum):
    """Which part of a game a decision belongs to; `situations.phase_of` says where each begins."""

    OPENING = "opening"
    CONTACT = "contact"
    BACK_GAME = "back game"
    RACE = "race"
    BEAR_OFF = "bear-off"


class Plan(StrEnum):
    """What the player who decides is about, by the position; `situations.plan_of` says how that is told."""

    RACE = "race"
    BACK_GAME = "back game"
    ATTACK = "attack"
    PRIME = "prime"
    HOLDING = "holding"
    MIXED = "mixed"


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
    illegal: the play that was made breaks the rules. phase, plan: what kind of position it is for the player who
    decides.
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
    phase: Phase = Phase.CONTACT
    plan: Plan = Plan.MIXED

    @property
    def rolled_out(self) -> bool:
        """Whether what is judged best was rolled out."""
        best = self.plays[0] if self.plays else self.cube
        return best is not None and best.trials > 0

    @property
    def mwc_before(self) -> float | None:
        """Match-winning chance of player 0 before the decision; None for money, too."""
        return self.before.value if self.before is not None and self.before.unit is Unit.MWC else None


@dataclass(frozen=True, slots=True)
class Tally:
    """Decisions of one kind: how many, and what they lost (EMG; MWC or points)."""

    count: int = 0
    error: float = 0.0
    error_mwc: float = 0.0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.count + other.count, self.error + other.error, self.error_mwc + other.error_mwc)


@dataclass(frozen=True, slots=True)
class CubeFaults:
    """Every kind of cube error of a player.

    Missed doubles are told apart by the double / take equity: below the cash point (the opponent would take) or above
    it. Wrong doubles by the no double equity: below the doubling point or above the point where the position is too
    good to double.
    """

    missed_below_cash: Tally = Tally()
    missed_above_cash: Tally = Tally()
    doubled_too_weak: Tally = Tally()
    doubled_too_good: Tally = Tally()
    wrong_takes: Tally = Tally()
    wrong_passes: Tally = Tally()

    @property
    def missed(self) -> Tally:
        """All missed doubles."""
        return self.missed_below_cash + self.missed_above_cash

    @property
    def doubled(self) -> Tally:
        """All wrong doubles."""
        return self.doubled_too_weak + self.doubled_too_good


@dataclass(frozen=True, slots=True)
class PlayerStatistics:
    """Totals of one player over a game, a match or many. Errors are sums of losses >= 0, in EMG and in MWC
    (money: points, i.e. EMG times the cube).

    cube_total: all cube decisions, however clear; cube_decisions: close or actual ones. error_squares: sum of the
    squares of what each counted decision lost (EMG). phases, plans: counted decisions in the order of `Phase` and
    `Plan`. seconds, timed: time used, and for how many actions the file says so. Resignations do not count as
    decisions: too_early are those that gave more than the position was worth, too_cheap the opponent's that were
    accepted although it was worth more.
    """

    moves: int
    unforced_moves: int
    play_marks: tuple[int, int, int, int]  # none, doubtful, bad, very bad
    chequer_error_total: float
    chequer_error_mwc: float
    cube_total: int
    cube_decisions: int
    doubles: int
    takes: int
    passes: int
    cube_marks: tuple[int, int, int, int]  # of the close or actual ones
    faults: CubeFaults
    cube_error_total: float
    cube_error_mwc: float
    luck_marks: tuple[int, int, int, int, int]  # very unlucky, unlucky, none, lucky, very lucky
    luck_total: float
    luck_mwc: float
    actual_result: float  # match: MWC gained, -0.5..0.5; money: points
    luck_adjusted_result: float
    error_squares: float
    phases: tuple[Tally, Tally, Tally, Tally, Tally]
    plans: tuple[Tally, Tally, Tally, Tally, Tally, Tally]
    too_early: Tally = Tally()
    too_cheap: Tally = Tally()
    seconds: float = 0.0
    timed: int = 0

    @property
    def rolls(self) -> int:
        """Rolls whose luck is known."""
        return sum(self.luck_marks)

    @property
    def error_total(self) -> float:
        """Equity lost, plays and cubes."""
        return self.chequer_error_total + self.cube_error_total

    @property
    def error_mwc(self) -> float:
        """The same as match-winning chance or points."""
        return self.chequer_error_mwc + self.cube_error_mwc

    @property
    def decisions(self) -> int:
        """Decisions that count: unforced plays and close or actual cube decisions."""
        return self.unforced_moves + self.cube_decisions

    @property
    def chequer_error_rate(self) -> float:
        """Equity lost per unforced play."""
        return self.chequer_error_total / self.unforced_moves if self.unforced_moves else 0.0

    @property
    def cube_error_rate(self) -> float:
        """Equity lost per close or actual cube decision."""
        return self.cube_error_total / self.cube_decisions if self.cube_decisions else 0.0

    @property
    def error_per_decision(self) -> float:
        """Equity lost per counted decision."""
        return self.error_total / self.decisions if self.decisions else 0.0

    @property
    def luck_per_roll(self) -> float:
        """Equity that a roll brought on average."""
        return self.luck_total / self.rolls if self.rolls else 0.0

    @property
    def pr(self) -> float:
        """Performance rating: 500 x equity lost per counted decision; lower is better."""
        return 500.0 * self.error_per_decision

    @property
    def pr_error(self) -> float | None:
        """Standard error of `pr`: that of a mean of independent decisions, s / sqrt(n); None for fewer than two."""
        number = self.decisions
        if number < 2:
            return None
        variance = (self.error_squares - number * self.error_per_decision**2) / (number - 1)
        return 500.0 * math.sqrt(max(variance, 0.0) / number)


@dataclass(frozen=True, slots=True)
class Resignation:
    """A resignation that ended a game, judged.

    action: index into `Game.actions`. player: who resigned. points: those given, as equity normalised to the cube (1, 2
    or 3; less where the match ends). value: equity of the player who resigned had he played on, the dice still to be
    thrown where `dice` is None. given_away: what resigning lost him; let_off: what the opponent lost by accepting;
    both >= 0, the `..._mwc` as match-winning chance or points.
    """

    action: int
    player: int
    points: float
    dice: tuple[int, int] | None
    value: float
    given_away: float
    given_away_mwc: float
    given_away_mark: Skill
    let_off: float
    let_off_mwc: float
    let_off_mark: Skill


@dataclass(frozen=True, slots=True)
class GameAnalysis:
    """Decisions of one game in order, each player's totals, and the resignation that ended it, if one did."""

    decisions: tuple[Decision, ...]
    statistics: tuple[PlayerStatistics, PlayerStatistics]

    resignation: Resignation | None = None

    def __repr__(self) -> str:
        return brief(self, f"of {len(self.decisions)} decisions")


@dataclass(frozen=True, slots=True)
class AnalysedMatch:
    """A match with every decision judged.

    settings: describes the analysis in words ("2-ply, Normal"). finished: whether all games have been judged and all
    rollouts made that were asked for; an interrupt leaves some out, of `games` the last ones. thresholds: where marks
    begin.
    depths: how closely the players' decisions were looked at; None for the analysis of another program. judge: the
    `identity` of the engine; empty likewise. label: of the settings (`labels.py`); empty likewise.
    met: the match equity table of its numbers; None where only the label can tell (`table`).
    """

    match: Match
    games: tuple[GameAnalysis, ...]
    statistics: tuple[PlayerStatistics, PlayerStatistics]
    settings: str
    seconds: float = 0.0
    finished: bool = True
    thresholds: Thresholds = DEFAULT_THRESHOLDS
    depths: Depths | None = None
    judge: str = ""
    label: str = ""
    met: MatchEquityTable | None = field(default=None, repr=False, compare=False)

    def __repr__(self) -> str:
        names = " - ".join(player.name[:40] for player in self.match.players)
        return brief(self, f"{names}: {len(self.decisions)} decisions, {self.settings}")

    _repr_html_ = drawn_by("report")

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """All decisions in order."""
        return tuple(decision for game in self.games for decision in game.decisions)

    @property
    def table(self) -> MatchEquityTable:
        """The match equity table of its numbers, as far as is known."""
        return self.met or table_of(self.label)


ANALYSED = Instance(AnalysedMatch)
