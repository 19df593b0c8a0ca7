"""What the cube costs: processor time of 2-ply evaluations and cube decisions with the cube in play over without.

Without: the cube may not be turned. The pairs are measured in turn, on one thread.
"""

from __future__ import annotations

from statistics import median

import _main
import _measure


def main() -> None:
    arguments = _measure.options(__doc__, pairs=7, positions=120).parse_args()

    from sixprime import Engine, MatchState

    engine = Engine(threads=1, plies=2)
    positions, _ = _measure.decisions(engine, arguments.positions, arguments.seed)
    states = {
        "cubeless": MatchState(cube_limit=1),
        "money": MatchState(),
        "match": MatchState(length=7),
    }

    def run(state: MatchState, cube: bool) -> float:
        engine.forget()
        if cube:
            return _measure.cpu_seconds(lambda: engine.cube_many([(position, state) for position in positions]))
        return _measure.cpu_seconds(lambda: engine.evaluate_many(positions, match=state))

    run(states["money"], True)
    seconds: dict[tuple[str, bool], list[float]] = {}
    for _ in range(arguments.pairs):
        for name, state in states.items():
            for cube in (False, True):
                seconds.setdefault((name, cube), []).append(run(state, cube))
    base = seconds["cubeless", False]
    results: dict[str, object] = {"positions": len(positions)}
    rows = [["2-ply", "per CPU second", "time over cubeless"]]
    for (name, cube), taken in seconds.items():
        label = f"{name}, {'cube decision' if cube else 'evaluation'}"
        ratio = median(a / b for a, b in zip(taken, base, strict=True))
        results[label.replace(", ", "_").replace(" ", "_")] = ratio
        rows.append([label, f"{len(positions) / median(taken):,.1f}", f"{ratio:.3f}"])
    _measure.show(results, arguments.json, f"{len(positions)} positions", rows)


if __name__ == "__main__":
    _main.run(main)
