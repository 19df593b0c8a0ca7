"""Counts of races as commands answer them: `show kleinman|thorp|keith|isight|8912`.

The player on roll is called leader, behind or not; words and layout are what other programs read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from sixprime.bearoff.side import pip_count
from sixprime.game.position import Position
from sixprime.theory.race_counts import RaceCount, Verdict, eight_nine_twelve, isight, keith, kleinman_metric, thorp


def _pips(position: Position) -> tuple[int, int]:
    return pip_count(position.player), pip_count(position.opponent)


def _said(verdict: Verdict | None) -> str:
    return {
        Verdict.DOUBLE: "Double, Take",
        Verdict.REDOUBLE: "Redouble, Take",
        Verdict.PASS: "Double, Drop",
    }.get(verdict or Verdict.NO_DOUBLE, "No Double, Take")


def show_kleinman(position: Position) -> str:
    """Kleinman's metric and the winning chance that it gives."""
    mine, theirs = _pips(position)
    lines = [
        f"Leader Pip Count : {mine}",
        f"Trailer Pip Count: {theirs}",
        "",
        f"sum              : {mine + theirs}",
        f"diff             : {theirs - mine}",
        "",
    ]
    if mine + theirs > 4:
        k = kleinman_metric(position.player, position.opponent)
        lines += [
            f"K = (diff+4)/(2 sqrt(sum-4)) = {k:8.4g}",
            f"Cubeless Winning Chance: {(1 + math.erf(k)) / 2:.4f}",
        ]
    else:
        lines.append("The metric needs more than 4 pips in all.")
    return "\n".join([*lines, ""])


def _counted(find: Callable[..., RaceCount], lines: Sequence[str], *why: str) -> Callable[[Position], str]:
    """What answers with the counts of a method and its verdict.

    lines: with fields of `RaceCount` in braces. why: behind the verdicts no double, double, redouble and pass.
    """
    order = (Verdict.NO_DOUBLE, Verdict.DOUBLE, Verdict.REDOUBLE, Verdict.PASS)

    def show(position: Position) -> str:
        found = find(position.player, position.opponent)
        reason = why[order.index(found.verdict or Verdict.NO_DOUBLE)]
        told = "\n".join(lines).format(found, 100 * (found.win or 0.0))
        return f"{told}\n\n{_said(found.verdict)} ({reason})"

    return show


show_thorp = _counted(
    thorp,
    (
        "Thorp Count Leader            : {0.player:g}",
        "Thorp Count Leader(+1/10)    L: {0.adjusted:.1f}",
        "Thorp Count Trailer          T: {0.opponent:g}",
    ),
    *("since L > T + 2", "since L <= T + 2", "since L <= T + 1 ", "since L <= T - 2"),
)
show_keith = _counted(
    keith,
    (
        "Keith Count Leader            : {0.player:g}",
        "Keith Count Leader(+1/7)     L: {0.adjusted:.1f}",
        "Keith Count Trailer          T: {0.opponent:g}",
    ),
    *("since L > T + 4", "since L <= T + 4", "since L <= T+3", "since L <= T+2"),
)
show_isight = _counted(
    isight,
    (
        "Isight Count Leader          L: {0.player:g}",
        "Isight Count Trailer         T: {0.opponent:g}",
        "",
        "Estimated GWC: {1:.1f}% (80 - L/3 + 2*(L-T))",
    ),
    *("est. GWC < 68%", "since 68% <= est. GWC <= 70%", "since 70% <= est. GWC <= 76%", "since est. GWC > 76%"),
)


def show_8912(position: Position) -> str:
    """The lead in per cent and the verdict of 8-9-12."""
    mine, theirs = _pips(position)
    found = eight_nine_twelve(position.player, position.opponent)
    said = {
        Verdict.NO_DOUBLE: "NoDouble (8 percent > ahead)",
        Verdict.DOUBLE: "Double, Take (9 percent > ahead > 8 percent)",
        Verdict.REDOUBLE: "Redouble, Take (12 percent > ahead > 9 percent)",
        Verdict.PASS: "Double, Drop (ahead > 12 percent)",
    }[found.verdict or Verdict.NO_DOUBLE]
    return "\n".join(
        [
            f"Leader Pip Count : {mine}",
            f"Trailer Pip Count: {theirs}",
            "",
            f"Leader is {100 * (theirs - mine) / mine:.1f} percent ahead",
            said,
            "",
        ]
    )
