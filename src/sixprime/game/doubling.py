"""The rule of the cube in equities: what a double is worth once it is answered, and what both sides want.

Equities are the doubler's in units of the cube before the double, with which a pass is worth +1; NaN stands for the
take of a double that cannot be made. Arrays follow the same rule where they are worked through (`cube.kernel.choose`).
"""

from __future__ import annotations

PASS = 1.0
"""What a pass is worth."""


def takes(double_take: float, double_pass: float = PASS) -> bool:
    """Whether the opponent takes (or beavers): he loses no more than by passing."""
    return not double_take > double_pass


def after_double(double_take: float, double_pass: float = PASS, *, beaver: bool = False) -> float:
    """Equity once doubled, the opponent answering best; a beaver doubles the stakes of a take again."""
    return min(beavered(double_take) if beaver else double_take, double_pass)


def beavered(double_take: float) -> float:
    """Equity after a beaver: the same game, for twice the stakes of a take."""
    return 2 * double_take


def doubles(no_double: float, double_take: float, double_pass: float = PASS, *, beaver: bool = False) -> bool:
    """Whether the player doubles: he loses nothing by it."""
    return after_double(double_take, double_pass, beaver=beaver) >= no_double


def best(no_double: float, double_take: float, double_pass: float = PASS, *, beaver: bool = False) -> float:
    """Equity before the decision, both sides acting best."""
    after = after_double(double_take, double_pass, beaver=beaver)
    return after if after >= no_double else no_double
