"""What `show statistics` answers: the tables of the exports, laid out in columns."""

from __future__ import annotations

from sixprime.report.export.statistics import Statistics


def statistics_text(statistics: Statistics) -> str:
    """Labels in 41 columns, the players' in 23 each."""
    lines = [_row("Player", *statistics.names), ""]
    for section in statistics.sections:
        lines += [section.title, "", *(_row(*row) for row in section.rows), "", ""]
    return "\n".join([*lines, ""])


def _row(label: str, first: str, second: str) -> str:
    return f"{label:<41}{first:<23} {second:<23}"
