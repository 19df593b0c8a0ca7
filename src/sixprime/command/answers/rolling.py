"""What `rollout` answers: a line of means and one of standard errors for each alternative."""

from __future__ import annotations

from sixprime.engine.rollout_result import RolloutEstimate, RolloutResult
from sixprime.report.figures import Figures, Stakes
from sixprime.report.rolled import how

_ERROR = "  Standard error"


def _cell(figures: Figures) -> int:
    """How wide a chance is with the blanks after it; three digits fit in 80 columns."""
    return len(figures.chance(0.5)) + 2


def rollout_text(result: RolloutResult, figures: Figures, stakes: Stakes | None, *, name: str = "") -> str:
    """A rollout, best play first. stakes: of the player on roll, None in money play; name: of a position."""
    found = result.ranked if result.kind == "plays" else result.estimates
    unit = "MWC" if figures.in_mwc(stakes) else "Equity"
    labels = [name or each.label for each in found]
    wide = max(len(_ERROR), *map(len, labels))
    heads = "".join(f"{head:<{_cell(figures)}}" for head in ("Win", "W(g)", "W(bg)", "L(g)", "L(bg)"))
    lines = [f"{'':{wide}}  {heads}{unit:<10}Cubeful  Trials"]
    for label, each in zip(labels, found, strict=True):
        lines += _estimate(each, label, wide, figures, stakes)
    if result.verdict is not None:
        lines += ["", f"Proper cube action: {result.verdict.text}"]
    return "\n".join([*lines, "", *how(result.settings, result.trials), ""])


def _estimate(each: RolloutEstimate, label: str, wide: int, figures: Figures, stakes: Stakes | None) -> list[str]:
    value, error = figures.value(each.cubeless_equity, stakes), figures.error(each.cubeless_error, stakes)
    cubeful, cubeful_error = "n/a", ""
    if each.cubeful:
        cubeful, cubeful_error = figures.value(each.equity, stakes), figures.error(each.equity_error, stakes)
    cell = _cell(figures)
    means = "".join(f"{figures.chance(value):<{cell}}" for value in each.probabilities)
    spread = "".join(f"{figures.chance(value):<{cell}}" for value in each.probabilities_error)
    return [
        f"{label:<{wide}}  {means}{value:<9} {cubeful:<8} {each.trials}",
        f"{_ERROR:<{wide}}  {spread}{error:<9} {cubeful_error}".rstrip(),
    ]
