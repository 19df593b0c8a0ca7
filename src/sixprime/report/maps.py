"""Temperature maps, score maps, market losers and cube levels as pictures, as text and as plain values for JSON.

In texts X is the player on roll.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sixprime.checks import Instance, listed, refuse
from sixprime.codec import plain
from sixprime.cube.market import DecisionPoints
from sixprime.engine.results import CubeAnalysis
from sixprime.game.rules import ROLLS, ways
from sixprime.report import words
from sixprime.report.chart import Colour, window_chart
from sixprime.report.console import console_of, print_table, table_for, text_of
from sixprime.report.heat import Grid, Square, heat_map
from sixprime.report.json import cube_to_dict, play_to_dict
from sixprime.report.phrases import say, term
from sixprime.report.position import print_position
from sixprime.theory.levels import CubeLevel, CubeLevels
from sixprime.theory.losers import WEIGHTS, MarketLosers
from sixprime.theory.scores import ScoreCell, ScoreMap
from sixprime.theory.temperature import RollValue, TemperatureMap

if TYPE_CHECKING:
    from rich.console import Console

_FACES = range(1, 7)


# Temperature maps.


def temperature_svg(maps: TemperatureMap | Sequence[TemperatureMap]) -> str:
    """An `<svg>`: 6 x 6 squares for each map, blue where better and amber where worse than the mean of the map.

    The best plays stand in the squares. Raises SettingsError for what are no maps.
    """
    shown = [maps] if isinstance(maps, TemperatureMap) else listed("maps", maps, TemperatureMap)
    if not shown:
        refuse("maps", "at least one map", maps)
    reach = max(abs(roll.equity - each.mean) for each in shown for roll in each.rolls) or 1.0
    grids = [
        Grid(
            say("map.mean", map=_map_name(each), mean=words.signed(each.mean)),
            [str(face) for face in _FACES],
            [str(face) for face in _FACES],
            [[_roll_square(each, each.of(row, column), reach) for column in _FACES] for row in _FACES],
        )
        for each in shown
    ]
    who = say("map.each" if shown[0].play is None else "map.each_theirs")
    return heat_map(
        say("map.equity", who=who, depth=words.depths(shown[0].plies, shown[0].trials)),
        grids,
        square=(84, 42),
        legend=[("blue", say("map.better")), ("amber", say("map.worse"))],
    )


def temperature_to_dict(found: TemperatureMap) -> dict[str, Any]:
    """A map with its 21 rolls."""
    return {
        "position_id": found.position.id,
        "match_id": words.match_id(found.state),
        "play": None if found.play is None else play_to_dict(found.play),
        **plain(found, "plies", "mean", "deviation"),
        "rolls": [
            {
                **plain(roll, "dice", "equity", "mwc"),
                "ways": ways(roll.dice),
                "best": str(roll.play.play),
                "result": roll.play.play.result.id,
            }
            for roll in found.rolls
        ],
    }


def render_temperature(maps: Sequence[TemperatureMap], *, console: Console | None = None) -> None:
    """Print every map: 6 x 6 equities of X, then the rolls from the best to the worst with their plays."""
    console = console_of(console)
    own = maps[0].play is None
    if own:
        print_position(console, maps[0].position, maps[0].state, None)
    for number, each in enumerate(maps):
        if number:
            console.print()
        who = "X" if own else "O"
        mean, spread = words.signed(each.mean), f"{each.deviation:.3f}"
        depth = words.depths(each.plies, each.trials)
        console.print(text_of(f"{_map_name(each)}mean {mean}, standard deviation {spread}, {depth}", "bold"))
        rolls = f"{who} rolls"
        table = table_for(console, (rolls, *map(str, _FACES)), words=(rolls,), tight=True)
        for row in _FACES:
            cells = (each.of(row, column) for column in _FACES)
            table.add_row(str(row), *(text_of(words.signed(cell.equity), _style(cell, each)) for cell in cells))
        print_table(console, table)
        console.print()
        heads = ("Roll", f"Best play of {who}", "Equity of X", "To mean", "of 36")
        table = table_for(console, heads, words=("Roll",), wrapped=heads[1:2], tight=True)
        for roll in sorted(each.rolls, key=lambda roll: -roll.equity):
            away = words.signed(roll.equity - each.mean)
            told = (words.dice_text(roll.dice), words.play_text(str(roll.play.play)), words.signed(roll.equity))
            table.add_row(*told, text_of(away, _style(roll, each)), str(ways(roll.dice)))
        print_table(console, table)


def _map_name(each: TemperatureMap) -> str:
    return "" if each.play is None else say("map.after", play=words.play_text(str(each.play.play)))


def _style(roll: RollValue, each: TemperatureMap) -> str:
    away = roll.equity - each.mean
    return "" if abs(away) < each.deviation / 2 else "bright_blue" if away > 0 else "yellow"


def _roll_square(each: TemperatureMap, roll: RollValue, reach: float) -> Square:
    away = roll.equity - each.mean
    best = words.play_text(str(roll.play.play))
    chance = "" if roll.mwc is None else say("map.chance", mwc=words.percent(roll.mwc, 2))
    equity, dice = words.signed(roll.equity), words.dice_text(roll.dice)
    return Square(
        (words.signed(roll.equity), best),
        "blue" if away >= 0 else "amber",
        abs(away) / reach,
        say("map.roll", roll=dice, play=best, equity=equity, chance=chance, away=words.signed(away)),
        {"dice": words.dice_text(roll.dice), "equity": round(roll.equity, 6)},
    )


# Score maps.


def score_svg(found: ScoreMap) -> str:
    """An `<svg>`: a square for every score, coloured by the cube action, or by which play is best.

    Raises SettingsError for what is none of these.
    """
    Instance(ScoreMap)("found", found)
    letters = best_plays(found)
    cells = [cell for cell in found.all_cells if cell.cube is not None or cell.plays]
    reach = max((abs(cell.margin) for cell in cells), default=0.0) or 1.0

    def square(cell: ScoreCell) -> Square:
        short, colour = _short(cell, letters)
        score = f"{term(cell.name)}: {_advice(cell)}"
        margin = words.signed(cell.margin) if cell.margin else ""
        strength = 0.35 + 0.65 * min(1.0, abs(cell.margin) / min(reach, 0.2))
        return Square((short, margin), colour, strength, score, {"score": cell.name, "margin": round(cell.margin, 6)})

    special = Grid("", [""], [term(cell.name) for cell in found.special], [[square(cell)] for cell in found.special])
    names = [str(away) for away in found.aways]
    rows = [[square(cell) for cell in row] for row in found.cells]
    main = Grid(say("map.away"), names, names, rows)
    if found.dice is None:
        title = say("map.cube", depth=words.depths(found.plies, found.trials))
        legend: list[tuple[Colour, str]] = [
            (colour, term(text)) for short, (colour, text) in _ACTIONS.items() if short != _NO_CUBE
        ]
        notes = [say("map.gains"), f"{_NO_CUBE}: {term(_ACTIONS[_NO_CUBE][1])}"]
    else:
        title = say("map.best", roll=words.dice_text(found.dice), depth=words.depths(found.plies, found.trials))
        legend = [(_PLAY_COLOURS[i % len(_PLAY_COLOURS)], f"{letter}  {words.play_text(text)}")
                  for i, (text, letter) in enumerate(letters.items())]  # fmt: skip
        notes = [say("map.costs")]
    notes += [say("map.post")] if 1 in found.aways else []
    return heat_map(title, [special, main], square=(56, 36), legend=legend, notes=notes)


def score_to_dict(found: ScoreMap) -> dict[str, Any]:
    """The map with all its scores, special ones first."""
    return {
        "position_id": found.position.id,
        **plain(found, "dice", "aways", "plies"),
        "scores": [
            {
                **plain(cell, "name", "away", "margin"),
                "match_id": words.match_id(cell.state),
                **(
                    {"cube": cube_to_dict(cell.cube)}
                    if cell.cube is not None
                    else {"plays": [play_to_dict(play) for play in cell.plays]}
                ),
            }
            for cell in found.all_cells
        ],
    }


def render_score(found: ScoreMap, *, console: Console | None = None) -> None:
    """Print the map: rows by what X needs, columns by what O needs; below it money, DMP, gammon-go and -save."""
    console = console_of(console)
    first = found.special[0].state
    print_position(console, found.position, first, found.dice)
    letters = best_plays(found)

    def texts(cell: ScoreCell) -> tuple[str, str]:
        return _short(cell, letters)[0], words.signed(cell.margin, 2) if cell.margin else ""

    # A number beside each action where it fits.
    size = len(found.aways)
    full = 9 + 11 * size <= console.width
    what = "Best cube action" if found.dice is None else f"Best play of {words.dice_text(found.dice)}"
    depth = words.depths(found.plies, found.trials)
    console.print(text_of(f"{what}, {depth}; X needs (rows), O needs (columns)", "bold"))
    table = table_for(console, tight=True)
    table.add_column("", justify="right")
    for away in found.aways:
        table.add_column(str(away), justify="left", no_wrap=True)
    for away, row in zip(found.aways, found.cells, strict=True):
        pairs = [texts(cell) for cell in row]
        cells = [text_of(f"{short:<3} {margin}" if full else short, _tone(cell)) for (short, margin), cell in
                 zip(pairs, row, strict=True)]  # fmt: skip
        table.add_row(str(away), *cells)
    print_table(console, table)
    console.print()
    for cell in found.special:
        short, margin = texts(cell)
        line = text_of(f"{cell.name:<14}")
        line.append(f"{short:<4}", _tone(cell)).append(f"{margin:>6}  {_advice(cell)}", "dim")
        console.print(line)
    console.print()
    if found.dice is None:
        console.print(text_of("; ".join(f"{short} {text}" for short, (_, text) in _ACTIONS.items()), "dim"))
        console.print(text_of("Numbers: what doubling gains (+) or costs (-)", "dim"))
    else:
        for text, letter in letters.items():
            number = sum(cell.plays[0].play.result == _result(found, text) for cell in found.all_cells)
            console.print(text_of(f"{letter}  {words.play_text(text)}   best at {words.count(number, 'score')}"))
        console.print(text_of("Numbers: what the second best play costs", "dim"))
    if 1 in found.aways:
        console.print(text_of(say("map.post"), "dim"))


_NO_CUBE = "-"
_ACTIONS: dict[str, tuple[Colour, str]] = {
    "ND": ("grey", "no double, take"),
    "D/T": ("green", "double, take"),
    "D/P": ("red", "double, pass"),
    "TG": ("violet", "too good to double"),
    "D/B": ("blue", "double, beaver"),
    _NO_CUBE: ("grey", "no cube to turn"),
}
_PLAY_COLOURS: tuple[Colour, ...] = ("blue", "amber", "green", "violet", "red", "grey")
_STYLES: dict[Colour, str] = {
    "grey": "",
    "green": "green",
    "red": "bright_red",
    "violet": "magenta",
    "blue": "bright_blue",
    "amber": "yellow",
}


def _short(cell: ScoreCell, letters: dict[str, str]) -> tuple[str, Colour]:
    """What is best at a score, in three letters at most, and its colour. letters: of the plays."""
    if cell.cube is not None:
        return _action(cell.cube)
    text = str(cell.plays[0].play)
    return letters[text], _PLAY_COLOURS[list(letters).index(text) % len(_PLAY_COLOURS)]


def _action(cube: CubeAnalysis) -> tuple[str, Colour]:
    if not cube.available:
        name = _NO_CUBE
    elif cube.too_good:
        name = "TG"
    elif not cube.should_double:
        name = "ND"
    elif cube.should_beaver:
        name = "D/B"
    else:
        name = "D/T" if cube.should_take else "D/P"
    return name, _ACTIONS[name][0]


def _advice(cell: ScoreCell) -> str:
    """What is best, in words with numbers."""
    if cell.cube is not None:
        cube = cell.cube
        numbers = f"ND {words.signed(cube.no_double)}"
        if cube.available:
            numbers += f", D/T {words.signed(cube.double_take)}"
        return f"{term(cube.action)}; {numbers}" if cube.action else numbers
    best, *rest = cell.plays
    second = ""
    if rest:
        second = say("map.next", play=words.play_text(str(rest[0].play)), loss=words.loss(rest[0].equity_loss))
    return f"{words.play_text(str(best.play))} {words.signed(best.equity)}{second}"


def best_plays(found: ScoreMap) -> dict[str, str]:
    """The plays that are best at some score, by how many, each with a letter; empty for cube actions."""
    counts = Counter(str(cell.plays[0].play) for cell in found.all_cells if cell.plays)
    return {text: chr(65 + i) if i < 26 else str(i) for i, (text, _) in enumerate(counts.most_common())}


def _result(found: ScoreMap, text: str) -> object:
    return next(cell.plays[0].play.result for cell in found.all_cells if str(cell.plays[0].play) == text)


def _tone(cell: ScoreCell) -> str:
    return _STYLES[_action(cell.cube)[1]] if cell.cube is not None else ""


# Market losers.


def losers_svg(found: MarketLosers) -> str:
    """An `<svg>`: 21 x 21 squares, a row for each roll of the player; coloured where the market is lost or open.

    Raises SettingsError for what is none of these.
    """
    Instance(MarketLosers)("found", found)
    names = ["".join(map(str, dice)) for dice in ROLLS]
    reach = max(float(found.excess.max()), 1e-9)
    squares: list[list[Square | None]] = []
    for i, mine in enumerate(names):
        row: list[Square | None] = []
        for j, theirs in enumerate(names):
            lost, over = bool(found.lost[i, j]), float(found.excess[i, j])
            colour, what, strength = _market(found, i, j, over / reach)
            no, yes = (words.signed(float(values[i, j])) for values in (found.no_double, found.double_take))
            said = say("map.then", mine=mine, theirs=theirs, what=what, numbers=say("map.numbers", no=no, yes=yes))
            mark = "×" if lost else "·" if found.doubles[i, j] else ""
            values: dict[str, str | float] = {"roll": mine, "reply": theirs, "excess": round(over, 6)}
            row.append(Square((mark,), colour, strength, said, values))
        share = float(found.by_roll[i])
        lose = say("map.replies", roll=mine, share=words.percent(share))
        row.append(Square((f"{100 * share:.0f}%",), "red", share, lose))
        squares.append(row)
    grid = Grid("", [*names, say("map.lost")], names, squares)
    depth = words.depths(found.plies, found.trials)
    return heat_map(
        say("map.losers", share=words.percent(found.share), mean=found.mean_excess, depth=depth),
        [grid],
        square=(30, 22),
        legend=[("red", say("map.is_lost")), ("green", say("map.window")), ("grey", say("map.no_double"))],
        notes=[say("map.rows")],
    )


def losers_to_dict(found: MarketLosers) -> dict[str, Any]:
    """The market losers: totals, shares by roll, and every pair of rolls."""
    return {
        "position_id": found.now.position.id,
        "match_id": words.match_id(found.now.state),
        "cube": cube_to_dict(found.now),
        **plain(found, "plies", "share", "mean_excess"),
        "rolls": [
            {
                "dice": mine,
                "ways": ways(mine),
                "share": float(found.by_roll[i]),
                "replies": [
                    {
                        "dice": theirs,
                        "ways": ways(theirs),
                        "lost": bool(found.lost[i, j]),
                        "double": bool(found.doubles[i, j]),
                        "no_double": float(found.no_double[i, j]),
                        "double_take": float(found.double_take[i, j]),
                        "excess": float(found.excess[i, j]),
                    }
                    for j, theirs in enumerate(ROLLS)
                ],
            }
            for i, mine in enumerate(ROLLS)
        ],
    }


def render_losers(found: MarketLosers, *, console: Console | None = None) -> None:
    """Print the share of market losers, how the rest divides, and each roll of X with the replies that lose it."""
    console = console_of(console)
    print_position(console, found.now.position, found.now.state, None)
    console.print(text_of(f"Now: {found.now.action}   {words.depths(found.plies, found.trials)}", "bold"))
    window = float(WEIGHTS[found.doubles & ~found.lost].sum())
    parts = [("market lost", found.share), ("double, take", window), ("no double", 1 - found.share - window)]
    console.print(text_of(", ".join(f"{name} {words.percent(share)} %" for name, share in parts)))
    if not found.share:
        return
    console.print(text_of(f"Lost by {found.mean_excess:.3f} on average, by {found.excess.max():.3f} at most"))
    console.print()
    heads = ("X rolls", "Lost", "By", "Replies of O that lose it")
    table = table_for(console, heads, words=("X rolls",), wrapped=heads[-1:], tight=True)
    for i in sorted(np.flatnonzero(found.by_roll).tolist(), key=lambda i: (-found.by_roll[i], i)):
        lost = found.lost[i]
        mean = float((WEIGHTS[i] * found.excess[i]).sum() / WEIGHTS[i][lost].sum())
        replies = _replies([ROLLS[j] for j in range(len(ROLLS)) if lost[j]])
        share = f"{words.percent(float(found.by_roll[i]))} %"
        table.add_row(words.dice_text(ROLLS[i]), share, f"{mean:.3f}", replies)
    print_table(console, table)


def _market(found: MarketLosers, i: int, j: int, strength: float) -> tuple[Colour, str, float]:
    if found.lost[i, j]:
        return "red", say("map.lost_by", excess=float(found.excess[i, j])), 0.4 + 0.6 * strength
    if found.doubles[i, j]:
        return "green", term("double, take"), 0.6
    return "grey", say("map.no_double"), 0.15


def _replies(rolls: Sequence[tuple[int, int]]) -> str:
    if len(rolls) == len(ROLLS):
        return "all"
    if len(rolls) > len(ROLLS) // 2:
        left = [words.dice_text(dice) for dice in ROLLS if dice not in rolls]
        return f"all but {' '.join(left)}"
    return " ".join(words.dice_text(dice) for dice in rolls)


# Cube levels.


def levels_svg(found: CubeLevels) -> str:
    """An `<svg>`: the market window of each turn of the cube on the scale of winning chances of who turns it.

    Raises SettingsError for what is none of these.
    """
    Instance(CubeLevels)("found", found)
    bars = []
    for level in found.levels:
        name = f"{_WHO[level.side]} to {level.cube}"
        spans = [(window.kind, window.opens, window.closes) for window in level.windows]
        gammon = f"gammon {level.gammons[0]:.2f}" if level.after is None else f"gammon {level.after[0]:.2f}"
        bars.append((name, spans, gammon if spans else "cannot double"))
    state = found.state
    score = f"{state.length}-point match" if state.length else "money"
    wins = [found.evaluation.probabilities.win, 1 - found.evaluation.probabilities.win]
    return window_chart(
        f"Market windows by cube, {score}", bars, marks=[wins[0 if level.side > 0 else 1] for level in found.levels]
    )


_WHO = {1: "player on roll", -1: "opponent"}


def levels_to_dict(found: CubeLevels) -> dict[str, Any]:
    """The levels with their gammon values, windows and points."""
    return {
        "position_id": found.evaluation.position.id,
        "match_id": words.match_id(found.state),
        **plain(found.evaluation, "probabilities", "plies"),
        "model": found.model,
        "levels": [
            {
                "cube": level.cube,
                "player": "on roll" if level.side > 0 else "opponent",
                "gammon_values": level.gammons,
                "gammon_values_after": level.after,
                "gammon_values_of_the_other": level.opponent,
                "windows": [plain(window, "kind", "opens", "closes") for window in level.windows],
                "points": None
                if level.points is None
                else plain(level.points, "take", "double", "cash", "too_good"),
            }
            for level in found.levels
        ],
    }  # fmt: skip


def render_levels(found: CubeLevels, *, console: Console | None = None) -> None:
    """Print the points of each turn of the cube: chances of who turns it; take: of his opponent."""
    console = console_of(console)
    print_position(console, found.evaluation.position, found.state, None)
    console.print(
        text_of(f"Cube points in % by level, {words.depth(found.evaluation.plies)}, model {found.model}", "bold")
    )
    heads = (
        "Cube", "Who", "Gammon\nvalue", "once\nturned", "Dead:\ndoubles",
        "\ncash", "Live:\ncash", "Model:\ndoubles", "\ncash", "too\ngood", "other\ntakes",
    )  # fmt: skip
    table = table_for(console, heads, words=("Cube", "Who"), tight=True)
    for level in found.levels:
        table.add_row(f"to {level.cube}", "X" if level.side > 0 else "O", *_level_cells(level))
    print_table(console, table, keys=2)
    console.print(text_of("Chances of who turns the cube; other takes: chances of the other side", "dim"))


def _level_cells(level: CubeLevel) -> Iterable[str]:
    def share(value: float | None) -> str:
        return "" if value is None else words.percent(value)

    yield f"{level.gammons[0]:.3f}"
    yield "" if level.after is None else f"{level.after[0]:.3f}"
    dead = next((window for window in level.windows if window.kind == "dead"), None)
    last = next((window for window in reversed(level.windows) if window.kind != "live"), None)
    live = next((window for window in level.windows if window.kind == "live"), None)
    points = level.points or DecisionPoints(None, None, None, None)
    yield share(dead.opens if dead else None)
    yield share(last.closes if last else None)
    yield share(live.closes if live else None)
    yield share(points.double)
    yield share(points.cash)
    yield share(points.too_good if points.too_good is not None and points.too_good < 1 - 1e-6 else None)
    yield share(None if points.cash is None else 1 - points.cash)
