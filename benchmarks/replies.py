"""How the replies of the last ply may be narrowed down: strength at 2-ply on the reference rows, and time per roll.

"keep": plays from contact that the scout leaves; "fine": of these the ones the small net leaves for the engine's own,
0 for all. The engine takes the row marked with a star.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import _main
import _measure

WAYS = ((6, 0), (8, 2), (6, 1), (4, 1), (4, 0), (3, 1))


def main() -> None:
    parser = _measure.options(__doc__, pairs=3, positions=600, gnubg=False)
    parser.add_argument(
        "--data", type=Path, help="folder of the reference rows; by default what SIXPRIME_REFDATA names"
    )
    arguments = parser.parse_args()

    import numpy as np

    from sixprime import Engine, kernels
    from sixprime.engine import plies
    from sixprime.engine.plies import classes_of
    from sixprime.kernels.replies import best_replies
    from sixprime.kernels.search import CONTACT
    from sixprime.train import selfplay, strength

    engine = Engine(threads=1)
    positions, _ = _measure.decisions(engine, arguments.positions, arguments.seed)
    boards = kernels.pack(np.stack([position.board for position in positions]))
    boards = boards[classes_of(boards) == CONTACT]
    quick = engine.searcher.quick
    assert quick is not None
    rows = strength.read_rows(strength.folder_of_rows(arguments.data))
    shipped = plies.LAST_KEEP, plies.FINE

    results: dict[str, Any] = {}
    table = [["keep", "fine", "lost, mEMG", "rmse", "player's", "opponent's back games", "microseconds a roll"]]
    for keep, fine in WAYS:
        net = quick.contact if fine else None

        def replies() -> object:
            return best_replies(engine.brain, boards, kernels.ROLLS[None], selfplay.MONEY, keep, net, fine)  # noqa: B023

        replies()
        seconds = min(_measure.cpu_seconds(replies) for _ in range(arguments.pairs))
        plies.LAST_KEEP, plies.FINE = keep, fine
        engine.forget()
        score = strength.measure(engine, rows, 2)
        errors = [score.sets[name]["rmse"] for name in ("general", "bg_player", "bg_opponent")]
        micro = 1e6 * seconds / len(boards) / 21
        results[f"{keep}/{fine}"] = {"lost": score.decisions["lost"], "rmse": errors, "microseconds": micro}
        star = " *" if (keep, fine) == shipped else ""
        shown = [f"{score.decisions['lost']:.2f}", *(f"{error:.4f}" for error in errors), f"{micro:.1f}"]
        table.append([f"{keep}{star}", str(fine), *shown])
    _measure.show(results, arguments.json, f"{len(boards)} positions from contact. ", table)


if __name__ == "__main__":
    _main.run(main)
