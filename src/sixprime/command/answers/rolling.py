"""What `rollout` answers: a line of means and one of standard errors for each alternative."""

from __future__ import annotations

from sixprime.engine.rollout_result import RolloutEstimate, RolloutResult
from sixprime.report.figures import Figures, Stakes

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
    return "\n".join([*lines, "", how(result), ""])


def _estimate(each: RolloutEstimate, label: str, wide: int, figures: Figures, stakes: Stakes | None) -> list[str]:
    values = figures.value(each.cubeless_equity, stakes), _cubeful(each, figures, stakes)
    errors = (
        _error(each.cubeless_error, figures, stakes),
        _error(each.equity_error, figures, stakes) if each.cubeful else "",
    )
    cell = _cell(figures)
    means = "".join(f"{figures.chance(value):<{cell}}" for value in each.probabilities)
    spread = "".join(f"{figures.chance(value):<{cell}}" for value in each.probabilities_error)
    return [
        f"{label:<{wide}}  {means}{values[0]:<10}{values[1]:<9}{each.trials}",
        f"{_ERROR:<{wide}}  {spread}{errors[0]:<10}{errors[1]}".rstrip(),
    ]


def _cubeful(each: RolloutEstimate, figures: Figures, stakes: Stakes | None) -> str:
    return figures.value(each.equity, stakes) if each.cubeful else "n/a"


def _error(error: float, figures: Figures, stakes: Stakes | None) -> str:
    if figures.in_mwc(stakes) and stakes is not None:
        return figures.match_chance(error * abs(stakes.win - stakes.lose) / 2)
    return f"{error:{figures.digits + 3}.{figures.digits}f}"


def how(result: RolloutResult) -> str:
    """How it was made, in the words of the exports."""
    settings = result.settings
    reduced = "with" if settings.variance_reduction else "without"
    length = f"Truncated (after {settings.truncation} plies)" if settings.truncation else "Full"
    kind = "cubeful" if settings.cubeful else "cubeless"
    dice = "quasi-random dice" if settings.rotate else "random dice"
    lines = [
        f"{length} {kind} rollout {reduced} variance reduction",
        f"{result.trials} games, seed {settings.seed}, {dice}",
    ]
    first, second = settings.players
    for who, player in (("Player on roll", first), ("Opponent", second)) if first != second else (("Players", first),):
        noise = f", noise {player.noise:.3f}" if player.noise else ""
        lines.append(f"{who}: {player.plies}-ply play, {player.cube_plies}-ply cube{noise}")
    if settings.later is not None:
        player = settings.later[0]
        lines.append(f"From ply {settings.later_turn} on: {player.plies}-ply play, {player.cube_plies}-ply cube")
    return "\n".join(lines)
