"""Single positions for the terminal: the board, its evaluation, the best plays, the cube decision."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from sixprime.engine.results import CubeAnalysis, Evaluation, PlayAnalysis
from sixprime.errors import SixprimeError
from sixprime.game.ids import encode_xgid, gnubg_id
from sixprime.game.outcomes import Outcomes
from sixprime.game.play import Play
from sixprime.game.position import Position
from sixprime.game.state import MONEY, MatchState
from sixprime.report import words
from sixprime.report.console import console_of, fits, flowed, loss_style, print_table, table_for, text_of

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_CHANCES_FIT = 72
"""Columns of the terminal from which there is room for the chances of every play."""


def render_evaluation(
    evaluation: Evaluation,
    *,
    state: MatchState = MONEY,
    cube: CubeAnalysis | None = None,
    console: Console | None = None,
) -> None:
    """Print the board, the chances and equities of the player on roll (X), and the cube decision when given."""
    console = console_of(console)
    print_position(console, evaluation.position, state, None)
    table = table_for(console)
    for name in ("", "Win", "Gammon", "Backg."):
        table.add_column(name, justify="right" if name else "left")
    chances = words.six_chances(evaluation.probabilities)
    table.add_row(text_of("X", "bright_cyan"), *(f"{words.percent(value, 2)}%" for value in chances[:3]))
    table.add_row(text_of("O", "bright_yellow"), *(f"{words.percent(value, 2)}%" for value in chances[3:]))
    print_table(console, table)
    cubeful = words.signed(evaluation.cubeful_equity, 4)
    parts = [f"Cubeless {words.signed(evaluation.cubeless_equity, 4)}", f"cubeful {cubeful}"]
    if evaluation.mwc is not None:
        parts.append(f"MWC {words.percent(evaluation.mwc, 2)}%")
    how = f"{evaluation.plies}-ply, {evaluation.position_class}"
    if evaluation.effective_x is not None:
        how += f", effective x {evaluation.effective_x:z.2f}"
    line = text_of(flowed([*parts, how], console.width, "   "))
    bold, dim = line.plain.index(parts[1]) + len("cubeful "), line.plain.index(how)
    line.stylize("bold", bold, bold + len(cubeful))
    line.stylize("dim", dim)
    console.print(line)
    if cube is not None:
        console.print()
        print_cube(console, cube)


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
    console = console_of(console)
    print_position(console, position, state, dice)
    if not plays or not plays[0].play.steps:
        console.print(text_of("Cannot move.", "bold"))
    if not plays:
        return
    print_plays(console, plays, plies)


def print_plays(
    console: Console, plays: Sequence[PlayAnalysis], plies: int | None = None, chosen: Sequence[Play] = ()
) -> None:
    """Candidate plays, best first as given. plies: as for `render_hint`. chosen: plays that get a mark in front."""
    in_match = plays[0].mwc is not None
    table = _plays_table(console, plays, chosen, mwc=in_match)
    with_mwc = in_match and fits(console, table)
    print_table(console, table if with_mwc else _plays_table(console, plays, chosen, mwc=False), keys=2)
    why = words.why_order(plays, plies)
    if why:
        console.print(text_of(why, "dim"))
    if plays[0].mwc is not None and not with_mwc:
        console.print(text_of(f"MWC after the best play {words.percent(plays[0].mwc, 2)}%", "dim"))


def _plays_table(console: Console, plays: Sequence[PlayAnalysis], chosen: Sequence[Play], *, mwc: bool) -> Table:
    """mwc: with match-winning chances."""
    chances_fit = console.width >= _CHANCES_FIT
    heads = ("", "Play", "Equity", "Diff.", *(("MWC",) if mwc else ()), *("WGBLGB" if chances_fit else ""), "Ply")
    table = table_for(console, heads, wrapped=("Play",), tight=True)
    for rank, play in enumerate(plays, 1):
        style = "bold green" if rank == 1 else ""
        mark = ">" if play.play in chosen else ""
        chances = [words.percent(value) for value in words.six_chances(play.probabilities)] if chances_fit else []
        table.add_row(
            f"{mark}{rank}",
            text_of(words.play_text(str(play.play)), style),
            text_of(words.signed(play.equity, 4), style),
            text_of(words.loss(play.equity_loss, 4), loss_style(play.equity_loss)),
            *([text_of("" if play.mwc is None else words.percent(play.mwc, 2), style)] if mwc else ()),
            *(text_of(chance, "dim" if k % 3 else "") for k, chance in enumerate(chances)),
            text_of(words.depth_mark(play), "dim"),
        )
    return table


def render_cube(cube: CubeAnalysis, *, console: Console | None = None) -> None:
    """Print the board and the cube decision of the player on roll."""
    console = console_of(console)
    print_position(console, cube.position, cube.state, None)
    console.print(text_of(_chances(cube.probabilities)))
    print_cube(console, cube)


def print_position(
    console: Console, position: Position, state: MatchState, dice: tuple[int, int] | None, *, pips: bool = True
) -> None:
    """Prints the board, whose turn it is, score and cube, and the IDs. pips: with the pip counts."""
    rows = position.diagram().splitlines()
    if not pips:
        rows = [row.split("  ")[0] for row in rows[:1]] + rows[1:-1] + [row.split("  ")[0] for row in rows[-1:]]
    elif max(map(len, rows)) > console.width:
        # The pips stand beside the board, or above and below it.
        (top, above), (bottom, below) = (row.split("  ") for row in (rows[0], rows[-1]))
        rows = [above, top, *rows[1:-1], bottom, below]
    for row in rows:
        text = text_of(row)
        inside = row.startswith("|")
        for match in re.finditer(r"[XO]|[+|-]+" if inside else r"[XO]:.*|[+-]+", row):
            style = {"X": "bold bright_cyan", "O": "bold bright_yellow"}.get(match[0][0], "dim")
            text.stylize(style, match.start(), match.end())
        console.print(text, soft_wrap=True)
    line = text_of("X on roll" if dice is None else f"X to play {words.dice_text(dice)}", "bold")
    line.append(f"   {_situation(state)}", "not bold")
    console.print(line)
    state = state if dice is None else state.with_dice(dice)
    try:
        ids = [gnubg_id(position, state), encode_xgid(position, state)]
    except SixprimeError:
        ids = [words.position_id(position)]
    joined = "   ".join(ids)
    for identity in [joined] if len(joined) <= console.width else ids:
        console.print(text_of(identity, "dim"), soft_wrap=True)
    console.print()


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
    if state.beavered:
        parts.append(f"{_turned_back(state)}ed to {state.cube << 1 + state.beavered}")
    elif state.doubled:
        parts.append("doubled")
    return ", ".join(parts)


def _turned_back(state: MatchState) -> str:
    return "beaver" if state.beavered == 1 else "raccoon"


def print_cube(console: Console, cube: CubeAnalysis) -> None:
    """Prints what each cube action is worth to the player on roll, and which is best."""
    if not cube.available:
        console.print(text_of(f"Cube: {cube.action}" if cube.action else "No cube decision.", "bold"))
        return
    if answers := words.answers(cube, cube.state.beavered):
        state = cube.state
        who = "X" if state.decider == state.on_roll else "O"
        numbers = ", ".join(f"{name.lower()} {words.signed(value, 4)}" for name, value in answers)
        console.print(text_of(f"{who} answers the {_turned_back(state)}: ").append(answers[0][0], "bold green"))
        console.print(text_of(f"Worth to X: {numbers}"))
        console.print(text_of("Before the double:"))
    best = words.best_cube_row(cube)
    heads = ("Cube action", "Equity", "Diff.", *(("MWC",) if cube.mwc_no_double is not None else ()))
    table = table_for(console, heads, words=("Cube action",))
    for index, (name, value, mwc) in enumerate(words.cube_rows(cube)):
        style = "bold green" if index == best else ""
        row = [
            text_of(name, style),
            text_of(words.signed(value, 4), style),
            text_of("" if index == best else words.signed(value - cube.optimal, 4), "dim"),
        ]
        if mwc is not None:
            row.append(text_of(f"{words.percent(mwc, 2)}%", style))
        table.add_row(*row)
    print_table(console, table)
    line = text_of("Best action: ")
    line.append(cube.action, "bold green").append(f"   {words.depth(cube.plies, cube.trials)}", "dim")
    console.print(line)
    if cube.take_points is not None:
        dead, live = (words.percent(point) for point in cube.take_points)
        console.print(text_of(f"O takes from {live}% (live cube) or {dead}% (dead cube)"))
    if cube.wrong_share is not None:
        wrong = "takes" if cube.too_good else "passes"
        console.print(
            text_of(f"Doubling is right only if O wrongly {wrong} {words.percent(cube.wrong_share)}% or more")
        )


def _chances(probabilities: Outcomes) -> str:
    win, gammon, backgammon, lose, lose_gammon, lose_backgammon = map(words.percent, words.six_chances(probabilities))
    return f"X wins {win}% (G {gammon}, B {backgammon})   O wins {lose}% (G {lose_gammon}, B {lose_backgammon})"
