"""Best plays by 2- and 3-ply search per CPU second, cubeful, with the Normal filter, on the same positions and rolls.

GNU Backgammon: `gnubg.findbestmove` with its pruning nets and the move filters of a fresh installation, which are the
Normal ones. Sixprime: `Engine.rank_plays_many`, all in a batch, and one by one.
"""

from __future__ import annotations

from statistics import median
from typing import Any

import _gnubg
import _main
import _measure
from decisions import agreement


def main() -> None:
    arguments = _measure.options(__doc__, pairs=3, positions=60).parse_args()
    program = _gnubg.find(arguments.gnubg)

    from sixprime import Engine, MatchState
    from sixprime.engine import PlayRequest

    engine = Engine(threads=1, filter="normal")
    positions, rolls = _measure.decisions(engine, arguments.positions, arguments.seed)
    results: dict[str, Any] = {}
    rows = [["best plays, Normal filter", "per CPU second", "ratio", "of the pairs", "same play"]]
    for plies, count in ((2, len(positions)), (3, max(1, len(positions) // 5))):
        requests = [PlayRequest(*pair, MatchState()) for pair in zip(positions, rolls, strict=True)][:count]
        ids, dice = [position.id for position in positions[:count]], rolls[:count]

        def theirs() -> dict[str, Any]:
            return _gnubg.run(program, "plays", ids=ids, dice=dice, plies=plies)  # noqa: B023

        def batch() -> Any:
            engine.forget()
            return engine.rank_plays_many(requests, plies=plies, count=1)  # noqa: B023

        def single() -> None:
            engine.forget()
            for request in requests:  # noqa: B023
                engine.rank_plays_many([request], plies=plies, count=1)  # noqa: B023

        boards = [found[0].play.result for found in batch()]
        gnubg, own = _measure.alternate(
            theirs,
            lambda: (_measure.cpu_seconds(batch), _measure.cpu_seconds(single)),
            arguments.pairs,
        )
        raw = [run["seconds"] for run in gnubg]
        same = agreement(positions[:count], dice, gnubg[0]["plays"], boards)
        found = {"decisions": count, "same_play": same, "gnubg_per_second": count / median(raw)}
        rows.append([f"{plies}-ply gnubg.findbestmove", f"{count / median(raw):,.2f}", "1", "", ""])
        for i, (key, name) in enumerate((("batch", "in a batch"), ("single", "one by one"))):
            seconds = [run[i] for run in own]
            found |= {f"{key}_per_second": count / median(seconds), f"{key}_ratio": _measure.ratio(raw, seconds)}
            shown = f"{count / median(seconds):,.2f}", f"{found[f'{key}_ratio']:.2f}", _measure.spread(raw, seconds)
            rows.append([f"{plies}-ply Sixprime, {name}", *shown, f"{same:.0%}"])
        results[f"{plies}-ply"] = found
    _measure.show(results, arguments.json, _measure.beside(program), rows)


if __name__ == "__main__":
    _main.run(main)
