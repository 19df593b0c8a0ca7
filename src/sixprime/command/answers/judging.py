"""What `hint` and `eval` answer: lists of plays, cube analyses, tables of evaluations at several depths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sixprime.command.options import Eval
from sixprime.cube.met import MatchEquityTable
from sixprime.cube.state import CubeState
from sixprime.cube.values import cubeless
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis
from sixprime.game.state import MatchState
from sixprime.report import rolled, words
from sixprime.report.export.pages import cube_rows
from sixprime.report.figures import Figures, Stakes

_LEVELS = {
    (0, 0.06): "beginner",
    (0, 0.05): "casual play",
    (0, 0.04): "intermediate",
    (0, 0.015): "advanced",
    (0, 0.0): "expert",
    (2, 0.0): "world class",
    (3, 0.0): "grandmaster",
    (4, 0.0): "4ply",
}
"""Names of evaluations by plies and noise."""


def plays_text(
    plays: Sequence[PlayAnalysis],
    figures: Figures,
    stakes: Stakes | None,
    evaluation: Eval | None = None,
) -> str:
    """Some lines for each play, best first. stakes: of the player on roll, None in money play. evaluation: how plays
    were judged but for the plies; None is as by default."""
    made = evaluation or Eval()
    kind = "Cubeful" if made.cubeful else "Cubeless"
    unit = "MWC:" if figures.in_mwc(stakes) else "Eq.:"
    lines = []
    for rank, play in enumerate(plays, 1):
        method = "Rollout" if play.trials else f"{kind} {play.plies}-ply"
        loss = f" ({figures.difference(-play.equity_loss, stakes)})" if rank > 1 else ""
        value = figures.value(play.cubeful_equity, stakes)
        lines.append(f"{rank:5}. {method:<17}{play.play!s:<28} {unit} {value}{loss}")
        if play.trials:
            chances, errors = rolled.of_play(play, figures, stakes)
            lines += [f"       {chances}", *([f"      {errors}"] if errors else [])]
            lines += [f"        {line}" for line in rolled.made(play)]
        else:
            lines.append(f"       {figures.chances(play.probabilities)}")
            lines.append(f"        {_how(replace(made, plies=play.plies))}")
    return "\n".join(lines)


def _how(made: Eval) -> str:
    """How something was searched, in a line."""
    text = f"{made.plies}-ply {'cubeful' if made.cubeful else 'cubeless'}{' prune' if made.prune else ''}"
    text += words.noise(made.noise, deterministic=made.deterministic)
    # At 0-ply nothing is pruned, and without noise nothing is drawn.
    usual = made.cubeful and (made.prune or not made.plies) and (made.deterministic or not made.noise)
    name = _LEVELS.get((made.plies, made.noise)) if usual else None
    return f"{text} [{name}]" if name else text


def cube_text(
    cube: CubeAnalysis,
    figures: Figures,
    stakes: Stakes | None,
    met: MatchEquityTable | None = None,
    *,
    answering: bool = False,
) -> str:
    """A cube analysis as whoever decides sees it.

    stakes: of the player who doubles, None in money play. met: None for the default table. answering: the other one
    decides, so that values are his.
    """
    side = -1 if answering else 1
    own = stakes.opposite if stakes is not None and answering else stakes
    chances = cube.probabilities.swapped() if answering else cube.probabilities
    rows = cube_rows(cube)
    money = side * cube.probabilities.cubeless
    unit, value, beside = "equity", side * rolled.cubeless_equity(cube, met), ""
    if stakes is not None:
        beside = f" (Money: {money:+{figures.digits + 3}.{figures.digits}f})"
        unit = "MWC" if figures.mwc else unit
    method = "Rollout" if cube.trials else f"{cube.plies}-ply"
    details = rolled.of_cube(cube, figures, own, met, answering=answering)
    share = "" if cube.wrong_share is None else f" ({100 * cube.wrong_share:.1f}%)"
    lines = [
        "",
        "Cube analysis",
        f"{method} cubeless {unit} {figures.value(value, own)}{beside}",
        *([] if details else [f"  {figures.chances(chances)}"]),
        "Cubeful equities:",
    ]
    for rank, (name, equity) in enumerate(rows, 1):
        other = f"  ({figures.difference(side * (equity - rows[0][1]), own)})" if rank > 1 else ""
        lines.append(f"{rank}. {name:<20}{figures.value(side * equity, own)}{other}")
    lines.append(f"Proper cube action: {cube.action}{share}")
    if cube.trials:
        lines += ["", "Rollout details:", *details, *rolled.made(cube)]
    return "\n".join([*lines, ""])


def evaluations_text(
    found: Sequence[Evaluation], figures: Figures, stakes: Stakes | None, state: MatchState, met: MatchEquityTable
) -> str:
    """A line for each depth, 0-ply first. stakes: of the player on roll, None in money play; state: of the match."""
    unit = "MWC" if figures.in_mwc(stakes) else "Equity"
    lines = [f"        Win     W(g)    W(bg)   L(g)    L(bg)   {unit:<10}Cubeful  "]
    for each in found:
        label = f"{each.plies:2} ply" if each.plies else "static"
        cells = "".join(f"{figures.chance(value):<7} " for value in each.probabilities)
        alone = each.cubeless_equity
        if stakes is not None:
            alone = float(cubeless([each.probabilities], CubeState.from_match(state), met)[0])
        values = (alone, each.cubeful_equity)
        lines.append(f"{label:>6}: {cells}{''.join(f'{figures.value(value, stakes):<9} ' for value in values)}")
    return "\n".join([*lines, "", ""])


def resignation_text(before: float, after: float, figures: Figures, stakes: Stakes | None) -> str:
    """What an offered resignation is worth to whoever may accept it: equities if he plays on, and if he accepts."""
    unit = "MWC" if figures.in_mwc(stakes) else "Equity"
    return "\n".join(
        [
            f"{unit} before resignation : {figures.value(before, stakes)}",
            f"{unit} after resignation : {figures.value(after, stakes)} ({figures.difference(after - before, stakes)})",
            "",
            f"Correct resign decision : {'Accept' if after >= before else 'Reject'}",
            "",
        ]
    )
