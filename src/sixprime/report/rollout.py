"""Rollouts for the terminal and as plain values for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sixprime.codec import plain
from sixprime.engine.rollout_result import RolloutEstimate, RolloutResult
from sixprime.engine.rollout_settings import PlayerSettings
from sixprime.engine.rollout_statistics import Statistics
from sixprime.report import words
from sixprime.report.console import console_of, flowed, loss_style, print_table, table_for, text_of
from sixprime.report.position import print_position

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_CHANCES_FIT = 84
"""Columns of the terminal from which the chances of every alternative have room."""


def rollout_to_dict(result: RolloutResult) -> dict[str, Any]:
    """A rollout; the alternatives best first for plays, else no double before double, take."""
    verdict = result.verdict
    estimates = result.ranked if result.kind == "plays" else result.estimates
    return {
        "position_id": result.position.id,
        "match_id": words.match_id(result.state),
        **plain(result, "kind", "dice", "trials", "finished"),
        "alternatives": [_estimate(estimate) for estimate in estimates],
        "action": verdict.text if verdict else None,
        "settings": result.settings.to_dict(),
        "engine": result.engine,
    }


_ESTIMATE = (
    *("trials", "probabilities", "probabilities_error", "equity", "equity_error", "interval"),
    *("cubeful_equity", "cubeless_equity", "cubeless_error", "mwc", "mwc_error"),
    *("equity_loss", "loss_error", "jsd", "statistics"),
)


def _estimate(estimate: RolloutEstimate) -> dict[str, Any]:
    play = estimate.play
    return {
        "label": estimate.label,
        "play": None if play is None else str(play),
        "position_id": None if play is None else play.result.id,
        **plain(estimate, *_ESTIMATE),
    }


def rollout_table(result: RolloutResult, console: Console) -> Table:
    """The alternatives so far."""
    chances_fit = console.width >= _CHANCES_FIT
    plays = result.kind == "plays"
    title = {"plays": "Play", "cube": "Cube action", "position": ""}[result.kind]
    compared = result.kind != "position"
    heads = (title, "Equity", "Error", *(("Diff.", "JSD") if compared else ()), *("WGBLGB" if chances_fit else ""))
    table = table_for(console, (*heads, "Trials"), wrapped=(title,), tight=True)
    best = min(estimate.equity_loss for estimate in result.estimates)
    for estimate in result.ranked if plays else result.estimates:
        style = "bold green" if compared and estimate.equity_loss == best else ""
        chances = [words.percent(chance) for chance in words.six_chances(estimate.probabilities)] if chances_fit else []
        loss = [
            text_of(words.loss(estimate.equity_loss, 4), loss_style(estimate.equity_loss)),
            "" if estimate.equity_loss == best else f"{min(estimate.jsd, 99.9):.1f}",
        ]
        table.add_row(
            text_of(words.play_text(estimate.label) if plays else estimate.label, style),
            text_of(words.signed(estimate.equity, 4), style),
            text_of(_plus_minus(estimate.equity_error), "dim"),
            *(loss if compared else ()),
            *(text_of(chance, "dim" if k % 3 else "") for k, chance in enumerate(chances)),
            text_of(f"{estimate.trials:,}", "dim"),
        )
    return table


def render_rollout(result: RolloutResult, *, console: Console | None = None, statistics: bool = False) -> None:
    """Print the board, the alternatives with their standard errors and, if asked for, what happened in the games."""
    console = console_of(console)
    print_position(console, result.position, result.state, result.dice)
    print_table(console, rollout_table(result, console))
    if result.kind == "position":
        only = result.estimates[0]
        low, high = only.interval
        line = f"95 % interval {words.signed(low, 4)} to {words.signed(high, 4)}"
        line += f"   cubeless {words.signed(only.cubeless_equity, 4)} {_plus_minus(only.cubeless_error)}"
        console.print(text_of(line))
    if (verdict := result.verdict) is not None:
        line_text = text_of("Best action: ")
        line_text.append(verdict.text, "bold green")
        console.print(line_text)
    best = result.ranked[0]
    if best.mwc is not None and best.mwc_error is not None:
        name = f" after {best.label}" if result.kind != "position" else ""
        chance = f"MWC{name} {words.percent(best.mwc, 2)}% ± {words.percent(best.mwc_error, 2)}%"
        console.print(text_of(words.said(console.encoding, chance)))
    if statistics:
        for estimate in result.ranked:
            console.print()
            _print_statistics(console, estimate.label, estimate.statistics)
    console.print(text_of(flowed(_settings(result), console.width), "dim"))


def _settings(result: RolloutResult) -> list[str]:
    """What a rollout was made with, and how much of it there is."""
    settings = result.settings
    parts = [f"{result.trials:,} trials", "cubeful" if settings.cubeful else "cubeless"]
    parts += _depth(settings.players, cubeful=settings.cubeful)
    if any(player.noise for player in settings.players):
        parts.append("noise " + " and ".join(f"{player.noise:g}" for player in settings.players))
    if settings.later is not None:
        later = " and ".join(_depth(settings.later, cubeful=settings.cubeful))
        parts.append(f"from turn {settings.later_turn} on {later}")
    if settings.truncation:
        judged = f" and judged by {settings.truncation_plies}-ply" if settings.truncation_plies else ""
        parts.append(f"cut after {settings.truncation} turns{judged}")
    if settings.initial:
        parts.append("from the opening roll")
    if not settings.variance_reduction:
        parts.append("without variance reduction")
    if not settings.rotate:
        parts.append("random dice")
    parts.append(f"seed {settings.seed}")
    if not result.finished:
        parts.append("interrupted")
    return parts


def _depth(players: Sequence[PlayerSettings], *, cubeful: bool) -> list[str]:
    """How far the player on roll and his opponent look ahead."""
    words = []
    for name, what in (("plies", "play"), ("cube_plies", "cube"))[: 2 if cubeful else 1]:
        plies = dict.fromkeys(getattr(player, name) for player in players)
        words.append(f"{'/'.join(map(str, plies))}-ply {what}")
    return words


def _print_statistics(console: Console, label: str, statistics: Statistics) -> None:
    console.print(text_of(label, "bold"))
    table = table_for(console)
    for name in ("", "X", "O"):
        table.add_column(name, justify="right" if name else "left")
    sides = (statistics.own, statistics.opponent)
    for level in range(max(len(side.wins) for side in sides)):
        times = 2**level
        for size, name in enumerate(("single games", "gammons", "backgammons")):
            won = [side.wins[level][size] if level < len(side.wins) else 0 for side in sides]
            if any(won):
                table.add_row(f"{name} won, cube x{times}", *(f"{count:,}" for count in won))
        for name, counts in (
            ("won by a pass", [side.cashed for side in sides]),
            ("doubles taken", [side.taken or () for side in sides]),
        ):
            happened = [each[level] if level < len(each) else 0 for each in counts]
            if any(happened):
                table.add_row(f"{name}, cube x{times}", *(f"{count:,}" for count in happened))
    table.add_row("doubles offered", *(f"{side.doubles:,}" for side in sides))
    table.add_row("chequers hit", *(f"{side.hits:,}" for side in sides))
    table.add_row("games with a hit", *(f"{side.games_with_hit:,}" for side in sides))
    table.add_row("first hit, turn", *(f"{side.first_hit:.1f}" for side in sides))
    table.add_row("turns with a closeout", *(f"{side.closeouts:,}" for side in sides))
    for name, values in (
        ("games with a closeout", [side.games_with_closeout for side in sides]),
        ("first closeout, turn", [side.first_closeout for side in sides]),
        ("turns of bear-off", [side.bearoff_turns for side in sides]),
        ("pips lost in these", [side.pips_lost for side in sides]),
    ):
        # A rollout of an earlier version does not know.
        if None not in values:
            table.add_row(name, *(f"{value:,}" if isinstance(value, int) else f"{value:.1f}" for value in values))
    print_table(console, table)
    line = (
        f"mean length {statistics.turns:.1f} turns, longest {statistics.longest}; cube taken "
        f"{statistics.cubes_turned:.2f} times a game; {statistics.passed:,} games passed, {statistics.known:,} known "
        f"from a bear-off database, {statistics.cut:,} cut"
    )
    console.print(text_of(line, "dim"))


def _plus_minus(error: float) -> str:
    return f"{error:.4f}" if abs(error) < float("inf") else "-"
