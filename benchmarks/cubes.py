"""2-ply cubeful evaluations per CPU second: no double, double and take, double and pass of the same positions.

Money play with Jacoby and beavers. GNU Backgammon: `gnubg.cfevaluate` with plies=2 and its pruning nets.
Sixprime: `Engine.cube_many`, and one by one `Engine.cube_action`.
"""

from __future__ import annotations

from statistics import median

import _gnubg
import _main
import _measure


def main() -> None:
    arguments = _measure.options(__doc__, pairs=5, positions=150).parse_args()
    program = _gnubg.find(arguments.gnubg)

    from sixprime import Engine, MatchState

    engine = Engine(threads=1, plies=2)
    positions, _ = _measure.decisions(engine, arguments.positions, arguments.seed)
    state = MatchState()
    requests = [(position, state) for position in positions]
    ids = [position.id for position in positions]
    single = positions[:20]

    def theirs() -> dict:
        return _gnubg.run(program, "cubes", ids=ids)

    def ours() -> tuple[float, float]:
        engine.forget()
        batch = _measure.cpu_seconds(lambda: engine.cube_many(requests))
        engine.forget()
        return (
            batch,
            _measure.cpu_seconds(lambda: [engine.cube_action(position, match=state) for position in single])
            * len(positions) / len(single),
        )  # fmt: skip

    answers = engine.cube_many(requests)
    ours()
    gnubg, sixprime = _measure.alternate(theirs, ours, arguments.pairs)
    raw = [run["seconds"] for run in gnubg]
    gap = median(abs(a.no_double - b[0]) for a, b in zip(answers, gnubg[0]["equities"], strict=True))
    results = {"positions": len(ids), "gnubg_per_second": len(ids) / median(raw)}
    rows = [["2-ply cube decisions", "per CPU second", "ratio", "of the pairs"]]
    rows.append(["gnubg.cfevaluate", f"{results['gnubg_per_second']:,.1f}", "1", ""])
    for i, (key, name) in enumerate((("batch", "Engine.cube_many"), ("single", "Engine.cube_action, one by one"))):
        seconds = [run[i] for run in sixprime]
        results[f"{key}_per_second"] = len(ids) / median(seconds)
        results[f"{key}_ratio"] = _measure.ratio(raw, seconds)
        shown = f"{results[f'{key}_per_second']:,.1f}", f"{results[f'{key}_ratio']:.2f}"
        rows.append([name, *shown, _measure.spread(raw, seconds)])
    results["median_difference"] = gap
    title = f"{len(ids)} positions, median difference of the equity {gap:.3f}. " + _measure.beside(program)
    _measure.show(results, arguments.json, title, rows)


if __name__ == "__main__":
    _main.run(main)
