"""`sixprime bearoff show --hyper`: what is known of a position of hypergammon."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sixprime.cli._common import print_json

if TYPE_CHECKING:
    from sixprime.bearoff.hyper import HyperValue
    from sixprime.game import Position

_CUBES = (
    ("owned", "Cube owned"),
    ("centred", "Cube centred"),
    ("centred_jacoby", "Cube centred, Jacoby rule"),
    ("opponent", "Cube owned by the opponent"),
)


def show_hyper(position: Position, *, json: bool) -> int:
    """Prints the probabilities and equities of a position, and GNU Backgammon's where that database is there."""
    from sixprime.bearoff import hyper

    database = hyper.hyper(position.chequers)
    value = database.value(position)
    theirs = hyper.find(position.chequers, gnubg=True)
    other = None if theirs is None else theirs.value(position)
    if json:
        print_json(
            {
                "position_id": position.id,
                "chequers": position.chequers,
                "index": database.index(position),
                "probabilities": list(value.probabilities),
                "cubeless_equity": value.cubeless,
                "equities": _equities(value),
                "gnubg_equities": None if other is None else _equities(other),
            }
        )
        return 0
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = (100 * p for p in value.probabilities)
    print(f"Position ID {position.id}, hypergammon with {position.chequers} chequers")
    print(f"\nWins {win:.2f} %, gammons {win_gammon:.2f} %, backgammons {win_backgammon:.2f} %")
    print(f"Loses {100 - win:.2f} %, gammons {lose_gammon:.2f} %, backgammons {lose_backgammon:.2f} %")
    print(f"Cubeless equity {value.cubeless:+.4f}\n")
    print(f"{'Money equity, no double':28}{'exact':>10}{'' if other is None else f'{chr(32):4}as in GNU Backgammon'}")
    for name, label in _CUBES:
        more = "" if other is None else f"{getattr(other, name):+14.4f}"
        print(f"{label:28}{getattr(value, name):+10.4f}{more}")
    return 0


def _equities(value: HyperValue) -> dict[str, Any]:
    return {name: getattr(value, name) for name, _ in _CUBES}
