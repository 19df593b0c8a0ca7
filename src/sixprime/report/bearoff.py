"""What the bear-off databases know of a position, as text and as plain values for JSON."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

from sixprime.codec import plain

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sixprime.bearoff.lookup import Cube, Findings, Pair, Race
    from sixprime.bearoff.side import Side
    from sixprime.game.position import Position


def findings_to_dict(position: Position, found: Findings) -> dict[str, Any]:
    """What each kind of database says, None where none holds the position."""
    return {
        "position_id": position.id,
        "one_sided": found.race and _race_to_dict(found.race),
        "two_sided": found.pair and _pair_to_dict(found.pair),
        "normal": found.normal and _race_to_dict(found.normal),
    }


def findings_text(position: Position, found: Findings) -> str:
    """The same in words and tables."""
    lines = [f"Position ID {position.id}"]
    for name, race in (("One-sided", found.race), ("Normal approximation", found.normal)):
        if race is not None:
            lines += ["", *_race_lines(name, race)]
    if found.pair is not None:
        lines += ["", *_pair_lines(found.pair)]
    return "\n".join(lines)


def _race_to_dict(race: Race) -> dict[str, Any]:
    return {
        "database": race.database,
        **race.probabilities._asdict(),
        "cubeless_equity": race.equity,
        "on_roll": _side_to_dict(race.on_roll),
        "opponent": _side_to_dict(race.opponent),
    }


def _side_to_dict(side: Side) -> dict[str, Any]:
    rolls = {
        name: {str(k): float(value) for k, value in enumerate(chances) if value > 0}
        for name, chances in (("rolls", side.distribution), ("rolls_first_chequer", side.gammon_distribution))
    }
    named = {"pips": side.pips, "mean_rolls": side.mean, "variance": side.variance, "standard_deviation": side.sd}
    return {**named, **plain(side, "epc", "wastage"), **rolls}


def _pair_to_dict(pair: Pair) -> dict[str, Any]:
    cubes = {"cube_owned": pair.owned, "cube_centred": pair.centred, "cube_opponent": pair.opponent}
    return {
        "database": pair.database,
        "win": pair.win,
        "cubeless_equity": pair.cubeless,
        **{name: _cube_to_dict(cube) for name, cube in cubes.items()},
    }


def _cube_to_dict(cube: Cube) -> dict[str, Any]:
    """NaN, where he may not double, becomes None."""
    return {
        "equity": cube.best,
        **plain(cube, "no_double", "double_take", "double_pass"),
        "action": None if isnan(cube.double_take) else _action(cube),
    }


def _action(cube: Cube) -> str:
    return f"{'double' if cube.double else 'no double'}, {'take' if cube.take else 'pass'}"


def _race_lines(name: str, race: Race) -> list[str]:
    win, gammon, _, lost_gammon, _ = race.probabilities
    sides = race.on_roll, race.opponent
    numbers = (
        ("Pips", [f"{side.pips}" for side in sides]),
        ("Mean rolls", [f"{side.mean:.3f}" for side in sides]),
        ("Standard deviation", [f"{side.sd:.3f}" for side in sides]),
        ("Effective pip count", [f"{side.epc:.3f}" for side in sides]),
        ("Wastage", [f"{side.wastage:.3f}" for side in sides]),
    )
    lines = [f"{name} {race.database}", f"{'':22}{'on roll':>10}{'opponent':>10}"]
    lines += [f"{label:22}{mine:>10}{theirs:>10}" for label, (mine, theirs) in numbers]
    lines += ["", "Off in exactly"]
    lines += _table_lines([side.distribution for side in sides])
    if gammon > 0 or lost_gammon > 0:
        lines += ["First chequer off in exactly", *_table_lines([side.gammon_distribution for side in sides])]
    lines += ["", f"Wins {100 * win:.1f} %, gammons {100 * gammon:.1f} %; loses gammons {100 * lost_gammon:.1f} %"]
    return [*lines, f"Cubeless equity {race.equity:+.4f}"]


def _table_lines(table: list[NDArray[np.float64]]) -> list[str]:
    return [
        f"{f'{k} roll' if k == 1 else f'{k} rolls':>22}{100 * mine:>9.3f}%{100 * theirs:>9.3f}%"
        for k, (mine, theirs) in enumerate(zip(*table, strict=True))
        if max(mine, theirs) >= 0.000005
    ]


def _pair_lines(pair: Pair) -> list[str]:
    lines = [
        f"Two-sided {pair.database}, exact, money",
        f"Wins {100 * pair.win:.1f} %, cubeless equity {pair.cubeless:+.4f}",
        f"{'Cube':22}{'equity':>10}{'no double':>11}{'take':>10}{'pass':>10}",
    ]
    for name, cube in (("owned", pair.owned), ("centred", pair.centred)):
        lines.append(
            f"{name:22}{cube.best:>+10.4f}{cube.no_double:>+11.4f}{cube.double_take:>+10.4f}{cube.double_pass:>+10.4f}"
            f"  {_action(cube)}"
        )
    return [*lines, f"{'owned by the opponent':22}{pair.opponent.best:>+10.4f}"]
