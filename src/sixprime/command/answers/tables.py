"""Match equity tables, in letters."""

from __future__ import annotations

from collections.abc import Sequence

from sixprime.cube.met import MatchEquityTable

MOST_POINTS = 64
"""Of a match equity table that is shown."""


def met_text(met: MatchEquityTable, names: Sequence[str], most: int = MOST_POINTS) -> str:
    """The table of at most so many points, chances of player 0 in per cent. names: of players 0 and 1."""
    size = max(1, min(most, MOST_POINTS))
    head = " " * 10 + "".join(f"{f'{away}-away':>9} " for away in range(1, size + 1))
    lines = [f"Match equity table: {met.name}", met.description, "", "Pre-Crawford table:", "", head]
    for away in range(1, size + 1):
        row = "".join(f"{100 * met.mwc(away, other):9.4f} " for other in range(1, size + 1))
        lines.append(f"{f'{away}-away':>9} {row}")
    for player, name in enumerate(names):
        row = "".join(f"{100 * met.post[player][other]:9.4f} " for other in range(size))
        lines += ["", f"Post-Crawford table for player {player} ({name}):", "", head, f"{'1-away':>9} {row}"]
    return "\n".join([*lines, ""])
