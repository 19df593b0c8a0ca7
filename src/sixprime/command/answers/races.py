"""Counts of races as commands answer them: `show kleinman|thorp|keith|isight|8912`.

The player on roll is called leader, behind or not; words and layout are what other programs read.
"""

from __future__ import annotations

import math

from sixprime.bearoff.side import pip_count
from sixprime.game.position import Position
from sixprime.theory.race_counts import Verdict, eight_nine_twelve, isight, keith, kleinman_metric, thorp


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


def show_thorp(position: Position) -> str:
    """Thorp's counts and verdict."""
    found = thorp(position.player, position.opponent)
    why = {
        Verdict.NO_DOUBLE: "L > T + 2",
        Verdict.DOUBLE: "L <= T + 2",
        Verdict.REDOUBLE: "L <= T + 1 ",
        Verdict.PASS: "L <= T - 2",
    }[found.verdict or Verdict.NO_DOUBLE]
    return "\n".join(
        [
            f"Thorp Count Leader            : {found.player:g}",
            f"Thorp Count Leader(+1/10)    L: {found.adjusted:.1f}",
            f"Thorp Count Trailer          T: {found.opponent:g}",
            "",
            f"{_said(found.verdict)} (since {why})",
        ]
    )


def show_keith(position: Position) -> str:
    """Keith's counts and verdict."""
    found = keith(position.player, position.opponent)
    why = {
        Verdict.NO_DOUBLE: "L > T + 4",
        Verdict.DOUBLE: "L <= T + 4",
        Verdict.REDOUBLE: "L <= T+3",
        Verdict.PASS: "L <= T+2",
    }[found.verdict or Verdict.NO_DOUBLE]
    return "\n".join(
        [
            f"Keith Count Leader            : {found.player:g}",
            f"Keith Count Leader(+1/7)     L: {found.adjusted:.1f}",
            f"Keith Count Trailer          T: {found.opponent:g}",
            "",
            f"{_said(found.verdict)} (since {why})",
        ]
    )


def show_isight(position: Position) -> str:
    """Isight counts, winning chance and verdict."""
    found = isight(position.player, position.opponent)
    why = {
        Verdict.NO_DOUBLE: "est. GWC < 68%",
        Verdict.DOUBLE: "since 68% <= est. GWC <= 70%",
        Verdict.REDOUBLE: "since 70% <= est. GWC <= 76%",
        Verdict.PASS: "since est. GWC > 76%",
    }[found.verdict or Verdict.NO_DOUBLE]
    return "\n".join(
        [
            f"Isight Count Leader          L: {found.player:g}",
            f"Isight Count Trailer         T: {found.opponent:g}",
            "",
            f"Estimated GWC: {100 * (found.win or 0.0):.1f}% (80 - L/3 + 2*(T-L))",
            "",
            f"{_said(found.verdict)} ({why})",
        ]
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
