"""Cube decisions in words, from the three equities of the player who may double.

Equities are normalised to the cube before the double, so a pass is worth +1.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, unique

import numpy as np
from numpy.typing import NDArray

from sixprime.checks import FLAG, Real
from sixprime.cube.state import CUBE_STATE, CubeState
from sixprime.game.doubling import PASS, after_double, best, takes
from sixprime.game.match_rules import Against

_EQUITY = Real(-1e9, 1e9)
TOLERANCE = 1e-5
"""Equities closer than this are equal: the double is optional."""


@unique
class CubeAction(IntEnum):
    """What is right for both sides; numbered as by GNU Backgammon, except the last."""

    DOUBLE_TAKE = 0
    DOUBLE_PASS = 1
    NO_DOUBLE_TAKE = 2
    TOO_GOOD_TAKE = 3
    TOO_GOOD_PASS = 4
    DOUBLE_BEAVER = 5
    NO_DOUBLE_BEAVER = 6
    REDOUBLE_TAKE = 7
    REDOUBLE_PASS = 8
    NO_REDOUBLE_TAKE = 9
    TOO_GOOD_TO_REDOUBLE_TAKE = 10
    TOO_GOOD_TO_REDOUBLE_PASS = 11
    NO_REDOUBLE_BEAVER = 12
    DEAD_CUBE = 13
    DEAD_CUBE_OWNED = 14
    UNAVAILABLE = 15
    OPTIONAL_DOUBLE_TAKE = 16
    OPTIONAL_REDOUBLE_TAKE = 17
    OPTIONAL_DOUBLE_BEAVER = 18
    OPTIONAL_DOUBLE_PASS = 19
    OPTIONAL_REDOUBLE_PASS = 20
    REDOUBLE_BEAVER = 21

    @property
    def text(self) -> str:
        """The action in words."""
        return _TEXTS[self]


_TEXTS = {
    CubeAction.DOUBLE_TAKE: "Double, take",
    CubeAction.DOUBLE_PASS: "Double, pass",
    CubeAction.NO_DOUBLE_TAKE: "No double, take",
    CubeAction.TOO_GOOD_TAKE: "Too good to double, take",
    CubeAction.TOO_GOOD_PASS: "Too good to double, pass",
    CubeAction.DOUBLE_BEAVER: "Double, beaver",
    CubeAction.NO_DOUBLE_BEAVER: "No double, beaver",
    CubeAction.REDOUBLE_TAKE: "Redouble, take",
    CubeAction.REDOUBLE_PASS: "Redouble, pass",
    CubeAction.NO_REDOUBLE_TAKE: "No redouble, take",
    CubeAction.TOO_GOOD_TO_REDOUBLE_TAKE: "Too good to redouble, take",
    CubeAction.TOO_GOOD_TO_REDOUBLE_PASS: "Too good to redouble, pass",
    CubeAction.NO_REDOUBLE_BEAVER: "No redouble, beaver",
    CubeAction.DEAD_CUBE: "Never double, take (dead cube)",
    CubeAction.DEAD_CUBE_OWNED: "Never redouble, take (dead cube)",
    CubeAction.UNAVAILABLE: "Unknown cube decision",
    CubeAction.OPTIONAL_DOUBLE_TAKE: "Optional double, take",
    CubeAction.OPTIONAL_REDOUBLE_TAKE: "Optional redouble, take",
    CubeAction.OPTIONAL_DOUBLE_BEAVER: "Optional double, beaver",
    CubeAction.OPTIONAL_DOUBLE_PASS: "Optional double, pass",
    CubeAction.OPTIONAL_REDOUBLE_PASS: "Optional redouble, pass",
    CubeAction.REDOUBLE_BEAVER: "Redouble, beaver",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """Judgement of a cube decision.

    action: code and (`action.text`) words. available: whether the player may double at all; if not, the flags
    about doubling are False. should_take: the opponent loses no more by taking than by passing.
    optimal: equity of the doubler when both act best (after a beaver the cube is doubled again).
    wrong_share: not doubling is right unless the opponent errs with at least this chance: by passing, or
    when too good by taking; None where the double is right or impossible, or no error makes it right. Who does not pass
    takes, as GNU Backgammon counts it, and beavers only where a plain take would make the double right.
    """

    action: CubeAction
    available: bool
    should_double: bool
    should_take: bool
    should_beaver: bool
    too_good: bool
    optimal: float
    wrong_share: float | None

    @property
    def text(self) -> str:
        """The action in words."""
        return self.action.text


def beavers(double_take: float) -> bool:
    """Whether the opponent turns the double back, if he may: he is no underdog, and does not play on for a gammon.
    Raises SettingsError."""
    _EQUITY("double_take", double_take)
    return -2.0 - TOLERANCE <= float(double_take) <= 0.0


def decide(
    no_double: float, double_take: float, state: CubeState, *, double_pass: float = 1.0, gammons: bool = True
) -> Verdict:
    """Judges a cube decision from its equities.

    gammons: whether the doubler can win a gammon; without, he is never too good and "Double, pass" is said. Raises
    SettingsError.
    """
    for name, value in (("no_double", no_double), ("double_take", double_take), ("double_pass", double_pass)):
        _EQUITY(name, value)
    FLAG("gammons", gammons)
    CUBE_STATE("state", state)
    no_double, double_take, double_pass = float(no_double), float(double_take), float(double_pass)
    redouble = state.owner == 1
    take = takes(double_take, double_pass)
    if not state.can_double:
        action = CubeAction.UNAVAILABLE
        if state.dead_cube:
            action = CubeAction.DEAD_CUBE_OWNED if redouble else CubeAction.DEAD_CUBE
        return Verdict(action, False, False, take, False, False, no_double, None)

    beaver = state.money and state.beavers > 0 and beavers(double_take)
    after = after_double(double_take, double_pass, beaver=beaver)
    equal = abs(no_double - after) <= TOLERANCE
    double = equal or after > no_double
    too_good = not double and no_double > double_pass
    if not take and (equal or too_good) and not (gammons and state.gammons_count):
        # With gammons out of the question the difference is rounding.
        equal, too_good, double = False, False, True

    share = None
    if not double:
        # Where even a plain take would make the double wrong, GNU Backgammon's figure leaves the beaver out.
        plain = double_take if double_take < no_double else after
        right, wrong = (plain, double_pass) if take else (double_pass, double_take)
        share = (no_double - right) / (wrong - right) if wrong != right else None
        share = share if share is None or share <= 1 else None
    action = _action(double, take, beaver, too_good, equal, redouble)
    optimal = best(no_double, double_take, double_pass, beaver=beaver)
    return Verdict(action, True, double, take, beaver, too_good, optimal, share)


def in_words(verdict: Verdict, state: CubeState) -> str:
    """The action in words, or why the player may not double, for which GNU Backgammon's texts have no reason."""
    if verdict.available:
        return verdict.text
    return Against.CRAWFORD.value if state.crawford else Against.OWNED.value if state.owner < 0 else verdict.text


