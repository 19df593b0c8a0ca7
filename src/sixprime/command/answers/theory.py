"""What is behind a decision: gammon values, market windows, rolls, scores, effective pips, results less luck.

names: of player 0 and player 1, everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sixprime.analysis.model import AnalysedMatch
from sixprime.analysis.statistics import points_per_game
from sixprime.bearoff.side import Effort
from sixprime.cube.market import CubePoints, MarketWindow
from sixprime.game.outcomes import Outcomes
from sixprime.report.figures import Figures, Stakes
from sixprime.theory.scores import ScoreCell, ScoreMap
from sixprime.theory.temperature import RollValue, TemperatureMap

_MODELS = {
    "dead": "Dead cube: ",
    "dead, redoubled": "Dead cube (opponent redoubles):",
    "live": "Live cube:",
}
_POINTS = (
    ("Take Point (TP)", "take"),
    ("Beaver Point (BP)", "beaver"),
    ("Raccoon Point (RP)", "raccoon"),
    ("Initial Double Point (IDP)", "initial_double"),
    ("Redouble Point (RDP)", "redouble"),
    ("Cash Point (CP)", "cash"),
    ("Too good Point (TGP)", "too_good"),
)


def gammon_values_text(values: Sequence[tuple[float, float]], names: Sequence[str]) -> str:
    """What a gammon and a backgammon are worth beyond a win to each player, .5 and 1 for money."""
    lines = ["Player           Gammon value    Backgammon value"]
    lines += [
        f"{name[:15]:<15}  {gammon:7.5f}         {backgammon:7.5f}"
        for name, (gammon, backgammon) in zip(names, values, strict=True)
    ]
    return "\n".join([*lines, ""])


def gammon_rates_text(chances: Sequence[Outcomes], names: Sequence[str]) -> str:
    """How many of the games that each player wins are gammons, and how many backgammons. chances: of each, his own."""
    lines = []
    for name, (win, gammon, backgammon, *_) in zip(names, chances, strict=True):
        rates = (100 * value / win if win else 0.0 for value in (gammon - backgammon, backgammon))
        lines.append("Player {:<25}: gammon rate {:6.2f}%, bg rate {:6.2f}%".format(name, *rates))
    return "\n".join([*lines, ""])


def windows_text(windows: Sequence[MarketWindow], name: str) -> str:
    """Where the market of a player opens and closes in a match."""
    lines = [f"Player {name} market window:", ""]
    again = any(window.kind == "dead, redoubled" for window in windows)
    for window in windows:
        label = "Dead cube (opponent doesn't redouble): " if again and window.kind == "dead" else _MODELS[window.kind]
        lines.append(f"{label}{100 * window.opens:6.2f}% - {100 * window.closes:6.2f}%")
    if not windows:
        lines.append("The cube means nothing to this player.")
    return "\n".join([*lines, ""])


def points_text(dead: CubePoints, live: CubePoints, name: str) -> str:
    """Where a player decides otherwise for money."""
    lines = [f"Player {name} cube parameters:", "", f"{'Cube parameter':<29}{'Dead Cube':<15}{'Live Cube'}"]
    for label, field in _POINTS:
        lines.append(f"{label:<27} {100 * getattr(dead, field):8.3f}%    {100 * getattr(live, field):8.3f}%")
    return "\n".join([*lines, ""])


def rolls_text(found: TemperatureMap, figures: Figures, stakes: Stakes | None) -> str:
    """The 21 rolls, best first, with their plays. stakes: of the player on roll, None in money play."""
    lines = [f"{'Roll':<6}{'Best play':<30}{_unit(figures, stakes)}, {found.plies}-ply"]
    for roll in sorted(found.rolls, key=lambda each: -each.equity):
        lines.append(f"{_dice(roll):<6}{roll.play.play!s:<30}{figures.value(roll.equity, stakes)}")
    mean, deviation = figures.value(found.mean, stakes), figures.error(found.deviation, stakes)
    return "\n".join([*lines, "", f"{'Mean':<36}{mean}", f"{'Standard deviation':<36}{deviation}", ""])


def temperature_text(found: TemperatureMap, figures: Figures, stakes: Stakes | None) -> str:
    """Six rows and columns of what each roll is worth after its best play."""
    faces = range(1, 7)
    rows = [[figures.value(found.of(one, other).equity, stakes).strip() for other in faces] for one in faces]
    wide = max(len(cell) for row in rows for cell in row) + 2
    lines = [f"{_unit(figures, stakes)} after each roll, {found.plies}-ply", ""]
    lines.append("   " + "".join(f"{number:>{wide}}" for number in range(1, 7)))
    lines += [f"{number:3}" + "".join(f"{cell:>{wide}}" for cell in row) for number, row in enumerate(rows, 1)]
    return "\n".join([*lines, "", f"Mean {figures.value(found.mean, stakes).strip()}", ""])


def _unit(figures: Figures, stakes: Stakes | None) -> str:
    return "MWC" if figures.in_mwc(stakes) else "Equity"


def _dice(roll: RollValue) -> str:
    return "{}{}".format(*roll.dice)


def scores_text(found: ScoreMap, name: str) -> str:
    """What is best at every score for the player on roll, whose name it is; by how much at the special ones."""
    keys: dict[str, str] = {}
    rows = [[_best(cell, keys) for cell in row] for row in found.cells]
    special = [(cell, _best(cell, keys)) for cell in found.special]
    what = "Cube action" if found.dice is None else "Play of {}{}".format(*found.dice)
    lines = [f"{what} by score, {found.plies}-ply: {name} needs (rows), the opponent needs (columns)", ""]
    lines.append("     " + "".join(f"{away:>6}" for away in found.aways))
    lines += [f"{away:>5}" + "".join(f"{cell:>6}" for cell in row) for away, row in zip(found.aways, rows, strict=True)]
    lines += ["", *(_special(*each) for each in special), ""]
    return "\n".join([*lines, *(f"{short:<4} {text}" for text, short in keys.items()), ""])


def _special(cell: ScoreCell, best: str) -> str:
    return f"{cell.name:<24}{best:>6}" + (f"  {cell.margin:+.3f}" if cell.margin else "")


def _best(cell: ScoreCell, keys: dict[str, str]) -> str:
    """What is best, in a few letters, which `keys` gets."""
    if cell.cube is None:
        text = str(cell.plays[0].play) or "no legal play"
        return keys.setdefault(text, chr(65 + len(keys) % 26) + "'" * (len(keys) // 26))
    cube = cell.cube
    if not cube.available:
        text, short = "no cube to turn", "-"
    elif cube.too_good:
        text, short = "too good to double", "TG"
    elif not cube.should_double:
        text, short = "no double", "ND"
    elif cube.should_beaver:
        text, short = "double, beaver", "D/B"
    else:
        text, short = ("double, take", "D/T") if cube.should_take else ("double, pass", "D/P")
    return keys.setdefault(text, short)


def efforts_text(chances: Outcomes, sides: Sequence[Effort], on_roll: int, names: Sequence[str], *, exact: bool) -> str:
    """A race as if both sides only ran home. chances: of the player on roll; sides: of player 0 and player 1."""
    how = "the distributions of a database" if exact else "the mean and spread of rolls"
    lines = [
        f"One sided rollout by {how} ({names[on_roll]} on roll):",
        Figures().chances(chances),
        "",
        "Effective pip count:",
        f"{'':20} {'EPC':>9}  Wastage",
    ]
    lines += [f"{name:<20} {side.epc:9.3f}{side.wastage:9.3f}" for name, side in zip(names, sides, strict=True)]
    return "\n".join([*lines, "", "EPC = Avg. rolls * 8.167", "Wastage = EPC - Pips", ""])


def results_text(analysed: AnalysedMatch, name: str) -> str:
    """What each game brought player 0, as played and less the luck: match-winning chances, or points.

    A game that is not over has brought nothing yet; of one whose luck is not known nothing is said without it.
    """
    pairs = []
    for game, judged in zip(analysed.match.games, analysed.games, strict=True):
        side = judged.statistics[0]
        start = 0.0 if game.winner is not None else side.actual_result
        known = any(each.rolls for each in judged.statistics) or not any(each.moves for each in judged.statistics)
        pairs.append((side.actual_result - start, side.luck_adjusted_result - start if known else math.nan))
    columns = list(zip(*pairs, strict=True)) or [(), ()]
    rows = [*((str(number), pair) for number, pair in enumerate(pairs))]
    sums = sum(columns[0]), sum(columns[1])
    lines = [f"Actual and luck adjusted results for {name}", "", "Game       Actual     Luck adj. ", ""]
    if analysed.match.length:
        for label, pair in (*rows, ("Final", sums)):
            lines.append(f"{label:>10}" + "".join(_known(50 + 100 * value, " {:9.2f}%", 11) for value in pair))
        return "\n".join(lines)
    found = [points_per_game(column) if column else (0.0, math.nan) for column in columns]
    for label, pair in (*rows, ("Sum", sums), ("Average", (found[0][0], found[1][0]))):
        lines.append(f"{label:>10}" + "".join(_known(value, "{:+10.3f}", 10) for value in pair))
    widths = "".join(_known(width, "{:10.3f}", 10) for _, width in found)
    return "\n".join([*lines, f"{'95%CI':>10}{widths}"])


def _known(value: float, form: str, width: int) -> str:
    return form.format(value) if math.isfinite(value) else f"{'n/a':>{width}}"
