"""What is known of a position of hypergammon, as text and as plain values for JSON."""

from __future__ import annotations

from typing import Any

from sixprime.bearoff.hyper import HyperValue
from sixprime.codec import plain
from sixprime.game.position import Position
from sixprime.report import words

_CUBES = {
    "owned": "Cube owned",
    "centred": "Cube centred",
    "centred_jacoby": "Cube centred, Jacoby rule",
    "opponent": "Cube owned by the opponent",
}


def hyper_to_dict(position: Position, index: int, value: HyperValue, other: HyperValue | None) -> dict[str, Any]:
    """index: of the position in the database. other: what GNU Backgammon's says, where it is there."""
    return {
        "position_id": position.id,
        "chequers": position.chequers,
        "index": index,
        **plain(value, "probabilities"),
        "cubeless_equity": value.cubeless,
        "equities": plain(value, *_CUBES),
        "gnubg_equities": None if other is None else plain(other, *_CUBES),
    }


def hyper_text(position: Position, value: HyperValue, other: HyperValue | None) -> str:
    """Chances and equities, and GNU Backgammon's beside them."""
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = (100 * p for p in value.probabilities)
    lines = [
        f"Position ID {position.id}, hypergammon with {words.count(position.chequers, 'chequer')}",
        f"\nWins {win:.2f} %, gammons {win_gammon:.2f} %, backgammons {win_backgammon:.2f} %",
        f"Loses {100 - win:.2f} %, gammons {lose_gammon:.2f} %, backgammons {lose_backgammon:.2f} %",
        f"Cubeless equity {value.cubeless:+.4f}\n",
        f"{'Money equity, no double':28}{'exact':>10}{'' if other is None else '    as in GNU Backgammon'}",
    ]
    for name, label in _CUBES.items():
        more = "" if other is None else f"{getattr(other, name):+14.4f}"
        lines.append(f"{label:28}{getattr(value, name):+10.4f}{more}")
    return "\n".join(lines)
