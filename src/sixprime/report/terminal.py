"""Reports for the terminal: a match, and single positions with their evaluation, best plays and cube action.

Everything goes through a rich `Console`: colours on a terminal, plain text elsewhere, and only ASCII where the
output can hold no more. Texts from files are never read as markup and lose their control characters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sixprime.analysis.model import AnalysedMatch, Decision, DecisionKind, PlayerStatistics, Skill
from sixprime.analysis.ratings import pr_name
from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis
from sixprime.errors import SixprimeError
from sixprime.game.ids import encode_xgid, gnubg_id
from sixprime.game.outcomes import Outcomes
from sixprime.game.position import Position
from sixprime.game.state import MONEY, MatchState
from sixprime.report import words

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_SKILL_STYLES = {
    Skill.NONE: "dim",
    Skill.DOUBTFUL: "yellow",
    Skill.BAD: "dark_orange",
    Skill.VERY_BAD: "bold bright_red",
}
_WIDTH = 100  # of plain text
_NO_LIMIT = 10_000

_CHANCES_FIT = 72
"""Columns of the terminal from which there is room for the chances of every play."""
_NAME = 7
"""Cells that names keep before the table of games loses columns for them."""


def render_terminal(analysed: AnalysedMatch, console: Console | None = None, *, worst: int = 5) -> None:
    """Print the summary of a match: players, games and the `worst` decisions of both sides."""
    console = _console(console)
    match = analysed.match
    names = words.names(match)

    title = _text(f"{names[0]} - {names[1]}", "bold")
    title.append(f"  {words.match_outcome(match)}, {words.length_text(match)}", "not bold")
    console.print(title)
    info = [words.clean(match.info[key]) for key in ("event", "round", "place", "date") if match.info.get(key)]
    if info:
        console.print(_text(", ".join(info), "dim"))
    console.print()
    print_table(console, _players_table(console, analysed, names))
    console.print()
    if len(analysed.games) > 1:
        print_table(console, _games_table(console, analysed, names))
        console.print()
    _print_worst(console, analysed, names, worst)
    if note := words.luck_note(analysed):
        console.print(_text(note, "dim"))
    if analysed.settings:
        seconds = f", {analysed.seconds:.1f} s" if analysed.seconds else ""
        console.print(_text(f"PR = 500 x equity lost per counted decision; {analysed.settings}{seconds}", "dim"))
    console.print(_text(f"{words.MARKS}. Glossary: docs/glossary.md", "dim"))


def match_text(analysed: AnalysedMatch, *, worst: int = 10) -> str:
    """The summary of a match as plain text, 100 columns wide."""
    from io import StringIO

    from rich.console import Console

    out = StringIO()
    console = Console(
        file=out, width=_WIDTH, force_terminal=False, color_system=None, highlight=False, legacy_windows=False
    )
    render_terminal(analysed, console, worst=worst)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def render_evaluation(
    evaluation: Evaluation,
    *,
    state: MatchState = MONEY,
    cube: CubeAnalysis | None = None,
    console: Console | None = None,
) -> None:
    """Print the board, the chances and equities of the player on roll (X), and the cube decision when given."""
    console = _console(console)
    _print_position(console, evaluation.position, state, None)
    table = _table(console)
    for name in ("", "Win", "Gammon", "Backg."):
        table.add_column(name, justify="right" if name else "left")
    chances = words.six_chances(evaluation.probabilities)
    table.add_row(_text("X", "bright_cyan"), *(f"{words.percent(value, 2)}%" for value in chances[:3]))
    table.add_row(_text("O", "bright_yellow"), *(f"{words.percent(value, 2)}%" for value in chances[3:]))
    print_table(console, table)
    line = _text(f"Cubeless {words.signed(evaluation.cubeless_equity, 4)}   cubeful ")
    line.append(words.signed(evaluation.cubeful_equity, 4), "bold")
    if evaluation.mwc is not None:
        line.append(f"   MWC {words.percent(evaluation.mwc, 2)}%")
    line.append(f"   {evaluation.plies}-ply, {evaluation.position_class}", "dim")
    if evaluation.effective_x is not None:
        line.append(f", effective x {evaluation.effective_x:.2f}", "dim")
    console.print(line)
    if cube is not None:
        console.print()
        _print_cube(console, cube)


def render_hint(
    position: Position,
    dice: tuple[int, int],
    plays: Sequence[PlayAnalysis],
    *,
    state: MatchState = MONEY,
    plies: int | None = None,
    console: Console | None = None,
) -> None:
    """Print the board and the candidate plays, best first as given.

    plies: how far the search was to look ahead; None leaves out why it stopped before.
    """
    console = _console(console)
    _print_position(console, position, state, dice)
    if not plays or not plays[0].play.steps:
        console.print(_text("Cannot move.", "bold"))
    if not plays:
        return
    chances_fit = console.width >= _CHANCES_FIT
    table = _table(console, tight=True)
    for name in ("", "Play", "Equity", "Diff.", *("WGBLGB" if chances_fit else ""), "Ply"):
        table.add_column(name, justify="left" if name == "Play" else "right", no_wrap=name != "Play")
    for rank, play in enumerate(plays, 1):
        style = "bold green" if rank == 1 else ""
        chances = [words.percent(value) for value in words.six_chances(play.probabilities)] if chances_fit else []
        table.add_row(
            str(rank),
            _text(words.play_text(str(play.play)), style),
            _text(words.signed(play.equity, 4), style),
            _text(words.loss(play.equity_loss, 4), _loss_style(play.equity_loss)),
            *(_text(chance, "dim" if k % 3 else "") for k, chance in enumerate(chances)),
            _text(words.depth_mark(play), "dim"),
        )
    print_table(console, table)
    why = words.why_order(plays, plies)
    if why:
        console.print(_text(why, "dim"))
    if plays[0].mwc is not None:
        console.print(_text(f"MWC after the best play {words.percent(plays[0].mwc, 2)}%", "dim"))


def render_cube(cube: CubeAnalysis, *, console: Console | None = None) -> None:
    """Print the board and the cube decision of the player on roll."""
    console = _console(console)
    _print_position(console, cube.position, cube.state, None)
    console.print(_text(_chances(cube.probabilities)))
    _print_cube(console, cube)


# Parts of the match report.


def _players_table(console: Console, analysed: AnalysedMatch, names: Sequence[str]) -> Table:
    length = analysed.match.length
    signs = _signs(console)
    table = _table(console)
    table.add_column("")
    for name in names:
        table.add_column(_text(name, "not dim bold"), overflow="fold", max_width=40)
    both = analysed.statistics

    def errors(statistics: PlayerStatistics, shape: str) -> Text:
        chequer = shape == "circle"
        total = statistics.chequer_error_total if chequer else statistics.cube_error_total
        number = statistics.unforced_moves if chequer else statistics.cube_decisions
        text = _text(words.signed(-total))
        text.append(f"  {words.count(number, 'play' if chequer else 'decision')}", "dim")
        return text

    def pr(statistics: PlayerStatistics) -> Text:
        if not statistics.decisions:
            return _text("-", "dim")
        text = _text(f"{statistics.pr:.2f}", "bold")
        text.append(f"  {pr_name(statistics.pr)}", "green")
        return text

    def luck(statistics: PlayerStatistics) -> Text:
        text = _text(words.signed(statistics.luck_total))
        text.append(f"  {words.luck_rating(statistics)}", "dim")
        return text

    table.add_row("PR", *(pr(s) for s in both))
    ratings = [words.absolute_rating(s, length) for s in both]
    table.add_row("Estimated FIBS rating", *(_text(f"{r:.0f}" if r is not None else "-") for r in ratings))
    table.add_row("Chequer error", *(errors(s, "circle") for s in both))
    table.add_row("Cube error", *(errors(s, "square") for s in both))
    marks = [
        Counter((words.error_shape(d), d.skill) for d in analysed.decisions if d.player == player) for player in (0, 1)
    ]
    for shape, label in (("circle", "Plays marked"), ("square", "Cubes marked")):
        cells = []
        for counter in marks:
            cell = _text("")
            for skill in (Skill.DOUBTFUL, Skill.BAD, Skill.VERY_BAD):
                number = counter[shape, skill]
                sign = f"{signs[shape]}{words.SKILL_SIGNS[skill]} {number}"
                cell.append("   " if cell else "").append(sign, _SKILL_STYLES[skill] if number else "dim")
            cells.append(cell)
        table.add_row(label, *cells)
    table.add_row("Luck", *(luck(s) for s in both))
    table.add_row("Luck-adjusted result", *(words.result_text(s.luck_adjusted_result, length) for s in both))
    return table


def _games_table(console: Console, analysed: AnalysedMatch, names: Sequence[str]) -> Table:
    """All columns with the names as long as the terminal lets them be; without error and luck where that is short."""
    from rich.cells import cell_len

    longest = max(cell_len(name) for name in names)
    for titles in (("PR", "Error", "Luck"), ("PR",)):
        for cells in range(longest, min(_NAME if len(titles) > 1 else 2, longest) - 1, -1):
            table = _games(console, analysed, _short(names, cells), titles)
            if _least_width(console, table) <= console.width:
                return table
    return table


def _games(console: Console, analysed: AnalysedMatch, names: Sequence[str], titles: Sequence[str]) -> Table:
    table = _table(console, tight=True)
    table.add_column("Game", justify="right")
    table.add_column("Score", justify="right")
    for title in titles:
        for name in names:
            table.add_column(_text(f"{title}\n{name}"), justify="right", no_wrap=True)
    table.add_column("Result", no_wrap=True)
    for game, judged in zip(analysed.match.games, analysed.games, strict=False):
        both = judged.statistics
        result = f"{names[game.winner]} +{game.points}" if game.winner is not None else "unfinished"
        numbers = (
            *(f"{s.pr:.1f}" if s.decisions else "-" for s in both),
            *(words.signed(-s.error_total) for s in both),
            *(words.signed(s.luck_total, 2) for s in both),
        )
        table.add_row(
            str(game.number),
            f"{game.score[0]}-{game.score[1]}{'*' if game.crawford else ''}",
            *numbers[: 2 * len(titles)],
            _text(result),
        )
    if any(game.crawford for game in analysed.match.games):
        table.caption = "* Crawford game"
        table.caption_justify = "left"
    return table


def _print_worst(console: Console, analysed: AnalysedMatch, names: Sequence[str], worst: int) -> None:
    marked = sorted((d for d in analysed.decisions if d.skill), key=lambda d: -d.error)[:worst]
    if not marked:
        console.print(_text("No errors marked.", "green"))
        console.print()
        return
    console.print(_text("Worst decisions" if len(marked) > 1 else "Worst decision", "bold"))
    for rank, decision in enumerate(marked, 1):
        _print_decision(console, analysed, names, rank, decision)
    console.print()


def _print_decision(
    console: Console, analysed: AnalysedMatch, names: Sequence[str], rank: int, decision: Decision
) -> None:
    style = _SKILL_STYLES[decision.skill]
    sign = _signs(console)[words.error_shape(decision)]
    number = analysed.match.games[decision.game].number
    line = _text(f"{rank:>3}  ")
    line.append(words.signed(-decision.error), style).append(f" {sign}{words.SKILL_SIGNS[decision.skill]:<2}  ", style)
    line.append(f"game {number}, move {decision.move_number}  ", "dim")
    line.append(names[decision.player], "bold")
    if decision.kind is DecisionKind.PLAY:
        line.append(f" {words.dice_text(decision.dice)}: ")
    else:
        line.append(": ")
    line.append(words.play_text(decision.chosen), style).append("  best ")
    line.append(words.play_text(decision.best), "green")
    console.print(line)
    identity = words.xgid(decision) or _position_id(decision.position)
    console.print(_text(f"     {identity}", "dim"), soft_wrap=True)


# Parts of a single position.


def _print_position(console: Console, position: Position, state: MatchState, dice: tuple[int, int] | None) -> None:
    rows = position.diagram().splitlines()
    if max(map(len, rows)) > console.width:
        # The pips stand beside the board, or above and below it.
        (top, above), (bottom, below) = (row.split("  ") for row in (rows[0], rows[-1]))
        rows = [above, top, *rows[1:-1], bottom, below]
    for row in rows:
        text = _text(row)
        inside = row.startswith("|")
        for match in re.finditer(r"[XO]|[+|-]+" if inside else r"[XO]:.*|[+-]+", row):
            style = {"X": "bold bright_cyan", "O": "bold bright_yellow"}.get(match[0][0], "dim")
            text.stylize(style, match.start(), match.end())
        console.print(text, soft_wrap=True)
    line = _text("X on roll" if dice is None else f"X to play {words.dice_text(dice)}", "bold")
    line.append(f"   {_situation(state)}", "not bold")
    console.print(line)
    state = _with_dice(state, dice)
    try:
        ids = [gnubg_id(position, state), encode_xgid(position, state)]
    except SixprimeError:
        ids = [_position_id(position)]
    joined = "   ".join(ids)
    for identity in [joined] if len(joined) <= console.width else ids:
        console.print(_text(identity, "dim"), soft_wrap=True)
    console.print()


def _with_dice(state: MatchState, dice: tuple[int, int] | None) -> MatchState:
    return state if dice is None else state.with_dice(dice)


def _situation(state: MatchState) -> str:
    """Score and cube as X sees them."""
    mine, theirs = state.on_roll, 1 - state.on_roll
    if state.length:
        parts = [f"score {state.score[mine]}-{state.score[theirs]} to {state.length}"]
        if state.crawford:
            parts.append("Crawford")
    else:
        rules = [name for name, on in (("Jacoby", state.jacoby), ("beavers", state.beavers > 0)) if on]
        parts = [f"money{' (' + ', '.join(rules) + ')' if rules else ''}"]
    if not state.crawford and state.cube_limit > 1:
        owner = {None: "centred", mine: "owned by X", theirs: "owned by O"}[state.cube_owner]
        parts.append(f"cube {state.cube} {owner}")
    if state.doubled:
        parts.append("doubled")
    return ", ".join(parts)


def _print_cube(console: Console, cube: CubeAnalysis) -> None:
    if not cube.available:
        answer = "the opponent owns the cube" if cube.state.cube_owner == 1 - cube.state.on_roll else cube.action
        console.print(_text(f"Cube: {answer}" if answer else "No cube decision.", "bold"))
        return
    best = words.best_cube_row(cube)
    table = _table(console)
    for name in ("Cube action", "Equity", "Diff.", *(("MWC",) if cube.mwc_no_double is not None else ())):
        table.add_column(name, justify="left" if name == "Cube action" else "right", no_wrap=True)
    for index, (name, value, mwc) in enumerate(words.cube_rows(cube)):
        style = "bold green" if index == best else ""
        row = [
            _text(name, style),
            _text(words.signed(value, 4), style),
            _text("" if index == best else words.signed(value - cube.optimal, 4), "dim"),
        ]
        if mwc is not None:
            row.append(_text(f"{words.percent(mwc, 2)}%", style))
        table.add_row(*row)
    print_table(console, table)
    line = _text("Best action: ")
    line.append(cube.action, "bold green").append(f"   {words.depth(cube.plies, cube.trials)}", "dim")
    console.print(line)
    if cube.take_points is not None:
        dead, live = (words.percent(point) for point in cube.take_points)
        console.print(_text(f"O takes from {live}% (live cube) or {dead}% (dead cube)"))
    if cube.wrong_share is not None:
        wrong = "takes" if cube.too_good else "passes"
        console.print(_text(f"Doubling is right only if O wrongly {wrong} {words.percent(cube.wrong_share)}% or more"))


def _chances(probabilities: Outcomes) -> str:
    win, gammon, backgammon, lose, lose_gammon, lose_backgammon = map(words.percent, words.six_chances(probabilities))
    return f"X wins {win}% (G {gammon}, B {backgammon})   O wins {lose}% (G {lose_gammon}, B {lose_backgammon})"


# Small helpers.


def _console(console: Console | None) -> Console:
    if console is not None:
        return console
    from rich.console import Console as RichConsole

    return RichConsole(highlight=False)


def _table(console: Console, *, tight: bool = False) -> Table:
    """A table without frame; `tight` for one of many columns."""
    from rich import box
    from rich.table import Table

    ascii_only = not console.encoding.lower().startswith("utf")
    return Table(
        box=box.ASCII2 if ascii_only else box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0 if tight else 1),
        header_style="dim",
        show_edge=False,
    )


def print_table(console: Console, table: Table) -> None:
    """Prints a table with no heading or number cut: in a terminal too narrow for that its lines are too long.

    Columns that fold fit anyway.
    """
    folds = any(column.overflow == "fold" for column in table.columns)
    if not folds and (least := _least_width(console, table)) > console.width:
        table.width = least
    console.print(table, crop=False)


def _least_width(console: Console, table: Table) -> int:
    """Columns a table takes at least: all of what may not wrap, and the longest word of what may."""
    from rich.measure import Measurement

    options = console.options.update(max_width=_NO_LIMIT)
    whole = least = 0
    for column in table.columns:
        sizes = [Measurement.get(console, options, cell) for cell in (column.header, *column.cells)]
        whole += (longest := max(size.maximum for size in sizes))
        least += longest if column.no_wrap else max(size.minimum for size in sizes)
    return least + console.measure(table, options=options).maximum - whole


def _text(text: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(text, style=style)


def _short(names: Sequence[str], cells: int) -> tuple[str, str]:
    """Two different names in so many cells of the terminal each, still different: whole, else a word, else cut."""
    from rich.cells import cell_len

    first, last = [name.split()[0] for name in names], [name.split()[-1] for name in names]
    ways: list[Sequence[str]] = [names, first, last]
    ways += [[_cut(name, cells - 1) + "." for name in way] for way in (first, last)]
    for tail in range(1, cells - 1):
        ends = [_cut(name[::-1], tail)[::-1] for name in names]
        ways.append([f"{_cut(name, cells - 1 - tail)}.{end}" for name, end in zip(names, ends, strict=True)])
    for way in ways:
        pair = [name if cell_len(name) <= cells else short for name, short in zip(names, way, strict=True)]
        if pair[0] != pair[1] and max(map(cell_len, pair)) <= cells:
            return pair[0], pair[1]
    one, two = (f"{_cut(name, cells - 1)}{number}" for number, name in enumerate(names, 1))
    return one, two


def _cut(text: str, cells: int) -> str:
    """The beginning of a text that takes so many cells of the terminal at most."""
    from rich.cells import cell_len

    while cell_len(text) > cells:
        text = text[:-1]
    return text.rstrip("\u200d ")


def _signs(console: Console) -> dict[str, str]:
    if console.encoding.lower().startswith("utf"):
        return {"circle": "●", "square": "■"}
    return {"circle": "o", "square": "#"}


def _loss_style(loss: float) -> str:
    """Colour of a loss: by the marks' default sizes."""
    from sixprime.analysis.thresholds import DEFAULT_THRESHOLDS

    return _SKILL_STYLES[DEFAULT_THRESHOLDS.skill(loss)]


def _position_id(position: Position) -> str:
    try:
        return position.id
    except SixprimeError:
        return ""
