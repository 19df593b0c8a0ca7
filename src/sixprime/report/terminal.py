"""An analysed match for the terminal, and as plain text.

Texts from files are never read as markup and lose their control characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from sixprime.analysis.compare import Comparison, comparisons
from sixprime.analysis.model import ANALYSED, AnalysedMatch, Decision, DecisionKind, PlayerStatistics
from sixprime.analysis.ratings import pr_name
from sixprime.analysis.thresholds import Skill
from sixprime.report import totals, words
from sixprime.report.console import (
    SKILL_STYLES,
    console_of,
    flowed,
    least_width,
    print_table,
    signs_of,
    table_for,
    text_of,
)
from sixprime.report.units import EMG, Units

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_WIDTH = 100  # of plain text
_NAME = 7
"""Cells that names keep before the table of games loses columns for them."""


def render_terminal(
    analysed: AnalysedMatch,
    console: Console | None = None,
    *,
    worst: int = 5,
    statistics: str | None = None,
    disagreements: float | None = None,
    units: Units = EMG,
) -> None:
    """Print the summary of a match: players, games and the `worst` decisions of both sides.

    statistics: "match" adds all totals of the match, "games" those of each game, too. disagreements: lists where
    analyses by other programs, which came with the file, would do otherwise, from this size on. units: of what
    decisions are worth. Raises SettingsError for what is no analysed match.
    """
    ANALYSED("analysed", analysed)
    console = console_of(console)
    match = analysed.match
    names = words.names(match)

    title = text_of(f"{names[0]} - {names[1]}", "bold")
    title.append(f"  {words.match_outcome(match)}, {words.length_text(match)}", "not bold")
    console.print(title)
    info = [words.clean(match.info[key]) for key in ("event", "round", "place", "date") if match.info.get(key)]
    if info:
        console.print(text_of(", ".join(info), "dim"))
    if part := words.judged_part(analysed):
        console.print(text_of(part, "yellow"))
    beside = comparisons(analysed)
    console.print()
    print_table(console, _players_table(console, analysed, names, beside, units))
    console.print()
    if len(analysed.games) > 1:
        print_table(console, _games_table(console, analysed, names, units))
        console.print()
    if statistics is not None:
        _print_statistics(console, analysed, names, units, games=statistics == "games")
    _print_worst(console, analysed, names, worst, units)
    if disagreements is not None:
        _print_disagreements(console, analysed, beside, disagreements, units)
    if note := words.luck_note(analysed):
        console.print(text_of(note, "dim"))
    if analysed.settings:
        seconds = f", {analysed.seconds:.1f} s" if analysed.seconds else ""
        console.print(text_of(f"PR = 500 x equity lost per counted decision; {analysed.settings}{seconds}", "dim"))
    unit = " of equity" if units.mwc and match.length else ""
    console.print(text_of(f"{words.marks(analysed.thresholds)}{unit}. Glossary: docs/glossary.md", "dim"))


def match_text(analysed: AnalysedMatch) -> str:
    """The summary of a match as plain text, 100 columns wide, with all totals."""
    from io import StringIO

    from rich.console import Console

    out = StringIO()
    console = Console(
        file=out, width=_WIDTH, force_terminal=False, color_system=None, highlight=False, legacy_windows=False
    )
    render_terminal(analysed, console, worst=10, statistics="match")
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _players_table(
    console: Console, analysed: AnalysedMatch, names: Sequence[str], beside: Sequence[Comparison], units: Units
) -> Table:
    length = analysed.match.length
    signs = signs_of(console)
    table = table_for(console)
    table.add_column("")
    for name in names:
        table.add_column(text_of(name, "not dim bold"), overflow="fold", max_width=40)
    both = analysed.statistics

    def errors(statistics: PlayerStatistics, shape: str) -> Text:
        chequer = shape == "circle"
        total = statistics.chequer_error_total if chequer else statistics.cube_error_total
        mwc = statistics.chequer_error_mwc if chequer else statistics.cube_error_mwc
        number = statistics.unforced_moves if chequer else statistics.cube_decisions
        text = text_of(units.lost(total, mwc if length else None))
        text.append(f"  {words.count(number, 'play' if chequer else 'decision')}", "dim")
        return text

    def pr(statistics: PlayerStatistics) -> Text:
        if not statistics.decisions:
            return text_of("-", "dim")
        text = text_of(words.said(console.encoding, words.pr_text(statistics)), "bold")
        text.append(f"  {pr_name(statistics.pr)}", "green")
        return text

    def luck(statistics: PlayerStatistics) -> Text:
        text = text_of(totals.luck_text(statistics, units, length))
        text.append(f"  {totals.luck_rating(statistics)}", "dim")
        return text

    table.add_row("PR", *(pr(s) for s in both))
    for each in beside:
        if each.source != analysed.settings:
            table.add_row(text_of(f"PR, {each.source}"), *(pr(s) for s in each.theirs.statistics))
    table.add_row("Estimated FIBS rating", *(text_of(totals.fibs_estimate(s, length)) for s in both))
    table.add_row("Chequer error", *(errors(s, "circle") for s in both))
    table.add_row("Cube error", *(errors(s, "square") for s in both))
    marks = [
        Counter((words.error_shape(d), d.skill) for d in analysed.decisions if d.player == player) for player in (0, 1)
    ]
    for shape, label in (("circle", "Plays marked"), ("square", "Cubes marked")):
        cells = []
        for counter in marks:
            cell = text_of("")
            for skill in (Skill.DOUBTFUL, Skill.BAD, Skill.VERY_BAD):
                number = counter[shape, skill]
                sign = f"{signs[shape]}{words.SKILL_SIGNS[skill]} {number}"
                cell.append("   " if cell else "").append(sign, SKILL_STYLES[skill] if number else "dim")
            cells.append(cell)
        table.add_row(label, *cells)
    table.add_row("Luck", *(luck(s) for s in both))
    table.add_row("Luck-adjusted result", *(totals.adjusted_text(s, length) for s in both))
    return table


def _print_statistics(
    console: Console, analysed: AnalysedMatch, names: Sequence[str], units: Units, *, games: bool
) -> None:
    """All totals of the match and, if wanted, of each game."""
    from rich.cells import cell_len

    match = analysed.match
    each = [game.statistics for game in analysed.games]
    parts = [("Whole match" if match.length else "Whole session", analysed.statistics, each)]
    if games and len(each) > 1:
        parts += [(f"Game {game.number}", pair, []) for game, pair in zip(match.games, each, strict=False)]
    for title, pair, of_games in parts:
        table = table_for(console)
        table.add_column(text_of(title, "not dim bold"), no_wrap=True)
        for name in names:
            table.add_column(text_of(name, "not dim bold"), overflow="fold", max_width=40)
        rows = totals.statistics_table(pair, match.length, of_games, units)
        # Beside the labels the players have as much each; three columns stand before each of them.
        room = (console.width - max(cell_len(f" {label}") for label, _ in rows)) // 2 - 3
        for label, cells in rows:
            if cells:
                told = (words.said(console.encoding, flowed(cell.split(", "), room)) for cell in cells)
                table.add_row(text_of(f" {label}"), *map(text_of, told))
            else:
                table.add_row(text_of(label, "bold"))
        print_table(console, table)
        console.print()


def _games_table(console: Console, analysed: AnalysedMatch, names: Sequence[str], units: Units) -> Table:
    """All columns with the names as long as the terminal lets them be; without error and luck where that is short."""
    from rich.cells import cell_len

    longest = max(cell_len(name) for name in names)
    for titles in (("PR", "Error", "Luck"), ("PR",)):
        for cells in range(longest, min(_NAME if len(titles) > 1 else 2, longest) - 1, -1):
            table = _games(console, analysed, _short(names, cells), titles, units)
            if least_width(console, table) <= console.width:
                return table
    return table


def _games(
    console: Console, analysed: AnalysedMatch, names: Sequence[str], titles: Sequence[str], units: Units
) -> Table:
    length = analysed.match.length
    table = table_for(console, tight=True)
    table.add_column("Game", justify="right")
    table.add_column("Score", justify="right")
    for title in titles:
        for name in names:
            table.add_column(text_of(f"{title}\n{name}"), justify="right", no_wrap=True)
    table.add_column("Result", no_wrap=True)
    for game, judged in zip(analysed.match.games, analysed.games, strict=False):
        both = judged.statistics
        result = f"{names[game.winner]} +{game.points}" if game.winner is not None else "unfinished"
        numbers = (
            *(f"{s.pr:.1f}" if s.decisions else "-" for s in both),
            *(units.lost(s.error_total, s.error_mwc if length else None) for s in both),
            *(totals.luck_text(s, units.coarse, length) for s in both),
        )
        table.add_row(
            str(game.number),
            f"{game.score[0]}-{game.score[1]}{'*' if game.crawford else ''}",
            *numbers[: 2 * len(titles)],
            text_of(result),
        )
    if any(game.crawford for game in analysed.match.games):
        table.caption = "* Crawford game"
        table.caption_justify = "left"
    return table


def _print_worst(console: Console, analysed: AnalysedMatch, names: Sequence[str], worst: int, units: Units) -> None:
    found = [decision for decision in analysed.decisions if decision.skill]
    marked = sorted(found, key=lambda d: -units.size(d.error, words.error_mwc(d)))[:worst]
    resigned = [
        f"Game {game.number}: {said}"
        for game, judged in zip(analysed.match.games, analysed.games, strict=False)
        if judged.resignation is not None
        and (said := words.resignation_verdict(analysed.match, judged.resignation, units))
    ]
    if not marked and not resigned:
        console.print(text_of("No errors marked.", "green"))
    for line in resigned:
        console.print(text_of(line))
    if resigned or not marked:
        console.print()
    if not marked:
        return
    console.print(text_of("Worst decisions" if len(marked) > 1 else "Worst decision", "bold"))
    for rank, decision in enumerate(marked, 1):
        _print_decision(console, analysed, names, rank, decision, units)
    console.print()


def _print_decision(
    console: Console, analysed: AnalysedMatch, names: Sequence[str], rank: int, decision: Decision, units: Units
) -> None:
    style = SKILL_STYLES[decision.skill]
    sign = signs_of(console)[words.error_shape(decision)]
    number = analysed.match.games[decision.game].number
    line = text_of("")
    lost = words.lost_by(decision, units) or "0"
    line.append(f"{lost} {sign}{words.SKILL_SIGNS[decision.skill]:<2}  ", style)
    line.append(f"game {number}, move {decision.move_number}  ", "dim")
    line.append(names[decision.player], "bold")
    if decision.kind is DecisionKind.PLAY:
        line.append(f" {words.dice_text(decision.dice)}: ")
    else:
        line.append(": ")
    line.append(words.play_text(decision.chosen), style).append("  best ")
    line.append(words.play_text(decision.best), "green")
    _print_hanging(console, f"{rank:>3}  ", line)
    if comment := words.clean(analysed.match.games[decision.game].actions[decision.action].comment):
        console.print(text_of(f"     {comment}", "italic"))
    identity = words.xgid(decision) or words.position_id(decision.position)
    console.print(text_of(f"     {identity}", "dim"), soft_wrap=True)


def _print_disagreements(
    console: Console, analysed: AnalysedMatch, beside: Sequence[Comparison], least: float, units: Units
) -> None:
    """Where ours and theirs would do something else, the most costly first; what each loses by the other judge."""
    for each in beside:
        found = each.disagreements(least)
        console.print(
            text_of(f"Beside {each.source}: {words.count(len(found), 'disagreement')} of {least:g} or more", "bold")
        )
        for compared in found:
            ours, theirs = compared.ours, compared.theirs
            line = text_of(f"  game {analysed.match.games[ours.game].number}, move {ours.move_number}  ", "dim")
            line.append(f"{words.dice_text(ours.dice)}: " if ours.dice else "", "not dim")
            line.append(words.play_text(ours.best), "green")
            line.append(f" ({_loss_text(compared.ours_by_them, units)})", "dim")
            line.append("  they ", "dim").append(words.play_text(theirs.best), "yellow")
            line.append(f" ({_loss_text(compared.theirs_by_us, units)})", "dim")
            console.print(line)
        console.print()


def _print_hanging(console: Console, before: str, text: Text) -> None:
    """The text behind what comes before it; where it needs more lines, those begin below its own beginning."""
    for part in text.wrap(console, max(console.width - len(before), 20)):
        part.rstrip()
        console.print(text_of(before).append_text(part))
        before = " " * len(before)


def _loss_text(loss: float | None, units: Units) -> str:
    return "not judged" if loss is None else words.signed(-loss, units.digits)


def _short(names: Sequence[str], cells: int) -> tuple[str, str]:
    """Two different names in so many cells of the terminal each, still different: whole, else a word, else cut."""
    from rich.cells import cell_len

    for way in _ways(names, cells):
        pair = [name if cell_len(name) <= cells else short for name, short in zip(names, way, strict=True)]
        if pair[0] != pair[1] and max(map(cell_len, pair)) <= cells:
            return pair[0], pair[1]
    one, two = (f"{_cut(name, cells - 1)}{number}" for number, name in enumerate(names, 1))
    return one, two


def _ways(names: Sequence[str], cells: int) -> Iterator[Sequence[str]]:
    """How two names may be written in so many cells, best first; some take more, or are the same."""
    first, last = [name.split()[0] for name in names], [name.split()[-1] for name in names]
    yield from (names, first, last)
    for way in (first, last):
        yield [_cut(name, cells - 1) + "." for name in way]
    for tail in range(1, cells - 1):
        ends = [_cut(name[::-1], tail)[::-1] for name in names]
        yield [f"{_cut(name, cells - 1 - tail)}.{end}" for name, end in zip(names, ends, strict=True)]


def _cut(text: str, cells: int) -> str:
    """The beginning of a text that takes so many cells of the terminal at most."""
    from rich.cells import cell_len

    # One cell each; there may be thousands of cuts to try.
    if text.isascii() and text.isprintable():
        return text[:cells].rstrip()
    while cell_len(text) > cells:
        text = text[:-1]
    return text.rstrip("\u200d ")
