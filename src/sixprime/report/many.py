"""Many matches at once: a line for each, a table of the players, and `index.html`, which leads to the reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sixprime.analysis.model import DecisionKind, Phase, Plan, PlayerStatistics, Tally
from sixprime.analysis.ratings import pr_name
from sixprime.analysis.records import HALF_LIFE, Blunder, MatchRecord, PlayerRecord, TrendPoint, players_of, worst_of
from sixprime.report import words
from sixprime.report.console import console_of, print_table, table_for, text_of
from sixprime.report.templating import POLICY, render, with_policy
from sixprime.report.units import EMG

if TYPE_CHECKING:
    from rich.console import Console

_WORST = 50
"""Decisions that the index lists."""
_PLAYERS = 12
"""Players that the index and the terminal show in full: those with the most decisions."""


def match_line(record: MatchRecord, *, changed: bool = True) -> str:
    """`match.mat  Ann 7.38 - Bob 12.98  7-4`. changed: False for what was there already."""
    sides = " - ".join(f"{name} {_pr(own)}" for name, own in zip(record.players, record.statistics, strict=True))
    score = f"{record.score[0]}-{record.score[1]}"
    more = "" if record.finished else ", not finished"
    return f"{record.name}: {sides}, {score}{more}{'' if changed else ', done before'}"


def _pr(own: PlayerStatistics) -> str:
    return f"{own.pr:.2f}" if own.decisions else "-"


def render_players(records: Sequence[MatchRecord], console: Console | None = None) -> None:
    """Prints the players of many matches, those with the most decisions first."""
    console = console_of(console)
    table = table_for(console, ("Player", "Matches", "Won", "Decisions", "PR", "Luck, mEMG"), folded=("Player",))
    players = players_of(records)
    for player in players[:_PLAYERS]:
        own = player.statistics
        table.add_row(
            text_of(player.name),
            str(len(player.matches)),
            str(player.won),
            str(own.decisions),
            text_of(words.said(console.encoding, words.pr_text(own)) if own.decisions else "-"),
            words.signed(1000 * own.luck_per_roll, 1) if own.rolls else "-",
        )
    console.print()
    print_table(console, table)
    if len(players) > _PLAYERS:
        console.print(text_of(f"and {len(players) - _PLAYERS} more players", "dim"))


def render_index(
    records: Sequence[MatchRecord], failures: Sequence[tuple[str, str]] = (), *, templates: Path | None = None
) -> str:
    """The page that leads to the reports of many matches, as text of an HTML file without a script.

    failures: name and reason of what could not be analysed. templates: as of `render_html`.
    """
    players = players_of(records)
    page = render(
        "index.html",
        {
            "policy": POLICY,
            "players": [_player(player, records) for player in players[:_PLAYERS]],
            "others": [_summary(player) for player in players[_PLAYERS:]],
            "matches": [_match(record) for record in records],
            "worst": [_worst(records[i], blunder) for i, blunder in worst_of(records, _WORST)],
            "failures": [(words.clean(name), words.clean(reason)) for name, reason in failures],
            "half_life": f"{HALF_LIFE:.0f}",
            "settings": sorted({record.settings for record in records if record.settings}),
        },
        templates,
    )
    return with_policy(words.lawful(page))


def _summary(player: PlayerRecord) -> dict[str, object]:
    own = player.statistics
    return {
        "name": player.name,
        "matches": len(player.matches),
        "won": player.won,
        "decisions": own.decisions,
        "pr": words.pr_text(own) if own.decisions else "-",
        "rating": pr_name(own.pr) if own.decisions else "",
        "plays": f"{1000 * own.chequer_error_rate:.1f}" if own.unforced_moves else "-",
        "cubes": f"{1000 * own.cube_error_rate:.1f}" if own.cube_decisions else "-",
        "luck": words.signed(1000 * own.luck_per_roll, 1) if own.rolls else "-",
    }


def _player(player: PlayerRecord, records: Sequence[MatchRecord]) -> dict[str, object]:
    own = player.statistics
    return {
        **_summary(player),
        "trend": trend_chart(player.trend, [records[point.match].name for point in player.trend]),
        "tables": [
            ("By phase", [_share(phase, tally, own) for phase, tally in zip(Phase, own.phases, strict=True)]),
            ("By plan", [_share(plan, tally, own) for plan, tally in zip(Plan, own.plans, strict=True)]),
            ("By kind of error", _kinds(own)),
        ],
    }


def _share(name: str, tally: Tally, own: PlayerStatistics) -> tuple[str, str, str, str]:
    """Name, decisions, PR, and the share of all that was lost."""
    pr = f"{500 * tally.error / tally.count:.2f}" if tally.count else "-"
    return name.capitalize(), str(tally.count), pr, _percent(tally.error, own)


def _percent(error: float, own: PlayerStatistics) -> str:
    return f"{100 * error / own.error_total:.0f} %" if own.error_total else "-"


def _kinds(own: PlayerStatistics) -> list[tuple[str, str, str, str]]:
    """Kinds of error: how many, what each lost on average in mEMG, and the share of all that was lost."""
    plays = Tally(sum(own.play_marks[1:]), own.chequer_error_total, own.chequer_error_mwc)
    faults = own.faults
    kinds = [
        ("Marked plays", plays),
        ("Missed, was a take", faults.missed_below_cash),
        ("Missed, was a pass", faults.missed_above_cash),
        ("Doubled too weak", faults.doubled_too_weak),
        ("Doubled too good", faults.doubled_too_good),
        ("Wrong takes", faults.wrong_takes),
        ("Wrong passes", faults.wrong_passes),
    ]
    return [
        (name, str(tally.count), EMG.lost(tally.error, None) if tally.count else "-", _percent(tally.error, own))
        for name, tally in kinds
    ]


def _match(record: MatchRecord) -> dict[str, object]:
    return {
        "name": record.name,
        "link": record.link,
        "date": record.date,
        "event": words.clean(record.event),
        "length": f"{record.length} points" if record.length else "money",
        "score": f"{record.score[0]}-{record.score[1]}",
        "sides": [
            (name, _pr(own), words.signed(own.luck_total, 2))
            for name, own in zip(record.players, record.statistics, strict=True)
        ],
        "finished": record.finished,
    }


def _worst(record: MatchRecord, blunder: Blunder) -> dict[str, object]:
    return {
        "link": record.link,
        "place": blunder.place,
        "loss": words.signed(-blunder.error),
        "skill": int(blunder.skill),
        "mark": words.SKILL_SIGNS[blunder.skill],
        "word": words.SKILL_NAMES[blunder.skill],
        "shape": "circle" if blunder.kind is DecisionKind.PLAY else "square",
        "player": record.players[blunder.player],
        "match": record.name,
        "where": f"{blunder.game}.{blunder.move}",
        "dice": words.dice_text(blunder.dice),
        "chosen": words.play_text(blunder.chosen),
        "best": words.play_text(blunder.best),
        "phase": blunder.phase,
    }


# The trend.

_WIDTH, _HEIGHT = 640, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 628, 14, 196


def trend_chart(points: Sequence[TrendPoint], names: Sequence[str]) -> str:
    """The PR of each match as a dot, the recent mean as a line, its 95 % interval as a band. Empty for one match."""
    from markupsafe import escape

    known = [(i, point) for i, point in enumerate(points) if point.pr or point.mean]
    if len(known) < 2:
        return ""
    tops = [max(point.pr, point.mean + (point.width or 0)) for _, point in known]
    middle = sorted(tops)[len(tops) // 2]
    most = max(5.0, min(max(tops), 4 * middle))
    step = next(size for size in (1, 2, 5, 10, 20, 50, 100, 1000) if most / size <= 6)

    def x_of(i: int) -> float:
        return _LEFT + (_RIGHT - _LEFT) * i / max(len(points) - 1, 1)

    def y_of(value: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * min(max(value, 0.0), most) / most

    parts = [f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="PR from match to match" class="trend">']
    for number in range(int(most / step) + 1):
        y = y_of(number * step)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_RIGHT}"/>')
        parts.append(f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{number * step}</text>')
    band = [(i, point) for i, point in known if point.width is not None]
    if len(band) > 1:
        upper = [f"{x_of(i):.1f},{y_of(p.mean + (p.width or 0)):.1f}" for i, p in band]
        lower = [f"{x_of(i):.1f},{y_of(p.mean - (p.width or 0)):.1f}" for i, p in reversed(band)]
        parts.append(f'<polygon class="band" points="{" ".join(upper + lower)}"/>')
    line = " ".join(f"{x_of(i):.1f},{y_of(point.mean):.1f}" for i, point in known)
    parts.append(f'<polyline class="line" points="{line}"/>')
    for i, point in known:
        title = escape(f"{names[i]}: PR {point.pr:.2f}, mean {point.mean:.2f}")
        x, y = x_of(i), y_of(point.pr)
        parts.append(f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="3.5"><title>{title}</title></circle>')
    parts.append(f'<text x="{_LEFT}" y="{_HEIGHT - 6}">first match</text>')
    parts.append(f'<text x="{_RIGHT}" y="{_HEIGHT - 6}" text-anchor="end">latest match</text></svg>')
    return "".join(parts)
