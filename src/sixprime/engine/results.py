"""What the engine answers. All values are for the player on roll (the mover, the doubler)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sixprime.cube.decision import Verdict, in_words
from sixprime.cube.state import CubeState
from sixprime.engine.rollout_settings import RolloutSettings
from sixprime.game import doubling
from sixprime.game.outcomes import Outcomes
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.quick import maker
from sixprime.game.state import MatchState
from sixprime.lazy import brief, drawn_by


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a position is worth to the player on roll, before rolling, cube not yet turned.

    cubeless_equity: for money, gammons counted: 2w - 1 + (wg - lg) + (wbg - lbg).
    cubeful_equity: with the cube in play; normalised to the current cube (EMG in match play).
    mwc: match-winning chance that `cubeful_equity` stands for; None for money.
    effective_x: cube efficiency for which Janowski's model on these probabilities gives this cubeful value; None
    where a live and a dead cube are worth the same.
    """

    position: Position
    probabilities: Outcomes
    cubeless_equity: float
    cubeful_equity: float
    mwc: float | None
    plies: int
    position_class: str
    effective_x: float | None = None

    def __repr__(self) -> str:
        return brief(self, f"{self.cubeful_equity:+.4f}, wins {self.probabilities[0]:.4f}, {self.plies}-ply")

    _repr_html_ = drawn_by("evaluation")

    @property
    def equity(self) -> float:
        """The same as `cubeless_equity`."""
        return self.cubeless_equity


@dataclass(frozen=True, slots=True)
class RolledValue:
    """What a rollout says of one alternative, beside its cubeful equity, for the player who decides.

    cubeless_equity: normalised to the cube that these games begin with, of double, take the doubled one; for money all
    gammons count. errors: standard errors of the five chances and of `cubeless_equity`; empty where they are not known.
    """

    probabilities: Outcomes
    cubeless_equity: float
    errors: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Rolled:
    """How something was rolled out.

    values: of a play its own; of a cube decision that of no double and, where there may be one, of double, take.
    settings: None where they are not known. search_games: the search before it counts as so many games.
    """

    values: tuple[RolledValue, ...]
    settings: RolloutSettings | None = None
    search_games: int = 0


@dataclass(frozen=True, slots=True)
class PlayAnalysis:
    """One candidate play, judged for the player who makes it (not for the opponent on roll after it).

    cubeful_equity: what ranks plays (EMG in match play); equity_loss: >= 0, behind the best play. cubeless_equity: by
    the rules of the state, unlike that of `Evaluation`, as in `CubeAnalysis`.
    effective_x: as in `Evaluation`; None, too, where the opponent doubles and after a rollout.
    trials: games it was rolled out for, 0 when searched; equity_error: then the standard error of `cubeful_equity`,
    rolled: and what else is known of that.
    """

    play: Play
    probabilities: Outcomes
    cubeful_equity: float
    equity_loss: float
    cubeless_equity: float
    mwc: float | None
    plies: int
    effective_x: float | None = None
    trials: int = 0
    equity_error: float | None = None
    rolled: Rolled | None = None

    def __repr__(self) -> str:
        return brief(self, f"{str(self.play) or 'no move'} {self.cubeful_equity:+.4f}, {self.plies}-ply")

    _repr_svg_ = drawn_by("judged_play")

    @property
    def equity(self) -> float:
        """The same as `cubeful_equity`."""
        return self.cubeful_equity


new_analysis = maker(PlayAnalysis)


def brief_ranking(plays: Sequence[PlayAnalysis]) -> str:
    """The `__repr__` of ranked plays: how many, and the best ones."""
    best = ", ".join(f"{str(each.play) or 'no move'} {each.cubeful_equity:+.3f}" for each in plays[:3])
    return brief(plays, f"of {len(plays)}: {best}{', ...' if len(plays) > 3 else ''}")


class RankedPlays(list[PlayAnalysis]):
    """The plays of a roll, best first, as a list that shows itself in notebooks."""

    __slots__ = ()

    __repr__ = brief_ranking
    _repr_html_ = drawn_by("ranking")


@dataclass(frozen=True, slots=True)
class CubeAnalysis:
    """A cube decision seen by the player who may double.

    cubeless_equity: by the rules of the state, unlike that of `Evaluation`: with Jacoby's rule gammons of a centred
    cube do not count, in a match as the score has it.
    no_double, double_take, double_pass: cubeful equities normalised to the cube before doubling
    (double_pass is +1), mwc_*: the same as match-winning chances, None for money.
    action: in words ("No double, take", "Double, pass", "Too good to double, pass", "Optional double, take",
    "Redouble, take", "Double, beaver", ...). available: False when the player cannot double (cube owned by
    the opponent, Crawford game, dead cube ...); then `action` says why, and only no_double counts.
    wrong_share: not doubling is right unless the opponent errs with at least this chance, by passing, or when too
    good by taking; None where the double is right or impossible, or no error makes it right.
    take_points: winning chances from which the opponent takes, with a dead and with a live cube; None where the
    player cannot double. effective_x: as in `Evaluation`, of no double; None after a rollout.
    trials: games it was rolled out for, 0 when searched; `..._error`: then standard errors, rolled: and what else is
    known of that.
    """

    position: Position
    state: MatchState
    probabilities: Outcomes
    cubeless_equity: float
    no_double: float
    double_take: float
    double_pass: float
    mwc_no_double: float | None
    mwc_double_take: float | None
    mwc_double_pass: float | None
    available: bool
    should_double: bool
    should_take: bool
    should_beaver: bool
    too_good: bool
    action: str
    plies: int
    wrong_share: float | None = None
    take_points: tuple[float, float] | None = None
    effective_x: float | None = None
    trials: int = 0
    no_double_error: float | None = None
    double_take_error: float | None = None
    rolled: Rolled | None = None

    def __repr__(self) -> str:
        double = f", double, take {self.double_take:+.4f}" if self.available else ""
        return brief(self, f"{self.action}; no double {self.no_double:+.4f}{double}, {self.plies}-ply")

    _repr_html_ = drawn_by("cube")

    @property
    def optimal(self) -> float:
        """Equity of the doubler when both sides act best, normalised to the cube before doubling."""
        if not self.available:
            return self.no_double
        return doubling.best(self.no_double, self.double_take, self.double_pass, beaver=self.should_beaver)

    @property
    def after_double(self) -> float:
        """Equity of the doubler once he doubled, the opponent answering best; a beaver doubles the stakes again."""
        return doubling.after_double(self.double_take, self.double_pass, beaver=self.should_beaver)


def judged(verdict: Verdict, state: CubeState) -> dict[str, Any]:
    """The fields of a `CubeAnalysis` that follow from its equities."""
    return {
        "available": verdict.available,
        "should_double": verdict.should_double,
        "should_take": verdict.should_take,
        "should_beaver": verdict.should_beaver,
        "too_good": verdict.too_good,
        "action": in_words(verdict, state),
        "wrong_share": verdict.wrong_share,
    }