def as_gnu(words: str) -> CubeAction:
    """What GNU Backgammon calls an action that `in_words` tells."""
    return _ACTIONS.get(words, CubeAction.UNAVAILABLE)


_ACTIONS = {action.text: action for action in CubeAction} | {Against.CRAWFORD.value: CubeAction.DEAD_CUBE}


def decide_many(
    no_double: NDArray[np.float64], double_take: NDArray[np.float64], gammons: NDArray[np.bool_]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Who doubles and who takes, `bool[N]` each, as `decide` has it where the player may double and nobody beavers.

    Equities of the doubler. gammons: whether he can win one that counts.
    """
    take = ~(double_take > PASS)
    after = np.where(take, double_take, PASS)
    return (no_double - after <= TOLERANCE) | ~(take | gammons), take


def _action(double: bool, take: bool, beaver: bool, too_good: bool, optional: bool, redouble: bool) -> CubeAction:
    first: CubeAction  # for the first double
    second: CubeAction  # for a redouble
    if optional and take:
        first = CubeAction.OPTIONAL_DOUBLE_BEAVER if beaver else CubeAction.OPTIONAL_DOUBLE_TAKE
        second = CubeAction.OPTIONAL_REDOUBLE_TAKE
    elif optional:
        first, second = CubeAction.OPTIONAL_DOUBLE_PASS, CubeAction.OPTIONAL_REDOUBLE_PASS
    elif double and beaver:
        first, second = CubeAction.DOUBLE_BEAVER, CubeAction.REDOUBLE_BEAVER
    elif double and take:
        first, second = CubeAction.DOUBLE_TAKE, CubeAction.REDOUBLE_TAKE
    elif double:
        first, second = CubeAction.DOUBLE_PASS, CubeAction.REDOUBLE_PASS
    elif too_good and take:
        first, second = CubeAction.TOO_GOOD_TAKE, CubeAction.TOO_GOOD_TO_REDOUBLE_TAKE
    elif too_good:
        first, second = CubeAction.TOO_GOOD_PASS, CubeAction.TOO_GOOD_TO_REDOUBLE_PASS
    elif beaver:
        first, second = CubeAction.NO_DOUBLE_BEAVER, CubeAction.NO_REDOUBLE_BEAVER
    else:
        first, second = CubeAction.NO_DOUBLE_TAKE, CubeAction.NO_REDOUBLE_TAKE
    return second if redouble else first
