"""Strength of a net against rolled-out positions, as `sixprime bench --strength`, with the predictions as CSV.

See `sixprime.train.strength` for what is measured. The data are for measuring only and are no part of this
repository.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

import _main
import _measure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder of the two files; by default $SIXPRIME_REFDATA")
    parser.add_argument("--plies", type=int, nargs="+", default=[0], help="how deep; several may be named")
    parser.add_argument("--net", type=Path, help="a network file; by default the one of the package")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth decision and position")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--kinds", action="store_true", help="errors by crashed board and by plan, too")
    parser.add_argument("--csv", type=Path, help="folder for the predictions, lines id,win,wg,wbg,lg,lbg")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()

    from sixprime import Engine, SixprimeError
    from sixprime.train import strength

    try:
        rows = strength.read_rows(strength.folder_of_rows(arguments.data), arguments.every)
        engine = Engine(arguments.net, threads=arguments.threads)
        scores = [strength.measure(engine, rows, plies) for plies in arguments.plies]
    except SixprimeError as error:
        parser.exit(1, f"{error}\n")
    if arguments.csv:
        arguments.csv.mkdir(parents=True, exist_ok=True)
        for score in scores:
            lines = (f"{name},{','.join(f'{x:.6f}' for x in p)}\n" for name, p in score.predicted.items())
            (arguments.csv / f"{score.plies}ply.csv").write_text("".join(lines), encoding="utf-8")
    if arguments.kinds:
        plain = [{**row, "set": kind} for row in rows.rollouts for kind in _kinds(row)]
        scores = [replace(s, sets={**s.sets, **strength.errors(plain, s.predicted)}) for s in scores]
    results = {str(score.plies): strength.to_dict(score) for score in scores}
    _measure.show(results, arguments.json, f"{arguments.net or 'The net of the package'}", strength.table(scores))


def _kinds(row: dict[str, Any]) -> list[str]:
    """What kinds a rolled-out position is of."""
    from sixprime import Position
    from sixprime.analysis.situations import plan_of

    return [plan_of(Position.from_id(row["posid"])).value, *(["crashed"] if row.get("phase") == "crashed" else [])]


if __name__ == "__main__":
    _main.run(main)
