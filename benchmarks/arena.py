"""Plays all players against each other in mirrored duels without luck, and prints one table of ratings with errors.

    python benchmarks/arena.py DIR standard@0 standard@1 gnubg@0 gnubg@1 --pairs 400
    python benchmarks/arena.py DIR standard@0 gnubg@0 --length 7

Every duel keeps a file in DIR and goes on from it; more players and pairs may be asked for at any time. A rating is
the points a game (or the share of matches) by which a player is better than the mean of all, by weighted least squares
over all duels; its standard error comes from those of the duels.
"""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _main
import _measure
import numpy as np

if TYPE_CHECKING:
    from sixprime.play.standing import Standing


def main() -> None:
    parser = _measure.options(__doc__, pairs=400)
    parser.add_argument("folder", metavar="DIR", type=Path)
    parser.add_argument("players", metavar="PLAYER", nargs="+", help="as for `sixprime duel`")
    parser.add_argument("--length", type=int, help="matches of so many points; by default cubeful money, no Jacoby")
    parser.add_argument("--cubeless", action="store_true", help="money games without a cube")
    parser.add_argument("--variant", choices=("standard", "nackgammon"), default="standard", help="the game")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    names = list(dict.fromkeys(arguments.players))
    if len(names) < 2:
        sys.exit("an arena needs two players at the least")
    arguments.folder.mkdir(parents=True, exist_ok=True)
    found: dict[tuple[int, int], Standing] = {}
    try:
        for pair in itertools.combinations(range(len(names)), 2):
            found[pair] = _duel(arguments, *(names[each] for each in pair))
            one, other = (names[each] for each in pair)
            print(f"{one} - {other}: {_told(found[pair])}", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("Stopped; the same command goes on.", file=sys.stderr)
    duels = {pair: (each.adjusted.mean, each.adjusted.error) for pair, each in found.items() if each.pairs > 1}
    in_play = sorted({each for pair in duels for each in pair})
    if len(duels) < len(names) - 1 or len(in_play) < len(names):
        sys.exit("too few duels for a table")
    from sixprime.play.standing import ratings

    values, covariance = ratings(len(names), duels)
    order = np.argsort(-values)
    rows = [["player", "rating", "±", *(names[each] for each in order)]]
    for each in order:
        against = [_cell(duels, int(each), int(other)) for other in order]
        rows.append([names[each], f"{values[each]:+.4f}", f"{covariance[each, each] ** 0.5:.4f}", *against])
    kind = (
        f"{arguments.length}-point matches" if arguments.length else "cubeless money" if arguments.cubeless else "money"
    )
    if arguments.variant != "standard":
        kind += f" of {arguments.variant.capitalize()}"
    result = {"kind": kind, "pairs": {f"{names[a]} - {names[b]}": each.pairs for (a, b), each in found.items()}}
    _measure.show(result | {"rows": rows[1:]}, arguments.json, f"{kind}, mirrored pairs without luck. ", rows)


def _duel(arguments: Any, one: str, other: str) -> Standing:
    from sixprime.play.duel import Duel, cubeful_money, cubeless_money, match_play
    from sixprime.play.standing import StopRule
    from sixprime.players.lobby import Lobby

    lobby = Lobby(threads=arguments.threads, gnubg=arguments.gnubg)
    start = cubeful_money(jacoby=False)
    if arguments.length or arguments.cubeless:
        start = match_play(arguments.length) if arguments.length else cubeless_money()
    safe = [re.sub(r"[^\w@.-]+", "_", name) for name in (one, other)]
    game = f"{start.length or 'money'}-{start.limit}-{arguments.seed}"
    if arguments.variant != "standard":
        game += f"-{arguments.variant}"
    state = arguments.folder / f"{safe[0]}--{safe[1]}--{game}.json"
    bots = []
    try:
        bots += [lobby.bot(one)]
        bots += [lobby.bot(other)]
        judge = lobby.evaluator("standard")
        duel = Duel((bots[0], bots[1]), judge, start, seed=arguments.seed, variant=arguments.variant, state=state)
        return duel.run(StopRule(arguments.pairs, 2, clear=0.0))
    finally:
        for bot in bots:
            bot.close()


def _told(standing: Standing) -> str:
    return f"{standing.adjusted.mean:+.4f} ± {standing.adjusted.error:.4f} over {standing.pairs} pairs"


def _cell(duels: dict[tuple[int, int], tuple[float, float]], one: int, other: int) -> str:
    if (one, other) in duels:
        return f"{duels[one, other][0]:+.4f}"
    return f"{-duels[other, one][0]:+.4f}" if (other, one) in duels else ""


if __name__ == "__main__":
    _main.run(main)
